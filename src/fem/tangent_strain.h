// fem/tangent_strain.h: the part of tangent.h that damping by the rate of strain has.
#ifndef LIMPET_FEM_TANGENT_STRAIN_H
#define LIMPET_FEM_TANGENT_STRAIN_H

#include "fem/tangent.h"

// y += scale times the force at v for beta = 1 s.
void limpet_fem_strain_unit(limpet_fem_step *step, double scale, const double *v, double *y);
/* dR += its change with positions, velocities and the step, material held. Uses direction and
 * force. */
void limpet_fem_strain_forward(limpet_fem_step *step, const double *v,
                               const limpet_fem_change *change, double *dR);
// The gradient of l.R by q and v at the start (NULL: not wanted), added. Uses direction.
void limpet_fem_strain_adjoint(limpet_fem_step *step, const double *l, double *by_q, double *by_v);
// z.K z with other constants at rest, K for beta = 1 s. Uses direction, force, position.
double limpet_fem_strain_work(limpet_fem_step *step, const double *v, const double *z,
                              limpet_elastic_constants rest);
// The gradient of z.H z by q, v and the end (node_count x 3), added. Uses direction.
void limpet_fem_strain_stiffness(limpet_fem_step *step, const double *z, double *by_q, double *by_v,
                                 double *by_end);

#endif
