/* math/dense.c: the dense kernels of this machine, chosen once when the library is loaded. */
#include "math/dense.h"

#include <string.h>

#include "math/dense_table.h"
#include "math/ltl.h"
#include "math/pairs.h"

static const limpet_dense_table *table = &limpet_dense_baseline;

#if defined(__x86_64__)
__attribute__((constructor)) static void table_choose(void) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) table = &limpet_dense_avx2;
  if (table == &limpet_dense_avx2 && __builtin_cpu_supports("avx512f"))
    table = &limpet_dense_avx512;
}
#endif

const limpet_dense_table *limpet_dense(void) { return table; }

int limpet_cholesky(int n, double *A, int lda) { return table->cholesky(n, A, lda, 0); }

void limpet_cholesky_solve(int n, const double *L, int lda, double *x) {
  table->cholesky_solve(n, L, lda, x);
}

size_t limpet_positive_work(int n) {
  const size_t ld = (size_t)limpet_ltl_padded(n);
  return ld * (ld + 1);
}

// x <- A^-1 x with a factor of limpet_ltl. y: (ld)
static inline void ltl_back(int n, const double *factor, double *y, double *x) {
  const int ld = limpet_ltl_padded(n);
  memcpy(y, x, (size_t)n * sizeof *y);
  for (int i = n; i < ld; ++i) y[i] = 0.0;
  limpet_ltl()->solve(ld, factor, ld, y);
  memcpy(x, y, (size_t)n * sizeof *x);
}

bool limpet_positive_solve(int n, const double *A, int lda, double *work, double *x) {
  if (!limpet_ltl_pays(n)) {
    for (int i = 0; i < n; ++i)
      limpet_pairs_copy(i + 1, work + (size_t)i * (size_t)n, A + (size_t)i * (size_t)lda);
    if (table->cholesky(n, work, n, NULL)) return false;
    table->cholesky_solve(n, work, n, x);
    return true;
  }
  const int ld = limpet_ltl_padded(n);
  limpet_ltl()->copy(n, A, lda, work);
  if (limpet_ltl()->factor(ld, work, ld)) return false;
  ltl_back(n, work, work + ld * ld, x);
  return true;
}

void limpet_positive_again(int n, const double *work, double *x) {
  double y[LIMPET_LTL_LIMIT];
  if (limpet_ltl_pays(n)) ltl_back(n, work, y, x);
  else table->cholesky_solve(n, work, n, x);
}

double limpet_dot(int n, const double *x, const double *y) { return table->dot(n, x, y); }

void limpet_axpy(int n, double a, const double *x, double *y) { table->axpy(n, a, x, y); }
