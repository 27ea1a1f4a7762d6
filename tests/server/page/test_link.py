"""The address reproduces the page, Back undoes, and the request can be taken elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
from references.visit import Visit, expect

MINUS = "\N{MINUS SIGN}"
STATE = (
    "#words=yesterday+sister+long+my+a+letter+me+wrote+.&first=1&before=6-7&tag=6:NN&head=2:8:nsubj"
)


def test_the_address_follows_what_the_user_does(visit: Visit) -> None:
    visit.type("barked dog the")
    visit.expect_sentence("the dog barked")
    visit.word("barked").click()
    visit.button("First").click()
    visit.expect_chips("barked first")
    assert visit.fragment == {"words": ["barked dog the"], "first": ["1"]}


def test_an_address_reproduces_the_page(visit: Visit) -> None:
    visit.open(STATE)
    expect(visit.words.first).to_have_text("yesterday")
    chips = visit.chips.all_text_contents()
    assert chips == ["yesterday first", "letter before me", "sister nsubj of wrote", "letter is NN"]
    visit.page.get_by_label("Show").select_option("3")
    visit.page.locator("#orders button").nth(1).click()
    sentence, address = visit.sentence, visit.page.url
    visit.page.goto("about:blank")
    visit.page.goto(address)
    expect(visit.page.locator("#orders button").nth(1)).to_have_attribute("aria-pressed", "true")
    assert visit.sentence == sentence
    assert visit.chips.all_text_contents() == chips


def test_back_undoes_and_forward_does_it_again(visit: Visit) -> None:
    visit.open("#words=dog+the+barked")
    visit.expect_sentence("the dog barked")
    visit.word("barked").click()
    visit.button("First").click()
    expect(visit.words.first).to_have_text("barked")
    visit.page.go_back()
    visit.expect_sentence("the dog barked")
    visit.expect_chips()
    visit.page.go_forward()
    visit.expect_chips("barked first")
    expect(visit.words.first).to_have_text("barked")


def test_a_broken_address_still_opens_the_page(visit: Visit) -> None:
    visit.open("#words=dog+the+barked&first=99&head=1:1&tag=%ff&before=x")
    visit.expect_sentence("the dog barked")
    visit.expect_chips()


@pytest.mark.parametrize(
    "fragment", [STATE, '#lemmas=it+\'s+"New\u00a0York"+\\&tag=1:PRP&diverse=yes']
)
def test_the_same_request_as_code(fragment: str, visit: Visit) -> None:
    """Every snippet, run as it is, prints the orders that the page shows."""
    visit.open(fragment)
    expect(visit.page.locator("#orders li")).not_to_have_count(0)
    with visit.page.expect_response(lambda response: "/v1/" in response.url):
        visit.page.get_by_label("Show").select_option("3")
    expect(visit.page.locator("#orders li")).to_have_count(3)
    best = visit.page.evaluate("document.querySelector('.order-score').lastChild.textContent")

    def code(language: str) -> str:
        visit.page.get_by_label(language, exact=True).check()
        return visit.page.locator("#code").inner_text()

    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    for program in (code("Python, HTTP"), code("Python, library")):
        ran = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        first = float(ran.stdout.split()[0])
        assert f"{first:.2f}" == best.replace(MINUS, "-")
        assert len(ran.stdout.splitlines()) == 3
    if shutil.which("curl"):
        ran = subprocess.run(["sh", "-c", code("curl")], capture_output=True, text=True, check=True)
        results = json.loads(ran.stdout)["n_best"]
        assert f"{results[0]['score']:.2f}" == best.replace(MINUS, "-")


def test_code_and_link_are_copied(visiting: object) -> None:
    visit: Visit = visiting(permissions=["clipboard-read", "clipboard-write"])  # type: ignore[operator]
    visit.expect_sentence("my sister wrote me a long letter yesterday .")
    read = "navigator.clipboard.readText()"
    visit.page.locator("#copy-code").click()
    expect(visit.page.locator("#copy-code")).to_have_text("Copied")
    assert visit.page.evaluate(read).startswith("curl -s http://")
    visit.page.locator("#copy-link").click()
    expect(visit.page.locator("#copy-link")).to_have_text("Copied")
    assert visit.page.evaluate(read) == visit.page.url
    expect(visit.page.locator("#copy-link")).to_have_text("Copy link")
