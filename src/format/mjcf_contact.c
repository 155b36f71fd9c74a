/* format/mjcf_contact.c: pairs of geoms with parameters of their own, and pairs of bodies that
 * never touch. A pair takes nothing from its geoms: what neither it nor its class says has MuJoCo's
 * default (measured with MuJoCo 4.0.1). */
#include <string.h>

#include "format/mjcf.h"

static void pair_layer(limpet_mjcf *m, const limpet_mjcf_source *source,
                       const limpet_xml_element *e, void *record) {
  limpet_pair_description *d = record;
  (void)source;
  limpet_mjcf_integer(m, e, "condim", &d->condim);
  limpet_mjcf_numbers(m, e, "friction", d->friction, 1, 5);
  limpet_mjcf_impedance(m, e, "solref", "solimp", &d->impedance);
  limpet_mjcf_number(m, e, "margin", &d->margin);
  limpet_mjcf_number(m, e, "gap", &d->gap);
}

static void read_pair(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e) {
  static const char *const tags[] = {"pair", NULL};
  static const double friction[5] = {1.0, 1.0, 0.005, 0.0001, 0.0001};
  limpet_mjcf_reference reference = limpet_mjcf_refer(m, space, e);
  limpet_mjcf_required(m, e, "geom1");
  limpet_mjcf_required(m, e, "geom2");
  limpet_pair_description d = limpet_pair_description_default();
  d.geom_a = limpet_mjcf_resolve(&reference, e, "geom1", LIMPET_OBJECT_GEOM);
  d.geom_b = limpet_mjcf_resolve(&reference, e, "geom2", LIMPET_OBJECT_GEOM);
  if (!limpet_mjcf_resolved(&reference)) return;
  d.name = limpet_mjcf_full_name(m, space, e);
  d.place = limpet_mjcf_place(e, NULL);
  d.condim = 3;
  memcpy(d.friction, friction, sizeof friction);
  d.impedance = limpet_impedance_default();
  limpet_mjcf_apply(m, space->source, NULL, e, tags, pair_layer, &d);
  d.has_impedance = limpet_mjcf_impedance_differs(&d.impedance);
  if (d.condim != 1 && d.condim != 3 && d.condim != 4 && d.condim != 6)
    limpet_mjcf_fail(m, e, "condim", "'condim' is %d; it can be 1, 3, 4 or 6", d.condim);
  if (d.condim > 3)
    limpet_mjcf_unsupported(m, e, "condim", "condim",
                            "condim %d: torsional and rolling friction are not simulated yet",
                            d.condim);
  limpet_mjcf_added(m, limpet_builder_add_pair(m->builder, &d));
}

static void read_exclude(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e) {
  limpet_mjcf_reference reference = limpet_mjcf_refer(m, space, e);
  limpet_mjcf_required(m, e, "body1");
  limpet_mjcf_required(m, e, "body2");
  const int a = limpet_mjcf_resolve(&reference, e, "body1", LIMPET_OBJECT_BODY);
  const int b = limpet_mjcf_resolve(&reference, e, "body2", LIMPET_OBJECT_BODY);
  if (limpet_mjcf_resolved(&reference)) limpet_builder_add_exclude(m->builder, a, b);
}

static void read_contact(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e) {
  if (strcmp(e->name, "pair") == 0) read_pair(m, space, e);
  else if (strcmp(e->name, "exclude") == 0) read_exclude(m, space, e);
}

void limpet_mjcf_contacts_read(limpet_mjcf *m) {
  for (limpet_mjcf_space *space = m->spaces; space; space = space->next)
    limpet_mjcf_each(m, space, "contact", read_contact);
}
