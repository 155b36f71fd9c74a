/* cli/bench_scene.c: the scenes of `limpet bench`, on which other simulators were measured too
 * (docs/cli.md says how).
 *
 * All files are robots and scenes as other people publish them; they lie beside the project, where
 * LIMPET_SHARED says. The grasp is the Panda with a force in place of its finger servo, friction
 * 0.5 everywhere, and a cube of 50 mm and 0.2 kg between the pads. */
#include "bench_scene.h"
#include "loading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "command.h"
#include "progress.h"
#include "text_file.h"

// ------------------------------------------------------------------------------ start states

// Home plus 0.2 rad in every arm joint; the servos pull it back, so nothing is at rest.
void limpet_bench_panda_start(const limpet_model *model, limpet_data *data) {
  (void)model;
  for (int i = 0; i < 7; ++i) data->q[i] += 0.2;
}

// World pose of a point fixed to a body.
static void body_point(const limpet_data *data, int body, const double local[3], double world[3]) {
  const double *rotation = data->body_rotation + 9 * body;
  for (int i = 0; i < 3; ++i) {
    world[i] = data->body_position[3 * body + i];
    for (int k = 0; k < 3; ++k) world[i] += rotation[3 * i + k] * local[k];
  }
}

// Arm stretched out, pads 0.2 mm from the cube, servos at rest, 10 N on each finger (the tendon has
// coefficients of one half).
void limpet_bench_grasp_start(const limpet_model *model, limpet_data *data) {
  static const double arm[7] = {0.0, 0.3, 0.0, -2.1, 0.0, 2.4, -0.7853},
                      between_pads[3] = {0.0, 0.0, 0.1029};
  for (int i = 0; i < 7; ++i) data->q[i] = data->control[i] = arm[i];
  data->q[7] = data->q[8] = 0.0237;
  data->control[7] = -20.0;
  limpet_kinematics(model, data);
  const int hand = limpet_model_find(model, LIMPET_OBJECT_BODY, "hand");
  const int cube = limpet_model_find(model, LIMPET_OBJECT_BODY, "cube");
  double *pose = data->q + model->joint_q[model->body_joint[cube]];
  body_point(data, hand, between_pads, pose);
  memcpy(pose + 3, data->body_quaternion + 4 * hand, 4 * sizeof *pose);
}

// --------------------------------------------------------------------------- the edited Panda

/* Copies up to `from`, writes `instead`, and skips up to and with `to`. Returns the rest, or
 * NULL when one of the marks is missing. */
static const char *text_replace(limpet_text *builder, const char *text, const char *from,
                                const char *to, const char *instead) {
  const char *begin = text ? strstr(text, from) : NULL, *end = begin ? strstr(begin, to) : NULL;
  if (!end) return NULL;
  limpet_text_append(builder, text, (size_t)(begin - text));
  limpet_text_append(builder, instead, strlen(instead));
  return end + strlen(to);
}

char *limpet_bench_grasp_edit(const char *text, const char *folder) {
  char compiler[LIMPET_PATH_SIZE + 64];
  limpet_text builder = {0};
  snprintf(compiler, sizeof compiler, "meshdir=\"%s/assets\"", folder);
  text = text_replace(&builder, text, "meshdir=\"assets\"", "\"assets\"", compiler);
  text =
      text_replace(&builder, text, "<default>", "<default>", "<default><geom friction=\"0.5\"/>");
  text = text_replace(&builder, text, "</worldbody>", "</worldbody>",
                      "<body name=\"cube\"><freejoint/><geom type=\"box\" size=\".025 .025 .025\" "
                      "mass=\"0.2\"/></body></worldbody>");
  text = text_replace(&builder, text, "<general class=\"panda\" name=\"actuator8\"", "/>",
                      "<motor name=\"actuator8\" tendon=\"split\"/>");
  text = text_replace(&builder, text, "<keyframe>", "</keyframe>", "");
  if (text) limpet_text_append(&builder, text, strlen(text));
  if (text) return builder.text;
  free(builder.text);
  return NULL;
}

const limpet_bench_scene limpet_bench_scenes[LIMPET_BENCH_SCENE_COUNT] = {
    {"panda", "Panda, free, 0.2 rad from home", "models/menagerie/franka_emika_panda/panda.xml",
     "home", 0.0, 0, NULL, limpet_bench_panda_start},
    {"panda_grasp", "Panda holds a 50 mm cube with 10 N",
     "models/menagerie/franka_emika_panda/panda.xml", NULL, 0.5, 100, limpet_bench_grasp_edit,
     limpet_bench_grasp_start},
    {"humanoid", "humanoid, 27 velocities, lying", "models/mjcf/model/humanoid/humanoid.xml", NULL,
     4.0, 100, NULL, NULL},
    {"g1", "Unitree G1, 43 velocities, standing", "models/menagerie/unitree_g1/scene.xml", "stand",
     0.2, 50, NULL, NULL},
    {"clutter100", "100 spheres, boxes, capsules in a bin", "scenes-peers/clutter100.xml", NULL,
     3.0, 100, NULL, NULL},
    {"pile216", "216 cubes in a bin", "scenes-peers/pile216.xml", NULL, 5.0, 100, NULL, NULL},
};

// ------------------------------------------------------------------------------------- opening

// Writes the edited copy of the scene's file, to be loaded in place of it.
static bool copy_edit(limpet_bench_world *world) {
  char folder[LIMPET_PATH_SIZE];
  char *resolved = realpath(world->path, NULL);
  snprintf(folder, sizeof folder, "%s", resolved ? resolved : world->path);
  free(resolved);
  char *slash = strrchr(folder, '/');
  if (slash) *slash = '\0';
  char *text = world->scene->file ? limpet_text_read(world->path) : NULL;
  char *edited = text || !world->scene->file ? world->scene->edit(text, folder) : NULL;
  free(text);
  if (!edited) return false;

  const char *temporary = getenv("TMPDIR");
  snprintf(world->path, sizeof world->path, "%s/limpet_%s_%ld.xml", temporary ? temporary : "/tmp",
           world->scene->name, (long)getpid());
  FILE *file = fopen(world->path, "wx");
  world->temporary = file != NULL;
  const bool written = file && fputs(edited, file) != EOF;
  const bool closed = file && fclose(file) == 0;
  free(edited);
  return written && closed;
}

static bool world_load(limpet_bench_world *world) {
  if (world->scene->edit && !copy_edit(world)) {
    limpet_complain("%s: %s is not the file that this scene is made from", world->scene->name,
                    world->path);
    return false;
  }
  const double start = limpet_wall_time();
  world->model = limpet_model_open(world->path, NULL, false, NULL);
  world->load_time = limpet_wall_time() - start;
  return world->model != NULL;
}

static bool world_settle(limpet_bench_world *world) {
  const limpet_bench_scene *scene = world->scene;
  world->data = limpet_data_create(world->model);
  world->state = calloc((size_t)limpet_data_state_size(world->model), sizeof *world->state);
  if (!world->data || !world->state) {
    limpet_complain("%s: not enough memory", scene->name);
    return false;
  }
  if (scene->keyframe) {
    const int keyframe = limpet_keyframe_open(world->model, world->path, scene->keyframe);
    if (keyframe == LIMPET_NONE) return false;
    limpet_data_reset_keyframe(world->model, world->data, keyframe);
  }
  if (scene->prepare) scene->prepare(world->model, world->data);
  world->settings = limpet_step_settings_default(world->model);
  world->settings.time_step = LIMPET_BENCH_TIME_STEP;
  limpet_progress progress = limpet_progress_begin(scene->settle, false);
  for (int i = 0; (double)i * LIMPET_BENCH_TIME_STEP < scene->settle; ++i) {
    const limpet_outcome outcome = limpet_step(world->model, world->data, &world->settings);
    if (limpet_outcome_failed(outcome)) {
      limpet_progress_end(&progress);
      limpet_complain("%s: stopped while settling, at %g s: %s", scene->name, world->data->time,
                      limpet_outcome_word(outcome));
      return false;
    }
    limpet_progress_show(&progress, world->data->time);
  }
  limpet_progress_end(&progress);
  limpet_data_state_read(world->model, world->data, world->state);
  return true;
}

limpet_bench_readiness limpet_bench_open(limpet_bench_world *world,
                                         const limpet_bench_scene *scene) {
  *world = (limpet_bench_world){.scene = scene};
  const char *shared = getenv("LIMPET_SHARED");
  if (!scene->file)
    return world_load(world) && world_settle(world)
               ? LIMPET_BENCH_READY
               : (limpet_bench_close(world), LIMPET_BENCH_FAILED);
  snprintf(world->path, sizeof world->path, "%s/%s", shared && *shared ? shared : "../shared",
           scene->file);
  if (access(world->path, R_OK) != 0) {
    fprintf(stderr, "%s: skipped: no file %s (LIMPET_SHARED says where the models are)\n",
            scene->name, world->path);
    return LIMPET_BENCH_SKIPPED;
  }
  if (world_load(world) && world_settle(world)) return LIMPET_BENCH_READY;
  limpet_bench_close(world);
  return LIMPET_BENCH_FAILED;
}

void limpet_bench_close(limpet_bench_world *world) {
  if (world->temporary) unlink(world->path);
  if (world->data) limpet_data_destroy(world->data);
  if (world->model) limpet_model_destroy(world->model);
  free(world->state);
  *world = (limpet_bench_world){0};
}
