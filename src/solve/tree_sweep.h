/* solve/tree_sweep.h: inner loops of sweeps over contacts and scalar rows of trees
 * (coulomb_sweep.c), for Hunt-Crossley's law: J and Y = A^-1 J' in the order in which they are
 * read, by groups of four velocities, padded with zeros. Compiled for several instruction sets,
 * like the dense kernels, and chosen with them. The velocities have room for three more, which stay
 * what they are. */
#ifndef LIMPET_SOLVE_TREE_SWEEP_H
#define LIMPET_SOLVE_TREE_SWEEP_H

#include <stdbool.h>

#include "solve/sweep_law.h"

/* What the unknowns of one contact (3), or a scalar row (1), do to the velocities of one tree:
 * numbers of four velocities for each unknown, then those of the next four. */
typedef struct limpet_tree_side {
  int from, J_groups;  // J: first velocity in the island's vector, and groups
  int first, Y_groups;
  const double *J;  // (J_groups x unknowns x 4)
  const double *Y;  // (Y_groups x unknowns x 4)
} limpet_tree_side;

typedef struct limpet_tree_contact {
  int sides;  // 1: the other one is fixed; 2
  const limpet_tree_side *side;
  bool has_law;  // for `relax`; the contact meets another one elsewhere
  limpet_sweep_law law;
} limpet_tree_contact;

typedef struct limpet_tree_row {
  int alone;     // the velocity that it acts on where it is one; -1: J of sides
  double value;  // J there
  int sides;
  const limpet_tree_side *side;
  double wanted;        // v_hat less what u is besides J v
  double R, share;      // R, 1/(R + w)
  double w;             // J Y
  double lower, upper;  // of the impulse
} limpet_tree_row;

typedef struct limpet_tree_sweep_kernels {
  /* x (3) [N s] <- the impulse with which the contact meets its law, stiction as rigid, and v with
   * it. Returns the square of the change [kg m^2/s^2]. */
  double (*relax)(const limpet_tree_contact *contact, double friction, double *x, double *v);
  // The same of all rows, one after the other, with the impulses x (count).
  double (*relax_rows)(int count, const limpet_tree_row *row, double *x, double *v);
  // f += J' x of one contact or of all rows.
  void (*push)(const limpet_tree_contact *contact, const double x[3], double *f);
  void (*push_rows)(int count, const limpet_tree_row *row, const double *x, double *f);
  // Sum of w_i x_i^2.
  double (*square)(int n, const double *w, const double *x);
} limpet_tree_sweep_kernels;

extern const limpet_tree_sweep_kernels limpet_tree_sweep_baseline;
extern const limpet_tree_sweep_kernels limpet_tree_sweep_avx2;  // x86-64 only
// Those for this machine.
const limpet_tree_sweep_kernels *limpet_tree_sweep_here(void);

#endif
