/* tests/support/mutate.c: texts and bytes changed at random. */
#include "mutate.h"

#include <string.h>

#include "shared_data.h"

static size_t pick(unsigned long *seed, size_t count) {
  const size_t i = (size_t)random_uniform(seed, 0.0, (double)count);
  return i < count ? i : count - 1;
}

// puts `length` bytes of `piece` at `at`, replacing `gone` bytes
static size_t splice(char *bytes, size_t n, size_t room, size_t at, size_t gone, const char *piece,
                     size_t length) {
  if (at + gone > n) gone = n - at;
  if (n - gone + length > room) return n;
  memmove(bytes + at + length, bytes + at + gone, n - at - gone);
  memcpy(bytes + at, piece, length);
  return n - gone + length;
}

static bool ends_value(char c) {
  return c == '"' || c == '\'' || c == ' ' || c == '\n' || c == '=';
}

// one value (between quotes or blanks) behind `at` becomes `word`: a text stays well formed most of
// the time
static size_t replace_value(char *bytes, size_t n, size_t room, size_t at, const char *word) {
  while (at < n && !ends_value(bytes[at])) ++at;
  while (at < n && ends_value(bytes[at])) ++at;
  size_t gone = 0;
  while (at + gone < n && !ends_value(bytes[at + gone])) ++gone;
  return splice(bytes, n, room, at, gone, word, strlen(word));
}

static size_t change(unsigned long *seed, char *bytes, size_t n, size_t room,
                     const char *const *words, int word_count) {
  const size_t at = pick(seed, n), length = 1 + pick(seed, pick(seed, 20) ? 12 : n / 4 + 1);
  const char *word = words[pick(seed, (size_t)word_count)];
  char piece[256];
  switch (pick(seed, 12)) {
    case 0: bytes[at] = (char)(bytes[at] ^ (char)(1 << pick(seed, 8))); return n;
    case 1: bytes[at] = (char)pick(seed, 256); return n;
    case 2: return splice(bytes, n, room, at, length, "", 0);  // cut
    case 3: return at && pick(seed, 4) == 0 ? at : n;          // truncate
    case 4:
      return splice(bytes, n, room, at, 0, word, strlen(word));  // a word of the format between
    case 5: {                                                    // copy a piece to another place
      const size_t from = pick(seed, n), size = length < sizeof piece ? length : sizeof piece;
      const size_t fits = n - from < size ? n - from : size;
      memcpy(piece, bytes + from, fits);
      return splice(bytes, n, room, at, 0, piece, fits);
    }
    default: return replace_value(bytes, n, room, at, word);
  }
}

size_t mutate(unsigned long *seed, char *bytes, size_t n, size_t room, const char *const *words,
              int word_count) {
  const size_t times = 1 + pick(seed, 3);
  for (size_t i = 0; i < times && n > 0; ++i) n = change(seed, bytes, n, room, words, word_count);
  return n;
}
