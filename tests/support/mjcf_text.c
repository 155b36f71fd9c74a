/* tests/support/mjcf_text.c: models from small MJCF texts. */
#include "mjcf_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

limpet_model *mjcf_load_with(const char *text, const limpet_load_options *options,
                             limpet_error *error) {
  limpet_builder *builder = limpet_builder_create();
  limpet_model *model = NULL;
  if (limpet_mjcf_read_text(builder, text, strlen(text), "robot.xml", options, error) == LIMPET_OK)
    model = limpet_builder_compile(builder, error);
  limpet_builder_destroy(builder);
  return model;
}

limpet_model *mjcf_load(const char *text) {
  limpet_error error = {0};
  limpet_model *model = mjcf_load_with(text, NULL, &error);
  if (model) return model;
  printf("%s\nin:\n%s\n", error.message, text);
  exit(1);
}

bool mjcf_refused(const char *text, const char *message) {
  limpet_error error = {0};
  limpet_model *model = mjcf_load_with(text, NULL, &error);
  if (model) printf("accepted, but expected: %s\n", message);
  else if (strcmp(error.message, message) != 0)
    printf("refused with: %s\n    expected: %s\n", error.message, message);
  const bool same = !model && strcmp(error.message, message) == 0;
  limpet_model_destroy(model);
  return same;
}

int mjcf_index(const limpet_model *model, limpet_object kind, const char *name) {
  const int index = limpet_model_find(model, kind, name);
  if (index >= 0) return index;
  printf("there is no %s '%s'\n", limpet_object_word(kind), name);
  exit(1);
}

bool mjcf_close(const double *a, const double *b, int count) {
  for (int i = 0; i < count; ++i) {
    if (fabs(a[i] - b[i]) <= 1e-14) continue;
    printf("entry %d is %.17g, expected %.17g\n", i, a[i], b[i]);
    return false;
  }
  return true;
}

const char *mjcf_names(const limpet_model *model, limpet_object kind) {
  static char text[1000];
  text[0] = '\0';
  for (int i = 0; i < limpet_model_count(model, kind); ++i) {
    const char *name = limpet_model_name(model, kind, i);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
             name ? name : "-");
  }
  return text;
}
