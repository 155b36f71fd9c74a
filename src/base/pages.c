/* base/pages.c: see pages.h. */
#include "base/pages.h"

#include <stdlib.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

enum { LINE = 64 };  // [bytes]

static size_t rounded_up(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

size_t limpet_pages_size(size_t size) {
  return rounded_up(size, size < LIMPET_PAGES_HUGE ? LINE : LIMPET_PAGES_HUGE);
}

void *limpet_pages_alloc(size_t size) {
  const size_t whole = limpet_pages_size(size);
  if (whole < LIMPET_PAGES_HUGE) return aligned_alloc(LINE, whole);
  void *block = aligned_alloc(LIMPET_PAGES_HUGE, whole);
#if defined(MADV_HUGEPAGE)
  if (block) (void)madvise(block, whole, MADV_HUGEPAGE);  // a wish: small pages do as well
#endif
  return block;
}
