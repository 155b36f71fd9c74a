/* batch/rollout.c: worlds side by side, each a task of the pool. Of one model, a thread has one
 * world in memory and brings it to the start state of the task that it takes: since the full state
 * and the inputs decide all that follows, results do not depend on which thread ran what. Where
 * each world has its own model, it also has its own memory. */
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "limpet/batch.h"

struct limpet_batch {
  limpet_threads *threads;
  bool each;  // every world of a rollout has its own model and memory
  int world_count;
  limpet_data **world;  // (world_count)  one for each thread, or for each world of a rollout
};

// A batch without worlds, with room for `world_count` of them, or for one of each thread (0).
static limpet_batch *batch_begin(int threads, int world_count) {
  limpet_batch *batch = calloc(1, sizeof *batch);
  if (!batch) return NULL;
  batch->threads = limpet_threads_create(threads);
  batch->each = world_count > 0;
  batch->world_count = batch->each ? world_count : limpet_threads_count(batch->threads);
  batch->world = calloc((size_t)batch->world_count, sizeof *batch->world);
  if (batch->threads && batch->world) return batch;
  limpet_batch_destroy(batch);
  return NULL;
}

limpet_batch *limpet_batch_create(const limpet_model *model, int threads) {
  assert(model && threads >= 1);
  limpet_batch *batch = batch_begin(threads, 0);
  for (int i = 0; batch && i < batch->world_count; ++i) {
    if ((batch->world[i] = limpet_data_create(model))) continue;
    limpet_batch_destroy(batch);
    return NULL;
  }
  return batch;
}

static bool same_sizes(const limpet_model *a, const limpet_model *b) {
  return a->nq == b->nq && a->nv == b->nv && a->nu == b->nu && a->nsensor == b->nsensor &&
         limpet_data_state_size(a) == limpet_data_state_size(b);
}

limpet_batch *limpet_batch_create_each(const limpet_model *const *model, int count, int threads) {
  assert(model && count >= 1 && threads >= 1);
  limpet_batch *batch = batch_begin(threads, count);
  for (int i = 0; batch && i < count; ++i) {
    if (same_sizes(model[0], model[i]) && (batch->world[i] = limpet_data_create(model[i])))
      continue;
    limpet_batch_destroy(batch);
    return NULL;
  }
  return batch;
}

void limpet_batch_destroy(limpet_batch *batch) {
  if (!batch) return;
  for (int i = 0; batch->world && i < batch->world_count; ++i) limpet_data_destroy(batch->world[i]);
  if (batch->threads) limpet_threads_destroy(batch->threads);
  free(batch->world);
  free(batch);
}

// `size` numbers, unless the caller does not want them.
static void row_write(double *array, size_t row, int size, const double *values) {
  if (array && size > 0) {
    memcpy(array + row * (size_t)size, values, (size_t)size * sizeof *values);
  }
}

static void inputs_set(const limpet_rollout *rollout, int world, int step, limpet_data *data) {
  const int nu = data->model->nu;
  if (rollout->control && nu > 0) {
    const size_t row = (size_t)world * (size_t)rollout->step_count + (size_t)step;
    memcpy(data->control, rollout->control + row * (size_t)nu, (size_t)nu * sizeof(double));
  }
  if (rollout->call) rollout->call(rollout->context, world, data->model, data);
}

static void results_write(const limpet_rollout *rollout, int world, int step,
                          const limpet_data *data) {
  if ((step + 1) % rollout->interval) return;
  const size_t rows = (size_t)(rollout->step_count / rollout->interval);
  const size_t row = (size_t)world * rows + (size_t)(step / rollout->interval);
  row_write(rollout->q, row, data->model->nq, data->q);
  row_write(rollout->v, row, data->model->nv, data->v);
  row_write(rollout->sensor, row, data->model->nsensor, data->sensor);
}

typedef struct run {
  limpet_batch *batch;
  const limpet_rollout *rollout;
  limpet_step_settings settings;
  atomic_bool ended;  // by go_on
} run;

enum { ASK_STEPS = 32 };  // between two questions to go_on

static void ask(run *r, int step) {
  const limpet_rollout *rollout = r->rollout;
  if (!rollout->go_on || (step + 1) % ASK_STEPS) return;
  if (!rollout->go_on(rollout->context)) atomic_store(&r->ended, true);
}

static void world_run(void *context, int world, int thread) {
  run *r = context;
  const limpet_rollout *rollout = r->rollout;
  limpet_data *data = r->batch->world[r->batch->each ? world : thread];
  const limpet_model *model = data->model;
  const size_t state_size = (size_t)limpet_data_state_size(model);

  limpet_data_reset(model, data);
  if (rollout->start_state) {
    limpet_data_state_write(model, data, rollout->start_state + (size_t)world * state_size);
  }
  limpet_outcome worst = LIMPET_OUTCOME_SOLVED;
  for (int step = 0; step < rollout->step_count && !atomic_load(&r->ended); ++step) {
    inputs_set(rollout, world, step, data);
    const limpet_outcome outcome = limpet_step(model, data, &r->settings);
    if (outcome > worst) worst = outcome;
    results_write(rollout, world, step, data);
    ask(r, step);
  }
  if (rollout->outcome) rollout->outcome[world] = worst;
  if (rollout->end_state) {
    limpet_data_state_read(model, data, rollout->end_state + (size_t)world * state_size);
  }
}

void limpet_batch_rollout(limpet_batch *batch, const limpet_rollout *rollout) {
  assert(batch && rollout && rollout->settings);
  assert(rollout->world_count >= 0 && rollout->step_count >= 0 && rollout->interval >= 1);
  assert(!batch->each || rollout->world_count <= batch->world_count);
  run r = {.batch = batch, .rollout = rollout, .settings = *rollout->settings};
  r.settings.threads = 1;  // worlds are what runs in parallel
  limpet_threads_run(batch->threads, rollout->world_count, world_run, &r);
}
