// gradient/patch_sides.c: see patch_sides.h. Cost: about 300 flops.
#include "gradient/patch_sides.h"

#include <string.h>

static void add_cross(double to[3], double share, const double a[3], const double b[3]) {
  double c[3];
  limpet_vec3_cross(c, a, b);
  limpet_vec3_addmul(to, to, share, c);
}

/* The bias of curved paths, patch_view.c, backwards: n of its linear part. moved (3): of what moves
 * the body's pivot. */
static void bias_of_body(const limpet_patch_view *p, int side, double c, const double n[3],
                         const double moved_apart[3], limpet_side_factors *to) {
  const limpet_body_path *path = &p->path[side];
  const double share = c * limpet_patch_signs[side];
  double arm[3], v[3], dv[3], moved[3];
  limpet_patch_view_origin(path, p->patch->point, arm, v);
  add_cross(to->dV0, share, v, n);
  limpet_vec3_cross(dv, n, path->V0);
  limpet_vec3_scale(dv, share, dv);
  add_cross(to->dV0, 1.0, arm, dv);
  limpet_vec3_add(to->dV0 + 3, to->dV0 + 3, dv);
  limpet_vec3_cross(moved, dv, path->V0);
  add_cross(to->xi, 1.0, arm, moved);
  limpet_vec3_add(to->xi + 3, to->xi + 3, moved);
  limpet_vec3_scale(moved, -limpet_patch_signs[side], moved_apart);
  limpet_vec3_sub(arm, path->pivot, p->patch->point);
  add_cross(to->xi, 1.0, arm, moved);
  limpet_vec3_add(to->xi + 3, to->xi + 3, moved);
}

static void add_bias(const limpet_patch_view *p, const double b[6],
                     limpet_side_factors all[LIMPET_SIDES]) {
  const double c = 0.5 * p->w->probe->settings->time_step, *n = b + 3;
  double moved_apart[3] = {0.0};
  const int slower = limpet_patch_view_slower(p);
  if (p->path[slower].count > 0) {
    const double *omega = p->path[slower].V0;
    double apart[3], turn[3], side[3], *domega = all[slower].dV0;
    limpet_vec3_sub(apart, p->path[LIMPET_SIDE_A].pivot, p->path[LIMPET_SIDE_B].pivot);
    limpet_vec3_cross(turn, omega, apart);
    limpet_vec3_cross(side, n, omega);
    add_cross(domega, c, turn, n);
    add_cross(domega, c, apart, side);
    add_cross(moved_apart, c, side, omega);
  }
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    if (p->path[side].count == 0) continue;
    limpet_spatial_addmul(all[side].dA, c * limpet_patch_signs[side], b);
    bias_of_body(p, side, c, n, moved_apart, &all[side]);
  }
}

void limpet_side_all_turned(const double D[36], const double E[36], double all[6]) {
  double N[36] = {0.0};
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 6; ++k) limpet_spatial_addmul(N + 6 * i, D[6 * i + k], E + 6 * k);
  for (int i = 0; i < 3; ++i) {
    const int a = (i + 1) % 3, b = (i + 2) % 3;
    all[i] = 2.0 * (N[6 * a + b] - N[6 * b + a] + N[6 * (3 + a) + 3 + b] - N[6 * (3 + b) + 3 + a]);
    all[3 + i] = 2.0 * (N[6 * a + 3 + b] - N[6 * b + 3 + a]);
  }
}

void limpet_patch_sides(const limpet_patch_view *p, const double *y,
                        limpet_side_factors side[LIMPET_SIDES]) {
  const limpet_patch_law *law = &p->law;
  for (int s = 0; s < LIMPET_SIDES; ++s) {
    memset(&side[s], 0, sizeof side[s]);
    if (p->path[s].count == 0) continue;
    limpet_spatial_addmul(side[s].xi, limpet_patch_signs[s], y + LIMPET_BY_TWIST);
    limpet_spatial_addmul(side[s].dV, limpet_patch_signs[s], y + LIMPET_BY_V);
    if (law->has_0) limpet_spatial_addmul(side[s].dV0, limpet_patch_signs[s], y + LIMPET_BY_START);
  }
  if (p->path[LIMPET_SIDE_A].count > 0) {
    double *seen = side[LIMPET_SIDE_A].xi;
    limpet_side_add_turned(seen, -1.0, law->V, y + LIMPET_BY_V);
    if (law->has_0) limpet_side_add_turned(seen, -1.0, law->V0, y + LIMPET_BY_START);
    if (p->curved) limpet_side_add_turned(seen, -1.0, law->b, y + LIMPET_BY_BIAS);
  }
  if (p->curved) add_bias(p, y + LIMPET_BY_BIAS, side);
}
