/* gradient/round_off.h: what forces that nearly cancel leave of a column of the pose.
 *
 * A near-rigid contact that begins a step far inside pushes with orders of magnitude more than what
 * the step keeps of it: contacts push against each other, and friction holds them. A column of the
 * pose is a sum of such forces per length, and keeps their round-off,
 *   e_i = eps sum over patches of g |S_i|/l,   g = sum over contacts of max(|gamma|, h |f_e|)
 *   dv = H^-1 e                    S_i: velocity i at the patch, angular parts times 1 m;
 *                                  l: way from there to the tree's origin
 * The estimate is rough: within a factor of ten of what is seen. */
#ifndef LIMPET_GRADIENT_ROUND_OFF_H
#define LIMPET_GRADIENT_ROUND_OFF_H

#include "gradient/residual.h"

/* [1/s]  Round-off of the columns of the pose of an island of compliant contact; 0: forces are no
 * larger than what moves. dv (nv): work. */
double limpet_round_off(const limpet_residual *residual, const limpet_data *start, int island,
                        double *dv);

#endif
