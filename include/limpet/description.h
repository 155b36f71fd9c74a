/* limpet/description.h: what a robot and its scene are described by: kinds, options, and one
 * struct for each sort of thing. Floor 3.
 *
 * A description struct is filled by its `_default` function, changed, and handed to the builder
 * (model.h), which copies it. Handles are numbers that the builder gave. All quantities are SI: m,
 * kg, s, N, rad. Quaternions are (w, x, y, z); a pose takes child axes to parent axes. A `place`
 * says where in a file something was described; errors of compilation name it. */
#ifndef LIMPET_DESCRIPTION_H
#define LIMPET_DESCRIPTION_H

#include "limpet/appearance.h"
#include "limpet/deformable.h"
#include "limpet/field.h"
#include "limpet/pressure.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LIMPET_NONE = -1 };  // "no such object" wherever a handle or an index is expected

// ------------------------------------------------------------------------------------ kinds

typedef enum limpet_joint_kind {
  // q 7 [position [m], quaternion], v 6 [velocity of the origin, W; angular velocity, body axes]
  LIMPET_JOINT_FREE,
  LIMPET_JOINT_BALL,       // q 4 [quaternion], v 3 [angular velocity, body axes]
  LIMPET_JOINT_PRISMATIC,  // q 1 [m], v 1 [m/s] along `axis`
  LIMPET_JOINT_REVOLUTE,   // q 1 [rad], v 1 [rad/s] about `axis` through `position`
  // q 1 [rad], v 1 [rad/s] about `axis` through `position`, and `pitch` along it in a turn
  LIMPET_JOINT_SCREW
} limpet_joint_kind;  // no joint at all welds a body to its parent

typedef enum limpet_object {  // what has names
  LIMPET_OBJECT_BODY,
  LIMPET_OBJECT_JOINT,
  LIMPET_OBJECT_GEOM,
  LIMPET_OBJECT_SITE,
  LIMPET_OBJECT_MESH,
  LIMPET_OBJECT_CLOUD,
  LIMPET_OBJECT_ACTUATOR,
  LIMPET_OBJECT_TENDON,
  LIMPET_OBJECT_COUPLER,
  LIMPET_OBJECT_LOOP,
  LIMPET_OBJECT_KEYFRAME,
  LIMPET_OBJECT_SENSOR,
  LIMPET_OBJECT_DEFORMABLE,
  LIMPET_OBJECT_CAMERA,
  LIMPET_OBJECT_PAIR,
  LIMPET_OBJECT_COUNT
} limpet_object;

typedef enum limpet_transmission {
  LIMPET_TRANSMISSION_JOINT,  // gear[0] times the coordinate; ball, free: axis in child axes
  LIMPET_TRANSMISSION_JOINT_IN_PARENT,  // the same; ball, free: axis in parent axes
  LIMPET_TRANSMISSION_TENDON,           // gear[0] times the length of a tendon
  LIMPET_TRANSMISSION_SITE,     // gear = [force, moment] in axes of the site (or reference_site)
  LIMPET_TRANSMISSION_SURFACE,  // no force: gear[0] times input times a geom's surface velocity
  // gear[0] times the travel of a slider on a rod of crank_length: reference_site slides along its
  // z axis, the rod ends in the site
  LIMPET_TRANSMISSION_SLIDER_CRANK,
  LIMPET_TRANSMISSION_BODY  // pulls at the contacts of a body, gear[0] times the force in all
} limpet_transmission;

typedef enum limpet_activation {
  LIMPET_ACTIVATION_NONE,          // no state: force = gain * control + bias
  LIMPET_ACTIVATION_INTEGRATOR,    // act' = control
  LIMPET_ACTIVATION_FILTER,        // act' = (control - act) / tau, explicit Euler
  LIMPET_ACTIVATION_FILTER_EXACT,  // the same, integrated exactly over a step
  LIMPET_ACTIVATION_MUSCLE,  // (control - act) / tau, tau by direction and act: docs/muscles.md
  LIMPET_ACTIVATION_MOTOR    // up to five, those that its limpet_motor has: docs/motors.md
} limpet_activation;

typedef enum limpet_actuator_law {
  LIMPET_ACTUATOR_AFFINE,       // of three numbers: constant, by length, by velocity
  LIMPET_ACTUATOR_MUSCLE,       // force-length-velocity curves of limpet_muscle
  LIMPET_ACTUATOR_ORIENTATION,  // gain[0] times the turn that is left to a wanted orientation
  LIMPET_ACTUATOR_MOTOR         // controller and electrical motor of limpet_motor
} limpet_actuator_law;

typedef enum limpet_interpolation {  // between samples of what a delay remembers
  LIMPET_INTERPOLATION_HOLD,         // the earlier one
  LIMPET_INTERPOLATION_LINEAR,
  LIMPET_INTERPOLATION_CUBIC
} limpet_interpolation;

typedef enum limpet_loop_kind {
  LIMPET_LOOP_CONNECT,  // the points P and Q coincide, as in a ball joint
  LIMPET_LOOP_WELD,     // the frames at P and Q coincide
  LIMPET_LOOP_DISTANCE  // |PQ| is given, as by a rod or a spring
} limpet_loop_kind;

typedef enum limpet_loop_frame {
  LIMPET_LOOP_FRAME_GIVEN,  // both frames are given
  LIMPET_LOOP_FRAME_A,      // that on body A lies where that on body B lies in the reference pose
  LIMPET_LOOP_FRAME_B       // that on body B lies where that on body A lies in the reference pose
} limpet_loop_frame;

typedef enum limpet_sensor_stage {  // what a sensor needs to be known of the world
  LIMPET_SENSOR_POSITION,
  LIMPET_SENSOR_VELOCITY,
  LIMPET_SENSOR_ACCELERATION  // and forces
} limpet_sensor_stage;

// One kind of sensor, a row of the table limpet_sensor_kinds() in sense.h.
typedef struct limpet_sensor_kind limpet_sensor_kind;

typedef enum limpet_friction_rule {
  LIMPET_FRICTION_MAXIMUM,       // MJCF: the larger coefficient, unless geoms' priorities differ
  LIMPET_FRICTION_HARMONIC_MEAN  // URDF, SDFormat, Drake: 2 a b / (a + b)
} limpet_friction_rule;

typedef enum limpet_dry_friction_kind {
  LIMPET_DRY_FRICTION_COULOMB,  // regularised Coulomb friction, drift stated with the constraint
  LIMPET_DRY_FRICTION_SOFT      // MuJoCo's: slip speed from solreffriction, solimpfriction
} limpet_dry_friction_kind;

typedef enum limpet_inertia_source {
  LIMPET_INERTIA_AUTO,        // from geoms where a body has no inertial of its own
  LIMPET_INERTIA_FROM_GEOMS,  // from geoms always
  LIMPET_INERTIA_GIVEN        // never from geoms
} limpet_inertia_source;

enum {  // bits of limpet_options.disabled: parts of physics that a model file switches off
  LIMPET_DISABLE_CONTACT = 1 << 0,
  LIMPET_DISABLE_LIMIT = 1 << 1,
  LIMPET_DISABLE_DRY_FRICTION = 1 << 2,
  LIMPET_DISABLE_EQUALITY = 1 << 3,
  LIMPET_DISABLE_SPRING = 1 << 4,
  LIMPET_DISABLE_DAMPER = 1 << 5,
  LIMPET_DISABLE_GRAVITY = 1 << 6,
  LIMPET_DISABLE_ACTUATION = 1 << 7,
  LIMPET_DISABLE_CLAMP_CONTROL = 1 << 8,
  LIMPET_DISABLE_PARENT_FILTER = 1 << 9  // contacts between a body and its parent are wanted
};

// ----------------------------------------------------------------------------- descriptions

// of limpet_options.anchor_count
enum { LIMPET_ANCHOR_LIMIT = 1 << 20, LIMPET_ANCHORS_AUTOMATIC = -1 };

typedef struct limpet_options {
  double gravity[3];                     // [m/s^2]  world frame; (0, 0, -9.81)
  double time_step;                      // [s]  length of a step; 0.002
  double magnetic_field[3];              // [T]  world frame, for magnetometers; (0, -0.5, 0)
  double density;                        // [kg/m^3]  of the medium; 0
  double viscosity;                      // [Pa s]  of the medium; 0
  double wind[3];                        // [m/s]  velocity of the medium, world frame; 0
  unsigned disabled;                     // LIMPET_DISABLE_ bits; 0
  unsigned disabled_actuator_groups;     // bit g switches the actuators of group g off; 0
  limpet_friction_rule friction_rule;    // of two geoms; LIMPET_FRICTION_MAXIMUM
  limpet_inertia_source inertia_source;  // of bodies; LIMPET_INERTIA_AUTO
  int inertia_group_first;               // first group of geoms that count for inertia; 0
  int inertia_group_last;                // last group of geoms that count for inertia; 5
  double bound_mass;                     // [kg]  lower bound for moving bodies; 0
  double bound_inertia;                  // [kg m^2]  lower bound for moving bodies; 0
  bool balance_inertia;  // repair inertias that violate the triangle inequality; false
  double total_mass;     // [kg]  > 0: scale all masses to this sum; -1
  int anchor_count;      // contacts whose force the state can hold, -1: 16 a geom, 256 at least; -1
  bool fit_box_to_aabb;  // fit primitives to a mesh's bounding box, not to its inertia box; false
} limpet_options;

LIMPET_API limpet_options limpet_options_default(void);

typedef struct limpet_body_description {
  const char *name;      // NULL: unnamed
  int parent;            // body handle; 0: world
  double position[3];    // [m]  in the parent
  double quaternion[4];  // in the parent; normalised by the builder
  bool has_inertial;     // mass, com, inertia below count; otherwise they come from the geoms
  double mass;           // [kg]
  double com[3];         // [m]  centre of mass in the body frame
  double inertia[6];     // [kg m^2]  about com, axes of inertia_quaternion: xx yy zz xy xz yz
  double inertia_quaternion[4];  // axes of `inertia` in the body frame
  bool repair_inertia;  // an inertia that no body has, and too little to move, are repaired with a
                        // note: see docs/urdf.md; false: they are errors
  double gravity_compensation;  // [-]  share of the weight carried by a force at com
  bool mocap;  // child of the world, moved by data->mocap_position, mocap_quaternion
  limpet_place place;
} limpet_body_description;

typedef struct limpet_joint_description {
  const char *name;
  int body;  // moves relative to its parent; several joints of a body act in order
  limpet_joint_kind kind;
  double position[3];  // [m]  anchor in the body frame
  double axis[3];      // in the body frame; normalised by the builder
  double pitch;        // [m]  screw: way along the axis in one turn; > 0: a right-handed thread; 0
  double reference;    // coordinate in the pose of the file [m, rad]
  bool limited;
  double range[2];           // [m, rad]; ball: (0, largest angle)
  double limit_margin;       // [m, rad]  the limit acts this much earlier
  bool has_limit_impedance;  // set by the author: else near-rigid
  limpet_impedance limit_impedance;
  double stiffness;  // [N/m, N m/rad]
  double
      stiffness_growth[2];  // [N/m^2, N/m^3; per rad]  c: the spring gives -(k + c0 x + c1 x^2) x
  double spring_reference;  // [m, rad]  for ball and free: the reference pose is the spring's rest
  double
      spring_damper[2];  // (time [s], damping ratio [-])  > 0: stiffness follows, damping is added
  double damping;        // [N s/m, N m s/rad]
  double damping_growth[2];  // c: the damper gives -(d + c0 |v| + c1 v^2) v
  double armature;           // [kg, kg m^2]  reflected rotor inertia
  double dry_friction;       // [N, N m]
  limpet_dry_friction_kind dry_friction_kind;
  limpet_impedance dry_friction_impedance;  // for LIMPET_DRY_FRICTION_SOFT
  bool effort_limited;
  double effort_range[2];  // [N, N m]  limits of the sum of actuator forces on this joint
  bool actuator_gravity_compensation;  // gravity compensation obeys effort_range, too
  limpet_place place;
} limpet_joint_description;

typedef struct limpet_geom_description {
  const char *name;
  int body;
  limpet_shape_kind kind;
  double size[3];    // [m]  see limpet_shape_kind
  int mesh;          // mesh handle; with a primitive `kind`: that primitive is fitted to the mesh
  int cloud;         // cloud handle; only for kind LIMPET_SHAPE_CLOUD, else LIMPET_NONE
  double fit_scale;  // [-]  size factor of a fitted primitive; 1
  double position[3], quaternion[4];  // [m, -]  in the body frame
  limpet_material material;
  // a pair collides if (A.contype & B.conaffinity) | (B.contype & A.conaffinity); 1, 1
  unsigned contype, conaffinity;
  int condim;    // 1: frictionless, 3: sliding, 4: and torsional, 6: and rolling friction; 3
  int priority;  // the higher one decides friction, condim and impedance of a pair alone; 0
  double impedance_mix;  // [-]  weight when impedances of two geoms are mixed (solmix); 1
  double margin;         // [m]  contact acts below this distance (margins of a pair add)
  double gap;            // [m]  beyond the margin: contact is reported there, but does not act
  int group;             // 0..5; for drawing and for options.inertia_group
  double mass;           // [kg]  NAN: from density; clouds have no volume, so that is 0
  double density;        // [kg/m^3]  1000
  bool shell;            // mass on the surface
  bool fluid_ellipsoid;  // the medium acts on this geom as on an ellipsoid, not on the whole body
  double fluid_coefficients[5];  // [-]  blunt, slender, angular drag, Kutta lift, Magnus lift
  float rgba[4];
  int appearance;  // handle; LIMPET_NONE: its colour alone
  limpet_place place;
} limpet_geom_description;

typedef struct limpet_site_description {
  const char *name;
  int body;
  double position[3], quaternion[4];  // [m, -]  in the body frame
  limpet_shape_kind kind;  // volume that sensors feel: sphere, capsule, ellipsoid, cylinder, box
  double size[3];          // [m]  see limpet_shape_kind; radius 5 mm
  limpet_place place;
} limpet_site_description;

/* A camera looks along -z of its frame; x is to the right of the image, y up. Pixel (column, row),
 * counted from the upper left corner (0, 0), looks along
 *   ((column - centre[0])/focal[0], -(row - centre[1])/focal[1], -1)
 * An orthographic one looks along (0, 0, -1) everywhere, from the point of the plane z = 0 whose x
 * and y these numbers are. */
typedef struct limpet_camera_description {
  const char *name;
  int body;
  double position[3], quaternion[4];  // [m, -]  in the body frame
  bool orthographic;
  int resolution[2];  // columns, rows; 1, 1
  double focal[2];    // [pixels]; orthographic: [pixels/m]; 1, 1
  double centre[2];   // [pixels]  where the axis meets the image; 0.5, 0.5
  limpet_place place;
} limpet_camera_description;

typedef struct limpet_mesh_description {
  const char *name;
  const char *file;  // for messages and records; may be NULL
  int vertex_count, face_count;
  const double *vertices;  // (vertex_count x 3)  [m before scale]
  const int *faces;        // (face_count x 3)  counter-clockwise from outside; none: convex hull
  int tetrahedron_count;   // of a volume mesh, whose boundary `faces` is; 0: none
  const int *tetrahedra;   // (tetrahedron_count x 4)  of positive volume
  const double *field;     // (vertex_count)  [-]  pressure over modulus; NULL: by distance
  /* Pressure over modulus at a place in the frame of `vertices`  [before scale]: 1 in the core, 0
   * on the boundary, negative outside. Tetrahedra have it at their vertices; faces are filled as if
   * they were `concave`. Called, with field_context, until the builder is compiled for the last
   * time. NULL: by `field`, or by distance. */
  limpet_pressure_function *field_function;
  void *field_context;
  const float *texture_coordinates;  // (face_count x 3 x 2)  [-]  u right, v up; NULL: none
  const double *tangents;            // (vertex_count x 2 x 3)  [-]  of tactile skins; NULL: none
  bool concave;  // pressure fields take the faces as they are, not the convex hull; false
  // a height field: vertices and faces are made from it by the builder; heights NULL: none
  int rows, columns;
  double grid_half[2], grid_base;  // [m]  see limpet_height_field
  const double *heights;           // (rows x columns)  [m]  0 or more
  double scale[3];                 // [-]  1; of height fields, positive: sides, heights and base
  // MJCF refpos, refquat: subtracted from the vertices
  double reference_position[3], reference_quaternion[4];
  limpet_mesh_inertia inertia;
  int hull_vertex_limit;  // largest number of hull vertices; -1: no limit
  bool single_precision;  // round the vertices to float, as MuJoCo does; false
  limpet_place place;
} limpet_mesh_description;

typedef struct limpet_cloud_description {
  const char *name;
  const char *file;  // for messages and records; may be NULL
  int point_count;
  const double *points;  // (point_count x 3)  [m before scale]  in the frame of the geoms
  double scale[3];       // [-]  1
  double point_radius;   // [m]  each point is a ball of this radius; 0
  int contact_points;    // most with one geom, 1 to LIMPET_CLOUD_CONTACTS; LIMPET_CLOUD_POINTS
  limpet_place place;
} limpet_cloud_description;

typedef struct limpet_tendon_term {
  int joint;           // handle of a joint with one coordinate
  double coefficient;  // [-] or [m/rad]
} limpet_tendon_term;

typedef enum limpet_tendon_point_kind {
  LIMPET_TENDON_SITE,   // goes through a site
  LIMPET_TENDON_GEOM,   // may wrap around a sphere or an endless cylinder; between two sites
  LIMPET_TENDON_PULLEY  // what follows is a new branch, whose length counts divided
} limpet_tendon_point_kind;

// A point of a spatial tendon; docs/tendons.md.
typedef struct limpet_tendon_point {
  limpet_tendon_point_kind kind;
  int object;      // handle of the site or geom; pulley: LIMPET_NONE
  int side_site;   // geom: handle of the site on whose side it passes; LIMPET_NONE: the shorter way
  double divisor;  // pulley: of the lengths of the branch that follows  [-]
} limpet_tendon_point;

// a site, LIMPET_NONE, LIMPET_NONE, 1
LIMPET_API limpet_tendon_point limpet_tendon_point_default(void);

/* Fixed tendon: its length is the sum of coefficient * joint coordinate. Spatial tendon: its length
 * is that of the shortest path through its points. A tendon has terms or points, not both. */
typedef struct limpet_tendon_description {
  const char *name;
  int term_count;
  const limpet_tendon_term *terms;
  int point_count;
  const limpet_tendon_point *points;
  bool limited;
  double range[2];  // [m, or the unit of the terms]
  double limit_margin;
  double limit_stiffness, limit_damping;  // [N/m, N s/m]  of the limits; INFINITY: near-rigid
  bool has_limit_impedance;               // set by the author: decides instead of the two
  limpet_impedance limit_impedance;
  double stiffness, damping;                      // [N/m], [N s/m]
  double stiffness_growth[2], damping_growth[2];  // as those of joints
  double spring_range[2];  // no force inside; (-1, -1): the length in the reference pose
  double armature;         // [kg]
  double dry_friction;     // [N]
  limpet_impedance dry_friction_impedance;
  bool effort_limited;
  double effort_range[2];  // [N]  limits of the sum of actuator forces on this tendon
  limpet_place place;
} limpet_tendon_description;

/* The curves of a muscle: docs/muscles.md. Lengths are in units of L0, the length at which it pulls
 * most; velocities in L0 per second; forces in units of the peak force. */
typedef struct limpet_muscle {
  double range[2];  // [-]  lengths that the length range of the actuator stands for
  double force;     // [N]  peak force, negative: from scale; -1
  double scale;     // [N m/s^2, N/(kg m)]  peak force times acceleration by unit force; 200
  double shortest, longest;  // [-]  between which it pulls actively; 0.5, 1.6
  double fastest;            // [1/s]  of shortening, where its force vanishes; 1.5
  double passive_force;      // [-]  at the longest; 1.3
  double lengthening_force;  // [-]  active, at the largest velocity of lengthening; 1.2
} limpet_muscle;

// range 0.75, 1.05
LIMPET_API limpet_muscle limpet_muscle_default(void);

enum {  // bits of limpet_motor.inputs, in the order in which the controls stand
  LIMPET_MOTOR_POSITION = 1 << 0,  // [m, rad]  wanted
  LIMPET_MOTOR_VELOCITY = 1 << 1,  // [m/s, rad/s]  wanted
  LIMPET_MOTOR_FORCE = 1 << 2,     // [N, N m]  added to what the controller asks for
  LIMPET_MOTOR_VOLTAGE = 1 << 3    // [V]  added at the terminals
};

/* A PID controller, alone (it gives the force that it asks for) or as what drives a motor with a
 * winding: docs/motors.md has the equations. l, w: length [m, rad] and velocity of the
 * transmission; for slides read N for N m and m for rad. Activations, each there if its parameter
 * is positive, in this order: slewed input, integral, temperature above that of the surroundings,
 * bristle, current. */
typedef struct limpet_motor {
  unsigned inputs;                      // LIMPET_MOTOR_ bits
  double position_gain, velocity_gain;  // [N m/rad], [N m s/rad]
  double integral_gain;                 // [N m/(rad s)]
  double force_offset;                  // [N m]  constant, of the controller
  double slew_limit;          // [unit of the first input, per second]  of that input; 0: none
  double integral_limit;      // [rad s]  0: none
  double voltage_limit;       // [V]  of the controller; 0: none
  double resistance;          // [Ohm]  of the winding at reference_temperature; 0: no winding
  double constant;            // [N m/A, V s/rad]
  double current_time;        // [s]  inductance over resistance; 0: the current follows at once
  double current_rate_limit;  // [A/s]  0: none
  double thermal_resistance;  // [K/W]  winding to surroundings; 0: the temperature does not count
  double thermal_capacity;    // [J/K]
  double temperature_coefficient;                       // [1/K]  of the resistance
  double reference_temperature, ambient_temperature;    // [degrees Celsius]
  double cogging_torque, cogging_poles, cogging_phase;  // [N m], [1], [rad]
  double bristle_stiffness, bristle_damping;            // [N m/rad], [N m s/rad]  0: no friction
  double coulomb_friction, static_friction;             // [N m]
  double stribeck_velocity;                             // [rad/s]
} limpet_motor;

// without inputs, controller, winding and friction
LIMPET_API limpet_motor limpet_motor_default(void);

typedef struct limpet_actuator_description {
  const char *name;
  limpet_transmission transmission;
  int target;  // handle of joint, tendon, site, geom or body; slider-crank: of the crank's site
  // site transmission: length and axes relative to this site; slider-crank: the slider; LIMPET_NONE
  int reference_site;
  double crank_length;  // [m]  slider-crank: of the rod
  double gear[6];
  bool control_limited, force_limited, activation_limited;
  double control_range[2];
  double force_range[2];  // [N, N m]
  double activation_range[2];
  limpet_activation activation;
  double activation_time;    // [s]  tau of a filter; of a muscle that grows tense
  double deactivation_time;  // [s]  tau of a muscle that grows slack; 0.04
  double
      activation_smoothing;  // [-]  of a muscle: control - activation that goes from one to other
  bool activation_early;     // force uses the activation of the end of the step
  /* force = (gain[0] + gain[1] length + gain[2] velocity) * input + bias[0] + bias[1] length +
   * bias[2] velocity, input: the control, or the activation where there is one */
  double gain[3], bias[3];
  limpet_actuator_law gain_law, bias_law;  // muscles: their curves count instead of the numbers
  limpet_muscle muscle;
  /* An orientation servo is three or four actuators, added one after the other, alike but for
   * `part`: their controls are a rotation vector [rad] or a quaternion, which need not be a unit
   * one. Of three each gives the torque about one axis of the ball joint's child, or of the site
   * against its reference site; of four the first gives none. force_range: [0, norm of the torque].
   * gear does not count. */
  int part, part_count;  // 0 and 0: no such servo
  /* With gain_law and bias_law LIMPET_ACTUATOR_MOTOR and activation LIMPET_ACTIVATION_MOTOR (or
   * none where it has none). One actuator for each of its inputs, added one after the other, alike
   * but for `part` and the range of the control; the first gives the force. force_range bounds the
   * force of controller or winding; cogging and friction come on top. One without inputs is one
   * actuator, part 0 of 1, whose control does nothing. */
  limpet_motor motor;
  double delay;       // [s]  after which the control acts; 0: at once
  int delay_samples;  // controls of past steps that are remembered; with a delay at least 1
  limpet_interpolation delay_interpolation;
  double length_range[2];  // [m, rad]  least and greatest length; both 0: not known
  double damping_ratio;    // >= 0: compilation sets bias[2] from the reflected inertia; -1
  int group;
  limpet_place place;
} limpet_actuator_description;

// How many numbers of limpet_data.activation an actuator has.
LIMPET_API int limpet_actuator_activation_count(const limpet_actuator_description *actuator);

// y - y_ref = sum of coefficient[i] (x - x_ref)^i, of coordinates of joints or lengths of tendons
typedef struct limpet_coupler_description {
  const char *name;
  bool tendon;  // y, x are tendons, not joints
  int y, x;     // handles; x LIMPET_NONE: y is held at coefficient[0]
  double coefficient[5];
  bool active;
  bool has_impedance;
  limpet_impedance impedance;
  limpet_place place;
} limpet_coupler_description;

/* Holds two bodies together, which may close a loop of a mechanism. P and Q are points (connect,
 * distance) or frames (weld) on body A and body B, given in the body frame. Without a stiffness or
 * an impedance it is near-rigid. */
typedef struct limpet_loop_description {
  const char *name;
  limpet_loop_kind kind;
  int body_a, body_b;                     // body handles; 0: world
  limpet_loop_frame from_reference;       // which frame follows from the other one
  double position_a[3], quaternion_a[4];  // [m, -]  P in the frame of body A
  double position_b[3], quaternion_b[4];  // [m, -]  Q in the frame of body B
  double length;                          // [m]  distance: |PQ|; NAN: as in the reference pose
  double stiffness, damping;  // [N/m, N s/m]  distance: a spring and damper; INFINITY: near-rigid
  double torque_scale;        // [-]  weld: turns are resisted with its square; 0: they are free
  bool active;
  bool has_impedance;
  limpet_impedance impedance;
  limpet_place place;
} limpet_loop_description;

// A pair of geoms with its own parameters; it collides whatever the filters say.
typedef struct limpet_pair_description {
  const char *name;
  int geom_a, geom_b;
  int condim;
  double friction[5];  // [-, -, m, m, m]  two sliding, torsional, two rolling
  bool has_impedance;
  limpet_impedance impedance;
  double margin, gap;  // [m]
  double adhesion;     // [N]  pull of each contact
  limpet_place place;
} limpet_pair_description;

typedef struct limpet_keyframe_description {  // arrays may be NULL: reference pose, zeros
  const char *name;
  double time;  // [s]
  int q_count, v_count, control_count, activation_count, mocap_count;
  const double *q, *v, *control, *activation;
  const double *mocap_position, *mocap_quaternion;  // (mocap_count x 3), (mocap_count x 4)
  limpet_place place;
} limpet_keyframe_description;

enum {  // bits of limpet_contact_sensor.fields, in the order in which the numbers of a slot stand
  LIMPET_CONTACT_FOUND = 1 << 0,     // 1  [1]  how many contacts match; 0: the slot is empty
  LIMPET_CONTACT_FORCE = 1 << 1,     // 3  [N]  on the second side: normal, tangent, cross product
  LIMPET_CONTACT_TORQUE = 1 << 2,    // 3  [N m]  likewise
  LIMPET_CONTACT_DISTANCE = 1 << 3,  // 1  [m]  negative inside
  LIMPET_CONTACT_POSITION = 1 << 4,  // 3  [m]  W
  LIMPET_CONTACT_NORMAL = 1 << 5,    // 3  from the first side to the second, W
  LIMPET_CONTACT_TANGENT = 1 << 6,   // 3  W
  // of the second side relative to the first, in the frame (normal, tangent, cross product)
  LIMPET_CONTACT_LINEAR_VELOCITY = 1 << 7,  // 3  [m/s]  at the contact
  LIMPET_CONTACT_ANGULAR_VELOCITY = 1 << 8  // 3  [rad/s]
};

typedef enum limpet_contact_reduction {  // which contacts get the slots
  LIMPET_CONTACT_FIRST,                  // the first ones
  LIMPET_CONTACT_NEAREST,                // the deepest ones, deepest first
  LIMPET_CONTACT_STRONGEST,              // those of the largest force, largest first
  LIMPET_CONTACT_NET  // one for all: resultant where the forces have their centre, in world axes
} limpet_contact_reduction;

// What a sensor of the kind `contact` reports, of contacts between its object and its reference;
// either may be left out.
typedef struct limpet_contact_sensor {
  unsigned fields;                     // LIMPET_CONTACT_ bits; 1
  limpet_contact_reduction reduction;  // which contacts get the slots; LIMPET_CONTACT_FIRST
  int slots;                           // contacts that have room; 1
  bool object_subtree;                 // a body counts with all that hangs on it; false
  bool reference_subtree;              // a body counts with all that hangs on it; false
} limpet_contact_sensor;

// What a rangefinder gives of each ray, in this order; 0 (distance and depth: -1) where it meets
// nothing.
enum {
  LIMPET_RANGE_DISTANCE = 1 << 0,   // 1  [m]
  LIMPET_RANGE_DIRECTION = 1 << 1,  // 3  unit vector, W
  LIMPET_RANGE_ORIGIN = 1 << 2,     // 3  [m]  W; known of rays that meet nothing too
  LIMPET_RANGE_POINT = 1 << 3,      // 3  [m]  W  that it meets
  LIMPET_RANGE_NORMAL = 1 << 4,     // 3  outward unit normal of the surface, W
  LIMPET_RANGE_DEPTH = 1 << 5       // 1  [m]  along the axis of the site or camera
};

/* What a sensor measures is an object, of a kind that suits (limpet_sensor_kind_objects says
 * which): joint, tendon, actuator, site, body, geom, camera. A reference is the frame in which the
 * sensor of a frame measures, the site of `insidesite`, or the second of two geoms or bodies. */
typedef struct limpet_sensor_description {
  const char *name;
  const limpet_sensor_kind *kind;  // limpet_sensor_kind_find("gyro") of sense.h
  limpet_object object_type;
  int object;            // handle; LIMPET_NONE for kinds that measure the whole world
  bool object_inertial;  // a body by com and principal axes (MJCF body), not xbody; false
  limpet_object reference_type;
  int reference;  // handle; LIMPET_NONE: the world frame
  bool reference_inertial;
  unsigned range_fields;          // LIMPET_RANGE_ bits of a `rangefinder`; LIMPET_RANGE_DISTANCE
  int size;                       // numbers, for the kind `zeros` only; others know theirs
  limpet_contact_sensor contact;  // for the kind `contact` only
  int taxels[2];                  // rows, columns of cells, for the kind `taxels` only; 1, 1
  double cutoff;       // [unit of the sensor]  clamp, and range of distance sensors; 0: none
  double noise;        // [unit of the sensor]  standard deviation; Limpet adds no noise
  double delay;        // [s]  age of what data->sensor shows; 0: none
  double interval[2];  // [s]  from one reading to the next, and time of the one before 0; 0: always
  int delay_samples;   // readings that are remembered; 0: neither delay nor interval acts
  limpet_interpolation delay_interpolation;
  limpet_place place;
} limpet_sensor_description;

LIMPET_API limpet_body_description limpet_body_description_default(void);
LIMPET_API limpet_joint_description limpet_joint_description_default(void);
LIMPET_API limpet_geom_description limpet_geom_description_default(void);
LIMPET_API limpet_site_description limpet_site_description_default(void);
LIMPET_API limpet_camera_description limpet_camera_description_default(void);
LIMPET_API limpet_mesh_description limpet_mesh_description_default(void);
LIMPET_API limpet_cloud_description limpet_cloud_description_default(void);
LIMPET_API limpet_tendon_description limpet_tendon_description_default(void);
LIMPET_API limpet_actuator_description limpet_actuator_description_default(void);
LIMPET_API limpet_coupler_description limpet_coupler_description_default(void);
LIMPET_API limpet_loop_description limpet_loop_description_default(void);
LIMPET_API limpet_pair_description limpet_pair_description_default(void);
LIMPET_API limpet_keyframe_description limpet_keyframe_description_default(void);
LIMPET_API limpet_sensor_description limpet_sensor_description_default(void);

#ifdef __cplusplus
}
#endif
#endif
