/* tests/step/test_impulse_contact_space.c: the contact-space matrix of an island against test forces on the articulated-body
 * algorithm: a unit force at a contact, and what forward dynamics answers with at all contacts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contact/island_contact_space.h"
#include "contact/patch.h"
#include "limpet/limpet.h"
#include "math/vec3.h"
#include "shared_data.h"
#include "small_world.h"

enum { CONTACTS = 12 };

typedef struct touch {
  int body[2];
  double point[3], frame[9];  // rows t1, t2, n
} touch;

static void random_frame(unsigned long *seed, double frame[9]) {
  for (int i = 0; i < 3; ++i) frame[6 + i] = random_uniform(seed, -1.0, 1.0);
  limpet_vec3_scale(frame + 6, 1.0 / limpet_vec3_norm(frame + 6), frame + 6);
  limpet_vec3_tangents(frame, frame + 3, frame + 6);
}

// A problem of contacts between random bodies of a world; rigid units only.
static void build(const limpet_model *model, limpet_data *data, unsigned long *seed, limpet_arena *arena, touch *touches,
                  limpet_contact_problem *problem) {
  *problem = (limpet_contact_problem){.model = &limpet_contact_model_lcp,
                                      .dt = 1e-3,
                                      .nv = model->nv,
                                      .tree_count = model->tree_count,
                                      .tree_dof = model->tree_dof,
                                      .tree_dof_count = model->tree_dof_count,
                                      .dof_tree = model->dof_tree,
                                      .tree_matrix = model->tree_mass,
                                      .A = data->mass_matrix,
                                      .v_free = data->v};
  problem->patch = LIMPET_TAKE(arena, limpet_patch, CONTACTS);
  problem->law = LIMPET_TAKE_ZERO(arena, limpet_contact_law, CONTACTS);
  problem->contact_row = LIMPET_TAKE_ZERO(arena, double, 18 * CONTACTS);
  problem->contact_source = LIMPET_TAKE(arena, int, CONTACTS);
  while (problem->contact_count < CONTACTS) {
    const int c = problem->contact_count;
    touch *t = &touches[c];
    for (int k = 0; k < 2; ++k) t->body[k] = model->body_weld[(int)random_uniform(seed, 0.0, model->body_count - 1e-9)];
    if (model->body_last_dof[t->body[0]] == model->body_last_dof[t->body[1]]) continue;
    for (int i = 0; i < 3; ++i) t->point[i] = random_uniform(seed, -0.5, 0.5);
    random_frame(seed, t->frame);
    limpet_patch *patch = &problem->patch[c];
    *patch = (limpet_patch){.contact = c, .contact_count = 1};
    for (int i = 0; i < 3; ++i) patch->point[i] = t->point[i];
    assert_int_equal(limpet_patch_columns(model, data, t->body[0], t->body[1], arena, patch), 0);
    for (int e = 0; e < 3; ++e)
      for (int i = 0; i < 3; ++i) problem->contact_row[18 * c + 6 * e + 3 + i] = t->frame[3 * e + i];
    problem->law[c].friction = c;  // its name after sorting
    problem->contact_source[c] = c;
    problem->patch_count = ++problem->contact_count;
  }
  problem->row = LIMPET_TAKE(arena, limpet_constraint_row, 1);
  problem->entry_dof = LIMPET_TAKE(arena, int, 1);
  problem->entry_value = LIMPET_TAKE(arena, double, 1);
  assert_int_equal(limpet_problem_partition(problem, arena), 0);
}

// vdot that a unit force along `direction` at a contact adds, by the articulated-body algorithm.
static void test_force(const limpet_model *model, limpet_data *data, const touch *t, const double *direction, double *vdot) {
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
static double speed_at(const limpet_model *model, const limpet_data *data, const touch *t, const double *direction,
                       const double *v) {
  double *J = malloc(6 * (size_t)model->nv * sizeof *J), speed = 0.0;
  for (int k = 0; k < 2; ++k) {
    limpet_jacobian(model, data, t->body[k], t->point, J);
    for (int i = 0; i < 3; ++i)
      for (int d = 0; d < model->nv; ++d) speed += (k == 0 ? -1.0 : 1.0) * direction[i] * J[(3 + i) * model->nv + d] * v[d];
  }
  free(J);
  return speed;
}

/* Accelerations are differences of two forward dynamics with forces of some 100 m/s^2: 1e-16 of that against entries of order
 * 1 to 100, times the conditioning of the mass matrices (10^3). */
static void matrix_is_what_test_forces_measure(void **state) {
  (void)state;
  limpet_model *model = small_world();
  limpet_data *data = limpet_data_create(model);
  unsigned long seed = 11;
  int compared = 0;
  double worst = 0.0;
  double *vdot = malloc((size_t)model->nv * sizeof *vdot);
  for (int round = 0; round < 20; ++round) {
    limpet_arena arena;
    limpet_arena_create(&arena, 1 << 20);
    for (int i = 0; i < model->nv; ++i) data->v[i] = random_uniform(&seed, -1.0, 1.0);
    limpet_integrate_position(model, data->q, data->q, data->v, 0.3, false);
    limpet_kinematics(model, data);
    limpet_velocity_kinematics(model, data);
    limpet_mass_matrix(model, data);
    touch touches[CONTACTS];
    limpet_contact_problem problem;
    build(model, data, &seed, &arena, touches, &problem);
    for (int i = 0; i < problem.island_count; ++i) {
      limpet_contact_space s;
      assert_int_equal(limpet_contact_space_create(&s, &problem, i, &arena), 0);
      assert_int_equal(limpet_contact_space_fill(&s), 0);
      for (int from = 0; from < 3 * s.contacts; ++from) {
        const touch *a = &touches[(int)s.law[from / 3].friction];
        test_force(model, data, a, a->frame + 3 * (from % 3), vdot);
        for (int to = 0; to < 3 * s.contacts; ++to) {
          const touch *b = &touches[(int)s.law[to / 3].friction];
          const double measured = speed_at(model, data, b, b->frame + 3 * (to % 3), vdot);
          const double scale = sqrt(s.diagonal[from] * s.diagonal[to]);
          worst = fmax(worst, fabs(measured - s.A[to * s.size + from]) / scale);
          ++compared;
        }
        assert_true(fabs(s.b[from] - speed_at(model, data, a, a->frame + 3 * (from % 3), data->v)) < 1e-12);
      }
    }
    limpet_arena_destroy(&arena);
  }
  printf("contact space: %d entries against test forces, worst relative difference %.2g\n", compared, worst);
  assert_true(compared > 3000);
  assert_true(worst < 1e-10);
  free(vdot);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrix_is_what_test_forces_measure),
  };
  return cmocka_run_group_tests_name("impulse_contact_space", tests, NULL, NULL);
}
