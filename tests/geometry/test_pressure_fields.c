/* tests/geometry/test_pressure_fields.c: pressure fields: what they are made from, closed forms of
 * force over depth, tetrahedra of our own, points before touch, and input that makes no field. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "closed_meshes.h"
#include "limpet/pressure.h"
#include "math/vec3.h"
#include "pressure_shapes.h"
#include "shared_data.h"

static const double upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static limpet_pressure_field *shape(limpet_shape_kind kind, double x, double y, double z,
                                    double modulus) {
  limpet_pressure_material material = limpet_pressure_material_default();
  material.modulus = modulus;
  const double size[3] = {x, y, z};
  limpet_pressure_field *field = limpet_pressure_field_of_shape(kind, size, NULL, &material, NULL);
  assert_non_null(field);
  return field;
}

// The surface of A, upright at height z, on B, upright in the origin.
static void press(limpet_pressure_surface *s, const limpet_pressure_field *a, double z,
                  const limpet_pressure_field *b, const limpet_pressure_query *query) {
  const double origin[3] = {0.0, 0.0, 0.0}, position[3] = {0.0, 0.0, z};
  const limpet_pressure_body below = {b, origin, upright}, above = {a, position, upright};
  assert_int_equal(limpet_pressure_surface_compute(s, &below, &above, query), LIMPET_OK);
}

// --------------------------------------------------------------------------- force over depth

// Height of the top of a shape above its centre; of a half space 0.
static double top_of(const limpet_pressure_field *field) {
  return limpet_pressure_field_info(field).high[2];
}

/* Against the closed form where there is one, else the limit; relative. Golden limits of fields
 * with kinks err by up to 4e-4. */
static void golden_depths_are_met(void **state) {
  (void)state;
  if (!shared_exists("golden/hydroelastic")) exit(77);
  file_list files = file_list_find(shared_path("golden/hydroelastic/force_depth"), ".json");
  limpet_pressure_surface *s = limpet_pressure_surface_create(NULL);
  limpet_pressure_query query = limpet_pressure_query_default();
  query.tolerance = 1e-8;
  int rows = 0;
  for (int f = 0; f < files.count; ++f) {
    json_t *json = json_read(files.path[f]), *row;
    limpet_pressure_field *field[2];
    for (int k = 0; k < 2; ++k) {
      const json_t *side = json_object_get(json, k ? "b" : "a");
      field[k] =
          test_pressure_field(side, !json_is_number(json_object_get(side, "hydroelastic_modulus")));
    }
    size_t r;
    json_array_foreach(json_object_get(json, "rows"), r, row) {
      const json_t *closed = json_object_get(row, "closed_form"),
                   *limit = json_object_get(row, "limit"), *value = closed ? closed : limit;
      const double stated = json_number_value(json_object_get(limit, "estimated_relative_error")),
                   allowed = closed ? 1e-6 : fmax(3.0 * stated, 1e-6);
      const double force = json_number_value(json_object_get(value, "force")),
                   area = json_number_value(json_object_get(value, "area"));
      press(s, field[1],
            top_of(field[0]) + top_of(field[1]) - json_number_value(json_object_get(row, "depth")),
            field[0], &query);
      ++rows;
      if (!(fabs(s->force[2] / force - 1.0) <= allowed && fabs(s->area / area - 1.0) <= allowed))
        fail_msg("%s row %zu: force %.9g N for %.9g, area %.9g m^2 for %.9g", files.path[f], r,
                 s->force[2], force, s->area, area);
    }
    limpet_pressure_field_destroy(field[0]), limpet_pressure_field_destroy(field[1]);
    json_decref(json);
  }
  limpet_pressure_surface_destroy(s);
  file_list_free(&files);
  assert_true(rows > 60);
}

/* A cylinder's end on the face of a box, both compliant, slopes k_c and k_b [Pa/m], depth d. In the
 * middle p = d/(1/k_c + 1/k_b), at the depth b = p/k_c in the cylinder; around it a ring from the
 * radius R - b to R on which p = k_c (R - r) rises into the box with the slope k_c/k_b. */
static void cylinder_on_box_has_its_closed_form(void **state) {
  (void)state;
  const double R = 0.04, d = 0.004, kb = 1e6 / 0.04, kc = 2.5e6 / 0.04, pi = LIMPET_PI;
  limpet_pressure_field *box = shape(LIMPET_SHAPE_BOX, 0.05, 0.07, 0.04, 1e6),
                        *cylinder = shape(LIMPET_SHAPE_CYLINDER, R, 0.06, 0.0, 2.5e6);
  limpet_pressure_surface *s = limpet_pressure_surface_create(NULL);
  limpet_pressure_query query = limpet_pressure_query_default();
  query.tolerance = 1e-7;
  press(s, cylinder, 0.1 - d, box, &query);
  const double p = d / (1.0 / kc + 1.0 / kb), b = p / kc, slope = kc / kb;
  const double area = pi * (R - b) * (R - b) + pi * (2.0 * R - b) * b * sqrt(1.0 + slope * slope);
  const double force =
      p * pi * (R - b) * (R - b) + 2.0 * pi * kc * (R * b * b / 2.0 - b * b * b / 3.0);
  assert_true(fabs(s->area / area - 1.0) < 1e-6);
  assert_true(fabs(s->force[2] / force - 1.0) < 1e-6);
  limpet_pressure_field_destroy(box), limpet_pressure_field_destroy(cylinder);
  limpet_pressure_surface_destroy(s);
}

// --------------------------------------------------------------------------- own tetrahedra

static double ball(void *context, const double x[3]) {
  return 1.0 - limpet_vec3_norm(x) / *(const double *)context;
}

static limpet_pressure_field *of_mesh(const test_mesh *mesh,
                                      const limpet_pressure_material *material,
                                      limpet_error *error) {
  return limpet_pressure_field_of_triangles(mesh->vertices, mesh->vertex_count, mesh->faces,
                                            mesh->face_count, material, error);
}

static test_mesh cube_of(double half) {
  test_mesh mesh = {.vertex_count = 0};
  const double centre[3] = {0.0, 0.0, 0.0}, sides[3] = {half, half, half};
  test_mesh_box(&mesh, centre, sides);
  return mesh;
}

/* A ball given as a function on tetrahedra of our own: force and area against the closed form, when
 * the tetrahedra shrink; the mean over several heights, since a single one can be lucky. */
static void own_tetrahedra_converge_with_second_order(void **state) {
  (void)state;
  static double radius = 0.05;
  test_mesh mesh = cube_of(0.05);
  limpet_pressure_field *plane = shape(LIMPET_SHAPE_PLANE, 0.0, 0.0, 0.0, INFINITY);
  limpet_pressure_surface *s = limpet_pressure_surface_create(NULL);
  const limpet_pressure_query query = limpet_pressure_query_default();
  double error[3] = {0.0, 0.0, 0.0};
  for (int level = 0; level < 3; ++level) {
    limpet_pressure_material material = limpet_pressure_material_default();
    material.modulus = 1e6, material.size = radius / (4 << level);
    material.function = ball, material.context = &radius;
    limpet_pressure_field *field = of_mesh(&mesh, &material, NULL);
    for (int k = 0; k < 8; ++k) {
      const double h = radius - 0.01 - 0.0007 * k;
      press(s, field, h, plane, &query);
      const double force = 2.0 * LIMPET_PI * 1e6 *
                           ((radius * radius - h * h) / 2.0 -
                            (radius * radius * radius - h * h * h) / (3.0 * radius));
      error[level] += fabs(s->force[2] / force - 1.0) / 8.0;
    }
    limpet_pressure_field_destroy(field);
  }
  print_message("errors of force at R/4, R/8, R/16: %.2e, %.2e, %.2e\n", error[0], error[1],
                error[2]);
  assert_true(error[0] > 3.5 * error[1] && error[1] > 3.5 * error[2] && error[2] < 0.01);
  limpet_pressure_field_destroy(plane);
  limpet_pressure_surface_destroy(s);
}

// A cube of triangles, filled by the library, against the exact field of a box.
static void filled_cube_is_a_box(void **state) {
  (void)state;
  test_mesh mesh = cube_of(0.05);
  limpet_pressure_material material = limpet_pressure_material_default();
  material.modulus = 1e6, material.size = 0.05 / 8.0;
  limpet_pressure_field *field = of_mesh(&mesh, &material, NULL),
                        *box = shape(LIMPET_SHAPE_BOX, 0.05, 0.05, 0.05, 1e6),
                        *plane = shape(LIMPET_SHAPE_PLANE, 0.0, 0.0, 0.0, INFINITY);
  const limpet_pressure_info info = limpet_pressure_field_info(field);
  assert_true(fabs(info.volume / 1e-3 - 1.0) < 1e-12 && fabs(info.depth / 0.05 - 1.0) < 1e-6);
  assert_true(info.elements > 1000 && info.vertices > 200 && info.dead == 0);
  limpet_pressure_surface *s = limpet_pressure_surface_create(NULL);
  const limpet_pressure_query query = limpet_pressure_query_default();
  press(s, box, 0.048, plane, &query);
  const double force = s->force[2];
  press(s, field, 0.048, plane, &query);
  assert_true(fabs(s->force[2] / force - 1.0) < 0.02);
  limpet_pressure_field_destroy(field), limpet_pressure_field_destroy(box);
  limpet_pressure_field_destroy(plane), limpet_pressure_surface_destroy(s);
}

// --------------------------------------------------------------------------- before touch

/* A box 1 mm above a plane, looked at within 2 mm: points with negative pressures, from which the
 * same stiffness follows as after touch; no force. */
static void points_come_before_bodies_touch(void **state) {
  (void)state;
  limpet_pressure_field *below[3] = {shape(LIMPET_SHAPE_PLANE, 0.0, 0.0, 0.0, INFINITY),
                                     shape(LIMPET_SHAPE_PLANE, 0.0, 0.0, 0.0, 2e6),
                                     shape(LIMPET_SHAPE_BOX, 0.2, 0.2, 0.1, 2e6)};
  limpet_pressure_field *above[2] = {shape(LIMPET_SHAPE_BOX, 0.05, 0.05, 0.05, 1e6),
                                     shape(LIMPET_SHAPE_SPHERE, 0.05, 0.0, 0.0, 1e6)};
  limpet_pressure_surface *s = limpet_pressure_surface_create(NULL);
  limpet_pressure_query query = limpet_pressure_query_default();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j) {
      const double z = top_of(below[i]) + 0.05 + 1e-3;
      query.reach = 0.0;
      press(s, above[j], z, below[i], &query);
      assert_int_equal(s->point_count, 0);
      query.reach = 2e-3;
      press(s, above[j], z, below[i], &query);
      assert_true(s->point_count > 0 && s->area == 0.0 && s->pressure_integral == 0.0);
      for (int k = 0; k < s->point_count; ++k) {
        const limpet_pressure_point *p = &s->point[k];
        assert_true(p->pressure < 0.0 && p->area > 0.0 && p->gradient >= 0.0);
        // where the bodies face each other -p/gradient is the gap; beside, p does not change along
        // z
        if (j == 0 && i < 2 && p->normal[2] > 0.99 && p->gradient > 1.0)
          assert_true(fabs(-p->pressure / p->gradient - 1e-3) < 1e-9);
      }
    }
  for (int i = 0; i < 3; ++i) limpet_pressure_field_destroy(below[i]);
  for (int j = 0; j < 2; ++j) limpet_pressure_field_destroy(above[j]);
  limpet_pressure_surface_destroy(s);
}

// --------------------------------------------------------------------------- bad input

static void fails_with(limpet_pressure_field *field, const limpet_error *error, const char *part) {
  assert_null(field);
  assert_int_equal(error->status, LIMPET_ERROR_INPUT);
  if (!strstr(error->message, part)) fail_msg("'%s' does not say '%s'", error->message, part);
}

static void bad_numbers_are_named(void **state) {
  (void)state;
  limpet_pressure_material material = limpet_pressure_material_default();
  limpet_error error = {0};
  const double size[3] = {0.1, 0.1, 0.1}, flat[3] = {0.1, 0.0, 0.1};
  for (int k = 0; k < 3; ++k) {
    material.modulus = k == 0 ? 0.0 : k == 1 ? -1e6 : NAN;
    fails_with(limpet_pressure_field_of_shape(LIMPET_SHAPE_BOX, size, NULL, &material, &error),
               &error, "elastic modulus is");
  }
  material = limpet_pressure_material_default();
  fails_with(limpet_pressure_field_of_shape(LIMPET_SHAPE_BOX, flat, NULL, &material, &error),
             &error, "size 0 m");
  material.slab_thickness = 0.0;
  fails_with(limpet_pressure_field_of_shape(LIMPET_SHAPE_PLANE, size, NULL, &material, &error),
             &error, "slab of 0 m");
  material = limpet_pressure_material_default();
  material.margin = -1.0;
  fails_with(limpet_pressure_field_of_shape(LIMPET_SHAPE_BOX, size, NULL, &material, &error),
             &error, "margin of a pressure field is -1 m");
}

static void bad_tetrahedra_are_named(void **state) {
  (void)state;
  const limpet_pressure_material material = limpet_pressure_material_default();
  limpet_error error = {0};
  const double x[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.2, 0.2, 0, 0.3, 0.3, 2};
  const int range[4] = {0, 1, 2, 9}, flat[4] = {0, 1, 2, 4}, overlap[8] = {0, 1, 2, 3, 0, 1, 2, 5},
            good[4] = {0, 1, 2, 3};
  fails_with(limpet_pressure_field_of_tetrahedra(x, 6, range, 1, NULL, &material, &error), &error,
             "tetrahedron 0 has vertex 9");
  fails_with(limpet_pressure_field_of_tetrahedra(x, 6, flat, 1, NULL, &material, &error), &error,
             "has no volume");
  fails_with(limpet_pressure_field_of_tetrahedra(x, 6, overlap, 2, NULL, &material, &error), &error,
             "overlap at the face");
  // a tetrahedron without inner vertex is split, and that is told
  limpet_pressure_field *field =
      limpet_pressure_field_of_tetrahedra(x, 6, good, 1, NULL, &material, &error);
  assert_non_null(field);
  assert_int_equal(limpet_pressure_field_info(field).dead, 1);
  assert_int_equal(limpet_pressure_field_info(field).elements, 4);
  const double centre[3] = {0.25, 0.25, 0.25};
  assert_true(fabs(limpet_pressure_field_value(field, centre, NULL) / material.modulus - 1.0) <
              1e-12);
  limpet_pressure_field_destroy(field);
}

static void bad_triangles_are_named(void **state) {
  (void)state;
  limpet_pressure_material material = limpet_pressure_material_default();
  limpet_error error = {0};
  test_mesh open = cube_of(0.05), inside_out = cube_of(0.05), crossing = cube_of(0.05);
  --open.face_count;
  fails_with(of_mesh(&open, &material, &error), &error, "open");
  for (int f = 0; f < inside_out.face_count; ++f) {
    const int swap = inside_out.faces[3 * f];
    inside_out.faces[3 * f] = inside_out.faces[3 * f + 1], inside_out.faces[3 * f + 1] = swap;
  }
  fails_with(of_mesh(&inside_out, &material, &error), &error, "inwards");
  const double aside[3] = {0.03, 0.02, 0.01}, half[3] = {0.05, 0.04, 0.03};
  test_mesh_box(&crossing, aside, half);
  fails_with(of_mesh(&crossing, &material, &error), &error, "cross each other");
  // edges that go through faces along their diagonals alone
  test_mesh shifted = cube_of(0.05);
  const double corner[3] = {0.05, 0.05, 0.05}, same[3] = {0.05, 0.05, 0.05};
  test_mesh_box(&shifted, corner, same);
  fails_with(of_mesh(&shifted, &material, &error), &error, "cross each other");
  // a sheet 10 m wide and 1 mm thick would take a billion tetrahedra
  test_mesh sheet = {.vertex_count = 0};
  const double wide[3] = {5.0, 5.0, 5e-4}, centre[3] = {0.0, 0.0, 0.0};
  test_mesh_box(&sheet, centre, wide);
  fails_with(of_mesh(&sheet, &material, &error), &error, "thin shell");
  // rigid, it is only its faces
  material.modulus = INFINITY;
  limpet_pressure_field *rigid = of_mesh(&sheet, &material, &error);
  assert_non_null(rigid);
  assert_int_equal(limpet_pressure_field_info(rigid).elements, 12);
  limpet_pressure_field_destroy(rigid);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(golden_depths_are_met),
      cmocka_unit_test(cylinder_on_box_has_its_closed_form),
      cmocka_unit_test(own_tetrahedra_converge_with_second_order),
      cmocka_unit_test(filled_cube_is_a_box),
      cmocka_unit_test(points_come_before_bodies_touch),
      cmocka_unit_test(bad_numbers_are_named),
      cmocka_unit_test(bad_tetrahedra_are_named),
      cmocka_unit_test(bad_triangles_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
