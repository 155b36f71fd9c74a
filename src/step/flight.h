/* step/flight.h: free flight: trees that nothing from outside holds keep their momentum, and move
 * to second order. docs/theory/free-flight.md derives what is done here. */
#ifndef LIMPET_STEP_FLIGHT_H
#define LIMPET_STEP_FLIGHT_H

#include "collide/collide.h"
#include "dynamics/flown.h"
#include "dynamics/tree.h"
#include "math/pairs.h"
#include "math/vec3.h"
#include "step/prepared.h"

// Momentum of a tree over a step: m c' = p, p' = F, L' = T.
typedef struct limpet_flight_balance {
  double share;   // [-]  of the way from the plain scheme to flight: 1 but where driven
  bool bounded;   // the plain scheme, as no part of the step was short enough: flight_motion.c
  bool looks;     // it flies, or is fast at the start: its end may be looked at in other poses
  bool kept;      // the tree floats, and nothing but F and T changes its momentum
  bool implicit;  // A may not be M
  bool braked;    // joints are damped: flight.brake
  double excess;  // [-]  what its end took back, over the energy of its joints apart: brake.h
  double turned;  // [rad]  farthest turn of a joint in attempts of the step that were looked at
  bool armed;     // joints or tendons have armature
  bool alone;     // kept, and it is one body with what is welded to it
  int renewals;   // of u in the last part of the step; -1: it was not met
  double held;    // limpet_data.tree_held at its end: flight_end.c
  double error;   // [-]  of its kinetic energy, that it gained at its end; 0: it was held
  int turns;      // how often its end found the mean velocity of the first joint; 0: it did not
  bool follows;   // its end gave the first joint what joints that impulses moved leave it
  limpet_tree_momentum start;  // at the start of the step, but for its inertia
  double F[3], T[3];  // [N], [N m]  W  from outside, T about the centre of mass at the start
  // of a body alone, with all that is welded to it, in its axes: centre of mass [m], inertia about
  // it [kg m^2]
  double centre[3], inertia[9];
  bool stays;  // M and bias are those of the start
  // (limpet_positive_work)  of A, with which v* was found; NULL: it was found without one
  double *factor;
  // [m/s]  of a tree that is centred: what v* of the middle gives its centre of mass in that pose;
  // of one that was held without forces on its first joint
  double middle[3];
} limpet_flight_balance;

#define LIMPET_FLIGHT_FAR_TURN 0.3      // [rad]  of a joint in a step: loops do not know its end
#define LIMPET_FLIGHT_HELD_OUTSIDE 2.0  // of limpet_data.tree_held
#define LIMPET_FLIGHT_LARGEST_TURN 0.1  // [rad]  of a joint in h: above it the step is divided
// [m, rad]  way of a tree that is held, in h: below it q_m is q0; far below misses that are renewed
#define LIMPET_FLIGHT_STILL_WAY 1e-8

// What the end of the step takes back: bits of limpet_flight.branch below the number of parts.
enum {
  LIMPET_FLIGHT_SLOWED = 1,  // joints are slowed down by what the tree gained
  LIMPET_FLIGHT_STIFF = 2,   // it flies on as one rigid body
  LIMPET_FLIGHT_BLIND = 4,   // work of impulses on its loops counts as gained
  LIMPET_FLIGHT_BRAKED = 8,  // its joints are damped: brake.h
  LIMPET_FLIGHT_RULES = 16
};

// Arrays in the step memory.
typedef struct limpet_flight {
  double *q;     // (nq)  positions at the end of the step if nothing is held; of bodies alone: turn
  double *mean;  // (nv)  mean velocity of the step if nothing is held
  // (nv)  angular velocity of bodies alone after that turn, before T acts again; of trees with
  // impulses within them the mean velocity of the first joint that the end of the step found
  double *end;
  // (tree_count)  by which rules a tree moved, as a number: parts of the step, and what the end of
  // the step took back. Where it changes, results jump or bend
  int *branch;
  double *brake;           // (nv)  [kg, kg m^2]  dt times damping that A has besides: brake.h
  double *force;           // (nv)  what acts but gravity, gyration and implicit forces
  double *implicit;        // (mass_size)  A - M; NULL: zero
  bool implicit_diagonal;  // of which the diagonals alone are written
  limpet_flight_balance *balance;  // (tree_count)
  // the world elsewhere: in the middle of the step, then at its end; itself where no tree needs
  // that
  limpet_data other;
  // where workspace.derivatives_follow: the end of the step looks at `spare`, which is `other`
  // then, and the middle stays, but for v
  limpet_data middle, spare;
  bool has_spare, has_middle;
  // where trees that float are counts, and rates of axes, which have no part in their M and bias:
  // for the armature of spatial tendons, and for what derivatives look at
  bool places;
  double *posed_q;  // (nq)  positions of the trees that were looked at at the end
  bool *posed;      // (tree_count)  which those are
  // (tree_count)  whose centre of mass goes straight in contact: bodies alone, flight_body.c, and
  // trees that something may touch, flight_centre.c
  bool *centred;
  double *centre;       // (nv x 3)  N of such trees
  double *bend;         // (tree_count x 3)  [m/s^2]  a_c of all trees; zero where they are not such
  limpet_flown *flown;  // (tree_count)  how bodies that loops hold will move; NULL: no loops
} limpet_flight;

typedef enum limpet_flight_stage { LIMPET_FLIGHT_MOTION, LIMPET_FLIGHT_ENDING } limpet_flight_stage;

/* Mean velocities of a tree are renewed where they miss by more than an angle, and then until
 * they meet a smaller one. That jumps, so differences hold what the step did
 * (workspace.h). _allowed: by how much [rad] one may miss at first, `missed` and `met` being those
 * angles; _renewed: that it was renewed, or not. */
double limpet_flight_allowed(const limpet_data *data, int tree, limpet_flight_stage stage,
                             double missed, double met);
void limpet_flight_renewed(const limpet_data *data, int tree, limpet_flight_stage stage,
                           bool renewed);
/* Before a tree flies: rules that its step does not come to are those of exact velocities, in one
 * part, whatever the step before did. */
void limpet_flight_begin_rules(const limpet_data *data, int tree);

/* What is left of a mean velocity's error where renewals missed it by `last` and by `now`: the next
 * miss, if errors go on to fall so. last 0: there was no renewal yet. */
static inline double limpet_flight_left(double now, double last) {
  return now < last ? now * (now / last) : now;
}

// Poses in which the look at the end of the last step left trees.
static inline limpet_known_poses limpet_flight_poses(const limpet_flight *flight) {
  return (limpet_known_poses){&flight->other, flight->posed_q, flight->posed};
}

// After limpet_velocity_kinematics, and where balance->implicit is known. force (nv): as
// limpet_flight.force.
void limpet_flight_balance_make(const limpet_model *model, const limpet_data *data, int tree,
                                const double *force, limpet_flight_balance *balance);
// What the momentum is after a time t [s].
static inline void limpet_flight_balance_at(const limpet_flight_balance *balance, double t,
                                            double linear[3], double angular[3]) {
  limpet_vec3_addmul(linear, balance->start.linear, t, balance->F);
  limpet_vec3_addmul(angular, balance->start.angular, t, balance->T);
}

/* What it is at the end of a step of dt [s] with the impulses P (6) on the free joint. data: the
 * world at its start. */
void limpet_flight_balance_end(const limpet_data *data, int tree,
                               const limpet_flight_balance *balance, double dt, const double *P,
                               double linear[3], double angular[3]);
// Where the centre of mass is then [m], W.
void limpet_flight_balance_com(const limpet_flight_balance *balance, double t, double com[3]);

/* How many velocities from `dof` on turn as one: 3 where the rotations of a free or ball joint
 * begin, 1 of a hinge, 0: dof is none of them, or not the first. Their norm depends on no axes. */
static inline int limpet_flight_turning(const limpet_model *model, int dof) {
  const int joint = model->dof_joint[dof];
  const limpet_joint_kind kind = model->joint_kind[joint];
  if (kind == LIMPET_JOINT_REVOLUTE || kind == LIMPET_JOINT_SCREW) return 1;
  const int at = dof - model->joint_v[joint];
  if (kind == LIMPET_JOINT_FREE) return at == 3 ? 3 : 0;
  return kind == LIMPET_JOINT_BALL && at == 0 ? 3 : 0;
}
/* Inertia of velocity i of a tree that moves alone [kg, kg m^2], without what brakes it: of a ball
 * joint the mean of three, which depends on no axes. */
double limpet_flight_alone_inertia(const limpet_model *model, const limpet_free_motion *motion,
                                   int tree, int i);
// [rad/s]  The fastest joint of the velocities v (nv) in this range.
double limpet_flight_fastest(const limpet_model *model, const double *v, limpet_range dofs);
// Whether surely none is faster than a limit [rad/s]: all of them together are not.
static inline bool limpet_flight_is_slow(const double *v, limpet_range dofs, double limit) {
  return limpet_pairs_square(dofs.end - dofs.first, v + dofs.first) <= 0.999 * limit * limit;
}
/* Share of a tree that is fixed to the world and driven by actuators, 0 to 1: M and bias are taken
 * at q0 (+) dt/2 share u. slope (n), NULL: not wanted: its derivative by v [s/rad]. */
double limpet_flight_share(const limpet_model *model, const limpet_data *data, int tree, double dt,
                           double *slope);
/* Shares, 1 so far, of trees that are fixed to the world and have actuators: what a controller
 * computes from M and bias at the start of the step is what happens, as long as nothing turns fast.
 * LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_flight_find_shares(const limpet_model *model, const limpet_data *data,
                                        double dt, limpet_arena *arena,
                                        limpet_flight_balance *balance);
// Whether a tree is one body that floats: flight_body.c.
static inline bool limpet_flight_alone(const limpet_flight *flight, int tree) {
  return flight->balance[tree].alone;
}
/* flight_ahead.c: how bodies alone that loops hold are expected to move in the step, and such a
 * body that impulses leave the angular velocity w [rad/s], body axes. LIMPET_OK or
 * LIMPET_ERROR_MEMORY.
 */
limpet_status limpet_flight_look_ahead(const limpet_data *data, limpet_trees trees, double dt,
                                       limpet_arena *arena, limpet_flight *flight);
void limpet_flight_expect(const limpet_data *data, int tree, double dt,
                          const limpet_flight_balance *balance, const double w[3],
                          limpet_flown *flown);
/* [rad]  By what angle such a body turns elsewhere in the step than was expected, with the
 * velocities v (nv) that were solved for, to second order. */
double limpet_flight_missed(const limpet_data *data, int tree, double dt, const limpet_flown *flown,
                            const double *v);
// Whether the end of the last attempt took from what the tree gained.
bool limpet_flight_is_bounded(const limpet_flight *flight, int tree);
// N (n x 3), at the pose of data; of a tree with a mass.
limpet_status limpet_flight_centre_rows(const limpet_model *model, const limpet_data *data,
                                        int tree, limpet_arena *arena, double *N);
/* The problem of a tree of several bodies belongs to its centre of mass from here on. _touched: of
 * trees in contact, and of those that loops hold from outside or tendons join to others; _like: of
 * those that are centred in another motion of the same trees. After limpet_flight_motion. LIMPET_OK
 * or LIMPET_ERROR_MEMORY.
 */
limpet_status limpet_flight_centre_touched(const limpet_model *model, const limpet_data *data,
                                           double dt, const limpet_collision *collision,
                                           limpet_arena *arena, limpet_free_motion *motion);
limpet_status limpet_flight_centre_like(const limpet_model *model, const limpet_data *data,
                                        double dt, const limpet_free_motion *like,
                                        limpet_arena *arena, limpet_free_motion *motion);
// In how many parts a tree took the step: what jumps where it changes.
int limpet_flight_parts(const limpet_flight *flight, int tree);
// Whether a loop ends on a body of the tree.
bool limpet_flight_closes_loop(const limpet_model *model, int tree);
// A, A v*, v* and the velocity at the end without impulses. False: its M is not positive definite.
bool limpet_flight_body_fly(const limpet_model *model, limpet_data *data, int tree, double dt,
                            limpet_free_motion *motion);
/* Velocity and pose of a body with a mass at the end of the step, in v and q of `end`: _free:
 * without impulses; now: its com, linear, angular and energy then. _held: from what was solved for,
 * which v holds. */
void limpet_flight_body_free(const limpet_data *data, int tree, double dt,
                             const limpet_free_motion *motion, limpet_data *end,
                             limpet_tree_momentum *now);
void limpet_flight_body_held(const limpet_data *data, int tree, double dt,
                             const limpet_free_motion *motion, limpet_data *end);
// Centre of mass of a body alone [m], in its axes; data: at the start of the step.
void limpet_flight_body_centre(const limpet_model *model, const limpet_data *data,
                               const limpet_flight_balance *balance, int tree, double c[3]);
/* [J]  Work of what acts from outside but weight on a body without impulses, whose velocity and
 * pose at the end are v (nv), q (nq). */
double limpet_flight_body_work(const limpet_model *model, const limpet_data *data, int tree,
                               double dt, const limpet_free_motion *motion, const double *v,
                               const double *q);
// [N m s], W  Angular momentum about its centre of mass that it has then.
void limpet_flight_body_due(const limpet_model *model, const limpet_data *data, int tree, double dt,
                            const limpet_free_motion *motion, const double *q, double angular[3]);
/* How a body without impulses and torques turns in a step of `count` parts (gyration.h): w [rad/s]
 * becomes that at its end, turn the quaternion behind its rotation. I [kg m^2]: about the centre of
 * mass; all in body axes. */
void limpet_flight_body_turn(const double I[9], double dt, int count, double w[3], double turn[4]);
// Takes motion->flight, with shares and what is implicit. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_flight_open(const limpet_data *data, const limpet_step_settings *settings,
                                 limpet_arena *arena, limpet_free_motion *motion);
// Takes flight->other and `spare`. After limpet_flight_balance_make of trees. Likewise.
limpet_status limpet_flight_take_worlds(const limpet_data *data, limpet_arena *arena,
                                        const limpet_free_motion *motion);
/* The free motion of the scheme `discrete` with settings.compatibility.plain_flight false: A, A v*
 * and v* with M and bias at the middle of the step, and the positions that go with v*. As
 * limpet_free_motion_compute. */
limpet_outcome limpet_flight_motion(const limpet_model *model, limpet_data *data,
                                    const limpet_step_settings *settings, limpet_trees trees,
                                    limpet_arena *arena, limpet_free_motion *motion);

/* The end of a step that was solved: q, v and held of the solution; v holds what was solved for
 * already. Fills info->flight_error. */
limpet_status limpet_flight_end(const limpet_data *data, const limpet_step_settings *settings,
                                limpet_arena *arena, const limpet_free_motion *motion,
                                limpet_step_solution *solution, limpet_step_info *info);

#endif
