/* tests/support/puppet.c: a world that is moved by hand. */
#include "puppet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CONTACTS = 4 };

static int add_body(limpet_builder *builder, const char *name, int parent, double x, double y,
                    double z) {
  limpet_body_description body = limpet_body_description_default();
  body.name = name;
  body.parent = parent;
  body.position[0] = x;
  body.position[1] = y;
  body.position[2] = z;
  return limpet_builder_add_body(builder, &body);
}

static void add_geom(limpet_builder *builder, const char *name, int body, limpet_shape_kind kind,
                     const double size[3], const double position[3], const float rgb[3]) {
  limpet_geom_description geom = limpet_geom_description_default();
  geom.name = name;
  geom.body = body;
  geom.kind = kind;
  for (int k = 0; k < 3; ++k) {
    geom.size[k] = size[k];
    geom.position[k] = position[k];
    geom.rgba[k] = rgb[k];
  }
  limpet_builder_add_geom(builder, &geom);
}

static int add_joint(limpet_builder *builder, const char *name, int body, limpet_joint_kind kind,
                     int axis) {
  limpet_joint_description joint = limpet_joint_description_default();
  joint.name = name;
  joint.body = body;
  joint.kind = kind;
  for (int k = 0; k < 3; ++k) joint.axis[k] = k == axis ? 1.0 : 0.0;
  return limpet_builder_add_joint(builder, &joint);
}

static void add_motor(limpet_builder *builder, const char *name, int joint) {
  limpet_actuator_description motor = limpet_actuator_description_default();
  motor.name = name;
  motor.target = joint;
  limpet_builder_add_actuator(builder, &motor);
}

// a tetrahedral foot, so that there is a mesh and its hull
static void add_foot(limpet_builder *builder, int body) {
  static const double vertices[12] = {-0.08, -0.08, 0, 0.08, -0.08, 0, 0, 0.1, 0, 0, 0, 0.12};
  static const int faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  limpet_mesh_description mesh = limpet_mesh_description_default();
  mesh.name = "foot";
  mesh.vertex_count = 4;
  mesh.face_count = 4;
  mesh.vertices = vertices;
  mesh.faces = faces;
  limpet_geom_description geom = limpet_geom_description_default();
  geom.name = "foot";
  geom.body = body;
  geom.kind = LIMPET_SHAPE_MESH;
  geom.mesh = limpet_builder_add_mesh(builder, &mesh);
  limpet_builder_add_geom(builder, &geom);
}

limpet_model *puppet_model(void) {
  static const float grey[3] = {0.5f, 0.5f, 0.5f}, wood[3] = {0.72f, 0.6f, 0.45f},
                     steel[3] = {0.75f, 0.77f, 0.8f}, red[3] = {0.9f, 0.05f, 0.05f},
                     blue[3] = {0.2f, 0.35f, 0.7f};
  limpet_builder *builder = limpet_builder_create();
  limpet_builder_name(builder, "puppet </script> <b>\"&\"");
  add_geom(builder, "floor", 0, LIMPET_SHAPE_PLANE, (double[3]){0}, (double[3]){0}, grey);

  const int table = add_body(builder, "table", 0, 0.0, 0.0, 0.2);
  add_geom(builder, "top", table, LIMPET_SHAPE_BOX, (double[3]){0.4, 0.3, 0.02},
           (double[3]){0.0, 0.0, -0.02}, wood);
  for (int leg = 0; leg < 4; ++leg)
    add_geom(builder, NULL, table, LIMPET_SHAPE_CYLINDER, (double[3]){0.02, 0.08, 0},
             (double[3]){leg & 1 ? 0.36 : -0.36, leg & 2 ? 0.26 : -0.26, -0.12}, steel);

  const int upper = add_body(builder, "upper arm", 0, -0.35, 0.3, 0.2);
  add_geom(builder, "upper arm", upper, LIMPET_SHAPE_CAPSULE, (double[3]){0.03, 0.12, 0},
           (double[3]){0.0, 0.0, 0.12}, steel);
  add_motor(builder, "shoulder", add_joint(builder, "shoulder", upper, LIMPET_JOINT_REVOLUTE, 1));
  add_foot(builder, upper);
  const int lower = add_body(builder, "forearm", upper, 0.0, 0.0, 0.24);
  add_geom(builder, "forearm", lower, LIMPET_SHAPE_CAPSULE, (double[3]){0.025, 0.1, 0},
           (double[3]){0.0, 0.0, 0.1}, blue);
  add_geom(builder, "hand", lower, LIMPET_SHAPE_ELLIPSOID, (double[3]){0.03, 0.04, 0.05},
           (double[3]){0.0, 0.0, 0.24}, steel);
  add_motor(builder, "elbow", add_joint(builder, "elbow", lower, LIMPET_JOINT_REVOLUTE, 1));

  const int cube = add_body(builder, "cube", 0, 0.0, 0.0, 0.25);
  add_geom(builder, "cube", cube, LIMPET_SHAPE_BOX, (double[3]){0.03, 0.03, 0.03}, (double[3]){0},
           red);
  add_joint(builder, "cube", cube, LIMPET_JOINT_FREE, 2);

  limpet_sensor_description encoder = limpet_sensor_description_default();
  encoder.name = "elbow encoder";
  encoder.kind = limpet_sensor_kind_find("jointpos");
  encoder.object_type = LIMPET_OBJECT_JOINT,
  encoder.object = limpet_builder_find(builder, LIMPET_OBJECT_JOINT, "elbow");
  limpet_builder_add_sensor(builder, &encoder);
  limpet_sensor_description clock = limpet_sensor_description_default();
  clock.kind = limpet_sensor_kind_find("clock");
  limpet_builder_add_sensor(builder, &clock);

  limpet_error error;
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) fprintf(stderr, "puppet: %s\n", error.message);
  limpet_builder_destroy(builder);
  return model;
}

limpet_step_settings puppet_settings(const limpet_model *model) {
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.energy = true;
  return settings;
}

static void puppet_contacts(limpet_data *data, double t) {
  static int geom[2 * CONTACTS];
  static double position[3 * CONTACTS], frame[9 * CONTACTS], distance[CONTACTS],
      force[3 * CONTACTS], velocity[3 * CONTACTS], slip_speed[CONTACTS], torsion[CONTACTS],
      rolling[2 * CONTACTS], area[CONTACTS], friction[CONTACTS];
  const double *cube =
      &data->body_position[3 * limpet_model_find(data->model, LIMPET_OBJECT_BODY, "cube")];
  for (int i = 0; i < CONTACTS; ++i) {
    geom[2 * i] = limpet_model_find(data->model, LIMPET_OBJECT_GEOM, "top");
    geom[2 * i + 1] = limpet_model_find(data->model, LIMPET_OBJECT_GEOM, "cube");
    position[3 * i] = cube[0] + (i & 1 ? 0.03 : -0.03);
    position[3 * i + 1] = cube[1] + (i & 2 ? 0.03 : -0.03);
    position[3 * i + 2] = 0.2;
    memcpy(&frame[9 * i], (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9 * sizeof(double));
    friction[i] = 0.8;
    distance[i] = -1e-5 * (1.0 + i);
    slip_speed[i] = 1e-6 * (1.0 + i);
    torsion[i] = 1e-4 * sin(t + i);
    rolling[2 * i] = 1e-5 * cos(t + i);
    rolling[2 * i + 1] = 1e-6 * (i + 1);
    memcpy(&velocity[3 * i], (double[3]){1e-7 * sin(t), 1e-7 * i, 1e-8}, 3 * sizeof(double));
    memcpy(&force[3 * i], (double[3]){0.1 * cos(t), 0.1 * sin(t), 0.5 + 0.1 * i},
           3 * sizeof(double));
  }
  // in the air for a third of the time
  data->contact_count = cube[2] < 0.2301 ? CONTACTS : 0;
  data->contact_geom = geom;
  data->contact_position = position;
  data->contact_frame = frame;
  data->contact_distance = distance;
  data->contact_force = force;
  data->contact_velocity = velocity;
  data->contact_slip_speed = slip_speed;
  data->contact_torsion = torsion;
  data->contact_rolling = rolling;
  data->contact_friction = friction;
  data->contact_area = area;  // points, not surfaces
}

static void puppet_info(limpet_data *data, double t) {
  limpet_step_info *info = &data->info;
  info->outcome = LIMPET_OUTCOME_SOLVED;
  info->iterations = 2 + (int)(3.0 * (1.0 + sin(7.0 * t)));
  info->iterations_total = info->iterations;
  info->residual = 1e-8 * (1.0 + t);
  info->contact_count = info->touching_count = data->contact_count;
  info->deepest_penetration = data->contact_count > 0 ? 1e-5 * (4.0 + sin(9.0 * t)) : 0.0;
  info->kinetic_energy = 0.02 * (1.0 - cos(3.0 * t));
  info->potential_energy = 0.6 + 0.5 * data->q[4];
  info->contact_energy = 1e-5 * data->contact_count;
}

void puppet_move(const limpet_model *model, limpet_data *data, int step) {
  const double t = 0.002 * step, hop = sin(2.0 * t);
  data->time = t;
  data->step_count = step;
  data->q[0] = 0.5 + 0.3 * sin(1.3 * t);
  data->q[1] = 0.9 + 0.4 * cos(1.7 * t);
  data->q[2] = 0.28 * sin(t);
  data->q[3] = -0.2 * cos(1.5 * t);
  data->q[4] = 0.23 + 0.15 * (hop > 0.5 ? hop - 0.5 : 0.0);
  data->q[5] = cos(0.4 * t);
  data->q[6] = data->q[7] = 0.0;
  data->q[8] = sin(0.4 * t);
  for (int i = 0; i < model->nv; ++i) data->v[i] = cos(t + i);
  for (int i = 0; i < model->nu; ++i) data->control[i] = sin(t * (i + 1)) + step % 3;
  for (int i = 0; i < model->nsensor; ++i) data->sensor[i] = sin(3.0 * t + i);
  limpet_kinematics(model, data);
  memset(&data->info, 0, sizeof data->info);
  data->contact_count = 0;
  if (step == 0) return;
  puppet_contacts(data, t);
  puppet_info(data, t);
}

int puppet_create(void **state) { return (*state = puppet_model()) ? 0 : -1; }

int puppet_destroy(void **state) {
  limpet_model_destroy(*state);
  return 0;
}
