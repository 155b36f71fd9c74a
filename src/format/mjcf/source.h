/* format/mjcf/source.h: one model file with everything that it includes. */
#ifndef LIMPET_FORMAT_MJCF_SOURCE_H
#define LIMPET_FORMAT_MJCF_SOURCE_H

#include "format/mjcf/compiler.h"
#include "format/mjcf/state.h"

struct limpet_mjcf_source {
  const char *path, *folder;
  const char *model_name;  // attribute `model` of <mujoco>
  limpet_xml_element *root;
  limpet_table includes;  // files that were included: each may be once
  limpet_mjcf_compiler compiler;
  limpet_mjcf_class *main_class;
  limpet_table classes, meshes, materials, textures;  // by name: see default.h and asset.h
  struct limpet_mjcf_texture *sky;                    // the first sky, or NULL
  struct limpet_mjcf_model *models;
  limpet_table world;  // bodies and frames by name, once one is to be attached
  const limpet_mjcf_space *first_space;
  int control_count;  // of its sections <actuator>
  bool merged;        // options of an attached model were compared with the main file's
  const limpet_mjcf_source *parent;
};

limpet_mjcf_source *limpet_mjcf_source_read(limpet_mjcf *m, limpet_xml_element *root,
                                            const char *path, const limpet_mjcf_source *parent);

#endif
