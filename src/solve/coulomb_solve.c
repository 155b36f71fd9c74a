/* solve/coulomb_solve.c: the iteration of coulomb.h. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "law/bounded_friction.h"
#include "law/normal_law.h"
#include "math/vec3.h"
#include "solve/coulomb.h"
#include "solve/island.h"
#include "solve/island_round_off.h"

static const double forcing = 0.03;  // [-]  of |F|, to which bounds of a step agree
static const double progress = 0.9;  // [-]  of the least |F| so far: a new record
// [-]  a step over x, and |F| over its scale with it and where the slope is round-off, that end the
// iteration as in optim/newton.c: as close as its steps come. Contacts 1e9 times as hard as
// near-rigid ones make |F| of the round-off of x as large as `rounded`.
static const double felt = 1e-15, rounded = 1e-3, sloped = 1e-10;
// [-]  |F| over its scale from which its own Newton step finds the way: forces of the last step
// would lead away from a solution that is as good as found
static const double good_start = 1e-2;
static const double slow = 10.0;  // [-]  momentum over its change in the step: what is near rest
static const double near = 0.1;   // [-]  |F| over its scale: what stalls below turns about a kink
// [-]  |F| over its scale: beyond it the state has diverged
static const double garbage = 0.1;
// [-]  residual of a block, of what the step changes in it: a landing changes ten times the weight
// of a step; iterations for it beyond the tolerance
static const double own_share = 1e-3;
enum { REFINEMENTS = 12 };
// [-]  of a joint's velocity, likewise; of the tolerance: |F| below which joints are not asked
static const double joint_share = 1e-2, sure = 1e-2;
static const double gain = 10.0;  // [-]  of energy, likewise
// [-]  |F| over its scale: above, F is as large as what it is made of
static const double lost = 0.5;
/* [-]  |F| over its scale, and over that of the step before, from which a factor may serve again;
 * |F| over that before a step with it, with which the step is kept */
static const double close_by = 1e-3, converging = 0.1, gained = 0.2;
/* Shares of the limit that are kept for the shifted problems of the end, less where the iteration
 * is on its way to a solution, and where it converges; and of those for the first ones, where
 * nothing turns or there are no sweeps. Iterations without a record that are still on their way.
 * Newton's method from the forces of a problem that leaves a gap: iterations, at most. Sweeps
 * before problems, for each iteration of the limit, and for FEWEST at least: less in islands of
 * heavy trees. */
static const double reserve = 2.0 / 3.0, nearing_reserve = 0.5, converging_reserve = 7.0 / 60.0,
                    first_part = 0.75;
enum {
  LAST_PROBLEMS = 2,
  ON_ITS_WAY = 2,
  FROM_PROBLEM = 12,
  FEWEST = 15,
  TWO_PROBLEMS = 20,
  TWO_LIGHT_PROBLEMS = 12,
  SECOND_PART = 15,
  ACCELERATED = 16
};
static const int last_sweeps[][LAST_PROBLEMS] = {[false] = {67, 267}, [true] = {1, 67}};
// sweeps over many contacts before the first linear step
static const limpet_coulomb_sweeps first_sweeps = {.accelerated = ACCELERATED, .first = true};
/* [-]  |F| over its scale from which the first linear step has led astray, and sweeps that follow
 * then, but in small islands where they are not cheap, as they cost more than they save there. In
 * those of heavy trees, where these cost as much as 17 iterations, from far astray. */
static const double astray = 0.1, far_astray = 0.9;
enum { FEW_VELOCITIES = 30, FEW_HEAVY = 40 };  // of islands; of those of heavy trees
static const limpet_coulomb_sweeps second_sweeps = {.accelerated = ACCELERATED, .plain = 96},
                                   heavy_sweeps = {.accelerated = 32};
/* Where the iteration stalls for the first time: iterations without a record, less where |F| is
 * small; and sweeps. In small islands these are cheap. Measured: docs/theory/coulomb.md. */
enum { SMALL_ISLAND = 64 };  // velocities
typedef struct patience {
  int far, near;
  limpet_coulomb_sweeps sweeps;
} patience;
static const patience in_small = {9, 6, {.accelerated = ACCELERATED, .plain = 50}},
                      in_large = {9, 6, {.accelerated = ACCELERATED, .plain = 200}},
                      without_sweeps = {9, 6, {.accelerated = 0}};

typedef struct descent {
  limpet_island_solver *solver;
  const limpet_newton_settings *settings;
  limpet_newton_measure measure;  // of F at the state
  double *x, *d;
  double record;  // least |F| since the last start
  int since;      // iterations since then
  double best;    // least |F|
  int stalled;    // iterations at the floor of round-off without gain
  bool stalled_before;
  bool settled;    // the last step was round-off of x, or its slope was
  bool converges;  // the last step gained so much that its factor may serve again
  int refined;     // iterations for what is light beside the rest
  bool known;      // the start is a solution of the same island
} descent;

// Laws become bounded, by b = n(v_n).
static void bound_friction(limpet_island_solver *s) {
  for (int i = 0; i < s->island->contact_count; ++i) {
    limpet_contact_constants *own = &s->own_constants[i];
    double slope;
    own->compliant.friction_form = LIMPET_FRICTION_BOUNDED;
    own->compliant.lagged_impulse = limpet_normal_impulse(own, s->contact_v[3 * i + 2], &slope);
  }
}

// F at the state, in the solver's gradient, and its measure. Laws become bounded.
static void evaluate(descent *f) {
  limpet_island_solver *s = f->solver;
  bound_friction(s);
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

static void place(descent *f) {
  limpet_island_place(f->solver, f->x);
  evaluate(f);
}

// F at the start x (NULL: rest); the state stays that of the start before where that has the
// lesser |F|.
static void try_start(descent *f, const double *x) {
  limpet_island_solver *s = f->solver;
  double *other = s->other_start;
  if (x) limpet_island_gather(s->problem, s->island, x, other);
  else memset(other, 0, (size_t)s->n * sizeof *other);
  if (memcmp(other, f->x, (size_t)s->n * sizeof *other) == 0) return;
  const limpet_newton_measure measure = f->measure;
  const limpet_newton_info info = s->info;
  limpet_island_state_keep(s);
  memcpy(f->x, other, (size_t)s->n * sizeof *other);
  place(f);
  if (f->measure.residual < measure.residual || !isfinite(measure.residual)) return;

  // back to the start before
  limpet_island_state_restore(s);
  bound_friction(s);
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
static void choose_start(descent *f, const limpet_solve_start *start) {
  limpet_island_solver *s = f->solver;
  limpet_island_gather(s->problem, s->island, start->guess ? start->guess : start->v, f->x);
  place(f);
  const limpet_newton_measure *m = &f->measure;
  if (f->known && m->residual <= f->settings->tolerance * m->scale) return;
  f->known = false;
  if (start->guess && (!isfinite(m->residual) || is_slow(s))) try_start(f, start->v);
  if (!isfinite(m->residual) ||
      (m->residual > f->settings->tolerance * m->scale && m->residual <= good_start * m->scale))
    try_start(f, NULL);
}

// The forces that contacts carried, along their axes.
static void recall(limpet_island_solver *s) {
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
static bool serves_again(const descent *f, double before) {
  const limpet_newton_measure *m = &f->measure;
  return m->residual <= close_by * m->scale && m->residual <= converging * before;
}

// One linear step from the forces; the state stays where that leads beyond a barrier.
static void restart(descent *f, limpet_coulomb_source source) {
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
  place(f);
  if (!isfinite(f->measure.residual)) {
    memcpy(f->x, s->coulomb->x_before, (size_t)s->n * sizeof *f->x);
    place(f);
  }
  f->converges = serves_again(f, before);
  f->record = f->best = INFINITY;
  f->since = f->stalled = 0;
}

// Whether |F| is beyond a share of its scale, and another linear step is allowed.
static bool is_astray(const descent *f, double share) {
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
static void begin(descent *f) {
  limpet_island_solver *s = f->solver;
  recall(s);
  const bool swept = limpet_coulomb_sweep(s, &first_sweeps), heavy = s->coulomb->heavy;
  if (swept) place(f);
  restart(f, swept ? LIMPET_COULOMB_SWEPT : LIMPET_COULOMB_CARRIED);
  if (s->n <= (s->coulomb->free_bodies ? FREE_BODY : FEW_VELOCITIES)) return;
  if (heavy && !s->coulomb->only_trees) return;
  if (heavy && is_astray(f, astray)) {
    limpet_coulomb_foreseen(s);
    restart(f, LIMPET_COULOMB_FORESEEN);
  }
  if (!is_astray(f, heavy ? far_astray : astray) || (heavy && s->n < FEW_HEAVY)) return;
  if (!swept) recall(s);
  else limpet_coulomb_recall_sweeps(s);
  if (!limpet_coulomb_sweep(s, heavy ? &heavy_sweeps : &second_sweeps)) return;
  place(f);
  restart(f, LIMPET_COULOMB_SWEPT);
}

// Moves the state by alpha d.
static void move(descent *f, double alpha) {
  limpet_island_solver *s = f->solver;
  for (int i = 0; i < s->n; ++i) f->x[i] = s->coulomb->x_before[i] + alpha * f->d[i];
  limpet_island_move(s, alpha, f->x);
}

// The whole step d where it halves |F|, else what the line search on f_b gives.
static void advance(descent *f) {
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
  f->settled = (size <= felt * m->step && m->residual <= rounded * m->scale) ||
               (slope >= 0.0 && m->residual <= sloped * m->scale);
  s->model->dual_step(s->own_constants, count, c->v_before, s->contact_dv, s->contact_dual);
  limpet_island_spins_dual_step(s, s->spins.before);
  ++s->info.iterations;
}

// Friction's direction is what it is at the state, which makes the first Hessian exact.
static void aim(descent *f) {
  limpet_island_solver *s = f->solver;
  memset(s->contact_dv, 0, 3 * (size_t)s->island->contact_count * sizeof *s->contact_dv);
  s->model->dual_step(s->own_constants, s->island->contact_count, s->contact_v, s->contact_dv,
                      s->contact_dual);
  if (s->spins.count > 0) memset(s->spins.dw, 0, 2 * (size_t)s->spins.count * sizeof *s->spins.dw);
  limpet_island_spins_dual_step(s, s->spins.w);
  for (int i = 0; i < s->island->contact_count; ++i)
    s->coulomb->bound[i] = s->own_constants[i].compliant.lagged_impulse;
}

// Whether Newton's method cannot bring |F| down any more: doubles end there.
static bool is_stuck(const descent *f) { return f->stalled == 2 || f->settled; }

/* Whether each body's own momentum is met as well, and each joint's velocity. A few iterations more
 * have brought that about where doubles can, and a solution that they miss remains one. */
static bool parts_are_met(descent *f) {
  const limpet_island_solver *s = f->solver;
  if (f->refined >= REFINEMENTS || 3 * s->info.iterations > f->settings->iteration_limit ||
      f->settings->iteration_limit == 0)
    return true;
  const double *F = s->newton.gradient;
  const bool is_sure = f->measure.residual <= sure * f->settings->tolerance * f->measure.scale;
  const bool met = (s->island->block_count < 2 ||
                    limpet_island_blocks_met(s, F, own_share, f->settings->tolerance)) &&
                   (is_sure || limpet_island_joints_met(s, F, joint_share, f->d));
  if (met) return true;
  ++f->refined;
  return false;
}

/* Whether |F| is within the tolerance, and of what the step changes, too, where another iteration
 * brings it closer. */
static bool is_met(descent *f) {
  const limpet_newton_measure *m = &f->measure;
  const double tolerance = f->settings->tolerance;
  if (!(m->residual <= tolerance * m->scale)) return false;
  if (f->known) return true;
  if (f->settings->iteration_limit == 0) return true;
  const bool is_start = f->solver->info.iterations == 0;
  const double share = is_start ? LIMPET_START_SHARE : LIMPET_END_SHARE;
  const bool met = m->residual <= limpet_island_bound(f->solver, m, tolerance, share);
  if (is_start) return met && parts_are_met(f);
  return (met || f->since > 0 || f->refined >= REFINEMENTS) && parts_are_met(f);
}

// Whether the iteration ends at the state; the outcome is set then.
static bool ends(descent *f) {
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
  if (is_met(f) || (is_stuck(f) && limpet_newton_met(m, f->settings->tolerance))) {
    s->info.outcome = LIMPET_NEWTON_SOLVED;
    return true;
  }
  return false;
}

static const patience *patience_of(const limpet_island_solver *s) {
  if (s->coulomb->sweeps == LIMPET_SWEEPS_NEVER) return &without_sweeps;
  return s->n < SMALL_ISLAND ? &in_small : &in_large;
}

/* Whether the first linear step has led islands with soft bodies of many vertices to where |F| is
 * as large as what it is made of: sweeps find the way back from the forces of the last step, where
 * iterations from here take ten more. */
static bool is_lost(const descent *f) {
  return f->solver->coulomb->soft && f->measure.residual > lost * f->measure.scale;
}

// Whether |F| has had no record for long.
static bool makes_no_way(const descent *f) {
  const patience *p = patience_of(f->solver);
  return f->since >= (f->record < near * f->measure.scale ? p->near : p->far);
}

// Whether sweeps are to help.
static bool stalls(const descent *f) {
  return (!f->stalled_before && is_lost(f)) || makes_no_way(f);
}

// Starts anew from better forces than the present ones.
static void start_anew(descent *f) {
  limpet_island_solver *s = f->solver;
  const size_t size = 3 * (size_t)s->island->contact_count * sizeof *s->contact_gamma;
  if (!f->stalled_before && is_lost(f)) recall(s);
  else memcpy(s->coulomb->forces, s->contact_gamma, size);
  f->stalled_before = true;
  const bool swept = limpet_coulomb_sweep(s, &patience_of(s)->sweeps);
  if (!swept) limpet_coulomb_shift(s, f->settings);
  if (s->info.outcome == LIMPET_NEWTON_FAILURE) return;
  place(f);
  restart(f, swept ? LIMPET_COULOMB_SWEPT : LIMPET_COULOMB_CARRIED);
}

/* Sweeps from where the last ones ended, or from the forces of the last step: what the iteration
 * made of them since may be anything. */
static bool sweep_on(descent *f, int plain) {
  limpet_island_solver *s = f->solver;
  if (!limpet_coulomb_recall_sweeps(s)) recall(s);
  const limpet_coulomb_sweeps sweeps = {
      .accelerated = ACCELERATED, .plain = plain, .gap = LIMPET_GAP_NEAR};
  return limpet_coulomb_sweep(s, &sweeps);
}

// Bounds of what turns in the next shifted problem, from forces (contacts x 3).
static void expect_turning(limpet_island_solver *s, const double *forces) {
  for (int i = 0; i < s->island->contact_count; ++i)
    s->coulomb->bound[i] = fmax(forces[3 * i + 2], 0.0);
}

// The residual after impulses were changed.
static void measure_again(descent *f) {
  limpet_island_solver *s = f->solver;
  limpet_island_measure(s, f->x, s->newton.gradient, &f->measure);
  s->info.residual = limpet_newton_relative(&f->measure);
}

// Torques of an unsolved problem into their bounds: what momentum misses then is in the residual.
static void project_turning(descent *f) {
  limpet_island_solver *s = f->solver;
  limpet_island_spins_project(s);
  for (int i = 0; i < s->n; ++i) s->newton.gradient[i] = s->A_difference[i] - s->impulse[i];
  measure_again(f);
}

/* Whether impulses are beyond a share of what they may be where things are led back. Beyond all of
 * it, or beyond LIMPET_JAM_SHARE in an island that is not solved, the problem will be posed anew.
 */
static bool presses_beyond(const limpet_island_solver *s, double share) {
  const double *bound = s->problem->return_bound;
  if (!bound) return false;
  const double *of_contacts = bound + s->island->contact,
               *of_rows = bound + s->problem->contact_count + s->island->row;
  for (int i = 0; i < s->island->contact_count; ++i)
    if (s->contact_gamma[3 * i + 2] > share * of_contacts[i]) return true;
  for (int i = 0; i < s->island->row_count; ++i)
    if (fabs(s->row_gamma[i]) > share * of_rows[i]) return true;
  return false;
}

// Iterations of those left that a second problem has.
static int left_for_second(int left) {
  const int usual = (int)((1.0 - first_part) * left), least = left / 2;
  return usual > SECOND_PART ? usual : least < SECOND_PART ? least : SECOND_PART;
}

/* Whether the state has much more energy than there is without contact, and in what is led back at
 * the speed that its law states: friction and stops take energy, so sweeps that end so have
 * diverged. Momentum is kept by them anywhere. */
static bool has_gained(const limpet_island_solver *s) {
  double before = 0.0, after = 0.0;  // v' A v
  for (int i = 0; i < s->island->contact_count; ++i) {
    const limpet_contact_constants *own = &s->own_constants[i];
    if (!(own->distance < 0.0) || !(own->dissipation > 0.0)) continue;
    const double led = fmin(-own->distance / own->dt, 1.0 / own->dissipation);
    before += led * led / own->delassus;
  }
  for (int i = 0; i < s->n; ++i) {
    before += s->v_free[i] * s->momentum[i];
    after += s->x[i] * (s->A_difference[i] + s->momentum[i]);
  }
  return !(after <= gain * before);
}

/* A step with the factor of the last one, which takes back-solves alone. Forces, friction's
 * directions and the stiffness of normals are those of the state. Near the solution it gains 20
 * to 100 times as |F| goes. Where it gains little, the state stays and false is returned. */
static bool step_again(descent *f) {
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
  bound_friction(s);
  limpet_island_spins_evaluate(s);
  f->measure = before;
  s->info = info;
  f->converges = false;
  return false;
}

// One iteration of coulomb.h. Returns false where the matrix is not positive definite.
static bool iterate(descent *f) {
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

// Whether the iteration sets records close to a solution.
static bool converges(const descent *f) {
  return f->since == 0 && f->measure.residual < good_start * f->measure.scale;
}

/* Newton's method from the forces of a shifted problem that is solved but for its gap: it knows who
 * touches and who slides, so |F| falls quadratically from there where the gap is not long. Returns
 * whether that solves the island. */
static bool go_on_from_problem(descent *f) {
  limpet_island_solver *s = f->solver;
  place(f);
  f->settled = false;
  restart(f, LIMPET_COULOMB_SWEPT);
  const int last = s->info.iterations + FROM_PROBLEM, limit = f->settings->iteration_limit;
  while (!ends(f) && f->since <= ON_ITS_WAY && s->info.iterations < limit &&
         (s->info.iterations < last || converges(f)))
    if (!iterate(f)) break;
  if (s->info.outcome == LIMPET_NEWTON_SOLVED) return true;
  s->info.outcome = LIMPET_NEWTON_ITERATION_LIMIT;
  return false;
}

/* Newton's method from forces that pivoting finds in a small island: it knows who touches, who
 * slides and where to, so this is nearly always a solution. */
static bool end_pivoted(descent *f) {
  limpet_island_solver *s = f->solver;
  const int left = f->settings->iteration_limit - s->info.iterations;
  if (left < TWO_LIGHT_PROBLEMS || !limpet_coulomb_facets_fit(s)) return false;
  const size_t size = 3 * (size_t)s->island->contact_count * sizeof *s->contact_gamma;
  memcpy(s->coulomb->forces, s->contact_gamma, size);
  return limpet_coulomb_facets(s) && go_on_from_problem(f);
}

/* The iteration stalls again, or few iterations are left. Thousands of sweeps come so close to a
 * solution that the shifted problem with their slip speeds, which is convex, leaves no gap, or so
 * short a one that Newton's method goes on from there. Else more sweeps leave less than further
 * problems. Where a problem is not solved either, the end is the forces of sweeps. */
static void end_swept(descent *f) {
  limpet_island_solver *s = f->solver;
  if (end_pivoted(f)) return;
  const int limit = f->settings->iteration_limit;
  const int sweeps = limit > FEWEST ? limit : FEWEST;
  // heavy trees have two problems only where iterations suffice for both; few sweeps leave contacts
  // on soft bodies so far off that the first one would waste its iterations
  const int left = limit - s->info.iterations;
  const bool few = left < (s->coulomb->heavy ? TWO_PROBLEMS : TWO_LIGHT_PROBLEMS);
  const bool one = s->coulomb->soft || few;
  bool swept = true;
  for (int k = one ? LAST_PROBLEMS - 1 : 0; k < LAST_PROBLEMS && swept; ++k) {
    limpet_newton_settings own = *f->settings;
    swept = sweep_on(f, last_sweeps[s->coulomb->heavy][k] * sweeps);
    if (swept) limpet_island_place(s, f->x);
    expect_turning(s, swept ? s->coulomb->forces : s->contact_gamma);
    const bool again = swept && k + 1 < LAST_PROBLEMS && s->spins.count == 0;
    // some are left for a second problem, or for one without friction
    if (again || !swept) own.iteration_limit -= left_for_second(limit - s->info.iterations);
    limpet_coulomb_close_gaps(s, &own, again ? 1 : INT_MAX, swept);
    if (s->info.outcome == LIMPET_NEWTON_SOLVED) return;
    const bool has_gap = s->info.residual <= f->settings->tolerance;
    if (again && has_gap && go_on_from_problem(f)) return;
  }
  if (s->info.residual <= f->settings->tolerance) {
    if (s->spins.count > 0) project_turning(f);
    return;
  }
  if (swept) {
    limpet_coulomb_take_sweeps(s);
    measure_again(f);
  }
  const bool diverged = !(s->info.residual <= garbage) || has_gained(s);
  if (diverged && !presses_beyond(s, LIMPET_JAM_SHARE))
    limpet_coulomb_drop_friction(s, f->settings);
  s->info.outcome = LIMPET_NEWTON_ITERATION_LIMIT;
}

// Whether the iteration is to end by sweeps and shifted problems.
static bool is_late(const descent *f) {
  const limpet_island_solver *s = f->solver;
  const double scale = f->measure.scale;
  const bool nears = f->record < near * scale &&
                     f->since <= (f->record < close_by * scale ? patience_of(s)->near : ON_ITS_WAY);
  const double kept = converges(f) ? converging_reserve : nears ? nearing_reserve : reserve;
  const int limit = f->settings->iteration_limit;
  if (is_stuck(f)) return true;
  if (s->info.iterations + fmax(1.0, floor(kept * limit)) >= limit) return true;
  return f->stalled_before && s->coulomb->sweeps != LIMPET_SWEEPS_NEVER && stalls(f);
}

/* Whether a solve that may give up does so: what is kept for the end of a step is for the problem
 * that is solved instead. */
static bool gives_up(const descent *f) {
  const limpet_island_solver *s = f->solver;
  return s->gives_up_after > 0 &&
         (s->info.iterations >= s->gives_up_after || is_stuck(f) || makes_no_way(f));
}

/* Whether doubles bring |F| no closer: stiff rows carry the round-off of fast bodies. */
static bool is_rounded(const descent *f) {
  const limpet_newton_measure *m = &f->measure;
  return m->residual <= rounded * m->scale && m->residual <= limpet_island_round_off(f->solver);
}

/* The end of a step that Newton's method does not solve. Where it is as close as doubles come, and
 * the end is no solution either, the step stays there: forces meet their laws but for that. */
static void end_late(descent *f) {
  limpet_island_solver *s = f->solver;
  const bool close = is_rounded(f);
  if (close) limpet_island_state_keep(s);
  end_swept(f);
  if (!close || s->info.outcome == LIMPET_NEWTON_SOLVED) return;
  limpet_island_state_restore(s);
  evaluate(f);
  s->rounded = true;
}

/* The matrix cannot be factored, of stiffness beyond all digits: sweeps need none, and what they
 * leave is told by the residual. */
static void end_unfactored(descent *f) {
  limpet_island_solver *s = f->solver;
  if (!sweep_on(f, f->settings->iteration_limit)) return;
  limpet_coulomb_take_sweeps(s);
  measure_again(f);
  if (isfinite(s->info.residual)) s->info.outcome = LIMPET_NEWTON_ITERATION_LIMIT;
}

// The cost at the state. Laws without one, as of infinite stiffness, have no solution.
static void tell_cost(limpet_island_solver *s) {
  if (s->info.outcome == LIMPET_NEWTON_FAILURE) return;
  s->info.cost = limpet_island_laws(s);
  if (!isfinite(s->info.cost)) s->info.outcome = LIMPET_NEWTON_FAILURE;
}

void limpet_coulomb_solve(limpet_island_solver *s, const limpet_newton_settings *settings,
                          const limpet_solve_start *start, bool known) {
  descent f = {.known = known,
               .solver = s,
               .settings = settings,
               .x = s->x,
               .d = s->newton.direction,
               .record = INFINITY,
               .best = INFINITY};
  s->info = (limpet_newton_info){.outcome = LIMPET_NEWTON_ITERATION_LIMIT};
  choose_start(&f, start);
  bool late = false;
  if (!ends(&f)) {
    if (f.measure.residual <= good_start * f.measure.scale) {
      aim(&f);
    } else if (settings->iteration_limit > 0) {
      begin(&f);
    }
    while (!ends(&f) && !gives_up(&f)) {
      late = is_late(&f);
      if (late || (makes_no_way(&f) && presses_beyond(s, 1.0))) break;
      if (stalls(&f)) start_anew(&f);
      else if (!iterate(&f)) break;
    }
    if (s->info.outcome == LIMPET_NEWTON_FAILURE) end_unfactored(&f);
  }
  tell_cost(s);
  if (late && s->info.outcome != LIMPET_NEWTON_FAILURE && !presses_beyond(s, 1.0)) end_late(&f);
  limpet_coulomb_set_form(s, LIMPET_FRICTION_COUPLED);
}

void limpet_coulomb_carry_one(const limpet_island_solver *s, int contact, double force[3]) {
  const double *W = s->problem->contact_row + 18 * (s->island->contact + contact);
  limpet_vec3_zero(force);
  for (int e = 0; e < 3; ++e)
    limpet_vec3_addmul(force, force, s->contact_gamma[3 * contact + e] / s->problem->dt,
                       W + 6 * e + 3);
}

void limpet_coulomb_carry(const limpet_island_solver *s, double *carried) {
  for (int i = 0; i < s->island->contact_count; ++i)
    limpet_coulomb_carry_one(s, i, carried + 3 * (s->island->contact + i));
}
