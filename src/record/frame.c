/* record/frame.c: one picture, copied out of data: poses of the bodies that can move, and contacts
 * with a force, in world axes. Cost: that of the copy. */
#include "record/frame.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "math/vec3.h"

limpet_frame *limpet_frame_create(const limpet_scene *scene) {
  const size_t poses = (size_t)(scene->moving_count > 0 ? scene->moving_count : 1);
  limpet_frame *frame = calloc(1, sizeof *frame);
  if (!frame) return NULL;
  frame->position = calloc(3 * poses, sizeof *frame->position);
  frame->quaternion = calloc(4 * poses, sizeof *frame->quaternion);
  frame->skin =
      calloc(LIMPET_SKIN_NUMBERS * (size_t)scene->skin->vertex_count + 1, sizeof *frame->skin);
  frame->channel = calloc((size_t)scene->channels->count + 1, sizeof *frame->channel);
  if (frame->position && frame->quaternion && frame->skin && frame->channel) return frame;
  limpet_frame_destroy(frame);
  return NULL;
}

void limpet_frame_destroy(limpet_frame *frame) {
  if (!frame) return;
  free(frame->position);
  free(frame->quaternion);
  free(frame->skin);
  free(frame->channel);
  free(frame->contact);
  limpet_patches_free(&frame->patches);
  free(frame);
}

static limpet_frame_contact contact_of(const limpet_data *data, int contact) {
  const double *frame = &data->contact_frame[9 * contact];
  const double *force = &data->contact_force[3 * contact];
  limpet_frame_contact taken = {
      .area = data->contact_area[contact],
      .gap = data->contact_distance[contact],
      .slip = hypot(data->contact_velocity[3 * contact], data->contact_velocity[3 * contact + 1]),
      .friction = data->contact_friction[contact],
      .geom = {data->contact_geom[2 * contact], data->contact_geom[2 * contact + 1]}};
  for (int k = 0; k < 3; ++k) {
    taken.position[k] = data->contact_position[3 * contact + k];
    taken.force[k] = force[0] * frame[k] + force[1] * frame[3 + k] + force[2] * frame[6 + k];
    taken.normal[k] = frame[6 + k];
  }
  return taken;
}

limpet_status limpet_frame_take(limpet_frame *frame, const limpet_scene *scene,
                                const limpet_data *data) {
  assert(data->model == scene->model);
  frame->time = data->time;
  for (int m = 0; m < scene->moving_count; ++m) {
    const int b = scene->moving_body[m];
    memcpy(&frame->position[3 * m], &data->body_position[3 * b], 3 * sizeof(double));
    memcpy(&frame->quaternion[4 * m], &data->body_quaternion[4 * b], 4 * sizeof(double));
  }

  limpet_channels_take(scene->channels, data, frame->channel);
  if (scene->skin->vertex_count > 0) limpet_skin_take(scene->skin, data, frame->skin);

  frame->contact_count = 0;
  if (!limpet_grow(&frame->contact, &frame->contact_capacity, data->contact_count,
                   sizeof *frame->contact))
    return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < data->contact_count; ++i)
    if (limpet_vec3_norm(&data->contact_force[3 * i]) > 0.0)
      frame->contact[frame->contact_count++] = contact_of(data, i);
  return limpet_patches_take(&frame->patches, data);
}
