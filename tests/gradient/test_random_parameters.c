/* tests/gradient/test_random_parameters.c: derivatives of a step by every number of random worlds
 * against differences of steps of models with another number.
 *
 * A world is a floor or a heavy body that floats, loose bodies of all shapes that rest, slide, land
 * or fly, and often an arm with a servo, springs, damping, dry friction and limits that reaches
 * among them. Masses go over six decades, friction from 0.01 to 1.5, steps from 0.05 to 5 ms; half
 * of the surfaces are compliant, some rebound, resist turning or move. All compliant models take
 * part. Of each world some numbers are drawn from all that have a name.
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

enum { WORLDS = TEST_WATCHED ? 10 : 60 };
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
                       const char *object) {
  for (int f = 0; f < table->count; ++f) {
    const limpet_field *field = &table->fields[f];
    const int count = (int)limpet_field_count(field, NULL, 0);
    if (field->type != LIMPET_FIELD_DOUBLE) continue;
    for (int k = 0; k < count && list->count < MOST_NAMES; ++k) {
      char *to = list->name[list->count++];
      const int used = snprintf(to, LONGEST, "%s:%s.%s", kind, object, field->name);
      if (count > 1) snprintf(to + used, LONGEST - (size_t)used, "[%d]", k);
    }
  }
}

static void list_names(name_list *list, const limpet_model *model) {
  static const struct {
    limpet_object object;
    const char *kind;
  } kinds[] = {{LIMPET_OBJECT_GEOM, "geom"},
               {LIMPET_OBJECT_BODY, "body"},
               {LIMPET_OBJECT_JOINT, "joint"},
               {LIMPET_OBJECT_ACTUATOR, "actuator"}};
  const int counts[] = {model->geom_count, model->body_count, model->joint_count, model->nu};
  static const char *const general[] = {"time_step", "gravity[0]", "gravity[1]", "gravity[2]"};
  list->count = 0;
  for (int k = 0; k < 4; ++k)
    for (int repeat = 0; repeat < 4; ++repeat)
      snprintf(list->name[list->count++], LONGEST, "%s", general[k]);
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < counts[k]; ++i) {
      const char *name = limpet_model_name(model, kinds[k].object, i);
      if (!name || !*name || strcmp(name, "world") == 0) continue;
      add_fields(list, limpet_parameter_fields(kinds[k].object), kinds[k].kind, name);
      if (k == 0) add_fields(list, limpet_material_fields(), kinds[k].kind, name);
    }
}

// -------------------------------------------------------------------------------- differences

typedef struct world {
  limpet_builder *builder;
  limpet_model *model;
  limpet_step_settings settings;
  double *state, control[8];
  int nv;
} world;

// q (nq), v (nv) after a step of the world with that value.
static void stepped(const world *w, const char *name, double value, double *q, double *v) {
  limpet_model *model = varied(w->builder, name, value);
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = w->settings;
  if (strcmp(name, "time_step") == 0) settings.time_step = value;
  limpet_data_state_write(model, data, w->state);
  memcpy(data->control, w->control, (size_t)model->nu * sizeof(double));
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
    bool one_sided = strcmp(name, "time_step") != 0 && strncmp(name, "gravity", 7) != 0 &&
                     limpet_parameter_find(w->builder, name, &target, &error) == LIMPET_OK &&
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

static void check_world(counts *c, bool tell) {
  static writer text;
  static name_list names;
  char about[200];
  const unsigned long own_seed = seed;
  world w = {0};
  write_world(&text);
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

static void columns_agree_or_are_flagged(void **unused) {
  (void)unused;
  const char *asked = getenv("LIMPET_GRADIENT_STATES"), *drawn = getenv("LIMPET_GRADIENT_SEED");
  const int worlds = asked ? atoi(asked) : WORLDS;
  if (drawn) seed = strtoul(drawn, NULL, 10);
  counts c = {0};
  for (int i = 0; i < worlds; ++i) check_world(&c, worlds == 1);
  printf(
      "%d worlds (%d without derivatives), %d columns (%d refused, %d flagged, %d without effect), "
      "%d undecided, %d missed 1e-6, worst %.2g; %d within 1e-8, %d decidedly not\n",
      c.worlds, c.unsolved, c.columns, c.refused, c.flagged, c.without, c.undecided, c.missed,
      c.worst, c.within, c.off);
  assert_int_equal(c.missed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(columns_agree_or_are_flagged)};
  return cmocka_run_group_tests_name("random_parameters", tests, NULL, NULL);
}
