/* tests/fuzz/test_fuzz_mjcf.c: model files changed at random load or are refused with a text; they
 * never crash, hang or leak (run it with the sanitizers). The seeds are one text that uses every
 * part of the importer, and the small models of shared data. */
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

static const char *const own_seed =
    "<mujoco model='all' xmlns:limpet='x'><compiler angle='radian' eulerseq='zyx' "
    "autolimits='true' boundmass='0.1'/>\n"
    "<option timestep='0.001' gravity='0 0 -9'><flag contact='disable'/></option><size "
    "njmax='5'/><visual><map "
    "znear='1'/></visual>\n"
    "<default><geom density='10' solref='0.01 1'/><default class='a'><joint damping='1' range='-1 "
    "1'/><position kp='3' "
    "dampratio='1'/>"
    "<mesh scale='2 2 2'/></default></default>\n"
    "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/><material name='r' rgba='1 0 0 "
    "1'/></asset>\n"
    "<worldbody><geom type='plane' size='0 0 1' name='floor' limpet:stiffness='1e5' "
    "limpet:friction_static='2' "
    "limpet:friction_ratio='.5' limpet:friction_axis='0 1 0' limpet:surface_velocity='1 0 0' "
    "surfacevel='0 1'/><light/><camera "
    "name='c' pos='0 0 1'/>\n"
    "<body name='one' pos='0 0 1' euler='0 0 1' childclass='a'><freejoint name='f'/><inertial "
    "pos='0 0 0' mass='1' "
    "diaginertia='1 1 1'/>"
    "<geom name='g' type='capsule' fromto='0 0 0 0 0 1' size='.1' material='r'/><site name='s' "
    "zaxis='1 0 0'/>"
    "<body name='two'><joint name='h' axis='0 1 0' stiffness='3' springref='.1'/><joint name='p' "
    "type='slide' springdamper='.1 "
    "1'/>"
    "<geom type='mesh' mesh='m'/><geom type='box' mesh='m'/><frame pos='1 0 0' quat='0 1 0 "
    "0'><geom size='.1 .2 .3' "
    "type='ellipsoid'/></frame>"
    "</body></body>\n"
    "<replicate count='3' offset='1 0 0' euler='0 .1 0' sep='-'><body name='r'><joint name='rj' "
    "type='ball'/><geom "
    "size='.2'/></body></replicate>\n"
    "<frame pos='3 0 0'><attach body='two' prefix='x_'/></frame><body mocap='true' "
    "name='mc'/></worldbody>\n"
    "<contact><pair geom1='floor' geom2='g' friction='1 1 .1'/><exclude body1='one' "
    "body2='two'/></contact>\n"
    "<tendon><fixed name='t' range='-1 1'><joint joint='h' coef='1'/><joint joint='p' "
    "coef='-2'/></fixed></tendon>\n"
    "<equality><joint joint1='h' joint2='p' polycoef='0 1 2'/><tendon tendon1='t'/><weld "
    "body1='one' body2='two'/><connect "
    "body1='one' anchor='0 0 1'/></equality>\n"
    "<actuator><position class='a' joint='h' inheritrange='1'/><motor tendon='t' gear='2'/><motor "
    "site='s' refsite='s' gear='1 "
    "0 0 0 0 1'/>"
    "<general limpet:surface='floor' gear='2'/><general joint='p' dyntype='filter' gainprm='1 2' "
    "biasprm='1 2 3' "
    "biastype='affine' forcerange='-1 1'/><motor "
    "joint='rj'/></actuator>\n"
    "<sensor><jointpos joint='h'/><framepos name='fp' objtype='body' objname='two' reftype='site' "
    "refname='s' cutoff='3'/>"
    "<touch site='s'/><insidesite site='s' objtype='geom' objname='g'/><distance geom1='g' "
    "body2='two' cutoff='1'/>"
    "<rangefinder site='s' data='dist normal'/><contact num='2' data='found pos'/><contact "
    "site='s' subtree2='two' "
    "reduce='netforce'/><user dim='3'/><ballquat joint='rj'/>"
    "<tendonlimitpos tendon='t'/><force site='s' noise='1'/></sensor><keyframe><key name='k' "
    "time='1'/></keyframe></mujoco>\n";

static const char *const words[] = {"nan",
                                    "inf",
                                    "-1",
                                    "0",
                                    "1",
                                    "2",
                                    "3",
                                    "0.5",
                                    "1e308",
                                    "1e-320",
                                    "99999999999",
                                    "true",
                                    "false",
                                    "auto",
                                    "world",
                                    "one",
                                    "two",
                                    "a",
                                    "main",
                                    "j",
                                    "h",
                                    "m",
                                    "g",
                                    "t",
                                    "box",
                                    "mesh",
                                    "capsule",
                                    "plane",
                                    "free",
                                    "ball",
                                    "slide",
                                    "hinge",
                                    "xyz",
                                    "disable",
                                    "exact",
                                    "shell",
                                    "'",
                                    "\"",
                                    "<",
                                    ">",
                                    "/>",
                                    "</body>",
                                    "<body>",
                                    "<geom/>",
                                    "&lt;",
                                    "&x;",
                                    "<!--",
                                    "-->",
                                    "<include file='robot.xml'/>",
                                    "<attach body='one' prefix='y'/>",
                                    "<replicate count='4'>",
                                    "\xff",
                                    "<![CDATA["};

static int accepted, refused;

static void try_text(const char *text, size_t length) {
  limpet_error error = {0};
  limpet_builder *builder = limpet_builder_create();
  assert_non_null(builder);
  limpet_status status = limpet_mjcf_read_text(builder, text, length, "robot.xml", NULL, &error);
  limpet_model *model = status == LIMPET_OK ? limpet_builder_compile(builder, &error) : NULL;
  if (model) ++accepted;
  else {
    ++refused;
    assert_true(error.message[0] != '\0' && error.status != LIMPET_OK);
  }
  limpet_model_destroy(model);
  limpet_builder_destroy(builder);
}

static void fuzz_seed(unsigned long *seed, const char *text, size_t length, int count) {
  static char bytes[ROOM];
  for (int i = 0; i < count; ++i) {
    memcpy(bytes, text, length);
    const size_t n = mutate(seed, bytes, length, ROOM, words, (int)(sizeof words / sizeof *words));
    // a buffer of exactly this size, so that the sanitizer sees a read behind it
    char *exact = malloc(n ? n : 1);
    assert_non_null(exact);
    memcpy(exact, bytes, n);
    try_text(exact, n);
    free(exact);
  }
}

static void changed_texts_never_crash(void **state) {
  (void)state;
  unsigned long seed = 7;
  try_text(own_seed, strlen(own_seed));
  assert_int_equal(accepted, 1);  // the seed itself is right, so changes reach deep
  fuzz_seed(&seed, own_seed, strlen(own_seed), MUTATIONS / 2);
  printf("own text: %d accepted, %d refused\n", accepted, refused);
  assert_true(50 * accepted > refused &&
              50 * refused > accepted);  // changes reach deep, and they do harm
}

static void changed_models_never_crash(void **state) {
  (void)state;
  if (!shared_exists("models/mjcf/corpus")) skip();
  file_list list = file_list_find(shared_path("models/mjcf/corpus"), ".xml");
  unsigned long seed = 11;
  accepted = refused = 0;
  for (int i = 0; i < list.count; ++i) {
    char *text;
    size_t length;
    limpet_error error;
    if (limpet_text_file(&text, &length, list.path[i], LARGEST_SEED, &error) != LIMPET_OK) continue;
    // copies by the hundred make no new paths, only time
    if (!strstr(text, "<replicate")) fuzz_seed(&seed, text, length, MUTATIONS / 2 / list.count + 1);
    free(text);
  }
  printf("models of MuJoCo: %d accepted, %d refused\n", accepted, refused);
  assert_true(50 * accepted > refused && 50 * refused > accepted);
  file_list_free(&list);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(changed_texts_never_crash),
                                     cmocka_unit_test(changed_models_never_crash)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
