"""Types of the beam search, shared with the scorers' searches and with learning."""

from libc.stdint cimport int32_t, uint64_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from syntagma.language_model._ngrams cimport NGramScorer
from syntagma.transition._state cimport Action, SearchTask, State, Task

cdef extern from * nogil:
    """
    #include <algorithm>
    #include <cstdint>
    #include <queue>
    #include <string>
    #include <unordered_map>
    #include <vector>
    struct Candidate {
        double score;
        int32_t parent, kind, word, tag, label, form;
        // Better first; equal scores in an order that depends on nothing but the problem.
        bool operator<(const Candidate& other) const {
            if (score != other.score) return score > other.score;
            if (parent != other.parent) return parent < other.parent;
            if (kind != other.kind) return kind < other.kind;
            if (word != other.word) return word < other.word;
            if (tag != other.tag) return tag < other.tag;
            if (label != other.label) return label < other.label;
            return form < other.form;
        }
    };
    struct Link {
        int32_t parent, kind, word, tag, label, form;
        int32_t merged;   // the next of those that led to the same state and scored less, or -1
        int32_t variant;  // the next of those that did so by the same actions, in other forms
        uint64_t derivation;
        double score, fluency;  // of the derivation up to here
    };
    struct Finished {
        double score, syntax, fluency;
        std::vector<int32_t> links;  // last move first
        bool operator<(const Finished& other) const { return score > other.score; }
    };
    // A derivation not yet looked at: another one up to a link, which is replaced by one that was
    // merged with it, or by a variant. Of equal scores the one found first is better.
    struct Detour {
        double score, fluency;
        int32_t found, base, position, link, variant;
        bool operator<(const Detour& other) const {
            return score != other.score ? score < other.score : found > other.found;
        }
    };
    typedef std::priority_queue<Detour> Detours;
    struct Signatures {
        std::unordered_map<std::string, int32_t> states;
        // The number under which the key is known; it is `number` from now on if it is new.
        int32_t add(const std::string& key, int32_t number) {
            return states.emplace(key, number).first->second;
        }
        void clear() { states.clear(); }
    };
    static void sort_finished(std::vector<Finished>& finished) {
        std::stable_sort(finished.begin(), finished.end());
    }
    static void keep_best(std::vector<Candidate>& candidates, size_t width) {
        if (candidates.size() > width) {
            std::nth_element(candidates.begin(), candidates.begin() + width, candidates.end());
            candidates.resize(width);
        }
        std::sort(candidates.begin(), candidates.end());
    }
    """
    cppclass Candidate:
        double score
        int32_t parent, kind, word, tag, label, form
        Candidate()
    cppclass Link:
        int32_t parent, kind, word, tag, label, form, merged, variant
        uint64_t derivation
        double score, fluency
        Link()
    cppclass Finished:
        double score, syntax, fluency
        vector[int32_t] links
        Finished()
    cppclass Detour:
        double score, fluency
        int32_t found, base, position, link, variant
        Detour()
    cppclass Detours:
        Detours()
        bint empty()
        const Detour& top()
        void push(const Detour& detour)
        void pop()
    cppclass Signatures:
        Signatures()
        int32_t add(const string& key, int32_t number)
        void clear()
    void sort_finished(vector[Finished]& finished)
    void keep_best(vector[Candidate]& candidates, size_t width)

cdef class Search:
    cdef SearchTask problem
    cdef const Task* task
    cdef NGramScorer ngram_scorer   # or None
    cdef readonly int width
    cdef readonly bint merging      # merge states that the scorers cannot tell apart
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
    cdef void begin(self, State* state) noexcept nogil
    cdef void take(self, State* state, Candidate* candidate) noexcept nogil
    cdef bint advance(self, const Action* gold) noexcept nogil
    cdef void expand(self, State* state, int parent) noexcept nogil
    cdef void add(self, State* state, int parent, Action action, double score) noexcept nogil
    cdef void add_form(
        self, const State* state, Candidate* candidate, int form
    ) noexcept nogil
    cdef void sign(self, const State* state, string* key) noexcept nogil
    cdef void sign_words(self, const State* state, string* key) noexcept nogil
    cdef int32_t link(
        self, int32_t parent, Candidate* candidate, const State* state
    ) noexcept nogil
    cdef void merge(self, int32_t link, int32_t first) noexcept nogil
    cdef void conclude(self, int n_best) noexcept nogil
    cdef void gather(self, int wanted, bint variants, Signatures* known) noexcept nogil
    cdef bint note(
        self, Finished* finished, const Detour* by, bint variants, Signatures* listed,
        Signatures* known
    ) noexcept nogil
    cdef void rank(self) noexcept nogil
    cdef double language_model_score(self, const vector[int32_t]& links) noexcept nogil
    cdef found_tree(self, const Finished* finished)
