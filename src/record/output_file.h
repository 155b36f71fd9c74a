/* record/output_file.h: files that appear whole or not at all. */
#ifndef LIMPET_RECORD_OUTPUT_FILE_H
#define LIMPET_RECORD_OUTPUT_FILE_H

#include "limpet/base.h"

/* Whether `path` can be replaced by a new file: there is none of that name, or a regular one. A
 * device or a folder is an error, because renaming a file over it would destroy it. */
limpet_status limpet_output_check(const char *path, limpet_error *error);

// "path" + ending, by malloc; NULL when there is no memory.
char *limpet_output_name(const char *path, const char *ending);

// A name beside `path` that no other process uses, "path.PID.part", likewise.
char *limpet_output_temporary(const char *path);

// Gives the complete file `temporary` the name `path`, replacing what had it in one step.
limpet_status limpet_output_place(const char *temporary, const char *path, limpet_error *error);

#endif
