// gradient/column_differences.c: see column_differences.h.
#include "gradient/column_differences.h"

#include <math.h>
#include <string.h>

#include "gradient/soft_arms.h"
#include "math/dense.h"

// E over e: see the header. Points of deformable bodies change their features often: near.
static const double smooth_width = LIMPET_SMOOTH_DIFFERENCE, soft_width = 2.0;
static const double widest = 0.01;  // [m/s, rad/s]  of velocities
// [-]  of a width within which a slope jumps: edges of geoms that start to touch are often near
static const double nearer = 1.0 / 16.0;
/* [-]  what a jump of the slope does to velocities, over what the column does to them; and, of
 * columns of the state of compliant contact, over what the largest one does, velocities that lead
 * vertices of sets back included: they are as exact as that */
static const double kink_share = 5e-7, exact = 1e-8;
// [-]  of the width at which an input moves a pose by e in the step: others are near enough
static const double narrow = 0.25, wide = 100.0;
static const double round_off = 1e-14;   // [-]  of the momentum, in a difference of r
static const double kink_floor = 1e-13;  // [-]  of the momentum: round-off of the terms of r

void limpet_move_pose(const limpet_mover *m, int dof, double by) {
  m->unit[dof] = by;
  limpet_integrate_position(m->probe->model, m->moved, m->base, m->unit, 1.0, false);
  m->unit[dof] = 0.0;
}

void limpet_move_number(const limpet_mover *m, int index, double by) {
  m->moved[index] = m->base[index] + by;
}

// Change of the residual per unit from `lower` to `upper`; `other` (size) is a workspace.
static limpet_residual_outcome difference(const limpet_mover *m, int index, double lower,
                                          double upper, limpet_arena *arena, double *column,
                                          double *other) {
  const int size = m->probe->residual->size;
  memset(column, 0, (size_t)size * sizeof *column);
  if (!(upper > lower)) return LIMPET_RESIDUAL_DONE;
  m->move(m, index, upper);
  limpet_residual_outcome outcome = limpet_probe_evaluate(m->probe, arena, column);
  m->move(m, index, lower);
  if (outcome == LIMPET_RESIDUAL_DONE) outcome = limpet_probe_evaluate(m->probe, arena, other);
  for (int i = 0; outcome == LIMPET_RESIDUAL_DONE && i < size; ++i)
    column[i] = (column[i] - other[i]) / (upper - lower);
  m->move(m, index, 0.0);
  return outcome;
}

// The largest sum of the terms of one entry of r [kg m/s, kg m^2/s], of a programme.
static double programme_size(const limpet_active_rows *rows) {
  const limpet_qp_problem *qp = rows->derivative.problem;
  const double *x = rows->solution.x, *lambda = rows->solution.multipliers;
  const int total = limpet_qp_row_total(qp);
  double size = 0.0;
  for (int i = 0; i < qp->n; ++i) {
    double sum = fabs(qp->c[i]);
    for (int j = 0; j < qp->n; ++j)
      sum += fabs(qp->Q[(size_t)i * (size_t)qp->n + (size_t)j] * x[j]);
    for (int k = 0; k < total; ++k)
      sum += fabs(qp->G[(size_t)k * (size_t)qp->n + (size_t)i] * lambda[k]);
    size = fmax(size, sum);
  }
  return size;
}

// The largest entry of A v*, and of rigid contact of all terms [kg m/s, kg m^2/s].
static double momentum_size(const limpet_residual *residual) {
  const limpet_contact_problem *problem = &residual->solved->problem;
  double size = 0.0;
  for (int i = 0; i < problem->nv; ++i) size = fmax(size, fabs(problem->momentum[i]));
  for (int i = 0; residual->rows && i < problem->island_count; ++i)
    size = fmax(size, programme_size(&residual->rows[i]));
  return size;
}

/* Places of a difference of fourth order, in widths, and their shares of the slope and of its jump,
 * J(E) = [r(+E) - 2 r(0) + r(-E)]/E: 2 J(E) - J(2 E), zero to third order where r is smooth. */
enum { PLACES = 4 };
static const double place[PLACES] = {-2.0, -1.0, 1.0, 2.0},
                    weight[PLACES] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0},
                    bend[PLACES] = {-0.5, 2.0, 2.0, -0.5};

// The largest change of a velocity by a change of the residual. dv (nv): work.
static double effect_of(const limpet_residual *residual, const double *change, double *dv) {
  double most = 0.0;
  limpet_residual_forward(residual, change, -1, dv);
  for (int i = 0; i < residual->model->nv; ++i) most = fmax(most, fabs(dv[i]));
  return most;
}

// What a jump of the slope within a difference over E does to velocities; round-off: 0.
static double effect_of_jump(const limpet_residual *residual, const double *jump, double E,
                             double *dv) {
  double worst = 0.0;
  for (int i = 0; i < residual->size; ++i) worst = fmax(worst, fabs(jump[i]));
  return worst > kink_floor * momentum_size(residual) / E ? effect_of(residual, jump, dv) : 0.0;
}

bool limpet_slope_jumps(const limpet_residual *residual, const double *column, const double *jump,
                        double E, double *dv) {
  const double size = effect_of_jump(residual, jump, E, dv);
  return size > 0.0 && size > kink_share * effect_of(residual, column, dv);
}

static double *column_of(const limpet_column_series *s, int index) {
  return s->columns + (size_t)index * (size_t)s->mover->probe->residual->size;
}

/* Change of the residual per unit from points a width E apart. rest (size): the residual where
 * nothing moves; what stays as it is has no change at all. other + size
 * becomes what the slope jumps by within them. */
static limpet_residual_outcome smooth_difference(const limpet_column_series *of, int index,
                                                 double E, const double *rest) {
  const limpet_mover *m = of->mover;
  const int size = m->probe->residual->size;
  double *column = column_of(of, index), *other = of->other, *jump = other + size;
  memset(column, 0, (size_t)size * sizeof *column);
  memset(jump, 0, (size_t)size * sizeof *jump);
  limpet_residual_outcome outcome = LIMPET_RESIDUAL_DONE;
  for (int k = 0; k < PLACES && outcome == LIMPET_RESIDUAL_DONE; ++k) {
    m->move(m, index, place[k] * E);
    outcome = limpet_probe_evaluate(m->probe, of->arena, other);
    for (int i = 0; i < size; ++i) other[i] -= rest[i];
    limpet_axpy(size, weight[k] / E, other, column);
    limpet_axpy(size, bend[k] / E, other, jump);
  }
  m->move(m, index, 0.0);
  return outcome;
}

// A world's array of `count` doubles, copied, and the workspaces of its differences. LIMPET_OK or
// LIMPET_ERROR_MEMORY.
limpet_status limpet_mover_make(limpet_probe *probe, double *moved, int count,
                                void (*move)(const limpet_mover *, int, double),
                                limpet_arena *arena, limpet_mover *m) {
  double *base = LIMPET_TAKE(arena, double, count);
  *m = (limpet_mover){.probe = probe,
                      .moved = moved,
                      .move = move,
                      .unit = LIMPET_TAKE_ZERO(arena, double, probe->model->nv)};
  if (!base || !m->unit) return LIMPET_ERROR_MEMORY;
  memcpy(base, moved, (size_t)count * sizeof *base);
  m->base = base;
  return LIMPET_OK;
}

double limpet_free_answer(const limpet_residual *residual, const double *change) {
  const limpet_model *model = residual->model;
  const limpet_free_motion *motion = &residual->solved->motion;
  double most = 0.0;
  for (int d = 0; d < model->nv; ++d) {
    const int tree = model->dof_tree[d], n = model->tree_dof_count[tree];
    const double r = fabs(change[limpet_residual_slot(residual, d)]);
    double sum = 0.0;
    if (r == 0.0 || !limpet_trees_have(motion->trees, tree)) continue;
    const double *row = motion->A + model->tree_mass[tree] + (d - model->tree_dof[tree]) * n;
    for (int k = 0; k < n; ++k) sum += fabs(row[k]);
    if (sum > 0.0) most = fmax(most, r / sum);
  }
  return most;
}

// Width of an input that moves a pose by e; that of `column` (size), taken at `width`, where it is
// near enough. other (size): work.
static double width_of_input(const limpet_mover *m, double e, double width, const double *column,
                             double *other) {
  const limpet_residual *residual = m->probe->residual;
  const double most =
                   fmax(limpet_free_answer(residual, column), effect_of(residual, column, other)),
               own = e / (m->probe->settings->time_step * most);
  return most > 0.0 && !(width > narrow * own && width < wide * own) ? own : width;
}

static void forget_rules(limpet_probe *probe) {
  probe->other_parts = probe->joins = probe->lost_row = false;
}

// Whether other rules than those of the step held at some place since.
static bool met_rules(const limpet_probe *probe) {
  return probe->other_parts || probe->joins || probe->lost_row;
}

// One column between -width and width.
static limpet_residual_outcome centred(const limpet_column_series *of, int index, double width) {
  const limpet_mover *m = of->mover;
  forget_rules(m->probe);
  const limpet_residual_outcome outcome =
      difference(m, index, -width, width, of->arena, column_of(of, index), of->other);
  of->kinked[index] = met_rules(m->probe);
  return outcome;
}

// Whether a contact with a force lost its feature; `before` (contacts) joins what is carried.
static bool loses_feature(const limpet_probe *probe, const bool *before) {
  const limpet_solved_step *solved = probe->residual->solved;
  bool lost = false;
  for (int i = 0; i < solved->problem.contact_count; ++i) {
    lost = lost || (probe->carried[i] && solved->solution.gamma[3 * i + 2] > 0.0);
    probe->carried[i] = probe->carried[i] || before[i];
  }
  return lost;
}

/* A column of rigid contact at the wide width: a stiff row leaves round-off that a narrow one
 * divides by little. Narrow where it meets a kink, other rules, or other rows. */
static limpet_residual_outcome rigid_column(const limpet_column_series *of, int index,
                                            const double widths[2], const double *rest) {
  limpet_probe *probe = of->mover->probe;
  const size_t contacts = (size_t)probe->residual->solved->problem.contact_count;
  forget_rules(probe);
  const limpet_residual_outcome outcome = smooth_difference(of, index, widths[0], rest);
  const bool kinked = limpet_slope_jumps(probe->residual, column_of(of, index),
                                         of->other + probe->residual->size, widths[0], of->other);
  bool again = outcome == LIMPET_RESIDUAL_OTHER || kinked || met_rules(probe);
  for (size_t i = 0; i < contacts && !again; ++i) again = probe->carried[i];
  of->kinked[index] = false;
  if (!again) return outcome;
  memset(probe->carried, 0, contacts * sizeof *probe->carried);
  return centred(of, index, widths[1]);
}

// A contact that is carried has not the turn of its normal: a kink. Along velocities only swept
// ones are.
static limpet_residual_outcome differences(const limpet_column_series *of, const double widths[2],
                                           const double *rest) {
  limpet_probe *probe = of->mover->probe;
  const size_t contacts = (size_t)probe->residual->solved->problem.contact_count;
  limpet_residual_outcome outcome = LIMPET_RESIDUAL_DONE;
  const limpet_arena_mark mark = limpet_arena_mark_now(of->arena);
  bool *before = LIMPET_TAKE(of->arena, bool, contacts);
  if (!before) return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  for (int i = 0; i < of->count && outcome == LIMPET_RESIDUAL_DONE; ++i) {
    if (!of->wanted[i]) continue;
    memcpy(before, probe->carried, contacts * sizeof *before);
    memset(probe->carried, 0, contacts * sizeof *before);
    outcome = rigid_column(of, i, widths, rest);
    const bool lost = loses_feature(probe, before);
    of->kinked[i] = of->kinked[i] || lost;
  }
  limpet_arena_release(of->arena, mark);
  return outcome;
}

limpet_residual_outcome limpet_force_differences(const limpet_column_series *of, double e) {
  limpet_residual_outcome outcome = LIMPET_RESIDUAL_DONE;
  const double first = LIMPET_FORCE_DIFFERENCE * e;
  for (int i = 0; i < of->count && outcome == LIMPET_RESIDUAL_DONE; ++i) {
    if (!of->wanted[i]) continue;
    outcome = centred(of, i, first);
    const double width = outcome == LIMPET_RESIDUAL_DONE
                             ? width_of_input(of->mover, e, first, column_of(of, i), of->other)
                             : first;
    if (width != first) outcome = centred(of, i, width);
  }
  return outcome;
}

enum { WIDTHS = 3 };

// What is known of the columns of a limpet_column_series by differences that may meet kinks.
typedef struct trial {
  bool *before,
      *carried;  // (contacts)  contacts carried by other columns, and by the one that is kept
  double *jump, *effect;  // (count)  [m/s, rad/s]  of velocities; infinite: of other rules
} trial;

static limpet_status trial_take(const limpet_column_series *of, trial *t) {
  const size_t contacts = (size_t)of->mover->probe->residual->solved->problem.contact_count;
  t->before = LIMPET_TAKE(of->arena, bool, contacts);
  t->carried = LIMPET_TAKE(of->arena, bool, contacts);
  t->jump = LIMPET_TAKE_ZERO(of->arena, double, of->count);
  t->effect = LIMPET_TAKE_ZERO(of->arena, double, of->count);
  return t->before && t->carried && t->jump && t->effect ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

/* One column at the first of `widths` (0: none) where it has no kink, or that where its slope jumps
 * least. rest: smooth_difference. */
static limpet_residual_outcome try_widths(const limpet_column_series *of, int index,
                                          const double widths[WIDTHS], const double *rest,
                                          const trial *t) {
  limpet_probe *probe = of->mover->probe;
  const limpet_residual *residual = probe->residual;
  const size_t size = (size_t)residual->size,
               contacts = (size_t)residual->solved->problem.contact_count;
  double *column = column_of(of, index), *best = of->other + 2 * size;
  double *least = &t->jump[index], *effect = &t->effect[index];
  const double led = *effect;
  bool found = false;
  memcpy(t->before, probe->carried, contacts * sizeof *t->before);
  for (int k = 0; k < WIDTHS && widths[k] > 0.0; ++k) {
    memset(probe->carried, 0, contacts * sizeof *probe->carried);
    forget_rules(probe);
    const limpet_residual_outcome outcome = smooth_difference(of, index, widths[k], rest);
    const bool last = k + 1 == WIDTHS || widths[k + 1] == 0.0;
    if (outcome == LIMPET_RESIDUAL_OTHER && (found || !last)) continue;
    if (outcome != LIMPET_RESIDUAL_DONE) return outcome;
    const double jump = effect_of_jump(residual, of->other + size, widths[k], of->other);
    const bool other = met_rules(probe) || loses_feature(probe, probe->carried);
    if (!found || (!other && jump < *least)) {
      found = true;
      *least = other ? INFINITY : jump;
      *effect = fmax(led, effect_of(residual, column, of->other));
      memcpy(best, column, size * sizeof *best);
      memcpy(t->carried, probe->carried, contacts * sizeof *t->carried);
    }
    if (*least <= exact * *effect) break;
  }
  memcpy(column, best, size * sizeof *column);
  for (size_t i = 0; i < contacts; ++i) probe->carried[i] = t->before[i] || t->carried[i];
  return LIMPET_RESIDUAL_DONE;
}

// Columns of a pose or of velocities of compliant contact.
static limpet_residual_outcome state_differences(const limpet_column_series *of,
                                                 const double widths[WIDTHS], const double *rest) {
  const limpet_arena_mark mark = limpet_arena_mark_now(of->arena);
  limpet_residual_outcome outcome = LIMPET_RESIDUAL_DONE;
  trial t;
  if (trial_take(of, &t) || (of->mover->move == limpet_move_pose &&
                             limpet_soft_arms_effect(of->mover->probe, of->arena, t.effect)))
    return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  double largest = 0.0;
  for (int i = 0; i < of->count && outcome == LIMPET_RESIDUAL_DONE; ++i) {
    if (!of->wanted[i]) continue;
    outcome = try_widths(of, i, widths, rest, &t);
    largest = fmax(largest, t.effect[i]);
  }
  for (int i = 0; i < of->count && outcome == LIMPET_RESIDUAL_DONE; ++i)
    if (of->wanted[i])
      of->kinked[i] = t.jump[i] > kink_share * t.effect[i] || t.jump[i] > exact * largest;
  limpet_arena_release(of->arena, mark);
  return outcome;
}

limpet_residual_outcome limpet_pose_differences(const limpet_column_series *of, double e,
                                                const double *rest) {
  const limpet_probe *probe = of->mover->probe;
  const double E = smooth_width * e, rigid[2] = {E, e}, soft = probe->soft ? soft_width * e : 0.0,
               widths[WIDTHS] = {E, probe->soft ? soft : nearer * E, nearer * soft};
  return probe->residual->smooth ? state_differences(of, widths, rest)
                                 : differences(of, rigid, rest);
}

limpet_residual_outcome limpet_velocity_differences(const limpet_column_series *of, double e,
                                                    const double *rest) {
  const limpet_probe *probe = of->mover->probe;
  const double E = smooth_width * e, soft = probe->soft ? soft_width * e : 0.0,
               far = fmax(fmin(E / probe->settings->time_step, widest), E), rigid[2] = {far, e},
               widths[WIDTHS] = {far, probe->soft ? soft : E, nearer * soft};
  return probe->residual->smooth ? state_differences(of, widths, rest)
                                 : differences(of, rigid, rest);
}

// Between -width and width, as far as the range of the control allows.
static limpet_residual_outcome control_difference(const limpet_mover *m, int index, double width,
                                                  limpet_arena *arena, double *column,
                                                  double *other, bool *kinked) {
  const limpet_model *model = m->probe->model;
  double lower = -width, upper = width;
  if (model->actuator_control_limited[index] &&
      !(model->options.disabled & LIMPET_DISABLE_CLAMP_CONTROL)) {
    const double *range = model->actuator_control_range + 2 * index;
    lower = fmax(lower, range[0] - m->base[index]), upper = fmin(upper, range[1] - m->base[index]);
  }
  forget_rules(m->probe);
  const limpet_residual_outcome outcome = difference(m, index, lower, upper, arena, column, other);
  *kinked = met_rules(m->probe);
  return outcome;
}

/* Whether two columns are one but for the round-off of the momentum of each tree, at the width of
 * a. */
static bool differ_by_rounding(const limpet_residual *residual, const double *a, const double *b,
                               double width) {
  const limpet_model *model = residual->model;
  for (int t = 0; t < model->tree_count; ++t) {
    const limpet_range dofs = limpet_tree_dofs(model, t);
    double size = 0.0, apart = 0.0;
    for (int d = dofs.first; d < dofs.end; ++d) {
      const int slot = limpet_residual_slot(residual, d);
      size = fmax(size, fabs(residual->solved->problem.momentum[d]));
      apart = fmax(apart, fabs(a[slot] - b[slot]));
    }
    if (apart * width > round_off * size) return false;
  }
  return true;
}

// Those of controls that act nearly in proportion are wider where the narrow ones lose digits.
limpet_residual_outcome limpet_control_differences(const limpet_column_series *of, double share,
                                                   double e) {
  const limpet_mover *m = of->mover;
  limpet_residual_outcome outcome = LIMPET_RESIDUAL_DONE;
  for (int i = 0; i < of->count && outcome == LIMPET_RESIDUAL_DONE; ++i) {
    if (!of->wanted[i]) continue;
    double *column = column_of(of, i);
    const double first = share * fmax(1.0, fabs(m->base[i]));
    outcome = control_difference(m, i, first, of->arena, column, of->other, &of->kinked[i]);
    const double width =
        outcome == LIMPET_RESIDUAL_DONE ? width_of_input(m, e, first, column, of->other) : first;
    if (!(width > first)) continue;
    double *wider = of->other + m->probe->residual->size;
    bool switches;
    outcome = control_difference(m, i, width, of->arena, wider, of->other, &switches);
    if (outcome == LIMPET_RESIDUAL_DONE && !switches &&
        differ_by_rounding(m->probe->residual, column, wider, first))
      memcpy(column, wider, (size_t)m->probe->residual->size * sizeof *column);
  }
  return outcome;
}
