// solve/island_jacobian.c: see island_jacobian.h.
#include "solve/island_jacobian.h"

#include <string.h>

#include "math/dense_table.h"
#include "math/vec3.h"
#include "solve/island.h"
#include "solve/row.h"

enum { LARGEST = 64 };  // velocities, as the kernels allow
enum { GAIN = 8 };      // operations of a dense product that cost as much as one by patches

static bool pays(const limpet_island_solver *s) {
  const limpet_contact_problem *p = s->problem;
  const limpet_island *island = s->island;
  if (s->n > LARGEST || island->contact_count == 0) return false;
  int by_patches = 18 * island->contact_count + 6 * island->spin_count;
  for (int i = 0; i < island->patch_count; ++i) {
    const limpet_patch *patch = &p->patch[island->patch + i];
    for (int k = 0; k < patch->side_count; ++k) by_patches += 6 * patch->side[k].count;
  }
  return (3 * island->contact_count + 2 * island->spin_count) * s->n <= GAIN * by_patches;
}

static void fill_spins(limpet_island_solver *s, const limpet_patch *patch) {
  for (int k = patch->spin; k < patch->spin + patch->spin_count; ++k)
    for (int e = 0; e < 2; ++e) {
      const double *axis = s->problem->spin[k].axis + 3 * e;
      const int at = 3 * s->island->contact_count + 2 * (k - s->island->spin) + e;
      double *row = s->J + at * s->J_stride;
      for (int a = 0; a < patch->side_count; ++a) {
        const limpet_patch_side *side = &patch->side[a];
        for (int c = 0; c < side->count; ++c)
          row[side->dof[c]] = limpet_vec3_dot(axis, side->column + 6 * c);
      }
    }
}

// Rows of one entry, as nearly all of a robot are, in a list of their own.
static void list_rows(limpet_island_solver *s) {
  const limpet_contact_problem *p = s->problem;
  for (int i = 0; i < s->island->row_count; ++i) {
    const limpet_constraint_row *row = &p->row[s->island->row + i];
    const bool single = row->entry_count == 1;
    s->row_dof[i] = single ? p->entry_dof[row->entry] : LIMPET_NONE;
    s->row_value[i] = single ? p->entry_value[row->entry] : 0.0;
  }
}

limpet_status limpet_island_jacobian_create(limpet_island_solver *s, limpet_arena *arena) {
  const limpet_contact_problem *p = s->problem;
  const limpet_island *island = s->island;
  s->J = NULL;
  if (!pays(s)) return LIMPET_OK;
  s->J_stride = (s->n + 3) & ~3;
  s->J = LIMPET_TAKE_ZERO(arena, double,
                          (3 * island->contact_count + 2 * island->spin_count) * s->J_stride);
  s->row_dof = LIMPET_TAKE(arena, int, island->row_count);
  s->row_value = LIMPET_TAKE(arena, double, island->row_count);
  if (!s->J || !s->row_dof || !s->row_value) return LIMPET_ERROR_MEMORY;
  list_rows(s);
  for (int i = 0; i < island->patch_count; ++i) {
    const limpet_patch *patch = &p->patch[island->patch + i];
    for (int k = 0; k < patch->side_count; ++k) {
      const limpet_patch_side *side = &patch->side[k];
      limpet_dense()->add_products(
          3 * patch->contact_count, p->contact_row + 18 * patch->contact, side->count, side->dof,
          side->column, s->J + 3 * (patch->contact - island->contact) * s->J_stride, s->J_stride);
    }
    if (s->spins.count > 0) fill_spins(s, patch);
  }
  return LIMPET_OK;
}

void limpet_island_solver_speeds(const limpet_island_solver *s, const double *x, double *contact,
                                 double *row) {
  const limpet_contact_problem *p = s->problem;
  if (!s->J) {
    limpet_island_speeds(p, s->island, x, contact, row);
    return;
  }
  limpet_dense()->mul_vec(3 * s->island->contact_count, s->n, s->J, s->J_stride, x, contact);
  for (int i = 0; i < s->island->row_count; ++i)
    row[i] = s->row_dof[i] >= 0 ? s->row_value[i] * x[s->row_dof[i]]
                                : limpet_row_speed(p, &p->row[s->island->row + i], x);
}

void limpet_island_solver_impulse(const limpet_island_solver *s, const double *contact,
                                  const double *row, double *impulse) {
  const limpet_contact_problem *p = s->problem;
  if (!s->J) {
    limpet_island_impulse(p, s->island, contact, row, impulse);
    return;
  }
  limpet_dense()->tmul_vec(3 * s->island->contact_count, s->n, s->J, s->J_stride, contact, impulse);
  for (int i = 0; i < s->island->row_count; ++i) {
    if (s->row_dof[i] >= 0) impulse[s->row_dof[i]] += s->row_value[i] * row[i];
    else limpet_row_push(p, &p->row[s->island->row + i], row[i], impulse);
  }
}

static const double *rows_of_spins(const limpet_island_solver *s) {
  return s->J + 3 * s->island->contact_count * s->J_stride;
}

void limpet_island_jacobian_turn(const limpet_island_solver *s, const double *x, double *w) {
  limpet_dense()->mul_vec(2 * s->spins.count, s->n, rows_of_spins(s), s->J_stride, x, w);
}

void limpet_island_jacobian_twist(const limpet_island_solver *s, const double *tau,
                                  double *impulse) {
  double sum[LARGEST];
  limpet_dense()->tmul_vec(2 * s->spins.count, s->n, rows_of_spins(s), s->J_stride, tau, sum);
  for (int i = 0; i < s->n; ++i) impulse[i] += sum[i];
}
