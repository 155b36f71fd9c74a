/* model/mocap.h: bodies that the user moves. */
#ifndef LIMPET_MODEL_MOCAP_H
#define LIMPET_MODEL_MOCAP_H

#include "limpet/model.h"

// Whether a body is one that the user moves, or is fixed to one.
static inline bool limpet_body_on_mocap(const limpet_model *model, int body) {
  for (; body > 0 && model->mocap_count > 0; body = model->body_parent[body]) {
    if (model->body_mocap[body] >= 0) return true;
    if (model->body_weld[body] == body) return false;
  }
  return false;
}

#endif
