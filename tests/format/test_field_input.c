/* tests/format/test_field_input.c: meshes and moduli that make no good pressure field are refused,
 * or simulated with a warning, each with place, numbers and what to do: none is silent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"

#define CUBE_FACES                                                                    \
  "0 1 3 0 3 2 4 6 7 4 7 5 0 4 5 0 5 1 2 3 7 2 7 6 0 2 6 0 6 4 " /* one is missing */ \
  "1 5 7"
#define LAST_FACE " 1 7 3"
#define SECOND_FACES                                                                    \
  " 8 9 11 8 11 10 12 14 15 12 15 13 8 12 13 8 13 9 10 11 15 10 15 14 8 10 14 8 14 12 " \
  "9 13 15 9 15 11"
#define SECOND_TURNED                                                                   \
  " 8 11 9 8 10 11 12 15 14 12 13 15 8 13 12 8 9 13 10 15 11 10 14 15 8 14 10 8 12 14 " \
  "9 15 13 9 11 15"

enum { MOST_TEXT = 6000 };

// Corners of a cube of half length h [m] about (x, 0, 0).
static void cube_add(char *text, double h, double x) {
  for (int i = 0; i < 8; ++i) {
    char corner[80];
    snprintf(corner, sizeof corner, "%.9g %.9g %.9g ", x + (i & 4 ? h : -h), i & 2 ? h : -h,
             i & 1 ? h : -h);
    strcat(text, corner);
  }
}

/* Compiles a scene; the message of its error, or its doubtful notes one behind the other, each with
 * the line of its place in front. */
static void answer_of(const char *scene, char *answer) {
  limpet_builder *builder = limpet_builder_create();
  limpet_error error = {0};
  limpet_model *model = NULL;
  if (limpet_mjcf_read_text(builder, scene, strlen(scene), "scene.xml", NULL, &error) == LIMPET_OK)
    model = limpet_builder_compile(builder, &error);
  answer[0] = '\0';
  if (!model) snprintf(answer, MOST_TEXT, "refused: %s", error.message);
  for (int i = 0; model && i < model->note_count; ++i) {
    if (!model->note[i].doubtful) continue;
    assert_true(model->note[i].place.line > 0);
    strncat(answer, model->note[i].text, MOST_TEXT - strlen(answer) - 1);
  }
  limpet_model_destroy(model);
  limpet_builder_destroy(builder);
}

// A body with this mesh on a plane.
static void mesh_scene(char *scene, const char *vertices, const char *faces, bool concave,
                       const char *geom) {
  snprintf(scene, MOST_TEXT,
           "<mujoco><asset><mesh name='m' %s vertex='%s' face='%s'/></asset>"
           "<worldbody><geom type='plane' size='1 1 .1' limpet:elastic_modulus='1e6' "
           "limpet:slab_thickness='.1'/><body pos='0 0 9'><freejoint/><geom type='mesh' mesh='m' "
           "%s/></body></worldbody></mujoco>",
           concave ? "limpet:concave='true'" : "", vertices, faces, geom);
}

static const struct {
  const char *what, *faces, *concave, *hull;  // of the answers: NULL: nothing is wrong
  double second, at;  // [m]  half length of a second cube, and where it is; 0: none
} mesh_case[] = {
    {"good", CUBE_FACES LAST_FACE, NULL, NULL, 0, 0},
    {"open", CUBE_FACES, "open at 3 edges", "open at 3 edges", 0, 0},
    {"one face turned", CUBE_FACES " 1 3 7", "open at 3 edges", NULL, 0, 0},
    {"twice the same face", CUBE_FACES LAST_FACE " 0 1 3", "open at 3 edges", "open at 3 edges", 0,
     0},
    {"crossing", CUBE_FACES LAST_FACE SECOND_FACES, "24 triangles cross", NULL, 0.04, 0.04},
    {"one in the other", CUBE_FACES LAST_FACE SECOND_FACES, "winds 2 times", "winds 2 times", 0.03,
     0},
    {"hollow", CUBE_FACES LAST_FACE SECOND_TURNED, NULL, NULL, 0.03, 0},
    {"side by side", CUBE_FACES LAST_FACE SECOND_FACES, NULL, NULL, 0.03, 0.2},
    {"one inside out", CUBE_FACES LAST_FACE SECOND_TURNED, "winds 0 times", "winds 0 times", 0.03,
     0.2},
    {"touching", CUBE_FACES LAST_FACE SECOND_FACES, NULL, NULL, 0.05, 0.1},
};

static void meshes_without_an_inside_are_told(void **state) {
  (void)state;
  char *scene = malloc(MOST_TEXT), *answer = malloc(MOST_TEXT);
  for (size_t k = 0; k < sizeof mesh_case / sizeof mesh_case[0]; ++k)
    for (int concave = 0; concave < 2; ++concave) {
      char vertices[1000] = "";
      cube_add(vertices, 0.05, 0.0);
      if (mesh_case[k].second > 0.0) cube_add(vertices, mesh_case[k].second, mesh_case[k].at);
      mesh_scene(scene, vertices, mesh_case[k].faces, concave, "limpet:elastic_modulus='1e6'");
      answer_of(scene, answer);
      const char *expected = concave ? mesh_case[k].concave : mesh_case[k].hull;
      // a refusal by the mass of the triangles is as good
      const bool told = expected               ? strstr(answer, expected) != NULL
                        : mesh_case[k].concave ? answer[0] != '\0'
                                               : answer[0] == '\0';
      if (!told) fail_msg("%s, concave %d: %s", mesh_case[k].what, concave, answer);
      if (concave && expected) assert_non_null(strstr(answer, "refused: scene.xml:1:"));
    }
  free(scene), free(answer);
}

static void moduli_are_told(void **state) {
  (void)state;
  static const struct {
    const char *value, *expected;
  } modulus[] = {
      {"0", "must be positive"},
      {"-1e6", "must be positive"},
      {"nan", "NaN"},
      {"-inf", "must be positive"},
      {"1e-3", "give it in pascals"},
      {"1e18", "give it in pascals"},
      {"1e5", NULL},
      {"inf", NULL},
  };
  char *answer = malloc(MOST_TEXT), scene[600];
  for (size_t k = 0; k < sizeof modulus / sizeof modulus[0]; ++k) {
    snprintf(scene, sizeof scene,
             "<mujoco><worldbody><geom type='plane' size='1 1 .1'/><body pos='0 0 9'><freejoint/>"
             "<geom type='sphere' size='.1' limpet:elastic_modulus='%s'/></body></worldbody>"
             "</mujoco>",
             modulus[k].value);
    answer_of(scene, answer);
    if (modulus[k].expected ? !strstr(answer, modulus[k].expected) : answer[0] != '\0')
      fail_msg("modulus %s: %s", modulus[k].value, answer);
  }
  free(answer);
}

// Shells are told, slabs of a floor, cables and rigid plates are not.
static void thin_primitives_are_told(void **state) {
  (void)state;
  static const struct {
    const char *geom, *modulus;
    bool told;
  } shape[] = {{"type='box' size='.1 .1 1e-4'", "1e6", true},
               {"type='cylinder' size='.1 1e-4'", "1e6", true},
               {"type='ellipsoid' size='.1 .1 1e-4'", "1e6", true},
               {"type='box' size='.1 .1 1e-4'", "inf", false},
               {"type='box' size='2 2 .05'", "1e6", false},
               {"type='capsule' size='.002 .5'", "1e6", false},
               {"type='box' size='.1 .1 .1'", "1e6", false}};
  char *answer = malloc(MOST_TEXT), scene[600];
  for (size_t k = 0; k < sizeof shape / sizeof shape[0]; ++k) {
    snprintf(scene, sizeof scene,
             "<mujoco><worldbody><geom type='plane' size='1 1 .1'/><body pos='0 0 9'><freejoint/>"
             "<geom %s limpet:elastic_modulus='%s'/></body></worldbody></mujoco>",
             shape[k].geom, shape[k].modulus);
    answer_of(scene, answer);
    const bool told = strstr(answer, "is thin: what comes deeper than 0.0001 m") != NULL;
    if (told != shape[k].told || (!told && answer[0] != '\0'))
      fail_msg("%s, modulus %s: %s", shape[k].geom, shape[k].modulus, answer);
  }
  free(answer);
}

// --------------------------------------------------------------------------- tetrahedra

enum { STAR = 12 };
static const int star_face[STAR][3] = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5},
                                       {0, 4, 5}, {0, 5, 1}, {2, 3, 7}, {2, 7, 6},
                                       {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};

// Cubes of `half` [m] about `at` on the x axis, each of twelve tetrahedra around its middle.
typedef struct star_mesh {
  double vertices[3 * 18], field[18];
  int tetrahedra[4 * 2 * STAR], faces[3 * 2 * STAR];
  int count;
} star_mesh;

static void star_add(star_mesh *mesh, double half, double at) {
  const int first = 9 * mesh->count, t = STAR * mesh->count++;
  for (int v = 0; v < 9; ++v) {
    const double x[3] = {at + (v < 8 ? (v & 4 ? half : -half) : 0.0),
                         v < 8 ? (v & 2 ? half : -half) : 0.0,
                         v < 8 ? (v & 1 ? half : -half) : 0.0};
    memcpy(mesh->vertices + 3 * (first + v), x, sizeof x);
    mesh->field[first + v] = v == 8;
  }
  for (int f = 0; f < STAR; ++f) {
    const int *c = star_face[f];
    const int corner[4] = {first + c[0], first + c[2], first + c[1], first + 8};
    memcpy(mesh->tetrahedra + 4 * (t + f), corner, sizeof corner);
    for (int k = 0; k < 3; ++k) mesh->faces[3 * (t + f) + k] = first + c[k];
  }
}

/* The answer to `geoms` bodies with this mesh; `given`: its field counts. `scale` [-]  of z. */
static void star_answer(const star_mesh *mesh, bool given, int geoms, double scale, char *answer,
                        int *notes) {
  limpet_builder *builder = limpet_builder_create();
  limpet_mesh_description d = limpet_mesh_description_default();
  d.name = "star", d.place.line = 1;
  d.vertex_count = 9 * mesh->count, d.vertices = mesh->vertices;
  d.tetrahedron_count = STAR * mesh->count, d.tetrahedra = mesh->tetrahedra;
  d.face_count = STAR * mesh->count, d.faces = mesh->faces;
  d.field = given ? mesh->field : NULL;
  d.scale[2] = scale;
  const int handle = limpet_builder_add_mesh(builder, &d);
  for (int i = 0; i < geoms; ++i) {
    limpet_geom_description geom = limpet_geom_description_default();
    geom.kind = LIMPET_SHAPE_MESH, geom.mesh = handle, geom.material.elastic_modulus = 1e6;
    geom.place.line = 2 + i;
    geom.position[0] = 1e4 * i;
    limpet_builder_add_geom(builder, &geom);
  }
  limpet_error error = {0};
  limpet_model *model = limpet_builder_compile(builder, &error);
  answer[0] = '\0';
  if (!model) snprintf(answer, MOST_TEXT, "refused: %s", error.message);
  *notes = model ? model->note_count : 0;
  for (int i = 0; model && i < model->note_count; ++i)
    if (model->note[i].doubtful)
      strncat(answer, model->note[i].text, MOST_TEXT - strlen(answer) - 1);
  limpet_model_destroy(model);
  limpet_builder_destroy(builder);
}

static void tetrahedra_are_told(void **state) {
  (void)state;
  char *answer = malloc(MOST_TEXT);
  int notes;
  static const struct {
    double second, at;
    const char *expected;
  } part[] = {{0.04, 0.03, "24 triangles cross"},
              {0.02, 0.0, "winds 2 times"},
              {0.04, 0.2, NULL},
              {0.05, 0.1, NULL}};
  for (int k = 0; k < 4; ++k) {
    star_mesh mesh = {.count = 0};
    star_add(&mesh, 0.05, 0.0), star_add(&mesh, part[k].second, part[k].at);
    star_answer(&mesh, false, 1, 1.0, answer, &notes);
    if (part[k].expected ? !strstr(answer, part[k].expected) : answer[0] != '\0')
      fail_msg("%d: %s", k, answer);
  }
  free(answer);
}

static void pressures_that_are_no_shares_are_told(void **state) {
  (void)state;
  char *answer = malloc(MOST_TEXT);
  int notes;
  star_mesh mesh = {.count = 0};
  star_add(&mesh, 0.05, 0.0);
  star_answer(&mesh, true, 1, 1.0, answer, &notes);
  assert_string_equal(answer, "");
  mesh.field[8] = 5.0;
  star_answer(&mesh, true, 1, 1.0, answer, &notes);
  assert_non_null(strstr(answer, "up to 5 times the modulus of 1e+06 Pa"));
  mesh.field[8] = 1.0, mesh.field[2] = 0.25;
  star_answer(&mesh, true, 1, 1.0, answer, &notes);
  assert_non_null(strstr(answer, "0.25 of the modulus on the boundary (1 at most)"));
  free(answer);
}

// A model has room for all notes of all its geoms.
static void many_notes_have_room(void **state) {
  (void)state;
  enum { GEOMS = 50 };
  char *answer = malloc(MOST_TEXT);
  int notes;
  star_mesh mesh = {.count = 0};
  star_add(&mesh, 500.0, 0.0);
  mesh.field[8] = 5.0, mesh.field[0] = 1.0;
  star_answer(&mesh, true, GEOMS, 1e-5, answer, &notes);
  // thin, wide, two of the pressures, thin tetrahedra
  assert_int_equal(notes, 5 * GEOMS);
  free(answer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(meshes_without_an_inside_are_told),
      cmocka_unit_test(moduli_are_told),
      cmocka_unit_test(thin_primitives_are_told),
      cmocka_unit_test(tetrahedra_are_told),
      cmocka_unit_test(pressures_that_are_no_shares_are_told),
      cmocka_unit_test(many_notes_have_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
