/* fem/strain_rate_code.h: kernels of the damping by the rate of Green's strain; part of
 * kernels_code.h, after its helpers.
 *
 *   E = (F'F - 1)/2      D = E - E_0           E_0: the strain at the start of the step
 *   S = 2 mu D + lambda tr(D) 1                with E and nu at rest
 *   f_a = w F S g_a = d/dx_a of w (mu D:D + lambda/2 tr(D)^2)
 *   K_ba = w [mu (g_a.g_b) F F' + mu G_a G_b' + lambda G_b G_a' + (g_a.S g_b) 1],  G = F g
 * All times `scale`. A rotation of the end of the step changes no E, so it makes no force. */

// A symmetric matrix as xx yy zz yz zx xy, as a whole one.
INLINE void symmetric_spread(const lanes s[6], lanes S[9]) {
  S[0] = s[0], S[4] = s[1], S[8] = s[2];
  S[5] = S[7] = s[3], S[2] = S[6] = s[4], S[1] = S[3] = s[5];
}

// e <- sym(A'B)
INLINE void symmetric_product(const lanes A[9], const lanes B[9], lanes e[6]) {
  const lanes half = all(0.5);
  lanes T[9];
  tmul(T, A, B);
  e[0] = T[0], e[1] = T[4], e[2] = T[8];
  e[3] = half * (T[5] + T[7]), e[4] = half * (T[2] + T[6]), e[5] = half * (T[1] + T[3]);
}

INLINE void green_strain(const lanes F[9], lanes e[6]) {
  symmetric_product(F, F, e);
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) e[i] = all(0.5) * (e[i] - all(i < 3 ? 1.0 : 0.0));
}

// s <- 2 mu d + lambda tr(d) 1
INLINE void rate_stress(const limpet_elastic_constants *c, const lanes d[6], lanes s[6]) {
  const lanes mu2 = all(2.0 * c->mu), pressure = all(c->lambda) * (d[0] + d[1] + d[2]);
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) s[i] = mu2 * d[i] + (i < 3 ? pressure : all(0.0));
}

static void rate_start(const limpet_fem_body *body, const double *x, double *rate) {
  const int k = body->element_nodes, Q = body->element_points;
  lanes X[30], F[9];
  for (int b = 0; b < body->batch_count; ++b) {
    const element_batch batch = batch_of(body, k, b);
    gather(k, batch.node, x, X);
    for (int q = 0; q < Q; ++q) {
      gradient_of(k, X, (const lanes *)batch.gradient + q * 3 * k, F);
      green_strain(F, (lanes *)rate + LIMPET_FEM_RATE * (b * (long)Q + q) + LIMPET_FEM_RATE_START);
    }
  }
}

static double rate_force(const limpet_fem_body *body, double scale, const double *x, double *rate,
                         double *f) {
  const int k = body->element_nodes, Q = body->element_points;
  lanes X[30], Y[30], S[9], P[9], e[6], total = all(0.0);
  for (int b = 0; b < body->batch_count; ++b) {
    const element_batch batch = batch_of(body, k, b);
    gather(k, batch.node, x, X);
    for (int i = 0; i < 3 * k; ++i) Y[i] = all(0.0);
    for (int q = 0; q < Q; ++q) {
      lanes *r = (lanes *)rate + LIMPET_FEM_RATE * (b * (long)Q + q);
      lanes *F = r + LIMPET_FEM_RATE_F, *s = r + LIMPET_FEM_RATE_STRESS;
      const lanes *start = r + LIMPET_FEM_RATE_START,
                  *g = (const lanes *)batch.gradient + q * 3 * k;
      const lanes weight = all(scale) * ((const lanes *)batch.weight)[q];
      gradient_of(k, X, g, F);
      green_strain(F, e);
#pragma GCC unroll 6
      for (int i = 0; i < 6; ++i) e[i] -= start[i];
      rate_stress(&body->lame, e, s);
      total += all(0.5) * weight *
               (s[0] * e[0] + s[1] * e[1] + s[2] * e[2] +
                all(2.0) * (s[3] * e[3] + s[4] * e[4] + s[5] * e[5]));
      symmetric_spread(s, S);
      mul(P, F, S);
#pragma GCC unroll 9
      for (int i = 0; i < 9; ++i) P[i] *= weight;
      stress_spread(k, P, g, Y);
    }
    scatter(k, batch.node, Y, f);
  }
  return (total[0] + total[1]) + (total[2] + total[3]);
}

static void rate_product(const limpet_fem_body *body, double scale, const double *rate,
                         const double *x, double *y) {
  const int k = body->element_nodes, Q = body->element_points;
  lanes X[30], Y[30], dF[9], S[9], P[9], T[9], e[6], s[6];
  for (int b = 0; b < body->batch_count; ++b) {
    const element_batch batch = batch_of(body, k, b);
    gather(k, batch.node, x, X);
    for (int i = 0; i < 3 * k; ++i) Y[i] = all(0.0);
    for (int q = 0; q < Q; ++q) {
      const lanes *r = (const lanes *)rate + LIMPET_FEM_RATE * (b * (long)Q + q);
      const lanes *F = r + LIMPET_FEM_RATE_F, *g = (const lanes *)batch.gradient + q * 3 * k;
      gradient_of(k, X, g, dF);
      symmetric_product(F, dF, e);
      rate_stress(&body->lame, e, s);
      symmetric_spread(s, S);
      mul(P, F, S);
      symmetric_spread(r + LIMPET_FEM_RATE_STRESS, S);
      mul(T, dF, S);
#pragma GCC unroll 9
      for (int i = 0; i < 9; ++i)
        P[i] = all(scale) * ((const lanes *)batch.weight)[q] * (P[i] + T[i]);
      stress_spread(k, P, g, Y);
    }
    scatter(k, batch.node, Y, y);
  }
}

// The block of a pair of nodes. h = S g of the second one.
INLINE void rate_block(const lanes B[9], lanes mu, lanes lambda, const lanes g[3], const lanes G[3],
                       const lanes other[3], const lanes of_other[3], const lanes h[3],
                       lanes K[9]) {
  const lanes shear = mu * dot3(g[0], g[1], g[2], other[0], other[1], other[2]);
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) {
    const lanes mu_G = mu * G[i], lambda_other = lambda * of_other[i];
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j)
      K[3 * i + j] = shear * B[3 * i + j] + mu_G * of_other[j] + lambda_other * G[j];
  }
  const lanes stressed = dot3(g[0], g[1], g[2], h[0], h[1], h[2]);
  K[0] += stressed, K[4] += stressed, K[8] += stressed;
}

static void rate_stiffness(const limpet_fem_body *body, double scale, const double *rate,
                           bool projected, double *H) {
  const int k = body->element_nodes, Q = body->element_points;
  lanes G[30], h[30], B[9], S[9], K[9];
  for (int b = 0; b < body->batch_count; ++b) {
    const element_batch batch = batch_of(body, k, b);
    for (int q = 0; q < Q; ++q) {
      const lanes *r = (const lanes *)rate + LIMPET_FEM_RATE * (b * (long)Q + q);
      const lanes *F = r + LIMPET_FEM_RATE_F, *g = (const lanes *)batch.gradient + q * 3 * k;
      const lanes weight = all(scale) * ((const lanes *)batch.weight)[q];
      const lanes mu = all(body->lame.mu) * weight, lambda = all(body->lame.lambda) * weight;
      mul_t(B, F, F);
      turned(k, F, g, G);
      symmetric_spread(r + LIMPET_FEM_RATE_STRESS, S);
#pragma GCC unroll 9
      for (int i = 0; i < 9; ++i) S[i] *= projected ? all(0.0) : weight;
      turned(k, S, g, h);
      const int *place = batch.place;
      for (int n = 0; n < k; ++n)
        for (int a = 0; a <= n; ++a, place += LANES) {
          rate_block(B, mu, lambda, g + 3 * a, G + 3 * a, g + 3 * n, G + 3 * n, h + 3 * n, K);
          block_add(place, K, H);
        }
    }
  }
}
