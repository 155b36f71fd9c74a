/* geometry/distance_table.h: signed distances of several points at once, as one table for each
 * instruction set, for signed_distance.c and cloud queries. */
#ifndef LIMPET_GEOMETRY_DISTANCE_TABLE_H
#define LIMPET_GEOMETRY_DISTANCE_TABLE_H

#include "geometry/shape.h"

enum { LIMPET_DISTANCE_LANES = 4 };  // counts are multiples of this

// A shape as points see it that are given in a frame of their own: x_shape = rotation * x + offset.
typedef struct limpet_distance_view {
  const limpet_shape *shape;
  double rotation[9], offset[3];  // [-, m]
} limpet_distance_view;

// phi [m] of `count` points, each coordinate an array of its own  [m]. Point by point the same bits
//                                                                 in every table.
typedef void limpet_distance_kernel(double *restrict phi, const limpet_distance_view *view,
                                    const double *restrict x, const double *restrict y,
                                    const double *restrict z, int count);

typedef struct limpet_distance_table {
  const char *name;                                    // "baseline", "avx2"
  limpet_distance_kernel *kernel[LIMPET_SHAPE_COUNT];  // NULL: point by point, see point_distance.h
  // of a hull: largest height over the planes of its faces, at most phi
  limpet_distance_kernel *hull_bound;
} limpet_distance_table;

extern const limpet_distance_table
    limpet_distance_baseline;  // whatever the compiler assumes of every machine
extern const limpet_distance_table limpet_distance_avx2;  // x86-64 only
// The table for this machine.
const limpet_distance_table *limpet_distance(void);

// The view of a shape from a frame with the given pose (row-major axes to the common frame; NULL:
// the common frame itself).
limpet_distance_view limpet_distance_view_create(const limpet_shape *shape, const double *position,
                                                 const double *rotation);

// phi of points in the frame of the view; count is a multiple of LIMPET_DISTANCE_LANES.
void limpet_distance_block(double *restrict phi, const limpet_distance_view *view,
                           const double *restrict x, const double *restrict y,
                           const double *restrict z, int count);

#endif
