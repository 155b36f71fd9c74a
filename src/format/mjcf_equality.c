/* format/mjcf_equality.c: couplings of joints and of tendons: y - y0 = sum of polycoef[i] (x - x0)^i.
 * The other kinds are noted by the schema. */
#include <string.h>

#include "format/mjcf.h"

static void equality_layer(limpet_mjcf *m, const limpet_mjcf_source *source, const limpet_xml_element *e, void *record) {
  limpet_coupler_description *d = record;
  (void)source;
  limpet_mjcf_boolean(m, e, "active", &d->active);
  limpet_mjcf_impedance(m, e, "solref", "solimp", &d->impedance);
}

static void read_equality(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e) {
  static const char *const tags[] = {"equality", NULL};
  const bool tendon = strcmp(e->name, "tendon") == 0;
  if (!tendon && strcmp(e->name, "joint") != 0) return;
  const char *y = tendon ? "tendon1" : "joint1", *x = tendon ? "tendon2" : "joint2";
  const limpet_object kind = tendon ? LIMPET_OBJECT_TENDON : LIMPET_OBJECT_JOINT;
  limpet_mjcf_reference reference = limpet_mjcf_refer(m, space, e);
  limpet_mjcf_required(m, e, y);
  limpet_coupler_description d = limpet_coupler_description_default();
  d.tendon = tendon;
  d.y = limpet_mjcf_resolve(&reference, e, y, kind);
  d.x = limpet_mjcf_resolve(&reference, e, x, kind);
  if (!limpet_mjcf_resolved(&reference)) return;
  if (d.y == LIMPET_NONE || (d.x == LIMPET_NONE && limpet_xml_find(e, x))) {
    limpet_mjcf_unsupported(m, e, NULL, "coupled spatial tendon", "couplings of spatial tendons are not simulated yet");
    return;
  }
  d.name = limpet_mjcf_full_name(m, space, e);
  d.place = limpet_mjcf_place(e, NULL);
  d.impedance = limpet_impedance_default();
  for (int i = 0; i < 5; ++i) d.coefficient[i] = i == 1 ? 1.0 : 0.0;
  limpet_mjcf_apply(m, space->source, NULL, e, tags, equality_layer, &d);
  limpet_mjcf_numbers(m, e, "polycoef", d.coefficient, 1, 5);
  d.has_impedance = limpet_mjcf_impedance_differs(&d.impedance);
  limpet_mjcf_name_add(m, LIMPET_OBJECT_COUPLER, d.name, limpet_mjcf_added(m, limpet_builder_add_coupler(m->builder, &d)),
                       space, e);
}

void limpet_mjcf_equalities_read(limpet_mjcf *m) {
  for (limpet_mjcf_space *space = m->spaces; space; space = space->next) limpet_mjcf_each(m, space, "equality", read_equality);
}
