/* control/identify_read.c: a fit.json: parameters and what they set, trajectories, noise, how a
 * step is made. docs/identification.md describes it. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "control/identify_windows.h"
#include "control/plan_read.h"

enum { PARAMETER_LIMIT = 200, LINK_LIMIT = 10000, TRAJECTORY_LIMIT = 100000 };

// A copy of a text by malloc, or NULL.
static char *text_copy(const char *text) {
  char *copy = malloc(strlen(text) + 1);
  return copy ? strcpy(copy, text) : NULL;
}

// One number of the builder by its name.
static bool link_append(limpet_identify_workspace *w, int parameter, const limpet_json *place,
                        const char *name, double factor, double offset) {
  limpet_error error;
  limpet_identify_link *grown = realloc(w->link, (size_t)(w->link_count + 1) * sizeof *w->link);
  if (!grown) return limpet_json_fail(place, "no memory");
  w->link = grown;
  limpet_identify_link *link = &w->link[w->link_count++];
  *link = (limpet_identify_link){.parameter = parameter, .factor = factor, .offset = offset};
  return limpet_parameter_find(w->builder, name, &link->target, &error) == LIMPET_OK ||
         limpet_json_fail(place, "%s", error.message);
}

// {"parameter": NAME, "factor": 1, "offset": 0}
static bool link_read(limpet_identify_workspace *w, int parameter, const limpet_json *object) {
  static const char *const keys[] = {"parameter", "factor", "offset", NULL};
  const double one = 1.0, zero = 0.0;
  const char *name;
  double factor, offset;
  if (json_is_string(object->value))
    return link_append(w, parameter, object, json_string_value(object->value), 1.0, 0.0);
  return limpet_json_keys(object, keys) && limpet_json_text(object, "parameter", NULL, &name) &&
         limpet_json_number(object, "factor", &one, &factor) &&
         limpet_json_number(object, "offset", &zero, &offset) &&
         link_append(w, parameter, object, name, factor, offset);
}

static bool links_read(limpet_identify_workspace *w, int parameter, const limpet_json *object) {
  limpet_json of;
  if (!limpet_json_member(&of, object, "of"))
    return limpet_json_fail(object, "\"of\" is missing: a name as of --param, \"arm.mass\"");
  if (!json_is_array(of.value)) return link_read(w, parameter, &of);
  if (!limpet_json_array(&of, object, "of", LINK_LIMIT)) return false;
  for (size_t i = 0; i < json_array_size(of.value); ++i) {
    const limpet_json element = limpet_json_element(&of, i);
    if (!link_read(w, parameter, &element)) return false;
  }
  return true;
}

// The value that the model has, where the first link is the number itself.
static double value_of_model(limpet_identify_workspace *w, int first) {
  double value;
  const limpet_identify_link *link = &w->link[first];
  if (link->factor == 0.0 ||
      limpet_parameter_value(w->builder, &link->target, &value, NULL) != LIMPET_OK)
    return NAN;
  return (value - link->offset) / link->factor;
}

static bool parameter_read(limpet_identify *fit, int index, const limpet_json *object) {
  static const char *const keys[] = {"name", "of", "start", "minimum", "maximum", NULL};
  limpet_identify_parameter *parameter = &fit->parameter[index];
  limpet_identify_workspace *w = fit->workspace;
  const int first = w->link_count;
  const double least = -INFINITY, most = INFINITY;
  const char *name;
  limpet_json of;
  if (!limpet_json_keys(object, keys) || !links_read(w, index, object)) return false;
  limpet_json_member(&of, object, "of");
  const char *standard = json_is_string(of.value) ? json_string_value(of.value) : NULL;
  const double present = value_of_model(w, first);
  if (!limpet_json_text(object, "name", standard, &name) ||
      !limpet_json_number(object, "start", isnan(present) ? NULL : &present, &parameter->start) ||
      !limpet_json_number(object, "minimum", &least, &parameter->minimum) ||
      !limpet_json_number(object, "maximum", &most, &parameter->maximum))
    return false;
  parameter->name = text_copy(name);
  parameter->value = parameter->start;
  if (!parameter->name) return limpet_json_fail(object, "no memory");
  if (!(parameter->minimum < parameter->maximum))
    return limpet_json_fail(object, "the minimum %g is not below the maximum %g",
                            parameter->minimum, parameter->maximum);
  if (parameter->start >= parameter->minimum && parameter->start <= parameter->maximum) return true;
  return limpet_json_fail(object, "starts at %g, outside of %g to %g; give \"start\" or widen them",
                          parameter->start, parameter->minimum, parameter->maximum);
}

static bool parameters_read(limpet_identify *fit, const limpet_json *root) {
  limpet_json list;
  if (!limpet_json_array(&list, root, "parameters", PARAMETER_LIMIT)) return false;
  const size_t count = json_array_size(list.value);
  fit->parameter = calloc(count, sizeof *fit->parameter);
  if (!fit->parameter) return limpet_json_fail(&list, "no memory");
  for (size_t i = 0; i < count; ++i) {
    const limpet_json object = limpet_json_element(&list, i);
    fit->parameter_count = (int)i + 1;
    if (!parameter_read(fit, (int)i, &object)) return false;
  }
  return true;
}

static bool trajectories_read(limpet_identify *fit, const limpet_json *root) {
  limpet_json list;
  if (!limpet_json_array(&list, root, "trajectories", TRAJECTORY_LIMIT)) return false;
  const size_t count = json_array_size(list.value);
  fit->trajectory = calloc(count, sizeof *fit->trajectory);
  fit->workspace->trajectory = calloc(count, sizeof *fit->workspace->trajectory);
  if (!fit->trajectory || !fit->workspace->trajectory) return limpet_json_fail(&list, "no memory");
  for (size_t i = 0; i < count; ++i) {
    const limpet_json element = limpet_json_element(&list, i);
    const char *name = json_string_value(element.value);
    if (!name) return limpet_json_fail(&element, "must be the name of a CSV file");
    fit->trajectory_count = (int)i + 1;
    fit->trajectory[i] = text_copy(name);
    if (!fit->trajectory[i]) return limpet_json_fail(&list, "no memory");
  }
  return true;
}

static bool noise_read(limpet_identify_workspace *w, const limpet_json *root) {
  limpet_json member;
  w->noise = calloc((size_t)w->model->nv + 1, sizeof *w->noise);
  if (!w->noise) return limpet_json_fail(root, "no memory");
  for (int i = 0; i < w->model->nv; ++i) w->noise[i] = 1.0;
  if (!limpet_json_numbers(root, "noise", w->model->nv, w->noise, w->noise)) return false;
  limpet_json_member(&member, root, "noise");
  double most = 0.0;
  for (int i = 0; i < w->model->nv; ++i) {
    if (!(w->noise[i] >= 0.0))
      return limpet_json_fail(&member, "is %g and must not be negative", w->noise[i]);
    most = fmax(most, w->noise[i]);
  }
  return most > 0.0 || limpet_json_fail(&member, "is 0 throughout, so that nothing is compared");
}

// "windows": {"rows": N, "speed_noise": numbers}
static bool windows_read(limpet_identify_workspace *w, const limpet_json *root) {
  static const char *const keys[] = {"rows", "speed_noise", NULL};
  enum { LEAST = 2 };
  double rows;
  limpet_json object, member;
  if (!limpet_json_member(&object, root, "windows")) return true;
  if (!limpet_json_keys(&object, keys) || !limpet_json_number(&object, "rows", NULL, &rows))
    return false;
  limpet_json_member(&member, &object, "rows");
  if (!(rows >= LEAST && rows <= 1e6 && rows == floor(rows)))
    return limpet_json_fail(&member, "is %g; a whole number of %d at least is wanted", rows, LEAST);
  if (w->model->na > 0)
    return limpet_json_fail(&object,
                            "begin with pose and velocity, but actuators of this model "
                            "have states of their own; leave \"windows\" out");
  w->window_rows = (int)rows;
  if (!limpet_json_member(&member, &object, "speed_noise")) return true;
  w->speed_noise = calloc((size_t)w->model->nv + 1, sizeof *w->speed_noise);
  if (!w->speed_noise) return limpet_json_fail(root, "no memory");
  if (!limpet_json_numbers(&object, "speed_noise", w->model->nv, w->speed_noise, w->speed_noise))
    return false;
  for (int i = 0; i < w->model->nv; ++i)
    if (!(w->speed_noise[i] >= 0.0))
      return limpet_json_fail(&member, "is %g and must not be negative", w->speed_noise[i]);
  return true;
}

// Other starts are drawn between the limits of each parameter.
static bool starts_read(limpet_identify *fit, const limpet_json *object, double starts) {
  limpet_json member;
  limpet_json_member(&member, object, "starts");
  if (!(starts >= 1.0 && starts <= 1e4 && starts == floor(starts)))
    return limpet_json_fail(&member, "is %g; a whole number from 1 to 10000 is wanted", starts);
  fit->workspace->starts = (int)starts;
  for (int i = 0; i < fit->parameter_count && starts > 1.0; ++i) {
    const limpet_identify_parameter *p = &fit->parameter[i];
    if (isfinite(p->minimum) && isfinite(p->maximum)) continue;
    return limpet_json_fail(&member,
                            "wants limits to draw starts between; give parameter '%.60s' a "
                            "\"minimum\" and a \"maximum\"",
                            p->name);
  }
  return true;
}

static bool solver_read(limpet_identify *fit, const limpet_json *root) {
  limpet_identify_workspace *w = fit->workspace;
  static const char *const keys[] = {"iterations", "tolerance", "width",
                                     "derivative", "starts",    NULL};
  const double iterations = 50.0, tolerance = 1e-9, width = 1e-4, one = 1.0;
  double limit = iterations, starts;
  limpet_json object, member;
  const char *derivative;
  w->iteration_limit = (int)iterations, w->tolerance = tolerance, w->width = width;
  w->starts = 1;
  if (!limpet_json_member(&object, root, "solver")) return true;
  if (!limpet_json_keys(&object, keys) ||
      !limpet_json_number(&object, "iterations", &iterations, &limit) ||
      !limpet_json_number(&object, "tolerance", &tolerance, &w->tolerance) ||
      !limpet_json_number(&object, "width", &width, &w->width) ||
      !limpet_json_number(&object, "starts", &one, &starts) ||
      !limpet_json_text(&object, "derivative", "gradient", &derivative))
    return false;
  w->by_differences = strcmp(derivative, "differences") == 0;
  limpet_json_member(&member, &object, "derivative");
  if (!w->by_differences && strcmp(derivative, "gradient") != 0)
    return limpet_json_fail(&member, "is '%.60s'; \"gradient\" or \"differences\" is wanted",
                            derivative);
  if (limit != floor(limit))
    return limpet_json_fail(&object, "wants a whole number of iterations, not %g", limit);
  if (!(limit >= 1.0 && limit <= 1e6 && w->tolerance >= 0.0 && w->width > 0.0 && w->width < 1.0))
    return limpet_json_fail(&object,
                            "wants iterations of 1 at least, a tolerance of 0 at least, "
                            "and a width between 0 and 1");
  w->iteration_limit = (int)limit;
  return starts_read(fit, &object, starts);
}

static bool fit_read(limpet_identify *fit, const limpet_json *root) {
  static const char *const keys[] = {"model",     "parameters", "trajectories", "noise",
                                     "windows",   "preset",     "scheme",       "contact_model",
                                     "time_step", "settings",   "solver",       NULL};
  limpet_error error;
  limpet_identify_workspace *w = fit->workspace;
  if (!limpet_json_keys(root, keys)) return false;
  w->model = limpet_builder_compile(w->builder, &error);
  if (!w->model) return limpet_json_fail(root, "%s", error.message);
  return limpet_plan_step_read(&w->step, w->model, root) && parameters_read(fit, root) &&
         trajectories_read(fit, root) && noise_read(w, root) && windows_read(w, root) &&
         solver_read(fit, root);
}

limpet_identify *limpet_identify_create(limpet_builder *builder, const char *text, const char *file,
                                        limpet_error *error) {
  assert(builder && text);
  json_error_t wrong;
  json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, &wrong);
  if (!value) {
    limpet_json_refused(error, file, "fit", text, &wrong);
    return NULL;
  }
  const limpet_json_source source = {.file = file ? file : "fit", .text = text, .error = error};
  const limpet_json root = {.value = value, .source = &source};
  limpet_identify *fit = calloc(1, sizeof *fit);
  limpet_identify_workspace *w = calloc(1, sizeof *w);
  bool made = fit && w;
  if (!made) {
    limpet_json_fail(&root, "no memory");
    free(fit), free(w);
    fit = NULL;
  } else {
    fit->workspace = w;
    w->builder = builder;
    made = fit_read(fit, &root);
  }
  json_decref(value);
  if (fit && !made) {
    limpet_identify_destroy(fit);
    fit = NULL;
  }
  return fit;
}

void limpet_identify_destroy(limpet_identify *fit) {
  if (!fit) return;
  limpet_identify_workspace *w = fit->workspace;
  for (int i = 0; i < fit->parameter_count; ++i) free((void *)fit->parameter[i].name);
  for (int i = 0; i < fit->trajectory_count; ++i) {
    limpet_identify_trajectory *t = &w->trajectory[i];
    free((void *)fit->trajectory[i]);
    free(t->step), free(t->q), free(t->v), free(t->control);
  }
  for (int i = 0; i < w->link_count; ++i) limpet_parameter_free(&w->link[i].target);
  if (w->model) limpet_model_destroy(w->model);
  limpet_identify_windows_free(w->windows);
  free(w->link), free(w->trajectory), free(w->noise), free(w->speed_noise), free(w);
  free(fit->parameter), free((void *)fit->trajectory), free(fit);
}

const limpet_model *limpet_identify_model(const limpet_identify *fit) {
  assert(fit);
  return fit->workspace->model;
}
