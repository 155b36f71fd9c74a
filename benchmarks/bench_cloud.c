/* benchmarks/bench_cloud.c: nearest points of a cloud to objects: how long, and how far from what
 * memory allows.
 *
 * A cloud on a bumpy ball of 0.1 m stands on a floor between two boxes, as in a grasp: 3 objects, k
 * = 5 nearest points each. Floor: reading x, y and z of all points once for each object (24 bytes a
 * point), measured as the sum of an array of that size that is read as often; what a pass over all
 * points cannot beat. The tree reads less. Then signed distances alone, a point, for every kind of
 * shape; and contact of the cloud with the floor, as a step asks for it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "geometry/distance_table.h"
#include "geometry/mesh_geometry.h"
#include "geometry/pair.h"
#include "math/vec3.h"
#include "measure.h"

enum { OBJECTS = 3, NEAREST = 5, ROUNDS = 9 };

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static void points_make(double *points, int count) {
  for (int i = 0; i < count; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / count, turn = 2.399963229728653 * i,
                 s = sqrt(1.0 - z * z);
    const double r = 0.1 * (1.0 + 0.1 * sin(3.0 * turn) * s + 0.05 * cos(7.0 * z));
    limpet_vec3_set(points + 3 * i, r * s * cos(turn), r * s * sin(turn), r * z);
  }
}

typedef struct scene {
  limpet_cloud *cloud;
  limpet_shape object[OBJECTS];
  double position[3], checksum;
  limpet_cloud_request request;
} scene;

// Asks for all objects `repeat` times; the cloud moves a little so that nothing can be kept.
static void ask(scene *s, int repeat) {
  int point[NEAREST];
  double distance[NEAREST];
  for (int i = 0; i < repeat; ++i) {
    s->position[0] = 1e-4 * (i % 7 - 3);
    for (int k = 0; k < OBJECTS; ++k) {
      limpet_cloud_nearest(s->cloud, s->position, identity, &s->object[k], &s->request, point,
                           distance);
      s->checksum += distance[0];
    }
  }
}

static void touch(scene *s, int repeat) {
  limpet_shape b = {
      .kind = LIMPET_SHAPE_CLOUD, .position = s->position, .rotation = identity, .cloud = s->cloud};
  limpet_manifold manifold;
  for (int i = 0; i < repeat; ++i) {
    s->position[0] = 1e-4 * (i % 7 - 3);
    for (int k = 0; k < OBJECTS; ++k) {
      limpet_shape_contact(&manifold, &s->object[k], &b, 2e-3, false);
      s->checksum += manifold.count;
    }
  }
}

// Best of some rounds, in seconds for one call.
static double best_time(void (*call)(scene *, int), scene *s, int repeat) {
  double best = INFINITY;
  for (int round = 0; round < ROUNDS; ++round) {
    const double start = now();
    call(s, repeat);
    best = fmin(best, (now() - start) / repeat);
  }
  return best;
}

// [s]  to read `count` doubles, in four sums at a time.
static double read_time(const double *values, size_t count, int repeat, double *checksum) {
  typedef double lanes __attribute__((vector_size(32), aligned(8)));
  double best = INFINITY;
  for (int round = 0; round < ROUNDS; ++round) {
    const double start = now();
    for (int r = 0; r < repeat; ++r) {
      lanes sum[4] = {{0}};
      for (size_t i = 0; i + 16 <= count; i += 16)
        for (size_t k = 0; k < 4; ++k) sum[k] += *(const lanes *)(values + i + 4 * k);
      for (int k = 0; k < 4; ++k) *checksum += sum[k][0] + sum[k][1] + sum[k][2] + sum[k][3];
    }
    best = fmin(best, (now() - start) / repeat);
  }
  return best;
}

static void measure_nearest(scene *s, double *points, int count) {
  points_make(points, count);
  const double start = now();
  s->cloud = limpet_cloud_create(points, count, NULL, 0.0, NULL);
  if (!s->cloud) exit(1);
  const double made = now() - start;
  const int repeat = 1 + 2000000 / count;
  s->request = (limpet_cloud_request){.count = NEAREST, .reach = INFINITY, .all = true};
  const double all = best_time(ask, s, repeat);
  s->request.all = false;
  const double tree = best_time(ask, s, 2000), contact = best_time(touch, s, 2000);
  const double floor = OBJECTS * read_time(points, 3 * (size_t)count, repeat, &s->checksum);
  printf("%8d %11.1f %11.2f %9.1f %8.2f %9.2f %9.2f %11.1f\n", count, 1e6 * all, 1e6 * floor,
         24e-6 * OBJECTS * count, all / floor, 1e6 * tree, 1e6 * contact, 1e3 * made);
  limpet_cloud_destroy(s->cloud);
}

static double distance_time(const limpet_shape *shape, const double *points, int count, double *phi,
                            double *gradient) {
  double best = INFINITY;
  for (int round = 0; round < ROUNDS; ++round) {
    const double start = now();
    limpet_signed_distance(shape, points, count, phi, gradient);
    best = fmin(best, (now() - start) / count);
  }
  return 1e9 * best;
}

static void measure_distances(const limpet_hull *hull, const limpet_surface *surface) {
  enum { COUNT = 2048 };
  static double points[3 * COUNT], near[3 * COUNT], phi[COUNT], gradient[3 * COUNT];
  static const double size[3] = {0.1, 0.07, 0.12}, origin[3] = {0, 0, 0};
  unsigned long long seed = 3;
  for (int i = 0; i < 3 * COUNT; ++i) points[i] = uniform(&seed, -0.2, 0.2);
  printf(
      "\nns a point (tables: %s), 2048 points: in a cube twice as wide as the shape, and within 5 "
      "mm of its surface\n",
      limpet_distance()->name);
  printf("%-24s %18s %18s %18s\n", "", "distance", "with gradient", "with gradient, near");
  const limpet_shape ball = {.kind = LIMPET_SHAPE_MESH,
                             .size = size,
                             .position = origin,
                             .rotation = identity,
                             .surface = surface};
  const double start = now();
  limpet_distance_grid *grid = limpet_distance_grid_create(&ball, 2e-3, 0.1, NULL);
  if (!grid) exit(1);
  const double made = now() - start;
  for (int n = LIMPET_SHAPE_PLANE; n <= LIMPET_SHAPE_CLOUD + 1; ++n) {
    const bool is_surface = n >= LIMPET_SHAPE_CLOUD, is_grid = n > LIMPET_SHAPE_CLOUD;
    const limpet_shape_kind kind = is_surface ? LIMPET_SHAPE_MESH : (limpet_shape_kind)n;
    const limpet_shape shape = {.kind = kind,
                                .size = size,
                                .position = origin,
                                .rotation = identity,
                                .hull = hull,
                                .surface = is_surface ? surface : NULL,
                                .grid = is_grid ? grid : NULL};
    const double alone = distance_time(&shape, points, COUNT, phi, NULL),
                 both = distance_time(&shape, points, COUNT, phi, gradient);
    for (int i = 0; i < COUNT; ++i)
      limpet_vec3_addmul(near + 3 * i, points + 3 * i, uniform(&seed, -5e-3, 5e-3) - phi[i],
                         gradient + 3 * i);
    const char *name = is_grid                     ? "the same, grid of 2 mm"
                       : is_surface                ? "mesh of 5120 triangles"
                       : kind == LIMPET_SHAPE_MESH ? "hull of 60 points"
                                                   : limpet_shape_kind_word(kind);
    printf("%-24s %18.1f %18.1f %18.1f\n", name, alone, both,
           distance_time(&shape, near, COUNT, phi, gradient));
  }
  printf("the grid was made in %.2f s and errs by at most %g m\n", made,
         limpet_distance_grid_error(grid));
  limpet_distance_grid_destroy(grid);
}

// Five nearest of 992 points to one shape of each kind that stands 5 mm below.
static void measure_kinds(double *points, const limpet_hull *hull, const limpet_surface *surface) {
  static const double size[3] = {0.1, 0.07, 0.12}, origin[3] = {0, 0, 0};
  scene s = {.position = {0, 0, 0.235}, .request = {.count = NEAREST, .reach = INFINITY}};
  points_make(points, 992);
  s.cloud = limpet_cloud_create(points, 992, NULL, 0.0, NULL);
  if (!s.cloud) exit(1);
  printf("\nmicroseconds for one shape, 5 nearest of 992 points\n%-24s %12s %12s %12s\n", "",
         "all points", "tree", "contact");
  for (int n = LIMPET_SHAPE_PLANE; n <= LIMPET_SHAPE_CLOUD; ++n) {
    const bool is_surface = n == LIMPET_SHAPE_CLOUD;
    for (int k = 0; k < OBJECTS; ++k)
      s.object[k] = (limpet_shape){.kind = is_surface ? LIMPET_SHAPE_MESH : (limpet_shape_kind)n,
                                   .size = size,
                                   .position = origin,
                                   .rotation = identity,
                                   .hull = hull,
                                   .surface = is_surface ? surface : NULL};
    s.request.all = true;
    const double all = best_time(ask, &s, 20) / OBJECTS;
    s.request.all = false;
    const double tree = best_time(ask, &s, 200) / OBJECTS,
                 contact = best_time(touch, &s, 200) / OBJECTS;
    printf("%-24s %12.2f %12.2f %12.2f\n",
           is_surface ? "mesh of 5120 triangles" : limpet_shape_kind_word((limpet_shape_kind)n),
           1e6 * all, 1e6 * tree, 1e6 * contact);
  }
  limpet_cloud_destroy(s.cloud);
}

// A ball of 5120 triangles: 32 rings of 80 corners, cut at the poles.
static limpet_surface *ball_make(void) {
  enum { RINGS = 32, AROUND = 80 };
  static double vertices[3 * (RINGS * AROUND + 2)];
  static int faces[3 * 2 * RINGS * AROUND];
  for (int i = 0; i < RINGS; ++i)
    for (int j = 0; j < AROUND; ++j) {
      const double polar = LIMPET_PI * (i + 1) / (RINGS + 1), turn = 2.0 * LIMPET_PI * j / AROUND;
      limpet_vec3_set(vertices + 3 * (i * AROUND + j), 0.1 * sin(polar) * cos(turn),
                      0.1 * sin(polar) * sin(turn), -0.1 * cos(polar));
    }
  const int south = RINGS * AROUND, north = south + 1;
  limpet_vec3_set(vertices + 3 * south, 0.0, 0.0, -0.1),
      limpet_vec3_set(vertices + 3 * north, 0.0, 0.0, 0.1);
  int *f = faces;
  for (int j = 0; j < AROUND; ++j) {
    const int next = (j + 1) % AROUND, top = (RINGS - 1) * AROUND;
    *f++ = south, *f++ = next, *f++ = j, *f++ = north, *f++ = top + j, *f++ = top + next;
    for (int i = 0; i + 1 < RINGS; ++i) {
      const int a = i * AROUND + j, b = i * AROUND + next;
      *f++ = a, *f++ = b, *f++ = b + AROUND, *f++ = a, *f++ = b + AROUND, *f++ = a + AROUND;
    }
  }
  limpet_error error;
  limpet_surface *surface =
      limpet_surface_create(vertices, north + 1, faces, (int)(f - faces) / 3, &error);
  if (!surface) fprintf(stderr, "%s\n", error.message), exit(1);
  return surface;
}

int main(void) {
  static const double floor_at[3] = {0, 0, -0.105}, left[3] = {-0.135, 0, 0},
                      right[3] = {0.135, 0, 0}, half[3] = {0.02, 0.05, 0.05};
  static const int counts[] = {100, 992, 10000, 100000, 1000000};
  unsigned long long seed = 7;
  scene s = {
      .object = {
          {.kind = LIMPET_SHAPE_PLANE, .size = half, .position = floor_at, .rotation = identity},
          {.kind = LIMPET_SHAPE_BOX, .size = half, .position = left, .rotation = identity},
          {.kind = LIMPET_SHAPE_BOX, .size = half, .position = right, .rotation = identity}}};
  double *points = malloc(3 * 1000000 * sizeof *points), corners[180];
  if (!points) return 1;
  printf(
      "microseconds for 3 objects, 5 nearest points each; floor: reading the points once for each "
      "object\n");
  printf("  points  all points       floor        MB    ratio      tree   contact   making, ms\n");
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
    measure_nearest(&s, points, counts[i]);
  for (int i = 0; i < 180; ++i) corners[i] = uniform(&seed, -0.1, 0.1);
  limpet_hull *hull = limpet_hull_create(corners, 60, -1, NULL);
  limpet_surface *surface = ball_make();
  if (hull) measure_distances(hull, surface);
  if (hull) measure_kinds(points, hull, surface);
  limpet_surface_destroy(surface);
  free(hull), free(points);
  return s.checksum == 0.123;
}
