/* format/mjcf_body.c: bodies, their inertials and sites, and the walk over the kinematic tree. */
#include <string.h>

#include "format/mjcf.h"
#include "math/quaternion.h"

// --------------------------------------------------------------------------------- the walk

static void skip(limpet_mjcf *m, const limpet_mjcf_scope *scope, const limpet_xml_element *e,
                 int body) {
  (void)m, (void)scope, (void)e, (void)body;
}

// <flexcomp> and <composite> would make bodies and joints: vectors of keyframes then have other
// lengths
static void leave_out(limpet_mjcf *m, const limpet_mjcf_scope *scope, const limpet_xml_element *e,
                      int body) {
  (void)scope, (void)body;
  m->joints_left_out = true;
  const char *type = limpet_xml_value(e, "type"), *file = limpet_xml_value(e, "file");
  if (strcmp(e->name, "flexcomp") == 0 && type && file && strcmp(type, "gmsh") == 0)
    limpet_mjcf_gmsh_check(m, scope->space, e);
}

static const struct {
  const char *name;
  limpet_mjcf_tree_reader *read;
} tree_readers[] = {{"body", limpet_mjcf_body_read},
                    {"joint", limpet_mjcf_joint_read},
                    {"freejoint", limpet_mjcf_freejoint_read},
                    {"geom", limpet_mjcf_geom_read},
                    {"site", limpet_mjcf_site_read},
                    {"frame", limpet_mjcf_frame_read},
                    {"replicate", limpet_mjcf_replicate_read},
                    {"attach", limpet_mjcf_attach_read},
                    {"composite", leave_out},
                    {"flexcomp", leave_out},
                    {"inertial", skip},
                    {"camera", skip},
                    {"light", skip},
                    {"plugin", skip}};

void limpet_mjcf_children_read(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                               const limpet_xml_element *e, int body) {
  for (const limpet_xml_element *child = e->first; child; child = child->next) {
    for (size_t i = 0; i < sizeof tree_readers / sizeof *tree_readers; ++i) {
      if (strcmp(tree_readers[i].name, child->name) != 0) continue;
      limpet_mjcf_count(m, child);
      tree_readers[i].read(m, scope, child, body);
      break;
    }
  }
}

void limpet_mjcf_world_read(limpet_mjcf *m) {
  limpet_mjcf_space *space = limpet_mjcf_space_add(m, NULL, m->main, "", "");
  limpet_mjcf_own(m, &m->bodies, space);
  const limpet_mjcf_scope scope = {.space = space, .quaternion = {1.0, 0.0, 0.0, 0.0}};
  for (const limpet_xml_element *part = m->main->root->first; part; part = part->next) {
    if (strcmp(part->name, "worldbody") != 0) continue;
    for (const limpet_xml_element *child = part->first; child; child = child->next)
      if (strcmp(child->name, "joint") == 0 || strcmp(child->name, "freejoint") == 0 ||
          strcmp(child->name, "inertial") == 0)
        limpet_mjcf_fail(m, child, NULL, "the world cannot have <%s>; put it into a <body>",
                         child->name);
    limpet_mjcf_children_read(m, &scope, part, 0);
  }
}

// --------------------------------------------------------------------------------- inertial

static void read_inertial(limpet_mjcf *m, const limpet_mjcf_source *source,
                          const limpet_xml_element *e, limpet_body_description *d) {
  d->has_inertial = true;
  limpet_mjcf_required(m, e, "pos");
  limpet_mjcf_required(m, e, "mass");
  limpet_mjcf_numbers(m, e, "pos", d->com, 3, 3);
  limpet_mjcf_number(m, e, "mass", &d->mass);
  limpet_quaternion_identity(d->inertia_quaternion);
  memset(d->inertia, 0, sizeof d->inertia);
  const bool turned = limpet_mjcf_orientation(m, source, e, d->inertia_quaternion);
  const int diagonal = limpet_mjcf_numbers(m, e, "diaginertia", d->inertia, 3, 3);
  const int full = limpet_mjcf_numbers(m, e, "fullinertia", d->inertia, 6, 6);
  if (full && (turned || diagonal))
    limpet_mjcf_fail(m, e, "fullinertia", "'fullinertia' stands alone: remove %s",
                     diagonal ? "'diaginertia'" : "the orientation");
}

static const limpet_xml_element *find_inertial(limpet_mjcf *m, const limpet_xml_element *body) {
  const limpet_xml_element *found = NULL;
  for (const limpet_xml_element *e = body->first; e; e = e->next) {
    if (strcmp(e->name, "inertial") != 0) continue;
    if (found)
      limpet_mjcf_fail(m, e, NULL, "the body has a second <inertial>; the first is in line %d",
                       found->line);
    found = e;
  }
  return found;
}

/* The builder takes one rule for all bodies, that of the main file; a body of an attached file with
 * another rule is told what that means. */
static void follow_source(const limpet_mjcf *m, const limpet_mjcf_source *source,
                          limpet_body_description *d) {
  const limpet_inertia_source own = source->compiler.inertia_source;
  if (own == m->main->compiler.inertia_source) return;
  if (own == LIMPET_INERTIA_FROM_GEOMS) d->has_inertial = false;
  else if (own == LIMPET_INERTIA_GIVEN) d->has_inertial = true;
}

// ----------------------------------------------------------------------------- body and site

void limpet_mjcf_body_read(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                           const limpet_xml_element *e, int body) {
  const limpet_mjcf_source *source = scope->space->source;
  limpet_body_description d = limpet_body_description_default();
  d.name = limpet_mjcf_full_name(m, scope->space, e);
  d.parent = body;
  d.place = limpet_mjcf_place(e, NULL);
  limpet_mjcf_numbers(m, e, "pos", d.position, 3, 3);
  limpet_mjcf_orientation(m, source, e, d.quaternion);
  limpet_mjcf_place_in_scope(scope, d.position, d.quaternion);
  limpet_mjcf_boolean(m, e, "mocap", &d.mocap);
  limpet_mjcf_number(m, e, "gravcomp", &d.gravity_compensation);
  const limpet_xml_element *inertial = find_inertial(m, e);
  if (inertial) read_inertial(m, source, inertial, &d);
  follow_source(m, source, &d);
  const int handle = limpet_mjcf_added(m, limpet_builder_add_body(m->builder, &d));
  limpet_mjcf_own(m, &m->bodies, scope->space);
  limpet_mjcf_name_add(m, LIMPET_OBJECT_BODY, d.name, handle, scope->space, e);

  limpet_mjcf_scope inner = {
      .space = scope->space, .childclass = scope->childclass, .quaternion = {1.0, 0.0, 0.0, 0.0}};
  if (limpet_xml_find(e, "childclass"))
    inner.childclass = limpet_mjcf_class_find(m, source, e, "childclass");
  limpet_mjcf_children_read(m, &inner, e, handle);
}

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

static void site_layer(limpet_mjcf *m, const limpet_mjcf_source *source,
                       const limpet_xml_element *e, void *record) {
  site_record *r = record;
  limpet_mjcf_numbers(m, e, "pos", r->d.position, 3, 3);
  limpet_mjcf_orientation(m, source, e, r->d.quaternion);
  limpet_mjcf_choice(m, e, "type", site_types, &r->type);
  limpet_mjcf_numbers(m, e, "size", r->d.size, 1, 3);
  if (limpet_mjcf_numbers(m, e, "fromto", r->segment, 6, 6)) r->has_segment = true;
}

// the volume of a site; `half`: half the length of its segment
static void take_volume(limpet_mjcf *m, const limpet_xml_element *e, site_record *r, double half) {
  if (r->type == SITE_MESH) {
    limpet_mjcf_unsupported(
        m, e, NULL, "mesh site",
        "the volume of a site that is a mesh is not simulated: sensors take a ball");
    r->type = 0;
  }
  r->d.kind = site_kinds[r->type];
  if (!r->has_segment) return;
  if (r->d.kind == LIMPET_SHAPE_SPHERE)
    limpet_mjcf_fail(m, e, "fromto",
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
  r.d.place = limpet_mjcf_place(e, NULL);
  limpet_mjcf_apply(m, scope->space->source, scope->childclass, e, tags, site_layer, &r);
  const double half =
      r.has_segment ? limpet_mjcf_segment(r.segment, r.d.position, r.d.quaternion) : 0.0;
  take_volume(m, e, &r, half);
  limpet_mjcf_place_in_scope(scope, r.d.position, r.d.quaternion);
  const int handle = limpet_mjcf_added(m, limpet_builder_add_site(m->builder, &r.d));
  limpet_mjcf_name_add(m, LIMPET_OBJECT_SITE, r.d.name, handle, scope->space, e);
}
