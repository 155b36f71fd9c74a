/* format/mjcf/mjcf.c: the order in which an MJCF file is read. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "format/mjcf/asset.h"
#include "format/mjcf/deformable.h"
#include "format/mjcf/option.h"
#include "format/mjcf/section.h"
#include "format/mjcf/tree.h"

// Tendons come before the actuators and couplers that name them, keyframes last.
static const struct {
  const char *name;
  limpet_mjcf_section_reader *read;  // of each element, once for each space
  void (*finish)(limpet_mjcf *m);    // NULL: nothing is left to do
} sections[] = {{"contact", limpet_mjcf_contact_read, NULL},
                {"tendon", limpet_mjcf_tendon_read, NULL},
                {"equality", limpet_mjcf_equality_read, NULL},
                {"actuator", limpet_mjcf_actuator_read, limpet_mjcf_actuators_add},
                {"sensor", limpet_mjcf_sensor_read, limpet_mjcf_complete},
                {"keyframe", limpet_mjcf_keyframe_read, NULL}};

static void read_section(limpet_mjcf *m, limpet_mjcf_space *space, const char *name,
                         limpet_mjcf_section_reader *read) {
  enum { VISIT_LIMIT = 50000000 };
  int number = 0;
  for (const limpet_xml_element *part = space->source->root->first; part; part = part->next) {
    if (strcmp(part->name, name) != 0) continue;
    for (const limpet_xml_element *e = part->first; e; e = e->next) {
      if (++m->visit_count > VISIT_LIMIT)
        limpet_reader_fail(
            m->reader, e, NULL,
            "too many elements refer to too many copies; is a <replicate> too large?");
      read(m, space, e, number++);
    }
  }
}

static void read_sections(limpet_mjcf *m) {
  for (size_t i = 0; i < sizeof sections / sizeof *sections; ++i) {
    for (limpet_mjcf_space *space = m->spaces; space; space = space->next)
      read_section(m, space, sections[i].name, sections[i].read);
    if (sections[i].finish) sections[i].finish(m);
  }
}

// ------------------------------------------------------------------------------------- file

typedef struct mjcf_text {
  const char *text;  // NULL: from the file
  size_t length;
  const char *path;
} mjcf_text;

typedef struct mjcf_reading {
  limpet_mjcf m;
  mjcf_text text;
  bool is_part;  // of another file, most likely
} mjcf_reading;

/* A file without bodies that speaks of them is most likely included by another one: actuators and
 * keyframes of a robot often lie apart. */
static bool is_part(const limpet_xml_element *root) {
  bool refers = false;
  for (size_t i = 0; i < sizeof sections / sizeof *sections; ++i)
    refers |= limpet_xml_child(root, sections[i].name) != NULL;
  return refers && !limpet_xml_child(root, "worldbody") && !limpet_xml_child(root, "include");
}

static void hint_part(limpet_error *error) {
  const size_t used = strlen(error->message);
  snprintf(error->message + used, sizeof error->message - used,
           "; there is no <worldbody>: is this file a part that another one includes?");
}

static limpet_xml_element *parse(limpet_reader *reader, const mjcf_text *text) {
  limpet_xml_element *root = NULL;
  const limpet_status status =
      text->text ? limpet_xml_parse(&root, &reader->pool, text->text, text->length, text->path,
                                    reader->error)
                 : limpet_xml_parse_file(&root, &reader->pool, text->path, reader->error);
  if (status != LIMPET_OK) limpet_reader_stop(reader, status);
  return root;
}

// the tree first, since everything else refers to it
static void read_model(void *context) {
  mjcf_reading *reading = context;
  limpet_mjcf *m = &reading->m;
  limpet_xml_element *root = parse(m->reader, &reading->text);
  reading->is_part = is_part(root);
  if (m->reader->options.fix_base)
    limpet_reader_doubt(m->reader, root, NULL, "fix_base",
                        "fix_base (--fix-base) does nothing in MJCF, where a base floats by its "
                        "<freejoint>: remove that to fix it");
  m->main = limpet_mjcf_source_read(m, root, reading->text.path, NULL);
  limpet_mjcf_options_read(m);
  limpet_mjcf_name_add(m, LIMPET_OBJECT_BODY, "world", 0, NULL, NULL);
  limpet_mjcf_world_read(m);
  limpet_mjcf_deformables_add(m);
  read_sections(m);
  limpet_mjcf_sky_add(m->reader, m->main);
}

static limpet_status read_mjcf(limpet_builder *builder, mjcf_text text,
                               const limpet_load_options *options, limpet_error *error) {
  limpet_reader reader = {.builder = builder,
                          .options = options ? *options : limpet_load_options_default(),
                          .error = error};
  mjcf_reading reading = {.m = {.reader = &reader}, .text = text};
  const limpet_status status = limpet_reader_run(&reader, read_model, &reading);
  if (status == LIMPET_ERROR_INPUT && reading.is_part && error) hint_part(error);
  limpet_model_destroy(reading.m.compiled);
  limpet_mesh_file_free(&reading.m.mesh_file);
  limpet_cloud_file_free(&reading.m.cloud_file);
  return status;
}

limpet_status limpet_mjcf_read(limpet_builder *builder, const char *path,
                               const limpet_load_options *options, limpet_error *error) {
  assert(builder && path);
  return read_mjcf(builder, (mjcf_text){.path = path}, options, error);
}

limpet_status limpet_mjcf_read_text(limpet_builder *builder, const char *text, size_t length,
                                    const char *path, const limpet_load_options *options,
                                    limpet_error *error) {
  assert(builder && (text || length == 0));
  return read_mjcf(builder, (mjcf_text){text, length, path}, options, error);
}
