/* record/signal.c: the plotted signals, read from the results of a step. */
#include "record/signal.h"

#include <math.h>

const char *const limpet_signal_name[LIMPET_SIGNAL_COUNT] = {
    "penetration",        "force",         "iterations",  "step_time",     "contacts",
    "friction_departure", "overlap_made",  "energy_rise", "surface_error", "kinetic_energy",
    "potential_energy",   "contact_energy"};

static double total_normal_force(const limpet_data *data) {
  double sum = 0.0;
  for (int i = 0; i < data->contact_count; ++i) sum += data->contact_force[3 * i + 2];
  return sum;
}

static double total_stage_time(const limpet_step_info *info) {
  double sum = 0.0;
  for (int s = 0; s < LIMPET_STAGE_COUNT; ++s) sum += info->stage_time[s];
  return sum;
}

void limpet_signals_read(double signal[LIMPET_SIGNAL_COUNT], const limpet_data *data) {
  const limpet_step_info *info = &data->info;
  signal[LIMPET_SIGNAL_PENETRATION] = info->deepest_penetration;
  signal[LIMPET_SIGNAL_FORCE] = total_normal_force(data);
  signal[LIMPET_SIGNAL_ITERATIONS] = info->iterations;
  signal[LIMPET_SIGNAL_STEP_TIME] = total_stage_time(info);
  signal[LIMPET_SIGNAL_CONTACTS] = info->touching_count;
  signal[LIMPET_SIGNAL_FRICTION] = info->friction_departure;
  signal[LIMPET_SIGNAL_OVERLAP] = info->overlap_made;
  signal[LIMPET_SIGNAL_RISE] = info->energy_rise;
  signal[LIMPET_SIGNAL_SURFACE] = info->surface_error;
  signal[LIMPET_SIGNAL_KINETIC_ENERGY] = info->kinetic_energy;
  signal[LIMPET_SIGNAL_POTENTIAL_ENERGY] = info->potential_energy;
  signal[LIMPET_SIGNAL_CONTACT_ENERGY] = info->contact_energy;
  if (data->step_count == 0)  // nothing is known of the start but its pose
    for (int s = 0; s < LIMPET_SIGNAL_COUNT; ++s) signal[s] = NAN;
}

void limpet_signals_keep_peaks(double peak[LIMPET_SIGNAL_COUNT],
                               const double signal[LIMPET_SIGNAL_COUNT]) {
  for (int s = 0; s < LIMPET_SIGNAL_PEAK_COUNT; ++s)
    if (signal[s] > peak[s]) peak[s] = signal[s];
}
