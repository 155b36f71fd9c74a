/* constraint/dry_friction.c: dry friction of joints and tendons: gamma = clamp(-u/R, -dt f,
 * dt f), u the joint's velocity.
 *
 *   Coulomb  R = max(sigma w, v_s/(dt f)), with sigma and v_s of contact friction. The joint slips
 *            with the full force f from the speed dt f R on. Below it creeps in proportion, with
 *            max(v_s, sigma w dt f) at most  [m/s, rad/s].
 *   soft     MuJoCo's frictionloss: a_ref = -b u,  force = (a_ref - a)/R_mj,
 *            R_mj = (1 - d(0))/d(0) Ahat, from solreffriction and solimpfriction. The joint slips
 *            from the speed f R_mj/b on; so R = R_mj/(dt b).
 * Reference: MuJoCo documentation, friction loss; the cost is Huber's. */
#include <math.h>

#include "constraint/kind.h"
#include "law/impedance.h"
#include "math/extremes.h"

static void room(const limpet_model *model, int *rows, int *entries) {
  int rubs = 0;
  for (int i = 0; i < model->nv; ++i) rubs += model->dof_dry_friction[i] > 0.0;
  *rows += rubs, *entries += rubs;
  for (int i = 0; i < model->tendon_count; ++i)
    if (model->tendon_dry_friction[i] > 0.0)
      ++*rows, *entries += model->tendon_dof_begin[i + 1] - model->tendon_dof_begin[i];
}

static double soft_resistance(const limpet_impedance *impedance, double dt, double weight) {
  return 1.0 / (dt * limpet_impedance_damping_at_rest(impedance, dt, weight));
}

static double coulomb_resistance(const limpet_row_builder *builder, double w, double force) {
  const limpet_contact_settings *contact = &builder->settings->contact;
  return limpet_max(contact->friction_regularization * w,
                    contact->stiction_speed / (builder->settings->dt * force));
}

// R of a joint's velocity with the weight w.
static double joint_resistance(const limpet_row_builder *builder, int dof, double w) {
  const limpet_model *model = builder->model;
  if (model->dof_dry_friction_kind[dof] == LIMPET_DRY_FRICTION_SOFT)
    return soft_resistance(&model->dof_dry_friction_impedance[dof], builder->settings->dt,
                           model->dof_inverse_weight[dof]);
  return coulomb_resistance(builder, w, model->dof_dry_friction[dof]);
}

static void append(limpet_row_builder *builder) {
  const limpet_model *model = builder->model;
  const double dt = builder->settings->dt;
  if (model->options.disabled & LIMPET_DISABLE_DRY_FRICTION) return;
  for (int i = 0; i < model->nv; ++i) {
    const double f = model->dof_dry_friction[i];
    if (!(f > 0.0) || limpet_row_is_still(builder->problem, i)) continue;
    const double R = joint_resistance(builder, i, builder->inverse_diagonal[i]);
    limpet_row_single(builder, i, i, 1.0, R, 0.0, -dt * f, dt * f, 0.0);
  }
  for (int i = 0; i < model->tendon_count; ++i) {
    const double f = model->tendon_dry_friction[i];
    if (!(f > 0.0)) continue;
    limpet_row_begin(builder, i, 0.0);
    limpet_row_component(builder, 1);
    limpet_row_tendon(builder, i, 1.0);
    limpet_row_end(builder,
                   soft_resistance(&model->tendon_dry_friction_impedance[i], dt,
                                   model->tendon_inverse_weight[i]),
                   0.0, -dt * f, dt * f);
  }
}

// Of a tendon R does not depend on the state.
static bool law(limpet_row_builder *builder, const limpet_constraint_row *row, double by,
                double *rate) {
  (void)by;
  *rate = 0.0;
  if (row->component != 0) {
    limpet_row_end(builder, 1.0 / row->R_inverse, 0.0, row->lower, row->upper);
    return true;
  }
  const double most = builder->settings->dt * builder->model->dof_dry_friction[row->target];
  limpet_row_end(builder, joint_resistance(builder, row->target, limpet_row_weight(builder)), 0.0,
                 -most, most);
  return true;
}

static const double near_switch = 1e-2;  // [-]  of R = v_s/(dt f), that slopes keep away from

// Of the weight alone, where Coulomb's R goes by it.
static bool slopes(const limpet_row_builder *builder, const limpet_constraint_row *row, double w,
                   limpet_law_slopes *to) {
  const limpet_model *model = builder->model;
  *to = (limpet_law_slopes){.known = true};
  if (row->component != 0 || model->dof_dry_friction_kind[row->target] == LIMPET_DRY_FRICTION_SOFT)
    return true;
  const limpet_contact_settings *contact = &builder->settings->contact;
  const double own = contact->friction_regularization * w,
               least = contact->stiction_speed /
                       (builder->settings->dt * model->dof_dry_friction[row->target]);
  if (own > least) to->R_inverse_by_w = -1.0 / (own * w);
  return fabs(own - least) > near_switch * least;
}

static const limpet_parameter parameters[] = {
    LIMPET_SETTING("stiction_speed", NAN, "Coulomb: drift below the full friction force, at most"),
    LIMPET_SETTING("friction_regularization", NAN,
                   "Coulomb: the drift grows to sigma w dt f where that is larger"),
};

const limpet_constraint_kind limpet_constraint_dry_friction = {
    .descriptor = {.name = "dry friction",
                   .text = "Dry friction of joints and tendons: a force that opposes motion "
                           "up to a bound. Coulomb (builder, URDF): "
                           "sticks with a stated drift. Soft (MJCF frictionloss): slips as "
                           "MuJoCo's, with the speed that solreffriction and "
                           "solimpfriction set.",
                   .reference =
                       "MuJoCo documentation, friction loss; src/constraint/dry_friction.c",
                   .parameter_count = sizeof parameters / sizeof parameters[0],
                   .parameters = parameters},
    .room = room,
    .append = append,
    .law = law,
    .slopes = slopes,
};
