/* tests/gradient/test_random_parameters.c: derivatives of a step by every number of random worlds
 * against differences of steps of models with another number.
 *
 * A world is a floor or a heavy body that floats, loose bodies of all shapes that rest, slide, land
 * or fly, and often an arm with a servo, springs, damping, dry friction and limits that reaches
 * among them. Masses go over six decades, friction from 0.01 to 1.5, steps from 0.05 to 5 ms; half
 * of the surfaces are compliant, some rebound, resist turning or move. All compliant models take
 * part. Of each world some numbers are drawn from all that have a name.
 *
 * Other worlds are rigs: arms whose joints tendons, loops, couplers, muscles and motors hold, with
 * pairs and authored impedances, in a medium.
 *
 * The best of differences of fourth order of many widths counts (at the end of a range: second
 * order, to one side): 1e-6 of the largest entry of the column, where three neighbours among them
 * agree better. LIMPET_GRADIENT_STATES is the number of worlds, LIMPET_GRADIENT_SEED draws others.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/field.h"
#include "effort.h"
#include "limpet/format.h"
#include "limpet/gradient_parameters.h"
#include "limpet/parameter.h"
#include "model_variants.h"
#include "random_models.h"

enum { WORLDS = TEST_WATCHED ? 10 : 60, RIGS = TEST_WATCHED ? 6 : 30 };
enum { NAMES = 10, TEXT = 16384, LONGEST = 128, MOST_NAMES = 2000, NV = 40, NQ = 48 };
enum { WIDTHS = 17, LAST = 3, MOST_STEPS = 40 };

static const double tolerance = 1e-6, fine = 1e-8;  // [-]  of the largest entry of a column
static const double first_width = 1e-3, ratio = 0.31;
// of the whole number: less has round-off of the differences and of the solution
static const double least_way = 1e-4, least_speed = 1e-2;  // [m, rad], [m/s, rad/s]
static const double least_margin = 1e-8;  // [m/s]  of a contact from where its force ends

static const char *const laws[] = {"coulomb", "coulomb", "lagged", "similar", "sap"};
enum { LAWS = sizeof laws / sizeof laws[0] };

static unsigned long seed = 14;

static double uniform(double low, double high) { return random_uniform(&seed, low, high); }
static double logarithmic(double low, double high) { return random_log(&seed, low, high); }
static bool likely(double share) { return uniform(0.0, 1.0) < share; }

// ------------------------------------------------------------------------------------ worlds

typedef struct writer {
  char text[TEXT];
  int at;
} writer;

static void put(writer *w, const char *format, ...) {
  va_list values;
  va_start(values, format);
  w->at += vsnprintf(w->text + w->at, TEXT - (size_t)w->at, format, values);
  va_end(values);
}

static void write_geom(writer *w, const char *name, double size, double mass) {
  static const char *const shapes[] = {"sphere", "box", "capsule", "cylinder", "ellipsoid"};
  const int shape = (int)uniform(0.0, 4.999);
  put(w, "<geom name='%s' type='%s' size='%g %g %g' ", name, shapes[shape],
      size * uniform(0.7, 1.0), size * uniform(0.4, 1.0), size * uniform(0.4, 1.0));
  if (likely(0.3)) put(w, "density='%g' ", mass / (8.0 * size * size * size));
  else put(w, "mass='%g' ", mass);
  if (likely(0.3)) put(w, "condim='%d' ", likely(0.5) ? 4 : 6);
  if (likely(0.3)) put(w, "pos='%g %g %g' ", uniform(-0.01, 0.01), uniform(-0.01, 0.01), 0.0);
  put(w, "/>");
}

static void write_loose(writer *w, int number, double ground) {
  char name[16];
  const double size = uniform(0.03, 0.08), mass = logarithmic(1e-3, 1e3);
  put(w, "<body name='loose%d' pos='%g %g %g' ", number, uniform(-0.1, 0.1) + 0.25 * number,
      uniform(-0.1, 0.1), ground + size * uniform(0.6, 1.6));
  if (likely(0.6)) put(w, "euler='%g %g %g'", uniform(-90, 90), uniform(-90, 90), uniform(-9, 9));
  put(w, "><freejoint name='free%d'/>", number);
  snprintf(name, sizeof name, "g%d", number);
  write_geom(w, name, size, mass);
  put(w, "</body>");
}

static void write_joint(writer *w, const char *name) {
  put(w, "<joint name='%s' axis='%g 1 %g' damping='%g' armature='%g' ", name, uniform(-0.3, 0.3),
      uniform(-0.3, 0.3), logarithmic(1e-2, 3), logarithmic(1e-4, 1e-1));
  if (likely(0.4)) put(w, "stiffness='%g' springref='%g' ", logarithmic(0.1, 30), uniform(-20, 20));
  if (likely(0.3)) put(w, "frictionloss='%g' ", logarithmic(1e-2, 1));
  if (likely(0.3)) put(w, "limited='true' range='-5 %g' ", uniform(0.5, 20));
  put(w, "/>");
}

static void write_arm(writer *w, double ground) {
  put(w, "<body name='upper' pos='-.35 0 %g'>", ground + 0.3);
  write_joint(w, "shoulder");
  put(w, "<inertial pos='.1 0 -.02' mass='%g' diaginertia='.02 .03 .03'/>", logarithmic(0.1, 10));
  put(w, "<geom name='rod' type='capsule' fromto='0 0 0 .3 0 -.1' size='.02'/>");
  put(w, "<body name='lower' pos='.3 0 -.1'>");
  write_joint(w, "elbow");
  write_geom(w, "link", 0.03, logarithmic(0.1, 10));
  put(w, "<geom name='tip' type='sphere' size='.04' pos='.05 0 %g' mass='.2'/></body></body>",
      -0.2 + uniform(-0.03, 0.05));
}

static void write_world(writer *w) {
  const double plate = likely(0.35) ? logarithmic(1e-1, 1e3) : 0.0;  // [kg]
  const bool arm = likely(0.5);
  w->at = 0;
  put(w,
      "<mujoco><option timestep='%g' gravity='%g 0 -9.81'/><compiler angle='degree'/><worldbody>",
      logarithmic(5e-5, 5e-3), likely(0.3) ? uniform(-3, 3) : 0.0);
  put(w, "<geom name='floor' type='plane' size='5 5 .1' pos='0 0 %g'/>", plate > 0.0 ? -3.0 : 0.0);
  if (plate > 0.0)
    put(w,
        "<body name='plate' pos='0 0 -.1'><freejoint name='plate_free'/><geom name='plate' "
        "type='box' size='1 1 .1' mass='%g'/></body>",
        plate);
  const int loose = 1 + (int)uniform(0.0, 1.999);
  for (int i = 0; i < loose; ++i) write_loose(w, i, 0.0);
  if (arm) write_arm(w, 0.0);
  put(w, "</worldbody>");
  if (arm)
    put(w,
        "<actuator><position name='push' joint='shoulder' kp='%g' kv='%g'/><motor name='turn' "
        "joint='elbow' gear='%g'/></actuator>",
        logarithmic(5, 500), logarithmic(0.5, 20), uniform(0.5, 3));
  put(w, "</mujoco>");
}

static void write_impedance(writer *w, const char *after) {
  put(w, "solref%s='%g %g' solimp%s='%g %g %g' ", after, logarithmic(5e-3, 5e-2), uniform(0.5, 1.5),
      after, uniform(0.5, 0.9), uniform(0.91, 0.98), logarithmic(1e-4, 1e-2));
}

static void write_rig_joint(writer *w, const char *name, const char *kind) {
  put(w, "<joint name='%s' type='%s' axis='%g 1 %g' damping='%g' armature='%g' ref='%g' ", name,
      kind, uniform(-0.3, 0.3), uniform(-0.3, 0.3), logarithmic(1e-2, 3), logarithmic(1e-3, 1e-1),
      strcmp(kind, "slide") == 0 ? uniform(-0.01, 0.01) : uniform(-0.1, 0.1));
  if (likely(0.4)) put(w, "stiffness='%g' ", logarithmic(0.1, 30));
  if (likely(0.3)) put(w, "springdamper='%g %g' ", logarithmic(0.02, 0.5), uniform(0.3, 2.0));
  if (likely(0.3)) {
    put(w, "frictionloss='%g' ", logarithmic(1e-2, 1));
    write_impedance(w, "friction");
  }
  if (likely(0.5)) {
    put(w, "limited='true' range='-0.02 %g' margin='%g' ", uniform(0.1, 0.5), uniform(0.0, 0.02));
    if (likely(0.7)) write_impedance(w, "limit");
  }
  put(w, "/>");
}

static void write_rig_bodies(writer *w) {
  put(w, "<site name='peg' pos='%g .3 .5'/><body name='upper' pos='0 0 .6'>", uniform(-.1, .1));
  write_rig_joint(w, "shoulder", "hinge");
  put(w,
      "<inertial pos='.1 0 -.02' quat='1 .1 .2 0' mass='%g' diaginertia='.02 .03 .04'/>"
      "<geom name='rod' type='capsule' fromto='0 0 0 .3 0 -.1' size='.02'/>"
      "<site name='eye' pos='.1 .05 0'/><body name='lower' pos='.3 0 -.1'>",
      logarithmic(0.1, 10));
  write_rig_joint(w, "elbow", "hinge");
  put(w,
      "<geom name='link' type='capsule' fromto='0 0 0 .05 0 -.2' size='.02' mass='%g'/>"
      "<site name='hook' pos='0 .03 -.15'/><body name='hand' pos='.05 0 -.2'>",
      logarithmic(0.1, 3));
  write_rig_joint(w, "wrist", "slide");
  put(w,
      "<geom name='palm' type='ellipsoid' size='.03 .04 .05' mass='.3' fluidshape='ellipsoid'/>"
      "<geom name='tip' type='sphere' size='.05' pos='0 0 -.1' mass='.2' ");
  if (likely(0.5)) write_impedance(w, "");
  put(w, "/></body></body></body>");
  put(w, "<body name='rod2' pos='0 .6 .3'>");
  write_rig_joint(w, "swing", "hinge");
  put(w,
      "<geom name='bar' type='capsule' fromto='0 0 0 .3 0 .02' size='.02' mass='.5'/>"
      "<site name='knob' pos='.2 0 .02'/></body>"
      "<body name='puck' pos='.35 0 .17' euler='.15 .1 .2'><freejoint name='puck_free'/>"
      "<geom name='puck' type='box' size='.1 .11 .1' mass='%g' fluidshape='ellipsoid'/></body>",
      logarithmic(0.1, 10));
}

static void write_rig_tendons(writer *w) {
  put(w, "<tendon><fixed name='belt' stiffness='%g' damping='%g' armature='%g' springlength='%g' ",
      logarithmic(1, 100), logarithmic(0.01, 1), logarithmic(1e-3, 1e-1), uniform(-0.1, 0.1));
  if (likely(0.5)) put(w, "limited='true' range='-.02 .5' margin='.01' ");
  if (likely(0.5)) put(w, "frictionloss='%g' ", logarithmic(1e-2, 1));
  put(w,
      "><joint joint='shoulder' coef='1'/><joint joint='elbow' coef='%g'/></fixed>"
      "<spatial name='cord' stiffness='%g' damping='%g' springlength='.1 %g'><site site='peg'/>"
      "<site site='eye'/><site site='hook'/></spatial>",
      uniform(-1, 1), logarithmic(1, 300), logarithmic(0.01, 3), uniform(0.2, 0.5));
  if (likely(0.3))
    put(w,
        "<spatial name='band' stiffness='%g' damping='%g' springlength='%g'><site site='hook'/>"
        "<site site='knob'/></spatial>",
        logarithmic(1, 300), logarithmic(0.01, 3), uniform(0.2, 0.8));
  put(w, "</tendon>");
}

static void write_rig_equalities(writer *w) {
  put(w, "<equality>");
  if (likely(0.5)) {
    put(w, "<joint name='mate' joint1='swing' joint2='elbow' polycoef='0 %g .2 0 0' ",
        uniform(0.3, 1.5));
    if (likely(0.5)) write_impedance(w, "");
    put(w, "/>");
  } else {
    put(w, "<%s name='mate' body1='rod2' body2='world' anchor='.3 0 .02' ",
        likely(0.5) ? "connect" : "weld");
    if (likely(0.5)) write_impedance(w, "");
    put(w, "/>");
  }
  put(w, "</equality>");
}

static void write_rig_actuators(writer *w) {
  put(w,
      "<actuator><position name='push' joint='shoulder' kp='%g' dampratio='%g'/>"
      "<muscle name='biceps' tendon='cord' force='%g' lengthrange='.2 .8'/>"
      "<motor name='thrust' site='hook' gear='%g 0 1 0 .1 0'/>"
      "<general name='pull' joint='elbow' gainprm='%g -1 -.1' biastype='affine' "
      "biasprm='%g -2 -.3' forcelimited='true' forcerange='-20 20'/>",
      logarithmic(5, 500), uniform(0.3, 2), logarithmic(1, 50), uniform(0.5, 3), uniform(0.5, 5),
      uniform(-1, 1));
  put(w,
      "<intvelocity name='run' joint='wrist' kp='%g' actrange='-1 1'/><dcmotor name='dc' "
      "joint='swing' motorconst='%g' resistance='%g'/></actuator>",
      logarithmic(5, 500), logarithmic(0.05, 0.5), logarithmic(0.5, 5));
}

static void write_rig(writer *w) {
  w->at = 0;
  put(w, "<mujoco><compiler angle='radian'/><option timestep='%g' ", logarithmic(2e-4, 5e-3));
  if (likely(0.5))
    put(w, "density='%g' viscosity='%g' wind='%g 0 1' ", logarithmic(0.1, 1e3),
        logarithmic(1e-5, 1e-1), uniform(-2, 2));
  put(w, "/><worldbody><geom name='floor' type='plane' size='5 5 .1'/>");
  write_rig_bodies(w);
  put(w, "</worldbody><contact>");
  if (likely(0.5))
    put(w,
        "<pair name='match' geom1='puck' geom2='tip' condim='%d' friction='%g %g .01 .001 .001' "
        "solref='.01 1'/>",
        likely(0.5) ? 3 : 6, uniform(0.1, 1), uniform(0.1, 1));
  put(w, "<exclude body1='rod2' body2='lower'/></contact>");
  write_rig_tendons(w);
  write_rig_equalities(w);
  write_rig_actuators(w);
  put(w, "</mujoco>");
}

static void assign(limpet_builder *builder, const char *geom, const char *field, double value) {
  char name[LONGEST];
  limpet_error error;
  limpet_parameter_target target;
  snprintf(name, sizeof name, "geom:%s.%s", geom, field);
  if (limpet_parameter_find(builder, name, &target, &error) ||
      limpet_parameter_assign(builder, &target, value, &error))
    fail_msg("%s: %s", name, error.message);
  limpet_parameter_free(&target);
}

// Surfaces of all geoms.
static void cover(limpet_builder *builder, const limpet_model *model) {
  for (int g = 0; g < model->geom_count; ++g) {
    const char *name = limpet_model_name(model, LIMPET_OBJECT_GEOM, g);
    assign(builder, name, "friction", logarithmic(0.01, 1.5));
    if (likely(0.5)) assign(builder, name, "stiffness", logarithmic(1e3, 1e7));
    const int handle = limpet_builder_find(builder, LIMPET_OBJECT_GEOM, name);
    if (!limpet_builder_geom(builder, handle)->material.has_impedance)
      assign(builder, name, "dissipation", logarithmic(0.1, 100.0));
    assign(builder, name, "relaxation_time", logarithmic(1e-3, 0.5));
    if (likely(0.2)) assign(builder, name, "restitution", uniform(0.05, 0.9));
    assign(builder, name, "friction_torsional", logarithmic(1e-4, 1e-2));
    assign(builder, name, "friction_rolling", logarithmic(1e-5, 1e-2));
    if (likely(0.15)) assign(builder, name, "friction_static", 1.6);
    if (likely(0.1)) assign(builder, name, "friction_ratio", logarithmic(0.3, 3.0));
    if (likely(0.1)) assign(builder, name, "surface_velocity[0]", uniform(-0.3, 0.3));
    if (likely(0.1)) assign(builder, name, "adhesion", logarithmic(1e-3, 1.0));
  }
}

// -------------------------------------------------------------------------------------- names

typedef struct name_list {
  char name[MOST_NAMES][LONGEST];
  int count;
} name_list;

static void add_fields(name_list *list, const limpet_field_table *table, const char *kind,
                       const char *object, const char *prefix) {
  for (int f = 0; f < table->count; ++f) {
    const limpet_field *field = &table->fields[f];
    const int count = (int)limpet_field_count(field, NULL, 0);
    if (field->type != LIMPET_FIELD_DOUBLE) continue;
    for (int k = 0; k < count && list->count < MOST_NAMES; ++k) {
      char *to = list->name[list->count++];
      const int used = snprintf(to, LONGEST, "%s:%s.%s%s", kind, object, prefix, field->name);
      if (count > 1) snprintf(to + used, LONGEST - (size_t)used, "[%d]", k);
    }
  }
}

static void list_names(name_list *list, const limpet_model *model) {
  static const char *const general[] = {"time_step", "gravity[0]", "gravity[1]", "gravity[2]",
                                        "density",   "viscosity",  "wind[0]"};
  enum { GENERAL = sizeof general / sizeof general[0] };
  list->count = 0;
  for (int k = 0; k < GENERAL; ++k)
    for (int repeat = 0; repeat < (k < 4 ? 4 : 1); ++repeat)
      snprintf(list->name[list->count++], LONGEST, "%s", general[k]);
  for (int a = 0; a < model->nu; ++a)
    for (int repeat = 0; repeat < 10 && model->actuator_act[a] >= 0; ++repeat)
      snprintf(list->name[list->count++], LONGEST, "actuator:%s.activation[0]",
               limpet_model_name(model, LIMPET_OBJECT_ACTUATOR, a));
  for (int b = 1; b < model->body_count; ++b)
    for (int k = 0; k < 6; ++k)
      snprintf(list->name[list->count++], LONGEST, "body:%s.wrench[%d]",
               limpet_model_name(model, LIMPET_OBJECT_BODY, b), k);
  for (int o = 0; o < LIMPET_OBJECT_COUNT; ++o) {
    const limpet_object object = (limpet_object)o;
    const limpet_field_table *own = limpet_parameter_fields(object);
    const char *kind = limpet_object_word(object);
    for (int i = 0; own && i < limpet_model_count(model, object); ++i) {
      const char *name = limpet_model_name(model, object, i);
      if (!name || !*name || strcmp(name, "world") == 0) continue;
      add_fields(list, own, kind, name, "");
      for (const limpet_parameter_part *part = limpet_parameter_parts(); part->fields; ++part)
        if (part->object == object) add_fields(list, part->fields(), kind, name, part->prefix);
    }
  }
}

// -------------------------------------------------------------------------------- differences

typedef struct world {
  limpet_builder *builder;
  limpet_model *model;
  limpet_step_settings settings;
  double *state, control[16];
  int nv;
} world;

// The input that a name means, "actuator:biceps.activation[0]" or "body:hand.wrench[2]".
static double *input_of(const limpet_model *model, limpet_data *data, const char *name) {
  limpet_parameter_name parts;
  limpet_error error;
  assert_int_equal(limpet_parameter_read(name, &parts, &error), LIMPET_OK);
  const int index = limpet_model_find(model, parts.object, parts.pattern);
  return parts.object == LIMPET_OBJECT_ACTUATOR
             ? data->activation + model->actuator_act[index] + parts.index
             : data->applied_wrench + 6 * index + parts.index;
}

static bool is_input(const char *name) {
  return strstr(name, ".activation[") || strstr(name, ".wrench[");
}

// q (nq), v (nv) after a step of the world with that value; of inputs: with that much more.
static void stepped(const world *w, const char *name, double value, double *q, double *v) {
  limpet_model *model = is_input(name) ? compiled(w->builder) : varied(w->builder, name, value);
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = w->settings;
  if (strcmp(name, "time_step") == 0) settings.time_step = value;
  limpet_data_state_write(model, data, w->state);
  memcpy(data->control, w->control, (size_t)model->nu * sizeof(double));
  if (is_input(name)) *input_of(model, data, name) += value;
  limpet_step(model, data, &settings);
  memcpy(q, data->q, (size_t)model->nq * sizeof *q);
  memcpy(v, data->v, (size_t)model->nv * sizeof *v);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// to (dq, dv: 2 nv) += weight times the result at `value`, poses relative to `origin`.
static void add_result(const world *w, const char *name, double value, double weight,
                       const double *origin, double *to) {
  double q[NQ], v[NV], shift[NV];
  stepped(w, name, value, q, v);
  limpet_difference_position(w->model, shift, origin, q);
  for (int i = 0; i < w->nv; ++i) to[i] += weight * shift[i], to[w->nv + i] += weight * v[i];
}

static void difference(const world *w, const char *name, double value, double width, bool one_sided,
                       const double *origin, double *to) {
  static const double place[2][4] = {{-2, -1, 1, 2}, {0, 1, 2, 3}};
  static const double weight[2][4] = {{1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12},
                                      {-11.0 / 6, 3.0, -1.5, 1.0 / 3}};
  for (int i = 0; i < 2 * w->nv; ++i) to[i] = 0.0;
  for (int k = 0; k < 4; ++k)
    add_result(w, name, value + place[one_sided][k] * width, weight[one_sided][k] / width, origin,
               to);
}

static double distance(const double *a, const double *b, int nv, const double scale[2]) {
  double worst = 0.0;
  for (int i = 0; i < 2 * nv; ++i) worst = fmax(worst, fabs(a[i] - b[i]) / scale[i / nv]);
  return worst;
}

static double nearest(const world *w, const char *name, double value, bool one_sided,
                      const double *own, const double scale[2], double *settled) {
  double all[LAST][2 * NV], origin[NQ], v[NV], best = INFINITY, before = INFINITY;
  double width = first_width * (value != 0.0 ? fabs(value) : 0.1);
  stepped(w, name, value, origin, v);
  *settled = INFINITY;
  for (int k = 0; k < WIDTHS && best > 1e-9; ++k, width *= ratio) {
    double *now = all[k % LAST], *last = all[(k + LAST - 1) % LAST];
    difference(w, name, value, width, one_sided, origin, now);
    best = fmin(best, distance(now, own, w->nv, scale));
    const double apart = k > 0 ? distance(now, last, w->nv, scale) : INFINITY;
    *settled = fmin(*settled, fmax(apart, before));
    before = apart;
  }
  return best;
}

// --------------------------------------------------------------------------------- comparison

typedef struct counts {
  int worlds, unsolved, columns, refused, flagged, undecided, missed, within, off, without;
  double worst;
} counts;

static void compare(const world *w, limpet_gradient *gradient, const char *name, const char *about,
                    counts *c) {
  limpet_error error;
  limpet_gradient_parameters *p = limpet_gradient_parameters_create(w->builder, &name, 1, &error);
  if (!p) return;
  const char *reason = limpet_gradient_by_parameters(gradient, p);
  ++c->columns;
  c->refused += reason != NULL;
  if (!reason && p->kink[0] > 0.0) ++c->flagged;
  if (!reason && p->kink[0] == 0.0) {
    const double value = p->value[0], unit = value != 0.0 ? fabs(value) : 0.1;
    double own[2 * NV], scale[2] = {least_way / unit, least_speed / unit}, settled, most = 0.0;
    limpet_parameter_target target = {0};
    const bool option = is_input(name) || !strchr(name, '.');
    bool one_sided = option
                         ? value == 0.0 && strchr(name, '[') == NULL
                         : limpet_parameter_find(w->builder, name, &target, &error) == LIMPET_OK &&
                               value <= target.field->minimum;
    limpet_parameter_free(&target);
    memcpy(own, p->dq, (size_t)w->nv * sizeof *own);
    memcpy(own + w->nv, p->dv, (size_t)w->nv * sizeof *own);
    for (int i = 0; i < 2 * w->nv; ++i) {
      scale[i / w->nv] = fmax(scale[i / w->nv], fabs(own[i]));
      most = fmax(most, fabs(own[i]));
    }
    const double best = nearest(w, name, value, one_sided, own, scale, &settled);
    c->without += most == 0.0;
    c->within += best <= fine;
    c->off += best > fine && settled <= 0.3 * best;
    if (best <= tolerance) {
      c->worst = fmax(c->worst, best);
    } else if (settled > 0.3 * best) {
      ++c->undecided;
    } else {
      ++c->missed;
      printf("%s %s = %g: %.2g of %.3g, differences settle to %.2g\n", about, name, value, best,
             scale[1], settled);
    }
  }
  limpet_gradient_parameters_destroy(p);
}

static bool is_near_kink(const limpet_gradient *gradient, const limpet_data *data) {
  if (gradient->approximate) return true;
  for (int i = 0; i < data->contact_count; ++i)
    if (gradient->contact_margin[i] < least_margin) return true;
  return false;
}

static void check_world(counts *c, bool rig, bool tell) {
  static writer text;
  static name_list names;
  char about[200];
  const unsigned long own_seed = seed;
  world w = {0};
  if (rig) write_rig(&text);
  else write_world(&text);
  w.builder = builder_of(text.text);
  limpet_model *plain = compiled(w.builder);
  cover(w.builder, plain);
  limpet_model_destroy(plain);
  w.model = compiled(w.builder);
  w.nv = w.model->nv;
  const char *law = laws[(int)uniform(0.0, LAWS - 1e-9)];
  w.settings = limpet_step_settings_default(w.model);
  limpet_step_settings_contact_model(&w.settings, limpet_contact_model_find(law));
  w.settings.tolerance = 1e-13, w.settings.iteration_limit = 300;
  limpet_data *data = limpet_data_create(w.model);
  limpet_gradient *gradient = limpet_gradient_create(w.model);
  random_vector(&seed, data->v, w.nv, logarithmic(1e-3, 2.0));
  random_vector(&seed, w.control, w.model->nu, 0.5);
  memcpy(data->control, w.control, (size_t)w.model->nu * sizeof(double));
  const int steps = (int)uniform(0.0, MOST_STEPS);
  bool failed = false;
  for (int i = 0; i < steps; ++i)
    failed = failed || limpet_outcome_failed(limpet_step(w.model, data, &w.settings));
  w.state = calloc((size_t)limpet_data_state_size(w.model), sizeof *w.state);
  limpet_data_state_read(w.model, data, w.state);
  const limpet_gradient_settings wanted = limpet_gradient_settings_default();
  ++c->worlds;
  if (!failed) limpet_gradient_step(w.model, data, &w.settings, &wanted, gradient);
  snprintf(about, sizeof about, "seed %lu, %s, dt %.2g, %d contacts, %s%d repeats:", own_seed, law,
           w.settings.time_step, data->contact_count, gradient->approximate ? "approximate, " : "",
           data->info.repeats);
  if (tell) printf("%s\n%s\n", text.text, about);
  if (failed || gradient->reason) {
    ++c->unsolved;
  } else if (!is_near_kink(gradient, data)) {
    list_names(&names, w.model);
    for (int k = 0; k < NAMES; ++k)
      compare(&w, gradient, names.name[(int)uniform(0.0, names.count - 1e-9)], about, c);
  }
  free(w.state);
  limpet_gradient_destroy(gradient);
  limpet_data_destroy(data);
  limpet_model_destroy(w.model);
  limpet_builder_destroy(w.builder);
}

static void check_worlds(bool rig, int number) {
  const char *asked = getenv("LIMPET_GRADIENT_STATES"), *drawn = getenv("LIMPET_GRADIENT_SEED");
  const int worlds = asked ? atoi(asked) : number;
  if (drawn) seed = strtoul(drawn, NULL, 10);
  counts c = {0};
  for (int i = 0; i < worlds; ++i) check_world(&c, rig, worlds == 1);
  printf(
      "%d worlds (%d without derivatives), %d columns (%d refused, %d flagged, %d without effect), "
      "%d undecided, %d missed 1e-6, worst %.2g; %d within 1e-8, %d decidedly not\n",
      c.worlds, c.unsolved, c.columns, c.refused, c.flagged, c.without, c.undecided, c.missed,
      c.worst, c.within, c.off);
  assert_int_equal(c.missed, 0);
}

static void columns_agree_or_are_flagged(void **unused) {
  (void)unused;
  check_worlds(false, WORLDS);
}

static void columns_of_rigs_agree_or_are_flagged(void **unused) {
  (void)unused;
  check_worlds(true, RIGS);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(columns_agree_or_are_flagged),
                                     cmocka_unit_test(columns_of_rigs_agree_or_are_flagged)};
  return cmocka_run_group_tests_name("random_parameters", tests, NULL, NULL);
}
