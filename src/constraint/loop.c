/* constraint/loop.c: see loop.h. Cost: the lengths of the two paths, and 36 numbers for each
 * velocity on them. */
#include "constraint/loop.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "constraint/loop_load.h"
#include "dynamics/curved_path.h"
#include "dynamics/delassus.h"
#include "dynamics/point_columns.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "model/workspace.h"

void limpet_loop_room(const limpet_model *model, limpet_loop_kind kind, int rows_each, int *rows,
                      int *entries) {
  for (int i = 0; i < model->loop_count; ++i) {
    if (model->loop_kind[i] != kind) continue;
    int length = 0;
    for (int side = 0; side < 2; ++side)
      length += limpet_point_path_length(model, model->loop_body[2 * i + side]);
    *rows += rows_each;
    *entries += rows_each * length;
  }
}

static void place_of(const limpet_model *model, const limpet_data *data, int index, int side,
                     double position[3]) {
  const int body = model->loop_body[2 * index + side];
  limpet_mat3_mul_vec(position, data->body_rotation + 9 * body,
                      model->loop_position + 6 * index + 3 * side);
  limpet_vec3_add(position, position, data->body_position + 3 * body);
}

static void turn_of(const limpet_model *model, const limpet_data *data, int index, double turn[3]) {
  double frame[2][4], inverse[4], relative[4];
  for (int side = 0; side < 2; ++side) {
    const int body = model->loop_body[2 * index + side];
    limpet_quaternion_mul(frame[side], data->body_quaternion + 4 * body,
                          model->loop_quaternion + 8 * index + 4 * side);
  }
  limpet_quaternion_conjugate(inverse, frame[0]);
  limpet_quaternion_mul(relative, frame[1], inverse);
  limpet_quaternion_log(turn, relative);
}

void limpet_loop_state(const limpet_row_builder *builder, int index, limpet_loop *loop) {
  const limpet_model *model = builder->model;
  const int *body = model->loop_body + 2 * index;
  place_of(model, builder->data, index, 0, loop->P);
  place_of(model, builder->data, index, 1, loop->Q);
  limpet_vec3_zero(loop->turn);
  if (model->loop_kind[index] == LIMPET_LOOP_WELD) turn_of(model, builder->data, index, loop->turn);
  memset(loop->bias, 0, sizeof loop->bias);
  if (!builder->settings->curved_paths) return;
  if (limpet_loop_flies(model, builder->settings, index)) limpet_loop_fly(builder, index, loop);
  else
    limpet_curved_path_of_points(model, builder->data, builder->settings->centred,
                                 builder->settings->bend, model->body_weld[body[0]], loop->P,
                                 model->body_weld[body[1]], loop->Q, builder->settings->dt,
                                 loop->bias);
}

void limpet_loop_columns(const limpet_row_builder *builder, int index, const double at_a[3],
                         const double at_b[3], bool turns, limpet_loop *loop) {
  const limpet_model *model = builder->model;
  const double *point[2] = {at_a, at_b};
  int last[2];
  for (int side = 0; side < 2; ++side)
    last[side] = model->body_last_dof[model->loop_body[2 * index + side]];
  const int stop = limpet_point_common_dof(model, last[0], last[1]);
  loop->column_count = 0;
  for (int side = 0; side < 2; ++side)
    loop->column_count += limpet_point_columns(
        model, builder->data, last[side], stop, point[side], side == 0 ? -1.0 : 1.0,
        builder->path_dof + loop->column_count, builder->path_column + 6 * loop->column_count);
  memset(loop->D, 0, sizeof loop->D);
  (turns ? limpet_delassus_add : limpet_delassus_add_points)(
      model, builder->data, loop->column_count, builder->path_dof, builder->path_column,
      &builder->delassus, loop->D);
}

double limpet_loop_weight(const limpet_loop *loop, int first, int size) {
  double sum = 0.0;
  for (int i = first; i < first + size; ++i)
    for (int j = first; j < first + size; ++j) sum += loop->D[6 * i + j] * loop->D[6 * i + j];
  return sqrt(sum) / size;
}

double limpet_loop_inverse_weight(const limpet_model *model, int index, bool rotation) {
  const int *body = model->loop_body + 2 * index;
  return model->body_inverse_weight[2 * body[0] + rotation] +
         model->body_inverse_weight[2 * body[1] + rotation];
}

double limpet_loop_bear(const limpet_row_builder *builder, int index, const double P[3], bool turns,
                        double w) {
  return builder->load ? limpet_loop_load_weight(builder->load, builder->model, index, P, turns, w)
                       : w;
}

double limpet_loop_gap(const limpet_model *model, const limpet_data *data, int loop) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES) && loop >= 0 &&
         loop < model->loop_count);
  if (!limpet_loop_acts(model, model->loop_kind[loop], loop)) return 0.0;
  double P[3], Q[3];
  place_of(model, data, loop, 0, P);
  place_of(model, data, loop, 1, Q);
  return fabs(limpet_vec3_distance(P, Q) - model->loop_length[loop]);
}

double limpet_loop_turn(const limpet_model *model, const limpet_data *data, int loop) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES) && loop >= 0 &&
         loop < model->loop_count);
  if (!limpet_loop_acts(model, LIMPET_LOOP_WELD, loop) || model->loop_torque_scale[loop] == 0.0)
    return 0.0;
  double turn[3];
  turn_of(model, data, loop, turn);
  return limpet_vec3_norm(turn);
}
