/* law/normal_hunt_crossley.c: linear elasticity with Hunt-Crossley dissipation as a normal law.
 * hunt_crossley.h has the equations. */
#include "law/normal_law.h"

static double impulse(const limpet_normal_law *law, const limpet_normal_point *point, double v,
                      double *curvature, double *integral) {
  (void)law;
  const limpet_contact_constants c = {.dt = point->dt,
                                      .stiffness = point->stiffness,
                                      .dissipation = point->dissipation,
                                      .elastic_force = point->elastic_force};
  if (integral) *integral = limpet_hunt_crossley_integral(&c, v);
  return limpet_hunt_crossley(&c, v, curvature);
}

static double energy(const limpet_normal_law *law, const limpet_normal_point *point, double phi) {
  (void)law;
  return phi < 0.0 ? 0.5 * point->stiffness * phi * phi : 0.0;
}

const limpet_normal_law limpet_normal_law_hunt_crossley = {
    .descriptor =
        {.name = "hunt-crossley",
         .text = "Linear spring of the geoms' stiffness, multiplied by 1 - d v_n: no force in "
                 "tension, no jump at touch; what parts faster than 1/d is not held back.",
         .reference =
             "Castro, Han, Masterjohn, Irrotational Contact Fields, equations (7), (22), (23)"},
    .impulse = impulse,
    .linear = true,
    .energy = energy,
};
