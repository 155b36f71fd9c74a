/* format/mjcf/name.c: names of everything that can be referred to, and who sees what.
 *
 * An element of a section is read once for each space of its file; it is added where everything
 * that it names stands inside the space. In the space of a copy made by <replicate>, something that
 * it names must be part of the copy, and what is not is taken from the file around it. */
#include "format/mjcf/name.h"

#include <string.h>

typedef struct name_entry {
  int handle;
  const limpet_mjcf_space *space;
  const limpet_xml_element *element;  // NULL: the world
} name_entry;

static const name_entry *find(const limpet_mjcf *m, limpet_object kind, const char *name) {
  return limpet_table_find(&m->names, (int)kind, name);
}

bool limpet_mjcf_name_taken(const limpet_mjcf *m, limpet_object kind, const char *name) {
  return find(m, kind, name) != NULL;
}

void limpet_mjcf_name_add(limpet_mjcf *m, limpet_object kind, const char *name, int handle,
                          const limpet_mjcf_space *space, const limpet_xml_element *e) {
  if (!name) return;
  const name_entry *other = find(m, kind, name);
  if (other && other->element)
    limpet_reader_fail(m->reader, e, "name",
                       "the name '%s' is used twice for a%s %s; the first is at %s:%d:%d", name,
                       kind == LIMPET_OBJECT_ACTUATOR ? "n" : "", limpet_object_word(kind),
                       other->element->file, other->element->line, other->element->column);
  if (other) limpet_reader_fail(m->reader, e, "name", "the name '%s' is that of the world", name);
  name_entry *entry = LIMPET_READER_TAKE(m->reader, name_entry, 1);
  *entry = (name_entry){handle, space, e};
  limpet_reader_enter(m->reader, &m->names, (int)kind, name, entry);
}

// ------------------------------------------------------------------------------- references

limpet_mjcf_reference limpet_mjcf_refer(limpet_mjcf *m, const limpet_mjcf_space *space,
                                        const limpet_xml_element *e) {
  return (limpet_mjcf_reference){.m = m, .space = space, .element = e};
}

// what `name` means in exactly this space; NULL: nothing inside it
static const name_entry *find_inside(limpet_mjcf *m, const limpet_mjcf_space *space,
                                     limpet_object kind, const char *name) {
  const name_entry *entry =
      find(m, kind, limpet_reader_join(m->reader, space->prefix, name, space->suffix));
  return entry && limpet_mjcf_stands_in(entry->space, space) ? entry : NULL;
}

int limpet_mjcf_resolve(limpet_mjcf_reference *reference, const limpet_xml_element *e,
                        const char *attribute, limpet_object kind) {
  const char *name = limpet_xml_value(e, attribute);
  return name ? limpet_mjcf_resolve_name(reference, e, attribute, name, kind) : LIMPET_NONE;
}

int limpet_mjcf_resolve_name(limpet_mjcf_reference *reference, const limpet_xml_element *e,
                             const char *attribute, const char *name, limpet_object kind) {
  if (!*name) return LIMPET_NONE;
  if (kind == LIMPET_OBJECT_BODY && strcmp(name, "world") == 0) return 0;
  const limpet_mjcf_space *space = reference->space;
  const name_entry *entry = find_inside(reference->m, space, kind, name);
  if (entry) reference->inside = true;

  // a copy also sees what stands beside it
  while (!entry && space->replica) {
    space = space->parent;
    entry = find_inside(reference->m, space, kind, name);
  }
  if (entry) return entry->handle;
  if (!reference->missing)
    reference->missing = attribute, reference->missing_kind = kind, reference->element = e;
  return LIMPET_NONE;
}

// whether some copy made by <replicate> inside `space` has this name
static bool replicated(limpet_mjcf *m, const limpet_mjcf_space *space, limpet_object kind,
                       const char *name) {
  for (const limpet_mjcf_space *copy = m->spaces; copy; copy = copy->next)
    if (copy->replica && copy->source == space->source && limpet_mjcf_stands_in(copy, space) &&
        find_inside(m, copy, kind, name))
      return true;
  return false;
}

bool limpet_mjcf_resolved(limpet_mjcf_reference *reference) {
  limpet_mjcf *m = reference->m;
  const limpet_mjcf_space *space = reference->space;
  if (!reference->missing) return !space->parent || reference->inside;
  if (space->parent) return false;

  // the main file: its copies may know the name
  const limpet_xml_element *e = reference->element;
  const char *name = limpet_xml_value(e, reference->missing);
  if (replicated(m, space, reference->missing_kind, name)) return false;
  const char *near = limpet_table_nearest(&m->names, (int)reference->missing_kind, name);
  limpet_reader_fail(m->reader, e, reference->missing, "there is no %s '%s'%s%s%s",
                     limpet_object_word(reference->missing_kind), name,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}
