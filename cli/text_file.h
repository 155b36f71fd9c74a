/* cli/text_file.h: whole text files, and texts that are put together piece by piece. */
#ifndef LIMPET_CLI_TEXT_FILE_H
#define LIMPET_CLI_TEXT_FILE_H

#include <stddef.h>

typedef struct limpet_text {
  char *text;  // ended by a zero; NULL while it is empty; freed by its owner
  size_t length, room;
} limpet_text;

// Appends `length` characters; ends the program without memory.
void limpet_text_append(limpet_text *text, const char *piece, size_t length);

char *limpet_text_read(
    const char *path);  // whole content of a file, to be freed; NULL if it cannot be read

#endif
