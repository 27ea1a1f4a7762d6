"""Exercise mode: a teacher makes a link, a learner puts the words in order."""

from __future__ import annotations

from urllib.parse import unquote_plus, urlencode

import pytest
from playwright.sync_api import expect
from references.visit import Visit

NO_BREAK_SPACE = "\u00a0"


def exercise(*items: str, title: str = "") -> str:
    """The fragment of an exercise; its checksum is no order's."""
    return "#" + urlencode([("exercise", title), *(("item", f"none {item}") for item in items)])


def tiles(visit: Visit) -> list[str]:
    return visit.page.locator("#tiles .tile").all_text_contents()


def move(visit: Visit, word: str, place: int) -> None:
    """Bring a word to a place, by keyboard alone: the focus is in the line of words."""
    visit.press("Home", *["ArrowRight"] * tiles(visit).index(word))
    current = tiles(visit).index(word)
    steps = place - current
    visit.press("Space", *["ArrowRight" if steps > 0 else "ArrowLeft"] * abs(steps), "Space")
    assert tiles(visit)[place] == word


def arrange(visit: Visit, *words: str) -> None:
    for place, word in enumerate(words):
        move(visit, word, place)
    assert tiles(visit) == list(words)


def test_a_teacher_shares_an_exercise_and_a_learner_solves_it_by_keyboard(visit: Visit) -> None:
    visit.button("Exercise").click()
    visit.page.get_by_label("Title or instruction").fill("Letters")
    visit.page.get_by_label("Sentences, one per line").fill(
        "My sister didn't write me a long letter.\nShe walked home."
    )
    expect(visit.page.locator(".item")).to_have_count(2)
    expect(visit.page.locator(".item-words").nth(1)).to_contain_text("home")
    expect(visit.page.locator(".item-note").nth(1)).to_have_text("The model orders it the same way.")
    link = visit.page.locator("#exercise-link")
    expect(link).to_have_value(lambda_contains("item="))
    address = link.input_value()
    assert "sister didn" not in unquote_plus(address)

    visit.page.goto("about:blank")
    visit.page.goto(address)
    expect(visit.page.locator("#learner-title")).to_have_text("Letters")
    expect(visit.page.locator("#progress")).to_have_text("Sentence 1 of 2")
    expect(visit.page.locator("#end")).to_have_text(".")
    expect(visit.page.locator("#tiles [tabindex='0']")).to_be_focused()
    arrange(visit, "My", "sister", "didn't", "write", "me", "a", "long", "letter")
    visit.press("Tab")
    expect(visit.button("Check")).to_be_focused()
    visit.press("Enter")
    expect(visit.page.locator("#feedback")).to_have_text("Right.")
    expect(visit.button("Next sentence")).to_be_focused()
    visit.press("Enter")
    expect(visit.page.locator("#progress")).to_have_text("Sentence 2 of 2")
    arrange(visit, "She", "walked", "home")
    visit.press("Tab", "Enter")
    expect(visit.page.locator("#feedback")).to_have_text("Right.")
    expect(visit.button("Once more")).to_be_focused()


def lambda_contains(text: str) -> object:
    import re

    return re.compile(re.escape(text))
