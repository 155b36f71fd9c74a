/* geometry/hull_qhull.c: facets of a convex hull by qhull (Barber, Dobkin, Huhdanpaa, ACM TOMS
 * 22(4), 1996), reentrant library.
 *
 * qhull merges facets that are coplanar to round-off by itself and gives their vertices in order.
 * Its error texts go to a memory stream, so that nothing is printed. */
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libqhull_r/qhull_ra.h>

#include "base/error.h"
#include "geometry/hull_polygons.h"

void limpet_polygons_free(limpet_polygons *polygons) {
  free(polygons->vertices);
  free(polygons->vertex_point);
  free(polygons->face_begin);
  free(polygons->corner_vertex);
  free(polygons->corner_face);
  free(polygons->twin);
  free(polygons->edges);
  *polygons = (limpet_polygons){0};
}

typedef struct half_edge {
  int end[2];  // smaller vertex, larger vertex
  int corner, forward;
} half_edge;

// From `from` to `to` in the order of one end, else in that of `from`; begin (vertex_count + 1) is
// scratch.
static void sort_by_end(half_edge *to, const half_edge *from, int count, int end, int *begin,
                        int vertex_count) {
  memset(begin, 0, ((size_t)vertex_count + 1) * sizeof *begin);
  for (int i = 0; i < count; ++i) ++begin[from[i].end[end] + 1];
  for (int v = 0; v < vertex_count; ++v) begin[v + 1] += begin[v];
  for (int i = 0; i < count; ++i) to[begin[from[i].end[end]]++] = from[i];
}

static bool same_edge(const half_edge *a, const half_edge *b) {
  return a->end[0] == b->end[0] && a->end[1] == b->end[1];
}

limpet_status limpet_polygons_join(limpet_polygons *polygons) {
  const int count = polygons->face_begin[polygons->face_count];
  half_edge *half = malloc(2 * (size_t)count * sizeof *half);
  int *begin = malloc(((size_t)polygons->vertex_count + 1) * sizeof *begin);
  if (!half || !begin) {
    free(half), free(begin);
    return LIMPET_ERROR_MEMORY;
  }
  for (int f = 0; f < polygons->face_count; ++f) {
    for (int c = polygons->face_begin[f]; c < polygons->face_begin[f + 1]; ++c) {
      const int next = c + 1 < polygons->face_begin[f + 1] ? c + 1 : polygons->face_begin[f];
      const int a = polygons->corner_vertex[c], b = polygons->corner_vertex[next];
      half[c] = (half_edge){{a < b ? a : b, a < b ? b : a}, c, a < b};
      polygons->corner_face[c] = f;
    }
  }

  // opposite half edges are neighbours in the order of both ends
  half_edge *spare = half + count;
  sort_by_end(spare, half, count, 1, begin, polygons->vertex_count);
  sort_by_end(half, spare, count, 0, begin, polygons->vertex_count);
  bool closed = count % 2 == 0;
  for (int i = 0; closed && i < count; i += 2) {
    const half_edge *a = &half[i], *b = &half[i + 1];
    closed = same_edge(a, b) && a->forward != b->forward &&
             (i + 2 == count || !same_edge(a, &half[i + 2]));
    polygons->twin[a->corner] = b->corner;
    polygons->twin[b->corner] = a->corner;
  }
  free(half), free(begin);
  return closed ? LIMPET_OK : LIMPET_ERROR_INPUT;
}

static bool polygons_allocate(limpet_polygons *polygons, size_t vertices, size_t faces,
                              size_t corners) {
  polygons->vertices = malloc(3 * vertices * sizeof(double));
  polygons->vertex_point = malloc(vertices * sizeof(int));
  polygons->face_begin = malloc((faces + 1) * sizeof(int));
  polygons->corner_vertex = malloc(corners * sizeof(int));
  polygons->corner_face = malloc(corners * sizeof(int));
  polygons->twin = malloc(corners * sizeof(int));
  return polygons->vertices && polygons->vertex_point && polygons->face_begin &&
         polygons->corner_vertex && polygons->corner_face && polygons->twin;
}

/* Copies qhull's facets; `index` (one per point) numbers the vertices in the order of the points.
 * Returns 0, 1 without memory, 2 if qhull finds its own structure inconsistent. */
static int facets_read(qhT *qh, limpet_polygons *polygons, int *index, int count) {
  facetT *facet;
  vertexT *vertex, **vertexp;
  size_t corners = 0;
  FORALLfacets corners += (size_t)qh_setsize(qh, facet->vertices);
  if (!polygons_allocate(polygons, (size_t)qh->num_vertices, (size_t)qh->num_facets, corners))
    return 1;
  for (int i = 0; i < count; ++i) index[i] = -1;
  FORALLvertices index[qh_pointid(qh, vertex->point)] = 0;
  for (int i = 0; i < count; ++i) {
    if (index[i] < 0) continue;
    memcpy(polygons->vertices + 3 * polygons->vertex_count, qh->first_point + 3 * i,
           3 * sizeof(double));
    polygons->vertex_point[polygons->vertex_count] = i;
    index[i] = polygons->vertex_count++;
  }

  // qh_facet3vertex goes around in the sense of qh_ORIENTclock, which is clockwise seen from
  // outside in qhull's drawings
  int corner = 0;
  FORALLfacets {
    setT *loop = qh_facet3vertex(qh, facet);
    polygons->face_begin[polygons->face_count++] = corner;
    FOREACHvertex_(loop) polygons->corner_vertex[corner++] = index[qh_pointid(qh, vertex->point)];
    qh_settempfree(qh, &loop);
  }
  polygons->face_begin[polygons->face_count] = corner;
  return 0;
}

// qhull leaves by longjmp when it finds an error; this frame catches it, and nothing lives in it
// that the jump could spoil.
static int facets_read_guarded(qhT *qh, limpet_polygons *polygons, int *index, int count) {
  qh->NOerrexit = False;
  if (setjmp(qh->errexit)) {
    qh->NOerrexit = True;
    return 2;
  }
  const int result = facets_read(qh, polygons, index, count);
  qh->NOerrexit = True;
  return result;
}

// Turns all faces around if they are clockwise seen from outside: the sign of the enclosed volume
// tells.
static void orient(limpet_polygons *polygons) {
  double volume = 0.0;
  const double *o = polygons->vertices;
  for (int f = 0; f < polygons->face_count; ++f) {
    const int *corner = polygons->corner_vertex + polygons->face_begin[f];
    for (int i = 1; i + 1 < polygons->face_begin[f + 1] - polygons->face_begin[f]; ++i) {
      const double *a = o + 3 * corner[0], *b = o + 3 * corner[i], *c = o + 3 * corner[i + 1];
      const double x[3] = {a[0] - o[0], a[1] - o[1], a[2] - o[2]},
                   y[3] = {b[0] - o[0], b[1] - o[1], b[2] - o[2]};
      const double z[3] = {c[0] - o[0], c[1] - o[1], c[2] - o[2]};
      volume += x[0] * (y[1] * z[2] - y[2] * z[1]) + x[1] * (y[2] * z[0] - y[0] * z[2]) +
                x[2] * (y[0] * z[1] - y[1] * z[0]);
    }
  }
  if (volume >= 0.0) return;
  for (int f = 0; f < polygons->face_count; ++f)
    for (int i = polygons->face_begin[f], k = polygons->face_begin[f + 1] - 1; i < k; ++i, --k) {
      const int v = polygons->corner_vertex[i];
      polygons->corner_vertex[i] = polygons->corner_vertex[k];
      polygons->corner_vertex[k] = v;
    }
}

limpet_status limpet_polygons_qhull(limpet_polygons *polygons, const double *points, int count,
                                    int vertex_limit, limpet_error *error) {
  *polygons = (limpet_polygons){0};
  for (int i = 0; i < 3 * count; ++i)
    if (!isfinite(points[i]))
      return limpet_error_fill(error, LIMPET_ERROR_INPUT, "vertex %d is not finite", i / 3);
  if (count < 4)
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "%d points have no convex hull; at least 4 are needed", count);

  // qhull may move points around, so it gets a copy; texts go to a stream in memory
  double *copy = malloc(3 * (size_t)count * sizeof *copy);
  int *index = malloc((size_t)count * sizeof *index);
  char *text = NULL;
  size_t text_size = 0;
  FILE *stream = open_memstream(&text, &text_size);
  qhT *qh = malloc(sizeof *qh);
  int result = 1;
  if (copy && index && stream && qh) {
    memcpy(copy, points, 3 * (size_t)count * sizeof *copy);
    char options[64] = "qhull ";
    if (vertex_limit >= 4) snprintf(options, sizeof options, "qhull TA%d", vertex_limit - 4);
    qh_zero(qh, stream);
    const int failed = qh_new_qhull(qh, 3, count, copy, False, options, stream, stream);
    result = failed ? 3 : facets_read_guarded(qh, polygons, index, count);
    int left, total;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &left, &total);
  }
  if (stream) fclose(stream);
  free(text), free(copy), free(index), free(qh);

  if (result == 0) {
    orient(polygons);
    const limpet_status joined = limpet_polygons_join(polygons);
    if (joined == LIMPET_OK) return LIMPET_OK;
    result = joined == LIMPET_ERROR_MEMORY ? 1 : 2;
  }
  limpet_polygons_free(polygons);
  if (result == 1)
    return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a convex hull of %d points",
                             count);
  if (result == 2)
    return limpet_error_fill(
        error, LIMPET_ERROR_INPUT,
        "the convex hull of %d points is not a closed surface at this precision", count);
  return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                           "the convex hull of %d points cannot be built, they lie in a plane or a "
                           "line; use a primitive shape",
                           count);
}
