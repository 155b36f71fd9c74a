/* base/arena.c: the block chain behind limpet_arena. */
#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

struct limpet_arena_block {
  limpet_arena_block *previous;
  size_t size;  // [bytes] of payload
  char padding[ALIGNMENT - sizeof(void *) - sizeof(size_t)];
  char payload[];
};

static size_t rounded_up(size_t size) { return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static limpet_arena_block *block_create(size_t size, limpet_arena_block *previous) {
  limpet_arena_block *block =
      aligned_alloc(ALIGNMENT, sizeof(limpet_arena_block) + rounded_up(size));
  if (!block) return NULL;
  block->previous = previous;
  block->size = rounded_up(size);
  return block;
}

limpet_status limpet_arena_create(limpet_arena *arena, size_t size) {
  assert(arena);
  *arena = (limpet_arena){0};
  arena->block = block_create(size > 4096 ? size : 4096, NULL);
  if (!arena->block) return LIMPET_ERROR_MEMORY;
  arena->total = arena->block->size;
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
  arena->used = 0;
  arena->taken = 0;
  arena->failed = 0;
}

void *limpet_arena_take(limpet_arena *arena, size_t size) {
  assert(arena);
  const size_t need = rounded_up(size);
  if (!arena->block || arena->failed) return NULL;
  if (need > arena->block->size - arena->used) {
    const size_t grown = need > arena->total ? 2 * need : 2 * arena->total;
    limpet_arena_block *block = block_create(grown, arena->block);
    if (!block) {
      arena->failed = 1;
      return NULL;
    }
    arena->block = block;
    arena->used = 0;
    arena->total += block->size;
    ++arena->growth_count;
  }
  void *memory = arena->block->payload + arena->used;
  arena->used += need;
  arena->taken += need;
  if (arena->taken > arena->peak) arena->peak = arena->taken;
  return memory;
}

void *limpet_arena_take_zero(limpet_arena *arena, size_t size) {
  void *memory = limpet_arena_take(arena, size);
  if (memory) memset(memory, 0, size);
  return memory;
}

limpet_arena_mark limpet_arena_mark_now(const limpet_arena *arena) {
  assert(arena);
  return (limpet_arena_mark){arena->block, arena->used, arena->taken};
}

void limpet_arena_release(limpet_arena *arena, limpet_arena_mark mark) {
  assert(arena && mark.taken <= arena->taken);
  // a block chained on after the mark stays current and is emptied: everything in it is younger
  // than the mark
  if (arena->block == mark.block) arena->used = mark.used;
  else arena->used = 0;
  arena->taken = mark.taken;
}
