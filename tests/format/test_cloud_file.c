/* tests/format/test_cloud_file.c: point clouds from files: every format gives the same points; what
 * is wrong is named with its place; geoms of MJCF files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/cloud/points.h"
#include "limpet/limpet.h"

enum { POINTS = 50 };

static char folder[64];
static double expected[3 * POINTS];

static int setup(void **state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/limpet_cloud_XXXXXX");
  // exact in single precision and in six digits
  for (int i = 0; i < 3 * POINTS; ++i) expected[i] = (i * 37 % 101 - 50) / 64.0;
  return mkdtemp(folder) ? 0 : 1;
}

static const char *in_folder(const char *name) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static int teardown(void **state) {
  (void)state;
  static const char *const names[] = {"a.xyz", "a.ply", "a.pcd", "a.npy", "scene.xml"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) unlink(in_folder(names[i]));
  return rmdir(folder);
}

// A file in memory while it is written.
typedef struct bytes {
  char data[16384];
  size_t length;
} bytes;

static void put_text(bytes *b, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  b->length +=
      (size_t)vsnprintf(b->data + b->length, sizeof b->data - b->length, format, arguments);
  va_end(arguments);
}

static void put_number(bytes *b, double value, size_t size, bool big_endian) {
  const float single = (float)value;
  char raw[8];
  if (size == 4) memcpy(raw, &single, 4);
  else memcpy(raw, &value, 8);
  for (size_t i = 0; i < size; ++i)
    b->data[b->length++] = raw[big_endian ? size - 1 - i : i];  // this machine is little-endian
}

static void write_file(const char *name, const bytes *b) {
  FILE *file = fopen(in_folder(name), "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(b->data, 1, b->length, file), b->length);
  fclose(file);
}

static void gives_the_points(const char *name, const bytes *b) {
  limpet_cloud_file cloud;
  limpet_error error = {0};
  write_file(name, b);
  if (limpet_cloud_file_read(&cloud, in_folder(name), &error) != LIMPET_OK)
    fail_msg("%s", error.message);
  assert_int_equal(cloud.point_count, POINTS);
  assert_memory_equal(cloud.points, expected, sizeof expected);
  limpet_cloud_file_free(&cloud);
}

static void every_format_gives_the_same_points(void **state) {
  (void)state;
  bytes b = {.length = 0};
  put_text(&b, "# a comment\n\n");
  for (int i = 0; i < POINTS; ++i)
    put_text(&b, i % 2 ? "%.9g %.9g %.9g 255 0 7\r\n" : "  %.9g,%.9g,\t%.9g\n", expected[3 * i],
             expected[3 * i + 1], expected[3 * i + 2]);
  --b.length;  // no newline at the end
  gives_the_points("a.xyz", &b);

  for (size_t size = 4; size <= 8; size += 4) {
    b.length = 0;
    char header[128];
    snprintf(header, sizeof header,
             "{'descr': '<f%zu', 'fortran_order': False, 'shape': (%d, 3), }", size, POINTS);
    memcpy(b.data, "\x93NUMPY\x01\0\x76\0", 10);
    b.length = 10;
    put_text(&b, "%-117s\n", header);
    for (int i = 0; i < 3 * POINTS; ++i) put_number(&b, expected[i], size, false);
    gives_the_points("a.npy", &b);
  }

  for (int binary = 0; binary < 2; ++binary) {
    b.length = 0;
    put_text(&b,
             "# .PCD v0.7\nVERSION 0.7\nFIELDS normal z x rgb y\nSIZE 4 8 4 4 4\nTYPE F F F U "
             "F\nCOUNT 2 1 1 1 1\nWIDTH 10\n"
             "HEIGHT 5\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 50\nDATA %s\n",
             binary ? "binary" : "ascii");
    for (int i = 0; i < POINTS; ++i) {
      const double *x = expected + 3 * i;
      if (!binary) {
        put_text(&b, "0.5 -0.5 %.9g %.9g 4294967295 %.9g\n", x[2], x[0], x[1]);
        continue;
      }
      put_number(&b, 0.5, 8, false), put_number(&b, x[2], 8, false), put_number(&b, x[0], 4, false);
      put_number(&b, 9.0, 4, false), put_number(&b, x[1], 4, false);
    }
    gives_the_points("a.pcd", &b);
  }
}

// Appends LZF: the longest earlier match at each place, else one literal byte.
static void put_compressed(bytes *b, const unsigned char *plain, size_t size) {
  for (size_t at = 0; at < size;) {
    size_t best = 0, from = 0;
    for (size_t k = at > 8191 ? at - 8191 : 0; k < at; ++k) {
      size_t length = 0;
      while (length < 264 && at + length < size && plain[k + length] == plain[at + length])
        ++length;
      if (length > best) best = length, from = k;
    }
    if (best < 3) {
      b->data[b->length++] = 0;
      b->data[b->length++] = (char)plain[at++];
      continue;
    }
    const size_t back = at - from - 1, length = best - 2;
    b->data[b->length++] = (char)((length < 7 ? length : 7) << 5 | back >> 8);
    if (length >= 7) b->data[b->length++] = (char)(length - 7);
    b->data[b->length++] = (char)(back & 255);
    at += best;
  }
}

static void compressed_pcd(void **state) {
  (void)state;
  bytes fields = {.length = 0}, b = {.length = 0};
  for (int k = 2; k >= 0; --k)  // z, y, x, and long runs of one byte before y
    for (int i = 0; i < POINTS * (k == 1 ? 3 : 1); ++i) {
      if (k == 1 && i < 2 * POINTS) put_number(&fields, 0.0, 8, false);
      else put_number(&fields, expected[3 * (i % POINTS) + k], k == 0 ? 8 : 4, false);
    }
  put_text(&b,
           "FIELDS z pad y x\nSIZE 4 8 4 8\nTYPE F F F F\nCOUNT 1 2 1 1\nWIDTH 50\nHEIGHT "
           "1\nPOINTS 50\nDATA "
           "binary_compressed\n");
  const size_t sizes = b.length;
  b.length += 8;
  put_compressed(&b, (const unsigned char *)fields.data, fields.length);
  const uint32_t packed = (uint32_t)(b.length - sizes - 8), plain = (uint32_t)fields.length;
  memcpy(b.data + sizes, &packed, 4), memcpy(b.data + sizes + 4, &plain, 4);
  assert_true(packed < plain / 2);
  gives_the_points("a.pcd", &b);
}

static void ply_of_every_kind(void **state) {
  (void)state;
  static const char *const formats[] = {"ascii", "binary_little_endian", "binary_big_endian"};
  for (int f = 0; f < 3; ++f)
    for (size_t size = 4; size <= 8; size += 4) {
      const char *type = size == 4 ? "float" : "float64";
      bytes b = {.length = 0};
      put_text(&b,
               "ply\nformat %s 1.0\ncomment element vertex 3\nelement camera 2\nproperty list "
               "uchar short view\nproperty double "
               "f\nelement vertex 50\nproperty %s y\nproperty uchar red\nproperty %s x\nproperty "
               "%s z\nelement face 1\n"
               "property list uchar int vertex_indices\nend_header\n",
               formats[f], type, type, type);
      for (int c = 0; c < 2; ++c) {
        if (f == 0) put_text(&b, "3 1 2 3 0.5\n");
        else {
          b.data[b.length++] = 3;
          for (int k = 0; k < 6; ++k) b.data[b.length++] = 0;
          put_number(&b, 0.5, 8, f == 2);
        }
      }
      for (int i = 0; i < POINTS; ++i) {
        const double *x = expected + 3 * i;
        if (f == 0) {
          put_text(&b, "%.9g 200 %.9g\n%.9g\n", x[1], x[0], x[2]);
          continue;
        }
        put_number(&b, x[1], size, f == 2);
        b.data[b.length++] = (char)200;
        put_number(&b, x[0], size, f == 2), put_number(&b, x[2], size, f == 2);
      }
      put_text(&b, "3 0 1 2\n");
      gives_the_points("a.ply", &b);
    }
}

static void is_refused(const char *name, const char *text, size_t length, const char *message) {
  bytes b = {.length = length};
  memcpy(b.data, text, length);
  write_file(name, &b);
  limpet_cloud_file cloud;
  limpet_error error = {0};
  assert_true(limpet_cloud_file_read(&cloud, in_folder(name), &error) != LIMPET_OK);
  assert_null(cloud.points);
  if (!strstr(error.message, message)) fail_msg("'%s' does not say '%s'", error.message, message);
  assert_true(strncmp(error.message, folder, strlen(folder)) == 0);
}

static void what_is_wrong_is_named(void **state) {
  (void)state;
#define REFUSED(name, text, message) is_refused(name, text, sizeof text - 1, message)
  REFUSED("a.xyz", "", "has no points");
  REFUSED("a.xyz", "# nothing\n\n", "has no points");
  REFUSED("a.xyz", "1 2 3\n# x\n1 nan 3\n",
          "a.xyz:3: y of point 1 (counted from 0) is not a number (NaN)");
  REFUSED("a.xyz", "1 2 3\n1 2 -inf\n", "a.xyz:2: z of point 1 (counted from 0) is infinite");
  REFUSED("a.xyz", "1 2 3\n4 5\n6 7 8\n", "a.xyz:2: number 3 of the line is missing or no number");
  REFUSED("a.xyz", "1 2 3m\n", "a.xyz:1: number 3 of the line is missing or no number");
#define PLY "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
  REFUSED("a.ply", PLY "end_header\n1 2\n3 4\n",
          "no element 'vertex' with the properties x, y and z");
  REFUSED("a.ply", PLY "property float z\nend_header\n1 2 3\n4.00000 5\n",
          "point 1 of 2 is cut off");
  REFUSED("a.ply", PLY "property float z\nend_header\n1 2 3\n4 5 nan\n",
          "a.ply:9: z of point 1 (counted from 0) is not a number");
  REFUSED("a.ply", PLY "property real z\nend_header\n",
          "a.ply:6: this line of the header cannot be read");
  REFUSED("a.ply", PLY, "the header of the PLY file has no end");
  REFUSED("a.ply",
          "ply\nformat binary_little_endian 1.0\nelement vertex 99999999999\nproperty float "
          "x\nproperty float y\n"
          "property float z\nend_header\nabcdefghijkl",
          "says that it has 99999999999 points");
  REFUSED("a.ply", "solid\n", "is no PLY file");
#define PCD "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 1\n"
  REFUSED("a.pcd", PCD "DATA zip\n", "DATA must be ascii, binary or binary_compressed");
  REFUSED("a.pcd", PCD "DATA binary_compressed\n\xff\0\0\0\x18\0\0\0abc",
          "the sizes before the compressed points do not fit");
  REFUSED("a.pcd", PCD "DATA binary_compressed\n\x03\0\0\0\x17\0\0\0abc",
          "the sizes before the compressed points do not fit");
  REFUSED("a.pcd",
          PCD
          "DATA binary_compressed\n\x03\0\0\0\x18\0\0\0\x01"
          "ab",
          "the compressed points are broken");
  REFUSED("a.pcd",
          PCD
          "DATA binary_compressed\n\x03\0\0\0\x18\0\0\0\x60\x05"
          "a",
          "the compressed points are broken");
  REFUSED("a.pcd", PCD "DATA ascii\n1 2 3\n4.0000 5\n",
          "a.pcd:9: point 1 of 2 has no number 3 of 3");
  REFUSED("a.pcd", PCD "DATA ascii\n1 2 3\n4 nan 5\n", "a.pcd:9: y of point 1");
  REFUSED("a.pcd", PCD "DATA binary\n1234567890", "says that it has 2 points");
  REFUSED("a.pcd", "FIELDS x y\nSIZE 4 4\nTYPE F F\nPOINTS 1\nDATA ascii\n1 2\n",
          "do not describe x, y and z");
  REFUSED("a.pcd", "FIELDS x y z\nSIZE 4 4\n",
          "a.pcd:2: the values of this line of the header are wrong");
  REFUSED("a.pcd", PCD, "has no line 'DATA'");
  REFUSED("a.npy", "NUMPY", "is no NPY file");
#define NPY(header) "\x93NUMPY\x01\0\x40\0" header
  REFUSED("a.npy", NPY("{}"), "its header is cut off");
#define FILL "                                                                "
  REFUSED("a.npy", NPY("{'descr': '>f8', 'fortran_order': False, 'shape': (1, 3)}" FILL),
          "no little-endian floats");
  REFUSED("a.npy", NPY("{'descr': '<f8', 'fortran_order': True, 'shape': (1, 3)}" FILL),
          "its numbers lie by columns");
  REFUSED("a.npy", NPY("{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}" FILL),
          "its shape is not N x 3");
  REFUSED("a.npy", NPY("{'descr': '<f8', 'fortran_order': False, 'shape': (9, 3)}" FILL),
          "says that it has 9 points");
  limpet_cloud_file cloud;
  limpet_error error = {0};
  assert_int_equal(limpet_cloud_file_read(&cloud, "a.e57", &error), LIMPET_ERROR_UNSUPPORTED);
  assert_int_equal(limpet_cloud_file_read(&cloud, in_folder("none.xyz"), &error),
                   LIMPET_ERROR_FILE);
}

// ----------------------------------------------------------------------------------- MJCF

static limpet_model *load_scene(const char *geoms, limpet_error *error) {
  bytes b = {.length = 0};
  put_text(&b,
           "<mujoco>\n<default><geom size='0.1'/><default class='c'><geom "
           "limpet:point_radius='0.01'/></default></default>\n"
           "<worldbody>\n<geom type='plane' size='1 1 1'/>\n%s\n</worldbody></mujoco>",
           geoms);
  write_file("scene.xml", &b);
  b.length = 0;
  put_text(&b, "0.1 0 0\n-0.1 0 0\n0 0.1 0\n0 -0.1 0\n0 0 0.2\n");
  write_file("a.xyz", &b);
  return limpet_load(in_folder("scene.xml"), NULL, error);
}

static void scene_is_refused(const char *geoms, const char *message) {
  limpet_error error = {0};
  assert_null(load_scene(geoms, &error));
  if (!strstr(error.message, message)) fail_msg("'%s' does not say '%s'", error.message, message);
}

static void geoms_are_clouds(void **state) {
  (void)state;
  limpet_error error = {0};
  limpet_model *model = load_scene(
      "<body name='b'><freejoint/><geom limpet:cloud='a.xyz' mass='2' pos='1 0 0'/>\n"
      "<geom limpet:cloud='a.xyz' mass='0' contype='0' conaffinity='0'/>\n"
      "<geom limpet:cloud='a.xyz' class='c' limpet:cloud_scale='2' limpet:contact_points='7' "
      "mass='1'\n"
      " pos='-1 0 0' euler='0 0 90'/></body>\n"
      "<body name='d'><freejoint/><geom limpet:cloud='a.xyz' mass='1'/></body>",
      &error);
  if (!model) fail_msg("%s", error.message);
  assert_int_equal(model->cloud_count, 2);
  assert_int_equal(model->geom_kind[1], LIMPET_SHAPE_CLOUD);
  assert_int_equal(model->geom_cloud[1], model->geom_cloud[2]);
  assert_int_equal(model->geom_cloud[4], 0);
  assert_int_equal(model->geom_cloud[0], LIMPET_NONE);
  assert_int_equal(limpet_model_find(model, LIMPET_OBJECT_CLOUD, "a"), 0);
  assert_int_equal(limpet_model_find(model, LIMPET_OBJECT_CLOUD, "a_2"), 1);
  const limpet_cloud *wide = model->cloud[model->geom_cloud[3]];
  assert_true(wide->point_radius == 0.01 && wide->points[14] == 0.4 && wide->contact_points == 7);
  assert_int_equal(model->cloud[0]->contact_points, LIMPET_CLOUD_POINTS);

  // mass properties: equal balls, about the mean of the points, which the second geom has turned
  double com[3] = {0.0, 0.0, 0.0}, I = 0.0, product = 0.0;
  for (int i = 0; i < 10; ++i) {
    const double *x = model->cloud[0]->points + 3 * (i % 5), s = i < 5 ? 1.0 : 2.0,
                 m = i < 5 ? 0.4 : 0.2;
    com[0] += m / 3.0 * (i < 5 ? 1.0 + x[0] : -1.0 - s * x[1]);
    com[2] += m / 3.0 * s * x[2];
  }
  for (int i = 0; i < 10; ++i) {
    const double *x = model->cloud[0]->points + 3 * (i % 5), s = i < 5 ? 1.0 : 2.0,
                 m = i < 5 ? 0.4 : 0.2;
    const double dx = (i < 5 ? 1.0 + x[0] : -1.0 - s * x[1]) - com[0], dz = s * x[2] - com[2];
    I += m * (dx * dx + dz * dz) + (i < 5 ? 0.0 : m * 0.4 * 1e-4);
    product -= m * dx * dz;
  }
  assert_true(fabs(model->body_mass[1] - 3.0) < 1e-12 && fabs(model->body_com[3] - com[0]) < 1e-12);
  assert_true(fabs(model->body_com[5] - com[2]) < 1e-12);
  assert_true(fabs(model->body_inertia[9 + 4] - I) < 1e-12 &&
              fabs(model->body_inertia[9 + 2] - product) < 1e-12);

  // two clouds that pass through each other are a note
  int notes = 0;
  for (int i = 0; i < model->note_count; ++i)
    notes += strstr(model->note[i].text, "point clouds pass through") != NULL;
  assert_int_equal(notes, 1);

  // what decides the motion is in the hash
  limpet_model *other = load_scene(
      "<body name='b'><freejoint/><geom limpet:cloud='a.xyz' mass='2' pos='1 0 0'/></body>",
      &error);
  limpet_model *third = load_scene(
      "<body name='b'><freejoint/><geom limpet:cloud='a.xyz' mass='2' pos='1 0 0'\n"
      "limpet:contact_points='15'/></body>",
      &error);
  assert_true(other && third && other->hash != third->hash && other->note_count == 0);
  limpet_model_destroy(model), limpet_model_destroy(other), limpet_model_destroy(third);
}

// The lowest point of the cloud is 0.25 m over the floor and, as B or as A, the distance the same.
static void sensors_measure_to_clouds(void **state) {
  (void)state;
  limpet_error error = {0};
  limpet_model *model = load_scene(
      "<geom name='f' type='plane' size='1 1 1'/><body pos='0 0 0.3'><freejoint/><geom name='c' "
      "mass='1' "
      "limpet:cloud='a.xyz' limpet:point_radius='0.05'/><site name='s' pos='0 0 -2'/></body>"
      "</worldbody><sensor><distance geom1='f' geom2='c' cutoff='1'/>"
      "<fromto geom1='c' geom2='f' cutoff='1'/><normal geom1='c' geom2='f' "
      "cutoff='1'/></sensor><worldbody>",
      &error);
  if (!model) fail_msg("%s", error.message);
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
  const double height = 0.25, *s = data->sensor;
  assert_true(fabs(s[0] - height) < 1e-4);  // it falls by g dt^2 in the step
  assert_true(fabs(s[3] - height) < 1e-4 && fabs(s[6]) < 1e-4 && fabs(s[1] - 0.1) < 1e-12 &&
              s[9] == -1.0);
  limpet_data_destroy(data), limpet_model_destroy(model);
}

static void bad_geoms_are_named(void **state) {
  (void)state;
  scene_is_refused("<geom limpet:cloud='b.xyz'/>",
                   "scene.xml:5:7: the point cloud 'b.xyz' cannot be found; tried");
  scene_is_refused("<geom limpet:cloud='a.xyz' type='box'/>",
                   "a geom with 'limpet:cloud' takes no 'type'");
  scene_is_refused("<geom limpet:cloud='a.xyz' limpet:contact_points='0'/>",
                   "its contact points are 0; give 1 to 64");
  scene_is_refused("<geom limpet:cloud='a.xyz' limpet:point_radius='-1'/>",
                   "the radius of its points is -1 m");
  scene_is_refused("<geom limpet:cloud='a.xyz' limpet:cloud_scale='1 2'/>",
                   "takes one number or three");
  scene_is_refused("<body><freejoint/><geom limpet:cloud='a.xyz'/></body>",
                   "a point cloud needs a mass");
  scene_is_refused("<geom limpet:clowd='a.xyz'/>", "limpet:cloud");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_format_gives_the_same_points),
      cmocka_unit_test(compressed_pcd),
      cmocka_unit_test(ply_of_every_kind),
      cmocka_unit_test(what_is_wrong_is_named),
      cmocka_unit_test(geoms_are_clouds),
      cmocka_unit_test(sensors_measure_to_clouds),
      cmocka_unit_test(bad_geoms_are_named),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
