/* geometry/pressure_memory.c: cells that may meet, kept from query to query.
 *
 * Two bodies that hold or lie on each other hardly move against each other: which cells may meet is
 * found once, with `slack` to spare, and holds until a point where they touch may have moved by
 * more in the frame of A. Such a point x lies in A and in B, each within r of its centre c, so that
 * it has moved by at most  |way of c| + |R1 - R0| r  with c and r of either body, |.| of a
 * difference of rotations its largest stretch, 2 sin(angle / 2). A ball that rolls in a large bowl
 * moves by little near its own centre. The list has the order of the descent, and what it holds too
 * much the exact tests turn away: results do not depend on it. Bodies that move by more than a
 * third of the slack from query to query get no list. Memories lie in a table of pairs with linear
 * probing, at most half full. */
#include "geometry/pressure_memory.h"

#include <math.h>
#include <stdlib.h>

#include "math/vec3.h"

static const double slack_share = 0.05;  // [-]  of the smaller inner radius
static const double slow_share = 0.33;   // [-]  of the slack, from query to query
enum { first_room = 16 };

// --------------------------------------------------------------------------- table

static limpet_pressure_memory *slot_of(limpet_pressure_memory *table, int room, uint64_t pair) {
  // Fibonacci hashing: 2^64 over the golden ratio
  uint64_t at = (pair * 0x9E3779B97F4A7C15u) >> 32;
  while (table[at % (uint64_t)room].pair != 0 && table[at % (uint64_t)room].pair != pair) ++at;
  return &table[at % (uint64_t)room];
}

static bool grow_table(limpet_pressure_surface *surface) {
  limpet_pressure_workspace *work = surface->workspace;
  if (2 * (work->memory_count + 1) <= work->memory_room) return true;
  const int room = work->memory_room ? 2 * work->memory_room : first_room;
  limpet_pressure_memory *table = calloc((size_t)room, sizeof *table);
  if (!table) return false;
  for (int k = 0; k < work->memory_room; ++k)
    if (work->memory[k].pair) *slot_of(table, room, work->memory[k].pair) = work->memory[k];
  free(work->memory);
  work->memory = table, work->memory_room = room;
  ++surface->growth_count;
  return true;
}

void limpet_pressure_memory_free(limpet_pressure_workspace *work) {
  for (int k = 0; k < work->memory_room; ++k) free(work->memory[k].item);
  free(work->memory);
}

// --------------------------------------------------------------------------- a pair

// x of the frame in that of A.
static void from_frame(double y[3], const limpet_pressure_frame *frame, const double x[3]) {
  limpet_mat3_mul_vec(y, frame->rotation, x);
  limpet_vec3_add(y, y, frame->offset);
}

// [m]  Between two frames of B: the way, in the frame of A, of its point x.
static double way_of(const limpet_pressure_frame *from, const limpet_pressure_frame *to,
                     const double x[3]) {
  double was[3], is[3];
  from_frame(was, from, x), from_frame(is, to, x);
  return limpet_vec3_distance(was, is);
}

// [m]  By how much a point of B that touches A in `to` may have moved in the frame of A.
static double way(const limpet_pressure_field *a, const limpet_pressure_field *b,
                  const limpet_pressure_frame *from, const limpet_pressure_frame *to) {
  double turn = 0.0, apart[3], centre_a[3];
  for (int i = 0; i < 9; ++i) {
    const double change = to->rotation[i] - from->rotation[i];
    turn += change * change;
  }
  turn = sqrt(0.5 * turn);  // the Frobenius norm counts 2 sin(angle / 2) twice
  // the point of B that lies at the centre of A
  limpet_vec3_sub(apart, a->tree.node[0].centre, to->offset);
  limpet_mat3_tmul_vec(centre_a, to->rotation, apart);
  return fmin(way_of(from, to, centre_a) + turn * a->tree.radius,
              way_of(from, to, b->tree.node[0].centre) + turn * b->tree.radius);
}

static double slack_of(const limpet_pressure_field *a, const limpet_pressure_field *b) {
  return slack_share * fmin(a->rigid ? INFINITY : a->depth, b->rigid ? INFINITY : b->depth);
}

limpet_pressure_memory *limpet_pressure_memory_of(limpet_pressure_surface *surface,
                                                  const limpet_pressure_frame *frame,
                                                  limpet_pressure_recall *recall) {
  limpet_pressure_workspace *work = surface->workspace;
  const limpet_pressure_field *a = work->a->field, *b = work->b->field;
  *recall = LIMPET_PRESSURE_SEARCH;
  if (work->query->pair == 0 || !grow_table(surface)) return NULL;
  limpet_pressure_memory *memory = slot_of(work->memory, work->memory_room, work->query->pair);
  const bool known = memory->pair != 0 && memory->a == a && memory->b == b;
  if (memory->pair == 0) ++work->memory_count;
  memory->pair = work->query->pair, memory->a = a, memory->b = b;
  if (known && memory->listed && way(a, b, &memory->frame, frame) <= memory->slack) {
    *recall = LIMPET_PRESSURE_LISTED;
  } else {
    memory->slack = slack_of(a, b), memory->count = 0;
    memory->listed = known && way(a, b, &memory->last, frame) <= slow_share * memory->slack;
    memory->frame = *frame;
    if (memory->listed) *recall = LIMPET_PRESSURE_LIST;
  }
  memory->last = *frame;
  return memory;
}

void limpet_pressure_memory_add(limpet_pressure_surface *surface, limpet_pressure_memory *memory,
                                int i, int j) {
  if (!memory->listed) return;
  if (memory->count == memory->room) {
    if (!limpet_pressure_zeroed_room(surface, &memory->item, &memory->room, memory->count + 1,
                                     sizeof *memory->item)) {
      memory->listed = false;
      return;
    }
  }
  memory->item[memory->count][0] = i, memory->item[memory->count++][1] = j;
}
