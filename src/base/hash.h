/* base/hash.h: FNV-1a over bytes, 64 bits: for states and models, not for secrets. */
#ifndef LIMPET_BASE_HASH_H
#define LIMPET_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define LIMPET_HASH_START 0xcbf29ce484222325ull

static inline uint64_t limpet_hash_bytes(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *byte = (const unsigned char *)bytes;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ byte[i]) * 0x100000001b3ull;
  return hash;
}

#endif
