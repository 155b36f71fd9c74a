/* dynamics/mirror.c: a second pose of the same world: see tree.h. */
#include <string.h>

#include "dynamics/tree.h"

limpet_status limpet_mirror_make(const limpet_model *model, const limpet_data *data,
                                 limpet_arena *arena, limpet_data *mirror) {
  const size_t bodies = (size_t)model->body_count, nv = (size_t)model->nv;
  const size_t nq = (size_t)model->nq, trees = (size_t)model->tree_count;
  *mirror = *data;
  const struct {
    double **array;
    size_t count;
  } own[] = {
      {&mirror->body_position, 3 * bodies},
      {&mirror->body_quaternion, 4 * bodies},
      {&mirror->body_rotation, 9 * bodies},
      {&mirror->body_velocity, 6 * bodies},
      {&mirror->tendon_row, (size_t)model->tendon_dof_count},
      {&mirror->body_com, 3 * bodies},
      {&mirror->body_inertia, 10 * bodies},
      {&mirror->tree_origin, 3 * trees},
      {&mirror->dof_axis, 6 * nv},
      {&mirror->dof_axis_rate, 6 * nv},
      {&mirror->q, nq},
      {&mirror->v, nv},
  };
  enum { OWN = sizeof own / sizeof own[0], COPIED = 5 };  // parents that are fixed keep their poses
  size_t size = 0;
  for (int i = 0; i < OWN; ++i) size += own[i].count;
  double *next = LIMPET_TAKE(arena, double, size);
  if (!next) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < OWN; next += own[i].count, ++i) {
    if (i < COPIED) memcpy(next, *own[i].array, own[i].count * sizeof *next);
    *own[i].array = next;
  }
  return LIMPET_OK;
}
