/* geometry/convex_edges.c: distance of two convex cores of which an edge of one is nearest to an
 * edge of the other.
 *
 * With the edges a0 + s u and b0 + t w, 0 <= s, t <= 1, of the cores A and B, and the unit normal n
 * of both from A to B, the lines are nearest to each other where
 *   u.(r + t w - s u) = 0,  w.(r + t w - s u) = 0,  r = b0 - a0,  at the distance  n.r
 * It is the distance of the cores if s and t lie inside and no corner of A lies higher along n than
 * its edge, none of B lower: of a convex body it is enough to ask the neighbours of both ends. All
 * of this is wanted with room to spare, so that no other features are as near: GJK ends at the same
 * edges, and its answer ends in this function as well (convex_contact.c). So a result does not
 * depend on whether the edges were known from the step before.
 * Corners have numbers: the vertices of a hull, three bits of signs of a box, the ends of a
 * capsule's segment. Cost: some 300 instructions, 8 for each neighbour. */
#include "geometry/convex.h"
#include "math/vec3.h"

static const double inside_share = 0.01;    // of an edge: by how much the nearest point lies inside
static const double least_edge = 0.003;     // of the size: shorter edges are not told apart by GJK
static const double cross_square = 1e-3;    // sin^2 of the angle of the edges
static const double room = 1e-7;            // of the size: by which other corners are farther off
static const double least_distance = 1e-7;  // of the size: GJK sees cores apart well below that
static const double margin_tolerance = 1e-8;  // of the size: distances that count as the margin
static const double no_weight = 1e-5;         // of a point of the simplex that is round-off

static bool has_edges(const limpet_shape *shape) {
  return shape->kind == LIMPET_SHAPE_CAPSULE || shape->kind == LIMPET_SHAPE_BOX ||
         shape->kind == LIMPET_SHAPE_MESH;
}

static void corner_point(double point[3], const limpet_shape *shape, int corner) {
  const double *h = shape->size;
  if (shape->kind == LIMPET_SHAPE_MESH) limpet_vec3_copy(point, shape->hull->vertices + 3 * corner);
  else if (shape->kind == LIMPET_SHAPE_CAPSULE)
    limpet_vec3_set(point, 0.0, 0.0, corner ? h[1] : -h[1]);
  else
    for (int i = 0; i < 3; ++i) point[i] = corner >> i & 1 ? h[i] : -h[i];
}

// The number of a corner at a point of the shape's own axes; vertex: of hulls.
static int corner_number(const limpet_shape *shape, const double point[3], int vertex) {
  if (shape->kind == LIMPET_SHAPE_MESH) return vertex;
  if (shape->kind == LIMPET_SHAPE_CAPSULE) return point[2] > 0.0;
  return (point[0] > 0.0) | (point[1] > 0.0) << 1 | (point[2] > 0.0) << 2;
}

// Adds a corner to the two of an edge. False: it is a third one.
static bool corner_add(int corner[2], int *count, int number) {
  for (int i = 0; i < *count; ++i)
    if (corner[i] == number) return true;
  if (*count == 2) return false;
  corner[(*count)++] = number;
  return true;
}

static void sort_corners(int corner[2]) {
  if (corner[0] < corner[1]) return;
  const int swap = corner[0];
  corner[0] = corner[1], corner[1] = swap;
}

void limpet_convex_edges_of(limpet_edges *edges, const limpet_minkowski *pair,
                            const limpet_simplex *simplex) {
  *edges = (limpet_edges){{0, 0}, {0, 0}};
  if (!has_edges(pair->a) || !has_edges(pair->b)) return;
  limpet_edges found = *edges;
  int count_a = 0, count_b = 0;
  for (int i = 0; i < simplex->count; ++i) {
    const limpet_minkowski_point *p = &simplex->point[i];
    double lever[3], own[3];
    if (simplex->weight[i] < no_weight) continue;
    limpet_vec3_sub(lever, p->b, pair->offset);
    limpet_mat3_tmul_vec(own, pair->rotation, lever);
    if (!corner_add(found.a, &count_a, corner_number(pair->a, p->a, p->vertex[0])) ||
        !corner_add(found.b, &count_b, corner_number(pair->b, own, p->vertex[1])))
      return;
  }
  if (count_a < 2 || count_b < 2) return;
  sort_corners(found.a);
  sort_corners(found.b);
  *edges = found;
}

// Whether a corner lies below the edge's height along n (own axes) by the room.
static bool is_below(const limpet_shape *shape, int corner, const double n[3], double height) {
  double p[3];
  corner_point(p, shape, corner);
  return limpet_vec3_dot(n, p) < height;
}

/* Whether two corners are the ends of an edge that is higher along n (own axes) than all its
 * neighbours, by `least`. */
static bool is_highest(const limpet_shape *shape, const int end[2], const double n[3],
                       double least) {
  double p[3];
  corner_point(p, shape, end[0]);
  const double height = limpet_vec3_dot(n, p) - least;
  if (shape->kind == LIMPET_SHAPE_CAPSULE) return true;
  bool joined = false;
  for (int k = 0; k < 2; ++k) {
    const int own = end[k], other = end[1 - k];
    const bool box = shape->kind == LIMPET_SHAPE_BOX;
    const int *begin = box ? NULL : shape->hull->neighbour_begin + own;
    const int count = box ? 3 : begin[1] - begin[0];
    for (int i = 0; i < count; ++i) {
      const int next = box ? own ^ 1 << i : shape->hull->neighbour[begin[0] + i];
      if (next == other) joined = true;
      else if (!is_below(shape, next, n, height)) return false;
    }
  }
  return joined;
}

// The point of A's edge and the distance along n; n from A to B.
typedef struct edges_view {
  double on_a[3], n[3], distance, size;
} edges_view;

// Ends of the edges, in the axes of A.
static void ends_of(double a[2][3], double b[2][3], const limpet_minkowski *pair,
                    const limpet_edges *edges) {
  for (int k = 0; k < 2; ++k) {
    double own[3];
    corner_point(a[k], pair->a, edges->a[k]);
    corner_point(own, pair->b, edges->b[k]);
    limpet_mat3_mul_vec(b[k], pair->rotation, own);
    limpet_vec3_add(b[k], b[k], pair->offset);
  }
}

static bool lines_meet(edges_view *view, const limpet_minkowski *pair, const limpet_edges *edges) {
  double a[2][3], b[2][3], u[3], w[3], r[3];
  ends_of(a, b, pair, edges);
  limpet_vec3_sub(u, a[1], a[0]);
  limpet_vec3_sub(w, b[1], b[0]);
  limpet_vec3_sub(r, b[0], a[0]);
  const double uu = limpet_vec3_dot(u, u), ww = limpet_vec3_dot(w, w), uw = limpet_vec3_dot(u, w);
  const double ur = limpet_vec3_dot(u, r), wr = limpet_vec3_dot(w, r), den = uu * ww - uw * uw;
  view->size = limpet_vec3_norm(pair->offset) + sqrt(uu) + sqrt(ww);
  const double shortest = least_edge * view->size;
  if (!(den > cross_square * uu * ww) || uu < shortest * shortest || ww < shortest * shortest)
    return false;
  const double s = (ur * ww - uw * wr) / den, t = (uw * ur - uu * wr) / den;
  if (!(fabs(s - 0.5) < 0.5 - inside_share && fabs(t - 0.5) < 0.5 - inside_share)) return false;

  limpet_vec3_cross(view->n, u, w);
  limpet_vec3_normalize(view->n);
  if (limpet_vec3_dot(view->n, r) < 0.0) limpet_vec3_neg(view->n, view->n);
  view->distance = limpet_vec3_dot(view->n, r);
  limpet_vec3_addmul(view->on_a, a[0], s, u);
  return view->distance > least_distance * view->size;
}

bool limpet_convex_edges(limpet_convex_result *result, const limpet_minkowski *pair,
                         const limpet_edges *edges, double margin) {
  edges_view view;
  double of_b[3];
  if (edges->a[0] == edges->a[1] || !lines_meet(&view, pair, edges)) return false;
  const double radii = pair->radius_a + pair->radius_b, distance = view.distance - radii;
  if (fabs(distance - margin) <= margin_tolerance * view.size) return false;
  limpet_mat3_tmul_vec(of_b, pair->rotation, view.n);
  limpet_vec3_neg(of_b, of_b);
  if (!is_highest(pair->a, edges->a, view.n, room * view.size) ||
      !is_highest(pair->b, edges->b, of_b, room * view.size))
    return false;
  result->distance = distance;
  limpet_vec3_copy(result->normal, view.n);
  limpet_vec3_addmul(result->on_a, view.on_a, pair->radius_a, view.n);
  limpet_vec3_addmul(result->on_b, result->on_a, distance, view.n);
  return true;
}
