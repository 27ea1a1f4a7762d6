// Candidates of a beam search, links of its derivations, and the n best of these.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
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
static inline void keep_best(std::vector<Candidate>& candidates, size_t width) {
    if (candidates.size() > width) {
        std::nth_element(candidates.begin(), candidates.begin() + width, candidates.end());
        candidates.resize(width);
    }
    std::sort(candidates.begin(), candidates.end());
}
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
    std::vector<double> parts;   // of the score, by judges
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
static inline void rank_finished(std::vector<Finished>& finished) {
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
// States that led nowhere, in a depth-first search.
struct DeadStates {
    std::unordered_set<std::string> keys;
    bool holds(const std::string& key) const { return keys.count(key) > 0; }
    void add(const std::string& key) { keys.insert(key); }
};
static inline void keep_first_of_each_move(std::vector<Candidate>& candidates) {
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
static inline double steady_seconds() {
    return std::chrono::duration<double>(
        std::chrono::steady_clock::now().time_since_epoch()).count();
}
