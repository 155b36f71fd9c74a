/* format/sdformat/sdformat.c: the order in which an SDFormat file is read. */
#include "format/sdformat/sdformat.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "format/read/value.h"
#include "format/robot/extension.h"
#include "format/robot/geom.h"
#include "format/sdformat/schema.h"

// ------------------------------------------------------------------------------------ world

static void read_physics(limpet_sdf *s, const limpet_xml_element *world) {
  limpet_reader *reader = s->robot.reader;
  limpet_options *options = limpet_builder_options(reader->builder);
  limpet_sdf_vector(s, world, "gravity", options->gravity);
  limpet_sdf_vector(s, world, "magnetic_field", options->magnetic_field);
  const limpet_xml_element *physics = limpet_xml_child(world, "physics");
  if (!physics) return;
  if (!limpet_xml_child(world, "gravity"))  // before SDFormat 1.6 it stood here
    limpet_sdf_vector(s, physics, "gravity", options->gravity);
  limpet_sdf_number(s, physics, "max_step_size", &options->time_step);
  if (!(options->time_step > 0.0))
    limpet_reader_fail(reader, limpet_xml_child(physics, "max_step_size"), NULL,
                       "<max_step_size> is %g s; it must be positive", options->time_step);
}

// ------------------------------------------------------------------------------- extensions

typedef struct names {
  limpet_sdf *s;
  limpet_sdf_scope *scope;
} names;

static limpet_robot_link *find_link(void *context, const limpet_xml_element *e,
                                    const char *attribute, const char *name) {
  const names *n = context;
  limpet_robot_link *link =
      limpet_sdf_frame_link(n->s, limpet_sdf_frame_find(n->s, n->scope, e, attribute, name));
  limpet_robot_link_rigid(&n->s->robot, link, e, attribute);
  return link;
}

static limpet_robot_joint *find_joint(void *context, const limpet_xml_element *e,
                                      const char *attribute, const char *name) {
  const names *n = context;
  limpet_sdf_frame *frame = limpet_sdf_frame_find(n->s, n->scope, e, attribute, name);
  if (!frame->joint) limpet_reader_fail(n->s->robot.reader, e, attribute, "'%s' is no joint", name);
  return frame->joint;
}

// frames of a model are sites on the links that they are attached to
static void read_sites(limpet_sdf *s, limpet_sdf_scope *scope) {
  limpet_reader *reader = s->robot.reader;
  for (limpet_sdf_frame *frame = scope->frames; frame; frame = frame->next) {
    if (frame->kind != LIMPET_SDF_FRAME) continue;
    limpet_robot_link *link = limpet_sdf_frame_link(s, frame);
    limpet_robot_link_rigid(&s->robot, link, frame->element, NULL);
    const limpet_sdf_pose below = limpet_sdf_link_pose(s, link),
                          own = limpet_sdf_frame_pose(s, frame),
                          pose = limpet_sdf_pose_between(&below, &own);
    limpet_site_description d = limpet_site_description_default();
    const char *name = limpet_reader_join(reader, scope->prefix, frame->name, "");
    d.name = limpet_robot_unique(&s->robot, LIMPET_OBJECT_SITE, name);
    d.place = limpet_xml_place(frame->element, NULL);
    d.body = link->handle;
    memcpy(d.position, pose.position, sizeof d.position);
    memcpy(d.quaternion, pose.quaternion, sizeof d.quaternion);
    limpet_reader_added(reader, limpet_builder_add_site(reader->builder, &d));
  }
}

// ------------------------------------------------------------------------------------- file

typedef struct sdf_reading {
  limpet_sdf sdf;
  const char *text;  // NULL: from the file
  size_t length;
} sdf_reading;

static void parse(limpet_sdf *s, const sdf_reading *reading) {
  limpet_reader *reader = s->robot.reader;
  limpet_xml_element *root = NULL;
  const limpet_status status =
      reading->text ? limpet_xml_parse(&root, &reader->pool, reading->text, reading->length,
                                       s->robot.path, reader->error)
                    : limpet_xml_parse_file(&root, &reader->pool, s->robot.path, reader->error);
  if (status != LIMPET_OK) limpet_reader_stop(reader, status);
  s->root = root;
  if (strcmp(root->name, "sdf") != 0) limpet_reader_wrong_root(reader, root, "SDFormat");
  limpet_schema_check(reader, &limpet_sdf_schema, root);
  const char *version = limpet_xml_value(root, "version");
  if (!limpet_sdf_version_known(version)) {
    limpet_reader_note(reader, root, "version", "version",
                       "SDFormat %.20s is not known, 1.0 to 1.12 are: it is read as %s",
                       version && *version ? version : "without a version",
                       limpet_sdf_is_before(root, 7) ? "an early one" : "1.12");
    return;
  }
  if (limpet_sdf_is_before(root, 7))
    limpet_reader_note(
        reader, root, "version", "version",
        "SDFormat %.20s is read by the rules of 1.7 and later: poses are relative to "
        "the model, axes to %s",
        version, limpet_sdf_is_before(root, 5) ? "the model" : "the joint");
}

// the outermost scope: the first world, or the file itself
static limpet_sdf_scope *open_scope(limpet_sdf *s) {
  limpet_reader *reader = s->robot.reader;
  const limpet_xml_element *world = limpet_xml_child(s->root, "world");
  if (world && limpet_xml_next(world))
    limpet_reader_note(reader, limpet_xml_next(world), NULL, "worlds",
                       "the file has several worlds: the first one is read");
  if (world) read_physics(s, world);
  const limpet_xml_element *named = world ? world : limpet_xml_child(s->root, "model");
  if (!named) limpet_reader_fail(reader, s->root, NULL, "the file has neither <world> nor <model>");
  const char *name = limpet_xml_value(named, "name");
  if (name) limpet_builder_name(reader->builder, name);
  return limpet_sdf_scope_add(s, NULL, world ? world : s->root, NULL, "");
}

static void for_scopes(limpet_sdf *s, void (*read)(limpet_sdf *s, limpet_sdf_scope *scope)) {
  for (limpet_sdf_scope *scope = s->scopes; scope; scope = scope->next) read(s, scope);
}

static void read_extensions(limpet_sdf *s, limpet_sdf_scope *scope) {
  names n = {s, scope};
  const limpet_robot_scope extension = {&s->robot, scope->element, find_link, find_joint, &n};
  limpet_robot_filters_read(&extension);
  limpet_robot_constraints_read(&extension);
}

static void read_file(void *context) {
  sdf_reading *reading = context;
  limpet_sdf *s = &reading->sdf;
  parse(s, reading);
  limpet_builder_options(s->robot.reader->builder)->friction_rule = LIMPET_FRICTION_HARMONIC_MEAN;

  // the tree first, since everything else refers to it
  open_scope(s);
  for_scopes(s, limpet_sdf_links_read);
  for_scopes(s, limpet_sdf_joints_read);
  limpet_robot_span(&s->robot);
  limpet_robot_build(&s->robot);
  limpet_robot_parts_weld(&s->robot);
  for_scopes(s, limpet_sdf_deformables_read);
  for_scopes(s, limpet_sdf_geoms_read);
  limpet_robot_drawing_settle(&s->robot);
  for_scopes(s, read_sites);
  for_scopes(s, limpet_sdf_drives_read);
  for_scopes(s, limpet_sdf_gearboxes_read);
  for_scopes(s, read_extensions);
}

static limpet_status read_sdf(limpet_builder *builder, sdf_reading *reading,
                              const limpet_load_options *options, limpet_error *error) {
  limpet_reader reader = {.builder = builder,
                          .options = options ? *options : limpet_load_options_default(),
                          .error = error,
                          .mends_lists = true};
  reading->sdf.robot.reader = &reader;
  reading->sdf.robot.takes_loops = true;
  const limpet_status status = limpet_reader_run(&reader, read_file, reading);
  limpet_robot_files_free(&reading->sdf.robot);
  return status;
}

limpet_status limpet_sdformat_read(limpet_builder *builder, const char *path,
                                   const limpet_load_options *options, limpet_error *error) {
  assert(builder && path);
  sdf_reading reading = {.sdf = {.robot = {.path = path}}};
  return read_sdf(builder, &reading, options, error);
}

limpet_status limpet_sdformat_read_text(limpet_builder *builder, const char *text, size_t length,
                                        const char *path, const limpet_load_options *options,
                                        limpet_error *error) {
  assert(builder && (text || length == 0));
  sdf_reading reading = {.sdf = {.robot = {.path = path}}, .text = text, .length = length};
  return read_sdf(builder, &reading, options, error);
}
