"""What is given for the words of a problem and for each pair: input of the set encoder."""

from libc.stdint cimport int32_t, uint64_t

import numpy as np

from syntagma.neural._action_scorer cimport bucket
from syntagma.transition._state cimport NONE, ROOT, SearchTask, Task, Word, has

cdef enum:
    UNRELATED, SELF, SIBLING, ANCESTOR, DESCENDANT, COMPONENT, LABELLED

RELATION_NAMES = ("unrelated", "self", "sibling", "ancestor", "descendant", "component")
assert len(RELATION_NAMES) == LABELLED

GIVEN_FIELDS = ("tag", "label", "head", "dependents", "descendants")
HEAD_STATES = 3     # unknown, a word, the root


def read_given(SearchTask search_task, int n_tags, int n_labels):
    """(fields [n, 5], relations [n, n]): what is given for each word and each pair of words.

    The fields of a word are its tag, its label (the last number of each: not given), whether its
    head is unknown, a word or the root, and the buckets of its number of given dependents and
    descendants. `relations[i, j]` says what word j is to word i: a number of RELATION_NAMES; after
    those the label of the arc from i to its head j; after those that of the arc from j to its
    head i.
    """
    cdef const Task* task = &search_task.task
    cdef int n = task.n, i, j, k, head
    fields = np.empty((n, len(GIVEN_FIELDS)), np.int32)
    relations = np.zeros((n, n), np.int32)
    cdef int32_t[:, ::1] field = fields, relation = relations
    cdef const Word* word
    cdef const uint64_t* below
    cdef int n_arcs = n_labels + 2
    with nogil:
        for i in range(n):
            word = &task.words[i]
            field[i, 0] = n_tags + 1 if word.tag == NONE else word.tag
            field[i, 1] = n_labels + 1 if word.label == NONE else word.label
            field[i, 2] = 0 if word.head == NONE else 2 if word.head == ROOT else 1
            field[i, 3] = bucket(word.children_count)
            below = task.descendants + i * task.blocks
            k = 0
            for j in range(n):
                if has(below, j):
                    k += j != i
                    relation[j, i] = ANCESTOR
                    relation[i, j] = DESCENDANT
            field[i, 4] = bucket(k)
        for i in range(n):
            head = task.words[i].head
            for j in range(n):
                if i == j:
                    relation[i, j] = SELF
                elif head >= 0 and task.words[j].head == head:
                    relation[i, j] = SIBLING
                elif relation[i, j] == UNRELATED and task.words[i].top == task.words[j].top:
                    relation[i, j] = COMPONENT
            if head >= 0:
                relation[i, head] = LABELLED + field[i, 1]
                relation[head, i] = LABELLED + n_arcs + field[i, 1]
    return fields, relations
