"""Types of the lattice of derivations, and of the orders that are read off it."""

from libc.stdint cimport int32_t, uint64_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from syntagma.transition._state cimport Task

cdef extern from * nogil:
    """
    #include <algorithm>
    #include <chrono>
    #include <cstdint>
    #include <string>
    #include <unordered_map>
    #include <vector>
    struct Link {
        int32_t parent, kind, word, tag, label, form;
        int32_t merged;   // the next of those that led to the same state and scored less, or -1
        int32_t variant;  // the next of those that did so by the same actions, in other forms
        uint64_t derivation;
        double score, fluency;  // of the derivation up to here
    };
    struct Finished {
        double score, syntax, fluency;
        int32_t level, place;   // a lower level is listed first; of equal scores, a lower place
        bool leads;             // one of the orders that compete for the first rank
        std::vector<int32_t> links;  // last move first
    };
    // A derivation not yet looked at: another one up to a link, which is replaced by one that was
    // merged with it, or by a variant; or, with base -1, the derivation of a state of the beam. Of
    // equal scores the one found first is better.
    struct Detour {
        double score, fluency;
        int32_t found, base, position, link, variant;
        bool operator<(const Detour& other) const {
            return score != other.score ? score < other.score : found > other.found;
        }
    };
    // The best detours. Memory is bounded: those that cannot be among the next `room` are dropped.
    struct Detours {
        std::vector<Detour> ends, heap;
        Detour floor;
        bool floored = false;
        static bool better(const Detour& a, const Detour& b) { return b < a; }
        void begin(const Detour& end) {
            ends.push_back(end);
            std::push_heap(ends.begin(), ends.end());
        }
        void push(const Detour& detour, size_t room) {
            if (!room || (floored && detour < floor)) return;
            heap.push_back(detour);
            std::push_heap(heap.begin(), heap.end());
            if (heap.size() < 2 * room + 64) return;
            std::nth_element(heap.begin(), heap.begin() + (room - 1), heap.end(), better);
            heap.resize(room);
            floor = heap.back();
            floored = true;
            std::make_heap(heap.begin(), heap.end());
        }
        bool pop(size_t room, Detour* best) {
            if (!room) heap.clear();
            if (heap.empty() && ends.empty()) return false;
            std::vector<Detour>& from =
                heap.empty() || (!ends.empty() && heap.front() < ends.front()) ? ends : heap;
            std::pop_heap(from.begin(), from.end());
            *best = from.back();
            from.pop_back();
            return true;
        }
    };
    struct Signatures {
        std::unordered_map<std::string, int32_t> states;
        // The number under which the key is known; it is `number` from now on if it is new.
        int32_t add(const std::string& key, int32_t number) {
            return states.try_emplace(key, number).first->second;
        }
        void clear() { states.clear(); }
    };
    // The best order; then all others by level and score. No score exceeds the one before it.
    static void rank_finished(std::vector<Finished>& finished) {
        auto better = [](const Finished& a, const Finished& b) {
            return a.score != b.score ? a.score > b.score : a.place < b.place;
        };
        auto before = [better](const Finished& a, const Finished& b) {
            return a.level != b.level ? a.level < b.level : better(a, b);
        };
        std::sort(finished.begin(), finished.end(), before);
        auto first = finished.begin();
        for (auto each = finished.begin(); each != finished.end(); each++)
            if (each->leads && (!first->leads || better(*each, *first))) first = each;
        if (first != finished.end()) std::rotate(finished.begin(), first, first + 1);
        for (size_t i = 1; i < finished.size(); i++)
            finished[i].score = std::min(finished[i].score, finished[i - 1].score);
    }
    static inline double steady_seconds() {
        return std::chrono::duration<double>(
            std::chrono::steady_clock::now().time_since_epoch()).count();
    }
    """
    cppclass Link:
        int32_t parent, kind, word, tag, label, form, merged, variant
        uint64_t derivation
        double score, fluency
        Link()
    cppclass Finished:
        double score, syntax, fluency
        int32_t level, place
        bint leads
        vector[int32_t] links
        Finished() except +
    cppclass Detour:
        double score, fluency
        int32_t found, base, position, link, variant
        Detour()
    cppclass Detours:
        Detours() except +
        void begin(const Detour& end) except +
        void push(const Detour& detour, size_t room) except +
        bint pop(size_t room, Detour* best)
    cppclass Signatures:
        Signatures() except +
        int32_t add(const string& key, int32_t number) except +
        void clear()
    void rank_finished(vector[Finished]& finished) except +
    double steady_seconds()

cdef enum:
    RERANKED = 16       # orders that compete for the first rank

cdef struct Lattice:
    # All links of a search, its last states, and how a derivation is read.
    const vector[Link]* links
    const vector[Detour]* ends
    const Task* task
    const int32_t* names        # the number of the text of each form, or NULL
    double weight, expected     # of the language model, if there is one
    double deadline             # or 0

cdef bint list_orders(
    const Lattice* lattice, int n_best, vector[Finished]* finished
) except -1 nogil
