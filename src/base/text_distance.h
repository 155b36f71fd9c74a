/* base/text_distance.h: how far two words are from each other, for "did you mean". */
#ifndef LIMPET_BASE_TEXT_DISTANCE_H
#define LIMPET_BASE_TEXT_DISTANCE_H

/* Number of insertions, deletions, replacements and swaps of neighbours that take a to b;
 * texts beyond 63 characters count as far. */
int limpet_text_distance(const char *a, const char *b);

#endif
