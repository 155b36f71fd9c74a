/* tests/support/qp_cases.h: quadratic programmes for tests: golden ones, made ones with a known
 * solution, and how well a solution satisfies the conditions of optimality, computed in long double
 * apart from the library. */
#ifndef LIMPET_TEST_QP_CASES_H
#define LIMPET_TEST_QP_CASES_H

#include <jansson.h>
#include <stdbool.h>

#include "optim/qp.h"

enum { QP_MOST_VARIABLES = 32, QP_MOST_ROWS = 256, QP_MOST_CONES = 32 };

// A problem with room of its own, and a solution where one is known.
typedef struct qp_case {
  limpet_qp_problem problem;
  double Q[QP_MOST_VARIABLES * QP_MOST_VARIABLES], c[QP_MOST_VARIABLES];
  double G[QP_MOST_ROWS * QP_MOST_VARIABLES], h[QP_MOST_ROWS];
  int cone_dimension[QP_MOST_CONES];
  double x[QP_MOST_VARIABLES], multipliers[QP_MOST_ROWS];  // known
} qp_case;

// What a solve writes, and a workspace for the largest case.
typedef struct qp_run {
  limpet_qp_workspace workspace;
  limpet_qp_solution solution;
  limpet_qp_info info;
  double x[QP_MOST_VARIABLES], multipliers[QP_MOST_ROWS], slack[QP_MOST_ROWS];
  void *memory;
} qp_run;

void qp_case_reset(qp_case *c, int n);                    // Q = 1, c = 0, no rows
void qp_case_row(qp_case *c, const double *g, double h);  // one more linear row; before the cones
void qp_case_cone(qp_case *c, int dimension, const double *G, const double *h);
// From an entry of a golden file; false: it is infeasible and has no x.
bool qp_case_read(qp_case *c, const json_t *item);
// Q = A A' + 0.1, m linear rows of which `active` are tight with a positive multiplier and `weak`
// tight without.
void qp_case_random(qp_case *c, unsigned long *seed, int n, int m, int active, int weak);

void qp_run_create(qp_run *run);
void qp_run_destroy(qp_run *run);
// The default settings with that method; warm: from what the run holds.
void qp_run_solve(qp_run *run, const qp_case *c, limpet_qp_method method, bool warm);

/* The greatest of: |Qx + c - G'lambda| over its terms, violation of rows and cones over |h| +
 * |G| |x|, of lambda's signs and cones over max |lambda|, |s'lambda| over the terms of the
 * objective. */
double qp_optimality(const qp_case *c, const double *x, const double *multipliers);
/* The greatest of: |G'lambda| over |G|'|lambda| (variables in units of 1 / sqrt(Q_jj)), violation
 * of lambda's signs and cones; INFINITY unless h'lambda < 0. */
double qp_certificate(const qp_case *c, const double *multipliers);
// max |a - b| / max |b|
double qp_difference(int n, const double *a, const double *b);

#endif
