// Arithmetic on vectors of floats, for _encoder.pyx and _search.pyx, by the best instructions that
// the processor has. The arithmetic itself is in kernels.h.
//
// Sums run over 16 lanes on every processor, so that results do not depend on its vector width. GCC
// and Clang give the same results, bit for bit. Processors that fuse multiplication and addition
// (x86-64 with FMA, ARM) round once where others round twice; this is stated, and not left to the
// compiler, which fuses where it thinks it worth while.

#pragma once

#include <cstdint>
#include <cstring>

#define LANES 16
#define PANEL (2 * LANES)

#if defined(__clang__)
#define COMPILER __VERSION__
#define FOR(instructions) __attribute__((target(instructions)))
#elif defined(__GNUC__)
#define COMPILER "GCC " __VERSION__
#define FOR(instructions) __attribute__((target(instructions)))
#elif defined(_MSC_VER) && defined(_M_X64)
#include <intrin.h>
#define STRING(x) #x
#define STRING_OF(x) STRING(x)
#define COMPILER "MSVC " STRING_OF(_MSC_FULL_VER)
#define FOR(instructions) // any can be used anywhere
#else
#error "Syntagma is built by GCC, Clang, or MSVC for x86-64: add this compiler to vectors.h"
#endif

// The kernels for one set of instructions.
struct Kernels {
    const char* instructions;
    void (*add_rows)(float*, const float* const*, int, int);
    float (*rectified_dot)(const float* const*, int, const float*, int);
    void (*add_scaled)(float*, const float*, float, int);
    void (*add_scaled_bytes)(float*, const signed char*, float, int);
    float (*sum)(const float*, int);
    void (*multiply)(const float*, int64_t, int, const float*, const float*, int, float*);
    float (*centre_and_square)(const float*, float, float*, float*, int);
    void (*scale_and_shift)(float*, float, const float*, const float*, int);
};

#define KERNELS(instructions) \
    {instructions, add_rows, rectified_dot, add_scaled, add_scaled_bytes, sum, multiply, \
     centre_and_square, scale_and_shift}

#if defined(__x86_64__) || defined(_M_X64)

#include <immintrin.h>

namespace baseline {
#define TARGET
struct Vector { __m128 part[4]; };

static inline Vector load(const float* p) {
    return {{_mm_loadu_ps(p), _mm_loadu_ps(p + 4), _mm_loadu_ps(p + 8), _mm_loadu_ps(p + 12)}};
}

static inline void store(float* p, const Vector& x) {
    for (int i = 0; i < 4; i++) _mm_storeu_ps(p + 4 * i, x.part[i]);
}

static inline void add(Vector& sum, const Vector& row) {
    for (int i = 0; i < 4; i++) sum.part[i] = _mm_add_ps(sum.part[i], row.part[i]);
}

static inline void add_rectified(Vector& sum, const Vector& x, const Vector& by) {
    for (int i = 0; i < 4; i++) {
        __m128 positive = _mm_max_ps(x.part[i], _mm_setzero_ps());
        sum.part[i] = _mm_add_ps(sum.part[i], _mm_mul_ps(positive, by.part[i]));
    }
}

static inline void accumulate(Vector& sum, const Vector& row, float by) {
    __m128 factor = _mm_set1_ps(by);
    for (int i = 0; i < 4; i++)
        sum.part[i] = _mm_add_ps(sum.part[i], _mm_mul_ps(row.part[i], factor));
}

#include "kernels.h"
#undef TARGET
static const Kernels kernels = KERNELS("SSE2");
}

namespace avx2 {
#define TARGET FOR("avx2,fma")
struct Vector { __m256 part[2]; };

TARGET static inline Vector load(const float* p) {
    return {{_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}};
}

TARGET static inline void store(float* p, const Vector& x) {
    for (int i = 0; i < 2; i++) _mm256_storeu_ps(p + 8 * i, x.part[i]);
}

TARGET static inline void add(Vector& sum, const Vector& row) {
    for (int i = 0; i < 2; i++) sum.part[i] = _mm256_add_ps(sum.part[i], row.part[i]);
}

TARGET static inline void add_rectified(Vector& sum, const Vector& x, const Vector& by) {
    for (int i = 0; i < 2; i++) {
        __m256 positive = _mm256_max_ps(x.part[i], _mm256_setzero_ps());
        sum.part[i] = _mm256_add_ps(sum.part[i], _mm256_mul_ps(positive, by.part[i]));
    }
}

TARGET static inline void accumulate(Vector& sum, const Vector& row, float by) {
    __m256 factor = _mm256_set1_ps(by);
    for (int i = 0; i < 2; i++) sum.part[i] = _mm256_fmadd_ps(row.part[i], factor, sum.part[i]);
}

#include "kernels.h"
#undef TARGET
static const Kernels kernels = KERNELS("AVX2, FMA");
}

namespace avx512 {
#define TARGET FOR("avx2,fma,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")
typedef __m512 Vector;

TARGET static inline Vector load(const float* p) { return _mm512_loadu_ps(p); }

TARGET static inline void store(float* p, const Vector& x) { _mm512_storeu_ps(p, x); }

TARGET static inline void add(Vector& sum, const Vector& row) { sum = _mm512_add_ps(sum, row); }

TARGET static inline void add_rectified(Vector& sum, const Vector& x, const Vector& by) {
    // All lanes by a mask: GCC 12 warns of its own _mm512_max_ps.
    Vector positive = _mm512_maskz_max_ps((__mmask16)-1, x, _mm512_setzero_ps());
    sum = _mm512_add_ps(sum, _mm512_mul_ps(positive, by));
}

TARGET static inline void accumulate(Vector& sum, const Vector& row, float by) {
    sum = _mm512_fmadd_ps(row, _mm512_set1_ps(by), sum);
}

#include "kernels.h"
#undef TARGET
static const Kernels kernels = KERNELS("AVX-512, FMA");
}

#if defined(_MSC_VER) && !defined(__clang__)
// Whether the processor has these instructions, and the system saves their registers.
static bool has_avx2(bool* has_avx512) {
    int leaf[4] = {0};
    __cpuid(leaf, 0);
    if (leaf[0] < 7) return false;
    __cpuid(leaf, 1);
    const int needed = 1 << 12 | 1 << 27 | 1 << 28; // FMA, OSXSAVE, AVX
    if ((leaf[2] & needed) != needed) return false;
    const unsigned long long saved = _xgetbv(0);
    __cpuidex(leaf, 7, 0);
    const unsigned wide = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31; // F, DQ, CD, BW, VL
    *has_avx512 = ((unsigned)leaf[1] & wide) == wide && (saved & 0xe6) == 0xe6;
    return (leaf[1] >> 5 & 1) && (saved & 6) == 6;
}
#else
static bool has_avx2(bool* has_avx512) {
    __builtin_cpu_init();
    *has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl");
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

static const Kernels& best_kernels() {
    bool wide = false;
    if (!has_avx2(&wide)) return baseline::kernels;
    return wide ? avx512::kernels : avx2::kernels;
}

#else

#ifdef __aarch64__
#include <arm_neon.h>
#endif

namespace baseline {
#define TARGET
#ifdef __aarch64__
struct Vector { float32x4_t part[4]; };

static inline Vector load(const float* p) {
    return {{vld1q_f32(p), vld1q_f32(p + 4), vld1q_f32(p + 8), vld1q_f32(p + 12)}};
}

static inline void store(float* p, const Vector& x) {
    for (int i = 0; i < 4; i++) vst1q_f32(p + 4 * i, x.part[i]);
}

static inline void add(Vector& sum, const Vector& row) {
    for (int i = 0; i < 4; i++) sum.part[i] = vaddq_f32(sum.part[i], row.part[i]);
}

static inline void add_rectified(Vector& sum, const Vector& x, const Vector& by) {
    for (int i = 0; i < 4; i++) {
        float32x4_t positive = vmaxnmq_f32(x.part[i], vdupq_n_f32(0));
        sum.part[i] = vaddq_f32(sum.part[i], vmulq_f32(positive, by.part[i]));
    }
}

static inline void accumulate(Vector& sum, const Vector& row, float by) {
    for (int i = 0; i < 4; i++) sum.part[i] = vfmaq_n_f32(sum.part[i], row.part[i], by);
}

#define INSTRUCTIONS "NEON, FMA"
#else
struct Vector { float part[LANES]; };

static inline Vector load(const float* p) {
    Vector row;
    std::memcpy(row.part, p, sizeof row.part);
    return row;
}

static inline void store(float* p, const Vector& x) { std::memcpy(p, x.part, sizeof x.part); }

static inline void add(Vector& sum, const Vector& row) {
    for (int i = 0; i < LANES; i++) sum.part[i] += row.part[i];
}

static inline void add_rectified(Vector& sum, const Vector& x, const Vector& by) {
    for (int i = 0; i < LANES; i++) sum.part[i] += (x.part[i] > 0 ? x.part[i] : 0) * by.part[i];
}

static inline void accumulate(Vector& sum, const Vector& row, float by) {
    for (int i = 0; i < LANES; i++) sum.part[i] += row.part[i] * by;
}

#define INSTRUCTIONS "baseline of the platform"
#endif

#include "kernels.h"
#undef TARGET
static const Kernels kernels = KERNELS(INSTRUCTIONS);
}

static const Kernels& best_kernels() { return baseline::kernels; }

#endif

static const Kernels chosen = best_kernels();
static const auto add_rows = chosen.add_rows;
static const auto rectified_dot = chosen.rectified_dot;
static const auto add_scaled = chosen.add_scaled;
static const auto add_scaled_bytes = chosen.add_scaled_bytes;
static const auto sum = chosen.sum;
static const auto multiply = chosen.multiply;
static const auto centre_and_square = chosen.centre_and_square;
static const auto scale_and_shift = chosen.scale_and_shift;
