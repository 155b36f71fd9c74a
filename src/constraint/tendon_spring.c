/* constraint/tendon_spring.c: springs and dampers of tendons over several trees.
 *
 *   gamma = dt (f - (c + dt k) a v),   R = 1/(dt (c + dt k)),   v_hat = f/(c + dt k)
 * the impulse of the spring at the end of the step, linear about its start, and of the damper at
 * the velocity there:
 *   f  [N]            force of the spring at the start, along the tendon
 *   k  [N/m]          its stiffness, of what grows the larger one of rate and slope; 0 within the
 *                     range of rest lengths
 *   c  [N s/m]        rate of the damper, of what grows at the speed of the start
 *   a                 row of the tendon: dl/dt = a v
 * Within one tree dt (c + dt k) a a' is a part of A and f of the momentum (step/free_motion.c).
 * Over several trees it couples their blocks, which are apart; so it is a row, whose Hessian adds
 * the same to A of all trees together: no step is too long for it, and nothing is softened. It acts
 * along the tendon, and keeps the momentum of what it joins. A damper that drives (c < 0) is a
 * force at the start. */
#include <math.h>

#include "constraint/kind.h"
#include "dynamics/joint_spring.h"
#include "math/extremes.h"
#include "model/tendon_path.h"

// Whether a tendon may have a row.
static bool may_act(const limpet_model *model, int tendon) {
  return (model->tendon_damping[tendon] != 0.0 || model->tendon_stiffness[tendon] != 0.0 ||
          limpet_spring_grows(model->tendon_damping_growth + 2 * tendon) ||
          limpet_spring_grows(model->tendon_stiffness_growth + 2 * tendon)) &&
         limpet_tendon_tree(model, tendon) < 0;
}

static void room(const limpet_model *model, int *rows, int *entries) {
  for (int i = 0; i < model->tendon_count; ++i)
    if (may_act(model, i))
      ++*rows, *entries += model->tendon_dof_begin[i + 1] - model->tendon_dof_begin[i];
}

static void append(limpet_row_builder *builder) {
  const limpet_model *model = builder->model;
  const double dt = builder->settings->dt;
  if (!builder->settings->implicit_tendons) return;
  for (int i = 0; i < model->tendon_count; ++i) {
    if (!may_act(model, i)) continue;
    const limpet_tendon_spring spring =
        limpet_tendon_implicit_spring(model, builder->data, i, builder->settings->explicit_springs);
    const double slope = limpet_max(spring.c, 0.0) + dt * spring.k;
    if (!(slope > 0.0)) continue;
    limpet_row_begin(builder, i, 0.0);
    limpet_row_tendon(builder, i, 1.0);
    limpet_row_end(builder, 1.0 / (dt * slope), spring.force / slope, -INFINITY, INFINITY);
  }
}

const limpet_constraint_kind limpet_constraint_tendon_spring = {
    .descriptor = {.name = "tendon spring",
                   .text = "Spring and damper of a tendon over several kinematic trees, taken "
                           "implicitly. Within one tree they are a part of the matrix of the step.",
                   .reference = "src/constraint/tendon_spring.c"},
    .room = room,
    .append = append,
};
