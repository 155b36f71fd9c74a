/* format/sdformat/sdformat.h: what is known while an SDFormat file is read.
 *
 * A world or a model is a *scope*: its links, joints, frames and models have names in it, and poses
 * relative to each other. "arm::hand" means hand in the scope of the model arm. What is built has
 * names with the prefix of its scope: none for a file of one model. */
#ifndef LIMPET_FORMAT_SDFORMAT_H
#define LIMPET_FORMAT_SDFORMAT_H

#include "format/robot/robot.h"

typedef struct limpet_sdf_scope limpet_sdf_scope;
typedef struct limpet_sdf_frame limpet_sdf_frame;

typedef enum limpet_sdf_frame_kind {
  LIMPET_SDF_LINK,
  LIMPET_SDF_JOINT,
  LIMPET_SDF_FRAME,
  LIMPET_SDF_MODEL
} limpet_sdf_frame_kind;

typedef struct limpet_sdf_pose {
  double position[3], quaternion[4];  // [m]  child axes to those of the parent
} limpet_sdf_pose;

struct limpet_sdf_frame {
  limpet_sdf_frame_kind kind;
  const char *name;  // in the scope
  const limpet_xml_element *element;
  limpet_sdf_scope *scope;    // in which it is named
  limpet_sdf_scope *inner;    // of a model
  limpet_robot_link *link;    // of a link
  limpet_robot_joint *joint;  // of a joint, once it is read
  enum { LIMPET_SDF_POSE_UNKNOWN, LIMPET_SDF_POSE_OPEN, LIMPET_SDF_POSE_KNOWN } state;
  limpet_sdf_pose pose;    // in the scope
  limpet_sdf_frame *next;  // of the scope
};

struct limpet_sdf_scope {
  const char *prefix;                 // of names that are built
  const limpet_xml_element *element;  // <model>, <world> or <sdf>
  const limpet_xml_element *include;  // that brought it; NULL: it stands in the file
  limpet_sdf_scope *parent;           // NULL: outermost
  limpet_sdf_frame *model;            // whose inside it is; NULL: outermost
  limpet_sdf_frame *frames, *last;    // in the order of the file
  limpet_table names;                 // limpet_sdf_frame by name
  bool fixed;                         // static: its links are welded to the world
  limpet_sdf_scope *next;             // of all
};

typedef struct limpet_sdf {
  limpet_robot robot;
  const limpet_xml_element *root;  // <sdf>
  limpet_sdf_scope *scopes, *last_scope;
  int include_depth;
} limpet_sdf;

// --------------------------------------------------------------------------- scopes, frames

// Enters a model or world with all that it holds; models below it are scopes of their own.
// `model`: the frame whose inside it is; NULL: outermost.
limpet_sdf_scope *limpet_sdf_scope_add(limpet_sdf *s, limpet_sdf_frame *model,
                                       const limpet_xml_element *e,
                                       const limpet_xml_element *include, const char *prefix);
// The frame "model::name"; ends the reading where there is none. `attribute` NULL: text of `e`.
limpet_sdf_frame *limpet_sdf_frame_find(limpet_sdf *s, limpet_sdf_scope *scope,
                                        const limpet_xml_element *e, const char *attribute,
                                        const char *name);
// Whether the name means the world: "world", where no frame has that name.
bool limpet_sdf_is_world(const limpet_sdf_scope *scope, const char *name);
// The link that a frame is fixed to: of a model, its canonical link.
limpet_robot_link *limpet_sdf_frame_link(limpet_sdf *s, limpet_sdf_frame *frame);
// Pose of a frame in the world.
limpet_sdf_pose limpet_sdf_frame_pose(limpet_sdf *s, limpet_sdf_frame *frame);
// Where a link, whose inertia was read, starts in the world.
limpet_sdf_pose limpet_sdf_link_pose(const limpet_sdf *s, const limpet_robot_link *link);
// Pose of an element with a <pose> that stands in a link: its text, which may be relative to a
// frame of the scope.
limpet_sdf_pose limpet_sdf_pose_in_link(limpet_sdf *s, limpet_sdf_frame *link,
                                        const limpet_xml_element *e);

limpet_sdf_pose limpet_sdf_pose_compose(const limpet_sdf_pose *a, const limpet_sdf_pose *b);
limpet_sdf_pose limpet_sdf_pose_between(const limpet_sdf_pose *from, const limpet_sdf_pose *to);

// ------------------------------------------------------------------------- parts of the file

/* The model that an <include> names: the <model> of the file; ends the reading where there is
 * none. */
const limpet_xml_element *limpet_sdf_include_open(limpet_sdf *s, const limpet_xml_element *e);

// The link at the end of a joint that <parent>, <child> or another element of it names.
limpet_robot_link *limpet_sdf_joint_end(limpet_sdf *s, limpet_sdf_frame *joint, const char *tag);
// Whether the file of an element says that it is of a version before 1.minor; 1.10 comes after 1.9.
bool limpet_sdf_is_before(const limpet_xml_element *element, int minor);
// Whether it is one of the versions 1.0 to 1.12.
bool limpet_sdf_version_known(const char *version);
// Direction of <axis> or <axis2> in the frame of the joint; as it is where there is none.
void limpet_sdf_axis_read(limpet_sdf *s, limpet_sdf_frame *joint, const char *tag, double axis[3]);
// Whether a frame is a joint that couples two others.
bool limpet_sdf_is_gearbox(const limpet_sdf_frame *frame);

void limpet_sdf_links_read(limpet_sdf *s, limpet_sdf_scope *scope);   // inertia
void limpet_sdf_joints_read(limpet_sdf *s, limpet_sdf_scope *scope);  // the tree
void limpet_sdf_geoms_read(limpet_sdf *s, limpet_sdf_scope *scope);
void limpet_sdf_deformables_read(limpet_sdf *s, limpet_sdf_scope *scope);
void limpet_sdf_drives_read(limpet_sdf *s, limpet_sdf_scope *scope);  // actuators, mimic
void limpet_sdf_gearboxes_read(limpet_sdf *s, limpet_sdf_scope *scope);

// <surface> of a <collision>: what has a meaning here; drake:proximity_properties come after it.
void limpet_sdf_surface_read(limpet_sdf *s, const limpet_xml_element *collision,
                             limpet_geom_description *d);
// A child with one number, or three.
bool limpet_sdf_number(limpet_sdf *s, const limpet_xml_element *parent, const char *name,
                       double *value);
bool limpet_sdf_vector(limpet_sdf *s, const limpet_xml_element *parent, const char *name,
                       double value[3]);
// A child with true, false, 1 or 0.
bool limpet_sdf_flag(limpet_sdf *s, const limpet_xml_element *parent, const char *name);
// Text of a child; NULL: there is none.
const char *limpet_sdf_text(const limpet_xml_element *parent, const char *name);

#endif
