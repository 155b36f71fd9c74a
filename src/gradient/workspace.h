/* gradient/workspace.h: what limpet_gradient keeps from call to call; every column of a derivative
 * as a change of the step. */
#ifndef LIMPET_GRADIENT_WORKSPACE_H
#define LIMPET_GRADIENT_WORKSPACE_H

#include "gradient/body_end.h"
#include "gradient/columns.h"
#include "gradient/integration.h"
#include "gradient/reverse.h"
#include "gradient/soft_gradient.h"
#include "gradient/tree_end.h"
#include "gradient/tree_free_end.h"

struct limpet_gradient_workspace {
  const limpet_model *model;
  limpet_data *world;  // that differences move about
  limpet_arena arena;  // results and workspaces of the last call
  double *start;       // (geoms x 12)  poses of geoms there: positions, rotations
  // of the smoothed step, or of one sample, and the world that makes it: smoothing.h; NULL: not yet
  limpet_gradient *smoothed;
  limpet_data *smoothed_world;
  limpet_data *jump_world;  // of steps that look for jumps; NULL: not yet

  // of the last call
  const limpet_data *data;           // NULL: no derivatives
  const limpet_solved_step *solved;  // its record of the step
  int64_t step_count;                // of data
  limpet_step_settings settings;
  limpet_gradient_settings wanted;
  limpet_residual residual;
  limpet_probe *probe;  // of its equations, in `world`
  limpet_columns columns;
  limpet_integration integration;
  double *change;              // (residual size)
  double *velocity, *shift;    // (nv of the problem)
  limpet_soft_gradient *soft;  // deformable bodies; NULL: the model has none
  bool has_mass;               // mass matrices of the world are those that the step took
  bool carries_on;             // for limpet_gradient_adjoint_carried
  bool carries;                // a compliant contact with a force lost its feature
  bool approximate;            // kinks everywhere: see limpet_gradient
  bool flies;                  // columns pass through the end of free flight: gradient/flight.h
  limpet_reverse *reverse;  // products come from it, and there are no columns; NULL: from columns
  int end_count;
  limpet_body_end *end;  // (end_count)  of bodies alone, in closed form; where none flies otherwise
  int tree_end_count;
  limpet_tree_end *tree_end;  // (tree_end_count)  of held trees of several bodies, likewise
  int free_end_count;
  limpet_tree_free_end *free_end;  // (free_end_count)  of those that nothing holds, likewise
};

// The members of limpet_gradient_arrays, in their order.
typedef enum limpet_gradient_group {
  LIMPET_GRADIENT_Q,
  LIMPET_GRADIENT_V,
  LIMPET_GRADIENT_FORCE,
  LIMPET_GRADIENT_CONTROL,
  LIMPET_GRADIENT_STIFFNESS,
  LIMPET_GRADIENT_FRICTION,
  LIMPET_GRADIENT_TORSION,
  LIMPET_GRADIENT_DISTANCE,
  LIMPET_GRADIENT_CONTACT_STIFFNESS,
  LIMPET_GRADIENT_DISSIPATION,
  LIMPET_GRADIENT_RELAXATION_TIME,
  LIMPET_GRADIENT_START_SPEED,
  LIMPET_GRADIENT_POINT,
  LIMPET_GRADIENT_TURN,
  LIMPET_GRADIENT_GROUPS,
  LIMPET_GRADIENT_CHANGE  // no array: data->warm_start, carried.h
} limpet_gradient_group;

// Array of a group, and how many columns it has.
double **limpet_gradient_array(limpet_gradient_arrays *arrays, limpet_gradient_group group);
int limpet_gradient_width(const limpet_gradient_workspace *workspace, limpet_gradient_group group);
// Whether there are columns of a group of the state or of inputs.
bool limpet_gradient_is_wanted(const limpet_gradient_workspace *workspace,
                               limpet_gradient_group group);
// Whether the step has a kink along a column whatever the contacts do: what its columns found, and
// a control at an end of its range.
bool limpet_gradient_kinked(const limpet_gradient_workspace *workspace, limpet_gradient_group group,
                            int column);
// Whether the step has a kink along some change of its start, as far as the last derivatives know.
bool limpet_gradient_meets_kink(const limpet_gradient_workspace *workspace,
                                const limpet_gradient *gradient);
// Zeroed arrays of `rows` rows for the groups that are wanted. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_gradient_take(limpet_gradient_workspace *workspace, int rows,
                                   limpet_gradient_arrays *arrays);

/* Calls `use` for every column of every group that is wanted, with the change of the residual: zero
 * outside `island` if that is >= 0; NULL: the step has no such parameter. Columns of v of schemes
 * from rest are left out. */
typedef void (*limpet_change_use)(void *context, limpet_gradient_group group, int column,
                                  const double *change, int island);
void limpet_gradient_visit(limpet_gradient_workspace *workspace, limpet_change_use use,
                           void *context);
// The same for the columns of contacts alone.
void limpet_gradient_visit_contacts(limpet_gradient_workspace *workspace, limpet_change_use use,
                                    void *context);

// `world`, of a model of the same sizes, gets the state and the inputs of `from`.
void limpet_gradient_start(const limpet_data *from, limpet_data *world);
// Trees fly in `world` by the rules of the last step of `from`: bodies alone in as many parts, mean
// velocities renewed where they were.
void limpet_gradient_hold_rules(const limpet_data *from, limpet_data *world);
// The world of differences: the state before the step; after it, what follows from that state.
void limpet_gradient_keep_state(limpet_gradient_workspace *workspace, const limpet_data *data,
                                bool from_rest);
void limpet_gradient_keep_poses(limpet_gradient_workspace *workspace, const limpet_data *data);
// Why there are no derivatives; NULL: there are.
const char *limpet_residual_reason(limpet_residual_outcome outcome);
/* dq, dv and kinks of the columns of state and inputs of compliant contact where no tree flies; all
 * arrays are zero on entry. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_gradient_fill_blocks(limpet_gradient_workspace *workspace,
                                          limpet_gradient *gradient);
/* The second half of that: dv (set) of state and inputs from what was solved for to the end of the
 * step, and dq (set). LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_gradient_fill_ends(limpet_gradient_workspace *workspace,
                                        limpet_gradient *gradient);
// dq (nv x nv), of poses by poses, += what the step starts from; where no tree flies.
void limpet_gradient_add_start(const limpet_gradient_workspace *workspace, double *dq);
/* From the change of the velocity that was solved for, in w->velocity, to those of velocity and
 * positions at the end of the step, there and in w->shift; LIMPET_GRADIENT_GROUPS: no column.
 * Returns whether a tree that flies follows other rules near by. */
bool limpet_gradient_pass_end(limpet_gradient_workspace *w, limpet_gradient_group group,
                              int column);
// The poses and velocities of the world, which differences leave where they moved it last.
void limpet_gradient_look_back(limpet_gradient_workspace *workspace);
// dq and dv of all columns. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_gradient_fill(limpet_gradient_workspace *workspace, limpet_gradient *gradient);

/* limpet_gradient_step in parts: the step, `reason` where it can have no derivatives; the end,
 * which forgets all where there is a reason. */
limpet_outcome limpet_gradient_begin(const limpet_model *model, limpet_data *data,
                                     const limpet_step_settings *settings,
                                     const limpet_gradient_settings *gradient_settings,
                                     limpet_gradient *gradient);
void limpet_gradient_end(limpet_gradient *gradient, const limpet_data *data);
// limpet_gradient_step and limpet_gradient_adjoint without smoothing.
limpet_outcome limpet_gradient_step_plain(const limpet_model *model, limpet_data *data,
                                          const limpet_step_settings *settings,
                                          const limpet_gradient_settings *gradient_settings,
                                          limpet_gradient *gradient);
bool limpet_gradient_adjoint_plain(limpet_gradient *gradient, const double *weight_q,
                                   const double *weight_v);

#endif
