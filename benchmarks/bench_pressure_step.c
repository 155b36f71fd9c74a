/* benchmarks/bench_pressure_step.c: time of steps with contact surfaces, by stage, and per face.
 *
 * Scenes: the soft pads of scenes/pressure_pads.xml, a soft sphere on a plane and in a box, and
 * with shared data the meshed block (960 tetrahedra) of ../shared/models/soft on a plane and on
 * another one, and a soft ball in a bowl. Each world settles, then the mean and the least over the
 * steps that follow are printed.
 *
 * usage: bench_pressure_step [PADS.xml [BLOCK.vtk [BOWL.obj]]] */
#include <math.h>
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

// target: [us]  asked for; 0: none
static void measure(const char *name, double target, limpet_model *model) {
  limpet_data *data = model ? limpet_data_create(model) : NULL;
  if (!data) {
    limpet_model_destroy(model);
    return;
  }
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.profile = true;
  double time[LIMPET_STAGE_COUNT] = {0.0}, faces = 0.0, total = 0.0, least = INFINITY;
  for (int i = 0; i < SETTLING + MEASURED; ++i) {
    limpet_step(model, data, &settings);
    double each = 0.0;
    for (int s = 0; s < LIMPET_STAGE_COUNT && i >= SETTLING; ++s) {
      time[s] += 1e6 * data->info.stage_time[s] / MEASURED;
      each += 1e6 * data->info.stage_time[s];
    }
    if (i < SETTLING) continue;
    faces += (double)data->info.contact_count / MEASURED;
    least = each < least ? each : least;
  }
  for (int s = 0; s < LIMPET_STAGE_COUNT; ++s) total += time[s];
  printf(
      "%-22s %6.0f faces  step %8.1f us, least %8.1f: surface %8.1f, assembly %6.1f, solve %7.1f; "
      "%.2f us a face",
      name, faces, total, least, time[LIMPET_STAGE_NARROW_PHASE], time[LIMPET_STAGE_ASSEMBLY],
      time[LIMPET_STAGE_SOLVE], faces > 0.0 ? total / faces : 0.0);
  if (target > 0.0) printf("  (asked: %g us)", target);
  printf("\n");
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

/* A soft ball that lies in a rigid bowl of triangles, as `sphere_in_bowl` of
 * ../shared/golden/hydroelastic: the exact field of a sphere, and tetrahedra in a mesh of 320
 * triangles. */
static void measure_bowl(const char *bowl_file) {
  char asset[700];
  snprintf(asset, sizeof asset,
           "<asset><mesh name='bowl' file='%s' limpet:concave='true'/>"
           "<mesh name='ball' builtin='sphere' params='2' scale='.03 .03 .03' "
           "limpet:concave='true'/></asset>",
           bowl_file);
  const char *bowl = "<geom type='mesh' mesh='bowl'/>";
  const char *body =
      "<body pos='.02 .01 .0371'><freejoint/><geom %s mass='.2' limpet:elastic_modulus='4e5' "
      "limpet:dissipation='20' friction='.5'/></body>";
  char exact[400], meshed[400];
  snprintf(exact, sizeof exact, body, "type='sphere' size='.03'");
  snprintf(meshed, sizeof meshed, body, "type='mesh' mesh='ball'");
  measure("exact sphere in bowl", 0.0, from_bodies(asset, bowl, exact));
  measure("meshed sphere in bowl", 200.0, from_bodies(asset, bowl, meshed));
}

int main(int argc, char **argv) {
  limpet_error error;
  const char *scene = argc > 1 ? argv[1] : "scenes/pressure_pads.xml";
  const char *block_file = argc > 2 ? argv[2] : "../shared/models/soft/shapes/u_block.vtk";
  limpet_model *pads = limpet_load(scene, NULL, &error);
  if (!pads) printf("left out: %s\n", error.message);
  measure("pads", 0.0, pads);
  measure("sphere on plane", 0.0, from_bodies("", ground, ball));
  measure("sphere on soft box", 0.0, from_bodies("", soft_box, ball));
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
  measure("block on plane", 0.0, from_bodies(asset, ground, block));
  measure("block on block", 0.0, from_bodies(asset, ground, two));
  measure_bowl(argc > 3 ? argv[3] : "../shared/models/soft/shapes/bowl.obj");
  return 0;
}
