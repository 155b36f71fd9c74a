/* step/flight_motion.c: the velocities of all trees at the end of a step without contacts.
 *
 * A tree takes the step whole, or where its joints turn far in parts of equal length, each by the
 * midpoint rule (flight_part.c). What no part is short enough for takes the plain scheme, bounded
 * in what its motion may give. A body alone has a closed form: flight_body.c. */
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/extremes.h"
#include "math/pairs.h"
#include "model/workspace.h"
#include "step/flight_part.h"

// [-]  of the kinetic energy: the most that the bias may give in a step, where no part is short
// enough
static const double bounded_gain = 0.01;
enum { DIVISION_LIMIT = 64, WHIP_LIMIT = 1024 };

// The step in `count` parts: each starts where the last one ended, with its change of v carried on.
static bool fly_parts(limpet_flyer *f, int tree, int count, bool floats) {
  const limpet_model *model = f->model;
  limpet_free_motion *motion = f->motion;
  const int first = model->tree_dof[tree], n = model->tree_dof_count[tree];
  const int at = model->tree_mass[tree], q = model->joint_q[model->dof_joint[first]];
  const int next = first + n;
  const int q_end = next < model->nv ? model->joint_q[model->dof_joint[next]] : model->nq;
  limpet_flight_part p = {.tree = tree,
                          .h = f->settings->time_step / count,
                          .floats = floats,
                          .renews = true,
                          .share = 1.0};
  for (int k = 0; k < count; ++k) {
    p.middle = p.h * (k + 0.5);
    if (!limpet_flight_part_fly(f, &p)) return false;
    if (k + 1 == count) break;
    double *q1 = f->own, *v = f->own + model->nq;
    memcpy(q1 + q, motion->flight->q + q, (size_t)(q_end - q) * sizeof *q1);
    for (int d = first; d < next; ++d) {
      const double v1 = motion->v_free[d];
      f->middle->v[d] = v1 + 0.5 * (v1 - f->v[d]);
      v[d] = v1;
    }
    f->q = q1, f->v = v;
  }

  // one problem for the whole step, with M of the last part
  double *A = motion->A + at;
  limpet_flight_add_implicit(f, tree, 1.0, f->middle->mass_matrix + at, A);
  for (int i = 0; i < n; ++i)
    motion->momentum[first + i] = limpet_dot(n, A + i * n, motion->v_free + first);
  return true;
}

// Whether a tree that was held moves too little in h, at the velocity u of the middle world, to
// tell q_m from q0.
static bool is_still(const limpet_flyer *f, int tree, double h) {
  const int first = f->model->tree_dof[tree], end = first + f->model->tree_dof_count[tree];
  if (f->start->tree_held[tree] < LIMPET_FLIGHT_HELD_OUTSIDE) return false;
  for (int d = first; d < end; ++d)
    if (!(h * fabs(f->middle->v[d]) < LIMPET_FLIGHT_STILL_WAY)) return false;
  return true;
}

// At the start of the step.
static void go_back(limpet_flyer *f) { f->q = f->start->q, f->v = f->start->v; }

// The plain scheme: M and bias at the start of the step.
static bool fly_plain(limpet_flyer *f, int tree) {
  limpet_tree_mass_matrix(f->model, f->start, tree);
  limpet_tree_bias(f->model, f->start, tree);
  go_back(f);
  return limpet_flight_part_solve(f,
                                  &(limpet_flight_part){.tree = tree, .h = f->settings->time_step});
}

/* What turns too far in a step for parts to follow: the plain scheme, with no more of the bias c of
 * its motion than gives `bounded_gain` of the kinetic energy that there was,
 *   v1 = v_f - s w,  A w = h c:   -s h c . v_f + s^2 h c . w/2 <= gain v0' M v0/2
 * so that a step makes no motion from nowhere, which contacts would have to stop. */
static bool bound_motion(limpet_flyer *f, int tree) {
  const limpet_range dofs = limpet_tree_dofs(f->model, tree);
  const int n = dofs.end - dofs.first;
  limpet_flight_balance *balance = &f->motion->flight->balance[tree];
  const double *v0 = f->start->v + dofs.first, h = f->settings->time_step;
  const double *M = f->start->mass_matrix + f->model->tree_mass[tree];
  double *v1 = f->motion->v_free + dofs.first, *w = f->change, *c = f->own, kinetic = 0.0;
  balance->share = 0.0;
  balance->bounded = true;
  if (!fly_plain(f, tree)) return false;
  limpet_flight_motion_bias(f, tree, f->start, c);
  for (int i = 0; i < n; ++i) {
    w[i] = h * c[i];
    kinetic += 0.5 * v0[i] * limpet_dot(n, M + i * n, v0);
  }
  limpet_positive_again(n, balance->factor, w);
  const double own = h * limpet_dot(n, c, w), all = h * limpet_dot(n, c, v1) + own;
  if (0.5 * own - all <= bounded_gain * kinetic) return true;
  const double s = (all + sqrt(all * all + 2.0 * own * bounded_gain * kinetic)) / own;
  for (int i = 0; i < n; ++i) {
    v1[i] += (1.0 - s) * w[i];
    f->motion->momentum[dofs.first + i] += (1.0 - s) * h * c[i];
  }
  return true;
}

// Joints then move by v1: what parts that went astray took for the mean is none.
static bool fly_bounded(limpet_flyer *f, int tree) {
  const limpet_range dofs = limpet_tree_dofs(f->model, tree);
  if (!bound_motion(f, tree)) return false;
  limpet_pairs_copy(dofs.end - dofs.first, f->motion->flight->mean + dofs.first,
                    f->motion->v_free + dofs.first);
  return true;
}

bool limpet_flight_closes_loop(const limpet_model *model, int tree) {
  for (int i = 0; i < 2 * model->loop_count; ++i)
    if (model->body_tree[model->loop_body[i]] == tree) return true;
  return false;
}

static bool loop_holds(const limpet_flyer *f, int tree) {
  return f->start->tree_held[tree] > 0.0 && limpet_flight_closes_loop(f->model, tree);
}

/* In how many parts a tree takes the step. One, where a loop held it: parts know no impulses, and
 * would lead light links of the loop far from where it leaves them. */
static int division(const limpet_flyer *f, int tree) {
  const limpet_model *model = f->model;
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  const double *v = f->start->v, dt = f->settings->time_step;
  const limpet_workspace *workspace = f->start->workspace;
  double parts = workspace->keeps_parts ? workspace->turn_parts[2 * tree] : 1.0;
  if (!limpet_flight_is_slow(v, dofs, LIMPET_FLIGHT_LARGEST_TURN / dt))
    parts = limpet_max(
        parts, ceil(dt * limpet_flight_fastest(model, v, dofs) / LIMPET_FLIGHT_LARGEST_TURN));
  if (!(parts > 1.0) || f->motion->flight->balance[tree].share < 1.0 || loop_holds(f, tree))
    return 1;
  return parts < DIVISION_LIMIT ? (int)parts : DIVISION_LIMIT;
}

static bool fly_divided(limpet_flyer *f, int tree, int count) {
  const limpet_data *data = f->start;
  const double dt = f->settings->time_step, held = data->tree_held[tree];
  const limpet_range dofs = limpet_tree_dofs(f->model, tree);
  const double share = count > 1 ? 1.0 : f->motion->flight->balance[tree].share;
  limpet_pairs_addmul(dofs.end - dofs.first, f->middle->v + dofs.first, data->v + dofs.first,
                      0.5 * share / count, data->warm_start + dofs.first);
  const bool floats = f->motion->flight->balance[tree].kept && held < LIMPET_FLIGHT_HELD_OUTSIDE,
             stays = count == 1 && is_still(f, tree, dt);
  f->motion->flight->balance[tree].stays = stays;
  if (count > 1) return fly_parts(f, tree, count, floats);
  return limpet_flight_part_fly(f, &(limpet_flight_part){.tree = tree,
                                                         .h = dt,
                                                         .middle = 0.5 * dt,
                                                         .floats = floats,
                                                         .renews = held == 0.0,
                                                         .stays = stays,
                                                         .share = share});
}

// Whether a joint turns so far that no row knows where the step leads.
static bool turns_far(const limpet_flyer *f, int tree) {
  const limpet_range dofs = limpet_tree_dofs(f->model, tree);
  return f->settings->time_step * limpet_flight_fastest(f->model, f->start->v, dofs) >
         LIMPET_FLIGHT_FAR_TURN;
}

/* A tree that a loop holds is given what its motion makes, for the loop takes it back; but not
 * where it turns far, where contacts may meet it before. */
static bool fly(limpet_flyer *f, int tree) {
  const limpet_model *model = f->model;
  limpet_data *data = f->start;
  const double dt = f->settings->time_step;
  if (limpet_flight_alone(f->motion->flight, tree))
    return limpet_flight_body_fly(model, data, tree, dt, f->motion);
  // a light link that whips may double its speed in no time: shorter parts follow it
  for (int count = division(f, tree);; count *= 4) {
    f->astray = false;
    go_back(f);
    const bool flew = fly_divided(f, tree, count);
    f->motion->flight->branch[tree] = count * LIMPET_FLIGHT_RULES;
    if (!data->workspace->keeps_parts && !data->workspace->holds_rules)
      data->workspace->turn_parts[2 * tree] = count;
    if (flew && !f->astray) return true;
    if (loop_holds(f, tree) && !(flew && turns_far(f, tree))) return flew;
    if (count > WHIP_LIMIT / 4 || (count == 1 && data->tree_held[tree] > 0.0))
      return fly_bounded(f, tree);
  }
}

static limpet_status take_flyer(limpet_flyer *f, limpet_arena *arena) {
  const limpet_model *model = f->model;
  f->change = LIMPET_TAKE(arena, double, 2 * model->nv + model->nq);
  f->own = f->change + model->nv;
  return f->change ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

limpet_outcome limpet_flight_motion(const limpet_model *model, limpet_data *data,
                                    const limpet_step_settings *settings, limpet_trees trees,
                                    limpet_arena *arena, limpet_free_motion *motion) {
  if (limpet_free_motion_forces(model, data, trees, settings->time_step, NULL, arena, motion) ||
      limpet_flight_open(data, settings, arena, motion))
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  limpet_flyer f;
  f.model = model, f.settings = settings, f.motion = motion;
  f.start = data, f.middle = &motion->flight->other;
  if (take_flyer(&f, arena)) return LIMPET_OUTCOME_OUT_OF_MEMORY;

  for (int i = 0; i < trees.count; ++i) {
    const int t = limpet_trees_at(trees, i);
    limpet_flight_balance *balance = &motion->flight->balance[t];
    limpet_flight_begin_rules(data, t);
    limpet_flight_balance_make(model, data, t, motion->force, balance);
    balance->error = 0.0;
    balance->bounded = false;
    const bool alone = limpet_flight_alone(motion->flight, t);
    motion->flight->centred[t] = alone && balance->start.mass > 0.0;
    const size_t room = limpet_positive_work(model->tree_dof_count[t]);
    balance->factor = alone ? NULL : LIMPET_TAKE(arena, double, room);
    if (!alone && !balance->factor) return LIMPET_OUTCOME_OUT_OF_MEMORY;
    if (balance->share == 0.0 && !fly_plain(&f, t)) limpet_free_motion_fail(model, t, motion);
  }
  if (limpet_flight_look_ahead(data, trees, settings->time_step, arena, motion->flight) ||
      limpet_flight_take_worlds(data, arena, motion))
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  for (int i = 0; i < trees.count; ++i) {
    const int t = limpet_trees_at(trees, i);
    if (motion->flight->balance[t].share > 0.0 && !fly(&f, t))
      limpet_free_motion_fail(model, t, motion);
  }
  data->workspace->marks |= LIMPET_MARK_MASS;
  return LIMPET_OUTCOME_SOLVED;
}
