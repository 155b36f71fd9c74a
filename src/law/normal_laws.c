/* law/normal_laws.c: the table of normal laws, and what contact models ask of a law. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "law/normal_law.h"

#define ROW(name) &limpet_normal_law_##name,
static const limpet_normal_law *const laws[] = {LIMPET_NORMAL_LAW_LIST(ROW) NULL};
#undef ROW

const limpet_normal_law *const *limpet_normal_laws(void) { return laws; }

const limpet_normal_law *limpet_normal_law_find(const char *name) {
  assert(name);
  for (int i = 0; laws[i]; ++i)
    if (strcmp(laws[i]->descriptor.name, name) == 0) return laws[i];
  return NULL;
}

limpet_normal_point limpet_normal_point_of(const limpet_contact_constants *constants) {
  return (limpet_normal_point){.dt = constants->dt,
                               .distance = constants->distance,
                               .elastic_force = constants->elastic_force,
                               .stiffness = constants->stiffness,
                               .dissipation = constants->dissipation,
                               .relaxation_time = constants->relaxation_time,
                               .parameter = constants->normal_parameter};
}

double limpet_normal_impulse_by_law(const limpet_contact_constants *constants, double v,
                                    double *curvature, double *integral) {
  const limpet_normal_point point = limpet_normal_point_of(constants);
  return constants->normal->impulse(constants->normal, &point, v, curvature, integral);
}

// Share of v_s and sigma that a contact takes [-].
static double creep_share(const limpet_contact_constants *constants) {
  return constants->soft ? 0.1 : 1.0;
}

// gamma_n0 [N s], and the slip speed with it.
static void bound(limpet_contact_constants *constants, const limpet_contact_settings *settings,
                  double impulse) {
  constants->compliant.lagged_impulse = impulse;
  constants->compliant.slip_speed =
      creep_share(constants) *
      fmax(settings->stiction_speed,
           settings->friction_regularization * constants->delassus * constants->friction * impulse);
}

void limpet_normal_law_lag(limpet_contact_constants *constants,
                           const limpet_contact_settings *settings) {
  double impulse;
  if (constants->normal) {
    // f_n(phi0, v_n0): the law over a step of no length
    const double moment = 0x1p-200;
    limpet_normal_point point = limpet_normal_point_of(constants);
    double curvature;
    point.dt = moment;
    impulse = constants->dt / moment *
              constants->normal->impulse(constants->normal, &point, constants->normal_speed,
                                         &curvature, NULL);
    if (!isfinite(impulse)) impulse = 0.0;
  } else {
    impulse = constants->dt * fmax(0.0, constants->elastic_force) *
              fmax(0.0, 1.0 - constants->dissipation * constants->normal_speed);
  }
  bound(constants, settings, impulse);
}

bool limpet_normal_law_lag_change(const limpet_contact_constants *c,
                                  const limpet_contact_constants *dc,
                                  const limpet_contact_settings *settings, double *impulse,
                                  double *slip_speed) {
  if (c->normal) return false;
  // at the start of the step the elastic force is f_e0: no motion within it counts
  const double damping = 1.0 - c->dissipation * c->normal_speed, fe = limpet_start_force(c),
               dfe = limpet_start_force_change(c, dc);
  *impulse = *slip_speed = 0.0;
  if (fe > 0.0 && damping > 0.0)
    *impulse = (dc->dt * fe + c->dt * dfe) * damping -
               c->dt * fe * (dc->dissipation * c->normal_speed + c->dissipation * dc->normal_speed);
  const double share = creep_share(c);
  if (c->compliant.slip_speed > share * settings->stiction_speed)
    *slip_speed =
        share * settings->friction_regularization *
        ((dc->delassus * c->friction + c->delassus * dc->friction) * c->compliant.lagged_impulse +
         c->delassus * c->friction * *impulse);
  return true;
}

double limpet_normal_energy(const limpet_contact_constants *constants, double phi) {
  const limpet_normal_law *normal =
      constants->normal ? constants->normal : &limpet_normal_law_hunt_crossley;
  const limpet_normal_point point = limpet_normal_point_of(constants);
  return normal->energy ? normal->energy(normal, &point, phi) : 0.0;
}
