/* step/adaptive.c: the scheme `adaptive`: the steps of `discrete`, as short as an error asks.
 *
 * A step of settings.time_step is made of substeps of length h. Each is solved three times:
 *   x1  one substep of h from x0
 *   x2  two of h/2 from x0: what is taken over
 *   e = max_i |q2 (-) q1|_i                   [m, rad]  in velocity coordinates, and of vertices
 * e is the error that x1 made more than x2, of order h^2 where the motion is smooth and of order h
 * where a contact begins within it. A substep is taken if e <= a (settings.accuracy), and the next
 * one, or the next try, has
 *   h <- h clamp(0.9 (a/e)^p, 0.1, 5)         p = 1/2; 1 from the second try of a substep on
 * divided so that equal substeps end the step. The first try is the whole step, always: nothing but
 * the state decides what a step does, so a restart goes on bit for bit alike. A substep that is not
 * solved is tried at a quarter of its length. No try is shorter than 1e-6 of the step: what misses
 * the accuracy there is taken over and told (info.substep_error, outcome). What no substep is short
 * enough for (a force of 1e300 N) would ask for a million of them: after a hundred that missed, one
 * substep ends the step, and the outcome tells it.
 *
 * Inputs are held over the step. Sensors read, and delays remember, at its start; contacts, forces
 * and constraints are those of the last substep.
 * Reference: Kurtz, Castro, CENIC (2025, arXiv 2511.08771), which takes e and h so; the lengths of
 * first tries, p and what becomes of unsolved substeps are ours. Cost: three solves a substep. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/workspace.h"
#include "step/flight.h"
#include "step/input.h"
#include "step/prepared.h"
#include "step/reports.h"

static const double safety = 0.9, least_factor = 0.1, most_factor = 5.0;  // [-]  of h
static const double unsolved_factor = 0.25;                               // [-]
static const double shortest_share = 1e-6;                                // [-]  of the step
static const double shortest_length = 1e-9;  // [s]  the least that a setting may be
enum { MISSED_LIMIT = 100 };                 // substeps taken at the shortest length, but missed

// What outlives the step memory of one substep: in its slot of the workspace.
typedef struct substep_memory {
  double *before, *start;  // (state size)  states at the start of the step, of the substep
  double *q;               // (nq)  end of one substep of h
  double *vertex;          // (vertex_count x 3)  [m]  the same
  double *difference;      // (nv)  [m, rad]  between both ends
  double numbers[];
} substep_memory;

// Counts of a world that a step raises by itself, however many substeps it has.
typedef struct step_counts {
  int64_t steps, warnings[LIMPET_OUTCOME_COUNT], clamped;
} step_counts;

// One step of settings.time_step on its way.
typedef struct progress {
  const limpet_model *model;
  limpet_data *data;
  const limpet_step_settings *settings;
  substep_memory *memory;
  double passed;        // [s]  of the step
  double length;        // [s]  h of the last half that was taken over; 0: none
  double overlap_made;  // [m]  of the first half, as it was first tried
  limpet_step_info info;
  bool taken;  // whether info has a substep
  int missed;  // substeps taken over that were not solved, or less accurate than asked
} progress;

static substep_memory *memory_of(const limpet_model *model, limpet_data *data) {
  limpet_workspace *workspace = data->workspace;
  if (workspace->object[LIMPET_SLOT_SUBSTEPS]) return workspace->object[LIMPET_SLOT_SUBSTEPS];
  const size_t state = (size_t)limpet_data_state_size(model), nq = (size_t)model->nq,
               vertices = 3 * (size_t)model->vertex_count, nv = (size_t)model->nv;
  substep_memory *memory =
      malloc(sizeof *memory + (2 * state + nq + vertices + nv) * sizeof(double));
  if (!memory) return NULL;
  memory->before = memory->numbers;
  memory->start = memory->before + state;
  memory->q = memory->start + state;
  memory->vertex = memory->q + nq;
  memory->difference = memory->vertex + vertices;
  workspace->object[LIMPET_SLOT_SUBSTEPS] = memory;
  workspace->destroy[LIMPET_SLOT_SUBSTEPS] = free;
  return memory;
}

static step_counts counts_of(const limpet_data *data) {
  step_counts counts = {.steps = data->step_count, .clamped = data->clamped_count};
  memcpy(counts.warnings, data->warning_count, sizeof counts.warnings);
  return counts;
}

// ------------------------------------------------------------------------------- a substep

static limpet_outcome commit_half(progress *p, bool first, limpet_step_prepared *prepared,
                                  const limpet_step_result *result) {
  if (prepared->work) prepared->work->continues = p->passed > 0.0 || !first;
  return limpet_step_commit(p->model, p->data, prepared, result);
}

// The guess of the change of v where the last one was made in another length.
static void guess_change(progress *p, double h) {
  const double share = p->length > 0.0 ? fmin(h / p->length, 1.0) : 1.0;
  for (int i = 0; i < p->model->nv; ++i) p->data->warm_start[i] *= share;
}

// Keeps where one substep of h ends, and guesses half of its change for each half.
static void keep_whole(progress *p, const limpet_step_solution *solution) {
  substep_memory *m = p->memory;
  const limpet_data *data = p->data;
  memcpy(m->q, solution->q, (size_t)p->model->nq * sizeof *m->q);
  const size_t vertices = 3 * (size_t)p->model->vertex_count;
  if (vertices > 0) memcpy(m->vertex, solution->vertex_position, vertices * sizeof *m->vertex);
  for (int i = 0; i < p->model->nv; ++i) data->warm_start[i] = 0.5 * (solution->v[i] - data->v[i]);
}

// [m, rad]  e, with the two halves taken over.
static double estimate(progress *p) {
  const substep_memory *m = p->memory;
  limpet_difference_position(p->model, m->difference, m->q, p->data->q);
  double most = 0.0;
  for (int i = 0; i < p->model->nv; ++i) most = fmax(most, fabs(m->difference[i]));
  for (int i = 0; i < 3 * p->model->vertex_count; ++i)
    most = fmax(most, fabs(p->data->vertex_position[i] - m->vertex[i]));
  return most;
}

/* One substep from memory->start, tried with h; on return the state is that of its end. Returns the
 * worse outcome of its halves; `error`: e, `halves`: what they say of themselves. */
static limpet_outcome try_substep(progress *p, double h, double *error, limpet_step_info *halves) {
  limpet_step_prepared prepared;
  limpet_step_result result;
  guess_change(p, h);
  limpet_step_solve(p->model, p->data, p->settings, h, &prepared, &result);
  limpet_report_spend(&p->info, &result.info);
  *halves = (limpet_step_info){0};
  if (limpet_outcome_failed(result.outcome)) {
    p->data->info = result.info;
    p->data->info.energy_rise = NAN;
    return result.outcome;
  }
  keep_whole(p, result.solution);

  limpet_outcome worst = LIMPET_OUTCOME_SOLVED;
  for (int half = 0; half < 2; ++half) {
    p->data->workspace->keeps_parts = true;
    limpet_step_solve(p->model, p->data, p->settings, 0.5 * h, &prepared, &result);
    const limpet_outcome outcome = commit_half(p, half == 0, &prepared, &result);
    p->data->workspace->keeps_parts = false;
    if (half == 0) {
      p->overlap_made = fmax(p->overlap_made, p->data->info.overlap_made);
      *halves = p->data->info;
    } else {
      limpet_report_join(halves, &p->data->info);
    }
    if (outcome > worst) worst = outcome;
    if (limpet_outcome_failed(outcome)) return outcome;
  }
  *error = estimate(p);
  return worst;
}

static void take_over(progress *p, double h, double error, limpet_step_info *halves) {
  halves->overlap_made = fmax(halves->overlap_made, p->overlap_made);
  halves->substep_count = 1;
  halves->shortest_substep = h;
  halves->substep_error = error;
  if (p->taken) {
    limpet_report_join(&p->info, halves);
  } else {
    limpet_report_spend(halves, &p->info);
    halves->rejected_substeps = p->info.rejected_substeps;
    p->info = *halves;
  }
  p->taken = true;
  p->passed += h;
  p->length = 0.5 * h;
  p->overlap_made = 0.0;
}

// ------------------------------------------------------------------------------- a step

/* The next substep, from its first try to the one that is taken; h: its length, then that of the
 * next. The outcome is a failed one where it cannot be made. */
static limpet_outcome make_substep(progress *p, double *h) {
  const double step = p->settings->time_step, accuracy = p->settings->accuracy;
  const double shortest = fmax(shortest_share * step, shortest_length);
  limpet_workspace_state_pack(p->data, p->memory->start);
  const bool usable = limpet_input_state_is_usable(p->model, p->data);
  for (int tries = 0;; ++tries) {
    // equal substeps to the end of the step, none longer than h
    const double left = step - p->passed, count = ceil(left / *h - 1e-9);
    const bool gives_up = p->missed >= MISSED_LIMIT;
    const double length = count > 1.0 && !gives_up ? left / count : left;
    const bool last_try = gives_up || length <= 2.0 * shortest * (1.0 + 1e-6);
    limpet_step_info halves;
    double error = INFINITY;
    const limpet_outcome outcome = try_substep(p, length, &error, &halves);
    if (outcome == LIMPET_OUTCOME_OUT_OF_MEMORY || outcome == LIMPET_OUTCOME_BAD_INPUT)
      return outcome;
    const bool failed = limpet_outcome_failed(outcome);
    // what is held since its state is none is held in a shorter substep, too
    const bool solved = outcome < LIMPET_OUTCOME_ITERATION_LIMIT ||
                        (outcome == LIMPET_OUTCOME_ISLAND_FAILED && !usable);
    if (failed && last_try) return outcome;
    double factor = unsolved_factor;
    if (solved) {
      const double power = tries > 0 && error > accuracy ? 1.0 : 0.5;
      factor = safety * pow(accuracy / error, power);
      factor = fmin(fmax(factor, least_factor), most_factor);
    }
    *h = fmax(factor * length, 2.0 * shortest);
    if (last_try || (solved && error <= accuracy)) {
      take_over(p, length, error, &halves);
      p->missed += !(solved && error <= accuracy);
      const bool missed = solved && error > accuracy && outcome < LIMPET_OUTCOME_ITERATION_LIMIT;
      return missed ? LIMPET_OUTCOME_ITERATION_LIMIT : outcome;
    }
    limpet_report_spend(&p->info, &halves);
    ++p->info.rejected_substeps;
    limpet_workspace_state_unpack(p->data, p->memory->start);
  }
}

static limpet_outcome adaptive_advance(const limpet_model *model, limpet_data *data,
                                       const limpet_step_settings *settings) {
  const step_counts counts = counts_of(data);
  const double time = data->time;
  progress p = {.model = model, .data = data, .settings = settings};
  limpet_outcome outcome = LIMPET_OUTCOME_SOLVED;
  p.memory = memory_of(model, data);
  if (!p.memory) outcome = LIMPET_OUTCOME_OUT_OF_MEMORY;
  if (p.memory) limpet_workspace_state_pack(data, p.memory->before);
  for (double h = settings->time_step;
       !limpet_outcome_failed(outcome) && p.passed < settings->time_step * (1.0 - 1e-12);) {
    const limpet_outcome part = make_substep(&p, &h);
    if (part > outcome) outcome = part;
  }

  // one step of the world, or none
  const bool failed = limpet_outcome_failed(outcome);
  if (failed && p.memory) limpet_workspace_state_unpack(data, p.memory->before);
  if (!failed) {
    data->time = time + settings->time_step;
    data->info = p.info;
  }
  data->info.outcome = outcome;
  data->step_count = counts.steps + 1;
  memcpy(data->warning_count, counts.warnings, sizeof counts.warnings);
  ++data->warning_count[outcome];
  data->clamped_count = counts.clamped + (failed ? 0 : data->info.clamped_controls);
  return outcome;
}

static const limpet_parameter parameters[] = {
    LIMPET_SETTING("time_step", NAN, "length of a step, and of the longest substep"),
    LIMPET_SETTING("accuracy", NAN,
                   "what a coordinate, or a vertex, may differ by between one substep and two of "
                   "half its length"),
    LIMPET_SETTING("tolerance", NAN, "relative momentum residual at which the solver stops"),
    LIMPET_SETTING("iteration_limit", NAN,
                   "Newton iterations of a substep, look, round or weaker return, at most"),
    LIMPET_SETTING(
        "speculative_distance", NAN,
        "geoms closer than this, or closing within the substep, take part before they touch"),
};

const limpet_scheme limpet_scheme_adaptive = {
    .descriptor = {.name = "adaptive",
                   .text = "The steps of `discrete`, divided where the motion asks for it: each "
                           "substep is solved once whole and once in two halves, and is as long "
                           "as the difference of the positions allows. Three solves a substep. "
                           "No gradients.",
                   .reference = "Kurtz, Castro, CENIC (2025), arXiv 2511.08771",
                   .parameter_count = sizeof parameters / sizeof parameters[0],
                   .parameters = parameters},
    .free_motion = limpet_discrete_motion,
    .advance = adaptive_advance,
};
