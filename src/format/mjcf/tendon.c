/* format/mjcf/tendon.c: fixed and spatial tendons. */
#include <string.h>

#include "format/mjcf/default.h"
#include "format/mjcf/impedance.h"
#include "format/mjcf/section.h"
#include "format/mjcf/value.h"

typedef struct tendon_record {
  limpet_tendon_description d;
  int limited, effort_limited;
} tendon_record;

static void tendon_layer(limpet_reader *reader, const limpet_mjcf_source *source,
                         const limpet_xml_element *e, void *record) {
  tendon_record *r = record;
  limpet_tendon_description *d = &r->d;
  (void)source;
  limpet_mjcf_tristate(reader, e, "limited", &r->limited);
  limpet_read_numbers(reader, e, "range", d->range, 2, 2);
  limpet_read_number(reader, e, "margin", &d->limit_margin);
  limpet_mjcf_impedance(reader, e, "solreflimit", "solimplimit", &d->limit_impedance);
  limpet_mjcf_tristate(reader, e, "actuatorfrclimited", &r->effort_limited);
  limpet_read_numbers(reader, e, "actuatorfrcrange", d->effort_range, 2, 2);
  limpet_mjcf_polynomial(reader, e, "stiffness", &d->stiffness, d->stiffness_growth);
  limpet_mjcf_polynomial(reader, e, "damping", &d->damping, d->damping_growth);
  if (limpet_read_numbers(reader, e, "springlength", d->spring_range, 1, 2) == 1)
    d->spring_range[1] = d->spring_range[0];
  limpet_read_number(reader, e, "armature", &d->armature);
  limpet_read_number(reader, e, "frictionloss", &d->dry_friction);
  limpet_mjcf_impedance(reader, e, "solreffriction", "solimpfriction", &d->dry_friction_impedance);
}

static tendon_record tendon_record_default(void) {
  tendon_record r = {.d = limpet_tendon_description_default(),
                     .limited = LIMPET_MJCF_AUTO,
                     .effort_limited = LIMPET_MJCF_AUTO};
  r.d.range[0] = r.d.range[1] = r.d.effort_range[0] = r.d.effort_range[1] = 0.0;
  r.d.limit_impedance = r.d.dry_friction_impedance = limpet_impedance_default();
  return r;
}

// the terms of a fixed tendon; false: they do not all stand in this space
static bool read_terms(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e,
                       limpet_tendon_description *d) {
  limpet_mjcf_reference reference = limpet_mjcf_refer(m, space, e);
  int count = 0;
  for (const limpet_xml_element *term = e->first; term; term = term->next) ++count;
  limpet_tendon_term *terms = LIMPET_READER_TAKE(m->reader, limpet_tendon_term, count ? count : 1);
  count = 0;
  for (const limpet_xml_element *term = e->first; term; term = term->next, ++count) {
    limpet_read_required(m->reader, term, "joint");
    limpet_read_required(m->reader, term, "coef");
    terms[count].joint = limpet_mjcf_resolve(&reference, term, "joint", LIMPET_OBJECT_JOINT);
    limpet_read_number(m->reader, term, "coef", &terms[count].coefficient);
  }
  if (count == 0)
    limpet_reader_fail(m->reader, e, NULL,
                       "a fixed tendon needs at least one <joint joint=\"...\" coef=\"...\"/>");
  d->terms = terms;
  d->term_count = count;
  return limpet_mjcf_resolved(&reference);
}

// the points of a spatial tendon; false: they do not all stand in this space
static bool read_points(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e,
                        limpet_tendon_description *d) {
  limpet_mjcf_reference reference = limpet_mjcf_refer(m, space, e);
  int count = 0;
  for (const limpet_xml_element *point = e->first; point; point = point->next) ++count;
  limpet_tendon_point *points = LIMPET_READER_TAKE(m->reader, limpet_tendon_point, count + 1);
  count = 0;
  for (const limpet_xml_element *point = e->first; point; point = point->next, ++count) {
    limpet_tendon_point *p = &points[count];
    *p = limpet_tendon_point_default();
    if (strcmp(point->name, "site") == 0) {
      limpet_read_required(m->reader, point, "site");
      p->object = limpet_mjcf_resolve(&reference, point, "site", LIMPET_OBJECT_SITE);
    } else if (strcmp(point->name, "geom") == 0) {
      limpet_read_required(m->reader, point, "geom");
      p->kind = LIMPET_TENDON_GEOM;
      p->object = limpet_mjcf_resolve(&reference, point, "geom", LIMPET_OBJECT_GEOM);
      p->side_site = limpet_mjcf_resolve(&reference, point, "sidesite", LIMPET_OBJECT_SITE);
    } else {
      p->kind = LIMPET_TENDON_PULLEY;
      limpet_read_required(m->reader, point, "divisor");
      limpet_read_number(m->reader, point, "divisor", &p->divisor);
    }
  }
  if (count == 0)
    limpet_reader_fail(m->reader, e, NULL,
                       "a spatial tendon needs at least two <site site=\"...\"/>");
  d->points = points;
  d->point_count = count;
  return limpet_mjcf_resolved(&reference);
}

void limpet_mjcf_tendon_read(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e,
                             int number) {
  (void)number;
  static const char *const tags[] = {"tendon", NULL};
  tendon_record r = tendon_record_default();
  limpet_tendon_description *d = &r.d;
  const bool spatial = strcmp(e->name, "spatial") == 0;
  if (!(spatial ? read_points(m, space, e, d) : read_terms(m, space, e, d))) return;
  limpet_mjcf_apply(m->reader, space->source, NULL, e, tags, tendon_layer, &r);
  d->name = limpet_mjcf_full_name(m, space, e);
  d->place = limpet_xml_place(e, NULL);
  d->limited =
      limpet_mjcf_limited(m->reader, e, space->source, r.limited, d->range, "limited", "range");
  d->effort_limited =
      limpet_mjcf_limited(m->reader, e, space->source, r.effort_limited, d->effort_range,
                          "actuatorfrclimited", "actuatorfrcrange");
  d->has_limit_impedance = limpet_mjcf_impedance_differs(&d->limit_impedance);
  if (d->spring_range[0] > d->spring_range[1])
    limpet_reader_fail(m->reader, e, "springlength",
                       "the first number of 'springlength' (%g) is larger than the second (%g)",
                       d->spring_range[0], d->spring_range[1]);
  limpet_mjcf_name_add(
      m, LIMPET_OBJECT_TENDON, d->name,
      limpet_reader_added(m->reader, limpet_builder_add_tendon(m->reader->builder, d)), space, e);
}
