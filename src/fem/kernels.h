/* fem/kernels.h: what is done with all elements of a body, as a table of functions for one
 * instruction set.
 *
 * Numbers of one point come in batches of four elements (lanes): an array of n numbers per point is
 * (batch_count x Q x n x 4). */
#ifndef LIMPET_FEM_KERNELS_H
#define LIMPET_FEM_KERNELS_H

#include "fem/body.h"

// One point of a law with principal function, (LIMPET_FEM_POINT) numbers each.
enum {
  LIMPET_FEM_POINT_U = 0,           // 9
  LIMPET_FEM_POINT_V = 9,           // 9
  LIMPET_FEM_POINT_SLOPE = 18,      // 3
  LIMPET_FEM_POINT_CURVATURE = 21,  // 6
  LIMPET_FEM_POINT_STRETCH = 27,    // 3
  LIMPET_FEM_POINT_TWIST = 30,      // 3
  LIMPET_FEM_POINT = 33
};

// One point of the damping by the rate of strain, (LIMPET_FEM_RATE) numbers each: symmetric
// matrices as xx yy zz yz zx xy.
enum {
  LIMPET_FEM_RATE_START = 0,    // 6  strain at the start of the step
  LIMPET_FEM_RATE_F = 6,        // 9  at the last force
  LIMPET_FEM_RATE_STRESS = 15,  // 6  [Pa] of the difference of strains
  LIMPET_FEM_RATE = 21
};

// What tetrahedra have at given positions.
typedef struct limpet_fem_solid_state {
  double elastic;  // [J]
  double volume;   // [m^3]
  int inverted;    // elements with a point of negative volume
} limpet_fem_solid_state;

typedef struct limpet_fem_kernels {
  const char *name;
  // F (9 per point) of positions x
  void (*gradients)(const limpet_fem_body *body, const double *x, double *F);
  // U (9), V (9), s (3) per point: signed singular values, s[2] the smallest
  void (*decompose)(int point_batches, const double *F, double *U, double *V, double *s);
  // R (9 per point): rotations of F at positions x
  void (*rotations)(const limpet_fem_body *body, const double *x, double *R);
  /* y += K (scale x - rest X), K the stiffness at rest turned by R (9 per point; NULL: not turned),
   * X the positions at rest: rest = 1 is the force of linear laws at x, 0 the product with K */
  void (*linear_force)(const limpet_fem_body *body, const double *R, double scale, const double *x,
                       double rest, double *y);
  /* [J]  what linear laws with the rotations of positions x have there more than with R (9 per
   * point), and what they have with R; turned (9 per point): these rotations, the bits of
   * `rotations` */
  double (*turning_energy)(const limpet_fem_body *body, const double *R, const double *x,
                           double *model, double *turned);
  /* That of linear laws at positions x, with the rotations there where they turn; and the stress of
   * each element, von Mises (tetrahedron_count) and Cauchy (tetrahedron_count x 6), as
   * limpet_fem_body_stress. Either or both may be NULL */
  void (*linear_state)(const limpet_fem_body *body, const double *x, limpet_fem_solid_state *state,
                       double *von_mises, double *cauchy);
  // H += scale K, the same K
  void (*linear_stiffness)(const limpet_fem_body *body, const double *R, double scale, double *H);
  // points of a law with principal function at x; returns the energy [J]
  double (*points)(const limpet_fem_body *body, const double *x, double *point);
  // f += force of the points
  void (*force)(const limpet_fem_body *body, const double *point, double *f);
  // y += scale K x of the points, K exact
  void (*product)(const limpet_fem_body *body, const double *point, double scale, const double *x,
                  double *y);
  // H += scale K of the points; `projected`: each point's part positive semidefinite
  void (*stiffness)(const limpet_fem_body *body, const double *point, bool projected, double scale,
                    double *H);
  // The damping by the rate of strain (strain_rate_code.h): keeps the strains of x
  void (*rate_start)(const limpet_fem_body *body, const double *x, double *rate);
  // f += scale times the force of the strains since then; returns scale times their energy [J]
  double (*rate_force)(const limpet_fem_body *body, double scale, const double *x, double *rate,
                       double *f);
  // y += scale K x, at the last force
  void (*rate_product)(const limpet_fem_body *body, double scale, const double *rate,
                       const double *x, double *y);
  // H += scale K there; `projected`: as if nothing were stressed, positive semidefinite
  void (*rate_stiffness)(const limpet_fem_body *body, double scale, const double *rate,
                         bool projected, double *H);
  // y = H x for lower 3 x 3 blocks
  void (*multiply)(const limpet_fem_body *body, const double *H, const double *x, double *y);
} limpet_fem_kernels;

extern const limpet_fem_kernels limpet_fem_kernels_baseline;
extern const limpet_fem_kernels limpet_fem_kernels_avx2;  // AVX2 and FMA; x86-64 only
const limpet_fem_kernels *limpet_fem(void);               // those of this machine

#endif
