/* tests/format/test_mjcf_material.c: the attributes that Limpet adds to MJCF. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mjcf_text.h"

static void materials_are_read_in_layers(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      "<mujoco xmlns:limpet='any text'><default><geom limpet:stiffness='1e5' "
      "limpet:dissipation='2' friction='.5'/>"
      "<default class='ice'><geom friction='.02' limpet:friction_static='.1' "
      "limpet:friction_ratio='.25'/></default></default>"
      "<worldbody><geom size='1' solref='.02 1.5'/>"
      "<geom size='1' class='ice' limpet:stiffness='inf' limpet:relaxation_time='.3' "
      "limpet:friction_axis='0 2 0' "
      "limpet:surface_velocity='1 -2 .5' limpet:restitution='.5' solref='.02 1.5'/>"
      "<geom size='1' surfacevel='3'/></worldbody></mujoco>");
  const limpet_material *a = &m->geom_material[0], *b = &m->geom_material[1],
                        *c = &m->geom_material[2];
  assert_true(a->stiffness == 1e5 && a->dissipation == 2.0 && a->relaxation_time == 0.1);
  assert_true(isnan(a->friction_static) && a->friction_ratio == 1.0);
  CLOSE(a->friction_axis, 1, 0, 0);
  CLOSE(a->surface_velocity, 0, 0, 0);
  assert_false(a->has_impedance);  // the stiffness decides
  assert_true(isinf(b->stiffness) && b->has_impedance && b->dissipation == 2.0 &&
              b->relaxation_time == 0.3);
  assert_true(b->friction == 0.02 && b->friction_static == 0.1 && b->friction_ratio == 0.25);
  assert_true(a->restitution == 0.0 && b->restitution == 0.5);
  CLOSE(b->friction_axis, 0, 2, 0);
  CLOSE(b->surface_velocity, 1, -2, 0.5);
  CLOSE(c->surface_velocity, 3, 0, 0);
  limpet_model_destroy(m);
}

// The order is: material, default class, geom; the material's own class below all.
static void geoms_take_the_surface_of_their_material(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      "<mujoco><default><material limpet:field_error='.01'/>"
      "<default class='soft'><geom limpet:elastic_modulus='3e5'/></default></default>"
      "<asset><material name='rubber' rgba='1 0 0 1' limpet:elastic_modulus='1e6' "
      "limpet:dissipation='7' limpet:field_size='.004' limpet:slab_thickness='.02' "
      "limpet:field_margin='1e-4'/></asset>"
      "<worldbody><geom size='1' material='rubber'/>"
      "<geom size='1' material='rubber' class='soft'/>"
      "<geom size='1' material='rubber' limpet:elastic_modulus='inf' friction='.3'/>"
      "<geom size='1'/></worldbody></mujoco>");
  const limpet_material *a = m->geom_material;
  assert_true(a[0].elastic_modulus == 1e6 && a[0].dissipation == 7.0 && a[0].field_size == 0.004);
  assert_true(a[0].field_error == 0.01 && a[0].field_margin == 1e-4);
  assert_true(a[0].slab_thickness == 0.02 && m->geom_rgba[0] == 1.0f && m->geom_rgba[1] == 0.0f);
  assert_true(a[1].elastic_modulus == 3e5 && a[1].dissipation == 7.0);
  assert_true(isinf(a[2].elastic_modulus) && a[2].friction == 0.3);
  assert_true(isinf(a[3].elastic_modulus) && isnan(a[3].slab_thickness) &&
              a[3].dissipation == 50.0);
  limpet_model_destroy(m);
}

#define WORLD(attributes) \
  "<mujoco><worldbody>\n<geom size='1' " attributes "/></worldbody></mujoco>"
#define REFUSED(attributes, message) assert_true(mjcf_refused(WORLD(attributes), message))

static void wrong_materials_are_told_where_they_are(void **state) {
  (void)state;
  REFUSED("limpet:stiffness='0'",
          "robot.xml:2:16: 'limpet:stiffness' is 0; it must be positive, in N/m (inf: rigid)");
  REFUSED("limpet:elastic_modulus='0'",
          "robot.xml:2:16: 'limpet:elastic_modulus' is 0; it must be positive, in Pa (inf: rigid)");
  REFUSED("limpet:slab_thickness='0'",
          "robot.xml:2:16: 'limpet:slab_thickness' is 0; it must be positive, in m");
  REFUSED("limpet:field_size='-1'",
          "robot.xml:2:16: 'limpet:field_size' is -1; it must be a finite number of 0 or more");
  REFUSED("limpet:dissipation='-1'",
          "robot.xml:2:16: 'limpet:dissipation' is -1; it must be a finite number of 0 or more");
  REFUSED(
      "limpet:relaxation_time='inf'",
      "robot.xml:2:16: 'limpet:relaxation_time' is inf; it must be a finite number of 0 or more");
  REFUSED(
      "limpet:friction_ratio='-.1'",
      "robot.xml:2:16: 'limpet:friction_ratio' is -0.1; it must be a finite number of 0 or more");
  REFUSED("limpet:restitution='1.1'",
          "robot.xml:2:16: 'limpet:restitution' is 1.1; it must be from 0 to 1");
  REFUSED("friction='.5' limpet:friction_static='.4'",
          "robot.xml:2:30: 'limpet:friction_static' is 0.4; it must be finite and at least the "
          "geom's friction, 0.5");
  REFUSED("limpet:friction_axis='0 0 0'",
          "robot.xml:2:16: 'limpet:friction_axis' is zero; give a direction");
  REFUSED("limpet:friction_axis='0 1'",
          "robot.xml:2:16: attribute 'limpet:friction_axis' of <geom> has 2 numbers; it takes 3");
  REFUSED(
      "limpet:surface_velocity='1 inf 0'",
      "robot.xml:2:16: 'limpet:surface_velocity' is inf; it must be a velocity of finite numbers");
  REFUSED("limpet:stifness='1'",
          "robot.xml:2:16: <geom> has no attribute 'limpet:stifness'; did you mean "
          "'limpet:stiffness'?");
  REFUSED("xmlns:limpet='x'", "robot.xml:2:16: <geom> has no attribute 'xmlns:limpet'");
}

// A height field weighs as a box around its origin, here of 2 x 2 x 0.1 m.
static void height_fields_weigh(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      MODEL("<asset><hfield name='h' nrow='3' ncol='3' size='1 1 .5 .1' elevation='0 0 0 0 0 0 0 0 "
            "0'/></asset><worldbody><geom type='hfield' hfield='h'/><body><freejoint/>"
            "<geom type='hfield' hfield='h'/></body></worldbody>"));
  assert_true(fabs(m->body_mass[1] - 400.0) < 1e-9);
  assert_true(fabs(m->body_com[5]) < 1e-12);
  limpet_model_destroy(m);
}

static void surfaces_turn_and_pull(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(WORLD("surfacevel='1 0 0 0 0 2' adhesion='3'"));
  assert_int_equal(m->note_count, 0);
  CLOSE(m->geom_material[0].surface_velocity, 1, 0, 0);
  CLOSE(m->geom_material[0].surface_angular_velocity, 0, 0, 2);
  assert_true(m->geom_material[0].adhesion == 3.0);
  limpet_model_destroy(m);
  REFUSED("adhesion='-1'",
          "robot.xml:2:16: 'adhesion' is -1; it must be a finite number of 0 or more");
}

static void materials_have_their_part_in_the_hash(void **state) {
  (void)state;
  static const char *const variants[] = {WORLD(""),
                                         WORLD("limpet:friction_static='2'"),
                                         WORLD("limpet:friction_ratio='.5'"),
                                         WORLD("limpet:friction_axis='0 1 0'"),
                                         WORLD("limpet:surface_velocity='0 1 0'"),
                                         WORLD("limpet:restitution='1'")};
  enum { COUNT = sizeof variants / sizeof *variants };
  uint64_t hash[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    limpet_model *m = mjcf_load(variants[i]);
    hash[i] = m->hash;
    limpet_model_destroy(m);
    for (int k = 0; k < i; ++k) assert_true(hash[i] != hash[k]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(materials_are_read_in_layers),
      cmocka_unit_test(geoms_take_the_surface_of_their_material),
      cmocka_unit_test(wrong_materials_are_told_where_they_are),
      cmocka_unit_test(height_fields_weigh),
      cmocka_unit_test(surfaces_turn_and_pull),
      cmocka_unit_test(materials_have_their_part_in_the_hash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
