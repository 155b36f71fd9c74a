/* format/sdformat/schema.h: the table of what SDFormat consists of. docs/sdformat.md shows it. */
#ifndef LIMPET_FORMAT_SDFORMAT_SCHEMA_H
#define LIMPET_FORMAT_SDFORMAT_SCHEMA_H

#include "format/read/schema.h"

extern const limpet_schema limpet_sdf_schema;

#endif
