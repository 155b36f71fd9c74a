/* constraint/tie.c: tie: a vertex of a deformable body moves with a rigid body.
 *
 *   g = x - P  [m, W],  rows v_x - J_P v (3)
 *   gamma = (v_hat - a v)/R, both signs;  near-rigid: R = c w,  v_hat = -g/(2 dt)
 *   w     = 1/A_ii of the vertex + |J_P A_ii^-1 J_P'| of the body, by row
 * Vertices of a body that move as one (settings.rigid_ties, step/soft_sets.c) have six rows for all
 * of them, V - J_C v and w - J_w v with C the mean of their places, v_hat = 0: the vertices' own
 * velocities lead them back.
 * x [m] the vertex, P [m] its place on the body. The rows act on both sides in the one solve: the
 * body feels what the vertices carry. Ties to bodies that cannot move are no rows: their vertices
 * have known velocities (step/soft_motion.h).
 * Reference: shared reference hydroelastic_fem_gradients.md, section 2.3. */
#include <math.h>

#include "constraint/kind.h"
#include "dynamics/point_columns.h"
#include "math/vec3.h"

enum { ROWS = 3 };

static bool acts(const limpet_model *model, int tie) {
  return model->body_tree[model->tie_body[tie]] >= 0;
}

static void room(const limpet_model *model, int *rows, int *entries) {
  for (int t = 0; t < model->tie_count; ++t) {
    if (!acts(model, t)) continue;
    *rows += ROWS;
    *entries += ROWS * (1 + limpet_point_path_length(model, model->tie_body[t]));
  }
}

static void append_tie(limpet_row_builder *builder, int tie) {
  const limpet_model *model = builder->model;
  const limpet_data *data = builder->data;
  const int body = model->tie_body[tie], vertex = model->tie_vertex[tie];
  const int dof = builder->problem->vertex_dof[vertex];
  if (dof == LIMPET_NONE) return;
  double P[3], g[3];
  limpet_mat3_mul_vec(P, data->body_rotation + 9 * body, model->tie_position + 3 * tie);
  limpet_vec3_add(P, P, data->body_position + 3 * body);
  limpet_vec3_sub(g, data->vertex_position + 3 * vertex, P);
  const int count = limpet_point_columns(model, data, model->body_last_dof[body], -1, P, -1.0,
                                         builder->path_dof, builder->path_column);
  const double share = limpet_row_return_share(builder, limpet_vec3_norm(g));
  for (int i = 0; i < ROWS; ++i) {
    limpet_row_begin(builder, tie, g[i]);
    limpet_row_component(builder, i);
    limpet_row_entry(builder, dof + i, 1.0);
    limpet_row_entries(builder, count, builder->path_dof, builder->path_column + 3 + i, 6);
    const limpet_row_spring spring = {.g = g[i], .share = share, .K = INFINITY};
    limpet_row_end_equality(builder, limpet_row_weight(builder), &spring);
  }
}

// The rows of all ties of a set, at its first one.
static void append_set(limpet_row_builder *builder, int tie, const limpet_rigid_vertex *vertex) {
  const limpet_model *model = builder->model;
  const limpet_data *data = builder->data;
  const int body = model->tie_body[tie];
  double C[3];
  limpet_mat3_mul_vec(C, data->body_rotation + 9 * body, model->tie_position + 3 * tie);
  limpet_vec3_add(C, C, data->body_position + 3 * body);
  limpet_vec3_sub(C, C, vertex->arm);
  const int count = limpet_point_columns(model, data, model->body_last_dof[body], -1, C, -1.0,
                                         builder->path_dof, builder->path_column);
  for (int i = 0; i < 2 * ROWS; ++i) {
    const int row = i < ROWS ? i + ROWS : i - ROWS;  // of columns, [angular, linear]
    limpet_row_begin(builder, tie, 0.0);
    limpet_row_component(builder, i);
    limpet_row_entry(builder, vertex->dof + i, 1.0);
    limpet_row_entries(builder, count, builder->path_dof, builder->path_column + row, 6);
    const limpet_row_spring spring = {.share = 1.0, .K = INFINITY};
    limpet_row_end_equality(builder, limpet_row_weight(builder), &spring);
  }
}

static void append(limpet_row_builder *builder) {
  const limpet_model *model = builder->model;
  const limpet_contact_problem *problem = builder->problem;
  for (int t = 0; t < model->tie_count && problem->vertex_dof; ++t) {
    const int vertex = model->tie_vertex[t];
    if (!acts(model, t)) continue;
    if (!problem->rigid_vertex || problem->rigid_vertex[vertex].dof == LIMPET_NONE)
      append_tie(builder, t);
    else if (problem->rigid_vertex[vertex].lead == vertex)
      append_set(builder, t, &problem->rigid_vertex[vertex]);
  }
}

static const limpet_parameter parameters[] = {
    LIMPET_SETTING("equality_ratio", NAN, "period of a near-rigid tie over the time step (beta)"),
    LIMPET_SETTING("return_speed", NAN,
                   "at which vertices that start far from their place come there, at most"),
};

const limpet_constraint_kind limpet_constraint_tie = {
    .descriptor = {.name = "tie",
                   .text = "A vertex of a deformable body moves with a rigid body. Near-rigid: the "
                           "gap decays with the time constant of two steps, at most at the return "
                           "speed.",
                   .reference = "src/constraint/tie.c",
                   .parameter_count = sizeof parameters / sizeof parameters[0],
                   .parameters = parameters},
    .room = room,
    .append = append,
};
