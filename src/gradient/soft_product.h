/* gradient/soft_product.h: what products with the Jacobian of a step with deformable bodies share:
 * see soft_gradient.h for the equations.
 *
 * Ends: q+ = q + b v0 + a v, a = s dt, b = (1 - s) dt, s the share of v in the step; bodies in free
 * flight are turned (fem/tangent.h). Fixed nodes go where what holds them is: v = (place - q)/dt,
 * so dR there is minus the change of v, dq/dt, and the others' takes H dv.
 * Cost: two solves with H for each body, one for each island; and of near-rigid contacts one solve
 * for each unknown of a vertex, with what follows the strain four products with K besides. */
#ifndef LIMPET_GRADIENT_SOFT_PRODUCT_H
#define LIMPET_GRADIENT_SOFT_PRODUCT_H

#include "fem/tangent.h"
#include "gradient/soft_gradient.h"
#include "gradient/workspace.h"

typedef struct limpet_soft_product {
  limpet_gradient_workspace *w;
  limpet_soft_gradient *soft;
  int vertices;          // 3 vertex_count
  double *dR, *u;        // (vertices)  change of R, H^-1 of it; backwards l, h
  double *dv;            // (vertices)  change of v, or weights of it
  double *impulse;       // (unknowns)
  double *r, *dx;        // (residual size), (problem nv)
  double *dw;            // (2 unknowns)  change of ln w and -ln A_ii, or weights
  double *work;          // (unknowns)
  double *z, *g;         // (most nodes x 3), (4 x the same)
  double *arm, *offset;  // (vertices)  of vertices in sets, or weights of them: soft_arms.h
  double *e;             // (vertices) [m/s]  what these move vertices by
  double *law;           // (vertices) [m/s]  change of what laws were taken at, with dx held
  double *q, *v0;        // (vertices)  by the state at the start
  double *end;           // (2 nv)
} limpet_soft_product;

// Zeroed arrays from the workspace's arena; false: no memory.
bool limpet_soft_product_take(limpet_gradient_workspace *w, limpet_soft_product *p);
// Whether there are derivatives of the last step of the data.
bool limpet_soft_product_is_current(const limpet_gradient *gradient);

const limpet_soft_body *limpet_soft_body_at(const limpet_soft_product *p, int d);
// Where a body's numbers are among those of all vertices, and how many they are.
int limpet_soft_first(const limpet_soft_product *p, int d);
int limpet_soft_count(const limpet_soft_product *p, int d);
// Whether the end of the step turned the body.
bool limpet_soft_is_turned(const limpet_soft_product *p, int d);

/* impulse <- A (x_C + y_C), x (problem nv) or weights of it by the slots of the residual (NULL:
 * none), y (vertices). Returns the block of the body; NULL: it has none. */
const limpet_block *limpet_soft_block_impulse(const limpet_soft_product *p, int d, const double *x,
                                              bool slots, const double *y, double *impulse);
// dv <- -u + H^-1 E_C A (x_C + u_C) of all bodies.
void limpet_soft_respond(const limpet_soft_product *p, const double *x, bool slots, const double *u,
                         double *dv);
// u <- H^-1 u of all bodies.
void limpet_soft_solve_bodies(const limpet_soft_product *p, double *u);
// r (residual size) += what bodies do to trees and contacts: E_C A u_C
void limpet_soft_add_bodies(const limpet_soft_product *p, double *r);
// How r follows poses of trees (nv x residual size), velocities of bodies held; NULL: not wanted.
const double *limpet_soft_by_pose(const limpet_gradient_workspace *w);
// r (size) += the sum of x (count) times columns (count x size); NULL: none
void limpet_soft_add_columns(int count, const double *columns, int size, const double *x,
                             double *r);

/* The velocity that w and A of a body follow: where its law was taken last. Rounds of the step take
 * it where an attempt ended, up to what they leave; a step whose first attempt was balanced has it
 * at the start, or at the end of the free motion. */
typedef enum limpet_soft_point_kind {
  LIMPET_SOFT_AT_END,
  LIMPET_SOFT_AT_START,
  LIMPET_SOFT_AT_FREE,
  LIMPET_SOFT_AT_NONE,  // the law was linear
} limpet_soft_point_kind;
limpet_soft_point_kind limpet_soft_point_of(const limpet_soft_body *body);

/* law <- for u and dv that there are, by changes of velocities at the start (vertices; NULL: none).
 */
void limpet_soft_law_change(const limpet_soft_product *p, const double *start);

// What is done with number i of w or A, of body d, and the gradient of z.H z.
typedef void limpet_soft_weight_use(limpet_soft_product *p, int i, int d,
                                    const limpet_fem_stiffness_gradient *g);
/* Calls `use` for every ln w_i and -ln A_ii that contacts or rows see. numbers: g has those of the
 * material. */
void limpet_soft_each_weight(limpet_soft_product *p, bool numbers, limpet_soft_weight_use *use);
// z of number k (0 .. 2 size) of a block into p->z, and its place among all of them.
void limpet_soft_weight_direction(limpet_soft_product *p, int d, const limpet_block *block, int k);
int limpet_soft_weight_number(const limpet_soft_product *p, const limpet_block *block, int k);
// Whether a vector has numbers of the material.
bool limpet_soft_has_numbers(const limpet_gradient_vector *x);

#endif
