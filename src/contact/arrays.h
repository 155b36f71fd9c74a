/* contact/arrays.h: the contact arrays of a world. */
#ifndef LIMPET_CONTACT_ARRAYS_H
#define LIMPET_CONTACT_ARRAYS_H

#include "base/arena.h"
#include "limpet/data.h"

// data->contact_* for `count` contacts, not filled. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_contact_arrays_take(limpet_data *data, int count, limpet_arena *arena);

#endif
