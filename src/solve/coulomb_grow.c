/* solve/coulomb_grow.c: friction that grows from none, for islands with bodies of many vertices.
 *
 * With given bounds mu b friction is the gradient of a convex cost (coulomb.h), and Newton's method
 * with its line search finds the minimum from any start. So the island is solved without friction
 * first, then with b <- n(v_n) of the last solution, some times over. What that leaves of F falls
 * by half and less at first, then slowly; Newton's method for Coulomb's law itself goes on from
 * there. Sweeps may diverge in such islands: vertices are coupled through their body by each
 * other's normal and friction, and contacts are more than velocities. Measured:
 * docs/theory/coulomb.md. Cost: 20 to 40 iterations without friction, 10 to 80 with bounds. */
#include <string.h>

#include "law/normal_law.h"
#include "solve/coulomb.h"

static const double rough = 1e-2;  // [-]  relative residual that tells the next bounds
enum { BOUNDS = 8, LEAST_LIMIT = 100 };

static void without_friction(limpet_island_solver *s, const limpet_newton_settings *settings) {
  limpet_coulomb_set_form(s, LIMPET_FRICTION_BOUNDED);
  for (int i = 0; i < s->island->contact_count; ++i)
    s->own_constants[i].compliant.lagged_impulse = 0.0;
  memset(s->x, 0, (size_t)s->n * sizeof *s->x);
  limpet_coulomb_minimize(s, settings);
}

void limpet_coulomb_drop_friction(limpet_island_solver *s, const limpet_newton_settings *settings) {
  limpet_newton_settings own = *settings;
  const int left = settings->iteration_limit - s->info.iterations;
  own.iteration_limit = left > 0 ? left : 0;
  without_friction(s, &own);
}

void limpet_coulomb_grow_friction(limpet_island_solver *s, const limpet_newton_settings *settings) {
  limpet_newton_settings own = *settings;
  own.tolerance = rough;
  if (own.iteration_limit < LEAST_LIMIT) own.iteration_limit = LEAST_LIMIT;
  without_friction(s, &own);
  for (int k = 0; k < BOUNDS && s->info.outcome == LIMPET_NEWTON_SOLVED; ++k) {
    for (int i = 0; i < s->island->contact_count; ++i) {
      limpet_contact_constants *law = &s->own_constants[i];
      double slope;
      law->compliant.lagged_impulse = limpet_normal_impulse(law, s->contact_v[3 * i + 2], &slope);
    }
    limpet_coulomb_minimize(s, &own);
  }
}
