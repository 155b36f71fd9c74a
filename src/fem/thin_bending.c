/* fem/thin_bending.c: the bending of a shell, as terms that are squares: see thin.h.
 *
 * b_e = sum w_a x_a over the four nodes of a hinge e, w cotangents: the length of the edge times
 * the jump of the slope across it [m]. A plate has W = 1/2 int k:C:k, k (2 x 2) [1/m] its
 * curvature, C:k = D ((1 - nu) k + nu tr(k) I), D = E h^3/(12 (1 - nu^2)). In a triangle of area A
 *
 *   k = sum_e N_e b_e,  N_e = n_e n_e'/(2 A)            n_e normal of edge e in the plane, outwards
 *   M = A N' C N  (3 x 3),   W = 1/2 b' M b = sum_k d_k/2 |b_k + sum_(e > k) L_ek b_e|^2
 *
 * by M = L diag(d) L'. k is the mean of the gradient's derivative. With slopes across edges as
 * unknowns this is Morley's plate, which converges on all triangulations. Here the slope in the
 * middle of an edge follows from the vertices, the same for both its triangles: so a plate is
 * Morley's within a smaller space, and converges where that has all quadratic shapes.
 *
 * The mean of both sides' slopes, b_e, is exact for quadratics where the hinge is a parallelogram.
 * Elsewhere the jumps of the four edges around it and its own correct it,
 *   b_e <- b_e + sum_f g_f b_f,   sum_f g_f b_f(q) = exact(q) - b_e(q) for all quadratics q,
 * with the least |g|; both triangles find the same. On the rim, where edges around are missing,
 * that is met as far as it can be. g is zero on grids with diagonals of one direction and
 * equilateral ones: terms have 6 vertices there, else up to 12. Single hinges, M diagonal and no g,
 * are up to 1.8 times as stiff as they should.
 *
 * At an edge of one triangle the slope is free: M_nn = 0, and its b is eliminated. The rest shape
 * is unfolded into the plane of each triangle.
 * Sources: Morley, The triangular equilibrium element in the solution of plate bending problems
 * (1968); Onate, Zarate, Rotation-free triangular plate and shell elements (2000); Grinspun,
 * Gingold, Reisman, Zorin, Computing discrete shape operators on general meshes (2006). */
#include <math.h>
#include <string.h>

#include "fem/thin.h"
#include "math/vec3.h"

/* [-]  the least share of squares that is added to what tells quadratics apart, and its growth
 * until no correction is larger than `most`; what is below `least` is round-off */
static const double least_share = 1e-9, growth = 100.0, most = 4.0, least = 1e-9;

enum { EDGES = 3, PATCH = 4, AROUND = 5 };

// A hinge in the plane of a triangle.
typedef struct hinge {
  int node[PATCH];       // ends, the third corner, the wing
  double weight[PATCH];  // cotangents
  double S[3];           // 11, 22, 12: b of quadratics by their curvature
} hinge;

// Of an edge: N_e, and b_e with its correction.
typedef struct slope {
  double N[3];  // 11, 22, 12
  int count, node[AROUND * PATCH];
  double weight[AROUND * PATCH];
} slope;

typedef struct plane_point {
  double x, y;
} plane_point;

// Cotangent of the angle at p.
static double cotangent(plane_point p, plane_point a, plane_point b) {
  const double ux = a.x - p.x, uy = a.y - p.y, vx = b.x - p.x, vy = b.y - p.y;
  return (ux * vx + uy * vy) / fabs(ux * vy - uy * vx);
}

// The corners of a triangle in its plane, counterclockwise, the first edge along x. Returns A.
static double unfold(const double *x, const int *t, plane_point corner[3]) {
  double u[3], v[3], n[3];
  limpet_vec3_sub(u, x + 3L * t[1], x + 3L * t[0]);
  limpet_vec3_sub(v, x + 3L * t[2], x + 3L * t[0]);
  limpet_vec3_cross(n, u, v);
  const double length = limpet_vec3_norm(u), twice = limpet_vec3_norm(n);
  corner[0] = (plane_point){0.0, 0.0}, corner[1] = (plane_point){length, 0.0};
  corner[2] = (plane_point){limpet_vec3_dot(u, v) / length, twice / length};
  return 0.5 * twice;
}

// Where a wing comes to lie beyond the edge from p to q, whose ends in space are a and b.
static plane_point unfold_wing(const double *a, const double *b, const double *wing, plane_point p,
                               plane_point q) {
  double u[3], v[3], n[3];
  limpet_vec3_sub(u, b, a), limpet_vec3_sub(v, wing, a);
  limpet_vec3_cross(n, u, v);
  const double square = limpet_vec3_dot(u, u);
  const double along = limpet_vec3_dot(u, v) / square, across = limpet_vec3_norm(n) / square;
  return (plane_point){p.x + along * (q.x - p.x) + across * (q.y - p.y),
                       p.y + along * (q.y - p.y) - across * (q.x - p.x)};
}

// N_e of the edge from corner k of a triangle of area A.
static void edge_normal(const plane_point corner[3], int k, double A, double N[3]) {
  const plane_point p = corner[k], q = corner[(k + 1) % 3];
  const double dx = q.x - p.x, dy = q.y - p.y, scale = 0.5 / (A * (dx * dx + dy * dy));
  N[0] = scale * dy * dy, N[1] = scale * dx * dx, N[2] = -scale * dx * dy;
}

static hinge hinge_make(const int node[PATCH], const plane_point at[PATCH]) {
  hinge h = {.S = {0.0, 0.0, 0.0}};
  const plane_point p = at[0], q = at[1];
  const double c2 = cotangent(p, q, at[2]), c3 = cotangent(p, q, at[3]),
               d2 = cotangent(q, p, at[2]), d3 = cotangent(q, p, at[3]);
  const double weight[PATCH] = {d2 + d3, c2 + c3, -c2 - d2, -c3 - d3};
  memcpy(h.node, node, sizeof h.node), memcpy(h.weight, weight, sizeof weight);
  for (int i = 0; i < PATCH; ++i) {
    h.S[0] += 0.5 * weight[i] * at[i].x * at[i].x;
    h.S[1] += 0.5 * weight[i] * at[i].y * at[i].y;
    h.S[2] += weight[i] * at[i].x * at[i].y;
  }
  return h;
}

// The hinge of edge k of a triangle, and its wing in the plane.
static hinge own_hinge(const double *x, const int *t, const plane_point corner[3], int k, int wing,
                       plane_point *there) {
  const int node[PATCH] = {t[k], t[(k + 1) % 3], t[(k + 2) % 3], wing};
  const plane_point p = corner[k], q = corner[(k + 1) % 3];
  *there = unfold_wing(x + 3L * node[0], x + 3L * node[1], x + 3L * wing, p, q);
  const plane_point at[PATCH] = {p, q, corner[(k + 2) % 3], *there};
  return hinge_make(node, at);
}

// A hinge of the triangle beyond: a, b, c its corners, with the edge from a to b.
static hinge far_hinge(const double *x, const int node[PATCH], plane_point a, plane_point b,
                       plane_point c) {
  const plane_point at[PATCH] = {
      a, b, c, unfold_wing(x + 3L * node[0], x + 3L * node[1], x + 3L * node[3], a, b)};
  return hinge_make(node, at);
}

// R (2): the edge from corner k turned to its outer normal, of the edge's length.
static plane_point outward(const plane_point corner[3], int k) {
  const plane_point p = corner[k], q = corner[(k + 1) % 3];
  return (plane_point){q.y - p.y, p.x - q.x};
}

/* What b of edge k is for quadratics by their curvature (11, 22, 12) where the slope in the middle
 * of the edge is theirs: -2 length (slope across - slope of the plane through the corners). */
static void exact_jump(const plane_point corner[3], int k, double A, double exact[3]) {
  const plane_point R = outward(corner, k), p = corner[k], q = corner[(k + 1) % 3];
  const double mx = 0.5 * (p.x + q.x), my = 0.5 * (p.y + q.y);
  exact[0] = -2.0 * R.x * mx, exact[1] = -2.0 * R.y * my, exact[2] = -2.0 * (R.x * my + R.y * mx);
  for (int i = 0; i < 3; ++i) {
    const plane_point opposite = outward(corner, (i + 1) % 3), c = corner[i];
    const double g = -(R.x * opposite.x + R.y * opposite.y) / A;  // 2 length n . grad of corner i
    exact[0] += 0.5 * g * c.x * c.x, exact[1] += 0.5 * g * c.y * c.y, exact[2] += g * c.x * c.y;
  }
}

// Solves the symmetric positive definite M (3 x 3) y = r.
static void solve_three(const double M[9], const double r[3], double y[3]) {
  double cofactor[9], det = 0.0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      cofactor[3 * i + j] = M[3 * a + c] * M[3 * b + d] - M[3 * a + d] * M[3 * b + c];
    }
  for (int j = 0; j < 3; ++j) det += M[j] * cofactor[j];
  for (int i = 0; i < 3; ++i)
    y[i] = (cofactor[i] * r[0] + cofactor[3 + i] * r[1] + cofactor[6 + i] * r[2]) / det;
}

/* g (count): the least with sum g_f S_f = missed, all by the curvatures 11, 22 and 12, of which the
 * last one counts half. */
static void correct(int count, const hinge h[AROUND], const double missed[3], double *g) {
  static const double share[3] = {1.0, 1.0, 0.5};
  double M[9] = {0.0}, y[3];
  for (int f = 0; f < count; ++f)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) M[3 * i + j] += h[f].S[i] * h[f].S[j];
  const double trace = M[0] * share[0] + M[4] * share[1] + M[8] * share[2];
  double largest = INFINITY, before = 0.0;
  for (double added = least_share; largest > most && added < 1.0; added *= growth) {
    // S' share S + added 1, in the curvatures' own scale
    for (int i = 0; i < 3; ++i) M[4 * i] += (added - before) * trace / share[i];
    before = added, largest = 0.0;
    solve_three(M, missed, y);
    for (int f = 0; f < count; ++f) {
      g[f] = limpet_vec3_dot(h[f].S, y);
      largest = fmax(largest, fabs(g[f]));
    }
  }
  for (int f = 0; f < count && !(largest > least && largest <= most); ++f) g[f] = 0.0;
}

static void slope_add(slope *s, double factor, const hinge *h) {
  for (int i = 0; i < PATCH; ++i) {
    int a = 0;
    while (a < s->count && s->node[a] != h->node[i]) ++a;
    if (a == s->count) s->node[s->count++] = h->node[i], s->weight[a] = 0.0;
    s->weight[a] += factor * h->weight[i];
  }
}

// b of edge k with its correction.
static void slope_make(const double *x, const int *t, const limpet_thin_patch *patch,
                       const plane_point corner[3], int k, double A, slope *s) {
  hinge h[AROUND];
  plane_point there, unused;
  int count = 1;
  double exact[3], missed[3], g[AROUND];
  const int a = t[k], b = t[(k + 1) % 3], wing = patch->wing[k];
  const plane_point p = corner[k], q = corner[(k + 1) % 3];
  h[0] = own_hinge(x, t, corner, k, wing, &there);
  for (int e = 1; e < EDGES; ++e)
    if (patch->wing[(k + e) % 3] >= 0)
      h[count++] = own_hinge(x, t, corner, (k + e) % 3, patch->wing[(k + e) % 3], &unused);
  const int first[PATCH] = {a, wing, b, patch->beyond[k][0]},
            second[PATCH] = {wing, b, a, patch->beyond[k][1]};
  if (first[3] >= 0) h[count++] = far_hinge(x, first, p, there, q);
  if (second[3] >= 0) h[count++] = far_hinge(x, second, there, q, p);
  exact_jump(corner, k, A, exact);
  limpet_vec3_sub(missed, exact, h[0].S);
  correct(count, h, missed, g);
  s->count = 0;
  slope_add(s, 1.0, &h[0]);
  for (int f = 0; f < count; ++f)
    if (g[f] != 0.0) slope_add(s, g[f], &h[f]);
}

// N_e:C:N_f over D
static double product(double nu, const double N[3], const double P[3]) {
  return N[0] * P[0] + N[1] * P[1] + nu * (N[0] * P[1] + N[1] * P[0]) +
         2.0 * (1.0 - nu) * N[2] * P[2];
}

// Its derivative by nu.
static double product_by_nu(const double N[3], const double P[3]) {
  return N[0] * P[1] + N[1] * P[0] - 2.0 * N[2] * P[2];
}

// M, and its derivative by nu in B.
typedef struct stiffness {
  double M[9], B[9];
} stiffness;

// Leaves an edge out of M whose slope is free.
static void eliminate(int k, stiffness *s) {
  double row[3], by_nu[3];
  for (int j = 0; j < 3; ++j) row[j] = s->M[3 * k + j], by_nu[j] = s->B[3 * k + j];
  const double d = row[k], rate = by_nu[k] / d;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      s->M[3 * i + j] -= row[i] * row[j] / d;
      s->B[3 * i + j] -= (by_nu[i] * row[j] + row[i] * by_nu[j] - rate * row[i] * row[j]) / d;
    }
  for (int j = 0; j < 3; ++j) {
    s->M[3 * k + j] = s->M[3 * j + k] = 0.0;
    s->B[3 * k + j] = s->B[3 * j + k] = 0.0;
  }
}

static void add_weight(limpet_thin_element *e, int node, double weight, double by_nu) {
  int a = 0;
  while (a < e->count && e->node[a] != node) ++a;
  if (a == e->count) e->node[e->count++] = node, e->weight[a] = e->weight_by_nu[a] = 0.0;
  e->weight[a] += weight, e->weight_by_nu[a] += by_nu;
}

/* The rest of a term: b = sum w x [m] in the rest shape. Along the normal it is c, which is
 * returned; what lies in the plane of the triangle goes into the weights of its corners, as a share
 * of its sides u and v, so that a curved shell has no energy at rest. */
static double take_rest(const double *x, const int *t, const limpet_thin_element *e,
                        double *weight) {
  double u[3], v[3], n[3], b[3] = {0.0, 0.0, 0.0};
  for (int a = 0; a < e->count; ++a) limpet_vec3_addmul(b, b, weight[a], x + 3L * e->node[a]);
  limpet_vec3_sub(u, x + 3L * t[1], x + 3L * t[0]);
  limpet_vec3_sub(v, x + 3L * t[2], x + 3L * t[0]);
  limpet_vec3_cross(n, u, v);
  const double size = limpet_vec3_norm(n), rest = limpet_vec3_dot(b, n) / size;
  const double uu = limpet_vec3_dot(u, u), uv = limpet_vec3_dot(u, v), vv = limpet_vec3_dot(v, v);
  const double bu = limpet_vec3_dot(b, u), bv = limpet_vec3_dot(b, v), det = size * size;
  const double of_u = (vv * bu - uv * bv) / det, of_v = (uu * bv - uv * bu) / det;
  weight[0] += of_u + of_v, weight[1] -= of_u, weight[2] -= of_v;
  return fabs(rest) < 1e-9 * sqrt(size) ? 0.0 : rest;  // 0: flat
}

// b_k + sum_(e > k) L_ek b_e of a triangle, by row k of M.
static limpet_thin_element term(const double *x, const int *t, const slope b[EDGES], int k,
                                const int *wing, const stiffness *s) {
  const double d = s->M[4 * k], rate = s->B[4 * k] / d;
  limpet_thin_element e = {
      .kind = LIMPET_THIN_BENDING, .stiffness = d, .elastic = d, .stiffness_by_nu = s->B[4 * k]};
  for (int i = 0; i < 3; ++i) add_weight(&e, t[i], 0.0, 0.0), e.corner[i] = i;
  for (int f = k; f < EDGES; ++f) {
    const double L = s->M[3 * f + k] / d, by_nu = s->B[3 * f + k] / d - rate * L;
    for (int i = 0; wing[f] >= 0 && i < b[f].count; ++i)
      add_weight(&e, b[f].node[i], L * b[f].weight[i], by_nu * b[f].weight[i]);
  }
  e.rest = take_rest(x, t, &e, e.weight);
  e.rest_by_nu = take_rest(x, t, &e, e.weight_by_nu);
  limpet_thin_sort_nodes(&e);
  return e;
}

int limpet_thin_bend(const double *x, const int *triangle, const limpet_thin_patch *patch, double D,
                     double nu, limpet_thin_element *term_of) {
  plane_point corner[3];
  slope b[EDGES];
  stiffness s;
  const double A = unfold(x, triangle, corner), by_nu = D * 2.0 * nu / (1.0 - nu * nu);
  for (int e = 0; e < EDGES; ++e) {
    edge_normal(corner, e, A, b[e].N);
    if (patch->wing[e] >= 0) slope_make(x, triangle, patch, corner, e, A, &b[e]);
  }
  for (int e = 0; e < 3; ++e)
    for (int f = 0; f < 3; ++f) {
      const double p = product(nu, b[e].N, b[f].N);
      s.M[3 * e + f] = A * D * p;
      s.B[3 * e + f] = A * (by_nu * p + D * product_by_nu(b[e].N, b[f].N));
    }
  for (int e = 0; e < EDGES; ++e)
    if (patch->wing[e] < 0) eliminate(e, &s);

  // M = L diag(d) L', a term for each d
  int count = 0;
  for (int k = 0; k < EDGES; ++k) {
    if (patch->wing[k] < 0) continue;
    term_of[count++] = term(x, triangle, b, k, patch->wing, &s);
    eliminate(k, &s);
  }
  return count;
}
