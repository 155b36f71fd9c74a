/* tests/step/test_soft_golden.c: a deformable block on a compliant box against an independent
 * minimiser (../shared/golden/fem/contact): all vertices after 1, 2, 5, 10, 20 steps, for three
 * contact models.
 *
 * Polygons are made anew in every step from the state that was reached. The reference minimises in
 * 80 bits; velocities agree to 1e-10 of the largest; measured are 1e-12 and less. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "golden_run.h"
#include "limpet/format.h"

static double number(const json_t *object, const char *key) {
  const json_t *item = json_object_get(object, key);
  assert_true(json_is_number(item));
  return json_number_value(item);
}

/* Drake's tetrahedra of a box whose height is the least and whose base is a square, moved to the
 * size of this floor: they are those of the scene box_on_box, where vertices lie on the boundary or
 * on the medial axis, half a height from it. */
static int add_box_mesh(limpet_builder *builder, const double half[3]) {
  json_t *scene = json_read(shared_path("golden/hydroelastic/scenes/box_on_box.json"));
  const json_t *mesh = json_object_get(json_object_get(scene, "meshes"), "low");
  const json_t *points = json_object_get(mesh, "vertices"),
               *cells = json_object_get(mesh, "elements");
  const double from[3] = {0.1, 0.1, 0.05};
  double vertices[3 * 18], field[18];
  int tetrahedra[4 * 44];
  assert_int_equal(json_numbers(points, vertices, 3 * 18), 3 * 18);
  assert_int_equal(json_array_size(cells), 44);
  for (int i = 0; i < 4 * 44; ++i)
    tetrahedra[i] = (int)json_integer_value(
        json_array_get(json_array_get(cells, (size_t)i / 4), (size_t)i % 4));
  for (int i = 0; i < 18; ++i) {
    field[i] = 1.0;
    for (int k = 0; k < 3; ++k) {
      double *x = &vertices[3 * i + k];
      const double size = fabs(*x), within = from[k] - size;
      field[i] = fmin(field[i], within / from[2]);
      if (size > 1e-12) *x = copysign(half[k] - within / from[2] * half[2], *x);
    }
    if (field[i] < 1e-12) field[i] = 0.0;
  }
  limpet_mesh_description m = limpet_mesh_description_default();
  m.vertex_count = 18, m.vertices = vertices;
  m.tetrahedron_count = 44, m.tetrahedra = tetrahedra, m.field = field;
  const int handle = limpet_builder_add_mesh(builder, &m);
  json_decref(scene);
  return handle;
}

static limpet_model *scene_model(const json_t *root) {
  limpet_builder *builder = limpet_builder_create();
  limpet_options *options = limpet_builder_options(builder);
  json_numbers(json_object_get(root, "gravity"), options->gravity, 3);
  options->friction_rule = LIMPET_FRICTION_HARMONIC_MEAN;
  limpet_material material = limpet_material_default();
  material.friction = number(root, "friction");
  material.dissipation = number(root, "dissipation");
  material.relaxation_time = number(root, "relaxation_time");

  const json_t *floor = json_object_get(root, "floor");
  limpet_geom_description geom = limpet_geom_description_default();
  geom.kind = LIMPET_SHAPE_MESH;
  json_numbers(json_object_get(floor, "size"), geom.size, 3);
  for (int k = 0; k < 3; ++k) geom.size[k] *= 0.5;
  json_numbers(json_object_get(floor, "p"), geom.position, 3);
  geom.mesh = add_box_mesh(builder, geom.size);
  geom.material = material;
  geom.material.elastic_modulus = number(floor, "E");
  limpet_builder_add_geom(builder, &geom);

  limpet_deformable_description soft = limpet_deformable_description_default();
  const json_t *vertices = json_object_get(root, "vertices"),
               *cells = json_object_get(root, "tetrahedra");
  soft.vertex_count = (int)json_array_size(vertices);
  soft.tetrahedron_count = (int)json_array_size(cells);
  double *x = malloc(3 * (size_t)soft.vertex_count * sizeof *x);
  int *t = malloc(4 * (size_t)soft.tetrahedron_count * sizeof *t);
  json_numbers(vertices, x, 3 * soft.vertex_count);
  for (int i = 0; i < 4 * soft.tetrahedron_count; ++i)
    t[i] = (int)json_integer_value(
        json_array_get(json_array_get(cells, (size_t)i / 4), (size_t)i % 4));
  soft.vertices = x, soft.tetrahedra = t;
  soft.youngs_modulus = number(root, "youngs_modulus");
  soft.poissons_ratio = number(root, "poissons_ratio");
  soft.density = number(root, "density");
  soft.mass_damping = number(root, "mass_damping");
  soft.stiffness_damping = number(root, "stiffness_damping");
  soft.law = limpet_elastic_law_find("linear-corotated");
  soft.material = material;
  limpet_builder_add_deformable(builder, &soft);
  free(x), free(t);
  limpet_error error;
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) fail_msg("%s", error.message);
  limpet_builder_destroy(builder);
  return model;
}

static limpet_step_settings scene_settings(const limpet_model *model, const json_t *root,
                                           const char *contact) {
  limpet_step_settings settings;
  assert_true(limpet_step_settings_preset(&settings, model, "drake"));
  settings.contact_model = limpet_contact_model_find(contact);
  settings.time_step = number(root, "time_step");
  settings.stiction_speed = number(root, "stiction_tolerance");
  settings.tolerance = 1e-15;
  settings.iteration_limit = 500;
  return settings;
}

// Largest difference of velocities over the largest velocity.
static double velocity_error(const limpet_data *data, const json_t *expected) {
  const int count = 3 * data->model->vertex_count;
  double *v = malloc((size_t)count * sizeof *v), worst = 0.0, size = 0.0;
  assert_int_equal(json_numbers(json_object_get(expected, "v"), v, count), count);
  for (int i = 0; i < count; ++i) {
    worst = fmax(worst, fabs(v[i] - data->vertex_velocity[i]));
    size = fmax(size, fabs(v[i]));
  }
  free(v);
  return worst / size;
}

static void start(const json_t *root, limpet_data *data) {
  const int count = 3 * data->model->vertex_count;
  double v0[3];
  json_numbers(json_object_get(root, "q0"), data->vertex_position, count);
  json_numbers(json_object_get(root, "v0"), v0, 3);
  for (int i = 0; i < count; ++i) data->vertex_velocity[i] = v0[i % 3];
}

static void golden_scenes_of_three_models(void **state) {
  (void)state;
  const golden_run run = {.folder = "golden/fem/contact",
                          .contacts = "polygons",
                          .allowed = 1e-10,
                          .solved = true,
                          .model = scene_model,
                          .start = start,
                          .settings = scene_settings,
                          .error = velocity_error};
  const int compared = golden_run_all(&run);
  if (compared == 0) skip();
  assert_true(compared >= 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(golden_scenes_of_three_models)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
