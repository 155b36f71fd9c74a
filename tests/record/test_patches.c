/* tests/record/test_patches.c: contact surfaces of a picture: their polygons lie where the bodies
 * touch and carry their weight; stored frames keep them, also when every second one is dropped. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "math/vec3.h"
#include "mjcf_text.h"
#include "record/frame_store.h"

enum { SETTLING = 500 };
static const double weight = 1.0 * 9.81;  // [N]

static const char cube[] = MODEL(
    "<worldbody><geom type='plane' size='1 1 .1'/><body pos='0 0 .05'><freejoint/><geom type='box' "
    "size='.05 .05 .05' mass='1' limpet:elastic_modulus='1e6'/></body></worldbody>");

typedef struct world {
  limpet_model *model;
  limpet_data *data;
  limpet_step_settings settings;
} world;

static world settled(const char *text) {
  world w = {.model = mjcf_load(text)};
  w.data = limpet_data_create(w.model);
  w.settings = limpet_step_settings_default(w.model);
  for (int i = 0; i < SETTLING; ++i) limpet_step(w.model, w.data, &w.settings);
  limpet_kinematics(w.model, w.data);
  return w;
}

static void world_close(world *w) {
  limpet_data_destroy(w->data);
  limpet_model_destroy(w->model);
}

// Integral of the pressure over all polygons [N]: exact where it is linear on each.
static double load_of(const limpet_patches *patches) {
  double load = 0.0;
  const double *x = patches->vertex, *p = patches->pressure;
  for (int k = 0; k < patches->polygon_count; ++k) {
    for (int c = 2; c < patches->size[k]; ++c) {
      double u[3], v[3], cross[3];
      limpet_vec3_sub(u, x + 3 * c - 3, x), limpet_vec3_sub(v, x + 3 * c, x);
      limpet_vec3_cross(cross, u, v);
      load += 0.5 * limpet_vec3_norm(cross) * (p[0] + p[c - 1] + p[c]) / 3.0;
    }
    x += 3 * patches->size[k], p += patches->size[k];
  }
  return load;
}

// At rest nothing dissipates: the pressure of the field carries the cube, to its last 1e-6.
static void polygons_carry_the_weight(void **state) {
  (void)state;
  world w = settled(cube);
  limpet_patches patches = {0};
  assert_int_equal(limpet_patches_take(&patches, w.data), LIMPET_OK);
  assert_true(patches.polygon_count > 0);
  assert_true(fabs(load_of(&patches) / weight - 1.0) < 1e-5);
  for (int k = 0; k < patches.corner_count; ++k)
    assert_true(fabs(patches.vertex[3 * k + 2]) < 1e-9 && patches.pressure[k] >= 0.0);
  limpet_patches_free(&patches);
  world_close(&w);
}

// Nothing touches: nothing is drawn. Points alone: neither.
static void without_surfaces_there_are_none(void **state) {
  (void)state;
  world w =
      settled(MODEL("<worldbody><geom type='plane' size='1 1 .1'/><body pos='0 0 .05'>"
                    "<freejoint/><geom type='box' size='.05 .05 .05'/></body></worldbody>"));
  limpet_patches patches = {0};
  assert_int_equal(limpet_patches_take(&patches, w.data), LIMPET_OK);
  assert_int_equal(patches.polygon_count, 0);
  limpet_patches_free(&patches);
  world_close(&w);
}

// Five frames, of which the first, the third and the last stay.
static void stored_frames_keep_them(void **state) {
  (void)state;
  world w = settled(cube);
  limpet_scene *scene = limpet_scene_create(w.model, NULL, NULL);
  limpet_scene_place(scene, w.data);
  limpet_frame *frame = limpet_frame_create(scene);
  limpet_frame_store store = {.moving_count = scene->moving_count};
  double peak[LIMPET_SIGNAL_COUNT] = {0.0};
  limpet_outcome worst = LIMPET_OUTCOME_SOLVED;
  for (int f = 0; f < 5; ++f) {
    assert_int_equal(limpet_frame_take(frame, scene, w.data), LIMPET_OK);
    for (int k = 0; k < frame->patches.corner_count; ++k) frame->patches.pressure[k] = f;
    assert_int_equal(limpet_frame_store_append(&store, frame), LIMPET_OK);
  }
  const int corners = store.frame[0].corner_count, polygons = store.frame[0].polygon_count;
  assert_true(polygons > 0);
  assert_int_equal(store.corner_count, 5 * corners);
  limpet_frame_store_halve(&store, peak, &worst);
  assert_int_equal(store.polygon_count, 3 * polygons);
  assert_int_equal(store.corner_count, 3 * corners);
  for (int f = 0; f < 3; ++f) {
    assert_int_equal(store.frame[f].corner_begin, f * corners);
    assert_true(store.corner[store.frame[f].corner_begin].pressure == (float)(2 * f));
    assert_true(store.corner[store.frame[f].corner_begin + corners - 1].pressure == (float)(2 * f));
  }
  limpet_frame_store_free(&store);
  limpet_frame_destroy(frame);
  limpet_scene_destroy(scene);
  world_close(&w);
}

// A live view sends one frame at a time: none may carry the surfaces of those before.
static void a_cleared_store_is_empty(void **state) {
  (void)state;
  world w = settled(cube);
  limpet_scene *scene = limpet_scene_create(w.model, NULL, NULL);
  limpet_scene_place(scene, w.data);
  limpet_frame *frame = limpet_frame_create(scene);
  limpet_frame_store store = {.moving_count = scene->moving_count};
  assert_int_equal(limpet_frame_take(frame, scene, w.data), LIMPET_OK);
  for (int f = 0; f < 3; ++f) {
    limpet_frame_store_clear(&store);
    assert_int_equal(limpet_frame_store_append(&store, frame), LIMPET_OK);
    assert_int_equal(store.frame_count, 1);
    assert_int_equal(store.polygon_count, frame->patches.polygon_count);
    assert_int_equal(store.corner_count, frame->patches.corner_count);
    assert_int_equal(store.frame[0].polygon_begin, 0);
    assert_int_equal(store.frame[0].corner_begin, 0);
  }
  limpet_frame_store_free(&store);
  limpet_frame_destroy(frame);
  limpet_scene_destroy(scene);
  world_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(polygons_carry_the_weight),
      cmocka_unit_test(without_surfaces_there_are_none),
      cmocka_unit_test(stored_frames_keep_them),
      cmocka_unit_test(a_cleared_store_is_empty),
  };
  return cmocka_run_group_tests_name("patches", tests, NULL, NULL);
}
