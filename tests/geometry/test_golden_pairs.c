/* tests/geometry/test_golden_pairs.c: contact points at step 0 of the scenes of golden/contact, one
 * point for each pair.
 *
 * Every scene whose bodies are free or the world is taken: pose of a geometry = pose of its body
 * times its own. A pair has a contact if and only if the scene lists one, with its distance phi,
 * normal (A to B, A the geometry that comes first) and point
 *   C = (k_A p_A + k_B p_B) / (k_A + k_B), p_A, p_B on the surfaces, k null = rigid.
 * Tolerances: both sides evaluate closed forms of coordinates of order 1 m in double precision, a
 * few dozen operations each: 1e-13 is typical, 1e-12 is asked. Drake's capsule with capsule is
 * iterative (portal refinement to 2e-12 along the normal), so its point is only good to the square
 * root of that times the size: 1e-6. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/pair.h"
#include "math/quaternion.h"
#include "shared_data.h"

enum { GEOMS = 64 };

typedef struct scene_geom {
  limpet_shape shape;
  const char *name, *body;
  double size[3], position[3], rotation[9], stiffness;
} scene_geom;

static double number(const json_t *object, const char *key) {
  return json_number_value(json_object_get(object, key));
}

// Kind and sizes; the files give full lengths.
static void read_shape(scene_geom *g, const json_t *shape) {
  const char *type = json_string_value(json_object_get(shape, "type"));
  double full[3] = {0, 0, 0};
  if (strcmp(type, "half_space") == 0) {
    g->shape.kind = LIMPET_SHAPE_PLANE;
  } else if (strcmp(type, "sphere") == 0) {
    g->shape.kind = LIMPET_SHAPE_SPHERE, g->size[0] = number(shape, "radius");
  } else if (strcmp(type, "box") == 0) {
    g->shape.kind = LIMPET_SHAPE_BOX;
    json_numbers(json_object_get(shape, "size"), full, 3);
    limpet_vec3_scale(g->size, 0.5, full);
  } else if (strcmp(type, "ellipsoid") == 0) {
    g->shape.kind = LIMPET_SHAPE_ELLIPSOID;
    json_numbers(json_object_get(shape, "semi_axes"), g->size, 3);
  } else {
    g->shape.kind = strcmp(type, "capsule") == 0 ? LIMPET_SHAPE_CAPSULE : LIMPET_SHAPE_CYLINDER;
    g->size[0] = number(shape, "radius"), g->size[1] = 0.5 * number(shape, "length");
  }
}

static double coordinate(const json_t *initial, const char *body, const char *name) {
  char wanted[128];
  snprintf(wanted, sizeof wanted, "%s.%s", body, name);
  const json_t *names = json_object_get(initial, "q_names"), *q = json_object_get(initial, "q");
  for (size_t i = 0; i < json_array_size(names); ++i)
    if (strcmp(json_string_value(json_array_get(names, i)), wanted) == 0)
      return json_number_value(json_array_get(q, i));
  return NAN;
}

static void place(scene_geom *g, const json_t *pose, const json_t *initial) {
  double q[4], R[9], p[3], quaternion[4];
  json_numbers(json_object_get(pose, "position"), g->position, 3);
  json_numbers(json_object_get(pose, "quaternion"), quaternion, 4);
  limpet_quaternion_normalize(quaternion);
  limpet_quaternion_to_matrix(g->rotation, quaternion);
  if (strcmp(g->body, "world") != 0) {
    const char *const turn[4] = {"qw", "qx", "qy", "qz"}, *const shift[3] = {"x", "y", "z"};
    double own[9], moved[3];
    for (int i = 0; i < 4; ++i) q[i] = coordinate(initial, g->body, turn[i]);
    for (int i = 0; i < 3; ++i) p[i] = coordinate(initial, g->body, shift[i]);
    limpet_quaternion_normalize(q);
    limpet_quaternion_to_matrix(R, q);
    limpet_mat3_copy(own, g->rotation);
    limpet_mat3_mul(g->rotation, R, own);
    limpet_mat3_mul_vec(moved, R, g->position);
    limpet_vec3_add(g->position, moved, p);
  }
  g->shape.size = g->size, g->shape.position = g->position, g->shape.rotation = g->rotation,
  g->shape.hull = NULL;
}

static bool filtered(const json_t *scene, const scene_geom *a, const scene_geom *b) {
  size_t i;
  json_t *pair;
  if (strcmp(a->body, b->body) == 0) return true;
  json_array_foreach(json_object_get(scene, "filtered_pairs"), i, pair) {
    const char *first = json_string_value(json_array_get(pair, 0)),
               *second = json_string_value(json_array_get(pair, 1));
    const bool same = strcmp(first, a->name) == 0 && strcmp(second, b->name) == 0;
    if (same || (strcmp(first, b->name) == 0 && strcmp(second, a->name) == 0)) return true;
  }
  return false;
}

static const json_t *expected_contact(const json_t *scene, const scene_geom *a,
                                      const scene_geom *b) {
  size_t i;
  json_t *contact;
  json_array_foreach(json_object_get(scene, "contacts_step_0"), i, contact) {
    if (strcmp(json_string_value(json_object_get(contact, "a")), a->name) == 0 &&
        strcmp(json_string_value(json_object_get(contact, "b")), b->name) == 0)
      return contact;
  }
  return NULL;
}

static void check_contact(const limpet_contact_point *point, const json_t *expected,
                          const scene_geom *a, const scene_geom *b) {
  double normal[3], where[3], c[3];
  const double phi = number(expected, "phi");
  const bool iterative =
      a->shape.kind == LIMPET_SHAPE_CAPSULE && b->shape.kind == LIMPET_SHAPE_CAPSULE;
  json_numbers(json_object_get(expected, "normal_a_to_b"), normal, 3);
  json_numbers(json_object_get(expected, "point"), where, 3);

  // rigid: the whole weight; both rigid or both equal: the middle
  double weight_a = a->stiffness / (a->stiffness + b->stiffness);
  if (isinf(a->stiffness)) weight_a = isinf(b->stiffness) ? 0.5 : 1.0;
  for (int i = 0; i < 3; ++i) c[i] = weight_a * point->on_a[i] + (1.0 - weight_a) * point->on_b[i];
  assert_true(arrays_agree("phi", &point->distance, &phi, 1, iterative ? 1e-11 : 1e-12));
  assert_true(arrays_agree("normal", point->normal, normal, 3, iterative ? 1e-6 : 1e-12));
  assert_true(arrays_agree("point", c, where, 3, iterative ? 1e-6 : 1e-12));
}

// Returns the number of contacts compared, or -1 if a body of the scene is not free.
static int check_scene(const json_t *scene) {
  scene_geom geom[GEOMS];
  int count = 0, compared = 0;
  size_t i;
  json_t *item;
  memset(geom, 0, sizeof geom);
  json_array_foreach(json_object_get(scene, "geometries"), i, item) {
    scene_geom *g = &geom[count++];
    g->name = json_string_value(json_object_get(item, "name")),
    g->body = json_string_value(json_object_get(item, "body"));
    const json_t *stiffness = json_object_get(json_object_get(item, "material"), "stiffness");
    g->stiffness = json_is_null(stiffness) ? INFINITY : json_number_value(stiffness);
    read_shape(g, json_object_get(item, "shape"));
    place(g, json_object_get(item, "pose"), json_object_get(scene, "initial"));
    if (isnan(g->position[0]) || count == GEOMS) return -1;
  }
  for (int a = 0; a < count; ++a)
    for (int b = a + 1; b < count; ++b) {
      if (filtered(scene, &geom[a], &geom[b])) continue;
      limpet_manifold manifold;
      limpet_shape_contact(&manifold, &geom[a].shape, &geom[b].shape, 0.0, true);
      const json_t *expected = expected_contact(scene, &geom[a], &geom[b]);
      assert_int_equal(manifold.count, expected != NULL);
      if (expected != NULL)
        check_contact(&manifold.point[0], expected, &geom[a], &geom[b]), ++compared;
    }
  return compared;
}

static void contact_points_agree_with_the_scenes(void **state) {
  (void)state;
  if (!shared_exists("golden/contact/scenes")) skip();
  file_list files = file_list_find(shared_path("golden/contact/scenes"), ".json");
  int scenes = 0, contacts = 0, skipped = 0;
  for (int i = 0; i < files.count; ++i) {
    json_t *scene = json_read(files.path[i]);
    assert_non_null(scene);
    const int compared = check_scene(scene);
    if (compared < 0) ++skipped;
    else ++scenes, contacts += compared;
    json_decref(scene);
  }
  file_list_free(&files);
  print_message(
      "compared %d contacts of %d scenes; %d scenes with jointed bodies left to other tests\n",
      contacts, scenes, skipped);
  assert_true(contacts > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(contact_points_agree_with_the_scenes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
