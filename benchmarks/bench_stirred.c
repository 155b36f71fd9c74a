/* benchmarks/bench_stirred.c: a heap that a paddle stirs for a million steps: is every step solved,
 * does memory stay flat?
 *
 *   bench_stirred [STEPS [SCENE]]
 *
 * The scene is clutter40.xml of the shared data: 40 spheres, boxes and capsules. Its bin is widened
 * by 0.15 m on each side, as in its own bin the heap locks the paddle; the heap starts 0.2 m higher
 * and falls on a paddle on a vertical hinge, whose motor turns it to and fro.
 *
 * A line for each of twenty parts of the run counts steps that were not solved, and among them
 * those whose friction missed; Newton iterations of a step, mean and most; the deepest overlap; the
 * most contact points; the most memory that a step took (arena), which follows them, what the
 * process holds, how often memory grew; bodies that left the bin; how far the paddle turned in all
 * [rad]. Exit code 1: a step failed, a body left, or memory grew after the first tenth.
 *
 * Bodies may jam between paddle and wall: then the motor stalls on that side in every turn, and the
 * paddle turns a third as far. Whether they do is chance: of 34 starts whose heap is lifted by up
 * to 31 mm more, 8 jammed within 40,000 steps, with half the step 3 of 20; with `similar`, which
 * glides, none of 20. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "limpet/format.h"
#include "limpet/step.h"
#include "measure.h"

enum { PARTS = 20, SHORT_RUN = 2000, FIRST_TENTH = 2 };

static const double pi = 3.14159265358979323846;
static const double widening = 0.15;                    // [m]  of the bin, each wall
static const double lift = 0.2;                         // [m]  of the heap, over the paddle
static const double paddle[3] = {0.08, 0.006, 0.08};    // [m]  half sizes
static const double arm = 0.08;                         // [m]  of its middle, from the hinge
static const double paddle_mass = 1.0;                  // [kg]
static const double turn_speed = 3.0, turn_time = 8.0;  // [rad/s], [s]  of turning to and fro
static const double motor_gain = 20.0;                  // [N m s/rad]
static const double motor_torque = 20.0;                // [N m]  at most: it stalls in a jam
static const double bin = 0.32, bin_height = 1.4;       // [m]  half width inside; none is above

typedef struct stirring {
  long steps, outcome[LIMPET_OUTCOME_COUNT];
  double iterations, deepest, moved;  // sum, [m], [rad] of the paddle, to and fro
  int worst_iterations, most_points;
} stirring;

// Geoms of the world: the floor grows, walls move outwards.
static void widen_bin(limpet_builder *builder) {
  for (int g = 0; g < limpet_builder_count(builder, LIMPET_OBJECT_GEOM); ++g) {
    limpet_geom_description *geom = limpet_builder_geom(builder, g);
    if (geom->body != 0) continue;
    for (int i = 0; i < 2; ++i) {
      if (geom->position[i] != 0.0) geom->position[i] += copysign(widening, geom->position[i]);
      else geom->size[i] += widening;
    }
  }
}

static void add_paddle(limpet_builder *builder) {
  limpet_body_description body = limpet_body_description_default();
  body.name = "paddle", body.position[2] = paddle[2] + 0.01;
  limpet_joint_description joint = limpet_joint_description_default();
  joint.name = "paddle", joint.kind = LIMPET_JOINT_REVOLUTE;
  joint.axis[0] = joint.axis[1] = 0.0, joint.axis[2] = 1.0;
  joint.body = limpet_builder_add_body(builder, &body);
  limpet_geom_description geom = limpet_geom_description_default();
  geom.body = joint.body, geom.kind = LIMPET_SHAPE_BOX, geom.mass = paddle_mass;
  memcpy(geom.size, paddle, sizeof paddle);
  geom.position[0] = arm;
  geom.material.friction = 0.5;
  limpet_builder_add_geom(builder, &geom);
  limpet_actuator_description motor = limpet_actuator_description_default();
  motor.name = "motor", motor.transmission = LIMPET_TRANSMISSION_JOINT;
  motor.target = limpet_builder_add_joint(builder, &joint);
  motor.gain[0] = motor_gain, motor.bias[2] = -motor_gain;
  motor.force_limited = true;
  motor.force_range[0] = -motor_torque, motor.force_range[1] = motor_torque;
  limpet_builder_add_actuator(builder, &motor);
}

static limpet_model *stirred_model(const char *scene) {
  limpet_error error;
  limpet_model *model = NULL;
  limpet_builder *builder = limpet_builder_create();
  if (builder && limpet_mjcf_read(builder, scene, NULL, &error) == LIMPET_OK) {
    widen_bin(builder);
    add_paddle(builder);
    model = limpet_builder_compile(builder, &error);
  }
  limpet_builder_destroy(builder);
  if (!model) fprintf(stderr, "%s\n", error.message);
  return model;
}

static void lift_heap(const limpet_model *model, limpet_data *data) {
  limpet_data_reset(model, data);
  for (int j = 0; j < model->joint_count; ++j)
    if (model->joint_kind[j] == LIMPET_JOINT_FREE) data->q[model->joint_q[j] + 2] += lift;
}

static int bodies_outside(const limpet_model *model, const limpet_data *data) {
  int outside = 0;
  for (int j = 0; j < model->joint_count; ++j) {
    if (model->joint_kind[j] != LIMPET_JOINT_FREE) continue;
    const double *p = data->q + model->joint_q[j];
    outside += !(fabs(p[0]) < bin && fabs(p[1]) < bin && p[2] > 0.0 && p[2] < bin_height);
  }
  return outside;
}

static bool stir(const limpet_model *model, limpet_data *data, long steps, stirring *sum) {
  const limpet_step_settings settings = limpet_step_settings_default(model);
  for (long i = 0; i < steps; ++i) {
    data->control[0] = turn_speed * sin(2.0 * pi * data->time / turn_time);
    const limpet_outcome outcome = limpet_step(model, data, &settings);
    ++sum->steps, ++sum->outcome[outcome];
    sum->iterations += data->info.iterations;
    if (data->info.iterations > sum->worst_iterations)
      sum->worst_iterations = data->info.iterations;
    if (data->info.contact_count > sum->most_points) sum->most_points = data->info.contact_count;
    sum->deepest = fmax(sum->deepest, data->info.deepest_penetration);
    sum->moved += fabs(data->v[model->nv - 1]) * settings.time_step;
    if (limpet_outcome_failed(outcome)) return false;
  }
  return true;
}

// [KiB]  that the process holds; 0 where the system does not tell
static long resident_memory(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
  if (file) fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void print_line(const limpet_data *data, const stirring *sum, int outside, double seconds) {
  const long solved = sum->outcome[LIMPET_OUTCOME_SOLVED];
  printf("%9ld %9ld %7ld %6.2f %5d %9.3f %7d %9zu %9ld %5d %7d %8.1f %8.0f\n", sum->steps,
         sum->steps - solved, sum->outcome[LIMPET_OUTCOME_FRICTION_MISSED],
         sum->iterations / (double)sum->steps, sum->worst_iterations, 1e3 * sum->deepest,
         sum->most_points, data->info.arena_peak, resident_memory(), data->info.arena_growth,
         outside, sum->moved, seconds);
  fflush(stdout);
}

static int run(const limpet_model *model, limpet_data *data, long steps) {
  stirring sum = {0};
  int growth = 0, outside = 0;
  bool fine = true;
  const double start = now();
  printf("%9s %9s %7s %6s %5s %9s %7s %9s %9s %5s %7s %8s %8s\n", "steps", "unsolved", "missed",
         "mean", "most", "deep [mm]", "points", "arena [B]", "held[KiB]", "grown", "outside",
         "moved", "[s]");
  for (int part = 1; part <= PARTS && fine; ++part) {
    fine = stir(model, data, steps * part / PARTS - sum.steps, &sum);
    outside = bodies_outside(model, data);
    print_line(data, &sum, outside, now() - start);
    if (part == FIRST_TENTH) growth = data->info.arena_growth;
  }
  const bool flat = data->info.arena_growth == growth;
  printf("%s; %d bodies outside; memory %s after the first tenth\n",
         fine ? "no step failed" : "A STEP FAILED", outside, flat ? "did not grow" : "GREW");
  return !(fine && flat && !outside);
}

int main(int argc, char **argv) {
  char path[4096];
  const char *shared = getenv("LIMPET_SHARED");
  const long steps = argc > 1 ? strtol(argv[1], NULL, 10) : SHORT_RUN;
  snprintf(path, sizeof path, "%s/scenes-peers/clutter40.xml", shared ? shared : "../shared");
  const char *scene = argc > 2 ? argv[2] : path;
  if (access(scene, R_OK) != 0) return printf("skipped: there is no file %s\n", scene), 0;
  limpet_model *model = stirred_model(scene);
  limpet_data *data = model ? limpet_data_create(model) : NULL;
  if (data) lift_heap(model, data);
  const int code = data ? run(model, data, steps) : 1;
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return code;
}
