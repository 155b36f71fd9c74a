/* cli/suggest.c: the known word nearest to a mistyped one, by the number of edits.
 *
 * Optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours
 * cost 1 each; case does not count. d[i][j] = min(d[i-1][j] + 1, d[i][j-1] + 1, d[i-1][j-1] + (a_i
 * != b_j), d[i-2][j-2] + 1 where a_i a_{i-1} = b_{j-1} b_j). Three rows of at most 64 entries;
 * longer words are not compared. */
#include "suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WORD_LIMIT = 64 };

static int lower(char c) { return tolower((unsigned char)c); }

static int least(int a, int b) { return a < b ? a : b; }

static int edit_distance(const char *a, const char *b) {
  const int m = (int)strlen(a), n = (int)strlen(b);
  if (m >= WORD_LIMIT || n >= WORD_LIMIT) return WORD_LIMIT;
  int rows[3][WORD_LIMIT + 1];
  int *before = rows[0], *above = rows[1], *row = rows[2];
  for (int j = 0; j <= n; ++j) above[j] = j;
  for (int i = 1; i <= m; ++i) {
    row[0] = i;
    for (int j = 1; j <= n; ++j) {
      const int replaced = above[j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
      row[j] = least(replaced, least(above[j], row[j - 1]) + 1);
      const int swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                          lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = least(row[j], before[j - 2] + 1);
    }
    int *spare = before;
    before = above, above = row, row = spare;
  }
  return above[n];
}

void limpet_suggest(limpet_suggestion *best, const char *word, const char *candidate) {
  if (!candidate) return;
  const int distance = edit_distance(word, candidate);
  const int near = 1 + (int)strlen(word) / 3;
  if (distance > near || (best->word && distance >= best->distance)) return;
  best->word = candidate;
  best->distance = distance;
}

const char *limpet_suggestion_text(char *text, size_t size, const limpet_suggestion *best) {
  if (best->word) snprintf(text, size, " (did you mean '%s'?)", best->word);
  else text[0] = '\0';
  return text;
}
