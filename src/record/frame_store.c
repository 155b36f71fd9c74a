/* record/frame_store.c: frames in few bytes: positions in single precision, quaternions in 16-bit
 * integers (3e-5 rad), the strongest contacts, one number for each signal. Memory grows by
 * doubling. */
#include "record/frame_store.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "math/vec3.h"

typedef struct limpet_contact_rank {
  double force;  // [N]  magnitude
  int contact;
} limpet_contact_rank;

void limpet_frame_store_free(limpet_frame_store *store) {
  free(store->frame);
  free(store->position);
  free(store->quaternion);
  free(store->skin);
  free(store->channel);
  free(store->contact);
  free(store->rank);
  free(store->polygon_size);
  free(store->corner);
  memset(store, 0, sizeof *store);
}

void limpet_frame_store_clear(limpet_frame_store *store) {
  store->frame_count = 0;
  store->contact_count = 0;
  store->polygon_count = 0;
  store->corner_count = 0;
}

// the arrays of a frame share one capacity, which counts only when all have grown
static bool grow_frames(limpet_frame_store *store) {
  const int needed = store->frame_count + 1;
  const size_t poses = (size_t)(store->moving_count > 0 ? store->moving_count : 1);
  const size_t skin = LIMPET_SKIN_NUMBERS * (size_t)store->skin_count * sizeof *store->skin;
  const size_t channel = (size_t)store->channel_count * sizeof *store->channel;
  int frames = store->frame_capacity, positions = frames, quaternions = frames, skins = frames,
      channels = frames;
  if (!limpet_grow(&store->frame, &frames, needed, sizeof *store->frame)) return false;
  if (!limpet_grow(&store->position, &positions, needed, 3 * poses * sizeof *store->position))
    return false;
  if (!limpet_grow(&store->quaternion, &quaternions, needed, 4 * poses * sizeof *store->quaternion))
    return false;
  if (skin > 0 && !limpet_grow(&store->skin, &skins, needed, skin)) return false;
  if (channel > 0 && !limpet_grow(&store->channel, &channels, needed, channel)) return false;
  store->frame_capacity = frames;
  return true;
}

// -1 to 1 in 16 bits
static int16_t quantised(double unit) {
  const double range = 32767.0, scaled = range * unit;
  if (!(scaled > -range)) return (int16_t)-range;
  return (int16_t)lround(scaled < range ? scaled : range);
}

static void keep_poses(limpet_frame_store *store, const limpet_frame *frame) {
  const size_t count = (size_t)store->moving_count, first = (size_t)store->frame_count * count;
  for (size_t k = 0; k < 3 * count; ++k) store->position[3 * first + k] = (float)frame->position[k];
  for (size_t k = 0; k < 4 * count; ++k)
    store->quaternion[4 * first + k] = quantised(frame->quaternion[k]);
  const size_t skin = LIMPET_SKIN_NUMBERS * (size_t)store->skin_count;
  if (skin > 0)
    memcpy(store->skin + (size_t)store->frame_count * skin, frame->skin,
           skin * sizeof *store->skin);
  const size_t channels = (size_t)store->channel_count;
  if (channels > 0)
    memcpy(store->channel + (size_t)store->frame_count * channels, frame->channel,
           channels * sizeof *store->channel);
}

// strongest first; equal ones in the order of contacts
static int compare_ranks(const void *left, const void *right) {
  const limpet_contact_rank *a = left, *b = right;
  if (a->force != b->force) return a->force < b->force ? 1 : -1;
  return a->contact - b->contact;
}

static limpet_stored_contact stored(const limpet_frame_contact *contact) {
  limpet_stored_contact kept = {.geom = {contact->geom[0], contact->geom[1]},
                                .area = (float)contact->area,
                                .gap = (float)contact->gap,
                                .slip = (float)contact->slip,
                                .friction = (float)contact->friction};
  for (int k = 0; k < 3; ++k) {
    kept.position[k] = (float)contact->position[k];
    kept.force[k] = (float)contact->force[k];
    kept.normal[k] = quantised(contact->normal[k]);
  }
  return kept;
}

// all contacts in their order, or the strongest if there are too many
static bool keep_contacts(limpet_frame_store *store, const limpet_frame *frame,
                          limpet_stored_frame *record) {
  const int count = frame->contact_count;
  const int kept = count < LIMPET_STORED_CONTACT_LIMIT ? count : LIMPET_STORED_CONTACT_LIMIT;
  if (!limpet_grow(&store->rank, &store->rank_capacity, count, sizeof *store->rank) ||
      !limpet_grow(&store->contact, &store->contact_capacity, store->contact_count + kept,
                   sizeof *store->contact))
    return false;
  for (int i = 0; i < count; ++i)
    store->rank[i] = (limpet_contact_rank){limpet_vec3_norm(frame->contact[i].force), i};
  if (kept < count) qsort(store->rank, (size_t)count, sizeof *store->rank, compare_ranks);

  record->contact_begin = store->contact_count;
  record->contact_count = kept;
  record->contact_left_out = count - kept;
  for (int i = 0; i < kept; ++i)
    store->contact[store->contact_count + i] = stored(&frame->contact[store->rank[i].contact]);
  return true;
}

// the polygons of the contact surfaces, in their order, as many as there is room for
static bool keep_patches(limpet_frame_store *store, const limpet_patches *patches,
                         limpet_stored_frame *record) {
  int polygons = 0, corners = 0;
  while (polygons < patches->polygon_count &&
         corners + patches->size[polygons] <= LIMPET_STORED_CORNER_LIMIT)
    corners += patches->size[polygons++];
  if (!limpet_grow(&store->polygon_size, &store->polygon_capacity, store->polygon_count + polygons,
                   sizeof *store->polygon_size) ||
      !limpet_grow(&store->corner, &store->corner_capacity, store->corner_count + corners,
                   sizeof *store->corner))
    return false;
  record->polygon_begin = store->polygon_count, record->polygon_count = polygons;
  record->corner_begin = store->corner_count, record->corner_count = corners;
  for (int k = 0; k < polygons; ++k)
    store->polygon_size[store->polygon_count + k] = (uint16_t)patches->size[k];
  for (int k = 0; k < corners; ++k) {
    limpet_stored_corner *corner = &store->corner[store->corner_count + k];
    for (int i = 0; i < 3; ++i) corner->position[i] = (float)patches->vertex[3 * k + i];
    corner->pressure = (float)patches->pressure[k];
  }
  return true;
}

limpet_status limpet_frame_store_append(limpet_frame_store *store, const limpet_frame *frame) {
  limpet_stored_frame record = {.time = frame->time, .outcome = frame->outcome};
  if (!grow_frames(store) || !keep_contacts(store, frame, &record) ||
      !keep_patches(store, &frame->patches, &record))
    return LIMPET_ERROR_MEMORY;
  keep_poses(store, frame);
  for (int s = 0; s < LIMPET_SIGNAL_COUNT; ++s) record.signal[s] = (float)frame->signal[s];
  store->contact_count += record.contact_count;
  store->polygon_count += record.polygon_count;
  store->corner_count += record.corner_count;
  store->frame[store->frame_count++] = record;
  return LIMPET_OK;
}

// ----------------------------------------------------------------------------------------- halve

// what happened at frame `from` counts as having happened at `to`
static void pass_events(limpet_stored_frame *to, const limpet_stored_frame *from) {
  for (int s = 0; s < LIMPET_SIGNAL_PEAK_COUNT; ++s)
    if (from->signal[s] > to->signal[s]) to->signal[s] = from->signal[s];
  if (from->outcome > to->outcome) to->outcome = from->outcome;
}

// polygons and corners of frame `from` follow those of the frame before `to`
static void move_patches(limpet_frame_store *store, int to, limpet_stored_frame *record) {
  const limpet_stored_frame *before = to > 0 ? &store->frame[to - 1] : NULL;
  const int polygon = before ? before->polygon_begin + before->polygon_count : 0;
  const int corner = before ? before->corner_begin + before->corner_count : 0;
  if (record->polygon_count > 0) {
    memmove(&store->polygon_size[polygon], &store->polygon_size[record->polygon_begin],
            (size_t)record->polygon_count * sizeof *store->polygon_size);
    memmove(&store->corner[corner], &store->corner[record->corner_begin],
            (size_t)record->corner_count * sizeof *store->corner);
  }
  record->polygon_begin = polygon, record->corner_begin = corner;
}

// frame `from` becomes frame `to`, which is not after it; contacts lie without gaps
static void move_frame(limpet_frame_store *store, int to, int from) {
  const size_t poses = (size_t)store->moving_count;
  const size_t target = (size_t)to * poses, source = (size_t)from * poses;
  memmove(&store->position[3 * target], &store->position[3 * source],
          3 * poses * sizeof *store->position);
  memmove(&store->quaternion[4 * target], &store->quaternion[4 * source],
          4 * poses * sizeof *store->quaternion);
  const size_t skin = LIMPET_SKIN_NUMBERS * (size_t)store->skin_count;
  if (skin > 0)
    memmove(store->skin + (size_t)to * skin, store->skin + (size_t)from * skin,
            skin * sizeof *store->skin);
  const size_t channels = (size_t)store->channel_count;
  if (channels > 0)
    memmove(store->channel + (size_t)to * channels, store->channel + (size_t)from * channels,
            channels * sizeof *store->channel);
  limpet_stored_frame record = store->frame[from];
  const int begin =
      to > 0 ? store->frame[to - 1].contact_begin + store->frame[to - 1].contact_count : 0;
  if (record.contact_count > 0)
    memmove(&store->contact[begin], &store->contact[record.contact_begin],
            (size_t)record.contact_count * sizeof *store->contact);
  record.contact_begin = begin;
  move_patches(store, to, &record);
  store->frame[to] = record;
}

void limpet_frame_store_halve(limpet_frame_store *store, double peak[LIMPET_SIGNAL_COUNT],
                              limpet_outcome *worst) {
  assert(store->frame_count > 0);
  const int count = store->frame_count, kept = (count + 1) / 2;
  for (int f = 1; f + 1 < count; f += 2) pass_events(&store->frame[f + 1], &store->frame[f]);
  if (count % 2 == 0) {
    const limpet_stored_frame *last = &store->frame[count - 1];
    for (int s = 0; s < LIMPET_SIGNAL_PEAK_COUNT; ++s)
      if ((double)last->signal[s] > peak[s]) peak[s] = (double)last->signal[s];
    if (last->outcome > *worst) *worst = last->outcome;
  }
  for (int i = 0; i < kept; ++i) move_frame(store, i, 2 * i);
  store->frame_count = kept;
  store->contact_count =
      store->frame[kept - 1].contact_begin + store->frame[kept - 1].contact_count;
  store->polygon_count =
      store->frame[kept - 1].polygon_begin + store->frame[kept - 1].polygon_count;
  store->corner_count = store->frame[kept - 1].corner_begin + store->frame[kept - 1].corner_count;
}
