/* format/robot/filter.c: groups of links that ignore each other.
 *
 * A group has links as members, and those of other groups. No link of a group touches one of a
 * group that it ignores; a group that ignores itself does so between all of its links. */
#include <string.h>

#include "format/read/value.h"
#include "format/robot/extension.h"

enum { DEPTH_LIMIT = 100 };  // of groups in groups

typedef struct filter_group filter_group;
struct filter_group {
  const char *name;
  const limpet_xml_element *element;
  int *member;  // handles of bodies
  int count, room;
  bool open;  // its members are being collected: a group that holds itself would not end
  filter_group *next;
};

typedef struct filters {
  const limpet_robot_scope *scope;
  filter_group *groups;
  limpet_table names;
} filters;

// a name in the attribute `attribute`, or in the text
static const char *name_in(const filters *f, const limpet_xml_element *e, const char *attribute) {
  return limpet_read_required(f->scope->robot->reader, e,
                              limpet_xml_find(e, attribute) ? attribute : NULL);
}

static void add_member(const filters *f, filter_group *group, int body) {
  limpet_reader_count(f->scope->robot->reader, group->element);
  if (group->count == group->room) {
    const int room = group->room ? 2 * group->room : 16;
    int *larger = LIMPET_READER_TAKE(f->scope->robot->reader, int, room);
    if (group->count) memcpy(larger, group->member, (size_t)group->count * sizeof *larger);
    group->member = larger, group->room = room;
  }
  group->member[group->count++] = body;
}

static filter_group *find_group(const filters *f, const limpet_xml_element *e,
                                const char *attribute) {
  const char *name = name_in(f, e, attribute);
  filter_group *group = limpet_table_find(&f->names, 0, name);
  if (!group)
    limpet_reader_fail(f->scope->robot->reader, e, limpet_xml_find(e, attribute) ? attribute : NULL,
                       "there is no <drake:collision_filter_group> '%s'", name);
  return group;
}

static bool is_tag(const limpet_xml_element *e, const char *name) {
  return strcmp(e->name, name) == 0;
}

// the links of a group and of its member groups
static void collect(const filters *f, filter_group *target, filter_group *group, int depth) {
  limpet_reader *reader = f->scope->robot->reader;
  if (group->open)
    limpet_reader_fail(reader, group->element, NULL, "the group '%s' is a member of itself",
                       group->name);
  if (depth > DEPTH_LIMIT)
    limpet_reader_fail(reader, group->element, NULL, "groups are members of groups %d levels deep",
                       depth);
  group->open = true;
  for (const limpet_xml_element *e = group->element->first; e; e = e->next) {
    if (is_tag(e, "drake:member")) {
      const char *attribute = limpet_xml_find(e, "link") ? "link" : NULL;
      add_member(f, target,
                 f->scope->link(f->scope->context, e, attribute, name_in(f, e, "link"))->handle);
    } else if (is_tag(e, "drake:member_group")) {
      collect(f, target, find_group(f, e, "name"), depth + 1);
    }
  }
  group->open = false;
}

static void exclude(const filters *f, const filter_group *a, const filter_group *b) {
  limpet_reader *reader = f->scope->robot->reader;
  for (int i = 0; i < a->count; ++i)
    for (int k = a == b ? i + 1 : 0; k < b->count; ++k) {
      if (a->member[i] == b->member[k]) continue;
      limpet_reader_count(reader, a->element);
      limpet_builder_add_exclude(reader->builder, a->member[i], b->member[k]);
    }
}

static void enter_groups(filters *f) {
  limpet_reader *reader = f->scope->robot->reader;
  for (const limpet_xml_element *e = f->scope->root->first; e; e = e->next) {
    if (!is_tag(e, "drake:collision_filter_group")) continue;
    const char *ignore = limpet_xml_value(e, "ignore");
    if (ignore && strcmp(ignore, "true") == 0) continue;
    filter_group *group = LIMPET_READER_TAKE(reader, filter_group, 1);
    group->name = limpet_read_required(reader, e, "name");
    group->element = e;
    group->next = f->groups;
    f->groups = group;
    limpet_reader_enter(reader, &f->names, 0, group->name, group);
  }
}

void limpet_robot_filters_read(const limpet_robot_scope *scope) {
  filters f = {.scope = scope};
  enter_groups(&f);
  for (filter_group *group = f.groups; group; group = group->next) collect(&f, group, group, 0);
  for (const filter_group *group = f.groups; group; group = group->next)
    for (const limpet_xml_element *e = group->element->first; e; e = e->next)
      if (is_tag(e, "drake:ignored_collision_filter_group"))
        exclude(&f, group, find_group(&f, e, "name"));
}
