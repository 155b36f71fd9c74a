/* solve/friction_bounds.c: see friction_bounds.h. */
#include "solve/friction_bounds.h"

#include "math/vec3.h"

/* [-]  speeds that bounds miss, over those that normal impulses cause, root mean squares, from
 *   which they matter. Boxes that rest on each other shift their loads between corners; to
 *   follow that within a step keeps heaps awake. */
static const double noticed = 0.2;

bool limpet_friction_bounds_matter(int count, const limpet_contact_constants *constants) {
  for (int i = 0; i < count; ++i)
    if (constants[i].renewable) return true;
  return false;
}

static const double *normal_of(const limpet_contact_problem *problem, int contact) {
  return problem->contact_row + 18 * contact + 15;
}

void limpet_friction_bounds_resume(const limpet_contact_problem *problem,
                                   const limpet_island *island, const limpet_friction_bound *bound,
                                   limpet_contact_constants *constants) {
  for (int i = 0; i < island->contact_count; ++i) {
    if (!constants[i].renewable) continue;
    const int c = island->contact + i;
    const double force = limpet_vec3_dot(problem->carried + 3 * c, normal_of(problem, c));
    if (force > 0.0) bound->take(&constants[i], &problem->settings, problem->dt * force);
  }
}

void limpet_friction_bounds_carry(const limpet_contact_problem *problem,
                                  const limpet_island *island, const double *gamma,
                                  double *carried) {
  for (int i = 0; i < island->contact_count; ++i) {
    const int c = island->contact + i;
    limpet_vec3_scale(carried + 3 * c, gamma[3 * i + 2] / problem->dt, normal_of(problem, c));
  }
}

static void renew(const limpet_friction_bound *bound, const limpet_contact_settings *settings,
                  limpet_contact_constants *constants, double now) {
  limpet_compliant_constants *own = &constants->compliant;
  double impulse = now;
  if (now > 0.0 && own->renewed) impulse = 0.5 * (now + own->lagged_impulse);
  bound->take(constants, settings, impulse);
  own->let_go = own->renewed && !(now > 0.0);
  own->renewed = true;
}

bool limpet_friction_bounds_renew(const limpet_friction_bound *bound,
                                  const limpet_contact_settings *settings, int count,
                                  limpet_contact_constants *constants, const double *gamma) {
  double missed = 0.0, all = 0.0;
  for (int i = 0; i < count; ++i) {
    const limpet_contact_constants *one = &constants[i];
    const double now = gamma[3 * i + 2],
                 off = one->friction * (now - one->compliant.lagged_impulse);
    all += one->delassus * now * now;
    if (bound->misses(one, gamma + 3 * i)) missed += one->delassus * off * off;
  }
  if (!(missed > noticed * noticed * all)) return false;
  for (int i = 0; i < count; ++i)
    if (bound->misses(&constants[i], gamma + 3 * i))
      renew(bound, settings, &constants[i], gamma[3 * i + 2]);
  return true;
}
