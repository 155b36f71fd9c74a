/* record/log_text.c: the texts of a run, for reading them back.
 *
 * People find a text as an attribute of variable length, which h5py gives as str and MATLAB as
 * characters. HDF5 1.10 keeps such texts in heaps; where bytes of a heap are damaged it reads
 * beyond its buffers or never ends, and no caller can tell beforehand. So the texts stand in the
 * file once more, as plain bytes: the dataset `texts` holds "name=text\0" one after the other, and
 * nothing else is read here. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "record/log.h"

void limpet_log_texts_add(limpet_log_texts *texts, bool *failed, const char *name,
                          const char *text) {
  const size_t name_size = strlen(name), text_size = strlen(text) + 1;
  char *bytes = realloc(texts->bytes, texts->size + name_size + 1 + text_size);
  if (!bytes) {
    *failed = true;
    return;
  }
  texts->bytes = bytes;
  memcpy(bytes + texts->size, name, name_size);
  bytes[texts->size + name_size] = '=';
  memcpy(bytes + texts->size + name_size + 1, text, text_size);
  texts->size += name_size + 1 + text_size;
}

void limpet_log_texts_free(limpet_log_texts *texts) {
  free(texts->bytes);
  *texts = (limpet_log_texts){0};
}

const char *limpet_log_texts_find(const limpet_log_texts *texts, const char *name) {
  const size_t length = strlen(name);
  const char *end = texts->bytes + texts->size;
  for (const char *at = texts->bytes; at < end; at += strlen(at) + 1)
    if (strncmp(at, name, length) == 0 && at[length] == '=') return at + length + 1;
  return NULL;
}

bool limpet_log_texts_read(limpet_log_texts *texts, hid_t file) {
  hsize_t size = 0, file_size = 0;
  const hid_t dataset = H5Dopen2(file, LIMPET_LOG_TEXTS, H5P_DEFAULT),
              space = H5Dget_space(dataset), type = H5Dget_type(dataset);
  bool read = H5Sget_simple_extent_ndims(space) == 1 && H5Tequal(type, H5T_STD_U8LE) > 0;
  // a damaged extent may ask for any memory
  read = read && H5Sget_simple_extent_dims(space, &size, NULL) == 1 && size > 0 &&
         H5Fget_filesize(file, &file_size) >= 0 && size <= file_size &&
         H5Dget_storage_size(dataset) == size;
  texts->bytes = read ? malloc((size_t)size) : NULL;
  read = texts->bytes &&
         H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts->bytes) >= 0;
  texts->size = read ? (size_t)size : 0;
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(dataset);
  return read && texts->bytes[size - 1] == '\0';
}
