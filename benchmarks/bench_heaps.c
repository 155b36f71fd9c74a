/* benchmarks/bench_heaps.c: random heaps that fall: is every step solved?
 *
 *   bench_heaps [HEAPS [FIRST [STEPS]]]
 *
 * Each heap is drawn from its number, FIRST and on: 5 to 60 spheres, capsules, boxes, cylinders and
 * ellipsoids of 2 to 8 cm, with masses that are alike or over two, four or six decades about 0.1
 * kg, friction of 0.01 to 1.5 (of all, or of each), on a floor or in a bin, and steps of 0.05 to
 * 5 ms (logarithmic, all of them). They begin above each other in a loose grid, with random
 * velocities.
 *
 * A line for each heap with steps that were not solved says which; the last lines count steps,
 * unsolved ones, those that looked again (info.repeats), iterations, and the worst friction outside
 * its cone. Exit code 1: a step failed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limpet/limpet.h"
#include "measure.h"

enum { HEAPS = 40, STEPS = 500, SHAPES = 5, COLUMNS = 3 };

static const double largest = 0.08;  // [m]  half length of a body

typedef struct heap {
  unsigned long long seed;
  int bodies;
  double friction, decades, dt;  // friction: NAN: each its own
  bool bin;
} heap;

typedef struct counts {
  long steps, unsolved, again, again_unsolved, iterations, worst;
  double outside;
} counts;

static double log_uniform(unsigned long long *seed, double low, double high) {
  return low * pow(high / low, uniform(seed, 0.0, 1.0));
}

static double draw_friction(unsigned long long *seed) { return log_uniform(seed, 0.01, 1.5); }

static heap draw_heap(int number) {
  heap h = {.seed = 12345u + 7919u * (unsigned long long)number};
  for (int i = 0; i < 8; ++i) uniform(&h.seed, 0.0, 1.0);
  h.bodies = (int)uniform(&h.seed, 5.0, 61.0);
  const bool alike = uniform(&h.seed, 0.0, 1.0) < 0.7;
  const double friction = draw_friction(&h.seed);
  h.friction = alike ? friction : NAN;
  h.decades = 2.0 * floor(uniform(&h.seed, 0.0, 4.0));
  h.dt = log_uniform(&h.seed, 5e-5, 5e-3);
  h.bin = uniform(&h.seed, 0.0, 1.0) < 0.5;
  return h;
}

static void random_quaternion(unsigned long long *seed, double q[4]) {
  double size = 0.0;
  do {
    size = 0.0;
    for (int i = 0; i < 4; ++i) q[i] = uniform(seed, -1.0, 1.0), size += q[i] * q[i];
  } while (size > 1.0 || size < 0.01);
  for (int i = 0; i < 4; ++i) q[i] /= sqrt(size);
}

static void add_ground(limpet_builder *builder, const heap *h) {
  limpet_geom_description geom = limpet_geom_description_default();
  geom.kind = LIMPET_SHAPE_PLANE;
  geom.size[0] = geom.size[1] = 1.0, geom.size[2] = 0.1;
  geom.material.friction = 0.01;
  limpet_builder_add_geom(builder, &geom);
  for (int w = 0; w < 4 && h->bin; ++w) {
    geom.kind = LIMPET_SHAPE_BOX;
    const int axis = w % 2;
    geom.size[axis] = 0.1, geom.size[1 - axis] = 0.5, geom.size[2] = 2.0;
    geom.position[axis] = (w < 2 ? 1.0 : -1.0) * (COLUMNS * largest + 0.12);
    geom.position[1 - axis] = 0.0, geom.position[2] = 2.0;
    limpet_builder_add_geom(builder, &geom);
  }
}

static void add_body(limpet_builder *builder, heap *h, int number) {
  static const limpet_shape_kind kinds[SHAPES] = {LIMPET_SHAPE_SPHERE, LIMPET_SHAPE_CAPSULE,
                                                  LIMPET_SHAPE_BOX, LIMPET_SHAPE_CYLINDER,
                                                  LIMPET_SHAPE_ELLIPSOID};
  limpet_body_description body = limpet_body_description_default();
  const int layer = number / (COLUMNS * COLUMNS), place = number % (COLUMNS * COLUMNS);
  body.position[0] = 2.0 * largest * (place % COLUMNS - 1) + uniform(&h->seed, -0.02, 0.02);
  body.position[1] = 2.0 * largest * (place / COLUMNS - 1) + uniform(&h->seed, -0.02, 0.02);
  body.position[2] = largest + 2.0 * largest * layer;
  random_quaternion(&h->seed, body.quaternion);
  limpet_joint_description joint = limpet_joint_description_default();
  joint.kind = LIMPET_JOINT_FREE;
  joint.body = limpet_builder_add_body(builder, &body);
  limpet_builder_add_joint(builder, &joint);
  limpet_geom_description geom = limpet_geom_description_default();
  geom.body = joint.body;
  geom.kind = kinds[(int)uniform(&h->seed, 0.0, SHAPES)];
  for (int i = 0; i < 3; ++i) geom.size[i] = uniform(&h->seed, 0.01, 0.5 * largest);
  geom.mass = 0.1 * pow(10.0, h->decades * uniform(&h->seed, -0.5, 0.5));
  const double own = draw_friction(&h->seed);
  geom.material.friction = isfinite(h->friction) ? h->friction : own;
  limpet_builder_add_geom(builder, &geom);
}

static limpet_model *build(heap *h) {
  limpet_error error;
  limpet_builder *builder = limpet_builder_create();
  add_ground(builder, h);
  for (int i = 0; i < h->bodies; ++i) add_body(builder, h, i);
  limpet_model *model = limpet_builder_compile(builder, &error);
  limpet_builder_destroy(builder);
  if (!model) fprintf(stderr, "%s\n", error.message);
  return model;
}

static void throw_bodies(heap *h, limpet_data *data) {
  const double speed = log_uniform(&h->seed, 0.1, 5.0);
  for (int i = 0; i < 6 * h->bodies; ++i)
    data->v[i] = uniform(&h->seed, -1.0, 1.0) * (i % 6 < 3 ? speed : 3.0 * speed);
  for (int i = 0; i < h->bodies; ++i) data->v[6 * i + 2] -= speed;
}

static bool run(int number, int steps, counts *sum) {
  heap h = draw_heap(number);
  limpet_model *model = build(&h);
  limpet_data *data = model ? limpet_data_create(model) : NULL;
  if (!data) return false;
  limpet_data_reset(model, data);
  throw_bodies(&h, data);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.time_step = h.dt;
  long unsolved = 0;
  bool fine = true;
  for (int i = 0; i < steps && fine; ++i) {
    const limpet_outcome outcome = limpet_step(model, data, &settings);
    const bool solved = outcome == LIMPET_OUTCOME_SOLVED;
    fine = !limpet_outcome_failed(outcome);
    ++sum->steps, sum->iterations += data->info.iterations;
    sum->unsolved += !solved, sum->again += data->info.repeats > 0;
    sum->again_unsolved += !solved && data->info.repeats > 0;
    if (data->info.iterations > sum->worst) sum->worst = data->info.iterations;
    sum->outside = fmax(sum->outside, data->info.friction_outside);
    if (solved) continue;
    if (unsolved++ == 0)
      printf("heap %d: %d bodies, friction %.3g, masses over %g decades, %.3g ms%s\n", number,
             h.bodies, h.friction, h.decades, 1e3 * h.dt, h.bin ? ", in a bin" : "");
    printf("  step %d: outcome %d, %d iterations, %d looks again, residual %.1e\n", i, outcome,
           data->info.iterations, data->info.repeats, data->info.residual);
  }
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return fine;
}

int main(int argc, char **argv) {
  const int heaps = argc > 1 ? atoi(argv[1]) : HEAPS, first = argc > 2 ? atoi(argv[2]) : 0,
            steps = argc > 3 ? atoi(argv[3]) : STEPS;
  counts sum = {0};
  bool fine = true;
  const double start = now();
  for (int i = first; i < first + heaps; ++i) fine = run(i, steps, &sum) && fine;
  printf("%ld steps, %ld unsolved; %ld looked again, %ld of these unsolved\n", sum.steps,
         sum.unsolved, sum.again, sum.again_unsolved);
  printf("%.2f iterations a step, %ld at most; friction outside its cone by %.2g; %.0f s\n",
         (double)sum.iterations / (double)sum.steps, sum.worst, sum.outside, now() - start);
  printf("%s\n", fine ? "no step failed" : "A STEP FAILED");
  return !fine;
}
