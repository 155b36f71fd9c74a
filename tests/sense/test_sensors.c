/* tests/sense/test_sensors.c: sensors against what they must be: velocities are the rates of
 * positions, accelerations those of velocities, forces those of momentum; a step reports its start;
 * what rests weighs what it weighs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "math/quaternion.h"
#include "mjcf_text.h"

enum { STATES = 20 };

static unsigned long seed = 3;

static double uniform(double low, double high) {
  seed = seed * 6364136223846793005ul + 1442695040888963407ul;
  return low + (high - low) * (double)(seed >> 11 & 0x1fffffffffffff) / 9007199254740992.0;
}

static limpet_model *every_kind(void) {
  limpet_error error;
  limpet_model *model = limpet_load(LIMPET_SOURCE_DIR "/tests/sense/every_kind.xml", NULL, &error);
  if (!model) printf("%s\n", error.message);
  assert_non_null(model);
  return model;
}

// away from the reference pose by half a radian, moving
static void random_state(const limpet_model *model, limpet_data *data) {
  limpet_data_reset(model, data);
  double *step = calloc((size_t)model->nv, sizeof *step);
  for (int i = 0; i < model->nv; ++i) step[i] = uniform(-0.5, 0.5), data->v[i] = uniform(-1.0, 1.0);
  limpet_integrate_position(model, data->q, data->q, step, 1.0, false);
  for (int i = 0; i < model->nu; ++i) data->control[i] = uniform(-1.0, 1.0);
  free(step);
}

// the first sensor of a kind that measures `object` (NULL: any) in the frame `reference` (NULL:
// none)
static const double *reading(const limpet_model *model, const limpet_data *data, const char *kind,
                             const char *object, const char *reference) {
  for (int i = 0; i < model->sensor_count; ++i) {
    if (strcmp(limpet_sensor_kind_descriptor(model->sensor_kind[i])->name, kind) != 0) continue;
    const char *name =
        model->sensor_object[i] == LIMPET_NONE
            ? NULL
            : limpet_model_name(model, model->sensor_object_type[i], model->sensor_object[i]);
    const char *other =
        model->sensor_reference[i] == LIMPET_NONE
            ? NULL
            : limpet_model_name(model, model->sensor_reference_type[i], model->sensor_reference[i]);
    if (object && (!name || strcmp(name, object) != 0)) continue;
    if ((reference == NULL) != (other == NULL) || (reference && strcmp(reference, other) != 0))
      continue;
    return data->sensor + model->sensor_address[i];
  }
  fail_msg("there is no %s of %s", kind, object ? object : "the world");
  return NULL;
}

static bool close_to(const char *what, const double *a, const double *b, int count,
                     double tolerance) {
  for (int i = 0; i < count; ++i) {
    if (fabs(a[i] - b[i]) <= tolerance) continue;
    printf("%s: number %d is %.12g, expected %.12g\n", what, i, a[i], b[i]);
    return false;
  }
  return true;
}

// -------------------------------------------------------------------------------------- rates

static const char rates_text[] = MODEL(
    "<compiler angle='radian'/><worldbody><body name='a' pos='0 0 1'><freejoint/><geom type='box' "
    "size='.1 .2 .3'/>"
    "<site name='s' pos='.1 .2 .3' euler='.3 .2 .1'/>"
    "<body name='b' pos='.2 0 .3'><joint name='h' axis='1 2 0' pos='.05 0 0' range='-.01 "
    ".01'/><joint name='p' type='slide' "
    "axis='0 1 1'/><geom type='capsule' size='.05 .2' pos='.1 0 .1'/>"
    "<body name='c' pos='0 .3 .1'><joint name='w' type='ball' range='0 .01'/><geom name='g' "
    "type='ellipsoid' size='.1 .05 .2' "
    "pos='0 "
    ".1 0' euler='1 0 .3'/><site name='t' pos='.1 .05 0' euler='0 1 .4'/></body></body></body>"
    "<body name='d' pos='1 0 0'><joint axis='0 1 0'/><geom size='.1' pos='.2 .1 0'/><site name='r' "
    "pos='.2 0 .1' euler='.2 .5 "
    "0'/></body></worldbody>"
    "<tendon><fixed name='f' range='-.01 .01'><joint joint='h' coef='2'/><joint joint='p' "
    "coef='-1'/></fixed></tendon>"
    "<actuator><motor name='m' joint='p' gear='3'/></actuator>"
    "<sensor><framepos objtype='site' objname='t'/><framelinvel objtype='site' objname='t'/>"
    "<framepos objtype='geom' objname='g' reftype='site' refname='r'/><framelinvel objtype='geom' "
    "objname='g' reftype='site' "
    "refname='r'/>"
    "<framequat objtype='site' objname='t'/><frameangvel objtype='site' objname='t'/>"
    "<framequat objtype='site' objname='t' reftype='site' refname='r'/><frameangvel objtype='site' "
    "objname='t' reftype='site' "
    "refname='r'/>"
    "<subtreecom body='b'/><subtreelinvel body='b'/><subtreeangmom body='b'/><tendonpos "
    "tendon='f'/><tendonvel tendon='f'/>"
    "<actuatorpos actuator='m'/><actuatorvel actuator='m'/><jointpos joint='h'/><jointvel "
    "joint='h'/>"
    "<jointlimitpos joint='h'/><jointlimitvel joint='h'/><jointlimitpos joint='w'/><jointlimitvel "
    "joint='w'/>"
    "<tendonlimitpos tendon='f'/><tendonlimitvel tendon='f'/><framelinacc objtype='site' "
    "objname='t'/>"
    "<frameangacc objtype='site' objname='t'/><accelerometer site='t'/><velocimeter "
    "site='t'/><gyro site='t'/>"
    "<force site='t'/><torque site='t'/><framepos objtype='body' objname='b'/><framepos "
    "objtype='body' objname='c'/></sensor>");

// sensor values at the state moved by time h with constant acceleration vdot
static void moved(const limpet_model *model, limpet_data *data, const double *q, const double *v,
                  const double *vdot, double h, double *sensor) {
  double *mean = calloc((size_t)model->nv, sizeof *mean);
  for (int i = 0; i < model->nv; ++i)
    mean[i] = v[i] + 0.5 * h * vdot[i], data->v[i] = v[i] + h * vdot[i];
  limpet_integrate_position(model, data->q, q, mean, h, false);
  limpet_sensors_evaluate(model, data);
  memcpy(sensor, data->sensor, (size_t)model->nsensor * sizeof *sensor);
  free(mean);
}

typedef struct rates {
  limpet_model *model;
  limpet_data *data;    // at the state
  limpet_data *before;  // sensors of the states half a step of differences before and after
  limpet_data *after;
} rates;

/* Difference of a sensor over 2 h. Second order: h^2 times third derivatives of order 10..100, and
 * round-off 1e-16/h. */
static const double h = 1e-5;

static void rate_of(const rates *r, const char *kind, const char *object, const char *reference,
                    int count, double *rate) {
  const double *a = reading(r->model, r->before, kind, object, reference),
               *b = reading(r->model, r->after, kind, object, reference);
  for (int i = 0; i < count; ++i) rate[i] = (b[i] - a[i]) / (2.0 * h);
}

static bool is_rate(const rates *r, const char *rate_kind, const char *kind, const char *object,
                    const char *reference, int count) {
  double rate[6];
  rate_of(r, kind, object, reference, count, rate);
  return close_to(rate_kind, reading(r->model, r->data, rate_kind, object, reference), rate, count,
                  1e-6);
}

// the rotation between two readings of framequat, over time, in the axes in which the frame is
// measured
static bool is_angular_rate(const rates *r, const char *object, const char *reference) {
  double back[4], turn[4], local[3], rate[3];
  const double *a = reading(r->model, r->before, "framequat", object, reference);
  limpet_quaternion_conjugate(back, a);
  limpet_quaternion_mul(turn, back, reading(r->model, r->after, "framequat", object, reference));
  limpet_quaternion_log(local, turn);
  limpet_quaternion_rotate(rate, reading(r->model, r->data, "framequat", object, reference), local);
  limpet_vec3_scale(rate, 1.0 / (2.0 * h), rate);
  return close_to("frameangvel", reading(r->model, r->data, "frameangvel", object, reference), rate,
                  3, 1e-6);
}

static bool positions_and_velocities(const rates *r) {
  return is_rate(r, "framelinvel", "framepos", "t", NULL, 3) &&
         is_rate(r, "framelinvel", "framepos", "g", "r", 3) && is_angular_rate(r, "t", NULL) &&
         is_angular_rate(r, "t", "r") && is_rate(r, "subtreelinvel", "subtreecom", "b", NULL, 3) &&
         is_rate(r, "tendonvel", "tendonpos", "f", NULL, 1) &&
         is_rate(r, "actuatorvel", "actuatorpos", "m", NULL, 1) &&
         is_rate(r, "jointvel", "jointpos", "h", NULL, 1) &&
         is_rate(r, "jointlimitvel", "jointlimitpos", "h", NULL, 1) &&
         is_rate(r, "jointlimitvel", "jointlimitpos", "w", NULL, 1) &&
         is_rate(r, "tendonlimitvel", "tendonlimitpos", "f", NULL, 1);
}

static bool velocities_and_accelerations(const rates *r) {
  double rate[3], local[3];
  const double *q = reading(r->model, r->data, "framequat", "t", NULL);
  double back[4];
  limpet_quaternion_conjugate(back, q);

  // of a frame; less gravity
  rate_of(r, "framelinvel", "t", NULL, 3, rate);
  rate[2] += 9.81;
  bool good =
      close_to("framelinacc", reading(r->model, r->data, "framelinacc", "t", NULL), rate, 3, 1e-5);
  limpet_quaternion_rotate(local, back, rate);
  good &= close_to("accelerometer", reading(r->model, r->data, "accelerometer", "t", NULL), local,
                   3, 1e-5);
  rate_of(r, "frameangvel", "t", NULL, 3, rate);
  good &=
      close_to("frameangacc", reading(r->model, r->data, "frameangacc", "t", NULL), rate, 3, 1e-5);

  // the same velocities in axes of the site
  limpet_quaternion_rotate(local, back, reading(r->model, r->data, "framelinvel", "t", NULL));
  good &= close_to("velocimeter", reading(r->model, r->data, "velocimeter", "t", NULL), local, 3,
                   1e-13);
  limpet_quaternion_rotate(local, back, reading(r->model, r->data, "frameangvel", "t", NULL));
  return good & close_to("gyro", reading(r->model, r->data, "gyro", "t", NULL), local, 3, 1e-13);
}

// force and torque on body c, the last one, from the rates of its momentum and its weight
static bool forces_and_momentum(const rates *r) {
  const int body = limpet_model_find(r->model, LIMPET_OBJECT_BODY, "c");
  double before[6], after[6], force[3], moment[3], local[3], back[4], lever[3], turn[3];
  const double *site = reading(r->model, r->data, "framepos", "t", NULL),
               mass = r->model->body_mass[body];
  limpet_momentum(r->model, r->before, body, site,
                  before);  // about the point where the site is now
  limpet_momentum(r->model, r->after, body, site, after);
  for (int i = 0; i < 3; ++i)
    moment[i] = (after[i] - before[i]) / (2.0 * h),
    force[i] = (after[3 + i] - before[3 + i]) / (2.0 * h);

  // the weight acts at the centre of mass
  const double weight[3] = {0.0, 0.0, -9.81 * mass};
  limpet_vec3_sub(lever, r->data->body_com + 3 * body, site);
  limpet_vec3_cross(turn, lever, weight);
  limpet_vec3_sub(force, force, weight);
  limpet_vec3_sub(moment, moment, turn);
  limpet_quaternion_conjugate(back, reading(r->model, r->data, "framequat", "t", NULL));
  limpet_quaternion_rotate(local, back, force);
  bool good = close_to("force", reading(r->model, r->data, "force", "t", NULL), local, 3, 1e-5);
  limpet_quaternion_rotate(local, back, moment);
  return good & close_to("torque", reading(r->model, r->data, "torque", "t", NULL), local, 3, 1e-5);
}

static void later_stages_are_rates_of_earlier_ones(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(rates_text);
  rates r = {model, limpet_data_create(model), limpet_data_create(model),
             limpet_data_create(model)};
  double *sensor = calloc((size_t)model->nsensor, sizeof *sensor);
  for (int i = 0; i < STATES; ++i) {
    random_state(model, r.data);
    memcpy(r.before->control, r.data->control, (size_t)model->nu * sizeof(double));
    memcpy(r.after->control, r.data->control, (size_t)model->nu * sizeof(double));
    limpet_sensors_evaluate(model, r.data);
    moved(model, r.before, r.data->q, r.data->v, r.data->acceleration, -h, sensor);
    moved(model, r.after, r.data->q, r.data->v, r.data->acceleration, h, sensor);
    assert_true(positions_and_velocities(&r));
    assert_true(velocities_and_accelerations(&r));
    assert_true(forces_and_momentum(&r));
  }
  free(sensor);
  limpet_data_destroy(r.data), limpet_data_destroy(r.before), limpet_data_destroy(r.after);
  limpet_model_destroy(model);
}

// --------------------------------------------------------------------------------------- steps

/* A free body with a hinge, no damping and no contact: a plain step accelerates it exactly as
 * forward dynamics says, so after the step the sensors are those of its start. */
static void a_step_reports_its_start(void **state) {
  (void)state;
  limpet_model *model =
      mjcf_load(MODEL("<worldbody><body pos='0 0 1'><freejoint/><geom type='box' size='.1 .2 "
                      ".3'/><site name='s' pos='.1 .2 0'/><body "
                      "pos='.3 0 0'><joint name='h' axis='0 1 0'/><geom size='.1' pos='.2 0 "
                      "0'/><site name='t'/></body></body></worldbody>"
                      "<actuator><motor name='m' joint='h'/></actuator>"
                      "<sensor><clock/><framepos objtype='site' objname='s'/><gyro "
                      "site='s'/><accelerometer site='s'/><force site='t'/>"
                      "<torque site='t'/><e_kinetic/><actuatorfrc actuator='m'/><jointactuatorfrc "
                      "joint='h'/><subtreeangmom "
                      "body='world'/></sensor>"));
  limpet_data *data = limpet_data_create(model), *start = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.compatibility.plain_flight = true;
  for (int energy = 0; energy < 2; ++energy) {
    settings.energy = energy;  // which moves the poses of data to the end of the step
    random_state(model, data);
    for (int i = 0; i < 5; ++i) {
      memcpy(start->q, data->q, (size_t)model->nq * sizeof(double));
      memcpy(start->v, data->v, (size_t)model->nv * sizeof(double));
      start->control[0] = data->control[0];
      start->time = data->time;
      limpet_sensors_evaluate(model, start);
      assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
      // (v1 - v0)/dt loses the digits of v0 over dt; the solve stops at 1e-6 of the momentum, but
      // nothing acts in it
      assert_true(close_to("after a step", data->sensor, start->sensor, model->nsensor, 1e-9));
    }
  }
  limpet_data_destroy(data), limpet_data_destroy(start);
  limpet_model_destroy(model);
}

static const char resting_text[] = MODEL(
    "<compiler angle='radian'/><worldbody><geom name='floor' type='plane' size='0 0 1'/>"
    "<body name='scale' pos='0 0 .1'><geom type='box' size='.3 .3 .1' mass='3'/><site name='scale' "
    "pos='0 0 -.1'/></body>"
    "<body name='box' pos='0 0 .25'><freejoint/><geom type='box' size='.1 .1 .05' mass='2'/>"
    "<site name='sole' type='box' size='.2 .2 .02' pos='0 0 -.05'/><site name='heel' type='box' "
    "size='.05 .2 .02' pos='-.1 0 "
    "-.05'/>"
    "<site name='lid' type='box' size='.2 .2 .01' pos='0 0 .05'/></body>"
    "<body name='arm' pos='2 0 1'><joint name='arm' axis='0 1 0' range='-.1 0.2'/><geom "
    "type='capsule' fromto='0 0 0 .5 0 0' "
    "size='.02' mass='1'/></body></worldbody>"
    "<sensor><touch name='sole' site='sole'/><touch name='heel' site='heel'/><touch name='lid' "
    "site='lid'/>"
    "<accelerometer name='acceleration' site='lid'/><force name='scale' site='scale'/><force "
    "name='box' site='lid'/>"
    "<jointlimitfrc name='stop' joint='arm'/><jointlimitpos name='gap' joint='arm'/><touch "
    "name='cut' site='sole' "
    "cutoff='5'/></sensor>");

static const double *named(const limpet_model *model, const limpet_data *data, const char *name) {
  return data->sensor + model->sensor_address[mjcf_index(model, LIMPET_OBJECT_SENSOR, name)];
}

// at rest every sensor reads weights; tolerances: what is left of the motion after two seconds
static void what_rests_weighs_what_it_weighs(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(resting_text);
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  while (data->time < 2.0)
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
  const double weight = 2.0 * 9.81, up[3] = {0.0, 0.0, 9.81}, nothing[3] = {0.0, 0.0, 0.0};
  const double scale[3] = {0.0, 0.0, weight + 3.0 * 9.81}, torque = 0.25 * 9.81 * cos(0.2);
  assert_true(close_to("sole", named(model, data, "sole"), &weight, 1, 1e-3));
  const double heel = 0.5 * weight;
  assert_true(
      close_to("heel", named(model, data, "heel"), &heel, 1, 1e-2));  // two of the four corners
  assert_true(close_to("lid", named(model, data, "lid"), nothing, 1, 0.0));
  assert_true(close_to("acceleration", named(model, data, "acceleration"), up, 3, 1e-3));
  assert_true(close_to("scale", named(model, data, "scale"), scale, 3, 1e-2));
  assert_true(close_to("box", named(model, data, "box"), nothing, 3,
                       1e-2));  // nobody holds it but the contacts
  assert_true(close_to("stop", named(model, data, "stop"), &torque, 1, 1e-2));
  assert_true(named(model, data, "gap")[0] <= 0.0 && named(model, data, "gap")[0] > -1e-4);
  assert_true(named(model, data, "cut")[0] == 5.0);

  // without a step no contact is known: the box falls
  limpet_sensors_evaluate(model, data);
  assert_true(close_to("sole in evaluation", named(model, data, "sole"), nothing, 1, 0.0));
  assert_true(
      close_to("acceleration in evaluation", named(model, data, "acceleration"), nothing, 3, 1e-9));
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

/* A box that a force drags sideways without moving it, resting on four corners; a lid rests on
 * it. */
static const char contact_text[] = MODEL(
    "<worldbody><geom name='floor' type='plane' size='0 0 1'/><site name='zone' type='box' "
    "size='.1 1 .1' pos='.1 0 0'/>"
    "<body name='box' pos='0 0 .1'><freejoint/><geom name='box' type='box' size='.1 .2 .1' "
    "mass='2'/><body name='knob'><geom "
    "name='knob' size='.01' pos='0 0 .05' mass='.5'/></body></body>"
    "<body name='hover' pos='2 0 .0501' gravcomp='1'><freejoint/><geom name='hover' "
    "size='.05'/></body>"
    "<body name='lid' pos='0 0 .25'><freejoint/><geom name='lid' size='.05' "
    "mass='1'/></body></worldbody><sensor>"
    "<contact name='count' subtree1='box'/><contact name='both' body1='lid' body2='box' "
    "data='found normal'/>"
    "<contact name='turned' body1='box' body2='lid' data='found normal'/>"
    "<contact name='net' geom1='box' geom2='floor' reduce='netforce' data='found force torque dist "
    "pos normal tangent' "
    "num='2'/>"
    "<contact name='net turned' geom1='floor' geom2='box' reduce='netforce' data='force'/>"
    "<contact name='strong' geom2='floor' reduce='maxforce' num='5' data='found force'/>"
    "<contact name='deep' geom1='box' geom2='floor' reduce='mindist' num='4' data='dist'/>"
    "<contact name='all' num='4' geom1='floor' data='force pos normal tangent'/>"
    "<contact name='all turned' num='4' geom2='floor' data='force pos normal tangent'/>"
    "<contact name='zone' site='zone' num='3' data='found pos'/><contact name='none' geom1='knob' "
    "num='2' data='found pos'/>"
    "<contact name='near' geom1='hover'/></sensor>");

// force of a slot (force, pos, normal, tangent) in world axes
static void world_force(const double *slot, double force[3]) {
  double third[3];
  limpet_vec3_cross(third, slot + 6, slot + 9);
  for (int i = 0; i < 3; ++i)
    force[i] = slot[0] * slot[6 + i] + slot[1] * slot[9 + i] + slot[2] * third[i];
}

static void contacts_are_told(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(contact_text);
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  while (data->time < 1.0) limpet_step(model, data, &settings);
  double *wrench = data->applied_wrench + 6 * mjcf_index(model, LIMPET_OBJECT_BODY, "box");
  wrench[3] = 4.0;  // from which the corners ahead bear more
  wrench[2] = 0.3;
  while (data->time < 2.0)
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);

  // what is near without pressing is in the list of contacts, but does not count
  int near = 0;
  for (int c = 0; c < data->contact_count; ++c)
    near += data->contact_geom[2 * c + 1] == mjcf_index(model, LIMPET_OBJECT_GEOM, "hover");
  assert_int_equal(near, 1);
  assert_true(named(model, data, "near")[0] == 0.0);

  // how many: four corners and the lid; sides decide the normal
  const double weight = 3.5 * 9.81;
  assert_true(named(model, data, "count")[0] == 5.0);
  assert_true(close_to("both", named(model, data, "both"), (double[]){1, 0, 0, -1}, 4, 1e-6));
  assert_true(close_to("turned", named(model, data, "turned"), (double[]){1, 0, 0, 1}, 4, 1e-6));
  assert_true(close_to("none", named(model, data, "none"), (double[8]){0}, 8, 0.0));

  // the resultant on the floor, where it acts, and nothing in the second slot
  const double *net = named(model, data, "net"),
               lever = 4.0 * 0.1 / weight;  // moment of the pull about the floor over the weight
  assert_true(close_to("net force", net, (double[]){4, 4, 0, -weight}, 4, 1e-2));
  assert_true(close_to("net position", net + 8, (double[]){lever, 0, 0}, 3, 1e-3));
  assert_true(close_to("net frame", net + 11, (double[]){1, 0, 0, 0, 1, 0}, 6, 0.0) &&
              net[7] == 0.0);
  const double twist = net[6] - net[9] * 4.0;  // what turns the box, less the pull off its middle
  assert_true(close_to("net torque", &twist, (double[]){0.3}, 1, 1e-2));
  assert_true(close_to("second slot", net + 17, (double[17]){0}, 17, 0.0));
  assert_true(
      close_to("net turned", named(model, data, "net turned"), (double[]){-4, 0, weight}, 3, 1e-2));

  // strongest and deepest first
  const double *strong = named(model, data, "strong"), *deep = named(model, data, "deep");
  for (int i = 0; i < 3; ++i)
    assert_true(limpet_vec3_norm(strong + 4 * i + 1) >= limpet_vec3_norm(strong + 4 * i + 5) &&
                deep[i] <= deep[i + 1]);
  assert_true(strong[1] > strong[13] + 0.1 && strong[0] == 4.0 && strong[16] == 0.0);

  // turned slots tell the same contacts, with opposite forces, which add up
  const double *all = named(model, data, "all"), *turned = named(model, data, "all turned");
  double sum[3] = {0};
  for (int i = 0; i < 4; ++i) {
    double on_box[3], on_floor[3];
    world_force(all + 12 * i, on_box);
    world_force(turned + 12 * i, on_floor);
    limpet_vec3_add(sum, sum, on_box);
    for (int k = 0; k < 3; ++k) assert_true(fabs(on_box[k] + on_floor[k]) < 1e-12);
    assert_true(close_to("position", all + 12 * i + 3, turned + 12 * i + 3, 3, 0.0));
    assert_true(all[12 * i + 8] > 0.999 && turned[12 * i + 8] < -0.999 && all[12 * i] > 0.0);
  }
  assert_true(close_to("sum", sum, (double[]){-4, 0, weight}, 3, 1e-2));

  // a site sees the corners in it
  const double *zone = named(model, data, "zone");
  assert_true(zone[0] == 2.0 && zone[4] == 2.0 && zone[8] == 0.0 && fabs(zone[1] - 0.1) < 1e-3 &&
              fabs(zone[5] - 0.1) < 1e-3);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

/* A load that a connect, a weld or a distance holds is carried by what it is fastened to, and not
 * by what it would hang on without. */
#define LOADED(loop)                                                                             \
  MODEL(                                                                                         \
      "<worldbody><body name='hook' pos='0 0 1'><geom size='.1' mass='1'/><site "                \
      "name='hook'/></body>"                                                                     \
      "<body name='load' pos='0 0 .7'><joint type='slide' axis='0 0 1'/><joint type='slide' "    \
      "axis='1 0 0'/><joint axis='0 1 "                                                          \
      "0'/><geom size='.1' mass='2' pos='.2 0 0'/><site name='load'/><site name='eye' pos='0 0 " \
      ".3'/></body></worldbody>"                                                                 \
      "<equality>" loop                                                                          \
      "</equality><sensor><force name='hook' site='hook'/><torque name='moment' site='hook'/>"   \
      "<force name='load' site='load'/><torque name='none' site='load'/></sensor>")

/* Two bodies of 1 kg, 1 m apart, one of which slides across: 1 N s has 0.5 m of lever about their
 * common centre of mass, 1 m about that of the first. */
static void angular_momentum_is_about_the_common_centre(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(
      MODEL("<worldbody><body name='a'><freejoint/><geom size='.1' mass='1'/>"
            "<body pos='1 0 0'><joint type='slide' axis='0 1 0'/><geom size='.1' mass='1'/></body>"
            "</body></worldbody><sensor><subtreeangmom body='a'/></sensor>"));
  limpet_data *data = limpet_data_create(model);
  data->v[6] = 1.0;
  limpet_sensors_evaluate(model, data);
  CLOSE(data->sensor, 0.0, 0.0, 0.5);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// A range narrower than its margin: both limits are near, and the sensor adds what they carry.
static void a_limit_sensor_adds_both_limits(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(
      MODEL("<worldbody><body><joint name='j' type='slide' axis='0 0 1' range='-1e-4 1e-4' "
            "limited='true' margin='.01'/><geom size='.1' mass='2'/></body></worldbody>"
            "<sensor><jointlimitfrc joint='j'/></sensor>"));
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  for (int i = 0; i < 500; ++i) limpet_step(model, data, &settings);
  assert_int_equal(data->constraint_count, 2);
  assert_true(data->constraint_force[0] > 19.0 && data->constraint_force[1] > 0.0);
  assert_true(data->sensor[0] == data->constraint_force[0] + data->constraint_force[1]);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

static void loops_carry_what_hangs_on_them(void **state) {
  (void)state;
  static const char *const texts[] = {
      LOADED("<connect body1='hook' body2='load' anchor='0 0 0'/>"),
      LOADED("<connect body1='load' body2='hook' anchor='0 0 .3'/>"),
      LOADED("<weld body1='hook' body2='load'/>"), LOADED("<weld body1='load' body2='hook'/>")};
  for (int i = 0; i < 4; ++i) {
    limpet_model *model = mjcf_load(texts[i]);
    for (int d = 0; d < model->nv; ++d)
      model->dof_damping[d] = 3.0;  // so that the pendulum comes to rest
    limpet_data *data = limpet_data_create(model);
    const limpet_step_settings settings = limpet_step_settings_default(model);
    while (data->time < 20.0)
      assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
    // connected, the load hangs below the hook; welded, it stays 0.2 m to the side
    const double weight[3] = {0.0, 0.0, 3.0 * 9.81},
                 moment[3] = {0.0, i < 2 ? 0.0 : -0.2 * 2.0 * 9.81, 0.0}, nothing[3] = {0};
    assert_true(close_to("hook", named(model, data, "hook"), weight, 3, 1e-3));
    assert_true(close_to("moment", named(model, data, "moment"), moment, 3, 1e-2));
    assert_true(close_to("load", named(model, data, "load"), nothing, 3, 1e-3));
    assert_true(close_to("none", named(model, data, "none"), nothing, 3, 1e-2));
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

/* A quarter turn about z: the axes of `turned` are (y, -x, z) of the world. All numbers follow by
 * hand; vertices of meshes are kept in single precision. */
static void closed_forms(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(MODEL(
      "<compiler angle='degree'/><option magnetic='1 2 3'/><asset><mesh name='m' vertex='0 0 0 1 0 "
      "0 0 1 0 0 0 1'/></asset>"
      "<worldbody><geom name='floor' type='plane' size='0 0 1'/><geom name='wall' type='box' "
      "size='.1 5 5' pos='3 0 0'/>"
      "<geom name='glass' type='box' size='.1 5 5' pos='2.5 0 2' rgba='1 1 1 0' contype='0' "
      "conaffinity='0'/>"
      "<geom name='drawn' type='mesh' mesh='m' contype='0' conaffinity='0' pos='5 0 2'/><body "
      "name='turned' pos='1 0 2' "
      "euler='0 0 90'><freejoint/><geom name='ball' size='.2' mass='2'/>"
      "<site name='up'/><site name='down' euler='180 0 0'/><site name='wallward' euler='90 0 0'/>"
      "<site name='skyward' pos='0 0 1'/><site name='volume' type='box' size='.5 .1 .1'/></body>"
      "<body name='long' pos='0 -2 1'><joint name='l' type='slide' axis='1 0 0' range='-.2 1' "
      "margin='.5'/><geom name='rod' "
      "type='box' size='.1 .3 .2' "
      "mass='3' euler='0 0 30'/><site name='near' pos='0 1.6 1'/></body>"
      "<body name='crane' pos='0 9 0'><inertial pos='0 0 0' mass='1' diaginertia='1 2 3' quat='0 1 "
      "0 0'/><site name='foot' "
      "pos='0 0 -1'/><body pos='0 2 3'><inertial pos='1 0 0' mass='2' diaginertia='1 1 "
      "1'/></body></body></worldbody>"
      "<tendon><fixed name='t'><joint joint='l' coef='4'/></fixed></tendon>"
      "<actuator><motor name='a' tendon='t' gear='.5'/><motor name='b' tendon='t' gear='2'/><motor "
      "joint='l' "
      "gear='10'/></actuator>"
      "<sensor><magnetometer name='field' site='up'/><rangefinder name='down' "
      "site='down'/><rangefinder name='wall' "
      "site='wallward'/><rangefinder name='sky' site='skyward'/><rangefinder name='cut' "
      "site='down' cutoff='1.5'/><rangefinder name='cut sky' site='skyward' cutoff='.7'/>"
      "<insidesite name='in' objtype='geom' objname='ball' site='volume'/><insidesite name='out' "
      "objtype='body' objname='long' "
      "site='volume'/>"
      "<distance name='d' geom1='ball' geom2='wall' cutoff='5'/><distance name='visual' "
      "body1='turned' geom2='drawn' "
      "cutoff='5'/><distance name='far' geom1='ball' geom2='rod' cutoff='.5'/>"
      "<distance name='df' body1='turned' geom2='floor' cutoff='5'/><normal name='n' geom1='ball' "
      "geom2='wall' cutoff='5'/>"
      "<fromto name='ft' geom1='wall' geom2='ball' cutoff='5'/><fromto name='none' geom1='wall' "
      "geom2='ball' cutoff='1'/>"
      "<e_potential name='V'/><e_kinetic name='T'/><clock name='clock'/><tendonactuatorfrc "
      "name='pull' tendon='t'/>"
      "<jointactuatorfrc name='push' joint='l'/><actuatorfrc name='third' actuator='l'/>"
      "<force name='held' site='foot'/><torque name='bent' site='foot'/><jointvel name='slow' "
      "joint='l' cutoff='.5'/>"
      "<jointlimitpos name='gap' joint='l'/><subtreeangmom name='spin' body='turned'/><framequat "
      "name='box axes' "
      "objtype='body' "
      "objname='long'/><framequat name='given axes' objtype='body' objname='crane'/><framexaxis "
      "name='x' objtype='site' "
      "objname='up'/><frameyaxis name='y' objtype='geom' objname='ball' reftype='site' "
      "refname='up'/><framezaxis name='z' objtype='body' objname='long'/><framepos name='com' "
      "objtype='body' objname='turned'/>"
      "<framepos name='relative' objtype='xbody' objname='long' reftype='body' "
      "refname='turned'/></sensor>"));
  limpet_data *data = limpet_data_create(model);
  data->time = 1.25;
  data->v[0] = 3.0, data->v[5] = 2.0, data->v[6] = -1.0;
  data->control[0] = 1.0, data->control[1] = 2.0, data->control[2] = 0.25;
  limpet_sensors_evaluate(model, data);
  const struct {
    const char *name;
    int count;
    double value[6];
  } expected[] = {{"field", 3, {2.0, -1.0, 3.0}},
                  {"down", 1, {2.0}},
                  {"wall", 1, {1.9}},
                  {"sky", 1, {-1.0}},
                  {"cut", 1, {1.5}},
                  {"cut sky", 1, {-0.7}},
                  {"in", 1, {1.0}},
                  {"out", 1, {0.0}},
                  {"d", 1, {1.7}},
                  {"visual", 1, {3.8}},
                  {"far", 1, {0.5}},
                  {"df", 1, {1.8}},
                  {"n", 3, {1.0, 0.0, 0.0}},
                  {"ft", 6, {2.9, 0.0, 2.0, 1.2, 0.0, 2.0}},
                  {"none", 6, {0.0}},
                  {"V", 1, {9.81 * (2.0 * 2.0 + 3.0 * 1.0 + 2.0 * 3.0)}},
                  {"T", 1, {0.5 * 2.0 * 9.0 + 0.5 * 3.0 + 0.5 * 0.032 * 4.0}},
                  {"clock", 1, {1.25}},
                  {"pull", 1, {3.0}},
                  {"push", 1, {4.0 * (0.5 + 2.0 * 2.0) + 2.5}},
                  {"third", 1, {0.25}},
                  {"held", 3, {0.0, 0.0, 9.81 * 3.0}},
                  {"bent", 3, {2.0 * 2.0 * 9.81, -2.0 * 9.81, 0.0}},
                  {"slow", 1, {-0.5}},
                  {"gap", 1, {0.2 - 0.5}},
                  {"spin", 3, {0.0, 0.0, 0.4 * 2.0 * 0.04 * 2.0}},
                  {"box axes", 4, {cos(LIMPET_PI / 12.0), 0.0, 0.0, sin(LIMPET_PI / 12.0)}},
                  {"given axes", 4, {0.0, 1.0, 0.0, 0.0}},
                  {"x", 3, {0.0, 1.0, 0.0}},
                  {"y", 3, {0.0, 1.0, 0.0}},
                  {"z", 3, {0.0, 0.0, 1.0}},
                  {"com", 3, {1.0, 0.0, 2.0}},
                  {"relative", 3, {-2.0, 1.0, -1.0}}};
  assert_int_equal(model->sensor_count, sizeof expected / sizeof *expected);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i)
    assert_true(close_to(expected[i].name, named(model, data, expected[i].name), expected[i].value,
                         expected[i].count,
                         strcmp(expected[i].name, "visual") == 0 ? 1e-7 : 1e-12));
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// every stepping scheme reads the sensors of its start
static void every_scheme_senses(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(resting_text);
  for (int i = 0; limpet_schemes()[i]; ++i) {
    limpet_data *data = limpet_data_create(model);
    limpet_step_settings settings = limpet_step_settings_default(model);
    limpet_step_settings_scheme(&settings, limpet_schemes()[i]);
    data->q[model->joint_q[mjcf_index(model, LIMPET_OBJECT_JOINT, "arm")]] =
        0.25;  // beyond its limit by 0.05 rad
    limpet_step(model, data, &settings);
    const char *name = limpet_scheme_descriptor(settings.scheme)->name;
    if (!(fabs(named(model, data, "gap")[0] + 0.05) < 1e-12))
      fail_msg("scheme %s does not read sensors", name);
    limpet_data_destroy(data);
  }
  limpet_model_destroy(model);
}

// sensors change nothing of the motion, not even its hash
static void sensors_do_not_disturb(void **state) {
  (void)state;
  char without[sizeof resting_text];
  strcpy(without, resting_text);
  char *from = strstr(without, "<sensor>"),
       *to = strstr(without, "</sensor>") + strlen("</sensor>");
  memmove(from, to, strlen(to) + 1);
  limpet_model *model[2] = {mjcf_load(resting_text), mjcf_load(without)};
  uint64_t hash[2];
  assert_true(model[0]->hash == model[1]->hash);
  assert_int_equal(model[1]->nsensor, 0);
  for (int i = 0; i < 2; ++i) {
    limpet_data *data = limpet_data_create(model[i]);
    const limpet_step_settings settings = limpet_step_settings_default(model[i]);
    for (int k = 0; k < 100; ++k) limpet_step(model[i], data, &settings);
    hash[i] = limpet_data_state_hash(model[i], data);
    limpet_data_destroy(data);
    limpet_model_destroy(model[i]);
  }
  assert_true(hash[0] == hash[1]);
}

// --------------------------------------------------------------------------- table and builder

static void the_table_is_sound(void **state) {
  (void)state;
  int count = 0;
  for (; limpet_sensor_kinds()[count]; ++count) {
    const limpet_sensor_kind *kind = limpet_sensor_kinds()[count];
    const limpet_descriptor *descriptor = limpet_sensor_kind_descriptor(kind);
    assert_ptr_equal(limpet_sensor_kind_find(descriptor->name), kind);
    assert_non_null(descriptor->text);
    assert_non_null(limpet_sensor_kind_unit(kind));
    const bool varies =
        strcmp(descriptor->name, "zeros") == 0 || strcmp(descriptor->name, "contact") == 0 ||
        strcmp(descriptor->name, "taxels") == 0 || strcmp(descriptor->name, "tactile") == 0;
    assert_true((limpet_sensor_kind_size(kind) > 0) != varies);
  }
  assert_true(count > 40);
  assert_null(limpet_sensor_kind_find("nose"));

  // every_kind.xml keeps its promise
  limpet_model *model = every_kind();
  for (int k = 0; k < count; ++k) {
    const char *name = limpet_sensor_kind_descriptor(limpet_sensor_kinds()[k])->name;
    // MuJoCo, which reads the file too, has no taxels: test_taxels.c; skins: test_tactile.c
    bool found =
        strcmp(name, "zeros") == 0 || strcmp(name, "taxels") == 0 || strcmp(name, "tactile") == 0;
    for (int i = 0; i < model->sensor_count; ++i)
      found |= model->sensor_kind[i] == limpet_sensor_kinds()[k];
    if (!found) fail_msg("tests/sense/every_kind.xml has no %s", name);
  }
  limpet_model_destroy(model);
}

static void refuse(const char *kind, limpet_object type, limpet_object reference_type,
                   int reference, double cutoff, const char *message) {
  limpet_builder *builder = limpet_builder_create();
  limpet_body_description body = limpet_body_description_default();
  limpet_joint_description joint = limpet_joint_description_default();
  limpet_geom_description geom = limpet_geom_description_default();
  limpet_site_description site = limpet_site_description_default();
  joint.body = geom.body = site.body = limpet_builder_add_body(builder, &body);
  geom.size[0] = 0.1;
  limpet_builder_add_joint(builder, &joint);
  limpet_builder_add_geom(builder, &geom);
  limpet_builder_add_site(builder, &site);
  limpet_sensor_description sensor = limpet_sensor_description_default();
  sensor.name = "nose";
  sensor.kind = kind ? limpet_sensor_kind_find(kind) : NULL;
  sensor.object_type = type, sensor.object = type == LIMPET_OBJECT_TENDON ? 3 : 0;
  sensor.reference_type = reference_type, sensor.reference = reference, sensor.cutoff = cutoff;
  limpet_builder_add_sensor(builder, &sensor);
  limpet_error error = {0};
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (model || strcmp(error.message, message) != 0)
    fail_msg("expected: %s\nbut: %s", message, model ? "accepted" : error.message);
  limpet_builder_destroy(builder);
}

static void wrong_descriptions_are_refused(void **state) {
  (void)state;
  const limpet_object site = LIMPET_OBJECT_SITE, joint = LIMPET_OBJECT_JOINT,
                      geom = LIMPET_OBJECT_GEOM;
  refuse(NULL, site, site, -1, 0,
         "sensor 'nose' has no kind; use one that limpet_sensor_kind_find gives");
  refuse("gyro", geom, site, -1, 0, "sensor 'nose': the object of a gyro must be a site");
  refuse("gyro", site, site, 0, 0, "sensor 'nose': a gyro has no reference; leave it out");
  refuse("tendonpos", LIMPET_OBJECT_TENDON, site, -1, 0,
         "sensor 'nose': its object is tendon number 3, but there are 0; use a handle that the "
         "builder gave");
  refuse("insidesite", geom, site, -1, 0,
         "sensor 'nose' (insidesite) has no reference; name a site");
  refuse("ballquat", joint, site, -1, 0,
         "sensor 'nose': a ballquat needs a ball joint, not a revolute one");
  refuse("jointlimitfrc", joint, site, -1, 0,
         "sensor 'nose': a jointlimitfrc needs a joint with limits");
  refuse("jointpos", joint, site, -1, -1.0, "sensor 'nose': cutoff -1, noise 0; give 0 or more");
  refuse("jointpos", joint, site, -1, NAN,
         "sensor 'nose': its cutoff is not a number (NaN); give a finite number");
  refuse("framequat", site, site, -1, 1.0,
         "sensor 'nose': a framequat is a direction, which cannot be cut off; leave cutoff out");
  refuse("distance", geom, geom, 0, 1.0,
         "sensor 'nose' measures between a thing and itself; name two different ones");
}

static void contact_sensors_need_slots_and_fields(void **state) {
  (void)state;
  static const limpet_contact_sensor wrong[] = {
      {.fields = 1}, {.slots = 1}, {.fields = 512, .slots = 1}};
  static const char *const messages[] = {"sensor 0: 0 slots, fields 1,",
                                         "sensor 0: 1 slots, fields 0,",
                                         "sensor 0: 1 slots, fields 512,"};
  for (int i = 0; i < 3; ++i) {
    limpet_builder *builder = limpet_builder_create();
    limpet_sensor_description sensor = limpet_sensor_description_default();
    sensor.kind = limpet_sensor_kind_find("contact");
    sensor.contact = wrong[i];
    limpet_builder_add_sensor(builder, &sensor);
    limpet_error error = {0};
    assert_null(limpet_builder_compile(builder, &error));
    assert_ptr_equal(strstr(error.message, messages[i]), error.message);
    limpet_builder_destroy(builder);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_table_is_sound),
      cmocka_unit_test(wrong_descriptions_are_refused),
      cmocka_unit_test(contact_sensors_need_slots_and_fields),
      cmocka_unit_test(later_stages_are_rates_of_earlier_ones),
      cmocka_unit_test(a_step_reports_its_start),
      cmocka_unit_test(what_rests_weighs_what_it_weighs),
      cmocka_unit_test(contacts_are_told),
      cmocka_unit_test(angular_momentum_is_about_the_common_centre),
      cmocka_unit_test(a_limit_sensor_adds_both_limits),
      cmocka_unit_test(loops_carry_what_hangs_on_them),
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(every_scheme_senses),
      cmocka_unit_test(sensors_do_not_disturb),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
