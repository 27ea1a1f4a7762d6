// The arithmetic of vectors.h for one set of instructions: included there once for each, in a
// namespace of its own. TARGET names the instructions to the compiler. A Vector has LANES floats;
// accumulate(sum, row, by) is sum += row * by, add_rectified(sum, x, by) is sum += max(0, x) * by.
//
// Where a loop holds vectors from one pass to the next, they are named: GCC 12 kept arrays of
// floats in memory. rectified_dot takes a seventh of the time, a bag of words six tenths.

TARGET static void add_rows(
    float* target, const float* const* rows, int count, int size
) {
    for (int i = 0; i < size; i += LANES) {
        Vector x = load(target + i);
        for (int k = 0; k < count; k++) add(x, load(rows[k] + i));
        store(target + i, x);
    }
}

// out · max(0, Σ rows)
TARGET static float rectified_dot(
    const float* const* rows, int count, const float* out, int size
) {
    float sums[LANES] = {0};
    Vector total = load(sums);
    for (int i = 0; i < size; i += LANES) {
        Vector x = load(rows[0] + i);
        for (int k = 1; k < count; k++) add(x, load(rows[k] + i));
        add_rectified(total, x, load(out + i));
    }
    store(sums, total);
    for (int width = LANES / 2; width; width /= 2)
        for (int j = 0; j < width; j++) sums[j] += sums[j + width];
    return sums[0];
}

TARGET static void add_scaled(
    float* target, const float* row, float by, int size
) {
    for (int i = 0; i < size; i++) target[i] += by * row[i];
}

TARGET static void add_scaled_bytes(
    float* target, const signed char* row, float by, int size
) {
    for (int i = 0; i < size; i++) target[i] += by * row[i];
}

TARGET static float sum(const float* x, int size) {
    float sums[LANES] = {0};
    Vector total = load(sums);
    int i = 0;
    for (; i + LANES <= size; i += LANES) add(total, load(x + i));
    store(sums, total);
    for (; i < size; i++) sums[i % LANES] += x[i];
    for (int width = LANES / 2; width; width /= 2)
        for (int j = 0; j < width; j++) sums[j] += sums[j + width];
    return sums[0];
}

// out = x · matrix + bias, four rows and 32 columns at a time. The matrix is laid out in panels of
// 32 columns, [from][32] each. Multiplications and additions are fused if the processor can.
TARGET static void multiply(
    const float* x, int64_t rows, int from, const float* panels, const float* bias, int to,
    float* out
) {
    for (int start = 0; start < to; start += PANEL, panels += (int64_t)from * PANEL) {
        int columns = to - start < PANEL ? to - start : PANEL;
        for (int64_t row = 0; row < rows; row += 4) {
            int height = rows - row < 4 ? (int)(rows - row) : 4;
            // Missing rows are replaced by the first one; the result is discarded.
            const float* x0 = x + row * from;
            const float* x1 = x0 + (height > 1 ? 1 : 0) * from;
            const float* x2 = x0 + (height > 2 ? 2 : 0) * from;
            const float* x3 = x0 + (height > 3 ? 3 : 0) * from;
            Vector left = load(bias + start);
            Vector right = load(bias + start + LANES);
            Vector sums[4][2] = {{left, right}, {left, right}, {left, right}, {left, right}};
            const float* panel = panels;
            for (int k = 0; k < from; k++, panel += PANEL) {
                left = load(panel);
                right = load(panel + LANES);
                accumulate(sums[0][0], left, x0[k]);
                accumulate(sums[0][1], right, x0[k]);
                accumulate(sums[1][0], left, x1[k]);
                accumulate(sums[1][1], right, x1[k]);
                accumulate(sums[2][0], left, x2[k]);
                accumulate(sums[2][1], right, x2[k]);
                accumulate(sums[3][0], left, x3[k]);
                accumulate(sums[3][1], right, x3[k]);
            }
            for (int i = 0; i < height; i++)
                std::memcpy(out + (row + i) * to + start, &sums[i], columns * sizeof(float));
        }
    }
}

TARGET static float centre_and_square(
    const float* x, float mean, float* centred, float* squares, int size
) {
    for (int i = 0; i < size; i++) {
        centred[i] = x[i] - mean;
        squares[i] = centred[i] * centred[i];
    }
    return sum(squares, size);
}

TARGET static void scale_and_shift(
    float* x, float by, const float* weight, const float* bias, int size
) {
    for (int i = 0; i < size; i++) x[i] = x[i] * by * weight[i] + bias[i];
}
