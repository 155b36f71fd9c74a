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
 * Workspace: 40 doubles for each body, 51 for each velocity. Cost: derivative_kernels_code.h. */
#include <assert.h>
#include <string.h>

#include "dynamics/derivative_kernels.h"
#include "dynamics/tree.h"
#include "math/spatial.h"
#include "model/workspace.h"

// Chosen when the library is loaded.
static const limpet_derivative_kernels *kernels = &limpet_derivative_kernels_baseline;

#if defined(__x86_64__)
__attribute__((constructor)) static void kernels_choose(void) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) kernels = &limpet_derivative_kernels_avx2;
}
#endif

const limpet_derivative_kernels *limpet_derivative_kernels_here(void) { return kernels; }

// The sums of all bodies of a tree, with what is given of the sweep. Ends with limpet_scratch_end.
static void begin(limpet_derivative_sweep *s, limpet_data *data) {
  const size_t room = sizeof *s->body / sizeof(double) * (size_t)s->model->body_count;
  double *scratch = limpet_scratch_begin(
      data->workspace, room + sizeof *s->dof / sizeof(double) * (size_t)s->model->nv);
  s->data = data;
  s->body = (limpet_body_sums *)(void *)scratch;
  s->dof = (limpet_dof_terms *)(void *)(scratch + room);
  kernels->sums(s);
}

static void differentiate(limpet_derivative_sweep *s, limpet_data *data, double *by_q,
                          double *by_v) {
  const size_t n = (size_t)s->model->tree_dof_count[s->tree];
  begin(s, data);
  memset(by_q, 0, n * n * sizeof *by_q);
  if (by_v) memset(by_v, 0, n * n * sizeof *by_v);
  kernels->entries(s, by_q, by_v);
  limpet_scratch_end(data->workspace);
}

void limpet_tree_first_momentum(const limpet_model *model, limpet_data *data, int tree,
                                const double *x, double *M, double *by_q, double centre[3]) {
  assert(model && data && tree >= 0 && tree < model->tree_count && x && M && by_q && centre);
  assert(limpet_tree_floats(model, tree));
  limpet_derivative_sweep s = {.model = model, .tree = tree, .vdot = x};
  begin(&s, data);
  kernels->first_rows(&s, M, by_q);
  const double *I = s.body[model->tree_body[tree]].I;
  limpet_vec3_scale(centre, I[0] > 0.0 ? 1.0 / I[0] : 0.0, I + 1);
  limpet_vec3_add(centre, centre, data->tree_origin + 3 * tree);
  limpet_scratch_end(data->workspace);
}

void limpet_tree_rnea_derivatives(const limpet_model *model, limpet_data *data, int tree,
                                  const double *vdot, double share, double *by_q, double *by_v) {
  assert(model && data && tree >= 0 && tree < model->tree_count && by_q);
  limpet_derivative_sweep s = {
      .model = model, .tree = tree, .vdot = vdot, .moves = true, .share = share};
  differentiate(&s, data, by_q, by_v);
}

void limpet_tree_mass_derivative(const limpet_model *model, limpet_data *data, int tree,
                                 const double *x, double *by_q) {
  assert(model && data && tree >= 0 && tree < model->tree_count && x && by_q);
  limpet_derivative_sweep s = {.model = model, .tree = tree, .vdot = x, .share = 1.0};
  differentiate(&s, data, by_q, NULL);
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
