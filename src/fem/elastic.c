/* fem/elastic.c: energy, stress and its derivative of one deformation gradient, for any law.
 *
 * The same formulas as in the kernels (kernels_code.h), for one point. The volume strain J - 1 is
 * evaluated with errors of one rounding: nearly incompressible laws multiply it by 1e3 mu. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "fem/elastic_law.h"
#include "fem/kernels.h"
#include "math/vec3.h"

enum { LANES = LIMPET_FEM_LANES };

// F = U diag(s) V' by the kernel, in all its lanes.
static void decompose(const double F[9], double U[9], double V[9], double s[3]) {
  double f[9 * LANES] __attribute__((aligned(32))), u[9 * LANES] __attribute__((aligned(32))),
      v[9 * LANES] __attribute__((aligned(32))), w[3 * LANES] __attribute__((aligned(32)));
  for (int i = 0; i < 9 * LANES; ++i) f[i] = F[i / LANES];
  limpet_fem()->decompose(1, f, u, v, w);
  for (int i = 0; i < 9; ++i) U[i] = u[LANES * i], V[i] = v[LANES * i];
  for (int i = 0; i < 3; ++i) s[i] = w[LANES * i];
}

// (high, low) += a b, exact but for the rounding of low.
static void product_add(double *high, double *low, double a, double b) {
  const double p = a * b, p_low = fma(a, b, -p), sum = *high + p, t = sum - *high;
  *low += p_low + ((*high - (sum - t)) + (p - t));
  *high = sum;
}

// det F - 1
static double volume_strain(const double F[9]) {
  double high = -1.0, low = 0.0;
  static const int order[3][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}};
  for (int k = 0; k < 3; ++k) {
    const double x = F[order[k][0]], y = F[3 + order[k][1]], z = F[6 + order[k][2]],
                 w = F[3 + order[k][2]], u = F[6 + order[k][1]];
    const double yz = y * z, yz_low = fma(y, z, -yz), wu = w * u, wu_low = fma(w, u, -wu);
    product_add(&high, &low, x, yz);
    product_add(&high, &low, -x, wu);
    low += x * (yz_low - wu_low);
  }
  return high + low;
}

void limpet_elastic_rotation(const double F[9], double R[9]) {
  double U[9], V[9], s[3];
  decompose(F, U, V, s);
  limpet_mat3_mul_t(R, U, V);
}

// The frame of a linear law: R0, or the identity.
static void frame(const limpet_elastic_law *law, const double F0[9], double R[9]) {
  if (law->rotates) limpet_elastic_rotation(F0, R);
  else limpet_mat3_identity(R);
}

double limpet_elastic_linear_energy(const limpet_elastic_constants *c, const double R[9],
                                    const double F[9], double P[9]) {
  assert(c && R && F);
  double S[9], T[9], square = 0.0;
  limpet_mat3_tmul(S, R, F);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      T[3 * i + j] = 0.5 * (S[3 * i + j] + S[3 * j + i]) - (i == j ? 1.0 : 0.0);
  const double trace = T[0] + T[4] + T[8];
  for (int i = 0; i < 9; ++i) {
    square += T[i] * T[i];
    T[i] = 2.0 * c->mu * T[i] + (i % 4 == 0 ? c->lambda * trace : 0.0);
  }
  if (P) limpet_mat3_mul(P, R, T);
  return c->mu * square + 0.5 * c->lambda * trace * trace;
}

static double principal_energy(const limpet_elastic_law *law, const limpet_elastic_constants *c,
                               const double F[9], double P[9]) {
  double U[9], V[9], s[3], S[9];
  limpet_principal p;
  decompose(F, U, V, s);
  const double energy = law->principal(c, s, volume_strain(F), &p);
  if (P) {
    for (int i = 0; i < 9; ++i) S[i] = U[i] * p.slope[i % 3];
    limpet_mat3_mul_t(P, S, V);
  }
  return energy;
}

double limpet_elastic_energy(const limpet_elastic_law *law, double youngs_modulus,
                             double poissons_ratio, const double F0[9], const double F[9],
                             double P[9]) {
  assert(law && F);
  const limpet_elastic_constants c =
      limpet_elastic_constants_of(law, youngs_modulus, poissons_ratio);
  if (!law->frozen) return principal_energy(law, &c, F, P);
  double R[9];
  frame(law, F0 ? F0 : F, R);
  return limpet_elastic_linear_energy(&c, R, F, P);
}

static void linear_derivative(const limpet_elastic_constants *c, const double R[9], double D[81]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
          D[9 * (3 * i + j) + 3 * k + l] =
              c->mu * ((i == k && j == l ? 1.0 : 0.0) + R[3 * i + l] * R[3 * k + j]) +
              c->lambda * R[3 * i + j] * R[3 * k + l];
}

static void curvature_project(double C[6]) {
  double w[3], V[9];
  limpet_mat3_eigen((const double[9]){C[0], C[1], C[2], C[1], C[3], C[4], C[2], C[4], C[5]}, w, V);
  int at = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j, ++at) {
      C[at] = 0.0;
      for (int n = 0; n < 3; ++n) C[at] += fmax(w[n], 0.0) * V[3 * i + n] * V[3 * j + n];
    }
}

// T[9 (3 i + j) + 3 k + l] in the frame of U and V.
static void principal_tensor(const limpet_principal *p, double T[81]) {
  static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  memset(T, 0, 81 * sizeof *T);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) T[9 * 4 * i + 4 * k] = p->curvature[at[i][k]];
  for (int n = 0; n < 3; ++n) {
    const int i = n == 0 ? 1 : 0, j = n == 2 ? 1 : 2, ij = 3 * i + j, ji = 3 * j + i;
    T[9 * ij + ij] = T[9 * ji + ji] = 0.5 * (p->stretch[n] + p->twist[n]);
    T[9 * ij + ji] = T[9 * ji + ij] = 0.5 * (p->stretch[n] - p->twist[n]);
  }
}

static void principal_derivative(const limpet_elastic_law *law, const limpet_elastic_constants *c,
                                 const double F[9], bool projected, double D[81]) {
  double U[9], V[9], s[3], T[81], frame_of[81], half[81];
  limpet_principal p;
  decompose(F, U, V, s);
  law->principal(c, s, volume_strain(F), &p);
  if (projected) {
    curvature_project(p.curvature);
    for (int n = 0; n < 3; ++n)
      p.stretch[n] = fmax(p.stretch[n], 0.0), p.twist[n] = fmax(p.twist[n], 0.0);
  }
  principal_tensor(&p, T);
  // D = B T B',  B[ij][mn] = U_im V_jn
  for (int i = 0; i < 9; ++i)
    for (int m = 0; m < 9; ++m)
      frame_of[9 * i + m] = U[3 * (i / 3) + m / 3] * V[3 * (i % 3) + m % 3];
  for (int i = 0; i < 9; ++i)
    for (int m = 0; m < 9; ++m) {
      half[9 * i + m] = 0.0;
      for (int n = 0; n < 9; ++n) half[9 * i + m] += frame_of[9 * i + n] * T[9 * n + m];
    }
  for (int i = 0; i < 9; ++i)
    for (int k = 0; k < 9; ++k) {
      D[9 * i + k] = 0.0;
      for (int n = 0; n < 9; ++n) D[9 * i + k] += half[9 * i + n] * frame_of[9 * k + n];
    }
}

void limpet_elastic_derivative(const limpet_elastic_law *law, double youngs_modulus,
                               double poissons_ratio, const double F0[9], const double F[9],
                               bool projected, double D[81]) {
  assert(law && F && D);
  const limpet_elastic_constants c =
      limpet_elastic_constants_of(law, youngs_modulus, poissons_ratio);
  if (!law->frozen) {
    principal_derivative(law, &c, F, projected, D);
    return;
  }
  double R[9];
  frame(law, F0 ? F0 : F, R);
  linear_derivative(&c, R, D);
}
