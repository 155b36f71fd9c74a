/* control/drive.h: makes chosen joints follow a wanted motion: computed torque, or commands to
 * position servos. */
#ifndef LIMPET_CONTROL_DRIVE_H
#define LIMPET_CONTROL_DRIVE_H

#include "control/json.h"
#include "limpet/control.h"

typedef enum limpet_drive_law {
  LIMPET_DRIVE_INVERSE_DYNAMICS,  // tau = ID(q, v, a_d + kd (v_d - v) + kp (q_d - q))
  LIMPET_DRIVE_FEED_FORWARD,      // tau = ID(q_d, v_d, a_d) + kp (q_d - q) + kd (v_d - v)
  LIMPET_DRIVE_POSITION           // control of position servos
} limpet_drive_law;

typedef struct limpet_drive {
  limpet_drive_law law;
  bool joint_force;  // data->applied_force, not actuators
  bool lead;         // servos get the forces of the wanted motion on top
  bool friction;     // dry friction at the wanted velocity is overcome
  int n;
  int *joint, *q, *v,
      *actuator;    // (n)  joint, first coordinate and velocity, actuator or LIMPET_NONE
  double *kp, *kd;  // (n)  [1/s^2], [1/s]; feed-forward: [N/m, N m/rad], and times s
  double *wanted_q, *wanted_v,
      *wanted_a;    // (n)  the wanted motion at the time that limpet_drive_time says
  double *a, *tau;  // (n)
  limpet_inverse_dynamics *dynamics;
} limpet_drive;

// What an update has to tell.
typedef struct limpet_update {
  bool saturated, unreached;
  double error;  // [m, rad]  largest of a joint
} limpet_update;

/* "joints" of the object; then, for torque laws, "apply", "law", "friction" and the gains; for
 * servos, "feed_forward". False with the error; limpet_drive_release in any case. */
bool limpet_drive_read(limpet_drive *drive, const limpet_model *model, const limpet_json *object,
                       bool position);
void limpet_drive_release(limpet_drive *drive);
// The keys that limpet_drive_read knows for each case.
#define LIMPET_DRIVE_TORQUE_KEYS \
  "apply", "law", "friction", "natural_frequency", "damping_ratio", "kp", "kd"
#define LIMPET_DRIVE_POSITION_KEYS "feed_forward", "friction"

// When the wanted motion is to be looked up for a step from `time`: a torque acts from its start, a
// servo is taken at its end.
double limpet_drive_time(const limpet_drive *drive, double time, double time_step);
// Writes the controls or applied forces of the drive's joints.
void limpet_drive_follow(limpet_drive *drive, const limpet_model *model, limpet_data *data,
                         double time_step, limpet_update *update);

// The object that a text names; false with the error, and a suggestion, when there is none of that
// name.
bool limpet_json_find(const limpet_json *name, const limpet_model *model, limpet_object object,
                      int *index);

#endif
