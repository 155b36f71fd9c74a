/* fem/thin_change.h: how the force of a thin element within a step changes with the positions at
 * the start of the step and with what it is made of, both ways.
 *
 *   F = base f0(x) + K(x) y + C(x) v        thin.h; thin_step.c has base 1, y = q+ + beta v - q
 * f0 is differentiated exactly. K+ jumps in its slope where a tension or a principal stress is
 * zero: the derivative is that of the slack side there. */
#ifndef LIMPET_FEM_THIN_CHANGE_H
#define LIMPET_FEM_THIN_CHANGE_H

#include "fem/thin.h"

// Arrays are those of the body.
typedef struct limpet_thin_load {
  double base;
  const double *x, *y, *v;  // (node_count x 3)  [m], [m], [m/s]
  bool whole;               // K with compression, in the place of K+
} limpet_thin_load;

// A change of the numbers of an element.
typedef struct limpet_thin_numbers {
  double lambda, mu;  // [N/m]  triangle
  double stiffness;   // [N/m]  bending, edge
  double poisson;     // [1]  of nu, with which weights of bending change
} limpet_thin_numbers;

// dF (node_count x 3) += the change of F with dx (node_count x 3; NULL: 0) and numbers (NULL: 0).
void limpet_thin_push(const limpet_fem_thin *thin, const limpet_thin_element *e,
                      const limpet_thin_load *load, const double *dx,
                      const limpet_thin_numbers *numbers, double *dF);
// by_x (node_count x 3) += scale times the gradient of l.F by x.
void limpet_thin_pull(const limpet_fem_thin *thin, const limpet_thin_element *e,
                      const limpet_thin_load *load, double scale, const double *l, double *by_x);
/* Whether moving a node by `width` [m] takes K+ over a jump of its slope that y sees: more than
 * `share` of the change of f0. */
bool limpet_thin_is_kink(const limpet_fem_thin *thin, const limpet_thin_element *e,
                         const limpet_thin_load *load, double width, double share);
/* [z^2 N/m^2]  how much the slope of y.K+ y jumps, at most, along moves of a node, where moving it
 * by `width` [m] takes a tension through zero; else 0. */
double limpet_thin_stiffness_jump(const limpet_fem_thin *thin, const limpet_thin_element *e,
                                  const limpet_thin_load *load, double width);

#endif
