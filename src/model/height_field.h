/* model/height_field.h: the closed surface of a height field. */
#ifndef LIMPET_MODEL_HEIGHT_FIELD_H
#define LIMPET_MODEL_HEIGHT_FIELD_H

#include "base/arena.h"
#include "limpet/model.h"

/* Copies the heights of a description to the arena and makes its vertices (rows x columns tops,
 * four corners of the base) and faces. Nothing, where rows, columns, half lengths or base make no
 * field: the compilation says so. */
void limpet_height_field_mesh(limpet_mesh_description *mesh, limpet_arena *arena, bool *failed);

#endif
