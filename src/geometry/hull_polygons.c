/* geometry/hull_polygons.c: merging the facets of a hull that lie in one plane.
 *
 * Mesh vertices are often single-precision numbers, so a flat face of the part comes out of qhull
 * as many triangles that are coplanar to about 1e-7 of the part's size only. Clipping and feature
 * ids want one polygon for one flat face. Regions grow from the largest facet over neighbours whose
 * vertices are within `tolerance` of the seed's plane. A vertex that then belongs to fewer than
 * three faces lies inside a face or on a straight edge: it is left out and the hull is built again,
 * until every vertex is a corner. What is left out lies within the tolerance of the hull.
 *
 * The edges inside merged faces are kept in a list: a face that is planar to the tolerance only is
 * not convex, and whoever climbs to the highest vertex over the edges of such faces alone gets
 * stuck in hollows of 1e-7 of the size.
 *
 * tolerance: 1e-6 times the largest distance of a vertex from the mean (0.1 um for a part of 10
 * cm). Cost: that of qhull, twice if something was left out. */
#include "geometry/hull_polygons.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/vec3.h"

static const double planarity = 1e-6;  // of the radius

enum { ROUND_LIMIT = 16 };

typedef struct facet {
  double plane[4];
  double area;
  int index;
} facet;

static int facet_compare(const void *a, const void *b) {
  const facet *x = a, *y = b;
  if (x->area != y->area) return x->area > y->area ? -1 : 1;
  return x->index - y->index;
}

static int next_corner(const limpet_polygons *p, int corner) {
  const int face = p->corner_face[corner];
  return corner + 1 < p->face_begin[face + 1] ? corner + 1 : p->face_begin[face];
}

static void facet_measure(facet *result, const limpet_polygons *p, int face) {
  const int *corner = p->corner_vertex + p->face_begin[face];
  const double *origin = p->vertices + 3 * corner[0];
  double normal[3] = {0.0, 0.0, 0.0}, mean = 0.0;
  const int count = p->face_begin[face + 1] - p->face_begin[face];
  for (int i = 1; i + 1 < count; ++i) {
    double a[3], b[3], n[3];
    limpet_vec3_sub(a, p->vertices + 3 * corner[i], origin);
    limpet_vec3_sub(b, p->vertices + 3 * corner[i + 1], origin);
    limpet_vec3_cross(n, a, b);
    limpet_vec3_add(normal, normal, n);
  }
  result->area = 0.5 * limpet_vec3_normalize(normal);
  result->index = face;
  for (int i = 0; i < count; ++i)
    mean += limpet_vec3_dot(normal, p->vertices + 3 * corner[i]) / count;
  limpet_vec3_copy(result->plane, normal);
  result->plane[3] = mean;
}

static double radius(const limpet_polygons *p) {
  double mean[3] = {0.0, 0.0, 0.0}, r = 0.0;
  for (int i = 0; i < p->vertex_count; ++i)
    limpet_vec3_addmul(mean, mean, 1.0 / p->vertex_count, p->vertices + 3 * i);
  for (int i = 0; i < p->vertex_count; ++i)
    r = fmax(r, limpet_vec3_distance(mean, p->vertices + 3 * i));
  return r;
}

static bool face_in_plane(const limpet_polygons *p, int face, const double plane[4],
                          double tolerance) {
  for (int c = p->face_begin[face]; c < p->face_begin[face + 1]; ++c)
    if (fabs(limpet_vec3_dot(plane, p->vertices + 3 * p->corner_vertex[c]) - plane[3]) > tolerance)
      return false;
  return true;
}

/* group[face]: the region of each face, numbered from the largest facet on. Returns the
 * number of regions, or -1 without memory. */
static int grow_regions(const limpet_polygons *p, int *group) {
  const double tolerance = planarity * radius(p);
  facet *facets = malloc((size_t)p->face_count * sizeof *facets);
  double *normals = malloc(3 * (size_t)p->face_count * sizeof *normals);
  int *stack = malloc((size_t)p->face_count * sizeof *stack);
  int count = -1;
  if (facets && normals && stack) {
    count = 0;
    for (int f = 0; f < p->face_count; ++f) {
      facet_measure(&facets[f], p, f);
      limpet_vec3_copy(normals + 3 * f, facets[f].plane);
      group[f] = -1;
    }
    qsort(facets, (size_t)p->face_count, sizeof *facets, facet_compare);
    for (int i = 0; i < p->face_count; ++i) {
      if (group[facets[i].index] >= 0) continue;
      int depth = 0;
      stack[depth++] = facets[i].index;
      group[facets[i].index] = count;

      // neighbours of the region that lie in the seed's plane and face the same way
      while (depth > 0) {
        const int face = stack[--depth];
        for (int c = p->face_begin[face]; c < p->face_begin[face + 1]; ++c) {
          const int other = p->corner_face[p->twin[c]];
          if (group[other] >= 0 || limpet_vec3_dot(normals + 3 * other, facets[i].plane) <= 0.0)
            continue;
          if (!face_in_plane(p, other, facets[i].plane, tolerance)) continue;
          group[other] = count;
          stack[depth++] = other;
        }
      }
      ++count;
    }
  }
  free(facets), free(normals), free(stack);
  return count;
}

/* Moves the coordinates of the vertices that belong to at least three regions to the front of
 * p->vertices; returns how many there are. `seen` (3 per vertex) is scratch. */
static int keep_corners(limpet_polygons *p, const int *group, int *seen) {
  for (int i = 0; i < 3 * p->vertex_count; ++i) seen[i] = -1;
  for (int c = 0; c < p->face_begin[p->face_count]; ++c) {
    int *s = seen + 3 * p->corner_vertex[c];
    const int g = group[p->corner_face[c]];
    for (int k = 0; k < 3 && s[k] != g; ++k)
      if (s[k] < 0) {
        s[k] = g;
        break;
      }
  }
  int kept = 0;
  for (int i = 0; i < p->vertex_count; ++i)
    if (seen[3 * i + 2] >= 0)
      memmove(p->vertices + 3 * kept++, p->vertices + 3 * i, 3 * sizeof(double));
  return kept;
}

/* Replaces the faces by the outlines of the regions. With p unchanged: LIMPET_ERROR_INPUT if a
 * region is not a disc, LIMPET_ERROR_MEMORY without memory. */
static limpet_status outline_regions(limpet_polygons *p, const int *group, int region_count) {
  const int corner_count = p->face_begin[p->face_count];
  int *begin = malloc(((size_t)region_count + 1) * sizeof *begin),
      *vertex = malloc((size_t)corner_count * sizeof *vertex);
  int *start = malloc((size_t)region_count * sizeof *start),
      *outer = calloc((size_t)region_count, sizeof *outer);
  const bool memory = begin && vertex && start && outer;
  bool discs = memory;
  if (memory) {
    // half edges on the outline of each region, and one to start from
    for (int c = corner_count - 1; c >= 0; --c) {
      const int g = group[p->corner_face[c]];
      if (group[p->corner_face[p->twin[c]]] == g) continue;
      start[g] = c;
      ++outer[g];
    }
    int count = 0;
    for (int g = 0; discs && g < region_count; ++g) {
      begin[g] = count;
      int c = start[g];
      do {
        if (count - begin[g] >= outer[g]) break;
        vertex[count++] = p->corner_vertex[c];
        c = next_corner(p, c);
        while (group[p->corner_face[p->twin[c]]] == g) c = next_corner(p, p->twin[c]);
      } while (c != start[g]);
      discs = c == start[g] && count - begin[g] == outer[g];
    }
    begin[region_count] = count;
  }
  free(start), free(outer);
  if (!discs) {
    free(begin), free(vertex);
    return memory ? LIMPET_ERROR_INPUT : LIMPET_ERROR_MEMORY;
  }
  free(p->face_begin), free(p->corner_vertex);
  p->face_begin = begin, p->corner_vertex = vertex, p->face_count = region_count;
  return LIMPET_OK;
}

// Lists the edges of the faces as they are.
static limpet_status keep_edges(limpet_polygons *p) {
  const int corner_count = p->face_begin[p->face_count];
  p->edges = malloc((size_t)corner_count * sizeof *p->edges);
  if (!p->edges) return LIMPET_ERROR_MEMORY;
  for (int c = 0; c < corner_count; ++c) {
    if (c > p->twin[c]) continue;
    p->edges[2 * p->edge_count] = p->corner_vertex[c];
    p->edges[2 * p->edge_count++ + 1] = p->corner_vertex[p->twin[c]];
  }
  return LIMPET_OK;
}

static limpet_status no_memory(limpet_polygons *polygons, int *group, int count,
                               limpet_error *error) {
  free(group);
  limpet_polygons_free(polygons);
  return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a convex hull of %d points",
                           count);
}

limpet_status limpet_polygons_create(limpet_polygons *polygons, const double *points, int count,
                                     int vertex_limit, limpet_error *error) {
  limpet_status status = limpet_polygons_qhull(polygons, points, count, vertex_limit, error);
  for (int round = 0; status == LIMPET_OK; ++round) {
    int *group =
        malloc(((size_t)polygons->face_count + 3 * (size_t)polygons->vertex_count) * sizeof *group);
    const int region_count = group ? grow_regions(polygons, group) : -1;
    if (region_count < 0) return no_memory(polygons, group, count, error);
    const int before = polygons->vertex_count;
    const int kept = keep_corners(polygons, group, group + polygons->face_count);
    if (kept == before || round == ROUND_LIMIT) {
      // a hull whose regions have holes keeps the facets of qhull: correct, only less merged
      status = keep_edges(polygons);
      if (kept == before && status == LIMPET_OK)
        status = outline_regions(polygons, group, region_count);
      if (kept == before && status == LIMPET_OK) status = limpet_polygons_join(polygons);
      if (status == LIMPET_ERROR_MEMORY) return no_memory(polygons, group, count, error);
      free(group);
      return LIMPET_OK;
    }
    free(group);

    // the corners alone; a hull that shrinks to nothing was flat within the tolerance
    limpet_polygons smaller;
    status = limpet_polygons_qhull(&smaller, polygons->vertices, kept, -1, error);
    limpet_polygons_free(polygons);
    *polygons = smaller;
  }
  return status;
}
