/* control/plan_read.c: a plan.json: step, horizon, limits, cost terms, settings of the optimiser.
 * The start and the guess are read by plan_read_start.c. docs/trajectory-optimisation.md describes
 * the file. */
#include "control/plan_read.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { KNOT_LIMIT = 100000, HOLD_LIMIT = 1000, THREAD_LIMIT = 256, ITERATION_LIMIT = 1000000 };

// -------------------------------------------------------------------------------------- step

// One setting of "settings" by the table of the fields of the step.
static bool setting_read(limpet_step_settings *step, const limpet_json *value) {
  const limpet_field *field = limpet_field_find(limpet_step_settings_fields(), value->key);
  double number = json_number_value(value->value);
  if (!field || !(field->uses & LIMPET_FIELD_OPTION))
    return limpet_json_fail(value,
                            "is no setting of a step; 'limpet run --help' lists them, with _ "
                            "for - here");
  if (field->type == LIMPET_FIELD_BOOL) {
    if (!json_is_boolean(value->value)) return limpet_json_fail(value, "must be true or false");
    number = json_is_true(value->value) ? 1.0 : 0.0;
  } else if (!json_is_number(value->value)) {
    return limpet_json_fail(value, "must be a number");
  }
  if (!limpet_field_allows(field, number))
    return limpet_json_fail(value, "is %g, out of its range", number);
  limpet_field_assign(field, step, 0, number);
  return true;
}

static bool settings_read(limpet_step_settings *step, const limpet_json *root) {
  limpet_json object;
  const char *key;
  json_t *value;
  if (!limpet_json_member(&object, root, "settings")) return true;
  if (!json_is_object(object.value)) return limpet_json_fail(&object, "must be an object {...}");
  json_object_foreach((json_t *)object.value, key, value) {
    limpet_json member;
    limpet_json_member(&member, &object, key);
    if (!setting_read(step, &member)) return false;
  }
  return true;
}

bool limpet_plan_step_read(limpet_step_settings *step, const limpet_model *model,
                           const limpet_json *root) {
  const char *preset, *contact, *scheme;
  limpet_json member;
  *step = limpet_step_settings_default(model);
  if (!limpet_json_text(root, "preset", "limpet", &preset) ||
      !limpet_json_text(root, "scheme", "", &scheme) ||
      !limpet_json_text(root, "contact_model", "", &contact))
    return false;
  limpet_json_member(&member, root, "preset");
  if (!limpet_step_settings_preset(step, model, preset))
    return limpet_json_fail(&member, "'%.60s' is no preset; 'limpet list presets' names them",
                            preset);
  const bool has_scheme = limpet_json_member(&member, root, "scheme");
  if (has_scheme && !limpet_scheme_find(scheme))
    return limpet_json_fail(&member, "'%.60s' is no scheme; 'limpet list schemes' names them",
                            scheme);
  if (has_scheme) limpet_step_settings_scheme(step, limpet_scheme_find(scheme));
  const bool has_model = limpet_json_member(&member, root, "contact_model");
  if (has_model && !limpet_contact_model_find(contact))
    return limpet_json_fail(&member, "'%.60s' is no contact model; 'limpet list models' names them",
                            contact);
  if (has_model)
    limpet_step_settings_preset_model(step, preset, limpet_contact_model_find(contact));
  if (!limpet_scheme_takes(step->scheme, step->contact_model))
    return limpet_json_fail(root, "the scheme does not step with this contact model");
  if (!limpet_json_number(root, "time_step", &step->time_step, &step->time_step)) return false;
  limpet_json_member(&member, root, "time_step");
  if (!(step->time_step > 0.0)) return limpet_json_fail(&member, "must be positive [s]");
  return settings_read(step, root);
}

// ----------------------------------------------------------------------------------- numbers

static bool count_read(const limpet_json *object, const char *key, int least, int most,
                       int *value) {
  const double absent = *value;
  double number;
  limpet_json member;
  if (!limpet_json_number(object, key, &absent, &number)) return false;
  limpet_json_member(&member, object, key);
  if (!(number >= least && number <= most) || number != floor(number))
    return limpet_json_fail(&member, "is %g; a whole number from %d to %d is wanted", number, least,
                            most);
  *value = (int)number;
  return true;
}

static bool number_read(const limpet_json *object, const char *key, double *value) {
  limpet_json member;
  if (!limpet_json_number(object, key, value, value)) return false;
  limpet_json_member(&member, object, key);
  return *value >= 0.0 || limpet_json_fail(&member, "is %g and must not be negative", *value);
}

// Knots from the duration: a whole number of steps, rounded up to whole knots.
static bool horizon_read(limpet_plan_task *task, const limpet_json *root) {
  double duration;
  limpet_json member;
  task->problem.hold = 1;
  if (!limpet_json_number(root, "duration", NULL, &duration) ||
      !count_read(root, "hold", 1, HOLD_LIMIT, &task->problem.hold))
    return false;
  limpet_json_member(&member, root, "duration");
  const double length = task->problem.hold * task->step.time_step,
               knots = ceil(duration / length - 1e-6);
  if (!(duration > 0.0)) return limpet_json_fail(&member, "must be positive [s]");
  if (knots > KNOT_LIMIT)
    return limpet_json_fail(&member,
                            "takes %g knots of %g s, more than %d; make it shorter, or \"hold\" "
                            "controls for more steps",
                            knots, length, KNOT_LIMIT);
  if (!(duration > 0.5 * length))
    return limpet_json_fail(&member,
                            "is %g s, no part of a knot of %g s; make \"time_step\" or \"hold\" "
                            "smaller; times are in seconds",
                            duration, length);
  task->problem.knot_count = (int)knots;
  return true;
}

static bool factor_read(const limpet_json *object, double *value) {
  limpet_json member;
  if (!limpet_json_number(object, "regularization_factor", value, value)) return false;
  limpet_json_member(&member, object, "regularization_factor");
  return *value > 1.0 || limpet_json_fail(&member, "is %g; more than 1 is wanted, 10 say", *value);
}

static bool solver_read(limpet_plan_settings *settings, const limpet_json *root) {
  static const char *const keys[] = {"iterations",
                                     "tolerance",
                                     "threads",
                                     "regularization",
                                     "control_regularization",
                                     "state_regularization",
                                     "regularization_factor",
                                     "line_search",
                                     NULL};
  limpet_json object;
  *settings = limpet_plan_settings_default();
  if (!limpet_json_member(&object, root, "solver")) return true;
  return limpet_json_keys(&object, keys) &&
         count_read(&object, "iterations", 0, ITERATION_LIMIT, &settings->iteration_limit) &&
         count_read(&object, "threads", 1, THREAD_LIMIT, &settings->threads) &&
         count_read(&object, "line_search", 1, 60, &settings->line_search_limit) &&
         number_read(&object, "tolerance", &settings->cost_tolerance) &&
         number_read(&object, "regularization", &settings->regularization_start) &&
         factor_read(&object, &settings->regularization_factor) &&
         number_read(&object, "control_regularization", &settings->control_regularization) &&
         number_read(&object, "state_regularization", &settings->state_regularization);
}

// -------------------------------------------------------------------------------------- task

static bool cost_read(limpet_plan_task *task, const limpet_model *model, const limpet_json *root) {
  enum { TERM_LIMIT = 1000 };
  limpet_json list;
  if (!limpet_json_array(&list, root, "cost", TERM_LIMIT)) return false;
  task->terms = limpet_plan_terms_read(model, &list);
  if (!task->terms) return false;
  task->term_count = task->terms->count;
  task->problem.cost = limpet_plan_terms_cost;
  task->problem.context = task->terms;
  return true;
}

static bool task_read(limpet_plan_task *task, const limpet_model *model, const limpet_json *root) {
  static const char *const keys[] = {"model",  "start",         "duration",  "hold",      "preset",
                                     "scheme", "contact_model", "time_step", "settings",  "control",
                                     "guess",  "cost",          "solver",    "smoothing", NULL};
  if (!limpet_json_keys(root, keys)) return false;
  if (model->nu == 0)
    return limpet_json_fail(root, "the model has no actuators, so there is nothing to plan");
  if (!limpet_plan_step_read(&task->step, model, root) || !horizon_read(task, root) ||
      !solver_read(&task->settings, root) || !limpet_plan_stages_read(task, root))
    return false;
  task->problem.step = &task->step;
  return limpet_plan_start_read(task, model, root) && cost_read(task, model, root);
}

limpet_plan_task *limpet_plan_task_create(const limpet_model *model, const char *text,
                                          const char *file, limpet_error *error) {
  assert(model && text);
  json_error_t wrong;
  json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, &wrong);
  if (!value) {
    limpet_json_refused(error, file, "plan", text, &wrong);
    return NULL;
  }
  const limpet_json_source source = {.file = file ? file : "plan", .text = text, .error = error};
  const limpet_json root = {.value = value, .source = &source};
  limpet_plan_task *task = calloc(1, sizeof *task);
  if (!task) limpet_json_fail(&root, "no memory");
  if (task && !task_read(task, model, &root)) {
    limpet_plan_task_destroy(task);
    task = NULL;
  }
  json_decref(value);
  return task;
}

void limpet_plan_task_destroy(limpet_plan_task *task) {
  if (!task) return;
  limpet_plan_terms_destroy(task->terms);
  free((void *)task->problem.start_state);
  free((void *)task->problem.control_minimum), free((void *)task->problem.control_maximum);
  free((void *)task->control), free((void *)task->state), free((void *)task->stage);
  free(task);
}

void limpet_plan_task_guess(const limpet_plan_task *task, limpet_plan *plan) {
  assert(task && plan && plan->knot_limit >= task->problem.knot_count);
  const limpet_plan_workspace *w = plan->workspace;
  const size_t knots = (size_t)task->problem.knot_count;
  memcpy(plan->control, task->control, knots * (size_t)w->m * sizeof(double));
  if (task->state) memcpy(plan->state, task->state, (knots + 1) * w->state_size * sizeof(double));
}

const char *limpet_plan_task_term(const limpet_plan_task *task, limpet_plan *plan, int term,
                                  double *running, double *last) {
  assert(task && plan && running && last && term >= 0 && term < task->term_count);
  limpet_plan_workspace *w = plan->workspace;
  const double length = task->problem.hold * task->step.time_step;
  *running = 0.0;
  for (int k = 0; k <= plan->knot_count; ++k) {
    const bool end = k == plan->knot_count;
    limpet_plan_world_set(w, plan->state + (size_t)k * w->state_size,
                          end ? NULL : plan->control + k * w->m);
    const double value =
        limpet_plan_term_value(task->terms, term, w->model, w->world, end ? 0.0 : length);
    if (end) *last = value;
    else *running += value;
  }
  return task->terms->term[term].name;
}
