/* dynamics/tree_momentum.c: mass, momentum and kinetic energy of a tree as a whole.
 *
 *   f = sum I_b V_b,   T = 1/2 sum V_b . I_b V_b                 spatial, about the tree's origin o
 *   p = f_linear,   L = f_angular - (c - o) x p,   c: centre of mass
 *   I_c = I_o - m (|r|^2 1 - r r'),   r = c - o      rotational inertia of the locked tree about c
 * Cost: 60 flops a body. */
#include "dynamics/tree.h"
#include "dynamics/tree_kernels.h"
#include "math/dense.h"
#include "math/vec3.h"

void limpet_tree_momentum_compute(const limpet_model *model, const limpet_data *data, int tree,
                                  limpet_tree_momentum *momentum) {
  double f[6], total[10], r[3], turned[3];
  momentum->energy = limpet_tree_kernels_here()->momentum(f, total, model, data, tree);

  // from the tree's origin to the centre of mass
  const double m = momentum->mass = total[0];
  limpet_vec3_scale(r, m > 0.0 ? 1.0 / m : 0.0, total + 1);
  limpet_vec3_add(momentum->com, data->tree_origin + 3 * tree, r);
  limpet_vec3_copy(momentum->linear, f + 3);
  limpet_vec3_cross(turned, r, f + 3);
  limpet_vec3_sub(momentum->angular, f, turned);
  const double square = limpet_vec3_dot(r, r);
  const double I[9] = {total[4], total[7], total[8], total[7], total[5],
                       total[9], total[8], total[9], total[6]};
  for (int i = 0; i < 9; ++i)
    momentum->inertia[i] = I[i] - m * ((i % 4 == 0 ? square : 0.0) - r[i / 3] * r[i % 3]);
}

// x = I^-1 b, I symmetric; false when I is not positive definite.
static bool solve_symmetric(const double I[9], const double b[3], double x[3]) {
  double factor[9];
  limpet_mat3_copy(factor, I);
  limpet_vec3_copy(x, b);
  if (limpet_cholesky(3, factor, 3)) return false;
  limpet_cholesky_solve(3, factor, 3, x);
  return true;
}

bool limpet_tree_momentum_give(const limpet_model *model, limpet_data *data, int tree,
                               const double linear[3], const double angular[3],
                               limpet_tree_momentum *now) {
  const int body = model->tree_body[tree];
  double missing[3], dv[3], dw[3], lever[3], turned[3], *v = data->v + model->tree_dof[tree];
  limpet_vec3_sub(missing, angular, now->angular);
  if (!(now->mass > 0.0) || !solve_symmetric(now->inertia, missing, dw)) return false;
  for (int k = 0; k < 3; ++k) {
    dv[k] = (linear[k] - now->linear[k]) / now->mass;
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
