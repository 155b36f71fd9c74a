/* contact/spin.c: friction against turning of the contacts that have some, in their order: one
 * entry for torsion, one for rolling. After islands are known. */
#include <math.h>

#include "contact/problem.h"
#include "math/vec3.h"

static void spin_make(const limpet_contact_problem *problem, int contact, bool rolling,
                      limpet_spin *spin) {
  const limpet_contact_constants *constants = &problem->constants[contact];
  const double *W = problem->contact_row + 18 * contact;
  spin->contact = contact, spin->rolling = rolling;
  spin->length = rolling ? constants->rolling : constants->torsion;
  spin->rate = rolling ? constants->rolling_rate : constants->torsion_rate;
  spin->drive = 0.0;
  if (!rolling) {
    limpet_vec3_copy(spin->axis, W + 15);
    limpet_vec3_zero(spin->axis + 3);
    if (problem->contact_bias)
      spin->drive = problem->contact_bias[LIMPET_CONTACT_BIAS * contact + 2];
    return;
  }
  // tangent rows may be scaled
  for (int e = 0; e < 2; ++e) {
    const double *tangent = W + 6 * e + 3;
    limpet_vec3_scale(spin->axis + 3 * e, 1.0 / limpet_vec3_norm(tangent), tangent);
  }
}

// What cannot turn has none.
static bool has(const limpet_contact_constants *constants, bool rolling) {
  return rolling ? constants->rolling > 0.0 && constants->rolling_rate > 0.0
                 : constants->torsion > 0.0 && constants->torsion_rate > 0.0;
}

limpet_status limpet_problem_take_spins(limpet_contact_problem *problem, limpet_arena *arena) {
  int count = 0;
  for (int i = 0; i < problem->contact_count; ++i)
    count += has(&problem->constants[i], false) + has(&problem->constants[i], true);
  problem->spin_count = 0;
  problem->spin = NULL;
  if (count == 0) return LIMPET_OK;
  problem->spin = LIMPET_TAKE(arena, limpet_spin, count);
  if (!problem->spin) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < problem->island_count; ++i) {
    limpet_island *island = &problem->island[i];
    island->spin = problem->spin_count;
    for (int p = island->patch; p < island->patch + island->patch_count; ++p) {
      limpet_patch *patch = &problem->patch[p];
      patch->spin = problem->spin_count;
      for (int c = patch->contact; c < patch->contact + patch->contact_count; ++c)
        for (int rolling = 0; rolling < 2; ++rolling)
          if (has(&problem->constants[c], rolling))
            spin_make(problem, c, rolling, &problem->spin[problem->spin_count++]);
      patch->spin_count = problem->spin_count - patch->spin;
    }
    island->spin_count = problem->spin_count - island->spin;
  }
  return LIMPET_OK;
}
