/* model/compile.h: what the parts of the compilation share. The order of the parts is the table in
 * compile.c. */
#ifndef LIMPET_MODEL_COMPILE_H
#define LIMPET_MODEL_COMPILE_H

#include "base/error.h"
#include "model/builder.h"
#include "model/model_storage.h"

// Numbers of the objects of one kind before (handle) and after (index) ordering.
typedef struct limpet_order {
  int *index;   // (count)  by handle
  int *handle;  // (count)  by index
  int *begin;   // (body_count + 1)  first index of each body, by body index; NULL for bodies
} limpet_order;

typedef struct limpet_compiler {
  const limpet_builder *builder;
  limpet_error *error;
  limpet_arena scratch;  // given back at the end of the compilation
  limpet_order body, joint, geom, site, camera;
  limpet_model sizes;  // counts, before the model exists
  int note_room;
  limpet_model_storage *storage;
  limpet_model *model;  // NULL until the order is known
  bool *body_moves;     // (body_count)  by index: has a joint, or is carried by one that has
  double *body_world_position;    // (body_count x 3)  [m]  by index, at the reference pose
  double *body_world_quaternion;  // (body_count x 4)
  double (*spring_damper)[2];  // (joint_count)  by index: time constant, damping ratio; 0 where not
                               // used
  double *damping_ratio;       // (actuator_count)  -1 where not used
  struct limpet_soft_part *soft;  // (deformable_count)  see compile_deformables.c
  int soft_count;                 // of them that are made
  int fields_done, field_count;   // pressure fields that are made, and all; 0 of 0: not known yet
  double field_share;             // [-]  of the one at hand
  bool stopped;                   // by the watcher
} limpet_compiler;

// --------------------------------------------------------------------- compile_message.c

/* Fills the error with the place of an object and "word 'name'" + text, where the text begins with
 * a blank or a colon. `list` is a limpet_object. Returns LIMPET_ERROR_INPUT. */
limpet_status limpet_compile_error(const limpet_compiler *compiler, int list, int handle,
                                   const char *format, ...) __attribute__((format(printf, 4, 5)));
limpet_status limpet_compile_no_memory(const limpet_compiler *compiler);
// Asks the watcher, where something took a while: LIMPET_OK, or the status that ends it all.
limpet_status limpet_compile_go_on(limpet_compiler *compiler);

typedef struct limpet_label {
  char text[128];
} limpet_label;

// A name for messages: "body 'hand'", "geom 3".
limpet_label limpet_compile_label(const limpet_compiler *compiler, int list, int handle);

enum { LIMPET_GEOM_NOTES = 8, LIMPET_BODY_NOTES = 3 };  // at most, of one geom or body

/* Adds a note to the model. It has room for those of the builder, one for each tendon and actuator,
 * LIMPET_GEOM_NOTES for each geom, LIMPET_BODY_NOTES for each body, and two. */
void limpet_compile_note(limpet_compiler *compiler, bool unsupported, limpet_place place,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));
// The same on input that is most likely a mistake: simulated as given, or repaired as the note
// says.
void limpet_compile_doubt(limpet_compiler *compiler, limpet_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void limpet_compile_note_copy(limpet_compiler *compiler, const limpet_note *note);
// A copy of a text that lives as long as the model; NULL for NULL (and without memory, which the
// arena remembers).
const char *limpet_compile_text(limpet_compiler *compiler, const char *text);

// ---------------------------------------------------------------------------------- parts

// A kinetic energy, mass length^2 rate^2, of five such numbers is below the largest double.
#define LIMPET_LARGEST_NUMBER 1e50

limpet_status limpet_compile_numbers(
    limpet_compiler *compiler);  // no NaN, infinity or number of 1e50 and above in a description
limpet_status limpet_compile_handles(
    limpet_compiler *compiler);  // handles of other objects exist, enumerations are known
limpet_status limpet_compile_order(limpet_compiler *compiler);
limpet_status limpet_compile_names(limpet_compiler *compiler);
limpet_status limpet_compile_bodies(limpet_compiler *compiler);
limpet_status limpet_compile_joints(limpet_compiler *compiler);
limpet_status limpet_compile_meshes(limpet_compiler *compiler);
limpet_status limpet_compile_clouds(limpet_compiler *compiler);
limpet_status limpet_compile_fields(limpet_compiler *compiler);  // after contacts: of colliders
limpet_status limpet_compile_geoms(limpet_compiler *compiler);
limpet_status limpet_compile_appearances(limpet_compiler *compiler);  // and textures
// How many numbers a sensor gives; its handles are good.
int limpet_compile_sensor_size(const limpet_builder *builder, int sensor);
// Whether it has a place in data->history.
bool limpet_compile_sensor_remembers(const limpet_builder *builder, int sensor);
limpet_status limpet_compile_sites(limpet_compiler *compiler);
limpet_status limpet_compile_cameras(limpet_compiler *compiler);
limpet_status limpet_compile_inertia(limpet_compiler *compiler);
// Mass, centre and inertia of a body from its geoms; returns how many counted: with none it keeps
// what it has.
int limpet_compile_inertia_of_geoms(limpet_compiler *compiler, int body);
// After inertia: what joints move has mass enough, or gets it; the mass of all.
limpet_status limpet_compile_moving(limpet_compiler *compiler);
limpet_status limpet_compile_width(limpet_compiler *compiler);
limpet_status limpet_compile_medium(limpet_compiler *compiler);  // after geoms and inertia
limpet_status limpet_compile_tendons(limpet_compiler *compiler);
// How many velocities the tendons have together; after the order is known.
int limpet_compile_tendon_dofs(limpet_compiler *compiler);
limpet_status limpet_compile_actuators(limpet_compiler *compiler);
limpet_status limpet_compile_motor(const limpet_compiler *compiler, int a);  // checks actuator a
limpet_status limpet_compile_couplers(limpet_compiler *compiler);
limpet_status limpet_compile_loops(limpet_compiler *compiler);
limpet_status limpet_compile_contacts(limpet_compiler *compiler);  // pairs, excludes, colliders
limpet_status limpet_compile_cloud_pairs(
    limpet_compiler *compiler);  // a note where clouds may meet clouds
limpet_status limpet_compile_keyframes(limpet_compiler *compiler);
limpet_status limpet_compile_sensor_handles(
    limpet_compiler *compiler);  // part of limpet_compile_handles
limpet_status limpet_compile_sensors(limpet_compiler *compiler);
// Deformable bodies: made before counts are known; how many vertices and ties; their arrays; what
// no model has taken is freed.
limpet_status limpet_compile_deformable_bodies(limpet_compiler *compiler);
void limpet_compile_deformable_sizes(limpet_compiler *compiler);
limpet_status limpet_compile_deformables(limpet_compiler *compiler);
void limpet_compile_deformables_end(limpet_compiler *compiler);
limpet_status limpet_compile_reference(limpet_compiler *compiler);

// Fails where `quaternion` (in `what` of the object) has no direction; else writes it normalised to
// `unit`.
limpet_status limpet_compile_quaternion(const limpet_compiler *compiler, int list, int handle,
                                        const char *what, const double quaternion[4],
                                        double unit[4]);
// Fails where range[0] > range[1].
limpet_status limpet_compile_range(const limpet_compiler *compiler, int list, int handle,
                                   const char *what, const double range[2]);

#endif
