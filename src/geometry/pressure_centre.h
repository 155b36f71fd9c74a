/* geometry/pressure_centre.h: the middle of what two bodies share, which moves smoothly with them.
 */
#ifndef LIMPET_GEOMETRY_PRESSURE_CENTRE_H
#define LIMPET_GEOMETRY_PRESSURE_CENTRE_H

#include "geometry/pressure_contact.h"

/* The middle of {p_S >= level} and {p_T >= level}, both of them primitives or hulls; of a rigid one
 * its boundary counts. frame: pose of T in S. x (3)  [m]  in the frame of S, a place where both are
 * above the level; becomes the middle. False: x is no such place, and stays. */
bool limpet_pressure_centre(const limpet_pressure_field *s, const limpet_pressure_field *t,
                            const limpet_pressure_frame *frame, double level, double x[3]);

/* The same of {p >= level} and a convex polygon (count >= 0 corners, counterclockwise) in the plane
 * origin + u t1 + v t2. No corners: the plane as a whole. uv (2)  [m]. */
bool limpet_pressure_centre_in_plane(const limpet_pressure_field *field, const double origin[3],
                                     const double t1[3], const double t2[3],
                                     const double (*corner)[2], int count, double level,
                                     double uv[2]);

#endif
