/* gradient/loop_view.h: what the view of a loop (loop_view.c) and its changes (loop_change.c) both
 * ask of its rows. */
#ifndef LIMPET_GRADIENT_LOOP_VIEW_H
#define LIMPET_GRADIENT_LOOP_VIEW_H

#include "gradient/loop_change.h"
#include "math/vec3.h"

// Whether row i acts on rotations.
static inline bool limpet_loop_is_turning(const limpet_loop_view *view, int i) {
  return view->kind == LIMPET_LOOP_WELD && i < 3;
}

// Rows that share a weight.
static inline int limpet_loop_part(const limpet_loop_view *view, int i) {
  return limpet_loop_is_turning(view, i) ? 1 : 0;
}

// Motion of a point of a body under a twist.
static inline void limpet_loop_point_motion(const double xi[6], const double x[3],
                                            double moved[3]) {
  limpet_vec3_cross(moved, xi, x);
  limpet_vec3_add(moved, moved, xi + 3);
}

// A motion C of a side, about the origin of its tree, in the rows of a part.
static inline void limpet_loop_column(const limpet_loop_view *view, int part, int side,
                                      const double C[6], double c[3]) {
  double x[3];
  if (part == 1) {
    limpet_vec3_copy(c, C);
    return;
  }
  limpet_vec3_add(x, view->body[side].lever, view->at[side]);
  limpet_loop_point_motion(C, x, c);
}

// r that stiffness and the speed of return of row i go by, of the error g (rows).
double limpet_loop_size(const limpet_model *model, const limpet_loop_view *view, int i,
                        const double *g);
// The errors g (6) of its rows; entries beyond them are left.
void limpet_loop_errors(const limpet_model *model, const limpet_loop_view *view, double g[6]);

#endif
