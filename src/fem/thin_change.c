/* fem/thin_change.c: see thin_change.h.
 *
 *   triangle  columns F, Y, L of x, y, l by the gradients; s(A, B) = sym(A'B), C Hooke's law
 *             force over area:  P = base F S + Y S+ + F C s(F, Y),  S = C (F'F - I)/2
 *             dP = base (dF S + F dS) + Y dS+ + dF C s(F, Y) + F C s(dF, Y),   dS = C s(F, dF)
 *             by F of P:L:  base (L S + F C s(F, L)) + F C D s(Y, L) + L C s(F, Y) + Y C s(F, L)
 *             with dS+ = D dS, D self-adjoint
 *   bending   f_a = k w_a (sum w_b (base x_b + y_b) - base c n),  dn = (1 - n n') d(N)/|N|
 *   edge      on its second node, d the way between both, of length L, t = k (L - rest),
 *             c = max(t, 0)/L:   base t d + (k - c)(d.y) d + c y + g (d.v) d */
#include "fem/thin_change.h"

#include <math.h>

#include "math/vec3.h"

// An element's nodes in an array of the body.
static void nodes_of(const limpet_thin_element *e, const double *array, const double *at[]) {
  for (int a = 0; a < e->count; ++a) at[a] = array + 3L * e->node[a];
}

// ------------------------------------------------------------------------------- triangles

// Symmetric matrices of 2 x 2: 11, 22, 12.

static void columns_of(const limpet_thin_element *e, const double *array, double A[2][3]) {
  const double *at[LIMPET_THIN_NODES];
  nodes_of(e, array, at);
  for (int k = 0; k < 2; ++k) {
    limpet_vec3_zero(A[k]);
    for (int a = 0; a < 3; ++a) limpet_vec3_addmul(A[k], A[k], e->gradient[a][k], at[a]);
  }
}

static void symmetric_product(double A[2][3], double B[2][3], double s[3]) {
  s[0] = limpet_vec3_dot(A[0], B[0]), s[1] = limpet_vec3_dot(A[1], B[1]);
  s[2] = 0.5 * (limpet_vec3_dot(A[0], B[1]) + limpet_vec3_dot(A[1], B[0]));
}

static void hooke(double lambda, double mu, const double E[3], double S[3]) {
  const double trace = lambda * (E[0] + E[1]);
  S[0] = trace + 2.0 * mu * E[0], S[1] = trace + 2.0 * mu * E[1], S[2] = 2.0 * mu * E[2];
}

// P += scale A S
static void add_product(double P[2][3], double scale, double A[2][3], const double S[3]) {
  limpet_vec3_addmul(P[0], P[0], scale * S[0], A[0]);
  limpet_vec3_addmul(P[0], P[0], scale * S[2], A[1]);
  limpet_vec3_addmul(P[1], P[1], scale * S[2], A[0]);
  limpet_vec3_addmul(P[1], P[1], scale * S[1], A[1]);
}

static double step_at(double x) { return x > 0.0 ? 1.0 : 0.0; }

// Principal stresses, and the cosine and sine of twice the angle of the larger one.
typedef struct principal {
  double high, low, radius, cosine, sine;
} principal;

static principal principal_of(const double S[3]) {
  const double mean = 0.5 * (S[0] + S[1]), half = 0.5 * (S[0] - S[1]), radius = hypot(half, S[2]);
  return (principal){mean + radius, mean - radius, radius, radius > 0.0 ? half / radius : 1.0,
                     radius > 0.0 ? S[2] / radius : 0.0};
}

// dT = D dS: principal values change by themselves, axes turn.
static void positive_change(const principal *p, bool whole, const double dS[3], double dT[3]) {
  if (whole) {
    limpet_vec3_copy(dT, dS);
    return;
  }
  const double mean = 0.5 * (dS[0] + dS[1]), half = 0.5 * (dS[0] - dS[1]);
  const double along = p->cosine * half + p->sine * dS[2],
               across = p->cosine * dS[2] - p->sine * half;
  const double high = step_at(p->high), low = step_at(p->low);
  const double between =
      p->radius > 0.0 ? (fmax(p->high, 0.0) - fmax(p->low, 0.0)) / (2.0 * p->radius) : high;
  const double centre = 0.5 * (high * (mean + along) + low * (mean - along)),
               deviator = 0.5 * (high * (mean + along) - low * (mean - along)),
               turned = between * across;
  dT[0] = centre + p->cosine * deviator - p->sine * turned;
  dT[1] = centre - p->cosine * deviator + p->sine * turned;
  dT[2] = p->sine * deviator + p->cosine * turned;
}

typedef struct triangle {
  double F[2][3], Y[2][3];
  double E[3], S[3], H[3], G[3];  // strain, stress; s(F, Y) and C of it
  principal p;
  bool whole;
} triangle;

static triangle triangle_of(const limpet_fem_thin *thin, const limpet_thin_element *e,
                            const limpet_thin_load *load) {
  triangle t;
  columns_of(e, load->x, t.F);
  columns_of(e, load->y, t.Y);
  symmetric_product(t.F, t.F, t.E);
  t.E[0] = 0.5 * (t.E[0] - 1.0), t.E[1] = 0.5 * (t.E[1] - 1.0), t.E[2] *= 0.5;
  hooke(thin->lambda, thin->mu, t.E, t.S);
  symmetric_product(t.F, t.Y, t.H);
  hooke(thin->lambda, thin->mu, t.H, t.G);
  t.p = principal_of(t.S);
  t.whole = load->whole;
  return t;
}

// to_a += scale P g_a
static void spread(const limpet_thin_element *e, double scale, double P[2][3], double *to) {
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < 2; ++k) {
      double *at = to + 3L * e->node[a];
      limpet_vec3_addmul(at, at, scale * e->gradient[a][k], P[k]);
    }
}

static void triangle_push(const limpet_fem_thin *thin, const limpet_thin_element *e,
                          const limpet_thin_load *load, const double *dx,
                          const limpet_thin_numbers *n, double *dF) {
  triangle t = triangle_of(thin, e, load);
  double P[2][3] = {{0.0}}, s[3], dS[3] = {0.0}, dG[3] = {0.0}, dT[3];
  if (dx) {
    double D[2][3];
    columns_of(e, dx, D);
    symmetric_product(t.F, D, s);
    hooke(thin->lambda, thin->mu, s, dS);
    symmetric_product(D, t.Y, s);
    hooke(thin->lambda, thin->mu, s, dG);
    add_product(P, load->base, D, t.S);
    add_product(P, 1.0, D, t.G);
  }
  if (n) {
    double part[3];
    hooke(n->lambda, n->mu, t.E, part);
    limpet_vec3_add(dS, dS, part);
    hooke(n->lambda, n->mu, t.H, part);
    limpet_vec3_add(dG, dG, part);
  }
  positive_change(&t.p, t.whole, dS, dT);
  add_product(P, load->base, t.F, dS);
  add_product(P, 1.0, t.Y, dT);
  add_product(P, 1.0, t.F, dG);
  spread(e, e->area, P, dF);
}

static void triangle_pull(const limpet_fem_thin *thin, const limpet_thin_element *e,
                          const limpet_thin_load *load, double scale, const double *l,
                          double *by_x) {
  triangle t = triangle_of(thin, e, load);
  double L[2][3], P[2][3] = {{0.0}}, s[3], across[3], along[3], D[3];
  columns_of(e, l, L);
  symmetric_product(t.F, L, s);
  hooke(thin->lambda, thin->mu, s, across);
  symmetric_product(t.Y, L, s);
  positive_change(&t.p, t.whole, s, D);
  hooke(thin->lambda, thin->mu, D, along);
  add_product(P, load->base, L, t.S);
  add_product(P, load->base, t.F, across);
  add_product(P, 1.0, t.F, along);
  add_product(P, 1.0, L, t.G);
  add_product(P, 1.0, t.Y, across);
  spread(e, scale * e->area, P, by_x);
}

// ------------------------------------------------------------------------------- bending

// The normal of a term of bending, its length before it was made one, and the ways it comes from.
typedef struct term_normal {
  double n[3], size, along[3], across[3];
} term_normal;

static term_normal normal_of(const limpet_thin_element *e, const double *x) {
  const double *at[LIMPET_THIN_NODES];
  term_normal m;
  nodes_of(e, x, at);
  limpet_vec3_sub(m.along, at[e->corner[1]], at[e->corner[0]]);
  limpet_vec3_sub(m.across, at[e->corner[2]], at[e->corner[3]]);
  limpet_vec3_cross(m.n, m.along, m.across);
  m.size = limpet_vec3_norm(m.n);
  if (m.size > 0.0) limpet_vec3_scale(m.n, 1.0 / m.size, m.n);
  return m;
}

// x <- (1 - n n') x/size
static void turn_part(const term_normal *m, double x[3]) {
  limpet_vec3_addmul(x, x, -limpet_vec3_dot(m->n, x), m->n);
  limpet_vec3_scale(x, m->size > 0.0 ? 1.0 / m->size : 0.0, x);
}

static void weigh(const limpet_thin_element *e, const double *weight, double scale, const double *x,
                  double sum[3]) {
  for (int a = 0; a < e->count; ++a)
    limpet_vec3_addmul(sum, sum, scale * weight[a], x + 3L * e->node[a]);
}

// sum w (base x + y) - base c n, for any w and c
static void bend_of(const limpet_thin_element *e, const limpet_thin_load *load,
                    const double *weight, double rest, double bend[3]) {
  limpet_vec3_zero(bend);
  weigh(e, weight, load->base, load->x, bend);
  weigh(e, weight, 1.0, load->y, bend);
  if (load->base == 0.0 || (e->rest == 0.0 && rest == 0.0)) return;
  const term_normal m = normal_of(e, load->x);
  limpet_vec3_addmul(bend, bend, -load->base * rest, m.n);
}

static void bending_push(const limpet_thin_element *e, const limpet_thin_load *load,
                         const double *dx, const limpet_thin_numbers *n, double *dF) {
  const bool bent = e->rest != 0.0 && load->base != 0.0;
  const term_normal m = bent ? normal_of(e, load->x) : (term_normal){.size = 0.0};
  double bend[3] = {0.0, 0.0, 0.0}, now[3] = {0.0, 0.0, 0.0};
  if (dx) weigh(e, e->weight, load->base, dx, bend);
  if (dx && bent) {
    const double *at[LIMPET_THIN_NODES];
    double along[3], across[3], part[3], dn[3];
    nodes_of(e, dx, at);
    limpet_vec3_sub(along, at[e->corner[1]], at[e->corner[0]]);
    limpet_vec3_sub(across, at[e->corner[2]], at[e->corner[3]]);
    limpet_vec3_cross(dn, along, m.across);
    limpet_vec3_cross(part, m.along, across);
    limpet_vec3_add(dn, dn, part);
    turn_part(&m, dn);
    limpet_vec3_addmul(bend, bend, -load->base * e->rest, dn);
  }
  limpet_vec3_scale(bend, e->stiffness, bend);
  if (n) {
    double slope[3];
    bend_of(e, load, e->weight, e->rest, now);
    bend_of(e, load, e->weight_by_nu, e->rest_by_nu, slope);
    limpet_vec3_addmul(bend, bend, n->stiffness, now);
    limpet_vec3_addmul(bend, bend, e->stiffness * n->poisson, slope);
  }
  for (int a = 0; a < e->count; ++a) {
    double *at = dF + 3L * e->node[a];
    limpet_vec3_addmul(at, at, e->weight[a], bend);
    if (n) limpet_vec3_addmul(at, at, e->stiffness * n->poisson * e->weight_by_nu[a], now);
  }
}

static void bending_pull(const limpet_thin_element *e, const limpet_thin_load *load, double scale,
                         const double *l, double *by_x) {
  double pull[3] = {0.0, 0.0, 0.0};
  if (load->base == 0.0) return;
  weigh(e, e->weight, scale * load->base * e->stiffness, l, pull);
  for (int a = 0; a < e->count; ++a) {
    double *at = by_x + 3L * e->node[a];
    limpet_vec3_addmul(at, at, e->weight[a], pull);
  }
  if (e->rest == 0.0) return;
  const term_normal m = normal_of(e, load->x);
  double along[3], across[3];
  turn_part(&m, pull);
  limpet_vec3_scale(pull, -e->rest, pull);
  // pull.(da x across + along x db) = da.(across x pull) + db.(pull x along)
  limpet_vec3_cross(along, m.across, pull);
  limpet_vec3_cross(across, pull, m.along);
  const double *const parts[4] = {along, along, across, across};
  for (int k = 0; k < 4; ++k) {
    double *at = by_x + 3L * e->node[e->corner[k]];
    limpet_vec3_addmul(at, at, k == 1 || k == 2 ? 1.0 : -1.0, parts[k]);
  }
}

// ------------------------------------------------------------------------------- edges

typedef struct edge {
  double d[3], y[3], v[3], length, tension, across;
  double taut;  // [-]  1: the part across counts
} edge;

static void way_of(const limpet_thin_element *e, const double *x, double d[3]) {
  limpet_vec3_sub(d, x + 3L * e->node[1], x + 3L * e->node[0]);
}

// False: both ends are in one place.
static bool edge_of(const limpet_thin_element *e, const limpet_thin_load *load, edge *s) {
  way_of(e, load->x, s->d);
  way_of(e, load->y, s->y);
  way_of(e, load->v, s->v);
  s->length = limpet_vec3_normalize(s->d);
  if (!(s->length > 0.0)) return false;
  s->tension = e->stiffness * (s->length - e->rest);
  s->taut = load->whole ? 1.0 : step_at(s->tension);
  s->across = s->taut * s->tension / s->length;
  return true;
}

static void add_between(const limpet_thin_element *e, double scale, const double f[3], double *to) {
  double *first = to + 3L * e->node[0], *second = to + 3L * e->node[1];
  limpet_vec3_addmul(first, first, -scale, f);
  limpet_vec3_addmul(second, second, scale, f);
}

static void edge_push(const limpet_thin_element *e, const limpet_thin_load *load, const double *dx,
                      const limpet_thin_numbers *n, double *dF) {
  edge s;
  if (!edge_of(e, load, &s)) return;
  double dd[3] = {0.0, 0.0, 0.0}, f[3] = {0.0, 0.0, 0.0}, longer = 0.0;
  if (dx) {
    way_of(e, dx, dd);
    longer = limpet_vec3_dot(s.d, dd);
    limpet_vec3_addmul(dd, dd, -longer, s.d);
    limpet_vec3_scale(dd, 1.0 / s.length, dd);
  }
  const double dk = n ? n->stiffness : 0.0;
  const double pull = e->stiffness * longer + dk * (s.length - e->rest);
  const double across = s.taut * (pull / s.length - s.tension / (s.length * s.length) * longer);
  const double along = e->stiffness - s.across, y = limpet_vec3_dot(s.d, s.y),
               v = e->damping * limpet_vec3_dot(s.d, s.v);
  limpet_vec3_addmul(f, f,
                     load->base * pull + (dk - across) * y + along * limpet_vec3_dot(dd, s.y) +
                         e->damping * limpet_vec3_dot(dd, s.v),
                     s.d);
  limpet_vec3_addmul(f, f, load->base * s.tension + along * y + v, dd);
  limpet_vec3_addmul(f, f, across, s.y);
  add_between(e, 1.0, f, dF);
}

static void edge_pull(const limpet_thin_element *e, const limpet_thin_load *load, double scale,
                      const double *l, double *by_x) {
  edge s;
  if (!edge_of(e, load, &s)) return;
  double w[3], D[3] = {0.0, 0.0, 0.0};
  way_of(e, l, w);
  const double along = e->stiffness - s.across, by_d = limpet_vec3_dot(s.d, w),
               y = limpet_vec3_dot(s.d, s.y), v = limpet_vec3_dot(s.d, s.v);
  limpet_vec3_addmul(D, D, load->base * s.tension + along * y + e->damping * v, w);
  limpet_vec3_addmul(D, D, along * by_d, s.y);
  limpet_vec3_addmul(D, D, e->damping * by_d, s.v);
  limpet_vec3_addmul(D, D, -limpet_vec3_dot(s.d, D), s.d);
  limpet_vec3_scale(D, 1.0 / s.length, D);
  const double by_across = limpet_vec3_dot(s.y, w) - y * by_d;
  limpet_vec3_addmul(
      D, D,
      load->base * e->stiffness * by_d +
          by_across * s.taut * (e->stiffness / s.length - s.tension / (s.length * s.length)),
      s.d);
  add_between(e, scale, D, by_x);
}

// ------------------------------------------------------------------------------- of all kinds

void limpet_thin_push(const limpet_fem_thin *thin, const limpet_thin_element *e,
                      const limpet_thin_load *load, const double *dx,
                      const limpet_thin_numbers *numbers, double *dF) {
  switch (e->kind) {
    case LIMPET_THIN_TRIANGLE: triangle_push(thin, e, load, dx, numbers, dF); return;
    case LIMPET_THIN_BENDING: bending_push(e, load, dx, numbers, dF); return;
    case LIMPET_THIN_EDGE: break;
  }
  edge_push(e, load, dx, numbers, dF);
}

void limpet_thin_pull(const limpet_fem_thin *thin, const limpet_thin_element *e,
                      const limpet_thin_load *load, double scale, const double *l, double *by_x) {
  switch (e->kind) {
    case LIMPET_THIN_TRIANGLE: triangle_pull(thin, e, load, scale, l, by_x); return;
    case LIMPET_THIN_BENDING: bending_pull(e, load, scale, l, by_x); return;
    case LIMPET_THIN_EDGE: break;
  }
  edge_pull(e, load, scale, l, by_x);
}

static double square_of(const triangle *t) {
  return limpet_vec3_dot(t->Y[0], t->Y[0]) + limpet_vec3_dot(t->Y[1], t->Y[1]);
}

// [N/m^2]  by which a principal stress changes along moves of a node, at most
static double stress_slope(const limpet_fem_thin *thin, const limpet_thin_element *e) {
  double steepest = 0.0;
  for (int a = 0; a < 3; ++a)
    steepest = fmax(steepest, hypot(e->gradient[a][0], e->gradient[a][1]));
  return steepest * (thin->lambda + 2.0 * thin->mu);
}

static bool begins(const triangle *t, double near) {
  return fabs(t->p.high) < near || fabs(t->p.low) < near;
}

static bool triangle_is_kink(const limpet_fem_thin *thin, const limpet_thin_element *e,
                             const limpet_thin_load *load, double width, double share) {
  const triangle t = triangle_of(thin, e, load);
  return sqrt(square_of(&t)) > share && begins(&t, width * stress_slope(thin, e));
}

bool limpet_thin_is_kink(const limpet_fem_thin *thin, const limpet_thin_element *e,
                         const limpet_thin_load *load, double width, double share) {
  if (e->kind == LIMPET_THIN_BENDING) return false;
  if (e->kind == LIMPET_THIN_TRIANGLE) return triangle_is_kink(thin, e, load, width, share);
  edge s;
  if (!edge_of(e, load, &s) || !(e->stiffness > 0.0)) return false;
  limpet_vec3_addmul(s.y, s.y, -limpet_vec3_dot(s.d, s.y), s.d);
  return limpet_vec3_norm(s.y) > share * s.length && fabs(s.length - e->rest) < width;
}

double limpet_thin_stiffness_jump(const limpet_fem_thin *thin, const limpet_thin_element *e,
                                  const limpet_thin_load *load, double width) {
  if (e->kind == LIMPET_THIN_BENDING) return 0.0;
  if (e->kind == LIMPET_THIN_TRIANGLE) {
    const triangle t = triangle_of(thin, e, load);
    const double slope = stress_slope(thin, e);
    return begins(&t, width * slope) ? e->area * slope * square_of(&t) : 0.0;
  }
  edge s;
  if (!edge_of(e, load, &s) || !(fabs(s.length - e->rest) < width)) return 0.0;
  limpet_vec3_addmul(s.y, s.y, -limpet_vec3_dot(s.d, s.y), s.d);
  return e->stiffness / s.length * limpet_vec3_dot(s.y, s.y);
}
