/* contact/arrays.c: see arrays.h. */
#include "contact/arrays.h"

limpet_status limpet_contact_arrays_take(limpet_data *data, int count, limpet_arena *arena) {
  data->contact_geom = LIMPET_TAKE(arena, int, 2 * count);
  data->contact_feature = LIMPET_TAKE(arena, uint64_t, count);
  data->contact_position = LIMPET_TAKE(arena, double, 3 * count);
  data->contact_frame = LIMPET_TAKE(arena, double, 9 * count);
  data->contact_distance = LIMPET_TAKE(arena, double, count);
  data->contact_velocity = LIMPET_TAKE(arena, double, 3 * count);
  data->contact_force = LIMPET_TAKE(arena, double, 3 * count);
  data->contact_stiffness = LIMPET_TAKE(arena, double, count);
  data->contact_dissipation = LIMPET_TAKE(arena, double, count);
  data->contact_friction = LIMPET_TAKE(arena, double, count);
  data->contact_slip_speed = LIMPET_TAKE(arena, double, count);
  data->contact_torsion = LIMPET_TAKE(arena, double, count);
  data->contact_rolling = LIMPET_TAKE(arena, double, 2 * count);
  data->contact_sticks = LIMPET_TAKE(arena, bool, count);
  data->contact_area = LIMPET_TAKE(arena, double, count);
  const bool none = !data->contact_geom || !data->contact_feature || !data->contact_position ||
                    !data->contact_frame || !data->contact_distance || !data->contact_velocity ||
                    !data->contact_force || !data->contact_stiffness ||
                    !data->contact_dissipation || !data->contact_friction ||
                    !data->contact_slip_speed || !data->contact_torsion || !data->contact_rolling ||
                    !data->contact_sticks || !data->contact_area;
  return none ? LIMPET_ERROR_MEMORY : LIMPET_OK;
}
