"""Feature extraction of the linear scorer: atoms of states and actions, hashed by templates.

The templates are data, in `templates.py`. An atom that is absent is 0; templates that name it are
then skipped. The scope of a template says what it is instantiated for:

    state           every action in a state
    before shift    every SHIFT in a state
    candidate       the word to be shifted (L)
    family          each word X that the SHIFT makes the next one of its family
    pair            each such X with each of its unplaced siblings Y
    child           each given dependent C of L that will stand on the right of L
"""

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc
from libc.string cimport memset

from syntagma.transition._state cimport (
    NONE, ROOT, SHIFT, L, Node, R, S, State, Task, Word, has, lowest_bit,
)
from syntagma.features._sparse cimport (
    Template, TemplateTable, add_key, add_member, finish, fold, make_room, set_atom, toggle_single,
    word_key,
)

cdef enum:
    STATE, BEFORE_SHIFT, CANDIDATE, FAMILY, PAIR, CHILD, SCOPES

# Atoms, in the order of ATOM_NAMES below.
cdef enum:
    S0w, S0p, S0lw, S0lp, S0rw, S0rp, S0l2w, S0l2p, S0r2w, S0r2p
    S1w, S1p, S1lw, S1lp, S1rw, S1rp, S1l2w, S1l2p, S1r2w, S1r2p
    W0, P0, W1, P1, W2, P2
    S0v, S0d, REST, GIVEN
    Scls, Sclns, Scps, Scpns, Ssls, Sslns, Ssps, Sspns, Sps, Slp, Spp
    Lw, Lp, Lcls, Lclns, Lcps, Lcpns, Lsls, Lslns, Lsps, Lspns, Lps, Llp, Lpp, Lwp, Lsf, Lsh, Lf
    Xw, Xp, Xl, Xhw, Xhp, Xs, Xvl, Xvp, Xn, Xz
    Yw, Yp, Yl, Yz
    Cw, Cp, Cl, Cz
    ATOMS

ATOM_NAMES = (
    "S0w", "S0p", "S0lw", "S0lp", "S0rw", "S0rp", "S0l2w", "S0l2p", "S0r2w", "S0r2p",
    "S1w", "S1p", "S1lw", "S1lp", "S1rw", "S1rp", "S1l2w", "S1l2p", "S1r2w", "S1r2p",
    "w0", "p0", "w-1", "p-1", "w-2", "p-2",
    "S0v", "S0d", "rest", "given",
    "Scls", "Sclns", "Scps", "Scpns", "Ssls", "Sslns", "Ssps", "Sspns", "Sps", "Slp", "Spp",
    "Lw", "Lp", "Lcls", "Lclns", "Lcps", "Lcpns", "Lsls", "Lslns", "Lsps", "Lspns",
    "Lps", "Llp", "Lpp", "Lwp", "Lsf", "Lsh", "Lf",
    "Xw", "Xp", "Xl", "Xhw", "Xhp", "Xs", "Xvl", "Xvp", "Xn", "Xz",
    "Yw", "Yp", "Yl", "Yz",
    "Cw", "Cp", "Cl", "Cz",
)
SCOPE_NAMES = ("state", "before shift", "candidate", "family", "pair", "child")

assert len(ATOM_NAMES) == ATOMS
assert len(SCOPE_NAMES) == SCOPES

cdef uint64_t START = 1 << 30   # before the first word of a sentence, or of a family


# Words as atoms

cdef int tag_of(const Extractor* x, const State* state, int word) noexcept nogil:
    """The tag that a word has or is given, or NONE."""
    cdef int tag = state.tags[word]
    if tag == NONE:
        return x.task.words[word].tag
    return tag if x.first_forms == NULL else tag % x.n_tags


cdef inline const FormRow* form_row(const Extractor* x, int word, int reading) noexcept nogil:
    return &x.form_rows[x.first_forms[word] + reading // x.n_tags]


cdef inline uint64_t form_atom(const Extractor* x, const State* state, int word) noexcept nogil:
    """The form that a word has; before it is placed, its likeliest one."""
    if word < 0:
        return 0
    if x.first_forms == NULL or state.tags[word] == NONE:
        return x.task.words[word].form
    return form_row(x, word, state.tags[word]).form


cdef inline uint64_t tag_atom(const Extractor* x, const State* state, int word) noexcept nogil:
    return 0 if word < 0 else tag_of(x, state, word) + 1


cdef inline uint64_t size_atom(const Task* task, int word) noexcept nogil:
    """1 for a leaf, 2 for one given dependent, 3 for more or for deeper ones."""
    cdef const Word* w = &task.words[word]
    if w.children_count == 0:
        return 1
    if w.children_count == 1 and task.words[task.children[w.children_start]].children_count == 0:
        return 2
    return 3


cdef inline uint64_t bucket(int count) noexcept nogil:
    return 1 + count if count < 3 else 5 if count > 5 else 4


cdef void read_node(Extractor* x, const State* state, int depth, int w) noexcept nogil:
    """Atoms of S0 (depth 0) or S1, from `w` on: forms and tags of the word and its dependents."""
    cdef int i
    cdef int[5] words = [
        S(state, depth), L(state, depth, 1), R(state, depth, 1), L(state, depth, 2),
        R(state, depth, 2),
    ]
    for i in range(5):
        x.atoms[w + 2 * i] = form_atom(x, state, words[i])
        x.atoms[w + 2 * i + 1] = tag_atom(x, state, words[i])


# Given arcs around a word (P16 Table 2)

cdef int prepare_sets(Extractor* x, int n_tags, bint wide) except -1:
    """Make room for the sets of labels and tags; `sets` is to be freed. Without `wide`, members
    are taken modulo 64, as models with more of them were trained up to 0.9."""
    cdef int i, most = max(n_tags - 2, 0)   # the last tag is the unknown one
    x.member_mask = -1 if wide else 63
    for i in range(x.task.n):
        most = max(most, x.task.words[i].label)
    x.set_blocks = most // 64 + 1 if wide else 1
    x.sets = <uint64_t*>calloc(FAMILIES * 8 * x.set_blocks, sizeof(uint64_t))
    if not x.sets:
        raise MemoryError()
    return 0


cdef inline uint64_t* sets_of(const Extractor* x, int head, int kind, int side) noexcept nogil:
    """Labels (kind 0) or tags (1): those that occur, then those that occur more than once."""
    return x.sets + (((head % FAMILIES) * 2 + kind) * 2 + side) * 2 * x.set_blocks


cdef const Family* family_of(Extractor* x, const State* state, int head) noexcept nogil:
    """The family of a head, counted once per state and not once per candidate."""
    cdef const Task* task = x.task
    cdef const Word* w = &task.words[head]
    cdef Family* family = &x.families[head % FAMILIES]
    cdef int i, child, side, label, tag
    if family.head == head:
        return family
    memset(sets_of(x, head, 0, 0), 0, 8 * x.set_blocks * sizeof(uint64_t))
    family.head = head
    family.unplaced = 0
    for i in range(w.children_start, w.children_start + w.children_count):
        child = task.children[i]
        side = has(state.buffer, child)
        label = task.words[child].label
        tag = tag_of(x, state, child)
        family.unplaced += side
        if label >= 0:
            add_member(sets_of(x, head, 0, side), x.set_blocks, label & x.member_mask)
        if tag >= 0:
            add_member(sets_of(x, head, 1, side), x.set_blocks, tag & x.member_mask)
    return family


cdef void read_sets(
    Extractor* x, const State* state, int head, int but, int first
) noexcept nogil:
    """Atoms from `first` on: the label sets (shifted, unshifted) and tag sets (shifted, unshifted)
    of the given dependents of `head`, without the word `but`. If no label (or tag) is known, both
    sets are absent, which differs from empty."""
    cdef uint64_t placed, unplaced
    cdef uint64_t* sets = NULL
    cdef bint empty
    cdef int i, own, blocks = x.set_blocks
    for i in range(4):
        x.atoms[first + i] = 0
    if head < 0 or x.task.words[head].children_count == 0:
        return
    family_of(x, state, head)
    for i in range(2):
        own = NONE
        if but != NONE:
            own = x.task.words[but].label if i == 0 else tag_of(x, state, but)
        if own >= 0:
            own &= x.member_mask
            sets = sets_of(x, head, i, has(state.buffer, but))
            toggle_single(sets, blocks, own)
        empty = True
        placed = set_atom(sets_of(x, head, i, 0), blocks, &empty)
        unplaced = set_atom(sets_of(x, head, i, 1), blocks, &empty)
        if own >= 0:
            toggle_single(sets, blocks, own)
        if not empty:
            x.atoms[first + 2 * i] = placed
            x.atoms[first + 2 * i + 1] = unplaced


cdef void read_lookahead(Extractor* x, const State* state, int word, int first) noexcept nogil:
    """The eleven atoms cls, clns, cps, cpns, sls, slns, sps, spns, ps, lp, pp of a word."""
    cdef const Task* task = x.task
    cdef const Word* w = &task.words[word]
    read_sets(x, state, word, NONE, first)
    read_sets(x, state, w.head, word, first + 4)
    if w.head == NONE:
        x.atoms[first + 8] = x.atoms[first + 9] = x.atoms[first + 10] = 0
        return
    x.atoms[first + 8] = 3 if w.head == ROOT else 1 + has(state.buffer, w.head)
    x.atoms[first + 9] = w.label + 1
    x.atoms[first + 10] = START if w.head == ROOT else tag_atom(x, state, w.head)


# Hashing

cdef void instantiate(Extractor* x, int scope) noexcept nogil:
    """Append the features of the scope's templates for the current atoms."""
    cdef int i, j
    cdef uint64_t key, atom
    cdef const Template* template
    make_room(&x.sum)
    for i in range(x.set.bounds[scope], x.set.bounds[scope + 1]):
        key = x.prefix[i]
        if key == 0:
            continue
        template = &x.set.templates[i]
        for j in range(x.n_state[i], template.n_atoms):
            atom = x.atoms[template.atoms[j]]
            if atom == 0:
                key = 0
                break
            key = fold(key, atom)
        if key:
            add_key(&x.sum, key)


cdef void with_action(Extractor* x, int scope, uint64_t action) noexcept nogil:
    """Append the features of the scope's templates, conjoined with the action."""
    cdef int i
    for i in range(x.set.bounds[scope], x.set.bounds[scope + 1]):
        if x.prefix[i]:
            add_key(&x.sum, fold(x.prefix[i], action))


cdef inline uint64_t action_atom(int kind, int label) noexcept nogil:
    return 1 + kind + 4 * <uint64_t>(label + 1)


# Entry points

cdef void read_state(Extractor* x, const State* state) noexcept nogil:
    """Read the atoms of the state and hash the state's part of every template."""
    cdef const Task* task = x.task
    cdef uint64_t* atoms = x.atoms
    cdef const Template* template
    cdef const Node* top
    cdef int i, j, rest = task.n - state.shifted
    cdef uint64_t key, atom
    for i in range(FAMILIES):
        x.families[i].head = NONE
    read_node(x, state, 0, S0w)
    read_node(x, state, 1, S1w)
    cdef int[3] placed = [state.w0, state.w1, state.w2]
    for i in range(3):
        atoms[W0 + 2 * i] = START if placed[i] < 0 else form_atom(x, state, placed[i])
        atoms[P0 + 2 * i] = START if placed[i] < 0 else tag_atom(x, state, placed[i])
    atoms[REST] = bucket(rest)
    atoms[GIVEN] = 1 + task.arcs_given + (3 if task.labels_given else 0)
    if state.size:
        top = state.stack + state.size - 1
        atoms[S0v] = 1 + 4 * min(top.n_left, 3) + min(top.n_right, 3)
        atoms[S0d] = task.words[top.word].label + 1
        read_lookahead(x, state, top.word, Scls)
    else:
        atoms[S0v] = atoms[S0d] = 0
        for i in range(Scls, Lw):
            atoms[i] = 0
    for i in range(x.set.bounds[SCOPES]):
        template = &x.set.templates[i]
        key = template.seed
        for j in range(x.n_state[i]):
            atom = atoms[template.atoms[j]]
            if atom == 0:
                key = 0
                break
            key = fold(key, atom)
        x.prefix[i] = key


cdef double shift_base(Extractor* x) noexcept nogil:
    """The part of the score that all SHIFTs in this state share (0 if actions are atomic)."""
    if not x.atomic:
        with_action(x, STATE, action_atom(SHIFT, NONE))
        with_action(x, BEFORE_SHIFT, action_atom(SHIFT, NONE))
    return finish(&x.sum)


cdef double score_arc(Extractor* x, const State* state, int kind, int label) noexcept nogil:
    with_action(x, STATE, action_atom(kind, label))
    return finish(&x.sum)


cdef void read_member(Extractor* x, const State* state, int word, bint next_to_top) noexcept nogil:
    """Atoms of X, a word that comes next in its family."""
    cdef const Task* task = x.task
    cdef uint64_t* atoms = x.atoms
    cdef const Word* w = &task.words[word]
    cdef const Node* top = state.stack + state.size - 1
    cdef bint left = has(state.buffer, w.head)
    atoms[Xw] = form_atom(x, state, word)
    atoms[Xp] = tag_atom(x, state, word)
    atoms[Xl] = w.label + 1
    atoms[Xhw] = form_atom(x, state, w.head)
    atoms[Xhp] = tag_atom(x, state, w.head)
    atoms[Xs] = 1 if left else 2
    atoms[Xvl] = atoms[Xvp] = START
    if next_to_top and state.size:
        if left:
            if task.words[top.word].head == w.head:
                atoms[Xvl] = task.words[top.word].label + 1
                atoms[Xvp] = tag_atom(x, state, top.word)
        elif top.word == w.head and top.n_right:
            atoms[Xvl] = top.r_label + 1
            atoms[Xvp] = tag_atom(x, state, top.r)
    atoms[Xn] = bucket(family_of(x, state, w.head).unplaced - 1)
    atoms[Xz] = size_atom(task, word)


cdef void family_features(Extractor* x, const State* state, int word) noexcept nogil:
    """Features of X and of (X, Y), for each X from L up to the first word whose family has a placed
    member, and each unplaced sibling Y of X. The atoms of L are known. At most MAX_RELATED of each
    are looked at, so that the time per candidate is bounded even in huge families."""
    cdef const Task* task = x.task
    cdef uint64_t* atoms = x.atoms
    cdef uint64_t rest
    cdef int i, pairs, _step, sibling, up = word, given
    cdef int top_head = task.words[state.stack[state.size - 1].word].head if state.size else NONE
    for _step in range(MAX_RELATED):
        given = task.words[up].head
        if given < 0:
            return
        read_member(x, state, up, given == top_head or not has(state.buffer, given))
        if up == word:
            atoms[Xw] = atoms[Lw]
            atoms[Xp] = atoms[Lp]
        instantiate(x, FAMILY)
        if x.set.bounds[PAIR] < x.set.bounds[PAIR + 1]:
            pairs = 0
            for i in range(task.blocks):
                rest = task.dependents[given * task.blocks + i] & state.buffer[i]
                while rest and pairs < MAX_RELATED:
                    sibling = 64 * i + lowest_bit(rest)
                    rest &= rest - 1
                    if sibling != up:
                        pairs += 1
                        atoms[Yw] = task.words[sibling].form
                        atoms[Yp] = tag_atom(x, state, sibling)
                        atoms[Yl] = task.words[sibling].label + 1
                        atoms[Yz] = size_atom(task, sibling)
                        instantiate(x, PAIR)
        if given == top_head or not has(state.buffer, given):
            return
        up = given


cdef double score_shift(Extractor* x, const State* state, int word, int tag) noexcept nogil:
    """The score of SHIFT(word, tag) without `shift_base`; with a choice of forms, the tag is the
    number of a reading."""
    cdef const Task* task = x.task
    cdef uint64_t* atoms = x.atoms
    cdef const Word* w = &task.words[word]
    cdef const FormRow* row
    cdef int i, child, form = w.form, shape = w.shape, suffix = w.suffix
    atoms[Lf] = 0
    if x.first_forms != NULL:
        row = form_row(x, word, tag)
        form, shape, suffix = row.form, row.shape, row.suffix
        atoms[Lf] = row.share
        tag = tag % x.n_tags
    atoms[Lw] = form
    atoms[Lp] = tag + 1
    if x.atomic:
        with_action(x, STATE, fold(fold(1 + SHIFT, word_key(form, shape, suffix)), tag + 1))
        instantiate(x, CANDIDATE)
        return finish(&x.sum)
    read_lookahead(x, state, word, Lcls)
    atoms[Lwp] = START if w.head == ROOT else form_atom(x, state, w.head)
    atoms[Lsf] = suffix
    atoms[Lsh] = shape
    instantiate(x, CANDIDATE)
    if x.set.bounds[FAMILY] < x.set.bounds[PAIR + 1]:
        family_features(x, state, word)
    if x.set.bounds[CHILD] < x.set.bounds[CHILD + 1]:
        for i in range(w.children_start, w.children_start + w.children_count):
            child = task.children[i]
            if has(state.buffer, child):
                atoms[Cw] = task.words[child].form
                atoms[Cp] = tag_atom(x, state, child)
                atoms[Cl] = task.words[child].label + 1
                atoms[Cz] = size_atom(task, child)
                instantiate(x, CHILD)
    return finish(&x.sum)


cdef class Templates(TemplateTable):
    """Templates over the atoms of states and candidates; with `atomic`, as in l15, SHIFT-word-tag
    is one action."""

    def __init__(self, templates, bint atomic):
        known = [list(ATOM_NAMES[:end]) for end in (Scls, Lw, Xw, Yw, Cw)]  # in each scope
        known.append([*ATOM_NAMES[:Xw], *ATOM_NAMES[Cw:]])
        TemplateTable.__init__(self, templates, ATOM_NAMES, dict(zip(SCOPE_NAMES, known)))
        self.atomic = atomic
        cdef int i, j
        for i in range(self.set.bounds[SCOPES]):
            for j in range(self.set.templates[i].n_atoms):
                self.n_state[i] += self.set.templates[i].atoms[j] < Lw
