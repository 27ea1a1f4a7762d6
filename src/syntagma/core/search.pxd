"""Types of the beam search, shared with the scorers' searches and with learning."""

from libc.stdint cimport int32_t, uint64_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from syntagma.core.state cimport Action, EncodedProblem, State, Task

cdef extern from * nogil:
    """
    #include <algorithm>
    #include <cstdint>
    #include <string>
    #include <unordered_set>
    #include <vector>
    struct Candidate {
        double score;
        int32_t parent, kind, word, tag, label;
        // Better first; equal scores in an order that depends on nothing but the problem.
        bool operator<(const Candidate& other) const {
            if (score != other.score) return score > other.score;
            if (parent != other.parent) return parent < other.parent;
            if (kind != other.kind) return kind < other.kind;
            if (word != other.word) return word < other.word;
            if (tag != other.tag) return tag < other.tag;
            return label < other.label;
        }
    };
    struct DeadStates {
        std::unordered_set<std::string> keys;
        bool holds(const std::string& key) const { return keys.count(key) > 0; }
        void add(const std::string& key) { keys.insert(key); }
    };
    struct Link { int32_t parent, kind, word, tag, label; };
    static void keep_best(std::vector<Candidate>& candidates, size_t width) {
        if (candidates.size() > width) {
            std::nth_element(candidates.begin(), candidates.begin() + width, candidates.end());
            candidates.resize(width);
        }
        std::sort(candidates.begin(), candidates.end());
    }
    static void keep_first_of_each_move(std::vector<Candidate>& candidates) {
        size_t kept = 0;
        for (size_t i = 0; i < candidates.size(); i++) {
            bool seen = false;
            for (size_t j = 0; j < kept; j++)
                seen = seen || (candidates[j].kind == candidates[i].kind &&
                                candidates[j].word == candidates[i].word);
            if (!seen) candidates[kept++] = candidates[i];
        }
        candidates.resize(kept);
    }
    """
    cppclass Candidate:
        double score
        int32_t parent, kind, word, tag, label
        Candidate()
    cppclass DeadStates:
        DeadStates()
        bint holds(const string& key)
        void add(const string& key)
    cppclass Link:
        int32_t parent, kind, word, tag, label
        Link()
    void keep_best(vector[Candidate]& candidates, size_t width)
    void keep_first_of_each_move(vector[Candidate]& candidates)

cdef class Search:
    cdef EncodedProblem problem
    cdef const Task* task
    cdef readonly int width
    cdef int size               # states in the beam
    cdef char* memory
    cdef size_t bytes
    cdef State** current
    cdef State** following
    cdef uint64_t* shifts
    cdef vector[Candidate] candidates
    cdef vector[Link] links
    cdef bint advance(self, const Action* gold) noexcept nogil
    cdef void expand(self, State* state, int parent) noexcept nogil
    cdef void add(self, State* state, int parent, Action action, double score) noexcept nogil
    cdef bint depth_first(self, char* memory, long limit, long* work) noexcept nogil
    cdef list derivation(self, int link)
