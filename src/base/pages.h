/* base/pages.h: memory of large blocks.
 *
 * From LIMPET_PAGES_HUGE bytes on a block lies on huge pages where the system hands them out on
 * request: a step that goes through megabytes of factors then finds its addresses in the table of
 * the processor (TLB), and first use takes one fault of a page where it took 512. */
#ifndef LIMPET_BASE_PAGES_H
#define LIMPET_BASE_PAGES_H

#include <stddef.h>

enum { LIMPET_PAGES_HUGE = 1 << 21 };  // [bytes]  of a huge page, and the least large block

// [bytes]  that limpet_pages_alloc takes for `size`: of large blocks whole huge pages.
size_t limpet_pages_size(size_t size);
// That many bytes, 64-byte aligned, for free; NULL: no memory.
void *limpet_pages_alloc(size_t size);

#endif
