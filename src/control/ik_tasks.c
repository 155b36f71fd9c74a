/* control/ik_tasks.c: errors of the tasks of inverse kinematics, their Jacobian, and what its
 * change adds to the Hessian.
 *
 *   r = [wr log(R_target R'); wp (p_target - p)],   dr = -J dq,  J = [wr J_angular; wp J_linear]
 *                                                   (6 rows for each task)
 * J_angular is exact in J'r: the derivative of the rotation vector leaves the vector itself
 * unchanged. Hessian of 1/2 |r|^2 = J'J - C: column j of J turns with each joint i before it,
 * dJ_j/dq_i = z_i x J_j, so C_ij = r . (z_i x J_j). For the linear part C is symmetric; for the
 * angular part its symmetric half is taken. */
#include <math.h>
#include <string.h>

#include "control/ik.h"
#include "limpet/dynamics.h"
#include "math/quaternion.h"

void limpet_ik_frame(const limpet_model *model, const limpet_data *data, const limpet_ik_task *task,
                     limpet_pose *pose) {
  double local[3];
  int body = task->index;
  limpet_vec3_copy(local, task->point);
  if (task->object == LIMPET_OBJECT_SITE) {
    body = model->site_body[task->index];
    limpet_quaternion_rotate(local, model->site_quaternion + 4 * task->index, task->point);
    limpet_vec3_add(local, local, model->site_position + 3 * task->index);
    limpet_quaternion_mul(pose->quaternion, data->body_quaternion + 4 * body,
                          model->site_quaternion + 4 * task->index);
  } else {
    limpet_quaternion_copy(pose->quaternion, data->body_quaternion + 4 * body);
  }
  limpet_mat3_mul_vec(pose->position, data->body_rotation + 9 * body, local);
  limpet_vec3_add(pose->position, pose->position, data->body_position + 3 * body);
}

double limpet_ik_cost(limpet_ik *ik, int task_count, const limpet_ik_task *task, const double *q,
                      double *r) {
  double cost = 0.0;
  for (int i = 0; i < ik->n; ++i) ik->data->q[ik->q[i]] = q[i];
  limpet_kinematics(ik->model, ik->data);
  ik->position_error = ik->rotation_error = 0.0;
  for (int t = 0; t < task_count; ++t) {
    limpet_pose pose;
    double back[4], turn[4], *e = r + 6 * t;
    limpet_ik_frame(ik->model, ik->data, &task[t], &pose);
    limpet_quaternion_conjugate(back, pose.quaternion);
    limpet_quaternion_mul(turn, task[t].target.quaternion, back);
    limpet_quaternion_normalize(turn);
    limpet_quaternion_log(e, turn);
    limpet_vec3_sub(e + 3, task[t].target.position, pose.position);
    if (task[t].rotation_weight > 0.0)
      ik->rotation_error = fmax(ik->rotation_error, limpet_vec3_norm(e));
    if (task[t].position_weight > 0.0)
      ik->position_error = fmax(ik->position_error, limpet_vec3_norm(e + 3));
    limpet_vec3_scale(e, task[t].rotation_weight, e);
    limpet_vec3_scale(e + 3, task[t].position_weight, e + 3);
    for (int k = 0; k < 6; ++k) cost += 0.5 * e[k] * e[k];
  }
  return cost;
}

void limpet_ik_jacobian(limpet_ik *ik, int task_count, const limpet_ik_task *task) {
  const limpet_model *model = ik->model;
  for (int t = 0; t < task_count; ++t) {
    limpet_pose pose;
    limpet_ik_frame(model, ik->data, &task[t], &pose);
    const int body =
        task[t].object == LIMPET_OBJECT_SITE ? model->site_body[task[t].index] : task[t].index;
    limpet_jacobian(model, ik->data, body, pose.position, ik->body_jacobian);
    for (int k = 0; k < 6; ++k) {
      const double weight = k < 3 ? task[t].rotation_weight : task[t].position_weight;
      for (int i = 0; i < ik->n; ++i) {
        const double entry = ik->body_jacobian[k * model->nv + ik->v[i]];
        ik->J[(6 * t + k) * ik->n + i] = weight * entry;
        if (k < 3) ik->axis[(3 * t + k) * ik->n + i] = entry;
      }
    }
  }
}

double limpet_ik_curvature(const limpet_ik *ik, int task_count, int i, int j) {
  const int n = ik->n, first = ik->v[i] <= ik->v[j] ? i : j, last = first == i ? j : i;
  double sum = 0.0;
  for (int t = 0; t < task_count; ++t) {
    const double *axis = ik->axis + 3 * t * n, *J = ik->J + 6 * t * n, *r = ik->r + 6 * t;
    const double z[3] = {axis[first], axis[n + first], axis[2 * n + first]};
    const double turn[3] = {J[last], J[n + last], J[2 * n + last]},
                 shift[3] = {J[3 * n + last], J[4 * n + last], J[5 * n + last]};
    double change[3];
    limpet_vec3_cross(change, z, turn);
    sum += 0.5 * limpet_vec3_dot(r, change);
    limpet_vec3_cross(change, z, shift);
    sum += limpet_vec3_dot(r + 3, change);
  }
  return sum;
}
