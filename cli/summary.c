/* cli/summary.c: what happened in a run, gathered step by step and told in words or JSON. */
#include "summary.h"

#include <inttypes.h>
#include <stdio.h>

#include "command.h"
#include "fields.h"
#include "json.h"
#include "quantity.h"
#include "summary_soft.h"

// ---------------------------------------------------------------------------------- gathering

void limpet_summary_energies(const limpet_model *model, limpet_data *data, double energy[2]) {
  limpet_kinematics(model, data);
  limpet_velocity_kinematics(model, data);
  limpet_tendon_kinematics(model, data);
  limpet_mass_matrix(model, data);
  energy[0] = limpet_kinetic_energy(model, data);
  energy[1] = limpet_potential_energy(model, data);
}

void limpet_summary_begin(limpet_summary *summary, const limpet_model *model, limpet_data *data) {
  *summary =
      (limpet_summary){.start_time = data->time, .penetration_geom = {LIMPET_NONE, LIMPET_NONE}};
  limpet_summary_energies(model, data, summary->energy_start);
}

static void add_substeps(limpet_summary *summary, const limpet_data *data) {
  const limpet_step_info *info = &data->info;
  const double shortest = summary->shortest_substep;
  summary->substeps += info->substep_count;
  summary->rejected_substeps += info->rejected_substeps;
  limpet_peak_raise(&summary->substeps_most, info->substep_count, data->time);
  if (info->substep_count > 0 && (shortest == 0.0 || info->shortest_substep < shortest))
    summary->shortest_substep = info->shortest_substep;
}

void limpet_summary_add(limpet_summary *summary, const limpet_data *data) {
  const limpet_step_info *info = &data->info;
  ++summary->steps;
  summary->iterations += info->iterations;
  limpet_peak_raise(&summary->iterations_most, info->iterations, data->time);
  add_substeps(summary, data);
  limpet_peak_raise(&summary->contacts_most, info->contact_count, data->time);
  limpet_peak_raise(&summary->residual, info->residual, data->time);
  limpet_peak_raise(&summary->loop_gap, info->loop_gap, data->time);
  limpet_peak_raise(&summary->loop_turn, info->loop_turn, data->time);
  limpet_peak_raise(&summary->coupler_error, info->coupler_error, data->time);
  limpet_warnings_add(&summary->warnings, data);
  limpet_peak_raise(&summary->creep, info->largest_stiction_speed, data->time);
  for (int i = 0; i < LIMPET_STAGE_COUNT; ++i) summary->stage_time[i] += info->stage_time[i];

  // the pair of geoms is looked up only when a new depth is reached
  if (!limpet_peak_raise(&summary->penetration, info->deepest_penetration, data->time)) return;
  int deepest = 0;
  for (int i = 1; i < data->contact_count; ++i) {
    if (data->contact_distance[i] < data->contact_distance[deepest]) deepest = i;
  }
  for (int side = 0; side < 2 && data->contact_count > 0; ++side) {
    summary->penetration_geom[side] = data->contact_geom[2 * deepest + side];
  }
}

void limpet_summary_end(limpet_summary *summary, const limpet_model *model, limpet_data *data,
                        double wall_time, double processor_time) {
  summary->wall_time = wall_time;
  summary->processor_time = processor_time;
  limpet_summary_energies(model, data, summary->energy_end);
}

static int notes_unsupported(const limpet_model *model) {
  int count = 0;
  for (int i = 0; i < model->note_count; ++i) count += model->note[i].unsupported;
  return count;
}

static double mean_iterations(const limpet_summary *summary) {
  return summary->steps ? (double)summary->iterations / (double)summary->steps : 0.0;
}

static double real_time_factor(const limpet_summary *summary, const limpet_data *data) {
  return summary->wall_time > 0.0 ? (data->time - summary->start_time) / summary->wall_time : 0.0;
}

// ----------------------------------------------------------------------------------- in words

static void print_head(const limpet_summary *summary, const limpet_model *model,
                       const limpet_data *data, const limpet_step_settings *settings) {
  char step[LIMPET_QUANTITY_TEXT_SIZE], wall[LIMPET_QUANTITY_TEXT_SIZE],
      processor[LIMPET_QUANTITY_TEXT_SIZE];
  printf("model        %s: %d bod%s, %d velocit%s, %d actuator%s; scheme %s, contact %s\n",
         model->name ? model->name : "(unnamed)", model->body_count - 1,
         model->body_count == 2 ? "y" : "ies", model->nv, model->nv == 1 ? "y" : "ies", model->nu,
         model->nu == 1 ? "" : "s", limpet_scheme_descriptor(settings->scheme)->name,
         limpet_contact_model_descriptor(settings->contact_model)->name);
  printf("simulated    %.6g s in %" PRId64 " steps of %s\n", data->time - summary->start_time,
         summary->steps, limpet_quantity_text(step, settings->time_step, "s"));
  const double factor = real_time_factor(summary, data);
  printf("wall time    %s, %.*f times real time; processor time %s\n",
         limpet_quantity_text(wall, summary->wall_time, "s"), factor < 10.0 ? 2 : 0, factor,
         limpet_quantity_text(processor, summary->processor_time, "s"));
}

static double mean_substeps(const limpet_summary *summary) {
  return summary->steps ? (double)summary->substeps / (double)summary->steps : 0.0;
}

static void print_substeps(const limpet_summary *summary) {
  char text[LIMPET_QUANTITY_TEXT_SIZE];
  if (!summary->substeps) return;
  printf("substeps     %.3g a step on average, %.0f at most (at %.6g s), the shortest %s; %" PRId64
         " tries were too long\n",
         mean_substeps(summary), summary->substeps_most.value, summary->substeps_most.time,
         limpet_quantity_text(text, summary->shortest_substep, "s"), summary->rejected_substeps);
}

// What the iterations of a step are, by the family of its contact model.
static const char *iterations_word(const limpet_step_settings *settings) {
  switch (limpet_contact_model_family(settings->contact_model)) {
    case LIMPET_CONTACT_COMPLIANT: return "Newton iterations";
    case LIMPET_CONTACT_RIGID: return "interior-point and active-set iterations";
    case LIMPET_CONTACT_IMPULSIVE: break;
  }
  return "sweeps, pivots and barrier iterations";
}

static void print_solver(const limpet_summary *summary, const limpet_data *data,
                         const limpet_step_settings *settings) {
  printf("contacts     points: %d now (%d carry force), %.0f at most", data->info.contact_count,
         data->info.touching_count, summary->contacts_most.value);
  if (summary->contacts_most.value > 0.0) printf(" (at %.6g s)", summary->contacts_most.time);
  printf("\nsolver       %s a step: %.3g on average, %.0f at worst (at %.6g s)\n",
         iterations_word(settings), mean_iterations(summary), summary->iterations_most.value,
         summary->iterations_most.time);
  printf("residual     %.2g of the momentum at worst (at %.6g s), tolerance %.2g\n",
         summary->residual.value, summary->residual.time, settings->tolerance);
}

static void print_energy(const limpet_summary *summary) {
  char total[2][LIMPET_QUANTITY_TEXT_SIZE], part[2][2][LIMPET_QUANTITY_TEXT_SIZE];
  const double *energy[2] = {summary->energy_start, summary->energy_end};
  for (int i = 0; i < 2; ++i) {
    limpet_quantity_text(total[i], energy[i][0] + energy[i][1], "J");
    for (int k = 0; k < 2; ++k) limpet_quantity_text(part[i][k], energy[i][k], "J");
  }
  printf(
      "energy       %s at the start (kinetic %s, potential %s), %s at the end (kinetic %s, "
      "potential %s)\n",
      total[0], part[0][0], part[0][1], total[1], part[1][0], part[1][1]);
}

static void print_contact(const limpet_summary *summary, const limpet_model *model,
                          const limpet_step_settings *settings) {
  char text[LIMPET_QUANTITY_TEXT_SIZE], speed[LIMPET_QUANTITY_TEXT_SIZE], a[600], b[600];
  if (summary->penetration_geom[0] == LIMPET_NONE) {
    printf("penetration  none\n");
  } else {
    printf(
        "penetration  %s at the deepest, at %.6g s between %s and %s\n",
        limpet_quantity_text(text, summary->penetration.value, "m"), summary->penetration.time,
        limpet_object_label(a, sizeof a, model, LIMPET_OBJECT_GEOM, summary->penetration_geom[0]),
        limpet_object_label(b, sizeof b, model, LIMPET_OBJECT_GEOM, summary->penetration_geom[1]));
  }
  if (summary->creep.value > 0.0) {
    printf("creep        %s at the fastest in stiction (at %.6g s), stiction speed %s\n",
           limpet_quantity_text(text, summary->creep.value, "m/s"), summary->creep.time,
           limpet_quantity_text(speed, settings->stiction_speed, "m/s"));
  } else {
    printf("creep        none in stiction\n");
  }
}

static bool has_weld(const limpet_model *model) {
  for (int i = 0; i < model->loop_count; ++i)
    if (model->loop_kind[i] == LIMPET_LOOP_WELD) return true;
  return false;
}

static void print_loops(const limpet_summary *summary, const limpet_model *model,
                        const limpet_data *data) {
  char widest[LIMPET_QUANTITY_TEXT_SIZE], end[LIMPET_QUANTITY_TEXT_SIZE];
  if (!model->loop_count) return;
  printf("loops        %d, closed to %s at the end, %s at the widest (at %.6g s)\n",
         model->loop_count, limpet_quantity_text(end, data->info.loop_gap, "m"),
         limpet_quantity_text(widest, summary->loop_gap.value, "m"), summary->loop_gap.time);
  if (!has_weld(model)) return;
  printf("welds        turned by %s at the end, %s at most (at %.6g s)\n",
         limpet_quantity_text(end, data->info.loop_turn, "rad"),
         limpet_quantity_text(widest, summary->loop_turn.value, "rad"), summary->loop_turn.time);
}

static void print_warnings(const limpet_summary *summary, const limpet_model *model,
                           const limpet_data *data, const limpet_step_settings *settings) {
  const char *label = "warnings     ";
  const int count = limpet_warnings_print(&summary->warnings, model, data, settings, label);
  const int unsupported = notes_unsupported(model);
  if (unsupported)
    printf("%sparts of the file that are not simulated: %d (limpet check says which)\n",
           count ? "             " : label, unsupported);
  else if (!count) printf("%snone\n", label);
}

static void print_profile(const limpet_summary *summary) {
  double total = 0.0;
  char text[LIMPET_QUANTITY_TEXT_SIZE];
  for (int i = 0; i < LIMPET_STAGE_COUNT; ++i) total += summary->stage_time[i];
  const double steps = summary->steps ? (double)summary->steps : 1.0;
  printf("stages       %s a step\n", limpet_quantity_text(text, total / steps, "s"));
  for (int i = 0; i < LIMPET_STAGE_COUNT; ++i) {
    printf("  %d %-14s %10s  %5.1f %%\n", i + 1, limpet_stage_word((limpet_stage)i),
           limpet_quantity_text(text, summary->stage_time[i] / steps, "s"),
           total > 0.0 ? 100.0 * summary->stage_time[i] / total : 0.0);
  }
}

void limpet_summary_print(const limpet_summary *summary, const limpet_model *model,
                          const limpet_data *data, const limpet_step_settings *settings) {
  print_head(summary, model, data, settings);
  print_substeps(summary);
  print_solver(summary, data, settings);
  print_energy(summary);
  print_contact(summary, model, settings);
  limpet_surfaces_print(model, data);
  limpet_soft_print(model, data);
  print_loops(summary, model, data);
  print_warnings(summary, model, data, settings);
  if (settings->profile) print_profile(summary);
}

// ------------------------------------------------------------------------------------ in JSON

static json_t *peak_json(const limpet_peak *peak) {
  return json_pack("{s:o, s:o}", "value", limpet_json_number(peak->value), "time",
                   limpet_json_number(peak->time));
}

static json_t *energy_json(const double energy[2]) {
  return json_pack("{s:o, s:o, s:o}", "kinetic", limpet_json_number(energy[0]), "potential",
                   limpet_json_number(energy[1]), "total",
                   limpet_json_number(energy[0] + energy[1]));
}

// All fields; `normal_law` is the one that acts, `contact` the contact model's other name.
static json_t *settings_json(const limpet_step_settings *settings) {
  const limpet_normal_law *built_in = limpet_contact_model_normal_law(settings->contact_model);
  const limpet_normal_law *law = built_in ? built_in : settings->normal_law;
  json_t *object = limpet_json_record(limpet_step_settings_fields(), settings);
  json_object_set_new(object, "contact",
                      json_string(limpet_contact_model_descriptor(settings->contact_model)->name));
  json_object_set_new(object, "normal_law", json_string(law->descriptor.name));
  return object;
}

static json_t *penetration_json(const limpet_summary *summary, const limpet_model *model) {
  json_t *object = peak_json(&summary->penetration);
  static const char *const keys[2] = {"geom_a", "geom_b"};
  for (int side = 0; side < 2; ++side) {
    const int geom = summary->penetration_geom[side];
    const char *name =
        geom == LIMPET_NONE ? NULL : limpet_model_name(model, LIMPET_OBJECT_GEOM, geom);
    json_object_set_new(object, keys[side],
                        name                  ? limpet_json_text(name)
                        : geom == LIMPET_NONE ? json_null()
                                              : json_integer(geom));
  }
  return object;
}

static json_t *warnings_json(const limpet_model *model, const limpet_data *data) {
  json_t *outcomes = json_object();
  for (int i = LIMPET_OUTCOME_SOLVED; i < LIMPET_OUTCOME_COUNT; ++i) {
    json_object_set_new(outcomes, limpet_outcome_word((limpet_outcome)i),
                        json_integer(data->warning_count[i]));
  }
  return json_pack("{s:o, s:I, s:i, s:i}", "outcomes", outcomes, "clamped_controls",
                   (json_int_t)data->clamped_count, "notes", model->note_count, "notes_unsupported",
                   notes_unsupported(model));
}

// null where the scheme makes none.
static json_t *substeps_json(const limpet_summary *summary) {
  if (!summary->substeps) return json_null();
  return json_pack("{s:f, s:o, s:f, s:I, s:o}", "mean", mean_substeps(summary), "worst",
                   peak_json(&summary->substeps_most), "shortest", summary->shortest_substep,
                   "rejected", (json_int_t)summary->rejected_substeps, "error",
                   peak_json(&summary->warnings.substep));
}

json_t *limpet_summary_json(const limpet_summary *summary, const limpet_model *model,
                            const limpet_data *data, const limpet_step_settings *settings) {
  json_t *root = json_pack("{s:s, s:s, s:o, s:o}", "schema", "limpet.run/1", "version",
                           limpet_version(), "model", limpet_json_text(model->name), "model_hash",
                           limpet_json_hash(model->hash));
  json_object_set_new(root, "settings", settings_json(settings));
  json_object_set_new(root, "start_time", json_real(summary->start_time));
  json_object_set_new(root, "simulated_time", limpet_json_number(data->time - summary->start_time));
  json_object_set_new(root, "steps", json_integer(summary->steps));
  json_object_set_new(root, "wall_time", json_real(summary->wall_time));
  json_object_set_new(root, "processor_time", json_real(summary->processor_time));
  json_object_set_new(root, "real_time_factor",
                      limpet_json_number(real_time_factor(summary, data)));
  json_object_set_new(
      root, "contacts",
      json_pack("{s:i, s:i, s:o}", "now", data->info.contact_count, "touching",
                data->info.touching_count, "most", peak_json(&summary->contacts_most)));
  json_object_set_new(root, "iterations",
                      json_pack("{s:f, s:o}", "mean", mean_iterations(summary), "worst",
                                peak_json(&summary->iterations_most)));
  json_object_set_new(root, "substeps", substeps_json(summary));
  json_object_set_new(root, "residual", peak_json(&summary->residual));
  json_object_set_new(root, "energy",
                      json_pack("{s:o, s:o}", "start", energy_json(summary->energy_start), "end",
                                energy_json(summary->energy_end)));
  json_object_set_new(root, "penetration", penetration_json(summary, model));
  json_object_set_new(root, "surfaces", limpet_surfaces_json(data));
  json_object_set_new(root, "deformables", limpet_soft_json(model, data));
  json_object_set_new(root, "loop_gap",
                      model->loop_count ? peak_json(&summary->loop_gap) : json_null());
  json_object_set_new(root, "loop_turn",
                      has_weld(model) ? peak_json(&summary->loop_turn) : json_null());
  json_object_set_new(root, "coupler_error",
                      model->coupler_count ? peak_json(&summary->coupler_error) : json_null());
  json_object_set_new(root, "creep", peak_json(&summary->creep));
  json_object_set_new(root, "flight_error", peak_json(&summary->warnings.flight));
  json_object_set_new(root, "truth",
                      limpet_warnings_json(&summary->warnings, model, settings->contact_model));
  json_object_set_new(root, "warnings", warnings_json(model, data));
  json_object_set_new(root, "q", limpet_json_array(data->q, model->nq));
  json_object_set_new(root, "v", limpet_json_array(data->v, model->nv));
  json_object_set_new(root, "state_hash", limpet_json_hash(limpet_data_state_hash(model, data)));
  if (settings->profile) {
    json_t *stages = json_object();
    const double steps = summary->steps ? (double)summary->steps : 1.0;
    for (int i = 0; i < LIMPET_STAGE_COUNT; ++i) {
      json_object_set_new(stages, limpet_stage_word((limpet_stage)i),
                          json_real(summary->stage_time[i] / steps));
    }
    json_object_set_new(root, "stage_time", stages);
  }
  return root;
}
