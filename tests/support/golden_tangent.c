// tests/support/golden_tangent.c: see golden_tangent.h.
#include "golden_tangent.h"

#include "math/quaternion.h"

golden_frame golden_frame_of(const limpet_model *model, const double *q, const double *v) {
  golden_frame f = {0};
  for (int j = 0; j < model->joint_count; ++j) {
    if (model->joint_kind[j] != LIMPET_JOINT_FREE) continue;
    limpet_quaternion_to_matrix(f.R[j], q + model->joint_q[j] + 3);
    limpet_mat3_mul_vec(f.w[j], f.R[j], v + model->joint_v[j] + 3);
  }
  return f;
}

void golden_change_to_ours(const limpet_model *model, const golden_frame *f, double *x, double *v) {
  for (int j = 0; j < model->joint_count; ++j) {
    if (model->joint_kind[j] != LIMPET_JOINT_FREE) continue;
    double *pose = x + model->joint_v[j], *speed = v + model->joint_v[j];
    double turn[3], move[3], dw[3], held[3], linear[3];
    limpet_vec3_copy(turn, pose);
    limpet_vec3_copy(move, pose + 3);
    limpet_vec3_copy(pose, move);
    limpet_mat3_tmul_vec(pose + 3, f->R[j], turn);
    limpet_vec3_copy(dw, speed);
    limpet_vec3_copy(linear, speed + 3);
    limpet_vec3_cross(held, turn, f->w[j]);
    limpet_vec3_sub(dw, dw, held);
    limpet_vec3_copy(speed, linear);
    limpet_mat3_tmul_vec(speed + 3, f->R[j], dw);
  }
}

void golden_force_to_ours(const limpet_model *model, const golden_frame *f, double *force) {
  for (int j = 0; j < model->joint_count; ++j) {
    if (model->joint_kind[j] != LIMPET_JOINT_FREE) continue;
    double *at = force + model->joint_v[j], moment[3];
    limpet_vec3_copy(moment, at);
    limpet_vec3_copy(at, at + 3);
    limpet_mat3_tmul_vec(at + 3, f->R[j], moment);
  }
}

void golden_change_back(const limpet_model *model, const golden_frame *f, double *x, double *v) {
  for (int j = 0; j < model->joint_count; ++j) {
    if (model->joint_kind[j] != LIMPET_JOINT_FREE) continue;
    double *pose = x + model->joint_v[j], *speed = v + model->joint_v[j];
    double turn[3], move[3], dw[3], held[3], linear[3];
    limpet_vec3_copy(move, pose);
    limpet_mat3_mul_vec(turn, f->R[j], pose + 3);
    limpet_vec3_copy(pose, turn);
    limpet_vec3_copy(pose + 3, move);
    limpet_vec3_copy(linear, speed);
    limpet_mat3_mul_vec(dw, f->R[j], speed + 3);
    limpet_vec3_cross(held, turn, f->w[j]);
    limpet_vec3_add(speed, dw, held);
    limpet_vec3_copy(speed + 3, linear);
  }
}
