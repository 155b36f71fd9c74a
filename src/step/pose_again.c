// step/pose_again.c: see pose_again.h.
#include "step/pose_again.h"

#include <string.h>

#include "dynamics/tree.h"
#include "math/spatial.h"
#include "math/vec3.h"
#include "step/flight.h"

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

limpet_status limpet_step_end_world(const limpet_step_work *work, const limpet_data *data,
                                    double *q, limpet_data *end) {
  const limpet_model *model = data->model;
  limpet_arena *arena = work->arena;
  const size_t geoms = (size_t)model->geom_count;
  if (limpet_mirror_make(model, data, arena, end)) return LIMPET_ERROR_MEMORY;
  end->geom_position = LIMPET_TAKE(arena, double, 3 * geoms);
  end->geom_rotation = LIMPET_TAKE(arena, double, 9 * geoms);
  if (!end->geom_position || !end->geom_rotation) return LIMPET_ERROR_MEMORY;
  memcpy(end->geom_position, data->geom_position, 3 * geoms * sizeof *end->geom_position);
  memcpy(end->geom_rotation, data->geom_rotation, 9 * geoms * sizeof *end->geom_rotation);
  end->q = q;
  const limpet_flight *flight = work->motion.flight;
  const limpet_known_poses known = flight ? limpet_flight_poses(flight) : (limpet_known_poses){0};
  for (int i = 0; i < work->trees.count; ++i)
    limpet_tree_kinematics_known(model, end, limpet_trees_at(work->trees, i),
                                 flight ? &known : NULL);
  limpet_trees_collider_kinematics(model, end, work->trees);
  return LIMPET_OK;
}

double *limpet_step_twists_of(const limpet_model *model, const limpet_data *data, const double *v,
                              limpet_arena *arena) {
  double *twist = LIMPET_TAKE_ZERO(arena, double, 6 * (size_t)model->body_count);
  for (int b = 1; twist && b < model->body_count; ++b) {
    const int tree = model->body_tree[b], parent = model->body_parent[b];
    if (tree < 0) continue;
    double *V = twist + 6 * b;
    const bool first = b == model->tree_body[tree];
    if (!first) limpet_spatial_copy(V, twist + 6 * parent);
    const int above = first ? LIMPET_NONE : model->body_last_dof[parent];
    for (int d = model->body_last_dof[b]; d != above; d = model->dof_parent[d])
      limpet_spatial_addmul(V, v[d], data->dof_axis + 6 * d);
  }
  return twist;
}
