/* gradient/column_writer.h: what the parts of the closed forms of columns share: see
 * state_columns.h.
 */
#ifndef LIMPET_GRADIENT_COLUMN_WRITER_H
#define LIMPET_GRADIENT_COLUMN_WRITER_H

#include "gradient/columns.h"
#include "gradient/tree_change.h"

typedef struct limpet_column_writer {
  limpet_probe *probe;
  limpet_arena *arena;
  limpet_columns *columns;
  limpet_tree_change *tree;              // (tree_count)
  limpet_delassus_weights delassus;      // of Delassus estimates
  int *slot;                             // (nv)  entry of r
  const struct limpet_row_view **servo;  // (nu)  rows of actuators; NULL: it has none
  double width;                          // [m, rad]  of differences around pairs of geoms
  struct limpet_contact_motion *motion;  // of trees in contact or loops; NULL: there are none
} limpet_column_writer;

static inline double *limpet_column_of(const limpet_column_writer *w, double *columns, int column) {
  return columns + (size_t)column * (size_t)w->probe->residual->size;
}

// column += r by a force on a velocity.
static inline void limpet_column_add_force(const limpet_column_writer *w, int dof, double force,
                                           double *column) {
  const limpet_tree_change *tree = &w->tree[w->probe->model->dof_tree[dof]];
  const int n = tree->n;
  if (!tree->flight) {
    column[w->slot[dof]] -= w->probe->settings->time_step * force;
    return;
  }
  const double *by_f = tree->flight->r + 2 * n + dof - tree->first;
  for (int i = 0; i < n; ++i)
    column[w->slot[tree->first + i]] += force * by_f[i * tree->flight->width];
}

#endif
