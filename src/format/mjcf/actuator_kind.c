/* format/mjcf/actuator_kind.c: how each kind of actuator is written. All of them are ways to fill
 * one record; a position servo has gain kp and bias -kp length - kv velocity, a velocity servo gain
 * kv and bias -kv velocity, a damper the gain -kv velocity, a cylinder its area as gain and a
 * filter. A positive third bias of a position servo stands for its damping ratio. */
#include <string.h>

#include "format/mjcf/actuator.h"
#include "format/mjcf/default.h"
#include "format/mjcf/value.h"
#include "math/vec3.h"

// Whether it is a default; what a kind asks of its own elements does not pass on.
static bool in_class(const limpet_xml_element *e) {
  return strcmp(e->parent->name, "default") == 0;
}

static void read_common(limpet_reader *reader, const limpet_xml_element *e,
                        limpet_mjcf_actuator_record *r) {
  limpet_mjcf_tristate(reader, e, "ctrllimited", &r->control_limited);
  limpet_mjcf_tristate(reader, e, "forcelimited", &r->force_limited);
  limpet_mjcf_tristate(reader, e, "actlimited", &r->activation_limited);
  limpet_read_numbers(reader, e, "ctrlrange", r->d.control_range, 2, 2);
  limpet_read_numbers(reader, e, "forcerange", r->d.force_range, 2, 2);
  limpet_read_numbers(reader, e, "actrange", r->d.activation_range, 2, 2);
  double gear[6];
  const int count = limpet_read_numbers(reader, e, "gear", gear, 1, 6);
  for (int i = 0; i < count; ++i) r->d.gear[i] = gear[i];
  limpet_read_numbers(reader, e, "lengthrange", r->d.length_range, 2, 2);
  limpet_read_number(reader, e, "cranklength", &r->d.crank_length);
  limpet_read_integer(reader, e, "group", &r->d.group);
  limpet_read_number(reader, e, "armature", &r->armature);
  limpet_mjcf_polynomial(reader, e, "damping", &r->damping, r->damping_growth);
  limpet_mjcf_delay(reader, e, &r->d.delay, &r->d.delay_samples, &r->d.delay_interpolation);
}

// What the one control of an actuator is said to be, which changes nothing.
static void read_declaration(limpet_reader *reader, const limpet_xml_element *e) {
  static const char *const words[] = {"pos", "vel", "pressure", "expmap", "quat", "", NULL};
  static const char *const ranges[] = {"velrange", "ffrange"};
  int word = 0;
  limpet_read_choice(reader, e, "input", words, &word);
  for (int i = 0; i < 2; ++i)
    if (limpet_xml_find(e, ranges[i]))
      limpet_reader_note(reader, e, ranges[i], ranges[i],
                         "'%s' is a range of a second input, which a PID controller alone has",
                         ranges[i]);
}

static void read_general(limpet_reader *reader, const limpet_xml_element *e,
                         limpet_mjcf_actuator_record *r) {
  static const char *const gains[] = {"fixed", "affine", "muscle", "dcmotor",
                                      "so3",   "pid",    "user",   NULL};
  static const char *const biases[] = {"none", "affine", "muscle", "dcmotor", "so3", "user", NULL};
  static const char *const dynamics[] = {"none",    "integrator", "filter", "filterexact", "muscle",
                                         "dcmotor", "pid",        "user",   NULL};
  limpet_read_choice(reader, e, "gaintype", gains, &r->gain_type);
  limpet_read_choice(reader, e, "biastype", biases, &r->bias_type);
  limpet_read_choice(reader, e, "dyntype", dynamics, &r->dynamics);
  limpet_read_numbers(reader, e, "gainprm", r->gain, 1, LIMPET_MJCF_PARAMETERS);
  limpet_read_numbers(reader, e, "biasprm", r->bias, 1, LIMPET_MJCF_PARAMETERS);
  limpet_read_numbers(reader, e, "dynprm", r->dynamics_parameter, 1, LIMPET_MJCF_PARAMETERS);
  limpet_read_boolean(reader, e, "actearly", &r->d.activation_early);
  limpet_read_number(reader, e, "inheritrange", &r->inherit_range);
  limpet_read_integer(reader, e, "actdim", &r->activations);
  if (limpet_mjcf_is_motor(r)) limpet_mjcf_read_motor_inputs(reader, e, r);
  else read_declaration(reader, e);
}

static void read_motor(limpet_reader *reader, const limpet_xml_element *e,
                       limpet_mjcf_actuator_record *r) {
  (void)reader, (void)e;
  memset(r->gain, 0, sizeof r->gain);
  memset(r->bias, 0, sizeof r->bias);
  r->gain[0] = 1.0;
  r->gain_type = LIMPET_MJCF_GAIN_FIXED, r->bias_type = LIMPET_MJCF_BIAS_NONE,
  r->dynamics = LIMPET_MJCF_DYNAMICS_NONE;
}

static void read_position(limpet_reader *reader, const limpet_xml_element *e,
                          limpet_mjcf_actuator_record *r) {
  double stiffness = r->gain[0], time;
  limpet_read_number(reader, e, "kp", &stiffness);
  limpet_mjcf_refuse_negative(reader, e, "kp", "'kp'", stiffness);
  r->gain[0] = stiffness;
  r->bias[0] = 0.0;
  r->bias[1] = -stiffness;
  if (r->dynamics != LIMPET_MJCF_DYNAMICS_FILTER_EXACT) r->dynamics = LIMPET_MJCF_DYNAMICS_NONE;
  r->gain_type = LIMPET_MJCF_GAIN_FIXED, r->bias_type = LIMPET_MJCF_BIAS_AFFINE;
  limpet_mjcf_read_damping(reader, e, r);
  if (limpet_read_number(reader, e, "timeconst", &time)) {
    limpet_mjcf_refuse_negative(reader, e, "timeconst", "'timeconst'", time);
    r->dynamics_parameter[0] = time;
    r->dynamics = time > 0.0 ? LIMPET_MJCF_DYNAMICS_FILTER_EXACT : LIMPET_MJCF_DYNAMICS_NONE;
  }
  limpet_read_number(reader, e, "inheritrange", &r->inherit_range);
}

static void read_integrated_velocity(limpet_reader *reader, const limpet_xml_element *e,
                                     limpet_mjcf_actuator_record *r) {
  read_position(reader, e, r);
  r->dynamics = LIMPET_MJCF_DYNAMICS_INTEGRATOR;
  if (!in_class(e)) r->activation_limited = LIMPET_MJCF_TRUE;
}

static void read_velocity(limpet_reader *reader, const limpet_xml_element *e,
                          limpet_mjcf_actuator_record *r) {
  double damping = r->gain[0];
  limpet_read_number(reader, e, "kv", &damping);
  limpet_mjcf_refuse_negative(reader, e, "kv", "'kv'", damping);
  read_motor(reader, e, r);
  r->gain[0] = damping;
  r->bias[2] = -damping;
  r->bias_type = LIMPET_MJCF_BIAS_AFFINE;
}

static void read_damper(limpet_reader *reader, const limpet_xml_element *e,
                        limpet_mjcf_actuator_record *r) {
  double damping = r->gain_type == LIMPET_MJCF_GAIN_AFFINE ? -r->gain[2] : 0.0;
  limpet_read_number(reader, e, "kv", &damping);
  limpet_mjcf_refuse_negative(reader, e, "kv", "'kv'", damping);
  read_motor(reader, e, r);
  r->gain[0] = 0.0;
  r->gain[2] = -damping;
  r->gain_type = LIMPET_MJCF_GAIN_AFFINE;
  if (!in_class(e)) r->control_limited = LIMPET_MJCF_TRUE;
  limpet_mjcf_refuse_negative(reader, e, "ctrlrange", "'ctrlrange'", r->d.control_range[0]);
}

static void read_cylinder(limpet_reader *reader, const limpet_xml_element *e,
                          limpet_mjcf_actuator_record *r) {
  double diameter;
  limpet_read_number(reader, e, "area", &r->gain[0]);
  if (limpet_read_number(reader, e, "diameter", &diameter))
    r->gain[0] = 0.25 * LIMPET_PI * diameter * diameter;
  limpet_read_number(reader, e, "timeconst", &r->dynamics_parameter[0]);
  limpet_read_numbers(reader, e, "bias", r->bias, 3, 3);
  r->dynamics = LIMPET_MJCF_DYNAMICS_FILTER;
  r->gain_type = LIMPET_MJCF_GAIN_FIXED, r->bias_type = LIMPET_MJCF_BIAS_AFFINE;
}

// A servo that turns to an orientation: one actuator for each number of the input.
static void read_orientation(limpet_reader *reader, const limpet_xml_element *e,
                             limpet_mjcf_actuator_record *r) {
  static const char *const inputs[] = {"expmap", "quat", NULL};
  int input = r->d.part_count == 4;
  limpet_read_choice(reader, e, "input", inputs, &input);
  limpet_read_number(reader, e, "kp", &r->gain[0]);
  limpet_mjcf_read_damping(reader, e, r);
  r->gain_type = LIMPET_MJCF_GAIN_ORIENTATION, r->bias_type = LIMPET_MJCF_BIAS_ORIENTATION;
  r->d.part_count = r->controls = input ? 4 : 3;
}

// A kind that the schema notes: one control and no force.
static void read_inert(limpet_reader *reader, const limpet_xml_element *e,
                       limpet_mjcf_actuator_record *r) {
  read_motor(reader, e, r);
  r->gain[0] = 0.0;
}

static void read_muscle(limpet_reader *reader, const limpet_xml_element *e,
                        limpet_mjcf_actuator_record *r) {
  static const double curves[] = {0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2},
                      times[] = {0.01, 0.04, 0.0};
  if (r->gain_type != LIMPET_MJCF_GAIN_MUSCLE) {
    memcpy(r->gain, curves, sizeof curves);
    memcpy(r->dynamics_parameter, times, sizeof times);
  }
  limpet_read_numbers(reader, e, "range", r->gain, 2, 2);
  static const char *const names[] = {"force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    limpet_read_number(reader, e, names[i], &r->gain[2 + i]);
  limpet_read_numbers(reader, e, "timeconst", r->dynamics_parameter, 2, 2);
  limpet_read_number(reader, e, "tausmooth", &r->dynamics_parameter[2]);
  limpet_mjcf_refuse_negative(reader, e, "tausmooth", "'tausmooth'", r->dynamics_parameter[2]);
  memcpy(r->bias, r->gain, sizeof r->bias);
  r->gain_type = LIMPET_MJCF_GAIN_MUSCLE, r->bias_type = LIMPET_MJCF_BIAS_MUSCLE;
  r->dynamics = LIMPET_MJCF_DYNAMICS_MUSCLE;
}

static void read_adhesion(limpet_reader *reader, const limpet_xml_element *e,
                          limpet_mjcf_actuator_record *r) {
  double gain = r->gain[0];
  limpet_read_number(reader, e, "gain", &gain);
  limpet_mjcf_refuse_negative(reader, e, "gain", "'gain'", gain);
  read_motor(reader, e, r);
  r->gain[0] = gain;
  if (!in_class(e)) r->control_limited = LIMPET_MJCF_TRUE;
  limpet_mjcf_refuse_negative(reader, e, "ctrlrange", "'ctrlrange'", r->d.control_range[0]);
}

static const struct {
  const char *name;
  void (*read)(limpet_reader *reader, const limpet_xml_element *e, limpet_mjcf_actuator_record *r);
  bool inert;  // its defaults concern itself alone
} kinds[] = {{"general", read_general, false},
             {"motor", read_motor, false},
             {"position", read_position, false},
             {"velocity", read_velocity, false},
             {"intvelocity", read_integrated_velocity, false},
             {"damper", read_damper, false},
             {"cylinder", read_cylinder, false},
             {"muscle", read_muscle, false},
             {"adhesion", read_adhesion, false},
             {"orientation", read_orientation, false},
             {"pid", limpet_mjcf_read_pid, false},
             {"dcmotor", limpet_mjcf_read_dcmotor, false},
             {"plugin", read_inert, true}};

static bool is_general(const char *kind) { return strcmp(kind, "general") == 0; }

// whether <general> passes its law on to a kind
static bool general_passes(const char *kind, const limpet_mjcf_actuator_record *general) {
  const bool alone = strcmp(kind, "damper") == 0 || strcmp(kind, "orientation") == 0;
  return is_general(kind) || (!alone && general->gain_type == LIMPET_MJCF_GAIN_FIXED);
}

/* A law passes from a class to an element of the same kind, from any to <general>, and from
 * <general> to most kinds with a fixed gain. All others begin with the law of their kind (MuJoCo
 * 4.0.1, found by running it on all pairs of kinds). */
static void begin_law(const char *kind, limpet_mjcf_actuator_record *r) {
  const bool passes = is_general(kind) || strcmp(r->kind, kind) == 0 ||
                      (is_general(r->kind) && general_passes(kind, r));
  if (!passes) {
    memset(r->gain, 0, sizeof r->gain);
    memset(r->bias, 0, sizeof r->bias);
    memset(r->dynamics_parameter, 0, sizeof r->dynamics_parameter);
    r->gain[0] = r->dynamics_parameter[0] = 1.0;
    r->gain_type = LIMPET_MJCF_GAIN_FIXED, r->bias_type = LIMPET_MJCF_BIAS_NONE,
    r->dynamics = LIMPET_MJCF_DYNAMICS_NONE;
    r->d.part_count = 0;
    r->controls = r->activations = -1;
    r->inputs = 0;
  }
  r->kind = kind;
}

static void read_layer(limpet_reader *reader, const limpet_xml_element *e,
                       limpet_mjcf_actuator_record *r) {
  read_common(reader, e, r);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (strcmp(kinds[i].name, e->name) == 0) {
      begin_law(kinds[i].name, r);
      kinds[i].read(reader, e, r);
    }
}

/* What an element inherits while its classes are read. A class passes on the law of the last kind
 * in it: a <position> of a class that ends with <motor> has the gain that a class above gave
 * <position>, whatever a <position> before the <motor> says. Other kinds pass to it through a later
 * <general>. */
typedef struct layers {
  const char *kind;                    // of the element
  const limpet_xml_element *section;   // <default> of the last layer
  limpet_mjcf_actuator_record own;     // of its kind or <general>
  limpet_mjcf_actuator_record above;   // `own` where the class began
  limpet_mjcf_actuator_record latest;  // of the last layer
  limpet_mjcf_actuator_record begun;   // `latest` where the class began
} layers;

// Whether two <default> fill the same class: those on top are parts of one.
static bool same_class(const limpet_xml_element *a, const limpet_xml_element *b) {
  return a == b || (a && strcmp(b->name, "default") == 0 && !in_class(a) && !in_class(b));
}

// The law of `from`; what all kinds have in common stays.
static void take_law(limpet_mjcf_actuator_record *r, const limpet_mjcf_actuator_record *from) {
  limpet_mjcf_actuator_record law = *from;
  law.d = r->d;
  law.d.part_count = from->d.part_count, law.d.activation_early = from->d.activation_early;
  law.control_limited = r->control_limited, law.force_limited = r->force_limited;
  law.activation_limited = r->activation_limited;
  law.armature = r->armature, law.damping = r->damping;
  memcpy(law.damping_growth, r->damping_growth, sizeof law.damping_growth);
  *r = law;
}

static void actuator_layer(limpet_reader *reader, const limpet_mjcf_source *source,
                           const limpet_xml_element *e, void *context) {
  layers *l = context;
  (void)source;
  if (!same_class(l->section, e->parent)) l->above = l->own, l->begun = l->latest;
  l->section = e->parent;
  if (strcmp(e->name, l->kind) == 0 && !is_general(l->kind)) {
    read_layer(reader, e, &l->own);
    l->latest = l->own;
    return;
  }
  // nothing passes between other kinds of one class
  if (!is_general(e->name) && !is_general(l->latest.kind)) take_law(&l->latest, &l->begun);
  read_layer(reader, e, &l->latest);
  if (is_general(e->name) && general_passes(l->kind, &l->latest)) {
    l->own = l->latest;
  } else {
    if (!is_general(e->name)) take_law(&l->own, &l->above);
    read_common(reader, e, &l->own);
  }
}

static limpet_mjcf_actuator_record record_default(void) {
  limpet_mjcf_actuator_record r = {.d = limpet_actuator_description_default(),
                                   .kind = "general",
                                   .controls = -1,
                                   .activations = -1,
                                   .control_limited = LIMPET_MJCF_AUTO,
                                   .force_limited = LIMPET_MJCF_AUTO,
                                   .activation_limited = LIMPET_MJCF_AUTO,
                                   .gain = {1.0},
                                   .dynamics_parameter = {1.0}};
  static const double gear[6] = {1.0};
  memcpy(r.d.gear, gear, sizeof gear);
  for (int i = 0; i < 2; ++i)
    r.d.control_range[i] = r.d.force_range[i] = r.d.activation_range[i] = 0.0;
  r.d.target = r.d.reference_site = LIMPET_NONE;
  r.d.damping_ratio = -1.0;
  return r;
}

bool limpet_mjcf_actuator_inert(const limpet_xml_element *e) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (strcmp(kinds[i].name, e->name) == 0) return kinds[i].inert;
  return true;
}

limpet_mjcf_actuator_record limpet_mjcf_actuator_layers(limpet_reader *reader,
                                                        const limpet_mjcf_source *source,
                                                        const limpet_xml_element *e) {
  static const char *const simulated[] = {
      "general", "motor",    "position",    "velocity", "intvelocity", "damper", "cylinder",
      "muscle",  "adhesion", "orientation", "pid",      "dcmotor",     NULL};
  const char *const own[] = {e->name, NULL};
  const limpet_mjcf_actuator_record nothing = record_default();
  layers l = {.kind = e->name, .own = nothing, .above = nothing, .latest = nothing};
  limpet_mjcf_apply(reader, source, NULL, e, limpet_mjcf_actuator_inert(e) ? own : simulated,
                    actuator_layer, &l);
  return l.own;
}
