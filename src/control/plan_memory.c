/* control/plan_memory.c: what a plan keeps: one allocation for each array, at create. */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "control/plan.h"
#include "optim/boxed_lcp.h"

static double *numbers(size_t count) { return calloc(count + 1, sizeof(double)); }

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static void worker_release(limpet_plan_worker *worker) {
  limpet_data_destroy(worker->world);
  limpet_gradient_destroy(worker->gradient);
  free(worker->A), free(worker->B), free(worker->product), free(worker->ends);
}

static bool worker_create(const limpet_plan_workspace *w, limpet_plan_worker *worker) {
  const limpet_model *model = w->model;
  const size_t n = (size_t)w->n, m = (size_t)w->m;
  *worker = (limpet_plan_worker){.world = limpet_data_create(model),
                                 .gradient = limpet_gradient_create(model)};
  worker->A = numbers(n * n), worker->B = numbers(n * m);
  worker->product = numbers(n * larger(n, m));
  worker->ends = numbers(2 * (size_t)(model->nq + model->nv) + w->state_size);
  return worker->world && worker->gradient && worker->A && worker->B && worker->product &&
         worker->ends;
}

bool limpet_plan_workers_create(limpet_plan_workspace *w, int count) {
  for (int i = 0; i < w->worker_count; ++i) worker_release(&w->worker[i]);
  free(w->worker);
  w->worker_count = 0;
  w->worker = calloc((size_t)count, sizeof *w->worker);
  bool made = w->worker != NULL;
  for (int i = 0; made && i < count; ++i) {
    w->worker_count = i + 1;
    made = worker_create(w, &w->worker[i]);
  }
  return made;
}

typedef struct room {
  double **array;
  size_t count;
} room;

// Every array of numbers of a plan and how long it is, ended by NULL; `table` has room for 40.
static void rooms_list(limpet_plan *plan, room *table) {
  limpet_plan_workspace *w = plan->workspace;
  const size_t n = (size_t)w->n, m = (size_t)w->m, N = (size_t)plan->knot_limit;
  const size_t wide = larger(n, m);
  const room rooms[] = {{&plan->control, N * m},
                        {&plan->state, (N + 1) * w->state_size},
                        {&plan->gain, N * m * n},
                        {&w->try_control, N * m},
                        {&w->try_state, (N + 1) * w->state_size},
                        {&w->lower, m},
                        {&w->upper, m},
                        {&w->A, N * n * n},
                        {&w->B, N * n * m},
                        {&w->gap, N * n},
                        {&w->lx, (N + 1) * n},
                        {&w->lxx, (N + 1) * n * n},
                        {&w->lu, N * m},
                        {&w->luu, N * m * m},
                        {&w->lux, N * m * n},
                        {&w->shift, N * m},
                        {&w->Vx, n},
                        {&w->Vxx, n * n},
                        {&w->product, n * wide},
                        {&w->Qx, n},
                        {&w->Qu, m},
                        {&w->Qxx, n * n},
                        {&w->Quu, m * m},
                        {&w->Qux, m * n},
                        {&w->factor, m * m},
                        {&w->row, wide + m * m},
                        {&w->box_lower, m},
                        {&w->box_upper, m},
                        {&w->box_w, m},
                        {&w->dx, wide}};
  size_t i = 0;
  for (; i < sizeof rooms / sizeof *rooms; ++i) table[i] = rooms[i];
  table[i] = (room){NULL, 0};
}

static bool workspace_fill(limpet_plan *plan, const limpet_model *model) {
  limpet_plan_workspace *w = plan->workspace;
  room table[40];
  w->model = model;
  w->n = 2 * model->nv, w->m = model->nu;
  w->state_size = (size_t)limpet_data_state_size(model);
  w->world = limpet_data_create(model);
  w->box_memory = malloc(limpet_boxed_lcp_memory_size(w->m) + 1);
  bool made = w->world && w->box_memory;
  rooms_list(plan, table);
  for (room *r = table; r->array; ++r) made &= (*r->array = numbers(r->count)) != NULL;
  return made;
}

limpet_plan *limpet_plan_create(const limpet_model *model, int knot_limit, limpet_error *error) {
  assert(model && knot_limit > 0);
  if (model->na > 0) {
    limpet_error_fill(error, LIMPET_ERROR_UNSUPPORTED,
                      "the model has %d actuators with a state of their own (activation), of which "
                      "there are no derivatives; plan with motors or servos without one",
                      model->na);
    return NULL;
  }
  for (int i = 0; i < model->actuator_count; ++i) {
    if (model->actuator_history[i] < 0) continue;
    const char *name = limpet_model_name(model, LIMPET_OBJECT_ACTUATOR, i);
    limpet_error_fill(error, LIMPET_ERROR_UNSUPPORTED,
                      "the control of actuator '%s' acts after a delay, which derivatives do not "
                      "follow; plan without the delay",
                      name ? name : "");
    return NULL;
  }
  limpet_plan *plan = calloc(1, sizeof *plan);
  limpet_plan_workspace *w = calloc(1, sizeof *w);
  if (!plan || !w) {
    free(plan), free(w);
    limpet_error_fill(error, LIMPET_ERROR_MEMORY, "not enough memory for a plan");
    return NULL;
  }
  plan->workspace = w;
  plan->knot_limit = knot_limit;
  plan->failed_knot = -1;
  if (!workspace_fill(plan, model)) {
    limpet_plan_destroy(plan);
    limpet_error_fill(error, LIMPET_ERROR_MEMORY, "not enough memory for a plan of %d knots",
                      knot_limit);
    return NULL;
  }
  for (int i = 0; i < knot_limit * w->m; ++i) plan->control[i] = w->world->control[i % w->m];
  return plan;
}

void limpet_plan_destroy(limpet_plan *plan) {
  if (!plan) return;
  limpet_plan_workspace *w = plan->workspace;
  room table[40];
  rooms_list(plan, table);
  for (room *r = table; r->array; ++r) free(*r->array);
  for (int i = 0; i < w->worker_count; ++i) worker_release(&w->worker[i]);
  free(w->worker);
  limpet_threads_destroy(w->threads);
  limpet_data_destroy(w->world);
  free(w->box_memory);
  free(w);
  free(plan);
}
