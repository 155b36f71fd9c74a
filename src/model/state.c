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

void limpet_data_state_read(const limpet_model *model, const limpet_data *data, double *state) {
  assert(model && data && data->model == model && state);
  const limpet_field *field;
  for (int at = 0; (field = state_field(&at)) != NULL;) {
    const size_t count = count_of(model, field);
    memcpy(state, limpet_field_elements(field, data), count * sizeof(double));
    state += count;
  }
}

void limpet_data_state_write(const limpet_model *model, limpet_data *data, const double *state) {
  assert(model && data && data->model == model && state);
  const limpet_field *field;
  for (int at = 0; (field = state_field(&at)) != NULL;) {
    const size_t count = count_of(model, field);
    memcpy(limpet_field_elements_of(field, data), state, count * sizeof(double));
    state += count;
  }
  data->workspace->marks = 0;
}

// Numbers of a packed array that are in use: its rows up to the first one that begins with 0.
static size_t count_in_use(const limpet_model *model, const limpet_field *field,
                           const double *numbers) {
  const limpet_field_scope scope = {limpet_model_fields(), model};
  int shape[LIMPET_FIELD_RANK] = {0, 1}, rows = 0;
  limpet_field_shape(field, &scope, 1, shape);
  while (rows < shape[0] && numbers[rows * shape[1]] > 0.0) ++rows;
  return (size_t)(rows * shape[1]);
}

void limpet_data_state_copy(const limpet_data *from, limpet_data *to) {
  assert(from && to && from->model->nq == to->model->nq && from->model->nv == to->model->nv);
  const limpet_field *field;
  for (int at = 0; (field = state_field(&at)) != NULL;) {
    const double *source = limpet_field_elements(field, from);
    double *target = limpet_field_elements_of(field, to);
    const bool packed = field->uses & LIMPET_FIELD_PACKED;
    const size_t count =
        packed ? count_in_use(from->model, field, source) : count_of(from->model, field);
    const size_t before = packed ? count_in_use(to->model, field, target) : count;
    memcpy(target, source, count * sizeof(double));
    if (before > count) memset(target + count, 0, (before - count) * sizeof(double));
  }
  to->workspace->marks = 0;
}

uint64_t limpet_data_state_hash(const limpet_model *model, const limpet_data *data) {
  assert(model && data && data->model == model);
  const limpet_field *field;
  uint64_t hash = LIMPET_HASH_START;
  for (int at = 0; (field = state_field(&at)) != NULL;) {
    const double *numbers = limpet_field_elements(field, data);
    const bool packed = field->uses & LIMPET_FIELD_PACKED;
    const size_t count = packed ? count_in_use(model, field, numbers) : count_of(model, field);
    hash = limpet_hash_bytes(hash, numbers, count * sizeof(double));
  }
  return hash;
}
