"""A visit to the page in a real browser: what a user does and sees, in the user's words.

Tests that import this module are skipped where the server or Playwright is not installed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

for package in ("python_multipart", "starlette", "uvicorn", "prometheus_client", "playwright"):
    pytest.importorskip(package, reason=f"the page cannot be visited without {package}")

from playwright.sync_api import Locator, Page, Request  # noqa: E402
from playwright.sync_api import Route as Route  # noqa: E402
from playwright.sync_api import expect as expect  # noqa: E402


class Visit:
    """A tab with the page of a server; it records which hosts it asks and what it complains of."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.hosts: set[str] = set()
        self.complaints: list[str] = []
        page.on("request", self._record)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on(
            "console",
            lambda message: (
                self.complaints.append(message.text) if message.type == "error" else None
            ),
        )

    def _record(self, request: Request) -> None:
        url = urlsplit(request.url)
        if url.scheme not in ("blob", "data"):
            self.hosts.add(url.netloc)

    # Going places

    def open(self, fragment: str = "") -> None:
        self.page.goto(self.address + fragment)

    def type(self, text: str) -> None:
        """Replace the words in the text box."""
        self.page.locator("#text").fill(text)

    def expect_sentence(self, text: str) -> None:
        expect(self.page.locator("#sentence")).to_have_attribute("data-length", "short")
        expect(self.words).to_have_text(text.split())

    @property
    def words(self) -> Locator:
        return self.page.locator("#sentence button")

    @property
    def sentence(self) -> list[str]:
        return self.words.all_text_contents()

    def word(self, form: str) -> Locator:
        """The first word of this form in the sentence."""
        return self.page.locator("#sentence").get_by_role("button", name=form, exact=True).first

    def tree_word(self, form: str) -> Locator:
        return self.page.locator(f'.tree-word:has(.tree-form:text-is("{form}"))').first

    @property
    def chips(self) -> Locator:
        return self.page.locator(".chip .chip-text")

    def expect_chips(self, *texts: str) -> None:
        expect(self.chips).to_have_text(list(texts))

    def remove_chip(self, text: str) -> None:
        self.page.get_by_role("button", name=f"Remove: {text}", exact=True).click()

    def control(self, label: str) -> Locator:
        """A control of the open panel."""
        return self.page.locator("#panel").get_by_label(label, exact=True)

    def add(self, label: str, option: str) -> None:
        """Choose a word in the open panel and press the button beside the choice."""
        self.control(label).select_option(label=option)
        self.page.locator(f"#{self.control(label).get_attribute('id')}-add").click()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def drag(self, source: Locator, target: Locator, side: float = 0.5) -> None:
        """Drag to a point of the target: 0 is its left edge, 1 its right one."""
        source.scroll_into_view_if_needed()
        start, end = source.bounding_box(), target.bounding_box()
        assert start is not None
        assert end is not None
        mouse = self.page.mouse
        mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
        mouse.down()
        mouse.move(start["x"] + start["width"] / 2 + 10, start["y"] + start["height"] / 2)
        mouse.move(end["x"] + end["width"] * side, end["y"] + end["height"] / 2, steps=4)
        mouse.up()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def fragment(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.page.url).fragment)

    def download(self, name: str) -> str:
        """Press a button and read the file that it saves."""
        with self.page.expect_download() as download:
            self.button(name).click()
        return Path(download.value.path()).read_text(encoding="utf-8")

    def upload(self, name: str, text: str) -> None:
        file: Any = {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
        self.page.locator("#file").set_input_files(file)
