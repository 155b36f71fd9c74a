// fem/thin_there.c: forces of shells, ropes and gas where a step leads: see thin_follow.c.
#include <math.h>

#include "fem/thin_step.h"
#include "math/vec3.h"

enum { ROW = 3 * LIMPET_THIN_NODES };

double limpet_fem_thin_shortest(const limpet_fem_body *body) {
  double least = INFINITY;
  for (int t = 0; t < body->thin.count; ++t) {
    const limpet_thin_element *e = &body->thin.element[t];
    const int count = e->kind == LIMPET_THIN_BENDING ? 0 : e->count;
    for (int a = 0; a < count; ++a)
      for (int b = 0; b < a; ++b) {
        double d[3];
        limpet_vec3_sub(d, body->rest + 3L * e->node[a], body->rest + 3L * e->node[b]);
        least = fmin(least, limpet_vec3_norm(d));
      }
  }
  return isfinite(least) ? least : 0.0;
}

void limpet_fem_thin_force_there(limpet_fem_step *step, const double *v, double *f) {
  const limpet_fem_body *body = step->body;
  limpet_fem_thin_step *thin = step->thin;
  const long n = 3L * body->info.node_count;
  double *q = thin->dx, *y = thin->y, part[ROW];
  limpet_fem_step_positions(step, v, q);
  for (int t = 0; t < body->thin.count; ++t) {
    const limpet_thin_element *e = &body->thin.element[t];
    limpet_thin_energy(&body->thin, e, q, q, false, part, NULL);
    for (int a = 0; a < e->count; ++a)
      limpet_vec3_add(f + 3L * e->node[a], f + 3L * e->node[a], part + 3 * a);
  }
  if (body->info.stiffness_damping > 0.0) {
    limpet_fem()->multiply(body, thin->D, v, y);
    for (long i = 0; i < n; ++i) f[i] += body->info.stiffness_damping * y[i];
  }
  if (thin->C) {
    limpet_fem()->multiply(body, thin->C, v, y);
    for (long i = 0; i < n; ++i) f[i] += y[i];
  }
  if (!body->gas.present) return;
  const double volume = limpet_fem_gas_volume(body, q, y),
               excess = limpet_fem_gas_pressure(body, volume) - body->gas.outside;
  for (long i = 0; i < n; ++i) f[i] -= excess * y[i];
}
