/* model/tendon_path.h: length of a spatial tendon in given poses, and its row. */
#ifndef LIMPET_MODEL_TENDON_PATH_H
#define LIMPET_MODEL_TENDON_PATH_H

#include "limpet/model.h"

// The poses and motion axes of a world, as in limpet_data.
typedef struct limpet_tendon_frames {
  const double *body_position;  // (body_count x 3)  [m]  W
  const double *body_rotation;  // (body_count x 9)  body axes to W, row-major
  const double *tree_origin;    // (tree_count x 3)  [m]  W; NULL: no row
  const double *dof_axis;       // (nv x 6)  motion about the origin of the tree; NULL: no row
} limpet_tendon_frames;

/* One straight piece: between two points, which are fixed to bodies. */
typedef struct limpet_tendon_piece {
  int body[2];
  int surface;       // geom on which end 1 lies; LIMPET_NONE: a site
  double end[2][3];  // [m]  W
  double share;      // [-]  of its length in the tendon's: 1 over the divisor of its branch
} limpet_tendon_piece;

/* Calls `visit` for the straight pieces of a spatial tendon, in order. Returns the length [m] of
 * what lies on surfaces, divided like the pieces. */
typedef void limpet_tendon_visit(void *context, const limpet_tendon_piece *piece);
double limpet_tendon_walk(const limpet_model *model, const limpet_tendon_frames *frames, int tendon,
                          limpet_tendon_visit *visit, void *context);

/* Length [m] of a spatial tendon. row: d length / d velocity in the order of tendon_dof, from
 * tendon_dof_begin on  [m, m/rad]; NULL: length only. */
double limpet_tendon_path(const limpet_model *model, const limpet_tendon_frames *frames, int tendon,
                          double *row);

static inline bool limpet_tendon_is_spatial(const limpet_model *model, int tendon) {
  return model->tendon_point_begin[tendon] < model->tendon_point_begin[tendon + 1];
}

// The tree of a tendon, or -1 when its joints are in several.
int limpet_tendon_tree(const limpet_model *model, int tendon);
/* Armature of a tendon [kg] that is part of the mass matrix. That of a tendon over several trees is
 * not: it couples them, and is a row of the step, constraint/tendon_armature.c. */
double limpet_tendon_own_armature(const limpet_model *model, int tendon);
// The armature of a tendon over several trees [kg], or 0.
double limpet_tendon_shared_armature(const limpet_model *model, int tendon);

// The last velocity that moves both bodies, or -1.
int limpet_common_dof(const limpet_model *model, int body_a, int body_b);

#endif
