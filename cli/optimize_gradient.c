/* cli/optimize_gradient.c: the gradient of a plan's cost by its controls, by one backward pass
 * (limpet/rollout_gradient.h): how the cost would change with each control. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limpet/rollout_gradient.h"
#include "optimize.h"
#include "signals.h"

typedef struct loss {
  const limpet_optimize *run;
  double *x, *xx, *u, *uu, *ux;  // of one knot
} loss;

static double *numbers(int count) { return calloc((size_t)count + 1, sizeof(double)); }

// The gradient of the cost of the knot that begins with this step.
static void loss_add(void *context, int step, const limpet_model *model, const limpet_data *data,
                     double *by_q, double *by_v, double *by_control) {
  const loss *l = context;
  const limpet_plan_problem *problem = &l->run->task->problem;
  const int nv = model->nv, nu = model->nu, n = 2 * nv, knot = step / problem->hold;
  if (step % problem->hold) return;
  const bool last = !by_control;
  limpet_plan_quadratic model_of = {.x = l->x, .xx = l->xx};
  if (!last) model_of.u = l->u, model_of.uu = l->uu, model_of.ux = l->ux;
  memset(l->x, 0, (size_t)n * sizeof(double));
  memset(l->u, 0, (size_t)nu * sizeof(double));

  // the cost takes a world that it may write into, and leaves its state as it is
  limpet_data *world = l->run->world;
  world->time = data->time;
  memcpy(world->q, data->q, (size_t)model->nq * sizeof(double));
  memcpy(world->v, data->v, (size_t)nv * sizeof(double));
  memcpy(world->control, data->control, (size_t)nu * sizeof(double));
  limpet_kinematics(model, world);
  limpet_velocity_kinematics(model, world);
  problem->cost(problem->context, model, world, knot,
                last ? 0.0 : problem->hold * l->run->task->step.time_step, &model_of);
  for (int i = 0; i < nv; ++i) by_q[i] += l->x[i], by_v[i] += l->x[nv + i];
  for (int i = 0; i < nu && !last; ++i) by_control[i] += l->u[i];
}

static bool go_on(void *context) {
  (void)context;
  return !limpet_signal_caught();
}

// Sums of the steps of each knot; false without memory.
static bool gradient_compute(limpet_optimize *run, loss *l) {
  const limpet_model *model = run->model;
  const limpet_plan_task *task = run->task;
  const int nu = model->nu, hold = task->problem.hold, steps = run->plan->knot_count * hold;
  double *control = numbers(steps * nu);
  limpet_rollout_gradient *g = limpet_rollout_gradient_create(model, steps, 0);
  limpet_data *data = limpet_data_create(model);
  bool good = control && g && data;
  for (int i = 0; good && i < steps * nu; ++i)
    control[i] = run->plan->control[i / nu / hold * nu + i % nu];
  if (good) {
    limpet_rollout_gradient_request request = {
        .settings = &task->step,
        .step_count = steps,
        .control = control,
        .loss = loss_add,
        .context = l,
        .smoothing = run->smoothed && task->stage_count > 0 ? &task->stage[0].smoothing : NULL,
        .go_on = go_on};
    limpet_data_state_write(model, data, task->problem.start_state);
    good = limpet_rollout_gradient_compute(g, model, data, &request);
    run->gradient_reason = good ? NULL : g->reason;
    run->gradient_step = g->step;
    run->kink_count = g->kinks;
  }
  for (int i = 0; good && i < steps * nu; ++i)
    run->gradient[i / nu / hold * nu + i % nu] += g->by_control[i];
  limpet_data_destroy(data);
  limpet_rollout_gradient_destroy(g);
  free(control);
  return good;
}

bool limpet_optimize_differentiate(limpet_optimize *run) {
  const int n = 2 * run->model->nv, m = run->model->nu;
  loss l = {run, numbers(n), numbers(n * n), numbers(m), numbers(m * m), numbers(m * n)};
  run->gradient = numbers(run->plan->knot_count * m);
  run->world = limpet_data_create(run->model);
  const bool good = l.x && l.xx && l.u && l.uu && l.ux && run->gradient && run->world &&
                    gradient_compute(run, &l);
  if (!good) {
    free(run->gradient);
    run->gradient = NULL;
  }
  if (!good && run->gradient_reason && !limpet_signal_caught())
    limpet_complain("--gradient: step %d has no derivative: %s", run->gradient_step,
                    run->gradient_reason);
  free(l.x), free(l.xx), free(l.u), free(l.uu), free(l.ux);
  return good;
}
