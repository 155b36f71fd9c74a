/* model/history.c: see history.h. Between samples a cubic goes through both with the slopes of the
 * chords over their neighbours; at the first and last sample the slope is 0.
 * Source: MJCF reference, actuator/delay, nsample, interp and sensor/interval; MuJoCo 4.0.1 by
 * running it. Cost of a sample: one move of the list. */
#include "model/history.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "model/workspace.h"

static const double same_time = 1e-15;  // [s]

// A list of samples: times (count), values (count x width).
typedef struct sample_list {
  double *time, *value;
  int count, width;
} sample_list;

int limpet_history_control_size(int samples) {
  return samples > 0 && samples <= LIMPET_HISTORY_LIMIT / 2 ? 2 * samples : 0;
}

int limpet_history_sensor_size(int samples, int width) {
  const bool fits = samples > 0 && width >= 0 && samples <= LIMPET_HISTORY_LIMIT / (1 + width);
  return fits ? 1 + samples * (1 + width) : 0;
}

static sample_list of_control(const limpet_model *model, double *history, int actuator) {
  double *begin = history + model->actuator_history[actuator];
  const int count = model->actuator_delay_samples[actuator];
  return (sample_list){begin, begin + count, count, 1};
}

static sample_list of_sensor(const limpet_model *model, double *history, int sensor) {
  double *begin = history + model->sensor_history[sensor] + 1;
  const int count = model->sensor_delay_samples[sensor];
  return (sample_list){begin, begin + count, count, model->sensor_size[sensor]};
}

// -------------------------------------------------------------------------------- adding

// A sample at a time that is not before the last one; the oldest goes.
static void add(const sample_list *s, double time, const double *value) {
  const size_t width = (size_t)s->width, last = (size_t)s->count - 1;
  if (time - s->time[last] >= same_time) {
    memmove(s->time, s->time + 1, last * sizeof *s->time);
    memmove(s->value, s->value + width, last * width * sizeof *s->value);
  }
  s->time[last] = time;
  memcpy(s->value + last * width, value, width * sizeof *value);
}

// ------------------------------------------------------------------------------- looking

static double slope(const sample_list *s, int i, int k) {
  if (i == 0 || i == s->count - 1) return 0.0;
  const double *value = s->value + k;
  return (value[(i + 1) * s->width] - value[(i - 1) * s->width]) /
         (s->time[i + 1] - s->time[i - 1]);
}

static double between(const sample_list *s, int i, int k, double time, limpet_interpolation by) {
  const double a = s->value[i * s->width + k], b = s->value[(i + 1) * s->width + k];
  const double step = s->time[i + 1] - s->time[i], x = (time - s->time[i]) / step;
  if (by == LIMPET_INTERPOLATION_LINEAR) return a + x * (b - a);
  const double y = 1.0 - x;
  return y * y * ((1.0 + 2.0 * x) * a + x * step * slope(s, i, k)) +
         x * x * ((1.0 + 2.0 * y) * b - y * step * slope(s, i + 1, k));
}

static void look(const sample_list *s, double time, limpet_interpolation by, double *value) {
  int i = s->count - 1;  // the last sample that is not later
  while (i > 0 && time < s->time[i] - same_time) --i;
  const bool held =
      by == LIMPET_INTERPOLATION_HOLD || i == s->count - 1 || time <= s->time[i] + same_time;
  for (int k = 0; k < s->width; ++k)
    value[k] = held ? s->value[i * s->width + k] : between(s, i, k, time, by);
}

double limpet_history_control(const limpet_model *model, const limpet_data *data, int actuator) {
  assert(actuator >= 0 && actuator < model->actuator_count);
  if (model->actuator_history[actuator] < 0) return data->control[actuator];
  const sample_list s = of_control(model, data->history, actuator);
  double value;
  look(&s, data->time - model->actuator_delay[actuator],
       model->actuator_delay_interpolation[actuator], &value);
  return value;
}

// -------------------------------------------------------------------------------- the start

void limpet_history_reset(const limpet_model *model, limpet_data *data) {
  const double dt = model->options.time_step;
  memset(data->history, 0, (size_t)model->history_count * sizeof *data->history);
  for (int i = 0; model->history_count > 0 && i < model->actuator_count; ++i) {
    if (model->actuator_history[i] < 0) continue;
    const sample_list s = of_control(model, data->history, i);
    for (int k = 0; k < s.count; ++k) s.time[k] = (k - s.count) * dt;
  }
  for (int i = 0; model->history_count > 0 && i < model->sensor_count; ++i) {
    if (model->sensor_history[i] < 0) continue;
    const sample_list s = of_sensor(model, data->history, i);
    const double interval = model->sensor_interval[2 * i],
                 phase = model->sensor_interval[2 * i + 1];
    const double tick = phase == 0.0 ? -interval : phase;
    data->history[model->sensor_history[i]] = tick;
    for (int k = 0; k < s.count; ++k)
      s.time[k] = interval > 0.0 ? ceil((tick - (s.count - 1 - k) * interval) / dt) * dt
                                 : (k - s.count) * dt;
  }
}

// --------------------------------------------------------------------------------- a step

void limpet_history_add_controls(const limpet_model *model, limpet_data *data) {
  for (int i = 0; model->history_count > 0 && i < model->actuator_count; ++i) {
    if (model->actuator_history[i] < 0) continue;
    const sample_list s = of_control(model, data->history, i);
    add(&s, data->time, &data->control[i]);
  }
}

/* What a sensor shows: a reading of the past; one on an interval the last of these until the next
 * is due. The present reading is remembered after the look, as the present control is. */
static void show(const limpet_model *model, limpet_data *data, int sensor) {
  double *shown = data->sensor + model->sensor_address[sensor],
         *tick = data->history + model->sensor_history[sensor];
  const sample_list s = of_sensor(model, data->history, sensor);
  const double delay = model->sensor_delay[sensor], interval = model->sensor_interval[2 * sensor];
  const bool reads = !(interval > 0.0) || *tick + interval <= data->time;
  const size_t width = (size_t)s.width;
  double *reading = limpet_scratch_begin(data->workspace, width);
  memcpy(reading, shown, width * sizeof *reading);
  if (delay > 0.0 || !reads)
    look(&s, data->time - delay, model->sensor_delay_interpolation[sensor], shown);
  if (reads) {
    if (interval > 0.0) *tick += interval;
    add(&s, data->time, reading);
  }
  limpet_scratch_end(data->workspace);
}

void limpet_history_sensors(const limpet_model *model, limpet_data *data) {
  for (int i = 0; model->history_count > 0 && i < model->sensor_count; ++i)
    if (model->sensor_history[i] >= 0) show(model, data, i);
}
