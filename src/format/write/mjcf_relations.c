/* format/write/mjcf_relations.c: the part of MJCF that refers to names: pairs, tendons, equalities,
 * actuators, keyframes. */
#include <math.h>
#include <string.h>

#include "format/write/writer.h"
#include "model/motor.h"

// ---------------------------------------------------------------------------------- contact

static void write_pair(limpet_writer *w, int p) {
  const limpet_model *m = w->model;
  limpet_write_begin(w, "pair");
  limpet_write_name(w, "geom1", LIMPET_OBJECT_GEOM, m->pair_geom[2 * p]);
  limpet_write_name(w, "geom2", LIMPET_OBJECT_GEOM, m->pair_geom[2 * p + 1]);
  limpet_write_integer(w, "condim", m->pair_condim[p]);
  limpet_write_numbers(w, "friction", m->pair_friction + 5 * p, 5);
  limpet_write_impedance(w, "solref", "solimp", m->pair_has_impedance[p], &m->pair_impedance[p]);
  limpet_write_unless(w, "margin", m->pair_margin[p], 0.0);
  limpet_write_unless(w, "gap", m->pair_gap[p], 0.0);
  limpet_write_unless(w, "adhesion", m->pair_adhesion[p], 0.0);
  limpet_write_end(w, "pair");
}

static bool excluded_before(const limpet_model *m, int e) {
  const int *pair = m->exclude_body + 2 * e;
  for (int k = 0; k < e; ++k) {
    const int *other = m->exclude_body + 2 * k;
    if ((other[0] == pair[0] && other[1] == pair[1]) ||
        (other[0] == pair[1] && other[1] == pair[0]))
      return true;
  }
  return false;
}

static void write_contact(limpet_writer *w) {
  const limpet_model *m = w->model;
  if (m->pair_count + m->exclude_count == 0) return;
  limpet_write_begin(w, "contact");
  for (int p = 0; p < m->pair_count; ++p) write_pair(w, p);
  for (int e = 0; e < m->exclude_count; ++e) {
    if (excluded_before(m, e)) continue;
    limpet_write_begin(w, "exclude");
    limpet_write_name(w, "body1", LIMPET_OBJECT_BODY, m->exclude_body[2 * e]);
    limpet_write_name(w, "body2", LIMPET_OBJECT_BODY, m->exclude_body[2 * e + 1]);
    limpet_write_end(w, "exclude");
  }
  limpet_write_end(w, "contact");
}

// ---------------------------------------------------------------------------------- tendons

static void write_tendon_point(limpet_writer *w, int i) {
  const limpet_model *m = w->model;
  static const char *const words[] = {"site", "geom", "pulley"};
  const char *element = words[m->tendon_point_kind[i]];
  limpet_write_begin(w, element);
  switch (m->tendon_point_kind[i]) {
    case LIMPET_TENDON_SITE:
      limpet_write_name(w, "site", LIMPET_OBJECT_SITE, m->tendon_point_object[i]);
      break;
    case LIMPET_TENDON_GEOM:
      limpet_write_name(w, "geom", LIMPET_OBJECT_GEOM, m->tendon_point_object[i]);
      if (m->tendon_point_side[i] != LIMPET_NONE)
        limpet_write_name(w, "sidesite", LIMPET_OBJECT_SITE, m->tendon_point_side[i]);
      break;
    case LIMPET_TENDON_PULLEY: limpet_write_number(w, "divisor", m->tendon_point_divisor[i]); break;
  }
  limpet_write_end(w, element);
}

static void write_tendon(limpet_writer *w, int t) {
  const limpet_model *m = w->model;
  const char *element =
      m->tendon_point_begin[t] < m->tendon_point_begin[t + 1] ? "spatial" : "fixed";
  limpet_write_begin(w, element);
  limpet_write_name(w, "name", LIMPET_OBJECT_TENDON, t);
  if (m->tendon_limited[t]) {
    limpet_write_flag(w, "limited", true);
    limpet_write_numbers(w, "range", m->tendon_range + 2 * t, 2);
    limpet_write_unless(w, "margin", m->tendon_limit_margin[t], 0.0);
    limpet_write_impedance(w, "solreflimit", "solimplimit", m->tendon_has_limit_impedance[t],
                           &m->tendon_limit_impedance[t]);
  }
  limpet_write_polynomial(w, "stiffness", m->tendon_stiffness[t],
                          m->tendon_stiffness_growth + 2 * t);
  limpet_write_polynomial(w, "damping", m->tendon_damping[t], m->tendon_damping_growth + 2 * t);
  limpet_write_unless(w, "armature", m->tendon_armature[t], 0.0);
  limpet_write_unless(w, "frictionloss", m->tendon_dry_friction[t], 0.0);
  limpet_write_impedance(w, "solreffriction", "solimpfriction", m->tendon_dry_friction[t] > 0.0,
                         &m->tendon_dry_friction_impedance[t]);
  limpet_write_numbers(w, "springlength", m->tendon_spring_range + 2 * t, 2);
  if (m->tendon_effort_limited[t]) {
    limpet_write_flag(w, "actuatorfrclimited", true);
    limpet_write_numbers(w, "actuatorfrcrange", m->tendon_effort_range + 2 * t, 2);
  }
  for (int k = m->tendon_begin[t]; k < m->tendon_begin[t + 1]; ++k) {
    limpet_write_begin(w, "joint");
    limpet_write_name(w, "joint", LIMPET_OBJECT_JOINT, m->tendon_joint[k]);
    limpet_write_number(w, "coef", m->tendon_coefficient[k]);
    limpet_write_end(w, "joint");
  }
  for (int i = m->tendon_point_begin[t]; i < m->tendon_point_begin[t + 1]; ++i)
    write_tendon_point(w, i);
  limpet_write_end(w, element);
}

static void write_tendons(limpet_writer *w) {
  if (w->model->tendon_count == 0) return;
  limpet_write_begin(w, "tendon");
  for (int t = 0; t < w->model->tendon_count; ++t) write_tendon(w, t);
  limpet_write_end(w, "tendon");
}

// ------------------------------------------------------------------------------- equalities

static void write_coupler(limpet_writer *w, int c) {
  const limpet_model *m = w->model;
  const bool tendon = m->coupler_tendon[c];
  const char *element = tendon ? "tendon" : "joint";
  const limpet_object kind = tendon ? LIMPET_OBJECT_TENDON : LIMPET_OBJECT_JOINT;
  limpet_write_begin(w, element);
  limpet_write_name(w, "name", LIMPET_OBJECT_COUPLER, c);
  limpet_write_name(w, tendon ? "tendon1" : "joint1", kind, m->coupler_y[c]);
  if (m->coupler_x[c] != LIMPET_NONE)
    limpet_write_name(w, tendon ? "tendon2" : "joint2", kind, m->coupler_x[c]);
  limpet_write_numbers(w, "polycoef", m->coupler_coefficient + 5 * c, 5);
  limpet_write_flag(w, "active", m->coupler_active[c]);
  limpet_write_impedance(w, "solref", "solimp", m->coupler_has_impedance[c],
                         &m->coupler_impedance[c]);
  limpet_write_end(w, element);
}

static void write_loop(limpet_writer *w, int l) {
  const limpet_model *m = w->model;
  const char *element = m->loop_kind[l] == LIMPET_LOOP_WELD ? "weld" : "connect";
  char name[LIMPET_WRITER_NAME_SIZE], end[64];
  if (m->loop_kind[l] == LIMPET_LOOP_DISTANCE) {
    limpet_writer_leave_out(w, "loop %s: MJCF has no distances between points",
                            limpet_writer_name(w, LIMPET_OBJECT_LOOP, l, name));
    return;
  }
  limpet_write_begin(w, element);
  limpet_write_name(w, "name", LIMPET_OBJECT_LOOP, l);
  snprintf(end, sizeof end, "limpet_loop_%d_a", l);
  limpet_write_text(w, "site1", end);
  snprintf(end, sizeof end, "limpet_loop_%d_b", l);
  limpet_write_text(w, "site2", end);
  limpet_write_flag(w, "active", m->loop_active[l]);
  if (m->loop_kind[l] == LIMPET_LOOP_WELD)
    limpet_write_unless(w, "torquescale", m->loop_torque_scale[l], 1.0);
  limpet_write_impedance(w, "solref", "solimp", m->loop_has_impedance[l], &m->loop_impedance[l]);
  limpet_write_end(w, element);
}

const char *limpet_writer_slide_name(int joint, char text[LIMPET_WRITER_NAME_SIZE]) {
  snprintf(text, LIMPET_WRITER_NAME_SIZE, "limpet_screw_%d_slide", joint);
  return text;
}

static bool is_screw(const limpet_model *m, int j) {
  return m->joint_kind[j] == LIMPET_JOINT_SCREW;
}

static int screw_count(const limpet_model *m) {
  int count = 0;
  for (int j = 0; j < m->joint_count; ++j) count += is_screw(m, j);
  return count;
}

// way = pitch/(2 pi) turn, both from the pose of the file
static void write_screw_couplers(limpet_writer *w) {
  const limpet_model *m = w->model;
  for (int j = 0; j < m->joint_count; ++j) {
    if (!is_screw(m, j)) continue;
    char name[LIMPET_WRITER_NAME_SIZE];
    const double polynomial[5] = {0.0, m->joint_advance[j], 0.0, 0.0, 0.0};
    limpet_write_begin(w, "joint");
    limpet_write_text(w, "joint1", limpet_writer_slide_name(j, name));
    limpet_write_name(w, "joint2", LIMPET_OBJECT_JOINT, j);
    limpet_write_numbers(w, "polycoef", polynomial, 5);
    limpet_write_end(w, "joint");
  }
}

static void write_equalities(limpet_writer *w) {
  if (w->model->coupler_count + w->model->loop_count + screw_count(w->model) == 0) return;
  limpet_write_begin(w, "equality");
  write_screw_couplers(w);
  for (int c = 0; c < w->model->coupler_count; ++c) write_coupler(w, c);
  for (int l = 0; l < w->model->loop_count; ++l) write_loop(w, l);
  limpet_write_end(w, "equality");
}

// -------------------------------------------------------------------------------- actuators

static void write_target(limpet_writer *w, int a) {
  const limpet_model *m = w->model;
  const int target = m->actuator_target[a];
  switch (m->actuator_transmission[a]) {
    case LIMPET_TRANSMISSION_JOINT:
      limpet_write_name(w, "joint", LIMPET_OBJECT_JOINT, target);
      break;
    case LIMPET_TRANSMISSION_JOINT_IN_PARENT:
      limpet_write_name(w, "jointinparent", LIMPET_OBJECT_JOINT, target);
      break;
    case LIMPET_TRANSMISSION_TENDON:
      limpet_write_name(w, "tendon", LIMPET_OBJECT_TENDON, target);
      break;
    case LIMPET_TRANSMISSION_SITE:
      limpet_write_name(w, "site", LIMPET_OBJECT_SITE, target);
      if (m->actuator_reference_site[a] != LIMPET_NONE)
        limpet_write_name(w, "refsite", LIMPET_OBJECT_SITE, m->actuator_reference_site[a]);
      break;
    case LIMPET_TRANSMISSION_SLIDER_CRANK:
      limpet_write_name(w, "cranksite", LIMPET_OBJECT_SITE, target);
      limpet_write_name(w, "slidersite", LIMPET_OBJECT_SITE, m->actuator_reference_site[a]);
      limpet_write_number(w, "cranklength", m->actuator_crank_length[a]);
      break;
    case LIMPET_TRANSMISSION_BODY: limpet_write_name(w, "body", LIMPET_OBJECT_BODY, target); break;
    case LIMPET_TRANSMISSION_SURFACE: break;
  }
}

static void write_range(limpet_writer *w, const char *flag, const char *attribute, bool limited,
                        const double *range) {
  limpet_write_flag(w, flag, limited);
  if (limited) limpet_write_numbers(w, attribute, range, 2);
}

static void write_law(limpet_writer *w, int a, const char *type, const char *numbers,
                      limpet_actuator_law law, const double *affine) {
  const limpet_muscle *muscle = &w->model->actuator_muscle[a];
  if (law == LIMPET_ACTUATOR_AFFINE) {
    limpet_write_text(w, type, "affine");
    limpet_write_numbers(w, numbers, affine, 3);
    return;
  }
  const double curves[9] = {muscle->range[0], muscle->range[1],      muscle->force,
                            muscle->scale,    muscle->shortest,      muscle->longest,
                            muscle->fastest,  muscle->passive_force, muscle->lengthening_force};
  limpet_write_text(w, type, "muscle");
  limpet_write_numbers(w, numbers, curves, 9);
}

static void write_delay(limpet_writer *w, int a) {
  const limpet_model *m = w->model;
  if (m->actuator_history[a] >= 0)
    limpet_write_delay(w, m->actuator_delay[a], m->actuator_delay_samples[a],
                       m->actuator_delay_interpolation[a]);
}

// The first of its parts stands for all.
static void write_orientation(limpet_writer *w, int a) {
  const limpet_model *m = w->model;
  if (m->actuator_part[a] > 0) return;
  const int axis = a + (m->actuator_part_count[a] == 4);
  const double limit[2] = {0.0, m->actuator_force_range[2 * a + 1]};
  limpet_write_begin(w, "orientation");
  limpet_write_name(w, "name", LIMPET_OBJECT_ACTUATOR, a);
  write_target(w, a);
  limpet_write_text(w, "input", m->actuator_part_count[a] == 4 ? "quat" : "expmap");
  limpet_write_number(w, "kp", m->actuator_gain[3 * axis]);
  limpet_write_number(w, "kv", -m->actuator_bias[3 * axis + 2]);
  if (m->actuator_control_limited[a])
    limpet_write_numbers(w, "ctrlrange", m->actuator_control_range + 2 * a, 2);
  if (m->actuator_force_limited[a]) limpet_write_numbers(w, "forcerange", limit, 2);
  limpet_write_integer(w, "group", m->actuator_group[a]);
  write_delay(w, a);
  limpet_write_end(w, "orientation");
}

// Range of one input of a motor, where it has one.
static void write_input_range(limpet_writer *w, int a, unsigned input, const char *attribute) {
  const limpet_model *m = w->model;
  const int place = limpet_motor_input(&m->actuator_motor[a], input);
  if (place >= 0 && m->actuator_control_limited[a + place])
    limpet_write_numbers(w, attribute, m->actuator_control_range + 2 * (a + place), 2);
}

static void write_inputs(limpet_writer *w, int a, bool winding) {
  static const char *const words[] = {"pos", "vel", "ff", "voltage"};
  const limpet_motor *motor = &w->model->actuator_motor[a];
  char text[32] = "";
  for (unsigned i = 0; i < 4; ++i)
    if (motor->inputs & 1u << i) {
      if (text[0]) strcat(text, " ");
      strcat(text, words[i]);
    }
  limpet_write_text(w, "input", text[0] ? text : "none");
  if (winding && w->model->actuator_control_limited[a] && motor->inputs)
    limpet_write_numbers(w, "ctrlrange", w->model->actuator_control_range + 2 * a, 2);
  if (winding) return;
  write_input_range(w, a, LIMPET_MOTOR_POSITION, "ctrlrange");
  write_input_range(w, a, LIMPET_MOTOR_VELOCITY, "velrange");
  write_input_range(w, a, LIMPET_MOTOR_FORCE, "ffrange");
}

// The number lists of MJCF's general actuator: format/mjcf/actuator_motor.c names them.
static void write_winding(limpet_writer *w, const limpet_motor *p) {
  const double gain[8] =
      {p->resistance,    p->constant,      p->temperature_coefficient, p->reference_temperature,
       p->position_gain, p->integral_gain, p->velocity_gain,           p->voltage_limit},
               bias[6] = {p->cogging_torque,   p->cogging_poles,   p->cogging_phase,
                          p->coulomb_friction, p->static_friction, p->stribeck_velocity},
               dynamics[9] = {p->current_time,     p->current_rate_limit,  p->thermal_resistance,
                              p->thermal_capacity, p->ambient_temperature, p->bristle_stiffness,
                              p->bristle_damping,  p->slew_limit,          p->integral_limit};
  limpet_write_text(w, "gaintype", "dcmotor");
  limpet_write_text(w, "biastype", "dcmotor");
  limpet_write_text(w, "dyntype", "dcmotor");
  limpet_write_numbers(w, "gainprm", gain, 8);
  limpet_write_numbers(w, "biasprm", bias, 6);
  limpet_write_numbers(w, "dynprm", dynamics, 9);
  limpet_write_flag(w, "actearly", true);
}

static void write_controller(limpet_writer *w, int a) {
  const limpet_model *m = w->model;
  const limpet_motor *p = &m->actuator_motor[a];
  const bool states = m->actuator_act_count[a] > 0;
  const double bias[3] = {p->force_offset, -p->position_gain, -p->velocity_gain},
               dynamics[2] = {p->integral_limit, p->slew_limit};
  limpet_write_text(w, "gaintype", "pid");
  limpet_write_text(w, "biastype", "affine");
  limpet_write_number(w, "gainprm", p->integral_gain);
  limpet_write_numbers(w, "biasprm", bias, 3);
  limpet_write_text(w, "dyntype", states ? "pid" : "none");
  if (!states) return;
  limpet_write_numbers(w, "dynprm", dynamics, 2);
  limpet_write_flag(w, "actearly", m->actuator_activation_early[a]);
}

// The first of its inputs stands for all.
static void write_motor(limpet_writer *w, int a) {
  const limpet_model *m = w->model;
  const bool winding = m->actuator_motor[a].resistance > 0.0;
  if (m->actuator_part[a] > 0) return;
  limpet_write_begin(w, "general");
  limpet_write_name(w, "name", LIMPET_OBJECT_ACTUATOR, a);
  write_target(w, a);
  limpet_write_numbers(w, "gear", m->actuator_gear + 6 * a, 6);
  write_range(w, "forcelimited", "forcerange", m->actuator_force_limited[a],
              m->actuator_force_range + 2 * a);
  write_inputs(w, a, winding);
  if (winding) write_winding(w, &m->actuator_motor[a]);
  else write_controller(w, a);
  if (m->actuator_act_count[a] > 0) {
    write_range(w, "actlimited", "actrange", m->actuator_activation_limited[a],
                m->actuator_activation_range + 2 * a);
    limpet_write_integer(w, "actdim", m->actuator_act_count[a]);
  }
  limpet_write_integer(w, "group", m->actuator_group[a]);
  write_delay(w, a);
  limpet_write_end(w, "general");
}

static void write_actuator(limpet_writer *w, int a) {
  static const char *const dynamics[] = {[LIMPET_ACTIVATION_NONE] = "none",
                                         [LIMPET_ACTIVATION_INTEGRATOR] = "integrator",
                                         [LIMPET_ACTIVATION_FILTER] = "filter",
                                         [LIMPET_ACTIVATION_FILTER_EXACT] = "filterexact",
                                         [LIMPET_ACTIVATION_MUSCLE] = "muscle"};
  const limpet_model *m = w->model;
  char name[LIMPET_WRITER_NAME_SIZE];
  if (m->actuator_transmission[a] == LIMPET_TRANSMISSION_SURFACE) {
    limpet_writer_leave_out(w, "actuator %s: MJCF has no drives of surfaces",
                            limpet_writer_name(w, LIMPET_OBJECT_ACTUATOR, a, name));
    return;
  }
  if (m->actuator_gain_law[a] == LIMPET_ACTUATOR_ORIENTATION) {
    write_orientation(w, a);
    return;
  }
  if (m->actuator_gain_law[a] == LIMPET_ACTUATOR_MOTOR) {
    write_motor(w, a);
    return;
  }
  limpet_write_begin(w, "general");
  limpet_write_name(w, "name", LIMPET_OBJECT_ACTUATOR, a);
  write_target(w, a);
  limpet_write_numbers(w, "gear", m->actuator_gear + 6 * a, 6);
  write_range(w, "ctrllimited", "ctrlrange", m->actuator_control_limited[a],
              m->actuator_control_range + 2 * a);
  write_range(w, "forcelimited", "forcerange", m->actuator_force_limited[a],
              m->actuator_force_range + 2 * a);
  limpet_write_text(w, "dyntype", dynamics[m->actuator_activation[a]]);
  if (m->actuator_activation[a] != LIMPET_ACTIVATION_NONE) {
    write_range(w, "actlimited", "actrange", m->actuator_activation_limited[a],
                m->actuator_activation_range + 2 * a);
    const double times[3] = {m->actuator_activation_time[a], m->actuator_deactivation_time[a],
                             m->actuator_activation_smoothing[a]};
    const bool muscle = m->actuator_activation[a] == LIMPET_ACTIVATION_MUSCLE;
    limpet_write_numbers(w, "dynprm", times, muscle ? 3 : 1);
    limpet_write_flag(w, "actearly", m->actuator_activation_early[a]);
  }
  write_law(w, a, "gaintype", "gainprm", m->actuator_gain_law[a], m->actuator_gain + 3 * a);
  write_law(w, a, "biastype", "biasprm", m->actuator_bias_law[a], m->actuator_bias + 3 * a);
  if (m->actuator_length_range[2 * a] < m->actuator_length_range[2 * a + 1])
    limpet_write_numbers(w, "lengthrange", m->actuator_length_range + 2 * a, 2);
  limpet_write_integer(w, "group", m->actuator_group[a]);
  write_delay(w, a);
  limpet_write_end(w, "general");
}

static void write_actuators(limpet_writer *w) {
  if (w->model->actuator_count == 0) return;
  limpet_write_begin(w, "actuator");
  for (int a = 0; a < w->model->actuator_count; ++a) write_actuator(w, a);
  limpet_write_end(w, "actuator");
}

// -------------------------------------------------------------------------------- keyframes

static bool drives_surfaces(const limpet_model *m) {
  for (int a = 0; a < m->actuator_count; ++a)
    if (m->actuator_transmission[a] == LIMPET_TRANSMISSION_SURFACE) return true;
  return false;
}

static void write_keyframe(limpet_writer *w, int k) {
  const limpet_model *m = w->model;
  const size_t at = (size_t)k;
  limpet_write_begin(w, "key");
  limpet_write_name(w, "name", LIMPET_OBJECT_KEYFRAME, k);
  limpet_write_number(w, "time", m->keyframe_time[k]);
  if (m->nq) limpet_write_numbers(w, "qpos", m->keyframe_q + at * (size_t)m->nq, m->nq);
  if (m->nv) limpet_write_numbers(w, "qvel", m->keyframe_v + at * (size_t)m->nv, m->nv);
  if (m->nu && !drives_surfaces(m))
    limpet_write_numbers(w, "ctrl", m->keyframe_control + at * (size_t)m->nu, m->nu);
  if (m->na) limpet_write_numbers(w, "act", m->keyframe_activation + at * (size_t)m->na, m->na);
  if (m->mocap_count) {
    const int n = m->mocap_count;
    limpet_write_numbers(w, "mpos", m->keyframe_mocap_position + 3 * at * (size_t)n, 3 * n);
    limpet_write_numbers(w, "mquat", m->keyframe_mocap_quaternion + 4 * at * (size_t)n, 4 * n);
  }
  limpet_write_end(w, "key");
}

static void write_keyframes(limpet_writer *w) {
  if (w->model->keyframe_count == 0) return;
  if (screw_count(w->model)) {
    limpet_writer_leave_out(w, "%d keyframes: screws have more coordinates in MJCF",
                            w->model->keyframe_count);
    return;
  }
  limpet_write_begin(w, "keyframe");
  for (int k = 0; k < w->model->keyframe_count; ++k) write_keyframe(w, k);
  limpet_write_end(w, "keyframe");
}

void limpet_write_mjcf_relations(limpet_writer *w) {
  write_contact(w);
  write_tendons(w);
  write_equalities(w);
  write_actuators(w);
  limpet_write_mjcf_sensors(w);
  write_keyframes(w);
}
