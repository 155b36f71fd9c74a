/* control/identify_minima.h: the places where fits from several starts ended, and how far the best
 * of them moves when other trajectories are drawn. Floor 9.
 *
 * A sum of squares past impacts has many minima, and which of them is the least depends on the
 * trajectories. The bootstrap over trajectories (B. Efron, R. Tibshirani, An Introduction to the
 * Bootstrap, 1993, chapter 6) draws G of the G trajectories with repetition, n_t times each. Every
 * minimum m moves to first order, and the one that promises the least sum of squares counts:
 *   H = sum n_t J_t'J_t,   g = sum n_t J_t'r_t,   d = -H^-1 g,   theta_b = theta_m + d
 *   m: the least of sum n_t |r_t|^2 - g'H^-1 g
 *   error^2 = t^2 G/(G - 1) mean of (theta_b - their mean)^2,   t: limpet_identify_student
 * Places that a fit tried on its way count, too, and do not move: past impacts minima are too many
 * to be found, and these stand for them. Where the sum is smooth none is below what a minimum
 * promises, and with one minimum this is the jackknife's error but for what the draws scatter.
 * Cost: p^3 for each draw and minimum, G for each place; no simulation. */
#ifndef LIMPET_CONTROL_IDENTIFY_MINIMA_H
#define LIMPET_CONTROL_IDENTIFY_MINIMA_H

#include <stdbool.h>

// Where a fit ended, or (g and H NULL) what it tried.
typedef struct limpet_identify_minimum {
  double *theta;  // (p)
  double *sum;    // (G)  |r_t|^2 of each trajectory
  double *g;      // (G x p)  J_t'r_t
  double *H;      // (G x p x p)  J_t'J_t
} limpet_identify_minimum;

typedef struct limpet_identify_minima {
  int p, G, count;
  limpet_identify_minimum *minimum;  // (count)
} limpet_identify_minima;

// One more, all zero, with g and H where `ended`; NULL: no memory.
limpet_identify_minimum *limpet_identify_minima_add(limpet_identify_minima *minima, bool ended);
void limpet_identify_minima_free(limpet_identify_minima *minima);

/* Student's t of G - 1 degrees of freedom over the normal distribution's 1, at a chance of 68 %:
 * 1 + 1/(2 n) + 1/(4 n^2), n = G - 1 (Abramowitz and Stegun 26.7.5). An error that few trajectories
 * tell is uncertain itself (A. Cameron, D. Miller, A practitioner's guide to cluster-robust
 * inference, Journal of Human Resources 50, 2015, section VI). */
double limpet_identify_student(int G);

/* Standard errors (p) by the bootstrap; INFINITY where the draws determine no minimum, NAN for
 * fewer than two trajectories. */
void limpet_identify_minima_errors(const limpet_identify_minima *minima, double *error);

#endif
