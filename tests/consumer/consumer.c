/* tests/consumer: a program outside the project that finds Limpet as an installed library, loads a
 * scene and steps it. */
#include <limpet/limpet.h>
#include <stdio.h>

int main(int argc, char **argv) {
  limpet_error error = {0};
  limpet_model *model = limpet_load(argc > 1 ? argv[1] : "scene.xml", NULL, &error);
  if (!model) return fprintf(stderr, "%s\n", error.message), 1;
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  while (data->time < 0.5) limpet_step(model, data, &settings);
  printf("limpet %s: %d contacts at %g s\n", limpet_version(), data->contact_count, data->time);
  return data->contact_count == 0;
}
