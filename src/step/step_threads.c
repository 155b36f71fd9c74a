/* step/step_threads.c: see step_threads.h. */
#include "step/step_threads.h"

#include "model/workspace.h"

static void pool_destroy(void *object) { limpet_threads_destroy(object); }

limpet_threads *limpet_step_threads(limpet_data *data, int count) {
  if (count <= 1) return NULL;
  limpet_workspace *workspace = data->workspace;
  limpet_threads *pool = workspace->object[LIMPET_SLOT_STEP];
  if (pool && limpet_threads_count(pool) == count) return pool;
  limpet_threads_destroy(pool);
  workspace->object[LIMPET_SLOT_STEP] = pool = limpet_threads_create(count);
  workspace->destroy[LIMPET_SLOT_STEP] = pool_destroy;
  return pool;
}
