/* model/model_layout.c: memory and hash of a model, both by the table of its fields, so an array
 * that is added there cannot be forgotten by either. */
#include <stdlib.h>
#include <string.h>

#include "base/field.h"
#include "base/hash.h"
#include "model/model_storage.h"

enum { LINE = 64 };  // [bytes]  of the cache

static size_t array_size(const limpet_model *model, const limpet_field *field) {
  const limpet_field_scope scope = {limpet_model_fields(), model};
  return limpet_field_count(field, &scope, 1) * field->element;
}

limpet_model_storage *limpet_model_storage_create(const limpet_model *sizes, size_t text_size) {
  limpet_model_storage *storage = calloc(1, sizeof *storage);
  if (!storage) return NULL;
  storage->model = *sizes;

  // one block for all arrays: each is rounded up to a line of the cache
  const limpet_field_table *table = limpet_model_fields();
  size_t total = text_size;
  for (int i = 0; i < table->count; ++i)
    if (table->fields[i].pointer) total += array_size(sizes, &table->fields[i]) + LINE;
  if (limpet_arena_create(&storage->arena, total) != 0) {
    free(storage);
    return NULL;
  }
  for (int i = 0; i < table->count; ++i) {
    const limpet_field *field = &table->fields[i];
    if (!field->pointer) continue;
    void *array = limpet_arena_take_zero(&storage->arena, array_size(sizes, field));
    memcpy((char *)&storage->model + field->offset, &array, sizeof array);
  }
  return storage;
}

// ------------------------------------------------------------------------------------ hash

#define HASH_MEMBER(hash, member) limpet_hash_bytes((hash), &(member), sizeof(member))

uint64_t limpet_model_hash(const limpet_model *model) {
  const limpet_field_scope scope = {limpet_model_fields(), model};
  uint64_t hash = limpet_fields_hash(LIMPET_HASH_START, limpet_model_fields(), model,
                                     LIMPET_FIELD_MOTION, &scope, 1);
  for (int i = 0; i < model->mesh_count; ++i) {
    const limpet_hull *hull = model->mesh[i].hull;
    if (hull)
      hash =
          limpet_hash_bytes(hash, hull->vertices, (size_t)hull->vertex_count * 3 * sizeof(double));
  }
  for (int i = 0; i < model->geom_count; ++i) {
    if (!model->geom_field[i] || model->geom_kind[i] != LIMPET_SHAPE_MESH) continue;
    const limpet_mesh *mesh = &model->mesh[model->geom_mesh[i]];
    hash = limpet_hash_bytes(hash, mesh->vertices, (size_t)mesh->vertex_count * 3 * sizeof(double));
    hash = limpet_hash_bytes(hash, mesh->faces, (size_t)mesh->face_count * 3 * sizeof(int));
    hash = limpet_hash_bytes(hash, mesh->tetrahedra,
                             (size_t)mesh->tetrahedron_count * 4 * sizeof(int));
    if (mesh->field)
      hash = limpet_hash_bytes(hash, mesh->field, (size_t)mesh->vertex_count * sizeof(double));
  }
  for (int i = 0; i < model->deformable_count; ++i) {
    const limpet_fem_body *body = model->deformable_body[i];
    const limpet_fem_body_info info = limpet_fem_body_information(body);
    const double numbers[] = {info.youngs_modulus, info.poissons_ratio, info.density,
                              info.mass_damping, info.stiffness_damping};
    const char *law = limpet_elastic_law_descriptor(info.law)->name;
    hash = limpet_hash_bytes(hash, numbers, sizeof numbers);
    hash = limpet_hash_bytes(hash, law, strlen(law));
    hash = limpet_hash_bytes(hash, limpet_fem_body_rest(body),
                             3 * (size_t)info.node_count * sizeof(double));
    hash = limpet_hash_bytes(hash, limpet_fem_body_tetrahedra(body),
                             4 * (size_t)info.tetrahedron_count * sizeof(int));
    if (info.tetrahedron_count == 0) hash = limpet_fem_body_thin_hash(body, hash);
  }
  for (int i = 0; i < model->cloud_count; ++i) {
    const limpet_cloud *cloud = model->cloud[i];
    hash = limpet_hash_bytes(hash, cloud->points, (size_t)cloud->point_count * 3 * sizeof(double));
    hash = HASH_MEMBER(hash, cloud->point_radius);
    hash = HASH_MEMBER(hash, cloud->contact_points);
  }
  return hash;
}
