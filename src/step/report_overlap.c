/* step/report_overlap.c: overlap that was made since the last step: by how much the deepest point
 * of a pair of geoms is deeper than that of the last step, 0 where they did not touch then.
 *
 * A pair that is new and deeper than its bodies can have come was there before: its points were
 * left out, as nothing could move them (contact/constants.c), or the user put it there.
 *
 * Of contacts without a stiffness of their own alone: where an author gave one, bodies sink as they
 * should. Points that were seen where an attempt ended do not count: what overlaps there is among
 * the contacts of the next step, with the distance of its surfaces. Both lists of contacts are
 * sorted by geoms. Cost: one comparison a contact. */
#include <math.h>

#include "math/extremes.h"
#include "model/workspace.h"
#include "step/reports.h"

limpet_former_contacts limpet_former_contacts_of(const limpet_data *data) {
  const limpet_solved_step *solved = data->workspace->solved;
  if (data->step_count == 0 || !solved) return (limpet_former_contacts){0};
  return (limpet_former_contacts){.known = true,
                                  .count = data->contact_count,
                                  .geom = data->contact_geom,
                                  .record = solved->records.record,
                                  .energy = solved->energy};
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

// The contact of [first, end) that lies deepest at the start of its step; LIMPET_NONE: none is.
static int deepest_of(const limpet_contact_record *record, int first, int end) {
  int deepest = LIMPET_NONE;
  for (int i = first; i < end; ++i)
    if (!record[i].of_end &&
        (deepest == LIMPET_NONE || record[i].distance < record[deepest].distance))
      deepest = i;
  return deepest;
}

// That of a pair one step ago; LIMPET_NONE: there was none. `at`: where the search begins.
static int deepest_before(const limpet_former_contacts *former, const int *geom, int *at) {
  while (*at < former->count && compare(former->geom + 2 * *at, geom) < 0) ++*at;
  if (*at == former->count || compare(former->geom + 2 * *at, geom) != 0) return LIMPET_NONE;
  return deepest_of(former->record, *at, end_of_pair(former->geom, *at, former->count));
}

// [-]  of the way of the last step along the normal, as the velocity at its end tells it
static const double way_share = 2.0;

/* How much of the depth [m] of a contact of a new pair its bodies can have made in the last step.
 * Vertices and bodies that the user moves have no velocity there. */
static double made_at_most(const limpet_contact_records *records,
                           const limpet_contact_problem *problem, int i) {
  const limpet_contact_record *record = &records->record[i];
  const limpet_contact_constants *c = &problem->constants[record->contact];
  if (record->link || records->pair[record->pair].driven) return INFINITY;
  return way_share * problem->dt * limpet_max(-c->normal_speed, 0.0);
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
    const int deepest = deepest_of(records->record, first, end);
    if (deepest == LIMPET_NONE) continue;
    const double depth = -records->record[deepest].distance;
    if (!(depth > info->overlap_made)) continue;
    if (!problem->constants[records->record[deepest].contact].near_rigid) continue;

    double depth_before = 0.0, most = INFINITY;
    const int deepest_then = deepest_before(former, geom, &before);
    if (deepest_then != LIMPET_NONE)
      depth_before = limpet_max(-former->record[deepest_then].distance, 0.0);
    else most = made_at_most(records, problem, deepest);
    const double made = limpet_min(depth - depth_before, most);
    if (!(made > info->overlap_made)) continue;
    info->overlap_made = made;
    info->overlap_contact = deepest;
  }
}
