/* format/read/pool.h: many small objects that live as long as one reading of a file and are freed
 * together. Objects are aligned to 8 bytes. */
#ifndef LIMPET_FORMAT_POOL_H
#define LIMPET_FORMAT_POOL_H

#include <stddef.h>

typedef struct limpet_pool_block limpet_pool_block;

typedef struct limpet_pool {
  limpet_pool_block *block;  // newest block of the chain
  size_t used, size;         // [bytes] of the newest block
} limpet_pool;

void limpet_pool_free(limpet_pool *pool);

// Cleared memory, or NULL when the system gives none; the pool stays valid.
void *limpet_pool_take(limpet_pool *pool, size_t size);
// Copies of a text, of its first `length` bytes, and of two or three texts joined; NULL when there
// is no memory.
char *limpet_pool_text(limpet_pool *pool, const char *text);
char *limpet_pool_text_n(limpet_pool *pool, const char *text, size_t length);
char *limpet_pool_join(limpet_pool *pool, const char *a, const char *b, const char *c);

#define LIMPET_POOL_TAKE(pool, type, count) \
  ((type *)limpet_pool_take((pool), (size_t)(count) * sizeof(type)))

#endif
