/* tests/step/test_soft.c: deformable bodies in the step: rest, balance of momentum with rigid
 * bodies, ties, restart, bad input. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "allocator.h"
#include "effort.h"
#include "limpet/dynamics.h"
#include "limpet/format.h"
#include "math/vec3.h"
#include "mjcf_world.h"

static const double gravity = 9.81;  // [m/s^2]

static double fastest(const limpet_model *model, const limpet_data *data) {
  double most = 0.0;
  for (int i = 0; i < model->vertex_count; ++i)
    most = fmax(most, limpet_vec3_norm(data->vertex_velocity + 3 * i));
  for (int i = 0; i < model->nv; ++i) most = fmax(most, fabs(data->v[i]));
  return most;
}

// Sum of the normal forces [N] of all contacts of a plane below: on B, or on A with the other sign.
static double lift(const limpet_data *data) {
  double sum = 0.0;
  for (int c = 0; c < data->contact_count; ++c)
    sum += data->contact_force[3 * c + 2] * data->contact_frame[9 * c + 8];
  return sum;
}

// ------------------------------------------------------------------------------------- rest

static const char *const cube =
    "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='1 1 .1'/>"
    "<limpet:deformable type='box' size='.05 .05 .05' cells='3 3 3' pos='0 0 .06' young='1e5' "
    "poisson='0.4' damping='0.005'/></worldbody></mujoco>";

static const char *const plate =
    "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='1 1 .1'/>"
    "<limpet:deformable type='box' size='.05 .05 .05' cells='3 3 3' pos='0 0 .05' young='1e5' "
    "poisson='0.4' damping='0.005'/>"
    "<body pos='0 0 .11'><freejoint/><geom type='box' size='.06 .06 .01' mass='0.4'/></body>"
    "</worldbody></mujoco>";

static const char *const stack =
    "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='1 1 .1'/>"
    "<limpet:deformable name='low' type='box' size='.05 .05 .05' cells='3 3 3' pos='0 0 .051' "
    "young='1e5' damping='0.01'/>"
    "<limpet:deformable name='top' type='box' size='.04 .04 .04' cells='2 2 2' "
    "pos='.002 0 .143' young='1e5' damping='0.01'/></worldbody></mujoco>";

// Nothing moves faster than 1e-6 m/s after a second, with every contact model.
static void comes_to_rest(int number, const char *text, double time) {
  static const char *const models[] = {"coulomb", "lagged", "similar"};
  const test_turn turn = test_turn_of(number, 3);
  for (int i = turn.first; i < 3; i += turn.way) {
    mjcf_world w = mjcf_world_of(text, models[i]);
    mjcf_world_run(&w, time);
    const double v = fastest(w.model, w.data);
    if (!(v < 1e-6)) fail_msg("%s: %g m/s after %g s", models[i], v, time);
    mjcf_world_destroy(&w);
  }
}

static void a_cube_comes_to_rest(void **state) {
  (void)state;
  comes_to_rest(0, cube, 1.0);
}

static void a_plate_on_a_cube_comes_to_rest(void **state) {
  (void)state;
  // the plate swings on springs: 0.3 s more
  comes_to_rest(1, plate, 1.3);
}

static void a_stack_comes_to_rest(void **state) {
  (void)state;
  comes_to_rest(2, stack, 1.0);
}

/* Stacks of two to five. Softer and higher towers swing for longer than a second, with every model.
 * Faces stand back by 2 mm: flush ones slip past each other's rim when they land. */
static void stacks_of_any_modulus_come_to_rest(void **state) {
  (void)state;
  static const struct {
    int count;
    double young, dt;  // [Pa], [s]
  } cases[] = {{2, 1e5, 0.005}, {2, 3e5, 0.001}, {2, 1e7, 0.005},
               {3, 1e6, 0.005}, {3, 1e7, 0.01},  {5, 1e7, 0.005}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k += (size_t)test_effort(1, 3)) {
    char text[2048];
    int size = snprintf(text, sizeof text,
                        "<mujoco><option timestep='%g'/><worldbody><geom type='plane' "
                        "size='1 1 .1'/>",
                        cases[k].dt);
    for (int i = 0; i < cases[k].count; ++i)
      size += snprintf(text + size, sizeof text - (size_t)size,
                       "<limpet:deformable type='box' size='.025 .025 .025' cells='3 3 3' "
                       "pos='%g %g %g' young='%g' poisson='.3' density='500' damping='.01'/>",
                       0.002 * (i % 2), 0.002 * (i % 2), 0.026 + 0.0505 * i, cases[k].young);
    snprintf(text + size, sizeof text - (size_t)size, "</worldbody></mujoco>");
    comes_to_rest((int)k, text, 1.0);
  }
}

static void the_floor_carries_the_weight(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(cube, NULL);
  mjcf_world_run(&w, 1.5);
  // rest is reached to 1e-9 m/s: m v/dt is 1e-6 N
  const double force = fabs(lift(w.data));
  if (!(fabs(force - gravity) < 1e-5)) fail_msg("%.9g N", force);
  double up = 0.0;
  for (int i = 0; i < w.model->vertex_count; ++i) up += w.data->vertex_force[3 * i + 2];
  assert_true(fabs(up - gravity) < 1e-5);
  mjcf_world_destroy(&w);
}

static void free_fall_is_exact(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><worldbody><limpet:deformable type='box' size='.05 .05 .05' cells='2 2 2' "
      "pos='0 0 1'/></worldbody></mujoco>",
      NULL);
  const double before = w.data->vertex_position[2];
  mjcf_world_run(&w, 0.4);
  const double fallen = before - w.data->vertex_position[2];
  // sums of 200 steps
  assert_true(fabs(fallen - 0.5 * gravity * 0.16) < 1e-12);
  mjcf_world_destroy(&w);
}

// Nothing passes: the gap between two cubes stays above 10 um of overlap.
static void soft_rests_on_soft(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(stack, NULL);
  mjcf_world_run(&w, 1.5);
  const double v = fastest(w.model, w.data);
  if (!(v < 1e-4)) fail_msg("%g m/s after 1.5 s", v);
  double between = 0.0, deepest = 0.0;
  for (int c = 0; c < w.data->contact_count; ++c) {
    deepest = fmax(deepest, -w.data->contact_distance[c]);
    if (w.model->geom_kind[w.data->contact_geom[2 * c]] == LIMPET_SHAPE_SOFT &&
        w.model->geom_kind[w.data->contact_geom[2 * c + 1]] == LIMPET_SHAPE_SOFT)
      between += w.data->contact_force[3 * c + 2] * fabs(w.data->contact_frame[9 * c + 8]);
  }
  // the weight of the upper cube, 0.512 kg
  if (!(fabs(between - 0.512 * gravity) < 1e-3)) fail_msg("%g N between the cubes", between);
  assert_true(deepest < 1e-5);
  mjcf_world_destroy(&w);
}

// --------------------------------------------------------------------------------- momentum

static void momentum_of(const mjcf_world *w, double p[3]) {
  limpet_vec3_zero(p);
  for (int d = 0; d < w->model->deformable_count; ++d) {
    const double *mass = limpet_fem_body_node_mass(w->model->deformable_body[d]);
    const int first = w->model->deformable_vertex[d];
    for (int i = first; i < w->model->deformable_vertex[d + 1]; ++i)
      limpet_vec3_addmul(p, p, mass[i - first], w->data->vertex_velocity + 3 * i);
  }
  for (int b = 1; b < w->model->body_count; ++b)
    limpet_vec3_addmul(p, p, w->model->body_mass[b], w->data->v + 6 * (b - 1));
}

static const char *const flight =
    "<mujoco><option gravity='0 0 0' timestep='0.001'/><worldbody>"
    "<limpet:deformable type='box' size='.05 .05 .05' cells='3 3 3' young='1e5' damping='0.002'/>"
    "<body pos='0.01 0.02 .09'><freejoint/><geom type='sphere' size='.03' mass='0.3'/></body>"
    "<limpet:deformable type='ellipsoid' size='.03 .03 .03' cells='2 2 2' young='1e5' "
    "pos='.09 .01 0'/>"
    "<body pos='-.1 -.01 .01'><freejoint/><geom type='box' size='.03 .02 .02' mass='0.2'/></body>"
    "</worldbody></mujoco>";

static void momentum_is_kept(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(flight, NULL);
  w.settings.tolerance = 1e-13;
  w.data->v[2] = -2.0, w.data->v[6] = 1.5, w.data->v[0] = 0.4;
  for (int i = w.model->deformable_vertex[1]; i < w.model->vertex_count; ++i)
    w.data->vertex_velocity[3 * i] = -1.5;
  double before[3], after[3], contacts = 0.0;
  momentum_of(&w, before);
  for (int i = 0; i < 200; ++i) {
    mjcf_world_step(&w);
    contacts += w.data->info.touching_count;
  }
  momentum_of(&w, after);
  assert_true(contacts > 20.0);
  // 1e-13 of 0.6 N s in each of 200 steps
  const double gained = limpet_vec3_distance(before, after);
  if (!(gained < 1e-11)) fail_msg("%g N s of %g gained", gained, limpet_vec3_norm(before));
  mjcf_world_destroy(&w);
}

// ------------------------------------------------------------------------------------- ties

static const char *const tied =
    "<mujoco><option timestep='0.001' gravity='0 0 0'/><worldbody>"
    "<body name='hand' pos='0 0 1'><freejoint/><geom type='box' size='.06 .06 .01' mass='0.5'/>"
    "</body>"
    "<limpet:deformable type='box' size='.03 .03 .05' cells='2 2 3' pos='0 0 .94' young='2e5' "
    "damping='0.003'><limpet:tie body='hand' box='-1 -1 .0499 1 1 1'/></limpet:deformable>"
    "</worldbody></mujoco>";

static void check_tied(bool rigid_ties) {
  mjcf_world w = mjcf_world_of(tied, NULL);
  w.settings.rigid_ties = rigid_ties;
  assert_int_equal(w.model->tie_count, 9);
  w.settings.tolerance = 1e-13;
  w.data->v[0] = 0.5, w.data->v[4] = 2.0;
  double before[3], after[3];
  momentum_of(&w, before);
  mjcf_world_run(&w, 0.3);
  momentum_of(&w, after);
  const double gained = limpet_vec3_distance(before, after);
  if (!(gained < 1e-10)) fail_msg("%g N s gained", gained);
  double worst = 0.0;
  for (int i = 0; i < w.data->constraint_count; ++i)
    worst = fmax(worst, fabs(w.data->constraint_error[i]));
  // dt^2 times the centripetal acceleration of 2 rad/s at 0.1 m, some times
  if (!(worst < 1e-5)) fail_msg("ties are open by %g m", worst);
  mjcf_world_destroy(&w);
}

static void tied_vertices_move_with_the_body(void **state) {
  (void)state;
  check_tied(false);
  check_tied(true);
}

static void a_clamped_bar_hangs_on_the_world(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><worldbody><limpet:deformable type='box' size='.1 .01 .01' cells='8 1 1' "
      "pos='0 0 .5' young='1e6' damping='0.02'><limpet:tie box='-.2 -1 -1 -.0999 1 1'/>"
      "</limpet:deformable></worldbody></mujoco>",
      NULL);
  assert_int_equal(w.model->tie_count, 4);
  mjcf_world_run(&w, 1.0);
  double worst = 0.0, lowest = 1.0;
  for (int t = 0; t < w.model->tie_count; ++t) {
    const int v = w.model->tie_vertex[t];
    worst = fmax(worst, limpet_vec3_distance(w.data->vertex_position + 3 * v,
                                             w.model->vertex_reference + 3 * v));
  }
  for (int i = 0; i < w.model->vertex_count; ++i)
    lowest = fmin(lowest, w.data->vertex_position[3 * i + 2]);
  assert_true(worst < 1e-15 && lowest < 0.489 && lowest > 0.4);
  mjcf_world_destroy(&w);
}

// ------------------------------------------------------------------------- state, memory, input

static void a_restart_goes_on_alike(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(plate, NULL);
  mjcf_world_run(&w, 0.05);
  const size_t size = (size_t)limpet_data_state_size(w.model) * sizeof(double);
  double *kept = malloc(size);
  limpet_data_state_read(w.model, w.data, kept);
  limpet_data *other = limpet_data_create(w.model);
  limpet_data_state_write(w.model, other, kept);
  for (int i = 0; i < 50; ++i) {
    limpet_step(w.model, w.data, &w.settings);
    limpet_step(w.model, other, &w.settings);
  }
  assert_int_equal(limpet_data_state_hash(w.model, w.data), limpet_data_state_hash(w.model, other));
  other->vertex_position[1] += 1e-12;
  assert_int_not_equal(limpet_data_state_hash(w.model, w.data),
                       limpet_data_state_hash(w.model, other));
  free(kept);
  limpet_data_destroy(other);
  mjcf_world_destroy(&w);
}

static void a_steady_step_allocates_nothing(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(plate, NULL);
  mjcf_world_run(&w, 1.0);
  allocator_reset(-1);
  for (int i = 0; i < 50; ++i) limpet_step(w.model, w.data, &w.settings);
  assert_int_equal(allocator_calls(), 0);
  mjcf_world_destroy(&w);
}

static void refused(const char *inside, const char *word) {
  char text[1024];
  snprintf(text, sizeof text, "<mujoco><worldbody>%s%s</worldbody></mujoco>",
           *inside == '<' ? "" : "<limpet:deformable type='box' size='.1 .1 .1' cells='2 2 2' ",
           inside);
  limpet_error error = {0};
  limpet_builder *builder = limpet_builder_create();
  limpet_model *model = NULL;
  if (limpet_mjcf_read_text(builder, text, strlen(text), "soft.xml", NULL, &error) == LIMPET_OK)
    model = limpet_builder_compile(builder, &error);
  limpet_builder_destroy(builder);
  if (model) fail_msg("'%s' is taken", inside);
  if (!strstr(error.message, word)) fail_msg("'%s': %s", inside, error.message);
}

static void thin_refused(const char *mesh, const char *word) {
  char text[512];
  snprintf(text, sizeof text, "<limpet:deformable type='direct' thickness='1e-3' %s/>", mesh);
  refused(text, word);
}

static void bad_input_is_refused_with_numbers(void **state) {
  (void)state;
  refused("young='-5'/>", "-5");
  refused("young='0'/>", "0");
  refused("poisson='0.5'/>", "0.5");
  refused("density='-1'/>", "-1");
  refused("law='jelly'/>", "jelly");
  refused("scale='1 1 0'/>", "tetrahedron");
  refused("surface_stiffness='0'/>", "surface stiffness");
  refused("><limpet:tie body='nobody' vertices='0'/></limpet:deformable>", "nobody");
  refused("><limpet:tie vertices='900'/></limpet:deformable>", "900");
  refused("><limpet:tie box='5 5 5 6 6 6'/></limpet:deformable>", "no vertex");
  refused("><limpet:tie/></limpet:deformable>", "box");
  thin_refused("point='0 0 0 .1 0 0 0 .1 0 .1 .1 0' faces='0 1 2 1 3 2 2 0 1' shell='true'",
               "triangles 0 and 2");
  thin_refused("point='0 0 0 .1 0 0' segments='0 1 1 0'", "segments 0 and 1");
}

// Vertices that a mocap body holds are where it is at the end of each step, however it moves.
static void a_mocap_body_leads(void **state) {
  (void)state;
  const char *const laws[] = {"linear-corotated", "neo-hookean-log"};
  for (int i = 0; i < 2; ++i) {
    char text[512];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='.004'/><worldbody><body name='h' mocap='true'/>"
             "<limpet:deformable type='box' size='.05 .02 .02' cells='4 2 2' pos='0 0 1' "
             "young='1e5' law='%s'><limpet:tie body='h' box='-.051 -1 -1 -.049 1 1'/>"
             "</limpet:deformable></worldbody></mujoco>",
             laws[i]);
    mjcf_world w = mjcf_world_of(text, NULL);
    double worst = 0.0;
    for (int k = 0; k < 20; ++k) {
      const double angle = .02 * k, c = cos(angle), s = sin(angle);
      double *at = w.data->mocap_position, *turn = w.data->mocap_quaternion;
      at[0] = .05 * sin(.2 * k), at[2] = .5 * at[0];
      turn[0] = cos(angle / 2.0), turn[3] = sin(angle / 2.0);
      mjcf_world_step(&w);
      for (int t = 0; t < w.model->tie_count; ++t) {
        const double *p = w.model->tie_position + 3 * t;
        const double place[3] = {at[0] + c * p[0] - s * p[1], s * p[0] + c * p[1], at[2] + p[2]};
        worst = fmax(worst, limpet_vec3_distance(
                                place, w.data->vertex_position + 3 * w.model->tie_vertex[t]));
      }
    }
    if (!(worst < 1e-14)) fail_msg("%s: %g m off", laws[i], worst);  // [m]  round-off at 1 m
    mjcf_world_destroy(&w);
  }
}

// A body that is not finite is held and named as failed; what is beside it moves on.
static void what_is_not_finite_is_held(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><worldbody><body pos='0 0 9'><freejoint/><geom size='.1'/></body>"
      "<limpet:deformable type='box' size='.05 .02 .02' cells='2 1 1' pos='2 0 1'/>"
      "</worldbody></mujoco>",
      NULL);
  w.data->vertex_velocity[4] = NAN;
  assert_int_equal(limpet_step(w.model, w.data, &w.settings), LIMPET_OUTCOME_ISLAND_FAILED);
  assert_true(w.data->v[2] < 0.0);
  mjcf_world_destroy(&w);
}

static double elastic_now(const mjcf_world *w) {
  double energy = 0.0;
  for (int d = 0; d < w->model->deformable_count; ++d)
    energy += limpet_fem_body_state(w->model->deformable_body[d],
                                    w->data->vertex_position + 3 * w->model->deformable_vertex[d],
                                    NULL, NULL)
                  .elastic;
  return energy;
}

// What a step keeps of its end is taken at these positions only.
static void energy_follows_the_vertices(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(stack, NULL);
  w.settings.energy = true;
  w.model->options.gravity[2] = 0.0;
  for (int k = 0; k < 3; ++k) {
    const int moved = 3 * (w.model->vertex_count / 3) * (k + 1) - 3 + k;
    mjcf_world_step(&w);
    const double left = limpet_potential_energy(w.model, w.data);
    assert_true(left == w.data->info.potential_energy && left == elastic_now(&w));
    const double place = w.data->vertex_position[moved];
    w.data->vertex_position[moved] += 1e-3;
    const double other = limpet_potential_energy(w.model, w.data);
    assert_true(other > left && other == elastic_now(&w));
    w.data->vertex_position[moved] = place;
    assert_true(limpet_potential_energy(w.model, w.data) == left);
    w.data->vertex_position[moved] += 1e-3;
  }
  mjcf_world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_cube_comes_to_rest),
                                     cmocka_unit_test(a_plate_on_a_cube_comes_to_rest),
                                     cmocka_unit_test(a_stack_comes_to_rest),
                                     cmocka_unit_test(stacks_of_any_modulus_come_to_rest),
                                     cmocka_unit_test(the_floor_carries_the_weight),
                                     cmocka_unit_test(soft_rests_on_soft),
                                     cmocka_unit_test(free_fall_is_exact),
                                     cmocka_unit_test(momentum_is_kept),
                                     cmocka_unit_test(tied_vertices_move_with_the_body),
                                     cmocka_unit_test(a_clamped_bar_hangs_on_the_world),
                                     cmocka_unit_test(a_restart_goes_on_alike),
                                     cmocka_unit_test(a_steady_step_allocates_nothing),
                                     cmocka_unit_test(bad_input_is_refused_with_numbers),
                                     cmocka_unit_test(a_mocap_body_leads),
                                     cmocka_unit_test(what_is_not_finite_is_held),
                                     cmocka_unit_test(energy_follows_the_vertices)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
