// solve/island_jacobian.c: see island_jacobian.h.
#include "solve/island_jacobian.h"

#include <string.h>

#include "math/dense_table.h"
#include "math/lanes.h"
#include "math/ltl.h"
#include "solve/island.h"
#include "solve/row.h"

enum { LARGEST = 64 };                 // velocities, as the kernels allow
enum { BODY_ROWS = 3 * LIMPET_BODY };  // numbers of a contact's rows on one body
enum { GAIN = 8 };  // operations of a dense product that cost as much as one by patches

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

// Strips of four columns that a patch moves.
static unsigned tiles_of(const limpet_patch *patch) {
  unsigned tiles = 0;
  for (int a = 0; a < patch->side_count; ++a)
    for (int c = 0; c < patch->side[a].count; ++c)
      tiles |= 1u << (unsigned)patch->side[a].dof[c] / 4u;
  return tiles;
}

// S' (6 x stride) of a patch.
static void columns_fill(const limpet_patch *patch, int stride, double *to) {
  lanes_clear(to, 6 * stride);
  for (int a = 0; a < patch->side_count; ++a) {
    const limpet_patch_side *side = &patch->side[a];
    for (int c = 0; c < side->count; ++c) {
      double *entry = to + side->dof[c];
      for (int i = 0; i < 6; ++i, entry += stride) *entry += side->column[6 * c + i];
    }
  }
}

// Rows of the contacts and spins of a patch.
static void rows_fill(limpet_island_solver *s, int index) {
  const limpet_contact_problem *p = s->problem;
  const limpet_island *island = s->island;
  const limpet_patch *patch = &p->patch[island->patch + index];
  const limpet_patch_rows *of = &s->patch_rows[index];
  columns_fill(patch, s->J_stride, of->columns);
  if (!of->by_columns)
    limpet_ltl()->multiply_rows(3 * patch->contact_count, 6, p->contact_row + 18 * patch->contact,
                                of->tiles, of->columns, s->J_stride,
                                s->J + of->first * s->J_stride);
  double *row = s->J + (s->J_rows + 2 * (patch->spin - island->spin)) * s->J_stride;
  for (int k = patch->spin; k < patch->spin + patch->spin_count; ++k, row += 2 * s->J_stride)
    limpet_ltl()->multiply_rows(2, 3, p->spin[k].axis, of->tiles, of->columns, s->J_stride, row);
}

// What products with J, and making its rows, cost beside what a number in a row costs.
enum { OF_CONTACT = 11, OF_PATCH = 110, COPY_CONTACT = 3, COPY_PATCH = 40 };

/* What six rows of n numbers spare against three rows of each contact of a patch; patches between
 * free bodies have rows of contacts. */
static int spared_by_columns(const limpet_patch *patch, int n) {
  const int count = patch->contact_count;
  const int spared = (3 * count - LIMPET_BODY) * n - OF_CONTACT * count - OF_PATCH;
  return spared > 0 && !limpet_patch_joins_bodies(patch) ? spared : 0;
}

/* Whether an island has patches with six rows: values of the others' rows are copied then. */
static bool any_by_columns(const limpet_island_solver *s) {
  const limpet_patch *patch = s->problem->patch + s->island->patch;
  int spared = 0;
  for (int i = 0; i < s->island->patch_count; ++i) {
    const int by_columns = spared_by_columns(&patch[i], s->n);
    spared += by_columns > 0 ? by_columns : -COPY_CONTACT * patch[i].contact_count - COPY_PATCH;
  }
  return spared > 0;
}

// Where the rows of patches are; takes J, and S' of the patches that have rows of contacts there.
static limpet_status rows_place(limpet_island_solver *s, limpet_arena *arena) {
  const limpet_island *island = s->island;
  const limpet_patch *patch = s->problem->patch + island->patch;
  limpet_patch_rows *rows = s->patch_rows =
      LIMPET_TAKE(arena, limpet_patch_rows, island->patch_count);
  if (!rows) return LIMPET_ERROR_MEMORY;
  const bool any = any_by_columns(s);
  int apart = 0;
  s->J_rows = 0;
  for (int i = 0; i < island->patch_count; ++i) {
    const bool by_columns = any && spared_by_columns(&patch[i], s->n) > 0;
    rows[i] = (limpet_patch_rows){
        .tiles = tiles_of(&patch[i]), .first = s->J_rows, .by_columns = by_columns};
    s->J_rows += by_columns ? LIMPET_BODY : 3 * patch[i].contact_count;
    apart += !by_columns;
  }
  s->J_stride = (s->n + 3) & ~3;
  s->J = LIMPET_TAKE(arena, double, (s->J_rows + 2 * island->spin_count) * s->J_stride);
  double *columns = LIMPET_TAKE(arena, double, 6 * s->J_stride * apart);
  s->row_values = apart < island->patch_count ? LIMPET_TAKE(arena, double, s->J_rows) : NULL;
  if (!s->J || !columns || (apart < island->patch_count && !s->row_values))
    return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < island->patch_count; ++i) {
    rows[i].columns = rows[i].by_columns ? s->J + rows[i].first * s->J_stride : columns;
    if (!rows[i].by_columns) columns += 6 * s->J_stride;
  }
  return LIMPET_OK;
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

// Mostly there are none, and nothing is noted.
static limpet_status triples_find(limpet_island_solver *s, limpet_arena *arena) {
  const int count = s->island->row_count;
  const limpet_constraint_row *row = s->problem->row + s->island->row;
  int several = 0;
  s->row_triple = NULL;
  for (int i = 0; i < count; ++i) several += row[i].entry_count > 1;
  if (several < 3) return LIMPET_OK;
  bool *triple = LIMPET_TAKE(arena, bool, count), any = false;
  if (!triple) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < count; ++i) {
    triple[i] = limpet_row_is_triple(s->problem, row + i, count - i);
    any |= triple[i];
  }
  if (any) s->row_triple = triple;
  return LIMPET_OK;
}

// a v of the island's rows, and their pushes, where some are triples.
static void speeds_by_triples(const limpet_island_solver *s, const double *x, double *row) {
  const limpet_constraint_row *of = s->problem->row + s->island->row;
  for (int i = 0; i < s->island->row_count; ++i) {
    if (s->row_triple[i]) limpet_row_triple_speed(s->problem, of + i, x, row + i), i += 2;
    else row[i] = limpet_row_speed(s->problem, of + i, x);
  }
}

static void push_by_triples(const limpet_island_solver *s, const double *row, double *impulse) {
  const limpet_constraint_row *of = s->problem->row + s->island->row;
  for (int i = 0; i < s->island->row_count; ++i) {
    if (s->row_triple[i]) limpet_row_triple_push(s->problem, of + i, row + i, impulse), i += 2;
    else limpet_row_push(s->problem, of + i, row[i], impulse);
  }
}

// Rows of the contacts of patches between bodies, where there is no dense J.
static limpet_status bodies_create(limpet_island_solver *s, limpet_arena *arena) {
  const limpet_contact_problem *p = s->problem;
  const limpet_island *island = s->island;
  s->body_rows = LIMPET_TAKE(arena, double *, island->patch_count);
  if (!s->body_rows) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < island->patch_count; ++i) {
    const limpet_patch *patch = &p->patch[island->patch + i];
    s->body_rows[i] = NULL;
    if (!limpet_patch_joins_bodies(patch)) continue;
    double *row = LIMPET_TAKE(arena, double, BODY_ROWS * patch->side_count * patch->contact_count);
    if (!row) return LIMPET_ERROR_MEMORY;
    s->body_rows[i] = row;
    for (int c = patch->contact; c < patch->contact + patch->contact_count; ++c)
      for (int k = 0; k < patch->side_count; ++k, row += BODY_ROWS)
        limpet_patch_jacobian(&patch->side[k], p->contact_row + 18 * c, LIMPET_BODY,
                              patch->side[k].dof[0], false, row);
  }
  return LIMPET_OK;
}

limpet_status limpet_island_jacobian_create(limpet_island_solver *s, limpet_arena *arena) {
  const limpet_island *island = s->island;
  s->J = NULL;
  s->body_rows = NULL;
  if (triples_find(s, arena) != LIMPET_OK) return LIMPET_ERROR_MEMORY;
  if (!pays(s)) return bodies_create(s, arena);
  s->row_dof = LIMPET_TAKE(arena, int, island->row_count);
  s->row_value = LIMPET_TAKE(arena, double, island->row_count);
  if (rows_place(s, arena) != LIMPET_OK || !s->row_dof || !s->row_value) return LIMPET_ERROR_MEMORY;
  list_rows(s);
  for (int i = 0; i < island->patch_count; ++i) rows_fill(s, i);
  return LIMPET_OK;
}

static void speeds_by_patches(const limpet_island_solver *s, const double *x, double *contact,
                              double *row) {
  const limpet_contact_problem *p = s->problem;
  const limpet_island *island = s->island;
  for (int i = 0; i < island->patch_count; ++i) {
    const limpet_patch *patch = &p->patch[island->patch + i];
    if (!s->body_rows[i]) {
      limpet_patch_speeds(p, island, patch, x, contact);
      continue;
    }
    const int last = patch->side_count - 1;
    const double *const v[2] = {x + patch->side[0].dof[0], x + patch->side[last].dof[0]};
    limpet_dense()->body_speeds(patch->contact_count, patch->side_count, s->body_rows[i], v,
                                contact + 3 * (patch->contact - island->contact));
  }
  if (s->row_triple) {
    speeds_by_triples(s, x, row);
    return;
  }
  for (int i = 0; i < island->row_count; ++i)
    row[i] = limpet_row_speed(p, &p->row[island->row + i], x);
}

static void impulse_by_patches(const limpet_island_solver *s, const double *contact,
                               const double *row, double *impulse) {
  const limpet_contact_problem *p = s->problem;
  const limpet_island *island = s->island;
  memset(impulse, 0, (size_t)s->n * sizeof *impulse);
  for (int i = 0; i < island->patch_count; ++i) {
    const limpet_patch *patch = &p->patch[island->patch + i];
    if (!s->body_rows[i]) {
      limpet_patch_impulse(p, island, patch, contact, impulse);
      continue;
    }
    const int last = patch->side_count - 1;
    double *const f[2] = {impulse + patch->side[0].dof[0], impulse + patch->side[last].dof[0]};
    limpet_dense()->body_push(patch->contact_count, patch->side_count, s->body_rows[i],
                              contact + 3 * (patch->contact - island->contact), f);
  }
  if (s->row_triple) {
    push_by_triples(s, row, impulse);
    return;
  }
  for (int i = 0; i < island->row_count; ++i)
    limpet_row_push(p, &p->row[island->row + i], row[i], impulse);
}

void limpet_island_solver_speeds(const limpet_island_solver *s, const double *x, double *contact,
                                 double *row) {
  const limpet_contact_problem *p = s->problem;
  if (!s->J) {
    speeds_by_patches(s, x, contact, row);
    return;
  }
  limpet_dense()->mul_vec(s->J_rows, s->n, s->J, s->J_stride, x,
                          s->row_values ? s->row_values : contact);
  if (s->row_values) limpet_patch_rows_speeds(s, contact);
  if (s->row_triple) {
    speeds_by_triples(s, x, row);
    return;
  }
  for (int i = 0; i < s->island->row_count; ++i)
    row[i] = s->row_dof[i] >= 0 ? s->row_value[i] * x[s->row_dof[i]]
                                : limpet_row_speed(p, &p->row[s->island->row + i], x);
}

void limpet_island_solver_impulse(const limpet_island_solver *s, const double *contact,
                                  const double *row, double *impulse) {
  const limpet_contact_problem *p = s->problem;
  if (!s->J) {
    impulse_by_patches(s, contact, row, impulse);
    return;
  }
  if (s->row_values) limpet_patch_rows_push(s, contact);
  limpet_dense()->tmul_vec(s->J_rows, s->n, s->J, s->J_stride,
                           s->row_values ? s->row_values : contact, impulse);
  if (s->row_triple) {
    push_by_triples(s, row, impulse);
    return;
  }
  for (int i = 0; i < s->island->row_count; ++i) {
    if (s->row_dof[i] >= 0) impulse[s->row_dof[i]] += s->row_value[i] * row[i];
    else limpet_row_push(p, &p->row[s->island->row + i], row[i], impulse);
  }
}

static const double *rows_of_spins(const limpet_island_solver *s) {
  return s->J + s->J_rows * s->J_stride;
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
