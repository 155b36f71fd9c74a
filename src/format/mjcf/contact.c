/* format/mjcf/contact.c: pairs of geoms with parameters of their own, and pairs of bodies that
 * never touch. A pair takes nothing from its geoms: what neither it nor its class says has MuJoCo's
 * default (measured with MuJoCo 4.0.1). */
#include <string.h>

#include "format/mjcf/default.h"
#include "format/mjcf/impedance.h"
#include "format/mjcf/section.h"
#include "format/read/value.h"

static void pair_layer(limpet_reader *reader, const limpet_mjcf_source *source,
                       const limpet_xml_element *e, void *record) {
  limpet_pair_description *d = record;
  (void)source;
  limpet_read_integer(reader, e, "condim", &d->condim);
  limpet_read_numbers(reader, e, "friction", d->friction, 1, 5);
  limpet_mjcf_impedance(reader, e, "solref", "solimp", &d->impedance);
  limpet_read_number(reader, e, "margin", &d->margin);
  limpet_read_number(reader, e, "gap", &d->gap);
  limpet_read_number(reader, e, "adhesion", &d->adhesion);
  if (d->adhesion < 0.0)
    limpet_reader_fail(reader, e, "adhesion", "'adhesion' is %g N; it cannot be negative",
                       d->adhesion);
}

static void read_pair(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e) {
  static const char *const tags[] = {"pair", NULL};
  static const double friction[5] = {1.0, 1.0, 0.005, 0.0001, 0.0001};
  limpet_mjcf_reference reference = limpet_mjcf_refer(m, space, e);
  limpet_read_required(m->reader, e, "geom1");
  limpet_read_required(m->reader, e, "geom2");
  limpet_pair_description d = limpet_pair_description_default();
  d.geom_a = limpet_mjcf_resolve(&reference, e, "geom1", LIMPET_OBJECT_GEOM);
  d.geom_b = limpet_mjcf_resolve(&reference, e, "geom2", LIMPET_OBJECT_GEOM);
  if (!limpet_mjcf_resolved(&reference)) return;
  d.name = limpet_mjcf_full_name(m, space, e);
  d.place = limpet_xml_place(e, NULL);
  d.condim = 3;
  memcpy(d.friction, friction, sizeof friction);
  d.impedance = limpet_impedance_default();
  limpet_mjcf_apply(m->reader, space->source, NULL, e, tags, pair_layer, &d);
  d.has_impedance = limpet_mjcf_impedance_differs(&d.impedance);
  if (d.condim != 1 && d.condim != 3 && d.condim != 4 && d.condim != 6)
    limpet_reader_fail(m->reader, e, "condim", "'condim' is %d; it can be 1, 3, 4 or 6", d.condim);
  if (d.condim == 6 && d.friction[3] != d.friction[4])
    limpet_reader_unsupported(m->reader, e, "friction", "friction",
                              "rolling friction of a pair is the same about both tangents: the "
                              "larger one of %g and %g counts",
                              d.friction[3], d.friction[4]);
  limpet_reader_added(m->reader, limpet_builder_add_pair(m->reader->builder, &d));
}

static void read_exclude(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e) {
  limpet_mjcf_reference reference = limpet_mjcf_refer(m, space, e);
  limpet_read_required(m->reader, e, "body1");
  limpet_read_required(m->reader, e, "body2");
  const int a = limpet_mjcf_resolve(&reference, e, "body1", LIMPET_OBJECT_BODY);
  const int b = limpet_mjcf_resolve(&reference, e, "body2", LIMPET_OBJECT_BODY);
  if (limpet_mjcf_resolved(&reference)) limpet_builder_add_exclude(m->reader->builder, a, b);
}

void limpet_mjcf_contact_read(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e,
                              int number) {
  (void)number;
  if (strcmp(e->name, "pair") == 0) read_pair(m, space, e);
  else if (strcmp(e->name, "exclude") == 0) read_exclude(m, space, e);
}
