/* tests/geometry/test_ray.c: rays against shapes: where a ray ends the surface is, and not before;
 * points inside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "geometry/ray.h"
#include "math/quaternion.h"

static unsigned long seed = 5;

static double uniform(double low, double high) {
  seed = seed * 6364136223846793005ul + 1442695040888963407ul;
  return low + (high - low) * (double)(seed >> 11 & 0x1fffffffffffff) / 9007199254740992.0;
}

static void random_vector(double v[3], double size) {
  for (int i = 0; i < 3; ++i) v[i] = uniform(-size, size);
}

static void random_rotation(double R[9]) {
  double vector[3], q[4];
  random_vector(vector, 3.0);
  limpet_quaternion_exp(q, vector);
  limpet_quaternion_to_matrix(R, q);
}

// whether the shape holds the point, by its formula
static bool holds(const limpet_shape *shape, const double point[3]) {
  double offset[3], p[3];
  const double *size = shape->size;
  limpet_vec3_sub(offset, point, shape->position);
  limpet_mat3_tmul_vec(p, shape->rotation, offset);
  switch (shape->kind) {
    case LIMPET_SHAPE_SPHERE: return limpet_vec3_norm(p) <= size[0];
    case LIMPET_SHAPE_CAPSULE:
      p[2] -= fmax(-size[1], fmin(size[1], p[2]));
      return limpet_vec3_norm(p) <= size[0];
    case LIMPET_SHAPE_ELLIPSOID:
      for (int i = 0; i < 3; ++i) p[i] /= size[i];
      return limpet_vec3_norm(p) <= 1.0;
    case LIMPET_SHAPE_CYLINDER: return hypot(p[0], p[1]) <= size[0] && fabs(p[2]) <= size[1];
    default: return fabs(p[0]) <= size[0] && fabs(p[1]) <= size[1] && fabs(p[2]) <= size[2];
  }
}

static double value_of(const limpet_shape *shape, const double p[3]) {
  assert_true(limpet_shape_holds(shape, p) == holds(shape, p));
  return holds(shape, p) ? 1.0 : 0.0;
}

/* Of 10000 rays for each kind: just before the end the point is on the side where the ray began,
 * just behind it on the other; twenty points in between are on the first side; a ray that ends
 * nowhere has all of them outside. */
static void rays_end_on_surfaces(void **state) {
  (void)state;
  static const double size[3] = {0.3, 0.5, 0.2};
  const limpet_shape_kind kinds[] = {LIMPET_SHAPE_SPHERE, LIMPET_SHAPE_CAPSULE,
                                     LIMPET_SHAPE_ELLIPSOID, LIMPET_SHAPE_CYLINDER,
                                     LIMPET_SHAPE_BOX};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    int met = 0, inside = 0;
    for (int i = 0; i < 10000; ++i) {
      double position[3], R[9], from[3], direction[3], p[3];
      random_vector(position, 1.0);
      random_rotation(R);
      random_vector(from, 0.7);
      limpet_vec3_add(from, from, position);
      random_vector(direction, 1.0);
      limpet_vec3_normalize(direction);
      const limpet_shape shape = {
          .kind = kinds[k], .size = size, .position = position, .rotation = R};
      const double t = limpet_shape_ray(&shape, from, direction), start = value_of(&shape, from);
      const double end = t >= 0.0 ? t : 3.0;
      for (int n = 0; n < 20; ++n) {
        limpet_vec3_addmul(p, from, end * n / 20.0, direction);
        assert_true(value_of(&shape, p) == start);
      }
      inside += start == 1.0;
      met += t >= 0.0;
      if (t < 0.0) {
        assert_true(start == 0.0);
        continue;
      }
      limpet_vec3_addmul(p, from, t - 1e-9, direction);
      assert_true(t < 1e-9 || value_of(&shape, p) == start);
      limpet_vec3_addmul(p, from, t + 1e-9,
                         direction);  // a ray that grazes by less than 1e-9 would leave again
      assert_true(value_of(&shape, p) != start);
    }
    assert_true(met > 1000 && met < 9900 && inside > 200);
  }
}

// a box as a mesh of twelve triangles is met where the box is
static void a_mesh_is_met_as_its_box(void **state) {
  (void)state;
  static const double size[3] = {0.3, 0.5, 0.2};
  double vertices[24];
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k) vertices[3 * i + k] = (i >> k & 1) ? size[k] : -size[k];
  static const int faces[] = {0, 1, 3, 0, 3, 2, 4, 7, 5, 4, 6, 7, 0, 5, 1, 0, 4, 5,
                              2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
  const limpet_mesh mesh = {.vertex_count = 8,
                            .face_count = 12,
                            .vertices = vertices,
                            .faces = faces,
                            .aabb = {0.0, 0.0, 0.0, 0.3, 0.5, 0.2}};
  int met = 0;
  for (int i = 0; i < 10000; ++i) {
    double position[3], R[9], from[3], direction[3];
    random_vector(position, 1.0);
    random_rotation(R);
    random_vector(from, 1.0);
    limpet_vec3_add(from, from, position);
    random_vector(direction, 1.0);
    limpet_vec3_normalize(direction);
    const limpet_shape box = {
        .kind = LIMPET_SHAPE_BOX, .size = size, .position = position, .rotation = R};
    const double expected = limpet_shape_ray(&box, from, direction),
                 t = limpet_mesh_ray(&mesh, position, R, from, direction, NULL);
    assert_true(fabs(t - expected) < 1e-12);
    met += t >= 0.0;
  }
  assert_true(met > 1000);
}

static void planes_are_met_from_above(void **state) {
  (void)state;
  const double position[3] = {0.0, 0.0, 1.0}, R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, endless[3] = {0},
               small[3] = {1.0, 2.0, 0.0};
  const double above[3] = {0.0, 0.0, 3.0}, below[3] = {0.0, 0.0, 0.5}, down[3] = {0.0, 0.0, -1.0},
               up[3] = {0.0, 0.0, 1.0};
  const double slanted[3] = {0.6, 0.0, -0.8}, along[3] = {0.0, 0.6, -0.8};
  const limpet_shape plane = {
      .kind = LIMPET_SHAPE_PLANE, .size = endless, .position = position, .rotation = R};
  limpet_shape sheet = plane;
  sheet.size = small;
  assert_true(limpet_shape_ray(&plane, above, down) == 2.0);
  assert_true(limpet_shape_ray(&plane, above, up) == -1.0);
  assert_true(limpet_shape_ray(&plane, below, up) == -1.0);
  assert_true(limpet_shape_ray(&plane, below, down) == -1.0);
  assert_true(fabs(limpet_shape_ray(&plane, above, slanted) - 2.5) < 1e-15);
  assert_true(limpet_shape_ray(&sheet, above, slanted) == -1.0);            // passes at x = 1.5
  assert_true(fabs(limpet_shape_ray(&sheet, above, along) - 2.5) < 1e-15);  // and at y = 1.5
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rays_end_on_surfaces),
      cmocka_unit_test(a_mesh_is_met_as_its_box),
      cmocka_unit_test(planes_are_met_from_above),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
