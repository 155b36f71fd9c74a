/* format/sdformat/deformable.c: links with <drake:deformable_properties>: deformable bodies.
 *
 * As in Drake, such a link has one <collision>, whose mesh of tetrahedra both moves and touches,
 * and no place in the tree of joints. Inertia follows from mesh and density. A
 * <drake:wall_boundary_condition> clamps the vertices behind a plane of the world at the start. */
#include <math.h>
#include <string.h>

#include "format/robot/geom.h"
#include "format/sdformat/sdformat.h"
#include "math/quaternion.h"

// ---------------------------------------------------------------------------------- material

// Drake's names of elastic laws, and ours
static const struct {
  const char *drake, *law;
} laws[] = {{"linear_corotated", "linear-corotated"},
            {"corotated", "corotated"},
            {"neohookean", "neo-hookean-drake"},
            {"linear", "linear"}};

static const limpet_elastic_law *read_law(limpet_sdf *s, const limpet_xml_element *properties) {
  const limpet_xml_element *e = limpet_xml_child(properties, "drake:material_model");
  const char *name = e ? limpet_sdf_text(properties, "drake:material_model") : laws[0].drake;
  for (size_t i = 0; i < sizeof laws / sizeof *laws; ++i)
    if (name && strcmp(name, laws[i].drake) == 0) return limpet_elastic_law_find(laws[i].law);
  limpet_reader_fail(s->robot.reader, e, NULL,
                     "'%s' is no material model; write linear_corotated, corotated, neohookean or "
                     "linear",
                     name ? name : "");
}

// A number of the properties, which must lie above `least` (or on it, where `inclusive`).
static void read_property(limpet_sdf *s, const limpet_xml_element *properties, const char *name,
                          const char *unit, bool inclusive, double *value) {
  if (!limpet_sdf_number(s, properties, name, value)) return;
  if (isfinite(*value) && (inclusive ? *value >= 0.0 : *value > 0.0)) return;
  limpet_reader_fail(s->robot.reader, limpet_xml_child(properties, name), NULL,
                     "<%s> is %g%s; give a number %s 0", name, *value, unit,
                     inclusive ? "of at least" : "above");
}

static void read_material(limpet_sdf *s, const limpet_xml_element *link,
                          limpet_deformable_description *d) {
  const limpet_xml_element *e = limpet_xml_child(link, "drake:deformable_properties");
  // Drake's defaults
  d->youngs_modulus = 1e8, d->poissons_ratio = 0.49, d->density = 1500.0;
  d->law = read_law(s, e);
  read_property(s, e, "drake:youngs_modulus", " Pa", false, &d->youngs_modulus);
  read_property(s, e, "drake:mass_density", " kg/m^3", false, &d->density);
  read_property(s, e, "drake:mass_damping", " 1/s", true, &d->mass_damping);
  read_property(s, e, "drake:stiffness_damping", " s", true, &d->stiffness_damping);
  if (limpet_sdf_number(s, e, "drake:poissons_ratio", &d->poissons_ratio) &&
      !(d->poissons_ratio > -1.0 && d->poissons_ratio < 0.5))
    limpet_reader_fail(s->robot.reader, limpet_xml_child(e, "drake:poissons_ratio"), NULL,
                       "<drake:poissons_ratio> is %g; it must lie between -1 and 0.5",
                       d->poissons_ratio);
}

// -------------------------------------------------------------------------------- collision

static const limpet_xml_element *only_collision(limpet_sdf *s, const limpet_sdf_frame *frame) {
  const limpet_xml_element *found = NULL;
  for (const limpet_xml_element *e = frame->element->first; e; e = e->next) {
    if (strcmp(e->name, "collision") != 0) continue;
    if (found)
      limpet_reader_fail(s->robot.reader, e, NULL,
                         "the deformable link '%s' has a second <collision>; keep one, whose mesh "
                         "is the body",
                         frame->link->name);
    found = e;
  }
  if (!found)
    limpet_reader_fail(s->robot.reader, frame->element, NULL,
                       "the deformable link '%s' has no <collision>; give it one with the <mesh> "
                       "of its tetrahedra",
                       frame->link->name);
  return found;
}

static void read_mesh(limpet_sdf *s, const limpet_xml_element *collision,
                      limpet_deformable_description *d) {
  limpet_reader *reader = s->robot.reader;
  const limpet_xml_element *geometry = limpet_xml_child(collision, "geometry");
  const limpet_xml_element *mesh = geometry ? limpet_xml_child(geometry, "mesh") : NULL;
  const limpet_xml_element *uri = mesh ? limpet_xml_child(mesh, "uri") : NULL;
  if (!uri)
    limpet_reader_fail(reader, geometry ? geometry : collision, NULL,
                       "a deformable link needs a <mesh> with an <uri> that names a file of "
                       "tetrahedra (VTK, MSH)");
  limpet_robot_mesh m = {.element = uri, .scale = {1.0, 1.0, 1.0}};
  limpet_sdf_vector(s, mesh, "scale", m.scale);
  d->file = limpet_robot_mesh_read(&s->robot, &m);
  const limpet_mesh_file *file = &s->robot.mesh_file;
  if (file->tetrahedron_count == 0)
    limpet_reader_fail(reader, uri, NULL,
                       "%s has no tetrahedra; a deformable link needs a volume mesh (VTK, MSH)",
                       d->file);
  limpet_vec3_copy(d->scale, m.scale);
  d->vertex_count = file->vertex_count, d->vertices = file->vertices;
  d->tetrahedron_count = file->tetrahedron_count, d->tetrahedra = file->tetrahedra;
}

// friction and dissipation, as of any <collision>; what belongs to pressure fields is told
static void read_surface(limpet_sdf *s, const limpet_sdf_frame *frame,
                         const limpet_xml_element *collision, limpet_deformable_description *d) {
  static const char *const useless[] = {"drake:rigid_hydroelastic", "drake:compliant_hydroelastic",
                                        "drake:hydroelastic_modulus", "drake:hydroelastic_margin",
                                        "drake:mesh_resolution_hint"};
  limpet_geom_description geom = limpet_robot_geom_default(frame->link, collision, true);
  limpet_sdf_surface_read(s, collision, &geom);
  limpet_robot_proximity_read(&s->robot, collision, &geom);
  const limpet_xml_element *p = limpet_xml_child(collision, "drake:proximity_properties");
  for (size_t i = 0; p && i < sizeof useless / sizeof *useless; ++i)
    if (limpet_xml_child(p, useless[i]))
      limpet_reader_unsupported(s->robot.reader, limpet_xml_child(p, useless[i]), NULL, useless[i],
                                "<%s> of a deformable link: its softness is that of its elements",
                                useless[i]);
  geom.material.elastic_modulus = d->material.elastic_modulus;
  geom.material.field_size = d->material.field_size;
  geom.material.field_margin = d->material.field_margin;
  d->material = geom.material;
  d->contype = geom.contype, d->conaffinity = geom.conaffinity;
}

// ------------------------------------------------------------------------------------- walls

// The plane of a wall in the world: a point on it and its outward normal.
static void read_wall(limpet_sdf *s, const limpet_xml_element *e, double point[3],
                      double normal[3]) {
  if (!limpet_sdf_vector(s, e, "drake:point_on_plane", point))
    limpet_reader_fail(s->robot.reader, e, NULL, "<%s> needs <drake:point_on_plane>", e->name);
  if (!limpet_sdf_vector(s, e, "drake:outward_normal", normal))
    limpet_reader_fail(s->robot.reader, e, NULL, "<%s> needs <drake:outward_normal>", e->name);
  limpet_reader_check_length(s->robot.reader, limpet_xml_child(e, "drake:outward_normal"), NULL,
                             "the outward normal of the wall", limpet_vec3_normalize(normal),
                             "give a direction");
}

// Marks the vertices behind one wall: (R s x + p - point) . normal < 0.
static void clamp_behind(limpet_sdf *s, const limpet_xml_element *wall,
                         const limpet_deformable_description *d, bool *clamped) {
  double point[3], normal[3], scaled[3], x[3];
  read_wall(s, wall, point, normal);
  int count = 0;
  for (int i = 0; i < d->vertex_count; ++i) {
    for (int k = 0; k < 3; ++k) scaled[k] = d->scale[k] * d->vertices[3 * i + k];
    limpet_quaternion_rotate(x, d->quaternion, scaled);
    for (int k = 0; k < 3; ++k) x[k] += d->position[k] - point[k];
    if (!(limpet_vec3_dot(x, normal) < 0.0)) continue;
    clamped[i] = true, ++count;
  }
  if (count == 0)
    limpet_reader_note(s->robot.reader, wall, NULL, "wall without vertices",
                       "no vertex of the deformable body is behind this wall: it clamps nothing");
}

// One tie to the world of all vertices that walls clamp; of all that there are, in a static model.
static void read_walls(limpet_sdf *s, const limpet_sdf_frame *frame,
                       limpet_deformable_description *d) {
  limpet_reader *reader = s->robot.reader;
  bool *clamped = LIMPET_READER_TAKE(reader, bool, d->vertex_count + 1);
  for (const limpet_xml_element *e = frame->element->first; e; e = e->next)
    if (strcmp(e->name, "drake:wall_boundary_condition") == 0) clamp_behind(s, e, d, clamped);
  int *list = LIMPET_READER_TAKE(reader, int, d->vertex_count + 1), count = 0;
  for (int i = 0; i < d->vertex_count; ++i)
    if (clamped[i] || frame->link->fixed) list[count++] = i;
  if (count == 0) return;
  limpet_tie *tie = LIMPET_READER_TAKE(reader, limpet_tie, 1);
  *tie = (limpet_tie){.body = 0, .vertex_count = count, .vertices = list};
  d->ties = tie, d->tie_count = 1;
}

// -------------------------------------------------------------------------------------- link

// What stands in the link and is not a part of the body.
static void note_rest(limpet_sdf *s, const limpet_sdf_frame *frame) {
  const limpet_xml_element *inertial = limpet_xml_child(frame->element, "inertial"),
                           *visual = limpet_xml_child(frame->element, "visual");
  if (inertial)
    limpet_reader_unsupported(s->robot.reader, inertial, NULL, "inertial of a deformable link",
                              "<inertial> of a deformable link: mass and inertia are those of its "
                              "mesh and <drake:mass_density>");
  if (visual)
    limpet_reader_note(s->robot.reader, visual, NULL, "visual of a deformable link",
                       "a deformable link is drawn by the surface of its tetrahedra: its <visual> "
                       "is left out");
}

static void read_deformable(limpet_sdf *s, limpet_sdf_frame *frame) {
  const limpet_xml_element *e = frame->element, *collision = only_collision(s, frame);
  limpet_deformable_description d = limpet_deformable_description_default();
  limpet_reader_count(s->robot.reader, e);
  note_rest(s, frame);
  d.name = limpet_robot_unique(&s->robot, LIMPET_OBJECT_GEOM, frame->link->name);
  d.place = limpet_xml_place(e, NULL);
  const limpet_sdf_pose link = limpet_sdf_frame_pose(s, frame),
                        own = limpet_sdf_pose_in_link(s, frame, collision),
                        pose = limpet_sdf_pose_compose(&link, &own);
  limpet_vec3_copy(d.position, pose.position);
  limpet_quaternion_copy(d.quaternion, pose.quaternion);
  d.gravity = !limpet_xml_child(e, "gravity") || limpet_sdf_flag(s, e, "gravity");
  read_material(s, e, &d);
  read_surface(s, frame, collision, &d);
  read_mesh(s, collision, &d);
  read_walls(s, frame, &d);
  limpet_reader_added(s->robot.reader, limpet_builder_add_deformable(s->robot.reader->builder, &d));
  limpet_mesh_file_free(&s->robot.mesh_file);
}

void limpet_sdf_deformables_read(limpet_sdf *s, limpet_sdf_scope *scope) {
  for (limpet_sdf_frame *frame = scope->frames; frame; frame = frame->next)
    if (frame->kind == LIMPET_SDF_LINK && frame->link->deforms) read_deformable(s, frame);
}
