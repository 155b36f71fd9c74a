/* solve/island_round_off.c: see island_round_off.h.
 *
 *   r = A (v - v*) - J' gamma(J v)
 *   |dr_i| <= u (|A v|_i + sum_k |J_ki| (|gamma_k| + g_k sum_j |J_kj| |v_j|)),   u = 2^-53
 * g_k = -dgamma_k/du_k [kg, kg m^2]: an impulse carries the round-off of its speed, which is that
 * of the terms of the sum, times its stiffness. Terms of a stiff loop that turns fast are
 * velocities of the bodies, where the speed is next to nothing. Contacts have the largest entry of
 * their Hessian for g, and terms of patches. Sums of n terms are off by up to n u: 2 u is allowed
 * for. Cost: two products with J. */
#include "solve/island_round_off.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/row.h"

// Sizes of the terms of the twist of a patch.
static void twist_terms(const limpet_patch *patch, const double *x, double V[6]) {
  memset(V, 0, 6 * sizeof *V);
  for (int s = 0; s < patch->side_count; ++s) {
    const limpet_patch_side *side = &patch->side[s];
    for (int j = 0; j < side->count; ++j)
      for (int k = 0; k < 6; ++k) V[k] += fabs(side->column[6 * j + k] * x[side->dof[j]]);
  }
}

static double stiffness_of(const double *G) {
  double most = 0.0;
  for (int k = 0; k < LIMPET_HESSIAN_SIZE; ++k) most = fmax(most, fabs(G[k]));
  return most;
}

static void add_patch(const limpet_island_solver *s, const limpet_patch *patch, double *terms) {
  const double *W = s->problem->contact_row + 18 * patch->contact;
  const int first = patch->contact - s->island->contact;
  double V[6], F[6] = {0.0};
  twist_terms(patch, s->x, V);
  for (int c = 0; c < patch->contact_count; ++c) {
    const double *G = s->contact_G + LIMPET_HESSIAN_SIZE * (first + c),
                 *gamma = s->contact_gamma + 3 * (first + c);
    double speed = 0.0;
    for (int k = 0; k < 18; ++k) speed += fabs(W[18 * c + k]) * V[k % 6];
    const double error = stiffness_of(G) * speed;
    for (int k = 0; k < 18; ++k) F[k % 6] += fabs(W[18 * c + k]) * (fabs(gamma[k / 6]) + error);
  }
  for (int i = 0; i < patch->side_count; ++i) {
    const limpet_patch_side *side = &patch->side[i];
    for (int j = 0; j < side->count; ++j)
      for (int k = 0; k < 6; ++k) terms[side->dof[j]] += fabs(side->column[6 * j + k]) * F[k];
  }
}

static void add_row(const limpet_island_solver *s, int index, double *terms) {
  const limpet_contact_problem *p = s->problem;
  const limpet_constraint_row *row = &p->row[s->island->row + index];
  const double slope = limpet_row_curvature(row, limpet_row_wanted(row, s->row_u[index]));
  double speed = fabs(row->v_hat);
  for (int e = row->entry; e < row->entry + row->entry_count; ++e)
    speed += fabs(p->entry_value[e] * s->x[p->entry_dof[e]]);
  const double push = fabs(s->row_gamma[index]) + slope * speed;
  for (int e = row->entry; e < row->entry + row->entry_count; ++e)
    terms[p->entry_dof[e]] += fabs(p->entry_value[e]) * push;
}

double limpet_island_round_off(limpet_island_solver *s) {
  double *terms = s->A_direction, sum = 0.0;
  for (int i = 0; i < s->n; ++i) terms[i] = fabs(s->A_difference[i]) + fabs(s->momentum[i]);
  for (int i = 0; i < s->island->patch_count; ++i)
    add_patch(s, &s->problem->patch[s->island->patch + i], terms);
  for (int i = 0; i < s->island->row_count; ++i) add_row(s, i, terms);
  for (int i = 0; i < s->n; ++i) sum += s->scale[i] * s->scale[i] * terms[i] * terms[i];
  return DBL_EPSILON * sqrt(sum);
}
