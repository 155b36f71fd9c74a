/* control/ik.h: workspace and parts of inverse kinematics. */
#ifndef LIMPET_CONTROL_IK_H
#define LIMPET_CONTROL_IK_H

#include "limpet/control.h"

// n joints, m = 6 x tasks rows: for each task [rotation; position], weighted
struct limpet_ik {
  const limpet_model *model;
  limpet_data *data;  // a world of its own
  int n, task_limit;
  int *q, *v;             // (n)  first coordinate, first velocity
  double *lower, *upper;  // (n)  [m, rad]
  bool *fixed;            // (n)  at a limit, and wants to go beyond
  double *body_jacobian;  // (6 x nv)
  double *axis;           // (tasks x 3 x n)  rotation axes of the joints in W, 0 of prismatic ones
  double *J;              // (m x n)
  double *r, *r_trial;    // (m)  weighted errors
  double *H;              // (n x n)  J'J + mu
  double *G;              // (m x m)  J J' + epsilon
  double *y;              // (m)
  double *g, *step;       // (n)  J'r; step
  double *trial, *best, *start, *draw;    // (n)
  double position_error, rotation_error;  // [m], [rad]  of the last evaluation
};

// Pose of the frame of a task. After limpet_kinematics.
void limpet_ik_frame(const limpet_model *model, const limpet_data *data, const limpet_ik_task *task,
                     limpet_pose *pose);
// 1/2 |r|^2 at q, with r; leaves the world there.
double limpet_ik_cost(limpet_ik *ik, int task_count, const limpet_ik_task *task, const double *q,
                      double *r);
// J where the world is.
void limpet_ik_jacobian(limpet_ik *ik, int task_count, const limpet_ik_task *task);
// Entry (i, j) of what the change of J adds to J'J, negative, with r and J of the last calls.
double limpet_ik_curvature(const limpet_ik *ik, int task_count, int i, int j);

#endif
