/* tests/collide/test_broad_phase.c: the broad phase against all pairs of random scenes, and its
 * filters one by one.
 *
 * For spheres the answer is known exactly: the pairs whose centres are within the radii and the
 * reach; pairs within 1e-9 m of the limit count either way. For other shapes the exact distance
 * says which pairs must be there. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "collide/carrier_pairs.h"
#include "collide/collide.h"
#include "collide/colliders.h"
#include "limpet/dynamics.h"
#include "math/vec3.h"
#include "model/workspace.h"
#include "shared_data.h"

static unsigned long seed = 5;

static double between(double low, double high) { return random_uniform(&seed, low, high); }

static limpet_geom_description geom_of(int body, limpet_shape_kind kind) {
  limpet_geom_description geom = limpet_geom_description_default();
  geom.body = body;
  geom.kind = kind;
  for (int i = 0; i < 3; ++i) geom.size[i] = 0.1;
  return geom;
}

// A body on `parent` at (x, y, z) with a joint (LIMPET_NONE: welded) and a sphere of radius 0.1 m.
static int body_add(limpet_builder *builder, int parent, int joint, double x, double y, double z) {
  limpet_body_description body = limpet_body_description_default();
  body.parent = parent;
  body.position[0] = x, body.position[1] = y, body.position[2] = z;
  const int handle = limpet_builder_add_body(builder, &body);
  if (joint != LIMPET_NONE) {
    limpet_joint_description description = limpet_joint_description_default();
    description.body = handle;
    description.kind = (limpet_joint_kind)joint;
    limpet_builder_add_joint(builder, &description);
  }
  return handle;
}

static int sphere_add(limpet_builder *builder, int parent, int joint, double x, double y,
                      double z) {
  const int body = body_add(builder, parent, joint, x, y, z);
  const limpet_geom_description geom = geom_of(body, LIMPET_SHAPE_SPHERE);
  limpet_builder_add_geom(builder, &geom);
  return body;
}

typedef struct scene {
  limpet_model *model;
  limpet_data *data;
  limpet_collision collision;
} scene;

static scene scene_create(limpet_builder *builder) {
  limpet_error error;
  scene s = {.model = limpet_builder_compile(builder, &error)};
  if (!s.model) fail_msg("%s", error.message);
  s.data = limpet_data_create(s.model);
  assert_non_null(s.data);
  limpet_builder_destroy(builder);
  return s;
}

static void scene_destroy(scene *s) {
  limpet_data_destroy(s->data);
  limpet_model_destroy(s->model);
}

// Half of `speculative` for every body, nothing for trees, from the arena.
static const limpet_reach *uniform_reach(const limpet_model *model, double speculative,
                                         limpet_arena *arena) {
  double *body = LIMPET_TAKE(arena, double, model->body_count),
         *tree = LIMPET_TAKE_ZERO(arena, double, model->tree_count);
  limpet_reach *reach = LIMPET_TAKE(arena, limpet_reach, 1);
  for (int b = 0; b < model->body_count; ++b) body[b] = 0.5 * speculative;
  *reach = (limpet_reach){.body = body, .tree = tree};
  return reach;
}

static void scene_find(scene *s, double speculative) {
  limpet_kinematics(s->model, s->data);
  limpet_geom_kinematics(s->model, s->data, false);
  limpet_arena *arena = limpet_workspace_turn(s->data->workspace);
  assert_int_equal(
      limpet_broad_phase(s->model, s->data, uniform_reach(s->model, speculative, arena), arena,
                         &s->collision),
      LIMPET_OK);

  // ordered, each pair once, A before B
  const limpet_collision_pair *pair = s->collision.pair;
  for (int k = 0; k < s->collision.pair_count; ++k) {
    assert_true(pair[k].geom_a < pair[k].geom_b);
    if (k > 0)
      assert_true(pair[k - 1].geom_a < pair[k].geom_a ||
                  (pair[k - 1].geom_a == pair[k].geom_a && pair[k - 1].geom_b < pair[k].geom_b));
  }
}

static const limpet_collision_pair *pair_of(const scene *s, int a, int b) {
  for (int k = 0; k < s->collision.pair_count; ++k)
    if (s->collision.pair[k].geom_a == a && s->collision.pair[k].geom_b == b)
      return &s->collision.pair[k];
  return NULL;
}

// The filters, from the model alone, as the header of the issue states them.
static bool may_touch(const limpet_model *m, int a, int b) {
  const int body_a = m->geom_body[a], body_b = m->geom_body[b], unit_a = m->body_weld[body_a],
            unit_b = m->body_weld[body_b];
  if (m->geom_kind[a] == LIMPET_SHAPE_PLANE && m->geom_kind[b] == LIMPET_SHAPE_PLANE) return false;
  if (unit_a == unit_b || (m->body_tree[body_a] < 0 && m->body_tree[body_b] < 0)) return false;
  const int parent_a = m->body_weld[m->body_parent[unit_a]],
            parent_b = m->body_weld[m->body_parent[unit_b]];
  if (!(m->options.disabled & LIMPET_DISABLE_PARENT_FILTER) && unit_a && unit_b &&
      (unit_a == parent_b || unit_b == parent_a))
    return false;
  for (int k = 0; k < m->exclude_count; ++k) {
    const int *e = m->exclude_body + 2 * k;
    if ((e[0] == body_a && e[1] == body_b) || (e[0] == body_b && e[1] == body_a)) return false;
  }
  return (m->geom_contype[a] & m->geom_conaffinity[b]) ||
         (m->geom_contype[b] & m->geom_conaffinity[a]);
}

// --------------------------------------------------------------------------- random scenes

// Free spheres, fixed spheres and spheres on short chains in a box of side `side`.
static scene spheres_create(int count, double side) {
  limpet_builder *builder = limpet_builder_create();
  int parent = 0;
  for (int i = 0; i < count; ++i) {
    const int kind = (int)between(0, 5);
    const double x = between(0, side), y = between(0, side), z = between(0, 0.5 * side);
    int body;
    if (kind == 0) body = body_add(builder, 0, LIMPET_NONE, x, y, z);
    else if (kind == 1 && parent)
      body = body_add(builder, parent, LIMPET_JOINT_REVOLUTE, 0.15, 0.0, 0.0);
    else if (kind == 2 && parent) body = body_add(builder, parent, LIMPET_NONE, 0.0, 0.15, 0.0);
    else body = body_add(builder, 0, LIMPET_JOINT_FREE, x, y, z);
    if (kind != 0) parent = body;
    limpet_geom_description geom = geom_of(body, LIMPET_SHAPE_SPHERE);
    geom.size[0] = between(0.02, 0.2);
    geom.margin = i % 3 == 0 ? between(0.0, 0.05) : 0.0;
    geom.gap = 0.5 * geom.margin;
    geom.contype = (unsigned)between(0, 4);
    geom.conaffinity = (unsigned)between(0, 4);
    limpet_builder_add_geom(builder, &geom);
    if (i % 7 == 3) limpet_builder_add_exclude(builder, body, (int)between(1, body));
  }
  return scene_create(builder);
}

static void expect_spheres(const scene *s, double speculative) {
  const limpet_model *m = s->model;
  int next = 0;
  for (int a = 0; a < m->geom_count; ++a)
    for (int b = a + 1; b < m->geom_count; ++b) {
      const bool found = next < s->collision.pair_count && s->collision.pair[next].geom_a == a &&
                         s->collision.pair[next].geom_b == b;
      if (found) {
        assert_true(s->collision.pair[next].margin == m->geom_margin[a] + m->geom_margin[b]);
        assert_true(s->collision.pair[next].gap == m->geom_gap[a] + m->geom_gap[b]);
        assert_int_equal(s->collision.pair[next].pair, -1);
        ++next;
      }
      const double distance =
          limpet_vec3_distance(s->data->geom_position + 3 * a, s->data->geom_position + 3 * b) -
          m->geom_size[3 * a] - m->geom_size[3 * b];
      const double margin = m->geom_margin[a] + m->geom_margin[b] + m->geom_gap[a] + m->geom_gap[b];
      const double over = distance - margin - speculative;
      if (m->geom_collider[a] < 0 || m->geom_collider[b] < 0 || !may_touch(m, a, b) || over > 1e-9)
        assert_false(found);
      else if (over < -1e-9 && !found)
        fail_msg("pair %d %d is missing: %g m within reach", a, b, -over);
    }
  assert_int_equal(next, s->collision.pair_count);
}

static void spheres_move(scene *s, double far) {
  for (int j = 0; j < s->model->joint_count; ++j)
    if (s->model->joint_kind[j] == LIMPET_JOINT_FREE)
      for (int i = 0; i < 3; ++i) s->data->q[s->model->joint_q[j] + i] += between(-far, far);
}

// However few bodies the scene has.
static void go_by_trees(scene *s) {
  limpet_carrier_pairs_free(&limpet_colliders_of(s->model, s->data)->pairs);
}

static void spheres_are_found_exactly(void **state) {
  (void)state;
  for (int round = 0; round < 60; ++round) {
    scene s = spheres_create((int)between(1, round % 3 ? 40 : 150), between(0.5, 3.0));
    if (round % 2) go_by_trees(&s);
    for (int step = 0; step < 6; ++step) {
      const double speculative = step < 3 ? 0.0 : 0.03;
      scene_find(&s, speculative);
      expect_spheres(&s, speculative);
      spheres_move(&s, step == 4 ? 3.0 : 0.05);  // all leave their wide boxes
    }
    scene_destroy(&s);
  }
}

// The result does not depend on what is kept: a fresh world gives the same pairs as
// one that has moved.
static void check_history(int spheres, double side, bool trees) {
  scene s = spheres_create(spheres, side);
  if (trees) go_by_trees(&s);
  for (int step = 0; step < 40; ++step) {
    spheres_move(&s, step < 20 ? 0.2 : 0.002);
    scene_find(&s, 0.01);
    scene fresh = {.model = s.model, .data = limpet_data_create(s.model)};
    memcpy(fresh.data->q, s.data->q, (size_t)s.model->nq * sizeof(double));
    scene_find(&fresh, 0.01);
    assert_int_equal(s.collision.pair_count, fresh.collision.pair_count);
    for (int k = 0; k < s.collision.pair_count; ++k) {
      assert_int_equal(s.collision.pair[k].geom_a, fresh.collision.pair[k].geom_a);
      assert_int_equal(s.collision.pair[k].geom_b, fresh.collision.pair[k].geom_b);
    }
    limpet_data_destroy(fresh.data);
  }
  scene_destroy(&s);
}

static void history_does_not_matter(void **state) {
  (void)state;
  check_history(38, 0.9, false);
  check_history(38, 0.9, true);
  check_history(120, 1.5, true);
}

static double distance_of(const scene *s, int a, int b) {
  limpet_shape shape[2];
  for (int k = 0; k < 2; ++k) {
    const int g = k ? b : a;
    shape[k] = (limpet_shape){.kind = s->model->geom_kind[g],
                              .size = s->model->geom_size + 3 * g,
                              .position = s->data->geom_position + 3 * g,
                              .rotation = s->data->geom_rotation + 9 * g};
  }
  double p[3], q[3], n[3];
  if (shape[0].kind != LIMPET_SHAPE_PLANE)
    return limpet_convex_distance(&shape[0], &shape[1], p, q, n);

  // height of the deepest point over the plane
  const double *R = shape[0].rotation, down[3] = {-R[2], -R[5], -R[8]};
  limpet_shape_support(p, &shape[1], down);
  limpet_vec3_sub(q, p, shape[0].position);
  return -limpet_vec3_dot(q, down);
}

static scene shapes_create(int count) {
  limpet_builder *builder = limpet_builder_create();
  limpet_geom_description floor = geom_of(0, LIMPET_SHAPE_PLANE);
  floor.quaternion[1] = between(-0.3, 0.3);
  limpet_builder_add_geom(builder, &floor);
  for (int i = 0; i < count; ++i) {
    const int body = body_add(builder, 0, i % 5 ? LIMPET_JOINT_FREE : LIMPET_NONE, between(-1, 1),
                              between(-1, 1), between(0, 1));
    limpet_geom_description geom =
        geom_of(body, (limpet_shape_kind)between(LIMPET_SHAPE_SPHERE, LIMPET_SHAPE_BOX + 1));
    for (int k = 0; k < 3; ++k)
      geom.size[k] = between(0.02, 0.3), geom.position[k] = between(-0.1, 0.1);
    for (int k = 0; k < 4; ++k) geom.quaternion[k] = between(-1, 1);
    geom.margin = i % 2 ? 0.01 : 0.0;
    limpet_builder_add_geom(builder, &geom);
  }
  return scene_create(builder);
}

static void no_pair_of_shapes_is_missing(void **state) {
  (void)state;
  int near_count = 0, pair_count = 0;
  for (int round = 0; round < 40; ++round) {
    scene s = shapes_create(25);
    if (round % 2) go_by_trees(&s);
    scene_find(&s, 0.02);
    for (int a = 0; a < s.model->geom_count; ++a)
      for (int b = a + 1; b < s.model->geom_count; ++b) {
        if (!may_touch(s.model, a, b)) {
          assert_null(pair_of(&s, a, b));
          continue;
        }
        const double reach = 0.02 + s.model->geom_margin[a] + s.model->geom_margin[b];
        const bool found = pair_of(&s, a, b) != NULL, near = distance_of(&s, a, b) < reach - 1e-9;
        if (near && !found) fail_msg("pair %d %d is missing", a, b);
        near_count += near;
        pair_count += found;
      }
    scene_destroy(&s);
  }
  // the bounds are tight enough to be of use
  print_message("%d pairs are near, %d were let through\n", near_count, pair_count);
  assert_true(near_count > 500);
  assert_true(pair_count < 2 * near_count);
}

// --------------------------------------------------------------------------------- filters

/* A chain of overlapping spheres: world geom 0, link 1 on the world, link 2 on link 1, a
 * welded 3 on link 2, link 4 on it, free 5. */
static limpet_builder *chain_builder(void) {
  limpet_builder *builder = limpet_builder_create();
  const limpet_geom_description base = geom_of(0, LIMPET_SHAPE_SPHERE);
  limpet_builder_add_geom(builder, &base);
  const int one = sphere_add(builder, 0, LIMPET_JOINT_REVOLUTE, 0.01, 0, 0);
  const int two = sphere_add(builder, one, LIMPET_JOINT_REVOLUTE, 0.01, 0, 0);
  const int three = sphere_add(builder, two, LIMPET_NONE, 0.01, 0, 0);
  sphere_add(builder, three, LIMPET_JOINT_REVOLUTE, 0.01, 0, 0);
  sphere_add(builder, 0, LIMPET_JOINT_FREE, 0.05, 0, 0);
  return builder;
}

static void expect_pairs(limpet_builder *builder, const char *expected) {
  scene s = scene_create(builder);
  scene_find(&s, 0.0);
  char text[256] = "";
  for (int k = 0; k < s.collision.pair_count; ++k) {
    char one[16];
    snprintf(one, sizeof one, "%s%d%d", k ? " " : "", s.collision.pair[k].geom_a,
             s.collision.pair[k].geom_b);
    strcat(text, one);
  }
  assert_string_equal(text, expected);
  scene_destroy(&s);
}

static void units_and_parents_are_filtered(void **state) {
  (void)state;
  // 0-1: the parent is the world, so they may touch; 2-3 are one unit; 1-2, 1-3, 2-4, 3-4 are
  // neighbours in the tree
  expect_pairs(chain_builder(), "01 02 03 04 05 14 15 25 35 45");
  limpet_builder *builder = chain_builder();
  limpet_builder_options(builder)->disabled |= LIMPET_DISABLE_PARENT_FILTER;
  expect_pairs(builder, "01 02 03 04 05 12 13 14 15 24 25 34 35 45");
}

static void masks_are_filtered(void **state) {
  (void)state;
  limpet_builder *builder = chain_builder();
  limpet_builder_geom(builder, 5)->contype = 2;
  limpet_builder_geom(builder, 5)->conaffinity = 0;
  limpet_builder_geom(builder, 1)->conaffinity = 3;  // 5 still touches 1, by its contype alone
  limpet_builder_geom(builder, 4)->contype = limpet_builder_geom(builder, 4)->conaffinity = 0;
  expect_pairs(builder, "01 02 03 15");
}

static void excluded_bodies_are_filtered(void **state) {
  (void)state;
  limpet_builder *builder = chain_builder();
  limpet_builder_add_exclude(builder, 5, 2);  // body 2 only, not its welded child 3
  limpet_builder_add_exclude(builder, 0, 1);
  expect_pairs(builder, "02 03 04 05 14 15 35 45");
}

static void explicit_pairs_pass_all_filters(void **state) {
  (void)state;
  limpet_builder *builder = chain_builder();
  for (int g = 0; g < 6; ++g)
    limpet_builder_geom(builder, g)->contype = limpet_builder_geom(builder, g)->conaffinity = 0;
  limpet_pair_description pair = limpet_pair_description_default();
  pair.geom_a = 4, pair.geom_b = 2;  // neighbours in the tree
  pair.margin = 0.25, pair.gap = 0.125;
  limpet_builder_add_pair(builder, &pair);
  pair.geom_a = 0, pair.geom_b = 5;
  pair.margin = 0.0, pair.gap = 0.0;
  limpet_builder_add_pair(builder, &pair);
  limpet_builder_add_exclude(builder, 4, 2);
  scene s = scene_create(builder);
  scene_find(&s, 0.0);
  assert_int_equal(s.collision.pair_count, 2);
  assert_int_equal(s.collision.pair[0].pair, 1);
  assert_int_equal(s.collision.pair[1].pair, 0);
  assert_true(s.collision.pair[1].margin == 0.25 && s.collision.pair[1].gap == 0.125);

  scene_destroy(&s);
}

static void an_explicit_pair_replaces_the_ordinary_one(void **state) {
  (void)state;
  limpet_builder *builder = chain_builder();
  limpet_pair_description pair = limpet_pair_description_default();
  pair.geom_a = 1, pair.geom_b = 5;
  limpet_builder_add_pair(builder, &pair);
  scene s = scene_create(builder);
  scene_find(&s, 0.0);
  assert_int_equal(s.collision.pair_count, 10);
  for (int k = 0; k < s.collision.pair_count; ++k) {
    const bool own = s.collision.pair[k].geom_a == 1 && s.collision.pair[k].geom_b == 5;
    assert_int_equal(s.collision.pair[k].pair, own ? 0 : -1);
  }
  scene_destroy(&s);
}

static void mocap_bodies_carry_their_geoms(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  const int mocap = sphere_add(builder, 0, LIMPET_NONE, 5.0, 0, 0);
  limpet_builder_body(builder, mocap)->mocap = true;
  sphere_add(builder, 0, LIMPET_JOINT_FREE, 0, 0, 0);
  sphere_add(builder, 0, LIMPET_NONE, 0, 0,
             0.05);  // fixed: meets the free one, never the mocap one
  scene s = scene_create(builder);
  scene_find(&s, 0.0);
  assert_int_equal(s.collision.pair_count, 1);
  for (int step = 0; step < 3; ++step) {
    s.data->mocap_position[0] = step == 1 ? 0.1 : 5.0;
    scene_find(&s, 0.0);
    assert_int_equal(s.collision.pair_count, step == 1 ? 2 : 1);
  }
  scene_destroy(&s);
}

// What is fixed to a mocap body is one unit with it and the parent of what hangs on it; the world
// is nobody's parent.
static void mocap_bodies_are_parents(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  const limpet_geom_description base = geom_of(0, LIMPET_SHAPE_SPHERE);
  limpet_builder_add_geom(builder, &base);
  const int mocap = sphere_add(builder, 0, LIMPET_NONE, 0.01, 0, 0);
  limpet_builder_body(builder, mocap)->mocap = true;
  sphere_add(builder, mocap, LIMPET_NONE, 0.01, 0, 0);
  const int arm = sphere_add(builder, mocap, LIMPET_JOINT_REVOLUTE, 0.02, 0, 0);
  sphere_add(builder, arm, LIMPET_JOINT_REVOLUTE, 0.01, 0, 0);
  expect_pairs(builder, "03 04 14 24");
}

/* What the bodies of a tree have in common takes none nearer to the others, so a robot that falls
 * asks no more of its links than one that stands. */
static void common_motion_asks_no_kin(void **state) {
  (void)state;
  for (int trees = 0; trees < 2; ++trees) {
    limpet_builder *builder = limpet_builder_create();
    int link = 0;
    for (int i = 0; i < 6; ++i)
      link =
          sphere_add(builder, link, i == 0 ? LIMPET_JOINT_FREE : LIMPET_JOINT_REVOLUTE, 0.5, 0, 0);
    sphere_add(builder, 0, LIMPET_JOINT_FREE, 0, 20.0, 0);
    scene s = scene_create(builder);
    limpet_colliders *colliders = limpet_colliders_of(s.model, s.data);
    if (trees) go_by_trees(&s);
    limpet_kinematics(s.model, s.data);
    limpet_geom_kinematics(s.model, s.data, false);
    for (int step = 0; step < 4; ++step) {
      limpet_arena *arena = limpet_workspace_turn(s.data->workspace);
      const limpet_reach *reach = uniform_reach(s.model, 1e-3, arena);
      ((double *)(uintptr_t)reach->tree)[0] = step;  // [m]
      assert_int_equal(limpet_broad_phase(s.model, s.data, reach, arena, &s.collision), LIMPET_OK);
      assert_int_equal(s.collision.pair_count, 0);
      if (step > 0 && !trees) assert_int_equal(colliders->tests, 0);
    }
    scene_destroy(&s);
  }
}

// --------------------------------------------------------------------------- many, steadily

static void steady_steps_do_not_grow(void **state) {
  (void)state;
  scene s = shapes_create(60);
  for (int step = 0; step < 8; ++step) scene_find(&s, 0.01);
  const limpet_workspace *workspace = s.data->workspace;
  const int growth = workspace->arena[0].growth_count + workspace->arena[1].growth_count;
  const void *object = workspace->object[LIMPET_SLOT_COLLIDE];
  for (int step = 0; step < 50; ++step) {
    spheres_move(&s, 1e-3);
    scene_find(&s, 0.01);
  }
  assert_int_equal(workspace->arena[0].growth_count + workspace->arena[1].growth_count, growth);
  assert_ptr_equal(workspace->object[LIMPET_SLOT_COLLIDE], object);
  scene_destroy(&s);
}

// 5000 spheres: memory in proportion to candidates and bodies, far below a byte for each of the 12
// million pairs.
static void thousands_of_spheres(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  const limpet_geom_description floor = geom_of(0, LIMPET_SHAPE_PLANE);
  limpet_builder_add_geom(builder, &floor);
  for (int i = 0; i < 5000; ++i)
    sphere_add(builder, 0, LIMPET_JOINT_FREE, between(0, 4), between(0, 4), between(0, 4));
  scene s = scene_create(builder);
  scene_find(&s, 0.0);
  for (int step = 0; step < 5; ++step) {
    spheres_move(&s, 1e-3);
    limpet_kinematics(s.model, s.data);
    limpet_geom_kinematics(s.model, s.data, false);
    limpet_arena *arena = limpet_workspace_turn(s.data->workspace);
    const limpet_reach *reach = uniform_reach(s.model, 0.0, arena);
    assert_int_equal(limpet_broad_phase(s.model, s.data, reach, arena, &s.collision), LIMPET_OK);
  }
  print_message("5000 spheres: %d pairs, arena %zu KiB\n", s.collision.pair_count,
                limpet_arena_peak(&s.data->workspace->arena[0]) / 1024);
  assert_true(s.collision.pair_count > 1000);
  const limpet_candidates *candidates = &limpet_colliders_of(s.model, s.data)->candidates;
  assert_true(candidates->count < 12 * 5000);
  assert_true(limpet_arena_peak(&s.data->workspace->arena[0]) <
              128 * ((size_t)candidates->count + 5000));
  scene_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spheres_are_found_exactly),
      cmocka_unit_test(history_does_not_matter),
      cmocka_unit_test(no_pair_of_shapes_is_missing),
      cmocka_unit_test(units_and_parents_are_filtered),
      cmocka_unit_test(masks_are_filtered),
      cmocka_unit_test(excluded_bodies_are_filtered),
      cmocka_unit_test(explicit_pairs_pass_all_filters),
      cmocka_unit_test(an_explicit_pair_replaces_the_ordinary_one),
      cmocka_unit_test(mocap_bodies_carry_their_geoms),
      cmocka_unit_test(mocap_bodies_are_parents),
      cmocka_unit_test(common_motion_asks_no_kin),
      cmocka_unit_test(steady_steps_do_not_grow),
      cmocka_unit_test(thousands_of_spheres),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
