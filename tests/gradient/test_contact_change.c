/* tests/gradient/test_contact_change.c: derivatives with respect to the constants and the geometry
 * of contacts against programmes with that contact changed, solved again; and that a steady
 * sequence of derivatives allocates nothing, and one without memory says so.
 *
 * Central differences of half width 1e-7 leave 1e-9 of the largest derivative; 1e-6 is asked
 * for. */
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
#include "gradient/contact_change.h"
#include "gradient_world.h"
#include "limpet/limpet.h"
#include "math/spatial.h"
#include "mjcf_text.h"

static const char scene[] =
    "<mujoco><default><geom friction='0.4 0.02' condim='4'/></default><worldbody><geom "
    "type='plane' size='1 1 1'/>"
    "<body pos='-0.1 0 0.2'><joint name='l' type='slide' axis='1 0 0'/><geom type='box' size='0.05 "
    "0.05 0.05' euler='0 10 5'/>"
    "</body><body pos='0.1 0 0.2'><joint name='r' type='slide' axis='-1 0 0'/><geom "
    "size='0.05'/></body>"
    "<body pos='0 0 0.2' euler='10 20 30'><freejoint/><geom size='0.052' mass='0.5'/></body>"
    "<body pos='0.5 0 0.0995'><freejoint/><geom type='capsule' size='0.1 0.2' euler='90 0 10' "
    "mass='1'/></body></worldbody>"
    "<actuator><position joint='l' kp='1000'/><position joint='r' kp='1500'/></actuator></mujoco>";

static gradient_world scene_open(void) {
  gradient_world w = gradient_world_open(mjcf_load(scene), "quasi-dynamic", "anitescu", 0.01);
  static const double force[14] = {0, 0, 3, -20, 6, 0.9, 0.4, 0.3, 5, 7, 1, 0.1, 0.2, 0.9};
  w.data->control[0] = w.data->control[1] = 0.008;
  memcpy(w.data->applied_force, force, sizeof force);
  for (int i = 0; i < 3; ++i) gradient_world_step(&w);
  return w;
}

// Contact `contact` of the problem changed by `by`, its normal turned about the contact, its point
// moved.
static void change_contact(limpet_contact_problem *problem, const limpet_patch *patch, int contact,
                           const double frame[9], const double position[3],
                           limpet_contact_parameter parameter, int axis, double by) {
  limpet_contact_constants *constants = &problem->constants[contact];
  double *W = problem->contact_row + 18 * contact, r[3], turned[9];
  limpet_vec3_sub(r, position, patch->point);
  memcpy(turned, frame, sizeof turned);
  if (parameter == LIMPET_CHANGE_FRICTION) constants->friction += by;
  if (parameter == LIMPET_CHANGE_TORSION) constants->torsion += by;
  if (parameter == LIMPET_CHANGE_DISTANCE) constants->rigid.gap_speed += by / constants->dt;
  if (parameter == LIMPET_CHANGE_POINT) limpet_vec3_addmul(r, r, by, frame + 3 * axis);
  for (int e = 0; e < 3 && parameter == LIMPET_CHANGE_TURN; ++e) {
    double part[3];
    limpet_vec3_cross(part, frame + 3 * axis, frame + 3 * e);
    limpet_vec3_addmul(turned + 3 * e, frame + 3 * e, by, part);
  }
  for (int e = 0; e < 3; ++e) {
    limpet_vec3_cross(W + 6 * e, r, turned + 3 * e);
    limpet_vec3_copy(W + 6 * e + 3, turned + 3 * e);
  }
}

// Velocities (nv) of the step's problem with one contact changed.
static void solve_changed(const limpet_solved_step *solved, const limpet_patch *patch, int contact,
                          int island, const limpet_data *data, int place,
                          limpet_contact_parameter parameter, int axis, double by,
                          limpet_arena *arena, double *v) {
  limpet_contact_problem problem = solved->problem;
  problem.constants = LIMPET_TAKE(arena, limpet_contact_constants, problem.contact_count);
  problem.contact_row = LIMPET_TAKE(arena, double, 18 * problem.contact_count);
  memcpy(problem.constants, solved->problem.constants,
         (size_t)problem.contact_count * sizeof *problem.constants);
  memcpy(problem.contact_row, solved->problem.contact_row,
         18 * (size_t)problem.contact_count * sizeof(double));
  change_contact(&problem, patch, contact, data->contact_frame + 9 * place,
                 data->contact_position + 3 * place, parameter, axis, by);
  limpet_island_programme programme;
  assert_int_equal(limpet_island_programme_create(&programme, &problem, island, arena), 0);
  limpet_island_programme_solve(&programme);
  assert_int_equal(programme.outcome, LIMPET_OUTCOME_SOLVED);
  for (int i = 0; i < programme.n; ++i)
    v[limpet_problem_global_dof(&problem, programme.island, i)] = programme.solution.x[i];
}

static void contact_agrees(const gradient_world *w, int island, const limpet_patch *patch,
                           int contact) {
  const limpet_solved_step *solved = limpet_solved_step_of(w->data);
  const limpet_gradient_arrays *dv = &w->gradient->dv;
  const double *const arrays[LIMPET_CHANGE_PARAMETERS] = {[LIMPET_CHANGE_FRICTION] = dv->friction,
                                                          [LIMPET_CHANGE_TORSION] = dv->torsion,
                                                          [LIMPET_CHANGE_DISTANCE] = dv->distance,
                                                          [LIMPET_CHANGE_POINT] = dv->point,
                                                          [LIMPET_CHANGE_TURN] = dv->turn};
  assert_true(isnan(dv->contact_stiffness[0]) && isnan(dv->start_speed[0]));  // of compliant ones
  const int nv = w->model->nv, place = solved->problem.contact_source[contact],
            contacts = w->gradient->contact_count;
  limpet_arena arena;
  assert_int_equal(limpet_arena_create(&arena, 1 << 16), 0);
  for (limpet_contact_parameter p = 0; p < LIMPET_CHANGE_PARAMETERS; ++p) {
    if (!arrays[p]) continue;
    const int count = p < LIMPET_CHANGE_POINT ? 1 : 3, width = count * contacts;
    double size = 0.0;
    for (int i = 0; i < nv * width; ++i) size = fmax(size, fabs(arrays[p][i]));
    assert_true(size > 1e-3);
    for (int axis = 0; axis < count; ++axis) {
      double low[32] = {0.0}, high[32] = {0.0};
      const double e = p == LIMPET_CHANGE_DISTANCE ? 1e-8 : 1e-7;
      solve_changed(solved, patch, contact, island, w->data, place, p, axis, -e, &arena, low);
      solve_changed(solved, patch, contact, island, w->data, place, p, axis, e, &arena, high);
      for (int i = 0; i < nv; ++i) {
        const double value = arrays[p][i * width + count * place + axis],
                     other = (high[i] - low[i]) / (2.0 * e);
        if (!(fabs(value - other) <= 1e-6 * size))
          printf("contact %d, parameter %d axis %d, v %d: %.12g, by differences %.12g\n", place,
                 (int)p, axis, i, value, other);
        assert_true(fabs(value - other) <= 1e-6 * size);
      }
      limpet_arena_reset(&arena);
    }
  }
  limpet_arena_destroy(&arena);
}

static void all_contacts(void **state) {
  (void)state;
  gradient_world w = scene_open();
  gradient_world_differentiate(&w);
  assert_int_equal(w.gradient->weak_count, 0);
  const limpet_contact_problem *problem = &limpet_solved_step_of(w.data)->problem;
  const limpet_contact_solution *solution = &limpet_solved_step_of(w.data)->solution;
  int count = 0;
  for (int i = 0; i < problem->island_count; ++i)
    for (int k = problem->island[i].patch;
         k < problem->island[i].patch + problem->island[i].patch_count; ++k)
      for (int c = problem->patch[k].contact;
           c < problem->patch[k].contact + problem->patch[k].contact_count; ++c) {
        if (solution->gamma[3 * c + 2] > 0.0) contact_agrees(&w, i, &problem->patch[k], c), ++count;
      }
  assert_true(count >= 3);
  gradient_world_close(&w);
}

static void steady_derivatives_allocate_nothing(void **state) {
  (void)state;
  gradient_world w = scene_open();
  double weight[32] = {1.0};
  for (int i = 0; i < 5; ++i) gradient_world_differentiate(&w);
  allocator_reset(-1);
  for (int i = 0; i < 10; ++i) {
    gradient_world_differentiate(&w);
    assert_true(limpet_gradient_adjoint(w.gradient, weight, NULL));
  }
  assert_int_equal(allocator_calls(), 0);
  gradient_world_close(&w);
}

// One allocation after the other is refused once: no derivatives, and a reason, or all of them.
static void memory_may_be_refused(void **state) {
  (void)state;
  gradient_world w = scene_open();
  const limpet_gradient_settings all = limpet_gradient_settings_default();
  int without_world = 0, without_derivatives = 0;
  for (long k = 0;; ++k) {
    assert_true(k < 1000);
    allocator_reset(k);
    limpet_gradient *gradient = limpet_gradient_create(w.model);
    if (gradient) limpet_gradient_step(w.model, w.data, &w.settings, &all, gradient);
    const long refusals = allocator_refusals();
    allocator_reset(-1);
    without_world += !gradient;
    if (gradient && gradient->reason) {
      assert_string_equal(gradient->reason, "out of memory");
      assert_null(gradient->dq.q);
      ++without_derivatives;
      assert_int_equal(limpet_gradient_step(w.model, w.data, &w.settings, &all, gradient),
                       LIMPET_OUTCOME_SOLVED);
      assert_null(gradient->reason);
    }
    limpet_gradient_destroy(gradient);
    if (refusals == 0) break;
  }
  assert_true(without_world > 3 && without_derivatives > 0);
  gradient_world_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_contacts),
                                     cmocka_unit_test(steady_derivatives_allocate_nothing),
                                     cmocka_unit_test(memory_may_be_refused)};
  return cmocka_run_group_tests_name("contact_change", tests, NULL, NULL);
}
