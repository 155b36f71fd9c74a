/* format/mjcf/schema.h: the table of what MJCF consists of. docs/mjcf.md shows it to users. */
#ifndef LIMPET_FORMAT_MJCF_SCHEMA_H
#define LIMPET_FORMAT_MJCF_SCHEMA_H

#include "format/read/schema.h"

extern const limpet_schema limpet_mjcf_schema;

#endif
