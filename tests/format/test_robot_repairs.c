/* tests/format/test_robot_repairs.c: robot files whose mistakes have one sensible meaning load with
 * a note that says what was done, and are refused with `strict`. */
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
#include "limpet/format.h"
#include "limpet/step.h"
#include "math/dense.h"
#include "math/vec3.h"

#define INERTIA "<inertial><mass value='2'/><inertia ixx='.1' iyy='.2' izz='.25'/></inertial>"
#define LINK(name) "<link name='" name "'>" INERTIA "</link>"
#define JOINT(name, type, parent, child, inside)                                          \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child \
  "'/>" inside "</joint>"
#define X "<axis xyz='1 0 0'/>"
#define Y "<axis xyz='0 1 0'/>"
#define Z "<axis xyz='0 0 1'/>"
#define BOX "<geometry><box size='1 2 3'/></geometry>"

// a robot of URDF, or a file of SDFormat where the text begins with <sdf
static limpet_model *load_with(const char *body, bool strict, limpet_error *error) {
  char text[16384];
  limpet_load_options options = limpet_load_options_default();
  options.strict = strict;
  const bool sdformat = strncmp(body, "<sdf", 4) == 0;
  snprintf(text, sizeof text, sdformat ? "%s" : "<robot name='r'>%s</robot>", body);
  limpet_builder *builder = limpet_builder_create();
  const limpet_status status = (sdformat ? limpet_sdformat_read_text : limpet_urdf_read_text)(
      builder, text, strlen(text), "robot.urdf", &options, error);
  limpet_model *model = status == LIMPET_OK ? limpet_builder_compile(builder, error) : NULL;
  limpet_builder_destroy(builder);
  return model;
}

static int doubts(const limpet_model *model) {
  int count = 0;
  for (int i = 0; i < model->note_count; ++i) count += model->note[i].doubtful;
  return count;
}

// Loads with `count` doubts, the first of which has the text and a place; strict loading fails.
static limpet_model *mended(const char *body, int count, const char *text) {
  limpet_error error = {0};
  limpet_model *model = load_with(body, false, &error);
  if (!model) fail_msg("%s", error.message);
  int first = 0;
  while (first < model->note_count && !model->note[first].doubtful) ++first;
  if (doubts(model) != count) {
    for (int i = 0; i < model->note_count; ++i)
      if (model->note[i].doubtful) print_message("%s\n", model->note[i].text);
    fail_msg("%d doubts, not %d", doubts(model), count);
  }
  if (!strstr(model->note[first].text, text))
    fail_msg("'%s' lacks '%s'", model->note[first].text, text);
  assert_non_null(model->note[first].place.file);
  assert_true(model->note[first].place.line > 0);
  assert_null(load_with(body, true, &error));
  assert_non_null(strstr(error.message, "robot.urdf:1:"));
  return model;
}

// Loads without a doubt.
static limpet_model *accepted(const char *body) {
  limpet_error error = {0};
  limpet_model *model = load_with(body, false, &error);
  if (!model) fail_msg("%s", error.message);
  assert_int_equal(doubts(model), 0);
  return model;
}

static double uniform(unsigned long *state, double low, double high) {
  *state = *state * 6364136223846793005ul + 1442695040888963407ul;
  return low + (high - low) * (double)(*state >> 11) / 9007199254740992.0;
}

// The same at a random pose: M is positive definite, so a step moves and nothing is infinite.
static void moves(const limpet_model *model, unsigned long *state) {
  limpet_data *data = limpet_data_create(model);
  for (int j = 0; j < model->joint_count; ++j)
    if (model->joint_kind[j] == LIMPET_JOINT_REVOLUTE)
      data->q[model->joint_q[j]] = uniform(state, -0.5, 0.5);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  for (int i = 0; i < 20; ++i) {
    limpet_step(model, data, &settings);
    for (int v = 0; v < model->nv; ++v) assert_true(isfinite(data->v[v]));
  }
  limpet_data_destroy(data);
}

// ---------------------------------------------------------------------------------- inertia

// second moments: half the trace less the inertia
static void moments(double S[9], const double I[9]) {
  const double half = 0.5 * (I[0] + I[4] + I[8]);
  for (int k = 0; k < 9; ++k) S[k] = (k % 4 == 0 ? half : 0.0) - I[k];
}

static void random_symmetric(unsigned long *state, double A[9], const double w[3]) {
  double q[9], w0[3], V[9];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j) q[3 * i + j] = q[3 * j + i] = uniform(state, -1.0, 1.0);
  limpet_mat3_eigen(q, w0, V);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      A[3 * i + j] = 0.0;
      for (int k = 0; k < 3; ++k) A[3 * i + j] += V[3 * i + k] * w[k] * V[3 * j + k];
    }
}

static double distance(const double A[9], const double B[9]) {
  double S[9], T[9], sum = 0.0;
  moments(S, A), moments(T, B);
  for (int k = 0; k < 9; ++k) sum += (S[k] - T[k]) * (S[k] - T[k]);
  return sqrt(sum);
}

static limpet_model *load_inertia(const double I[9]) {
  char text[2048];
  snprintf(text, sizeof text,
           "<link name='a'><inertial><mass value='1'/><inertia ixx='%.17g' iyy='%.17g' izz='%.17g' "
           "ixy='%.17g' ixz='%.17g' iyz='%.17g'/></inertial></link>" LINK("b")
               JOINT("j", "fixed", "a", "b", ""),
           I[0], I[4], I[8], I[1], I[2], I[5]);
  limpet_error error = {0};
  limpet_model *model = load_with(text, false, &error);
  if (!model) fail_msg("%s", error.message);
  return model;
}

/* What is loaded has second moments that are not negative, and no other inertia of a body is nearer
 * to what was given: neither random ones nor the mean that MuJoCo takes. Scales from 1e-9 to 1e3.
 */
static void an_impossible_inertia_becomes_the_nearest(void **state) {
  (void)state;
  unsigned long seed = 7;
  int changed = 0, kept = 0;
  for (int round = 0; round < 400; ++round) {
    double s[3], w[3], given[9], S[9], V[9];
    const double scale = pow(10.0, uniform(&seed, -9.0, 3.0));
    do {
      for (int k = 0; k < 3; ++k) s[k] = scale * uniform(&seed, -0.5, 1.0);
    } while (s[0] + s[1] + s[2] <= 0.1 * scale);
    for (int k = 0; k < 3; ++k) w[k] = s[0] + s[1] + s[2] - s[k];
    random_symmetric(&seed, given, w);
    limpet_model *model = load_inertia(given);
    const double *I = model->body_inertia + 9, own = distance(I, given);
    moments(S, I);
    limpet_mat3_eigen(S, w, V);
    assert_true(w[2] >= -1e-12 * scale);
    const bool possible = s[0] >= 0.0 && s[1] >= 0.0 && s[2] >= 0.0;
    if (possible) assert_true(own <= 1e-15 * scale);
    if (possible) assert_int_equal(doubts(model), 0);
    else if (fmin(s[0], fmin(s[1], s[2])) < -1e-5 * scale)
      assert_int_equal(doubts(model), scale > 1e-9 ? 1 : doubts(model));
    changed += !possible, kept += possible;

    // others are further away
    for (int trial = 0; trial < 50; ++trial) {
      double other[9], moment[3];
      for (int k = 0; k < 3; ++k) s[k] = scale * uniform(&seed, 0.0, 1.0);
      for (int k = 0; k < 3; ++k) moment[k] = s[0] + s[1] + s[2] - s[k];
      random_symmetric(&seed, other, moment);
      const double share = pow(10.0, uniform(&seed, -4.0, 0.0));  // and those beside it
      for (int k = 0; k < 9; ++k) other[k] = share * other[k] + (1.0 - share) * I[k];
      assert_true(distance(other, given) >= own * (1.0 - 1e-12));
    }
    const double mean = (given[0] + given[4] + given[8]) / 3.0,
                 ball[9] = {mean, 0, 0, 0, mean, 0, 0, 0, mean};
    if (!possible) assert_true(distance(ball, given) >= own * (1.0 - 1e-12));
    limpet_model_destroy(model);
  }
  assert_true(changed > 50 && kept > 20);
}

static void inertias_of_files_are_repaired_with_a_note(void **state) {
  (void)state;
  // a long body: s = (0.0045, 0.0045, -0.0035), the last becomes 0
  limpet_model *model = mended(
      "<link name='a'><inertial><mass value='1'/><inertia ixx='.001' iyy='.001' izz='.01'/>"
      "</inertial></link>",
      1, "body 'a': its principal inertias 0.01, 0.001, 0.001 kg m^2 belong to no body");
  const double expected[9] = {0.005, 0, 0, 0, 0.005, 0, 0, 0, 0.01};
  for (int k = 0; k < 9; ++k) assert_true(fabs(model->body_inertia[9 + k] - expected[k]) <= 1e-17);
  limpet_model_destroy(model);
  limpet_model_destroy(mended(
      "<sdf version='1.9'><model name='m'><link name='a'><inertial><mass>1</mass><inertia>"
      "<ixx>.001</ixx><iyy>.001</iyy><izz>.01</izz></inertia></inertial></link></model></sdf>",
      1, "simulated with the nearest that do, 0.01, 0.005, 0.005"));
  limpet_error error = {0};
  assert_null(
      load_with("<link name='a'><inertial><mass value='1'/><inertia ixx='-1' iyy='-1' "
                "izz='-2'/></inertial></link>",
                false, &error));
  assert_non_null(strstr(error.message, "less than none"));
}

// a link that is welded to another may have an inertia that is round-off; nothing is said of it
static void round_off_is_repaired_in_silence(void **state) {
  (void)state;
  const double cases[][9] = {{0, 1.35525e-20, 0, 1.35525e-20, 0, 0, 0, 0, 0},
                             {0, 0, 0, 0, 0, 0, 0, 0, -1e-22},
                             {1.5e-6, 1.5e-6, 0, 1.5e-6, 1.5e-6, 0, 0, 0, 3e-6}};
  for (int i = 0; i < 3; ++i) {
    limpet_model *model = load_inertia(cases[i]);
    assert_int_equal(doubts(model), 0);
    double w[3], V[9];
    limpet_mat3_eigen(model->body_inertia + 9, w, V);
    assert_true(w[2] >= -1e-24 && w[1] + w[2] >= w[0] * (1.0 - 1e-6));
    limpet_model_destroy(model);
  }
}

// --------------------------------------------------------------------------- without mass

static void frames_between_joints_need_no_mass(void **state) {
  (void)state;
  unsigned long seed = 3;
  static const char *const good[] = {
      // a hip of three joints
      LINK("a") "<link name='b'/><link name='c'/>" LINK("d") JOINT(
          "z", "continuous", "a", "b", Z) JOINT("x", "continuous", "b", "c", X)
          JOINT("y", "continuous", "c", "d", Y),
      // a root that floats and only carries two legs; one that is welded
      "<link name='a'/>" LINK("b") LINK("c") JOINT("x", "continuous", "a", "b", X)
          JOINT("y", "continuous", "a", "c", Y),
      "<link name='a'/>" LINK("b") JOINT("j", "fixed", "a", "b", ""),
      // point masses beside the axis
      LINK("a") "<link name='b'><inertial><origin xyz='0 0 1'/><mass value='1'/></inertial></link>"
          JOINT("x", "continuous", "a", "b", X)};
  for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
    limpet_model *model = accepted(good[i]);
    for (int b = 1; b < model->body_count; ++b)
      assert_true(model->body_mass[b] == 0.0 || model->body_mass[b] == 1.0 ||
                  model->body_mass[b] == 2.0);
    moves(model, &seed);
    limpet_model_destroy(model);
  }
}

static void what_moves_without_mass_gets_some(void **state) {
  (void)state;
  unsigned long seed = 4;
  const double gram = 1e-3;
  // the outermost link alone; the one above is regular then
  limpet_model *model =
      mended(LINK("a") "<link name='b'/><link name='c'/>" JOINT("x", "continuous", "a", "b", X)
                 JOINT("y", "continuous", "b", "c", Y),
             1, "body 'c' moves but has no mass");
  assert_true(model->body_mass[2] == 0.0 && model->body_mass[3] == gram);
  moves(model, &seed);
  limpet_model_destroy(model);

  // two joints with one axis: each needs its own
  model = mended(LINK("a") "<link name='b'/><link name='c'/>" JOINT("x", "continuous", "a", "b", X)
                     JOINT("y", "continuous", "b", "c", X),
                 2, "body 'c'");
  moves(model, &seed);
  limpet_model_destroy(model);

  // the root can turn about the only axis while the leg stays
  model = mended("<link name='a'/>" LINK("b") JOINT("x", "continuous", "a", "b", X), 1,
                 "or weld it to the world");
  assert_true(model->body_mass[1] == gram);
  moves(model, &seed);
  limpet_model_destroy(model);

  // mass without inertia: that of a ball of water of 2 kg, 0.4 m r^2
  model = mended(LINK("a") "<link name='b'><inertial><mass value='2'/></inertial></link>" JOINT(
                     "x", "continuous", "a", "b", X),
                 1, "body 'b' moves but has no rotational inertia");
  const double radius = cbrt(2.0 * 3.0 / (4.0 * LIMPET_PI * 1000.0));
  assert_true(fabs(model->body_inertia[18] - 0.8 * radius * radius) <= 1e-15);
  moves(model, &seed);
  limpet_model_destroy(model);
}

/* A link of 2 kg whose inertia the file gives as zeros or not at all has that of its box, at the
 * centre of mass that the file gives. */
static void geometry_gives_inertia(void **state) {
  (void)state;
  static const char *const inertias[] = {"", "<inertia ixx='0' iyy='0' izz='0'/>"};
  for (int i = 0; i < 2; ++i) {
    char text[1024];
    snprintf(text, sizeof text,
             "<link name='a'><inertial><origin xyz='.1 0 0'/><mass value='2'/>%s</inertial>"
             "<collision><origin rpy='0 0 1.5707963267948966'/>" BOX "</collision></link>",
             inertias[i]);
    limpet_model *model = mended(text, 1, "that of its collision geometry, scaled to its mass");
    const double *I = model->body_inertia + 9, m = 2.0 / 12.0;
    assert_true(model->total_mass == 2.0 && model->body_com[3] == 0.1);
    const double expected[3] = {m * (1.0 + 9.0), m * (4.0 + 9.0), m * (1.0 + 4.0)};
    for (int k = 0; k < 3; ++k) assert_true(fabs(I[4 * k] - expected[k]) < 1e-12);
    limpet_model_destroy(model);
  }

  // a rod: only what it lacks is added
  limpet_model *model = mended(
      "<link name='a'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='0'/></inertial>"
      "<collision>" BOX "</collision></link>",
      1, "are added, those of a ball of water of its mass");
  assert_true(model->body_inertia[9] > 1.0 && model->body_inertia[17] > 0.0);
  limpet_model_destroy(model);
}

/* Objects with joints and without any inertia: all links with geometry have mass, not only those
 * without which nothing could be stepped. Where one link has mass, the others keep none. */
static void robots_without_mass_have_that_of_all_their_geometry(void **state) {
  (void)state;
  unsigned long seed = 5;
#define SOLID(name) "<link name='" name "'><collision>" BOX "</collision></link>"
#define CHAIN                                                                                    \
  "<link name='e'/>" JOINT("i", "continuous", "a", "b", X) JOINT("j", "continuous", "b", "c", Y) \
      JOINT("k", "fixed", "c", "d", "") JOINT("l", "fixed", "a", "e", "")
  limpet_model *model = mended(SOLID("a") SOLID("b") SOLID("c") SOLID("d") CHAIN, 1,
                               "no link of its robot has a mass: simulated with 24000 kg in all");
  for (int b = 1; b < 6; ++b)
    assert_true(fabs(model->body_mass[b] - (b == 5 ? 0.0 : 6000.0)) < 1e-9);
  moves(model, &seed);
  limpet_model_destroy(model);
  model = accepted(LINK("a") SOLID("b") LINK("c") SOLID("d") CHAIN);
  assert_true(model->total_mass == 4.0);
  limpet_model_destroy(model);
}

static void contacts_of_bullet_give_friction(void **state) {
  (void)state;
  limpet_model *model = accepted(
      "<link name='a'>" INERTIA
      "<contact><lateral_friction value='.3'/><restitution value='.2'/>"
      "<contact_cfm value='0'/></contact><collision>" BOX "</collision><collision>" BOX
      "<drake:proximity_properties><drake:mu_dynamic value='.7'/></drake:proximity_properties>"
      "</collision></link>");
  assert_true(model->geom_material[0].friction == 0.3 && model->geom_material[1].friction == 0.7);
  assert_true(model->geom_material[0].restitution == 0.2);
  limpet_model_destroy(model);
  limpet_error error = {0};
  assert_null(load_with("<link name='a'>" INERTIA
                        "<contact><lateral_friction value='-1'/></contact>"
                        "<collision>" BOX "</collision></link>",
                        false, &error));
  assert_non_null(strstr(error.message, "<lateral_friction> is -1; give 0 or more"));
}

static void geometry_gives_mass(void **state) {
  (void)state;
  unsigned long seed = 5;
  // no <inertial>: water; what is drawn does not count
  limpet_model *model =
      mended("<link name='a'><visual>" BOX "</visual><collision>" BOX "</collision></link>", 1,
             "simulated with 6000 kg");
  assert_true(fabs(model->body_mass[1] - 6000.0) <= 1e-9);
  assert_true(fabs(model->body_inertia[9] - 500.0 * 13.0) <= 1e-9);
  moves(model, &seed);
  limpet_model_destroy(model);

  // so does a mass of 0 that was written; what does not move keeps none
  model =
      mended("<link name='a'><collision>" BOX "</collision></link>", 1, "simulated with 6000 kg");
  limpet_model_destroy(model);
  model = mended(
      "<sdf version='1.9'><model name='m'><link name='a'><inertial><mass>0</mass>"
      "<inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia></inertial><collision "
      "name='c'><geometry><box><size>1 2 3</size></box></geometry></collision></link>"
      "</model></sdf>",
      1, "simulated with 6000 kg");
  limpet_model_destroy(model);
  model = accepted(LINK("a") "<link name='b'><collision>" BOX
                             "</collision></link>" JOINT("x", "fixed", "a", "b", ""));
  assert_true(model->total_mass == 2.0);
  limpet_model_destroy(model);

  // a density that was written
  model = accepted("<link name='a'><inertial><density value='500'/></inertial><collision>" BOX
                   "</collision></link>");
  assert_true(fabs(model->total_mass - 3000.0) <= 1e-9);
  limpet_model_destroy(model);
}

// A ground of Bullet: a root whose mass the file gives as 0 stands, with all that hangs on it.
static void what_has_mass_0_by_its_file_stands(void **state) {
  (void)state;
#define GROUND(mass)                                                            \
  "<link name='a'><inertial><mass value='" mass "'/></inertial><collision>" BOX \
  "</collision></link>"
  limpet_model *model =
      mended(GROUND("0"), 1, "link 'a' has mass 0, and so has all that hangs on it: it is welded");
  assert_int_equal(model->nv, 0);
  limpet_model_destroy(model);

  // what hangs on it has mass: a base that floats, as in other programs
  model = accepted(GROUND(".0") LINK("b") JOINT("x", "fixed", "a", "b", ""));
  assert_int_equal(model->nv, 6);
  limpet_model_destroy(model);
  model = accepted(GROUND("5") JOINT("x", "fixed", "world", "a", ""));
  assert_int_equal(model->nv, 0);
  limpet_model_destroy(model);

  // a ball falls on the plane of a ground
  model = mended(
      "<link name='a'><inertial><mass value='0'/></inertial><collision><geometry>"
      "<plane normal='0 0 3'/></geometry></collision></link>"
      "<link name='b'>" INERTIA
      "<collision><origin xyz='0 0 .25'/><geometry>"
      "<sphere radius='.2'/></geometry></collision></link>",
      1, "welded to the world");
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  for (int i = 0; i < 500; ++i) limpet_step(model, data, &settings);
  assert_true(fabs(data->q[2] + 0.05) <= 1e-5);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

/* Trees of random joints and axes, in which links have mass, none, or mass without inertia: all
 * load, all masses that were given stay, and all move. */
static void random_trees_load_and_move(void **state) {
  (void)state;
  unsigned long seed = 11;
  int with_doubts = 0;
  for (int round = 0; round < 300; ++round) {
    char text[8192];
    size_t used = 0;
    double given = 0.0;
    const int count = 1 + (int)uniform(&seed, 0.0, 9.0);
    for (int i = 0; i < count; ++i) {
      const int kind = (int)uniform(&seed, 0.0, 4.0), up = (int)uniform(&seed, 0.0, i);
      used += (size_t)snprintf(text + used, sizeof text - used, "<link name='l%d'>%s</link>", i,
                               kind == 0   ? INERTIA
                               : kind == 1 ? "<inertial><mass value='2'/></inertial>"
                                           : "");
      given += kind < 2 ? 2.0 : 0.0;
      if (i == 0) continue;
      static const char *const types[] = {"continuous", "continuous", "prismatic", "fixed"};
      static const char *const axes[] = {X, Y, Z, "<axis xyz='1 2 3'/>"};
      used += (size_t)snprintf(
          text + used, sizeof text - used,
          "<joint name='j%d' type='%s'><origin xyz='%d %d 0'/><parent link='l%d'/><child "
          "link='l%d'/>%s<dynamics damping='1'/></joint>",
          i, types[(int)uniform(&seed, 0.0, 4.0)], (int)uniform(&seed, 0.0, 2.0),
          (int)uniform(&seed, 0.0, 2.0), up, i, axes[(int)uniform(&seed, 0.0, 4.0)]);
    }
    limpet_model *model = NULL;
    limpet_error error = {0};
    model = load_with(text, false, &error);
    if (!model) fail_msg("%s\n%s", error.message, text);
    assert_true(model->total_mass >= given && model->total_mass <= given + 1e-3 * count + 1e-9);
    with_doubts += doubts(model) > 0;
    moves(model, &seed);
    limpet_model_destroy(model);
  }
  assert_true(with_doubts > 30 && with_doubts < 270);
}

// ------------------------------------------------------------------------- names and joints

static void actuators_get_names_of_their_own(void **state) {
  (void)state;
#define TWO_JOINTS \
  LINK("a")        \
  LINK("b") LINK("c") JOINT("i", "continuous", "a", "b", X) JOINT("j", "continuous", "b", "c", X)
  limpet_model *model =
      mended(TWO_JOINTS
             "<transmission name='t'><actuator name='m'/><joint name='i'/></transmission>"
             "<transmission name='u'><actuator name='m'/><joint name='j'/></transmission>",
             1, "two actuators have the name 'm': that of joint 'j' is called 'm_j'");
  assert_int_equal(model->nu, 2);
  assert_int_equal(limpet_model_find(model, LIMPET_OBJECT_ACTUATOR, "m_j"), 1);
  limpet_model_destroy(model);

  // a differential: actuator and joint of the same place
  model =
      mended(TWO_JOINTS
             "<transmission name='t'><actuator name='m'/><actuator name='n'><drake:rotor_inertia "
             "value='3'/></actuator><joint name='i'/><joint name='j'/></transmission>",
             1, "each joint is driven by itself");
  const int second = limpet_model_find(model, LIMPET_OBJECT_ACTUATOR, "n");
  assert_int_equal(second, 1);
  assert_true(model->dof_armature[6] == 0.0 && model->dof_armature[7] == 3.0);
  limpet_model_destroy(model);
  model = mended(TWO_JOINTS
                 "<transmission name='t'><actuator name='m'/><joint name='k'/></transmission>",
                 1, "there is no joint 'k' to drive");
  assert_int_equal(model->nu, 0);
  limpet_model_destroy(model);
}

static void followers_of_what_is_fixed_are_held(void **state) {
  (void)state;
#define FOLLOWS(other) "<mimic joint='" other "' multiplier='2' offset='.5'/>"
  limpet_model *model =
      mended(LINK("a") LINK("b") LINK("c") JOINT("i", "fixed", "a", "b", "")
                 JOINT("j", "continuous", "b", "c", X FOLLOWS("i")),
             1, "follows joint 'i', which is fixed: it is held at its offset, 0.5");
  assert_int_equal(model->coupler_count, 1);
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  for (int i = 0; i < 200; ++i) limpet_step(model, data, &settings);
  assert_true(fabs(data->q[7] - 0.5) <= 1e-6);
  limpet_data_destroy(data);
  limpet_model_destroy(model);

  model = mended(LINK("a") LINK("b") LINK("c") JOINT("i", "continuous", "a", "b", X)
                     JOINT("j", "fixed", "b", "c", FOLLOWS("i")),
                 1, "joint 'j' is fixed and cannot follow joint 'i'");
  assert_int_equal(model->coupler_count, 0);
  limpet_model_destroy(model);
  model = mended(LINK("a") LINK("b") JOINT("left_q", "continuous", "a", "b", X FOLLOWS("q")), 1,
                 "there is no joint 'q', which joint 'left_q' is to follow: it moves by itself");
  assert_int_equal(model->coupler_count, 0);
  limpet_model_destroy(model);
}

// ----------------------------------------------------------------------------------- meshes

/* Four points of a random plane, in single precision as in STL: a plate on which a ball rests. Of
 * points in a line no plate is made. */
static void flat_meshes_touch_as_plates(void **state) {
  (void)state;
  static const char *const file = "limpet_robot_flat.obj";
  unsigned long seed = 3;
  for (int round = 0; round < 12; ++round) {
    const bool line = round == 11;
    const double size = line ? 0.1 : pow(10.0, uniform(&seed, -1.0, 1.0)),
                 tilt = uniform(&seed, -0.2, 0.2), skew = uniform(&seed, -0.5, 0.5);
    FILE *f = fopen(file, "w");
    for (int i = 0; i < 4; ++i) {
      const double x = size * (i % 2 ? 1.0 : -1.0), y = line ? 0.0 : size * (i / 2 ? 1.0 : -1.0);
      fprintf(f, "v %.9g %.9g %.9g\n", (double)(float)(x + skew * y), (double)(float)y,
              (double)(float)(tilt * x - 0.1 * tilt * y));
    }
    fputs("f 1 2 4\nf 1 4 3\n", f);
    fclose(f);
    char text[2048];
    snprintf(
        text, sizeof text,
        "<link name='world'/><link name='a'><collision><geometry><mesh filename='%s'/>"
        "</geometry></collision></link>" JOINT(
            "j", "fixed", "world", "a", "") "<link name='b'>" INERTIA
                                            "<collision><origin xyz='0 0 %.9g'/><geometry><sphere "
                                            "radius='%.9g'/></geometry></collision></link>",
        file, 0.101 * size, 0.1 * size);
    limpet_error error = {0};
    if (line) {
      assert_null(load_with(text, false, &error));
      assert_non_null(strstr(error.message, "they lie in a plane or a line"));
      continue;
    }
    limpet_model *model = mended(text, 1, "the mesh lies in a plane and has no volume");
    limpet_data *data = limpet_data_create(model);
    const limpet_step_settings settings = limpet_step_settings_default(model);
    for (int i = 0; i < 100; ++i) limpet_step(model, data, &settings);
    assert_true(data->contact_count > 0);
    assert_true(data->q[2] > -0.02 * size - 0.2 * size * fabs(tilt));
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
  remove(file);
}

// ------------------------------------------------------------------------------------ texts

static void lists_of_numbers_are_mended(void **state) {
  (void)state;
#define AT(attributes) LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "<origin " attributes "/>")
  const limpet_model *models[] = {
      accepted(AT("xyz='1 -2 3' rpy='.1 .2 .3'")),
      mended(AT("xyz='1, -2,\t3' rpy='.1 .2 .3'"), 1, "'xyz' of <origin> has commas between"),
      mended(AT("xyz='1 -2 3' rpy='.1 .2 .3 .4'"), 1,
             "'rpy' of <origin> has more than 3 numbers: the first 3 count")};
  for (int m = 1; m < 3; ++m) {
    for (int i = 0; i < 3; ++i)
      assert_true(models[m]->body_position[6 + i] == models[0]->body_position[6 + i]);
    for (int i = 0; i < 4; ++i)
      assert_true(models[m]->body_quaternion[8 + i] == models[0]->body_quaternion[8 + i]);
  }
  for (int m = 0; m < 3; ++m) limpet_model_destroy((limpet_model *)models[m]);
  limpet_error error = {0};
  assert_null(load_with(AT("xyz='1,2 3'"), false, &error));
  assert_non_null(strstr(error.message, "needs numbers, but has '1,2'"));
  assert_null(load_with(AT("xyz='$(optenv X 0) 2 3'"), false, &error));
  assert_non_null(strstr(error.message, "expand the file with 'xacro FILE > robot.urdf'"));
}

static void limits_in_the_wrong_order_bound_nothing(void **state) {
  (void)state;
  limpet_model *model = mended(
      LINK("a") LINK("b")
          JOINT("j", "prismatic", "a", "b", X "<limit lower='1' upper='-1' effort='1'/>"),
      1, "the lower limit of joint 'j' is 1, above its upper one, -1: it moves without bounds");
  assert_false(model->joint_limited[1]);
  limpet_model_destroy(model);
}

static void words_of_bullet_and_makers_are_read(void **state) {
  (void)state;
  limpet_model *model = accepted(LINK("a") LINK("b") JOINT("j", "spherical", "a", "b", ""));
  assert_int_equal(model->joint_kind[1], LIMPET_JOINT_BALL);
  limpet_model_destroy(model);
  model =
      accepted(TWO_JOINTS
               "<transmission name='t'><joint name='i'/><actuator name='m'>"
               "<mechanicalReduction>reduction</mechanicalReduction></actuator></transmission>");
  assert_int_equal(model->nu, 1);
  limpet_model_destroy(model);
}

// The text itself, at the place of its line; expat alone would refuse all but the first.
static void slips_of_xml_are_passed_over(void **state) {
  (void)state;
#define ROBOT \
  "<robot name='\xc3\xbc'>\n<link name='a'><inertial><mass value='x'/></inertial></link></robot>"
  static const struct {
    const char *text;
    size_t length;
    int line, column;
  } cases[] = {{ROBOT, 0, 2, 32},
               {"\n \n<?xml version='1.0'?>" ROBOT, 0, 4, 32},
               {"<!-- a\n--> <?xml version='1.0'\n encoding='utf-8' ?>\n" ROBOT, 0, 5, 32},
               {"<?xml version='1.0' encoding='ASCII'?>" ROBOT, 0, 2, 32},
               {"<?xml version='1.0' encoding='utf8'?>" ROBOT, 0, 2, 32},
               {ROBOT "\n\0\0", sizeof ROBOT + 2, 2, 32}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    limpet_error error = {0};
    limpet_builder *builder = limpet_builder_create();
    const size_t length = cases[i].length ? cases[i].length : strlen(cases[i].text);
    assert_int_equal(
        limpet_urdf_read_text(builder, cases[i].text, length, "robot.urdf", NULL, &error),
        LIMPET_ERROR_INPUT);
    char place[64];
    snprintf(place, sizeof place, "robot.urdf:%d:%d: attribute 'value' of <mass>", cases[i].line,
             cases[i].column);
    if (!strstr(error.message, place)) fail_msg("'%s' lacks '%s'", error.message, place);
    limpet_builder_destroy(builder);
  }

  // what is no UTF-8, and a second declaration
  static const char *const broken[] = {"<?xml version='1.0' encoding='ASCII'?><robot name='\xfc'/>",
                                       "<?xml version='1.0' encoding='utf8'?><robot name='\xc3'/>",
                                       " <?xml version='1.0'?><?xml version='1.0'?><robot/>",
                                       " <?xml version='1.0' <robot/>"};
  for (size_t i = 0; i < sizeof broken / sizeof *broken; ++i) {
    limpet_error error = {0};
    limpet_builder *builder = limpet_builder_create();
    assert_int_equal(
        limpet_urdf_read_text(builder, broken[i], strlen(broken[i]), "robot.urdf", NULL, &error),
        LIMPET_ERROR_INPUT);
    limpet_builder_destroy(builder);
  }
}

static void the_first_of_two_elements_counts(void **state) {
  (void)state;
  limpet_model *model =
      mended("<link name='a'>" INERTIA
             "<inertial><mass value='7'/><inertia ixx='1' iyy='1' "
             "izz='1'/></inertial></link>",
             1, "<inertial> stands twice in <link>, which takes one: the first counts");
  assert_true(model->total_mass == 2.0);
  limpet_model_destroy(model);
  model = mended(
      "<sdf version='1.9'><model name='m'><link name='a'><inertial><mass>3</mass>"
      "<mass>4</mass></inertial></link></model></sdf>",
      1, "<mass> stands twice");
  assert_true(model->total_mass == 3.0);
  limpet_model_destroy(model);
}

// A box of 100 m that moves was meant to have 100 mm; a floor may be as large as it likes.
static void lengths_in_millimetres_are_told(void **state) {
  (void)state;
  static const struct {
    const char *size, *joint;
    int told;
  } cases[] = {
      {"100 100 100", "revolute", 1}, {"10 10 10", "revolute", 0}, {"100 100 1", "fixed", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[1024];
    limpet_error error = {0};
    snprintf(text, sizeof text,
             "<link name='world'/><link name='a'>" INERTIA
             "<collision><geometry><box size='%s'/>"
             "</geometry></collision></link><joint name='j' type='%s'><parent link='world'/>"
             "<child link='a'/>" X "</joint>",
             cases[i].size, cases[i].joint);
    limpet_model *model = load_with(text, false, &error);
    if (!model) fail_msg("%s", error.message);
    assert_int_equal(doubts(model), cases[i].told);
    if (cases[i].told) assert_non_null(strstr(model->note[model->note_count - 1].text, "173 m"));
    limpet_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_impossible_inertia_becomes_the_nearest),
      cmocka_unit_test(inertias_of_files_are_repaired_with_a_note),
      cmocka_unit_test(round_off_is_repaired_in_silence),
      cmocka_unit_test(frames_between_joints_need_no_mass),
      cmocka_unit_test(what_moves_without_mass_gets_some),
      cmocka_unit_test(geometry_gives_mass),
      cmocka_unit_test(geometry_gives_inertia),
      cmocka_unit_test(robots_without_mass_have_that_of_all_their_geometry),
      cmocka_unit_test(contacts_of_bullet_give_friction),
      cmocka_unit_test(what_has_mass_0_by_its_file_stands),
      cmocka_unit_test(random_trees_load_and_move),
      cmocka_unit_test(actuators_get_names_of_their_own),
      cmocka_unit_test(followers_of_what_is_fixed_are_held),
      cmocka_unit_test(the_first_of_two_elements_counts),
      cmocka_unit_test(flat_meshes_touch_as_plates),
      cmocka_unit_test(lists_of_numbers_are_mended),
      cmocka_unit_test(limits_in_the_wrong_order_bound_nothing),
      cmocka_unit_test(words_of_bullet_and_makers_are_read),
      cmocka_unit_test(slips_of_xml_are_passed_over),
      cmocka_unit_test(lengths_in_millimetres_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
