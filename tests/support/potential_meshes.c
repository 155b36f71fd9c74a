#include "potential_meshes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "geometry/pressure.h"
#include "hull_shapes.h"
#include "math/vec3.h"
#include "pressure_potential.h"
#include "pressure_shapes.h"
#include "shared_data.h"

static const double size[3] = {0.04, 0.05, 0.06};  // [m]  of the curved bodies
static const double beyond = 10.0;                 // see potential_pairs.c

/* A star: the corners of an octahedron at random distances, 8 triangles; as many corners halfway to
 * the centre; the centre. */
enum { RAYS = 6, FACES = 8, VERTICES = 2 * RAYS + 1, TETRAHEDRA = 4 * FACES };

typedef struct star {
  double vertices[3 * VERTICES], depth[VERTICES];
  int faces[3 * FACES], tetrahedra[4 * TETRAHEDRA], count;
} star;

static void add_tetrahedron(star *s, int a, int b, int c, int d) {
  int *v = s->tetrahedra + 4 * s->count++;
  v[0] = a, v[1] = b, v[2] = c, v[3] = d;
}

// Prism between an outer triangle and the inner one, cut by the order of the numbers; the rest.
static void fill_face(star *s, const int v[3]) {
  int a = 0;
  for (int k = 1; k < 3; ++k)
    if (v[k] < v[a]) a = k;
  const int i = v[a], j = v[(a + 1) % 3], k = v[(a + 2) % 3], in = RAYS, centre = 2 * RAYS;
  add_tetrahedron(s, i, j + in, k + in, i + in);
  if (j < k) add_tetrahedron(s, i, j, k + in, j + in), add_tetrahedron(s, i, j, k, k + in);
  else add_tetrahedron(s, i, j, k, j + in), add_tetrahedron(s, i, k, k + in, j + in);
  add_tetrahedron(s, i + in, j + in, k + in, centre);
}

static star star_random(unsigned long *seed) {
  star s = {.count = 0};
  double way[RAYS][3];
  for (int k = 0; k < RAYS; ++k)
    for (int i = 0; i < 3; ++i)
      way[k][i] = (i == k / 2 ? (k % 2 ? 1.0 : -1.0) : 0.0) + random_uniform(seed, -0.2, 0.2);
  for (int k = 0; k < RAYS; ++k) {
    limpet_vec3_normalize(way[k]);
    limpet_vec3_scale(s.vertices + 3 * k, random_uniform(seed, 0.04, 0.08), way[k]);
    limpet_vec3_scale(s.vertices + 3 * (RAYS + k), random_uniform(seed, 0.4, 0.6),
                      s.vertices + 3 * k);
    s.depth[RAYS + k] = random_uniform(seed, 0.4, 0.7);
  }
  s.depth[2 * RAYS] = 1.0;
  for (int k = 0; k < FACES; ++k) {
    int *v = s.faces + 3 * k;
    for (int i = 0; i < 3; ++i) v[i] = 2 * i + (k >> i & 1);
    const bool inwards = ((k & 1) + (k >> 1 & 1) + (k >> 2)) % 2 == 0;
    if (inwards) v[0] = 2 + (k >> 1 & 1), v[1] = k & 1;
    fill_face(&s, v);
  }
  return s;
}

typedef struct mesh_pair {
  limpet_pressure_field *surface, *volume, *curved;  // the mesh twice: as asked, and its tetrahedra
  test_pose pose[2];                                 // of the mesh, of the curved body
} mesh_pair;

static void stop_without(const limpet_pressure_field *field, const limpet_error *error) {
  if (field) return;
  printf("%s\n", error->message);
  exit(1);
}

static mesh_pair pair_make(limpet_shape_kind kind, test_rigid rigid, unsigned long *seed) {
  mesh_pair p;
  limpet_error error = {0};
  limpet_pressure_material material = limpet_pressure_material_default();
  const star s = star_random(seed);
  material.modulus = 1e6;
  p.volume = limpet_pressure_field_of_tetrahedra(s.vertices, VERTICES, s.tetrahedra, TETRAHEDRA,
                                                 s.depth, &material, &error);
  stop_without(p.volume, &error);
  p.surface = p.volume;
  if (rigid == TEST_RIGID_MESH) {
    material.modulus = INFINITY;
    p.surface =
        limpet_pressure_field_of_triangles(s.vertices, RAYS, s.faces, FACES, &material, &error);
    stop_without(p.surface, &error);
  }
  material.modulus = rigid == TEST_RIGID_CURVED ? INFINITY : 2.7e6;
  p.curved = limpet_pressure_field_of_shape(kind, size, NULL, &material, &error);
  stop_without(p.curved, &error);
  return p;
}

static void pair_free(mesh_pair *p) {
  if (p->surface != p->volume) limpet_pressure_field_destroy(p->surface);
  limpet_pressure_field_destroy(p->volume), limpet_pressure_field_destroy(p->curved);
}

static limpet_pressure_body body_of(const limpet_pressure_field *field, const test_pose *pose) {
  return (limpet_pressure_body){field, pose->position, pose->rotation};
}

// Puts the curved body where it is sunk in by a share of its size along a random way: by 0.3 to 30
// %, `shallow` times less.
static void random_poses(mesh_pair *p, limpet_pressure_surface *surface, double shallow,
                         unsigned long *seed) {
  double way[3];
  for (int k = 0; k < 2; ++k) test_random_rotation(seed, p->pose[k].rotation);
  for (int i = 0; i < 3; ++i) {
    p->pose[0].position[i] = random_uniform(seed, -0.1, 0.1);
    way[i] = random_uniform(seed, -1.0, 1.0);
  }
  limpet_vec3_normalize(way);
  const limpet_pressure_body mesh = body_of(p->surface, &p->pose[0]),
                             curved = body_of(p->curved, &p->pose[1]);
  limpet_pressure_query query = limpet_pressure_query_default();
  query.tolerance = 1e-2;
  double low = 0.0, high = 0.2;
  for (int k = 0; k < 20; ++k) {
    const double middle = 0.5 * (low + high);
    limpet_vec3_addmul(p->pose[1].position, p->pose[0].position, middle, way);
    if (limpet_pressure_surface_compute(surface, &mesh, &curved, &query) != LIMPET_OK) exit(1);
    if (surface->area > 0.0) low = middle;
    else high = middle;
  }
  const double depth = size[0] * 3e-3 / shallow * pow(100.0, random_uniform(seed, 0.0, 1.0));
  limpet_vec3_addmul(p->pose[1].position, p->pose[0].position, low - depth, way);
}

static bool is_off(limpet_pressure_surface *surface, const test_potential_meshes *meshes,
                   const mesh_pair *p, bool *touches) {
  const limpet_pressure_body mesh = body_of(p->surface, &p->pose[0]),
                             volume = body_of(p->volume, &p->pose[0]),
                             curved = body_of(p->curved, &p->pose[1]);
  limpet_pressure_query query = limpet_pressure_query_default();
  query.tolerance = meshes->tolerance;
  if (limpet_pressure_surface_compute(surface, &mesh, &curved, &query) != LIMPET_OK) exit(1);
  const double N = surface->pressure_integral,
               allowed = fmax(meshes->allowed, beyond * surface->error);
  *touches = N > 0.0;
  const test_potential u =
      test_potential_of_mesh(&volume, &curved, meshes->rigid == TEST_RIGID_MESH, 0.2 * allowed, N);
  double df[3], dm[3];
  limpet_vec3_sub(df, u.force, surface->force), limpet_vec3_sub(dm, u.moment, surface->moment);
  const double force = limpet_vec3_norm(df) / N, moment = limpet_vec3_norm(dm) / N;
  if (force <= allowed && moment <= allowed) return false;
  printf("mesh and %s, rigid %d, %g N: force %.2e, moment %.2e m off; stated %.1e, %d points\n",
         limpet_shape_kind_word(p->curved->kind), (int)meshes->rigid, N, force, moment,
         surface->error, surface->point_count);
  return true;
}

int test_potential_meshes_check(const test_potential_meshes *meshes, int *checked) {
  limpet_pressure_surface *surface = limpet_pressure_surface_create(NULL);
  unsigned long seed = meshes->seed;
  int off = 0;
  *checked = 0;
  for (int i = 0; i < meshes->kind_count; ++i)
    for (int k = 0; k < meshes->poses; ++k) {
      mesh_pair p = pair_make(meshes->kind[i], meshes->rigid, &seed);
      bool touches;
      random_poses(&p, surface, 1.0, &seed);
      off += is_off(surface, meshes, &p, &touches);
      *checked += touches;
      pair_free(&p);
    }
  limpet_pressure_surface_destroy(surface);
  return off;
}

// Whether surfaces at all tolerances are there, and alike.
static bool agree(limpet_pressure_surface *surface, const mesh_pair *p) {
  const limpet_pressure_body mesh = body_of(p->surface, &p->pose[0]),
                             curved = body_of(p->curved, &p->pose[1]);
  limpet_pressure_query query = limpet_pressure_query_default();
  double first = 0.0;
  for (int k = 2; k <= 5; ++k) {
    query.tolerance = pow(10.0, -k);
    if (limpet_pressure_surface_compute(surface, &mesh, &curved, &query) != LIMPET_OK) exit(1);
    const double N = surface->pressure_integral;
    if (k == 2) first = N;
    if (N > 0.0 && fabs(N - first) <= 0.1 * N) continue;
    printf("mesh and %s, tolerance 1e-%d: %g N, 1e-2: %g N\n",
           limpet_shape_kind_word(p->curved->kind), k, N, first);
    return false;
  }
  return true;
}

int test_potential_meshes_disagree(const test_potential_meshes *meshes) {
  limpet_pressure_surface *surface = limpet_pressure_surface_create(NULL);
  unsigned long seed = meshes->seed;
  int count = 0;
  for (int i = 0; i < meshes->kind_count; ++i)
    for (int k = 0; k < meshes->poses; ++k) {
      mesh_pair p = pair_make(meshes->kind[i], meshes->rigid, &seed);
      random_poses(&p, surface, 30.0, &seed);
      count += !agree(surface, &p);
      pair_free(&p);
    }
  limpet_pressure_surface_destroy(surface);
  return count;
}
