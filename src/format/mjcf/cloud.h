/* format/mjcf/cloud.h: point clouds, which geoms name in limpet:cloud. */
#ifndef LIMPET_FORMAT_MJCF_CLOUD_H
#define LIMPET_FORMAT_MJCF_CLOUD_H

#include "format/mjcf/source.h"

// A cloud that was added: geoms that name the same file with the same numbers share it.
struct limpet_mjcf_cloud {
  limpet_cloud_description d;
  int handle;
  limpet_mjcf_cloud *next;
};

/* Handle of the point cloud of `file` with scale, point radius and contact points of `d`;
 * LIMPET_NONE: the file is missing and `needed` is false. `e` is the geom. */
int limpet_mjcf_cloud_handle(limpet_mjcf *m, const limpet_mjcf_source *source,
                             const limpet_xml_element *e, const char *file,
                             const limpet_cloud_description *d, bool needed);

#endif
