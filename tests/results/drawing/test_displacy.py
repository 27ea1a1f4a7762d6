"""Trees for displaCy, drawn by the real one."""

from __future__ import annotations

import pytest
from toys.pictures import linearization, tree

from syntagma.results.realization import NBest, Realization
from syntagma.results.spelling import Spelling

BARK = tree("the DT 2 det\ndog NN 3 nsubj\nbarks VBZ 0 root\nnow RB 3 advmod")
DRAWN = {
    "words": [
        {"text": "the", "tag": "DT"},
        {"text": "dog", "tag": "NN"},
        {"text": "barks", "tag": "VBZ"},
        {"text": "now", "tag": "RB"},
    ],
    "arcs": [
        {"start": 0, "end": 1, "label": "det", "dir": "left"},
        {"start": 1, "end": 2, "label": "nsubj", "dir": "left"},
        {"start": 2, "end": 3, "label": "advmod", "dir": "right"},
    ],
}


def test_a_tree() -> None:
    assert BARK.to_displacy() == DRAWN
    assert Realization(BARK, Spelling((True, True, True, False))).to_displacy() == DRAWN
    assert NBest([BARK, BARK]).to_displacy() == [DRAWN, DRAWN]


def test_from_right_to_left() -> None:
    assert linearization(["אב"], [0]).to_displacy()["settings"] == {"direction": "rtl"}


@pytest.mark.slow
def test_displacy_draws_it() -> None:
    displacy = pytest.importorskip("spacy.displacy", reason="no spaCy: pip install spacy")
    svg = displacy.render(BARK.to_displacy(), style="dep", manual=True, jupyter=False)
    assert svg.count('class="displacy-arc"') == 3
    assert [svg.index(f">{word}<") for word in BARK.words] == sorted(
        svg.index(f">{word}<") for word in BARK.words
    )
    both = NBest([linearization(["אב", "<b>"], [0, 1]), BARK]).to_displacy()
    svg = displacy.render(both, style="dep", manual=True, jupyter=False)
    assert svg.count("<svg") == 2
    assert 'direction: rtl"' in svg
    assert "<b>" not in svg


@pytest.mark.slow
def test_as_spacy_itself_would_write_it() -> None:
    spacy = pytest.importorskip("spacy", reason="no spaCy: pip install spacy")
    doc = spacy.tokens.Doc(
        spacy.blank("xx").vocab,
        words=list(BARK.words),
        tags=list(BARK.tags),
        pos=["DET", "NOUN", "VERB", "ADV"],
        heads=[head - 1 if head else number for number, head in enumerate(BARK.heads)],
        deps=list(BARK.deprels),
    )
    expected = spacy.displacy.parse_deps(doc, {"fine_grained": True})
    found = BARK.to_displacy()
    assert found["arcs"] == expected["arcs"]
    assert [(word["text"], word["tag"]) for word in found["words"]] == [
        (word["text"], word["tag"]) for word in expected["words"]
    ]
