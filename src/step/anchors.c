/* step/anchors.c: see anchors.h. Contacts that go on come in the order in which they were stored,
 * so the anchor after the last one that was found is looked at first. For a few others all anchors
 * are looked at, then a hash table with open addressing is made: O(contacts). */
#include "step/anchors.h"

#include <math.h>
#include <string.h>

#include "contact/shear.h"
#include "math/dense.h"
#include "math/extremes.h"
#include "math/vec3.h"

/* Places in an anchor: what it is found by, force, stretch, rebound, energy. Of the shear of a
 * surface the first of two anchors has turn and shift for force and stretch, the second one the
 * centre. */
enum {
  KEY_SIZE = LIMPET_ANCHOR_KEY,
  FORCE = LIMPET_ANCHOR_FORCE,
  STRETCH = FORCE + 3,
  REBOUND = LIMPET_ANCHOR_REBOUND,
  TAKEN = REBOUND + 1
};
// features of these two: no low half of one is beyond 32 bits
static const double shear_feature[2] = {LIMPET_ANCHOR_SHEAR, 2.0 * LIMPET_ANCHOR_SHEAR};

typedef struct anchor_table {
  const double *anchors;
  int used;   // anchors
  int *slot;  // (mask + 1)  1 + place of an anchor; 0: empty; NULL: not made yet
  uint32_t mask;
  int next;    // the anchor after the last one that was found
  int missed;  // contacts that did not come next
} anchor_table;

enum { FEW_MISSED = 8 };

// What the anchors of a surface's shear are found by.
static void shear_key(const limpet_contact_records *records, int index, int part,
                      double key[KEY_SIZE]) {
  const limpet_geom_pair *geoms = &records->pair[records->record[index].pair].geoms;
  key[0] = geoms->geom_a + 1, key[1] = geoms->geom_b;
  key[2] = shear_feature[part], key[3] = 0.0;
}

// What the anchor of a contact is found by.
static void contact_key(const limpet_contact_records *records, int index, double key[KEY_SIZE]) {
  const limpet_contact_record *record = &records->record[index];
  const limpet_geom_pair *geoms = &records->pair[record->pair].geoms;
  key[0] = geoms->geom_a + 1;
  key[1] = geoms->geom_b;
  key[2] = (double)(uint32_t)record->feature;
  key[3] = (double)(uint32_t)(record->feature >> 32);
}

// Four products that do not wait for each other; keys are whole numbers below 2^34.
static uint32_t slot_of(const anchor_table *table, const double key[KEY_SIZE]) {
  static const uint64_t factor[KEY_SIZE] = {0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu,
                                            0x165667b19e3779f9u, 0xff51afd7ed558ccdu};
  uint64_t hash = 0;
  for (int i = 0; i < KEY_SIZE; ++i) hash += (uint64_t)(int64_t)key[i] * factor[i];
  return (uint32_t)(hash >> 33) & table->mask;
}

static bool has_key(const anchor_table *table, int place, const double key[KEY_SIZE]) {
  const double *anchor = table->anchors + LIMPET_ANCHOR_SIZE * place;
  for (int i = 0; i < KEY_SIZE; ++i)
    if (anchor[i] != key[i]) return false;
  return true;
}

// The slot that has the key, or the empty one where it belongs.
static int *find(const anchor_table *table, const double key[KEY_SIZE]) {
  uint32_t at = slot_of(table, key);
  for (; table->slot[at] > 0; at = (at + 1) & table->mask)
    if (has_key(table, table->slot[at] - 1, key)) break;
  return &table->slot[at];
}

int limpet_anchors_used(const limpet_data *data) {
  int used = 0;
  while (used < data->model->options.anchor_count && data->anchor[LIMPET_ANCHOR_SIZE * used] > 0.0)
    ++used;
  return used;
}

double limpet_anchors_energy(const limpet_data *data) {
  double sum = 0.0;
  for (int i = 0; i < limpet_anchors_used(data); ++i)
    sum += data->anchor[LIMPET_ANCHOR_SIZE * i + TAKEN];
  return limpet_max(sum, 0.0);
}

double limpet_anchors_force(const limpet_data *data, int geom) {
  const int used = limpet_anchors_used(data);
  double sum = 0.0;
  for (int k = 0; k < used; ++k) {
    const double *anchor = data->anchor + LIMPET_ANCHOR_SIZE * k;
    const bool is_shear = anchor[2] == shear_feature[0] || anchor[2] == shear_feature[1];
    if (!is_shear && (anchor[0] == geom + 1 || anchor[1] == geom))
      sum += limpet_vec3_dot(anchor + FORCE, anchor + FORCE);
  }
  return sqrt(sum);
}

// The body of geom A, in whose frame a stretch is kept.
static int body_of(const limpet_data *data, const limpet_contact_records *records, int index) {
  return data->model->geom_body[records->pair[records->record[index].pair].geoms.geom_a];
}

static const double *frame_of(const limpet_data *data, const limpet_contact_records *records,
                              int index) {
  return data->body_rotation + 9 * body_of(data, records, index);
}

static limpet_status take_memory(limpet_contact_problem *problem,
                                 const limpet_contact_records *records, limpet_arena *arena) {
  const int count = problem->contact_count;
  problem->carried = LIMPET_TAKE_ZERO(arena, double, 3 * count);
  if (!problem->carried) return LIMPET_ERROR_MEMORY;
  if (!problem->model->bristles) return LIMPET_OK;
  problem->stretch = LIMPET_TAKE_ZERO(arena, double, 3 * count);
  problem->rebound = LIMPET_TAKE_ZERO(arena, double, count);
  problem->taken = LIMPET_TAKE_ZERO(arena, double, count);
  if (!problem->stretch || !problem->rebound || !problem->taken) return LIMPET_ERROR_MEMORY;
  if (!records->shears) return LIMPET_OK;
  problem->shear = LIMPET_TAKE_ZERO(arena, limpet_shear, records->pair_count);
  return problem->shear ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

// The shear of a surface, from its two anchors.
static void shear_take_over(const limpet_data *data, int body, const double *motion,
                            const double *centre, limpet_shear *shear) {
  const double *R = data->body_rotation + 9 * body;
  limpet_mat3_mul_vec(shear->turn, R, motion + FORCE);
  limpet_mat3_mul_vec(shear->shift, R, motion + STRETCH);
  limpet_mat3_mul_vec(shear->centre, R, centre + FORCE);
  limpet_vec3_add(shear->centre, shear->centre, data->body_position + 3 * body);
}

static void shear_keep(const limpet_data *data, int body, const limpet_shear *shear, double *motion,
                       double *centre) {
  const double *R = data->body_rotation + 9 * body;
  double arm[3];
  limpet_vec3_sub(arm, shear->centre, data->body_position + 3 * body);
  limpet_mat3_tmul_vec(motion + FORCE, R, shear->turn);
  limpet_mat3_tmul_vec(motion + STRETCH, R, shear->shift);
  limpet_mat3_tmul_vec(centre + FORCE, R, arm);
}

// Whether the stretch of a contact is that of the shear of its surface.
static bool shares(const limpet_contact_problem *problem, const limpet_contact_records *records,
                   int contact) {
  return problem->shear && limpet_shear_is_kept(problem, records, contact);
}

// Contact `contact` of the problem takes over from its anchor.
static void take_over(const limpet_data *data, const limpet_contact_records *records, int contact,
                      const double *anchor, bool stretch, limpet_contact_problem *problem) {
  limpet_vec3_copy(problem->carried + 3 * contact, anchor + FORCE);
  if (!problem->stretch) return;
  const double *R = frame_of(data, records, problem->contact_source[contact]);
  if (stretch) limpet_mat3_mul_vec(problem->stretch + 3 * contact, R, anchor + STRETCH);
  problem->rebound[contact] = anchor[REBOUND], problem->taken[contact] = anchor[TAKEN];
}

/* Contacts of a pair that have no anchor of their own take the mean stretch of the pair's contacts
 * that have one: place (contact_count). Those of a surface have that of its shear. */
static void share_stretch(const limpet_contact_records *records, const int *place,
                          limpet_contact_problem *problem) {
  for (int first = 0, end; first < problem->contact_count; first = end) {
    double mean[3] = {0.0};
    int count = 0;
    end = limpet_shear_end(problem, records, first);
    if (shares(problem, records, first)) continue;
    for (int i = first; i < end; ++i)
      if (place[i] != LIMPET_NONE) limpet_vec3_add(mean, mean, problem->stretch + 3 * i), ++count;
    for (int i = first; i < end && count > 0; ++i)
      if (place[i] == LIMPET_NONE) limpet_vec3_scale(problem->stretch + 3 * i, 1.0 / count, mean);
  }
}

// *place: of the anchor with the key; LIMPET_NONE: there is none. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status look_up(anchor_table *table, const double key[KEY_SIZE], limpet_arena *arena,
                             int *place) {
  if (table->next < table->used && has_key(table, table->next, key)) {
    *place = table->next++;
    return LIMPET_OK;
  }
  if (table->missed++ < FEW_MISSED) {
    *place = table->used - 1;
    while (*place >= 0 && !has_key(table, *place, key)) --*place;
    if (*place >= 0) table->next = *place + 1;
    return LIMPET_OK;
  }
  if (!table->slot) {
    table->mask = 1;
    while (table->mask < 2 * (uint32_t)table->used) table->mask = 2 * table->mask + 1;
    table->slot = LIMPET_TAKE_ZERO(arena, int, table->mask + 1);
    if (!table->slot) return LIMPET_ERROR_MEMORY;
    for (int k = 0; k < table->used; ++k)
      *find(table, table->anchors + LIMPET_ANCHOR_SIZE * k) = k + 1;
  }
  *place = *find(table, key) - 1;
  if (*place != LIMPET_NONE) table->next = *place + 1;
  return LIMPET_OK;
}

// place (contact_count) of all contacts. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status look_up_all(anchor_table *table, const limpet_contact_records *records,
                                 const limpet_contact_problem *problem, limpet_arena *arena,
                                 int *place) {
  for (int i = 0; i < problem->contact_count; ++i) {
    double key[KEY_SIZE];
    place[i] = LIMPET_NONE;
    if (table->used == 0) continue;
    contact_key(records, problem->contact_source[i], key);
    if (look_up(table, key, arena, &place[i]) != LIMPET_OK) return LIMPET_ERROR_MEMORY;
  }
  return LIMPET_OK;
}

/* The shear of the surfaces, from their anchors, which come first, and the stretch of their points
 * by it. */
static limpet_status load_shear(const limpet_data *data, const limpet_contact_records *records,
                                anchor_table *table, limpet_arena *arena,
                                limpet_contact_problem *problem) {
  for (int first = 0, end; first < problem->contact_count; first = end) {
    const int index = problem->contact_source[first];
    limpet_shear *shear = &problem->shear[records->record[index].pair];
    end = limpet_shear_end(problem, records, first);
    if (!limpet_shear_is_kept(problem, records, first)) continue;
    double key[KEY_SIZE];
    int place[2] = {LIMPET_NONE, LIMPET_NONE};
    for (int k = 0; k < 2; ++k) {
      shear_key(records, index, k, key);
      if (table->used > 0 && look_up(table, key, arena, &place[k]) != LIMPET_OK)
        return LIMPET_ERROR_MEMORY;
    }
    if (place[0] == LIMPET_NONE || place[1] == LIMPET_NONE) continue;
    shear_take_over(data, body_of(data, records, index),
                    data->anchor + LIMPET_ANCHOR_SIZE * place[0],
                    data->anchor + LIMPET_ANCHOR_SIZE * place[1], shear);
    for (int i = first; i < end; ++i)
      limpet_shear_at(shear, records->record[problem->contact_source[i]].position,
                      problem->stretch + 3 * i);
  }
  return LIMPET_OK;
}

limpet_status limpet_anchors_load(const limpet_data *data, const limpet_contact_records *records,
                                  limpet_arena *arena, limpet_contact_problem *problem) {
  if (take_memory(problem, records, arena) != LIMPET_OK) return LIMPET_ERROR_MEMORY;
  if (problem->contact_count == 0) return LIMPET_OK;
  anchor_table table = {.anchors = data->anchor, .used = limpet_anchors_used(data)};
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  int *place = LIMPET_TAKE(arena, int, problem->contact_count), known_count = 0;
  if (!place ||
      (problem->shear && load_shear(data, records, &table, arena, problem) != LIMPET_OK) ||
      look_up_all(&table, records, problem, arena, place) != LIMPET_OK)
    return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < problem->contact_count; ++i) {
    known_count += place[i] != LIMPET_NONE;
    if (place[i] != LIMPET_NONE)
      take_over(data, records, i, data->anchor + LIMPET_ANCHOR_SIZE * place[i],
                !shares(problem, records, i), problem);
  }
  if (problem->stretch && known_count > 0 && known_count < problem->contact_count)
    share_stretch(records, place, problem);
  // the force of a spring is the motion of its own two points
  const bool is_start = problem->model->memory == LIMPET_MEMORY_WARM_START;
  if (is_start && known_count < table.used && known_count < problem->contact_count &&
      limpet_anchors_hand_on(table.anchors, table.used, records, place, arena, problem) !=
          LIMPET_OK)
    return LIMPET_ERROR_MEMORY;
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

limpet_status limpet_anchors_find(const limpet_data *data, const limpet_contact_records *records,
                                  const limpet_contact_problem *problem, limpet_arena *arena,
                                  int *place) {
  anchor_table table = {.anchors = data->anchor, .used = limpet_anchors_used(data)};
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  const limpet_status status = look_up_all(&table, records, problem, arena, place);
  limpet_arena_release(arena, mark);
  return status;
}

// The anchors of the surfaces' shear; returns how many.
static int store_shear(limpet_data *data, const limpet_contact_records *records,
                       const limpet_contact_problem *problem, const limpet_anchors_next *next) {
  const int room = data->model->options.anchor_count;
  int count = 0;
  for (int first = 0; first < problem->contact_count && count + 2 <= room;
       first = limpet_shear_end(problem, records, first)) {
    const int index = problem->contact_source[first], pair = records->record[index].pair;
    if (!next->keeps_shear[pair]) continue;
    double *motion = data->anchor + LIMPET_ANCHOR_SIZE * count,
           *centre = motion + LIMPET_ANCHOR_SIZE;
    memset(motion, 0, 2 * LIMPET_ANCHOR_SIZE * sizeof *motion);
    shear_key(records, index, 0, motion), shear_key(records, index, 1, centre);
    shear_keep(data, body_of(data, records, index), &next->shear[pair], motion, centre);
    count += 2;
  }
  return count;
}

void limpet_anchors_store(limpet_data *data, const limpet_contact_records *records,
                          const limpet_contact_problem *problem, const limpet_anchors_next *next) {
  const int room = data->model->options.anchor_count, before = limpet_anchors_used(data);
  int count = next->keeps_shear ? store_shear(data, records, problem, next) : 0;
  for (int i = 0; i < problem->contact_count && count < room; ++i) {
    double kept[LIMPET_ANCHOR_SIZE] = {0.0};
    if (next->carried) limpet_vec3_copy(kept + FORCE, next->carried + 3 * i);
    if (next->stretch) {
      const bool own = !shares(problem, records, i);
      const double *R = frame_of(data, records, problem->contact_source[i]);
      if (own) limpet_mat3_tmul_vec(kept + STRETCH, R, next->stretch + 3 * i);
      kept[REBOUND] = next->rebound[i], kept[TAKEN] = next->taken[i];
    }
    if (limpet_is_zero(LIMPET_ANCHOR_SIZE - FORCE, kept + FORCE)) continue;
    contact_key(records, problem->contact_source[i], kept);
    memcpy(data->anchor + LIMPET_ANCHOR_SIZE * count++, kept, sizeof kept);
  }
  if (before > count)
    memset(data->anchor + LIMPET_ANCHOR_SIZE * count, 0,
           (size_t)(LIMPET_ANCHOR_SIZE * (before - count)) * sizeof *data->anchor);
}
