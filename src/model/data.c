/* model/data.c: one world: its memory, by the table of its fields, and its start values. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "math/quaternion.h"
#include "base/field.h"
#include "base/pages.h"
#include "model/history.h"
#include "model/workspace.h"

/* [bytes]  Memory of a step to begin with, at least and for each body, which suffices where nothing
 * touches; a line of the cache. */
enum { ARENA_START = 1 << 16, ARENA_OF_BODY = 5500, LINE = 64 };

typedef struct limpet_data_storage {
  limpet_data data;  // first: a limpet_data* points to the whole
  limpet_workspace workspace;
  void *block;
} limpet_data_storage;

// Arrays that lie in the block: all but those that each step points to its own memory.
static bool lies_in_block(const limpet_field *field) {
  return field->pointer && !(field->uses & LIMPET_FIELD_STEP);
}

size_t limpet_actuator_entries(const limpet_model *model) {
  size_t entries = 0;
  for (int i = 0; i < model->actuator_count; ++i) {
    const int target = model->actuator_target[i];
    switch (model->actuator_transmission[i]) {
      case LIMPET_TRANSMISSION_SLIDER_CRANK:
      case LIMPET_TRANSMISSION_SITE: entries += 2 * (size_t)model->nv; break;
      case LIMPET_TRANSMISSION_TENDON:
        entries += (size_t)(model->tendon_dof_begin[target + 1] - model->tendon_dof_begin[target]);
        break;
      default: entries += 6; break;  // velocities of a joint, at most
    }
  }
  return entries;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* Doubles that the neediest function of dynamics/ and sense/ takes: articulated bodies, derivatives
 * of inverse dynamics, a factor of the mass matrix, or the rows of all actuators. */
static size_t scratch_size(const limpet_model *model) {
  const size_t bodies = (size_t)model->body_count, nv = (size_t)model->nv;
  const size_t articulated = 58 * bodies + 36 * nv, derivatives = 40 * bodies + 51 * nv;
  const size_t factor = (size_t)model->mass_size + 2 * nv + 4 * bodies;
  // an entry of a row is a double and an int
  const size_t rows = 2 * limpet_actuator_entries(model) + (size_t)model->actuator_count + 1;
  return larger(larger(articulated, derivatives), larger(factor, rows));
}

static size_t rounded_to_lines(size_t size) { return (size + LINE - 1) / LINE * LINE; }

// Bytes of an array, rounded up to lines of the cache.
static size_t array_size(const limpet_data *data, const limpet_field *field) {
  return rounded_to_lines(limpet_data_field_count(data, field) * field->element);
}

limpet_data *limpet_data_create(const limpet_model *model) {
  assert(model);
  limpet_data_storage *storage = calloc(1, sizeof *storage);
  if (!storage) return NULL;
  limpet_data *data = &storage->data;
  data->model = model;
  data->workspace = &storage->workspace;

  // one block for all arrays
  storage->workspace.scratch_size = scratch_size(model);
  const size_t scratch = rounded_to_lines(storage->workspace.scratch_size * sizeof(double)),
               missed = rounded_to_lines(3 * (size_t)model->tree_count * sizeof(double)),
               rules = 4 * (size_t)model->tree_count * sizeof(int);
  size_t total = LINE + scratch + missed + rounded_to_lines(rules);
  const limpet_field_table *table = limpet_data_fields();
  for (int i = 0; i < table->count; ++i)
    if (lies_in_block(&table->fields[i])) total += array_size(data, &table->fields[i]);
  storage->block = limpet_pages_alloc(total);
  const size_t start = larger(ARENA_START, ARENA_OF_BODY * (size_t)model->body_count);
  if (!storage->block || limpet_arena_create(&storage->workspace.arena[0], start) != 0 ||
      limpet_arena_create(&storage->workspace.arena[1], start) != 0) {
    limpet_data_destroy(data);
    return NULL;
  }
  char *next = storage->block;
  for (int i = 0; i < table->count; ++i) {
    const limpet_field *field = &table->fields[i];
    if (!lies_in_block(field)) continue;
    void *array = next;
    memcpy((char *)data + field->offset, &array, sizeof array);
    next += array_size(data, field);
  }
  storage->workspace.scratch = (double *)(void *)next;
  storage->workspace.missed_spin = (double *)(void *)(next + scratch);
  memset(storage->workspace.missed_spin, 0, missed);
  storage->workspace.turn_parts = (int *)(void *)(next + scratch + missed);
  storage->workspace.renewed = storage->workspace.turn_parts + 2 * model->tree_count;
  memset(storage->workspace.turn_parts, 0, rules);
  limpet_workspace_state_find(data);
  limpet_data_reset(model, data);
  return data;
}

void limpet_data_destroy(limpet_data *data) {
  if (!data) return;
  limpet_data_storage *storage = (limpet_data_storage *)(void *)data;
  limpet_workspace *workspace = &storage->workspace;
  for (int i = 0; i < LIMPET_SLOT_COUNT; ++i)
    if (workspace->object[i] && workspace->destroy[i]) workspace->destroy[i](workspace->object[i]);
  for (int i = 0; i < 2; ++i) limpet_arena_destroy(&workspace->arena[i]);
  free(storage->block);
  free(storage);
}

// Everything that a step or a query wrote is as if it had never been: no contact, no constraint,
// zeros.
static void clear(limpet_data *data) {
  const limpet_field_table *table = limpet_data_fields();
  for (int i = 0; i < table->count; ++i)
    if (lies_in_block(&table->fields[i]))
      memset(limpet_field_elements_of(&table->fields[i], data), 0,
             array_size(data, &table->fields[i]));
  data->workspace->marks = 0;
  data->time = 0.0;
  data->contact_count = data->surface_count = data->constraint_count = 0;
  data->step_count = 0;
  memset(data->warning_count, 0, sizeof data->warning_count);
  data->clamped_count = 0;
  data->info = (limpet_step_info){.arena_growth = data->info.arena_growth,
                                  .arena_peak = data->info.arena_peak};
}

static double clamped(double x, const double range[2]) {
  return x < range[0] ? range[0] : x > range[1] ? range[1] : x;
}

static void controls_into_range(const limpet_model *model, limpet_data *data) {
  for (int a = 0; a < model->nu; ++a)
    if (model->actuator_control_limited[a])
      data->control[a] = clamped(data->control[a], model->actuator_control_range + 2 * a);
}

void limpet_data_reset(const limpet_model *model, limpet_data *data) {
  assert(model && data && data->model == model);
  clear(data);
  memcpy(data->q, model->q_reference, (size_t)model->nq * sizeof(double));
  for (int m = 0; m < model->mocap_count; ++m) {
    limpet_vec3_copy(data->mocap_position + 3 * m, model->body_position + 3 * model->mocap_body[m]);
    limpet_quaternion_copy(data->mocap_quaternion + 4 * m,
                           model->body_quaternion + 4 * model->mocap_body[m]);
  }
  memcpy(data->vertex_position, model->vertex_reference,
         3 * (size_t)model->vertex_count * sizeof(double));
  controls_into_range(model, data);
  limpet_history_reset(model, data);
}

void limpet_data_reset_keyframe(const limpet_model *model, limpet_data *data, int keyframe) {
  assert(model && keyframe >= 0 && keyframe < model->keyframe_count);
  limpet_data_reset(model, data);
  const size_t k = (size_t)keyframe, mocap = (size_t)model->mocap_count;
  const size_t nq = (size_t)model->nq, nv = (size_t)model->nv, nu = (size_t)model->nu,
               na = (size_t)model->na;
  data->time = model->keyframe_time[keyframe];
  memcpy(data->q, model->keyframe_q + k * nq, nq * sizeof(double));
  memcpy(data->v, model->keyframe_v + k * nv, nv * sizeof(double));
  memcpy(data->control, model->keyframe_control + k * nu, nu * sizeof(double));
  memcpy(data->activation, model->keyframe_activation + k * na, na * sizeof(double));
  memcpy(data->mocap_position, model->keyframe_mocap_position + 3 * k * mocap,
         3 * mocap * sizeof(double));
  memcpy(data->mocap_quaternion, model->keyframe_mocap_quaternion + 4 * k * mocap,
         4 * mocap * sizeof(double));
}

limpet_arena *limpet_workspace_open(limpet_workspace *workspace) {
  if (!workspace->open) workspace->current = 1 - workspace->current;
  workspace->open = true;
  ++workspace->open_count;
  limpet_arena_reset(&workspace->arena[workspace->current]);
  return &workspace->arena[workspace->current];
}

void limpet_workspace_keep(limpet_workspace *workspace) { workspace->open = false; }

limpet_arena *limpet_workspace_turn(limpet_workspace *workspace) {
  limpet_arena *arena = limpet_workspace_open(workspace);
  limpet_workspace_keep(workspace);
  workspace->solved = NULL;
  return arena;
}

// ----------------------------------------------------------------------------------- words

const char *limpet_outcome_word(limpet_outcome outcome) {
  assert(outcome >= 0 && outcome < LIMPET_OUTCOME_COUNT);
  static const char *const words[] = {
      [LIMPET_OUTCOME_SOLVED] = "solved",
      [LIMPET_OUTCOME_FRICTION_MISSED] = "friction missed",
      [LIMPET_OUTCOME_PRECISION_LIMIT] = "precision limit",
      [LIMPET_OUTCOME_ITERATION_LIMIT] = "iteration limit",
      [LIMPET_OUTCOME_INFEASIBLE] = "infeasible",
      [LIMPET_OUTCOME_ISLAND_FAILED] = "some islands failed and were held",
      [LIMPET_OUTCOME_NUMERICAL_FAILURE] = "numerical failure",
      [LIMPET_OUTCOME_OUT_OF_MEMORY] = "out of memory",
      [LIMPET_OUTCOME_BAD_INPUT] = "bad input",
  };
  return words[outcome];
}

const char *limpet_stage_word(limpet_stage stage) {
  assert(stage >= 0 && stage < LIMPET_STAGE_COUNT);
  static const char *const words[] = {
      [LIMPET_STAGE_KINEMATICS] = "kinematics",   [LIMPET_STAGE_DYNAMICS] = "dynamics",
      [LIMPET_STAGE_BROAD_PHASE] = "broad phase", [LIMPET_STAGE_NARROW_PHASE] = "narrow phase",
      [LIMPET_STAGE_ASSEMBLY] = "assembly",       [LIMPET_STAGE_SOLVE] = "solve",
      [LIMPET_STAGE_INTEGRATION] = "integration",
  };
  return words[stage];
}
