/* control/drive.c: the laws of a drive at work.
 *
 *   inverse dynamics  tau = M(q)(a_d + kd (v_d - v) + kp (q_d - q)) + bias(q, v) - passive: with
 *                     the exact model the error obeys e'' + kd e' + kp e = 0, up to O(dt), because
 *                     tau holds for a step
 *   feed-forward      tau = rnea(q_d, v_d, a_d) - passive + kp (q_d - q) + kd (v_d - v)
 *   position          u such that the servo rests at q_d; with `lead`, such that it exerts
 *                     rnea(q_d, v_d, a_d) - passive there
 * A servo that is to exert tau is told where the joint is expected at the end of the step, v1 = v +
 * dt a, q1 = q + dt v1.
 * Reference: Siciliano, Sciavicco, Villani, Oriolo, Robotics (2009), sections 8.5.2 and 8.3. */
#include "control/drive.h"

#include <math.h>

double limpet_drive_time(const limpet_drive *drive, double time, double time_step) {
  return drive->law == LIMPET_DRIVE_POSITION ? time + time_step : time;
}

// Writes tau; q and v are expected at the end of the step. False when a limit stood against it.
static bool torque_apply(const limpet_drive *drive, const limpet_model *model, limpet_data *data,
                         int i, double q, double v) {
  if (drive->joint_force) {
    const double *range = model->joint_effort_range + 2 * drive->joint[i];
    const bool limited = model->joint_effort_limited[drive->joint[i]];
    const double tau = limited ? fmin(fmax(drive->tau[i], range[0]), range[1]) : drive->tau[i];
    data->applied_force[drive->v[i]] = tau;
    return tau == drive->tau[i];
  }
  return limpet_actuator_command(model, drive->actuator[i], q, v, drive->tau[i],
                                 &data->control[drive->actuator[i]]);
}

static void torque_follow(limpet_drive *drive, const limpet_model *model, limpet_data *data,
                          double dt, limpet_update *update) {
  const double *friction = drive->friction ? drive->wanted_v : NULL;
  const bool ahead = drive->law == LIMPET_DRIVE_FEED_FORWARD;
  for (int i = 0; i < drive->n; ++i) {
    const double e = drive->wanted_q[i] - data->q[drive->q[i]],
                 rate = drive->wanted_v[i] - data->v[drive->v[i]];
    drive->a[i] = drive->wanted_a[i] + (ahead ? 0.0 : drive->kp[i] * e + drive->kd[i] * rate);
  }
  limpet_inverse_dynamics_forces(drive->dynamics, data, ahead ? drive->wanted_q : NULL,
                                 ahead ? drive->wanted_v : NULL, drive->a, friction, drive->tau);
  for (int i = 0; i < drive->n; ++i) {
    const double q = data->q[drive->q[i]], v = data->v[drive->v[i]], v1 = v + dt * drive->a[i];
    if (ahead)
      drive->tau[i] +=
          drive->kp[i] * (drive->wanted_q[i] - q) + drive->kd[i] * (drive->wanted_v[i] - v);
    if (!torque_apply(drive, model, data, i, q + dt * v1, v1)) update->saturated = true;
  }
}

static void position_follow(limpet_drive *drive, const limpet_model *model, limpet_data *data,
                            limpet_update *update) {
  if (drive->lead)
    limpet_inverse_dynamics_forces(drive->dynamics, data, drive->wanted_q, drive->wanted_v,
                                   drive->wanted_a, drive->friction ? drive->wanted_v : NULL,
                                   drive->tau);
  for (int i = 0; i < drive->n; ++i) {
    const double v = drive->lead ? drive->wanted_v[i] : 0.0,
                 tau = drive->lead ? drive->tau[i] : 0.0;
    if (!limpet_actuator_command(model, drive->actuator[i], drive->wanted_q[i], v, tau,
                                 &data->control[drive->actuator[i]]))
      update->saturated = true;
  }
}

void limpet_drive_follow(limpet_drive *drive, const limpet_model *model, limpet_data *data,
                         double time_step, limpet_update *update) {
  for (int i = 0; i < drive->n; ++i)
    update->error = fmax(update->error, fabs(drive->wanted_q[i] - data->q[drive->q[i]]));
  if (drive->law == LIMPET_DRIVE_POSITION) position_follow(drive, model, data, update);
  else torque_follow(drive, model, data, time_step, update);
}
