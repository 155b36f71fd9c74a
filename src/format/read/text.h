/* format/read/text.h: numbers, paths and spelling, for readers of text formats. */
#ifndef LIMPET_FORMAT_TEXT_H
#define LIMPET_FORMAT_TEXT_H

#include "format/read/pool.h"
#include "limpet/base.h"

/* Reads one number at *cursor (blanks before it are skipped) with a point as decimal mark whatever
 * the locale, and moves the cursor behind it. Returns false, and leaves the cursor, where no number
 * stands. The text must end in '\0'. */
bool limpet_text_number(const char **cursor, double *value);

// Whole file, '\0' behind it; freed with free. Fails on folders, unreadable files and more than
// `limit` bytes.
limpet_status limpet_text_file(char **text, size_t *length, const char *path, size_t limit,
                               limpet_error *error);
// The same, or what comes through a pipe or a device until its end.
limpet_status limpet_text_input(char **text, size_t *length, const char *path, size_t limit,
                                limpet_error *error);

bool limpet_path_exists(const char *path);  // a regular file that can be opened for reading
// Folder of a path with the '/' at its end ("" for a bare name); `folder` and `name` joined
// (absolute names stay as they are).
char *limpet_path_folder(limpet_pool *pool, const char *path);
char *limpet_path_join(limpet_pool *pool, const char *folder, const char *name);
const char *limpet_path_name(const char *path);                  // behind the last '/' or '\'
char *limpet_path_stem(limpet_pool *pool, const char *path);     // name without its last ending
bool limpet_path_ends_in(const char *path, const char *ending);  // letters compare without case

#endif
