/* record/scene.c: which bodies of a model move, and where the others stand. */
#include "record/scene.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// a body is drawn in motion if something above it has a joint or is moved by the user
static bool body_moves(const limpet_model *model, int body) {
  for (int b = body; b > 0; b = model->body_parent[b])
    if (model->body_joint_count[b] > 0 || model->body_mocap[b] >= 0) return true;
  return false;
}

limpet_scene *limpet_scene_create(const limpet_model *model, const char *title,
                                  const limpet_replay_custom *custom) {
  limpet_scene *scene = calloc(1, sizeof *scene);
  if (!scene) return NULL;
  scene->model = model;
  scene->title = strdup(title ? title : model->name ? model->name : "");
  scene->moving_body = calloc((size_t)model->body_count, sizeof *scene->moving_body);
  scene->first_pose = calloc((size_t)model->body_count * 7, sizeof *scene->first_pose);
  scene->skin = limpet_skin_create(model);
  scene->channels = limpet_channels_create(model, custom);
  if (!scene->title || !scene->moving_body || !scene->first_pose || !scene->skin ||
      !scene->channels) {
    limpet_scene_destroy(scene);
    return NULL;
  }
  for (int b = 1; b < model->body_count; ++b)
    if (body_moves(model, b)) scene->moving_body[scene->moving_count++] = b;
  return scene;
}

void limpet_scene_destroy(limpet_scene *scene) {
  if (!scene) return;
  free(scene->title);
  free(scene->moving_body);
  free(scene->first_pose);
  limpet_skin_destroy(scene->skin);
  limpet_channels_destroy(scene->channels);
  free(scene);
}

void limpet_scene_place(limpet_scene *scene, const limpet_data *data) {
  assert(data->model == scene->model);
  for (int b = 0; b < scene->model->body_count; ++b) {
    memcpy(&scene->first_pose[7 * b], &data->body_position[3 * b], 3 * sizeof(double));
    memcpy(&scene->first_pose[7 * b + 3], &data->body_quaternion[4 * b], 4 * sizeof(double));
  }
}

limpet_run_facts limpet_run_facts_of(const limpet_step_settings *settings) {
  limpet_run_facts facts = {.scheme = "", .contact_model = ""};
  if (!settings) return facts;
  facts.time_step = settings->time_step;
  if (settings->scheme) facts.scheme = limpet_scheme_descriptor(settings->scheme)->name;
  if (settings->contact_model)
    facts.contact_model = limpet_contact_model_descriptor(settings->contact_model)->name;
  return facts;
}
