/* dynamics/actuation.c: actuators of MJCF, explicit at the present state.
 *
 *   u      control, clamped to its range; act: activation, activation.c
 *   force  gain(l, l') (u or act) + bias(l, l'),   l length of the transmission: actuator_law.c
 *   act with `early`: its value at the end of the step, clamped
 * Forces of actuators on one tendon are scaled so that their sum obeys the tendon's effort range,
 * then each is clamped to its own range; the generalised force is the sum of row times force;
 * gravity compensation joins it where the joint says so; the sum on a joint is clamped to the
 * joint's effort range. Actuators of disabled groups give no force, and neither do any with
 * LIMPET_DISABLE_ACTUATION; then, and in a model without actuators, gravity compensation by
 * actuators is not there either. The input of a position servo on a rotation counts modulo whole
 * turns.
 * Source: MJCF reference, actuator/general, joint/actuatorfrcrange, tendon/actuatorfrcrange. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "dynamics/activation.h"
#include "dynamics/actuator_law.h"
#include "dynamics/motor.h"
#include "dynamics/orientation.h"
#include "dynamics/transmission.h"
#include "dynamics/tree.h"
#include "math/extremes.h"
#include "math/nonzero.h"
#include "model/workspace.h"

static double clamped(double value, const double range[2]) {
  return limpet_min(limpet_max(value, range[0]), range[1]);
}

// What the gain multiplies: the control or the activation, whose rate is stored.
static double input_of(const limpet_model *model, limpet_data *data, int i, double dt) {
  const int index = model->actuator_act[i];
  if (index >= 0)
    data->activation_rate[index] = limpet_activation_rate(model, i, data->activation[index],
                                                          limpet_actuator_control(model, data, i));
  return limpet_activation_input(model, data, i, dt);
}

// Of controller or winding, before its range; stores the rates of its activations.
static double drive_of(const limpet_model *model, limpet_data *data, int i, double dt) {
  if (model->actuator_part[i] > 0) return 0.0;
  limpet_motor_action action;
  limpet_motor_act(model, data, i, dt, &action);
  for (int k = 0; k < model->actuator_act_count[i]; ++k)
    data->activation_rate[model->actuator_act[i] + k] = action.rate[k];
  return limpet_motor_value(&action.drive, data->actuator_velocity[i]);
}

// What cogging and friction add to a force that is within its range.
static double friction_of(const limpet_model *model, const limpet_data *data, int i, double dt) {
  if (!limpet_actuator_is_motor(model, i) || model->actuator_part[i] > 0) return 0.0;
  limpet_motor_action action;
  limpet_motor_act(model, data, i, dt, &action);
  return limpet_motor_value(&action.friction, data->actuator_velocity[i]);
}

// Three numbers for gain and bias and no activation, on one coordinate: most actuators of robots.
static bool is_plain(const limpet_model *model, int i) {
  return limpet_actuator_on_coordinate(model, i) && limpet_actuator_is_affine(model, i) &&
         model->actuator_activation[i] == LIMPET_ACTIVATION_NONE;
}

static inline double plain_force(const limpet_model *model, const limpet_data *data, int i) {
  const double *gain = model->actuator_gain + 3 * i, *bias = model->actuator_bias + 3 * i;
  const double length = data->actuator_length[i], velocity = data->actuator_velocity[i];
  return (gain[0] + gain[1] * length + gain[2] * velocity) *
             limpet_actuator_control(model, data, i) +
         (bias[0] + bias[1] * length + bias[2] * velocity);
}

// All of a plain actuator: its length, velocity and force, and what it adds to its coordinate.
static void act_plainly(const limpet_model *model, limpet_data *data, int i) {
  const int joint = model->actuator_target[i], d = model->joint_v[joint];
  const double gear = model->actuator_gear[6 * i];
  data->actuator_length[i] = gear * data->q[model->joint_q[joint]];
  data->actuator_velocity[i] = gear * data->v[d];
  double force = 0.0;
  if (!(model->options.disabled & LIMPET_DISABLE_ACTUATION) && !model->actuator_disabled[i]) {
    force = plain_force(model, data, i);
    if (model->actuator_force_limited[i])
      force = clamped(force, model->actuator_force_range + 2 * i);
  }
  data->actuator_force[i] = force;
  data->actuator_joint_force[d] += gear * force;
}

static double force_of(const limpet_model *model, limpet_data *data, int i, double dt) {
  if (is_plain(model, i)) return plain_force(model, data, i);
  if (limpet_actuator_is_motor(model, i)) return drive_of(model, data, i, dt);
  if (limpet_orientation_is_part(model, i)) return limpet_orientation_torque(model, data, i, NULL);
  const double length = data->actuator_length[i], velocity = data->actuator_velocity[i];
  const double input = limpet_servo_input(model, i, input_of(model, data, i, dt), length);
  return limpet_actuator_gain_curve(model, i, length, velocity).value * input +
         limpet_actuator_bias_curve(model, i, length, velocity).value;
}

static bool on_tendon(const limpet_model *model, int actuator, int tendon) {
  return model->actuator_transmission[actuator] == LIMPET_TRANSMISSION_TENDON &&
         model->actuator_target[actuator] == tendon;
}

static void tendon_effort_limits(const limpet_model *model, limpet_data *data, limpet_trees trees) {
  for (int t = 0; t < model->tendon_count; ++t) {
    if (!model->tendon_effort_limited[t] || !limpet_tendon_moves(model, t, trees)) continue;
    double sum = 0.0;
    for (int i = 0; i < model->actuator_count; ++i)
      if (on_tendon(model, i, t)) sum += data->actuator_force[i];
    const double allowed = clamped(sum, model->tendon_effort_range + 2 * t);
    if (allowed == sum) continue;
    for (int i = 0; i < model->actuator_count; ++i)
      if (on_tendon(model, i, t)) data->actuator_force[i] *= allowed / sum;
  }
}

// Whether a joint has an effort limit, or counts gravity compensation as actuation.
static bool has_effort_rules(const limpet_model *model) {
  return limpet_any_true(model->joint_effort_limited, model->joint_count) ||
         limpet_any_true(model->joint_actuator_gravity_compensation, model->joint_count);
}

// Gravity compensation that counts as actuation, then effort limits of joints with one coordinate.
static void joint_effort_limits(const limpet_model *model, limpet_data *data, limpet_range joints) {
  for (int j = joints.first; j < joints.end; ++j) {
    const bool limited = model->joint_effort_limited[j];
    if (!limited && !model->joint_actuator_gravity_compensation[j]) continue;
    const int first = model->joint_v[j], n = limpet_joint_kind_nv(model->joint_kind[j]);
    if (model->joint_actuator_gravity_compensation[j])
      for (int k = 0; k < n; ++k)
        data->actuator_joint_force[first + k] += data->gravity_compensation_force[first + k];
    if (limited && n == 1)
      data->actuator_joint_force[first] =
          clamped(data->actuator_joint_force[first], model->joint_effort_range + 2 * j);
  }
}

// Actuators that are not plain: which they are, and their rows one after the other.
typedef struct actuator_rows {
  int count;
  int *actuator;  // (count)
  int *begin;     // (count + 1)
  int *dof;       // (begin[count])
  double *row;
} actuator_rows;

// Length, velocity and row of one more.
static void transmit(const limpet_model *model, limpet_data *data, int i, actuator_rows *others) {
  const int first = others->begin[others->count];
  int *dof = others->dof + first;
  double *row = others->row + first, velocity = 0.0;
  const int entries = limpet_transmission_row(model, data, i, &data->actuator_length[i], dof, row);
  for (int k = 0; k < entries; ++k) velocity += row[k] * data->v[dof[k]];
  data->actuator_velocity[i] = velocity;
  others->actuator[others->count++] = i;
  others->begin[others->count] = first + entries;
}

// Without limits of its own and of effort; stores the activation's rate.
static double scalar_force(const limpet_model *model, limpet_data *data, int i, double dt) {
  // the activation of a disabled group has a rate, but no force
  const double force =
      model->options.disabled & LIMPET_DISABLE_ACTUATION ? 0.0 : force_of(model, data, i, dt);
  const bool forceless =
      model->actuator_disabled[i] || model->actuator_transmission[i] == LIMPET_TRANSMISSION_SURFACE;
  return forceless ? 0.0 : force;
}

// Within its own range, and with what friction adds.
static double own_force(const limpet_model *model, const limpet_data *data, int i, double dt,
                        double force) {
  if ((model->options.disabled & LIMPET_DISABLE_ACTUATION) || model->actuator_disabled[i])
    return force;
  if (model->actuator_force_limited[i]) force = clamped(force, model->actuator_force_range + 2 * i);
  return force + friction_of(model, data, i, dt);
}

double limpet_actuator_own_force(const limpet_model *model, limpet_data *data, int actuator,
                                 double dt) {
  return own_force(model, data, actuator, dt, scalar_force(model, data, actuator, dt));
}

// Force and joint forces of the actuators that are not plain, within the limits of tendons.
static void act_otherwise(const limpet_model *model, limpet_data *data, limpet_trees trees,
                          double dt, const actuator_rows *others) {
  for (int o = 0; o < others->count; ++o) {
    const int i = others->actuator[o];
    data->actuator_force[i] = scalar_force(model, data, i, dt);
  }
  tendon_effort_limits(model, data, trees);
  for (int o = 0; o < others->count; ++o) {
    const int i = others->actuator[o];
    data->actuator_force[i] = own_force(model, data, i, dt, data->actuator_force[i]);
    for (int k = others->begin[o]; k < others->begin[o + 1]; ++k)
      data->actuator_joint_force[others->dof[k]] += others->row[k] * data->actuator_force[i];
  }
}

void limpet_trees_actuation(const limpet_model *model, limpet_data *data, limpet_trees trees,
                            double dt) {
  assert(limpet_data_ready(
      model, data,
      LIMPET_MARK_POSES | LIMPET_MARK_VELOCITIES | LIMPET_MARK_TENDONS | LIMPET_MARK_PASSIVE));
  const size_t entries = limpet_actuator_entries(model), count = (size_t)model->actuator_count;
  double *row = limpet_scratch_begin(data->workspace, 2 * entries + count + 1);
  actuator_rows others = {.row = row, .dof = (int *)(void *)(row + entries)};
  others.actuator = others.dof + entries, others.begin = others.actuator + count;
  others.begin[0] = 0;
  memset(data->actuator_joint_force, 0, (size_t)model->nv * sizeof(double));
  memset(data->activation_rate, 0, (size_t)model->na * sizeof(double));
  const bool disabled = model->options.disabled & LIMPET_DISABLE_ACTUATION;
  for (int i = 0; i < model->actuator_count; ++i) {
    if (trees.tree && !limpet_actuator_acts(model, i, trees)) continue;
    if (is_plain(model, i)) act_plainly(model, data, i);
    else transmit(model, data, i, &others);
  }
  if (others.count > 0) act_otherwise(model, data, trees, dt, &others);
  const int runs = disabled || model->actuator_count == 0 || !has_effort_rules(model)
                       ? 0
                       : limpet_trees_run_count(trees);
  for (int i = 0; i < runs; ++i)
    joint_effort_limits(model, data, limpet_trees_run(model, trees, i).joints);
  limpet_scratch_end(data->workspace);
}

void limpet_actuation(const limpet_model *model, limpet_data *data) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_PASSIVE));
  limpet_trees_actuation(model, data, limpet_trees_all(model), model->options.time_step);
}
