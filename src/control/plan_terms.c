/* control/plan_terms.c: the list of cost terms of a plan: reading, value, Gauss-Newton's model:
 *   gradient 2 c w_i r_i J_i,   Hessian 2 c w_i J_i' J_i,   c = length running, or last */
#include "control/plan_term.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMPET_PLAN_TERM_KIND_ENTRY(name) &limpet_plan_term_##name,
static const limpet_plan_term_kind *const kinds[] = {
    LIMPET_PLAN_TERM_KIND_LIST(LIMPET_PLAN_TERM_KIND_ENTRY) NULL};
#define LIMPET_PLAN_TERM_KIND_DESCRIPTOR(name) &limpet_plan_term_##name.descriptor,
static const limpet_descriptor *const descriptors[] = {
    LIMPET_PLAN_TERM_KIND_LIST(LIMPET_PLAN_TERM_KIND_DESCRIPTOR) NULL};

enum {
  KIND_COUNT = sizeof kinds / sizeof *kinds - 1,
  TERM_LIMIT = 1000,
  COMMON_KEYS = 7,
  KEY_ROOM = 16
};

const limpet_descriptor *const *limpet_plan_term_kinds(void) { return descriptors; }

// ----------------------------------------------------------------------------------- reading

bool limpet_plan_term_rows(limpet_plan_term *term, int rows, bool list) {
  term->rows = rows;
  term->weight = calloc((size_t)rows, sizeof *term->weight);
  term->target = calloc((size_t)rows, sizeof *term->target);
  if (list) term->list = calloc((size_t)rows, sizeof *term->list);
  for (int i = 0; term->weight && i < rows; ++i) term->weight[i] = 1.0;
  return term->weight && term->target && (!list || term->list);
}

static bool not_negative(const limpet_json *object, const char *key, int count,
                         const double *values) {
  limpet_json member;
  limpet_json_member(&member, object, key);
  for (int i = 0; i < count; ++i)
    if (!(values[i] >= 0.0))
      return limpet_json_fail(&member, "is %g and must not be negative", values[i]);
  return true;
}

// What every term has: name, weights, times.
static bool common_read(limpet_plan_term *term, const limpet_json *object) {
  const double zero = 0.0, forever = INFINITY;
  const char *name;
  if (!limpet_json_text(object, "name", term->kind->descriptor.name, &name) ||
      !limpet_json_number(object, "running", &zero, &term->running) ||
      !limpet_json_number(object, "final", &zero, &term->last) ||
      !limpet_json_number(object, "from", &zero, &term->from) ||
      !limpet_json_number(object, "to", &forever, &term->to) ||
      !limpet_json_numbers(object, "weights", term->rows, term->weight, term->weight))
    return false;
  snprintf(term->name, sizeof term->name, "%s", name);
  if (!(term->from < term->to))
    return limpet_json_fail(object, "counts from %g s to %g s, which is never", term->from,
                            term->to);
  if (!not_negative(object, "running", 1, &term->running) ||
      !not_negative(object, "final", 1, &term->last) ||
      !not_negative(object, "weights", term->rows, term->weight))
    return false;
  if (term->kind->of_control && term->last > 0.0)
    return limpet_json_fail(object, "at the end there is no control; give \"running\" alone");
  if (!(term->running > 0.0) && !(term->last > 0.0))
    return limpet_json_fail(object,
                            "has no weight; give \"running\" (per second), \"final\" or both");
  return true;
}

static bool term_read(limpet_plan_term *term, const limpet_model *model,
                      const limpet_json *object) {
  static const char *const common[COMMON_KEYS] = {"kind", "name", "running", "final",
                                                  "from", "to",   "weights"};
  const char *words[KIND_COUNT + 1], *keys[KEY_ROOM];
  int kind, count = 0;
  for (int i = 0; i <= KIND_COUNT; ++i) words[i] = kinds[i] ? kinds[i]->descriptor.name : NULL;
  if (!json_is_object(object->value)) return limpet_json_fail(object, "must be an object {...}");
  if (!limpet_json_choice(object, "kind", words, -1, &kind)) return false;
  term->kind = kinds[kind];
  for (; count < COMMON_KEYS; ++count) keys[count] = common[count];
  for (const char *const *key = term->kind->keys; *key; ++key) keys[count++] = *key;
  keys[count] = NULL;
  return limpet_json_keys(object, keys) && term->kind->read(term, model, object) &&
         common_read(term, object);
}

static bool evaluation_create(limpet_plan_terms *terms, const limpet_model *model) {
  int rows = 1;
  for (int i = 0; i < terms->count; ++i)
    if (terms->term[i].rows > rows) rows = terms->term[i].rows;
  limpet_plan_evaluation *at = &terms->at;
  *at = (limpet_plan_evaluation){.model = model, .n = 2 * model->nv, .m = model->nu};
  const size_t count = (size_t)rows;
  at->r = calloc(count, sizeof(double));
  at->J = calloc(count * (size_t)at->n + 1, sizeof(double));
  at->Ju = calloc(count * (size_t)at->m + 1, sizeof(double));
  at->scratch = calloc(12 * (size_t)model->nv + (size_t)model->nq + 1, sizeof(double));
  return at->r && at->J && at->Ju && at->scratch;
}

limpet_plan_terms *limpet_plan_terms_read(const limpet_model *model, const limpet_json *list) {
  const size_t count = json_array_size(list->value);
  limpet_plan_terms *terms = calloc(1, sizeof *terms);
  if (terms) terms->term = calloc(count + 1, sizeof *terms->term);
  if (!terms || !terms->term) {
    free(terms);
    limpet_json_fail(list, "no memory");
    return NULL;
  }
  for (size_t i = 0; i < count; ++i) {
    const limpet_json object = limpet_json_element(list, i);
    terms->count = (int)i + 1;
    if (term_read(&terms->term[i], model, &object)) continue;
    limpet_plan_terms_destroy(terms);
    return NULL;
  }
  if (evaluation_create(terms, model)) return terms;
  limpet_json_fail(list, "no memory");
  limpet_plan_terms_destroy(terms);
  return NULL;
}

void limpet_plan_terms_destroy(limpet_plan_terms *terms) {
  if (!terms) return;
  for (int i = 0; i < terms->count; ++i)
    free(terms->term[i].weight), free(terms->term[i].target), free(terms->term[i].list);
  free(terms->term);
  free(terms->at.r), free(terms->at.J), free(terms->at.Ju), free(terms->at.scratch);
  free(terms);
}

// --------------------------------------------------------------------------------- evaluation

// Weight of a term at a knot; 0: it does not count there.
static double factor_of(const limpet_plan_term *term, double time, double length) {
  if (length == 0.0) return term->last;
  // half a step's worth of round-off in the time of a knot does not matter
  const double slack = 0.5 * length;
  return time >= term->from - slack && time < term->to - slack ? length * term->running : 0.0;
}

static double weighted_sum(const limpet_plan_term *term, const double *r) {
  double sum = 0.0;
  for (int i = 0; i < term->rows; ++i) sum += term->weight[i] * r[i] * r[i];
  return sum;
}

// H (rows x columns) += f a b'
static void add_outer(double f, int rows, const double *a, int columns, const double *b,
                      double *H) {
  for (int i = 0; i < rows; ++i) {
    const double g = f * a[i];
    for (int j = 0; g != 0.0 && j < columns; ++j) H[i * columns + j] += g * b[j];
  }
}

static void model_add(const limpet_plan_term *term, const limpet_plan_evaluation *at, double factor,
                      limpet_plan_quadratic *quadratic) {
  const int n = at->n, m = at->m;
  for (int i = 0; i < term->rows; ++i) {
    const double *J = at->J + i * n, *Ju = at->Ju + i * m, w = 2.0 * factor * term->weight[i];
    for (int j = 0; j < n; ++j) quadratic->x[j] += w * at->r[i] * J[j];
    add_outer(w, n, J, n, J, quadratic->xx);
    if (!quadratic->u) continue;
    for (int j = 0; j < m; ++j) quadratic->u[j] += w * at->r[i] * Ju[j];
    add_outer(w, m, Ju, m, Ju, quadratic->uu);
    add_outer(w, m, Ju, n, J, quadratic->ux);
  }
}

// Cost of a term at the world's state; its model is added where one is wanted.
static double term_cost(limpet_plan_terms *terms, const limpet_plan_term *term, limpet_data *data,
                        double length, limpet_plan_quadratic *quadratic) {
  const double factor = factor_of(term, data->time, length);
  if (factor == 0.0) return 0.0;
  limpet_plan_evaluation at = terms->at;
  at.data = data;
  if (quadratic) {
    memset(at.J, 0, (size_t)(term->rows * at.n) * sizeof(double));
    memset(at.Ju, 0, (size_t)(term->rows * at.m) * sizeof(double));
  } else {
    at.J = at.Ju = NULL;
  }
  term->kind->evaluate(term, &at);
  if (quadratic) model_add(term, &at, factor, quadratic);
  return factor * weighted_sum(term, at.r);
}

double limpet_plan_terms_cost(void *context, const limpet_model *model, limpet_data *data, int knot,
                              double length, limpet_plan_quadratic *quadratic) {
  (void)knot;
  limpet_plan_terms *terms = context;
  assert(terms->at.model == model);
  (void)model;
  double cost = 0.0;
  for (int i = 0; i < terms->count; ++i)
    cost += term_cost(terms, &terms->term[i], data, length, quadratic);
  return cost;
}

double limpet_plan_term_value(limpet_plan_terms *terms, int index, const limpet_model *model,
                              limpet_data *data, double length) {
  assert(index >= 0 && index < terms->count && terms->at.model == model);
  (void)model;
  return term_cost(terms, &terms->term[index], data, length, NULL);
}
