#include "CFuzzer.h"

__attribute__((weak)) int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*check)(const uint8_t *, size_t));

int haul_fuzzer_is_linked(void) { return LLVMFuzzerRunDriver != NULL; }

int haul_fuzzer_run(int *argc, char ***argv, int (*check)(const uint8_t *, size_t)) {
    return LLVMFuzzerRunDriver(argc, argv, check);
}
