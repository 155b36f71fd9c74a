/* scenes/support/inverse_kinematics.h: joint angles for the pose of a hand, for the scripts that
 * make trajectories of scenes and tests. */
#ifndef LIMPET_SCENES_INVERSE_KINEMATICS_H
#define LIMPET_SCENES_INVERSE_KINEMATICS_H

#include "limpet/dynamics.h"

enum { REACH_JOINTS = 8 };

typedef struct reach {
  const limpet_model *model;
  limpet_data *data;  // scratch: q of the joints is changed
  int body;           // whose pose is wanted
  int joint_count;
  int q[REACH_JOINTS], v[REACH_JOINTS];
} reach;

// Joints and body by name; 0, or 1 if one is missing. `data` holds the pose of everything else.
int reach_find(reach *r, const limpet_model *model, limpet_data *data, const char *body, int joint_count,
               const char *const *joints);

/* Angles (joint_count), from those given, that bring the body's origin to `position` [m, W] and its axes to
 * the rotation matrix `axes`. Damped least squares: dq = J' (J J' + lambda^2 I)^-1 e. Returns what is left
 * of the error [m and rad, as one norm]. */
double reach_pose(reach *r, const double position[3], const double axes[9], double *angles);

#endif
