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
  const char *name;
  float rgba[4];
  const char *texture;  // name, or NULL
  limpet_appearance look;
  int handle;  // of the look in the builder, once a geom needs it
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
// A <texture> of <asset>.
void limpet_mjcf_texture_add(limpet_reader *reader, limpet_mjcf_source *source,
                             const limpet_xml_element *e);
/* Handle of what a geom of this material looks like; textures and their files are read for the
 * first geom that needs them. */
int limpet_mjcf_look_handle(limpet_reader *reader, const limpet_mjcf_source *source,
                            limpet_mjcf_material *material);
// The sky of the file, if it has one, for pictures of its model.
void limpet_mjcf_sky_add(limpet_reader *reader, const limpet_mjcf_source *source);
// A height field of <asset>: found by limpet_mjcf_hfield_handle.
void limpet_mjcf_hfield_add(limpet_reader *reader, limpet_mjcf_source *source,
                            const limpet_xml_element *e);
limpet_mjcf_mesh *limpet_mjcf_mesh_find(const limpet_mjcf_source *source, const char *name);

#endif
