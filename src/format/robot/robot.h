/* format/robot/robot.h: what URDF and SDFormat share: links and joints by name, and the tree that
 * is made of them.
 *
 * A reader enters its links and joints in the order of the file, then limpet_robot_build adds them
 * to the builder depth first, children in the order of the joints. A link that no joint carries is
 * a root: it floats, unless it is fixed. Loops are closed in span.c. A joint is made of up to six
 * joints of the builder, in order (planar: x, y, turn), and none at all where it is fixed. */
#ifndef LIMPET_FORMAT_ROBOT_H
#define LIMPET_FORMAT_ROBOT_H

#include "format/read/reader.h"

enum { LIMPET_ROBOT_AXES = 6 };  // joints of the builder that make one joint, at most

typedef enum limpet_robot_name { LIMPET_ROBOT_LINK, LIMPET_ROBOT_JOINT } limpet_robot_name;

typedef struct limpet_robot_link limpet_robot_link;
typedef struct limpet_robot_joint limpet_robot_joint;

struct limpet_robot_joint {
  const char *name;
  const limpet_xml_element *element;
  limpet_robot_link *parent, *child;
  double position[3], quaternion[4];  // [m]  of the child in the parent, all coordinates zero
  int axis_count;
  limpet_joint_description axis[LIMPET_ROBOT_AXES];  // frames of the child
  bool floats;                                       // six degrees of freedom: free below the world
  int handle[LIMPET_ROBOT_AXES];                     // in the builder
  limpet_robot_joint *next;                          // in the file
  limpet_robot_joint *sibling;                       // of the same parent
};

struct limpet_robot_link {
  const char *name;
  const limpet_xml_element *element;
  limpet_body_description d;  // its pose: of a root, in the world
  double density;             // [kg/m^3]  of its geoms, if given; else 0
  double start_position[3];   // [m]  in the world, all coordinates zero; SDFormat only
  double start_quaternion[4];
  bool fixed;                // a root that is welded to the world
  bool anchored;             // once it is built: cannot move
  bool deforms;              // a deformable body: no part of the tree, without a handle
  bool reached;              // from a root, while loops are looked for
  limpet_robot_link *whole;  // of a part at the end of a loop: the link; else NULL
  int part_count;            // of a link: its parts at ends of loops
  limpet_robot_joint *up;    // that carries it; NULL: a root
  limpet_robot_joint *down, *last_down;
  int handle;  // in the builder; LIMPET_NONE: not made yet
  limpet_robot_link *next;
  limpet_robot_link *waiting;  // while the tree is made
};

// The contents of a mesh file, for all meshes of it.
typedef struct limpet_robot_file limpet_robot_file;
struct limpet_robot_file {
  limpet_mesh_file file;
  limpet_robot_file *next;
};

typedef struct limpet_robot {
  limpet_reader *reader;
  const char *path;         // of the file; NULL: a text
  limpet_robot_link world;  // handle 0, in no list
  bool takes_loops;         // several joints may carry one link
  limpet_robot_link *links, *last_link;
  limpet_robot_joint *joints, *last_joint;
  limpet_table names;   // links and joints, by limpet_robot_name
  limpet_table meshes;  // meshes by path and scale, their names, files by path
  limpet_table body_names, joint_names, geom_names, site_names,
      actuator_names;          // given to the builder
  limpet_mesh_file mesh_file;  // the one being read, so that an error can free it
  limpet_robot_file *files;    // read before
} limpet_robot;

// At the end of reading.
void limpet_robot_files_free(limpet_robot *robot);

// --------------------------------------------------------------------------- links and joints

/* Enters a link that has the name and a body without inertia; a name that is used twice ends the
 * reading. */
limpet_robot_link *limpet_robot_link_add(limpet_robot *robot, const limpet_xml_element *e,
                                         const char *name);
limpet_robot_joint *limpet_robot_joint_add(limpet_robot *robot, const limpet_xml_element *e,
                                           const char *name);
// "; did you mean 'x'?" with the nearest name, or "".
const char *limpet_robot_suggestion(limpet_robot *robot, limpet_robot_name kind, const char *name);
// The link or joint of that name; ends the reading, with the nearest name, where there is none.
// `attribute` NULL: the text of `e`.
limpet_robot_link *limpet_robot_link_find(limpet_robot *robot, const limpet_xml_element *e,
                                          const char *attribute, const char *name);
limpet_robot_joint *limpet_robot_joint_find(limpet_robot *robot, const limpet_xml_element *e,
                                            const char *attribute, const char *name);
// Ends the reading where the link is a deformable body, to which `e` cannot refer.
void limpet_robot_link_rigid(limpet_robot *robot, const limpet_robot_link *link,
                             const limpet_xml_element *e, const char *attribute);
// Hangs the child on the parent; ends the reading where another joint carries it already, unless
// loops may be.
void limpet_robot_connect(limpet_robot *robot, limpet_robot_joint *joint, limpet_robot_link *parent,
                          limpet_robot_link *child);

/* Joints that carry a link which another one carries close loops: they get parts of it, which have
 * their share of its mass. After all joints, before limpet_robot_build. */
void limpet_robot_span(limpet_robot *robot);
// Welds these parts to their links. After limpet_robot_build.
void limpet_robot_parts_weld(limpet_robot *robot);

/* Adds bodies and joints to the builder. Links that hang on themselves end the reading. */
void limpet_robot_build(limpet_robot *robot);

// `name` for the first body, joint, geom, site or actuator that asks for it; NULL, unnamed, for
// others.
const char *limpet_robot_unique(limpet_robot *robot, limpet_object object, const char *name);

#endif
