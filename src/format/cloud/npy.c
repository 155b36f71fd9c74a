/* format/cloud/npy.c: NPY, the arrays of NumPy: N x 3 of little-endian float32 or float64, by rows.
 *
 * "\x93NUMPY", version (major, minor), length of the header (2 bytes, 4 from version 2 on), the
 * header as a Python dictionary, then the numbers. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/cloud/formats.h"
#include "format/cloud/points.h"

static limpet_status wrong(const char *path, const char *what, limpet_error *error) {
  return limpet_error_fill_at(
      error, LIMPET_ERROR_INPUT, path, 0, 0,
      "%s; save the points as an array of N x 3 float32 or float64, for example by "
      "numpy.save(file, numpy.ascontiguousarray(points, dtype='<f8'))",
      what);
}

// Behind 'key': in the dictionary, or NULL.
static const char *value_of(const char *header, const char *key) {
  const char *at = strstr(header, key);
  if (!at) return NULL;
  at += strlen(key);
  while (*at == ' ' || *at == ':' || *at == '\'' || *at == '"') ++at;
  return at;
}

static limpet_status read_rows(limpet_cloud_file *cloud, const char *header, const char *data,
                               size_t size, const char *path, limpet_error *error) {
  const char *type = value_of(header, "'descr'"), *order = value_of(header, "'fortran_order'"),
             *shape = value_of(header, "'shape'");
  if (!type || !order || !shape)
    return wrong(path, "its header names no type, order or shape", error);
  const bool wide = strncmp(type, "<f8'", 4) == 0;
  if (!wide && strncmp(type, "<f4'", 4) != 0)
    return wrong(path, "its numbers are no little-endian floats", error);
  if (strncmp(order, "False", 5) != 0) return wrong(path, "its numbers lie by columns", error);
  char *end = NULL;
  if (*shape != '(' || shape[1] < '0' || shape[1] > '9')
    return wrong(path, "its shape is not N x 3", error);
  const unsigned long long rows = strtoull(shape + 1, &end, 10);
  while (*end == ' ') ++end;
  if (*end++ != ',') return wrong(path, "its shape is not N x 3", error);
  while (*end == ' ') ++end;
  if (*end != '3' || (end[1] != ')' && end[1] != ','))
    return wrong(path, "its shape is not N x 3", error);

  const limpet_cloud_number number = wide ? LIMPET_CLOUD_F8 : LIMPET_CLOUD_F4;
  const size_t width = limpet_cloud_number_size(number);
  limpet_status status = limpet_cloud_room(cloud, rows, size, 3 * width, path, error);
  for (size_t i = 0; i < rows && status == LIMPET_OK; ++i) {
    double point[3];
    for (size_t k = 0; k < 3; ++k)
      point[k] = limpet_cloud_number_at(data + (3 * i + k) * width, number, false);
    status = limpet_cloud_add(cloud, point, 0, path, error);
  }
  return status;
}

limpet_status limpet_cloud_read_npy(limpet_cloud_file *cloud, const char *text, size_t length,
                                    const char *path, limpet_error *error) {
  if (length < 12 || memcmp(text, "\x93NUMPY", 6) != 0) return wrong(path, "is no NPY file", error);
  const bool long_header = text[6] >= 2;
  const size_t start = long_header ? 12 : 10;
  const double said =
      limpet_cloud_number_at(text + 8, long_header ? LIMPET_CLOUD_U4 : LIMPET_CLOUD_U2, false);
  if (said > (double)(length - start) || said > 65536.0)
    return wrong(path, "its header is cut off", error);
  const size_t header_length = (size_t)said;
  char *header = malloc(header_length + 1);
  if (!header)
    return limpet_error_fill_at(error, LIMPET_ERROR_MEMORY, path, 0, 0, "no memory for its header");
  memcpy(header, text + start, header_length);
  header[header_length] = '\0';
  const limpet_status status = read_rows(cloud, header, text + start + header_length,
                                         length - start - header_length, path, error);
  free(header);
  return status;
}
