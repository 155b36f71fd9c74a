/* model/compile.c: from description to model: the order of the parts. Each part checks what it
 * reads and fills its arrays. */
#include <assert.h>
#include <string.h>

#include "model/compile.h"
#include "model/history.h"
#include "model/sensor_kind.h"

static limpet_status check_builder(limpet_compiler *compiler) {
  return compiler->builder->out_of_memory ? limpet_compile_no_memory(compiler) : LIMPET_OK;
}

// Counts that follow from the descriptions alone; trees come from the order.
static void count_objects(limpet_compiler *compiler) {
  const limpet_builder *builder = compiler->builder;
  limpet_model *sizes = &compiler->sizes;
  sizes->body_count = builder->list[LIMPET_OBJECT_BODY].count;
  sizes->joint_count = builder->list[LIMPET_OBJECT_JOINT].count;
  sizes->geom_count = builder->list[LIMPET_OBJECT_GEOM].count;
  sizes->site_count = builder->list[LIMPET_OBJECT_SITE].count;
  sizes->camera_count = builder->list[LIMPET_OBJECT_CAMERA].count;
  sizes->mesh_count = builder->list[LIMPET_OBJECT_MESH].count;
  sizes->cloud_count = builder->list[LIMPET_OBJECT_CLOUD].count;
  sizes->texture_count = builder->list[LIMPET_LIST_TEXTURE].count;
  sizes->appearance_count = builder->list[LIMPET_LIST_APPEARANCE].count;
  sizes->tendon_count = builder->list[LIMPET_OBJECT_TENDON].count;
  sizes->coupler_count = builder->list[LIMPET_OBJECT_COUPLER].count;
  sizes->loop_count = builder->list[LIMPET_OBJECT_LOOP].count;
  sizes->pair_count = builder->list[LIMPET_OBJECT_PAIR].count;
  sizes->keyframe_count = builder->list[LIMPET_OBJECT_KEYFRAME].count;
  sizes->sensor_count = builder->list[LIMPET_OBJECT_SENSOR].count;
  sizes->deformable_count = builder->list[LIMPET_OBJECT_DEFORMABLE].count;
  limpet_compile_deformable_sizes(compiler);
  sizes->exclude_count = builder->exclude_count;
  sizes->nu = sizes->actuator_count = builder->list[LIMPET_OBJECT_ACTUATOR].count;
  for (int i = 0; i < sizes->tendon_count; ++i) {
    sizes->tendon_term_count += limpet_builder_tendons(builder)[i].term_count;
    sizes->tendon_point_count += limpet_builder_tendons(builder)[i].point_count;
  }
  for (int i = 0; i < sizes->nu; ++i)
    sizes->na += limpet_actuator_activation_count(limpet_builder_actuators(builder) + i);
  for (int i = 0; i < sizes->sensor_count; ++i)
    sizes->nsensor += limpet_compile_sensor_size(builder, i);
  for (int i = 0; i < sizes->body_count; ++i)
    if (limpet_builder_bodies(builder)[i].mocap) ++sizes->mocap_count;
  for (int i = 0; i < sizes->joint_count; ++i) {
    sizes->nq += limpet_joint_kind_nq(limpet_builder_joints(builder)[i].kind);
    sizes->nv += limpet_joint_kind_nv(limpet_builder_joints(builder)[i].kind);
  }
}

// Room for names, notes and name tables: a line of the cache for each short text.
static size_t text_size(const limpet_builder *builder) {
  size_t size = 4096;
  for (int list = 0; list < LIMPET_LIST_COUNT; ++list) {
    for (int i = 0; i < builder->list[list].count; ++i) {
      const char *name = limpet_builder_item_name(builder, list, i);
      size += (name ? strlen(name) + 64 : 0) + sizeof(char *) + 4 * sizeof(int);
    }
  }
  for (int i = 0; i < builder->note_count; ++i)
    size += 128 + (builder->note[i].text ? strlen(builder->note[i].text) : 0) +
            (builder->note[i].place.file ? strlen(builder->note[i].place.file) : 0);
  return size;
}

static limpet_status take_storage(limpet_compiler *compiler) {
  compiler->sizes.options = compiler->builder->options;
  compiler->sizes.tendon_dof_count = limpet_compile_tendon_dofs(compiler);
  compiler->sizes.note_count = compiler->builder->note_count + compiler->sizes.tendon_count +
                               LIMPET_GEOM_NOTES * compiler->sizes.geom_count +
                               LIMPET_BODY_NOTES * compiler->sizes.body_count +
                               compiler->sizes.actuator_count + 2;
  compiler->note_room = compiler->sizes.note_count;
  compiler->storage = limpet_model_storage_create(&compiler->sizes, text_size(compiler->builder));
  if (!compiler->storage) return limpet_compile_no_memory(compiler);
  compiler->model = &compiler->storage->model;
  compiler->model->note_count = 0;

  const int bodies = compiler->sizes.body_count;
  compiler->body_world_position = LIMPET_TAKE(&compiler->scratch, double, 3 * bodies);
  compiler->body_world_quaternion = LIMPET_TAKE(&compiler->scratch, double, 4 * bodies);
  compiler->spring_damper = limpet_arena_take_zero(
      &compiler->scratch, (size_t)compiler->sizes.joint_count * 2 * sizeof(double));
  compiler->damping_ratio = LIMPET_TAKE(&compiler->scratch, double, compiler->sizes.actuator_count);
  return compiler->scratch.failed || compiler->storage->arena.failed
             ? limpet_compile_no_memory(compiler)
             : LIMPET_OK;
}

enum { HISTORY_LIMIT = 1 << 28 };  // numbers in data->history

// What delays remember.
static limpet_status count_history(limpet_compiler *compiler) {
  const limpet_builder *builder = compiler->builder;
  limpet_model *sizes = &compiler->sizes;
  int64_t count = 0;
  for (int i = 0; i < sizes->actuator_count; ++i)
    if (limpet_builder_actuators(builder)[i].delay > 0.0)
      count += limpet_history_control_size(limpet_builder_actuators(builder)[i].delay_samples);
  for (int i = 0; i < sizes->sensor_count; ++i)
    if (limpet_compile_sensor_remembers(builder, i))
      count += limpet_history_sensor_size(limpet_builder_sensors(builder)[i].delay_samples,
                                          limpet_compile_sensor_size(builder, i));
  if (count > HISTORY_LIMIT) return limpet_compile_no_memory(compiler);
  sizes->history_count = (int)count;
  return LIMPET_OK;
}

static limpet_status count(limpet_compiler *compiler) {
  count_objects(compiler);
  return count_history(compiler);
}

static limpet_status hash(limpet_compiler *compiler) {
  if (compiler->storage->arena.failed || compiler->scratch.failed)
    return limpet_compile_no_memory(compiler);
  compiler->model->hash = limpet_model_hash(compiler->model);
  return LIMPET_OK;
}

static limpet_status (*const parts[])(limpet_compiler *) = {
    // the description as it stands
    check_builder, limpet_compile_numbers, limpet_compile_handles, limpet_compile_deformable_bodies,
    count,
    // order and memory
    limpet_compile_order, take_storage, limpet_compile_names,
    // the tree and what hangs on it
    limpet_compile_bodies, limpet_compile_joints, limpet_compile_meshes, limpet_compile_clouds,
    limpet_compile_appearances, limpet_compile_geoms, limpet_compile_sites, limpet_compile_cameras,
    limpet_compile_inertia, limpet_compile_moving, limpet_compile_width, limpet_compile_medium,
    // what refers to those
    limpet_compile_tendons, limpet_compile_actuators, limpet_compile_couplers, limpet_compile_loops,
    limpet_compile_contacts, limpet_compile_cloud_pairs, limpet_compile_fields,
    limpet_compile_keyframes, limpet_compile_sensors, limpet_compile_deformables,
    // quantities at the reference pose, which need everything
    limpet_compile_reference, hash};

limpet_model *limpet_builder_compile(limpet_builder *builder, limpet_error *error) {
  assert(builder);
  limpet_compiler compiler = {.builder = builder, .error = error};
  limpet_status status = LIMPET_OK;
  if (limpet_arena_create(&compiler.scratch, 1 << 16) != LIMPET_OK)
    status = limpet_compile_no_memory(&compiler);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0] && !status; ++i) {
    status = limpet_compile_go_on(&compiler);
    if (!status) status = parts[i](&compiler);
  }
  if (compiler.stopped) limpet_builder_stopped(error);  // and not what could not be made therefore
  limpet_compile_deformables_end(&compiler);
  limpet_arena_destroy(&compiler.scratch);
  if (!status) return compiler.model;
  limpet_model_destroy(compiler.model);
  return NULL;
}
