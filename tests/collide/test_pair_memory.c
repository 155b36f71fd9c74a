/* tests/collide/test_pair_memory.c: what is remembered of pairs never changes a result.
 *
 * Scenes are run twice, once with all memory forgotten before every step, and the states compared
 * bit by bit after each: restarts, threads and logs rest on that. The tree of boxes is compared
 * with all pairs; how many boxes are compared must grow with the number of bodies, not faster. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collide/box_tree.h"
#include "collide/carrier_pairs.h"
#include "collide/colliders.h"
#include "limpet/limpet.h"
#include "shared_data.h"

static unsigned long seed = 11;
static double between(double low, double high) { return random_uniform(&seed, low, high); }

// ---------------------------------------------------------------------------------- the tree

enum { LEAVES = 300 };

static void box_random(limpet_box *box, double side) {
  *box = (limpet_box){0};
  for (int i = 0; i < 3; ++i) {
    box->low[i] = (float)between(0.0, side);
    box->high[i] = box->low[i] + (float)between(0.0, 0.2);
  }
}

static bool meet_plainly(const limpet_box *a, const limpet_box *b) {
  for (int i = 0; i < 3; ++i)
    if (a->low[i] > b->high[i] || b->low[i] > a->high[i]) return false;
  return true;
}

static void tree_check(const limpet_box_tree *tree, const limpet_box *box, int count, int *stack,
                       int *found) {
  for (int c = 0; c < count; ++c) {
    bool is_found[LEAVES] = {false};
    long tests = 0;
    const int n = limpet_box_tree_query(tree, &box[c], stack, found, count, &tests);
    for (int k = 0; k < n; ++k) {
      assert_false(is_found[found[k]]);
      is_found[found[k]] = true;
    }
    for (int k = 0; k < count; ++k) assert_int_equal(is_found[k], meet_plainly(&box[c], &box[k]));
    assert_true(tests < 2 * count);
  }
}

static void a_tree_finds_what_all_pairs_find(void **state) {
  (void)state;
  static limpet_box box[LEAVES];
  static limpet_box_node node[2 * LEAVES];
  static int leaf[LEAVES], spare[LEAVES], stack[2 * LEAVES], found[LEAVES];
  for (int count = 1; count <= LEAVES; count = 3 * count + 1) {
    limpet_box_tree tree = {.node = node, .room = LEAVES, .spare = spare, .root = -1};
    for (int c = 0; c < count; ++c) box_random(&box[c], 1.0), leaf[c] = c;
    limpet_box_tree_build(&tree, box, leaf, count);
    tree_check(&tree, box, count, stack, found);
    for (int move = 0; move < 3 * count; ++move) {
      const int c = (int)between(0, count);
      box_random(&box[c], 2.0);
      limpet_box_tree_move(&tree, c, &box[c]);
    }
    tree_check(&tree, box, count, stack, found);
  }
}

// ------------------------------------------------------------------------------------ scenes

typedef struct memory_scene {
  const char *file;  // below the shared data
  int steps;
  double control;  // share of the range of every actuator; negative: as the file starts
} memory_scene;

static void drive(const limpet_model *model, limpet_data *data, double share) {
  for (int i = 0; i < model->nu && share >= 0.0; ++i) {
    const double *range = model->actuator_control_range + 2 * i;
    data->control[i] = range[0] + share * (range[1] - range[0]);
  }
}

// Steps three worlds: one forgets, one goes by trees however few bodies it has. Their states must
// be the same bits after every step. Returns whether the world has few bodies.
static bool expect_the_same(const limpet_model *model, const memory_scene *scene) {
  const limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_data *keeps = limpet_data_create(model), *forgets = limpet_data_create(model),
              *climbs = limpet_data_create(model);
  limpet_colliders *colliders = limpet_colliders_of(model, forgets);
  assert_true(keeps && forgets && climbs && colliders);
  const bool few = limpet_colliders_of(model, keeps)->pairs.carriers > 0;
  limpet_carrier_pairs_free(&limpet_colliders_of(model, climbs)->pairs);
  drive(model, keeps, scene->control);
  drive(model, forgets, scene->control);
  drive(model, climbs, scene->control);
  long contacts = 0;
  for (int i = 0; i < scene->steps; ++i) {
    colliders->forget = true;
    limpet_step(model, keeps, &settings);
    limpet_step(model, forgets, &settings);
    limpet_step(model, climbs, &settings);
    contacts += keeps->contact_count;
    assert_int_equal(keeps->info.pair_count, forgets->info.pair_count);
    assert_int_equal(keeps->info.pair_count, climbs->info.pair_count);
    if (limpet_data_state_hash(model, keeps) != limpet_data_state_hash(model, forgets) ||
        limpet_data_state_hash(model, keeps) != limpet_data_state_hash(model, climbs))
      fail_msg("%s: another state after step %d", scene->file ? scene->file : "heap", i);
  }
  assert_true(contacts > 0);
  limpet_data_destroy(keeps);
  limpet_data_destroy(forgets);
  limpet_data_destroy(climbs);
  return few;
}

static void memory_changes_no_robot(void **state) {
  (void)state;
  static const memory_scene scenes[] = {
      {"models/menagerie/robotiq_2f85/2f85.xml", 300, 1.0},
      {"models/menagerie/shadow_hand/scene_right.xml", 150, 0.7},
      {"models/menagerie/unitree_g1/scene.xml", 300, -1.0},
      {"models/menagerie/wonik_allegro/scene_right.xml", 150, 0.7},
      {"models/menagerie/aloha/scene.xml", 150, -1.0},
      {"models/mjcf/model/humanoid/humanoid.xml", 200, -1.0},
      {"models/menagerie/franka_emika_panda/scene.xml", 200, 0.3},
      {"models/menagerie/anybotics_anymal_c/scene.xml", 150, -1.0},
      {"models/menagerie/agility_cassie/scene.xml", 100, -1.0},
      {"scenes-peers/clutter40.xml", 150, -1.0},
      {"scenes-peers/clutter100.xml", 30, -1.0},
  };
  if (!shared_exists(scenes[0].file)) skip();
  int few = 0;
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
    limpet_error error;
    limpet_model *model = limpet_load(shared_path(scenes[i].file), NULL, &error);
    if (!model) fail_msg("%s", error.message);
    few += expect_the_same(model, &scenes[i]);
    limpet_model_destroy(model);
  }
  assert_int_equal(few, 9);  // all but the heaps
}

// `side`^3 free bodies on a grid over a floor, all kinds of shapes.
static limpet_model *grid_create(int side) {
  limpet_builder *builder = limpet_builder_create();
  limpet_geom_description floor = limpet_geom_description_default();
  floor.kind = LIMPET_SHAPE_PLANE;
  limpet_builder_add_geom(builder, &floor);
  for (int i = 0; i < side * side * side; ++i) {
    limpet_body_description body = limpet_body_description_default();
    body.position[0] = 0.22 * (i % side), body.position[1] = 0.22 * (i / side % side);
    body.position[2] = 0.12 + 0.22 * (i / side / side);
    limpet_joint_description joint = limpet_joint_description_default();
    joint.body = limpet_builder_add_body(builder, &body);
    joint.kind = LIMPET_JOINT_FREE;
    limpet_builder_add_joint(builder, &joint);
    limpet_geom_description geom = limpet_geom_description_default();
    geom.body = joint.body;
    geom.kind = (limpet_shape_kind)(LIMPET_SHAPE_SPHERE + i % 5);
    for (int k = 0; k < 3; ++k) geom.size[k] = between(0.05, 0.07);
    for (int k = 0; k < 4; ++k) geom.quaternion[k] = between(-1.0, 1.0);
    limpet_builder_add_geom(builder, &geom);
  }
  limpet_error error;
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) fail_msg("%s", error.message);
  limpet_builder_destroy(builder);
  return model;
}

static void memory_changes_no_heap(void **state) {
  (void)state;
  limpet_model *model = grid_create(3);
  assert_true(expect_the_same(model, &(memory_scene){NULL, 400, -1.0}));
  limpet_model_destroy(model);
}

// Boxes compared in a step of falling, per body: over the first steps, in which trees are built,
// and over later ones.
static void tests_of(int side, double per_body[2]) {
  enum { STEPS = 8 };
  limpet_model *model = grid_create(side);
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  per_body[0] = per_body[1] = 0.0;
  for (int i = 0; i < STEPS; ++i) {
    limpet_step(model, data, &settings);
    const limpet_colliders *colliders = limpet_colliders_of(model, data);
    per_body[2 * i / STEPS] += (double)colliders->tests / (STEPS / 2) / colliders->count;
  }
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

/* 343 and 5832 bodies at the same density, both by trees: tests for each body grow as the depth of
 * the tree, not with the number of bodies, which is 17 times as large. */
static void tests_grow_with_the_bodies(void **state) {
  (void)state;
  double few[2], many[2];
  tests_of(7, few);
  tests_of(18, many);
  print_message("boxes compared a body: %.0f and %.0f of 343, %.0f and %.0f of 5832\n", few[0],
                few[1], many[0], many[1]);
  // what falls together stays as far apart as it was, and is not compared
  for (int i = 0; i < 2; ++i) assert_true(many[i] < 3.0 * few[i] + 1.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tree_finds_what_all_pairs_find),
      cmocka_unit_test(memory_changes_no_heap),
      cmocka_unit_test(memory_changes_no_robot),
      cmocka_unit_test(tests_grow_with_the_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
