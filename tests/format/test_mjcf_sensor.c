/* tests/format/test_mjcf_sensor.c: sensors of MJCF: what they measure, where their numbers stand,
 * what is wrong with them; and what is not simulated keeps its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/sense.h"
#include "mjcf_text.h"

#define REFUSED(text, message) assert_true(mjcf_refused(text, message))

#define ROBOT                                                                               \
  "<worldbody><camera name='c'/><camera name='d' mode='track'/><site name='w' type='box' "  \
  "fromto='0 0 0 0 0 2' size='.3'/><body "                                                  \
  "name='b'><joint name='h' "                                                               \
  "range='-90 90'/><joint name='s' type='slide'/><geom name='g' size='.1'/><site name='t' " \
  "type='capsule' size='.1 .2'/><body "                                                     \
  "name='a'><joint name='o' type='ball'/><geom name='k' size='.1'/></body></body></worldbody>"
#define SENSORS(content) MODEL(ROBOT "\n<sensor>" content "</sensor>")

static void sensors_are_read(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(SENSORS(
      "<jointpos name='x' joint='h' noise='.1' user='3'/><ballquat joint='o'/>"
      "<framepos name='f' objtype='body' objname='a' reftype='site' refname='t' cutoff='2'/>"
      "<framepos objtype='xbody' objname='world'/><insidesite site='w' objtype='geom' objname='g'/>"
      "<distance geom1='g' body2='a' cutoff='1'/><clock/>"));
  assert_int_equal(m->note_count, 0);
  assert_int_equal(m->sensor_count, 7);
  assert_int_equal(m->nsensor, 1 + 4 + 3 + 3 + 1 + 1 + 1);
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_SENSOR), "x - f - - - -");
  static const int address[] = {0, 1, 5, 8, 11, 12, 13};
  for (int i = 0; i < 7; ++i) assert_int_equal(m->sensor_address[i], address[i]);
  assert_string_equal(limpet_sensor_kind_descriptor(m->sensor_kind[1])->name, "ballquat");
  CLOSE(m->sensor_noise, 0.1, 0, 0);
  CLOSE(m->sensor_cutoff, 0, 0, 2, 0, 0, 1, 0);
  assert_int_equal(m->sensor_object[0], mjcf_index(m, LIMPET_OBJECT_JOINT, "h"));
  assert_int_equal(m->sensor_object[2], mjcf_index(m, LIMPET_OBJECT_BODY, "a"));
  assert_int_equal(m->sensor_reference[2], mjcf_index(m, LIMPET_OBJECT_SITE, "t"));
  assert_true(m->sensor_object_inertial[2] && !m->sensor_object_inertial[3]);
  assert_int_equal(m->sensor_object[3], 0);
  assert_int_equal(m->sensor_reference_type[5], LIMPET_OBJECT_BODY);
  assert_int_equal(m->sensor_object[6], LIMPET_NONE);

  // volumes of the sites
  assert_int_equal(m->site_kind[0], LIMPET_SHAPE_BOX);
  assert_int_equal(m->site_kind[1], LIMPET_SHAPE_CAPSULE);
  CLOSE(m->site_size, .3, .3, 1, .1, .2, .005);
  limpet_model_destroy(m);
}

static void magnetic_field_is_read(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(MODEL("<option magnetic='1 2 3'/>" ROBOT));
  CLOSE(m->options.magnetic_field, 1, 2, 3);
  limpet_model_destroy(m);
}

static void contact_sensors_are_read(void **state) {
  (void)state;
  limpet_model *m =
      mjcf_load(SENSORS("<contact/><contact geom1='g' subtree2='b' num='3' reduce='maxforce' "
                        "data='found force dist'/>"
                        "<contact site='w' body2='a' reduce='netforce' data='torque tangent'/>"));
  assert_int_equal(m->note_count, 0);
  assert_int_equal(m->nsensor, 1 + 3 * 5 + 6);
  assert_int_equal(m->sensor_object[0], LIMPET_NONE);
  assert_int_equal(m->sensor_contact[0].fields, LIMPET_CONTACT_FOUND);
  assert_int_equal(m->sensor_contact[1].fields,
                   LIMPET_CONTACT_FOUND | LIMPET_CONTACT_FORCE | LIMPET_CONTACT_DISTANCE);
  assert_int_equal(m->sensor_contact[1].reduction, LIMPET_CONTACT_STRONGEST);
  assert_true(!m->sensor_contact[1].object_subtree && m->sensor_contact[1].reference_subtree);
  assert_int_equal(m->sensor_object_type[2], LIMPET_OBJECT_SITE);
  assert_int_equal(m->sensor_reference[2], mjcf_index(m, LIMPET_OBJECT_BODY, "a"));
  assert_int_equal(m->sensor_contact[2].reduction, LIMPET_CONTACT_NET);
  limpet_model_destroy(m);
}

static void copies_have_sensors_of_their_own(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(MODEL(
      "<worldbody><replicate count='2' offset='1 0 0'><body><joint name='j'/>" GEOM
      "</body></replicate></worldbody><sensor><clock/><jointpos name='p' joint='j'/></sensor>"));
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_SENSOR), "- p0 p1");
  assert_int_equal(m->sensor_object[2], mjcf_index(m, LIMPET_OBJECT_JOINT, "j1"));
  limpet_model_destroy(m);
}

// The optics of cameras in pixels: from the field of view, from the size of the image sensor.
static void cameras_are_read(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      MODEL("<worldbody><frame pos='1 2 3'><camera name='a' fovy='90' resolution='8 4'/></frame>"
            "<camera name='b' projection='orthographic' fovy='2' resolution='8 4'/>"
            "<camera name='c' resolution='8 4' sensorsize='.02 .01' focal='.03 .04' "
            "principalpixel='1 0'/></worldbody><sensor><rangefinder camera='a' data='dist point'/>"
            "</sensor>"));
  assert_int_equal(m->camera_count, 3);
  assert_int_equal(m->nsensor, 8 * 4 * 4);
  CLOSE(m->camera_position, 1, 2, 3, 0, 0, 0);
  CLOSE(m->camera_focal, 2, 2, 4, 2, 12, 16);
  CLOSE(m->camera_centre, 4, 2, 4, 2, 5, 2);
  assert_true(!m->camera_orthographic[0] && m->camera_orthographic[1]);
  limpet_model_destroy(m);
  REFUSED(MODEL("<worldbody><camera fovy='180'/></worldbody>"),
          "robot.xml:2:20: 'fovy' is 180; give more than 0 and less than 180 degrees");
  REFUSED(MODEL("<worldbody><camera resolution='0 1'/></worldbody>"),
          "robot.xml:2:20: 'resolution' is 0 x 1 pixels; give 1 to 16384 of each");
}

static void mistakes_are_told(void **state) {
  (void)state;
  REFUSED(SENSORS("<jointpos/>"), "robot.xml:3:9: <jointpos> needs the attribute 'joint'");
  REFUSED(SENSORS("<gyro site='u'/>"), "robot.xml:3:15: there is no site 'u'; did you mean 't'?");
  REFUSED(SENSORS("<gyro joint='h'/>"), "robot.xml:3:15: <gyro> has no attribute 'joint'");
  REFUSED(SENSORS("<framepos objtype='body' objname='nix'/>"),
          "robot.xml:3:34: there is no body 'nix'");
  REFUSED(SENSORS("<framepos objtype='joint' objname='h'/>"),
          "robot.xml:3:19: attribute 'objtype' of <framepos> cannot be 'joint'; it takes one of: "
          "body, xbody, geom, site, camera");
  REFUSED(SENSORS("<framepos objtype='body'/>"),
          "robot.xml:3:19: <framepos> has 'objtype' without 'objname'; give both");
  REFUSED(SENSORS("<framepos objtype='body' objname='b' refname='t'/>"),
          "robot.xml:3:46: <framepos> has 'refname' without 'reftype'; give both");
  REFUSED(SENSORS("<distance geom1='g' body1='b' geom2='k'/>"),
          "robot.xml:3:29: <distance> needs one of 'geom1' and 'body1'");
  REFUSED(SENSORS("<distance geom1='g'/>"),
          "robot.xml:3:9: <distance> needs one of 'geom2' and 'body2'");
  REFUSED(SENSORS("<jointpos joint='o'/>"),
          "robot.xml:3:9: sensor 0: a jointpos needs a joint with one coordinate, not a ball one");
  REFUSED(SENSORS("<jointlimitpos name='l' joint='s'/>"),
          "robot.xml:3:9: sensor 'l': a jointlimitpos needs a joint with limits");
  REFUSED(SENSORS("<gyro site='t' cutoff='-1'/>"),
          "robot.xml:3:9: sensor 0: cutoff -1, noise 0; give 0 or more");
  REFUSED(SENSORS("<contact data='force found'/>"),
          "robot.xml:3:18: 'data' of <contact> takes, each once and in this order: found force "
          "torque dist pos normal tangent "
          "linvel angvel");
  REFUSED(SENSORS("<contact num='0'/>"), "robot.xml:3:18: 'num' of <contact> is 0; give 1 or more");
  REFUSED(SENSORS("<contact geom1='g' body1='b'/>"),
          "robot.xml:3:28: <contact> has both 'geom1' and 'body1'; keep one");
  REFUSED(SENSORS("<contact subtree2='x'/>"),
          "robot.xml:3:18: there is no body 'x'; did you mean 'a'?");
  REFUSED(SENSORS("<rangefinder site='t' data='dist foo'/>"),
          "robot.xml:3:31: 'data' of <rangefinder> takes, each once and in this order: dist dir "
          "origin point normal depth");
  REFUSED(SENSORS("<user dim='-1'/>"), "robot.xml:3:15: 'dim' of <user> is -1; give 0 to 100000");
  REFUSED(SENSORS("<clock name='x'/><clock name='x'/>"),
          "robot.xml:3:33: the name 'x' is used twice for a sensor; the first is at robot.xml:3:9");
  REFUSED(
      MODEL("<worldbody><site type='sphere' fromto='0 0 0 1 0 0'/></worldbody>"),
      "robot.xml:2:32: 'fromto' of a <site> needs the type capsule, cylinder, box or ellipsoid");
  REFUSED(MODEL("<worldbody><site name='s' size='0'/></worldbody>"),
          "robot.xml:2:12: site 's': number 1 of its size is 0 m; give a positive one");
}

// sensors that are not simulated: zeros, each kind with a note of its own, and the others where
// they are
static void what_is_not_simulated_keeps_its_place(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      SENSORS("<jointpos joint='h'/><user dim='3'/><framepos objtype='camera' objname='d'/>"
              "<rangefinder camera='d' data='dist normal'/>"
              "<insidesite site='w' objtype='body' objname='b' enclosed='true'/><user "
              "dim='1'/><jointvel joint='h'/>"));
  static const int address[] = {0, 1, 4, 7, 11, 12, 13};
  static const char *const notes[] = {"<user>: user sensors",
                                      "<framepos> measures something that is left out",
                                      "<insidesite> asks"};
  assert_int_equal(m->sensor_count, 7);
  assert_int_equal(m->nsensor, 14);
  for (int i = 0; i < 7; ++i) assert_int_equal(m->sensor_address[i], address[i]);
  assert_int_equal(m->note_count, 3);
  for (int i = 0; i < 3; ++i) {
    assert_true(m->note[i].unsupported && m->note[i].place.line == 3);
    if (strstr(m->note[i].text, notes[i]) != m->note[i].text)
      fail_msg("note %d: %s", i, m->note[i].text);
  }
  limpet_data *data = limpet_data_create(m);
  data->q[0] = 0.5, data->v[0] = 0.25;
  limpet_sensors_evaluate(m, data);
  for (int i = 0; i < 14; ++i)
    assert_true(data->sensor[i] == (i == 0 ? 0.5 : i == 13 ? 0.25 : 0.0));
  limpet_data_destroy(data);
  limpet_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sensors_are_read),
      cmocka_unit_test(magnetic_field_is_read),
      cmocka_unit_test(contact_sensors_are_read),
      cmocka_unit_test(copies_have_sensors_of_their_own),
      cmocka_unit_test(cameras_are_read),
      cmocka_unit_test(mistakes_are_told),
      cmocka_unit_test(what_is_not_simulated_keeps_its_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
