/* geometry/pressure_kernels.h: the part of a tetrahedron's field that meets another one or a rigid
 * face, as one table for each instruction set. Every table gives the same bits. */
#ifndef LIMPET_GEOMETRY_PRESSURE_KERNELS_H
#define LIMPET_GEOMETRY_PRESSURE_KERNELS_H

#include "geometry/pressure_contact.h"

enum {
  LIMPET_CORNER_PRESSURE = 3,  // of a corner, after its place [m]: [Pa]
  LIMPET_CORNER_SHARE = 4,     //   of the four vertices of a tetrahedron
  LIMPET_CORNER_NUMBERS = 8,   //   in all
  /* Four corners, cut at five numbers. A plane adds one corner to a convex polygon; where the
   * polygon lies in the plane, round-off alone decides, and may make 3 corners of 2: 4, 6, 9, 13,
   * 19, 28. */
  LIMPET_PRESSURE_CORNERS_OF_CUT = 28
};

typedef struct limpet_pressure_corner {
  double at[LIMPET_CORNER_NUMBERS];
} limpet_pressure_corner;

// Where a polygon is cut: it goes from one array to the other.
typedef struct limpet_pressure_room {
  limpet_pressure_corner corner[2][LIMPET_PRESSURE_CORNERS_OF_CUT];
} limpet_pressure_room;

// quad (16)  [m], [Pa]: x, y, z, pressure of the vertices of a cell, each for all four.
typedef struct limpet_pressure_kernels {
  const char *name;  // "baseline", "avx2"
  // A tetrahedron of B (quad, planes (4 x 4), in its frame) put into the frame of A.
  void (*turn)(limpet_pressure_turned *turned, const limpet_pressure_frame *frame,
               const double *quad, const double *planes, const limpet_pressure_cell *cell);
  /* The polygon where a tetrahedron of A and one of B have the same pressure, at least `least`
   * [Pa]: *count corners somewhere in `room`, in the frame of A. NULL: none. */
  const limpet_pressure_corner *(*meet)(const double *quad, const limpet_pressure_cell *cell,
                                        const limpet_pressure_turned *b, double least,
                                        limpet_pressure_room *room, int *count);
  // Whether they may meet after the bodies have moved by up to `slack` [m] against each other.
  bool (*is_near)(const double *quad, const limpet_pressure_turned *b, double slack);
  /* The part of a rigid face (*count corners, in the frame of the cell) within a cell with these
   * planes (4 x 4); as `meet` gives it. */
  const limpet_pressure_corner *(*meet_face)(const double *quad, const double *planes,
                                             const limpet_pressure_cell *cell,
                                             const limpet_pressure_turned_face *face, double least,
                                             limpet_pressure_room *room, int *count);
  // Places (count + 1 x 3: the last is scratch) and pressures of corners in the frame W of a body.
  void (*to_world)(double (*world)[3], double *pressures, const limpet_pressure_corner *corners,
                   int count, const limpet_pressure_body *body);
  bool (*face_is_near)(const double *quad, const double *planes,
                       const limpet_pressure_turned_face *face, double slack);
} limpet_pressure_kernels;

// For whatever the compiler assumes of every machine.
extern const limpet_pressure_kernels limpet_pressure_kernels_baseline;
extern const limpet_pressure_kernels limpet_pressure_kernels_avx2;  // x86-64 only
// The table for this machine.
const limpet_pressure_kernels *limpet_pressure_kernels_here(void);

#endif
