// solve/island_spins.c: see island_spins.h.
#include "solve/island_spins.h"

#include <math.h>
#include <string.h>

#include "law/normal_law.h"
#include "law/spin.h"
#include "math/vec3.h"
#include "solve/coulomb.h"
#include "solve/friction_disc.h"
#include "solve/island.h"
#include "solve/island_jacobian.h"
#include "solve/island_solver.h"

limpet_status limpet_island_spins_create(limpet_island_solver *s, limpet_arena *arena) {
  const size_t m = (size_t)s->island->spin_count;
  s->spins = (limpet_island_spins){.count = s->island->spin_count};
  if (m == 0) return LIMPET_OK;
  s->spins.spin = s->problem->spin + s->island->spin;
  double *block = LIMPET_TAKE_ZERO(arena, double, 17 * m);
  if (!block) return LIMPET_ERROR_MEMORY;
  double **const pairs[] = {&s->spins.w,      &s->spins.dw,    &s->spins.tau,      &s->spins.dual,
                            &s->spins.before, &s->spins.point, &s->spins.direction};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) *pairs[i] = block, block += 2 * m;
  s->spins.G = block;
  return LIMPET_OK;
}

// Constants of the contact of a spin.
static const limpet_contact_constants *constants_of(const limpet_island_solver *s, int i) {
  return &s->constants[s->spins.spin[i].contact - s->island->contact];
}

// eps [rad/s]
static double slip_of(const limpet_island_solver *s, int i) {
  return s->spins.spin[i].rate * constants_of(s, i)->compliant.slip_speed;
}

// rho b [N m s]
static double bound_of(const limpet_island_solver *s, int i) {
  const limpet_contact_constants *constants = constants_of(s, i);
  const limpet_compliant_constants *own = &constants->compliant;
  const int contact = s->spins.spin[i].contact - s->island->contact;
  double b = own->lagged_impulse, slope;
  if (s->model->coupled && own->friction_form == LIMPET_FRICTION_COUPLED)
    b = limpet_normal_impulse(constants, s->contact_v[3 * contact + 2], &slope);
  return s->spins.spin[i].length * b;
}

void limpet_island_spins_speeds(const limpet_island_solver *s, const double *x, double *w) {
  const limpet_contact_problem *p = s->problem;
  if (s->J && s->spins.count > 0) {
    limpet_island_jacobian_turn(s, x, w);
    return;
  }
  for (int i = 0; i < s->island->patch_count && s->spins.count > 0; ++i) {
    const limpet_patch *patch = &p->patch[s->island->patch + i];
    if (patch->spin_count == 0) continue;
    double V[6];
    limpet_patch_velocity(patch, x, V);
    for (int k = patch->spin; k < patch->spin + patch->spin_count; ++k)
      for (int e = 0; e < 2; ++e)
        w[2 * (k - s->island->spin) + e] = limpet_vec3_dot(p->spin[k].axis + 3 * e, V);
  }
}

void limpet_island_spins_rates(limpet_island_solver *s, const double *x) {
  limpet_island_spins_speeds(s, x, s->spins.w);
  for (int i = 0; i < s->spins.count; ++i) s->spins.w[2 * i] += s->spins.spin[i].drive;
}

void limpet_island_spins_impulse(const limpet_island_solver *s, double *impulse) {
  const limpet_contact_problem *p = s->problem;
  if (s->spins.count == 0) return;
  if (s->J) {
    limpet_island_jacobian_twist(s, s->spins.tau, impulse);
    return;
  }
  for (int i = 0; i < s->island->patch_count; ++i) {
    const limpet_patch *patch = &p->patch[s->island->patch + i];
    if (patch->spin_count == 0) continue;
    double F[6] = {0};
    for (int k = patch->spin; k < patch->spin + patch->spin_count; ++k)
      for (int e = 0; e < 2; ++e)
        limpet_vec3_addmul(F, F, s->spins.tau[2 * (k - s->island->spin) + e],
                           p->spin[k].axis + 3 * e);
    limpet_patch_push(patch, F, impulse);
  }
}

double limpet_island_spins_evaluate(limpet_island_solver *s) {
  double cost = 0.0;
  for (int i = 0; i < s->spins.count; ++i)
    cost += limpet_spin_evaluate(bound_of(s, i), slip_of(s, i), s->spins.w + 2 * i,
                                 s->spins.tau + 2 * i);
  return cost;
}

void limpet_island_spins_project(limpet_island_solver *s) {
  for (int i = 0; i < s->spins.count; ++i) {
    const limpet_spin *spin = &s->spins.spin[i];
    const double n = s->contact_gamma[3 * (spin->contact - s->island->contact) + 2];
    double *tau = s->spins.tau + 2 * i;
    const double bound = spin->length * fmax(n, 0.0), size = hypot(tau[0], tau[1]);
    if (size <= bound) continue;
    for (int e = 0; e < 2; ++e) tau[e] *= bound / size;
  }
  limpet_island_impulse(s->problem, s->island, s->contact_gamma, s->row_gamma, s->impulse);
  limpet_island_spins_impulse(s, s->impulse);
}

void limpet_island_spins_move(limpet_island_solver *s, double alpha) {
  for (int i = 0; i < 2 * s->spins.count; ++i) s->spins.w[i] += alpha * s->spins.dw[i];
}

void limpet_island_spins_along(const limpet_island_solver *s, double alpha, double *slope,
                               double *curvature) {
  for (int i = 0; i < s->spins.count; ++i)
    limpet_spin_along(bound_of(s, i), slip_of(s, i), s->spins.w + 2 * i, s->spins.dw + 2 * i, alpha,
                      slope, curvature);
}

void limpet_island_spins_dual_step(limpet_island_solver *s, const double *w) {
  for (int i = 0; i < s->spins.count; ++i)
    limpet_spin_dual_step(slip_of(s, i), w + 2 * i, s->spins.dw + 2 * i, s->spins.dual + 2 * i);
}

void limpet_island_spins_hessian(limpet_island_solver *s, const double *dual) {
  for (int i = 0; i < s->spins.count; ++i)
    limpet_spin_hessian(bound_of(s, i), slip_of(s, i), s->spins.w + 2 * i,
                        dual ? dual + 2 * i : NULL, s->spins.G + 3 * i);
}

bool limpet_island_spins_stiffness(const limpet_island_solver *s, const limpet_patch *patch,
                                   double K[36]) {
  bool any = false;
  double xx = 0.0, xy = 0.0, xz = 0.0, yy = 0.0, yz = 0.0, zz = 0.0;
  for (int k = patch->spin; k < patch->spin + patch->spin_count; ++k) {
    const double *a = s->problem->spin[k].axis, *b = a + 3,
                 *G = s->spins.G + 3 * (k - s->island->spin);
    if (G[0] == 0.0 && G[2] == 0.0) continue;
    any = true;
    double u[3], v[3];
    for (int i = 0; i < 3; ++i) u[i] = G[0] * a[i] + G[1] * b[i], v[i] = G[1] * a[i] + G[2] * b[i];
    xx += a[0] * u[0] + b[0] * v[0];
    xy += a[0] * u[1] + b[0] * v[1];
    xz += a[0] * u[2] + b[0] * v[2];
    yy += a[1] * u[1] + b[1] * v[1];
    yz += a[1] * u[2] + b[1] * v[2];
    zz += a[2] * u[2] + b[2] * v[2];
  }
  if (!any) return false;
  K[0] += xx, K[7] += yy, K[14] += zz;
  K[1] += xy, K[6] += xy, K[2] += xz, K[12] += xz, K[8] += yz, K[13] += yz;
  return true;
}

void limpet_island_spins_expand(limpet_island_solver *s) {
  if (s->spins.count == 0) return;
  memcpy(s->spins.point, s->spins.w, 2 * (size_t)s->spins.count * sizeof *s->spins.point);
  for (int i = 0; i < s->spins.count; ++i) {
    limpet_spin_evaluate(1.0, slip_of(s, i), s->spins.w + 2 * i, s->spins.direction + 2 * i);
    for (int e = 0; e < 2; ++e) s->spins.direction[2 * i + e] *= -1.0;
  }
}

void limpet_island_spins_linearise(limpet_island_solver *s) {
  limpet_island_spins_expand(s);
  limpet_island_spins_hessian(s, s->spins.dual);
}

void limpet_island_spins_foresee(limpet_island_solver *s, const double *torque) {
  for (int i = 0; i < s->spins.count; ++i) {
    const limpet_spin *spin = &s->spins.spin[i];
    const int contact = spin->contact - s->island->contact;
    const limpet_friction_disc disc = {
        .eps = slip_of(s, i),
        .delassus = spin->rate * spin->rate * s->own_constants[contact].delassus,
        .bound = spin->length * s->coulomb->bound[contact]};
    // what creeps keeps its impulse; what turns faster stops where it can
    const double *w = s->spins.w + 2 * i;
    double tau[2], kept = disc.delassus;
    if (torque) {
      memcpy(tau, torque + 2 * i, sizeof tau);
    } else {
      limpet_spin_evaluate(disc.bound, disc.eps, w, tau);
      if (hypot(tau[0], tau[1]) >= LIMPET_STICKING_SHARE * disc.bound) kept = 0.0;
    }
    const double p[2] = {w[0] - kept * tau[0], w[1] - kept * tau[1]};
    limpet_friction_disc_foresee(&disc, p, s->spins.point + 2 * i, s->spins.direction + 2 * i,
                                 s->spins.G + 3 * i);
    memcpy(s->spins.dual + 2 * i, s->spins.direction + 2 * i, 2 * sizeof *s->spins.dual);
  }
}

void limpet_island_spins_torque(limpet_island_solver *s, const double *bound) {
  for (int i = 0; i < s->spins.count; ++i) {
    const limpet_spin *spin = &s->spins.spin[i];
    const double *G = s->spins.G + 3 * i, *t = s->spins.direction + 2 * i;
    const double pull = spin->length * bound[spin->contact - s->island->contact];
    const double x = s->spins.w[2 * i] - s->spins.point[2 * i],
                 y = s->spins.w[2 * i + 1] - s->spins.point[2 * i + 1];
    s->spins.tau[2 * i] = -pull * t[0] - G[0] * x - G[1] * y;
    s->spins.tau[2 * i + 1] = -pull * t[1] - G[1] * x - G[2] * y;
  }
}

void limpet_island_spins_push(limpet_island_solver *s, const double *bound, double *impulse) {
  limpet_island_spins_torque(s, bound);
  limpet_island_spins_impulse(s, impulse);
}
