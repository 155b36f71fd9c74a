/* optim/interior_system.h: the scaled problem of the interior-point method and its linear algebra,
 * for interior_point.c and interior_certificate.c. Symbols and equations in interior_point.c. */
#ifndef LIMPET_OPTIM_INTERIOR_SYSTEM_H
#define LIMPET_OPTIM_INTERIOR_SYSTEM_H

#include <stdbool.h>
#include <math.h>

#include "math/dense.h"
#include "optim/qp.h"
#include "optim/qp_memory.h"

typedef struct limpet_interior {
  const limpet_qp_problem *problem;
  limpet_qp_memory *memory;
  struct limpet_interior_arrays *v;
  const limpet_qp_table *kernels;
  int n, ld, total, m, degree;     // degree: m + p
  double size;                     // of x: x = size * variable_scale * scaled x
  double free_slack, free_energy;  // greatest |G x|, |c'x| at the minimum without rows, scaled
  bool refine;                     // correct each direction once
  double residual;                 // greatest of the relative ones
} limpet_interior;

// Scales of variables and rows, and the scaled problem. False: Q is not positive definite.
bool limpet_interior_setup(limpet_interior *r);
// The scaling of s and lambda, and l = W lambda into `scaled`.
void limpet_interior_scaling(limpet_interior *r);
// The scaling W = 1.
void limpet_interior_scaling_one(limpet_interior *r);
// v = W u, or W^-1 u where `inverse`, for all rows; v may be u.
void limpet_interior_scale(const limpet_interior *r, bool inverse, const double *u, double *v);
// panel = [-Gw, Gw], Gw = W^-1 G
void limpet_interior_panel(limpet_interior *r);
// H = factor Q + Gw'Gw, factored. False: it is not positive definite.
bool limpet_interior_factor(limpet_interior *r, double factor);
// y (ld) = Gw' u and u (total) = Gw y
void limpet_interior_mul_t(const limpet_interior *r, const double *u, double *y);
void limpet_interior_mul(const limpet_interior *r, const double *y, double *u);

// Whether lambda, corrected, proves that there is no feasible point; it is then in `target`. Spends
// H and the panel.
bool limpet_interior_infeasible(limpet_interior *r);

static inline double limpet_interior_greatest(int n, const double *x) {
  double most = 0.0;
  for (int i = 0; i < n; ++i) {
    const double size = fabs(x[i]);
    most = size > most ? size : most;
  }
  return most;
}

static inline double limpet_interior_dot(int n, const double *x, const double *y) {
  return limpet_dot(n, x, y);
}

#endif
