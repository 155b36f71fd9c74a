/* format/urdf/link.c: links: inertia, what is drawn, what touches. */
#include <math.h>
#include <string.h>

#include "format/read/value.h"
#include "format/robot/geom.h"
#include "format/urdf/urdf.h"
#include "math/quaternion.h"

void limpet_urdf_origin_read(limpet_urdf *u, const limpet_xml_element *e, double position[3],
                             double quaternion[4]) {
  limpet_reader *reader = u->robot.reader;
  const limpet_xml_element *origin = limpet_xml_child(e, "origin");
  double rpy[3] = {0.0, 0.0, 0.0}, xyzw[4];
  limpet_vec3_zero(position);
  limpet_quaternion_identity(quaternion);
  if (!origin) return;
  limpet_read_finite(reader, origin, "xyz", position, 3);
  const bool turned = limpet_read_finite(reader, origin, "rpy", rpy, 3) > 0;
  limpet_robot_angles_note(&u->robot, origin, "rpy", rpy);
  limpet_robot_rpy(quaternion, rpy);
  if (!limpet_read_finite(reader, origin, "quat_xyzw", xyzw, 4)) return;
  if (turned)
    limpet_reader_fail(reader, origin, "quat_xyzw",
                       "'rpy' and 'quat_xyzw' both give the orientation; keep one");
  const double wxyz[4] = {xyzw[3], xyzw[0], xyzw[1], xyzw[2]};
  limpet_quaternion_copy(quaternion, wxyz);
  limpet_reader_check_length(reader, origin, "quat_xyzw", "'quat_xyzw'",
                             limpet_quaternion_normalize(quaternion), "its length should be 1");
}

// ---------------------------------------------------------------------------------- inertia

static void read_inertia(limpet_urdf *u, const limpet_xml_element *e, double inertia[6]) {
  static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  for (int i = 0; i < 6; ++i) {
    if (i < 3) limpet_read_required(u->robot.reader, e, names[i]);
    limpet_read_number(u->robot.reader, e, names[i], &inertia[i]);
  }
}

// <density>, an extension: mass and inertia are those of the collision geometry
static void read_density(limpet_urdf *u, const limpet_xml_element *e, limpet_robot_link *link) {
  limpet_reader *reader = u->robot.reader;
  limpet_read_required(reader, e, "value");
  limpet_read_number(reader, e, "value", &link->density);
  if (!(link->density > 0.0) || isinf(link->density))
    limpet_reader_fail(reader, e, "value", "the density is %g kg/m^3; it must be positive",
                       link->density);
  link->d.has_inertial = false;
}

// a link without <inertial> has no mass
static void read_inertial(limpet_urdf *u, limpet_robot_link *link) {
  limpet_reader *reader = u->robot.reader;
  limpet_body_description *d = &link->d;
  const limpet_xml_element *e = limpet_xml_child(link->element, "inertial");
  if (!e) return;
  limpet_urdf_origin_read(u, e, d->com, d->inertia_quaternion);
  const limpet_xml_element *mass = limpet_xml_child(e, "mass"),
                           *inertia = limpet_xml_child(e, "inertia"),
                           *density = limpet_xml_child(e, "density");
  if (density && !mass && !inertia) read_density(u, density, link);
  if (mass) {
    limpet_read_required(reader, mass, "value");
    limpet_read_number(reader, mass, "value", &d->mass);
    if (d->mass < 0.0 || isinf(d->mass))
      limpet_reader_fail(reader, mass, "value", "the mass is %g kg; give 0 or more", d->mass);
  }
  if (inertia) read_inertia(u, inertia, d->inertia);
}

void limpet_urdf_links_read(limpet_urdf *u) {
  limpet_reader *reader = u->robot.reader;
  for (const limpet_xml_element *e = limpet_xml_child(u->root, "link"); e; e = limpet_xml_next(e)) {
    const char *name = limpet_read_required(reader, e, "name");
    if (strcmp(name, "world") == 0) {
      // the world itself: no joint carries it, and it has no mass
      u->robot.world.element = e;
      continue;
    }
    limpet_robot_link *link = limpet_robot_link_add(&u->robot, e, name);
    read_inertial(u, link);
  }
}

// ----------------------------------------------------------------------------------- shapes

static void read_positive(limpet_urdf *u, const limpet_xml_element *e, const char *name,
                          double *value) {
  limpet_read_required(u->robot.reader, e, name);
  limpet_read_number(u->robot.reader, e, name, value);
  if (!(*value > 0.0) || isinf(*value))
    limpet_reader_fail(u->robot.reader, e, name, "'%s' is %g m; it must be positive", name, *value);
}

static bool read_box(limpet_urdf *u, const limpet_xml_element *e, limpet_geom_description *d) {
  limpet_read_required(u->robot.reader, e, "size");
  limpet_read_numbers(u->robot.reader, e, "size", d->size, 3, 3);
  d->kind = LIMPET_SHAPE_BOX;
  for (int i = 0; i < 3; ++i) {
    if (!(d->size[i] > 0.0))
      limpet_reader_fail(u->robot.reader, e, "size",
                         "the size is %g %g %g m; give three edges above 0", d->size[0], d->size[1],
                         d->size[2]);
    d->size[i] *= 0.5;
  }
  return true;
}

static bool read_sphere(limpet_urdf *u, const limpet_xml_element *e, limpet_geom_description *d) {
  limpet_read_required(u->robot.reader, e, "radius");
  limpet_read_number(u->robot.reader, e, "radius", &d->size[0]);
  return limpet_robot_sphere_take(&u->robot, e, "radius", d->size[0], d);
}

static bool read_round(limpet_urdf *u, const limpet_xml_element *e, limpet_geom_description *d) {
  read_positive(u, e, "radius", &d->size[0]);
  read_positive(u, e, "length", &d->size[1]);
  d->size[1] *= 0.5;
  return true;
}

static bool read_cylinder(limpet_urdf *u, const limpet_xml_element *e, limpet_geom_description *d) {
  d->kind = LIMPET_SHAPE_CYLINDER;
  return read_round(u, e, d);
}

static bool read_capsule(limpet_urdf *u, const limpet_xml_element *e, limpet_geom_description *d) {
  d->kind = LIMPET_SHAPE_CAPSULE;
  return read_round(u, e, d);
}

static bool read_ellipsoid(limpet_urdf *u, const limpet_xml_element *e,
                           limpet_geom_description *d) {
  static const char *const names[3] = {"a", "b", "c"};
  d->kind = LIMPET_SHAPE_ELLIPSOID;
  for (int i = 0; i < 3; ++i) read_positive(u, e, names[i], &d->size[i]);
  return true;
}

// an extension of Bullet
static bool read_plane(limpet_urdf *u, const limpet_xml_element *e, limpet_geom_description *d) {
  double normal[3] = {0.0, 0.0, 1.0};
  limpet_read_numbers(u->robot.reader, e, "normal", normal, 3, 3);
  return limpet_robot_plane_take(&u->robot, e, normal, d);
}

static bool read_mesh(limpet_urdf *u, const limpet_xml_element *e, limpet_geom_description *d) {
  limpet_robot_mesh mesh = {.element = e, .attribute = "filename", .scale = {1.0, 1.0, 1.0}};
  const int count = limpet_read_numbers(u->robot.reader, e, "scale", mesh.scale, 1, 3);
  if (count == 2)
    limpet_reader_fail(u->robot.reader, e, "scale", "'scale' has two numbers; give one or three");
  if (count == 1) mesh.scale[1] = mesh.scale[2] = mesh.scale[0];
  mesh.concave = limpet_robot_concave(e->parent->parent, e);
  return limpet_robot_mesh_take(&u->robot, &mesh, d);
}

static const struct {
  const char *name;
  bool (*read)(limpet_urdf *u, const limpet_xml_element *e, limpet_geom_description *d);
} shapes[] = {{"box", read_box},
              {"sphere", read_sphere},
              {"cylinder", read_cylinder},
              {"capsule", read_capsule},
              {"drake:capsule", read_capsule},
              {"ellipsoid", read_ellipsoid},
              {"drake:ellipsoid", read_ellipsoid},
              {"plane", read_plane},
              {"mesh", read_mesh}};

// of several shapes in one <geometry> the first counts
static void note_others(limpet_urdf *u, const limpet_xml_element *first) {
  for (const limpet_xml_element *other = first->next; other; other = other->next)
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i)
      if (strcmp(other->name, shapes[i].name) == 0 && strcmp(other->name, first->name) != 0)
        limpet_reader_mend(u->robot.reader, other, NULL, "shapes of one geometry",
                           "<geometry> holds <%s> and <%s>, but takes one shape: the first counts; "
                           "give each a <collision> or <visual> of its own",
                           first->name, other->name);
}

// false: nothing is to be made of it
static bool read_shape(limpet_urdf *u, const limpet_xml_element *e, limpet_geom_description *d) {
  const limpet_xml_element *geometry = limpet_xml_child(e, "geometry");
  if (!geometry)
    limpet_reader_fail(u->robot.reader, e, NULL, "<%s> needs an element <geometry>", e->name);
  for (const limpet_xml_element *shape = geometry->first; shape; shape = shape->next)
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i)
      if (strcmp(shape->name, shapes[i].name) == 0) {
        note_others(u, shape);
        return shapes[i].read(u, shape, d);
      }
  limpet_reader_fail(u->robot.reader, geometry, NULL,
                     "<geometry> has no shape; it takes <box>, <sphere>, <cylinder>, <capsule>, "
                     "<mesh>, <plane>, <drake:ellipsoid>");
}

// -------------------------------------------------------------------------------- materials

// rgba of a <material>; false: it has none
static bool read_color(limpet_urdf *u, const limpet_xml_element *material, double rgba[4]) {
  const limpet_xml_element *color = limpet_xml_child(material, "color");
  if (!color) return false;
  rgba[3] = 1.0;
  limpet_read_required(u->robot.reader, color, "rgba");
  return limpet_read_numbers(u->robot.reader, color, "rgba", rgba, 3, 4) > 0;
}

// the first material of a name counts for all
static void enter_material(limpet_urdf *u, const limpet_xml_element *material) {
  const char *name = limpet_xml_value(material, "name");
  double rgba[4];
  if (!name || !read_color(u, material, rgba) || limpet_table_find(&u->materials, 0, name)) return;
  double *kept = LIMPET_READER_TAKE(u->robot.reader, double, 4);
  memcpy(kept, rgba, sizeof rgba);
  limpet_reader_enter(u->robot.reader, &u->materials, 0, name, kept);
}

static void take_look(limpet_urdf *u, const limpet_xml_element *visual,
                      limpet_geom_description *d) {
  const limpet_xml_element *material = limpet_xml_child(visual, "material");
  if (!material) return;
  double own[4];
  const char *name = limpet_xml_value(material, "name");
  const double *rgba = read_color(u, material, own) ? own
                       : name                       ? limpet_table_find(&u->materials, 0, name)
                                                    : NULL;
  if (rgba)
    for (int i = 0; i < 4; ++i) d->rgba[i] = (float)rgba[i];
}

static void enter_materials(limpet_urdf *u) {
  for (const limpet_xml_element *e = u->root->first; e; e = e->next) {
    if (strcmp(e->name, "material") == 0) enter_material(u, e);
    if (strcmp(e->name, "link") != 0) continue;
    for (const limpet_xml_element *visual = limpet_xml_child(e, "visual"); visual;
         visual = limpet_xml_next(visual)) {
      const limpet_xml_element *material = limpet_xml_child(visual, "material");
      if (material) enter_material(u, material);
    }
  }
}

// ------------------------------------------------------------------------------------ geoms

// a number of <contact>, Bullet's extension: what touches of a link; it overrules the standard
static void read_contact(limpet_urdf *u, const limpet_xml_element *contact, const char *name,
                         double *value) {
  limpet_reader *reader = u->robot.reader;
  const limpet_xml_element *e = contact ? limpet_xml_child(contact, name) : NULL;
  if (!e) return;
  limpet_read_required(reader, e, "value");
  limpet_read_number(reader, e, "value", value);
  if (*value < 0.0 || isinf(*value))
    limpet_reader_fail(reader, e, "value", "<%s> is %g; give 0 or more", name, *value);
}

static void read_geom(limpet_urdf *u, const limpet_robot_link *link, const limpet_xml_element *e,
                      bool touches) {
  limpet_geom_description d = limpet_robot_geom_default(link, e, touches);
  limpet_urdf_origin_read(u, e, d.position, d.quaternion);
  if (!read_shape(u, e, &d)) return;
  const limpet_xml_element *contact = limpet_xml_child(link->element, "contact");
  if (touches) {
    read_contact(u, contact, "lateral_friction", &d.material.friction);
    read_contact(u, contact, "restitution", &d.material.restitution);
    limpet_robot_proximity_read(&u->robot, e, &d);
  } else {
    take_look(u, e, &d);
  }
  limpet_reader_count(u->robot.reader, e);
  limpet_robot_geom_add(&u->robot, &d, limpet_xml_value(e, "name"));
}

static void read_geoms(limpet_urdf *u, const limpet_robot_link *link, const limpet_xml_element *e) {
  for (const limpet_xml_element *part = e->first; part; part = part->next) {
    if (strcmp(part->name, "collision") == 0) read_geom(u, link, part, true);
    else if (strcmp(part->name, "visual") == 0 && !u->robot.reader->options.discard_visual)
      read_geom(u, link, part, false);
  }
}

void limpet_urdf_geoms_read(limpet_urdf *u) {
  enter_materials(u);
  for (const limpet_xml_element *e = limpet_xml_child(u->root, "link"); e; e = limpet_xml_next(e)) {
    const char *name = limpet_xml_value(e, "name");
    const limpet_robot_link *link = limpet_robot_link_find(&u->robot, e, "name", name);
    read_geoms(u, link, e);
  }
}
