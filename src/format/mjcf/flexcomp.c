/* format/mjcf/flexcomp.c: <flexcomp> as a deformable body; ropes and cloth: flexcomp_thin.c.
 *
 * What differs from MuJoCo: elements are those of limpet/fem.h and not its edges and strains; a
 * box, an ellipsoid and a closed mesh without an origin are filled with tetrahedra, where MuJoCo
 * joins the surface to one point in the middle; the body does not hang on the body that the element
 * stands in, but pinned vertices do; the radius becomes a margin of contact.
 *   density = mass/volume,  size = (count - 1) spacing/2
 * Source: MuJoCo documentation, XML reference, flexcomp. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/mesh/solid.h"
#include "format/mjcf/deformable.h"
#include "format/mjcf/flex.h"
#include "format/mjcf/flexcomp_thin.h"
#include "format/mjcf/mesh.h"
#include "format/mjcf/name.h"
#include "format/mjcf/orientation.h"
#include "format/read/text.h"
#include "format/read/value.h"
#include "math/vec3.h"

enum {
  TYPE_GRID,
  TYPE_BOX,
  TYPE_CYLINDER,
  TYPE_ELLIPSOID,
  TYPE_SQUARE,
  TYPE_DISC,
  TYPE_CIRCLE,
  TYPE_MESH,
  TYPE_GMSH,
  TYPE_DIRECT
};
static const char *const types[] = {"grid",   "box",  "cylinder", "ellipsoid", "square", "disc",
                                    "circle", "mesh", "gmsh",     "direct",    NULL};

static int type_of(limpet_reader *reader, const limpet_xml_element *e) {
  int type = TYPE_GRID;
  limpet_read_choice(reader, e, "type", types, &type);
  return type;
}

static const limpet_xml_element *child(const limpet_xml_element *e, const char *name) {
  for (const limpet_xml_element *c = e->first; c; c = c->next)
    if (strcmp(c->name, name) == 0) return c;
  return NULL;
}

// What kind of body a flexcomp makes.
typedef struct flexcomp_kind {
  int type, dim;
  bool rigid;  // all vertices stay where they are in the body
  bool cage;   // a closed surface that moves with a cage: here the solid within it
  bool flat;   // a sheet that moves with a cage
} flexcomp_kind;

// A Gmsh file knows itself whether it has tetrahedra.
static int dim_of_file(limpet_mjcf *m, const limpet_mjcf_source *source,
                       const limpet_xml_element *e) {
  limpet_mjcf_mesh_file(m, source, e);
  const int dim = m->mesh_file.tetrahedron_count > 0 ? 3 : 2;
  limpet_mesh_file_free(&m->mesh_file);
  return dim;
}

static flexcomp_kind kind_of(limpet_mjcf *m, const limpet_mjcf_source *source,
                             const limpet_xml_element *e) {
  limpet_reader *reader = m->reader;
  flexcomp_kind kind = {.type = type_of(reader, e), .dim = 2};
  if (kind.type == TYPE_GMSH && !limpet_xml_find(e, "dim")) kind.dim = dim_of_file(m, source, e);
  limpet_read_integer(reader, e, "dim", &kind.dim);
  if (kind.dim < 1 || kind.dim > 3)
    limpet_reader_fail(reader, e, "dim", "'dim' is %d; give 1 (rope), 2 (cloth) or 3 (solid)",
                       kind.dim);
  limpet_read_boolean(reader, e, "rigid", &kind.rigid);
  const char *dof = limpet_xml_value(e, "dof");
  const bool caged = dof && (strcmp(dof, "trilinear") == 0 || strcmp(dof, "quadratic") == 0);
  const bool closed = kind.type == TYPE_MESH || kind.type == TYPE_GMSH || kind.type == TYPE_BOX ||
                      kind.type == TYPE_ELLIPSOID;
  kind.cage = kind.dim == 2 && caged && !kind.rigid && closed;
  kind.flat = kind.dim == 2 && caged && !kind.rigid && !closed;
  if (!kind.cage) return kind;
  kind.dim = 3;
  limpet_reader_unsupported(reader, e, "dof", "flexcomp with a cage",
                            "a surface that moves with a cage is simulated as the solid within it");
  return kind;
}

// NULL: it is a deformable body or a geom; else why it is left out.
static const char *missing(const flexcomp_kind *kind) {
  const int type = kind->type;
  const bool flat = type == TYPE_GRID || type == TYPE_SQUARE || type == TYPE_DISC;
  if (kind->dim == 1 && type != TYPE_GRID && type != TYPE_CIRCLE && type != TYPE_DIRECT)
    return "this type of dim 1 is not simulated: use grid, circle or direct";
  if (kind->dim == 2 && (type == TYPE_CYLINDER || type == TYPE_CIRCLE))
    return "this type of dim 2 is not simulated: use grid, square, disc, box, ellipsoid, mesh, "
           "gmsh or direct";
  if (kind->flat) return "a sheet that moves with a cage is not simulated";
  if (kind->dim < 3 && kind->rigid && (kind->dim == 1 || flat))
    return "a rigid rope or sheet is not simulated: use geoms";
  if (kind->dim == 3 &&
      (type == TYPE_CYLINDER || type == TYPE_SQUARE || type == TYPE_DISC || type == TYPE_CIRCLE))
    return "this type of dim 3 is not simulated: use grid, box, ellipsoid, mesh, gmsh or direct";
  return NULL;
}

// ------------------------------------------------------------------------------------ mesh

static void read_solid(limpet_mjcf *m, const limpet_xml_element *e, int type) {
  double count[3] = {10.0, 10.0, 10.0}, spacing[3] = {0.02, 0.02, 0.02}, size[3];
  int cells[3];
  limpet_read_numbers(m->reader, e, "count", count, 3, 3);
  limpet_read_numbers(m->reader, e, "spacing", spacing, 3, 3);
  for (int k = 0; k < 3; ++k) {
    if (!(count[k] >= 2.0 && count[k] <= 200.0) || !(spacing[k] > 0.0))
      limpet_reader_fail(m->reader, e, "count",
                         "a flexcomp of dim 3 has 'count' %g %g %g and 'spacing' %g %g %g; give "
                         "counts from 2 to 200 and positive spacings",
                         count[0], count[1], count[2], spacing[0], spacing[1], spacing[2]);
    cells[k] = (int)count[k] - 1;
    size[k] = 0.5 * cells[k] * spacing[k];
  }
  const limpet_solid_kind kind = type == TYPE_ELLIPSOID ? LIMPET_SOLID_ELLIPSOID : LIMPET_SOLID_BOX;
  if (limpet_solid_make(&m->mesh_file, kind, size, cells) != LIMPET_OK)
    limpet_reader_no_memory(m->reader);
}

static void read_direct(limpet_mjcf *m, const limpet_xml_element *e,
                        limpet_deformable_description *d) {
  int numbers = 0, corners = 0;
  d->vertices = limpet_read_array(m->reader, e, "point", &numbers);
  const double *element = limpet_read_array(m->reader, e, "element", &corners);
  int *tetrahedra = LIMPET_READER_TAKE(m->reader, int, corners + 1);
  if (numbers % 3 != 0 || corners % 4 != 0 || corners == 0)
    limpet_reader_fail(m->reader, e, NULL,
                       "a flexcomp of type direct and dim 3 has %d numbers in 'point' and %d in "
                       "'element'; it takes three for each point and four for each element",
                       numbers, corners);
  for (int i = 0; i < corners; ++i) {
    if (!(element[i] >= 0.0 && element[i] < (double)(numbers / 3)) ||
        element[i] != floor(element[i]))
      limpet_reader_fail(m->reader, e, "element", "element %d names point %g, but there are %d",
                         i / 4, element[i], numbers / 3);
    tetrahedra[i] = (int)element[i];
  }
  d->vertex_count = numbers / 3, d->tetrahedron_count = corners / 4, d->tetrahedra = tetrahedra;
}

// With an origin each triangle and that point, the last vertex, make a tetrahedron, as in MuJoCo.
static void join_to_origin(limpet_reader *reader, const limpet_xml_element *e,
                           limpet_deformable_description *d) {
  double origin[3];
  if (d->tetrahedron_count > 0 || !limpet_read_numbers(reader, e, "origin", origin, 3, 3)) return;
  const int n = d->vertex_count;
  double *vertices = LIMPET_READER_TAKE(reader, double, 3 * (n + 1));
  int *tetrahedra = LIMPET_READER_TAKE(reader, int, 4 * d->face_count + 1);
  memcpy(vertices, d->vertices, 3 * (size_t)n * sizeof *vertices);
  limpet_vec3_copy(vertices + 3 * n, origin);
  for (int f = 0; f < d->face_count; ++f) {
    for (int k = 0; k < 3; ++k) tetrahedra[4 * f + k] = d->faces[3 * f + k];
    tetrahedra[4 * f + 3] = n;
  }
  d->vertex_count = n + 1, d->vertices = vertices;
  d->tetrahedron_count = d->face_count, d->tetrahedra = tetrahedra;
}

static void read_mesh(limpet_mjcf *m, const limpet_mjcf_source *source, const limpet_xml_element *e,
                      int type, limpet_deformable_description *d) {
  limpet_read_numbers(m->reader, e, "scale", d->scale, 3, 3);
  if (type == TYPE_DIRECT) {
    read_direct(m, e, d);
    return;
  }
  if (type == TYPE_MESH || type == TYPE_GMSH) limpet_mjcf_mesh_file(m, source, e);
  else read_solid(m, e, type);
  d->vertex_count = m->mesh_file.vertex_count, d->vertices = m->mesh_file.vertices;
  d->tetrahedron_count = m->mesh_file.tetrahedron_count, d->tetrahedra = m->mesh_file.tetrahedra;
  d->face_count = m->mesh_file.face_count, d->faces = m->mesh_file.faces;
  if (type == TYPE_MESH) join_to_origin(m->reader, e, d);
}

// [m^3]  of the tetrahedra, or within the faces.
static double volume_of(const limpet_deformable_description *d) {
  const bool solid = d->tetrahedron_count > 0;
  const int count = solid ? d->tetrahedron_count : d->face_count, corners = solid ? 4 : 3;
  const int *index = solid ? d->tetrahedra : d->faces;
  double sum = 0.0;
  for (int i = 0; i < count; ++i, index += corners) {
    double x[4][3] = {{0.0}}, a[3], b[3], c[3], n[3];
    for (int k = 0; k < corners; ++k)
      for (int j = 0; j < 3; ++j) x[k][j] = d->scale[j] * d->vertices[3 * index[k] + j];
    limpet_vec3_sub(a, x[0], x[3]), limpet_vec3_sub(b, x[1], x[3]), limpet_vec3_sub(c, x[2], x[3]);
    limpet_vec3_cross(n, b, c);
    const double six = limpet_vec3_dot(a, n);
    sum += (solid ? fabs(six) : six) / 6.0;
  }
  return fabs(sum);
}

// ------------------------------------------------------------------------------- material

static void read_elasticity(limpet_reader *reader, const limpet_xml_element *e,
                            limpet_deformable_description *d) {
  const limpet_xml_element *elasticity = child(e, "elasticity");
  d->poissons_ratio = 0.0;
  if (elasticity) {
    limpet_read_number(reader, elasticity, "young", &d->youngs_modulus);
    limpet_read_number(reader, elasticity, "poisson", &d->poissons_ratio);
    limpet_read_number(reader, elasticity, "damping", &d->stiffness_damping);
    return;
  }
  limpet_reader_unsupported(reader, e, NULL, "flexcomp without elasticity",
                            "a flexcomp without <elasticity> is held by its edges in MuJoCo: it is "
                            "simulated with E = %g Pa; give it an <elasticity>",
                            d->youngs_modulus);
}

static void read_contact(limpet_reader *reader, const limpet_xml_element *contact,
                         limpet_deformable_description *d) {
  double friction[3] = {d->material.friction, d->material.friction_torsional,
                        d->material.friction_rolling},
         margin = 0.0;
  int contype = (int)d->contype, conaffinity = (int)d->conaffinity;
  limpet_read_numbers(reader, contact, "friction", friction, 1, 3);
  d->material.friction = friction[0], d->material.friction_torsional = friction[1];
  d->material.friction_rolling = friction[2];
  limpet_read_integer(reader, contact, "contype", &contype);
  limpet_read_integer(reader, contact, "conaffinity", &conaffinity);
  limpet_read_integer(reader, contact, "condim", &d->condim);
  limpet_read_integer(reader, contact, "priority", &d->priority);
  limpet_read_number(reader, contact, "margin", &margin);
  d->contype = (unsigned)contype, d->conaffinity = (unsigned)conaffinity;
  d->margin += margin;
}

// MuJoCo's default is that a flex meets itself.
static void read_self_contact(limpet_reader *reader, const limpet_xml_element *e,
                              limpet_deformable_description *d) {
  static const char *const self[] = {"none", "narrow", "bvh", "sap", "auto", NULL};
  const limpet_xml_element *contact = child(e, "contact");
  int selfcollide = 0;
  if (contact && limpet_read_choice(reader, contact, "selfcollide", self, &selfcollide))
    d->self_contact = selfcollide != 0;
  else if (d->contype & d->conaffinity)
    limpet_reader_unsupported(reader, e, NULL, "flex without selfcollide",
                              "this <%s> does not meet itself, which it does in MuJoCo by default: "
                              "give its <contact> selfcollide=\"auto\" or \"none\"",
                              e->name);
}

void limpet_mjcf_flexcomp_surface(limpet_reader *reader, const limpet_xml_element *e,
                                  limpet_deformable_description *d) {
  double rgba[4], radius = 0.005;
  limpet_read_number(reader, e, "radius", &radius);
  d->margin = radius;
  limpet_read_integer(reader, e, "group", &d->group);
  if (limpet_read_numbers(reader, e, "rgba", rgba, 4, 4))
    for (int i = 0; i < 4; ++i) d->rgba[i] = (float)rgba[i];
  const limpet_xml_element *contact = child(e, "contact");
  if (contact) read_contact(reader, contact, d);
  read_self_contact(reader, e, d);
}

// ------------------------------------------------------------------------------------ pins

typedef struct pin_list {
  int count;
  int *vertex;  // (3 a vertex of the mesh at most)
  int limit;    // vertices of the mesh
} pin_list;

static void pin(limpet_reader *reader, const limpet_xml_element *e, pin_list *pins, double number) {
  if (!(number >= 0.0 && number < pins->limit) || number != floor(number))
    limpet_reader_fail(reader, e, NULL, "<pin> names vertex %g, but there are %d", number,
                       pins->limit);
  for (int i = 0; i < pins->count; ++i)
    if (pins->vertex[i] == (int)number) return;
  pins->vertex[pins->count++] = (int)number;
}

// Points of a grid are numbered with the last axis fastest, as MuJoCo's.
static double grid_number(const double count[3], const double at[3], int dim) {
  if (dim == 1) return at[0];
  if (dim == 2) return at[0] * count[1] + at[1];
  return (at[0] * count[1] + at[1]) * count[2] + at[2];
}

static void read_pin(limpet_reader *reader, const limpet_xml_element *flexcomp, int dim,
                     const limpet_xml_element *e, pin_list *pins) {
  double count[3] = {10.0, 10.0, 10.0};
  limpet_read_numbers(reader, flexcomp, "count", count, 3, 3);
  int n = 0;
  const double *id = limpet_read_array(reader, e, "id", &n);
  for (int i = 0; i < n; ++i) pin(reader, e, pins, id[i]);
  const double *range = limpet_read_array(reader, e, "range", &n);
  for (int i = 0; i + 1 < n; i += 2)
    for (double k = range[i]; k <= range[i + 1]; k += 1.0) pin(reader, e, pins, k);
  const double *grid = limpet_read_array(reader, e, "grid", &n);
  for (int i = 0; i + dim - 1 < n; i += dim) {
    double at[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < dim; ++k) at[k] = grid[i + k];
    pin(reader, e, pins, grid_number(count, at, dim));
  }
  const double *box = limpet_read_array(reader, e, "gridrange", &n);
  for (int i = 0; i + 2 * dim - 1 < n; i += 2 * dim) {
    double low[3] = {0.0, 0.0, 0.0}, high[3] = {0.0, 0.0, 0.0}, at[3];
    for (int k = 0; k < dim; ++k) low[k] = box[i + k], high[k] = box[i + dim + k];
    for (at[0] = low[0]; at[0] <= high[0]; at[0] += 1.0)
      for (at[1] = low[1]; at[1] <= high[1]; at[1] += 1.0)
        for (at[2] = low[2]; at[2] <= high[2]; at[2] += 1.0)
          pin(reader, e, pins, grid_number(count, at, dim));
  }
}

static void read_pins(limpet_mjcf *m, const limpet_xml_element *e, const flexcomp_kind *kind,
                      int body, limpet_deformable_description *d) {
  pin_list pins = {.vertex = LIMPET_READER_TAKE(m->reader, int, d->vertex_count + 1),
                   .limit = d->vertex_count};
  for (const limpet_xml_element *c = e->first; c; c = c->next)
    if (strcmp(c->name, "pin") == 0 && !kind->cage) read_pin(m->reader, e, kind->dim, c, &pins);
  for (int i = 0; kind->rigid && i < pins.limit; ++i) pin(m->reader, e, &pins, i);
  if (pins.count == 0) return;
  limpet_tie *tie = LIMPET_READER_TAKE(m->reader, limpet_tie, 1);
  *tie = (limpet_tie){.body = body, .vertex_count = pins.count, .vertices = pins.vertex};
  d->ties = tie, d->tie_count = 1;
}

static const double cells_across = 8.0;  // of the longest side of what a cage moves

/* The surface that a cage moves, as what is filled: MuJoCo's cage has one to three cells across,
 * and eight tell its shape. Cages are of soft things that flatten where they land: the law is one
 * that no load turns inside out. */
static void fill_cage(limpet_reader *reader, const limpet_xml_element *e,
                      limpet_deformable_description *d) {
  const int holes = limpet_mjcf_close_holes(reader, d);
  if (holes > 0)
    limpet_reader_note(reader, e, "file", "holes",
                       "%d holes of this surface are closed by triangles", holes);
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < 3 * d->vertex_count; ++i) {
    const double x = d->scale[i % 3] * d->vertices[i];
    low[i % 3] = fmin(low[i % 3], x), high[i % 3] = fmax(high[i % 3], x);
  }
  for (int k = 0; k < 3; ++k) d->fill_size = fmax(d->fill_size, (high[k] - low[k]) / cells_across);
}

static void read_elements(limpet_mjcf *m, const limpet_mjcf_source *source,
                          const limpet_xml_element *e, const flexcomp_kind *kind,
                          limpet_deformable_description *d) {
  double mass = 1.0;
  limpet_read_number(m->reader, e, "mass", &mass);
  if (kind->dim == 3) read_mesh(m, source, e, kind->type, d);
  else limpet_mjcf_flexcomp_thin_mesh(m, source, e, types[kind->type], kind->dim, d);
  if (kind->cage) d->law = limpet_elastic_law_find("neo-hookean-log");
  if (kind->cage && d->tetrahedron_count == 0) fill_cage(m->reader, e, d);
  limpet_mjcf_flexcomp_material(m->reader, e, kind->dim, mass, kind->rigid, d);
}

typedef struct edge {
  int vertex[2];  // the lower one first
} edge;

static int edge_order(const void *one, const void *other) {
  const int *a = ((const edge *)one)->vertex, *b = ((const edge *)other)->vertex;
  return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : a[1] < b[1] ? -1 : a[1] > b[1];
}

// [m^2]  Squares of the lengths of all edges of the tetrahedra, each edge once.
static double squares_of_edges(limpet_reader *reader, const limpet_deformable_description *d) {
  static const int ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  const int count = 6 * d->tetrahedron_count;
  edge *edges = LIMPET_READER_TAKE(reader, edge, count + 1);
  for (int i = 0; i < count; ++i) {
    const int *corner = d->tetrahedra + 4 * (i / 6);
    const int a = corner[ends[i % 6][0]], b = corner[ends[i % 6][1]];
    edges[i] = (edge){{a < b ? a : b, a < b ? b : a}};
  }
  qsort(edges, (size_t)count, sizeof *edges, edge_order);
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    if (i > 0 && edge_order(edges + i - 1, edges + i) == 0) continue;
    for (int k = 0; k < 3; ++k) {
      const double way = d->scale[k] * (d->vertices[3 * edges[i].vertex[1] + k] -
                                        d->vertices[3 * edges[i].vertex[0] + k]);
      sum += way * way;
    }
  }
  return sum;
}

/* Dampers c along the edges of a solid, as Rayleigh damping of the same viscosity in shear: edges
 * in all directions n resist a rate of strain e by c l (n.e n) along each, whose power is
 * c sum l^2 (n.e n)^2, in the mean over directions c sum l^2 (2 e:e + tr(e)^2)/15. So the
 * viscosity is c sum l^2/(15 V) [Pa s], and beta mu is to be that. */
static void read_edge_damping(limpet_reader *reader, const limpet_xml_element *e, double volume,
                              limpet_deformable_description *d) {
  double damping = 0.0;
  if (e) limpet_read_number(reader, e, "damping", &damping);
  if (!(damping > 0.0)) return;
  if (d->tetrahedron_count == 0) {
    limpet_reader_unsupported(reader, e, "damping", "edge damping of a filled surface",
                              "dampers along the edges of a surface that is filled are left out; "
                              "give its <elasticity> a damping");
    return;
  }
  const double mu = 0.5 * d->youngs_modulus / (1.0 + d->poissons_ratio);
  if (volume > 0.0 && mu > 0.0)
    d->stiffness_damping += damping * squares_of_edges(reader, d) / (15.0 * volume * mu);
}

void limpet_mjcf_flexcomp_material(limpet_reader *reader, const limpet_xml_element *e, int dim,
                                   double mass, bool loose, limpet_deformable_description *d) {
  if (dim < 3) {
    limpet_mjcf_flexcomp_thin_material(reader, e, child(e, "elasticity"), child(e, "edge"), mass,
                                       loose, d);
    return;
  }
  read_elasticity(reader, e, d);
  const double volume = volume_of(d);
  if (volume > 0.0) d->density = mass / volume;
  read_edge_damping(reader, child(e, "edge"), volume, d);
}

// A rigid surface: a geom of its mesh without mass.
static void add_rigid(limpet_mjcf *m, const limpet_mjcf_scope *scope, const limpet_xml_element *e,
                      const limpet_deformable_description *d) {
  limpet_mesh_description mesh = limpet_mesh_description_default();
  mesh.name = d->name ? limpet_reader_join(m->reader, d->name, "", "_surface") : NULL;
  mesh.place = d->place;
  mesh.vertex_count = d->vertex_count, mesh.vertices = d->vertices;
  mesh.face_count = d->face_count, mesh.faces = d->faces;
  memcpy(mesh.scale, d->scale, sizeof mesh.scale);
  limpet_geom_description geom = limpet_geom_description_default();
  geom.name = d->name, geom.place = d->place, geom.body = d->body;
  geom.kind = LIMPET_SHAPE_MESH;
  geom.mesh = limpet_reader_added(m->reader, limpet_builder_add_mesh(m->reader->builder, &mesh));
  geom.mass = 0.0;
  memcpy(geom.position, d->position, sizeof geom.position);
  memcpy(geom.quaternion, d->quaternion, sizeof geom.quaternion);
  geom.material = d->material, geom.condim = d->condim, geom.priority = d->priority;
  geom.contype = d->contype, geom.conaffinity = d->conaffinity;
  geom.margin = d->margin, geom.group = d->group;
  memcpy(geom.rgba, d->rgba, sizeof geom.rgba);
  const int handle =
      limpet_reader_added(m->reader, limpet_builder_add_geom(m->reader->builder, &geom));
  limpet_mjcf_name_add(m, LIMPET_OBJECT_GEOM, d->name, handle, scope->space, e);
}

bool limpet_mjcf_flexcomp_add(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                              const limpet_xml_element *e, int body) {
  const limpet_mjcf_source *source = scope->space->source;
  const flexcomp_kind kind = kind_of(m, source, e);
  const char *reason = missing(&kind);
  if (reason) {
    limpet_reader_unsupported(m->reader, e, NULL, reason, "%s: the flexcomp is left out", reason);
    return false;
  }
  limpet_deformable_description d = limpet_deformable_description_default();
  d.name = limpet_mjcf_full_name(m, scope->space, e);
  d.body = body;
  d.place = limpet_xml_place(e, NULL);
  limpet_read_numbers(m->reader, e, "pos", d.position, 3, 3);
  limpet_mjcf_orientation(m->reader, source, e, d.quaternion);
  limpet_mjcf_place_in_scope(scope, d.position, d.quaternion);
  limpet_mjcf_flexcomp_surface(m->reader, e, &d);
  read_elements(m, source, e, &kind, &d);
  if (kind.rigid && kind.dim == 2) {
    add_rigid(m, scope, e, &d);
  } else {
    read_pins(m, e, &kind, body, &d);
    const int handle = limpet_mjcf_flex_add(m, scope->space, e, &d);
    // vertices that bodies of MuJoCo are named after
    if (kind.type == TYPE_GRID || kind.type == TYPE_CIRCLE || kind.type == TYPE_DIRECT)
      limpet_mjcf_flex_number(m, handle, d.vertex_count);
  }
  limpet_mesh_file_free(&m->mesh_file);
  return true;
}
