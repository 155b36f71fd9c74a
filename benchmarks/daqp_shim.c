/* benchmarks/daqp_shim.c: DAQP behind one C function, so that bench_qp.c can time it without an
 * interpreter between.
 *
 * Compiled by bench_qp_peers.py together with the C sources of the PyPI package into a temporary
 * shared library; no part of the build. The workspace is made once, as DAQP's users in C do; each
 * call updates all of the problem (H, f, A, bounds), because all of it changes from step to step.
 * Cold: no active rows; warm: those with a positive multiplier in `lambda`. */
#include <math.h>
#include <stdlib.h>

#include <api.h>

static DAQPWorkspace *work;
static int most_n, most_m;
static double *lower, *upper;
static int *sense;

// G x + h >= 0. Returns DAQP's exit flag (1: optimal); lambda >= 0.
int peer_solve(int n, int m, double *Q, double *c, double *G, double *h, int warm, double *x,
               double *lambda) {
  const int all =
      DAQP_UPDATE_Rinv | DAQP_UPDATE_M | DAQP_UPDATE_v | DAQP_UPDATE_d | DAQP_UPDATE_sense;
  const int fresh = !work || n != most_n || m != most_m;
  if (fresh) {
    if (work)
      free_daqp_workspace(work), free_daqp_ldp(work), free(work), free(lower), free(upper),
          free(sense);
    work = calloc(1, sizeof *work);
    lower = malloc((size_t)m * sizeof *lower), upper = malloc((size_t)m * sizeof *upper);
    sense = malloc((size_t)m * sizeof *sense);
    most_n = n, most_m = m;
  }
  for (int i = 0; i < m; ++i) {
    lower[i] = -h[i], upper[i] = DAQP_INF;
    sense[i] = warm && lambda[i] > 0.0 ? DAQP_ACTIVE + DAQP_LOWER : 0;
  }
  static DAQPProblem problem;
  problem = (DAQPProblem){n, m, 0, Q, c, G, upper, lower, sense, NULL, 0, 0};
  const int flag = fresh ? setup_daqp(&problem, work, NULL) : daqp_update_ldp(all, work, &problem);
  if (flag < 0) return flag;
  DAQPResult result = {.x = x, .lam = lambda};
  daqp_solve(&result, work);
  for (int i = 0; i < m; ++i) lambda[i] = fabs(lambda[i]);
  return result.exitflag;
}

// The tolerance of DAQP is on the violation of rows; its default is 1e-6.
void peer_tolerance(double tolerance) {
  if (work) work->settings->primal_tol = tolerance;
}
