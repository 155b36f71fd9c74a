/* math/dense.c: the dense kernels of this machine, chosen once when the library is loaded. */
#include "math/dense.h"

#include "math/dense_table.h"

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

double limpet_dot(int n, const double *x, const double *y) { return table->dot(n, x, y); }

void limpet_axpy(int n, double a, const double *x, double *y) { table->axpy(n, a, x, y); }
