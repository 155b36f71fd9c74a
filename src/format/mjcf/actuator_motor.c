/* format/mjcf/actuator_motor.c: <pid> and <dcmotor>, and <general> with their laws.
 *
 * Both fill the number lists of MJCF's general actuator, so that what a class says passes on as in
 * MuJoCo:
 *   pid      gainprm ki; biasprm offset, -kp, -kv; dynprm imax, slewmax
 *   dcmotor  gainprm R, K, alpha, T0, kp, ki, kd, Vmax; biasprm A, N, phase, Fc, Fs, ws;
 *            dynprm te, di/dt, Rt, C, Ta, s0, s1, slewmax, imax
 * One actuator is made for each input, each with its own range. A motor without inputs has no
 * control in MuJoCo: here it stands after all others, so that the controls of those keep their
 * places. */
#include <math.h>
#include <string.h>

#include "format/mjcf/actuator.h"
#include "format/read/value.h"

static const char blanks[] = " \t\n\r";

// The signature of `input` as LIMPET_MOTOR_ bits; `none`: an empty one.
static void read_inputs(limpet_reader *reader, const limpet_xml_element *e, bool motor,
                        limpet_mjcf_actuator_record *r) {
  static const char *const words[] = {"pos", "vel", "ff", "voltage"};
  const char *text = limpet_xml_value(e, "input");
  const int count = motor ? 4 : 3;
  int last = -1;
  unsigned inputs = 0;
  if (!text) return;
  text += strspn(text, blanks);
  const size_t whole = strcspn(text, blanks);
  if (motor && whole == 4 && strncmp(text, "none", 4) == 0 && !text[4 + strspn(text + 4, blanks)]) {
    r->inputs = LIMPET_MJCF_NO_INPUTS;
    return;
  }
  for (; *text; text += strspn(text, blanks)) {
    const size_t length = strcspn(text, blanks);
    int word = 0;
    while (word < count &&
           (strlen(words[word]) != length || strncmp(text, words[word], length) != 0))
      ++word;
    if (word == count || word <= last)
      limpet_reader_fail(reader, e, "input",
                         "'%.*s' in 'input' of <%s> is %s; give words of \"pos vel ff%s\", each "
                         "once and in this order%s",
                         (int)length, text, e->name,
                         word == count ? "not an input" : "out of order", motor ? " voltage" : "",
                         motor ? ", or \"none\"" : "");
    inputs |= 1u << word, last = word;
    text += length;
  }
  r->inputs = (int)inputs;  // none given: that of the kind
}

static void number(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                   double *value) {
  if (limpet_read_number(reader, e, name, value))
    limpet_mjcf_refuse_negative(reader, e, name, name, *value);
}

static void begin(limpet_mjcf_actuator_record *r, int gain, int bias, int dynamics) {
  if (r->gain_type != gain) {
    memset(r->gain, 0, sizeof r->gain);
    memset(r->bias, 0, sizeof r->bias);
    memset(r->dynamics_parameter, 0, sizeof r->dynamics_parameter);
    if (gain == LIMPET_MJCF_GAIN_PID) r->bias[1] = -1.0;
    r->inputs = 0;
  }
  r->gain_type = gain, r->bias_type = bias, r->dynamics = dynamics;
}

void limpet_mjcf_read_pid(limpet_reader *reader, const limpet_xml_element *e,
                          limpet_mjcf_actuator_record *r) {
  begin(r, LIMPET_MJCF_GAIN_PID, LIMPET_MJCF_BIAS_AFFINE, LIMPET_MJCF_DYNAMICS_PID);
  double kp;
  if (limpet_read_number(reader, e, "kp", &kp)) r->bias[1] = -kp;
  limpet_mjcf_read_damping(reader, e, r);
  number(reader, e, "ki", &r->gain[0]);
  number(reader, e, "imax", &r->dynamics_parameter[0]);
  number(reader, e, "slewmax", &r->dynamics_parameter[1]);
  limpet_read_numbers(reader, e, "posrange", r->d.control_range, 2, 2);
  limpet_read_number(reader, e, "inheritrange", &r->inherit_range);
  limpet_mjcf_read_motor_inputs(reader, e, r);
}

void limpet_mjcf_read_motor_inputs(limpet_reader *reader, const limpet_xml_element *e,
                                   limpet_mjcf_actuator_record *r) {
  read_inputs(reader, e, r->gain_type == LIMPET_MJCF_GAIN_MOTOR, r);
  limpet_read_numbers(reader, e, "velrange", r->velocity_range, 2, 2);
  limpet_read_numbers(reader, e, "ffrange", r->feedforward_range, 2, 2);
}

// Motor constant and resistance: given, or from a nominal point [voltage, stall torque, speed].
static void read_winding(limpet_reader *reader, const limpet_xml_element *e,
                         limpet_mjcf_actuator_record *r) {
  double constant[2] = {0.0, 0.0}, nominal[3];
  const bool own = limpet_read_numbers(reader, e, "motorconst", constant, 1, 2) > 0,
             point = limpet_read_numbers(reader, e, "nominal", nominal, 3, 3) > 0;
  for (int i = 0; i < 2; ++i)
    limpet_mjcf_refuse_negative(reader, e, "motorconst", "a motor constant", constant[i]);
  for (int i = 0; i < 3 && point; ++i)
    if (!(nominal[i] > 0.0))
      limpet_reader_fail(reader, e, "nominal",
                         "'nominal' is voltage [V], stall torque [N m] and speed without load "
                         "[rad/s]; number %d is %g, and it must be positive",
                         i + 1, nominal[i]);
  if (point && constant[1] == 0.0) constant[1] = nominal[0] / nominal[2];
  if (own || point)
    r->gain[1] = constant[0] > 0.0 && constant[1] > 0.0 ? sqrt(constant[0] * constant[1])
                                                        : fmax(constant[0], constant[1]);
  if (point) r->gain[0] = r->gain[1] * nominal[0] / nominal[1];
  if (limpet_read_number(reader, e, "resistance", &r->gain[0]) && !(r->gain[0] > 0.0))
    limpet_reader_fail(reader, e, "resistance", "the resistance is %g Ohm; give a positive one",
                       r->gain[0]);
}

static void read_inductance(limpet_reader *reader, const limpet_xml_element *e,
                            limpet_mjcf_actuator_record *r) {
  double given[2] = {0.0, 0.0};  // [H, s]
  if (!limpet_read_numbers(reader, e, "inductance", given, 1, 2)) return;
  for (int i = 0; i < 2; ++i)
    limpet_mjcf_refuse_negative(reader, e, "inductance", "an inductance", given[i]);
  if (given[0] > 0.0 && !(r->gain[0] > 0.0))
    limpet_reader_fail(reader, e, "inductance",
                       "an inductance in Henry needs the resistance of the motor in the same "
                       "element or class; or give the time constant as the second number");
  r->dynamics_parameter[0] = given[0] > 0.0 ? given[0] / r->gain[0] : given[1];
}

// Two of thermal resistance, capacity and time constant give the third.
static void read_thermal(limpet_reader *reader, const limpet_xml_element *e,
                         limpet_mjcf_actuator_record *r) {
  double t[6] = {0.0};
  if (!limpet_read_numbers(reader, e, "thermal", t, 1, 6)) return;
  const bool any = t[0] != 0.0 || t[1] != 0.0 || t[2] != 0.0;
  double resistance = t[0], capacity = t[1];
  if (any && resistance == 0.0 && capacity > 0.0) resistance = t[2] / capacity;
  if (any && resistance > 0.0 && t[2] > 0.0) capacity = t[2] / resistance;
  if (any && !(resistance > 0.0 && capacity > 0.0))
    limpet_reader_fail(reader, e, "thermal",
                       "'thermal' begins with resistance [K/W], capacity [J/K] and time constant "
                       "[s]; give two of them, positive");
  r->dynamics_parameter[2] = resistance, r->dynamics_parameter[3] = capacity;
  r->dynamics_parameter[4] = t[5];
  r->gain[2] = t[3], r->gain[3] = t[4];
}

static void read_saturation(limpet_reader *reader, const limpet_xml_element *e,
                            limpet_mjcf_actuator_record *r) {
  double s[3] = {0.0};
  if (!limpet_read_numbers(reader, e, "saturation", s, 1, 3)) return;
  const double torque = s[0] > 0.0 ? s[0] : fmax(0.0, r->gain[1] * s[1]);
  r->d.force_range[0] = -torque, r->d.force_range[1] = torque;
  r->dynamics_parameter[1] = fmax(0.0, s[2]);
}

static void read_controller(limpet_reader *reader, const limpet_xml_element *e,
                            limpet_mjcf_actuator_record *r) {
  double c[6] = {0.0};
  if (!limpet_read_numbers(reader, e, "controller", c, 1, 6)) return;
  limpet_mjcf_refuse_negative(reader, e, "controller", "the integral gain", c[1]);
  for (int i = 0; i < 3; ++i) r->gain[4 + i] = c[i];
  r->gain[7] = fmax(0.0, c[5]);
  r->dynamics_parameter[7] = fmax(0.0, c[3]), r->dynamics_parameter[8] = fmax(0.0, c[4]);
}

static void read_mechanics(limpet_reader *reader, const limpet_xml_element *e,
                           limpet_mjcf_actuator_record *r) {
  double lugre[5] = {0.0}, cogging[3] = {0.0};
  if (limpet_read_numbers(reader, e, "cogging", cogging, 1, 3))
    memcpy(r->bias, cogging, sizeof cogging);
  if (!limpet_read_numbers(reader, e, "lugre", lugre, 1, 5)) return;
  limpet_mjcf_refuse_negative(reader, e, "lugre", "the Coulomb friction of 'lugre'", lugre[2]);
  limpet_mjcf_refuse_negative(reader, e, "lugre", "the static friction of 'lugre'", lugre[3]);
  r->dynamics_parameter[5] = fmax(0.0, lugre[0]), r->dynamics_parameter[6] = lugre[1];
  memcpy(r->bias + 3, lugre + 2, 3 * sizeof *lugre);
}

void limpet_mjcf_read_dcmotor(limpet_reader *reader, const limpet_xml_element *e,
                              limpet_mjcf_actuator_record *r) {
  begin(r, LIMPET_MJCF_GAIN_MOTOR, LIMPET_MJCF_BIAS_MOTOR, LIMPET_MJCF_DYNAMICS_MOTOR);
  read_winding(reader, e, r);
  read_inductance(reader, e, r);
  read_thermal(reader, e, r);
  read_saturation(reader, e, r);
  read_controller(reader, e, r);
  read_mechanics(reader, e, r);
  limpet_mjcf_read_motor_inputs(reader, e, r);
}

// ------------------------------------------------------------------------- record to description

static limpet_motor pid_of(const limpet_mjcf_actuator_record *r) {
  const bool states = r->dynamics == LIMPET_MJCF_DYNAMICS_PID;
  limpet_motor m = limpet_motor_default();
  m.inputs = r->inputs ? (unsigned)r->inputs : LIMPET_MOTOR_POSITION | LIMPET_MOTOR_VELOCITY;
  m.position_gain = -r->bias[1];
  m.velocity_gain = -fmin(0.0, r->bias[2]);
  m.force_offset = r->bias[0];
  m.integral_gain = states ? r->gain[0] : 0.0;
  m.integral_limit = states ? fmax(0.0, r->dynamics_parameter[0]) : 0.0;
  m.slew_limit = states ? r->dynamics_parameter[1] : 0.0;
  return m;
}

static limpet_motor dcmotor_of(const limpet_mjcf_actuator_record *r) {
  const double *gain = r->gain, *bias = r->bias, *d = r->dynamics_parameter;
  unsigned inputs = r->inputs ? (unsigned)r->inputs : LIMPET_MOTOR_VOLTAGE;
  if (r->inputs == LIMPET_MJCF_NO_INPUTS) inputs = 0;
  return (limpet_motor){.inputs = inputs,
                        .position_gain = gain[4],
                        .integral_gain = gain[5],
                        .velocity_gain = gain[6],
                        .voltage_limit = gain[7],
                        .slew_limit = d[7],
                        .integral_limit = d[8],
                        .resistance = gain[0],
                        .constant = gain[1],
                        .current_time = d[0],
                        .current_rate_limit = d[1],
                        .thermal_resistance = d[2],
                        .thermal_capacity = d[3],
                        .temperature_coefficient = gain[2],
                        .reference_temperature = gain[3],
                        .ambient_temperature = d[4],
                        .cogging_torque = bias[0],
                        .cogging_poles = bias[1],
                        .cogging_phase = bias[2],
                        .bristle_stiffness = d[5],
                        .bristle_damping = d[6],
                        .coulomb_friction = bias[3],
                        .static_friction = bias[4],
                        .stribeck_velocity = bias[5]};
}

bool limpet_mjcf_is_motor(const limpet_mjcf_actuator_record *r) {
  return r->gain_type == LIMPET_MJCF_GAIN_PID || r->gain_type == LIMPET_MJCF_GAIN_MOTOR;
}

static void check_types(limpet_reader *reader, const limpet_xml_element *e,
                        const limpet_mjcf_actuator_record *r) {
  const bool pid = r->gain_type == LIMPET_MJCF_GAIN_PID;
  const int bias = pid ? LIMPET_MJCF_BIAS_AFFINE : LIMPET_MJCF_BIAS_MOTOR;
  if (r->bias_type != bias)
    limpet_reader_fail(reader, e, "biastype", "gaintype \"%s\" needs biastype \"%s\"",
                       pid ? "pid" : "dcmotor", pid ? "affine" : "dcmotor");
  const int own = pid ? LIMPET_MJCF_DYNAMICS_PID : LIMPET_MJCF_DYNAMICS_MOTOR;
  if (r->dynamics != own && r->dynamics != LIMPET_MJCF_DYNAMICS_NONE)
    limpet_reader_fail(reader, e, "dyntype", "gaintype \"%s\" needs dyntype \"%s\", or none",
                       pid ? "pid" : "dcmotor", pid ? "pid" : "dcmotor");
}

void limpet_mjcf_take_motor(limpet_reader *reader, const limpet_xml_element *e,
                            limpet_mjcf_actuator_record *r) {
  limpet_actuator_description *d = &r->d;
  check_types(reader, e, r);
  const bool pid = r->gain_type == LIMPET_MJCF_GAIN_PID;
  d->motor = pid ? pid_of(r) : dcmotor_of(r);
  if (!pid && !(d->motor.resistance > 0.0))
    limpet_reader_fail(reader, e, NULL,
                       "<%s> has no resistance; give 'resistance' [Ohm] and 'motorconst' "
                       "[N m/A], or 'nominal' (voltage, stall torque, speed without load)",
                       e->name);
  if (!pid && d->motor.inputs && !(d->motor.constant > 0.0))
    limpet_reader_fail(reader, e, NULL,
                       "<%s> has no motor constant; give 'motorconst' [N m/A], or 'nominal' "
                       "(voltage, stall torque, speed without load)",
                       e->name);
  d->gain_law = d->bias_law = LIMPET_ACTUATOR_MOTOR;
  for (int i = 0; i < 3; ++i) d->gain[i] = d->bias[i] = 0.0;
  if (pid && r->bias[2] > 0.0) d->damping_ratio = r->bias[2];
  d->activation = LIMPET_ACTIVATION_MOTOR;
  d->part = 0, d->part_count = 1;
  if (limpet_actuator_activation_count(d) == 0) d->activation = LIMPET_ACTIVATION_NONE;
  r->controls = 0;
  for (unsigned bits = d->motor.inputs; bits; bits >>= 1) r->controls += (int)(bits & 1u);
  d->part_count = r->controls > 0 ? r->controls : 1;
  if (pid && !(d->motor.inputs & LIMPET_MOTOR_POSITION))
    d->control_range[0] = d->control_range[1] = r->inherit_range = 0.0;
}

const double *limpet_mjcf_motor_range(const limpet_mjcf_actuator_record *r, int part) {
  unsigned bits = r->d.motor.inputs, input = LIMPET_MOTOR_POSITION;
  for (; bits && (!(bits & 1u) || part-- > 0); bits >>= 1) input <<= 1;
  if (r->gain_type == LIMPET_MJCF_GAIN_PID && input == LIMPET_MOTOR_VELOCITY)
    return r->velocity_range;
  if (r->gain_type == LIMPET_MJCF_GAIN_PID && input == LIMPET_MOTOR_FORCE)
    return r->feedforward_range;
  return r->d.control_range;
}
