/* record/page_template.c: finds the marker in the page. */
#include "record/page_template.h"

#include <string.h>

const char limpet_page_marker[] = "<!--limpet replay data-->";

limpet_page_parts limpet_page_parts_find(void) {
  const size_t length = sizeof limpet_page_marker - 1;
  for (size_t i = 0; i + length <= limpet_replay_template_size; ++i)
    if (memcmp(&limpet_replay_template[i], limpet_page_marker, length) == 0)
      return (limpet_page_parts){i, i + length};
  return (limpet_page_parts){0, 0};
}
