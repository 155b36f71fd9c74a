/* tests/geometry/test_pair_work.c: the work of the longest query of each kind of pair over the
 * mean.
 *
 * Work is the number of basic blocks that a query runs through: the geometry is compiled once more
 * for this test, with a call at the head of each block (-fsanitize-coverage=trace-pc). So it is
 * the same on every run, whatever else the machine does. Pairs are those of test_pair_truth.c;
 * a number as argument asks that many. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "geometry/pair.h"
#include "random_pairs.h"

enum { SHORT = 300000 };

/* Of the short run, with a fifth on it at most, as compilers make other blocks: a capsule with a
 * cylinder takes 19.6 (gcc), with an ellipsoid 13.0, an ellipsoid with a cylinder 11.0, all others
 * 9.8 at most. */
static double worst_over_mean(limpet_shape_kind ka, limpet_shape_kind kb) {
  if (kb == LIMPET_SHAPE_CYLINDER)
    return ka == LIMPET_SHAPE_CAPSULE ? 25.0 : ka == LIMPET_SHAPE_ELLIPSOID ? 13.5 : 12.0;
  return ka == LIMPET_SHAPE_CAPSULE && kb == LIMPET_SHAPE_ELLIPSOID ? 15.5 : 11.0;
}

static long wanted = SHORT;
static long blocks;

// What the compiler calls at the head of each block.
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) { ++blocks; }

typedef struct kind_work {
  long count;
  double sum, worst;
} kind_work;

static void work_add(kind_work *work, random_pairs *drawn, limpet_shape_kind ka,
                     limpet_shape_kind kb) {
  random_shape a, b;
  limpet_manifold m;
  random_pair_draw(&a, &b, drawn, ka, kb);
  blocks = 0;
  limpet_shape_contact(&m, &a.shape, &b.shape, 10.0, false);
  ++work->count;
  work->sum += (double)blocks;
  work->worst = fmax(work->worst, (double)blocks);
}

static void no_query_takes_much_more_than_the_mean(void **state) {
  (void)state;
  static kind_work works[LIMPET_SHAPE_COUNT][LIMPET_SHAPE_COUNT];
  random_pairs drawn;
  assert_true(random_pairs_create(&drawn, 77));
  for (long k = 0; k < wanted; ++k) {
    limpet_shape_kind ka, kb;
    random_pair_kinds(&ka, &kb, &drawn);
    work_add(&works[ka][kb], &drawn, ka, kb);
  }
  int beyond = 0;
  for (int ka = 0; ka < LIMPET_SHAPE_CLOUD; ++ka)
    for (int kb = ka; kb < LIMPET_SHAPE_CLOUD; ++kb) {
      const kind_work *work = &works[ka][kb];
      if (work->count == 0) continue;
      const double mean = work->sum / (double)work->count;
      assert_true(mean >= 1.0);  // negative control: blocks are counted
      const double limit = worst_over_mean((limpet_shape_kind)ka, (limpet_shape_kind)kb);
      beyond += wanted == SHORT && work->worst > limit * mean;
      print_message("%-9s %-9s %8ld pairs, mean %6.0f blocks, worst %6.0f, %.1f times it\n",
                    limpet_shape_kind_word((limpet_shape_kind)ka),
                    limpet_shape_kind_word((limpet_shape_kind)kb), work->count, mean, work->worst,
                    work->worst / mean);
    }
  random_pairs_destroy(&drawn);
  assert_int_equal(beyond, 0);
}

int main(int argc, char **argv) {
  if (argc > 1) wanted = atol(argv[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_query_takes_much_more_than_the_mean)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
