/* base/grow.c: arrays that double when they are full. */
#include "base/grow.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };  // elements, so that short arrays do not grow in many small steps

bool limpet_grow(void *array, int *capacity, int needed, size_t element) {
  if (needed <= *capacity) return true;
  if (needed > INT_MAX / 2) return false;
  const int larger = 2 * needed > FIRST_CAPACITY ? 2 * needed : FIRST_CAPACITY;
  void *held;
  memcpy(&held, array, sizeof held);
  void *moved = realloc(held, (size_t)larger * element);
  if (!moved) return false;
  memcpy(array, &moved, sizeof moved);
  *capacity = larger;
  return true;
}
