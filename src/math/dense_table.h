/* math/dense_table.h: the dense kernels of one instruction set as a table, for dense.c and
 * block_sparse.c.
 *
 * A panel is w x r, row-major: the block row of the upper factor U = L' that belongs to one
 * supernode. In this layout the solve with the diagonal block and the outer products P' P run along
 * rows, so nothing is transposed. */
#ifndef LIMPET_MATH_DENSE_TABLE_H
#define LIMPET_MATH_DENSE_TABLE_H

// One outer product of a panel: values[target ...] (m x n, leading dimension ldc) -= P[:, a : a +
// m]' P[:, b : b + n].
typedef struct limpet_panel_update {
  int m, n;    // rows and columns of the target
  int a, b;    // first columns in the panel
  int target;  // offset of the first entry in the values
  int ldc;     // leading dimension there
  int lower;   // 1: only the lower triangle of the target counts (m == n); what is above may be
               // overwritten
} limpet_panel_update;

typedef struct limpet_dense_table {
  const char *name;  // "baseline", "avx2", "avx512"
  // inverse: (n) reciprocals of the diagonal of L, or NULL
  int (*cholesky)(int n, double *A, int lda, double *inverse);
  void (*cholesky_solve)(int n, const double *L, int lda, double *x);
  // A (n x n, both triangles) = (L L')^-1, `inverse` as `cholesky` fills it; Y: scratch of n rows
  // of n rounded up to four. Cost: n^3/3 multiply-adds
  void (*cholesky_invert)(int n, const double *L, int ldl, const double *inverse, double *Y,
                          double *A, int lda);
  // A (n x n) <- L, its diagonal included, and U above it, of A P' = L U; pivot (n): column that
  // changed places with column i. 0, or 1 + the row without a pivot. Solutions without P
  int (*lu)(int n, double *A, int *pivot);
  void (*lu_solve)(int n, const double *LU, double *x);
  void (*lu_solve_transposed)(int n, const double *LU, double *x);
  // B (w x n) <- L^-1 B for a lower triangle L_ij = L[i row + j step] and the reciprocals (w) of
  // its diagonal; strides may be negative: an upper triangle from its last row
  void (*solve_columns)(int w, int n, const double *L, int row, int step, const double *inverse,
                        double *B, int ldb);
  void (*solve_rows)(int m, int n, const double *L, int ldl, double *X, int ldx);
  void (*sub_mul_t)(int m, int n, int k, const double *A, int lda, const double *B, int ldb,
                    double *C, int ldc);
  // C (m x n) -= A B, A_il = A[i row + l step], B (k x n)
  void (*sub_mul)(int m, int n, int k, const double *A, int row, int step, const double *B, int ldb,
                  double *C, int ldc);
  void (*sub_syrk)(int n, int k, const double *A, int lda, double *C, int ldc);
  // A (n x n, symmetric) -= P' Q for P, Q (6 x n, rows ld apart) with a symmetric product, of which
  // what is below the diagonal is found
  void (*symmetric_update)(int n, const double *P, const double *Q, int ld, double *A, int lda);
  // B (n x m) = A' for A (m x n)
  void (*transpose)(int m, int n, const double *A, int lda, double *B, int ldb);
  double (*dot)(int n, const double *x, const double *y);
  void (*axpy)(int n, double a, const double *x, double *y);
  // y (n) = A' x for A (m x n)
  void (*tmul_vec)(int m, int n, const double *A, int lda, const double *x, double *y);
  // y (m) = A x for A (m x n), n at most 64, whose rows are zero from n to the next multiple of
  // four
  void (*mul_vec)(int m, int n, const double *A, int lda, const double *x, double *y);
  // of_x (m) = A x, of_y (m) = A y for A (m x n), m at most 5
  void (*row_products)(int m, int n, const double *A, int lda, const double *x, const double *y,
                       double *of_x, double *of_y);
  /* r (n) = w (g - y), number by number; dr = r - last_r, dg = g - last_g; then y, last_r <- r,
   * last_g <- g */
  void (*weigh_change)(int n, const double *w, const double *g, double *y, double *last_r,
                       double *last_g, double *dr, double *dg);

  /* K (6 x 6) += sum of W' G W over `count` contacts, W (3 x 6), G (3 x 3, symmetric) as [00, 01,
   * 11, 02, 12, 22]. Returns 1 where some G has a diagonal that is not zero; else nothing is added
   */
  int (*add_contacts)(int count, const double *W, const double *G, double *K);
  // u (count x 3) = W V and F (6) = sum of W' gamma for contacts W (3 x 6) with one V (6)
  void (*contact_speeds)(int count, const double *W, const double *V, double *u);
  void (*contact_push)(int count, const double *W, const double *gamma, double *F);
  /* u (count x 3) = sum over `sides` (1 or 2) of J_s v_s, and f_s += J_s' gamma for gamma (count x
   * 3), of contacts between bodies of six velocities each; J (count x sides x 3 x 6) */
  void (*body_speeds)(int count, int sides, const double *J, const double *const v[2], double *u);
  void (*body_push)(int count, int sides, const double *J, const double *gamma, double *const f[2]);
  /* to[0], to[2] (6 x 6) += J_s' G J_s of the first and second side, to[1] += J_r' G J_c of the
   * side r whose rows it has and the other one; G (count x 6) as in add_contacts */
  void (*body_stiffness)(int count, int sides, int r, const double *J, const double *G,
                         double *const to[3], const int stride[3]);
  /* The lower triangle of H += C K D' at the rows `row` (m) and columns `column` (n) of H, for C (m
   * x 6), D (n x 6), K (6 x 6, symmetric) */
  void (*add_congruent)(int m, const int *row, const double *C, const double *K, int n,
                        const int *column, const double *D, double *H, int ldh);

  // P <- L^-1 P, with the lower factor L (w x w, leading dimension w) and its reciprocal diagonal
  void (*panel_solve)(int w, int r, const double *L, const double *inverse, double *P, int ldp);
  void (*panel_update)(int count, const limpet_panel_update *update, int w, const double *P,
                       int ldp, double *values);
  // C (r x m) -= P' X for X (w x m)
  void (*panel_product)(int r, int m, int w, const double *P, int ldp, const double *X, int ldx,
                        double *C, int ldc);
  /* The next two for w = 6 where the panel reaches `count` blocks of six rows, which begin at
   * row[list[k]] in the vector `all`: x <- L^-1 x and the others less P' x; x <- L^-T (x - P y), y
   * the others. x: the rows of the supernode. */
  void (*bodies_forward)(int count, const int *list, const int *row, const double *L,
                         const double *inverse, const double *P, int ldp, double *x, double *all);
  void (*bodies_backward)(int count, const int *list, const int *row, const double *L,
                          const double *inverse, const double *P, int ldp, double *x,
                          const double *all);
  // x <- L^-1 x (w), y = P' x (r)
  void (*panel_forward)(int w, int r, const double *L, const double *inverse, const double *P,
                        int ldp, double *x, double *y);
  // x <- L^-T (x - P y)
  void (*panel_backward)(int w, int r, const double *L, const double *inverse, const double *P,
                         int ldp, double *x, const double *y);
} limpet_dense_table;

extern const limpet_dense_table
    limpet_dense_baseline;  // whatever the compiler assumes of every machine
extern const limpet_dense_table limpet_dense_avx2;  // AVX2 and FMA; x86-64 only
// AVX-512 too, in tiles; the same bits as AVX2
extern const limpet_dense_table limpet_dense_avx512;
// The table for this machine.
const limpet_dense_table *limpet_dense(void);

#endif
