/* record/replay.h: what a replay holds while it is collected. */
#ifndef LIMPET_RECORD_REPLAY_H
#define LIMPET_RECORD_REPLAY_H

#include "limpet/record.h"

enum {
  LIMPET_REPLAY_CONTACT_LIMIT = 256,  // contacts kept for a frame: the strongest
  LIMPET_REPLAY_COLLISION_GROUP = 3  // geoms of this group and above are no visual geometry if they
                                     // collide, as is usual in MJCF
};

typedef enum limpet_series {       // what is plotted
  LIMPET_SERIES_PENETRATION,       // [m]  largest since the frame before, as the next four
  LIMPET_SERIES_FORCE,             // [N]  sum of the normal forces
  LIMPET_SERIES_ITERATIONS,        // [-]
  LIMPET_SERIES_STEP_TIME,         // [s]  sum over the stages
  LIMPET_SERIES_CONTACTS,          // [-]  contacts with a force
  LIMPET_SERIES_KINETIC_ENERGY,    // [J]  at the frame, as the next two
  LIMPET_SERIES_POTENTIAL_ENERGY,  // [J]
  LIMPET_SERIES_CONTACT_ENERGY,    // [J]
  LIMPET_SERIES_COUNT
} limpet_series;

enum {
  LIMPET_SERIES_PEAK_COUNT = LIMPET_SERIES_KINETIC_ENERGY
};  // series before this one are peaks

typedef struct limpet_replay_frame {
  double time;           // [s]
  int contact_begin;     // first of its contacts
  int contact_count;     // how many of them are kept
  int contact_left_out;  // weaker ones that are not
  float series[LIMPET_SERIES_COUNT];
} limpet_replay_frame;

typedef struct limpet_replay_contact {
  float position[3];  // [m]  W
  float force[3];     // [N]  W, on B
  int16_t normal[3];  // from A to B, times 32767
  uint16_t padding;
  int32_t geom[2];  // A, B
} limpet_replay_contact;

struct limpet_replay {
  char *title;
  const char *scheme, *contact_model;  // "" without settings
  double time_step;                    // [s]  0 without settings
  double interval;                     // [s]  between frames; doubles whenever the limit is reached
  int limit;
  double start, due;  // [s]  time of the first frame, and when the next one is due
  float peak[LIMPET_SERIES_PEAK_COUNT];  // since the last frame

  int moving_count;
  int *moving_body;    // (moving_count)  bodies whose pose can change
  double *fixed_pose;  // (body_count x 7)  of all bodies in the first frame

  int frame_count, frame_capacity;
  limpet_replay_frame *frame;  // (frame_count)
  float *position;             // (frame_count x moving_count x 3)  [m]  W
  int16_t *quaternion;         // (frame_count x moving_count x 4)  W, times 32767
  int contact_count, contact_capacity;
  limpet_replay_contact *contact;  // (contact_count)
  int scratch_capacity;
  struct limpet_contact_rank *scratch;  // (scratch_capacity)  touching contacts of a frame
};

#endif
