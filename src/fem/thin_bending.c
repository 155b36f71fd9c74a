/* fem/thin_bending.c: the bending of a shell, as terms that are squares: see thin.h.
 *
 * b_e = sum w_a x_a over the four nodes of a hinge e, w cotangents: the length of the edge times
 * the jump of the slope across it [m]. A plate has W = 1/2 int k:C:k, k (2 x 2) [1/m] its
 * curvature, C:k = D ((1 - nu) k + nu tr(k) I), D = E h^3/(12 (1 - nu^2)). In a triangle of area A
 *
 *   k = sum_e N_e b_e,  N_e = n_e n_e'/(2 A)            n_e normal of edge e in the plane, outwards
 *   M = A N' C N  (3 x 3),   W = 1/2 b' M b = sum_k d_k/2 |b_k + sum_(e > k) L_ek b_e|^2
 *
 * by M = L diag(d) L'. k is the mean of the gradient's derivative with the slope across each edge
 * the mean of both sides'; it is exact for each quadratic shape where hinges are parallelograms, so
 * on all triangulations that repeat one triangle and its turned copy (grids with diagonals of one
 * direction, equilateral ones). There a plate converges as Kirchhoff's does; single hinges, M
 * diagonal, leave out the cross terms between the hinges of a triangle. Equilateral ones bend with
 * D and nu = -1/3 then, and grids are up to 1.8 times as stiff as they should.
 *
 * On other triangulations k is not exact, and adding k's over a patch is: the plate is too stiff.
 * Q_ef: b_e of the quadratic shape of curvature N_f. k = N Q^-1 b is exact there, and too soft,
 * since forces of constant moment do not vanish. The energy is the mean of both,
 * M = (M_1 + Q^-T M_1 Q^-1)/2. Both are the same where Q = 1.
 *
 * At an edge of one triangle the slope is free: M_nn = 0, and its b is eliminated. The rest shape
 * is unfolded into the plane of each triangle.
 * Sources: Onate, Zarate, Rotation-free triangular plate and shell elements (2000), BST; Flores,
 * Onate, A basic thin shell triangle with only translational DOFs (2001). */
#include <math.h>
#include <string.h>

#include "fem/thin.h"
#include "math/vec3.h"

// [-]  |det Q| below which the second energy is left out: a patch that quadratics are not told by
static const double least_patch = 0.25;

enum { EDGES = 3, PATCH = 4 };

// A hinge of a triangle, in its plane: the edge begins at corner k.
typedef struct hinge {
  int node[PATCH];       // ends, the third corner, the wing
  double weight[PATCH];  // cotangents
  double N[3], S[3];     // 11, 22, 12: N_e; b_e of quadratics by their curvature
} hinge;

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

static void hinge_make(const double *x, const int *t, const plane_point corner[3], int k, int wing,
                       hinge *h) {
  const int a = t[k], b = t[(k + 1) % 3], third = t[(k + 2) % 3];
  const plane_point p = corner[k], q = corner[(k + 1) % 3];
  const plane_point at[PATCH] = {p, q, corner[(k + 2) % 3],
                                 unfold_wing(x + 3L * a, x + 3L * b, x + 3L * wing, p, q)};
  const double c2 = cotangent(p, q, at[2]), c3 = cotangent(p, q, at[3]),
               d2 = cotangent(q, p, at[2]), d3 = cotangent(q, p, at[3]);
  const int node[PATCH] = {a, b, third, wing};
  const double weight[PATCH] = {d2 + d3, c2 + c3, -c2 - d2, -c3 - d3};
  memcpy(h->node, node, sizeof node), memcpy(h->weight, weight, sizeof weight);
  memset(h->S, 0, sizeof h->S);
  for (int i = 0; i < PATCH; ++i) {
    h->S[0] += 0.5 * weight[i] * at[i].x * at[i].x;
    h->S[1] += 0.5 * weight[i] * at[i].y * at[i].y;
    h->S[2] += weight[i] * at[i].x * at[i].y;
  }
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

// The inverse of a 3 x 3 matrix and its determinant; the inverse is left alone where that is small.
static double invert(const double Q[9], double inverse[9]) {
  double cofactor[9], det = 0.0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      cofactor[3 * i + j] = Q[3 * a + c] * Q[3 * b + d] - Q[3 * a + d] * Q[3 * b + c];
    }
  for (int j = 0; j < 3; ++j) det += Q[j] * cofactor[j];
  for (int i = 0; fabs(det) > least_patch && i < 3; ++i)
    for (int j = 0; j < 3; ++j) inverse[3 * i + j] = cofactor[3 * j + i] / det;
  return det;
}

// (M + P' M P)/2
static void mean_with(const double P[9], double M[9]) {
  double MP[9], other[9];
  limpet_mat3_mul(MP, M, P);
  limpet_mat3_tmul(other, P, MP);
  for (int i = 0; i < 9; ++i) M[i] = 0.5 * (M[i] + other[i]);
}

// M, and its derivative by nu in B.
typedef struct stiffness {
  double M[9], B[9];
} stiffness;

// M becomes the mean of both energies, where the patch has quadratics.
static void average(const hinge h[EDGES], stiffness *s) {
  double Q[9], P[9];
  for (int e = 0; e < 3; ++e)
    for (int f = 0; f < 3; ++f) Q[3 * e + f] = limpet_vec3_dot(h[e].S, h[f].N);
  if (!(fabs(invert(Q, P)) > least_patch)) return;
  mean_with(P, s->M), mean_with(P, s->B);
}

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
static limpet_thin_element term(const double *x, const int *t, const hinge h[EDGES], int k,
                                const int *wing, const stiffness *s) {
  const double d = s->M[4 * k], rate = s->B[4 * k] / d;
  limpet_thin_element e = {
      .kind = LIMPET_THIN_BENDING, .stiffness = d, .elastic = d, .stiffness_by_nu = s->B[4 * k]};
  for (int i = 0; i < 3; ++i) add_weight(&e, t[i], 0.0, 0.0), e.corner[i] = i;
  for (int f = k; f < EDGES; ++f) {
    const double L = s->M[3 * f + k] / d, by_nu = s->B[3 * f + k] / d - rate * L;
    for (int i = 0; wing[f] >= 0 && i < PATCH; ++i)
      add_weight(&e, h[f].node[i], L * h[f].weight[i], by_nu * h[f].weight[i]);
  }
  e.rest = take_rest(x, t, &e, e.weight);
  e.rest_by_nu = take_rest(x, t, &e, e.weight_by_nu);
  limpet_thin_sort_nodes(&e);
  return e;
}

int limpet_thin_bend(const double *x, const int *triangle, const int *wing, double D, double nu,
                     limpet_thin_element *term_of) {
  plane_point corner[3];
  hinge h[EDGES];
  stiffness s;
  const double A = unfold(x, triangle, corner), by_nu = D * 2.0 * nu / (1.0 - nu * nu);
  bool inside = true;
  for (int e = 0; e < EDGES; ++e) {
    edge_normal(corner, e, A, h[e].N);
    if (wing[e] >= 0) hinge_make(x, triangle, corner, e, wing[e], &h[e]);
    else inside = false;
  }
  for (int e = 0; e < 3; ++e)
    for (int f = 0; f < 3; ++f) {
      const double p = product(nu, h[e].N, h[f].N);
      s.M[3 * e + f] = A * D * p;
      s.B[3 * e + f] = A * (by_nu * p + D * product_by_nu(h[e].N, h[f].N));
    }
  if (inside) average(h, &s);
  for (int e = 0; e < EDGES; ++e)
    if (wing[e] < 0) eliminate(e, &s);

  // M = L diag(d) L', a term for each d
  int count = 0;
  for (int k = 0; k < EDGES; ++k) {
    if (wing[k] < 0) continue;
    term_of[count++] = term(x, triangle, h, k, wing, &s);
    eliminate(k, &s);
  }
  return count;
}
