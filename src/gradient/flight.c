/* gradient/flight.c: derivatives of the end of a step in which trees fly.
 *
 *   (q1, v1) = end(state, inputs; v),   v: the velocity that was solved for
 *   D(e) = [end(x + e; v + e dv) - end(x - e; v - e dv)]/(2 e),   dv from the residual
 *   d(q1, v1) = [4 D(e) - D(2 e)]/3 = F(e),   or [16 F(e) - F(2 e)]/15 where D(2 e) is far from it
 * e: twenty times settings.difference, relative for controls: the fixed point of free flight is met
 * to 1e-12 rad (flight_part.c), which over 1e-6 would be 1e-7 of a derivative. D alone is not
 * enough: what a bound of energy takes back, and fast links at a limit, bend over 1e-3 rad; where
 * they bend over less, e is halved up to three times. For velocities e is at least what moves a
 * pose by 1e-7 rad in the step, for round-off of poses is 1e-16. For forces, on which the end
 * depends smoothly, D at what moves one by ten times settings.difference, whatever the masses are;
 * D, too, where a control has no room for 2 e. For controls at least what moves one by a tenth of
 * that. A joint that a limit holds counts as if it were free, for its free motion knows of no
 * limit. Cost: four free motions and ends for each column, ten at most. */
#include "gradient/flight.h"

#include <math.h>
#include <string.h>

#include "gradient/flight_ends.h"
#include "gradient/flight_loops.h"
#include "math/dense.h"
#include "math/vec3.h"
#include "step/flight.h"

// [-]  of the largest impulse on a tree: flight_end.c
static const double round_off = 1e-12;
static const double wider = 20.0;  // [-]  e over settings.difference
// [-]  way of a pose in the step, over settings.difference, that e of a force and a velocity makes
static const double force_way = 10.0, velocity_way = 2.0;
/* [-]  of the largest slope of a velocity: D(2 e) - D(e) from which on e is halved, for the slope
 * of fourth order is off by half the square of it; and until two of those agree to the other */
static const double bent = 3e-5, agreed = 1e-6;
enum { HALVINGS = 3 };

// The closed form of the end of a tree; false: there is none.
static limpet_status find_end(limpet_gradient_workspace *w, const limpet_data *data, int tree,
                              bool *known) {
  const limpet_ending ending = {.residual = &w->residual,
                                .columns = &w->columns,
                                .integration = &w->integration,
                                .first_order = w->settings.compatibility.first_order_rotation,
                                .start = w->world,
                                .end = data};
  const limpet_solved_step *solved = w->residual.solved;
  *known = false;
  if (!w->residual.smooth || w->wanted.differences) return LIMPET_OK;
  if (limpet_flight_is_bounded(solved->motion.flight, tree)) return LIMPET_OK;
  if (limpet_flight_alone(solved->motion.flight, tree)) {
    *known = limpet_body_end_make(solved, w->world, data, tree, &w->end[w->end_count]);
    w->end_count += *known;
    return LIMPET_OK;
  }
  if (!limpet_flight_was_held(data, tree)) {
    const limpet_status made =
        limpet_tree_free_end_make(&ending, tree, &w->arena, &w->free_end[w->free_end_count], known);
    w->free_end_count += *known;
    return made;
  }
  const bool flew = w->world->tree_held[tree] < LIMPET_FLIGHT_HELD_OUTSIDE;
  if (flew && !(w->columns.flight && w->columns.flight[tree].made)) return LIMPET_OK;
  const limpet_status status =
      limpet_tree_end_make(&ending, tree, &w->arena, &w->tree_end[w->tree_end_count], known);
  w->tree_end_count += *known;
  return status;
}

limpet_status limpet_gradient_endings(limpet_gradient_workspace *w, const limpet_data *data) {
  const limpet_solved_step *solved = w->residual.solved;
  const limpet_flight *flight = solved->motion.flight;
  const limpet_model *model = data->model;
  w->flies = false;
  w->end_count = w->tree_end_count = w->free_end_count = 0;
  if (!flight) return LIMPET_OK;
  w->end = LIMPET_TAKE(&w->arena, limpet_body_end, model->tree_count);
  w->tree_end = LIMPET_TAKE(&w->arena, limpet_tree_end, model->tree_count);
  w->free_end = LIMPET_TAKE(&w->arena, limpet_tree_free_end, model->tree_count);
  if (!w->end || !w->tree_end || !w->free_end) return LIMPET_ERROR_MEMORY;
  for (int t = 0; t < model->tree_count; ++t) {
    if (!limpet_flight_ends(solved, data, t)) continue;
    bool known;
    if (find_end(w, data, t, &known)) return LIMPET_ERROR_MEMORY;
    w->flies = w->flies || !known;
  }
  return LIMPET_OK;
}

// Where the world of the differences was.
typedef struct place {
  double *q, *v, *force, *control, *change;
} place;

static double *kept(limpet_arena *arena, const double *from, int count) {
  double *to = LIMPET_TAKE(arena, double, count);
  if (to) memcpy(to, from, (size_t)count * sizeof *to);
  return to;
}

static void move_back(const limpet_model *model, const place *p, limpet_data *world) {
  memcpy(world->q, p->q, (size_t)model->nq * sizeof *p->q);
  memcpy(world->v, p->v, (size_t)model->nv * sizeof *p->v);
  memcpy(world->applied_force, p->force, (size_t)model->nv * sizeof *p->force);
  memcpy(world->control, p->control, (size_t)model->nu * sizeof *p->control);
  memcpy(world->warm_start, p->change, (size_t)model->nv * sizeof *p->change);
}

// Moves the world along the column; `unit` (nv): zeros.
static void move(limpet_data *world, const place *p, limpet_gradient_group group, int column,
                 double by, double *unit) {
  const limpet_model *model = world->model;
  move_back(model, p, world);
  switch (group) {
    case LIMPET_GRADIENT_Q:
      unit[column] = by;
      limpet_integrate_position(model, world->q, p->q, unit, 1.0, false);
      unit[column] = 0.0;
      return;
    case LIMPET_GRADIENT_V: world->v[column] += by; return;
    case LIMPET_GRADIENT_FORCE: world->applied_force[column] += by; return;
    case LIMPET_GRADIENT_CONTROL: world->control[column] += by; return;
    case LIMPET_GRADIENT_CHANGE: world->warm_start[column] += by; return;
    default: return;
  }
}

/* The largest change of a velocity by a unit of an input, held or not: what a limit or dry friction
 * holds answers with round-off, but its free motion does not. dv as in width_of. */
static double answer_of(const limpet_gradient_workspace *w, limpet_gradient_group group, int column,
                        const double *dv) {
  const double *columns = group == LIMPET_GRADIENT_FORCE ? w->columns.force : w->columns.control;
  double most = columns ? limpet_free_answer(&w->residual,
                                             columns + (size_t)column * (size_t)w->residual.size)
                        : 0.0;
  for (int i = 0; i < w->model->nv; ++i) most = fmax(most, fabs(dv[i]));
  return most;
}

// dv (nv): change of what was solved for by a unit of the column.
static double width_of(const limpet_gradient_workspace *w, limpet_gradient_group group, int column,
                       const place *p, const double *dv) {
  const double e = w->wanted.difference, h = w->settings.time_step;
  switch (group) {
    case LIMPET_GRADIENT_FORCE: {
      const double most = answer_of(w, group, column, dv);
      return most > 0.0 ? force_way * e / (h * most) : LIMPET_FORCE_DIFFERENCE * e;
    }
    case LIMPET_GRADIENT_CHANGE:
    case LIMPET_GRADIENT_V: return fmax(wider * e, velocity_way * e / h);
    case LIMPET_GRADIENT_CONTROL: {
      const double own = wider * e * fmax(1.0, fabs(p->control[column])),
                   most = answer_of(w, group, column, dv);
      return most > 0.0 ? fmax(own, velocity_way * e / (h * most)) : own;
    }
    default: return wider * e;
  }
}

// A v - A v* of a tree.
static void balance_of(const limpet_model *model, const limpet_free_motion *motion, int tree,
                       const double *v, double *impulse) {
  const int first = model->tree_dof[tree], n = model->tree_dof_count[tree];
  const double *A = motion->A + model->tree_mass[tree];
  for (int i = 0; i < n; ++i)
    impulse[first + i] = limpet_dot(n, A + i * n, v + first) - motion->momentum[first + i];
}

/* Impulses that go with the velocity v where the motion without them is another one: those of the
 * step and how A v - A v* changes. Impulses on a first joint that are round-off stay so. */
static bool move_impulses(limpet_gradient_workspace *w, const limpet_free_motion *motion,
                          const double *v, const double **impulse) {
  const limpet_model *model = w->model;
  const limpet_solved_step *solved = w->residual.solved;
  const double *own = solved->solution.impulse;
  double *moved = LIMPET_TAKE(&w->arena, double, 3 * model->nv), *now = moved + model->nv,
         *then = now + model->nv;
  if (!moved) return false;
  memcpy(moved, own, (size_t)model->nv * sizeof *moved);
  for (int t = 0; t < model->tree_count; ++t) {
    const int first = model->tree_dof[t], end = first + model->tree_dof_count[t];
    double most = 0.0;
    for (int d = first; d < end; ++d) most = fmax(most, fabs(own[d]));
    if (most == 0.0) continue;
    balance_of(model, motion, t, v, now);
    balance_of(model, &solved->motion, t, solved->solution.v, then);
    for (int d = first; d < end; ++d)
      if (fabs(own[d]) > round_off * most) moved[d] += now[d] - then[d];
  }
  *impulse = moved;
  return true;
}

// The solution with the velocity v + by dv.
typedef struct solution_change {
  const double *dv;
  const double *loops;  // (rows)  how their impulses change; NULL: it does not matter
  double by;
} solution_change;

// The end of the step from a world as it is. solution: receives it.
static limpet_status end_of(limpet_gradient_workspace *w, limpet_data *world,
                            const limpet_step_settings *settings, const solution_change *change,
                            limpet_step_solution *solution, bool *switches) {
  const limpet_model *model = world->model;
  const limpet_contact_solution *solved = &w->residual.solved->solution;
  limpet_free_motion motion;
  limpet_step_info info = {0};
  limpet_kinematics(model, world);
  limpet_velocity_kinematics(model, world);
  if (settings->scheme->free_motion(model, world, settings, limpet_trees_all(model), &w->arena,
                                    &motion) != LIMPET_OUTCOME_SOLVED)
    return LIMPET_ERROR_MEMORY;
  if (limpet_flight_centre_like(model, world, settings->time_step, &w->residual.solved->motion,
                                &w->arena, &motion))
    return LIMPET_ERROR_MEMORY;
  solution->problem = w->residual.solved->problem;
  solution->contact.row_gamma = solved->row_gamma;
  solution->contact.held = solved->held;
  solution->contact.v = LIMPET_TAKE(&w->arena, double, model->nv);
  if (!solution->contact.v) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < model->nv; ++i)
    solution->contact.v[i] = solution->v[i] = solved->v[i] + change->by * change->dv[i];
  const double *impulse;
  if (!move_impulses(w, &motion, solution->v, &impulse)) return LIMPET_ERROR_MEMORY;
  if (change->loops &&
      limpet_flight_loops_move(w, world, settings, &motion, change->loops, change->by, solution))
    return LIMPET_ERROR_MEMORY;
  solution->contact.impulse = (double *)impulse;
  const limpet_status status =
      limpet_flight_end(world, settings, &w->arena, &motion, solution, &info);
  const int *branch = w->residual.solved->motion.flight->branch;
  for (int t = 0; t < model->tree_count; ++t)
    *switches = *switches || motion.flight->branch[t] != branch[t];
  return status;
}

static bool take_side(limpet_gradient_workspace *w, limpet_step_solution *side) {
  *side = (limpet_step_solution){.v = LIMPET_TAKE(&w->arena, double, w->model->nv),
                                 .q = LIMPET_TAKE(&w->arena, double, w->model->nq),
                                 .held = LIMPET_TAKE(&w->arena, double, w->model->tree_count)};
  return side->v && side->q && side->held;
}

// A column of the end of the step: where it is moved from, and room for two ends.
typedef struct flight_column {
  limpet_gradient_workspace *w;
  limpet_gradient_group group;
  int column;
  place at;
  double *unit;      // (nv)  zeros
  const double *dv;  // (nv)  of what was solved for
  double *loops;     // (rows)  of impulses of loops; NULL: they do not matter
  double *moved;     // (nv)
  bool *switches;
  limpet_step_solution side[2];
} flight_column;

static bool take_column(flight_column *c, const double *velocity) {
  limpet_arena *arena = &c->w->arena;
  const limpet_data *world = c->w->world;
  const limpet_model *model = c->w->model;
  c->at =
      (place){kept(arena, world->q, model->nq), kept(arena, world->v, model->nv),
              kept(arena, world->applied_force, model->nv), kept(arena, world->control, model->nu),
              kept(arena, world->warm_start, model->nv)};
  c->unit = LIMPET_TAKE_ZERO(arena, double, model->nv);
  c->dv = kept(arena, velocity, model->nv);
  c->moved = LIMPET_TAKE(arena, double, model->nv);
  const bool loops = limpet_flight_loops_count(c->w);
  const int rows = c->w->residual.solved->problem.row_count;
  c->loops = loops ? LIMPET_TAKE_ZERO(arena, double, rows) : NULL;
  return c->at.q && c->at.v && c->at.force && c->at.control && c->at.change && c->unit && c->dv &&
         c->moved && (c->loops || !loops) && take_side(c->w, &c->side[0]) &&
         take_side(c->w, &c->side[1]);
}

/* Fills c->loops by a difference of fourth order of the width E, at the places where the residual
 * was taken (column_differences.h): the velocity has the round-off of near-rigid loops there, which
 * cancels. */
static limpet_status find_loops(flight_column *c, double E) {
  static const double at[4] = {-2.0, -1.0, 1.0, 2.0},
                      weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
  limpet_gradient_workspace *w = c->w;
  limpet_status status = LIMPET_OK;
  for (int k = 0; k < 4 && c->loops && status == LIMPET_OK; ++k) {
    move(w->world, &c->at, c->group, c->column, at[k] * E, c->unit);
    status = limpet_flight_loops_add(w, w->world, &w->settings, c->dv, at[k] * E, weight[k] / E,
                                     c->loops);
  }
  return status;
}

// Slopes between two places of the column, of positions and of velocities: to (2 nv).
static limpet_status slopes_of(flight_column *c, const double by[2], double *to) {
  limpet_gradient_workspace *w = c->w;
  const int nv = w->model->nv;
  limpet_status status = LIMPET_OK;
  memset(to, 0, 2 * (size_t)nv * sizeof *to);
  if (!(by[1] > by[0])) return LIMPET_OK;
  for (int i = 0; i < 2 && status == LIMPET_OK; ++i) {
    const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
    move(w->world, &c->at, c->group, c->column, by[i], c->unit);
    status = end_of(w, w->world, &w->settings, &(solution_change){c->dv, c->loops, by[i]},
                    &c->side[i], c->switches);
    limpet_arena_release(&w->arena, mark);
  }
  if (status != LIMPET_OK) return status;
  limpet_difference_position(w->model, c->moved, c->side[0].q, c->side[1].q);
  for (int i = 0; i < nv; ++i) {
    to[i] = c->moved[i] / (by[1] - by[0]);
    to[nv + i] = (c->side[1].v[i] - c->side[0].v[i]) / (by[1] - by[0]);
  }
  return LIMPET_OK;
}

// [-]  The largest difference of the velocities of two slopes (2 nv), of the largest one.
static double apart(int nv, const double *a, const double *b) {
  double most = 0.0, size = 0.0;
  for (int i = nv; i < 2 * nv; ++i) {
    most = fmax(most, fabs(a[i] - b[i]));
    size = fmax(size, fabs(a[i]));
  }
  return size > 0.0 ? most / size : 0.0;
}

// to = fine + (fine - coarse)/divisor
static void extrapolate(int nv, const double *fine, const double *coarse, double divisor,
                        double *to) {
  for (int i = 0; i < 2 * nv; ++i) to[i] = fine[i] + (fine[i] - coarse[i]) / divisor;
}

/* Halves e until slopes of fourth order agree, and makes one of sixth order of the last two. near:
 * D(e), fourth: that of D(e) and D(2 e), which it takes the place of. */
static limpet_status refine(flight_column *c, double e, double *near, double *fourth) {
  const int nv = c->w->model->nv;
  double *half = LIMPET_TAKE(&c->w->arena, double, 4 * nv), *finer = half + 2 * nv;
  if (!half) return LIMPET_ERROR_MEMORY;
  for (int k = 0; k < HALVINGS; ++k) {
    e *= 0.5;
    const limpet_status status = slopes_of(c, (const double[2]){-e, e}, half);
    if (status != LIMPET_OK) return status;
    extrapolate(nv, half, near, 3.0, finer);
    const double missed = apart(nv, finer, fourth);
    if (missed <= agreed || k + 1 == HALVINGS) extrapolate(nv, finer, fourth, 15.0, fourth);
    else memcpy(fourth, finer, 2 * (size_t)nv * sizeof *fourth);
    if (missed <= agreed) break;
    memcpy(near, half, 2 * (size_t)nv * sizeof *near);
  }
  return LIMPET_OK;
}

// Controls stay in their range: by. Whether there is room for a difference of the width `width`.
static bool room_of(const flight_column *c, double width, double by[2]) {
  const limpet_model *model = c->w->model;
  by[0] = -width, by[1] = width;
  if (c->group != LIMPET_GRADIENT_CONTROL || !model->actuator_control_limited[c->column])
    return true;
  const double *allowed = model->actuator_control_range + 2 * c->column,
               control = c->at.control[c->column];
  by[0] = fmax(by[0], allowed[0] - control), by[1] = fmin(by[1], allowed[1] - control);
  return by[0] == -width && by[1] == width;
}

limpet_status limpet_flight_column(limpet_gradient_workspace *w, limpet_gradient_group group,
                                   int column, double *velocity, double *shift, bool *switches) {
  const int nv = w->model->nv;
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  flight_column c = {.w = w, .group = group, .column = column, .switches = switches};
  double near[2], far[2], *slope = LIMPET_TAKE(&w->arena, double, 4 * nv), *wide = slope + 2 * nv;
  if (!slope || !take_column(&c, velocity)) return LIMPET_ERROR_MEMORY;
  const double width = width_of(w, group, column, &c.at, c.dv);
  room_of(&c, width, near);
  const bool both = room_of(&c, 2.0 * width, far) && group != LIMPET_GRADIENT_FORCE;
  *switches = false;
  limpet_status status = find_loops(&c, width);
  if (status == LIMPET_OK) status = slopes_of(&c, near, slope);
  if (both && status == LIMPET_OK) status = slopes_of(&c, far, wide);
  if (both && status == LIMPET_OK) {
    const bool bends = apart(nv, slope, wide) > bent;
    extrapolate(nv, slope, wide, 3.0, wide);
    if (bends) status = refine(&c, width, slope, wide);
    slope = wide;
  }
  memcpy(shift, slope, (size_t)nv * sizeof *shift);
  memcpy(velocity, slope + nv, (size_t)nv * sizeof *velocity);
  move_back(w->model, &c.at, w->world);
  limpet_arena_release(&w->arena, mark);
  return status;
}

limpet_status limpet_flight_parameter(limpet_gradient_workspace *w, const limpet_varied *one,
                                      const limpet_step_settings *settings, double *velocity,
                                      double *shift, bool *switches) {
  const limpet_model *model = w->model;
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  const limpet_stencil *stencil = one->stencil;
  double *dv = kept(&w->arena, velocity, model->nv),
         *moved = LIMPET_TAKE(&w->arena, double, model->nv),
         *still = LIMPET_TAKE(&w->arena, double, model->nv);
  limpet_step_solution rest, side;
  if (!dv || !moved || !still || !take_side(w, &rest) || !take_side(w, &side))
    return LIMPET_ERROR_MEMORY;
  const bool loops = limpet_flight_loops_count(w);
  double *slope =
      loops ? LIMPET_TAKE_ZERO(&w->arena, double, w->residual.solved->problem.row_count) : NULL;
  if (loops && !slope) return LIMPET_ERROR_MEMORY;
  *switches = false;
  limpet_status status = LIMPET_OK;
  for (int k = 0; k < LIMPET_STENCIL && loops && status == LIMPET_OK; ++k)
    status =
        limpet_flight_loops_add(w, one->world[k], &settings[k], dv, stencil->place[k] * one->width,
                                stencil->weight[k] / one->width, slope);
  if (status == LIMPET_OK)
    status = end_of(w, w->world, &w->settings, &(solution_change){dv, slope, 0.0}, &rest, switches);
  memset(shift, 0, (size_t)model->nv * sizeof *shift);
  memset(velocity, 0, (size_t)model->nv * sizeof *velocity);

  // changes from the step itself: the weights of a stencil add up to zero; between equal turns a
  // difference has round-off
  limpet_difference_position(model, still, rest.q, rest.q);
  for (int k = 0; k < LIMPET_STENCIL && status == LIMPET_OK; ++k) {
    const double share = stencil->weight[k] / one->width;
    const solution_change change = {dv, slope, stencil->place[k] * one->width};
    status = end_of(w, one->world[k], &settings[k], &change, &side, switches);
    limpet_difference_position(model, moved, rest.q, side.q);
    for (int i = 0; i < model->nv; ++i) {
      shift[i] += share * (moved[i] - still[i]);
      velocity[i] += share * (side.v[i] - rest.v[i]);
    }
  }
  limpet_arena_release(&w->arena, mark);
  return status;
}
