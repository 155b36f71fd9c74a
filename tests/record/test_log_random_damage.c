/* tests/record/test_log_random_damage.c: whatever bytes of a log are damaged, or missing, it is
 * read or refused with a reason, in the process that asks. No read crashes, lasts or takes memory
 * beyond what the file has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "effort.h"
#include "log_files.h"
#include "puppet.h"
#include "limpet/record.h"
#include "shared_data.h"

static const char path[] = LIMPET_BINARY_DIR "/test_log_random_damage.h5";

enum { TRIES = 200, PATIENCE = 20 /* [s] */, MEMORY = 64 << 10 /* [kB] */ };

typedef struct bytes {
  unsigned char *at;
  size_t size;
} bytes;

static bytes log_take(void) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  bytes whole = {.size = (size_t)ftell(file)};
  rewind(file);
  whole.at = malloc(whole.size);
  assert_int_equal(fread(whole.at, 1, whole.size, file), whole.size);
  fclose(file);
  return whole;
}

static void log_put(const bytes *content) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(content->at, 1, content->size, file), content->size);
  assert_int_equal(fclose(file), 0);
}

static size_t pick(unsigned long *seed, size_t count) {
  const size_t i = (size_t)random_uniform(seed, 0.0, (double)count);
  return i < count ? i : count - 1;
}

// the begin of a piece of the file that has a signature, such as an index of chunks
static size_t find_node(const bytes *content, unsigned long *seed, const char *signature) {
  const size_t begin = pick(seed, content->size);
  for (size_t k = 0; k + 4 < content->size; ++k) {
    const size_t at = (begin + k) % (content->size - 4);
    if (memcmp(content->at + at, signature, 4) == 0) return at;
  }
  return begin;
}

static void overwrite(bytes *content, unsigned long *seed, size_t at, size_t length, bool zeros) {
  for (size_t i = at; i < at + length && i < content->size; ++i)
    content->at[i] = zeros ? 0 : (unsigned char)pick(seed, 256);
}

// A number as sizes, counts and addresses are stored, one that is often a mistake.
static void put_number(bytes *content, unsigned long *seed, size_t at) {
  static const uint64_t numbers[] = {0, UINT64_MAX, INT32_MAX, 1ull << 63, 255, 65535, 1000000};
  const uint64_t number = numbers[pick(seed, sizeof numbers / sizeof *numbers)];
  const size_t length = (size_t)1 << pick(seed, 4);
  if (at + length <= content->size) memcpy(content->at + at, &number, length);
}

static void damage(bytes *content, unsigned long *seed) {
  static const char *const signatures[] = {"TREE", "OHDR", "GCOL", "FRHP", "FHDB", "BTHD"};
  const char *signature = signatures[pick(seed, sizeof signatures / sizeof *signatures)];
  const size_t at = pick(seed, content->size), places = 1 + pick(seed, 4);
  switch (pick(seed, 7)) {
    case 0: overwrite(content, seed, at, 1 + pick(seed, 64), false); return;
    case 1: overwrite(content, seed, at / 512 * 512, 512, true); return;
    case 2: overwrite(content, seed, at / 4096 * 4096, 4096, true); return;
    case 3: content->size = at; return;
    case 4:
      for (size_t i = 0; i < places; ++i)
        overwrite(content, seed, pick(seed, content->size), 1, false);
      return;
    case 5: put_number(content, seed, at); return;
    default: {
      const size_t node = find_node(content, seed, signature);
      for (size_t i = 0; i < places; ++i) put_number(content, seed, node + pick(seed, 200));
    }
  }
}

// HDF5 1.10 keeps some hundred bytes of a damaged file for good.
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libhdf5"; }

static long memory_peak(void) {  // [kB]  a sanitizer keeps what was freed, too
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// the lowest that is free: a file that stays open would raise it
static int free_descriptor(void) {
  const int descriptor = dup(0);
  close(descriptor);
  return descriptor;
}

// Reads all that the content says it has.
static void use(const limpet_log_info *info) {
  volatile double sum = 0.0;
  for (int i = 0; i < info->record_count; ++i) sum += info->time[i];
  for (int i = 0; i < info->step_count; ++i) sum += info->step_time[i];
  for (int i = 0; i < info->step_count * info->nu; ++i) sum += info->step_control[i];
  for (int i = 0; i < info->state_size; ++i) sum += info->start_state[i];
  for (int i = 0; i < info->nq && info->end_q; ++i) sum += info->end_q[i];
  (void)sum;
  assert_non_null(info->model_text);
}

// a short log, whose datasets are one piece each, and one of chunks
static void damaged_logs_are_read_or_refused(void **state) {
  static const int last_step[] = {5, 1100};
  unsigned long seed = 20261202;
  int read = 0, refused = 0;
  for (int which = 0; which < 2; ++which) {
    puppet_log_write(path, *state, last_step[which], 0.0, which == 0 ? 0 : 64);
    const bytes whole = log_take();
    bytes content = {.at = malloc(whole.size)};
    const long before = memory_peak();
    const int descriptor = free_descriptor();
    for (int i = 0; i < TRIES; ++i) {
      memcpy(content.at, whole.at, whole.size);
      content.size = whole.size;
      damage(&content, &seed);
      log_put(&content);
      limpet_error error = {0};
      alarm(PATIENCE);
      limpet_log_info *info = limpet_log_read(path, &error);
      alarm(0);
      if (info) use(info);
      else assert_non_null(strstr(error.message, path));
      read += info != NULL;
      refused += info == NULL;
      limpet_log_info_destroy(info);
    }
    if (!TEST_WATCHED) assert_in_range(memory_peak() - before, 0, MEMORY);
    assert_int_equal(free_descriptor(), descriptor);
    free(content.at);
    free(whole.at);
  }
  printf("%d read, %d refused\n", read, refused);
  assert_true(read > TRIES / 4 && refused > TRIES / 4);
}

static int close_model(void **state) {
  unlink(path);
  return puppet_destroy(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_logs_are_read_or_refused)};
  return cmocka_run_group_tests(tests, puppet_create, close_model);
}
