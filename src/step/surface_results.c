/* step/surface_results.c: what the contact surfaces of a step carry: one entry for each pair of
 * geoms whose surface has a force.
 *
 *   force    F = sum f_i                       f_i [N] on B at x_i, W: mean over the step
 *   centre   sum n_i x_i / sum n_i             n_i [N] normal force
 *   torque   sum (x_i - centre) x f_i          [N m] on B about the centre
 *   area     of the points with a normal force
 *   depth    of the deepest of them
 * Cost: 40 operations a contact. */
#include <assert.h>
#include <math.h>

#include "math/vec3.h"
#include "step/results.h"

// A surface's contacts: a run of data's, as these are by pair.
typedef struct run {
  int first, end;
} run;

static bool carries(const limpet_data *data, int contact) {
  return data->contact_area[contact] > 0.0 && data->contact_force[3 * contact + 2] > 0.0;
}

// The next pair with a surface that carries, from contact `from` on; false: there is none.
static bool next_run(const limpet_data *data, const limpet_contact_records *records, int from,
                     run *surface) {
  for (int first = from; first < records->count; first = surface->end) {
    bool found = false;
    surface->first = first, surface->end = first;
    while (surface->end < records->count &&
           records->record[surface->end].pair == records->record[first].pair)
      found |= carries(data, surface->end++);
    if (found) return true;
  }
  return false;
}

// Force of a contact on B, W.
static void force_of(const limpet_data *data, int contact, double f[3]) {
  limpet_mat3_tmul_vec(f, data->contact_frame + 9 * contact, data->contact_force + 3 * contact);
}

static void fill(limpet_data *data, int s, const run *surface) {
  double *force = data->surface_force + 3 * s, *torque = data->surface_torque + 3 * s,
         *centre = data->surface_centre + 3 * s;
  double normal = 0.0, f[3];
  int deepest = LIMPET_NONE;
  for (int k = 0; k < 2; ++k)
    data->surface_geom[2 * s + k] = data->contact_geom[2 * surface->first + k];
  data->surface_area[s] = data->surface_pressure[s] = 0.0;
  limpet_vec3_zero(force), limpet_vec3_zero(torque), limpet_vec3_zero(centre);
  for (int c = surface->first; c < surface->end; ++c) {
    if (!carries(data, c)) continue;
    const double n = data->contact_force[3 * c + 2], area = data->contact_area[c];
    force_of(data, c, f);
    limpet_vec3_add(force, force, f);
    limpet_vec3_addmul(centre, centre, n, data->contact_position + 3 * c);
    normal += n;
    data->surface_area[s] += area;
    data->surface_pressure[s] = fmax(data->surface_pressure[s], n / area);
    if (deepest == LIMPET_NONE || data->contact_distance[c] < data->contact_distance[deepest])
      deepest = c;
  }
  limpet_vec3_scale(centre, 1.0 / normal, centre);
  for (int c = surface->first; c < surface->end; ++c) {
    if (!carries(data, c)) continue;
    double arm[3], moment[3];
    force_of(data, c, f);
    limpet_vec3_sub(arm, data->contact_position + 3 * c, centre);
    limpet_vec3_cross(moment, arm, f);
    limpet_vec3_add(torque, torque, moment);
  }
  limpet_vec3_copy(data->surface_deepest + 3 * s, data->contact_position + 3 * deepest);
  data->surface_depth[s] = -data->contact_distance[deepest];
}

enum { ARRAYS = 8, DOUBLES = 15 };  // arrays, and numbers of a surface in those of doubles

static limpet_status take(limpet_data *data, int count, limpet_arena *arena) {
  const size_t surface = 2 * sizeof(int) + DOUBLES * sizeof(double),
               size = (size_t)count * surface + ARRAYS * LIMPET_ARENA_ALIGNMENT;
  char *block = LIMPET_TAKE(arena, char, size), *next = block;
  if (!block) return LIMPET_ERROR_MEMORY;
  data->surface_geom = LIMPET_PIECE(&next, int, 2 * count);
  data->surface_area = LIMPET_PIECE(&next, double, count);
  data->surface_force = LIMPET_PIECE(&next, double, 3 * count);
  data->surface_torque = LIMPET_PIECE(&next, double, 3 * count);
  data->surface_centre = LIMPET_PIECE(&next, double, 3 * count);
  data->surface_deepest = LIMPET_PIECE(&next, double, 3 * count);
  data->surface_depth = LIMPET_PIECE(&next, double, count);
  data->surface_pressure = LIMPET_PIECE(&next, double, count);
  assert(next <= block + size);
  return LIMPET_OK;
}

limpet_status limpet_results_surfaces(limpet_data *data, const limpet_contact_records *records,
                                      limpet_arena *arena) {
  run surface = {0, 0};
  int count = 0;
  while (next_run(data, records, surface.end, &surface)) ++count;
  if (take(data, count, arena)) return LIMPET_ERROR_MEMORY;
  surface.end = 0;
  for (int s = 0; s < count && next_run(data, records, surface.end, &surface); ++s)
    fill(data, s, &surface);
  data->surface_count = count;
  return LIMPET_OK;
}
