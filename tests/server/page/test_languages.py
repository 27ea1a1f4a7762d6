"""What models of other languages bring: universal tags, features, arcs that cross, contractions.

The server's model has none of these, so its answers are made up here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from references.visit import Route, Visit, expect

Visiting = Callable[..., Visit]
MODEL = {
    "name": "xx",
    "language": "la",
    "language_name": "Latin (la)",
    "tag_column": "xpos",
    "tags": ["N", "V"],
    "labels": ["nsubj", "obl", "case"],
    "upos": ["NOUN", "VERB"],
    "features": ["Case=Abl"],
    "lifts": True,
}
FORMS, HEADS = ["magna", "cum", "laude", "vicit"], [3, 3, 4, 0]
LABELS = ["amod", "case", "obl", "root"]


def result(order: list[int], **more: Any) -> dict[str, Any]:
    """An answer: the words of the tree above in this order, counted from 1."""
    words: list[dict[str, Any]] = [
        {
            "form": FORMS[index - 1],
            "tag": "N",
            "head": order.index(HEADS[index - 1]) + 1 if HEADS[index - 1] else 0,
            "deprel": LABELS[index - 1],
            "source": index,
        }
        for index in order
    ]
    text = " ".join(word["form"] for word in words)
    return {"n_best": [{"text": text, "score": -1.0, "words": words, **more}]}


@pytest.fixture
def latin(visiting: Visiting) -> tuple[Visit, list[dict[str, Any]]]:
    """A page of a server with the model above, and the requests that it got."""
    visit = visiting(None)
    bodies: list[dict[str, Any]] = []

    def order(route: Route) -> None:
        body: Any = route.request.post_data_json
        bodies.append(body)
        projective = body["options"].get("projective")
        found = result([2, 1, 3, 4]) if projective else result([1, 4, 2, 3], projective=False)
        route.fulfill(json=found)

    models = {"default": "xx", "models": [MODEL]}
    visit.page.route("**/v1/models", lambda route: route.fulfill(json=models))
    visit.page.route("**/v1/order", order)
    visit.open("#words=magna+cum+laude+vicit&head=1:3:amod&head=2:3:case&head=3:4:obl&head=4:0")
    expect(visit.words).to_have_count(4)
    return visit, bodies


def test_arcs_that_cross_are_drawn_and_can_be_forbidden(
    latin: tuple[Visit, list[dict[str, Any]]],
) -> None:
    visit, bodies = latin
    visit.expect_sentence("magna vicit cum laude")
    expect(visit.page.locator("#about")).to_have_text("Model xx, Latin (la)")
    expect(visit.page.locator(".arc.given")).to_have_count(4)
    label = visit.page.locator(".arc-label", has_text="amod").bounding_box()
    root = visit.page.locator(".arc.root .arc-line").bounding_box()
    assert label is not None
    assert root is not None
    assert label["x"] > root["x"] or label["x"] + label["width"] < root["x"]  # not struck out
    assert "# projective = no" in visit.download("CoNLL-U")
    visit.page.get_by_label("No crossing arcs").check()
    visit.expect_sentence("cum magna laude vicit")
    assert "# projective" not in visit.download("CoNLL-U")
    assert visit.fragment["projective"] == ["yes"]
    expect(visit.page.locator("#code")).to_contain_text('"projective":true')
    visit.page.locator("input[value=library]").check()
    expect(visit.page.locator("#code")).to_contain_text("projective=True")
    visit.page.reload()
    expect(visit.page.get_by_label("No crossing arcs")).to_be_checked()
    assert [body["options"].get("projective") for body in bodies] == [None, True, True]


def test_universal_tags_and_features_are_set_in_the_panel(
    latin: tuple[Visit, list[dict[str, Any]]],
) -> None:
    visit, bodies = latin
    visit.word("laude").click()
    visit.control("UPOS").select_option("NOUN")
    visit.control("Features").fill("Case=Abl")
    visit.press("Enter", "Escape")
    visit.word("cum").click()
    visit.control("Features").fill("_")
    with visit.page.expect_response(lambda r: '"features":""' in (r.request.post_data or "")):
        visit.press("Enter", "Escape")
    for chip in ("laude is NOUN", "laude has Case=Abl", "cum has no features"):
        expect(visit.chips.filter(has_text=chip)).to_have_count(1)
    expect(visit.page.locator(".tree-tag.given")).to_have_text(["NOUN"])
    assert bodies[-1]["words"][2]["upos"] == "NOUN"
    assert bodies[-1]["words"][1]["features"] == ""
    visit.word("cum").click()
    expect(visit.control("Features")).to_have_value("_")
    visit.control("Features").fill("")
    visit.press("Enter", "Escape")
    expect(visit.chips.filter(has_text="cum has no features")).to_have_count(0)
    visit.remove_chip("laude is NOUN")
    expect(visit.page.locator(".tree-tag.given")).to_have_count(0)


def test_models_that_read_tags_only_are_not_asked_for_more(visit: Visit) -> None:
    visit.page.route(
        "**/v1/models",
        lambda route: route.fulfill(
            json={"default": "en", "models": [{"name": "en", "tags": ["NN"], "lifts": False}]}
        ),
    )
    visit.open("#words=dog+the+barked")
    visit.page.reload()
    expect(visit.page.locator("#about")).to_have_text("Model en")
    visit.word("dog").click()
    expect(visit.control("Tag")).to_be_visible()
    expect(visit.control("UPOS")).to_have_count(0)
    expect(visit.control("Features")).to_have_count(0)
    visit.press("Escape")
    expect(visit.page.get_by_label("No crossing arcs")).to_be_hidden()


def test_contractions_are_written_as_people_write_them(visiting: Visiting) -> None:
    visit = visiting(None)
    words = [
        {"form": form, "lemma": form, "tag": "N", "head": head, "deprel": "x", "source": index}
        | {"features": None, "space_after": index != 1}
        for index, (form, head) in enumerate([("de", 3), ("le", 3), ("pain", 0)], start=1)
    ]
    found = {"text": "du pain", "score": -1.0, "words": words}
    found["contractions"] = [{"first": 1, "last": 2, "text": "du"}]
    visit.page.route("**/v1/realize", lambda route: route.fulfill(json={"n_best": [found]}))
    visit.open("#lemmas=de+le+pain")
    visit.expect_sentence("du le pain")
    expect(visit.page.locator(".word.within")).to_have_text(["le"])
    expect(visit.page.locator("#orders .order-text").first).to_have_text("du pain")
    visit.word("le").click()
    expect(visit.page.locator("#panel")).to_contain_text("le")
    rows = [line.split("\t") for line in visit.download("CoNLL-U").splitlines()[2:] if line]
    assert [row[:2] for row in rows] == [["1-2", "du"], ["1", "de"], ["2", "le"], ["3", "pain"]]
    assert json.loads(visit.download("Problem as JSON")) == {"words": ["de", "le", "pain"]}
