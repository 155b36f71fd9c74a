/* format/mjcf/compiler.h: <compiler>: how the rest of a file is to be read. */
#ifndef LIMPET_FORMAT_MJCF_COMPILER_H
#define LIMPET_FORMAT_MJCF_COMPILER_H

#include "format/read/reader.h"

typedef struct limpet_mjcf_compiler {
  bool degrees, angle_given, autolimits, strip_path;
  char euler_sequence[4];
  const char *mesh_folder, *asset_folder, *texture_folder;
  limpet_inertia_source inertia_source;
  int inertia_group[2];
  double bound_mass, bound_inertia, total_mass;
  bool balance_inertia, fit_to_aabb;
  bool align_free;  // free bodies: their frames move into their centres of mass
  int conflict;     // 0 warning, 1 merge, 2 error
} limpet_mjcf_compiler;

limpet_mjcf_compiler limpet_mjcf_compiler_read(limpet_reader *reader,
                                               const limpet_xml_element *root);

#endif
