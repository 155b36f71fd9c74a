/* gradient/contact_kernels.h: the inner loops of columns of contacts, as a table of functions for
 * one instruction set. */
#ifndef LIMPET_GRADIENT_CONTACT_KERNELS_H
#define LIMPET_GRADIENT_CONTACT_KERNELS_H

#include "gradient/contact_motion.h"

enum {
  LIMPET_NEAR = 2,             // rotations of one joint around one
  LIMPET_WEIGHTS_AT_ONCE = 4,  // lanes
  LIMPET_WEIGHT_WORK = 36      // numbers for each velocity
};

// A velocity that moves one body of a patch.
typedef struct limpet_weight_dof {
  const limpet_dof_motion *motion;
  int column;                            // in its tree
  int local;                             // velocities of its joint that come before it
  int own_entry, pair_entry;             // of its weight; of those with the others, in their order
  bool odd;                              // own is not all 0
  signed char own[2 * LIMPET_NEAR + 1];  // of those near it: 1 or -1: joint's own that it moves, or
                                         // not
} limpet_weight_dof;

// Velocities of one patch, and where what they have goes: rows of `stride` numbers.
typedef struct limpet_weight_path {
  int from[LIMPET_SIDES + 1];  // of each side, the nearest to its body first
  const limpet_weight_dof *dof;
  const double *lever;  // (3)  [m]  of the patch's point, from the tree's origin
  int stride;           // of rows, one a velocity, or entry
  double *a;            // J' push
  double *turn;         // what axes have that poses turn
  double *entry;        // minus what entries of A_JJ^-1 have
  double *work;         // (velocities x LIMPET_WEIGHT_WORK)
} limpet_weight_path;

typedef struct limpet_contact_kernels {
  const char *name;  // "baseline", "avx2"
  /* Up to four weights of a patch, into that many numbers of each row; those of weights that are
   * not there become zero. See contact_weights.c. */
  void (*weights)(const limpet_weight_path *path, int count, const limpet_law_weight *weight);
} limpet_contact_kernels;

extern const limpet_contact_kernels limpet_contact_kernels_baseline;
extern const limpet_contact_kernels limpet_contact_kernels_avx2;  // x86-64 only
const limpet_contact_kernels *limpet_contact_kernels_here(void);  // those of this machine

#endif
