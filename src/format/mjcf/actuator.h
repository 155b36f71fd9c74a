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
  LIMPET_MJCF_GAIN_ORIENTATION,
  LIMPET_MJCF_GAIN_PID
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
  LIMPET_MJCF_DYNAMICS_MUSCLE,
  LIMPET_MJCF_DYNAMICS_MOTOR,
  LIMPET_MJCF_DYNAMICS_PID
};
enum { LIMPET_MJCF_PARAMETERS = 10, LIMPET_MJCF_NO_INPUTS = -1 };

typedef struct limpet_mjcf_actuator_record {
  limpet_actuator_description d;
  int control_limited, force_limited, activation_limited;  // LIMPET_MJCF_FALSE, _TRUE, _AUTO
  const char *kind;  // element that wrote the law below last; "general" before any
  int gain_type, bias_type, dynamics;
  double gain[LIMPET_MJCF_PARAMETERS], bias[LIMPET_MJCF_PARAMETERS],
      dynamics_parameter[LIMPET_MJCF_PARAMETERS];
  int controls;  // of kinds that may have other than one; -1: one
  int inputs;    // of motors: LIMPET_MOTOR_ bits, 0: as the kind has them, or LIMPET_MJCF_NO_INPUTS
  int activations;                                 // 'actdim'; -1: as the law has them
  double velocity_range[2], feedforward_range[2];  // of two inputs of <pid>
  double inherit_range, armature, damping, damping_growth[2];
} limpet_mjcf_actuator_record;

/* The record of an element with its classes; of an element that is not simulated, only the defaults
 * of its own kind count. */
limpet_mjcf_actuator_record limpet_mjcf_actuator_layers(limpet_reader *reader,
                                                        const limpet_mjcf_source *source,
                                                        const limpet_xml_element *e);
// Fails where a number, `what` of the attribute, is negative.
void limpet_mjcf_refuse_negative(limpet_reader *reader, const limpet_xml_element *e,
                                 const char *attribute, const char *what, double value);
// 'kv', or 'dampratio' as a positive number until the mass is known, as the third bias.
void limpet_mjcf_read_damping(limpet_reader *reader, const limpet_xml_element *e,
                              limpet_mjcf_actuator_record *r);
// Layers of <pid>, <dcmotor>, and of what <general> shares with them.
void limpet_mjcf_read_pid(limpet_reader *reader, const limpet_xml_element *e,
                          limpet_mjcf_actuator_record *r);
void limpet_mjcf_read_dcmotor(limpet_reader *reader, const limpet_xml_element *e,
                              limpet_mjcf_actuator_record *r);
void limpet_mjcf_read_motor_inputs(limpet_reader *reader, const limpet_xml_element *e,
                                   limpet_mjcf_actuator_record *r);
// Whether the record is a PID controller or an electrical motor; what it becomes; and the range of
// the control of each of its inputs.
bool limpet_mjcf_is_motor(const limpet_mjcf_actuator_record *r);
void limpet_mjcf_take_motor(limpet_reader *reader, const limpet_xml_element *e,
                            limpet_mjcf_actuator_record *r);
const double *limpet_mjcf_motor_range(const limpet_mjcf_actuator_record *r, int part);
// Whether the kind of actuator is one that is not simulated, and gives no force.
bool limpet_mjcf_actuator_inert(const limpet_xml_element *e);

#endif
