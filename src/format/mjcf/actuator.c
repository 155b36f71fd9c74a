/* format/mjcf/actuator.c: actuators: what they act on, their law, limits and names.
 *
 *   force = gain(length, velocity) (control or activation) + bias(length, velocity)
 *
 * with gain g0 (fixed) or g0 + g1 length + g2 velocity (affine), and bias 0 (none) or b0 + b1
 * length + b2 velocity (affine).
 *
 * An orientation servo or a motor is one actuator for each of its controls; the first has its name,
 * the others have _2, _3, _4 added. An actuator that is not simulated keeps its places among the
 * controls and gives no force. One without a name is called after its joint, tendon or site; if
 * that name is taken, _1, _2, ... is added. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "format/mjcf/actuator.h"
#include "format/mjcf/section.h"
#include "format/mjcf/value.h"

struct limpet_mjcf_actuator {
  limpet_actuator_description d;
  const char *target_name;  // what an unnamed actuator is called after
  const limpet_mjcf_space *space;
  const limpet_xml_element *element;
  int number;       // of its control, among those of its file; INT_MAX: it has none there
  int activations;  // of its first part
  int key_first;    // first of them in a keyframe of the file
  limpet_mjcf_actuator *first_part;  // of one with several controls; NULL: it is the first
  limpet_mjcf_actuator *next;
};

// -------------------------------------------------------------------------------- transmission

static const struct {
  const char *attribute;
  limpet_object kind;
  limpet_transmission transmission;
} targets[] = {{"joint", LIMPET_OBJECT_JOINT, LIMPET_TRANSMISSION_JOINT},
               {"jointinparent", LIMPET_OBJECT_JOINT, LIMPET_TRANSMISSION_JOINT_IN_PARENT},
               {"tendon", LIMPET_OBJECT_TENDON, LIMPET_TRANSMISSION_TENDON},
               {"site", LIMPET_OBJECT_SITE, LIMPET_TRANSMISSION_SITE},
               {"limpet:surface", LIMPET_OBJECT_GEOM, LIMPET_TRANSMISSION_SURFACE},
               {"cranksite", LIMPET_OBJECT_SITE, LIMPET_TRANSMISSION_SLIDER_CRANK},
               {"body", LIMPET_OBJECT_BODY, LIMPET_TRANSMISSION_BODY}};

// finds what the actuator acts on; returns false where it does not stand in this space
static bool read_target(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e,
                        limpet_mjcf_actuator *actuator) {
  limpet_mjcf_reference reference = limpet_mjcf_refer(m, space, e);
  limpet_actuator_description *d = &actuator->d;
  const char *found = NULL;
  for (size_t i = 0; i < sizeof targets / sizeof *targets; ++i) {
    const char *name = limpet_xml_value(e, targets[i].attribute);
    if (!name) continue;
    if (found)
      limpet_reader_fail(m->reader, e, targets[i].attribute,
                         "<%s> has two targets, '%s' and '%s'; keep one", e->name, found,
                         targets[i].attribute);
    found = targets[i].attribute;
    d->target = limpet_mjcf_resolve(&reference, e, found, targets[i].kind);
    d->transmission = targets[i].transmission;
    actuator->target_name = limpet_reader_join(m->reader, space->prefix, name, space->suffix);
  }
  d->reference_site = limpet_mjcf_resolve(&reference, e, "refsite", LIMPET_OBJECT_SITE);
  const bool crank = d->transmission == LIMPET_TRANSMISSION_SLIDER_CRANK;
  const int slider = limpet_mjcf_resolve(&reference, e, "slidersite", LIMPET_OBJECT_SITE);
  if (found && crank) {
    limpet_read_required(m->reader, e, "slidersite");
    d->reference_site = slider;
  }
  if (!found)
    limpet_reader_fail(m->reader, e, NULL,
                       "<%s> needs a target: one of joint, jointinparent, tendon, site%s", e->name,
                       strcmp(e->name, "adhesion") == 0  ? ", body"
                       : strcmp(e->name, "general") == 0 ? ", cranksite, body, limpet:surface"
                                                         : ", cranksite");
  return limpet_mjcf_resolved(&reference);
}

// a joint with one coordinate, for what must name one and is not to move it; LIMPET_NONE: the model
// has none
static int idle_joint(const limpet_mjcf *m) {
  for (int i = 0; i < limpet_builder_count(m->reader->builder, LIMPET_OBJECT_JOINT); ++i) {
    const limpet_joint_kind kind = limpet_builder_joint(m->reader->builder, i)->kind;
    if (kind == LIMPET_JOINT_REVOLUTE || kind == LIMPET_JOINT_PRISMATIC) return i;
  }
  return LIMPET_NONE;
}

/* Points an actuator that cannot act at some joint, with gear 0; false: the model has no joint, so
 * the actuator is left out. */
static bool make_idle(const limpet_mjcf *m, limpet_mjcf_actuator_record *r) {
  limpet_actuator_description *d = &r->d;
  r->inherit_range = 0.0;
  d->transmission = LIMPET_TRANSMISSION_JOINT;
  d->target = idle_joint(m);
  d->reference_site = LIMPET_NONE;
  memset(d->gear, 0, sizeof d->gear);
  d->damping_ratio = -1.0;
  return d->target != LIMPET_NONE;
}

// ------------------------------------------------------------------------- record to description

// the range of the joint or tendon, scaled about its middle, becomes that of the control (or of an
// integrator's activation)
static void inherit_range(limpet_mjcf *m, const limpet_xml_element *e,
                          limpet_mjcf_actuator_record *r) {
  limpet_actuator_description *d = &r->d;
  double *range =
      r->dynamics == LIMPET_MJCF_DYNAMICS_INTEGRATOR ? d->activation_range : d->control_range;
  if (!(r->inherit_range > 0.0) || range[0] != 0.0 || range[1] != 0.0) return;
  const double *source = NULL;
  if (d->transmission == LIMPET_TRANSMISSION_JOINT ||
      d->transmission == LIMPET_TRANSMISSION_JOINT_IN_PARENT) {
    const limpet_joint_description *joint = limpet_builder_joint(m->reader->builder, d->target);
    if (joint->limited) source = joint->range;
  } else if (d->transmission == LIMPET_TRANSMISSION_TENDON) {
    const limpet_tendon_description *tendon = limpet_builder_tendon(m->reader->builder, d->target);
    if (tendon->limited) source = tendon->range;
  }
  if (!source)
    limpet_reader_fail(
        m->reader, e, "inheritrange",
        "'inheritrange' needs a joint or tendon with a range, but the target of <%s> has none",
        e->name);
  const double middle = 0.5 * (source[0] + source[1]),
               half = 0.5 * (source[1] - source[0]) * r->inherit_range;
  range[0] = middle - half, range[1] = middle + half;
}

// The curves of a muscle: of the gain, or of the bias where the gain is another.
static void take_muscle(limpet_mjcf *m, const limpet_xml_element *e,
                        limpet_mjcf_actuator_record *r) {
  limpet_actuator_description *d = &r->d;
  const bool gain = r->gain_type == LIMPET_MJCF_GAIN_MUSCLE,
             bias = r->bias_type == LIMPET_MJCF_BIAS_MUSCLE;
  d->gain_law = gain ? LIMPET_ACTUATOR_MUSCLE : LIMPET_ACTUATOR_AFFINE;
  d->bias_law = bias ? LIMPET_ACTUATOR_MUSCLE : LIMPET_ACTUATOR_AFFINE;
  if (!gain && !bias) return;
  const double *p = gain ? r->gain : r->bias;
  if (gain && bias && memcmp(r->gain, r->bias, 9 * sizeof *p) != 0)
    limpet_reader_unsupported(m->reader, e, "biasprm", "two muscles in one",
                              "'gainprm' and 'biasprm' of a muscle differ: those of the gain count "
                              "for both");
  d->muscle = (limpet_muscle){.range = {p[0], p[1]},
                              .force = p[2],
                              .scale = p[3],
                              .shortest = p[4],
                              .longest = p[5],
                              .fastest = p[6],
                              .passive_force = p[7],
                              .lengthening_force = p[8]};
}

static void take_law(limpet_mjcf *m, const limpet_xml_element *e, limpet_mjcf_actuator_record *r) {
  limpet_actuator_description *d = &r->d;
  if (limpet_mjcf_is_motor(r)) {
    limpet_mjcf_take_motor(m->reader, e, r);
    return;
  }
  const bool turns = r->d.part_count > 0;
  const bool known = turns || (r->gain_type <= LIMPET_MJCF_GAIN_MUSCLE &&
                               r->bias_type <= LIMPET_MJCF_BIAS_MUSCLE &&
                               r->dynamics <= LIMPET_MJCF_DYNAMICS_MUSCLE);
  if (!known && strcmp(e->name, "general") == 0)
    limpet_reader_unsupported(m->reader, e, NULL, "actuator law",
                              "<general> with the dynamics or bias of a motor, of an orientation "
                              "servo or of user code: no force");
  if (known) take_muscle(m, e, r);
  if (turns) d->gain_law = d->bias_law = LIMPET_ACTUATOR_ORIENTATION;
  for (int i = 0; i < 3; ++i) {
    d->gain[i] = known && r->gain_type != LIMPET_MJCF_GAIN_MUSCLE &&
                         (i == 0 || r->gain_type == LIMPET_MJCF_GAIN_AFFINE)
                     ? r->gain[i]
                     : 0.0;
    const bool affine = turns || r->bias_type == LIMPET_MJCF_BIAS_AFFINE;
    d->bias[i] = known && affine ? r->bias[i] : 0.0;
  }
  d->activation = r->dynamics <= LIMPET_MJCF_DYNAMICS_MUSCLE ? (limpet_activation)r->dynamics
                                                             : LIMPET_ACTIVATION_NONE;
  d->activation_time = r->dynamics_parameter[0];
  if (r->dynamics == LIMPET_MJCF_DYNAMICS_MUSCLE) {
    d->deactivation_time = r->dynamics_parameter[1];
    d->activation_smoothing = r->dynamics_parameter[2];
  }

  // a servo with positive bias[2]: its damping ratio
  const bool servo = r->gain_type == LIMPET_MJCF_GAIN_FIXED &&
                     r->bias_type == LIMPET_MJCF_BIAS_AFFINE && d->gain[0] == -d->bias[1];
  if (known && (servo || turns) && d->bias[2] > 0.0) {
    d->damping_ratio = d->bias[2];
    d->bias[2] = 0.0;
  }
}

static void take_limits(limpet_mjcf *m, const limpet_mjcf_source *source,
                        const limpet_xml_element *e, limpet_mjcf_actuator_record *r) {
  limpet_actuator_description *d = &r->d;
  inherit_range(m, e, r);
  d->control_limited = limpet_mjcf_limited(m->reader, e, source, r->control_limited,
                                           d->control_range, "ctrllimited", "ctrlrange");
  d->force_limited = limpet_mjcf_limited(m->reader, e, source, r->force_limited, d->force_range,
                                         "forcelimited", "forcerange");
  d->activation_limited = limpet_mjcf_limited(m->reader, e, source, r->activation_limited,
                                              d->activation_range, "actlimited", "actrange");
}

/* Armature and damping of an actuator act on the joint or tendon through the gear: they are added
 * to its own. */
static void give_to_target(limpet_mjcf *m, const limpet_xml_element *e,
                           const limpet_mjcf_actuator_record *r) {
  const double *growth = r->damping_growth;
  if (r->armature == 0.0 && r->damping == 0.0 && growth[0] == 0.0 && growth[1] == 0.0) return;
  const limpet_actuator_description *d = &r->d;
  const double square = d->gear[0] * d->gear[0];
  double *armature = NULL, *damping = NULL, *own_growth = NULL;
  if (d->transmission == LIMPET_TRANSMISSION_TENDON) {
    limpet_tendon_description *tendon = limpet_builder_tendon(m->reader->builder, d->target);
    armature = &tendon->armature, damping = &tendon->damping, own_growth = tendon->damping_growth;
  } else if (d->transmission == LIMPET_TRANSMISSION_JOINT ||
             d->transmission == LIMPET_TRANSMISSION_JOINT_IN_PARENT) {
    limpet_joint_description *joint = limpet_builder_joint(m->reader->builder, d->target);
    if (joint->kind == LIMPET_JOINT_REVOLUTE || joint->kind == LIMPET_JOINT_PRISMATIC)
      armature = &joint->armature, damping = &joint->damping, own_growth = joint->damping_growth;
  }
  if (!armature) {
    limpet_reader_unsupported(
        m->reader, e, r->armature != 0.0 ? "armature" : "damping", "actuator armature",
        "armature and damping of an actuator are simulated for hinges, slides and tendons only");
    return;
  }
  *armature += square * r->armature;
  *damping += square * r->damping;
  for (int k = 0; k < 2; ++k) own_growth[k] += square * growth[k];
}

// ----------------------------------------------------------------------------------- actuator

static void append(limpet_mjcf *m, limpet_mjcf_actuator *actuator) {
  if (m->last_actuator) m->last_actuator->next = actuator;
  else m->actuators = actuator;
  m->last_actuator = actuator;
}

// Each input of a motor has a range of its own.
static void take_motor_range(limpet_reader *reader, const limpet_mjcf_source *source,
                             const limpet_mjcf_actuator_record *r, limpet_mjcf_actuator *part) {
  const double *range = limpet_mjcf_motor_range(r, part->d.part);
  part->d.control_range[0] = range[0], part->d.control_range[1] = range[1];
  part->d.control_limited =
      limpet_mjcf_limited(reader, part->element, source, r->control_limited, part->d.control_range,
                          "ctrllimited", part->d.part > 0 ? "velrange" : "ctrlrange");
}

// What other controls the element has: parts of an orientation servo, or places of what is idle.
static void append_parts(limpet_mjcf *m, const limpet_mjcf_source *source,
                         const limpet_mjcf_actuator_record *r, limpet_mjcf_actuator *first,
                         int count) {
  for (int i = 1; i < count; ++i) {
    limpet_mjcf_actuator *part = LIMPET_READER_TAKE(m->reader, limpet_mjcf_actuator, 1);
    *part = *first;
    if (first->d.part_count > 0) part->d.part = i;
    if (limpet_mjcf_is_motor(r)) take_motor_range(m->reader, source, r, part);
    part->activations = 0;
    part->number += i;
    part->first_part = first;
    part->next = NULL;
    append(m, part);
  }
}

// 'actdim' says how many activations the law has, which follows from the law here.
static void check_activations(limpet_reader *reader, const limpet_xml_element *e,
                              const limpet_mjcf_actuator_record *r) {
  const int own = limpet_actuator_activation_count(&r->d);
  if (r->activations < 0 || r->dynamics > LIMPET_MJCF_DYNAMICS_PID || r->activations == own) return;
  if (own == 0 && r->activations == 1 && r->dynamics != LIMPET_MJCF_DYNAMICS_NONE) return;
  limpet_reader_fail(reader, e, "actdim",
                     "'actdim' is %d, but the dynamics of this actuator have %d activations; "
                     "leave it out",
                     r->activations, own);
}

void limpet_mjcf_actuator_read(limpet_mjcf *m, limpet_mjcf_space *space,
                               const limpet_xml_element *e, int number) {
  if (number == 0) space->source->control_count = 0;
  const int control = space->source->control_count;
  limpet_mjcf_actuator_record r = limpet_mjcf_actuator_layers(m->reader, space->source, e);
  limpet_mjcf_actuator *actuator = LIMPET_READER_TAKE(m->reader, limpet_mjcf_actuator, 1);
  take_law(m, e, &r);
  const int controls = r.controls >= 0 ? r.controls : 1;
  space->source->control_count += controls;
  actuator->d = r.d;
  if (!read_target(m, space, e, actuator)) return;
  r.d = actuator->d;
  check_activations(m->reader, e, &r);
  const bool inert = limpet_mjcf_actuator_inert(e);
  const bool motor = limpet_mjcf_is_motor(&r);
  if (inert || (r.dynamics > LIMPET_MJCF_DYNAMICS_MUSCLE && !motor)) m->activations_left_out = true;
  if (inert && !make_idle(m, &r)) return;
  take_limits(m, space->source, e, &r);
  if (motor && controls == 0)
    limpet_reader_note(m->reader, e, NULL, "motor without inputs",
                       "a motor without inputs has a control that does nothing; it stands after "
                       "all other actuators, so that their controls keep their places");
  if (!inert) give_to_target(m, e, &r);
  actuator->d = r.d;
  actuator->d.name = limpet_mjcf_full_name(m, space, e);
  actuator->d.place = limpet_xml_place(e, NULL);
  actuator->space = space;
  actuator->element = e;
  actuator->number = controls > 0 ? control : INT_MAX;
  actuator->activations = limpet_actuator_activation_count(&actuator->d);
  if (motor) take_motor_range(m->reader, space->source, &r, actuator);
  append(m, actuator);
  append_parts(m, space->source, &r, actuator, controls);
}

// the name of the target, or that name with the first number that makes it unique
static const char *name_after_target(limpet_mjcf *m, const char *target) {
  if (!limpet_mjcf_name_taken(m, LIMPET_OBJECT_ACTUATOR, target)) return target;
  for (int i = 1;; ++i) {
    char number[16];
    snprintf(number, sizeof number, "_%d", i);
    const char *name = limpet_reader_join(m->reader, target, number, "");
    if (!limpet_mjcf_name_taken(m, LIMPET_OBJECT_ACTUATOR, name)) return name;
  }
}

// "turn_2", and so on until nothing else has that name.
static const char *name_of_part(limpet_mjcf *m, const limpet_mjcf_actuator *a) {
  char number[16];
  snprintf(number, sizeof number, "_%d", 1 + a->number - a->first_part->number);
  const char *name = limpet_reader_join(m->reader, a->first_part->d.name, number, "");
  return name_after_target(m, name);
}

void limpet_mjcf_controls_take(const limpet_mjcf *m, const limpet_mjcf_space *space,
                               const double *key, int key_count, double *control) {
  int handle = 0;
  for (const limpet_mjcf_actuator *a = m->actuators; a; a = a->next, ++handle)
    if (a->space == space && a->number < key_count) control[handle] = key[a->number];
}

/* Motors without inputs go to the end. Activations of keyframes have the order of the file. */
static void order(limpet_mjcf *m) {
  limpet_mjcf_actuator *all = m->actuators, *passive = NULL, **next_passive = &passive;
  int activation = 0;
  m->actuators = m->last_actuator = NULL;
  while (all) {
    limpet_mjcf_actuator *a = all;
    all = a->next, a->next = NULL;
    a->key_first = activation;
    activation += a->activations;
    if (a->number < INT_MAX) {
      append(m, a);
    } else {
      *next_passive = a;
      next_passive = &a->next;
    }
  }
  if (!passive) return;
  if (m->last_actuator) m->last_actuator->next = passive;
  else m->actuators = passive;
}

void limpet_mjcf_activations_order(const limpet_mjcf *m, const double *key, int count,
                                   double *activation) {
  int to = 0;
  for (const limpet_mjcf_actuator *a = m->actuators; a; a = a->next)
    for (int k = 0; k < a->activations; ++k, ++to)
      if (a->key_first + k < count) activation[to] = key[a->key_first + k];
}

void limpet_mjcf_actuators_add(limpet_mjcf *m) {
  order(m);
  // names that were given first, so that the others can keep clear of them
  int handle = limpet_builder_count(m->reader->builder, LIMPET_OBJECT_ACTUATOR);
  for (limpet_mjcf_actuator *a = m->actuators; a; a = a->next, ++handle)
    if (!a->first_part)
      limpet_mjcf_name_add(m, LIMPET_OBJECT_ACTUATOR, a->d.name, handle, a->space, a->element);
  for (limpet_mjcf_actuator *a = m->actuators; a; a = a->next) {
    if (a->first_part || !a->d.name) {
      a->d.name = a->first_part ? name_of_part(m, a) : name_after_target(m, a->target_name);
      limpet_mjcf_name_add(m, LIMPET_OBJECT_ACTUATOR, a->d.name,
                           limpet_builder_count(m->reader->builder, LIMPET_OBJECT_ACTUATOR),
                           a->space, a->element);
    }
    limpet_reader_added(m->reader, limpet_builder_add_actuator(m->reader->builder, &a->d));
  }
}
