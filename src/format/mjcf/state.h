/* format/mjcf/state.h: what is known while an MJCF file is read.
 *
 * A model file with everything that it includes is a *source*: its settings of <compiler>, its
 * default classes, its assets. The main file is a source, and so is each model that is attached.
 * Kinematic elements are read in a *scope*: where they stand (frame on the body), which class they
 * inherit, and the *space* that decorates their names: prefix of <attach>, suffix of <replicate>.
 * Sections that refer to names (tendons, actuators, ...) are read once for each space. */
#ifndef LIMPET_FORMAT_MJCF_STATE_H
#define LIMPET_FORMAT_MJCF_STATE_H

#include "format/read/reader.h"

typedef struct limpet_mjcf_class limpet_mjcf_class;
typedef struct limpet_mjcf_source limpet_mjcf_source;
typedef struct limpet_mjcf_space limpet_mjcf_space;
typedef struct limpet_mjcf_actuator limpet_mjcf_actuator;
typedef struct limpet_mjcf_cloud limpet_mjcf_cloud;
typedef struct limpet_mjcf_layout limpet_mjcf_layout;
typedef struct limpet_mjcf_soft limpet_mjcf_soft;
typedef struct limpet_mjcf_flex limpet_mjcf_flex;

typedef struct limpet_mjcf_owners {  // the space in which each joint or body was made, by handle
  const limpet_mjcf_space **space;
  int count, room;
} limpet_mjcf_owners;

typedef struct limpet_mjcf_aligned {
  int body;      // handle
  bool unnamed;  // it has a name for a while only
  struct limpet_mjcf_aligned *next;
} limpet_mjcf_aligned;

typedef struct limpet_mjcf {
  limpet_reader *reader;
  limpet_mjcf_source *main;
  limpet_mjcf_space *spaces, *last_space;  // the main file's first
  limpet_table names;                      // of everything that can be referred to, by object
  limpet_mjcf_owners joints, bodies;       // the world is body 0, with the main space
  int attach_depth, visit_count;

  limpet_mjcf_actuator *actuators, *last_actuator;  // to be named and added at the end
  limpet_mjcf_layout *layout;                       // of keyframes; made for the first
  bool joints_left_out;       // by flexcomp or composite: keyframes no longer fit
  bool activations_left_out;  // by actuators that are not simulated: activations of keyframes may
                              // not fit

  limpet_mesh_file mesh_file;    // the one being read, so that an error can free it
  limpet_cloud_file cloud_file;  // likewise
  limpet_mjcf_cloud *clouds;     // those that were added
  limpet_mjcf_soft *softs;       // deformable bodies, to be added after the tree
  limpet_mjcf_flex *flexes;      // those whose vertices are numbered as MuJoCo's
  limpet_mjcf_aligned *aligned;  // bodies whose frames move into their centres of mass
  limpet_model *compiled;        // for a while: complete.c
} limpet_mjcf;

#endif
