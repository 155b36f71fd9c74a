/* step/flight_balance.c: the momentum that a floating tree must have: see flight.h.
 *
 *   c(t) = c0 + t p0/m + t^2 F/(2 m),   p(t) = p0 + t F,   L(t) = L0 + t T
 *   F = f_lin + m g,   T = R f_ang + (x - c0) x f_lin
 * f: generalised force on the free joint, [force (W); torque about the body's origin (body axes)];
 * x, R: pose of that body; c: centre of mass; L about c. Forces within the tree have no part in
 * f. Impulses P on the free joint act at the start: they are to p and L what h f is. */
#include <string.h>

#include "dynamics/joint_spring.h"
#include "dynamics/medium.h"
#include "math/nonzero.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "model/tendon_path.h"
#include "step/flight.h"
#include "step/gyration.h"

enum { FREE_DOFS = 6 };

// Whether a tendon with a spring, a damper or armature hangs on one of the velocities from `first`
// on. Tendons within the tree do not: what moves both of their ends alike has no part in their
// rows. Nor do springs and dampers of tendons over several trees: they give impulses.
static bool hangs_on_tendon(const limpet_model *model, int first) {
  for (int t = 0; t < model->tendon_count; ++t) {
    const bool sprung = (model->tendon_stiffness[t] != 0.0 || model->tendon_damping[t] != 0.0 ||
                         limpet_spring_grows(model->tendon_stiffness_growth + 2 * t) ||
                         limpet_spring_grows(model->tendon_damping_growth + 2 * t)) &&
                        limpet_tendon_tree(model, t) >= 0;
    if (!sprung && model->tendon_armature[t] == 0.0) continue;
    for (int i = model->tendon_dof_begin[t]; i < model->tendon_dof_begin[t + 1]; ++i)
      if (model->tendon_dof[i] >= first && model->tendon_dof[i] < first + FREE_DOFS) return true;
  }
  return false;
}

// Whether joints of a tree, or tendons, may have armature.
static bool is_armed(const limpet_model *model, int tree) {
  return model->tendon_count > 0 || limpet_any_nonzero(model->dof_armature + model->tree_dof[tree],
                                                       model->tree_dof_count[tree]);
}

// Whether the first joint is free and has no damping, spring or armature of its own, and neither a
// tendon nor a medium holds it.
static bool keeps_momentum(const limpet_model *model, int tree,
                           const limpet_flight_balance *balance) {
  const int first = model->tree_dof[tree], joint = model->dof_joint[first];
  if (model->joint_kind[joint] != LIMPET_JOINT_FREE) return false;
  if (balance->armed && limpet_any_nonzero(model->dof_armature + first, FREE_DOFS)) return false;
  if (!balance->implicit) return true;  // nothing of all this is there
  if (limpet_joint_is_sprung(model, joint) ||
      limpet_any_nonzero(model->dof_damping + first, FREE_DOFS) ||
      limpet_any_nonzero(model->dof_damping_growth + 2 * first, 2 * FREE_DOFS))
    return false;
  return !limpet_medium_acts(model) && !hangs_on_tendon(model, first);
}

// angular += R f_ang + (x - c) x f_lin, of the pose at the start; c [m]: centre of mass.
static void add_moment(const limpet_model *model, const limpet_data *data, int tree,
                       const double c[3], const double f[6], double angular[3]) {
  const int body = model->tree_body[tree];
  double lever[3], moment[3];
  limpet_mat3_mul_vec(moment, data->body_rotation + 9 * body, f + 3);
  limpet_vec3_add(angular, angular, moment);
  limpet_vec3_sub(lever, data->body_position + 3 * body, c);
  limpet_vec3_cross(moment, lever, f);
  limpet_vec3_add(angular, angular, moment);
}

// Pose of a body in the axes of one that it is welded to.
static void welded_pose(const limpet_model *model, int body, int to, double x[3], double R[9]) {
  double turned[3], own[9], product[9];
  limpet_vec3_zero(x);
  limpet_quaternion_to_matrix(R, (const double[4]){1.0, 0.0, 0.0, 0.0});
  for (int b = body; b != to; b = model->body_parent[b]) {
    limpet_quaternion_to_matrix(own, model->body_quaternion + 4 * b);
    limpet_mat3_mul_vec(turned, own, x);
    limpet_vec3_add(x, turned, model->body_position + 3 * b);
    limpet_mat3_mul(product, own, R);
    limpet_mat3_copy(R, product);
  }
}

// Centre of mass and inertia of bodies that are one.
static void add_up_welded(const limpet_model *model, limpet_range bodies, double c[3],
                          double I[9]) {
  double x[3], R[9], at[3], turned[9];
  for (int pass = 0; pass < 2; ++pass) {
    double mass = 0.0, sum[3] = {0.0, 0.0, 0.0};
    if (pass == 1) memset(I, 0, 9 * sizeof *I);
    for (int b = bodies.first; b < bodies.end; ++b) {
      const double m = model->body_mass[b];
      welded_pose(model, b, bodies.first, x, R);
      limpet_mat3_mul_vec(at, R, model->body_com + 3 * b);
      limpet_vec3_add(at, at, x);
      mass += m;
      limpet_vec3_addmul(sum, sum, m, at);
      if (pass == 0) continue;
      double own[9];
      limpet_vec3_sub(at, at, c);
      limpet_mat3_mul(turned, R, model->body_inertia + 9 * b);
      limpet_mat3_mul_t(own, turned, R);
      for (int i = 0; i < 9; ++i)
        I[i] += own[i] + m * ((i % 4 == 0 ? limpet_vec3_dot(at, at) : 0.0) - at[i / 3] * at[i % 3]);
    }
    if (pass == 0) limpet_vec3_scale(c, mass > 0.0 ? 1.0 / mass : 0.0, sum);
  }
}

// What a body alone weighs, and where.
static void weigh_alone(const limpet_model *model, int tree, limpet_flight_balance *balance) {
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  if (bodies.end - bodies.first > 1) {
    add_up_welded(model, bodies, balance->centre, balance->inertia);
    return;
  }
  limpet_vec3_copy(balance->centre, model->body_com + 3 * bodies.first);
  limpet_mat3_copy(balance->inertia, model->body_inertia + 9 * bodies.first);
}

void limpet_flight_balance_make(const limpet_model *model, const limpet_data *data, int tree,
                                const double *force, limpet_flight_balance *balance) {
  balance->armed = is_armed(model, tree);
  balance->kept = keeps_momentum(model, tree, balance);
  balance->alone = balance->kept && limpet_tree_is_free_body(model, tree);
  if (!balance->kept) return;
  const double *f = force + model->tree_dof[tree];
  limpet_tree_momentum *start = &balance->start;
  limpet_tree_momentum_sum(model, data, tree, start);
  if (balance->alone) weigh_alone(model, tree, balance);
  limpet_vec3_set(balance->T, 0.0, 0.0, 0.0);
  if (limpet_any_nonzero(f, FREE_DOFS)) add_moment(model, data, tree, start->com, f, balance->T);
  limpet_vec3_copy(balance->F, f);
  if (!(model->options.disabled & LIMPET_DISABLE_GRAVITY))
    limpet_vec3_addmul(balance->F, balance->F, start->mass, model->options.gravity);
}

void limpet_flight_balance_end(const limpet_data *data, int tree,
                               const limpet_flight_balance *balance, double dt, const double *P,
                               double linear[3], double angular[3]) {
  limpet_flight_balance_at(balance, dt, linear, angular);
  limpet_vec3_add(linear, linear, P);
  add_moment(data->model, data, tree, balance->start.com, P, angular);
}

void limpet_flight_balance_com(const limpet_flight_balance *balance, double t, double com[3]) {
  const limpet_tree_momentum *start = &balance->start;
  for (int k = 0; k < 3; ++k) {
    const double mean = start->linear[k] + 0.5 * t * balance->F[k];
    com[k] = start->com[k] + t * mean / start->mass;
  }
}
