/* tests/format/test_mjcf_load_cost.c: what reading costs when a model grows, in calls.
 *
 * A scene attaches the same file n times, each time with a keyframe. The vectors of n keyframes of
 * a model of n parts have n^2 numbers in all; everything else grows with n. So the calls of the
 * reader's services may double with n, and the questions whether a joint belongs to a keyframe,
 * one for each joint and keyframe, may grow by four. A search through all joints for each body of
 * each keyframe, as there once was, grows by eight.
 *
 * The functions that are counted come here by --wrap: see cmake/tests.cmake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"

static long joint_calls, body_calls, comparisons;

limpet_joint_description *__real_limpet_builder_joint(limpet_builder *builder, int handle);
limpet_joint_description *__wrap_limpet_builder_joint(limpet_builder *builder, int handle);
limpet_joint_description *__wrap_limpet_builder_joint(limpet_builder *builder, int handle) {
  ++joint_calls;
  return __real_limpet_builder_joint(builder, handle);
}

limpet_body_description *__real_limpet_builder_body(limpet_builder *builder, int handle);
limpet_body_description *__wrap_limpet_builder_body(limpet_builder *builder, int handle);
limpet_body_description *__wrap_limpet_builder_body(limpet_builder *builder, int handle) {
  ++body_calls;
  return __real_limpet_builder_body(builder, handle);
}

int __real_strcmp(const char *a, const char *b);
int __wrap_strcmp(const char *a, const char *b);
int __wrap_strcmp(const char *a, const char *b) {
  ++comparisons;
  return __real_strcmp(a, b);
}

static const char *path_of(const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", LIMPET_BINARY_DIR, name);
  return path;
}

static void write_part(void) {
  FILE *file = fopen(path_of("test_load_cost_part.xml"), "w");
  assert_non_null(file);
  fputs(
      "<mujoco model='part'><asset><material name='red'/></asset><worldbody><body name='a'>"
      "<freejoint/><geom size='1' material='red'/><body name='b'><joint name='j'/>"
      "<geom size='1'/></body></body></worldbody><actuator><motor name='m' joint='j'/>"
      "</actuator><keyframe><key name='k' qpos='0 0 1 1 0 0 0 0.5' qvel='1 2 3 4 5 6 7'"
      " ctrl='1'/></keyframe></mujoco>",
      file);
  fclose(file);
}

// `count` copies of the part; each has a material and a class of the scene beside it
static void write_scene(int count) {
  FILE *file = fopen(path_of("test_load_cost.xml"), "w");
  assert_non_null(file);
  fputs("<mujoco><default>", file);
  for (int i = 0; i < count; ++i)
    fprintf(file, "<default class='c%d'><geom size='.1'/></default>", i);
  fputs("</default><asset><model name='part' file='test_load_cost_part.xml'/>", file);
  for (int i = 0; i < count; ++i) fprintf(file, "<material name='m%d'/>", i);
  fputs("</asset><worldbody>", file);
  for (int i = 0; i < count; ++i)
    fprintf(file,
            "<attach model='part' body='a' prefix='p%d_'/>"
            "<geom name='g%d' class='c%d' material='m%d'/>",
            i, i, i, i);
  fputs("</worldbody></mujoco>", file);
  fclose(file);
}

typedef struct cost {
  long joints, bodies, comparisons;
} cost;

static cost load(int count) {
  limpet_error error = {0};
  write_scene(count);
  joint_calls = body_calls = comparisons = 0;
  limpet_model *m = limpet_load(path_of("test_load_cost.xml"), NULL, &error);
  const cost c = {joint_calls, body_calls, comparisons};
  if (!m) fail_msg("%s", error.message);
  assert_int_equal(m->keyframe_count, count);
  assert_true(m->keyframe_q[(count - 1) * m->nq + m->nq - 1] == 0.5);
  limpet_model_destroy(m);
  return c;
}

static void calls_grow_with_the_size_of_the_file(void **state) {
  (void)state;
  const int n = 40;
  write_part();
  const cost once = load(n), twice = load(2 * n);
  print_message("%d parts: %ld joints and %ld bodies asked for, %ld comparisons of names\n", n,
                once.joints, once.bodies, once.comparisons);
  print_message("%d parts: %ld, %ld, %ld\n", 2 * n, twice.joints, twice.bodies, twice.comparisons);
  // two, and a fifth for hash tables that fill up unevenly
  assert_true((double)twice.joints <= 2.2 * (double)once.joints);
  assert_true((double)twice.bodies <= 2.2 * (double)once.bodies);
  assert_true((double)twice.comparisons <= 2.2 * (double)once.comparisons);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(calls_grow_with_the_size_of_the_file)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
