"""Sums of pair scores over the unplaced words of a state, for large bags: updated, not recomputed.

A state differs from its parent by at most one placed word, so its sums follow from those of the
parent in O(n). Sums are integers: they depend on the set of words only, not on the way to it.
"""

from libc.stdint cimport int64_t, uint64_t

cdef extern from * nogil:
    """
    #include <cstdint>
    #include <list>
    #include <string>
    #include <unordered_map>
    #include <vector>
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
    static float unfixed_mean(int64_t sum, int count) {
        return (float)((double)sum / 4294967296.0 / count);
    }
    """
    cppclass UnplacedSums:
        UnplacedSums() except +
        void begin(const float* scores, int words, int width)
        const int64_t* of(const uint64_t* unplaced, int last) except +
    float unfixed_mean(int64_t sum, int count)
