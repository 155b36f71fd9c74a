/* dynamics/curved_path.c: second-order part of the displacement of a sticking contact.
 *
 * In a step at constant joint velocities v a point p of a link moves by dt J v + dt^2/2 a with
 * a = dJ/dt v, along the arc of its joints. The centre of mass of a body alone and of a centred
 * tree (step/flight_centre.c) moves straight, the origin of another free body. Two bodies in a
 * grasp whose velocities agree at q0 so come apart by dt^2/2 (a_B - a_A), always in the same
 * direction. Objects then slip in the hand of a shaken arm with dt/2 |a| (0.16 mm/s at 1 rad/s, 0.3
 * m and 2 ms), however well friction holds. The velocity of a contact therefore gets the bias dt/2
 * (a_B - a_A).
 *
 *   a_X(p) = c_X + alpha_X x (p - o_X) + omega x (omega x (p - o_X))
 *   c_X      [m/s^2]  acceleration of the body's origin o_X at constant joint velocities; of a
 *            body alone o_X is its centre of mass, and c_X zero; of a centred tree o_X is that of
 *            the unit, and c_X lacks the acceleration of that of the tree
 *   alpha_X  [rad/s^2]  likewise angular acceleration
 *   omega    [rad/s]  the smaller one of the two angular velocities, for both bodies. Rotation of
 *            one body relative to the other is rolling: the contact passes from point to point, and
 *            no material point sticks. On a fixed partner omega is zero
 *
 * The normal needs the bias, too. Its gap is measured anew in every step, but Lagged bounds
 * friction by the load of the gap at the start. A near-rigid contact is nanometres deep, and
 * dt^2/2 a is a large part of that: 16 % for a box on a plate that turns at 0.1 rad/s, at 2 ms.
 * Source: own derivation; Ascher, Petzold, Computer Methods for ODEs and DAEs, chapter 9, on
 * velocity-level drift. */
#include "dynamics/curved_path.h"

#include "math/spatial.h"
#include "model/trees.h"

enum { FREE_DOFS = 6 };

typedef struct body_motion {
  double origin[3], omega[3];
  double c[3], alpha[3];
} body_motion;

// From the origin of a unit to the centre of mass of its bodies, those welded to it.
static void add_arm(const limpet_model *model, const limpet_data *data, int unit,
                    limpet_range bodies, double pivot[3]) {
  double mass = 0.0, sum[3] = {0.0};
  for (int b = bodies.first; b < bodies.end; ++b) {
    double arm[3];
    if (model->body_weld[b] != unit) continue;
    limpet_vec3_sub(arm, data->body_com + 3 * b, pivot);
    limpet_vec3_addmul(sum, sum, model->body_mass[b], arm);
    mass += model->body_mass[b];
  }
  if (mass > 0.0) limpet_vec3_addmul(pivot, pivot, 1.0 / mass, sum);
}

void limpet_curved_path_pivot(const limpet_model *model, const limpet_data *data,
                              const bool *centred, int unit, double pivot[3]) {
  const int tree = model->body_tree[unit];
  limpet_vec3_copy(pivot, data->body_position + 3 * unit);
  if (!centred || tree < 0 || !centred[tree]) return;
  add_arm(model, data, unit, (limpet_range){unit, model->body_subtree_end[unit]}, pivot);
}

static void motion_of(const limpet_model *model, const limpet_data *data, const bool *centred,
                      const double *bend, int unit, body_motion *motion) {
  limpet_curved_path_pivot(model, data, centred, unit, motion->origin);
  limpet_vec3_zero(motion->omega);
  limpet_vec3_zero(motion->c);
  limpet_vec3_zero(motion->alpha);
  const int last = model->body_last_dof[unit];
  if (last < 0) return;

  // a free body goes straight and turns evenly
  const int tree = model->dof_tree[last];
  const bool centres = centred && centred[tree] && model->tree_dof_count[tree] > FREE_DOFS;
  const double *V = data->body_velocity + 6 * unit;
  if (model->joint_kind[model->dof_joint[last]] == LIMPET_JOINT_FREE && !centres) {
    limpet_vec3_copy(motion->omega, V);
    return;
  }

  // spatial acceleration at constant joint velocities, about the tree's origin
  double A[6] = {0};
  for (int dof = last; dof >= 0; dof = model->dof_parent[dof])
    limpet_spatial_addmul(A, data->v[dof], data->dof_axis_rate + 6 * dof);

  // of the pivot: classical = spatial + omega x v
  double arm[3], turn[3], v[3];
  limpet_vec3_sub(arm, motion->origin, data->tree_origin + 3 * tree);
  limpet_vec3_cross(turn, V, arm);
  limpet_vec3_add(v, V + 3, turn);
  limpet_vec3_cross(turn, A, arm);
  limpet_vec3_add(motion->c, A + 3, turn);
  limpet_vec3_cross(turn, V, v);
  limpet_vec3_add(motion->c, motion->c, turn);
  if (centres) limpet_vec3_sub(motion->c, motion->c, bend + 3 * tree);
  limpet_vec3_copy(motion->omega, V);
  limpet_vec3_copy(motion->alpha, A);
}

static void point_acceleration(const body_motion *motion, const double omega[3],
                               const double point[3], double a[3]) {
  double arm[3], turn[3], twice[3];
  limpet_vec3_sub(arm, point, motion->origin);
  limpet_vec3_cross(turn, motion->alpha, arm);
  limpet_vec3_add(a, motion->c, turn);
  limpet_vec3_cross(turn, omega, arm);
  limpet_vec3_cross(twice, omega, turn);
  limpet_vec3_add(a, a, twice);
}

void limpet_curved_path_bias(const limpet_model *model, const limpet_data *data,
                             const bool *centred, const double *bend, int unit_a, int unit_b,
                             const double point[3], double dt, double bias[6]) {
  body_motion a, b;
  double at_a[3], at_b[3];
  motion_of(model, data, centred, bend, unit_a, &a);
  motion_of(model, data, centred, bend, unit_b, &b);
  const double *omega =
      limpet_vec3_dot(a.omega, a.omega) <= limpet_vec3_dot(b.omega, b.omega) ? a.omega : b.omega;
  point_acceleration(&a, omega, point, at_a);
  point_acceleration(&b, omega, point, at_b);
  for (int i = 0; i < 3; ++i) {
    bias[i] = 0.5 * dt * (b.alpha[i] - a.alpha[i]);
    bias[3 + i] = 0.5 * dt * (at_b[i] - at_a[i]);
  }
}

void limpet_curved_path_of_points(const limpet_model *model, const limpet_data *data,
                                  const bool *centred, const double *bend, int unit_a,
                                  const double P[3], int unit_b, const double Q[3], double dt,
                                  double bias[6]) {
  body_motion a, b;
  double at_P[3], at_Q[3];
  motion_of(model, data, centred, bend, unit_a, &a);
  motion_of(model, data, centred, bend, unit_b, &b);
  point_acceleration(&a, a.omega, P, at_P);
  point_acceleration(&b, b.omega, Q, at_Q);
  for (int i = 0; i < 3; ++i) {
    bias[i] = 0.5 * dt * (b.alpha[i] - a.alpha[i]);
    bias[3 + i] = 0.5 * dt * (at_Q[i] - at_P[i]);
  }
}

void limpet_curved_path_share(const limpet_model *model, const limpet_data *data,
                              const bool *centred, const double *bend, int unit,
                              const double point[3], double dt, double share[6]) {
  body_motion motion;
  double at_point[3];
  motion_of(model, data, centred, bend, unit, &motion);
  point_acceleration(&motion, motion.omega, point, at_point);
  for (int i = 0; i < 3; ++i) {
    share[i] = 0.5 * dt * motion.alpha[i];
    share[3 + i] = 0.5 * dt * at_point[i];
  }
}
