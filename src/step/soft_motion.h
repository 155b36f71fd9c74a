/* step/soft_motion.h: deformable bodies within a step.
 *
 *   stage 2    free motion: v* of all vertices, matrix H and its factor
 *   stage 5    vertices that contacts and ties hang on; H condensed onto them: blocks of unknowns
 *   after 6    the other vertices follow
 *   stage 7    positions
 * Bodies near something they may touch, and those tied to a body that moves, move by backward
 * Euler, q+ = q + dt v+: what a contact stops is then at its surface, not dt/2 v behind it. Others
 * move by the midpoint rule, q+ = q + dt/2 (v + v+), exact in free fall. Which of the two depends
 * on the state alone. */
#ifndef LIMPET_STEP_SOFT_MOTION_H
#define LIMPET_STEP_SOFT_MOTION_H

#include "base/threads.h"
#include "collide/collide.h"
#include "contact/assemble.h"
#include "contact/mesh_matrix.h"
#include "limpet/step.h"
#include "solve/solve.h"

// One body in a step.
typedef struct limpet_soft_body {
  limpet_fem_step *step;
  limpet_fem_outcome outcome;  // of the free motion
  bool failed;                 // it is held for the step
  bool near_start;             // the free motion is that of the law as linear at its start
  bool relinearised;           // the law is that where an attempt ended, or near there
  int block;                   // of the problem; LIMPET_NONE: nothing touches it
  double *matrix;              // (size x size)  A
  double *compliance;          // (size)  diagonal of A^-1; NULL: not wanted
  limpet_mesh_matrix *mesh;    // all vertices that move take part: in the place of matrix; or NULL
  limpet_status condensed;     // whether there was memory for them
  int count;      // vertices that take part; of a set that moves as a rigid body its first
  int size;       // their unknowns: three each, six for a set
  int tied_size;  // the first of them: no contact hangs on these
  int *vertex;    // (count)  into the body's own vertices, ascending in either part
} limpet_soft_body;

typedef struct limpet_soft_motion {
  int count;
  limpet_soft_body *body;   // (count)
  double *v_free;           // (vertex_count x 3)  [m/s]  v*
  limpet_threads *threads;  // that bodies are shared out to; NULL: none
  /* Near-rigid contacts are as stiff as the body is where they act, diag A^-1; off: diag A, which
   * holds all other vertices fast: Drake's. */
  bool whole_compliance;
  bool keeps_spin;  // bodies in free flight keep their angular momentum to round-off
  /* [-]  The least |ln(rho/tolerance)| of all that decided whether laws are taken anew
   * (soft_newton.h): so near another number of rounds. Infinite: none did. */
  double round_margin;
  /* Of derivatives: the problem whose unknowns, matrices and compliances are taken over in stage 5,
   * with v_free as v*; NULL: they are found. */
  const limpet_contact_problem *given;
} limpet_soft_motion;

/* Stage 2. NULL in *soft: the model has no deformable body. After limpet_velocity_kinematics.
 * LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_soft_motion_begin(const limpet_model *model, limpet_data *data,
                                       const limpet_step_settings *settings, limpet_arena *arena,
                                       limpet_soft_motion **soft);

// Solves the free motion of body d to its end, where its law was taken at the start alone.
void limpet_soft_motion_end_free(const limpet_model *model, int d, limpet_soft_motion *soft);

// Where the laws of all bodies are taken for derivatives.
typedef struct limpet_soft_point {
  const double *v;                 // (vertex_count x 3)  [m/s]
  const limpet_soft_motion *like;  // the step: bodies that moved by backward Euler do so
  bool factored;                   // H has its factor
} limpet_soft_point;

/* Of derivatives, in the place of stage 2: bodies at the state of `data` with their laws at a
 * point, whose v is v_free, too. `failed`: H is not positive definite there. Prescribed velocities
 * are those of the state: v has others there. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_soft_motion_linearise(const limpet_model *model, limpet_data *data,
                                           const limpet_step_settings *settings,
                                           const limpet_soft_point *point, limpet_arena *arena,
                                           limpet_soft_motion **soft);

/* Stage 5, before the bodies join: drops the records of contacts that cannot close, while the
 * problem has its trees alone. None may pull. Contacts that take the rest of the body as fast keep
 * theirs: which vertices take part changes how stiff they are. Fills closing->vertices. LIMPET_OK
 * or LIMPET_ERROR_MEMORY. */
limpet_status limpet_soft_motion_drop_far(const limpet_soft_motion *soft, limpet_closing *closing,
                                          limpet_arena *arena, limpet_contact_records *records);

/* Stage 5: blocks of the bodies that contacts or ties touch join a problem that has its trees.
 * LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_soft_motion_join(const limpet_model *model, const limpet_data *data,
                                      const limpet_contact_records *records,
                                      limpet_soft_motion *soft, limpet_arena *arena,
                                      limpet_contact_problem *problem);

// Where all vertices end the step.
typedef struct limpet_soft_end {
  const limpet_contact_problem *problem;  // solved
  const limpet_contact_solution *solution;
  double *v, *q;  // (vertex_count x 3)  [m/s], [m]
} limpet_soft_end;

/* After stage 6: v, q of all vertices from the solution of the problem. Bodies that no contact was
 * looked for keep their angular momentum. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_soft_motion_end(const limpet_model *model, const limpet_data *data,
                                     const limpet_soft_motion *soft, limpet_arena *arena,
                                     const limpet_soft_end *end);

/* Whether nothing acted on a body, looked for or not: it moves with v_free, and keeps its angular
 * momentum. */
bool limpet_soft_flies(const limpet_soft_body *body, const limpet_contact_problem *problem,
                       const limpet_contact_solution *solution);

/* Once no attempt follows: bodies on which no contact that was looked for acted keep their angular
 * momentum, too. Until then their v is what the elastic laws are judged by. */
void limpet_soft_motion_turn(const limpet_model *model, const limpet_soft_motion *soft,
                             const limpet_soft_end *end);

// Room for *body->mesh. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_soft_take_mesh(const limpet_soft_body *body, limpet_arena *arena);
// The values of body->mesh (all vertices that move take part): H at the last linearisation.
void limpet_soft_fill_mesh(const limpet_soft_body *body);

#endif
