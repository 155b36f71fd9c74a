/* step/step_threads.h: the threads that a world steps with. */
#ifndef LIMPET_STEP_STEP_THREADS_H
#define LIMPET_STEP_STEP_THREADS_H

#include "base/threads.h"
#include "limpet/data.h"

// They live with the world; asking for another number replaces them. NULL: the caller's alone.
limpet_threads *limpet_step_threads(limpet_data *data, int count);

#endif
