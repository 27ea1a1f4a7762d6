"""What a language model says about two phrases side by side: language model scores of edges, as
Zhang, Blackwood and Clark (2012) use them.

The gain of a junction is log P(right | left) - log P(right): how much likelier the first words of
the right phrase are after the last words of the left one. The sum of the gains of all junctions of
a phrase is its log-probability, less that of its words one by one. So a phrase can be compared with
its parts, and all orders of the same words with each other.
"""

from libc.stdint cimport int32_t, uint32_t

from syntagma.language_model._ngrams cimport MAX_ORDER, Context, NGrams

from syntagma.language_model._ngrams import SENTENCE_END, SENTENCE_START

cdef uint32_t START = SENTENCE_START
cdef uint32_t END = SENTENCE_END


cdef inline void forget(Context* context) noexcept nogil:
    cdef int i
    for i in range(MAX_ORDER - 1):
        context.nodes[i] = -1


cdef class Junctions:
    """The units of a problem, as a language model sees them.

    A unit is given by the numbers of its words, by those that it has at the start of a sentence,
    and by whether it is more than punctuation.
    """

    def __init__(self, NGrams model, units):
        self.model = model
        for words, first, spoken in units:
            for numbers in (first, words):
                self.starts.push_back(self.numbers.size())
                for number in numbers:
                    self.numbers.push_back(number)
            self.spoken.push_back(spoken)
        self.starts.push_back(self.numbers.size())

    cdef double gain(
        self, const int32_t* left, int n_left, const int32_t* right, int n_right
    ) noexcept nogil:
        """`left` are the last units of the left phrase, from its end; `right` the first of the
        right one."""
        cdef Context context
        cdef int i
        forget(&context)
        for i in range(n_left - 1, -1, -1):
            self.read(&context, left[i])
        return self.gain_after(&context, right, n_right, True)

    cdef double start_gain(self, const int32_t* units, int n) noexcept nogil:
        """The gain of the first units of a sentence after its start."""
        cdef Context context
        forget(&context)
        self.model.extend(&context, START)
        return self.gain_after(&context, units, n, False)

    cdef double end_gain(self, const int32_t* units, int n) noexcept nogil:
        """The gain of the end of a sentence after its last units, which are listed from its end."""
        cdef Context context, nothing
        cdef int i
        forget(&context)
        forget(&nothing)
        for i in range(n - 1, -1, -1):
            self.read(&context, units[i])
        return self.model.log_prob(&context, END) - self.model.log_prob(&nothing, END)

    cdef double gain_after(
        self, Context* context, const int32_t* units, int n, bint begun
    ) noexcept nogil:
        cdef Context nothing
        cdef int i, j, as_first
        cdef double total = 0.0
        forget(&nothing)
        for i in range(n):
            as_first = 2 * units[i]         # how it is written after the start
            for j in range(
                self.starts[as_first + begun], self.starts[as_first + begun + 1]
            ):
                total += self.model.log_prob(context, self.numbers[j])
                self.model.extend(context, self.numbers[j])
            for j in range(self.starts[as_first + 1], self.starts[as_first + 2]):
                total -= self.model.log_prob(&nothing, self.numbers[j])
                self.model.extend(&nothing, self.numbers[j])
            begun = begun or self.spoken[units[i]]
        return total

    cdef void read(self, Context* context, int unit) noexcept nogil:
        cdef int i
        for i in range(self.starts[2 * unit + 1], self.starts[2 * unit + 2]):
            self.model.extend(context, self.numbers[i])
