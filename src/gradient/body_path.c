/* gradient/body_path.c: see body_path.h.
 *
 *   V = sum S_k v_k,  A = sum S'_k v_k;  before velocity j: P, B, own rotations of its joint
 *                                         left out
 *   along the pose j     dV = S_j x (V - P),   dA = S_j x A + q_j + p_j x V
 *   along velocity j     dV = S_j,             dA = S'_j + p_j + S_j x V
 *   p_j = P x S_j,  q_j = B x S_j - p_j x P    as in rnea_derivatives.c */
#include "gradient/body_path.h"

#include <string.h>

#include "math/spatial.h"

static bool is_rotation(const limpet_model *model, int dof) {
  const int joint = model->dof_joint[dof];
  return model->joint_kind[joint] != LIMPET_JOINT_FREE || dof >= model->joint_v[joint] + 3;
}

bool limpet_dofs_turn_together(const limpet_model *model, int a, int b) {
  return model->dof_joint[a] == model->dof_joint[b] && is_rotation(model, a) &&
         is_rotation(model, b);
}

// Sums up to each velocity.
typedef struct sums {
  double P[6], P0[6], B[6];  // of what counts as before
  double V[6], V0[6], A[6];  // of all so far
} sums;

static void before(sums *s) {
  limpet_spatial_copy(s->P, s->V);
  limpet_spatial_copy(s->P0, s->V0);
  limpet_spatial_copy(s->B, s->A);
}

// What does not need the body's own sums yet: dV, dV0 hold P, P0, dA holds q, dA_v holds S' + p.
static void first_terms(limpet_path_dof *step, const sums *s, const double rate[6]) {
  double p[6], turned[6];
  limpet_spatial_copy(step->dV, s->P);
  limpet_spatial_copy(step->dV0, s->P0);
  limpet_spatial_cross_motion(p, s->P0, step->S);
  limpet_spatial_cross_motion(step->dA, s->B, step->S);
  limpet_spatial_cross_motion(turned, p, s->P0);
  limpet_spatial_addmul(step->dA, -1.0, turned);
  limpet_spatial_copy(step->dA_v, rate);
  limpet_spatial_addmul(step->dA_v, 1.0, p);
}

static void last_terms(limpet_path_dof *step, const limpet_body_path *path) {
  double relative[6], p[6], term[6];
  limpet_spatial_cross_motion(p, step->dV0, step->S);
  limpet_spatial_copy(relative, path->V);
  limpet_spatial_addmul(relative, -1.0, step->dV);
  limpet_spatial_cross_motion(step->dV, step->S, relative);
  limpet_spatial_copy(relative, path->V0);
  limpet_spatial_addmul(relative, -1.0, step->dV0);
  limpet_spatial_cross_motion(step->dV0, step->S, relative);
  limpet_spatial_cross_motion(term, step->S, path->A);
  limpet_spatial_addmul(step->dA, 1.0, term);
  limpet_spatial_cross_motion(term, p, path->V0);
  limpet_spatial_addmul(step->dA, 1.0, term);
  limpet_spatial_cross_motion(term, step->S, path->V0);
  limpet_spatial_addmul(step->dA_v, 1.0, term);
}

// C of the three rotations of a free joint.
static void steady_axes(const limpet_model *model, const limpet_data *data,
                        limpet_path_dof *rotation) {
  const double *R = data->body_rotation + 9 * model->dof_body[rotation->dof];
  for (int i = 0; i < 3; ++i) {
    limpet_spatial_zero(rotation[i].C);
    for (int j = 0; j < 3; ++j) limpet_spatial_addmul(rotation[i].C, R[3 * i + j], rotation[j].S);
  }
}

// W of the steps that move this body alone.
static void weigh_steps(const limpet_model *model, const limpet_delassus_weights *weights,
                        limpet_body_path *path) {
  for (int k = 0, count; k < path->count; k += count) {
    limpet_path_dof *step = &path->step[k];
    const int nv = limpet_joint_kind_nv(model->joint_kind[model->dof_joint[step->dof]]);
    double Z[36];
    count = weights->mix ? nv : 1;
    for (int i = 0; i < count; ++i) limpet_spatial_zero(step[i].W);
    if (step->shared) continue;
    if (count > 1) limpet_delassus_joint(weights, step->dof, count, Z);
    else Z[0] = weights->inverse[step->dof];
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < count; ++j) limpet_spatial_addmul(step[i].W, Z[count * i + j], step[j].C);
    }
  }
}

// The velocities on the way to a unit. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status path_begin(const limpet_probe *probe, int unit,
                                const limpet_delassus_weights *weights, limpet_arena *arena,
                                limpet_body_path *path) {
  const limpet_model *model = probe->model;
  const limpet_data *data = probe->data;
  const int last = model->body_last_dof[unit];
  *path = (limpet_body_path){.model = model, .whole_joints = weights->mix != NULL};
  limpet_vec3_copy(path->origin, data->body_position + 3 * unit);
  limpet_vec3_copy(path->pivot, path->origin);
  for (int d = last; d >= 0; d = model->dof_parent[d]) ++path->count;
  if (path->count == 0) return LIMPET_OK;
  path->step = LIMPET_TAKE(arena, limpet_path_dof, path->count);
  if (!path->step) return LIMPET_ERROR_MEMORY;
  for (int d = last, k = path->count - 1; d >= 0; d = model->dof_parent[d], --k) {
    path->step[k].dof = d;
    path->step[k].shared = false;
  }
  return LIMPET_OK;
}

// Velocities up to where both paths meet are shared; returns how many.
static int share(limpet_body_path path[2]) {
  int k = 0;
  for (; k < path[0].count && k < path[1].count && path[0].step[k].dof == path[1].step[k].dof; ++k)
    path[0].step[k].shared = path[1].step[k].shared = true;
  return k;
}

// Of steps first .. end; s: the sums before the first.
static void add_steps(const limpet_probe *probe, const double P[3], int first, int end, sums *s,
                      limpet_body_path *path) {
  const limpet_data *data = probe->data;
  double lever[3];
  if (first == end) return;
  limpet_vec3_sub(lever, P, data->tree_origin + 3 * probe->model->dof_tree[path->step[first].dof]);
  for (int k = first; k < end; ++k) {
    limpet_path_dof *step = &path->step[k];
    double rate[6];
    limpet_spatial_shift_motion(step->S, data->dof_axis + 6 * step->dof, lever);
    limpet_spatial_shift_motion(rate, data->dof_axis_rate + 6 * step->dof, lever);
    limpet_spatial_copy(step->C, step->S);
    if (k == 0 || !limpet_dofs_turn_together(path->model, path->step[k - 1].dof, step->dof))
      before(s);
    first_terms(step, s, rate);
    limpet_spatial_addmul(s->V, probe->residual->v[step->dof], step->S);
    limpet_spatial_addmul(s->V0, data->v[step->dof], step->S);
    limpet_spatial_addmul(s->A, data->v[step->dof], rate);
  }
}

static void path_end(const limpet_probe *probe, const limpet_delassus_weights *weights,
                     const sums *s, limpet_body_path *path) {
  limpet_spatial_copy(path->V, s->V);
  limpet_spatial_copy(path->V0, s->V0);
  limpet_spatial_copy(path->A, s->A);
  if (path->count == 0) return;
  for (int k = 0; k < path->count; ++k) last_terms(&path->step[k], path);
  const int joint = path->model->dof_joint[path->step[0].dof];
  if (!path->whole_joints && path->model->joint_kind[joint] == LIMPET_JOINT_FREE)
    steady_axes(path->model, probe->data, path->step + 3);
  weigh_steps(path->model, weights, path);
}

limpet_status limpet_body_paths_make(const limpet_probe *probe, const int unit[2],
                                     const double P[3], const limpet_delassus_weights *weights,
                                     limpet_arena *arena, limpet_body_path path[2]) {
  for (int side = 0; side < 2; ++side)
    if (path_begin(probe, unit[side], weights, arena, &path[side])) return LIMPET_ERROR_MEMORY;
  const int both = share(path);
  sums s[2];
  memset(&s[0], 0, sizeof s[0]);
  add_steps(probe, P, 0, both, &s[0], &path[0]);
  if (both > 0) memcpy(path[1].step, path[0].step, (size_t)both * sizeof *path[1].step);
  s[1] = s[0];
  for (int side = 0; side < 2; ++side) {
    add_steps(probe, P, both, path[side].count, &s[side], &path[side]);
    path_end(probe, weights, &s[side], &path[side]);
  }
  return LIMPET_OK;
}

// Parents come before their children.
int limpet_body_paths_meet(const limpet_model *model, int a, int b) {
  while (a != b) {
    if (a > b) a = model->body_parent[a];
    else b = model->body_parent[b];
  }
  return model->body_tree[a] < 0 ? LIMPET_NONE : a;
}

bool limpet_body_path_moves(const limpet_body_path *path, int j, int k) {
  return k > j || limpet_dofs_turn_together(path->model, path->step[j].dof, path->step[k].dof);
}

bool limpet_body_path_moves_steady(const limpet_body_path *path, int j, int k) {
  const int joint = path->model->dof_joint[path->step[j].dof];
  if (!path->whole_joints && path->model->joint_kind[joint] == LIMPET_JOINT_FREE &&
      limpet_dofs_turn_together(path->model, path->step[j].dof, path->step[k].dof))
    return false;
  return limpet_body_path_moves(path, j, k);
}
