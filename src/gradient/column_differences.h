/* gradient/column_differences.h: columns of the residual by differences along its state and inputs.
 *
 *   q, v, control   [r(+e) - r(-e)]/(2 e), e = settings.difference; controls stay in their range
 *   q, v            of compliant contact: [8 r(+E) - 8 r(-E) - r(+2 E) + r(-2 E)]/(12 E), E = 20 e,
 *                   of velocities what moves a pose so far in the step, 0.01 at most: the residual
 *                   is smooth there (law_change.h), and a wider difference of fourth order has less
 *                   round-off; narrower where a slope jumps within it
 *
 * Forces at which a pose would move by far more or less than e in the step are taken at those that
 * move it so far, and controls that would move it by less: the round-off of r is that of the
 * momentum. */
#ifndef LIMPET_GRADIENT_COLUMN_DIFFERENCES_H
#define LIMPET_GRADIENT_COLUMN_DIFFERENCES_H

#include "gradient/probe.h"

// Differences along forces are this many times those along velocities: in a step of a millisecond
// both then change velocities alike.
enum { LIMPET_FORCE_DIFFERENCE = 1000 };
// The same along poses and velocities of compliant contact: see the head.
enum { LIMPET_SMOOTH_DIFFERENCE = 20 };

// What moves an array of the world.
typedef struct limpet_mover limpet_mover;
struct limpet_mover {
  limpet_probe *probe;
  const double *base;  // what is moved, as it was
  double *moved;       // the same in the probe's world
  double *unit;        // (nv)  zeros, for poses
  void (*move)(const limpet_mover *m, int index, double by);
};

// Columns of one array of the world that are taken by differences.
typedef struct limpet_column_series {
  const limpet_mover *mover;
  int count;
  limpet_arena *arena;
  const bool *wanted;  // (count)
  double *columns;     // (count x size)
  bool *kinked;        // (count)
  double *other;       // (3 x size)  work
} limpet_column_series;

/* A world's array of `count` doubles, copied, and the workspaces of its differences. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_mover_make(limpet_probe *probe, double *moved, int count,
                                void (*move)(const limpet_mover *, int, double),
                                limpet_arena *arena, limpet_mover *mover);
// Along velocity coordinates of a pose; along one number.
void limpet_move_pose(const limpet_mover *mover, int dof, double by);
void limpet_move_number(const limpet_mover *mover, int index, double by);

/* The wanted columns of a series with their kinks; e: settings.difference, share: of a control,
 * rest (size): the residual where nothing moves. */
limpet_residual_outcome limpet_pose_differences(const limpet_column_series *of, double e,
                                                const double *rest);
limpet_residual_outcome limpet_velocity_differences(const limpet_column_series *of, double e,
                                                    const double *rest);
limpet_residual_outcome limpet_force_differences(const limpet_column_series *of, double e);
limpet_residual_outcome limpet_control_differences(const limpet_column_series *of, double share,
                                                   double e);

/* At least this much would a unit of a column, `change` (size) of the residual, change a velocity
 * if nothing held it: r = A x,   |r_i| <= sum_j |A_ij| max |x| */
double limpet_free_answer(const limpet_residual *residual, const double *change);

/* Whether a slope of the residual jumps within a difference over E: jump (size) is 2 J(E) - J(2 E),
 * J(E) = [r(+E) - 2 r(0) + r(-E)]/E, column (size) the slope. dv (nv): work. */
bool limpet_slope_jumps(const limpet_residual *residual, const double *column, const double *jump,
                        double E, double *dv);

#endif
