/* format/mjcf/cloud.c: point clouds, which geoms name in limpet:cloud. A file is read once for all
 * geoms that want it with the same scale, point radius and number of contact points. */
#include <stdio.h>
#include <string.h>

#include "format/mjcf/cloud.h"
#include "format/mjcf/file.h"
#include "format/read/text.h"

static const limpet_mjcf_cloud *cloud_find(const limpet_mjcf *m, const char *path,
                                           const limpet_cloud_description *d) {
  const limpet_mjcf_cloud *cloud = m->clouds;
  for (; cloud; cloud = cloud->next)
    if (strcmp(cloud->d.file, path) == 0 &&
        memcmp(cloud->d.scale, d->scale, sizeof d->scale) == 0 &&
        cloud->d.point_radius == d->point_radius && cloud->d.contact_points == d->contact_points)
      break;
  return cloud;
}

// As the file is called, numbered where that name is taken.
static const char *cloud_name(limpet_mjcf *m, const char *path) {
  const char *stem = limpet_path_stem(&m->reader->pool, path);
  if (!stem) limpet_reader_no_memory(m->reader);
  const char *name = stem;
  char number[32];
  for (int k = 2; limpet_builder_find(m->reader->builder, LIMPET_OBJECT_CLOUD, name) != LIMPET_NONE;
       ++k) {
    snprintf(number, sizeof number, "_%d", k);
    name = limpet_reader_join(m->reader, stem, number, "");
  }
  return name;
}

int limpet_mjcf_cloud_handle(limpet_mjcf *m, const limpet_mjcf_source *source,
                             const limpet_xml_element *e, const char *file,
                             const limpet_cloud_description *d, bool needed) {
  const char *tried = NULL, *attribute = limpet_xml_find(e, "limpet:cloud") ? "limpet:cloud" : NULL;
  if (source->compiler.strip_path) file = limpet_path_name(file);
  const char *path =
      limpet_mjcf_file_find(m->reader, source, e, file, limpet_mjcf_asset_folder(source), &tried);
  if (!path && needed)
    limpet_reader_fail(m->reader, e, attribute, "the point cloud '%s' cannot be found; tried %s",
                       file, tried);
  if (!path) {
    limpet_reader_note(m->reader, e, attribute, tried,
                       "the point cloud '%s' cannot be found; the geom is left out (tried %s)",
                       file, tried);
    return LIMPET_NONE;
  }
  const limpet_mjcf_cloud *known = cloud_find(m, path, d);
  if (known) return known->handle;

  const limpet_status status = limpet_cloud_file_read(&m->cloud_file, path, m->reader->error);
  if (status != LIMPET_OK) limpet_reader_stop(m->reader, status);
  limpet_mjcf_cloud *cloud = LIMPET_READER_TAKE(m->reader, limpet_mjcf_cloud, 1);
  *cloud = (limpet_mjcf_cloud){.d = *d, .next = m->clouds};
  cloud->d.name = cloud_name(m, path);
  cloud->d.file = path;
  cloud->d.place = limpet_xml_place(e, attribute);
  cloud->d.point_count = m->cloud_file.point_count;
  cloud->d.points = m->cloud_file.points;
  cloud->handle =
      limpet_reader_added(m->reader, limpet_builder_add_cloud(m->reader->builder, &cloud->d));
  m->clouds = cloud;
  limpet_cloud_file_free(&m->cloud_file);
  return cloud->handle;
}
