/* format/mjcf/joint.c: joints. Angles of hinges and the range of a ball are in the unit of
 * <compiler angle>; stiffness, damping and forces are per radian always. The anchor and the axis
 * are in the frame around the joint. */
#include <math.h>
#include <string.h>

#include "format/mjcf/default.h"
#include "format/mjcf/element.h"
#include "format/mjcf/impedance.h"
#include "format/mjcf/name.h"
#include "format/mjcf/value.h"
#include "math/quaternion.h"

typedef struct joint_record {
  limpet_joint_description d;
  int limited, effort_limited;  // LIMPET_MJCF_FALSE, _TRUE, _AUTO
  double range[2], effort_range[2];
} joint_record;

static void joint_layer(limpet_reader *reader, const limpet_mjcf_source *source,
                        const limpet_xml_element *e, void *record) {
  static const char *const kinds[] = {"free", "ball", "slide", "hinge", NULL};
  joint_record *r = record;
  limpet_joint_description *d = &r->d;
  (void)source;
  int kind = (int)d->kind;
  limpet_read_choice(reader, e, "type", kinds, &kind);
  d->kind = (limpet_joint_kind)kind;
  limpet_read_numbers(reader, e, "pos", d->position, 3, 3);
  limpet_read_finite(reader, e, "axis", d->axis, 3);
  limpet_read_number(reader, e, "ref", &d->reference);

  // limits
  limpet_mjcf_tristate(reader, e, "limited", &r->limited);
  limpet_read_numbers(reader, e, "range", r->range, 2, 2);
  limpet_read_number(reader, e, "margin", &d->limit_margin);
  limpet_mjcf_impedance(reader, e, "solreflimit", "solimplimit", &d->limit_impedance);
  limpet_mjcf_tristate(reader, e, "actuatorfrclimited", &r->effort_limited);
  limpet_read_numbers(reader, e, "actuatorfrcrange", r->effort_range, 2, 2);
  limpet_read_boolean(reader, e, "actuatorgravcomp", &d->actuator_gravity_compensation);

  // passive forces
  limpet_mjcf_polynomial(reader, e, "stiffness", &d->stiffness, d->stiffness_growth);
  limpet_mjcf_polynomial(reader, e, "damping", &d->damping, d->damping_growth);
  limpet_read_number(reader, e, "springref", &d->spring_reference);
  limpet_read_numbers(reader, e, "springdamper", d->spring_damper, 2, 2);
  limpet_read_number(reader, e, "armature", &d->armature);
  limpet_read_number(reader, e, "frictionloss", &d->dry_friction);
  limpet_mjcf_impedance(reader, e, "solreffriction", "solimpfriction", &d->dry_friction_impedance);
}

static joint_record joint_record_default(void) {
  joint_record r = {.d = limpet_joint_description_default(),
                    .limited = LIMPET_MJCF_AUTO,
                    .effort_limited = LIMPET_MJCF_AUTO};
  r.d.kind = LIMPET_JOINT_REVOLUTE;
  limpet_vec3_set(r.d.axis, 0.0, 0.0, 1.0);
  r.d.limit_impedance = r.d.dry_friction_impedance = limpet_impedance_default();
  r.d.dry_friction_kind = LIMPET_DRY_FRICTION_SOFT;
  return r;
}

static void convert_angles(const limpet_mjcf_source *source, joint_record *r) {
  if (!source->compiler.degrees) return;
  const double unit = LIMPET_PI / 180.0;
  const bool hinge = r->d.kind == LIMPET_JOINT_REVOLUTE;
  if (hinge || r->d.kind == LIMPET_JOINT_BALL)
    for (int i = 0; i < 2; ++i) r->range[i] *= unit;
  if (hinge) r->d.reference *= unit, r->d.spring_reference *= unit;
}

/* Radians where degrees are read: nothing says which they are, and a hinge that turns at all has a
 * range of a few degrees. Degrees where radians are read: it turns more than twice. */
static void note_units(limpet_reader *reader, const limpet_mjcf_source *source,
                       const limpet_xml_element *e, const limpet_joint_description *d) {
  const double turn = 2.0 * LIMPET_PI, degree = LIMPET_PI / 180.0;
  if (d->kind != LIMPET_JOINT_REVOLUTE || !d->limited || !limpet_xml_find(e, "range")) return;
  const double largest = fmax(fabs(d->range[0]), fabs(d->range[1]));
  if (source->compiler.degrees && !source->compiler.angle_given && largest <= turn * degree &&
      largest > 0.0)
    limpet_reader_note(reader, e, "range", "radians for degrees",
                       "the range is %g to %g degrees: are these radians? angles are degrees "
                       "without <compiler angle=\"radian\"/>",
                       d->range[0] / degree, d->range[1] / degree);
  if (!source->compiler.degrees && largest > 2.0 * turn && isfinite(largest))
    limpet_reader_note(reader, e, "range", "degrees for radians",
                       "the range is %g to %g rad, more than two turns: are these degrees? "
                       "<compiler angle=\"radian\"/> says radians",
                       d->range[0], d->range[1]);
}

static void add_joint(limpet_mjcf *m, const limpet_mjcf_scope *scope, const limpet_xml_element *e,
                      int body, limpet_joint_description *d) {
  if (body == 0)
    limpet_reader_fail(m->reader, e, NULL, "the world cannot have joints; put <%s> into a <body>",
                       e->name);
  // springdamper takes the place of the joint's own damping; that of actuators is added later
  if (d->spring_damper[0] > 0.0 && d->spring_damper[1] > 0.0) d->damping = 0.0;
  d->name = limpet_mjcf_full_name(m, scope->space, e);
  d->body = body;
  d->place = limpet_xml_place(e, NULL);
  const int handle =
      limpet_reader_added(m->reader, limpet_builder_add_joint(m->reader->builder, d));
  limpet_mjcf_own(m, &m->joints, scope->space);
  limpet_mjcf_name_add(m, LIMPET_OBJECT_JOINT, d->name, handle, scope->space, e);
}

static const char *const tags[] = {"joint", NULL};

limpet_joint_kind limpet_mjcf_joint_kind(limpet_reader *reader, const limpet_mjcf_source *source,
                                         const limpet_mjcf_class *childclass,
                                         const limpet_xml_element *e) {
  if (strcmp(e->name, "freejoint") == 0) return LIMPET_JOINT_FREE;
  joint_record r = joint_record_default();
  limpet_mjcf_apply(reader, source, childclass, e, tags, joint_layer, &r);
  return r.d.kind;
}

/* A ball that is limited and has no angle to turn through is held in its reference pose: MuJoCo
 * 4.0.1 takes the larger number of the range for the angle, and so simulates one that inherits
 * limited="true" alone. */
static void limit_ball(limpet_reader *reader, const limpet_xml_element *e, joint_record *r) {
  if (r->limited == LIMPET_MJCF_FALSE) return;
  if (r->range[0] != 0.0)
    limpet_reader_fail(reader, e, "range", "the range of a ball joint begins at 0, not at %g",
                       r->range[0]);
  if (r->limited != LIMPET_MJCF_TRUE || r->range[1] > 0.0) return;
  r->range[1] = 0.0;
  r->d.limited = true;
  limpet_reader_note(
      reader, e, NULL, "ball without range",
      "this ball joint is limited and no 'range' gives it an angle: it is held in its "
      "reference pose, as in MuJoCo; give a range, or write limited=\"false\"");
}

static void note_aligned(limpet_mjcf *m, int body) {
  limpet_mjcf_aligned *aligned = LIMPET_READER_TAKE(m->reader, limpet_mjcf_aligned, 1);
  *aligned = (limpet_mjcf_aligned){.body = body, .next = m->aligned};
  m->aligned = aligned;
}

// a free joint that says nothing follows the file
static void note_free(limpet_mjcf *m, const limpet_mjcf_source *source, int body) {
  if (source->compiler.align_free) note_aligned(m, body);
}

void limpet_mjcf_joint_read(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                            const limpet_xml_element *e, int body) {
  const limpet_mjcf_source *source = scope->space->source;
  joint_record r = joint_record_default();
  limpet_mjcf_apply(m->reader, source, scope->childclass, e, tags, joint_layer, &r);
  limpet_joint_description *d = &r.d;
  convert_angles(source, &r);

  // anchor and axis to the body
  double anchor[3], axis[3];
  limpet_quaternion_rotate(anchor, scope->quaternion, d->position);
  limpet_vec3_add(d->position, scope->position, anchor);
  limpet_quaternion_rotate(axis, scope->quaternion, d->axis);
  limpet_vec3_copy(d->axis, axis);
  if (d->kind == LIMPET_JOINT_FREE) limpet_vec3_zero(d->position);

  // limits
  if (d->kind == LIMPET_JOINT_BALL) limit_ball(m->reader, e, &r);
  if (d->kind != LIMPET_JOINT_FREE && !d->limited)
    d->limited = limpet_mjcf_limited(m->reader, e, source, r.limited, r.range, "limited", "range");
  for (int i = 0; i < 2; ++i) d->range[i] = r.range[i];
  note_units(m->reader, source, e, d);
  d->has_limit_impedance = limpet_mjcf_impedance_differs(&d->limit_impedance);
  d->effort_limited = limpet_mjcf_limited(m->reader, e, source, r.effort_limited, r.effort_range,
                                          "actuatorfrclimited", "actuatorfrcrange");
  for (int i = 0; i < 2; ++i) d->effort_range[i] = r.effort_range[i];
  add_joint(m, scope, e, body, d);
  if (d->kind == LIMPET_JOINT_FREE) note_free(m, source, body);
}

void limpet_mjcf_freejoint_read(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                                const limpet_xml_element *e, int body) {
  joint_record r =
      joint_record_default();  // no class: a <freejoint> has neither damping nor armature
  r.d.kind = LIMPET_JOINT_FREE;
  int choice = LIMPET_MJCF_AUTO;
  limpet_mjcf_tristate(m->reader, e, "align", &choice);
  add_joint(m, scope, e, body, &r.d);
  if (choice == LIMPET_MJCF_AUTO) note_free(m, scope->space->source, body);
  else if (choice == LIMPET_MJCF_TRUE) note_aligned(m, body);
}
