/* contact/problem.h: the convex contact problem of one step, as data.
 *
 *   v = argmin 1/2 (v - v*)' A (v - v*) + sum_contacts l(W_c V_patch(v)) + sum_rows r(a_i v)
 *
 * A       (block diagonal) mass matrix plus implicit terms, dt damping + dt^2 stiffness
 *         [kg, kg m^2]
 * v*      velocity without contacts and constraints  [m/s, rad/s]
 * patch   all contacts between the same two rigid units. V_patch = sum of column * v over the
 *         velocities on both paths: the spatial velocity [angular; linear] of B relative to A at
 *         the patch's point, world axes. Velocities that move both units cancel
 * W_c     (3 x 6) rows [r x e, e] for the axes e = t1, t2, n of the contact frame, r from the
 *         patch's point to the contact point
 * spin    friction against turning, at contacts that have some: law/spin.h
 * row     scalar constraint: gamma = clamp((v_hat - a v)/R, lower, upper), r its convex cost
 *
 * Islands are the connected components of blocks under patches and rows; each is solved apart. */
#ifndef LIMPET_CONTACT_PROBLEM_H
#define LIMPET_CONTACT_PROBLEM_H

#include "base/arena.h"
#include "contact/block.h"
#include "law/contact_model.h"
#include "model/trees.h"

typedef struct limpet_patch_side {
  int block;       // that it belongs to
  int count;       // columns
  int *dof;        // (count)  index into v; after limpet_problem_partition into the island's vector
  double *column;  // (count x 6)
} limpet_patch_side;

typedef struct limpet_patch {
  int side_count;  // 1: one unit is fixed or both belong to the same block; 2
  limpet_patch_side side[2];
  int contact, contact_count;  // range of contacts
  int spin, spin_count;        // range of spins
  double point[3];             // [m]  W
  double load;                 // [kg]  what may hang on it: load.h; 0: no more than is light
} limpet_patch;

enum { LIMPET_CONTACT_BIAS = 3 };  // numbers of the bias of a contact

typedef struct limpet_spin {
  int contact;     // of the problem
  bool rolling;    // about the two tangents; else torsion, about the normal
  double length;   // [m]  rho
  double rate;     // [1/m]  eps over eps_s
  double axis[6];  // (2 x 3)  W  unit axes; of torsion the second one is zero
  double drive;    // [rad/s]  added to the rate about the first axis: a surface that turns
} limpet_spin;

// The stretch that a contact surface keeps, as a motion of B against A: shear.h.
typedef struct limpet_shear {
  double centre[3];  // [m]  W
  double turn[3];    // [rad]  W
  double shift[3];   // [m]  W  at the centre
} limpet_shear;

typedef struct limpet_constraint_row {
  int kind, target;        // see limpet_data.constraint_kind, constraint_target
  int component;           // see limpet_data.constraint_component
  int entry, entry_count;  // range of entry_dof, entry_value
  double v_hat;            // [m/s, rad/s]
  double R_inverse;        // [kg, kg m^2]  1/R
  double lower, upper;     // [N s, N m s]
  double error;            // [m, rad]  g at the start of the step; 0: the row has none
  double bias;             // [m/s, rad/s]  rate of g besides a v
  double stiffness;        // [N/m, N m/rad]  K of a spring; 0: near-rigid, or none
  double led;              // [m/s, rad/s]  at which a large error comes back, at most
  double hardness;         // [-]  by which near-rigid is harder for what the row carries; 0: none
} limpet_constraint_row;

typedef struct limpet_island {
  int size;                // velocities
  int block, block_count;  // range of island_block
  int patch, patch_count, contact, contact_count, row, row_count;
  int spin, spin_count;
} limpet_island;

#define LIMPET_JAM_SHARE 0.01  // [-]  see return_bound

// A vertex of those that move as one rigid body, whose unknowns are V, w in W: v = V + w x arm + c.
typedef struct limpet_rigid_vertex {
  int dof;        // of V, before that of w; LIMPET_NONE: the vertex is in no set
  int lead;       // first vertex of the set
  double arm[3];  // [m, W]
} limpet_rigid_vertex;

typedef struct limpet_contact_problem {
  const limpet_contact_model *model;
  double dt;

  // blocks of unknowns: limpet_problem_take_trees
  int nv, block_count;
  limpet_block *block;    // (block_count)  in the order of their velocities
  const int *dof_block;   // (nv)
  const int *vertex_dof;  // (vertex_count)  first velocity of a deformable body's vertex;
                          // LIMPET_NONE: not in the problem; NULL: there are none
  // (vertex_count)  vertices without a dof of their own; NULL: no set of them moves as a rigid body
  const limpet_rigid_vertex *rigid_vertex;
  const double *momentum;  // (nv)  A v*
  const double *v_free;    // (nv)  v*
  const double *v_thrown;  // (nv)  with which contacts may close, too; NULL: none
  // (nv of the model)  largest size that velocities had where attempts of the step ended: how far
  // limits look ahead, too; NULL: there were none
  const double *fastest;
  const double *pull;     // (nv)  impulse of adhesion, which v* has; NULL: none
  const double *v_start;  // (nv)  at the start of the step, of impulsive models; NULL: v*

  // contacts, by patch
  int patch_count, contact_count;
  int immovable_count;  // contacts left out, since nothing can move them along their normal
  bool loaded;          // a patch has a load
  limpet_patch *patch;
  limpet_contact_constants *constants;  // (contact_count)
  limpet_contact_settings settings;
  double *contact_row;  // (contact_count x 18)  W_c; anisotropic: tangent rows scaled, see
                        // friction_shape.h
  bool anisotropic;     // some tangent rows are scaled
  int *contact_source;  // (contact_count)  index of the contact's record: record.h
  // (contact_count x LIMPET_CONTACT_BIAS)  [m/s, rad/s]  added to the velocity along the tangents
  // and to the rate about the normal; NULL: none
  double *contact_bias;

  double *carried;  // (contact_count x 3) [N]  W  force on B kept from the last step; NULL: none
  double *stretch;  // (contact_count x 3) [m]  W  of bristles: kept.h; NULL: the model has none
  double *rebound;  // (contact_count) [m/s]  at which contacts are to part; with stretch
  double *taken;    // (contact_count) [J]  by the impacts before: kept.h; with stretch
  limpet_shear *shear;  // (pairs of the records)  that of surfaces, whose contacts have their
                        // stretch by it; else zero. NULL: none keeps shear, or no bristles
  bool moves_before;    // positions will move with v_start, not with the solution

  // Delassus weights of the blocks that have contacts, which rows of loops take, too; NULL: none
  limpet_delassus_weights weights;
  bool *weighed;  // (block_count)  which blocks

  // friction against turning, by contact; filled by limpet_problem_partition
  int spin_count;
  limpet_spin *spin;

  // scalar rows
  int row_count, entry_count;
  limpet_constraint_row *row;
  int *entry_dof;
  double *entry_value;

  // (contact_count + row_count) [N s, N m s]  impulses beyond which the problem will be posed anew,
  // LIMPET_JAM_SHARE of them in an island that is not solved: one that has such takes no more work;
  // NULL: none
  const double *return_bound;

  // islands: filled by limpet_problem_partition, which sorts patches, contacts and rows by island
  int island_count;
  limpet_island *island;
  int *island_block;  // blocks of all islands, ascending within an island
} limpet_contact_problem;

/* Blocks of a problem whose unknowns are the trees of a model; A: their matrices, which must
 * outlive it. Blocks of trees that are not among `trees` are still. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_problem_take_trees(limpet_contact_problem *problem, const limpet_model *model,
                                        const double *A, limpet_trees trees, limpet_arena *arena);
// The block of a tree of several joints, which is not still, has this factor: block.h.
void limpet_problem_know_factor(limpet_contact_problem *problem, const limpet_model *model,
                                int tree, const double *factor);
// Room for the weights of Delassus estimates of a problem. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_problem_take_weights(const limpet_contact_problem *problem,
                                          const limpet_model *model, limpet_arena *arena,
                                          limpet_delassus_weights *weights);
// Those of one block for problem->weights, once. Then those of all.
void limpet_problem_weigh_once(limpet_contact_problem *problem, const limpet_model *model,
                               const limpet_data *data, int block);
void limpet_problem_weigh(const limpet_contact_problem *problem, const limpet_model *model,
                          const limpet_data *data, const limpet_delassus_weights *weights);
// Block that moves a rigid unit of the model; LIMPET_NONE: none does.
int limpet_problem_block_of(const limpet_contact_problem *problem, const limpet_model *model,
                            int unit);
// Spins of all contacts; part of limpet_problem_partition. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_problem_take_spins(limpet_contact_problem *problem, limpet_arena *arena);
/* place (count): where patches between the blocks `block` (count x 2), LIMPET_NONE: nothing that
 * moves, have to come so that those of an island follow each other in the order of islands. Rows
 * are not seen. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_problem_place_patches(const limpet_contact_problem *problem, const int *block,
                                           int count, limpet_arena *arena, int *place);
/* Finds islands, sorts what does not come in their order, and renumbers. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_problem_partition(limpet_contact_problem *problem, limpet_arena *arena);
/* The same with the islands of another problem, `like`, with the same blocks, contacts and rows,
 * rows in its order. Entries of rows that would join other islands are left out; *joins becomes
 * true. */
limpet_status limpet_problem_partition_like(const limpet_contact_problem *like,
                                            limpet_contact_problem *problem, limpet_arena *arena,
                                            bool *joins);
// Index into v of entry `local` of an island's vector.
int limpet_problem_global_dof(const limpet_contact_problem *problem, const limpet_island *island,
                              int local);

#endif
