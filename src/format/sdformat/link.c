/* format/sdformat/link.c: links: inertia, what is drawn, what touches. */
#include <math.h>
#include <string.h>

#include "format/read/value.h"
#include "format/robot/geom.h"
#include "format/sdformat/sdformat.h"
#include "math/quaternion.h"

// ---------------------------------------------------------------------------------- inertia

static void read_inertial(limpet_sdf *s, limpet_sdf_frame *frame, const limpet_xml_element *e,
                          limpet_body_description *d) {
  static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  const limpet_xml_element *inertia = limpet_xml_child(e, "inertia");
  const limpet_sdf_pose pose = limpet_sdf_pose_in_link(s, frame, e);
  limpet_vec3_copy(d->com, pose.position);
  limpet_quaternion_copy(d->inertia_quaternion, pose.quaternion);
  limpet_sdf_number(s, e, "mass", &d->mass);
  if (d->mass < 0.0 || isinf(d->mass))
    limpet_reader_fail(s->robot.reader, limpet_xml_child(e, "mass"), NULL,
                       "the mass is %g kg; give 0 or more", d->mass);
  for (int i = 0; inertia && i < 6; ++i) limpet_sdf_number(s, inertia, names[i], &d->inertia[i]);
}

static bool inertia_is_automatic(const limpet_xml_element *inertial) {
  const char *automatic = inertial ? limpet_xml_value(inertial, "auto") : NULL;
  return automatic && strcmp(automatic, "true") == 0;
}

static void read_link(limpet_sdf *s, limpet_sdf_frame *frame) {
  const limpet_xml_element *e = frame->element, *inertial = limpet_xml_child(e, "inertial");
  limpet_body_description *d = &frame->link->d;
  // SDFormat's defaults: 1 kg, 1 kg m^2
  d->mass = d->inertia[0] = d->inertia[1] = d->inertia[2] = 1.0;
  d->has_inertial = !inertia_is_automatic(inertial);
  if (inertial) read_inertial(s, frame, inertial, d);
  if (limpet_xml_child(e, "gravity") && !limpet_sdf_flag(s, e, "gravity"))
    d->gravity_compensation = 1.0;
  const limpet_sdf_pose pose = limpet_sdf_frame_pose(s, frame);
  limpet_vec3_copy(d->position, pose.position);
  limpet_quaternion_copy(d->quaternion, pose.quaternion);
  limpet_vec3_copy(frame->link->start_position, pose.position);
  limpet_quaternion_copy(frame->link->start_quaternion, pose.quaternion);
}

void limpet_sdf_links_read(limpet_sdf *s, limpet_sdf_scope *scope) {
  for (limpet_sdf_frame *frame = scope->frames; frame; frame = frame->next)
    if (frame->kind == LIMPET_SDF_LINK && !frame->link->deforms) read_link(s, frame);
}

// ----------------------------------------------------------------------------------- shapes

static double positive(limpet_sdf *s, const limpet_xml_element *e, const char *name,
                       double standard) {
  double value = standard;
  limpet_sdf_number(s, e, name, &value);
  if (!(value > 0.0) || isinf(value))
    limpet_reader_fail(s->robot.reader, e, NULL, "<%s> of <%s> is %g m; it must be positive", name,
                       e->name, value);
  return value;
}

static bool read_box(limpet_sdf *s, const limpet_xml_element *e, limpet_geom_description *d) {
  d->kind = LIMPET_SHAPE_BOX;
  limpet_vec3_set(d->size, 1.0, 1.0, 1.0);
  limpet_sdf_vector(s, e, "size", d->size);
  limpet_vec3_scale(d->size, 0.5, d->size);
  return true;
}

static bool read_sphere(limpet_sdf *s, const limpet_xml_element *e, limpet_geom_description *d) {
  double radius = 1.0;
  limpet_sdf_number(s, e, "radius", &radius);
  return limpet_robot_sphere_take(&s->robot, e, NULL, radius, d);
}

static bool read_round(limpet_sdf *s, const limpet_xml_element *e, limpet_geom_description *d) {
  d->kind = strcmp(e->name, "cylinder") == 0 ? LIMPET_SHAPE_CYLINDER : LIMPET_SHAPE_CAPSULE;
  d->size[0] = positive(s, e, "radius", d->kind == LIMPET_SHAPE_CYLINDER ? 1.0 : 0.5);
  d->size[1] = 0.5 * positive(s, e, "length", 1.0);
  return true;
}

static bool read_ellipsoid(limpet_sdf *s, const limpet_xml_element *e, limpet_geom_description *d) {
  static const char *const axes[3] = {"a", "b", "c"};
  d->kind = LIMPET_SHAPE_ELLIPSOID;
  limpet_vec3_set(d->size, 1.0, 1.0, 1.0);
  if (limpet_sdf_vector(s, e, "radii", d->size) || strcmp(e->name, "ellipsoid") == 0) return true;
  for (int i = 0; i < 3; ++i) d->size[i] = positive(s, e, axes[i], 1.0);
  return true;
}

static bool read_plane(limpet_sdf *s, const limpet_xml_element *e, limpet_geom_description *d) {
  double normal[3] = {0.0, 0.0, 1.0};
  limpet_sdf_vector(s, e, "normal", normal);
  return limpet_robot_plane_take(&s->robot, e, normal, d);
}

static bool read_mesh(limpet_sdf *s, const limpet_xml_element *e, limpet_geom_description *d) {
  const limpet_xml_element *uri = limpet_xml_child(e, "uri");
  limpet_robot_mesh mesh = {.element = uri, .scale = {1.0, 1.0, 1.0}};
  if (!uri) limpet_reader_fail(s->robot.reader, e, NULL, "<mesh> needs an element <uri>");
  limpet_sdf_vector(s, e, "scale", mesh.scale);
  if (limpet_xml_child(e, "submesh"))
    limpet_reader_unsupported(s->robot.reader, limpet_xml_child(e, "submesh"), NULL, "submesh",
                              "parts of a mesh are not told apart: the whole mesh is read");
  mesh.concave = limpet_robot_concave(e->parent->parent, e);
  return limpet_robot_mesh_take(&s->robot, &mesh, d);
}

static bool read_nothing(limpet_sdf *s, const limpet_xml_element *e, limpet_geom_description *d) {
  (void)s, (void)e, (void)d;
  return false;
}

static const struct {
  const char *name;
  bool (*read)(limpet_sdf *s, const limpet_xml_element *e, limpet_geom_description *d);
} shapes[] = {{"box", read_box},
              {"sphere", read_sphere},
              {"cylinder", read_round},
              {"capsule", read_round},
              {"drake:capsule", read_round},
              {"ellipsoid", read_ellipsoid},
              {"drake:ellipsoid", read_ellipsoid},
              {"plane", read_plane},
              {"mesh", read_mesh},
              {"cone", read_nothing},
              {"image", read_nothing},
              {"heightmap", read_nothing},
              {"polyline", read_nothing},
              {"empty", read_nothing}};

// false: nothing is to be made of it
static bool read_shape(limpet_sdf *s, const limpet_xml_element *e, limpet_geom_description *d) {
  const limpet_xml_element *geometry = limpet_xml_child(e, "geometry");
  if (!geometry)
    limpet_reader_fail(s->robot.reader, e, NULL, "<%s> needs an element <geometry>", e->name);
  for (const limpet_xml_element *shape = geometry->first; shape; shape = shape->next)
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i)
      if (strcmp(shape->name, shapes[i].name) == 0) return shapes[i].read(s, shape, d);
  return false;
}

// --------------------------------------------------------------------------- surface, looks

// child of child of ..., names ended by NULL
static const limpet_xml_element *descend(const limpet_xml_element *e, const char *const *names) {
  for (; e && *names; ++names) e = limpet_xml_child(e, *names);
  return e;
}

void limpet_sdf_surface_read(limpet_sdf *s, const limpet_xml_element *collision,
                             limpet_geom_description *d) {
  static const char *const friction[] = {"surface", "friction", "ode", NULL},
                           *const bounce[] = {"surface", "bounce", NULL},
                           *const contact[] = {"surface", "contact", NULL};
  const limpet_xml_element *e = descend(collision, friction);
  double rest = NAN, sliding = NAN, mask = NAN;
  // as Drake reads them: mu counts in stiction, mu2 in sliding
  if (e) limpet_sdf_number(s, e, "mu", &rest), limpet_sdf_number(s, e, "mu2", &sliding);
  if (!isnan(sliding)) d->material.friction = sliding;
  else if (!isnan(rest)) d->material.friction = rest;
  if (!isnan(rest) && rest > d->material.friction) d->material.friction_static = rest;
  if ((e = descend(collision, bounce)))
    limpet_sdf_number(s, e, "restitution_coefficient", &d->material.restitution);
  if ((e = descend(collision, contact)) && limpet_sdf_number(s, e, "collide_bitmask", &mask)) {
    if (!(mask >= 0.0 && mask <= 65535.0))
      limpet_reader_fail(s->robot.reader, e, NULL,
                         "<collide_bitmask> is %g; give a number from 0 to 65535", mask);
    d->contype = d->conaffinity = (unsigned)mask;
  }
}

static void read_look(limpet_sdf *s, const limpet_xml_element *visual, limpet_geom_description *d) {
  static const char *const path[] = {"material", "diffuse", NULL};
  const limpet_xml_element *e = descend(visual, path);
  double rgba[4] = {0.0, 0.0, 0.0, 1.0}, transparency = 0.0;
  if (e && e->text_line && limpet_read_numbers(s->robot.reader, e, NULL, rgba, 3, 4))
    for (int i = 0; i < 4; ++i) d->rgba[i] = (float)rgba[i];
  if (limpet_sdf_number(s, visual, "transparency", &transparency))
    d->rgba[3] *= (float)(1.0 - transparency);
}

// ------------------------------------------------------------------------------------ geoms

static void read_geom(limpet_sdf *s, limpet_sdf_frame *frame, const limpet_xml_element *e,
                      bool touches) {
  limpet_geom_description d = limpet_robot_geom_default(frame->link, e, touches);
  const limpet_sdf_pose pose = limpet_sdf_pose_in_link(s, frame, e);
  limpet_vec3_copy(d.position, pose.position);
  limpet_quaternion_copy(d.quaternion, pose.quaternion);
  if (!read_shape(s, e, &d)) return;
  if (touches) {
    limpet_sdf_surface_read(s, e, &d);
    limpet_robot_proximity_read(&s->robot, e, &d);
    if (!frame->link->d.has_inertial) {
      d.mass = NAN;
      limpet_sdf_number(s, e, "density", &d.density);
    }
  } else {
    read_look(s, e, &d);
  }
  const char *name = limpet_xml_value(e, "name");
  limpet_reader_count(s->robot.reader, e);
  limpet_robot_geom_add(
      &s->robot, &d,
      name ? limpet_reader_join(s->robot.reader, frame->scope->prefix, name, "") : NULL);
}

void limpet_sdf_geoms_read(limpet_sdf *s, limpet_sdf_scope *scope) {
  for (limpet_sdf_frame *frame = scope->frames; frame; frame = frame->next) {
    if (frame->kind != LIMPET_SDF_LINK || frame->link->deforms) continue;
    for (const limpet_xml_element *e = frame->element->first; e; e = e->next) {
      if (strcmp(e->name, "collision") == 0) read_geom(s, frame, e, true);
      else if (strcmp(e->name, "visual") == 0 && !s->robot.reader->options.discard_visual)
        read_geom(s, frame, e, false);
    }
  }
}
