/* contact/arrays.c: see arrays.h. */
#include "contact/arrays.h"

#include <assert.h>

enum { ARRAYS = 15, DOUBLES = 27 };  // arrays, and numbers of a contact in those of doubles

limpet_status limpet_contact_arrays_take(limpet_data *data, int count, limpet_arena *arena) {
  const size_t contact =
                   2 * sizeof(int) + sizeof(uint64_t) + DOUBLES * sizeof(double) + sizeof(bool),
               size = (size_t)count * contact + ARRAYS * LIMPET_ARENA_ALIGNMENT;
  char *block = LIMPET_TAKE(arena, char, size), *next = block;
  if (!block) return LIMPET_ERROR_MEMORY;
  data->contact_geom = LIMPET_PIECE(&next, int, 2 * count);
  data->contact_feature = LIMPET_PIECE(&next, uint64_t, count);
  data->contact_position = LIMPET_PIECE(&next, double, 3 * count);
  data->contact_frame = LIMPET_PIECE(&next, double, 9 * count);
  data->contact_distance = LIMPET_PIECE(&next, double, count);
  data->contact_velocity = LIMPET_PIECE(&next, double, 3 * count);
  data->contact_force = LIMPET_PIECE(&next, double, 3 * count);
  data->contact_stiffness = LIMPET_PIECE(&next, double, count);
  data->contact_dissipation = LIMPET_PIECE(&next, double, count);
  data->contact_friction = LIMPET_PIECE(&next, double, count);
  data->contact_slip_speed = LIMPET_PIECE(&next, double, count);
  data->contact_torsion = LIMPET_PIECE(&next, double, count);
  data->contact_rolling = LIMPET_PIECE(&next, double, 2 * count);
  data->contact_sticks = LIMPET_PIECE(&next, bool, count);
  data->contact_area = LIMPET_PIECE(&next, double, count);
  assert(next <= block + size);
  return LIMPET_OK;
}
