/* optim/qp.c: settings and choice of method for quadratic programmes. See qp.h. */
#include "optim/qp.h"

#include <math.h>

#include "math/dense.h"
#include "optim/active_set.h"
#include "optim/interior_point.h"
#include "optim/qp_memory.h"

limpet_qp_settings limpet_qp_settings_default(void) {
  return (limpet_qp_settings){.method = LIMPET_QP_METHOD_AUTOMATIC,
                              .tolerance = 1e-12,
                              .iteration_limit = 100,
                              .polish = true,
                              .warm_start = false};
}

const char *limpet_qp_outcome_name(limpet_qp_outcome outcome) {
  static const char *const name[] = {"solved", "iteration limit", "infeasible", "failure"};
  return name[outcome];
}

// The certificate must hold to the tolerance, with h' lambda clear of round-off.
static bool proven(const limpet_qp_info *info, double tolerance) {
  return info->stationarity <= tolerance && info->complementarity < 0.0;
}

// The minimum without rows. False: Q is not positive definite.
static bool solve_free(const limpet_qp_problem *problem, limpet_qp_memory *memory) {
  if (!limpet_working_set_reset(&memory->set, problem->Q, problem->n)) return false;
  limpet_working_set_solve(&memory->set, problem->c, memory->e, memory->free_x, memory->u);
  memory->fresh = true;
  double square = 0.0;
  for (int j = 0; j < problem->n; ++j)
    square += problem->Q[(long)j * problem->n + j] * memory->free_x[j] * memory->free_x[j];
  memory->free_size = sqrt(square);
  memory->free_energy = fabs(limpet_dot(problem->n, problem->c, memory->free_x));
  return true;
}

limpet_qp_info limpet_qp_solve(const limpet_qp_problem *problem, const limpet_qp_settings *settings,
                               limpet_qp_workspace *workspace, limpet_qp_solution *solution) {
  limpet_qp_info info = {.outcome = LIMPET_QP_FAILURE};
  limpet_qp_memory *memory = limpet_qp_memory_for(problem, workspace);
  if (!solve_free(problem, memory)) return info;
  if (settings->method != LIMPET_QP_METHOD_INTERIOR_POINT) {
    limpet_active_set_solve(problem, memory, settings->warm_start, solution, &info);
    if (info.outcome == LIMPET_QP_FAILURE &&
        (problem->cone_count == 0 || settings->method == LIMPET_QP_METHOD_ACTIVE_SET))
      return info;
    if (info.outcome == LIMPET_QP_SOLVED && limpet_qp_within(&info, settings->tolerance))
      return info;
    if (info.outcome != LIMPET_QP_FAILURE) limpet_qp_residuals(problem, solution, workspace, &info);
    if (info.outcome == LIMPET_QP_SOLVED && limpet_qp_within(&info, settings->tolerance))
      return info;
    if (info.outcome == LIMPET_QP_INFEASIBLE && proven(&info, settings->tolerance)) return info;
    if (settings->method == LIMPET_QP_METHOD_ACTIVE_SET) {
      info.outcome = LIMPET_QP_ITERATION_LIMIT;
      return info;
    }
  }
  limpet_interior_point_solve(problem, settings, workspace, solution, &info);
  return info;
}
