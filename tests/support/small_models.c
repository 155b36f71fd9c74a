/* tests/support/small_models.c: small models for tests. */
#include "small_models.h"

#include <math.h>
#include <stdio.h>

int small_body(limpet_builder *builder, const char *name, int parent, double x, double y,
               double z) {
  limpet_body_description body = limpet_body_description_default();
  body.name = name;
  body.parent = parent;
  body.position[0] = x, body.position[1] = y, body.position[2] = z;
  return limpet_builder_add_body(builder, &body);
}

int small_joint(limpet_builder *builder, const char *name, int body, limpet_joint_kind kind,
                double x, double y, double z) {
  limpet_joint_description joint = limpet_joint_description_default();
  joint.name = name;
  joint.body = body;
  joint.kind = kind;
  joint.axis[0] = x, joint.axis[1] = y, joint.axis[2] = z;
  return limpet_builder_add_joint(builder, &joint);
}

int small_box(limpet_builder *builder, int body, double mass, double a, double b, double c) {
  limpet_geom_description geom = limpet_geom_description_default();
  geom.body = body;
  geom.kind = LIMPET_SHAPE_BOX;
  geom.mass = mass;
  geom.size[0] = a, geom.size[1] = b, geom.size[2] = c;
  return limpet_builder_add_geom(builder, &geom);
}

int small_sphere(limpet_builder *builder, int body, double mass, double radius) {
  limpet_geom_description geom = limpet_geom_description_default();
  geom.body = body;
  geom.mass = mass;
  geom.size[0] = radius;
  return limpet_builder_add_geom(builder, &geom);
}

limpet_model *small_compile(limpet_builder *builder) {
  limpet_error error = {0};
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) fprintf(stderr, "%s\n", error.message);
  limpet_builder_destroy(builder);
  return model;
}

static void add_actuators(limpet_builder *builder, int joint, int tendon, int site) {
  limpet_actuator_description actuator = limpet_actuator_description_default();
  actuator.name = "servo";
  actuator.target = joint;
  actuator.gain[0] = 100.0, actuator.bias[1] = -100.0, actuator.damping_ratio = 0.7;
  actuator.control_limited = true;
  actuator.control_range[0] = 0.25, actuator.control_range[1] = 2.0;
  limpet_builder_add_actuator(builder, &actuator);

  actuator = limpet_actuator_description_default();
  actuator.name = "filtered";
  actuator.transmission = LIMPET_TRANSMISSION_TENDON;
  actuator.target = tendon;
  actuator.activation = LIMPET_ACTIVATION_FILTER;
  actuator.activation_time = 0.1;
  limpet_builder_add_actuator(builder, &actuator);

  actuator = limpet_actuator_description_default();
  actuator.name = "thruster";
  actuator.transmission = LIMPET_TRANSMISSION_SITE;
  actuator.target = site;
  actuator.gear[0] = 0.0, actuator.gear[2] = 1.0;
  actuator.group = 3;
  limpet_builder_add_actuator(builder, &actuator);
}

limpet_builder *small_everything(void) {
  limpet_builder *builder = limpet_builder_create();
  limpet_builder_name(builder, "everything");

  // bodies
  const int table = small_body(builder, "table", 0, 0.0, 0.0, 0.1);
  const int box = small_body(builder, "box", 0, 0.0, 0.5, 1.0);
  const int upper = small_body(builder, "upper", table, 0.2, 0.0, 0.0);
  const int lower = small_body(builder, "lower", upper, 0.0, 0.0, 0.4);
  const int hand = small_body(builder, "hand", lower, 0.0, 0.0, 0.3);
  const int tip = small_body(builder, "tip", hand, 0.0, 0.0, 0.1);
  const int target = small_body(builder, "target", 0, 1.0, 0.0, 0.5);
  limpet_builder_body(builder, target)->mocap = true;
  limpet_builder_body(builder, hand)->gravity_compensation = 0.5;

  // joints
  small_joint(builder, "root", box, LIMPET_JOINT_FREE, 0, 0, 1);
  const int shoulder = small_joint(builder, "shoulder", upper, LIMPET_JOINT_REVOLUTE, 0, 1, 0);
  const int slide = small_joint(builder, "slide", lower, LIMPET_JOINT_PRISMATIC, 0, 0, 1);
  const int elbow = small_joint(builder, "elbow", lower, LIMPET_JOINT_REVOLUTE, 1, 0, 0);
  small_joint(builder, "wrist", hand, LIMPET_JOINT_BALL, 0, 0, 1);
  limpet_builder_joint(builder, shoulder)->limited = true;
  limpet_builder_joint(builder, shoulder)->range[0] = -1.0;
  limpet_builder_joint(builder, shoulder)->range[1] = 1.5;
  limpet_builder_joint(builder, elbow)->reference = 0.3;
  limpet_builder_joint(builder, elbow)->spring_reference = 0.2;
  limpet_builder_joint(builder, elbow)->stiffness = 5.0;
  limpet_builder_joint(builder, slide)->damping = 2.0;

  // geoms
  const int top = small_box(builder, table, NAN, 0.3, 0.3, 0.05);
  const int cube = small_box(builder, box, 0.5, 0.1, 0.05, 0.02);
  small_box(builder, upper, 1.0, 0.05, 0.05, 0.2);
  small_box(builder, lower, 0.8, 0.04, 0.04, 0.15);
  small_sphere(builder, hand, 0.3, 0.05);
  small_sphere(builder, tip, 0.1, 0.02);

  // what refers to them
  limpet_site_description site = limpet_site_description_default();
  site.name = "end", site.body = tip, site.position[2] = 0.02;
  const int end = limpet_builder_add_site(builder, &site);
  const limpet_tendon_term terms[] = {{elbow, 2.0}, {slide, -1.0}};
  limpet_tendon_description tendon = limpet_tendon_description_default();
  tendon.name = "cable", tendon.term_count = 2, tendon.terms = terms, tendon.stiffness = 3.0;
  const int cable = limpet_builder_add_tendon(builder, &tendon);
  add_actuators(builder, shoulder, cable, end);
  limpet_coupler_description coupler = limpet_coupler_description_default();
  coupler.name = "follow", coupler.y = slide, coupler.x = elbow, coupler.coefficient[1] = 0.1;
  limpet_builder_add_coupler(builder, &coupler);
  limpet_pair_description pair = limpet_pair_description_default();
  pair.geom_a = cube, pair.geom_b = top;
  limpet_builder_add_pair(builder, &pair);
  limpet_builder_add_exclude(builder, upper, lower);

  // a keyframe in the order of the model: shoulder, slide, elbow, ball 4, free 7
  static const double q[] = {0.1, 0.2, 0.3, 2, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0},
                      control[] = {1.0, 2.0, 3.0};
  limpet_keyframe_description key = limpet_keyframe_description_default();
  key.name = "home", key.time = 0.5, key.q = q, key.q_count = 14, key.control = control,
  key.control_count = 3;
  limpet_builder_add_keyframe(builder, &key);
  return builder;
}
