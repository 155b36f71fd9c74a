/* format/mjcf/actuator.h: what the two files about actuators share: one record for all
 * kinds, as the classes of MJCF have it. */
#ifndef LIMPET_FORMAT_MJCF_ACTUATOR_H
#define LIMPET_FORMAT_MJCF_ACTUATOR_H

#include "format/mjcf/source.h"

enum {
  LIMPET_MJCF_GAIN_FIXED,
  LIMPET_MJCF_GAIN_AFFINE,
  LIMPET_MJCF_GAIN_MUSCLE,
  LIMPET_MJCF_GAIN_MOTOR,
  LIMPET_MJCF_GAIN_ORIENTATION
};
enum {
  LIMPET_MJCF_BIAS_NONE,
  LIMPET_MJCF_BIAS_AFFINE,
  LIMPET_MJCF_BIAS_MUSCLE,
  LIMPET_MJCF_BIAS_MOTOR,
  LIMPET_MJCF_BIAS_ORIENTATION
};
enum {
  LIMPET_MJCF_DYNAMICS_NONE,
  LIMPET_MJCF_DYNAMICS_INTEGRATOR,
  LIMPET_MJCF_DYNAMICS_FILTER,
  LIMPET_MJCF_DYNAMICS_FILTER_EXACT,
  LIMPET_MJCF_DYNAMICS_MUSCLE
};
enum { LIMPET_MJCF_PARAMETERS = 10 };

typedef struct limpet_mjcf_actuator_record {
  limpet_actuator_description d;
  int control_limited, force_limited, activation_limited;  // LIMPET_MJCF_FALSE, _TRUE, _AUTO
  const char *kind;  // element that wrote the law below last; "general" before any
  int gain_type, bias_type, dynamics;
  double gain[LIMPET_MJCF_PARAMETERS], bias[LIMPET_MJCF_PARAMETERS],
      dynamics_parameter[LIMPET_MJCF_PARAMETERS];
  int controls;  // of kinds that may have other than one; -1: one
  double inherit_range, armature, damping, damping_growth[2];
} limpet_mjcf_actuator_record;

/* The record of an element with its classes; of an element that is not simulated, only the defaults
 * of its own kind count. */
limpet_mjcf_actuator_record limpet_mjcf_actuator_layers(limpet_reader *reader,
                                                        const limpet_mjcf_source *source,
                                                        const limpet_xml_element *e);
// Whether the kind of actuator is one that is not simulated, and gives no force.
bool limpet_mjcf_actuator_inert(const limpet_xml_element *e);

#endif
