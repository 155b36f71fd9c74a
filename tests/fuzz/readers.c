/* tests/fuzz/readers.c: see readers.h. A reader is handed exactly its bytes, so that the sanitizers
 * see a look behind them; what it refuses it must say why. */
#include "readers.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "controls.h"
#include "format/cloud/formats.h"
#include "format/mesh/formats.h"
#include "limpet/limpet.h"
#include "limpet/plan.h"
#include "readers_common.h"
#include "table.h"

// what is larger is read, but not compiled: that is another part of the library, and slow
enum { LARGEST_MODEL = 400 };

void fuzz_require(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "fuzz: %s\n", what);
  abort();
}

char *fuzz_copy(const char *bytes, size_t length, bool ended) {
  char *copy = malloc(length + 1);
  fuzz_require(copy != NULL, "no memory");
  if (length) memcpy(copy, bytes, length);
  if (ended) {
    copy[length] = '\0';
    return copy;
  }
  char *exact = realloc(copy, length ? length : 1);
  return exact ? exact : copy;
}

void fuzz_require_words(const limpet_error *error) {
  fuzz_require(error->status != LIMPET_OK && error->message[0] != '\0', "refused without a word");
}

// ----------------------------------------------------------------------------------- models

typedef limpet_status text_reader(limpet_builder *builder, const char *text, size_t length,
                                  const char *path, const limpet_load_options *options,
                                  limpet_error *error);

static bool is_small(const limpet_builder *builder) {
  int sum = 0;
  for (int object = 0; object < LIMPET_OBJECT_COUNT; ++object)
    sum += limpet_builder_count(builder, (limpet_object)object);
  return sum <= LARGEST_MODEL && limpet_builder_count(builder, LIMPET_OBJECT_DEFORMABLE) == 0;
}

static void read_model(text_reader *read, const char *bytes, size_t length, const char *name) {
  char *text = fuzz_copy(bytes, length, false);
  limpet_error error = {0};
  limpet_builder *builder = limpet_builder_create();
  fuzz_require(builder != NULL, "no memory");
  const limpet_status status = read(builder, text, length, name, NULL, &error);
  if (status != LIMPET_OK) fuzz_require_words(&error);
  else if (is_small(builder)) {
    limpet_model *model = limpet_builder_compile(builder, &error);
    if (!model) fuzz_require_words(&error);
    limpet_model_destroy(model);
  }
  limpet_builder_destroy(builder);
  free(text);
}

// Files that a model may name, in a folder that lives as long as the program.
static const struct {
  const char *name, *text;
  size_t length;  // 0: that of the text
} neighbours[] = {
    {"part.xml",
     "<mujocoinclude><body name='part'><joint name='p'/><geom size='1'/></body></mujocoinclude>",
     0},
    {"child.xml",
     "<mujoco><option timestep='.01' gravity='0 0 -1' wind='1 2 3' density='3'><flag "
     "contact='disable'/></option><worldbody><frame name='f'><body name='b' pos='1 0 0'><joint "
     "name='j'/><geom name='g' size='1'/><site name='s'/><body name='c' mocap='false'><freejoint/>"
     "<geom size='1'/></body></body></frame><body name='d' mocap='true'><geom size='1'/></body>"
     "</worldbody><actuator><motor name='m' joint='j'/></actuator><sensor><jointpos joint='j'/>"
     "</sensor><keyframe><key name='k' qpos='1 2 3 4 1 0 0 0' qvel='1 2 3 4 5 6 7' ctrl='1' "
     "mpos='1 2 3' mquat='1 0 0 0' act='1'/></keyframe></mujoco>",
     0},
    {"mesh.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n", 0},
    // an octahedron without one face, and a square
    {"open.obj",
     "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\nf 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\n"
     "f 3 1 6\nf 2 3 6\nf 4 2 6\n",
     0},
    {"flat.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n", 0},
    {"solid.vtk",
     "# vtk DataFile Version 3.0\nsolid\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n"
     "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\nCELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10\n10\n",
     0},
    {"part.sdf",
     "<sdf version='1.9'><model name='part'><link name='l'><inertial><mass>1</mass></inertial>"
     "<collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry></collision>"
     "</link><link name='k'/><joint name='j' type='revolute'><parent>l</parent><child>k</child>"
     "<axis><xyz>0 0 1</xyz></axis></joint></model></sdf>",
     0},
    {"cloud.xyz", "0 0 0\n1 0 0\n0 1 0\n0 0 1\n", 0},
    // rows, columns, then single precision: 0, 1, 1, 2
    {"field.bin", "\2\0\0\0\2\0\0\0\0\0\0\0\0\0\200\077\0\0\200\077\0\0\0\100", 24},
};
enum { NEIGHBOURS = sizeof neighbours / sizeof *neighbours };

static char folder[] = "/tmp/limpet_fuzz_XXXXXX";

static void folder_remove(void) {
  char path[128];
  for (int i = 0; i < NEIGHBOURS; ++i) {
    snprintf(path, sizeof path, "%s/%s", folder, neighbours[i].name);
    unlink(path);
  }
  rmdir(folder);
}

static void folder_make(void) {
  char path[128];
  fuzz_require(mkdtemp(folder) != NULL, "no temporary folder");
  for (int i = 0; i < NEIGHBOURS; ++i) {
    snprintf(path, sizeof path, "%s/%s", folder, neighbours[i].name);
    FILE *file = fopen(path, "wb");
    fuzz_require(file != NULL, "no temporary file");
    const size_t length = neighbours[i].length ? neighbours[i].length : strlen(neighbours[i].text);
    fuzz_require(fwrite(neighbours[i].text, 1, length, file) == length, "no room");
    fclose(file);
  }
  atexit(folder_remove);
}

static void read_beside(text_reader *read, const char *bytes, size_t length, const char *name) {
  static bool made;
  char path[128];
  if (!made) folder_make();
  made = true;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  read_model(read, bytes, length, path);
}

static void read_mjcf(const char *bytes, size_t length) {
  read_beside(limpet_mjcf_read_text, bytes, length, "fuzz.xml");
}
static void read_urdf(const char *bytes, size_t length) {
  read_beside(limpet_urdf_read_text, bytes, length, "fuzz.urdf");
}
static void read_sdformat(const char *bytes, size_t length) {
  read_beside(limpet_sdformat_read_text, bytes, length, "fuzz.sdf");
}

// ----------------------------------------------------------------------------------- meshes

static void check_mesh(const limpet_mesh_file *mesh) {
  for (int i = 0; i < 3 * mesh->face_count; ++i)
    fuzz_require(mesh->faces[i] >= 0 && mesh->faces[i] < mesh->vertex_count, "a face out of range");
  for (int i = 0; i < 4 * mesh->tetrahedron_count; ++i)
    fuzz_require(mesh->tetrahedra[i] >= 0 && mesh->tetrahedra[i] < mesh->vertex_count,
                 "a tetrahedron out of range");
}

static void read_mesh(limpet_mesh_reader *read, const char *bytes, size_t length) {
  char *text = fuzz_copy(bytes, length, true);
  limpet_mesh_file mesh = {0};
  limpet_error error = {0};
  if (read(&mesh, text, length, "mesh", &error) == LIMPET_OK) check_mesh(&mesh);
  else fuzz_require_words(&error);
  limpet_mesh_file_free(&mesh);
  free(text);
}

static void read_stl(const char *bytes, size_t length) {
  read_mesh(limpet_mesh_read_stl, bytes, length);
}
static void read_obj(const char *bytes, size_t length) {
  read_mesh(limpet_mesh_read_obj, bytes, length);
}
static void read_msh(const char *bytes, size_t length) {
  read_mesh(limpet_mesh_read_msh, bytes, length);
}
static void read_gmsh(const char *bytes, size_t length) {
  char *text = fuzz_copy(bytes, length, true);
  limpet_error error = {0};
  if (limpet_mesh_check_gmsh(text, length, "mesh", &error) != LIMPET_OK) fuzz_require_words(&error);
  free(text);
  read_mesh(limpet_mesh_read_gmsh, bytes, length);
}
static void read_vtk(const char *bytes, size_t length) {
  read_mesh(limpet_mesh_read_vtk, bytes, length);
}

static void read_cloud(limpet_cloud_reader *read, const char *bytes, size_t length) {
  char *text = fuzz_copy(bytes, length, true);
  limpet_cloud_file cloud = {0};
  limpet_error error = {0};
  if (read(&cloud, text, length, "cloud", &error) != LIMPET_OK) fuzz_require_words(&error);
  else
    for (int i = 0; i < 3 * cloud.point_count; ++i)
      fuzz_require(isfinite(cloud.points[i]), "a point that is no number");
  limpet_cloud_file_free(&cloud);
  free(text);
}

static void read_ply(const char *bytes, size_t length) {
  read_cloud(limpet_cloud_read_ply, bytes, length);
}
static void read_pcd(const char *bytes, size_t length) {
  read_cloud(limpet_cloud_read_pcd, bytes, length);
}
static void read_xyz(const char *bytes, size_t length) {
  read_cloud(limpet_cloud_read_xyz, bytes, length);
}
static void read_npy(const char *bytes, size_t length) {
  read_cloud(limpet_cloud_read_npy, bytes, length);
}

// -------------------------------------------------------------------------------- CSV, JSON

// what the command would say on stderr
void limpet_complain(const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  fuzz_require(vsnprintf(text, sizeof text, format, arguments) > 0, "a complaint without a word");
  va_end(arguments);
}

bool limpet_folder_complain(const char *path, const char *wanted) {
  fuzz_require(path && wanted, "a path without a name");
  return false;
}

// An arm of three joints with motors, a servo and a site.
static limpet_builder *arm_build(void) {
  static const char text[] =
      "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1' pos='0 0 -1'/><geom "
      "name='wall' type='plane' size='1 1 1' pos='0 0 -2'/><body><joint name='a' axis='0 1 0'/>"
      "<geom size='.1'/><body pos='0 0 .5'><joint name='b' axis='0 1 0' range='-90 90'/><geom "
      "size='.1' name='link'/><body pos='0 0 .4' name='hand'><joint name='c' axis='1 0 0'/><geom "
      "size='.1' name='fist'/><site name='tip'/></body></body></body></worldbody>"
      "<actuator><motor name='m' joint='a'/><motor name='n' joint='b'/><position name='s' "
      "joint='c' kp='50'/></actuator><keyframe><key name='up' qpos='.1 .2 .3'/></keyframe>"
      "</mujoco>";
  limpet_error error = {0};
  limpet_builder *builder = limpet_builder_create();
  fuzz_require(builder != NULL, "no memory");
  limpet_mjcf_read_text(builder, text, sizeof text - 1, "arm.xml", NULL, &error);
  return builder;
}

const limpet_model *fuzz_arm(void) {
  static limpet_model *model;  // lives as long as the program
  if (model) return model;
  limpet_error error = {0};
  limpet_builder *builder = arm_build();
  model = limpet_builder_compile(builder, &error);
  fuzz_require(model != NULL, error.message);
  limpet_builder_destroy(builder);
  return model;
}

// The first line as what stands behind --set.
static void read_assignment(const char *bytes, size_t length, const limpet_controls *controls) {
  char words[200];
  const char *end = length ? memchr(bytes, '\n', length) : NULL;
  const size_t size = end ? (size_t)(end - bytes) : length;
  if (size >= sizeof words) return;
  memcpy(words, bytes, size);
  words[size] = '\0';
  double control[3] = {0.0, 0.0, 0.0};
  const int actuator = limpet_control_set(fuzz_arm(), words, control);
  fuzz_require(actuator == LIMPET_NONE || (actuator >= 0 && actuator < 3),
               "an actuator out of range");
  if (actuator != LIMPET_NONE) limpet_controls_has(controls, actuator);
}

// the reader of tables takes a path
static void read_csv(const char *bytes, size_t length) {
  char path[] = "/tmp/limpet_fuzz_XXXXXX";
  const int file = mkstemp(path);
  fuzz_require(file >= 0 && write(file, bytes, length) == (ssize_t)length, "no temporary file");
  close(file);
  limpet_controls controls;
  if (limpet_controls_read(&controls, path, fuzz_arm())) {
    double control[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < controls.row_count; ++i)
      limpet_controls_apply(&controls, controls.time[i], control);
    read_assignment("m=1", 3, &controls);
    limpet_controls_free(&controls);
  }
  controls = (limpet_controls){0};
  read_assignment(bytes, length, &controls);
  limpet_table table;
  if (limpet_table_read(&table, path)) {
    limpet_table_column(&table, "time");
    limpet_table_free(&table);
  }
  unlink(path);
}

// What was read is asked for a control, or a guess.
static void use_controller(limpet_controller *controller) {
  limpet_data *data = limpet_data_create(fuzz_arm());
  fuzz_require(data != NULL, "no memory");
  for (int i = 0; i < 2; ++i) {
    limpet_controller_update(controller, fuzz_arm(), data, 0.01);
    data->time += 0.7;
  }
  limpet_controller_drives(controller, 0);
  limpet_controller_pushes(controller);
  limpet_controller_report(controller);
  limpet_controller_reset(controller);
  limpet_data_destroy(data);
}

static void use_task(const limpet_plan_task *task) {
  enum { FEW = 20 };
  limpet_error error = {0};
  if (task->problem.knot_count > FEW) return;
  limpet_plan *plan = limpet_plan_create(fuzz_arm(), task->problem.knot_count, &error);
  if (!plan) {
    fuzz_require_words(&error);
    return;
  }
  limpet_plan_task_guess(task, plan);
  limpet_plan_destroy(plan);
}

static void read_json(const char *bytes, size_t length) {
  char *text = fuzz_copy(bytes, length, true);
  limpet_error error = {0};
  limpet_controller *controller = limpet_controller_create(fuzz_arm(), text, "fuzz.json", &error);
  if (!controller) fuzz_require_words(&error);
  else use_controller(controller);
  limpet_controller_destroy(controller);
  error = (limpet_error){0};
  limpet_plan_task *task = limpet_plan_task_create(fuzz_arm(), text, "fuzz.json", &error);
  if (!task) fuzz_require_words(&error);
  else use_task(task);
  limpet_plan_task_destroy(task);
  free(text);
}

// What is to be fitted; its trajectories are only named, and each gets a record of two rows.
static void read_fit(const char *bytes, size_t length) {
  enum { ROWS = 2 };
  char *text = fuzz_copy(bytes, length, true);
  limpet_error error = {0};
  limpet_builder *builder = arm_build();
  limpet_identify *fit = limpet_identify_create(builder, text, "fuzz.json", &error);
  if (!fit) fuzz_require_words(&error);
  for (int i = 0; fit && i < fit->trajectory_count; ++i) {
    const double time[ROWS] = {0.0, 0.02}, q[ROWS * 3] = {0.1, 0.2, 0.3, 0.1, 0.2, 0.3};
    fuzz_require(limpet_identify_model(fit)->nq == 3 && fit->trajectory[i],
                 "a fit of another model");
    if (limpet_identify_record(fit, i, ROWS, time, q, NULL, NULL, &error) != LIMPET_OK)
      fuzz_require_words(&error);
  }
  limpet_identify_destroy(fit);
  limpet_builder_destroy(builder);
  free(text);
}

const fuzz_reader fuzz_readers[] = {
    {"mjcf", read_mjcf},    {"urdf", read_urdf},      {"sdformat", read_sdformat},
    {"stl", read_stl},      {"obj", read_obj},        {"msh", read_msh},
    {"gmsh", read_gmsh},    {"vtk", read_vtk},        {"ply", read_ply},
    {"pcd", read_pcd},      {"xyz", read_xyz},        {"npy", read_npy},
    {"csv", read_csv},      {"json", read_json},      {"fit", read_fit},
    {"log", fuzz_read_log}, {"live", fuzz_read_live}, {NULL, NULL}};

const fuzz_reader *fuzz_reader_find(const char *name) {
  for (const fuzz_reader *reader = fuzz_readers; reader->name; ++reader)
    if (strcmp(reader->name, name) == 0) return reader;
  return NULL;
}
