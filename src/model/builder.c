/* model/builder.c: the mutable description: lists of descriptions, with deep copies of what they
 * point to. */
#include "model/builder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/height_field.h"

#define KIND(word, type) \
  { word, sizeof(type), offsetof(type, name), offsetof(type, place) }

const limpet_description_kind limpet_description_kinds[LIMPET_LIST_COUNT] = {
    [LIMPET_OBJECT_BODY] = KIND("body", limpet_body_description),
    [LIMPET_OBJECT_JOINT] = KIND("joint", limpet_joint_description),
    [LIMPET_OBJECT_GEOM] = KIND("geom", limpet_geom_description),
    [LIMPET_OBJECT_SITE] = KIND("site", limpet_site_description),
    [LIMPET_OBJECT_MESH] = KIND("mesh", limpet_mesh_description),
    [LIMPET_OBJECT_CLOUD] = KIND("cloud", limpet_cloud_description),
    [LIMPET_OBJECT_ACTUATOR] = KIND("actuator", limpet_actuator_description),
    [LIMPET_OBJECT_TENDON] = KIND("tendon", limpet_tendon_description),
    [LIMPET_OBJECT_COUPLER] = KIND("coupler", limpet_coupler_description),
    [LIMPET_OBJECT_LOOP] = KIND("loop", limpet_loop_description),
    [LIMPET_OBJECT_KEYFRAME] = KIND("keyframe", limpet_keyframe_description),
    [LIMPET_OBJECT_SENSOR] = KIND("sensor", limpet_sensor_description),
    [LIMPET_OBJECT_DEFORMABLE] = KIND("deformable", limpet_deformable_description),
    [LIMPET_OBJECT_CAMERA] = KIND("camera", limpet_camera_description),
    [LIMPET_OBJECT_PAIR] = KIND("pair", limpet_pair_description),
    [LIMPET_LIST_TEXTURE] = KIND("texture", limpet_texture),
    [LIMPET_LIST_APPEARANCE] = KIND("material", limpet_appearance),
};

// --------------------------------------------------------------------------------- storage

// Room for one more item of `size` bytes; false, and the builder remembers it, when there is no
// memory.
static bool grow(limpet_builder *builder, void **items, int count, int *room, size_t size) {
  if (count < *room) return true;
  const int wanted = *room > 0 ? 2 * *room : 8;
  void *grown = realloc(*items, (size_t)wanted * size);
  if (!grown) {
    builder->out_of_memory = true;
    return false;
  }
  *items = grown;
  *room = wanted;
  return true;
}

static const void *keep(limpet_builder *builder, const void *bytes, size_t size) {
  if (!bytes) return NULL;
  void *copy = limpet_arena_take(&builder->arena, size);
  if (copy) memcpy(copy, bytes, size);
  else builder->out_of_memory = true;
  return copy;
}

static const char *keep_text(limpet_builder *builder, const char *text) {
  return text ? keep(builder, text, strlen(text) + 1) : NULL;
}

static const double *keep_numbers(limpet_builder *builder, const double *numbers, int count) {
  return count > 0 ? keep(builder, numbers, (size_t)count * sizeof(double)) : NULL;
}

static limpet_place keep_place(limpet_builder *builder, limpet_place place) {
  if (place.file && (!builder->last_file || strcmp(builder->last_file, place.file) != 0))
    builder->last_file = keep_text(builder, place.file);
  if (place.file) place.file = builder->last_file;
  return place;
}

const char *limpet_builder_item_name(const limpet_builder *builder, int list, int handle) {
  const limpet_description_kind *kind = &limpet_description_kinds[list];
  const char *item = (const char *)builder->list[list].items + (size_t)handle * kind->size;
  const char *name;
  memcpy(&name, item + kind->name, sizeof name);
  return name;
}

limpet_place limpet_builder_item_place(const limpet_builder *builder, int list, int handle) {
  const limpet_description_kind *kind = &limpet_description_kinds[list];
  const char *item = (const char *)builder->list[list].items + (size_t)handle * kind->size;
  limpet_place place;
  memcpy(&place, item + kind->place, sizeof place);
  return place;
}

// Appends a copy of the description with its name and place kept; the caller copies what else it
// points to. NULL: no memory.
static void *add(limpet_builder *builder, int index, const void *description) {
  const limpet_description_kind *kind = &limpet_description_kinds[index];
  limpet_builder_list *list = &builder->list[index];
  if (!grow(builder, &list->items, list->count, &list->room, kind->size)) return NULL;
  char *item = (char *)list->items + (size_t)list->count * kind->size;
  memcpy(item, description, kind->size);
  ++list->count;

  const char *name = keep_text(builder, limpet_builder_item_name(builder, index, list->count - 1));
  const limpet_place place =
      keep_place(builder, limpet_builder_item_place(builder, index, list->count - 1));
  memcpy(item + kind->name, &name, sizeof name);
  memcpy(item + kind->place, &place, sizeof place);
  return item;
}

static int handle_of(const limpet_builder *builder, int list, const void *item) {
  return item ? builder->list[list].count - 1 : LIMPET_NONE;
}

// ---------------------------------------------------------------------------------- public

limpet_builder *limpet_builder_create(void) {
  limpet_builder *builder = calloc(1, sizeof *builder);
  if (!builder) return NULL;
  builder->options = limpet_options_default();
  limpet_body_description world = limpet_body_description_default();
  world.name = "world";
  if (limpet_arena_create(&builder->arena, 16384) != LIMPET_OK ||
      limpet_builder_add_body(builder, &world) == LIMPET_NONE || builder->out_of_memory) {
    limpet_builder_destroy(builder);
    return NULL;
  }
  return builder;
}

void limpet_builder_destroy(limpet_builder *builder) {
  if (!builder) return;
  for (int i = 0; i < LIMPET_LIST_COUNT; ++i) free(builder->list[i].items);
  free(builder->exclude);
  free(builder->note);
  limpet_arena_destroy(&builder->arena);
  free(builder);
}

void limpet_builder_watch(limpet_builder *builder, limpet_builder_progress *progress,
                          void *context) {
  assert(builder);
  builder->progress = progress, builder->progress_context = context;
}

bool limpet_builder_tell(const limpet_builder *builder, double done, int count) {
  return !builder->progress || builder->progress(builder->progress_context, done, count);
}

limpet_status limpet_builder_stopped(limpet_error *error) {
  return limpet_error_fill(error, LIMPET_ERROR_STATE,
                           "the model is not complete: the function that watches the builder said "
                           "not to go on");
}

limpet_status limpet_builder_go_on(const limpet_builder *builder, limpet_error *error) {
  assert(builder);
  return limpet_builder_tell(builder, 0.0, 0) ? LIMPET_OK : limpet_builder_stopped(error);
}

limpet_options *limpet_builder_options(limpet_builder *builder) {
  assert(builder);
  return &builder->options;
}

void limpet_builder_name(limpet_builder *builder, const char *name) {
  assert(builder);
  builder->name = keep_text(builder, name);
}

int limpet_builder_add_body(limpet_builder *builder, const limpet_body_description *description) {
  assert(builder && description);
  return handle_of(builder, LIMPET_OBJECT_BODY, add(builder, LIMPET_OBJECT_BODY, description));
}

int limpet_builder_add_joint(limpet_builder *builder, const limpet_joint_description *description) {
  assert(builder && description);
  return handle_of(builder, LIMPET_OBJECT_JOINT, add(builder, LIMPET_OBJECT_JOINT, description));
}

int limpet_builder_add_geom(limpet_builder *builder, const limpet_geom_description *description) {
  assert(builder && description);
  return handle_of(builder, LIMPET_OBJECT_GEOM, add(builder, LIMPET_OBJECT_GEOM, description));
}

int limpet_builder_add_site(limpet_builder *builder, const limpet_site_description *description) {
  assert(builder && description);
  return handle_of(builder, LIMPET_OBJECT_SITE, add(builder, LIMPET_OBJECT_SITE, description));
}

int limpet_builder_add_camera(limpet_builder *builder,
                              const limpet_camera_description *description) {
  assert(builder && description);
  return handle_of(builder, LIMPET_OBJECT_CAMERA, add(builder, LIMPET_OBJECT_CAMERA, description));
}

int limpet_builder_add_actuator(limpet_builder *builder,
                                const limpet_actuator_description *description) {
  assert(builder && description);
  return handle_of(builder, LIMPET_OBJECT_ACTUATOR,
                   add(builder, LIMPET_OBJECT_ACTUATOR, description));
}

int limpet_builder_add_coupler(limpet_builder *builder,
                               const limpet_coupler_description *description) {
  assert(builder && description);
  return handle_of(builder, LIMPET_OBJECT_COUPLER,
                   add(builder, LIMPET_OBJECT_COUPLER, description));
}

int limpet_builder_add_loop(limpet_builder *builder, const limpet_loop_description *description) {
  assert(builder && description);
  return handle_of(builder, LIMPET_OBJECT_LOOP, add(builder, LIMPET_OBJECT_LOOP, description));
}

int limpet_builder_add_pair(limpet_builder *builder, const limpet_pair_description *description) {
  assert(builder && description);
  return handle_of(builder, LIMPET_OBJECT_PAIR, add(builder, LIMPET_OBJECT_PAIR, description));
}

int limpet_builder_add_sensor(limpet_builder *builder,
                              const limpet_sensor_description *description) {
  assert(builder && description);
  return handle_of(builder, LIMPET_OBJECT_SENSOR, add(builder, LIMPET_OBJECT_SENSOR, description));
}

int limpet_builder_add_mesh(limpet_builder *builder, const limpet_mesh_description *description) {
  assert(builder && description);
  limpet_mesh_description *mesh = add(builder, LIMPET_OBJECT_MESH, description);
  if (!mesh) return LIMPET_NONE;
  mesh->file = keep_text(builder, mesh->file);
  mesh->vertices = keep_numbers(builder, mesh->vertices, 3 * mesh->vertex_count);
  mesh->faces = mesh->face_count > 0
                    ? keep(builder, mesh->faces, (size_t)mesh->face_count * 3 * sizeof(int))
                    : NULL;
  mesh->tetrahedra =
      mesh->tetrahedron_count > 0
          ? keep(builder, mesh->tetrahedra, (size_t)mesh->tetrahedron_count * 4 * sizeof(int))
          : NULL;
  if (mesh->heights) limpet_height_field_mesh(mesh, &builder->arena, &builder->out_of_memory);
  if (mesh->texture_coordinates)
    mesh->texture_coordinates =
        keep(builder, mesh->texture_coordinates, (size_t)mesh->face_count * 6 * sizeof(float));
  if (mesh->tangents)
    mesh->tangents = keep_numbers(builder, mesh->tangents, 6 * mesh->vertex_count);
  if (mesh->field) mesh->field = keep_numbers(builder, mesh->field, mesh->vertex_count);
  return handle_of(builder, LIMPET_OBJECT_MESH, mesh);
}

int limpet_builder_add_cloud(limpet_builder *builder, const limpet_cloud_description *description) {
  assert(builder && description);
  limpet_cloud_description *cloud = add(builder, LIMPET_OBJECT_CLOUD, description);
  if (!cloud) return LIMPET_NONE;
  cloud->file = keep_text(builder, cloud->file);
  const size_t size = cloud->point_count > 0 ? (size_t)cloud->point_count * 3 * sizeof(double) : 0;
  cloud->points = size > 0 ? keep(builder, cloud->points, size) : NULL;
  return handle_of(builder, LIMPET_OBJECT_CLOUD, cloud);
}

int limpet_builder_add_texture(limpet_builder *builder, const limpet_texture *texture) {
  assert(builder && texture);
  limpet_texture *kept = add(builder, LIMPET_LIST_TEXTURE, texture);
  if (!kept) return LIMPET_NONE;
  for (int f = 0; f < LIMPET_TEXTURE_FACES; ++f) {
    if (kept->image_size[f] <= 0) kept->image[f] = NULL;
    kept->image[f] = keep(builder, kept->image[f], (size_t)kept->image_size[f]);
  }
  return handle_of(builder, LIMPET_LIST_TEXTURE, kept);
}

int limpet_builder_add_appearance(limpet_builder *builder, const limpet_appearance *appearance) {
  assert(builder && appearance);
  return handle_of(builder, LIMPET_LIST_APPEARANCE,
                   add(builder, LIMPET_LIST_APPEARANCE, appearance));
}

// The surface of a deformable body as a geom of the world.
static int add_surface(limpet_builder *builder, const limpet_deformable_description *d) {
  limpet_geom_description geom = limpet_geom_description_default();
  geom.name = d->name;
  geom.kind = LIMPET_SHAPE_SOFT;
  geom.material = d->material;
  geom.contype = d->contype, geom.conaffinity = d->conaffinity;
  geom.condim = d->condim, geom.priority = d->priority;
  geom.margin = d->margin, geom.group = d->group;
  geom.place = d->place;
  memcpy(geom.rgba, d->rgba, sizeof geom.rgba);
  return limpet_builder_add_geom(builder, &geom);
}

static const int *keep_integers(limpet_builder *builder, const int *numbers, int count) {
  return count > 0 ? keep(builder, numbers, (size_t)count * sizeof(int)) : NULL;
}

static const limpet_tie *keep_ties(limpet_builder *builder, const limpet_tie *ties, int count) {
  if (count <= 0 || !ties) return NULL;
  limpet_tie *copy = limpet_arena_take(&builder->arena, (size_t)count * sizeof *copy);
  if (!copy) builder->out_of_memory = true;
  for (int i = 0; copy && i < count; ++i) {
    copy[i] = ties[i];
    copy[i].vertices = keep_integers(builder, ties[i].vertices, ties[i].vertex_count);
  }
  return copy;
}

void limpet_builder_add_tie(limpet_builder *builder, int deformable, const limpet_tie *tie) {
  assert(builder && tie);
  limpet_deformable_description *d = limpet_builder_deformable(builder, deformable);
  limpet_tie *all = limpet_arena_take(&builder->arena, (size_t)(d->tie_count + 1) * sizeof *all);
  if (!all) {
    builder->out_of_memory = true;
    return;
  }
  if (d->tie_count > 0) memcpy(all, d->ties, (size_t)d->tie_count * sizeof *all);
  all[d->tie_count] = *tie;
  all[d->tie_count++].vertices = keep_integers(builder, tie->vertices, tie->vertex_count);
  d->ties = all;
}

int limpet_builder_add_deformable(limpet_builder *builder,
                                  const limpet_deformable_description *description) {
  assert(builder && description);
  limpet_deformable_description *d = add(builder, LIMPET_OBJECT_DEFORMABLE, description);
  if (!d) return LIMPET_NONE;
  d->file = keep_text(builder, d->file);
  d->vertices = keep_numbers(builder, d->vertices, 3 * d->vertex_count);
  d->tetrahedra = keep_integers(builder, d->tetrahedra, 4 * d->tetrahedron_count);
  d->faces = keep_integers(builder, d->faces, 3 * d->face_count);
  d->segments = keep_integers(builder, d->segments, 2 * d->segment_count);
  d->ties = keep_ties(builder, d->ties, d->tie_count);
  d->geom = add_surface(builder, d);
  return handle_of(builder, LIMPET_OBJECT_DEFORMABLE, d);
}

bool limpet_builder_is_soft(const limpet_builder *builder, int geom) {
  const limpet_deformable_description *d = limpet_builder_deformables(builder);
  for (int i = 0; i < builder->list[LIMPET_OBJECT_DEFORMABLE].count; ++i)
    if (d[i].geom == geom) return true;
  return false;
}

int limpet_builder_add_tendon(limpet_builder *builder,
                              const limpet_tendon_description *description) {
  assert(builder && description);
  limpet_tendon_description *tendon = add(builder, LIMPET_OBJECT_TENDON, description);
  if (!tendon) return LIMPET_NONE;
  const size_t size =
      tendon->term_count > 0 ? (size_t)tendon->term_count * sizeof *tendon->terms : 0;
  tendon->terms = size > 0 ? keep(builder, tendon->terms, size) : NULL;
  const size_t points =
      tendon->point_count > 0 ? (size_t)tendon->point_count * sizeof *tendon->points : 0;
  tendon->points = points > 0 ? keep(builder, tendon->points, points) : NULL;
  return handle_of(builder, LIMPET_OBJECT_TENDON, tendon);
}

int limpet_builder_add_keyframe(limpet_builder *builder,
                                const limpet_keyframe_description *description) {
  assert(builder && description);
  limpet_keyframe_description *key = add(builder, LIMPET_OBJECT_KEYFRAME, description);
  if (!key) return LIMPET_NONE;
  key->q = keep_numbers(builder, key->q, key->q_count);
  key->v = keep_numbers(builder, key->v, key->v_count);
  key->control = keep_numbers(builder, key->control, key->control_count);
  key->activation = keep_numbers(builder, key->activation, key->activation_count);
  key->mocap_position = keep_numbers(builder, key->mocap_position, 3 * key->mocap_count);
  key->mocap_quaternion = keep_numbers(builder, key->mocap_quaternion, 4 * key->mocap_count);
  return handle_of(builder, LIMPET_OBJECT_KEYFRAME, key);
}

void limpet_builder_remove_keyframes(limpet_builder *builder) {
  assert(builder);
  builder->list[LIMPET_OBJECT_KEYFRAME].count = 0;
}

void limpet_builder_add_exclude(limpet_builder *builder, int body_a, int body_b) {
  assert(builder);
  void *items = builder->exclude;
  const bool grown = grow(builder, &items, builder->exclude_count, &builder->exclude_room,
                          sizeof *builder->exclude);
  builder->exclude = items;
  if (!grown) return;
  builder->exclude[builder->exclude_count][0] = body_a;
  builder->exclude[builder->exclude_count][1] = body_b;
  ++builder->exclude_count;
}

static void add_note(limpet_builder *builder, limpet_note note) {
  void *items = builder->note;
  const bool grown =
      grow(builder, &items, builder->note_count, &builder->note_room, sizeof *builder->note);
  builder->note = items;
  if (!grown) return;
  note.place = keep_place(builder, note.place), note.text = keep_text(builder, note.text);
  builder->note[builder->note_count++] = note;
}

void limpet_builder_add_note(limpet_builder *builder, bool unsupported, limpet_place place,
                             const char *text) {
  assert(builder && text);
  add_note(builder, (limpet_note){.unsupported = unsupported, .place = place, .text = text});
}

void limpet_builder_add_doubt(limpet_builder *builder, limpet_place place, const char *text) {
  assert(builder && text);
  add_note(builder, (limpet_note){.doubtful = true, .place = place, .text = text});
}

limpet_body_description *limpet_builder_body(limpet_builder *builder, int handle) {
  assert(handle >= 0 && handle < builder->list[LIMPET_OBJECT_BODY].count);
  return limpet_builder_bodies(builder) + handle;
}

limpet_joint_description *limpet_builder_joint(limpet_builder *builder, int handle) {
  assert(handle >= 0 && handle < builder->list[LIMPET_OBJECT_JOINT].count);
  return limpet_builder_joints(builder) + handle;
}

limpet_geom_description *limpet_builder_geom(limpet_builder *builder, int handle) {
  assert(handle >= 0 && handle < builder->list[LIMPET_OBJECT_GEOM].count);
  return limpet_builder_geoms(builder) + handle;
}

limpet_site_description *limpet_builder_site(limpet_builder *builder, int handle) {
  assert(handle >= 0 && handle < builder->list[LIMPET_OBJECT_SITE].count);
  return limpet_builder_sites(builder) + handle;
}

limpet_camera_description *limpet_builder_camera(limpet_builder *builder, int handle) {
  assert(handle >= 0 && handle < builder->list[LIMPET_OBJECT_CAMERA].count);
  return limpet_builder_cameras(builder) + handle;
}

limpet_loop_description *limpet_builder_loop(limpet_builder *builder, int handle) {
  assert(handle >= 0 && handle < builder->list[LIMPET_OBJECT_LOOP].count);
  return limpet_builder_loops(builder) + handle;
}

limpet_deformable_description *limpet_builder_deformable(limpet_builder *builder, int handle) {
  assert(handle >= 0 && handle < builder->list[LIMPET_OBJECT_DEFORMABLE].count);
  return limpet_builder_deformables(builder) + handle;
}

limpet_tendon_description *limpet_builder_tendon(limpet_builder *builder, int handle) {
  assert(handle >= 0 && handle < builder->list[LIMPET_OBJECT_TENDON].count);
  return limpet_builder_tendons(builder) + handle;
}

limpet_actuator_description *limpet_builder_actuator(limpet_builder *builder, int handle) {
  assert(handle >= 0 && handle < builder->list[LIMPET_OBJECT_ACTUATOR].count);
  return limpet_builder_actuators(builder) + handle;
}

int limpet_builder_count(const limpet_builder *builder, limpet_object object) {
  assert(builder && object >= 0 && object < LIMPET_OBJECT_COUNT);
  return builder->list[object].count;
}

int limpet_builder_find(const limpet_builder *builder, limpet_object object, const char *name) {
  assert(builder && object >= 0 && object < LIMPET_OBJECT_COUNT);
  if (!name) return LIMPET_NONE;
  for (int i = 0; i < builder->list[object].count; ++i) {
    const char *other = limpet_builder_item_name(builder, (int)object, i);
    if (other && strcmp(other, name) == 0) return i;
  }
  return LIMPET_NONE;
}
