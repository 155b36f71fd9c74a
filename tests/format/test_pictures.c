/* tests/format/test_pictures.c: pictures on meshes: coordinates of corners from OBJ, MSH, MJCF and
 * glTF, images inside glTF files, what is malformed, and a scale that mirrors. v counts from below
 * in OBJ and in the library, from above in MuJoCo's files and in glTF. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "mjcf_text.h"

static const char *written(const char *name, const void *bytes, size_t size) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/test_pictures_%s", LIMPET_BINARY_DIR, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
  return path;
}

static limpet_mesh_file read_bytes(const char *name, const void *bytes, size_t size) {
  limpet_mesh_file mesh;
  limpet_error error = {0};
  if (limpet_mesh_file_read(&mesh, written(name, bytes, size), &error) != LIMPET_OK)
    fail_msg("%s", error.message);
  return mesh;
}

static limpet_mesh_file read_text(const char *name, const char *text) {
  return read_bytes(name, text, strlen(text));
}

static void same_floats(const float *found, const float *expected, int count) {
  assert_non_null(found);
  for (int i = 0; i < count; ++i)
    if (found[i] != expected[i])
      fail_msg("number %d: %g, expected %g", i, (double)found[i], (double)expected[i]);
}

// ------------------------------------------------------------------------------------ files

#define CORNERS "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

static void obj_has_coordinates(void **state) {
  (void)state;
  // a quadrangle; a face without any, one with one that is out of range, one that counts back
  limpet_mesh_file mesh = read_text("a.obj", CORNERS
                                    "vt 0 0\nvt 1 0\nvt 1 1 0\nvt .25\nf 1/1/1 2/2/1 3/3/1 4/4/1\n"
                                    "f 1 2 3\nf 1/9 2/1 3/-2\n");
  assert_int_equal(mesh.face_count, 4);
  same_floats(mesh.texture_coordinates, (const float[]){0, 0, 1, 0, 1, 1, 0, 0, 1, 1, .25f, 0,
                                                        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,    1},
              24);
  limpet_mesh_file_free(&mesh);
  mesh = read_text("b.obj", CORNERS "f 1/1 2/2 3/3\n");
  assert_null(mesh.texture_coordinates);
  limpet_mesh_file_free(&mesh);
  // the first face has none, since they come later
  mesh = read_text("c.obj", CORNERS "f 1/1 2/1 3/1\nvt .5 .75\nf 1/1 2/1 3/1\n");
  same_floats(mesh.texture_coordinates,
              (const float[]){0, 0, 0, 0, 0, 0, .5f, .75f, .5f, .75f, .5f, .75f}, 12);
  limpet_mesh_file_free(&mesh);
  mesh = read_text("d.obj", CORNERS "vt nonsense 1e99\nf 1/1 2/1 3/1\n");
  same_floats(mesh.texture_coordinates, (const float[]){0, 0, 0, 0, 0, 0}, 6);
  limpet_mesh_file_free(&mesh);
}

// more faces than the first room of an array
static void many_faces_keep_theirs(void **state) {
  (void)state;
  enum { FACES = 5000 };
  char *text = malloc(64 + 64 * FACES), *end = text;
  assert_non_null(text);
  end += sprintf(end, CORNERS);
  for (int i = 0; i < FACES; ++i) end += sprintf(end, "vt %d 1\nf 1/1 2/%d 3/%d\n", i, i + 1, i);
  limpet_mesh_file mesh = read_bytes("many.obj", text, (size_t)(end - text));
  free(text);
  assert_int_equal(mesh.face_count, FACES);
  for (int i = 0; i < FACES; ++i)
    same_floats(mesh.texture_coordinates + 6 * i,
                (const float[]){0, 1, (float)i, 1, i ? (float)(i - 1) : 0.0f, i ? 1.0f : 0.0f}, 6);
  limpet_mesh_file_free(&mesh);
}

static void msh_has_coordinates(void **state) {
  (void)state;
  const struct {
    int32_t count[4];
    float vertex[4][3], pair[4][2];
    int32_t face[2][3];
  } msh = {{4, 0, 4, 2},
           {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}},
           {{0, 1}, {1, 1}, {1, 0}, {0, 0}},
           {{0, 1, 2}, {0, 2, 3}}};
  limpet_mesh_file mesh = read_bytes("a.msh", &msh, sizeof msh);
  same_floats(mesh.texture_coordinates, (const float[]){0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1}, 12);
  limpet_mesh_file_free(&mesh);
}

// ------------------------------------------------------------------------------------- glTF

#define POINTS                                                                             \
  "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAACAPwAAgD8AAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAA" \
  "AAgD8AAIA/AACAPwAAgD8AAAAAAAAAAAAAAAAAAAA/AAAAPwAAAQACAAAAAgADAAAAAQAEAA=="
#define RED_DOT                                                                              \
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSu" \
  "QmCC"

// five corners with a pair each, three triangles, and a material with an image
#define GLTF(image)                                                                            \
  "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"                 \
  "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,"     \
  "\"TEXCOORD_0\":1},\"indices\":2,\"material\":0}]}],"                                        \
  "\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}],"           \
  "\"textures\":[{\"source\":0}],\"images\":[{" image                                          \
  "}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":5,\"type\":\"VEC3\","  \
  "\"min\":[0,0,0],\"max\":[1,1,1]},{\"bufferView\":1,\"componentType\":5126,\"count\":5,"     \
  "\"type\":\"VEC2\"},{\"bufferView\":2,\"componentType\":5123,\"count\":9,\"type\":"          \
  "\"SCALAR\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":60},{\"buffer\":0,"              \
  "\"byteOffset\":60,\"byteLength\":40},{\"buffer\":0,\"byteOffset\":100,\"byteLength\":18}]," \
  "\"buffers\":[{\"byteLength\":118,\"uri\":\"data:application/octet-stream;base64," POINTS    \
  "\"}]}"

static const char inner[] = GLTF("\"uri\":\"data:image/png;base64," RED_DOT "\"");
static const float on_gltf[18] = {0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0, .5f, .5f};

static bool reads_gltf(void) {
  limpet_mesh_file mesh;
  limpet_error error = {0};
  const limpet_status status =
      limpet_mesh_file_read(&mesh, written("try.gltf", inner, strlen(inner)), &error);
  if (status == LIMPET_OK) limpet_mesh_file_free(&mesh);
  return status != LIMPET_ERROR_UNSUPPORTED;
}

static void gltf_has_coordinates_and_an_image(void **state) {
  (void)state;
  if (!reads_gltf()) skip();  // built without assimp
  limpet_mesh_file mesh = read_text("a.gltf", inner);
  assert_int_equal(mesh.vertex_count, 5);
  same_floats(mesh.texture_coordinates, on_gltf, 18);
  assert_int_equal(mesh.image_size, 69);
  assert_memory_equal(mesh.image, "\x89PNG", 4);
  // the same image in a file beside it
  static unsigned char dot[69];
  memcpy(dot, mesh.image, sizeof dot);
  limpet_mesh_file_free(&mesh);
  written("dot.png", dot, sizeof dot);
  mesh = read_text("b.gltf", GLTF("\"uri\":\"test_pictures_dot.png\""));
  assert_int_equal(mesh.image_size, 69);
  assert_memory_equal(mesh.image, dot, sizeof dot);
  same_floats(mesh.texture_coordinates, on_gltf, 18);
  limpet_mesh_file_free(&mesh);
  // one that is not there, and one that is no image
  written("text.png", "no image", 8);
  const char *const none[] = {GLTF("\"uri\":\"missing.png\""),
                              GLTF("\"uri\":\"test_pictures_text.png\"")};
  for (size_t i = 0; i < sizeof none / sizeof *none; ++i) {
    mesh = read_text("c.gltf", none[i]);
    assert_null(mesh.image);
    assert_null(mesh.texture_coordinates);
    assert_int_equal(mesh.face_count, 3);
    limpet_mesh_file_free(&mesh);
  }
}

static void robots_wear_their_pictures(void **state) {
  (void)state;
  if (!reads_gltf()) skip();
  static const char urdf[] =
      "<robot name='r'><link name='l'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
      "ixy='0' ixz='0' iyz='0'/></inertial><visual><geometry><mesh "
      "filename='test_pictures_try.gltf'/></geometry></visual></link></robot>";
  limpet_error error = {0};
  limpet_model *model = limpet_load(written("r.urdf", urdf, strlen(urdf)), NULL, &error);
  if (!model) fail_msg("%s", error.message);
  assert_int_equal(model->texture_count, 1);
  const int look = model->geom_appearance[0];
  assert_int_equal(model->appearance[look].texture, 0);
  assert_int_equal(model->texture[0].image_size[0], 69);
  same_floats(model->mesh[0].texture_coordinates, on_gltf, 18);
  limpet_model_destroy(model);
}

// A picture beside the folder of its mesh, and one that is not there, are told.
static void pictures_that_are_elsewhere_are_told(void **state) {
  (void)state;
  if (!reads_gltf()) skip();
  static const struct {
    const char *gltf, *words;
  } cases[] = {{GLTF("\"uri\":\"../test_pictures_dot.png\""), "cannot be read"},
               {GLTF("\"uri\":\"../FOLDER/test_pictures_dot.png\""), "outside of its folder"}};
  static const char urdf[] =
      "<robot name='r'><link name='l'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
      "ixy='0' ixz='0' iyz='0'/></inertial><visual><geometry><mesh "
      "filename='test_pictures_far.gltf'/></geometry></visual></link></robot>";
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    // by way of its own folder, if that has a name
    char text[4000], folder[1024];
    const char *at = strstr(cases[i].gltf, "FOLDER");
    if (!getcwd(folder, sizeof folder)) fail();
    snprintf(text, sizeof text, "%.*s%s%s", at ? (int)(at - cases[i].gltf) : 4000, cases[i].gltf,
             at ? strrchr(folder, '/') + 1 : "", at ? at + 6 : "");
    written("far.gltf", text, strlen(text));
    limpet_error error = {0};
    limpet_model *model = limpet_load(written("r.urdf", urdf, strlen(urdf)), NULL, &error);
    if (!model) fail_msg("%s", error.message);
    bool told = false;
    for (int k = 0; k < model->note_count; ++k)
      told = told || strstr(model->note[k].text, cases[i].words);
    if (!told) fail_msg("no note says '%s'", cases[i].words);
    limpet_model_destroy(model);
  }
}

// ------------------------------------------------------------------------------------- MJCF

#define MESH(scale, pairs)                                                                     \
  "<asset><mesh name='m' inertia='shell' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 2 0 3 1' " \
  "scale='" scale "' texcoord='" pairs                                                         \
  "'/></asset>"                                                                                \
  "<worldbody><geom type='mesh' mesh='m'/></worldbody>"

static void mjcf_meshes_have_coordinates(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(MODEL(MESH("1 1 1", "0 1 1 1 0 0 .5 .25")));
  same_floats(model->mesh[0].texture_coordinates,
              (const float[]){0, 0, 1, 0, 0, 1, 0, 0, .5f, .75f, 1, 0}, 12);
  limpet_model_destroy(model);
  // the corners of a face that is turned around keep theirs
  model = mjcf_load(MODEL(MESH("1 1 -1", "0 1 1 1 0 0 .5 .25")));
  same_floats(model->mesh[0].texture_coordinates,
              (const float[]){0, 0, 0, 1, 1, 0, 0, 0, 1, 0, .5f, .75f}, 12);
  limpet_model_destroy(model);
  assert_true(mjcf_refused(MODEL(MESH("1 1 1", "0 1 1")),
                           "robot.xml:2:105: 'texcoord' has 3 numbers; it takes two for each of "
                           "the 4 vertices"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(obj_has_coordinates),
      cmocka_unit_test(many_faces_keep_theirs),
      cmocka_unit_test(msh_has_coordinates),
      cmocka_unit_test(gltf_has_coordinates_and_an_image),
      cmocka_unit_test(robots_wear_their_pictures),
      cmocka_unit_test(pictures_that_are_elsewhere_are_told),
      cmocka_unit_test(mjcf_meshes_have_coordinates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
