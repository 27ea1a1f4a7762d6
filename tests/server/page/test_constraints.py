"""Steering: each kind of constraint is set, holds, shows as a chip, and is removed again."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from references.visit import Visit, expect

FREE = "my sister wrote me a long letter yesterday ."

Step = Callable[[Visit], object]


def choose(word: str, label: str, option: str) -> Step:
    """Open the panel of a word and choose an option."""

    def step(visit: Visit) -> None:
        visit.word(word).click()
        control = visit.control(label)
        control.select_option(label=option)
        visit.press("Escape")

    return step


def add(word: str, label: str, option: str) -> Step:
    """Open the panel of a word, choose another word, and press the button beside the choice."""

    def step(visit: Visit) -> None:
        visit.word(word).click()
        visit.add(label, option)
        visit.press("Escape")

    return step


def toggle(word: str, name: str) -> Step:
    def step(visit: Visit) -> None:
        visit.word(word).click()
        visit.page.locator("#panel").get_by_role("button", name=name, exact=True).click()
        visit.press("Escape")

    return step


def drag_word(word: str, other: str, side: float) -> Step:
    return lambda visit: visit.drag(visit.word(word), visit.word(other), side)


def draw_arc(head: str, dependent: str, label: str) -> Step:
    def step(visit: Visit) -> None:
        visit.drag(visit.tree_word(head), visit.tree_word(dependent))
        expect(visit.control("Label")).to_be_focused()
        visit.control("Label").select_option(label)
        visit.press("Escape")

    return step


def keys(word: str, *pressed: str) -> Step:
    def step(visit: Visit) -> None:
        visit.word(word).focus()
        visit.press(*pressed)

    return step


def before(first: str, second: str) -> Callable[[list[str]], bool]:
    return lambda words: words.index(first) < words.index(second)


KINDS: dict[str, tuple[Step, str, Callable[[list[str]], bool]]] = {
    "first": (
        toggle("yesterday", "First"),
        "yesterday first",
        lambda words: words[0] == "yesterday",
    ),
    "last": (toggle("letter", "Last"), "letter last", lambda words: words[-1] == "letter"),
    "before, by panel": (
        add("letter", "Before", "me"),
        "letter before me",
        before("letter", "me"),
    ),
    "before, by dragging to the left of a word": (
        drag_word("letter", "wrote", 0.2),
        "letter before wrote",
        before("letter", "wrote"),
    ),
    "before, by dragging to the right of a word": (
        drag_word("sister", "wrote", 0.8),
        "wrote before sister",
        before("wrote", "sister"),
    ),
    "before, by keyboard": (
        keys("yesterday", "Shift+ArrowLeft"),
        "yesterday before letter",
        before("yesterday", "letter"),
    ),
    "tag": (choose("long", "Tag", "RB \N{EN DASH} adverb"), "long is RB", lambda words: True),
    "head": (
        choose("yesterday", "Head", "letter"),
        "yesterday depends on letter",
        lambda words: True,
    ),
    "root": (
        choose("letter", "Head", "the root of the sentence"),
        "letter is the root",
        lambda words: True,
    ),
    "label": (
        choose("sister", "Label", "obj \N{EN DASH} object"),
        "sister obj of wrote",
        lambda words: True,
    ),
    "arc, by dragging": (
        draw_arc("wrote", "sister", "obj"),
        "sister obj of wrote",
        lambda words: True,
    ),
    "together": (
        add("long", "Together with", "long sister"),
        "long sister together",
        lambda words: "long sister" in words,
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_constraint_is_set_holds_and_is_removed(kind: str, visit: Visit) -> None:
    step, chip, holds = KINDS[kind]
    visit.expect_sentence(FREE)
    step(visit)
    visit.expect_chips(chip)
    expect(visit.page.locator(".word.fixed")).to_have_count(1)
    assert holds(visit.sentence), visit.sentence
    visit.remove_chip(chip)
    visit.expect_chips()
    visit.expect_sentence(FREE)
    expect(visit.page.locator(".word.fixed")).to_have_count(0)


def test_given_arcs_and_tags_stand_out_in_the_tree(visit: Visit) -> None:
    visit.expect_sentence(FREE)
    draw_arc("wrote", "sister", "obj")(visit)
    expect(visit.page.locator(".arc.given .arc-label")).to_have_text(["obj"])
    choose("long", "Tag", "RB \N{EN DASH} adverb")(visit)
    expect(visit.page.locator(".tree-tag.given")).to_have_text(["RB"])


def test_the_newest_constraint_replaces_its_opposite(visit: Visit) -> None:
    visit.expect_sentence(FREE)
    toggle("yesterday", "First")(visit)
    visit.expect_chips("yesterday first")
    toggle("yesterday", "Last")(visit)
    visit.expect_chips("yesterday last")


def test_constraints_are_cleared_together(visit: Visit) -> None:
    visit.open("#words=dog+the+barked&first=2&tag=1:NN&before=2-1")
    visit.expect_chips("the first", "the before dog", "dog is NN")
    visit.button("Clear all").click()
    visit.expect_chips()
    expect(visit.page.locator("#text")).to_be_focused()


def test_the_focus_stays_near_a_chip_that_was_removed(visit: Visit) -> None:
    visit.open("#words=dog+the+barked&first=2&tag=1:NN")
    visit.remove_chip("the first")
    expect(visit.button("Remove: dog is NN")).to_be_focused()
    visit.press("Enter")
    expect(visit.page.locator("#text")).to_be_focused()


def test_constraints_survive_an_edit_of_other_words(visit: Visit) -> None:
    visit.open("#words=dog+the+barked&first=2&before=1-3")
    visit.type("dog the old barked")
    expect(visit.words).to_have_count(4)
    visit.expect_chips("the first", "dog before barked")
    visit.type("dog the old")
    visit.expect_chips("the first")


def test_a_word_is_removed_in_its_panel(visit: Visit) -> None:
    visit.expect_sentence(FREE)
    visit.word("long").click()
    visit.button("Remove the word").click()
    visit.expect_sentence("my sister wrote me a letter yesterday .")
    expect(visit.page.locator("#panel")).to_be_hidden()


def test_a_drag_that_ends_nowhere_changes_nothing(visit: Visit) -> None:
    visit.expect_sentence(FREE)
    visit.drag(visit.word("letter"), visit.page.locator("#help"))
    visit.drag(visit.tree_word("letter"), visit.page.locator("#help"))
    visit.expect_chips()
    expect(visit.page.locator("#panel")).to_be_hidden()


def test_everything_by_keyboard(visit: Visit) -> None:
    """From the text box to a pinned word without a mouse; the focus comes back to the word."""
    visit.expect_sentence(FREE)
    visit.page.locator("#text").focus()
    visit.press("Tab")
    expect(visit.word("my")).to_be_focused()
    visit.press("End", "ArrowLeft")
    expect(visit.word("yesterday")).to_be_focused()
    visit.press("Enter")
    expect(visit.button("First")).to_be_focused()
    visit.press("Space")
    visit.expect_chips("yesterday first")
    expect(visit.words.first).to_have_text("yesterday")
    expect(visit.button("First")).to_have_attribute("aria-pressed", "true")
    visit.press("Escape")
    expect(visit.word("yesterday")).to_be_focused()


def test_what_is_being_chosen_survives_an_answer(visit: Visit) -> None:
    visit.expect_sentence(FREE)
    visit.word("letter").click()
    visit.control("Before").select_option(label="me")
    visit.control("Before").focus()
    visit.page.locator("#diverse").evaluate("box => box.click()")  # asks again behind the panel
    expect(visit.page.locator("#diverse")).to_be_checked()
    visit.page.wait_for_timeout(500)
    visit.press("Tab", "Enter")
    visit.expect_chips("letter before me")


def test_one_word_is_in_the_tab_order(visit: Visit) -> None:
    visit.expect_sentence(FREE)
    assert visit.page.locator('#sentence button[tabindex="0"]').count() == 1
    visit.word("wrote").focus()
    assert visit.page.locator('#sentence button[tabindex="0"]').text_content() == "wrote"
