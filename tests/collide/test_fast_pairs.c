/* tests/collide/test_fast_pairs.c: contacts of fast hulls do not depend on what other pairs were
 * looked at before them in the same step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "mjcf_text.h"

enum { SIDES = 32, TEXT = 12000 };

// A prism with many faces; it lies on one of its sides, whose numbers the tetrahedra do not have.
static int prism(char *text, size_t size) {
  int length = 0;
  for (int k = 0; k < 2 * SIDES; ++k) {
    const double angle = 2.0 * 3.14159265358979 * (k % SIDES + 0.5) / SIDES;
    length += snprintf(text + length, size - (size_t)length, "%.9g %.9g %g ", 0.1 * cos(angle),
                       0.1 * sin(angle), k < SIDES ? -0.05 : 0.05);
  }
  return length;
}

/* A fast tetrahedron above a small tetrahedron that stands still with a face up; `other`: beside
 * them one above a prism. */
static limpet_model *fast_hulls(bool other) {
  char text[TEXT], vertices[6000];
  prism(vertices, sizeof vertices);
  snprintf(
      text, sizeof text,
      "<mujoco><asset><mesh name='prism' vertex='%s'/>"
      "<mesh name='floor' vertex='-.1 -.1 0  .1 -.1 0  0 .1 0  0 0 -.1'/>"
      "<mesh name='tip' vertex='-.03 -.03 0  .03 -.03 0  0 .03 0  0 0 .05'/></asset>"
      "<worldbody>%s<geom type='mesh' mesh='floor' pos='0 0 0'/>%s"
      "<body pos='0 0 .1'><freejoint/><geom type='mesh' mesh='tip' mass='1'/></body>"
      "</worldbody></mujoco>",
      vertices, other ? "<geom type='mesh' mesh='prism' pos='2 0 0' euler='90 0 0'/>" : "",
      other ? "<body pos='2 0 .2'><freejoint/><geom type='mesh' mesh='tip' mass='1'/></body>" : "");
  return mjcf_load(text);
}

// Contacts of the last body after one step at 60 m/s downwards.
static int land(limpet_model *model, double *position, double *distance) {
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  const int body = model->body_count - 1;
  int count = 0;
  for (int d = 2; d < model->nv; d += 6) data->v[d] = -60.0;
  assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
  for (int i = 0; i < data->contact_count; ++i) {
    const int *geom = data->contact_geom + 2 * i;
    if (model->geom_body[geom[0]] != body && model->geom_body[geom[1]] != body) continue;
    memcpy(position + 3 * count, data->contact_position + 3 * i, 3 * sizeof *position);
    distance[count++] = data->contact_distance[i];
  }
  limpet_data_destroy(data);
  return count;
}

static void pairs_do_not_see_each_other(void **state) {
  (void)state;
  double position[2][24], distance[2][8];
  int count[2];
  for (int k = 0; k < 2; ++k) {
    limpet_model *model = fast_hulls(k == 1);
    count[k] = land(model, position[k], distance[k]);
    limpet_model_destroy(model);
  }
  assert_true(count[0] > 0);
  assert_int_equal(count[1], count[0]);
  for (int i = 0; i < count[0]; ++i) {
    assert_true(distance[0][i] > 0.01);  // it is fast: it starts far away
    assert_true(fabs(distance[1][i] - distance[0][i]) <= 1e-15);
    for (int e = 0; e < 3; ++e)
      assert_true(fabs(position[1][3 * i + e] - position[0][3 * i + e]) <= 1e-15);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_do_not_see_each_other)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
