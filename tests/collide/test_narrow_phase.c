/* tests/collide/test_narrow_phase.c: contacts of pairs: order, direction, margins, memory. The
 * geometry itself is tested with the shapes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collide/collide.h"
#include "collide/colliders.h"
#include "limpet/dynamics.h"
#include "math/vec3.h"
#include "model/workspace.h"
#include "shared_data.h"

static void shape_add(limpet_builder *builder, int body, limpet_shape_kind kind, double margin) {
  limpet_geom_description geom = limpet_geom_description_default();
  geom.body = body;
  geom.kind = kind;
  geom.size[0] = geom.size[1] = geom.size[2] = 0.5;
  geom.margin = margin;
  limpet_builder_add_geom(builder, &geom);
}

static int body_add(limpet_builder *builder, double x, double z) {
  limpet_body_description body = limpet_body_description_default();
  body.position[0] = x, body.position[2] = z;
  limpet_joint_description joint = limpet_joint_description_default();
  joint.body = limpet_builder_add_body(builder, &body);
  joint.kind = LIMPET_JOINT_FREE;
  limpet_builder_add_joint(builder, &joint);
  return joint.body;
}

typedef struct scene {
  limpet_model *model;
  limpet_data *data;
  limpet_collision collision;
} scene;

static void scene_find(scene *s, double speculative, bool single) {
  limpet_kinematics(s->model, s->data);
  limpet_geom_kinematics(s->model, s->data, false);
  limpet_arena *arena = limpet_workspace_turn(s->data->workspace);
  double *body = LIMPET_TAKE(arena, double, s->model->body_count),
         *tree = LIMPET_TAKE_ZERO(arena, double, s->model->tree_count);
  for (int b = 0; b < s->model->body_count; ++b) body[b] = 0.5 * speculative;
  const limpet_reach reach = {.body = body, .tree = tree};
  assert_int_equal(limpet_broad_phase(s->model, s->data, &reach, arena, &s->collision), LIMPET_OK);
  assert_int_equal(limpet_narrow_phase(s->model, s->data, single, NULL, NULL, arena, &s->collision),
                   LIMPET_OK);
  for (int k = 0; k < s->collision.contact_count; ++k) {
    const limpet_contact_point *point = &s->collision.contact[k].point;
    double d[3];
    limpet_vec3_sub(d, point->on_b, point->on_a);
    assert_true(fabs(limpet_vec3_dot(d, point->normal) - point->distance) < 1e-12);
    if (k > 0) assert_true(s->collision.contact[k - 1].pair <= s->collision.contact[k].pair);
  }
}

static scene scene_create(limpet_builder *builder) {
  limpet_error error;
  scene s = {.model = limpet_builder_compile(builder, &error)};
  if (!s.model) fail_msg("%s", error.message);
  s.data = limpet_data_create(s.model);
  limpet_builder_destroy(builder);
  return s;
}

static void scene_destroy(scene *s) {
  limpet_data_destroy(s->data);
  limpet_model_destroy(s->model);
}

// Two spheres of radius 0.5 m, `gap` apart; margins of 0.01 m each.
static scene spheres_create(double gap, double margin) {
  limpet_builder *builder = limpet_builder_create();
  shape_add(builder, body_add(builder, 0.0, 0.0), LIMPET_SHAPE_SPHERE, margin);
  shape_add(builder, body_add(builder, 1.0 + gap, 0.0), LIMPET_SHAPE_SPHERE, margin);
  return scene_create(builder);
}

static void margins_add_up_and_speculation_reaches_farther(void **state) {
  (void)state;
  const struct {
    double gap, margin, speculative;
    int expected;
  } cases[] = {
      {0.0, 0.0, 0.0, 1},    {1e-6, 0.0, 0.0, 0},    {-1e-6, 0.0, 0.0, 1},   {0.015, 0.01, 0.0, 1},
      {0.025, 0.01, 0.0, 0}, {0.025, 0.01, 0.01, 1}, {0.035, 0.01, 0.01, 0}, {0.005, 0.0, 0.01, 1},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    scene s = spheres_create(cases[k].gap, cases[k].margin);
    scene_find(&s, cases[k].speculative, false);
    assert_int_equal(s.collision.contact_count, cases[k].expected);
    if (cases[k].expected) {
      const limpet_contact_point *point = &s.collision.contact[0].point;
      assert_true(fabs(point->distance - cases[k].gap) < 1e-12);
      assert_true(point->normal[0] > 0.999999);  // from A, the first geom, to B
    }
    scene_destroy(&s);
  }
}

// In the gap beyond the margin contacts are reported.
static void gaps_reach_beyond_the_margin(void **state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    limpet_builder *builder = limpet_builder_create();
    for (int i = 0; i < 2; ++i) {
      shape_add(builder, body_add(builder, i * (k ? 1.0349 : 1.0351), 0.0), LIMPET_SHAPE_SPHERE,
                0.01);
      limpet_builder_geom(builder, i)->gap = 0.005 + 0.005 * i;
    }
    scene s = scene_create(builder);
    scene_find(&s, 0.0, false);
    assert_int_equal(s.collision.contact_count, k);
    scene_destroy(&s);
  }
}

// Also where the kinds stand in the other order than in the table, A is the first geom.
static void normal_points_from_the_first_geom(void **state) {
  (void)state;
  for (int first = LIMPET_SHAPE_SPHERE; first <= LIMPET_SHAPE_BOX; ++first)
    for (int second = LIMPET_SHAPE_SPHERE; second <= LIMPET_SHAPE_BOX; ++second) {
      limpet_builder *builder = limpet_builder_create();
      shape_add(builder, body_add(builder, 0.0, 0.0), (limpet_shape_kind)first, 0.0);
      shape_add(builder, body_add(builder, 0.99, 0.0), (limpet_shape_kind)second, 0.0);
      scene s = scene_create(builder);
      scene_find(&s, 0.0, false);
      assert_true(s.collision.contact_count > 0);
      for (int k = 0; k < s.collision.contact_count; ++k) {
        assert_true(s.collision.contact[k].point.normal[0] > 0.9);
        assert_true(s.collision.contact[k].point.distance < 0.0);
      }
      scene_destroy(&s);
    }
}

static void boxes_rest_on_points_or_on_one(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  shape_add(builder, 0, LIMPET_SHAPE_PLANE, 0.0);
  for (int i = 0; i < 30; ++i)
    shape_add(builder, body_add(builder, 2.0 * i, 0.499), LIMPET_SHAPE_BOX, 0.0);
  scene s = scene_create(builder);
  scene_find(&s, 0.0, false);
  assert_int_equal(s.collision.pair_count, 30);
  assert_int_equal(s.collision.contact_count, 120);
  scene_find(&s, 0.0, true);
  assert_int_equal(s.collision.contact_count, 30);

  // a steady step takes no new memory
  for (int step = 0; step < 4; ++step) scene_find(&s, 0.0, false);
  const limpet_arena *arena = s.data->workspace->arena;
  const int growth = arena[0].growth_count + arena[1].growth_count;
  for (int step = 0; step < 20; ++step) scene_find(&s, 0.0, false);
  assert_int_equal(arena[0].growth_count + arena[1].growth_count, growth);
  scene_destroy(&s);
}

/* Bodies of all costly kinds that drift, meet and part: contacts are the same bits as in a fresh
 * world, which has no axes kept from former steps; and axes are kept. */
static void kept_axes_do_not_change_contacts(void **state) {
  (void)state;
  unsigned long seed = 9;
  double points[3 * 20];
  for (int i = 0; i < 3 * 20; ++i) points[i] = random_uniform(&seed, -0.5, 0.5);
  limpet_builder *builder = limpet_builder_create();
  limpet_mesh_description mesh = limpet_mesh_description_default();
  mesh.vertex_count = 20;
  mesh.vertices = points;
  limpet_builder_add_mesh(builder, &mesh);
  const limpet_shape_kind kinds[] = {LIMPET_SHAPE_MESH, LIMPET_SHAPE_CYLINDER,
                                     LIMPET_SHAPE_ELLIPSOID, LIMPET_SHAPE_BOX,
                                     LIMPET_SHAPE_CAPSULE};
  for (int i = 0; i < 15; ++i) {
    const int body =
        body_add(builder, random_uniform(&seed, 0.0, 3.0), random_uniform(&seed, 0.0, 3.0));
    shape_add(builder, body, kinds[i % 5], 0.0);
    limpet_builder_geom(builder, i)->mesh = i % 5 == 0 ? 0 : LIMPET_NONE;
    limpet_builder_geom(builder, i)->size[0] = 0.3;
  }
  scene s = scene_create(builder);

  int contacts = 0, kept = 0;
  for (int step = 0; step < 400; ++step) {
    for (int i = 0; i < s.model->nq; ++i)
      s.data->q[i] += 0.02 * sin(0.013 * step * (i % 11 + 1) + i);
    for (int j = 0; j < s.model->joint_count; ++j) {
      double *quaternion = s.data->q + s.model->joint_q[j] + 3, norm = 0.0;
      for (int i = 0; i < 4; ++i) norm += quaternion[i] * quaternion[i];
      for (int i = 0; i < 4; ++i) quaternion[i] /= sqrt(norm);
    }
    scene_find(&s, 0.01, false);
    scene fresh = {.model = s.model, .data = limpet_data_create(s.model)};
    memcpy(fresh.data->q, s.data->q, (size_t)s.model->nq * sizeof(double));
    scene_find(&fresh, 0.01, false);
    assert_int_equal(s.collision.contact_count, fresh.collision.contact_count);
    for (int k = 0; k < s.collision.contact_count; ++k) {
      assert_int_equal(s.collision.contact[k].pair, fresh.collision.contact[k].pair);
      assert_memory_equal(&s.collision.contact[k].point.distance,
                          &fresh.collision.contact[k].point.distance, sizeof(double));
      assert_memory_equal(s.collision.contact[k].point.on_a, fresh.collision.contact[k].point.on_a,
                          3 * sizeof(double));
    }
    contacts += s.collision.contact_count;
    limpet_data_destroy(fresh.data);
    const limpet_colliders *colliders = limpet_colliders_of(s.model, s.data);
    const bool few = colliders->pairs.carriers > 0;
    const limpet_candidate *pair = few ? colliders->pairs.item : colliders->candidates.item;
    const int count = few ? colliders->pairs.count : colliders->candidates.count;
    for (int k = 0; k < count; ++k)
      kept += pair[k].memory != LIMPET_NONE && colliders->memories.item[pair[k].memory].gap > 0.0;
  }
  assert_true(contacts > 1000);
  assert_true(kept > 400);
  scene_destroy(&s);
}

// A row of boxes and spheres, 5 mm apart or 1 mm deep in turn.
static scene row_create(void) {
  limpet_builder *builder = limpet_builder_create();
  double x = 0.0;
  for (int i = 0; i < 8; ++i) {
    shape_add(builder, body_add(builder, x, 0.0), i % 3 ? LIMPET_SHAPE_BOX : LIMPET_SHAPE_SPHERE,
              0.0);
    x += i % 2 ? 1.005 : 0.999;
  }
  return scene_create(builder);
}

// Finds with a reach of 1 mm each, of `farther` 20 mm, in the poses as they are.
static limpet_collision reach_find(scene *s, int farther, const limpet_collision *known) {
  limpet_arena *arena = &s->data->workspace->arena[0];
  limpet_collision collision;
  double *body = LIMPET_TAKE(arena, double, s->model->body_count),
         *tree = LIMPET_TAKE_ZERO(arena, double, s->model->tree_count);
  for (int b = 0; b < s->model->body_count; ++b) body[b] = b == farther ? 0.02 : 0.001;
  const limpet_reach reach = {.body = body, .tree = tree};
  assert_int_equal(limpet_broad_phase(s->model, s->data, &reach, arena, &collision), LIMPET_OK);
  assert_int_equal(limpet_narrow_phase(s->model, s->data, false, NULL, known, arena, &collision),
                   LIMPET_OK);
  return collision;
}

// Bit by bit; the struct has padding.
static void same_contact(const limpet_collision_contact *a, const limpet_collision_contact *b) {
  assert_int_equal(a->pair, b->pair);
  assert_memory_equal(&a->point, &b->point, sizeof a->point);
  assert_memory_equal(&a->area, &b->area, sizeof a->area);
}

/* Pairs whose reach stayed are taken over, others are asked: the result is that of asking all. What
 * is known is spoilt once, to see that it is used, and where. */
static void what_is_known_is_not_asked_again(void **state) {
  (void)state;
  scene s = row_create();
  limpet_kinematics(s.model, s.data);
  limpet_geom_kinematics(s.model, s.data, false);
  for (int farther = 1; farther < s.model->body_count; ++farther) {
    limpet_collision known = reach_find(&s, LIMPET_NONE, NULL);
    const limpet_collision all = reach_find(&s, farther, NULL);
    const limpet_collision some = reach_find(&s, farther, &known);
    const bool ends = farther == 1 || farther == s.model->body_count - 1;  // touch all they can
    assert_true(ends || all.contact_count > known.contact_count);
    assert_int_equal(some.contact_count, all.contact_count);
    for (int i = 0; i < all.contact_count; ++i) same_contact(&some.contact[i], &all.contact[i]);
    for (int i = 0; i < known.contact_count; ++i) known.contact[i].point.distance += 1.0;
    const limpet_collision spoilt = reach_find(&s, farther, &known);
    for (int i = 0; i < spoilt.contact_count; ++i) {
      const limpet_collision_pair *pair = &spoilt.pair[spoilt.contact[i].pair];
      const bool asked = s.model->geom_body[pair->geom_a] == farther ||
                         s.model->geom_body[pair->geom_b] == farther;
      assert_true(asked == (spoilt.contact[i].point.distance < 0.5));
    }
    known.swept = true;
    assert_true(reach_find(&s, farther, &known).contact[0].point.distance < 0.5);
  }
  scene_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(margins_add_up_and_speculation_reaches_farther),
      cmocka_unit_test(gaps_reach_beyond_the_margin),
      cmocka_unit_test(normal_points_from_the_first_geom),
      cmocka_unit_test(boxes_rest_on_points_or_on_one),
      cmocka_unit_test(kept_axes_do_not_change_contacts),
      cmocka_unit_test(what_is_known_is_not_asked_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
