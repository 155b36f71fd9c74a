/* record/replay_page.h: the parts of a replay page: one stream of binary arrays in base64, and
 * a JSON text that says where each lies. */
#ifndef LIMPET_RECORD_REPLAY_PAGE_H
#define LIMPET_RECORD_REPLAY_PAGE_H

#include <stdio.h>

#include <jansson.h>

#include "record/replay.h"

// The page of viewer/, made at build time; size 0: the library was built without npm.
extern const unsigned char limpet_replay_template[];
extern const size_t limpet_replay_template_size;

typedef struct limpet_page {
  FILE *file;
  size_t offset;           // [bytes]  of the binary stream that were written
  unsigned char carry[3];  // bytes that wait for a full base64 group
  int carried;
  bool failed;  // a write or an allocation went wrong
} limpet_page;

// What the elements of an array are; little-endian.
typedef enum limpet_element {
  LIMPET_ELEMENT_F8,  // double
  LIMPET_ELEMENT_F4,  // float
  LIMPET_ELEMENT_U4,  // uint32
  LIMPET_ELEMENT_U2,  // uint16
  LIMPET_ELEMENT_I2,  // int16
  LIMPET_ELEMENT_COUNT
} limpet_element;

/* An array goes into the stream in three steps: begin aligns the stream and returns {"type": "f4",
 * "offset": bytes, "count": count}; then `count` elements follow in any number of pieces. */
json_t *limpet_page_array_begin(limpet_page *page, limpet_element element, size_t count);
void limpet_page_write(limpet_page *page, const void *bytes, size_t size);
json_t *limpet_page_array(limpet_page *page, limpet_element element, size_t count,
                          const void *values);
void limpet_page_stream_end(limpet_page *page);

// JSON that is safe inside a <script> element.
void limpet_page_json(limpet_page *page, const json_t *value);

// Bodies, geoms and meshes as the viewer draws them: adds "bodies", "geoms", "meshes" to `scene`.
void limpet_replay_scene(limpet_page *page, json_t *scene, const limpet_replay *replay,
                         const limpet_model *model);
// Times, poses, contacts and plotted series: adds "frames" to `run`.
void limpet_replay_frames(limpet_page *page, json_t *run, const limpet_replay *replay);

#endif
