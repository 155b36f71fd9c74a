/* record/page_template.h: the page of viewer/, made at build time, and the place in it for data. */
#ifndef LIMPET_RECORD_PAGE_TEMPLATE_H
#define LIMPET_RECORD_PAGE_TEMPLATE_H

#include <stddef.h>

// Size 0: the library was built without npm.
extern const unsigned char limpet_replay_template[];
extern const size_t limpet_replay_template_size;

extern const char limpet_page_marker[];  // stands in the template where data goes

// Bytes before and behind the marker; both 0 where the template has none.
typedef struct limpet_page_parts {
  size_t before, behind;  // [bytes]  from the start of the template
} limpet_page_parts;

limpet_page_parts limpet_page_parts_find(void);

#endif
