/* geometry/pressure_rays.h: rays that sweep the contact surface of two curved fields.
 *
 * Rays x = o + t w start in the core of one body, S, and meet the surface with the other body, T.
 * All in the frame of S. */
#ifndef LIMPET_GEOMETRY_PRESSURE_RAYS_H
#define LIMPET_GEOMETRY_PRESSURE_RAYS_H

#include "geometry/pressure_sweep.h"

// [-]  of the modulus: less does not count as deeper
#define LIMPET_PRESSURE_PLATEAU 1e-8

// What one place leaves for the next: where to look first, and what was computed of theta.
typedef struct limpet_pressure_ray_memory {
  double t;                    // [m]  of the last crossing; 0: none yet
  double theta, cosine, sine;  // NAN: none yet
} limpet_pressure_ray_memory;

typedef struct limpet_pressure_rays {
  limpet_pressure_chart chart;
  limpet_pressure_ray_memory *memory;
  const limpet_pressure_body *s, *t;
  limpet_pressure_frame frame;  // of T in S
  bool s_is_a;
  double least;      // [Pa]
  double tolerance;  // [-]
  double radius;     // [m]  of a sphere about the origin of S that holds it, grown outside
  bool quick;        // the tolerance is above quick_tolerance
  bool falls;        // D falls along every ray, at any distance
  double origin[3], pole[3], t1[3], t2[3];
  double back[3];  // [m]  where the ray opposite to the pole leaves S
} limpet_pressure_rays;

/* Pressure of T at x (3) [m], and its gradient g (3) (NULL: not wanted). piece: of T, a guess and
 * the answer; below zero: outside of its mesh. */
double limpet_pressure_rays_other(const limpet_pressure_rays *c, const double x[3], double g[3],
                                  int *piece);

/* Along a ray from o: where p_S falls to `level` [Pa]. start: where to look first [m]; 0: far
 * outside. */
double limpet_pressure_rays_leave(const limpet_pressure_rays *c, const double w[3], double level,
                                  double start);

/* Fills origin, pole, t1 and t2 from s, t, frame, least, tolerance, radius and quick. False: the
 * bodies do not meet. */
bool limpet_pressure_choose_pole(limpet_pressure_rays *c);

// Its pressure falls evenly along every ray from its centre, in one smooth piece.
static inline bool limpet_pressure_is_round(const limpet_pressure_field *field) {
  return field->kind == LIMPET_SHAPE_SPHERE || field->kind == LIMPET_SHAPE_ELLIPSOID;
}

#endif
