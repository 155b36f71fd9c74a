/* format/load_options.c: the table of the options of loading, and their defaults. */
#include "base/field.h"
#include "limpet/format.h"

#define SWITCH(member, standard, words)                                                          \
  {                                                                                              \
    LIMPET_FIELD_ONE(limpet_load_options, member), .shape = "", .value = standard, .minimum = 0, \
                                                   .maximum = 1, .text = words                   \
  }

// clang-format off
static const limpet_field fields[] = {
    SWITCH(strict, false, "what changes physics and is not simulated is an error, not a note"),
    SWITCH(discard_visual, false, "leave out geoms that cannot collide (they still count for inertia)"),
    SWITCH(fix_base, false, "URDF, SDFormat: links that no joint holds are welded to the world"),
    SWITCH(exclude_overlaps, false, "links that overlap in the reference pose do not touch"),
    {LIMPET_FIELD_ONE(limpet_load_options, packages), .shape = "", LIMPET_FIELD_NO_RANGE, .text = "\"NAME=folder\" or a folder of packages, ':' between; NULL: none"},
};
// clang-format on

static const limpet_field_table table = LIMPET_FIELD_TABLE(limpet_load_options, fields);

const limpet_field_table *limpet_load_options_fields(void) { return &table; }

limpet_load_options limpet_load_options_default(void) {
  limpet_load_options options = {0};
  limpet_fields_reset(&table, &options);
  return options;
}
