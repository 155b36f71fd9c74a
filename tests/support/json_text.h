/* tests/support/json_text.h: JSON in C strings, readable: with ' for ". */
#ifndef LIMPET_TEST_JSON_TEXT_H
#define LIMPET_TEST_JSON_TEXT_H

// The text with " for ', in a static buffer; a text that does not fit ends the program.
const char *json_text(const char *text);

#endif
