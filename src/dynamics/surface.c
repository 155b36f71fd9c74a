/* dynamics/surface.c: velocity of moving surfaces.
 *
 *   s(x) = factor (R surface_velocity + R surface_angular_velocity x (x - p))
 *   factor = sum over actuators on the geom of gear_0 (gain_0 u + bias_0);  1 without any
 * u is the clamped control or the activation. An actuator that is switched off adds nothing: its
 * belt stands still. */
#include <assert.h>
#include <string.h>

#include "dynamics/surface.h"

#include "dynamics/transmission.h"
#include "math/vec3.h"
#include "model/workspace.h"

bool limpet_surface_moves(const limpet_model *model, int geom) {
  assert(geom >= 0 && geom < model->geom_count);
  const limpet_material *material = &model->geom_material[geom];
  const double *v = material->surface_velocity, *w = material->surface_angular_velocity;
  if (v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0 && w[0] == 0.0 && w[1] == 0.0 && w[2] == 0.0)
    return false;
  return limpet_vec3_norm(v) > 0.0 || limpet_vec3_norm(w) > 0.0;
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
                             double V[6]) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  assert(geom >= 0 && geom < model->geom_count);
  memset(V, 0, 6 * sizeof *V);
  if (!limpet_surface_moves(model, geom)) return;
  const limpet_material *material = &model->geom_material[geom];
  const double *R = data->geom_rotation + 9 * geom, factor = factor_of(model, data, geom);
  double velocity[3], angular[3], swept[3];
  limpet_mat3_mul_vec(angular, R, material->surface_angular_velocity);
  limpet_mat3_mul_vec(velocity, R, material->surface_velocity);
  limpet_vec3_cross(swept, data->geom_position + 3 * geom, angular);
  limpet_vec3_add(velocity, velocity, swept);
  limpet_vec3_scale(V, factor, angular);
  limpet_vec3_scale(V + 3, factor, velocity);
}
