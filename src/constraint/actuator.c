/* constraint/actuator.c: actuators with gains, implicit and within their limits.
 *
 *   force  f = clamp(f_0 - kp dt u - kd u, lower, upper)
 *          u = a v      velocity of the transmission at the end of the step
 *          f_0 = (gain_0 input - kp length) + bias_0
 *          kp = -(bias_1 + gain_1 input),  kd = -(bias_2 + gain_2 input)
 *   row    gamma = clamp((v_hat - u)/R, dt lower, dt upper)
 *          R = 1/(dt (dt kp + kd)),  v_hat = f_0/(dt kp + kd)
 * A motor (dynamics/motor.c) follows the motion by kp and kd of its controller, its back-EMF and
 * its bristles.
 * A muscle (dynamics/muscle.c) is linear about its state: kp, kd its slopes, kp at least 0. A part
 * of an orientation servo has kp times the turn that is left in place of the length; where the norm
 * of the torque is at its bound, it is explicit.
 * Gains beyond what the step resolves are softened, with the error term, by one factor: R >= c w.
 * Gains that drive away (kp or kd below 0) act as forces at the start; the other one is implicit.
 * Actuators without gains are explicit forces (dynamics). What torques and gravity compensation
 * take of the effort limit of a joint is known at the start, and its servos have what is left:
 * effort.c. Servos of tendons and sites are explicit while the effort limit of a joint that they
 * reach acts, and so are those of the joint: the limit holds their sum. Explicit are also more than
 * 64 servos on one limit and, on the limit of a tendon, servos of unlike gears or beside a torque.
 * Source: shared golden contact README, "PD actuator"; MuJoCo documentation, actuation model. */
#include <math.h>

#include "constraint/effort.h"
#include "dynamics/activation.h"
#include "dynamics/actuator_law.h"
#include "dynamics/motor.h"
#include "dynamics/orientation.h"
#include "dynamics/transmission.h"
#include "limpet/dynamics.h"
#include "math/extremes.h"
#include "math/vec3.h"

static void room(const limpet_model *model, int *rows, int *entries) {
  *rows += model->actuator_count;
  *entries += 6 * model->actuator_count;
  for (int i = 0; i < model->actuator_count; ++i) {
    const limpet_transmission kind = model->actuator_transmission[i];
    if (kind == LIMPET_TRANSMISSION_JOINT) continue;
    if (kind == LIMPET_TRANSMISSION_TENDON) {
      const int tendon = model->actuator_target[i];
      *entries += model->tendon_dof_begin[tendon + 1] - model->tendon_dof_begin[tendon];
    } else if (kind == LIMPET_TRANSMISSION_SITE || kind == LIMPET_TRANSMISSION_SLIDER_CRANK) {
      *entries += 2 * model->nv;
    }
  }
}

/* A muscle, linear about its state: f_0 - kp dt u - kd (u - u_0). It stiffens and damps, and pulls
 * only. */
static bool muscle_servo(const limpet_model *model, const limpet_data *data, int actuator,
                         double dt, limpet_servo *servo) {
  const double length = data->actuator_length[actuator],
               velocity = data->actuator_velocity[actuator],
               input = limpet_activation_input(model, data, actuator, dt);
  const limpet_actuator_curve gain = limpet_actuator_gain_curve(model, actuator, length, velocity),
                              bias = limpet_actuator_bias_curve(model, actuator, length, velocity);
  servo->kp = limpet_max(0.0, -(bias.by_length + gain.by_length * input));
  servo->kd = -(bias.by_velocity + gain.by_velocity * input);
  if (!(servo->kd >= 0.0 && servo->kp + servo->kd > 0.0)) return false;
  servo->error = servo->kd * velocity;
  servo->offset = gain.value * input + bias.value;
  const bool pulls = model->actuator_gain_law[actuator] == LIMPET_ACTUATOR_MUSCLE &&
                     model->actuator_bias_law[actuator] == LIMPET_ACTUATOR_MUSCLE;
  servo->lower = -INFINITY, servo->upper = pulls ? 0.0 : INFINITY;
  return true;
}

// on_coordinate: limpet_actuator_on_coordinate
static inline bool affine_servo(const limpet_model *model, const limpet_data *data, int actuator,
                                bool on_coordinate, double dt, limpet_servo *servo) {
  const double *gain = model->actuator_gain + 3 * actuator,
               *bias = model->actuator_bias + 3 * actuator;
  const double length = data->actuator_length[actuator];
  double u = limpet_activation_input(model, data, actuator, dt);
  if (!on_coordinate) u = limpet_servo_input(model, actuator, u, length);
  const double kp = -(bias[1] + gain[1] * u), kd = -(bias[2] + gain[2] * u);
  servo->kp = limpet_max(kp, 0.0), servo->kd = limpet_max(kd, 0.0);
  if (!(servo->kp + servo->kd > 0.0)) return false;
  servo->error = gain[0] * u - servo->kp * length;
  servo->offset = bias[0];
  servo->partly = kp < 0.0 || kd < 0.0;
  if (kp < 0.0) servo->offset -= kp * length;
  if (kd < 0.0) servo->offset -= kd * data->actuator_velocity[actuator];
  servo->lower = -INFINITY, servo->upper = INFINITY;
  return true;
}

static bool orientation_servo(const limpet_model *model, const limpet_data *data, int actuator,
                              limpet_servo *servo) {
  bool bounded;
  limpet_orientation_torque(model, data, actuator, &bounded);
  servo->kp = model->actuator_gain[3 * actuator];
  servo->kd = -model->actuator_bias[3 * actuator + 2];
  if (bounded || !(servo->kp >= 0.0 && servo->kd >= 0.0 && servo->kp + servo->kd > 0.0))
    return false;
  servo->error = servo->kp * limpet_orientation_error(model, data, actuator);
  servo->offset = model->actuator_bias[3 * actuator];
  servo->lower = -INFINITY, servo->upper = INFINITY;
  return true;
}

// `beside`: of the force at the start of the step, what the force range does not bound.
static bool motor_servo(const limpet_model *model, const limpet_data *data, int actuator, double dt,
                        limpet_servo *servo, double *beside) {
  if (model->actuator_part[actuator] > 0) return false;
  limpet_motor_action action;
  limpet_motor_act(model, data, actuator, dt, &action);
  const limpet_motor_force *drive = &action.drive, *friction = &action.friction;
  servo->kp = drive->kp + friction->kp;
  servo->kd = drive->kd + friction->kd;
  if (!(servo->kp >= 0.0 && servo->kd >= 0.0 && servo->kp + servo->kd > 0.0)) return false;
  servo->error = drive->error + friction->error;
  servo->offset = drive->offset + friction->offset;
  servo->lower = -INFINITY, servo->upper = INFINITY;
  *beside = limpet_motor_value(friction, data->actuator_velocity[actuator]);
  return true;
}

static bool law_servo(const limpet_model *model, const limpet_data *data, int actuator, double dt,
                      limpet_servo *servo) {
  const limpet_actuator_law gain = model->actuator_gain_law[actuator],
                            bias = model->actuator_bias_law[actuator];
  if (gain == LIMPET_ACTUATOR_ORIENTATION) return orientation_servo(model, data, actuator, servo);
  const bool muscle = gain == LIMPET_ACTUATOR_MUSCLE || bias == LIMPET_ACTUATOR_MUSCLE;
  return muscle ? muscle_servo(model, data, actuator, dt, servo)
                : affine_servo(model, data, actuator,
                               limpet_actuator_on_coordinate(model, actuator), dt, servo);
}

// Whether an actuator is a force between joints, sites or tendons that nothing switched off.
static bool is_on(const limpet_model *model, int actuator) {
  const limpet_transmission kind = model->actuator_transmission[actuator];
  return !model->actuator_disabled[actuator] &&
         !(model->options.disabled & LIMPET_DISABLE_ACTUATION) &&
         kind != LIMPET_TRANSMISSION_SURFACE && kind != LIMPET_TRANSMISSION_BODY;
}

// The servo of an actuator with gains within its own range, whatever its joint or tendon allows.
static bool own_servo(const limpet_model *model, const limpet_data *data, int actuator, double dt,
                      limpet_servo *servo) {
  if (!is_on(model, actuator)) return false;
  double beside = 0.0;
  servo->partly = servo->shares = false;
  bool serves;
  if (limpet_actuator_is_affine(model, actuator))
    serves = affine_servo(model, data, actuator, limpet_actuator_on_coordinate(model, actuator), dt,
                          servo);
  else if (limpet_actuator_is_motor(model, actuator))
    serves = motor_servo(model, data, actuator, dt, servo, &beside);
  else serves = law_servo(model, data, actuator, dt, servo);
  if (!serves || !model->actuator_force_limited[actuator]) return serves;
  const double *range = model->actuator_force_range + 2 * actuator;
  servo->lower = limpet_max(servo->lower, range[0] + beside);
  servo->upper = limpet_min(servo->upper, range[1] + beside);
  return servo->lower <= servo->upper;
}

// ----------------------------------------------------------------------- effort limits

// What acts on a joint or tendon: its servos, and the force of all else that is known [N, N m].
typedef struct effort_view {
  limpet_effort servos;
  int self;  // which of them is asked for
  int others;
  double beside;
} effort_view;

static bool on_tendon(const limpet_model *model, int actuator) {
  return model->actuator_transmission[actuator] == LIMPET_TRANSMISSION_TENDON;
}

static bool on_joint(const limpet_model *model, int actuator) {
  return model->actuator_transmission[actuator] == LIMPET_TRANSMISSION_JOINT ||
         model->actuator_transmission[actuator] == LIMPET_TRANSMISSION_JOINT_IN_PARENT;
}

// Whether another actuator acts on the joint or tendon of this one.
static bool acts_beside(const limpet_model *model, int other, int actuator) {
  const bool silent = limpet_actuator_is_motor(model, other) && model->actuator_part[other] > 0;
  const bool alike = on_tendon(model, actuator) ? on_tendon(model, other) : on_joint(model, other);
  return !silent && alike && !model->actuator_disabled[other] &&
         model->actuator_target[other] == model->actuator_target[actuator];
}

static void view_servo(effort_view *view, const limpet_servo *servo, double gear) {
  view->servos.servo[view->servos.count] = *servo;
  view->servos.gear[view->servos.count++] = gear;
}

// Adds another actuator. False: there are too many servos.
static bool view_other(const limpet_model *model, const limpet_data *data, int actuator, double dt,
                       effort_view *view) {
  const double gear = model->actuator_gear[6 * actuator];
  limpet_servo servo;
  if (gear == 0.0) return true;
  if (limpet_actuator_has_no_gains(model, actuator) ||
      !own_servo(model, data, actuator, dt, &servo)) {
    view->beside += gear * data->actuator_force[actuator];
    ++view->others;
    return true;
  }
  if (view->servos.count == LIMPET_EFFORT_ROOM) return false;
  view_servo(view, &servo, gear);
  return true;
}

static bool view_effort(const limpet_model *model, const limpet_data *data, int actuator, double dt,
                        const limpet_servo *servo, effort_view *view) {
  // room of servos that are not there stays as it is: most limits have one of 64
  view->servos.count = view->self = view->others = 0;
  view->servos.dt = dt, view->beside = 0.0;
  for (int i = 0; i < model->actuator_count; ++i) {
    if (i == actuator) {
      view->self = view->servos.count;
      if (view->self == LIMPET_EFFORT_ROOM) return false;
      view_servo(view, servo, model->actuator_gear[6 * i]);
    } else if (acts_beside(model, i, actuator) && !view_other(model, data, i, dt, view)) {
      return false;
    }
  }
  return true;
}

// Bounds of a servo become those of a range where that is narrower; beyond it, its end.
static void narrow(limpet_servo *servo, double lower, double upper) {
  servo->lower = limpet_min(limpet_max(servo->lower, lower), upper);
  servo->upper = limpet_max(limpet_min(servo->upper, upper), lower);
}

/* Bounds with which the servos of a view stay together within lower and upper [N, N m] of their
 * joint or tendon. */
static void bound(const effort_view *view, double lower, double upper, double gear,
                  limpet_servo *servo) {
  const double a = lower / gear, b = upper / gear;
  servo->shares = view->servos.count > 1;
  if (servo->shares) limpet_effort_share(&view->servos, view->self, lower, upper, servo);
  else narrow(servo, limpet_min(a, b), limpet_max(a, b));
}

// Whether a site carries a force to a velocity.
static bool site_moves(const limpet_model *model, int site, int dof) {
  if (site == LIMPET_NONE) return false;
  int at = model->body_last_dof[model->site_body[site]];
  while (at > dof) at = model->dof_parent[at];
  return at == dof;
}

// Whether an actuator of a tendon or of sites may act on a velocity.
static bool reaches(const limpet_model *model, int actuator, int dof) {
  const int target = model->actuator_target[actuator];
  switch (model->actuator_transmission[actuator]) {
    case LIMPET_TRANSMISSION_SITE:
    case LIMPET_TRANSMISSION_SLIDER_CRANK:
      return site_moves(model, target, dof) ||
             site_moves(model, model->actuator_reference_site[actuator], dof);
    case LIMPET_TRANSMISSION_TENDON: break;
    default: return false;
  }
  for (int k = model->tendon_dof_begin[target]; k < model->tendon_dof_begin[target + 1]; ++k)
    if (model->tendon_dof[k] == dof) return true;
  return false;
}

static bool reached(const limpet_model *model, int dof) {
  for (int i = 0; i < model->actuator_count; ++i)
    if (!model->actuator_disabled[i] && reaches(model, i, dof)) return true;
  return false;
}

/* [N, N m]  What tendons and sites add to the joint forces of a view, where the limit of the joint
 * does not act. */
static double across(const limpet_model *model, const limpet_data *data, int joint) {
  const int dof = model->joint_v[joint];
  double own = 0.0;
  for (int i = 0; i < model->actuator_count; ++i)
    if (on_joint(model, i) && model->actuator_target[i] == joint && !model->actuator_disabled[i])
      own += model->actuator_gear[6 * i] * data->actuator_force[i];
  if (model->joint_actuator_gravity_compensation[joint])
    own += data->gravity_compensation_force[dof];
  return data->actuator_joint_force[dof] - own;
}

bool limpet_joint_effort_reached(const limpet_model *model, const limpet_data *data, int joint) {
  if (!model->joint_effort_limited[joint] || limpet_joint_kind_nv(model->joint_kind[joint]) != 1)
    return false;
  const double force = data->actuator_joint_force[model->joint_v[joint]],
               *range = model->joint_effort_range + 2 * joint;
  return force <= range[0] || force >= range[1];
}

static bool joint_effort_limits(const limpet_model *model, const limpet_data *data, int actuator,
                                double dt, limpet_servo *servo) {
  const int joint = model->actuator_target[actuator];
  const double *range = model->joint_effort_range + 2 * joint;
  const double gear = model->actuator_gear[6 * actuator];
  effort_view view;
  if (limpet_joint_kind_nv(model->joint_kind[joint]) != 1 || gear == 0.0 ||
      !view_effort(model, data, actuator, dt, servo, &view))
    return false;
  if (model->joint_actuator_gravity_compensation[joint])
    view.beside += data->gravity_compensation_force[model->joint_v[joint]];
  if (reached(model, model->joint_v[joint])) {
    if (limpet_joint_effort_reached(model, data, joint)) return false;
    view.beside += across(model, data, joint);
  }
  const double lower = range[0] - view.beside, upper = range[1] - view.beside;
  bound(&view, lower, upper, gear, servo);
  return true;
}

/* The limit of a tendon is one of the sum of forces of actuators, without their gears, as in
 * MuJoCo. In the velocity of the tendon each servo has then the gear 1, and its slopes times its
 * gear. */
static bool without_gears(limpet_effort *servos) {
  const double gear = servos->gear[0];
  for (int i = 0; i < servos->count; ++i) {
    if (servos->count > 1 && !(gear > 0.0 && servos->gear[i] == gear)) return false;
    servos->servo[i].kp *= servos->gear[i], servos->servo[i].kd *= servos->gear[i];
    servos->gear[i] = 1.0;
  }
  return true;
}

static bool tendon_effort_limits(const limpet_model *model, const limpet_data *data, int actuator,
                                 double dt, limpet_servo *servo) {
  const int tendon = model->actuator_target[actuator];
  const double *range = model->tendon_effort_range + 2 * tendon;
  effort_view view;
  if (!model->tendon_effort_limited[tendon]) return true;
  if (model->actuator_gear[6 * actuator] == 0.0 ||
      !view_effort(model, data, actuator, dt, servo, &view) || view.others > 0 ||
      !without_gears(&view.servos))
    return false;
  bound(&view, range[0], range[1], 1.0, servo);
  return true;
}

/* Limits of the joint or tendon that an actuator drives, as limits of its own force. Returns false
 * when they cannot be told apart from other forces. */
static bool effort_limits(const limpet_model *model, const limpet_data *data, int actuator,
                          double dt, limpet_servo *servo) {
  if (on_joint(model, actuator))
    return !model->joint_effort_limited[model->actuator_target[actuator]] ||
           joint_effort_limits(model, data, actuator, dt, servo);
  for (int j = 0; j < model->joint_count; ++j)
    if (limpet_joint_effort_reached(model, data, j) && reaches(model, actuator, model->joint_v[j]))
      return false;
  return !on_tendon(model, actuator) || tendon_effort_limits(model, data, actuator, dt, servo);
}

/* Whether an actuator has three numbers each for gain and bias, and a coordinate without an effort
 * limit, as most servos of robots do. */
static inline bool is_plain(const limpet_model *model, int actuator) {
  return limpet_actuator_on_coordinate(model, actuator) &&
         limpet_actuator_is_affine(model, actuator) &&
         !model->joint_effort_limited[model->actuator_target[actuator]];
}

// own_servo of such an actuator.
static inline bool plain_servo(const limpet_model *model, const limpet_data *data, int actuator,
                               double dt, limpet_servo *servo) {
  if (model->actuator_disabled[actuator] || (model->options.disabled & LIMPET_DISABLE_ACTUATION))
    return false;
  servo->shares = false;
  if (!affine_servo(model, data, actuator, true, dt, servo)) return false;
  if (!model->actuator_force_limited[actuator]) return true;
  servo->lower = model->actuator_force_range[2 * actuator];
  servo->upper = model->actuator_force_range[2 * actuator + 1];
  return servo->lower <= servo->upper;
}

// The servo of an actuator that has gains: dynamics/actuator_law.h.
static bool servo_by_gains(const limpet_model *model, const limpet_data *data, int actuator,
                           double dt, limpet_servo *servo) {
  if (is_plain(model, actuator)) return plain_servo(model, data, actuator, dt, servo);
  return own_servo(model, data, actuator, dt, servo) &&
         effort_limits(model, data, actuator, dt, servo);
}

void limpet_actuator_servos(const limpet_model *model, const limpet_data *data, double dt,
                            limpet_servo *servo, bool *serves) {
  for (int i = 0; i < model->actuator_count; ++i) {
    if (limpet_actuator_has_no_gains(model, i)) serves[i] = false;
    else if (is_plain(model, i)) serves[i] = plain_servo(model, data, i, dt, &servo[i]);
    else serves[i] = servo_by_gains(model, data, i, dt, &servo[i]);
  }
}

bool limpet_actuator_servo(const limpet_model *model, const limpet_data *data, int actuator,
                           double dt, limpet_servo *servo) {
  return !limpet_actuator_has_no_gains(model, actuator) &&
         servo_by_gains(model, data, actuator, dt, servo);
}

// Factor by which gains are softened so that R = 1/(dt (dt kp + kd)) is not below c w; kp and kd
// keep their ratio.
static inline double softening_by(const limpet_row_builder *builder, const limpet_servo *servo,
                                  double w, double hardness) {
  const double dt = builder->settings->dt, beta = builder->settings->constraint_ratio;
  const double R_near_rigid = beta * beta / (4.0 * LIMPET_PI * LIMPET_PI) * w / hardness;
  const double stiffness = dt * (dt * servo->kp + servo->kd) * R_near_rigid;
  return stiffness <= 1.0 ? 1.0 : 1.0 / stiffness;
}

static inline double softening(const limpet_row_builder *builder, const limpet_servo *servo) {
  return softening_by(builder, servo, limpet_row_weight(builder), limpet_row_hardness(builder));
}

// Entries of the transmission, each velocity once.
static void row_actuator(limpet_row_builder *builder, int actuator) {
  limpet_contact_problem *p = builder->problem;
  const limpet_model *model = builder->model;
  if (limpet_actuator_on_coordinate(model, actuator)) {
    const int joint = model->actuator_target[actuator];
    limpet_row_add(builder, model->joint_v[joint], model->actuator_gear[6 * actuator]);
    return;
  }
  int *dof = p->entry_dof + p->entry_count;
  double *value = p->entry_value + p->entry_count;
  const int count = limpet_actuator_row(model, builder->data, actuator, dof, value);
  // only a tendon may name a velocity twice
  if (model->actuator_transmission[actuator] != LIMPET_TRANSMISSION_TENDON) {
    limpet_row_entries(builder, count, dof, value, 1);
    return;
  }
  for (int i = 0; i < count; ++i) {
    const int d = dof[i];
    const double v = value[i];
    limpet_row_entry(builder, d, v);
  }
}

static inline void end_row(limpet_row_builder *builder, const limpet_servo *servo, double soft) {
  const double dt = builder->settings->dt;
  const double slope = soft * (dt * servo->kp + servo->kd);
  limpet_row_end(builder, 1.0 / (dt * slope), (soft * servo->error + servo->offset) / slope,
                 dt * servo->lower, dt * servo->upper);
}

// The row of a servo on a coordinate, where no patch has a load.
static void coordinate_row(limpet_row_builder *builder, int actuator, const limpet_servo *servo) {
  const limpet_model *model = builder->model;
  const int dof = model->joint_v[model->actuator_target[actuator]];
  const double gear = model->actuator_gear[6 * actuator], dt = builder->settings->dt;
  if (gear == 0.0 || limpet_row_is_still(builder->problem, dof)) return;
  const double w = gear * gear * builder->inverse_diagonal[dof],
               soft = softening_by(builder, servo, w, 1.0),
               slope = soft * (dt * servo->kp + servo->kd);
  limpet_row_single(builder, actuator, dof, gear, 1.0 / (dt * slope),
                    (soft * servo->error + servo->offset) / slope, dt * servo->lower,
                    dt * servo->upper, 1.0);
}

static void append(limpet_row_builder *builder) {
  const limpet_model *model = builder->model;
  for (int i = 0; i < model->actuator_count; ++i) {
    const limpet_assembly_settings *settings = builder->settings;
    limpet_servo own;
    const limpet_servo *servo = settings->servo ? &settings->servo[i] : &own;
    if (settings->servo_included && settings->servo_included[i]) continue;
    if (settings->servo ? !settings->serves[i]
                        : !limpet_actuator_servo(model, builder->data, i, settings->dt, &own))
      continue;
    if (!builder->problem->loaded && limpet_actuator_on_coordinate(model, i)) {
      coordinate_row(builder, i, servo);
      continue;
    }
    limpet_row_begin(builder, i, 0.0);
    row_actuator(builder, i);
    end_row(builder, servo, softening(builder, servo));
  }
}

// Rows on sites, balls and spatial tendons turn: the caller knows it. Softened servos that share an
// effort limit come to it one after the other, at limits that the state moves.
static bool law(limpet_row_builder *builder, const limpet_constraint_row *row, double by,
                double *rate) {
  limpet_servo servo;
  if (!limpet_actuator_servo(builder->model, builder->data, row->target, builder->settings->dt,
                             &servo))
    return false;
  const double soft = softening(builder, &servo);
  if (servo.shares && soft < 1.0) return false;
  servo.error += by;
  end_row(builder, &servo, soft);
  *rate = -servo.kp;
  return true;
}

static const limpet_parameter parameters[] = {
    LIMPET_SETTING(
        "constraint_ratio", NAN,
        "period of the stiffest servo over the time step (beta); stiffer gains are softened to it"),
};

const limpet_constraint_kind limpet_constraint_actuator = {
    .descriptor = {.name = "actuator",
                   .text = "Actuators with position or velocity gains, taken implicitly and within "
                           "their force limits and the "
                           "effort limits of "
                           "their joint: stiff servos are stable at any step. Actuators without "
                           "gains are explicit forces.",
                   .reference = "MuJoCo documentation, actuation model; src/constraint/actuator.c",
                   .parameter_count = sizeof parameters / sizeof parameters[0],
                   .parameters = parameters},
    .room = room,
    .append = append,
    .law = law,
};
