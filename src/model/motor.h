/* model/motor.h: where the activations of a motor lie. */
#ifndef LIMPET_MODEL_MOTOR_H
#define LIMPET_MODEL_MOTOR_H

#include "limpet/description.h"

enum { LIMPET_MOTOR_STATES = 5 };

// Index of each among the activations of its actuator; -1: there is none.
typedef struct limpet_motor_states {
  int slewed, integral, temperature, bristle, current;
  int count;
} limpet_motor_states;

limpet_motor_states limpet_motor_states_of(const limpet_motor *motor);

// Place of one of its inputs (a LIMPET_MOTOR_ bit) among its controls; -1: it has no such input.
int limpet_motor_input(const limpet_motor *motor, unsigned input);
// How many controls it has.
int limpet_motor_input_count(const limpet_motor *motor);

#endif
