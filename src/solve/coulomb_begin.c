/* solve/coulomb_begin.c: where the iteration of coulomb.h starts: a velocity, and linear steps from
 * the forces of the last step or of sweeps. */
#include <math.h>
#include <string.h>

#include "solve/coulomb_descent.h"
#include "solve/island.h"

static const double slow = 10.0;  // [-]  momentum over its change in the step: what is near rest
// sweeps over many contacts before the first linear step
static const limpet_coulomb_sweeps first_sweeps = {.accelerated = LIMPET_ACCELERATED,
                                                   .first = true};
/* [-]  |F| over its scale from which the first linear step has led astray, and sweeps that follow
 * then, but in small islands where they are not cheap, as they cost more than they save there. In
 * those of heavy trees, where these cost as much as 17 iterations, from far astray. */
static const double astray = 0.1, far_astray = 0.9;
enum { FEW_VELOCITIES = 30, FEW_HEAVY = 40 };  // of islands; of those of heavy trees
static const limpet_coulomb_sweeps second_sweeps = {.accelerated = LIMPET_ACCELERATED, .plain = 96},
                                   heavy_sweeps = {.accelerated = 32};

// F at the start x (NULL: rest); the state stays that of the start before where that has the
// lesser |F|.
static void try_start(limpet_descent *f, const double *x) {
  limpet_island_solver *s = f->solver;
  double *other = s->other_start;
  if (x) limpet_island_gather(s->problem, s->island, x, other);
  else memset(other, 0, (size_t)s->n * sizeof *other);
  if (memcmp(other, f->x, (size_t)s->n * sizeof *other) == 0) return;
  const limpet_newton_measure measure = f->measure;
  const limpet_newton_info info = s->info;
  limpet_island_state_keep(s);
  memcpy(f->x, other, (size_t)s->n * sizeof *other);
  limpet_descent_place(f);
  if (f->measure.residual < measure.residual || !isfinite(measure.residual)) return;

  // back to the start before
  limpet_island_state_restore(s);
  limpet_descent_bound(s);
  limpet_island_spins_evaluate(s);
  f->measure = measure;
  s->info = info;
}

// Whether the momentum at the state is no more than `slow` times what the step changes to lead
// there.
static bool is_slow(const limpet_island_solver *s) {
  double has = 0.0, change = 0.0;
  for (int i = 0; i < s->n; ++i) {
    const double A_v = s->scale[i] * (s->A_difference[i] + s->momentum[i]),
                 dp = s->scale[i] * s->A_difference[i];
    has += A_v * A_v;
    change += dp * dp;
  }
  return has <= slow * slow * change;
}

/* The last change of velocity carried on; where that is no motion to speak of, or beyond a barrier,
 * the better of it and the velocity of the last step, by |F|: what moves on seldom keeps that. Rest
 * is one where a barrier forbids both, and where they nearly solve the island: a body that was
 * brought to rest in the last step had a speed in it. A solution of the same island is none to
 * better. */
void limpet_descent_choose_start(limpet_descent *f, const limpet_solve_start *start) {
  limpet_island_solver *s = f->solver;
  limpet_island_gather(s->problem, s->island, start->guess ? start->guess : start->v, f->x);
  limpet_descent_place(f);
  const limpet_newton_measure *m = &f->measure;
  if (f->known && m->residual <= f->settings->tolerance * m->scale) return;
  f->known = false;
  if (start->guess && (!isfinite(m->residual) || is_slow(s))) try_start(f, start->v);
  if (!isfinite(m->residual) || (m->residual > f->settings->tolerance * m->scale &&
                                 m->residual <= LIMPET_GOOD_START * m->scale))
    try_start(f, NULL);
}

// Whether |F| is beyond a share of its scale, and another linear step is allowed.
static bool is_astray(const limpet_descent *f, double share) {
  const limpet_newton_info *info = &f->solver->info;
  return info->outcome != LIMPET_NEWTON_FAILURE &&
         info->iterations < f->settings->iteration_limit &&
         f->measure.residual > share * f->measure.scale;
}

/* The first linear step, from the forces of the last step or of sweeps. Where it led astray, a
 * contact that should be open pushes, and Newton's method only quarters its force in each step, or
 * one is open that should push: sweeps find that out, and the step is made anew from them. In heavy
 * trees these cost more than ten iterations, so another linear step is tried first, with contacts
 * where their law is nearest to the forces and velocities that the first one foresaw. */
void limpet_descent_begin(limpet_descent *f) {
  limpet_island_solver *s = f->solver;
  limpet_descent_recall(s);
  const bool swept = limpet_coulomb_sweep(s, &first_sweeps), heavy = s->coulomb->heavy;
  if (swept) limpet_descent_place(f);
  limpet_descent_restart(f, swept ? LIMPET_COULOMB_SWEPT : LIMPET_COULOMB_CARRIED);
  if (s->n <= (s->coulomb->free_bodies ? FREE_BODY : FEW_VELOCITIES)) return;
  if (heavy && !s->coulomb->only_trees) return;
  if (heavy && is_astray(f, astray)) {
    limpet_coulomb_foreseen(s);
    limpet_descent_restart(f, LIMPET_COULOMB_FORESEEN);
  }
  if (!is_astray(f, heavy ? far_astray : astray) || (heavy && s->n < FEW_HEAVY)) return;
  if (!swept) limpet_descent_recall(s);
  else limpet_coulomb_recall_sweeps(s);
  if (!limpet_coulomb_sweep(s, heavy ? &heavy_sweeps : &second_sweeps)) return;
  limpet_descent_place(f);
  limpet_descent_restart(f, LIMPET_COULOMB_SWEPT);
}
