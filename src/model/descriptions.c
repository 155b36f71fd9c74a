/* model/descriptions.c: the defaults of every description; MJCF's where MJCF has one. */
#include <math.h>

#include "limpet/model.h"

limpet_body_description limpet_body_description_default(void) {
  return (limpet_body_description){
      .quaternion = {1.0, 0.0, 0.0, 0.0},
      .inertia_quaternion = {1.0, 0.0, 0.0, 0.0},
  };
}

limpet_joint_description limpet_joint_description_default(void) {
  return (limpet_joint_description){
      .kind = LIMPET_JOINT_REVOLUTE,
      .axis = {0.0, 0.0, 1.0},
      .limit_impedance = limpet_impedance_default(),
      .dry_friction_kind = LIMPET_DRY_FRICTION_COULOMB,
      .dry_friction_impedance = limpet_impedance_default(),
  };
}

limpet_geom_description limpet_geom_description_default(void) {
  return (limpet_geom_description){
      .kind = LIMPET_SHAPE_SPHERE,
      .mesh = LIMPET_NONE,
      .cloud = LIMPET_NONE,
      .appearance = LIMPET_NONE,
      .fit_scale = 1.0,
      .quaternion = {1.0, 0.0, 0.0, 0.0},
      .material = limpet_material_default(),
      .contype = 1,
      .conaffinity = 1,
      .condim = 3,
      .impedance_mix = 1.0,
      .mass = NAN,
      .density = 1000.0,
      .fluid_coefficients = {0.5, 0.25, 1.5, 1.0, 1.0},
      .rgba = {0.5f, 0.5f, 0.5f, 1.0f},
  };
}

limpet_deformable_description limpet_deformable_description_default(void) {
  const limpet_fem_description fem = limpet_fem_description_default();
  return (limpet_deformable_description){
      .scale = {1.0, 1.0, 1.0},
      .quaternion = {1.0, 0.0, 0.0, 0.0},
      .element = fem.element,
      .law = fem.law,
      .youngs_modulus = fem.youngs_modulus,
      .poissons_ratio = fem.poissons_ratio,
      .density = fem.density,
      .mass_damping = fem.mass_damping,
      .stiffness_damping = fem.stiffness_damping,
      .gravity = true,
      .surface_stiffness = 1e8,
      .material = limpet_material_default(),
      .contype = 1,
      .conaffinity = 1,
      .condim = 3,
      .rgba = {0.8f, 0.5f, 0.4f, 1.0f},
      .geom = LIMPET_NONE,
      .thickness = fem.thickness,
      .membrane = fem.membrane,
      .bending = fem.bending,
      .gas = fem.gas,
  };
}

limpet_site_description limpet_site_description_default(void) {
  return (limpet_site_description){.quaternion = {1.0, 0.0, 0.0, 0.0},
                                   .kind = LIMPET_SHAPE_SPHERE,
                                   .size = {0.005, 0.005, 0.005}};
}

limpet_camera_description limpet_camera_description_default(void) {
  return (limpet_camera_description){.quaternion = {1.0, 0.0, 0.0, 0.0},
                                     .resolution = {1, 1},
                                     .focal = {1.0, 1.0},
                                     .centre = {0.5, 0.5}};
}

limpet_mesh_description limpet_mesh_description_default(void) {
  return (limpet_mesh_description){
      .scale = {1.0, 1.0, 1.0},
      .reference_quaternion = {1.0, 0.0, 0.0, 0.0},
      .inertia = LIMPET_MESH_INERTIA_LEGACY,
      .hull_vertex_limit = -1,
  };
}

limpet_texture limpet_texture_default(void) {
  return (limpet_texture){.kind = LIMPET_TEXTURE_CUBE,
                          .rgb1 = {0.8f, 0.8f, 0.8f},
                          .rgb2 = {0.5f, 0.5f, 0.5f},
                          .random = 0.01,
                          .grid_rows = 1,
                          .grid_columns = 1};
}

limpet_appearance limpet_appearance_default(void) {
  return (limpet_appearance){.texture = LIMPET_NONE,
                             .repeat = {1.0, 1.0},
                             .specular = 0.5,
                             .shininess = 0.5,
                             .metallic = -1.0,
                             .roughness = -1.0};
}

limpet_cloud_description limpet_cloud_description_default(void) {
  return (limpet_cloud_description){.scale = {1.0, 1.0, 1.0},
                                    .contact_points = LIMPET_CLOUD_POINTS};
}

limpet_tendon_point limpet_tendon_point_default(void) {
  return (limpet_tendon_point){.object = LIMPET_NONE, .side_site = LIMPET_NONE, .divisor = 1.0};
}

limpet_tendon_description limpet_tendon_description_default(void) {
  return (limpet_tendon_description){
      .limit_stiffness = INFINITY,
      .limit_impedance = limpet_impedance_default(),
      .spring_range = {-1.0, -1.0},
      .dry_friction_impedance = limpet_impedance_default(),
  };
}

limpet_actuator_description limpet_actuator_description_default(void) {
  return (limpet_actuator_description){
      .transmission = LIMPET_TRANSMISSION_JOINT,
      .target = LIMPET_NONE,
      .reference_site = LIMPET_NONE,
      .gear = {1.0},
      .activation = LIMPET_ACTIVATION_NONE,
      .activation_time = 1.0,
      .deactivation_time = 0.04,
      .muscle = limpet_muscle_default(),
      .motor = limpet_motor_default(),
      .gain = {1.0},
      .damping_ratio = -1.0,
  };
}

limpet_coupler_description limpet_coupler_description_default(void) {
  return (limpet_coupler_description){
      .y = LIMPET_NONE,
      .x = LIMPET_NONE,
      .coefficient = {0.0, 1.0},
      .active = true,
      .impedance = limpet_impedance_default(),
  };
}

limpet_loop_description limpet_loop_description_default(void) {
  return (limpet_loop_description){
      .kind = LIMPET_LOOP_CONNECT,
      .quaternion_a = {1.0, 0.0, 0.0, 0.0},
      .quaternion_b = {1.0, 0.0, 0.0, 0.0},
      .length = NAN,
      .stiffness = INFINITY,
      .torque_scale = 1.0,
      .active = true,
      .impedance = limpet_impedance_default(),
  };
}

limpet_pair_description limpet_pair_description_default(void) {
  return (limpet_pair_description){
      .geom_a = LIMPET_NONE,
      .geom_b = LIMPET_NONE,
      .condim = 3,
      .friction = {1.0, 1.0, 0.005, 0.0001, 0.0001},
      .impedance = limpet_impedance_default(),
  };
}

limpet_keyframe_description limpet_keyframe_description_default(void) {
  return (limpet_keyframe_description){0};
}

limpet_sensor_description limpet_sensor_description_default(void) {
  return (limpet_sensor_description){
      .object_type = LIMPET_OBJECT_SITE,
      .object = LIMPET_NONE,
      .reference_type = LIMPET_OBJECT_SITE,
      .reference = LIMPET_NONE,
      .range_fields = LIMPET_RANGE_DISTANCE,
      .contact = {.fields = LIMPET_CONTACT_FOUND, .slots = 1},
      .taxels = {1, 1},
  };
}
