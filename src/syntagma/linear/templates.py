"""Feature templates of the linear scorer, as data beside the tables of L15 and P16.

**To add a template** of known atoms, add it to its table below, or add a table and name it in
FEATURE_SETS, with its scope: what it is instantiated for (the scopes are explained in
`_search.pyx`). **To add an atom**, add its name to ATOM_NAMES in `_search.pyx` and compute it
there. Templates are part of a model: models must be trained again. The templates of best-first
search are in `best_first/templates.py`.

A template conjoins its atoms; templates are separated by semicolons. Atoms are written as in the
papers: S0w is the form of the top of the stack, S0lp the tag of its leftmost dependent, w-1 the
last word but one, L the word to be shifted. P16 Table 2 has sets of labels (l) and tags (p) of
given children (c) and siblings (s), shifted (s) or not (ns): Lcls, …; and for the given parent
whether it is shifted (Lps), the label of its arc (Llp), its tag (Lpp) and form (Lwp). Atoms that
are not in the papers are explained above the OURS tables.
"""

from typing import Literal

from syntagma.features._sparse import read_table
from syntagma.linear._search import Templates

FeatureSet = Literal["l15", "p16", "p16+"]

# L15 Table 2 = P16 Table 1. Conjoined with the action.
TABLE_1 = """
    S0w; S0p; S0lw; S0lp; S0rw; S0rp; S0l2w; S0l2p; S0r2w; S0r2p
    S1w; S1p; S1lw; S1lp; S1rw; S1rp; S1l2w; S1l2p; S1r2w; S1r2p

    S0w S0lw; S0w S0lp; S0p S0lw; S0p S0lp
    S0w S0rw; S0w S0rp; S0p S0rw; S0p S0rp
    S1w S1lw; S1w S1lp; S1p S1lw; S1p S1lp
    S1w S1rw; S1w S1rp; S1p S1rw; S1p S1rp
    S0w S1w; S0w S1p; S0p S1w; S0p S1p

    S0w S0p S0lw; S0w S0lw S0lp; S0w S0p S0lp; S0p S0lw S0lp
    S0w S0p S0rw; S0w S0lw S0rp; S0w S0p S0rp; S0p S0rw S0rp
    S1w S1p S1lw; S1w S1lw S1lp; S1w S1p S1lp; S1p S1lw S1lp
    S1w S1p S1rw; S1w S1lw S1rp; S1w S1p S1rp; S1p S1rw S1rp

    w0; p0; w-1 w0; p-1 p0; w-2 w-1 w0; p-2 p-1 p0
    S0lw S0l2w; S0lp S0l2p; S0r2w S0rw; S0r2p S0rp
    S1lw S1l2w; S1lp S1l2p; S1r2w S1rw; S1r2p S1rp
"""

# P16 §3.2: form and tag of the word to be shifted are atoms, not part of the action.
SECTION_3_2 = """
    Lw; Lp; Lw Lp
    S0w Lw; S0w Lp; S0p Lw; S0p Lp; S0w Lw Lp
    S1w Lw; S1w Lp; S1p Lw; S1p Lp
    S0p S1p Lp; S0p S1p Lw; S0w S1p Lp; S0p S1w Lp
    S0p S0lp Lp; S0p S0rp Lp; S0p S0rp Lw; S0w S0rp Lp; S0p S0rp S0r2p Lp
    w0 Lw; w0 Lp; p0 Lw; p0 Lp
    w-1 w0 Lw; w-1 w0 Lp; p-1 p0 Lp; p-1 p0 Lw; p-1 w0 Lp
    w-2 w-1 w0 Lw; p-2 p-1 p0 Lp
"""

# P16 Table 2, the parts about L.
TABLE_2_L = "".join(
    f"{atom}; S0w {atom}; S0p {atom}; S1w {atom}; S1p {atom}\n"
    for atom in (
        *("Lcls", "Lclns", "Lcps", "Lcpns", "Lsls", "Lslns", "Lsps", "Lspns"),
        *("Lps Llp", "Lps Lpp", "Lps Lwp"),
    )
)

# P16 Table 2, the parts about S0. Instantiated only for SHIFT.
TABLE_2_S0 = "".join(
    f"{atom}; S0w {atom}; S0p {atom}; S1w {atom}; S1p {atom}\n"
    for atom in (
        *("Scls", "Sclns", "Scps", "Scpns", "Ssls", "Sslns", "Ssps", "Sspns"),
        *("Sps Slp", "Sps Spp"),
    )
)

# Ours. S0d: given label of S0; S0v: its numbers of left and right dependents; rest: number of words
# not yet shifted; given: how many arcs and labels are given; Lsf, Lsh: suffix and shape of L.
OURS_L = """
    Lsf; Lsh; Lsh Lp; p0 Lsh; p0 Lsf; w0 Lsh; S0p Lsf; w0 Lsf; p-1 p0 Lsf; p-1 p0 Lsh
    rest Lw; rest Lp; rest p0 Lp; rest S0p Lp; rest w0 Lw; rest Lsh
    given Lp; given Lw; given p0 Lp; given w0 Lw; given S0p Lp
    S0p S0v Lp; S0d Lp; S0d Llp; S0p Llp; p0 Lp Llp; w0 Llp; p0 Llp Lps; Lw Llp Lps
"""

# Ours. A family is a head and its given dependents. A SHIFT decides for one or more words X that
# they come next in their families: for L itself, and for each word above it whose family has no
# placed member yet. Xl, Xp, Xw: label, tag, form; Xs: before or after its head; Xhp, Xhw: tag and
# form of the head; Xvl, Xvp: label and tag of the member placed last; Xn: number of unplaced
# siblings; Xz: size of the subtree.
OURS_FAMILY = """
    Xs Xl; Xs Xp; Xs Xw; Xs Xl Xhp; Xs Xp Xhp; Xs Xl Xp Xhp; Xs Xl Xhw; Xs Xp Xhw; Xs Xw Xhp
    Xs Xw Xl; Xs Xw Xhw; Xs Xl Xvl; Xs Xp Xvp; Xs Xl Xvl Xhp; Xs Xp Xvp Xhp; Xs Xw Xvl; Xs Xw Xvp
    Xs Xl Xvl Xz; Xs Xl Xn; Xs Xp Xn; Xs Xl Xn Xvl; Xs Xl Xz; Xs Xp Xz; Xs Xl Xz Xhp; Xs Xp Xhp Xn
    Xs Xl p0; Xs Xp p0; Xs Xl w0; Xs Xl Xhp p0; Xs Xp Xhp p0
"""
# Ours. Each unplaced sibling Y of such an X will come after X.
OURS_PAIR = """
    Xs Xl Yl; Xs Xp Yp; Xs Xl Yl Xhp; Xs Xp Yp Xhp; Xs Xl Yl Xz Yz; Xs Xp Yp Xz Yz; Xs Xw Yl
    Xs Xl Yw; Xs Xw Yp; Xs Xp Yw; Xs Xw Yw; Xs Xl Yl Xp Yp; Xs Xl Yl Xhw; Xs Xp Yp Xvp; Xs Xl Yl Xvl
"""
# Ours. Each given dependent C of L that is not yet placed will stand on the right of L.
OURS_CHILD = """
    Lp Cl; Lp Cp; Lw Cl; Lw Cp; Lp Cw; Lp Cl Cp; Lw Cw; Lp Cl Cz; Lp Cp Cz; Lp Cl Cw; Llp Cl Lp
    Cl; Cp
"""

# For models that choose forms (ZC15 §5.7): the share of a form among those of its word.
FORMS = "Lf; Lf Lp; Lf Lw"

PAPER_SHIFT = (
    ("state", TABLE_1),
    ("before shift", TABLE_2_S0),
    ("candidate", SECTION_3_2),
    ("candidate", TABLE_2_L),
)
FEATURE_SETS: dict[str, tuple[tuple[str, str], ...]] = {  # tables with their scopes
    "l15": (("state", TABLE_1),),
    "p16": PAPER_SHIFT,
    "p16+": (
        *PAPER_SHIFT,
        ("candidate", OURS_L),
        ("family", OURS_FAMILY),
        ("pair", OURS_PAIR),
        ("child", OURS_CHILD),
    ),
}


def templates(name: str, *, forms: bool = False) -> Templates:
    """The checked templates of a feature set; with `forms`, those for the choice of forms, too. In
    `l15`, SHIFT-word-tag is one atomic action."""
    tables = (*FEATURE_SETS[name], ("candidate", FORMS)) if forms else FEATURE_SETS[name]
    rows = [row for scope, table in tables for row in read_table(scope, table)]
    return Templates(rows, name == "l15")
