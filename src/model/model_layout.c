/* model/model_layout.c: the arrays of a model as one table: where the pointer is, how long the
 * array is, whether it decides the motion. Allocation and hash both go by it, so an array that is
 * added here cannot be forgotten by either. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/model_storage.h"

typedef enum role {
  MOTION,    // plain bytes that decide the motion
  MATERIAL,  // decides the motion, but has padding: hashed member by member
  OTHER      // does not decide the motion
} role;

typedef struct field {
  size_t pointer;    // offset of the pointer in limpet_model
  size_t element;    // [bytes]
  int width, extra;  // elements: width * (count * second + extra)
  size_t count;      // offset of a size in limpet_model
  size_t second;     // offset of another, or NO_SECOND
  role role;
} field;

#define NO_SECOND ((size_t)-1)
#define FIELD(name, width, count, role)                                        \
  {                                                                            \
    offsetof(limpet_model, name), sizeof *((limpet_model *)0)->name, width, 0, \
        offsetof(limpet_model, count), NO_SECOND, role                         \
  }
#define TABLE(name, width, count, second)                                      \
  {                                                                            \
    offsetof(limpet_model, name), sizeof *((limpet_model *)0)->name, width, 0, \
        offsetof(limpet_model, count), offsetof(limpet_model, second), OTHER   \
  }

// clang-format off
static const field fields[] = {
    FIELD(body_parent, 1, body_count, MOTION),
    FIELD(body_tree, 1, body_count, MOTION),
    FIELD(body_weld, 1, body_count, MOTION),
    FIELD(body_joint, 1, body_count, MOTION),
    FIELD(body_joint_count, 1, body_count, MOTION),
    FIELD(body_dof, 1, body_count, MOTION),
    FIELD(body_dof_count, 1, body_count, MOTION),
    FIELD(body_last_dof, 1, body_count, MOTION),
    FIELD(body_geom, 1, body_count, MOTION),
    FIELD(body_geom_count, 1, body_count, MOTION),
    FIELD(body_mocap, 1, body_count, MOTION),
    FIELD(body_subtree_end, 1, body_count, MOTION),
    FIELD(body_position, 3, body_count, MOTION),
    FIELD(body_quaternion, 4, body_count, MOTION),
    FIELD(body_mass, 1, body_count, MOTION),
    FIELD(body_com, 3, body_count, MOTION),
    FIELD(body_inertia, 9, body_count, MOTION),
    FIELD(body_inertia_quaternion, 4, body_count, OTHER),
    FIELD(body_gravity_compensation, 1, body_count, MOTION),
    FIELD(body_inverse_weight, 2, body_count, MOTION),
    FIELD(body_radius, 1, body_count, MOTION),
    FIELD(tree_body, 1, tree_count, MOTION),
    FIELD(tree_body_count, 1, tree_count, MOTION),
    FIELD(tree_dof, 1, tree_count, MOTION),
    FIELD(tree_dof_count, 1, tree_count, MOTION),
    FIELD(tree_mass, 1, tree_count, MOTION),
    FIELD(joint_kind, 1, joint_count, MOTION),
    FIELD(joint_body, 1, joint_count, MOTION),
    FIELD(joint_q, 1, joint_count, MOTION),
    FIELD(joint_v, 1, joint_count, MOTION),
    FIELD(joint_position, 3, joint_count, MOTION),
    FIELD(joint_axis, 3, joint_count, MOTION),
    FIELD(joint_range, 2, joint_count, MOTION),
    FIELD(joint_limited, 1, joint_count, MOTION),
    FIELD(joint_limit_margin, 1, joint_count, MOTION),
    FIELD(joint_has_limit_impedance, 1, joint_count, MOTION),
    FIELD(joint_limit_impedance, 1, joint_count, MOTION),
    FIELD(joint_stiffness, 1, joint_count, MOTION),
    FIELD(joint_effort_limited, 1, joint_count, MOTION),
    FIELD(joint_effort_range, 2, joint_count, MOTION),
    FIELD(joint_actuator_gravity_compensation, 1, joint_count, MOTION),
    FIELD(dof_joint, 1, nv, MOTION),
    FIELD(dof_body, 1, nv, MOTION),
    FIELD(dof_tree, 1, nv, MOTION),
    FIELD(dof_parent, 1, nv, MOTION),
    FIELD(dof_damping, 1, nv, MOTION),
    FIELD(dof_armature, 1, nv, MOTION),
    FIELD(dof_dry_friction, 1, nv, MOTION),
    FIELD(dof_dry_friction_kind, 1, nv, MOTION),
    FIELD(dof_dry_friction_impedance, 1, nv, MOTION),
    FIELD(dof_inverse_weight, 1, nv, MOTION),
    FIELD(q_reference, 1, nq, MOTION),
    FIELD(q_spring, 1, nq, MOTION),
    FIELD(geom_kind, 1, geom_count, MOTION),
    FIELD(geom_body, 1, geom_count, MOTION),
    FIELD(geom_mesh, 1, geom_count, MOTION),
    FIELD(geom_cloud, 1, geom_count, MOTION),
    FIELD(geom_size, 3, geom_count, MOTION),
    FIELD(geom_position, 3, geom_count, MOTION),
    FIELD(geom_quaternion, 4, geom_count, MOTION),
    FIELD(geom_rotation, 9, geom_count, MOTION),
    FIELD(geom_radius, 1, geom_count, MOTION),
    FIELD(geom_material, 1, geom_count, MATERIAL),
    FIELD(geom_contype, 1, geom_count, MOTION),
    FIELD(geom_conaffinity, 1, geom_count, MOTION),
    FIELD(geom_condim, 1, geom_count, MOTION),
    FIELD(geom_priority, 1, geom_count, MOTION),
    FIELD(geom_group, 1, geom_count, OTHER),
    FIELD(geom_impedance_mix, 1, geom_count, MOTION),
    FIELD(geom_margin, 1, geom_count, MOTION),
    FIELD(geom_gap, 1, geom_count, MOTION),
    FIELD(geom_rgba, 4, geom_count, OTHER),
    FIELD(collider_geom, 1, geom_count, MOTION),
    FIELD(geom_collider, 1, geom_count, MOTION),
    FIELD(site_body, 1, site_count, MOTION),
    FIELD(site_position, 3, site_count, MOTION),
    FIELD(site_quaternion, 4, site_count, MOTION),
    FIELD(site_kind, 1, site_count, OTHER),
    FIELD(site_size, 3, site_count, OTHER),
    FIELD(mesh, 1, mesh_count, OTHER),
    FIELD(cloud, 1, cloud_count, OTHER),
    {offsetof(limpet_model, tendon_begin), sizeof(int), 1, 1, offsetof(limpet_model, tendon_count), NO_SECOND, MOTION},
    FIELD(tendon_joint, 1, tendon_term_count, MOTION),
    FIELD(tendon_coefficient, 1, tendon_term_count, MOTION),
    FIELD(tendon_limited, 1, tendon_count, MOTION),
    FIELD(tendon_range, 2, tendon_count, MOTION),
    FIELD(tendon_limit_margin, 1, tendon_count, MOTION),
    FIELD(tendon_limit_stiffness, 1, tendon_count, MOTION),
    FIELD(tendon_limit_damping, 1, tendon_count, MOTION),
    FIELD(tendon_has_limit_impedance, 1, tendon_count, MOTION),
    FIELD(tendon_limit_impedance, 1, tendon_count, MOTION),
    FIELD(tendon_stiffness, 1, tendon_count, MOTION),
    FIELD(tendon_damping, 1, tendon_count, MOTION),
    FIELD(tendon_armature, 1, tendon_count, MOTION),
    FIELD(tendon_dry_friction, 1, tendon_count, MOTION),
    FIELD(tendon_spring_range, 2, tendon_count, MOTION),
    FIELD(tendon_dry_friction_impedance, 1, tendon_count, MOTION),
    FIELD(tendon_effort_limited, 1, tendon_count, MOTION),
    FIELD(tendon_effort_range, 2, tendon_count, MOTION),
    FIELD(tendon_inverse_weight, 1, tendon_count, MOTION),
    FIELD(actuator_transmission, 1, actuator_count, MOTION),
    FIELD(actuator_target, 1, actuator_count, MOTION),
    FIELD(actuator_reference_site, 1, actuator_count, MOTION),
    FIELD(actuator_gear, 6, actuator_count, MOTION),
    FIELD(actuator_control_limited, 1, actuator_count, MOTION),
    FIELD(actuator_force_limited, 1, actuator_count, MOTION),
    FIELD(actuator_activation_limited, 1, actuator_count, MOTION),
    FIELD(actuator_control_range, 2, actuator_count, MOTION),
    FIELD(actuator_force_range, 2, actuator_count, MOTION),
    FIELD(actuator_activation_range, 2, actuator_count, MOTION),
    FIELD(actuator_activation, 1, actuator_count, MOTION),
    FIELD(actuator_act, 1, actuator_count, MOTION),
    FIELD(actuator_activation_time, 1, actuator_count, MOTION),
    FIELD(actuator_activation_early, 1, actuator_count, MOTION),
    FIELD(actuator_gain, 3, actuator_count, MOTION),
    FIELD(actuator_bias, 3, actuator_count, MOTION),
    FIELD(actuator_group, 1, actuator_count, OTHER),
    FIELD(actuator_disabled, 1, actuator_count, MOTION),
    FIELD(coupler_tendon, 1, coupler_count, MOTION),
    FIELD(coupler_active, 1, coupler_count, MOTION),
    FIELD(coupler_has_impedance, 1, coupler_count, MOTION),
    FIELD(coupler_y, 1, coupler_count, MOTION),
    FIELD(coupler_x, 1, coupler_count, MOTION),
    FIELD(coupler_coefficient, 5, coupler_count, MOTION),
    FIELD(coupler_impedance, 1, coupler_count, MOTION),
    FIELD(loop_kind, 1, loop_count, MOTION),
    FIELD(loop_active, 1, loop_count, MOTION),
    FIELD(loop_has_impedance, 1, loop_count, MOTION),
    FIELD(loop_body, 2, loop_count, MOTION),
    FIELD(loop_position, 6, loop_count, MOTION),
    FIELD(loop_quaternion, 8, loop_count, MOTION),
    FIELD(loop_length, 1, loop_count, MOTION),
    FIELD(loop_stiffness, 1, loop_count, MOTION),
    FIELD(loop_damping, 1, loop_count, MOTION),
    FIELD(loop_torque_scale, 1, loop_count, MOTION),
    FIELD(loop_impedance, 1, loop_count, MOTION),
    FIELD(pair_geom, 2, pair_count, MOTION),
    FIELD(pair_condim, 1, pair_count, MOTION),
    FIELD(pair_friction, 5, pair_count, MOTION),
    FIELD(pair_has_impedance, 1, pair_count, MOTION),
    FIELD(pair_impedance, 1, pair_count, MOTION),
    FIELD(pair_margin, 1, pair_count, MOTION),
    FIELD(pair_gap, 1, pair_count, MOTION),
    FIELD(exclude_body, 2, exclude_count, MOTION),
    FIELD(keyframe_time, 1, keyframe_count, OTHER),
    TABLE(keyframe_q, 1, keyframe_count, nq),
    TABLE(keyframe_v, 1, keyframe_count, nv),
    TABLE(keyframe_control, 1, keyframe_count, nu),
    TABLE(keyframe_activation, 1, keyframe_count, na),
    TABLE(keyframe_mocap_position, 3, keyframe_count, mocap_count),
    TABLE(keyframe_mocap_quaternion, 4, keyframe_count, mocap_count),
    FIELD(sensor_kind, 1, sensor_count, OTHER),
    FIELD(sensor_object_type, 1, sensor_count, OTHER),
    FIELD(sensor_reference_type, 1, sensor_count, OTHER),
    FIELD(sensor_object, 1, sensor_count, OTHER),
    FIELD(sensor_reference, 1, sensor_count, OTHER),
    FIELD(sensor_object_inertial, 1, sensor_count, OTHER),
    FIELD(sensor_reference_inertial, 1, sensor_count, OTHER),
    FIELD(sensor_contact, 1, sensor_count, OTHER),
    FIELD(sensor_address, 1, sensor_count, OTHER),
    FIELD(sensor_size, 1, sensor_count, OTHER),
    FIELD(sensor_cutoff, 1, sensor_count, OTHER),
    FIELD(sensor_noise, 1, sensor_count, OTHER),
    FIELD(mocap_body, 1, mocap_count, MOTION),
    FIELD(note, 1, note_count, OTHER),
};
// clang-format on

enum { FIELD_COUNT = sizeof fields / sizeof fields[0] };

static size_t field_size(const limpet_model *model, const field *f) {
  int count, second = 1;
  memcpy(&count, (const char *)model + f->count, sizeof count);
  if (f->second != NO_SECOND) memcpy(&second, (const char *)model + f->second, sizeof second);
  return ((size_t)count * (size_t)second + (size_t)f->extra) * (size_t)f->width * f->element;
}

limpet_model_storage *limpet_model_storage_create(const limpet_model *sizes, size_t text_size) {
  limpet_model_storage *storage = calloc(1, sizeof *storage);
  if (!storage) return NULL;
  storage->model = *sizes;

  // one block for all arrays: each is rounded up to a line of the cache
  size_t total = text_size;
  for (int i = 0; i < FIELD_COUNT; ++i) total += field_size(sizes, &fields[i]) + 64;
  if (limpet_arena_create(&storage->arena, total) != 0) {
    free(storage);
    return NULL;
  }
  for (int i = 0; i < FIELD_COUNT; ++i) {
    void *array = limpet_arena_take_zero(&storage->arena, field_size(sizes, &fields[i]));
    memcpy((char *)&storage->model + fields[i].pointer, &array, sizeof array);
  }
  return storage;
}

// ------------------------------------------------------------------------------------ hash

#define HASH_MEMBER(hash, member) limpet_hash_bytes((hash), &(member), sizeof(member))

static uint64_t material_hash(uint64_t hash, const limpet_material *material) {
  hash = HASH_MEMBER(hash, material->friction);
  hash = HASH_MEMBER(hash, material->friction_torsional);
  hash = HASH_MEMBER(hash, material->friction_rolling);
  hash = HASH_MEMBER(hash, material->stiffness);
  hash = HASH_MEMBER(hash, material->dissipation);
  hash = HASH_MEMBER(hash, material->relaxation_time);
  hash = HASH_MEMBER(hash, material->friction_static);
  hash = HASH_MEMBER(hash, material->friction_ratio);
  hash = HASH_MEMBER(hash, material->friction_axis);
  hash = HASH_MEMBER(hash, material->surface_velocity);
  hash = HASH_MEMBER(hash, material->restitution);
  hash = HASH_MEMBER(hash, material->has_impedance);
  return HASH_MEMBER(hash, material->impedance);
}

static uint64_t options_hash(uint64_t hash, const limpet_options *options) {
  hash = HASH_MEMBER(hash, options->gravity);
  hash = HASH_MEMBER(hash, options->time_step);
  hash = HASH_MEMBER(hash, options->disabled);
  return HASH_MEMBER(hash, options->friction_rule);
}

static uint64_t field_hash(uint64_t hash, const limpet_model *model, const field *f) {
  const char *array;
  memcpy(&array, (const char *)model + f->pointer, sizeof array);
  if (f->role == MOTION) return limpet_hash_bytes(hash, array, field_size(model, f));
  if (f->role == MATERIAL)
    for (int i = 0; i < model->geom_count; ++i)
      hash = material_hash(hash, &model->geom_material[i]);
  return hash;
}

uint64_t limpet_model_hash(const limpet_model *model) {
  uint64_t hash = options_hash(LIMPET_HASH_START, &model->options);
  for (int i = 0; i < FIELD_COUNT; ++i) hash = field_hash(hash, model, &fields[i]);
  for (int i = 0; i < model->mesh_count; ++i) {
    const limpet_hull *hull = model->mesh[i].hull;
    if (hull)
      hash =
          limpet_hash_bytes(hash, hull->vertices, (size_t)hull->vertex_count * 3 * sizeof(double));
  }
  for (int i = 0; i < model->cloud_count; ++i) {
    const limpet_cloud *cloud = model->cloud[i];
    hash = limpet_hash_bytes(hash, cloud->points, (size_t)cloud->point_count * 3 * sizeof(double));
    hash = HASH_MEMBER(hash, cloud->point_radius);
    hash = HASH_MEMBER(hash, cloud->contact_points);
  }
  return hash;
}
