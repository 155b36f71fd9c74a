/* format/overlaps.c: links of a robot that overlap where it stands. Contact is with convex hulls of
 * meshes, and those of links that are near each other often overlap in every pose: such contact
 * says nothing of the robot. Planners leave it out, too (MoveIt's setup assistant). */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "limpet/contact.h"
#include "limpet/data.h"
#include "limpet/dynamics.h"
#include "limpet/format.h"
#include "model/builder.h"

static const double least = 1e-5;  // [m]  deeper than what touches

/* Coordinates of joints into their limits: files of robots often have a reference pose beyond them,
 * folded into itself. */
static void enter_limits(const limpet_model *model, double *q) {
  for (int j = 0; j < model->joint_count; ++j) {
    if (!model->joint_limited[j] || limpet_joint_kind_nq(model->joint_kind[j]) != 1) continue;
    const double *range = model->joint_range + 2 * j;
    double *of_joint = q + model->joint_q[j];
    *of_joint = fmin(fmax(*of_joint, range[0]), range[1]);
  }
}

// What stands on the world and carries the body.
static int root_of(const limpet_model *model, int body) {
  while (body > 0 && model->body_parent[body] > 0) body = model->body_parent[body];
  return body;
}

// Links of one robot. The world is no link.
static bool same_robot(const limpet_model *model, int a, int b) {
  return a > 0 && root_of(model, a) == root_of(model, b);
}

static void tell(limpet_builder *builder, const limpet_model *model, const int body[2],
                 double depth) {
  const char *name[2];
  char number[2][24], text[400];
  for (int k = 0; k < 2; ++k) {
    name[k] = limpet_model_name(model, LIMPET_OBJECT_BODY, body[k]);
    snprintf(number[k], sizeof number[k], "%d", body[k]);
    if (!name[k]) name[k] = number[k];
  }
  snprintf(
      text, sizeof text,
      "bodies '%.100s' and '%.100s' overlap by %.3g mm where the robot stands: they do not touch "
      "each other (exclude_overlaps)",
      name[0], name[1], 1e3 * depth);
  limpet_builder_add_note(builder, false, (limpet_place){0}, text);
}

// Depth [m] of a contact of two bodies; 0: of others, or they only touch.
static double overlap_of(const limpet_model *model, const limpet_data *data, int contact,
                         const int body[2]) {
  const int *geom = data->contact_geom + 2 * contact;
  const int a = model->geom_body[geom[0]], b = model->geom_body[geom[1]];
  const bool between = (a == body[0] && b == body[1]) || (a == body[1] && b == body[0]);
  const double depth = -data->contact_distance[contact];
  return between && depth > least ? depth : 0.0;
}

// Excludes the pairs of bodies of `count` contacts, each once. Returns how many.
static int exclude(limpet_builder *builder, const limpet_model *model, const limpet_data *data,
                   int count, const int *handle) {
  int excluded = 0;
  for (int i = 0; i < count; ++i) {
    const int *geom = data->contact_geom + 2 * i,
              body[2] = {model->geom_body[geom[0]], model->geom_body[geom[1]]};
    double depth = overlap_of(model, data, i, body);
    bool known = depth == 0.0 || !same_robot(model, body[0], body[1]);
    for (int k = 0; k < i && !known; ++k) known = overlap_of(model, data, k, body) > 0.0;
    if (known) continue;
    for (int k = i + 1; k < count; ++k) depth = fmax(depth, overlap_of(model, data, k, body));
    limpet_builder_add_exclude(builder, handle[body[0]], handle[body[1]]);
    tell(builder, model, body, depth);
    ++excluded;
  }
  return excluded;
}

limpet_status limpet_builder_exclude_overlaps(limpet_builder *builder, int *excluded,
                                              limpet_error *error) {
  assert(builder);
  limpet_status status = LIMPET_ERROR_MEMORY;
  limpet_model *model = limpet_builder_compile(builder, error);
  if (excluded) *excluded = 0;
  if (!model) return error ? error->status : LIMPET_ERROR_INPUT;
  const int bodies = model->body_count;
  limpet_data *data = limpet_data_create(model);
  int *handle = calloc(3 * (size_t)bodies, sizeof *handle);
  if (data && handle) {
    limpet_builder_order_bodies(builder, handle, handle + bodies);
    enter_limits(model, data->q);
    limpet_kinematics(model, data);
    limpet_geom_kinematics(model, data, false);
    const int count = limpet_contacts_find(model, data, true);
    if (count >= 0) {
      const int made = exclude(builder, model, data, count, handle);
      if (excluded) *excluded = made;
      status = LIMPET_OK;
    }
  }
  if (status != LIMPET_OK)
    limpet_error_fill_at(error, status, NULL, 0, 0, "no memory to look for links that overlap");
  free(handle);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return status;
}
