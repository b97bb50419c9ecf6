#ifndef HAUL_CCHECKSUM_H
#define HAUL_CCHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// Continues a CRC-32C (Castagnoli, RFC 3720 §12.1) over `length` bytes. Start with 0.
uint32_t haul_crc32c(uint32_t crc, const void *bytes, size_t length);

/// The same by tables alone, for comparison.
uint32_t haul_crc32c_by_table(uint32_t crc, const void *bytes, size_t length);

/// The same by the processor's instruction for it, where it has one: what older ones use.
uint32_t haul_crc32c_by_instruction(uint32_t crc, const void *bytes, size_t length);

/// CRC-32C of two runs one behind the other, from the CRC of each and the second one's length in bytes.
uint32_t haul_crc32c_combine(uint32_t a, uint32_t b, uint64_t length_b);

/// What computes it here: "vpclmulqdq", "sse4.2", "armv8" or "table".
const char *haul_crc32c_backend(void);

#endif
