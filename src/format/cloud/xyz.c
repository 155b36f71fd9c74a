/* format/cloud/xyz.c: XYZ: one point in a line, three numbers parted by blanks or commas; what
 * follows in the line (colours, normals) is not read. Empty lines and lines that begin with '#' are
 * passed over. */
#include "base/error.h"
#include "format/cloud/formats.h"
#include "format/cloud/points.h"

// Whether the line has a point; moves to its first word.
static bool has_point(limpet_cloud_text *text) {
  limpet_cloud_text ahead = *text;
  size_t length;
  const char *word = limpet_cloud_word(&ahead, &length);
  return word && *word != '#';
}

limpet_status limpet_cloud_read_xyz(limpet_cloud_file *cloud, const char *bytes, size_t length,
                                    const char *path, limpet_error *error) {
  uint64_t count = 0;
  limpet_cloud_text text = {bytes, bytes + length, 1};
  if (length == 0) return LIMPET_OK;
  do count += has_point(&text);
  while (limpet_cloud_line_next(&text));
  limpet_status status = limpet_cloud_room(cloud, count, length, 1, path, error);
  text = (limpet_cloud_text){bytes, bytes + length, 1};
  do {
    if (status != LIMPET_OK || !has_point(&text)) continue;
    double point[3];
    for (int k = 0; k < 3 && status == LIMPET_OK; ++k)
      if (!limpet_cloud_text_number(&text, &point[k]))
        status = limpet_error_fill_at(
            error, LIMPET_ERROR_INPUT, path, text.line, 0,
            "number %d of the line is missing or no number; a line has x, y and z of a point",
            k + 1);
    if (status == LIMPET_OK) status = limpet_cloud_add(cloud, point, text.line, path, error);
  } while (limpet_cloud_line_next(&text) && status == LIMPET_OK);
  return status;
}
