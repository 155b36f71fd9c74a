/* contact/point_kernels.h: rows and numbers of four contact points at once, as a table of functions
 * for one instruction set. All tables give the same bits. */
#ifndef LIMPET_CONTACT_POINT_KERNELS_H
#define LIMPET_CONTACT_POINT_KERNELS_H

#include "contact/patch.h"

// A contact point and the patch that it belongs to.
typedef struct limpet_point_view {
  const limpet_contact_record *record;
  const double *point;  // (3) [m]  W  of the patch
  const limpet_patch_sums *sums;
  const double *path_bias;  // (6) [rad/s, m/s]  of limpet_curved_path_bias
} limpet_point_view;

// In the frame t1, t2, n of the contact; nothing but doubles, which kernels write by fours.
typedef struct limpet_point_numbers {
  double bend[3];       // [m/s]  of the path bias
  double slip[2];       // [m/s]  at the start of the step, of the tangents
  double normal_speed;  // [m/s]  v_n at the start of the step
  double free_speed;    // [m/s]  v_n at its end without contact
  double delassus;      // [1/kg]  w
  double normal;        // [1/kg]  that of the normal alone
  double about[3];      // [1/(kg m^2)]  e' D e of the axes, of what turns
} limpet_point_numbers;

enum { LIMPET_POINTS_AT_ONCE = 4 };

typedef struct limpet_point_kernels {
  const char *name;  // "baseline", "avx2"
  /* Rows W (3 x 6) of each point, into W + 18 k, and its numbers; `turns`: those about the axes,
   * too. */
  void (*points)(const limpet_point_view view[LIMPET_POINTS_AT_ONCE], bool turns, double *W[],
                 limpet_point_numbers number[LIMPET_POINTS_AT_ONCE]);
} limpet_point_kernels;

extern const limpet_point_kernels limpet_point_kernels_baseline;
extern const limpet_point_kernels limpet_point_kernels_avx2;  // x86-64 only
const limpet_point_kernels *limpet_point_kernels_here(void);  // those of this machine

#endif
