/* dynamics/tree_momentum.c: mass, momentum and kinetic energy of a tree as a whole.
 *
 *   f = sum I_b V_b,   T = 1/2 sum V_b . I_b V_b                 spatial, about the tree's origin o
 *   p = f_linear,   L = f_angular - (c - o) x p,   c: centre of mass
 *   I_c = I_o - m (|r|^2 1 - r r'),   r = c - o      rotational inertia of the locked tree about c
 * Cost: 60 flops a body. */
#include "dynamics/tree.h"
#include "dynamics/tree_kernels.h"
#include "math/ldl3.h"
#include "math/spatial.h"
#include "math/vec3.h"

// From sums about the tree's origin; r: from there to the centre of mass.
static void place(const limpet_data *data, int tree, const double f[6], const double total[10],
                  limpet_tree_momentum *momentum, double r[3]) {
  const double m = momentum->mass = total[0];
  double turned[3];
  limpet_vec3_scale(r, m > 0.0 ? 1.0 / m : 0.0, total + 1);
  limpet_vec3_add(momentum->com, data->tree_origin + 3 * tree, r);
  limpet_vec3_copy(momentum->linear, f + 3);
  limpet_vec3_cross(turned, r, f + 3);
  limpet_vec3_sub(momentum->angular, f, turned);
}

static void place_inertia(const double total[10], const double r[3], double inertia[9]) {
  const double m = total[0], xx = m * r[0] * r[0], yy = m * r[1] * r[1], zz = m * r[2] * r[2];
  inertia[0] = total[4] - (yy + zz), inertia[4] = total[5] - (xx + zz);
  inertia[8] = total[6] - (xx + yy);
  inertia[1] = inertia[3] = total[7] + m * r[0] * r[1];
  inertia[2] = inertia[6] = total[8] + m * r[0] * r[2];
  inertia[5] = inertia[7] = total[9] + m * r[1] * r[2];
}

void limpet_tree_momentum_sum(const limpet_model *model, const limpet_data *data, int tree,
                              limpet_tree_momentum *momentum) {
  double f[6], total[10], r[3];
  momentum->energy = limpet_tree_kernels_here()->momentum(f, total, model, data, tree);
  place(data, tree, f, total, momentum, r);
}

void limpet_tree_momentum_compute(const limpet_model *model, const limpet_data *data, int tree,
                                  limpet_tree_momentum *momentum) {
  double f[6], total[10], r[3];
  momentum->energy = limpet_tree_kernels_here()->momentum(f, total, model, data, tree);
  place(data, tree, f, total, momentum, r);
  place_inertia(total, r, momentum->inertia);
}

void limpet_tree_momentum_look(const limpet_model *model, limpet_data *data, int tree,
                               limpet_tree_momentum *momentum) {
  double f[6], total[10], r[3];
  momentum->energy = limpet_tree_kernels_here()->moving_momentum(f, total, model, data, tree);
  place(data, tree, f, total, momentum, r);
  place_inertia(total, r, momentum->inertia);
}

bool limpet_tree_momentum_give(const limpet_model *model, limpet_data *data, int tree,
                               const double linear[3], const double angular[3],
                               limpet_tree_momentum *now) {
  const int body = model->tree_body[tree];
  double dv[3], dw[3], lever[3], turned[3], *v = data->v + model->tree_dof[tree];
  limpet_ldl3 factor;
  if (!(now->mass > 0.0) || !limpet_ldl3_factor(now->inertia, &factor)) return false;
  limpet_vec3_sub(dw, angular, now->angular);
  limpet_ldl3_solve(&factor, dw);
  const double share = 1.0 / now->mass;
  for (int k = 0; k < 3; ++k) {
    dv[k] = share * (linear[k] - now->linear[k]);
    now->energy += 0.5 * dv[k] * (linear[k] + now->linear[k]);
    now->energy += 0.5 * dw[k] * (angular[k] + now->angular[k]);
  }
  limpet_vec3_copy(now->linear, linear);
  limpet_vec3_copy(now->angular, angular);

  // velocity of the body's origin in W, turns in axes of the body
  limpet_vec3_sub(lever, data->body_position + 3 * body, now->com);
  limpet_vec3_cross(turned, dw, lever);
  limpet_vec3_add(dv, dv, turned);
  limpet_vec3_add(v, v, dv);
  limpet_mat3_tmul_vec(turned, data->body_rotation + 9 * body, dw);
  limpet_vec3_add(v + 3, v + 3, turned);
  return true;
}
