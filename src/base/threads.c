/* base/threads.c: the pool behind limpet_threads: tasks are dealt one by one from a shared
 * counter. */
#include "base/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct worker {
  limpet_threads *pool;
  int index;
  pthread_t thread;
} worker;

struct limpet_threads {
  int count;        // threads, the caller included
  worker *workers;  // count - 1 of them
  pid_t process;    // that has the workers: a fork has none
  pthread_mutex_t mutex;
  pthread_cond_t start, done;
  long round;  // raised for every run
  int busy;    // workers that have not finished this round
  int stop;
  atomic_int next_task;
  int task_count;
  limpet_task *task;
  void *context;
};

static void tasks_run(limpet_threads *pool, int thread) {
  for (;;) {
    const int task = atomic_fetch_add(&pool->next_task, 1);
    if (task >= pool->task_count) return;
    pool->task(pool->context, task, thread);
  }
}

static void *worker_main(void *argument) {
  const worker *self = argument;
  limpet_threads *pool = self->pool;
  long seen = 0;
  pthread_mutex_lock(&pool->mutex);
  for (;;) {
    while (!pool->stop && pool->round == seen) pthread_cond_wait(&pool->start, &pool->mutex);
    if (pool->stop) break;
    seen = pool->round;
    pthread_mutex_unlock(&pool->mutex);
    tasks_run(pool, self->index);
    pthread_mutex_lock(&pool->mutex);
    if (--pool->busy == 0) pthread_cond_signal(&pool->done);
  }
  pthread_mutex_unlock(&pool->mutex);
  return NULL;
}

// Starts the workers of a pool that has none, as many as there can be; `count` tells.
static void workers_start(limpet_threads *pool, int thread_count) {
  pool->process = getpid();
  pool->count = 1;
  pool->round = pool->busy = pool->stop = 0;
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->start, NULL);
  pthread_cond_init(&pool->done, NULL);
  for (int i = 0; i < thread_count - 1; ++i) {
    pool->workers[i] = (worker){.pool = pool, .index = i + 1};
    if (pthread_create(&pool->workers[i].thread, NULL, worker_main, &pool->workers[i]) != 0) return;
    pool->count = i + 2;
  }
}

limpet_threads *limpet_threads_create(int thread_count) {
  limpet_threads *pool = calloc(1, sizeof *pool);
  if (!pool) return NULL;
  if (thread_count > 1) pool->workers = calloc((size_t)(thread_count - 1), sizeof *pool->workers);
  if (thread_count <= 1 || pool->workers) workers_start(pool, thread_count);
  if (pool->count == (thread_count > 1 ? thread_count : 1)) return pool;
  limpet_threads_destroy(pool);
  return NULL;
}

void limpet_threads_destroy(limpet_threads *pool) {
  if (!pool) return;
  if (pool->count > 0 && pool->process == getpid()) {
    pthread_mutex_lock(&pool->mutex);
    pool->stop = 1;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->count - 1; ++i) pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->start);
    pthread_cond_destroy(&pool->done);
    pthread_mutex_destroy(&pool->mutex);
  }
  free(pool->workers);
  free(pool);
}

int limpet_threads_count(const limpet_threads *pool) { return pool ? pool->count : 1; }

void limpet_threads_run(limpet_threads *pool, int task_count, limpet_task *task, void *context) {
  if (!pool || pool->count == 1 || task_count < 2) {
    for (int i = 0; i < task_count; ++i) task(context, i, 0);
    return;
  }
  if (pool->process != getpid()) workers_start(pool, pool->count);
  pthread_mutex_lock(&pool->mutex);
  pool->task = task;
  pool->context = context;
  pool->task_count = task_count;
  atomic_store(&pool->next_task, 0);
  pool->busy = pool->count - 1;
  ++pool->round;
  pthread_cond_broadcast(&pool->start);
  pthread_mutex_unlock(&pool->mutex);

  tasks_run(pool, 0);

  pthread_mutex_lock(&pool->mutex);
  while (pool->busy > 0) pthread_cond_wait(&pool->done, &pool->mutex);
  pthread_mutex_unlock(&pool->mutex);
}
