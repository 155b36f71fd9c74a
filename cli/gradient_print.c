/* cli/gradient_print.c: the report of `limpet gradient` in words and as JSON. */
#include <math.h>
#include <stdio.h>

#include "gradient.h"
#include "json.h"

static const char *const block_words[LIMPET_REPORT_BLOCKS] = {"pose", "velocity", "control"};
enum { LABEL = 160, CONTACTS_SHOWN = 30 };

// "joint "elbow"", "joint "ball" (4 of 6)", "actuator "grip"".
static void column_label(char *text, const limpet_model *model,
                         const limpet_gradient_column *column) {
  char object[LABEL];
  if (column->group == LIMPET_REPORT_CONTROL) {
    limpet_object_label(text, LABEL, model, LIMPET_OBJECT_ACTUATOR, column->index);
    return;
  }
  const int joint = model->dof_joint[column->index],
            width = limpet_joint_kind_nv(model->joint_kind[joint]);
  limpet_object_label(object, sizeof object, model, LIMPET_OBJECT_JOINT, joint);
  if (width == 1) snprintf(text, LABEL, "%.100s", object);
  else
    snprintf(text, LABEL, "%.100s (%d of %d)", object, column->index - model->joint_v[joint] + 1,
             width);
}

// Friction over its bound: 1 slides, below it sticks.
static double friction_share(const limpet_data *data, int contact) {
  const double *f = data->contact_force + 3 * contact,
               bound = data->contact_friction[contact] * f[2];
  return bound > 0.0 ? hypot(f[0], f[1]) / bound : 0.0;
}

// [m/s]  change of the contact's normal speed at which its force ends or begins; NAN: not known.
static double contact_margin(const limpet_gradient_report *report, int contact) {
  const limpet_gradient *g = report->gradient;
  return g->contact_margin && contact < g->contact_count ? g->contact_margin[contact] : NAN;
}

static void contacts_print(const limpet_gradient_report *report) {
  const limpet_data *data = report->data;
  const limpet_model *model = report->model;
  if (data->contact_count == 0) return;
  printf(
      "\ncontacts                                               distance m     force N  "
      "friction of its bound\n");
  for (int i = 0; i < data->contact_count && i < CONTACTS_SHOWN; ++i) {
    char a[LABEL], b[LABEL], pair[2 * LABEL + 8];
    limpet_object_label(a, sizeof a, model, LIMPET_OBJECT_GEOM, data->contact_geom[2 * i]);
    limpet_object_label(b, sizeof b, model, LIMPET_OBJECT_GEOM, data->contact_geom[2 * i + 1]);
    snprintf(pair, sizeof pair, "%s, %s", a, b);
    const double force = data->contact_force[3 * i + 2], share = friction_share(data, i);
    printf("  %-46.46s %12.3g %9.4g %23.3g  %.3g %s\n", pair, data->contact_distance[i], force,
           contact_margin(report, i), share,
           !(force > 0.0)            ? "open"
           : data->contact_sticks[i] ? "sticks"
                                     : "slides");
  }
  if (data->contact_count > CONTACTS_SHOWN)
    printf("  and %d more\n", data->contact_count - CONTACTS_SHOWN);
}

static void kinks_print(const limpet_gradient_report *report) {
  const limpet_gradient *g = report->gradient;
  int flagged = 0;
  for (int i = 0; i < report->column_count; ++i) flagged += report->column[i].kink > 0.0;
  printf("\nkinks        %d of %d columns", flagged, report->column_count);
  if (g->weak_count) printf("; %d rows touch without a force", g->weak_count);
  if (g->dependent_count) printf("; %d rows depend on others", g->dependent_count);
  printf("\n");
  for (int i = 0; i < report->column_count; ++i) {
    const limpet_gradient_column *column = &report->column[i];
    char label[LABEL];
    if (!(column->kink > 0.0)) continue;
    column_label(label, report->model, column);
    printf("  %-8s of %-40s ", block_words[column->group], label);
    if (isinf(column->kink)) printf("both sides differ\n");
    else printf("a contact or row leaves at %.3g m/s or rad/s per unit\n", column->kink);
  }
}

static void jump_print(const limpet_gradient_report *report) {
  static const char *const causes[] = {
      [LIMPET_JUMP_CONTACTS] = "other contacts take part there",
      [LIMPET_JUMP_ROWS] = "other limits, loops or actuators take part there",
      [LIMPET_JUMP_RULES] = "trees fly by other rules there",
      [LIMPET_JUMP_LOOKS] = "the step is solved anew on one side",
      [LIMPET_JUMP_SOLUTION] = "to another solution of the same contacts",
      [LIMPET_JUMP_END] = "trees end the step by other rules there"};
  const limpet_gradient_jump *jump = &report->jump;
  if (!(report->jump_width > 0.0)) return;
  if (jump->cause == LIMPET_JUMP_NONE) {
    printf("\njumps        none found within %g of the start, by %d steps\n", report->jump_width,
           jump->steps);
    return;
  }
  printf("\njumps        by %.2g m/s or rad/s, %.2g from the start: %s", jump->size, jump->distance,
         causes[jump->cause]);
  if (jump->contact != LIMPET_NONE) printf(" (contact %d)", jump->contact);
  printf("\n");
}

// Columns of pose and velocity that came from differences of the whole assembly.
static int differences_count(const limpet_gradient_report *report) {
  int count = 0;
  for (int i = 0; i < report->model->nv && report->gradient->by_differences; ++i)
    count += report->gradient->by_differences[i];
  return count;
}

static void differences_print(const limpet_gradient_report *report) {
  const int count = differences_count(report);
  if (count == 0) return;
  printf(
      "differences  columns of pose and velocity of %d of %d velocities have no closed form:\n"
      "             relative error 1e-8 or so, 1e-7 with stiff loops or meshes\n",
      count, report->model->nv);
}

static void smoothing_print(const limpet_gradient_smoothing *s) {
  if (s->kind == LIMPET_SMOOTHING_BARRIER)
    printf("smoothing    barrier of %g J, range %g m, slip %g m/s: derivatives, not the step\n",
           s->energy, s->range, s->slip_speed);
  if (s->kind == LIMPET_SMOOTHING_RANDOM)
    printf("smoothing    mean of %d steps, spread %g m or rad, %g m/s or rad/s, controls %g\n",
           s->samples, s->spread_position, s->spread_velocity, s->spread_control);
}

static void soft_print(const limpet_gradient_report *report) {
  const limpet_gradient_soft *soft = &report->soft;
  if (soft->directions == 0) return;
  printf("\nvelocities after the step by vertices, along %d random directions\n", soft->directions);
  printf("  positions: %.2g from differences; velocities: %.2g; backwards from forwards: %.2g\n",
         soft->by_position, soft->by_velocity, soft->transposed);
  if (report->gradient->carried_count > 0 || report->gradient->vertex_kink_count > 0)
    printf("  kinks: %d contacts change their feature near by, %d coordinates of vertices\n",
           report->gradient->carried_count, report->gradient->vertex_kink_count);
  if (isfinite(report->gradient->elastic_margin))
    printf(
        "  elastic laws: slopes of steps scatter by %.1g or so; residuals are a factor of %.3g or "
        "more from the tolerance\n",
        report->gradient->elastic_scatter, exp(report->gradient->elastic_margin));
  printf("  time of a product: %.3g ms forwards, %.3g ms backwards\n", 1e3 * soft->forward_time,
         1e3 * soft->backward_time);
}

static json_t *soft_json(const limpet_gradient_report *report) {
  const limpet_gradient_soft *soft = &report->soft;
  if (soft->directions == 0) return json_null();
  return json_pack(
      "{s:i, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:o, s:o}", "directions", soft->directions,
      "position_error", limpet_json_number(soft->by_position), "velocity_error",
      limpet_json_number(soft->by_velocity), "transposed", limpet_json_number(soft->transposed),
      "elastic_scatter", limpet_json_number(report->gradient->elastic_scatter), "elastic_margin",
      limpet_json_number(report->gradient->elastic_margin), "contacts_at_kinks",
      report->gradient->carried_count, "vertex_kinks", report->gradient->vertex_kink_count,
      "forward_time", limpet_json_number(soft->forward_time), "backward_time",
      limpet_json_number(soft->backward_time));
}

void limpet_gradient_report_print(const limpet_gradient_report *report) {
  const limpet_data *data = report->data;
  printf("%s: step at %.9g s, %s, time step %g s\n", report->path,
         data->time - report->settings.time_step, limpet_outcome_word(data->info.outcome),
         report->settings.time_step);
  const int nv = report->model->nv, nu = report->model->nu, rows = data->info.constraint_count;
  printf("sizes        %d velocit%s, %d control%s, %d contact%s, %d constraint row%s\n", nv,
         nv == 1 ? "y" : "ies", nu, nu == 1 ? "" : "s", data->contact_count,
         data->contact_count == 1 ? "" : "s", rows, rows == 1 ? "" : "s");
  if (data->info.condition_number > 0.0)
    printf("condition    %.3g of the step's equations\n", data->info.condition_number);
  smoothing_print(&report->wanted.smoothing);
  differences_print(report);
  printf("\nvelocity after the step by   columns   largest entry   from differences   kinks\n");
  for (int i = 0; i < LIMPET_REPORT_BLOCKS; ++i) {
    const limpet_gradient_block *block = &report->block[i];
    if (block->columns > 0)
      printf("  %-26s %7d %15.4g %18.2g %7d\n", block_words[i], block->columns, block->largest,
             block->error, block->flagged);
  }
  soft_print(report);
  kinks_print(report);
  jump_print(report);
  contacts_print(report);
  printf("\ntime         %.3g ms with derivatives, %.3g ms without: %.3g steps\n",
         1e3 * report->gradient_time, 1e3 * report->step_time,
         report->gradient_time / report->step_time);
}

static json_t *jump_json(const limpet_gradient_report *report) {
  const limpet_gradient_jump *jump = &report->jump;
  if (!(report->jump_width > 0.0)) return json_null();
  return json_pack("{s:o, s:s, s:o, s:o, s:i, s:i, s:i}", "width",
                   limpet_json_number(report->jump_width), "cause", limpet_jump_word(jump->cause),
                   "distance", limpet_json_number(jump->distance), "size",
                   limpet_json_number(jump->size), "dof", jump->dof, "contact", jump->contact,
                   "steps", jump->steps);
}

void limpet_gradient_report_json(const limpet_gradient_report *report) {
  const limpet_data *data = report->data;
  json_t *blocks = json_object(), *kinks = json_array(), *contacts = json_array();
  for (int i = 0; i < LIMPET_REPORT_BLOCKS; ++i) {
    const limpet_gradient_block *block = &report->block[i];
    json_object_set_new(blocks, block_words[i],
                        json_pack("{s:i, s:o, s:o, s:i}", "columns", block->columns, "largest",
                                  limpet_json_number(block->largest), "error",
                                  limpet_json_number(block->error), "kinks", block->flagged));
  }
  for (int i = 0; i < report->column_count; ++i) {
    const limpet_gradient_column *column = &report->column[i];
    char label[LABEL];
    if (!(column->kink > 0.0)) continue;
    column_label(label, report->model, column);
    json_array_append_new(
        kinks,
        json_pack("{s:s, s:i, s:o, s:o, s:o}", "by", block_words[column->group], "index",
                  column->index, "name", limpet_json_text(label), "rate",
                  limpet_json_number(column->kink), "error", limpet_json_number(column->error)));
  }
  for (int i = 0; i < data->contact_count; ++i)
    json_array_append_new(
        contacts, json_pack("{s:i, s:i, s:o, s:o, s:o}", "geom_a", data->contact_geom[2 * i],
                            "geom_b", data->contact_geom[2 * i + 1], "distance",
                            limpet_json_number(data->contact_distance[i]), "force",
                            limpet_json_number(data->contact_force[3 * i + 2]), "friction_share",
                            limpet_json_number(friction_share(data, i))));
  json_t *root =
      json_pack("{s:s, s:o, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
                "limpet.gradient/1", "file", limpet_json_text(report->path), "smoothing",
                limpet_smoothing_word(report->wanted.smoothing.kind), "time",
                limpet_json_number(data->time - report->settings.time_step), "outcome",
                limpet_outcome_word(data->info.outcome), "condition_number",
                limpet_json_number(data->info.condition_number), "blocks", blocks, "kinks", kinks,
                "contacts", contacts, "step_time", limpet_json_number(report->step_time),
                "gradient_time", limpet_json_number(report->gradient_time));
  json_object_set_new(root, "by_differences", json_integer(differences_count(report)));
  json_object_set_new(root, "deformables", soft_json(report));
  json_object_set_new(root, "jump", jump_json(report));
  limpet_json_print(root, stdout, false);
  json_decref(root);
}
