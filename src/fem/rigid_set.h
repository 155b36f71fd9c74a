/* fem/rigid_set.h: nodes of a deformable body that move as one rigid body: see rigid_set.c. */
#ifndef LIMPET_FEM_RIGID_SET_H
#define LIMPET_FEM_RIGID_SET_H

#include "fem/step.h"

enum { LIMPET_FEM_FREE_NODE = -1, LIMPET_FEM_SET_ROWS = 6 };  // [linear, angular] velocity, W

typedef struct limpet_fem_rigid {
  int count;       // sets
  int *set;        // (node_count)  LIMPET_FEM_FREE_NODE: the node is in none
  int *lead;       // (count)  first node: its block row in the factor has the set's unknowns
  int *row;        // (node_count)  first row of its own block in the factor's order of the caller
  double *arm;     // (node_count x 3)  [m]  of nodes in sets, from the centre; they sum to zero
  double *offset;  // (node_count x 3)  [m/s]  c
  double *held;    // (node_count x 3)  [N s]  of nodes in sets: R of a linear step, moving freely
  double *rows;    // (rows of the factor)  scratch
} limpet_fem_rigid;

/* The workspace of a body with sets: set (node_count), numbered from 0 in the order of their first
 * nodes, LIMPET_FEM_FREE_NODE elsewhere; of three nodes at least, not in line, and of solids. NULL:
 * no memory, with the error filled. limpet_fem_step_begin reads arm and offset. */
limpet_fem_step *limpet_fem_step_create_rigid(const limpet_fem_body *body, const int *set,
                                              limpet_error *error);
// LIMPET_OK or LIMPET_ERROR_MEMORY; set NULL: there are none.
limpet_status limpet_fem_rigid_create(limpet_fem_step *step, const int *set);

// Set of a node, or LIMPET_FEM_FREE_NODE.
int limpet_fem_set_of(const limpet_fem_step *step, int node);
// Unknowns that a node stands for: 3, or those of its set, of which it is the first.
int limpet_fem_node_rows(const limpet_fem_step *step, int node);
int limpet_fem_nodes_rows(const limpet_fem_step *step, int count, const int *nodes);

// V (6) <- the rigid motion nearest to x at the nodes of a set, (P'P)^-1 P' x
void limpet_fem_rigid_motion(const limpet_fem_step *step, int set, const double *x, double *V);
// x <- P V at the nodes of a set
void limpet_fem_rigid_move(const limpet_fem_step *step, int set, const double *V, double *x);
// V (6) <- (P'P)^-1 F
void limpet_fem_rigid_spread(const limpet_fem_step *step, int set, const double *F, double *V);
// x <- P (P'P)^-1 F at the nodes of a set: of all x with P'x = F (force, moment) the least
void limpet_fem_rigid_share_out(const limpet_fem_step *step, int set, const double *F, double *x);
// x <- P (P'P)^-1 P' x at the nodes of all sets
void limpet_fem_rigid_project(const limpet_fem_step *step, double *x);
// x <- P V + c at the nodes of all sets, nearest to x: the velocities that there are
void limpet_fem_rigid_admit(const limpet_fem_step *step, double *x);

/* R (node_count x 3) at v, of nodes in sets: what holds them there, and what acts on them. Others
 * are not written where the step was linear. After limpet_fem_step_begin. */
void limpet_fem_rigid_residual(limpet_fem_step *step, const double *v, double *R);

/* How a step follows the arms and offsets of sets, with V and w held (rigid_tangent.c); arrays
 * (node_count x 3), of which nodes of sets are read and written.
 * e <- w x arm + offset: of velocities v (`led`: with c), by changes of arms and of c */
void limpet_fem_rigid_carry(const limpet_fem_step *step, const double *v, bool led,
                            const double *arm, const double *offset, double *e);
// dR += what turned arms change in the moments of R, as the least forces that have them
void limpet_fem_rigid_moments(const limpet_fem_step *step, const double *R, const double *arm,
                              double *dR);
/* dv <- the change of limpet_fem_rigid_admit at the start of the step, of that of what it is given
 * there and of arms and offsets. Work (2 x 3 node_count). */
void limpet_fem_rigid_admit_forward(const limpet_fem_step *step, const double *arm,
                                    const double *offset, double *dv, double *work);
// Transposed: arm and offset += the gradient of weight.e; arm += that of l.dR
void limpet_fem_rigid_carry_adjoint(const limpet_fem_step *step, const double *v, bool led,
                                    const double *weight, double *arm, double *offset);
void limpet_fem_rigid_moments_adjoint(const limpet_fem_step *step, const double *R, const double *l,
                                      double *arm);
// weight of the admitted velocity becomes that of what was given; arm and offset are added to
void limpet_fem_rigid_admit_adjoint(const limpet_fem_step *step, double *weight, double *arm,
                                    double *offset, double *work);
// arm (set) <- the gradient of z.H z, z of the kind P V at the nodes of sets. Uses force.
void limpet_fem_rigid_stiffness(const limpet_fem_step *step, const double *z, double *arm);

// x <- T rows
void limpet_fem_rigid_expand(const limpet_fem_step *step, const double *rows, double *x);
// values of the factor += T' H T of the block number k of H, (i, j), of which one node is in a set
void limpet_fem_rigid_add(const limpet_fem_step *step, int k, int i, int j, double *values);
// Rows of the identity for nodes that are not the first of their sets.
void limpet_fem_rigid_fill(const limpet_fem_step *step, double *values);
/* The matrix of T' H T: rows of the factor's blocks, pairs of them (block_count), and the order of
 * elimination from that of the nodes (NULL: none is asked for): sets last. */
void limpet_fem_rigid_blocks(const limpet_fem_step *step, int *size, int *pairs, int *order);

#endif
