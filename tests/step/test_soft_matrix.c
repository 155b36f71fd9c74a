/* tests/step/test_soft_matrix.c: which vertices of deformable bodies are unknowns, and how the
 * matrix of a step is stored, change nothing of what is found. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contact/assemble.h"
#include "effort.h"
#include "mjcf_world.h"
#include "random_models.h"
#include "step/assembly.h"
#include "step/prepared.h"
#include "step/soft_motion.h"

static double between(unsigned long *seed, double low, double high) {
  double x;
  random_vector(seed, &x, 1, 1.0);
  return low + (high - low) * 0.5 * (x + 1.0);
}

// Two soft fingers on a hand that swings, with a free ball and a fixed box near them.
static mjcf_world swinging_hand(unsigned long *seed) {
  char text[2048];
  const double beside = between(seed, .02, .03), far = between(seed, .03, .08);
  snprintf(text, sizeof text,
           "<mujoco><option timestep='0.01'/><worldbody>"
           "<geom type='box' size='.01 .05 .02' pos='%g 0 .0'/>"
           "<body><joint type='hinge' axis='0 0 1' pos='0 -.3 0' damping='.01'/>"
           "<geom type='box' size='.05 .01 .01' pos='0 -.03 0' mass='.3'/>"
           "<limpet:deformable name='a' type='box' size='.005 .03 .01' cells='1 6 2' "
           "pos='-.016 .01 0' young='1e6' damping='.01'><limpet:tie box='-1 -1 -1 1 -.029 1'/>"
           "</limpet:deformable>"
           "<limpet:deformable name='b' type='box' size='.005 .03 .01' cells='1 6 2' "
           "pos='.016 .01 0' young='1e6' damping='.01'><limpet:tie box='-1 -1 -1 1 -.029 1'/>"
           "</limpet:deformable></body>"
           "<body pos='0 %g 0'><freejoint/><geom type='sphere' size='.01' mass='.05'/></body>"
           "</worldbody></mujoco>",
           far, beside);
  mjcf_world w = mjcf_world_of(text, NULL);
  double speed[2] = {between(seed, -4.0, 4.0), between(seed, -1.0, 1.0)};
  w.data->v[0] = speed[0];
  w.data->v[1] = -0.3 * speed[0] + speed[1];
  for (int i = 0; i < w.model->vertex_count; ++i) {
    const double *at = w.data->vertex_position + 3 * i;
    w.data->vertex_velocity[3 * i] = -speed[0] * (at[1] + .3);
    w.data->vertex_velocity[3 * i + 1] = speed[0] * at[0];
  }
  return w;
}

/* Edges that two neighbouring vertices hold have six velocities in a row, as a free body has. Both
 * matrices are the same, so iterations are, up to decisions at round-off. */
static void dense_and_sparse_matrices_agree(void **state) {
  (void)state;
  unsigned long seed = 7;
  for (int trial = 0; trial < 8; ++trial) {
    int iterations[2] = {0, 0};
    double x[2] = {0.0, 0.0};
    const unsigned long same = seed;
    for (int sparse = 0; sparse < 2; ++sparse) {
      seed = same;
      mjcf_world w = swinging_hand(&seed);
      w.settings.dense_limit = sparse ? 0 : 100000;
      w.settings.rigid_ties = trial % 2 == 0;
      for (int i = 0; i < 20; ++i) {
        mjcf_world_step(&w);
        iterations[sparse] += w.data->info.iterations;
      }
      x[sparse] = w.data->q[1];
      mjcf_world_destroy(&w);
    }
    // round-off decides where hard steps stall: a step of 20 may take twice as many
    if (abs(iterations[0] - iterations[1]) > 1 + iterations[0] / 5)
      fail_msg("trial %d: %d iterations dense, %d sparse", trial, iterations[0], iterations[1]);
    // steps are solved to 1e-6 of the momentum, speeds are 1 m/s and the time is 0.2 s
    if (!(fabs(x[0] - x[1]) < 1e-6)) fail_msg("trial %d: %.12g and %.12g rad", trial, x[0], x[1]);
  }
}

// Bodies are shared out to threads: the same bits with any number of them.
static void threads_change_nothing(void **state) {
  (void)state;
  mjcf_world w[2];
  for (int k = 0; k < 2; ++k) {
    unsigned long seed = 3;
    w[k] = swinging_hand(&seed);
    w[k].settings.threads = 1 + 2 * k;
    for (int i = 0; i < 20; ++i) mjcf_world_step(&w[k]);
  }
  const size_t size = 3 * (size_t)w[0].model->vertex_count * sizeof(double);
  assert_memory_equal(w[0].data->vertex_position, w[1].data->vertex_position, size);
  assert_memory_equal(w[0].data->v, w[1].data->v, (size_t)w[0].model->nv * sizeof(double));
  for (int k = 0; k < 2; ++k) mjcf_world_destroy(&w[k]);
}

// Contacts that assembly keeps when no vertex of those that were found is left out: their numbers
// among all that were found, ascending. Returns how many.
static int kept_by_assembly(const mjcf_world *w, limpet_step_work *work, int *found) {
  const double speculative = limpet_step_speculative_distance(&work->settings);
  const limpet_assembly_settings settings =
      limpet_step_assembly_settings(&work->settings, speculative, &work->motion);
  limpet_contact_records records;
  limpet_contact_problem problem = {.model = work->settings.contact_model,
                                    .settings = settings.contact,
                                    .dt = work->settings.time_step,
                                    .momentum = work->motion.momentum,
                                    .v_free = work->motion.v_free,
                                    .v_thrown = work->motion.v_thrown,
                                    .v_start = w->data->v};
  assert_int_equal(limpet_contact_records_make(w->model, w->data, work->settings.rigid_stiffness,
                                               &work->collision, work->arena, &records),
                   LIMPET_OK);
  assert_int_equal(limpet_problem_take_trees(&problem, w->model, work->motion.A, work->motion.trees,
                                             work->arena),
                   LIMPET_OK);
  assert_int_equal(limpet_soft_motion_join(w->model, w->data, &records, work->motion.soft,
                                           work->arena, &problem),
                   LIMPET_OK);
  assert_int_equal(limpet_contacts_assemble(w->model, w->data, &settings, &work->collision,
                                            work->arena, &records, &problem),
                   LIMPET_OK);
  for (int i = 0; i < records.count; ++i) found[i] = records.record[i].found;
  return records.count;
}

/* Contacts of the step are those `found`, and what is kept in case a soft body is stopped. Returns
 * how many of these. */
static int compare_contacts(const limpet_contact_records *records, int count, const int *found) {
  int same = 0;
  for (int k = 0; k < records->count; ++k) {
    if (same < count && records->record[k].found == found[same]) ++same;
    else assert_true(records->record[k].kept);
  }
  assert_int_equal(same, count);
  return records->count - count;
}

static void contacts_that_are_dropped_early_cannot_close(void **state) {
  (void)state;
  enum { MOST = 2000 };
  static int found[MOST];
  unsigned long seed = 11;
  int all = 0, kept = 0, beside = 0;
  for (int trial = 0; trial < test_effort(40, 8); ++trial) {
    mjcf_world w = swinging_hand(&seed);
    for (int i = 0; i < 4; ++i) {
      limpet_step_prepared prepared;
      assert_int_equal(
          limpet_step_prepare(w.model, w.data, &w.settings, w.settings.time_step, &prepared),
          LIMPET_OUTCOME_SOLVED);
      limpet_step_work *work = prepared.work;
      assert_true(work->collision.contact_count <= MOST);
      const int expected = kept_by_assembly(&w, work, found);
      beside += compare_contacts(&work->records, expected, found);
      all += work->collision.contact_count;
      kept += expected;
      mjcf_world_step(&w);
    }
    mjcf_world_destroy(&w);
  }
  // most of what is found moves along
  if (!(kept > 0 && 2 * kept < all)) fail_msg("%d of %d contacts are kept", kept, all);
  if (!(beside < kept)) fail_msg("%d contacts may close, and %d are kept beside", kept, beside);
}

enum { ACROSS = 9 };  // vertices of a cloth, each way

static int append(char *text, int at, int room, const char *format, double a, double b, double c) {
  return at + snprintf(text + at, (size_t)(room - at), format, a, b, c);
}

/* A cloth each vertex of which is a body with three slides, as in MuJoCo's bag.xml, and two balls
 * above it: all vertices that move take part, so its matrix is as sparse as its mesh. */
static mjcf_world tied_cloth(unsigned long *seed) {
  enum { ROOM = 60000 };
  char *text = malloc(ROOM);
  int at = append(text, 0, ROOM, "<mujoco><option timestep='%g'/><worldbody>", .002, 0., 0.);
  const double cell = between(seed, .01, .02), damping = between(seed, .01, .1);
  for (int i = 0; i < ACROSS * ACROSS; ++i) {
    const double x = cell * (i / ACROSS), y = cell * (i % ACROSS);
    at = append(text, at, ROOM, "<body name='v%g' pos='%g %g 0'>", i, x, y);
    at = append(text, at, ROOM, "<inertial pos='0 0 0' mass='%g' diaginertia='1e-9 1e-9 1e-9'/>",
                2e-4, 0., 0.);
    for (int k = 0; k < 3; ++k)
      at = append(text, at, ROOM, "<joint type='slide' axis='%g %g %g'", k == 0, k == 1, k == 2),
      at = append(text, at, ROOM, " damping='%g'/>", damping, 0., 0.);
    at = append(text, at, ROOM, "</body>", 0., 0., 0.);
  }
  for (int b = 0; b < 2; ++b) {
    at = append(text, at, ROOM, "<body pos='%g %g %g'><freejoint/>", cell * between(seed, 2., 6.),
                cell * between(seed, 2., 6.), .02 + .03 * b);
    at = append(text, at, ROOM, "<geom size='.012' mass='%g'/></body>", between(seed, .002, .02),
                0., 0.);
  }
  at = append(text, at, ROOM, "</worldbody><deformable><flex name='c' dim='2' radius='.001' body='",
              0., 0., 0.);
  for (int i = 0; i < ACROSS * ACROSS; ++i) at = append(text, at, ROOM, "v%g ", i, 0., 0.);
  at = append(text, at, ROOM, "' vertex='", 0., 0., 0.);
  for (int i = 0; i < ACROSS * ACROSS; ++i) at = append(text, at, ROOM, "0 0 0 ", 0., 0., 0.);
  at = append(text, at, ROOM, "' element='", 0., 0., 0.);
  for (int i = 0; i < (ACROSS - 1) * (ACROSS - 1); ++i) {
    const int a = ACROSS * (i / (ACROSS - 1)) + i % (ACROSS - 1);
    at = append(text, at, ROOM, "%g %g %g ", a, a + ACROSS, a + 1);
    at = append(text, at, ROOM, "%g %g %g ", a + 1, a + ACROSS, a + ACROSS + 1);
  }
  at = append(text, at, ROOM,
              "'><elasticity young='%g' poisson='.2' thickness='%g' damping='.01' "
              "elastic2d='both'/></flex></deformable></mujoco>",
              between(seed, 1e5, 1e6), between(seed, 3e-4, 1e-3), 0.);
  assert_true(at < ROOM);
  mjcf_world w = mjcf_world_of(text, NULL);
  free(text);
  return w;
}

static void cloths_that_are_all_tied_are_sparse(void **state) {
  (void)state;
  unsigned long seed = 9;
  for (int trial = 0; trial < test_effort(3, 1); ++trial) {
    double *v[2] = {NULL, NULL};
    int n = 0, contacts = 0, iterations[2] = {0, 0};
    const unsigned long same = seed;
    for (int sparse = 0; sparse < 2; ++sparse) {
      seed = same;
      mjcf_world w = tied_cloth(&seed);
      w.settings.dense_limit = sparse ? 60 : 100000;
      w.settings.tolerance = 1e-10;
      for (int i = 0; i < 40; ++i) {
        mjcf_world_step(&w);
        contacts += w.data->contact_count > 0;
        iterations[sparse] += w.data->info.iterations;
      }
      n = w.model->nv;
      v[sparse] = malloc((size_t)n * sizeof(double));
      memcpy(v[sparse], w.data->v, (size_t)n * sizeof(double));
      mjcf_world_destroy(&w);
    }
    assert_true(contacts > 20);
    if (abs(iterations[0] - iterations[1]) > 1 + iterations[0] / 50)
      fail_msg("trial %d: %d iterations dense, %d sparse", trial, iterations[0], iterations[1]);
    // speeds are 0.1 to 1 m/s, of bodies of 0.2 g beside balls of up to 20 g
    for (int i = 0; i < n; ++i)
      if (!(fabs(v[0][i] - v[1][i]) < 1e-6))
        fail_msg("trial %d: v[%d] is %.12g dense, %.12g sparse", trial, i, v[0][i], v[1][i]);
    free(v[0]), free(v[1]);
  }
}

// A cloth of count x count vertices that lies on a floor, two of its corners held.
static mjcf_world lying_cloth(unsigned long *seed, int count) {
  char text[1024];
  snprintf(text, sizeof text,
           "<mujoco><option timestep='.002'/><worldbody><geom type='plane' size='2 2 .1'/>"
           "<flexcomp name='c' type='grid' dim='2' count='%d %d 1' spacing='.02 .02 .02' "
           "pos='0 0 .0001' radius='1e-4' mass='.1'><pin id='0 %d'/><contact selfcollide='none'/>"
           "<elasticity young='%g' poisson='.2' thickness='1e-3' damping='%g' elastic2d='both'/>"
           "</flexcomp></worldbody></mujoco>",
           count, count, count - 1, between(seed, 1e4, 1e6), between(seed, 0.0, 0.02));
  mjcf_world w = mjcf_world_of(text, NULL);
  for (int i = 0; i < 3 * w.model->vertex_count; ++i)
    w.data->vertex_velocity[i] = between(seed, -.1, .1);
  return w;
}

static void expect_near(const char *what, int count, const double *x, const double *expected) {
  double size = 0.0;
  for (int i = 0; i < count; ++i) size = fmax(size, fabs(expected[i]));
  for (int i = 0; i < count; ++i)
    if (!(fabs(x[i] - expected[i]) <= 1e-12 * size))
      fail_msg("%s %d of %d: %.17g, expected %.17g", what, i, count, x[i], expected[i]);
}

// The matrix of a mesh, its factor and the diagonal of its inverse against those of dense algebra.
static void expect_dense_equal(unsigned long *seed, const limpet_soft_body *body,
                               const limpet_block *block) {
  const int n = block->size;
  const size_t square = (size_t)n * (size_t)n;
  double *A = malloc(square * sizeof *A), *inverse = malloc(square * sizeof *A),
         *copy = malloc(square * sizeof *A), *x = calloc(4 * (size_t)n, sizeof *x);
  double *y = x + n, *expected = y + n, *diagonal = expected + n;
  double *factor = malloc((block->kind->factor_size(block) + 1) * sizeof *factor);
  assert_int_equal(limpet_fem_step_condense(body->step, body->count, body->vertex, A, n, inverse),
                   LIMPET_OK);
  for (int i = 0; i < n; ++i) diagonal[i] = A[(size_t)i * ((size_t)n + 1)];
  block->kind->diagonal(block, y);
  expect_near("diagonal", n, y, diagonal);
  for (int i = 0; i < n; ++i) diagonal[i] = inverse[(size_t)i * ((size_t)n + 1)];
  expect_near("diagonal of the inverse", n, block->compliance, diagonal);
  block->kind->copy(block, false, copy, (size_t)n);
  assert_memory_equal(copy, A, square * sizeof *A);
  memset(copy, -1, square * sizeof *copy);
  block->kind->copy(block, true, copy, (size_t)n);
  for (int i = 0; i < n; ++i)
    assert_memory_equal(copy + (size_t)i * (size_t)n, A + (size_t)i * (size_t)n,
                        (size_t)(i + 1) * sizeof *A);
  random_vector(seed, x, n, 1.0);
  for (int i = 0; i < n; ++i) expected[i] = y[i] = x[(i + 7) % n];
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) expected[i] += A[(size_t)i * (size_t)n + (size_t)k] * x[k];
  block->kind->apply(block, x, y);
  expect_near("product", n, y, expected);
  memcpy(expected, x, (size_t)n * sizeof *x);
  memset(y, 0, (size_t)n * sizeof *y);
  block->kind->apply(block, x, y);
  assert_true(block->kind->factor(block, factor));
  block->kind->solve(block, factor, y);
  expect_near("solution", n, y, expected);
  free(A), free(inverse), free(copy), free(x), free(factor);
}

static void matrices_of_meshes_are_those_of_dense_blocks(void **state) {
  (void)state;
  unsigned long seed = 21;
  const int counts[] = {9, 12, 19};  // the last has more unknowns than are inverted
  for (int k = 0; k < 3; ++k) {
    mjcf_world w = lying_cloth(&seed, counts[k]);
    limpet_step_prepared prepared;
    assert_int_equal(
        limpet_step_prepare(w.model, w.data, &w.settings, w.settings.time_step, &prepared),
        LIMPET_OUTCOME_SOLVED);
    const limpet_step_work *work = prepared.work;
    const limpet_soft_body *body = &work->motion.soft->body[0];
    assert_non_null(body->mesh);
    assert_int_equal(body->count, counts[k] * counts[k] - 2);
    expect_dense_equal(&seed, body, &work->problem.block[body->block]);
    mjcf_world_destroy(&w);
  }
}

/* A cloth on a ball: few vertices touch at first, so the body is condensed, then so many that it is
 * not. The dense Hessian of either is the yardstick of the sparse one. */
static void cloth_on_a_ball_is_whole_where_that_costs_less(void **state) {
  (void)state;
  const char *text =
      "<mujoco><option timestep='.002'/><worldbody><geom type='sphere' size='.1'/>"
      "<flexcomp name='c' type='grid' dim='2' count='11 11 1' spacing='.02 .02 .02' "
      "pos='0 0 .103' radius='.001' mass='.05'><contact selfcollide='none'/>"
      "<elasticity young='1e5' poisson='.2' thickness='5e-4' damping='.01' elastic2d='both'/>"
      "</flexcomp></worldbody></mujoco>";
  enum { STEPS = TEST_WATCHED ? 70 : 120 };
  double *x[2] = {NULL, NULL};
  int n = 0, whole[2] = {0, 0}, condensed[2] = {0, 0};
  for (int sparse = 0; sparse < 2; ++sparse) {
    mjcf_world w = mjcf_world_of(text, NULL);
    w.settings.dense_limit = sparse ? 60 : 100000;
    w.settings.tolerance = 1e-10;
    for (int i = 0; i < STEPS; ++i) {
      limpet_step_prepared prepared;
      assert_int_equal(
          limpet_step_prepare(w.model, w.data, &w.settings, w.settings.time_step, &prepared),
          LIMPET_OUTCOME_SOLVED);
      const limpet_soft_body *body = &prepared.work->motion.soft->body[0];
      whole[sparse] += body->mesh != NULL;
      condensed[sparse] += body->count > 0 && !body->mesh;
      mjcf_world_step(&w);
      assert_int_equal(w.data->info.outcome, LIMPET_OUTCOME_SOLVED);
    }
    n = 3 * w.model->vertex_count;
    x[sparse] = malloc((size_t)n * sizeof(double));
    memcpy(x[sparse], w.data->vertex_position, (size_t)n * sizeof(double));
    mjcf_world_destroy(&w);
  }
  if (!(whole[0] > 10 && condensed[0] > 3))
    fail_msg("%d steps whole, %d condensed", whole[0], condensed[0]);
  assert_int_equal(whole[0], whole[1]);
  assert_int_equal(condensed[0], condensed[1]);
  // solved to 1e-10 of the momentum in each step
  for (int i = 0; i < n; ++i)
    if (!(fabs(x[0][i] - x[1][i]) < 1e-7))
      fail_msg("x[%d] is %.12g dense, %.12g sparse", i, x[0][i], x[1][i]);
  free(x[0]), free(x[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrices_of_meshes_are_those_of_dense_blocks),
      cmocka_unit_test(cloth_on_a_ball_is_whole_where_that_costs_less),
      cmocka_unit_test(dense_and_sparse_matrices_agree),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(cloths_that_are_all_tied_are_sparse),
      cmocka_unit_test(contacts_that_are_dropped_early_cannot_close)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
