/* tests/consumer: a program outside the project that finds Limpet as an installed library. */
#include <stdio.h>
#include <string.h>

#include <limpet/limpet.h>

int main(void) {
  printf("limpet %s\n", limpet_version());
  return strcmp(limpet_version(), LIMPET_VERSION_STRING) != 0;
}
