/* format/read/table.h: values by kind and name, in a hash table of a pool. A search takes about one
 * comparison, however many names there are. */
#ifndef LIMPET_FORMAT_READ_TABLE_H
#define LIMPET_FORMAT_READ_TABLE_H

#include <stdbool.h>

#include "format/read/pool.h"

typedef struct limpet_table_entry {
  const char *name;  // NULL: the slot is free
  int kind;
  void *value;
} limpet_table_entry;

typedef struct limpet_table {  // zero: empty
  limpet_table_entry *slot;    // (slot_count)
  size_t slot_count, count;    // slot_count: a power of two
} limpet_table;

void *limpet_table_find(const limpet_table *table, int kind, const char *name);  // NULL: not there
// The name of that kind which is most like `name`, for a hint; NULL: none is like it.
const char *limpet_table_nearest(const limpet_table *table, int kind, const char *name);
/* Enters a value that is not NULL, in place of the one that had the name. The table keeps the
 * pointer `name`. Returns false when there is no memory. */
bool limpet_table_enter(limpet_table *table, limpet_pool *pool, int kind, const char *name,
                        void *value);

#endif
