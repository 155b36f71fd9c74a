/* gradient/gradient.c: a step with its derivatives: the step, its equations factored, how they
 * change along every parameter. */
#include "limpet/gradient.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gradient/flight.h"
#include "gradient/jump.h"
#include "law/contact_model.h"
#include "model/workspace.h"
#include "step/scheme.h"

enum { ARENA_START = 1 << 14 };  // [bytes]  grows with what is met

limpet_gradient_settings limpet_gradient_settings_default(void) {
  return (limpet_gradient_settings){.difference = 1e-6,
                                    .kink_speed = 1e-9,
                                    .state = true,
                                    .inputs = true,
                                    .contacts = true,
                                    .jacobians = true,
                                    .jump_directions = 2,
                                    .smoothing = limpet_gradient_smoothing_default()};
}

limpet_gradient *limpet_gradient_create(const limpet_model *model) {
  assert(model);
  limpet_gradient *gradient = calloc(1, sizeof *gradient);
  limpet_gradient_workspace *w = calloc(1, sizeof *w);
  if (gradient && w) {
    gradient->workspace = w;
    gradient->reason = "no step was made yet";
    w->model = model;
    w->world = limpet_data_create(model);
    w->start = calloc(12 * (size_t)model->geom_count + 1, sizeof *w->start);
    if (w->world && w->start && limpet_arena_create(&w->arena, ARENA_START) == 0) return gradient;
  }
  if (gradient && w) limpet_gradient_destroy(gradient);
  else free(w), free(gradient);
  return NULL;
}

void limpet_gradient_destroy(limpet_gradient *gradient) {
  if (!gradient) return;
  limpet_gradient_workspace *w = gradient->workspace;
  limpet_data_destroy(w->world);
  limpet_arena_destroy(&w->arena);
  limpet_gradient_destroy(w->smoothed);
  limpet_data_destroy(w->smoothed_world);
  limpet_data_destroy(w->jump_world);
  free(w->start);
  free(w);
  free(gradient);
}

static void forget(limpet_gradient *gradient) {
  limpet_gradient_workspace *w = gradient->workspace;
  gradient->dq = gradient->dv = gradient->kink = gradient->adjoint = (limpet_gradient_arrays){0};
  gradient->contact_count = gradient->weak_count = gradient->dependent_count =
      gradient->carried_count = gradient->vertex_kink_count = 0;
  gradient->elastic_scatter = 0.0, gradient->elastic_margin = INFINITY;
  gradient->contact_margin = NULL;
  gradient->by_differences = NULL;
  gradient->approximate = w->approximate = w->carries = false;
  gradient->jump =
      (limpet_gradient_jump){.distance = INFINITY, .dof = LIMPET_NONE, .contact = LIMPET_NONE};
  w->data = NULL;
  w->soft = NULL;
  w->reverse = NULL;
  limpet_arena_reset(&w->arena);
}

// NULL: there are derivatives of such steps.
static const char *unsupported(const limpet_step_settings *settings) {
  if (settings->scheme->impulsive || settings->scheme->advance)
    return "the scheme has no derivatives";
  if (settings->contact_model->family == LIMPET_CONTACT_IMPULSIVE)
    return "the contact model has no derivatives";
  return NULL;
}

const char *limpet_residual_reason(limpet_residual_outcome outcome) {
  switch (outcome) {
    case LIMPET_RESIDUAL_OUT_OF_MEMORY: return "out of memory";
    case LIMPET_RESIDUAL_SINGULAR: return "the equations of the active rows are singular";
    case LIMPET_RESIDUAL_OTHER:
      return "the constraints of the step changed within a difference: make settings.difference "
             "smaller";
    case LIMPET_RESIDUAL_DONE: break;
  }
  return NULL;
}

static limpet_status take_workspaces(limpet_gradient_workspace *w) {
  const int nv = w->residual.solved->problem.nv, joints = w->model->joint_count;
  w->change = LIMPET_TAKE(&w->arena, double, w->residual.size);
  w->velocity = LIMPET_TAKE(&w->arena, double, nv);
  w->shift = LIMPET_TAKE(&w->arena, double, nv);
  w->integration = (limpet_integration){w->model, w->settings.time_step,
                                        LIMPET_TAKE(&w->arena, double, 9 * joints),
                                        LIMPET_TAKE(&w->arena, double, 9 * joints)};
  const bool none =
      !w->change || !w->velocity || !w->shift || !w->integration.by_q || !w->integration.by_v;
  return none ? LIMPET_ERROR_MEMORY : LIMPET_OK;
}

// contact_margin of all contacts.
static limpet_status take_margins(limpet_gradient *gradient) {
  limpet_gradient_workspace *w = gradient->workspace;
  const limpet_contact_problem *problem = &w->residual.solved->problem;
  if (!w->residual.smooth) return LIMPET_OK;
  gradient->contact_margin = LIMPET_TAKE(&w->arena, double, problem->contact_count);
  if (!gradient->contact_margin) return LIMPET_ERROR_MEMORY;
  for (int k = 0; k < problem->island_count; ++k) {
    const limpet_island *island = &problem->island[k];
    for (int i = 0; i < island->contact_count; ++i)
      gradient->contact_margin[problem->contact_source[island->contact + i]] =
          limpet_smooth_island_margin(&w->residual.smooth[k], i);
  }
  return LIMPET_OK;
}

/* Contacts with a force that lost their features. A point of a contact surface that is lost has a
 * part of its area only, and its neighbours take that over. */
static void count_carried(limpet_gradient *gradient, const bool *carried) {
  limpet_gradient_workspace *w = gradient->workspace;
  const limpet_solved_step *solved = w->residual.solved;
  for (int i = 0; i < solved->problem.contact_count; ++i) {
    if (!carried[i] || !(solved->solution.gamma[3 * i + 2] > 0.0)) continue;
    ++gradient->carried_count;
    const double area = solved->records.record[solved->problem.contact_source[i]].area;
    w->carries = w->carries || (w->residual.smooth && area == 0.0);
  }
}

// Products without columns, where the whole step has that form. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status find_reverse(limpet_gradient_workspace *w, limpet_probe *probe,
                                  const limpet_data *data) {
  const limpet_gradient_settings *wanted = &w->wanted;
  if (wanted->jacobians || wanted->differences || w->soft) return LIMPET_OK;
  const limpet_ending ending = {.residual = probe->residual,
                                .integration = &w->integration,
                                .start = probe->data,
                                .end = data};
  const limpet_reverse_settings settings = {.state = wanted->state,
                                            .inputs = wanted->inputs,
                                            .width = LIMPET_SMOOTH_DIFFERENCE * wanted->difference,
                                            .control_share = wanted->difference};
  return limpet_reverse_make(probe, &ending, &settings, &w->arena, &w->reverse);
}

// Columns, or what products need instead of them.
static limpet_residual_outcome find_columns(limpet_gradient_workspace *w, limpet_probe *probe,
                                            const limpet_data *data) {
  limpet_integration_compute(&w->integration, w->residual.solved->solution.v,
                             w->settings.compatibility.first_order_rotation);
  if (find_reverse(w, probe, data)) return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  if (!w->reverse) {
    const limpet_residual_outcome outcome =
        limpet_columns_fill(probe, &w->wanted, w->carries_on, &w->arena, &w->columns);
    if (outcome != LIMPET_RESIDUAL_DONE) return outcome;
    return limpet_gradient_endings(w, data) ? LIMPET_RESIDUAL_OUT_OF_MEMORY : outcome;
  }
  w->columns = (limpet_columns){.by_differences = LIMPET_TAKE_ZERO(&w->arena, bool, w->model->nv)};
  w->flies = false;
  w->end_count = w->tree_end_count = w->free_end_count = 0;
  return w->columns.by_differences ? LIMPET_RESIDUAL_DONE : LIMPET_RESIDUAL_OUT_OF_MEMORY;
}

static limpet_residual_outcome differentiate(limpet_gradient *gradient, const limpet_data *data,
                                             const limpet_solved_step *solved,
                                             const char **reason) {
  limpet_gradient_workspace *w = gradient->workspace;
  w->solved = solved;
  *reason = limpet_soft_gradient_begin(w, data, &solved);
  if (*reason) return LIMPET_RESIDUAL_DONE;
  limpet_residual_outcome outcome =
      limpet_residual_begin(&w->residual, w->model, solved, solved->solution.v,
                            w->wanted.kink_speed, &w->arena, gradient);
  if (outcome != LIMPET_RESIDUAL_DONE) return outcome;
  const limpet_contact_problem *problem = &solved->problem;
  limpet_probe *probe = w->probe = LIMPET_TAKE(&w->arena, limpet_probe, 1);
  if (!probe) return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  *probe = (limpet_probe){.model = w->model,
                          .settings = &w->settings,
                          .residual = &w->residual,
                          .data = w->world,
                          .has_mass = w->has_mass,
                          .slack = 100.0 * w->wanted.difference,
                          .start_position = w->start,
                          .start_rotation = w->start + 3 * w->model->geom_count,
                          .carried = LIMPET_TAKE_ZERO(&w->arena, bool, problem->contact_count),
                          .soft = w->soft ? &w->soft->assembled : NULL};
  if (!probe->carried || take_workspaces(w) || limpet_probe_servos(probe, &w->arena))
    return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  outcome = find_columns(w, probe, data);
  if (outcome != LIMPET_RESIDUAL_DONE) return outcome;
  gradient->contact_count = problem->contact_count;
  gradient->by_differences = w->residual.smooth ? w->columns.by_differences : NULL;
  if (take_margins(gradient)) return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  gradient->approximate = w->approximate =
      w->residual.approximate ||
      (w->residual.smooth && (data->info.repeats > 0 || data->info.restrained_returns > 0 ||
                              data->info.bounded_contacts > 0));
  limpet_soft_gradient_rounds(gradient, data, solved);
  if (w->wanted.jump_width > 0.0) {
    if (limpet_gradient_look_for_jump(w, &gradient->jump)) return LIMPET_RESIDUAL_OUT_OF_MEMORY;
    gradient->approximate = w->approximate =
        w->approximate || gradient->jump.cause != LIMPET_JUMP_NONE;
  }
  outcome = limpet_soft_gradient_fill(w, probe);
  if (outcome != LIMPET_RESIDUAL_DONE) return outcome;
  count_carried(gradient, probe->carried);
  gradient->vertex_kink_count = w->soft ? w->soft->kinks : 0;
  if (limpet_gradient_take(w, 1, &gradient->adjoint)) return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  if (!w->wanted.jacobians) return LIMPET_RESIDUAL_DONE;
  if (limpet_gradient_take(w, w->model->nv, &gradient->dq) ||
      limpet_gradient_take(w, w->model->nv, &gradient->dv) ||
      limpet_gradient_take(w, 1, &gradient->kink))
    return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  return limpet_gradient_fill(w, gradient) ? LIMPET_RESIDUAL_OUT_OF_MEMORY : LIMPET_RESIDUAL_DONE;
}

limpet_outcome limpet_gradient_begin(const limpet_model *model, limpet_data *data,
                                     const limpet_step_settings *settings,
                                     const limpet_gradient_settings *gradient_settings,
                                     limpet_gradient *gradient) {
  limpet_gradient_workspace *w = gradient->workspace;
  assert(w->model == model && gradient_settings->difference > 0.0);
  assert(gradient_settings->jump_width >= 0.0 && gradient_settings->jump_directions > 0);
  forget(gradient);
  w->settings = *settings;
  w->wanted = *gradient_settings;
  gradient->reason = unsupported(settings);
  if (!gradient->reason) limpet_gradient_keep_state(w, data, settings->scheme->from_rest);

  data->workspace->derivatives_follow = !gradient->reason && !w->wanted.differences;
  const limpet_outcome outcome = limpet_step(model, data, settings);
  data->workspace->derivatives_follow = false;
  if (!gradient->reason && outcome != LIMPET_OUTCOME_SOLVED &&
      outcome != LIMPET_OUTCOME_PRECISION_LIMIT)
    gradient->reason = outcome == LIMPET_OUTCOME_ITERATION_LIMIT
                           ? "the step was not solved to settings.tolerance"
                           : "the step was not solved";
  if (!gradient->reason) limpet_gradient_keep_poses(w, data);
  return outcome;
}

// Plain derivatives of the step; NULL, or why there are none.
static const char *differentiate_plain(limpet_gradient *gradient, const limpet_data *data) {
  const char *reason = NULL;
  const limpet_residual_outcome outcome =
      differentiate(gradient, data, limpet_solved_step_of(data), &reason);
  return reason ? reason : limpet_residual_reason(outcome);
}

void limpet_gradient_end(limpet_gradient *gradient, const limpet_data *data) {
  limpet_gradient_workspace *w = gradient->workspace;
  gradient->arena_growth = w->arena.growth_count;
  if (gradient->reason) {
    const char *reason = gradient->reason;
    forget(gradient);
    gradient->reason = reason;
    return;
  }
  w->data = data;
  w->step_count = data->step_count;
}

limpet_outcome limpet_gradient_step_plain(const limpet_model *model, limpet_data *data,
                                          const limpet_step_settings *settings,
                                          const limpet_gradient_settings *gradient_settings,
                                          limpet_gradient *gradient) {
  const limpet_outcome outcome =
      limpet_gradient_begin(model, data, settings, gradient_settings, gradient);
  if (!gradient->reason) gradient->reason = differentiate_plain(gradient, data);
  limpet_gradient_end(gradient, data);
  return outcome;
}
