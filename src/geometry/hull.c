/* geometry/hull.c: layout of a hull in one block, and its fields from polygons.
 *
 * The polygons come from hull_polygons.c. Here they become the arrays that support functions and
 * clipping walk over: vertices twice (by point and by coordinate), faces with planes, neighbours
 * and faces by vertex, edges with the two faces they join, and a vertex to start climbing from for
 * each of 96 directions. */
#include "geometry/hull.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "geometry/hull_polygons.h"
#include "geometry/mesh_geometry.h"
#include "math/vec3.h"

static size_t rounded(size_t bytes) { return (bytes + 63) / 64 * 64; }

static size_t padded_count(int vertex_count) { return ((size_t)vertex_count + 3) / 4 * 4; }

enum { ARRAYS = 12 };  // the struct and its arrays

// Offsets of the arrays, in the order of the struct; the last one is the whole size.
static void offsets(size_t offset[ARRAYS + 1], const limpet_hull_size *n) {
  const size_t v = (size_t)n->vertex_count, f = (size_t)n->face_count, e = (size_t)n->edge_count,
               c = (size_t)n->corner_count, m = (size_t)n->neighbour_count;
  const size_t bytes[ARRAYS] = {sizeof(limpet_hull),
                                3 * v * sizeof(double),
                                3 * padded_count(n->vertex_count) * sizeof(double),
                                (f + 1) * sizeof(int),
                                c * sizeof(int),
                                4 * f * sizeof(double),
                                (v + 1) * sizeof(int),
                                m * sizeof(int),
                                4 * e * sizeof(int),
                                (v + 1) * sizeof(int),
                                c * sizeof(int),
                                LIMPET_HULL_DIRECTIONS * sizeof(int)};
  offset[0] = 0;
  for (int i = 0; i < ARRAYS; ++i) offset[i + 1] = offset[i] + rounded(bytes[i]);
}

size_t limpet_hull_memory_size(const limpet_hull_size *size) {
  size_t offset[ARRAYS + 1];
  offsets(offset, size);
  return offset[ARRAYS];
}

// Lays a hull out in `memory` (64-byte aligned): counts and array pointers are set, the arrays not.
static limpet_hull *hull_place(void *memory, const limpet_hull_size *size) {
  assert(memory && size);
  size_t offset[ARRAYS + 1];
  offsets(offset, size);
  char *base = memory;
  limpet_hull *hull = memory;
  *hull = (limpet_hull){.vertex_count = size->vertex_count,
                        .face_count = size->face_count,
                        .edge_count = size->edge_count};
  hull->vertices = (double *)(void *)(base + offset[1]);
  hull->vertices_soa = (double *)(void *)(base + offset[2]);
  hull->face_begin = (int *)(void *)(base + offset[3]);
  hull->face_vertex = (int *)(void *)(base + offset[4]);
  hull->face_plane = (double *)(void *)(base + offset[5]);
  hull->neighbour_begin = (int *)(void *)(base + offset[6]);
  hull->neighbour = (int *)(void *)(base + offset[7]);
  hull->edge = (int *)(void *)(base + offset[8]);
  hull->vertex_face_begin = (int *)(void *)(base + offset[9]);
  hull->vertex_face = (int *)(void *)(base + offset[10]);
  hull->start = (int *)(void *)(base + offset[11]);
  return hull;
}

limpet_hull_size limpet_hull_size_of(const limpet_hull *hull) {
  return (limpet_hull_size){hull->vertex_count, hull->face_count, hull->edge_count,
                            hull->face_begin[hull->face_count],
                            hull->neighbour_begin[hull->vertex_count]};
}

limpet_hull *limpet_hull_copy(void *memory, const limpet_hull *hull) {
  const limpet_hull_size size = limpet_hull_size_of(hull);
  size_t offset[ARRAYS + 1];
  offsets(offset, &size);
  limpet_hull *copy = hull_place(memory, &size);
  memcpy((char *)memory + offset[1], (const char *)hull + offset[1], offset[ARRAYS] - offset[1]);
  limpet_vec3_copy(copy->centre, hull->centre);
  copy->radius = hull->radius;
  return copy;
}

/* Normal by Newell's sum, which is the best one for a polygon that is planar to round-off only; the
 * offset is that of the outermost vertex, so that no vertex of the face is outside of its plane. */
static void face_plane(double plane[4], const double *vertices, const int *corner, int count) {
  double normal[3] = {0.0, 0.0, 0.0};
  const double *origin = vertices + 3 * corner[0];
  for (int i = 1; i + 1 < count; ++i) {
    double a[3], b[3], n[3];
    limpet_vec3_sub(a, vertices + 3 * corner[i], origin);
    limpet_vec3_sub(b, vertices + 3 * corner[i + 1], origin);
    limpet_vec3_cross(n, a, b);
    limpet_vec3_add(normal, normal, n);
  }
  limpet_vec3_normalize(normal);
  double offset = -INFINITY;
  for (int i = 0; i < count; ++i)
    offset = fmax(offset, limpet_vec3_dot(normal, vertices + 3 * corner[i]));
  limpet_vec3_copy(plane, normal);
  plane[3] = offset;
}

static void fill_vertices(limpet_hull *hull, const limpet_polygons *polygons, double *vertices,
                          double *soa) {
  const int count = hull->vertex_count;
  const size_t padded = padded_count(count);
  memcpy(vertices, polygons->vertices, 3 * (size_t)count * sizeof *vertices);
  for (size_t i = 0; i < padded; ++i)
    for (size_t k = 0; k < 3; ++k)
      soa[k * padded + i] = vertices[3 * (i < (size_t)count ? i : 0) + k];
  for (int i = 0; i < count; ++i)
    limpet_vec3_addmul(hull->centre, hull->centre, 1.0 / count, vertices + 3 * i);
  double square = 0.0;
  for (int i = 0; i < count; ++i)
    square = fmax(square, limpet_vec3_dot(vertices + 3 * i, vertices + 3 * i));
  hull->radius = sqrt(square);
}

/* Edges from the corners of the faces: the half edge a->b with a < b is the left side of its edge,
 * the half edge b->a, its twin, the right one. */
static void fill_edges(const limpet_hull *hull, const limpet_polygons *polygons, int *edge) {
  int count = 0;
  for (int f = 0; f < hull->face_count; ++f) {
    for (int c = hull->face_begin[f]; c < hull->face_begin[f + 1]; ++c) {
      const int next = c + 1 < hull->face_begin[f + 1] ? c + 1 : hull->face_begin[f];
      const int a = hull->face_vertex[c], b = hull->face_vertex[next];
      if (a > b) continue;
      int *e = edge + 4 * count++;
      e[0] = a, e[1] = b, e[2] = f, e[3] = polygons->corner_face[polygons->twin[c]];
    }
  }
  assert(count == hull->edge_count);
}

// Neighbours over the edges that the hull had before facets were merged: counted, then written.
static void fill_neighbours(const limpet_hull *hull, const limpet_polygons *polygons, int *begin,
                            int *neighbour) {
  for (int k = 0; k < 2 * polygons->edge_count; ++k) ++begin[polygons->edges[k] + 1];
  for (int v = 0; v < hull->vertex_count; ++v) begin[v + 1] += begin[v];

  // writing moves each begin to the next one's place; shifting back restores them
  for (int e = 0; e < polygons->edge_count; ++e) {
    const int a = polygons->edges[2 * e], b = polygons->edges[2 * e + 1];
    neighbour[begin[a]++] = b;
    neighbour[begin[b]++] = a;
  }
  for (int v = hull->vertex_count; v > 0; --v) begin[v] = begin[v - 1];
  begin[0] = 0;
}

// Faces around each vertex, ascending: counted, then written.
static void fill_vertex_faces(const limpet_hull *hull, int *begin, int *face) {
  for (int c = 0; c < hull->face_begin[hull->face_count]; ++c) ++begin[hull->face_vertex[c] + 1];
  for (int v = 0; v < hull->vertex_count; ++v) begin[v + 1] += begin[v];
  for (int f = 0; f < hull->face_count; ++f)
    for (int c = hull->face_begin[f]; c < hull->face_begin[f + 1]; ++c)
      face[begin[hull->face_vertex[c]]++] = f;
  for (int v = hull->vertex_count; v > 0; --v) begin[v] = begin[v - 1];
  begin[0] = 0;
}

static void fill_start(const limpet_hull *hull, int *start) {
  for (int cell = 0; cell < LIMPET_HULL_DIRECTIONS; ++cell) {
    double direction[3], highest = -INFINITY;
    limpet_hull_direction(direction, cell);
    for (int v = 0; v < hull->vertex_count; ++v) {
      const double height = limpet_vec3_dot(direction, hull->vertices + 3 * v);
      if (height > highest) highest = height, start[cell] = v;
    }
  }
}

limpet_hull *limpet_hull_create(const double *points, int count, int vertex_limit,
                                limpet_error *error) {
  assert(points && count > 0);
  limpet_polygons polygons;
  if (limpet_polygons_create(&polygons, points, count, vertex_limit, error) != LIMPET_OK)
    return NULL;
  const int corner_count = polygons.face_begin[polygons.face_count];
  const limpet_hull_size size = {polygons.vertex_count, polygons.face_count, corner_count / 2,
                                 corner_count, 2 * polygons.edge_count};
  void *memory = aligned_alloc(64, limpet_hull_memory_size(&size));
  if (!memory) {
    limpet_polygons_free(&polygons);
    limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a hull of %d vertices",
                      polygons.vertex_count);
    return NULL;
  }
  memset(memory, 0, limpet_hull_memory_size(&size));
  limpet_hull *hull = hull_place(memory, &size);

  // the arrays are const for users only; here they are written through the places just laid out
  fill_vertices(hull, &polygons, (double *)(uintptr_t)hull->vertices,
                (double *)(uintptr_t)hull->vertices_soa);
  memcpy((int *)(uintptr_t)hull->face_begin, polygons.face_begin,
         ((size_t)size.face_count + 1) * sizeof(int));
  memcpy((int *)(uintptr_t)hull->face_vertex, polygons.corner_vertex,
         (size_t)corner_count * sizeof(int));
  for (int f = 0; f < size.face_count; ++f)
    face_plane((double *)(uintptr_t)hull->face_plane + 4 * f, hull->vertices,
               hull->face_vertex + hull->face_begin[f],
               hull->face_begin[f + 1] - hull->face_begin[f]);
  fill_edges(hull, &polygons, (int *)(uintptr_t)hull->edge);
  fill_neighbours(hull, &polygons, (int *)(uintptr_t)hull->neighbour_begin,
                  (int *)(uintptr_t)hull->neighbour);
  fill_vertex_faces(hull, (int *)(uintptr_t)hull->vertex_face_begin,
                    (int *)(uintptr_t)hull->vertex_face);
  fill_start(hull, (int *)(uintptr_t)hull->start);
  limpet_polygons_free(&polygons);
  return hull;
}
