/* model/option_fields.c: the tables of the structs that a description and a model share: options,
 * material, impedance, what a contact sensor reports; and the defaults that they give. */
#include "base/field.h"
#include "limpet/model.h"

enum { MOTION = LIMPET_FIELD_MOTION, OTHER = 0 };

// a number of a unit with default and range; its type is that of the member
#define NUMBER(member, unit_text, standard, low, high, bits, words)                                \
  {                                                                                                \
    LIMPET_FIELD_ONE(RECORD, member), .shape = "", .unit = unit_text, .value = standard,           \
                                      .minimum = low, .maximum = high, .uses = bits, .text = words \
  }
#define CHOICE(member, standard, last, bits, words)                                                \
  {                                                                                                \
    LIMPET_FIELD_MEMBER(RECORD, member, LIMPET_FIELD_ENUM),                                        \
        .shape = "", .value = standard, .minimum = 0, .maximum = last, .uses = bits, .text = words \
  }
#define NUMBERS(member, dimensions, unit_text, standard, bits, words)                          \
  {                                                                                            \
    LIMPET_FIELD_INSIDE(RECORD, member), .shape = dimensions, .unit = unit_text, .value = NAN, \
                                         .values = standard, .minimum = -INFINITY,             \
                                         .maximum = INFINITY, .uses = bits, .text = words      \
  }

static const double zero[3] = {0.0, 0.0, 0.0}, x_axis[3] = {1.0, 0.0, 0.0};

// clang-format off

// -------------------------------------------------------------------------------- impedance

static const double reference_default[2] = {0.02, 1.0};                   // s, -
static const double impedance_default[5] = {0.9, 0.95, 0.001, 0.5, 2.0};  // -, -, m or rad, -, -

#define RECORD limpet_impedance
static const limpet_field impedance_fields[] = {
    NUMBERS(reference, "2", NULL, reference_default, MOTION, "(time [s], damping ratio [-]) or (-1/s^2, -1/s)"),
    NUMBERS(impedance, "5", NULL, impedance_default, MOTION, "d0, d_width, width, midpoint, power"),
};
#undef RECORD

// --------------------------------------------------------------------------------- material

#define RECORD limpet_material
static const limpet_field material_fields[] = {
    NUMBER(friction, "1", 1.0, 0.0, INFINITY, MOTION, "Coulomb coefficient"),
    NUMBER(friction_torsional, "m", 0.005, 0.0, INFINITY, MOTION, "torsional friction length"),
    NUMBER(friction_rolling, "m", 0.0001, 0.0, INFINITY, MOTION, "rolling friction length"),
    NUMBER(stiffness, "N/m", INFINITY, 0.0, INFINITY, MOTION, "of this geom, INFINITY: rigid"),
    NUMBER(dissipation, "s/m", 50.0, 0.0, INFINITY, MOTION, "Hunt-Crossley"),
    NUMBER(relaxation_time, "s", 0.1, 0.0, INFINITY, MOTION, "Kelvin-Voigt (model `sap`)"),
    NUMBER(friction_static, "1", NAN, 0.0, INFINITY, MOTION, "Coulomb coefficient in stiction; NAN: as friction"),
    NUMBER(friction_ratio, "1", 1.0, 0.0, INFINITY, MOTION, "friction across friction_axis over that along it"),
    NUMBERS(friction_axis, "3", NULL, x_axis, MOTION, "geom frame; not normalised, not zero"),
    NUMBERS(surface_velocity, "3", "m/s", zero, MOTION, "of the surface relative to the geom, geom frame"),
    NUMBERS(surface_angular_velocity, "3", "rad/s", zero, MOTION, "of the surface about the geom's origin"),
    NUMBER(restitution, "1", 0.0, 0.0, 1.0, MOTION, "Newton's e, the larger of two geoms (coulomb, impulse)"),
    NUMBER(elastic_modulus, "Pa", INFINITY, 0.0, INFINITY, MOTION, "of the pressure field, INFINITY: rigid, has none"),
    NUMBER(slab_thickness, "m", NAN, 0.0, INFINITY, MOTION, "of a plane's field: p = elastic_modulus depth/thickness; NAN: none"),
    NUMBER(field_size, "m", 0.0, 0.0, INFINITY, MOTION, "length of a tetrahedron that is wanted, by the shape where 0"),
    NUMBER(field_error, "1", 0.001, 0.0, INFINITY, MOTION, "wanted of forces, where a surface is refined"),
    NUMBER(field_margin, "m", 0.0, 0.0, INFINITY, MOTION, "beyond its surface a mesh's field is known"),
    NUMBER(adhesion, "N", 0.0, 0.0, INFINITY, MOTION, "pull of each contact, of both geoms together"),
    NUMBER(has_impedance, NULL, false, 0, 1, MOTION, "set in an MJCF file: decides instead of stiffness, dissipation"),
    {LIMPET_FIELD_MEMBER(RECORD, impedance, LIMPET_FIELD_STRUCT), .shape = "", LIMPET_FIELD_NO_RANGE,
     .fields = limpet_impedance_fields, .uses = MOTION, .text = "see has_impedance"},
};
#undef RECORD

// ---------------------------------------------------------------------------------- options

static const double gravity_default[3] = {0.0, 0.0, -9.81};       // m/s^2
static const double magnetic_field_default[3] = {0.0, -0.5, 0.0};  // T

#define RECORD limpet_options
static const limpet_field option_fields[] = {
    NUMBERS(gravity, "3", "m/s^2", gravity_default, MOTION, "world frame"),
    NUMBER(time_step, "s", 0.002, 1e-9, 10.0, MOTION, "length of a step"),
    NUMBERS(magnetic_field, "3", "T", magnetic_field_default, OTHER, "world frame, for magnetometers"),
    NUMBER(density, "kg/m^3", 0.0, 0.0, INFINITY, MOTION, "of the medium"),
    NUMBER(viscosity, "Pa s", 0.0, 0.0, INFINITY, MOTION, "of the medium"),
    NUMBERS(wind, "3", "m/s", zero, MOTION, "velocity of the medium, world frame"),
    NUMBER(disabled, NULL, 0, 0, UINT32_MAX, MOTION, "LIMPET_DISABLE_ bits"),
    NUMBER(disabled_actuator_groups, NULL, 0, 0, UINT32_MAX, OTHER, "bit g switches the actuators of group g off"),
    CHOICE(friction_rule, LIMPET_FRICTION_MAXIMUM, LIMPET_FRICTION_HARMONIC_MEAN, MOTION, "of two geoms"),
    CHOICE(inertia_source, LIMPET_INERTIA_AUTO, LIMPET_INERTIA_GIVEN, OTHER, "of bodies"),
    NUMBER(inertia_group_first, NULL, 0, 0, 30, OTHER, "first group of geoms that count for inertia"),
    NUMBER(inertia_group_last, NULL, 5, 0, 30, OTHER, "last group of geoms that count for inertia"),
    NUMBER(bound_mass, "kg", 0.0, 0.0, INFINITY, OTHER, "lower bound for moving bodies"),
    NUMBER(bound_inertia, "kg m^2", 0.0, 0.0, INFINITY, OTHER, "lower bound for moving bodies"),
    NUMBER(balance_inertia, NULL, false, 0, 1, OTHER, "repair inertias that violate the triangle inequality"),
    NUMBER(total_mass, "kg", -1.0, -INFINITY, INFINITY, OTHER, "> 0: scale all masses to this sum"),
    NUMBER(anchor_count, NULL, LIMPET_ANCHORS_AUTOMATIC, LIMPET_ANCHORS_AUTOMATIC, LIMPET_ANCHOR_LIMIT, OTHER, "contacts whose force the state can hold, -1: 16 a geom, 256 at least"),
    NUMBER(fit_box_to_aabb, NULL, false, 0, 1, OTHER, "fit primitives to a mesh's bounding box, not to its inertia box"),
};
#undef RECORD

// ----------------------------------------------------------------------------------- muscle

static const double muscle_range[2] = {0.75, 1.05};

#define RECORD limpet_muscle
static const limpet_field muscle_fields[] = {
    NUMBERS(range, "2", "1", muscle_range, MOTION, "lengths that the length range of the actuator stands for"),
    NUMBER(force, "N", -1.0, -INFINITY, INFINITY, MOTION, "peak force, negative: from scale"),
    NUMBER(scale, "N m/s^2, N/(kg m)", 200.0, -INFINITY, INFINITY, MOTION, "peak force times acceleration by unit force"),
    NUMBER(shortest, "1", 0.5, -INFINITY, INFINITY, MOTION, "between which it pulls actively"),
    NUMBER(longest, "1", 1.6, -INFINITY, INFINITY, MOTION, "between which it pulls actively"),
    NUMBER(fastest, "1/s", 1.5, 0.0, INFINITY, MOTION, "of shortening, where its force vanishes"),
    NUMBER(passive_force, "1", 1.3, -INFINITY, INFINITY, MOTION, "at the longest"),
    NUMBER(lengthening_force, "1", 1.2, -INFINITY, INFINITY, MOTION, "active, at the largest velocity of lengthening"),
};
#undef RECORD

// ------------------------------------------------------------------------------------ motor

#define RECORD limpet_motor
static const limpet_field motor_fields[] = {
    NUMBER(inputs, NULL, 0, 0, 15, MOTION, "LIMPET_MOTOR_ bits"),
    NUMBER(position_gain, "N m/rad", 0.0, -INFINITY, INFINITY, MOTION, "of the controller"),
    NUMBER(velocity_gain, "N m s/rad", 0.0, -INFINITY, INFINITY, MOTION, "of the controller"),
    NUMBER(integral_gain, "N m/(rad s)", 0.0, 0.0, INFINITY, MOTION, "of the controller"),
    NUMBER(force_offset, "N m", 0.0, -INFINITY, INFINITY, MOTION, "constant, of the controller"),
    NUMBER(slew_limit, "unit of the input, per second", 0.0, 0.0, INFINITY, MOTION, "of the first input; 0: none"),
    NUMBER(integral_limit, "rad s", 0.0, 0.0, INFINITY, MOTION, "of the integral; 0: none"),
    NUMBER(voltage_limit, "V", 0.0, 0.0, INFINITY, MOTION, "of the controller; 0: none"),
    NUMBER(resistance, "Ohm", 0.0, 0.0, INFINITY, MOTION, "of the winding at the reference temperature; 0: no winding"),
    NUMBER(constant, "N m/A, V s/rad", 0.0, 0.0, INFINITY, MOTION, "of torque and of back-EMF"),
    NUMBER(current_time, "s", 0.0, 0.0, INFINITY, MOTION, "inductance over resistance; 0: the current follows at once"),
    NUMBER(current_rate_limit, "A/s", 0.0, 0.0, INFINITY, MOTION, "0: none"),
    NUMBER(thermal_resistance, "K/W", 0.0, 0.0, INFINITY, MOTION, "winding to surroundings; 0: the temperature does not count"),
    NUMBER(thermal_capacity, "J/K", 0.0, 0.0, INFINITY, MOTION, "of the winding"),
    NUMBER(temperature_coefficient, "1/K", 0.0, -INFINITY, INFINITY, MOTION, "of the resistance"),
    NUMBER(reference_temperature, "degrees Celsius", 0.0, -INFINITY, INFINITY, MOTION, "of the resistance"),
    NUMBER(ambient_temperature, "degrees Celsius", 0.0, -INFINITY, INFINITY, MOTION, "of the surroundings"),
    NUMBER(cogging_torque, "N m", 0.0, -INFINITY, INFINITY, MOTION, "amplitude"),
    NUMBER(cogging_poles, "1", 0.0, -INFINITY, INFINITY, MOTION, "periods in a turn"),
    NUMBER(cogging_phase, "rad", 0.0, -INFINITY, INFINITY, MOTION, "at length 0"),
    NUMBER(bristle_stiffness, "N m/rad", 0.0, 0.0, INFINITY, MOTION, "of LuGre friction; 0: no friction"),
    NUMBER(bristle_damping, "N m s/rad", 0.0, -INFINITY, INFINITY, MOTION, "of LuGre friction"),
    NUMBER(coulomb_friction, "N m", 0.0, 0.0, INFINITY, MOTION, "at high velocity"),
    NUMBER(static_friction, "N m", 0.0, 0.0, INFINITY, MOTION, "at rest"),
    NUMBER(stribeck_velocity, "rad/s", 0.0, -INFINITY, INFINITY, MOTION, "between the two"),
};
#undef RECORD

// --------------------------------------------------------------------------- contact sensor

#define RECORD limpet_contact_sensor
static const limpet_field contact_sensor_fields[] = {
    NUMBER(fields, NULL, LIMPET_CONTACT_FOUND, 0, 511, OTHER, "LIMPET_CONTACT_ bits"),
    CHOICE(reduction, LIMPET_CONTACT_FIRST, LIMPET_CONTACT_NET, OTHER, "which contacts get the slots"),
    NUMBER(slots, NULL, 1, 1, INT32_MAX, OTHER, "contacts that have room"),
    NUMBER(object_subtree, NULL, false, 0, 1, OTHER, "a body counts with all that hangs on it"),
    NUMBER(reference_subtree, NULL, false, 0, 1, OTHER, "a body counts with all that hangs on it"),
};
// clang-format on

static const limpet_field_table impedance_table =
                                    LIMPET_FIELD_TABLE(limpet_impedance, impedance_fields),
                                material_table =
                                    LIMPET_FIELD_TABLE(limpet_material, material_fields),
                                muscle_table = LIMPET_FIELD_TABLE(limpet_muscle, muscle_fields),
                                motor_table = LIMPET_FIELD_TABLE(limpet_motor, motor_fields),
                                options_table = LIMPET_FIELD_TABLE(limpet_options, option_fields),
                                contact_sensor_table = LIMPET_FIELD_TABLE(limpet_contact_sensor,
                                                                          contact_sensor_fields);

const limpet_field_table *limpet_impedance_fields(void) { return &impedance_table; }
const limpet_field_table *limpet_material_fields(void) { return &material_table; }
const limpet_field_table *limpet_muscle_fields(void) { return &muscle_table; }
const limpet_field_table *limpet_motor_fields(void) { return &motor_table; }
const limpet_field_table *limpet_options_fields(void) { return &options_table; }
const limpet_field_table *limpet_contact_sensor_fields(void) { return &contact_sensor_table; }

// --------------------------------------------------------------------------------- defaults

limpet_impedance limpet_impedance_default(void) {
  limpet_impedance impedance;
  limpet_fields_reset(&impedance_table, &impedance);
  return impedance;
}

limpet_material limpet_material_default(void) {
  limpet_material material = {.friction_static = NAN, .slab_thickness = NAN};
  limpet_fields_reset(&material_table, &material);
  return material;
}

limpet_muscle limpet_muscle_default(void) {
  limpet_muscle muscle;
  limpet_fields_reset(&muscle_table, &muscle);
  return muscle;
}

limpet_motor limpet_motor_default(void) {
  limpet_motor motor;
  limpet_fields_reset(&motor_table, &motor);
  return motor;
}

limpet_options limpet_options_default(void) {
  limpet_options options = {0};
  limpet_fields_reset(&options_table, &options);
  return options;
}
