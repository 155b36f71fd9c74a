/* limpet/model.h: describing a robot and its scene, and the compiled model. Floor 3.
 *
 * builder (mutable description)  ->  limpet_model (immutable, any number of threads)  ->
 *   limpet_data (one world, data.h)
 *
 * A description (description.h) is filled by its `_default` function, changed, and handed to the
 * builder, which copies it (strings and arrays too) and returns its handle: 0, 1, 2, ... in the
 * order of adding, the world body being handle 0. Compilation orders bodies depth first, children
 * in the order of adding, and joints, geoms and sites by body; a model that was described in that
 * order keeps its numbers. All quantities are SI: m, kg, s, N, rad. Quaternions are (w, x, y, z); a
 * pose takes child axes to parent axes.
 *
 * A `place` says where in a file something was described; errors of compilation name it.
 * docs/conventions.md holds the conventions of the whole library on one page. */
#ifndef LIMPET_MODEL_H
#define LIMPET_MODEL_H

#include "limpet/description.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limpet_builder limpet_builder;
typedef struct limpet_model limpet_model;

// --------------------------------------------------------------------------------- builder

LIMPET_API limpet_builder *limpet_builder_create(void);  // NULL: no memory
LIMPET_API void limpet_builder_destroy(limpet_builder *builder);
// Options of the model, to be changed in place.
LIMPET_API limpet_options *limpet_builder_options(limpet_builder *builder);
/* Calls `progress` while files are read into the builder and it is compiled, of what may take
 * seconds: the pressure fields of its geoms. done: how many are made, with the share of the one at
 * hand; count: of all; 0 of 0 while that is not known. It returns whether to go on: false ends the
 * call with LIMPET_ERROR_STATE. NULL: nobody watches. */
typedef bool limpet_builder_progress(void *context, double done, int count);
LIMPET_API void limpet_builder_watch(limpet_builder *builder, limpet_builder_progress *progress,
                                     void *context);
// For readers, between files: asks the watcher, if there is one. LIMPET_OK or LIMPET_ERROR_STATE.
LIMPET_API limpet_status limpet_builder_go_on(const limpet_builder *builder, limpet_error *error);
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
LIMPET_API int limpet_builder_add_camera(limpet_builder *builder,
                                         const limpet_camera_description *description);
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
// More vertices of a deformable body (handle) that move with a rigid body; arrays are copied.
LIMPET_API void limpet_builder_add_tie(limpet_builder *builder, int deformable,
                                       const limpet_tie *tie);
// Forgets all keyframes: those of a file no longer fit once bodies are added to its model.
LIMPET_API void limpet_builder_remove_keyframes(limpet_builder *builder);
LIMPET_API void limpet_builder_add_exclude(limpet_builder *builder, int body_a, int body_b);

/* What was added, for reading and changing before compilation; the pointer holds until
 * the next object of that kind is added. */
LIMPET_API limpet_body_description *limpet_builder_body(limpet_builder *builder, int handle);
LIMPET_API limpet_joint_description *limpet_builder_joint(limpet_builder *builder, int handle);
LIMPET_API limpet_geom_description *limpet_builder_geom(limpet_builder *builder, int handle);
LIMPET_API limpet_site_description *limpet_builder_site(limpet_builder *builder, int handle);
LIMPET_API limpet_camera_description *limpet_builder_camera(limpet_builder *builder, int handle);
LIMPET_API limpet_loop_description *limpet_builder_loop(limpet_builder *builder, int handle);
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
// The same for input that is most likely a mistake: it is simulated as given, or repaired as the
// text says.
LIMPET_API void limpet_builder_add_doubt(limpet_builder *builder, limpet_place place,
                                         const char *text);

/* Checks everything, orders it, computes inertias, hulls, reference quantities. The builder is
 * unchanged and can be compiled again. Returns NULL and fills `error` (may be NULL) when something
 * is wrong: the first thing found, with its place; or when the watcher ended it. */
LIMPET_API limpet_model *limpet_builder_compile(limpet_builder *builder, limpet_error *error);

// ----------------------------------------------------------------------------------- model

typedef struct limpet_note {
  bool unsupported;  // physics differs from what the file asks
  bool doubtful;     // most likely a mistake: simulated as given, or repaired as the text says
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
  int body_count, joint_count, tree_count, geom_count, site_count, camera_count, mesh_count,
      cloud_count, mocap_count;
  int actuator_count, tendon_count, tendon_term_count, tendon_point_count, tendon_dof_count;
  int coupler_count, loop_count, pair_count, exclude_count;
  int keyframe_count, note_count;
  int sensor_count;      // sensors
  int nsensor;           // numbers in data->sensor
  int history_count;     // numbers in data->history
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
  limpet_joint_kind *joint_kind;            // (joint_count)
  int *joint_body;                          // (joint_count)
  int *joint_q;                             // (joint_count)  first coordinate
  int *joint_v;                             // (joint_count)  first velocity
  double *joint_position;                   // (joint_count x 3)  [m]  anchor in the body frame
  double *joint_axis;                       // (joint_count x 3)  unit, body frame
  double *joint_advance;                    // (joint_count)  [m/rad]  screw: pitch/(2 pi); else 0
  double *joint_range;                      // (joint_count x 2)  [m, rad]  infinite: none
  bool *joint_limited;                      // (joint_count)
  double *joint_limit_margin;               // (joint_count)  [m, rad]
  bool *joint_has_limit_impedance;          // (joint_count)
  limpet_impedance *joint_limit_impedance;  // (joint_count)
  double *joint_stiffness;                  // (joint_count)  [N/m, N m/rad]
  double *joint_stiffness_growth;  // (joint_count x 2)  [N/m^2, N/m^3; per rad]  see description
  bool *joint_effort_limited;      // (joint_count)
  double *joint_effort_range;      // (joint_count x 2)  [N, N m]  infinite: none
  bool *joint_actuator_gravity_compensation;  // (joint_count)

  // velocities (degrees of freedom)
  int *dof_joint, *dof_body, *dof_tree;  // (nv)
  int *dof_parent;                       // (nv)  previous velocity on the path to the world, or -1
  double *dof_damping;                   // (nv)  [N s/m, N m s/rad]
  double *dof_damping_growth;  // (nv x 2)  [N s^2/m^2, N s^3/m^3; per rad]  see description
  double *dof_armature;        // (nv)  [kg, kg m^2]
  double *dof_dry_friction;    // (nv)  [N, N m]
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
  bool *geom_fluid_ellipsoid;                     // (geom_count)  see description
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

  // cameras, by body
  int *camera_body;           // (camera_count)
  double *camera_position;    // (camera_count x 3)  [m]  in the body frame
  double *camera_quaternion;  // (camera_count x 4)  in the body frame
  bool *camera_orthographic;  // (camera_count)
  int *camera_resolution;     // (camera_count x 2)  columns, rows
  double *camera_focal;       // (camera_count x 2)  [pixels, or pixels/m]
  double *camera_centre;      // (camera_count x 2)  [pixels]

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
  double *tendon_stiffness_growth;           // (tendon_count x 2)  [N/m^2, N/m^3]  see description
  double *tendon_damping_growth;  // (tendon_count x 2)  [N s^2/m^2, N s^3/m^3]  see description
  double *tendon_armature;        // (tendon_count)  [kg]
  double *tendon_dry_friction;    // (tendon_count)  [N]
  double *tendon_spring_range;    // (tendon_count x 2)  [as the range]  no spring force between
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
  int *actuator_act;                   // (actuator_count)  first index into data->activation, or -1
  int *actuator_act_count;             // (actuator_count)  activations: 0, 1, or those of its motor
  double *actuator_activation_time;    // (actuator_count)  [s]
  double *actuator_deactivation_time;  // (actuator_count)  [s]  of muscles
  double *actuator_activation_smoothing;                       // (actuator_count)  [-]  of muscles
  bool *actuator_activation_early;                             // (actuator_count)
  double *actuator_gain, *actuator_bias;                       // (actuator_count x 3)
  limpet_actuator_law *actuator_gain_law, *actuator_bias_law;  // (actuator_count)
  limpet_muscle *actuator_muscle;            // (actuator_count)  force is known: 0 or more
  limpet_motor *actuator_motor;              // (actuator_count)  of the law LIMPET_ACTUATOR_MOTOR
  int *actuator_part, *actuator_part_count;  // (actuator_count)  orientation servos, motors; else 0
  double *actuator_delay;                    // (actuator_count)  [s]
  int *actuator_delay_samples;               // (actuator_count)
  limpet_interpolation *actuator_delay_interpolation;  // (actuator_count)
  int *actuator_history;          // (actuator_count)  index into data->history, or -1: no delay
  double *actuator_length_range;  // (actuator_count x 2)  [m, rad]  both 0: not known
  double *actuator_crank_length;  // (actuator_count)  [m]  of slider-cranks
  int *actuator_group;            // (actuator_count)
  bool *actuator_disabled;        // (actuator_count)  by group

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
  double *pair_adhesion;             // (pair_count)  [N]
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
  unsigned *sensor_range_fields;          // (sensor_count)  for `rangefinder`
  int *sensor_taxels;                     // (sensor_count x 2)  rows, columns, for `taxels`
  int *sensor_address;                    // (sensor_count)  first number in data->sensor
  int *sensor_size;                       // (sensor_count)  how many
  double *sensor_cutoff, *sensor_noise;   // (sensor_count)  [unit of the sensor]  0: none
  double *sensor_delay;                   // (sensor_count)  [s]
  double *sensor_interval;                // (sensor_count x 2)  [s]  see description
  int *sensor_delay_samples;              // (sensor_count)
  limpet_interpolation *sensor_delay_interpolation;  // (sensor_count)
  int *sensor_history;  // (sensor_count)  index into data->history, or -1

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
LIMPET_API const limpet_field_table *limpet_muscle_fields(void);
LIMPET_API const limpet_field_table *limpet_motor_fields(void);
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
// The kind of object that an actuator's target is the index of.
LIMPET_API limpet_object limpet_transmission_object(limpet_transmission transmission);

#ifdef __cplusplus
}
#endif
#endif
