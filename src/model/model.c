/* model/model.c: the compiled model for its readers: names, counts, words; and its end. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "geometry/item_tree.h"
#include "limpet/distance.h"
#include "limpet/pressure.h"
#include "model/builder.h"
#include "model/model_storage.h"

static const limpet_model_storage *storage_of(const limpet_model *model) {
  return (const limpet_model_storage *)(const void *)model;
}

void limpet_model_destroy(limpet_model *model) {
  if (!model) return;
  limpet_model_storage *storage = (limpet_model_storage *)(void *)model;
  for (int m = 0; m < model->mesh_count && storage->mesh_storage; ++m) {
    free(storage->mesh_storage[m]);
    limpet_item_tree_destroy((limpet_item_tree *)(uintptr_t)model->mesh[m].face_tree);
  }
  for (int c = 0; c < model->cloud_count && model->cloud; ++c)
    limpet_cloud_destroy(model->cloud[c]);
  for (int g = 0; g < model->geom_count && model->geom_field; ++g)
    limpet_pressure_field_destroy(model->geom_field[g]);
  for (int d = 0; d < model->deformable_count && model->deformable_body; ++d)
    limpet_fem_body_destroy(model->deformable_body[d]);
  limpet_arena_destroy(&storage->arena);
  free(storage);
}

// ----------------------------------------------------------------------------------- names

int limpet_name_table_size(int count) {
  int size = 4;
  while (size < 2 * count) size *= 2;
  return size;
}

static int slot_of(const limpet_name_table *table, const char *name) {
  return (int)(limpet_hash_bytes(LIMPET_HASH_START, name, strlen(name)) &
               (uint64_t)(table->size - 1));
}

int limpet_name_table_fill(limpet_name_table *table, const char *const *name, int count,
                           int *first) {
  for (int i = 0; i < table->size; ++i) table->slot[i] = LIMPET_NONE;
  for (int i = 0; i < count; ++i) {
    if (!name[i]) continue;
    int slot = slot_of(table, name[i]);
    for (; table->slot[slot] != LIMPET_NONE; slot = (slot + 1) & (table->size - 1)) {
      if (strcmp(name[table->slot[slot]], name[i]) != 0) continue;
      *first = table->slot[slot];
      return i;
    }
    table->slot[slot] = i;
  }
  return LIMPET_NONE;
}

// Returns LIMPET_NONE where there is none.
static int name_table_find(const limpet_name_table *table, const char *const *name,
                           const char *wanted) {
  assert(table && table->size > 0 && wanted);
  for (int slot = slot_of(table, wanted); table->slot[slot] != LIMPET_NONE;
       slot = (slot + 1) & (table->size - 1))
    if (strcmp(name[table->slot[slot]], wanted) == 0) return table->slot[slot];
  return LIMPET_NONE;
}

int limpet_model_find(const limpet_model *model, limpet_object object, const char *name) {
  assert(model);
  assert(object >= 0 && object < LIMPET_OBJECT_COUNT);
  return name ? name_table_find(&storage_of(model)->names[object], model->object_name[object], name)
              : LIMPET_NONE;
}

const char *limpet_model_name(const limpet_model *model, limpet_object object, int index) {
  assert(model);
  assert(index >= 0 && index < limpet_model_count(model, object));
  return model->object_name[object][index];
}

int limpet_model_count(const limpet_model *model, limpet_object object) {
  assert(model && object >= 0 && object < LIMPET_OBJECT_COUNT);
  switch (object) {
    case LIMPET_OBJECT_BODY: return model->body_count;
    case LIMPET_OBJECT_JOINT: return model->joint_count;
    case LIMPET_OBJECT_GEOM: return model->geom_count;
    case LIMPET_OBJECT_SITE: return model->site_count;
    case LIMPET_OBJECT_MESH: return model->mesh_count;
    case LIMPET_OBJECT_CLOUD: return model->cloud_count;
    case LIMPET_OBJECT_ACTUATOR: return model->actuator_count;
    case LIMPET_OBJECT_TENDON: return model->tendon_count;
    case LIMPET_OBJECT_COUPLER: return model->coupler_count;
    case LIMPET_OBJECT_LOOP: return model->loop_count;
    case LIMPET_OBJECT_KEYFRAME: return model->keyframe_count;
    case LIMPET_OBJECT_SENSOR: return model->sensor_count;
    case LIMPET_OBJECT_DEFORMABLE: return model->deformable_count;
    case LIMPET_OBJECT_CAMERA: return model->camera_count;
    case LIMPET_OBJECT_PAIR: return model->pair_count;
    case LIMPET_OBJECT_COUNT: break;
  }
  return 0;
}

// ----------------------------------------------------------------------------------- words

const char *limpet_object_word(limpet_object object) {
  assert(object >= 0 && object < LIMPET_OBJECT_COUNT);
  return limpet_description_kinds[object].word;
}

typedef struct joint_words {
  const char *word;
  int nq, nv;
} joint_words;

static const joint_words joint_kinds[] = {
    [LIMPET_JOINT_FREE] = {"free", 7, 6},           [LIMPET_JOINT_BALL] = {"ball", 4, 3},
    [LIMPET_JOINT_PRISMATIC] = {"prismatic", 1, 1}, [LIMPET_JOINT_REVOLUTE] = {"revolute", 1, 1},
    [LIMPET_JOINT_SCREW] = {"screw", 1, 1},
};

limpet_object limpet_transmission_object(limpet_transmission transmission) {
  assert(transmission >= LIMPET_TRANSMISSION_JOINT && transmission <= LIMPET_TRANSMISSION_BODY);
  if (transmission == LIMPET_TRANSMISSION_TENDON) return LIMPET_OBJECT_TENDON;
  if (transmission == LIMPET_TRANSMISSION_SURFACE) return LIMPET_OBJECT_GEOM;
  if (transmission == LIMPET_TRANSMISSION_BODY) return LIMPET_OBJECT_BODY;
  return transmission == LIMPET_TRANSMISSION_SITE ||
                 transmission == LIMPET_TRANSMISSION_SLIDER_CRANK
             ? LIMPET_OBJECT_SITE
             : LIMPET_OBJECT_JOINT;
}

const char *limpet_joint_kind_word(limpet_joint_kind kind) {
  assert(kind >= LIMPET_JOINT_FREE && kind <= LIMPET_JOINT_SCREW);
  return joint_kinds[kind].word;
}
int limpet_joint_kind_nq(limpet_joint_kind kind) {
  assert(kind >= LIMPET_JOINT_FREE && kind <= LIMPET_JOINT_SCREW);
  return joint_kinds[kind].nq;
}
int limpet_joint_kind_nv(limpet_joint_kind kind) {
  assert(kind >= LIMPET_JOINT_FREE && kind <= LIMPET_JOINT_SCREW);
  return joint_kinds[kind].nv;
}
