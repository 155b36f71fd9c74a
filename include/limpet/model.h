/* limpet/model.h: describing a robot and its scene, and the compiled model. Floor 3.
 *
 * builder (mutable description)  ->  limpet_model (immutable, any number of threads)  ->
 *   limpet_data (one world, data.h)
 *
 * A description struct is filled by its `_default` function, changed, and handed to the builder,
 * which copies it (strings and arrays too) and returns its handle: 0, 1, 2, ... in the order of
 * adding, the world body being handle 0. Compilation orders bodies depth first, children in the
 * order of adding, and joints, geoms and sites by body; a model that was described in that order
 * keeps its numbers. All quantities are SI: m, kg, s, N, rad. Quaternions are (w, x, y, z); a pose
 * takes child axes to parent axes.
 *
 * A `place` says where in a file something was described; errors of compilation name it.
 * docs/conventions.md holds the conventions of the whole library on one page. */
#ifndef LIMPET_MODEL_H
#define LIMPET_MODEL_H

#include "limpet/appearance.h"
#include "limpet/deformable.h"
#include "limpet/field.h"
#include "limpet/pressure.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limpet_builder limpet_builder;
typedef struct limpet_model limpet_model;

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
  LIMPET_OBJECT_COUNT
} limpet_object;

typedef enum limpet_transmission {
  LIMPET_TRANSMISSION_JOINT,  // gear[0] times the coordinate; ball, free: axis in child axes
  LIMPET_TRANSMISSION_JOINT_IN_PARENT,  // the same; ball, free: axis in parent axes
  LIMPET_TRANSMISSION_TENDON,           // gear[0] times the length of a tendon
  LIMPET_TRANSMISSION_SITE,    // gear = [force, moment] in axes of the site (or reference_site)
  LIMPET_TRANSMISSION_SURFACE  // no force: gear[0] times input times a geom's surface velocity
} limpet_transmission;

typedef enum limpet_activation {
  LIMPET_ACTIVATION_NONE,         // no state: force = gain * control + bias
  LIMPET_ACTIVATION_INTEGRATOR,   // act' = control
  LIMPET_ACTIVATION_FILTER,       // act' = (control - act) / tau, explicit Euler
  LIMPET_ACTIVATION_FILTER_EXACT  // the same, integrated exactly over a step
} limpet_activation;

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
  double gravity_compensation;   // [-]  share of the weight carried by a force at com
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
  double stiffness;         // [N/m, N m/rad]
  double spring_reference;  // [m, rad]  for ball and free: the reference pose is the spring's rest
  double spring_damper[2];  // (time [s], damping ratio [-])  > 0: stiffness, damping follow
  double damping;           // [N s/m, N m s/rad]
  double armature;          // [kg, kg m^2]  reflected rotor inertia
  double dry_friction;      // [N, N m]
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
  double position[3], quaternion[4];  // in the body frame
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
  double position[3], quaternion[4];  // in the body frame
  limpet_shape_kind kind;  // volume that sensors feel: sphere, capsule, ellipsoid, cylinder, box
  double size[3];          // [m]  see limpet_shape_kind; radius 5 mm
  limpet_place place;
} limpet_site_description;

typedef struct limpet_mesh_description {
  const char *name;
  const char *file;  // for messages and records; may be NULL
  int vertex_count, face_count;
  const double *vertices;  // (vertex_count x 3)  [m before scale]
  const int *faces;        // (face_count x 3)  counter-clockwise from outside; none: convex hull
  int tetrahedron_count;   // of a volume mesh, whose boundary `faces` is; 0: none
  const int *tetrahedra;   // (tetrahedron_count x 4)  of positive volume
  const double *field;     // (vertex_count)  [-]  pressure over modulus; NULL: by distance
  bool concave;            // pressure fields take the faces as they are, not the convex hull; false
  // a height field: vertices and faces are made from it by the builder; heights NULL: none
  int rows, columns;
  double grid_half[2], grid_base;  // [m]  see limpet_height_field
  const double *heights;           // (rows x columns)  [m]  0 or more
  double scale[3];                 // [-]  1; height fields: only 1
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
  double stiffness, damping;  // [N/m], [N s/m]
  double spring_range[2];     // no force inside; (-1, -1): the length in the reference pose
  double armature;            // [kg]
  double dry_friction;        // [N]
  limpet_impedance dry_friction_impedance;
  bool effort_limited;
  double effort_range[2];  // [N]  limits of the sum of actuator forces on this tendon
  limpet_place place;
} limpet_tendon_description;

typedef struct limpet_actuator_description {
  const char *name;
  limpet_transmission transmission;
  int target;          // handle of joint, tendon, site or geom
  int reference_site;  // site transmission: length and axes relative to this site; LIMPET_NONE
  double gear[6];
  bool control_limited, force_limited, activation_limited;
  double control_range[2];
  double force_range[2];  // [N, N m]
  double activation_range[2];
  limpet_activation activation;
  double activation_time;  // [s]  tau of a filter
  bool activation_early;   // force uses the activation of the end of the step
  /* force = (gain[0] + gain[1] length + gain[2] velocity) * input + bias[0] + bias[1] length +
   * bias[2] velocity, input: the control, or the activation where there is one */
  double gain[3], bias[3];
  double damping_ratio;  // >= 0: compilation sets bias[2] from the reflected inertia; -1
  int group;
  limpet_place place;
} limpet_actuator_description;

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
  LIMPET_CONTACT_TANGENT = 1 << 6    // 3  W
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

/* What a sensor measures is an object, of a kind that suits (limpet_sensor_kind_objects says
 * which): joint, tendon, actuator, site, body, geom. A reference is the frame in which the sensor
 * of a frame measures, the site of `insidesite`, or the second of two geoms or bodies. */
typedef struct limpet_sensor_description {
  const char *name;
  const limpet_sensor_kind *kind;  // limpet_sensor_kind_find("gyro") of sense.h
  limpet_object object_type;
  int object;            // handle; LIMPET_NONE for kinds that measure the whole world
  bool object_inertial;  // a body by com and principal axes (MJCF body), not xbody; false
  limpet_object reference_type;
  int reference;  // handle; LIMPET_NONE: the world frame
  bool reference_inertial;
  int size;                       // numbers, for the kind `zeros` only; others know theirs
  limpet_contact_sensor contact;  // for the kind `contact` only
  int taxels[2];                  // rows, columns of cells, for the kind `taxels` only; 1, 1
  double cutoff;  // [unit of the sensor]  clamp, and range of distance sensors; 0: none
  double noise;   // [unit of the sensor]  standard deviation; Limpet adds no noise
  limpet_place place;
} limpet_sensor_description;

LIMPET_API limpet_body_description limpet_body_description_default(void);
LIMPET_API limpet_joint_description limpet_joint_description_default(void);
LIMPET_API limpet_geom_description limpet_geom_description_default(void);
LIMPET_API limpet_site_description limpet_site_description_default(void);
LIMPET_API limpet_mesh_description limpet_mesh_description_default(void);
LIMPET_API limpet_cloud_description limpet_cloud_description_default(void);
LIMPET_API limpet_tendon_description limpet_tendon_description_default(void);
LIMPET_API limpet_actuator_description limpet_actuator_description_default(void);
LIMPET_API limpet_coupler_description limpet_coupler_description_default(void);
LIMPET_API limpet_loop_description limpet_loop_description_default(void);
LIMPET_API limpet_pair_description limpet_pair_description_default(void);
LIMPET_API limpet_keyframe_description limpet_keyframe_description_default(void);
LIMPET_API limpet_sensor_description limpet_sensor_description_default(void);

// --------------------------------------------------------------------------------- builder

LIMPET_API limpet_builder *limpet_builder_create(void);  // NULL: no memory
LIMPET_API void limpet_builder_destroy(limpet_builder *builder);
// Options of the model, to be changed in place.
LIMPET_API limpet_options *limpet_builder_options(limpet_builder *builder);
// Names the model.
LIMPET_API void limpet_builder_name(limpet_builder *builder, const char *name);

/* Each returns a handle, or LIMPET_NONE when there is no memory (compilation then reports it). What
 * is wrong in a description is reported by compilation, with its place. */
LIMPET_API int limpet_builder_add_body(limpet_builder *builder,
                                       const limpet_body_description *description);
LIMPET_API int limpet_builder_add_joint(limpet_builder *builder,
                                        const limpet_joint_description *description);
LIMPET_API int limpet_builder_add_geom(limpet_builder *builder,
                                       const limpet_geom_description *description);
LIMPET_API int limpet_builder_add_site(limpet_builder *builder,
                                       const limpet_site_description *description);
LIMPET_API int limpet_builder_add_mesh(limpet_builder *builder,
                                       const limpet_mesh_description *description);
LIMPET_API int limpet_builder_add_texture(limpet_builder *builder, const limpet_texture *texture);
LIMPET_API int limpet_builder_add_appearance(limpet_builder *builder,
                                             const limpet_appearance *appearance);
LIMPET_API int limpet_builder_add_cloud(limpet_builder *builder,
                                        const limpet_cloud_description *description);
LIMPET_API int limpet_builder_add_tendon(limpet_builder *builder,
                                         const limpet_tendon_description *description);
LIMPET_API int limpet_builder_add_actuator(limpet_builder *builder,
                                           const limpet_actuator_description *description);
LIMPET_API int limpet_builder_add_coupler(limpet_builder *builder,
                                          const limpet_coupler_description *description);
LIMPET_API int limpet_builder_add_loop(limpet_builder *builder,
                                       const limpet_loop_description *description);
LIMPET_API int limpet_builder_add_pair(limpet_builder *builder,
                                       const limpet_pair_description *description);
LIMPET_API int limpet_builder_add_keyframe(limpet_builder *builder,
                                           const limpet_keyframe_description *description);
LIMPET_API int limpet_builder_add_sensor(limpet_builder *builder,
                                         const limpet_sensor_description *description);
LIMPET_API int limpet_builder_add_deformable(limpet_builder *builder,
                                             const limpet_deformable_description *description);
// Forgets all keyframes: those of a file no longer fit once bodies are added to its model.
LIMPET_API void limpet_builder_remove_keyframes(limpet_builder *builder);
LIMPET_API void limpet_builder_add_exclude(limpet_builder *builder, int body_a, int body_b);

/* What was added, for reading and changing before compilation; the pointer holds until
 * the next object of that kind is added. */
LIMPET_API limpet_body_description *limpet_builder_body(limpet_builder *builder, int handle);
LIMPET_API limpet_joint_description *limpet_builder_joint(limpet_builder *builder, int handle);
LIMPET_API limpet_geom_description *limpet_builder_geom(limpet_builder *builder, int handle);
LIMPET_API limpet_site_description *limpet_builder_site(limpet_builder *builder, int handle);
LIMPET_API limpet_deformable_description *limpet_builder_deformable(limpet_builder *builder,
                                                                    int handle);
LIMPET_API limpet_tendon_description *limpet_builder_tendon(limpet_builder *builder, int handle);
LIMPET_API limpet_actuator_description *limpet_builder_actuator(limpet_builder *builder,
                                                                int handle);
// How many were added; the world counts as a body.
LIMPET_API int limpet_builder_count(const limpet_builder *builder, limpet_object object);
// Handle of the object with that name, or LIMPET_NONE.
LIMPET_API int limpet_builder_find(const limpet_builder *builder, limpet_object object,
                                   const char *name);

/* A remark of an importer that travels with the model and is shown by `limpet check`: something in
 * the file that was read but is not simulated (`unsupported`: physics differs from what the file
 * asks) or that deserves a note. `text` is copied. */
LIMPET_API void limpet_builder_add_note(limpet_builder *builder, bool unsupported,
                                        limpet_place place, const char *text);

/* Checks everything, orders it, computes inertias, hulls, reference quantities. The builder is
 * unchanged and can be compiled again. Returns NULL and fills `error` (may be NULL) when something
 * is wrong: the first thing found, with its place. */
LIMPET_API limpet_model *limpet_builder_compile(limpet_builder *builder, limpet_error *error);

// ----------------------------------------------------------------------------------- model

typedef struct limpet_note {
  bool unsupported;
  limpet_place place;
  const char *text;
} limpet_note;

struct limpet_model {
  const char *name;        // of the model
  limpet_options options;  // of the whole
  uint64_t hash;           // of everything below that decides the motion

  // sizes
  int nq;                               // coordinates
  int nv;                               // velocities
  int nu;                               // controls (= actuator_count)
  int na;                               // activations
  int texture_count, appearance_count;  // for pictures only
  int body_count, joint_count, tree_count, geom_count, site_count, mesh_count, cloud_count,
      mocap_count;
  int actuator_count, tendon_count, tendon_term_count, tendon_point_count, tendon_dof_count;
  int coupler_count, loop_count, pair_count, exclude_count;
  int keyframe_count, note_count;
  int sensor_count;      // sensors
  int nsensor;           // numbers in data->sensor
  int collider_count;    // geoms that can collide with anything
  int deformable_count;  // deformable bodies
  int vertex_count;      // of all deformable bodies; quadratic elements: nodes
  int tie_count;         // vertices that move with a rigid body, or are clamped
  int mass_size;         // doubles in the mass matrix: sum of (velocities of a tree)^2

  // bodies, depth first; body 0 is the world
  int *body_parent;       // (body_count)  world: 0
  int *body_tree;         // (body_count)  kinematic tree, or -1: cannot move
  int *body_weld;         // (body_count)  first body of its rigid unit: has joints, or is the world
  int *body_joint;        // (body_count)  first joint
  int *body_joint_count;  // (body_count)
  int *body_dof;          // (body_count)  first velocity of its own joints
  int *body_dof_count;    // (body_count)
  int *body_last_dof;     // (body_count)  last velocity on its path to the world; -1: none
  int *body_geom;         // (body_count)  first geom
  int *body_geom_count;   // (body_count)
  int *body_mocap;        // (body_count)  index into data->mocap_*, or -1
  int *body_subtree_end;  // (body_count)  one past the last body of its subtree
  double *body_position;  // (body_count x 3)  [m]  in the parent
  double *body_quaternion;  // (body_count x 4)  in the parent
  double *body_mass;        // (body_count)  [kg]
  double *body_com;         // (body_count x 3)  [m]  in the body frame
  double *body_inertia;     // (body_count x 9)  [kg m^2]  about the centre of mass, body axes
  double *body_inertia_quaternion;    // (body_count x 4)  principal axes to the body frame
  double *body_gravity_compensation;  // (body_count)  [-]
  double
      *body_box;  // (body_count x 3)  [m]  half axes of the solid box with its principal inertias
  double *body_inverse_weight;  // (body_count x 2)  [1/kg, 1/(kg m^2)]  mean of J M^-1 J'
  double *body_radius;  // (body_count)  [m]  about its origin, holds its colliders but planes

  // trees: contiguous ranges of bodies and of v
  int *tree_body;        // (tree_count)  first body
  int *tree_body_count;  // (tree_count)
  int *tree_dof;         // (tree_count)  first velocity
  int *tree_dof_count;   // (tree_count)
  int *tree_mass;        // (tree_count)  first entry of its block in data->mass_matrix

  // joints
  limpet_joint_kind *joint_kind;              // (joint_count)
  int *joint_body;                            // (joint_count)
  int *joint_q;                               // (joint_count)  first coordinate
  int *joint_v;                               // (joint_count)  first velocity
  double *joint_position;                     // (joint_count x 3)  [m]  anchor in the body frame
  double *joint_axis;                         // (joint_count x 3)  unit, body frame
  double *joint_advance;                      // (joint_count)  [m/rad]  screw: pitch/(2 pi); else 0
  double *joint_range;                        // (joint_count x 2)  [m, rad]  infinite: none
  bool *joint_limited;                        // (joint_count)
  double *joint_limit_margin;                 // (joint_count)  [m, rad]
  bool *joint_has_limit_impedance;            // (joint_count)
  limpet_impedance *joint_limit_impedance;    // (joint_count)
  double *joint_stiffness;                    // (joint_count)  [N/m, N m/rad]
  bool *joint_effort_limited;                 // (joint_count)
  double *joint_effort_range;                 // (joint_count x 2)  [N, N m]  infinite: none
  bool *joint_actuator_gravity_compensation;  // (joint_count)

  // velocities (degrees of freedom)
  int *dof_joint, *dof_body, *dof_tree;  // (nv)
  int *dof_parent;                       // (nv)  previous velocity on the path to the world, or -1
  double *dof_damping;                   // (nv)  [N s/m, N m s/rad]
  double *dof_armature;                  // (nv)  [kg, kg m^2]
  double *dof_dry_friction;              // (nv)  [N, N m]
  limpet_dry_friction_kind *dof_dry_friction_kind;  // (nv)
  limpet_impedance *dof_dry_friction_impedance;     // (nv)
  double *dof_inverse_weight;  // (nv)  [1/kg, 1/(kg m^2)]  of M^-1; free, ball: mean of 3

  // coordinates
  double *q_reference;  // (nq)  [m, rad, -]  pose of the file
  double *q_spring;     // (nq)  [m, rad, -]  rest of the joint springs

  // geoms, by body
  limpet_shape_kind *geom_kind;  // (geom_count)
  int *geom_body;                // (geom_count)
  int *geom_mesh;                // (geom_count)  mesh or LIMPET_NONE
  int *geom_cloud;               // (geom_count)  cloud or LIMPET_NONE
  double *geom_size;             // (geom_count x 3)  [m]
  double *geom_position;    // (geom_count x 3)  [m]  in the body frame; of a mesh's inertial frame
  double *geom_quaternion;  // (geom_count x 4)  likewise
  double *geom_rotation;    // (geom_count x 9)  matrix of geom_quaternion
  double *geom_radius;      // (geom_count)  [m]  of the bounding sphere; plane: INFINITY
  limpet_material *geom_material;                 // (geom_count)
  unsigned *geom_contype, *geom_conaffinity;      // (geom_count)
  int *geom_condim, *geom_priority, *geom_group;  // (geom_count)
  double *geom_impedance_mix;                     // (geom_count)  [-]
  double *geom_margin, *geom_gap;                 // (geom_count)  [m]
  bool *geom_fluid_ellipsoid;                     // (geom_count)  see the description
  double *geom_fluid_coefficients;                // (geom_count x 5)  [-]
  double *geom_added_volume;  // (geom_count x 6)  [m^3, m^5]  of the medium that moves along, turns
  float *geom_rgba;           // (geom_count x 4)
  int *geom_appearance;       // (geom_count)  or LIMPET_NONE
  limpet_pressure_field **geom_field;  // (geom_count)  pressure field; NULL: it has none
  int *collider_geom;  // (geom_count)  geoms that can collide, ascending: the first collider_count
  int *geom_collider;  // (geom_count)  inverse of collider_geom, or -1: visual only

  // sites
  int *site_body;                // (site_count)
  double *site_position;         // (site_count x 3)  [m]  in the body frame
  double *site_quaternion;       // (site_count x 4)  in the body frame
  limpet_shape_kind *site_kind;  // (site_count)  of the volume in which sensors feel
  double *site_size;             // (site_count x 3)  [m]

  limpet_mesh *mesh;     // (mesh_count)
  limpet_cloud **cloud;  // (cloud_count)

  limpet_texture *texture;        // (texture_count)  without place
  limpet_appearance *appearance;  // (appearance_count)  without place

  // tendons: fixed ones have terms, spatial ones have points
  int *tendon_begin;           // (tendon_count + 1)  into tendon_joint, tendon_coefficient
  int *tendon_joint;           // (tendon_term_count)
  double *tendon_coefficient;  // (tendon_term_count)  [-, m/rad]
  int *tendon_point_begin;     // (tendon_count + 1)  into tendon_point_*; fixed tendons: none
  limpet_tendon_point_kind *tendon_point_kind;  // (tendon_point_count)
  int *tendon_point_object;      // (tendon_point_count)  site or geom; pulley: LIMPET_NONE
  int *tendon_point_side;        // (tendon_point_count)  site, or LIMPET_NONE
  double *tendon_point_divisor;  // (tendon_point_count)  [-]  pulley: of what follows
  int *tendon_dof_begin;         // (tendon_count + 1)  into tendon_dof and data->tendon_row
  int *tendon_dof;  // (tendon_dof_count)  velocities that change the length; spatial: ascending
  double *tendon_reference_length;  // (tendon_count)  [as the range]  in the pose of the file
  bool *tendon_limited;             // (tendon_count)
  double *tendon_range;         // (tendon_count x 2)  [m, or the unit of the terms]  infinite: none
  double *tendon_limit_margin;  // (tendon_count)  [as the range]
  double *tendon_limit_stiffness;            // (tendon_count)  [N/m]  INFINITY: near-rigid
  double *tendon_limit_damping;              // (tendon_count)  [N s/m]
  bool *tendon_has_limit_impedance;          // (tendon_count)
  limpet_impedance *tendon_limit_impedance;  // (tendon_count)
  double *tendon_stiffness;                  // (tendon_count)  [N/m]
  double *tendon_damping;                    // (tendon_count)  [N s/m]
  double *tendon_armature;                   // (tendon_count)  [kg]
  double *tendon_dry_friction;               // (tendon_count)  [N]
  double *tendon_spring_range;  // (tendon_count x 2)  [as the range]  no spring force between
  limpet_impedance *tendon_dry_friction_impedance;  // (tendon_count)
  bool *tendon_effort_limited;                      // (tendon_count)
  double *tendon_effort_range;                      // (tendon_count x 2)  [N]  infinite: none
  double *tendon_inverse_weight;  // (tendon_count)  [1/kg]  a M^-1 a' at the reference pose

  // actuators
  limpet_transmission *actuator_transmission;      // (actuator_count)
  int *actuator_target, *actuator_reference_site;  // (actuator_count)
  double *actuator_gear;                           // (actuator_count x 6)
  bool *actuator_control_limited;                  // (actuator_count)
  bool *actuator_force_limited;                    // (actuator_count)
  bool *actuator_activation_limited;               // (actuator_count)
  double *actuator_control_range;                  // (actuator_count x 2)
  double *actuator_force_range;                    // (actuator_count x 2)
  double *actuator_activation_range;               // (actuator_count x 2)
  limpet_activation *actuator_activation;          // (actuator_count)
  int *actuator_act;                      // (actuator_count)  index into data->activation, or -1
  double *actuator_activation_time;       // (actuator_count)  [s]
  bool *actuator_activation_early;        // (actuator_count)
  double *actuator_gain, *actuator_bias;  // (actuator_count x 3)
  int *actuator_group;                    // (actuator_count)
  bool *actuator_disabled;                // (actuator_count)  by group

  // couplers
  bool *coupler_tendon, *coupler_active, *coupler_has_impedance;  // (coupler_count)
  int *coupler_y, *coupler_x;           // (coupler_count)  joints or tendons; x may be LIMPET_NONE
  double *coupler_coefficient;          // (coupler_count x 5)
  limpet_impedance *coupler_impedance;  // (coupler_count)

  // loops: two bodies held together by a point, a frame or a distance
  limpet_loop_kind *loop_kind;             // (loop_count)
  bool *loop_active, *loop_has_impedance;  // (loop_count)
  int *loop_body;                          // (loop_count x 2)  A, B
  double *loop_position;      // (loop_count x 2 x 3)  [m]  P on A, Q on B, in the body frames
  double *loop_quaternion;    // (loop_count x 2 x 4)  P on A, Q on B, to the body frames
  double *loop_length;        // (loop_count)  [m]  distance: |PQ|
  double *loop_stiffness;     // (loop_count)  [N/m]  INFINITY: near-rigid
  double *loop_damping;       // (loop_count)  [N s/m]
  double *loop_torque_scale;  // (loop_count)  [-]
  limpet_impedance *loop_impedance;  // (loop_count)

  // pairs with parameters of their own, and bodies that never touch
  int *pair_geom;                    // (pair_count x 2)
  int *pair_condim;                  // (pair_count)
  double *pair_friction;             // (pair_count x 5)  [-, -, m, m, m]
  bool *pair_has_impedance;          // (pair_count)
  limpet_impedance *pair_impedance;  // (pair_count)
  double *pair_margin, *pair_gap;    // (pair_count)  [m]
  int *exclude_body;                 // (exclude_count x 2)

  // keyframes
  double *keyframe_time;              // (keyframe_count)  [s]
  double *keyframe_q;                 // (keyframe_count x nq)  [m, rad, -]
  double *keyframe_v;                 // (keyframe_count x nv)  [m/s, rad/s]
  double *keyframe_control;           // (keyframe_count x nu)
  double *keyframe_activation;        // (keyframe_count x na)
  double *keyframe_mocap_position;    // (keyframe_count x mocap_count x 3)  [m]
  double *keyframe_mocap_quaternion;  // (keyframe_count x mocap_count x 4)

  // sensors, in the order of adding, which is that of their numbers in data->sensor
  const limpet_sensor_kind **sensor_kind;                     // (sensor_count)
  limpet_object *sensor_object_type, *sensor_reference_type;  // (sensor_count)
  int *sensor_object, *sensor_reference;  // (sensor_count)  index, or LIMPET_NONE
  bool *sensor_object_inertial;     // (sensor_count)  a body by its centre of mass, principal axes
  bool *sensor_reference_inertial;  // (sensor_count)  a body by its centre of mass, principal axes
  limpet_contact_sensor *sensor_contact;  // (sensor_count)  for the kind `contact`
  int *sensor_taxels;                     // (sensor_count x 2)  rows, columns, for `taxels`
  int *sensor_address;                    // (sensor_count)  first number in data->sensor
  int *sensor_size;                       // (sensor_count)  how many
  double *sensor_cutoff, *sensor_noise;   // (sensor_count)  [unit of the sensor]  0: none

  // deformable bodies: limpet/fem.h
  limpet_fem_body **deformable_body;     // (deformable_count)
  int *deformable_geom;                  // (deformable_count)  contact material and filters
  int *deformable_vertex;                // (deformable_count + 1)  first of its vertices
  int *deformable_tie;                   // (deformable_count + 1)  first of its ties
  bool *deformable_gravity;              // (deformable_count)
  bool *deformable_self_contact;         // (deformable_count)
  double *deformable_surface_stiffness;  // (deformable_count)  [Pa/m]  against pressure fields
  double *vertex_reference;              // (vertex_count x 3)  [m]  W  pose of the file
  int *tie_vertex;                       // (tie_count)  ascending
  int *tie_body;                         // (tie_count)  that the vertex moves with
  double *tie_position;                  // (tie_count x 3)  [m]  in the frame of that body

  // mocap bodies
  int *mocap_body;  // (mocap_count)

  double total_mass;    // [kg]
  double mean_inertia;  // [kg, kg m^2]  mean of diag M at the reference pose; no velocities: 1
  limpet_note *note;    // (note_count)
  const char **object_name[LIMPET_OBJECT_COUNT];  // names by index; NULL: unnamed
};

LIMPET_API void limpet_model_destroy(limpet_model *model);

// The tables of the fields of the model and of the structs in it.
LIMPET_API const limpet_field_table *limpet_model_fields(void);
LIMPET_API const limpet_field_table *limpet_options_fields(void);
LIMPET_API const limpet_field_table *limpet_material_fields(void);
LIMPET_API const limpet_field_table *limpet_impedance_fields(void);
LIMPET_API const limpet_field_table *limpet_contact_sensor_fields(void);

// Index of the object with that name, or LIMPET_NONE; name of an object, or NULL if it has none.
LIMPET_API int limpet_model_find(const limpet_model *model, limpet_object object, const char *name);
LIMPET_API const char *limpet_model_name(const limpet_model *model, limpet_object object,
                                         int index);
LIMPET_API int limpet_model_count(const limpet_model *model, limpet_object object);
LIMPET_API const char *limpet_object_word(limpet_object object);  // "body", "joint", ...
// "free", "ball", "prismatic", "revolute"
LIMPET_API const char *limpet_joint_kind_word(limpet_joint_kind kind);
LIMPET_API int limpet_joint_kind_nq(limpet_joint_kind kind);
LIMPET_API int limpet_joint_kind_nv(limpet_joint_kind kind);

#ifdef __cplusplus
}
#endif
#endif
