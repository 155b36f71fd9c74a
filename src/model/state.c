/* model/state.c: the full state as one vector: the fields of limpet_data that its table marks as
 * state, in the order of the table. */
#include <assert.h>
#include <string.h>

#include "base/field.h"
#include "base/hash.h"
#include "model/workspace.h"
#include "limpet/data.h"

// The next field of the state at or after `*at`, NULL at the end; moves *at behind it.
static const limpet_field *state_field(int *at) {
  const limpet_field_table *table = limpet_data_fields();
  while (*at < table->count) {
    const limpet_field *field = &table->fields[(*at)++];
    if (field->uses & LIMPET_FIELD_STATE) return field;
  }
  return NULL;
}

static size_t count_of(const limpet_model *model, const limpet_field *field) {
  const limpet_field_scope scope = {limpet_model_fields(), model};
  return limpet_field_count(field, &scope, 1);
}

int limpet_data_state_size(const limpet_model *model) {
  assert(model);
  const limpet_field *field;
  size_t size = 0;
  for (int at = 0; (field = state_field(&at)) != NULL;) size += count_of(model, field);
  return (int)size;
}

void limpet_workspace_state_find(limpet_data *data) {
  limpet_workspace *workspace = data->workspace;
  const limpet_field_scope scope = {limpet_model_fields(), data->model};
  const limpet_field *field;
  workspace->state_count = 0;
  for (int at = 0; (field = state_field(&at)) != NULL;) {
    assert(workspace->state_count < LIMPET_STATE_ARRAYS);
    int shape[LIMPET_FIELD_RANK] = {1, 1};
    const int rank = limpet_field_shape(field, &scope, 1, shape);
    const size_t count = limpet_field_count(field, &scope, 1);
    const int rows = rank > 0 ? shape[0] : 1;
    workspace->state[workspace->state_count++] =
        (limpet_state_array){.numbers = limpet_field_elements_of(field, data),
                             .rows = rows,
                             .columns = rows > 0 ? (int)count / rows : 0,
                             .packed = field->uses & LIMPET_FIELD_PACKED};
  }
}

static size_t count_all(const limpet_state_array *array) {
  return (size_t)array->rows * (size_t)array->columns;
}

void limpet_data_state_read(const limpet_model *model, const limpet_data *data, double *state) {
  assert(model && data && data->model == model && state);
  (void)model;
  const limpet_workspace *workspace = data->workspace;
  for (int i = 0; i < workspace->state_count; ++i) {
    const size_t count = count_all(&workspace->state[i]);
    memcpy(state, workspace->state[i].numbers, count * sizeof(double));
    state += count;
  }
}

void limpet_data_state_write(const limpet_model *model, limpet_data *data, const double *state) {
  assert(model && data && data->model == model && state);
  (void)model;
  limpet_workspace *workspace = data->workspace;
  for (int i = 0; i < workspace->state_count; ++i) {
    const size_t count = count_all(&workspace->state[i]);
    memcpy(workspace->state[i].numbers, state, count * sizeof(double));
    state += count;
  }
  workspace->marks = 0;
}

// Numbers that are in use.
static size_t count_in_use(const limpet_state_array *array) {
  int rows = 0;
  if (!array->packed) return count_all(array);
  while (rows < array->rows && array->numbers[rows * array->columns] > 0.0) ++rows;
  return (size_t)rows * (size_t)array->columns;
}

void limpet_data_state_copy(const limpet_data *from, limpet_data *to) {
  assert(from && to && from->model->nq == to->model->nq && from->model->nv == to->model->nv);
  for (int i = 0; i < from->workspace->state_count; ++i) {
    const limpet_state_array *source = &from->workspace->state[i],
                             *target = &to->workspace->state[i];
    const size_t count = count_in_use(source), before = count_in_use(target);
    memcpy(target->numbers, source->numbers, count * sizeof(double));
    if (before > count) memset(target->numbers + count, 0, (before - count) * sizeof(double));
  }
  to->workspace->marks = 0;
}

void limpet_workspace_state_pack(const limpet_data *data, double *state) {
  const limpet_workspace *workspace = data->workspace;
  for (int i = 0; i < workspace->state_count; ++i) {
    const limpet_state_array *array = &workspace->state[i];
    const size_t count = count_in_use(array);
    memcpy(state, array->numbers, count * sizeof(double));
    if (count < count_all(array)) state[count] = 0.0;
    state += count_all(array);
  }
}

void limpet_workspace_state_unpack(limpet_data *data, const double *state) {
  limpet_workspace *workspace = data->workspace;
  for (int i = 0; i < workspace->state_count; ++i) {
    const limpet_state_array *array = &workspace->state[i];
    limpet_state_array source = *array;
    source.numbers = (double *)state;
    const size_t count = count_in_use(&source), before = count_in_use(array);
    memcpy(array->numbers, state, count * sizeof(double));
    if (before > count) memset(array->numbers + count, 0, (before - count) * sizeof(double));
    state += count_all(array);
  }
  workspace->marks = 0;
}

uint64_t limpet_data_state_hash(const limpet_model *model, const limpet_data *data) {
  assert(model && data && data->model == model);
  (void)model;
  const limpet_workspace *workspace = data->workspace;
  uint64_t hash = LIMPET_HASH_START;
  for (int i = 0; i < workspace->state_count; ++i)
    hash = limpet_hash_bytes(hash, workspace->state[i].numbers,
                             count_in_use(&workspace->state[i]) * sizeof(double));
  return hash;
}
