/* tests/support/small_world.c: a small scene with one of everything, described by a program. */
#include "small_world.h"

#include "limpet/sense.h"
#include "small_models.h"

static void geom_add(limpet_builder *builder, int body, limpet_shape_kind kind, double x, double y,
                     double z) {
  limpet_geom_description geom = limpet_geom_description_default();
  geom.body = body;
  geom.kind = kind;
  geom.size[0] = x, geom.size[1] = y, geom.size[2] = z;
  limpet_builder_add_geom(builder, &geom);
}

static int free_body_add(limpet_builder *builder, const char *name, double x, double z) {
  const int body = small_body(builder, name, 0, x, 0, z);
  small_joint(builder, NULL, body, LIMPET_JOINT_FREE, 0, 0, 1);
  return body;
}

static int hinge_add(limpet_builder *builder, const char *name, int body) {
  limpet_joint_description joint = limpet_joint_description_default();
  joint.name = name;
  joint.body = body;
  joint.kind = LIMPET_JOINT_REVOLUTE;
  joint.axis[0] = 0, joint.axis[1] = 1, joint.axis[2] = 0;
  joint.limited = true;
  joint.range[0] = -1.0, joint.range[1] = 1.0;
  joint.damping = 0.1;
  joint.stiffness = 0.2;
  joint.armature = 0.01;
  joint.dry_friction = 0.05;
  return limpet_builder_add_joint(builder, &joint);
}

static void mesh_add(limpet_builder *builder, int body) {
  static const double vertices[] = {0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1};
  static const int faces[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  limpet_mesh_description mesh = limpet_mesh_description_default();
  mesh.name = "corner";
  mesh.vertex_count = 4, mesh.vertices = vertices;
  mesh.face_count = 4, mesh.faces = faces;
  limpet_geom_description geom = limpet_geom_description_default();
  geom.body = body;
  geom.kind = LIMPET_SHAPE_MESH;
  geom.mesh = limpet_builder_add_mesh(builder, &mesh);
  limpet_builder_add_geom(builder, &geom);
}

static void actuator_add(limpet_builder *builder, const char *name,
                         limpet_transmission transmission, int target, double kp) {
  limpet_actuator_description actuator = limpet_actuator_description_default();
  actuator.name = name;
  actuator.transmission = transmission;
  actuator.target = target;
  if (kp > 0) actuator.gain[0] = kp, actuator.bias[1] = -kp, actuator.bias[2] = -0.1 * kp;
  actuator.force_limited = true;
  actuator.force_range[0] = -2, actuator.force_range[1] = 2;
  limpet_builder_add_actuator(builder, &actuator);
}

static void arm_describe(limpet_builder *builder) {
  const int upper = small_body(builder, "upper", 0, 0, 0, 0.5);
  const int shoulder = hinge_add(builder, "shoulder", upper);
  geom_add(builder, upper, LIMPET_SHAPE_CAPSULE, 0.02, 0.1, 0);
  const int lower = small_body(builder, "lower", upper, 0.15, 0, 0);
  const int elbow = hinge_add(builder, "elbow", lower);
  geom_add(builder, lower, LIMPET_SHAPE_BOX, 0.05, 0.01, 0.01);
  limpet_site_description site = limpet_site_description_default();
  site.name = "tip";
  site.body = lower;
  const int tip = limpet_builder_add_site(builder, &site);

  const limpet_tendon_term terms[] = {{shoulder, 1.0}, {elbow, -0.5}};
  limpet_tendon_description tendon = limpet_tendon_description_default();
  tendon.name = "cable";
  tendon.term_count = 2, tendon.terms = terms;
  tendon.stiffness = 1, tendon.damping = 0.1;
  tendon.limited = true;
  tendon.range[0] = -0.5, tendon.range[1] = 0.5;
  const int cable = limpet_builder_add_tendon(builder, &tendon);

  limpet_coupler_description coupler = limpet_coupler_description_default();
  coupler.name = "together";
  coupler.y = elbow, coupler.x = shoulder;
  coupler.coefficient[1] = 0.5;
  limpet_builder_add_coupler(builder, &coupler);

  actuator_add(builder, "motor", LIMPET_TRANSMISSION_JOINT, shoulder, 0);
  actuator_add(builder, "servo", LIMPET_TRANSMISSION_TENDON, cable, 50);
  actuator_add(builder, "thrust", LIMPET_TRANSMISSION_SITE, tip, 0);
}

// what needs accelerations, forces, contacts, rays
static void sensors_add(limpet_builder *builder) {
  static const char *const kinds[] = {"accelerometer", "force", "touch", "rangefinder"};
  for (int i = 0; i < 4; ++i) {
    limpet_sensor_description sensor = limpet_sensor_description_default();
    sensor.name = kinds[i];
    sensor.kind = limpet_sensor_kind_find(kinds[i]);
    sensor.object = limpet_builder_find(builder, LIMPET_OBJECT_SITE, "tip");
    limpet_builder_add_sensor(builder, &sensor);
  }
}

void small_world_describe(limpet_builder *builder) {
  limpet_builder_name(builder, "small world");
  geom_add(builder, 0, LIMPET_SHAPE_PLANE, 0, 0, 0.1);
  arm_describe(builder);
  geom_add(builder, free_body_add(builder, "box", 0.5, 0.05), LIMPET_SHAPE_BOX, 0.05, 0.05, 0.05);
  geom_add(builder, free_body_add(builder, "lid", 0.5, 0.15), LIMPET_SHAPE_BOX, 0.05, 0.05, 0.05);
  geom_add(builder, free_body_add(builder, "ball", 0.7, 0.05), LIMPET_SHAPE_SPHERE, 0.05, 0, 0);
  geom_add(builder, free_body_add(builder, "pill", 0.9, 0.1), LIMPET_SHAPE_CAPSULE, 0.03, 0.05, 0);
  geom_add(builder, free_body_add(builder, "can", 1.1, 0.08), LIMPET_SHAPE_CYLINDER, 0.04, 0.06, 0);
  geom_add(builder, free_body_add(builder, "egg", 1.3, 0.08), LIMPET_SHAPE_ELLIPSOID, 0.03, 0.04,
           0.05);
  mesh_add(builder, free_body_add(builder, "corner", 1.5, 0.02));
  sensors_add(builder);
  limpet_keyframe_description keyframe = limpet_keyframe_description_default();
  keyframe.name = "home";
  limpet_builder_add_keyframe(builder, &keyframe);
}

limpet_model *small_world(void) {
  limpet_builder *builder = limpet_builder_create();
  small_world_describe(builder);
  return small_compile(builder);
}
