/* gradient/reverse.c: see reverse.h. */
#include "gradient/reverse.h"

#include <math.h>
#include <string.h>

#include "constraint/kind.h"
#include "gradient/contact_sweep.h"
#include "gradient/flight_ends.h"
#include "gradient/loop_columns.h"
#include "gradient/patch_law.h"
#include "gradient/row_columns.h"
#include "gradient/tree_product.h"
#include "math/dense.h"
#include "step/flight.h"
#include "step/scheme.h"

// What a control and the gain of its servo change.
typedef struct input_view {
  limpet_control_slope control;
  limpet_actuator_reach reach;
  bool in_stiffness;
  double stiffness;  // of r along the row
} input_view;

struct limpet_reverse {
  limpet_column_writer w;
  limpet_ending ending;
  bool state, inputs;
  int row_count;
  limpet_row_view *row;           // (row_count)
  limpet_contact_sweep *patches;  // NULL: no state is wanted
  limpet_tree_product *trees;     // NULL: no state is wanted
  limpet_loops loops;
  double *bend;       // (tree_count x 3)  of loops
  input_view *input;  // (nu)
  int end_count, tree_end_count;
  limpet_body_end *end;                                   // (end_count)
  limpet_tree_end_product *tree_end;                      // (tree_end_count)
  double *by_q, *by_v, *own, *first, *weight, *velocity;  // (nv)
  double *steady;                                         // (nv x 6)
  double *work;                                           // (9 nv)
};

// -------------------------------------------------------------------------- what is known

static bool patches_known(const limpet_probe *probe) {
  const limpet_contact_problem *problem = &probe->residual->solved->problem;
  for (int i = 0; i < problem->island_count; ++i) {
    const limpet_island *island = &problem->island[i];
    for (int k = island->patch; k < island->patch + island->patch_count; ++k)
      if (!limpet_patch_law_known(probe, i, &problem->patch[k])) return false;
  }
  return true;
}

static bool trees_known(const limpet_reverse *r) {
  for (int t = 0; t < r->w.probe->model->tree_count; ++t)
    if (!r->w.tree[t].known || r->w.tree[t].flies) return false;
  return true;
}

static limpet_status take(limpet_reverse *r) {
  const limpet_model *model = r->w.probe->model;
  const limpet_contact_problem *problem = &r->w.probe->residual->solved->problem;
  limpet_arena *arena = r->w.arena;
  const size_t nv = (size_t)model->nv;
  double *room = LIMPET_TAKE(arena, double, 21 * nv);
  r->w.tree = LIMPET_TAKE(arena, limpet_tree_change, model->tree_count);
  r->w.slot = LIMPET_TAKE(arena, int, nv);
  r->w.servo = LIMPET_TAKE_ZERO(arena, const limpet_row_view *, model->nu);
  r->row_count = problem->row_count;
  r->row = LIMPET_TAKE(arena, limpet_row_view, problem->row_count);
  r->bend = LIMPET_TAKE(arena, double, 3 * model->tree_count);
  r->input = LIMPET_TAKE(arena, input_view, model->nu);
  r->end = LIMPET_TAKE(arena, limpet_body_end, model->tree_count);
  r->tree_end = LIMPET_TAKE(arena, limpet_tree_end_product, model->tree_count);
  if (!room || !r->w.tree || !r->w.slot || !r->w.servo || !r->row || !r->bend || !r->input ||
      !r->end || !r->tree_end || limpet_problem_take_weights(problem, model, arena, &r->w.delassus))
    return LIMPET_ERROR_MEMORY;
  double **const arrays[] = {&r->by_q, &r->by_v, &r->own, &r->first, &r->weight, &r->velocity};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) *arrays[i] = room + i * nv;
  r->steady = room + 6 * nv;
  r->work = room + 12 * nv;
  for (int d = 0; d < model->nv; ++d) r->w.slot[d] = limpet_residual_slot(r->w.probe->residual, d);
  limpet_problem_weigh(problem, model, r->w.probe->data, &r->w.delassus);
  return LIMPET_OK;
}

// ------------------------------------------------------------------------------- inputs

// Memory of the reaches of all actuators.
static limpet_status input_make(limpet_reverse *r, int actuator, double share, double *row,
                                int *dof, bool *known) {
  const limpet_probe *probe = r->w.probe;
  const bool *included = probe->residual->solved->motion.servo_included;
  const double h = probe->settings->time_step;
  input_view *in = &r->input[actuator];
  limpet_servo servo;
  *in = (input_view){.reach = {.row = row, .dof = dof}};
  in->reach.count = limpet_actuator_row(probe->model, probe->data, actuator, dof, row);
  in->reach.solved = limpet_probe_servo(probe, actuator, &servo);
  *known = limpet_control_slope_make(&r->w, share, actuator, &in->reach, &in->control);
  // A += h^2 kp a a', A v* += h clamp(kp (u - l) + f0) a: columns.c
  in->in_stiffness = included && included[actuator] && in->reach.solved;
  if (!*known || !in->in_stiffness) return LIMPET_OK;
  double speed = 0.0;
  for (int k = 0; k < in->reach.count; ++k) speed += row[k] * probe->residual->v[dof[k]];
  const double force = servo.error + servo.offset;
  const double target = force > servo.lower && force < servo.upper ? servo.error / servo.kp : 0.0;
  in->stiffness = h * (h * speed - target);
  return LIMPET_OK;
}

static limpet_status inputs_make(limpet_reverse *r, double share, bool *known) {
  const limpet_model *model = r->w.probe->model;
  limpet_arena *arena = r->w.arena;
  double *row = LIMPET_TAKE(arena, double, 2 * model->nv);
  int *dof = LIMPET_TAKE(arena, int, 2 * model->nv);
  if (!row || !dof) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < model->nu && *known; ++i) {
    if (input_make(r, i, share, row, dof, known)) return LIMPET_ERROR_MEMORY;
    // what it reached is kept
    const size_t count = (size_t)r->input[i].reach.count;
    double *own_row = LIMPET_TAKE(arena, double, count);
    int *own_dof = LIMPET_TAKE(arena, int, count);
    if (!own_row || !own_dof) return LIMPET_ERROR_MEMORY;
    memcpy(own_row, row, count * sizeof *row);
    memcpy(own_dof, dof, count * sizeof *dof);
    r->input[i].reach.row = own_row, r->input[i].reach.dof = own_dof;
  }
  return LIMPET_OK;
}

static double stiffness_product(const limpet_reverse *r, const input_view *in, const double *dual) {
  double sum = 0.0;
  if (!in->in_stiffness) return NAN;
  for (int k = 0; k < in->reach.count; ++k)
    sum += in->reach.row[k] * dual[r->w.slot[in->reach.dof[k]]];
  return in->stiffness * sum;
}

// -------------------------------------------------------------------------------- ends

// Ends of flight; *known: all have a closed form.
static limpet_status ends_make(limpet_reverse *r, bool *known) {
  const limpet_probe *probe = r->w.probe;
  const limpet_data *end = r->ending.end;
  const limpet_model *model = probe->model;
  const limpet_solved_step *solved = probe->residual->solved;
  const limpet_flight *flight = solved->motion.flight;
  for (int t = 0; t < model->tree_count && flight && *known; ++t) {
    if (!limpet_flight_ends(solved, end, t)) continue;
    if (limpet_flight_is_bounded(flight, t)) *known = false;
    else if (limpet_flight_alone(flight, t))
      *known = limpet_body_end_make(solved, probe->data, end, t, &r->end[r->end_count++]);
    else if (!limpet_flight_was_held(end, t) || !flight->balance[t].kept) *known = false;
    else if (limpet_tree_end_product_make(&r->ending, t, r->w.arena,
                                          &r->tree_end[r->tree_end_count++], known))
      return LIMPET_ERROR_MEMORY;
  }
  return LIMPET_OK;
}

const limpet_contact_sweep *limpet_reverse_contacts(const limpet_reverse *r) { return r->patches; }

int limpet_reverse_end_count(const limpet_reverse *r) { return r->end_count + r->tree_end_count; }

// -------------------------------------------------------------------------------- making

limpet_status limpet_reverse_make(limpet_probe *probe, const limpet_ending *ending,
                                  const limpet_reverse_settings *settings, limpet_arena *arena,
                                  limpet_reverse **reverse) {
  bool known = probe->residual->smooth && probe->settings->scheme == &limpet_scheme_discrete &&
               patches_known(probe);
  *reverse = NULL;
  if (!known) return LIMPET_OK;
  limpet_reverse *r = LIMPET_TAKE_ZERO(arena, limpet_reverse, 1);
  limpet_row_probe laws;
  if (!r) return LIMPET_ERROR_MEMORY;
  *r = (limpet_reverse){.w = {.probe = probe, .arena = arena, .width = settings->width},
                        .ending = *ending,
                        .state = settings->state,
                        .inputs = settings->inputs};
  if (take(r) || limpet_row_probe_make(probe, arena, &laws) ||
      limpet_tree_change_known(probe, arena, r->w.tree))
    return LIMPET_ERROR_MEMORY;
  limpet_row_views_make(&r->w, &laws, r->row);
  if (limpet_loops_find(&r->w, &laws, &r->loops)) return LIMPET_ERROR_MEMORY;
  known = trees_known(r);
  if (known && r->inputs && inputs_make(r, settings->control_share, &known))
    return LIMPET_ERROR_MEMORY;
  if (known && ends_make(r, &known)) return LIMPET_ERROR_MEMORY;
  if (!known) return LIMPET_OK;
  if (r->state) {
    r->patches = limpet_contact_sweep_make(&r->w, r->loops.count > 0);
    if (!r->patches) return LIMPET_ERROR_MEMORY;
    r->trees = limpet_tree_product_make(probe, arena, r->w.tree);
    if (!r->trees) return LIMPET_ERROR_MEMORY;
  }
  *reverse = r;
  return LIMPET_OK;
}

// ------------------------------------------------------------------------------ products

// Weights of the results become those of the velocity that was solved for, in r->velocity.
static limpet_status weigh_end(limpet_reverse *r, const double *weight_q, const double *weight_v) {
  const limpet_probe *probe = r->w.probe;
  const int nv = probe->model->nv;
  const size_t size = (size_t)nv * sizeof(double);
  memset(r->by_q, 0, size), memset(r->by_v, 0, size), memset(r->first, 0, size);
  memset(r->velocity, 0, size), memset(r->weight, 0, size);
  if (weight_q) limpet_integration_adjoint(r->ending.integration, weight_q, r->velocity, r->by_q);
  if (weight_v) memcpy(r->weight, weight_v, size);
  for (int k = 0; k < r->tree_end_count && weight_q; ++k)
    if (limpet_tree_end_product_place(&r->tree_end[k], &r->ending, weight_q, r->w.arena,
                                      r->velocity, r->by_q))
      return LIMPET_ERROR_MEMORY;
  for (int k = 0; k < r->tree_end_count; ++k)
    limpet_tree_end_product_weigh(&r->tree_end[k], &r->ending, r->weight, r->by_q, r->by_v,
                                  r->first, r->work);
  limpet_axpy(nv, 1.0, r->weight, r->velocity);
  for (int k = 0; k < r->end_count; ++k)
    limpet_body_end_weigh(&r->end[k], weight_q, weight_v, r->velocity, r->by_q, r->by_v);
  return LIMPET_OK;
}

static void weigh_loops(limpet_reverse *r, const double *dual) {
  const limpet_loop_products to = {r->by_q, r->by_v, r->steady, r->bend};
  const int trees = r->w.probe->model->tree_count;
  if (r->loops.count == 0) return;
  memset(r->bend, 0, 3 * (size_t)trees * sizeof *r->bend);
  for (int i = 0; i < r->loops.count; ++i)
    limpet_loop_product_add(&r->w, &r->loops.view[i], dual, &to);
  for (int t = 0; t < trees; ++t)
    limpet_contact_sweep_bend(r->patches, t, r->bend + 3 * t, r->by_q, r->by_v);
}

static limpet_status weigh_state(limpet_reverse *r, const limpet_reverse_carried *carried,
                                 const double *dual) {
  const limpet_model *model = r->w.probe->model;
  const size_t size = (size_t)model->nv * sizeof(double);
  memset(r->own, 0, size), memset(r->steady, 0, 6 * size);
  for (int i = 0; i < r->row_count; ++i)
    limpet_row_product_add(&r->w, &r->row[i], dual, r->by_q, r->own);
  for (int d = 0; d < model->nv; ++d) r->weight[d] = dual[r->w.slot[d]];
  limpet_contact_sweep_add(r->patches, dual, r->weight, carried ? carried->patch : NULL, r->by_q,
                           r->by_v, r->steady);
  weigh_loops(r, dual);
  const limpet_tree_factors factors = {.dual = r->weight,
                                       .first = r->first,
                                       .own = r->own,
                                       .steady = r->steady,
                                       .by_q = r->by_q,
                                       .by_v = r->by_v,
                                       .by_change = carried ? carried->change : NULL,
                                       .work = r->work};
  return limpet_tree_product_add(r->trees, r->w.tree, &factors, r->w.arena);
}

limpet_status limpet_reverse_product(limpet_reverse *r, const double *weight_q,
                                     const double *weight_v, const limpet_reverse_carried *carried,
                                     double *dual, limpet_gradient_arrays *to) {
  const limpet_probe *probe = r->w.probe;
  const limpet_model *model = probe->model;
  const size_t size = (size_t)model->nv * sizeof(double);
  if (weigh_end(r, weight_q, weight_v)) return LIMPET_ERROR_MEMORY;
  if (carried) limpet_axpy(model->nv, 1.0, carried->solved, r->velocity);
  limpet_residual_adjoint(probe->residual, r->velocity, dual);
  if (r->state && weigh_state(r, carried, dual)) return LIMPET_ERROR_MEMORY;
  if (to->q) memcpy(to->q, r->by_q, size);
  if (to->v) memcpy(to->v, r->by_v, size);
  for (int d = 0; d < model->nv && to->force; ++d)
    to->force[d] = -probe->settings->time_step * dual[r->w.slot[d]];
  for (int i = 0; i < model->nu && r->inputs; ++i) {
    to->control[i] = limpet_control_product(&r->w, &r->input[i].reach, &r->input[i].control, dual);
    to->stiffness[i] = stiffness_product(r, &r->input[i], dual);
  }
  return LIMPET_OK;
}
