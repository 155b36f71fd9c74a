/* cli/compute.c: `limpet compute`: kinematics and dynamics of a model in given states, from JSON to
 * JSON.
 *
 * The way in for programs that compare simulators: no stepping, no constraint forces. Layouts are
 * those of data.h; docs/cli.md lists the keys. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "loading.h"
#include "options.h"
#include "output.h"
#include "suggest.h"

// ---------------------------------------------------------------------------------- reading

// Complains about one state of the input.
static bool state_wrong(const char *path, int index, const char *key, const char *problem) {
  limpet_complain("%s: state %d: '%s' %s", path, index, key, problem);
  return false;
}

static bool keys_check(const json_t *object, const char *path, int index) {
  static const char *const known[] = {"q", "v", "control", "activation"};
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)object, key, value) {
    limpet_suggestion best = {0};
    char problem[256], hint[160];
    bool found = false;
    for (int i = 0; i < 4; ++i) {
      found |= strcmp(key, known[i]) == 0;
      limpet_suggest(&best, key, known[i]);
    }
    snprintf(problem, sizeof problem,
             "is not a key of a state%s; the keys are q, v, control, activation",
             limpet_suggestion_text(hint, sizeof hint, &best));
    if (!found) return state_wrong(path, index, key, problem);
  }
  return true;
}

// Quaternions of free and ball joints must have a direction; they are normalised.
static bool quaternions_normalise(const limpet_model *model, double *q, const char *path,
                                  int index) {
  for (int j = 0; j < model->joint_count; ++j) {
    const limpet_joint_kind kind = model->joint_kind[j];
    if (kind != LIMPET_JOINT_FREE && kind != LIMPET_JOINT_BALL) continue;
    double *quaternion = q + model->joint_q[j] + (kind == LIMPET_JOINT_FREE ? 3 : 0), square = 0.0;
    for (int i = 0; i < 4; ++i) square += quaternion[i] * quaternion[i];
    if (!(square > 1e-20) || !isfinite(square))
      return state_wrong(path, index, "q", "holds a quaternion of zero length");
    if (fabs(square - 1.0) < 1e-15) continue;
    for (int i = 0; i < 4; ++i) quaternion[i] /= sqrt(square);
  }
  return true;
}

// The state of data becomes that of the JSON object; keys that are missing keep the default of a
// reset.
static bool state_read(const limpet_model *model, limpet_data *data, const json_t *object,
                       const char *path, int index) {
  limpet_data_reset(model, data);
  if (!json_is_object(object)) {
    limpet_complain("%s: state %d: must be an object {\"q\": [...], \"v\": [...]}", path, index);
    return false;
  }
  const struct {
    const char *key;
    double *target;
    int count;
  } parts[] = {{"q", data->q, model->nq},
               {"v", data->v, model->nv},
               {"control", data->control, model->nu},
               {"activation", data->activation, model->na}};
  char problem[160];
  if (!keys_check(object, path, index)) return false;
  for (int i = 0; i < 4; ++i) {
    const json_t *list = json_object_get(object, parts[i].key);
    if (!list || json_is_null(list)) continue;
    if (!limpet_json_numbers(list, parts[i].target, parts[i].count, problem, sizeof problem)) {
      return state_wrong(path, index, parts[i].key, problem);
    }
  }
  return quaternions_normalise(model, data->q, path, index);
}

// ---------------------------------------------------------------------------------- results

static json_t *mass_matrix_json(const limpet_model *model, const limpet_data *data) {
  const size_t nv = (size_t)model->nv;
  double *dense = calloc(nv * nv + 1, sizeof *dense);
  if (!dense) return json_null();
  for (int tree = 0; tree < model->tree_count; ++tree) {
    const size_t first = (size_t)model->tree_dof[tree], count = (size_t)model->tree_dof_count[tree];
    const double *block = data->mass_matrix + model->tree_mass[tree];
    for (size_t i = 0; i < count; ++i)
      memcpy(dense + (first + i) * nv + first, block + i * count, count * sizeof *dense);
  }
  json_t *matrix = limpet_json_matrix(dense, model->nv, model->nv);
  free(dense);
  return matrix;
}

/* Passive force along a tendon: spring outside its range of rest lengths, and damper  [N].
 *   Actuators that pull the tendon stand in actuator_scalar_force. */
static json_t *tendon_force_json(const limpet_model *model, const limpet_data *data) {
  json_t *list = json_array();
  for (int i = 0; i < model->tendon_count; ++i) {
    const double *rest = model->tendon_spring_range + 2 * i, length = data->tendon_length[i];
    const double stretch = length > rest[1]   ? length - rest[1]
                           : length < rest[0] ? length - rest[0]
                                              : 0.0;
    double force = 0.0;
    const double *k = model->tendon_stiffness_growth + 2 * i,
                 *d = model->tendon_damping_growth + 2 * i, v = data->tendon_velocity[i];
    if (!(model->options.disabled & LIMPET_DISABLE_SPRING))
      force -= (model->tendon_stiffness[i] + stretch * (k[0] + stretch * k[1])) * stretch;
    if (!(model->options.disabled & LIMPET_DISABLE_DAMPER))
      force -= (model->tendon_damping[i] + fabs(v) * d[0] + v * v * d[1]) * v;
    json_array_append_new(list, json_real(force));
  }
  return list;
}

static json_t *geom_json(const limpet_model *model, int geom) {
  const char *name = limpet_model_name(model, LIMPET_OBJECT_GEOM, geom);
  return name ? limpet_json_text(name) : json_integer(geom);
}

static json_t *contacts_json(const limpet_model *model, limpet_data *data) {
  json_t *list = json_array();
  limpet_geom_kinematics(model, data, false);
  const int count = limpet_contacts_find(model, data, false);
  for (int i = 0; i < count; ++i) {
    const int a = data->contact_geom[2 * i], b = data->contact_geom[2 * i + 1];
    json_array_append_new(
        list, json_pack("{s:o, s:o, s:i, s:i, s:o, s:o, s:f}", "geom_a", geom_json(model, a),
                        "geom_b", geom_json(model, b), "geom_a_index", a, "geom_b_index", b,
                        "position", limpet_json_array(data->contact_position + 3 * i, 3), "normal",
                        limpet_json_array(data->contact_frame + 9 * i + 6, 3), "distance",
                        data->contact_distance[i]));
  }
  return list;
}

static json_t *state_json(const limpet_model *model, limpet_data *data) {
  limpet_sensors_evaluate(model, data);  // and the dynamics
  double com[3];
  limpet_centre_of_mass(model, data, 0, com);
  const int nv = model->nv, nu = model->nu;
  const struct {
    const char *key;
    json_t *value;
  } entries[] = {
      {"position", limpet_json_matrix(data->body_position, model->body_count, 3)},
      {"quaternion", limpet_json_matrix(data->body_quaternion, model->body_count, 4)},
      {"mass_matrix", mass_matrix_json(model, data)},
      {"bias", limpet_json_array(data->bias, nv)},
      {"passive_force", limpet_json_array(data->passive_force, nv)},
      {"spring_force", limpet_json_array(data->spring_force, nv)},
      {"damper_force", limpet_json_array(data->damper_force, nv)},
      {"fluid_force", limpet_json_array(data->fluid_force, nv)},
      {"gravity_compensation_force", limpet_json_array(data->gravity_compensation_force, nv)},
      {"actuator_force", limpet_json_array(data->actuator_joint_force, nv)},
      {"actuator_length", limpet_json_array(data->actuator_length, nu)},
      {"actuator_velocity", limpet_json_array(data->actuator_velocity, nu)},
      {"actuator_scalar_force", limpet_json_array(data->actuator_force, nu)},
      {"tendon_length", limpet_json_array(data->tendon_length, model->tendon_count)},
      {"tendon_velocity", limpet_json_array(data->tendon_velocity, model->tendon_count)},
      {"tendon_force", tendon_force_json(model, data)},
      {"activation_rate", limpet_json_array(data->activation_rate, model->na)},
      {"acceleration", limpet_json_array(data->acceleration, nv)},
      {"kinetic_energy", limpet_json_number(limpet_kinetic_energy(model, data))},
      {"potential_energy", limpet_json_number(limpet_potential_energy(model, data))},
      {"centre_of_mass", limpet_json_array(com, 3)},
      {"sensor", limpet_json_array(data->sensor, model->nsensor)},
      {"contacts", contacts_json(model, data)},
  };
  json_t *object = json_object();
  for (size_t i = 0; i < sizeof entries / sizeof *entries; ++i)
    json_object_set_new(object, entries[i].key, entries[i].value);
  return object;
}

// NULL after a complaint: then nothing is written, not even for the states before the wrong one.
static json_t *states_compute(const limpet_model *model, const json_t *input, const char *path) {
  const json_t *states = json_object_get(input, "states");
  if (!json_is_array(states)) {
    limpet_complain(
        "%s: expected {\"states\": [{\"q\": [...], \"v\": [...], \"control\": [...], "
        "\"activation\": [...]}, ...]}",
        path);
    return NULL;
  }
  limpet_data *data = limpet_data_create(model);
  if (!data) {
    limpet_complain("%s: not enough memory for this model", path);
    return NULL;
  }
  json_t *results = json_array();
  bool good = true;
  for (size_t i = 0; i < json_array_size(states) && good; ++i) {
    good = state_read(model, data, json_array_get(states, i), path, (int)i);
    if (good) json_array_append_new(results, state_json(model, data));
  }
  limpet_data_destroy(data);
  if (good) return results;
  json_decref(results);
  return NULL;
}

// ---------------------------------------------------------------------------------- writing

static bool result_write(const json_t *root, const char *path) {
  if (!path || strcmp(path, "-") == 0) return limpet_json_print(root, stdout, true);
  limpet_output output;
  if (!limpet_output_begin(&output, path)) return false;
  errno = 0;
  FILE *file = fopen(output.temporary, "w");
  const bool written = file && limpet_json_print(root, file, true);
  const bool closed = file && fclose(file) == 0;
  if (written && closed) return limpet_output_commit(&output);
  limpet_complain("%s: cannot be written: %s", path,
                  errno ? strerror(errno) : "no reason is known");
  limpet_output_discard(&output);
  return false;
}

static int compute_file(const char *path, const limpet_loading *loading, const char *states_path,
                        const char *out) {
  json_t *input = limpet_json_read(states_path);
  if (strcmp(states_path, "-") == 0) states_path = "stdin";
  if (!input) return LIMPET_EXIT_INPUT;
  int code;
  limpet_model *model = limpet_model_open(path, loading, true, &code);
  json_t *results = model ? states_compute(model, input, states_path) : NULL;
  bool good = results != NULL;
  if (good) {
    json_t *root = json_pack("{s:s, s:s, s:o, s:o, s:o}", "schema", "limpet.compute/1", "version",
                             limpet_version(), "model", limpet_json_text(model->name), "model_hash",
                             limpet_json_hash(model->hash), "states", results);
    good = result_write(root, out);
    json_decref(root);
  }
  json_decref(input);
  if (!model) return code;
  limpet_model_destroy(model);
  return good ? LIMPET_EXIT_FINE : LIMPET_EXIT_INPUT;
}

static int run(const limpet_command *command, int argc, char **argv) {
  const char *states = NULL, *out = NULL;
  limpet_text_list arguments;
  limpet_loading loading;
  limpet_option table[2 + LIMPET_LOADING_OPTION_COUNT] = {
      {"--states", LIMPET_OPTION_TEXT, &states, "IN.json", "the states; - reads stdin", 0, 0, 0},
      {"--out", LIMPET_OPTION_TEXT, &out, "OUT.json", "where the results go; stdout", 0, 0, 0},
  };
  const int count = 2 + limpet_loading_options(&loading, table + 2);
  const int code = limpet_options_parse(command, table, count, argc, argv, &arguments);
  if (code != LIMPET_OPTIONS_GO) return code;
  if (arguments.count != 1 || !states) return limpet_options_misused(command);
  const char *inputs[] = {arguments.text[0], states};
  if (out && strcmp(out, "-") != 0 && !limpet_output_possible("--out", out, inputs, 2))
    return LIMPET_EXIT_INPUT;
  return compute_file(arguments.text[0], &loading, states, out);
}

const limpet_command limpet_command_compute = {
    .name = "compute",
    .synopsis = "compute FILE --states IN.json [--out OUT.json]",
    .summary = "kinematics and dynamics for given states, JSON to JSON",
    .text =
        "For each state: poses, mass matrix, bias, passive and actuator forces, acceleration "
        "without constraints,\n"
        "energies, centre of mass, sensors, contacts. Nothing is simulated. docs/cli.md explains "
        "every key.\n"
        "The input is {\"states\": [{\"q\": [...], \"v\": [...], \"control\": [...], "
        "\"activation\": [...]}, ...]};\n"
        "what is missing is that of the file: its pose, no velocity, no control.\n",
    .examples =
        "  limpet compute robot.xml --states states.json --out results.json\n"
        "  echo '{\"states\": [{}]}' | limpet compute robot.xml --states -      the pose of the "
        "file\n",
    .run = run,
};
