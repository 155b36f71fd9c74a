/* tests/collide/test_height_field.c: contact with height fields: shapes on flat and sloping ground
 * behave as on a plane, whatever the cells are; a ball rolls over cells without a bump; walls
 * between cells are never felt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/contact.h"
#include "limpet/dynamics.h"
#include "limpet/sense.h"
#include "math/vec3.h"
#include "mjcf_text.h"
#include "mjcf_world.h"

// Heights 0 to 1 over 2 m: a slope along x, times `top`.
#define SLOPE(top)                                           \
  "<asset><hfield name='h' nrow='4' ncol='5' size='1 1 " top \
  " .2' elevation='0 1 2 3 4  0 1 2 3 "                      \
  "4  0 1 2 3 4  0 1 2 3 4'/></asset>"
#define WORLD(top, body)                                     \
  MODEL("<option gravity='0 0 -10' timestep='.002'/>" SLOPE( \
      top) "<worldbody><geom type='hfield' "                 \
           "hfield='h'/>" body "</worldbody>")

static const char *const shapes[] = {"type='sphere' size='.1'",
                                     "type='capsule' size='.05 .1'",
                                     "type='ellipsoid' size='.1 .07 .05'",
                                     "type='cylinder' size='.08 .05'",
                                     "type='box' size='.1 .07 .05'",
                                     "type='mesh' mesh='m'"};
#define TETRAHEDRON "<asset><mesh name='m' vertex='.1 0 0 -.1 .1 0 -.1 -.1 0 0 0 .15'/></asset>"

/* Every shape comes to rest on a field that is flat, at the height at which it rests on a plane. */
static double rest_height(const char *ground, const char *shape) {
  char text[2048];
  snprintf(text, sizeof text,
           MODEL("<option gravity='0 0 -10'/>" TETRAHEDRON
                 "<asset><hfield name='h' nrow='5' ncol='7' size='1 1 .3 .2'/></asset><worldbody>"
                 "<geom %s/><body pos='.03 .05 .2'><freejoint/><geom %s/></body></worldbody>"),
           ground, shape);
  mjcf_world w = mjcf_world_of(text, NULL);
  mjcf_world_run(&w, 2.0);
  const double height = w.data->q[2];
  for (int d = 0; d < 3; ++d) assert_true(fabs(w.data->v[d]) < 1e-3);
  mjcf_world_destroy(&w);
  return height;
}

static void shapes_rest_on_flat_fields_as_on_planes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
    const double on_plane = rest_height("type='plane' size='1 1 1'", shapes[i]);
    const double on_field = rest_height("type='hfield' hfield='h'", shapes[i]);
    assert_true(fabs(on_plane - on_field) < 1e-5);  // both sink by some um
  }
}

/* Depth of a ball anywhere on a slope is its depth in the plane, with one normal; this is so over
 * edges and corners of cells, too. */
static void ball_feels_the_slope_and_no_cells(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(WORLD("1", "<body><freejoint/><geom size='.1'/></body>"));
  limpet_data *data = limpet_data_create(model);
  const double length = sqrt(5.0), n[3] = {-1.0 / length, 0.0, 2.0 / length};  // 1 m up in 2 m
  for (int i = 0; i <= 40; ++i) {
    for (int k = 0; k <= 40; ++k) {
      const double x = -0.7 + 0.035 * i, y = -0.7 + 0.035 * k, depth = 0.002;
      const double ground[3] = {x, y, 0.5 * (x + 1.0)};
      limpet_vec3_addmul(data->q, ground, 0.1 - depth, n);
      limpet_kinematics(model, data);
      limpet_geom_kinematics(model, data, false);
      const int count = limpet_contacts_find(model, data, false);
      assert_int_equal(count, 1);
      assert_true(fabs(data->contact_distance[0] + depth) < 1e-9);
      for (int a = 0; a < 3; ++a) assert_true(fabs(data->contact_frame[6 + a] - n[a]) < 1e-7);
    }
  }
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

/* One cell whose corners do not lie in a plane: heights under rays and under a small ball are those
 * of MuJoCo 4.0.1 at the same places, which part the cell from corner (0, 0) to corner (1, 1). */
static void cells_are_parted_as_in_mujoco(void **state) {
  (void)state;
  static const double radius = 1e-3, raised = 5e-4;
  static const double places[][3] = {
      {.2, .1, .55}, {-.2, -.1, .4}, {.3, -.3, .35}, {-.3, .3, .35}, {-.6, .6, .2}};
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
    char text[1024];
    const double *p = places[i];
    snprintf(text, sizeof text,
             MODEL("<asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 .1' elevation='0 1 0 0'/>"
                   "</asset><worldbody><geom type='hfield' hfield='h'/><body pos='%g %g 5'>"
                   "<site name='eye' zaxis='0 0 -1'/></body><body pos='%g %g "
                   "%.10g'><freejoint/><geom size='%g'/></body>"
                   "</worldbody><sensor><rangefinder site='eye'/></sensor>"),
             p[0], p[1], p[0], p[1], p[2] + raised, radius);
    mjcf_world w = mjcf_world_of(text, NULL);
    limpet_kinematics(w.model, w.data);
    limpet_geom_kinematics(w.model, w.data, false);
    assert_int_equal(limpet_contacts_find(w.model, w.data, false), 1);
    // both triangles rise by 1 over 2 along an axis: their normals have z = 2 / sqrt(5)
    assert_true(fabs(w.data->contact_distance[0] - (raised * 2.0 / sqrt(5.0) - radius)) < 1e-9);
    w.data->q[0] = 9.0;
    limpet_sensors_evaluate(w.model, w.data);
    assert_true(fabs(5.0 - w.data->sensor[0] - p[2]) < 1e-9);
    mjcf_world_destroy(&w);
  }
}

/* A ball that rolls down a slope without slipping, over edges of cells: a = 5/7 g sin(angle). */
static void ball_rolls_down_as_on_a_plane(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      WORLD(".2", "<body pos='.8 .03 .2798'><freejoint/><geom size='.1' condim='3'/></body>"),
      NULL);
  mjcf_world_run(&w, 0.2);  // comes to touch
  const double angle = atan(0.1), start = w.data->v[0];
  mjcf_world_run(&w, 1.0);
  const double expected = 5.0 / 7.0 * 10.0 * sin(angle) * cos(angle);
  assert_true(fabs(start - w.data->v[0] - expected) < 0.02 * expected);
  assert_true(fabs(w.data->v[1]) < 1e-3);
  mjcf_world_destroy(&w);
}

/* A table of 2.4 m by 2.4 m on 800 triangles stands on its four corners and stays level. */
static void wide_table_stands_level_on_many_cells(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      MODEL(
          "<option gravity='0 0 -10'/><asset><hfield name='h' nrow='21' ncol='21' size='1.3 1.3 .3 "
          ".2'/></asset><worldbody><geom type='hfield' hfield='h'/><body pos='.01 .02 .051'>"
          "<freejoint/><geom type='box' size='1.2 1.2 .05'/></body></worldbody>"),
      NULL);
  mjcf_world_run(&w, 0.5);
  assert_true(fabs(w.data->q[2] - 0.05) < 1e-4);
  for (int k = 4; k < 7; ++k) assert_true(fabs(w.data->q[k]) < 1e-5);
  double low = 0.0, high = 0.0;
  for (int i = 0; i < w.data->contact_count; ++i) {
    low = fmin(low, w.data->contact_position[3 * i] + w.data->contact_position[3 * i + 1]);
    high = fmax(high, w.data->contact_position[3 * i] + w.data->contact_position[3 * i + 1]);
  }
  assert_true(low < -2.0 && high > 2.0 && w.data->contact_count <= 16);
  mjcf_world_destroy(&w);
}

// Random terrain: every shape that falls on it stays above its lowest point and comes to rest.
static void shapes_come_to_rest_on_rough_ground(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
    char text[4096];
    snprintf(
        text, sizeof text,
        MODEL(TETRAHEDRON
              "<asset><hfield name='h' nrow='5' ncol='5' size='.6 .6 .15 .1' "
              "elevation='9 9 9 9 9 9 1 4 3 9 9 4 0 2 9 9 3 1 5 9 9 9 9 9 9'/></asset><worldbody>"
              "<geom type='hfield' hfield='h'/><body pos='.05 -.03 .4'><freejoint/><geom %s "
              "friction='1 .01 .01' condim='6'/></body></worldbody>"),
        shapes[i]);
    mjcf_world w = mjcf_world_of(text, NULL);
    for (int k = 0; k < 3000; ++k) limpet_step(w.model, w.data, &w.settings);
    assert_true(w.data->q[2] > 0.0 && w.data->q[2] < 0.4);
    for (int d = 0; d < 6; ++d) assert_true(fabs(w.data->v[d]) < 0.05);
    mjcf_world_destroy(&w);
  }
}

static void heights_are_read_and_refused(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(
      MODEL("<asset><hfield name='h' nrow='2' ncol='3' size='3 2 1 .5' elevation='0 1 2  3 4 8'/>"
            "</asset><worldbody><geom type='hfield' hfield='h'/></worldbody>"));
  const limpet_height_field *field = model->mesh[0].heights;
  assert_non_null(field);
  CLOSE(field->height, 0.375, 0.5, 1, 0, 0.125, 0.25);
  assert_true(field->rows == 2 && field->columns == 3 && field->base == 0.5);
  limpet_model_destroy(model);
  static const struct {
    const char *attributes, *says;
  } cases[] = {
      {"nrow='2' ncol='3' size='1 1 1 1' elevation='1 2'", "there are 2 rows of 3"},
      {"nrow='1' ncol='3' size='1 1 1 1'", "there can be 2 to 10000"},
      {"nrow='2' ncol='2' size='1 1 1 0'", "must be positive"},
      {"file='none.bin' size='1 1 1 1'", "cannot be found"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[512];
    limpet_error error = {0};
    snprintf(text, sizeof text,
             MODEL("<asset><hfield name='h' %s/></asset><worldbody><geom type='hfield' "
                   "hfield='h'/></worldbody>"),
             cases[i].attributes);
    assert_null(mjcf_load_with(text, NULL, &error));
    if (!strstr(error.message, cases[i].says)) print_error("%s\n", error.message);
    assert_non_null(strstr(error.message, cases[i].says));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heights_are_read_and_refused),
      cmocka_unit_test(ball_feels_the_slope_and_no_cells),
      cmocka_unit_test(shapes_rest_on_flat_fields_as_on_planes),
      cmocka_unit_test(cells_are_parted_as_in_mujoco),
      cmocka_unit_test(ball_rolls_down_as_on_a_plane),
      cmocka_unit_test(wide_table_stands_level_on_many_cells),
      cmocka_unit_test(shapes_come_to_rest_on_rough_ground),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
