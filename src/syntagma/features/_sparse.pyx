"""Sparse features: tables of templates, checked when they are made, and hash tables of weights.

The templates themselves are data, in `linear/templates.py` and `best_first/templates.py`. A weight
table has 8-byte slots, with open addressing. A slot holds a fingerprint instead of the full key, so
two features can collide; they then share their weight. `Weights` is the read-only table of a model,
`TrainingWeights` the growing table of a learner. Model files: `stored_weights`.
"""

from libc.stdint cimport uint32_t, uint64_t

import numpy as np

from syntagma.errors import ModelError
from syntagma.files.sections import Section, check_sections, damaged

SLOT = np.dtype([("fingerprint", np.uint32), ("weight", np.float32)])
# The state of training, in a checkpoint.
STATE = (
    Section("slots", np.uint64, ("features",)),
    Section("keys", np.uint64, ("features",)),
    Section("sums", np.float64, ("features",)),
    Section("capacity_steps", np.uint64, (2,), below=1 << 62),
)

TemplateRow = tuple[str, tuple[str, ...]]  # scope, names of atoms


def read_table(scope, table):
    """The templates of a table, in which a semicolon or a line break ends a template."""
    for template in table.replace("\n", ";").split(";"):
        if template.strip():
            yield scope, tuple(template.split())


def check_templates(header, *tables):
    """Refuse a model trained with other templates: its weights belong to other features."""
    if [text for table in tables for text in table.texts] != header.get("templates"):
        raise ModelError(
            "the model was trained with other feature templates than those of this version; "
            "train it again or install the version that made it"
        )


cdef class TemplateTable:
    """A checked set of templates, given as pairs (scope, names of atoms).

    `atoms` lists all names in the order in which they are hashed. `scopes` maps each scope to the
    atoms that its templates may name; templates are sorted by scope in this order.
    """

    def __init__(self, templates, atoms, scopes):
        self.texts = tuple(f"{scope}: {' '.join(names)}" for scope, names in templates)
        if len({(row[0], frozenset(row[1])) for row in templates}) != len(self.texts):
            raise ValueError("a feature template is listed twice")
        if len(self.texts) > MAX_TEMPLATES:
            raise ValueError(f"more than {MAX_TEMPLATES} feature templates")
        if len(scopes) > MAX_SCOPES:
            raise ValueError(f"more than {MAX_SCOPES} scopes")
        for name, _ in templates:
            if name not in scopes:
                raise ValueError(f"unknown template scope {name!r}")
        number = {name: i for i, name in enumerate(atoms)}
        cdef int i, scope, count = 0
        cdef uint64_t key
        for scope, (scope_name, known) in enumerate(scopes.items()):
            self.set.bounds[scope] = count
            for text, (name, names) in zip(self.texts, templates):
                if name != scope_name:
                    continue
                shown = repr(" ".join(names))
                unknown = [atom for atom in names if atom not in number]
                if unknown:
                    raise ValueError(f"unknown atom {unknown[0]!r} in template {shown}")
                numbers = sorted(number[atom] for atom in names)
                if not 0 < len(numbers) <= MAX_ATOMS or len(set(numbers)) != len(numbers):
                    raise ValueError(f"template {shown} repeats an atom or has too many")
                if not set(names) <= set(known):
                    raise ValueError(f"template {shown} names an atom that its scope does not have")
                key = 0x2545F4914F6CDD1D
                for byte in text.encode():
                    key = fold(key, byte + 1)
                self.set.templates[count].seed = key
                self.set.templates[count].n_atoms = len(numbers)
                for i in range(len(numbers)):
                    self.set.templates[count].atoms[i] = numbers[i]
                count += 1
        self.set.bounds[len(scopes)] = count


cdef class Weights:
    """A read-only table, made from its two columns."""

    def __init__(self, fingerprints, weights):
        slots = len(fingerprints)
        if slots & (slots - 1) or slots == 0 or len(weights) != slots:
            raise ValueError("the number of slots of a weight table must be a power of two")
        array = np.empty(slots, SLOT)
        array["fingerprint"] = fingerprints
        array["weight"] = weights
        cdef uint64_t[::1] view = array.view(np.uint64)
        self._array = array
        self.table.slots = <const Slot*>&view[0]
        self.table.mask = slots - 1

    def __len__(self):
        return int(np.count_nonzero(self._array["fingerprint"]))


def build_columns(keys, values, double load=0.5):
    """The columns (fingerprints, weights) of the smallest table with at most this load factor.

    A look-up cannot distinguish features with colliding fingerprints, so their weights are added.
    By default at least half of the slots stay empty, because most look-ups are for absent features
    and take longer in a fuller table.
    """
    cdef uint64_t slots = 16
    while slots * load < len(keys):
        slots *= 2
    cdef uint64_t mask = slots - 1, at
    cdef uint64_t[::1] key = np.ascontiguousarray(keys, np.uint64)
    cdef float[::1] value = np.ascontiguousarray(values, np.float32)
    fingerprints, weights = np.zeros(slots, np.uint32), np.zeros(slots, np.float32)
    cdef uint32_t[::1] f = fingerprints
    cdef float[::1] w = weights
    cdef Py_ssize_t i
    for i in range(key.shape[0]):
        at = key[i] & mask
        while f[at] and f[at] != fingerprint(key[i]):
            at = (at + 1) & mask
        f[at] = fingerprint(key[i])
        w[at] += value[i]
    return fingerprints, weights


cdef class TrainingWeights:
    """Weights under training: the slots that searches read, full keys, and sums for averaging.

    With w the weight and u the sum of step x change, the average over T steps is w - u / T.
    """

    def __init__(self):
        self.used = self.steps = 0
        self._allocate(1 << 20)

    cdef _allocate(self, uint64_t capacity):
        slots, keys = np.zeros(capacity, np.uint64), np.zeros(capacity, np.uint64)
        sums = np.zeros(capacity)
        cdef uint64_t[::1] slot_view = slots
        cdef uint64_t[::1] key_view = keys
        cdef double[::1] sum_view = sums
        self._slots, self._keys, self._sums = slots, keys, sums
        self.slots = <Slot*>&slot_view[0]
        self.keys = &key_view[0]
        self.sums = &sum_view[0]
        self.capacity = capacity
        self.table.slots = self.slots
        self.table.mask = capacity - 1

    cdef uint64_t find(self, uint64_t key) noexcept nogil:
        """The slot of the key, or the empty slot where it belongs.

        Features are distinguished by fingerprint, as in a look-up.
        """
        cdef uint64_t at = key & self.table.mask
        cdef uint32_t wanted = fingerprint(key)
        while self.slots[at].fingerprint and self.slots[at].fingerprint != wanted:
            at = (at + 1) & self.table.mask
        return at

    def reserve(self, uint64_t more):
        """Make room for `more` further features."""
        while self.used + more > self.capacity // 2:
            old = self._slots, self._keys, self._sums
            self._allocate(self.capacity * 2)
            self._insert(*old)

    def _insert(self, uint64_t[::1] slots, uint64_t[::1] keys, double[::1] sums):
        cdef Py_ssize_t i
        cdef uint64_t at
        cdef const Slot* old = <const Slot*>&slots[0]
        for i in range(keys.shape[0]):
            if old[i].fingerprint:
                at = self.find(keys[i])
                # In the new table two features may collide: then they share the slot.
                self.slots[at].fingerprint = old[i].fingerprint
                self.slots[at].weight += old[i].weight
                self.keys[at] = keys[i]
                self.sums[at] += sums[i]

    cdef void change(self, uint64_t key, float by) noexcept nogil:
        cdef uint64_t at = self.find(key)
        if self.slots[at].fingerprint == 0:
            self.slots[at].fingerprint = fingerprint(key)
            self.keys[at] = key
            self.used += 1
        self.slots[at].weight += by
        self.sums[at] += by * <double>self.steps

    def averaged(self):
        """(keys, averaged weights) of the features with a non-zero average, sorted by key."""
        return self._export(self._slots.view(SLOT)["weight"] - self._sums / max(self.steps, 1))

    def final(self):
        """(keys, weights) of the features with a non-zero weight, sorted by key."""
        return self._export(self._slots.view(SLOT)["weight"])

    def _export(self, weights):
        chosen = (self._slots.view(SLOT)["fingerprint"] != 0) & (np.abs(weights) > 1e-9)
        keys = self._keys[chosen]
        order = np.argsort(keys)
        return keys[order], weights[chosen][order].astype(np.float32)

    def state(self):
        """All that is needed to resume training, as arrays."""
        used = self._slots.view(SLOT)["fingerprint"] != 0
        return {
            "slots": self._slots[used],
            "keys": self._keys[used],
            "sums": self._sums[used],
            "capacity_steps": np.array([self.capacity, self.steps], np.uint64),
        }

    def restore(self, arrays):
        features = check_sections(arrays, STATE)["features"]
        capacity, steps = (int(x) for x in arrays["capacity_steps"])
        if capacity < 1 or capacity & (capacity - 1) or (
            not features < capacity <= max(1 << 24, 8 * features)
        ):
            raise damaged("capacity_steps", f"it does not fit {features} features")
        self._allocate(capacity)
        self._insert(*(np.array(arrays[name]) for name in ("slots", "keys", "sums")))
        self.used = len(arrays["keys"])
        self.steps = steps
