/* format/mjcf/equality.c: equalities: joints and tendons that follow each other, y - y0 = sum of
 * polycoef[i] (x - x0)^i; bodies held together by a point (connect) or a frame (weld). The other
 * kinds are noted by the schema.
 *
 * An impedance that is nowhere weaker than MuJoCo's default is near-rigid, as the default is: who
 * asks for a stiffer loop than "as hard as the solver takes" must not get a softer one. */
#include <string.h>

#include "format/mjcf/default.h"
#include "format/mjcf/flex.h"
#include "format/mjcf/impedance.h"
#include "format/mjcf/section.h"
#include "format/read/value.h"

// What all kinds have.
typedef struct equality {
  bool active;
  limpet_impedance impedance;
} equality;

static void equality_layer(limpet_reader *reader, const limpet_mjcf_source *source,
                           const limpet_xml_element *e, void *record) {
  equality *common = record;
  (void)source;
  limpet_read_boolean(reader, e, "active", &common->active);
  limpet_mjcf_impedance(reader, e, "solref", "solimp", &common->impedance);
}

static equality read_common(limpet_reader *reader, const limpet_mjcf_space *space,
                            const limpet_xml_element *e) {
  static const char *const tags[] = {"equality", NULL};
  equality common = {.active = true, .impedance = limpet_impedance_default()};
  limpet_mjcf_apply(reader, space->source, NULL, e, tags, equality_layer, &common);
  return common;
}

// --------------------------------------------------------------------------- joint, tendon

static void read_coupler(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e) {
  const bool tendon = strcmp(e->name, "tendon") == 0;
  const char *y = tendon ? "tendon1" : "joint1", *x = tendon ? "tendon2" : "joint2";
  const limpet_object kind = tendon ? LIMPET_OBJECT_TENDON : LIMPET_OBJECT_JOINT;
  limpet_mjcf_reference reference = limpet_mjcf_refer(m, space, e);
  limpet_read_required(m->reader, e, y);
  limpet_coupler_description d = limpet_coupler_description_default();
  d.tendon = tendon;
  d.y = limpet_mjcf_resolve(&reference, e, y, kind);
  d.x = limpet_mjcf_resolve(&reference, e, x, kind);
  if (!limpet_mjcf_resolved(&reference)) return;
  const equality common = read_common(m->reader, space, e);
  d.name = limpet_mjcf_full_name(m, space, e);
  d.place = limpet_xml_place(e, NULL);
  for (int i = 0; i < 5; ++i) d.coefficient[i] = i == 1 ? 1.0 : 0.0;
  limpet_read_numbers(m->reader, e, "polycoef", d.coefficient, 1, 5);
  d.active = common.active;
  d.impedance = common.impedance;
  d.has_impedance = limpet_mjcf_impedance_weaker(&d.impedance);
  limpet_mjcf_name_add(
      m, LIMPET_OBJECT_COUPLER, d.name,
      limpet_reader_added(m->reader, limpet_builder_add_coupler(m->reader->builder, &d)), space, e);
}

// --------------------------------------------------------------------------- connect, weld

static const char *const own[] = {"body1", "body2", "anchor",
                                  "relpose"};  // what sites say in their form

// The frame of the loop on one side is that of a site.
static void take_site(limpet_mjcf *m, int site, int *body, double position[3],
                      double quaternion[4]) {
  const limpet_site_description *d = limpet_builder_site(m->reader->builder, site);
  *body = d->body;
  memcpy(position, d->position, 3 * sizeof *position);
  memcpy(quaternion, d->quaternion, 4 * sizeof *quaternion);
}

// Both sites are there, and nothing that would contradict them.
static bool read_sites(limpet_mjcf *m, limpet_mjcf_reference *reference,
                       const limpet_xml_element *e, limpet_loop_description *d) {
  for (int i = 0; i < 4; ++i)
    if (limpet_xml_find(e, own[i]))
      limpet_reader_fail(m->reader, e, own[i],
                         "<%s> has both sites and '%s'; give site1 and site2, or bodies", e->name,
                         own[i]);
  limpet_read_required(m->reader, e, "site1");
  limpet_read_required(m->reader, e, "site2");
  const int a = limpet_mjcf_resolve(reference, e, "site1", LIMPET_OBJECT_SITE);
  const int b = limpet_mjcf_resolve(reference, e, "site2", LIMPET_OBJECT_SITE);
  if (!limpet_mjcf_resolved(reference)) return false;
  take_site(m, a, &d->body_a, d->position_a, d->quaternion_a);
  take_site(m, b, &d->body_b, d->position_b, d->quaternion_b);
  if (d->body_a != d->body_b) return true;
  limpet_reader_note(m->reader, e, "site2", "loop within a body",
                     "both sites stand on one body, so that <%s> holds nothing: it is left out",
                     e->name);
  return false;
}

static bool body_missing(const limpet_mjcf_reference *reference) {
  return reference->missing && reference->missing_kind == LIMPET_OBJECT_BODY;
}

/* Bodies and anchor. connect: the anchor is a point of body1. weld: it is a point of body2; the
 * frame on body1 is the relative pose, or where body2's lies in the reference pose if the
 * quaternion is zero. */
static bool read_bodies(limpet_mjcf *m, limpet_mjcf_reference *reference,
                        const limpet_xml_element *e, limpet_loop_description *d) {
  double pose[7] = {0};
  limpet_read_required(m->reader, e, "body1");
  if (d->kind == LIMPET_LOOP_CONNECT) limpet_read_required(m->reader, e, "anchor");
  d->body_a = limpet_mjcf_resolve(reference, e, "body1", LIMPET_OBJECT_BODY);
  d->body_b = limpet_xml_find(e, "body2")
                  ? limpet_mjcf_resolve(reference, e, "body2", LIMPET_OBJECT_BODY)
                  : 0;
  if (body_missing(reference) && m->joints_left_out) {
    limpet_reader_unsupported(
        m->reader, e, NULL, "equality of left out bodies",
        "<%s> holds a body that may be one of a <flexcomp> or <composite>, which are left out",
        e->name);
    return false;
  }
  if (!limpet_mjcf_resolved(reference)) return false;
  if (d->kind == LIMPET_LOOP_CONNECT) {
    limpet_read_numbers(m->reader, e, "anchor", d->position_a, 3, 3);
    d->from_reference = LIMPET_LOOP_FRAME_B;
    return true;
  }
  limpet_read_numbers(m->reader, e, "anchor", d->position_b, 3, 3);
  limpet_read_numbers(m->reader, e, "relpose", pose, 7, 7);
  if (pose[3] == 0.0 && pose[4] == 0.0 && pose[5] == 0.0 && pose[6] == 0.0) {
    d->from_reference = LIMPET_LOOP_FRAME_A;
  } else {
    memcpy(d->position_a, pose, sizeof d->position_a);
    memcpy(d->quaternion_a, pose + 3, sizeof d->quaternion_a);
  }
  return true;
}

static void read_loop(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e,
                      limpet_loop_kind kind) {
  limpet_mjcf_reference reference = limpet_mjcf_refer(m, space, e);
  limpet_loop_description d = limpet_loop_description_default();
  if (kind == LIMPET_LOOP_CONNECT && limpet_mjcf_flex_connect(m, space, e)) return;
  d.kind = kind;
  const bool sites = limpet_xml_find(e, "site1") || limpet_xml_find(e, "site2");
  if (!(sites ? read_sites(m, &reference, e, &d) : read_bodies(m, &reference, e, &d))) return;
  const equality common = read_common(m->reader, space, e);
  d.name = limpet_mjcf_full_name(m, space, e);
  d.place = limpet_xml_place(e, NULL);
  d.active = common.active;
  d.impedance = common.impedance;
  d.has_impedance = limpet_mjcf_impedance_weaker(&d.impedance);
  if (kind == LIMPET_LOOP_WELD) limpet_read_number(m->reader, e, "torquescale", &d.torque_scale);
  limpet_mjcf_name_add(
      m, LIMPET_OBJECT_LOOP, d.name,
      limpet_reader_added(m->reader, limpet_builder_add_loop(m->reader->builder, &d)), space, e);
}

void limpet_mjcf_equality_read(limpet_mjcf *m, limpet_mjcf_space *space,
                               const limpet_xml_element *e, int number) {
  (void)number;
  if (strcmp(e->name, "joint") == 0 || strcmp(e->name, "tendon") == 0) read_coupler(m, space, e);
  else if (strcmp(e->name, "connect") == 0) read_loop(m, space, e, LIMPET_LOOP_CONNECT);
  else if (strcmp(e->name, "weld") == 0) read_loop(m, space, e, LIMPET_LOOP_WELD);
}
