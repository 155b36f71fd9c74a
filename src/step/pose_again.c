// step/pose_again.c: see pose_again.h.
#include "step/pose_again.h"

#include "math/vec3.h"

int limpet_step_records_of(const limpet_contact_records *records, const limpet_collision_pair *pair,
                           int *from) {
  int end = *from;
  for (; end < records->count; ++end) {
    const limpet_geom_pair *geoms = &records->pair[records->record[end].pair].geoms;
    if (geoms->geom_a > pair->geom_a ||
        (geoms->geom_a == pair->geom_a && geoms->geom_b > pair->geom_b))
      break;
    if (geoms->geom_a < pair->geom_a || geoms->geom_b < pair->geom_b) *from = end + 1;
  }
  return end;
}

// The contacts that the last problem had start from the forces that its solution has.
static void carry_forces(limpet_step_work *work, const limpet_contact_records *records,
                         const limpet_step_solution *solution) {
  limpet_contact_problem *problem = &work->problem;
  if (!problem->carried || !solution->contact.carried) return;
  for (int i = 0, from = 0; i < work->records.count; ++i) {
    const limpet_contact_record *record = &work->records.record[i];
    const limpet_collision_contact *found = &work->collision.contact[record->found];
    const int end = limpet_step_records_of(records, &work->collision.pair[found->pair], &from);
    for (int k = from; k < end; ++k)
      if (records->record[k].feature == record->feature)
        limpet_vec3_copy(problem->carried + 3 * record->contact,
                         solution->contact.carried + 3 * records->record[k].contact);
  }
}

void limpet_step_pose_again(limpet_step_prepared *prepared, const limpet_step_result *result,
                            limpet_stage_clock *clock) {
  limpet_step_work *work = prepared->work;
  const limpet_contact_records records = work->records;
  work->spent = result->info;
  ++work->spent.repeats;
  if (prepared->outcome == LIMPET_OUTCOME_SOLVED)
    prepared->outcome = limpet_step_pose(work, prepared->data, clock);
  if (prepared->outcome == LIMPET_OUTCOME_SOLVED) carry_forces(work, &records, result->solution);
  work->found = result->solution->contact.v;
}
