/* law/contact_models.c: the table of contact models, and what several of them share. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "law/contact_model_list.h"

#define HEAD_OF(family, name) &limpet_contact_model_##name.head,
static const limpet_contact_model *const models[] = {LIMPET_CONTACT_MODEL_LIST(HEAD_OF) NULL};

const limpet_contact_model *const *limpet_contact_models(void) { return models; }

const limpet_contact_model *limpet_contact_model_find(const char *name) {
  assert(name);
  for (int i = 0; models[i]; ++i)
    if (strcmp(models[i]->descriptor.name, name) == 0) return models[i];
  return NULL;
}

const limpet_descriptor *limpet_contact_model_descriptor(const limpet_contact_model *model) {
  assert(model);
  return &model->descriptor;
}

limpet_contact_family limpet_contact_model_family(const limpet_contact_model *model) {
  assert(model);
  return model->family;
}

const char *limpet_contact_family_name(limpet_contact_family family) {
  static const char *const names[] = {[LIMPET_CONTACT_COMPLIANT] = "compliant",
                                      [LIMPET_CONTACT_RIGID] = "rigid",
                                      [LIMPET_CONTACT_IMPULSIVE] = "impulsive"};
  assert((size_t)family < sizeof names / sizeof *names);
  return names[family];
}

bool limpet_contact_model_has(const limpet_contact_model *model, limpet_contact_effect effect) {
  const bool rigid = model->family == LIMPET_CONTACT_RIGID,
             impulsive = model->family == LIMPET_CONTACT_IMPULSIVE;
  switch (effect) {
    case LIMPET_EFFECT_TORSION: return model->turns || rigid;
    case LIMPET_EFFECT_ROLLING: return model->turns;
    case LIMPET_EFFECT_RESTITUTION: return model->bristles || impulsive;
    case LIMPET_EFFECT_COUNT: break;
  }
  assert(false);
  return false;
}

// The head is the first member, so its address is that of the whole descriptor.
const limpet_compliant_model *limpet_compliant_model_of(const limpet_contact_model *model) {
  assert(model->family == LIMPET_CONTACT_COMPLIANT);
  return (const limpet_compliant_model *)model;
}

const limpet_rigid_model *limpet_rigid_model_of(const limpet_contact_model *model) {
  assert(model->family == LIMPET_CONTACT_RIGID);
  return (const limpet_rigid_model *)model;
}

const limpet_impulsive_model *limpet_impulsive_model_of(const limpet_contact_model *model) {
  assert(model->family == LIMPET_CONTACT_IMPULSIVE);
  return (const limpet_impulsive_model *)model;
}

const limpet_normal_law *limpet_contact_model_normal_law(const limpet_contact_model *model) {
  assert(model);
  return model->normal_law;
}

void limpet_compliant_model_along(const limpet_compliant_model *model,
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
  return sqrt(gamma[0] * gamma[0] + gamma[1] * gamma[1]) <
         LIMPET_STICKING_SHARE * constants->friction * gamma[2];
}

void limpet_impulse_prepare(limpet_contact_constants *constants,
                            const limpet_contact_settings *settings) {
  const double speed = constants->distance / constants->dt;
  constants->impulsive.gap_speed =
      speed > 0.0 ? speed : fmax(settings->error_reduction * speed, -settings->return_speed);
  constants->impulsive.softening = settings->softening;
}

double limpet_contact_model_no_slip_speed(const limpet_contact_constants *constants,
                                          const double gamma[3]) {
  (void)constants, (void)gamma;
  return 0.0;
}

double limpet_contact_model_no_energy(const limpet_contact_constants *constants, double phi) {
  (void)constants, (void)phi;
  return 0.0;
}
