// Arithmetic on vectors of floats, for _encoder.pyx and _search.pyx.
//
// Sums run over 16 lanes on every processor, so that results do not depend on its vector width.

#pragma once

#include <cstring>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#if __GNUC__ >= 12
#define FOR_EACH_PROCESSOR \
    __attribute__((unused, target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EACH_PROCESSOR __attribute__((unused, target_clones("avx512f", "fma", "default")))
#endif
#define FUSED __attribute__((optimize("fp-contract=fast")))
#else
#define FOR_EACH_PROCESSOR __attribute__((unused))
#define FUSED
#endif

#define LANES 16
#define PANEL (2 * LANES)

FOR_EACH_PROCESSOR static void add_rows(
    float* target, const float* const* rows, int count, int size
) {
    for (int i = 0; i < size; i += LANES) {
        float x[LANES];
        for (int j = 0; j < LANES; j++) x[j] = target[i + j];
        for (int k = 0; k < count; k++)
            for (int j = 0; j < LANES; j++) x[j] += rows[k][i + j];
        for (int j = 0; j < LANES; j++) target[i + j] = x[j];
    }
}

// out · max(0, Σ rows)
FOR_EACH_PROCESSOR static float rectified_dot(
    const float* const* rows, int count, const float* out, int size
) {
    float sums[LANES] = {0};
    for (int i = 0; i < size; i += LANES) {
        float x[LANES];
        for (int j = 0; j < LANES; j++) x[j] = rows[0][i + j];
        for (int k = 1; k < count; k++)
            for (int j = 0; j < LANES; j++) x[j] += rows[k][i + j];
        for (int j = 0; j < LANES; j++) sums[j] += (x[j] > 0 ? x[j] : 0) * out[i + j];
    }
    for (int width = LANES / 2; width; width /= 2)
        for (int j = 0; j < width; j++) sums[j] += sums[j + width];
    return sums[0];
}

FOR_EACH_PROCESSOR static void add_scaled(
    float* target, const float* row, float by, int size
) {
    for (int i = 0; i < size; i++) target[i] += by * row[i];
}

FOR_EACH_PROCESSOR static void add_scaled_bytes(
    float* target, const signed char* row, float by, int size
) {
    for (int i = 0; i < size; i++) target[i] += by * row[i];
}

FOR_EACH_PROCESSOR static float sum(const float* x, int size) {
    float sums[LANES] = {0};
    int i = 0;
    for (; i + LANES <= size; i += LANES)
        for (int j = 0; j < LANES; j++) sums[j] += x[i + j];
    for (; i < size; i++) sums[i % LANES] += x[i];
    for (int width = LANES / 2; width; width /= 2)
        for (int j = 0; j < width; j++) sums[j] += sums[j + width];
    return sums[0];
}

// out = x · matrix + bias, four rows and 32 columns at a time. The matrix is laid out in panels of
// 32 columns, [from][32] each. Multiplications and additions are fused if the processor can.
typedef float Vector __attribute__((vector_size(4 * LANES), aligned(4)));

FOR_EACH_PROCESSOR FUSED static void multiply(
    const float* x, long rows, int from, const float* panels, const float* bias, int to,
    float* out
) {
    for (int start = 0; start < to; start += PANEL, panels += (long)from * PANEL) {
        int columns = to - start < PANEL ? to - start : PANEL;
        for (long row = 0; row < rows; row += 4) {
            int height = rows - row < 4 ? (int)(rows - row) : 4;
            // Missing rows are replaced by the first one; the result is discarded.
            const float* x0 = x + row * from;
            const float* x1 = x0 + (height > 1 ? 1 : 0) * from;
            const float* x2 = x0 + (height > 2 ? 2 : 0) * from;
            const float* x3 = x0 + (height > 3 ? 3 : 0) * from;
            Vector left = *(const Vector*)(bias + start);
            Vector right = *(const Vector*)(bias + start + LANES);
            Vector sums[4][2] = {{left, right}, {left, right}, {left, right}, {left, right}};
            const float* panel = panels;
            for (int k = 0; k < from; k++, panel += PANEL) {
                left = *(const Vector*)panel;
                right = *(const Vector*)(panel + LANES);
                sums[0][0] += left * x0[k];
                sums[0][1] += right * x0[k];
                sums[1][0] += left * x1[k];
                sums[1][1] += right * x1[k];
                sums[2][0] += left * x2[k];
                sums[2][1] += right * x2[k];
                sums[3][0] += left * x3[k];
                sums[3][1] += right * x3[k];
            }
            for (int i = 0; i < height; i++)
                std::memcpy(out + (row + i) * to + start, sums[i], columns * sizeof(float));
        }
    }
}

FOR_EACH_PROCESSOR static float centre_and_square(
    const float* x, float mean, float* centred, float* squares, int size
) {
    for (int i = 0; i < size; i++) {
        centred[i] = x[i] - mean;
        squares[i] = centred[i] * centred[i];
    }
    return sum(squares, size);
}

FOR_EACH_PROCESSOR static void scale_and_shift(
    float* x, float by, const float* weight, const float* bias, int size
) {
    for (int i = 0; i < size; i++) x[i] = x[i] * by * weight[i] + bias[i];
}
