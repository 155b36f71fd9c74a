// gradient/body_end.c: see body_end.h. Cost: a turn of a body, and three solves of 3 x 3 in each
// part.
#include "gradient/body_end.h"

#include <math.h>
#include <string.h>

#include "math/quaternion.h"
#include "step/flight.h"
#include "step/gyration.h"

static const double span = 1e-3;        // [-]  of w, that differences of turns take
static const double least_span = 1e-6;  // [rad]  in a step
static const double no_arm = 1e-12;     // [m]  of the centre of mass, that is round-off

// Derivatives of Q (as a rotation vector behind it) and W by w, and Q.
typedef struct turning {
  double rotation[9], w1[3];
  double turn[9], speed[9];
} turning;

// Of a body that turns too fast, steadily (gyration.c).
static void steady_turning(const double I[9], double dt, int parts, const double w[3], turning *t) {
  static const double places[4] = {-2.0, -1.0, 1.0, 2.0}, shares[4] = {1.0, -8.0, 8.0, -1.0};
  const double width = fmax(span * limpet_vec3_norm(w), least_span / dt);
  double own[4], back[4];
  *t = (turning){0};
  limpet_vec3_copy(t->w1, w);
  limpet_flight_body_turn(I, dt, parts, t->w1, own);
  limpet_quaternion_to_matrix(t->rotation, own);
  limpet_quaternion_conjugate(back, own);
  for (int k = 0; k < 3; ++k)
    for (int s = 0; s < 4; ++s) {
      double moved[3], other[4], relative[4], angle[3];
      limpet_vec3_copy(moved, w);
      moved[k] += places[s] * width;
      limpet_flight_body_turn(I, dt, parts, moved, other);
      limpet_quaternion_mul(relative, back, other);
      limpet_quaternion_log(angle, relative);
      for (int i = 0; i < 3; ++i) {
        t->turn[3 * i + k] += shares[s] * angle[i] / (12.0 * width);
        t->speed[3 * i + k] += shares[s] * (moved[i] - t->w1[i]) / (12.0 * width);
      }
    }
}

static void turning_of(const double I[9], double dt, int parts, const double w[3], turning *t) {
  double own[4];
  limpet_vec3_copy(t->w1, w);
  if (limpet_gyration_turn_change(I, dt, parts, t->w1, own, t->speed, t->turn))
    limpet_quaternion_to_matrix(t->rotation, own);
  else steady_turning(I, dt, parts, w, t);
}

// to (3 x 3 block at row i, column j of 6 x 6) += share M.
static void add_block(double to[36], int i, int j, double share, const double M[9]) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) to[6 * (i + r) + j + c] += share * M[3 * r + c];
}

static void add_unit(double to[36], int i, double share) {
  for (int r = 0; r < 3; ++r) to[7 * (i + r)] += share;
}

static void cross_matrix(double M[9], const double x[3]) {
  const double cross[9] = {0.0, -x[2], x[1], x[2], 0.0, -x[0], -x[1], x[0], 0.0};
  memcpy(M, cross, sizeof cross);
}

static void transposed(double T[9], const double M[9]) {
  for (int i = 0; i < 9; ++i) T[i] = M[3 * (i % 3) + i / 3];
}

// u1 = u' + R0 (w' x c) - R1 (w1 x c)
static void add_arm(const turning *t, const double R0[9], const double w[3], const double c[3],
                    const double Q_t[9], limpet_body_end *to) {
  double R1[9], arm[9], swing[3], cross[9], part[9], moved[9];
  limpet_mat3_mul(R1, R0, t->rotation);
  cross_matrix(arm, c);  // x c = -[c]
  limpet_mat3_mul(part, R0, arm);
  add_block(to->v_by_s, 0, 3, -1.0, part);
  limpet_mat3_mul(part, R1, arm);
  limpet_mat3_mul(moved, part, t->speed);
  add_block(to->v_by_s, 0, 3, 1.0, moved);

  // d R0 y = R0 (d x y) = -R0 [y] d
  limpet_vec3_cross(swing, w, c);
  cross_matrix(cross, swing);
  limpet_mat3_mul(part, R0, cross);
  add_block(to->v_by_q, 0, 3, -1.0, part);
  limpet_vec3_cross(swing, t->w1, c);
  cross_matrix(cross, swing);
  limpet_mat3_mul(part, R1, cross);
  limpet_mat3_mul(moved, part, Q_t);
  add_block(to->v_by_q, 0, 3, 1.0, moved);
  limpet_mat3_mul(moved, part, t->turn);
  add_block(to->v_by_s, 0, 3, 1.0, moved);
}

// x1 = x0 + h u' + R0 y,  y = h w' x c + c - Q c
static void add_curve(const turning *t, const double R0[9], double dt, const double w[3],
                      const double c[3], limpet_body_end *to) {
  double R1[9], arm[9], cross[9], part[9], moved[9], swing[3], turned[3], y[3];
  limpet_mat3_mul(R1, R0, t->rotation);
  cross_matrix(arm, c);
  limpet_mat3_mul(part, R0, arm);
  add_block(to->q_by_s, 0, 3, -dt, part);
  limpet_mat3_mul(part, R1, arm);
  limpet_mat3_mul(moved, part, t->turn);
  add_block(to->q_by_s, 0, 3, 1.0, moved);

  limpet_vec3_cross(swing, w, c);
  limpet_mat3_mul_vec(turned, t->rotation, c);
  for (int k = 0; k < 3; ++k) y[k] = dt * swing[k] + c[k] - turned[k];
  cross_matrix(cross, y);
  limpet_mat3_mul(part, R0, cross);
  add_block(to->q_by_q, 0, 3, -1.0, part);
}

static void make_held(const limpet_data *start, const double I[9], int tree, double dt,
                      const double *s, const double c[3], limpet_body_end *to) {
  const limpet_model *model = start->model;
  const int body = model->tree_body[tree];
  turning t;
  double Q_t[9];
  turning_of(I, dt, limpet_gyration_parts(start, tree, LIMPET_GYRATION_HELD, dt, s + 3), s + 3, &t);
  transposed(Q_t, t.rotation);
  add_unit(to->q_by_q, 0, 1.0);
  add_unit(to->q_by_s, 0, dt);
  add_block(to->q_by_q, 3, 3, 1.0, Q_t);
  add_block(to->q_by_s, 3, 3, 1.0, t.turn);
  add_unit(to->v_by_s, 0, 1.0);
  add_block(to->v_by_s, 3, 3, 1.0, t.speed);
  if (!(limpet_vec3_norm(c) > no_arm)) return;
  const double *R0 = start->body_rotation + 9 * body;
  add_arm(&t, R0, s + 3, c, Q_t, to);
  add_curve(&t, R0, dt, s + 3, c, to);
}

static void make_free(const limpet_data *start, const double I[9], int tree, double dt,
                      const double *s, limpet_body_end *to) {
  const limpet_model *model = start->model;
  const double *v0 = start->v + model->tree_dof[tree];
  turning t;
  double Q_t[9], w[3];
  for (int k = 0; k < 3; ++k) w[k] = v0[3 + k] + 0.5 * (s[3 + k] - v0[3 + k]);
  turning_of(I, dt, limpet_gyration_parts(start, tree, LIMPET_GYRATION_FREE, dt, w), w, &t);
  transposed(Q_t, t.rotation);
  add_unit(to->q_by_q, 0, 1.0);
  add_unit(to->q_by_v, 0, 0.5 * dt);
  add_unit(to->q_by_s, 0, 0.5 * dt);
  add_block(to->q_by_q, 3, 3, 1.0, Q_t);
  add_block(to->q_by_s, 3, 3, 0.5, t.turn);
  add_block(to->q_by_v, 3, 3, 0.5, t.turn);
  add_unit(to->v_by_s, 0, 1.0);
  add_block(to->v_by_s, 3, 3, 0.5, t.speed);
  add_block(to->v_by_v, 3, 3, 0.5, t.speed);
  add_unit(to->v_by_s, 3, 0.5);
  add_unit(to->v_by_v, 3, -0.5);
}

// Whether a wrench acts whose torque does not turn with the body: of a single one its moment.
static bool has_wrench(const limpet_data *data, limpet_range bodies) {
  const int count = bodies.end - bodies.first;
  for (int k = 0; k < (count > 1 ? 6 * count : 3); ++k)
    if (data->applied_wrench[6 * bodies.first + k] != 0.0) return true;
  return false;
}

bool limpet_body_end_make(const limpet_solved_step *solved, const limpet_data *start,
                          const limpet_data *end, int tree, limpet_body_end *to) {
  const limpet_model *model = start->model;
  const limpet_flight *flight = solved->motion.flight;
  const double dt = solved->problem.dt;
  if (!flight || !limpet_flight_alone(flight, tree)) return false;
  const limpet_flight_balance *balance = &flight->balance[tree];
  const bool held = end->tree_held[tree] == LIMPET_FLIGHT_HELD_OUTSIDE;
  *to = (limpet_body_end){.first = model->tree_dof[tree]};
  double c[3];
  limpet_flight_body_centre(model, start, balance, tree, c);
  if (!(balance->start.mass > 0.0)) return false;
  if (!held && limpet_vec3_norm(c) > no_arm) return false;
  const double *s = solved->solution.v + to->first;
  if (!held && has_wrench(start, limpet_tree_bodies(model, tree))) return false;
  if (held) make_held(start, balance->inertia, tree, dt, s, c, to);
  else make_free(start, balance->inertia, tree, dt, s, to);
  return true;
}

// to (6) += M' x; to and x may be NULL.
static void add_transposed(const double M[36], const double *x, double *to) {
  for (int i = 0; i < 6 && x; ++i)
    for (int j = 0; j < 6; ++j) to[j] += M[6 * i + j] * x[i];
}

void limpet_body_end_weigh(const limpet_body_end *end, const double *weight_q,
                           const double *weight_v, double *by_s, double *by_q, double *by_v) {
  const double *q = weight_q ? weight_q + end->first : NULL,
               *v = weight_v ? weight_v + end->first : NULL;
  memset(by_s + end->first, 0, 6 * sizeof *by_s);
  memset(by_q + end->first, 0, 6 * sizeof *by_q);
  add_transposed(end->q_by_s, q, by_s + end->first);
  add_transposed(end->v_by_s, v, by_s + end->first);
  add_transposed(end->q_by_q, q, by_q + end->first);
  add_transposed(end->v_by_q, v, by_q + end->first);
  add_transposed(end->q_by_v, q, by_v + end->first);
  add_transposed(end->v_by_v, v, by_v + end->first);
}
