/* base/arena.h: bump allocation for one step.
 *
 * An arena is a chain of blocks. Taking memory moves a mark; when the current block is full a new
 * one, at least twice as large as all before, is chained on, so that nothing already handed out
 * moves. `reset` gives everything back at once and, if the chain had grown, replaces it by one
 * block of the whole size: after the first steps of a scene a step allocates nothing. Growth is
 * counted. Memory is 64-byte aligned and not cleared unless asked for. */
#ifndef LIMPET_BASE_ARENA_H
#define LIMPET_BASE_ARENA_H

#include <assert.h>
#include <string.h>

#include "limpet/base.h"

enum { LIMPET_ARENA_ALIGNMENT = 64 };  // [bytes]

typedef struct limpet_arena_block limpet_arena_block;

typedef struct limpet_arena {
  char *free;                 // memory of the newest block that nobody has
  size_t left;                // [bytes] of it; 0 when there is no memory
  char *begin;                // of its memory
  limpet_arena_block *block;  // newest block of the chain
  size_t total;               // [bytes] in all blocks
  size_t before;              // [bytes] taken since the last reset, but from the newest block
  size_t peak;                // [bytes] most that was taken at the last reset, release or growth
  int growth_count;           // blocks allocated since create, the first excluded
  int failed;                 // 1 after the system gave no memory: takes return NULL until reset
  int fixed;                  // 1: a part of another arena, which does not grow
} limpet_arena;

typedef struct limpet_arena_mark {
  limpet_arena_block *block;  // newest block, its free memory, and what was taken before it
  char *free;
  size_t before;
} limpet_arena_mark;

/* LIMPET_ERROR_MEMORY: the arena is then empty and safe to destroy. */
limpet_status limpet_arena_create(limpet_arena *arena, size_t size);
void limpet_arena_destroy(limpet_arena *arena);
void limpet_arena_reset(limpet_arena *arena);

// [bytes]  taken since the last reset, all blocks; most that was ever taken between two resets
size_t limpet_arena_taken(const limpet_arena *arena);
size_t limpet_arena_peak(const limpet_arena *arena);

// As limpet_arena_take where the newest block has too little memory.
void *limpet_arena_take_grown(limpet_arena *arena, size_t size);

/* `size` bytes, 64-byte aligned; NULL when there is no memory. A size of 0 gives a valid pointer.
 * Inline: a step takes some hundred pieces. */
static inline void *limpet_arena_take(limpet_arena *arena, size_t size) {
  const size_t need = (size + LIMPET_ARENA_ALIGNMENT - 1) & ~(size_t)(LIMPET_ARENA_ALIGNMENT - 1);
  if (need >= arena->left) return limpet_arena_take_grown(arena, size);
  void *memory = arena->free;
  arena->free += need;
  arena->left -= need;
  return memory;
}

static inline void *limpet_arena_take_zero(limpet_arena *arena, size_t size) {
  void *memory = limpet_arena_take(arena, size);
  if (memory) memset(memory, 0, size);
  return memory;
}

/* The next piece of a block that was taken, 64-byte aligned as the block is; *next goes on behind
 * it. For many arrays at once: three instructions each. The block has room for all of them, and
 * LIMPET_ARENA_ALIGNMENT more for each. */
static inline void *limpet_arena_piece(char **next, size_t size) {
  void *piece = *next;
  *next += (size + LIMPET_ARENA_ALIGNMENT - 1) & ~(size_t)(LIMPET_ARENA_ALIGNMENT - 1);
  return piece;
}

/* A part of an arena as an arena of its own, for a task that may take memory beside others: `size`
 * bytes, each take rounded up to LIMPET_ARENA_ALIGNMENT. It does not grow: takes beyond return
 * NULL. It lives as long as its memory and is neither reset nor destroyed. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_arena_part(limpet_arena *arena, size_t size, limpet_arena *part);

/* What was taken after the mark is given back by the release; marks nest. Blocks stay chained until
 * reset. */
static inline limpet_arena_mark limpet_arena_mark_now(const limpet_arena *arena) {
  return (limpet_arena_mark){arena->block, arena->free, arena->before};
}
// As limpet_arena_release where blocks were chained on since, or memory was refused.
void limpet_arena_release_grown(limpet_arena *arena, limpet_arena_mark mark);
static inline void limpet_arena_release(limpet_arena *arena, limpet_arena_mark mark) {
  if (arena->block != mark.block || arena->failed) {
    limpet_arena_release_grown(arena, mark);
    return;
  }
  assert(mark.free <= arena->free);
  const size_t taken = arena->before + (size_t)(arena->free - arena->begin);
  if (taken > arena->peak) arena->peak = taken;
  arena->left += (size_t)(arena->free - mark.free);
  arena->free = mark.free;
}
/* The same but for `size` bytes at `memory`, which was taken after the mark: they move to where the
 * mark is, and their new place is returned. */
void *limpet_arena_release_but(limpet_arena *arena, limpet_arena_mark mark, void *memory,
                               size_t size);

#define LIMPET_PIECE(next, type, count) \
  ((type *)limpet_arena_piece((next), (size_t)(count) * sizeof(type)))
#define LIMPET_TAKE(arena, type, count) \
  ((type *)limpet_arena_take((arena), (size_t)(count) * sizeof(type)))
#define LIMPET_TAKE_ZERO(arena, type, count) \
  ((type *)limpet_arena_take_zero((arena), (size_t)(count) * sizeof(type)))

#endif
