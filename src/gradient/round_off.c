// gradient/round_off.c: see round_off.h.
#include "gradient/round_off.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/vec3.h"

static const double rounding = DBL_EPSILON;  // eps
static const double much = 1e3;      // [-]  of the momentum, that forces may be without a look
static const double nearest = 1e-3;  // [m]  of a patch to its tree, at least

// [N s]  g of one patch.
static double push_of(const limpet_island_solver *s, const limpet_patch *patch) {
  const int first = patch->contact - s->island->contact;
  double sum = 0.0;
  for (int i = first; i < first + patch->contact_count; ++i) {
    const limpet_contact_constants *c = &s->constants[i];
    const double elastic = s->contact_gamma[3 * i + 2] > 0.0 ? c->dt * fabs(c->elastic_force) : 0.0;
    sum += fmax(limpet_vec3_norm(s->contact_gamma + 3 * i), elastic);
  }
  return sum;
}

// e += round-off of a patch, by velocities of the island.
static void add_patch(const limpet_residual *residual, const limpet_data *start, int island,
                      const limpet_patch *patch, double push, double *e) {
  const limpet_contact_problem *problem = &residual->solved->problem;
  for (int s = 0; s < patch->side_count; ++s) {
    const limpet_patch_side *side = &patch->side[s];
    if (side->count == 0) continue;
    const int dof = limpet_problem_global_dof(problem, &problem->island[island], side->dof[0]);
    double way[3];
    limpet_vec3_sub(way, patch->point, start->tree_origin + 3 * residual->model->dof_tree[dof]);
    const double share = rounding * push / fmax(limpet_vec3_norm(way), nearest);
    for (int k = 0; k < side->count; ++k) {
      const double *S = side->column + 6 * k;
      e[side->dof[k]] += share * (limpet_vec3_norm(S) + limpet_vec3_norm(S + 3));
    }
  }
}

// Whether forces of an island are far above what moves.
static bool pushes_much(const limpet_contact_problem *problem, const limpet_island *island,
                        double push) {
  double momentum = 0.0;
  for (int i = 0; i < island->size; ++i)
    momentum =
        fmax(momentum, fabs(problem->momentum[limpet_problem_global_dof(problem, island, i)]));
  return push > much * momentum;
}

double limpet_round_off(const limpet_residual *residual, const limpet_data *start, int island,
                        double *dv) {
  const limpet_contact_problem *problem = &residual->solved->problem;
  const limpet_smooth_island *smooth = &residual->smooth[island];
  const limpet_island *one = &problem->island[island];
  const limpet_patch *patch = problem->patch + one->patch;
  double all = 0.0, most = 0.0;
  for (int k = 0; k < one->patch_count; ++k) all += push_of(&smooth->base, patch + k);
  if (!pushes_much(problem, one, all)) return 0.0;
  memset(dv, 0, (size_t)smooth->n * sizeof *dv);
  for (int k = 0; k < one->patch_count; ++k)
    add_patch(residual, start, island, patch + k, push_of(&smooth->base, patch + k), dv);
  limpet_smooth_island_solve(smooth, dv, dv);
  for (int i = 0; i < smooth->n; ++i) most = fmax(most, fabs(dv[i]));
  return most;
}
