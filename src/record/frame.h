/* record/frame.h: what one picture of a run needs, apart from the scene. */
#ifndef LIMPET_RECORD_FRAME_H
#define LIMPET_RECORD_FRAME_H

#include "record/patch.h"
#include "record/scene.h"
#include "record/signal.h"

typedef struct limpet_frame_contact {
  double position[3];  // [m]  W
  double force[3];     // [N]  W, on B
  double normal[3];    // W, from A to B
  double area;         // [m^2]  of a contact surface; 0: a point of two shapes
  double gap;          // [m]  negative inside
  double slip;         // [m/s]  of B over A along the surface, at the end of the step
  double friction;     // [-]  coefficient of this step
  int geom[2];         // A, B
} limpet_frame_contact;

typedef struct limpet_frame {
  double time;                         // [s]
  limpet_outcome outcome;              // the worst since the frame before
  double signal[LIMPET_SIGNAL_COUNT];  // events: the largest since the frame before
  double *position;                    // (moving_count x 3)  [m]  W
  double *quaternion;                  // (moving_count x 4)  w x y z, W
  float *skin;                         // (vertices of the skin x 4)  see skin.h
  float *channel;                      // (channels)  see channel.h
  int contact_count;
  limpet_frame_contact *contact;  // (contact_count)  those with a force, in the order of data
  int contact_capacity;
  limpet_patches patches;  // contact surfaces, where the bodies are
} limpet_frame;

// NULL when there is no memory.
limpet_frame *limpet_frame_create(const limpet_scene *scene);
void limpet_frame_destroy(limpet_frame *frame);

/* Time, poses and contacts of `data`; outcome and signals are the recorder's. After
 * limpet_kinematics. Memory is taken only when the contacts outgrow their room, which then doubles;
 * LIMPET_ERROR_MEMORY when there is none. */
limpet_status limpet_frame_take(limpet_frame *frame, const limpet_scene *scene,
                                const limpet_data *data);

#endif
