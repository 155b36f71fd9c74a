/* constraint/limit_return.c: the speed at which what starts outside of a limit comes back.
 *
 *   u = min(v_c/s, v_r/j)   [m/s, rad/s]  of the row; v_r: the return speed, v_c: a share of it
 *   s = sqrt(sum (S_i a_i/A_ii)^2)/w         speed of masses over that of the row
 *   j = max(1, |a_i/A_ii|/w)                 most speed of a joint over that of the row
 *   S_i = sqrt(S . I^c S/m^c)                root mean square of the speeds of the mass m^c that
 *                                            hangs on velocity i, per unit of it [1, m]
 * A limit acts one way: what it leads back it does not slow down. So the masses move with v_c, at
 * which contacts come back, whatever the row measures: with 20 mm/s it gives m^c v_c^2/2, 0.2 mJ a
 * kilogram, and what armature has besides. A hinge comes back with v_c over the radius of gyration
 * of what it carries, a tendon where it hardly changes its length with next to nothing. s is that
 * of an impulse along the row with the diagonal of A, as w is: exact for one velocity, and for a
 * body that is free about its centre of mass.
 * u does not depend on the step, so that motion converges with it. It bounds no force: the impulse
 * at rest is that of the whole error (kinds.c). Cost: the bodies that hang on the row's velocities.
 */
#include <math.h>

#include "constraint/row.h"
#include "math/spatial.h"
#include "model/workspace.h"

// S_i^2 [1, m^2]
static double square_speed(const limpet_model *model, const limpet_data *data, int dof) {
  const int joint = model->dof_joint[dof], body = model->dof_body[dof];
  const limpet_joint_kind kind = model->joint_kind[joint];
  if (kind == LIMPET_JOINT_PRISMATIC ||
      (kind == LIMPET_JOINT_FREE && dof < model->joint_v[joint] + 3))
    return 1.0;
  double I[10] = {0.0}, momentum[6];
  for (int b = body; b < model->body_subtree_end[body]; ++b)
    for (int k = 0; k < 10; ++k) I[k] += data->body_inertia[10 * b + k];
  if (!(I[0] > 0.0)) return 0.0;
  limpet_spatial_inertia_mul(momentum, I, data->dof_axis + 6 * dof);
  return limpet_max(limpet_spatial_dot(data->dof_axis + 6 * dof, momentum) / I[0], 0.0);
}

double limpet_row_limit_speed(const limpet_row_builder *builder) {
  const limpet_contact_problem *p = builder->problem;
  const limpet_assembly_settings *settings = builder->settings;
  if (isinf(settings->length_return)) return settings->return_speed;
  const double w = limpet_row_weight(builder);
  double squares = 0.0, fastest = w;
  for (int e = limpet_row_now(builder)->entry; e < p->entry_count; ++e) {
    const int dof = p->entry_dof[e];
    const double speed = p->entry_value[e] * builder->inverse_diagonal[dof];
    squares += speed * speed * square_speed(builder->model, builder->data, dof);
    fastest = limpet_max(fastest, fabs(speed));
  }
  const double s = sqrt(squares), largest = settings->return_speed * w / fastest;
  return s * largest > settings->length_return * w ? settings->length_return * w / s : largest;
}
