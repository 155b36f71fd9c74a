/* step/restrain.c: what starts inside of other things, and is not pushed out with all force.
 *
 * What starts inside of something near-rigid, or far outside of a limit, is led back at the return
 * speed v_r: 1/d of a contact, that of constraint/limit_return.c for a row. Its force at rest is
 * the stiffness times the whole depth, so that it carries any load. Where such things press against
 * each other (a folded arm: links in links, joints beyond their limits) nothing bounds these
 * forces, and when one gives way they throw the bodies. So an attempt is looked at, island by
 * island: impulses of what comes back may be
 *   p < 10^4 v_r/w + 10 m g dt   w [1/kg] of contact or row, m [kg] all that is in the island
 *   p < 10^2 v_r/w + 10 (p_f + m g dt l)   of rows, where no contact comes back,
 *   p < 10^3 v_r/w + 10 (p_f + m g dt l) + l sqrt(m v* . A v*)   of those that an impact may have
 *                                           pressed out, |g| l below five speculative distances
 * with p_f = -(J v*) / w, which takes the free motion along the row, l = v_c/v_r of rows that lead
 * masses with v_c, 1 of others: what a weight has as a lever, and the root, no less than the
 * momentum that an impact leaves in the island.
 * Where one is larger, or larger than a hundredth in an island that is not solved, or where the
 * attempt failed, the returns of the island are weakened, and the step is attempted anew, with as
 * many iterations as the first attempt had. The solver knows these bounds: an island that stalls
 * beyond them ends there and takes no sweeps (solve/coulomb_solve.c), for what it would end with is
 * not used. Weaker are
 *   contacts      k <- min(k, 4 pi^2/(beta^2 dt^2 w)),  d <- 100 d
 *                 dt f_e0 <- min(dt f_e0, p),   p = max(4 v_r/w + m g dt, 0.9 of the last step's)
 *   links of one tree  the same, p = max((0.2 v_r + 1.2 g dt)/w, 0.9 of the last step's)
 *   rows          v_hat <- 4 c v_r,  c = beta^2/(4 pi^2), with an impulse at rest of 4 v_r/w
 *   rows alone    v_hat <- v_hat/100, with an impulse at rest of 4 v_r/w + p_f + m g dt l, not
 *                 g/(2 dt c w), where no contact is deeper than five speculative distances
 *
 * So they hardly come back, and they press each other with no more than what moves their inertia
 * at v_r and lifts their island: forces of a jam are those of a load, and a step is solved as one
 * without overlap. With 10^4 times as much friction holds contacts that no other load closes, and
 * most steps of robots whose hulls overlap were unsolved. What presses with P beyond p sinks by
 * dt (P - p) w c at most, 0.1 um a step where that is ten times a contact's own weight, and p
 * follows what it carries. k of contacts that can hardly move along their normal was that of the
 * normal alone, w is that of all directions: they give way to others. Overlap that stays is
 * reported as any other.
 * Links that are folded into each other carry each other, hardly ever the robot: with its weight
 * the fingers of a hand of 10 g a link pressed with 2,000 times what moves them, and friction held
 * them in a knot (Talos with its grippers: 50 of 50 steps unsolved in 64 iterations, none in 2.4).
 * Returns that went against each other in the last step do so in this one: where a contact deeper
 * than an impact makes it, five speculative distances, carried more than p/2 and moves with less
 * than v_r/10, its island has weaker returns from the start, and the attempt with strong ones is
 * saved; of links of one tree, more than (0.1 v_r + 1.05 g dt)/w.
 * As soon as none does, strong ones are tried again. A load at rest looks like a jam: two boxes on
 * a ball that was put 5 mm into the floor stayed there for ever. What tells them apart is whether
 * it comes out. So strong returns are tried once in 0.2 s of the world's time, or in 20 steps,
 * where that is longer, and kept where the island is solved and nothing in it would count as jammed
 * after: from then on it moves. Else the step is as it would be without the trial.
 *
 * Contacts that the attempts missed may come after that (look_again.c). Islands with trees whose
 * returns were weakened have weaker ones in the problem that is posed anew, too.
 *
 * Contacts with a stiffness of their own are no part of this. Where they start deeper than five
 * speculative distances, their force at rest is at most what gives dt f_e0 = 10^3 v_r/w + 10 m g
 * dt, or twice what they carried: they come back with v_r less a thousandth all the same. A
 * humanoid 1.3 m inside of the floor pressed with 7 10^5 v_r/w; 37 of its 250 steps were unsolved.
 *
 * Limits alone press against loops. One whose bodies weigh as much stores p^2 w c, and gives it
 * back where the mechanism snaps: 253 v_r^2/w at 10^4 and the equality ratio 0.01, 0.025 at 10^2,
 * where the return itself has v_r^2/(2 w). And rows are those of the start of a step, so what turns
 * meanwhile takes work from what presses there. Cassie from its zero pose, with its feet at a dead
 * centre of their loops and 2 MN in them, gained up to 24 kJ in 2 s at 2.1 ms. A limit that carried
 * more than half of its weak impulse has a weak return in the next step (limpet_data.tree_jammed),
 * and strong ones are tried as above.
 *
 * Only of the model `coulomb`: others are as they were published. Cost: a pass over contacts. */
#include "step/restrain.h"

#include <math.h>

#include "constraint/kind.h"
#include "law/contact_model.h"
#include "math/extremes.h"
#include "math/vec3.h"
#include "solve/island.h"
#include "step/assembly.h"

// [-]  see the head
static const double own_share = 1e4, alone_share = 1e3, far_share = 1e2, lift_share = 10.0,
                    slower = 0.01, weak_share = 4.0, jam_share = 0.5, rests_share = 0.1,
                    deep_share = 5.0, keeps_share = 0.9, stiff_share = 1e3, stiff_load = 2.0,
                    folded_share = 0.2, folded_lift = 1.2, folded_load = 1.05;
static const double try_time = 0.2;  // [s]  see the head
enum { TRY_STEPS = 20 };

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

// Whether a contact starts deeper than an impact makes it.
static bool is_deep(const limpet_step_work *work, const limpet_contact_constants *c) {
  return c->distance < -deep_share * limpet_step_speculative_distance(&work->settings);
}

/* Return speed [m/s, rad/s] of a limit that does not lead back all of its error; 0: the row does
 * not return so. A near-rigid one asks for it; a spring of an author counts as led by the settings'
 * one. What acts both ways carries loads without bound. */
static double row_return(const limpet_step_work *work, const limpet_constraint_row *row) {
  if (!(row->lower == 0.0 && row->error < 0.0)) return 0.0;
  const double most = work->settings.return_speed * (1.0 + 1e-9), asked = fabs(row->v_hat);
  const double speed = row->stiffness > 0.0 ? work->settings.return_speed : asked;
  const bool drives = limpet_constraint_kinds()[row->kind] == &limpet_constraint_actuator;
  const double reached = 2.0 * work->settings.time_step * speed;  // [m, rad]  of the error
  return asked <= most && !drives && reached < (1.0 - 1e-9) * fabs(row->error) ? speed : 0.0;
}

// Share of the error of a limit that leads back at that speed.
static double row_share(const limpet_step_work *work, const limpet_constraint_row *row,
                        double speed) {
  return 2.0 * work->settings.time_step * speed / fabs(row->error);
}

// 1/w of a row [kg, kg m^2]: near-rigid ones have R = share c w.
static double row_inertia(const limpet_step_work *work, const limpet_constraint_row *row,
                          double share) {
  const double beta = work->settings.constraint_ratio;
  return row->R_inverse * share * beta * beta / (4.0 * LIMPET_PI * LIMPET_PI);
}

// Whether masses with that arm start farther outside of a limit than an impact presses them.
static bool is_far(const limpet_step_work *work, const limpet_constraint_row *row, double arm) {
  return arm * fabs(row->error) > deep_share * limpet_step_speculative_distance(&work->settings);
}

/* [m]  by which the impulse of a weight counts for a row, v_c/v_r: a limit that masses hang on
 * moves them with v_c (constraint/limit_return.c). 1 [-] of slides, and of springs. */
static double row_arm(const limpet_step_work *work, const limpet_constraint_row *row,
                      double speed) {
  const double masses = limpet_step_limit_speed(&work->settings);
  return row->stiffness > 0.0 || isinf(masses) ? 1.0 : masses / speed;
}

// Mass [kg] of all that is in an island.
static double mass_of(const limpet_step_work *work, const limpet_data *data,
                      const limpet_island *island) {
  limpet_block_mass sum = {0};
  for (int i = 0; i < island->block_count; ++i) {
    const limpet_block *block = limpet_island_block(&work->problem, island, i);
    block->kind->add_mass(block, data->model, data, &sum);
  }
  return sum.mass;
}

// Impulse [N s] of the weight of all that is in an island.
static double weight_of(const limpet_step_work *work, const limpet_data *data,
                        const limpet_island *island) {
  const double g = limpet_vec3_norm(data->model->options.gravity);
  return mass_of(work, data, island) * g * work->problem.dt;
}

// sqrt(m v* . A v*) [N s] of an island: no less than the momentum of its free motion.
static double momentum_of(const limpet_step_work *work, const limpet_data *data,
                          const limpet_island *island) {
  const limpet_contact_problem *problem = &work->problem;
  double energy = 0.0;  // twice
  for (int i = 0; i < island->block_count; ++i) {
    const limpet_block *block = limpet_island_block(problem, island, i);
    for (int dof = block->dof; dof < block->dof + block->size; ++dof)
      energy += problem->momentum[dof] * problem->v_free[dof];
  }
  return sqrt(limpet_max(mass_of(work, data, island) * energy, 0.0));
}

// Impulse [N s, N m s] that takes the free motion along a row of that inertia from it.
static double free_load(const limpet_contact_problem *problem, const limpet_island *island,
                        const limpet_constraint_row *row, double inertia) {
  double speed = row->bias;
  for (int e = row->entry; e < row->entry + row->entry_count; ++e)
    speed += problem->entry_value[e] *
             problem->v_free[limpet_problem_global_dof(problem, island, problem->entry_dof[e])];
  return inertia * limpet_max(-speed, 0.0);
}

// Bound of a row that returns; alone: no contact of its island does. lift: 10 m g dt.
static double row_bound_of(const limpet_step_work *work, const limpet_data *data,
                           const limpet_island *island, const limpet_constraint_row *row,
                           bool alone, double lift) {
  const double speed = row_return(work, row), arm = row_arm(work, row, speed);
  const double inertia = row_inertia(work, row, row_share(work, row, speed));
  const double load = lift * arm + lift_share * free_load(&work->problem, island, row, inertia);
  if (!alone) return own_share * speed * inertia + load;
  if (is_far(work, row, arm)) return far_share * speed * inertia + load;
  return alone_share * speed * inertia + load + arm * momentum_of(work, data, island);
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
    if (lift < 0.0) lift = lift_share * weight_of(work, data, island);
    contact_bound[i] = own_share * speed / problem->constants[i].delassus + lift;
    ++count;
  }
  const bool alone = count == 0;
  for (int i = island->row; i < island->row + island->row_count; ++i) {
    const limpet_constraint_row *row = &problem->row[i];
    if (row_return(work, row) == 0.0) continue;
    if (lift < 0.0) lift = lift_share * weight_of(work, data, island);
    row_bound[i] = row_bound_of(work, data, island, row, alone, lift);
    ++count;
  }
  return count;
}

// (contacts of the problem)  whether links of one tree touch there; NULL: there is no memory.
static const bool *folded_contacts(limpet_step_work *work, const limpet_data *data) {
  if (work->folded) return work->folded;
  const limpet_model *model = data->model;
  bool *folded = LIMPET_TAKE_ZERO(work->arena, bool, work->problem.contact_count);
  work->folded = folded;
  for (int i = 0; folded && i < work->records.count; ++i) {
    const limpet_contact_record *record = &work->records.record[i];
    const limpet_geom_pair *geoms = &work->records.pair[record->pair].geoms;
    const int tree = model->body_tree[model->geom_body[geoms->geom_a]];
    if (record->contact < 0 || tree < 0) continue;
    folded[record->contact] = tree == model->body_tree[model->geom_body[geoms->geom_b]];
  }
  return folded;
}

// Impulse [N s] that takes a contact's own inertia to a share of its return speed, and to `lift`
// times the speed at which it falls in a step.
static double own_impulse(const limpet_step_work *work, const limpet_data *data,
                          const limpet_contact_constants *c, double share, double lift) {
  const double fall = limpet_vec3_norm(data->model->options.gravity) * work->problem.dt;
  return (share * contact_return(c) + lift * fall) / c->delassus;
}

// Impulse at rest of a weaker return [N s]; weight: of the island.
static double weak_impulse(limpet_step_work *work, const limpet_data *data, int contact,
                           double weight) {
  const limpet_contact_constants *c = &work->problem.constants[contact];
  const bool *folded = folded_contacts(work, data);
  if (folded && folded[contact]) return own_impulse(work, data, c, folded_share, folded_lift);
  return weak_share * contact_return(c) / c->delassus + weight;
}

// Impulse [N s] from which a contact that is at rest counts as jammed.
static double jammed_impulse(limpet_step_work *work, const limpet_data *data, int contact,
                             double weight) {
  const limpet_contact_constants *c = &work->problem.constants[contact];
  const bool *folded = folded_contacts(work, data);
  if (folded && folded[contact])
    return own_impulse(work, data, c, jam_share * folded_share, folded_load);
  return jam_share * weak_impulse(work, data, contact, weight);
}

// Normal impulse that a contact carried in the last step [N s].
static double carried_impulse(const limpet_contact_problem *problem, int contact) {
  if (!problem->carried) return 0.0;
  const double *normal = problem->contact_row + 18 * contact + 15;
  return problem->dt * limpet_vec3_dot(problem->carried + 3 * contact, normal);
}

// Whether an island has trees whose returns an earlier attempt of the step weakened.
static bool is_weak(const limpet_step_work *work, const limpet_data *data,
                    const limpet_island *island) {
  for (int i = 0; i < island->block_count; ++i) {
    const limpet_block *block = limpet_island_block(&work->problem, island, i);
    if (block->dof < data->model->nv && work->weak[block->dof]) return true;
  }
  return false;
}

static void mark_weak(limpet_step_work *work, const limpet_data *data,
                      const limpet_island *island) {
  for (int i = 0; i < island->block_count; ++i) {
    const limpet_block *block = limpet_island_block(&work->problem, island, i);
    if (block->dof < data->model->nv) work->weak[block->dof] = true;
  }
}

/* A weaker return of a row, of an island with that impulse of its weight; alone: no contact in it
 * is deep. Whether it returns. */
static bool weaken_row(const limpet_step_work *work, const limpet_island *island,
                       limpet_constraint_row *row, bool alone, double weight) {
  const double speed = row_return(work, row), ratio = work->settings.constraint_ratio;
  if (speed == 0.0) return false;
  const double share = row_share(work, row, speed), inertia = row_inertia(work, row, share),
               c = ratio * ratio / (4.0 * LIMPET_PI * LIMPET_PI);
  row->v_hat *= alone ? slower : weak_share * c;
  if (!alone) {
    row->R_inverse *= share;
    return true;
  }
  const double load =
      weight * row_arm(work, row, speed) + free_load(&work->problem, island, row, inertia);
  row->R_inverse = (weak_share * speed * inertia + load) / fabs(row->v_hat);
  return true;
}

// Weaker returns of all that comes back in an island. Returns how many there are.
static int weaken(limpet_step_work *work, const limpet_data *data, const limpet_island *island) {
  limpet_contact_problem *problem = &work->problem;
  const double beta = work->settings.near_rigid_ratio, weight = weight_of(work, data, island);
  const double near_rigid = 4.0 * LIMPET_PI * LIMPET_PI / (beta * beta);
  bool alone = true;
  int count = 0;
  for (int i = island->contact; i < island->contact + island->contact_count; ++i) {
    limpet_contact_constants *c = &problem->constants[i];
    const double speed = contact_return(c);
    if (speed == 0.0) continue;
    alone = alone && !is_deep(work, c);
    c->stiffness = limpet_min(c->stiffness, near_rigid / (c->dt * c->dt * c->delassus));
    const double rest =
        limpet_max(weak_impulse(work, data, i, weight), keeps_share * carried_impulse(problem, i));
    c->elastic_force = limpet_min(c->elastic_force, rest / c->dt);
    c->dissipation /= slower;
    ++count;
  }
  for (int i = island->row; i < island->row + island->row_count; ++i)
    count += weaken_row(work, island, &problem->row[i], alone, weight);
  mark_weak(work, data, island);
  return count;
}

/* Contacts with a stiffness of their own that start far inside: their dissipation bounds the speed
 * at which they come back, so there a stiffness makes them no faster, but ever harder to solve.
 * Returns how many are bounded. */
static int bound_stiff(const limpet_step_work *work, const limpet_data *data,
                       const limpet_island *island) {
  const limpet_contact_problem *problem = &work->problem;
  double lift = -1.0;  // not known yet
  int count = 0;
  for (int i = island->contact; i < island->contact + island->contact_count; ++i) {
    limpet_contact_constants *c = &problem->constants[i];
    const bool own = !c->near_rigid && !c->normal && !c->surface && !c->soft;
    if (!own || !(c->dissipation > 0.0) || !is_deep(work, c)) continue;
    if (lift < 0.0) lift = lift_share * weight_of(work, data, island);
    const double rest = limpet_max(stiff_share / (c->dissipation * c->delassus) + lift,
                                   stiff_load * carried_impulse(problem, i));
    if (!(c->elastic_force > rest / c->dt)) continue;
    c->elastic_force = rest / c->dt;
    ++count;
  }
  return count;
}

/* Whether what comes back counts as jammed in an island: it is pressed out, and does not come.
 * solution: of an attempt; NULL: what the last step left. */
static bool jams(limpet_step_work *work, const limpet_data *data, const limpet_island *island,
                 const limpet_contact_solution *solution) {
  const limpet_contact_problem *problem = &work->problem;
  double weight = -1.0;  // not known yet
  for (int i = island->contact; i < island->contact + island->contact_count; ++i) {
    const limpet_contact_constants *c = &problem->constants[i];
    const double speed = contact_return(c);
    const double moves = solution ? solution->velocity[3 * i + 2] : c->normal_speed;
    if (speed == 0.0 || !is_deep(work, c) || !(fabs(moves) < rests_share * speed)) continue;
    if (weight < 0.0) weight = weight_of(work, data, island);
    const double impulse = solution ? solution->gamma[3 * i + 2] : carried_impulse(problem, i);
    if (impulse > jammed_impulse(work, data, i, weight)) return true;
  }
  return false;
}

static bool limits_jammed(const limpet_step_work *work, const limpet_data *data,
                          const limpet_island *island) {
  for (int i = 0; i < island->block_count; ++i) {
    const limpet_block *block = limpet_island_block(&work->problem, island, i);
    if (block->dof < data->model->nv && data->tree_jammed[data->model->dof_tree[block->dof]] > 0.0)
      return true;
  }
  return false;
}

// Whether returns of an island went against each other in the last step.
static bool still_jams(limpet_step_work *work, const limpet_data *data,
                       const limpet_island *island) {
  // a step that looks again had none
  if (!work->settings.warm_start || work->spent.repeats > 0) return false;
  return limits_jammed(work, data, island) || jams(work, data, island, NULL);
}

// Whether a step tries strong returns in spite of a jam.
static bool tries_strong(const limpet_step_work *work, const limpet_data *data) {
  const double dt = work->problem.dt, every = limpet_max(try_time, TRY_STEPS * dt);
  return floor((data->time + dt) / every) > floor(data->time / every);
}

limpet_status limpet_step_bound_returns(limpet_step_work *work, const limpet_data *data) {
  limpet_contact_problem *problem = &work->problem;
  problem->return_bound = NULL;
  work->folded = NULL;
  if (work->settings.scheme->from_rest || !is_coupled(work->settings.contact_model))
    return LIMPET_OK;
  if (!work->weak) work->weak = LIMPET_TAKE_ZERO(work->arena, bool, data->model->nv);
  const limpet_arena_mark mark = limpet_arena_mark_now(work->arena);
  const int size = problem->contact_count + problem->row_count;
  double *bound = LIMPET_TAKE(work->arena, double, size);
  if (!work->weak || !bound) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < size; ++i) bound[i] = INFINITY;
  int count = 0;
  work->info.bounded_contacts = work->spent.restrained_returns = 0;
  for (int k = 0; k < problem->island_count; ++k) {
    const limpet_island *island = &problem->island[k];
    work->info.bounded_contacts += bound_stiff(work, data, island);
    if (is_weak(work, data, island) ||
        (still_jams(work, data, island) && !tries_strong(work, data)))
      work->spent.restrained_returns += weaken(work, data, island);
    else count += bound_island(work, data, island, bound, bound + problem->contact_count);
  }
  if (count > 0) problem->return_bound = bound;
  else limpet_arena_release(work->arena, mark), work->folded = NULL;
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
static bool is_too_strong(limpet_step_work *work, const limpet_data *data, int island,
                          const limpet_contact_solution *solution) {
  if (!solution) return true;
  const limpet_contact_problem *problem = &work->problem;
  const limpet_island *part = &problem->island[island];
  const bool solved = solution->outcome[island] < LIMPET_OUTCOME_ITERATION_LIMIT;
  if (presses_beyond(solved ? 1.0 : LIMPET_JAM_SHARE, problem, part, solution)) return true;
  // what was jammed has to come out
  return tries_strong(work, data) && still_jams(work, data, part) &&
         (!solved || jams(work, data, part, solution));
}

bool limpet_step_restrain(limpet_step_prepared *prepared, const limpet_step_result *result) {
  limpet_step_work *work = prepared->work;
  if (!work || !work->problem.return_bound || result->outcome >= LIMPET_OUTCOME_OUT_OF_MEMORY)
    return false;
  int count = 0;
  const limpet_contact_solution *solution = result->solution ? &result->solution->contact : NULL;
  for (int k = 0; k < work->problem.island_count; ++k) {
    const limpet_island *island = &work->problem.island[k];
    if (!is_weak(work, prepared->data, island) && is_too_strong(work, prepared->data, k, solution))
      count += weaken(work, prepared->data, island);
  }
  if (count == 0) return false;
  work->problem.return_bound = NULL;
  work->found = NULL, work->kept = NULL;
  work->spent = result->info;
  work->spent.restrained_returns += count;
  work->earlier_iterations = work->spent.iterations;
  ++work->spent.repeats;
  return true;
}

// The tree that a row begins at; -1: none.
static int row_tree(const limpet_contact_problem *problem, const limpet_island *island,
                    const limpet_constraint_row *row, const limpet_model *model) {
  const int dof = limpet_problem_global_dof(problem, island, problem->entry_dof[row->entry]);
  return dof < model->nv ? model->dof_tree[dof] : -1;
}

void limpet_step_keep_jams(const limpet_step_work *work, const limpet_data *data,
                           const limpet_step_solution *solution, double *jammed) {
  const limpet_contact_problem *problem = &solution->problem;
  const limpet_model *model = data->model;
  for (int b = 0; b < problem->block_count; ++b) {
    const limpet_block *block = &problem->block[b];
    if (block->dof < model->nv && !block->still) jammed[model->dof_tree[block->dof]] = 0.0;
  }
  if (!work->weak) return;
  for (int k = 0; k < problem->island_count; ++k) {
    const limpet_island *island = &problem->island[k];
    const bool weak = island->row_count > 0 && is_weak(work, data, island);
    for (int i = island->row; weak && i < island->row + island->row_count; ++i) {
      const limpet_constraint_row *row = &problem->row[i];
      const double rest = row->v_hat * row->R_inverse, p = solution->contact.row_gamma[i];
      const int tree = row_return(work, row) > 0.0 && p > jam_share * rest
                           ? row_tree(problem, island, row, model)
                           : -1;
      if (tree >= 0) jammed[tree] = 1.0;
    }
  }
}
