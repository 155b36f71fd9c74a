/* format/mjcf/flexcomp_thin.c: <flexcomp> of dim 1 and 2: ropes and cloth.
 *
 *   points   grid: (i - (count - 1)/2) spacing along each axis; circle: `count` points with sides
 * of `spacing`; square as grid, disc: a grid drawn to a circle; box, ellipsoid: the surface of the
 * solid; mesh: faces of the file; direct: as given, without points that no element names elastic
 * stretch: membrane, bend: hinges, both (E, nu, thickness); edges: springs and dampers along all
 * edges; edges that MuJoCo holds by constraints are springs that the whole weight makes `longer` by
 * a thousandth density  mass over what the shell or rope has as volume Source: MuJoCo
 * documentation, XML reference, flexcomp; formulas: src/fem/thin.h. */
#include "format/mjcf/flexcomp_thin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/mesh/solid.h"
#include "format/mjcf/mesh.h"
#include "format/read/text.h"
#include "format/read/value.h"
#include "math/vec3.h"

static const double pi = 3.14159265358979323846;
static const double longer = 1e-3;   // [-]  of an edge under the weight
static const double gravity = 9.81;  // [m/s^2]
enum { MOST = 2000 };                // points along an axis

typedef struct grid {
  int count[2];
  double spacing[2];  // [m]
} grid;

static grid read_grid(limpet_mjcf *m, const limpet_xml_element *e, int dim) {
  double count[3] = {10.0, 10.0, 10.0}, spacing[3] = {0.02, 0.02, 0.02};
  limpet_read_numbers(m->reader, e, "count", count, 3, 3);
  limpet_read_numbers(m->reader, e, "spacing", spacing, 3, 3);
  for (int k = 0; k < dim; ++k)
    if (!(count[k] >= 2.0 && count[k] <= MOST) || !(spacing[k] > 0.0))
      limpet_reader_fail(m->reader, e, "count",
                         "a flexcomp of dim %d has 'count' %g %g %g and 'spacing' %g %g %g; give "
                         "counts from 2 to %d and positive spacings",
                         dim, count[0], count[1], count[2], spacing[0], spacing[1], spacing[2],
                         MOST);
  return (grid){{(int)count[0], (int)count[1]}, {spacing[0], spacing[1]}};
}

// ------------------------------------------------------------------------------------ ropes

static void make_rope(limpet_mjcf *m, const limpet_xml_element *e, bool closed,
                      limpet_deformable_description *d) {
  const grid g = read_grid(m, e, 1);
  const int n = g.count[0];
  double *x = LIMPET_READER_TAKE(m->reader, double, 3 * n);
  int *segment = LIMPET_READER_TAKE(m->reader, int, 2 * n);
  const double radius = 0.5 * g.spacing[0] / sin(pi / n);
  for (int i = 0; i < n; ++i) {
    const double angle = 2.0 * pi * i / n;
    x[3 * i] = closed ? radius * cos(angle) : (i - 0.5 * (n - 1)) * g.spacing[0];
    x[3 * i + 1] = closed ? radius * sin(angle) : 0.0;
    x[3 * i + 2] = 0.0;
    segment[2 * i] = i, segment[2 * i + 1] = (i + 1) % n;
  }
  d->vertex_count = n, d->vertices = x;
  d->segment_count = closed ? n : n - 1, d->segments = segment;
}

// ------------------------------------------------------------------------------------ cloth

// A point of the square (u, v in -1 to 1) drawn to the circle.
static void to_disc(double *x, const double half[2]) {
  const double u = x[0] / half[0], v = x[1] / half[1], size = hypot(u, v);
  const double scale = size > 0.0 ? fmax(fabs(u), fabs(v)) / size : 1.0;
  x[0] *= scale, x[1] *= scale;
}

static void make_sheet(limpet_mjcf *m, const limpet_xml_element *e, bool disc,
                       limpet_deformable_description *d) {
  const grid g = read_grid(m, e, 2);
  const int nx = g.count[0], ny = g.count[1];
  const double half[2] = {0.5 * (nx - 1) * g.spacing[0], 0.5 * (ny - 1) * g.spacing[1]};
  double *x = LIMPET_READER_TAKE(m->reader, double, 3 * nx * ny);
  int *face = LIMPET_READER_TAKE(m->reader, int, 6 * (nx - 1) * (ny - 1)), *to = face;
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j) {
      double *at = x + 3 * (i * ny + j);
      at[0] = i * g.spacing[0] - half[0], at[1] = j * g.spacing[1] - half[1], at[2] = 0.0;
      if (disc) to_disc(at, half);
      if (i == nx - 1 || j == ny - 1) continue;
      // the diagonal of a disc runs outwards, so that no triangle at its rim is flat
      const int a = i * ny + j, b = a + ny, c = b + 1, e4 = a + 1;
      const bool other = disc && (2 * i < nx - 1) != (2 * j < ny - 1);
      const int pieces[6] = {a, b, other ? e4 : c, other ? b : a, c, e4};
      memcpy(to, pieces, sizeof pieces), to += 6;
    }
  d->vertex_count = nx * ny, d->vertices = x;
  d->face_count = 2 * (nx - 1) * (ny - 1), d->faces = face, d->shell = true;
}

// A face of a tetrahedron: its corners as seen from outside, and sorted.
typedef struct solid_face {
  int sorted[3], seen[3];
} solid_face;

static int compare_faces(const void *a, const void *b) {
  const solid_face *x = a, *y = b;
  for (int k = 0; k < 3; ++k)
    if (x->sorted[k] != y->sorted[k]) return x->sorted[k] < y->sorted[k] ? -1 : 1;
  return 0;
}

static void sort_three(int v[3]) {
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 2 - i; ++k)
      if (v[k] > v[k + 1]) {
        const int t = v[k];
        v[k] = v[k + 1], v[k + 1] = t;
      }
}

// Faces that one tetrahedron alone has. Returns how many.
static int outer_faces(solid_face *all, const int *tetrahedra, int count, int *faces) {
  static const int corner[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  int kept = 0;
  for (int i = 0; i < 4 * count; ++i) {
    for (int k = 0; k < 3; ++k)
      all[i].seen[k] = all[i].sorted[k] = tetrahedra[4 * (i / 4) + corner[i % 4][k]];
    sort_three(all[i].sorted);
  }
  qsort(all, 4 * (size_t)count, sizeof *all, compare_faces);
  for (int i = 0; i < 4 * count; ++i) {
    const bool before = i > 0 && compare_faces(&all[i - 1], &all[i]) == 0,
               after = i + 1 < 4 * count && compare_faces(&all[i], &all[i + 1]) == 0;
    if (before || after) continue;
    memcpy(faces + 3 * kept++, all[i].seen, 3 * sizeof *faces);
  }
  return kept;
}

// Vertices that faces name, in their order, in the place of all.
static void drop_unused(limpet_reader *reader, limpet_deformable_description *d, int *faces) {
  int *number = LIMPET_READER_TAKE(reader, int, d->vertex_count + 1), kept = 0;
  double *x = LIMPET_READER_TAKE(reader, double, 3 * d->vertex_count + 1);
  for (int i = 0; i < d->vertex_count; ++i) number[i] = 0;
  for (int i = 0; i < 3 * d->face_count; ++i) number[faces[i]] = 1;
  for (int i = 0; i < d->vertex_count; ++i) {
    if (!number[i]) continue;
    limpet_vec3_copy(x + 3 * kept, d->vertices + 3 * i);
    number[i] = kept++;
  }
  for (int i = 0; i < 3 * d->face_count; ++i) faces[i] = number[faces[i]];
  d->vertex_count = kept, d->vertices = x;
}

void limpet_mjcf_solid_to_shell(limpet_reader *reader, limpet_deformable_description *d) {
  const int solids = d->tetrahedron_count;
  solid_face *all = LIMPET_READER_TAKE(reader, solid_face, 4 * solids + 1);
  int *faces = LIMPET_READER_TAKE(reader, int, 12 * solids + 1);
  d->face_count = outer_faces(all, d->tetrahedra, solids, faces);
  d->faces = faces, d->shell = true;
  d->tetrahedron_count = 0, d->tetrahedra = NULL;
  drop_unused(reader, d, faces);
}

static void make_surface(limpet_mjcf *m, const limpet_xml_element *e, limpet_solid_kind kind,
                         limpet_deformable_description *d) {
  double count[3] = {10.0, 10.0, 10.0}, spacing[3] = {0.02, 0.02, 0.02}, size[3];
  int cells[3];
  limpet_read_numbers(m->reader, e, "count", count, 3, 3);
  limpet_read_numbers(m->reader, e, "spacing", spacing, 3, 3);
  for (int k = 0; k < 3; ++k) {
    if (!(count[k] >= 2.0 && count[k] <= 30.0) || !(spacing[k] > 0.0))
      limpet_reader_fail(m->reader, e, "count",
                         "the surface of a box or ellipsoid has 'count' %g %g %g; give counts from "
                         "2 to 30 and positive spacings",
                         count[0], count[1], count[2]);
    cells[k] = (int)count[k] - 1, size[k] = 0.5 * cells[k] * spacing[k];
  }
  if (limpet_solid_make(&m->mesh_file, kind, size, cells) != LIMPET_OK)
    limpet_reader_no_memory(m->reader);
  d->vertex_count = m->mesh_file.vertex_count, d->vertices = m->mesh_file.vertices;
  d->tetrahedron_count = m->mesh_file.tetrahedron_count, d->tetrahedra = m->mesh_file.tetrahedra;
  limpet_mjcf_solid_to_shell(m->reader, d);
}

void limpet_mjcf_drop_unused(limpet_reader *reader, limpet_deformable_description *d) {
  int *faces = LIMPET_READER_TAKE(reader, int, 3 * d->face_count + 1);
  memcpy(faces, d->faces, 3 * (size_t)d->face_count * sizeof *faces);
  d->faces = faces;
  drop_unused(reader, d, faces);
}

static bool has_child(const limpet_xml_element *e, const char *name) {
  for (const limpet_xml_element *c = e->first; c; c = c->next)
    if (strcmp(c->name, name) == 0) return true;
  return false;
}

static void make_direct(limpet_mjcf *m, const limpet_xml_element *e, int dim,
                        limpet_deformable_description *d) {
  int numbers = 0, corners = 0;
  d->vertices = limpet_read_array(m->reader, e, "point", &numbers);
  const double *element = limpet_read_array(m->reader, e, "element", &corners);
  int *index = LIMPET_READER_TAKE(m->reader, int, corners + 1);
  if (numbers % 3 != 0 || corners % (dim + 1) != 0 || corners == 0)
    limpet_reader_fail(m->reader, e, NULL,
                       "a flexcomp of type direct and dim %d has %d numbers in 'point' and %d in "
                       "'element'; it takes three for each point and %d for each element",
                       dim, numbers, corners, dim + 1);
  for (int i = 0; i < corners; ++i) {
    if (!(element[i] >= 0.0 && element[i] < (double)(numbers / 3)) ||
        element[i] != floor(element[i]))
      limpet_reader_fail(m->reader, e, "element", "element %d names point %g, but there are %d",
                         i / (dim + 1), element[i], numbers / 3);
    index[i] = (int)element[i];
  }
  d->vertex_count = numbers / 3;
  if (dim == 1) d->segment_count = corners / 2, d->segments = index;
  else d->face_count = corners / 3, d->faces = index, d->shell = true;
  if (dim == 2 && !has_child(e, "pin")) drop_unused(m->reader, d, index);
}

static void make_from_file(limpet_mjcf *m, const limpet_mjcf_source *source,
                           const limpet_xml_element *e, limpet_deformable_description *d) {
  limpet_mjcf_mesh_file(m, source, e);
  d->vertex_count = m->mesh_file.vertex_count, d->vertices = m->mesh_file.vertices;
  d->face_count = m->mesh_file.face_count;
  d->faces = m->mesh_file.faces, d->shell = true;
  limpet_mjcf_drop_unused(m->reader, d);
}

void limpet_mjcf_flexcomp_thin_mesh(limpet_mjcf *m, const limpet_mjcf_source *source,
                                    const limpet_xml_element *e, const char *type, int dim,
                                    limpet_deformable_description *d) {
  limpet_read_numbers(m->reader, e, "scale", d->scale, 3, 3);
  if (strcmp(type, "direct") == 0) make_direct(m, e, dim, d);
  else if (dim == 1) make_rope(m, e, strcmp(type, "circle") == 0, d);
  else if (strcmp(type, "box") == 0) make_surface(m, e, LIMPET_SOLID_BOX, d);
  else if (strcmp(type, "ellipsoid") == 0) make_surface(m, e, LIMPET_SOLID_ELLIPSOID, d);
  else if (strcmp(type, "mesh") == 0) make_from_file(m, source, e, d);
  else make_sheet(m, e, strcmp(type, "disc") == 0, d);
}

// ------------------------------------------------------------------------------- material

// Area of the shell and length of the rope, scaled, and the mean length of its edges.
static void measure(const limpet_deformable_description *d, double *area, double *length,
                    double *edge) {
  double x[3][3], u[3], v[3], n[3], sum = 0.0;
  int edges = 0;
  *area = *length = 0.0;
  for (int f = 0; f < d->face_count; ++f) {
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) x[k][i] = d->scale[i] * d->vertices[3 * d->faces[3 * f + k] + i];
    limpet_vec3_sub(u, x[1], x[0]), limpet_vec3_sub(v, x[2], x[0]);
    limpet_vec3_cross(n, u, v);
    *area += 0.5 * limpet_vec3_norm(n);
    sum += limpet_vec3_norm(u), ++edges;
  }
  for (int s = 0; s < d->segment_count; ++s) {
    for (int k = 0; k < 2; ++k)
      for (int i = 0; i < 3; ++i)
        x[k][i] = d->scale[i] * d->vertices[3 * d->segments[2 * s + k] + i];
    *length += limpet_vec3_distance(x[0], x[1]);
    sum += limpet_vec3_distance(x[0], x[1]), ++edges;
  }
  *edge = edges > 0 ? sum / edges : 0.0;
}

static void read_edges(limpet_reader *reader, const limpet_xml_element *flexcomp,
                       const limpet_xml_element *e, double mass, double length, bool loose,
                       limpet_deformable_description *d) {
  static const char *const choices[] = {"false", "true", "vert", "strain", NULL};
  int equality = 0;
  if (e) {
    limpet_read_choice(reader, e, "equality", choices, &equality);
    limpet_read_number(reader, e, "stiffness", &d->edge_stiffness);
    limpet_read_number(reader, e, "damping", &d->edge_damping);
  }
  const bool held = loose || equality != 0 || d->membrane || d->edge_stiffness > 0.0;
  if (!held)
    limpet_reader_unsupported(reader, flexcomp, NULL, "flexcomp without elasticity",
                              "nothing holds the edges of this flexcomp: they keep their length "
                              "here; give it <edge equality=\"true\"/> or an <elasticity>");
  if ((equality != 0 || !held) && length > 0.0)
    d->edge_stiffness += mass * gravity / (longer * length);
}

void limpet_mjcf_flexcomp_thin_material(limpet_reader *reader, const limpet_xml_element *e,
                                        const limpet_xml_element *elasticity,
                                        const limpet_xml_element *edges, double mass, bool loose,
                                        limpet_deformable_description *d) {
  static const char *const choices[] = {"none", "bend", "stretch", "both", NULL};
  int elastic = 0;
  double radius = 0.005, area, length, edge;
  limpet_read_number(reader, e, "radius", &radius);
  d->thickness = 2.0 * radius > 0.0 ? 2.0 * radius : 1e-3;
  d->poissons_ratio = 0.0;
  if (elasticity) {
    limpet_read_number(reader, elasticity, "young", &d->youngs_modulus);
    limpet_read_number(reader, elasticity, "poisson", &d->poissons_ratio);
    limpet_read_number(reader, elasticity, "damping", &d->stiffness_damping);
    limpet_read_choice(reader, elasticity, "elastic2d", choices, &elastic);
    double thickness = 0.0;
    limpet_read_number(reader, elasticity, "thickness", &thickness);
    if (thickness > 0.0) d->thickness = thickness;
  }
  d->bending = elastic & 1, d->membrane = elastic & 2;
  measure(d, &area, &length, &edge);
  const double volume = d->thickness * area + pi / 4.0 * d->thickness * d->thickness * length;
  if (volume > 0.0) d->density = mass / volume;
  read_edges(reader, e, edges, mass, edge, loose, d);
}
