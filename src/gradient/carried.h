/* gradient/carried.h: what a step gets from the one before besides pose and velocity, and what it
 * leaves for the next one, in products from the left: the costates of a rollout.
 *
 *   change   data->warm_start, c = v1 - v0: free flight estimates the middle of a step by v0 + c/2
 *   stretch  of bristles in data->anchor (contact/kept.h), in axes of the body of geom A
 *   rebound  likewise, of contacts that part in the next step
 * A bristle is in the velocity that friction sees, and is that velocity's way, up to its reach:
 *   m = u + b + z0/h,   p = (1 - n n') m,   z1 = h p   or   h reach p/|p|
 * Seen from A, whose axes it is kept in, the weights g of z1 become those of the six-vectors of the
 * patch: with rho, g_n the parts of g' = dz1/dp g along tangents and normal,
 *   g'dz1 = rho . (dV + db at the point) + (rho x omega) . dx + (m_n rho x n + g_n p x n) . dtheta
 * dx, dtheta: how the point and its frame move with a twist of B; omega: of V + b. In the residual
 * a stretch is a velocity, dgamma = L_v dz0/h. */
#ifndef LIMPET_GRADIENT_CARRIED_H
#define LIMPET_GRADIENT_CARRIED_H

#include "gradient/contact_sweep.h"
#include "gradient/workspace.h"

// Weights of a state: change (nv), stretch (anchors x 3), rebound (anchors), by place in
// data->anchor.
typedef struct limpet_carried {
  double *change, *stretch, *rebound;
} limpet_carried;

// Zero for all that `data` has.
void limpet_carried_clear(const limpet_data *data, limpet_carried *carried);
// limpet_gradient_adjoint_plain with weights `end` of what the step left; start receives those of
// what it had.
bool limpet_gradient_adjoint_carried(limpet_gradient *gradient, const double *weight_q,
                                     const double *weight_v, const limpet_carried *end,
                                     limpet_carried *start);
/* Whether the last step depends on something of the one before that these products take as a
 * constant: the shear of contact surfaces, bristles of surfaces that move or whose friction depends
 * on direction, all of deformable bodies. */
bool limpet_carried_misses(const limpet_gradient_workspace *workspace);

// Of the contacts of a step. Arrays from the arena.
typedef struct limpet_carried_contacts {
  const limpet_data *after;  // the world after the step
  const limpet_patch_view *patch;
  int patch_count;
  int *from, *to;   // (contacts)  places of their anchors before the step and after it
  double *weight;   // (patches of the problem x LIMPET_LAW_WIDTH)
  double *stretch;  // (contacts x 3)  W  weights of z0 by z1 itself
  double *wrench;   // (patches x 6)  of wrenches of the patch views: dual . dr = wrench . dF
} limpet_carried_contacts;

// The contacts of a step whose patches are those of `sweep`; NULL: nothing is kept. LIMPET_OK or
// LIMPET_ERROR_MEMORY.
limpet_status limpet_carried_contacts_make(limpet_gradient_workspace *workspace,
                                           const limpet_contact_sweep *sweep,
                                           const limpet_data *after, limpet_carried_contacts *to);
// solved (nv of the problem) += the weights of the velocity that was solved for.
limpet_status limpet_carried_weigh(limpet_gradient_workspace *workspace, const limpet_carried *end,
                                   limpet_carried_contacts *contacts, double *solved);
// start's stretch and rebound += from `wrench` and `stretch`.
void limpet_carried_collect(const limpet_gradient_workspace *workspace,
                            const limpet_carried_contacts *contacts, limpet_carried *start);

/* Weights of rebounds for the next step: those of state and inputs and of `change` (nv) are added,
 * from differences of fourth order. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_carried_rebounds(limpet_gradient_workspace *workspace,
                                      const limpet_carried *end,
                                      const limpet_carried_contacts *contacts,
                                      limpet_gradient_arrays *to, double *change);
// Whether a tree's step depends on the change of the last one.
bool limpet_carried_remembers(const limpet_gradient_workspace *workspace, int tree);

#endif
