/* format/cloud/file.c: choosing the reader by the ending of the file. */
#include "format/cloud/formats.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "format/read/text.h"

static const struct {
  const char *ending;
  limpet_cloud_reader *read;
} cloud_formats[] = {{".ply", limpet_cloud_read_ply},
                     {".pcd", limpet_cloud_read_pcd},
                     {".xyz", limpet_cloud_read_xyz},
                     {".npy", limpet_cloud_read_npy}};

static const size_t file_limit = (size_t)1 << 32;  // [bytes]

limpet_status limpet_cloud_file_read(limpet_cloud_file *cloud, const char *path,
                                     limpet_error *error) {
  assert(cloud && path);
  *cloud = (limpet_cloud_file){0};
  limpet_cloud_reader *read = NULL;
  for (size_t i = 0; i < sizeof cloud_formats / sizeof *cloud_formats; ++i)
    if (limpet_path_ends_in(path, cloud_formats[i].ending)) read = cloud_formats[i].read;
  if (!read)
    return limpet_error_fill_at(
        error, LIMPET_ERROR_UNSUPPORTED, path, 0, 0,
        "this format of point clouds is not read; convert the file to .ply, .pcd, .xyz or .npy");
  char *text;
  size_t length;
  limpet_status status = limpet_text_file(&text, &length, path, file_limit, error);
  if (status != LIMPET_OK) return status;
  status = read(cloud, text, length, path, error);
  free(text);
  if (status == LIMPET_OK && cloud->point_count == 0)
    status = limpet_error_fill_at(error, LIMPET_ERROR_INPUT, path, 0, 0, "has no points");
  if (status != LIMPET_OK) limpet_cloud_file_free(cloud);
  return status;
}

void limpet_cloud_file_free(limpet_cloud_file *cloud) {
  free(cloud->points);
  *cloud = (limpet_cloud_file){0};
}
