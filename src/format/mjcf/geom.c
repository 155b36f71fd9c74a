/* format/mjcf/geom.c: geoms. A geom with contype and conaffinity 0 is visual. A mesh file that is
 * missing is an error where the mesh can touch something or decides a mass; a visual geom without
 * its mesh is left out, with a note. */
#include <math.h>
#include <string.h>

#include "format/mjcf/cloud.h"
#include "format/mjcf/default.h"
#include "format/mjcf/element.h"
#include "format/mjcf/impedance.h"
#include "format/mjcf/mesh.h"
#include "format/mjcf/name.h"
#include "format/mjcf/orientation.h"
#include "format/mjcf/surface.h"
#include "format/read/value.h"

enum {
  TYPE_PLANE,
  TYPE_HFIELD,
  TYPE_SPHERE,
  TYPE_CAPSULE,
  TYPE_ELLIPSOID,
  TYPE_CYLINDER,
  TYPE_BOX,
  TYPE_MESH,
  TYPE_SDF,
  TYPE_CLOUD,  // has no word: limpet:cloud makes it
  TYPE_COUNT
};

static const struct {
  const char *word;
  limpet_shape_kind kind;
  int size_count;    // numbers that must be positive
  bool has_segment;  // fromto makes sense
} types[TYPE_COUNT] = {{"plane", LIMPET_SHAPE_PLANE, 0, false},
                       {"hfield", LIMPET_SHAPE_MESH, 0, false},
                       {"sphere", LIMPET_SHAPE_SPHERE, 1, false},
                       {"capsule", LIMPET_SHAPE_CAPSULE, 2, true},
                       {"ellipsoid", LIMPET_SHAPE_ELLIPSOID, 3, true},
                       {"cylinder", LIMPET_SHAPE_CYLINDER, 2, true},
                       {"box", LIMPET_SHAPE_BOX, 3, true},
                       {"mesh", LIMPET_SHAPE_MESH, 0, false},
                       {"sdf", LIMPET_SHAPE_MESH, 0, false},
                       {"point cloud", LIMPET_SHAPE_CLOUD, 0, false}};

typedef struct geom_record {
  limpet_geom_description d;
  int type;
  bool has_segment, has_rgba;
  double segment[6];
  const char *mesh, *hfield, *material, *cloud_file;
  limpet_cloud_description cloud;
} geom_record;

// ---------------------------------------------------------------------------------- reading

static void read_contact(limpet_reader *reader, const limpet_xml_element *e,
                         limpet_geom_description *d) {
  int mask = 0;
  if (limpet_read_integer(reader, e, "contype", &mask)) d->contype = (unsigned)mask;
  if (limpet_read_integer(reader, e, "conaffinity", &mask)) d->conaffinity = (unsigned)mask;
  limpet_read_integer(reader, e, "condim", &d->condim);
  limpet_read_integer(reader, e, "priority", &d->priority);
  double friction[3] = {d->material.friction, d->material.friction_torsional,
                        d->material.friction_rolling};
  limpet_read_numbers(reader, e, "friction", friction, 1, 3);
  d->material.friction = friction[0], d->material.friction_torsional = friction[1],
  d->material.friction_rolling = friction[2];
  limpet_mjcf_impedance(reader, e, "solref", "solimp", &d->material.impedance);
  limpet_read_number(reader, e, "solmix", &d->impedance_mix);
  limpet_read_number(reader, e, "margin", &d->margin);
  limpet_read_number(reader, e, "gap", &d->gap);
}

static void read_cloud(limpet_reader *reader, const limpet_xml_element *e, geom_record *r) {
  if (limpet_xml_find(e, "limpet:cloud")) r->cloud_file = limpet_xml_value(e, "limpet:cloud");
  const int count = limpet_read_numbers(reader, e, "limpet:cloud_scale", r->cloud.scale, 1, 3);
  if (count == 2)
    limpet_reader_fail(reader, e, "limpet:cloud_scale",
                       "'limpet:cloud_scale' takes one number or three");
  if (count == 1) r->cloud.scale[1] = r->cloud.scale[2] = r->cloud.scale[0];
  limpet_read_number(reader, e, "limpet:point_radius", &r->cloud.point_radius);
  limpet_read_integer(reader, e, "limpet:contact_points", &r->cloud.contact_points);
}

static void read_fluid(limpet_reader *reader, const limpet_xml_element *e,
                       limpet_geom_description *d) {
  static const char *const words[] = {"none", "ellipsoid", NULL};
  int shape = d->fluid_ellipsoid;
  limpet_read_choice(reader, e, "fluidshape", words, &shape);
  d->fluid_ellipsoid = shape == 1;
  limpet_read_numbers(reader, e, "fluidcoef", d->fluid_coefficients, 1, 5);
}

static void read_look(limpet_reader *reader, const limpet_xml_element *e, geom_record *r) {
  double rgba[4];
  if (limpet_read_numbers(reader, e, "rgba", rgba, 4, 4)) {
    r->has_rgba = true;
    for (int i = 0; i < 4; ++i) r->d.rgba[i] = (float)rgba[i];
  }
  if (limpet_xml_find(e, "material")) r->material = limpet_xml_value(e, "material");
  limpet_read_integer(reader, e, "group", &r->d.group);
}

static void geom_layer(limpet_reader *reader, const limpet_mjcf_source *source,
                       const limpet_xml_element *e, void *record) {
  static const char *const words[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                      "cylinder", "box",    "mesh",   "sdf",     NULL};
  geom_record *r = record;
  limpet_geom_description *d = &r->d;
  limpet_read_choice(reader, e, "type", words, &r->type);
  limpet_read_numbers(reader, e, "size", d->size, 1, 3);
  limpet_read_numbers(reader, e, "pos", d->position, 3, 3);
  limpet_mjcf_orientation(reader, source, e, d->quaternion);
  if (limpet_read_numbers(reader, e, "fromto", r->segment, 6, 6)) r->has_segment = true;
  if (limpet_xml_find(e, "hfield")) r->hfield = limpet_xml_value(e, "hfield");
  if (limpet_xml_find(e, "mesh")) r->mesh = limpet_xml_value(e, "mesh");
  limpet_read_number(reader, e, "fitscale", &d->fit_scale);
  limpet_read_number(reader, e, "mass", &d->mass);
  limpet_read_number(reader, e, "density", &d->density);
  limpet_read_boolean(reader, e, "shellinertia", &d->shell);
  read_contact(reader, e, d);
  limpet_mjcf_surface_read(reader, e, &d->material);
  read_cloud(reader, e, r);
  read_fluid(reader, e, d);
  read_look(reader, e, r);
}

static void material_layer(limpet_reader *reader, const limpet_mjcf_source *source,
                           const limpet_xml_element *e, void *record) {
  (void)source;
  limpet_mjcf_surface_read(reader, e, record);
}

// --------------------------------------------------------------------------------- checking

static void check_geom(limpet_reader *reader, const limpet_xml_element *e, const geom_record *r) {
  const limpet_geom_description *d = &r->d;
  const char *word = types[r->type].word;
  if (r->type == TYPE_HFIELD) {
    if (r->mesh && *r->mesh)
      limpet_reader_fail(reader, e, NULL, "a geom of type 'hfield' takes no mesh");
  } else if (types[r->type].kind == LIMPET_SHAPE_MESH) {
    if (!r->mesh || !*r->mesh)
      limpet_reader_fail(reader, e, NULL, "a geom of type '%s' needs the attribute 'mesh'", word);
    if (d->shell)
      limpet_reader_fail(
          reader, e, "shellinertia",
          "the shell inertia of a mesh is set in <asset>: <mesh inertia=\"shell\"/>");
  } else if (!r->mesh) {
    for (int i = 0; i < types[r->type].size_count; ++i)
      if (!(d->size[i] > 0.0))
        limpet_reader_fail(reader, e, "size",
                           "number %d of the size of a %s must be positive, not %g", i + 1, word,
                           d->size[i]);
  }
  if (r->type == TYPE_PLANE && !(d->size[2] > 0.0))
    limpet_reader_fail(reader, e, "size",
                       "the size of a plane has three numbers, and the third (spacing of the grid) "
                       "must be positive");
  if (d->condim != 1 && d->condim != 3 && d->condim != 4 && d->condim != 6)
    limpet_reader_fail(reader, e, "condim", "'condim' is %d; it can be 1, 3, 4 or 6", d->condim);
}

static void place_segment(limpet_reader *reader, const limpet_xml_element *e, geom_record *r) {
  limpet_geom_description *d = &r->d;
  if (!types[r->type].has_segment)
    limpet_reader_fail(reader, e, "fromto",
                       "'fromto' is for capsules, cylinders, ellipsoids and boxes, not for a %s",
                       types[r->type].word);
  const double half = limpet_mjcf_segment(r->segment, d->position, d->quaternion);
  if (half < 1e-14)
    limpet_reader_fail(reader, e, "fromto", "the two points of 'fromto' are the same");
  if (types[r->type].size_count == 2) d->size[1] = half;
  else d->size[1] = d->size[0], d->size[2] = half;
}

// ----------------------------------------------------------------------------------- meshes

/* Whether the geom matters for motion: it can touch something, or its mass counts for its body. */
static bool matters(const limpet_mjcf *m, const limpet_mjcf_source *source,
                    const limpet_geom_description *d) {
  if (d->contype || d->conaffinity) return true;
  const limpet_mjcf_compiler *c = &source->compiler;
  if (d->body == 0 || d->group < c->inertia_group[0] || d->group > c->inertia_group[1])
    return false;
  const bool own_inertial = limpet_builder_body(m->reader->builder, d->body)->has_inertial &&
                            c->inertia_source != LIMPET_INERTIA_FROM_GEOMS;
  if (own_inertial || c->inertia_source == LIMPET_INERTIA_GIVEN) return false;
  return isnan(d->mass) ? d->density > 0.0 : d->mass > 0.0;
}

// finds the mesh of the geom; false: the geom is to be left out
static bool take_mesh(limpet_mjcf *m, const limpet_mjcf_scope *scope, const limpet_xml_element *e,
                      geom_record *r) {
  limpet_mjcf_mesh *mesh = limpet_mjcf_mesh_find(scope->space->source, r->mesh);
  if (!mesh)
    limpet_reader_fail(m->reader, e, limpet_xml_find(e, "mesh") ? "mesh" : NULL,
                       "there is no mesh '%s' in <asset>", r->mesh);
  r->d.mesh = limpet_mjcf_mesh_handle(m, scope->space->source, mesh,
                                      matters(m, scope->space->source, &r->d));
  return !mesh->missing;
}

// finds the height field of the geom; false: the geom is to be left out
static bool take_hfield(limpet_mjcf *m, const limpet_mjcf_scope *scope, const limpet_xml_element *e,
                        geom_record *r) {
  r->d.mesh = limpet_mjcf_hfield_handle(m, scope->space->source, r->hfield, e);
  return r->d.mesh != LIMPET_NONE;
}

// finds the point cloud of the geom; false: the geom is to be left out
static bool take_cloud(limpet_mjcf *m, const limpet_mjcf_scope *scope, const limpet_xml_element *e,
                       geom_record *r) {
  r->d.density = 0.0;  // points have no volume
  const bool needed = matters(m, scope->space->source, &r->d);
  r->d.cloud =
      limpet_mjcf_cloud_handle(m, scope->space->source, e, r->cloud_file, &r->cloud, needed);
  return r->d.cloud != LIMPET_NONE;
}

// What else gives a shape does not go with a cloud; what defaults say is overruled by it.
static void become_cloud(limpet_reader *reader, const limpet_xml_element *e, geom_record *r) {
  static const char *const others[] = {"type", "size", "fromto", "mesh"};
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
    if (limpet_xml_find(e, others[i]))
      limpet_reader_fail(reader, e, others[i],
                         "a geom with 'limpet:cloud' takes no '%s': the points are its shape",
                         others[i]);
  r->type = TYPE_CLOUD;
  r->mesh = NULL;
  r->has_segment = false;
}

// ------------------------------------------------------------------------------------- geom

static geom_record geom_record_default(void) {
  geom_record r = {.d = limpet_geom_description_default(),
                   .type = TYPE_SPHERE,
                   .cloud = limpet_cloud_description_default()};
  r.d.material.impedance = limpet_impedance_default();
  r.d.mesh = LIMPET_NONE;
  return r;
}

static void take_look(limpet_reader *reader, const limpet_mjcf_source *source, geom_record *r) {
  limpet_mjcf_material *material =
      r->material ? limpet_mjcf_material_find(source, r->material) : NULL;
  if (!material) return;
  if (!r->has_rgba) memcpy(r->d.rgba, material->rgba, sizeof material->rgba);
  r->d.appearance = limpet_mjcf_look_handle(reader, source, material);
}

// visual geoms can be left out on request, unless a body needs their mass
static bool discard(const limpet_mjcf *m, const limpet_mjcf_source *source,
                    const limpet_geom_description *d) {
  return m->reader->options.discard_visual && !d->name && !matters(m, source, d);
}

/* All layers of the geom; below them the surface that its material has, where that says something
 * of surfaces. */
static void read_layers(limpet_mjcf *m, const limpet_mjcf_scope *scope, const limpet_xml_element *e,
                        geom_record *r) {
  static const char *const tags[] = {"geom", NULL}, *const material_tags[] = {"material", NULL};
  const limpet_mjcf_source *source = scope->space->source;
  const geom_record start = *r;
  limpet_mjcf_apply(m->reader, source, scope->childclass, e, tags, geom_layer, r);
  const limpet_mjcf_material *material =
      r->material ? limpet_mjcf_material_find(source, r->material) : NULL;
  if (r->material && !material)
    limpet_reader_note(m->reader, e, "material", r->material,
                       "there is no material '%.100s': the geom keeps its own colour and surface",
                       r->material);
  if (!material || !material->has_surface) return;
  *r = start;
  limpet_mjcf_apply(m->reader, source, NULL, material->element, material_tags, material_layer,
                    &r->d.material);
  limpet_mjcf_apply(m->reader, source, scope->childclass, e, tags, geom_layer, r);
}

void limpet_mjcf_geom_read(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                           const limpet_xml_element *e, int body) {
  const limpet_mjcf_source *source = scope->space->source;
  geom_record r = geom_record_default();
  limpet_geom_description *d = &r.d;
  d->name = limpet_mjcf_full_name(m, scope->space, e);
  d->body = body;
  d->place = limpet_xml_place(e, NULL);
  read_layers(m, scope, e, &r);
  if (r.cloud_file && *r.cloud_file) become_cloud(m->reader, e, &r);
  d->kind = types[r.type].kind;
  d->material.has_impedance =
      isinf(d->material.stiffness) && limpet_mjcf_impedance_differs(&d->material.impedance);

  if (r.type == TYPE_SDF)
    limpet_reader_unsupported(m->reader, e, NULL, "sdf",
                              "geoms of type sdf collide as the convex hull of their mesh");

  if (r.has_segment) place_segment(m->reader, e, &r);
  check_geom(m->reader, e, &r);
  limpet_mjcf_surface_check(m->reader, e, &d->material);
  limpet_mjcf_place_in_scope(scope, d->position, d->quaternion);
  if (r.type == TYPE_HFIELD && !take_hfield(m, scope, e, &r)) return;
  if (r.mesh && *r.mesh && !take_mesh(m, scope, e, &r)) return;
  if (r.type == TYPE_CLOUD && !take_cloud(m, scope, e, &r)) return;
  if (discard(m, source, d)) return;
  take_look(m->reader, source, &r);
  const int handle = limpet_reader_added(m->reader, limpet_builder_add_geom(m->reader->builder, d));
  limpet_mjcf_name_add(m, LIMPET_OBJECT_GEOM, d->name, handle, scope->space, e);
}
