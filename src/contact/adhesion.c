/* contact/adhesion.c: contacts that pull, as tape, magnets and suction cups do.
 *
 *   f = f' - p n        net force of a contact on B
 *   f'                  obeys the contact law: f' >= 0 along n, friction up to mu f'_n
 *   p [N]               adhesion of both geoms (MJCF adhesion) + F_b/N_b of each body with an
 *                       adhesion actuator; F_b its force, N_b the contacts of the body
 * A contact so holds up to p before it parts, and friction has the bound mu (f_n + p). The pull
 * acts on all contacts within margin + gap, so a gap makes it reach into the distance. It is an
 * external impulse of the step: A v* <- A v* - h J' p, so the problem stays as convex as it was;
 * the solution counts it among the impulses. Departure from MuJoCo (documentation, Computation,
 * Adhesion): there a contact that rests keeps its depth; here it rests deeper by p/k, which is
 * nanometres for near-rigid ones. Points of deformable bodies do not pull. Cost: one factorisation
 * for each tree that is pulled. */
#include "contact/adhesion.h"

#include <math.h>
#include <string.h>

#include "limpet/dynamics.h"
#include "math/dense.h"
#include "math/vec3.h"

bool limpet_adhesion_reaches(const limpet_model *model, const limpet_contact_pair *pair,
                             const limpet_contact_record *record) {
  if (record->pull_reach != LIMPET_PULL_BY_DISTANCE) return record->pull_reach == LIMPET_PULL_HELD;
  const int p = pair->geoms.pair, a = pair->geoms.geom_a, b = pair->geoms.geom_b;
  const double gap = p >= 0 ? model->pair_gap[p] : model->geom_gap[a] + model->geom_gap[b];
  return !record->link && record->distance <= pair->margin + gap;
}

// Number of the contacts of a body that reach.
static int contacts_of(const limpet_model *model, const limpet_contact_records *records, int body) {
  int count = 0;
  for (int i = 0; i < records->count; ++i) {
    const limpet_contact_pair *pair = &records->pair[records->record[i].pair];
    const bool own = model->geom_body[pair->geoms.geom_a] == body ||
                     model->geom_body[pair->geoms.geom_b] == body;
    count += own && limpet_adhesion_reaches(model, pair, &records->record[i]);
  }
  return count;
}

static bool share_out(const limpet_model *model, int body, double force,
                      limpet_contact_records *records) {
  const int count = contacts_of(model, records, body);
  for (int i = 0; i < records->count && count > 0; ++i) {
    const limpet_contact_pair *pair = &records->pair[records->record[i].pair];
    const bool own = model->geom_body[pair->geoms.geom_a] == body ||
                     model->geom_body[pair->geoms.geom_b] == body;
    if (own && limpet_adhesion_reaches(model, pair, &records->record[i]))
      records->record[i].pull += force / count;
  }
  return count > 0;
}

bool limpet_adhesion_find(const limpet_model *model, const limpet_data *data,
                          limpet_contact_records *records) {
  bool any = false;
  for (int i = 0; i < records->count; ++i) {
    limpet_contact_record *record = &records->record[i];
    const limpet_contact_pair *pair = &records->pair[record->pair];
    const double adhesion = pair->material.adhesion;
    record->pull = adhesion > 0.0 && limpet_adhesion_reaches(model, pair, record) ? adhesion : 0.0;
    any = any || record->pull > 0.0;
  }
  for (int i = 0; i < model->actuator_count; ++i)
    if (model->actuator_transmission[i] == LIMPET_TRANSMISSION_BODY &&
        data->actuator_force[i] != 0.0)
      any |= share_out(model, model->actuator_target[i],
                       model->actuator_gear[6 * i] * data->actuator_force[i], records);
  return any;
}

// impulse (nv) += -h J' p of all records.
static void add_pulls(const limpet_model *model, const limpet_data *data, double h,
                      const limpet_contact_records *records, double *impulse) {
  for (int i = 0; i < records->count; ++i) {
    const limpet_contact_record *record = &records->record[i];
    if (record->pull == 0.0) continue;
    const limpet_geom_pair *geoms = &records->pair[record->pair].geoms;
    const int body[2] = {model->geom_body[geoms->geom_a], model->geom_body[geoms->geom_b]};
    for (int side = 0; side < 2; ++side) {
      double wrench[6] = {0.0};
      limpet_vec3_scale(wrench + 3, side == 0 ? h * record->pull : -h * record->pull,
                        record->frame + 6);
      limpet_wrench_to_joints(model, data, body[side], record->position, wrench, impulse);
    }
  }
}

limpet_status limpet_adhesion_apply(const limpet_model *model, const limpet_data *data,
                                    const double *A, const limpet_contact_records *records,
                                    limpet_arena *arena, limpet_contact_problem *problem) {
  const size_t size = (size_t)problem->nv, nv = (size_t)model->nv;
  double *momentum = LIMPET_TAKE(arena, double, size), *v_free = LIMPET_TAKE(arena, double, size),
         *impulse = LIMPET_TAKE_ZERO(arena, double, size);
  if (!momentum || !v_free || !impulse) return LIMPET_ERROR_MEMORY;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  double *factor = LIMPET_TAKE(arena, double, (size_t)model->mass_size),
         *x = LIMPET_TAKE(arena, double, nv);
  if (!factor || !x) return LIMPET_ERROR_MEMORY;
  memcpy(momentum, problem->momentum, size * sizeof *momentum);
  memcpy(v_free, problem->v_free, size * sizeof *v_free);
  add_pulls(model, data, problem->dt, records, impulse);
  for (int t = 0; t < model->tree_count; ++t) {
    const int n = model->tree_dof_count[t], first = model->tree_dof[t];
    double largest = 0.0;
    for (int d = first; d < first + n; ++d) largest = fmax(largest, fabs(impulse[d]));
    if (largest == 0.0 || problem->dof_block[first] < 0 ||
        problem->block[problem->dof_block[first]].still)
      continue;
    double *L = factor + model->tree_mass[t];
    memcpy(L, A + model->tree_mass[t], (size_t)n * (size_t)n * sizeof *L);
    if (limpet_cholesky(n, L, n)) continue;  // such a tree is held: free_motion.c
    memcpy(x, impulse + first, (size_t)n * sizeof *x);
    limpet_cholesky_solve(n, L, n, x);
    for (int k = 0; k < n; ++k) {
      momentum[first + k] += impulse[first + k];
      v_free[first + k] += x[k];
    }
  }
  limpet_arena_release(arena, mark);
  problem->momentum = momentum, problem->v_free = v_free, problem->pull = impulse;
  return LIMPET_OK;
}
