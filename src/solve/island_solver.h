/* solve/island_solver.h: Newton's method on one island: workspace and callbacks of
 * limpet_newton_problem. */
#ifndef LIMPET_SOLVE_ISLAND_SOLVER_H
#define LIMPET_SOLVE_ISLAND_SOLVER_H

#include "contact/problem.h"
#include "math/block_sparse.h"
#include "optim/newton.h"
#include "solve/island_spins.h"

// Where the blocks of a patch are in the block-sparse Hessian: (0,0), (1,0), (1,1) of its sides.
typedef struct limpet_patch_blocks {
  int first[2];  // first unknown of the parts that the sides belong to
  double *block[3];
  int stride[3];
  int transposed;  // of block 1: rows belong to side 0
  bool in_pieces;  // a side belongs to several parts: nothing of this is filled
} limpet_patch_blocks;

// Where a block of a mesh goes in the factor.
typedef struct limpet_mesh_place {
  long offset;
  int stride, transposed;
} limpet_mesh_place;

// What the dense J of an island has of a patch.
typedef struct limpet_patch_rows {
  double *columns;  // S' (6 x J_stride)
  unsigned tiles;   // bits of the strips of four columns that the patch moves
  int first;        // first row in J: of S' or of the contacts
  bool by_columns;  // S' is in J, for its contacts
} limpet_patch_rows;

typedef struct limpet_island_solver {
  const limpet_contact_problem *problem;
  const limpet_island *island;
  const limpet_compliant_model *model;
  bool plain_hessian;  // directions come from the exact Hessian, without contact_dual
  bool soft;           // deformable bodies take part
  int n;
  // (contacts)  in force: own ones, or eased ones while a start is sought
  const limpet_contact_constants *constants;
  // (contacts)  the problem's, with the form and bounds of friction
  limpet_contact_constants *own_constants;

  // constants of the island, local order
  double *momentum, *v_free;  // (n)
  double *scale;              // (n)  A_ii^-1/2
  double creep2;              // [kg m^2/s^2]  least eps_s^2/w of a contact; INFINITY: there is none
  double *x, *other_start;    // (n)  start, then solution; second start
  double *closest;            // (n)  as close to the solution as doubles come

  // state at the last evaluated x: these vectors, the gradient in `newton` and x, from which they
  // begin, follow each other in one piece
  size_t state_size;                              // doubles
  double *kept_state;                             // (state_size)  of another x
  double *difference;                             // (n)  v - v*
  double *A_difference;                           // (n)  A (v - v*)
  double *impulse;                                // (n)  J' gamma
  double *contact_v, *contact_gamma, *contact_G;  // (contacts x 3), x 3, x LIMPET_HESSIAN_SIZE
  double *contact_dual;                           // (contacts x 2)  see contact_model.h
  double *row_u, *row_gamma;                      // (rows)  a v, impulse
  limpet_island_spins spins;                      // friction against turning

  limpet_contact_constants *eased_constants;  // (contacts)

  // (J_rows + 2 spins x J_stride)  NULL: island_jacobian.h
  double *J;
  int J_rows, J_stride;
  limpet_patch_rows *patch_rows;  // (patches)  with J
  double *row_values;  // (J_rows)  scratch of products with J; NULL: its rows are those of contacts
  // (patches)  without J: rows (contacts x sides x 3 x 6) of a patch between bodies; NULL: it goes
  // by columns
  double **body_rows;
  // (rows)  with J: velocity and factor of rows with one entry; LIMPET_NONE: it has several
  int *row_dof;
  double *row_value;
  bool *row_triple;  // (rows)  whether a row begins a triple (row.h); NULL: none does

  // ray
  double *A_direction;          // (n)
  double *contact_dv;           // (contacts x 3)
  double *row_du;               // (rows)
  double slope_0, curvature_0;  // of the quadratic part: slope + alpha curvature

  // Hessian: limpet_island_hessian_create
  double *H;                        // (n x n) dense, or NULL; rows H_stride apart: island_dense.h
  int H_stride;                     // doubles
  struct limpet_island_gram *gram;  // what contacts add by rows of J; NULL: they do so by patches
  limpet_block_cholesky *sparse;
  // block-sparse: parts are blocks, halves of those that are split, or vertices of meshes
  // (island_sparse.c)
  int part_count;
  int *part_first;          // (part_count + 1)  first unknown
  int *part_of;             // (n)
  double **diagonal_block;  // (part_count)
  int *block_stride;
  limpet_patch_blocks *patch_block;  // (patches)
  limpet_mesh_place *mesh_place;     // (blocks of all meshes)
  // of patches on meshes, NULL: there are none; island_pieces.h
  struct limpet_patch_pieces *patch_pieces;  // (patches)
  double *whole;                             // (largest block that is split, squared)  scratch
  struct limpet_coulomb *coulomb;            // of models that are coupled; else NULL: coulomb.h
  // from which the Hessian is taken when it is needed; NULL: it is there
  limpet_arena *later;
  int dense_limit;  // of a Hessian that is taken later
  limpet_newton_workspace newton;
  limpet_newton_info info;
  // of coupled models: iterations after which it gives up, and where it stalls, as another problem
  // is solved instead then; 0: it does not
  int gives_up_after;
  bool rounded;  // at the iteration limit: round-off explains the residual
} limpet_island_solver;

// Workspace without a Hessian, from the arena; then the Hessian. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_island_vectors_create(limpet_island_solver *solver,
                                           const limpet_contact_problem *problem, int island,
                                           limpet_arena *arena);
limpet_status limpet_island_hessian_create(limpet_island_solver *solver, int dense_limit,
                                           limpet_arena *arena);
// Both.
limpet_status limpet_island_solver_create(limpet_island_solver *solver,
                                          const limpet_contact_problem *problem, int island,
                                          int dense_limit, limpet_arena *arena);

// The parts of it for block-sparse storage: layout, and A in it, all else zero.
limpet_status limpet_island_sparse_create(limpet_island_solver *solver, limpet_arena *arena);
void limpet_island_sparse_mass(limpet_island_solver *solver);

// Hessian at the last evaluated velocities, lower triangle; `dual` as in contact_model.h.
void limpet_island_assemble(limpet_island_solver *solver, const double *dual);
/* The parts of limpet_island_direction: factors A + J' G J + rows for G = contact_G, false
 * where that is not positive definite or a Hessian is to be taken and there is no memory; x <- the
 * solution for the right-hand side x. */
bool limpet_island_factor(limpet_island_solver *solver);
void limpet_island_back_solve(const limpet_island_solver *solver, double *x);
/* The parts of limpet_island_evaluate and _advance: state at x without cost and impulses; the state
 * moved by alpha of the ray prepared last, x being there already; cost and gradient at the state.
 */
void limpet_island_place(limpet_island_solver *solver, const double *x);
void limpet_island_move(limpet_island_solver *solver, double alpha, const double *x);
double limpet_island_cost(limpet_island_solver *solver, double *gradient);
/* Its parts: impulses of contacts, rows and spins, and the cost; those of rows alone; the gradient
 * by all these impulses. */
double limpet_island_laws(limpet_island_solver *solver);
void limpet_island_rows_evaluate(limpet_island_solver *solver);
void limpet_island_push(limpet_island_solver *solver, double *gradient);
/* Keeps the state with its gradient, and gives it back. The cost and what constants hold are the
 * caller's; impulses of spins are those of the next limpet_island_spins_evaluate. */
void limpet_island_state_keep(limpet_island_solver *solver);
void limpet_island_state_restore(limpet_island_solver *solver);
// The ray of the line search where contact_dv and row_du are J d already.
double limpet_island_ray_given(limpet_island_solver *solver, const double *direction);
/* Condition number of the exact Hessian at the solution, 1-norm: ||H|| ||H^-1||, the second by
 * estimate. Takes n x n doubles from the arena and n^3/3 operations. NAN without memory, INFINITY
 * where H is not positive definite in doubles. */
double limpet_island_condition(limpet_island_solver *solver, limpet_arena *arena);

/* Minimises from x, at which the island was evaluated last; help for poor starts and hard laws as
 * it is needed. Counts are of all that was done. */
limpet_newton_info limpet_island_minimize(limpet_island_solver *solver,
                                          const limpet_newton_settings *settings, double *x);

// All of them.
limpet_newton_problem limpet_island_newton(limpet_island_solver *solver);
// Callbacks for limpet_newton_problem; context is a limpet_island_solver.
double limpet_island_evaluate(void *context, const double *x, double *gradient);
void limpet_island_measure(void *context, const double *x, const double *gradient,
                           limpet_newton_measure *measure);
/* The residual that is within the tolerance of `share` times what the step changes, ||D A (v -
 * v*)||, and not of the momentum alone, at x, evaluated and measured. Else what moves fast would
 * not feel small forces: a residual that is left in each step, on the same side, adds up. */
double limpet_island_asked(const limpet_island_solver *s, const limpet_newton_measure *measure,
                           double tolerance, double share);
// The same, or the round-off of the residual where that is more.
double limpet_island_bound(const limpet_island_solver *s, const limpet_newton_measure *measure,
                           double tolerance, double share);
/* The least round-off that the residual may have, at x, measured: speeds of contacts that were
 * moved by their changes have more digits than velocities leave them. */
double limpet_island_moved_floor(const limpet_island_solver *s,
                                 const limpet_newton_measure *measure);
// [-]  that share of a start that iterations may still better, and of what they found
#define LIMPET_START_SHARE 1.0
#define LIMPET_END_SHARE 30.0
/* Whether the residual of every block is within a share of what the step changes in it or of its
 * impulse, or within the tolerance of its momentum. A light body in the island of a heavy one is
 * lost in the residual of both. What a free body turns and shifts are asked for apart, beyond ten
 * tolerances of its impulse: torques of torsion and rolling are small beside the force that they
 * come with, and add up if each step leaves them. */
bool limpet_island_blocks_met(const limpet_island_solver *s, const double *gradient, double share,
                              double tolerance);
/* Whether A^-1 times the gradient is within a share of each joint's velocity, or of what the step
 * changes in it, in blocks whose joints and factor are known: an error of the velocities without
 * contacts is no larger. The residual of a light link is lost beside its diagonal of A, which has
 * all that hangs on it. Below a ten-thousandth of the block's velocities nothing is asked. work
 * (n).
 */
bool limpet_island_joints_met(const limpet_island_solver *s, const double *gradient, double share,
                              double *work);
/* Whether the gradient is within a share of what the step changes of each joint's momentum, or of
 * the impulse on it, or below `least`, in the units of the residual, in blocks whose joints are
 * known. Dry friction of a wheel is lost in the residual of the vehicle that carries it. */
bool limpet_island_torques_met(const limpet_island_solver *s, const double *gradient, double share,
                               double least);
bool limpet_island_direction(void *context, const double *gradient, double *direction);
double limpet_island_advance(void *context, double alpha, const double *x, double *gradient);
void limpet_island_along(void *context, double alpha, double *slope, double *curvature);

#endif
