/* collide/carrier_pairs.c: see carrier_pairs.h.
 *
 *   until_AB   sum of spreads up to which all pairs of colliders of A and B are apart
 *   slack      apart - |d - from| - turned - longer       of pairs that were apart
 *              inside - |d - from| - turned - shorter     of those that were near
 * d: the middle of B less that of A, which common motion does not change; `apart`, `inside`: by how
 * much no other pair was near, and by how much those that were near were it, `from`: d, when they
 * were asked; turned [m]: how far colliders of both have turned since, longer, shorter [m]: by how
 * much the reach of both is. Where spread_A + spread_B reaches until_AB and a slack is used up,
 * they are asked again. Sides of boxes of a pair, and spheres, come nearer to each other or get
 * away by no more than the middles do and both turn. Sums of two carriers of one tree, kin, are
 * without what the tree has in common, which takes no link nearer to another.
 *
 *   row_until_A   grown_A + clock + least over B of until_AB - spread_A - spread_B
 * grown_A: how much spread_A has grown, summed over the steps, clock: the largest growth of all
 * carriers, likewise. While grown_A + clock is below, only those B are looked at that were near.
 * Cost: five instructions for each carrier, or three for each pair with it; 60 for two that may
 * have come near, or are; 15 for each pair of their colliders that is not near where others are or
 * slack is used up, 300 for one that is asked. */
#include "collide/carrier_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "collide/near.h"
#include "math/extremes.h"
#include "math/vec3.h"

/* Beyond these a world goes by trees. A heap of 40 bodies that all move against each other has 980
 * pairs of carriers, and costs less by trees; a robot of as many has 700. */
enum { MOST_CARRIERS = 128, MOST_CARRIER_PAIRS = 800, MOST_COLLIDERS = 512, MOST_PAIRS = 8192 };

static const double rounding = 1e-12;  // of spreads, which are sums over many steps

// --------------------------------------------------------------------------------------- making

static size_t place_of(const limpet_colliders *colliders, int a, int b) {
  const size_t row = (size_t)colliders->carrier_of[a], column = (size_t)colliders->carrier_of[b];
  return row * (size_t)colliders->carrier_count + column;
}

// Pairs that pass the filters, or are explicit, as they come.
typedef struct pair_list {
  const limpet_colliders *colliders;
  int count;
  limpet_candidate *item;  // (MOST_PAIRS)
  int *pair_of;            // (carriers x carriers)  how many there are of each two carriers
  int carrier_pairs;       // of which there are some
} pair_list;

// Adds a pair; false: there are too many, or of too many carriers.
static bool list_add(pair_list *list, int a, int b, int pair) {
  if (list->count == MOST_PAIRS) return false;
  list->item[list->count++] = (limpet_candidate){a, b, pair, LIMPET_NONE, -1.0};
  if (list->pair_of[place_of(list->colliders, a, b)]++ == 0) ++list->carrier_pairs;
  return list->carrier_pairs <= MOST_CARRIER_PAIRS;
}

// All pairs that pass the filters, or are explicit. False: there are too many.
static bool list_fill(pair_list *list, const limpet_model *model) {
  const limpet_colliders *colliders = list->colliders;
  for (int a = 0; a < colliders->count; ++a)
    for (int b = a + 1; b < colliders->count; ++b) {
      if (colliders->flags[a] & colliders->flags[b] & LIMPET_COLLIDER_PLANE) continue;
      if (limpet_colliders_allowed(colliders, model, a, b) && !list_add(list, a, b, -1))
        return false;
    }
  for (int k = 0; k < model->pair_count; ++k) {
    const int x = model->geom_collider[model->pair_geom[2 * k]],
              y = model->geom_collider[model->pair_geom[2 * k + 1]];
    if (x < 0 || y < 0 || !((colliders->flags[x] | colliders->flags[y]) & LIMPET_COLLIDER_MOVES))
      continue;
    if (!list_add(list, x < y ? x : y, x < y ? y : x, k)) return false;
  }
  return true;
}

static void sort_by_colliders(limpet_candidate *item, int count) {
  for (int i = 1; i < count; ++i) {
    const limpet_candidate moved = item[i];
    int k = i;
    for (; k > 0 && limpet_candidate_order(&item[k - 1]) > limpet_candidate_order(&moved); --k)
      item[k] = item[k - 1];
    item[k] = moved;
  }
}

static limpet_status take(limpet_carrier_pairs *pairs, int carriers, int pair_count, int count) {
  const size_t n = (size_t)carriers;
  pairs->spread = calloc(n + 1, sizeof *pairs->spread);
  pairs->turning = calloc(n + 1, sizeof *pairs->turning);
  pairs->reach = calloc(2 * n + 2, sizeof *pairs->reach);
  pairs->shared = calloc(n + 1, sizeof *pairs->shared);
  pairs->kin_end = malloc((n + 1) * sizeof *pairs->kin_end);
  pairs->grown = calloc(n + 1, sizeof *pairs->grown);
  pairs->row_until = calloc(n + 1, sizeof *pairs->row_until);
  pairs->looks = calloc(n + 1, sizeof *pairs->looks);
  pairs->look = malloc((n * n + 1) * sizeof *pairs->look);
  pairs->until = malloc((n * n + 1) * sizeof *pairs->until);
  pairs->pair = calloc((size_t)pair_count + 1, sizeof *pairs->pair);
  pairs->item = malloc(((size_t)count + 1) * sizeof *pairs->item);
  const bool all = pairs->spread && pairs->turning && pairs->reach && pairs->shared &&
                   pairs->kin_end && pairs->grown && pairs->row_until && pairs->looks &&
                   pairs->look && pairs->until && pairs->pair && pairs->item;
  return all ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

// Where the carriers after each one that belong to its tree end.
static void kin_fill(const limpet_colliders *colliders, const limpet_model *model, int *kin_end) {
  for (int k = colliders->carrier_count - 1; k >= 0; --k) {
    const int tree = model->body_tree[colliders->carrier[k].body], next = k + 1;
    const bool kin = tree >= 0 && next < colliders->carrier_count &&
                     model->body_tree[colliders->carrier[next].body] == tree;
    kin_end[k] = kin ? kin_end[next] : next;
  }
}

// From the number of pairs of colliders at each place in pair_of to where they begin, and to the
// pairs of carriers, of which there are `count`.
static limpet_status places_fill(limpet_carrier_pairs *pairs, int carriers, int count, int total,
                                 int *next) {
  const int places = carriers * carriers;
  if (take(pairs, carriers, count, total) != LIMPET_OK) return LIMPET_ERROR_MEMORY;
  for (int p = 0, begin = 0; p < places; ++p) {
    const int own = pairs->pair_of[p];
    next[p] = begin;
    pairs->until[p] = own > 0 ? -1.0 : INFINITY;
    pairs->pair_of[p] = own > 0 ? pairs->pair_count : LIMPET_NONE;
    if (own == 0) continue;
    pairs->pair[pairs->pair_count++] = (limpet_carrier_pair){.begin = begin, .end = begin + own};
    begin += own;
  }
  pairs->carriers = carriers, pairs->count = total;
  return LIMPET_OK;
}

// The pairs of a list, by their carriers and then by colliders. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status list_place(const pair_list *list, limpet_colliders *colliders,
                                const limpet_model *model, int *next) {
  limpet_carrier_pairs *pairs = &colliders->pairs;
  const int n = colliders->carrier_count;
  if (places_fill(pairs, n, list->carrier_pairs, list->count, next) != LIMPET_OK)
    return LIMPET_ERROR_MEMORY;
  for (int k = 0; k < list->count; ++k)
    pairs->item[next[place_of(colliders, list->item[k].a, list->item[k].b)]++] = list->item[k];
  for (int k = 0; k < pairs->pair_count; ++k)
    sort_by_colliders(pairs->item + pairs->pair[k].begin,
                      pairs->pair[k].end - pairs->pair[k].begin);
  kin_fill(colliders, model, pairs->kin_end);
  return LIMPET_OK;
}

limpet_status limpet_carrier_pairs_make(limpet_colliders *colliders, const limpet_model *model) {
  limpet_carrier_pairs *pairs = &colliders->pairs;
  const int n = colliders->carrier_count;
  if (n > MOST_CARRIERS || colliders->count > MOST_COLLIDERS) return LIMPET_OK;
  const size_t places = (size_t)n * (size_t)n + 1;
  int *next = malloc(places * sizeof *next);
  pairs->pair_of = calloc(places, sizeof *pairs->pair_of);
  pair_list list = {.colliders = colliders,
                    .item = malloc(MOST_PAIRS * sizeof *list.item),
                    .pair_of = pairs->pair_of};
  limpet_status status = pairs->pair_of && next && list.item ? LIMPET_OK : LIMPET_ERROR_MEMORY;
  if (status == LIMPET_OK && list_fill(&list, model))
    status = list_place(&list, colliders, model, next);
  if (pairs->carriers == 0) limpet_carrier_pairs_free(pairs);
  free(list.item);
  free(next);
  return status;
}

void limpet_carrier_pairs_free(limpet_carrier_pairs *pairs) {
  free(pairs->spread);
  free(pairs->turning);
  free(pairs->reach);
  free(pairs->shared);
  free(pairs->kin_end);
  free(pairs->grown);
  free(pairs->row_until);
  free(pairs->looks);
  free(pairs->look);
  free(pairs->until);
  free(pairs->pair_of);
  free(pairs->pair);
  free(pairs->item);
  *pairs = (limpet_carrier_pairs){0};
}

// ----------------------------------------------------------------------------------- memories

// Memories of pairs that are not near go back where none are left, and their number doubles where
// that is not enough. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status memories_free_up(limpet_colliders *colliders) {
  limpet_carrier_pairs *pairs = &colliders->pairs;
  limpet_pair_memories *memories = &colliders->memories;
  for (int k = 0; k < pairs->count; ++k) {
    limpet_candidate *item = &pairs->item[k];
    if (item->memory == LIMPET_NONE || !(item->until >= 0.0)) continue;
    limpet_pair_memories_give(memories, item->memory);
    item->memory = LIMPET_NONE;
  }
  if (4 * memories->unused_count > memories->room) return LIMPET_OK;
  const int least = 4 * colliders->count + 64;
  const int room = memories->room ? 2 * memories->room : least;
  return limpet_pair_memories_grow(memories, room);
}

static limpet_status memory_find(limpet_colliders *colliders, limpet_candidate *item) {
  if (item->memory != LIMPET_NONE) return LIMPET_OK;
  if (colliders->memories.unused_count == 0 && memories_free_up(colliders) != LIMPET_OK)
    return LIMPET_ERROR_MEMORY;
  item->memory = limpet_pair_memories_take(&colliders->memories);
  return LIMPET_OK;
}

// --------------------------------------------------------------------------------------- asking

/* Spread of a carrier, as it is added to that of another one. Of two of one tree, kin, without
 * what both have in common, which takes them no nearer to each other. */
static inline double spread_of(const limpet_carrier_pairs *pairs, int carrier, bool kin) {
  return kin ? pairs->spread[carrier] - 2.0 * pairs->shared[carrier] : pairs->spread[carrier];
}

/* From `column` on, the next pair of carriers of a row that may have come near; `end`: none.
 * *margin [m]: at most by how much those before it are apart. */
static int next_column(const double *until, const double *spread, double own, int column, int end,
                       double *margin) {
#if defined(__SSE2__)
  const __m128d x = _mm_set1_pd(own), zero = _mm_setzero_pd();
  __m128d least = _mm_set1_pd(*margin);
  for (; column + 4 <= end; column += 4) {
    const __m128d low = _mm_sub_pd(_mm_loadu_pd(until + column),
                                   _mm_add_pd(x, _mm_loadu_pd(spread + column))),
                  high = _mm_sub_pd(_mm_loadu_pd(until + column + 2),
                                    _mm_add_pd(x, _mm_loadu_pd(spread + column + 2)));
    const __m128d apart = _mm_and_pd(_mm_cmpgt_pd(low, zero), _mm_cmpgt_pd(high, zero));
    if (_mm_movemask_pd(apart) != 3) break;
    least = _mm_min_pd(least, _mm_min_pd(low, high));
  }
  *margin = limpet_smaller(_mm_cvtsd_f64(least), _mm_cvtsd_f64(_mm_unpackhi_pd(least, least)));
#endif
  for (; column < end; ++column) {
    const double apart = until[column] - (own + spread[column]);
    if (!(apart > 0.0)) break;
    *margin = limpet_smaller(*margin, apart);
  }
  return column;
}

typedef struct finder {
  limpet_colliders *colliders;
  const limpet_model *model;
  const limpet_data *data;
  const limpet_reach *reach;
  limpet_arena *arena;
  limpet_collision *collision;
  int room;     // of pairs
  bool failed;  // no memory
} finder;

static void pair_add(finder *f, limpet_candidate *item) {
  limpet_collision *collision = f->collision;
  if (collision->pair_count == f->room) {
    const int room = 2 * f->room;
    limpet_collision_pair *grown = LIMPET_TAKE(f->arena, limpet_collision_pair, room);
    if (!grown) {
      f->failed = true;
      return;
    }
    memcpy(grown, collision->pair, (size_t)f->room * sizeof *grown);
    collision->pair = grown, f->room = room;
  }
  if (memory_find(f->colliders, item) != LIMPET_OK) f->failed = true;
  limpet_candidate_pair(f->model, f->reach, item, &collision->pair[collision->pair_count++]);
}

// Two carriers as they are now, without the reach that bodies of one tree have in common.
typedef struct carriers_now {
  double shared;  // [m]  that reach of both, 0: of two trees
  double spread, d[3], turning, reach[2];
} carriers_now;

static void carriers_see(const limpet_colliders *colliders, int a, int b, carriers_now *now) {
  const limpet_carrier_pairs *pairs = &colliders->pairs;
  const bool kin = b < pairs->kin_end[a];
  now->shared = kin ? 2.0 * pairs->shared[a] : 0.0;
  now->spread = spread_of(pairs, a, kin) + pairs->spread[b];
  now->turning = pairs->turning[a] + pairs->turning[b];
  now->reach[1] = pairs->reach[2 * a + 1] + pairs->reach[2 * b + 1];
  now->reach[0] = kin ? now->reach[1] : pairs->reach[2 * a] + pairs->reach[2 * b];
  limpet_vec3_sub(now->d, colliders->carrier[b].pose, colliders->carrier[a].pose);
}

/* Whether the same pairs of two carriers are near as before; then, where none is, until which sum
 * of spreads it stays so. */
static bool still_same(const limpet_carrier_pair *pair, const carriers_now *now, double *until) {
  const double way = limpet_vec3_distance(now->d, pair->from) + (now->turning - pair->turning) +
                     rounding * now->spread;
  const double longer = now->reach[0] - pair->reach[0], other = now->reach[1] - pair->reach[1];
  const double slack = pair->apart - way - longer;
  if (!(slack > 0.0)) return false;
  if (pair->near > 0) {
    const double shorter = -(longer < other ? longer : other);
    return pair->inside - way - (shorter > 0.0 ? shorter : 0.0) > 0.0;
  }
  *until = now->spread + slack;
  return true;
}

// Asks the pairs of two carriers that may be near, or were; *until: see above.
static void carriers_ask(finder *f, limpet_carrier_pair *pair, const carriers_now *now,
                         double *until) {
  limpet_candidate *item = f->colliders->pairs.item;
  const bool forget = f->colliders->forget;
  const double spread = now->spread + now->shared;
  double least = INFINITY;
  pair->near = 0, pair->inside = INFINITY;
  for (int k = pair->begin; k < pair->end && !f->failed; ++k) {
    double inside;
    if ((forget || !(now->spread < item[k].until)) &&
        limpet_candidate_ask(f->colliders, f->model, f->data, f->reach, spread, &item[k],
                             &inside)) {
      pair_add(f, &item[k]);
      ++pair->near;
      if (!(inside >= pair->inside)) pair->inside = inside;
    } else if (item[k].until < least) {
      least = item[k].until;
    }
  }
  if (f->failed) least = -1.0;  // the rest was not asked
  *until = pair->near > 0 ? -1.0 : least;
  pair->apart = least - now->spread;
  pair->turning = now->turning;
  limpet_vec3_copy(pair->from, now->d);
  memcpy(pair->reach, now->reach, sizeof pair->reach);
}

// The pairs of two carriers that are near.
static void carriers_look(finder *f, int a, int b) {
  limpet_carrier_pairs *pairs = &f->colliders->pairs;
  const size_t place = (size_t)a * (size_t)pairs->carriers + (size_t)b;
  if (pairs->pair_of[place] == LIMPET_NONE) return;
  limpet_carrier_pair *pair = &pairs->pair[pairs->pair_of[place]];
  carriers_now now;
  carriers_see(f->colliders, a, b, &now);
  if (f->colliders->forget || !still_same(pair, &now, &pairs->until[place])) {
    carriers_ask(f, pair, &now, &pairs->until[place]);
    return;
  }
  for (int k = pair->begin, left = pair->near; left > 0; ++k) {
    if (pairs->item[k].until >= 0.0) continue;
    pair_add(f, &pairs->item[k]);
    --left;
  }
}

// Looks at a pair of carriers unless all of its colliders are still apart.
static inline void pair_look(finder *f, int a, int b, double sum) {
  const limpet_carrier_pairs *pairs = &f->colliders->pairs;
  const double until = pairs->until[(size_t)a * (size_t)pairs->carriers + (size_t)b];
  if (f->colliders->forget || !(sum < until)) carriers_look(f, a, b);
}

/* All pairs of a carrier with it and with later ones, those of its tree first. Those that are near
 * are noted among its looks; the others are apart by `margin` [m] at least. */
static void row_scan(finder *f, int a) {
  limpet_carrier_pairs *pairs = &f->colliders->pairs;
  const int n = pairs->carriers;
  const size_t row = (size_t)a * (size_t)n;
  const double *until = pairs->until + row, now = pairs->clock + pairs->grown[a];
  double margin = INFINITY;
  pairs->looks[a] = 0;
  for (int b = a, part = 0; part < 2; ++part) {
    const int end = part == 0 ? pairs->kin_end[a] : n;
    const double own = spread_of(pairs, a, part == 0);
    for (; b < end && !f->failed; ++b) {
      if (!f->colliders->forget) b = next_column(until, pairs->spread, own, b, end, &margin);
      if (b == end) break;
      pair_look(f, a, b, own + pairs->spread[b]);
      const double apart = until[b] - (own + pairs->spread[b]);
      if (apart > 0.0) margin = limpet_smaller(margin, apart);
      else pairs->look[row + (size_t)pairs->looks[a]++] = b;
    }
  }
  pairs->row_until[a] = f->failed ? 0.0 : now + margin - rounding * now;
}

// The pairs of a carrier that are near, of those noted: no other one can have come near.
static void row_look(finder *f, int a) {
  limpet_carrier_pairs *pairs = &f->colliders->pairs;
  const size_t row = (size_t)a * (size_t)pairs->carriers;
  for (int k = 0; k < pairs->looks[a] && !f->failed; ++k) {
    const int b = pairs->look[row + (size_t)k];
    const double sum = spread_of(pairs, a, b < pairs->kin_end[a]) + pairs->spread[b];
    pair_look(f, a, b, sum);
    if (sum < pairs->until[row + (size_t)b]) pairs->row_until[a] = 0.0;  // it belongs elsewhere
  }
}

// Pairs of one carrier with all later ones, which have come by these.
static void sort_row(limpet_collision_pair *pair, int count) {
  for (int i = 1; i < count; ++i) {
    if (!limpet_collision_pair_before(&pair[i], &pair[i - 1])) continue;
    const limpet_collision_pair moved = pair[i];
    int k = i;
    for (; k > 0 && limpet_collision_pair_before(&moved, &pair[k - 1]); --k) pair[k] = pair[k - 1];
    pair[k] = moved;
  }
}

limpet_status limpet_carrier_pairs_find(limpet_colliders *colliders, const limpet_model *model,
                                        const limpet_data *data, const limpet_reach *reach,
                                        limpet_arena *arena, limpet_collision *collision) {
  const limpet_carrier_pairs *pairs = &colliders->pairs;
  const int n = pairs->carriers, least = 64;
  const int room = pairs->found + least;
  finder f = {.colliders = colliders,
              .model = model,
              .data = data,
              .reach = reach,
              .arena = arena,
              .collision = collision,
              .room = room};
  collision->pair = LIMPET_TAKE(arena, limpet_collision_pair, room);
  if (!collision->pair) return LIMPET_ERROR_MEMORY;
  const double clock = pairs->clock, *grown = pairs->grown, *row_until = pairs->row_until;
  const bool forget = colliders->forget;
  for (int a = 0; a < n && !f.failed; ++a) {
    const bool scan = forget || !(clock + grown[a] < row_until[a]);
    if (!scan && pairs->looks[a] == 0) continue;
    const int first = collision->pair_count;
    if (scan) row_scan(&f, a);
    else row_look(&f, a);
    if (collision->pair_count > first + 1 && colliders->carrier[a].count > 1)
      sort_row(collision->pair + first, collision->pair_count - first);
  }
  if (collision->pair_count > pairs->found) colliders->pairs.found = collision->pair_count;
  return f.failed ? LIMPET_ERROR_MEMORY : LIMPET_OK;
}
