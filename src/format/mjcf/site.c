/* format/mjcf/site.c: sites, and the volumes in which sensors feel. */
#include "format/mjcf/default.h"
#include "format/mjcf/element.h"
#include "format/mjcf/name.h"
#include "format/mjcf/orientation.h"
#include "format/read/value.h"

typedef struct site_record {
  limpet_site_description d;
  bool has_segment;
  double segment[6];
  int type;
} site_record;

static const char *const site_types[] = {"sphere", "capsule", "ellipsoid", "cylinder",
                                         "box",    "mesh",    NULL};
static const limpet_shape_kind site_kinds[] = {LIMPET_SHAPE_SPHERE, LIMPET_SHAPE_CAPSULE,
                                               LIMPET_SHAPE_ELLIPSOID, LIMPET_SHAPE_CYLINDER,
                                               LIMPET_SHAPE_BOX};
enum { SITE_MESH = 5 };

static void site_layer(limpet_reader *reader, const limpet_mjcf_source *source,
                       const limpet_xml_element *e, void *record) {
  site_record *r = record;
  limpet_read_numbers(reader, e, "pos", r->d.position, 3, 3);
  limpet_mjcf_orientation(reader, source, e, r->d.quaternion);
  limpet_read_choice(reader, e, "type", site_types, &r->type);
  limpet_read_numbers(reader, e, "size", r->d.size, 1, 3);
  if (limpet_read_numbers(reader, e, "fromto", r->segment, 6, 6)) r->has_segment = true;
}

// the volume of a site; `half`: half the length of its segment
static void take_volume(limpet_reader *reader, const limpet_xml_element *e, site_record *r,
                        double half) {
  if (r->type == SITE_MESH) {
    limpet_reader_unsupported(
        reader, e, NULL, "mesh site",
        "the volume of a site that is a mesh is not simulated: sensors take a ball");
    r->type = 0;
  }
  r->d.kind = site_kinds[r->type];
  if (!r->has_segment) return;
  if (r->d.kind == LIMPET_SHAPE_SPHERE)
    limpet_reader_fail(reader, e, "fromto",
                       "'fromto' of a <site> needs the type capsule, cylinder, box or ellipsoid");
  const bool round = r->d.kind == LIMPET_SHAPE_CAPSULE || r->d.kind == LIMPET_SHAPE_CYLINDER;
  if (!round) r->d.size[1] = r->d.size[0];
  r->d.size[round ? 1 : 2] = half;
}

void limpet_mjcf_site_read(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                           const limpet_xml_element *e, int body) {
  static const char *const tags[] = {"site", NULL};
  site_record r = {.d = limpet_site_description_default()};
  r.d.name = limpet_mjcf_full_name(m, scope->space, e);
  r.d.body = body;
  r.d.place = limpet_xml_place(e, NULL);
  limpet_mjcf_apply(m->reader, scope->space->source, scope->childclass, e, tags, site_layer, &r);
  const double half =
      r.has_segment ? limpet_mjcf_segment(r.segment, r.d.position, r.d.quaternion) : 0.0;
  take_volume(m->reader, e, &r, half);
  limpet_mjcf_place_in_scope(scope, r.d.position, r.d.quaternion);
  const int handle =
      limpet_reader_added(m->reader, limpet_builder_add_site(m->reader->builder, &r.d));
  limpet_mjcf_name_add(m, LIMPET_OBJECT_SITE, r.d.name, handle, scope->space, e);
}
