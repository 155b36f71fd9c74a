/* format/mjcf/deformable.c: <limpet:deformable>, anywhere in the tree, and its <limpet:tie>.
 *
 * The pose is that in the body that the element stands in, or names, at the reference pose; the
 * body does not carry it. What ties name may stand later in the file, so elements are added after
 * the tree. */
#include "format/mjcf/deformable.h"

#include <math.h>
#include <string.h>

#include "format/mesh/solid.h"
#include "format/mjcf/default.h"
#include "format/mjcf/flex.h"
#include "format/mjcf/flexcomp_thin.h"
#include "format/mjcf/mesh.h"
#include "format/mjcf/name.h"
#include "format/mjcf/orientation.h"
#include "format/mjcf/surface.h"
#include "format/read/text.h"
#include "format/read/value.h"

struct limpet_mjcf_soft {
  limpet_mjcf_scope scope;
  const limpet_xml_element *element;
  int body;
  limpet_mjcf_soft *next;
};

enum { CELLS = 4, CELL_LIMIT = 200 };  // cells of a solid along each axis, if the file says nothing

void limpet_mjcf_deformable_read(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                                 const limpet_xml_element *e, int body) {
  limpet_mjcf_soft *soft = LIMPET_READER_TAKE(m->reader, limpet_mjcf_soft, 1);
  *soft = (limpet_mjcf_soft){.scope = *scope, .element = e, .body = body};
  limpet_mjcf_soft **end = &m->softs;
  while (*end) end = &(*end)->next;
  *end = soft;
}

// ------------------------------------------------------------------------------------ mesh

static void read_solid(limpet_mjcf *m, const limpet_xml_element *e, limpet_solid_kind kind) {
  double size[3], cells[3] = {CELLS, CELLS, CELLS};
  limpet_read_required(m->reader, e, "size");
  limpet_read_numbers(m->reader, e, "size", size, 3, 3);
  limpet_read_numbers(m->reader, e, "cells", cells, 3, 3);
  int count[3];
  for (int k = 0; k < 3; ++k) {
    if (!(size[k] > 0.0))
      limpet_reader_fail(m->reader, e, "size", "'size' is %g %g %g; give three positive lengths",
                         size[0], size[1], size[2]);
    if (!(cells[k] >= 1.0 && cells[k] <= CELL_LIMIT) || cells[k] != floor(cells[k]))
      limpet_reader_fail(m->reader, e, "cells",
                         "'cells' is %g %g %g; give three whole numbers from 1 to %d", cells[0],
                         cells[1], cells[2], CELL_LIMIT);
    count[k] = (int)cells[k];
  }
  if (limpet_solid_make(&m->mesh_file, kind, size, count) != LIMPET_OK)
    limpet_reader_no_memory(m->reader);
}

// Whole numbers of an attribute, `corners` for each element; NULL: it is not there.
static const int *read_corners(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                               int corners, int vertices, int *elements) {
  int count = 0;
  const double *numbers = limpet_read_array(reader, e, name, &count);
  *elements = count / corners;
  if (count == 0) return NULL;
  if (count % corners != 0)
    limpet_reader_fail(reader, e, name, "'%s' has %d numbers; give %d for each", name, count,
                       corners);
  int *list = LIMPET_READER_TAKE(reader, int, count);
  for (int i = 0; i < count; ++i) {
    if (!(numbers[i] >= 0.0 && numbers[i] < vertices) || numbers[i] != floor(numbers[i]))
      limpet_reader_fail(reader, e, name, "'%s' names vertex %g; there are %d, from 0", name,
                         numbers[i], vertices);
    list[i] = (int)numbers[i];
  }
  return list;
}

// type="direct": vertices and elements in the file itself.
static void read_direct(limpet_mjcf *m, const limpet_xml_element *e,
                        limpet_deformable_description *d) {
  limpet_reader *reader = m->reader;
  int count = 0;
  limpet_read_required(reader, e, "point");
  d->vertices = limpet_read_array(reader, e, "point", &count);
  d->vertex_count = count / 3;
  if (count % 3 != 0)
    limpet_reader_fail(reader, e, "point", "'point' has %d numbers; give three for each vertex",
                       count);
  d->tetrahedra = read_corners(reader, e, "tetrahedra", 4, d->vertex_count, &d->tetrahedron_count);
  d->faces = read_corners(reader, e, "faces", 3, d->vertex_count, &d->face_count);
  d->segments = read_corners(reader, e, "segments", 2, d->vertex_count, &d->segment_count);
}

static void read_mesh(limpet_mjcf *m, const limpet_mjcf_source *source, const limpet_xml_element *e,
                      limpet_deformable_description *d) {
  static const char *const types[] = {"mesh", "box", "ellipsoid", "direct", NULL};
  enum { MESH, BOX, ELLIPSOID, DIRECT };
  int type = MESH;
  limpet_read_choice(m->reader, e, "type", types, &type);
  limpet_read_numbers(m->reader, e, "scale", d->scale, 3, 3);
  limpet_read_number(m->reader, e, "fill_size", &d->fill_size);
  if (type == DIRECT) {
    read_direct(m, e, d);
    return;
  }
  if (type == MESH) d->file = limpet_mjcf_mesh_file(m, source, e);
  else read_solid(m, e, type == BOX ? LIMPET_SOLID_BOX : LIMPET_SOLID_ELLIPSOID);
  d->vertex_count = m->mesh_file.vertex_count, d->vertices = m->mesh_file.vertices;
  d->tetrahedron_count = m->mesh_file.tetrahedron_count, d->tetrahedra = m->mesh_file.tetrahedra;
  d->face_count = m->mesh_file.face_count, d->faces = m->mesh_file.faces;
}

// ------------------------------------------------------------------------------- shells

// shell="true": the surface alone, with a thickness; `pressure` of gas within. Ropes have segments.
static void read_shell(limpet_reader *reader, const limpet_xml_element *e,
                       limpet_deformable_description *d) {
  static const char *const only[] = {"thickness",        "membrane",    "bending",
                                     "edge_stiffness",   "pressure",    "edge_damping",
                                     "outside_pressure", "gas_exponent"};
  limpet_read_boolean(reader, e, "shell", &d->shell);
  const bool is_thin = d->shell || d->segment_count > 0;
  for (size_t k = 0; !is_thin && k < sizeof only / sizeof *only; ++k)
    if (limpet_xml_value(e, only[k]))
      limpet_reader_fail(reader, e, only[k], "'%s' is of shells; set shell=\"true\"", only[k]);
  if (!is_thin) return;
  limpet_read_required(reader, e, "thickness");
  limpet_read_number(reader, e, "thickness", &d->thickness);
  limpet_read_boolean(reader, e, "membrane", &d->membrane);
  limpet_read_boolean(reader, e, "bending", &d->bending);
  limpet_read_number(reader, e, "edge_stiffness", &d->edge_stiffness);
  limpet_read_number(reader, e, "edge_damping", &d->edge_damping);
  limpet_read_number(reader, e, "pressure", &d->gas.pressure);
  limpet_read_number(reader, e, "outside_pressure", &d->gas.outside);
  limpet_read_number(reader, e, "gas_exponent", &d->gas.exponent);
  if (d->law != limpet_elastic_law_find("linear-corotated") || d->element != LIMPET_FEM_LINEAR)
    limpet_reader_fail(reader, e, "shell",
                       "a shell has a law of its own; leave 'law' and 'element' out");
  if (d->tetrahedron_count > 0) limpet_mjcf_solid_to_shell(reader, d);
}

// ------------------------------------------------------------------------------- material

static void read_elastic(limpet_reader *reader, const limpet_xml_element *e,
                         limpet_deformable_description *d) {
  static const char *const elements[] = {"linear", "quadratic", NULL};
  const char *law = limpet_xml_value(e, "law");
  if (law && !(d->law = limpet_elastic_law_find(law)))
    limpet_reader_fail(reader, e, "law",
                       "'%s' is no elastic law; `limpet list` names them, for example "
                       "linear-corotated, corotated, neo-hookean",
                       law);
  int element = (int)d->element;
  limpet_read_choice(reader, e, "element", elements, &element);
  d->element = (limpet_fem_element)element;
  limpet_read_number(reader, e, "young", &d->youngs_modulus);
  limpet_read_number(reader, e, "poisson", &d->poissons_ratio);
  limpet_read_number(reader, e, "density", &d->density);
  limpet_read_number(reader, e, "mass_damping", &d->mass_damping);
  limpet_read_number(reader, e, "damping", &d->stiffness_damping);
}

static void read_contact(limpet_reader *reader, const limpet_xml_element *e,
                         limpet_deformable_description *d) {
  double friction[3] = {d->material.friction, d->material.friction_torsional,
                        d->material.friction_rolling};
  int contype = (int)d->contype, conaffinity = (int)d->conaffinity;
  double rgba[4];
  limpet_read_numbers(reader, e, "friction", friction, 1, 3);
  d->material.friction = friction[0], d->material.friction_torsional = friction[1];
  d->material.friction_rolling = friction[2];
  limpet_read_integer(reader, e, "contype", &contype);
  limpet_read_integer(reader, e, "conaffinity", &conaffinity);
  d->contype = (unsigned)contype, d->conaffinity = (unsigned)conaffinity;
  limpet_read_integer(reader, e, "condim", &d->condim);
  limpet_read_integer(reader, e, "priority", &d->priority);
  limpet_read_integer(reader, e, "group", &d->group);
  limpet_read_number(reader, e, "margin", &d->margin);
  limpet_read_boolean(reader, e, "gravity", &d->gravity);
  limpet_read_boolean(reader, e, "self_contact", &d->self_contact);
  limpet_read_number(reader, e, "surface_stiffness", &d->surface_stiffness);
  limpet_mjcf_surface_read(reader, e, &d->material);
  limpet_mjcf_surface_check(reader, e, &d->material);
  if (limpet_read_numbers(reader, e, "rgba", rgba, 4, 4))
    for (int i = 0; i < 4; ++i) d->rgba[i] = (float)rgba[i];
}

// ------------------------------------------------------------------------------------ ties

// The body that an element names, or that it stands in.
static int body_of(limpet_mjcf *m, const limpet_mjcf_soft *soft, const limpet_xml_element *e,
                   int standing) {
  if (!limpet_xml_find(e, "body")) return standing;
  limpet_mjcf_reference reference = limpet_mjcf_refer(m, soft->scope.space, e);
  const int body = limpet_mjcf_resolve(&reference, e, "body", LIMPET_OBJECT_BODY);
  limpet_mjcf_resolved(&reference);
  return body;
}

static void read_tie(limpet_mjcf *m, const limpet_mjcf_soft *soft, const limpet_xml_element *e,
                     int body, limpet_tie *tie) {
  limpet_reader *reader = m->reader;
  tie->body = body_of(m, soft, e, body);
  int count = 0;
  const double *vertices = limpet_read_array(reader, e, "vertices", &count);
  double box[6];
  const bool has_box = limpet_read_numbers(reader, e, "box", box, 6, 6) > 0;
  if ((count > 0) == has_box)
    limpet_reader_fail(reader, e, NULL,
                       "<limpet:tie> needs either 'vertices' (numbers from 0) or 'box' (least x y "
                       "z, largest x y z, in metres of the mesh)");
  for (int k = 0; has_box && k < 3; ++k) tie->low[k] = box[k], tie->high[k] = box[3 + k];
  int *list = LIMPET_READER_TAKE(reader, int, count + 1);
  for (int i = 0; i < count; ++i) {
    if (!(vertices[i] >= 0.0 && vertices[i] < 1e9) || vertices[i] != floor(vertices[i]))
      limpet_reader_fail(reader, e, "vertices", "'%g' is no number of a vertex", vertices[i]);
    list[i] = (int)vertices[i];
  }
  tie->vertex_count = count, tie->vertices = list;
}

static void read_ties(limpet_mjcf *m, const limpet_mjcf_soft *soft,
                      limpet_deformable_description *d) {
  int room = 0;
  for (const limpet_xml_element *e = soft->element->first; e; e = e->next) ++room;
  limpet_tie *ties = LIMPET_READER_TAKE(m->reader, limpet_tie, room + 1);
  for (const limpet_xml_element *e = soft->element->first; e; e = e->next)
    if (strcmp(e->name, "limpet:tie") == 0) read_tie(m, soft, e, d->body, &ties[d->tie_count++]);
  d->ties = ties;
}

static void add(limpet_mjcf *m, const limpet_mjcf_soft *soft) {
  const limpet_xml_element *e = soft->element;
  const limpet_mjcf_source *source = soft->scope.space->source;
  limpet_deformable_description d = limpet_deformable_description_default();
  d.name = limpet_mjcf_full_name(m, soft->scope.space, e);
  d.body = body_of(m, soft, e, soft->body);
  d.place = limpet_xml_place(e, NULL);
  limpet_read_numbers(m->reader, e, "pos", d.position, 3, 3);
  limpet_mjcf_orientation(m->reader, source, e, d.quaternion);
  limpet_mjcf_place_in_scope(&soft->scope, d.position, d.quaternion);
  read_elastic(m->reader, e, &d);
  read_contact(m->reader, e, &d);
  read_ties(m, soft, &d);
  read_mesh(m, source, e, &d);
  read_shell(m->reader, e, &d);
  limpet_mjcf_flex_add(m, soft->scope.space, e, &d);
  limpet_mesh_file_free(&m->mesh_file);
}

void limpet_mjcf_deformables_add(limpet_mjcf *m) {
  for (const limpet_mjcf_soft *soft = m->softs; soft; soft = soft->next) add(m, soft);
  limpet_mjcf_flexes_add(m);
}
