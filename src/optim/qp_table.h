/* optim/qp_table.h: the small kernels of the quadratic programmes as a table, compiled for several
 * instruction sets like the dense ones (math/dense_table.h) and chosen with them.
 *
 * Rows of matrices are padded to LIMPET_QP_LANES columns, columns of the transposed G to
 * LIMPET_QP_ROW_LANES rows; the padding holds zeros and is read. */
#ifndef LIMPET_OPTIM_QP_TABLE_H
#define LIMPET_OPTIM_QP_TABLE_H

enum { LIMPET_QP_LANES = 4, LIMPET_QP_ROW_LANES = 16 };

typedef struct limpet_qp_worst {
  int row;
  double value;
} limpet_qp_worst;

typedef struct limpet_qp_table {
  /* Gt (n x ldm) = G', G: (m x n); norm[i] = sum over j of weight[j] G[i][j]^2, zero in the
   * padding; scale[i] = 1 / norm[i], zero where that is zero */
  void (*transpose)(int m, int n, const double *G, const double *weight, double *Gt, int ldm,
                    double *norm, double *scale);
  // s = h + Gt' x, bound = |h| + |Gt|' |x| (ldm each; h padded; bound may be NULL); returns the
  // least s[i] |s[i]| scale[i]
  limpet_qp_worst (*slack)(int n, int ldm, const double *Gt, const double *h, const double *x,
                           const double *scale, double *s, double *bound);
  // s += t Gt' z; returns the same
  limpet_qp_worst (*advance)(int n, int ldm, const double *Gt, double t, const double *z,
                             const double *scale, double *s);
  limpet_qp_worst (*worst)(int ldm, const double *scale, const double *s);
  // y (columns) = A' x, A: rows x columns (padded), row-major
  void (*mul_t)(int rows, int columns, const double *A, int lda, const double *x, double *y);
  // y[i] = A[i, from : to] . x[from : to], from and to multiples of LIMPET_QP_LANES
  void (*mul)(int rows, int from, int to, const double *A, int lda, const double *x, double *y);
  /* d = J'g, tail = d without its first q entries, z = J tail (ld each; J: n x ld); returns
   * |tail|^2, and |d|^2 in `total` */
  double (*direction)(int n, int ld, int q, const double *J, const double *g, double *d,
                      double *tail, double *z, double *total);
  // J[i, :] -= beta (z[i] - alpha J[i][q]) v', v zero before q
  void (*reflect)(int n, int ld, int q, double alpha, double beta, const double *z, const double *v,
                  double *J);
  // b (ld) += product - A'u, A: (q x ld), with the round-off of the sum made good
  void (*rest)(int ld, int q, const double *product, const double *A, const double *u, double *b);
  // columns k and k + 1 of A: [a b] <- [cos a + sin b, cos b - sin a]
  void (*rotate)(int rows, int k, double cosine, double sine, double *A, int lda);
  // y (q) <- Rt^-1 y and y <- Rt^-T y, Rt lower triangular with the reciprocals of its diagonal
  void (*forward)(int q, const double *Rt, int ldr, const double *inverse, double *y);
  void (*backward)(int q, const double *Rt, int ldr, const double *inverse, double *y);
} limpet_qp_table;

extern const limpet_qp_table limpet_qp_baseline;
extern const limpet_qp_table limpet_qp_avx2;  // x86-64 only
// The table for this machine.
const limpet_qp_table *limpet_qp_kernels(void);

static inline int limpet_qp_pad(int n, int lanes) { return (n + lanes - 1) / lanes * lanes; }

#endif
