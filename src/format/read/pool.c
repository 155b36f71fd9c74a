/* format/read/pool.c: a chain of blocks, each at least as large as what is asked for. */
#include "format/read/pool.h"

#include <stdlib.h>
#include <string.h>

struct limpet_pool_block {
  limpet_pool_block *next;
  size_t padding;  // keeps what follows aligned to 16 bytes
};

enum { BLOCK_SIZE = 1 << 16 };

void limpet_pool_free(limpet_pool *pool) {
  while (pool->block) {
    limpet_pool_block *next = pool->block->next;
    free(pool->block);
    pool->block = next;
  }
  *pool = (limpet_pool){0};
}

void *limpet_pool_take(limpet_pool *pool, size_t size) {
  size = (size + 7) & ~(size_t)7;
  if (pool->size - pool->used < size) {
    const size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
    limpet_pool_block *block = malloc(sizeof *block + room);
    if (!block) return NULL;
    block->next = pool->block;
    *pool = (limpet_pool){block, 0, room};
  }
  void *object = (char *)(pool->block + 1) + pool->used;
  pool->used += size;
  memset(object, 0, size);
  return object;
}

char *limpet_pool_text_n(limpet_pool *pool, const char *text, size_t length) {
  char *copy = limpet_pool_take(pool, length + 1);
  if (copy) memcpy(copy, text, length);
  return copy;
}

char *limpet_pool_text(limpet_pool *pool, const char *text) {
  return limpet_pool_text_n(pool, text, strlen(text));
}

char *limpet_pool_join(limpet_pool *pool, const char *a, const char *b, const char *c) {
  const size_t na = strlen(a), nb = strlen(b), nc = strlen(c);
  char *text = limpet_pool_take(pool, na + nb + nc + 1);
  if (!text) return NULL;
  memcpy(text, a, na);
  memcpy(text + na, b, nb);
  memcpy(text + na + nb, c, nc);
  return text;
}
