/* tests/model/test_field_function.c: a pressure field that a function gives: the builder asks it in
 * the frame of the mesh's file, whatever scale and reference pose it has, on faces and on
 * tetrahedra; what it may not give is told. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "closed_meshes.h"
#include "limpet/model.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "pressure_shapes.h"
#include "shared_data.h"

// A box about `centre` in the file: pressure of the closed form, asked where it stands there.
typedef struct box_field {
  double centre[3], half[3];
  int asked;
} box_field;

static double of_box(void *context, const double x[3]) {
  box_field *box = context;
  double least = INFINITY;
  for (int i = 0; i < 3; ++i) least = fmin(least, box->half[i] - fabs(x[i] - box->centre[i]));
  ++box->asked;
  return least / fmin(box->half[0], fmin(box->half[1], box->half[2]));
}

static double nowhere(void *context, const double x[3]) {
  (void)context;
  return -1.0 - x[0] * x[0];
}

static double not_a_number(void *context, const double x[3]) {
  (void)context;
  return x[0] > 0.0 ? NAN : -1.0;
}

static double everywhere(void *context, const double x[3]) {
  (void)context, (void)x;
  return 1.0;
}

// A soft mesh on a free body over a rigid floor.
static limpet_model *compiled(limpet_mesh_description *mesh, double size, limpet_error *error) {
  limpet_builder *builder = limpet_builder_create();
  limpet_geom_description geom = limpet_geom_description_default();
  geom.name = "soft", geom.kind = LIMPET_SHAPE_MESH;
  geom.mesh = limpet_builder_add_mesh(builder, mesh);
  geom.material.elastic_modulus = 1e6, geom.material.field_size = size;
  limpet_body_description body = limpet_body_description_default();
  geom.body = limpet_builder_add_body(builder, &body);
  limpet_joint_description joint = limpet_joint_description_default();
  joint.body = geom.body, joint.kind = LIMPET_JOINT_FREE;
  limpet_builder_add_joint(builder, &joint);
  limpet_builder_add_geom(builder, &geom);
  limpet_model *model = limpet_builder_compile(builder, error);
  limpet_builder_destroy(builder);
  return model;
}

static limpet_mesh_description described(const test_mesh *mesh, limpet_pressure_function *function,
                                         void *context) {
  limpet_mesh_description d = limpet_mesh_description_default();
  d.name = "pad";
  d.vertex_count = mesh->vertex_count, d.face_count = mesh->face_count;
  d.vertices = mesh->vertices, d.faces = mesh->faces;
  d.field_function = function, d.field_context = context;
  return d;
}

/* The field of geom 0 at the places of the file is the function there, to what linear cells of a
 * size may err; the function has kinks, so that is of first order in the size. */
static void field_is(const limpet_model *model, const limpet_mesh_description *d, box_field *box,
                     double tolerance) {
  unsigned long seed = 4;
  const limpet_mesh *mesh = &model->mesh[model->geom_mesh[0]];
  double B[4], back[4];
  limpet_quaternion_copy(B, d->reference_quaternion);
  limpet_quaternion_conjugate(back, mesh->quaternion);
  for (int trial = 0; trial < 500; ++trial) {
    double f[3], y[3], x[3], inverse[4];
    for (int i = 0; i < 3; ++i)
      f[i] = box->centre[i] + box->half[i] * random_uniform(&seed, -0.95, 0.95);
    limpet_vec3_sub(y, f, d->reference_position);
    limpet_quaternion_conjugate(inverse, B);
    limpet_quaternion_rotate(x, inverse, y);
    for (int i = 0; i < 3; ++i) x[i] = d->scale[i] * x[i] - mesh->position[i];
    limpet_quaternion_rotate(y, back, x);
    const double p = limpet_pressure_field_value(model->geom_field[0], y, NULL);
    assert_true(fabs(p / 1e6 - of_box(box, f)) < tolerance);
  }
}

static void it_is_asked_in_the_frame_of_the_file(void **state) {
  (void)state;
  static test_mesh mesh;
  unsigned long seed = 9;
  for (int trial = 0; trial < 8; ++trial) {
    memset(&mesh, 0, sizeof mesh);
    // millimetres and metres, moved and turned
    const double unit = trial % 2 ? 1e3 : 1.0;
    box_field box = {0};
    for (int i = 0; i < 3; ++i) {
      box.centre[i] = unit * random_uniform(&seed, -0.2, 0.2);
      box.half[i] = unit * random_uniform(&seed, 0.04, 0.08);
    }
    test_mesh_box(&mesh, box.centre, box.half);
    limpet_mesh_description d = described(&mesh, of_box, &box);
    for (int i = 0; i < 3; ++i) {
      d.scale[i] = (trial / 2 % 2 && i == 1 ? -1.0 : 1.0) / unit;
      if (trial >= 4) d.reference_position[i] = unit * random_uniform(&seed, -0.1, 0.1);
    }
    if (trial >= 4) {
      for (int i = 0; i < 4; ++i) d.reference_quaternion[i] = random_uniform(&seed, -1.0, 1.0);
      limpet_quaternion_normalize(d.reference_quaternion);
    }
    limpet_error error = {0};
    limpet_model *model = compiled(&d, 0.004, &error);
    if (!model) fail_msg("%s", error.message);
    assert_true(box.asked > 1000);
    field_is(model, &d, &box, 0.05);
    limpet_model_destroy(model);
  }
}

static void tetrahedra_have_it_at_their_vertices(void **state) {
  (void)state;
  if (!shared_exists("models/soft/shapes/u_block.vtk")) skip();
  test_tetrahedra mesh = test_tetrahedra_read(shared_path("models/soft/shapes/u_block.vtk"));
  box_field box = {.half = {0.2, 0.2, 0.2}};
  limpet_mesh_description d = limpet_mesh_description_default();
  d.vertex_count = mesh.vertex_count, d.vertices = mesh.vertices;
  d.tetrahedron_count = mesh.tetrahedron_count, d.tetrahedra = mesh.tetrahedra;
  d.field_function = of_box, d.field_context = &box;
  limpet_error error = {0};
  limpet_model *model = compiled(&d, 0.0, &error);
  if (!model) fail_msg("%s", error.message);
  assert_int_equal(box.asked, mesh.vertex_count);
  limpet_model_destroy(model);
  test_tetrahedra_free(&mesh);
}

static void refused(limpet_pressure_function *function, const char *words) {
  static test_mesh mesh;
  memset(&mesh, 0, sizeof mesh);
  test_mesh_box(&mesh, (const double[3]){0.0, 0.0, 0.0}, (const double[3]){0.05, 0.04, 0.03});
  limpet_mesh_description d = described(&mesh, function, NULL);
  limpet_error error = {0};
  assert_null(compiled(&d, 0.0, &error));
  if (!strstr(error.message, words)) fail_msg("%s", error.message);
  assert_non_null(strstr(error.message, "mesh 'pad' gives geom 'soft' no pressure field"));
}

static void what_it_may_not_give_is_told(void **state) {
  (void)state;
  refused(nowhere, "is positive at none of");
  refused(not_a_number, "not a finite number");
  refused(everywhere, "outside of the mesh by up to 0.0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_asked_in_the_frame_of_the_file),
      cmocka_unit_test(tetrahedra_have_it_at_their_vertices),
      cmocka_unit_test(what_it_may_not_give_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
