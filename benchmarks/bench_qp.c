/* benchmarks/bench_qp.c: time and residuals of the quadratic programmes of a quasi-dynamic scheme,
 * one after the other, cold and warm.
 *
 *   bench_qp [--rounds N] [--peer LIBRARY] [--lines] FILE...   (default: those in
 *                                                              $LIMPET_SHARED/golden/qp)
 *
 * Each round goes through the problems of a file; for each problem our methods and, with --peer,
 * the function peer_solve of a shared library (daqp_shim.c, built by bench_qp_peers.py) are timed
 * in turn, so that all feel the same disturbances. A problem's time is the median over the rounds;
 * a line gives the mean over the problems, and the largest residuals over the problems, computed
 * here in long double, the same way for all: max |Qx + c - G'lambda|, the greatest violation of a
 * row, and s'lambda. Warm: the multipliers of the problem before. --lines prints JSON lines instead
 * of a table. */
#include <dlfcn.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "optim/qp.h"

enum { MOST_PROBLEMS = 64, MOST_ROUNDS = 1000, MOST_METHODS = 8 };

typedef int peer_function(int n, int m, double *Q, double *c, double *G, double *h, int warm,
                          double *x, double *lambda);

typedef struct sequence {
  int count;
  limpet_qp_problem problem[MOST_PROBLEMS];
} sequence;

typedef struct method {
  const char *name;
  limpet_qp_method ours;
  bool warm;
  peer_function *peer;
  double time[MOST_PROBLEMS][MOST_ROUNDS];  // [s]
  double stationarity, violation, complementarity;
  double changes, iterations;
  int unsolved;
} method;

static double *numbers(const json_t *value, int *rows) {
  *rows = (int)json_array_size(value);
  const json_t *first = json_array_get(value, 0);
  const int columns = json_is_array(first) ? (int)json_array_size(first) : 1;
  double *a = calloc((size_t)(*rows * columns + 1), sizeof *a);
  for (int i = 0; i < *rows; ++i) {
    const json_t *row = json_array_get(value, (size_t)i);
    for (int j = 0; j < columns; ++j)
      a[i * columns + j] =
          json_number_value(json_is_array(row) ? json_array_get(row, (size_t)j) : row);
  }
  return a;
}

// Rows (normal, tangents, torsion) of each cone one after the other; h has the distance in the
// first.
static void cones_read(limpet_qp_problem *p, const json_t *item) {
  static const char *const row[] = {"normal", "tangent1", "tangent2", "torsion"};
  const json_t *cones = json_object_get(item, "cones");
  const int d = (int)json_integer_value(json_object_get(item, "dimension"));
  p->cone_count = (int)json_array_size(cones);
  int *dimension = calloc((size_t)p->cone_count, sizeof *dimension);
  double *G = calloc((size_t)(p->cone_count * d * p->n), sizeof *G),
         *h = calloc((size_t)(p->cone_count * d), sizeof *h);
  for (int k = 0; k < p->cone_count; ++k) {
    const json_t *cone = json_array_get(cones, (size_t)k);
    dimension[k] = d;
    h[k * d] = json_number_value(json_object_get(cone, "phi"));
    for (int l = 0; l < d; ++l)
      for (int j = 0; j < p->n; ++j)
        G[(k * d + l) * p->n + j] =
            json_number_value(json_array_get(json_object_get(cone, row[l]), (size_t)j));
  }
  p->cone_dimension = dimension, p->G = G, p->h = h;
}

static int sequence_read(sequence *s, const char *path) {
  json_t *root = json_load_file(path, 0, NULL);
  if (!root) return 1;
  s->count = 0;
  for (size_t i = 0; i < json_array_size(root) && s->count < MOST_PROBLEMS; ++i) {
    const json_t *item = json_array_get(root, i);
    if (json_is_true(json_object_get(item, "infeasible"))) continue;
    limpet_qp_problem *p = &s->problem[s->count++];
    *p = (limpet_qp_problem){0};
    p->Q = numbers(json_object_get(item, "Q"), &p->n);
    p->c = numbers(json_object_get(item, "c"), &p->n);
    if (json_object_get(item, "cones")) {
      cones_read(p, item);
      continue;
    }
    p->h = numbers(json_object_get(item, "h"), &p->row_count);
    p->G = numbers(json_object_get(item, "G"), &p->row_count);
  }
  json_decref(root);
  return 0;
}

static void sequence_free(sequence *s) {
  for (int i = 0; i < s->count; ++i)
    free((void *)s->problem[i].Q), free((void *)s->problem[i].c), free((void *)s->problem[i].G),
        free((void *)s->problem[i].h), free((void *)s->problem[i].cone_dimension);
}

static void residuals(const limpet_qp_problem *p, const double *x, const double *lambda,
                      method *into) {
  long double force[256] = {0}, s[256], gap = 0.0L;
  for (int i = 0; i < limpet_qp_row_total(p); ++i) {
    s[i] = p->h[i];
    for (int j = 0; j < p->n; ++j) {
      s[i] += (long double)p->G[i * p->n + j] * x[j];
      force[j] += (long double)p->G[i * p->n + j] * lambda[i];
    }
    gap += s[i] * lambda[i];
    if (i < p->row_count) into->violation = fmax(into->violation, (double)-s[i]);
  }
  for (int k = 0, i = p->row_count; k < p->cone_count; i += p->cone_dimension[k], ++k) {
    long double square = 0.0L;
    for (int l = 1; l < p->cone_dimension[k]; ++l) square += s[i + l] * s[i + l];
    into->violation = fmax(into->violation, (double)(sqrtl(square) - s[i]));
  }
  for (int i = 0; i < p->n; ++i) {
    long double r = p->c[i] - force[i];
    for (int j = 0; j < p->n; ++j) r += (long double)p->Q[i * p->n + j] * x[j];
    into->stationarity = fmax(into->stationarity, fabs((double)r));
  }
  into->complementarity = fmax(into->complementarity, fabs((double)gap));
}

static void run_once(method *m, const limpet_qp_problem *p, limpet_qp_workspace *workspace,
                     limpet_qp_solution *solution, int index, int round) {
  limpet_qp_settings settings = limpet_qp_settings_default();
  settings.method = m->ours;
  settings.warm_start = m->warm;
  limpet_qp_info info = {.outcome = LIMPET_QP_SOLVED};
  const double start = now();
  if (m->peer)
    m->unsolved += m->peer(p->n, p->row_count, (double *)p->Q, (double *)p->c, (double *)p->G,
                           (double *)p->h, m->warm, solution->x, solution->multipliers) != 1;
  else info = limpet_qp_solve(p, &settings, workspace, solution);
  m->time[index][round] = now() - start;
  m->unsolved += info.outcome != LIMPET_QP_SOLVED;
  if (round > 0) return;
  residuals(p, solution->x, solution->multipliers, m);
  m->changes += info.changes, m->iterations += info.iterations;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void report(method *m, int problems, int rounds, const char *file, bool lines) {
  double median = 0.0, least = 0.0;
  for (int i = 0; i < problems; ++i) {
    qsort(m->time[i], (size_t)rounds, sizeof(double), compare);
    median += m->time[i][rounds / 2] / problems, least += m->time[i][0] / problems;
  }
  if (lines)
    printf(
        "{\"file\": \"%s\", \"method\": \"%s\", \"warm\": %s, \"median\": %.4g, \"least\": %.4g, "
        "\"stationarity\": %.3g, "
        "\"violation\": %.3g, \"complementarity\": %.3g, \"unsolved\": %d}\n",
        file, m->name, m->warm ? "true" : "false", median, least, m->stationarity, m->violation,
        m->complementarity, m->unsolved);
  else
    printf(
        "  %-22s %-4s  median %7.2f us, least %7.2f us; residuals %.1e, %.1e, %.1e; %5.1f changes, "
        "%5.1f iterations%s\n",
        m->name, m->warm ? "warm" : "cold", 1e6 * median, 1e6 * least, m->stationarity,
        m->violation, m->complementarity, m->changes / problems, m->iterations / problems,
        m->unsolved ? "; NOT ALL SOLVED" : "");
}

static int bench_file(const char *path, int rounds, peer_function *peer, bool lines,
                      limpet_qp_workspace *workspace) {
  static sequence s;
  if (sequence_read(&s, path)) {
    printf("skipped: cannot read %s\n", path);
    return 1;
  }
  static method methods[MOST_METHODS];
  const method all[] = {{.name = "limpet", .ours = LIMPET_QP_METHOD_AUTOMATIC},
                        {.name = "limpet", .ours = LIMPET_QP_METHOD_AUTOMATIC, .warm = true},
                        {.name = "limpet interior point", .ours = LIMPET_QP_METHOD_INTERIOR_POINT},
                        {.name = "daqp", .peer = peer},
                        {.name = "daqp", .peer = peer, .warm = true}};
  // the golden cones are no sequence, and nothing for the peer
  const int count = s.problem[0].cone_count > 0 ? 1 : peer ? 5 : 3;
  static double memory[MOST_METHODS][3][256];
  for (int k = 0; k < count; ++k) methods[k] = all[k];
  for (int round = 0; round < rounds; ++round) {
    memset(memory, 0, sizeof memory);
    for (int i = 0; i < s.count; ++i)
      for (int k = 0; k < count; ++k) {
        limpet_qp_solution solution = {memory[k][0], memory[k][1], memory[k][2]};
        run_once(&methods[k], &s.problem[i], workspace, &solution, i, round);
      }
  }
  const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  if (!lines) printf("%s: %d problems, %d rounds\n", name, s.count, rounds);
  for (int k = 0; k < count; ++k) report(&methods[k], s.count, rounds, name, lines);
  sequence_free(&s);
  return 0;
}

static peer_function *peer_load(const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  void *symbol = handle ? dlsym(handle, "peer_solve") : NULL;
  if (!symbol) fprintf(stderr, "bench_qp: %s: no peer_solve: %s\n", library, dlerror());
  peer_function *function = NULL;
  memcpy(&function, &symbol, sizeof function);
  return function;
}

int main(int argc, char **argv) {
  int rounds = 101, files = 0, failed = 0;
  bool lines = false;
  peer_function *peer = NULL;
  const limpet_qp_size size = {.n = 64, .row_count = 256, .cone_row_count = 256, .cone_count = 64};
  limpet_qp_workspace workspace;
  void *memory = aligned_alloc(64, limpet_qp_workspace_size(size));
  limpet_qp_workspace_init(&workspace, size, memory);
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--rounds") && i + 1 < argc) rounds = atoi(argv[++i]);
    else if (!strcmp(argv[i], "--peer") && i + 1 < argc) peer = peer_load(argv[++i]);
    else if (!strcmp(argv[i], "--lines")) lines = true;
    else
      failed |= bench_file(argv[i],
                           rounds < 1             ? 1
                           : rounds > MOST_ROUNDS ? MOST_ROUNDS
                                                  : rounds,
                           peer, lines, &workspace),
          ++files;
  }
  static const char *const usual[] = {"sequence_13x80.json", "sequence_13x120_torsion.json",
                                      "random.json", "round_cone.json"};
  for (size_t i = 0; files == 0 && i < sizeof usual / sizeof *usual; ++i) {
    char path[4096];
    const char *shared = getenv("LIMPET_SHARED");
    snprintf(path, sizeof path, "%s/golden/qp/%s", shared ? shared : "../shared", usual[i]);
    bench_file(path, rounds, peer, lines, &workspace);
  }
  free(memory);
  return failed;
}
