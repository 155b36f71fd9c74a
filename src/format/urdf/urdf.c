/* format/urdf/urdf.c: the order in which a URDF file is read. */
#include "format/urdf/urdf.h"

#include <assert.h>
#include <string.h>

#include "format/read/value.h"
#include "format/robot/extension.h"
#include "format/robot/geom.h"
#include "format/urdf/schema.h"

// ---------------------------------------------------------------------------- Drake's frames

static void read_frames(limpet_urdf *u) {
  limpet_reader *reader = u->robot.reader;
  for (const limpet_xml_element *e = limpet_xml_child(u->root, "frame"); e;
       e = limpet_xml_next(e)) {
    const char *link = limpet_read_required(reader, e, "link");
    limpet_site_description d = limpet_site_description_default();
    double rpy[3] = {0.0, 0.0, 0.0};
    d.place = limpet_xml_place(e, NULL);
    d.name =
        limpet_robot_unique(&u->robot, LIMPET_OBJECT_SITE, limpet_read_required(reader, e, "name"));
    d.body = limpet_robot_link_find(&u->robot, e, "link", link)->handle;
    limpet_read_numbers(reader, e, "xyz", d.position, 3, 3);
    limpet_read_numbers(reader, e, "rpy", rpy, 3, 3);
    limpet_robot_rpy(d.quaternion, rpy);
    limpet_reader_added(reader, limpet_builder_add_site(reader->builder, &d));
  }
}

// what <gazebo> says of contacts and forces is not taken over: Gazebo's words mean other things
static void note_gazebo(limpet_urdf *u) {
  static const char *const physics[] = {"mu1",
                                        "mu2",
                                        "kp",
                                        "kd",
                                        "minDepth",
                                        "maxContacts",
                                        "selfCollide",
                                        "turnGravityOff",
                                        "dampingFactor",
                                        "implicitSpringDamper",
                                        "stopCfm",
                                        "stopErp",
                                        "provideFeedback"};
  for (const limpet_xml_element *e = limpet_xml_child(u->root, "gazebo"); e; e = limpet_xml_next(e))
    for (const limpet_xml_element *part = e->first; part; part = part->next)
      for (size_t i = 0; i < sizeof physics / sizeof *physics; ++i)
        if (strcmp(part->name, physics[i]) == 0)
          limpet_reader_unsupported(
              u->robot.reader, part, NULL, physics[i],
              "<%s> of <gazebo> is not taken over; materials of contacts come "
              "from drake:proximity_properties",
              physics[i]);
}

static limpet_robot_link *find_link(void *context, const limpet_xml_element *e,
                                    const char *attribute, const char *name) {
  return limpet_robot_link_find(context, e, attribute, name);
}

static limpet_robot_joint *find_joint(void *context, const limpet_xml_element *e,
                                      const char *attribute, const char *name) {
  return limpet_robot_joint_find(context, e, attribute, name);
}

// ------------------------------------------------------------------------------------- file

typedef struct urdf_reading {
  limpet_urdf urdf;
  const char *text;  // NULL: from the file
  size_t length;
} urdf_reading;

// a file that is to be expanded by xacro first
static void refuse_xacro(limpet_urdf *u) {
  for (int i = 0; i < u->root->attribute_count; ++i) {
    const limpet_xml_attribute *a = &u->root->attribute[i];
    if (strcmp(a->name, "xmlns:xacro") != 0) continue;
    for (const limpet_xml_element *e = u->root->first; e; e = e->next)
      if (strncmp(e->name, "xacro:", 6) == 0)
        limpet_reader_fail(u->robot.reader, e, NULL,
                           "<%s> is xacro, which is expanded before it is read: run 'xacro "
                           "FILE.xacro > robot.urdf' (of ROS, or 'pip install xacro'), then load "
                           "robot.urdf",
                           e->name);
  }
}

static void parse(limpet_urdf *u, const urdf_reading *reading) {
  limpet_reader *reader = u->robot.reader;
  limpet_xml_element *root = NULL;
  const limpet_status status =
      reading->text ? limpet_xml_parse(&root, &reader->pool, reading->text, reading->length,
                                       u->robot.path, reader->error)
                    : limpet_xml_parse_file(&root, &reader->pool, u->robot.path, reader->error);
  if (status != LIMPET_OK) limpet_reader_stop(reader, status);
  u->root = root;
  if (strcmp(root->name, "robot") != 0) limpet_reader_wrong_root(reader, root, "URDF");
  refuse_xacro(u);
  limpet_schema_check(reader, &limpet_urdf_schema, root);
}

static void note_version(limpet_urdf *u) {
  const char *version = limpet_xml_value(u->root, "version");
  if (version && strcmp(version, "1.0") != 0 && strcmp(version, "1.1") != 0 &&
      strcmp(version, "1.2") != 0 && strcmp(version, "1") != 0)
    limpet_reader_note(u->robot.reader, u->root, "version", "version",
                       "URDF %.20s is not known: it is read as 1.2", version);
}

static bool weightless(const limpet_robot_link *link) {
  if (link->d.mass > 0.0 || link->density > 0.0) return false;
  for (const limpet_robot_joint *joint = link->down; joint; joint = joint->sibling)
    if (!weightless(joint->child)) return false;
  return true;
}

/* What floats and has the mass 0 by its file, as grounds and tables of Bullet have, stands still
 * there: it is welded to the world. */
static void weld_weightless(limpet_urdf *u) {
  for (limpet_robot_link *link = u->robot.links; link; link = link->next) {
    const limpet_xml_element *inertial = limpet_xml_child(link->element, "inertial"),
                             *mass = inertial ? limpet_xml_child(inertial, "mass") : NULL;
    if (link->up || link->fixed || !mass || u->robot.reader->options.fix_base || !weightless(link))
      continue;
    link->fixed = true;
    limpet_reader_mend(u->robot.reader, mass, NULL, link->name,
                       "link '%s' has mass 0, and so has all that hangs on it: it is welded to the "
                       "world, as in Bullet; give it a mass, or a fixed joint to 'world'",
                       link->name);
  }
}

static void read_robot(void *context) {
  urdf_reading *reading = context;
  limpet_urdf *u = &reading->urdf;
  limpet_reader *reader = u->robot.reader;
  parse(u, reading);
  note_version(u);
  note_gazebo(u);
  const char *name = limpet_xml_value(u->root, "name");
  if (name) limpet_builder_name(reader->builder, name);
  limpet_builder_options(reader->builder)->friction_rule = LIMPET_FRICTION_HARMONIC_MEAN;

  // the tree first, since everything else refers to it
  limpet_urdf_links_read(u);
  limpet_urdf_joints_read(u);
  weld_weightless(u);
  limpet_robot_build(&u->robot);
  limpet_urdf_geoms_read(u);
  limpet_robot_drawing_settle(&u->robot);
  read_frames(u);
  limpet_urdf_mimics_read(u);
  limpet_urdf_transmissions_read(u);
  const limpet_robot_scope scope = {&u->robot, u->root, find_link, find_joint, &u->robot};
  limpet_robot_filters_read(&scope);
  limpet_robot_constraints_read(&scope);
}

static limpet_status read_urdf(limpet_builder *builder, urdf_reading *reading,
                               const limpet_load_options *options, limpet_error *error) {
  limpet_reader reader = {.builder = builder,
                          .options = options ? *options : limpet_load_options_default(),
                          .error = error,
                          .mends_lists = true};
  reading->urdf.robot.reader = &reader;
  const limpet_status status = limpet_reader_run(&reader, read_robot, reading);
  limpet_robot_files_free(&reading->urdf.robot);
  return status;
}

limpet_status limpet_urdf_read(limpet_builder *builder, const char *path,
                               const limpet_load_options *options, limpet_error *error) {
  assert(builder && path);
  urdf_reading reading = {.urdf = {.robot = {.path = path}}};
  return read_urdf(builder, &reading, options, error);
}

limpet_status limpet_urdf_read_text(limpet_builder *builder, const char *text, size_t length,
                                    const char *path, const limpet_load_options *options,
                                    limpet_error *error) {
  assert(builder && (text || length == 0));
  urdf_reading reading = {.urdf = {.robot = {.path = path}}, .text = text, .length = length};
  return read_urdf(builder, &reading, options, error);
}
