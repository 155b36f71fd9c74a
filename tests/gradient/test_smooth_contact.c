/* tests/gradient/test_smooth_contact.c: derivatives of compliant contact with respect to the law
 * and the geometry of each contact, against the step's problem with that contact changed and solved
 * again. Contacts of 1e4 N/m and a stiction speed of 1 mm/s are smooth over the widths of the
 * differences, which leave 1e-8 of the largest derivative; 1e-6 is asked for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gradient/contact_change.h"
#include "gradient_world.h"
#include "limpet/format.h"
#include "limpet/parameter.h"
#include "math/spatial.h"

enum { NV = 32 };

static const char scene[] =
    "<mujoco><default><geom friction='0.4'/></default><worldbody>"
    "<geom name='floor' type='plane' size='1 1 1'/>"
    "<body pos='0 0 0.099' euler='0 0 20'><freejoint/><geom name='box' type='box' "
    "size='0.1 0.12 0.1' mass='2'/></body>"
    "<body pos='0.3 0 0.099'><freejoint/><geom name='ball' size='0.1' mass='0.5'/></body>"
    "</worldbody></mujoco>";

static limpet_model *soft_model(void) {
  limpet_error error;
  limpet_builder *builder = limpet_builder_create();
  limpet_parameter_target target;
  assert_int_equal(limpet_mjcf_read_text(builder, scene, sizeof scene - 1, NULL, NULL, &error),
                   LIMPET_OK);
  assert_int_equal(limpet_parameter_find(builder, "geom:*.stiffness", &target, &error), LIMPET_OK);
  assert_int_equal(limpet_parameter_assign(builder, &target, 1e4, &error), LIMPET_OK);
  limpet_parameter_free(&target);
  limpet_model *model = limpet_builder_compile(builder, &error);
  assert_non_null(model);
  limpet_builder_destroy(builder);
  return model;
}

// Rows of a contact moved along or turned about an axis of its frame; its point from the patch's:
// r.
static void move_rows(double W[18], const double r[3], limpet_contact_parameter parameter, int axis,
                      double by) {
  double frame[9], turned[3], moved[3];
  for (int e = 0; e < 3; ++e) limpet_vec3_copy(frame + 3 * e, W + 6 * e + 3);
  limpet_vec3_copy(moved, r);
  if (parameter == LIMPET_CHANGE_POINT) limpet_vec3_addmul(moved, r, by, frame + 3 * axis);
  for (int e = 0; e < 3; ++e) {
    limpet_vec3_zero(turned);
    if (parameter == LIMPET_CHANGE_TURN) limpet_vec3_cross(turned, frame + 3 * axis, frame + 3 * e);
    limpet_vec3_addmul(W + 6 * e + 3, frame + 3 * e, by, turned);
    limpet_vec3_cross(W + 6 * e, moved, W + 6 * e + 3);
  }
}

static double *number_of(limpet_contact_constants *c, limpet_contact_parameter parameter) {
  switch (parameter) {
    case LIMPET_CHANGE_FRICTION: return &c->friction;
    case LIMPET_CHANGE_DISTANCE: return &c->distance;
    case LIMPET_CHANGE_STIFFNESS: return &c->stiffness;
    case LIMPET_CHANGE_DISSIPATION: return &c->dissipation;
    case LIMPET_CHANGE_RELAXATION_TIME: return &c->relaxation_time;
    case LIMPET_CHANGE_START_SPEED: return &c->normal_speed;
    default: return NULL;
  }
}

static void solve_changed(const gradient_world *w, const limpet_patch *patch, int contact,
                          limpet_contact_parameter parameter, int axis, double by, double *v) {
  const limpet_solved_step *solved = limpet_solved_step_of(w->data);
  limpet_contact_problem problem = solved->problem;
  limpet_arena arena;
  assert_int_equal(limpet_arena_create(&arena, 1 << 16), 0);
  problem.constants = LIMPET_TAKE(&arena, limpet_contact_constants, problem.contact_count);
  problem.contact_row = LIMPET_TAKE(&arena, double, 18 * problem.contact_count);
  memcpy(problem.constants, solved->problem.constants,
         (size_t)problem.contact_count * sizeof *problem.constants);
  memcpy(problem.contact_row, solved->problem.contact_row,
         18 * (size_t)problem.contact_count * sizeof(double));
  limpet_contact_constants *c = &problem.constants[contact];
  double *number = number_of(c, parameter), r[3];
  limpet_vec3_sub(r, w->data->contact_position + 3 * problem.contact_source[contact], patch->point);
  if (number) *number += by;
  else move_rows(problem.contact_row + 18 * contact, r, parameter, axis, by);
  c->elastic_force = -c->stiffness * c->distance;
  problem.model->prepare(c, &problem.settings);

  limpet_solve_settings settings = {.newton = limpet_newton_settings_default(), .dense_limit = NV};
  settings.newton.tolerance = 1e-15, settings.newton.iteration_limit = 300;
  const limpet_solve_start start = {.v = solved->solution.v};
  limpet_contact_solution solution;
  assert_int_equal(limpet_problem_solve(&problem, &settings, &start, NULL, &arena, &solution), 0);
  memcpy(v, solution.v, (size_t)w->model->nv * sizeof *v);
  limpet_arena_destroy(&arena);
}

static void contact_agrees(const gradient_world *w, const limpet_patch *patch, int contact) {
  const limpet_gradient_arrays *dv = &w->gradient->dv;
  const double *const arrays[] = {dv->friction,    NULL,
                                  dv->distance,    dv->contact_stiffness,
                                  dv->dissipation, dv->relaxation_time,
                                  dv->start_speed, dv->point,
                                  dv->turn};
  const double widths[] = {1e-5, 0.0, 1e-7, 1.0, 1e-4, 1e-5, 1e-4, 1e-6, 1e-6};
  const int nv = w->model->nv, contacts = w->gradient->contact_count;
  const int place = limpet_solved_step_of(w->data)->problem.contact_source[contact];
  for (limpet_contact_parameter p = 0; p < LIMPET_CHANGE_PARAMETERS; ++p) {
    const int count = p < LIMPET_CHANGE_POINT ? 1 : 3, width = count * contacts;
    for (int axis = 0; axis < count && arrays[p]; ++axis) {
      double low[NV], high[NV], worst = 0.0, size = 1e-9;
      solve_changed(w, patch, contact, p, axis, -widths[p], low);
      solve_changed(w, patch, contact, p, axis, widths[p], high);
      for (int i = 0; i < nv; ++i) {
        const double value = arrays[p][i * width + count * place + axis];
        size = fmax(size, fabs(value));
        worst = fmax(worst, fabs(value - (high[i] - low[i]) / (2.0 * widths[p])));
      }
      const double floor = 1e-13 / widths[p];  // round-off of both solutions
      if (!(worst <= 1e-6 * size + floor))
        fail_msg("contact %d, parameter %d axis %d: %g of %g", place, (int)p, axis, worst, size);
    }
  }
}

static void contacts_agree(void **state) {
  (void)state;
  static const char *const models[] = {"lagged", "similar", "sap", "coulomb"};
  int count = 0;
  for (int k = 0; k < 4; ++k) {
    gradient_world w = gradient_world_open(soft_model(), "discrete", models[k], 0.01);
    w.settings.tolerance = 1e-14, w.settings.stiction_speed = 1e-3;
    w.settings.compatibility.plain_flight = true;  // the end of the step is what was solved for
    for (int i = 0; i < 12; ++i) w.data->v[i] = 0.3 * sin(1.0 + i);
    for (int i = 0; i < 3; ++i) gradient_world_step(&w);
    gradient_world_differentiate(&w);
    const limpet_contact_problem *problem = &limpet_solved_step_of(w.data)->problem;
    const double *gamma = limpet_solved_step_of(w.data)->solution.gamma;
    for (int p = 0; p < problem->patch_count; ++p)
      for (int c = problem->patch[p].contact;
           c < problem->patch[p].contact + problem->patch[p].contact_count; ++c)
        if (gamma[3 * c + 2] > 0.0) contact_agrees(&w, &problem->patch[p], c), ++count;
    gradient_world_close(&w);
  }
  printf("%d contacts\n", count);
  assert_true(count > 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(contacts_agree)};
  return cmocka_run_group_tests_name("smooth_contact", tests, NULL, NULL);
}
