/* dynamics/surface.c: velocity of moving surfaces.
 *
 *   s = factor R surface_velocity
 *   factor = sum over actuators on the geom of gear_0 (gain_0 u + bias_0);  1 without any
 * u is the clamped control or the activation. An actuator that is switched off adds nothing: its
 * belt stands still. */
#include <assert.h>

#include "dynamics/surface.h"

#include "dynamics/transmission.h"
#include "math/vec3.h"
#include "model/workspace.h"

bool limpet_surface_moves(const limpet_model *model, int geom) {
  assert(geom >= 0 && geom < model->geom_count);
  const double *s = model->geom_material[geom].surface_velocity;
  return s[0] != 0.0 || s[1] != 0.0 || s[2] != 0.0;
}

static double factor_of(const limpet_model *model, const limpet_data *data, int geom) {
  bool driven = false;
  double factor = 0.0;
  for (int i = 0; i < model->actuator_count; ++i) {
    if (model->actuator_transmission[i] != LIMPET_TRANSMISSION_SURFACE ||
        model->actuator_target[i] != geom)
      continue;
    driven = true;
    if (model->actuator_disabled[i] || (model->options.disabled & LIMPET_DISABLE_ACTUATION))
      continue;
    factor += model->actuator_gear[6 * i] *
              (model->actuator_gain[3 * i] * limpet_actuator_input(model, data, i) +
               model->actuator_bias[3 * i]);
  }
  return driven ? factor : 1.0;
}

void limpet_surface_velocity(const limpet_model *model, const limpet_data *data, int geom,
                             double v[3]) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  assert(geom >= 0 && geom < model->geom_count);
  limpet_vec3_zero(v);
  if (!limpet_surface_moves(model, geom)) return;
  limpet_mat3_mul_vec(v, data->geom_rotation + 9 * geom,
                      model->geom_material[geom].surface_velocity);
  limpet_vec3_scale(v, factor_of(model, data, geom), v);
}
