/* limpet/batch.h: many worlds of one model, or of models of one size, stepped on threads. Floor 11.
 */
#ifndef LIMPET_BATCH_H
#define LIMPET_BATCH_H

#include "limpet/step.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limpet_batch limpet_batch;  // a pool of threads and worlds

/* Writes the inputs of the next step of a world: control, applied forces, mocap poses. Called on
 * any of the threads, but for one world in the order of its steps. `context` is that of the
 * request. */
typedef void limpet_batch_control(void *context, int world, const limpet_model *model,
                                  limpet_data *data);

typedef struct limpet_rollout {
  const limpet_step_settings *settings;  // of every step; its threads do not count
  int world_count;
  int step_count;              // of each world
  int interval;                // steps between two rows of the results; 1: each step has a row
  const double *start_state;   // (world_count x state_size)  limpet_data_state_read; NULL: after
                               // limpet_data_reset
  const double *control;       // (world_count x step_count x nu)  before each step; NULL: as reset
  limpet_batch_control *call;  // besides, after `control`; NULL: none
  void *context;               // of call and go_on
  // results, NULL where one is not wanted; rows = step_count / interval, rounded down
  double *q;                // (world_count x rows x nq)  [m, rad, -]  at the end of the step
  double *v;                // (world_count x rows x nv)  [m/s, rad/s]  at the end of the step
  double *sensor;           // (world_count x rows x nsensor)  as data->sensor after the step
  double *end_state;        // (world_count x state_size)  full state after the last step
  limpet_outcome *outcome;  // (world_count)  the worst of all steps
  // asked after every 32nd step of a world, on any of the threads; false ends all worlds after the
  // steps that they are in: rows that were not reached keep what they held; NULL: never asked
  bool (*go_on)(void *context);
} limpet_rollout;

// NULL without memory or threads. `threads` >= 1 counts the caller. The model must outlive it.
LIMPET_API limpet_batch *limpet_batch_create(const limpet_model *model, int threads);
/* The same with a model for each world, whose masses, friction and the like differ: world i of a
 * rollout has model[i], and there are at most `count`. NULL, too, where the models differ in nq,
 * nv, nu, nsensor or the size of their state. Keeps `count` worlds in memory. */
LIMPET_API limpet_batch *limpet_batch_create_each(const limpet_model *const *model, int count,
                                                  int threads);
LIMPET_API void limpet_batch_destroy(limpet_batch *batch);

/* Steps every world from its start state; returns when all are done. The results are the same bits
 * at any number of threads. A world whose step fails keeps its state of before, and its outcome
 * says so; it goes on with the next step. Allocates nothing once the worlds have met their
 * contacts. */
LIMPET_API void limpet_batch_rollout(limpet_batch *batch, const limpet_rollout *rollout);

#ifdef __cplusplus
}
#endif
#endif
