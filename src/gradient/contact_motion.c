// gradient/contact_motion.c: see contact_motion.h. Cost: about 200 flops for each velocity.
#include "gradient/contact_motion.h"

#include <string.h>

#include "math/spatial.h"
#include "model/trees.h"

bool limpet_contact_motion_whole_joints(const limpet_contact_motion *m) {
  return m->w->delassus.mix != NULL;
}

bool limpet_contact_motion_moves_steady(const limpet_contact_motion *m, int j, int k) {
  const limpet_model *model = m->w->probe->model;
  const bool together = limpet_dofs_turn_together(model, j, k);
  if (together && !limpet_contact_motion_whole_joints(m) &&
      model->joint_kind[model->dof_joint[j]] == LIMPET_JOINT_FREE)
    return false;
  return together || k > j;
}

// C_k, in the axes of Delassus estimates: dynamics/delassus.h.
static void steady_axis(limpet_contact_motion *m, int dof) {
  const limpet_model *model = m->w->probe->model;
  const limpet_data *data = m->w->probe->data;
  const int joint = model->dof_joint[dof], first = model->joint_v[joint] + 3;
  double *C = m->dof[dof].C;
  limpet_spatial_copy(C, data->dof_axis + 6 * dof);
  if (model->joint_kind[joint] != LIMPET_JOINT_FREE || dof < first ||
      limpet_contact_motion_whole_joints(m))
    return;
  const double *R = data->body_rotation + 9 * model->dof_body[dof] + 3 * (dof - first);
  limpet_spatial_zero(C);
  for (int j = 0; j < 3; ++j) limpet_spatial_addmul(C, R[j], data->dof_axis + 6 * (first + j));
}

// C and W of a joint, and what they add to D; NULL: it is not wanted.
static void weigh_joint(limpet_contact_motion *m, int first, int count, double *D) {
  double Z[36] = {0.0};
  if (count > 1 && limpet_contact_motion_whole_joints(m))
    limpet_delassus_joint(&m->w->delassus, first, count, Z);
  else
    for (int i = 0; i < count; ++i) Z[(count + 1) * i] = m->w->delassus.inverse[first + i];
  for (int i = 0; i < count; ++i) steady_axis(m, first + i);
  for (int i = 0; i < count; ++i) {
    limpet_dof_motion *own = &m->dof[first + i];
    limpet_spatial_zero(own->W);
    for (int j = 0; j < count; ++j)
      limpet_spatial_addmul(own->W, Z[count * i + j], m->dof[first + j].C);
    for (int k = 0; k < 6 && D; ++k) limpet_spatial_addmul(D + 6 * k, own->W[k], own->C);
  }
}

// Along the joints of a body: its motion from that of its parent.
static void move_body(limpet_contact_motion *m, int body) {
  const limpet_model *model = m->w->probe->model;
  const limpet_data *data = m->w->probe->data;
  const double *v = m->w->probe->residual->v;
  const int parent = model->body_parent[body];
  limpet_body_motion *to = &m->body[body];
  const size_t size = sizeof *to - (m->weighs ? 0 : sizeof to->D);
  if (model->body_tree[parent] >= 0) memcpy(to, &m->body[parent], size);
  else memset(to, 0, size);
  const int end = model->body_joint[body] + model->body_joint_count[body];
  double P[6] = {0.0}, P0[6] = {0.0}, B[6] = {0.0}, turned[6];
  for (int j = model->body_joint[body]; j < end; ++j) {
    const int first = model->joint_v[j], last = first + limpet_joint_kind_nv(model->joint_kind[j]);
    for (int d = first; d < last; ++d) {
      const double *S = data->dof_axis + 6 * d, *rate = data->dof_axis_rate + 6 * d;
      limpet_dof_motion *own = &m->dof[d];
      limpet_pose_motion *pose = &own->pose;
      if (d == first || !limpet_dofs_turn_together(model, d - 1, d)) {
        limpet_spatial_copy(P, to->V);
        limpet_spatial_copy(P0, to->V0);
        limpet_spatial_copy(B, to->A);
      }
      limpet_spatial_copy(own->P, P);
      limpet_spatial_copy(own->P0, P0);
      limpet_spatial_copy(pose->S, S);
      limpet_spatial_cross_motion(pose->V, P, S);
      limpet_spatial_cross_motion(pose->p, P0, S);
      limpet_spatial_cross_motion(pose->q, B, S);
      limpet_spatial_cross_motion(turned, pose->p, P0);
      limpet_spatial_addmul(pose->q, -1.0, turned);
      limpet_spatial_copy(own->rate.S, S);
      limpet_spatial_copy(own->rate.rate, rate);
      limpet_spatial_addmul(own->rate.rate, 1.0, pose->p);
      limpet_spatial_addmul(to->V, v[d], S);
      limpet_spatial_addmul(to->V0, data->v[d], S);
      limpet_spatial_addmul(to->A, data->v[d], rate);
    }
    if (m->steady) weigh_joint(m, first, last - first, m->weighs ? to->D : NULL);
  }
}

limpet_status limpet_contact_motion_take(const limpet_column_writer *w, limpet_contact_motion *m) {
  const limpet_model *model = w->probe->model;
  const bool weighs = limpet_contacts_weigh(w->probe);
  *m = (limpet_contact_motion){.w = w,
                               .weighs = weighs,
                               .steady = weighs || model->loop_count > 0,
                               .body = LIMPET_TAKE(w->arena, limpet_body_motion, model->body_count),
                               .dof = LIMPET_TAKE_ZERO(w->arena, limpet_dof_motion, model->nv),
                               .filled = LIMPET_TAKE_ZERO(w->arena, bool, model->body_count)};
  return m->body && m->dof && m->filled ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

limpet_status limpet_contact_motion_new(limpet_column_writer *w) {
  w->motion = LIMPET_TAKE(w->arena, limpet_contact_motion, 1);
  return w->motion ? limpet_contact_motion_take(w, w->motion) : LIMPET_ERROR_MEMORY;
}

void limpet_contact_motion_reach(limpet_contact_motion *m, int body) {
  const limpet_model *model = m->w->probe->model;
  const int parent = model->body_parent[body];
  if (m->filled[body]) return;
  m->filled[body] = true;
  if (model->body_tree[parent] >= 0) limpet_contact_motion_reach(m, parent);
  move_body(m, body);
}

void limpet_contact_motion_fill(limpet_contact_motion *m, int tree) {
  const limpet_range bodies = limpet_tree_bodies(m->w->probe->model, tree);
  for (int b = bodies.first; b < bodies.end; ++b) limpet_contact_motion_reach(m, b);
}
