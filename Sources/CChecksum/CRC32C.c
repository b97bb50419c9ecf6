#include "CChecksum.h"

/* Placeholder order of magnitude: bitwise, replaced by tables and instructions. */
uint32_t haul_crc32c(uint32_t crc, const void *bytes, size_t length) {
    const unsigned char *p = bytes;
    crc = ~crc;
    while (length--) {
        crc ^= *p++;
        for (int i = 0; i < 8; i++) crc = (crc >> 1) ^ (0x82F63B78u & (0u - (crc & 1)));
    }
    return ~crc;
}
const char *haul_crc32c_backend(void) { return "table"; }
