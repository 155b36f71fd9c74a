/* record/live_command.h: what a page asks of a simulation, as JSON and as a struct. */
#ifndef LIMPET_RECORD_LIVE_COMMAND_H
#define LIMPET_RECORD_LIVE_COMMAND_H

#include "limpet/data.h"

typedef enum limpet_live_verb {
  LIMPET_LIVE_PLAY,     // {"do": "play"}
  LIMPET_LIVE_PAUSE,    // {"do": "pause"}
  LIMPET_LIVE_STEP,     // {"do": "step", "count": 1}: steps, then pauses
  LIMPET_LIVE_SPEED,    // {"do": "speed", "value": 0.5}
  LIMPET_LIVE_RESET,    // {"do": "reset"}
  LIMPET_LIVE_DRAG,     // {"do": "drag", "body": 3, "point": [..] body, "target": [..] W}
  LIMPET_LIVE_RELEASE,  // {"do": "release"}
  LIMPET_LIVE_CONTROL,  // {"do": "control", "actuator": 0, "value": 1.5}
  LIMPET_LIVE_VERB_COUNT
} limpet_live_verb;

enum { LIMPET_LIVE_STEP_LIMIT = 1000 };  // steps that one message can ask for

typedef struct limpet_live_command {
  limpet_live_verb verb;
  int number;                  // steps, body or actuator
  double value;                // speed, control
  double point[3], target[3];  // [m]  in the body frame; W
} limpet_live_command;

// False: the text is no command for this model; nothing of it is to be believed.
bool limpet_live_command_read(const char *text, const limpet_model *model,
                              limpet_live_command *command);

#endif
