/* constraint/joint_limit.c: limits of revolute, prismatic and ball joints, one-sided.
 *
 *   g = q - lower,  a = +1;   g = upper - q,  a = -1                                    [rad, m]
 *   ball: g = largest angle - |rotation|,  a = minus the rotation's axis                   [rad]
 *   gamma = ((v_hat - a v)/R)+
 *   near-rigid      R = c w,  v_hat = min(-g/(2 dt), u), u that of limit_return.c; with the contact
 *                   models of the papers the return speed, and R = max(c w, 1/(dt K 2 dt)), K =
 *                   1e12 N/m, whatever the masses
 *   own impedance   K, C (impedance.h), r = g
 * A row exists only where the limit is violated, or may be reached: g <= 2 dt max(|v0|, |v*|), and
 * the size of the velocities that attempts of the step ended with (step/look_again.c).
 * Source: shared golden contact README, "Constraints in the same solve"; drake.md 4.1. */
#include <math.h>

#include "constraint/kind.h"
#include "law/impedance.h"
#include "math/extremes.h"
#include "math/quaternion.h"

static void room(const limpet_model *model, int *rows, int *entries) {
  const int limited = limpet_row_count_true(model->joint_limited, model->joint_count);
  *rows += 2 * limited;
  *entries += 3 * limited;  // of a ball joint
}

#define LIMIT_STIFFNESS 1e12  // [N/m, N m/rad]  as Drake's limits have it

// [N/m, N m/rad]  Of a limit without an impedance: none, so that it depends on no unit of mass.
static double own_stiffness(const limpet_row_builder *builder) {
  return builder->settings->bounded_limits ? LIMIT_STIFFNESS : INFINITY;
}

static void end_row(limpet_row_builder *builder, int joint, double g) {
  const limpet_model *model = builder->model;
  const double dt = builder->settings->dt;
  const double led = g < 0.0 ? limpet_row_limit_speed(builder) : 0.0;
  double K = own_stiffness(builder), C = K * dt, share = 1.0;
  if (model->joint_has_limit_impedance[joint])
    limpet_impedance_stiffness(&model->joint_limit_impedance[joint], limpet_min(g, 0.0), dt,
                               model->dof_inverse_weight[model->joint_v[joint]], &K, &C);
  else share = limpet_row_return_share(builder, limpet_max(-g, 0.0));
  limpet_constraint_row *row = limpet_row_now(builder);
  const limpet_row_spring spring = {.g = g, .share = share, .K = K, .C = C, .led = led};
  limpet_row_end_spring(builder, &spring, 0.0, INFINITY);
  if (!model->joint_has_limit_impedance[joint]) row->stiffness = 0.0;  // no spring of an author
}

// [rad, m]  from which a scalar limit has a row.
static inline double scalar_reach(const limpet_data *data, const limpet_contact_problem *problem,
                                  int dof) {
  const double speed = limpet_max(fabs(data->v[dof]), fabs(problem->v_free[dof]));
  return 2.0 * problem->dt * (problem->fastest ? limpet_max(speed, problem->fastest[dof]) : speed);
}

// g of a side of a scalar joint; *sign: of its velocity's part in dg/dt.
static inline double scalar_gap(const limpet_model *model, const limpet_data *data, int joint,
                                int side, double *sign) {
  *sign = side == 0 ? 1.0 : -1.0;
  const double q = data->q[model->joint_q[joint]];
  return *sign * (q - model->joint_range[2 * joint + side]) - model->joint_limit_margin[joint];
}

static void append_scalar(limpet_row_builder *builder, int joint) {
  const int dof = builder->model->joint_v[joint];
  const double reach = scalar_reach(builder->data, builder->problem, dof);
  for (int side = 0; side < 2; ++side) {
    double sign;
    const double g = scalar_gap(builder->model, builder->data, joint, side, &sign);
    if (!(g <= reach)) continue;
    limpet_row_begin(builder, joint, g);
    limpet_row_component(builder, side);
    limpet_row_add(builder, dof, sign);
    end_row(builder, joint, g);
  }
}

/* The first joint from `joint` on whose limits may have rows, or the number of joints: hardly any
 * has, and this loop writes nothing, so that what it reads stays in registers. */
static int next_near(const limpet_model *model, const limpet_data *data,
                     const limpet_contact_problem *problem, int joint) {
  for (; joint < model->joint_count; ++joint) {
    const limpet_joint_kind kind = model->joint_kind[joint];
    if (!model->joint_limited[joint] || kind == LIMPET_JOINT_FREE) continue;
    if (kind == LIMPET_JOINT_BALL) return joint;
    double sign;
    const double reach = scalar_reach(data, problem, model->joint_v[joint]);
    if (scalar_gap(model, data, joint, 0, &sign) <= reach ||
        scalar_gap(model, data, joint, 1, &sign) <= reach)
      return joint;
  }
  return joint;
}

static bool scalar_passed(const limpet_model *model, const limpet_data *data,
                          const limpet_contact_problem *problem, int joint, double speed,
                          double allowed) {
  const double reach = scalar_reach(data, problem, model->joint_v[joint]);
  if (problem->dt * fabs(speed) <= reach) return false;  // what it reaches has a row
  for (int side = 0; side < 2; ++side) {
    double sign;
    const double g = scalar_gap(model, data, joint, side, &sign);
    if (g > reach && g + problem->dt * sign * speed < -allowed) return true;
  }
  return false;
}

// g of a ball joint and the axis of its rotation; *reach [rad]: from which it has a row.
static double ball_gap(const limpet_model *model, const limpet_data *data,
                       const limpet_contact_problem *problem, int joint, double axis[3],
                       double *reach) {
  const int dof = model->joint_v[joint];
  double q[4];
  limpet_quaternion_copy(q, data->q + model->joint_q[joint]);
  limpet_quaternion_normalize(q);
  limpet_quaternion_log(axis, q);
  const double angle = limpet_vec3_normalize(axis);
  double speed = limpet_max(fabs(limpet_vec3_dot(axis, data->v + dof)),
                            fabs(limpet_vec3_dot(axis, problem->v_free + dof)));
  if (problem->fastest) speed = limpet_max(speed, limpet_vec3_norm(problem->fastest + dof));
  *reach = 2.0 * problem->dt * speed;
  return model->joint_range[2 * joint + 1] - angle - model->joint_limit_margin[joint];
}

static void append_ball(limpet_row_builder *builder, int joint) {
  double axis[3], reach;
  const double g = ball_gap(builder->model, builder->data, builder->problem, joint, axis, &reach);
  if (!(g <= reach)) return;
  limpet_row_begin(builder, joint, g);
  for (int i = 0; i < 3; ++i) limpet_row_add(builder, builder->model->joint_v[joint] + i, -axis[i]);
  end_row(builder, joint, g);
}

static bool ball_passed(const limpet_model *model, const limpet_data *data,
                        const limpet_contact_problem *problem, int joint, const double v[3],
                        double allowed) {
  double axis[3], reach;
  const double g = ball_gap(model, data, problem, joint, axis, &reach);
  return g > reach && g - problem->dt * limpet_vec3_dot(axis, v) < -allowed;
}

static void append(limpet_row_builder *builder) {
  const limpet_model *model = builder->model;
  if (model->options.disabled & LIMPET_DISABLE_LIMIT) return;
  const limpet_data *data = builder->data;
  const limpet_contact_problem *problem = builder->problem;
  for (int i = next_near(model, data, problem, 0); i < model->joint_count;
       i = next_near(model, data, problem, i + 1)) {
    if (model->joint_kind[i] == LIMPET_JOINT_BALL) append_ball(builder, i);
    else append_scalar(builder, i);
  }
}

/* The first joint from `joint` on with limits that v [rad/s, m/s] may reach although they have no
 * row, or the number of joints. */
static int next_faster(const limpet_model *model, const limpet_data *data,
                       const limpet_contact_problem *problem, const double *v, int joint) {
  for (; joint < model->joint_count; ++joint) {
    const limpet_joint_kind kind = model->joint_kind[joint];
    if (!model->joint_limited[joint] || kind == LIMPET_JOINT_FREE) continue;
    const int dof = model->joint_v[joint];
    if (kind == LIMPET_JOINT_BALL ||
        !(problem->dt * fabs(v[dof]) <= scalar_reach(data, problem, dof)))
      return joint;
  }
  return joint;
}

static const double allowed_angle = 1e-6;  // [rad]  by which a limit without a row may be passed

static bool passed(const limpet_model *model, const limpet_data *data,
                   const limpet_contact_problem *problem, const double *v, double allowed) {
  if (model->options.disabled & LIMPET_DISABLE_LIMIT) return false;
  for (int i = next_faster(model, data, problem, v, 0); i < model->joint_count;
       i = next_faster(model, data, problem, v, i + 1)) {
    const double *of_joint = v + model->joint_v[i];
    const double own = model->joint_kind[i] == LIMPET_JOINT_PRISMATIC ? allowed : allowed_angle;
    const bool beyond = model->joint_kind[i] == LIMPET_JOINT_BALL
                            ? ball_passed(model, data, problem, i, of_joint, own)
                            : scalar_passed(model, data, problem, i, *of_joint, own);
    if (beyond) return true;
  }
  return false;
}

// A near-rigid return as fast as masses may go depends on all that hangs on a hinge.
static bool law(limpet_row_builder *builder, const limpet_constraint_row *row, double by,
                double *rate) {
  const limpet_joint_kind kind = builder->model->joint_kind[row->target];
  if (kind == LIMPET_JOINT_BALL) return false;
  if (kind == LIMPET_JOINT_REVOLUTE && row->error < 0.0 && row->stiffness == 0.0 &&
      limpet_row_share_at(builder, -2.0 * row->error, row->led) < 1.0)
    return false;
  end_row(builder, row->target, row->error + by);
  *rate = 1.0;
  return true;
}

// [-]  of where the law switches, [m, rad]  of g = 0: nearer slopes are those of differences
static const double near_switch = 1e-2, near_zero = 1e-11;

// Stiffness and damping with their slopes by -g. False: one of them has a kink near by.
static bool spring_of(const limpet_row_builder *builder, int joint, double g,
                      limpet_impedance_slopes *s) {
  const limpet_model *model = builder->model;
  const double dt = builder->settings->dt;
  const double K = own_stiffness(builder);
  *s = (limpet_impedance_slopes){.K = K, .C = K * dt};
  if (!model->joint_has_limit_impedance[joint]) return true;
  const limpet_impedance *own = &model->joint_limit_impedance[joint];
  *s = limpet_impedance_stiffness_slopes(own, limpet_min(g, 0.0), dt,
                                         model->dof_inverse_weight[model->joint_v[joint]]);
  if (g > 0.0) s->K_by_r = s->C_by_r = 0.0;
  const double width = own->impedance[2];
  return !(fabs(g) < near_zero) && !(fabs(-g - width) < near_switch * width);
}

/* v_hat = -K g/B, 1/R = dt B, B = dt K + C, or near-rigid -g/(2 dt), 1/(c w), where the return is
 * slow enough to be whole. */
static bool slopes(const limpet_row_builder *builder, const limpet_constraint_row *row, double w,
                   limpet_law_slopes *to) {
  const int joint = row->target;
  const double g = row->error, dt = builder->settings->dt,
               beta = builder->settings->constraint_ratio;
  const double near_rigid =
      beta * beta / (4.0 * LIMPET_PI * LIMPET_PI) * w / limpet_max(row->hardness, 1.0);
  const bool whole = limpet_row_share_at(builder, limpet_max(-2.0 * g, 0.0), row->led) == 1.0;
  limpet_impedance_slopes s;
  if (builder->model->joint_kind[joint] == LIMPET_JOINT_BALL) return false;
  const bool smooth = spring_of(builder, joint, g, &s);
  const double B = dt * s.K + s.C, R = 1.0 / (dt * B);
  if (fabs(R - near_rigid) < near_switch * near_rigid) return false;
  if (R > near_rigid) {
    const double B_by_g = -dt * s.K_by_r - s.C_by_r;
    *to = (limpet_law_slopes){.v_hat_by_s = -s.K / B + g * (s.K_by_r * B + s.K * B_by_g) / (B * B),
                              .R_inverse_by_s = dt * B_by_g,
                              .rate = 1.0,
                              .known = whole};
    return smooth && (whole || builder->model->joint_has_limit_impedance[joint]);
  }
  *to = (limpet_law_slopes){.v_hat_by_s = -1.0 / (2.0 * dt),
                            .R_inverse_by_w = -1.0 / (near_rigid * w),
                            .rate = 1.0,
                            .known = whole};
  return whole;
}

static const limpet_parameter parameters[] = {
    LIMPET_SETTING("constraint_ratio", NAN,
                   "period of a near-rigid limit over the time step (beta)"),
    {"stiffness", "N/m, N m/rad", LIMIT_STIFFNESS, 0.0, INFINITY,
     "of a limit without an impedance of its own, unless near-rigid is softer; coulomb has none"},
    LIMPET_SETTING(
        "return_speed", NAN,
        "at which a joint that starts far outside a near-rigid limit comes back, at most; with "
        "coulomb the masses that it leads move with a hundredth of it"),
};

const limpet_constraint_kind limpet_constraint_joint_limit = {
    .descriptor = {.name = "joint limit",
                   .text = "Position limits of joints: a one-sided near-rigid spring that is part "
                           "of the solve one step ahead of the limit, "
                           "so that it is not overrun. What starts far outside comes back at the "
                           "return speed. A limit with an impedance of "
                           "the author (MJCF solreflimit, solimplimit) has its "
                           "static stiffness and damping.",
                   .reference = "Castro et al., An unconstrained convex formulation of compliant "
                                "contact; src/constraint/joint_limit.c",
                   .parameter_count = sizeof parameters / sizeof parameters[0],
                   .parameters = parameters},
    .room = room,
    .append = append,
    .law = law,
    .slopes = slopes,
    .passed = passed,
};
