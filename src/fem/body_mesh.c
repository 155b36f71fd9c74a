/* fem/body_mesh.c: elements, nodes and the surface of a deformable body.
 *
 * Tetrahedra are turned to positive volume. A face of one tetrahedron alone belongs to the surface;
 * two tetrahedra that see their common face from the same side overlap. Quadratic elements have a
 * node in the middle of each edge, numbered behind the vertices in the order of sorted edges; their
 * faces are handed out as four triangles. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fem/body.h"
#include "fem/tetrahedron.h"
#include "math/forest.h"

// A face of a tetrahedron: its vertices as seen from outside, and the same sorted.
typedef struct face {
  int sorted[3], seen[3], tetrahedron;
} face;

static void swap(int *a, int *b) {
  const int t = *a;
  *a = *b, *b = t;
}

static face face_of(const int *tetrahedron, int number, int t) {
  // counter-clockwise from outside for positive volume; face k leaves vertex k out
  static const int corner[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  face f = {.tetrahedron = t};
  for (int k = 0; k < 3; ++k) f.sorted[k] = f.seen[k] = tetrahedron[corner[number][k]];
  if (f.sorted[0] > f.sorted[1]) swap(&f.sorted[0], &f.sorted[1]);
  if (f.sorted[1] > f.sorted[2]) swap(&f.sorted[1], &f.sorted[2]);
  if (f.sorted[0] > f.sorted[1]) swap(&f.sorted[0], &f.sorted[1]);
  return f;
}

static int compare_ints(const int *a, const int *b, int count) {
  for (int k = 0; k < count; ++k)
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  return 0;
}

static int compare_faces(const void *a, const void *b) {
  const face *x = a, *y = b;
  const int order = compare_ints(x->sorted, y->sorted, 3);
  return order ? order : (x->tetrahedron > y->tetrahedron) - (x->tetrahedron < y->tetrahedron);
}

static int compare_edges(const void *a, const void *b) { return compare_ints(a, b, 2); }

// Whether two orders of the same three vertices are even permutations of each other.
static bool same_side(const int *a, const int *b) {
  for (int k = 0; k < 3; ++k)
    if (a[0] == b[k]) return a[1] == b[(k + 1) % 3];
  return false;
}

static void tetrahedra_turn(limpet_fem_body *body, const limpet_fem_description *d) {
  limpet_fem_body_info *info = &body->info;
  info->quality_worst = 2.0;
  for (int t = 0; t < d->tetrahedron_count; ++t) {
    int *v = body->tetrahedra + 4L * t;
    memcpy(v, d->tetrahedra + 4L * t, 4 * sizeof *v);
    const limpet_tetrahedron_shape shape = limpet_tetrahedron_shape_of(d->vertices, v);
    if (shape.volume < 0.0) swap(&v[2], &v[3]);
    info->quality_mean += shape.quality / d->tetrahedron_count;
    if (shape.quality < info->quality_worst)
      info->quality_worst = shape.quality, info->quality_element = t;
  }
}

static limpet_status surface_take(limpet_fem_body *body, const face *faces, int count,
                                  limpet_error *error) {
  body->faces = LIMPET_TAKE(&body->arena, int, 12L * count);
  body->face_tetrahedron = LIMPET_TAKE(&body->arena, int, 4L * count);
  body->piece = LIMPET_TAKE(&body->arena, int, body->info.tetrahedron_count);
  if (!body->faces || !body->face_tetrahedron || !body->piece)
    return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a surface");
  for (int t = 0; t < body->info.tetrahedron_count; ++t) body->piece[t] = t;
  for (int i = 0, j; i < count; i = j) {
    for (j = i + 1; j < count && compare_ints(faces[i].sorted, faces[j].sorted, 3) == 0;) ++j;
    if (j - i > 2 || (j - i == 2 && same_side(faces[i].seen, faces[i + 1].seen)))
      return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                               "deformable body: tetrahedra %d and %d overlap at the face of "
                               "vertices %d %d %d; a face belongs to two tetrahedra, one on each "
                               "side",
                               faces[i].tetrahedron, faces[i + 1].tetrahedron, faces[i].seen[0],
                               faces[i].seen[1], faces[i].seen[2]);
    if (j - i == 2) {
      limpet_forest_join(body->piece, faces[i].tetrahedron, faces[i + 1].tetrahedron);
      continue;
    }
    memcpy(body->faces + 3L * body->info.face_count, faces[i].seen, sizeof faces[i].seen);
    body->face_tetrahedron[body->info.face_count++] = faces[i].tetrahedron;
  }
  return LIMPET_OK;
}

static limpet_status surface_find(limpet_fem_body *body, limpet_error *error) {
  const int count = 4 * body->info.tetrahedron_count;
  face *faces = malloc((size_t)count * sizeof *faces);
  if (!faces) return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for %d faces", count);
  for (int t = 0; t < body->info.tetrahedron_count; ++t)
    for (int k = 0; k < 4; ++k) faces[4 * t + k] = face_of(body->tetrahedra + 4L * t, k, t);
  qsort(faces, (size_t)count, sizeof *faces, compare_faces);
  const limpet_status status = surface_take(body, faces, count, error);
  free(faces);
  return status;
}

// Number of the edge (a, b) in the sorted list, ends ascending.
static int edge_number(const int *edges, int count, int a, int b) {
  const int key[2] = {a < b ? a : b, a < b ? b : a};
  const int *found = bsearch(key, edges, (size_t)count, 2 * sizeof *edges, compare_edges);
  assert(found);
  return (int)((found - edges) / 2);
}

// Edges of all tetrahedra, sorted, each once; returns how many.
static int edges_list(const limpet_fem_body *body, int *edges) {
  int count = 0;
  for (int t = 0; t < body->info.tetrahedron_count; ++t)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < i; ++j, ++count) {
        const int a = body->tetrahedra[4L * t + i], b = body->tetrahedra[4L * t + j];
        edges[2 * count] = a < b ? a : b;
        edges[2 * count + 1] = a < b ? b : a;
      }
  qsort(edges, (size_t)count, 2 * sizeof *edges, compare_edges);
  int kept = 0;
  for (int e = 0; e < count; ++e)
    if (kept == 0 || compare_edges(edges + 2 * e, edges + 2 * (kept - 1)) != 0) {
      edges[2 * kept] = edges[2 * e], edges[2 * kept + 1] = edges[2 * e + 1];
      ++kept;
    }
  return kept;
}

// Each triangle (a, b, c) of the surface becomes four with the middles of its edges.
static void faces_split(limpet_fem_body *body, const int *edges, int edge_count) {
  for (int f = body->info.face_count - 1; f >= 0; --f) {
    const int *v = body->faces + 3L * f, n = body->info.vertex_count;
    const int a = v[0], b = v[1], c = v[2];
    const int ab = n + edge_number(edges, edge_count, a, b),
              bc = n + edge_number(edges, edge_count, b, c),
              ca = n + edge_number(edges, edge_count, c, a);
    const int pieces[12] = {a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca};
    memcpy(body->faces + 12L * f, pieces, sizeof pieces);
    for (int k = 3; k >= 0; --k) body->face_tetrahedron[4 * f + k] = body->face_tetrahedron[f];
  }
  body->info.face_count *= 4;
}

static limpet_status nodes_add(limpet_fem_body *body, const limpet_fem_description *d,
                               limpet_error *error) {
  const int tetrahedra = d->tetrahedron_count, n = d->vertex_count;
  int *edges = malloc((size_t)tetrahedra * 12 * sizeof *edges);
  if (!edges) return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for edges");
  const int edge_count = edges_list(body, edges);
  body->info.node_count = n + edge_count;
  body->rest = LIMPET_TAKE(&body->arena, double, 3L * body->info.node_count);
  if (!body->rest) {
    free(edges);
    return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for nodes");
  }
  for (int e = 0; e < edge_count; ++e)
    for (int i = 0; i < 3; ++i)
      body->rest[3L * (n + e) + i] =
          0.5 * (d->vertices[3L * edges[2 * e] + i] + d->vertices[3L * edges[2 * e + 1] + i]);
  for (int t = 0; t < tetrahedra; ++t) {
    const int *v = body->tetrahedra + 4L * t;
    int *node = body->element_node + 10L * t, at = 4;
    for (int i = 0; i < 4; ++i) node[i] = v[i];
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < i; ++j) node[at++] = n + edge_number(edges, edge_count, v[i], v[j]);
  }
  faces_split(body, edges, edge_count);
  free(edges);
  return LIMPET_OK;
}

limpet_status limpet_fem_body_mesh(limpet_fem_body *body, const limpet_fem_description *d,
                                   limpet_error *error) {
  const bool quadratic = d->element == LIMPET_FEM_QUADRATIC;
  body->element_nodes = quadratic ? 10 : 4;
  body->element_points = quadratic ? 4 : 1;
  body->info.vertex_count = body->info.node_count = d->vertex_count;
  body->info.tetrahedron_count = body->info.element_count = d->tetrahedron_count;
  body->tetrahedra = LIMPET_TAKE(&body->arena, int, 4L * d->tetrahedron_count);
  body->element_node =
      LIMPET_TAKE(&body->arena, int, (long)body->element_nodes * d->tetrahedron_count);
  if (!body->tetrahedra || !body->element_node)
    return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for %d tetrahedra",
                             d->tetrahedron_count);
  tetrahedra_turn(body, d);
  limpet_status status = surface_find(body, error);
  if (status != LIMPET_OK) return status;
  if (quadratic) {
    status = nodes_add(body, d, error);
    if (status != LIMPET_OK) return status;
  } else {
    body->rest = LIMPET_TAKE(&body->arena, double, 3L * d->vertex_count);
    if (!body->rest) return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for nodes");
    memcpy(body->element_node, body->tetrahedra, 4 * (size_t)d->tetrahedron_count * sizeof(int));
  }
  memcpy(body->rest, d->vertices, 3 * (size_t)d->vertex_count * sizeof(double));
  return LIMPET_OK;
}
