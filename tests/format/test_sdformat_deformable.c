/* tests/format/test_sdformat_deformable.c: <drake:deformable_properties>: what is built is what the
 * same body in MJCF is, walls clamp, Drake's defaults hold, and mistakes are told with their
 * place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/dynamics.h"
#include "limpet/fem.h"
#include "limpet/format.h"
#include "limpet/step.h"
#include "shared_data.h"

static const char *const mesh_path = "limpet_sdf_brick.vtk",
                         *const flat_path = "limpet_sdf_two.obj",
                         *const mjcf_path = "limpet_sdf_brick.xml";

// a brick of 0.1 x 0.1 x 0.2 m, two cubes of six tetrahedra
static const char brick[] =
    "# vtk DataFile Version 3.0\nbrick\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 12 double\n"
    "0 0 0\n.1 0 0\n0 .1 0\n.1 .1 0\n0 0 .1\n.1 0 .1\n0 .1 .1\n.1 .1 .1\n0 0 .2\n.1 0 .2\n0 .1 .2\n"
    ".1 .1 .2\nCELLS 12 60\n4 0 1 3 7\n4 0 1 7 5\n4 0 5 7 4\n4 0 3 2 7\n4 0 2 6 7\n4 0 6 4 7\n"
    "4 4 5 7 11\n4 4 5 11 9\n4 4 9 11 8\n4 4 7 6 11\n4 4 6 10 11\n4 4 8 11 10\n"
    "CELL_TYPES 12\n10\n10\n10\n10\n10\n10\n10\n10\n10\n10\n10\n10\n";

#define GROUND                                                                              \
  "<model name='ground'><static>true</static><link name='l'><collision name='c'><geometry>" \
  "<plane/></geometry></collision></link></model>"
#define MESH(file) \
  "<collision name='c'><geometry><mesh><uri>" file "</uri></mesh></geometry></collision>"
#define BRICK MESH("limpet_sdf_brick.vtk")
#define SOFT(properties) "<drake:deformable_properties>" properties "</drake:deformable_properties>"
#define MODEL(inside) "<model name='m'><link name='soft'>" inside "</link></model>"

// The brick with its tetrahedra from `first` on, `count` of them, written the other way round.
static void write_turned(int first, int count) {
  char text[sizeof brick];
  memcpy(text, brick, sizeof text);
  char *line = strstr(text, "CELLS");
  for (int t = -1; t < first + count; ++t, line = strchr(line, '\n') + 1) {
    if (t < first) continue;
    char *a = line + 2, *b = line + 4;  // numbers of one digit
    const char swap = *a;
    *a = *b, *b = swap;
  }
  file_write(mesh_path, text);
}

static int write_files(void **state) {
  (void)state;
  file_write(mesh_path, brick);
  file_write(flat_path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  return 0;
}

static int remove_files(void **state) {
  (void)state;
  remove(mesh_path), remove(flat_path), remove(mjcf_path);
  return 0;
}

static limpet_model *read_with(const char *body, bool strict, limpet_error *error) {
  char text[8192];
  snprintf(text, sizeof text, "<sdf version='1.9' xmlns:drake='d'>%s</sdf>", body);
  limpet_builder *builder = limpet_builder_create();
  limpet_load_options options = limpet_load_options_default();
  options.strict = strict;
  const limpet_status status =
      limpet_sdformat_read_text(builder, text, strlen(text), "model.sdf", &options, error);
  limpet_model *model = status == LIMPET_OK ? limpet_builder_compile(builder, error) : NULL;
  limpet_builder_destroy(builder);
  return model;
}

static limpet_model *load(const char *body) {
  limpet_error error = {0};
  limpet_model *model = read_with(body, true, &error);
  if (!model) fail_msg("%s", error.message);
  return model;
}

static void refuses(const char *body, const char *expected) {
  limpet_error error = {0};
  limpet_model *model = read_with(body, true, &error);
  if (model) fail_msg("accepted, where '%s' was expected", expected);
  if (!strstr(error.message, expected)) fail_msg("'%s' lacks '%s'", error.message, expected);
  assert_non_null(strstr(error.message, "model.sdf:"));
}

static void equal_steps(const limpet_model *a, const limpet_model *b, int steps) {
  limpet_data *x = limpet_data_create(a), *y = limpet_data_create(b);
  limpet_step_settings settings = limpet_step_settings_default(a);
  settings.time_step = 5e-3;
  assert_int_equal(a->vertex_count, b->vertex_count);
  for (int i = 0; i < steps; ++i) {
    limpet_step(a, x, &settings);
    limpet_step(b, y, &settings);
    assert_memory_equal(x->vertex_position, y->vertex_position,
                        (size_t)(3 * a->vertex_count) * sizeof(double));
  }
  limpet_data_destroy(x), limpet_data_destroy(y);
}

// falls onto the ground and settles there, bit by bit as the body that MJCF describes
static void a_link_is_the_body_that_mjcf_describes(void **state) {
  (void)state;
  limpet_error error = {0};
  file_write(mjcf_path,
             "<mujoco><option gravity='0 0 -9.8'/><worldbody><geom type='plane' size='1 1 1'/>"
             "<limpet:deformable file='limpet_sdf_brick.vtk' pos='.2 0 .22' euler='0 20 0' "
             "young='3e4' poisson='.3' density='800' damping='.01' mass_damping='.2' "
             "law='neo-hookean-drake'/></worldbody></mujoco>");
  limpet_model *mjcf = limpet_load(mjcf_path, NULL, &error);
  if (!mjcf) fail_msg("%s", error.message);
  limpet_model *sdf = load(
      "<world name='w'><gravity>0 0 -9.8</gravity>" GROUND
      "<model name='m'><pose>.1 0 0 0 0 0</pose><link name='soft'>"
      "<pose relative_to='f'/>" BRICK SOFT(
          "<drake:youngs_modulus>3e4</drake:youngs_modulus><drake:poissons_ratio>.3"
          "</drake:poissons_ratio><drake:mass_density>800</drake:mass_density><drake:mass_damping>"
          ".2</drake:mass_damping><drake:stiffness_damping>.01</drake:stiffness_damping>"
          "<drake:material_model>neohookean</drake:material_model>") "</link>"
      "<frame name='f'><pose degrees='true'>.1 0 .22 0 20 0</pose></frame></model></world>");
  assert_int_equal(sdf->deformable_count, 1);
  assert_int_equal(sdf->nv, 0);  // the link is no rigid body
  limpet_data *data = limpet_data_create(sdf);
  const double *x = data->vertex_position;
  assert_true(fabs(x[0] - .2) < 1e-15 && fabs(x[2] - .22) < 1e-15);
  limpet_data_destroy(data);
  equal_steps(mjcf, sdf, 60);
  limpet_model_destroy(mjcf), limpet_model_destroy(sdf);
}

static void drakes_defaults_hold(void **state) {
  (void)state;
  limpet_model *model = load(MODEL(BRICK SOFT("")));
  const limpet_fem_body_info info = limpet_fem_body_information(model->deformable_body[0]);
  assert_true(info.youngs_modulus == 1e8 && info.poissons_ratio == 0.49);
  assert_ptr_equal(info.law, limpet_elastic_law_find("linear-corotated"));
  assert_true(fabs(info.mass - 1500.0 * 0.002) < 1e-12);
  limpet_model_destroy(model);
}

// walls hold what is behind them in the world, also where the model stands elsewhere
static void walls_and_static_models_clamp(void **state) {
  (void)state;
  limpet_model *model = load(
      "<world name='w'><model name='m'><pose>1 0 3 0 0 0</pose><link name='soft'>" BRICK SOFT(
          "<drake:youngs_modulus>1e4</drake:youngs_modulus>")
      "<drake:wall_boundary_condition><drake:point_on_plane>0 0 3.05</drake:point_on_plane>"
      "<drake:outward_normal>0 0 2</drake:outward_normal></drake:wall_boundary_condition>"
      "</link></model><model name='s'><static>1</static><link name='soft'>" BRICK SOFT("")
      "</link></model></world>");
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.time_step = 5e-3;
  for (int i = 0; i < 20; ++i) limpet_step(model, data, &settings);
  const double *x = data->vertex_position;
  for (int i = 0; i < 4; ++i) assert_true(x[3 * i + 2] == 3.0);
  for (int i = 8; i < 12; ++i) assert_true(x[3 * i + 2] < 3.2 - 1e-4);  // the free end sags
  const double *still = limpet_fem_body_rest(model->deformable_body[1]);
  for (int i = 0; i < 36; ++i) assert_true(x[36 + i] == still[i]);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

static void mistakes_are_told_with_their_place(void **state) {
  (void)state;
  refuses(MODEL(SOFT("")), "has no <collision>");
  refuses(MODEL(BRICK BRICK SOFT("")), "second <collision>");
  refuses(MODEL(SOFT("") "<collision name='c'><geometry><box/></geometry></collision>"),
          "needs a <mesh>");
  refuses(MODEL(SOFT("") MESH("limpet_sdf_two.obj")), "has no tetrahedra");
  refuses(MODEL(SOFT("") MESH("limpet_sdf_none.vtk")), "cannot be found");
  refuses(MODEL(BRICK SOFT("<drake:youngs_modulus>0</drake:youngs_modulus>")), "is 0 Pa");
  refuses(MODEL(BRICK SOFT("<drake:youngs_modulus>inf</drake:youngs_modulus>")), "inf");
  refuses(MODEL(BRICK SOFT("<drake:mass_density>-1</drake:mass_density>")), "is -1 kg/m^3");
  refuses(MODEL(BRICK SOFT("<drake:mass_damping>-1</drake:mass_damping>")), "of at least 0");
  refuses(MODEL(BRICK SOFT("<drake:poissons_ratio>.5</drake:poissons_ratio>")), "-1 and 0.5");
  refuses(MODEL(BRICK SOFT("<drake:material_model>rubber</drake:material_model>")), "'rubber'");
  refuses(MODEL(BRICK SOFT("<drake:yield_stress>1</drake:yield_stress>")), "yield_stress");
  refuses(MODEL(BRICK SOFT("") "<drake:wall_boundary_condition><drake:point_on_plane>0 0 0"
                               "</drake:point_on_plane><drake:outward_normal>0 0 0"
                               "</drake:outward_normal></drake:wall_boundary_condition>"),
          "normal of the wall is zero");
  refuses(MODEL(BRICK SOFT("") "<drake:wall_boundary_condition/>"), "point_on_plane");
  refuses("<model name='m'><link name='soft'>" BRICK SOFT("")
          "</link><joint name='j' type='fixed'><parent>world</parent><child>soft</child></joint>"
          "</model>",
          "link 'soft' is a deformable body");
  refuses("<model name='m'><link name='soft'>" BRICK SOFT(
              "") "</link><frame name='f' attached_to='soft'/></model>",
          "link 'soft' is a deformable body");
  refuses("<model name='m'><link name='soft'>" BRICK SOFT("")
          "</link><drake:collision_filter_group name='g'><drake:member>soft</drake:member>"
          "</drake:collision_filter_group></model>",
          "link 'soft' is a deformable body");
}

static void one_note(const limpet_model *model, const char *expected) {
  int found = 0;
  for (int i = 0; i < model->note_count; ++i)
    found += strstr(model->note[i].text, expected) != NULL;
  if (found != 1) fail_msg("%d notes say '%s'", found, expected);
}

// Tetrahedra of either order make the same body; those inside out are told with their number.
static void tetrahedra_inside_out_are_turned_and_told(void **state) {
  (void)state;
  static const struct {
    int first, count;
    const char *note;
  } cases[] = {{0, 12, "all 12 tetrahedra number their vertices the other way round"},
               {3, 1, "1 of 12 tetrahedra are inside out"},
               {3, 1, "first tetrahedron 3 (vertices 3 0 2 7)"},
               {2, 3, "3 of 12 tetrahedra are inside out"}};
  file_write(mjcf_path,
             "<mujoco><worldbody><geom type='plane' size='1 1 1'/><limpet:deformable "
             "file='limpet_sdf_brick.vtk'/></worldbody></mujoco>");
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    write_turned(cases[k].first, cases[k].count);
    limpet_error error = {0};
    limpet_model *mjcf = limpet_load(mjcf_path, NULL, &error);
    if (!mjcf) fail_msg("%s", error.message);
    limpet_model *sdf = load(MODEL(BRICK SOFT("")));
    one_note(mjcf, cases[k].note), one_note(sdf, cases[k].note);
    const limpet_fem_body_info info = limpet_fem_body_information(sdf->deformable_body[0]);
    assert_true(fabs(info.volume - 0.002) < 1e-17);
    limpet_model_destroy(mjcf), limpet_model_destroy(sdf);
  }
  file_write(mesh_path, brick);
  limpet_model *model = load(MODEL(BRICK SOFT("")));
  for (int i = 0; i < model->note_count; ++i)
    assert_null(strstr(model->note[i].text, "tetrahedra"));
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_link_is_the_body_that_mjcf_describes),
                                     cmocka_unit_test(drakes_defaults_hold),
                                     cmocka_unit_test(walls_and_static_models_clamp),
                                     cmocka_unit_test(tetrahedra_inside_out_are_turned_and_told),
                                     cmocka_unit_test(mistakes_are_told_with_their_place)};
  return cmocka_run_group_tests(tests, write_files, remove_files);
}
