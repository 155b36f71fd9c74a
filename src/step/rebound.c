/* step/rebound.c: rebounds that give back no more than impacts took.
 *
 * Newton's coefficient e asks for the normal speed e v_i after an impact (contact/restitution.h).
 * With friction that may cost more energy than there was: where impulses turn a body about its
 * contact, as of a rod that lands on its end, what slips in the impact and sticks in the rebound
 * has another inertia along the normal in each (Kane, Levinson, Dynamics: Theory and Applications,
 * 1985; Smith, J. Appl. Mech. 58, 1991). The bound is Stronge's energetic coefficient (Proc. R.
 * Soc. A 431, 1990): of the work that the normal force took until the contact was closed, e^2 comes
 * back. An impact takes two steps. The first one took -N1 - T1; the second, if nothing parted in
 * it, would take -N2' - T2'. So of all contacts between two rigid units that part in it
 *
 *   sum N2 + T2 <= sum e^2 min(-N1, -N1 - T1) + min(sum (1 - e^2) N2' + T2', 0)
 *   N = gamma_n (v_n0 + v_n1)/2 + G,  T = gamma_t . (v_t0 + v_t1)/2      [J]
 *   G = h g/2 (gamma_n - h g gamma_n/(v_n1 - v_free)),  h g = v_n0 - v_free
 * v_0, v_1 [m/s] at start and end of the step, v_free: at its end without contact. An impulse
 * changes the kinetic energy by its product with the mean of both velocities; G is what a weight
 * rises more by as it moves with v_1, not with the mean (0 where free motion does so, too). So
 * energy never rises by a bounce. Newton's rebound without friction is at the bound.
 * Where an attempt gives more (with N2' as if impulses grew in proportion, and without T2'), the
 * step is attempted with these contacts closed, which tells N2' and T2', and with sqrt(s) of their
 * speeds. While neither sticking nor slipping begins, what is given is linear in s, so that the
 * secant method finds s at once. After six attempts, or twelve of all contacts, they part with the
 * largest s that was within the bound. info.restrained_rebounds counts these contacts. Cost:
 * nothing where nothing rebounds; else a pass over the contacts that do. */
#include "step/rebound.h"

#include <math.h>

#include "contact/kept.h"
#include "math/extremes.h"
#include "math/spatial.h"
#include "solve/island.h"
#include "step/assembly.h"

// [-]  of the bound: by which more may be given; the least that is given where less was asked for;
// what is aimed at
static const double slack = 1e-9, least = 0.99, aim = 0.9999;
enum { HOLD_LIMIT = 6, HOLDS_LIMIT = 12 };  // attempts anew, for one patch and for all

// What the contacts of a patch that part do [J].
typedef struct patch_work {
  double given;   // N2 + T2
  double closed;  // (1 - e^2) N2 + T2
  double taken;   // e^2 min(-N1, -N1 - T1)
  double begins;  // (1 - e^2) N2' if impulses grow in proportion
} patch_work;

// Shares s of a patch's rebounds, and what was given with them [J].
typedef struct limpet_rebound {
  int attempts;             // with a share; 0: Newton's rebounds alone, s = 1
  bool done;                // the attempt is the last one
  double share;             // of the attempt
  double bound;             // [J]
  double closed;            // [J]  given with s = 0
  double low, low_given;    // the largest s within the bound
  double high, high_given;  // the smallest one beyond it
  double last, last_given;  // of the attempt before
} limpet_rebound;

// Velocity of B relative to A at a patch's point, at the start of the step.
static void start_velocity(const limpet_contact_problem *problem, const limpet_island *island,
                           const limpet_patch *patch, double V[6]) {
  limpet_spatial_zero(V);
  for (int k = 0; k < patch->side_count; ++k) {
    const limpet_patch_side *side = &patch->side[k];
    for (int c = 0; c < side->count; ++c)
      limpet_spatial_addmul(
          V, problem->v_start[limpet_problem_global_dof(problem, island, side->dof[c])],
          side->column + 6 * c);
  }
}

// N and T [J] of the head, of one contact. V: start_velocity.
typedef struct contact_work {
  double normal, friction;
} contact_work;

static contact_work work_of(const limpet_step_solution *solution, int contact, const double V[6],
                            bool plain) {
  const limpet_contact_problem *problem = &solution->problem;
  const limpet_contact_constants *c = &problem->constants[contact];
  const double *W = problem->contact_row + 18 * contact,
               *gamma = solution->contact.gamma + 3 * contact,
               *end = solution->contact.velocity + 3 * contact;
  contact_work work = {0.5 * gamma[2] * (limpet_spatial_dot(W + 12, V) + end[2]), 0.0};
  const double fall = limpet_max(c->normal_speed - c->free_speed, 0.0),
               change = end[2] - c->free_speed;
  if (!plain && change > fall) work.normal += 0.5 * fall * gamma[2] * (1.0 - fall / change);
  for (int e = 0; e < 2; ++e) {
    const double bias =
        problem->contact_bias ? problem->contact_bias[LIMPET_CONTACT_BIAS * contact + e] : 0.0;
    work.friction += 0.5 * gamma[e] * (limpet_spatial_dot(W + 6 * e, V) + bias + end[e]);
  }
  return work;
}

// The first patch from `patch` on, below `end`, with a contact of a positive number in `speed`
// (contacts); `end`: there is none.
static int next_patch(const limpet_contact_problem *problem, int patch, int end,
                      const double *speed) {
  while (patch < end && !limpet_patch_parts(&problem->patch[patch], speed)) ++patch;
  return patch;
}

void limpet_step_rebounds_taken(const limpet_step_solution *solution, const double *rebound,
                                bool plain, double *taken) {
  const limpet_contact_problem *problem = &solution->problem;
  for (int k = 0; k < problem->island_count; ++k) {
    const limpet_island *island = &problem->island[k];
    const int end = island->patch + island->patch_count;
    for (int p = island->patch; (p = next_patch(problem, p, end, rebound)) < end; ++p) {
      const limpet_patch *patch = &problem->patch[p];
      double V[6];
      start_velocity(problem, island, patch, V);
      for (int i = patch->contact; i < patch->contact + patch->contact_count; ++i) {
        if (!(rebound[i] > 0.0)) continue;
        const double e = problem->constants[i].restitution;
        const contact_work work = work_of(solution, i, V, plain);
        taken[i] = -e * e * (work.normal + limpet_max(work.friction, 0.0));
      }
    }
  }
}

// V: start_velocity.
static patch_work patch_work_of(const limpet_step_solution *solution, const limpet_patch *patch,
                                const double V[6], bool plain) {
  const limpet_contact_problem *problem = &solution->problem;
  patch_work sum = {0};
  for (int i = patch->contact; i < patch->contact + patch->contact_count; ++i) {
    if (!(problem->rebound[i] > 0.0)) continue;
    const contact_work work = work_of(solution, i, V, plain);
    const double e = problem->constants[i].restitution, lost = 1.0 - e * e,
                 start = limpet_min(limpet_spatial_dot(problem->contact_row + 18 * i + 12, V), 0.0),
                 change = solution->contact.velocity[3 * i + 2] - problem->constants[i].free_speed;
    sum.given += work.normal + work.friction;
    sum.closed += lost * work.normal + work.friction;
    sum.taken += problem->taken[i];
    if (change > 0.0)
      sum.begins -= lost * 0.5 * solution->contact.gamma[3 * i + 2] * start * start / change;
  }
  sum.taken = limpet_max(sum.taken, 0.0);
  return sum;
}

// The share of the next attempt, between r->low and r->high: by the secant through the last two, or
// through these.
static double next_share(const limpet_rebound *r, double given) {
  const double goal = r->closed + aim * (r->bound - r->closed);
  const double share = r->share + (goal - given) * (r->last - r->share) / (r->last_given - given);
  if (share > r->low && share < r->high) return share;
  const double inner =
      r->low + (goal - r->low_given) * (r->high - r->low) / (r->high_given - r->low_given);
  return inner > r->low && inner < r->high ? inner : 0.5 * (r->low + r->high);
}

/* Takes what an attempt did. Whether another one is to be made, with r->share; last: that is the
 * last one. */
static bool look_at(limpet_rebound *r, const patch_work *work, bool last) {
  if (r->done) return false;
  if (r->attempts == 0) {
    const double bound = work->taken + work->begins;
    if (work->given <= bound + slack * (work->taken - work->begins)) return false;
    r->high_given = work->given;
  } else if (r->attempts == 1) {
    r->low_given = r->closed = work->given;
    r->bound = work->taken + limpet_min(work->closed, 0.0);
  } else if (work->given > r->bound + slack * (r->bound - r->closed)) {
    r->high = r->share, r->high_given = work->given;
  } else {
    if (work->given >= r->closed + least * (r->bound - r->closed)) return false;
    r->low = r->share, r->low_given = work->given;
  }
  ++r->attempts;
  const bool ends = last || r->attempts >= HOLD_LIMIT || (r->attempts > 1 && r->bound <= r->closed);
  if (ends) r->done = true;
  if (ends && r->share == r->low) return false;
  const double share = r->attempts == 1 ? 0.0 : ends ? r->low : next_share(r, work->given);
  // the closed one is farther from the bound than the first
  if (r->attempts != 2) r->last = r->share, r->last_given = work->given;
  r->share = share;
  return true;
}

// The contacts of a patch part with the root of a share of their speeds.
static void hold(limpet_contact_problem *problem, const limpet_patch *patch, double share,
                 bool plain) {
  for (int i = patch->contact; i < patch->contact + patch->contact_count; ++i)
    if (problem->rebound[i] > 0.0) limpet_contact_part(problem, i, sqrt(share), plain);
}

// Contacts that part with less than their speeds.
static int count_held(const limpet_contact_problem *problem, const limpet_rebound *rebounds) {
  int count = 0;
  for (int p = 0; p < problem->patch_count; ++p) {
    const limpet_patch *patch = &problem->patch[p];
    for (int i = patch->contact; i < patch->contact + patch->contact_count; ++i)
      count += rebounds[p].share < 1.0 && problem->rebound[i] > 0.0;
  }
  return count;
}

static limpet_rebound *take_rebounds(limpet_step_work *work) {
  const int count = work->problem.patch_count;
  work->rebounds = LIMPET_TAKE(work->arena, limpet_rebound, count);
  for (int p = 0; work->rebounds && p < count; ++p)
    work->rebounds[p] = (limpet_rebound){.share = 1.0, .high = 1.0};
  return work->rebounds;
}

bool limpet_step_hold_rebounds(limpet_step_prepared *prepared, const limpet_step_result *result) {
  limpet_step_work *work = prepared->work;
  const limpet_step_solution *solution = result->solution;
  limpet_contact_problem *problem = &work->problem;
  if (limpet_outcome_failed(result->outcome) || !problem->rebound || problem->contact_count == 0)
    return false;
  const bool plain = limpet_step_is_plain(&work->settings);
  bool any = false;
  for (int k = 0; k < problem->island_count; ++k) {
    const limpet_island *island = &problem->island[k];
    const int end = island->patch + island->patch_count;
    for (int p = island->patch; (p = next_patch(problem, p, end, problem->rebound)) < end; ++p) {
      const limpet_patch *patch = &problem->patch[p];
      double V[6];
      if (!work->rebounds && !take_rebounds(work)) {
        prepared->outcome = LIMPET_OUTCOME_OUT_OF_MEMORY;
        return true;  // the attempt says so
      }
      start_velocity(&solution->problem, island, patch, V);
      const patch_work done = patch_work_of(solution, patch, V, plain);
      if (!look_at(&work->rebounds[p], &done, work->holds >= HOLDS_LIMIT)) continue;
      hold(problem, patch, work->rebounds[p].share, plain);
      any = true;
    }
  }
  if (!any) return false;
  ++work->holds;
  work->found = NULL, work->kept = NULL;
  work->spent = result->info;
  work->spent.restrained_rebounds = count_held(problem, work->rebounds);
  work->earlier_iterations = work->spent.iterations;
  ++work->spent.repeats;
  return true;
}
