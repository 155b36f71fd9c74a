/* gradient/soft_gradient.h: derivatives of a step with deformable bodies.
 *
 * Unknowns: velocities x of the trees and of the vertices C that contacts and ties hang on, which
 * the step solved for, and those v of all vertices, of which C are a part:
 *   trees      r(x; theta) = 0                                  residual.h
 *   body       R(v; theta) - E_C p = 0,  r_C: p = J'gamma       fem/tangent.h
 * Condensed, with H = dR/dv exact at the solution, A = (H^-1)_CC^-1, u = H^-1 dR:
 *   dx  = S (dr + E_C A u_C)                                    S: limpet_residual_forward
 *   dv  = -u + H^-1 E_C A (dx_C + u_C)
 * and transposed, for weights W of dv and y of dx, h = H^-1 W:
 *   dual = S'(y + E_C A h_C),   l = -h + H^-1 E_C A (h_C + dual_C):   y.dx + W.dv = dual.dr + l.dR
 * so that one factor of H and that of the islands serve all.
 *
 * dR is in closed form. dr by vertices of C comes from differences of fourth order of the assembly
 * with contacts sought anew: geometry of contacts and ties, their laws on their own scale
 * (law_change.h). Near-rigid contacts are as stiff as their vertices are, so dr follows the
 * diagonal w of (H^-1)_CC too, and ties that of A. Differences of the assembly by ln w_i, -ln A_ii:
 *   d ln w_i = -z.dH z/w_i, z = H^-1 e_i        -d ln A_ii = -z.dH z/A_ii, z = H^-1 E_C A e_i
 * Laws that are not linear in a step have H follow v: dw then sees dv (soft_stiffening.h).
 * Where vertices move as parts of rigid bodies, v = T z + c (fem/rigid_set.h), z and T'H T stand in
 * the place of v and H, and what T and c change is part of dR and dv (soft_arms.h). */
#ifndef LIMPET_GRADIENT_SOFT_GRADIENT_H
#define LIMPET_GRADIENT_SOFT_GRADIENT_H

#include "gradient/probe.h"
#include "limpet/gradient_deformable.h"
#include "step/soft_motion.h"

struct limpet_gradient_workspace;

// How near to where it begins a tension of a shell or rope is at a kink, over settings.difference.
#define LIMPET_TENSION_WIDTH 1e-2

typedef struct limpet_soft_gradient {
  limpet_solved_step solved;     // of the step; blocks of bodies have exact matrices
  limpet_soft_motion *motion;    // bodies at the start, their laws at the solution
  limpet_soft_motion assembled;  // the same, for probes: `given`
  const double *v;      // (vertex_count x 3) [m/s]  solution, before free bodies are turned
  const double *end;    // (vertex_count x 3) [m/s]  at the end of the step
  int unknowns;         // of C: problem.nv - model.nv
  double *weight;       // (unknowns) [1/kg]  w
  double *scale;        // (2 unknowns)  w_i, then A_ii
  int kinks;            // unknowns along whose positions the slope of r jumps
  bool *touched;        // (unknowns)  a contact or a tie hangs on it; others change no r
  int places;           // vertices that change r: of contacts and of ties, sets of them whole
  int *vertex;          // (places)  into data->vertex_*
  double *by_x, *by_v;  // (3 places x residual size)  change of r
  double *by_w;         // (2 unknowns x residual size)  by ln w_i, then by -ln A_ii
  double *held;         // (vertex_count x 3) [N s]  R of bodies with vertices in sets
  struct limpet_soft_arms *arms;              // of sets: soft_arms.h; NULL: there are none
  struct limpet_soft_stiffening *stiffening;  // how w and A follow the end: soft_stiffening.h
  // (nv, 3 nv + nu) x 2 nv: how pose and velocity at the end follow the velocities of trees that
  // were solved for, and inputs with these held
  double *end_by_v, *end_by_input;
} limpet_soft_gradient;

/* After the step, with the world of the workspace at its start: fills w->soft and puts the exact
 * step in the place of *solved. NULL, or why there are no derivatives. */
const char *limpet_soft_gradient_begin(struct limpet_gradient_workspace *w, const limpet_data *data,
                                       const limpet_solved_step **solved);
/* elastic_scatter and elastic_margin of a step, whose columns are all flagged where another number
 * of its rounds is near. */
void limpet_soft_gradient_rounds(limpet_gradient *gradient, const limpet_data *data,
                                 const limpet_solved_step *solved);
// After the columns of the state: the rest of w->soft.
limpet_residual_outcome limpet_soft_gradient_fill(struct limpet_gradient_workspace *w,
                                                  limpet_probe *probe);

// A change of the equations with the solution held, whatever makes it.
typedef struct limpet_soft_change {
  const double *dR;            // (vertices x 3)  of the bodies; not read at fixed nodes
  const double *prescribed;    // (vertices x 3) [m/s]  of the velocities of fixed nodes; others 0
  const double *r;             // (residual size)  of trees and contacts
  const double *stiffness;     // (2 unknowns)  of z.H z, z those of w and of A: see the head
  const double *arm, *offset;  // (vertices x 3)  [m], [m/s]  of vertices in sets
} limpet_soft_change;
/* Changes of what was solved for: dx (problem nv), dv (vertices x 3), before free bodies are
 * turned. Returns the rate of limpet_residual_forward; NAN: no memory. */
double limpet_soft_gradient_along(struct limpet_gradient_workspace *w,
                                  const limpet_soft_change *change, double *dx, double *dv);
/* stiffness (2 unknowns) += the sum of share times z.H z with H of `count` motions, linearised at
 * the solution, and what changes of arms do. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_soft_gradient_stiffness(struct limpet_gradient_workspace *w,
                                             const limpet_soft_motion *const *motion, int count,
                                             const double *share, const double *arm,
                                             double *stiffness);
/* Coordinates of vertices along which the slopes of w and A jump by what changes velocities:
 * contacts of what rests at the length where a tension begins. -1: no memory. */
int limpet_soft_gradient_weight_kinks(struct limpet_gradient_workspace *w);
// Whether the end of the step turned a body.
bool limpet_soft_gradient_is_turned(const struct limpet_gradient_workspace *w, int deformable);

/* Contact points of deformable bodies as they are now; and one of them. LIMPET_OK or
 * LIMPET_ERROR_MEMORY; NULL: it is not there. */
limpet_status limpet_soft_follow(const limpet_probe *probe, limpet_arena *arena,
                                 limpet_collision *found);
const limpet_collision_contact *limpet_soft_find(const limpet_collision *found,
                                                 const limpet_collision_pair *pair,
                                                 uint64_t feature);

#endif
