/* step/anchors_hand_on.c: forces of contacts that are gone, for others of their pair: see
 * anchors.h. Cost: O(contacts). */
#include <math.h>

#include "math/dense.h"
#include "math/vec3.h"
#include "step/anchors.h"

enum { BUCKETS = 64 };

// Anchors that no contact found: a list for some of the first geoms.
typedef struct anchors_left {
  const double *anchors;
  int head[BUCKETS];  // the last one of a list; LIMPET_NONE: it is empty
  int *next;          // (anchors)  the one before
} anchors_left;

static int bucket_of(double first) { return (int)((uint64_t)first % BUCKETS); }

static const double *anchor_at(const anchors_left *left, int k) {
  return left->anchors + LIMPET_ANCHOR_SIZE * k;
}

// False: there are none.
static bool leave(anchors_left *left, int used, const bool *found) {
  bool any = false;
  for (int i = 0; i < BUCKETS; ++i) left->head[i] = LIMPET_NONE;
  for (int k = 0; k < used; ++k) {
    const double *anchor = anchor_at(left, k);
    const bool shear = anchor[2] >= LIMPET_ANCHOR_SHEAR;
    if (found[k] || shear || limpet_is_zero(3, anchor + LIMPET_ANCHOR_FORCE)) continue;
    int *head = &left->head[bucket_of(anchor[0])];
    left->next[k] = *head, *head = k, any = true;
  }
  return any;
}

// The deepest of the contacts first ... end - 1 without a force; LIMPET_NONE: all have one.
static int deepest(const limpet_contact_records *records, const limpet_contact_problem *problem,
                   int first, int end) {
  int best = LIMPET_NONE;
  double least = INFINITY;
  for (int i = first; i < end; ++i) {
    const double distance = records->record[problem->contact_source[i]].distance;
    if (!(distance < least) || !limpet_is_zero(3, problem->carried + 3 * i)) continue;
    best = i, least = distance;
  }
  return best;
}

// Of the pair of the contacts first ... end - 1.
static void take(const anchors_left *left, const limpet_contact_records *records, int first,
                 int end, limpet_contact_problem *problem) {
  const int pair = records->record[problem->contact_source[first]].pair;
  const limpet_geom_pair *geoms = &records->pair[pair].geoms;
  const double geom_a = geoms->geom_a + 1, geom_b = geoms->geom_b;
  for (int k = left->head[bucket_of(geom_a)]; k != LIMPET_NONE; k = left->next[k]) {
    const double *anchor = anchor_at(left, k);
    if (anchor[0] != geom_a || anchor[1] != geom_b) continue;
    const int to = deepest(records, problem, first, end);
    if (to == LIMPET_NONE) return;
    limpet_vec3_copy(problem->carried + 3 * to, anchor + LIMPET_ANCHOR_FORCE);
  }
}

limpet_status limpet_anchors_hand_on(const double *anchors, int used,
                                     const limpet_contact_records *records, const int *place,
                                     limpet_arena *arena, limpet_contact_problem *problem) {
  bool *found = LIMPET_TAKE_ZERO(arena, bool, used);
  anchors_left left = {.anchors = anchors, .next = LIMPET_TAKE(arena, int, used)};
  if (!found || !left.next) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < problem->contact_count; ++i)
    if (place[i] != LIMPET_NONE) found[place[i]] = true;
  if (!leave(&left, used, found)) return LIMPET_OK;
  for (int first = 0, end; first < problem->contact_count; first = end) {
    const int pair = records->record[problem->contact_source[first]].pair;
    bool any = false;
    for (end = first; end < problem->contact_count; ++end) {
      if (records->record[problem->contact_source[end]].pair != pair) break;
      any = any || place[end] != LIMPET_NONE;
    }
    if (!any) take(&left, records, first, end, problem);
  }
  return LIMPET_OK;
}
