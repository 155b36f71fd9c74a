/* step/anchors.c: see anchors.h. Contacts come in nearly the order of the step before, so that the search for each begins
 * behind the one found last: cost O(contacts) where nothing changes. */
#include "step/anchors.h"

#include <string.h>

#include "math/vec3.h"

// What an anchor is found by.
static void key_of(const limpet_collision *collision, int contact, double key[4]) {
  const limpet_collision_contact *c = &collision->contact[contact];
  const limpet_collision_pair *pair = &collision->pair[c->pair];
  key[0] = pair->geom_a + 1;
  key[1] = pair->geom_b;
  key[2] = (double)(uint32_t)c->point.feature;
  key[3] = (double)(uint32_t)((uint64_t)c->point.feature >> 32);
}

// Place of a key among the anchors in use, looked for from `from` around; -1: none.
static int find(const double *anchors, int used, int from, const double key[4]) {
  for (int k = 0; k < used; ++k) {
    const int at = from + k < used ? from + k : from + k - used;
    if (memcmp(anchors + LIMPET_ANCHOR_SIZE * at, key, 4 * sizeof *key) == 0) return at;
  }
  return -1;
}

int limpet_anchors_load(const limpet_data *data, const limpet_collision *collision, limpet_arena *arena,
                        limpet_contact_problem *problem) {
  problem->carried = LIMPET_TAKE_ZERO(arena, double, 3 * problem->contact_count);
  if (!problem->carried) return 1;
  int used = 0, next = 0;
  while (used < data->model->options.anchor_count && data->anchor[LIMPET_ANCHOR_SIZE * used] > 0.0) ++used;
  for (int i = 0; i < problem->contact_count; ++i) {
    double key[4];
    key_of(collision, problem->contact_source[i], key);
    const int at = find(data->anchor, used, next, key);
    if (at < 0) continue;
    limpet_vec3_copy(problem->carried + 3 * i, data->anchor + LIMPET_ANCHOR_SIZE * at + 4);
    next = at + 1 < used ? at + 1 : 0;
  }
  return 0;
}

void limpet_anchors_store(limpet_data *data, const limpet_collision *collision, const limpet_contact_problem *problem) {
  const int room = data->model->options.anchor_count;
  memset(data->anchor, 0, (size_t)(LIMPET_ANCHOR_SIZE * room) * sizeof *data->anchor);
  int count = 0;
  for (int i = 0; i < problem->contact_count && count < room; ++i) {
    if (!(problem->gamma[3 * i + 2] > 0.0)) continue;
    double *anchor = data->anchor + LIMPET_ANCHOR_SIZE * count++;
    key_of(collision, problem->contact_source[i], anchor);
    limpet_vec3_copy(anchor + 4, problem->carried + 3 * i);
  }
}
