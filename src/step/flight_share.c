/* step/flight_share.c: how far a step of a tree that actuators drive is one of flight: flight.h.
 *
 *   turn = (sum |h u_j|^8)^(1/8)                        over joints j that turn; u = v0 + c/2
 *   y    = (turn^2 - a^2)/(b^2 - a^2),   share = y^3 (10 - 15 y + 6 y^2)     0 below a, 1 above b
 * The norm is the largest turn within n^(1/8), and smooth where another joint becomes the fastest.
 * u: velocity in the middle of the step, c: change of the last one [rad/s]; h [s]: the step.
 * Explicit centrifugal forces multiply energy by 1 + turn^2/2 (1 - share) a step: by less than
 * 1 + 0.05^2/2. Cost: 5 flops a velocity. */
#include <math.h>
#include <string.h>

#include "dynamics/transmission.h"
#include "math/extremes.h"
#include "math/vec3.h"
#include "step/flight.h"

static const double first_turn = 0.04, last_turn = 0.08;  // a, b [rad]
static const double driven = -1.0;                        // share of a tree that is yet to be found

double limpet_flight_fastest(const limpet_model *model, const double *v, limpet_range dofs) {
  double most = 0.0;
  for (int d = dofs.first; d < dofs.end;) {
    switch (model->joint_kind[model->dof_joint[d]]) {
      case LIMPET_JOINT_PRISMATIC: ++d; break;
      case LIMPET_JOINT_FREE:
        most = limpet_max(most, limpet_vec3_norm(v + d + 3));
        d += 6;
        break;
      case LIMPET_JOINT_BALL:
        most = limpet_max(most, limpet_vec3_norm(v + d));
        d += 3;
        break;
      default:
        if (fabs(v[d]) > most) most = fabs(v[d]);
        ++d;
    }
  }
  return most;
}

// [rad]  Half way of a velocity in the step, twice.
static double way_of(const limpet_data *data, int dof, double dt) {
  return dt * (data->v[dof] + 0.5 * data->warm_start[dof]);
}

// [rad^2]  Square of the turn of a joint whose `count` rotations begin at dof.
static double square_of(const limpet_data *data, int dof, int count, double dt) {
  double sum = 0.0;
  for (int k = 0; k < count; ++k) sum += way_of(data, dof + k, dt) * way_of(data, dof + k, dt);
  return sum;
}

double limpet_flight_share(const limpet_model *model, const limpet_data *data, int tree, double dt,
                           double *slope) {
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  const double a2 = first_turn * first_turn, b2 = last_turn * last_turn;
  double sum = 0.0;
  for (int d = dofs.first; d < dofs.end; ++d) {
    const double x2 = square_of(data, d, limpet_flight_turning(model, d), dt);
    sum += x2 * x2 * x2 * x2;
  }
  if (slope) memset(slope, 0, (size_t)(dofs.end - dofs.first) * sizeof *slope);
  if (sum <= a2 * a2 * a2 * a2) return 0.0;
  const double turn2 = sqrt(sqrt(sum)), y = (turn2 - a2) / (b2 - a2);
  if (!(y < 1.0)) return 1.0;
  const double steepness = 30.0 * y * y * (1.0 - y) * (1.0 - y) / (b2 - a2);
  for (int d = dofs.first; d < dofs.end && slope; ++d) {
    const int count = limpet_flight_turning(model, d);
    const double x2 = square_of(data, d, count, dt), x6 = x2 * x2 * x2;
    for (int k = 0; k < count; ++k)
      slope[d + k - dofs.first] =
          steepness * 2.0 * dt * x6 * way_of(data, d + k, dt) / (turn2 * turn2 * turn2);
  }
  return y * y * y * (10.0 - 15.0 * y + 6.0 * y * y);
}

// Trees that are fixed to the world and that loops join to driven ones are driven with them.
static void drive_through_loops(const limpet_model *model, limpet_flight_balance *balance) {
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < model->loop_count; ++i) {
      const int a = model->body_tree[model->loop_body[2 * i]],
                b = model->body_tree[model->loop_body[2 * i + 1]];
      if (a < 0 || b < 0 || (balance[a].share == driven) == (balance[b].share == driven)) continue;
      const int other = balance[a].share == driven ? b : a;
      if (limpet_tree_floats(model, other)) continue;
      balance[other].share = driven;
      more = true;
    }
  }
}

limpet_status limpet_flight_find_shares(const limpet_model *model, const limpet_data *data,
                                        double dt, limpet_arena *arena,
                                        limpet_flight_balance *balance) {
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  int *dof = LIMPET_TAKE(arena, int, 2 * model->nv);
  double *row = LIMPET_TAKE(arena, double, 2 * model->nv);
  if (!dof || !row) return LIMPET_ERROR_MEMORY;
  int left = 0;  // trees that are fixed to the world and may be driven yet
  for (int t = 0; t < model->tree_count; ++t) left += !limpet_tree_floats(model, t);
  for (int i = 0; i < model->actuator_count && left > 0; ++i) {
    const bool on_joint = model->actuator_transmission[i] == LIMPET_TRANSMISSION_JOINT;
    const int count = on_joint ? 1 : limpet_actuator_row(model, data, i, dof, row);
    if (on_joint) dof[0] = model->joint_v[model->actuator_target[i]];
    for (int k = 0; k < count; ++k) {
      const int tree = model->dof_tree[dof[k]];
      if (limpet_tree_floats(model, tree) || balance[tree].share == driven) continue;
      balance[tree].share = driven;
      --left;
    }
  }
  drive_through_loops(model, balance);
  for (int t = 0; t < model->tree_count; ++t)
    if (balance[t].share == driven)
      balance[t].share = limpet_flight_share(model, data, t, dt, NULL);
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}
