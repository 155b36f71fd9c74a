/* dynamics/length_range.c: the least and the greatest length of a transmission that the joints
 * allow.
 *
 * From the reference pose the pose climbs along the slope of the length, and then descends along
 * it: q <- q + s g, g = J' of the length, kept within the ranges of the joints and on the
 * polynomials of their couplers. The step s doubles while it helps and is halved where it does not.
 * It is the hill of the reference pose that counts, as in MuJoCo; where the reference pose is a top
 * or a valley, two other poses are tried. Loops are not heeded: only limits of the
 * joints and of the tendon itself, and couplers, hold the pose. MuJoCo finds the same range by
 * simulating the pull (mj_setLengthRange), within its tolerance of 1 %. Cost: some hundred
 * kinematics. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dynamics/transmission.h"
#include "limpet/dynamics.h"

enum { CLIMB_LIMIT = 5000 };
static const double first_step = 0.05, least_step = 1e-9;  // [m, rad]  of the joint that moves most
static const double far = 1e3;  // [m, rad]  beyond which a pose is not one

typedef struct climb {
  const limpet_model *model;
  limpet_data *data;
  int actuator, *dof;
  double *row;       // (2 nv)
  double *slope;     // (nv)
  double *q, *step;  // (nq), (nv)
} climb;

// Follows the couplers: slopes of the dependent coordinates go to those that move them.
static void couple_slopes(climb *c) {
  const limpet_model *model = c->model;
  for (int i = model->coupler_count - 1; i >= 0; --i) {
    if (model->coupler_tendon[i] || !model->coupler_active[i]) continue;
    const int y = model->joint_v[model->coupler_y[i]];
    const int x = model->coupler_x[i];
    if (x != LIMPET_NONE) {
      const double *a = model->coupler_coefficient + 5 * i;
      const int q = model->joint_q[x];
      const double t = c->data->q[q] - model->q_reference[q];
      c->slope[model->joint_v[x]] +=
          c->slope[y] * (a[1] + t * (2.0 * a[2] + t * (3.0 * a[3] + t * 4.0 * a[4])));
    }
    c->slope[y] = 0.0;
  }
}

static void couple_pose(const limpet_model *model, double *q) {
  for (int i = 0; i < model->coupler_count; ++i) {
    if (model->coupler_tendon[i] || !model->coupler_active[i]) continue;
    const int y = model->joint_q[model->coupler_y[i]], x = model->coupler_x[i];
    const double *a = model->coupler_coefficient + 5 * i;
    const double t =
        x == LIMPET_NONE ? 0.0 : q[model->joint_q[x]] - model->q_reference[model->joint_q[x]];
    q[y] = model->q_reference[y] + a[0] + t * (a[1] + t * (a[2] + t * (a[3] + t * a[4])));
  }
}

static bool is_scalar(const limpet_model *model, int joint) {
  return limpet_joint_kind_nv(model->joint_kind[joint]) == 1;
}

static void keep_within_limits(const limpet_model *model, double *q) {
  for (int j = 0; j < model->joint_count; ++j) {
    if (!model->joint_limited[j] || !is_scalar(model, j)) continue;
    double *x = q + model->joint_q[j];
    *x = fmin(fmax(*x, model->joint_range[2 * j]), model->joint_range[2 * j + 1]);
  }
}

// Length at data->q, and its slope by velocities that limits do not hold; `sign`: of the climb.
static double length_at(climb *c, double sign) {
  const limpet_model *model = c->model;
  double length;
  limpet_kinematics(model, c->data);
  limpet_tendon_kinematics(model, c->data);
  memset(c->slope, 0, (size_t)model->nv * sizeof *c->slope);
  const int count = limpet_transmission_row(model, c->data, c->actuator, &length, c->dof, c->row);
  for (int k = 0; k < count; ++k) c->slope[c->dof[k]] += sign * c->row[k];
  couple_slopes(c);
  for (int j = 0; j < model->joint_count; ++j) {
    if (!model->joint_limited[j] || !is_scalar(model, j)) continue;
    const double x = c->data->q[model->joint_q[j]], *range = model->joint_range + 2 * j;
    double *slope = c->slope + model->joint_v[j];
    if ((x <= range[0] && *slope < 0.0) || (x >= range[1] && *slope > 0.0)) *slope = 0.0;
  }
  return sign * length;
}

// The limit of the tendon that the actuator pulls, as a bound of sign * length.
static double tendon_bound(const climb *c, double sign) {
  const limpet_model *model = c->model;
  const int t = model->actuator_target[c->actuator];
  if (model->actuator_transmission[c->actuator] != LIMPET_TRANSMISSION_TENDON ||
      !model->tendon_limited[t])
    return INFINITY;
  const double gear = sign * model->actuator_gear[6 * c->actuator],
               *range = model->tendon_range + 2 * t;
  return fmax(gear * range[0], gear * range[1]);
}

/* Where a climb starts: 0 the reference pose, else each joint at a quarter or three quarters of its
 * range, or half a unit to either side. */
static void start_pose(climb *c, int start) {
  const limpet_model *model = c->model;
  const double share = start == 1 ? 0.25 : 0.75;
  limpet_data_reset(model, c->data);
  if (start == 0) return;
  for (int j = 0; j < model->joint_count; ++j) {
    if (!is_scalar(model, j)) continue;
    const double *range = model->joint_range + 2 * j;
    double *x = c->data->q + model->joint_q[j];
    *x = model->joint_limited[j] && isfinite(range[0]) && isfinite(range[1])
             ? range[0] + share * (range[1] - range[0])
             : *x + 2.0 * (share - 0.5);
  }
  couple_pose(model, c->data->q);
  keep_within_limits(model, c->data->q);
}

// The top of the hill on which a start lies: sign * length; INFINITY: it has no end.
static double climb_from(climb *c, int start, double sign) {
  const limpet_model *model = c->model;
  double step = first_step;
  start_pose(c, start);
  double best = length_at(c, sign);
  const double bound = tendon_bound(c, sign);
  for (int i = 0; i < CLIMB_LIMIT; ++i) {
    double steepest = 0.0;
    for (int d = 0; d < model->nv; ++d) steepest = fmax(steepest, fabs(c->slope[d]));
    if (!(steepest > 1e-12) || step < least_step) break;
    memcpy(c->q, c->data->q, (size_t)model->nq * sizeof *c->q);
    for (int d = 0; d < model->nv; ++d) c->step[d] = c->slope[d] / steepest;
    limpet_integrate_position(model, c->data->q, c->q, c->step, step, false);
    keep_within_limits(model, c->data->q);
    couple_pose(model, c->data->q);
    keep_within_limits(model, c->data->q);
    const double there = length_at(c, sign);
    if (there > best) {
      best = there, step *= 2.0;
      if (best >= bound) break;
      if (!(fabs(there) < far)) return INFINITY;
      continue;
    }
    step *= 0.25;
    memcpy(c->data->q, c->q, (size_t)model->nq * sizeof *c->q);
    length_at(c, sign);
  }
  return fmin(best, bound);
}

// The greatest sign * length; false: it has no end.
static bool ascend(climb *c, double sign, double *length) {
  start_pose(c, 0);
  const double here = length_at(c, sign);
  double best = climb_from(c, 0, sign);
  // the reference pose is a top or a valley: from elsewhere
  for (int start = 1; start < 3 && !(best > here); ++start)
    best = fmax(best, climb_from(c, start, sign));
  *length = sign * best;
  return isfinite(best);
}

limpet_status limpet_actuator_length_range(const limpet_model *model, int actuator, double range[2],
                                           limpet_error *error) {
  assert(model && actuator >= 0 && actuator < model->actuator_count && range);
  const size_t nv = (size_t)model->nv;
  climb c = {.model = model, .actuator = actuator};
  c.data = limpet_data_create(model);
  double *block = calloc((size_t)model->nq + 4 * nv + 1, sizeof *block);
  c.dof = calloc(2 * nv + 1, sizeof *c.dof);
  limpet_status status = LIMPET_OK;
  if (!c.data || !block || !c.dof) {
    status = limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for the range of a length");
  } else {
    c.row = block, c.slope = c.row + 2 * nv, c.step = c.slope + nv, c.q = c.step + nv;
    if (!ascend(&c, -1.0, &range[0]) || !ascend(&c, 1.0, &range[1]))
      status = limpet_error_fill(
          error, LIMPET_ERROR_INPUT,
          "the length of the transmission has no end: its joints have no limits; give them ranges, "
          "or give the range of the length (lengthrange)");
  }
  free(c.dof);
  free(block);
  limpet_data_destroy(c.data);
  return status;
}
