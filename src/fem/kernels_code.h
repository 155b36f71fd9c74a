/* fem/kernels_code.h: the kernels of kernels.h, written once and compiled for each instruction set
 * by a source file that defines
 *   LIMPET_FEM_TABLE   name of the table, e.g. limpet_fem_kernels_avx2
 *   LIMPET_FEM_NAME    its word, e.g. "avx2"
 *
 * With g_a the gradient of node a's shape function and w the volume share of a point:
 *   F = sum_a x_a g_a',   f_a = w P g_a,
 *   K_ba = w [mu (g_a.g_b) I + mu G_a G_b' + lambda G_b G_a'],  G = R g      laws linear in a step
 *   K_ba = w U M U',  M_ii = sum_j A_ijij h_bj h_aj,
 *                     M_ik = C_ik h_bi h_ak + A_ikki h_bk h_ai,  h = V' g     others
 * where C, A_ijij = (stretch + twist)/2, A_ijji = (stretch - twist)/2 are those of elastic_law.h.
 * Floating-point contraction is on in these files. Sums run in a fixed order: one type of CPU gives
 * the same bits always. */
#include "fem/kernels.h"

#include "fem/lanes.h"

#include "math/vec3.h"

// The four elements of a batch: what a kernel reads of the body.
typedef struct element_batch {
  const int *node, *place;
  const double *gradient, *weight;
} element_batch;

INLINE element_batch batch_of(const limpet_fem_body *body, const int k, int b) {
  const long n = b, points = body->element_points;
  return (element_batch){.node = body->node + n * k * LANES,
                         .place = body->place + n * (k * (k + 1) / 2) * LANES,
                         .gradient = body->gradient + n * points * k * 3 * LANES,
                         .weight = body->weight + n * points * LANES};
}

// x (k x 3) of the nodes, less that of the first: F does not see where the body is.
INLINE void gather(const int k, const int *node, const double *x, lanes *X) {
  for (int a = 0; a < k; ++a)
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i)
      X[3 * a + i] = (lanes){x[3 * node[4 * a] + i] - x[3 * node[0] + i],
                             x[3 * node[4 * a + 1] + i] - x[3 * node[1] + i],
                             x[3 * node[4 * a + 2] + i] - x[3 * node[2] + i],
                             x[3 * node[4 * a + 3] + i] - x[3 * node[3] + i]};
}

INLINE void scatter(const int k, const int *node, const lanes *Y, double *y) {
  for (int a = 0; a < k; ++a)
#pragma GCC unroll 4
    for (int l = 0; l < LANES; ++l)
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) y[3 * node[4 * a + l] + i] += Y[3 * a + i][l];
}

INLINE void gradient_of(const int k, const lanes *X, const lanes *g, lanes F[9]) {
#pragma GCC unroll 9
  for (int i = 0; i < 9; ++i) F[i] = all(0.0);
  for (int a = 1; a < k; ++a)
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i)
#pragma GCC unroll 3
      for (int j = 0; j < 3; ++j) F[3 * i + j] += X[3 * a + i] * g[3 * a + j];
}

// Y_a += P g_a
INLINE void stress_spread(const int k, const lanes P[9], const lanes *g, lanes *Y) {
  for (int a = 0; a < k; ++a)
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i)
      Y[3 * a + i] +=
          P[3 * i] * g[3 * a] + P[3 * i + 1] * g[3 * a + 1] + P[3 * i + 2] * g[3 * a + 2];
}

// Adds the blocks K (9 lanes) of one pair of nodes to H.
INLINE void block_add(const int *place, const lanes K[9], double *H) {
  lanes first[4], second[4];
  transpose(K, first);
  transpose(K + 4, second);
#pragma GCC unroll 4
  for (int l = 0; l < LANES; ++l) {
    double *h = H + 9L * place[l];
    lanes_put(h, lanes_at(h) + first[l]);
    lanes_put(h + 4, lanes_at(h + 4) + second[l]);
    h[8] += K[8][l];
  }
}

// ------------------------------------------------------------------------------- deformation

static void gradients(const limpet_fem_body *body, const double *x, double *F) {
  const int k = body->element_nodes, Q = body->element_points;
  lanes X[30];
  for (int b = 0; b < body->batch_count; ++b) {
    const element_batch e = batch_of(body, k, b);
    gather(k, e.node, x, X);
    for (int q = 0; q < Q; ++q)
      gradient_of(k, X, (const lanes *)e.gradient + q * 3 * k, (lanes *)F + 9L * (b * (long)Q + q));
  }
}

static void decompose(int point_batches, const double *F, double *U, double *V, double *s) {
  for (int b = 0; b < point_batches; ++b)
    svd((const lanes *)F + 9L * b, (lanes *)U + 9L * b, (lanes *)V + 9L * b, (lanes *)s + 3L * b);
}

INLINE void rotation_of(const lanes F[9], lanes R[9]) {
  lanes U[9], V[9], s[3];
  if (polar(F, R)) return;
  svd(F, U, V, s);
  mul_t(R, U, V);
}

static void rotations(const limpet_fem_body *body, const double *x, double *R) {
  const int k = body->element_nodes, Q = body->element_points;
  lanes X[30], F[9];
  for (int b = 0; b < body->batch_count; ++b) {
    const element_batch e = batch_of(body, k, b);
    gather(k, e.node, x, X);
    for (int q = 0; q < Q; ++q) {
      gradient_of(k, X, (const lanes *)e.gradient + q * 3 * k, F);
      rotation_of(F, (lanes *)R + 9L * (b * (long)Q + q));
    }
  }
}

// ------------------------------------------------------------------------------- linear laws

// P = R (2 mu e + lambda tr(e) I),  e = sym(R' F) - rest I
INLINE void linear_stress(const limpet_elastic_constants *c, const lanes *R, const lanes F[9],
                          double rest, lanes P[9]) {
  lanes S[9];
  if (R) tmul(S, R, F);
  else memcpy(S, F, sizeof S);
  const lanes mu = all(c->mu), mu2 = all(2.0 * c->mu), one = all(rest);
  const lanes e0 = S[0] - one, e1 = S[4] - one, e2 = S[8] - one;
  const lanes pressure = all(c->lambda) * (e0 + e1 + e2);
  S[0] = mu2 * e0 + pressure, S[4] = mu2 * e1 + pressure, S[8] = mu2 * e2 + pressure;
  S[1] = S[3] = mu * (S[1] + S[3]);
  S[2] = S[6] = mu * (S[2] + S[6]);
  S[5] = S[7] = mu * (S[5] + S[7]);
  if (R) mul(P, R, S);
  else memcpy(P, S, sizeof S);
}

// mu e:e + lambda/2 tr(e)^2, the same e
INLINE lanes linear_density(const limpet_elastic_constants *c, const lanes R[9], const lanes F[9]) {
  lanes S[9];
  tmul(S, R, F);
  const lanes one = all(1.0), e0 = S[0] - one, e1 = S[4] - one, e2 = S[8] - one;
  const lanes a = S[1] + S[3], b = S[2] + S[6], d = S[5] + S[7], trace = e0 + e1 + e2;
  return all(c->mu) * (e0 * e0 + e1 * e1 + e2 * e2 + all(0.5) * (a * a + b * b + d * d)) +
         all(0.5 * c->lambda) * trace * trace;
}

static double turning_energy(const limpet_fem_body *body, const double *R, const double *x,
                             double *model, double *turned) {
  const int k = body->element_nodes, Q = body->element_points;
  lanes X[30], F[9], more = all(0.0), total = all(0.0);
  for (int b = 0; b < body->batch_count; ++b) {
    const element_batch e = batch_of(body, k, b);
    gather(k, e.node, x, X);
    for (int q = 0; q < Q; ++q) {
      const lanes weight = ((const lanes *)e.weight)[q];
      gradient_of(k, X, (const lanes *)e.gradient + q * 3 * k, F);
      const long point = 9L * (b * (long)Q + q);
      lanes *own = (lanes *)turned + point;
      rotation_of(F, own);
      const lanes one = linear_density(&body->lame, (const lanes *)R + point, F);
      total += weight * one;
      more += weight * (linear_density(&body->lame, own, F) - one);
    }
  }
  *model = (total[0] + total[1]) + (total[2] + total[3]);
  return (more[0] + more[1]) + (more[2] + more[3]);
}

// Adds the Cauchy stress of one point, P R', to sigma (xx yy zz yz zx xy).
INLINE void cauchy_add(const lanes P[9], const lanes *R, lanes sigma[6]) {
  lanes S[9];
  if (R) mul_t(S, P, R);
  else memcpy(S, P, sizeof S);
  sigma[0] += S[0], sigma[1] += S[4], sigma[2] += S[8];
  sigma[3] += S[5], sigma[4] += S[2], sigma[5] += S[1];
}

// Stress of the elements of a batch, the mean over Q points of which sigma is the sum.
INLINE void stress_put(int Q, lanes sigma[6], int count, double *von_mises, double *cauchy) {
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) sigma[i] /= all(Q);
  const lanes a = sigma[0] - sigma[1], b = sigma[1] - sigma[2], c = sigma[2] - sigma[0];
  const lanes mises =
      root(all(0.5) * (a * a + b * b + c * c) +
           all(3.0) * dot3(sigma[3], sigma[4], sigma[5], sigma[3], sigma[4], sigma[5]));
  for (int l = 0; l < count; ++l) {
    if (von_mises) von_mises[l] = mises[l];
    for (int i = 0; cauchy && i < 6; ++i) cauchy[6 * l + i] = sigma[i][l];
  }
}

INLINE void linear_state_of(const int k, const int Q, const limpet_fem_body *body, const double *x,
                            limpet_fem_solid_state *state, double *von_mises, double *cauchy) {
  const bool turns = body->info.law->rotates, stressed = von_mises || cauchy;
  const limpet_elastic_constants *c = &body->constants;
  lanes X[30], F[9], R[9], P[9], elastic = all(0.0), volume = all(0.0);
#pragma GCC unroll 9
  for (int i = 0; i < 9; ++i) R[i] = all(i % 4 == 0 ? 1.0 : 0.0);
  state->inverted = 0;
  for (int b = 0; b < body->batch_count; ++b) {
    const element_batch e = batch_of(body, k, b);
    lane_mask inverted = {0, 0, 0, 0};
    lanes sigma[6];
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) sigma[i] = all(0.0);
    gather(k, e.node, x, X);
    for (int q = 0; q < Q; ++q) {
      const lanes weight = ((const lanes *)e.weight)[q];
      gradient_of(k, X, (const lanes *)e.gradient + q * 3 * k, F);
      if (turns) rotation_of(F, R);
      const lanes J = determinant(F);
      elastic += weight * linear_density(c, R, F);
      volume += weight * J;
      inverted |= ~(J > all(0.0)) & (weight > all(0.0));
      if (!stressed) continue;
      linear_stress(c, R, F, 1.0, P);
      cauchy_add(P, R, sigma);
    }
    state->inverted += __builtin_popcount((unsigned)bits(inverted));
    const int first = b * LANES, left = body->info.tetrahedron_count - first;
    if (stressed)
      stress_put(Q, sigma, left < LANES ? left : LANES, von_mises ? von_mises + first : NULL,
                 cauchy ? cauchy + 6L * first : NULL);
  }
  state->elastic = (elastic[0] + elastic[1]) + (elastic[2] + elastic[3]);
  state->volume = (volume[0] + volume[1]) + (volume[2] + volume[3]);
}

static void linear_state(const limpet_fem_body *body, const double *x,
                         limpet_fem_solid_state *state, double *von_mises, double *cauchy) {
  if (body->element_nodes == 4) linear_state_of(4, 1, body, x, state, von_mises, cauchy);
  else linear_state_of(10, 4, body, x, state, von_mises, cauchy);
}

INLINE void linear_force_of(const int k, const int Q, const limpet_fem_body *body, const double *R,
                            double scale, const double *x, double rest, double *y) {
  lanes X[30], Y[30], F[9], P[9];
  for (int b = 0; b < body->batch_count; ++b) {
    const element_batch e = batch_of(body, k, b);
    gather(k, e.node, x, X);
    for (int i = 0; i < 3 * k; ++i) Y[i] = all(0.0);
    for (int q = 0; q < Q; ++q) {
      const lanes *g = (const lanes *)e.gradient + q * 3 * k;
      const lanes weight = ((const lanes *)e.weight)[q];
      gradient_of(k, X, g, F);
#pragma GCC unroll 9
      for (int i = 0; i < 9; ++i) F[i] *= all(scale);
      linear_stress(&body->lame, R ? (const lanes *)R + 9L * (b * (long)Q + q) : NULL, F, rest, P);
#pragma GCC unroll 9
      for (int i = 0; i < 9; ++i) P[i] *= weight;
      stress_spread(k, P, g, Y);
    }
    scatter(k, e.node, Y, y);
  }
}

static void linear_force(const limpet_fem_body *body, const double *R, double scale,
                         const double *x, double rest, double *y) {
  if (body->element_nodes == 4) linear_force_of(4, 1, body, R, scale, x, rest, y);
  else linear_force_of(10, 4, body, R, scale, x, rest, y);
}

// G_a = R g_a
INLINE void turned(const int k, const lanes *R, const lanes *g, lanes *G) {
  if (!R) {
    memcpy(G, g, (size_t)(3 * k) * sizeof *G);
    return;
  }
  for (int a = 0; a < k; ++a)
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i)
      G[3 * a + i] =
          dot3(R[3 * i], R[3 * i + 1], R[3 * i + 2], g[3 * a], g[3 * a + 1], g[3 * a + 2]);
}

INLINE void linear_blocks(const int k, const limpet_elastic_constants *c, const element_batch *e,
                          const lanes *R, const lanes *g, lanes weight, double *H) {
  const lanes mu = all(c->mu) * weight, lambda = all(c->lambda) * weight;
  lanes G[30], K[9];
  turned(k, R, g, G);
  const int *place = e->place;
  for (int b = 0; b < k; ++b)
    for (int a = 0; a <= b; ++a, place += LANES) {
      const lanes *p = G + 3 * a, *q = G + 3 * b;
      const lanes shear = mu * dot3(p[0], p[1], p[2], q[0], q[1], q[2]);
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) {
        const lanes mu_p = mu * p[i], lambda_q = lambda * q[i];
#pragma GCC unroll 3
        for (int j = 0; j < 3; ++j) K[3 * i + j] = mu_p * q[j] + lambda_q * p[j];
      }
      K[0] += shear, K[4] += shear, K[8] += shear;
      block_add(place, K, H);
    }
}

INLINE void linear_stiffness_of(const int k, const int Q, const limpet_fem_body *body,
                                const double *R, double scale, double *H) {
  for (int b = 0; b < body->batch_count; ++b) {
    const element_batch e = batch_of(body, k, b);
    for (int q = 0; q < Q; ++q)
      linear_blocks(k, &body->lame, &e, R ? (const lanes *)R + 9L * (b * (long)Q + q) : NULL,
                    (const lanes *)e.gradient + q * 3 * k,
                    all(scale) * ((const lanes *)e.weight)[q], H);
  }
}

static void linear_stiffness(const limpet_fem_body *body, const double *R, double scale,
                             double *H) {
  if (body->element_nodes == 4) linear_stiffness_of(4, 1, body, R, scale, H);
  else linear_stiffness_of(10, 4, body, R, scale, H);
}

// --------------------------------------------------------------- laws with principal function

// Slopes and Hessian of the four points with singular values s; returns their energies.
INLINE lanes principal_of(const limpet_fem_body *body, const lanes s[3], lanes *point) {
  lanes energy = all(0.0);
  for (int l = 0; l < LANES; ++l) {
    const double sl[3] = {s[0][l], s[1][l], s[2][l]};
    limpet_principal p;
    energy[l] = body->info.law->principal(&body->constants, sl, sl[0] * sl[1] * sl[2] - 1.0, &p);
    for (int i = 0; i < 3; ++i) {
      point[LIMPET_FEM_POINT_SLOPE + i][l] = p.slope[i];
      point[LIMPET_FEM_POINT_STRETCH + i][l] = p.stretch[i];
      point[LIMPET_FEM_POINT_TWIST + i][l] = p.twist[i];
    }
    for (int i = 0; i < 6; ++i) point[LIMPET_FEM_POINT_CURVATURE + i][l] = p.curvature[i];
  }
  return energy;
}

static double points(const limpet_fem_body *body, const double *x, double *point) {
  const int k = body->element_nodes, Q = body->element_points;
  lanes X[30], F[9], s[3], total = all(0.0);
  for (int b = 0; b < body->batch_count; ++b) {
    const element_batch e = batch_of(body, k, b);
    gather(k, e.node, x, X);
    for (int q = 0; q < Q; ++q) {
      lanes *p = (lanes *)point + LIMPET_FEM_POINT * (b * (long)Q + q);
      gradient_of(k, X, (const lanes *)e.gradient + q * 3 * k, F);
      svd(F, p + LIMPET_FEM_POINT_U, p + LIMPET_FEM_POINT_V, s);
      total += ((const lanes *)e.weight)[q] * principal_of(body, s, p);
    }
  }
  return (total[0] + total[1]) + (total[2] + total[3]);
}

// P = U diag(d) V'
INLINE void diagonal_stress(const lanes *U, const lanes *V, const lanes *d, lanes P[9]) {
  lanes S[9];
#pragma GCC unroll 9
  for (int i = 0; i < 9; ++i) S[i] = U[i] * d[i % 3];
  mul_t(P, S, V);
}

static void force(const limpet_fem_body *body, const double *point, double *f) {
  const int k = body->element_nodes, Q = body->element_points;
  lanes Y[30], P[9];
  for (int b = 0; b < body->batch_count; ++b) {
    const element_batch e = batch_of(body, k, b);
    for (int i = 0; i < 3 * k; ++i) Y[i] = all(0.0);
    for (int q = 0; q < Q; ++q) {
      const lanes *p = (const lanes *)point + LIMPET_FEM_POINT * (b * (long)Q + q);
      diagonal_stress(p, p + LIMPET_FEM_POINT_V, p + LIMPET_FEM_POINT_SLOPE, P);
#pragma GCC unroll 9
      for (int i = 0; i < 9; ++i) P[i] *= ((const lanes *)e.weight)[q];
      stress_spread(k, P, (const lanes *)e.gradient + q * 3 * k, Y);
    }
    scatter(k, e.node, Y, f);
  }
}

// Change of stress with F changing by dF.
INLINE void stress_change(const lanes *p, const lanes dF[9], lanes dP[9]) {
  const lanes *U = p, *V = p + LIMPET_FEM_POINT_V, *C = p + LIMPET_FEM_POINT_CURVATURE;
  const lanes half = all(0.5);
  lanes T[9], D[9], S[9];
  tmul(T, U, dF);
  mul(D, T, V);
  S[0] = C[0] * D[0] + C[1] * D[4] + C[2] * D[8];
  S[4] = C[1] * D[0] + C[3] * D[4] + C[4] * D[8];
  S[8] = C[2] * D[0] + C[4] * D[4] + C[5] * D[8];
#pragma GCC unroll 3
  for (int n = 0; n < 3; ++n) {
    const int i = n == 0 ? 1 : 0, j = n == 2 ? 1 : 2;
    const lanes sum = half * p[LIMPET_FEM_POINT_STRETCH + n] * (D[3 * i + j] + D[3 * j + i]);
    const lanes turn = half * p[LIMPET_FEM_POINT_TWIST + n] * (D[3 * i + j] - D[3 * j + i]);
    S[3 * i + j] = sum + turn;
    S[3 * j + i] = sum - turn;
  }
  mul(T, U, S);
  mul_t(dP, T, V);
}

static void product(const limpet_fem_body *body, const double *point, double scale, const double *x,
                    double *y) {
  const int k = body->element_nodes, Q = body->element_points;
  lanes X[30], Y[30], F[9], P[9];
  for (int b = 0; b < body->batch_count; ++b) {
    const element_batch e = batch_of(body, k, b);
    gather(k, e.node, x, X);
    for (int i = 0; i < 3 * k; ++i) Y[i] = all(0.0);
    for (int q = 0; q < Q; ++q) {
      const lanes *g = (const lanes *)e.gradient + q * 3 * k;
      gradient_of(k, X, g, F);
      stress_change((const lanes *)point + LIMPET_FEM_POINT * (b * (long)Q + q), F, P);
#pragma GCC unroll 9
      for (int i = 0; i < 9; ++i) P[i] *= all(scale) * ((const lanes *)e.weight)[q];
      stress_spread(k, P, g, Y);
    }
    scatter(k, e.node, Y, y);
  }
}

// [-]  of mu: what eigenvalues become at least, so that H stays far from singular
static const double least_stiffness = 1e-4;

// Small and negative eigenvalues of the blocks on the diagonal entries become `least`, lane by
// lane.
static void curvature_project(double least, lanes C[6]) {
  for (int l = 0; l < LANES; ++l) {
    // positive definite by its minors: nothing to do
    const double a = C[0][l], b = C[1][l], c = C[2][l], d = C[3][l], e = C[4][l], f = C[5][l];
    const double minor = a * d - b * b;
    if (a > 0.0 && minor > 0.0 &&
        a * (d * f - e * e) - b * (b * f - e * c) + c * (b * e - d * c) > 0.0)
      continue;
    double w[3], V[9], S[6] = {0.0};
    limpet_mat3_eigen((const double[9]){a, b, c, b, d, e, c, e, f}, w, V);
    for (int n = 0; n < 3; ++n) {
      int at = 0;
      for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) S[at++] += fmax(w[n], least) * V[3 * i + n] * V[3 * j + n];
    }
    for (int i = 0; i < 6; ++i) C[i][l] = S[i];
  }
}

// The Hessian of a point in the frame of U and V: diagonal entries C, A_ijij and A_ijji by pairs.
typedef struct point_hessian {
  lanes C[6], A[3], B[3];
} point_hessian;

INLINE void hessian_of(const lanes *p, bool projected, double mu, lanes weight, point_hessian *h) {
  const lanes half = all(0.5), least = all(least_stiffness * mu);
  memcpy(h->C, p + LIMPET_FEM_POINT_CURVATURE, sizeof h->C);
  if (projected) curvature_project(least_stiffness * mu, h->C);
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) h->C[i] *= weight;
#pragma GCC unroll 3
  for (int n = 0; n < 3; ++n) {
    lanes stretch = p[LIMPET_FEM_POINT_STRETCH + n], twist = p[LIMPET_FEM_POINT_TWIST + n];
    if (projected) {
      stretch = choose(stretch > least, stretch, least);
      twist = choose(twist > least, twist, least);
    }
    h->A[n] = half * weight * (stretch + twist);
    h->B[n] = half * weight * (stretch - twist);
  }
}

// K = U M U'
INLINE void point_block(const point_hessian *h, const lanes *U, const lanes *p, const lanes *q,
                        lanes K[9]) {
  const lanes *C = h->C, *A = h->A, *B = h->B;
  lanes M[9], T[9];
  // p: h_a, q: h_b; pairs 12, 02, 01 have numbers 0, 1, 2
  M[0] = C[0] * q[0] * p[0] + A[2] * q[1] * p[1] + A[1] * q[2] * p[2];
  M[4] = A[2] * q[0] * p[0] + C[3] * q[1] * p[1] + A[0] * q[2] * p[2];
  M[8] = A[1] * q[0] * p[0] + A[0] * q[1] * p[1] + C[5] * q[2] * p[2];
  M[1] = C[1] * q[0] * p[1] + B[2] * q[1] * p[0];
  M[3] = C[1] * q[1] * p[0] + B[2] * q[0] * p[1];
  M[2] = C[2] * q[0] * p[2] + B[1] * q[2] * p[0];
  M[6] = C[2] * q[2] * p[0] + B[1] * q[0] * p[2];
  M[5] = C[4] * q[1] * p[2] + B[0] * q[2] * p[1];
  M[7] = C[4] * q[2] * p[1] + B[0] * q[1] * p[2];
  mul(T, U, M);
  mul_t(K, T, U);
}

static void stiffness(const limpet_fem_body *body, const double *point, bool projected,
                      double scale, double *H) {
  const int k = body->element_nodes, Q = body->element_points;
  lanes h[30], K[9];
  point_hessian hessian;
  for (int b = 0; b < body->batch_count; ++b) {
    const element_batch e = batch_of(body, k, b);
    for (int q = 0; q < Q; ++q) {
      const lanes *p = (const lanes *)point + LIMPET_FEM_POINT * (b * (long)Q + q);
      const lanes *g = (const lanes *)e.gradient + q * 3 * k, *V = p + LIMPET_FEM_POINT_V;
      hessian_of(p, projected, body->constants.mu, all(scale) * ((const lanes *)e.weight)[q],
                 &hessian);
      for (int a = 0; a < k; ++a)
#pragma GCC unroll 3
        for (int i = 0; i < 3; ++i)
          h[3 * a + i] = dot3(V[i], V[3 + i], V[6 + i], g[3 * a], g[3 * a + 1], g[3 * a + 2]);
      const int *place = e.place;
      for (int n = 0; n < k; ++n)
        for (int a = 0; a <= n; ++a, place += LANES) {
          point_block(&hessian, p, h + 3 * a, h + 3 * n, K);
          block_add(place, K, H);
        }
    }
  }
}

#include "fem/strain_rate_code.h"

// ------------------------------------------------------------------------------- the matrix

static void multiply(const limpet_fem_body *body, const double *H, const double *x, double *y) {
  memset(y, 0, (size_t)body->info.node_count * 3 * sizeof *y);
  for (int i = 0; i < body->info.node_count; ++i) {
    const double *xi = x + 3L * i;
    double s0 = 0.0, s1 = 0.0, s2 = 0.0;
    int n = body->row_begin[i];
    for (; n < body->row_begin[i + 1]; ++n) {
      const double *h = H + 9L * n, *xj = x + 3L * body->column[n];
      double *yj = y + 3L * body->column[n];
      s0 += h[0] * xj[0] + h[1] * xj[1] + h[2] * xj[2];
      s1 += h[3] * xj[0] + h[4] * xj[1] + h[5] * xj[2];
      s2 += h[6] * xj[0] + h[7] * xj[1] + h[8] * xj[2];
      if (body->column[n] == i) break;
      yj[0] += h[0] * xi[0] + h[3] * xi[1] + h[6] * xi[2];
      yj[1] += h[1] * xi[0] + h[4] * xi[1] + h[7] * xi[2];
      yj[2] += h[2] * xi[0] + h[5] * xi[1] + h[8] * xi[2];
    }
    y[3 * i] += s0, y[3 * i + 1] += s1, y[3 * i + 2] += s2;
  }
}

const limpet_fem_kernels LIMPET_FEM_TABLE = {
    .name = LIMPET_FEM_NAME,
    .gradients = gradients,
    .decompose = decompose,
    .rotations = rotations,
    .linear_force = linear_force,
    .turning_energy = turning_energy,
    .linear_state = linear_state,
    .linear_stiffness = linear_stiffness,
    .points = points,
    .force = force,
    .product = product,
    .stiffness = stiffness,
    .rate_start = rate_start,
    .rate_force = rate_force,
    .rate_product = rate_product,
    .rate_stiffness = rate_stiffness,
    .multiply = multiply,
};
