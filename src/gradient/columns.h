/* gradient/columns.h: how the residual of a step changes with its state and its inputs. */
#ifndef LIMPET_GRADIENT_COLUMNS_H
#define LIMPET_GRADIENT_COLUMNS_H

#include "gradient/column_differences.h"
#include "gradient/tree_flight.h"

// Changes of the residual, each residual->size long; NULL: not wanted.
typedef struct limpet_columns {
  double *q, *v;      // (nv x size); v NULL: the scheme starts from rest
  double *force;      // (nv x size)  NULL: -h at the velocity's own place
  double *control;    // (nu x size)
  double *stiffness;  // (nu x size)
  // (nv)  the residual of compliant contact has a kink within the difference: geometry switches, or
  // a tree takes another number of parts
  bool *kinked_q, *kinked_v;
  bool *kinked_force, *kinked_control;  // (nv), (nu)  a tree takes another number of parts
  // (6 nv)  limpet_tree_change.impulse_q and impulse_v of each tree, at 6 tree_dof; where NULL, or
  // not known (tree_count): not there
  double *impulse_q, *impulse_v;
  bool *impulse_known;
  /* (nv x size)  by data->warm_start, of trees that are known (tree_count) to have a closed form;
   * (6 nv)  of their impulses, where those are known; NULL: not wanted */
  double *change, *impulse_change;
  bool *change_known;
  limpet_tree_flight *flight;  // (tree_count)  of those made; NULL: no tree flies
  double *flight_room;         // (LIMPET_FLIGHT_ROOM nv)  each tree's at its first velocity
  // (nu x nv)  generalised force by controls outside the solve, of columns in closed form; with
  // flight
  double *control_force;
  bool *by_differences;  // (nv)  q and v came from differences of the whole residual
  bool *in_stiffness;    // (nu)  the actuator is a servo of the matrix: its column counts
  int servo_count;       // of those
} limpet_columns;

/* Takes the columns from the arena and fills them; by_change: those by data->warm_start that have a
 * closed form, too. The world of the probe is at the start of the step, and is again on return; its
 * velocities are those that count. */
limpet_residual_outcome limpet_columns_fill(limpet_probe *probe,
                                            const limpet_gradient_settings *settings,
                                            bool by_change, limpet_arena *arena,
                                            limpet_columns *columns);

#endif
