/* tests/fuzz/test_fuzz_robots.c: URDF and SDFormat texts changed at random load or are refused with
 * a text; they never crash, hang or leak (run it with the sanitizers). Texts that are meant to hurt
 * end soon: rings, deep nesting, long strings, entities, groups that double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/read/text.h"
#include "limpet/format.h"
#include "mutate.h"
#include "shared_data.h"

enum { MUTATIONS = 6000, LARGEST_SEED = 12000, ROOM = 2 * LARGEST_SEED };

static const char *const urdf_seed =
    "<robot name='r' version='1.2' xmlns:drake='d'><material name='m'><color rgba='1 0 0 1'/>"
    "</material><link name='a'><inertial><origin xyz='0 0 1' rpy='1 0 0'/><mass "
    "value='2'/><inertia "
    "ixx='.1' iyy='.2' izz='.25' ixy='0'/></inertial><visual><geometry><box size='1 2 3'/>"
    "</geometry><material name='m'/></visual><collision name='c'><origin quat_xyzw='0 0 0 1'/>"
    "<geometry><sphere radius='.1'/></geometry><drake:proximity_properties><drake:mu_dynamic "
    "value='.4'/><drake:compliant_hydroelastic/><drake:hydroelastic_modulus value='5e6'/>"
    "</drake:proximity_properties></collision></link><link name='b'><inertial><mass value='1'/>"
    "<inertia ixx='1' iyy='1' izz='1'/></inertial><collision><geometry><capsule radius='1' "
    "length='2'/></geometry></collision></link><link name='c'><inertial><mass value='1'/><inertia "
    "ixx='1' iyy='1' izz='1'/></inertial></link><joint name='h' type='revolute'><parent link='a'/>"
    "<child link='b'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='3'/><dynamics "
    "damping='1' friction='2'/></joint><joint name='p' type='planar'><parent link='b'/><child "
    "link='c'/></joint><transmission name='t'><joint name='h'/><actuator "
    "name='m'><drake:rotor_inertia value='.1'/><drake:gear_ratio value='5'/></actuator>"
    "</transmission><frame name='f' link='b' xyz='1 2 3'/><drake:collision_filter_group name='g'>"
    "<drake:member link='a'/><drake:member link='c'/><drake:ignored_collision_filter_group "
    "name='g'/></drake:collision_filter_group><drake:ball_constraint><drake:ball_constraint_body_A "
    "name='a'/><drake:ball_constraint_p_AP value='0 0 1'/><drake:ball_constraint_body_B name='c'/>"
    "<drake:ball_constraint_p_BQ value='1 0 0'/></drake:ball_constraint>"
    "<drake:tendon_constraint><drake:tendon_constraint_joint name='h' a='2'/>"
    "<drake:tendon_constraint_upper_limit value='1'/></drake:tendon_constraint></robot>";

static const char *const sdf_seed =
    "<sdf version='1.9'><world name='w'><gravity>0 0 -9</gravity><model name='m'><pose>0 0 1 0 0 0"
    "</pose><frame name='f' attached_to='a'><pose degrees='true'>1 0 0 0 0 90</pose></frame>"
    "<link name='a'><inertial><pose>0 0 1 0 0 0</pose><mass>2</mass><inertia><ixx>1</ixx></inertia>"
    "</inertial><collision name='c'><geometry><cylinder><radius>.1</radius><length>1</length>"
    "</cylinder></geometry><surface><friction><ode><mu>1</mu></ode></friction></surface></"
    "collision>"
    "</link><link name='b'><pose relative_to='f'>1 0 0 0 0 0</pose><visual name='v'><geometry><box>"
    "<size>1 1 1</size></box></geometry><material><diffuse>1 0 0 1</diffuse></material></visual>"
    "</link><joint name='j' type='revolute'><parent>a</parent><child>b</child><pose "
    "relative_to='a'/>"
    "<axis><xyz expressed_in='__model__'>0 0 "
    "1</xyz><limit><lower>-1</lower><upper>1</upper></limit>"
    "<dynamics><damping>1</damping></dynamics></axis></joint><model name='n' placement_frame='l'>"
    "<link name='l'/></model><joint name='u' type='universal'><parent>b</parent><child>n::l</child>"
    "</joint></model><model name='s'><static>true</static><link name='g'><collision name='p'>"
    "<geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model></world>"
    "</sdf>";

static const char *const words[] = {"nan",
                                    "inf",
                                    "-1",
                                    "0",
                                    "1",
                                    "0.5",
                                    "1e308",
                                    "1e-320",
                                    "world",
                                    "a",
                                    "b",
                                    "c",
                                    "h",
                                    "j",
                                    "f",
                                    "m::n",
                                    "n::l",
                                    "::",
                                    "__model__",
                                    "fixed",
                                    "revolute",
                                    "floating",
                                    "planar",
                                    "ball",
                                    "universal",
                                    "screw",
                                    "true",
                                    "'",
                                    "\"",
                                    "<",
                                    "/>",
                                    "</link>",
                                    "<link name='x'/>",
                                    "<pose/>",
                                    "<child>a</child>",
                                    "&lt;",
                                    "&x;",
                                    "<!--",
                                    "-->",
                                    "<include><uri>model.sdf</uri></include>",
                                    "package://x/y.stl",
                                    "\xff",
                                    "<![CDATA["};

typedef limpet_status read_function(limpet_builder *builder, const char *text, size_t length,
                                    const char *path, const limpet_load_options *options,
                                    limpet_error *error);

static int accepted, refused;

static void try_text(read_function *read, const char *text, size_t length) {
  limpet_error error = {0};
  limpet_builder *builder = limpet_builder_create();
  assert_non_null(builder);
  const limpet_status status = read(builder, text, length, "robot.urdf", NULL, &error);
  limpet_model *model = status == LIMPET_OK ? limpet_builder_compile(builder, &error) : NULL;
  if (model) ++accepted;
  else {
    ++refused;
    assert_true(error.message[0] != '\0' && error.status != LIMPET_OK);
  }
  limpet_model_destroy(model);
  limpet_builder_destroy(builder);
}

static void fuzz_seed(read_function *read, unsigned long *seed, const char *text, size_t length,
                      int count) {
  static char bytes[ROOM];
  for (int i = 0; i < count; ++i) {
    memcpy(bytes, text, length);
    const size_t n = mutate(seed, bytes, length, ROOM, words, (int)(sizeof words / sizeof *words));
    // a buffer of exactly this size, so that the sanitizer sees a read behind it
    char *exact = malloc(n ? n : 1);
    assert_non_null(exact);
    memcpy(exact, bytes, n);
    try_text(read, exact, n);
    free(exact);
  }
}

static void fuzz(read_function *read, const char *own, const char *folder, const char *ending) {
  unsigned long seed = 5;
  accepted = refused = 0;
  try_text(read, own, strlen(own));
  assert_int_equal(accepted, 1);  // the seed itself is right, so changes reach deep
  fuzz_seed(read, &seed, own, strlen(own), MUTATIONS / 2);
  printf("own text: %d accepted, %d refused\n", accepted, refused);
  assert_true(50 * accepted > refused && 50 * refused > accepted);
  if (!shared_exists(folder)) return;
  file_list list = file_list_find(shared_path(folder), ending);
  for (int i = 0; i < list.count; ++i) {
    char *text;
    size_t length;
    limpet_error error;
    if (limpet_text_file(&text, &length, list.path[i], LARGEST_SEED, &error) != LIMPET_OK) continue;
    fuzz_seed(read, &seed, text, length, MUTATIONS / 2 / list.count + 1);
    free(text);
  }
  file_list_free(&list);
  printf("with shared models: %d accepted, %d refused\n", accepted, refused);
}

static void changed_urdf_never_crashes(void **state) {
  (void)state;
  fuzz(limpet_urdf_read_text, urdf_seed, "models/drake", ".urdf");
}

static void changed_sdformat_never_crashes(void **state) {
  (void)state;
  fuzz(limpet_sdformat_read_text, sdf_seed, "models/drake", ".sdf");
}

// --------------------------------------------------------------------------- meant to hurt

static char *append(char *at, const char *text) {
  const size_t length = strlen(text);
  memcpy(at, text, length + 1);
  return at + length;
}

static void refuses(read_function *read, const char *text, const char *expected) {
  limpet_error error = {0};
  limpet_builder *builder = limpet_builder_create();
  assert_int_not_equal(read(builder, text, strlen(text), "robot.urdf", NULL, &error), LIMPET_OK);
  if (!strstr(error.message, expected)) fail_msg("'%s' lacks '%s'", error.message, expected);
  limpet_builder_destroy(builder);
}

static void texts_that_hurt_end_soon(void **state) {
  (void)state;
  enum { COUNT = 100000, SIZE = 64 << 20 };
  char *text = malloc(SIZE), *at;
  assert_non_null(text);

  // a hundred thousand levels of elements
  at = append(text, "<robot name='r'>");
  for (int i = 0; i < COUNT; ++i) at = append(at, "<link>");
  refuses(limpet_urdf_read_text, text, "nested too deeply");

  // a ring of a hundred thousand links
  at = append(text, "<robot name='r'>");
  for (int i = 0; i < COUNT; ++i) at += sprintf(at, "<link name='%d'/>", i);
  for (int i = 0; i < COUNT; ++i)
    at += sprintf(at, "<joint name='%d' type='fixed'><parent link='%d'/><child link='%d'/></joint>",
                  i, i, (i + 1) % COUNT);
  append(at, "</robot>");
  refuses(limpet_urdf_read_text, text, "hangs on itself");

  // frames that hang on each other ten thousand levels deep
  at = append(text, "<sdf version='1.9'><model name='m'><link name='l'/>");
  for (int i = 0; i < COUNT / 10; ++i)
    at += sprintf(at, "<frame name='f%d' attached_to='f%d'/>", i, (i + 1) % (COUNT / 10));
  append(at, "</model></sdf>");
  refuses(limpet_sdformat_read_text, text, "itself");

  // groups that hold the group before twice
  at = append(text,
              "<robot name='r'><link name='a'/><drake:collision_filter_group name='0'>"
              "<drake:member link='a'/></drake:collision_filter_group>");
  for (int i = 1; i < 60; ++i)
    at += sprintf(at,
                  "<drake:collision_filter_group name='%d'><drake:member_group name='%d'/>"
                  "<drake:member_group name='%d'/></drake:collision_filter_group>",
                  i, i - 1, i - 1);
  append(at, "</robot>");
  refuses(limpet_urdf_read_text, text, "two million elements");

  // entities that double, and a number of 32 million digits
  refuses(limpet_urdf_read_text,
          "<!DOCTYPE r [<!ENTITY a 'x'><!ENTITY b '&a;&a;'>]><robot>&b;</robot>", "document type");
  at = append(text, "<sdf version='1.9'><model name='m'><link name='l'><pose>");
  memset(at, '1', SIZE / 2);
  append(at + SIZE / 2, "</pose></link></model></sdf>");
  refuses(limpet_sdformat_read_text, text, "longer than");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(changed_urdf_never_crashes),
                                     cmocka_unit_test(changed_sdformat_never_crashes),
                                     cmocka_unit_test(texts_that_hurt_end_soon)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
