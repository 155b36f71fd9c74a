/* model/compile_reference.c: quantities at the reference pose.
 *
 *   inverse weight of a row a:   w = a M^-1 a'
 *     velocity:  a = unit vector; averaged over the translations and over the rotations of a free
 *                joint, over those of a ball
 *     tendon:    a = its coefficients
 *     body:      mean over x, y, z of the rows of the Jacobian of its centre of mass (translation),
 *                of its rotation; static: 0
 *   spring and damper of a joint from a time constant tau [s] and a damping ratio zeta [-]:
 *     stiffness = 1 / (w tau^2 zeta^2),  damping = 2 / (w tau) beside what the joint has
 *   damping of a position actuator from a damping ratio zeta: bias per velocity = -2 zeta sqrt(kp /
 *     (a M^-1 a')), a the row of
 *     its transmission, kp = -bias per length
 *   peak force of a muscle without one: its scale over |M^-1 a'|, a the row of its transmission
 * Conventions are MuJoCo's (invweight0, springdamper, dampratio; found by running it as a black
 * box, 4.0.1), since files are tuned to them. Departure: for a lone body that only slides along its
 * own axes MuJoCo takes 1/m and forgets armature; here it is like any other. Workspace: the
 * factored mass matrix of reference_mass.h. */
#include <math.h>
#include <string.h>

#include "math/quaternion.h"
#include "math/spatial.h"
#include "model/reference_mass.h"

typedef struct reference {
  limpet_compiler *compiler;
  limpet_model *model;
  limpet_reference_mass mass;
  double *row;  // (nv)  kept zero between uses
} reference;

// ---------------------------------------------------------------------------- velocities

static void fill_dof_weights(reference *r) {
  limpet_model *model = r->model;
  for (int v = 0; v < model->nv; ++v) {
    r->row[v] = 1.0;
    model->dof_inverse_weight[v] =
        limpet_reference_mass_product(&r->mass, r->row, model->dof_tree[v], model->dof_tree[v]);
    r->row[v] = 0.0;
  }
  for (int j = 0; j < model->joint_count; ++j) {
    double *w = model->dof_inverse_weight + model->joint_v[j];
    const int nv = limpet_joint_kind_nv(model->joint_kind[j]);
    for (int k = 0; k + 2 < nv; k += 3)
      w[k] = w[k + 1] = w[k + 2] = (w[k] + w[k + 1] + w[k + 2]) / 3.0;
  }

  // mean of the diagonal of the mass matrix
  for (int v = 0; v < model->nv; ++v) model->mean_inertia += r->mass.diagonal[v];
  model->mean_inertia =
      model->nv > 0 ? model->mean_inertia / model->nv : 1.0;  // a scale, so never zero
}

static void fill_springs(reference *r) {
  limpet_model *model = r->model;
  for (int j = 0; j < model->joint_count; ++j) {
    const double tau = r->compiler->spring_damper[j][0], zeta = r->compiler->spring_damper[j][1];
    const int nv = limpet_joint_kind_nv(model->joint_kind[j]);
    if (!(tau > 0.0) || !(zeta > 0.0)) continue;
    double w = 0.0;
    for (int k = 0; k < nv; ++k) w += model->dof_inverse_weight[model->joint_v[j] + k] / nv;
    model->joint_stiffness[j] = 1.0 / (w * tau * tau * zeta * zeta);
    for (int k = 0; k < nv; ++k) model->dof_damping[model->joint_v[j] + k] += 2.0 / (w * tau);
  }
}

// ---------------------------------------------------------------------------------- bodies

// Adds scale * (direction . velocity of the point, or of rotation) of every velocity on the path to
// the row.
static void add_body_row(reference *r, int body, const double point[3], const double direction[3],
                         bool rotation, double scale) {
  for (int v = r->model->body_last_dof[body]; v >= 0; v = r->model->dof_parent[v]) {
    double velocity[3];
    if (rotation) limpet_vec3_copy(velocity, r->mass.axis + 6 * v);
    else limpet_reference_point_velocity(&r->mass, v, point, velocity);
    r->row[v] += scale * limpet_vec3_dot(direction, velocity);
  }
}

static void clear_path(reference *r, int body) {
  for (int v = r->model->body_last_dof[body]; v >= 0; v = r->model->dof_parent[v]) r->row[v] = 0.0;
}

static void fill_body_weights(reference *r) {
  limpet_model *model = r->model;
  for (int b = 1; b < model->body_count; ++b) {
    if (model->body_tree[b] < 0) continue;
    double com[3];
    limpet_quaternion_rotate(com, r->mass.body_quaternion + 4 * b, model->body_com + 3 * b);
    limpet_vec3_add(com, com, r->mass.body_position + 3 * b);
    for (int k = 0; k < 6; ++k) {
      const double direction[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
      add_body_row(r, b, com, direction, k >= 3, 1.0);
      model->body_inverse_weight[2 * b + k / 3] +=
          limpet_reference_mass_product(&r->mass, r->row, model->body_tree[b],
                                        model->body_tree[b]) /
          3.0;
      clear_path(r, b);
    }
  }
}

// --------------------------------------------------------------------------------- tendons

static void set_tendon_row(reference *r, int t, double scale) {
  const limpet_model *model = r->model;
  for (int i = model->tendon_dof_begin[t]; i < model->tendon_dof_begin[t + 1]; ++i)
    r->row[model->tendon_dof[i]] += scale * r->mass.tendon_row[i];
}

typedef struct tree_span {
  int first, last;  // of the velocities of a row; last < first: it has none
} tree_span;

static void span_tree(tree_span *span, int tree) {
  if (tree < 0) return;
  if (span->last < span->first) span->first = span->last = tree;
  if (tree < span->first) span->first = tree;
  if (tree > span->last) span->last = tree;
}

static tree_span tendon_row(reference *r, int t, double scale) {
  const limpet_model *model = r->model;
  tree_span span = {0, -1};
  set_tendon_row(r, t, scale);
  for (int i = model->tendon_dof_begin[t]; i < model->tendon_dof_begin[t + 1]; ++i)
    span_tree(&span, model->dof_tree[model->tendon_dof[i]]);
  return span;
}

// a M^-1 a' of the row, and zeros in it again.
static double take_product(reference *r, tree_span span) {
  const double product = limpet_reference_mass_product(&r->mass, r->row, span.first, span.last);
  for (int t = span.first; t <= span.last; ++t)
    memset(r->row + r->model->tree_dof[t], 0, (size_t)r->model->tree_dof_count[t] * sizeof(double));
  return product;
}

// Product over all trees that the tendon touches.
static double tendon_product(reference *r, int t) {
  const limpet_model *model = r->model;
  const tree_span span = tendon_row(r, t, 1.0);
  if (span.first < span.last && model->tendon_armature[t] > 0.0)
    limpet_compile_note(r->compiler, false,
                        limpet_builder_item_place(r->compiler->builder, LIMPET_OBJECT_TENDON, t),
                        "armature of %s couples kinematic trees: the mass matrix has what lies "
                        "within each; a step couples them by a row",
                        limpet_compile_label(r->compiler, LIMPET_OBJECT_TENDON, t).text);
  return take_product(r, span);
}

// ------------------------------------------------------------------------------- actuators

static tree_span joint_row(reference *r, int a) {
  const limpet_model *model = r->model;
  const int j = model->actuator_target[a], v = model->joint_v[j],
            nv = limpet_joint_kind_nv(model->joint_kind[j]);
  const double *gear = model->actuator_gear + 6 * a;
  for (int k = 0; k < nv; ++k) r->row[v + k] = gear[k];

  // rotation axes given in the parent: the reference pose of a ball is none, that of a free joint
  // its quaternion
  if (model->actuator_transmission[a] == LIMPET_TRANSMISSION_JOINT_IN_PARENT &&
      model->joint_kind[j] == LIMPET_JOINT_FREE) {
    double inverse[4];
    limpet_quaternion_conjugate(inverse, model->q_reference + model->joint_q[j] + 3);
    limpet_quaternion_rotate(r->row + v + 3, inverse, gear + 3);
  }
  return (tree_span){model->dof_tree[v], model->dof_tree[v]};
}

static void site_pose(const reference *r, int site, double position[3], double R[9]) {
  const limpet_model *model = r->model;
  const int b = model->site_body[site];
  double Q[4];
  limpet_quaternion_rotate(position, r->mass.body_quaternion + 4 * b,
                           model->site_position + 3 * site);
  limpet_vec3_add(position, position, r->mass.body_position + 3 * b);
  limpet_quaternion_mul(Q, r->mass.body_quaternion + 4 * b, model->site_quaternion + 4 * site);
  limpet_quaternion_to_matrix(R, Q);
}

// What moves two bodies alike does not count.
static void clear_common(reference *r, const int body[2]) {
  const limpet_model *model = r->model;
  int common = model->body_last_dof[body[0]], below = model->body_last_dof[body[1]];
  while (common != below)
    *(common > below ? &common : &below) = model->dof_parent[common > below ? common : below];
  for (int v = common; v >= 0; v = model->dof_parent[v]) r->row[v] = 0.0;
}

// The wrench on the site acts on its body; with a reference site it is in that one's axes and acts
// back on its body.
static tree_span site_row(reference *r, int a) {
  const limpet_model *model = r->model;
  const int site = model->actuator_target[a], other = model->actuator_reference_site[a];
  const double *gear = model->actuator_gear + 6 * a;
  double point[3], R[9], origin[3] = {0.0}, force[3], moment[3];
  tree_span span = {0, -1};
  site_pose(r, site, point, R);
  if (other != LIMPET_NONE) site_pose(r, other, origin, R);
  limpet_mat3_mul_vec(force, R, gear);
  limpet_mat3_mul_vec(moment, R, gear + 3);

  const int body[2] = {model->site_body[site], other == LIMPET_NONE ? 0 : model->site_body[other]};
  const double *at[2] = {point, origin};
  for (int k = 0; k < 2; ++k) {
    if (model->body_tree[body[k]] < 0) continue;
    add_body_row(r, body[k], at[k], force, false, k == 0 ? 1.0 : -1.0);
    add_body_row(r, body[k], at[k], moment, true, k == 0 ? 1.0 : -1.0);
    span_tree(&span, model->body_tree[body[k]]);
  }
  clear_common(r, body);
  return span;
}

// dynamics/transmission.c has the formula.
static tree_span crank_row(reference *r, int a) {
  const limpet_model *model = r->model;
  const int sites[2] = {model->actuator_target[a], model->actuator_reference_site[a]};
  const int body[2] = {model->site_body[sites[0]], model->site_body[sites[1]]};
  const double rod = model->actuator_crank_length[a], gear = model->actuator_gear[6 * a];
  double pin[3], slider[3], R[9], d[3], push[3], turn[3];
  tree_span span = {0, -1};
  site_pose(r, sites[0], pin, R);
  site_pose(r, sites[1], slider, R);
  const double axis[3] = {R[2], R[5], R[8]};
  limpet_vec3_sub(d, pin, slider);
  const double along = limpet_vec3_dot(d, axis),
               square = along * along + rod * rod - limpet_vec3_dot(d, d);
  const double s = square > 0.0 ? sqrt(square) : 0.0, share = s > 0.0 ? 1.0 - along / s : 1.0;
  limpet_vec3_scale(push, share, axis);
  if (s > 0.0) limpet_vec3_addmul(push, push, 1.0 / s, d);
  limpet_vec3_cross(turn, d, axis);
  limpet_vec3_scale(turn, share, turn);
  const double *at[2] = {pin, slider};
  for (int k = 0; k < 2; ++k) {
    if (model->body_tree[body[k]] < 0) continue;
    add_body_row(r, body[k], at[k], push, false, k == 0 ? gear : -gear);
    if (k == 1) add_body_row(r, body[k], at[k], turn, true, -gear);
    span_tree(&span, model->body_tree[body[k]]);
  }
  clear_common(r, body);
  return span;
}

// Row of the transmission of an actuator.
static tree_span transmission_row(reference *r, int a) {
  const limpet_model *model = r->model;
  switch (model->actuator_transmission[a]) {
    case LIMPET_TRANSMISSION_JOINT:
    case LIMPET_TRANSMISSION_JOINT_IN_PARENT: return joint_row(r, a);
    case LIMPET_TRANSMISSION_TENDON:
      return tendon_row(r, model->actuator_target[a], model->actuator_gear[6 * a]);
    case LIMPET_TRANSMISSION_SITE: return site_row(r, a);
    case LIMPET_TRANSMISSION_SLIDER_CRANK: return crank_row(r, a);
    case LIMPET_TRANSMISSION_SURFACE:
    case LIMPET_TRANSMISSION_BODY: break;
  }
  return (tree_span){0, -1};
}

// Peak forces that follow from how much the muscle moves.
static limpet_status fill_muscles(reference *r) {
  limpet_model *model = r->model;
  double *x = LIMPET_TAKE(&r->compiler->scratch, double, model->nv);
  if (!x) return limpet_compile_no_memory(r->compiler);
  for (int a = 0; a < model->actuator_count; ++a) {
    limpet_muscle *muscle = &model->actuator_muscle[a];
    if (muscle->force >= 0.0) continue;
    const tree_span span = transmission_row(r, a);
    double sum = 0.0;
    limpet_reference_mass_solve(&r->mass, r->row, span.first, span.last, x);
    for (int t = span.first; t <= span.last; ++t)
      for (int v = model->tree_dof[t]; v < model->tree_dof[t] + model->tree_dof_count[t]; ++v)
        sum += x[v] * x[v];
    muscle->force = sum > 0.0 ? muscle->scale / sqrt(sum) : 0.0;
    take_product(r, span);
  }
  return LIMPET_OK;
}

// Mean over the axes of an orientation servo.
static double turn_product(reference *r, int a) {
  const limpet_model *model = r->model;
  const int first = a - model->actuator_part[a], end = first + model->actuator_part_count[a];
  double sum = 0.0;
  for (int i = first; i < end; ++i) sum += take_product(r, transmission_row(r, i));
  return sum / 3.0;
}

static void fill_damping(reference *r) {
  limpet_model *model = r->model;
  for (int a = 0; a < model->actuator_count; ++a) {
    const double zeta = r->compiler->damping_ratio[a];
    if (!(zeta >= 0.0)) continue;
    const bool turn = model->actuator_gain_law[a] == LIMPET_ACTUATOR_ORIENTATION;
    const double product = turn ? turn_product(r, a) : take_product(r, transmission_row(r, a));
    const bool motor = model->actuator_gain_law[a] == LIMPET_ACTUATOR_MOTOR;
    const double kp = turn    ? model->actuator_gain[3 * a]
                      : motor ? model->actuator_motor[a].position_gain
                              : -model->actuator_bias[3 * a + 1];
    const double kd = product > 1e-15 ? 2.0 * zeta * sqrt(kp / product) : 0.0;
    if (motor) model->actuator_motor[a].velocity_gain = kd;
    else model->actuator_bias[3 * a + 2] = -kd;
  }
}

limpet_status limpet_compile_reference(limpet_compiler *compiler) {
  reference r = {.compiler = compiler, .model = compiler->model};
  const limpet_status status = limpet_reference_mass_create(&r.mass, compiler);
  r.row = LIMPET_TAKE_ZERO(&compiler->scratch, double, compiler->model->nv);
  if (status || !r.row) return limpet_compile_no_memory(compiler);
  if (r.mass.singular_dof >= 0) {
    const int joint = compiler->joint.handle[r.model->dof_joint[r.mass.singular_dof]];
    limpet_compile_note(compiler, false,
                        limpet_builder_item_place(compiler->builder, LIMPET_OBJECT_JOINT, joint),
                        "%s can move without moving any inertia at the reference pose; give it "
                        "armature, or remove it",
                        limpet_compile_label(compiler, LIMPET_OBJECT_JOINT, joint).text);
  }
  fill_dof_weights(&r);
  fill_body_weights(&r);
  for (int t = 0; t < r.model->tendon_count; ++t)
    r.model->tendon_inverse_weight[t] = tendon_product(&r, t);
  fill_springs(&r);
  fill_damping(&r);
  return fill_muscles(&r);
}
