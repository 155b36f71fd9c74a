/* base/grow.h: room for arrays whose length is known only while they are filled. */
#ifndef LIMPET_BASE_GROW_H
#define LIMPET_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>

/* Room for `needed` elements of `element` bytes in *array (by malloc; NULL with a capacity of 0),
 * which doubles where it is too small. `array` is the address of the pointer. False when there is
 * no memory; everything is then as before. */
bool limpet_grow(void *array, int *capacity, int needed, size_t element);

#endif
