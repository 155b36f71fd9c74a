/* benchmarks/bench_gradient.c: time of a step's derivatives over that of the step.
 *
 *   bench_gradient [MODEL.xml ...]     default: Panda, humanoid, G1 and the Shadow hand below
 *                                      LIMPET_SHARED (default: ../shared)
 *
 * Each model settles for 300 steps of its first keyframe. Then, from the same state, the least
 * time of batches counts: of a step; of a step with the dense Jacobians by pose, velocity, force,
 * control and stiffness (`jacobian`); the same without the Jacobians, from which products with
 * weights are made (`prepare`); and one product with weights of all results (`product`).
 * Last, without arguments, 1000 steps of a Panda that holds a cube by box contacts: forwards, and
 * with the adjoint of a loss of every velocity.
 *
 *   bench_gradient --settle SETTLE STATE MODEL.xml
 *   bench_gradient --one step|jacobian|prepare|product STATE MODEL.xml
 *   bench_gradient --grasp STEPS forward|adjoint panda.xml
 * write the state after SETTLE steps to a file, make one of these a few times from there, and make
 * the grasp's steps twice: gradient_counts.py counts instructions of the last time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limpet/limpet.h"
#include "measure.h"

enum { SETTLE = 300, BATCHES = 7, STEPS = 40, GRADIENTS = 4, PRODUCTS = 20 };

static const char *const models[] = {
    "models/menagerie/franka_emika_panda/scene.xml", "models/mjcf/model/humanoid/humanoid.xml",
    "models/menagerie/unitree_g1/scene.xml", "models/menagerie/shadow_hand/scene_right.xml"};
enum { MODELS = sizeof models / sizeof models[0], PATH_SIZE = 1024 };

typedef struct world {
  limpet_model *model;
  limpet_data *data;
  limpet_gradient *gradient;
  limpet_step_settings settings;
  double *state, *weight;
} world;

static double least(double a, double b) { return a < b ? a : b; }

// [s]  of one step with derivatives; `jacobians`: with the dense ones.
static double time_gradient(world *w, bool jacobians) {
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  wanted.contacts = false;
  wanted.jacobians = jacobians;
  const double start = now();
  for (int i = 0; i < GRADIENTS; ++i) {
    limpet_data_state_write(w->model, w->data, w->state);
    limpet_gradient_step(w->model, w->data, &w->settings, &wanted, w->gradient);
  }
  return (now() - start) / GRADIENTS;
}

static double time_step(world *w) {
  const double start = now();
  for (int i = 0; i < STEPS; ++i) {
    limpet_data_state_write(w->model, w->data, w->state);
    limpet_step(w->model, w->data, &w->settings);
  }
  return (now() - start) / STEPS;
}

static double time_product(world *w) {
  const double start = now();
  for (int i = 0; i < PRODUCTS; ++i) limpet_gradient_adjoint(w->gradient, w->weight, w->weight);
  return (now() - start) / PRODUCTS;
}

static void measure(world *w, const char *name) {
  double step = 1e9, jacobian = 1e9, prepare = 1e9, product = 1e9;
  for (int i = 0; i < BATCHES; ++i) {
    step = least(step, time_step(w));
    jacobian = least(jacobian, time_gradient(w, true));
    prepare = least(prepare, time_gradient(w, false));
    product = least(product, time_product(w));
  }
  printf(
      "%-52s nv %3d contacts %3d  step %8.1f us  jacobian %9.1f us (%.1f steps)  prepare %9.1f us  "
      "product %6.1f us%s%s\n",
      name, w->model->nv, w->data->contact_count, 1e6 * step, 1e6 * jacobian, jacobian / step,
      1e6 * prepare, 1e6 * product, w->gradient->reason ? "  " : "",
      w->gradient->reason ? w->gradient->reason : "");
}

// -------------------------------------------------------------------------- counts

static void counted_step(world *w) { limpet_step(w->model, w->data, &w->settings); }

static void derive(world *w, bool jacobians) {
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  wanted.contacts = false;
  wanted.jacobians = jacobians;
  limpet_gradient_step(w->model, w->data, &w->settings, &wanted, w->gradient);
}

static void counted_jacobian(world *w) { derive(w, true); }

static void counted_prepare(world *w) { derive(w, false); }

static void counted_product(world *w) {
  limpet_gradient_adjoint(w->gradient, w->weight, w->weight);
}

// The last of some calls, when memory has grown, is the one that counts; false: no such part.
static bool make_one(world *w, const char *name) {
  enum { CALLS = 3 };
  static const struct {
    const char *name;
    void (*call)(world *w);
  } parts[] = {{"step", counted_step},
               {"jacobian", counted_jacobian},
               {"prepare", counted_prepare},
               {"product", counted_product}};
  for (size_t k = 0; k < sizeof parts / sizeof parts[0]; ++k) {
    void (*volatile call)(world * w) = parts[k].call;  // not inlined: callgrind goes by its name
    if (strcmp(parts[k].name, name) != 0) continue;
    for (int i = 0; i < CALLS; ++i) {
      limpet_data_state_write(w->model, w->data, w->state);
      if (parts[k].call == counted_product) derive(w, false);
      call(w);
    }
    printf("contacts %d\n", w->data->contact_count);
    return true;
  }
  return false;
}

// The state, to or from a file; false: it has another size.
static bool keep_state(const world *w, const char *file, bool write) {
  const size_t size = (size_t)limpet_data_state_size(w->model);
  FILE *stream = fopen(file, write ? "wb" : "rb");
  if (!stream) return false;
  const bool whole = write ? fwrite(w->state, sizeof(double), size, stream) == size
                           : fread(w->state, sizeof(double), size, stream) == size;
  return fclose(stream) == 0 && whole;
}

// -------------------------------------------------------------------------- a model

typedef enum task { MEASURE, WRITE_STATE, MAKE_ONE } task;

static void settle(world *w, int steps) {
  if (w->model->keyframe_count > 0) limpet_data_reset_keyframe(w->model, w->data, 0);
  for (int i = 0; i < steps; ++i) limpet_step(w->model, w->data, &w->settings);
  limpet_data_state_read(w->model, w->data, w->state);
}

// file, part: of the task, else NULL.
static bool run(const char *path, const char *name, task what, int steps, const char *file,
                const char *part) {
  limpet_error error;
  world w = {.model = limpet_load(path, NULL, &error)};
  if (!w.model) {
    fprintf(stderr, "bench_gradient: %s\n", error.message);
    return false;
  }
  w.data = limpet_data_create(w.model);
  w.gradient = limpet_gradient_create(w.model);
  w.state = calloc((size_t)limpet_data_state_size(w.model), sizeof *w.state);
  w.weight = calloc((size_t)w.model->nv + 1, sizeof *w.weight);
  w.settings = limpet_step_settings_default(w.model);
  bool ready = w.data && w.gradient && w.state && w.weight;
  if (ready) {
    for (int i = 0; i < w.model->nv; ++i) w.weight[i] = 1.0;
    if (what == MAKE_ONE) {
      if (w.model->keyframe_count > 0) limpet_data_reset_keyframe(w.model, w.data, 0);
      ready = keep_state(&w, file, false) && make_one(&w, part);
    } else {
      settle(&w, steps);
      if (what == WRITE_STATE) ready = keep_state(&w, file, true);
      else measure(&w, name);
    }
  }
  free(w.state), free(w.weight);
  limpet_gradient_destroy(w.gradient);
  limpet_data_destroy(w.data);
  limpet_model_destroy(w.model);
  return ready;
}

// -------------------------------------------------------------------------- a grasp

enum { GRASP_STEPS = 1000, GRASP_BATCHES = 9 };
static const double half_cube = 0.025, grip_distance = 0.1029;  // [m]  along the hand's axis

static limpet_model *panda_with_cube(const char *path) {
  limpet_error error;
  limpet_builder *builder = limpet_builder_create();
  limpet_model *model = NULL;
  if (limpet_mjcf_read(builder, path, NULL, &error) == LIMPET_OK) {
    limpet_body_description body = limpet_body_description_default();
    limpet_joint_description joint = limpet_joint_description_default();
    limpet_geom_description geom = limpet_geom_description_default();
    limpet_builder_remove_keyframes(builder);
    joint.kind = LIMPET_JOINT_FREE;
    joint.body = geom.body = limpet_builder_add_body(builder, &body);
    limpet_builder_add_joint(builder, &joint);
    geom.kind = LIMPET_SHAPE_BOX, geom.mass = 0.2;
    for (int i = 0; i < 3; ++i) geom.size[i] = half_cube;
    limpet_builder_add_geom(builder, &geom);
    model = limpet_builder_compile(builder, &error);
  }
  if (!model) fprintf(stderr, "bench_gradient: %s\n", error.message);
  limpet_builder_destroy(builder);
  return model;
}

// Fingers closed around the cube by their servo, the arm held by its own.
static void grasp(const limpet_model *model, limpet_data *data,
                  const limpet_step_settings *settings) {
  static const double pose[7] = {0.0, 0.3, 0.0, -2.1, 0.0, 2.4, -0.7853};  // [rad]
  const int hand = limpet_model_find(model, LIMPET_OBJECT_BODY, "hand"), cube = model->nq - 7;
  memcpy(data->q, pose, sizeof pose);
  memcpy(data->control, pose, sizeof pose);
  data->q[7] = data->q[8] = half_cube + 0.001;
  limpet_kinematics(model, data);
  const double *R = data->body_rotation + 9 * hand, *p = data->body_position + 3 * hand;
  for (int i = 0; i < 3; ++i) data->q[cube + i] = p[i] + grip_distance * R[3 * i + 2];
  memcpy(data->q + cube + 3, data->body_quaternion + 4 * hand, 4 * sizeof(double));
  for (int k = 0; k < 100; ++k) limpet_step(model, data, settings);
}

typedef struct grasp_run {
  int steps;
  limpet_rollout_gradient *gradient;
  const limpet_rollout_gradient_request *request;
} grasp_run;

// [s]  of all steps, forwards or with the adjoint.
static double time_rollout(world *w, const grasp_run *run, bool adjoint) {
  limpet_data_state_write(w->model, w->data, w->state);
  const double start = now();
  for (int i = 0; i < run->steps && !adjoint; ++i) limpet_step(w->model, w->data, &w->settings);
  if (adjoint && !limpet_rollout_gradient_compute(run->gradient, w->model, w->data, run->request))
    printf("step %d: %s\n", run->gradient->step, run->gradient->reason);
  return now() - start;
}

static void counted_forward(world *w, const grasp_run *run) { time_rollout(w, run, false); }

static void counted_adjoint(world *w, const grasp_run *run) { time_rollout(w, run, true); }

// The second time, when memory has grown, is the one that counts.
static bool make_grasp(world *w, const grasp_run *run, const char *name) {
  const bool adjoint = strcmp(name, "adjoint") == 0;
  void (*volatile call)(world * w, const grasp_run *run) =
      adjoint ? counted_adjoint : counted_forward;
  for (int i = 0; i < 2; ++i) call(w, run);
  return adjoint || strcmp(name, "forward") == 0;
}

static void measure_grasp(world *w, const grasp_run *run) {
  double forward = 1e9, both = 1e9;
  for (int i = 0; i < GRASP_BATCHES; ++i) {
    forward = least(forward, time_rollout(w, run, false));
    both = least(both, time_rollout(w, run, true));
  }
  printf(
      "Panda with a cube, %d contacts, %d steps: forwards %.1f ms, with the adjoint %.1f ms "
      "(%.1f forward runs)\n",
      w->data->contact_count, run->steps, 1e3 * forward, 1e3 * both, both / forward);
}

// part: "forward", "adjoint"; NULL: both by the clock.
static bool run_grasp(const char *path, int steps, const char *part) {
  world w = {.model = panda_with_cube(path)};
  if (!w.model) return false;
  const limpet_model *model = w.model;
  w.data = limpet_data_create(model);
  w.state = calloc((size_t)limpet_data_state_size(model), sizeof *w.state);
  w.settings = limpet_step_settings_default(model);
  double *weight = calloc(((size_t)steps + 1) * (size_t)model->nv, sizeof *weight),
         *control = calloc((size_t)steps * (size_t)model->nu, sizeof *control);
  limpet_rollout_gradient *adjoint = limpet_rollout_gradient_create(model, steps, 0);
  bool ready = w.data && w.state && weight && control && adjoint;
  if (ready) {
    grasp(model, w.data, &w.settings);
    limpet_data_state_read(model, w.data, w.state);
    for (int i = 0; i < (steps + 1) * model->nv; ++i) weight[i] = 1.0;
    for (int i = 0; i < steps; ++i)
      memcpy(control + i * model->nu, w.data->control, (size_t)model->nu * sizeof *control);
    const limpet_rollout_gradient_request request = {
        .settings = &w.settings, .step_count = steps, .control = control, .weight_v = weight};
    const grasp_run one = {steps, adjoint, &request};
    if (part) ready = make_grasp(&w, &one, part);
    else measure_grasp(&w, &one);
  }
  limpet_rollout_gradient_destroy(adjoint);
  free(weight), free(control), free(w.state);
  limpet_data_destroy(w.data);
  limpet_model_destroy(w.model);
  return ready;
}

int main(int count, char **arguments) {
  bool done = true;
  const char *word = count == 5 ? arguments[1] : "";
  if (strcmp(word, "--settle") == 0)
    done = run(arguments[4], NULL, WRITE_STATE, atoi(arguments[2]), arguments[3], NULL);
  else if (strcmp(word, "--one") == 0)
    done = run(arguments[4], NULL, MAKE_ONE, 0, arguments[3], arguments[2]);
  else if (strcmp(word, "--grasp") == 0)
    done = run_grasp(arguments[4], atoi(arguments[2]), arguments[3]);
  else
    for (int i = 1; i < count; ++i)
      done = run(arguments[i], arguments[i], MEASURE, SETTLE, NULL, NULL) && done;
  const char *shared = getenv("LIMPET_SHARED");
  for (int i = 0; i < MODELS && count == 1; ++i) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", shared ? shared : "../shared", models[i]);
    done = run(path, models[i], MEASURE, SETTLE, NULL, NULL) && done;
  }
  if (count == 1) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/models/menagerie/franka_emika_panda/panda.xml",
             shared ? shared : "../shared");
    done = run_grasp(path, GRASP_STEPS, NULL) && done;
  }
  return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
