/* model/parameter_compile.c: models that differ from a builder's in one number: see
 * limpet/parameter.h. The builder is set, compiled and put back; a mass may change masses of geoms,
 * so those are kept, too. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "limpet/parameter.h"
#include "model/builder.h"
#include "model/parameter_effect.h"

// Descriptions of one kind as they were.
typedef struct kept_list {
  limpet_object object;
  void *items;
} kept_list;

static bool keep(const limpet_builder *builder, limpet_object object, kept_list *kept) {
  const size_t bytes = (size_t)builder->list[object].count * limpet_description_kinds[object].size;
  *kept = (kept_list){object, malloc(bytes + 1)};
  if (kept->items && bytes > 0) memcpy(kept->items, builder->list[object].items, bytes);
  return kept->items;
}

static void put_back(limpet_builder *builder, kept_list *kept) {
  const size_t bytes =
      (size_t)builder->list[kept->object].count * limpet_description_kinds[kept->object].size;
  if (kept->items && bytes > 0) memcpy(builder->list[kept->object].items, kept->items, bytes);
  free(kept->items);
}

/* The number in all objects as it was, into or from `number` (count): arrays of structs do not lie
 * in the descriptions. */
static void keep_numbers(limpet_builder *builder, const limpet_parameter_target *target,
                         double *number) {
  for (int i = 0; i < target->count; ++i) {
    int index;
    const void *record = limpet_parameter_record(builder, target, i, &index);
    number[i] = limpet_field_number(target->field, record, index);
  }
}

static void put_back_numbers(limpet_builder *builder, const limpet_parameter_target *target,
                             const double *number) {
  for (int i = 0; i < target->count; ++i) {
    int index;
    void *record = limpet_parameter_record(builder, target, i, &index);
    limpet_field_assign(target->field, record, index, number[i]);
  }
}

limpet_model *limpet_parameter_compile(limpet_builder *builder,
                                       const limpet_parameter_target *target, double value,
                                       limpet_error *error) {
  assert(builder && target && target->field);
  kept_list own, geoms;
  limpet_model *model = NULL;
  double *number = malloc(((size_t)target->count + 1) * sizeof *number);
  if (number) keep_numbers(builder, target, number);
  const bool own_kept = keep(builder, target->object, &own),
             kept = keep(builder, LIMPET_OBJECT_GEOM, &geoms) && own_kept && number;
  if (!kept) limpet_error_fill(error, LIMPET_ERROR_MEMORY, "%s: no memory", target->field->name);
  else if (limpet_parameter_assign(builder, target, value, error) == LIMPET_OK)
    model = limpet_builder_compile(builder, error);
  put_back(builder, &own);
  put_back(builder, &geoms);
  if (number) put_back_numbers(builder, target, number);
  free(number);
  return model;
}

// The mass that a body has in the model; NAN where the builder does not compile.
static double mass_of(limpet_builder *builder, int handle, limpet_error *error) {
  const limpet_body_description *body = &limpet_builder_bodies(builder)[handle];
  if (body->has_inertial) return body->mass;
  limpet_model *model = limpet_builder_compile(builder, error);
  if (!model) return NAN;
  const int index = limpet_model_find(
      model, LIMPET_OBJECT_BODY, limpet_builder_item_name(builder, LIMPET_OBJECT_BODY, handle));
  const double mass = index == LIMPET_NONE ? 0.0 : model->body_mass[index];
  limpet_model_destroy(model);
  return mass;
}

static double value_of(limpet_builder *builder, const limpet_parameter_target *target, int i,
                       limpet_error *error) {
  if (target->object == LIMPET_OBJECT_BODY && strcmp(target->field->name, "mass") == 0)
    return mass_of(builder, target->handle[i], error);
  int index;
  const void *record = limpet_parameter_record(builder, target, i, &index);
  return limpet_field_number(target->field, record, index);
}

limpet_status limpet_parameter_value(limpet_builder *builder, const limpet_parameter_target *target,
                                     double *value, limpet_error *error) {
  assert(builder && target && target->count > 0 && value);
  *value = value_of(builder, target, 0, error);
  for (int i = 1; i < target->count; ++i)
    if (value_of(builder, target, i, error) != *value)
      return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                               "%s: the objects of that name have different values; name one",
                               target->field->name);
  if (isfinite(*value)) return LIMPET_OK;
  return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                           "%s: no number is given (what is rigid or follows from other numbers "
                           "has no value of its own); set one",
                           target->field->name);
}
