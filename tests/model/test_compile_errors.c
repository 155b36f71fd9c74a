/* tests/model/test_compile_errors.c: what is wrong in a description is refused, with its place, in
 * words that say what to do.
 *
 * One table: a function spoils a good model in one way, the texts must all be in the message. The
 * good model compiles (control). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/builder.h"
#include "small_models.h"

static const limpet_place HERE = {"robot.xml", 12, 5};

static limpet_joint_description *joint(limpet_builder *builder, const char *name) {
  return limpet_builder_joint(builder, limpet_builder_find(builder, LIMPET_OBJECT_JOINT, name));
}

static limpet_body_description *body(limpet_builder *builder, const char *name) {
  return limpet_builder_body(builder, limpet_builder_find(builder, LIMPET_OBJECT_BODY, name));
}

static limpet_actuator_description *actuator(limpet_builder *builder, const char *name) {
  return limpet_builder_actuator(builder,
                                 limpet_builder_find(builder, LIMPET_OBJECT_ACTUATOR, name));
}

// bodies
static void no_mass(limpet_builder *builder) {
  limpet_builder_geom(builder, 1)->mass = 0.0, body(builder, "box")->place = HERE;
}
static void given_without_mass(limpet_builder *builder) {
  body(builder, "box")->has_inertial = true, body(builder, "box")->place = HERE;
}
static void no_inertia(limpet_builder *builder) {
  body(builder, "box")->has_inertial = true, body(builder, "box")->mass = 1.0,
                body(builder, "box")->place = HERE;
}
static void far_position(limpet_builder *builder) {
  body(builder, "box")->position[1] = -1e51, body(builder, "box")->place = HERE;
}
static void hardly_any_mass(limpet_builder *builder) {
  limpet_builder_geom(builder, 1)->mass = 1e-300, body(builder, "box")->place = HERE;
}
static void hardly_any_inertia(limpet_builder *builder) {
  limpet_builder_geom(builder, 1)->mass = 2e-15, body(builder, "box")->place = HERE;
}
static void give_inertia(limpet_builder *builder, double xx, double yy, double zz, double xy) {
  const double inertia[6] = {xx, yy, zz, xy, 0.0, 0.0};
  body(builder, "box")->has_inertial = true, body(builder, "box")->mass = 1.0,
                body(builder, "box")->place = HERE;
  memcpy(body(builder, "box")->inertia, inertia, sizeof inertia);
}
static void triangle(limpet_builder *builder) { give_inertia(builder, 1.0, 1.0, 5.0, 0.0); }
static void indefinite(limpet_builder *builder) { give_inertia(builder, 1.0, 1.0, 1.0, 2.0); }
static void negative_mass(limpet_builder *builder) {
  give_inertia(builder, 1, 1, 1, 0);
  body(builder, "box")->mass = -1.0;
}
static void nan_position(limpet_builder *builder) {
  body(builder, "box")->position[1] = NAN, body(builder, "box")->place = HERE;
}
static void zero_quaternion(limpet_builder *builder) {
  body(builder, "box")->quaternion[0] = 0, body(builder, "box")->place = HERE;
}
static void unknown_parent(limpet_builder *builder) {
  body(builder, "box")->parent = 77, body(builder, "box")->place = HERE;
}
static void own_ancestor(limpet_builder *builder) {
  body(builder, "upper")->parent = limpet_builder_find(builder, LIMPET_OBJECT_BODY, "tip"),
                body(builder, "upper")->place = HERE;
}
static void deep_mocap(limpet_builder *builder) {
  body(builder, "target")->parent = limpet_builder_find(builder, LIMPET_OBJECT_BODY, "table");
  body(builder, "target")->place = HERE;
}
static void moving_mocap(limpet_builder *builder) {
  body(builder, "box")->mocap = true, body(builder, "box")->place = HERE;
}
static void same_name(limpet_builder *builder) {
  body(builder, "tip")->place = HERE;
  body(builder, "box")->place = (limpet_place){"robot.xml", 3, 1};
  body(builder, "tip")->name = "box";
}

// joints
static void world_joint(limpet_builder *builder) {
  joint(builder, "slide")->body = 0, joint(builder, "slide")->place = HERE;
}
static void deep_free(limpet_builder *builder) {
  joint(builder, "wrist")->kind = LIMPET_JOINT_FREE, joint(builder, "wrist")->place = HERE;
}
static void free_and_more(limpet_builder *builder) {
  joint(builder, "slide")->body = limpet_builder_find(builder, LIMPET_OBJECT_BODY, "box"),
                 joint(builder, "root")->place = HERE;
}
static void zero_axis(limpet_builder *builder) {
  joint(builder, "shoulder")->axis[1] = 0.0, joint(builder, "shoulder")->place = HERE;
}
static void joint_range(limpet_builder *builder) {
  joint(builder, "shoulder")->range[0] = 2.0, joint(builder, "shoulder")->place = HERE;
}
static void negative_damping(limpet_builder *builder) {
  joint(builder, "slide")->damping = -2.0, joint(builder, "slide")->place = HERE;
}
static void unknown_kind(limpet_builder *builder) {
  joint(builder, "slide")->kind = (limpet_joint_kind)9, joint(builder, "slide")->place = HERE;
}

// geoms
static void bad_size(limpet_builder *builder) {
  limpet_builder_geom(builder, 1)->size[2] = -1, limpet_builder_geom(builder, 1)->place = HERE;
}
static void moving_plane(limpet_builder *builder) {
  limpet_builder_geom(builder, 1)->kind = LIMPET_SHAPE_PLANE,
                               limpet_builder_geom(builder, 1)->place = HERE;
}
static void no_mesh(limpet_builder *builder) {
  limpet_builder_geom(builder, 1)->kind = LIMPET_SHAPE_MESH,
                               limpet_builder_geom(builder, 1)->place = HERE;
}
static void bad_friction(limpet_builder *builder) {
  limpet_builder_geom(builder, 1)->material.friction = -0.5,
                               limpet_builder_geom(builder, 1)->place = HERE;
}
static void bad_condim(limpet_builder *builder) {
  limpet_builder_geom(builder, 1)->condim = 2, limpet_builder_geom(builder, 1)->place = HERE;
}
static void flat_mesh(limpet_builder *builder) {
  const double vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  limpet_mesh_description mesh = limpet_mesh_description_default();
  mesh.name = "leaf", mesh.vertex_count = 4, mesh.vertices = vertices, mesh.place = HERE;
  limpet_builder_add_mesh(builder, &mesh);
}

// what refers to them
static void ball_tendon(limpet_builder *builder) {
  const limpet_tendon_term term = {limpet_builder_find(builder, LIMPET_OBJECT_JOINT, "wrist"), 1.0};
  limpet_tendon_description tendon = limpet_tendon_description_default();
  tendon.name = "rope", tendon.terms = &term, tendon.term_count = 1, tendon.place = HERE;
  limpet_builder_add_tendon(builder, &tendon);
}
static void no_target(limpet_builder *builder) {
  actuator(builder, "servo")->target = LIMPET_NONE, actuator(builder, "servo")->place = HERE;
}
static void control_range(limpet_builder *builder) {
  actuator(builder, "servo")->control_range[0] = 9.0, actuator(builder, "servo")->place = HERE;
}
static void filter_time(limpet_builder *builder) {
  actuator(builder, "filtered")->activation_time = 0.0, actuator(builder, "filtered")->place = HERE;
}
static void self_coupler(limpet_builder *builder) {
  limpet_coupler_description coupler = limpet_coupler_description_default();
  coupler.y = coupler.x = limpet_builder_find(builder, LIMPET_OBJECT_JOINT, "slide"),
  coupler.place = HERE;
  limpet_builder_add_coupler(builder, &coupler);
}
static limpet_loop_description rod(limpet_builder *builder) {
  limpet_loop_description loop = limpet_loop_description_default();
  loop.name = "rod", loop.kind = LIMPET_LOOP_DISTANCE, loop.place = HERE;
  loop.body_b = limpet_builder_find(builder, LIMPET_OBJECT_BODY, "box");
  loop.position_a[2] = 0.5;
  return loop;
}
static void self_loop(limpet_builder *builder) {
  limpet_loop_description loop = rod(builder);
  loop.body_b = loop.body_a;
  limpet_builder_add_loop(builder, &loop);
}
static void loop_without_body(limpet_builder *builder) {
  limpet_loop_description loop = rod(builder);
  loop.body_b = LIMPET_NONE;
  limpet_builder_add_loop(builder, &loop);
}
static void short_rod(limpet_builder *builder) {
  limpet_loop_description loop = rod(builder);
  loop.length = 0.0;
  limpet_builder_add_loop(builder, &loop);
}
static void rod_of_reference(limpet_builder *builder) {
  limpet_loop_description loop = rod(builder);
  loop.from_reference = LIMPET_LOOP_FRAME_A;
  limpet_builder_add_loop(builder, &loop);
}
static void limp_rod(limpet_builder *builder) {
  limpet_loop_description loop = rod(builder);
  loop.stiffness = 0.0;
  limpet_builder_add_loop(builder, &loop);
}
static void nan_loop(limpet_builder *builder) {
  limpet_loop_description loop = rod(builder);
  loop.position_b[1] = NAN;
  limpet_builder_add_loop(builder, &loop);
}
static void loop_quaternion(limpet_builder *builder) {
  limpet_loop_description loop = rod(builder);
  loop.quaternion_b[0] = 0.0;
  limpet_builder_add_loop(builder, &loop);
}
static void limp_tendon_limit(limpet_builder *builder) {
  const limpet_tendon_term term = {limpet_builder_find(builder, LIMPET_OBJECT_JOINT, "slide"), 1.0};
  limpet_tendon_description tendon = limpet_tendon_description_default();
  tendon.name = "rope", tendon.terms = &term, tendon.term_count = 1, tendon.limit_stiffness = -1.0,
  tendon.place = HERE;
  limpet_builder_add_tendon(builder, &tendon);
}
static void keyframe_size(limpet_builder *builder) {
  const double q[3] = {0};
  limpet_keyframe_description key = limpet_keyframe_description_default();
  key.name = "short", key.q = q, key.q_count = 3, key.place = HERE;
  limpet_builder_add_keyframe(builder, &key);
}
static void keyframe_nan(limpet_builder *builder) {
  const double control[3] = {0, NAN, 0};
  limpet_keyframe_description key = limpet_keyframe_description_default();
  key.name = "nan", key.control = control, key.control_count = 3, key.place = HERE;
  limpet_builder_add_keyframe(builder, &key);
}
static void keyframe_quaternion(limpet_builder *builder) {
  const double q[14] = {0};
  limpet_keyframe_description key = limpet_keyframe_description_default();
  key.name = "none", key.q = q, key.q_count = 14, key.place = HERE;
  limpet_builder_add_keyframe(builder, &key);
}
static void self_pair(limpet_builder *builder) {
  limpet_pair_description pair = limpet_pair_description_default();
  pair.geom_a = pair.geom_b = 0, pair.place = HERE;
  limpet_builder_add_pair(builder, &pair);
}
static void unknown_exclude(limpet_builder *builder) { limpet_builder_add_exclude(builder, 1, 99); }
static void zero_step(limpet_builder *builder) { limpet_builder_options(builder)->time_step = 0.0; }
static void nan_gravity(limpet_builder *builder) {
  limpet_builder_options(builder)->gravity[2] = NAN;
}

typedef struct mistake {
  void (*make)(limpet_builder *builder);
  const char *what, *way_out;  // in the message
  bool placed;                 // robot.xml:12:5
} mistake;

static const mistake mistakes[] = {
    {no_mass, "body 'box' moves but has mass 0", "give it a geom with density or an inertial",
     true},
    {given_without_mass, "body 'box' moves but has mass 0", "or an inertial", true},
    {no_inertia, "body 'box' moves but has no rotational inertia", "give it", true},
    {hardly_any_mass, "body 'box' moves but weighs only 1e-300 kg", "needs 1e-15 kg", true},
    {hardly_any_inertia, "body 'box' moves, but its largest principal inertia is only",
     "needs 1e-15 kg m^2", true},
    {triangle, "A + B >= C", "balanceinertia", true},
    {indefinite, "body 'box': its inertia has the principal values 3, 1, -1",
     "none may be negative", true},
    {negative_mass, "body 'box' has mass -1 kg", "give a positive one", true},
    {nan_position, "body 'box': its position is not a number (NaN)", "give a finite number", true},
    {far_position, "body 'box': its position is -1e+51, too large to reckon with",
     "give at most -1e+50", true},
    {zero_quaternion, "body 'box': its quaternion is zero", "use 1 0 0 0", true},
    {unknown_parent, "body 'box': its parent is body number 77", "use a handle", true},
    {own_ancestor, "is its own ancestor", "must end at the world", true},
    {deep_mocap, "body 'target' is a mocap body but no child of the world", "move it there", true},
    {moving_mocap, "body 'box' is a mocap body and has joints", "remove the joints", true},
    {same_name, "body 'box': the name is used twice, first at robot.xml:3:1;",
     "give one of them another name", true},
    {world_joint, "joint 'slide' is on the world", "put it on a body", true},
    {deep_free, "joint 'wrist' is free, but body 'hand' is no child of the world", "move the body",
     true},
    {free_and_more, "joint 'root' is free, but body 'box' has other joints", "must be the only one",
     true},
    {zero_axis, "joint 'shoulder': its axis is zero", "give a direction", true},
    {joint_range, "joint 'shoulder': its range goes from 2 down to 1.5", "lower end first", true},
    {negative_damping, "joint 'slide': its damping is -2", "give 0 or more", true},
    {unknown_kind, "joint 'slide': joint kind 9 is not known", "use one", true},
    {bad_size, "geom 1 is a box of size 0.1 0.05 -1", "must be positive", true},
    {moving_plane, "geom 1 is a plane on a body that moves", "use a box", true},
    {no_mesh, "geom 1 has no mesh", "name the mesh", true},
    {bad_friction, "geom 1: its friction is -0.5", "0 or more", true},
    {bad_condim, "geom 1: condim is 2", "use 1, 3, 4 or 6", true},
    {flat_mesh, "mesh 'leaf'", "; ", true},
    {ball_tendon, "tendon 'rope' names the ball joint 'wrist'", "needs joints with one coordinate",
     true},
    {no_target, "actuator 'servo' has no target", "name the joint", true},
    {control_range, "actuator 'servo': its control range goes from 9 down to 2", "lower end first",
     true},
    {filter_time, "actuator 'filtered': the time of its filter is 0 s", "give a positive one",
     true},
    {self_coupler, "couples a coordinate with itself", "two different ones", true},
    {self_loop, "loop 'rod' holds body 'world' to itself", "name two different bodies", true},
    {loop_without_body, "loop 'rod' has no second body", "name the body", true},
    {short_rod, "loop 'rod': its length is 0 m", "or use a connect", true},
    {rod_of_reference, "loop 'rod': a distance needs both of its points",
     "give position_a and position_b", true},
    {limp_rod, "loop 'rod': its stiffness is 0 N/m", "infinity for near-rigid", true},
    {nan_loop, "loop 'rod': its position on the second body is not a number (NaN)",
     "give a finite number", true},
    {loop_quaternion, "loop 'rod': its quaternion is zero", "use 1 0 0 0", true},
    {limp_tendon_limit, "tendon 'rope': its limits have the stiffness -1 N/m",
     "infinity: near-rigid", true},
    {keyframe_size, "keyframe 'short': qpos has 3 numbers, the model has 14", "give one for each",
     true},
    {keyframe_nan, "keyframe 'nan': ctrl contains nan at place 1", "finite", true},
    {keyframe_quaternion, "keyframe 'none': its qpos contains a quaternion that", "use 1 0 0 0",
     true},
    {self_pair, "pair 1 pairs a geom with itself", "two different ones", true},
    {unknown_exclude, "exclude 1 names the bodies 1 and 99", "use handles", false},
    {zero_step, "time step is 0 s", "give a positive one", false},
    {nan_gravity, "gravity (0, 0, nan)", "give three numbers", false},
};

static void every_mistake_is_named(void **state) {
  (void)state;
  int missed = 0;
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i) {
    const mistake *m = &mistakes[i];
    limpet_builder *builder = small_everything();
    m->make(builder);
    limpet_error error = {0};
    limpet_model *model = limpet_builder_compile(builder, &error);
    const bool placed = strncmp(error.message, "robot.xml:12:5: ", 16) == 0 && error.line == 12 &&
                        error.column == 5;
    if (model || error.status != LIMPET_ERROR_INPUT || placed != m->placed ||
        !strstr(error.message, m->what) || !strstr(error.message, m->way_out)) {
      fprintf(stderr, "mistake %d (%s) gives: %s\n", (int)i, m->what,
              model ? "a model" : error.message);
      ++missed;
    }
    limpet_model_destroy(model);

    // without room for the text it is refused all the same
    assert_null(limpet_builder_compile(builder, NULL));
    limpet_builder_destroy(builder);
  }
  assert_int_equal(missed, 0);
}

static void good_model_compiles(void **state) {
  (void)state;
  limpet_model *model = small_compile(small_everything());
  assert_non_null(model);
  limpet_model_destroy(model);
}

// A massless link is fine when what is welded to it has mass, and so is a body without mass that
// cannot move.
static void welded_mass_counts(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  small_body(builder, "marker", 0, 0, 0, 0);
  const int link = small_body(builder, "link", 0, 0, 0, 0),
            end = small_body(builder, "end", link, 1, 0, 0);
  small_joint(builder, NULL, link, LIMPET_JOINT_REVOLUTE, 0, 0, 1);
  small_sphere(builder, end, 1.0, 0.1);
  limpet_model *model = small_compile(builder);
  assert_non_null(model);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_model_compiles),
      cmocka_unit_test(every_mistake_is_named),
      cmocka_unit_test(welded_mass_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
