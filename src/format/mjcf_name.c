/* format/mjcf_name.c: names of everything that can be referred to, and who sees what.
 *
 * In a space the name `n` of an element becomes prefix + n + suffix. <attach> adds a prefix,
 * <replicate> a suffix; spaces nest: the prefix of the outer space comes first, its suffix last. An
 * element of a section is read once for each space of its file; it is added where everything that
 * it names stands inside the space. In the space of a copy made by <replicate>, something that it
 * names must be part of the copy, and what is not is taken from the file around it. */
#include <string.h>

#include "base/hash.h"
#include "base/text_distance.h"
#include "format/mjcf.h"
#include "format/text.h"

struct limpet_mjcf_name {
  limpet_object kind;
  const char *name;
  int handle;
  const limpet_mjcf_space *space;
  const limpet_xml_element *element;
};

// ----------------------------------------------------------------------------------- spaces

limpet_mjcf_space *limpet_mjcf_space_add(limpet_mjcf *m, limpet_mjcf_space *parent,
                                         limpet_mjcf_source *source, const char *prefix,
                                         const char *suffix) {
  limpet_mjcf_space *space = LIMPET_MJCF_TAKE(m, limpet_mjcf_space, 1);
  space->source = source;
  space->prefix = limpet_mjcf_join(m, parent ? parent->prefix : "", prefix, "");
  space->suffix = limpet_mjcf_join(m, suffix, parent ? parent->suffix : "", "");
  space->parent = parent;
  if (m->last_space) m->last_space->next = space;
  else m->spaces = space;
  m->last_space = space;
  return space;
}

bool limpet_mjcf_stands_in(const limpet_mjcf_space *space, const limpet_mjcf_space *outer) {
  while (space && space != outer) space = space->parent;
  return space != NULL;
}

const char *limpet_mjcf_full_name(limpet_mjcf *m, const limpet_mjcf_space *space,
                                  const limpet_xml_element *e) {
  const char *name = limpet_xml_value(e, "name");
  return name && *name ? limpet_mjcf_join(m, space->prefix, name, space->suffix) : NULL;
}

// ------------------------------------------------------------------------------------ table

static size_t slot_of(const limpet_mjcf *m, limpet_object kind, const char *name) {
  const uint64_t hash = limpet_hash_bytes(LIMPET_HASH_START + (uint64_t)kind, name, strlen(name));
  size_t i = (size_t)hash & (m->name_slots - 1);
  for (; m->names[i]; i = (i + 1) & (m->name_slots - 1))
    if (m->names[i]->kind == kind && strcmp(m->names[i]->name, name) == 0) break;
  return i;
}

static const limpet_mjcf_name *find(const limpet_mjcf *m, limpet_object kind, const char *name) {
  return m->name_slots ? m->names[slot_of(m, kind, name)] : NULL;
}

static void enlarge(limpet_mjcf *m) {
  limpet_mjcf_name **old = m->names;
  const size_t old_slots = m->name_slots;
  m->name_slots = old_slots ? 2 * old_slots : 256;
  m->names = LIMPET_MJCF_TAKE(m, limpet_mjcf_name *, m->name_slots);
  for (size_t i = 0; i < old_slots; ++i)
    if (old[i]) m->names[slot_of(m, old[i]->kind, old[i]->name)] = old[i];
}

bool limpet_mjcf_name_taken(const limpet_mjcf *m, limpet_object kind, const char *name) {
  return find(m, kind, name) != NULL;
}

void limpet_mjcf_name_add(limpet_mjcf *m, limpet_object kind, const char *name, int handle,
                          const limpet_mjcf_space *space, const limpet_xml_element *e) {
  if (!name) return;
  const limpet_mjcf_name *other = find(m, kind, name);
  if (other && other->element)
    limpet_mjcf_fail(m, e, "name",
                     "the name '%s' is used twice for a%s %s; the first is at %s:%d:%d", name,
                     kind == LIMPET_OBJECT_ACTUATOR ? "n" : "", limpet_object_word(kind),
                     other->element->file, other->element->line, other->element->column);
  if (other) limpet_mjcf_fail(m, e, "name", "the name '%s' is that of the world", name);
  if (2 * m->name_count >= m->name_slots) enlarge(m);
  limpet_mjcf_name *entry = LIMPET_MJCF_TAKE(m, limpet_mjcf_name, 1);
  *entry = (limpet_mjcf_name){kind, name, handle, space, e};
  m->names[slot_of(m, kind, name)] = entry;
  ++m->name_count;
}

// ------------------------------------------------------------------------------- references

limpet_mjcf_reference limpet_mjcf_refer(limpet_mjcf *m, const limpet_mjcf_space *space,
                                        const limpet_xml_element *e) {
  return (limpet_mjcf_reference){.m = m, .space = space, .element = e};
}

// what `name` means in exactly this space; NULL: nothing inside it
static const limpet_mjcf_name *find_inside(limpet_mjcf *m, const limpet_mjcf_space *space,
                                           limpet_object kind, const char *name) {
  const limpet_mjcf_name *entry =
      find(m, kind, limpet_mjcf_join(m, space->prefix, name, space->suffix));
  return entry && limpet_mjcf_stands_in(entry->space, space) ? entry : NULL;
}

int limpet_mjcf_resolve(limpet_mjcf_reference *reference, const limpet_xml_element *e,
                        const char *attribute, limpet_object kind) {
  const char *name = limpet_xml_value(e, attribute);
  if (!name || !*name) return LIMPET_NONE;
  if (kind == LIMPET_OBJECT_BODY && strcmp(name, "world") == 0) return 0;
  const limpet_mjcf_space *space = reference->space;
  const limpet_mjcf_name *entry = find_inside(reference->m, space, kind, name);
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

static const char *nearest_name(const limpet_mjcf *m, limpet_object kind, const char *name) {
  const char *best = NULL;
  int best_distance = strlen(name) < 4 ? 2 : 4;
  for (size_t i = 0; i < m->name_slots; ++i) {
    if (!m->names[i] || m->names[i]->kind != kind) continue;
    const int distance = limpet_text_distance(name, m->names[i]->name);
    if (distance < best_distance ||
        (distance == best_distance && best && strcmp(m->names[i]->name, best) < 0))
      best = m->names[i]->name, best_distance = distance;
  }
  return best;
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
  const char *near = nearest_name(m, reference->missing_kind, name);
  limpet_mjcf_fail(m, e, reference->missing, "there is no %s '%s'%s%s%s",
                   limpet_object_word(reference->missing_kind), name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}
