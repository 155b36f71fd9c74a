/* dynamics/transmission.c: lengths and rows of the transmissions of MJCF.
 *
 *   joint    gear[0] times the coordinate; ball: gear . rotation vector; free: no length,
 *            gear[0..2] a force along world axes, gear[3..5] the axis of the turn in child axes, or
 *            in parent axes for joint_in_parent
 *   tendon   gear[0] times its length
 *   site     the wrench gear = [force, moment] in axes of the site, without a length. With a
 *            reference site: in its axes, acting on the motion relative to it; length =
 *            gear . (position of the site in the reference site), or gear . (rotation vector from
 *            the reference site to the site). Velocities that move both sites alike drop out. The
 *            torques of an orientation servo are in axes of the site
 *   crank    gear[0] times the travel of a slider: crank_row
 *   body     none: it pulls at contacts (contact/adhesion.c)
 *   surface  none: the velocity of a geom's surface is given, so no force acts on it (surface.h)
 * Source: MJCF reference, actuator/general. */
#include <assert.h>

#include "dynamics/transmission.h"

#include "dynamics/activation.h"
#include "dynamics/orientation.h"

#include "limpet/dynamics.h"
#include "math/quaternion.h"
#include "math/spatial.h"
#include "math/vec3.h"
#include "model/tendon_path.h"
#include "model/workspace.h"

static int joint_row(const limpet_model *model, const limpet_data *data, int actuator,
                     double *length, int *dof, double *row) {
  const int j = model->actuator_target[actuator], first = model->joint_v[j];
  const double *gear = model->actuator_gear + 6 * actuator, *q = data->q + model->joint_q[j];
  const limpet_joint_kind kind = model->joint_kind[j];
  if (limpet_joint_kind_nv(kind) == 1) {
    *length = gear[0] * q[0];
    dof[0] = first, row[0] = gear[0];
    return 1;
  }

  // the axis in child axes
  const bool free_joint = kind == LIMPET_JOINT_FREE;
  const int count = free_joint ? 6 : 3;
  double rotation[4], back[4], turn[3], *axis = row + (free_joint ? 3 : 0);
  limpet_quaternion_copy(rotation, q + (free_joint ? 3 : 0));
  limpet_quaternion_normalize(rotation);
  limpet_vec3_copy(axis, gear + (free_joint ? 3 : 0));
  if (model->actuator_transmission[actuator] == LIMPET_TRANSMISSION_JOINT_IN_PARENT) {
    limpet_quaternion_conjugate(back, rotation);
    limpet_quaternion_rotate(turn, back, axis);
    limpet_vec3_copy(axis, turn);
  }
  if (free_joint) limpet_vec3_copy(row, gear);
  for (int i = 0; i < count; ++i) dof[i] = first + i;
  limpet_quaternion_log(turn, rotation);
  *length = free_joint ? 0.0 : limpet_vec3_dot(turn, axis);
  return count;
}

static int tendon_row(const limpet_model *model, const limpet_data *data, int actuator,
                      double *length, int *dof, double *row) {
  const int t = model->actuator_target[actuator], begin = model->tendon_dof_begin[t],
            count = model->tendon_dof_begin[t + 1] - begin;
  const double gear = model->actuator_gear[6 * actuator];
  *length = gear * data->tendon_length[t];
  for (int i = 0; i < count; ++i) {
    dof[i] = model->tendon_dof[begin + i];
    row[i] = gear * data->tendon_row[begin + i];
  }
  return count;
}

static void site_pose(double position[3], double quaternion[4], const limpet_model *model,
                      const limpet_data *data, int site) {
  const int b = model->site_body[site];
  limpet_mat3_mul_vec(position, data->body_rotation + 9 * b, model->site_position + 3 * site);
  limpet_vec3_add(position, position, data->body_position + 3 * b);
  limpet_quaternion_mul(quaternion, data->body_quaternion + 4 * b,
                        model->site_quaternion + 4 * site);
}

/* Adds sign times the row of a wrench on `body`, for the velocities on its path down to, but
 * without, `stop`. Returns the new count. */
static int path_row(int count, int *dof, double *row, const limpet_model *model,
                    const limpet_data *data, int body, int stop, const double point[3],
                    const double wrench[6], double sign) {
  const int last = model->body_last_dof[body];
  if (last < 0) return count;
  double lever[3], F[6];
  limpet_vec3_sub(lever, point, data->tree_origin + 3 * model->dof_tree[last]);
  limpet_vec3_cross(F, lever, wrench + 3);
  limpet_vec3_add(F, F, wrench);
  limpet_vec3_copy(F + 3, wrench + 3);
  for (int d = last; d >= 0 && d != stop; d = model->dof_parent[d]) {
    dof[count] = d;
    row[count++] = sign * limpet_spatial_dot(data->dof_axis + 6 * d, F);
  }
  return count;
}

static int site_row(const limpet_model *model, const limpet_data *data, int actuator,
                    double *length, int *dof, double *row) {
  const int site = model->actuator_target[actuator],
            reference = model->actuator_reference_site[actuator];
  const double *gear = model->actuator_gear + 6 * actuator;
  double position[3], quaternion[4], wrench[6];
  site_pose(position, quaternion, model, data, site);
  *length = 0.0;
  if (reference < 0) {
    limpet_quaternion_rotate(wrench + 3, quaternion, gear);
    limpet_quaternion_rotate(wrench, quaternion, gear + 3);
    return path_row(0, dof, row, model, data, model->site_body[site], -1, position, wrench, 1.0);
  }

  // pose of the site in the reference site
  double base[3], base_quaternion[4], back[4], offset[3], local[3], relative[4];
  site_pose(base, base_quaternion, model, data, reference);
  limpet_quaternion_conjugate(back, base_quaternion);
  if (limpet_vec3_norm(gear) > 0.0) {
    limpet_vec3_sub(offset, position, base);
    limpet_quaternion_rotate(local, back, offset);
    *length += limpet_vec3_dot(local, gear);
  }
  if (limpet_vec3_norm(gear + 3) > 0.0) {
    limpet_quaternion_mul(relative, back, quaternion);
    limpet_quaternion_log(local, relative);
    *length += limpet_vec3_dot(local, gear + 3);
  }
  const double *axes = limpet_orientation_is_part(model, actuator) ? quaternion : base_quaternion;
  limpet_quaternion_rotate(wrench + 3, axes, gear);
  limpet_quaternion_rotate(wrench, axes, gear + 3);
  const int body = model->site_body[site], base_body = model->site_body[reference];
  const int stop = limpet_common_dof(model, body, base_body);
  const int count = path_row(0, dof, row, model, data, body, stop, position, wrench, 1.0);
  return path_row(count, dof, row, model, data, base_body, stop, base, wrench, -1.0);
}

void limpet_transmission_rotation(const limpet_model *model, const limpet_data *data, int actuator,
                                  double quaternion[4]) {
  assert(actuator >= 0 && actuator < model->actuator_count);
  const int target = model->actuator_target[actuator];
  if (model->actuator_transmission[actuator] == LIMPET_TRANSMISSION_JOINT) {
    assert(model->joint_kind[target] == LIMPET_JOINT_BALL);
    limpet_quaternion_copy(quaternion, data->q + model->joint_q[target]);
    limpet_quaternion_normalize(quaternion);
    return;
  }
  double position[3], own[4], base[4], back[4];
  site_pose(position, own, model, data, target);
  site_pose(position, base, model, data, model->actuator_reference_site[actuator]);
  limpet_quaternion_conjugate(back, base);
  limpet_quaternion_mul(quaternion, back, own);
}

/* Travel of a slider along its axis z, in its own frame, that a rod of length r joins to the
 * crank's pin: d = pin - slider, a = d . z, s = sqrt(a^2 + r^2 - d . d); length a - s. A rod that
 * is too short to reach counts as s = 0 with the slope of a alone. */
static int crank_row(const limpet_model *model, const limpet_data *data, int actuator,
                     double *length, int *dof, double *row) {
  const int pin_site = model->actuator_target[actuator],
            slider_site = model->actuator_reference_site[actuator];
  const double gear = model->actuator_gear[6 * actuator],
               rod = model->actuator_crank_length[actuator];
  double pin[3], slider[3], quaternion[4], axis[3], d[3];
  site_pose(pin, quaternion, model, data, pin_site);
  site_pose(slider, quaternion, model, data, slider_site);
  limpet_quaternion_rotate(axis, quaternion, (const double[3]){0.0, 0.0, 1.0});
  limpet_vec3_sub(d, pin, slider);
  const double a = limpet_vec3_dot(d, axis), square = a * a + rod * rod - limpet_vec3_dot(d, d);
  const double s = square > 0.0 ? sqrt(square) : 0.0;
  *length = gear * (a - s);

  // by the distance of the pins, and by the direction of the axis
  const double share = s > 0.0 ? 1.0 - a / s : 1.0;
  double by_distance[3], by_axis[3], wrench[6] = {0.0};
  limpet_vec3_scale(by_distance, share, axis);
  if (s > 0.0) limpet_vec3_addmul(by_distance, by_distance, 1.0 / s, d);
  limpet_vec3_scale(by_axis, share, d);
  const int body = model->site_body[pin_site], base = model->site_body[slider_site];
  const int stop = limpet_common_dof(model, body, base);
  limpet_vec3_scale(wrench + 3, gear, by_distance);
  const int count = path_row(0, dof, row, model, data, body, stop, pin, wrench, 1.0);
  limpet_vec3_cross(wrench, by_axis, axis);
  limpet_vec3_scale(wrench, gear, wrench);
  return path_row(count, dof, row, model, data, base, stop, slider, wrench, -1.0);
}

int limpet_transmission_row(const limpet_model *model, const limpet_data *data, int actuator,
                            double *length, int *dof, double *row) {
  assert(actuator >= 0 && actuator < model->actuator_count);
  switch (model->actuator_transmission[actuator]) {
    case LIMPET_TRANSMISSION_JOINT:
    case LIMPET_TRANSMISSION_JOINT_IN_PARENT:
      return joint_row(model, data, actuator, length, dof, row);
    case LIMPET_TRANSMISSION_TENDON: return tendon_row(model, data, actuator, length, dof, row);
    case LIMPET_TRANSMISSION_SLIDER_CRANK:
      return crank_row(model, data, actuator, length, dof, row);
    case LIMPET_TRANSMISSION_SURFACE:
    case LIMPET_TRANSMISSION_BODY: *length = 0.0; return 0;
    case LIMPET_TRANSMISSION_SITE: break;
  }
  return site_row(model, data, actuator, length, dof, row);
}

int limpet_actuator_row(const limpet_model *model, const limpet_data *data, int actuator, int *dof,
                        double *row) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  assert(actuator >= 0 && actuator < model->actuator_count);
  assert(model->nv == 0 || (dof && row));
  double length;
  return limpet_transmission_row(model, data, actuator, &length, dof, row);
}

double limpet_actuator_input(const limpet_model *model, const limpet_data *data, int actuator) {
  assert(actuator >= 0 && actuator < model->actuator_count);
  const int act = model->actuator_act[actuator];
  return act >= 0 ? data->activation[act] : limpet_actuator_control(model, data, actuator);
}

// Gear of an actuator on a rotation with three degrees of freedom; NULL: it acts on something else.
static const double *rotation_gear(const limpet_model *model, int actuator) {
  const double *gear = model->actuator_gear + 6 * actuator;
  const int target = model->actuator_target[actuator];
  switch (model->actuator_transmission[actuator]) {
    case LIMPET_TRANSMISSION_JOINT:
    case LIMPET_TRANSMISSION_JOINT_IN_PARENT:
      return model->joint_kind[target] == LIMPET_JOINT_BALL ? gear : NULL;
    case LIMPET_TRANSMISSION_SITE:
      if (model->actuator_reference_site[actuator] == LIMPET_NONE) return NULL;
      return gear[0] == 0.0 && gear[1] == 0.0 && gear[2] == 0.0 ? gear + 3 : NULL;
    default: return NULL;
  }
}

double limpet_servo_input(const limpet_model *model, int actuator, double input, double length) {
  assert(actuator >= 0 && actuator < model->actuator_count);
  const double *gain = model->actuator_gain + 3 * actuator,
               *bias = model->actuator_bias + 3 * actuator;
  if (gain[0] == 0.0 || gain[1] != 0.0 || gain[2] != 0.0 || bias[1] != -gain[0]) return input;
  return limpet_shorter_way(model, actuator, input, length);
}

double limpet_shorter_way(const limpet_model *model, int actuator, double input, double length) {
  assert(actuator >= 0 && actuator < model->actuator_count);
  const double *gear = rotation_gear(model, actuator);
  if (!gear) return input;
  const double turn =
      2.0 * LIMPET_PI * sqrt(gear[0] * gear[0] + gear[1] * gear[1] + gear[2] * gear[2]);
  return turn > 0.0 && fabs(input - length) > 0.5 * turn ? length + remainder(input - length, turn)
                                                         : input;
}
