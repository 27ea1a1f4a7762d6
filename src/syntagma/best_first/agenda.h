// Edges that can be built, and the agenda that ranks them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

// An edge that can be built. Leaf edges exist already: `left` is then the edge's own number.
struct Proposal {
    int32_t left, right, rule, label;
    double score;           // f of the edge
};
struct AgendaItem {
    double rank;
    int64_t number;         // ties: first pushed, first popped
    Proposal by;
    int32_t version;        // of the weights that it was scored with
    int32_t gold;           // index among the gold items, or -1
    bool operator<(const AgendaItem& other) const {
        return rank != other.rank ? rank < other.rank : number > other.number;
    }
};
struct Agenda {
    std::vector<AgendaItem> heap;
    bool empty() const { return heap.empty(); }
    size_t size() const { return heap.size(); }
    void push(const AgendaItem& item) {
        heap.push_back(item);
        std::push_heap(heap.begin(), heap.end());
    }
    AgendaItem pop() {
        std::pop_heap(heap.begin(), heap.end());
        AgendaItem best = heap.back();
        heap.pop_back();
        return best;
    }
    void clear() { heap.clear(); }
};
static inline void set_signature(
    std::unordered_map<uint64_t, int32_t>& by_signature, uint64_t signature, int32_t edge
) {
    by_signature[signature] = edge;
}
