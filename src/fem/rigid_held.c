/* fem/rigid_held.c: what holds the nodes of sets (rigid_set.c): R at their nodes.
 *
 * Of a linear step R(v) = R(v*) + H (v - v*), of which the rows of these nodes are taken; other
 * laws have R evaluated. */
#include "fem/rigid_set.h"
#include "math/vec3.h"

// y += h x, or h' x
static void block_add(const double *h, bool transposed, const double *x, double *y) {
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) y[a] += h[transposed ? 3 * b + a : 3 * a + b] * x[b];
}

void limpet_fem_rigid_residual(limpet_fem_step *step, const double *v, double *R) {
  if (!step->is_linear) {
    limpet_fem_evaluate_once(step, v, R);
    return;
  }
  const limpet_fem_body *body = step->body;
  const limpet_fem_rigid *rigid = step->rigid;
  double *dv = step->trial;
  for (long i = 0; i < 3L * body->info.node_count; ++i) dv[i] = v[i] - step->free[i];
  for (int i = 0; i < body->info.node_count; ++i)
    if (rigid->set[i] != LIMPET_FEM_FREE_NODE) limpet_vec3_copy(R + 3L * i, rigid->held + 3L * i);
  for (int i = 0; i < body->info.node_count; ++i) {
    const bool own = rigid->set[i] != LIMPET_FEM_FREE_NODE;
    for (int k = body->row_begin[i]; k < body->row_begin[i + 1]; ++k) {
      const int j = body->column[k];
      if (own) block_add(step->H + 9L * k, false, dv + 3L * j, R + 3L * i);
      if (j != i && rigid->set[j] != LIMPET_FEM_FREE_NODE)
        block_add(step->H + 9L * k, true, dv + 3L * i, R + 3L * j);
    }
  }
}
