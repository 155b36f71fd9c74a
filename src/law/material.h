/* law/material.h: what two geoms make of their materials. */
#ifndef LIMPET_LAW_MATERIAL_H
#define LIMPET_LAW_MATERIAL_H

#include "limpet/model.h"

typedef struct limpet_pair_material {
  double friction;         // [-]  largest over directions for a pair of MJCF
  double friction_static;  // [-]  in stiction; at least `friction`
  double torsion;          // [m]  torsional friction length; 0: none
  double rolling;          // [m]  rolling friction length; 0: none
  double restitution;      // [-]  the larger one
  double stiffness;        // [N/m]  INFINITY: near-rigid
  double dissipation;      // [s/m]
  double relaxation_time;  // [s]
  double adhesion;         // [N]  pull of each contact
  double share_a;  // [-]  contact point = share_a (point on A) + (1 - share_a) (point on B): on the
                   // stiffer surface
  bool has_impedance;  // `impedance` decides instead of stiffness and dissipation
  limpet_impedance impedance;
} limpet_pair_material;

/* Two geoms, or the explicit pair `pair` (-1: none); geoms without a stiffness have
 * `rigid_stiffness` [N/m], INFINITY for rigid ones.
 *   k = kA kB/(kA + kB),  d = (kB dA + kA dB)/(kA + kB); a rigid partner leaves the other's values;
 *                         two rigid
 *     ones: near-rigid, mean d
 *   adhesion: the sum; the geom of higher priority decides alone; a pair has its own
 *   friction, static and sliding: maximum or harmonic mean, as the model's rule says; the geom
 *     of higher priority decides alone; a pair has no static one impedances of MJCF mix as in
 *     MuJoCo, by their weights */
limpet_pair_material limpet_material_combine(const limpet_model *model, double rigid_stiffness,
                                             int geom_a, int geom_b, int pair);

/* What differs where the geoms touch by a contact surface: moduli E take the place of stiffnesses
 * in the dissipation, d = (EB dA + EA dB)/(EA + EB), and torsion and rolling resistance come from
 * the surface itself. */
void limpet_material_combine_fields(const limpet_model *model, int geom_a, int geom_b,
                                    limpet_pair_material *material);

#endif
