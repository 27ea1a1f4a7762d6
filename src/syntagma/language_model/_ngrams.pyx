"""Look-up in an n-gram model, stored as a sorted trie, and the n-gram scorer of a search.

An n-gram is a path from the root: a word after its context. A context is held as the nodes of its
suffixes, so that the next word costs a few binary searches among the few words that were seen
after it, and no hashing. `kneser_ney` estimates models, `packed` stores them.
"""

from libc.math cimport exp, log
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp
from libcpp.vector cimport vector

import numpy as np

cdef enum:
    # Costs to remember, per form: the states of a beam share most contexts, and arcs change none.
    REMEMBERED = 64
    MOST_REMEMBERED = 1 << 15

cdef uint64_t HASH_BASE = 0x9E3779B97F4A7C15

cdef double LEAST = 1e-300
cdef double MOST = 600.0        # exp of this, times any number of words, is finite

# For Python, so that no number is defined twice.
LONGEST = MAX_ORDER
SENTENCE_START, SENTENCE_END = START, END


cdef class NGrams:
    """A back-off model. Its arrays are those of `packed.PackedOrder`, one list item per order.

    Every suffix of an n-gram must be an n-gram of the model, too.
    """

    def __init__(self, words, log_probs, backoffs, starts):
        cdef const uint32_t[::1] numbers
        cdef const float[::1] floats
        cdef int i
        self.order = len(words)
        if not 1 <= self.order <= MAX_ORDER:
            raise ValueError(f"an n-gram model has an order from 1 to {MAX_ORDER}")
        self._arrays = (words, log_probs, backoffs, starts)
        for i in range(self.order):
            if len(words[i]):
                numbers = words[i]
                self.levels[i].words = &numbers[0]
                floats = log_probs[i]
                self.levels[i].log_probs = &floats[0]
                if i < self.order - 1:
                    floats = backoffs[i]
                    self.levels[i].backoffs = &floats[0]
            if i < self.order - 1:
                numbers = starts[i]
                self.levels[i].starts = &numbers[0]

    cdef int32_t find(self, int level, int32_t node, uint32_t word) noexcept nogil:
        """The n-gram of `word` after the n-gram `node` of this level, or -1."""
        cdef uint32_t low = self.levels[level].starts[node]
        cdef uint32_t high = self.levels[level].starts[node + 1], end = high, middle
        cdef const uint32_t* words = self.levels[level + 1].words
        while low < high:
            middle = (low + high) >> 1
            if words[middle] < word:
                low = middle + 1
            else:
                high = middle
        return <int32_t>low if low < end and words[low] == word else -1

    cdef double log_prob(self, const Context* context, uint32_t word) noexcept nogil:
        cdef int level
        cdef int32_t node, found
        cdef double total = 0.0
        for level in range(self.order - 2, -1, -1):
            node = context.nodes[level]
            if node >= 0:
                found = self.find(level, node, word)
                if found >= 0:
                    return total + self.levels[level + 1].log_probs[found]
                total += self.levels[level].backoffs[node]
        return total + self.levels[0].log_probs[word]

    cdef void extend(self, Context* context, uint32_t word) noexcept nogil:
        """Append a word to the context. Drop nodes that no later word depends on, so that contexts
        with the same future are equal."""
        cdef int level
        cdef int32_t node
        cdef const Level* at
        for level in range(self.order - 2, -1, -1):
            if level:
                node = context.nodes[level - 1]
                if node >= 0:
                    node = self.find(level - 1, node, word)
            else:
                node = word
            if node >= 0:
                at = &self.levels[level]
                if at.starts[node] == at.starts[node + 1] and at.backoffs[node] == 0:
                    node = -1
            context.nodes[level] = node

    def log_probs(self, words, before):
        """The log-probability of each word after all words before it, by their numbers."""
        cdef Context context
        forget(&context)
        for word in before:
            self.extend(&context, word)
        found = []
        for word in words:
            found.append(self.log_prob(&context, word))
            self.extend(&context, word)
        return found

    def expected_costs(self, units, firsts=None):
        """The expected log-probability of each unit, wherever it is placed, and, last, of the end
        of the sentence: the log of its mean probability after the start and after each other unit.

        `firsts` are the units as they are written after the start, if they differ.
        """
        cdef vector[vector[uint32_t]] units_ = [*units, [END]]
        cdef vector[vector[uint32_t]] firsts_ = [*(units if firsts is None else firsts), [END]]
        cdef vector[double] found
        with nogil:
            self.add_expected_costs(units_, firsts_, &found)
        return found

    cdef int add_expected_costs(
        self, const vector[vector[uint32_t]]& units, const vector[vector[uint32_t]]& firsts,
        vector[double]* found
    ) except -1 nogil:
        cdef Context context
        cdef const vector[uint32_t]* words
        cdef int n = units.size() - 1, unit, before, i
        cdef uint32_t last
        cdef double total, cost
        for unit in range(n + 1):
            total = 0.0
            for before in range(n + 1):
                if before == unit:
                    continue
                forget(&context)
                last = START if before == n else units[before].back()
                self.extend(&context, last)
                cost = 0.0
                words = &units[unit]
                if before == n:
                    words = &firsts[unit]
                for i in range(<int>words.size()):
                    cost += self.log_prob(&context, words[0][i])
                    self.extend(&context, words[0][i])
                total += exp(min(cost, MOST))
            found.push_back(log(max(total / n, LEAST)))
        return 0


def unfold(bits, stored, counted, many, int size):
    """(starts, backoffs) of the n-grams of an order, from the arrays of a file; None if these are
    inconsistent.

    One bit per n-gram says whether it is a context: whether longer n-grams extend it, or it has a
    back-off. Only for contexts, the file stores a back-off and the number of extensions; numbers of
    255 and more are in `many`.
    """
    cdef const uint8_t[::1] bits_ = bits, counted_ = counted
    cdef const float[::1] stored_ = stored
    cdef const uint32_t[::1] many_ = many
    starts, backoffs = np.zeros(size + 1, np.uint32), np.zeros(size, np.float32)
    cdef uint32_t[::1] start = starts
    cdef float[::1] backoff = backoffs
    cdef int i, context = 0, large = 0
    cdef uint64_t at = 0
    if len(bits) != (size + 7) // 8 or len(stored) != len(counted):
        return None
    for i in range(size):
        if bits_[i >> 3] >> (7 - (i & 7)) & 1:
            if context == counted_.shape[0]:
                return None
            backoff[i] = stored_[context]
            if counted_[context] < 255:
                at += counted_[context]
            elif large < many_.shape[0]:
                at += many_[large]
                large += 1
            else:
                return None
            context += 1
            if at > <uint32_t>-1:
                return None
        start[i + 1] = <uint32_t>at
    return (starts, backoffs) if context == len(counted) and large == len(many) else None


def rises(words, starts):
    """Whether the words that extend each context are sorted and distinct."""
    cdef const uint32_t[::1] word = words, start = starts
    cdef Py_ssize_t i
    cdef uint32_t j
    for i in range(start.shape[0] - 1):
        for j in range(start[i] + 1, start[i + 1]):
            if word[j] <= word[j - 1]:
                return False
    return True


cdef class NGramScorer:
    """The n-gram scorer of one search: the words of each unit, and the language model weight.

    A unit is a word of the problem, or a phrase, whose words are scored one by one.
    `expected_costs` are those of `NGrams.expected_costs`, the future cost of units not yet placed.

    `alternatives` are the forms that each unit may take, if there is a choice. Each is a tuple: its
    words, its words at the start of a sentence, the logarithm of its share, whether it is more than
    punctuation, and a number that identical forms of different units share.
    """

    def __init__(self, NGrams model, units, expected_costs, double weight, alternatives=None):
        self.model = model
        self.weight = weight
        for choice in alternatives or [[(unit, unit, 0.0, True, None)] for unit in units]:
            self.forms.push_back(self.log_shares.size())
            for form, first, log_share, spoken, name in choice:
                self.add_form(first, form)
                self.log_shares.push_back(log_share)
                self.spoken.push_back(spoken)
                if name is not None:
                    self.names.push_back(name)
        self.forms.push_back(self.log_shares.size())
        self.starts.push_back(self.numbers.size())
        self.expected_costs = expected_costs
        self.expected_total = sum(expected_costs)
        cdef Cost nothing
        nothing.form = -1
        cdef size_t size = REMEMBERED
        while size < min(REMEMBERED * self.log_shares.size(), MOST_REMEMBERED):
            size *= 2
        self.remembered.assign(size, nothing)

    cdef add_form(self, first, form):
        for words in (first, form):
            self.starts.push_back(self.numbers.size())
            for number in words:
                self.numbers.push_back(number)

    cdef void begin(self, Context* context) noexcept nogil:
        forget(context)
        self.model.extend(context, START)

    cdef double cost(self, const Context* context, int form) noexcept nogil:
        """The log-probability of a form after the context, plus the logarithm of its share."""
        cdef uint64_t hashed = form
        cdef Cost* known
        cdef int i
        for i in range(MAX_ORDER - 1):
            hashed = hashed * HASH_BASE + context.nodes[i]
        hashed *= HASH_BASE
        known = &self.remembered[(hashed >> 32) & (self.remembered.size() - 1)]
        if known.form != form or memcmp(&known.context, context, sizeof(Context)):
            known.context = context[0]
            known.form = form
            known.cost = self.look_up(context, form)
        return known.cost

    cdef double look_up(self, const Context* context, int form) noexcept nogil:
        cdef Context after
        cdef int unit = 2 * form + context.begun
        if self.starts[unit + 1] - self.starts[unit] == 1:
            return self.log_shares[form] + self.model.log_prob(
                context, self.numbers[self.starts[unit]]
            )
        after = context[0]
        return self.place(&after, form)

    cdef double place(self, Context* context, int form) noexcept nogil:
        """The same, but extends the context."""
        return self.add_words(context, form, self.log_shares[form])

    cdef double add_words(self, Context* context, int form, double total) noexcept nogil:
        """Add the log-probabilities of the words of a form to `total`, one by one, and extend the
        context."""
        cdef int i, unit = 2 * form + context.begun
        for i in range(self.starts[unit], self.starts[unit + 1]):
            total += self.model.log_prob(context, self.numbers[i])
            self.model.extend(context, self.numbers[i])
        if self.spoken[form]:
            context.begun = 1
        return total

    cdef double end(self, const Context* context) noexcept nogil:
        return self.model.log_prob(context, END)


cdef class BackwardNGramScorer(NGramScorer):
    """The scores of another scorer, whose units have one form each, for words that are placed from
    right to left.

    What a word costs depends on the words before it. As long as it is the first, it costs what is
    expected; each of the words placed before it corrects that. Over a whole sentence, costs add up
    to the same sum. `nodes` of a context are the first words themselves, -1 where there are none,
    `begun` is the unit of the first one.
    """

    def __init__(self, NGramScorer forward):
        cdef Cost nothing
        cdef Context context
        cdef double inside
        cdef int unit, i, n = forward.forms.size() - 1
        if forward.log_shares.size() != <size_t>n:
            raise ValueError("only units with one form each are scored from right to left")
        self.model = forward.model
        self.weight = forward.weight
        self.numbers, self.starts = forward.numbers, forward.starts
        self.forms, self.log_shares = forward.forms, forward.log_shares
        self.spoken, self.names = forward.spoken, forward.names
        self.expected_costs = forward.expected_costs
        self.expected_total = forward.expected_total
        nothing.form = -1
        self.remembered.assign(forward.remembered.size(), nothing)
        numbers, first = list(self.numbers), {}
        for unit in range(n):
            words = numbers[self.starts[2 * unit]:self.starts[2 * unit + 1]]
            self.leaders.push_back(first.setdefault(tuple(words), unit))
            forget(&context)
            inside = 0.0
            for i, number in enumerate(words):
                if i:
                    inside += self.model.log_prob(&context, number)
                self.model.extend(&context, number)
            self.provisional.push_back(self.expected_costs[unit] - inside)
        self.provisional.push_back(self.expected_costs[n])
        self.span = max(1, self.model.order - 1)

    cdef void begin(self, Context* context) noexcept nogil:
        forget(context)
        context.nodes[0] = END
        context.begun = self.leaders.size()

    cdef double correction(
        self, const Context* context, const uint32_t* words, int count
    ) noexcept nogil:
        """How much the log-probabilities of the first words change with these before them."""
        cdef Context with_, without
        cdef double total = -self.provisional[context.begun]
        cdef int i
        forget(&with_)
        forget(&without)
        for i in range(count):
            self.model.extend(&with_, words[i])
        for i in range(self.span):
            if context.nodes[i] < 0:
                break
            total += self.model.log_prob(&with_, context.nodes[i])
            self.model.extend(&with_, context.nodes[i])
            if i:
                total -= self.model.log_prob(&without, context.nodes[i])
            self.model.extend(&without, context.nodes[i])
        return total

    cdef double look_up(self, const Context* context, int form) noexcept nogil:
        cdef int start = self.starts[2 * form]
        return self.log_shares[form] + self.expected_costs[form] + self.correction(
            context, &self.numbers[start], self.starts[2 * form + 1] - start
        )

    cdef double add_words(self, Context* context, int form, double total) noexcept nogil:
        cdef int start = self.starts[2 * form], count = self.starts[2 * form + 1] - start, i
        total += self.look_up(context, form)
        for i in range(self.span - 1, -1, -1):
            if i >= count:
                context.nodes[i] = context.nodes[i - count]
            else:
                context.nodes[i] = self.numbers[start + i]
        context.begun = self.leaders[form]
        return total

    cdef double end(self, const Context* context) noexcept nogil:
        cdef uint32_t start = START
        return self.correction(context, &start, 1) + self.provisional.back()
