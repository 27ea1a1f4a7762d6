"""The input of the set encoder, what is given of words and pairs of words, and its arithmetic:
look-up, matrix product, layer norm, attention.

Every row is computed by the same operations in the same order, whatever other rows are computed
with it. So a sentence has the same scores alone, in a batch, and on any number of threads. A BLAS
does not guarantee this.
"""

from libc.math cimport expf, sqrtf
from libc.stdint cimport int8_t, int32_t, uint64_t
from libcpp.vector cimport vector

import numpy as np

from syntagma.neural._action_scorer cimport (
    COMPILER, PANEL, add_scaled, add_scaled_bytes, bucket, centre_and_square, chosen, multiply,
    scale_and_shift, sum,
)
from syntagma.transition._clock cimport Clock
from syntagma.transition._state cimport NONE, ROOT, SearchTask, Task, Word, has

from syntagma.transition._clock import NO_LIMIT

BUILT_BY = COMPILER.decode()                    # the compiler of the core
INSTRUCTIONS = chosen.instructions.decode()     # what the kernels use on this processor

cdef enum:
    ROWS_PER_LOOK = 64      # at the clock

cdef enum:
    UNRELATED, SELF, SIBLING, ANCESTOR, DESCENDANT, COMPONENT, LABELLED

RELATION_NAMES = ("unrelated", "self", "sibling", "ancestor", "descendant", "component")
assert len(RELATION_NAMES) == LABELLED

GIVEN_FIELDS = ("tag", "label", "head", "dependents", "descendants")
HEAD_STATES = 3     # unknown, a word, the root


def read_given(SearchTask search_task, int n_tags, int n_labels):
    """(fields [n, 5], relations [n, n]): what is given for each word and each pair of words.

    The fields of a word are its tag, its label (the last number of each: not given), whether its
    head is unknown, a word or the root, and the buckets of its number of given dependents and
    descendants. `relations[i, j]` says what word j is to word i: a number of RELATION_NAMES; after
    those the label of the arc from i to its head j; after those that of the arc from j to its
    head i.
    """
    cdef const Task* task = &search_task.task
    cdef int n = task.n, i, j, k, head
    fields = np.empty((n, len(GIVEN_FIELDS)), np.int32)
    relations = np.zeros((n, n), np.int32)
    cdef int32_t[:, ::1] field = fields, relation = relations
    cdef const Word* word
    cdef const uint64_t* below
    cdef int n_arcs = n_labels + 2
    with nogil:
        for i in range(n):
            word = &task.words[i]
            field[i, 0] = n_tags + 1 if word.tag == NONE else word.tag
            field[i, 1] = n_labels + 1 if word.label == NONE else word.label
            field[i, 2] = 0 if word.head == NONE else 2 if word.head == ROOT else 1
            field[i, 3] = bucket(word.children_count)
            below = task.descendants + i * task.blocks
            k = 0
            for j in range(n):
                if has(below, j):
                    k += j != i
                    relation[j, i] = ANCESTOR
                    relation[i, j] = DESCENDANT
            field[i, 4] = bucket(k)
        for i in range(n):
            head = task.words[i].head
            for j in range(n):
                if i == j:
                    relation[i, j] = SELF
                elif head >= 0 and task.words[j].head == head:
                    relation[i, j] = SIBLING
                elif relation[i, j] == UNRELATED and task.words[i].top == task.words[j].top:
                    relation[i, j] = COMPONENT
            if head >= 0:
                relation[i, head] = LABELLED + field[i, 1]
                relation[head, i] = LABELLED + n_arcs + field[i, 1]
    return fields, relations


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

    def __call__(self, x, Clock clock=NO_LIMIT):
        """The rows of `x` times the matrix, plus the bias."""
        cdef const float[:, ::1] rows = x
        if rows.shape[1] != self.before:
            raise ValueError(f"rows must have {self.before} columns, not {rows.shape[1]}")
        out = np.empty((rows.shape[0], self.after), np.float32)
        cdef float[:, ::1] result = out
        cdef int i = 0, n = rows.shape[0]
        with nogil:
            while i < n:
                clock.look_closely()
                multiply(
                    &rows[i, 0], min(n - i, ROWS_PER_LOOK), self.before, self.panels.data(),
                    self.bias.data(), self.after, &result[i, 0],
                )
                i += ROWS_PER_LOOK
        return out


def add_rows(float[:, ::1] out, const float[:, ::1] table, const int32_t[::1] numbers):
    """Add row `numbers[i]` of `table` to row i of `out`."""
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
    """The same with a table of 8-bit integers and a scale for each of its rows."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(out.shape[0]):
            add_scaled_bytes(
                &out[i, 0], &table[numbers[i], 0], scales[numbers[i]], out.shape[1]
            )


def add_bags(float[:, ::1] out, const float[:, ::1] table, const int32_t[:, :] numbers):
    """Add the rows `numbers[i]` of `table` to row i of `out`; negative numbers add nothing."""
    cdef Py_ssize_t i, k
    with nogil:
        for i in range(numbers.shape[0]):
            for k in range(numbers.shape[1]):
                if numbers[i, k] >= 0:
                    add_scaled(&out[i, 0], &table[numbers[i, k], 0], 1.0, out.shape[1])


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
    Clock clock=NO_LIMIT,
):
    """Attention of each word to the words of its sentence, biased by their relation.

    `qkv` is [rows, 3 × width], `bias` [heads, relations]; `relations` holds the n × n relations of
    each sentence, one sentence after the other. Rows outside all sentences become 0.
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
                    if i % ROWS_PER_LOOK == 0:
                        clock.look_closely()
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


def pair_tables(const float[:, ::1] both, int tables, Clock clock=NO_LIMIT):
    """[tables, rows, rows]: for each table, the dot products of all pairs of rows.

    A row of `both` holds its first vectors in all tables, then its second ones.
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
                if i % ROWS_PER_LOOK == 0:
                    clock.look_closely()
                for r in range(rank):
                    add_scaled(
                        &result[t, i, 0], &second[r * rows], both[i, t * rank + r], rows
                    )
    return out
