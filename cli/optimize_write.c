/* cli/optimize_write.c: what `limpet optimize` writes: tables, replay, the result in words and as
 * JSON. Tables of controls have a row for each step at its very time, so that `limpet run` repeats
 * the plan bit by bit. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "optimize.h"
#include "output.h"

// A world that goes through the steps of the plan.
typedef struct walk {
  const limpet_optimize *run;
  limpet_data *data;
  int step;  // next
} walk;

static int step_count(const limpet_optimize *run) {
  return run->plan->knot_count * run->task->problem.hold;
}

static bool walk_begin(walk *w, const limpet_optimize *run) {
  *w = (walk){.run = run, .data = limpet_data_create(run->model)};
  if (!w->data) {
    limpet_complain("not enough memory");
    return false;
  }
  limpet_data_state_write(run->model, w->data, run->task->problem.start_state);
  return true;
}

// Sets the control of the next step; false behind the last.
static bool walk_control(walk *w) {
  const limpet_optimize *run = w->run;
  if (w->step == step_count(run)) return false;
  const int knot = w->step / run->task->problem.hold, nu = run->model->nu;
  memcpy(w->data->control, run->plan->control + knot * nu, (size_t)nu * sizeof(double));
  return true;
}

static void walk_step(walk *w) {
  limpet_step(w->run->model, w->data, &w->run->task->step);
  ++w->step;
}

// ------------------------------------------------------------------------------------- tables

static void name_print(FILE *file, const limpet_model *model, limpet_object object, int index,
                       const char *word) {
  const char *name = limpet_model_name(model, object, index);
  if (name) fprintf(file, ",%s", name);
  else fprintf(file, ",%s%d", word, index);
}

static void numbers_print(FILE *file, const double *values, int count) {
  for (int i = 0; i < count; ++i) fprintf(file, ",%.17g", values[i]);
}

static bool controls_print(const limpet_optimize *run, FILE *file) {
  walk w;
  if (!walk_begin(&w, run)) return false;
  fprintf(file, "time");
  for (int i = 0; i < run->model->nu; ++i)
    name_print(file, run->model, LIMPET_OBJECT_ACTUATOR, i, "u");
  fputc('\n', file);
  for (; walk_control(&w); walk_step(&w)) {
    fprintf(file, "%.17g", w.data->time);
    numbers_print(file, w.data->control, run->model->nu);
    fputc('\n', file);
  }
  limpet_data_destroy(w.data);
  return true;
}

static bool states_print(const limpet_optimize *run, FILE *file) {
  const limpet_model *model = run->model;
  walk w;
  if (!walk_begin(&w, run)) return false;
  fprintf(file, "time");
  for (int i = 0; i < model->nq; ++i) fprintf(file, ",q%d", i);
  for (int i = 0; i < model->nv; ++i) fprintf(file, ",v%d", i);
  for (int i = 0; i < model->nu; ++i) name_print(file, model, LIMPET_OBJECT_ACTUATOR, i, "u");
  fputc('\n', file);
  for (bool more = true; more;) {
    more = walk_control(&w);
    fprintf(file, "%.17g", w.data->time);
    numbers_print(file, w.data->q, model->nq);
    numbers_print(file, w.data->v, model->nv);
    numbers_print(file, w.data->control, model->nu);
    fputc('\n', file);
    if (more) walk_step(&w);
  }
  limpet_data_destroy(w.data);
  return true;
}

static bool iterations_print(const limpet_optimize *run, FILE *file) {
  fprintf(file,
          "iteration,cost,expected,step_length,regularization,gap,clamped,differences,"
          "derivative_time,total_time\n");
  for (int i = 0; i < run->row_count; ++i) {
    const limpet_plan_iteration *r = &run->row[i];
    fprintf(file, "%d,%.17g,%.9g,%.9g,%.9g,%.9g,%d,%d,%.6g,%.6g\n", r->number, r->cost, r->expected,
            r->step_length, r->regularization, r->gap, r->clamped, r->differences,
            r->derivative_time, r->total_time);
  }
  return true;
}

static bool gradient_print(const limpet_optimize *run, FILE *file) {
  const int nu = run->model->nu;
  const double length = run->task->problem.hold * run->task->step.time_step,
               start = run->task->problem.start_state[0];  // a state begins with its time
  fprintf(file, "time");
  for (int i = 0; i < nu; ++i) name_print(file, run->model, LIMPET_OBJECT_ACTUATOR, i, "u");
  fputc('\n', file);
  for (int k = 0; k < run->plan->knot_count; ++k) {
    fprintf(file, "%.17g", start + k * length);
    numbers_print(file, run->gradient + k * nu, nu);
    fputc('\n', file);
  }
  return true;
}

static bool table_write(const limpet_optimize *run, const char *path,
                        bool (*print)(const limpet_optimize *run, FILE *file)) {
  limpet_output output;
  if (!path) return true;
  if (!limpet_output_begin(&output, path)) return false;
  errno = 0;
  FILE *file = fopen(output.temporary, "w");
  bool good = file && print(run, file) && !ferror(file);
  const int problem = errno;
  if (file && fclose(file) != 0) good = false;
  if (good) return limpet_output_commit(&output);
  limpet_complain("%s: cannot be written: %s", path, strerror(problem ? problem : errno));
  limpet_output_discard(&output);
  return false;
}

static bool replay_write(const limpet_optimize *run) {
  limpet_error error;
  walk w;
  limpet_step_settings settings = run->task->step;
  settings.energy = true;
  limpet_replay *replay = limpet_replay_open(run->model, run->model_path, &settings, 1);
  if (!replay) return false;
  bool good = walk_begin(&w, run);
  if (good) limpet_replay_append(replay, run->model, w.data);
  for (; good && walk_control(&w); ++w.step) {
    limpet_step(run->model, w.data, &settings);
    good = limpet_replay_append(replay, run->model, w.data) == LIMPET_OK;
  }
  if (good && limpet_replay_write(replay, run->model, run->html, &error) != LIMPET_OK) {
    limpet_complain("%s", error.message);
    good = false;
  }
  limpet_data_destroy(w.data);
  limpet_replay_destroy(replay);
  return good;
}

int limpet_optimize_write(const limpet_optimize *run) {
  bool good = table_write(run, run->controls, controls_print);
  good &= table_write(run, run->states, states_print);
  good &= table_write(run, run->iterations, iterations_print);
  if (run->gradient) good &= table_write(run, run->derivative, gradient_print);
  if (run->html) good &= replay_write(run);
  return good ? LIMPET_EXIT_FINE : LIMPET_EXIT_INPUT;
}

// ------------------------------------------------------------------------------------- telling

static int difference_count(const limpet_optimize *run) {
  int count = 0;
  for (int i = 0; i < run->row_count; ++i) count += run->row[i].differences;
  return count;
}

// [s]  of a derivative of one step, all threads together.
static double derivative_mean(const limpet_plan *plan) {
  return plan->derivative_count > 0 ? plan->derivative_time / plan->derivative_count : 0.0;
}

void limpet_optimize_print(const limpet_optimize *run) {
  limpet_plan *plan = run->plan;
  printf("\noutcome      %s after %d iterations\n", limpet_plan_outcome_word(run->outcome),
         plan->iterations);
  printf("cost         %.9g, at the start %.9g\n", plan->cost, run->row[0].cost);
  for (int i = 0; i < run->task->term_count; ++i) {
    double running, last;
    const char *name = limpet_plan_task_term(run->task, plan, i, &running, &last);
    printf("             %-24s on the way %10.4g, at the end %10.4g\n", name, running, last);
  }
  printf("time         %.3g s, of which %.3g s in %d derivatives of steps (%.3g ms each)\n",
         plan->total_time, plan->derivative_time, plan->derivative_count,
         1e3 * derivative_mean(plan));
  const int differences = difference_count(run);
  if (differences > 0)
    printf("             %d of them by differences, where a step has no derivative\n", differences);
  if (run->controls) printf("controls     %s\n", run->controls);
  if (run->states) printf("states       %s\n", run->states);
  if (run->iterations) printf("iterations   %s\n", run->iterations);
  if (run->html) printf("replay       %s\n", run->html);
}

static json_t *row_json(const limpet_plan_iteration *r) {
  return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}", "iteration", r->number, "cost",
                   limpet_json_number(r->cost), "step_length", limpet_json_number(r->step_length),
                   "regularization", limpet_json_number(r->regularization), "gap",
                   limpet_json_number(r->gap), "time", limpet_json_number(r->total_time));
}

// Hash of the state at the end, as `limpet run` gives it; null without memory.
static json_t *end_hash(const limpet_optimize *run) {
  limpet_data *data = limpet_data_create(run->model);
  if (!data) return json_null();
  const int size = limpet_data_state_size(run->model);
  limpet_data_state_write(run->model, data, run->plan->state + run->plan->knot_count * size);
  json_t *hash = limpet_json_hash(limpet_data_state_hash(run->model, data));
  limpet_data_destroy(data);
  return hash;
}

void limpet_optimize_print_json(const limpet_optimize *run) {
  limpet_plan *plan = run->plan;
  const int S = limpet_data_state_size(run->model), nq = run->model->nq;
  const double *end = plan->state + plan->knot_count * S;
  json_t *rows = json_array(), *terms = json_array();
  for (int i = 0; i < run->row_count; ++i) json_array_append_new(rows, row_json(&run->row[i]));
  for (int i = 0; i < run->task->term_count; ++i) {
    double running, last;
    const char *name = limpet_plan_task_term(run->task, plan, i, &running, &last);
    json_array_append_new(
        terms, json_pack("{s:o, s:o, s:o}", "name", limpet_json_text(name), "running",
                         limpet_json_number(running), "final", limpet_json_number(last)));
  }
  json_t *root = json_pack(
      "{s:s, s:o, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:o}", "schema",
      "limpet.optimize/1", "file", limpet_json_text(run->path), "outcome",
      limpet_plan_outcome_word(run->outcome), "iterations", plan->iterations, "cost",
      limpet_json_number(plan->cost), "terms", terms, "end_q", limpet_json_array(end + 1, nq),
      "end_v", limpet_json_array(end + 1 + nq, run->model->nv), "state_hash", end_hash(run), "time",
      limpet_json_number(plan->total_time), "derivative_time",
      limpet_json_number(plan->derivative_time), "derivatives", plan->derivative_count,
      "differences", difference_count(run), "log", rows);
  if (run->gradient) json_object_set_new(root, "gradient_kinks", json_integer(run->kink_count));
  limpet_json_print(root, stdout, false);
  json_decref(root);
}
