/* base/threads.h: a fixed pool of threads that runs a range of independent tasks.
 *
 * Which thread runs a task is not determined; so tasks write to places of their own, and sums over
 * tasks are taken afterwards in task order. Then results do not depend on the number of threads. */
#ifndef LIMPET_BASE_THREADS_H
#define LIMPET_BASE_THREADS_H

typedef struct limpet_threads limpet_threads;
typedef void limpet_task(void *context, int task, int thread);  // thread: 0 .. thread_count - 1

// NULL when threads cannot be had. thread_count counts the caller, who works too; 1 makes no thread
// at all.
limpet_threads *limpet_threads_create(int thread_count);
void limpet_threads_destroy(limpet_threads *threads);
int limpet_threads_count(const limpet_threads *threads);  // NULL: 1

// A process that was forked starts threads of its own in its first run.
// Runs task 0 .. task_count - 1 and returns when all are done; `threads` NULL: in the calling
// thread, in order.
void limpet_threads_run(limpet_threads *threads, int task_count, limpet_task *task, void *context);

#endif
