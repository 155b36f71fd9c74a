// cli/warnings.c: see warnings.h. docs/log.md says what each means and what to do.
#include "warnings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "effects.h"
#include "json.h"
#include "quantity.h"

// From where on a run is warned of.
static const double friction_missed = 0.01;  // [-]  of Coulomb's friction
static const double overlap_deep = 1e-3;     // [m, rad]
static const double energy_risen = 0.01;     // [-]  of the largest kinetic energy
static const double surface_off = 0.05;      // [-]  of the sum of its pressures
static const double weight_off = 0.01;       // [-]  of the weight of all, by all surfaces
static const double wild_flight = 1e-3;      // [-]  of the kinetic energy in a step

bool limpet_peak_raise(limpet_peak *peak, double value, double time) {
  if (!(value > peak->value)) return false;
  *peak = (limpet_peak){value, time};
  return true;
}

// LIMPET_NONE: of a contact that is not there any more.
static void take_pair(int geom[2], const limpet_data *data, int contact) {
  geom[0] = geom[1] = LIMPET_NONE;
  if (contact < 0 || contact >= data->contact_count) return;
  memcpy(geom, data->contact_geom + 2 * contact, 2 * sizeof *geom);
}

// Whether a loop is open, geoms overlap or a limit is passed so far that what leads back matters.
static bool is_apart(const limpet_data *data) {
  const limpet_step_info *info = &data->info;
  double error = fmax(fmax(info->loop_gap, info->loop_turn), info->deepest_penetration);
  for (int i = 0; i < data->constraint_count; ++i) error = fmax(error, -data->constraint_error[i]);
  return error > overlap_deep;
}

// The geom of the deformable body that a vertex is of.
static int geom_of_vertex(const limpet_model *model, int vertex) {
  int d = 0;
  while (d + 1 < model->deformable_count && vertex >= model->deformable_vertex[d + 1]) ++d;
  return model->deformable_geom[d];
}

void limpet_warnings_add(limpet_warnings *w, const limpet_data *data) {
  const limpet_step_info *info = &data->info;
  if (limpet_peak_raise(&w->friction, info->friction_departure, data->time))
    take_pair(w->friction_geom, data, info->friction_contact);
  if (limpet_peak_raise(&w->overlap, info->overlap_made, data->time))
    take_pair(w->overlap_geom, data, info->overlap_contact);
  limpet_peak_raise(&w->rise, info->energy_rise, data->time);
  limpet_peak_raise(&w->kinetic, info->kinetic_energy, data->time);
  limpet_peak_raise(&w->flight, info->flight_error, data->time);
  limpet_peak_raise(&w->substep, info->substep_error, data->time);
  limpet_peak_raise(&w->momentum, info->momentum_gained, data->time);
  limpet_peak_raise(&w->angular_momentum, info->angular_momentum_gained, data->time);
  limpet_peak_raise(&w->islands, info->failed_islands, data->time);
  limpet_peak_raise(&w->restrained, info->restrained_returns, data->time);
  if (limpet_peak_raise(&w->crossing, info->crossing_depth, data->time))
    w->crossing_geom = geom_of_vertex(data->model, info->crossing_vertex);
  limpet_peak_raise(&w->swallowed, info->swallowed_pairs, data->time);
  if (limpet_peak_raise(&w->surface, info->surface_error, data->time))
    take_pair(w->surface_geom, data, info->surface_contact);
  limpet_peak_raise(&w->missing, info->surface_missing, data->time);
  limpet_peak_raise(&w->back, info->return_work, data->time);
  limpet_open_loops_add(&w->loops, data);
  if (isfinite(info->energy_rise)) w->risen += info->energy_rise;
  w->returned += info->return_work;
  w->apart = w->apart || (info->return_work > 0.0 && is_apart(data));
}

// ", between A and B", or nothing.
static const char *pair_text(char *text, size_t size, const limpet_model *model,
                             const int geom[2]) {
  char a[600], b[600];
  *text = '\0';
  if (geom[0] == LIMPET_NONE) return text;
  snprintf(text, size, ", between %s and %s",
           limpet_object_label(a, sizeof a, model, LIMPET_OBJECT_GEOM, geom[0]),
           limpet_object_label(b, sizeof b, model, LIMPET_OBJECT_GEOM, geom[1]));
  return text;
}

// Starts the next line; counts it.
static void next_line(const char *label, int *count) {
  if ((*count)++ == 0) printf("%s", label);
  else printf("%*s", (int)strlen(label), "");
}

// "WHAT: 3 AFTER (at 0.5 s)".
static void print_most(const char *what, const limpet_peak *most, const char *after,
                       const char *label, int *count) {
  if (!(most->value > 0.0)) return;
  next_line(label, count);
  printf("%s: %.0f %s (at %.6g s)\n", what, most->value, after, most->time);
}

static void print_loops(const limpet_open_loops *loops, const char *label, int *count) {
  static const char *const what[LIMPET_OPENING_COUNT] = {"a loop", "a weld", "a coupler"};
  static const char *const by[LIMPET_OPENING_COUNT] = {"by", "by an angle of", "by"};
  static const char *const unit[LIMPET_OPENING_COUNT] = {"m", "rad", "m or rad"};
  for (int k = 0; k < LIMPET_OPENING_COUNT; ++k) {
    if (!limpet_open_loops_are(loops, (limpet_opening)k)) continue;
    next_line(label, count);
    printf("%s %s %s %.3g %s (at %.6g s)\n", what[k], loops->closed[k] ? "opened" : "stays open",
           by[k], loops->most[k], unit[k], loops->time[k]);
  }
}

static void print_truth(const limpet_warnings *w, const limpet_model *model, const char *label,
                        int *count) {
  char text[LIMPET_QUANTITY_TEXT_SIZE], pair[1300];
  if (w->friction.value > friction_missed) {
    next_line(label, count);
    printf("friction off Coulomb's law by %.3g %% at worst (at %.6g s%s)\n",
           100.0 * w->friction.value, w->friction.time,
           pair_text(pair, sizeof pair, model, w->friction_geom));
  }
  if (w->overlap.value > overlap_deep) {
    next_line(label, count);
    printf("overlap of %s made in one step (at %.6g s%s)\n",
           limpet_quantity_text(text, w->overlap.value, "m"), w->overlap.time,
           pair_text(pair, sizeof pair, model, w->overlap_geom));
  }
  if (w->risen > energy_risen * w->kinetic.value) {
    next_line(label, count);
    printf("energy rose without work: %s in all", limpet_quantity_text(text, w->risen, "J"));
    printf(", %s in one step (at %.6g s)\n", limpet_quantity_text(text, w->rise.value, "J"),
           w->rise.time);
  }
  if (w->apart && w->returned > energy_risen * w->kinetic.value) {
    next_line(label, count);
    printf("what began apart or inside was led back: %s put in",
           limpet_quantity_text(text, w->returned, "J"));
    printf(", %s in one step (at %.6g s)\n", limpet_quantity_text(text, w->back.value, "J"),
           w->back.time);
  }
  if (w->flight.value > wild_flight) {
    next_line(label, count);
    printf("flight too fast for the step: energy off by %.2g of the kinetic in one (at %.6g s)\n",
           w->flight.value, w->flight.time);
  }
  print_most("what starts inside presses too hard", &w->restrained,
             "contacts and limits come back weakly", label, count);
  if (w->crossing.value > 0.0) {
    next_line(label, count);
    printf("passes through something or itself: %s, by %s (at %.6g s)\n",
           limpet_object_label(pair, sizeof pair, model, LIMPET_OBJECT_GEOM, w->crossing_geom),
           limpet_quantity_text(text, w->crossing.value, "m"), w->crossing.time);
  }
  print_most("pairs of pressure fields so deep in each other that nothing pushes", &w->swallowed,
             "in a step", label, count);
  print_most("islands that failed and were held", &w->islands, "at most in a step", label, count);
}

// Contact surfaces that are less exact than they are asked to be.
static void print_surfaces(const limpet_warnings *w, const limpet_model *model, const char *label,
                           int *count) {
  char text[LIMPET_QUANTITY_TEXT_SIZE], pair[1300];
  const double *g = model->options.gravity;
  const double weight = model->total_mass * hypot(hypot(g[0], g[1]), g[2]);
  if (!(w->surface.value > surface_off && w->missing.value >= weight_off * weight)) return;
  next_line(label, count);
  printf("a contact surface may lack %.2g %% of its force (at %.6g s%s)", 100.0 * w->surface.value,
         w->surface.time, pair_text(pair, sizeof pair, model, w->surface_geom));
  printf(", all together %s in a step\n", limpet_quantity_text(text, w->missing.value, "N"));
}

// Substeps that missed the accuracy, and could not be shorter.
static void print_accuracy(const limpet_warnings *w, const limpet_step_settings *settings,
                           const char *label, int *count) {
  if (!(w->substep.value > settings->accuracy)) return;
  next_line(label, count);
  printf("accuracy of %g m or rad missed: a substep is off by %.2g (at %.6g s)\n",
         settings->accuracy, w->substep.value, w->substep.time);
}

// What materials ask for and the contact model has not.
static void print_ignored(const limpet_model *model, const limpet_contact_model *contact,
                          const char *label, int *count) {
  char text[LIMPET_EFFECT_TEXT_SIZE];
  for (int e = 0; e < LIMPET_EFFECT_COUNT; ++e) {
    const limpet_effect_count asked = limpet_effect_count_of(model, (limpet_contact_effect)e);
    if (!limpet_effect_asked(asked) || limpet_contact_model_has(contact, (limpet_contact_effect)e))
      continue;
    next_line(label, count);
    printf("contact model %s ignores the %s of %s\n",
           limpet_contact_model_descriptor(contact)->name,
           limpet_effect_word((limpet_contact_effect)e), limpet_effect_count_text(text, asked));
  }
}

int limpet_warnings_print(const limpet_warnings *warnings, const limpet_model *model,
                          const limpet_data *data, const limpet_step_settings *settings,
                          const char *label) {
  int count = 0;
  print_ignored(model, settings->contact_model, label, &count);
  print_truth(warnings, model, label, &count);
  print_loops(&warnings->loops, label, &count);
  print_surfaces(warnings, model, label, &count);
  print_accuracy(warnings, settings, label, &count);
  for (int i = LIMPET_OUTCOME_SOLVED + 1; i < LIMPET_OUTCOME_COUNT; ++i) {
    if (!data->warning_count[i]) continue;
    next_line(label, &count);
    printf("steps that ended with '%s': %" PRId64 "\n", limpet_outcome_word((limpet_outcome)i),
           data->warning_count[i]);
  }
  if (data->clamped_count) {
    next_line(label, &count);
    printf("controls outside their range, clamped: %" PRId64 "\n", data->clamped_count);
  }
  return count;
}

static json_t *peak_json(const limpet_peak *peak) {
  return json_pack("{s:o, s:o}", "value", limpet_json_number(peak->value), "time",
                   limpet_json_number(peak->time));
}

// {"torsional friction": 2, ...}: geoms and pairs whose wish the contact model ignores.
static json_t *ignored_json(const limpet_model *model, const limpet_contact_model *contact) {
  json_t *object = json_object();
  for (int e = 0; e < LIMPET_EFFECT_COUNT; ++e) {
    const limpet_effect_count asked = limpet_effect_count_of(model, (limpet_contact_effect)e);
    const bool has = limpet_contact_model_has(contact, (limpet_contact_effect)e);
    json_object_set_new(object, limpet_effect_word((limpet_contact_effect)e),
                        json_integer(has ? 0 : asked.geoms + asked.pairs));
  }
  return object;
}

json_t *limpet_warnings_json(const limpet_warnings *w, const limpet_model *model,
                             const limpet_contact_model *contact) {
  json_t *opened = json_object();
  static const char *const name[LIMPET_OPENING_COUNT] = {"gap", "turn", "coupler"};
  for (int k = 0; k < LIMPET_OPENING_COUNT; ++k)
    json_object_set_new(opened, name[k],
                        peak_json(&(limpet_peak){w->loops.most[k], w->loops.time[k]}));
  return json_pack(
      "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
      "friction_departure", peak_json(&w->friction), "overlap_made", peak_json(&w->overlap),
      "energy_rise", peak_json(&w->rise), "energy_risen", limpet_json_number(w->risen),
      "return_work", peak_json(&w->back), "returned_work", limpet_json_number(w->returned),
      "flight_error", peak_json(&w->flight), "failed_islands", peak_json(&w->islands),
      "restrained_returns", peak_json(&w->restrained), "crossing_depth", peak_json(&w->crossing),
      "swallowed_pairs", peak_json(&w->swallowed), "surface_error", peak_json(&w->surface),
      "surface_missing", peak_json(&w->missing), "momentum_gained", peak_json(&w->momentum),
      "angular_momentum_gained", peak_json(&w->angular_momentum), "loops_opened", opened, "ignored",
      ignored_json(model, contact));
}
