/* tests/support/impulse_world.c: see impulse_world.h. */
#include "impulse_world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "math/vec3.h"
#include "mjcf_text.h"

impulse_world impulse_world_open(const char *text, const char *contact_model, double dt,
                                 bool explicit_euler) {
  impulse_world w = {.model = mjcf_load(text)};
  w.model->options.anchor_count = 64;
  w.data = limpet_data_create(w.model);
  w.settings = limpet_step_settings_default(w.model);
  limpet_step_settings_scheme(&w.settings, limpet_scheme_find("impulse"));
  if (!limpet_contact_model_find(contact_model))
    fail_msg("there is no contact model %s", contact_model);
  limpet_step_settings_contact_model(&w.settings, limpet_contact_model_find(contact_model));
  w.settings.time_step = dt;
  w.settings.explicit_euler = explicit_euler;
  if (w.model->keyframe_count > 0) limpet_data_reset_keyframe(w.model, w.data, 0);
  return w;
}

void impulse_world_close(impulse_world *w) {
  limpet_data_destroy(w->data);
  limpet_model_destroy(w->model);
}

void impulse_world_run(impulse_world *w, double time) {
  const int steps = (int)(time / w->settings.time_step + 0.5);
  for (int i = 0; i < steps; ++i) {
    if (limpet_step(w->model, w->data, &w->settings) >= LIMPET_OUTCOME_NUMERICAL_FAILURE)
      fail_msg("step %d failed", i);
    for (int k = 0; k < w->model->nv; ++k) assert_true(isfinite(w->data->v[k]));
  }
}

const char *impulse_boxes(int count, double degrees) {
  static char text[8192];
  const double a = degrees * LIMPET_PI / 180.0;
  size_t n = (size_t)snprintf(text, sizeof text,
                              "<mujoco><option gravity='%.17g 0 %.17g'/><worldbody><geom "
                              "type='plane' size='1 1 1' friction='.5'/>",
                              9.81 * sin(a), -9.81 * cos(a));
  for (int i = 0; i < count; ++i)
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "<body pos='0 0 %.17g'><freejoint/><geom type='box' size='.05 .05 .05' "
                          "mass='1' friction='.5'/></body>",
                          0.05 + 0.1 * i);
  snprintf(text + n, sizeof text - n, "</worldbody></mujoco>");
  return text;
}

#define FINGER(name, x, axis)                                             \
  "<body pos='" x " 0 0'><joint name='" name "' type='slide' axis='" axis \
  " 0 0'/><geom type='box' size='.01 .02 .02' mass='.1' friction='.6'/></body>"
#define GRASP(geom)                                                                              \
  "<mujoco><worldbody>" FINGER("left", "-.0435", "1") FINGER(                                    \
      "right", ".0435", "-1") "<body><freejoint/><geom " geom                                    \
                              " mass='.058' friction='.6'/></body></worldbody><actuator><motor " \
                              "joint='left'/><motor joint='right'/></actuator>"                  \
                              "<keyframe><key ctrl='5 5'/></keyframe></mujoco>"

const char *impulse_grasp(bool cube) {
  return cube ? GRASP("type='box' size='.0335 .0335 .0335'") : GRASP("type='sphere' size='.0335'");
}
