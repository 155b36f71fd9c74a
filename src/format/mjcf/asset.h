/* format/mjcf/asset.h: what <asset> declares: meshes, materials, models to attach. */
#ifndef LIMPET_FORMAT_MJCF_ASSET_H
#define LIMPET_FORMAT_MJCF_ASSET_H

#include "format/mjcf/source.h"

typedef struct limpet_mjcf_mesh {
  const char *name;
  const limpet_xml_element *element;
  int handle;    // in the builder, once a geom needs it
  bool missing;  // its file was looked for and not found, or it cannot be made
} limpet_mjcf_mesh;

typedef struct limpet_mjcf_material {
  float rgba[4];
  const limpet_xml_element *element;
  bool has_surface;  // it or its class has limpet: attributes, which its geoms take
} limpet_mjcf_material;

typedef struct limpet_mjcf_model {  // another file that can be attached
  const char *name;
  const limpet_xml_element *element;
  limpet_mjcf_source *source;  // NULL until it is attached for the first time
  struct limpet_mjcf_model *next;
} limpet_mjcf_model;

void limpet_mjcf_assets_read(limpet_reader *reader, limpet_mjcf_source *source);
limpet_mjcf_material *limpet_mjcf_material_find(const limpet_mjcf_source *source, const char *name);
// A height field of <asset>: found by limpet_mjcf_hfield_handle.
void limpet_mjcf_hfield_add(limpet_reader *reader, limpet_mjcf_source *source,
                            const limpet_xml_element *e);
limpet_mjcf_mesh *limpet_mjcf_mesh_find(const limpet_mjcf_source *source, const char *name);

#endif
