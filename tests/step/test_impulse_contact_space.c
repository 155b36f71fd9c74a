/* tests/step/test_impulse_contact_space.c: the contact-space matrix of an island against test
 * forces on the articulated-body algorithm: a unit force at a contact, and what forward dynamics
 * answers with at all contacts; and against dense algebra where scalar rows (limits, loops, servos)
 * are in it, or act like springs in its root. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contact/patch.h"
#include "law/contact_model_list.h"
#include "limpet/limpet.h"
#include "math/dense.h"
#include "math/vec3.h"
#include "shared_data.h"
#include "small_world.h"
#include "solve/contact_root.h"
#include "solve/island.h"

enum { CONTACTS = 12, ROWS = 5 };

typedef struct touch {
  int body[2];
  double point[3], frame[9];  // rows t1, t2, n
} touch;

static void random_frame(unsigned long *seed, double frame[9]) {
  for (int i = 0; i < 3; ++i) frame[6 + i] = random_uniform(seed, -1.0, 1.0);
  limpet_vec3_scale(frame + 6, 1.0 / limpet_vec3_norm(frame + 6), frame + 6);
  limpet_vec3_tangents(frame, frame + 3, frame + 6);
}

// Rows over one to four velocities, of one tree or of several.
static void add_rows(const limpet_model *model, unsigned long *seed,
                     limpet_contact_problem *problem, int count) {
  for (int r = 0; r < count; ++r) {
    limpet_constraint_row *row = &problem->row[problem->row_count++];
    *row = (limpet_constraint_row){.entry = problem->entry_count,
                                   .v_hat = random_uniform(seed, -1.0, 1.0),
                                   .R_inverse = pow(10.0, random_uniform(seed, 0.0, 4.0)),
                                   .lower = -INFINITY,
                                   .upper = INFINITY};
    for (int e = 0; e <= r % 4; ++e) {
      const int dof = (int)random_uniform(seed, 0.0, model->nv - 1e-9);
      bool taken = false;
      for (int k = 0; k < row->entry_count; ++k) taken |= problem->entry_dof[row->entry + k] == dof;
      if (taken) continue;
      problem->entry_dof[problem->entry_count] = dof;
      problem->entry_value[problem->entry_count++] = random_uniform(seed, -1.0, 1.0);
      ++row->entry_count;
    }
  }
}

// A problem of contacts between random bodies of a world, and of so many rows; rigid units only.
static void build(const limpet_model *model, limpet_data *data, unsigned long *seed,
                  limpet_arena *arena, touch *touches, int rows, limpet_contact_problem *problem) {
  *problem = (limpet_contact_problem){
      .model = &limpet_contact_model_lcp.head, .dt = 1e-3, .v_free = data->v};
  assert_int_equal(
      limpet_problem_take_trees(problem, model, data->mass_matrix, limpet_trees_all(model), arena),
      0);
  problem->patch = LIMPET_TAKE(arena, limpet_patch, CONTACTS);
  problem->constants = LIMPET_TAKE_ZERO(arena, limpet_contact_constants, CONTACTS);
  problem->contact_row = LIMPET_TAKE_ZERO(arena, double, 18 * CONTACTS);
  problem->contact_source = LIMPET_TAKE(arena, int, CONTACTS);
  while (problem->contact_count < CONTACTS) {
    const int c = problem->contact_count;
    touch *t = &touches[c];
    for (int k = 0; k < 2; ++k)
      t->body[k] = model->body_weld[(int)random_uniform(seed, 0.0, model->body_count - 1e-9)];
    if (model->body_last_dof[t->body[0]] == model->body_last_dof[t->body[1]]) continue;
    for (int i = 0; i < 3; ++i) t->point[i] = random_uniform(seed, -0.5, 0.5);
    random_frame(seed, t->frame);
    limpet_patch *patch = &problem->patch[c];
    *patch = (limpet_patch){.contact = c, .contact_count = 1};
    for (int i = 0; i < 3; ++i) patch->point[i] = t->point[i];
    assert_int_equal(limpet_patch_columns(problem, model, data, t->body, arena, patch), 0);
    for (int e = 0; e < 3; ++e)
      for (int i = 0; i < 3; ++i)
        problem->contact_row[18 * c + 6 * e + 3 + i] = t->frame[3 * e + i];
    problem->constants[c].friction = c;  // its name after sorting
    problem->contact_source[c] = c;
    problem->patch_count = ++problem->contact_count;
  }
  problem->row = LIMPET_TAKE(arena, limpet_constraint_row, ROWS);
  problem->entry_dof = LIMPET_TAKE(arena, int, 4 * ROWS);
  problem->entry_value = LIMPET_TAKE(arena, double, 4 * ROWS);
  add_rows(model, seed, problem, rows);
  assert_int_equal(limpet_problem_partition(problem, arena), 0);
}

// vdot that a unit force along `direction` at a contact adds, by the articulated-body algorithm.
static void test_force(const limpet_model *model, limpet_data *data, const touch *t,
                       const double *direction, double *vdot) {
  double *rest = malloc((size_t)model->nv * sizeof *rest);
  memset(data->applied_wrench, 0, 6 * (size_t)model->body_count * sizeof(double));
  limpet_forward_dynamics(model, data);
  memcpy(rest, data->acceleration, (size_t)model->nv * sizeof *rest);
  for (int k = 0; k < 2; ++k) {
    double *wrench = data->applied_wrench + 6 * t->body[k], arm[3], force[3], moment[3];
    limpet_vec3_sub(arm, t->point, data->body_com + 3 * t->body[k]);
    limpet_vec3_scale(force, k == 0 ? -1.0 : 1.0, direction);
    limpet_vec3_cross(moment, arm, force);
    for (int i = 0; i < 3; ++i) wrench[i] += moment[i], wrench[3 + i] += force[i];
  }
  limpet_forward_dynamics(model, data);
  for (int i = 0; i < model->nv; ++i) vdot[i] = data->acceleration[i] - rest[i];
  memset(data->applied_wrench, 0, 6 * (size_t)model->body_count * sizeof(double));
  free(rest);
}

// How fast the point of B moves relative to that of A along `direction`, for velocities v.
static double speed_at(const limpet_model *model, const limpet_data *data, const touch *t,
                       const double *direction, const double *v) {
  double *J = malloc(6 * (size_t)model->nv * sizeof *J), speed = 0.0;
  for (int k = 0; k < 2; ++k) {
    limpet_jacobian(model, data, t->body[k], t->point, J);
    for (int i = 0; i < 3; ++i)
      for (int d = 0; d < model->nv; ++d)
        speed += (k == 0 ? -1.0 : 1.0) * direction[i] * J[(3 + i) * model->nv + d] * v[d];
  }
  free(J);
  return speed;
}

// Another pose with other velocities, and its mass matrix.
static void move_on(const limpet_model *model, limpet_data *data, unsigned long *seed) {
  for (int i = 0; i < model->nv; ++i) data->v[i] = random_uniform(seed, -1.0, 1.0);
  limpet_integrate_position(model, data->q, data->q, data->v, 0.3, false);
  limpet_kinematics(model, data);
  limpet_velocity_kinematics(model, data);
  limpet_mass_matrix(model, data);
}

// ------------------------------------------------------------------------- islands in turn

// What the contact spaces of random islands were compared by.
typedef struct findings {
  int compared;
  double worst;                      // relative difference
  double worst_root, worst_balance;  // of rows as springs
} findings;

typedef struct world {
  limpet_model *model;
  limpet_data *data;
  unsigned long seed;
  touch touches[CONTACTS];
} world;

// Asks `check` of the contact space of every island, in `rounds` poses with `rows` rows each.
static findings ask_islands(unsigned long seed, int rounds, int rows,
                            void (*check)(world *, limpet_contact_space *, findings *)) {
  limpet_model *model = small_world();
  world of = {.model = model, .data = limpet_data_create(model), .seed = seed};
  findings found = {.compared = 0};
  for (int round = 0; round < rounds; ++round) {
    limpet_arena arena;
    limpet_contact_problem problem;
    limpet_arena_create(&arena, 1 << 20);
    move_on(model, of.data, &of.seed);
    build(model, of.data, &of.seed, &arena, of.touches, rows, &problem);
    for (int i = 0; i < problem.island_count; ++i) {
      limpet_contact_space s;
      assert_int_equal(limpet_contact_space_create(&s, &problem, i, &arena), 0);
      assert_int_equal(limpet_contact_space_fill(&s), 0);
      check(&of, &s, &found);
    }
    limpet_arena_destroy(&arena);
  }
  limpet_data_destroy(of.data);
  limpet_model_destroy(model);
  return found;
}

// --------------------------------------------------------------------------------- the matrix

static void measure_by_forces(world *of, limpet_contact_space *s, findings *found) {
  double *vdot = malloc((size_t)of->model->nv * sizeof *vdot);
  for (int from = 0; from < 3 * s->contacts; ++from) {
    const touch *a = &of->touches[(int)s->constants[from / 3].friction];
    test_force(of->model, of->data, a, a->frame + 3 * (from % 3), vdot);
    for (int to = 0; to < 3 * s->contacts; ++to) {
      const touch *b = &of->touches[(int)s->constants[to / 3].friction];
      const double measured = speed_at(of->model, of->data, b, b->frame + 3 * (to % 3), vdot);
      const double scale = sqrt(s->diagonal[from] * s->diagonal[to]);
      found->worst = fmax(found->worst, fabs(measured - s->A[to * s->size + from]) / scale);
      ++found->compared;
    }
    const double speed = speed_at(of->model, of->data, a, a->frame + 3 * (from % 3), of->data->v);
    assert_true(fabs(s->b[from] - speed) < 1e-12);
  }
  free(vdot);
}

/* Accelerations are differences of two forward dynamics with forces of some 100 m/s^2: 1e-16 of
 * that against entries of order 1 to 100, times the conditioning of the mass matrices (10^3). */
static void matrix_is_what_test_forces_measure(void **state) {
  (void)state;
  const findings found = ask_islands(11, 20, 0, measure_by_forces);
  printf("contact space: %d entries against test forces, worst relative difference %.2g\n",
         found.compared, found.worst);
  assert_true(found.compared > 3000);
  assert_true(found.worst < 1e-10);
}

// ------------------------------------------------------------------------------------- rows

// J of unknown i over the island's velocities: contacts as the test above found them, rows by their
// entries.
static void jacobian_row(const limpet_contact_space *s, int i, double *J) {
  memset(J, 0, (size_t)s->velocities * sizeof *J);
  if (i < 3 * s->contacts) {
    for (int k = s->first[i / 3]; k < s->first[i / 3 + 1]; ++k)
      for (int j = 0; j < s->segment[k].width; ++j)
        J[s->segment[k].offset + s->segment[k].from + j] +=
            s->segment[k].J[i % 3 * s->segment[k].width + j];
    return;
  }
  const limpet_constraint_row *row = &s->row[i - 3 * s->contacts];
  for (int e = row->entry; e < row->entry + row->entry_count; ++e)
    J[s->problem->entry_dof[e]] += s->problem->entry_value[e];
}

// y (n) = M^-1 x of the island, M^ with the springs of all rows where `springs`.
static void solve_mass(const limpet_contact_space *s, bool springs, double *x) {
  const limpet_contact_problem *p = s->problem;
  const int n = s->velocities;
  double *M = calloc((size_t)(n * n), sizeof *M), *J = malloc((size_t)n * sizeof *J);
  for (int t = 0; t < s->island->block_count; ++t) {
    const limpet_block *block = limpet_island_block(p, s->island, t);
    for (int i = 0; i < block->size; ++i)
      for (int k = 0; k < block->size; ++k)
        M[(block->offset + i) * n + block->offset + k] = block->matrix[i * block->size + k];
  }
  for (int r = 0; r < s->rows && springs; ++r) {
    jacobian_row(s, 3 * s->contacts + r, J);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k) M[i * n + k] += s->row[r].R_inverse * J[i] * J[k];
  }
  assert_int_equal(limpet_cholesky(n, M, n), 0);
  limpet_cholesky_solve(n, M, n, x);
  free(J);
  free(M);
}

// A and the root's W W' against products of dense solves.
static void compare_matrices(const limpet_contact_space *s, const limpet_contact_root *root,
                             findings *found) {
  double *y = malloc(2 * (size_t)s->velocities * sizeof *y), *J = y + s->velocities;
  for (int k = 0; k < s->size; ++k)
    for (int springs = 0; springs < 2; ++springs) {
      if (springs && k >= 3 * s->contacts) continue;
      jacobian_row(s, k, y);
      solve_mass(s, springs, y);
      for (int l = 0; l < (springs ? 3 * s->contacts : s->size); ++l) {
        jacobian_row(s, l, J);
        const double expected = limpet_dot(s->velocities, J, y),
                     scale = sqrt(s->diagonal[k] * s->diagonal[l]),
                     found_here = springs ? limpet_block_rows_product(&root->rows, l, k)
                                          : s->A[l * s->size + k];
        double *worst = springs ? &found->worst_root : &found->worst;
        *worst = fmax(*worst, fabs(found_here - expected) / scale);
        ++found->compared;
      }
    }
  free(y);
}

// The velocity of random impulses of contacts keeps the balance of all springs.
static void balance_springs(world *of, const limpet_contact_space *s, limpet_contact_root *root,
                            findings *found) {
  const int n = s->velocities;
  double *y = zero_array(3 * (size_t)n), *J = y + n, *v = y + 2 * n, x[3 * CONTACTS];
  for (int k = 0; k < 3 * s->contacts; ++k) x[k] = random_uniform(&of->seed, -1.0, 1.0);
  limpet_contact_root_velocity(root, x, v);
  for (int k = 0; k < s->size; ++k) {
    jacobian_row(s, k, J);
    const limpet_constraint_row *row = k < 3 * s->contacts ? NULL : &s->row[k - 3 * s->contacts];
    limpet_axpy(n, row ? (row->v_hat - limpet_dot(n, J, v)) * row->R_inverse : x[k], J, y);
  }
  solve_mass(s, false, y);
  for (int j = 0; j < n; ++j)
    found->worst_balance =
        fmax(found->worst_balance, fabs(v[j] - s->v_free[j] - y[j]) / (1.0 + fabs(v[j])));
  free(y);
}

static void compare_with_dense(world *of, limpet_contact_space *s, findings *found) {
  limpet_contact_root root;
  void *memory = malloc(limpet_contact_root_lay_out(&root, s->contacts, s->velocities, NULL));
  limpet_contact_root_lay_out(&root, s->contacts, s->velocities, memory);
  double within[ROWS];
  for (int r = 0; r < ROWS; ++r) within[r] = NAN;
  assert_int_equal(limpet_contact_root_fill(&root, s, within), 0);
  compare_matrices(s, &root, found);
  balance_springs(of, s, &root, found);
  free(memory);
}

/* A of contacts and rows is J M^-1 J'. With all rows as springs, W W' is J M^^-1 J', and v = v^
 * + M^^-1 J'x has every row's impulse (v_hat - j v)/R in balance: M (v - v*) = sum j' impulse +
 * J'x. */
static void rows_are_in_the_matrix_and_in_its_root(void **state) {
  (void)state;
  const findings found = ask_islands(19, 10, ROWS, compare_with_dense);
  printf(
      "contact space with rows: %d entries, worst relative difference %.2g, of the root %.2g, "
      "balance %.2g\n",
      found.compared, found.worst, found.worst_root, found.worst_balance);
  // conditioning of the mass matrices, 10^3; of the springs against them, 10^4 more
  assert_true(found.compared > 3000 && found.worst < 1e-12 && found.worst_root < 1e-9 &&
              found.worst_balance < 1e-7);
}

// --------------------------------------------------------------------------------- velocities

static void set_and_push(world *of, limpet_contact_space *s, findings *found) {
  double x[3 * CONTACTS + ROWS], *v = malloc((size_t)s->velocities * sizeof *v);
  for (int k = 0; k < s->size; ++k)
    x[k] = k % 3 == 0 ? 0.0 : random_uniform(&of->seed, -1.0, 1.0);  // idle ones, too
  for (int k = 0; k < s->size; ++k) limpet_contact_space_push(s, k, x[k]);
  memcpy(v, s->v, (size_t)s->velocities * sizeof *v);
  for (int solves = 0; solves < 2; ++solves) {
    s->solves = solves;
    for (int k = 0; k < s->size; ++k) limpet_contact_space_push(s, k, 1.0);  // is forgotten
    limpet_contact_space_set(s, x);
    assert_memory_equal(s->x, x, (size_t)s->size * sizeof *x);
    for (int j = 0; j < s->velocities; ++j) {
      found->worst = fmax(found->worst, fabs(s->v[j] - v[j]) / (1.0 + fabs(v[j])));
      ++found->compared;
    }
  }
  free(v);
}

/* Velocities of given impulses are those of columns pushed one after the other, by columns and by
 * solves with the blocks. */
static void impulses_are_set_as_they_are_pushed(void **state) {
  (void)state;
  const findings found = ask_islands(23, 20, ROWS, set_and_push);
  printf("contact space: %d velocities of impulses, worst difference %.2g\n", found.compared,
         found.worst);
  // conditioning of the mass matrices, 10^3
  assert_true(found.compared > 500 && found.worst < 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrix_is_what_test_forces_measure),
      cmocka_unit_test(rows_are_in_the_matrix_and_in_its_root),
      cmocka_unit_test(impulses_are_set_as_they_are_pushed),
  };
  return cmocka_run_group_tests_name("impulse_contact_space", tests, NULL, NULL);
}
