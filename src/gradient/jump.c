/* gradient/jump.c: see limpet/gradient_jump.h.
 *
 * f is a step from a state moved by t d. An interval [a, b] of t over which f changes by more than
 * `felt` is halved, and the half that changes more is kept, until b - a = narrow h: there a smooth
 * step changes by some narrow, since no velocity follows a position by more than a few 1/h. What
 * changes less on the way is smooth. A jump that is smaller than what else bends in its interval
 * may be lost: intervals nearer to the start bend less.
 * Cost: 2 steps a decade and direction, about 10 more where an interval is halved. */
#include "gradient/jump.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "gradient/deviate.h"
#include "limpet/dynamics.h"
#include "math/dense.h"
#include "model/workspace.h"
#include "step/flight.h"
#include "step/prepared.h"

static const double felt = 1e-6;      // [m/s, rad/s]  smaller jumps are not looked for
static const double nearest = 1e-10;  // [m, rad, m/s, rad/s]  first interval
static const double narrow = 5e-9;    // [m/s, rad/s]  times h: width of what is a jump
// [-]  of steps, the first that they reach: soft bodies end at their round-off before
static const double look_tolerances[] = {1e-12, 1e-10, 1e-8};
enum { LOOK_ITERATIONS = 200, CAUSES = LIMPET_JUMP_END + 1 };

// A step from a moved state.
typedef struct look {
  double at;       // t
  double *v;       // velocities at its end, those of vertices included
  double *solved;  // those that were solved for
  int solved_count;
  uint64_t decided[CAUSES];  // by cause: a number that changes with its decisions
  double geometry;  // a sum of normals and distances of contacts, with weights of their own
} look;

typedef struct search {
  limpet_gradient_workspace *w;
  limpet_data *world;
  limpet_step_settings settings;
  int size, room;  // of v, of solved
  int steps;
  double *direction;  // (2 size)
  double width;       // of what is a jump
  look base, low, high, middle, outer;
} search;

const char *limpet_jump_word(limpet_jump_cause cause) {
  static const char *const words[] = {"none",  "contacts", "rows", "rules",
                                      "looks", "solution", "end"};
  assert(cause >= LIMPET_JUMP_NONE && cause <= LIMPET_JUMP_END);
  return words[cause];
}

// ------------------------------------------------------------------------------------ decisions

static uint64_t mix(uint64_t hash, uint64_t x) {
  hash ^= x + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2);
  hash *= 0xff51afd7ed558ccdull;
  return hash ^ hash >> 29;
}

static uint64_t contacts_of(const limpet_contact_records *records) {
  uint64_t hash = (uint64_t)records->count;
  for (int i = 0; i < records->count; ++i) {
    const limpet_geom_pair *geoms = &records->pair[records->record[i].pair].geoms;
    hash = mix(hash, (uint64_t)geoms->geom_a << 32 | (uint64_t)geoms->geom_b);
    hash = mix(hash, records->record[i].feature);
  }
  return hash;
}

// Where the nearest feature of a shape is another one, points may keep their number.
static double geometry_of(const limpet_contact_records *records) {
  double sum = 0.0;
  for (int i = 0; i < records->count; ++i) {
    const limpet_contact_record *record = &records->record[i];
    for (int k = 0; k < 3; ++k) sum += limpet_deviate(2, i, k) * record->frame[6 + k];
    sum += limpet_deviate(2, i, 3) * record->distance;
  }
  return sum;
}

static uint64_t rows_of(const limpet_contact_problem *problem) {
  uint64_t hash = mix((uint64_t)problem->row_count, (uint64_t)problem->entry_count);
  for (int i = 0; i < problem->entry_count; ++i) hash = mix(hash, (uint64_t)problem->entry_dof[i]);
  return hash;
}

static uint64_t rules_of(const limpet_data *world, const limpet_flight *flight) {
  const limpet_model *model = world->model;
  uint64_t hash = 0;
  for (int i = 0; i < 2 * model->tree_count; ++i)
    hash = mix(hash, (uint64_t)world->workspace->turn_parts[i]);
  for (int t = 0; t < model->tree_count && flight; ++t) {
    const limpet_flight_balance *balance = &flight->balance[t];
    hash = mix(hash, (uint64_t)limpet_flight_parts(flight, t));
    if (limpet_flight_alone(flight, t)) continue;
    hash = mix(hash, (uint64_t)(balance->renewals + 1));
    hash = mix(hash, (uint64_t)(balance->share > 0.0) + 2 * (uint64_t)(balance->share < 1.0) +
                         4 * (uint64_t)balance->bounded);
    hash = mix(hash, (uint64_t)balance->stays + 2 * (uint64_t)flight->centred[t]);
  }
  return hash;
}

static uint64_t end_of(const limpet_model *model, const limpet_flight *flight) {
  uint64_t hash = 0;
  for (int t = 0; t < model->tree_count && flight; ++t) {
    hash = mix(hash, (uint64_t)flight->branch[t]);
    if (limpet_flight_alone(flight, t)) continue;
    hash = mix(hash, (uint64_t)flight->balance[t].turns);
    hash = mix(hash, flight->balance[t].held < LIMPET_FLIGHT_HELD_OUTSIDE);
  }
  return hash;
}

static uint64_t looks_of(const limpet_step_info *info) {
  const int counts[] = {info->repeats,          info->restrained_returns, info->restrained_rebounds,
                        info->bounded_contacts, info->elastic_rounds,     info->crossing_rounds};
  uint64_t hash = 0;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) hash = mix(hash, (uint64_t)counts[i]);
  return hash;
}

static void decide(const search *s, const limpet_solved_step *solved, look *to) {
  to->decided[LIMPET_JUMP_CONTACTS] = contacts_of(&solved->records);
  to->geometry = geometry_of(&solved->records);
  to->decided[LIMPET_JUMP_ROWS] = rows_of(&solved->problem);
  to->decided[LIMPET_JUMP_RULES] = rules_of(s->world, solved->motion.flight);
  to->decided[LIMPET_JUMP_LOOKS] = looks_of(&s->world->info);
  to->decided[LIMPET_JUMP_END] = end_of(s->w->model, solved->motion.flight);
}

// ------------------------------------------------------------------------------------ steps

// False: the step was not solved.
static bool step_at(search *s, double at, look *to) {
  const limpet_model *model = s->w->model;
  const size_t nv = (size_t)model->nv;
  const int vertices = 3 * model->vertex_count;
  const double *by_q = s->direction, *by_v = s->direction + s->size;
  limpet_data *world = s->world;
  limpet_gradient_start(s->w->world, world);
  limpet_integrate_position(model, world->q, world->q, by_q, at, false);
  limpet_axpy(model->nv, at, by_v, world->v);
  if (vertices > 0) {
    limpet_axpy(vertices, at, by_q + nv, world->vertex_position);
    limpet_axpy(vertices, at, by_v + nv, world->vertex_velocity);
  }
  memset(world->workspace->turn_parts, 0,
         2 * (size_t)model->tree_count * sizeof *world->workspace->turn_parts);
  ++s->steps;
  const limpet_outcome outcome = limpet_step(model, world, &s->settings);
  if (outcome != LIMPET_OUTCOME_SOLVED && outcome != LIMPET_OUTCOME_PRECISION_LIMIT) return false;
  const limpet_solved_step *solved = limpet_solved_step_of(world);
  if (!solved) return false;
  to->at = at;
  memcpy(to->v, world->v, nv * sizeof *to->v);
  if (vertices > 0) memcpy(to->v + nv, world->vertex_velocity, (size_t)vertices * sizeof *to->v);
  to->solved_count = solved->problem.nv < s->room ? solved->problem.nv : s->room;
  memcpy(to->solved, solved->solution.v, (size_t)to->solved_count * sizeof *to->solved);
  decide(s, solved, to);
  return true;
}

static double change(int count, const double *a, const double *b, int *which) {
  double most = 0.0;
  for (int i = 0; i < count; ++i) {
    const double by = fabs(a[i] - b[i]);
    if (!(by > most)) continue;
    most = by;
    if (which) *which = i;
  }
  return most;
}

static void swap(look *a, look *b) {
  const look kept = *a;
  *a = *b;
  *b = kept;
}

// Whether f jumps between low and high, which end beside the jump.
static bool jumps(search *s) {
  double most = change(s->size, s->low.v, s->high.v, NULL);
  while (most > felt && fabs(s->high.at - s->low.at) > s->width) {
    if (!step_at(s, 0.5 * (s->low.at + s->high.at), &s->middle)) return false;
    const double below = change(s->size, s->low.v, s->middle.v, NULL),
                 above = change(s->size, s->middle.v, s->high.v, NULL);
    swap(below > above ? &s->high : &s->low, &s->middle);
    most = below > above ? below : above;
  }
  return most > felt;
}

static void copy(const search *s, const look *from, look *to) {
  double *v = to->v, *solved = to->solved;
  memcpy(v, from->v, (size_t)s->size * sizeof *v);
  memcpy(solved, from->solved, (size_t)from->solved_count * sizeof *solved);
  *to = *from;
  to->v = v, to->solved = solved;
}

// Along one way of the direction, as far as `width`. Whether low and high stand beside a jump.
static bool search_way(search *s, double sign, double width) {
  copy(s, &s->base, &s->low);
  for (double at = nearest < width ? nearest : width;; at *= 10.0) {
    if (at > width) at = width;
    if (!step_at(s, sign * at, &s->high)) return false;
    // the outer end begins the next interval, where there is no jump in this one
    copy(s, &s->high, &s->outer);
    if (jumps(s)) return true;
    copy(s, &s->outer, &s->low);
    if (!(at < width)) return false;
  }
}

// ------------------------------------------------------------------------------------ results

// The first decision that differs between both sides.
static limpet_jump_cause cause_of(const search *s) {
  if (fabs(s->high.geometry - s->low.geometry) > felt) return LIMPET_JUMP_CONTACTS;
  for (limpet_jump_cause cause = LIMPET_JUMP_CONTACTS; cause < LIMPET_JUMP_SOLUTION; ++cause)
    if (s->low.decided[cause] != s->high.decided[cause]) return cause;
  const bool solved = s->low.solved_count != s->high.solved_count ||
                      change(s->low.solved_count, s->low.solved, s->high.solved, NULL) > felt;
  return solved ? LIMPET_JUMP_SOLUTION : LIMPET_JUMP_END;
}

// force (contacts of the step x 3) += sign times those of the last step of the world.
static void add_forces(const search *s, double sign, double *force) {
  const limpet_contact_records *own = &s->w->solved->records;
  const limpet_solved_step *there = limpet_solved_step_of(s->world);
  for (int i = 0; i < there->problem.contact_count; ++i) {
    const limpet_contact_record *record = &there->records.record[there->problem.contact_source[i]];
    const limpet_geom_pair *geoms = &there->records.pair[record->pair].geoms;
    for (int k = 0; k < own->count; ++k) {
      const limpet_geom_pair *other = &own->pair[own->record[k].pair].geoms;
      if (own->record[k].feature != record->feature || other->geom_a != geoms->geom_a ||
          other->geom_b != geoms->geom_b)
        continue;
      for (int j = 0; j < 3; ++j) force[3 * k + j] += sign * there->solution.gamma[3 * i + j];
      break;
    }
  }
}

// The contact of the step whose force jumps most.
static limpet_status find_contact(search *s, limpet_gradient_jump *jump) {
  const int count = s->w->solved->records.count;
  double *force = LIMPET_TAKE_ZERO(&s->w->arena, double, 3 * count + 1), most = 0.0;
  const double ends[2] = {s->low.at, s->high.at};
  if (!force) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < 2; ++i)
    if (step_at(s, ends[i], &s->middle)) add_forces(s, i == 0 ? -1.0 : 1.0, force);
  for (int k = 0; k < count; ++k) {
    const double by = limpet_dot(3, force + 3 * k, force + 3 * k);
    if (by > most) most = by, jump->contact = k;
  }
  return LIMPET_OK;
}

static limpet_status take_look(search *s, look *to) {
  *to = (look){.v = LIMPET_TAKE(&s->w->arena, double, s->size + s->room + 1)};
  if (!to->v) return LIMPET_ERROR_MEMORY;
  to->solved = to->v + s->size;
  return LIMPET_OK;
}

static limpet_status take(search *s) {
  limpet_gradient_workspace *w = s->w;
  if (!w->jump_world) w->jump_world = limpet_data_create(w->model);
  s->world = w->jump_world;
  s->direction = LIMPET_TAKE_ZERO(&w->arena, double, 2 * s->size + 1);
  const bool none = !s->world || !s->direction || take_look(s, &s->base) || take_look(s, &s->low) ||
                    take_look(s, &s->high) || take_look(s, &s->middle) || take_look(s, &s->outer);
  return none ? LIMPET_ERROR_MEMORY : LIMPET_OK;
}

static void keep_nearest(const search *s, limpet_gradient_jump *jump) {
  const double distance = fmax(fabs(s->low.at), fabs(s->high.at));
  if (!(distance < jump->distance)) return;
  jump->distance = distance;
  jump->cause = cause_of(s);
  jump->size = change(s->size, s->low.v, s->high.v, &jump->dof);
  if (jump->dof >= s->w->model->nv) jump->dof = LIMPET_NONE;
}

limpet_status limpet_gradient_look_for_jump(limpet_gradient_workspace *w,
                                            limpet_gradient_jump *jump) {
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  search s = {.w = w,
              .settings = w->settings,
              .size = w->model->nv + 3 * w->model->vertex_count,
              .room = w->model->nv + 3 * w->model->vertex_count,
              .width = narrow * w->settings.time_step};
  if (take(&s)) return LIMPET_ERROR_MEMORY;
  if (s.settings.iteration_limit < LOOK_ITERATIONS) s.settings.iteration_limit = LOOK_ITERATIONS;
  bool solved = false;
  for (size_t i = 0; i < sizeof look_tolerances / sizeof *look_tolerances && !solved; ++i) {
    s.settings.tolerance = fmin(w->settings.tolerance, look_tolerances[i]);
    solved = step_at(&s, 0.0, &s.base);
  }
  for (int k = 0; k < w->wanted.jump_directions && solved; ++k) {
    for (int i = 0; i < 2 * s.size; ++i)
      s.direction[i] = limpet_deviate(1, k, i) < 0.0 ? -1.0 : 1.0;
    for (int way = -1; way <= 1; way += 2) {
      const double width = fmin(w->wanted.jump_width, jump->distance);
      if (!search_way(&s, way, width)) continue;
      const double before = jump->distance;
      keep_nearest(&s, jump);
      if (jump->distance < before && find_contact(&s, jump)) return LIMPET_ERROR_MEMORY;
    }
  }
  jump->steps = s.steps;
  limpet_arena_release(&w->arena, mark);
  return LIMPET_OK;
}
