/* tests/format/test_mjcf_write_deformable.c: a scene with deformable bodies that is written as MJCF
 * and read again runs with the same bits; what is written twice is the same text.
 *
 * Where a robot moves, too, its inertias are written as moments and axes, which give them back to
 * round-off: runs then agree to 1e-9 m over 20 steps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "limpet/step.h"
#include "mjcf_text.h"
#include "shared_data.h"

enum { STEPS = 20 };

#define PLANE "<geom type='plane' size='2 2 .1' friction='.6'/>"

static const char *const alone[] = {
    // solids: laws, elements, dampings, surfaces, no weight
    MODEL("<worldbody>" PLANE "<limpet:deformable name='a' type='box' size='.05 .03 .02' "
          "cells='2 1 1' pos='.1 .2 .0199' euler='1 2 30' young='12345.678' poisson='.33' "
          "density='987.6' damping='.0031' mass_damping='.17' friction='.7 .01 .001' "
          "surface_stiffness='3e7' margin='.001' rgba='.1 .2 .3 .4' condim='4' group='2' "
          "limpet:dissipation='7' limpet:relaxation_time='.02'/></worldbody>"),
    MODEL("<worldbody>" PLANE "<limpet:deformable type='ellipsoid' size='.05 .04 .03' "
          "cells='2 2 2' pos='0 0 .029' law='neo-hookean' element='quadratic' young='1e5' "
          "self_contact='true'><limpet:tie body='world' box='-1 -1 .02 1 1 1'/>"
          "</limpet:deformable><limpet:deformable name='b' type='box' size='.02 .02 .02' "
          "cells='1 1 1' pos='.3 0 .5' gravity='false'/></worldbody>"),
    // shells, with gas and springs
    MODEL("<worldbody>" PLANE "<limpet:deformable name='a' type='ellipsoid' size='.1 .1 .08' "
          "cells='2 2 2' shell='true' poisson='.45' thickness='.002' pressure='103000' "
          "outside_pressure='101000' gas_exponent='1.4' pos='0 0 .0797'/><limpet:deformable "
          "name='b' type='box' size='.05 .03 .02' cells='2 1 1' shell='true' thickness='.003' "
          "membrane='false' bending='false' edge_stiffness='123.4' edge_damping='.05' "
          "pos='.3 0 .0199'/></worldbody>"),
    // MuJoCo's: ropes, cloth, a grid of tetrahedra
    MODEL("<worldbody>" PLANE "<flexcomp name='r' type='grid' count='6 1 1' spacing='.04 .04 .04' "
          "dim='1' radius='.005' mass='.02' pos='0 0 .3'><elasticity young='1e6' damping='.001'/>"
          "<edge stiffness='50' damping='.1'/><pin id='0'/></flexcomp>"
          "<flexcomp name='s' type='grid' count='4 4 1' spacing='.04 .04 .04' dim='2' "
          "radius='.004' mass='.05' pos='.3 0 .0039'><contact friction='.5' selfcollide='auto'/>"
          "<elasticity young='2e5' poisson='.3' damping='.002' thickness='.002' "
          "elastic2d='both'/></flexcomp>"
          "<flexcomp name='t' type='grid' count='3 3 3' spacing='.03 .03 .03' dim='3' "
          "radius='.003' mass='.1' pos='-.3 0 .0329'><elasticity young='5e4' poisson='.2'/>"
          "</flexcomp></worldbody>"),
};

// In the frame of a link and tied to it, with a plane and a ball.
static const char *const held =
    MODEL("<worldbody>" PLANE
          "<body name='arm' pos='0 0 .5' euler='10 20 30'><joint type='hinge' "
          "axis='0 1 0' damping='.1'/><geom type='capsule' fromto='0 0 0 .2 0 0' size='.02' "
          "contype='0' conaffinity='0'/><limpet:deformable name='a' type='box' size='.05 .03 .02' "
          "cells='2 1 1' pos='.25 0 0' euler='0 10 0'><limpet:tie box='-.051 -1 -1 -.049 1 1'/>"
          "</limpet:deformable></body><body pos='.5 0 .1'><freejoint/><geom size='.05'/></body>"
          "</worldbody>");

typedef struct run {
  limpet_model *model;
  limpet_data *data;
} run;

static run run_of(limpet_model *model) {
  run r = {model, limpet_data_create(model)};
  unsigned long seed = 5;
  limpet_step_settings settings = limpet_step_settings_default(model);
  for (int i = 0; i < 3 * model->vertex_count; ++i)
    r.data->vertex_velocity[i] = random_uniform(&seed, -0.05, 0.05);
  for (int i = 0; i < STEPS; ++i) limpet_step(model, r.data, &settings);
  return r;
}

static void run_free(run *r) {
  limpet_data_destroy(r->data);
  limpet_model_destroy(r->model);
}

static void no_loss(void *context, const char *words) {
  (void)context;
  fail_msg("left out: %s", words);
}

static limpet_model *written(const limpet_model *model, const char *path) {
  limpet_error error;
  if (limpet_mjcf_write(model, path, no_loss, NULL, &error) != LIMPET_OK)
    fail_msg("%s", error.message);
  limpet_model *again = limpet_load(path, NULL, &error);
  if (!again) fail_msg("%s", error.message);
  return again;
}

static char *contents(const char *path) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  rewind(file);
  char *text = calloc((size_t)size + 1, 1);
  assert_int_equal(fread(text, 1, (size_t)size, file), (size_t)size);
  fclose(file);
  return text;
}

// Farthest vertices and velocities; -1: the same bits.
static double apart(const run *a, const run *b) {
  assert_int_equal(a->model->vertex_count, b->model->vertex_count);
  assert_int_equal(a->model->tie_count, b->model->tie_count);
  const size_t count = 3 * (size_t)a->model->vertex_count;
  if (memcmp(a->data->vertex_position, b->data->vertex_position, count * sizeof(double)) == 0 &&
      memcmp(a->data->vertex_velocity, b->data->vertex_velocity, count * sizeof(double)) == 0)
    return -1.0;
  double most = 0.0;
  for (size_t i = 0; i < count; ++i)
    most = fmax(most, fabs(a->data->vertex_position[i] - b->data->vertex_position[i]));
  return most;
}

static double round_trip(const char *text) {
  static const char *const path[] = {"limpet_written.xml", "limpet_written_again.xml"};
  run first = run_of(mjcf_load(text)), second = run_of(written(first.model, path[0]));
  limpet_model *third = written(second.model, path[1]);
  char *once = contents(path[0]), *twice = contents(path[1]);
  const double distance = apart(&first, &second);
  if (distance < 0.0) assert_string_equal(once, twice);
  free(once), free(twice);
  unlink(path[0]), unlink(path[1]);
  limpet_model_destroy(third);
  run_free(&first), run_free(&second);
  return distance;
}

static void bits_are_the_same(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof alone / sizeof *alone; ++i) {
    const double distance = round_trip(alone[i]);
    if (distance >= 0.0) fail_msg("scene %zu: vertices are %g m apart", i, distance);
  }
}

static void frames_of_links_are_kept(void **state) {
  (void)state;
  const double distance = round_trip(held);
  if (!(distance < 1e-9)) fail_msg("vertices are %g m apart", distance);
}

static void rigid_parts_alone(void **state) {
  (void)state;
  static const char *const path = "limpet_rigid.xml";
  limpet_error error;
  limpet_model *model = mjcf_load(held);
  assert_int_equal(limpet_mjcf_write_rigid(model, path, NULL, NULL, &error), LIMPET_OK);
  limpet_model *again = limpet_load(path, NULL, &error);
  assert_non_null(again);
  assert_int_equal(again->deformable_count, 0);
  assert_int_equal(again->nv, model->nv);
  unlink(path);
  limpet_model_destroy(model), limpet_model_destroy(again);
}

static void mistakes_are_told(void **state) {
  (void)state;
#define DIRECT(attributes) \
  "<mujoco><worldbody><limpet:deformable type='direct' " attributes "/></worldbody></mujoco>"
  assert_true(mjcf_refused(DIRECT("tetrahedra='0 1 2 3'"),
                           "robot.xml:1:20: <limpet:deformable> needs the attribute 'point'"));
  assert_true(mjcf_refused(DIRECT("point='0 0 0 1'"),
                           "robot.xml:1:53: 'point' has 4 numbers; "
                           "give three for each vertex"));
  assert_true(mjcf_refused(DIRECT("point='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2'"),
                           "robot.xml:1:85: 'tetrahedra' has 3 numbers; give 4 for each"));
  assert_true(mjcf_refused(DIRECT("point='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 4'"),
                           "robot.xml:1:85: 'tetrahedra' names vertex 4; there are 4, from 0"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bits_are_the_same), cmocka_unit_test(frames_of_links_are_kept),
      cmocka_unit_test(rigid_parts_alone), cmocka_unit_test(mistakes_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
