/* model/state.c: the full state as one vector. What it consists of is listed once, below. */
#include <string.h>

#include "base/hash.h"
#include "limpet/data.h"

enum { PART_COUNT = 8 };

typedef struct part {
  double *numbers;
  int count;
} part;

static void parts_of(const limpet_model *model, const limpet_data *data, double *time,
                     part parts[PART_COUNT]) {
  parts[0] = (part){time, 1};
  parts[1] = (part){data->q, model->nq};
  parts[2] = (part){data->v, model->nv};
  parts[3] = (part){data->activation, model->na};
  parts[4] = (part){data->warm_start, model->nv};
  parts[5] = (part){data->mocap_position, 3 * model->mocap_count};
  parts[6] = (part){data->mocap_quaternion, 4 * model->mocap_count};
  parts[7] = (part){data->anchor, LIMPET_ANCHOR_SIZE * model->options.anchor_count};
}

int limpet_data_state_size(const limpet_model *model) {
  return 1 + model->nq + 2 * model->nv + model->na + 7 * model->mocap_count +
         LIMPET_ANCHOR_SIZE * model->options.anchor_count;
}

void limpet_data_state_read(const limpet_model *model, const limpet_data *data, double *state) {
  double time = data->time;
  part parts[PART_COUNT];
  parts_of(model, data, &time, parts);
  for (int i = 0; i < PART_COUNT; state += parts[i].count, ++i)
    memcpy(state, parts[i].numbers, (size_t)parts[i].count * sizeof(double));
}

void limpet_data_state_write(const limpet_model *model, limpet_data *data, const double *state) {
  part parts[PART_COUNT];
  parts_of(model, data, &data->time, parts);
  for (int i = 0; i < PART_COUNT; state += parts[i].count, ++i)
    memcpy(parts[i].numbers, state, (size_t)parts[i].count * sizeof(double));
}

uint64_t limpet_data_state_hash(const limpet_model *model, const limpet_data *data) {
  double time = data->time;
  part parts[PART_COUNT];
  parts_of(model, data, &time, parts);
  uint64_t hash = LIMPET_HASH_START;
  // room for anchors that are not in use does not count
  int used = 0;
  while (used < model->options.anchor_count && data->anchor[LIMPET_ANCHOR_SIZE * used] > 0.0)
    ++used;
  parts[7].count = LIMPET_ANCHOR_SIZE * used;
  for (int i = 0; i < PART_COUNT; ++i)
    hash = limpet_hash_bytes(hash, parts[i].numbers, (size_t)parts[i].count * sizeof(double));
  return hash;
}
