/* optim/cone.h: the second-order cone K = { u : u[0] >= ||(u[1], ..., u[d-1])|| } for
 * interior-point methods.
 *
 *   u o v = (u'v, u[0] v_ + v[0] u_),  e = (1, 0, ..., 0),  J = diag(1, -1, ..., -1),  u_ = (u[1],
 *                                      ..., u[d-1])
 *   Nesterov-Todd scaling of s, lambda inside K: W = W' with W lambda = W^-1 s,
 *     W = eta [w0, w_'; w_, 1 + w_ w_' / (1 + w0)],   W^-1 = (1/eta) [w0, -w_'; -w_, 1 + w_ w_' /
 *                                                     (1 + w0)],   w'Jw = 1
 * Dimension 1 is the half line, for which everything below holds as well. d <=
 * LIMPET_QP_LARGEST_CONE.
 * Reference: Vandenberghe, The CVXOPT linear and quadratic cone program solvers (2010), sections 4
 * and 5. */
#ifndef LIMPET_OPTIM_CONE_H
#define LIMPET_OPTIM_CONE_H

// u[0] - ||u_||: positive inside.
double limpet_cone_depth(int d, const double *u);
// w (d) and eta; s and lambda inside.
void limpet_cone_scaling(int d, const double *s, const double *lambda, double *w, double *eta);
// v = W u and v = W^-1 u; v may be u.
void limpet_cone_scale(int d, const double *w, double eta, const double *u, double *v);
void limpet_cone_unscale(int d, const double *w, double eta, const double *u, double *v);
// p = u o v
void limpet_cone_product(int d, const double *u, const double *v, double *p);
// q with u o q = p; q may be p. u inside.
void limpet_cone_divide(int d, const double *u, const double *p, double *q);
// q with u o q = e; u inside.
void limpet_cone_inverse(int d, const double *u, double *q);
// The largest t with u + t v in K; INFINITY where there is none. u inside.
double limpet_cone_reach(int d, const double *u, const double *v);

#endif
