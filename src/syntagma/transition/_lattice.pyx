"""The n best orders of a beam search, read off the lattice of its derivations.

A search (`_search`) keeps a link per move. Where states were merged, the links of the worse ones
are remembered with that of the best one, so one finished state stands for many derivations.

Orders are found best first and fall into levels: the first 16, the next 16, the next 32, and so
on, twice as many each time. Reranking changes the order within a level only. So an order keeps its
rank and its score, however many are asked for. Where words may take several forms, it is different
sentences that are listed, and that fall into levels; but the first of them is the best of the first
16 orders, because with one result asked for only orders are compared.
"""

from libc.stdint cimport int32_t, int64_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from syntagma.transition._clock cimport Clock
from syntagma.transition._state cimport (
    NONE, RERANKED, SHIFT, Detour, Detours, Finished, Lattice, Link, Signatures, Task,
)

cdef enum:
    MOST_TRIES = 4096       # derivations whose detours are followed to find different orders
    TRIES_PER_LOOK = 8      # at the clock
    UNLISTED = 64           # levels of orders whose sentences are not among the best
    LATER = 1 << 20         # places of sentences that are not the best of an order


cdef struct Trail:
    # A derivation that was looked at: `base` up to a position, then a link and its parents.
    int32_t base, position, link


cdef bint list_orders(
    const Lattice* lattice, Clock clock, int n_best, vector[Finished]* finished
) except -1 nogil:
    """List the best derivation of each of the best orders and, if several results are asked for
    and words may take several forms, of each of the best sentences.

    Whole levels are listed. False if time ran out before.
    """
    cdef Signatures known
    cdef int most, wanted = RERANKED
    cdef bint complete
    finished.clear()
    while wanted < n_best:
        wanted *= 2
    most = min(wanted, count_orders(lattice, wanted))
    complete = gather(lattice, clock, most, False, finished, &known)
    if n_best > 1 and lattice.names != NULL:
        complete = gather(lattice, clock, wanted, True, finished, &known) and complete
    return complete


cdef int count_orders(const Lattice* lattice, int most) except -1 nogil:
    """How many different orders the words that are not fixed have, or `most` if it is more."""
    cdef const Task* task = lattice.task
    cdef vector[int] counts
    cdef int64_t orders = 1
    cdef int i, j, kind, free_words = 0
    for i in range(task.n):
        kind = task.words[i].kind
        if kind >= <int>counts.size():
            counts.resize(kind + 1, 0)
        counts[kind] += 1
    if task.fixed != NULL:
        for i in range(task.n):
            if task.fixed[i] != NONE:
                counts[task.fixed[i]] -= 1
    for i in range(<int>counts.size()):
        for j in range(counts[i]):
            free_words += 1
            orders = orders * free_words // (j + 1)
            if orders >= most:
                return most
    return orders


cdef bint gather(
    const Lattice* lattice, Clock clock, int wanted, bint variants, vector[Finished]* finished,
    Signatures* known
) except -1 nogil:
    """Add `wanted` derivations of different orders (with variants: of different sentences),
    including those that were merged into others on the way. Known ones count, but are not added
    again. False if time ran out after the first."""
    cdef Detours detours
    cdef Detour detour, best
    cdef Finished found
    cdef Signatures listed
    cdef vector[Trail] trails
    cdef Trail trail
    cdef const Link* link
    cdef int i, chain, count = 0, tries = 0
    cdef int32_t other
    for i in range(<int>lattice.ends.size()):
        detours.begin(lattice.ends[0][i])
    detour.found = lattice.ends.size()
    while count < wanted and detours.pop(MOST_TRIES - trails.size(), &best):
        tries += 1
        if tries % TRIES_PER_LOOK == 0:
            clock.look()
            if count and clock.is_over():
                return False
        trail.base = best.base
        trail.position = best.position
        trail.link = best.link
        retrace(lattice, &trails, trail, &found.links)
        count += note(lattice, &found, &best, count, variants, finished, &listed, known)
        if trails.size() >= MOST_TRIES:
            continue
        # The alternatives of the link that the detour took were followed before.
        for i in range(best.position, <int>found.links.size()):
            link = &lattice.links[0][found.links[i]]
            for chain in range(1 + variants):
                if i == best.position and best.base != NONE and chain <= best.variant:
                    continue
                other = link.variant if chain else link.merged
                while other >= 0:
                    detour.base = trails.size()
                    detour.position = i
                    detour.link = other
                    detour.variant = chain
                    detour.score = best.score + lattice.links[0][other].score - link.score
                    detour.fluency = best.fluency + lattice.links[0][other].fluency - link.fluency
                    detours.push(detour, MOST_TRIES - trails.size() - 1)
                    detour.found += 1
                    other = (
                        lattice.links[0][other].variant if chain else lattice.links[0][other].merged
                    )
        trails.push_back(trail)
    return True


cdef int retrace(
    const Lattice* lattice, const vector[Trail]* trails, Trail trail, vector[int32_t]* links
) except -1 nogil:
    """The links of a derivation, last move first."""
    cdef vector[Trail] parts
    cdef int32_t link
    cdef int i, end
    links.clear()
    parts.push_back(trail)
    while parts.back().base != NONE:
        parts.push_back(trails[0][parts.back().base])
    for i in range(<int>parts.size() - 1, -1, -1):
        link = parts[i].link
        end = parts[i - 1].position if i else 2 * lattice.task.n
        while link >= 0 and <int>links.size() < end:
            links.push_back(link)
            link = lattice.links[0][link].parent
    return 0


cdef bint note(
    const Lattice* lattice, Finished* found, const Detour* by, int count, bint variants,
    vector[Finished]* finished, Signatures* listed, Signatures* known
) except -1 nogil:
    """Whether the order of a derivation (with variants: its sentence) was not listed before.

    A sentence that is known already gets the level that it has among the sentences.
    """
    cdef string order, sentence
    cdef int i
    cdef int32_t kind, at
    cdef const Link* link
    for i in range(<int>found.links.size()):
        link = &lattice.links[0][found.links[i]]
        if link.kind == SHIFT:
            kind = lattice.task.words[link.word].kind
            order.append(<const char*>&kind, sizeof(int32_t))
            if lattice.names != NULL:
                kind = lattice.names[link.form]
            sentence.append(<const char*>&kind, sizeof(int32_t))
    if listed.add(sentence if variants else order, by.found) != by.found:
        return False
    found.level = level_of(count)
    found.place = count
    found.leads = not variants and found.level == 0
    if variants:
        found.place += LATER
    elif lattice.names != NULL:
        found.level += UNLISTED
    found.fluency = by.fluency
    found.syntax = by.score - lattice.weight * (by.fluency - lattice.expected)
    at = known.add(sentence, finished.size())
    if at == <int32_t>finished.size():
        finished.push_back(found[0])
    elif finished[0][at].leads:
        finished[0][at].level = found.level
    else:
        finished[0][at] = found[0]
    return True


cdef int level_of(int place) noexcept nogil:
    cdef int level = 0, size = RERANKED
    while place >= size:
        size *= 2
        level += 1
    return level
