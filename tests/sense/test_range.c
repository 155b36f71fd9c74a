/* tests/sense/test_range.c: the first geom on a ray is the nearest of all: the balls around geoms
 * and the trees of their faces hide none. Random scenes of all kinds of geoms, seen by a camera and
 * by sites, against every ray with every geom. Normals between things that overlap. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/ray.h"
#include "limpet/limpet.h"
#include "mjcf_text.h"
#include "sense/kinds.h"

enum { TEXT = 1 << 16, GEOMS = 60, COLUMNS = 40, ROWS = 30 };

static unsigned long seed = 7;

static double uniform(double low, double high) {
  seed = seed * 6364136223846793005ul + 1442695040888963407ul;
  return low + (high - low) * (double)(seed >> 11 & 0x1fffffffffffff) / 9007199254740992.0;
}

// `count` numbers, with a space before each.
static char *numbers(char *text, int count, double low, double high) {
  for (int i = 0; i < count; ++i) text += sprintf(text, " %.17g", uniform(low, high));
  return text;
}

static char *add_geom(char *text, int k, double size) {
  static const char *const kinds[] = {"sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"};
  const char *kind = kinds[k % 6];
  text += sprintf(text, "<body pos='");
  text = numbers(text, 3, -5.0 * size, 5.0 * size);
  text += sprintf(text, "'><freejoint/><geom type='%s' pos='", kind);
  text = numbers(text, 3, -size, size);
  text += sprintf(text, "' euler='");
  text = numbers(text, 3, -180.0, 180.0);
  if (k % 6 == 5) return text + sprintf(text, "' mesh='rock'/></body>");
  text += sprintf(text, "' size='");
  text = numbers(text, 3, 0.05 * size, size);
  return text + sprintf(text, "'/></body>");
}

static limpet_model *random_scene(double size) {
  char *text = malloc(TEXT), *at = text;
  assert_non_null(text);
  at += sprintf(at, "<mujoco><asset><mesh name='rock' vertex='");
  at = numbers(at, 3 * 40, -size, size);
  at += sprintf(at, "'/><hfield name='ground' nrow='12' ncol='9' size='%g %g %g %g' elevation='",
                8.0 * size, 8.0 * size, 2.0 * size, size);
  at = numbers(at, 12 * 9, 0.0, 1.0);
  at += sprintf(
      at,
      "'/></asset><worldbody><geom type='hfield' hfield='ground' pos='0 0 %g'/>"
      "<geom type='plane' size='%g %g 1' pos='0 0 %g'/>"
      "<body><camera name='eye' pos='0 0 %g' euler='30 10 0' fovy='90' resolution='%d %d'/></body>",
      -7.0 * size, 9.0 * size, 9.0 * size, -6.0 * size, 6.0 * size, COLUMNS, ROWS);
  for (int k = 0; k < GEOMS; ++k) at = add_geom(at, k, size);
  at += sprintf(at,
                "</worldbody><sensor><rangefinder camera='eye'/>"
                "</sensor></mujoco>");
  assert_true(at - text < TEXT);
  limpet_model *model = mjcf_load(text);
  free(text);
  return model;
}

// Of all geoms, whatever is around them.
static double nearest(const limpet_sensor_reading *reading, const double from[3],
                      const double direction[3]) {
  const limpet_model *model = reading->model;
  double first = -1.0;
  for (int g = 0; g < model->geom_count; ++g) {
    const limpet_sense_frame frame = limpet_sense_geom_frame(reading, g);
    double t;
    if (model->geom_kind[g] == LIMPET_SHAPE_MESH) {
      limpet_mesh mesh = model->mesh[model->geom_mesh[g]];
      assert_non_null(mesh.face_tree);
      mesh.face_tree = NULL;
      t = limpet_mesh_ray(&mesh, frame.position, frame.rotation, from, direction, NULL);
    } else {
      const limpet_shape shape = limpet_sense_geom_shape(model, g, &frame);
      t = limpet_shape_ray(&shape, from, direction);
    }
    if (t >= 0.0 && (first < 0.0 || t < first)) first = t;
  }
  return first;
}

static void the_first_geom_is_the_nearest(void **state) {
  (void)state;
  int hits = 0, rays = 0;
  for (int s = 0; s < 12; ++s) {
    limpet_model *model = random_scene(pow(10.0, uniform(-2.0, 2.0)));
    limpet_data *data = limpet_data_create(model);
    assert_non_null(data);
    limpet_sensors_evaluate(model, data);
    const limpet_sensor_reading reading = {.model = model, .data = data};
    const limpet_sense_frame eye = limpet_sense_object(&reading, 0);
    for (int i = 0; i < COLUMNS * ROWS; ++i, ++rays) {
      double from[3], direction[3];
      limpet_sense_pixel_ray(model, 0, &eye, i % COLUMNS, i / COLUMNS, from, direction);
      hits += data->sensor[i] >= 0.0;
      assert_true(data->sensor[i] == nearest(&reading, from, direction));
    }
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
  assert_true(hits > rays / 2 && hits < rays);
}

// only models with rays pay for trees
static void no_rays_no_trees(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(
      "<mujoco><asset><mesh name='rock' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody>"
      "<body><freejoint/><geom type='mesh' mesh='rock'/></body></worldbody></mujoco>");
  assert_null(model->mesh[0].face_tree);
  limpet_model_destroy(model);
}

/* As in MuJoCo 4.0.1: a normal points from the first thing's point to the second's, which is back
 * where they overlap. A ball is 0.1 m deep in the floor, and 0.2 m in another ball. A site lies in
 * its own volume. */
static void normals_of_overlaps_point_back(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(
      "<mujoco><worldbody><geom name='floor' type='plane' size='0 0 1'/><body pos='0 0 .2'>"
      "<freejoint/><geom name='ball' size='.3'/><site name='s' size='.1'/></body>"
      "<body pos='.4 0 .2'><freejoint/><geom name='other' size='.3'/></body></worldbody><sensor>"
      "<normal geom1='floor' geom2='ball' cutoff='5'/><normal geom1='ball' geom2='floor' "
      "cutoff='5'/><normal geom1='ball' geom2='other' cutoff='5'/><fromto geom1='floor' "
      "geom2='ball' cutoff='5'/><insidesite site='s' objtype='site' "
      "objname='s'/></sensor></mujoco>");
  limpet_data *data = limpet_data_create(model);
  limpet_sensors_evaluate(model, data);
  static const double expected[] = {0, 0, -1, 0, 0, 1, -1, 0, 0, 0, 0, 0, 0, 0, -0.1, 1};
  assert_int_equal(model->nsensor, sizeof expected / sizeof *expected);
  for (int i = 0; i < model->nsensor; ++i) assert_true(fabs(data->sensor[i] - expected[i]) < 1e-12);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_geom_is_the_nearest),
      cmocka_unit_test(no_rays_no_trees),
      cmocka_unit_test(normals_of_overlaps_point_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
