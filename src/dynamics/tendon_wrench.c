/* dynamics/tendon_wrench.c: forces along tendons, and what these exert on bodies.
 *
 *   along = -k x - c l' + sum of actuator forces - m (a vdot + a' v)
 * x: length beyond the rest range, a: row, m: armature (tendon_bias.c). A straight piece with the
 * direction u pushes its ends apart with share * along: -u on its first body, +u on its second. The
 * pieces at a surface end where the string meets it, so it gets what the string bends with. */
#include "dynamics/tendon_wrench.h"

#include <assert.h>

#include "dynamics/body_forces.h"
#include "dynamics/joint_spring.h"
#include "dynamics/tree.h"
#include "math/vec3.h"
#include "model/tendon_path.h"
#include "model/workspace.h"

typedef struct tendon_pull {
  const limpet_data *data;
  double along;  // [N]
  double *wrench;
} tendon_pull;

// Both ends of a straight piece are pushed apart.
static void push_apart(void *context, const limpet_tendon_piece *piece) {
  const tendon_pull *pull = context;
  double force[3];
  limpet_vec3_sub(force, piece->end[1], piece->end[0]);
  if (!(limpet_vec3_normalize(force) > 0.0)) return;
  limpet_vec3_scale(force, piece->share * pull->along, force);
  limpet_body_force_add(pull->data, piece->body[0], piece->end[0], -1.0, force, pull->wrench);
  limpet_body_force_add(pull->data, piece->body[1], piece->end[1], 1.0, force, pull->wrench);
}

void limpet_tendon_wrench_add(const limpet_model *model, const limpet_data *data, int tendon,
                              double along, double *wrench) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  const limpet_tendon_frames frames = {.body_position = data->body_position,
                                       .body_rotation = data->body_rotation};
  tendon_pull pull = {.data = data, .along = along, .wrench = wrench};
  if (along != 0.0 && limpet_tendon_is_spatial(model, tendon))
    limpet_tendon_walk(model, &frames, tendon, push_apart, &pull);
}

double limpet_tendon_driving_force(const limpet_model *model, const limpet_data *data, int tendon,
                                   const double *vdot) {
  double along = 0.0;
  for (int i = 0; i < model->actuator_count; ++i)
    if (model->actuator_transmission[i] == LIMPET_TRANSMISSION_TENDON &&
        model->actuator_target[i] == tendon)
      along += model->actuator_gear[6 * i] * data->actuator_force[i];
  const double m = limpet_tendon_own_armature(model, tendon);
  if (!(m > 0.0)) return along;
  double rate = limpet_tendon_row_rate(model, data, tendon);
  for (int i = model->tendon_dof_begin[tendon]; i < model->tendon_dof_begin[tendon + 1]; ++i)
    rate += data->tendon_row[i] * vdot[model->tendon_dof[i]];
  return along - m * rate;
}

double limpet_tendon_passive_force(const limpet_model *model, const limpet_data *data, int tendon) {
  const unsigned disabled = model->options.disabled;
  double along = 0.0;
  if (!(disabled & LIMPET_DISABLE_SPRING)) along += limpet_tendon_spring_force(model, data, tendon);
  if (!(disabled & LIMPET_DISABLE_DAMPER))
    along -= limpet_tendon_damper_rate(model, data, tendon) * data->tendon_velocity[tendon];
  return along;
}
