/* contact/assemble.c: contact points grouped into patches, with Jacobians, frames, Delassus
 * estimates and constants.
 *
 *   patch      all contacts between two rigid units; its point is their mean (patch.h)
 *   column     motion of the point per unit of velocity, S = [w; v + w x (point - origin)],
 *              + for B, - for A (point_columns.h)
 *   contact    rows W, constants and bias (constants.h)
 * Cost: 6 numbers a column, 40 a contact; the 6 x 6 sum once per patch. */
#include "contact/assemble.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "contact/block_soft.h"
#include "contact/constants.h"
#include "contact/load.h"
#include "contact/patch.h"
#include "dynamics/curved_path.h"
#include "math/spatial.h"

/* [-]  of its distance, that a curved path may take from a barrier in a step. It stays in front of
 * bodies at rest: similar.c leaves it at least twice the distance that rest needs. */
static const double barrier_share = 0.25;

/* The gap at the end of the step is that of curved paths too. The impulse that bounds friction in
 * Lagged is that of the gap as it was, so this comes after `prepare`. */
static void bend_gap(limpet_contact_constants *constants, double speed) {
  if (constants->normal && constants->normal->range)
    speed = fmax(speed, -barrier_share * constants->distance / constants->dt);
  constants->elastic_force -= constants->dt * constants->stiffness * speed;
  constants->distance += constants->dt * speed;
  constants->bend_speed = speed;
}

// What stays the same over the patches of a problem, and what is made of each before its contacts.
typedef struct assembly {
  const limpet_model *model;
  const limpet_data *data;
  const limpet_assembly_settings *settings;
  const limpet_collision *collision;
  const limpet_contact_records *records;
  limpet_contact_problem *problem;
  limpet_patch_grouping g;  // g.count: ends of the patches in `order`
  int *order;               // (records)  by patch
  limpet_patch_sums *sums;  // (patches)
  double *path_bias;        // (patches x 6); NULL: paths are straight
} assembly;

// Row W of a record that may be a contact goes to where the contact will be.
static void add_contact(const assembly *a, const limpet_constants_builder *builder, int index,
                        const limpet_point_numbers *number, double *W) {
  limpet_contact_problem *problem = a->problem;
  const int to = problem->contact_count;
  double bias[LIMPET_CONTACT_BIAS], *row = problem->contact_row + 18 * to;
  limpet_contact_constants *constants = &problem->constants[to];
  const limpet_contact_part part = limpet_contact_constants_make(
      builder, &a->records->record[index], number, W, constants, bias, &problem->anisotropic);
  if (part == LIMPET_CONTACT_IMMOVABLE) ++problem->immovable_count;
  if (part != LIMPET_CONTACT_ACTS) return;
  problem->model->prepare(constants, &a->settings->contact);
  if (builder->path_bias) bend_gap(constants, number->bend[2]);
  if (row != W) memcpy(row, W, 18 * sizeof *W);
  problem->contact_source[to] = index;
  if (problem->contact_bias)
    for (int i = 0; i < LIMPET_CONTACT_BIAS; ++i)
      problem->contact_bias[LIMPET_CONTACT_BIAS * to + i] = bias[i];
  ++problem->contact_count;
}

// Views of records k and after it, in their order; of what is beyond the last one that again.
static bool view_points(const assembly *a, int k, limpet_point_view *view, double **W) {
  static const double straight[6] = {0.0};
  const int last = a->records->count - 1;
  bool turns = false;
  for (int i = 0; i < LIMPET_POINTS_AT_ONCE; ++i) {
    const int at = k + i < last ? k + i : last, index = a->order[at], p = a->g.patch_of[index];
    const limpet_contact_record *record = &a->records->record[index];
    const limpet_pair_material *material = &a->records->pair[record->pair].material;
    turns = turns || material->torsion > 0.0 || material->rolling > 0.0;
    W[i] = a->problem->contact_row + 18 * at;
    view[i] = (limpet_point_view){.record = record,
                                  .point = a->problem->patch[p].point,
                                  .sums = &a->sums[p],
                                  .path_bias = a->path_bias ? a->path_bias + 6 * p : straight};
  }
  return turns;
}

// All contacts, four records at a time.
static void add_contacts(const assembly *a) {
  limpet_contact_problem *problem = a->problem;
  limpet_constants_builder builder = {.settings = a->settings, .records = a->records};
  for (int k = 0, p = -1; k < a->records->count;) {
    limpet_point_view view[LIMPET_POINTS_AT_ONCE];
    limpet_point_numbers number[LIMPET_POINTS_AT_ONCE];
    double *W[LIMPET_POINTS_AT_ONCE];
    const bool turns = view_points(a, k, view, W);
    limpet_point_kernels_here()->points(view, turns, W, number);
    for (int i = 0; i < LIMPET_POINTS_AT_ONCE && k < a->records->count; ++i, ++k) {
      if (p < 0 || k == a->g.count[p]) {
        limpet_patch *patch = &problem->patch[++p];
        patch->contact = problem->contact_count;
        builder.patch = patch, builder.sums = &a->sums[p], builder.load = patch->load;
        builder.path_bias = a->path_bias ? a->path_bias + 6 * p : NULL;
      }
      add_contact(a, &builder, a->order[k], &number[i], W[i]);
      problem->patch[p].contact_count = problem->contact_count - problem->patch[p].contact;
    }
  }
}

// Patches without contacts are left out. What nothing moves has none.
static void keep_patches(const assembly *a) {
  limpet_contact_problem *problem = a->problem;
  for (int p = 0; p < a->g.patch_count; ++p)
    if (problem->patch[p].contact_count > 0) {
      assert(problem->patch[p].side_count > 0);
      if (problem->patch_count < p) problem->patch[problem->patch_count] = problem->patch[p];
      ++problem->patch_count;
    }
}

void limpet_contact_records_find(limpet_contact_records *records,
                                 const limpet_contact_problem *problem) {
  for (int k = 0; k < problem->contact_count; ++k)
    records->record[problem->contact_source[k]].contact = k;
}

// Records of contacts that are in the problem, in their order.
static void keep_records(limpet_contact_records *records, limpet_contact_problem *problem) {
  limpet_contact_record *record = records->record;
  limpet_contact_records_find(records, problem);
  if (problem->contact_count == records->count) return;
  int count = 0;
  for (int i = 0; i < records->count; ++i) {
    if (record[i].contact == LIMPET_NONE) continue;
    if (count < i) record[count] = record[i];
    problem->contact_source[record[count].contact] = count;
    ++count;
  }
  records->count = count;
}

static limpet_status take_contacts(const limpet_patch_grouping *g, int count, bool biased,
                                   limpet_arena *arena, limpet_contact_problem *problem) {
  problem->patch = LIMPET_TAKE(arena, limpet_patch, g->patch_count);
  problem->constants = LIMPET_TAKE(arena, limpet_contact_constants, count);
  problem->contact_row = LIMPET_TAKE(arena, double, 18 * (size_t)count);
  problem->contact_source = LIMPET_TAKE(arena, int, count);
  problem->contact_bias = biased ? LIMPET_TAKE(arena, double, LIMPET_CONTACT_BIAS *count) : NULL;
  problem->patch_count = problem->contact_count = 0;
  problem->anisotropic = problem->loaded = false;
  const bool none = !problem->patch || !problem->constants || !problem->contact_row ||
                    !problem->contact_source || (biased && !problem->contact_bias);
  return none ? LIMPET_ERROR_MEMORY : LIMPET_OK;
}

// No contacts: arrays without a number.
static limpet_status take_none(limpet_arena *arena, limpet_contact_problem *problem) {
  void *none = limpet_arena_take(arena, 0);
  problem->patch = none, problem->constants = none, problem->contact_row = none;
  problem->contact_source = none, problem->contact_bias = NULL;
  problem->patch_count = problem->contact_count = 0;
  problem->anisotropic = false;
  return none ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

void limpet_contact_add_acting_point(const limpet_collision_contact *contact, double weight,
                                     double sum[3]) {
  const double share_a =
      contact->acts_on == LIMPET_ACTS_BETWEEN ? 0.5 : contact->acts_on == LIMPET_ACTS_ON_A;
  limpet_vec3_addmul(sum, sum, weight * share_a, contact->point.on_a);
  limpet_vec3_addmul(sum, sum, weight * (1.0 - share_a), contact->point.on_b);
}

// A surface moves, so that contacts have a bias.
static bool surfaces_move(const limpet_contact_records *records) {
  for (int i = 0; i < records->pair_count; ++i)
    if (records->pair[i].surface_moves) return true;
  return false;
}

/* Patches in the order of the islands that they will belong to, so that contacts need not be moved
 * once they are made. */
static limpet_status order_by_island(const limpet_model *model, const limpet_contact_problem *p,
                                     int contacts, limpet_arena *arena, limpet_patch_grouping *g) {
  const int n = g->patch_count;
  const size_t pairs = 2 * (size_t)n;
  int *unit = LIMPET_TAKE(arena, int, pairs), *count = LIMPET_TAKE(arena, int, n);
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  int *block = LIMPET_TAKE(arena, int, pairs), *place = LIMPET_TAKE(arena, int, n);
  if (!unit || !count || !block || !place) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < 2 * n; ++i) block[i] = limpet_problem_block_of(p, model, g->unit[i]);
  if (limpet_problem_place_patches(p, block, n, arena, place)) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < n; ++i) {
    memcpy(unit + 2 * place[i], g->unit + 2 * i, 2 * sizeof *unit);
    count[place[i]] = g->count[i];
  }
  for (int i = 0; i < contacts; ++i) g->patch_of[i] = place[g->patch_of[i]];
  g->unit = unit, g->count = count;
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

// Order of records by patches; g->count[i] becomes the end of patch i in it.
static void order_by_patch(limpet_patch_grouping *g, int count, int *order) {
  int begin = 0;
  for (int i = 0; i < g->patch_count; ++i) {
    const int size = g->count[i];
    g->count[i] = begin;
    begin += size;
  }
  for (int i = 0; i < count; ++i) order[g->count[g->patch_of[i]]++] = i;
}

// Weights of the blocks of a patch: of many bodies few are touched.
static void weigh_sides(limpet_contact_problem *problem, const limpet_model *model,
                        const limpet_data *data, const limpet_patch *patch) {
  for (int k = 0; k < patch->side_count; ++k)
    limpet_problem_weigh_once(problem, model, data, patch->side[k].block);
}

/* Whether the contacts of a patch are light beside a load [kg]: their w is at most a third of the
 * trace of D, but for those that lie far from its point. */
static bool is_light(const limpet_patch_sums *sums, double load) {
  return LIMPET_LOAD_SHARE * load * (sums->D[21] + sums->D[28] + sums->D[35]) > 1.0;
}

// A patch with its columns and sums, before it has a load.
static limpet_status make_patch(const assembly *a, int p, limpet_arena *arena) {
  limpet_contact_problem *problem = a->problem;
  const limpet_assembly_settings *settings = a->settings;
  const int first = p > 0 ? a->g.count[p - 1] : 0, end = a->g.count[p], *unit = a->g.unit + 2 * p;
  const limpet_contact_record *record = a->records->record;
  limpet_patch *patch = &problem->patch[p];
  limpet_vec3_zero(patch->point);
  for (int k = first; k < end; ++k)
    limpet_contact_add_acting_point(&a->collision->contact[record[a->order[k]].found],
                                    1.0 / (end - first), patch->point);
  const limpet_soft_link *link = record[a->order[first]].link;
  if (limpet_patch_columns(problem, a->model, a->data, unit, arena, patch) ||
      (link && limpet_block_soft_columns(problem, link, arena, patch)))
    return LIMPET_ERROR_MEMORY;
  weigh_sides(problem, a->model, a->data, patch);
  limpet_patch_sums_compute(problem, a->model, a->data, patch, &problem->weights, &a->sums[p]);
  if (a->path_bias)
    limpet_curved_path_bias(a->model, a->data, settings->centred, settings->bend, unit[0], unit[1],
                            patch->point, settings->dt, a->path_bias + 6 * p);
  return LIMPET_OK;
}

// What hangs on a patch whose contacts are light beside it.
static limpet_status load_patch(const assembly *a, int p, limpet_arena *arena,
                                limpet_contact_load *load) {
  limpet_patch *patch = &a->problem->patch[p];
  const bool light = is_light(&a->sums[p], load->all);
  if (light && !load->of && limpet_contact_load_find(a->model, arena, load))
    return LIMPET_ERROR_MEMORY;
  patch->load = light && is_light(&a->sums[p], load->of[p]) ? load->of[p] : 0.0;
  a->problem->loaded = a->problem->loaded || patch->load > 0.0;
  return LIMPET_OK;
}

limpet_status limpet_contacts_assemble(const limpet_model *model, const limpet_data *data,
                                       const limpet_assembly_settings *settings,
                                       const limpet_collision *collision, limpet_arena *arena,
                                       limpet_contact_records *records,
                                       limpet_contact_problem *problem) {
  const int n = records->count;
  if (n == 0) return take_none(arena, problem);
  const bool biased = settings->curved_paths || problem->model->bristles || surfaces_move(records);
  assembly a = {.model = model,
                .data = data,
                .settings = settings,
                .collision = collision,
                .records = records,
                .problem = problem,
                .order = LIMPET_TAKE(arena, int, n)};
  if (limpet_problem_take_weights(problem, model, arena, &problem->weights) || !a.order ||
      limpet_patch_grouping_make(model, records, arena, &a.g) ||
      (!collision->ordered && order_by_island(model, problem, n, arena, &a.g)) ||
      take_contacts(&a.g, n, biased, arena, problem))
    return LIMPET_ERROR_MEMORY;
  problem->weighed = LIMPET_TAKE_ZERO(arena, bool, problem->block_count);
  a.sums = LIMPET_TAKE(arena, limpet_patch_sums, a.g.patch_count);
  if (settings->curved_paths) a.path_bias = LIMPET_TAKE(arena, double, 6 * a.g.patch_count);
  if (!problem->weighed || !a.sums || (settings->curved_paths && !a.path_bias))
    return LIMPET_ERROR_MEMORY;
  order_by_patch(&a.g, n, a.order);
  limpet_contact_load load = {0};
  if (problem->model->whole_joints) limpet_contact_load_begin(model, problem, records, &a.g, &load);

  for (int p = 0; p < a.g.patch_count; ++p)
    if (make_patch(&a, p, arena) || load_patch(&a, p, arena, &load)) return LIMPET_ERROR_MEMORY;
  add_contacts(&a);
  keep_patches(&a);
  keep_records(records, problem);
  return LIMPET_OK;
}
