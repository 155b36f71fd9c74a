/* record/scene.h: what stays the same in all pictures of a run: bodies, geoms, colours, names. */
#ifndef LIMPET_RECORD_SCENE_H
#define LIMPET_RECORD_SCENE_H

#include <jansson.h>

#include "limpet/step.h"
#include "record/byte_stream.h"
#include "record/channel.h"
#include "record/skin.h"

enum { LIMPET_SCENE_REVISION = 5 };  // of the JSON and its arrays; readers refuse another one

typedef struct limpet_scene {
  const limpet_model *model;  // outlives the scene
  char *title;
  int moving_count;
  int *moving_body;   // (moving_count)  bodies whose pose can change, in the order of the model
  limpet_skin *skin;  // of deformable bodies
  limpet_channels *channels;  // numbers of a frame by name
  double *first_pose;  // (body_count x 7)  position [m] and quaternion (w x y z) in W at the start
} limpet_scene;

// What a run says of itself beside its scene.
typedef struct limpet_run_facts {
  const char *name;                    // among other runs; NULL: none of its own
  const char *scheme, *contact_model;  // names; "": not known
  double time_step;                    // [s]  0: not known
} limpet_run_facts;

// NULL when there is no memory. `title` NULL: the model's name; `custom` NULL: none.
limpet_scene *limpet_scene_create(const limpet_model *model, const char *title,
                                  const limpet_replay_custom *custom);
void limpet_scene_destroy(limpet_scene *scene);
/* Bodies that never move are drawn where they are now. After limpet_kinematics. */
void limpet_scene_place(limpet_scene *scene, const limpet_data *data);

// `settings` may be NULL.
limpet_run_facts limpet_run_facts_of(const limpet_step_settings *settings);

/* The scene as JSON; its arrays (vertices, faces, points) go into `stream`, and the JSON says where
 * they lie. Whoever shows the scene, a page or a live view, gets these bytes. docs/replay.md
 * describes them. NULL when there is no memory. */
json_t *limpet_textures_encode(const limpet_model *model, limpet_byte_stream *stream);
json_t *limpet_appearances_encode(const limpet_model *model);
json_t *limpet_scene_encode(const limpet_scene *scene, limpet_byte_stream *stream);

#endif
