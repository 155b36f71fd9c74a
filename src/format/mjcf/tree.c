/* format/mjcf/tree.c: the walk over the kinematic tree. An element is read by its own file; what
 * lies inside of a body, a frame, a copy or an attached model is walked here. */
#include "format/mjcf/tree.h"

#include <string.h>

#include "format/mjcf/attach.h"
#include "format/mjcf/deformable.h"
#include "format/mjcf/element.h"
#include "format/mjcf/mesh.h"
#include "format/mjcf/replicate.h"

static void walk_children(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                          const limpet_xml_element *e, int body);

// what is inside of the elements <worldbody> of a source
static void walk_world(limpet_mjcf *m, const limpet_mjcf_scope *scope, int body) {
  for (const limpet_xml_element *part = scope->space->source->root->first; part; part = part->next)
    if (strcmp(part->name, "worldbody") == 0) walk_children(m, scope, part, body);
}

static void walk_body(limpet_mjcf *m, const limpet_mjcf_scope *scope, const limpet_xml_element *e,
                      int body) {
  limpet_mjcf_scope inside;
  const int handle = limpet_mjcf_body_add(m, scope, e, body, &inside);
  walk_children(m, &inside, e, handle);
}

static void walk_frame(limpet_mjcf *m, const limpet_mjcf_scope *scope, const limpet_xml_element *e,
                       int body) {
  const limpet_mjcf_scope inside = limpet_mjcf_frame_scope(m, scope, e);
  walk_children(m, &inside, e, body);
}

static void walk_replicate(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                           const limpet_xml_element *e, int body) {
  limpet_mjcf_scope inside;
  limpet_mjcf_copies copies = limpet_mjcf_replicate_begin(m, e);
  while (limpet_mjcf_replicate_next(m, scope, &copies, &inside)) walk_children(m, &inside, e, body);
}

static void walk_attach(limpet_mjcf *m, const limpet_mjcf_scope *scope, const limpet_xml_element *e,
                        int body) {
  const limpet_mjcf_attachment a = limpet_mjcf_attach_open(m, scope, e);
  ++m->attach_depth;
  if (!a.target) walk_world(m, &a.scope, body);
  else if (strcmp(a.target->name, "body") == 0) walk_body(m, &a.scope, a.target, body);
  else walk_frame(m, &a.scope, a.target, body);
  --m->attach_depth;
}

static void skip(limpet_mjcf *m, const limpet_mjcf_scope *scope, const limpet_xml_element *e,
                 int body) {
  (void)m, (void)scope, (void)e, (void)body;
}

// <flexcomp> and <composite> would make bodies and joints: vectors of keyframes then have other
// lengths
static void leave_out(limpet_mjcf *m, const limpet_mjcf_scope *scope, const limpet_xml_element *e,
                      int body) {
  (void)body;
  m->joints_left_out = true;
  const char *type = limpet_xml_value(e, "type"), *file = limpet_xml_value(e, "file");
  if (strcmp(e->name, "flexcomp") == 0 && type && file && strcmp(type, "gmsh") == 0)
    limpet_mjcf_gmsh_check(m->reader, scope->space->source, e);
}

// its vertices are no joints, as they are in MuJoCo
static void walk_flexcomp(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                          const limpet_xml_element *e, int body) {
  m->joints_left_out = true;
  if (!limpet_mjcf_flexcomp_add(m, scope, e, body)) leave_out(m, scope, e, body);
}

static const struct {
  const char *name;
  limpet_mjcf_element_reader *read;
} elements[] = {{"body", walk_body},
                {"joint", limpet_mjcf_joint_read},
                {"freejoint", limpet_mjcf_freejoint_read},
                {"geom", limpet_mjcf_geom_read},
                {"site", limpet_mjcf_site_read},
                {"frame", walk_frame},
                {"replicate", walk_replicate},
                {"attach", walk_attach},
                {"composite", leave_out},
                {"flexcomp", walk_flexcomp},
                {"limpet:deformable", limpet_mjcf_deformable_read},
                {"inertial", skip},
                {"camera", limpet_mjcf_camera_read},
                {"light", skip},
                {"plugin", skip}};

static void walk_children(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                          const limpet_xml_element *e, int body) {
  for (const limpet_xml_element *child = e->first; child; child = child->next) {
    for (size_t i = 0; i < sizeof elements / sizeof *elements; ++i) {
      if (strcmp(elements[i].name, child->name) != 0) continue;
      limpet_reader_count(m->reader, child);
      elements[i].read(m, scope, child, body);
      break;
    }
  }
}

// ------------------------------------------------------------------------------------ world

static void refuse_in_world(limpet_reader *reader, const limpet_xml_element *world) {
  static const char *const refused[] = {"joint", "freejoint", "inertial"};
  for (const limpet_xml_element *e = world->first; e; e = e->next)
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i)
      if (strcmp(e->name, refused[i]) == 0)
        limpet_reader_fail(reader, e, NULL, "the world cannot have <%s>; put it into a <body>",
                           e->name);
}

void limpet_mjcf_world_read(limpet_mjcf *m) {
  limpet_mjcf_space *space = limpet_mjcf_space_add(m, NULL, m->main, "", "");
  limpet_mjcf_own(m, &m->bodies, space);
  const limpet_mjcf_scope scope = limpet_mjcf_scope_at_origin(space, NULL);
  for (const limpet_xml_element *part = m->main->root->first; part; part = part->next)
    if (strcmp(part->name, "worldbody") == 0) refuse_in_world(m->reader, part);
  walk_world(m, &scope, 0);
}
