/* format/mjcf/tree.h: the walk over the kinematic tree. */
#ifndef LIMPET_FORMAT_MJCF_TREE_H
#define LIMPET_FORMAT_MJCF_TREE_H

#include "format/mjcf/state.h"

void limpet_mjcf_world_read(limpet_mjcf *m);

#endif
