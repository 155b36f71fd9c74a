/* base/text_distance.c: how far two words are from each other, for "did you mean". Optimal string
 * alignment distance. */
#include "base/text_distance.h"

#include <stdbool.h>
#include <string.h>

int limpet_text_distance(const char *a, const char *b) {
  enum { LONGEST = 63 };
  const size_t n = strlen(a), m = strlen(b);
  if (n > LONGEST || m > LONGEST) return LONGEST;
  int row[3][LONGEST + 2];  // rows i - 2, i - 1, i of the table of prefixes, in turn

  for (size_t j = 0; j <= m; ++j) row[0][j] = (int)j;
  for (size_t i = 1; i <= n; ++i) {
    int *now = row[i % 3], *before = row[(i + 2) % 3], *two_before = row[(i + 1) % 3];
    now[0] = (int)i;
    for (size_t j = 1; j <= m; ++j) {
      const int replace = before[j - 1] + (a[i - 1] != b[j - 1]);
      const int insert = now[j - 1] + 1, erase = before[j] + 1;
      now[j] = replace < insert ? replace : insert;
      if (erase < now[j]) now[j] = erase;
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped && two_before[j - 2] + 1 < now[j]) now[j] = two_before[j - 2] + 1;
    }
  }
  return row[n % 3][m];
}
