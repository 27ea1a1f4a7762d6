"""The arithmetic of the set encoder (neural_model.py): look-up, matrix product, layer norm, attention.

Every row is computed by the same operations in the same order, whatever else is computed along with
it and on whatever processor: so a sentence has the same scores alone, in a batch, on any number of
threads. A BLAS, which has threads of its own, does not promise this.
"""

from libc.math cimport expf, sqrtf
from libc.stdint cimport int8_t, int32_t
from libcpp.vector cimport vector

import numpy as np

cdef extern from * nogil:
    """
    #include <cstring>
    using std::memcpy;
    #if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
    #define FOR_EACH_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
    #else
    #define FOR_EACH_PROCESSOR
    #endif
    #define LANES 16

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

    // Sums run over 16 lanes whatever the processor has, so that all processors agree.
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

    // out = x · matrix + bias, four rows and 32 columns at a time. The matrix comes in panels of 32
    // columns, [from][32] each.
    typedef float Vector __attribute__((vector_size(4 * LANES), aligned(4)));
    #define PANEL (2 * LANES)

    FOR_EACH_PROCESSOR static void multiply(
        const float* x, long rows, int from, const float* panels, const float* bias, int to,
        float* out
    ) {
        for (int start = 0; start < to; start += PANEL, panels += (long)from * PANEL) {
            int columns = to - start < PANEL ? to - start : PANEL;
            for (long row = 0; row < rows; row += 4) {
                int height = rows - row < 4 ? (int)(rows - row) : 4;
                // Missing rows are computed as the last one and thrown away.
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
                    memcpy(out + (row + i) * to + start, sums[i], columns * sizeof(float));
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
    """
    void add_scaled(float* target, const float* row, float by, int size)
    void add_scaled_bytes(float* target, const int8_t* row, float by, int size)
    float sum(const float* x, int size)
    const int PANEL
    void multiply(
        const float* x, long rows, int size, const float* panels, const float* bias, int to,
        float* out
    )
    float centre_and_square(
        const float* x, float mean, float* centred, float* squares, int size
    )
    void scale_and_shift(
        float* x, float by, const float* weight, const float* bias, int size
    )


cdef class Matrix:
    """A matrix [from, to] and a bias, laid out for `multiply`."""

    cdef readonly int before, after
    cdef vector[float] panels, bias

    def __init__(self, const float[:, ::1] weights, const float[::1] bias=None):
        cdef int i, j, width
        self.before = weights.shape[0]
        self.after = weights.shape[1]
        width = (self.after + PANEL - 1) // PANEL * PANEL
        self.panels.assign(<size_t>width * self.before, 0)
        self.bias.assign(width, 0)
        for j in range(self.after):
            if bias is not None:
                self.bias[j] = bias[j]
            for i in range(self.before):
                self.panels[(<size_t>(j // PANEL) * self.before + i) * PANEL + j % PANEL] = (
                    weights[i, j]
                )

    def __call__(self, x):
        """The rows of `x` times the matrix, plus the bias."""
        cdef const float[:, ::1] rows = x
        if rows.shape[1] != self.before:
            raise ValueError(f"rows of {rows.shape[1]} numbers, not of {self.before}")
        out = np.empty((rows.shape[0], self.after), np.float32)
        cdef float[:, ::1] result = out
        if rows.shape[0]:
            with nogil:
                multiply(
                    &rows[0, 0], rows.shape[0], self.before, self.panels.data(),
                    self.bias.data(), self.after, &result[0, 0],
                )
        return out


def add_rows(float[:, ::1] out, const float[:, ::1] table, const int32_t[::1] numbers):
    """Add to each row of `out` the row of `table` with its number."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(out.shape[0]):
            add_scaled(&out[i, 0], &table[numbers[i], 0], 1.0, out.shape[1])


def add_byte_rows(
    float[:, ::1] out,
    const int8_t[:, ::1] table,
    const float[::1] scales,
    const int32_t[::1] numbers,
):
    """The same with a table of bytes and a scale for each of its rows."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(out.shape[0]):
            add_scaled_bytes(
                &out[i, 0], &table[numbers[i], 0], scales[numbers[i]], out.shape[1]
            )


def normalise(const float[:, ::1] x, const float[::1] weight, const float[::1] bias):
    """Layer norm of each row."""
    out = np.empty((x.shape[0], x.shape[1]), np.float32)
    cdef float[:, ::1] result = out
    cdef Py_ssize_t i
    cdef int size = x.shape[1]
    cdef float variance
    cdef vector[float] squares
    squares.resize(size)
    with nogil:
        for i in range(x.shape[0]):
            variance = centre_and_square(
                &x[i, 0], sum(&x[i, 0], size) / size, &result[i, 0], squares.data(), size
            ) / size
            scale_and_shift(
                &result[i, 0], 1 / sqrtf(variance + <float>1e-5), &weight[0], &bias[0], size
            )
    return out


def attend(
    const float[:, ::1] qkv,
    const int32_t[::1] relations,
    const float[:, ::1] bias,
    const int32_t[::1] starts,
    const int32_t[::1] lengths,
):
    """Attention of each word to the words of its sentence, biased by their relation.

    `qkv` is [rows, 3 × width], `bias` [heads, relations]; `relations` holds the n² relations of each
    sentence, one sentence after the other. Rows that are in no sentence become 0.
    """
    cdef int heads = bias.shape[0], width = qkv.shape[1] // 3, size = width // heads
    out = np.zeros((qkv.shape[0], width), np.float32)
    cdef float[:, ::1] result = out
    cdef int s, h, i, j, c, n, start, longest = 0
    cdef float largest, total
    cdef float scale = 1 / sqrtf(<float>size)
    cdef vector[float] keys, scores
    cdef const float* q
    cdef const int32_t* relation = &relations[0]
    for s in range(lengths.shape[0]):
        longest = max(longest, lengths[s])
    keys.resize(size * longest)
    scores.resize(longest)
    with nogil:
        for s in range(lengths.shape[0]):
            n = lengths[s]
            start = starts[s]
            for h in range(heads):
                for j in range(n):
                    for c in range(size):
                        keys[c * n + j] = qkv[start + j, width + h * size + c]
                for i in range(n):
                    q = &qkv[start + i, h * size]
                    for j in range(n):
                        scores[j] = bias[h, relation[i * n + j]]
                    for c in range(size):
                        add_scaled(scores.data(), &keys[c * n], scale * q[c], n)
                    largest = scores[0]
                    for j in range(1, n):
                        largest = max(largest, scores[j])
                    for j in range(n):
                        scores[j] = expf(scores[j] - largest)
                    total = sum(scores.data(), n)
                    for j in range(n):
                        add_scaled(
                            &result[start + i, h * size], &qkv[start + j, 2 * width + h * size],
                            scores[j] / total, size,
                        )
            relation += n * n
    return out


def pair_tables(const float[:, ::1] both, int tables):
    """[tables, rows, rows]: the products of each two rows, for each table.

    A row of `both` holds the first vectors of all tables, then the second ones.
    """
    cdef int rows = both.shape[0], rank = both.shape[1] // (2 * tables), t, i, j, r
    out = np.zeros((tables, rows, rows), np.float32)
    cdef float[:, :, ::1] result = out
    cdef vector[float] second
    second.resize(rows * rank)
    with nogil:
        for t in range(tables):
            for j in range(rows):
                for r in range(rank):
                    second[r * rows + j] = both[j, (tables + t) * rank + r]
            for i in range(rows):
                for r in range(rank):
                    add_scaled(
                        &result[t, i, 0], &second[r * rows], both[i, t * rank + r], rows
                    )
    return out
