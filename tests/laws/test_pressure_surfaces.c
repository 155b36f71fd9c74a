/* tests/laws/test_pressure_surfaces.c: laws of contact by pressure fields: depth under a load,
 * resultants, twisting, energy of a bounce; closed forms of docs/pressure-fields.md. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/format.h"
#include "limpet/step.h"
#include "mjcf_text.h"

#define PI 3.14159265358979323846

static void run(const limpet_model *model, limpet_data *data, const limpet_step_settings *settings,
                double time) {
  const int steps = (int)round(time / settings->time_step);
  for (int i = 0; i < steps; ++i) limpet_step(model, data, settings);
}

// A box of 1 kg lies askew of nothing: resultant, centre, area and depth are those of statics.
static void a_box_at_rest_reports_its_surface(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(
      "<mujoco><worldbody><geom type='plane' size='1 1 .1'/><body pos='.1 .2 .05'><freejoint/>"
      "<geom type='box' size='.05 .05 .05' mass='1' limpet:elastic_modulus='1e6'/></body>"
      "</worldbody></mujoco>");
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.tolerance = 1e-10;  // forces to 1e-6 N
  run(model, data, &settings, 1.0);
  assert_int_equal(data->surface_count, 1);
  assert_true(data->surface_geom[0] == 0 && data->surface_geom[1] == 1);
  assert_true(fabs(data->surface_force[2] - 9.81) < 1e-6);
  assert_true(fabs(data->surface_centre[0] - 0.1) < 1e-7);
  assert_true(fabs(data->surface_centre[1] - 0.2) < 1e-7);
  assert_true(fabs(data->surface_torque[0]) < 1e-6 && fabs(data->surface_torque[2]) < 1e-6);
  assert_true(fabs(data->surface_area[0] - 0.01) < 1e-8);

  // F = E/h (a b d - (a + b) d^2 + 4/3 d^3)
  const double d = 0.05 - data->q[2];
  const double force = 1e6 / 0.05 * (0.01 * d - 0.2 * d * d + 4.0 / 3.0 * d * d * d);
  assert_true(fabs(force - 9.81) < 1e-6 * 9.81);
  assert_true(fabs(data->surface_depth[0] - d) < 1e-9);
  assert_true(fabs(data->surface_pressure[0] - 1e6 * d / 0.05) < 1e-3 * data->surface_pressure[0]);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

/* A body that may only turn about z and sink spins down under gravity. A disc of radius a and even
 * pressure resists with 2/3 mu N a. A sphere's pressure over its patch of radius a is p ~
 * depth(r) = sqrt(R^2 - r^2) - h, on exact fields E (1 - sqrt(h^2 + r^2)/R): the moment is
 * mu int p r dA, by quadrature. */
static double twisting_moment(const char *geom, double *depth) {
  char text[1000];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom type='plane' size='1 1 .1' friction='.5'/>"
           "<body pos='0 0 .05'><joint type='slide' axis='0 0 1'/><joint axis='0 0 1'/>%s</body>"
           "</worldbody></mujoco>",
           geom);
  limpet_model *model = mjcf_load(text);
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.time_step = 1e-3;
  run(model, data, &settings, 0.5);  // sinks in
  data->v[1] = 50.0;
  run(model, data, &settings, 2e-3);
  const double before = data->v[1];
  run(model, data, &settings, 5e-3);
  assert_true(data->v[1] > 1.0);  // still spins
  const double moment = data->mass_matrix[3] * (before - data->v[1]) / 5e-3;
  *depth = -data->q[0];
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return moment;
}

static void spinning_things_are_braked_by_the_patch(void **state) {
  (void)state;
  double depth;
  const double N = 9.81, mu = 0.5;
  const double disc = twisting_moment(
      "<geom type='cylinder' size='.05 .05' mass='1' friction='.5' limpet:elastic_modulus='1e7'/>",
      &depth);
  // the rim of the field, as wide as the depth, is below 1e-3 of the radius
  assert_true(fabs(disc / (2.0 / 3.0 * mu * N * 0.05) - 1.0) < 0.01);

  const double R = 0.05;
  const double ball = twisting_moment(
      "<geom type='sphere' size='.05' mass='1' friction='.5' limpet:elastic_modulus='1e6'/>",
      &depth);
  const double h = R - depth, a = sqrt(R * R - h * h);
  double expected = 0.0, load = 0.0;
  enum { RINGS = 2000 };
  for (int i = 0; i < RINGS; ++i) {
    const double r = a * (i + 0.5) / RINGS, p = 1e6 * (1.0 - sqrt(h * h + r * r) / R);
    load += p * 2.0 * PI * r * a / RINGS;
    expected += mu * p * r * 2.0 * PI * r * a / RINGS;
  }
  assert_true(fabs(load / N - 1.0) < 0.01);  // depth under the weight
  assert_true(fabs(ball / expected - 1.0) < 0.01);
}

// Highest and lowest energy of a ball that bounces without dissipation, over that of its start.
static void bounce(double dt, double *highest, double *after) {
  limpet_model *model = mjcf_load(
      "<mujoco><worldbody><geom type='plane' size='1 1 .1' friction='0'/><body pos='0 0 .1'>"
      "<freejoint/><geom type='sphere' size='.05' mass='.5' friction='0' limpet:dissipation='0' "
      "limpet:elastic_modulus='1e5'/></body></worldbody></mujoco>");
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.time_step = dt;
  const double start = 0.5 * 9.81 * (data->q[2] - 0.05);
  *highest = 0.0;
  bool touched = false;
  for (int i = 0; i * dt < 0.25; ++i) {
    limpet_step(model, data, &settings);
    touched |= data->info.touching_count > 0;
    const double energy = 0.5 * 0.5 * data->v[2] * data->v[2] + 0.5 * 9.81 * (data->q[2] - 0.05);
    if (data->q[2] < 0.05) continue;  // part of it is in the field
    *highest = fmax(*highest, energy / start);
    if (touched) *after = energy / start;
  }
  assert_true(touched);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

static void an_elastic_bounce_makes_no_energy(void **state) {
  (void)state;
  double loss[3], after = 0.0, highest;
  for (int i = 0; i < 3; ++i) {
    bounce(1e-3 / (1 << (2 * i)), &highest, &after);
    assert_true(highest < 1.0 + 1e-9);
    loss[i] = 1.0 - after;
    assert_true(loss[i] > 0.0);
  }
  printf("loss %.3g, %.3g, %.3g at 1, 0.25, 0.0625 ms\n", loss[0], loss[1], loss[2]);
  assert_true(loss[1] < 0.4 * loss[0] && loss[2] < 0.4 * loss[1]);  // first order in the step
}

static void points_are_used_where_fields_are_switched_off(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(
      "<mujoco><worldbody><geom type='plane' size='1 1 .1'/>"
      "<body pos='0 0 .0499'><freejoint/><geom type='box' size='.05 .05 .05' "
      "limpet:elastic_modulus='1e6'/></body>"
      "<body pos='.5 0 .0499'><freejoint/><geom type='box' size='.05 .05 .05'/></body>"
      "</worldbody></mujoco>");
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_step(model, data, &settings);
  int points = 0;  // the rigid pair has points beside the surface of the other
  for (int i = 0; i < data->contact_count; ++i) points += data->contact_area[i] == 0.0;
  assert_int_equal(points, 4);
  assert_int_equal(data->surface_count, 1);
  limpet_data_reset(model, data);
  settings.pressure_fields = false;
  limpet_step(model, data, &settings);
  assert_int_equal(data->contact_count, 8);
  assert_int_equal(data->surface_count, 0);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// What the builder told of its fields.
typedef struct told {
  double last;
  int count, calls, between;  // `between`: with a part of a field
  int end;                    // the call that ends it; 0: none does
} told;

static bool listen(void *context, double done, int count) {
  told *t = context;
  assert_true(done >= t->last && done <= (double)count);
  t->between += done > floor(done);
  t->last = done, t->count = count;
  return ++t->calls != t->end;
}

// A field of tetrahedra, one of a plane, and a solid that is filled.
static limpet_builder *watched_builder(told *t) {
  const char *text =
      "<mujoco><asset><mesh name='m' builtin='sphere' params='2' scale='.1 .1 .1' "
      "limpet:concave='true'/></asset><worldbody><geom type='plane' size='1 1 .1'/>"
      "<geom type='sphere' size='.1' contype='0' conaffinity='0'/>"
      "<body><freejoint/><geom type='mesh' mesh='m' limpet:elastic_modulus='1e5'/></body>"
      "<limpet:deformable type='direct' pos='1 0 1' point='1 0 0 -1 0 0 0 1 0 0 -1 0 0 0 1 0 0 -1' "
      "faces='0 2 4 2 1 4 1 3 4 3 0 4 2 0 5 1 2 5 3 1 5 0 3 5' fill_size='.2'/>"
      "</worldbody></mujoco>";
  limpet_builder *builder = limpet_builder_create();
  limpet_error error;
  if (limpet_mjcf_read_text(builder, text, strlen(text), NULL, NULL, &error) != LIMPET_OK)
    fail_msg("%s", error.message);
  limpet_builder_watch(builder, listen, t);
  return builder;
}

static void making_of_fields_is_told(void **state) {
  (void)state;
  told t = {.last = 0.0};
  limpet_builder *builder = watched_builder(&t);
  limpet_error error;
  limpet_model *model = limpet_builder_compile(builder, &error);
  assert_non_null(model);
  assert_int_equal(t.count, 2);  // what cannot collide has none
  assert_true(t.between > 5 && t.last > 1.5);
  limpet_model_destroy(model);
  limpet_builder_destroy(builder);
}

/* At whichever call the watcher says no: it is not asked again, there is no model, and the builder
 * is as it was. */
static void a_watcher_ends_the_compilation(void **state) {
  (void)state;
  told all = {.last = 0.0};
  limpet_builder *builder = watched_builder(&all);
  limpet_error error;
  limpet_model *whole = limpet_builder_compile(builder, &error);
  assert_non_null(whole);
  assert_true(all.calls > 80);
  for (int end = 1; end <= all.calls; ++end) {
    told t = {.end = end};
    limpet_builder_watch(builder, listen, &t);
    assert_null(limpet_builder_compile(builder, &error));
    assert_int_equal(error.status, LIMPET_ERROR_STATE);
    assert_non_null(strstr(error.message, "said not to go on"));
    assert_int_equal(t.calls, end);
  }
  limpet_builder_watch(builder, NULL, NULL);
  limpet_model *again = limpet_builder_compile(builder, &error);
  assert_non_null(again);
  assert_true(again->hash == whole->hash);
  limpet_model_destroy(again);
  limpet_model_destroy(whole);
  limpet_builder_destroy(builder);
}

// Before a file of a mesh is read, too; a builder is then not whole, and only destroyed.
static void a_watcher_ends_the_reading(void **state) {
  (void)state;
  const char *file = LIMPET_BINARY_DIR "/watched.obj";
  FILE *mesh = fopen(file, "w");
  assert_non_null(mesh);
  fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n", mesh);
  fclose(mesh);
  static const char *const texts[] = {
      "<mujoco><asset><mesh name='m' file='%s'/></asset><worldbody><geom type='mesh' mesh='m'/>"
      "</worldbody></mujoco>",
      "<mujoco><worldbody><limpet:deformable file='%s'/></worldbody></mujoco>",
      "<robot name='r'><link name='l'><collision><geometry><mesh filename='%s'/></geometry>"
      "</collision></link></robot>"};
  for (int i = 0; i < 3; ++i) {
    char text[2048];
    const int length = snprintf(text, sizeof text, texts[i], file);
    told t = {.end = 1};
    limpet_error error;
    limpet_builder *builder = limpet_builder_create();
    limpet_builder_watch(builder, listen, &t);
    assert_int_equal((i < 2 ? limpet_mjcf_read_text : limpet_urdf_read_text)(
                         builder, text, (size_t)length, NULL, NULL, &error),
                     LIMPET_ERROR_STATE);
    assert_non_null(strstr(error.message, "said not to go on"));
    assert_int_equal(t.calls, 1);
    limpet_builder_destroy(builder);
  }
  remove(file);
}

static void bad_fields_are_told(void **state) {
  (void)state;
  assert_true(mjcf_refused(
      "<mujoco><worldbody>\n<geom type='plane' size='1 1 .1' limpet:elastic_modulus='1e6'/>"
      "<body><freejoint/><geom size='.1'/></body></worldbody></mujoco>",
      "robot.xml:2:1: geom 0 is a plane with an elastic modulus of 1e+06 Pa, but without a slab "
      "thickness; give the depth in metres at which the pressure is the modulus"));
}

/* A load beyond what a box can carry (E times its area) presses it through the floor: then only its
 * upright sides are left, whose gradient along the normal is round-off. Depth stays a length of the
 * box, and what is stored stays below the energy of the fall. */
static void a_body_that_is_pressed_through_reports_lengths(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(
      "<mujoco><worldbody><geom type='plane' size='1 1 .1'/><body pos='0 0 .0145'><freejoint/>"
      "<geom type='box' size='.0161 .0101 .0138' mass='20' limpet:elastic_modulus='5.6e5'/></body>"
      "</worldbody></mujoco>");
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.time_step = 5e-3, settings.energy = true;
  bool through = false;
  for (int i = 0; i < 400; ++i) {
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
    for (int s = 0; s < data->surface_count; ++s) assert_true(data->surface_depth[s] < 0.03);
    assert_true(data->info.contact_energy < 20.0 * 9.81 * 0.03);
    through |= data->q[2] < 0.0;
  }
  assert_true(through);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_at_rest_reports_its_surface),
      cmocka_unit_test(spinning_things_are_braked_by_the_patch),
      cmocka_unit_test(an_elastic_bounce_makes_no_energy),
      cmocka_unit_test(points_are_used_where_fields_are_switched_off),
      cmocka_unit_test(making_of_fields_is_told),
      cmocka_unit_test(a_watcher_ends_the_compilation),
      cmocka_unit_test(a_watcher_ends_the_reading),
      cmocka_unit_test(bad_fields_are_told),
      cmocka_unit_test(a_body_that_is_pressed_through_reports_lengths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
