/* control/controller.c: controllers from JSON texts, and their update before each step. A
 * controller has one or more parts, each a kind with joints of its own. */
#include "control/controller.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "control/joints.h"

struct limpet_controller {
  int part_count;
  limpet_controller_part *part;  // (part_count)
  limpet_controller_info info;
};

static const limpet_controller_kind *const kinds[] = {&limpet_controller_computed_torque,
                                                      &limpet_controller_joint_position,
                                                      &limpet_controller_cartesian, NULL};

const limpet_controller_kind *const *limpet_controller_kinds(void) { return kinds; }

const limpet_descriptor *limpet_controller_kind_descriptor(const limpet_controller_kind *kind) {
  assert(kind);
  return &kind->descriptor;
}

// ------------------------------------------------------------------------------------ create

static bool part_read(limpet_controller_part *part, const limpet_model *model,
                      const limpet_json *object) {
  const char *words[sizeof kinds / sizeof *kinds];
  int kind;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    words[i] = kinds[i] ? kinds[i]->descriptor.name : NULL;
  if (!json_is_object(object->value)) return limpet_json_fail(object, "must be an object {...}");
  if (!limpet_json_choice(object, "kind", words, -1, &kind)) return false;
  part->kind = kinds[kind];
  return part->kind->read(part, model, object);
}

// No joint may belong to two parts.
static bool part_alone(const limpet_controller *controller, int index, const limpet_model *model,
                       const limpet_json *object) {
  const limpet_drive *drive = &controller->part[index].drive;
  for (int p = 0; p < index; ++p)
    for (int i = 0; i < controller->part[p].drive.n; ++i)
      for (int k = 0; k < drive->n; ++k) {
        char label[160];
        if (controller->part[p].drive.joint[i] != drive->joint[k]) continue;
        return limpet_json_fail(object, "joint %s belongs to the controller number %d already",
                                limpet_joint_label(label, sizeof label, model, drive->joint[k]), p);
      }
  return true;
}

static bool parts_read(limpet_controller *controller, const limpet_model *model,
                       const limpet_json *root) {
  static const char *const keys[] = {"controllers", NULL};
  limpet_json list;
  if (!json_is_object(root->value)) return limpet_json_fail(root, "must be an object {...}");
  const bool many = limpet_json_member(&list, root, "controllers");
  if (many &&
      (!limpet_json_keys(root, keys) || !limpet_json_array(&list, root, "controllers", 1000)))
    return false;
  const int count = many ? (int)json_array_size(list.value) : 1;
  controller->part = calloc((size_t)count, sizeof *controller->part);
  if (!controller->part) return limpet_json_fail(root, "no memory");
  for (int i = 0; i < count; ++i) {
    const limpet_json object = many ? limpet_json_element(&list, (size_t)i) : *root;
    controller->part_count = i + 1;
    if (!part_read(&controller->part[i], model, &object) ||
        !part_alone(controller, i, model, &object))
      return false;
  }
  return true;
}

limpet_controller *limpet_controller_create(const limpet_model *model, const char *text,
                                            const char *file, limpet_error *error) {
  assert(model && text);
  json_error_t wrong;
  json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, &wrong);
  if (!value) {
    limpet_json_refused(error, file, "controller", text, &wrong);
    return NULL;
  }
  const limpet_json_source source = {.file = file, .text = text, .error = error};
  const limpet_json root = {.value = value, .source = &source};
  limpet_controller *controller = calloc(1, sizeof *controller);
  if (!controller) limpet_json_fail(&root, "no memory");
  if (controller && !parts_read(controller, model, &root)) {
    limpet_controller_destroy(controller);
    controller = NULL;
  }
  json_decref(value);
  return controller;
}

void limpet_controller_destroy(limpet_controller *controller) {
  if (!controller) return;
  for (int i = 0; i < controller->part_count; ++i) {
    limpet_controller_part *part = &controller->part[i];
    if (part->kind) part->kind->release(part);
    limpet_drive_release(&part->drive);
  }
  free(controller->part);
  free(controller);
}

void limpet_controller_reset(limpet_controller *controller) {
  assert(controller);
  controller->info = (limpet_controller_info){0};
  for (int i = 0; i < controller->part_count; ++i)
    if (controller->part[i].kind->reset) controller->part[i].kind->reset(&controller->part[i]);
}

// ------------------------------------------------------------------------------------ update

void limpet_controller_update(limpet_controller *controller, const limpet_model *model,
                              limpet_data *data, double time_step) {
  assert(controller && data && time_step > 0.0);
  assert(data->model == model);
  limpet_update update = {0};
  for (int i = 0; i < controller->part_count; ++i) {
    limpet_controller_part *part = &controller->part[i];
    part->kind->plan(part, model, data, limpet_drive_time(&part->drive, data->time, time_step),
                     &update);
    limpet_drive_follow(&part->drive, model, data, time_step, &update);
  }
  limpet_controller_info *info = &controller->info;
  ++info->updates;
  info->saturated_count += update.saturated;
  info->unreached_count += update.unreached;
  info->tracking_error = update.error;
  info->tracking_worst = fmax(info->tracking_worst, update.error);
}

bool limpet_controller_drives(const limpet_controller *controller, int actuator) {
  assert(controller);
  for (int p = 0; p < controller->part_count; ++p)
    for (int i = 0; i < controller->part[p].drive.n; ++i)
      if (controller->part[p].drive.actuator[i] == actuator) return true;
  return false;
}

bool limpet_controller_pushes(const limpet_controller *controller) {
  assert(controller);
  for (int p = 0; p < controller->part_count; ++p)
    if (controller->part[p].drive.joint_force) return true;
  return false;
}

limpet_controller_info limpet_controller_report(const limpet_controller *controller) {
  assert(controller);
  return controller->info;
}
