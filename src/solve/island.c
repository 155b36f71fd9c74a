// solve/island.c: see island.h.
#include "solve/island.h"

#include <string.h>

#include "math/pairs.h"
#include "math/spatial.h"
#include "solve/row.h"

enum { SHORT = 16 };  // numbers of which a call of memcpy costs more than the copy

// How many velocities of an island from its block `i` on follow each other in both vectors; *next:
// the block after them.
static int run_length(const limpet_contact_problem *p, const limpet_island *island, int i,
                      int *next) {
  const limpet_block *first = limpet_island_block(p, island, i);
  int length = first->size;
  for (++i; i < island->block_count; ++i) {
    const limpet_block *block = limpet_island_block(p, island, i);
    if (block->offset != first->offset + length || block->dof != first->dof + length) break;
    length += block->size;
  }
  *next = i;
  return length;
}

void limpet_island_gather(const limpet_contact_problem *p, const limpet_island *island,
                          const double *global, double *local) {
  for (int i = 0, next; i < island->block_count; i = next) {
    const limpet_block *block = limpet_island_block(p, island, i);
    const int length = run_length(p, island, i, &next);
    if (length <= SHORT) limpet_pairs_copy(length, local + block->offset, global + block->dof);
    else memcpy(local + block->offset, global + block->dof, (size_t)length * sizeof *local);
  }
}

void limpet_island_scatter(const limpet_contact_problem *p, const limpet_island *island,
                           const double *local, double *global) {
  for (int i = 0, next; i < island->block_count; i = next) {
    const limpet_block *block = limpet_island_block(p, island, i);
    const int length = run_length(p, island, i, &next);
    memcpy(global + block->dof, local + block->offset, (size_t)length * sizeof *local);
  }
}

void limpet_island_momentum(const limpet_contact_problem *p, const limpet_island *island,
                            const double *x, double *y) {
  memset(y, 0, (size_t)island->size * sizeof *y);
  for (int i = 0; i < island->block_count; ++i) {
    const limpet_block *block = limpet_island_block(p, island, i);
    block->kind->apply(block, x + block->offset, y + block->offset);
  }
}

bool limpet_patch_joins_bodies(const limpet_patch *patch) {
  for (int a = 0; a < patch->side_count; ++a) {
    const limpet_patch_side *side = &patch->side[a];
    if (side->count != LIMPET_BODY) return false;
    for (int k = 1; k < LIMPET_BODY; ++k)
      if (side->dof[k] != side->dof[0] + k) return false;
  }
  return patch->side_count > 0;
}

void limpet_patch_jacobian(const limpet_patch_side *side, const double W[18], int stride, int shift,
                           bool spin, double *J) {
  for (int k = 0; k < side->count; ++k) {
    const double *column = side->column + 6 * k;
    double *at = J + side->dof[k] - shift;
    for (int e = 0; e < 3; ++e) at[e * stride] = limpet_spatial_dot(W + 6 * e, column);
    if (spin) at[3 * stride] = W[15] * column[0] + W[16] * column[1] + W[17] * column[2];
  }
}

void limpet_patch_speeds(const limpet_contact_problem *p, const limpet_island *island,
                         const limpet_patch *patch, const double *x, double *contact) {
  double V[6];
  limpet_patch_velocity(patch, x, V);
  const double *W = p->contact_row + 18 * patch->contact;
  double *v = contact + 3 * (patch->contact - island->contact);
  for (int c = 0; c < 3 * patch->contact_count; ++c) v[c] = limpet_spatial_dot(W + 6 * c, V);
}

void limpet_patch_impulse(const limpet_contact_problem *p, const limpet_island *island,
                          const limpet_patch *patch, const double *contact, double *impulse) {
  const double *W = p->contact_row + 18 * patch->contact,
               *gamma = contact + 3 * (patch->contact - island->contact);
  double F[6] = {0};
  for (int c = 0; c < 3 * patch->contact_count; ++c) limpet_spatial_addmul(F, gamma[c], W + 6 * c);
  limpet_patch_push(patch, F, impulse);
}

void limpet_island_speeds(const limpet_contact_problem *p, const limpet_island *island,
                          const double *x, double *contact, double *row) {
  for (int i = 0; i < island->patch_count; ++i)
    limpet_patch_speeds(p, island, &p->patch[island->patch + i], x, contact);
  for (int i = 0; i < island->row_count; ++i)
    row[i] = limpet_row_speed(p, &p->row[island->row + i], x);
}

void limpet_island_impulse(const limpet_contact_problem *p, const limpet_island *island,
                           const double *contact, const double *row, double *impulse) {
  memset(impulse, 0, (size_t)island->size * sizeof *impulse);
  for (int i = 0; i < island->patch_count; ++i)
    limpet_patch_impulse(p, island, &p->patch[island->patch + i], contact, impulse);
  for (int i = 0; i < island->row_count; ++i)
    limpet_row_push(p, &p->row[island->row + i], row[i], impulse);
}
