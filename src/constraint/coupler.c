/* constraint/coupler.c: couplers: y - y_ref = c0 + c1 s + c2 s^2 + c3 s^3 + c4 s^4, s = x - x_ref,
 * of joints or tendons.
 *
 *   g = y - y_ref - polynomial(s)  [rad, m],  row a = dy - polynomial'(s) dx
 *   gamma = (v_hat - a v)/R, both signs;  near-rigid: R = c w,  v_hat = -g/(2 dt)
 * With the author's impedance: K, C (impedance.h).
 * References: MuJoCo documentation, equality; shared golden contact README, "coupler". */
#include <math.h>

#include "constraint/kind.h"
#include "law/impedance.h"
#include "math/extremes.h"
#include "math/vec3.h"

static int entries_of(const limpet_model *model, int coupler, int object) {
  if (object < 0) return 0;
  return model->coupler_tendon[coupler]
             ? model->tendon_dof_begin[object + 1] - model->tendon_dof_begin[object]
             : 1;
}

static void room(const limpet_model *model, int *rows, int *entries) {
  *rows += model->coupler_count;
  for (int i = 0; i < model->coupler_count; ++i)
    *entries +=
        entries_of(model, i, model->coupler_y[i]) + entries_of(model, i, model->coupler_x[i]);
}

// Coordinate relative to its reference, and the inverse weight at the reference pose.
static double coordinate(const limpet_model *model, const limpet_data *data, int coupler,
                         int object, double *weight) {
  if (model->coupler_tendon[coupler]) {
    *weight = model->tendon_inverse_weight[object];
    return data->tendon_length[object] - model->tendon_reference_length[object];
  }
  const int q = model->joint_q[object];
  *weight = model->dof_inverse_weight[model->joint_v[object]];
  return data->q[q] - model->q_reference[q];
}

double limpet_coupler_value(const limpet_model *model, const limpet_data *data, int coupler,
                            double *slope) {
  const double *c = model->coupler_coefficient + 5 * coupler;
  double weight;
  *slope = 0.0;
  if (model->coupler_x[coupler] < 0) return c[0];
  const double s = coordinate(model, data, coupler, model->coupler_x[coupler], &weight);
  *slope = c[1] + s * (2.0 * c[2] + s * (3.0 * c[3] + s * 4.0 * c[4]));
  return c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * c[4])));
}

static void row_of(limpet_row_builder *builder, int coupler, int object, double factor) {
  if (builder->model->coupler_tendon[coupler]) limpet_row_tendon(builder, object, factor);
  else limpet_row_joint(builder, object, factor);
}

static void end_row(limpet_row_builder *builder, int coupler, double weight, double g) {
  double K = INFINITY, C = 0.0;
  if (builder->model->coupler_has_impedance[coupler])
    limpet_impedance_stiffness(&builder->model->coupler_impedance[coupler], g,
                               builder->settings->dt, weight, &K, &C);
  const limpet_row_spring spring = {.g = g, .share = 1.0, .K = K, .C = C};
  limpet_row_end_equality(builder, limpet_row_weight(builder), &spring);
}

static void append(limpet_row_builder *builder) {
  const limpet_model *model = builder->model;
  if (model->options.disabled & LIMPET_DISABLE_EQUALITY) return;
  for (int i = 0; i < model->coupler_count; ++i) {
    if (!model->coupler_active[i]) continue;
    double weight_y, weight_x = 0.0, slope;
    const double y = coordinate(model, builder->data, i, model->coupler_y[i], &weight_y);
    if (model->coupler_x[i] >= 0)
      coordinate(model, builder->data, i, model->coupler_x[i], &weight_x);
    const double g = y - limpet_coupler_value(model, builder->data, i, &slope);
    limpet_row_begin(builder, i, g);
    row_of(builder, i, model->coupler_y[i], 1.0);
    if (model->coupler_x[i] >= 0) row_of(builder, i, model->coupler_x[i], -slope);
    end_row(builder, i, weight_y + weight_x, g);
  }
}

// Entries of a curved polynomial change with x.
static bool law(limpet_row_builder *builder, const limpet_constraint_row *row, double by,
                double *rate) {
  const limpet_model *model = builder->model;
  const int i = row->target;
  const double *c = model->coupler_coefficient + 5 * i;
  double weight_y, weight_x = 0.0;
  if (c[2] != 0.0 || c[3] != 0.0 || c[4] != 0.0) return false;
  coordinate(model, builder->data, i, model->coupler_y[i], &weight_y);
  if (model->coupler_x[i] >= 0) coordinate(model, builder->data, i, model->coupler_x[i], &weight_x);
  end_row(builder, i, weight_y + weight_x, row->error + by);
  *rate = 1.0;
  return true;
}

/* Near-rigid: v_hat = -g/(2 dt), 1/R = 1/(c w), where the return is slow enough to be whole. */
static bool slopes(const limpet_row_builder *builder, const limpet_constraint_row *row, double w,
                   limpet_law_slopes *to) {
  const double dt = builder->settings->dt, beta = builder->settings->equality_ratio;
  const double c = beta * beta / (4.0 * LIMPET_PI * LIMPET_PI) / limpet_max(row->hardness, 1.0);
  *to = (limpet_law_slopes){.v_hat_by_s = -1.0 / (2.0 * dt), .R_inverse_by_w = -1.0 / (c * w * w)};
  return !builder->model->coupler_has_impedance[row->target] &&
         limpet_row_return_share(builder, 2.0 * fabs(row->error)) == 1.0;
}

static const limpet_parameter parameters[] = {
    LIMPET_SETTING("equality_ratio", NAN,
                   "period of a near-rigid coupler over the time step (beta)"),
    LIMPET_SETTING("return_speed", NAN,
                   "at which couplers that start far from their polynomial come back, at most"),
};

const limpet_constraint_kind limpet_constraint_coupler = {
    .descriptor = {.name = "coupler",
                   .text = "One joint or tendon follows another by a polynomial of up to "
                           "fourth degree (mimic joints, MJCF equality "
                           "joint and tendon). Near-rigid: the error decays with the time constant "
                           "of two steps, at most at the return "
                           "speed; or with the author's "
                           "impedance.",
                   .reference = "MuJoCo documentation, equality; src/constraint/coupler.c",
                   .parameter_count = sizeof parameters / sizeof parameters[0],
                   .parameters = parameters},
    .room = room,
    .append = append,
    .law = law,
    .slopes = slopes,
};
