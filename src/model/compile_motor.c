/* model/compile_motor.c: actuators that are a PID controller or an electrical motor. */
#include <math.h>

#include "base/field.h"
#include "limpet/model.h"
#include "model/compile.h"
#include "model/motor.h"

// The actuators of a motor, one for each input, stand together and are alike.
static bool follows(const limpet_actuator_description *first, const limpet_actuator_description *d,
                    int part) {
  return d->part == part && d->part_count == first->part_count &&
         d->gain_law == LIMPET_ACTUATOR_MOTOR && d->motor.inputs == first->motor.inputs &&
         d->transmission == first->transmission && d->target == first->target &&
         d->reference_site == first->reference_site;
}

static limpet_status check_parts(const limpet_compiler *compiler, int a) {
  const limpet_actuator_description *d = limpet_builder_actuators(compiler->builder) + a;
  const int inputs = limpet_motor_input_count(&d->motor), count = inputs > 0 ? inputs : 1;
  const int last = a - d->part + d->part_count - 1;
  bool whole = d->part_count == count && d->part >= 0 && d->part < count && a >= d->part &&
               last < compiler->sizes.actuator_count;
  for (int i = 0; whole && i < count; ++i) whole = follows(d, d + i - d->part, i);
  if (whole) return LIMPET_OK;
  return limpet_compile_error(
      compiler, LIMPET_OBJECT_ACTUATOR, a,
      " is part %d of a motor of %d, which has %d inputs; add one actuator for each input, one "
      "after the other, with the same target and the parts 0, 1, ...",
      d->part, d->part_count, inputs);
}

/* What a motor cannot be without, in the words of its parameters. NULL: it is complete. */
static const char *missing(const limpet_actuator_description *d) {
  const limpet_motor *m = &d->motor;
  const bool controlled =
                 m->inputs & (LIMPET_MOTOR_POSITION | LIMPET_MOTOR_VELOCITY | LIMPET_MOTOR_FORCE),
             gains = m->position_gain != 0.0 || m->velocity_gain != 0.0 || m->integral_gain != 0.0,
             winding = m->resistance > 0.0,
             electrical = m->constant > 0.0 || m->current_time > 0.0 ||
                          m->thermal_resistance > 0.0 || m->voltage_limit > 0.0 ||
                          m->inputs & LIMPET_MOTOR_VOLTAGE;
  const bool integrator = m->integral_gain > 0.0;
  if (electrical && !winding)
    return "has a motor constant, a current, a temperature or a voltage but no resistance; give "
           "the resistance of its winding [Ohm]";
  if (winding && controlled && !(m->constant > 0.0))
    return "has a controller but no motor constant; give one, or leave out its controller inputs";
  if (winding && !controlled && (gains || m->slew_limit > 0.0))
    return "has gains of a controller but none of the inputs pos, vel and ff; add one of them, or "
           "leave out the controller";
  if (!winding && !controlled && !(m->bristle_stiffness > 0.0) && m->cogging_torque == 0.0)
    return "has no input and no winding, friction or cogging: it gives no force; give it one";
  if (integrator && !(m->inputs & LIMPET_MOTOR_POSITION))
    return "integrates an error of position but has no position input; add the input pos, or set "
           "the integral gain to 0";
  if (m->thermal_resistance > 0.0 && !(m->thermal_capacity > 0.0))
    return "has a thermal resistance but no thermal capacity; give it [J/K]";
  return NULL;
}

static limpet_status check_numbers(const limpet_compiler *compiler, int a) {
  const limpet_field_table *table = limpet_motor_fields();
  const limpet_motor *motor = &limpet_builder_actuators(compiler->builder)[a].motor;
  for (int i = 0; i < table->count; ++i) {
    const limpet_field *field = &table->fields[i];
    const double value = limpet_field_number(field, motor, 0);
    if (!isfinite(value) || !limpet_field_allows(field, value))
      return limpet_compile_error(compiler, LIMPET_OBJECT_ACTUATOR, a,
                                  ": the %s of its motor is %g; give a finite number of at least "
                                  "%g",
                                  limpet_field_last_name(field), value, field->minimum);
  }
  return LIMPET_OK;
}

limpet_status limpet_compile_motor(const limpet_compiler *compiler, int a) {
  const limpet_actuator_description *d = limpet_builder_actuators(compiler->builder) + a;
  const int list = LIMPET_OBJECT_ACTUATOR;
  const bool gain = d->gain_law == LIMPET_ACTUATOR_MOTOR,
             bias = d->bias_law == LIMPET_ACTUATOR_MOTOR,
             states = d->activation == LIMPET_ACTIVATION_MOTOR;
  if (!gain && !bias && !states) return LIMPET_OK;
  if (!gain || !bias || (!states && d->activation != LIMPET_ACTIVATION_NONE) ||
      states != (limpet_motor_states_of(&d->motor).count > 0))
    return limpet_compile_error(
        compiler, list, a,
        " is a motor in part; its gain, its bias and, if it has activations, its activation are "
        "LIMPET_ACTUATOR_MOTOR and LIMPET_ACTIVATION_MOTOR");
  if (d->transmission == LIMPET_TRANSMISSION_BODY || d->transmission == LIMPET_TRANSMISSION_SURFACE)
    return limpet_compile_error(
        compiler, list, a,
        " is a motor; it needs a joint, tendon or site, not the contacts or surface of a body");
  const char *lack = missing(d);
  if (lack) return limpet_compile_error(compiler, list, a, " %s", lack);
  const limpet_status status = check_parts(compiler, a);
  return status ? status : check_numbers(compiler, a);
}
