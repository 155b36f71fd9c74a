/* record/signal.h: what is plotted of a run: one number a step for each signal. */
#ifndef LIMPET_RECORD_SIGNAL_H
#define LIMPET_RECORD_SIGNAL_H

#include "limpet/data.h"

typedef enum limpet_signal {       // in the order of limpet_signal_name
  LIMPET_SIGNAL_PENETRATION,       // [m]  of the step, as the next eight
  LIMPET_SIGNAL_FORCE,             // [N]  sum of the normal forces
  LIMPET_SIGNAL_ITERATIONS,        // [-]
  LIMPET_SIGNAL_STEP_TIME,         // [s]  sum over the stages
  LIMPET_SIGNAL_CONTACTS,          // [-]  contacts with a force
  LIMPET_SIGNAL_FRICTION,          // [-]  departure from Coulomb's law
  LIMPET_SIGNAL_OVERLAP,           // [m]  made in the step
  LIMPET_SIGNAL_RISE,              // [J]  of energy, without work
  LIMPET_SIGNAL_SURFACE,           // [-]  error of the worst contact surface
  LIMPET_SIGNAL_KINETIC_ENERGY,    // [J]  at the end of the step, as the next two
  LIMPET_SIGNAL_POTENTIAL_ENERGY,  // [J]
  LIMPET_SIGNAL_CONTACT_ENERGY,    // [J]
  LIMPET_SIGNAL_COUNT
} limpet_signal;

/* Signals before this one are events that a picture between two steps can miss: pictures show the
 * largest value since the one before. */
enum { LIMPET_SIGNAL_PEAK_COUNT = LIMPET_SIGNAL_KINETIC_ENERGY };

extern const char *const limpet_signal_name[LIMPET_SIGNAL_COUNT];

// Signals of the last step; not-a-number before the first one.
void limpet_signals_read(double signal[LIMPET_SIGNAL_COUNT], const limpet_data *data);
// peak = the larger of both, for the signals that are events.
void limpet_signals_keep_peaks(double peak[LIMPET_SIGNAL_COUNT],
                               const double signal[LIMPET_SIGNAL_COUNT]);

#endif
