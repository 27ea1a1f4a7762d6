"""How the page looks and reads: themes, small screens, accessibility, and the picture of it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest
from references.visit import Visit, expect

Visiting = Callable[..., Visit]

STEERED = (
    "#words=yesterday+sister+long+my+a+letter+me+wrote+.&first=1&before=2-8&tag=6:NN&head=2:8:nsubj"
)
EXERCISE = "#" + urlencode([("exercise", "Letters"), ("item", "none letter wrote she a .")])
VIEWS = {
    "words": (STEERED, '.word.fixed:text-is("yesterday")'),
    "lemmas": ("#lemmas=the+dog+bark&features=2:Number=Plur", '.word.fixed:text-is("dogs")'),
    "an error": ("#words=a+b+c&before=1-2&before=2-3&before=3-1", ".chip.wrong"),
    "nothing": ("#words=", "#nothing"),
    "teacher": ("#mode=exercise&sentences=She+walked+home.%0AOnce.", ".item.wrong"),
    "learner": (EXERCISE, ".tile"),
}
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def background(visit: Visit) -> str:
    return str(visit.page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))


def test_dark_and_light_follow_the_system_until_the_switch_is_used(visiting: Visiting) -> None:
    light, dark = visiting(color_scheme="light"), visiting(color_scheme="dark")
    expect(dark.page.locator("html")).to_have_attribute("data-theme", "dark")
    assert background(light) != background(dark)
    dark.button("Switch to light colours").click()
    assert background(dark) == background(light)
    dark.page.reload()
    expect(dark.button("Switch to dark colours")).to_be_visible()
    assert background(dark) == background(light)


def test_the_theme_changes_with_the_system(visiting: Visiting) -> None:
    visit = visiting(color_scheme="light")
    expect(visit.button("Switch to dark colours")).to_be_visible()
    visit.page.emulate_media(color_scheme="dark")
    expect(visit.page.locator("html")).to_have_attribute("data-theme", "dark")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_violation(theme: str, axe: str, visiting: Visiting) -> None:
    """In no view, nor in the panel of a word."""
    visit = visiting(color_scheme=theme)
    visit.page.evaluate(axe)
    for view, (fragment, sign) in VIEWS.items():
        visit.open(fragment)
        expect(visit.page.locator(sign).first).to_be_visible()
        assert violations(visit) == [], view
    visit.page.set_viewport_size({"width": 360, "height": 740})
    visit.open(STEERED)
    expect(visit.page.locator(".chip")).to_have_count(4)
    assert violations(visit) == [], "phone"
    visit.word("letter").click()
    expect(visit.page.locator("#panel")).to_be_visible()
    assert violations(visit) == [], "panel"


def violations(visit: Visit) -> list[str]:
    found = visit.page.evaluate("axe.run()")["violations"]
    return [
        f"{each['id']}: {each['help']}: {node['html']} {node['failureSummary']}"
        for each in found
        for node in each["nodes"]
    ]


@pytest.mark.parametrize("view", VIEWS)
def test_a_phone_shows_everything_without_scrolling_sideways(view: str, visiting: Visiting) -> None:
    fragment, sign = VIEWS[view]
    visit = visiting(fragment, **PHONE)
    expect(visit.page.locator(sign).first).to_be_visible()
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_word_is_pinned_on_a_phone(visiting: Visiting) -> None:
    visit = visiting("#words=dog+the+barked", **PHONE)
    visit.expect_sentence("the dog barked")
    visit.word("barked").tap()
    panel = visit.page.locator("#panel")
    expect(panel).to_be_visible()
    box = panel.bounding_box()
    assert box is not None
    assert (box["x"], box["width"]) == (0, 360)
    word = visit.word("barked").bounding_box()
    assert word is not None
    assert word["y"] + word["height"] <= box["y"], "the panel covers its word"
    visit.button("First").tap()
    visit.expect_chips("barked first")


def test_targets_for_fingers_are_large_enough(visiting: Visiting) -> None:
    """24 pixels or more, as WCAG 2.2 asks (2.5.8)."""
    visit = visiting(STEERED, **PHONE)
    expect(visit.page.locator(".chip")).to_have_count(4)
    sizes = visit.page.locator("button:visible, select:visible, a:visible").evaluate_all(
        """items => items.filter(item => !item.matches('.skip')).map(item => {
            const { width, height } = item.getBoundingClientRect();
            return [item.textContent.trim() || item.id, width, height];
        })"""
    )
    assert [each for each in sizes if each[2] < 24] == []


def test_motion_is_left_out_where_it_is_not_wanted(visiting: Visiting) -> None:
    moving, still = visiting(reduced_motion="no-preference"), visiting(reduced_motion="reduce")
    for visit, moves in ((moving, True), (still, False)):
        visit.expect_sentence("my sister wrote me a long letter yesterday .")
        visit.page.evaluate(
            """() => {
                window.animated = 0;
                const animate = Element.prototype.animate;
                Element.prototype.animate = function (...given) {
                    window.animated++;
                    return animate.apply(this, given);
                };
            }"""
        )
        visit.page.locator("#orders button").nth(2).click()
        expect(visit.page.locator("#orders button").nth(2)).to_have_attribute(
            "aria-pressed", "true"
        )
        assert (visit.page.evaluate("window.animated") > 0) == moves


def test_the_picture_for_the_readme(visiting: Visiting, tmp_path: Path) -> None:
    """`make screenshot` sets SCREENSHOT, which is where the picture goes."""
    visit = visiting(STEERED, viewport={"width": 1200, "height": 1000}, device_scale_factor=2)
    expect(visit.page.locator(".arc.given")).to_have_count(1)
    picture = tmp_path / "page.png"
    visit.page.screenshot(path=picture)
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    with image.open(picture) as original:
        assert original.size == (2400, 2000)
        # Few colours and much paper: a palette loses nothing that can be seen.
        original.convert("RGB").quantize(64, dither=image.Dither.NONE).save(picture, optimize=True)
    assert picture.stat().st_size < 200_000
    if "SCREENSHOT" in os.environ:
        shutil.copyfile(picture, os.environ["SCREENSHOT"])
