/* gradient/parameters.c: derivatives of a step by numbers of the model: see
 * limpet/gradient_parameters.h.
 *
 *   dv = S d(residual),   dq = T dv     as for every other column (jacobian.c)
 *   q1 = q0 (+) dt v                    along dt besides: v, rotations of first order v/(1 + a^2),
 *                                       a = dt |w|/2
 * Where trees fly, the end of the step is differentiated with the same models: flight.h. */
#include "limpet/gradient_parameters.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "gradient/flight.h"
#include "gradient/smoothing.h"
#include "gradient/parameters.h"
#include "gradient/soft_parameters.h"
#include "limpet/gradient_deformable.h"
#include "math/dense.h"
#include "math/vec3.h"

// [-]  of a coefficient's slope, and of itself at a place, that it bends by: friction_bends
static const double least_bend = 1e-3, least_change = 1e-9;

/* Worlds at the start of the step, whose activation or wrench the stencil changes where that is the
 * parameter. */
static void place_worlds(limpet_gradient_workspace *w, const limpet_varied *one) {
  for (int k = 0; k < LIMPET_STENCIL; ++k) {
    limpet_gradient_start(w->world, one->world[k]);
    limpet_gradient_hold_rules(w->world, one->world[k]);
    if (one->array == 0) continue;
    double *const *array = (double *const *)(const void *)((char *)one->world[k] + one->array);
    (*array)[one->index] += one->stencil->place[k] * one->width;
  }
}

static limpet_step_settings settings_at(const limpet_gradient_workspace *w,
                                        const limpet_varied *one, int k) {
  limpet_step_settings settings = w->settings;
  if (one->time_step) settings.time_step += one->stencil->place[k] * one->width;
  return settings;
}

// A number as it is differentiated.
typedef struct variation {
  double *column;            // (size)  change of the residual per unit
  double *jump;              // (size)  of the slope
  double *rest, *now;        // (size)  work
  double *friction;          // (LIMPET_STENCIL x contacts)  [-]  coefficients at the places
  bool *carried;             // (contacts)
  int rows[LIMPET_STENCIL];  // that act and that the step has not, at the places
  bool lost;                 // no difference tells the slope: change_of
} variation;

// The step's problem with a model at a place of the stencil, or that of the step.
static limpet_probe probe_of(const limpet_gradient_workspace *w, const limpet_model *model,
                             limpet_data *world, const limpet_step_settings *settings,
                             double slack) {
  return (limpet_probe){.model = model,
                        .settings = settings,
                        .residual = &w->residual,
                        .data = world,
                        .slack = slack,
                        .start_position = w->start,
                        .start_rotation = w->start + 3 * w->model->geom_count,
                        .soft = w->soft ? &w->soft->assembled : NULL};
}

// The residual there. friction: receives coefficients of the contacts; NULL: not wanted.
static limpet_residual_outcome residual_at(limpet_gradient_workspace *w, limpet_probe *probe,
                                           variation *v, double *friction, double *values) {
  probe->carried = v->carried;
  probe->friction = friction;
  const limpet_residual_outcome outcome = limpet_probe_evaluate(probe, &w->arena, values);
  v->lost = v->lost || probe->other_parts || probe->joins || probe->switches || probe->lost_row ||
            probe->new_rows_switch;
  // rows of rigid contact have no law of their own
  v->lost = v->lost || (probe->new_rows > 0 && !w->residual.smooth);
  return outcome;
}

/* Whether a coefficient of friction bends within the stencil: static friction falls to that of
 * sliding over slips of micrometres per second. */
static bool friction_bends(const limpet_stencil *stencil, const double *friction, int contacts,
                           int contact) {
  double f[LIMPET_STENCIL], slope[LIMPET_STENCIL - 1];
  for (int k = 0; k < LIMPET_STENCIL; ++k) f[k] = friction[k * contacts + contact];
  for (int k = 0; k + 1 < LIMPET_STENCIL; ++k)
    slope[k] = (f[k + 1] - f[k]) / (stencil->place[k + 1] - stencil->place[k]);
  const double bend = fabs(slope[2] - slope[0]), size = fabs(slope[0]) + fabs(slope[2]);
  return bend > least_bend * size && bend > least_change * fabs(f[0]);
}

// Whether contacts begin to pull that had no force, or no part in the step.
static bool begins_to_pull(const limpet_gradient_workspace *w, const limpet_model *model) {
  const limpet_solved_step *solved = w->residual.solved;
  for (int i = 0; i < solved->records.count; ++i) {
    const limpet_contact_record *record = &solved->records.record[i];
    const limpet_geom_pair *geoms = &solved->records.pair[record->pair].geoms;
    const int geom[2] = {geoms->geom_a, geoms->geom_b}, contact = record->contact;
    if (contact != LIMPET_NONE && solved->solution.gamma[3 * contact + 2] > 0.0) continue;
    for (int side = 0; side < 2; ++side)
      if (model->geom_material[geom[side]].adhesion != w->model->geom_material[geom[side]].adhesion)
        return true;
  }
  return false;
}

// column += weight (now - rest): the weights of a stencil add up to zero, round-off does not.
static void add_change(int size, double weight, const double *now, const double *rest,
                       double *column) {
  for (int i = 0; i < size; ++i) column[i] += weight * (now[i] - rest[i]);
}

static bool contact_is_lost(const limpet_gradient_workspace *w, const limpet_varied *one,
                            const variation *v, int contact) {
  const limpet_contact_problem *problem = &w->residual.solved->problem;
  if (!(w->residual.solved->solution.gamma[3 * contact + 2] > 0.0)) return false;
  return v->carried[contact] ||
         friction_bends(one->stencil, v->friction, problem->contact_count, contact);
}

/* Fills v->column. v->lost: a contact with a force lost its feature or its friction bends, a tree
 * took another number of parts, adhesion begins or ends, or a row acts at some places only. */
static limpet_residual_outcome change_of(limpet_gradient_workspace *w, const limpet_varied *one,
                                         variation *v) {
  const int size = w->residual.size, contacts = w->residual.solved->problem.contact_count;
  const double slack = 100.0 * w->wanted.difference + 4.0 * one->width;
  const double E = one->width;
  memset(v->column, 0, (size_t)size * sizeof *v->column);
  memset(v->jump, 0, (size_t)size * sizeof *v->jump);
  memset(v->carried, 0, (size_t)contacts * sizeof *v->carried);
  v->lost = begins_to_pull(w, one->model[0]);
  place_worlds(w, one);
  limpet_probe probe = probe_of(w, w->model, w->world, &w->settings, slack);
  limpet_residual_outcome outcome = residual_at(w, &probe, v, NULL, v->rest);
  for (int k = 0; k < LIMPET_STENCIL && outcome == LIMPET_RESIDUAL_DONE; ++k) {
    const limpet_step_settings settings = settings_at(w, one, k);
    probe = probe_of(w, one->model[k], one->world[k], &settings, slack);
    outcome = residual_at(w, &probe, v, v->friction + k * contacts, v->now);
    v->rows[k] = probe.new_rows;
    add_change(size, one->stencil->weight[k] / E, v->now, v->rest, v->column);
    add_change(size, one->stencil->bend[k] / E, v->now, v->rest, v->jump);
    v->lost = v->lost || v->rows[k] != v->rows[0];
  }
  if (outcome != LIMPET_RESIDUAL_DONE) return outcome;
  for (int i = 0; i < contacts; ++i) v->lost = v->lost || contact_is_lost(w, one, v, i);
  v->lost = v->lost || (w->residual.smooth &&
                        limpet_slope_jumps(&w->residual, v->column, v->jump, E, w->velocity));
  return outcome;
}

// shift (nv) += d(q0 (+) dt v)/d dt
static void add_time_step(const limpet_gradient_workspace *w, double *shift) {
  const limpet_model *model = w->model;
  const double *v = w->residual.v;
  for (int i = 0; i < model->nv; ++i) shift[i] += v[i];
  if (!w->settings.compatibility.first_order_rotation) return;
  for (int j = 0; j < model->joint_count; ++j) {
    if (model->joint_kind[j] != LIMPET_JOINT_FREE && model->joint_kind[j] != LIMPET_JOINT_BALL)
      continue;
    const int d = model->joint_v[j] + (model->joint_kind[j] == LIMPET_JOINT_FREE ? 3 : 0);
    const double a = 0.5 * w->settings.time_step * limpet_vec3_norm(v + d);
    for (int k = 0; k < 3; ++k) shift[d + k] -= v[d + k] * a * a / (1.0 + a * a);
  }
}

// What a column has besides the arrays of the workspace.
typedef struct column_end {
  double kink;
  double *vertex_position, *vertex_velocity;  // (3 vertex_count)  NULL: no deformable bodies
} column_end;

static const char *const no_memory = "out of memory";

/* The change of the velocity that was solved for, in the workspace, and with deformable bodies
 * those of vertices at the end. *reason: why there is none. */
static void solve(limpet_gradient_workspace *w, const limpet_varied *one, const double *column,
                  column_end *end, const char **reason) {
  if (!w->soft) {
    end->kink = limpet_residual_forward(&w->residual, column, -1, w->velocity);
    return;
  }
  limpet_step_settings settings[LIMPET_STENCIL];
  for (int k = 0; k < LIMPET_STENCIL; ++k) settings[k] = settings_at(w, one, k);
  const size_t V = 3 * (size_t)w->model->vertex_count;
  limpet_soft_variation bodies;
  end->vertex_position = LIMPET_TAKE(&w->arena, double, V);
  end->vertex_velocity = LIMPET_TAKE(&w->arena, double, V);
  if (!end->vertex_position || !end->vertex_velocity ||
      limpet_soft_vary(w, one, settings, &bodies)) {
    *reason = no_memory;
    return;
  }
  const limpet_soft_change change = {bodies.dR,        bodies.prescribed, column,
                                     bodies.stiffness, bodies.arm,        bodies.offset};
  end->kink = limpet_soft_gradient_along(w, &change, w->velocity, end->vertex_velocity);
  if (isnan(end->kink) ||
      limpet_soft_vary_end(w, &bodies, end->vertex_velocity, end->vertex_position))
    *reason = no_memory;
}

// From the change of the residual to those of v and q: velocity, shift (nv) of the workspace.
static void pass(limpet_gradient_workspace *w, const limpet_varied *one, const double *column,
                 column_end *end, const char **reason) {
  solve(w, one, column, end, reason);
  if (*reason) return;
  const bool ends = w->reverse && limpet_reverse_end_count(w->reverse) > 0;
  if (w->flies || ends || w->end_count > 0 || w->tree_end_count > 0 || w->free_end_count > 0) {
    limpet_step_settings settings[LIMPET_STENCIL];
    for (int k = 0; k < LIMPET_STENCIL; ++k) settings[k] = settings_at(w, one, k);
    place_worlds(w, one);
    bool switches = false;
    if (limpet_flight_parameter(w, one, settings, w->velocity, w->shift, &switches) != LIMPET_OK)
      *reason = no_memory;
    if (switches) end->kink = INFINITY;
    return;
  }
  limpet_integration_by_v(&w->integration, w->velocity, w->shift);
  if (one->time_step) add_time_step(w, w->shift);
}

typedef void use_parameter(void *context, int i, const column_end *end);

// Why the models of a number cannot be compared with that of the step; NULL: they can.
static const char *differs(const limpet_model *model, const limpet_varied *one) {
  for (int k = 0; k < LIMPET_STENCIL; ++k) {
    const limpet_model *other = one->model[k];
    assert(other->nv == model->nv && other->nq == model->nq);
    if (other->vertex_count != model->vertex_count || other->tie_count != model->tie_count)
      return "deformable bodies have other vertices or ties at another value of the number";
  }
  return NULL;
}

// Calls `use` for every parameter, its changes in velocity and shift of the workspace.
static const char *visit(limpet_gradient *gradient, limpet_gradient_parameters *p,
                         use_parameter *use, void *context) {
  limpet_gradient_workspace *w = gradient->workspace;
  if (!w->data || w->data->step_count != w->step_count) return "there is no derivative of a step";
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  const int size = w->residual.size, contacts = w->residual.solved->problem.contact_count;
  variation v = {.column = LIMPET_TAKE(&w->arena, double, size),
                 .jump = LIMPET_TAKE(&w->arena, double, size),
                 .rest = LIMPET_TAKE(&w->arena, double, size),
                 .now = LIMPET_TAKE(&w->arena, double, size),
                 .friction = LIMPET_TAKE(&w->arena, double, LIMPET_STENCIL *contacts),
                 .carried = LIMPET_TAKE(&w->arena, bool, contacts)};
  const bool taken = v.column && v.jump && v.rest && v.now && v.friction && v.carried;
  const char *reason = taken ? NULL : no_memory;
  for (int i = 0; i < p->count && !reason; ++i) {
    const limpet_varied *one = &p->workspace->one[i];
    const limpet_arena_mark own = limpet_arena_mark_now(&w->arena);
    reason = differs(w->model, one);
    if (!reason) reason = limpet_residual_reason(change_of(w, one, &v));
    if (reason) break;
    column_end end = {.kink = 0.0};
    pass(w, one, v.column, &end, &reason);
    if (v.lost) end.kink = INFINITY;
    if (!reason) use(context, i, &end);
    limpet_arena_release(&w->arena, own);
  }
  limpet_arena_release(&w->arena, mark);
  return reason;
}

typedef struct filling {
  const limpet_gradient_workspace *w;
  limpet_gradient_parameters *p;
  limpet_gradient_vector weight;  // of the end
} filling;

static void fill_vertices(const filling *f, int i, const double *from, double *to) {
  const limpet_gradient_parameters *p = f->p;
  for (int k = 0; k < 3 * f->w->model->vertex_count && from; ++k) to[k * p->count + i] = from[k];
}

static void fill_column(void *context, int i, const column_end *end) {
  const filling *f = context;
  limpet_gradient_parameters *p = f->p;
  fill_vertices(f, i, end->vertex_position, p->vertex_position);
  fill_vertices(f, i, end->vertex_velocity, p->vertex_velocity);
  for (int k = 0; k < f->w->model->nv; ++k) {
    p->dq[k * p->count + i] = f->w->shift[k];
    p->dv[k * p->count + i] = f->w->velocity[k];
  }
  p->kink[i] = end->kink;
}

static const char *const means_have_none =
    "means of random smoothing have no derivatives by parameters; take the barrier";

const char *limpet_gradient_by_parameters(limpet_gradient *gradient,
                                          limpet_gradient_parameters *parameters) {
  assert(gradient && parameters);
  gradient = limpet_smoothing_differentiated(gradient);
  if (!gradient) return means_have_none;
  filling f = {.w = gradient->workspace, .p = parameters};
  return visit(gradient, parameters, fill_column, &f);
}

static double product_of(const double *weight, const double *change, int count) {
  return weight && change ? limpet_dot(count, weight, change) : 0.0;
}

static void fill_product(void *context, int i, const column_end *end) {
  const filling *f = context;
  const int nv = f->w->model->nv, V = 3 * f->w->model->vertex_count;
  f->p->adjoint[i] = product_of(f->weight.q, f->w->shift, nv) +
                     product_of(f->weight.v, f->w->velocity, nv) +
                     product_of(f->weight.vertex_position, end->vertex_position, V) +
                     product_of(f->weight.vertex_velocity, end->vertex_velocity, V);
}

const char *limpet_gradient_parameters_backward(limpet_gradient *gradient,
                                                limpet_gradient_parameters *parameters,
                                                const limpet_gradient_vector *weight) {
  assert(gradient && parameters && weight);
  gradient = limpet_smoothing_differentiated(gradient);
  if (!gradient) return means_have_none;
  filling f = {gradient->workspace, parameters, *weight};
  return visit(gradient, parameters, fill_product, &f);
}

const char *limpet_gradient_parameters_adjoint(limpet_gradient *gradient,
                                               limpet_gradient_parameters *parameters,
                                               const double *weight_q, const double *weight_v) {
  assert(gradient && parameters);
  // weights are only read
  const limpet_gradient_vector weight = {.q = (double *)weight_q, .v = (double *)weight_v};
  return limpet_gradient_parameters_backward(gradient, parameters, &weight);
}
