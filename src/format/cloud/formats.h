/* format/cloud/formats.h: one reader for each format of point clouds. A reader
 * gets the whole file, '\0' behind it. */
#ifndef LIMPET_FORMAT_CLOUD_FORMATS_H
#define LIMPET_FORMAT_CLOUD_FORMATS_H

#include "limpet/format.h"

typedef limpet_status limpet_cloud_reader(limpet_cloud_file *cloud, const char *text, size_t length,
                                          const char *path, limpet_error *error);

limpet_cloud_reader limpet_cloud_read_ply, limpet_cloud_read_pcd, limpet_cloud_read_xyz,
    limpet_cloud_read_npy;

#endif
