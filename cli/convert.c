/* cli/convert.c: `limpet convert`: a model that Limpet reads, as MJCF that MuJoCo reads. */
#include <stdio.h>
#include <string.h>

#include "loading.h"
#include "output.h"

static void say(void *context, const char *text) {
  (void)context;
  limpet_complain("left out: %s", text);
}

static int convert(const char *in, const char *out, const limpet_loading *loading) {
  const char *const inputs[] = {in};
  limpet_output output;
  limpet_error error;
  if (!limpet_output_possible("OUT", out, inputs, 1)) return LIMPET_EXIT_INPUT;
  limpet_model *model = limpet_model_open(in, loading, true);
  if (!model) return LIMPET_EXIT_INPUT;
  bool good = limpet_output_begin(&output, out);
  if (good && limpet_mjcf_write(model, output.temporary, say, NULL, &error) != LIMPET_OK) {
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
  limpet_option table[LIMPET_LOADING_OPTION_COUNT];
  const int count = limpet_loading_options(&loading, table);
  const int code = limpet_options_parse(command, table, count, argc, argv, &arguments);
  if (code != LIMPET_OPTIONS_GO) return code;
  if (arguments.count != 2) {
    limpet_complain("expected: limpet %s\n  see 'limpet convert --help'", command->synopsis);
    return LIMPET_EXIT_USAGE;
  }
  const char *out = arguments.text[1], *ending = strrchr(out, '.');
  if (!ending || strcmp(ending, ".xml") != 0) {
    limpet_complain("%s: models are written as MJCF; give a name that ends in .xml", out);
    return LIMPET_EXIT_USAGE;
  }
  return convert(arguments.text[0], out, &loading);
}

const limpet_command limpet_command_convert = {
    .name = "convert",
    .synopsis = "convert IN OUT.xml",
    .summary = "a model as MJCF that MuJoCo reads",
    .text =
        "Writes any model that can be loaded as one MJCF file: no default classes, angles in "
        "radians, meshes inside.\n"
        "Poses, masses and mass matrices are the same. What MJCF cannot hold is said on "
        "stderr: sensors, point\n"
        "clouds, materials in SI units, distances.\n",
    .examples = "  limpet convert robot.urdf robot.xml --fix-base\n",
    .run = run,
};
