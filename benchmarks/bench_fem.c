/* benchmarks/bench_fem.c: time of the free motion of deformable bodies, of contact condensed onto
 * their nodes, and how it grows with the number of tetrahedra.
 *
 * usage: bench_fem [MESH ...]     tetrahedral meshes (VTK, Gmsh) before the bars
 *        bench_fem --most N       bars of up to N tetrahedra (default 100000)
 *        bench_fem --locking      deflection of a cantilever over that of a Timoshenko beam, and
 *                                 time of a step, by nodes
 *
 * Bars are 4 n x n x n cubes of six tetrahedra each, clamped at one end, E 2.5e6 Pa,
 * nu 0.49, stiffness damping 0.01 s, steps of 10 ms. Times are processor times of one
 * thread, the least of several steps. The exponent is that of the time between neighbouring lines.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fem/step.h"
#include "limpet/format.h"

// [s]  processor time of this thread: other programs do not count
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct mesh {
  int vertex_count, tetrahedron_count, *tetrahedra;
  double *vertices;
} mesh;

static mesh bar_make(int length, int n) {
  static const int kuhn[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7},
                                 {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};
  const int nx = length * n, cells = nx * n * n, stride = n + 1;
  mesh m = {.vertex_count = (nx + 1) * stride * stride, .tetrahedron_count = 6 * cells};
  m.vertices = malloc((size_t)m.vertex_count * 3 * sizeof *m.vertices);
  m.tetrahedra = malloc((size_t)m.tetrahedron_count * 4 * sizeof *m.tetrahedra);
  for (int v = 0; v < m.vertex_count; ++v) {
    const double h = 0.05 / n;  // [m]
    m.vertices[3 * v] = h * (v / stride / stride);
    m.vertices[3 * v + 1] = h * (v / stride % stride);
    m.vertices[3 * v + 2] = h * (v % stride);
  }
  for (int c = 0, t = 0; c < cells; ++c)
    for (int k = 0; k < 6; ++k, ++t)
      for (int i = 0; i < 4; ++i) {
        const int at = kuhn[k][i], x = c / n / n + (at & 1), y = c / n % n + (at >> 1 & 1),
                  z = c % n + (at >> 2 & 1);
        m.tetrahedra[4 * t + i] = (x * stride + y) * stride + z;
      }
  return m;
}

// One body with its step, clamped at its low end in x.
typedef struct bench {
  limpet_fem_body *body;
  limpet_fem_step *step;
  limpet_fem_input input;
  int *fixed;
  double *q, *v;
} bench;

static bench bench_make(const mesh *m, const char *law, limpet_fem_element element) {
  limpet_error error;
  bench b = {0};
  limpet_fem_description d = limpet_fem_description_default();
  d.vertex_count = m->vertex_count, d.vertices = m->vertices;
  d.tetrahedron_count = m->tetrahedron_count, d.tetrahedra = m->tetrahedra;
  d.law = limpet_elastic_law_find(law);
  d.element = element;
  d.youngs_modulus = 2.5e6, d.poissons_ratio = 0.49, d.stiffness_damping = 0.01;
  b.body = limpet_fem_body_create(&d, &error);
  if (!b.body) fprintf(stderr, "%s\n", error.message), exit(1);
  b.step = limpet_fem_step_create(b.body, &error);
  if (!b.step) fprintf(stderr, "%s\n", error.message), exit(1);
  const int n = b.body->info.node_count;
  b.q = malloc((size_t)n * 3 * sizeof *b.q);
  b.v = calloc((size_t)n * 3, sizeof *b.v);
  b.fixed = malloc((size_t)n * sizeof *b.fixed);
  memcpy(b.q, b.body->rest, (size_t)n * 3 * sizeof *b.q);
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < n; ++i) low = fmin(low, b.q[3 * i]), high = fmax(high, b.q[3 * i]);
  b.input = (limpet_fem_input){
      .position = b.q, .velocity = b.v, .dt = 0.01, .gravity = {0.0, 0.0, -9.81}, .fixed = b.fixed};
  for (int i = 0; i < n; ++i)
    if (b.q[3 * i] <= low + 1e-6 * (high - low)) b.fixed[b.input.fixed_count++] = i;
  return b;
}

static void bench_free(bench *b) {
  limpet_fem_step_destroy(b->step);
  limpet_fem_body_destroy(b->body);
  free(b->q), free(b->v), free(b->fixed);
}

// [s]  least time of a step over `steps`
static double step_time(bench *b, int steps) {
  double best = INFINITY;
  double *next = malloc((size_t)b->body->info.node_count * 3 * sizeof *next);
  const size_t bytes = (size_t)b->body->info.node_count * 3 * sizeof *next;
  for (int k = 0; k < steps; ++k) {
    const double start = now();
    const limpet_fem_outcome outcome = limpet_fem_step_begin(b->step, &b->input);
    best = fmin(best, now() - start);
    if (outcome) printf("  not solved: %s\n", limpet_fem_outcome_name(outcome));
    const double *v = limpet_fem_step_free_velocity(b->step);
    limpet_fem_step_positions(b->step, v, next);
    memcpy(b->v, v, bytes), memcpy(b->q, next, bytes);
  }
  free(next);
  return best;
}

// [s]  the factorisation alone
static double factor_time(bench *b, int repeats) {
  double best = INFINITY;
  for (int k = 0; k < repeats; ++k) {
    const double start = now();
    if (!limpet_fem_factor(b->step)) abort();
    best = fmin(best, now() - start);
  }
  return best;
}

// [s]  contact on `count` neighbouring surface nodes, away from the clamp
static double condense_time(bench *b, int count, int repeats) {
  const int *faces = limpet_fem_body_faces(b->body), n = b->body->info.node_count;
  bool *taken = calloc((size_t)n, sizeof *taken);
  int *nodes = malloc((size_t)count * sizeof *nodes), found = 0;
  for (int f = b->body->info.face_count - 1; f >= 0 && found < count; --f)
    for (int i = 0; i < 3 && found < count; ++i) {
      const int node = faces[3 * f + i];
      if (!taken[node] && !b->step->fixed[node]) nodes[found++] = node, taken[node] = true;
    }
  double *A = malloc((size_t)(9 * count * count) * sizeof *A), best = INFINITY;
  for (int k = 0; k < repeats; ++k) {
    const double start = now();
    if (limpet_fem_step_condense(b->step, found, nodes, A, 3 * count, NULL)) abort();
    best = fmin(best, now() - start);
  }
  free(taken), free(nodes), free(A);
  return best;
}

static void report(const char *name, const mesh *m, bool nonlinear, bool quadratic) {
  static double last_time, last_count;
  bench b = bench_make(m, "linear-corotated", quadratic ? LIMPET_FEM_QUADRATIC : LIMPET_FEM_LINEAR);
  const int steps = m->tetrahedron_count > 20000 ? 2 : 20;
  const double t = step_time(&b, steps), factor = factor_time(&b, steps);
  printf("%-22s %7d %7d %9.3f %9.3f %7.1f %9.3f %9.3f", name, m->tetrahedron_count,
         b.body->info.node_count, 1e3 * t, 1e3 * factor,
         1e-6 * limpet_block_cholesky_flops(b.step->factor), 1e3 * condense_time(&b, 20, steps),
         1e3 * condense_time(&b, 60, steps));
  if (last_count > 0.0 && m->tetrahedron_count > last_count)
    printf("  %5.2f", log(t / last_time) / log(m->tetrahedron_count / last_count));
  last_time = t, last_count = m->tetrahedron_count;
  bench_free(&b);
  if (nonlinear) {
    b = bench_make(m, "neo-hookean", LIMPET_FEM_LINEAR);
    printf("  neo-hookean %.3f", 1e3 * step_time(&b, 5));
    printf(" (%d iterations)", limpet_fem_step_info(b.step).iterations);
    bench_free(&b);
  }
  printf("\n");
}

/* Tip deflection under its own weight of a bar 10 times as long as high (0.05 m, E 1e7 Pa), over
 * w L^4/(8 E I) + w L^2/(2 G A 5/6). */
static double deflection(int across, limpet_fem_element element, double nu, int *nodes) {
  const double h = 0.05, L = 0.5, E = 1e7, weight = 1000.0 * 9.81 * h * h;
  mesh m = bar_make(10, across);
  limpet_fem_description d = limpet_fem_description_default();
  d.vertex_count = m.vertex_count, d.vertices = m.vertices;
  d.tetrahedron_count = m.tetrahedron_count, d.tetrahedra = m.tetrahedra;
  d.law = limpet_elastic_law_find("linear");
  d.element = element, d.youngs_modulus = E, d.poissons_ratio = nu;
  limpet_fem_body *body = limpet_fem_body_create(&d, NULL);
  limpet_fem_step *step = body ? limpet_fem_step_create(body, NULL) : NULL;
  if (!step) abort();
  const double *rest = limpet_fem_body_rest(body);
  const int n = *nodes = body->info.node_count;
  double *q = malloc((size_t)n * 3 * sizeof *q), sum = 0.0;
  int *fixed = malloc((size_t)n * sizeof *fixed), count = 0;
  memcpy(q, rest, (size_t)n * 3 * sizeof *q);
  limpet_fem_input input = {.dt = 1.0, .gravity = {0.0, 0.0, -9.81}, .fixed = fixed};
  for (int i = 0; i < n; ++i)
    if (rest[3 * i] < 1e-9) fixed[input.fixed_count++] = i;
  if (limpet_fem_step_equilibrium(step, &input, q)) abort();
  for (int i = 0; i < n; ++i)
    if (rest[3 * i] > L - 1e-9) sum += rest[3 * i + 2] - q[3 * i + 2], ++count;
  limpet_fem_step_destroy(step), limpet_fem_body_destroy(body);
  free(q), free(fixed), free(m.vertices), free(m.tetrahedra);
  return sum / count /
         (weight * L * L * L * L / (8.0 * E * h * h * h * h / 12.0) +
          weight * L * L * (1.0 + nu) / (E * h * h * 5.0 / 6.0));
}

// [s]  a step of that cantilever, swinging
static double cantilever_time(int across, limpet_fem_element element) {
  mesh m = bar_make(10, across);
  bench b = bench_make(&m, "linear-corotated", element);
  const double t = step_time(&b, 20);
  bench_free(&b);
  free(m.vertices), free(m.tetrahedra);
  return t;
}

static void locking(void) {
  printf("%-10s %6s %7s %10s %10s %9s\n", "element", "across", "nodes", "nu 0.3", "nu 0.49",
         "step ms");
  for (int element = 0; element < 2; ++element)
    for (int across = 1; across <= (element ? 3 : 8); across += element || across < 4 ? 1 : 2) {
      int nodes;
      const double soft = deflection(across, (limpet_fem_element)element, 0.3, &nodes),
                   rubber = deflection(across, (limpet_fem_element)element, 0.49, &nodes);
      printf("%-10s %6d %7d %10.3f %10.3f %9.3f\n", element ? "quadratic" : "linear", across, nodes,
             soft, rubber, 1e3 * cantilever_time(across, (limpet_fem_element)element));
    }
}

int main(int argc, char **argv) {
  int most = 100000;
  if (argc == 2 && strcmp(argv[1], "--locking") == 0) {
    locking();
    return 0;
  }
  printf("kernels: %s\n%-22s %7s %7s %9s %9s %7s %9s %9s  %s\n", limpet_fem()->name, "body",
         "tetra.", "nodes", "step ms", "factor ms", "10^6 ma", "20 nodes", "60 nodes", "exponent");
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--most") == 0 && i + 1 < argc) {
      most = atoi(argv[++i]);
      continue;
    }
    limpet_error error;
    limpet_mesh_file file;
    if (limpet_mesh_file_read(&file, argv[i], &error)) {
      fprintf(stderr, "%s\n", error.message);
      return 1;
    }
    const char *slash = strrchr(argv[i], '/');
    const mesh m = {file.vertex_count, file.tetrahedron_count, file.tetrahedra, file.vertices};
    report(slash ? slash + 1 : argv[i], &m, true, false);
    limpet_mesh_file_free(&file);
  }
  static const int cells[] = {2, 3, 4, 5, 6, 8, 10, 12, 14, 16};
  for (size_t k = 0; k < sizeof cells / sizeof *cells; ++k) {
    if (24 * cells[k] * cells[k] * cells[k] > most) break;
    mesh m = bar_make(4, cells[k]);
    report("bar", &m, cells[k] <= 6, false);
    free(m.vertices), free(m.tetrahedra);
  }
  return 0;
}
