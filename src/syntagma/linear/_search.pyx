"""Beam search with a linear scorer (P16): the score of an action is the sum of the weights of its
features. The search itself is the one of `transition/_search`.

Atoms of states and actions are hashed by templates, which are data, in `templates.py`. An atom that
is absent is 0; templates that name it are then skipped. The scope of a template says what it is
instantiated for:

    state           every action in a state
    before shift    every SHIFT in a state
    candidate       the word to be shifted (L)
    family          each word X that the SHIFT makes the next one of its family
    pair            each such X with each of its unplaced siblings Y
    child           each given dependent C of L that will stand on the right of L
"""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from syntagma.features._sparse cimport (
    Template, TemplateTable, Weights, add_key, add_member, finish, fold, make_room, set_atom,
    toggle_single, word_key,
)
from syntagma.transition._legality cimport legal_leftarc, legal_rightarc, legal_shifts
from syntagma.transition._search cimport Search
from syntagma.transition._state cimport (
    LEFTARC, NONE, RIGHTARC, ROOT, SHIFT, Action, Finished, L, Node, R, S, SearchTask, State, Task,
    Word, has, lowest_bit,
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


cdef class LinearParameters:
    """What a linear scorer consists of: templates, weights, the labels to try for an arc, and the
    order of arcs that the weights were learned for.

    `label_index[kind - 1, head tag, dependent tag]` is (start, count) in `label_pool`. With
    `every_label`, each label to try is an action of its own; otherwise only the best one is, so
    that alternative labels do not crowd the beam. Models without `wide_sets` take sets of labels
    and of tags modulo 64, as they were trained.
    """

    def __init__(
        self, Templates templates, Weights weights, label_index, label_pool, bint lazy=False,
        bint every_label=False, bint wide_sets=True,
    ):
        cdef int32_t[:, :, :, ::1] index = label_index
        cdef int32_t[::1] pool = label_pool
        self.templates = templates
        self.weights = weights
        self.table = &weights.table
        self.n_tags = index.shape[1]
        self.label_index = &index[0, 0, 0, 0]
        self.label_pool = &pool[0]
        self.lazy = lazy
        self.every_label = every_label
        self.wide_sets = wide_sets
        self._arrays = (label_index, label_pool)


cdef enum:
    MAX_READINGS = 1 << 15      # numbers of readings fit into the tags of a state

READINGS_LIMIT = MAX_READINGS   # for Python


cdef class LinearSearch(Search):
    """A beam search whose actions are scored with `LinearParameters`.

    `forms` are the forms that the words may take, if SHIFT is to choose among them by the features
    of each: those of `transition.encoding.form_arrays`. SHIFT then chooses a reading: a form with a
    tag (see `Extractor`).
    """

    def __cinit__(
        self, SearchTask problem, int width, LinearParameters scorer, *_, forms=None, **__
    ):
        self.scorer = scorer
        self.extractor = <Extractor*>calloc(1, sizeof(Extractor))
        if not self.extractor:
            raise MemoryError()
        if scorer.lazy:
            self.lazy_task = self.task[0]
            self.lazy_task.lazy = True
            self.task = &self.lazy_task
        self.extractor.task = self.task
        self.extractor.set = &scorer.templates.set
        self.extractor.n_state = scorer.templates.n_state
        self.extractor.atomic = scorer.templates.atomic
        self.extractor.sum.table = scorer.table
        prepare_sets(self.extractor, scorer.n_tags, scorer.wide_sets)
        self.labels_are_actions = scorer.every_label
        if forms is not None:
            self.use_forms(forms)

    cdef use_forms(self, forms):
        cdef FormRow row
        self.form_starts, rows, self.form_tags = forms
        for form, shape, suffix, kind, share, start, count in rows:
            row = FormRow(form, shape, suffix, kind, share, start, count)
            self.form_rows.push_back(row)
            self.form_names.push_back(kind)
        self.extractor.first_forms = self.form_starts.data()
        self.extractor.form_rows = self.form_rows.data()
        self.extractor.n_tags = self.scorer.n_tags
        self.first_forms = self.form_starts.data()
        self.names = self.form_names.data()

    def __dealloc__(self):
        if self.extractor:
            free(self.extractor.sets)
        free(self.extractor)

    cdef const int32_t* proposals(self, State* state, int kind) noexcept nogil:
        """Start and number, in the pool, of the labels to try; NULL if the label is given."""
        cdef int s0 = S(state, 0), s1 = S(state, 1)
        cdef int dependent = s1 if kind == LEFTARC else s0
        cdef int head = s0 if kind == LEFTARC else s1
        cdef int tags = self.scorer.n_tags
        if self.task.words[dependent].label != NONE:
            return NULL
        return self.scorer.label_index + 2 * (
            ((kind - 1) * tags + tag_of(self.extractor, state, head)) * tags
            + tag_of(self.extractor, state, dependent)
        )

    cdef double best_arc(self, State* state, int kind, int32_t* label) noexcept nogil:
        """The score of the arc with its given label, or else with the best of the labels to try."""
        cdef const int32_t* proposals = self.proposals(state, kind)
        cdef int i
        cdef double score, best = 0.0
        if proposals == NULL:
            label[0] = self.task.words[S(state, kind == LEFTARC)].label
            return score_arc(self.extractor, state, kind, label[0])
        label[0] = NONE
        for i in range(proposals[0], proposals[0] + proposals[1]):
            score = score_arc(self.extractor, state, kind, self.scorer.label_pool[i])
            if label[0] == NONE or score > best:
                label[0] = self.scorer.label_pool[i]
                best = score
        return best

    cdef int expand(self, State* state, int parent) except -1 nogil:
        """Add a candidate for every legal action in the state."""
        cdef int i, j, word
        cdef const int32_t* proposals
        cdef uint64_t rest
        cdef const Word* w
        cdef Action action
        cdef double base = 0.0
        cdef bint based = False
        read_state(self.extractor, state)
        legal_shifts(self.task, state, self.shifts)
        for i in range(self.task.blocks):
            rest = self.shifts[i]
            while rest:
                word = i * 64 + lowest_bit(rest)
                rest &= rest - 1
                if not based:
                    base = shift_base(self.extractor)
                    based = True
                if not self.form_rows.empty():
                    self.add_readings(state, parent, word, base)
                    continue
                w = &self.task.words[word]
                for j in range(w.tags_start, w.tags_start + w.tags_count):
                    action = Action(SHIFT, word, self.task.tag_pool[j], NONE)
                    self.add(state, parent, action,
                             base + score_shift(self.extractor, state, word, action.tag))
        for i in range(LEFTARC, RIGHTARC + 1):
            if (legal_leftarc if i == LEFTARC else legal_rightarc)(self.task, state):
                action = Action(i, NONE, NONE, NONE)
                proposals = self.proposals(state, i) if self.labels_are_actions else NULL
                if proposals != NULL:
                    for j in range(proposals[0], proposals[0] + proposals[1]):
                        action.label = self.scorer.label_pool[j]
                        self.add(state, parent, action,
                                 score_arc(self.extractor, state, i, action.label))
                    continue
                base = self.best_arc(state, i, &action.label)
                self.add(state, parent, action, base)
        return 0

    cdef int add_readings(self, State* state, int parent, int word, double base) except -1 nogil:
        """Add a candidate for every form of the word with every tag of it."""
        cdef int form, i, reading
        cdef const FormRow* row
        cdef Action action
        for form in range(self.form_starts[word], self.form_starts[word + 1]):
            row = &self.form_rows[form]
            for i in range(row.tags_start, row.tags_start + row.tags_count):
                reading = (form - self.form_starts[word]) * self.scorer.n_tags + self.form_tags[i]
                if reading >= MAX_READINGS:
                    continue
                action = Action(SHIFT, word, reading, NONE)
                self.add_in_form(
                    state, parent, action,
                    base + score_shift(self.extractor, state, word, reading), form,
                )
        return 0

    cdef found_tree(self, const Finished* finished):
        found = Search.found_tree(self, finished)
        if self.form_rows.empty():
            return found
        return found._replace(tags=[tag % self.scorer.n_tags for tag in found.tags])
