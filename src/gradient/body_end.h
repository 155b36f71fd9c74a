/* gradient/body_end.h: derivatives of the end of a step of bodies that fly alone
 * (step/flight_body.c), in closed form but for how they turn.
 *
 *   held   x1 = x0 + h u' + R0 (h w' x c + c - Q c),  R1 = R0 Q(w'),  w1 = W(w'),
 *          u1 = u' + R0 (w' x c) - R1 (w1 x c)
 *   free   x1 = x0 + h (u0 + u')/2,  R1 = R0 Q(m),  w1 = W(m) + (w' - w0)/2,  u1 = u',
 *          m = (w0 + w')/2,            where c = 0 and no wrench turns it
 * u', w': what the problem was solved for; c: centre of mass in the body. Q, W: its turn in a step
 * and the angular velocity after it, in as many parts as the step took (step/gyration.c). Free ones
 * count where c = 0. */
#ifndef LIMPET_GRADIENT_BODY_END_H
#define LIMPET_GRADIENT_BODY_END_H

#include "step/prepared.h"

// Of one body, (6 x 6) row-major each: of pose and velocity at the end.
typedef struct limpet_body_end {
  int first;                                  // velocity
  double q_by_q[36], q_by_v[36], q_by_s[36];  // by pose, velocity at the start, solution
  double v_by_q[36], v_by_v[36], v_by_s[36];
} limpet_body_end;

/* `end`: the world after the step; start: at its start. False: the tree has no such form. */
bool limpet_body_end_make(const limpet_solved_step *solved, const limpet_data *start,
                          const limpet_data *end, int tree, limpet_body_end *to);

/* Weights (nv; NULL: zero) of pose and velocity at the end become those of the velocity that was
 * solved for and of the pose (both set), and += those of the velocity at the start. */
void limpet_body_end_weigh(const limpet_body_end *end, const double *weight_q,
                           const double *weight_v, double *by_s, double *by_q, double *by_v);

#endif
