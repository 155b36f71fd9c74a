/* solve/island_minimize.c: brings one island to its solution: where Newton's method starts, and
 * over which easier problems it goes.
 *
 * Two properties of a problem make a start poor: dissipation and curvature. For each there is an
 * easier problem of the same kind, whose solution is the start of the next one.
 *   dissipation    Hunt-Crossley's factor 1 - d v_n makes the impulse grow with the square of a
 *                  closing speed, which Newton's method then only halves in each step. It also
 *                  makes the force of a deep overlap fall to zero within 1/d, a kink d x/dt times
 *                  stiffer than the contact. Easier: no dissipation, and no more elastic force than
 *                  pushes out at 1/d. Normal impulses are then linear pieces of similar stiffness.
 *   curvature      A law of z = v_n - mu |v_t| (`similar`) holds a sliding contact on the surface
 *                  z = const within a speed of gamma_n/(dt^2 k). A straight step leaves that
 *                  surface by mu |step|^2/(2 |v_t|), so steps shrink with the root of k: a hardness
 *                  dt^2 k w of 1e8 took 500 iterations and more. Easier: softer contacts. Ten times
 *                  as soft, the same solution lies ten times as deep, and the way from one to the
 *                  next takes about two iterations.
 * Hardness has no unit: the impulse of a contact in one step over the impulse that stops its
 * closing speed. */
#include <math.h>
#include <string.h>

#include "solve/island_solver.h"

// relative residual from which Newton's method finds its way in any case
static const double good_start = 0.05;
// of contacts along whose curved surfaces it does; near-rigid ones have less
static const double easy_hardness = 4000.0;
static const double hardening = 10.0;  // from one problem to the next
static const double rough = 1e-3;      // relative residual at which the next one takes over
// [-]  d v_n, and the elastic force over what pushes out at 1/d, from which dissipation makes a
// poor start: the factor 1 - d v_n is three there
static const double kink = 2.0;
enum { PATIENCE = 10 };  // iterations that are tried without the help of softer contacts

static double hardness(const limpet_contact_constants *constants) {
  return constants->dt * constants->dt * constants->stiffness * constants->delassus;
}

// Hardest contact of the island whose stiffness is that of Hunt-Crossley's law.
static double hardest_contact(const limpet_island_solver *s) {
  const limpet_contact_constants *constants = s->own_constants;
  double most = 0.0;
  for (int i = 0; i < s->island->contact_count; ++i)
    if (!constants[i].normal) most = fmax(most, hardness(&constants[i]));
  return most;
}

// Fills eased_constants: the island's laws, none harder than `bound`. Distances at the start of the
// step stay what they are.
static void soften_laws(limpet_island_solver *s, double bound) {
  const limpet_contact_constants *constants = s->own_constants;
  for (int i = 0; i < s->island->contact_count; ++i) {
    s->eased_constants[i] = constants[i];
    const double hard = hardness(&constants[i]);
    if (constants[i].normal || hard <= bound) continue;
    s->eased_constants[i].stiffness *= bound / hard;
    s->eased_constants[i].elastic_force *= bound / hard;
  }
}

// Takes dissipation out of eased_constants and returns whether that matters much at x.
static bool ease_laws(limpet_island_solver *s) {
  const limpet_contact_constants *constants = s->own_constants;
  bool hard = false;
  for (int i = 0; i < s->island->contact_count; ++i) {
    if (!(constants[i].dissipation > 0.0) || constants[i].normal) continue;
    limpet_contact_constants *eased = &s->eased_constants[i];
    const double pushes_out = constants[i].stiffness * constants[i].dt / constants[i].dissipation;
    hard = hard || constants[i].dissipation * s->contact_v[3 * i + 2] < -kink ||
           constants[i].elastic_force > kink * pushes_out;
    eased->elastic_force =
        fmin(eased->elastic_force, eased->stiffness * constants[i].dt / constants[i].dissipation);
    eased->dissipation = 0.0;
  }
  return hard;
}

typedef struct descent {
  limpet_island_solver *solver;
  limpet_newton_problem newton;
  limpet_newton_info info;  // counts so far, outcome of the last problem
  int limit;                // of iterations, over all problems
  double *x;
} descent;

// Goes on from x.
static void go_on(descent *d, const limpet_newton_settings *settings) {
  limpet_newton_settings own = *settings;
  const int left = d->limit - d->info.iterations;
  if (own.iteration_limit > left) own.iteration_limit = left;
  limpet_newton_info info = limpet_newton_minimize(&d->newton, &own, &d->solver->newton, d->x);
  info.iterations += d->info.iterations;
  info.line_search_evaluations += d->info.line_search_evaluations;
  info.factorizations += d->info.factorizations;
  d->info = info;
}

// Moves x close to the solution with eased_constants.
static void approach(descent *d, const limpet_newton_settings *settings) {
  limpet_island_solver *s = d->solver;
  limpet_newton_settings loose = *settings;
  loose.tolerance = fmax(loose.tolerance, rough);
  s->constants = s->eased_constants;
  s->newton.evaluated = false;
  go_on(d, &loose);
  s->constants = s->own_constants;
}

/* From a good start friction's direction is what it is at x, which makes the first Hessian exact.
 * From another one it is left open. Returns whether the start was good. */
static bool start_good(limpet_island_solver *s, const double *x) {
  const limpet_compliant_model *model = s->model;
  limpet_newton_measure measure;
  limpet_island_measure(s, x, s->newton.gradient, &measure);
  if (measure.residual > good_start * measure.scale) return false;
  memset(s->contact_dv, 0, 3 * (size_t)s->island->contact_count * sizeof *s->contact_dv);
  if (model->dual_step)
    model->dual_step(s->constants, s->island->contact_count, s->contact_v, s->contact_dv,
                     s->contact_dual);
  if (s->spins.count > 0) memset(s->spins.dw, 0, 2 * (size_t)s->spins.count * sizeof *s->spins.dw);
  limpet_island_spins_dual_step(s, s->spins.w);
  return true;
}

// From x, evaluated, to the solution for the laws as they are, with help.
static void descend(descent *d, const limpet_newton_settings *settings) {
  limpet_island_solver *s = d->solver;
  const bool curved = s->model->curved_penalty;

  // dissipation
  bool eased = false;
  if (s->island->contact_count && !start_good(s, d->x)) {
    soften_laws(s, curved ? easy_hardness : INFINITY);
    eased = ease_laws(s);
    if (eased) approach(d, settings);
  }

  // curvature; where the rest is easy nothing is gained by it
  const double hardest = curved ? hardest_contact(s) : 0.0;
  if (hardest > easy_hardness && settings->iteration_limit > PATIENCE) {
    limpet_newton_settings brief = *settings;
    brief.iteration_limit = PATIENCE;
    if (!eased) go_on(d, &brief);
    if (!eased && d->info.outcome == LIMPET_NEWTON_SOLVED) return;
    for (double bound = easy_hardness; bound < hardest; bound *= hardening) {
      soften_laws(s, bound);
      approach(d, settings);
    }
  }
  go_on(d, settings);
}

limpet_newton_info limpet_island_minimize(limpet_island_solver *s,
                                          const limpet_newton_settings *settings, double *x) {
  descent d = {
      .solver = s, .newton = limpet_island_newton(s), .limit = settings->iteration_limit, .x = x};
  descend(&d, settings);
  return d.info;
}
