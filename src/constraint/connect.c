/* constraint/connect.c: connect: the point P of body A and the point Q of body B coincide, as in a
 * ball joint.
 *
 *   g = Q - P  [m, W],  rows J_Q - J_P (3): exactly dg/dt, in the frame of the last link that moves
 *                       both bodies
 *   gamma = (v_hat - a v)/R, both signs;  near-rigid: R = c w,  v_hat = -g/(2 dt) - bias
 *   w     = ||(J_Q - J_P) A_ii^-1 (J_Q - J_P)'||_F/3, one for the three rows: a direction in which
 *           nothing can move (a planar loop has one) gets no stiffness of its own
 *   bias    second-order part of dg/dt over the step; without it a moving loop opens by dt^2 times
 *           its centripetal acceleration
 * With the author's impedance: K, C (impedance.h) at r = |g|, inverse weights of the bodies.
 * References: MuJoCo documentation, equality connect; shared golden contact README, "ball". */
#include <math.h>

#include "constraint/loop.h"
#include "law/impedance.h"
#include "math/vec3.h"

static void room(const limpet_model *model, int *rows, int *entries) {
  limpet_loop_room(model, LIMPET_LOOP_CONNECT, 3, rows, entries);
}

/* Leaves the columns of velocities that move and that one of the three rows has: the rows name the
 * same velocities, and solvers go through them at once. Returns how many. */
static int columns_keep(const limpet_row_builder *builder, int count) {
  int kept = 0;
  for (int k = 0; k < count; ++k) {
    const double *linear = builder->path_column + 6 * k + 3;
    const int dof = builder->path_dof[k];
    if (limpet_row_is_still(builder->problem, dof) ||
        (linear[0] == 0.0 && linear[1] == 0.0 && linear[2] == 0.0))
      continue;
    builder->path_dof[kept] = dof;
    limpet_vec3_copy(builder->path_column + 6 * kept++ + 3, linear);
  }
  return kept;
}

// All entries of a row, zeros, too; none where all are zero.
static void entries_put(limpet_row_builder *builder, int count, int component) {
  limpet_contact_problem *p = builder->problem;
  const double *value = builder->path_column + 3 + component;
  int *dof = p->entry_dof + p->entry_count;
  double *to = p->entry_value + p->entry_count;
  bool any = false;
  for (int k = 0; k < count; ++k) {
    dof[k] = builder->path_dof[k], to[k] = value[6 * k];
    any |= to[k] != 0.0;
  }
  if (any) p->entry_count += count;
}

static void append_loop(limpet_row_builder *builder, int index) {
  const limpet_model *model = builder->model;
  limpet_loop loop;
  double g[3], K = INFINITY, C = 0.0, share = 1.0;
  limpet_loop_state(builder, index, &loop);
  limpet_loop_columns(builder, index, loop.P, loop.Q, false, &loop);
  if (loop.column_count == 0) return;
  limpet_vec3_sub(g, loop.Q, loop.P);
  if (model->loop_has_impedance[index])
    limpet_impedance_stiffness(&model->loop_impedance[index], limpet_vec3_norm(g),
                               builder->settings->dt,
                               limpet_loop_inverse_weight(model, index, false), &K, &C);
  else share = limpet_row_return_share(builder, limpet_vec3_norm(g));
  const double w = limpet_loop_bear(builder, index, loop.P, false, limpet_loop_weight(&loop, 3, 3));
  const int count = columns_keep(builder, loop.column_count);
  for (int i = 0; i < 3; ++i) {
    limpet_row_begin(builder, index, g[i]);
    limpet_row_component(builder, i);
    entries_put(builder, count, i);
    const limpet_row_spring spring = {g[i], share, loop.bias[3 + i], K, C, 0.0};
    limpet_row_end_equality(builder, w, &spring);
  }
}

static void append(limpet_row_builder *builder) {
  for (int i = 0; i < builder->model->loop_count; ++i)
    if (limpet_loop_acts(builder->model, LIMPET_LOOP_CONNECT, i)) append_loop(builder, i);
}

static const limpet_parameter parameters[] = {
    LIMPET_SETTING("equality_ratio", NAN,
                   "period of a near-rigid connect over the time step (beta)"),
    LIMPET_SETTING("return_speed", NAN,
                   "at which points that start far apart come together, at most"),
};

const limpet_constraint_kind limpet_constraint_connect = {
    .descriptor = {.name = "connect",
                   .text = "A point of one body and a point of another coincide, as in a ball "
                           "joint; a body may be the world. Closes loops "
                           "of mechanisms. Near-rigid: the gap decays with the time constant of "
                           "two steps, at most at the return speed; "
                           "or with the author's impedance.",
                   .reference = "MuJoCo documentation, equality; src/constraint/connect.c",
                   .parameter_count = sizeof parameters / sizeof parameters[0],
                   .parameters = parameters},
    .room = room,
    .append = append,
};
