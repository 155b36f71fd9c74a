/* control/plan_read.h: parts of reading a plan.json. */
#ifndef LIMPET_CONTROL_PLAN_READ_H
#define LIMPET_CONTROL_PLAN_READ_H

#include "control/plan.h"
#include "control/plan_term.h"

// "preset", "scheme", "contact_model", "time_step", "settings": how a step is made. False with the
// error.
bool limpet_plan_step_read(limpet_step_settings *step, const limpet_model *model,
                           const limpet_json *root);
// "start", "control" and "guess": start state, limits, guess of the controls and of the states.
// False with the error; what was taken is freed by limpet_plan_task_destroy.
bool limpet_plan_start_read(limpet_plan_task *task, const limpet_model *model,
                            const limpet_json *root);
// "smoothing": the stages before the plain run. False with the error.
bool limpet_plan_stages_read(limpet_plan_task *task, const limpet_json *root);

#endif
