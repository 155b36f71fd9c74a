/* fem/step.h: the workspace of one deformable body during a step. */
#ifndef LIMPET_FEM_STEP_H
#define LIMPET_FEM_STEP_H

#include "fem/kernels.h"
#include "math/block_sparse.h"

// Where a block of the matrix goes in the storage of the factor.
typedef struct limpet_fem_target {
  long offset;
  int stride, transposed;
} limpet_fem_target;

struct limpet_fem_step {
  const limpet_fem_body *body;
  limpet_arena arena;
  limpet_fem_input input;
  limpet_fem_info info;
  bool is_linear;  // forces are linear in v: laws that are frozen, until they follow
  bool *fixed;     // (node_count)
  struct limpet_fem_rigid *rigid;  // nodes that move as rigid bodies: rigid_set.c; NULL: none do

  double *H;       // (block_count x 9)  [kg]  at the point of linearisation
  double *H0;      // (block_count x 9)  the part of H that stays during a step; nonlinear laws
  double *R;       // (points x 9)  rotations at the start; NULL where nothing needs them
  double *turned;  // (points x 9)  at turned_at; laws with R that may follow: where those that do
                   // were evaluated last
  double *turned_at;                  // (node_count x 3)  positions
  bool turned_is_kept;                // false: `turned` is not that of turned_at
  struct limpet_fem_thin_step *thin;  // thin_step.c; NULL: only tetrahedra
  double *point;  // laws with principal function: LIMPET_FEM_POINT numbers for each point, at the
                  // last residual; of laws that follow where point_is_kept
  bool point_is_kept;
  // (node_count x 3)  [m/s], [N s]  of laws that may follow: where they were evaluated last, and R
  // there, if last_is_kept; and where a step that began turning took them first (turn_start.c)
  double *last, *last_residual, *taken;
  bool last_is_kept, began_turning;
  double left;    // [N s]  |R| at v0, of a linear step
  double energy;  // [J]  elastic, with `point`; and that whose slope damping by `rate` is
  double *rate;   // (points x LIMPET_FEM_RATE)  damping by strain; NULL: another one
  limpet_block_cholesky *factor;
  bool serves;  // it is that of an H of this step, and may find directions with others
  bool lags;    // H and the factor are not those of the free motion: limpet_fem_complete
  limpet_fem_target *target;  // (block_count)

  // (node_count x 3) each
  double *start;      // [m/s]  v at the start
  double *free;       // [m/s]  v*
  double *residual;   // [N s]
  double *direction;  // [m/s]
  double *trial;      // [m/s] or [m]
  double *load;       // [N]  gravity and given forces
  double *position;   // [m]
  double *force;      // [N]

  // condensed contact: condense.c
  struct limpet_fem_condensed *condensed;
};

// Takes the input: start, load, fixed nodes, v0 in step->free; false: not finite.
bool limpet_fem_input_take(limpet_fem_step *step, const limpet_fem_input *input);
// The same, and what laws have of the start of a step.
bool limpet_fem_step_take_start(limpet_fem_step *step, const limpet_fem_input *input);
// Share of v+ in the velocity that positions move with: 1/2, backward Euler 1.
double limpet_fem_share(const limpet_fem_step *step);
// y += c M x
void limpet_fem_mass_add(const limpet_fem_body *body, double c, const double *x, double *y);
double limpet_fem_norm(int count, const double *x);
/* [J]  kinetic energy of v - w (node_count x 3); w NULL: the mean of v. Uses trial, force. */
double limpet_fem_motion_energy(limpet_fem_step *step, const double *v, const double *w);

// Whether a law that is not linear in the step is damped by the rate of strain, or by the
// stiffness at rest, which stays during the step.
bool limpet_fem_damped_by_strain(const limpet_fem_step *step);
bool limpet_fem_takes_strain(
    const limpet_fem_step
        *step);  // Keeps the strains of the start, of which those at the end are compared with.
void limpet_fem_strain_start(limpet_fem_step *step);
// f += elastic and stiffness damping forces at v; leaves what a nonlinear law needs for H there.
void limpet_fem_forces(limpet_fem_step *step, const double *v, double *f);
// R(v) with what a nonlinear law needs for H there; see limpet_fem_step_residual.
void limpet_fem_evaluate(limpet_fem_step *step, const double *v, double *R);
// The same, where R there may be known.
void limpet_fem_evaluate_once(limpet_fem_step *step, const double *v, double *R);
// step->point of laws that follow at the last evaluate.
void limpet_fem_points_take(limpet_fem_step *step);
// y += scale beta K x, K that of damping that is no slope of `energy`; with `point` where it is
// the tangent.
void limpet_fem_damping_add(const limpet_fem_step *step, double scale, const double *x, double *y);
// The part of H that stays during a step: mass, and stiffness at rest for all or for damping.
void limpet_fem_assemble_start(const limpet_fem_step *step, double *H);
// H at the last evaluate, by exact or projected K.
void limpet_fem_assemble(limpet_fem_step *step, bool projected);
/* H at the last evaluate of linear-corotated laws that follow, as if nothing were stressed: K with
 * the rotations there. It is positive definite. */
void limpet_fem_assemble_turned(limpet_fem_step *step);
/* limpet_fem_step_relinearise; `turned`: laws that follow with H as if nothing were stressed, thin
 * bodies with the stress seen from where forces were taken last. A stiff body that a linear step
 * turned by a is stretched by a^2/2 at v, and the tangent there is that of the stress which this
 * stands for; without it, H finds the way on. */
limpet_fem_outcome limpet_fem_relinearise(limpet_fem_step *step, const double *v, bool turned);
// The same with the H and the factor of another velocity.
void limpet_fem_relinearise_kept(limpet_fem_step *step, const double *v);
// Factor of H; false: not positive definite.
bool limpet_fem_factor(limpet_fem_step *step);
// x = 0 at fixed nodes; at nodes of sets, what forces on them do to the set.
void limpet_fem_clear_fixed(const limpet_fem_step *step, double *x);
/* limpet_fem_step_begin of a law that is not linear, which ends after one iteration of Newton's
 * method where |R| is at most `left` [N s] at the velocity of the start, and that lessens it: H is
 * that at this velocity, the free velocity that of the law as linear there. *ends: it was solved to
 * the end. */
limpet_fem_outcome limpet_fem_begin_near_start(limpet_fem_step *step, const limpet_fem_input *input,
                                               double left, bool *ends);
// The rest of that free motion.
limpet_fem_outcome limpet_fem_begin_end(limpet_fem_step *step);
/* Newton's method from v (in and out; step->free), for laws that are not linear. H and its factor
 * stay behind. */
limpet_fem_outcome limpet_fem_minimize(limpet_fem_step *step, double *v);
// limpet_fem_step_begin, whose H and factor may stay behind.
limpet_fem_outcome limpet_fem_begin(limpet_fem_step *step, const limpet_fem_input *input);
// The same after limpet_fem_step_take_start.
limpet_fem_outcome limpet_fem_begin_taken(limpet_fem_step *step);
/* limpet_fem_step_begin of bodies that are tied to others, of which the rest of the step judges
 * whether linear forces bring energy: where the start tells that they would (turn_start.c), laws
 * follow, taken at step->taken, and the free velocity is that of the law as linear there. */
limpet_fem_outcome limpet_fem_begin_turning(limpet_fem_step *step, const limpet_fem_input *input);
/* H at the free motion and its factor, where they stayed behind; false: not positive definite.
 * evaluated: the law was evaluated there last. */
bool limpet_fem_complete(limpet_fem_step *step, bool evaluated);
/* step->direction <- -H^-1 residual by the factor of an earlier H of the step, until |R + H d| is
 * at most aim [N s]; false: it is not, for less than a factorisation costs. Uses trial, position,
 * force. */
bool limpet_fem_iterate(limpet_fem_step *step, double aim);

/* Whether forces taken as linear bring energy to a step that ends with v (node_count x 3): see
 * follow.c, thin_follow.c. Uses trial, position, force, direction. */
bool limpet_fem_gains(limpet_fem_step *step, const double *v);
// [J]  what dampers take in a step that ends with v.
double limpet_fem_damped(limpet_fem_step *step, const double *v);
// [J]  what linear forces may bring of the energy of the motion about the centre. Uses trial,
// force.
double limpet_fem_passing(limpet_fem_step *step);
// From now to the end of the step forces are those at its end.
void limpet_fem_follow(limpet_fem_step *step);
bool limpet_fem_follows(const limpet_fem_step *step);
// limpet_fem_step_begin, where linear forces bring energy with those at the end of the step.
limpet_fem_outcome limpet_fem_begin_or_follow(limpet_fem_step *step, const limpet_fem_input *input);
/* The same of what contacts press, where |R| is at most `left` [N s] at the velocity of the start:
 * without them a body springs far from where it ends. Of solids whose law is linear forces stay so;
 * other laws end near the start (limpet_fem_begin_near_start). *ends: nothing is left for
 * limpet_fem_end_pressed. */
limpet_fem_outcome limpet_fem_begin_pressed(limpet_fem_step *step, const limpet_fem_input *input,
                                            double left, bool *ends);
// The rest of that free motion.
limpet_fem_outcome limpet_fem_end_pressed(limpet_fem_step *step);

// Shells, ropes and gas of a step: thin_step.c. Each does nothing where the body has none.
limpet_status limpet_fem_thin_create(limpet_fem_step *step);
// Forces and stiffness at the start of the step.
void limpet_fem_thin_begin(limpet_fem_step *step);
// f += forces at positions x, and damping at v
void limpet_fem_thin_force(limpet_fem_step *step, const double *x, const double *v, double *f);
// limpet_fem_gains, limpet_fem_follow and limpet_fem_follows of thin bodies.
bool limpet_fem_thin_gains(limpet_fem_step *step, const double *v);
/* Whether a step in free flight may end with v (node_count x 3), turned to keep its angular
 * momentum: thin bodies that go far may gain no energy by that. Uses trial, position, force. */
bool limpet_fem_thin_may_turn(limpet_fem_step *step, const double *v);
void limpet_fem_thin_follow(limpet_fem_step *step);
/* [J]  where they follow, what R(v) is the slope of by v. Uses trial, position, force. */
double limpet_fem_thin_objective(limpet_fem_step *step, const double *v);
/* The free motion with such forces, by Newton's method from step->free, which receives it. After a
 * begin with backward Euler. */
limpet_fem_outcome limpet_fem_thin_settle(limpet_fem_step *step);
bool limpet_fem_thin_follows(const limpet_fem_step *step);
/* Their stiffness at v, where they follow: whole, or without compression; of the stress there, or
 * of that seen from where forces were taken last (thin.h). */
void limpet_fem_thin_stiffness_at(limpet_fem_step *step, const double *v, bool whole, bool seen);
// Forces were taken last at v.
void limpet_fem_thin_went(limpet_fem_step *step, const double *v);
// H += their share, but for that of gas
void limpet_fem_thin_assemble(const limpet_fem_step *step, double *H);
// After a factorisation: what solves need of the gas.
void limpet_fem_gas_prepare(limpet_fem_step *step);
// y += the gas's part of H x
void limpet_fem_gas_multiply(const limpet_fem_step *step, const double *x, double *y);
// W, a part of H^-1 without gas, becomes that with it.
void limpet_fem_gas_condense(const limpet_fem_step *step, int count, const int *nodes, double *W);
// x = H^-1 x by the factor; fixed nodes: x is kept. With sets T (T' H T)^-1 T' (rigid_set.c).
void limpet_fem_solve(const limpet_fem_step *step, double *x);
// The same, gas included.
void limpet_fem_back_solve(const limpet_fem_step *step, double *x);

// Nodes that are not fixed.
int limpet_fem_free_count(const limpet_fem_step *step);
// Multiply-adds of a factorisation of H.
double limpet_fem_factor_cost(const limpet_fem_step *step);
/* limpet_fem_step_condense, which hands out only the diagonal of A^-1 (3 count); NULL: not wanted.
 */
limpet_status limpet_fem_step_condense_diagonal(limpet_fem_step *step, int count, const int *nodes,
                                                double *A, int lda, double *diagonal);
/* What condense does, where `nodes` are all that are not fixed and there is no gas: A is then H,
 * and is not handed out. inverse (node_count x 3): the diagonal of H^-1, fixed nodes 1; NULL: not
 * wanted. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_fem_step_take_whole(limpet_fem_step *step, int count, const int *nodes,
                                         double *inverse);
limpet_status limpet_fem_condensed_create(limpet_fem_step *step);
void limpet_fem_condensed_destroy(limpet_fem_step *step);

#endif
