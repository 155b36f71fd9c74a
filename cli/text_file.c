/* cli/text_file.c: whole text files, and texts that are put together piece by piece. */
#include "text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void limpet_text_append(limpet_text *text, const char *piece, size_t length) {
  if (text->length + length + 1 > text->room) {
    text->room = 2 * (text->length + length + 1);
    text->text = realloc(text->text, text->room);
    if (!text->text) abort();
  }
  memcpy(text->text + text->length, piece, length);
  text->length += length;
  text->text[text->length] = '\0';
}

char *limpet_text_read(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  limpet_text text = {0};
  char piece[65536];
  limpet_text_append(&text, "", 0);
  for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;)
    limpet_text_append(&text, piece, got);
  fclose(file);
  return text.text;
}
