/* control/identify_minima.c: see identify_minima.h. */
#include "control/identify_minima.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"

enum { DRAWS = 400 };  // the error of a standard deviation is 1/sqrt(2 DRAWS), 4 %

static double *numbers(size_t count) { return calloc(count + 1, sizeof(double)); }

limpet_identify_minimum *limpet_identify_minima_add(limpet_identify_minima *minima, bool ended) {
  const size_t p = (size_t)minima->p, G = (size_t)minima->G;
  limpet_identify_minimum *grown =
      realloc(minima->minimum, ((size_t)minima->count + 1) * sizeof *grown);
  if (!grown) return NULL;
  minima->minimum = grown;
  limpet_identify_minimum *m = &grown[minima->count++];
  *m = (limpet_identify_minimum){.theta = numbers(p), .sum = numbers(G)};
  if (ended) m->g = numbers(G * p), m->H = numbers(G * p * p);
  return m->theta && m->sum && (!ended || (m->g && m->H)) ? m : NULL;
}

void limpet_identify_minima_free(limpet_identify_minima *minima) {
  for (int i = 0; i < minima->count; ++i) {
    limpet_identify_minimum *m = &minima->minimum[i];
    free(m->theta), free(m->sum), free(m->g), free(m->H);
  }
  free(minima->minimum);
}

typedef struct draw {
  int *times;                 // (G)  how often each trajectory was drawn
  double *H, *g, *d;          // (p x p), (p)
  double *best, *mean, *sum;  // (p)
} draw;

static bool draw_create(draw *w, const limpet_identify_minima *minima) {
  const size_t p = (size_t)minima->p;
  *w = (draw){.times = calloc((size_t)minima->G + 1, sizeof *w->times)};
  w->H = numbers(p * p), w->g = numbers(p), w->d = numbers(p);
  w->best = numbers(p), w->mean = numbers(p), w->sum = numbers(p);
  return w->times && w->H && w->g && w->d && w->best && w->mean && w->sum;
}

static void draw_release(draw *w) {
  free(w->times), free(w->H), free(w->g), free(w->d);
  free(w->best), free(w->mean), free(w->sum);
}

// Numerical recipes' 64-bit generator: its upper half as a number below `count`.
static int below(uint64_t *state, int count) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (int)(((*state >> 32) * (uint64_t)count) >> 32);
}

static void trajectories_draw(draw *w, int G, uint64_t *state) {
  memset(w->times, 0, (size_t)G * sizeof *w->times);
  for (int i = 0; i < G; ++i) ++w->times[below(state, G)];
}

/* Moves a minimum into d (p) for the trajectories that were drawn; returns the sum of squares that
 * it promises, INFINITY where they do not determine the parameters. */
static double minimum_move(draw *w, int p, int G, const limpet_identify_minimum *m) {
  double sum = 0.0;
  for (int t = 0; t < G; ++t) sum += w->times[t] * m->sum[t];
  if (!m->H) {
    memcpy(w->d, m->theta, (size_t)p * sizeof(double));
    return sum;
  }
  memset(w->H, 0, (size_t)(p * p) * sizeof(double));
  memset(w->g, 0, (size_t)p * sizeof(double));
  for (int t = 0; t < G; ++t) {
    const double times = w->times[t];
    if (w->times[t] == 0) continue;
    for (int i = 0; i < p; ++i) w->g[i] += times * m->g[t * p + i];
    for (int i = 0; i < p * p; ++i) w->H[i] += times * m->H[t * p * p + i];
  }
  if (limpet_cholesky(p, w->H, p) != 0) return INFINITY;
  memcpy(w->d, w->g, (size_t)p * sizeof(double));
  limpet_cholesky_solve(p, w->H, p, w->d);
  sum -= limpet_dot(p, w->g, w->d);
  for (int i = 0; i < p; ++i) w->d[i] = m->theta[i] - w->d[i];
  return sum;
}

// The best minimum of a draw into best (p); false where none is determined.
static bool draw_minimise(draw *w, const limpet_identify_minima *minima) {
  double least = INFINITY;
  for (int k = 0; k < minima->count; ++k) {
    const double sum = minimum_move(w, minima->p, minima->G, &minima->minimum[k]);
    if (!(sum < least)) continue;
    least = sum;
    memcpy(w->best, w->d, (size_t)minima->p * sizeof(double));
  }
  return least < INFINITY;
}

/* Mean of the draws (first pass), and sum of squares about it (second), with the same draws. False
 * where one of them determines nothing. */
static bool draws_add(draw *w, const limpet_identify_minima *minima, bool squares) {
  uint64_t state = 1;
  for (int b = 0; b < DRAWS; ++b) {
    trajectories_draw(w, minima->G, &state);
    if (!draw_minimise(w, minima)) return false;
    for (int i = 0; i < minima->p; ++i) {
      const double off = w->best[i] - w->mean[i];
      w->sum[i] += squares ? off * off : off / DRAWS;
    }
  }
  return true;
}

double limpet_identify_student(int G) {
  assert(G > 1);
  const double n = G - 1.0;
  return 1.0 + 0.5 / n + 0.25 / (n * n);
}

void limpet_identify_minima_errors(const limpet_identify_minima *minima, double *error) {
  const int p = minima->p, G = minima->G;
  assert(minima->count > 0);
  draw w;
  bool good = draw_create(&w, minima) && G > 1 && draws_add(&w, minima, false);
  if (good) {
    memcpy(w.mean, w.sum, (size_t)p * sizeof(double));
    memset(w.sum, 0, (size_t)p * sizeof(double));
    good = draws_add(&w, minima, true);
  }
  for (int i = 0; i < p; ++i)
    error[i] = G < 2  ? NAN
               : good ? limpet_identify_student(G) * sqrt(w.sum[i] / (DRAWS - 1) * G / (G - 1.0))
                      : INFINITY;
  draw_release(&w);
}
