/* gradient/patch_law.h: how the wrench of all contacts between two bodies changes, with one matrix
 * for each of the things that it depends on.
 *
 *   F = sum W_c' gamma_c                 about the patch's point P, which stays
 *   seen from body A: dF = K [xi; dV; db; dV0] + <by_D, dD>
 * xi: twist of B relative to A; V: velocity of B relative to A that was solved for, V0: at the
 * start of the step; b: bias of curved paths; all as spatial vectors about P; D: the Delassus
 * estimate of the patch (6 x 6), by which laws have w = f(W D W'). Each contact is taken in once,
 * whatever the number of columns is. */
#ifndef LIMPET_GRADIENT_PATCH_LAW_H
#define LIMPET_GRADIENT_PATCH_LAW_H

#include "gradient/pair_change.h"

// The columns of K, six for each.
enum {
  LIMPET_BY_TWIST = 0,
  LIMPET_BY_V = 6,
  LIMPET_BY_BIAS = 12,
  LIMPET_BY_START = 18,
  LIMPET_LAW_WIDTH = 24
};

/* How far a weak contact is from its switch: rate along the same things. Or how fast one at rest
 * begins to slip, where static friction bends there: what moves that has a kink. */
typedef struct limpet_switch_change {
  int weak;  // of the island; LIMPET_NONE: static friction bends
  double change[LIMPET_LAW_WIDTH];
} limpet_switch_change;

/* One thing that wrenches depend on through a Delassus estimate: by that it is P'C P (6 x 6), with
 * P (3 x 6) the motion of a point, or rotation alone. */
typedef struct limpet_law_weight {
  double less[6];  // -push
  double C[9];     // symmetric
  double r[3];     // [m]  the point, from that of the patch; 0 where it turns
  bool turns;      // rotation alone
} limpet_law_weight;

typedef struct limpet_patch_law {
  double F[6], V[6];  // wrench; B relative to A, solution
  double V0[6], b[6];
  double K[6 * LIMPET_LAW_WIDTH];  // row-major (6 x LIMPET_LAW_WIDTH)
  bool has_0;                      // its columns by V0 are not zero
  bool weighs;                     // weight_count > 0
  int weight_count;
  limpet_law_weight *weight;  // (weight_count)
  int switch_count;
  limpet_switch_change *switching;  // (weak contacts of the patch, and two a contact)
  // (contacts of the patch x 3 x 3)  dgamma by the velocity along each axis; of those that do not
  // pull unset
  double *slope;
  unsigned char kinked;  // bit k: geometry of a contact with a force has a kink along twist k
  // dF_i = <by_D_i, dD>, symmetric; last: set by limpet_patch_law_sum_weights
  double by_D[6][36];
} limpet_patch_law;

// Whether the contacts of a patch have closed forms.
bool limpet_patch_law_known(const limpet_probe *probe, int island, const limpet_patch *patch);

// What laws of a patch are given.
typedef struct limpet_patch_geometry {
  const double *D;                   // (36)  about P
  const limpet_point_change *point;  // (contacts of the patch x 6)  of limpet_pair_change
  const unsigned char *kinked;       // (contacts of the problem)  likewise
} limpet_patch_geometry;

/* V, V0, b of `law` are filled. Memory from the arena stays. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_patch_law_make(const limpet_probe *probe, int island,
                                    const limpet_patch *patch,
                                    const limpet_patch_geometry *geometry, limpet_arena *arena,
                                    limpet_patch_law *law);

// Fills by_D of a law that weighs.
void limpet_patch_law_sum_weights(limpet_patch_law *law);

// Whether static friction of a contact bends at the state.
bool limpet_patch_law_bends(const limpet_patch_law *law);
// Whether a twist (6) about P has a part along which the geometry has a kink.
bool limpet_patch_law_meets_kink(const limpet_patch_law *law, const double xi[6]);

#endif
