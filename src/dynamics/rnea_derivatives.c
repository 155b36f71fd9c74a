/* dynamics/rnea_derivatives.c: derivatives of inverse dynamics by pose and velocity.
 *
 *   tau_k = S_k . F_k,   F_k = sum over the bodies b that k moves of I_b A_b + V_b x* I_b V_b
 * A displacement along velocity j moves what is behind it as a rigid body with the twist S_j, but
 * the bodies before it keep their velocity P and acceleration B:
 *   d V_b = S_j x V_b + p_j                p_j = P x S_j
 *   d A_b = S_j x A_b + q_j + p_j x V_b    q_j = B x S_j - p_j x P
 *   d F_b = S_j x* F_b + I_b q_j + C_b p_j,   C_b p = I_b (p x V_b) + p x* I_b V_b + V_b x* I_b p
 * and along the velocity itself
 *   d V_b = S_j,   d A_b = r_j + S_j x V_b,   d F_b = I_b r_j + C_b S_j,   r_j = S_j' + p_j
 * Sums of I, C and F over what k moves give every entry from six-vectors:
 *   k behind j    (I_k S_k) . q_j + (C_k' S_k) . p_j,           (I_k S_k) . r_j + (C_k' S_k) . S_j
 *   k before j    S_k . (I_j q_j + C_j p_j + S_j x* F_j),       S_k . (I_j r_j + C_j S_j)
 * The three rotations of a ball or free joint are behind each other; its translations are before
 * them. S' is dof_axis_rate; spatial vectors are about the tree's origin, which counts as fixed.
 * Armature of spatial tendons, whose rows turn, is left out.
 *
 * Source: own derivation; the sums are those of Carpentier and Mansard, Analytical Derivatives of
 * Rigid Body Dynamics Algorithms (2018), with axes that are fixed to the world.
 * Workspace: 40 doubles for each body, 18 for each velocity. Cost: about 400 flops for each
 * body, 60 for each velocity and each of its ancestors. */
#include <assert.h>
#include <string.h>

#include "dynamics/tree.h"
#include "math/spatial.h"
#include "model/workspace.h"

enum { FIRST = 6 };  // velocities of a free joint

// One body, and the sum over what hangs on it.
typedef struct body_sums {
  double A[6];   // acceleration, gravity included
  double F[6];   // force
  double I[10];  // inertia
  double C[18];  // (6 x 3)  what a change p of velocity adds to the force: its rotation alone
} body_sums;

// What one velocity brings.
typedef struct dof_terms {
  double p[6], q[6], r[6];  // see the head; q alone of accelerations alone
} dof_terms;

typedef struct sweep {
  const limpet_model *model;
  const limpet_data *data;
  const double *vdot;  // (nv)  NULL: zero
  bool moves;          // velocities and gravity count; else accelerations alone: d(M vdot)
  double share;        // of all derivatives
  body_sums *body;     // (body_count)
  dof_terms *dof;      // (nv)
} sweep;

static bool is_translation(const limpet_model *model, int d) {
  const int joint = model->dof_joint[d];
  return model->joint_kind[joint] == LIMPET_JOINT_FREE && d < model->joint_v[joint] + 3;
}

// Whether `a`, which comes before d on the same path, turns with it: rotations of one joint.
static bool turn_together(const limpet_model *model, int a, int d) {
  return model->dof_joint[a] == model->dof_joint[d] && !is_translation(model, a) &&
         !is_translation(model, d);
}

// The first velocity of a tree that is no translation of its free joint.
static int first_turning(const limpet_model *model, int first) {
  return model->joint_kind[model->dof_joint[first]] == LIMPET_JOINT_FREE ? first + 3 : first;
}

static void add_dof(const sweep *s, int d, double V[6], double A[6]) {
  const double *S = s->data->dof_axis + 6 * d;
  if (s->moves) {
    limpet_spatial_addmul(V, s->data->v[d], S);
    limpet_spatial_addmul(A, s->data->v[d], s->data->dof_axis_rate + 6 * d);
  }
  if (s->vdot) limpet_spatial_addmul(A, s->vdot[d], S);
}

// Terms of one velocity behind P and B.
static void dof_terms_make(const sweep *s, int d, const double P[6], const double B[6]) {
  const double *S = s->data->dof_axis + 6 * d;
  dof_terms *t = &s->dof[d];
  double turned[6];
  limpet_spatial_cross_motion(t->q, B, S);
  if (!s->moves) return;
  limpet_spatial_cross_motion(t->p, P, S);
  limpet_spatial_cross_motion(turned, t->p, P);
  limpet_spatial_addmul(t->q, -1.0, turned);
  limpet_spatial_copy(t->r, t->p);
  limpet_spatial_addmul(t->r, 1.0, s->data->dof_axis_rate + 6 * d);
}

// Along the joints of a body: terms of their velocities; V and A become those of the body.
static void pass_joints(const sweep *s, int b, double V[6], double A[6]) {
  const limpet_model *model = s->model;
  const int end = model->body_joint[b] + model->body_joint_count[b];
  for (int j = model->body_joint[b]; j < end; ++j) {
    int d = model->joint_v[j];
    const int last = d + limpet_joint_kind_nv(model->joint_kind[j]);
    const bool free = model->joint_kind[j] == LIMPET_JOINT_FREE;
    for (int k = 0; free && k < 3; ++k) add_dof(s, d + k, V, A);
    for (int k = d; k < last; ++k) dof_terms_make(s, k, V, A);
    for (int k = free ? d + 3 : d; k < last; ++k) add_dof(s, k, V, A);
  }
}

/* C of one body: a translation adds nothing, a rotation w (V = [omega; v], I = [mass, h, J])
 *   moment  (2 omega x J - tr(J) omega x) w - 2 h x (v x w),   force  -2 (mass v + omega x h) x w
 */
static void body_coupling(double C[18], const double I[10], const double V[6]) {
  const double *w = V, *v = V + 3, *h = I + 1, trace = I[4] + I[5] + I[6];
  const double J[9] = {I[4], I[7], I[8], I[7], I[5], I[9], I[8], I[9], I[6]};
  const double turn[9] = {0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0};
  double P[3], turned[9];
  limpet_mat3_mul(turned, turn, J);
  limpet_vec3_cross(P, w, h);
  limpet_vec3_addmul(P, P, I[0], v);
  // h x (v x w) = (v h' - (h . v) 1) w
  const double along = limpet_vec3_dot(h, v);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      C[3 * i + k] = 2.0 * turned[3 * i + k] - trace * turn[3 * i + k] -
                     2.0 * (v[i] * h[k] - (i == k ? along : 0.0));
  const double force[9] = {0.0, P[2], -P[1], -P[2], 0.0, P[0], P[1], -P[0], 0.0};
  for (int i = 0; i < 9; ++i) C[9 + i] = 2.0 * force[i];
}

static void body_forward(const sweep *s, int b) {
  const limpet_model *model = s->model;
  const int parent = model->body_parent[b];
  const bool root = model->body_tree[parent] < 0;
  body_sums *own = &s->body[b];
  double V[6] = {0.0}, momentum[6], gyroscopic[6];
  limpet_spatial_zero(own->A);
  if (!root) {
    limpet_spatial_copy(own->A, s->body[parent].A);
    if (s->moves) limpet_spatial_copy(V, s->data->body_velocity + 6 * parent);
  } else if (s->moves && !(model->options.disabled & LIMPET_DISABLE_GRAVITY)) {
    limpet_vec3_neg(own->A + 3, model->options.gravity);
  }
  pass_joints(s, b, V, own->A);

  memcpy(own->I, s->data->body_inertia + 10 * b, sizeof own->I);
  limpet_spatial_inertia_mul(own->F, own->I, own->A);
  if (!s->moves) return;
  limpet_spatial_inertia_mul(momentum, own->I, V);
  limpet_spatial_cross_force(gyroscopic, V, momentum);
  limpet_spatial_addmul(own->F, 1.0, gyroscopic);
  body_coupling(own->C, own->I, V);
}

static void add_to_parent(const sweep *s, int b) {
  body_sums *own = &s->body[b], *parent = &s->body[s->model->body_parent[b]];
  limpet_spatial_addmul(parent->F, 1.0, own->F);
  for (int i = 0; i < 10; ++i) parent->I[i] += own->I[i];
  for (int i = 0; s->moves && i < 18; ++i) parent->C[i] += own->C[i];
}

// y += C x, y = C' x
static void couple(double y[6], const double C[18], const double x[6]) {
  for (int i = 0; i < 6; ++i) y[i] += limpet_vec3_dot(C + 3 * i, x);
}

static void couple_back(double y[3], const double C[18], const double x[6]) {
  limpet_vec3_zero(y);
  for (int i = 0; i < 6; ++i) limpet_vec3_addmul(y, y, x[i], C + 3 * i);
}

// Row and column of one velocity, up to its root, in the blocks (n x n) of its tree.
static void fill(const sweep *s, int d, int first, int n, double *by_q, double *by_v) {
  const limpet_model *model = s->model;
  const body_sums *own = &s->body[model->dof_body[d]];
  const dof_terms *t = &s->dof[d];
  const double *axes = s->data->dof_axis, *S = axes + 6 * d;
  double IS[6], CS[3] = {0.0}, moved[6], held[6], sped[6];
  limpet_spatial_inertia_mul(IS, own->I, S);
  limpet_spatial_inertia_mul(moved, own->I, t->q);
  if (s->moves) {
    limpet_spatial_inertia_mul(sped, own->I, t->r);
    couple_back(CS, own->C, S);
    couple(moved, own->C, t->p);
    couple(sped, own->C, S);
  }
  limpet_spatial_cross_force(held, S, own->F);
  limpet_spatial_addmul(held, 1.0, moved);
  for (int i = 0; i < 6; ++i) IS[i] *= s->share, moved[i] *= s->share, held[i] *= s->share;
  for (int i = 0; i < 6 && by_v; ++i) sped[i] *= s->share;
  limpet_vec3_scale(CS, s->share, CS);

  const double *before = moved;  // of those that turn together with d
  const int turning = first_turning(model, first);
  int a = d;
  for (; a >= turning; a = model->dof_parent[a]) {
    if (before == moved && !turn_together(model, a, d)) before = held;
    const dof_terms *u = &s->dof[a];
    const int row = (a - first) * n + d - first, column = (d - first) * n + a - first;
    by_q[row] = limpet_spatial_dot(axes + 6 * a, before);
    if (by_v) by_v[row] = limpet_spatial_dot(axes + 6 * a, sped);
    if (a == d) continue;
    by_q[column] = limpet_spatial_dot(IS, u->q);
    if (s->moves) by_q[column] += limpet_vec3_dot(CS, u->p);
    if (by_v) by_v[column] = limpet_spatial_dot(IS, u->r) + limpet_vec3_dot(CS, axes + 6 * a);
  }
  // translations go along the axes of the world, and change nothing
  for (; a >= 0; a = model->dof_parent[a]) {
    const int row = (a - first) * n + d - first, axis = a - first;
    by_q[row] = held[3 + axis];
    if (by_v) by_v[row] = sped[3 + axis];
  }
}

// The sums of all bodies of a tree. Ends with limpet_scratch_end.
static sweep begin(const limpet_model *model, limpet_data *data, int tree, const double *vdot,
                   bool moves) {
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  const size_t room = sizeof(body_sums) / sizeof(double) * (size_t)model->body_count;
  double *scratch = limpet_scratch_begin(
      data->workspace, room + sizeof(dof_terms) / sizeof(double) * (size_t)model->nv);
  const sweep s = {.model = model,
                   .data = data,
                   .vdot = vdot,
                   .moves = moves,
                   .body = (body_sums *)(void *)scratch,
                   .dof = (dof_terms *)(void *)(scratch + room)};
  for (int b = bodies.first; b < bodies.end; ++b) body_forward(&s, b);
  for (int b = bodies.end - 1; b > bodies.first; --b) add_to_parent(&s, b);
  return s;
}

// How inverse dynamics is differentiated: of accelerations alone, or with velocities and gravity.
typedef struct terms_wanted {
  const double *vdot;
  bool moves;
  double share;
} terms_wanted;

static void differentiate(const limpet_model *model, limpet_data *data, int tree,
                          const terms_wanted *wanted, double *by_q, double *by_v) {
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  const int n = dofs.end - dofs.first;
  sweep s = begin(model, data, tree, wanted->vdot, wanted->moves);
  s.share = wanted->share;
  memset(by_q, 0, (size_t)n * (size_t)n * sizeof *by_q);
  if (by_v) memset(by_v, 0, (size_t)n * (size_t)n * sizeof *by_v);
  for (int d = dofs.first; d < dofs.end; ++d) fill(&s, d, dofs.first, n, by_q, by_v);
  limpet_scratch_end(data->workspace);
}

// Column of one velocity in the rows of a free joint, and what is symmetric to it there.
static void fill_first(const sweep *s, int d, int first, int n, double *M, double *by_q) {
  const limpet_model *model = s->model;
  const body_sums *own = &s->body[model->dof_body[d]];
  const double *axes = s->data->dof_axis, *S = axes + 6 * d;
  const int k = d - first;
  double IS[6], moved[6], held[6];
  limpet_spatial_inertia_mul(IS, own->I, S);
  limpet_spatial_inertia_mul(moved, own->I, s->dof[d].q);
  limpet_spatial_cross_force(held, S, own->F);
  limpet_spatial_addmul(held, 1.0, moved);
  if (k >= FIRST) {
    for (int i = 0; i < 3; ++i) {
      M[i * n + k] = IS[3 + i], by_q[i * n + k] = held[3 + i];
      M[(3 + i) * n + k] = limpet_spatial_dot(axes + 6 * (first + 3 + i), IS);
      by_q[(3 + i) * n + k] = limpet_spatial_dot(axes + 6 * (first + 3 + i), held);
    }
    return;
  }
  for (int i = 0; i < 3 && i <= k; ++i) {
    M[i * n + k] = M[k * n + i] = IS[3 + i];
    by_q[i * n + k] = held[3 + i];
    by_q[k * n + i] = i == k ? held[3 + i] : 0.0;
  }
  for (int i = k; i >= 3; --i) {
    const int a = first + i;
    M[i * n + k] = limpet_spatial_dot(axes + 6 * a, IS);
    by_q[i * n + k] = limpet_spatial_dot(axes + 6 * a, turn_together(model, a, d) ? moved : held);
    if (i == k) continue;
    M[k * n + i] = M[i * n + k];
    by_q[k * n + i] = limpet_spatial_dot(IS, s->dof[a].q);
  }
  M[k * n + k] += model->dof_armature[d];
}

void limpet_tree_first_momentum(const limpet_model *model, limpet_data *data, int tree,
                                const double *x, double *M, double *by_q, double centre[3]) {
  assert(model && data && tree >= 0 && tree < model->tree_count && x && M && by_q && centre);
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  assert(model->joint_kind[model->dof_joint[dofs.first]] == LIMPET_JOINT_FREE);
  const sweep s = begin(model, data, tree, x, false);
  for (int d = dofs.first; d < dofs.end; ++d)
    fill_first(&s, d, dofs.first, dofs.end - dofs.first, M, by_q);
  const double *I = s.body[model->tree_body[tree]].I;
  limpet_vec3_scale(centre, I[0] > 0.0 ? 1.0 / I[0] : 0.0, I + 1);
  limpet_vec3_add(centre, centre, data->tree_origin + 3 * tree);
  limpet_scratch_end(data->workspace);
}

void limpet_tree_rnea_derivatives(const limpet_model *model, limpet_data *data, int tree,
                                  const double *vdot, double share, double *by_q, double *by_v) {
  assert(model && data && tree >= 0 && tree < model->tree_count && by_q);
  differentiate(model, data, tree, &(terms_wanted){vdot, true, share}, by_q, by_v);
}

void limpet_tree_mass_derivative(const limpet_model *model, limpet_data *data, int tree,
                                 const double *x, double *by_q) {
  assert(model && data && tree >= 0 && tree < model->tree_count && x && by_q);
  differentiate(model, data, tree, &(terms_wanted){x, false, 1.0}, by_q, NULL);
}

void limpet_rnea_derivatives(const limpet_model *model, limpet_data *data, const double *vdot,
                             double *by_q, double *by_v) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES | LIMPET_MARK_VELOCITIES));
  assert(model->nv == 0 || by_q);
  for (int t = 0; t < model->tree_count; ++t)
    limpet_tree_rnea_derivatives(model, data, t, vdot, 1.0, by_q + model->tree_mass[t],
                                 by_v ? by_v + model->tree_mass[t] : NULL);
}

void limpet_mass_derivative(const limpet_model *model, limpet_data *data, const double *x,
                            double *by_q) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  assert(model->nv == 0 || (x && by_q));
  for (int t = 0; t < model->tree_count; ++t)
    limpet_tree_mass_derivative(model, data, t, x, by_q + model->tree_mass[t]);
}
