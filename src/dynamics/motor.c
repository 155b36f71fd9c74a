/* dynamics/motor.c: PID controllers and electrical motors.
 *
 *   controller  tau = kp (x - l) + kd (y - w) + ki z + f,  z' = x - l,  |x'| <= slew limit
 *               x, y, f: the inputs position, velocity and force, 0 where there is none
 *   alone       force = tau
 *   winding     V = clamp((R0/K) tau + K w, V_max) + u,  u: the input voltage
 *               i = (V - K w)/R, or, with an inductance, T i' = (V - K w)/R - i, |i'| <= i'_max
 *               force = K i, with an inductance at the end of the step
 *   heat        C t' = R i^2 - t/Rt,  R = R0 (1 + alpha (t + t_a - t_0))
 *   friction    LuGre: b' = w - s0 |w| b/g(w),  g = Fc + (Fs - Fc) exp(-(w/ws)^2)
 *               force -= s0 b + s1 b';  cogging: force += A sin(N l + phase)
 * l, w: length [m, rad] and velocity of the transmission; z integral [rad s], t temperature [K]
 * above t_a, b bristle [rad], i current [A]; other symbols: limpet_motor (constant is K,
 * current_time T). Within a step the force follows the motion (kp, kd of limpet_motor_force): of
 * the controller, of the back-EMF, of the bristles; so stiff gains, short T and stiff bristles are
 * stable at any step. MuJoCo takes them at the start of the step.
 * Source: MuJoCo documentation, actuator/pid, actuator/dcmotor and its note on DC motors; MuJoCo
 * 4.0.1 by running it. C. Canudas de Wit et al., A new model for control of systems with friction,
 * IEEE TAC 40 (1995). */
#include "dynamics/motor.h"

#include <assert.h>
#include <math.h>

#include "dynamics/activation.h"
#include "dynamics/transmission.h"

static const double least = 1e-15;  // below it a number divides no other

typedef struct motor_state {
  const limpet_motor *motor;
  limpet_motor_states at;
  const double *act;  // (at.count)
  double length, velocity, dt;
  double position, speed, force, voltage;  // inputs
  double resistance;                       // [Ohm]  at the temperature of the winding
} motor_state;

static double input(const limpet_model *model, const limpet_data *data, int actuator,
                    unsigned which) {
  const int place = limpet_motor_input(&model->actuator_motor[actuator], which);
  return place < 0 ? 0.0 : limpet_actuator_control(model, data, actuator + place);
}

// The first of the inputs moves at its slew limit; sets its rate.
static void slew(motor_state *s, double rate[]) {
  const unsigned inputs = s->motor->inputs;
  double *first = inputs & LIMPET_MOTOR_POSITION   ? &s->position
                  : inputs & LIMPET_MOTOR_VELOCITY ? &s->speed
                                                   : &s->force;
  if (s->at.slewed < 0) return;
  const double before = s->act[s->at.slewed], most = s->motor->slew_limit * s->dt;
  *first = fmin(fmax(*first, before - most), before + most);
  rate[s->at.slewed] = (*first - before) / s->dt;
}

static motor_state state_of(const limpet_model *model, const limpet_data *data, int actuator,
                            double dt, double rate[]) {
  const limpet_motor *motor = &model->actuator_motor[actuator];
  motor_state s = {.motor = motor,
                   .at = limpet_motor_states_of(motor),
                   .length = data->actuator_length[actuator],
                   .velocity = data->actuator_velocity[actuator],
                   .dt = dt,
                   .position = input(model, data, actuator, LIMPET_MOTOR_POSITION),
                   .speed = input(model, data, actuator, LIMPET_MOTOR_VELOCITY),
                   .force = input(model, data, actuator, LIMPET_MOTOR_FORCE),
                   .voltage = input(model, data, actuator, LIMPET_MOTOR_VOLTAGE),
                   .resistance = motor->resistance};
  if (s.at.count > 0) s.act = data->activation + model->actuator_act[actuator];
  slew(&s, rate);
  if (motor->inputs & LIMPET_MOTOR_POSITION && motor->resistance == 0.0)
    s.position = limpet_shorter_way(model, actuator, s.position, s.length);
  if (s.at.temperature >= 0) {
    const double above = s.act[s.at.temperature] + motor->ambient_temperature;
    s.resistance *= 1.0 + motor->temperature_coefficient * (above - motor->reference_temperature);
  }
  s.resistance = fmax(s.resistance, least);
  return s;
}

// What the controller asks for; sets the rate of its integral. An integral at its limit only falls.
static limpet_motor_force controller(const limpet_model *model, int actuator, const motor_state *s,
                                     double rate[]) {
  const limpet_motor *m = s->motor;
  limpet_motor_force tau = {
      .error = m->position_gain * (s->position - s->length) + m->velocity_gain * s->speed,
      .offset = m->force_offset + s->force,
      .kp = m->position_gain,
      .kd = m->velocity_gain};
  if (s->at.integral < 0) return tau;
  const double z = s->act[s->at.integral], limit = m->integral_limit;
  double *z_rate = &rate[s->at.integral];
  *z_rate = s->position - s->length;
  if (limit > 0.0 && z >= limit) *z_rate = fmin(*z_rate, 0.0);
  if (limit > 0.0 && z <= -limit) *z_rate = fmax(*z_rate, 0.0);
  const bool early = model->actuator_activation_early[actuator] && m->resistance == 0.0;
  tau.offset += m->integral_gain * (early ? z + s->dt * *z_rate : z);
  return tau;
}

static void heat(const motor_state *s, double current, double rate[]) {
  const limpet_motor *m = s->motor;
  if (s->at.temperature < 0) return;
  const double t = s->act[s->at.temperature];
  rate[s->at.temperature] =
      (s->resistance * current * current - t / m->thermal_resistance) / m->thermal_capacity;
}

static limpet_motor_force scaled(double by, limpet_motor_force force) {
  return (limpet_motor_force){by * force.error, by * force.offset, by * force.kp, by * force.kd};
}

// Torque K i of the current that the voltage settles to.
static limpet_motor_force settled(const motor_state *s, const limpet_motor_force *tau) {
  const limpet_motor *m = s->motor;
  const double K = m->constant, emf = K * s->velocity;
  const bool controlled =
      m->inputs & (LIMPET_MOTOR_POSITION | LIMPET_MOTOR_VELOCITY | LIMPET_MOTOR_FORCE);
  double V = 0.0;
  if (controlled) {
    V = m->resistance / K * limpet_motor_value(tau, s->velocity) + emf;
    if (m->voltage_limit == 0.0 || fabs(V) <= m->voltage_limit) {
      limpet_motor_force force = scaled(m->resistance / s->resistance, *tau);
      force.offset += K / s->resistance * s->voltage;
      return force;
    }
    V = copysign(m->voltage_limit, V);
  }
  return (limpet_motor_force){.error = K / s->resistance * (V + s->voltage),
                              .kd = K * K / s->resistance};
}

// Torque of a winding; sets the rates of its current and its temperature.
static limpet_motor_force winding(const motor_state *s, const limpet_motor_force *tau,
                                  double rate[]) {
  const limpet_motor *m = s->motor;
  const double K = m->constant;
  const limpet_motor_force goal = settled(s, tau);
  const double settled_current = K > 0.0 ? limpet_motor_value(&goal, s->velocity) / K : 0.0;
  if (s->at.current < 0) {
    heat(s, settled_current, rate);
    return goal;
  }

  // the current goes a share of its way within the step
  const double current = s->act[s->at.current], share = -expm1(-s->dt / m->current_time),
               wanted = (settled_current - current) / m->current_time;
  const double limit = m->current_rate_limit;
  const bool limited = limit > 0.0 && fabs(wanted) > limit;
  const double i_rate = limited ? copysign(limit, wanted) : wanted;
  rate[s->at.current] = i_rate;
  heat(s, current, rate);
  if (limited)
    return (limpet_motor_force){.offset = K * (current + i_rate * m->current_time * share)};
  limpet_motor_force force = scaled(share, goal);
  force.offset += K * current * (1.0 - share);
  return force;
}

// Friction g(w) that the bristles give at a steady velocity.
static double steady_friction(const limpet_motor *m, double velocity) {
  const double ratio = velocity / fmax(least, m->stribeck_velocity);
  return m->coulomb_friction + (m->static_friction - m->coulomb_friction) * exp(-ratio * ratio);
}

// Share of the velocity at which bristles still bend: 1 unbent, 0 where they slide.
static double bending(const motor_state *s) {
  const limpet_motor *m = s->motor;
  const double sign = s->velocity > 0.0 ? 1.0 : s->velocity < 0.0 ? -1.0 : 0.0;
  return 1.0 - sign * m->bristle_stiffness * s->act[s->at.bristle] /
                   fmax(least, steady_friction(m, s->velocity));
}

static limpet_motor_force friction(const motor_state *s, double rate[]) {
  const limpet_motor *m = s->motor;
  limpet_motor_force force = {0};
  if (m->cogging_torque != 0.0) {
    const double angle = m->cogging_poles * s->length + m->cogging_phase;
    force.offset = m->cogging_torque * sin(angle);
    force.kp = fmax(0.0, -m->cogging_torque * m->cogging_poles * cos(angle));
  }
  if (s->at.bristle < 0) return force;
  const double share = bending(s);
  rate[s->at.bristle] = share * s->velocity;
  force.error -= m->bristle_stiffness * s->act[s->at.bristle];
  if (share >= 0.0 && m->bristle_damping >= 0.0) {
    force.kp += m->bristle_stiffness * share;
    force.kd += m->bristle_damping * share;
  } else {
    force.offset -= m->bristle_damping * share * s->velocity;
  }
  return force;
}

double limpet_motor_value(const limpet_motor_force *force, double velocity) {
  assert(force);
  return force->error + force->offset - force->kd * velocity;
}

void limpet_motor_act(const limpet_model *model, const limpet_data *data, int actuator, double dt,
                      limpet_motor_action *action) {
  assert(actuator >= 0 && actuator < model->actuator_count && dt > 0.0);
  assert(limpet_actuator_is_motor(model, actuator) && model->actuator_part[actuator] == 0);
  *action = (limpet_motor_action){0};
  const motor_state s = state_of(model, data, actuator, dt, action->rate);
  action->drive = controller(model, actuator, &s, action->rate);
  if (s.motor->resistance > 0.0) action->drive = winding(&s, &action->drive, action->rate);
  action->friction = friction(&s, action->rate);
}

// Exactly, for a velocity that stays.
static double bristle_after(const limpet_motor *m, double bristle, double velocity, double dt) {
  const double decay =
      m->bristle_stiffness * fabs(velocity) / fmax(least, steady_friction(m, velocity));
  if (decay <= least) return bristle + dt * velocity;
  const double stays = exp(-decay * dt);
  return stays * bristle - expm1(-decay * dt) / decay * velocity;
}

double limpet_motor_activation_after(const limpet_model *model, const limpet_data *data,
                                     int actuator, int k, double rate, double dt) {
  const limpet_motor *m = &model->actuator_motor[actuator];
  const limpet_motor_states at = limpet_motor_states_of(m);
  assert(k >= 0 && k < at.count);
  const double before = data->activation[model->actuator_act[actuator] + k];
  double after = before + rate * dt;
  if (k == at.bristle) after = bristle_after(m, before, data->actuator_velocity[actuator], dt);
  if (k == at.current) after = before - rate * m->current_time * expm1(-dt / m->current_time);
  if (k == at.integral && m->resistance > 0.0 && m->integral_limit > 0.0)
    after = fmin(fmax(after, -m->integral_limit), m->integral_limit);
  return after;
}
