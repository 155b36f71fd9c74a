/* constraint/tendon_limit.c: limits of tendons, with the rows of joint_limit.c.
 *
 *   l         length [m], a its row: dl/dt = a v
 *   g = l - lower, row +a;  g = upper - l, row -a
 * A limit is near-rigid, or a spring and damper [N/m, N s/m], or has the author's impedance with
 * the tendon's inverse weight. Near-rigid ones come back as limit_return.c has it, and at the
 * return speed at most, of the tendon and of each velocity alone that it hangs on: where a tendon
 * hardly changes its length, as at its shortest, a joint would have to race for it. */
#include <math.h>

#include "constraint/kind.h"
#include "law/impedance.h"
#include "math/extremes.h"

static void room(const limpet_model *model, int *rows, int *entries) {
  for (int i = 0; i < model->tendon_count; ++i) {
    if (!model->tendon_limited[i]) continue;
    *rows += 2;
    *entries += 2 * (model->tendon_dof_begin[i + 1] - model->tendon_dof_begin[i]);
  }
}

static double speed_of(const limpet_data *data, int tendon, const double *v) {
  const limpet_model *model = data->model;
  double speed = 0.0;
  for (int i = model->tendon_dof_begin[tendon]; i < model->tendon_dof_begin[tendon + 1]; ++i)
    speed += data->tendon_row[i] * v[model->tendon_dof[i]];
  return speed;
}

/* Largest speed of a joint, over that of the tendon, by an impulse of the row so far; 1 at least.
 * [-, rad/m] */
static double leverage(const limpet_row_builder *builder) {
  const limpet_contact_problem *p = builder->problem;
  const double w = limpet_row_weight(builder);
  double largest = w;
  for (int e = p->row[p->row_count].entry; e < p->entry_count; ++e)
    largest =
        limpet_max(largest, fabs(p->entry_value[e]) * builder->inverse_diagonal[p->entry_dof[e]]);
  return w > 0.0 ? largest / w : 1.0;
}

static void end_row(limpet_row_builder *builder, int tendon, double g) {
  const limpet_model *model = builder->model;
  double share = 1.0, led = 0.0;
  double K = model->tendon_limit_stiffness[tendon], C = model->tendon_limit_damping[tendon];
  if (model->tendon_has_limit_impedance[tendon])
    limpet_impedance_stiffness(&model->tendon_limit_impedance[tendon], limpet_min(g, 0.0),
                               builder->settings->dt, model->tendon_inverse_weight[tendon], &K, &C);
  else if (g < 0.0) share = limpet_row_return_share(builder, -g * leverage(builder));
  if (g < 0.0) led = limpet_row_limit_speed(builder);
  const limpet_row_spring spring = {.g = g, .share = share, .K = K, .C = C, .led = led};
  limpet_row_end_spring(builder, &spring, 0.0, INFINITY);
}

// [m]  from which a limit has a row.
static double reach_of(const limpet_data *data, const limpet_contact_problem *problem, int tendon) {
  const limpet_model *model = data->model;
  double fastest = 0.0;
  for (int i = model->tendon_dof_begin[tendon];
       problem->fastest && i < model->tendon_dof_begin[tendon + 1]; ++i)
    fastest += fabs(data->tendon_row[i]) * problem->fastest[model->tendon_dof[i]];
  const double speed = limpet_max(fabs(speed_of(data, tendon, data->v)),
                                  fabs(speed_of(data, tendon, problem->v_free)));
  return 2.0 * problem->dt * limpet_max(speed, fastest);
}

// g of a side of a tendon; *sign: of its row.
static double gap_of(const limpet_data *data, int tendon, int side, double *sign) {
  const limpet_model *model = data->model;
  *sign = side == 0 ? 1.0 : -1.0;
  return *sign * (data->tendon_length[tendon] - model->tendon_range[2 * tendon + side]) -
         model->tendon_limit_margin[tendon];
}

static bool passed(const limpet_model *model, const limpet_data *data,
                   const limpet_contact_problem *problem, const double *v, double allowed) {
  if (model->options.disabled & LIMPET_DISABLE_LIMIT) return false;
  for (int i = 0; i < model->tendon_count; ++i) {
    if (!model->tendon_limited[i]) continue;
    const double reach = reach_of(data, problem, i), speed = speed_of(data, i, v);
    for (int side = 0; side < 2; ++side) {
      double sign;
      const double g = gap_of(data, i, side, &sign);
      if (g > reach && g + problem->dt * sign * speed < -allowed) return true;
    }
  }
  return false;
}

static void append(limpet_row_builder *builder) {
  const limpet_model *model = builder->model;
  if (model->options.disabled & LIMPET_DISABLE_LIMIT) return;
  for (int i = 0; i < model->tendon_count; ++i) {
    if (!model->tendon_limited[i]) continue;
    const double reach =
        builder->settings->late_tendon_limits ? 0.0 : reach_of(builder->data, builder->problem, i);
    for (int side = 0; side < 2; ++side) {
      double sign;
      const double g = gap_of(builder->data, i, side, &sign);
      if (!(g <= reach)) continue;
      limpet_row_begin(builder, i, g);
      limpet_row_component(builder, side);
      limpet_row_tendon(builder, i, sign);
      end_row(builder, i, g);
    }
  }
}

/* Rows of a spatial tendon turn: the caller knows it. A return as fast as masses may go depends on
 * all that hangs on the tendon; the author's impedance does not. */
static bool law(limpet_row_builder *builder, const limpet_constraint_row *row, double by,
                double *rate) {
  const bool own = builder->model->tendon_has_limit_impedance[row->target] && row->stiffness > 0.0;
  if (row->error < 0.0 && !own && limpet_row_share_at(builder, -2.0 * row->error, row->led) < 1.0)
    return false;
  end_row(builder, row->target, row->error + by);
  *rate = 1.0;
  return true;
}

static const limpet_parameter parameters[] = {
    LIMPET_SETTING("constraint_ratio", NAN,
                   "period of a near-rigid limit over the time step (beta)"),
    LIMPET_SETTING(
        "return_speed", NAN,
        "at which a tendon that starts far outside a near-rigid limit comes back, at most; with "
        "coulomb the masses that it leads move with a hundredth of it"),
};

const limpet_constraint_kind limpet_constraint_tendon_limit = {
    .descriptor = {.name = "tendon limit",
                   .text = "Length limits of tendons, one-sided and near-rigid, with a "
                           "stiffness and damping, or with the "
                           "author's impedance.",
                   .reference = "as joint limits; src/constraint/tendon_limit.c",
                   .parameter_count = sizeof parameters / sizeof parameters[0],
                   .parameters = parameters},
    .room = room,
    .append = append,
    .law = law,
    .passed = passed,
};
