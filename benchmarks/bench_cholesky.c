/* benchmarks/bench_cholesky.c: time of the dense and block-sparse Cholesky kernels on one thread.
 *
 * Each figure is the least of 21 batches of about 2 ms; a calibration loop of dependent adds (3
 * cycles each) is printed, so that numbers of different machines and days can be compared. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "math/block_sparse.h"
#include "math/dense.h"
#include "math/dense_table.h"
#include "measure.h"

typedef void work(void *context);

// [s] per call, least of 21 batches
static double time_of(work *function, void *context) {
  double once = now();
  for (int i = 0; i < 8; ++i) function(context);
  once = (now() - once) / 8.0;
  const int count = (int)fmax(1.0, 2e-3 / fmax(once, 1e-9));
  double best = INFINITY;
  for (int batch = 0; batch < 21; ++batch) {
    const double start = now();
    for (int i = 0; i < count; ++i) function(context);
    best = fmin(best, (now() - start) / count);
  }
  return best;
}

static unsigned long long seed = 7;

typedef struct dense_case {
  int n;
  double *original, *A, *x;
} dense_case;

static void copy_only(void *context) {
  dense_case *c = context;
  memcpy(c->A, c->original, (size_t)(c->n * c->n) * sizeof(double));
}

static void factor(void *context) {
  dense_case *c = context;
  memcpy(c->A, c->original, (size_t)(c->n * c->n) * sizeof(double));
  if (limpet_cholesky(c->n, c->A, c->n)) abort();
}

static void solve(void *context) {
  dense_case *c = context;
  limpet_cholesky_solve(c->n, c->A, c->n, c->x);
  c->x[0] += 1.0;
}

static void dense_report(int n) {
  dense_case c = {n, malloc((size_t)(n * n) * 8), malloc((size_t)(n * n) * 8),
                  malloc((size_t)n * 8)};
  for (int i = 0; i < n; ++i) {
    c.x[i] = uniform(&seed, 0.0, 1.0);
    for (int j = 0; j < n; ++j) c.original[i * n + j] = i == j ? n : 0.5 * uniform(&seed, 0.0, 1.0);
  }
  const double t = time_of(factor, &c), copy = time_of(copy_only, &c), back = time_of(solve, &c);
  printf("dense %4d: factor with copy %9.1f ns, copy %7.1f ns, solve %8.1f ns, %5.1f GFLOP/s\n", n,
         1e9 * t, 1e9 * copy, 1e9 * back, (double)n * n * n / 3.0 / (t - copy) * 1e-9);
  free(c.original), free(c.A), free(c.x);
}

typedef struct block_case {
  double a[36], b[36], c[36], panel[6 * 32], values[64 * 64];
} block_case;

static void block_sub_mul_t(void *context) {
  block_case *c = context;
  limpet_dense()->sub_mul_t(6, 6, 6, c->a, 6, c->b, 6, c->c, 6);
}

static void block_solve_rows(void *context) {
  block_case *c = context;
  limpet_dense()->solve_rows(6, 6, c->a, 6, c->c, 6);
}

static void panel_updates(void *context) {  // 100 block updates
  block_case *c = context;
  limpet_panel_update item[100];
  for (int i = 0; i < 100; ++i)
    item[i] = (limpet_panel_update){
        6, 6, 6 * (i % 5), 6 * (i / 20), 6 * (i % 10) + 64 * 6 * (i / 10), 64, 0};
  limpet_dense()->panel_update(100, item, 6, c->panel, 32, c->values);
}

static void block_report(void) {
  block_case c;
  for (int i = 0; i < 36; ++i) c.a[i] = i % 7 == 0 ? 1.0 : 0.0, c.b[i] = 1e-9, c.c[i] = 1.0;
  for (int i = 0; i < 6 * 32; ++i) c.panel[i] = 1e-9;
  for (int i = 0; i < 64 * 64; ++i) c.values[i] = 1.0;
  printf("6 x 6: A B' %.1f ns, solve of rows %.1f ns, panel update %.1f ns\n",
         1e9 * time_of(block_sub_mul_t, &c), 1e9 * time_of(block_solve_rows, &c),
         1e7 * time_of(panel_updates, &c));
}

/* A pile: bodies of 6 velocities near the points of a grid, the nearest ones joined until
 * there are `per_body` pairs for each body. */
typedef struct pile_case {
  int n, pair_count, *size, *pairs;
  limpet_arena arena;
  limpet_block_cholesky *factor;
  double *matrix, *x;
} pile_case;

typedef struct neighbour {
  double distance;
  int i, j;
} neighbour;

static int neighbour_compare(const void *a, const void *b) {
  const double x = ((const neighbour *)a)->distance, y = ((const neighbour *)b)->distance;
  return (x > y) - (x < y);
}

static void pile_create(pile_case *c, int n, double per_body, int robot) {
  *c = (pile_case){.n = n, .size = malloc((size_t)n * sizeof(int))};
  double *place = malloc((size_t)(3 * n) * sizeof *place);
  const int side = (int)ceil(cbrt(n));
  for (int i = 0; i < n; ++i) {
    place[3 * i] = i % side + 0.7 * uniform(&seed, 0.0, 1.0);
    place[3 * i + 1] = i / side % side + 0.7 * uniform(&seed, 0.0, 1.0);
    place[3 * i + 2] = i / side / side + 0.7 * uniform(&seed, 0.0, 1.0);
  }
  for (int i = 0; i < n; ++i) c->size[i] = i == 0 && robot ? robot : 6;
  neighbour *all = malloc((size_t)n * (size_t)n / 2 * sizeof *all);
  int count = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) {
      double d = 0.0;
      for (int k = 0; k < 3; ++k)
        d += (place[3 * i + k] - place[3 * j + k]) * (place[3 * i + k] - place[3 * j + k]);
      all[count++] = (neighbour){d, i, j};
    }
  qsort(all, (size_t)count, sizeof *all, neighbour_compare);
  c->pair_count = (int)(per_body * n) < count ? (int)(per_body * n) : count;
  c->pairs = malloc((size_t)(2 * c->pair_count) * sizeof *c->pairs);
  for (int k = 0; k < c->pair_count; ++k)
    c->pairs[2 * k] = all[k].i, c->pairs[2 * k + 1] = all[k].j;
  if (limpet_arena_create(&c->arena, 1 << 24)) abort();
  free(all), free(place);
}

static void pile_symbolic(void *context) {
  pile_case *c = context;
  limpet_arena_reset(&c->arena);
  c->factor = limpet_block_cholesky_create(&c->arena, c->n, c->size, c->pair_count, c->pairs);
}

static void pile_copy(void *context) {
  pile_case *c = context;
  memcpy(limpet_block_cholesky_values(c->factor), c->matrix,
         (size_t)limpet_block_cholesky_doubles(c->factor) * sizeof(double));
}

static void pile_factor(void *context) {
  pile_case *c = context;
  pile_copy(c);
  if (limpet_block_cholesky_factor(c->factor)) abort();
}

static void pile_solve(void *context) {
  pile_case *c = context;
  limpet_block_cholesky_solve(c->factor, c->x);
  c->x[0] += 1.0;
}

static void pile_report(int n, double per_body, int robot) {
  pile_case c;
  pile_create(&c, n, per_body, robot);
  const double symbolic = time_of(pile_symbolic, &c);
  limpet_block_cholesky_zero(c.factor);
  for (int i = 0; i < n; ++i) {
    int stride, transposed;
    double *block = limpet_block_cholesky_block(c.factor, i, i, &stride, &transposed);
    for (int r = 0; r < c.size[i]; ++r) block[r * stride + r] = 100.0;
  }
  for (int k = 0; k < c.pair_count; ++k) {
    int stride, transposed;
    double *block = limpet_block_cholesky_block(c.factor, c.pairs[2 * k], c.pairs[2 * k + 1],
                                                &stride, &transposed);
    for (int r = 0; r < 6; ++r)
      for (int s = 0; s < 6; ++s) block[r * stride + s] = uniform(&seed, 0.0, 1.0) - 0.5;
  }
  const size_t bytes = (size_t)limpet_block_cholesky_doubles(c.factor) * sizeof(double);
  c.matrix = malloc(bytes);
  c.x = calloc((size_t)limpet_block_cholesky_rows(c.factor), sizeof *c.x);
  memcpy(c.matrix, limpet_block_cholesky_values(c.factor), bytes);
  const double copy = time_of(pile_copy, &c), factor_time = time_of(pile_factor, &c) - copy,
               solve_time = time_of(pile_solve, &c);
  printf(
      "pile %4d bodies%s, %5d pairs: symbolic %8.1f us, factor %9.2f us, solve %7.2f us; %8.0f "
      "block updates' worth of "
      "multiply-adds, %.1f GFLOP/s, %zu KiB\n",
      n, robot ? " + robot" : "", c.pair_count, 1e6 * symbolic, 1e6 * factor_time, 1e6 * solve_time,
      limpet_block_cholesky_flops(c.factor) / 216.0,
      2e-9 * limpet_block_cholesky_flops(c.factor) / factor_time, bytes / 1024);
  limpet_arena_destroy(&c.arena);
  free(c.size), free(c.pairs), free(c.matrix), free(c.x);
}

static void dependent_adds(void *context) {
  double *x = context;
  double s = *x;
  for (int i = 0; i < 1000; ++i) {
    s += 1.0;
    __asm__ volatile("" : "+x"(s));
  }
  *x = s;
}

int main(void) {
  double x = 0.0;
  printf("kernels: %s; calibration: %.3f ns per dependent add\n", limpet_dense()->name,
         1e6 * time_of(dependent_adds, &x));
  const int sizes[] = {6, 7, 13, 18, 27, 36, 43, 64, 100, 128, 300};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) dense_report(sizes[i]);
  block_report();
  pile_report(1, 0.0, 0);
  pile_report(1, 0.0, 30);
  pile_report(40, 1.2, 0);
  pile_report(100, 2.0, 0);
  pile_report(100, 2.0, 30);
  pile_report(200, 2.2, 0);
  pile_report(1000, 2.2, 0);
  return 0;
}
