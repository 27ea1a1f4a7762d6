// What the core needs beyond standard C++, once for each compiler that can build it.
//
// There is no fallback: a compiler that is not listed ends the build, instead of building a slower
// core in silence.

#pragma once

#include <cstdint>

#if defined(__GNUC__) || defined(__clang__) // also as clang-cl

// The number of the lowest bit that is set; x is not 0.
static inline int lowest_bit(uint64_t x) { return __builtin_ctzll(x); }

static inline int count_bits(uint64_t x) { return __builtin_popcountll(x); }

static inline void prefetch(const void* p) { __builtin_prefetch(p); }

#elif defined(_MSC_VER) && defined(_M_X64)

#include <intrin.h>

static inline int lowest_bit(uint64_t x) {
    unsigned long found;
    _BitScanForward64(&found, x);
    return (int)found;
}

// In plain arithmetic: the instruction is not part of the baseline of x86-64.
static inline int count_bits(uint64_t x) {
    x -= (x >> 1) & 0x5555555555555555;
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return (int)((x * 0x0101010101010101) >> 56);
}

static inline void prefetch(const void* p) { _mm_prefetch((const char*)p, _MM_HINT_T0); }

#else
#error "Syntagma is built by GCC, Clang, or MSVC for x86-64: add this compiler to compiler.h"
#endif
