/* tests/step/test_golden_scenes.c: whole scenes against an independent minimiser
 * (../shared/golden/contact/scenes): contacts at step 0, constraints of step 1, states after 1, 2,
 * 5, ... steps, for every contact model. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/step.h"
#include "math/quaternion.h"
#include "shared_data.h"

static double number_or(const json_t *object, const char *key, double value) {
  const json_t *item = json_object_get(object, key);
  return json_is_number(item) ? json_number_value(item) : value;
}

static const char *text_of(const json_t *object, const char *key) {
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
                     joint) if (strcmp(text_of(joint, "child"), body) == 0) return joint;
  return NULL;
}

// The body with its joint; frames P on the parent and C on the child: child = P C^-1 at zero.
static void add_body(limpet_builder *builder, const json_t *root, const json_t *body) {
  const char *name = text_of(body, "name");
  const json_t *source = joint_of_child(root, name);
  limpet_body_description d = limpet_body_description_default();
  d.name = name;
  d.has_inertial = true;
  d.mass = number_or(body, "mass", NAN);
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
  const char *parent = text_of(source, "parent");
  d.parent =
      strcmp(parent, "world") == 0 ? 0 : limpet_builder_find(builder, LIMPET_OBJECT_BODY, parent);
  assert_true(d.parent >= 0);

  j.name = text_of(source, "name");
  j.kind = strcmp(text_of(source, "type"), "revolute") == 0 ? LIMPET_JOINT_REVOLUTE
                                                            : LIMPET_JOINT_PRISMATIC;
  json_numbers(json_object_get(source, "axis"), axis, 3);
  limpet_quaternion_rotate(j.axis, q_C, axis);
  limpet_vec3_copy(j.position, p_C);
  j.damping = number_or(source, "damping", 0.0);
  j.range[0] = number_or(source, "lower", -INFINITY);
  j.range[1] = number_or(source, "upper", INFINITY);
  j.limited = isfinite(j.range[0]) || isfinite(j.range[1]);
  size_t i;
  json_t *actuator;
  json_array_foreach(json_object_get(root, "actuators"), i,
                     actuator) if (strcmp(text_of(actuator, "joint"), j.name) == 0) j.armature =
      number_or(actuator, "reflected_inertia", 0.0);
  j.body = limpet_builder_add_body(builder, &d);
  limpet_builder_add_joint(builder, &j);
}

static void add_geom(limpet_builder *builder, const json_t *geometry) {
  limpet_geom_description g = limpet_geom_description_default();
  const json_t *shape = json_object_get(geometry, "shape"),
               *material = json_object_get(geometry, "material");
  const char *type = text_of(shape, "type"), *body = text_of(geometry, "body");
  g.name = text_of(geometry, "name");
  g.body = strcmp(body, "world") == 0 ? 0 : limpet_builder_find(builder, LIMPET_OBJECT_BODY, body);
  assert_true(g.body >= 0);
  pose_of(json_object_get(geometry, "pose"), g.position, g.quaternion);
  g.size[0] = number_or(shape, "radius", 0.0);
  g.size[1] = 0.5 * number_or(shape, "length", 0.0);
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
  g.material.stiffness = number_or(material, "stiffness", INFINITY);
  g.material.dissipation = number_or(material, "dissipation", 0.0);
  g.material.relaxation_time = number_or(material, "relaxation_time", 0.0);
  g.material.friction = number_or(material, "friction", 0.0);
  limpet_builder_add_geom(builder, &g);
}

/* error term kp (q_d - q) + kd v_d through gain 1 and a control in newtons; feed-forward is the
 * offset */
static void add_actuator(limpet_builder *builder, const json_t *actuator) {
  limpet_actuator_description a = limpet_actuator_description_default();
  a.name = text_of(actuator, "name");
  a.transmission = LIMPET_TRANSMISSION_JOINT;
  a.target = limpet_builder_find(builder, LIMPET_OBJECT_JOINT, text_of(actuator, "joint"));
  const double kp = number_or(actuator, "kp", 0.0), kd = number_or(actuator, "kd", 0.0);
  const double limit = number_or(actuator, "effort_limit", INFINITY);
  a.gain[0] = 1.0, a.gain[1] = a.gain[2] = 0.0;
  a.bias[0] = number_or(actuator, "feedforward", 0.0), a.bias[1] = -kp, a.bias[2] = -kd;
  a.force_limited = isfinite(limit);
  a.force_range[0] = -limit, a.force_range[1] = limit;
  limpet_builder_add_actuator(builder, &a);
}

static void add_coupler(limpet_builder *builder, const json_t *constraint) {
  limpet_coupler_description c = limpet_coupler_description_default();
  c.name = text_of(constraint, "name");
  c.y = limpet_builder_find(builder, LIMPET_OBJECT_JOINT, text_of(constraint, "joint_0"));
  c.x = limpet_builder_find(builder, LIMPET_OBJECT_JOINT, text_of(constraint, "joint_1"));
  c.coefficient[0] = number_or(constraint, "offset", 0.0);
  c.coefficient[1] = number_or(constraint, "ratio", 1.0);
  limpet_builder_add_coupler(builder, &c);
}

// The offset of the length goes into the range.
static void add_tendon(limpet_builder *builder, const json_t *constraint) {
  limpet_tendon_description t = limpet_tendon_description_default();
  limpet_tendon_term terms[8];
  const json_t *joints = json_object_get(constraint, "joints");
  double coefficients[8];
  json_numbers(json_object_get(constraint, "coefficients"), coefficients, 8);
  t.name = text_of(constraint, "name");
  t.term_count = (int)json_array_size(joints);
  assert_true(t.term_count <= 8);
  for (int i = 0; i < t.term_count; ++i) {
    const char *joint = json_string_value(json_array_get(joints, (size_t)i));
    terms[i].joint = limpet_builder_find(builder, LIMPET_OBJECT_JOINT, joint);
    terms[i].coefficient = coefficients[i];
  }
  t.terms = terms;
  t.limited = true;
  const double offset = number_or(constraint, "offset", 0.0);
  t.range[0] = number_or(constraint, "lower", -INFINITY) - offset;
  t.range[1] = number_or(constraint, "upper", INFINITY) - offset;
  t.limit_stiffness = number_or(constraint, "stiffness", INFINITY);
  t.limit_damping = number_or(constraint, "damping", 0.0);
  limpet_builder_add_tendon(builder, &t);
}

static void add_loop(limpet_builder *builder, const json_t *constraint, const char *type) {
  limpet_loop_description l = limpet_loop_description_default();
  static const char *const bodies[2] = {"body_a", "body_b"},
                           *const points[2] = {"point_a", "point_b"},
                           *const poses[2] = {"pose_a", "pose_b"};
  l.name = text_of(constraint, "name");
  for (int side = 0; side < 2; ++side) {
    const char *body = text_of(constraint, bodies[side]);
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
    l.length = number_or(constraint, "distance", number_or(constraint, "length", NAN));
    assert_true(isfinite(l.length));
    l.stiffness = number_or(constraint, "stiffness", INFINITY);
    l.damping = number_or(constraint, "damping", 0.0);
  }
  limpet_builder_add_loop(builder, &l);
}

static void add_constraints(limpet_builder *builder, const json_t *root) {
  size_t i;
  json_t *constraint;
  json_array_foreach(json_object_get(root, "constraints"), i, constraint) {
    const char *type = text_of(constraint, "type");
    if (strcmp(type, "coupler") == 0) add_coupler(builder, constraint);
    else if (strcmp(type, "tendon") == 0) add_tendon(builder, constraint);
    else if (strcmp(type, "ball") == 0 || strcmp(type, "weld") == 0 ||
             strcmp(type, "distance") == 0)
      add_loop(builder, constraint, type);
    else fail_msg("constraint of unknown type %s", type);
  }
}

static limpet_model *scene_compile(const json_t *root) {
  limpet_builder *builder = limpet_builder_create();
  limpet_options *options = limpet_builder_options(builder);
  json_numbers(json_object_get(root, "gravity"), options->gravity, 3);
  options->time_step = number_or(root, "time_step", NAN);
  options->friction_rule = LIMPET_FRICTION_HARMONIC_MEAN;
  options->disabled = LIMPET_DISABLE_PARENT_FILTER;
  size_t i;
  json_t *item;
  // jointed trees first, then free bodies: the order of the file's coordinates
  for (int jointed = 1; jointed >= 0; --jointed)
    json_array_foreach(json_object_get(root, "bodies"), i,
                       item) if ((joint_of_child(root, text_of(item, "name")) != NULL) == jointed)
        add_body(builder, root, item);
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
  limpet_error error;
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) fail_msg("%s", error.message);
  limpet_builder_destroy(builder);
  return model;
}

// Scene coordinates (free bodies: quaternion, position; world angular, linear) to ours; `velocity`:
// v instead of q.
static void to_ours(const limpet_model *model, const double *scene_q, const double *scene_v,
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

static bool states_agree(const char *name, const limpet_model *model, const limpet_data *data,
                         const json_t *expected) {
  double scene_q[256], scene_v[256], q[256], v[256];
  json_numbers(json_object_get(expected, "q"), scene_q, 256);
  json_numbers(json_object_get(expected, "v"), scene_v, 256);
  to_ours(model, scene_q, scene_v, q, v);
  double worst_q = 0.0, worst_v = 0.0;
  for (int j = 0; j < model->joint_count; ++j) {
    const int a = model->joint_q[j];
    if (model->joint_kind[j] != LIMPET_JOINT_FREE) {
      worst_q = fmax(worst_q, fabs(q[a] - data->q[a]));
      continue;
    }
    const double sign = q[a + 3] * data->q[a + 3] + q[a + 4] * data->q[a + 4] +
                        q[a + 5] * data->q[a + 5] + q[a + 6] * data->q[a + 6];
    for (int k = 0; k < 7; ++k)
      worst_q = fmax(worst_q, fabs((k > 2 && sign < 0 ? -q[a + k] : q[a + k]) - data->q[a + k]));
  }
  for (int i = 0; i < model->nv; ++i) worst_v = fmax(worst_v, fabs(v[i] - data->v[i]));
  // contact points of capsule pairs come from an iteration in Drake (README, note 7) that ends 2e-9
  // m from the closed form
  const double capsules = strstr(name, "capsule_capsule") ? 2e-6 : 0.0;
  const double tolerance_q = fmax(capsules, number_or(expected, "tolerance_q", 0.0));
  const double tolerance_v = fmax(capsules, number_or(expected, "tolerance_v", 0.0));
  if (worst_q <= tolerance_q && worst_v <= tolerance_v) return true;
  printf("%s, step %d: q differs by %.3g (allowed %.3g), v by %.3g (allowed %.3g)\n", name,
         (int)number_or(expected, "step", 0), worst_q, tolerance_q, worst_v, tolerance_v);
  return false;
}

// Contacts of step 0 by name: distance, normal, point. Ours are those of the first step.
static bool contacts_agree(const char *name, const limpet_model *model, const limpet_data *data,
                           const json_t *root) {
  const json_t *contacts = json_object_get(root, "contacts_step_0");
  bool good = (int)json_array_size(contacts) == data->contact_count;
  if (!good)
    printf("%s: %d contacts, expected %d\n", name, data->contact_count,
           (int)json_array_size(contacts));
  // capsule pairs are iterative in Drake (README, note 7): its contact geometry is good to 1e-6
  const double tolerance = strstr(name, "capsule_capsule") ? 1e-5 : 1e-11;
  size_t i;
  json_t *contact;
  json_array_foreach(contacts, i, contact) {
    const int a = limpet_model_find(model, LIMPET_OBJECT_GEOM, text_of(contact, "a"));
    const int b = limpet_model_find(model, LIMPET_OBJECT_GEOM, text_of(contact, "b"));
    double normal[3], point[3];
    json_numbers(json_object_get(contact, "normal_a_to_b"), normal, 3);
    json_numbers(json_object_get(contact, "point"), point, 3);
    int found = -1;
    for (int k = 0; k < data->contact_count; ++k) {
      const int *geom = data->contact_geom + 2 * k;
      if ((geom[0] == a && geom[1] == b) || (geom[0] == b && geom[1] == a)) found = k;
    }
    if (found < 0) {
      printf("%s: contact of %s and %s is missing\n", name, text_of(contact, "a"),
             text_of(contact, "b"));
      good = false;
      continue;
    }
    const double sign = data->contact_geom[2 * found] == a ? 1.0 : -1.0;
    double worst = fabs(data->contact_distance[found] - number_or(contact, "phi", NAN));
    for (int k = 0; k < 3; ++k) {
      worst = fmax(worst, fabs(sign * data->contact_frame[9 * found + 6 + k] - normal[k]));
      worst = fmax(worst, fabs(data->contact_position[3 * found + k] - point[k]));
    }
    worst = fmax(worst, fabs(data->contact_friction[found] - number_or(contact, "friction", NAN)));
    worst = fmax(worst,
                 fabs(data->contact_stiffness[found] / number_or(contact, "stiffness", NAN) - 1.0));
    if (!(worst <= tolerance)) {
      printf(
          "%s: contact of %s and %s differs by %.3g: distance %.15g, point %.15g %.15g %.15g, "
          "normal %.9g %.9g %.9g\n",
          name, text_of(contact, "a"), text_of(contact, "b"), worst, data->contact_distance[found],
          data->contact_position[3 * found], data->contact_position[3 * found + 1],
          data->contact_position[3 * found + 2], data->contact_frame[9 * found + 6],
          data->contact_frame[9 * found + 7], data->contact_frame[9 * found + 8]);
      good = false;
    }
  }
  return good;
}

static double worst_of(double worst, double a, double b, double scale) {
  return fmax(worst, fabs(a - b) / scale);
}

/* Errors and impulses of the constraints of step 1, by name; a limit's two rows are told apart by
 * their errors. Impulses are as well conditioned as the velocities of step 1, whose tolerance is
 * 1e-11 of momenta of the order of the impulses. */
static bool constraints_agree(const char *name, const limpet_model *model, const limpet_data *data,
                              const json_t *constraints, int *compared) {
  static const limpet_object objects[] = {LIMPET_OBJECT_JOINT, LIMPET_OBJECT_COUPLER,
                                          LIMPET_OBJECT_LOOP, LIMPET_OBJECT_TENDON};
  const double dt = model->options.time_step;
  double worst = 0.0;
  size_t i;
  json_t *constraint;
  json_array_foreach(constraints, i, constraint) {
    const json_t *errors = json_object_get(constraint, "g"),
                 *impulses = json_object_get(constraint, "impulse");
    if (!errors) continue;  // actuators: their force is in the states
    int target = LIMPET_NONE;
    for (size_t k = 0; k < 4 && target == LIMPET_NONE; ++k)
      target = limpet_model_find(model, objects[k], text_of(constraint, "name"));
    assert_true(target >= 0);
    double g[6], impulse[6], scale = 1e-3;
    const int count = (int)json_array_size(errors);
    json_numbers(errors, g, 6);
    json_numbers(impulses, impulse, 6);
    for (int k = 0; k < count; ++k) scale = fmax(scale, fabs(impulse[k]));
    // limits have one or two entries, each a row of its own
    const int rows = count > 2 ? count : 1;
    for (int k = 0, next = 0; k < count; k += rows) {
      int found = -1;
      for (int r = next; r + rows <= data->constraint_count && found < 0; ++r)
        if (data->constraint_target[r] == target && fabs(data->constraint_error[r] - g[k]) < 1e-9)
          found = r;
      if (found < 0 && impulse[k] == 0.0) continue;  // out of reach
      assert_true(found >= 0);
      next = found + rows;
      for (int r = 0; r < rows; ++r) {
        worst = worst_of(worst, data->constraint_error[found + r], g[k + r], 1.0);
        worst = worst_of(worst, dt * data->constraint_force[found + r], impulse[k + r], scale);
      }
      ++*compared;
    }
  }
  if (worst <= 1e-10) return true;
  printf("%s: constraints of step 1 differ by %.3g\n", name, worst);
  return false;
}

static limpet_step_settings settings_of(const limpet_model *model, const json_t *root,
                                        const limpet_contact_model *contact_model) {
  limpet_step_settings settings;
  assert_true(limpet_step_settings_preset(&settings, model, "drake"));
  settings.contact_model = contact_model;
  settings.time_step = number_or(root, "time_step", NAN);
  settings.stiction_speed = number_or(root, "stiction_tolerance", NAN);
  settings.friction_regularization = number_or(root, "friction_regularization_sigma", NAN);
  settings.rigid_stiffness = INFINITY;  // null in a scene means rigid
  settings.near_rigid_ratio = number_or(root, "near_rigid_threshold", NAN);
  settings.tolerance = 1e-15;
  settings.iteration_limit = 500;
  return settings;
}

static void set_controls(const limpet_model *model, limpet_data *data, const json_t *root) {
  size_t i;
  json_t *a;
  json_array_foreach(json_object_get(root, "actuators"), i, a) {
    const int index = limpet_model_find(model, LIMPET_OBJECT_ACTUATOR, text_of(a, "name"));
    assert_true(index >= 0);
    data->control[index] = number_or(a, "input", 0.0) +
                           number_or(a, "kp", 0.0) * number_or(a, "q_desired", 0.0) +
                           number_or(a, "kd", 0.0) * number_or(a, "v_desired", 0.0);
  }
}

/* Runs one scene with one model. Steps that are not well conditioned are compared only if they are
 * the first. Returns how many states differ. */
static int run_scene(const json_t *root, const char *key, const json_t *results, int *compared,
                     int *constraints) {
  const limpet_contact_model *contact_model = limpet_contact_model_find(key);
  limpet_model *model = scene_compile(root);
  limpet_data *data = limpet_data_create(model);
  double scene_q[256], scene_v[256];
  json_numbers(json_object_get(json_object_get(root, "initial"), "q"), scene_q, 256);
  json_numbers(json_object_get(json_object_get(root, "initial"), "v"), scene_v, 256);
  to_ours(model, scene_q, scene_v, data->q, data->v);
  set_controls(model, data, root);
  const limpet_step_settings settings = settings_of(model, root, contact_model);

  char name[256];
  snprintf(name, sizeof name, "%s %s", text_of(root, "name"), key);
  int failed = 0, step = 0;
  size_t i;
  json_t *expected;
  json_array_foreach(json_object_get(results, "expected"), i, expected) {
    for (const int target = (int)number_or(expected, "step", 0); step < target; ++step) {
      if (limpet_step(model, data, &settings) > LIMPET_OUTCOME_ITERATION_LIMIT)
        printf("%s: step %d failed\n", name, step + 1), ++failed;
      if (step == 0) failed += !contacts_agree(name, model, data, root);
      if (step == 0)
        failed += !constraints_agree(name, model, data,
                                     json_object_get(results, "constraints_step_1"), constraints);
    }
    if (!json_is_true(json_object_get(expected, "well_conditioned")) && i > 0) continue;
    failed += !states_agree(name, model, data, expected);
    ++*compared;
  }
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return failed;
}

static void golden_scenes_of_all_models(void **state) {
  (void)state;
  if (!shared_exists("golden/contact/scenes")) skip();
  file_list files = file_list_find(shared_path("golden/contact/scenes"), ".json");
  int compared = 0, failed = 0, scenes = 0, constraints = 0, left = 0;
  const char *only = getenv("LIMPET_SCENE");
  for (int i = 0; i < files.count; ++i) {
    if (only && !strstr(files.path[i], only)) continue;
    json_t *root = json_read(files.path[i]);
    assert_non_null(root);
    const char *key;
    json_t *results;
    json_object_foreach(json_object_get(root, "models"), key, results) {
      const int before = compared;
      failed += run_scene(root, key, results, &compared, &constraints);
      left += (int)json_array_size(json_object_get(results, "expected")) - (compared - before);
    }
    ++scenes;
    json_decref(root);
  }
  printf(
      "golden_scenes: %d scenes, %d states and %d constraints compared, %d differ; %d states left "
      "out: ill-conditioned\n",
      scenes, compared, constraints, failed, left);
  file_list_free(&files);
  assert_true(compared > 0);
  assert_int_equal(failed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(golden_scenes_of_all_models)};
  return cmocka_run_group_tests_name("golden_scenes", tests, NULL, NULL);
}
