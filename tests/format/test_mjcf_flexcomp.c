/* tests/format/test_mjcf_flexcomp.c: <flexcomp> becomes a deformable body with the mass, the
 * elasticity, the pins and the contact of the file, be it a solid, cloth or a rope; what is not
 * simulated is left out with a note; and a gripper holds a soft body without slip. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "limpet/format.h"
#include "limpet/step.h"

static limpet_model *model_of(const char *inside, limpet_error *error) {
  char text[2048];
  snprintf(text, sizeof text, "<mujoco><worldbody>%s</worldbody></mujoco>", inside);
  limpet_builder *builder = limpet_builder_create();
  limpet_model *model = NULL;
  if (limpet_mjcf_read_text(builder, text, strlen(text), "flex.xml", NULL, error) == LIMPET_OK)
    model = limpet_builder_compile(builder, error);
  limpet_builder_destroy(builder);
  return model;
}

static limpet_model *good_model(const char *inside) {
  limpet_error error = {0};
  limpet_model *model = model_of(inside, &error);
  if (!model) fail_msg("%s", error.message);
  return model;
}

static void a_grid_is_read(void **state) {
  (void)state;
  limpet_model *model = good_model(
      "<flexcomp name='jelly' type='grid' dim='3' count='4 3 2' spacing='.1 .1 .1' pos='0 0 1' "
      "mass='2.5' radius='.002'><elasticity young='3e4' poisson='.3' damping='.01'/>"
      "<contact friction='.7' contype='2' margin='.001'/><pin id='0 5'/><pin grid='3 2 1'/>"
      "</flexcomp>");
  assert_int_equal(model->deformable_count, 1);
  const limpet_fem_body_info info = limpet_fem_body_information(model->deformable_body[0]);
  assert_int_equal(info.vertex_count, 24);
  assert_int_equal(info.tetrahedron_count, 36);
  assert_true(fabs(info.mass - 2.5) < 1e-12);
  assert_true(info.youngs_modulus == 3e4 && info.poissons_ratio == 0.3);
  assert_true(info.stiffness_damping == 0.01);
  const int geom = model->deformable_geom[0];
  assert_true(model->geom_material[geom].friction == 0.7);
  assert_int_equal(model->geom_contype[geom], 2);
  assert_true(fabs(model->geom_margin[geom] - 0.003) < 1e-15);
  assert_int_equal(model->tie_count, 3);
  assert_int_equal(model->tie_vertex[0], 0);
  assert_int_equal(model->tie_vertex[1], 5);
  assert_int_equal(model->tie_vertex[2], 23);
  assert_int_equal(limpet_model_find(model, LIMPET_OBJECT_DEFORMABLE, "jelly"), 0);
  limpet_model_destroy(model);
}

/* Dampers along the edges of a solid become Rayleigh damping of the same viscosity in shear,
 * c sum l^2/(15 V). Of m cells of edge a along each axis, n = m + 1, the edges are 3 m n^2 of a,
 * 3 m^2 n of sqrt(2) a across squares and m^3 of sqrt(3) a through cells. */
static void edges_of_a_solid_damp(void **state) {
  (void)state;
  limpet_model *model = good_model(
      "<flexcomp name='jelly' type='grid' dim='3' count='5 5 5' spacing='.1 .1 .1'>"
      "<elasticity young='3e4' poisson='.25' damping='.01'/><edge damping='2'/></flexcomp>");
  const double m = 4.0, n = 5.0, a = 0.1, mu = 3e4 / 2.5;
  const double squares = (3.0 * m * n * n + 6.0 * m * m * n + 3.0 * m * m * m) * a * a;
  const double beta = 0.01 + 2.0 * squares / (15.0 * m * m * m * a * a * a * mu);
  const limpet_fem_body_info info = limpet_fem_body_information(model->deformable_body[0]);
  assert_true(fabs(info.stiffness_damping - beta) < 1e-12);
  limpet_model_destroy(model);
}

// One tetrahedron, by its numbers.
static void elements_are_taken_directly(void **state) {
  (void)state;
  limpet_model *model = good_model(
      "<flexcomp name='one' type='direct' dim='3' mass='1' point='0 0 0 1 0 0 0 1 0 0 0 1' "
      "element='0 1 2 3' scale='.1 .1 .1'><elasticity young='1e5' poisson='0'/></flexcomp>");
  const limpet_fem_body_info info = limpet_fem_body_information(model->deformable_body[0]);
  assert_int_equal(info.tetrahedron_count, 1);
  assert_true(fabs(info.volume - 1e-3 / 6.0) < 1e-15);
  assert_true(fabs(info.mass - 1.0) < 1e-12);
  limpet_model_destroy(model);
}

static bool has_note(const limpet_model *model, const char *word) {
  for (int i = 0; i < model->note_count; ++i)
    if (model->note[i].unsupported && strstr(model->note[i].text, word)) return true;
  return false;
}

static void ropes_and_cloth_are_read(void **state) {
  (void)state;
  limpet_model *model = good_model(
      "<flexcomp name='cloth' type='grid' count='4 5 1' spacing='.1 .1 .1' mass='1' radius='.002'>"
      "<elasticity young='1e5' poisson='.3' thickness='3e-3' elastic2d='both'/><pin grid='3 4'/>"
      "</flexcomp>"
      "<flexcomp name='rope' type='grid' dim='1' count='6 1 1' spacing='.1 .1 .1' mass='.2'>"
      "<edge equality='true'/><pin id='0'/></flexcomp>"
      "<flexcomp name='ring' type='circle' dim='1' count='12 1 1' spacing='.1 .1 .1' mass='.2'>"
      "<edge stiffness='50' damping='.1'/></flexcomp>"
      "<flexcomp name='disc' type='disc' count='5 5 1' spacing='.1 .1 .1' mass='.2'>"
      "<edge equality='true'/></flexcomp>"
      "<flexcomp name='shell' type='ellipsoid' count='4 4 4' spacing='.1 .1 .1' mass='.2'>"
      "<edge equality='true'/></flexcomp>");
  assert_int_equal(model->deformable_count, 5);
  limpet_fem_body_info info[5];
  for (int d = 0; d < 5; ++d) info[d] = limpet_fem_body_information(model->deformable_body[d]);
  assert_int_equal(info[0].vertex_count, 20);
  assert_int_equal(info[0].face_count, 24);
  assert_true(fabs(info[0].mass - 1.0) < 1e-12 && info[0].thickness == 3e-3);
  assert_int_equal(info[1].segment_count, 5);
  assert_true(fabs(info[1].mass - 0.2) < 1e-12);
  assert_int_equal(info[2].segment_count, 12);
  assert_int_equal(info[3].face_count, 32);
  assert_int_equal(info[4].vertex_count, 64 - 8);
  assert_int_equal(model->tie_count, 2);
  assert_int_equal(model->tie_vertex[0], 19);
  assert_int_equal(model->tie_vertex[1], 20);
  limpet_model_destroy(model);
}

// MuJoCo's flexes meet themselves unless told not to, or where they meet nothing.
static void default_self_contact_is_told_of(void **state) {
  (void)state;
  static const struct {
    const char *contact;
    bool told, meets;
  } cases[] = {{"", true, false},
               {"<contact friction='.7'/>", true, false},
               {"<contact contype='0'/>", false, false},
               {"<contact selfcollide='none'/>", false, false},
               {"<contact selfcollide='auto'/>", false, true}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    char text[512];
    snprintf(text, sizeof text,
             "<flexcomp name='jelly' type='grid' dim='3' count='3 3 2' spacing='.1 .1 .1' mass='1'>"
             "<elasticity young='3e4'/>%s</flexcomp>",
             cases[k].contact);
    limpet_model *model = good_model(text);
    assert_true(has_note(model, "does not meet itself") == cases[k].told);
    assert_true(model->deformable_self_contact[0] == cases[k].meets);
    limpet_model_destroy(model);
  }
}

// What is not simulated is left out with a note.
static void the_rest_is_left_out_with_a_note(void **state) {
  (void)state;
  limpet_model *model = good_model(
      "<flexcomp name='f' type='grid' count='4 4 1' spacing='.1 .1 .1' mass='1' dof='trilinear'/>"
      "<flexcomp name='g' type='cylinder' count='4 4 4' spacing='.1 .1 .1' mass='1'/>"
      "<flexcomp name='h' type='grid' count='4 4 1' spacing='.1 .1 .1' mass='1' rigid='true'/>");
  assert_int_equal(model->deformable_count, 0);
  assert_true(has_note(model, "cage") && has_note(model, "type") && has_note(model, "rigid"));
  limpet_model_destroy(model);
}

static limpet_model *good_file(const char *text) {
  limpet_error error = {0};
  limpet_builder *builder = limpet_builder_create();
  limpet_model *model = NULL;
  if (limpet_mjcf_read_text(builder, text, strlen(text), "flex.xml", NULL, &error) == LIMPET_OK)
    model = limpet_builder_compile(builder, &error);
  limpet_builder_destroy(builder);
  if (!model) fail_msg("%s", error.message);
  return model;
}

// A connected vertex moves with the body it is connected to: the world, and one that rises.
static void a_vertex_is_connected_to_a_body(void **state) {
  (void)state;
  limpet_model *model = good_file(
      "<mujoco><worldbody><body name='bar' pos='0 0 1.5'><joint type='slide' axis='0 0 1'/>"
      "<geom type='box' size='.1 .1 .02' contype='0' conaffinity='0' mass='.5'/></body>"
      "<body pos='0 0 1'><flexcomp name='sheet' type='grid' count='3 4 1' spacing='.1 .1 .1' "
      "mass='.2'><edge equality='true' damping='.1'/></flexcomp></body></worldbody><equality>"
      "<connect body1='sheet_0' anchor='0 0 0'/><connect body1='bar' body2='sheet_11' "
      "anchor='0 0 0'/><connect body1='sheet_3' anchor='0 0 0' "
      "active='false'/></equality></mujoco>");
  assert_int_equal(model->loop_count, 0);
  assert_int_equal(model->tie_count, 2);
  assert_true(model->tie_vertex[0] == 0 && model->tie_body[0] == 0);
  assert_true(model->tie_vertex[1] == 11 && model->tie_body[1] == 1);
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  const double height = data->vertex_position[2], way = data->vertex_position[3 * 11 + 2];
  for (int i = 0; i < 200; ++i)
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
  assert_true(fabs(data->vertex_position[2] - height) < 1e-12);
  assert_true(data->q[0] < -0.05);  // it falls as far as the sheet lets it
  const double carried = data->vertex_position[3 * 11 + 2] - way - data->q[0];
  if (!(fabs(carried) < 1e-3)) fail_msg("the vertex is %g m from the bar", carried);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

/* A <flex> whose vertices are four bodies on slides: pulled apart at the start, they swing about
 * the middle with the frequency of its springs, sqrt(2 k/m) for two bodies and one edge. */
static void a_flex_acts_on_its_bodies(void **state) {
  (void)state;
  const double k = 100.0, m = 0.5;
  limpet_model *model = good_file(
      "<mujoco><option gravity='0 0 0' timestep='.001'/><worldbody>"
      "<body name='a'><joint type='slide' axis='1 0 0'/><inertial pos='0 0 0' mass='.5' "
      "diaginertia='1 1 1'/></body><body name='b' pos='.2 0 0'><joint type='slide' axis='1 0 0'/>"
      "<inertial pos='0 0 0' mass='.5' diaginertia='1 1 1'/></body></worldbody><deformable>"
      "<flex name='f' dim='1' body='a b' vertex='.01 0 0 -.01 0 0' element='0 1' radius='.001'>"
      "<edge stiffness='100'/></flex></deformable></mujoco>");
  assert_int_equal(model->deformable_count, 1);
  assert_int_equal(model->tie_count, 2);
  assert_true(fabs(model->vertex_reference[0] - 0.01) < 1e-15);
  assert_true(fabs(model->vertex_reference[3] - 0.19) < 1e-15);
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.time_step = 1e-3;
  data->v[0] = -0.05, data->v[1] = 0.05;
  double stretch = 0.0, before = 0.0, crossed = 0.0;
  for (int i = 0; i < 400 && crossed == 0.0; ++i) {
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
    before = stretch, stretch = data->q[1] - data->q[0];
    if (before > 0.0 && stretch <= 0.0) crossed = data->time - 1e-3 * stretch / (stretch - before);
  }
  const double half = 3.14159265358979 / sqrt(2.0 * k / m);
  if (!(fabs(crossed / half - 1.0) < 0.02))
    fail_msg("half a period takes %g s, closed form %g", crossed, half);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// A closed surface with a cage is the solid within it, a rigid one a geom without mass.
static void closed_surfaces_are_solids_or_geoms(void **state) {
  (void)state;
  limpet_model *model = good_model(
      "<flexcomp name='soft' type='box' dim='2' count='3 3 3' spacing='.1 .1 .1' mass='2' "
      "dof='trilinear' pos='0 0 1'><elasticity young='1e4' poisson='.1'/></flexcomp>"
      "<body name='thing'><freejoint/><geom size='.1' contype='0' conaffinity='0'/>"
      "<flexcomp name='hard' type='ellipsoid' dim='2' count='4 4 4' spacing='.1 .1 .1' mass='2' "
      "rigid='true'/></body>");
  assert_int_equal(model->deformable_count, 1);
  const limpet_fem_body_info info = limpet_fem_body_information(model->deformable_body[0]);
  assert_true(info.tetrahedron_count == 48 && fabs(info.mass - 2.0) < 1e-12);
  assert_ptr_equal(info.law, limpet_elastic_law_find("neo-hookean-log"));
  const int geom = limpet_model_find(model, LIMPET_OBJECT_GEOM, "hard");
  assert_true(geom >= 0 && model->geom_kind[geom] == LIMPET_SHAPE_MESH);
  assert_int_equal(model->geom_body[geom], 1);
  assert_true(fabs(model->body_mass[1] - 4.0 / 3.0 * 3.14159265358979) < 1e-6);
  assert_true(has_note(model, "solid within"));
  limpet_model_destroy(model);
}

/* What a cage moves is pressed by twelve times its weight, three times E over the face of a damped
 * press, and nothing is turned inside out; linear elements that turn along are. */
static void a_cage_is_not_turned_inside_out(void **state) {
  (void)state;
  limpet_model *model = good_model(
      "<geom type='plane' size='1 1 .1'/><body pos='0 0 .24'><joint type='slide' axis='0 0 1' "
      "damping='100'/>"
      "<geom type='box' size='.03 .2 .05' mass='3'/></body>"
      "<flexcomp name='soft' type='box' dim='2' count='5 5 5' spacing='.04 .04 .04' mass='.25' "
      "dof='trilinear' pos='0 0 .085'><elasticity young='1e3' poisson='.1' damping='.001'/>"
      "</flexcomp>");
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  int inverted = 0, unsolved = 0;
  double least = 1.0;
  while (data->time < (TEST_WATCHED ? 0.1 : 0.6)) {
    unsolved += limpet_step(model, data, &settings) != LIMPET_OUTCOME_SOLVED;
    const limpet_fem_state now =
        limpet_fem_body_state(model->deformable_body[0], data->vertex_position, NULL, NULL);
    inverted += now.inverted;
    least = fmin(least, now.volume / 0.004096);
  }
  if (inverted > 0 || unsolved > 0)
    fail_msg("%d elements inverted, %d steps unsolved", inverted, unsolved);
  if (!TEST_WATCHED && !(least < 0.8)) fail_msg("it keeps %g of its volume", least);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// The highest speed of a vertex [m/s].
static double fastest(const limpet_model *model, const limpet_data *data) {
  double most = 0.0;
  for (int i = 0; i < 3 * model->vertex_count; ++i)
    most = fmax(most, fabs(data->vertex_velocity[i]));
  return most;
}

/* Four soft things and a capsule fall onto each other, one by a length of its own in a step: hard
 * steps. Whatever a step that is not solved ends with, nothing gets faster than it fell. */
static void soft_things_fall_onto_each_other(void **state) {
  (void)state;
  limpet_model *model = good_model(
      "<geom type='plane' size='5 5 .05'/><body pos='0 0 1'><freejoint/>"
      "<geom type='capsule' size='.05 .03'/></body>"
      "<flexcomp name='f1' type='ellipsoid' radius='.001' count='4 4 4' pos='0 0 .8' "
      "spacing='.025 .025 .025' dim='3' mass='1'><edge equality='true'/></flexcomp>"
      "<flexcomp name='f2' type='grid' radius='.003' dim='2' pos='0 0 .1' count='6 6 1' mass='1' "
      "spacing='.02 .03 .04'><edge equality='true'/><pin id='0'/></flexcomp>"
      "<flexcomp name='f3' type='grid' radius='.003' dim='3' pos='0 0 .3' zaxis='1 1 1' "
      "count='3 3 3' mass='1' spacing='.02 .03 .04'><edge equality='true'/></flexcomp>"
      "<flexcomp name='f4' type='grid' count='8 8 8' spacing='.007 .007 .007' pos='0 0 1.5' "
      "dim='3' radius='.0001' mass='.25'>"
      "<elasticity young='1e4' poisson='.1' damping='.01'/></flexcomp>");
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.time_step = 0.01;
  double most = 0.0;
  while (data->time < (TEST_WATCHED ? 0.1 : 0.75)) {
    const limpet_outcome outcome = limpet_step(model, data, &settings);
    if (outcome > LIMPET_OUTCOME_ITERATION_LIMIT)
      fail_msg("%s at %g s", limpet_outcome_word(outcome), data->time);
    most = fmax(most, fastest(model, data));
  }
  // 1.4 m of fall are 5.2 m/s; springs of a cloth that is hit throw a corner faster
  if (!(most < 30.0)) fail_msg("a vertex has %g m/s", most);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

/* A cloth falls onto a ball and lies on it, a rope hangs on its pin: nothing is inside, edges keep
 * their length. */
static void cloth_lies_on_a_ball(void **state) {
  (void)state;
  limpet_model *model = good_model(
      "<geom type='sphere' size='.1'/>"
      "<flexcomp name='cloth' type='grid' count='9 9 1' spacing='.05 .05 .05' pos='0 0 .12' "
      "mass='.2' radius='.004'><edge equality='true' damping='.01'/>"
      "<elasticity young='1e4' poisson='.2' thickness='2e-3' elastic2d='bend'/></flexcomp>"
      "<flexcomp name='rope' type='grid' dim='1' count='6 1 1' spacing='.1 .1 .1' pos='2 0 0' "
      "mass='.2'><edge equality='true' damping='.05'/><pin id='0'/></flexcomp>");
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  int unsolved = 0;
  while (data->time < (TEST_WATCHED ? 0.1 : 0.6))
    unsolved += limpet_step(model, data, &settings) != LIMPET_OUTCOME_SOLVED;
  assert_int_equal(unsolved, 0);
  double nearest = 1.0, longest = 0.0;
  for (int i = 0; i < 81; ++i) {
    const double *x = data->vertex_position + 3 * i;
    nearest = fmin(nearest, sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
  }
  for (int i = 81; i < 86; ++i) {
    const double *x = data->vertex_position + 3 * i;
    longest = fmax(longest, sqrt((x[3] - x[0]) * (x[3] - x[0]) + (x[4] - x[1]) * (x[4] - x[1]) +
                                 (x[5] - x[2]) * (x[5] - x[2])));
  }
  if (!(nearest > 0.1 - 1e-4)) fail_msg("%g m from the middle of a ball of 0.1 m", nearest);
  if (!(fabs(longest - 0.1) < 0.003)) fail_msg("an edge of 0.1 m is %g m long", longest);
  if (!TEST_WATCHED) assert_true(data->vertex_position[2] < 0.05);  // a corner hangs down
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

static void a_wrong_number_is_refused(void **state) {
  (void)state;
  limpet_error error = {0};
  assert_null(
      model_of("<flexcomp name='f' type='grid' dim='3' count='2 2 2' spacing='.1 .1 .1' "
               "mass='1'><elasticity young='1e4'/><pin id='8'/></flexcomp>",
               &error));
  assert_non_null(strstr(error.message, "vertex 8"));
}

// Squeezed with 5 N on each side and lifted by 0.1 m: the fruit follows the hand.
static void a_soft_body_is_gripped_and_lifted(void **state) {
  (void)state;
  limpet_error error;
  limpet_model *model = limpet_load(LIMPET_SOURCE_DIR "/scenes/soft/gripper.xml", NULL, &error);
  if (!model) fail_msg("%s", error.message);
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  double held = 0.0, lifted = 0.0;
  int unsolved = 0;
  while (data->time < (TEST_WATCHED ? 0.2 : 1.8)) {
    data->control[0] = fmin(0.1, fmax(0.0, 0.125 * (data->time - 0.6)));
    data->control[1] = data->control[2] = 5.0;
    const limpet_outcome outcome = limpet_step(model, data, &settings);
    if (outcome > LIMPET_OUTCOME_ITERATION_LIMIT)
      fail_msg("%s at %g s", limpet_outcome_word(outcome), data->time);
    unsolved += outcome == LIMPET_OUTCOME_ITERATION_LIMIT;
    const limpet_fem_state now =
        limpet_fem_body_state(model->deformable_body[0], data->vertex_position, NULL, NULL);
    assert_int_equal(now.inverted, 0);
    if (data->time < 0.6) held = now.centre[2] - data->q[0];
    lifted = now.centre[2] - data->q[0];
  }
  if (!TEST_WATCHED) assert_true(data->q[0] > 0.09);
  // of 900 steps: the solver stops at its iteration limit where many vertices slide on two fingers
  if (unsolved > 18) fail_msg("%d steps end at the iteration limit", unsolved);
  // sagging between the fingers counts as slip
  if (!(fabs(lifted - held) < 2e-3)) fail_msg("it slipped by %g m", held - lifted);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_grid_is_read),
                                     cmocka_unit_test(edges_of_a_solid_damp),
                                     cmocka_unit_test(elements_are_taken_directly),
                                     cmocka_unit_test(ropes_and_cloth_are_read),
                                     cmocka_unit_test(the_rest_is_left_out_with_a_note),
                                     cmocka_unit_test(default_self_contact_is_told_of),
                                     cmocka_unit_test(a_vertex_is_connected_to_a_body),
                                     cmocka_unit_test(a_flex_acts_on_its_bodies),
                                     cmocka_unit_test(closed_surfaces_are_solids_or_geoms),
                                     cmocka_unit_test(a_cage_is_not_turned_inside_out),
                                     cmocka_unit_test(soft_things_fall_onto_each_other),
                                     cmocka_unit_test(cloth_lies_on_a_ball),
                                     cmocka_unit_test(a_wrong_number_is_refused),
                                     cmocka_unit_test(a_soft_body_is_gripped_and_lifted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
