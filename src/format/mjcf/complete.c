/* format/mjcf/complete.c: what of a file only the compiled model knows: where the centre of mass of
 * a body lies on which its frame is to be aligned, and how long the transmission of a muscle can
 * become. Files that ask for either are compiled once more, before their keyframes are read. */
#include <stdio.h>

#include "base/error.h"
#include "format/mjcf/section.h"
#include "limpet/dynamics.h"
#include "math/quaternion.h"
#include "math/vec3.h"

// the pose of what is fixed to the body, in the new frame
typedef struct new_frame {
  double position[3], back[4];  // of the new frame in the old one; turn to the new one
} new_frame;

static void re_place(const new_frame *to, double position[3], double quaternion[4]) {
  double offset[3], turned[4];
  limpet_vec3_sub(offset, position, to->position);
  limpet_quaternion_rotate(position, to->back, offset);
  limpet_quaternion_mul(turned, to->back, quaternion);
  limpet_quaternion_copy(quaternion, turned);
}

static void re_place_loops(limpet_builder *builder, int body, const new_frame *to) {
  for (int i = 0; i < limpet_builder_count(builder, LIMPET_OBJECT_LOOP); ++i) {
    limpet_loop_description *loop = limpet_builder_loop(builder, i);
    if (loop->body_a == body) re_place(to, loop->position_a, loop->quaternion_a);
    if (loop->body_b == body) re_place(to, loop->position_b, loop->quaternion_b);
  }
}

// the frame of the body moves into its centre of mass and onto its principal axes
static void align(limpet_builder *builder, const limpet_model *model, int body, int index) {
  limpet_body_description *d = limpet_builder_body(builder, body);
  new_frame to;
  double moved[3], turned[4];
  limpet_vec3_copy(to.position, model->body_com + 3 * index);
  const double *axes = model->body_inertia_quaternion + 4 * index;
  limpet_quaternion_conjugate(to.back, axes);
  for (int g = 0; g < limpet_builder_count(builder, LIMPET_OBJECT_GEOM); ++g) {
    limpet_geom_description *geom = limpet_builder_geom(builder, g);
    if (geom->body == body) re_place(&to, geom->position, geom->quaternion);
  }
  for (int s = 0; s < limpet_builder_count(builder, LIMPET_OBJECT_SITE); ++s) {
    limpet_site_description *site = limpet_builder_site(builder, s);
    if (site->body == body) re_place(&to, site->position, site->quaternion);
  }
  for (int c = 0; c < limpet_builder_count(builder, LIMPET_OBJECT_CAMERA); ++c) {
    limpet_camera_description *camera = limpet_builder_camera(builder, c);
    if (camera->body == body) re_place(&to, camera->position, camera->quaternion);
  }
  re_place_loops(builder, body, &to);
  if (d->has_inertial) re_place(&to, d->com, d->inertia_quaternion);
  limpet_quaternion_rotate(moved, d->quaternion, to.position);
  limpet_vec3_add(d->position, d->position, moved);
  limpet_quaternion_mul(turned, d->quaternion, axes);
  limpet_quaternion_copy(d->quaternion, turned);
}

static bool has_children(limpet_builder *builder, int body) {
  for (int b = body + 1; b < limpet_builder_count(builder, LIMPET_OBJECT_BODY); ++b)
    if (limpet_builder_body(builder, b)->parent == body) return true;
  return false;
}

// a name by which an unnamed body is found in the model
static const char *mark(limpet_mjcf *m, int body) {
  char name[40];
  snprintf(name, sizeof name, "limpet: body %d", body);
  return limpet_reader_join(m->reader, name, "", "");
}

// the bodies whose free joints ask for it; those with children keep their frames
static void align_bodies(limpet_mjcf *m, const limpet_model *model) {
  limpet_builder *builder = m->reader->builder;
  for (const limpet_mjcf_aligned *a = m->aligned; a; a = a->next) {
    limpet_body_description *d = limpet_builder_body(builder, a->body);
    const int index = limpet_model_find(model, LIMPET_OBJECT_BODY, d->name);
    if (a->unnamed) d->name = NULL;
    if (!has_children(builder, a->body)) align(builder, model, a->body, index);
  }
}

static bool lacks_range(const limpet_actuator_description *d) {
  return (d->gain_law == LIMPET_ACTUATOR_MUSCLE || d->bias_law == LIMPET_ACTUATOR_MUSCLE) &&
         d->length_range[0] == d->length_range[1] && d->transmission != LIMPET_TRANSMISSION_BODY;
}

static bool any_lacks_range(limpet_builder *builder) {
  for (int i = 0; i < limpet_builder_count(builder, LIMPET_OBJECT_ACTUATOR); ++i)
    if (lacks_range(limpet_builder_actuator(builder, i))) return true;
  return false;
}

static void find_ranges(limpet_mjcf *m, const limpet_model *model) {
  for (int i = 0; i < model->actuator_count; ++i) {
    limpet_actuator_description *d = limpet_builder_actuator(m->reader->builder, i);
    if (!lacks_range(d)) continue;
    limpet_error error;
    if (limpet_actuator_length_range(model, i, d->length_range, &error) == LIMPET_OK) continue;
    limpet_error_fill_at(m->reader->error, LIMPET_ERROR_INPUT, d->place.file, d->place.line,
                         d->place.column, "actuator '%s': %s", d->name ? d->name : "",
                         error.message);
    limpet_reader_stop(m->reader, LIMPET_ERROR_INPUT);
  }
}

void limpet_mjcf_complete(limpet_mjcf *m) {
  limpet_builder *builder = m->reader->builder;
  if (!m->aligned && !any_lacks_range(builder)) return;
  for (limpet_mjcf_aligned *a = m->aligned; a; a = a->next) {
    limpet_body_description *d = limpet_builder_body(builder, a->body);
    a->unnamed = d->name == NULL;
    if (a->unnamed) d->name = mark(m, a->body);
  }
  limpet_model *model = limpet_builder_compile(builder, m->reader->error);
  if (!model) limpet_reader_stop(m->reader, LIMPET_ERROR_INPUT);
  m->compiled = model;
  find_ranges(m, model);
  align_bodies(m, model);
  m->compiled = NULL;
  limpet_model_destroy(model);
}
