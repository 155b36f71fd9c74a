/* benchmarks/bench_pressure_step.c: time of steps with contact surfaces, by stage, and per face.
 *
 * Scenes: the soft pads of scenes/pressure_pads.xml, a soft sphere on a plane and in a box, and
 * with shared data the meshed block (960 tetrahedra) of ../shared/models/soft on a plane and on
 * another one. Each world settles, then the mean over the steps that follow is printed. */
#include <stdio.h>
#include <string.h>

#include "limpet/limpet.h"

enum { SETTLING = 300, MEASURED = 200 };

static const char *const ground = "<geom type='plane' size='1 1 .1'/>";
static const char *const ball =
    "<body pos='0 0 .048'><freejoint/><geom type='sphere' size='.05' mass='.5' "
    "limpet:elastic_modulus='1e5'/></body>";
static const char *const soft_box =
    "<geom type='box' size='.2 .2 .1' pos='0 0 -.1' limpet:elastic_modulus='1e6'/>";

static limpet_model *from_text(const char *text) {
  limpet_builder *builder = limpet_builder_create();
  limpet_error error = {0};
  limpet_model *model = NULL;
  if (builder &&
      limpet_mjcf_read_text(builder, text, strlen(text), "scene.xml", NULL, &error) == LIMPET_OK)
    model = limpet_builder_compile(builder, &error);
  if (!model) printf("left out: %s\n", error.message);
  limpet_builder_destroy(builder);
  return model;
}

static limpet_model *from_bodies(const char *asset, const char *floor, const char *bodies) {
  char text[4000];
  snprintf(text, sizeof text, "<mujoco>%s<worldbody>%s%s</worldbody></mujoco>", asset, floor,
           bodies);
  return from_text(text);
}

static void measure(const char *name, limpet_model *model) {
  limpet_data *data = model ? limpet_data_create(model) : NULL;
  if (!data) {
    limpet_model_destroy(model);
    return;
  }
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.profile = true;
  double time[LIMPET_STAGE_COUNT] = {0.0}, faces = 0.0, total = 0.0;
  for (int i = 0; i < SETTLING + MEASURED; ++i) {
    limpet_step(model, data, &settings);
    for (int s = 0; s < LIMPET_STAGE_COUNT && i >= SETTLING; ++s)
      time[s] += 1e6 * data->info.stage_time[s] / MEASURED;
    if (i >= SETTLING) faces += (double)data->info.contact_count / MEASURED;
  }
  for (int s = 0; s < LIMPET_STAGE_COUNT; ++s) total += time[s];
  printf(
      "%-22s %6.0f faces  step %8.1f us: surface %8.1f, assembly %6.1f, solve %7.1f; %.2f us a "
      "face\n",
      name, faces, total, time[LIMPET_STAGE_NARROW_PHASE], time[LIMPET_STAGE_ASSEMBLY],
      time[LIMPET_STAGE_SOLVE], faces > 0.0 ? total / faces : 0.0);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

int main(int argc, char **argv) {
  limpet_error error;
  const char *scene = argc > 1 ? argv[1] : "scenes/pressure_pads.xml";
  const char *block_file = argc > 2 ? argv[2] : "../shared/models/soft/shapes/u_block.vtk";
  limpet_model *pads = limpet_load(scene, NULL, &error);
  if (!pads) printf("left out: %s\n", error.message);
  measure("pads", pads);
  measure("sphere on plane", from_bodies("", ground, ball));
  measure("sphere on soft box", from_bodies("", soft_box, ball));
  char asset[600];
  snprintf(asset, sizeof asset, "<asset><mesh name='u' file='%s'/></asset>", block_file);
  const char *block =
      "<body pos='0 0 .0395'><freejoint/><geom type='mesh' mesh='u' density='3000' "
      "limpet:elastic_modulus='1e6'/></body>";
  const char *two =
      "<body pos='0 0 .0395'><freejoint/><geom type='mesh' mesh='u' density='3000' "
      "limpet:elastic_modulus='1e6'/></body>"
      "<body pos='.001 0 .1195' euler='180 0 3'><freejoint/><geom type='mesh' mesh='u' "
      "density='3000' limpet:elastic_modulus='1e6'/></body>";
  measure("block on plane", from_bodies(asset, ground, block));
  measure("block on block", from_bodies(asset, ground, two));
  return 0;
}
