/* solve/coulomb_descent.c: the steps of the iteration of coulomb.h. */
#include <math.h>
#include <string.h>

#include "law/bounded_friction.h"
#include "law/normal_law.h"
#include "math/vec3.h"
#include "solve/coulomb_descent.h"
#include "solve/island.h"

static const double forcing = 0.03;  // [-]  of |F|, to which bounds of a step agree
static const double progress = 0.9;  // [-]  of the least |F| so far: a new record
// [-]  a step over x, and |F| over its scale with it and where the slope is round-off, that end the
// iteration as in optim/newton.c: as close as its steps come. Contacts 1e9 times as hard as
// near-rigid ones make |F| of the round-off of x as large as LIMPET_ROUNDED.
static const double felt = 1e-15, sloped = 1e-10;
// [-]  residual of a block, of what the step changes in it: a landing changes ten times the weight
// of a step; iterations for it beyond the tolerance
static const double own_share = 1e-3;
enum { REFINEMENTS = 12 };
static const double fine = 1e-6;  // [-]  round-off, of what the step changes, that is tried to beat
// [-]  of a joint's velocity, likewise; of the tolerance: |F| below which joints are not asked
static const double joint_share = 1e-2, sure = 1e-2;
// [-]  of the tolerance, below which a start is asked for no joint's momentum
static const double start_least = 1e-3;
/* [-]  |F| over its scale, and over that of the step before, from which a factor may serve again;
 * |F| over that before a step with it, with which the step is kept */
static const double close_by = 1e-3, converging = 0.1, gained = 0.2;

void limpet_descent_bound(limpet_island_solver *s) {
  for (int i = 0; i < s->island->contact_count; ++i) {
    limpet_contact_constants *own = &s->own_constants[i];
    double slope;
    own->compliant.friction_form = LIMPET_FRICTION_BOUNDED;
    own->compliant.lagged_impulse = limpet_normal_impulse(own, s->contact_v[3 * i + 2], &slope);
  }
}

// F at the state, in the solver's gradient, and its measure. Laws become bounded.
static void evaluate(limpet_descent *f) {
  limpet_island_solver *s = f->solver;
  limpet_descent_bound(s);
  for (int i = 0; i < s->island->contact_count; ++i) {
    const limpet_contact_constants *own = &s->own_constants[i];
    double *gamma = s->contact_gamma + 3 * i;
    gamma[2] = own->compliant.lagged_impulse;
    limpet_bounded_friction(own->friction * gamma[2], own->compliant.slip_speed,
                            s->contact_v + 3 * i, gamma);
  }
  limpet_island_rows_evaluate(s);
  limpet_island_spins_evaluate(s);
  limpet_island_push(s, s->newton.gradient);
  limpet_island_measure(s, f->x, s->newton.gradient, &f->measure);
  const limpet_newton_measure *m = &f->measure;
  s->info.residual = limpet_newton_relative(m);
}

void limpet_descent_place(limpet_descent *f) {
  limpet_island_place(f->solver, f->x);
  evaluate(f);
}

void limpet_descent_recall(limpet_island_solver *s) {
  const limpet_contact_problem *p = s->problem;
  for (int i = 0; i < s->island->contact_count; ++i) {
    const int contact = s->island->contact + i;
    const double *W = p->contact_row + 18 * contact;
    for (int e = 0; e < 3; ++e) {
      const double *axis = W + 6 * e + 3;
      s->coulomb->forces[3 * i + e] =
          !p->carried ? 0.0
                      : p->dt * limpet_vec3_dot(p->carried + 3 * contact, axis) /
                            limpet_vec3_dot(axis, axis);
    }
  }
}

/* Whether the factor of the step that brought |F| here from `before` is likely to serve for another
 * one: no contact changes its state any more then. */
static bool serves_again(const limpet_descent *f, double before) {
  const limpet_newton_measure *m = &f->measure;
  return m->residual <= close_by * m->scale && m->residual <= converging * before;
}

void limpet_descent_restart(limpet_descent *f, limpet_coulomb_source source) {
  limpet_island_solver *s = f->solver;
  const double before = f->measure.residual;
  limpet_coulomb_foresee(s, source);
  ++s->info.factorizations;
  ++s->info.iterations;
  if (!limpet_coulomb_step(s, INFINITY, f->d)) {
    s->info.outcome = LIMPET_NEWTON_FAILURE;
    return;
  }
  memcpy(s->coulomb->x_before, f->x, (size_t)s->n * sizeof *f->x);
  for (int i = 0; i < s->n; ++i) f->x[i] += f->d[i];
  limpet_descent_place(f);
  if (!isfinite(f->measure.residual)) {
    memcpy(f->x, s->coulomb->x_before, (size_t)s->n * sizeof *f->x);
    limpet_descent_place(f);
  }
  f->converges = serves_again(f, before);
  f->record = f->best = INFINITY;
  f->since = f->stalled = 0;
}

// Moves the state by alpha d.
static void move(limpet_descent *f, double alpha) {
  limpet_island_solver *s = f->solver;
  for (int i = 0; i < s->n; ++i) f->x[i] = s->coulomb->x_before[i] + alpha * f->d[i];
  limpet_island_move(s, alpha, f->x);
}

// The whole step d where it halves |F|, else what the line search on f_b gives.
static void advance(limpet_descent *f) {
  limpet_island_solver *s = f->solver;
  limpet_coulomb *c = s->coulomb;
  const int count = s->island->contact_count;
  const double before = f->measure.residual;
  memcpy(c->x_before, f->x, (size_t)s->n * sizeof *f->x);
  memcpy(c->v_before, s->contact_v, 3 * (size_t)count * sizeof *c->v_before);
  const size_t turns = 2 * (size_t)s->spins.count * sizeof *s->spins.w;
  if (turns) memcpy(s->spins.before, s->spins.w, turns);
  const double size = limpet_island_ray_given(s, f->d);
  for (int i = 0; i < count; ++i) s->own_constants[i].compliant.lagged_impulse = c->bound[i];
  double slope, curvature;
  limpet_island_along(s, 0.0, &slope, &curvature);

  move(f, 1.0);
  evaluate(f);
  if (!(f->measure.residual <= 0.5 * before) && slope < 0.0) {
    memcpy(f->x, c->x_before, (size_t)s->n * sizeof *f->x);
    limpet_island_move(s, -1.0, f->x);
    memcpy(s->contact_v, c->v_before, 3 * (size_t)count * sizeof *c->v_before);
    if (turns) memcpy(s->spins.w, s->spins.before, turns);
    for (int i = 0; i < count; ++i) s->own_constants[i].compliant.lagged_impulse = c->bound[i];
    const limpet_newton_problem newton = limpet_island_newton(s);
    const double al =
        limpet_newton_line_search(&newton, f->settings, slope, &s->info.line_search_evaluations);
    move(f, al);
    evaluate(f);
  }
  const limpet_newton_measure *m = &f->measure;
  f->settled = (size <= felt * m->step && m->residual <= LIMPET_ROUNDED * m->scale) ||
               (slope >= 0.0 && m->residual <= sloped * m->scale);
  s->model->dual_step(s->own_constants, count, c->v_before, s->contact_dv, s->contact_dual);
  limpet_island_spins_dual_step(s, s->spins.before);
  ++s->info.iterations;
}

void limpet_descent_aim(limpet_descent *f) {
  limpet_island_solver *s = f->solver;
  memset(s->contact_dv, 0, 3 * (size_t)s->island->contact_count * sizeof *s->contact_dv);
  s->model->dual_step(s->own_constants, s->island->contact_count, s->contact_v, s->contact_dv,
                      s->contact_dual);
  if (s->spins.count > 0) memset(s->spins.dw, 0, 2 * (size_t)s->spins.count * sizeof *s->spins.dw);
  limpet_island_spins_dual_step(s, s->spins.w);
  for (int i = 0; i < s->island->contact_count; ++i)
    s->coulomb->bound[i] = s->own_constants[i].compliant.lagged_impulse;
}

bool limpet_descent_is_stuck(const limpet_descent *f) { return f->stalled == 2 || f->settled; }

/* Whether each body's own momentum is met as well, and each joint's velocity. A few iterations more
 * have brought that about where doubles can, and a solution that they miss remains one. */
static bool parts_are_met(limpet_descent *f, bool is_start) {
  const limpet_island_solver *s = f->solver;
  if (f->refined >= REFINEMENTS || 3 * s->info.iterations > f->settings->iteration_limit ||
      f->settings->iteration_limit == 0)
    return true;
  const double *F = s->newton.gradient;
  const bool is_sure = f->measure.residual <= sure * f->settings->tolerance * f->measure.scale;
  const bool met = (s->island->block_count < 2 ||
                    limpet_island_blocks_met(s, F, own_share, f->settings->tolerance)) &&
                   (is_sure || limpet_island_joints_met(s, F, joint_share, f->d)) &&
                   (!is_start || limpet_island_torques_met(
                                     s, F, joint_share,
                                     start_least * f->settings->tolerance * f->measure.scale));
  if (met) return true;
  ++f->refined;
  return false;
}

/* Whether |F| is within the tolerance of what the step changes, or its round-off. The floor counts
 * digits that a fast slip takes from normal speeds. Moved by their changes these have more, so an
 * iteration tries it: at 4 m/s and steps of 0.05 ms the floor is 1e-8 of the weight. Not where the
 * floor is more than `fine`: a step may lead astray there, as where a tree turns by 100 rad. With
 * tolerances from `fine` on the floor counts as it is. */
static bool is_change_met(const limpet_descent *f, double share) {
  const limpet_island_solver *s = f->solver;
  const limpet_newton_measure *m = &f->measure;
  if (m->residual <= limpet_island_asked(s, m, f->settings->tolerance, share)) return true;
  if (m->residual > m->floor) return false;
  return m->floor > limpet_island_asked(s, m, fine, LIMPET_START_SHARE) ||
         (s->info.iterations > 0 && f->stalled > 0) ||
         m->residual <= limpet_island_moved_floor(s, m);
}

/* Whether |F| is within the tolerance, and of what the step changes, too, where another iteration
 * brings it closer. */
static bool is_met(limpet_descent *f) {
  const limpet_newton_measure *m = &f->measure;
  if (!(m->residual <= f->settings->tolerance * m->scale)) return false;
  if (f->known) return true;
  if (f->settings->iteration_limit == 0) return true;
  const bool is_start = f->solver->info.iterations == 0;
  const bool met = is_change_met(f, is_start ? LIMPET_START_SHARE : LIMPET_END_SHARE);
  if (is_start) return met && parts_are_met(f, true);
  return (met || f->since > 0 || f->refined >= REFINEMENTS) && parts_are_met(f, false);
}

bool limpet_descent_ends(limpet_descent *f) {
  limpet_island_solver *s = f->solver;
  const limpet_newton_measure *m = &f->measure;
  if (s->info.outcome == LIMPET_NEWTON_FAILURE) return true;
  if (!isfinite(m->residual)) {
    s->info.outcome = LIMPET_NEWTON_FAILURE;
    return true;
  }
  if (m->residual <= 0.5 * f->best) f->stalled = 0;
  else if (m->residual <= m->floor) ++f->stalled;
  f->best = fmin(f->best, m->residual);
  if (m->residual < progress * f->record) f->record = m->residual, f->since = 0;
  else if (m->residual > m->floor) ++f->since;
  if (is_met(f) || (limpet_descent_is_stuck(f) && limpet_newton_met(m, f->settings->tolerance))) {
    s->info.outcome = LIMPET_NEWTON_SOLVED;
    return true;
  }
  return false;
}

/* A step with the factor of the last one, which takes back-solves alone. Forces, friction's
 * directions and the stiffness of normals are those of the state. Near the solution it gains 20
 * to 100 times as |F| goes. Where it gains little, the state stays and false is returned. */
static bool step_again(limpet_descent *f) {
  limpet_island_solver *s = f->solver;
  limpet_coulomb *c = s->coulomb;
  const int count = s->island->contact_count;
  const limpet_newton_measure before = f->measure;
  const limpet_newton_info info = s->info;
  limpet_island_state_keep(s);
  memcpy(c->kept_bound, c->bound, (size_t)count * sizeof *c->bound);
  limpet_coulomb_expand(s);
  limpet_island_spins_expand(s);
  limpet_coulomb_step_again(s, forcing * before.residual, f->d);

  // the whole step
  memcpy(c->v_before, s->contact_v, 3 * (size_t)count * sizeof *c->v_before);
  const size_t turns = 2 * (size_t)s->spins.count * sizeof *s->spins.w;
  if (turns) memcpy(s->spins.before, s->spins.w, turns);
  limpet_island_ray_given(s, f->d);
  for (int i = 0; i < s->n; ++i) f->x[i] += f->d[i];
  limpet_island_move(s, 1.0, f->x);
  evaluate(f);
  if (f->measure.residual <= gained * before.residual) {
    s->model->dual_step(s->own_constants, count, c->v_before, s->contact_dv, s->contact_dual);
    limpet_island_spins_dual_step(s, s->spins.before);
    ++s->info.iterations;
    return true;
  }

  // back to the state before
  limpet_island_state_restore(s);
  memcpy(c->bound, c->kept_bound, (size_t)count * sizeof *c->bound);
  limpet_descent_bound(s);
  limpet_island_spins_evaluate(s);
  f->measure = before;
  s->info = info;
  f->converges = false;
  return false;
}

bool limpet_descent_iterate(limpet_descent *f) {
  limpet_island_solver *s = f->solver;
  if (f->converges && step_again(f)) return true;
  const double before = f->measure.residual;
  limpet_coulomb_linearise(s);
  ++s->info.factorizations;
  if (!limpet_coulomb_step(s, forcing * f->measure.residual, f->d)) {
    s->info.outcome = LIMPET_NEWTON_FAILURE;
    return false;
  }
  advance(f);
  f->converges = serves_again(f, before);
  return true;
}

bool limpet_descent_converges(const limpet_descent *f) {
  return f->since == 0 && f->measure.residual < LIMPET_GOOD_START * f->measure.scale;
}
