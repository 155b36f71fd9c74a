/* fem/derivative.c: derivatives of a step of a deformable body by what it starts from and what it
 * is made of, backwards: from the derivative of a loss by v+ and q+ to those by everything else.
 *
 * The step solves R(v+; theta) = impulses, which are constants here, so
 *   dL = l.dR,  H l = -w,  w = dL/dv+ + s dt dL/dq+        s: share of v+ in the step, 1/2 or 1
 * for H = dR/dv+: one back-substitution for all parameters. tangent.h has dR. */
#include <assert.h>

#include "fem/tangent.h"

bool limpet_fem_step_derivative(limpet_fem_step *step, const double *v, const double *dL_dv,
                                const double *dL_dq, limpet_fem_gradient *g) {
  assert(step && step->input.position && v && (dL_dv || dL_dq) && g);
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  const double dt = step->input.dt, share = limpet_fem_share(step);
  if (limpet_fem_tangent_missing(body)) return false;

  // H at v, exact
  double *l = step->residual;
  limpet_fem_evaluate(step, v, l);
  if (limpet_fem_thin_follows(step)) limpet_fem_thin_stiffness_at(step, v, true, false);
  limpet_fem_assemble(step, false);
  if (!limpet_fem_factor(step)) return false;
  for (long i = 0; i < n; ++i)
    l[i] = -(dL_dv ? dL_dv[i] : 0.0) - (dL_dq ? share * dt * dL_dq[i] : 0.0);
  limpet_fem_clear_fixed(step, l);
  limpet_fem_back_solve(step, l);

  limpet_fem_tangent_adjoint(step, v, l, g);
  if (g->force)
    for (long i = 0; i < n; ++i) g->force[i] = -dt * l[i];
  if (g->velocity && dL_dq)
    for (long i = 0; i < n; ++i) g->velocity[i] += (1.0 - share) * dt * dL_dq[i];
  if (g->position && dL_dq)
    for (long i = 0; i < n; ++i) g->position[i] += dL_dq[i];
  return true;
}
