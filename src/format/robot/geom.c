/* format/robot/geom.c: geoms of links, and the contact properties that Drake's tags give them.
 *
 * Links bring their inertia, so geoms have no mass; those of links without are as heavy as water.
 * Friction of two geoms is the harmonic mean, as in Drake. What Drake calls static friction counts
 * in stiction. */
#include "format/robot/geom.h"

#include <math.h>
#include <string.h>

#include "format/read/value.h"
#include "math/quaternion.h"

enum {  // as is usual: what is drawn, and what touches but is not for the eye
  GROUP_VISUAL = 2,
  GROUP_COLLISION = 3
};

void limpet_robot_rpy(double quaternion[4], const double rpy[3]) {
  limpet_quaternion_identity(quaternion);
  for (int i = 0; i < 3; ++i) {
    const double axis[3] = {i == 0, i == 1, i == 2};
    double turn[4], product[4];
    limpet_quaternion_from_axis_angle(turn, axis, rpy[i]);
    limpet_quaternion_mul(product, turn, quaternion);
    limpet_quaternion_copy(quaternion, product);
  }
  limpet_quaternion_normalize(quaternion);
}

void limpet_robot_angles_note(limpet_robot *robot, const limpet_xml_element *e,
                              const char *attribute, const double rpy[3]) {
  const double turn = 2.0 * LIMPET_PI * 1.01;
  for (int i = 0; i < 3; ++i)
    if (fabs(rpy[i]) > turn)
      limpet_reader_note(robot->reader, e, attribute, "rpy in degrees",
                         "an angle is %g rad, more than a turn: is it in degrees? angles of robot "
                         "files are radians",
                         rpy[i]);
}

// whether mass or inertia of a link may have to come from its geoms
static bool lacks_inertia(const limpet_body_description *d) {
  return d->mass == 0.0 || (d->inertia[0] == 0.0 && d->inertia[1] == 0.0 && d->inertia[2] == 0.0);
}

limpet_geom_description limpet_robot_geom_default(const limpet_robot_link *link,
                                                  const limpet_xml_element *e, bool touches) {
  limpet_geom_description d = limpet_geom_description_default();
  d.body = link->handle;
  d.place = limpet_xml_place(e, NULL);
  d.mass = touches && (link->density > 0.0 || lacks_inertia(&link->d)) ? NAN : 0.0;
  if (link->density > 0.0) d.density = link->density;
  d.group = touches ? GROUP_COLLISION : GROUP_VISUAL;
  if (!touches) d.contype = d.conaffinity = 0;
  return d;
}

void limpet_robot_geom_add(limpet_robot *robot, const limpet_geom_description *d,
                           const char *name) {
  limpet_geom_description copy = *d;
  copy.name = limpet_robot_unique(robot, LIMPET_OBJECT_GEOM, name);
  limpet_reader_added(robot->reader, limpet_builder_add_geom(robot->reader->builder, &copy));
}

bool limpet_robot_sphere_take(limpet_robot *robot, const limpet_xml_element *e,
                              const char *attribute, double radius, limpet_geom_description *d) {
  const double point = 1e-6;  // [m]  radius of a point, below what any such model knows
  if (radius < 0.0 || isinf(radius))
    limpet_reader_fail(robot->reader, e, attribute, "the radius is %g m; give 0 or more", radius);
  d->kind = LIMPET_SHAPE_SPHERE;
  d->size[0] = radius > 0.0 ? radius : point;
  if (radius > 0.0) return true;
  const bool touches = d->contype || d->conaffinity;
  if (touches)
    limpet_reader_note(robot->reader, e, attribute, "point",
                       "a sphere without radius touches as a point, a sphere of %g m", point);
  return touches;
}

bool limpet_robot_plane_take(limpet_robot *robot, const limpet_xml_element *e,
                             const double normal[3], limpet_geom_description *d) {
  double x[3], y[3], z[3], R[9], turn[4], product[4];
  limpet_vec3_copy(z, normal);
  limpet_reader_check_length(robot->reader, e, NULL, "the normal of the plane",
                             limpet_vec3_normalize(z), "give a direction");
  limpet_vec3_tangents(x, y, z);
  for (int i = 0; i < 3; ++i) R[3 * i] = x[i], R[3 * i + 1] = y[i], R[3 * i + 2] = z[i];
  if (z[2] == 1.0) limpet_quaternion_identity(turn);
  else limpet_quaternion_from_matrix(turn, R);
  limpet_quaternion_mul(product, d->quaternion, turn);
  limpet_quaternion_copy(d->quaternion, product);
  d->kind = LIMPET_SHAPE_PLANE;
  return true;
}

void limpet_robot_drawing_settle(limpet_robot *robot) {
  limpet_builder *builder = robot->reader->builder;
  const int geoms = limpet_builder_count(builder, LIMPET_OBJECT_GEOM);
  bool *drawn =
      LIMPET_READER_TAKE(robot->reader, bool, limpet_builder_count(builder, LIMPET_OBJECT_BODY));
  for (int g = 0; g < geoms; ++g) {
    const limpet_geom_description *d = limpet_builder_geom(builder, g);
    if (d->group == GROUP_VISUAL && !d->contype) drawn[d->body] = true;
  }
  for (int g = 0; g < geoms; ++g) {
    limpet_geom_description *d = limpet_builder_geom(builder, g);
    if (d->group == GROUP_COLLISION && !drawn[d->body]) d->group = 0;
  }
}

// ------------------------------------------------------------------------------- Drake's tags

static const char *value_attribute(const limpet_xml_element *e) {
  return limpet_xml_find(e, "value") ? "value" : NULL;
}

int limpet_robot_tag_numbers(limpet_robot *robot, const limpet_xml_element *parent,
                             const char *name, double *values, int least, int most) {
  const limpet_xml_element *e = limpet_xml_child(parent, name);
  if (!e) return 0;
  limpet_read_required(robot->reader, e, value_attribute(e));
  return limpet_read_numbers(robot->reader, e, value_attribute(e), values, least, most);
}

bool limpet_robot_tag_number(limpet_robot *robot, const limpet_xml_element *parent,
                             const char *name, double *value) {
  return limpet_robot_tag_numbers(robot, parent, name, value, 1, 1) == 1;
}

// friction of sliding and in stiction; one of the two stands for both
static void read_friction(limpet_robot *robot, const limpet_xml_element *p,
                          limpet_geom_description *d) {
  double dynamic, rest;
  const bool has_dynamic = limpet_robot_tag_number(robot, p, "drake:mu_dynamic", &dynamic);
  const bool has_static = limpet_robot_tag_number(robot, p, "drake:mu_static", &rest);
  if (has_dynamic || has_static) d->material.friction = has_dynamic ? dynamic : rest;
  if (has_dynamic && has_static && rest != dynamic) d->material.friction_static = rest;
}

// pressure fields: a rigid geom has none, but those of others act on its surface
static void read_pressure(limpet_robot *robot, const limpet_xml_element *p,
                          limpet_geom_description *d) {
  const double standard = 1e7;  // [Pa]  Drake's modulus where the tags give none
  limpet_reader *reader = robot->reader;
  const limpet_xml_element *rigid = limpet_xml_child(p, "drake:rigid_hydroelastic"),
                           *compliant = limpet_xml_child(p, "drake:compliant_hydroelastic"),
                           *soft = limpet_xml_child(p, "drake:soft_hydroelastic");
  if (soft)
    limpet_reader_fail(reader, soft, NULL,
                       "<drake:soft_hydroelastic> has been renamed: write "
                       "<drake:compliant_hydroelastic>");
  if (rigid && compliant)
    limpet_reader_fail(reader, compliant, NULL,
                       "the geometry is both rigid and compliant; keep one of the two tags");
  limpet_robot_tag_number(robot, p, "drake:mesh_resolution_hint", &d->material.field_size);
  limpet_robot_tag_number(robot, p, "drake:hydroelastic_margin", &d->material.field_margin);
  if (!compliant) return;
  d->material.elastic_modulus = standard;
  limpet_robot_tag_number(robot, p, "drake:hydroelastic_modulus", &d->material.elastic_modulus);
}

bool limpet_robot_concave(const limpet_xml_element *collision, const limpet_xml_element *mesh) {
  const limpet_xml_element *p = limpet_xml_child(collision, "drake:proximity_properties");
  return p && !limpet_xml_child(mesh, "drake:declare_convex") &&
         (limpet_xml_child(p, "drake:rigid_hydroelastic") ||
          limpet_xml_child(p, "drake:compliant_hydroelastic"));
}

void limpet_robot_proximity_read(limpet_robot *robot, const limpet_xml_element *collision,
                                 limpet_geom_description *d) {
  const limpet_xml_element *p = limpet_xml_child(collision, "drake:proximity_properties");
  if (!p) return;
  read_friction(robot, p, d);
  limpet_robot_tag_number(robot, p, "drake:point_contact_stiffness", &d->material.stiffness);
  limpet_robot_tag_number(robot, p, "drake:hunt_crossley_dissipation", &d->material.dissipation);
  limpet_robot_tag_number(robot, p, "drake:relaxation_time", &d->material.relaxation_time);
  read_pressure(robot, p, d);
}
