/* tests/record/test_tendon_skin.c: tendons of a picture: in random poses the chain of points is as
 * long as the tendon, and goes round the geom that the tendon goes round.
 *
 * Tolerance: a way round is drawn by nine chords of at most 40 degrees each, which are shorter than
 * their arcs by at most 1 - sin(20 deg)/(20 deg in rad) = 2.1 %; places are in single precision. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "math/vec3.h"
#include "mjcf_text.h"
#include "record/skin.h"
#include "shared_data.h"

enum { DRAWS = 400, SIZE = 2048 };
static const double short_share = 0.979, rounding = 1e-6;

// A string from a site over a geom to a body, then over a pulley to two sites.
static limpet_model *scene(unsigned long *seed, double *radius) {
  char text[SIZE];
  const bool cylinder = random_uniform(seed, 0.0, 1.0) < 0.5;
  const bool side = random_uniform(seed, 0.0, 1.0) < 0.7;
  *radius = random_uniform(seed, 0.02, 0.3);
  const double reach = random_uniform(seed, 1.05, 2.0) * *radius;
  snprintf(text, sizeof text,
           MODEL("<worldbody><site name='a' pos='-.5 .1 .2'/><site name='c' pos='.3 .9 0'/>"
                 "<geom name='g' type='%s' size='%.17g 1' euler='%g %g 0' contype='0' "
                 "conaffinity='0'/><site name='s' pos='%.17g %.17g 0'/>"
                 "<body name='b' pos='.5 0 0'><freejoint/><geom size='.01'/><site name='b'/></body>"
                 "</worldbody><tendon><spatial name='t'><site site='a'/><geom geom='g'%s/>"
                 "<site site='b'/><pulley divisor='2'/><site site='b'/><site site='c'/></spatial>"
                 "</tendon>"),
           cylinder ? "cylinder" : "sphere", *radius, random_uniform(seed, -40.0, 40.0),
           random_uniform(seed, -40.0, 40.0), reach * cos(5.0 * reach), reach * sin(5.0 * reach),
           side ? " sidesite='s'" : "");
  return mjcf_load(text);
}

static double distance(const float *a, const float *b) {
  double square = 0.0;
  for (int k = 0; k < 3; ++k) square += ((double)a[k] - b[k]) * ((double)a[k] - b[k]);
  return sqrt(square);
}

// From the axis of a cylinder or the centre of a sphere, both at the origin.
static double off_centre(const limpet_model *model, const float *point) {
  double x[3] = {point[0], point[1], point[2]};
  if (model->geom_kind[0] == LIMPET_SHAPE_CYLINDER) {
    const double *R = model->geom_rotation, axis[3] = {R[2], R[5], R[8]};
    const double along = limpet_vec3_dot(x, axis);
    for (int k = 0; k < 3; ++k) x[k] -= along * axis[k];
  }
  return limpet_vec3_norm(x);
}

static void chains_lie_on_tendons(void **state) {
  (void)state;
  unsigned long seed = 3;
  int round = 0;
  for (int draw = 0; draw < DRAWS; ++draw) {
    double radius;
    limpet_model *model = scene(&seed, &radius);
    limpet_data *data = limpet_data_create(model);
    limpet_skin *skin = limpet_skin_create(model);
    assert_int_equal(skin->surface_count, 0);
    assert_int_equal(skin->vertex_count, 12 + 2);
    float numbers[14 * LIMPET_SKIN_NUMBERS];
    for (int k = 0; k < 3; ++k) data->q[k] = random_uniform(&seed, -0.4, 0.4);
    data->q[0] += 0.5;
    if (limpet_vec3_norm(data->q) < 1.5 * radius) data->q[0] += 3.0 * radius;
    limpet_kinematics(model, data);
    limpet_tendon_kinematics(model, data);
    limpet_skin_take(skin, data, numbers);

    const float *point[14];
    for (int i = 0; i < 14; ++i) point[i] = numbers + LIMPET_SKIN_NUMBERS * i;
    double length = 0.0, nearest = INFINITY;
    for (int i = 0; i < 11; ++i) length += distance(point[i], point[i + 1]);
    for (int i = 1; i < 11; ++i) nearest = fmin(nearest, off_centre(model, point[i]));
    length += 0.5 * distance(point[12], point[13]);
    assert_true(length <= data->tendon_length[0] + rounding);
    assert_true(length >= short_share * data->tendon_length[0] - rounding);

    // where the string is longer than straight, its points are on the surface, and not inside
    const double straight = distance(point[0], point[11]) + 0.5 * distance(point[12], point[13]);
    if (data->tendon_length[0] > straight + 1e-3) {
      assert_true(fabs(nearest - radius) < rounding);
      ++round;
    }
    limpet_skin_destroy(skin);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
  print_message("%d of %d go round\n", round, DRAWS);
  assert_true(round > DRAWS / 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(chains_lie_on_tendons)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
