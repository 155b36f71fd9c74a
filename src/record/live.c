/* record/live.c: a world under the eyes of a browser: frames go out, wishes come in, steps keep
 * pace with the clock.
 *
 * Pace: wall time times speed is a credit of simulated time, which steps use up. A simulation that
 * is slower than that falls behind the clock and never hurries after it: credit beyond a tenth of a
 * second is dropped. */
#include "limpet/live.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "record/live_command.h"
#include "record/live_drag.h"
#include "record/live_sink.h"
#include "record/page_template.h"
#include "record/recorder.h"

static const double longest_credit = 0.1;  // [s]  of wall time
static const double nap = 2e-3;            // [s]  between two looks for work
static const double rate_period = 0.5;     // [s]  over which the real-time factor is taken
static const char page_data[] = "<script type=\"application/json\" id=\"limpet-live\">{}</script>";

struct limpet_live {
  const limpet_model *model;
  limpet_data *data;
  limpet_live_options options;  // `title` does not outlive the call of create
  limpet_recorder *recorder;
  limpet_live_sink sink;
  limpet_web *web;
  limpet_live_drag drag;
  bool running;  // limpet_live_run steps, not the caller
  bool playing;
  double speed;
  int steps_asked;              // by the button, while paused
  double credit;                // [s]  simulated time that is due
  double last;                  // [s]  wall time of the last look at the clock
  double rate;                  // [-]  simulated over wall time, measured
  double rate_wall, rate_time;  // [s]  where the measurement began
  limpet_outcome outcome;       // of the step that paused it
  double *start_state;          // (limpet_data_state_size)
  double *start_control;        // (nu)
  double *control;              // (nu)  as people set it; NAN: not set
  int arrivals;
};

limpet_live_options limpet_live_options_default(void) {
  return (limpet_live_options){.speed = 1.0};
}

bool limpet_live_available(void) {
  return limpet_web_available() && limpet_replay_template_size > 0;
}

// ---------------------------------------------------------------------------------------- state

static json_t *triple(const double v[3]) { return json_pack("[f,f,f]", v[0], v[1], v[2]); }

static json_t *drag_state(const limpet_live_drag *drag) {
  if (drag->body == LIMPET_NONE) return json_null();
  return json_pack("{s:i, s:o, s:o, s:o}", "body", drag->body, "place", triple(drag->place),
                   "target", triple(drag->target), "force", triple(drag->force));
}

// what goes with each frame
static json_t *state(void *context) {
  const limpet_live *live = context;
  json_t *controls = json_array();
  for (int i = 0; i < live->model->nu; ++i) {
    const double value = live->data->control[i];
    json_array_append_new(controls, json_real(isfinite(value) ? value : 0.0));
  }
  return json_pack("{s:b, s:b, s:f, s:f, s:s, s:o, s:o}", "running", live->running, "playing",
                   live->playing, "speed", live->speed, "rate", live->rate, "outcome",
                   limpet_outcome_word(live->outcome), "drag", drag_state(&live->drag), "controls",
                   controls);
}

// ---------------------------------------------------------------------------------------- wishes

static void reset(limpet_live *live) {
  limpet_live_drag_release(&live->drag, live->data);
  limpet_data_reset(live->model, live->data);
  limpet_data_state_write(live->model, live->data, live->start_state);
  for (int i = 0; i < live->model->nu; ++i) {
    live->data->control[i] = live->start_control[i];
    live->control[i] = NAN;
  }
  live->outcome = LIMPET_OUTCOME_SOLVED;
  live->credit = 0.0;
}

static void hold(limpet_live *live, const limpet_live_command *command) {
  if (live->drag.body != command->number) limpet_live_drag_release(&live->drag, live->data);
  live->drag.body = command->number;
  memcpy(live->drag.point, command->point, sizeof command->point);
  memcpy(live->drag.target, command->target, sizeof command->target);
}

static void obey(limpet_live *live, const limpet_live_command *command) {
  switch (command->verb) {
    case LIMPET_LIVE_PLAY: live->playing = true; break;
    case LIMPET_LIVE_PAUSE: live->playing = false; break;
    case LIMPET_LIVE_STEP:
      live->playing = false;
      live->steps_asked += command->number;
      break;
    case LIMPET_LIVE_SPEED: live->speed = command->value; break;
    case LIMPET_LIVE_RESET: reset(live); break;
    case LIMPET_LIVE_DRAG: hold(live, command); break;
    case LIMPET_LIVE_RELEASE: limpet_live_drag_release(&live->drag, live->data); break;
    case LIMPET_LIVE_CONTROL: live->control[command->number] = command->value; break;
    case LIMPET_LIVE_VERB_COUNT: break;
  }
}

// whether a wish is for whoever steps: a world that its caller steps can only be dragged
static bool for_us(const limpet_live *live, limpet_live_verb verb) {
  return live->running || verb == LIMPET_LIVE_DRAG || verb == LIMPET_LIVE_RELEASE;
}

static void obey_all(limpet_live *live) {
  char text[LIMPET_WEB_MESSAGE_SIZE];
  limpet_live_command command;
  while (limpet_web_receive(live->web, text)) {
    if (!limpet_live_command_read(text, live->model, &command) || !for_us(live, command.verb))
      continue;
    obey(live, &command);
    live->sink.wanted = true;
  }
  const int arrivals = limpet_web_arrivals(live->web);
  if (arrivals != live->arrivals) live->sink.wanted = true;
  live->arrivals = arrivals;
  if (limpet_web_clients(live->web) == 0) limpet_live_drag_release(&live->drag, live->data);
}

// ---------------------------------------------------------------------------------------- pace

static void measure_rate(limpet_live *live, double now) {
  const double wall = now - live->rate_wall;
  if (wall < rate_period) return;
  const double advanced = live->data->time - live->rate_time;
  live->rate = advanced > 0.0 ? advanced / wall : 0.0;
  live->rate_wall = now;
  live->rate_time = live->data->time;
}

static limpet_outcome step(limpet_live *live, const limpet_step_settings *settings) {
  if (live->options.before_step) live->options.before_step(live->options.context, live->data);
  for (int i = 0; i < live->model->nu; ++i)
    if (!isnan(live->control[i])) live->data->control[i] = live->control[i];
  limpet_live_drag_apply(&live->drag, live->model, live->data);
  const limpet_outcome outcome = limpet_step(live->model, live->data, settings);
  if (limpet_outcome_failed(outcome)) {
    live->playing = false;
    live->steps_asked = 0;
    live->outcome = outcome;
    live->sink.wanted = true;
  }
  return outcome;
}

// whether a step is due now
static bool step_due(limpet_live *live, double time_step) {
  if (live->steps_asked > 0) {
    --live->steps_asked;
    live->sink.wanted |= live->steps_asked == 0;
    return true;
  }
  if (!live->playing || live->credit < time_step) return false;
  live->credit -= time_step;
  return true;
}

static void take_credit(limpet_live *live, double now) {
  const double passed = fmin(now - live->last, longest_credit);
  live->last = now;
  live->credit = live->playing ? live->credit + passed * live->speed : 0.0;
  live->credit = fmin(live->credit, longest_credit * live->speed);
}

static void sleep_for(double seconds) {
  const struct timespec time = {0, (long)(1e9 * seconds)};
  nanosleep(&time, NULL);
}

limpet_outcome limpet_live_run(limpet_live *live, const limpet_step_settings *settings,
                               double seconds) {
  assert(live && settings);
  const double end = limpet_wall_clock() + seconds;
  limpet_outcome worst = LIMPET_OUTCOME_SOLVED;
  live->running = true;
  if (live->last == 0.0) live->last = live->rate_wall = limpet_wall_clock();
  for (double now = limpet_wall_clock(); now < end; now = limpet_wall_clock()) {
    obey_all(live);
    take_credit(live, now);
    measure_rate(live, now);
    const bool due = step_due(live, settings->time_step);
    if (due) {
      const limpet_outcome outcome = step(live, settings);
      if (outcome > worst) worst = outcome;
    }
    if (due || live->sink.wanted) limpet_recorder_append(live->recorder, live->data, NULL);
    if (!due) sleep_for(fmin(nap, fmax(0.0, end - now)));
  }
  return worst;
}

limpet_status limpet_live_show(limpet_live *live) {
  assert(live);
  obey_all(live);
  measure_rate(live, limpet_wall_clock());
  const limpet_status status = limpet_recorder_append(live->recorder, live->data, NULL);
  limpet_live_drag_apply(&live->drag, live->model, live->data);
  return status;
}

// -------------------------------------------------------------------------------- start and end

const char *limpet_live_address(const limpet_live *live) {
  assert(live);
  return limpet_web_address(live->web);
}

int limpet_live_watchers(limpet_live *live) {
  assert(live);
  return limpet_web_clients(live->web);
}

void limpet_live_destroy(limpet_live *live) {
  if (!live) return;
  if (live->drag.body != LIMPET_NONE) limpet_live_drag_release(&live->drag, live->data);
  limpet_web_stop(live->web);
  limpet_recorder_destroy(live->recorder);
  limpet_live_sink_close(&live->sink);
  free(live->start_state);
  free(live->start_control);
  free(live->control);
  free(live);
}

// what a reset goes back to
static bool keep_start(limpet_live *live) {
  const size_t controls = (size_t)(live->model->nu > 0 ? live->model->nu : 1);
  live->start_state =
      calloc((size_t)limpet_data_state_size(live->model), sizeof *live->start_state);
  live->start_control = calloc(controls, sizeof *live->start_control);
  live->control = calloc(controls, sizeof *live->control);
  if (!live->start_state || !live->start_control || !live->control) return false;
  limpet_data_state_read(live->model, live->data, live->start_state);
  for (int i = 0; i < live->model->nu; ++i) {
    live->start_control[i] = live->data->control[i];
    live->control[i] = NAN;
  }
  return true;
}

static limpet_status serve(limpet_live *live, limpet_error *error) {
  const limpet_page_parts parts = limpet_page_parts_find();
  const limpet_web_bytes page[3] = {
      {limpet_replay_template, parts.before},
      {(const unsigned char *)page_data, sizeof page_data - 1},
      {limpet_replay_template + parts.behind, limpet_replay_template_size - parts.behind}};
  live->web =
      limpet_web_start(page, limpet_message_bytes(&live->sink.hello), live->options.port, error);
  if (!live->web) return LIMPET_ERROR_FILE;
  live->sink.web = live->web;
  return limpet_web_publish(live->web, limpet_message_bytes(&live->sink.frame))
             ? LIMPET_OK
             : limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a live view");
}

static limpet_status begin(limpet_live *live, const limpet_step_settings *settings,
                           limpet_error *error) {
  live->recorder = limpet_recorder_create(live->model, live->options.title, settings, NULL);
  live->options.title = NULL;
  if (!live->recorder || !keep_start(live))
    return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a live view");
  limpet_live_sink_open(&live->sink, state, live);
  limpet_recorder_add(live->recorder, &live->sink.sink);
  const limpet_status status = limpet_recorder_append(live->recorder, live->data, error);
  return status == LIMPET_OK ? serve(live, error) : status;
}

limpet_live *limpet_live_create(const limpet_model *model, limpet_data *data,
                                const limpet_step_settings *settings,
                                const limpet_live_options *options, limpet_error *error) {
  assert(model && data->model == model);
  const limpet_live_options chosen = options ? *options : limpet_live_options_default();
  if (!limpet_live_available()) {
    limpet_error_fill(error, LIMPET_ERROR_UNSUPPORTED,
                      "limpet was built without %s; install it and build again",
                      limpet_web_available() ? "the viewer (npm)"
                                             : "a web server "
                                               "(libcivetweb-dev)");
    return NULL;
  }
  limpet_live *live = calloc(1, sizeof *live);
  if (!live) {
    limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a live view");
    return NULL;
  }
  live->model = model;
  live->data = data;
  live->options = chosen;
  live->drag.body = LIMPET_NONE;
  live->playing = !chosen.paused;
  live->speed = chosen.speed > 0.0 ? chosen.speed : 1.0;
  if (begin(live, settings, error) == LIMPET_OK) return live;
  limpet_live_destroy(live);
  return NULL;
}
