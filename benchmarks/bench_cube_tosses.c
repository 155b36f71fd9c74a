/* benchmarks/bench_cube_tosses.c: the recorded cube tosses of the shared data simulated with one
 * set of contact parameters. `cube_tosses.py` fits parameters with it and prints the scores.
 *
 * Reads initial.csv and tosses.csv of the data folder; starts each toss with its row of the first,
 * steps to the times of the second, and prints the mean over the chosen tosses of
 *   combined = mean over frames of |x - x_recorded|/half side + angle between orientations  [-]
 * The cube: half side 52.4 mm, 0.37 kg, 0.00081 kg m^2; a box, or with --rounding r eight spheres
 * of radius r at the corners of a smaller cube, which on a plane is a rounded cube exactly.
 * With --start-seed N the starts are off by the tracking error: what a start that is known no
 * better makes of the same model. `make bench` runs it without arguments on default parameters. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limpet/limpet.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "measure.h"

enum { FRAME_RATE = 148, TRAIN_MODULUS = 6, LINE = 1024, POSE = 7, STATE = 13 };

static const double half_side = 0.0524;  // [m]
// of the recorded starts, standard deviation of each axis (README of the data)
static const double place_error = 3e-4, turn_error = 7e-3;  // [m], [rad]
static const double speed_error = 6e-3, spin_error = 0.06;  // [m/s], [rad/s]
static const char *const shared_folder = "data/cube-tosses";

typedef struct toss {
  int id, frames;
  double start[STATE];  // position, quaternion w x y z, v and w in the world
  double *pose;         // (frames x 7)
} toss;

typedef struct options {
  const char *model, *subset, *out;
  char folder[LINE];
  double friction, stiffness, dissipation, rounding, restitution, inertia;  // SI
  int substeps;                                                             // of a frame
  unsigned long long start_seed;                                            // 0: as recorded
} options;

static FILE *open_table(const char *folder, const char *name, const char *mode) {
  char path[2 * LINE];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return fopen(path, mode);
}

// Numbers of a line, separated by commas; how many there are.
static int numbers(const char *line, double *to, int room) {
  int count = 0;
  for (char *end; count < room; line = end + (*end == ',')) {
    to[count] = strtod(line, &end);
    if (end == line) break;
    ++count;
  }
  return count;
}

static bool wanted(int id, const char *subset) {
  return strcmp(subset, "all") == 0 || (id % TRAIN_MODULUS == 0) == (strcmp(subset, "train") == 0);
}

// Tosses of the subset, ended by one without frames; NULL: no data.
static toss *read_tosses(const options *o, int *count) {
  FILE *initial = open_table(o->folder, "initial.csv", "r"),
       *frames = open_table(o->folder, "tosses.csv", "r");
  if (!initial || !frames) {
    if (initial) fclose(initial);
    if (frames) fclose(frames);
    return NULL;
  }
  toss *all = NULL;
  char line[LINE];
  double row[3 + STATE];
  *count = 0;
  while (fgets(line, sizeof line, initial)) {
    if (numbers(line, row, 3 + STATE) < 3 + STATE || !wanted((int)row[0], o->subset)) continue;
    all = realloc(all, (size_t)(*count + 1) * sizeof *all);
    toss *t = &all[(*count)++];
    *t = (toss){.id = (int)row[0], .frames = (int)row[1]};
    memcpy(t->start, row + 3, sizeof t->start);
    t->pose = calloc((size_t)t->frames * POSE, sizeof *t->pose);
  }
  int at = 0;
  while (fgets(line, sizeof line, frames)) {
    if (numbers(line, row, 2 + POSE) < 2 + POSE) continue;
    while (at < *count && all[at].id < (int)row[0]) ++at;
    const int frame = (int)lround(row[1] * FRAME_RATE);
    if (at == *count || all[at].id != (int)row[0] || frame >= all[at].frames) continue;
    memcpy(all[at].pose + POSE * frame, row + 2, POSE * sizeof *row);
  }
  fclose(initial);
  fclose(frames);
  return all;
}

// The geoms of the cube as MJCF.
static void cube_geoms(const options *o, char *text, size_t size) {
  if (!(o->rounding > 0.0)) {
    snprintf(text, size, "<geom type='box' size='%.17g %.17g %.17g'/>", half_side, half_side,
             half_side);
    return;
  }
  const double c = half_side - o->rounding;
  size_t used = 0;
  for (int k = 0; k < 8; ++k)
    used +=
        (size_t)snprintf(text + used, size - used, "<geom size='%.17g' pos='%.17g %.17g %.17g'/>",
                         o->rounding, k & 1 ? c : -c, k & 2 ? c : -c, k & 4 ? c : -c);
}

static limpet_model *make_model(const options *o) {
  char geoms[2048], text[4096], stiffness[128] = "";
  cube_geoms(o, geoms, sizeof geoms);
  if (isfinite(o->stiffness))
    snprintf(stiffness, sizeof stiffness, "limpet:stiffness='%.17g' limpet:dissipation='%.17g'",
             o->stiffness, o->dissipation);
  snprintf(text, sizeof text,
           "<mujoco><option timestep='%.17g'/><default><geom friction='%.17g' "
           "limpet:restitution='%.17g' %s/></default><worldbody>"
           "<geom type='plane' size='5 5 .1'/><body><freejoint/>"
           "<inertial pos='0 0 0' mass='0.37' diaginertia='%.17g %.17g %.17g'/>%s</body>"
           "</worldbody></mujoco>",
           1.0 / (FRAME_RATE * o->substeps), o->friction, o->restitution, stiffness, o->inertia,
           o->inertia, o->inertia, geoms);
  limpet_error error;
  limpet_builder *builder = limpet_builder_create();
  limpet_model *model = NULL;
  if (limpet_mjcf_read_text(builder, text, strlen(text), "cube.xml", NULL, &error) == LIMPET_OK)
    model = limpet_builder_compile(builder, &error);
  limpet_builder_destroy(builder);
  if (!model) fprintf(stderr, "bench_cube_tosses: %s\n", error.message);
  return model;
}

// What the steps of all tosses did.
typedef struct counts {
  long steps, unsolved, iterations;
} counts;

// |x - x_recorded|/half side + angle between the orientations [-].
static double distance_of(const double *q, const double *pose) {
  double inverse[4], relative[4], turn[3];
  limpet_quaternion_conjugate(inverse, pose + 3);
  limpet_quaternion_mul(relative, q + 3, inverse);
  limpet_quaternion_log(turn, relative);
  return limpet_vec3_distance(q, pose) / half_side + limpet_vec3_norm(turn);
}

// Of mean 0 and variance 1: Box and Muller's method.
static double normal(unsigned long long *seed) {
  const double radius = sqrt(-2.0 * log(uniform(seed, 1e-12, 1.0)));
  return radius * cos(uniform(seed, 0.0, 2.0 * LIMPET_PI));
}

// Moves the start by what the tracking may be off; the same for a seed and a toss.
static void disturb(limpet_data *data, unsigned long long seed, int id) {
  unsigned long long random = seed * 1000003u + (unsigned long long)id;
  double turn[3], change[4], before[4];
  for (int i = 0; i < 3; ++i) {
    data->q[i] += place_error * normal(&random);
    turn[i] = turn_error * normal(&random);
    data->v[i] += speed_error * normal(&random);
    data->v[3 + i] += spin_error * normal(&random);
  }
  limpet_quaternion_exp(change, turn);
  limpet_quaternion_copy(before, data->q + 3);
  limpet_quaternion_mul(data->q + 3, before, change);
}

static void start_toss(limpet_model *model, limpet_data *data, const toss *t,
                       unsigned long long seed) {
  limpet_data_reset(model, data);
  memcpy(data->q, t->start, POSE * sizeof *data->q);
  limpet_quaternion_normalize(data->q + 3);
  limpet_vec3_copy(data->v, t->start + POSE);
  double inverse[4];
  limpet_quaternion_conjugate(inverse, data->q + 3);
  limpet_quaternion_rotate(data->v + 3, inverse, t->start + POSE + 3);
  if (seed) disturb(data, seed, t->id);
}

// Simulates a toss; returns its combined error and writes its frames.
static double run_toss(limpet_model *model, limpet_data *data, const limpet_step_settings *settings,
                       const options *o, const toss *t, FILE *out, counts *all) {
  double sum = 0.0;
  start_toss(model, data, t, o->start_seed);
  for (int frame = 0; frame < t->frames; ++frame) {
    for (int k = 0; frame > 0 && k < o->substeps; ++k, ++all->steps) {
      if (limpet_step(model, data, settings) != LIMPET_OUTCOME_SOLVED) ++all->unsolved;
      all->iterations += data->info.iterations;
    }
    sum += distance_of(data->q, t->pose + POSE * frame);
    if (!out) continue;
    fprintf(out, "%d,%.9f", t->id, frame / (double)FRAME_RATE);
    for (int i = 0; i < POSE; ++i) fprintf(out, ",%.9g", data->q[i]);
    fputc('\n', out);
  }
  return sum / t->frames;
}

static int run(const options *o) {
  int count;
  toss *all = read_tosses(o, &count);
  if (!all) {
    printf("skipped: no cube tosses in %s\n", o->folder);
    return 77;
  }
  limpet_model *model = make_model(o);
  if (!model) return 1;
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  const limpet_contact_model *contact =
      o->model ? limpet_contact_model_find(o->model) : settings.contact_model;
  if (!contact) {
    fprintf(stderr, "bench_cube_tosses: there is no contact model '%s'\n", o->model);
    return 2;
  }
  limpet_step_settings_contact_model(&settings, contact);
  if (!limpet_scheme_takes(settings.scheme, contact))
    settings.scheme = limpet_scheme_find("impulse");
  FILE *out = o->out ? fopen(o->out, "w") : NULL;
  if (out) fputs("toss,t,x,y,z,qw,qx,qy,qz\n", out);
  counts done = {0};
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    sum += run_toss(model, data, &settings, o, &all[i], out, &done);
    free(all[i].pose);
  }
  free(all);
  printf("combined %.6f tosses %d steps %ld unsolved %ld iterations %.3f\n", sum / count, count,
         done.steps, done.unsolved, (double)done.iterations / (double)done.steps);
  if (out) fclose(out);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return 0;
}

static int usage(void) {
  fputs(
      "usage: bench_cube_tosses [--model NAME] [--friction N] [--stiffness N/m] [--dissipation "
      "s/m]\n  [--rounding M] [--restitution N] [--inertia KG_M2] [--substeps N] [--subset "
      "all|train|test]\n  [--start-seed N] [--data FOLDER] [--out FILE.csv]\n",
      stderr);
  return 2;
}

int main(int count, char **words) {
  options o = {.subset = "test",
               .friction = 0.18,
               .stiffness = INFINITY,
               .dissipation = 50.0,
               .inertia = 0.00081,
               .substeps = 5};
  const char *shared = getenv("LIMPET_SHARED");
  snprintf(o.folder, sizeof o.folder, "%s/%s", shared ? shared : "../shared", shared_folder);
  const struct {
    const char *name;
    double *number;
    const char **text;
  } table[] = {{"--model", NULL, &o.model},
               {"--subset", NULL, &o.subset},
               {"--out", NULL, &o.out},
               {"--friction", &o.friction, NULL},
               {"--stiffness", &o.stiffness, NULL},
               {"--dissipation", &o.dissipation, NULL},
               {"--rounding", &o.rounding, NULL},
               {"--restitution", &o.restitution, NULL},
               {"--inertia", &o.inertia, NULL}};
  for (int i = 1; i < count; i += 2) {
    if (i + 1 == count) return usage();
    bool known = true;
    if (strcmp(words[i], "--substeps") == 0) o.substeps = atoi(words[i + 1]);
    else if (strcmp(words[i], "--start-seed") == 0) o.start_seed = strtoull(words[i + 1], NULL, 10);
    else if (strcmp(words[i], "--data") == 0)
      snprintf(o.folder, sizeof o.folder, "%s", words[i + 1]);
    else known = false;
    for (size_t k = 0; k < sizeof table / sizeof *table && !known; ++k) {
      if (strcmp(words[i], table[k].name) != 0) continue;
      known = true;
      if (table[k].number) *table[k].number = strtod(words[i + 1], NULL);
      else *table[k].text = words[i + 1];
    }
    if (!known || o.substeps < 1) return usage();
  }
  return run(&o);
}
