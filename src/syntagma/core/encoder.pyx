"""Those parts of the set encoder that are not matrix products: look-up, layer norm, attention.

Everything is in place, row by row, so that no row depends on what else is computed along with it.
The matrix products between them are NumPy's (neural_model.py).
"""

from libc.math cimport expf, sqrtf
from libc.stdint cimport int8_t, int32_t
from libcpp.vector cimport vector

cdef extern from * nogil:
    """
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
    float centre_and_square(
        const float* x, float mean, float* centred, float* squares, int size
    )
    void scale_and_shift(
        float* x, float by, const float* weight, const float* bias, int size
    )


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


def normalise(
    const float[:, ::1] x, const float[::1] weight, const float[::1] bias, float[:, ::1] out
):
    """Layer norm of each row."""
    cdef Py_ssize_t i
    cdef int size = x.shape[1]
    cdef float variance
    cdef vector[float] squares
    squares.resize(size)
    with nogil:
        for i in range(x.shape[0]):
            variance = centre_and_square(
                &x[i, 0], sum(&x[i, 0], size) / size, &out[i, 0], squares.data(), size
            ) / size
            scale_and_shift(
                &out[i, 0], 1 / sqrtf(variance + <float>1e-5), &weight[0], &bias[0], size
            )


def attend(
    const float[:, :, ::1] qkv,
    const int32_t[:, :, ::1] relations,
    const float[:, ::1] bias,
    const int32_t[::1] lengths,
    float[:, :, ::1] out,
):
    """Attention of each word to the words of its sentence, biased by their relation.

    `qkv` is [sentences, span, 3 × width], `bias` [heads, relations]; only the first `lengths` words
    of a sentence count, rows of `out` after them are left alone.
    """
    cdef Py_ssize_t b
    cdef int heads = bias.shape[0], width = out.shape[2], size = width // heads
    cdef int h, i, j, c, n
    cdef float largest, total
    cdef float scale = 1 / sqrtf(<float>size)
    cdef vector[float] keys, scores
    cdef const float* q
    keys.resize(size * qkv.shape[1])
    scores.resize(qkv.shape[1])
    with nogil:
        for b in range(qkv.shape[0]):
            n = lengths[b]
            for h in range(heads):
                for j in range(n):
                    for c in range(size):
                        keys[c * n + j] = qkv[b, j, width + h * size + c]
                for i in range(n):
                    q = &qkv[b, i, h * size]
                    for j in range(n):
                        scores[j] = bias[h, relations[b, i, j]]
                    for c in range(size):
                        add_scaled(scores.data(), &keys[c * n], scale * q[c], n)
                    largest = scores[0]
                    for j in range(1, n):
                        largest = max(largest, scores[j])
                    for j in range(n):
                        scores[j] = expf(scores[j] - largest)
                    total = sum(scores.data(), n)
                    for c in range(size):
                        out[b, i, h * size + c] = 0
                    for j in range(n):
                        add_scaled(
                            &out[b, i, h * size], &qkv[b, j, 2 * width + h * size],
                            scores[j] / total, size,
                        )
