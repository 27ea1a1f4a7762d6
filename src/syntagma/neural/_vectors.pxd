"""Arithmetic on vectors of floats, defined in vectors.h."""

from libc.stdint cimport int8_t, int64_t

cdef extern from "vectors.h" nogil:
    const int LANES
    const int PANEL
    const char* compiler()
    const char* instructions()
    void add_scaled(float* target, const float* row, float by, int size)
    void add_scaled_bytes(float* target, const int8_t* row, float by, int size)
    void add_rows(float* target, const float** rows, int count, int size)
    float rectified_dot(const float** rows, int count, const float* out, int size)
    float sum(const float* x, int size)
    void multiply(
        const float* x, int64_t rows, int size, const float* panels, const float* bias, int to,
        float* out
    )
    float centre_and_square(
        const float* x, float mean, float* centred, float* squares, int size
    )
    void scale_and_shift(
        float* x, float by, const float* weight, const float* bias, int size
    )
