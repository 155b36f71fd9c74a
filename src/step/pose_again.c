// step/pose_again.c: see pose_again.h.
#include "step/pose_again.h"

#include <string.h>

#include "dynamics/tree.h"
#include "dynamics/tree_kernels.h"
#include "math/spatial.h"
#include "math/vec3.h"
#include "step/flight.h"

// Force [N] W with which a contact of an attempt ended.
typedef struct found_force {
  limpet_geom_pair geoms;
  uint64_t feature;
  double force[3];
} found_force;

/* What is needed of an attempt for the problem anew. It goes into one piece, and all else of the
 * attempt is given back: a step that looks again takes hardly more memory than others. */
typedef enum found_part {
  VELOCITIES,
  PAIRS,
  CONTACTS,
  DETECTED_PAIRS,
  DETECTED_CONTACTS,
  REACH_OF_BODIES,
  REACH_OF_TREES,
  TWISTS,
  WEAK,
  FASTEST,
  ADDED_TWISTS,
  FORCES = ADDED_TWISTS + LIMPET_REACH_MOTIONS,
  PARTS
} found_part;

typedef struct found_piece {
  const void *from[PARTS];  // NULL: there is none
  size_t at[PARTS];         // [bytes]  where it begins
  size_t size;              // [bytes]
  char *memory;
} found_piece;

static void add_part(found_piece *piece, found_part part, const void *from, size_t size) {
  const size_t align = LIMPET_ARENA_ALIGNMENT;
  if (!from) return;
  piece->from[part] = from;
  piece->at[part] = piece->size;
  piece->size += (size + align - 1) / align * align;
}

static void *part_of(const found_piece *piece, found_part part) {
  return piece->from[part] ? piece->memory + piece->at[part] : NULL;
}

static void copy_part(const found_piece *piece, found_part part, size_t size) {
  if (piece->from[part]) memcpy(part_of(piece, part), piece->from[part], size);
}

static void copy_forces(const limpet_contact_records *records, const double *carried,
                        found_force *to) {
  for (int i = 0; i < records->count; ++i) {
    const limpet_contact_record *record = &records->record[i];
    to[i] = (found_force){.geoms = records->pair[record->pair].geoms, .feature = record->feature};
    if (record->contact >= 0) limpet_vec3_copy(to[i].force, carried + 3 * record->contact);
  }
}

/* The piece, which the work has then, in the place of the problem that was attempted where no
 * deformable body takes part. False: no memory. */
static bool keep_found(limpet_step_work *work, const limpet_model *model,
                       const limpet_step_solution *solution, found_piece *piece) {
  limpet_collision *collision = &work->collision, *detected = &work->detected;
  limpet_reach *reach = &work->reach;
  const bool again = work->detected_again;
  const size_t bodies = (size_t)model->body_count * sizeof(double);
  size_t size[PARTS] = {
      [VELOCITIES] = (size_t)solution->problem.nv * sizeof(double),
      [PAIRS] = (size_t)collision->pair_count * sizeof *collision->pair,
      [CONTACTS] = (size_t)collision->contact_count * sizeof *collision->contact,
      [DETECTED_PAIRS] = (size_t)detected->pair_count * sizeof *detected->pair,
      [DETECTED_CONTACTS] = (size_t)detected->contact_count * sizeof *detected->contact,
      [REACH_OF_BODIES] = bodies,
      [REACH_OF_TREES] = (size_t)model->tree_count * sizeof(double),
      [TWISTS] = 6 * bodies,
      [WEAK] = (size_t)model->nv * sizeof(bool),
      [FASTEST] = (size_t)model->nv * sizeof(double),
      [FORCES] = (size_t)work->records.count * sizeof(found_force)};
  const void *from[PARTS] = {[VELOCITIES] = solution->contact.v,
                             [PAIRS] = collision->pair,
                             [CONTACTS] = collision->contact,
                             [DETECTED_PAIRS] = again ? detected->pair : NULL,
                             [DETECTED_CONTACTS] = again ? detected->contact : NULL,
                             [REACH_OF_BODIES] = again ? reach->body : NULL,
                             [REACH_OF_TREES] = again ? reach->tree : NULL,
                             [TWISTS] = again ? reach->twist : NULL,
                             [WEAK] = work->weak,
                             [FASTEST] = work->motion.fastest,
                             [FORCES] = solution->contact.carried};
  for (int m = 0; m < LIMPET_REACH_MOTIONS; ++m) {
    size[ADDED_TWISTS + m] = 6 * bodies;
    from[ADDED_TWISTS + m] = again ? reach->added[m] : NULL;
  }
  for (found_part i = VELOCITIES; i < PARTS; ++i) add_part(piece, i, from[i], size[i]);
  piece->memory = LIMPET_TAKE(work->arena, char, piece->size);
  if (!piece->memory) return false;
  for (found_part i = VELOCITIES; i < FORCES; ++i) copy_part(piece, i, size[i]);
  if (from[FORCES]) copy_forces(&work->records, solution->contact.carried, part_of(piece, FORCES));
  if (!work->motion.soft)
    piece->memory =
        limpet_arena_release_but(work->arena, work->before_pose, piece->memory, piece->size);
  if (!piece->memory) return false;

  if (work->motion.v_thrown == from[VELOCITIES]) work->motion.v_thrown = part_of(piece, VELOCITIES);
  work->found = part_of(piece, VELOCITIES);
  collision->pair = part_of(piece, PAIRS);
  collision->contact = part_of(piece, CONTACTS);
  work->weak = part_of(piece, WEAK);
  work->motion.fastest = part_of(piece, FASTEST);
  if (!again) return true;
  detected->pair = part_of(piece, DETECTED_PAIRS);
  detected->contact = part_of(piece, DETECTED_CONTACTS);
  reach->body = part_of(piece, REACH_OF_BODIES);
  reach->tree = part_of(piece, REACH_OF_TREES);
  reach->twist = part_of(piece, TWISTS);
  for (int m = 0; m < LIMPET_REACH_MOTIONS; ++m)
    reach->added[m] = part_of(piece, (found_part)(ADDED_TWISTS + m));
  return true;
}

/* The contacts that the last problem had start from the forces that its solution has. known
 * (contacts of the problem), false: which these are. */
static void carry_forces(limpet_step_work *work, const found_force *found, int count, bool *known) {
  limpet_contact_problem *problem = &work->problem;
  if (!problem->carried) return;
  for (int i = 0, from = 0; i < work->records.count; ++i) {
    const limpet_contact_record *record = &work->records.record[i];
    const limpet_geom_pair *geoms = &work->records.pair[record->pair].geoms;
    while (from < count && limpet_geom_pair_before(&found[from].geoms, geoms)) ++from;
    for (int k = from; k < count && !limpet_geom_pair_before(geoms, &found[k].geoms); ++k)
      if (found[k].feature == record->feature && record->contact >= 0) {
        limpet_vec3_copy(problem->carried + 3 * record->contact, found[k].force);
        known[record->contact] = true;
      }
  }
}

limpet_status limpet_step_carry_found(limpet_step_work *work, const limpet_contact_records *records,
                                      const double *carried, bool *known) {
  found_force *found = LIMPET_TAKE(work->arena, found_force, records->count);
  if (!found) return LIMPET_ERROR_MEMORY;
  copy_forces(records, carried, found);
  carry_forces(work, found, records->count, known);
  return LIMPET_OK;
}

void limpet_step_pose_again(limpet_step_prepared *prepared, const limpet_step_result *result,
                            limpet_stage_clock *clock) {
  limpet_step_work *work = prepared->work;
  const int contacts = work->records.count;
  found_piece piece = {.size = 0};
  work->spent = result->info;
  ++work->spent.repeats;
  if (prepared->outcome != LIMPET_OUTCOME_SOLVED) return;
  prepared->outcome = LIMPET_OUTCOME_OUT_OF_MEMORY;
  work->known = NULL, work->kept = NULL;
  if (!keep_found(work, prepared->data->model, result->solution, &piece)) return;
  prepared->outcome = limpet_step_pose(work, prepared->data, clock);
  const found_force *force = part_of(&piece, FORCES);
  if (prepared->outcome != LIMPET_OUTCOME_SOLVED || !force) return;
  bool *known = LIMPET_TAKE_ZERO(work->arena, bool, work->problem.contact_count);
  if (known) carry_forces(work, force, contacts, known);
  else prepared->outcome = LIMPET_OUTCOME_OUT_OF_MEMORY;
  // of deformable bodies other unknowns take part
  if (!work->motion.soft) work->known = known;
}

limpet_status limpet_step_end_open(const limpet_step_work *work, const limpet_data *data, double *q,
                                   limpet_step_end *end) {
  const limpet_model *model = data->model;
  limpet_arena *arena = work->arena;
  const size_t geoms = (size_t)model->geom_count;
  end->work = work;
  // trees that are not asked for stay where they are
  if (work->trees.tree ? limpet_mirror_make(model, data, arena, &end->world)
                       : limpet_mirror_make_unposed(model, data, arena, &end->world))
    return LIMPET_ERROR_MEMORY;
  end->posed = LIMPET_TAKE_ZERO(arena, bool, model->tree_count);
  end->world.geom_position = LIMPET_TAKE(arena, double, 3 * geoms);
  end->world.geom_rotation = LIMPET_TAKE(arena, double, 9 * geoms);
  if (!end->posed || !end->world.geom_position || !end->world.geom_rotation)
    return LIMPET_ERROR_MEMORY;
  end->world.q = q;
  return LIMPET_OK;
}

static void pose_tree(limpet_step_end *end, int tree) {
  const limpet_flight *flight = end->work->motion.flight;
  const limpet_known_poses known = flight ? limpet_flight_poses(flight) : (limpet_known_poses){0};
  limpet_tree_kinematics_known(end->world.model, &end->world, tree, flight ? &known : NULL);
}

void limpet_step_end_pose(limpet_step_end *end, int geom) {
  const limpet_model *model = end->world.model;
  const int tree = model->body_tree[model->geom_body[geom]];
  if (tree >= 0 && !end->posed[tree] && limpet_trees_have(end->work->trees, tree)) {
    pose_tree(end, tree);
    end->posed[tree] = true;
  }
  limpet_one_geom_kinematics(model, &end->world, geom);
}

limpet_status limpet_step_end_world(const limpet_step_work *work, const limpet_data *data,
                                    double *q, limpet_data *world) {
  const limpet_model *model = data->model;
  const size_t geoms = (size_t)model->geom_count;
  limpet_step_end end;
  if (limpet_step_end_open(work, data, q, &end) != LIMPET_OK) return LIMPET_ERROR_MEMORY;
  *world = end.world;
  memcpy(world->geom_position, data->geom_position, 3 * geoms * sizeof *world->geom_position);
  memcpy(world->geom_rotation, data->geom_rotation, 9 * geoms * sizeof *world->geom_rotation);
  for (int i = 0; i < work->trees.count; ++i) pose_tree(&end, limpet_trees_at(work->trees, i));
  limpet_trees_collider_kinematics(model, world, work->trees);
  return LIMPET_OK;
}

double *limpet_step_twists_of(const limpet_model *model, const limpet_data *data, const double *v,
                              limpet_arena *arena) {
  double *twist = LIMPET_TAKE(arena, double, 6 * (size_t)model->body_count);
  if (!twist) return NULL;
  for (int b = 0; b < model->body_count; ++b)
    if (model->body_tree[b] < 0) limpet_spatial_zero(twist + 6 * b);
  const limpet_tree_kernels *kernels = limpet_tree_kernels_here();
  for (int t = 0; t < model->tree_count; ++t) kernels->twists(model, data, v, t, twist);
  return twist;
}
