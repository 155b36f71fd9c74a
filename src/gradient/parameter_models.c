/* gradient/parameter_models.c: what the names of parameters stand for, and the models and worlds
 * around their values that derivatives are taken from (parameters.h). */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gradient/parameters.h"
#include "limpet/parameter.h"

static const double relative_width = 1e-4, least_width = 1e-5;  // E: see the header
static const double widest_length = 5e-6;     // [m]  E of lengths: contact points bend with them
static const double widest_scale = 5e-6;      // [-]  E of scales: of shapes of a metre
static const double activation_width = 1e-4;  // [-]  E of activations
static const double wrench_share = 1e-2;  // [m/s^2, m^2/s^2]  E of wrenches over the mass of all
static const double end_share = 0.4;      // [-]  of the way to the end of a range, E at most

static const limpet_stencil central = {{-2.0, -1.0, 1.0, 2.0},
                                       {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0},
                                       0.0,
                                       {-0.5, 2.0, 2.0, -0.5}};
static const limpet_stencil forward = {{1.0, 2.0, 3.0, 4.0},
                                       {48.0 / 12.0, -36.0 / 12.0, 16.0 / 12.0, -3.0 / 12.0},
                                       -25.0 / 12.0,
                                       {0.0}};

// What a name stands for.
typedef struct subject {
  limpet_parameter_target target;  // of the builder
  const limpet_field *option;      // of the model as a whole; NULL: none
  int index;                       // of the option
  bool time_step;
  int actuator, body, number;     // an activation or a number of the wrench of that; LIMPET_NONE
  double value, minimum, widest;  // widest: of E
} subject;

// Options that move the world: "gravity[2]", "density", ... Whether the name is of one.
static bool find_option(const char *name, subject *s) {
  static const char *const options[] = {"gravity", "density", "viscosity", "wind"};
  const size_t length = strcspn(name, "[");
  for (size_t i = 0; i < sizeof options / sizeof options[0]; ++i) {
    if (strlen(options[i]) != length || strncmp(options[i], name, length) != 0) continue;
    const limpet_field *field = limpet_field_find(limpet_options_fields(), options[i]);
    const int count = (int)limpet_field_count(field, NULL, 0);
    char *end = (char *)name + length;
    s->index = *end ? (int)strtol(end + 1, &end, 10) : 0;
    if (count > 1 ? strcmp(end, "]") != 0 : *end != '\0') return false;
    if (s->index < 0 || s->index >= count) return false;
    s->option = field;
    return true;
  }
  return false;
}

static bool find_input(limpet_builder *builder, const limpet_parameter_name *name,
                       limpet_object object, const char *field, int *handle) {
  if ((name->object != LIMPET_OBJECT_COUNT && name->object != object) ||
      strcmp(name->field, field) != 0)
    return false;
  *handle = limpet_builder_find(builder, object, name->pattern);
  return *handle != LIMPET_NONE;
}

/* Inputs that data has: "NAME.activation[k]" of an actuator, "NAME.wrench[k]" on a body. Whether
 * the name is of one. */
static bool find_state(limpet_builder *builder, const char *text, subject *s) {
  limpet_parameter_name name;
  limpet_error error;
  int count = 6;
  if (limpet_parameter_read(text, &name, &error) != LIMPET_OK) return false;
  if (find_input(builder, &name, LIMPET_OBJECT_ACTUATOR, "activation", &s->actuator))
    count = limpet_actuator_activation_count(limpet_builder_actuator(builder, s->actuator));
  else if (!find_input(builder, &name, LIMPET_OBJECT_BODY, "wrench", &s->body)) return false;
  s->number = name.index == LIMPET_NONE && count == 1 ? 0 : name.index;
  if (s->number >= 0 && s->number < count) return true;
  s->actuator = s->body = LIMPET_NONE;
  return false;
}

static limpet_status find_subject(limpet_builder *builder, const char *name, subject *s,
                                  limpet_error *error) {
  *s = (subject){
      .actuator = LIMPET_NONE, .body = LIMPET_NONE, .minimum = -INFINITY, .widest = INFINITY};
  const limpet_options *options = limpet_builder_options(builder);
  if (strcmp(name, "time_step") == 0) {
    s->time_step = true;
    s->value = options->time_step;
    s->minimum = 0.0;
    return LIMPET_OK;
  }
  if (find_option(name, s)) {
    s->value = limpet_field_number(s->option, options, s->index);
    if (!isnan(s->option->minimum)) s->minimum = s->option->minimum;
    return LIMPET_OK;
  }
  if (find_state(builder, name, s)) return LIMPET_OK;
  const limpet_status status = limpet_parameter_find(builder, name, &s->target, error);
  if (status != LIMPET_OK) return status;
  s->minimum = s->target.field->minimum;
  const char *unit = limpet_parameter_unit(builder, &s->target);
  if (unit && strcmp(unit, "m") == 0) s->widest = widest_length;
  if (strcmp(s->target.field->name, "scale") == 0) s->widest = widest_scale;
  return limpet_parameter_value(builder, &s->target, &s->value, error);
}

static limpet_model *compile(limpet_builder *builder, const subject *s, double value,
                             limpet_error *error) {
  if (s->target.field) return limpet_parameter_compile(builder, &s->target, value, error);
  limpet_options *options = limpet_builder_options(builder);
  if (s->option) limpet_field_assign(s->option, options, s->index, value);
  limpet_model *model = limpet_builder_compile(builder, error);
  if (s->option) limpet_field_assign(s->option, options, s->index, s->value);
  return model;
}

static double width_of(double value, double minimum, double widest) {
  const double own = fmin(relative_width * fabs(value), widest), least = fmin(least_width, widest);
  if (!(minimum > -INFINITY)) return fmax(own, least);
  const double room = value - minimum;
  return room > 0.0 ? fmin(value != 0.0 ? own : least, end_share * room) : least;
}

static void space(limpet_varied *one, double value, double minimum, double widest) {
  one->stencil = value > minimum ? &central : &forward;
  one->width = width_of(value, minimum, widest);
  one->value = value;
}

// The models around number `index`, which is spaced. LIMPET_OK, or the error.
static limpet_status vary_one(limpet_varied *one, int index, limpet_vary *vary, void *context,
                              limpet_error *error) {
  for (int k = 0; k < LIMPET_STENCIL; ++k) {
    one->model[k] = vary(context, index, one->value + one->stencil->place[k] * one->width, error);
    if (!one->model[k]) return LIMPET_ERROR_INPUT;
    one->world[k] = limpet_data_create(one->model[k]);
    if (!one->world[k])
      return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for parameter %d", index);
  }
  return LIMPET_OK;
}

// Room for the derivatives. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status take_columns(limpet_gradient_parameters *p) {
  const limpet_model *model = p->count > 0 ? p->workspace->one[0].model[0] : NULL;
  const size_t count = (size_t)p->count, nv = model ? (size_t)model->nv : 0,
               vertices = model ? 3 * (size_t)model->vertex_count : 0;
  p->dq = calloc(nv * count + 1, sizeof *p->dq);
  p->dv = calloc(nv * count + 1, sizeof *p->dv);
  if (!p->dq || !p->dv) return LIMPET_ERROR_MEMORY;
  if (vertices == 0) return LIMPET_OK;
  p->vertex_position = calloc(vertices * count, sizeof *p->vertex_position);
  p->vertex_velocity = calloc(vertices * count, sizeof *p->vertex_velocity);
  return p->vertex_position && p->vertex_velocity ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

limpet_gradient_parameters *limpet_gradient_parameters_vary(int count, const double *value,
                                                            const double *minimum,
                                                            const double *widest, limpet_vary *vary,
                                                            void *context, limpet_error *error) {
  limpet_gradient_parameters *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->workspace = calloc(1, sizeof *p->workspace);
  p->count = count;
  p->value = calloc((size_t)count + 1, sizeof *p->value);
  p->kink = calloc((size_t)count + 1, sizeof *p->kink);
  p->adjoint = calloc((size_t)count + 1, sizeof *p->adjoint);
  if (p->workspace) p->workspace->one = calloc((size_t)count + 1, sizeof *p->workspace->one);
  bool done = p->workspace && p->workspace->one && p->value && p->kink && p->adjoint;
  if (!done) limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for parameters");
  for (int i = 0; i < count && done; ++i) {
    p->value[i] = value[i];
    space(&p->workspace->one[i], value[i], minimum[i], widest ? widest[i] : INFINITY);
    done = vary_one(&p->workspace->one[i], i, vary, context, error) == LIMPET_OK;
  }
  if (done && take_columns(p) == LIMPET_OK) return p;
  if (done) limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for parameters");
  limpet_gradient_parameters_destroy(p);
  return NULL;
}

// The number of data that a subject is, and its E: forces by the weight that they might carry.
static void take_input(limpet_builder *builder, const subject *s, limpet_varied *one) {
  const limpet_model *model = one->model[0];
  if (s->actuator != LIMPET_NONE) {
    const char *name = limpet_builder_actuator(builder, s->actuator)->name;
    one->array = offsetof(limpet_data, activation);
    one->index =
        model->actuator_act[limpet_model_find(model, LIMPET_OBJECT_ACTUATOR, name)] + s->number;
    one->width = activation_width;
  } else if (s->body != LIMPET_NONE) {
    const char *name = limpet_builder_body(builder, s->body)->name;
    double mass = 0.0;
    for (int b = 0; b < model->body_count; ++b) mass += model->body_mass[b];
    one->array = offsetof(limpet_data, applied_wrench);
    one->index = 6 * limpet_model_find(model, LIMPET_OBJECT_BODY, name) + s->number;
    one->width = wrench_share * (mass > 0.0 ? mass : 1.0);
  }
}

typedef struct named {
  limpet_builder *builder;
  subject *subject;  // (count)
} named;

static limpet_model *compile_named(void *context, int index, double value, limpet_error *error) {
  const named *all = context;
  return compile(all->builder, &all->subject[index], value, error);
}

limpet_gradient_parameters *limpet_gradient_parameters_create(limpet_builder *builder,
                                                              const char *const *names, int count,
                                                              limpet_error *error) {
  assert(builder && count >= 0 && (count == 0 || names));
  const size_t room = (size_t)count + 1;
  double *value = calloc(3 * room, sizeof *value), *minimum = value ? value + room : NULL,
         *widest = value ? minimum + room : NULL;
  named all = {builder, calloc(room, sizeof *all.subject)};
  bool found = value && all.subject;
  if (!found) limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for parameters");
  int seen = 0;
  for (; seen < count && found; ++seen) {
    found = find_subject(builder, names[seen], &all.subject[seen], error) == LIMPET_OK;
    value[seen] = all.subject[seen].value, minimum[seen] = all.subject[seen].minimum;
    widest[seen] = all.subject[seen].widest;
  }
  limpet_gradient_parameters *p =
      found ? limpet_gradient_parameters_vary(count, value, minimum, widest, compile_named, &all,
                                              error)
            : NULL;
  for (int i = 0; p && i < count; ++i) {
    p->workspace->one[i].time_step = all.subject[i].time_step;
    take_input(builder, &all.subject[i], &p->workspace->one[i]);
  }
  for (int i = 0; i < seen; ++i) limpet_parameter_free(&all.subject[i].target);
  free(all.subject), free(value);
  return p;
}

void limpet_gradient_parameters_destroy(limpet_gradient_parameters *p) {
  if (!p) return;
  for (int i = 0; p->workspace && p->workspace->one && i < p->count; ++i)
    for (int k = 0; k < LIMPET_STENCIL; ++k) {
      limpet_data_destroy(p->workspace->one[i].world[k]);
      limpet_model_destroy(p->workspace->one[i].model[k]);
    }
  if (p->workspace) free(p->workspace->one);
  free(p->workspace);
  free(p->value), free(p->kink), free(p->adjoint), free(p->dq), free(p->dv);
  free(p->vertex_position), free(p->vertex_velocity);
  free(p);
}
