/* step/report_surfaces.c: what contact surfaces state of themselves.
 *
 *   error    [-]  of one surface: by how much force and area may be off, over the integral of its
 *                 pressure P; the largest
 *   missing  [N]  sum of error P
 *
 * Surfaces that do not press yet have no force to be off by, and the error of those that press by
 * less than a thousandth of all is of no one's concern. Cost: two passes over the pairs. */
#include "math/extremes.h"
#include "step/reports.h"

static const double weak = 1e-3;  // [-]  of the force of all

// The first contact of two geoms. LIMPET_NONE: there is none.
static int contact_between(const limpet_data *data, int geom_a, int geom_b) {
  for (int i = 0; i < data->contact_count; ++i)
    if (data->contact_geom[2 * i] == geom_a && data->contact_geom[2 * i + 1] == geom_b) return i;
  return LIMPET_NONE;
}

void limpet_report_surfaces(limpet_data *data, const limpet_collision *collision) {
  limpet_step_info *info = &data->info;
  const limpet_collision_pair *worst = NULL;
  info->surface_error = info->surface_missing = 0.0;
  info->surface_contact = LIMPET_NONE;
  double all = 0.0;
  for (int k = 0; k < collision->pair_count; ++k)
    all += limpet_max(0.0, collision->pair[k].surface_force);
  for (int k = 0; k < collision->pair_count; ++k) {
    const limpet_collision_pair *pair = &collision->pair[k];
    if (!(pair->surface_error > 0.0 && pair->surface_force > 0.0)) continue;
    info->surface_missing += pair->surface_error * pair->surface_force;
    if (pair->surface_error > info->surface_error && pair->surface_force >= weak * all)
      info->surface_error = pair->surface_error, worst = pair;
  }
  if (worst) info->surface_contact = contact_between(data, worst->geom_a, worst->geom_b);
}
