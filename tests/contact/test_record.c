/* tests/contact/test_record.c: one record for each contact, one material for each pair, any number
 * of points, each with its own stiffness; what data and the problem say of a contact's geometry is
 * what its record says. */
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
#include "limpet/limpet.h"
#include "math/vec3.h"
#include "mjcf_text.h"
#include "model/workspace.h"
#include "small_world.h"
#include "solve/solve.h"
#include "step/prepared.h"

static bool same(const double *a, const double *b, int count) {
  return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

// W of the problem and the record of the same contact: e and r x e at the position of the record.
static void rows_agree(const limpet_solved_step *solved, const limpet_patch *patch, int contact) {
  const limpet_contact_record *record =
      &solved->records.record[solved->problem.contact_source[contact]];
  const double *W = solved->problem.contact_row + 18 * contact;
  double r[3], moment[3];
  limpet_vec3_sub(r, record->position, patch->point);
  for (int e = 0; e < 3; ++e) {
    const double scale = limpet_vec3_norm(W + 6 * e + 3) / limpet_vec3_norm(record->frame + 3 * e);
    limpet_vec3_cross(moment, r, record->frame + 3 * e);
    for (int i = 0; i < 3; ++i) {  // round-off of products of numbers up to 1 m
      assert_true(fabs(W[6 * e + 3 + i] - scale * record->frame[3 * e + i]) < 4e-15);
      assert_true(fabs(W[6 * e + i] - scale * moment[i]) < 4e-15);
    }
  }
}

// Data, records and problem of one world, contact by contact.
static void all_agree(const limpet_data *data) {
  const limpet_solved_step *solved = limpet_solved_step_of(data);
  const limpet_contact_records *records = &solved->records;
  const limpet_contact_problem *problem = &solved->problem;
  assert_int_equal(records->count, data->contact_count);
  assert_int_equal(problem->contact_count, data->contact_count);
  for (int i = 0; i < records->count; ++i) {
    const limpet_contact_record *record = &records->record[i];
    const limpet_geom_pair *geoms = &records->pair[record->pair].geoms;
    assert_int_equal(problem->contact_source[record->contact], i);
    assert_true(i == 0 || record[-1].found < record->found);  // the order of collision
    assert_int_equal(data->contact_geom[2 * i], geoms->geom_a);
    assert_int_equal(data->contact_geom[2 * i + 1], geoms->geom_b);
    assert_true(data->contact_feature[i] == record->feature);
    assert_true(data->contact_distance[i] == record->distance);
    assert_true(same(data->contact_position + 3 * i, record->position, 3));
    assert_true(same(data->contact_frame + 9 * i, record->frame, 9));
  }
  for (int p = 0; p < problem->patch_count; ++p)
    for (int k = 0; k < problem->patch[p].contact_count; ++k)
      rows_agree(solved, &problem->patch[p], problem->patch[p].contact + k);
}

static void data_and_problem_are_views_of_the_records(void **state) {
  (void)state;
  limpet_model *model = small_world();
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  int most = 0;
  for (int i = 0; i < 400; ++i) {
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
    all_agree(data);
    if (data->contact_count > most) most = data->contact_count;
  }
  assert_true(most > 15);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// Friction by direction scales tangent rows; what is reported is unit axes and newtons.
static void friction_by_direction_has_unit_frames(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(
      MODEL("<worldbody><geom name='floor' type='plane' size='1 1 .1'/><body pos='0 0 .1' "
            "euler='0 0 .3'><freejoint/><geom name='box' type='box' size='.1 .1 .1'/></body>"
            "</worldbody><contact><pair geom1='floor' geom2='box' condim='4' friction='.6 .2 "
            ".01 0 0'/></contact>"));
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  for (int i = 0; i < 50; ++i) {
    data->applied_force[0] = 3.0;
    limpet_step(model, data, &settings);
    all_agree(data);
  }
  const limpet_solved_step *solved = limpet_solved_step_of(data);
  assert_true(data->contact_count == 4 && solved->problem.anisotropic);
  assert_int_equal(solved->records.pair_count, 1);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// -------------------------------------------------------------------- a pair of many points

// A cube of 1 kg over the plane z = 0, lower face at -1 mm, sinking with 0.1 m/s.
static const char *const cube = MODEL(
    "<option timestep='.001' gravity='0 0 0'/><worldbody><geom type='plane' size='1 1 .1'/><body "
    "pos='0 0 .099'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody>");

typedef struct patch_world {
  limpet_model *model;
  limpet_data *data;
  limpet_arena *arena;
  limpet_collision_pair pair;
  limpet_collision collision;
  limpet_contact_records records;
  limpet_contact_problem problem;
} patch_world;

// The cube on side x side points, all 1 mm deep; features beyond 32 bits.
static patch_world patch_world_open(int side) {
  patch_world w = {.model = mjcf_load(cube)};
  w.data = limpet_data_create(w.model);
  w.data->v[2] = -0.1;
  w.arena = limpet_workspace_turn(w.data->workspace);
  limpet_kinematics(w.model, w.data);
  limpet_geom_kinematics(w.model, w.data, false);
  limpet_velocity_kinematics(w.model, w.data);
  limpet_mass_matrix(w.model, w.data);
  w.pair = (limpet_collision_pair){.geom_a = 0, .geom_b = 1, .pair = -1};
  w.collision = (limpet_collision){.pair_count = 1, .contact_count = side * side, .pair = &w.pair};
  w.collision.contact = LIMPET_TAKE(w.arena, limpet_collision_contact, side * side);
  for (int i = 0; i < side * side; ++i) {
    const double x = 0.2 * (i % side) / (side - 1) - 0.1, y = 0.2 * (i / side) / (side - 1) - 0.1;
    w.collision.contact[i] = (limpet_collision_contact){
        .point = {{x, y, 0.0}, {x, y, -1e-3}, {0.0, 0.0, 1.0}, -1e-3, (uint64_t)i << 32}};
  }
  assert_int_equal(
      limpet_contact_records_make(w.model, w.data, INFINITY, &w.collision, w.arena, &w.records),
      LIMPET_OK);
  return w;
}

static void patch_world_assemble(patch_world *w, double dt) {
  const limpet_contact_model *model = limpet_contact_model_find("lagged");
  const limpet_assembly_settings settings = {
      .dt = dt, .contact = {.stiction_speed = 1e-6}, .near_rigid_ratio = 0.1};
  double *momentum = LIMPET_TAKE(w->arena, double, w->model->nv);
  limpet_mass_mul(w->model, w->data, w->data->v, momentum);
  w->problem = (limpet_contact_problem){
      .model = model, .dt = dt, .momentum = momentum, .v_free = w->data->v};
  assert_int_equal(limpet_problem_take_trees(&w->problem, w->model, w->data->mass_matrix,
                                             limpet_trees_all(w->model), w->arena),
                   LIMPET_OK);
  assert_int_equal(limpet_contacts_assemble(w->model, w->data, &settings, &w->collision, w->arena,
                                            &w->records, &w->problem),
                   LIMPET_OK);
  assert_int_equal(limpet_problem_partition(&w->problem, w->arena), 0);
}

static void patch_world_close(patch_world *w) {
  limpet_data_destroy(w->data);
  limpet_model_destroy(w->model);
}

// Vertical velocity after a step on side^2 points that share the stiffness `total` [N/m] evenly.
static double velocity_on(int side, double total) {
  patch_world w = patch_world_open(side);
  assert_int_equal(w.records.pair_count, 1);
  for (int i = 0; i < w.records.count; ++i) w.records.record[i].stiffness = total / (side * side);
  patch_world_assemble(&w, 1e-3);
  limpet_contact_solution solution;
  const limpet_solve_settings settings = {.newton = limpet_newton_settings_default(),
                                          .dense_limit = 60};
  const limpet_solve_start start = {.v = w.data->v};
  assert_int_equal(limpet_problem_solve(&w.problem, &settings, &start, NULL, w.arena, &solution),
                   LIMPET_OK);
  assert_int_equal(solution.info.outcome, LIMPET_OUTCOME_SOLVED);
  const double v = solution.v[2];
  patch_world_close(&w);
  return v;
}

// Springs in parallel: 2,500 points of k/2500 are four of k/4, to the solver's tolerance of 1e-6 of
// the momentum.
static void stiffness_belongs_to_the_point(void **state) {
  (void)state;
  for (double k = 1e2; k < 1e8; k *= 10.0) {
    const double few = velocity_on(2, k), many = velocity_on(50, k);
    if (!(fabs(few - many) < 1e-6)) fail_msg("%g N/m: %.9g and %.9g m/s", k, few, many);
    assert_true(few > -0.1);
  }
}

static void every_point_keeps_its_own(void **state) {
  (void)state;
  patch_world w = patch_world_open(50);
  for (int i = 0; i < w.records.count; ++i)
    w.records.record[i].stiffness = pow(10.0, 2.0 + 6.0 * i / w.records.count);
  patch_world_assemble(&w, 1e-3);
  assert_int_equal(w.problem.contact_count, 2500);
  for (int k = 0; k < w.problem.contact_count; ++k) {
    const limpet_contact_record *record = &w.records.record[w.problem.contact_source[k]];
    assert_true(w.problem.constants[k].stiffness == record->stiffness);
    assert_true(record->feature == (uint64_t)record->found << 32);
  }
  patch_world_close(&w);
}

// -------------------------------------------------------------------- an author's impedance

/* A ball of mass m in a field g on a floor with solref = (-s0, -s1), solimp d = 0.9 throughout. The
 * contact's inverse weight is 1/m, so that (impedance.h)
 *   K = s0/d^2 d^2/((1 - d)/m) = 10 m s0,   C = s1/d d/((1 - d)/m) = 10 m s1
 * and the dissipation gives the damping C at the depth x = g/(weight K) with the standard g, where
 * the contact carries its mass: K x d = C, d = 10 s1/g. */
static void an_impedance_damps_at_the_depth_of_its_load(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(
      MODEL("<worldbody><geom type='plane' size='1 1 .1' solref='-1000 -20' solimp='.9 .9 "
            ".001'/><body pos='0 0 .0999'><freejoint/><geom size='.1' mass='2' solref='-1000 -20' "
            "solimp='.9 .9 .001'/></body></worldbody>"));
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
  assert_int_equal(data->contact_count, 1);
  assert_true(fabs(data->contact_stiffness[0] / (10.0 * 2.0 * 1000.0) - 1.0) < 1e-12);
  assert_true(fabs(data->contact_dissipation[0] / (10.0 * 20.0 / 9.80665) - 1.0) < 1e-12);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(data_and_problem_are_views_of_the_records),
      cmocka_unit_test(friction_by_direction_has_unit_frames),
      cmocka_unit_test(stiffness_belongs_to_the_point),
      cmocka_unit_test(every_point_keeps_its_own),
      cmocka_unit_test(an_impedance_damps_at_the_depth_of_its_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
