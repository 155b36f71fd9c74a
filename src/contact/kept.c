/* contact/kept.c: see kept.h. */
#include "contact/kept.h"

#include <math.h>

#include "contact/restitution.h"
#include "math/vec3.h"

// A near-rigid spring without dissipation whose rest length is reached at the end of the step.
void limpet_contact_part(limpet_contact_problem *problem, int contact, double share, bool plain) {
  limpet_contact_constants *c = &problem->constants[contact];
  const double v_e = share * limpet_restitution_speed(problem->rebound[contact], c->normal_speed,
                                                      c->free_speed, plain);
  c->dissipation = 0.0;
  c->distance = -c->dt * v_e;
  c->elastic_force = c->stiffness * c->dt * v_e;
}

void limpet_contact_kept_apply(limpet_contact_problem *problem, bool plain) {
  for (int i = 0; i < problem->contact_count; ++i) {
    const limpet_contact_constants *c = &problem->constants[i];
    const double *W = problem->contact_row + 18 * i, *z = problem->stretch + 3 * i;
    for (int e = 0; e < 2 && problem->contact_bias; ++e)
      problem->contact_bias[LIMPET_CONTACT_BIAS * i + e] +=
          limpet_vec3_dot(W + 6 * e + 3, z) / c->dt;
    if (problem->rebound[i] > 0.0) limpet_contact_part(problem, i, 1.0, plain);
  }
}

// z1 of one contact. Rows of anisotropic friction are scaled: friction_shape.h.
static void stretch_of(const limpet_contact_problem *problem, int contact, const double gamma[3],
                       const double u[3], double z[3]) {
  const limpet_contact_constants *c = &problem->constants[contact];
  const double slip = sqrt(u[0] * u[0] + u[1] * u[1]),
               most = LIMPET_BRISTLE_REACH * problem->model->slip_speed(c, gamma);
  const double time = slip > most ? c->dt * most / slip : c->dt;
  for (int e = 0; e < 2; ++e) {
    const double *axis = problem->contact_row + 18 * contact + 6 * e + 3;
    limpet_vec3_addmul(z, z, time * u[e] / limpet_vec3_dot(axis, axis), axis);
  }
}

void limpet_contact_kept_next(const limpet_contact_problem *problem, const double *gamma,
                              const double *velocity, bool plain, double slowest, double *stretch,
                              double *rebound) {
  for (int i = 0; i < problem->contact_count; ++i, gamma += 3, velocity += 3) {
    const limpet_contact_constants *c = &problem->constants[i];
    limpet_vec3_zero(stretch + 3 * i);
    rebound[i] = 0.0;
    if (!(gamma[2] > 0.0)) continue;
    stretch_of(problem, i, gamma, velocity, stretch + 3 * i);
    // what parts in this step has its rebound behind it
    if (!c->near_rigid || !(c->restitution > 0.0) || problem->rebound[i] > 0.0) continue;
    const double impact =
        limpet_restitution_impact(c->dt, c->distance, c->normal_speed, c->free_speed, plain);
    if (impact > slowest) rebound[i] = c->restitution * impact;
  }
}

double limpet_contact_taken(const limpet_contact_problem *problem) {
  double sum = 0.0;
  for (int i = 0; i < problem->contact_count && problem->taken; ++i) sum += problem->taken[i];
  return fmax(sum, 0.0);
}

double limpet_contact_kept_energy(const limpet_contact_problem *problem, const double *velocity,
                                  double stiction_speed) {
  static const double no_impulse[3] = {0.0, 0.0, 0.0};
  double energy = 0.0;
  for (int i = 0; i < problem->contact_count && problem->stretch; ++i) {
    const limpet_contact_constants *c = &problem->constants[i];
    const double slip_speed = problem->model->slip_speed(c, no_impulse), R = c->dt * slip_speed;
    if (!c->surface || !(slip_speed > stiction_speed) || !(c->elastic_force > 0.0)) continue;
    double z[3] = {0.0, 0.0, 0.0};
    if (velocity) stretch_of(problem, i, no_impulse, velocity + 3 * i, z);
    else limpet_vec3_copy(z, problem->stretch + 3 * i);
    const double way = fmin(limpet_vec3_norm(z), LIMPET_BRISTLE_REACH * R);
    const double one = c->friction * c->elastic_force * (hypot(way, R) - R);
    if (isfinite(one)) energy += one;
  }
  return energy;
}
