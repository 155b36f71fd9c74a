/* format/mjcf/key.h: vectors of keyframes. */
#ifndef LIMPET_FORMAT_MJCF_KEY_H
#define LIMPET_FORMAT_MJCF_KEY_H

#include "format/mjcf/space.h"

typedef struct limpet_mjcf_sizes {  // of the model that was read
  int q, v, control, activation, mocap;
} limpet_mjcf_sizes;

typedef struct limpet_mjcf_joint_place {
  int handle, nq, nv;
} limpet_mjcf_joint_place;

struct limpet_mjcf_layout {
  limpet_mjcf_sizes sizes;
  limpet_mjcf_joint_place *joint;  // (joint_count)  in the order of q and v
  int joint_count;
  int *mocap;                                     // (sizes.mocap)  handles of the bodies
  double *q, *mocap_position, *mocap_quaternion;  // the reference pose
};

limpet_mjcf_layout *limpet_mjcf_layout_make(limpet_mjcf *m);
double *limpet_mjcf_copy(limpet_reader *reader, const double *values, int count);  // in the pool
/* Numbers of a keyframe, `expected` or fewer: then with a note that says what happens to the
 * `rest`. NULL and 0: there are none. */
const double *limpet_mjcf_key_vector(limpet_reader *reader, const limpet_xml_element *e,
                                     const char *name, int expected, const char *rest, int *count);
#define LIMPET_MJCF_KEY_REFERENCE "the others are those of the reference pose"
#define LIMPET_MJCF_KEY_ZERO "the others are zero"

/* Fills `key` (arrays of the sizes of the whole model, in the pool) from a keyframe of an attached
 * model: what was attached, in its place, and the reference pose and zeros everywhere else. */
void limpet_mjcf_attached_key(limpet_mjcf *m, const limpet_mjcf_space *space,
                              const limpet_xml_element *e, const limpet_mjcf_layout *layout,
                              limpet_keyframe_description *key);

#endif
