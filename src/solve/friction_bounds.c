/* solve/friction_bounds.c: see friction_bounds.h. */
#include "solve/friction_bounds.h"

#include "math/vec3.h"

/* [-]  speeds that bounds miss, over those that normal impulses cause, root mean squares, from
 *   which they matter. Boxes that rest on each other shift their loads between corners; to
 *   follow that within a step keeps heaps awake. */
static const double noticed = 0.2;

bool limpet_friction_bounds_matter(const limpet_contact_problem *problem,
                                   const limpet_island *island) {
  for (int i = 0; i < island->contact_count && problem->model->bound_misses; ++i)
    if (problem->constants[island->contact + i].renewable) return true;
  return false;
}

void limpet_friction_bounds_resume(limpet_contact_problem *problem) {
  for (int i = 0; i < problem->contact_count; ++i) {
    if (!problem->constants[i].renewable) continue;
    const double *n = problem->contact_row + 18 * i + 15,
                 force = limpet_vec3_dot(problem->carried + 3 * i, n);
    if (force > 0.0)
      problem->model->bound_friction(&problem->constants[i], &problem->settings,
                                     problem->dt * force);
  }
}

void limpet_friction_bounds_carry(limpet_contact_problem *problem) {
  for (int i = 0; i < problem->contact_count; ++i) {
    const double *n = problem->contact_row + 18 * i + 15;
    limpet_vec3_scale(problem->carried + 3 * i, problem->gamma[3 * i + 2] / problem->dt, n);
  }
}

static void renew(const limpet_contact_problem *problem, limpet_contact_constants *constants,
                  double now) {
  double bound = now;
  if (now > 0.0 && constants->compliant.renewed)
    bound = 0.5 * (now + constants->compliant.lagged_impulse);
  problem->model->bound_friction(constants, &problem->settings, bound);
  constants->compliant.let_go = constants->compliant.renewed && !(now > 0.0);
  constants->compliant.renewed = true;
}

bool limpet_friction_bounds_renew(const limpet_contact_problem *problem,
                                  const limpet_island *island, const double *gamma) {
  const limpet_contact_model *model = problem->model;
  limpet_contact_constants *constants = problem->constants + island->contact;
  double missed = 0.0, all = 0.0;
  for (int i = 0; i < island->contact_count; ++i) {
    const double now = gamma[3 * i + 2],
                 off = constants[i].friction * (now - constants[i].compliant.lagged_impulse);
    all += constants[i].delassus * now * now;
    if (model->bound_misses(&constants[i], gamma + 3 * i))
      missed += constants[i].delassus * off * off;
  }
  if (!(missed > noticed * noticed * all)) return false;
  for (int i = 0; i < island->contact_count; ++i)
    if (model->bound_misses(&constants[i], gamma + 3 * i))
      renew(problem, &constants[i], gamma[3 * i + 2]);
  return true;
}
