/* format/mjcf/space.c: spaces. In a space the name `n` of an element becomes prefix + n + suffix.
 * <attach> adds a prefix, <replicate> a suffix; spaces nest: the prefix of the outer space comes
 * first, its suffix last. */
#include "format/mjcf/space.h"

#include <string.h>

limpet_mjcf_space *limpet_mjcf_space_add(limpet_mjcf *m, limpet_mjcf_space *parent,
                                         limpet_mjcf_source *source, const char *prefix,
                                         const char *suffix) {
  limpet_mjcf_space *space = LIMPET_READER_TAKE(m->reader, limpet_mjcf_space, 1);
  space->source = source;
  space->prefix = limpet_reader_join(m->reader, parent ? parent->prefix : "", prefix, "");
  space->suffix = limpet_reader_join(m->reader, suffix, parent ? parent->suffix : "", "");
  space->parent = parent;
  if (m->last_space) m->last_space->next = space;
  else m->spaces = space;
  m->last_space = space;
  if (!source->first_space) source->first_space = space;
  return space;
}

bool limpet_mjcf_stands_in(const limpet_mjcf_space *space, const limpet_mjcf_space *outer) {
  while (space && space != outer) space = space->parent;
  return space != NULL;
}

const char *limpet_mjcf_full_name(limpet_mjcf *m, const limpet_mjcf_space *space,
                                  const limpet_xml_element *e) {
  const char *name = limpet_xml_value(e, "name");
  return name && *name ? limpet_reader_join(m->reader, space->prefix, name, space->suffix) : NULL;
}

void limpet_mjcf_own(limpet_mjcf *m, limpet_mjcf_owners *owners, const limpet_mjcf_space *space) {
  if (owners->count == owners->room) {
    const int room = owners->room ? 2 * owners->room : 64;
    const limpet_mjcf_space **larger =
        LIMPET_READER_TAKE(m->reader, const limpet_mjcf_space *, room);
    if (owners->count) memcpy(larger, owners->space, (size_t)owners->count * sizeof *larger);
    owners->space = larger, owners->room = room;
  }
  owners->space[owners->count++] = space;
}
