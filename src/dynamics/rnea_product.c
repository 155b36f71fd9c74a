/* dynamics/rnea_product.c: products from the left with derivatives of inverse dynamics.
 *
 *   x' tau = sum over bodies of X_b . (I_b A_b + V_b x* I_b V_b),   X_b = sum of x_k S_k that move
 * b Its derivatives by X_b, A_b and V_b are f_b = I_b A_b + V_b x* I_b V_b,   m_b = I_b X_b,   k_b
 * = I_b (X_b x V_b) - X_b x* I_b V_b A displacement along velocity j turns all that is behind it,
 * and the sum stays as it is but for X, P and B, what is before j (rnea_derivatives.c): d X_b = S_j
 * x (X_b - X),   d V_b = S_j x V_b + p_j,   d A_b = S_j x A_b + q_j + p_j x V_b by q_j   (X x S_j)
 * . f + p_j . (K - P x* m) + (B x S_j) . m,      p_j = P x S_j by v_j   S_j . K + (S_j' + p_j) . m,
 * K: of k_b + V_b x* m_b f, m and K are sums over what j moves. Rotations of one joint are behind
 * each other. Armature of spatial tendons, whose rows turn, is left out of the derivatives.
 *
 * Workspace: 30 doubles for each body, 18 for each velocity. Cost: 400 flops for each body, 200 for
 * each velocity. */
#include <assert.h>
#include <string.h>

#include "dynamics/tree.h"
#include "math/spatial.h"
#include "model/tendon_path.h"
#include "model/workspace.h"

enum { FIRST = 6, LINEAR = 3 };  // velocities of a free joint; of them translations

// What is before one velocity, rotations of its own joint left out.
typedef struct dof_before {
  double X[6], P[6], B[6];
} dof_before;

// One body, and the sums over what hangs on it.
typedef struct body_product {
  double X[6], A[6];
  double f[6], m[6], K[6];
} body_product;

typedef struct product {
  const limpet_model *model;
  const limpet_data *data;
  const double *vdot, *x;  // (nv) NULL: zero; of the tree
  int first;               // velocity
  body_product *body;      // (body_count)
  dof_before *before;      // (nv)
} product;

// Along one joint: X, V and A of what it moves.
static void pass_joint(const product *s, int joint, double X[6], double V[6], double A[6]) {
  const limpet_model *model = s->model;
  const int first = model->joint_v[joint],
            last = first + limpet_joint_kind_nv(model->joint_kind[joint]),
            turns = model->joint_kind[joint] == LIMPET_JOINT_FREE ? first + LINEAR : first;
  for (int d = first; d < last; ++d) {
    dof_before *before = &s->before[d];
    if (d <= turns) {
      limpet_spatial_copy(before->X, X);
      limpet_spatial_copy(before->P, V);
      limpet_spatial_copy(before->B, A);
    } else {
      *before = s->before[turns];
    }
    const double *S = s->data->dof_axis + 6 * d;
    limpet_spatial_addmul(X, s->x[d - s->first], S);
    limpet_spatial_addmul(V, s->data->v[d], S);
    limpet_spatial_addmul(A, s->data->v[d], s->data->dof_axis_rate + 6 * d);
    if (s->vdot) limpet_spatial_addmul(A, s->vdot[d], S);
  }
}

static void body_forward(const product *s, int b) {
  const limpet_model *model = s->model;
  const int parent = model->body_parent[b], end = model->body_joint[b] + model->body_joint_count[b];
  const double *I = s->data->body_inertia + 10 * b;
  body_product *own = &s->body[b];
  double V[6] = {0.0}, h[6], turned[6], spun[6];
  if (model->body_tree[parent] >= 0) {
    limpet_spatial_copy(own->X, s->body[parent].X);
    limpet_spatial_copy(own->A, s->body[parent].A);
    limpet_spatial_copy(V, s->data->body_velocity + 6 * parent);
  } else {
    limpet_spatial_zero(own->X);
    limpet_spatial_zero(own->A);
    if (!(model->options.disabled & LIMPET_DISABLE_GRAVITY))
      limpet_vec3_neg(own->A + 3, model->options.gravity);
  }
  for (int j = model->body_joint[b]; j < end; ++j) pass_joint(s, j, own->X, V, own->A);

  limpet_spatial_inertia_mul(h, I, V);
  limpet_spatial_inertia_mul(own->f, I, own->A);
  limpet_spatial_cross_force(turned, V, h);
  limpet_spatial_addmul(own->f, 1.0, turned);
  limpet_spatial_inertia_mul(own->m, I, own->X);
  limpet_spatial_cross_motion(turned, own->X, V);
  limpet_spatial_inertia_mul(own->K, I, turned);
  limpet_spatial_cross_force(spun, own->X, h);
  limpet_spatial_addmul(own->K, -1.0, spun);
  limpet_spatial_cross_force(spun, V, own->m);
  limpet_spatial_addmul(own->K, 1.0, spun);
}

// Products of one velocity, of which all that is behind it is in the sums of its body.
static void dof_product(const product *s, int d, double *by_q, double *by_v, double *Mx) {
  const double *S = s->data->dof_axis + 6 * d;
  const body_product *own = &s->body[s->model->dof_body[d]];
  const dof_before *before = &s->before[d];
  double p[6], turned[6], K[6], rate[6];
  limpet_spatial_cross_motion(p, before->P, S);
  limpet_spatial_cross_force(turned, before->P, own->m);
  limpet_spatial_copy(K, own->K);
  limpet_spatial_addmul(K, -1.0, turned);
  limpet_spatial_cross_motion(turned, before->X, S);
  *by_q = limpet_spatial_dot(turned, own->f) + limpet_spatial_dot(p, K);
  limpet_spatial_cross_motion(turned, before->B, S);
  *by_q += limpet_spatial_dot(turned, own->m);
  limpet_spatial_copy(rate, s->data->dof_axis_rate + 6 * d);
  limpet_spatial_addmul(rate, 1.0, p);
  *by_v = limpet_spatial_dot(S, own->K) + limpet_spatial_dot(rate, own->m);
  *Mx = limpet_spatial_dot(S, own->m) + s->model->dof_armature[d] * s->x[d - s->first];
}

static void add_to_parent(const product *s, int b) {
  const body_product *own = &s->body[b];
  body_product *parent = &s->body[s->model->body_parent[b]];
  limpet_spatial_addmul(parent->f, 1.0, own->f);
  limpet_spatial_addmul(parent->m, 1.0, own->m);
  limpet_spatial_addmul(parent->K, 1.0, own->K);
}

// Mx += the armature of tendons within the tree.
static void add_tendons(const limpet_model *model, const limpet_data *data, int tree,
                        const double *x, double *Mx) {
  const int first = model->tree_dof[tree];
  for (int t = 0; t < model->tendon_count; ++t) {
    const int begin = model->tendon_dof_begin[t], end = model->tendon_dof_begin[t + 1];
    const double armature = limpet_tendon_own_armature(model, t);
    double speed = 0.0;
    if (!(armature > 0.0) || limpet_tendon_tree(model, t) != tree) continue;
    for (int i = begin; i < end; ++i)
      speed += data->tendon_row[i] * x[model->tendon_dof[i] - first];
    for (int i = begin; i < end; ++i)
      Mx[model->tendon_dof[i] - first] += armature * speed * data->tendon_row[i];
  }
}

void limpet_tree_rnea_product(const limpet_model *model, limpet_data *data, int tree,
                              const double *vdot, const double *x, double *by_q, double *by_v,
                              double *Mx) {
  assert(model && data && tree >= 0 && tree < model->tree_count && x && by_q && by_v && Mx);
  const limpet_range dofs = limpet_tree_dofs(model, tree), bodies = limpet_tree_bodies(model, tree);
  const size_t room = sizeof(body_product) / sizeof(double) * (size_t)model->body_count;
  double *scratch = limpet_scratch_begin(
      data->workspace, room + sizeof(dof_before) / sizeof(double) * (size_t)model->nv);
  const product s = {.model = model,
                     .data = data,
                     .vdot = vdot,
                     .x = x,
                     .first = dofs.first,
                     .body = (body_product *)(void *)scratch,
                     .before = (dof_before *)(void *)(scratch + room)};
  for (int b = bodies.first; b < bodies.end; ++b) body_forward(&s, b);
  for (int b = bodies.end - 1; b > bodies.first; --b) add_to_parent(&s, b);
  for (int d = dofs.first; d < dofs.end; ++d) {
    const int k = d - dofs.first;
    dof_product(&s, d, &by_q[k], &by_v[k], &Mx[k]);
  }
  add_tendons(model, data, tree, x, Mx);
  limpet_scratch_end(data->workspace);
}

// ------------------------------------------------------------------------- of the first joint

void limpet_tree_sums_make(const limpet_model *model, const limpet_data *data, int tree,
                           limpet_tree_sums *sum) {
  assert(model && data && tree >= 0 && tree < model->tree_count && sum);
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  for (int b = bodies.first; b < bodies.end; ++b) {
    limpet_tree_sums *own = &sum[b - bodies.first];
    memcpy(own->I, data->body_inertia + 10 * b, sizeof own->I);
    limpet_spatial_inertia_mul(own->F, own->I, data->body_velocity + 6 * b);
  }
  for (int b = bodies.end - 1; b > bodies.first; --b) {
    const limpet_tree_sums *own = &sum[b - bodies.first];
    limpet_tree_sums *parent = &sum[model->body_parent[b] - bodies.first];
    limpet_spatial_addmul(parent->F, 1.0, own->F);
    for (int i = 0; i < 10; ++i) parent->I[i] += own->I[i];
  }
}

void limpet_tree_first_block(const limpet_model *model, const limpet_data *data, int tree,
                             const limpet_tree_sums *sum, double M[36], double momentum[6],
                             double centre[3]) {
  assert(model && data && tree >= 0 && tree < model->tree_count && M && momentum && centre);
  const int first = model->tree_dof[tree];
  double part[6];
  for (int k = 0; k < FIRST; ++k) {
    const double *S = data->dof_axis + 6 * (first + k);
    limpet_spatial_inertia_mul(part, sum->I, S);
    for (int i = 0; i < FIRST; ++i)
      M[FIRST * i + k] = limpet_spatial_dot(data->dof_axis + 6 * (first + i), part);
    M[(FIRST + 1) * k] += model->dof_armature[first + k];
    momentum[k] =
        limpet_spatial_dot(S, sum->F) + model->dof_armature[first + k] * data->v[first + k];
  }
  limpet_vec3_scale(centre, sum->I[0] > 0.0 ? 1.0 / sum->I[0] : 0.0, sum->I + 1);
  limpet_vec3_add(centre, centre, data->tree_origin + 3 * tree);
}

// What x and y have of one body, and what is before its next joint.
typedef struct first_body {
  double IX[6], IY[6], turned[6];  // turned: Y x* F
  double P[6];
} first_body;

typedef struct first_products {
  const limpet_model *model;
  const limpet_data *data;
  int first;                 // velocity
  double *xM, *y_by_q, *yM;  // (n)
} first_products;

// The free joint: its translations are before its rotations. Y: of the translations alone.
static void free_joint(const first_products *to, const limpet_tree_sums *sum, const double Y[6],
                       const double x[6], const double y[6], first_body *b) {
  const double *axes = to->data->dof_axis + 6 * to->first, *v = to->data->v + to->first;
  double way[6], turned[6];
  limpet_spatial_zero(b->P);
  for (int k = 0; k < LINEAR; ++k) limpet_spatial_addmul(b->P, v[k], axes + 6 * k);
  limpet_spatial_cross_force(way, b->P, b->IY);
  limpet_spatial_cross_force(turned, Y, sum->F);
  limpet_spatial_addmul(way, 1.0, turned);
  for (int k = 0; k < FIRST; ++k) {
    const double armature = to->model->dof_armature[to->first + k];
    to->xM[k] = limpet_spatial_dot(axes + 6 * k, b->IX) + armature * x[k];
    to->yM[k] = limpet_spatial_dot(axes + 6 * k, b->IY) + armature * y[k];
    to->y_by_q[k] = k < LINEAR ? 0.0 : -limpet_spatial_dot(axes + 6 * k, way);
    if (k >= LINEAR) limpet_spatial_addmul(b->P, v[k], axes + 6 * k);
  }
}

// Joints behind it.
static void later_joint(const first_products *to, int joint, first_body *b) {
  const int begin = to->model->joint_v[joint],
            end = begin + limpet_joint_kind_nv(to->model->joint_kind[joint]);
  double way[6];
  limpet_spatial_cross_force(way, b->P, b->IY);
  limpet_spatial_addmul(way, 1.0, b->turned);
  for (int d = begin; d < end; ++d) {
    const double *S = to->data->dof_axis + 6 * d;
    const int k = d - to->first;
    to->xM[k] = limpet_spatial_dot(S, b->IX);
    to->yM[k] = limpet_spatial_dot(S, b->IY);
    to->y_by_q[k] = -limpet_spatial_dot(S, way);
    limpet_spatial_addmul(b->P, to->data->v[d], S);
  }
}

void limpet_tree_first_product(const limpet_model *model, const limpet_data *data, int tree,
                               const limpet_tree_sums *sum, const double x[6], const double y[6],
                               double *xM, double *y_by_q, double *yM) {
  assert(model && data && tree >= 0 && tree < model->tree_count && sum && x && y);
  assert(xM && y_by_q && yM);
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  const first_products to = {model, data, model->tree_dof[tree], xM, y_by_q, yM};
  const double *axes = data->dof_axis + 6 * to.first;
  double X[6] = {0.0}, Y[6] = {0.0}, moved[6] = {0.0};
  assert(model->joint_kind[model->dof_joint[to.first]] == LIMPET_JOINT_FREE);
  for (int i = 0; i < FIRST; ++i) {
    limpet_spatial_addmul(X, x[i], axes + 6 * i);
    limpet_spatial_addmul(Y, y[i], axes + 6 * i);
    if (i == LINEAR - 1) limpet_spatial_copy(moved, Y);
  }
  for (int b = bodies.first; b < bodies.end; ++b) {
    const limpet_tree_sums *at = &sum[b - bodies.first];
    const int end = model->body_joint[b] + model->body_joint_count[b];
    int joint = model->body_joint[b];
    first_body own;
    if (joint == end) continue;
    limpet_spatial_inertia_mul(own.IX, at->I, X);
    limpet_spatial_inertia_mul(own.IY, at->I, Y);
    limpet_spatial_cross_force(own.turned, Y, at->F);
    if (b == bodies.first) free_joint(&to, at, moved, x, y, &own), ++joint;
    else limpet_spatial_copy(own.P, data->body_velocity + 6 * model->body_parent[b]);
    for (; joint < end; ++joint) later_joint(&to, joint, &own);
  }
}
