/* cli/gradient.c: `limpet gradient`: what the derivatives of a step are worth at a state: sizes,
 * condition, kinks, comparison with differences, time. */
#include "gradient.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

// Half widths of the differences [m, rad, m/s, rad/s, control]; the best of each column counts.
static const double widths[] = {1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
enum { WIDTH_COUNT = (int)(sizeof widths / sizeof *widths), TIMED = 20 };

// ------------------------------------------------------------------------------------ options

typedef struct request {
  limpet_start_options start;
  limpet_loading loading;
  const char *contact, *scheme, *smoothing_word;
  limpet_gradient_smoothing smoothing;
  double jump_width;
  bool json, compare;
  limpet_text_list arguments;
} request;

static int options_read(const limpet_command *command, int argc, char **argv, request *r) {
  limpet_gradient_smoothing *smoothing = &r->smoothing;
  const limpet_option own[] = {
      {"--contact", LIMPET_OPTION_TEXT, &r->contact, "MODEL",
       "contact model ('limpet list models')", 0, 0, 0},
      {"--scheme", LIMPET_OPTION_TEXT, &r->scheme, "SCHEME",
       "stepping scheme ('limpet list schemes')", 0, 0, 0},
      {"--smoothing", LIMPET_OPTION_TEXT, &r->smoothing_word, "KIND",
       "smooth the derivatives, not the step: barrier, random; none", 0, 0, 0},
      {"--barrier-energy", LIMPET_OPTION_QUANTITY, &smoothing->energy, "ENERGY",
       "barrier: force times distance of a contact that is open; 1e-3", "J", 1e-300, INFINITY},
      {"--barrier-range", LIMPET_OPTION_QUANTITY, &smoothing->range, "LENGTH",
       "barrier: farther contacts have no force; 0.1", "m", 1e-12, INFINITY},
      {"--barrier-slip", LIMPET_OPTION_QUANTITY, &smoothing->slip_speed, "SPEED",
       "barrier: slip below which friction grows linearly; 1e-3", "m/s", 0.0, 1.0},
      {"--samples", LIMPET_OPTION_COUNT, &smoothing->samples, "N",
       "random: steps in the mean, an even number; 16", 0, 2, 100000},
      {"--spread-position", LIMPET_OPTION_QUANTITY, &smoothing->spread_position, "SPREAD",
       "random: standard deviation of positions, m and rad; 1e-3", "1", 0.0, INFINITY},
      {"--spread-velocity", LIMPET_OPTION_QUANTITY, &smoothing->spread_velocity, "SPREAD",
       "random: of velocities, m/s and rad/s; 1e-2", "1", 0.0, INFINITY},
      {"--spread-control", LIMPET_OPTION_QUANTITY, &smoothing->spread_control, "SPREAD",
       "random: of controls; 0", "1", 0.0, INFINITY},
      {"--jump-width", LIMPET_OPTION_QUANTITY, &r->jump_width, "WIDTH",
       "how near a jump of the step is looked for, m, rad, m/s, rad/s; 1e-9; 0: not at all", "1",
       0.0, 1.0},
      {"--json", LIMPET_OPTION_FLAG, &r->json, NULL, "the report as JSON on stdout", 0, 0, 0},
  };
  enum { OWN_COUNT = (int)(sizeof own / sizeof *own) };
  enum {
    CAPACITY =
        LIMPET_START_OPTION_COUNT + LIMPET_LOADING_OPTION_COUNT + OWN_COUNT + LIMPET_SETTING_LIMIT
  };
  limpet_option options[CAPACITY];
  *r = (request){.smoothing = limpet_gradient_smoothing_default(), .jump_width = 1e-9};
  int count = limpet_start_options_begin(&r->start, options);
  options[LIMPET_START_OPTION_TIME].text = "how long to simulate before; 0";
  count += limpet_loading_options(&r->loading, options + count);
  memcpy(options + count, own, sizeof own);
  count = limpet_settings_options(&r->start.settings, options, count + OWN_COUNT, CAPACITY);
  const int code = limpet_options_parse(command, options, count, argc, argv, &r->arguments);
  if (code != LIMPET_OPTIONS_GO || r->arguments.count == 1) return code;
  return limpet_options_misused(command);
}

// An option of a kind of smoothing that was not asked for, and its kind; NULL: none.
static const char *smoothing_idle(const limpet_gradient_smoothing *given,
                                  limpet_smoothing_kind *of) {
  const limpet_gradient_smoothing usual = limpet_gradient_smoothing_default();
  const struct {
    const char *option;
    limpet_smoothing_kind kind;
    bool given;
  } options[] = {
      {"--barrier-energy", LIMPET_SMOOTHING_BARRIER, given->energy != usual.energy},
      {"--barrier-range", LIMPET_SMOOTHING_BARRIER, given->range != usual.range},
      {"--barrier-slip", LIMPET_SMOOTHING_BARRIER, given->slip_speed != usual.slip_speed},
      {"--samples", LIMPET_SMOOTHING_RANDOM, given->samples != usual.samples},
      {"--spread-position", LIMPET_SMOOTHING_RANDOM,
       given->spread_position != usual.spread_position},
      {"--spread-velocity", LIMPET_SMOOTHING_RANDOM,
       given->spread_velocity != usual.spread_velocity},
      {"--spread-control", LIMPET_SMOOTHING_RANDOM, given->spread_control != usual.spread_control},
  };
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
    *of = options[i].kind;
    if (options[i].given && options[i].kind != given->kind) return options[i].option;
  }
  return NULL;
}

// The smoothing that was asked for. LIMPET_OPTIONS_GO, or the exit code after a complaint.
static int smoothing_read(request *r) {
  limpet_error error;
  if (r->smoothing_word && !limpet_smoothing_find(r->smoothing_word, &r->smoothing.kind)) {
    limpet_complain("--smoothing: '%s' is no smoothing; there are: none, barrier, random",
                    r->smoothing_word);
    return LIMPET_EXIT_USAGE;
  }
  limpet_smoothing_kind of;
  const char *idle = smoothing_idle(&r->smoothing, &of);
  if (idle) {
    limpet_complain("%s: only --smoothing %s uses it; add that", idle, limpet_smoothing_word(of));
    return LIMPET_EXIT_USAGE;
  }
  if (limpet_gradient_smoothing_check(&r->smoothing, &error) == LIMPET_OK) return LIMPET_OPTIONS_GO;
  limpet_complain("--smoothing: %s", error.message);
  return LIMPET_EXIT_USAGE;
}

// ------------------------------------------------------------------------------------ running

static int report_open(const request *r, limpet_gradient_report *report) {
  const limpet_scheme *scheme;
  const limpet_contact_model *contact;
  report->path = r->arguments.text[0];
  report->wanted = limpet_gradient_settings_default();
  report->wanted.smoothing = r->smoothing;
  report->jump_width = r->jump_width;
  int code = limpet_scheme_choose(r->scheme, &scheme);
  if (code == LIMPET_OPTIONS_GO) code = limpet_contact_model_choose(r->contact, &contact);
  if (code != LIMPET_OPTIONS_GO) return code;
  report->model = limpet_model_open(report->path, &r->loading, !r->json, &code);
  if (!report->model) return code;
  report->data = limpet_data_create(report->model);
  report->other = limpet_data_create(report->model);
  report->gradient = limpet_gradient_create(report->model);
  report->state = calloc((size_t)limpet_data_state_size(report->model), sizeof(double));
  if (!report->data || !report->other || !report->gradient || !report->state) {
    limpet_complain("%s: not enough memory for this model", report->path);
    return LIMPET_EXIT_SIMULATION;
  }
  code = limpet_start_settings(&r->start, report->model, scheme, contact, &report->settings);
  if (code == LIMPET_OPTIONS_GO) limpet_start_settings_warn(&r->start, &report->settings);
  if (code == LIMPET_OPTIONS_GO)
    code =
        limpet_start_state(&r->start, report->model, report->path, report->data, &report->controls);
  return code;
}

static void report_close(limpet_gradient_report *report) {
  limpet_controls_free(&report->controls);
  limpet_gradient_destroy(report->gradient);
  limpet_data_destroy(report->data), limpet_data_destroy(report->other);
  free(report->state), free(report->column);
  if (report->model) limpet_model_destroy(report->model);
}

// Steps to the time that was asked for, none if none was.
static int run_up(const request *r, limpet_gradient_report *report) {
  const int64_t steps =
      isnan(r->start.time) ? 0 : limpet_start_step_count(&r->start, report->settings.time_step);
  for (int64_t i = 0; i < steps; ++i) {
    limpet_controls_apply(&report->controls, report->data->time, report->data->control);
    if (!limpet_outcome_failed(limpet_step(report->model, report->data, &report->settings)))
      continue;
    limpet_complain("%s: step %lld failed before the time that was asked for", report->path,
                    (long long)i + 1);
    return LIMPET_EXIT_SIMULATION;
  }
  limpet_controls_apply(&report->controls, report->data->time, report->data->control);
  limpet_data_state_read(report->model, report->data, report->state);
  return LIMPET_OPTIONS_GO;
}

static void world_restore(limpet_gradient_report *report, limpet_data *data) {
  limpet_data_state_write(report->model, data, report->state);
  memcpy(data->control, report->data->control, (size_t)report->model->nu * sizeof(double));
}

// Least time of a step, and of a step with its derivatives [s].
static void times_measure(limpet_gradient_report *report) {
  report->step_time = report->gradient_time = INFINITY;
  for (int i = 0; i < TIMED; ++i) {
    world_restore(report, report->other);
    const double start = limpet_wall_time();
    limpet_step(report->model, report->other, &report->settings);
    const double middle = limpet_wall_time();
    world_restore(report, report->other);
    const double again = limpet_wall_time();
    limpet_gradient_step(report->model, report->other, &report->settings, &report->wanted,
                         report->gradient);
    report->step_time = fmin(report->step_time, middle - start);
    report->gradient_time = fmin(report->gradient_time, limpet_wall_time() - again);
  }
}

// -------------------------------------------------------------------------------- differences

// Column of the results at a move of `by`: velocity after the step into v.
static bool moved_step(limpet_gradient_report *report, int group, int index, double by, double *v) {
  const limpet_model *model = report->model;
  limpet_data *data = report->other;
  world_restore(report, data);
  if (group == LIMPET_REPORT_Q) {
    memset(v, 0, (size_t)model->nv * sizeof *v);
    v[index] = by;
    limpet_integrate_position(model, data->q, data->q, v, 1.0, false);
  } else if (group == LIMPET_REPORT_V) {
    data->v[index] += by;
  } else {
    data->control[index] += by;
  }
  const limpet_outcome outcome = limpet_step(model, data, &report->settings);
  memcpy(v, data->v, (size_t)model->nv * sizeof *v);
  return !limpet_outcome_failed(outcome);
}

// Least distance of a column of dv from differences over the widths.
static double column_error(limpet_gradient_report *report, int group, int index,
                           const double *entries, int width_of_block, double *ends) {
  const int nv = report->model->nv;
  double best = INFINITY;
  for (int w = 0; w < WIDTH_COUNT; ++w) {
    double worst = 0.0;
    if (!moved_step(report, group, index, -widths[w], ends) ||
        !moved_step(report, group, index, widths[w], ends + nv))
      continue;
    for (int i = 0; i < nv; ++i)
      worst = fmax(worst, fabs((ends[nv + i] - ends[i]) / (2.0 * widths[w]) -
                               entries[i * width_of_block + index]));
    best = fmin(best, worst);
  }
  return best;
}

static double largest(const double *values, int count) {
  double most = 0.0;
  for (int i = 0; i < count; ++i) most = fmax(most, fabs(values[i]));
  return most;
}

static void block_compare(limpet_gradient_report *report, int group, const double *entries,
                          const double *kink, int columns, double *ends) {
  limpet_gradient_block *block = &report->block[group];
  block->columns = columns;
  block->largest = entries ? largest(entries, report->model->nv * columns) : NAN;
  for (int i = 0; entries && i < columns; ++i) {
    limpet_gradient_column *column = &report->column[report->column_count++];
    *column = (limpet_gradient_column){.group = group, .index = i, .kink = kink[i]};
    column->error = column_error(report, group, i, entries, columns, ends) /
                    (block->largest > 0.0 ? block->largest : 1.0);
    if (kink[i] > 0.0) ++block->flagged;
    else block->error = fmax(block->error, column->error);
  }
}

// The nearest jump of the step itself.
static void jump_find(limpet_gradient_report *report) {
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  wanted.jacobians = false;
  wanted.jump_width = report->jump_width;
  world_restore(report, report->other);
  limpet_gradient_step(report->model, report->other, &report->settings, &wanted, report->gradient);
  report->jump = report->gradient->jump;
}

static int report_fill(limpet_gradient_report *report) {
  const limpet_model *model = report->model;
  const limpet_gradient *g = report->gradient;
  times_measure(report);
  jump_find(report);
  report->settings.condition_number = true;
  limpet_gradient_step(model, report->data, &report->settings, &report->wanted, report->gradient);
  report->settings.condition_number = false;
  if (g->reason) {
    limpet_complain("%s: the step at %.9g s has no derivatives: %s", report->path,
                    report->data->time, g->reason);
    return LIMPET_EXIT_SIMULATION;
  }
  double *ends = calloc(2 * (size_t)model->nv + 1, sizeof *ends);
  report->column = calloc((size_t)(2 * model->nv + model->nu) + 1, sizeof *report->column);
  if (!ends || !report->column) {
    free(ends);
    return LIMPET_EXIT_SIMULATION;
  }
  block_compare(report, LIMPET_REPORT_Q, g->dv.q, g->kink.q, model->nv, ends);
  block_compare(report, LIMPET_REPORT_V, g->dv.v, g->kink.v, model->nv, ends);
  block_compare(report, LIMPET_REPORT_CONTROL, g->dv.control, g->kink.control, model->nu, ends);
  free(ends);
  return limpet_gradient_soft_fill(report) ? LIMPET_OPTIONS_GO : LIMPET_EXIT_SIMULATION;
}

static int run(const limpet_command *command, int argc, char **argv) {
  request r;
  int code = options_read(command, argc, argv, &r);
  if (code != LIMPET_OPTIONS_GO) return code;
  limpet_gradient_report report = {0};
  code = smoothing_read(&r);
  if (code == LIMPET_OPTIONS_GO) code = report_open(&r, &report);
  if (code == LIMPET_OPTIONS_GO) code = run_up(&r, &report);
  if (code == LIMPET_OPTIONS_GO) code = report_fill(&report);
  if (code == LIMPET_OPTIONS_GO) {
    if (r.json) limpet_gradient_report_json(&report);
    else limpet_gradient_report_print(&report);
    code = LIMPET_EXIT_FINE;
  }
  report_close(&report);
  return code;
}

const limpet_command limpet_command_gradient = {
    .name = "gradient",
    .synopsis = "gradient FILE [options]",
    .summary = "what the derivatives of a step are worth at a state",
    .text =
        "Simulates to --time (0 if it is not given) and differentiates the next step: velocity "
        "after it by pose,\n"
        "velocity and control before it. Tells the size of each block, the condition number of the "
        "step's equations,\n"
        "the contacts and how near each is to a switch (opening; the edge of its friction cone), "
        "the joints along\n"
        "which the step has a kink, how far the derivatives are from differences of whole steps "
        "(the best of five\n"
        "widths from 1e-9 to 1e-5, relative to the largest entry of the block), whether the step "
        "itself jumps near\n"
        "by, with the cause and the distance, and the time.\n"
        "With --smoothing the derivatives are those of a smoothed step, which see contacts before "
        "they touch, and the\n"
        "differences still those of the plain one: the column tells how far apart both are.\n"
        "With deformable bodies products along random directions of their vertices are compared, "
        "since columns are many.\n"
        "docs/gradients.md says what a kink is, and what smoothing does.\n",
    .examples =
        "  limpet gradient scene.xml --time 1s\n"
        "  limpet gradient scene.xml --keyframe home --contact similar --json\n"
        "  limpet gradient scene.xml --smoothing barrier --barrier-energy 0.01 --barrier-range "
        "0.3\n",
    .run = run,
};
