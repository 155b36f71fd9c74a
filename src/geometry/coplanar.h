// geometry/coplanar.h: when four points that move on straight lines lie in one plane.
#ifndef LIMPET_GEOMETRY_COPLANAR_H
#define LIMPET_GEOMETRY_COPLANAR_H

/* x (4 x 3) [m], way (4 x 3) [m]. Shares t of the way within [0, 1] at which x_i + t way_i (i < 4)
 * lie in one plane and change sides of it, ascending, to `t`. Returns how many, at most 3. */
int limpet_coplanar_times(const double x[12], const double way[12], double t[3]);

#endif
