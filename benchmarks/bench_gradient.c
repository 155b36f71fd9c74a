/* benchmarks/bench_gradient.c: time of a step's derivatives over that of the step.
 *
 *   bench_gradient [MODEL.xml ...]     default: Panda, humanoid, G1 and the Shadow hand below
 *                                      LIMPET_SHARED (default: ../shared)
 *
 * Each model settles for 300 steps of its first keyframe. Then, from the same state, the least
 * time of batches counts: of a step; of a step with the dense Jacobians by pose, velocity, force,
 * control and stiffness (`jacobian`); the same without the Jacobians, from which products with
 * weights are made (`prepare`); and one product with weights of all results (`product`). */
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

static bool run(const char *path, const char *name) {
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
  const bool ready = w.data && w.gradient && w.state && w.weight;
  if (ready) {
    for (int i = 0; i < w.model->nv; ++i) w.weight[i] = 1.0;
    if (w.model->keyframe_count > 0) limpet_data_reset_keyframe(w.model, w.data, 0);
    for (int i = 0; i < SETTLE; ++i) limpet_step(w.model, w.data, &w.settings);
    limpet_data_state_read(w.model, w.data, w.state);
    measure(&w, name);
  }
  free(w.state), free(w.weight);
  limpet_gradient_destroy(w.gradient);
  limpet_data_destroy(w.data);
  limpet_model_destroy(w.model);
  return ready;
}

int main(int count, char **arguments) {
  bool done = true;
  for (int i = 1; i < count; ++i) done = run(arguments[i], arguments[i]) && done;
  const char *shared = getenv("LIMPET_SHARED");
  for (int i = 0; i < MODELS && count == 1; ++i) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", shared ? shared : "../shared", models[i]);
    done = run(path, models[i]) && done;
  }
  return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
