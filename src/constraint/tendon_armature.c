/* constraint/tendon_armature.c: armature of tendons over several trees.
 *
 * The rotor of a tendon of length l with armature m [kg] has the kinetic energy m l'^2/2, l' = a v
 * with its row a. Within one tree m a a' is a part of the mass matrix (dynamics/crba.c). Over
 * several trees it couples their blocks, which are apart; so it is a row of the step,
 *   gamma = -m (a v1 - a v0 + dt a' v0),   R = 1/m,  v_hat = a v0 - dt a' v0
 * the impulse that changes the rotor's speed from l' at the start to a v1 + dt a' v0 at the end: to
 * first order that of (a v)' = l''. Its cost m (a v - v_hat)^2/2 is convex, and A + m a a' the mass
 * matrix of both trees. Within a step of constant a it takes m ((a v1)^2 - (a v0)^2)/2 from the
 * trees to round-off. It acts along the tendon, so it keeps the momentum of what it joins. a' v0
 * [m/s^2]: dynamics/tendon_bias.c. */
#include <math.h>

#include "constraint/kind.h"
#include "dynamics/tree.h"
#include "model/tendon_path.h"

static void room(const limpet_model *model, int *rows, int *entries) {
  for (int i = 0; i < model->tendon_count; ++i)
    if (limpet_tendon_shared_armature(model, i) > 0.0)
      ++*rows, *entries += model->tendon_dof_begin[i + 1] - model->tendon_dof_begin[i];
}

static void append(limpet_row_builder *builder) {
  const limpet_model *model = builder->model;
  const limpet_data *data = builder->data;
  if (builder->settings->without_mass) return;
  for (int i = 0; i < model->tendon_count; ++i) {
    const double armature = limpet_tendon_shared_armature(model, i);
    if (!(armature > 0.0)) continue;
    double speed = -builder->settings->dt * limpet_tendon_row_rate(model, data, i);
    limpet_row_begin(builder, i, 0.0);
    limpet_row_tendon(builder, i, 1.0);
    const limpet_contact_problem *problem = builder->problem;
    for (int e = limpet_row_now(builder)->entry; e < problem->entry_count; ++e)
      speed += problem->entry_value[e] * data->v[problem->entry_dof[e]];
    limpet_row_end(builder, 1.0 / armature, speed, -INFINITY, INFINITY);
  }
}

const limpet_constraint_kind limpet_constraint_tendon_armature = {
    .descriptor = {.name = "tendon armature",
                   .text =
                       "Armature of a tendon over several kinematic trees: the impulse that its "
                       "rotor takes up. Within one tree armature is a part of the mass matrix.",
                   .reference = "src/constraint/tendon_armature.c"},
    .room = room,
    .append = append,
};
