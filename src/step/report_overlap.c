/* step/report_overlap.c: overlap that was made since the last step: by how much the deepest point
 * of a pair of geoms is deeper than that of the last step, 0 where they did not touch then.
 *
 * Of contacts without a stiffness of their own alone: where an author gave one, bodies sink as they
 * should. Both lists of contacts are sorted by geoms. Cost: one comparison a contact. */
#include <math.h>

#include "math/extremes.h"
#include "model/workspace.h"
#include "step/reports.h"

limpet_former_contacts limpet_former_contacts_of(const limpet_data *data) {
  return (limpet_former_contacts){.known = data->step_count > 0 && data->workspace->solved,
                                  .count = data->contact_count,
                                  .geom = data->contact_geom,
                                  .distance = data->contact_distance};
}

// Order of two pairs of geoms: negative, 0 or positive.
static int compare(const int *one, const int *other) {
  if (one[0] != other[0]) return one[0] < other[0] ? -1 : 1;
  return one[1] == other[1] ? 0 : one[1] < other[1] ? -1 : 1;
}

// The end of the run of contacts of one pair that begins at `first`.
static int end_of_pair(const int *geom, int first, int count) {
  int end = first + 1;
  while (end < count && compare(geom + 2 * first, geom + 2 * end) == 0) ++end;
  return end;
}

// The contact of [first, end) that lies deepest.
static int deepest_of(const double *distance, int first, int end) {
  int deepest = first;
  for (int i = first + 1; i < end; ++i)
    if (distance[i] < distance[deepest]) deepest = i;
  return deepest;
}

void limpet_report_overlap(limpet_data *data, const limpet_former_contacts *former,
                           const limpet_contact_records *records,
                           const limpet_contact_problem *problem) {
  limpet_step_info *info = &data->info;
  info->overlap_contact = LIMPET_NONE;
  if (!former->known) return;
  int end, before = 0;
  for (int first = 0; first < data->contact_count; first = end) {
    end = end_of_pair(data->contact_geom, first, data->contact_count);
    const int *geom = data->contact_geom + 2 * first;
    const int deepest = deepest_of(data->contact_distance, first, end);
    const double depth = -data->contact_distance[deepest];
    while (before < former->count && compare(former->geom + 2 * before, geom) < 0) ++before;
    if (!(depth > info->overlap_made)) continue;
    if (!problem->constants[records->record[deepest].contact].near_rigid) continue;

    double depth_before = 0.0;
    if (before < former->count && compare(former->geom + 2 * before, geom) == 0) {
      const int last = end_of_pair(former->geom, before, former->count);
      depth_before = limpet_max(-former->distance[deepest_of(former->distance, before, last)], 0.0);
    }
    if (!(depth - depth_before > info->overlap_made)) continue;
    info->overlap_made = depth - depth_before;
    info->overlap_contact = deepest;
  }
}
