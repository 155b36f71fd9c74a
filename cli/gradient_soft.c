/* cli/gradient_soft.c: derivatives by vertices of deformable bodies compared with differences of
 * steps along random directions, since the columns are too many. See gradient_soft.h. */
#include "gradient_soft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "gradient.h"

enum { DIRECTIONS = 3 };
// Half widths of the differences [m, m/s]; the best of each direction counts.
static const double widths[] = {1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
enum { WIDTHS = (int)(sizeof widths / sizeof *widths) };

// A state: pose, velocity, vertices, in one block.
typedef struct state {
  double *block;
  limpet_gradient_vector at;
} state;

static int size_of(const limpet_model *model) { return 2 * model->nv + 6 * model->vertex_count; }

static bool state_make(const limpet_model *model, state *s) {
  const int nv = model->nv, V = 3 * model->vertex_count;
  s->block = calloc((size_t)size_of(model) + 1, sizeof *s->block);
  s->at = (limpet_gradient_vector){0};
  if (!s->block) return false;
  s->at.q = s->block, s->at.v = s->block + nv;
  s->at.vertex_position = s->block + 2 * nv, s->at.vertex_velocity = s->block + 2 * nv + V;
  return true;
}

// -1 to 1, the same in every run.
static double draw(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

static double dot(int count, const double *x, const double *y, double *size) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += x[i] * y[i], *size += fabs(x[i] * y[i]);
  return sum;
}

// Velocities after the step with vertices moved by s of x, joints first.
static bool moved_step(limpet_gradient_report *report, const double *x, bool velocities, double s,
                       double *end) {
  const limpet_model *model = report->model;
  limpet_data *data = report->other;
  const int V = 3 * model->vertex_count;
  limpet_data_state_write(model, data, report->state);
  memcpy(data->control, report->data->control, (size_t)model->nu * sizeof(double));
  double *to = velocities ? data->vertex_velocity : data->vertex_position;
  for (int i = 0; i < V; ++i) to[i] += s * x[i];
  const limpet_outcome outcome = limpet_step(model, data, &report->settings);
  memcpy(end, data->v, (size_t)model->nv * sizeof *end);
  memcpy(end + model->nv, data->vertex_velocity, (size_t)V * sizeof *end);
  return !limpet_outcome_failed(outcome);
}

// Least distance of J x from differences over the widths. ends (2 x velocities): work.
static double direction_error(limpet_gradient_report *report, const double *x, bool velocities,
                              const state *moved, double *ends) {
  const int nv = report->model->nv, V = 3 * report->model->vertex_count, count = nv + V;
  double best = INFINITY;
  for (int w = 0; w < WIDTHS; ++w) {
    double worst = 0.0, most = 0.0;
    if (!moved_step(report, x, velocities, -widths[w], ends) ||
        !moved_step(report, x, velocities, widths[w], ends + count))
      continue;
    for (int i = 0; i < count; ++i) {
      const double own = i < nv ? moved->at.v[i] : moved->at.vertex_velocity[i - nv];
      worst = fmax(worst, fabs((ends[count + i] - ends[i]) / (2.0 * widths[w]) - own));
      most = fmax(most, fabs(own));
    }
    best = fmin(best, worst / fmax(most, 1e-300));
  }
  return best;
}

// One direction of positions or velocities, and a weight against it.
static void compare(limpet_gradient_report *report, bool velocities, uint64_t *seed, state s[4],
                    double *ends) {
  const limpet_model *model = report->model;
  limpet_gradient_soft *soft = &report->soft;
  const int V = 3 * model->vertex_count, size = size_of(model);
  state *x = &s[0], *moved = &s[1], *weight = &s[2], *by = &s[3];
  memset(x->block, 0, (size_t)size * sizeof(double));
  double *along = velocities ? x->at.vertex_velocity : x->at.vertex_position, parts = 0.0;
  for (int i = 0; i < V; ++i) along[i] = draw(seed);
  for (int i = 0; i < size; ++i) weight->block[i] = draw(seed);
  const double start = limpet_wall_time();
  limpet_gradient_forward(report->gradient, &x->at, &moved->at);
  const double middle = limpet_wall_time();
  limpet_gradient_backward(report->gradient, &weight->at, &by->at);
  soft->forward_time = fmin(soft->forward_time, middle - start);
  soft->backward_time = fmin(soft->backward_time, limpet_wall_time() - middle);
  const double difference =
      dot(size, weight->block, moved->block, &parts) - dot(size, x->block, by->block, &parts);
  soft->transposed = fmax(soft->transposed, fabs(difference) / fmax(parts, 1e-300));
  double *worst = velocities ? &soft->by_velocity : &soft->by_position;
  *worst = fmax(*worst, direction_error(report, along, velocities, moved, ends));
  ++soft->directions;
}

bool limpet_gradient_soft_fill(limpet_gradient_report *report) {
  const limpet_model *model = report->model;
  report->soft = (limpet_gradient_soft){.forward_time = INFINITY, .backward_time = INFINITY};
  if (model->deformable_count == 0) return true;
  state s[4];
  double *ends = calloc(2 * (size_t)(model->nv + 3 * model->vertex_count) + 1, sizeof *ends);
  bool made = ends != NULL;
  for (int i = 0; i < 4; ++i) made &= state_make(model, &s[i]);
  uint64_t seed = 1;
  for (int i = 0; i < 2 * DIRECTIONS && made; ++i) compare(report, i % 2 == 1, &seed, s, ends);
  for (int i = 0; i < 4; ++i) free(s[i].block);
  free(ends);
  return made;
}
