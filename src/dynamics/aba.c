/* dynamics/aba.c: forward dynamics by the articulated-body algorithm.
 *
 * A joint of several velocities is taken as a chain of single ones with massless bodies between
 * them, which costs nothing here because all quantities share one frame. For each velocity, leaves
 * first, with the articulated inertia I and bias force p of what hangs on it:
 *   U = I S,   D = S . U + armature + diagonal,   u = tau - S . p
 *   I <- I - U U'/D,   p <- p + I c + U u/D,      c = S' v
 * and outwards again
 *   a <- a + c,   vdot = (u - U . a)/D,   a <- a + S vdot.
 * Tendon armature couples branches, so a model that has some is solved through its mass matrix.
 *
 * Reference: Featherstone (2008), section 7.3. Workspace: 48 doubles for each body, 8 for each
 * velocity. */
#include <assert.h>
#include <string.h>

#include "limpet/dynamics.h"
#include "math/spatial.h"
#include "model/workspace.h"

typedef struct scratch {
  double *I;  // (body_count x 36)  articulated inertia, symmetric
  double *p;  // (body_count x 6)   articulated bias force
  double *a;  // (body_count x 6)   acceleration
  double *U;  // (nv x 6)
  double *D;  // (nv)
  double *u;  // (nv)
} scratch;

// The ten-number inertia as a symmetric 6x6 matrix [I, [h]; -[h], m 1] acting on [w; v].
static void inertia_expand(double I[36], const double compact[10]) {
  memset(I, 0, 36 * sizeof *I);
  const double *h = compact + 1;
  I[0] = compact[4], I[7] = compact[5], I[14] = compact[6];
  I[1] = I[6] = compact[7], I[2] = I[12] = compact[8], I[8] = I[13] = compact[9];
  for (int i = 3; i < 6; ++i) I[7 * i] = compact[0];
  I[4] = I[24] = -h[2], I[5] = I[30] = h[1];
  I[9] = I[19] = h[2], I[11] = I[31] = -h[0];
  I[15] = I[20] = -h[1], I[16] = I[26] = h[0];
}

static void matrix_mul(double r[6], const double I[36], const double m[6]) {
  for (int i = 0; i < 6; ++i) r[i] = limpet_spatial_dot(I + 6 * i, m);
}

static void bodies_start(scratch *s, const limpet_model *model, const limpet_data *data) {
  for (int b = 1; b < model->body_count; ++b) {
    if (model->body_tree[b] < 0) continue;
    const double *V = data->body_velocity + 6 * b, *I = data->body_inertia + 10 * b;
    double momentum[6];
    inertia_expand(s->I + 36 * b, I);
    limpet_spatial_inertia_mul(momentum, I, V);
    limpet_spatial_cross_force(s->p + 6 * b, V, momentum);
  }
}

// Takes velocity d out of the articulated inertia of its body.
static void eliminate(scratch *s, double *I, double *p, const limpet_model *model,
                      const limpet_data *data, int d, double tau, double diagonal) {
  const double *S = data->dof_axis + 6 * d;
  double *U = s->U + 6 * d, c[6], Ic[6];
  matrix_mul(U, I, S);
  s->D[d] = limpet_spatial_dot(S, U) + model->dof_armature[d] + diagonal;
  s->u[d] = tau - limpet_spatial_dot(S, p);
  const double inverse = 1.0 / s->D[d];
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) I[6 * i + j] -= inverse * U[i] * U[j];
  for (int i = 0; i < 6; ++i) c[i] = data->dof_axis_rate[6 * d + i] * data->v[d];
  matrix_mul(Ic, I, c);
  limpet_spatial_addmul(p, 1.0, Ic);
  limpet_spatial_addmul(p, s->u[d] * inverse, U);
}

static void inward_sweep(scratch *s, const limpet_model *model, const limpet_data *data,
                         const double *tau, const double *diagonal) {
  for (int b = model->body_count - 1; b > 0; --b) {
    if (model->body_tree[b] < 0) continue;
    double *I = s->I + 36 * b, *p = s->p + 6 * b;
    for (int d = model->body_dof[b] + model->body_dof_count[b] - 1; d >= model->body_dof[b]; --d)
      eliminate(s, I, p, model, data, d, tau[d], diagonal ? diagonal[d] : 0.0);
    const int parent = model->body_parent[b];
    if (model->body_tree[parent] < 0) continue;
    for (int i = 0; i < 36; ++i) s->I[36 * parent + i] += I[i];
    limpet_spatial_addmul(s->p + 6 * parent, 1.0, p);
  }
}

static void outward_sweep(double *vdot, scratch *s, const limpet_model *model,
                          const limpet_data *data) {
  double world[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  if (!(model->options.disabled & LIMPET_DISABLE_GRAVITY))
    limpet_vec3_neg(world + 3, model->options.gravity);
  for (int b = 1; b < model->body_count; ++b) {
    if (model->body_tree[b] < 0) continue;
    const int parent = model->body_parent[b], end = model->body_dof[b] + model->body_dof_count[b];
    double *a = s->a + 6 * b;
    limpet_spatial_copy(a, model->body_tree[parent] < 0 ? world : s->a + 6 * parent);
    for (int d = model->body_dof[b]; d < end; ++d) {
      limpet_spatial_addmul(a, data->v[d], data->dof_axis_rate + 6 * d);
      vdot[d] = (s->u[d] - limpet_spatial_dot(s->U + 6 * d, a)) / s->D[d];
      limpet_spatial_addmul(a, vdot[d], data->dof_axis + 6 * d);
    }
  }
}

static bool has_tendon_armature(const limpet_model *model) {
  for (int t = 0; t < model->tendon_count; ++t)
    if (model->tendon_armature[t] > 0.0) return true;
  return false;
}

// The same through M: for models whose tendons have armature.
static void solve_by_mass_matrix(double *vdot, const limpet_model *model, limpet_data *data,
                                 const double *tau, const double *diagonal) {
  limpet_mass_matrix(model, data);
  limpet_bias(model, data);
  for (int d = 0; d < model->nv; ++d) vdot[d] = tau[d] - data->bias[d];
  if (diagonal)
    for (int d = 0; d < model->nv; ++d) {
      const int t = model->dof_tree[d], n = model->tree_dof_count[t];
      data->mass_matrix[model->tree_mass[t] + (d - model->tree_dof[t]) * (n + 1)] += diagonal[d];
    }
  limpet_mass_solve(model, data, vdot, vdot);
  if (diagonal) limpet_mass_matrix(model, data);
}

void limpet_aba(const limpet_model *model, limpet_data *data, const double *tau,
                const double *diagonal, double *vdot) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES | LIMPET_MARK_VELOCITIES));
  assert(model->nv == 0 || (tau && vdot));
  if (has_tendon_armature(model)) {
    solve_by_mass_matrix(vdot, model, data, tau, diagonal);
    return;
  }
  const size_t bodies = (size_t)model->body_count, n = (size_t)model->nv;
  scratch s;
  s.I = limpet_scratch_begin(data->workspace, 48 * bodies + 8 * n);
  s.p = s.I + 36 * bodies;
  s.a = s.p + 6 * bodies;
  s.U = s.a + 6 * bodies;
  s.D = s.U + 6 * n;
  s.u = s.D + n;
  bodies_start(&s, model, data);
  inward_sweep(&s, model, data, tau, diagonal);
  outward_sweep(vdot, &s, model, data);
  limpet_scratch_end(data->workspace);
}
