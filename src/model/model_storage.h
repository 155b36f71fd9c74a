/* model/model_storage.h: how a compiled model lies in memory: the public struct, then what only
 * this folder sees.
 *
 * All arrays and strings come from one arena that is created with the room for all of them; meshes
 * own one block each. */
#ifndef LIMPET_MODEL_MODEL_STORAGE_H
#define LIMPET_MODEL_MODEL_STORAGE_H

#include "base/arena.h"
#include "limpet/model.h"

// Names of one kind of object by hash: open addressing, -1 where empty; size a power of two, 0 for
// no names.
typedef struct limpet_name_table {
  int size;
  int *slot;  // (size)  index of the object
} limpet_name_table;

typedef struct limpet_model_storage {
  limpet_model model;  // first: a limpet_model* points to the whole
  limpet_arena arena;
  limpet_name_table names[LIMPET_OBJECT_COUNT];
  void **mesh_storage;  // (mesh_count)  blocks by malloc
} limpet_model_storage;

/* A model whose counts are those of `sizes` and whose arrays are there, cleared, with `text_size`
 * bytes of room for names, notes and tables of names (more grows). NULL: no memory. */
limpet_model_storage *limpet_model_storage_create(const limpet_model *sizes, size_t text_size);

/* Hash of all that decides the motion: options, every array but names, colours, groups and
 * keyframes, hull vertices, meshes of pressure fields, points of clouds. */
uint64_t limpet_model_hash(const limpet_model *model);

/* Enters the names (NULL: unnamed) of `count` objects. Returns -1 when all differ, else the index
 * of the second one of a name that is there twice, and in *first that of the first. The table has
 * room for limpet_name_table_size(count) slots. */
int limpet_name_table_size(int count);
int limpet_name_table_fill(limpet_name_table *table, const char *const *name, int count,
                           int *first);

#endif
