/* constraint/distance.c: distance: the points P of body A and Q of body B stay a length L apart, as
 * the ends of a rod or of a spring.
 *
 *   g = |Q - P| - L  [m],  row u'(J_Q - J_P),  u = (Q - P)/|Q - P|
 *   gamma = (v_hat - a v)/R, both signs
 *   near-rigid  R = c w,  v_hat = -g/(2 dt) - bias
 *   spring K, damper C
 *               R = 1/(dt (dt K + C)),  v_hat = -K g/(dt K + C);  at most near-rigid
 *   impedance   K, C of the author's impedance
 *   bias        dt/2 (u . (a_Q - a_P) + |v_t|^2/|Q - P|), a at constant joint velocities, v_t the
 *               velocity of Q - P across u
 * Where P and Q coincide the force has no direction of its own; u is then the x axis.
 * Reference: shared golden contact README, "distance". */
#include <math.h>

#include "constraint/loop.h"
#include "law/impedance.h"
#include "math/vec3.h"
#include "model/point_velocity.h"

static void room(const limpet_model *model, int *rows, int *entries) {
  limpet_loop_room(model, LIMPET_LOOP_DISTANCE, 1, rows, entries);
}

static double bias_of(const limpet_row_builder *builder, int index, const limpet_loop *loop,
                      const double u[3], double length) {
  const limpet_model *model = builder->model;
  const limpet_data *data = builder->data;
  const int *body = model->loop_body + 2 * index;
  const double dt = builder->settings->dt;
  double v[3], of_a[3];
  if (!builder->settings->curved_paths) return 0.0;
  limpet_point_velocity_by(model, data, data->body_velocity, body[0], loop->P, of_a);
  limpet_point_velocity_by(model, data, data->body_velocity, body[1], loop->Q, v);
  limpet_vec3_sub(v, v, of_a);
  const double along = limpet_vec3_dot(u, v), across = limpet_vec3_dot(v, v) - along * along;
  return limpet_vec3_dot(u, loop->bias + 3) + (length > 0.0 ? 0.5 * dt * across / length : 0.0);
}

static void append_loop(limpet_row_builder *builder, int index) {
  const limpet_model *model = builder->model;
  limpet_loop loop;
  double u[3];
  limpet_loop_state(builder, index, &loop);
  limpet_loop_columns(builder, index, loop.P, loop.Q, false, &loop);
  if (loop.column_count == 0) return;
  limpet_vec3_sub(u, loop.Q, loop.P);
  const double length = limpet_vec3_norm(u), g = length - model->loop_length[index];
  if (length > 0.0) limpet_vec3_scale(u, 1.0 / length, u);
  else limpet_vec3_set(u, 1.0, 0.0, 0.0);

  double K = model->loop_stiffness[index], C = model->loop_damping[index];
  if (model->loop_has_impedance[index])
    limpet_impedance_stiffness(&model->loop_impedance[index], g, builder->settings->dt,
                               limpet_loop_inverse_weight(model, index, false), &K, &C);
  double w = 0.0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) w += u[i] * loop.D[6 * (3 + i) + 3 + j] * u[j];
  for (int k = 0; k < loop.column_count; ++k)
    builder->path_column[6 * k] = limpet_vec3_dot(u, builder->path_column + 6 * k + 3);
  limpet_row_begin(builder, index, g);
  limpet_row_entries(builder, loop.column_count, builder->path_dof, builder->path_column, 6);
  const double bias = bias_of(builder, index, &loop, u, length);
  const limpet_row_spring spring = {.g = g, .share = 1.0, .bias = bias, .K = K, .C = C};
  limpet_row_end_equality(builder, limpet_loop_bear(builder, index, loop.P, false, w), &spring);
}

static void append(limpet_row_builder *builder) {
  for (int i = 0; i < builder->model->loop_count; ++i)
    if (limpet_loop_acts(builder->model, LIMPET_LOOP_DISTANCE, i)) append_loop(builder, i);
}

static const limpet_parameter parameters[] = {
    LIMPET_SETTING("equality_ratio", NAN,
                   "period of a near-rigid distance over the time step (beta)"),
    LIMPET_SETTING("return_speed", NAN,
                   "at which a length that starts far off comes back, at most"),
    {"stiffness", "N/m", INFINITY, 0.0, INFINITY, "of a rod or spring; infinite: near-rigid"},
    {"damping", "N s/m", 0.0, 0.0, INFINITY, "of a rod or spring with a stiffness"},
};

const limpet_constraint_kind limpet_constraint_distance = {
    .descriptor = {.name = "distance",
                   .text = "A point of one body stays a given length from a point of another, as "
                           "if a rod joined them, or a spring with "
                           "stiffness and damping, taken implicitly; a body may be the world. "
                           "Near-rigid: the error decays with the time "
                           "constant of two steps, at most at the return speed.",
                   .reference = "Drake, distance constraint; src/constraint/distance.c",
                   .parameter_count = sizeof parameters / sizeof parameters[0],
                   .parameters = parameters},
    .room = room,
    .append = append,
};
