/* solve/coulomb_shifted_start.c: the linear step that starts a shifted problem (coulomb_shift.c).
 *
 * A near-rigid contact answers to 1e-8 m, so velocities that are almost right tell nothing of its
 * force: stiction has none of its load at the velocities of sweeps, which take it as rigid, and the
 * least change of the shift c makes forces 1e5 times too large. So each contact is linearised where
 * its law meets the forces gamma [N s] that are known, of sweeps or of the problem before, whose
 * shift was c0 at the velocity v:
 *   normal    z - w n(z) = z0 - w gamma_n,  z0 = v_n - mu (s - c0)
 *   friction  point u_t and direction t of p = v_t - w gamma_t: coulomb_start.c
 *   point     u_n = z + mu (s_u - c),   n, k' = -n' at z
 *   impulse   gamma(v) = [-mu n t; n] - G (v - u)
 *             G = k' m m' + mu n (I - t t')/s_u,   m = e_n - mu t
 * w [1/kg]: Delassus number; s, s_u [m/s]: slip speeds, regularised, at v and u. One step of all of
 * these linear models is the start where it has a lower cost than the state. It costs one
 * iteration. Further such steps, from the forces that the first one foresaw, lead away again. */
#include <math.h>
#include <string.h>

#include "law/normal_law.h"
#include "solve/coulomb.h"
#include "solve/friction_disc.h"
#include "solve/island_jacobian.h"

double limpet_coulomb_slip_speed(const limpet_island_solver *s, int contact) {
  const double *v = s->contact_v + 3 * contact,
               eps = s->own_constants[contact].compliant.slip_speed;
  return sqrt(v[0] * v[0] + v[1] * v[1] + eps * eps);
}

// G of one contact, from that of its friction alone.
static void add_normal_stiffness(double mu, double stiffness, const double t[2], double *G) {
  G[0] += stiffness * mu * mu * t[0] * t[0];
  G[1] += stiffness * mu * mu * t[0] * t[1];
  G[2] += stiffness * mu * mu * t[1] * t[1];
  G[3] = -stiffness * mu * t[0];
  G[4] = -stiffness * mu * t[1];
  G[5] = stiffness;
}

// Linear model of one contact: G, direction and bound; its impulse at the state into contact_gamma.
static void foresee(limpet_island_solver *s, int i, double before) {
  const limpet_contact_constants *own = &s->own_constants[i];
  const double *v = s->contact_v + 3 * i, *known = s->coulomb->forces + 3 * i;
  const double w = own->delassus, mu = own->friction, eps = own->compliant.slip_speed;
  double *G = s->contact_G + LIMPET_HESSIAN_SIZE * i, *t = s->contact_dual + 2 * i, point[2];

  // where the law meets the forces
  const double z0 = v[2] - mu * (limpet_coulomb_slip_speed(s, i) - before);
  double n, stiffness;
  const double z = limpet_coulomb_normal_point(own, w, z0 - w * known[2], &n, &stiffness);
  const double p[2] = {v[0] - w * known[0], v[1] - w * known[1]};
  const limpet_friction_disc disc = {eps, w, mu * n};
  limpet_friction_disc_foresee(&disc, p, point, t, G);
  add_normal_stiffness(mu, stiffness, t, G);

  // from there to the state
  const double slip = sqrt(point[0] * point[0] + point[1] * point[1] + eps * eps);
  const double d[3] = {v[0] - point[0], v[1] - point[1],
                       v[2] - z - mu * (slip - own->compliant.friction_shift)};
  double *gamma = s->contact_gamma + 3 * i;
  gamma[0] = -mu * n * t[0] - G[0] * d[0] - G[1] * d[1] - G[3] * d[2];
  gamma[1] = -mu * n * t[1] - G[1] * d[0] - G[2] * d[1] - G[4] * d[2];
  gamma[2] = n - G[3] * d[0] - G[4] * d[1] - G[5] * d[2];
}

void limpet_coulomb_start_shifted(limpet_island_solver *s, const double *before,
                                  const double *torque) {
  double *d = s->newton.direction;
  const double cost = limpet_island_cost(s, s->newton.gradient);  // and impulses of rows
  for (int i = 0; i < s->island->contact_count; ++i) foresee(s, i, before[i]);
  limpet_island_spins_foresee(s, torque);
  ++s->info.iterations;
  ++s->info.factorizations;
  if (!limpet_island_factor(s)) return;
  limpet_island_solver_impulse(s, s->contact_gamma, s->row_gamma, s->impulse);
  limpet_island_spins_push(s, s->coulomb->bound, s->impulse);
  for (int i = 0; i < s->n; ++i) d[i] = s->impulse[i] - s->A_difference[i];
  limpet_island_back_solve(s, d);
  memcpy(s->coulomb->x_before, s->x, (size_t)s->n * sizeof *s->x);
  for (int i = 0; i < s->n; ++i) s->x[i] += d[i];
  if (!(limpet_island_evaluate(s, s->x, s->newton.gradient) < cost))
    memcpy(s->x, s->coulomb->x_before, (size_t)s->n * sizeof *s->x);
}
