/* record/frame_store.h: frames in memory, encoded as a file carries them. */
#ifndef LIMPET_RECORD_FRAME_STORE_H
#define LIMPET_RECORD_FRAME_STORE_H

#include "record/frame.h"

enum {
  LIMPET_STORED_CONTACT_LIMIT = 16384,  // contacts kept for a frame: the strongest
  LIMPET_STORED_CORNER_LIMIT = 16384    // corners of contact surfaces kept for a frame: the first
};

typedef struct limpet_stored_frame {
  double time;           // [s]
  int contact_begin;     // first of its contacts
  int contact_count;     // how many of them are kept
  int contact_left_out;  // weaker ones that are not
  int polygon_begin;     // first polygon of its contact surfaces
  int polygon_count;
  int corner_begin;  // first corner of these
  int corner_count;
  limpet_outcome outcome;
  float signal[LIMPET_SIGNAL_COUNT];
} limpet_stored_frame;

typedef struct limpet_stored_contact {
  float position[3];  // [m]  W
  float force[3];     // [N]  W, on B
  int16_t normal[3];  // from A to B, times 32767
  uint16_t padding;
  int32_t geom[2];  // A, B
  float area;       // [m^2]  0: no contact surface
  float gap;        // [m]  negative inside
  float slip;       // [m/s]
  float friction;   // [-]
} limpet_stored_contact;

// A corner of a contact surface.
typedef struct limpet_stored_corner {
  float position[3];  // [m]  W
  float pressure;     // [Pa]
} limpet_stored_corner;

// All zero: empty.
typedef struct limpet_frame_store {
  int moving_count;   // bodies of a frame
  int skin_count;     // vertices of skins of a frame
  int channel_count;  // numbers of a frame by name
  int frame_count, frame_capacity;
  limpet_stored_frame *frame;  // (frame_count)
  float *position;             // (frame_count x moving_count x 3)  [m]  W
  int16_t *quaternion;         // (frame_count x moving_count x 4)  w x y z, W, times 32767
  float *skin;                 // (frame_count x skin_count x 4)  see skin.h
  float *channel;              // (frame_count x channel_count)  see channel.h
  int contact_count, contact_capacity;
  limpet_stored_contact *contact;  // (contact_count)
  int polygon_count, polygon_capacity;
  uint16_t *polygon_size;  // (polygon_count)  corners of each polygon
  int corner_count, corner_capacity;
  limpet_stored_corner *corner;  // (corner_count)
  int rank_capacity;
  struct limpet_contact_rank *rank;  // (rank_capacity)  contacts of one frame by their force
} limpet_frame_store;

void limpet_frame_store_free(limpet_frame_store *store);
// Forgets the frames; keeps their memory.
void limpet_frame_store_clear(limpet_frame_store *store);
// LIMPET_ERROR_MEMORY: the store is as before.
limpet_status limpet_frame_store_append(limpet_frame_store *store, const limpet_frame *frame);
/* Drops every second frame, from the second on. Events and outcome of a dropped frame go to its
 * successor; those of a last one that is dropped are added to `peak` and `worst`, for the frame to
 * come. */
void limpet_frame_store_halve(limpet_frame_store *store, double peak[LIMPET_SIGNAL_COUNT],
                              limpet_outcome *worst);

/* A run as JSON, with its arrays in `stream`: docs/replay.md describes both. */
json_t *limpet_run_encode(const limpet_run_facts *facts, const limpet_frame_store *store,
                          limpet_byte_stream *stream);

#endif
