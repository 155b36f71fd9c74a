/* format/mjcf.c: the order in which an MJCF file is read. */
#include "format/mjcf.h"

#include "base/error.h"

limpet_load_options limpet_load_options_default(void) {
  return (limpet_load_options){false, false};
}

/* The tree first, since everything else refers to it; tendons before the actuators and couplers
 * that name them. */
static void read_model(limpet_mjcf *m, limpet_xml_element *root, const char *path) {
  m->main = limpet_mjcf_source_read(m, root, path, NULL);
  limpet_mjcf_options_read(m);
  limpet_mjcf_name_add(m, LIMPET_OBJECT_BODY, "world", 0, NULL, NULL);
  limpet_mjcf_world_read(m);
  limpet_mjcf_contacts_read(m);
  limpet_mjcf_tendons_read(m);
  limpet_mjcf_equalities_read(m);
  limpet_mjcf_actuators_read(m);
  limpet_mjcf_sensors_read(m);
  limpet_mjcf_keyframes_read(m);
}

// NULL: from the file
typedef struct mjcf_text {
  const char *text;
  size_t length;
} mjcf_text;

static limpet_status parse(limpet_xml_element **root, limpet_mjcf *m, const mjcf_text *text,
                           const char *path) {
  if (text) return limpet_xml_parse(root, &m->pool, text->text, text->length, path, m->error);
  return limpet_xml_parse_file(root, &m->pool, path, m->error);
}

static limpet_status read_with(limpet_mjcf *m, const mjcf_text *text, const char *path) {
  limpet_xml_element *root = NULL;
  if (setjmp(m->way_out)) return m->status;
  m->status = parse(&root, m, text, path);
  if (m->status == LIMPET_OK) read_model(m, root, path);
  return m->status;
}

static limpet_status read_mjcf(limpet_builder *builder, const mjcf_text *text, const char *path,
                               const limpet_load_options *options, limpet_error *error) {
  limpet_mjcf m = {.builder = builder,
                   .options = options ? *options : limpet_load_options_default(),
                   .error = error};
  const limpet_status status = read_with(&m, text, path);
  limpet_mesh_file_free(&m.mesh_file);
  limpet_cloud_file_free(&m.cloud_file);
  limpet_pool_free(&m.pool);
  return status;
}

limpet_status limpet_mjcf_read(limpet_builder *builder, const char *path,
                               const limpet_load_options *options, limpet_error *error) {
  return read_mjcf(builder, NULL, path, options, error);
}

limpet_status limpet_mjcf_read_text(limpet_builder *builder, const char *text, size_t length,
                                    const char *path, const limpet_load_options *options,
                                    limpet_error *error) {
  const mjcf_text content = {text, length};
  return read_mjcf(builder, &content, path, options, error);
}
