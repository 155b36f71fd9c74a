/* model/parameter.c: finds the numbers that a text like "finger*.friction" names, and sets them.
 *
 * A text is looked up kind by kind: those that have the field, and an object of the name. None or
 * two are an error that says what there is. Cost: one comparison of names an object and kind. */
#include "limpet/parameter.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/field.h"
#include "base/text_distance.h"
#include "model/builder.h"
#include "model/parameter_effect.h"

static const limpet_object kinds[] = {
    LIMPET_OBJECT_GEOM,    LIMPET_OBJECT_BODY, LIMPET_OBJECT_JOINT, LIMPET_OBJECT_ACTUATOR,
    LIMPET_OBJECT_TENDON,  LIMPET_OBJECT_SITE, LIMPET_OBJECT_MESH,  LIMPET_OBJECT_CLOUD,
    LIMPET_OBJECT_COUPLER, LIMPET_OBJECT_LOOP, LIMPET_OBJECT_PAIR,  LIMPET_OBJECT_DEFORMABLE};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

// ---------------------------------------------------------------------------------------- text

bool limpet_parameter_matches(const char *pattern, const char *name) {
  assert(pattern);
  if (!name) return false;
  const char *star = NULL, *behind = NULL;  // of the last *, and where it stopped in the name
  while (*name) {
    if (*pattern == '*') {
      star = ++pattern;
      behind = name;
    } else if (*pattern == '?' || *pattern == *name) {
      ++pattern, ++name;
    } else if (star) {
      pattern = star;
      name = ++behind;
    } else {
      return false;
    }
  }
  while (*pattern == '*') ++pattern;
  return !*pattern;
}

static limpet_status text_wrong(limpet_error *error, const char *text, const char *what) {
  return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                           "'%s': %s; parameters are written NAME.FIELD, as in pad.friction, "
                           "body:cube.mass, finger*.size[0]",
                           text, what);
}

// the kind before the colon; false where the word is none
static bool kind_read(const char *text, size_t length, limpet_object *object) {
  for (int k = 0; k < KIND_COUNT; ++k) {
    const char *word = limpet_object_word(kinds[k]);
    if (strlen(word) != length || strncmp(word, text, length) != 0) continue;
    *object = kinds[k];
    return true;
  }
  return false;
}

limpet_status limpet_parameter_read(const char *text, limpet_parameter_name *name,
                                    limpet_error *error) {
  assert(text && name);
  *name = (limpet_parameter_name){.object = LIMPET_OBJECT_COUNT, .index = LIMPET_NONE};
  const char *start = text, *colon = strchr(text, ':');
  if (colon && kind_read(text, (size_t)(colon - text), &name->object)) start = colon + 1;

  // names may hold dots, fields do not
  const char *dot = strrchr(start, '.'), *bracket = dot ? strchr(dot, '[') : NULL;
  if (!dot || dot == start || !dot[1]) return text_wrong(error, text, "there is no NAME.FIELD");
  const size_t head = (size_t)(dot - start);
  const size_t tail = bracket ? (size_t)(bracket - dot - 1) : strlen(dot + 1);
  if (head >= sizeof name->pattern || tail >= sizeof name->field)
    return text_wrong(error, text, "it is too long");
  memcpy(name->pattern, start, head);
  memcpy(name->field, dot + 1, tail);
  if (!bracket) return LIMPET_OK;

  char *end = NULL;
  const long index = strtol(bracket + 1, &end, 10);
  if (!isdigit((unsigned char)bracket[1]) || strcmp(end, "]") != 0 || index > INT16_MAX)
    return text_wrong(error, text, "what is in brackets is no number");
  name->index = (int)index;
  return LIMPET_OK;
}

// -------------------------------------------------------------------------------------- lookup

static bool take(limpet_parameter_target *target, int handle) {
  int *wider = realloc(target->handle, ((size_t)target->count + 1) * sizeof *wider);
  if (!wider) return false;
  target->handle = wider;
  target->handle[target->count++] = handle;
  return true;
}

// Whether a geom is the surface of a deformable body and has its matter from that.
static bool is_of_deformable(const limpet_builder *builder, const limpet_parameter_target *target,
                             int handle) {
  static const char *const others[] = {"size", "position", "mass", "density"};
  if (target->object != LIMPET_OBJECT_GEOM || !limpet_builder_is_soft(builder, handle))
    return false;
  for (size_t k = 0; k < sizeof others / sizeof *others; ++k)
    if (strcmp(target->field->name, others[k]) == 0) return true;
  return false;
}

// objects of a kind whose name is meant; false without memory
static bool take_named(limpet_builder *builder, limpet_object object, const char *pattern,
                       limpet_parameter_target *target) {
  for (int i = 0; i < builder->list[object].count; ++i)
    if (limpet_parameter_matches(pattern, limpet_builder_item_name(builder, (int)object, i)) &&
        !is_of_deformable(builder, target, i) && !take(target, i))
      return false;
  return true;
}

// geoms of the bodies whose name is meant
static bool take_geoms_of(limpet_builder *builder, const char *pattern,
                          limpet_parameter_target *target) {
  for (int g = 0; g < builder->list[LIMPET_OBJECT_GEOM].count; ++g) {
    const int body = limpet_builder_geoms(builder)[g].body;
    const bool known = body >= 0 && body < builder->list[LIMPET_OBJECT_BODY].count;
    if (known &&
        limpet_parameter_matches(pattern,
                                 limpet_builder_item_name(builder, LIMPET_OBJECT_BODY, body)) &&
        !take(target, g))
      return false;
  }
  return true;
}

// of all objects of the kinds that come into question, the name nearest to the one given
static const char *nearest_name(limpet_builder *builder, const limpet_parameter_name *name) {
  const char *nearest = NULL;
  int best = 1 + (int)strlen(name->pattern) / 2;  // further is no slip of the finger
  for (int k = 0; k < KIND_COUNT; ++k) {
    if (name->object != LIMPET_OBJECT_COUNT && name->object != kinds[k]) continue;
    for (int i = 0; i < builder->list[kinds[k]].count; ++i) {
      const char *other = limpet_builder_item_name(builder, (int)kinds[k], i);
      const int distance = other ? limpet_text_distance(name->pattern, other) : best;
      if (distance < best) best = distance, nearest = other;
    }
  }
  return nearest;
}

// The first names of the kinds that come into question, and a word on the rest.
static void list_names(limpet_builder *builder, const limpet_parameter_name *name, char *list,
                       size_t size) {
  enum { SHOWN = 8 };
  int count = 0;
  *list = '\0';
  for (int k = 0; k < KIND_COUNT; ++k) {
    if (name->object != LIMPET_OBJECT_COUNT && name->object != kinds[k]) continue;
    for (int i = 0; i < builder->list[kinds[k]].count; ++i) {
      const char *other = limpet_builder_item_name(builder, (int)kinds[k], i);
      if (!other || !*other || ++count > SHOWN) continue;
      const size_t used = strlen(list);
      snprintf(list + used, size - used, "%s%s", used ? ", " : "; names are ", other);
    }
  }
  const size_t used = strlen(list);
  if (count > SHOWN) snprintf(list + used, size - used, " and %d more", count - SHOWN);
}

static limpet_status no_object(limpet_builder *builder, const char *text,
                               const limpet_parameter_name *name, limpet_error *error) {
  char rest[LIMPET_ERROR_TEXT_SIZE / 2] = "";
  const char *nearest = nearest_name(builder, name);
  if (nearest) snprintf(rest, sizeof rest, "; did you mean '%s'?", nearest);
  else list_names(builder, name, rest, sizeof rest);
  const char *kind =
      name->object == LIMPET_OBJECT_COUNT ? "object" : limpet_object_word(name->object);
  return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                           "'%s': there is no %s '%s' with a field '%s'%s", text, kind,
                           name->pattern, name->field, rest);
}

typedef void use_field(void *context, const char *name);

// Calls `use` with the name of every field of a table, behind `prefix`.
static void visit_table(const limpet_field_table *table, const char *prefix, use_field *use,
                        void *context) {
  char name[LIMPET_PARAMETER_NAME_SIZE];
  for (int f = 0; f < table->count; ++f) {
    if (table->fields[f].type != LIMPET_FIELD_DOUBLE) continue;
    snprintf(name, sizeof name, "%s%s", prefix, table->fields[f].name);
    use(context, name);
  }
}

// The same with all fields of a kind.
static void visit_fields(limpet_object object, use_field *use, void *context) {
  const limpet_field_table *own = limpet_parameter_fields(object);
  if (own) visit_table(own, "", use, context);
  for (const limpet_parameter_part *part = limpet_parameter_parts(); part->fields; ++part)
    if (part->object == object) visit_table(part->fields(), part->prefix, use, context);
}

typedef struct field_list {
  char *text;
  size_t size;
} field_list;

// Appends a name.
static void list_field(void *context, const char *name) {
  const field_list *list = context;
  const size_t used = strlen(list->text);
  snprintf(list->text + used, list->size - used, "%s%s", used ? ", " : "", name);
}

typedef struct nearest_search {
  const char *wanted;
  int best;                                // distance
  char found[LIMPET_PARAMETER_NAME_SIZE];  // "": none is near enough
} nearest_search;

static void compare_field(void *context, const char *name) {
  nearest_search *search = context;
  const int distance = limpet_text_distance(search->wanted, name);
  if (distance >= search->best) return;
  search->best = distance;
  snprintf(search->found, sizeof search->found, "%s", name);
}

// Of all fields of the kinds that come into question, the one that was most likely meant.
static void find_nearest_field(const limpet_parameter_name *name, nearest_search *search) {
  *search = (nearest_search){.wanted = name->field, .best = 1 + (int)strlen(name->field) / 2};
  for (int k = 0; k < KIND_COUNT; ++k)
    if (name->object == LIMPET_OBJECT_COUNT || name->object == kinds[k])
      visit_fields(kinds[k], compare_field, search);
}

static limpet_status no_field(const char *text, const limpet_parameter_name *name,
                              limpet_error *error) {
  nearest_search search;
  find_nearest_field(name, &search);
  if (search.found[0])
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "'%s': there is no field '%s'; did you mean '%s'?", text, name->field,
                             search.found);
  char list[LIMPET_ERROR_TEXT_SIZE / 2] = "";
  for (int k = 0; k < KIND_COUNT; ++k) {
    if (name->object != LIMPET_OBJECT_COUNT && name->object != kinds[k]) continue;
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s: ", used ? "; " : "",
             limpet_object_word(kinds[k]));
    char fields[1024] = "";
    field_list names = {fields, sizeof fields};
    visit_fields(kinds[k], list_field, &names);
    strncat(list, fields, sizeof list - strlen(list) - 1);
  }
  return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                           "'%s': there is no field '%s'; fields that can be set are of %s", text,
                           name->field, list);
}

/* Whether a field is one of geoms, and not of what else a body is named with: a body then stands
 * for its geoms. */
static bool is_of_geoms(const char *field) {
  static const limpet_object others[] = {LIMPET_OBJECT_BODY, LIMPET_OBJECT_JOINT,
                                         LIMPET_OBJECT_ACTUATOR, LIMPET_OBJECT_DEFORMABLE};
  size_t offset;
  for (size_t k = 0; k < sizeof others / sizeof *others; ++k)
    if (limpet_parameter_field(others[k], field, &offset)) return false;
  return limpet_parameter_field(LIMPET_OBJECT_GEOM, field, &offset) != NULL;
}

// which kinds have the field and the name; the first one's objects are taken
static limpet_status find_kind(limpet_builder *builder, const char *text,
                               const limpet_parameter_name *name, limpet_parameter_target *target,
                               limpet_error *error) {
  bool has_field = false;
  for (int k = 0; k < KIND_COUNT; ++k) {
    if (name->object != LIMPET_OBJECT_COUNT && name->object != kinds[k]) continue;
    limpet_parameter_target own = {.object = kinds[k]};
    own.field = limpet_parameter_field(kinds[k], name->field, &own.offset);
    if (!own.field) continue;
    has_field = true;
    if (!take_named(builder, kinds[k], name->pattern, &own))
      return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "'%s': no memory", text);
    if (own.count == 0) continue;
    const limpet_object first = target->object;
    const bool second = target->count > 0;
    if (!second) *target = own;
    else limpet_parameter_free(&own);
    if (second)
      return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                               "'%s' is a %s and a %s; write '%s:%s' or '%s:%s'", text,
                               limpet_object_word(first), limpet_object_word(kinds[k]),
                               limpet_object_word(first), text, limpet_object_word(kinds[k]), text);
  }
  if (!has_field) return no_field(text, name, error);
  if (target->count > 0 || !is_of_geoms(name->field)) return LIMPET_OK;

  // a body by its geoms
  target->object = LIMPET_OBJECT_GEOM;
  target->field = limpet_parameter_field(LIMPET_OBJECT_GEOM, name->field, &target->offset);
  if (!take_geoms_of(builder, name->pattern, target))
    return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "'%s': no memory", text);
  return LIMPET_OK;
}

// The array of structs that a target chooses from; NULL: none.
static const limpet_parameter_part *array_of(const limpet_parameter_target *target) {
  for (const limpet_parameter_part *part = limpet_parameter_parts(); part->fields; ++part)
    if (part->stride > 0 && part->object == target->object && part->offset == target->offset)
      return part;
  return NULL;
}

static char *description_of(limpet_builder *builder, const limpet_parameter_target *target, int i) {
  assert(i >= 0 && i < target->count);
  char *items = builder->list[target->object].items;
  return items + limpet_description_kinds[target->object].size * (size_t)target->handle[i];
}

// How many numbers there are to choose from, in all objects of the target.
static int size_of(limpet_builder *builder, const limpet_parameter_target *target) {
  const limpet_parameter_part *array = array_of(target);
  if (!array) return (int)limpet_field_count(target->field, NULL, 0);
  int least = INT16_MAX;
  for (int i = 0; i < target->count; ++i) {
    const int count = *(int *)(description_of(builder, target, i) + array->count);
    if (count < least) least = count;
  }
  return least;
}

limpet_status limpet_parameter_find(limpet_builder *builder, const char *text,
                                    limpet_parameter_target *target, limpet_error *error) {
  assert(builder && text && target);
  limpet_parameter_name name;
  *target = (limpet_parameter_target){.object = LIMPET_OBJECT_COUNT};
  limpet_status status = limpet_parameter_read(text, &name, error);
  if (status == LIMPET_OK) status = find_kind(builder, text, &name, target, error);
  if (status != LIMPET_OK) return status;
  if (target->count == 0) return no_object(builder, text, &name, error);

  const int size = size_of(builder, target);
  if (size == 0)
    return limpet_error_fill(error, LIMPET_ERROR_INPUT, "'%s': '%s' has no %s", text, name.pattern,
                             name.field);
  if (name.index >= size || (name.index == LIMPET_NONE && size > 1))
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "'%s': %s holds %d number%s; write %s.%s[0] to [%d]", text, name.field,
                             size, size > 1 ? "s" : "", name.pattern, name.field, size - 1);
  target->index = name.index == LIMPET_NONE ? 0 : name.index;
  return LIMPET_OK;
}

void limpet_parameter_free(limpet_parameter_target *target) {
  assert(target);
  free(target->handle);
  target->handle = NULL;
  target->count = 0;
}

// -------------------------------------------------------------------------------------- values

void *limpet_parameter_record(limpet_builder *builder, const limpet_parameter_target *target, int i,
                              int *index) {
  const limpet_parameter_part *array = array_of(target);
  char *record = description_of(builder, target, i) + target->offset;
  *index = array ? 0 : target->index;
  return array ? *(char **)record + array->stride * (size_t)target->index : record;
}

const char *limpet_parameter_unit(limpet_builder *builder, const limpet_parameter_target *target) {
  assert(builder && target && target->count > 0);
  const char *unit = target->field->unit, *second = unit ? strstr(unit, ", ") : NULL;
  if (!second) return unit;
  static const struct {
    const char *both, *prismatic, *turning;
  } split[] = {{"N/m, N m/rad", "N/m", "N m/rad"},
               {"m, rad", "m", "rad"},
               {"N s/m, N m s/rad", "N s/m", "N m s/rad"},
               {"kg, kg m^2", "kg", "kg m^2"},
               {"N, N m", "N", "N m"}};
  const limpet_joint_kind kind = limpet_builder_joints(builder)[target->handle[0]].kind;
  for (size_t s = 0; s < sizeof split / sizeof *split; ++s)
    if (strcmp(split[s].both, unit) == 0)
      return kind == LIMPET_JOINT_PRISMATIC ? split[s].prismatic : split[s].turning;
  return unit;
}

// masses of the geoms of a body, times `factor`
static void scale_geoms(limpet_builder *builder, int body, double factor) {
  for (int g = 0; g < builder->list[LIMPET_OBJECT_GEOM].count; ++g) {
    limpet_geom_description *geom = &limpet_builder_geoms(builder)[g];
    if (geom->body != body) continue;
    if (isnan(geom->mass)) geom->density *= factor;
    else geom->mass *= factor;
  }
}

// mass of a body that has it from its geoms; NAN where the model does not compile
static double compiled_mass(limpet_builder *builder, int body, limpet_error *error) {
  limpet_model *model = limpet_builder_compile(builder, error);
  if (!model) return NAN;
  const char *name = limpet_builder_item_name(builder, LIMPET_OBJECT_BODY, body);
  const int index = limpet_model_find(model, LIMPET_OBJECT_BODY, name);
  const double mass = index == LIMPET_NONE ? 0.0 : model->body_mass[index];
  limpet_model_destroy(model);
  return mass;
}

static limpet_status assign_body_mass(limpet_builder *builder, int handle, double value,
                                      limpet_error *error) {
  limpet_body_description *body = &limpet_builder_bodies(builder)[handle];
  const double mass = body->has_inertial ? body->mass : compiled_mass(builder, handle, error);
  if (isnan(mass)) return LIMPET_ERROR_INPUT;
  if (!(mass > 0.0))
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "body '%s' has no mass, so that its inertia would not be known; give "
                             "it one in the file",
                             body->name);
  const double factor = value / mass;
  if (!body->has_inertial) {
    scale_geoms(builder, handle, factor);
    return LIMPET_OK;
  }
  body->mass = value;
  for (int k = 0; k < 6; ++k) body->inertia[k] *= factor;
  return LIMPET_OK;
}

// a position or velocity servo holds gain[0] times the difference of command and measurement
static void assign_gain(limpet_actuator_description *actuator, double value) {
  for (int k = 1; k < 3; ++k)
    if (actuator->bias[k] != 0.0 && actuator->bias[k] == -actuator->gain[0])
      actuator->bias[k] = -value;
  actuator->gain[0] = value;
}

static limpet_status assign_one(limpet_builder *builder, const limpet_parameter_target *target,
                                int i, double value, limpet_error *error) {
  const char *field = target->field->name;
  int index;
  void *record = limpet_parameter_record(builder, target, i, &index);
  if (target->object == LIMPET_OBJECT_BODY && strcmp(field, "mass") == 0)
    return assign_body_mass(builder, target->handle[i], value, error);
  if (target->object == LIMPET_OBJECT_ACTUATOR && strcmp(field, "gain") == 0 &&
      target->index == 0) {
    assign_gain(record, value);
    return LIMPET_OK;
  }
  limpet_field_assign(target->field, record, index, value);
  if (target->object == LIMPET_OBJECT_GEOM && strcmp(field, "stiffness") == 0)
    ((limpet_material *)record)->has_impedance = false;
  return LIMPET_OK;
}

limpet_status limpet_parameter_assign(limpet_builder *builder,
                                      const limpet_parameter_target *target, double value,
                                      limpet_error *error) {
  assert(builder && target && target->field);
  const char *in_vain = NULL;
  for (int i = 0; i < target->count && !in_vain; ++i)
    in_vain = limpet_parameter_in_vain(builder, target, i);
  if (in_vain)
    return limpet_error_fill(error, LIMPET_ERROR_INPUT, "%s: %s", target->field->name, in_vain);
  char demand[128];
  if (isnan(value) || !limpet_field_allows(target->field, value))
    return limpet_error_fill(error, LIMPET_ERROR_INPUT, "%s: %g is out of range: it must %s",
                             target->field->name, value,
                             limpet_field_demand(target->field, demand, sizeof demand));
  limpet_status status = LIMPET_OK;
  for (int i = 0; i < target->count && status == LIMPET_OK; ++i)
    status = assign_one(builder, target, i, value, error);
  return status;
}
