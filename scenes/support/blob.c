/* scenes/support/blob.c: see the header. */
#include "blob.h"

#include <math.h>
#include <stdbool.h>

enum { PARTS = 3, DENSE = 8000 };

static const struct {
  double centre[3], axes[3];  // [m]
} parts[PARTS] = {{{0.0, 0.0, 0.0}, {0.045, 0.05, 0.05}},
                  {{-0.018, 0.0, 0.075}, {0.009, 0.007, 0.035}},
                  {{0.018, 0.0, 0.075}, {0.009, 0.007, 0.035}}};

static bool inside_another(const double x[3], int own) {
  for (int p = 0; p < PARTS; ++p) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) sum += pow((x[k] - parts[p].centre[k]) / parts[p].axes[k], 2.0);
    if (p != own && sum < 1.0) return true;
  }
  return false;
}

// Point number i of DENSE on a part: turns by the golden angle while it rises.
static void dense_point(double x[3], int part, int i) {
  const double z = 1.0 - (2.0 * i + 1.0) / DENSE, turn = 2.399963229728653 * i,
               r = sqrt(1.0 - z * z);
  const double unit[3] = {r * cos(turn), r * sin(turn), z};
  for (int k = 0; k < 3; ++k) x[k] = parts[part].centre[k] + parts[part].axes[k] * unit[k];
}

void blob_points(double *points, int count) {
  static double dense[PARTS * DENSE][3], square[PARTS * DENSE];
  int dense_count = 0, next = 0;
  for (int p = 0; p < PARTS; ++p)
    for (int i = 0; i < DENSE; ++i) {
      dense_point(dense[dense_count], p, i);
      if (!inside_another(dense[dense_count], p)) square[dense_count++] = INFINITY;
    }
  for (int i = 0; i < count; ++i) {
    double *x = points + 3 * i;
    for (int k = 0; k < 3; ++k) x[k] = dense[next][k];
    for (int j = 0; j < dense_count; ++j) {
      double sum = 0.0;
      for (int k = 0; k < 3; ++k) sum += (dense[j][k] - x[k]) * (dense[j][k] - x[k]);
      square[j] = fmin(square[j], sum);
      if (square[j] > square[next]) next = j;
    }
  }
}
