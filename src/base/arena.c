/* base/arena.c: the block chain behind limpet_arena. */
#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

struct limpet_arena_block {
  limpet_arena_block *previous;
  size_t size;  // [bytes] of payload
  char padding[LIMPET_ARENA_ALIGNMENT - sizeof(void *) - sizeof(size_t)];
  char payload[];
};

static size_t rounded_up(size_t size) {
  return (size + LIMPET_ARENA_ALIGNMENT - 1) / LIMPET_ARENA_ALIGNMENT * LIMPET_ARENA_ALIGNMENT;
}

static limpet_arena_block *block_create(size_t size, limpet_arena_block *previous) {
  const size_t whole = sizeof(limpet_arena_block) + rounded_up(size);
  limpet_arena_block *block = limpet_pages_alloc(whole);
  if (!block) return NULL;
  block->previous = previous;
  block->size = limpet_pages_size(whole) - sizeof(limpet_arena_block);
  return block;
}

// The newest block is taken up to `used`.
static void use_from(limpet_arena *arena, size_t used) {
  arena->begin = arena->block ? arena->block->payload : NULL;
  arena->free = arena->block ? arena->begin + used : NULL;
  arena->left = arena->block && !arena->failed ? arena->block->size - used : 0;
}

static size_t used_of(const limpet_arena *arena) {
  return arena->block ? (size_t)(arena->free - arena->begin) : 0;
}

size_t limpet_arena_taken(const limpet_arena *arena) {
  assert(arena);
  return arena->before + used_of(arena);
}

size_t limpet_arena_peak(const limpet_arena *arena) {
  const size_t taken = limpet_arena_taken(arena);
  return taken > arena->peak ? taken : arena->peak;
}

limpet_status limpet_arena_create(limpet_arena *arena, size_t size) {
  assert(arena);
  *arena = (limpet_arena){0};
  arena->block = block_create(size > 4096 ? size : 4096, NULL);
  if (!arena->block) return LIMPET_ERROR_MEMORY;
  arena->total = arena->block->size;
  use_from(arena, 0);
  return LIMPET_OK;
}

static void chain_free(limpet_arena_block *block) {
  while (block) {
    limpet_arena_block *previous = block->previous;
    free(block);
    block = previous;
  }
}

void limpet_arena_destroy(limpet_arena *arena) {
  assert(arena);
  chain_free(arena->block);
  *arena = (limpet_arena){0};
}

void limpet_arena_reset(limpet_arena *arena) {
  assert(arena);
  arena->peak = limpet_arena_peak(arena);
  if (arena->block && arena->block->previous) {
    // one block of the whole size in place of the chain; if that cannot be had, the newest
    // (largest) block stays
    limpet_arena_block *merged = block_create(arena->total, NULL);
    if (merged) {
      chain_free(arena->block);
      arena->block = merged;
    } else {
      chain_free(arena->block->previous);
      arena->block->previous = NULL;
    }
    arena->total = arena->block->size;
  }
  arena->before = 0;
  arena->failed = 0;
  use_from(arena, 0);
}

void *limpet_arena_take_grown(limpet_arena *arena, size_t size) {
  assert(arena);
  const size_t need = rounded_up(size);
  if (!arena->block || arena->failed) return NULL;
  if (need > arena->left) {
    if (arena->fixed) {
      arena->failed = 1;
      arena->left = 0;
      return NULL;
    }
    const size_t grown = need > arena->total ? 2 * need : 2 * arena->total;
    limpet_arena_block *block = block_create(grown, arena->block);
    if (!block) {
      arena->failed = 1;
      arena->left = 0;
      return NULL;
    }
    arena->before = limpet_arena_taken(arena);
    arena->block = block;
    arena->total += block->size;
    ++arena->growth_count;
    use_from(arena, 0);
  }
  void *memory = arena->free;
  arena->free += need;
  arena->left -= need;
  return memory;
}

limpet_status limpet_arena_part(limpet_arena *arena, size_t size, limpet_arena *part) {
  assert(arena && part);
  limpet_arena_block *block = limpet_arena_take(arena, sizeof *block + rounded_up(size));
  if (!block) return LIMPET_ERROR_MEMORY;
  block->previous = NULL;
  block->size = rounded_up(size);
  *part = (limpet_arena){.block = block, .total = block->size, .fixed = 1};
  use_from(part, 0);
  return LIMPET_OK;
}

void limpet_arena_release_grown(limpet_arena *arena, limpet_arena_mark mark) {
  const size_t used = mark.block ? (size_t)(mark.free - mark.block->payload) : 0;
  assert(arena && mark.before + used <= limpet_arena_taken(arena));
  arena->peak = limpet_arena_peak(arena);
  // a block chained on after the mark stays current and is emptied: everything in it is younger
  // than the mark
  const bool same = arena->block == mark.block;
  arena->before = same ? mark.before : mark.before + used;
  use_from(arena, same ? used : 0);
}

void *limpet_arena_release_but(limpet_arena *arena, limpet_arena_mark mark, void *memory,
                               size_t size) {
  assert(arena && memory);
  // the first that is taken next begins at or before `memory`, in its block or a younger one
  limpet_arena_release(arena, mark);
  void *kept = limpet_arena_take(arena, size);
  return kept ? memmove(kept, memory, size) : NULL;
}
