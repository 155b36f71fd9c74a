/* step/prepared.h: what the three verbs of a step hand to each other.
 *
 *   prepare   work       everything up to the problem, at the state as it is
 *   attempt   solution   the problem solved; as many of one work as are wanted
 *   commit    record     both, kept for derivatives until the next commit
 * All of it lies in the step memory of the world: until the next prepare, the record until the
 * next commit. */
#ifndef LIMPET_STEP_PREPARED_H
#define LIMPET_STEP_PREPARED_H

#include "contact/record.h"
#include "solve/solve.h"
#include "step/free_motion.h"
#include "step/scheme.h"
#include "step/stage_clock.h"

typedef struct limpet_step_work {
  limpet_step_settings settings;  // with the time step of this step
  limpet_trees trees;             // that the step moves; others keep their state
  limpet_arena *arena;            // step memory
  int64_t opened;                 // open_count of the workspace: whether that memory is still this
  double *v_start;                // (nv)  [m/s, rad/s]  that the step starts from; from rest: zero
  limpet_free_motion motion;
  limpet_reach reach;          // how far bodies were looked ahead
  limpet_collision detected;   // what was found at the poses of the start
  limpet_collision collision;  // that, and what attempts saw where they ended
  limpet_contact_records records;
  limpet_contact_problem problem;  // as assembled: attempts read it
  limpet_arena_mark before_pose;   // of the step memory: what is younger is of attempts
  bool detected_again;             // `detected` and `reach` are of an attempt, too
  bool continues;         // a later substep: sensors and delays have what they take of the step
  limpet_step_info info;  // what is known before the solve
  // of limpet_step_look_again
  const double *found;  // (nv)  velocities of an attempt with fewer contacts; NULL: none was made
  // (contacts of the problem)  of those that `found` was found with; NULL: of another problem
  const bool *known;
  /* An attempt whose islands stay but those of `moved` (tree_count); kept_island (islands of the
   * problem): which they are in its problem, LIMPET_NONE: solved anew. NULL: none stays */
  const struct limpet_step_solution *kept;
  const int *kept_island;
  const bool *moved;
  const double *found_vertices;  // (vertex_count x 3)  [m/s]  of an attempt with other elastic laws
  limpet_step_info spent;        // repeats, and what attempts with fewer contacts counted
  int brakes;                    // problems posed anew with joints that are damped: brake.h
  int closings;        // problems posed anew for bodies that flew elsewhere: close_loops.h
  double missed_turn;  // [rad]  by which they turned elsewhere before
  int looks;           // problems posed anew with contacts that attempts missed
  int holds;           // attempts anew with slower rebounds
  struct limpet_rebound *rebounds;  // (patches)  that are slower: rebound.c; NULL: not asked yet
  bool *weak;              // (nv of the model)  first velocity of trees whose returns are weaker
  const bool *folded;      // (contacts)  between links of one tree; NULL: not asked yet
  int earlier_iterations;  // of it, that do not count: of stronger returns, earlier rounds
                           // of elastic laws, and looks
} limpet_step_work;

typedef struct limpet_step_solution {
  limpet_contact_problem problem;   // that of the work; without forces carried from the last step
                                    // where the settings of the attempt ask for none
  limpet_contact_solution contact;  // of it
  double *v;                        // (nv)  [m/s, rad/s]  at the end of the step
  double *q;                        // (nq)  at the end of the step
  double *held;                     // (tree_count)  see limpet_data.tree_held
  double *vertex_position;          // (vertex_count x 3)  [m]  at the end of the step
  double *vertex_velocity;          // (vertex_count x 3)  [m/s]  at the end of the step
  double tolerance;                 // it was solved with
  // of the attempt that other trees than those of `moved` (tree_count) are as in; NULL: none is
  const struct limpet_step_solution *kept;
  const bool *moved;
} limpet_step_solution;

/* limpet_step_prepare for some of the trees; `trees` lives until the commit. Others are in the way
 * of those as bodies that cannot move, whatever their velocity is: where they are they have been
 * since a step, or limpet_kinematics and limpet_geom_kinematics, of all trees. */
limpet_outcome limpet_step_prepare_trees(const limpet_model *model, limpet_data *data,
                                         const limpet_step_settings *settings, double time_step,
                                         limpet_trees trees, limpet_step_prepared *prepared);

// limpet_step but for the commit: prepare, and attempts until there is something to commit.
void limpet_step_solve(const limpet_model *model, limpet_data *data,
                       const limpet_step_settings *settings, double time_step,
                       limpet_step_prepared *prepared, limpet_step_result *result);

/* Stage 5 of a prepared step, from its collision: records and problem. Outcome: solved or out of
 * memory. */
limpet_outcome limpet_step_pose(limpet_step_work *work, limpet_data *data,
                                limpet_stage_clock *clock);

// What a step left, as it told: what the next one begins with must be that.
typedef struct limpet_energy_end {
  bool known;        // settings.energy, and all trees moved
  double kinetic;    // [J]
  double potential;  // [J]
  double contact;    // [J]  in contacts of given stiffness, without what the user moves
  double parted;     // [J]  lead of what rebounded: report_lead.c
} limpet_energy_end;

// What the last step of a world solved, in its step memory: until its next step.
typedef struct limpet_solved_step {
  limpet_free_motion motion;
  limpet_collision collision;
  limpet_contact_records records;
  limpet_contact_problem problem;
  limpet_contact_solution solution;
  limpet_energy_end energy;
} limpet_solved_step;

// NULL: the last step failed, or there was none.
const limpet_solved_step *limpet_solved_step_of(const limpet_data *data);

#endif
