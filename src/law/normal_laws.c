/* law/normal_laws.c: the table of normal laws, and what contact models ask of a law. */
#include <math.h>
#include <string.h>

#include "law/normal_law.h"

static const limpet_normal_law *const laws[] = {
    &limpet_normal_law_hunt_crossley, &limpet_normal_law_hertz,
    &limpet_normal_law_kelvin_voigt,  &limpet_normal_law_log_barrier,
    &limpet_normal_law_ipc_barrier,   NULL,
};

const limpet_normal_law *const *limpet_normal_laws(void) { return laws; }

const limpet_normal_law *limpet_normal_law_find(const char *name) {
  for (int i = 0; laws[i]; ++i)
    if (strcmp(laws[i]->descriptor.name, name) == 0) return laws[i];
  return NULL;
}

limpet_normal_point limpet_normal_point_of(const limpet_contact_law *law) {
  return (limpet_normal_point){.dt = law->dt,
                               .distance = law->distance,
                               .elastic_force = law->elastic_force,
                               .stiffness = law->stiffness,
                               .dissipation = law->dissipation,
                               .relaxation_time = law->relaxation_time,
                               .parameter = law->normal_parameter};
}

double limpet_normal_impulse_by_law(const limpet_contact_law *law, double v, double *curvature,
                                    double *integral) {
  const limpet_normal_point point = limpet_normal_point_of(law);
  return law->normal->impulse(law->normal, &point, v, curvature, integral);
}

void limpet_normal_law_bound(limpet_contact_law *law, const limpet_contact_constants *constants,
                             double impulse) {
  law->lagged_impulse = impulse;
  law->slip_speed = fmax(constants->stiction_speed, constants->friction_regularization *
                                                        law->delassus * law->friction * impulse);
}

void limpet_normal_law_lag(limpet_contact_law *law, const limpet_contact_constants *constants) {
  double impulse;
  if (law->normal) {
    // f_n(phi0, v_n0): the law over a step of no length
    const double moment = 0x1p-200;
    limpet_normal_point point = limpet_normal_point_of(law);
    double curvature;
    point.dt = moment;
    impulse = law->dt / moment *
              law->normal->impulse(law->normal, &point, law->normal_speed, &curvature, NULL);
    if (!isfinite(impulse)) impulse = 0.0;
  } else {
    impulse = law->dt * fmax(0.0, law->elastic_force) *
              fmax(0.0, 1.0 - law->dissipation * law->normal_speed);
  }
  limpet_normal_law_bound(law, constants, impulse);
}

double limpet_normal_energy(const limpet_contact_law *law, double phi) {
  const limpet_normal_law *normal = law->normal ? law->normal : &limpet_normal_law_hunt_crossley;
  const limpet_normal_point point = limpet_normal_point_of(law);
  return normal->energy ? normal->energy(normal, &point, phi) : 0.0;
}
