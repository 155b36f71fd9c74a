/* solve/island_contact_space.h: one island as impulsive contact solvers, and sweeps over contacts,
 * see it: velocities at contacts and rows as a function of the impulses there.
 *
 *   u = A x + b     A = J M^-1 J' (size x size), b = J v* + bias
 *   unknowns        3c + e: impulse of contact c along e = t1, t2, n [N s]
 *                   3 contacts + r: impulse of scalar row r
 *   rows            x_r = clamp((v_hat - u_r)/R, lower, upper)
 *   M               matrix A of the problem; v* its free velocity
 * The test-force method gives A: each unit impulse J_i' acts on the trees that it touches, which
 * respond with Y_i = M^-1 J_i'; column i of A is J Y_i. J and Y are stored by trees, so that a
 * sweep over the contacts needs no A.
 * Reference: Kokkevis, Practical physics for articulated characters, GDC 2004.
 * Cost: a factorisation of M by trees and `size` solves with it; size^2 products for A itself. */
#ifndef LIMPET_SOLVE_ISLAND_CONTACT_SPACE_H
#define LIMPET_SOLVE_ISLAND_CONTACT_SPACE_H

#include "solve/solve.h"

enum { FREE_BODY = 6 };  // velocities of a block

/* What the unknowns of one contact (3), or one scalar row (1), do to the velocities of one block. J
 * is stored where it may not be zero: few of many vertices of a deformable body. */
typedef struct limpet_space_segment {
  int block;          // of the problem
  int offset, count;  // in the island's vector: those of the block
  int from, width;    // in the block: those of J
  int unknowns;       // 3 or 1
  double *J;          // (unknowns x width)  filled by limpet_contact_space_fill
  double *Y;          // (unknowns x count)
} limpet_space_segment;

typedef struct limpet_contact_space {
  const limpet_contact_problem *problem;
  const limpet_island *island;
  const limpet_impulsive_model *model;  // NULL: another family solves the island
  int velocities, contacts, rows, size;
  double dt;                            // [s]
  limpet_contact_constants *constants;  // (contacts)  the problem's; solvers may change their own
  double *carried;  // (contacts x 3) [N]  W  to carry into the next step; NULL: nothing
  const limpet_constraint_row *row;  // (rows)
  int *first;                        // (contacts + rows + 1)  segments of contact or row
  limpet_space_segment *segment;
  double *factor;       // factors of the blocks, one after the other
  size_t *factor_at;    // (velocities)  where that of the block is whose velocities begin there
  size_t column_count;  // doubles of J and Y of all segments
  bool solves;          // limpet_contact_space_set goes by solves, not by Y
  double *A;            // (size x size) [1/kg, ...]  NULL: the model did not ask for it
  double *diagonal;     // (size)  of A
  double *bias;         // (size) [m/s]  u besides J v
  double *b;            // (size) [m/s, rad/s]
  double *v_start;      // (velocities)  at the start of the step
  double *v_free;       // (velocities)  v*
  // (velocities, and room for three zeros)  v* + M^-1 J' x, as far as
  // limpet_contact_space_push moved it
  double *v;
  double *x;          // (size)  impulses: the result
  double *impulse;    // (velocities)  J' x
  double *contact_u;  // (contacts x 3) [m/s]  J v + bias
  void *memory;       // of the model's memory_size
  bool own_velocity;  // the solver's v is the result, not v* + M^-1 J' x
  limpet_outcome outcome;
  double residual;  // [-]
  limpet_impulsive_counts counts;
} limpet_contact_space;

// Bytes that suffice for limpet_contact_space_create, where no model asks for A.
size_t limpet_contact_space_room(const limpet_contact_problem *problem, int island);
// Takes the memory from the arena.
limpet_status limpet_contact_space_create(limpet_contact_space *space,
                                          const limpet_contact_problem *problem, int island,
                                          limpet_arena *arena);
// Fills it, lets the model solve it and forms the results. Nothing is allocated.
void limpet_contact_space_solve(limpet_contact_space *space);
// The first half: J, Y, b and, where the model asks for it, A; v = v*, x = 0. A numerical failure
// where M is not positive definite.
limpet_outcome limpet_contact_space_fill(limpet_contact_space *space);

// The coupling (3 x 3) of the unknowns of one contact.
void limpet_contact_space_own(const limpet_contact_space *space, int contact, double W[9]);
// u_i of the present v.
double limpet_contact_space_speed(const limpet_contact_space *space, int unknown);
// x_i += dx with v following.
void limpet_contact_space_push(limpet_contact_space *space, int unknown, double dx);
// The same for the three unknowns of a contact.
void limpet_contact_space_contact_speed(const limpet_contact_space *space, int contact,
                                        double u[3]);
void limpet_contact_space_push_contact(limpet_contact_space *space, int contact,
                                       const double dx[3]);
// x <- the impulses (size), v = v* + M^-1 J' x.
void limpet_contact_space_set(limpet_contact_space *space, const double *x);
// v <- v* + M^-1 v, by a solve with each block.
void limpet_contact_space_answer(limpet_contact_space *space);

/* Normal speed [m/s] that contact c has to have after the step, at least, for b_n before: -phi/dt
 * across an open gap; -e v_n0 where it hits; `stabilised`: error reduction where it starts inside.
 * Newton's restitution, with the speed v_n0 at the start of the step, so that rest is rest. */
double limpet_contact_space_target(const limpet_contact_space *space, int contact, bool stabilised);

/* The force that contact c carries from the last step, along its axes (3) [N], zero where there is
 * none; and what it is to carry into the next one. */
void limpet_contact_space_carried(const limpet_contact_space *space, int contact, double f[3]);
void limpet_contact_space_carry(limpet_contact_space *space, int contact, const double f[3]);

/* Memory of solvers: arrays one after the other. `at` NULL: only counts. */
double *limpet_space_take(char *memory, size_t *used, size_t count);

/* Scalar rows for given impulses of the contacts: x_r with v following, by sweeps until no row
 * changes by more than the share 1e-12. Returns the number of sweeps. */
int limpet_contact_space_rows(limpet_contact_space *space);
// One such row: returns by how much its impulse changed.
double limpet_contact_space_row(limpet_contact_space *space, int row);

#endif
