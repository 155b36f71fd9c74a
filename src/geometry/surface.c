/* geometry/surface.c: a triangle mesh becomes a surface: vertices with equal coordinates merged,
 * edges matched, normals.
 *
 * Closed means: along every edge as many faces run one way as the other. Then the surface has an
 * inside even where it touches itself. An edge has the sum of the unit normals of its faces,
 * however many; a corner that of its faces, each weighted by its angle there, however many fans
 * they form: the proof of the reference, by the divergence theorem on a small ball, asks for no
 * more. Faces without area have no normal: their edges and corners are marked as doubtful, and the
 * winding number decides.
 * Reference: J. A. Baerentzen, H. Aanaes, Signed distance computation using the angle weighted
 * pseudonormal, IEEE TVCG 11(3), 2005.
 * Cost: sorting the vertices and the edges. */
#include "geometry/surface.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "math/vec3.h"

static const double least_sine = 1e-14;  // a face whose corner has a smaller sine has no area

typedef struct surface_edge {
  int low, high;     // vertices
  int face, corner;  // runs from that corner to the next
  bool forward;      // from low to high
} surface_edge;

static int vertex_compare(const void *a, const void *b) {
  const double *x = *(const double *const *)a, *y = *(const double *const *)b;
  for (int i = 0; i < 3; ++i)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return (x > y) - (x < y);
}

static int edge_compare(const void *a, const void *b) {
  const surface_edge *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  if (x->high != y->high) return x->high < y->high ? -1 : 1;
  if (x->face != y->face) return x->face < y->face ? -1 : 1;
  return (x->corner > y->corner) - (x->corner < y->corner);
}

// Vertices that differ, in the order of the first of each, and faces that have three of them.
static bool merge(limpet_surface *s, const double *vertices, int vertex_count, const int *faces,
                  int face_count) {
  const double **sorted = malloc((size_t)vertex_count * sizeof *sorted);
  int *first = malloc((size_t)vertex_count * sizeof *first);
  if (sorted && first) {
    for (int v = 0; v < vertex_count; ++v) sorted[v] = vertices + 3 * v;
    qsort(sorted, (size_t)vertex_count, sizeof *sorted, vertex_compare);
    for (int k = 0, leader = 0; k < vertex_count; ++k) {
      if (limpet_vec3_distance(sorted[k], sorted[leader]) > 0.0) leader = k;
      first[(sorted[k] - vertices) / 3] = (int)((sorted[leader] - vertices) / 3);
    }
    for (int v = 0; v < vertex_count;
         ++v) {  // from the first vertex of each place to its new number
      if (first[v] == v) {
        limpet_vec3_copy(s->vertices + 3 * s->vertex_count, vertices + 3 * v);
        first[v] = s->vertex_count++;
      } else {
        first[v] = first[first[v]];
      }
    }
    for (int f = 0; f < face_count; ++f) {
      const int a = first[faces[3 * f]], b = first[faces[3 * f + 1]], c = first[faces[3 * f + 2]];
      if (a == b || b == c || c == a) continue;
      int *face = s->faces + 3 * s->face_count++;
      face[0] = a, face[1] = b, face[2] = c;
    }
  }
  const bool done = sorted && first;
  free(sorted), free(first);
  return done;
}

// Normals of faces and corners; returns six times the volume.
static double fill_normals(limpet_surface *s) {
  double volume = 0.0;
  for (int f = 0; f < s->face_count; ++f) {
    const int *face = s->faces + 3 * f;
    double side[3][3], length[3], n[3];
    for (int k = 0; k < 3; ++k) {
      limpet_vec3_sub(side[k], s->vertices + 3 * face[(k + 1) % 3], s->vertices + 3 * face[k]);
      length[k] = limpet_vec3_norm(side[k]);
    }
    limpet_vec3_cross(n, side[0], side[1]);
    volume += limpet_vec3_dot(s->vertices + 3 * face[0], n);
    const double longest = fmax(length[0], fmax(length[1], length[2]));
    if (!(limpet_vec3_norm(n) > least_sine * longest * longest)) {
      s->doubt[f] = LIMPET_SURFACE_FLAT;
      continue;
    }
    limpet_vec3_normalize(n);
    limpet_vec3_copy(s->face_normal + 3 * f, n);
    for (int k = 0; k < 3; ++k) {
      const int before = (k + 2) % 3;
      double out[3];
      limpet_vec3_cross(out, side[before], side[k]);
      const double angle = atan2(limpet_vec3_norm(out), -limpet_vec3_dot(side[before], side[k]));
      limpet_vec3_addmul(s->vertex_normal + 3 * face[k], s->vertex_normal + 3 * face[k], angle, n);
    }
  }
  return volume;
}

// The faces of one edge: the sum of their normals, in doubt next to a face without area.
static void edge_join(limpet_surface *s, const surface_edge *edges, int count) {
  double normal[3] = {0.0, 0.0, 0.0};
  bool doubtful = false;
  for (int k = 0; k < count; ++k) {
    limpet_vec3_add(normal, normal, s->face_normal + 3 * edges[k].face);
    doubtful |= s->doubt[edges[k].face] == LIMPET_SURFACE_FLAT;
  }
  doubtful |= limpet_vec3_norm(normal) < least_sine;  // sheets without thickness
  for (int k = 0; k < count; ++k) {
    limpet_vec3_copy(s->edge_normal + 9 * edges[k].face + 3 * edges[k].corner, normal);
    if (doubtful) s->doubt[edges[k].face] |= (unsigned char)(1 << edges[k].corner);
  }
}

// Joins the faces at all edges; returns how many edges are open, and the first of those.
static int match_edges(limpet_surface *s, surface_edge *edges, int open_edge[2]) {
  const int count = 3 * s->face_count;
  int open = 0;
  for (int i = 0; i < count; ++i) {
    const int a = s->faces[i], b = s->faces[i / 3 * 3 + (i + 1) % 3];
    edges[i] = (surface_edge){a < b ? a : b, a < b ? b : a, i / 3, i % 3, a < b};
  }
  qsort(edges, (size_t)count, sizeof *edges, edge_compare);
  for (int begin = 0, end; begin < count; begin = end) {
    int balance = 0;
    for (end = begin;
         end < count && edges[end].low == edges[begin].low && edges[end].high == edges[begin].high;
         ++end)
      balance += edges[end].forward ? 1 : -1;
    if (balance != 0 && open++ == 0)
      open_edge[0] = edges[begin].low, open_edge[1] = edges[begin].high;
    edge_join(s, edges + begin, end - begin);
  }
  return open;
}

// All corners at the vertices of faces without area are in doubt.
static void mark_corners(limpet_surface *s, bool *flat) {
  for (int i = 0; i < 3 * s->face_count; ++i)
    if (s->doubt[i / 3] == LIMPET_SURFACE_FLAT) flat[s->faces[i]] = true;
  for (int i = 0; i < 3 * s->face_count; ++i)
    if (flat[s->faces[i]]) s->doubt[i / 3] |= (unsigned char)(8 << i % 3);
}

static limpet_status connect(limpet_surface *s, limpet_error *error) {
  const double volume = fill_normals(s);
  surface_edge *edges = malloc(3 * (size_t)s->face_count * sizeof *edges);
  bool *flat = calloc((size_t)s->vertex_count, sizeof *flat);
  limpet_status status = LIMPET_ERROR_MEMORY;
  if (edges && flat) {
    int at[2] = {0, 0};
    const int open = match_edges(s, edges, at);
    const double *a = s->vertices + 3 * at[0], *b = s->vertices + 3 * at[1];
    status = LIMPET_OK;
    if (open > 0)
      status = limpet_error_fill(
          error, LIMPET_ERROR_INPUT,
          "the surface is open at %d edge%s, the first from (%g %g %g) to (%g %g %g) m, so it has "
          "no "
          "inside; close it, turn faces that run the wrong way, or use its convex hull",
          open, open == 1 ? "" : "s", a[0], a[1], a[2], b[0], b[1], b[2]);
    else if (!(volume > 0.0))
      status = limpet_error_fill(error, LIMPET_ERROR_INPUT,
                                 "the volume of the surface is %g m^3: its faces look inwards, or "
                                 "it has none; turn them around",
                                 volume / 6.0);
    else mark_corners(s, flat);
  } else {
    limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a surface of %d faces",
                      s->face_count);
  }
  free(edges), free(flat);
  return status;
}

static limpet_status check_input(const double *vertices, int vertex_count, const int *faces,
                                 int face_count, limpet_error *error) {
  if (vertex_count < 4 || face_count < 4 || face_count > 100000000)
    return limpet_error_fill(
        error, LIMPET_ERROR_INPUT,
        "a surface of %d vertices and %d faces; give four or more of each, and less than 1e8 faces",
        vertex_count, face_count);
  for (int i = 0; i < 3 * vertex_count; ++i)
    if (!isfinite(vertices[i]))
      return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                               "vertex %d of the surface is NaN or infinite", i / 3);
  for (int i = 0; i < 3 * face_count; ++i)
    if (faces[i] < 0 || faces[i] >= vertex_count)
      return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                               "face %d of the surface names vertex %d, but there are %d", i / 3,
                               faces[i], vertex_count);
  return LIMPET_OK;
}

static limpet_surface *allocate(int vertex_count, int face_count) {
  limpet_surface *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  const size_t v = (size_t)vertex_count, f = (size_t)face_count;
  s->vertices = calloc(3 * v, sizeof(double)), s->vertex_normal = calloc(3 * v, sizeof(double));
  s->faces = calloc(3 * f, sizeof(int)), s->doubt = calloc(f, 1);
  s->face_normal = calloc(3 * f, sizeof(double)), s->edge_normal = calloc(9 * f, sizeof(double));
  s->node = calloc(2 * f, sizeof *s->node);
  if (s->vertices && s->vertex_normal && s->faces && s->doubt && s->face_normal && s->edge_normal &&
      s->node)
    return s;
  limpet_surface_destroy(s);
  return NULL;
}

limpet_surface *limpet_surface_create(const double *vertices, int vertex_count, const int *faces,
                                      int face_count, limpet_error *error) {
  assert(vertices && faces);
  if (check_input(vertices, vertex_count, faces, face_count, error) != LIMPET_OK) return NULL;
  limpet_surface *s = allocate(vertex_count, face_count);
  bool done = s && merge(s, vertices, vertex_count, faces, face_count);
  if (!done)
    limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a surface of %d faces",
                      face_count);
  if (done && s->face_count < 4) {
    limpet_error_fill(
        error, LIMPET_ERROR_INPUT,
        "the surface has %d faces with three different corners; it takes four or more",
        s->face_count);
    done = false;
  }
  if (done) done = connect(s, error) == LIMPET_OK;
  if (done && limpet_surface_tree_build(s) != LIMPET_OK) {
    limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for the tree of a surface of %d faces",
                      s->face_count);
    done = false;
  }
  if (done) return s;
  limpet_surface_destroy(s);
  return NULL;
}

void limpet_surface_destroy(limpet_surface *surface) {
  if (!surface) return;
  free(surface->vertices), free(surface->vertex_normal), free(surface->faces), free(surface->doubt);
  free(surface->face_normal), free(surface->edge_normal), free(surface->node);
  free(surface);
}
