/* tests/support/sweep_laws.c: see sweep_laws.h. */
#include "sweep_laws.h"

#include <math.h>

#include "shared_data.h"
#include "solve/coulomb.h"

void sweep_law_draw(limpet_sweep_law *law, limpet_contact_constants *constants,
                    unsigned long *state) {
  const double w = law->w[2], dt = random_log_uniform(state, 5e-5, 5e-3),
               k = random_log_uniform(state, 1.0, 4e5) / (dt * dt * w);
  const bool slippery = random_uniform(state, 0.0, 1.0) < 0.2,
             elastic = random_uniform(state, 0.0, 1.0) < 0.2;
  *constants = (limpet_contact_constants){
      .dt = dt,
      .friction = slippery ? 0.0 : random_log_uniform(state, 0.01, 5.0),
      .stiffness = k,
      .elastic_force =
          k * dt * random_uniform(state, -1.0, 1.0) * random_log_uniform(state, 1e-6, 1.0),
      .dissipation = elastic ? 0.0 : random_log_uniform(state, 1e-3, 1e2)};
  law->dt = dt, law->force = constants->elastic_force, law->give = dt * k;
  law->dissipation = constants->dissipation;
  law->alpha = dt * dt * k * w, law->beta = dt * law->dissipation * w;
}

double sweep_law_missed(const limpet_sweep_law *law, const limpet_contact_constants *constants,
                        const double u[3], const double sizes[3], const double old[3],
                        const double x[3]) {
  const double *w = law->w, n = limpet_coulomb_impulse(constants, w[2], u[2] - w[2] * old[2]);
  const double off = fabs(x[2] - n) * w[2] / sizes[2];

  // friction: -p/w_t, p the slip without it, shortened to the disc
  const double w_t = fmax(w[0], w[1]), bound = constants->friction * n;
  double p[2], scale = 0.0;
  for (int e = 0; e < 2; ++e) {
    p[e] = u[e] + law->slant[e] * (n - old[2]) - w_t * old[e];
    scale += sizes[e] + fabs(law->slant[e] * (n - old[2])) + w_t * fabs(old[e]);
  }
  const double share = fmin(1.0 / w_t, bound / hypot(p[0], p[1]));
  return fmax(off, hypot(x[0] + share * p[0], x[1] + share * p[1]) * w_t / scale);
}
