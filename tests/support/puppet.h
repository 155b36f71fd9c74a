/* tests/support/puppet.h: a world that is moved by hand, for records: a table on the floor, an arm
 * of two links and a red cube that is carried along a curve, with contacts and results of steps
 * that follow formulas of time. No step is taken. */
#ifndef LIMPET_TEST_PUPPET_H
#define LIMPET_TEST_PUPPET_H

#include "limpet/limpet.h"

limpet_model *puppet_model(void);
// Setup and teardown of a group of tests whose state is the model.
int puppet_create(void **state);
int puppet_destroy(void **state);
// State, controls, four contacts under the cube and info at step `step` of 2 ms; step 0 is the
// start, without results.
void puppet_move(const limpet_model *model, limpet_data *data, int step);
limpet_step_settings puppet_settings(const limpet_model *model);

#endif
