#ifndef CFUZZER_H
#define CFUZZER_H

#include <stddef.h>
#include <stdint.h>

/// Whether libFuzzer is linked in, as it is with `-sanitize=fuzzer`.
int haul_fuzzer_is_linked(void);

/// Lets libFuzzer call `check` with one input after the other (`LLVMFuzzerRunDriver`); only where it is linked in.
int haul_fuzzer_run(int *argc, char ***argv, int (*check)(const uint8_t *bytes, size_t count));

#endif
