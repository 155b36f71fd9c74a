/* scenes/support/blob.h: points on a smooth blob with two ears, about 15 cm tall: the object of the
 * point-cloud scenes. */
#ifndef LIMPET_SCENES_BLOB_H
#define LIMPET_SCENES_BLOB_H

enum { BLOB_POINTS = 992 };  // as many as the bunny of Tracy and Manchester has

/* Points (count x 3) [m] on the union of three ellipsoids, spread evenly: from a dense sample of
 * the surface the point that is farthest from all chosen ones, again and again. The same on every
 * machine. */
void blob_points(double *points, int count);

#endif
