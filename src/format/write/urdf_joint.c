/* format/write/urdf_joint.c: the joints of a body as joints of URDF.
 *
 * A joint of URDF stands in the frame of its child, and a child has one joint. So a body whose
 * joints are u_1, u_2, ... with anchors a_1, a_2, ... hangs on a chain of frames that have its
 * orientation, each with its origin at an anchor:
 *   parent -> T0 Trans(a_1) Rot(u_1, -r_1) -> [joint 1] -> Trans(a_2 - a_1) Rot(u_2, -r_2) -> ...
 *          -> [joint n] -> Trans(-a_n) -> body
 * T0 is the pose of the file and r the reference coordinate, at which a joint displaces nothing; a
 * slide shifts by -r u instead, a screw does both. The last step is a fixed joint, and left out
 * where a_n = 0; frames between joints are links of a tiny mass, since all programs want one. */
#include <math.h>
#include <string.h>

#include "format/write/urdf.h"
#include "math/quaternion.h"

static const double tiny = 1e-12;  // [kg, kg m^2]  of links between joints: below all tolerances
static const double wide = 1e6;    // [rad, m, N, N m]  stands for a side without a bound

enum { NAME_SIZE = LIMPET_WRITER_NAME_SIZE + 32 };

// ------------------------------------------------------------------------------------ poses

static void shift(limpet_urdf_pose *pose, const double by[3]) {
  double turned[3];
  limpet_quaternion_rotate(turned, pose->quaternion, by);
  limpet_vec3_add(pose->position, pose->position, turned);
}

static void turn(limpet_urdf_pose *pose, const double axis[3], double angle) {
  double by[4], turned[4];
  limpet_quaternion_from_axis_angle(by, axis, angle);
  limpet_quaternion_mul(turned, pose->quaternion, by);
  limpet_quaternion_copy(pose->quaternion, turned);
}

// the frame of the joint where its coordinate is zero
static void step_back(limpet_urdf_pose *pose, const limpet_model *m, int j) {
  const limpet_joint_kind kind = m->joint_kind[j];
  if (limpet_joint_kind_nv(kind) != 1) return;
  const double *axis = m->joint_axis + 3 * j, reference = m->q_reference[m->joint_q[j]];
  const double advance = kind == LIMPET_JOINT_PRISMATIC ? 1.0 : m->joint_advance[j];
  double way[3];
  limpet_vec3_scale(way, -advance * reference, axis);
  shift(pose, way);
  if (kind != LIMPET_JOINT_PRISMATIC) turn(pose, axis, -reference);
}

// ------------------------------------------------------------------------------------ words

bool limpet_urdf_is_root(const limpet_model *model, int body) {
  if (body == 0 || model->body_parent[body] != 0 || model->body_joint_count[body] != 1)
    return false;
  return model->joint_kind[model->body_joint[body]] == LIMPET_JOINT_FREE;
}

int limpet_urdf_driven_joint(const limpet_model *model, int actuator) {
  const limpet_transmission transmission = model->actuator_transmission[actuator];
  const int target = model->actuator_target[actuator];
  if (transmission != LIMPET_TRANSMISSION_JOINT &&
      transmission != LIMPET_TRANSMISSION_JOINT_IN_PARENT)
    return LIMPET_NONE;
  return limpet_joint_kind_nv(model->joint_kind[target]) == 1 ? target : LIMPET_NONE;
}

static const char *type_of(limpet_urdf_writer *u, int j, bool *drake) {
  const limpet_model *m = u->writer.model;
  *drake = false;
  switch (m->joint_kind[j]) {
    case LIMPET_JOINT_FREE: return "floating";
    case LIMPET_JOINT_PRISMATIC: return "prismatic";
    case LIMPET_JOINT_REVOLUTE: return m->joint_limited[j] ? "revolute" : "continuous";
    case LIMPET_JOINT_BALL: *drake = true; return "ball";
    case LIMPET_JOINT_SCREW: *drake = true; return "screw";
  }
  return "";
}

// the largest force [N, N m] on a joint that the model knows
static double effort_of(const limpet_model *m, int j) {
  double effort = 0.0;
  if (m->joint_effort_limited[j])
    return fmax(fabs(m->joint_effort_range[2 * j]), fabs(m->joint_effort_range[2 * j + 1]));
  for (int a = 0; a < m->actuator_count; ++a) {
    if (limpet_urdf_driven_joint(m, a) != j) continue;
    const double *range = m->actuator_force_range + 2 * a;
    if (!m->actuator_force_limited[a]) return wide;
    effort = fmax(effort, fmax(fabs(range[0]), fabs(range[1])) * fabs(m->actuator_gear[6 * a]));
  }
  return effort > 0.0 ? effort : wide;
}

static bool is_driven(const limpet_model *m, int j) {
  for (int a = 0; a < m->actuator_count; ++a)
    if (limpet_urdf_driven_joint(m, a) == j) return true;
  return false;
}

// ----------------------------------------------------------------------------------- parts

// velocities have no limit here; URDF asks for a number
static void write_limit(limpet_urdf_writer *u, int j) {
  limpet_writer *w = &u->writer;
  const limpet_model *m = w->model;
  const limpet_joint_kind kind = m->joint_kind[j];
  if (limpet_joint_kind_nv(kind) != 1) {
    u->lost[LIMPET_URDF_BALL_LIMITS] += m->joint_limited[j];
    return;
  }
  limpet_write_begin(w, "limit");
  if (m->joint_limited[j] || kind == LIMPET_JOINT_PRISMATIC) {
    limpet_write_number(w, "lower", fmax(m->joint_range[2 * j], -wide));
    limpet_write_number(w, "upper", fmin(m->joint_range[2 * j + 1], wide));
  }
  limpet_write_number(w, "effort", effort_of(m, j));
  limpet_write_number(w, "velocity", wide);
  limpet_write_end(w, "limit");
}

static void write_dynamics(limpet_urdf_writer *u, int j) {
  limpet_writer *w = &u->writer;
  const limpet_model *m = w->model;
  const int v = m->joint_v[j];
  const double damping = m->dof_damping[v], friction = m->dof_dry_friction[v],
               armature = m->dof_armature[v];
  const bool bare = armature > 0.0 && !is_driven(m, j);
  u->lost[LIMPET_URDF_ARMATURES] += bare;
  const double *growth = m->joint_stiffness_growth + 2 * j;
  u->lost[LIMPET_URDF_SPRINGS] +=
      m->joint_stiffness[j] > 0.0 || growth[0] != 0.0 || growth[1] != 0.0;
  u->lost[LIMPET_URDF_SOFT_FRICTIONS] +=
      friction > 0.0 && m->dof_dry_friction_kind[v] == LIMPET_DRY_FRICTION_SOFT;
  if (damping == 0.0 && friction == 0.0 && !bare) return;
  limpet_write_begin(w, "dynamics");
  limpet_write_number(w, "damping", damping);
  limpet_write_number(w, "friction", friction);
  if (bare) limpet_write_number(w, "limpet:armature", armature);
  limpet_write_end(w, "dynamics");
}

static bool is_linear(const double *coefficient) {
  return coefficient[2] == 0.0 && coefficient[3] == 0.0 && coefficient[4] == 0.0;
}

/* The first coupler that says where the joint stands: y - y_ref = c0 + c1 (x - x_ref), so that
 * offset = y_ref + c0 - c1 x_ref. */
static void write_mimic(limpet_urdf_writer *u, int j) {
  limpet_writer *w = &u->writer;
  const limpet_model *m = w->model;
  for (int c = 0; c < m->coupler_count; ++c) {
    const double *k = m->coupler_coefficient + 5 * c;
    const int x = m->coupler_x[c];
    if (m->coupler_tendon[c] || !m->coupler_active[c] || m->coupler_y[c] != j || x < 0 ||
        !is_linear(k))
      continue;
    const double y_reference = m->q_reference[m->joint_q[j]],
                 x_reference = m->q_reference[m->joint_q[x]];
    limpet_write_begin(w, "mimic");
    limpet_write_name(w, "joint", LIMPET_OBJECT_JOINT, x);
    limpet_write_number(w, "multiplier", k[1]);
    limpet_write_number(w, "offset", y_reference + k[0] - k[1] * x_reference);
    limpet_write_end(w, "mimic");
    --u->lost[LIMPET_URDF_COUPLERS];
    return;
  }
}

static void write_end(limpet_writer *w, const char *element, const char *link) {
  limpet_write_begin(w, element);
  limpet_write_text(w, "link", link);
  limpet_write_end(w, element);
}

// a joint of the model, from `parent` to `child`
static void write_joint(limpet_urdf_writer *u, int j, const limpet_urdf_pose *pose,
                        const char *parent, const char *child) {
  limpet_writer *w = &u->writer;
  const limpet_model *m = w->model;
  bool drake;
  const char *type = type_of(u, j, &drake), *element = drake ? "drake:joint" : "joint";
  const limpet_joint_kind kind = m->joint_kind[j];
  u->lost[LIMPET_URDF_DRAKE_JOINTS] += drake;
  limpet_write_begin(w, element);
  limpet_write_name(w, "name", LIMPET_OBJECT_JOINT, j);
  limpet_write_text(w, "type", type);
  limpet_urdf_write_origin(w, pose);
  write_end(w, "parent", parent);
  write_end(w, "child", child);
  if (limpet_joint_kind_nv(kind) == 1) {
    limpet_write_begin(w, "axis");
    limpet_write_numbers(w, "xyz", m->joint_axis + 3 * j, 3);
    limpet_write_end(w, "axis");
    u->lost[LIMPET_URDF_REFERENCES] += m->q_reference[m->joint_q[j]] != 0.0;
  }
  if (kind == LIMPET_JOINT_SCREW) {
    limpet_write_begin(w, "drake:screw_thread_pitch");
    limpet_write_number(w, "value", 2.0 * LIMPET_PI * m->joint_advance[j]);
    limpet_write_end(w, "drake:screw_thread_pitch");
  }
  write_limit(u, j);
  write_dynamics(u, j);
  if (limpet_joint_kind_nv(kind) == 1) write_mimic(u, j);
  limpet_write_end(w, element);
}

static void write_fixed(limpet_writer *w, int body, const limpet_urdf_pose *pose,
                        const char *parent, const char *child) {
  char name[NAME_SIZE];
  snprintf(name, sizeof name, "%s_mount", child);
  for (int k = 1; limpet_model_find(w->model, LIMPET_OBJECT_JOINT, name) != LIMPET_NONE; ++k)
    snprintf(name, sizeof name, "body_%d_mount_%d", body, k);
  limpet_write_begin(w, "joint");
  limpet_write_text(w, "name", name);
  limpet_write_text(w, "type", "fixed");
  limpet_urdf_write_origin(w, pose);
  write_end(w, "parent", parent);
  write_end(w, "child", child);
  limpet_write_end(w, "joint");
}

// a link between joints; one whose child is welded to it needs no mass
static void write_between(limpet_urdf_writer *u, const char *name, bool mass) {
  limpet_writer *w = &u->writer;
  static const char *const moments[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  limpet_write_begin(w, "link");
  limpet_write_text(w, "name", name);
  if (mass) {
    u->lost[LIMPET_URDF_JOINTS_BETWEEN]++;
    limpet_write_begin(w, "inertial");
    limpet_write_begin(w, "mass");
    limpet_write_number(w, "value", tiny);
    limpet_write_end(w, "mass");
    limpet_write_begin(w, "inertia");
    for (int k = 0; k < 6; ++k) limpet_write_number(w, moments[k], k < 3 ? tiny : 0.0);
    limpet_write_end(w, "inertia");
    limpet_write_end(w, "inertial");
  }
  limpet_write_end(w, "link");
}

// where the joint stands in the body: slides need no place, so they keep the last one
static void anchor_of(const limpet_model *m, int j, bool last, double anchor[3]) {
  if (m->joint_kind[j] == LIMPET_JOINT_PRISMATIC) {
    if (last) limpet_vec3_zero(anchor);
    return;
  }
  limpet_vec3_copy(anchor, m->joint_position + 3 * j);
}

void limpet_urdf_write_joints(limpet_urdf_writer *u, int body) {
  limpet_writer *w = &u->writer;
  const limpet_model *m = w->model;
  char parent_text[LIMPET_WRITER_NAME_SIZE], own_text[LIMPET_WRITER_NAME_SIZE];
  char before[NAME_SIZE], between[NAME_SIZE];
  const char *own = limpet_writer_name(w, LIMPET_OBJECT_BODY, body, own_text);
  snprintf(before, sizeof before, "%s",
           limpet_writer_name(w, LIMPET_OBJECT_BODY, m->body_parent[body], parent_text));
  limpet_urdf_pose pose;
  double anchor[3] = {0.0, 0.0, 0.0};
  limpet_vec3_copy(pose.position, m->body_position + 3 * body);
  limpet_quaternion_copy(pose.quaternion, m->body_quaternion + 4 * body);
  u->lost[LIMPET_URDF_MOCAPS] += m->body_mocap[body] >= 0;

  const int count = m->body_joint_count[body];
  for (int k = 0; k < count; ++k) {
    const int j = m->body_joint[body] + k;
    const double old[3] = {anchor[0], anchor[1], anchor[2]};
    double way[3];
    anchor_of(m, j, k + 1 == count, anchor);
    limpet_vec3_sub(way, anchor, old);
    shift(&pose, way);
    step_back(&pose, m, j);
    const bool offset = limpet_vec3_norm(anchor) > 0.0, last = k + 1 == count && !offset;
    if (!last) {
      snprintf(between, sizeof between, "%s_%d", own, k + 1);
      for (int n = 1; limpet_model_find(m, LIMPET_OBJECT_BODY, between) != LIMPET_NONE; ++n)
        snprintf(between, sizeof between, "body_%d_%d_%d", body, k + 1, n);
      write_between(u, between, k + 1 < count);
    }
    write_joint(u, j, &pose, before, last ? own : between);
    if (!last) memcpy(before, between, sizeof before);
    pose = (limpet_urdf_pose){.quaternion = {1.0, 0.0, 0.0, 0.0}};
    if (last) return;
  }
  double back[3];
  limpet_vec3_neg(back, anchor);
  shift(&pose, back);
  write_fixed(w, body, &pose, before, own);
}
