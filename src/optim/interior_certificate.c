/* optim/interior_certificate.c: proof that a problem has no feasible point, from the multipliers of
 * the interior-point method.
 *
 * Without a feasible point lambda grows along a ray with G'lambda / |lambda| -> 0 and h'lambda < 0.
 * The direction is not exact, so multipliers that vanish beside the greatest are set to zero and
 * the others corrected,
 *   lambda -= D^2 G (G' D^2 G)^-1 G'lambda,   D = lambda / max lambda,
 * which changes each in proportion to itself; D^2 G G' D^2 may be singular, so a little of Q is
 * added and the correction repeated. */
#include "optim/interior_system.h"

#include "math/dense_table.h"
#include "optim/cone.h"

// [-]  |G'lambda| / |h'lambda| at which infeasibility is looked into
static const double SUSPICION = 1e-3;
// [-]  max |G'lambda| / max |G|'lambda of a certificate, on the way to 1e-12
static const double CERTIFICATE = 1e-13;
// [-]  of the greatest multiplier: smaller ones are left out of a certificate
static const double SUPPORT = 1e-4;
static const double SIGNIFICANT = 1e-9;  // [-]  -h'lambda / |h|'lambda of a certificate

/* The multipliers that matter, the others set to zero, into `lambda`, and as their metric the
 * scaling with which a multiplier changes in proportion to itself: W = D^-1 of linear rows, of
 * cones that between lambda^-1 and lambda. */
static void support_form(limpet_interior *r, double *lambda) {
  struct limpet_interior_arrays *v = r->v;
  double most = 0.0;
  for (int i = 0; i < r->m; ++i) most = fmax(most, v->lambda[i]);
  for (int k = 0, i = r->m; k < r->problem->cone_count; i += r->problem->cone_dimension[k], ++k)
    most = fmax(most, v->lambda[i]);
  for (int i = 0; i < r->m; ++i) {
    const bool counts = v->lambda[i] > SUPPORT * most;
    lambda[i] = counts ? v->lambda[i] / most : 0.0;
    v->scaling[i] = counts ? most / v->lambda[i] : INFINITY;
  }
  for (int k = 0, i = r->m; k < r->problem->cone_count; i += r->problem->cone_dimension[k], ++k) {
    const int d = r->problem->cone_dimension[k];
    const bool counts = v->lambda[i] > SUPPORT * most;
    double inverse[LIMPET_QP_LARGEST_CONE];
    for (int l = 0; l < d; ++l) {
      lambda[i + l] = counts ? v->lambda[i + l] / most : 0.0;
      v->scaling[i + l] = l == 0 ? 1.0 : 0.0;
    }
    v->eta[k] = INFINITY;
    if (!counts) continue;
    limpet_cone_inverse(d, lambda + i, inverse);
    limpet_cone_scaling(d, inverse, lambda + i, v->scaling + i, &v->eta[k]);
  }
}

// Whether lambda is in K, G'lambda is zero to round-off and h'lambda is clear of it.
static bool certificate_holds(limpet_interior *r, const double *lambda) {
  struct limpet_interior_arrays *v = r->v;
  for (int i = 0; i < r->m; ++i)
    if (!(lambda[i] >= 0.0)) return false;
  for (int k = 0, i = r->m; k < r->problem->cone_count; i += r->problem->cone_dimension[k], ++k)
    if (!(limpet_cone_depth(r->problem->cone_dimension[k], lambda + i) >= -CERTIFICATE * lambda[i]))
      return false;
  r->kernels->mul_t(r->total, r->ld, v->G, r->ld, lambda, v->right);
  double offset = 0.0;
  for (int i = 0; i < r->total; ++i) offset += fabs(v->h[i] * lambda[i]);
  if (!(limpet_interior_dot(r->total, v->h, lambda) < -SIGNIFICANT * offset)) return false;
  double most = 0.0;
  for (int j = 0; j < r->n; ++j) {
    double size = 0.0;
    for (int i = 0; i < r->total; ++i) size += fabs(v->G[(long)i * r->ld + j] * lambda[i]);
    most = fmax(most, size);
  }
  return limpet_interior_greatest(r->n, v->right) <= CERTIFICATE * most;
}

bool limpet_interior_infeasible(limpet_interior *r) {
  struct limpet_interior_arrays *v = r->v;
  double *lambda = v->target;
  if (!(limpet_interior_dot(r->total, v->h, v->lambda) < 0.0)) return false;
  r->kernels->mul_t(r->total, r->ld, v->G, r->ld, v->lambda, v->right);
  if (limpet_interior_greatest(r->n, v->right) >
      -SUSPICION * limpet_interior_dot(r->total, v->h, v->lambda))
    return false;

  support_form(r, lambda);
  limpet_interior_panel(r);
  double trace = 0.0;
  for (int i = 0; i < r->total; ++i)
    trace += limpet_interior_dot(r->n, v->panel + 2L * i * r->ld, v->panel + 2L * i * r->ld);
  if (!limpet_interior_factor(r, trace > 0.0 ? 1e-10 * trace / r->n : 1.0)) return false;
  for (int round = 0; round < 20 && !certificate_holds(r, lambda); ++round) {
    r->kernels->mul_t(r->total, r->ld, v->G, r->ld, lambda, v->right);
    limpet_dense()->cholesky_solve(r->n, v->H, r->ld, v->right);
    limpet_interior_mul(r, v->right, v->Gdx);
    limpet_interior_scale(r, true, v->Gdx, v->Gdx);
    for (int i = 0; i < r->total; ++i) lambda[i] -= v->Gdx[i];
  }
  return certificate_holds(r, lambda);
}
