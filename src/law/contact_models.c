/* law/contact_models.c: the table of contact models, and what several of them share. */
#include <math.h>
#include <string.h>

#include "law/contact_model.h"

static const limpet_contact_model *const models[] = {
    &limpet_contact_model_lagged,
    &limpet_contact_model_similar,
    &limpet_contact_model_sap,
    &limpet_contact_model_anitescu,
    &limpet_contact_model_anitescu_cone,
    // impulsive ones
    &limpet_contact_model_two_phase,
    &limpet_contact_model_two_phase_literal,
    &limpet_contact_model_lcp,
    &limpet_contact_model_pgs,
    &limpet_contact_model_sequential_impulse,
    &limpet_contact_model_penalty,
    NULL,
};

const limpet_contact_model *const *limpet_contact_models(void) { return models; }

const limpet_contact_model *limpet_contact_model_find(const char *name) {
  for (int i = 0; models[i]; ++i)
    if (strcmp(models[i]->descriptor.name, name) == 0) return models[i];
  return NULL;
}

const limpet_descriptor *limpet_contact_model_descriptor(const limpet_contact_model *model) {
  return &model->descriptor;
}

bool limpet_contact_model_impulsive(const limpet_contact_model *model) {
  return model->solve != NULL;
}

const limpet_normal_law *limpet_contact_model_normal_law(const limpet_contact_model *model) {
  return model->normal_law;
}

void limpet_contact_model_along(const limpet_contact_model *model,
                                const limpet_contact_constants *constants, int count,
                                const double *v, const double *dv, double alpha, double *slope,
                                double *curvature) {
  if (model->along) {
    model->along(constants, count, v, dv, alpha, slope, curvature);
    return;
  }
  for (int i = 0; i < count; ++i, v += 3, dv += 3) {
    const double x[3] = {v[0] + alpha * dv[0], v[1] + alpha * dv[1], v[2] + alpha * dv[2]};
    double gamma[3], G[LIMPET_HESSIAN_SIZE];
    model->evaluate(constants + i, 1, x, gamma);
    if (isinf(gamma[2])) {  // past a barrier
      *slope = *curvature = INFINITY;
      return;
    }
    model->hessian(constants + i, 1, x, NULL, G);
    *slope -= gamma[0] * dv[0] + gamma[1] * dv[1] + gamma[2] * dv[2];
    *curvature += G[0] * dv[0] * dv[0] + 2.0 * G[1] * dv[0] * dv[1] + G[2] * dv[1] * dv[1] +
                  G[5] * dv[2] * dv[2] + 2.0 * (G[3] * dv[0] + G[4] * dv[1]) * dv[2];
  }
}

double limpet_contact_model_slip_speed(const limpet_contact_constants *constants,
                                       const double gamma[3]) {
  (void)gamma;
  return constants->compliant.slip_speed;
}

bool limpet_contact_model_sticks(const limpet_contact_constants *constants, const double gamma[3]) {
  return sqrt(gamma[0] * gamma[0] + gamma[1] * gamma[1]) < 0.99 * constants->friction * gamma[2];
}

void limpet_impulse_prepare(limpet_contact_constants *constants,
                            const limpet_contact_settings *settings) {
  const double speed = constants->distance / constants->dt;
  constants->impulsive.gap_speed =
      speed > 0.0 ? speed : fmax(settings->error_reduction * speed, -settings->return_speed);
  constants->impulsive.softening = settings->softening;
}

double limpet_impulse_slip_speed(const limpet_contact_constants *constants, const double gamma[3]) {
  (void)constants, (void)gamma;
  return 0.0;
}

double limpet_impulse_energy(const limpet_contact_constants *constants, double phi) {
  (void)constants, (void)phi;
  return 0.0;
}
