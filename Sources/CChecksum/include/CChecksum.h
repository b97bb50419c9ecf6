#ifndef HAUL_CCHECKSUM_H
#define HAUL_CCHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// Continues a CRC-32C (Castagnoli, RFC 3720 §12.1) over `length` bytes. Start with 0.
uint32_t haul_crc32c(uint32_t crc, const void *bytes, size_t length);

/// What computes it here: "sse4.2", "armv8" or "table".
const char *haul_crc32c_backend(void);

#endif
