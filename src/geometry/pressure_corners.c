/* geometry/pressure_corners.c: polygons cut by the faces of a tetrahedron (Sutherland and Hodgman).
 *
 * A corner carries its place, its pressure and its shares of the vertices of the tetrahedron, all
 * of them linear: where a face cuts, all are interpolated alike. A corner on a face counts as
 * inside. Cost: 5 instructions for each number that cuts nothing, some 150 for each that does. */
#include "geometry/pressure_corners.h"

#include <stddef.h>

// Keeps the corners with number `which` at least `least`, in `to`; how many.
static int cut(limpet_pressure_corner *to, const limpet_pressure_corner *from, int count, int which,
               double least) {
  int kept = 0;
  for (int k = 0; k < count; ++k) {
    const limpet_pressure_corner *x = &from[k], *y = &from[k + 1 < count ? k + 1 : 0];
    const double a = x->at[which] - least, b = y->at[which] - least;
    if (a >= 0.0) to[kept++] = *x;
    if ((a >= 0.0) == (b >= 0.0)) continue;
    limpet_pressure_corner_between(&to[kept++], x, y, a / (a - b));
  }
  return kept;
}

static bool falls_below(const limpet_pressure_corner *corners, int count, int which, double least) {
  for (int k = 0; k < count; ++k)
    if (corners[k].at[which] < least) return true;
  return false;
}

const limpet_pressure_corner *limpet_pressure_corners_within(
    limpet_pressure_corner room[2][LIMPET_PRESSURE_CORNERS_OF_CUT], int *count, double least) {
  int n = *count, now = 0;
  for (int which = LIMPET_CORNER_NUMBERS - 1; which >= LIMPET_CORNER_PRESSURE && n >= 3; --which) {
    const double low = which == LIMPET_CORNER_PRESSURE ? least : 0.0;
    if (!falls_below(room[now], n, which, low)) continue;
    n = cut(room[1 - now], room[now], n, which, low);
    now = 1 - now;
  }
  *count = n;
  return n >= 3 ? room[now] : NULL;
}
