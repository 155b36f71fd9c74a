/* constraint/loop_wrench.c: what loops exert on bodies. A row of the loop's velocity, B's less A's,
 * pushes B along it and A against it. */
#include "constraint/loop.h"
#include "dynamics/body_forces.h"
#include "math/vec3.h"

static void point_of(const limpet_model *model, const limpet_data *data, int loop, int side,
                     double point[3]) {
  const int body = model->loop_body[2 * loop + side];
  limpet_mat3_mul_vec(point, data->body_rotation + 9 * body,
                      model->loop_position + 6 * loop + 3 * side);
  limpet_vec3_add(point, point, data->body_position + 3 * body);
}

// One row of a loop, with the force (or moment) `f` along it.
static void add_row(const limpet_model *model, const limpet_data *data, int loop, int component,
                    double f, double *wrench) {
  const int *body = model->loop_body + 2 * loop;
  double at[2][3], force[3] = {0.0, 0.0, 0.0};
  for (int side = 0; side < 2; ++side) point_of(model, data, loop, side, at[side]);
  switch (model->loop_kind[loop]) {
    case LIMPET_LOOP_CONNECT: force[component] = f; break;
    case LIMPET_LOOP_DISTANCE:
      limpet_vec3_sub(force, at[1], at[0]);
      if (limpet_vec3_norm(force) > 0.0)
        limpet_vec3_scale(force, f / limpet_vec3_norm(force), force);
      else limpet_vec3_set(force, f, 0.0, 0.0);
      break;
    case LIMPET_LOOP_WELD:
      if (component < 3) {
        wrench[6 * body[0] + component] -= f;
        wrench[6 * body[1] + component] += f;
        return;
      }
      force[component - 3] = f;
      for (int k = 0; k < 3; ++k)
        at[0][k] = at[1][k] = 0.5 * (at[0][k] + at[1][k]);  // both act in the middle
      break;
  }
  limpet_body_force_add(data, body[0], at[0], -1.0, force, wrench);
  limpet_body_force_add(data, body[1], at[1], 1.0, force, wrench);
}

void limpet_loop_wrenches_add(const limpet_model *model, const limpet_data *data, double *wrench) {
  const limpet_constraint_kind *const *kinds = limpet_constraint_kinds();
  for (int i = 0; i < data->constraint_count; ++i) {
    const limpet_constraint_kind *kind = kinds[data->constraint_kind[i]];
    if (kind != &limpet_constraint_connect && kind != &limpet_constraint_weld &&
        kind != &limpet_constraint_distance)
      continue;
    add_row(model, data, data->constraint_target[i], data->constraint_component[i],
            data->constraint_force[i], wrench);
  }
}
