/* geometry/pressure_memory.h: cells that may meet, kept from query to query. */
#ifndef LIMPET_GEOMETRY_PRESSURE_MEMORY_H
#define LIMPET_GEOMETRY_PRESSURE_MEMORY_H

#include "geometry/pressure_contact.h"

/* What is kept of a pair of bodies: the pairs of cells (or of a cell and a face) that may meet
 * until the bodies have moved by `slack` against each other since `frame`. */
typedef struct limpet_pressure_memory {
  uint64_t pair;  // limpet_pressure_query.pair; 0: unused
  const limpet_pressure_field *a, *b;
  limpet_pressure_frame frame, last;  // of B in A: when the list was made, at the last query
  bool listed;                        // there is a list
  double slack;                       // [m]
  int count, room;
  int (*item)[2];  // (count)  in the order of the descent
} limpet_pressure_memory;

typedef enum limpet_pressure_recall {
  LIMPET_PRESSURE_SEARCH,  // descend, keep nothing
  LIMPET_PRESSURE_LIST,    // descend with boxes grown by the slack, and make the list
  LIMPET_PRESSURE_LISTED   // the list holds
} limpet_pressure_recall;

/* What to do for the pair of this query, and its memory, with an empty list if one is to be made.
 * NULL: a query without a pair, or no memory. */
limpet_pressure_memory *limpet_pressure_memory_of(limpet_pressure_surface *surface,
                                                  const limpet_pressure_frame *frame,
                                                  limpet_pressure_recall *recall);
// Adds to a list that is being made; without memory there will be none.
void limpet_pressure_memory_add(limpet_pressure_surface *surface, limpet_pressure_memory *memory,
                                int i, int j);
void limpet_pressure_memory_free(limpet_pressure_workspace *work);

#endif
