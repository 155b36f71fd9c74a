/* fem/body_inertia.c: which linear tetrahedra need the exact mass.
 *
 * The rule of one point has all mass at the centroids c_t [m]. A piece, tetrahedra that are joined
 * through faces, whose centroids lie on a line has no inertia about it: one tetrahedron, two, or a
 * soup of loose ones. Nothing would tell how it turns about that line, and H of a step has no
 * Cholesky factor. Such pieces take the exact integrals, rho V/20 (1 + delta_ab).
 *   S     sum V_t (c_t - C)(c_t - C)'               second moment of the centroids, C their mean
 *   S*    S + sum V_t/20 sum_a (x_a - c_t)(x_a - c_t)'    that of the tetrahedra [m^5]
 *   trace less largest eigenvalue: moment about the best line, over the density
 * A piece is in a line where this is below `least_share` for S of that for S*.
 * Cost: two passes over the tetrahedra, once for a body. */
#include <string.h>

#include "fem/body.h"
#include "fem/tetrahedron.h"
#include "math/forest.h"

static const double least_share = 1e-2;  // [-]

// Sums over a piece; x' is xx yy zz yz zx xy.
typedef struct piece_moment {
  double volume, first[3];        // [m^3], [m^4]
  double points[6], elements[6];  // [m^5]  about the mean of the centroids
} piece_moment;

static void add_square(double S[6], double scale, const double x[3]) {
  for (int k = 0; k < 3; ++k) {
    S[k] += scale * x[k] * x[k];
    S[3 + k] += scale * x[(k + 1) % 3] * x[(k + 2) % 3];
  }
}

// Centroid of a tetrahedron, and its volume.
static double centroid(const limpet_fem_body *body, int t, double c[3]) {
  const int *v = body->tetrahedra + 4L * t;
  limpet_vec3_zero(c);
  for (int k = 0; k < 4; ++k) limpet_vec3_addmul(c, c, 0.25, body->rest + 3L * v[k]);
  return limpet_tetrahedron_shape_of(body->rest, v).volume;
}

static void moment_add(const limpet_fem_body *body, int t, piece_moment *m) {
  double c[3], from[3], arm[3];
  const double volume = centroid(body, t, c);
  for (int k = 0; k < 3; ++k) from[k] = c[k] - m->first[k] / m->volume;
  add_square(m->points, volume, from);
  add_square(m->elements, volume, from);
  for (int k = 0; k < 4; ++k) {
    limpet_vec3_sub(arm, body->rest + 3L * body->tetrahedra[4L * t + k], c);
    add_square(m->elements, volume / 20.0, arm);
  }
}

// Moment about the line on which most of it lies, over the density [m^5].
static double about_best_line(const double S[6]) {
  const double A[9] = {S[0], S[5], S[4], S[5], S[1], S[3], S[4], S[3], S[2]};
  double w[3], V[9];
  limpet_mat3_eigen(A, w, V);
  return w[1] + w[2];
}

limpet_status limpet_fem_body_inertia(limpet_fem_body *body) {
  const int count = body->info.tetrahedron_count;
  body->exact_mass = LIMPET_TAKE_ZERO(&body->arena, unsigned char, count + 1);
  piece_moment *moment = LIMPET_TAKE_ZERO(&body->arena, piece_moment, count + 1);
  if (!body->exact_mass || !moment) return LIMPET_ERROR_MEMORY;
  for (int t = 0; t < count; ++t) {
    piece_moment *m = &moment[limpet_forest_root(body->piece, t)];
    double c[3];
    const double volume = centroid(body, t, c);
    m->volume += volume;
    limpet_vec3_addmul(m->first, m->first, volume, c);
  }
  for (int t = 0; t < count; ++t) moment_add(body, t, &moment[limpet_forest_root(body->piece, t)]);
  for (int t = 0; t < count; ++t) {
    const piece_moment *m = &moment[limpet_forest_root(body->piece, t)];
    body->exact_mass[t] = about_best_line(m->points) < least_share * about_best_line(m->elements);
  }
  return LIMPET_OK;
}
