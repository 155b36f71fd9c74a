// tests/support/golden_scene.c: see golden_scene.h.
#include "golden_scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "math/quaternion.h"

double golden_scene_number(const json_t *object, const char *key, double value) {
  const json_t *item = json_object_get(object, key);
  return json_is_number(item) ? json_number_value(item) : value;
}

const char *golden_scene_text(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

static void pose_of(const json_t *pose, double position[3], double quaternion[4]) {
  limpet_vec3_zero(position);
  limpet_quaternion_identity(quaternion);
  if (!pose) return;
  json_numbers(json_object_get(pose, "position"), position, 3);
  json_numbers(json_object_get(pose, "quaternion"), quaternion, 4);
  limpet_quaternion_normalize(quaternion);
}

static const json_t *joint_of_child(const json_t *root, const char *body) {
  size_t i;
  json_t *joint;
  json_array_foreach(json_object_get(root, "joints"), i,
                     joint) if (strcmp(golden_scene_text(joint, "child"), body) == 0) return joint;
  return NULL;
}

// The body with its joint; frames P on the parent and C on the child: child = P C^-1 at zero.
static void add_body(limpet_builder *builder, const json_t *root, const json_t *body) {
  const char *name = golden_scene_text(body, "name");
  const json_t *source = joint_of_child(root, name);
  limpet_body_description d = limpet_body_description_default();
  d.name = name;
  d.has_inertial = true;
  d.mass = golden_scene_number(body, "mass", NAN);
  json_numbers(json_object_get(body, "com"), d.com, 3);
  json_numbers(json_object_get(body, "inertia"), d.inertia, 6);
  limpet_joint_description j = limpet_joint_description_default();
  if (!source) {
    j.kind = LIMPET_JOINT_FREE;
    j.body = limpet_builder_add_body(builder, &d);
    limpet_builder_add_joint(builder, &j);
    return;
  }

  double p_P[3], q_P[4], p_C[3], q_C[4], inverse[4], turned[3], axis[3];
  pose_of(json_object_get(source, "pose_in_parent"), p_P, q_P);
  pose_of(json_object_get(source, "pose_in_child"), p_C, q_C);
  limpet_quaternion_conjugate(inverse, q_C);
  limpet_quaternion_mul(d.quaternion, q_P, inverse);
  limpet_quaternion_rotate(turned, d.quaternion, p_C);
  limpet_vec3_sub(d.position, p_P, turned);
  const char *parent = golden_scene_text(source, "parent");
  d.parent =
      strcmp(parent, "world") == 0 ? 0 : limpet_builder_find(builder, LIMPET_OBJECT_BODY, parent);
  assert_true(d.parent >= 0);

  j.name = golden_scene_text(source, "name");
  j.kind = strcmp(golden_scene_text(source, "type"), "revolute") == 0 ? LIMPET_JOINT_REVOLUTE
                                                                      : LIMPET_JOINT_PRISMATIC;
  json_numbers(json_object_get(source, "axis"), axis, 3);
  limpet_quaternion_rotate(j.axis, q_C, axis);
  limpet_vec3_copy(j.position, p_C);
  j.damping = golden_scene_number(source, "damping", 0.0);
  j.range[0] = golden_scene_number(source, "lower", -INFINITY);
  j.range[1] = golden_scene_number(source, "upper", INFINITY);
  j.limited = isfinite(j.range[0]) || isfinite(j.range[1]);
  size_t i;
  json_t *actuator;
  json_array_foreach(json_object_get(root, "actuators"), i,
                     actuator) if (strcmp(golden_scene_text(actuator, "joint"), j.name) == 0)
      j.armature = golden_scene_number(actuator, "reflected_inertia", 0.0);
  j.body = limpet_builder_add_body(builder, &d);
  limpet_builder_add_joint(builder, &j);
}

static void add_geom(limpet_builder *builder, const json_t *geometry) {
  limpet_geom_description g = limpet_geom_description_default();
  const json_t *shape = json_object_get(geometry, "shape"),
               *material = json_object_get(geometry, "material");
  const char *type = golden_scene_text(shape, "type"), *body = golden_scene_text(geometry, "body");
  g.name = golden_scene_text(geometry, "name");
  g.body = strcmp(body, "world") == 0 ? 0 : limpet_builder_find(builder, LIMPET_OBJECT_BODY, body);
  assert_true(g.body >= 0);
  pose_of(json_object_get(geometry, "pose"), g.position, g.quaternion);
  g.size[0] = golden_scene_number(shape, "radius", 0.0);
  g.size[1] = 0.5 * golden_scene_number(shape, "length", 0.0);
  if (strcmp(type, "half_space") == 0) g.kind = LIMPET_SHAPE_PLANE;
  else if (strcmp(type, "sphere") == 0) g.kind = LIMPET_SHAPE_SPHERE;
  else if (strcmp(type, "capsule") == 0) g.kind = LIMPET_SHAPE_CAPSULE;
  else if (strcmp(type, "cylinder") == 0) g.kind = LIMPET_SHAPE_CYLINDER;
  else if (strcmp(type, "ellipsoid") == 0) {
    g.kind = LIMPET_SHAPE_ELLIPSOID;
    json_numbers(json_object_get(shape, "semi_axes"), g.size, 3);
  } else {
    g.kind = LIMPET_SHAPE_BOX;
    json_numbers(json_object_get(shape, "size"), g.size, 3);
    for (int i = 0; i < 3; ++i) g.size[i] *= 0.5;
  }
  g.material.stiffness = golden_scene_number(material, "stiffness", INFINITY);
  g.material.dissipation = golden_scene_number(material, "dissipation", 0.0);
  g.material.relaxation_time = golden_scene_number(material, "relaxation_time", 0.0);
  g.material.friction = golden_scene_number(material, "friction", 0.0);
  limpet_builder_add_geom(builder, &g);
}

/* error term kp (q_d - q) + kd v_d through gain 1 and a control in newtons; feed-forward is the
 * offset */
static void add_actuator(limpet_builder *builder, const json_t *actuator) {
  limpet_actuator_description a = limpet_actuator_description_default();
  a.name = golden_scene_text(actuator, "name");
  a.transmission = LIMPET_TRANSMISSION_JOINT;
  a.target =
      limpet_builder_find(builder, LIMPET_OBJECT_JOINT, golden_scene_text(actuator, "joint"));
  const double kp = golden_scene_number(actuator, "kp", 0.0),
               kd = golden_scene_number(actuator, "kd", 0.0);
  const double limit = golden_scene_number(actuator, "effort_limit", INFINITY);
  a.gain[0] = 1.0, a.gain[1] = a.gain[2] = 0.0;
  a.bias[0] = golden_scene_number(actuator, "feedforward", 0.0), a.bias[1] = -kp, a.bias[2] = -kd;
  a.force_limited = isfinite(limit);
  a.force_range[0] = -limit, a.force_range[1] = limit;
  limpet_builder_add_actuator(builder, &a);
}

static void add_coupler(limpet_builder *builder, const json_t *constraint) {
  limpet_coupler_description c = limpet_coupler_description_default();
  c.name = golden_scene_text(constraint, "name");
  c.y = limpet_builder_find(builder, LIMPET_OBJECT_JOINT, golden_scene_text(constraint, "joint_0"));
  c.x = limpet_builder_find(builder, LIMPET_OBJECT_JOINT, golden_scene_text(constraint, "joint_1"));
  c.coefficient[0] = golden_scene_number(constraint, "offset", 0.0);
  c.coefficient[1] = golden_scene_number(constraint, "ratio", 1.0);
  limpet_builder_add_coupler(builder, &c);
}

// The offset of the length goes into the range.
static void add_tendon(limpet_builder *builder, const json_t *constraint) {
  limpet_tendon_description t = limpet_tendon_description_default();
  limpet_tendon_term terms[8];
  const json_t *joints = json_object_get(constraint, "joints");
  double coefficients[8];
  json_numbers(json_object_get(constraint, "coefficients"), coefficients, 8);
  t.name = golden_scene_text(constraint, "name");
  t.term_count = (int)json_array_size(joints);
  assert_true(t.term_count <= 8);
  for (int i = 0; i < t.term_count; ++i) {
    const char *joint = json_string_value(json_array_get(joints, (size_t)i));
    terms[i].joint = limpet_builder_find(builder, LIMPET_OBJECT_JOINT, joint);
    terms[i].coefficient = coefficients[i];
  }
  t.terms = terms;
  t.limited = true;
  const double offset = golden_scene_number(constraint, "offset", 0.0);
  t.range[0] = golden_scene_number(constraint, "lower", -INFINITY) - offset;
  t.range[1] = golden_scene_number(constraint, "upper", INFINITY) - offset;
  t.limit_stiffness = golden_scene_number(constraint, "stiffness", INFINITY);
  t.limit_damping = golden_scene_number(constraint, "damping", 0.0);
  limpet_builder_add_tendon(builder, &t);
}

static void add_loop(limpet_builder *builder, const json_t *constraint, const char *type) {
  limpet_loop_description l = limpet_loop_description_default();
  static const char *const bodies[2] = {"body_a", "body_b"},
                           *const points[2] = {"point_a", "point_b"},
                           *const poses[2] = {"pose_a", "pose_b"};
  l.name = golden_scene_text(constraint, "name");
  for (int side = 0; side < 2; ++side) {
    const char *body = golden_scene_text(constraint, bodies[side]);
    double *position = side == 0 ? l.position_a : l.position_b,
           *quaternion = side == 0 ? l.quaternion_a : l.quaternion_b;
    *(side == 0 ? &l.body_a : &l.body_b) = limpet_builder_find(builder, LIMPET_OBJECT_BODY, body);
    if (json_object_get(constraint, points[side]))
      json_numbers(json_object_get(constraint, points[side]), position, 3);
    if (json_object_get(constraint, poses[side]))
      pose_of(json_object_get(constraint, poses[side]), position, quaternion);
  }
  if (strcmp(type, "weld") == 0) l.kind = LIMPET_LOOP_WELD;
  if (strcmp(type, "distance") == 0) {
    l.kind = LIMPET_LOOP_DISTANCE;
    l.length =
        golden_scene_number(constraint, "distance", golden_scene_number(constraint, "length", NAN));
    assert_true(isfinite(l.length));
    l.stiffness = golden_scene_number(constraint, "stiffness", INFINITY);
    l.damping = golden_scene_number(constraint, "damping", 0.0);
  }
  limpet_builder_add_loop(builder, &l);
}

static void add_constraints(limpet_builder *builder, const json_t *root) {
  size_t i;
  json_t *constraint;
  json_array_foreach(json_object_get(root, "constraints"), i, constraint) {
    const char *type = golden_scene_text(constraint, "type");
    if (strcmp(type, "coupler") == 0) add_coupler(builder, constraint);
    else if (strcmp(type, "tendon") == 0) add_tendon(builder, constraint);
    else if (strcmp(type, "ball") == 0 || strcmp(type, "weld") == 0 ||
             strcmp(type, "distance") == 0)
      add_loop(builder, constraint, type);
    else fail_msg("constraint of unknown type %s", type);
  }
}

limpet_builder *golden_scene_builder(const json_t *root) {
  limpet_builder *builder = limpet_builder_create();
  limpet_options *options = limpet_builder_options(builder);
  json_numbers(json_object_get(root, "gravity"), options->gravity, 3);
  options->time_step = golden_scene_number(root, "time_step", NAN);
  options->friction_rule = LIMPET_FRICTION_HARMONIC_MEAN;
  options->disabled = LIMPET_DISABLE_PARENT_FILTER;
  size_t i;
  json_t *item;
  // jointed trees first, then free bodies: the order of the file's coordinates
  for (int jointed = 1; jointed >= 0; --jointed)
    json_array_foreach(json_object_get(root, "bodies"), i,
                       item) if ((joint_of_child(root, golden_scene_text(item, "name")) != NULL) ==
                                 jointed) add_body(builder, root, item);
  json_array_foreach(json_object_get(root, "geometries"), i, item) add_geom(builder, item);
  json_array_foreach(json_object_get(root, "actuators"), i, item) add_actuator(builder, item);
  // the only filter of the scenes is between spheres that are alone on their bodies
  json_array_foreach(json_object_get(root, "filtered_pairs"), i, item) {
    int body[2];
    for (size_t k = 0; k < 2; ++k) {
      const int geom = limpet_builder_find(builder, LIMPET_OBJECT_GEOM,
                                           json_string_value(json_array_get(item, k)));
      assert_true(geom >= 0);
      body[k] = limpet_builder_geom(builder, geom)->body;
    }
    limpet_builder_add_exclude(builder, body[0], body[1]);
  }
  add_constraints(builder, root);
  return builder;
}

limpet_model *golden_scene_compile(const json_t *root) {
  limpet_builder *builder = golden_scene_builder(root);
  limpet_error error;
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) fail_msg("%s", error.message);
  limpet_builder_destroy(builder);
  return model;
}

void golden_scene_state(const limpet_model *model, const double *scene_q, const double *scene_v,
                        double *q, double *v) {
  for (int j = 0; j < model->joint_count; ++j) {
    const int a = model->joint_q[j], b = model->joint_v[j];
    if (model->joint_kind[j] != LIMPET_JOINT_FREE) {
      q[a] = scene_q[a];
      v[b] = scene_v[b];
      continue;
    }
    double R[9], quaternion[4];
    limpet_quaternion_copy(quaternion, scene_q + a);
    limpet_quaternion_normalize(quaternion);
    limpet_vec3_copy(q + a, scene_q + a + 4);
    limpet_quaternion_copy(q + a + 3, quaternion);
    limpet_quaternion_to_matrix(R, quaternion);
    limpet_vec3_copy(v + b, scene_v + b + 3);
    limpet_mat3_tmul_vec(v + b + 3, R, scene_v + b);
  }
}

limpet_step_settings golden_scene_settings(const limpet_model *model, const json_t *root,
                                           const limpet_contact_model *contact_model) {
  limpet_step_settings settings;
  assert_true(limpet_step_settings_preset(&settings, model, "drake"));
  settings.contact_model = contact_model;
  settings.time_step = golden_scene_number(root, "time_step", NAN);
  settings.stiction_speed = golden_scene_number(root, "stiction_tolerance", NAN);
  settings.friction_regularization =
      golden_scene_number(root, "friction_regularization_sigma", NAN);
  settings.rigid_stiffness = INFINITY;  // null in a scene means rigid
  settings.near_rigid_ratio = golden_scene_number(root, "near_rigid_threshold", NAN);
  settings.tolerance = 1e-15;
  settings.iteration_limit = 500;
  return settings;
}

void golden_scene_controls(const limpet_model *model, limpet_data *data, const json_t *root) {
  size_t i;
  json_t *a;
  json_array_foreach(json_object_get(root, "actuators"), i, a) {
    const int index =
        limpet_model_find(model, LIMPET_OBJECT_ACTUATOR, golden_scene_text(a, "name"));
    assert_true(index >= 0);
    data->control[index] =
        golden_scene_number(a, "input", 0.0) +
        golden_scene_number(a, "kp", 0.0) * golden_scene_number(a, "q_desired", 0.0) +
        golden_scene_number(a, "kd", 0.0) * golden_scene_number(a, "v_desired", 0.0);
  }
}
