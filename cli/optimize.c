/* cli/optimize.c: `limpet optimize`: a plan.json in, controls and a replay out. */
#include "optimize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "model_beside.h"
#include "output.h"
#include "signals.h"
#include "text_file.h"

// ------------------------------------------------------------------------------------ options

static int options_read(const limpet_command *command, int argc, char **argv,
                        limpet_optimize *run) {
  const limpet_option own[] = {
      {"--controls", LIMPET_OPTION_TEXT, &run->controls, "FILE.csv",
       "write the controls as a table for 'limpet run --controls'", 0, 0, 0},
      {"--states", LIMPET_OPTION_TEXT, &run->states, "FILE.csv",
       "write time, q, v and controls of every step", 0, 0, 0},
      {"--html", LIMPET_OPTION_TEXT, &run->html, "FILE.html",
       "write a replay of the plan for any browser", 0, 0, 0},
      {"--iterations", LIMPET_OPTION_TEXT, &run->iterations, "FILE.csv",
       "write the log of the iterations", 0, 0, 0},
      {"--gradient", LIMPET_OPTION_TEXT, &run->derivative, "FILE.csv",
       "write how the cost changes with each control of the plan", 0, 0, 0},
      {"--smoothed", LIMPET_OPTION_FLAG, &run->smoothed, NULL,
       "--gradient with derivatives of steps smoothed as in the plan's first stage", 0, 0, 0},
      {"--threads", LIMPET_OPTION_COUNT, &run->threads, "N",
       "threads for derivatives; the result does not depend on it; as the plan says", 0, 1, 256},
      {"--json", LIMPET_OPTION_FLAG, &run->json, NULL, "the result as JSON on stdout", 0, 0, 0},
      {"--quiet", LIMPET_OPTION_FLAG, &run->quiet, NULL, "no iterations, no result in words", 0, 0,
       0},
  };
  enum { OWN_COUNT = (int)(sizeof own / sizeof *own) };
  limpet_option table[LIMPET_LOADING_OPTION_COUNT + OWN_COUNT];
  limpet_text_list arguments;
  *run = (limpet_optimize){0};
  int count = limpet_loading_options(&run->loading, table);
  memcpy(table + count, own, sizeof own);
  const int code = limpet_options_parse(command, table, count + OWN_COUNT, argc, argv, &arguments);
  if (code != LIMPET_OPTIONS_GO) return code;
  if (arguments.count != 1) return limpet_options_misused(command);
  run->path = arguments.text[0];
  return LIMPET_OPTIONS_GO;
}

// ------------------------------------------------------------------------------------ opening

static int outputs_check(const limpet_optimize *run) {
  const char *const inputs[] = {run->path, run->model_path};
  const struct {
    const char *option, *path;
  } outputs[] = {{"--controls", run->controls},
                 {"--states", run->states},
                 {"--html", run->html},
                 {"--iterations", run->iterations},
                 {"--gradient", run->derivative}};
  for (size_t i = 0; i < sizeof outputs / sizeof *outputs; ++i) {
    if (!outputs[i].path) continue;
    if (!limpet_output_possible(outputs[i].option, outputs[i].path, inputs, 2))
      return LIMPET_EXIT_INPUT;
    for (size_t k = 0; k < i; ++k)
      if (outputs[k].path && strcmp(outputs[k].path, outputs[i].path) == 0) {
        limpet_complain("%s and %s: both name '%s'", outputs[k].option, outputs[i].option,
                        outputs[i].path);
        return LIMPET_EXIT_USAGE;
      }
  }
  if (run->html && !limpet_replay_available()) {
    limpet_complain("--html: this library was built without the viewer");
    return LIMPET_EXIT_INPUT;
  }
  return LIMPET_OPTIONS_GO;
}

static int optimize_open(limpet_optimize *run) {
  limpet_error error;
  run->model_path = limpet_model_beside(run->path);
  if (!run->model_path) return LIMPET_EXIT_INPUT;
  int code = outputs_check(run);
  if (code != LIMPET_OPTIONS_GO) return code;
  run->model = limpet_model_open(run->model_path, &run->loading, !run->quiet, &code);
  if (!run->model) return code;
  run->text = limpet_text_read(run->path);
  run->task = run->text ? limpet_plan_task_create(run->model, run->text, run->path, &error) : NULL;
  if (run->task) run->plan = limpet_plan_create(run->model, run->task->problem.knot_count, &error);
  if (!run->plan) {
    limpet_complain("%s", run->text ? error.message : run->path);
    return LIMPET_EXIT_INPUT;
  }
  if (run->smoothed && (!run->derivative || run->task->stage_count == 0)) {
    limpet_complain("--smoothed: needs --gradient FILE.csv, and a plan with \"smoothing\"");
    return LIMPET_EXIT_USAGE;
  }
  if (run->threads) run->task->settings.threads = run->threads;
  return LIMPET_OPTIONS_GO;
}

static void optimize_close(limpet_optimize *run) {
  limpet_data_destroy(run->world);
  limpet_plan_destroy(run->plan);
  limpet_plan_task_destroy(run->task);
  if (run->model) limpet_model_destroy(run->model);
  free(run->model_path), free(run->text), free(run->row), free(run->gradient);
}

// ------------------------------------------------------------------------------------ running

static void stage_tell(const limpet_optimize *run, int stage) {
  const limpet_plan_task *task = run->task;
  if (stage < task->stage_count)
    printf("stage %d of %d: derivatives%s smoothed, %s\n", stage + 1, task->stage_count + 1,
           task->stage[stage].rollouts ? " and steps" : "",
           limpet_smoothing_word(task->stage[stage].smoothing.kind));
  else if (stage > 0) printf("stage %d of %d: plain\n", stage + 1, task->stage_count + 1);
  printf("iteration         cost     decrease      step  regularisation       gap   time\n");
}

static bool row_take(void *context, const limpet_plan_iteration *row) {
  limpet_optimize *run = context;
  limpet_plan_iteration *grown = realloc(run->row, (size_t)(run->row_count + 1) * sizeof *run->row);
  if (!grown) return false;
  run->row = grown;
  run->row[run->row_count++] = *row;
  if (!run->quiet && !run->json) {
    if (row->number == 0) stage_tell(run, row->stage);
    const double before = row->number > 0 ? run->row[run->row_count - 2].cost : row->cost;
    printf("%9d %12.6g %12.3g %9.3g %15.3g %9.2g %5.2f s\n", row->number, row->cost,
           before - row->cost, row->step_length, row->regularization, row->gap, row->total_time);
    fflush(stdout);
  }
  return !limpet_signal_caught();
}

// LIMPET_EXIT_FINE where there is a plan, or the exit code after a complaint.
static int outcome_judge(const limpet_optimize *run) {
  const limpet_plan *plan = run->plan;
  if (run->outcome == LIMPET_PLAN_BAD_START && plan->failed_knot < 0)
    limpet_complain(
        "%s: the cost of the guess is too large for a number; look at \"start\" and at targets and "
        "weights of \"cost\"",
        run->path);
  else if (run->outcome == LIMPET_PLAN_BAD_START)
    limpet_complain(
        "%s: a step of knot %d fails with the controls of the guess; try a smaller "
        "\"time_step\" or another \"start\" or \"control\"",
        run->path, plan->failed_knot);
  else if (run->outcome == LIMPET_PLAN_NO_DERIVATIVE)
    limpet_complain("%s: a step of knot %d has no derivative: %s", run->path, plan->failed_knot,
                    plan->reason ? plan->reason : "a step of its differences failed");
  else if (run->outcome == LIMPET_PLAN_OUT_OF_MEMORY) limpet_complain("not enough memory");
  else return LIMPET_EXIT_FINE;
  return LIMPET_EXIT_SIMULATION;
}

static int optimize(limpet_optimize *run) {
  limpet_signals_listen();
  run->task->settings.progress = row_take;
  run->task->settings.context = run;
  limpet_plan_task_guess(run->task, run->plan);
  run->outcome = limpet_plan_task_solve(run->task, run->plan, &run->task->settings);
  int code = outcome_judge(run);
  if (code != LIMPET_EXIT_FINE) return code;
  if (run->derivative && !limpet_optimize_differentiate(run)) code = LIMPET_EXIT_SIMULATION;

  // what was found is told and kept, even where a file fails
  const int written = limpet_optimize_write(run);
  if (run->json) limpet_optimize_print_json(run);
  else if (!run->quiet) limpet_optimize_print(run);
  if (code == LIMPET_EXIT_FINE) code = written;
  if (!limpet_signal_caught()) return code;
  const int made = run->plan->iterations;
  limpet_complain("interrupted after %d iteration%s", made, made == 1 ? "" : "s");
  return LIMPET_EXIT_SIGNAL + limpet_signal_caught();
}

static int run(const limpet_command *command, int argc, char **argv) {
  limpet_optimize all;
  int code = options_read(command, argc, argv, &all);
  if (code != LIMPET_OPTIONS_GO) return code;
  code = optimize_open(&all);
  if (code == LIMPET_OPTIONS_GO) code = optimize(&all);
  optimize_close(&all);
  return code;
}

const limpet_command limpet_command_optimize = {
    .name = "optimize",
    .synopsis = "optimize PLAN.json [options]",
    .summary = "find controls that make a robot do what a cost asks",
    .text =
        "Reads a plan: a model, a start, a duration and a list of cost terms. Finds controls that "
        "make the cost\n"
        "small, by iterated LQR with the derivatives of whole steps, contacts included. The cost "
        "never rises from\n"
        "one iteration to the next. Controls stay within the ranges of the actuators.\n"
        "\n"
        "  {\"model\": \"pendulum.xml\",\n"
        "   \"duration\": 2, \"time_step\": 0.02,\n"
        "   \"cost\": [\n"
        "     {\"kind\": \"joint-position\", \"target\": 3.1416, \"final\": 200},\n"
        "     {\"kind\": \"joint-velocity\", \"final\": 20},\n"
        "     {\"kind\": \"control\", \"running\": 0.01}]}\n"
        "\n"
        "A term is weight x (value - target)^2: \"running\" per second along the way, \"final\" at "
        "the end. Kinds:\n"
        "position, orientation, velocity, angular-velocity (of a site or body: \"frame\"), "
        "joint-position,\n"
        "joint-velocity, control, effort, distance (of two geoms). 'limpet list cost-terms' "
        "explains them,\n"
        "docs/trajectory-optimisation.md all keys. The model is looked for beside the plan.\n"
        "\n"
        "The exit code is 0 where there is a plan, converged or not, and 3 where a step of the "
        "guess "
        "failed or has no\n"
        "derivative. Ctrl-C ends after the iteration and keeps what was found.\n",
    .examples =
        "  limpet optimize scenes/plans/pendulum.json                       iterations, cost by "
        "terms, how it ended\n"
        "  limpet optimize plan.json --html plan.html                       ... and a replay of "
        "the "
        "plan\n"
        "  limpet optimize plan.json --controls u.csv                       controls for:\n"
        "  limpet run model.xml --dt 20ms --time 2s --controls u.csv        the plan, simulated\n",
    .run = run,
};
