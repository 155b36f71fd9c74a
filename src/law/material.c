/* law/material.c: combination of the materials of two geoms: see material.h. Sources: shared
 * reference drake.md, 5.2; MuJoCo documentation, Contact parameters. */
#include "law/material.h"

#include <math.h>

#include "math/extremes.h"

static double friction_of(const limpet_model *model, double a, double b) {
  if (model->options.friction_rule == LIMPET_FRICTION_MAXIMUM) return limpet_max(a, b);
  return a + b > 0.0 ? 2.0 * a * b / (a + b) : 0.0;
}

static double static_friction_of(const limpet_material *material) {
  return isnan(material->friction_static) ? material->friction : material->friction_static;
}

static double stiffness_or(const limpet_material *material, double rigid_stiffness) {
  return isinf(material->stiffness) ? rigid_stiffness : material->stiffness;
}

static void stiffness_of(limpet_pair_material *result, const limpet_material *a,
                         const limpet_material *b, double rigid_stiffness) {
  const double k_a = stiffness_or(a, rigid_stiffness), k_b = stiffness_or(b, rigid_stiffness);
  const bool rigid_a = isinf(k_a), rigid_b = isinf(k_b);
  if (rigid_a && rigid_b) {
    result->stiffness = INFINITY;
    result->dissipation = 0.5 * (a->dissipation + b->dissipation);
    result->share_a = 0.5;
  } else if (rigid_a || rigid_b) {
    const limpet_material *soft = rigid_a ? b : a;
    result->stiffness = rigid_a ? k_b : k_a;
    result->dissipation = soft->dissipation;
    result->share_a = rigid_a ? 1.0 : 0.0;
  } else {
    const double sum = k_a + k_b;
    result->stiffness = sum > 0.0 ? k_a * k_b / sum : 0.0;
    result->dissipation = sum > 0.0 ? (k_b * a->dissipation + k_a * b->dissipation) / sum : 0.0;
    result->share_a = sum > 0.0 ? k_a / sum : 0.5;
  }
}

// Weighted mean of two impedances; direct forms (negative references) by their smaller values.
static limpet_impedance impedance_mix(const limpet_impedance *a, const limpet_impedance *b,
                                      double weight_a, double weight_b) {
  double share = 0.5;
  if (weight_a >= 1e-15 && weight_b >= 1e-15) share = weight_a / (weight_a + weight_b);
  else if (weight_a >= 1e-15) share = 1.0;
  else if (weight_b >= 1e-15) share = 0.0;
  limpet_impedance mix;
  const bool standard = a->reference[0] > 0.0 && b->reference[0] > 0.0;
  for (int i = 0; i < 2; ++i)
    mix.reference[i] = standard ? share * a->reference[i] + (1.0 - share) * b->reference[i]
                                : limpet_min(a->reference[i], b->reference[i]);
  for (int i = 0; i < 5; ++i)
    mix.impedance[i] = share * a->impedance[i] + (1.0 - share) * b->impedance[i];
  return mix;
}

limpet_pair_material limpet_material_combine(const limpet_model *model, double rigid_stiffness,
                                             int geom_a, int geom_b, int pair) {
  const limpet_material *a = &model->geom_material[geom_a], *b = &model->geom_material[geom_b];
  limpet_pair_material result = {0};
  stiffness_of(&result, a, b, rigid_stiffness);
  result.relaxation_time = a->relaxation_time + b->relaxation_time;
  result.restitution = limpet_max(a->restitution, b->restitution);
  const bool near_rigid = isinf(result.stiffness);
  if (pair >= 0) {
    const double *friction = model->pair_friction + 5 * pair;
    result.friction = result.friction_static =
        model->pair_condim[pair] == 1 ? 0.0 : limpet_max(friction[0], friction[1]);
    result.torsion = model->pair_condim[pair] < 4 ? 0.0 : friction[2];
    result.rolling = model->pair_condim[pair] < 6 ? 0.0 : limpet_max(friction[3], friction[4]);
    result.adhesion = model->pair_adhesion[pair];
    result.has_impedance = near_rigid && model->pair_has_impedance[pair];
    result.impedance = model->pair_impedance[pair];
    return result;
  }

  // the geom of higher priority decides alone
  const int priority = model->geom_priority[geom_a] - model->geom_priority[geom_b];
  if (priority != 0) {
    const int winner = priority > 0 ? geom_a : geom_b;
    const limpet_material *material = &model->geom_material[winner];
    const bool frictionless = model->geom_condim[winner] == 1;
    result.friction = frictionless ? 0.0 : material->friction;
    result.friction_static = frictionless ? 0.0 : static_friction_of(material);
    result.torsion = model->geom_condim[winner] < 4 ? 0.0 : material->friction_torsional;
    result.rolling = model->geom_condim[winner] < 6 ? 0.0 : material->friction_rolling;
    result.adhesion = material->adhesion;
    result.has_impedance = near_rigid && material->has_impedance;
    result.impedance = material->impedance;
    return result;
  }

  const int condim = model->geom_condim[geom_a] > model->geom_condim[geom_b]
                         ? model->geom_condim[geom_a]
                         : model->geom_condim[geom_b];
  result.friction = condim == 1 ? 0.0 : friction_of(model, a->friction, b->friction);
  const bool one = isnan(a->friction_static) && isnan(b->friction_static);
  result.friction_static = condim == 1 || one
                               ? result.friction
                               : friction_of(model, static_friction_of(a), static_friction_of(b));
  result.torsion =
      condim < 4 ? 0.0 : friction_of(model, a->friction_torsional, b->friction_torsional);
  result.rolling = condim < 6 ? 0.0 : friction_of(model, a->friction_rolling, b->friction_rolling);
  result.adhesion = a->adhesion + b->adhesion;
  result.has_impedance = near_rigid && (a->has_impedance || b->has_impedance);
  if (result.has_impedance)
    result.impedance =
        impedance_mix(&a->impedance, &b->impedance, model->geom_impedance_mix[geom_a],
                      model->geom_impedance_mix[geom_b]);
  return result;
}

void limpet_material_combine_fields(const limpet_model *model, int geom_a, int geom_b,
                                    limpet_pair_material *material) {
  const limpet_material *a = &model->geom_material[geom_a], *b = &model->geom_material[geom_b];
  const double share_a = isinf(a->elastic_modulus) ? 0.0
                         : isinf(b->elastic_modulus)
                             ? 1.0
                             : b->elastic_modulus / (a->elastic_modulus + b->elastic_modulus);
  material->dissipation = share_a * a->dissipation + (1.0 - share_a) * b->dissipation;
  material->share_a = 0.5;
  material->torsion = material->rolling = 0.0;
  material->has_impedance = false;
}
