// tests/support/json_text.c: see json_text.h.
#include "json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *json_text(const char *text) {
  static char json[16384];
  if (strlen(text) >= sizeof json) {
    printf("json_text: a text of %zu characters is too long\n", strlen(text));
    exit(1);
  }
  strcpy(json, text);
  for (char *c = json; *c; ++c) *c = *c == '\'' ? '"' : *c;
  return json;
}
