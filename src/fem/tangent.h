/* fem/tangent.h: how the equations of a step change with what they start from and what the body is
 * made of, with the velocity held; both ways.
 *
 *   R(v; theta), H = dR/dv exact:   dv = -H^-1 dR   for free nodes
 * Fixed nodes keep their velocities here; who prescribes them adds what they change. */
#ifndef LIMPET_FEM_TANGENT_H
#define LIMPET_FEM_TANGENT_H

#include "fem/step.h"

// A change of what a step starts from. NULL: none.
typedef struct limpet_fem_change {
  const double *position, *velocity;  // (node_count x 3)  [m], [m/s]  at the start
  double gravity[3];                  // [m/s^2]
  double youngs_modulus;              // [Pa]
  double poissons_ratio;              // [-]
  double density;                     // [kg/m^3]
  double mass_damping;                // [1/s]
  double stiffness_damping;           // [s]
  double time_step;                   // [s]  forwards only
} limpet_fem_change;

/* Takes the input as limpet_fem_step_begin does, and the laws at v (node_count x 3) in the place of
 * a free motion, forces of thin elements following where that is so (thin_follow.c): H is exact
 * there, factored where that is asked for, and v* is zero. False: not
 * finite, or H has no Cholesky factor. */
bool limpet_fem_step_linearise(limpet_fem_step *step, const limpet_fem_input *input,
                               const double *v, bool follows, bool factored);

// Whether the body has derivatives: damping has to stay during a step. NULL, or why not.
const char *limpet_fem_tangent_missing(const limpet_fem_body *body);

// After linearise at v. dR (node_count x 3) [N s] <- the change of R. Uses trial, direction, force,
// position of the workspace.
void limpet_fem_tangent_forward(limpet_fem_step *step, const double *v,
                                const limpet_fem_change *change, double *dR);
/* The gradient of l.R, l (node_count x 3) zero at fixed nodes: arrays of `gradient` that are there
 * and its numbers are set; `force` is not read. The same workspaces. */
void limpet_fem_tangent_adjoint(limpet_fem_step *step, const double *v, const double *l,
                                limpet_fem_gradient *gradient);

/* After linearise at v: coordinates of nodes along which the slopes of R on both sides differ,
 * since moving by `width` [m] takes a tension of a shell or rope through zero, by more than `share`
 * of what the column does (below 0: whatever moves). Uses position and direction. */
int limpet_fem_tangent_kinks(limpet_fem_step *step, const double *v, double width, double share);

/* The gradient of z.H z, z (node_count x 3) zero at fixed nodes, by what H is made of: by q, v at
 * the start and v at the end (node_count x 3, set), and by the numbers of the body. The last one is
 * zero for laws that are linear in a step. Differences of fourth order of K z along z where K
 * follows the strain. */
typedef struct limpet_fem_stiffness_gradient {
  bool numbers;  // those below are wanted; else they are zero
  double *position, *velocity, *end;
  double *arm;  // by arms of sets (rigid_set.h); NULL: not wanted
  double youngs_modulus, poissons_ratio, density, mass_damping, stiffness_damping;
} limpet_fem_stiffness_gradient;
void limpet_fem_stiffness_adjoint(limpet_fem_step *step, const double *v, const double *z,
                                  limpet_fem_stiffness_gradient *gradient);
/* jump (node_count) += `scale` times how much the slope of z.H z jumps, at most, along moves of
 * each node, where moving it by `width` [m] takes a tension of a shell or rope through zero. */
void limpet_fem_stiffness_jumps(const limpet_fem_step *step, const double *z, double scale,
                                double width, double *jump);

/* The end of a body in free flight, whose velocity limpet_fem_step_keep_spin turned from v to
 * `end`: dv (node_count x 3) <- the change of `end` for that of v and those of q and v0 (NULL: 0).
 */
void limpet_fem_spin_forward(limpet_fem_step *step, const double *v, const double *end,
                             const double *dq, const double *dv0, double *dv);
/* Transposed: `weight` (node_count x 3) of `end`, positions at the end included as it moves them,
 * becomes that of v; by_q and by_v0 are added to. Work (2 x 3 node_count). */
void limpet_fem_spin_adjoint(limpet_fem_step *step, const double *v, const double *end,
                             double *weight, double *by_q, double *by_v0, double *work);

#endif
