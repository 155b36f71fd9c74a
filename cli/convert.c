/* cli/convert.c: `limpet convert`: a model that Limpet reads, as MJCF that MuJoCo reads, or as
 * URDF. */
#include <stdio.h>
#include <string.h>

#include "loading.h"
#include "output.h"

static void say(void *context, const char *text) {
  (void)context;
  limpet_complain("left out: %s", text);
}

static bool has_ending(const char *path, const char *ending) {
  const char *dot = strrchr(path, '.');
  return dot && strcmp(dot, ending) == 0;
}

// "robot.urdf" has its meshes in robot_meshes beside it
static limpet_status write_urdf(const limpet_model *model, const limpet_output *output,
                                limpet_error *error) {
  const char *slash = strrchr(output->path, '/'), *name = slash ? slash + 1 : output->path;
  char meshes[LIMPET_PATH_SIZE];
  snprintf(meshes, sizeof meshes, "%.*s_meshes", (int)(strlen(name) - strlen(".urdf")), name);
  return limpet_urdf_write(model, output->temporary, meshes, say, NULL, error);
}

static limpet_status write_model(const limpet_model *model, const limpet_output *output,
                                 bool rigid_only, limpet_error *error) {
  if (has_ending(output->path, ".urdf")) return write_urdf(model, output, error);
  if (rigid_only) return limpet_mjcf_write_rigid(model, output->temporary, say, NULL, error);
  if (model->deformable_count > 0)
    fprintf(
        stderr,
        "limpet: deformable bodies (%d) are elements <limpet:deformable>, which MuJoCo refuses; "
        "'--rigid-only' leaves them out\n",
        model->deformable_count);
  return limpet_mjcf_write(model, output->temporary, say, NULL, error);
}

// Whether nothing that moves is lost; complains where deformable bodies would be.
static bool is_whole(const limpet_model *model, const char *in, const char *out, bool rigid_only) {
  if (model->deformable_count == 0 || rigid_only || !has_ending(out, ".urdf")) return true;
  limpet_complain(
      "%s: its deformable bodies (%d) cannot be written as URDF; MJCF holds them\n"
      "  '--rigid-only' writes the model without them",
      in, model->deformable_count);
  return false;
}

static int convert(const char *in, const char *out, const limpet_loading *loading,
                   bool rigid_only) {
  const char *const inputs[] = {in};
  limpet_output output;
  limpet_error error;
  int code;
  if (!limpet_output_possible("OUT", out, inputs, 1)) return LIMPET_EXIT_INPUT;
  limpet_model *model = limpet_model_open(in, loading, true, &code);
  if (!model) return code;
  bool good = is_whole(model, in, out, rigid_only) && limpet_output_begin(&output, out);
  if (good && write_model(model, &output, rigid_only, &error) != LIMPET_OK) {
    limpet_complain("%s", error.message);
    limpet_output_discard(&output);
    good = false;
  }
  good = good && limpet_output_commit(&output);
  limpet_model_destroy(model);
  return good ? LIMPET_EXIT_FINE : LIMPET_EXIT_INPUT;
}

static int run(const limpet_command *command, int argc, char **argv) {
  limpet_loading loading;
  limpet_text_list arguments;
  bool rigid_only = false;
  limpet_option table[1 + LIMPET_LOADING_OPTION_COUNT] = {
      {"--rigid-only", LIMPET_OPTION_FLAG, &rigid_only, NULL, "leave deformable bodies out", NULL,
       0, 0},
  };
  const int count = 1 + limpet_loading_options(&loading, table + 1);
  const int code = limpet_options_parse(command, table, count, argc, argv, &arguments);
  if (code != LIMPET_OPTIONS_GO) return code;
  if (arguments.count != 2) return limpet_options_misused(command);
  const char *out = arguments.text[1];
  if (!has_ending(out, ".xml") && !has_ending(out, ".urdf")) {
    limpet_complain(
        "%s: models are written as MJCF or URDF; give a name that ends in .xml or .urdf", out);
    return LIMPET_EXIT_USAGE;
  }
  return convert(arguments.text[0], out, &loading, rigid_only);
}

const limpet_command limpet_command_convert = {
    .name = "convert",
    .synopsis = "convert IN OUT.xml|OUT.urdf",
    .summary = "a model as MJCF that MuJoCo reads, or as URDF",
    .text =
        "OUT.xml: any model that can be loaded, as one MJCF file: no default classes, angles in "
        "radians, meshes inside.\n"
        "What MJCF cannot hold is said on stderr: sensors, point clouds, materials in SI units, "
        "distances.\n"
        "OUT.urdf: a tree of links and joints, with Drake's tags for materials, rotors and what "
        "never touches; meshes are\n"
        "OBJ files in OUT_meshes/. What URDF cannot say is counted on stderr: loops, tendons, "
        "springs, planes, sensors.\n"
        "Poses, masses and mass matrices are the same.\n"
        "Deformable bodies are written whole in OUT.xml, as elements of Limpet's own that MuJoCo "
        "refuses; --rigid-only\n"
        "leaves them out. OUT.urdf cannot hold them: such a model is refused without it.\n",
    .examples =
        "  limpet convert robot.urdf robot.xml --fix-base\n"
        "  limpet convert robot.xml robot.urdf\n"
        "  limpet convert scenes/soft/gripper.xml rest.xml --rigid-only\n",
    .run = run,
};
