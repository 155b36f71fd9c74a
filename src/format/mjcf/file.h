/* format/mjcf/file.h: finding the files that a model names. */
#ifndef LIMPET_FORMAT_MJCF_FILE_H
#define LIMPET_FORMAT_MJCF_FILE_H

#include "format/mjcf/source.h"

// The folder of meshes and clouds that the file sets, or NULL.
const char *limpet_mjcf_asset_folder(const limpet_mjcf_source *source);
/* Finds the file that an attribute names: below the folder of the source, of the declaring file,
 * with and without `folder`. NULL: nowhere; `tried` (may be NULL) then gets the paths that were
 * tried. */
const char *limpet_mjcf_file_find(limpet_reader *reader, const limpet_mjcf_source *source,
                                  const limpet_xml_element *e, const char *file, const char *folder,
                                  const char **tried);

#endif
