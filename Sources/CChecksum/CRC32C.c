/* CRC-32C with run-time dispatch. Bit-reflected throughout: bit 31 of a remainder stands for x^0. */
#include "CChecksum.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

static const uint32_t polynomial = 0x82F63B78u;

static uint32_t table[8][256];
/* powers[n] is x^(2^n); 68 of them, since a length of 64 bits counts bytes. */
static uint32_t powers[68];

static uint32_t (*implementation)(uint32_t crc, const void *bytes, size_t length);
static uint32_t (*instruction)(uint32_t crc, const void *bytes, size_t length);
static const char *backend;

static uint32_t multiply(uint32_t a, uint32_t b) {
    uint32_t product = 0;
    for (int i = 0; i < 32; i++) {
        product ^= b & (0u - (a >> 31));
        a <<= 1;
        b = (b >> 1) ^ (polynomial & (0u - (b & 1)));
    }
    return product;
}

/* a * x^(count * 2^unit). */
static uint32_t shifted(uint32_t a, uint64_t count, int unit) {
    for (; count != 0 && a != 0; unit++, count >>= 1)
        if (count & 1) a = multiply(powers[unit], a);
    return a;
}

uint32_t haul_crc32c_combine(uint32_t a, uint32_t b, uint64_t length_b) { return shifted(a, length_b, 3) ^ b; }

uint32_t haul_crc32c_by_table(uint32_t crc, const void *bytes, size_t length) {
    const unsigned char *p = bytes;
    crc = ~crc;
    while (length >= 8) {
        uint32_t low = crc ^ (p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
        crc = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255] ^ table[4][low >> 24]
            ^ table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^ table[0][p[7]];
        p += 8;
        length -= 8;
    }
    while (length--) crc = table[0][(crc ^ *p++) & 255] ^ (crc >> 8);
    return ~crc;
}

#if defined(__x86_64__)

/* One crc32 instruction takes 8 bytes, needs 3 cycles and can start every cycle: three independent streams fill it.
   The streams' remainders are then moved along by carry-less multiplication with x^(8n-33); the missing x^33 comes
   from the reflected product (1) and from the crc32 instruction that reduces it (32). */
#define LONG_STREAM 2048
#define LONG_ONCE 0xA51B6135u   /* x^(8 * 2048 - 33) */
#define LONG_TWICE 0x82F89C77u /* x^(16 * 2048 - 33) */
#define SHORT_STREAM 256
#define SHORT_ONCE 0xB9E02B86u
#define SHORT_TWICE 0xDD7E3B0Cu

__attribute__((target("sse4.2,pclmul"))) static inline uint64_t load(const unsigned char *p) {
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

__attribute__((target("sse4.2,pclmul"))) static inline uint64_t shift(uint64_t crc, uint32_t power) {
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)crc), _mm_cvtsi32_si128((int)power), 0);
    return (uint64_t)_mm_cvtsi128_si64(product);
}

#define STREAMS(size, once, twice)                                                                                   \
    while (length >= 3 * (size)) {                                                                                   \
        uint64_t b = 0, c = 0;                                                                                       \
        const unsigned char *end = p + (size);                                                                       \
        for (; p < end; p += 8) {                                                                                    \
            a = _mm_crc32_u64(a, load(p));                                                                           \
            b = _mm_crc32_u64(b, load(p + (size)));                                                                  \
            c = _mm_crc32_u64(c, load(p + 2 * (size)));                                                              \
        }                                                                                                            \
        a = c ^ _mm_crc32_u64(0, shift(a, twice) ^ shift(b, once));                                                  \
        p += 2 * (size);                                                                                             \
        length -= 3 * (size);                                                                                        \
    }

__attribute__((target("sse4.2,pclmul"))) static uint32_t by_sse42(uint32_t crc, const void *bytes, size_t length) {
    const unsigned char *p = bytes;
    uint64_t a = ~crc;
    STREAMS(LONG_STREAM, LONG_ONCE, LONG_TWICE)
    STREAMS(SHORT_STREAM, SHORT_ONCE, SHORT_TWICE)
    for (; length >= 8; p += 8, length -= 8) a = _mm_crc32_u64(a, load(p));
    uint32_t rest = (uint32_t)a;
    while (length--) rest = _mm_crc32_u8(rest, *p++);
    return ~rest;
}

/* Carry-less multiplication of two lanes at once: eight registers of 32 bytes move along by their common length, each lane
   of 16 as low * x^(distance + 32) + high * x^(distance - 32) (Gopal et al., "Fast CRC Computation for Generic
   Polynomials Using PCLMULQDQ"; reflected, hence one bit further up). What is left in them has the same remainder as
   all that they have passed, and goes through the crc32 instruction. */
#define FOLDED 256
static uint64_t fold_low, fold_high;

__attribute__((target("avx2,vpclmulqdq,sse4.2,pclmul"))) static uint32_t by_vpclmulqdq(
    uint32_t crc, const void *bytes, size_t length) {
    const unsigned char *p = bytes;
    if (length < 2 * FOLDED) return by_sse42(crc, bytes, length);
    const __m256i factors = _mm256_set_epi64x(
        (long long)fold_high, (long long)fold_low, (long long)fold_high, (long long)fold_low);
    __m256i x[8];
    for (int i = 0; i < 8; i++) x[i] = _mm256_loadu_si256((const __m256i *)(p + 32 * i));
    x[0] = _mm256_xor_si256(x[0], _mm256_set_epi32(0, 0, 0, 0, 0, 0, 0, (int)~crc));
    for (p += FOLDED, length -= FOLDED; length >= FOLDED; p += FOLDED, length -= FOLDED) {
#pragma clang loop unroll(full)
        for (int i = 0; i < 8; i++) {
            __m256i low = _mm256_clmulepi64_epi128(x[i], factors, 0x00);
            __m256i high = _mm256_clmulepi64_epi128(x[i], factors, 0x11);
            __m256i next = _mm256_loadu_si256((const __m256i *)(p + 32 * i));
            x[i] = _mm256_xor_si256(_mm256_xor_si256(low, high), next);
        }
    }
    unsigned char left[FOLDED];
    for (int i = 0; i < 8; i++) _mm256_storeu_si256((__m256i *)(left + 32 * i), x[i]);
    return by_sse42(by_sse42(~0u, left, FOLDED), p, length);
}

#elif defined(__aarch64__)

#if defined(__clang__)
#define ARM_CRC __attribute__((target("crc")))
#else
#define ARM_CRC __attribute__((target("+crc")))
#endif
#define ARM_STREAM 8192

ARM_CRC static inline uint32_t word(uint32_t crc, const unsigned char *p) {
    uint64_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    return __builtin_arm_crc32cd(crc, bytes);
}

ARM_CRC static uint32_t by_armv8(uint32_t crc, const void *bytes, size_t length) {
    const unsigned char *p = bytes;
    uint32_t a = ~crc;
    /* Streams are long, so that two plain multiplications a round are nothing beside them. */
    while (length >= 3 * ARM_STREAM) {
        uint32_t b = 0, c = 0;
        const unsigned char *end = p + ARM_STREAM;
        for (; p < end; p += 8) {
            a = word(a, p);
            b = word(b, p + ARM_STREAM);
            c = word(c, p + 2 * ARM_STREAM);
        }
        a = haul_crc32c_combine(haul_crc32c_combine(a, b, ARM_STREAM), c, ARM_STREAM);
        p += 2 * ARM_STREAM;
        length -= 3 * ARM_STREAM;
    }
    for (; length >= 8; p += 8, length -= 8) a = word(a, p);
    while (length--) a = __builtin_arm_crc32cb(a, *p++);
    return ~a;
}

#endif

/* Before main: no call has to ask whether the tables stand. */
__attribute__((constructor)) static void prepare(void) {
    powers[0] = 1u << 30;
    for (int n = 1; n < 68; n++) powers[n] = multiply(powers[n - 1], powers[n - 1]);
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int i = 0; i < 8; i++) crc = (crc >> 1) ^ (polynomial & (0u - (crc & 1)));
        table[0][byte] = crc;
    }
    for (int slice = 1; slice < 8; slice++)
        for (int byte = 0; byte < 256; byte++)
            table[slice][byte] = table[0][table[slice - 1][byte] & 255] ^ (table[slice - 1][byte] >> 8);

    implementation = instruction = haul_crc32c_by_table;
    backend = "table";
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul")) {
        implementation = instruction = by_sse42;
        backend = "sse4.2";
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("vpclmulqdq")) {
            fold_low = (uint64_t)shifted(1u << 31, 8 * FOLDED + 32, 0) << 1;
            fold_high = (uint64_t)shifted(1u << 31, 8 * FOLDED - 32, 0) << 1;
            implementation = by_vpclmulqdq;
            backend = "vpclmulqdq";
        }
    }
#elif defined(__aarch64__) && defined(__linux__)
    if (getauxval(AT_HWCAP) & (1ul << 7) /* HWCAP_CRC32 */) {
        implementation = instruction = by_armv8;
        backend = "armv8";
    }
#elif defined(__aarch64__) && defined(__APPLE__)
    implementation = instruction = by_armv8;
    backend = "armv8";
#endif
}

uint32_t haul_crc32c(uint32_t crc, const void *bytes, size_t length) { return implementation(crc, bytes, length); }

uint32_t haul_crc32c_by_instruction(uint32_t crc, const void *bytes, size_t length) {
    return instruction(crc, bytes, length);
}

const char *haul_crc32c_backend(void) { return backend; }
