/* gradient/parameters.c: derivatives of a step by numbers of the model: see
 * limpet/gradient_parameters.h.
 *
 *   dv = S d(residual),   dq = T dv     as for every other column (jacobian.c)
 *   q1 = q0 (+) dt v                    along dt besides: v, rotations of first order v/(1 + a^2),
 *                                       a = dt |w|/2
 * Where trees fly, the end of the step is differentiated with the same models: flight.h. */
#include "limpet/gradient_parameters.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gradient/flight.h"
#include "gradient/smoothing.h"
#include "gradient/parameters.h"
#include "gradient/soft_parameters.h"
#include "limpet/gradient_deformable.h"
#include "limpet/parameter.h"
#include "math/dense.h"
#include "math/vec3.h"

static const double relative_width = 1e-4, least_width = 1e-5;  // E: see the header
static const double widest_length = 5e-6;  // [m]  E of lengths: contact points bend with them
static const double widest_scale = 5e-6;   // [-]  E of scales: of shapes of a metre
// [-]  of a coefficient's slope, and of itself at a place, that it bends by: friction_bends
static const double least_bend = 1e-3, least_change = 1e-9;
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

struct limpet_gradient_parameters_workspace {
  limpet_varied *one;  // (count)
};

// ------------------------------------------------------------------------------------- models

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

// --------------------------------------------------------------------------------- derivatives

/* Worlds at the start of the step, whose activation or wrench the stencil changes where that is the
 * parameter. */
static void place_worlds(limpet_gradient_workspace *w, const limpet_varied *one) {
  for (int k = 0; k < LIMPET_STENCIL; ++k) {
    limpet_gradient_start(w->world, one->world[k]);
    limpet_gradient_hold_rules(w->world, one->world[k]);
    if (one->array == 0) continue;
    double *const *array = (double *const *)(const void *)((char *)one->world[k] + one->array);
    (*array)[one->index] += one->stencil->place[k] * one->width;
  }
}

static limpet_step_settings settings_at(const limpet_gradient_workspace *w,
                                        const limpet_varied *one, int k) {
  limpet_step_settings settings = w->settings;
  if (one->time_step) settings.time_step += one->stencil->place[k] * one->width;
  return settings;
}

// A number as it is differentiated.
typedef struct variation {
  double *column;            // (size)  change of the residual per unit
  double *jump;              // (size)  of the slope
  double *rest, *now;        // (size)  work
  double *friction;          // (LIMPET_STENCIL x contacts)  [-]  coefficients at the places
  bool *carried;             // (contacts)
  int rows[LIMPET_STENCIL];  // that act and that the step has not, at the places
  bool lost;                 // no difference tells the slope: change_of
} variation;

// The step's problem with a model at a place of the stencil, or that of the step.
static limpet_probe probe_of(const limpet_gradient_workspace *w, const limpet_model *model,
                             limpet_data *world, const limpet_step_settings *settings,
                             double slack) {
  return (limpet_probe){.model = model,
                        .settings = settings,
                        .residual = &w->residual,
                        .data = world,
                        .slack = slack,
                        .start_position = w->start,
                        .start_rotation = w->start + 3 * w->model->geom_count,
                        .soft = w->soft ? &w->soft->assembled : NULL};
}

// The residual there. friction: receives coefficients of the contacts; NULL: not wanted.
static limpet_residual_outcome residual_at(limpet_gradient_workspace *w, limpet_probe *probe,
                                           variation *v, double *friction, double *values) {
  probe->carried = v->carried;
  probe->friction = friction;
  const limpet_residual_outcome outcome = limpet_probe_evaluate(probe, &w->arena, values);
  v->lost = v->lost || probe->other_parts || probe->joins || probe->switches || probe->lost_row ||
            probe->new_rows_switch;
  // rows of rigid contact have no law of their own
  v->lost = v->lost || (probe->new_rows > 0 && !w->residual.smooth);
  return outcome;
}

/* Whether a coefficient of friction bends within the stencil: static friction falls to that of
 * sliding over slips of micrometres per second. */
static bool friction_bends(const limpet_stencil *stencil, const double *friction, int contacts,
                           int contact) {
  double f[LIMPET_STENCIL], slope[LIMPET_STENCIL - 1];
  for (int k = 0; k < LIMPET_STENCIL; ++k) f[k] = friction[k * contacts + contact];
  for (int k = 0; k + 1 < LIMPET_STENCIL; ++k)
    slope[k] = (f[k + 1] - f[k]) / (stencil->place[k + 1] - stencil->place[k]);
  const double bend = fabs(slope[2] - slope[0]), size = fabs(slope[0]) + fabs(slope[2]);
  return bend > least_bend * size && bend > least_change * fabs(f[0]);
}

// Whether contacts begin to pull that had no force, or no part in the step.
static bool begins_to_pull(const limpet_gradient_workspace *w, const limpet_model *model) {
  const limpet_solved_step *solved = w->residual.solved;
  for (int i = 0; i < solved->records.count; ++i) {
    const limpet_contact_record *record = &solved->records.record[i];
    const limpet_geom_pair *geoms = &solved->records.pair[record->pair].geoms;
    const int geom[2] = {geoms->geom_a, geoms->geom_b}, contact = record->contact;
    if (contact != LIMPET_NONE && solved->solution.gamma[3 * contact + 2] > 0.0) continue;
    for (int side = 0; side < 2; ++side)
      if (model->geom_material[geom[side]].adhesion != w->model->geom_material[geom[side]].adhesion)
        return true;
  }
  return false;
}

// column += weight (now - rest): the weights of a stencil add up to zero, round-off does not.
static void add_change(int size, double weight, const double *now, const double *rest,
                       double *column) {
  for (int i = 0; i < size; ++i) column[i] += weight * (now[i] - rest[i]);
}

static bool contact_is_lost(const limpet_gradient_workspace *w, const limpet_varied *one,
                            const variation *v, int contact) {
  const limpet_contact_problem *problem = &w->residual.solved->problem;
  if (!(w->residual.solved->solution.gamma[3 * contact + 2] > 0.0)) return false;
  return v->carried[contact] ||
         friction_bends(one->stencil, v->friction, problem->contact_count, contact);
}

/* Fills v->column. v->lost: a contact with a force lost its feature or its friction bends, a tree
 * took another number of parts, adhesion begins or ends, or a row acts at some places only. */
static limpet_residual_outcome change_of(limpet_gradient_workspace *w, const limpet_varied *one,
                                         variation *v) {
  const int size = w->residual.size, contacts = w->residual.solved->problem.contact_count;
  const double slack = 100.0 * w->wanted.difference + 4.0 * one->width;
  const double E = one->width;
  memset(v->column, 0, (size_t)size * sizeof *v->column);
  memset(v->jump, 0, (size_t)size * sizeof *v->jump);
  memset(v->carried, 0, (size_t)contacts * sizeof *v->carried);
  v->lost = begins_to_pull(w, one->model[0]);
  place_worlds(w, one);
  limpet_probe probe = probe_of(w, w->model, w->world, &w->settings, slack);
  limpet_residual_outcome outcome = residual_at(w, &probe, v, NULL, v->rest);
  for (int k = 0; k < LIMPET_STENCIL && outcome == LIMPET_RESIDUAL_DONE; ++k) {
    const limpet_step_settings settings = settings_at(w, one, k);
    probe = probe_of(w, one->model[k], one->world[k], &settings, slack);
    outcome = residual_at(w, &probe, v, v->friction + k * contacts, v->now);
    v->rows[k] = probe.new_rows;
    add_change(size, one->stencil->weight[k] / E, v->now, v->rest, v->column);
    add_change(size, one->stencil->bend[k] / E, v->now, v->rest, v->jump);
    v->lost = v->lost || v->rows[k] != v->rows[0];
  }
  if (outcome != LIMPET_RESIDUAL_DONE) return outcome;
  for (int i = 0; i < contacts; ++i) v->lost = v->lost || contact_is_lost(w, one, v, i);
  v->lost = v->lost || (w->residual.smooth &&
                        limpet_slope_jumps(&w->residual, v->column, v->jump, E, w->velocity));
  return outcome;
}

// shift (nv) += d(q0 (+) dt v)/d dt
static void add_time_step(const limpet_gradient_workspace *w, double *shift) {
  const limpet_model *model = w->model;
  const double *v = w->residual.v;
  for (int i = 0; i < model->nv; ++i) shift[i] += v[i];
  if (!w->settings.compatibility.first_order_rotation) return;
  for (int j = 0; j < model->joint_count; ++j) {
    if (model->joint_kind[j] != LIMPET_JOINT_FREE && model->joint_kind[j] != LIMPET_JOINT_BALL)
      continue;
    const int d = model->joint_v[j] + (model->joint_kind[j] == LIMPET_JOINT_FREE ? 3 : 0);
    const double a = 0.5 * w->settings.time_step * limpet_vec3_norm(v + d);
    for (int k = 0; k < 3; ++k) shift[d + k] -= v[d + k] * a * a / (1.0 + a * a);
  }
}

// What a column has besides the arrays of the workspace.
typedef struct column_end {
  double kink;
  double *vertex_position, *vertex_velocity;  // (3 vertex_count)  NULL: no deformable bodies
} column_end;

static const char *const no_memory = "out of memory";

/* The change of the velocity that was solved for, in the workspace, and with deformable bodies
 * those of vertices at the end. *reason: why there is none. */
static void solve(limpet_gradient_workspace *w, const limpet_varied *one, const double *column,
                  column_end *end, const char **reason) {
  if (!w->soft) {
    end->kink = limpet_residual_forward(&w->residual, column, -1, w->velocity);
    return;
  }
  limpet_step_settings settings[LIMPET_STENCIL];
  for (int k = 0; k < LIMPET_STENCIL; ++k) settings[k] = settings_at(w, one, k);
  const size_t V = 3 * (size_t)w->model->vertex_count;
  limpet_soft_variation bodies;
  end->vertex_position = LIMPET_TAKE(&w->arena, double, V);
  end->vertex_velocity = LIMPET_TAKE(&w->arena, double, V);
  if (!end->vertex_position || !end->vertex_velocity ||
      limpet_soft_vary(w, one, settings, &bodies)) {
    *reason = no_memory;
    return;
  }
  const limpet_soft_change change = {bodies.dR, bodies.prescribed, column, bodies.stiffness};
  end->kink = limpet_soft_gradient_along(w, &change, w->velocity, end->vertex_velocity);
  if (isnan(end->kink) ||
      limpet_soft_vary_end(w, &bodies, end->vertex_velocity, end->vertex_position))
    *reason = no_memory;
}

// From the change of the residual to those of v and q: velocity, shift (nv) of the workspace.
static void pass(limpet_gradient_workspace *w, const limpet_varied *one, const double *column,
                 column_end *end, const char **reason) {
  solve(w, one, column, end, reason);
  if (*reason) return;
  const bool ends = w->reverse && limpet_reverse_end_count(w->reverse) > 0;
  if (w->flies || ends || w->end_count > 0 || w->tree_end_count > 0 || w->free_end_count > 0) {
    limpet_step_settings settings[LIMPET_STENCIL];
    for (int k = 0; k < LIMPET_STENCIL; ++k) settings[k] = settings_at(w, one, k);
    place_worlds(w, one);
    bool switches = false;
    if (limpet_flight_parameter(w, one, settings, w->velocity, w->shift, &switches) != LIMPET_OK)
      *reason = no_memory;
    if (switches) end->kink = INFINITY;
    return;
  }
  limpet_integration_by_v(&w->integration, w->velocity, w->shift);
  if (one->time_step) add_time_step(w, w->shift);
}

typedef void use_parameter(void *context, int i, const column_end *end);

// Why the models of a number cannot be compared with that of the step; NULL: they can.
static const char *differs(const limpet_model *model, const limpet_varied *one) {
  for (int k = 0; k < LIMPET_STENCIL; ++k) {
    const limpet_model *other = one->model[k];
    assert(other->nv == model->nv && other->nq == model->nq);
    if (other->vertex_count != model->vertex_count || other->tie_count != model->tie_count)
      return "deformable bodies have other vertices or ties at another value of the number";
  }
  return NULL;
}

// Calls `use` for every parameter, its changes in velocity and shift of the workspace.
static const char *visit(limpet_gradient *gradient, limpet_gradient_parameters *p,
                         use_parameter *use, void *context) {
  limpet_gradient_workspace *w = gradient->workspace;
  if (!w->data || w->data->step_count != w->step_count) return "there is no derivative of a step";
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  const int size = w->residual.size, contacts = w->residual.solved->problem.contact_count;
  variation v = {.column = LIMPET_TAKE(&w->arena, double, size),
                 .jump = LIMPET_TAKE(&w->arena, double, size),
                 .rest = LIMPET_TAKE(&w->arena, double, size),
                 .now = LIMPET_TAKE(&w->arena, double, size),
                 .friction = LIMPET_TAKE(&w->arena, double, LIMPET_STENCIL *contacts),
                 .carried = LIMPET_TAKE(&w->arena, bool, contacts)};
  const bool taken = v.column && v.jump && v.rest && v.now && v.friction && v.carried;
  const char *reason = taken ? NULL : no_memory;
  for (int i = 0; i < p->count && !reason; ++i) {
    const limpet_varied *one = &p->workspace->one[i];
    const limpet_arena_mark own = limpet_arena_mark_now(&w->arena);
    reason = differs(w->model, one);
    if (!reason) reason = limpet_residual_reason(change_of(w, one, &v));
    if (reason) break;
    column_end end = {.kink = 0.0};
    pass(w, one, v.column, &end, &reason);
    if (v.lost) end.kink = INFINITY;
    if (!reason) use(context, i, &end);
    limpet_arena_release(&w->arena, own);
  }
  limpet_arena_release(&w->arena, mark);
  return reason;
}

typedef struct filling {
  const limpet_gradient_workspace *w;
  limpet_gradient_parameters *p;
  limpet_gradient_vector weight;  // of the end
} filling;

static void fill_vertices(const filling *f, int i, const double *from, double *to) {
  const limpet_gradient_parameters *p = f->p;
  for (int k = 0; k < 3 * f->w->model->vertex_count && from; ++k) to[k * p->count + i] = from[k];
}

static void fill_column(void *context, int i, const column_end *end) {
  const filling *f = context;
  limpet_gradient_parameters *p = f->p;
  fill_vertices(f, i, end->vertex_position, p->vertex_position);
  fill_vertices(f, i, end->vertex_velocity, p->vertex_velocity);
  for (int k = 0; k < f->w->model->nv; ++k) {
    p->dq[k * p->count + i] = f->w->shift[k];
    p->dv[k * p->count + i] = f->w->velocity[k];
  }
  p->kink[i] = end->kink;
}

static const char *const means_have_none =
    "means of random smoothing have no derivatives by parameters; take the barrier";

const char *limpet_gradient_by_parameters(limpet_gradient *gradient,
                                          limpet_gradient_parameters *parameters) {
  assert(gradient && parameters);
  gradient = limpet_smoothing_differentiated(gradient);
  if (!gradient) return means_have_none;
  filling f = {.w = gradient->workspace, .p = parameters};
  return visit(gradient, parameters, fill_column, &f);
}

static double product_of(const double *weight, const double *change, int count) {
  return weight && change ? limpet_dot(count, weight, change) : 0.0;
}

static void fill_product(void *context, int i, const column_end *end) {
  const filling *f = context;
  const int nv = f->w->model->nv, V = 3 * f->w->model->vertex_count;
  f->p->adjoint[i] = product_of(f->weight.q, f->w->shift, nv) +
                     product_of(f->weight.v, f->w->velocity, nv) +
                     product_of(f->weight.vertex_position, end->vertex_position, V) +
                     product_of(f->weight.vertex_velocity, end->vertex_velocity, V);
}

const char *limpet_gradient_parameters_backward(limpet_gradient *gradient,
                                                limpet_gradient_parameters *parameters,
                                                const limpet_gradient_vector *weight) {
  assert(gradient && parameters && weight);
  gradient = limpet_smoothing_differentiated(gradient);
  if (!gradient) return means_have_none;
  filling f = {gradient->workspace, parameters, *weight};
  return visit(gradient, parameters, fill_product, &f);
}

const char *limpet_gradient_parameters_adjoint(limpet_gradient *gradient,
                                               limpet_gradient_parameters *parameters,
                                               const double *weight_q, const double *weight_v) {
  assert(gradient && parameters);
  // weights are only read
  const limpet_gradient_vector weight = {.q = (double *)weight_q, .v = (double *)weight_v};
  return limpet_gradient_parameters_backward(gradient, parameters, &weight);
}
