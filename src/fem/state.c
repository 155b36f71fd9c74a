/* fem/state.c: energy, momentum, volume, stress and elastic force of a deformable body.
 *
 *   kinetic 1/2 v.M v,  gravity -sum m_a g.q_a,  momentum sum (M v)_a,
 *   angular momentum sum q_a x (M v)_a, all with the step's M
 * Stress: Cauchy, P F'/J; laws that are linear in a step: P R', their stress in turned axes.
 * An inverted point has the Cauchy stress of |J|. These functions allocate nothing: points are
 * taken batch by batch on the stack. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "fem/kernels.h"
#include "fem/step.h"
#include "math/vec3.h"

enum { LANES = LIMPET_FEM_LANES, MOST_POINTS = 4 };

// One batch as a body of its own, so that kernels can be called for it.
static limpet_fem_body batch_alone(const limpet_fem_body *body, int b) {
  limpet_fem_body one = *body;
  const long k = body->element_nodes, Q = body->element_points;
  one.batch_count = 1;
  one.node = body->node + b * k * LANES;
  one.gradient = body->gradient + b * Q * k * 3 * LANES;
  one.weight = body->weight + b * Q * LANES;
  return one;
}

static void lane_of(const double *F, int point, int lane, double f[9]) {
  for (int i = 0; i < 9; ++i) f[i] = F[((long)point * 9 + i) * LANES + lane];
}

// The points of one batch at q: deformation gradients, and the axes of laws that are linear in a
// step, which are those of the start or of q itself.
typedef struct batch_points {
  double F[9 * LANES * MOST_POINTS] __attribute__((aligned(32)));
  double R[9 * LANES * MOST_POINTS] __attribute__((aligned(32)));
} batch_points;

static void points_of(const limpet_fem_body *one, const double *start, const double *q,
                      batch_points *at) {
  limpet_fem()->gradients(one, q, at->F);
  if (one->info.law->rotates) {
    limpet_fem()->rotations(one, start, at->R);
    return;
  }
  for (int i = 0; i < 9 * LANES * one->element_points; ++i)
    at->R[i] = i / LANES % 9 % 4 == 0 ? 1.0 : 0.0;
}

// Energy density of point n, its gradient F and first Piola stress P (or NULL).
static double point_energy(const limpet_fem_body *body, const batch_points *at, int n, double F[9],
                           double P[9]) {
  lane_of(at->F, n / LANES, n % LANES, F);
  if (!body->info.law->frozen)
    return limpet_elastic_energy(body->info.law, body->info.youngs_modulus,
                                 body->info.poissons_ratio, F, F, P);
  double R[9];
  lane_of(at->R, n / LANES, n % LANES, R);
  return limpet_elastic_linear_energy(&body->constants, R, F, P);
}

// Elastic energy, volume and inversion of one batch; laws that are linear in a step have a kernel.
static void batch_state(const limpet_fem_body *body, int b, const double *q,
                        limpet_fem_state *state) {
  batch_points at;
  const limpet_fem_body one = batch_alone(body, b);
  points_of(&one, q, q, &at);
  bool inverted[LANES] = {false};
  for (int n = 0; n < body->element_points * LANES; ++n) {
    const double weight = one.weight[n];
    if (!(weight > 0.0)) continue;
    double F[9];
    state->elastic += weight * point_energy(body, &at, n, F, NULL);
    const double J = limpet_mat3_determinant(F);
    state->volume += weight * J;
    if (!(J > 0.0)) inverted[n % LANES] = true;
  }
  for (int l = 0; l < LANES; ++l) state->inverted += inverted[l];
}

// (M v)_i, by the rows of the lower triangle and the columns below.
static void motion_add(const limpet_fem_body *body, const double *q, const double *v,
                       limpet_fem_state *state) {
  for (int i = 0; i < body->info.node_count; ++i)
    for (int n = body->row_begin[i]; n < body->row_begin[i + 1]; ++n) {
      const int j = body->column[n];
      const double m = body->mass[n];
      const double *pair[2][2] = {{q + 3L * i, v + 3L * j}, {q + 3L * j, v + 3L * i}};
      for (int side = 0; side < (i == j ? 1 : 2); ++side) {
        double cross[3];
        limpet_vec3_cross(cross, pair[side][0], pair[side][1]);
        limpet_vec3_addmul(state->momentum, state->momentum, m, pair[side][1]);
        limpet_vec3_addmul(state->angular_momentum, state->angular_momentum, m, cross);
      }
      state->kinetic += (i == j ? 0.5 : 1.0) * m * limpet_vec3_dot(v + 3L * i, v + 3L * j);
    }
}

// Shells and ropes, whose matter keeps its volume, and gas.
static void thin_state(const limpet_fem_body *body, const double *q, limpet_fem_state *state) {
  for (int t = 0; t < body->thin.count; ++t) {
    const limpet_thin_element *e = &body->thin.element[t];
    const double energy = limpet_thin_energy(&body->thin, e, q, q, false, NULL, NULL);
    state->elastic += energy;
    if (e->kind == LIMPET_THIN_BENDING) state->bending += energy;
  }
  if (body->info.tetrahedron_count == 0) state->volume = body->info.volume;
  if (!body->gas.present) return;
  state->volume = limpet_fem_gas_volume(body, q, NULL);
  state->elastic += limpet_fem_gas_energy(body, state->volume);
  state->pressure = limpet_fem_gas_pressure(body, state->volume) - body->gas.outside;
}

// f += forces of shells, ropes and gas.
static void thin_force(const limpet_fem_body *body, const double *q0, const double *q, double *f) {
  double part[3 * LIMPET_THIN_NODES];
  for (int t = 0; t < body->thin.count; ++t) {
    const limpet_thin_element *e = &body->thin.element[t];
    limpet_thin_energy(&body->thin, e, q0, q, false, part, NULL);
    for (int a = 0; a < e->count; ++a)
      limpet_vec3_add(f + 3L * e->node[a], f + 3L * e->node[a], part + 3 * a);
  }
  if (!body->gas.present) return;
  const double excess =
      limpet_fem_gas_pressure(body, limpet_fem_gas_volume(body, q, NULL)) - body->gas.outside;
  for (int i = 0; i < body->info.face_count; ++i) {
    const int *v = body->faces + 3L * i;
    for (int k = 0; k < 3; ++k) {
      double n[3];
      limpet_vec3_cross(n, q + 3L * v[(k + 1) % 3], q + 3L * v[(k + 2) % 3]);
      limpet_vec3_addmul(f + 3L * v[k], f + 3L * v[k], -excess / 6.0, n);
    }
  }
}

// The same of all tetrahedra; where the law is linear in a step, their stress too (or NULL).
static void solid_state(const limpet_fem_body *body, const double *q, limpet_fem_state *state,
                        double *von_mises) {
  if (!body->info.law->frozen) {
    for (int b = 0; b < body->batch_count; ++b) batch_state(body, b, q, state);
    return;
  }
  limpet_fem_solid_state solid;
  limpet_fem()->linear_state(body, q, &solid, von_mises, NULL);
  state->elastic = solid.elastic, state->volume = solid.volume, state->inverted = solid.inverted;
}

double limpet_fem_body_kinetic(const limpet_fem_body *body, const double *v) {
  assert(body && v);
  double energy = 0.0;
  for (int i = 0; i < body->info.node_count; ++i) {
    double half[3] = {0.0, 0.0, 0.0};  // of the momentum, with what lies below the diagonal twice
    int n = body->row_begin[i];
    for (; n < body->row_begin[i + 1] && body->column[n] < i; ++n)
      limpet_vec3_addmul(half, half, body->mass[n], v + 3L * body->column[n]);
    if (n < body->row_begin[i + 1]) limpet_vec3_addmul(half, half, 0.5 * body->mass[n], v + 3L * i);
    energy += limpet_vec3_dot(v + 3L * i, half);
  }
  return energy;
}

double limpet_fem_body_weight_energy(const limpet_fem_body *body, const double *q,
                                     const double gravity[3]) {
  assert(body && q && gravity);
  double energy = 0.0;
  for (int i = 0; i < body->info.node_count; ++i)
    energy -= body->node_mass[i] * limpet_vec3_dot(gravity, q + 3L * i);
  return energy;
}

limpet_fem_state limpet_fem_body_strained(const limpet_fem_body *body, const double *q,
                                          double *von_mises) {
  assert(body && q);
  limpet_fem_state state = {0};
  const bool both = body->info.law->frozen && body->info.tetrahedron_count > 0;
  solid_state(body, q, &state, both ? von_mises : NULL);
  thin_state(body, q, &state);
  if (von_mises && !both) limpet_fem_body_stress(body, q, von_mises, NULL);
  return state;
}

limpet_fem_state limpet_fem_body_state(const limpet_fem_body *body, const double *q,
                                       const double *v, const double *gravity) {
  assert(body && q);
  limpet_fem_state state = limpet_fem_body_strained(body, q, NULL);
  for (int i = 0; i < body->info.node_count; ++i)
    limpet_vec3_addmul(state.centre, state.centre, body->node_mass[i] / body->info.mass,
                       q + 3L * i);
  if (gravity) state.gravity = limpet_fem_body_weight_energy(body, q, gravity);
  if (v) motion_add(body, q, v, &state);
  return state;
}

void limpet_fem_body_force(const limpet_fem_body *body, const double *q0, const double *q,
                           double *f) {
  assert(body && q && f);
  const int k = body->element_nodes, Q = body->element_points;
  batch_points at;
  memset(f, 0, 3 * (size_t)body->info.node_count * sizeof *f);
  for (int b = 0; b < body->batch_count; ++b) {
    const limpet_fem_body one = batch_alone(body, b);
    points_of(&one, q0 ? q0 : q, q, &at);
    for (int n = 0; n < Q * LANES; ++n) {
      const int point = n / LANES, lane = n % LANES;
      if (!(one.weight[n] > 0.0)) continue;
      double F[9], P[9], g[3], force[3];
      point_energy(body, &at, n, F, P);
      for (int a = 0; a < k; ++a) {
        double *fa = f + 3L * one.node[a * LANES + lane];
        for (int i = 0; i < 3; ++i)
          g[i] = one.gradient[(((long)point * k + a) * 3 + i) * LANES + lane];
        limpet_mat3_mul_vec(force, P, g);
        limpet_vec3_addmul(fa, fa, one.weight[n], force);
      }
    }
  }
  thin_force(body, q0 ? q0 : q, q, f);
}

// Cauchy stress (xx yy zz yz zx xy) of point n, of laws that are not linear in a step.
static void cauchy_of(const limpet_fem_body *body, const batch_points *points, int n,
                      double sigma[6]) {
  double F[9], P[9], S[9];
  point_energy(body, points, n, F, P);
  const double J = fabs(limpet_mat3_determinant(F));
  limpet_mat3_mul_t(S, P, F);
  for (int i = 0; i < 9; ++i) S[i] /= fmax(J, 1e-12);
  const int at[6] = {0, 4, 8, 5, 2, 1};
  for (int i = 0; i < 6; ++i) sigma[i] = S[at[i]];
}

static double von_mises_of(const double s[6]) {
  const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
  return sqrt(0.5 * (a * a + b * b + c * c) + 3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

// Stress of the triangles and segments of a shell or rope.
static void thin_stress(const limpet_fem_body *body, const double *q, double *von_mises,
                        double *cauchy) {
  const limpet_fem_body_info *info = &body->info;
  const double h = info->thickness, round = 0.25 * 3.14159265358979323846 * h * h;
  const int segments = info->segment_count, first = body->thin.count - segments;
  for (int t = 0; t < info->element_count; ++t) {
    const bool rope = t >= info->face_count;
    const int place = rope ? first + t - info->face_count : t;
    double sigma[6] = {0.0};
    if (rope || body->thin.mu > 0.0)
      limpet_thin_stress(&body->thin, &body->thin.element[place], q, rope ? round : h, sigma);
    if (cauchy) memcpy(cauchy + 6L * t, sigma, sizeof sigma);
    if (von_mises) von_mises[t] = von_mises_of(sigma);
  }
}

void limpet_fem_body_stress(const limpet_fem_body *body, const double *q, double *von_mises,
                            double *cauchy) {
  assert(body && q);
  if (body->info.tetrahedron_count == 0) {
    thin_stress(body, q, von_mises, cauchy);
    return;
  }
  if (body->info.law->frozen) {
    limpet_fem_solid_state solid;
    limpet_fem()->linear_state(body, q, &solid, von_mises, cauchy);
    return;
  }
  const int Q = body->element_points;
  batch_points at;
  for (int b = 0; b < body->batch_count; ++b) {
    const limpet_fem_body one = batch_alone(body, b);
    points_of(&one, q, q, &at);
    for (int lane = 0; lane < LANES && b * LANES + lane < body->info.tetrahedron_count; ++lane) {
      const int t = b * LANES + lane;
      double sum[6] = {0.0};
      for (int point = 0; point < Q; ++point) {
        double sigma[6];
        cauchy_of(body, &at, point * LANES + lane, sigma);
        for (int i = 0; i < 6; ++i) sum[i] += sigma[i] / Q;
      }
      if (cauchy) memcpy(cauchy + 6L * t, sum, sizeof sum);
      if (von_mises) von_mises[t] = von_mises_of(sum);
    }
  }
}
