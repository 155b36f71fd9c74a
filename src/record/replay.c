/* record/replay.c: collecting the frames of a replay.
 *
 * A frame holds the poses of the bodies that can move (position in single precision, quaternion in
 * 16-bit integers: 3e-5 rad), its contacts with a force (the strongest
 * LIMPET_REPLAY_CONTACT_LIMIT), and one value of each plotted series. Series of events that a frame
 * can miss (penetration, force, iterations, time) keep their largest value since the frame before.
 * When the frames reach the limit every second one is dropped and the interval doubles, so that
 * memory and file stay bounded for any length of run: the cost is that of copying each frame once.
 * Memory grows by doubling. */
#include "record/replay.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/vec3.h"

typedef struct limpet_contact_rank {
  double force;  // [N]  magnitude
  int contact;
} limpet_contact_rank;

limpet_replay_options limpet_replay_options_default(void) {
  return (limpet_replay_options){
      .title = NULL, .settings = NULL, .frame_interval = 1.0 / 60.0, .frame_limit = 3000};
}

// ------------------------------------------------------------------------------ create, destroy

// a body is drawn in motion if something above it has a joint or is moved by the user
static bool body_moves(const limpet_model *model, int body) {
  for (int b = body; b > 0; b = model->body_parent[b])
    if (model->body_joint_count[b] > 0 || model->body_mocap[b] >= 0) return true;
  return false;
}

static bool replay_find_moving(limpet_replay *replay, const limpet_model *model) {
  replay->moving_body = calloc((size_t)model->body_count, sizeof *replay->moving_body);
  replay->fixed_pose = calloc((size_t)model->body_count * 7, sizeof *replay->fixed_pose);
  if (!replay->moving_body || !replay->fixed_pose) return false;
  for (int b = 1; b < model->body_count; ++b)
    if (body_moves(model, b)) replay->moving_body[replay->moving_count++] = b;
  return true;
}

static void replay_describe(limpet_replay *replay, const limpet_step_settings *settings) {
  replay->scheme = replay->contact_model = "";
  if (!settings) return;
  replay->time_step = settings->time_step;
  if (settings->scheme) replay->scheme = limpet_scheme_descriptor(settings->scheme)->name;
  if (settings->contact_model)
    replay->contact_model = limpet_contact_model_descriptor(settings->contact_model)->name;
}

limpet_replay *limpet_replay_create(const limpet_model *model,
                                    const limpet_replay_options *options) {
  const limpet_replay_options chosen = options ? *options : limpet_replay_options_default();
  limpet_replay *replay = calloc(1, sizeof *replay);
  if (!replay) return NULL;
  const char *title = chosen.title ? chosen.title : model->name ? model->name : "";
  replay->title = strdup(title);
  replay->interval = chosen.frame_interval > 0.0 ? chosen.frame_interval : 0.0;
  replay->limit = chosen.frame_limit < 4
                      ? 4
                      : chosen.frame_limit - chosen.frame_limit % 2;  // even: see replay_thin
  replay_describe(replay, chosen.settings);
  if (replay->title && replay_find_moving(replay, model)) return replay;
  limpet_replay_destroy(replay);
  return NULL;
}

void limpet_replay_destroy(limpet_replay *replay) {
  if (!replay) return;
  free(replay->title);
  free(replay->moving_body);
  free(replay->fixed_pose);
  free(replay->frame);
  free(replay->position);
  free(replay->quaternion);
  free(replay->contact);
  free(replay->scratch);
  free(replay);
}

// ---------------------------------------------------------------------------------------- memory

// room for `needed` elements in *array, doubling; false when there is no memory, and everything is
// as before
static bool grow(void *array, int *capacity, int needed, size_t element) {
  if (needed <= *capacity) return true;
  const int larger = 2 * needed > 64 ? 2 * needed : 64;
  void *moved = realloc(*(void **)array, (size_t)larger * element);
  if (!moved) return false;
  *(void **)array = moved;
  *capacity = larger;
  return true;
}

// the three arrays of a frame share one capacity, which counts only when all have grown
static bool grow_frames(limpet_replay *replay) {
  const int needed = replay->frame_count + 1;
  if (needed <= replay->frame_capacity) return true;
  const size_t poses = (size_t)(replay->moving_count > 0 ? replay->moving_count : 1);
  int frames = replay->frame_capacity, positions = frames, quaternions = frames;
  if (!grow(&replay->frame, &frames, needed, sizeof *replay->frame)) return false;
  if (!grow(&replay->position, &positions, needed, 3 * poses * sizeof *replay->position))
    return false;
  if (!grow(&replay->quaternion, &quaternions, needed, 4 * poses * sizeof *replay->quaternion))
    return false;
  replay->frame_capacity = frames;
  return true;
}

// ---------------------------------------------------------------------------------------- append

static double total_normal_force(const limpet_data *data) {
  double sum = 0.0;
  for (int i = 0; i < data->contact_count; ++i) sum += data->contact_force[3 * i + 2];
  return sum;
}

static void keep_peak(float *peak, double value) {
  if (value > (double)*peak) *peak = (float)value;
}

static void replay_keep_peaks(limpet_replay *replay, const limpet_data *data) {
  const limpet_step_info *info = &data->info;
  double step_time = 0.0;
  for (int s = 0; s < LIMPET_STAGE_COUNT; ++s) step_time += info->stage_time[s];
  keep_peak(&replay->peak[LIMPET_SERIES_PENETRATION], info->deepest_penetration);
  keep_peak(&replay->peak[LIMPET_SERIES_FORCE], total_normal_force(data));
  keep_peak(&replay->peak[LIMPET_SERIES_ITERATIONS], info->iterations);
  keep_peak(&replay->peak[LIMPET_SERIES_STEP_TIME], step_time);
  keep_peak(&replay->peak[LIMPET_SERIES_CONTACTS], info->touching_count);
}

static int16_t quantised(double unit) {
  const double scaled = 32767.0 * unit;
  if (!(scaled > -32767.0)) return -32767;
  return (int16_t)lround(scaled < 32767.0 ? scaled : 32767.0);
}

static void replay_keep_poses(limpet_replay *replay, const limpet_model *model,
                              const limpet_data *data) {
  const size_t first = (size_t)replay->frame_count * (size_t)replay->moving_count;
  for (int m = 0; m < replay->moving_count; ++m) {
    const size_t slot = first + (size_t)m;
    const double *position = &data->body_position[3 * replay->moving_body[m]];
    const double *quaternion = &data->body_quaternion[4 * replay->moving_body[m]];
    for (size_t k = 0; k < 3; ++k) replay->position[3 * slot + k] = (float)position[k];
    for (size_t k = 0; k < 4; ++k) replay->quaternion[4 * slot + k] = quantised(quaternion[k]);
  }

  // bodies that never move are drawn where the first frame finds them
  if (replay->frame_count > 0) return;
  for (int b = 0; b < model->body_count; ++b) {
    memcpy(&replay->fixed_pose[7 * b], &data->body_position[3 * b], 3 * sizeof(double));
    memcpy(&replay->fixed_pose[7 * b + 3], &data->body_quaternion[4 * b], 4 * sizeof(double));
  }
}

// strongest first; equal ones in the order of contacts
static int compare_ranks(const void *left, const void *right) {
  const limpet_contact_rank *a = left, *b = right;
  if (a->force != b->force) return a->force < b->force ? 1 : -1;
  return a->contact - b->contact;
}

static void keep_contact(limpet_replay_contact *kept, const limpet_data *data, int contact) {
  const double *frame = &data->contact_frame[9 * contact];
  const double *force = &data->contact_force[3 * contact];
  for (int k = 0; k < 3; ++k) {
    kept->position[k] = (float)data->contact_position[3 * contact + k];
    kept->force[k] =
        (float)(force[0] * frame[k] + force[1] * frame[3 + k] + force[2] * frame[6 + k]);
    kept->normal[k] = quantised(frame[6 + k]);
  }
  kept->padding = 0;
  kept->geom[0] = data->contact_geom[2 * contact];
  kept->geom[1] = data->contact_geom[2 * contact + 1];
}

static bool replay_keep_contacts(limpet_replay *replay, const limpet_data *data,
                                 limpet_replay_frame *frame) {
  if (!grow(&replay->scratch, &replay->scratch_capacity, data->contact_count,
            sizeof *replay->scratch))
    return false;
  int touching = 0;
  for (int i = 0; i < data->contact_count; ++i) {
    const double force = limpet_vec3_norm(&data->contact_force[3 * i]);
    if (force > 0.0)
      replay->scratch[touching++] = (limpet_contact_rank){.force = force, .contact = i};
  }
  int kept = touching;
  if (touching > LIMPET_REPLAY_CONTACT_LIMIT) {
    qsort(replay->scratch, (size_t)touching, sizeof *replay->scratch, compare_ranks);
    kept = LIMPET_REPLAY_CONTACT_LIMIT;
  }

  if (!grow(&replay->contact, &replay->contact_capacity, replay->contact_count + kept,
            sizeof *replay->contact))
    return false;
  frame->contact_begin = replay->contact_count;
  frame->contact_count = kept;
  frame->contact_left_out = touching - kept;
  for (int i = 0; i < kept; ++i)
    keep_contact(&replay->contact[replay->contact_count + i], data, replay->scratch[i].contact);
  return true;
}

static bool replay_take(limpet_replay *replay, const limpet_model *model, limpet_data *data) {
  limpet_replay_frame frame = {.time = data->time};
  if (!grow_frames(replay) || !replay_keep_contacts(replay, data, &frame)) return false;
  limpet_kinematics(model, data);
  replay_keep_poses(replay, model, data);

  memcpy(frame.series, replay->peak, sizeof replay->peak);
  memset(replay->peak, 0, sizeof replay->peak);
  frame.series[LIMPET_SERIES_KINETIC_ENERGY] = (float)data->info.kinetic_energy;
  frame.series[LIMPET_SERIES_POTENTIAL_ENERGY] = (float)data->info.potential_energy;
  frame.series[LIMPET_SERIES_CONTACT_ENERGY] = (float)data->info.contact_energy;
  if (data->step_count == 0)  // nothing is known of the start but its pose
    for (int s = 0; s < LIMPET_SERIES_COUNT; ++s) frame.series[s] = NAN;
  replay->frame[replay->frame_count++] = frame;
  replay->contact_count += frame.contact_count;
  return true;
}

/* Drops every second frame; the peaks of a dropped one go to its successor. With an even limit the
 * frame that is about to be taken falls on the new interval. */
static void replay_thin(limpet_replay *replay) {
  const size_t poses = (size_t)replay->moving_count;
  int contact_count = 0;
  for (int i = 0; 2 * i < replay->frame_count; ++i) {
    limpet_replay_frame frame = replay->frame[2 * i];
    if (i > 0)
      for (int s = 0; s < LIMPET_SERIES_PEAK_COUNT; ++s)
        keep_peak(&frame.series[s], (double)replay->frame[2 * i - 1].series[s]);

    const size_t to = (size_t)i * poses, from = 2 * to;
    memmove(&replay->position[3 * to], &replay->position[3 * from],
            3 * poses * sizeof *replay->position);
    memmove(&replay->quaternion[4 * to], &replay->quaternion[4 * from],
            4 * poses * sizeof *replay->quaternion);
    if (frame.contact_count > 0)
      memmove(&replay->contact[contact_count], &replay->contact[frame.contact_begin],
              (size_t)frame.contact_count * sizeof *replay->contact);
    frame.contact_begin = contact_count;
    contact_count += frame.contact_count;
    replay->frame[i] = frame;
  }
  // the peaks of a last frame that is dropped go to the frame to come
  if (replay->frame_count % 2 == 0)
    for (int s = 0; s < LIMPET_SERIES_PEAK_COUNT; ++s)
      keep_peak(&replay->peak[s], (double)replay->frame[replay->frame_count - 1].series[s]);
  replay->frame_count = (replay->frame_count + 1) / 2;
  replay->contact_count = contact_count;
  replay->interval *= 2.0;
}

limpet_status limpet_replay_append(limpet_replay *replay, const limpet_model *model,
                                   limpet_data *data) {
  assert(replay && data->model == model);
  replay_keep_peaks(replay, data);
  if (replay->frame_count == 0) replay->start = replay->due = data->time;

  // a step that ends within a millionth of the interval of the due time counts
  if (data->time < replay->due - 1e-6 * replay->interval) return LIMPET_OK;
  if (replay->frame_count == replay->limit) replay_thin(replay);
  if (!replay_take(replay, model, data)) return LIMPET_ERROR_MEMORY;
  if (replay->interval > 0.0)
    replay->due =
        replay->start +
        replay->interval * (floor((data->time - replay->start) / replay->interval + 1e-6) + 1.0);
  return LIMPET_OK;
}
