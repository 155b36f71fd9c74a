/* tests/model/test_builder.c: what goes into a builder comes out of the model, in the order that is
 * promised. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "limpet/data.h"
#include "small_models.h"

static void builder_copies_what_it_is_given(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  char name[] = "arm", file[] = "robot.xml";
  limpet_body_description body = limpet_body_description_default();
  body.name = name;
  body.place = (limpet_place){file, 3, 4};
  const int arm = limpet_builder_add_body(builder, &body);
  memset(name, 'x', 3), memset(file, 'x', 5);
  assert_int_equal(arm, 1);
  assert_string_equal(limpet_builder_body(builder, arm)->name, "arm");
  assert_string_equal(limpet_builder_body(builder, arm)->place.file, "robot.xml");
  assert_int_equal(limpet_builder_find(builder, LIMPET_OBJECT_BODY, "arm"), arm);
  assert_int_equal(limpet_builder_find(builder, LIMPET_OBJECT_BODY, "leg"), LIMPET_NONE);
  assert_int_equal(limpet_builder_find(builder, LIMPET_OBJECT_BODY, "world"), 0);

  // a tendon's terms and a keyframe's numbers are copied too
  const int joint = small_joint(builder, "j", arm, LIMPET_JOINT_REVOLUTE, 0, 0, 1);
  small_sphere(builder, arm, 1.0, 0.1);
  limpet_tendon_term terms[1] = {{joint, 2.5}};
  double q[1] = {0.75};
  limpet_tendon_description tendon = limpet_tendon_description_default();
  tendon.terms = terms, tendon.term_count = 1;
  limpet_keyframe_description key = limpet_keyframe_description_default();
  key.q = q, key.q_count = 1;
  limpet_builder_add_tendon(builder, &tendon);
  limpet_builder_add_keyframe(builder, &key);
  terms[0].coefficient = 0.0, q[0] = 0.0;
  limpet_model *model = small_compile(builder);
  assert_non_null(model);
  assert_true(model->tendon_coefficient[0] == 2.5);
  assert_true(model->keyframe_q[0] == 0.75);
  limpet_model_destroy(model);
}

static void bodies_are_ordered_depth_first(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  const int a = small_body(builder, "a", 0, 0, 0, 0), b = small_body(builder, "b", 0, 0, 0, 0);
  const int b1 = small_body(builder, "b1", b, 0, 0, 0), a1 = small_body(builder, "a1", a, 0, 0, 0);
  const int a11 = small_body(builder, "a11", a1, 0, 0, 0),
            a2 = small_body(builder, "a2", a, 0, 0, 0);
  const int moving[] = {b1, a1, a2};
  for (int i = 0; i < 3; ++i) small_joint(builder, NULL, moving[i], LIMPET_JOINT_REVOLUTE, 0, 0, 1);
  const int all[] = {a, b, b1, a1, a11, a2};
  for (int i = 0; i < 6; ++i) small_sphere(builder, all[i], 1.0, 0.1);
  limpet_model *model = small_compile(builder);
  assert_non_null(model);

  const char *const names[] = {"world", "a", "a1", "a11", "a2", "b", "b1"};
  const int parents[] = {0, 0, 1, 2, 1, 0, 5}, trees[] = {-1, -1, 0, 0, 1, -1, 2},
            welds[] = {0, 0, 2, 2, 4, 0, 6};
  const int ends[] = {7, 5, 4, 4, 5, 7, 7}, last_dofs[] = {-1, -1, 0, 0, 1, -1, 2};
  assert_int_equal(model->body_count, 7);
  assert_int_equal(model->tree_count, 3);
  for (int i = 0; i < 7; ++i) {
    assert_string_equal(limpet_model_name(model, LIMPET_OBJECT_BODY, i), names[i]);
    assert_int_equal(limpet_model_find(model, LIMPET_OBJECT_BODY, names[i]), i);
    assert_int_equal(model->body_parent[i], parents[i]);
    assert_int_equal(model->body_tree[i], trees[i]);
    assert_int_equal(model->body_weld[i], welds[i]);
    assert_int_equal(model->body_subtree_end[i], ends[i]);
    assert_int_equal(model->body_last_dof[i], last_dofs[i]);
  }
  const int tree_bodies[] = {2, 4, 6}, tree_counts[] = {2, 1, 1};
  for (int t = 0; t < 3; ++t) {
    assert_int_equal(model->tree_body[t], tree_bodies[t]);
    assert_int_equal(model->tree_body_count[t], tree_counts[t]);
    assert_int_equal(model->tree_dof[t], t);
    assert_int_equal(model->tree_dof_count[t], 1);
  }
  limpet_model_destroy(model);
}

static void everything_finds_its_place(void **state) {
  (void)state;
  limpet_model *model = small_compile(small_everything());
  assert_non_null(model);
  assert_string_equal(model->name, "everything");
  assert_int_equal(model->nq, 14);
  assert_int_equal(model->nv, 12);
  assert_int_equal(model->nu, 3);
  assert_int_equal(model->na, 1);
  assert_int_equal(model->tree_count, 2);
  assert_int_equal(model->mass_size, 36 + 36);

  // bodies: world table upper lower hand tip box target; so the arm's joints come before the free
  // one
  const char *const joints[] = {"shoulder", "slide", "elbow", "wrist", "root"};
  const int q[] = {0, 1, 2, 3, 7}, v[] = {0, 1, 2, 3, 6};
  for (int j = 0; j < 5; ++j) {
    const int index = limpet_model_find(model, LIMPET_OBJECT_JOINT, joints[j]);
    assert_int_equal(index, j);
    assert_int_equal(model->joint_q[j], q[j]);
    assert_int_equal(model->joint_v[j], v[j]);
  }
  for (int i = 1; i < 6; ++i) assert_int_equal(model->dof_parent[i], i - 1);
  assert_int_equal(model->dof_parent[6], -1);
  assert_true(model->q_reference[2] == 0.3 && model->q_spring[2] == 0.2);
  assert_true(model->q_reference[3] == 1.0 && model->q_reference[9] == 1.0 &&
              model->q_reference[10] == 1.0);
  assert_true(isinf(model->joint_range[2]) && model->joint_range[1] == 1.5);

  // references between objects are in the new numbers
  assert_int_equal(model->actuator_target[0], 0);
  assert_int_equal(model->actuator_act[0], -1);
  assert_int_equal(model->actuator_act[1], 0);
  assert_int_equal(model->tendon_joint[0], 2);
  assert_int_equal(model->tendon_joint[1], 1);
  assert_int_equal(model->coupler_y[0], 1);
  assert_int_equal(model->coupler_x[0], 2);
  assert_int_equal(model->mocap_count, 1);
  assert_int_equal(model->mocap_body[0], limpet_model_find(model, LIMPET_OBJECT_BODY, "target"));
  assert_int_equal(model->geom_body[model->pair_geom[0]],
                   limpet_model_find(model, LIMPET_OBJECT_BODY, "table"));
  assert_int_equal(model->geom_body[model->pair_geom[1]],
                   limpet_model_find(model, LIMPET_OBJECT_BODY, "box"));
  assert_int_equal(model->exclude_body[0], limpet_model_find(model, LIMPET_OBJECT_BODY, "upper"));

  // the spring of the tendon rests where the joints' springs rest: 2 * 0.2 - 1 * 0
  assert_true(fabs(model->tendon_spring_range[0] - 0.4) < 1e-15);
  limpet_model_destroy(model);
}

static void visual_geoms_are_no_colliders(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  const int body = small_body(builder, "b", 0, 0, 0, 0);
  const int seen = small_sphere(builder, body, 1.0, 0.1),
            odd = small_sphere(builder, body, 1.0, 0.1);
  small_sphere(builder, body, 1.0, 0.1);
  limpet_builder_geom(builder, seen)->contype = limpet_builder_geom(builder, seen)->conaffinity = 0;
  limpet_builder_geom(builder, odd)->contype = 4, limpet_builder_geom(builder, odd)->conaffinity =
                                                      8;  // bits that nothing answers
  limpet_model *model = small_compile(builder);
  assert_non_null(model);
  assert_int_equal(model->collider_count, 1);
  assert_int_equal(model->collider_geom[0], 2);
  assert_int_equal(model->geom_collider[0], -1);
  assert_int_equal(model->geom_collider[1], -1);
  assert_int_equal(model->geom_collider[2], 0);
  limpet_model_destroy(model);
}

static void hash_follows_the_motion_and_nothing_else(void **state) {
  (void)state;
  limpet_builder *builder = small_everything();
  limpet_model *model = limpet_builder_compile(builder, NULL),
               *again = limpet_builder_compile(builder, NULL);
  assert_true(model && again && model->hash == again->hash);
  limpet_model_destroy(again);

  limpet_builder_body(builder, 2)->name = "renamed";
  limpet_builder_geom(builder, 0)->rgba[0] = 0.9f;
  again = limpet_builder_compile(builder, NULL);
  assert_true(again && model->hash == again->hash);
  limpet_model_destroy(again);

  limpet_builder_geom(builder, 0)->material.friction = 0.999;
  again = limpet_builder_compile(builder, NULL);
  assert_true(again && model->hash != again->hash);
  limpet_model_destroy(again);
  limpet_model_destroy(model);
  limpet_builder_destroy(builder);
}

static void notes_travel_with_the_model(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  limpet_builder_add_note(builder, true, (limpet_place){"scene.xml", 7, 2},
                          "muscles are not simulated");
  limpet_model *model = small_compile(builder);
  assert_non_null(model);
  assert_int_equal(model->note_count, 1);
  assert_true(model->note[0].unsupported);
  assert_string_equal(model->note[0].text, "muscles are not simulated");
  assert_string_equal(model->note[0].place.file, "scene.xml");
  limpet_model_destroy(model);
}

// 5000 free bodies compile within a second: the work per tree does not depend on the number of
// trees.
static void many_free_bodies_compile_fast(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  for (int i = 0; i < 5000; ++i) {
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    const int body = small_body(builder, name, 0, i, 0, 0);
    small_joint(builder, NULL, body, LIMPET_JOINT_FREE, 0, 0, 1);
    small_box(builder, body, 2.0, 0.1, 0.1, 0.1);
  }
  const clock_t start = clock();
  limpet_model *model = small_compile(builder);
  const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  assert_non_null(model);
  assert_true(seconds < 1.0);
  assert_true(fabs(model->dof_inverse_weight[6 * 4999] - 0.5) < 1e-12);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(builder_copies_what_it_is_given),
      cmocka_unit_test(bodies_are_ordered_depth_first),
      cmocka_unit_test(everything_finds_its_place),
      cmocka_unit_test(visual_geoms_are_no_colliders),
      cmocka_unit_test(hash_follows_the_motion_and_nothing_else),
      cmocka_unit_test(notes_travel_with_the_model),
      cmocka_unit_test(many_free_bodies_compile_fast),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
