"""What goes wrong is said where it happens, and nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from references.visit import Route, Visit, expect

SENTENCE = "my sister wrote me a long letter yesterday ."
Visiting = Callable[..., Visit]


def answer(status: int, body: object, headers: dict[str, str] | None = None) -> dict[str, Any]:
    return {
        "status": status,
        "content_type": "application/json",
        "body": json.dumps(body),
        "headers": headers or {},
    }


def test_a_contradiction_is_said_at_the_constraint_that_caused_it(visit: Visit) -> None:
    visit.open("#words=dog+the+barked&before=1-2&before=2-3")
    expect(visit.words).to_have_count(3)
    visit.word("barked").click()
    visit.add("Before", "dog")
    visit.press("Escape")
    expect(visit.page.locator(".chip.wrong .chip-text")).to_have_text(["barked before dog"])
    fault = visit.page.locator("#fault")
    expect(fault).to_contain_text("contradict each other")
    assert fault.get_attribute("role") == "alert"
    wrong = visit.button("Remove: barked before dog")
    expect(wrong).to_have_attribute("aria-describedby", "fault")
    wrong.click()
    expect(fault).to_be_hidden()
    expect(visit.page.locator(".chip.wrong")).to_have_count(0)
    expect(visit.page.locator("#result")).not_to_have_class("stale")


def test_a_cycle_of_arcs_is_said_at_the_arc(visit: Visit) -> None:
    visit.open("#words=dog+the+barked&head=1:2&head=2:3")
    expect(visit.words).to_have_count(3)
    visit.word("barked").click()
    visit.control("Head").select_option(label="dog")
    visit.press("Escape")
    expect(visit.page.locator("#fault")).to_contain_text("cycle")
    expect(visit.page.locator(".chip.wrong")).to_contain_text("barked depends on dog")


def test_too_many_words_are_said_at_the_text(visit: Visit) -> None:
    visit.type("word " * 600)
    error = visit.page.locator("#text-error")
    expect(error).to_contain_text("words")
    expect(visit.page.locator("#text")).to_have_attribute("aria-invalid", "true")
    visit.type("barked dog the")
    visit.expect_sentence("the dog barked")
    expect(error).to_be_hidden()
    expect(visit.page.locator("#text")).to_have_attribute("aria-invalid", "false")


def test_wrong_features_are_said_at_their_chip(visit: Visit) -> None:
    visit.open("#lemmas=dog+bark&features=1:nonsense")
    expect(visit.page.locator(".chip.wrong")).to_contain_text("dog has nonsense")


def test_an_error_of_an_option_is_said_at_the_orders(visit: Visit) -> None:
    error = {"code": "limit", "message": "n_best is larger than 4", "field": "options.n_best"}
    visit.expect_sentence(SENTENCE)
    visit.page.route("**/v1/order", lambda route: route.fulfill(**answer(422, {"error": error})))
    visit.page.get_by_label("Show").select_option("20")
    expect(visit.page.locator("#orders-error")).to_have_text("n_best is larger than 4")


def test_a_tag_that_the_model_does_not_know_is_noted(visit: Visit) -> None:
    visit.open("#words=dog+the+barked&tag=1:XYZ")
    expect(visit.page.locator("#notes")).to_contain_text("XYZ")
    visit.remove_chip("dog is XYZ")
    expect(visit.page.locator("#notes")).to_be_hidden()


def test_the_server_goes_and_comes_back(visiting: Visiting, another_server: Any) -> None:
    """What was typed meanwhile is ordered when the server is back."""
    visit = visiting(address=another_server.start())
    visit.expect_sentence(SENTENCE)
    another_server.stop()
    visit.type("barked dog the")
    condition = visit.page.locator("#condition")
    expect(condition).to_contain_text("The server does not answer.")
    visit.expect_sentence(SENTENCE)
    another_server.start()
    visit.expect_sentence("the dog barked")
    expect(condition).to_be_empty()


def test_a_busy_server_is_waited_for(visit: Visit) -> None:
    visit.expect_sentence(SENTENCE)
    refusals = [
        answer(429, {"error": {"code": "busy", "message": "", "field": None}}, {"Retry-After": "1"})
    ]

    def refuse_once(route: Route) -> None:
        if refusals:
            route.fulfill(**refusals.pop())
        else:
            route.continue_()

    visit.page.route("**/v1/order", refuse_once)
    visit.type("barked dog the")
    expect(visit.page.locator("#condition")).to_contain_text("busy")
    visit.expect_sentence("the dog barked")
    expect(visit.page.locator("#condition")).to_be_empty()


def test_a_token_is_asked_for_and_used(visiting: Visiting) -> None:
    visit = visiting(None)
    sent: list[str | None] = []

    def guard(route: Route) -> None:
        sent.append(route.request.headers.get("authorization"))
        if sent[-1] == "Bearer open sesame":
            route.continue_()
        else:
            error = {"code": "unauthorized", "message": "a token is needed", "field": None}
            route.fulfill(**answer(401, {"error": error}))

    visit.page.route("**/v1/*", guard)
    visit.open()
    token = visit.page.get_by_label("This server asks for a token")
    expect(token).to_be_focused()
    token.fill("wrong")
    visit.press("Enter")
    expect(visit.page.locator("#condition")).to_have_text("The server does not know this token.")
    token.fill("open sesame")
    visit.press("Enter")
    visit.expect_sentence(SENTENCE)
    expect(token).to_be_hidden()
    expect(visit.page.locator("#code")).to_contain_text("$SYNTAGMA_TOKEN")
    assert "sesame" not in visit.page.url
    assert "sesame" not in visit.page.locator("#code").inner_text()


def test_an_older_answer_does_not_replace_a_newer_one(visit: Visit) -> None:
    visit.expect_sentence(SENTENCE)
    held: list[Route] = []

    def hold_the_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    visit.page.route("**/v1/order", hold_the_first)
    visit.type("cat the slept")
    visit.page.wait_for_timeout(400)
    visit.type("barked dog the")
    visit.expect_sentence("the dog barked")
    assert held
    visit.page.unroute_all(behavior="ignoreErrors")
    visit.expect_sentence("the dog barked")


def test_what_is_typed_stays_in_the_browser(visit: Visit) -> None:
    """The words go to the service in the body of a request, never in an address."""
    addresses: list[str] = []
    visit.page.on("request", lambda request: addresses.append(request.url))
    visit.type("barked dog the")
    visit.expect_sentence("the dog barked")
    visit.page.reload()
    visit.expect_sentence("the dog barked")
    assert addresses
    assert not any(
        "dog" in urlsplit(address)._replace(fragment="").geturl() for address in addresses
    )
