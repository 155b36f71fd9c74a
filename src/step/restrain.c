/* step/restrain.c: what starts inside of other things, and is not pushed out with all force.
 *
 * What starts inside of something near-rigid, or far outside of a limit, is led back at the return
 * speed v_r: 1/d of a contact, that of the settings for a row. Its force at rest is the stiffness
 * times the whole depth, so that it carries any load. Where such things press against each other
 * (a folded arm: links in links, joints beyond their limits) nothing bounds these forces, and when
 * one gives way they throw the bodies. So an attempt is looked at, island by island: impulses of
 * what comes back may be
 *   p < 10^4 v_r/w + 10 m g dt     w [1/kg] of contact or row, m [kg] all that is in the island
 *   p < 10^3 v_r/w + 10 m g dt     of rows, where no contact comes back
 * Where one is larger, or larger than a hundredth in an island that is not solved, or where the
 * attempt failed, the returns of the island are weakened, and the step is attempted anew, with as
 * many iterations as the first attempt had. The solver knows these bounds: an island that stalls
 * beyond them ends there and takes no sweeps (solve/coulomb_solve.c), for what it would end with is
 * not used. Weaker are: contacts  k <- min(k, 4 pi^2/(beta^2 dt^2 w)),  f_e0 <- min(f_e0, 10 k v_r
 * dt),  d <- 100 d rows      v_hat <- v_hat/100, and an impulse at rest of 10 v_r/(c w), not g/(2
 * dt c w); of 10^3 v_r/w where no contact comes back Limits alone press against loops. One whose
 * bodies weigh as much stores p^2 w b^2/(4 pi^2), b the equality ratio 0.01, and gives it back
 * where the mechanism snaps: 253 v_r^2/w at 10^4, 2.5 at 10^3, where the return itself has v_r^2/(2
 * w). Cassie from its zero pose threw its feet with 333 J. k of contacts that can hardly move along
 * their normal was that of the normal alone, w is that of all directions: they give way to others.
 * A contact then still carries 40 pi^2/beta^2 times what moves its own inertia at v_r in a step,
 * 40000 times its own weight at 2 ms, without sinking. Overlap that stays is reported as any other.
 * Only of the model `coulomb`: others are as they were published. Cost: a pass over contacts. */
#include "step/restrain.h"

#include <math.h>

#include "constraint/kind.h"
#include "law/contact_model.h"
#include "math/extremes.h"
#include "math/vec3.h"
#include "solve/island.h"

// [-]  see the head
static const double own_share = 1e4, alone_share = 1e3, lift_share = 10.0, slower = 0.01,
                    carried_share = 10.0;

static bool is_coupled(const limpet_contact_model *model) {
  return model->family == LIMPET_CONTACT_COMPLIANT &&
         ((const limpet_compliant_model *)model)->coupled;
}

/* Return speed [m/s] of a contact that starts deeper than it could come out within the step; 0: it
 * does not return so, or as its maker wants. */
static double contact_return(const limpet_contact_constants *c) {
  const bool led = c->near_rigid && !c->normal && c->dissipation > 0.0;
  return led && c->distance < -c->dt / c->dissipation ? 1.0 / c->dissipation : 0.0;
}

// Share of the error of a limit that leads back at the return speed; 0: the row does not return so.
// What acts both ways carries loads without bound.
static double row_share(const limpet_step_work *work, const limpet_constraint_row *row) {
  const double far = 2.0 * work->settings.time_step * work->settings.return_speed;
  const bool acts = row->lower == 0.0 && row->error < 0.0;
  const bool led = fabs(row->v_hat) <= work->settings.return_speed * (1.0 + 1e-9);
  const bool drives = limpet_constraint_kinds()[row->kind] == &limpet_constraint_actuator;
  return acts && led && !drives && fabs(row->error) > far ? far / fabs(row->error) : 0.0;
}

// 1/w of a row [kg, kg m^2]: near-rigid ones have R = share c w.
static double row_inertia(const limpet_step_work *work, const limpet_constraint_row *row,
                          double share) {
  const double beta = work->settings.constraint_ratio;
  return row->R_inverse * share * beta * beta / (4.0 * LIMPET_PI * LIMPET_PI);
}

// Impulse [N s] that lifts all that is in an island, several times over.
static double lifting(const limpet_step_work *work, const limpet_data *data,
                      const limpet_island *island) {
  limpet_block_mass sum = {0};
  for (int i = 0; i < island->block_count; ++i) {
    const limpet_block *block = limpet_island_block(&work->problem, island, i);
    block->kind->add_mass(block, data->model, data, &sum);
  }
  const double g = limpet_vec3_norm(data->model->options.gravity);
  return lift_share * sum.mass * g * work->problem.dt;
}

// Bounds of what comes back in an island; of all else they are infinite. Returns how many there
// are.
static int bound_island(const limpet_step_work *work, const limpet_data *data,
                        const limpet_island *island, double *contact_bound, double *row_bound) {
  const limpet_contact_problem *problem = &work->problem;
  int count = 0;
  double lift = -1.0;  // not known yet
  for (int i = island->contact; i < island->contact + island->contact_count; ++i) {
    const double speed = contact_return(&problem->constants[i]);
    if (speed == 0.0) continue;
    if (lift < 0.0) lift = lifting(work, data, island);
    contact_bound[i] = own_share * speed / problem->constants[i].delassus + lift;
    ++count;
  }
  const double row_own = count == 0 ? alone_share : own_share;
  for (int i = island->row; i < island->row + island->row_count; ++i) {
    const double share = row_share(work, &problem->row[i]);
    if (share == 0.0) continue;
    if (lift < 0.0) lift = lifting(work, data, island);
    row_bound[i] =
        row_own * work->settings.return_speed * row_inertia(work, &problem->row[i], share) + lift;
    ++count;
  }
  return count;
}

limpet_status limpet_step_bound_returns(limpet_step_work *work, const limpet_data *data) {
  limpet_contact_problem *problem = &work->problem;
  problem->return_bound = NULL;
  if (work->settings.scheme->from_rest || !is_coupled(work->settings.contact_model))
    return LIMPET_OK;
  const limpet_arena_mark mark = limpet_arena_mark_now(work->arena);
  const int size = problem->contact_count + problem->row_count;
  double *bound = LIMPET_TAKE(work->arena, double, size);
  if (!bound) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < size; ++i) bound[i] = INFINITY;
  int count = 0;
  for (int k = 0; k < problem->island_count; ++k)
    count += bound_island(work, data, &problem->island[k], bound, bound + problem->contact_count);
  if (count > 0) problem->return_bound = bound;
  else limpet_arena_release(work->arena, mark);
  return LIMPET_OK;
}

// Whether something that comes back in an island is beyond a share of its bound.
static bool presses_beyond(double share, const limpet_contact_problem *problem,
                           const limpet_island *island, const limpet_contact_solution *solution) {
  const double *bound = problem->return_bound, *row_bound = bound + problem->contact_count;
  for (int i = island->contact; i < island->contact + island->contact_count; ++i)
    if (solution->gamma[3 * i + 2] > share * bound[i]) return true;
  for (int i = island->row; i < island->row + island->row_count; ++i)
    if (fabs(solution->row_gamma[i]) > share * row_bound[i]) return true;
  return false;
}

// Whether returns of an island are too strong for what an attempt made of it.
static bool is_too_strong(const limpet_contact_problem *problem, int island,
                          const limpet_contact_solution *solution) {
  if (!solution) return true;
  const bool solved = solution->outcome[island] < LIMPET_OUTCOME_ITERATION_LIMIT;
  return presses_beyond(solved ? 1.0 : LIMPET_JAM_SHARE, problem, &problem->island[island],
                        solution);
}

// Weaker returns of all that comes back in an island. Returns how many there are.
static int weaken(limpet_step_work *work, const limpet_island *island) {
  limpet_contact_problem *problem = &work->problem;
  const double beta = work->settings.near_rigid_ratio;
  const double near_rigid = 4.0 * LIMPET_PI * LIMPET_PI / (beta * beta);
  int count = 0;
  for (int i = island->contact; i < island->contact + island->contact_count; ++i) {
    limpet_contact_constants *c = &problem->constants[i];
    const double speed = contact_return(c);
    if (speed == 0.0) continue;
    const double all = near_rigid / (c->dt * c->dt * c->delassus);
    c->stiffness = limpet_min(c->stiffness, all);
    c->elastic_force = limpet_min(c->elastic_force, carried_share * c->stiffness * speed * c->dt);
    c->dissipation /= slower;
    if (problem->carried) limpet_vec3_zero(problem->carried + 3 * i);
    ++count;
  }
  const double ratio = work->settings.constraint_ratio / (2.0 * LIMPET_PI);
  const double rest = count == 0 ? alone_share * ratio * ratio : carried_share;
  for (int i = island->row; i < island->row + island->row_count; ++i) {
    limpet_constraint_row *row = &problem->row[i];
    const double share = row_share(work, row);
    if (share == 0.0) continue;
    row->v_hat *= slower;
    row->R_inverse *= rest * share / slower;
    ++count;
  }
  return count;
}

bool limpet_step_restrain(limpet_step_prepared *prepared, const limpet_step_result *result) {
  limpet_step_work *work = prepared->work;
  if (!work || !work->problem.return_bound || result->outcome >= LIMPET_OUTCOME_OUT_OF_MEMORY)
    return false;
  int count = 0;
  const limpet_contact_solution *solution = result->solution ? &result->solution->contact : NULL;
  for (int k = 0; k < work->problem.island_count; ++k) {
    if (is_too_strong(&work->problem, k, solution)) count += weaken(work, &work->problem.island[k]);
  }
  if (count == 0) return false;
  work->problem.return_bound = NULL;
  work->found = NULL;
  work->spent = result->info;
  work->spent.restrained_returns = count;
  work->earlier_iterations = work->spent.iterations;
  ++work->spent.repeats;
  return true;
}
