/* math/mat3.c: eigenvalues of symmetric 3x3 matrices. */
#include "math/vec3.h"

/* Cyclic Jacobi: each rotation zeroes one off-diagonal entry; six sweeps reach round-off. Golub,
 * Van Loan, Matrix Computations, section 8.5. */
void limpet_mat3_eigen(const double A[9], double w[3], double V[9]) {
  double S[9];
  limpet_mat3_copy(S, A);
  limpet_mat3_identity(V);
  for (int sweep = 0; sweep < 32; ++sweep) {
    const double off = S[1] * S[1] + S[2] * S[2] + S[5] * S[5];
    const double diagonal = S[0] * S[0] + S[4] * S[4] + S[8] * S[8];
    if (off <= 1e-34 * diagonal || off == 0.0) break;
    for (int p = 0; p < 2; ++p) {
      for (int q = p + 1; q < 3; ++q) {
        const double apq = S[3 * p + q];
        if (apq == 0.0) continue;

        // rotation angle that zeroes S_pq
        const double theta = (S[4 * q] - S[4 * p]) / (2.0 * apq);
        const double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
        const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;

        // S <- G' S G, V <- V G
        for (int k = 0; k < 3; ++k) {
          const double kp = S[3 * k + p], kq = S[3 * k + q];
          S[3 * k + p] = c * kp - s * kq;
          S[3 * k + q] = s * kp + c * kq;
        }
        for (int k = 0; k < 3; ++k) {
          const double pk = S[3 * p + k], qk = S[3 * q + k];
          S[3 * p + k] = c * pk - s * qk;
          S[3 * q + k] = s * pk + c * qk;
        }
        for (int k = 0; k < 3; ++k) {
          const double kp = V[3 * k + p], kq = V[3 * k + q];
          V[3 * k + p] = c * kp - s * kq;
          V[3 * k + q] = s * kp + c * kq;
        }
      }
    }
  }

  // descending order
  int order[3] = {0, 1, 2};
  for (int i = 0; i < 2; ++i)
    for (int j = i + 1; j < 3; ++j)
      if (S[4 * order[j]] > S[4 * order[i]]) {
        const int k = order[i];
        order[i] = order[j], order[j] = k;
      }
  double U[9];
  limpet_mat3_copy(U, V);
  for (int i = 0; i < 3; ++i) {
    w[i] = S[4 * order[i]];
    for (int k = 0; k < 3; ++k) V[3 * k + i] = U[3 * k + order[i]];
  }
  if (limpet_mat3_determinant(V) < 0.0)
    for (int k = 0; k < 3; ++k) V[3 * k + 2] = -V[3 * k + 2];
}
