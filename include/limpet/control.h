/* limpet/control.h: trajectories, inverse kinematics, inverse dynamics, and controllers made of
 * them. Floor 9.
 *
 * Joints here have one coordinate (prismatic, revolute); arrays over chosen joints are in the order
 * in which they were chosen. W is the world frame; spatial vectors are [angular; linear] in world
 * axes. What is created is freed by its `destroy`, which takes NULL too; nothing else allocates.
 * docs/control.md shows the JSON of controllers and derives the laws. */
#ifndef LIMPET_CONTROL_H
#define LIMPET_CONTROL_H

#include "limpet/data.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------ joint trajectories

typedef struct limpet_trajectory limpet_trajectory;  // coordinates of some joints over time

/* q_i(t) = offset_i + amplitude_i sin(2 pi frequency_i t + phase_i); arrays (count) in [m, rad],
 * the same, [Hz], [rad]. NULL without memory, as the others. */
LIMPET_API limpet_trajectory *limpet_trajectory_sinusoid(int count, const double *offset,
                                                         const double *amplitude,
                                                         const double *frequency,
                                                         const double *phase, limpet_error *error);
/* Through the points position (point_count x count) [m, rad] at the strictly growing times time
 * (point_count) [s], with the velocities (point_count x count) [m/s, rad/s] there, NULL: at rest.
 * Cubic in each interval, or quintic with zero acceleration at the points. Before the first and
 * after the last point it rests there. */
LIMPET_API limpet_trajectory *limpet_trajectory_cubic(int count, int point_count,
                                                      const double *time, const double *position,
                                                      const double *velocity, limpet_error *error);
LIMPET_API limpet_trajectory *limpet_trajectory_quintic(int count, int point_count,
                                                        const double *time, const double *position,
                                                        const double *velocity,
                                                        limpet_error *error);
/* From rest at `from` to rest at `to` (count) [m, rad], beginning at start_time [s]: all joints
 * together, as fast as the speeds speed (count) [m/s, rad/s] and accelerations acceleration (count)
 * [m/s^2, rad/s^2] allow: constant acceleration, constant speed, constant deceleration. */
LIMPET_API limpet_trajectory *limpet_trajectory_trapezoid(int count, double start_time,
                                                          const double *from, const double *to,
                                                          const double *speed,
                                                          const double *acceleration,
                                                          limpet_error *error);
LIMPET_API void limpet_trajectory_destroy(limpet_trajectory *trajectory);
// Number of joints; when it comes to rest [s], INFINITY: never.
LIMPET_API int limpet_trajectory_count(const limpet_trajectory *trajectory);
LIMPET_API double limpet_trajectory_end(const limpet_trajectory *trajectory);
// Position, velocity, acceleration at `time` [s]; (count) each, in m or rad and per second.
LIMPET_API void limpet_trajectory_at(const limpet_trajectory *trajectory, double time, double *q,
                                     double *v, double *a);

// ---------------------------------------------------------------------------- Cartesian paths

typedef struct limpet_pose {
  double position[3];    // [m]  W
  double quaternion[4];  // (w, x, y, z)  axes of the body or site to W
} limpet_pose;

typedef struct limpet_path limpet_path;  // a pose over time

/* From pose to pose along straight lines, turning about one axis at a rate in proportion (slerp,
 * the shorter way), at rest at the strictly growing times time (point_count) [s]. The time law of
 * each piece is s = 10 x^3 - 15 x^4 + 6 x^5, x in [0, 1]. */
LIMPET_API limpet_path *limpet_path_line(int point_count, const double *time,
                                         const limpet_pose *pose, limpet_error *error);
/* From `start` on a circle about the line through centre [m, W] along axis (not zero), by `angle`
 * [rad], between two times [s], at rest at both ends by the same time law. `turning`: the
 * orientation turns too. */
LIMPET_API limpet_path *limpet_path_circle(const limpet_pose *start, const double centre[3],
                                           const double axis[3], double angle, double start_time,
                                           double end_time, bool turning, limpet_error *error);
LIMPET_API void limpet_path_destroy(limpet_path *path);
LIMPET_API double limpet_path_start(const limpet_path *path);  // [s]
LIMPET_API double limpet_path_end(const limpet_path *path);    // [s]
// velocity [rad/s; m/s] and acceleration [rad/s^2; m/s^2] of the frame, in W.
LIMPET_API void limpet_path_at(const limpet_path *path, double time, limpet_pose *pose,
                               double velocity[6], double acceleration[6]);

// ------------------------------------------------------------------------- inverse kinematics

// A frame that is to be brought to a pose: that of a body or site, moved to `point`.
typedef struct limpet_ik_task {
  limpet_object object;    // LIMPET_OBJECT_BODY or LIMPET_OBJECT_SITE
  int index;               // which one
  double point[3];         // [m]  in the frame of the body or site
  limpet_pose target;      // W
  double position_weight;  // [-]  of the error in metres; 0: the position is free
  double rotation_weight;  // [m/rad]  of the error in radians; 0: the orientation is free
} limpet_ik_task;

// Both weights 1; the target is the world's frame.
LIMPET_API limpet_ik_task limpet_ik_task_default(limpet_object object, int index);

typedef enum limpet_ik_outcome {
  LIMPET_IK_SOLVED,            // all errors within the tolerances
  LIMPET_IK_NEAREST,           // out of reach: no small motion within the limits brings it nearer
  LIMPET_IK_ITERATION_LIMIT,   // neither
  LIMPET_IK_NUMERICAL_FAILURE  // a target or a start that is not finite
} limpet_ik_outcome;

LIMPET_API const char *limpet_ik_outcome_word(limpet_ik_outcome outcome);

typedef struct limpet_ik_settings {
  double position_tolerance;  // [m]  1e-10
  double rotation_tolerance;  // [rad]  1e-10
  int iteration_limit;        // of each start; 200
  int restart_limit;      // further starts over the joints' ranges, where the first one fails; 0
  double largest_step;    // [m, rad]  of a joint in an iteration; 0.5
  const double *posture;  // (joint_count)  [m, rad]  for what the tasks leave free; NULL: none
} limpet_ik_settings;

LIMPET_API limpet_ik_settings limpet_ik_settings_default(void);

typedef struct limpet_ik_info {
  limpet_ik_outcome outcome;
  int iterations, restarts;  // of all starts; further starts that were made
  double position_error;     // [m]  largest of a task with a position_weight
  double rotation_error;     // [rad]  likewise
} limpet_ik_info;

typedef struct limpet_ik limpet_ik;  // workspace for some joints of a model, and a number of tasks

// NULL, with the error, when a joint has not one coordinate, is named twice, or there is no memory.
LIMPET_API limpet_ik *limpet_ik_create(const limpet_model *model, int joint_count, const int *joint,
                                       int task_limit, limpet_error *error);
LIMPET_API void limpet_ik_destroy(limpet_ik *ik);
/* Joint coordinates q (joint_count) [m, rad], from those given, that minimise sum |position_weight
 * * position error|^2 + |rotation_weight * rotation vector|^2 over the tasks, within the joint
 * ranges (a start outside is moved inside). `data` gives the pose of everything else and is not
 * changed. The result is the best that was found, whatever the outcome. */
LIMPET_API limpet_ik_outcome limpet_ik_solve(limpet_ik *ik, const limpet_data *data, int task_count,
                                             const limpet_ik_task *task,
                                             const limpet_ik_settings *settings, double *q,
                                             limpet_ik_info *info);

// --------------------------------------------------------------------------- inverse dynamics

// Workspace for some joints of a model.
typedef struct limpet_inverse_dynamics limpet_inverse_dynamics;

// NULL, with the error, as limpet_ik_create.
LIMPET_API limpet_inverse_dynamics *limpet_inverse_dynamics_create(const limpet_model *model,
                                                                   int joint_count,
                                                                   const int *joint,
                                                                   limpet_error *error);
LIMPET_API void limpet_inverse_dynamics_destroy(limpet_inverse_dynamics *dynamics);
/* Forces tau (joint_count) [N, N m] of actuators that give the chosen joints the accelerations a
 * (joint_count) at the coordinates q and velocities v (joint_count; NULL: those of `data`),
 * everything else being as in `data`, which is not changed. Gravity, springs, dampers and dry
 * friction (at `friction_velocity` (joint_count), NULL: none) are overcome; contacts, limits and
 * constraints are ignored. Other joints that no actuator, coupler or loop moves swing freely, with
 * the acceleration that follows. All remaining joints, and free joints, keep their velocity. */
LIMPET_API void limpet_inverse_dynamics_forces(limpet_inverse_dynamics *dynamics,
                                               const limpet_data *data, const double *q,
                                               const double *v, const double *a,
                                               const double *friction_velocity, double *tau);

/* The actuator that moves a joint with one coordinate alone and is commanded without a state of its
 * own, so that its force follows from its control: a motor, a position or velocity servo.
 * LIMPET_NONE, with the error, where there is none or more than one. */
LIMPET_API int limpet_joint_actuator(const limpet_model *model, int joint, limpet_error *error);
/* Unit of an actuator's control: "rad" or "m" of a position servo, "rad/s" or "m/s" of a velocity
 * servo, "N m" or "N" of a motor of gain 1; "1" where the control is a number whose meaning only
 * the file knows. */
LIMPET_API const char *limpet_control_unit(const limpet_model *model, int actuator);
/* Control with which that actuator exerts `tau` [N, N m] on its joint when the joint's coordinate
 * and velocity are q [m, rad] and v at the end of the step. Returns false when a range of joint,
 * force or control stands against it: the control is then the nearest. */
LIMPET_API bool limpet_actuator_command(const limpet_model *model, int actuator, double q, double v,
                                        double tau, double *control);

// -------------------------------------------------------------------------------- controllers

typedef struct limpet_controller limpet_controller;

typedef struct limpet_controller_info {
  int64_t updates;          // since create or reset
  int64_t saturated_count;  // updates in which some actuator or joint could not give what was asked
  int64_t unreached_count;  // updates in which inverse kinematics did not reach the path
  double tracking_error;    // [m, rad]  largest |q_wanted - q| of a joint at the last update
  double tracking_worst;    // [m, rad]  the same, since create or reset
} limpet_controller_info;

/* A controller from a JSON text as docs/control.md describes it. `file` (may be NULL) names it in
 * messages, which say file, line, and the place in the JSON. NULL on failure. The model must
 * outlive it. */
LIMPET_API limpet_controller *limpet_controller_create(const limpet_model *model, const char *text,
                                                       const char *file, limpet_error *error);
LIMPET_API void limpet_controller_destroy(limpet_controller *controller);
// Forgets what it kept from update to update (where inverse kinematics starts, counts).
LIMPET_API void limpet_controller_reset(limpet_controller *controller);
/* Before each step, of length time_step [s]: reads time, q, v, mocap poses; writes data->control of
 * its actuators or data->applied_force of its joints, and nothing else. Allocates nothing. */
LIMPET_API void limpet_controller_update(limpet_controller *controller, const limpet_model *model,
                                         limpet_data *data, double time_step);
// Whether it writes that control; whether it applies forces to joints.
LIMPET_API bool limpet_controller_drives(const limpet_controller *controller, int actuator);
LIMPET_API bool limpet_controller_pushes(const limpet_controller *controller);
LIMPET_API limpet_controller_info limpet_controller_report(const limpet_controller *controller);
// The table of kinds, ended by NULL.
typedef struct limpet_controller_kind limpet_controller_kind;
LIMPET_API const limpet_controller_kind *const *limpet_controller_kinds(void);
LIMPET_API const limpet_descriptor *limpet_controller_kind_descriptor(
    const limpet_controller_kind *kind);

#ifdef __cplusplus
}
#endif
#endif
