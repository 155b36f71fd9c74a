/* format/urdf/schema.h: the table of what URDF consists of. docs/urdf.md shows it to users. */
#ifndef LIMPET_FORMAT_URDF_SCHEMA_H
#define LIMPET_FORMAT_URDF_SCHEMA_H

#include "format/read/schema.h"

extern const limpet_schema limpet_urdf_schema;

#endif
