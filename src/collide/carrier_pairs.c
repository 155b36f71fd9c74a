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
 * away by no more than the middles do and both turn. Cost: two instructions for each pair of
 * carriers; 50 for two that may have come near, or are; 15 for each pair of their colliders that is
 * not near where others are or slack is used up, 300 for one that is asked. */
#include "collide/carrier_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "collide/near.h"
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

/* Takes each pair that passes the filters, or is explicit: counts it in `count` at the place of
 * its carriers, or, with `item`, writes it where next[place] says. Returns how many there are. */
static int pairs_go_through(const limpet_colliders *colliders, const limpet_model *model, int *next,
                            limpet_candidate *item) {
  int total = 0;
  for (int a = 0; a < colliders->count; ++a)
    for (int b = a + 1; b < colliders->count; ++b) {
      if (colliders->flags[a] & colliders->flags[b] & LIMPET_COLLIDER_PLANE) continue;
      if (!limpet_colliders_allowed(colliders, model, a, b)) continue;
      int *at = &next[place_of(colliders, a, b)];
      if (item) item[*at] = (limpet_candidate){a, b, -1, LIMPET_NONE, -1.0};
      ++*at, ++total;
    }
  for (int k = 0; k < model->pair_count; ++k) {
    const int x = model->geom_collider[model->pair_geom[2 * k]],
              y = model->geom_collider[model->pair_geom[2 * k + 1]];
    if (x < 0 || y < 0 || !((colliders->flags[x] | colliders->flags[y]) & LIMPET_COLLIDER_MOVES))
      continue;
    const int a = x < y ? x : y, b = x < y ? y : x;
    int *at = &next[place_of(colliders, a, b)];
    if (item) item[*at] = (limpet_candidate){a, b, k, LIMPET_NONE, -1.0};
    ++*at, ++total;
  }
  return total;
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
  pairs->until = malloc((n * n + 1) * sizeof *pairs->until);
  pairs->pair = calloc((size_t)pair_count + 1, sizeof *pairs->pair);
  pairs->item = calloc((size_t)count + 1, sizeof *pairs->item);
  const bool all =
      pairs->spread && pairs->turning && pairs->reach && pairs->until && pairs->pair && pairs->item;
  return all ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

// From the number of pairs of colliders at each place in pair_of to where they begin, and to the
// pairs of carriers.
static limpet_status places_fill(limpet_carrier_pairs *pairs, int carriers, int total, int *next) {
  int count = 0;
  const int places = carriers * carriers;
  for (int p = 0; p < places; ++p) count += pairs->pair_of[p] > 0;
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

limpet_status limpet_carrier_pairs_make(limpet_colliders *colliders, const limpet_model *model) {
  limpet_carrier_pairs *pairs = &colliders->pairs;
  const int n = colliders->carrier_count;
  if (n > MOST_CARRIERS || colliders->count > MOST_COLLIDERS) return LIMPET_OK;
  const size_t places = (size_t)n * (size_t)n + 1;
  pairs->pair_of = calloc(places, sizeof *pairs->pair_of);
  int *next = malloc(places * sizeof *next);
  limpet_status status = pairs->pair_of && next ? LIMPET_OK : LIMPET_ERROR_MEMORY;
  const int total =
      status == LIMPET_OK ? pairs_go_through(colliders, model, pairs->pair_of, NULL) : 0;
  int used = 0;
  for (size_t p = 0; status == LIMPET_OK && p < places; ++p) used += pairs->pair_of[p] > 0;
  const bool few = total <= MOST_PAIRS && used <= MOST_CARRIER_PAIRS;
  if (status == LIMPET_OK && few) status = places_fill(pairs, n, total, next);
  if (status == LIMPET_OK && few) {
    pairs_go_through(colliders, model, next, pairs->item);
    for (int k = 0; k < pairs->pair_count; ++k)
      sort_by_colliders(pairs->item + pairs->pair[k].begin,
                        pairs->pair[k].end - pairs->pair[k].begin);
  } else {
    limpet_carrier_pairs_free(pairs);
  }
  free(next);
  return status;
}

void limpet_carrier_pairs_free(limpet_carrier_pairs *pairs) {
  free(pairs->spread);
  free(pairs->turning);
  free(pairs->reach);
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

// From `column` on, the next pair of carriers of a row that may have come near; `end`: none.
static int next_column(const double *until, const double *spread, double own, int column, int end) {
#if defined(__SSE2__)
  const __m128d x = _mm_set1_pd(own);
  for (; column + 4 <= end; column += 4) {
    const __m128d low = _mm_cmplt_pd(_mm_add_pd(x, _mm_loadu_pd(spread + column)),
                                     _mm_loadu_pd(until + column)),
                  high = _mm_cmplt_pd(_mm_add_pd(x, _mm_loadu_pd(spread + column + 2)),
                                      _mm_loadu_pd(until + column + 2));
    if (_mm_movemask_pd(_mm_and_pd(low, high)) != 3) break;
  }
#endif
  while (column < end && own + spread[column] < until[column]) ++column;
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
  collision->pair[collision->pair_count++] = limpet_candidate_pair(f->model, f->reach, item);
}

// Two carriers as they are now.
typedef struct carriers_now {
  double spread, d[3], turning, reach[2];
} carriers_now;

static void carriers_see(const limpet_colliders *colliders, int a, int b, carriers_now *now) {
  const limpet_carrier_pairs *pairs = &colliders->pairs;
  now->spread = pairs->spread[a] + pairs->spread[b];
  now->turning = pairs->turning[a] + pairs->turning[b];
  for (int i = 0; i < 2; ++i) now->reach[i] = pairs->reach[2 * a + i] + pairs->reach[2 * b + i];
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
  double least = INFINITY;
  pair->near = 0, pair->inside = INFINITY;
  for (int k = pair->begin; k < pair->end && !f->failed; ++k) {
    double inside;
    if ((forget || !(now->spread < item[k].until)) &&
        limpet_candidate_ask(f->colliders, f->model, f->data, f->reach, now->spread, &item[k],
                             &inside)) {
      pair_add(f, &item[k]);
      ++pair->near;
      if (!(inside >= pair->inside)) pair->inside = inside;
    } else if (item[k].until < least) {
      least = item[k].until;
    }
  }
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
  for (int a = 0; a < n; ++a) {
    const size_t row = (size_t)a * (size_t)n;
    const double own = pairs->spread[a];
    const int first = collision->pair_count;
    for (int b = a; b < n && !f.failed; ++b) {
      if (!colliders->forget) b = next_column(pairs->until + row, pairs->spread, own, b, n);
      if (b < n) carriers_look(&f, a, b);
    }
    if (colliders->carrier[a].count > 1)
      sort_row(collision->pair + first, collision->pair_count - first);
  }
  if (collision->pair_count > pairs->found) colliders->pairs.found = collision->pair_count;
  return f.failed ? LIMPET_ERROR_MEMORY : LIMPET_OK;
}
