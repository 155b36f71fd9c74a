/* optim/qp.h: strictly convex quadratic programmes with linear rows and second-order cones.
 *
 *   minimise 1/2 x'Qx + c'x   subject to   s = G x + h in K,   K = R+^m x K_1 x ... x K_p
 *   K_k = { s : s[0] >= ||(s[1], ..., s[d_k - 1])|| },   self-dual
 *
 * Optimality: Q x + c = G' lambda, lambda in K, s' lambda = 0. Infeasible: some lambda in K has G'
 * lambda = 0, h' lambda < 0. Rows and columns have whatever units the caller gives them; both
 * methods are indifferent to a scaling of single rows (of whole cones) and of single variables, as
 * far as doubles are.
 *
 * limpet_qp_solve chooses the method: without cones the dual active-set method (active_set.h),
 * which is the fastest for the tens of rows of a step and starts from the rows that were active
 * before; where it does not finish, and with cones, the interior-point method (interior_point.h),
 * polished on the faces that it found (face.h). Derivatives of the solution: qp_derivative.h.
 * Theory, measurements: docs/theory/qp.md. */
#ifndef LIMPET_OPTIM_QP_H
#define LIMPET_OPTIM_QP_H

#include <stdbool.h>
#include <stddef.h>

enum { LIMPET_QP_LARGEST_CONE = 8 };

typedef struct limpet_qp_problem {
  int n;                      // variables, at least 1
  int row_count;              // m, linear rows
  int cone_count;             // p
  const int *cone_dimension;  // (p)  d_k, 2 .. LIMPET_QP_LARGEST_CONE; may be NULL where p is 0
  const double *Q;  // (n, n)  row-major, positive definite; the lower triangle is read; zeros off
                    // its blocks are used
  const double *c;  // (n)
  // (m + sum d, n)  row-major, the linear rows first, then the cones one after the other
  const double *G;
  const double *h;  // (m + sum d)
} limpet_qp_problem;

typedef enum limpet_qp_method {
  LIMPET_QP_METHOD_AUTOMATIC,   // active set without cones, interior point with cones and where the
                                // other does not finish
  LIMPET_QP_METHOD_ACTIVE_SET,  // that alone; a problem with cones fails
  LIMPET_QP_METHOD_INTERIOR_POINT  // that alone (its polish uses the active-set method)
} limpet_qp_method;

typedef struct limpet_qp_settings {
  limpet_qp_method method;
  double tolerance;     // [-]  relative KKT residuals that count as solved
  int iteration_limit;  // interior-point iterations; the active-set method may take 10 (n + m)
                        // changes of the set
  bool polish;      // solve the equations of the identified faces after the interior-point method
  bool warm_start;  // the multipliers in the solution (of cones x too) are a guess: rows with a
                    // positive one are tried first
} limpet_qp_settings;

// AUTOMATIC, 1e-12, 100, polish, no warm start
limpet_qp_settings limpet_qp_settings_default(void);

typedef struct limpet_qp_size {
  int n, row_count, cone_row_count, cone_count;  // the most of each that a problem will have
} limpet_qp_size;

// Memory that the methods work in; only the sizes are of interest outside.
typedef struct limpet_qp_workspace {
  limpet_qp_size size;
  struct limpet_qp_memory *memory;
} limpet_qp_workspace;

// [bytes] for problems up to `size`.
size_t limpet_qp_workspace_size(limpet_qp_size size);
// Lays the workspace out in `memory` (limpet_qp_workspace_size bytes, 64-byte aligned, which it
// does not own).
void limpet_qp_workspace_init(limpet_qp_workspace *workspace, limpet_qp_size size, void *memory);

// Arrays of the caller.
typedef struct limpet_qp_solution {
  double *x;            // (n)
  double *multipliers;  // (m + sum d)  lambda; read before the solve where warm_start is set.
                        // Infeasible: the certificate
  double *slack;        // (m + sum d)  s = G x + h
} limpet_qp_solution;

typedef enum limpet_qp_outcome {
  LIMPET_QP_SOLVED,
  LIMPET_QP_ITERATION_LIMIT,  // the best iterate is in the solution, its residuals in the info
  LIMPET_QP_INFEASIBLE,       // multipliers: lambda in K, G'lambda = 0, h'lambda < 0, scaled to a
                              // greatest entry of 1
  LIMPET_QP_FAILURE  // Q is not positive definite, a number is not finite, or the method cannot
                     // take cones
} limpet_qp_outcome;

typedef struct limpet_qp_info {
  limpet_qp_outcome outcome;
  limpet_qp_method method;  // that produced the solution
  int iterations;           // interior-point iterations
  int changes;              // rows that entered or left the working set, the guess not counted
  int active_count;         // rows (and faces of cones) in the last working set
  bool polished;            // the solution satisfies the equations of its faces
  /* Relative residuals, with x0 = -Q^-1 c, the minimum without rows, whose round-off is all that is
   * left where x vanishes: of Qx + c - G'lambda to the greatest of |Q||x| + |c| + |G|'|lambda|, or
   * to less where that suffices; of the most negative slack to |h_i| + |G_i| (|x| + |x0|); of
   * s'lambda to the greatest of |x'Qx|, |c'x|, |h'lambda|, |c'x0|. Infeasible: of G'lambda to
   * |G|'|lambda|, greatest to greatest (variables in units of 1 / sqrt(Q_jj)); 0; h'lambda /
   * |h|'|lambda|. */
  double stationarity;     // [-]
  double infeasibility;    // [-]
  double complementarity;  // [-]
} limpet_qp_info;

// "solved", "iteration limit", "infeasible", "failure"
const char *limpet_qp_outcome_name(limpet_qp_outcome outcome);

// Nothing allocates. The problem must fit the size of the workspace (asserted).
limpet_qp_info limpet_qp_solve(const limpet_qp_problem *problem, const limpet_qp_settings *settings,
                               limpet_qp_workspace *workspace, limpet_qp_solution *solution);

// Rows of G: m + sum d.
int limpet_qp_row_total(const limpet_qp_problem *problem);

/* The residuals of x, lambda and slack in `solution`, into the three fields of `info`. Used by
 * limpet_qp_solve; for callers who changed a solution. The slack is read, not computed. */
void limpet_qp_residuals(const limpet_qp_problem *problem, const limpet_qp_solution *solution,
                         limpet_qp_workspace *workspace, limpet_qp_info *info);

// Whether the three residuals are at most `tolerance`.
bool limpet_qp_within(const limpet_qp_info *info, double tolerance);

#endif
