/* cli/suggest.h: "did you mean": the known word that is nearest to a mistyped one. */
#ifndef LIMPET_CLI_SUGGEST_H
#define LIMPET_CLI_SUGGEST_H

#include <stddef.h>

typedef struct limpet_suggestion {
  const char *word;  // nearest so far, or NULL
  int distance;      // of it
} limpet_suggestion;

// Takes `candidate` (may be NULL) if it is nearer to `word` than what was found so far, and near
// enough to be meant.
void limpet_suggest(limpet_suggestion *best, const char *word, const char *candidate);

// " (did you mean '...'?)", or "" when nothing was near; `text` holds at least `size` characters.
const char *limpet_suggestion_text(char *text, size_t size, const limpet_suggestion *best);

#endif
