/* law/friction_shape.h: friction that depends on the direction of slip.
 *
 *   gamma_t = -gamma_n mu (mu v_t)/sqrt(|mu v_t|^2 + eps^2)                                  (31)
 *   mu = m (e1 e1' + s e2 e2'),  0 < s <= 1
 * The cost of every model depends on v_t through mu v_t alone. So the rows of the tangents e1, e2
 * are scaled by 1 and s, and an isotropic law of coefficient m is used. The physical impulses are
 * those on the scaled rows, times the scale.
 * Reference: Castro, Han, Masterjohn, Irrotational Contact Fields, appendix B. */
#ifndef LIMPET_LAW_FRICTION_SHAPE_H
#define LIMPET_LAW_FRICTION_SHAPE_H

#include "law/geom_pair.h"
#include "limpet/data.h"

typedef struct limpet_friction_shape {
  double largest;   // [-]  m over the coefficient that the two geoms combine to
  double scale[2];  // [-]  1, s
} limpet_friction_shape;

// Whether friction of the pair depends on direction.
bool limpet_friction_shape_matters(const limpet_model *model, const limpet_geom_pair *pair);

/* Principal axes of friction as tangents of `frame` (rows t1, t2, n in W; n is given), and their
 * shape. Needs geom poses.
 *   one geom      e along its friction axis, laid into the tangent plane: 1; across it: its ratio
 *   two geoms     exp(log S_A + log S_B): ratios of equal axes multiply, crossed axes each keep
 *                 theirs; the geom of higher priority decides alone
 *   MJCF pair     its first two coefficients, along the tangents of MuJoCo's contact frame
 * An axis along the normal counts as some tangent. Ratios below 1e-6 count as that. */
limpet_friction_shape limpet_friction_shape_of(const limpet_model *model, const limpet_data *data,
                                               const limpet_geom_pair *pair, double frame[9]);

#endif
