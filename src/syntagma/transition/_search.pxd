"""The beam search, shared with the scorers' searches and with learning."""

from libc.stdint cimport int32_t, uint64_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from syntagma.language_model._ngrams cimport NGramScorer
from syntagma.transition._clock cimport Clock
from syntagma.transition._state cimport (
    Action, Candidate, Finished, Link, SearchTask, Signatures, State, Task,
)

cdef class Search:
    cdef SearchTask problem
    cdef const Task* task
    cdef NGramScorer ngram_scorer   # or None
    cdef const int32_t* names       # of the forms, if words may take several: alike, same number
    cdef const int32_t* first_forms     # of each word, if forms are chosen
    cdef readonly int width
    cdef readonly bint merging      # merge states that are the same to the scorers
    cdef readonly bint mirrored     # the task is a mirrored one: results are turned round
    cdef public Search opposite     # the search from the other end of the sentence, or None
    cdef bint labels_are_actions    # arcs with other labels than the gold one are not gold
    cdef int size               # states in the beam
    cdef char* memory
    cdef size_t bytes
    cdef State** current
    cdef State** following
    cdef uint64_t* shifts
    cdef vector[Candidate] candidates
    cdef vector[Link] links
    cdef Signatures signatures
    cdef vector[Finished] finished
    cdef public tuple judges        # of finished orders, each in turn (see strategy.py)
    cdef list part_names            # of what they add to the score
    cdef int limit              # states that the beam keeps: its width, or fewer to save time
    cdef readonly Clock clock
    cdef double closing         # expansions per step that are needed after the beam search
    cdef double mean_seconds    # per expansion, if there is a time limit
    cdef public bint narrowed     # the limit made the search consider less than it would
    cdef void begin(self, State* state) noexcept nogil
    cdef void take(self, State* state, Candidate* candidate) noexcept nogil
    cdef bint advance(self, const Action* gold) except -1 nogil
    cdef int expand(self, State* state, int parent) except -1 nogil
    cdef int add(self, State* state, int parent, Action action, double score) except -1 nogil
    cdef int add_in_form(
        self, State* state, int parent, Action action, double score, int form
    ) except -1 nogil
    cdef void add_form(
        self, const State* state, Candidate* candidate, int form
    ) noexcept nogil
    cdef int expand_late(self, State* state) except -1 nogil
    cdef int sign(self, const State* state, string* key) except -1 nogil
    cdef int sign_words(self, const State* state, string* key) except -1 nogil
    cdef int32_t link(
        self, int32_t parent, Candidate* candidate, const State* state
    ) except -1 nogil
    cdef void merge(self, int32_t link, int32_t first) noexcept nogil
    cdef int run(self) except -1 nogil
    cdef int affordable(self, int steps, double seconds) noexcept nogil
    cdef int conclude(self, int n_best) except -1 nogil
    cdef int rank(self) except -1 nogil
    cdef double language_model_score(self, const vector[int32_t]& links) noexcept nogil
    cdef found_tree(self, const Finished* finished)
