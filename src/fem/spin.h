// fem/spin.h: angular momentum of a deformable body about its centre of mass.
#ifndef LIMPET_FEM_SPIN_H
#define LIMPET_FEM_SPIN_H

#include "fem/step.h"

// c [m]: the centre of mass of positions x (node_count x 3).
void limpet_fem_centre(const limpet_fem_body *body, const double *x, double c[3]);
// S = sum (q - c) x (M v) [kg m^2/s]; `scratch`: (node_count x 3). Where v has a mean, it drops out
// with c.
void limpet_fem_spin(const limpet_fem_body *body, const double *q, const double c[3],
                     const double *v, double *scratch, double S[3]);
// x_i = w x (q_i - c)
void limpet_fem_turning(const limpet_fem_body *body, const double *q, const double c[3],
                        const double w[3], double *x);
// y = (Q - 1) x/a, Q the rotation of the Gibbs vector a w/2, about w by 2 atan(a |w|/2).
void limpet_fem_turned(double a, const double w[3], const double x[3], double y[3]);
// w: the rotation in velocities d (node_count x 3) of a body at q, about the centre of the masses
// of its nodes; false: the body is a line.
bool limpet_fem_rotation_in(const limpet_fem_body *body, const double *q, const double *d,
                            double w[3]);
/* to = v + share d, but for a rotation: the part of d that is one, w x r about the centre of the
 * end of the step, turns the body by Q as above and takes the rest of d along, so that no share of
 * it stretches. d (node_count x 3) [m/s]. Where nodes are fixed, or the body is a line, it is
 * straight. */
void limpet_fem_step_turn(limpet_fem_step *step, const double *v, const double *d, double share,
                          double *to);
/* way (node_count x 3) [m/s]: the d whose whole turned way, as above, leads from v to `end`;
 * scratch (node_count x 3). */
void limpet_fem_step_way(limpet_fem_step *step, const double *v, const double *end, double *scratch,
                         double *way);

#endif
