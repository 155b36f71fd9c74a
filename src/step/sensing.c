/* step/sensing.c: sensors at the start of a step, with the accelerations and forces of the step.
 *
 *   vdot = (v - v0)/dt,   contact, limit and actuator forces: means over the step
 * External wrenches on a body are those that a user applies and those of contacts, loops,
 * spatial tendons and ties. */
#include "step/sensing.h"

#include <string.h>

#include "constraint/loop.h"
#include "constraint/tendon.h"
#include "dynamics/body_forces.h"
#include "dynamics/tendon_wrench.h"
#include "math/vec3.h"
#include "model/history.h"
#include "model/sensor_kind.h"
#include "model/tendon_path.h"
#include "step/free_motion.h"
#include "step/vertex_forces.h"

static void tendon_wrenches(const limpet_model *model, const limpet_data *data,
                            const limpet_step_work *work, const double *v, const double *vdot,
                            double *wrench) {
  for (int t = 0; t < model->tendon_count; ++t) {
    if (!limpet_tendon_is_spatial(model, t)) continue;
    const double along =
        limpet_free_motion_tendon_force(model, data, &work->settings, &work->motion, t, v) +
        limpet_tendon_driving_force(model, data, t, vdot);
    limpet_tendon_wrench_add(model, data, t, along, wrench);
  }
  limpet_tendon_row_wrenches_add(model, data, wrench);
}

static void external_wrenches(const limpet_model *model, const limpet_data *data, double *wrench) {
  memcpy(wrench, data->applied_wrench, 6 * (size_t)model->body_count * sizeof *wrench);
  for (int c = 0; c < data->contact_count; ++c) {
    const int *geom = data->contact_geom + 2 * c;
    const double *position = data->contact_position + 3 * c;
    double force[3];
    limpet_mat3_tmul_vec(force, data->contact_frame + 9 * c, data->contact_force + 3 * c);
    limpet_body_force_add(data, model->geom_body[geom[1]], position, 1.0, force, wrench);
    limpet_body_force_add(data, model->geom_body[geom[0]], position, -1.0, force, wrench);
  }
  limpet_loop_wrenches_add(model, data, wrench);
}

limpet_status limpet_step_sense(const limpet_model *model, limpet_data *data, const double *v,
                                const double *tie_force, const limpet_step_work *work) {
  if (model->sensor_count == 0) return LIMPET_OK;
  limpet_arena *arena = work->arena;
  limpet_sensor_reading reading = {.model = model, .data = data, .contact = true};
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  if (limpet_sensors_need_acceleration(model)) {
    const size_t size = 6 * (size_t)model->body_count;
    double *vdot = LIMPET_TAKE(arena, double, model->nv),
           *acceleration = LIMPET_TAKE(arena, double, size);
    double *wrench = LIMPET_TAKE(arena, double, size);
    if (!vdot || !acceleration || !wrench) return LIMPET_ERROR_MEMORY;
    for (int i = 0; i < model->nv; ++i) vdot[i] = (v[i] - data->v[i]) / work->settings.time_step;
    limpet_body_accelerations(model, data, vdot, acceleration);
    if (limpet_sensors_need_wrench(model)) {
      external_wrenches(model, data, wrench);
      limpet_tie_wrenches_add(model, data, tie_force, wrench);
      tendon_wrenches(model, data, work, v, vdot, wrench);
      limpet_joint_wrenches(model, data, acceleration, wrench);
    }
    reading.acceleration = acceleration, reading.joint_wrench = wrench;
  }
  limpet_sensors_read(&reading, data);
  limpet_history_sensors(model, data);
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}
