/* geometry/depth_newton.c: the depth of overlapping cores by Newton's method, from a direction near
 * the best.
 *
 * The depth is the least value over unit n of the support function of A - B,
 *   h(n) = n.X(n) + sum l_k |n.d_k|,  X = a(n) - b(n) the support point of what is round,
 *   d_k, l_k: edges along which segments, boxes and cylinders are long, and half their lengths.
 * Where the least value lies on n.d_k = 0, the edge k is active: the point of the boundary that is
 * nearest to the origin is somewhere along it,
 *   h n = X + sum over others of sign(n.d_k) l_k d_k + sum over active ones of s_k l_k d_k,
 * with |s_k| <= 1. Two active edges fix n, one leaves a great circle, none the sphere; there
 *   slope  t.X,   second derivative  t'(grad X)t - h   along the tangent t.
 * An edge whose s_k is too large is let go, one that n would cross becomes active. The answer
 * satisfies the equation above, which also gives the witness points.
 * Caps of cylinders, to which all of n across the axis is lost, are for depth_refine.c.
 * Hulls take part as the vertex or the edge that a face of EPA's polytope has of them: X has the
 * vertex or the middle of the edge. What is found there holds if the whole hull has no more depth.
 * Of cores that are apart h is minus their distance, which has one least value; there, and where
 * the normal is nearly known, a search takes 2 or 3 steps. One step more than the slope asks for
 * ends at round-off. Searches that stall, or that promise no less than is known, are given up.
 * Cost: 3 to 10 steps of some 300 instructions. No workspace. */
#include "geometry/convex.h"
#include "math/vec3.h"

enum { EDGE_ROOM = 6, STEP_LIMIT = 40, ACTIVE_LIMIT = 2, HALVINGS = 6, STALL_LIMIT = 3 };

static const double slope_tolerance = 1e-13;   // of the size
static const double hull_tolerance = 1e-12;    // of the size: depth of the whole hull
static const double settled_tolerance = 1e-6;  // of the size: a depth that is nearly the answer
static const double near_edge = 0.05;          // |n.d| below which an edge is active at first
static const double settled_edge = 3e-3;       // the same from a normal that is nearly the answer
static const double cap_sine = 1e-3;           // sine to a cylinder's axis below which it is a cap
static const double step_limit = 0.7;          // [rad]
static const double share_slack = 1e-9;        // of s_k
static const double side_slack = 1e-13;        // of n.d
static const double parallel_sine = 1e-4;      // of two edges
static const double bend_share = 1e-8;         // of the larger bend: the least that counts
static const double near_step = 1.0;           // [rad]  steps below it gain what they promise
static const double same_least = 0.99;         // cosine of directions that lead to one least depth
static const double gain_room = 3.0;           // times the promise

typedef struct edge {
  double d[3], half;  // axes of A
  double sign;        // side of n; of an active one s_k
  bool active, of_b;
} edge;

typedef struct search {
  const limpet_minkowski *pair;
  double size;
  edge edges[EDGE_ROOM];
  int edge_count;
  double middle[2][3];      // what X has of hulls, axes of A; else 0
  double n[3], a[3], b[3];  // direction; round parts of the support points, axes of A
  double fixed[3];          // X and the edges that are not active
  double slope, gain;       // [m]  of h at n; by how much a step of Newton's method would lower it
  double near_edge;         // |n.d| below which an edge is active at first
  bool convex;              // h at n
  int vertex[2];            // of hulls: that is farthest where a step was last tried
} search;

// ----------------------------------------------------------------------------------- shapes

static void edge_add(search *s, int axis, double half, bool of_b) {
  edge *e = &s->edges[s->edge_count++];
  *e = (edge){.half = half, .of_b = of_b};
  for (int i = 0; i < 3; ++i)
    e->d[i] = of_b ? s->pair->rotation[3 * i + axis] : (double)(i == axis);
}

// False: the shape is none of those that are known here.
static bool edges_add(search *s, const limpet_shape *shape, bool of_b) {
  switch (shape->kind) {
    case LIMPET_SHAPE_SPHERE:
    case LIMPET_SHAPE_ELLIPSOID: return true;
    case LIMPET_SHAPE_CAPSULE:
    case LIMPET_SHAPE_CYLINDER: edge_add(s, 2, shape->size[1], of_b); return true;
    case LIMPET_SHAPE_BOX:
      for (int k = 0; k < 3; ++k) edge_add(s, k, shape->size[k], of_b);
      return true;
    default: return false;
  }
}

/* What points of the difference have of a hull: a vertex, or two that are the ends of an edge.
 * False: they are three. */
static bool hull_add(search *s, const limpet_simplex *corners, bool of_b) {
  const limpet_hull *hull = of_b ? s->pair->b->hull : s->pair->a->hull;
  int end[2] = {corners->point[0].vertex[of_b], corners->point[0].vertex[of_b]};
  for (int k = 1; k < corners->count; ++k) {
    const int vertex = corners->point[k].vertex[of_b];
    if (vertex == end[0] || vertex == end[1]) continue;
    if (end[0] != end[1]) return false;
    end[1] = vertex;
  }
  const double *p = hull->vertices + 3 * end[0], *q = hull->vertices + 3 * end[1];
  double middle[3], way[3], d[3];
  for (int i = 0; i < 3; ++i) middle[i] = 0.5 * (p[i] + q[i]), way[i] = 0.5 * (q[i] - p[i]);
  limpet_vec3_copy(d, way);
  if (of_b) {
    limpet_mat3_mul_vec(s->middle[1], s->pair->rotation, middle);
    limpet_mat3_mul_vec(d, s->pair->rotation, way);
  } else {
    limpet_vec3_copy(s->middle[0], middle);
  }
  const double half = limpet_vec3_normalize(d);
  if (end[0] == end[1]) return true;
  edge *e = &s->edges[s->edge_count++];
  *e = (edge){.half = half, .of_b = of_b};
  limpet_vec3_copy(e->d, d);
  return half > 0.0;
}

// What is round of a support point, in the shape's axes. False: a cap faces the direction.
static bool round_support(double point[3], const limpet_shape *shape, const double n[3]) {
  limpet_vec3_zero(point);
  if (shape->kind == LIMPET_SHAPE_ELLIPSOID) limpet_core_support[shape->kind](point, shape, n);
  if (shape->kind != LIMPET_SHAPE_CYLINDER) return true;
  const double across = sqrt(n[0] * n[0] + n[1] * n[1]);
  if (across < cap_sine) return false;
  point[0] = shape->size[0] / across * n[0];
  point[1] = shape->size[0] / across * n[1];
  return true;
}

// u' (gradient of the round support point) v for a unit n.
static double curvature(const limpet_shape *shape, const double n[3], const double u[3],
                        const double v[3]) {
  if (shape->kind == LIMPET_SHAPE_CYLINDER) {
    const double square = n[0] * n[0] + n[1] * n[1];
    return shape->size[0] / (square * sqrt(square)) * (n[0] * u[1] - n[1] * u[0]) *
           (n[0] * v[1] - n[1] * v[0]);
  }
  if (shape->kind != LIMPET_SHAPE_ELLIPSOID) return 0.0;
  double uv = 0.0, un = 0.0, vn = 0.0, nn = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double s = shape->size[i] * shape->size[i];
    uv += s * u[i] * v[i], un += s * u[i] * n[i], vn += s * v[i] * n[i], nn += s * n[i] * n[i];
  }
  const double q = sqrt(nn);
  return uv / q - un * vn / (q * nn) -
         limpet_core_radius(shape) *
             (limpet_vec3_dot(u, v) - limpet_vec3_dot(u, n) * limpet_vec3_dot(v, n));
}

static double pair_curvature(const search *s, const double u[3], const double v[3]) {
  double n_b[3], u_b[3], v_b[3];
  limpet_mat3_tmul_vec(n_b, s->pair->rotation, s->n);
  limpet_mat3_tmul_vec(u_b, s->pair->rotation, u);
  limpet_mat3_tmul_vec(v_b, s->pair->rotation, v);
  return curvature(s->pair->a, s->n, u, v) + curvature(s->pair->b, n_b, u_b, v_b);
}

// X and the edges beside it at n. False: at a cap.
static bool support_at(search *s) {
  double n_b[3], b[3];
  limpet_mat3_tmul_vec(n_b, s->pair->rotation, s->n);
  limpet_vec3_neg(n_b, n_b);
  if (!round_support(s->a, s->pair->a, s->n) || !round_support(b, s->pair->b, n_b)) return false;
  limpet_vec3_add(s->a, s->a, s->middle[0]);
  limpet_mat3_mul_vec(s->b, s->pair->rotation, b);
  limpet_vec3_add(s->b, s->b, s->pair->offset);
  limpet_vec3_add(s->b, s->b, s->middle[1]);
  limpet_vec3_sub(s->fixed, s->a, s->b);
  for (int k = 0; k < s->edge_count; ++k) {
    const edge *e = &s->edges[k];
    if (!e->active) limpet_vec3_addmul(s->fixed, s->fixed, e->sign * e->half, e->d);
  }
  return true;
}

// ------------------------------------------------------------------------------- active edges

static int active_edges(search *s, edge *active[EDGE_ROOM]) {
  int count = 0;
  for (int k = 0; k < s->edge_count; ++k)
    if (s->edges[k].active) active[count++] = &s->edges[k];
  return count;
}

// Makes the edge active, unless that would be one too many or parallel to another.
static bool activate(search *s, edge *e) {
  edge *active[EDGE_ROOM];
  const int count = active_edges(s, active);
  double cross[3];
  if (count == ACTIVE_LIMIT) return false;
  if (count == 1) {
    limpet_vec3_cross(cross, active[0]->d, e->d);
    if (limpet_vec3_norm(cross) < parallel_sine) return false;
  }
  e->active = true;
  return true;
}

// Turns n to where it is at right angles to the active edges. False: there is no such n near.
static bool project(search *s) {
  edge *active[EDGE_ROOM];
  const int count = active_edges(s, active);
  if (count == 2) {
    double n[3];
    limpet_vec3_cross(n, active[0]->d, active[1]->d);
    limpet_vec3_scale(s->n, limpet_vec3_dot(n, s->n) < 0.0 ? -1.0 : 1.0, n);
  } else if (count == 1) {
    limpet_vec3_addmul(s->n, s->n, -limpet_vec3_dot(s->n, active[0]->d), active[0]->d);
  }
  return limpet_vec3_normalize(s->n) > 0.0;
}

/* s_k of the active edges at a stationary n. Returns the edge that must be let go, for its s_k is
 * out of its range by the most; NULL: all are within. */
static edge *shares_find(search *s, double h) {
  edge *active[EDGE_ROOM];
  const int count = active_edges(s, active);
  double rest[3];
  limpet_vec3_scale(rest, h, s->n);
  limpet_vec3_sub(rest, rest, s->fixed);
  if (count == 1) active[0]->sign = limpet_vec3_dot(rest, active[0]->d) / active[0]->half;
  if (count == 2) {
    const double c = limpet_vec3_dot(active[0]->d, active[1]->d),
                 x = limpet_vec3_dot(rest, active[0]->d), y = limpet_vec3_dot(rest, active[1]->d);
    active[0]->sign = (x - c * y) / (1.0 - c * c) / active[0]->half;
    active[1]->sign = (y - c * x) / (1.0 - c * c) / active[1]->half;
  }
  edge *worst = NULL;
  for (int k = 0; k < count; ++k)
    if (fabs(active[k]->sign) > (worst ? fabs(worst->sign) : 1.0 + share_slack)) worst = active[k];
  return worst;
}

// ---------------------------------------------------------------------------------- stepping

/* x = -|H|^-1 g for the symmetric H: Newton's step where both bends are positive, else down the
 * slope by each bend's size, along its own direction. Returns whether both are positive. */
static bool step_by_bends(double x[2], const double g[2], double xx, double xy, double yy) {
  const double mean = 0.5 * (xx + yy), half = 0.5 * (xx - yy), det = xx * yy - xy * xy;
  if (xx > 0.0 && det > 0.0) {
    x[0] = -(yy * g[0] - xy * g[1]) / det, x[1] = -(xx * g[1] - xy * g[0]) / det;
    return true;
  }
  // u: the direction of the larger bend
  const double spread = sqrt(half * half + xy * xy), most = fabs(mean) + spread;
  double u[2] = {half + (half < 0.0 ? -spread : spread), xy};
  if (half < 0.0) u[0] = xy, u[1] = spread - half;
  const double length = sqrt(u[0] * u[0] + u[1] * u[1]);
  if (length > 0.0) u[0] /= length, u[1] /= length;
  else u[0] = 1.0, u[1] = 0.0;
  const double bend[2] = {fmax(fabs(mean + spread), bend_share * most),
                          fmax(fabs(mean - spread), bend_share * most)};
  const double along = -(g[0] * u[0] + g[1] * u[1]) / bend[0],
               across = -(g[1] * u[0] - g[0] * u[1]) / bend[1];
  x[0] = along * u[0] - across * u[1], x[1] = along * u[1] + across * u[0];
  return false;
}

// The tangential step of Newton's method, by the size of the bends where h is not convex.
static void step_of(search *s, double h, double step[3]) {
  edge *active[EDGE_ROOM];
  const int count = active_edges(s, active);
  double t[2][3], g[2], x[2];
  limpet_vec3_zero(step);
  s->convex = true;
  s->slope = s->gain = 0.0;
  if (count == 2) return;
  if (count == 1) {
    limpet_vec3_cross(t[0], active[0]->d, s->n);
    g[0] = limpet_vec3_dot(t[0], s->fixed);
    const double bend = pair_curvature(s, t[0], t[0]) - h;
    s->convex = bend > 0.0;
    const double way = s->convex ? -g[0] / bend : g[0] > 0.0 ? -step_limit : step_limit;
    limpet_vec3_scale(step, way, t[0]);
    s->slope = fabs(g[0]), s->gain = -0.5 * g[0] * way;
    return;
  }
  limpet_vec3_tangents(t[0], t[1], s->n);
  for (int i = 0; i < 2; ++i) g[i] = limpet_vec3_dot(t[i], s->fixed);
  const double xx = pair_curvature(s, t[0], t[0]) - h, yy = pair_curvature(s, t[1], t[1]) - h,
               xy = pair_curvature(s, t[0], t[1]);
  s->convex = step_by_bends(x, g, xx, xy, yy);
  for (int i = 0; i < 2; ++i) limpet_vec3_addmul(step, step, x[i], t[i]);
  s->slope = sqrt(g[0] * g[0] + g[1] * g[1]), s->gain = -0.5 * (g[0] * x[0] + g[1] * x[1]);
}

/* Shortens a step from h that does not lower the support function, which far from the answer bends
 * otherwise than where the step was made. False: no shorter one lowers it either. */
static bool shorten(search *s, double h, double step[3]) {
  for (int k = 0; k < HALVINGS; ++k) {
    limpet_minkowski_point point = {.vertex = {s->vertex[0], s->vertex[1]}};
    double n[3];
    limpet_vec3_add(n, s->n, step);
    limpet_vec3_normalize(n);
    limpet_minkowski_support(&point, s->pair, n);
    for (int i = 0; i < 2; ++i) s->vertex[i] = point.vertex[i];
    if (limpet_vec3_dot(point.w, n) <= h + slope_tolerance * s->size) return true;
    limpet_vec3_scale(step, 0.5, step);
  }
  return false;
}

// Moves n, at most to the first edge that it would cross, which becomes active.
static void move(search *s, const double step[3]) {
  double next[3];
  limpet_vec3_add(next, s->n, step);
  edge *crossed = NULL;
  double first = 1.0;
  for (int k = 0; k < s->edge_count; ++k) {
    edge *e = &s->edges[k];
    const double here = limpet_vec3_dot(s->n, e->d), there = limpet_vec3_dot(next, e->d);
    if (e->active || e->sign * there >= 0.0) continue;
    const double share = e->sign * here > 0.0 ? here / (here - there) : 0.0;
    if (share < first) first = share, crossed = e;
  }
  limpet_vec3_addmul(s->n, s->n, crossed ? first : 1.0, step);
  limpet_vec3_normalize(s->n);
  if (crossed && !activate(s, crossed)) crossed->sign = -crossed->sign;
}

static void start(search *s, const double normal[3]) {
  limpet_vec3_copy(s->n, normal);
  for (int k = 0; k < s->edge_count; ++k) {
    edge *e = &s->edges[k];
    const double height = limpet_vec3_dot(s->n, e->d);
    e->active = false;
    e->sign = height < 0.0 ? -1.0 : 1.0;
  }
  // the nearest first
  for (int round = 0; round < ACTIVE_LIMIT; ++round) {
    edge *nearest = NULL;
    double least = s->near_edge;
    for (int k = 0; k < s->edge_count; ++k) {
      edge *e = &s->edges[k];
      const double height = fabs(limpet_vec3_dot(s->n, e->d));
      if (!e->active && height < least) least = height, nearest = e;
    }
    if (nearest) activate(s, nearest);
  }
}

static void witness(const search *s, double a[3], double b[3]) {
  limpet_vec3_copy(a, s->a);
  limpet_vec3_copy(b, s->b);
  for (int k = 0; k < s->edge_count; ++k) {
    const edge *e = &s->edges[k];
    double *to = e->of_b ? b : a;
    limpet_vec3_addmul(to, to, (e->of_b ? -1.0 : 1.0) * e->sign * e->half, e->d);
  }
}

// Whether n lies on the side of each edge that was taken; sides that were not are changed.
static bool sides_hold(search *s) {
  bool hold = true;
  for (int k = 0; k < s->edge_count; ++k) {
    edge *e = &s->edges[k];
    if (e->active || e->sign * limpet_vec3_dot(s->n, e->d) >= -side_slack) continue;
    e->sign = -e->sign;
    hold = false;
  }
  return hold;
}

/* Whether the search will find nothing new: it is close to what is known, or near its end, where a
 * step promises too little and no edge that is let go leads on. */
static bool is_hopeless(search *s, double h, double length, const limpet_known_depth *known) {
  if (!s->convex || h < known->depth) return false;
  if (limpet_vec3_dot(s->n, known->normal) > same_least) return true;
  return length < near_step && h - gain_room * s->gain > known->depth - slope_tolerance * s->size &&
         !shares_find(s, h);
}

// From a normal to the least depth near it.
static bool run(search *s, double normal[3], double a[3], double b[3], double *depth,
                const limpet_known_depth *known) {
  int stalls = 0;
  bool settled = false;
  start(s, normal);
  if (!project(s)) return false;
  for (int k = 0; k < STEP_LIMIT; ++k) {
    double step[3];
    if (!support_at(s)) return false;
    const double h = limpet_vec3_dot(s->n, s->fixed);
    step_of(s, h, step);
    if (s->slope > slope_tolerance * s->size || !s->convex) {
      const double length = limpet_vec3_norm(step);
      if (known && is_hopeless(s, h, length, known)) return false;
      if (length > step_limit) limpet_vec3_scale(step, step_limit / length, step);
      if (!shorten(s, h, step) && ++stalls == STALL_LIMIT) return false;
      move(s, step);
      if (!project(s)) return false;
      continue;
    }
    if (!sides_hold(s)) continue;
    edge *loose = shares_find(s, h);
    if (!loose && !settled && s->slope > 0.0) {
      // the step that ends at round-off
      settled = true;
      limpet_vec3_add(s->n, s->n, step);
      if (!project(s)) return false;
      continue;
    }
    if (!loose) {
      limpet_vec3_copy(normal, s->n);
      witness(s, a, b);
      *depth = h;
      return true;
    }
    loose->active = false;
    loose->sign = loose->sign < 0.0 ? -1.0 : 1.0;
  }
  return false;
}

static search search_of(const limpet_minkowski *pair, double size, double near) {
  return (search){.pair = pair, .size = size, .near_edge = near, .vertex = {-1, -1}};
}

bool limpet_depth_newton(double normal[3], double a[3], double b[3], double *depth,
                         const limpet_minkowski *pair, double size,
                         const limpet_known_depth *known) {
  search s = search_of(pair, size, near_edge);
  if (!edges_add(&s, pair->a, false) || !edges_add(&s, pair->b, true)) return false;
  return run(&s, normal, a, b, depth, known);
}

// With what the points have of hulls. *next: another vertex, that is farther where it stalled.
static bool corners_run(double normal[3], double a[3], double b[3], double *depth,
                        const limpet_minkowski *pair, const limpet_simplex *corners, double size,
                        double near, int next[2]) {
  search s = search_of(pair, size, near);
  for (int side = 0; side < 2; ++side) {
    const limpet_shape *shape = side == 0 ? pair->a : pair->b;
    const bool known = shape->kind == LIMPET_SHAPE_MESH ? hull_add(&s, corners, side == 1)
                                                        : edges_add(&s, shape, side == 1);
    if (!known) return false;
    s.vertex[side] = corners->point[0].vertex[side];
  }
  const bool found = run(&s, normal, a, b, depth, NULL);
  for (int side = 0; side < 2; ++side) next[side] = s.vertex[side];
  return found;
}

// Whether no other vertex of a hull is farther than what was found along n.
static bool is_farthest(const limpet_minkowski *pair, const limpet_simplex *corners,
                        const double n[3], double depth, double size) {
  limpet_minkowski_point point = corners->point[0];
  limpet_minkowski_support(&point, pair, n);
  return limpet_vec3_dot(point.w, n) <= depth + hull_tolerance * size;
}

bool limpet_depth_newton_hull(double normal[3], double a[3], double b[3], double *depth,
                              const limpet_minkowski *pair, const limpet_simplex *corners,
                              double size) {
  limpet_simplex points = *corners;
  double n[3];
  int next[2] = {points.point[0].vertex[0], points.point[0].vertex[1]};
  limpet_vec3_copy(n, normal);
  bool found = corners_run(n, a, b, depth, pair, &points, size, near_edge, next);
  limpet_minkowski_point *added = &points.point[points.count < 4 ? points.count++ : 3];
  *added = points.point[0];
  for (int side = 0; side < 2 && !found; ++side) added->vertex[side] = next[side];
  if (!found) {
    // the edge to the vertex that is farther
    limpet_vec3_copy(n, normal);
    found = corners_run(n, a, b, depth, pair, &points, size, near_edge, next);
  }
  if (!found || !is_farthest(pair, corners, n, *depth, size)) return false;
  limpet_vec3_copy(normal, n);
  return true;
}

bool limpet_depth_newton_settle(double normal[3], double a[3], double b[3], double *depth,
                                const limpet_minkowski *pair, const limpet_simplex *corners,
                                double size) {
  double n[3], on_a[3], on_b[3], least;
  int next[2];
  limpet_vec3_copy(n, normal);
  if (!corners_run(n, on_a, on_b, &least, pair, corners, size, settled_edge, next) ||
      !is_farthest(pair, corners, n, least, size) || least > *depth + settled_tolerance * size)
    return false;
  *depth = least;
  limpet_vec3_copy(normal, n);
  limpet_vec3_copy(a, on_a);
  limpet_vec3_copy(b, on_b);
  return true;
}
