/* constraint/weld.c: weld: the frame at P on body A and that at Q on body B coincide.
 *
 *   g = (rotation vector from the frame at P to that at Q, Q - P)  [rad, m, W]
 *   rows   spatial velocity of B minus that of A (6), both at the midpoint of P and Q, so that
 *          impulse and moment balance
 *   gamma = (v_hat - a v)/R, both signs;  near-rigid: R = c w,  v_hat = -g/(2 dt) - bias
 *   w      one for the three rotations and one for the three translations. With one for all six,
 *          as in Drake (settings.mixed_weld_weight), metres and radians mix, and a light hand that
 *          is welded on gives way
 *   torque scale s   rotations are resisted with s^2: R = c w/s^2, at most near-rigid; 0: free
 * With the author's impedance: K, C (impedance.h), r = |(s/2 turn, Q - P)|; the rotational rows are
 * MuJoCo's, s/2 times ours.
 * References: MuJoCo documentation, equality weld; shared golden contact README, "weld". */
#include <math.h>

#include "constraint/loop.h"
#include "law/impedance.h"
#include "math/vec3.h"

static void room(const limpet_model *model, int *rows, int *entries) {
  limpet_loop_room(model, LIMPET_LOOP_WELD, 6, rows, entries);
}

// Three rows with the error g, from the component `first` of the columns on.
static void append_rows(limpet_row_builder *builder, int index, const limpet_loop *loop, int first,
                        const double g[3], double weight, double K, double C) {
  const double share = builder->model->loop_has_impedance[index]
                           ? 1.0
                           : limpet_row_return_share(builder, limpet_vec3_norm(g));
  for (int i = 0; i < 3; ++i) {
    limpet_row_begin(builder, index, g[i]);
    limpet_row_component(builder, first + i);
    limpet_row_entries(builder, loop->column_count, builder->path_dof,
                       builder->path_column + first + i, 6);
    const limpet_row_spring spring = {g[i], share, loop->bias[first + i], K, C, 0.0};
    limpet_row_end_equality(builder, weight, &spring);
  }
}

static void append_loop(limpet_row_builder *builder, int index) {
  const limpet_model *model = builder->model;
  const double s = model->loop_torque_scale[index], dt = builder->settings->dt;
  limpet_loop loop;
  double g[3], middle[3], K[2] = {INFINITY, INFINITY}, C[2] = {0.0, 0.0};
  limpet_loop_state(builder, index, &loop);
  limpet_vec3_sub(g, loop.Q, loop.P);
  limpet_vec3_addmul(middle, loop.P, 0.5, g);
  limpet_loop_columns(builder, index, middle, middle, true, &loop);
  if (loop.column_count == 0) return;

  double weight[2];
  for (int part = 0; part < 2; ++part)
    weight[part] =
        limpet_loop_bear(builder, index, middle, part == 0, limpet_loop_weight(&loop, 3 * part, 3));
  if (builder->settings->mixed_weld_weight) weight[0] = weight[1] = limpet_loop_weight(&loop, 0, 6);
  if (model->loop_has_impedance[index]) {
    const double r = hypot(limpet_vec3_norm(g), 0.5 * s * limpet_vec3_norm(loop.turn));
    for (int part = 0; part < 2; ++part)
      limpet_impedance_stiffness(&model->loop_impedance[index], r, dt,
                                 limpet_loop_inverse_weight(model, index, part == 0), &K[part],
                                 &C[part]);
    K[0] *= 0.25 * s * s, C[0] *= 0.25 * s * s;
  } else if (s < 1.0) {
    weight[0] /= s * s;
  }
  if (s > 0.0) append_rows(builder, index, &loop, 0, loop.turn, weight[0], K[0], C[0]);
  append_rows(builder, index, &loop, 3, g, weight[1], K[1], C[1]);
}

static void append(limpet_row_builder *builder) {
  for (int i = 0; i < builder->model->loop_count; ++i)
    if (limpet_loop_acts(builder->model, LIMPET_LOOP_WELD, i)) append_loop(builder, i);
}

static const limpet_parameter parameters[] = {
    LIMPET_SETTING("equality_ratio", NAN, "period of a near-rigid weld over the time step (beta)"),
    LIMPET_SETTING("return_speed", NAN,
                   "at which frames that start far apart come together, at most"),
    {"torque_scale", "1", 1.0, 0.0, INFINITY,
     "turns are resisted with its square, at most near-rigid; 0: they are free"},
};

const limpet_constraint_kind limpet_constraint_weld = {
    .descriptor =
        {.name = "weld",
         .text = "A frame of one body and a frame of another coincide; a body may be the world or "
                 "a mocap body that pulls the "
                 "other. Near-rigid: the error decays with the time constant of two steps, at most "
                 "at the return speed; or with "
                 "the author's impedance. The torque scale weakens turns against translations.",
         .reference = "MuJoCo documentation, equality; src/constraint/weld.c",
         .parameter_count = sizeof parameters / sizeof parameters[0],
         .parameters = parameters},
    .room = room,
    .append = append,
};
