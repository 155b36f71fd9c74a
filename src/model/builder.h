/* model/builder.h: what a builder holds: one growing list for each kind of description, and an
 * arena for the strings and arrays that the descriptions point to. */
#ifndef LIMPET_MODEL_BUILDER_H
#define LIMPET_MODEL_BUILDER_H

#include "base/arena.h"
#include "limpet/model.h"

enum {
  LIMPET_LIST_TEXTURE = LIMPET_OBJECT_COUNT,  // besides the objects that models name
  LIMPET_LIST_APPEARANCE,
  LIMPET_LIST_COUNT
};

// Where the common parts of a description are.
typedef struct limpet_description_kind {
  const char *word;    // "body"
  size_t size;         // [bytes] of the description
  size_t name, place;  // [bytes] offsets of its name and its place
} limpet_description_kind;

extern const limpet_description_kind limpet_description_kinds[LIMPET_LIST_COUNT];

typedef struct limpet_builder_list {
  void *items;  // (count) descriptions; room for `room`
  int count, room;
} limpet_builder_list;

struct limpet_builder {
  limpet_arena arena;  // strings, mesh vertices, tendon terms, keyframe arrays
  const char *name;
  const char *last_file;  // most places are in the same file: its name is kept once
  limpet_options options;
  limpet_builder_list list[LIMPET_LIST_COUNT];
  int (*exclude)[2];
  limpet_note *note;
  int exclude_count, exclude_room, note_count, note_room;
  bool out_of_memory;  // something could not be added
  limpet_builder_progress *progress;
  void *progress_context;
};

// Tells the watcher how many of `count` pressure fields are made; returns whether to go on.
bool limpet_builder_tell(const limpet_builder *builder, double done, int count);
limpet_status limpet_builder_stopped(limpet_error *error);  // the error where it did not
// Whether a geom is the surface of a deformable body.
bool limpet_builder_is_soft(const limpet_builder *builder, int geom);
// Name and place of any description.
const char *limpet_builder_item_name(const limpet_builder *builder, int list, int handle);
limpet_place limpet_builder_item_place(const limpet_builder *builder, int list, int handle);

/* handle (bodies): handles of the bodies in the order of the model, depth first with children in
 * the order of adding; work (2 bodies). Returns how many are reached from the world. */
int limpet_builder_order_bodies(const limpet_builder *builder, int *handle, int *work);

static inline limpet_body_description *limpet_builder_bodies(const limpet_builder *builder) {
  return builder->list[LIMPET_OBJECT_BODY].items;
}
static inline limpet_joint_description *limpet_builder_joints(const limpet_builder *builder) {
  return builder->list[LIMPET_OBJECT_JOINT].items;
}
static inline limpet_geom_description *limpet_builder_geoms(const limpet_builder *builder) {
  return builder->list[LIMPET_OBJECT_GEOM].items;
}
static inline limpet_texture *limpet_builder_textures(const limpet_builder *builder) {
  return builder->list[LIMPET_LIST_TEXTURE].items;
}
static inline limpet_appearance *limpet_builder_appearances(const limpet_builder *builder) {
  return builder->list[LIMPET_LIST_APPEARANCE].items;
}
static inline limpet_site_description *limpet_builder_sites(const limpet_builder *builder) {
  return builder->list[LIMPET_OBJECT_SITE].items;
}
static inline limpet_camera_description *limpet_builder_cameras(const limpet_builder *builder) {
  return builder->list[LIMPET_OBJECT_CAMERA].items;
}
static inline limpet_mesh_description *limpet_builder_meshes(const limpet_builder *builder) {
  return builder->list[LIMPET_OBJECT_MESH].items;
}
static inline limpet_cloud_description *limpet_builder_clouds(const limpet_builder *builder) {
  return builder->list[LIMPET_OBJECT_CLOUD].items;
}
static inline limpet_tendon_description *limpet_builder_tendons(const limpet_builder *builder) {
  return builder->list[LIMPET_OBJECT_TENDON].items;
}
static inline limpet_actuator_description *limpet_builder_actuators(const limpet_builder *builder) {
  return builder->list[LIMPET_OBJECT_ACTUATOR].items;
}
static inline limpet_coupler_description *limpet_builder_couplers(const limpet_builder *builder) {
  return builder->list[LIMPET_OBJECT_COUPLER].items;
}
static inline limpet_loop_description *limpet_builder_loops(const limpet_builder *builder) {
  return builder->list[LIMPET_OBJECT_LOOP].items;
}
static inline limpet_keyframe_description *limpet_builder_keyframes(const limpet_builder *builder) {
  return builder->list[LIMPET_OBJECT_KEYFRAME].items;
}
static inline limpet_sensor_description *limpet_builder_sensors(const limpet_builder *builder) {
  return builder->list[LIMPET_OBJECT_SENSOR].items;
}
static inline limpet_deformable_description *limpet_builder_deformables(
    const limpet_builder *builder) {
  return builder->list[LIMPET_OBJECT_DEFORMABLE].items;
}
static inline limpet_pair_description *limpet_builder_pairs(const limpet_builder *builder) {
  return builder->list[LIMPET_OBJECT_PAIR].items;
}

#endif
