/* format/write/urdf.c: a model whose bodies form a tree of joints, as URDF with Drake's tags.
 *
 * Bodies are links; what has several joints, or one away from its origin, gets links between
 * (urdf_joint.c). Poses, masses and mass matrices at the same coordinates are the same. Meshes are
 * files of a folder beside. What URDF cannot say is counted and told. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "format/write/urdf.h"

#include "dynamics/actuator_law.h"
#include "math/quaternion.h"

static const char *const losses[LIMPET_URDF_LOSS_COUNT] = {
    [LIMPET_URDF_JOINTS_BETWEEN] =
        "%d joints share a body with others: links of 1e-12 kg stand between them",
    [LIMPET_URDF_DRAKE_JOINTS] =
        "%d ball and screw joints are <drake:joint>, which other programs "
        "than Drake and Limpet may not read",
    [LIMPET_URDF_REFERENCES] = "start coordinates of %d joints: they start at 0 in URDF",
    [LIMPET_URDF_SPRINGS] = "springs of %d joints",
    [LIMPET_URDF_ARMATURES] =
        "armature of %d joints without actuator is 'limpet:armature', which "
        "Limpet alone reads",
    [LIMPET_URDF_SOFT_FRICTIONS] = "dry friction of %d joints is soft here and Coulomb's in URDF",
    [LIMPET_URDF_BALL_LIMITS] = "limits of %d ball joints",
    [LIMPET_URDF_MOCAPS] = "%d bodies moved from outside are fixed in URDF",
    [LIMPET_URDF_SHAPES] = "%d geoms: URDF has no planes, height fields, clouds and soft bodies",
    [LIMPET_URDF_ELLIPSOIDS] =
        "%d ellipsoids are <drake:ellipsoid>, which other programs than "
        "Drake and Limpet may not read",
    [LIMPET_URDF_FILTERS] = "contype and conaffinity of %d geoms: in URDF all collisions touch",
    [LIMPET_URDF_RULES] =
        "friction of two geoms: the larger coefficient here, their harmonic mean "
        "in URDF (%d colliders)",
    [LIMPET_URDF_ACTUATORS] = "%d actuators: URDF drives joints of one coordinate only",
    [LIMPET_URDF_FORCES] =
        "gear, activation or force law of %d actuators: controls in URDF are "
        "forces, or positions of a servo",
    [LIMPET_URDF_COUPLERS] = "%d couplers: URDF has linear ones between joints",
    [LIMPET_URDF_LOOPS] = "%d loops: URDF is a tree",
    [LIMPET_URDF_TENDONS] = "%d tendons",
    [LIMPET_URDF_PAIRS] = "materials of %d pairs of geoms",
    [LIMPET_URDF_SENSORS] = "%d sensors",
    [LIMPET_URDF_KEYFRAMES] = "%d keyframes",
    [LIMPET_URDF_GRAVITIES] =
        "gravity, which URDF leaves to the program, or its compensation "
        "(%d places)",
    [LIMPET_URDF_MEDIA] = "forces of the medium (%d)",
    [LIMPET_URDF_DEFORMABLES] = "%d deformable bodies"};

static void tell_losses(const limpet_urdf_writer *u) {
  for (int i = 0; i < LIMPET_URDF_LOSS_COUNT; ++i) {
    char text[256];
    if (u->lost[i] <= 0) continue;
    const char *hole = strstr(losses[i], "%d");
    snprintf(text, sizeof text, "%.*s%d%s", (int)(hole - losses[i]), losses[i], u->lost[i],
             hole + 2);
    limpet_writer_leave_out(&u->writer, "%s", text);
  }
}

static bool heavy_by_default(const limpet_model *m) {
  const double *g = m->options.gravity;
  return g[0] == 0.0 && g[1] == 0.0 && fabs(g[2] + 9.81) < 1e-3;
}

// what is left out whole
static void count_losses(limpet_urdf_writer *u) {
  const limpet_model *m = u->writer.model;
  const limpet_options *o = &m->options;
  int *lost = u->lost;
  lost[LIMPET_URDF_COUPLERS] += m->coupler_count;  // those that become <mimic> are taken off
  lost[LIMPET_URDF_LOOPS] = m->loop_count;
  lost[LIMPET_URDF_TENDONS] = m->tendon_count;
  lost[LIMPET_URDF_PAIRS] = m->pair_count;
  lost[LIMPET_URDF_SENSORS] = m->sensor_count;
  lost[LIMPET_URDF_KEYFRAMES] = m->keyframe_count;
  lost[LIMPET_URDF_DEFORMABLES] = m->deformable_count;
  lost[LIMPET_URDF_MEDIA] = o->density > 0.0 || o->viscosity > 0.0;
  lost[LIMPET_URDF_GRAVITIES] = !heavy_by_default(m);
  for (int b = 0; b < m->body_count; ++b)
    lost[LIMPET_URDF_GRAVITIES] += m->body_gravity_compensation[b] != 0.0;
  if (o->friction_rule != LIMPET_FRICTION_HARMONIC_MEAN)
    lost[LIMPET_URDF_RULES] = m->collider_count;
}

// ------------------------------------------------------------------------------------- tree

/* A lone root that floats needs no world: URDF lets it float. It starts at the origin then, without
 * losses; otherwise it hangs on the world by a floating joint. */
static bool needs_world(const limpet_model *m) {
  if (m->body_geom_count[0] > 0 || m->body_count < 2) return true;
  for (int s = 0; s < m->site_count; ++s)
    if (m->site_body[s] == 0) return true;
  for (int b = 1; b < m->body_count; ++b)
    if (m->body_parent[b] == 0 && (b > 1 || !limpet_urdf_is_root(m, b))) return true;
  const int v = m->joint_v[m->body_joint[1]];
  if (m->dof_armature[v] > 0.0 || m->dof_damping[v] > 0.0 || m->dof_dry_friction[v] > 0.0)
    return true;
  const double *p = m->body_position + 3, *q = m->body_quaternion + 4;
  return limpet_vec3_norm(p) > 0.0 || fabs(q[0]) < 1.0;
}

// Drake has links and frames in one space of names: a site with the name of a body gets another.
static const char *frame_name(const limpet_writer *w, int s, char own[LIMPET_WRITER_NAME_SIZE],
                              char text[2 * LIMPET_WRITER_NAME_SIZE]) {
  const limpet_model *m = w->model;
  const char *name = limpet_writer_name(w, LIMPET_OBJECT_SITE, s, own);
  if (limpet_model_find(m, LIMPET_OBJECT_BODY, name) == LIMPET_NONE) return name;
  snprintf(text, 2 * LIMPET_WRITER_NAME_SIZE, "%s_site", name);
  while ((limpet_model_find(m, LIMPET_OBJECT_BODY, text) != LIMPET_NONE ||
          limpet_model_find(m, LIMPET_OBJECT_SITE, text) != LIMPET_NONE) &&
         strlen(text) + 2 < 2 * LIMPET_WRITER_NAME_SIZE)
    strcat(text, "_");
  return text;
}

static void write_frame(limpet_writer *w, int s) {
  const limpet_model *m = w->model;
  char own[LIMPET_WRITER_NAME_SIZE], text[2 * LIMPET_WRITER_NAME_SIZE];
  limpet_write_begin(w, "frame");
  limpet_write_text(w, "name", frame_name(w, s, own, text));
  limpet_write_name(w, "link", LIMPET_OBJECT_BODY, m->site_body[s]);
  limpet_urdf_pose pose;
  limpet_vec3_copy(pose.position, m->site_position + 3 * s);
  limpet_quaternion_copy(pose.quaternion, m->site_quaternion + 4 * s);
  limpet_urdf_write_pose(w, &pose);
  limpet_write_end(w, "frame");
}

// two links that never touch: a group that ignores itself
static void write_exclude(limpet_writer *w, int e) {
  const int *bodies = w->model->exclude_body + 2 * e;
  char name[32];
  snprintf(name, sizeof name, "limpet_exclude_%d", e);
  limpet_write_begin(w, "drake:collision_filter_group");
  limpet_write_text(w, "name", name);
  for (int k = 0; k < 2; ++k) {
    limpet_write_begin(w, "drake:member");
    limpet_write_name(w, "link", LIMPET_OBJECT_BODY, bodies[k]);
    limpet_write_end(w, "drake:member");
  }
  limpet_write_begin(w, "drake:ignored_collision_filter_group");
  limpet_write_text(w, "name", name);
  limpet_write_end(w, "drake:ignored_collision_filter_group");
  limpet_write_end(w, "drake:collision_filter_group");
}

// -------------------------------------------------------------------------------- actuators

// p and d of a servo on the position; false: it is none
static bool servo_gains(const limpet_model *m, int a, double gain[2]) {
  const double *g = m->actuator_gain + 3 * a, *b = m->actuator_bias + 3 * a;
  gain[0] = g[0], gain[1] = -b[2];
  return limpet_actuator_is_affine(m, a) && limpet_actuator_gain_is_constant(m, a) && g[0] > 0.0 &&
         b[1] == -g[0] && b[0] == 0.0 && b[2] <= 0.0 && m->actuator_gear[6 * a] == 1.0;
}

static bool is_motor(const limpet_model *m, int a) {
  const double *b = m->actuator_bias + 3 * a;
  return limpet_actuator_is_affine(m, a) && limpet_actuator_gain_is_constant(m, a) &&
         m->actuator_gain[3 * a] == 1.0 && b[0] == 0.0 && b[1] == 0.0 && b[2] == 0.0 &&
         m->actuator_gear[6 * a] == 1.0;
}

// the inertia of the rotor stands with the first actuator of the joint
static bool first_on_joint(const limpet_model *m, int a) {
  for (int k = 0; k < a; ++k)
    if (limpet_urdf_driven_joint(m, k) == m->actuator_target[a]) return false;
  return true;
}

static void write_actuator(limpet_urdf_writer *u, int a) {
  limpet_writer *w = &u->writer;
  const limpet_model *m = w->model;
  const int j = limpet_urdf_driven_joint(m, a);
  double gain[2];
  if (j == LIMPET_NONE) {
    u->lost[LIMPET_URDF_ACTUATORS]++;
    return;
  }
  const bool servo = servo_gains(m, a, gain);
  u->lost[LIMPET_URDF_FORCES] +=
      (!servo && !is_motor(m, a)) || m->actuator_activation[a] != LIMPET_ACTIVATION_NONE;
  limpet_write_begin(w, "transmission");
  limpet_write_name(w, "name", LIMPET_OBJECT_ACTUATOR, a);
  limpet_write_content(w, "type", "transmission_interface/SimpleTransmission");
  limpet_write_begin(w, "joint");
  limpet_write_name(w, "name", LIMPET_OBJECT_JOINT, j);
  limpet_write_end(w, "joint");
  limpet_write_begin(w, "actuator");
  limpet_write_name(w, "name", LIMPET_OBJECT_ACTUATOR, a);
  const double armature = m->dof_armature[m->joint_v[j]];
  if (armature > 0.0 && first_on_joint(m, a)) {
    limpet_write_begin(w, "drake:rotor_inertia");
    limpet_write_number(w, "value", armature);
    limpet_write_end(w, "drake:rotor_inertia");
  }
  if (servo) {
    limpet_write_begin(w, "drake:controller_gains");
    limpet_write_number(w, "p", gain[0]);
    limpet_write_number(w, "d", gain[1]);
    limpet_write_end(w, "drake:controller_gains");
  }
  limpet_write_end(w, "actuator");
  limpet_write_end(w, "transmission");
}

// ------------------------------------------------------------------------------------- file

static void write_model(limpet_writer *w) {
  limpet_urdf_writer *u = (limpet_urdf_writer *)w;  // its first member
  const limpet_model *m = w->model;
  count_losses(u);
  limpet_write_begin(w, "robot");
  limpet_write_text(w, "name", m->name ? m->name : "model");
  limpet_write_text(w, "version", "1.2");
  limpet_write_text(w, "xmlns:drake", "http://drake.mit.edu");
  limpet_write_text(w, "xmlns:limpet", "limpet");
  const bool world = needs_world(m);
  for (int b = world ? 0 : 1; b < m->body_count; ++b) {
    limpet_urdf_write_link(u, b);
    if (b > 1 || (b == 1 && world)) limpet_urdf_write_joints(u, b);
  }
  for (int a = 0; a < m->actuator_count; ++a) write_actuator(u, a);
  for (int s = 0; s < m->site_count; ++s) write_frame(w, s);
  for (int e = 0; e < m->exclude_count; ++e) write_exclude(w, e);
  limpet_write_end(w, "robot");
  tell_losses(u);
}

limpet_status limpet_urdf_write(const limpet_model *model, const char *path, const char *meshes,
                                limpet_left_out *left_out, void *context, limpet_error *error) {
  assert(model && path && meshes);
  limpet_urdf_writer u = {.writer = {.model = model, .left_out = left_out, .context = context},
                          .path = path,
                          .folder = meshes,
                          .error = error};
  limpet_urdf_write_meshes(&u);
  if (u.status != LIMPET_OK) return u.status;
  return limpet_writer_run(&u.writer, path, write_model, error);
}
