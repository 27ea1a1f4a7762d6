// Pair scores of words with all unplaced words of a state.
//
// Many states of a beam have the same unplaced words, and an arc leaves them as they are: means are
// remembered by set (UnplacedMeans), each the same sum as in training. In large bags, sums are
// updated (UnplacedSums): a state differs from its parent by at most one placed word, so its sums
// follow from those of the parent in O(n). They are integers, which depend on the set of words
// only, not on the way to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <string>
#include <unordered_map>
#include <vector>

// Means of the sets of words used last; a set may overwrite another one.
struct UnplacedMeans {
    const float* table = nullptr;   // [n + 2, n + 2]: pair scores
    int n = 0, blocks = 0;
    size_t capacity = 0;            // a power of two
    std::vector<uint64_t> sets;     // [capacity, blocks]
    std::vector<uint64_t> known;    // [capacity, blocks]: the words whose means are there
    std::vector<float> means;       // [capacity, n]

    void begin(const float* scores, int words, int width) {
        table = scores;
        n = words;
        blocks = (words + 63) / 64;
        for (capacity = 4; capacity < 4 * (size_t)width; capacity *= 2);
        sets.assign(capacity * blocks, 0);
        known.assign(capacity * blocks, 0);
        means.resize(capacity * n);
    }
    // The means of the `wanted` words over the unplaced ones, by word.
    const float* of(const uint64_t* set, const int32_t* unplaced, int count,
                    const int32_t* wanted, int n_wanted) {
        uint64_t hash = 0;
        for (int i = 0; i < blocks; i++) hash = (hash ^ set[i]) * 0x9e3779b97f4a7c15u;
        size_t at = (hash >> 40) & (capacity - 1);
        uint64_t* stored = &sets[at * blocks];
        uint64_t* there = &known[at * blocks];
        float* found = &means[at * n];
        if (!std::equal(set, set + blocks, stored)) {
            std::copy(set, set + blocks, stored);
            std::fill(there, there + blocks, 0);
        }
        for (int i = 0; i < n_wanted; i++) {
            int word = wanted[i];
            uint64_t bit = (uint64_t)1 << (word & 63);
            if (there[word >> 6] & bit) continue;
            const float* row = table + (size_t)word * (n + 2);
            float sum = 0;
            for (int j = 0; j < count; j++) sum += row[unplaced[j]];
            found[word] = sum / count;
            there[word >> 6] |= bit;
        }
        return found;
    }
};
// The sums of the sets of words used last, by set.
struct UnplacedSums {
    struct Entry {
        std::string key;
        std::vector<int64_t> sums;  // by word; those of placed words mean nothing
    };
    const float* table = nullptr;   // [n + 2, n + 2]: pair scores
    int n = 0, blocks = 0;
    size_t capacity = 0;
    std::list<Entry> entries;       // the one used last in front
    std::unordered_map<std::string, std::list<Entry>::iterator> known;

    void begin(const float* scores, int words, int width) {
        table = scores;
        n = words;
        blocks = (words + 63) / 64;
        capacity = 2 * (size_t)width + 2;   // a beam and the beam before it
    }
    // 32 binary digits after the point. Larger scores than a million are not scores.
    int64_t fixed(int first, int second) const {
        float score = table[(size_t)first * (n + 2) + second];
        return score > -1e6f && score < 1e6f ? (int64_t)(score * 4294967296.0) : 0;
    }
    static bool has(const uint64_t* set, int word) { return set[word >> 6] >> (word & 63) & 1; }
    std::list<Entry>::iterator find(const std::string& key) {
        auto found = known.find(key);
        if (found == known.end()) return entries.end();
        entries.splice(entries.begin(), entries, found->second);
        return entries.begin();
    }
    // The sums over the unplaced words; `last` is the word placed last, or -1.
    const int64_t* of(const uint64_t* unplaced, int last) {
        std::string key((const char*)unplaced, blocks * sizeof(uint64_t));
        auto entry = find(key);
        if (entry != entries.end()) return entry->sums.data();
        auto parent = entries.end();
        if (last >= 0) {
            std::vector<uint64_t> before(unplaced, unplaced + blocks);
            before[last >> 6] |= (uint64_t)1 << (last & 63);
            parent = find(std::string((const char*)before.data(), key.size()));
        }
        std::vector<int64_t> sums(n, 0);
        for (int i = 0; i < n; i++) {
            if (!has(unplaced, i)) continue;
            if (parent != entries.end()) {
                sums[i] = parent->sums[i] - fixed(i, last);
            } else {
                for (int j = 0; j < n; j++)
                    if (has(unplaced, j)) sums[i] += fixed(i, j);
            }
        }
        if (entries.size() >= capacity) {
            known.erase(entries.back().key);
            entries.pop_back();
        }
        entries.push_front(Entry{key, std::move(sums)});
        known[key] = entries.begin();
        return entries.front().sums.data();
    }
};
static inline float unfixed_mean(int64_t sum, int count) {
    return (float)((double)sum / 4294967296.0 / count);
}
