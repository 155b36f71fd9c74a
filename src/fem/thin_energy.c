// fem/thin_energy.c: energy, force and stiffness of thin elements: see thin.h.
#include <math.h>
#include <string.h>

#include "fem/thin.h"
#include "math/vec3.h"

enum { ROW = 3 * LIMPET_THIN_NODES };

// K_ab += s u w'
static void add_outer(double *K, int a, int b, double s, const double u[3], const double w[3]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) K[(3 * a + i) * ROW + 3 * b + j] += s * u[i] * w[j];
}

static void add_identity(double *K, int a, int b, double s) {
  for (int i = 0; i < 3; ++i) K[(3 * a + i) * ROW + 3 * b + i] += s;
}

// ------------------------------------------------------------------------------- triangles

// The positive part of a symmetric matrix (s0 s2; s2 s1).
static void positive_part(const double s[3], double p[3]) {
  const double mean = 0.5 * (s[0] + s[1]), half = 0.5 * (s[0] - s[1]), radius = hypot(half, s[2]);
  const double high = fmax(mean + radius, 0.0), low = fmax(mean - radius, 0.0);
  const double centre = 0.5 * (high + low),
               share = radius > 0.0 ? 0.5 * (high - low) / radius : 0.0;
  p[0] = centre + share * half, p[1] = centre - share * half, p[2] = share * s[2];
}

static void triangle_stiffness(const limpet_fem_thin *thin, const limpet_thin_element *e,
                               double F[2][3], const double S[3], bool whole, double *K) {
  const double l = e->area * thin->lambda, m = e->area * thin->mu;
  double T[3], B[3][3][3];  // of a node: strain 11, 22, twice 12 by its x
  if (whole) limpet_vec3_copy(T, S);
  else positive_part(S, T);
  for (int a = 0; a < 3; ++a) {
    const double *g = e->gradient[a];
    for (int i = 0; i < 3; ++i) {
      B[a][0][i] = g[0] * F[0][i], B[a][1][i] = g[1] * F[1][i];
      B[a][2][i] = g[0] * F[1][i] + g[1] * F[0][i];
    }
  }
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      const double *g = e->gradient[a], *h = e->gradient[b];
      add_identity(
          K, a, b,
          e->area * (g[0] * (T[0] * h[0] + T[2] * h[1]) + g[1] * (T[2] * h[0] + T[1] * h[1])));
      add_outer(K, a, b, l + 2.0 * m, B[a][0], B[b][0]);
      add_outer(K, a, b, l + 2.0 * m, B[a][1], B[b][1]);
      add_outer(K, a, b, l, B[a][0], B[b][1]);
      add_outer(K, a, b, l, B[a][1], B[b][0]);
      add_outer(K, a, b, m, B[a][2], B[b][2]);
    }
}

typedef struct triangle_strain {
  double F[2][3];  // columns of the deformation gradient
  double E[3];     // Green's strain: 11, 22, 12
  double S[3];     // [N/m]  second Piola stress times the thickness
} triangle_strain;

static void stress_of(const limpet_fem_thin *thin, triangle_strain *s) {
  const double trace = s->E[0] + s->E[1];
  for (int k = 0; k < 3; ++k) s->S[k] = 2.0 * thin->mu * s->E[k];
  s->S[0] += thin->lambda * trace, s->S[1] += thin->lambda * trace;
}

static triangle_strain strain_of(const limpet_fem_thin *thin, const limpet_thin_element *e,
                                 const double *const x[]) {
  triangle_strain s = {.F = {{0.0}}};
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < 2; ++k) limpet_vec3_addmul(s.F[k], s.F[k], e->gradient[a][k], x[a]);
  s.E[0] = 0.5 * (limpet_vec3_dot(s.F[0], s.F[0]) - 1.0);
  s.E[1] = 0.5 * (limpet_vec3_dot(s.F[1], s.F[1]) - 1.0);
  s.E[2] = 0.5 * limpet_vec3_dot(s.F[0], s.F[1]);
  stress_of(thin, &s);
  return s;
}

static double triangle_energy(const limpet_fem_thin *thin, const limpet_thin_element *e,
                              const double *const x[], bool whole, double *f, double *K) {
  triangle_strain s = strain_of(thin, e, x);
  const double *E = s.E, *S = s.S, trace = E[0] + E[1];
  for (int a = 0; f && a < 3; ++a) {
    const double *g = e->gradient[a], c = e->area;
    limpet_vec3_addmul(f + 3 * a, f + 3 * a, c * (S[0] * g[0] + S[2] * g[1]), s.F[0]);
    limpet_vec3_addmul(f + 3 * a, f + 3 * a, c * (S[2] * g[0] + S[1] * g[1]), s.F[1]);
  }
  if (K) triangle_stiffness(thin, e, s.F, S, whole, K);
  return e->area * (thin->mu * (E[0] * E[0] + E[1] * E[1] + 2.0 * E[2] * E[2]) +
                    0.5 * thin->lambda * trace * trace);
}

// ------------------------------------------------------------------------------- bending

// Normal of a triangle.
static void normal_of(const limpet_thin_element *e, const double *const x[], double n[3]) {
  double u[3], v[3];
  limpet_vec3_sub(u, x[e->corner[1]], x[e->corner[0]]);
  limpet_vec3_sub(v, x[e->corner[2]], x[e->corner[0]]);
  limpet_vec3_cross(n, u, v);
  const double size = limpet_vec3_norm(n);
  if (size > 0.0) limpet_vec3_scale(n, 1.0 / size, n);
}

static double bending_energy(const limpet_thin_element *e, const double *const x0[],
                             const double *const x[], double *f, double *K) {
  double bend[3] = {0.0, 0.0, 0.0};
  for (int a = 0; a < e->count; ++a) limpet_vec3_addmul(bend, bend, e->weight[a], x[a]);
  if (e->rest != 0.0) {
    double n[3];
    normal_of(e, x0, n);
    limpet_vec3_addmul(bend, bend, -e->rest, n);
  }
  for (int a = 0; f && a < e->count; ++a)
    limpet_vec3_addmul(f + 3 * a, f + 3 * a, e->stiffness * e->weight[a], bend);
  for (int a = 0; K && a < e->count; ++a)
    for (int b = 0; b < e->count; ++b)
      add_identity(K, a, b, e->stiffness * e->weight[a] * e->weight[b]);
  return 0.5 * e->stiffness * limpet_vec3_dot(bend, bend);
}

// ------------------------------------------------------------------------------- edges

// From node 0 to node 1: a unit vector; returns the length [m].
static double edge_along(const double *const x[], double d[3]) {
  limpet_vec3_sub(d, x[1], x[0]);
  const double length = limpet_vec3_norm(d);
  if (length > 0.0) limpet_vec3_scale(d, 1.0 / length, d);
  return length;
}

static void edge_stiffness(const limpet_thin_element *e, const double d[3], double length,
                           double tension, bool whole, double *K) {
  const double across = length > 0.0 ? (whole ? tension : fmax(tension, 0.0)) / length : 0.0;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b) {
      const double sign = a == b ? 1.0 : -1.0;
      add_outer(K, a, b, sign * (e->stiffness - across), d, d);
      add_identity(K, a, b, sign * across);
    }
}

static double edge_energy(const limpet_thin_element *e, const double *const x[], bool whole,
                          double *f, double *K) {
  double d[3];
  const double length = edge_along(x, d), longer = length - e->rest,
               tension = e->stiffness * longer;
  for (int a = 0; f && a < 2; ++a)
    limpet_vec3_addmul(f + 3 * a, f + 3 * a, a ? tension : -tension, d);
  if (K) edge_stiffness(e, d, length, tension, whole, K);
  return 0.5 * tension * longer;
}

static void clear(const limpet_thin_element *e, double *K) {
  for (int r = 0; r < 3 * e->count; ++r)
    memset(K + (size_t)r * ROW, 0, 3 * (size_t)e->count * sizeof *K);
}

double limpet_thin_energy(const limpet_fem_thin *thin, const limpet_thin_element *e,
                          const double *x0, const double *x, bool whole, double *f, double *K) {
  const double *at[LIMPET_THIN_NODES], *at0[LIMPET_THIN_NODES];
  for (int a = 0; a < e->count; ++a) at[a] = x + 3L * e->node[a], at0[a] = x0 + 3L * e->node[a];
  if (f) memset(f, 0, 3 * (size_t)e->count * sizeof *f);
  if (K) clear(e, K);
  switch (e->kind) {
    case LIMPET_THIN_TRIANGLE: return triangle_energy(thin, e, at, whole, f, K);
    case LIMPET_THIN_BENDING: return bending_energy(e, at0, at, f, K);
    case LIMPET_THIN_EDGE: break;
  }
  return edge_energy(e, at, whole, f, K);
}

// The smaller one of two.
static double smaller(double a, double b) { return fabs(a) < fabs(b) ? a : b; }

static void edge_seen(const limpet_thin_element *e, const double *const was[],
                      const double *const x[], bool whole, double *K) {
  double along[3], d[3], to[3];
  const double before = edge_along(was, along), length = edge_along(x, d);
  limpet_vec3_sub(to, x[1], x[0]);
  const double seen = before > 0.0 ? limpet_vec3_dot(along, to) : length;
  edge_stiffness(e, d, length, e->stiffness * smaller(length - e->rest, seen - e->rest), whole, K);
}

static double size_of(const double E[3]) { return E[0] * E[0] + E[1] * E[1] + 2.0 * E[2] * E[2]; }

static void triangle_seen(const limpet_fem_thin *thin, const limpet_thin_element *e,
                          const double *const was[], const double *const x[], bool whole,
                          double *K) {
  triangle_strain s = strain_of(thin, e, x), w = strain_of(thin, e, was);
  double way[2][3];
  for (int k = 0; k < 2; ++k) limpet_vec3_sub(way[k], s.F[k], w.F[k]);
  for (int k = 0; k < 3; ++k)
    w.E[k] = s.E[k] - 0.5 * limpet_vec3_dot(way[k % 2], way[k == 0 ? 0 : 1]);
  if (size_of(w.E) < size_of(s.E)) stress_of(thin, &w);
  else limpet_vec3_copy(w.S, s.S);
  triangle_stiffness(thin, e, s.F, w.S, whole, K);
}

void limpet_thin_stiffness_seen(const limpet_fem_thin *thin, const limpet_thin_element *e,
                                const double *was, const double *x, bool whole, double *K) {
  const double *at[LIMPET_THIN_NODES], *from[LIMPET_THIN_NODES];
  for (int a = 0; a < e->count; ++a) at[a] = x + 3L * e->node[a], from[a] = was + 3L * e->node[a];
  clear(e, K);
  switch (e->kind) {
    case LIMPET_THIN_TRIANGLE: triangle_seen(thin, e, from, at, whole, K); break;
    case LIMPET_THIN_BENDING: bending_energy(e, at, at, NULL, K); break;
    case LIMPET_THIN_EDGE: edge_seen(e, from, at, whole, K); break;
  }
}

// ------------------------------------------------------------------------------- stress

// to += s (u w' + w u')/2, xx yy zz yz zx xy
static void stress_add(double to[6], double s, const double u[3], const double w[3]) {
  static const int row[6] = {0, 1, 2, 1, 2, 0}, column[6] = {0, 1, 2, 2, 0, 1};
  for (int k = 0; k < 6; ++k)
    to[k] += 0.5 * s * (u[row[k]] * w[column[k]] + w[row[k]] * u[column[k]]);
}

void limpet_thin_stress(const limpet_fem_thin *thin, const limpet_thin_element *e, const double *x,
                        double section, double stress[6]) {
  const double *at[LIMPET_THIN_NODES];
  for (int a = 0; a < e->count; ++a) at[a] = x + 3L * e->node[a];
  memset(stress, 0, 6 * sizeof *stress);
  if (e->kind == LIMPET_THIN_TRIANGLE) {
    const triangle_strain s = strain_of(thin, e, at);
    double n[3];
    limpet_vec3_cross(n, s.F[0], s.F[1]);
    const double scale = 1.0 / (section * fmax(limpet_vec3_norm(n), 1e-12));
    stress_add(stress, scale * s.S[0], s.F[0], s.F[0]);
    stress_add(stress, scale * s.S[1], s.F[1], s.F[1]);
    stress_add(stress, 2.0 * scale * s.S[2], s.F[0], s.F[1]);
  } else if (e->kind == LIMPET_THIN_EDGE) {
    double d[3];
    limpet_vec3_sub(d, at[1], at[0]);
    const double length = limpet_vec3_norm(d);
    if (length > 0.0)
      stress_add(stress, e->stiffness * (length - e->rest) / (section * length * length), d, d);
  }
}
