/* geometry/stuffing.c: tetrahedra that end at a surface: see stuffing.h.
 *
 * Isosurface stuffing. Where an edge runs from inside (depth > 0) to outside it has a cut, by
 * linear interpolation. A vertex with a cut nearer than a share of the edge moves to the nearest of
 * its cuts and lies on the surface then (depth 0): so no piece gets a very short edge. What edges
 * still change sign are cut, and of each tetrahedron the part inside remains: +000 ++00 +++0 ++++
 * whole
 *   +... (one inside)     a tetrahedron, cuts in the place of the vertices outside
 *   ++0- (two, one on)    a pyramid
 *   ++-- +++-             a prism
 * Pyramids and prisms are split along the diagonals of their quadrilaterals that leave from the
 * vertex of the least number, so neighbours agree and no prism is cyclic.
 * The shares keep dihedral angles of a uniform lattice above ten degrees.
 * Reference: F. Labelle, J. R. Shewchuk, Isosurface stuffing, ACM TOG 26(3), 2007. */
#include "geometry/stuffing.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/pressure_mesh.h"
#include "math/vec3.h"

static const double share_long = 0.24999, share_short = 0.41189;  // of edges h, h sqrt(3)/2
static const double flat = 1e-9;                                  // [-]  volume over h^3

typedef struct edge {
  int a, b;  // a < b
  int cut;   // number of the vertex of its cut; -1: none
} edge;

typedef struct stuffer {
  limpet_pressure_mesh mesh;  // grows: the lattice's vertices and the cuts, what remains
  double *depth;              // (vertex_count of the lattice)  zero where a vertex was moved
  edge *edge;
  int edge_count;
  double h;
  bool failed;
} stuffer;

static int compare(const void *x, const void *y) {
  const edge *s = x, *t = y;
  if (s->a != t->a) return s->a < t->a ? -1 : 1;
  return (s->b > t->b) - (s->b < t->b);
}

// Edges that change sign, each once, sorted.
static void list_edges(stuffer *s, const int *tetrahedra, int count) {
  static const int pair[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  int all = 0;
  for (int t = 0; t < count; ++t)
    for (int e = 0; e < 6; ++e) {
      const int v = tetrahedra[4L * t + pair[e][0]], w = tetrahedra[4L * t + pair[e][1]];
      if (s->depth[v] * s->depth[w] < 0.0)
        s->edge[all++] = (edge){v < w ? v : w, v < w ? w : v, -1};
    }
  qsort(s->edge, (size_t)all, sizeof *s->edge, compare);
  for (int i = 0; i < all; ++i)
    if (i == 0 || compare(&s->edge[i], &s->edge[i - 1])) s->edge[s->edge_count++] = s->edge[i];
}

static double cut_at(const double *x, const double *depth, const edge *e, double at[3]) {
  const double t = depth[e->a] / (depth[e->a] - depth[e->b]);
  for (int k = 0; k < 3; ++k) at[k] = x[3L * e->a + k] + t * (x[3L * e->b + k] - x[3L * e->a + k]);
  return t;
}

// Moves vertices with a near cut onto it. x the lattice's vertices, which stay.
static void move_vertices(stuffer *s, const double *x, const double *depth, double *nearest) {
  for (int i = 0; i < s->edge_count; ++i) {
    const edge *e = &s->edge[i];
    double at[3];
    const double t = cut_at(x, depth, e, at),
                 length = limpet_vec3_distance(x + 3L * e->a, x + 3L * e->b),
                 share = length > 0.93 * s->h ? share_long : share_short;
    for (int side = 0; side < 2; ++side) {
      const int v = side ? e->b : e->a;
      const double part = side ? 1.0 - t : t;
      if (part >= share || (s->depth[v] == 0.0 && nearest[v] <= part * length)) continue;
      nearest[v] = part * length, s->depth[v] = 0.0;
      limpet_vec3_copy(s->mesh.vertices + 3L * v, at);
    }
  }
}

// Vertices of the cuts that remain.
static void make_cuts(stuffer *s, const double *x, const double *depth) {
  for (int i = 0; i < s->edge_count && !s->failed; ++i) {
    edge *e = &s->edge[i];
    double at[3];
    if (s->depth[e->a] == 0.0 || s->depth[e->b] == 0.0) continue;
    cut_at(x, depth, e, at);
    e->cut = limpet_pressure_mesh_vertex(&s->mesh, at, 0.0);
    s->failed = e->cut < 0;
  }
}

static int cut_of(const stuffer *s, int v, int w) {
  const edge key = {v < w ? v : w, v < w ? w : v, -1};
  const edge *found = bsearch(&key, s->edge, (size_t)s->edge_count, sizeof key, compare);
  return found->cut;
}

// Adds a tetrahedron in the order that gives it a positive volume.
static void add(stuffer *s, int a, int b, int c, int d) {
  const double *x = s->mesh.vertices, volume = limpet_pressure_mesh_volume6(x + 3L * a, x + 3L * b,
                                                                            x + 3L * c, x + 3L * d);
  if (fabs(volume) < flat * s->h * s->h * s->h) return;
  const int made = volume > 0.0 ? limpet_pressure_mesh_tetrahedron(&s->mesh, a, b, c, d)
                                : limpet_pressure_mesh_tetrahedron(&s->mesh, a, b, d, c);
  s->failed |= made < 0;
}

// A pyramid of the quadrilateral q in turn and the apex.
static void add_pyramid(stuffer *s, const int q[4], int apex) {
  const int first = q[0] < q[1] ? q[0] : q[1], second = q[2] < q[3] ? q[2] : q[3];
  const bool even =
      (first < second ? first : second) == q[0] || (first < second ? first : second) == q[2];
  const int k = even ? 0 : 1;
  add(s, q[k], q[k + 1], q[(k + 2) % 4], apex);
  add(s, q[k], q[(k + 2) % 4], q[(k + 3) % 4], apex);
}

// A prism of two triangles, low[i] joined to high[i]: pyramids and a tetrahedron from the vertex of
// the least number.
static void add_prism(stuffer *s, const int low[3], const int high[3]) {
  const int *near = low, *far = high;
  int at = 0;
  for (int i = 0; i < 3; ++i) {
    if (low[i] < near[at]) near = low, far = high, at = i;
    if (high[i] < near[at]) near = high, far = low, at = i;
  }
  const int i = at, j = (i + 1) % 3, k = (i + 2) % 3;
  add(s, near[i], far[i], far[j], far[k]);
  add_pyramid(s, (const int[4]){near[j], near[k], far[k], far[j]}, near[i]);
}

// The part of a tetrahedron inside.
static void keep_inside(stuffer *s, const int *t) {
  int in[4], on[4], out[4], ins = 0, ons = 0, outs = 0;
  for (int k = 0; k < 4; ++k) {
    const double depth = s->depth[t[k]];
    if (depth > 0.0) in[ins++] = t[k];
    else if (depth < 0.0) out[outs++] = t[k];
    else on[ons++] = t[k];
  }
  if (ins == 0) return;
  if (outs == 0) {
    add(s, t[0], t[1], t[2], t[3]);
  } else if (ins == 1) {
    for (int k = 0; k < outs; ++k) on[ons++] = cut_of(s, in[0], out[k]);
    add(s, in[0], on[0], on[1], on[2]);
  } else if (ins == 2 && outs == 1) {
    const int q[4] = {in[0], in[1], cut_of(s, in[1], out[0]), cut_of(s, in[0], out[0])};
    add_pyramid(s, q, on[0]);
  } else if (ins == 2) {
    const int low[3] = {in[0], cut_of(s, in[0], out[0]), cut_of(s, in[0], out[1])},
              high[3] = {in[1], cut_of(s, in[1], out[0]), cut_of(s, in[1], out[1])};
    add_prism(s, low, high);
  } else {
    int high[3];
    for (int k = 0; k < 3; ++k) high[k] = cut_of(s, in[k], out[0]);
    add_prism(s, in, high);
  }
}

// Vertices of the pieces alone, in the order that they have.
static void compact(stuffer *s) {
  const int vertices = s->mesh.vertex_count, corners = 4 * s->mesh.tetrahedron_count;
  int *number = calloc((size_t)vertices + 1, sizeof *number), kept = 0;
  s->failed |= !number;
  if (s->failed) {
    free(number);
    return;
  }
  for (int i = 0; i < corners; ++i) number[s->mesh.tetrahedra[i]] = 1;
  for (int v = 0; v < vertices; ++v) {
    if (!number[v]) continue;
    limpet_vec3_copy(s->mesh.vertices + 3L * kept, s->mesh.vertices + 3L * v);
    number[v] = kept++;
  }
  for (int i = 0; i < corners; ++i) s->mesh.tetrahedra[i] = number[s->mesh.tetrahedra[i]];
  s->mesh.vertex_count = kept;
  free(number);
}

// Of the lattice: the longest edge of a tetrahedron.
static double longest_edge(const double *x, const int *t) {
  double most = 0.0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j)
      most = fmax(most, limpet_vec3_distance(x + 3L * t[i], x + 3L * t[j]));
  return most;
}

limpet_status limpet_stuff(const double *vertices, int vertex_count, const double *depth,
                           const int *tetrahedra, int count, limpet_stuffing *out) {
  stuffer s = {.h = count > 0 ? longest_edge(vertices, tetrahedra) : 1.0};
  *out = (limpet_stuffing){0};
  for (int v = 0; v < vertex_count && !s.failed; ++v)
    s.failed = limpet_pressure_mesh_vertex(&s.mesh, vertices + 3L * v, depth[v]) < 0;
  s.depth = malloc(((size_t)vertex_count + 1) * sizeof *s.depth);
  s.edge = malloc((6 * (size_t)count + 1) * sizeof *s.edge);
  double *nearest = calloc((size_t)vertex_count + 1, sizeof *nearest);
  s.failed |= !s.depth || !s.edge || !nearest;
  if (!s.failed) {
    memcpy(s.depth, depth, (size_t)vertex_count * sizeof *s.depth);
    list_edges(&s, tetrahedra, count);
    move_vertices(&s, vertices, depth, nearest);
    make_cuts(&s, vertices, depth);
  }
  for (int t = 0; t < count && !s.failed; ++t) keep_inside(&s, tetrahedra + 4L * t);
  if (!s.failed) compact(&s);
  free(s.depth), free(s.edge), free(nearest);
  if (s.failed) {
    limpet_pressure_mesh_free(&s.mesh);
    return LIMPET_ERROR_MEMORY;
  }
  *out = (limpet_stuffing){s.mesh.vertex_count, s.mesh.tetrahedron_count, s.mesh.vertices,
                           s.mesh.tetrahedra};
  s.mesh.vertices = NULL, s.mesh.tetrahedra = NULL;
  limpet_pressure_mesh_free(&s.mesh);
  return LIMPET_OK;
}

void limpet_stuffing_free(limpet_stuffing *stuffing) {
  free(stuffing->vertices), free(stuffing->tetrahedra);
  *stuffing = (limpet_stuffing){0};
}
