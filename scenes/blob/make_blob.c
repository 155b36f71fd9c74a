/* scenes/blob/make_blob.c: writes the point cloud of the scene as PLY text.
 *
 *   usage: blob_make_blob [POINTS] > blob.ply      (default: 992) */
#include <stdio.h>
#include <stdlib.h>

#include "blob.h"

enum { MOST = 10000 };

int main(int argc, char **argv) {
  static double points[3 * MOST];
  const int count = argc > 1 ? atoi(argv[1]) : BLOB_POINTS;
  if (argc > 2 || count < 1 || count > MOST) {
    fprintf(stderr, "usage: blob_make_blob [POINTS] > blob.ply   (1 to %d points)\n", MOST);
    return 2;
  }
  blob_points(points, count);
  printf(
      "ply\nformat ascii 1.0\ncomment made by scenes/blob/make_blob.c, in metres\nelement vertex "
      "%d\n",
      count);
  printf("property float x\nproperty float y\nproperty float z\nend_header\n");
  for (int i = 0; i < count; ++i)
    printf("%.6f %.6f %.6f\n", points[3 * i], points[3 * i + 1], points[3 * i + 2]);
  return 0;
}
