/* tests/support/allocator.c: the wrapped functions of the allocator; threads may call them. */
#include "allocator.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);
char *__wrap_strdup(const char *text);

static atomic_long calls, refusals;
static atomic_long refused = -1;

long allocator_calls(void) { return atomic_load(&calls); }
long allocator_refusals(void) { return atomic_load(&refusals); }

void allocator_reset(long fail_at) {
  atomic_store(&calls, 0);
  atomic_store(&refusals, 0);
  atomic_store(&refused, fail_at);
}

// Whether this call is the one to be refused.
static int refuse(void) {
  if (atomic_fetch_add(&calls, 1) != atomic_load(&refused)) return 0;
  atomic_fetch_add(&refusals, 1);
  errno = ENOMEM;
  return 1;
}

void *__wrap_malloc(size_t size) { return refuse() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) {
  return refuse() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *memory, size_t size) {
  return refuse() ? NULL : __real_realloc(memory, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return refuse() ? NULL : __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size) {
  return refuse() ? ENOMEM : __real_posix_memalign(memory, alignment, size);
}
char *__wrap_strdup(const char *text) {
  const size_t size = strlen(text) + 1;
  char *copy = refuse() ? NULL : __real_malloc(size);
  return copy ? memcpy(copy, text, size) : NULL;
}
