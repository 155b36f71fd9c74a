/* constraint/tendon_row_wrench.c: see tendon.h. A row whose force is f has f times its factor along
 * each of its tendons: +1 or -1 of a limit, 1 of dry friction, armature and springs, 1 and -slope
 * of a coupler. */
#include "constraint/kind.h"
#include "constraint/tendon.h"
#include "dynamics/tendon_wrench.h"

void limpet_tendon_row_wrenches_add(const limpet_model *model, const limpet_data *data,
                                    double *wrench) {
  for (int i = 0; i < data->constraint_count; ++i) {
    const limpet_constraint_kind *kind = limpet_constraint_kinds()[data->constraint_kind[i]];
    const int target = data->constraint_target[i], component = data->constraint_component[i];
    const double f = data->constraint_force[i];
    if (kind == &limpet_constraint_tendon_armature || kind == &limpet_constraint_tendon_spring) {
      limpet_tendon_wrench_add(model, data, target, f, wrench);
    } else if (kind == &limpet_constraint_tendon_limit) {
      limpet_tendon_wrench_add(model, data, target, component == 0 ? f : -f, wrench);
    } else if (kind == &limpet_constraint_dry_friction && component == 1) {
      limpet_tendon_wrench_add(model, data, target, f, wrench);
    } else if (kind == &limpet_constraint_coupler && model->coupler_tendon[target]) {
      double slope;
      limpet_coupler_value(model, data, target, &slope);
      limpet_tendon_wrench_add(model, data, model->coupler_y[target], f, wrench);
      if (model->coupler_x[target] >= 0)
        limpet_tendon_wrench_add(model, data, model->coupler_x[target], -slope * f, wrench);
    }
  }
}
