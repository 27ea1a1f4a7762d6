"""The page at `/docs`: the OpenAPI document as HTML, with commands to paste.

It is made here rather than by a program in the browser, so that it needs nothing from another host
and nothing that the content policy forbids.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any


def reference_page(document: dict[str, Any], address: str) -> str:
    """The reference of a server at this address, such as `http://127.0.0.1:8000`."""
    return "\n".join(_page(document, address)) + "\n"


def _page(document: dict[str, Any], address: str) -> Iterator[str]:
    info = document["info"]
    title = f"{escape(info['title'])} {escape(info['version'])}: reference of the service"
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f'<title>{title}</title><link rel="stylesheet" href="page/docs.css"></head><body><main>'
    yield f"<h1>{title}</h1>"
    for paragraph in info["description"].strip().split("\n\n"):
        yield f"<p>{_prose(paragraph)}</p>"
    yield '<p><a href="./">The page</a> · <a href="openapi.json">OpenAPI document</a></p>'
    token = "security" in document
    if token:
        yield "<p>The commands take the token from the variable <code>SYNTAGMA_TOKEN</code>.</p>"
    calls = [
        (operation["tags"][0], method.upper(), path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    for tag in dict.fromkeys(each[0] for each in calls):
        yield f"<h2>{escape(tag)}</h2>"
        for _, method, path, operation in (each for each in calls if each[0] == tag):
            yield f"<h3><code>{method} {escape(path)}</code> {escape(operation['summary'])}</h3>"
            schemas = document["components"]["schemas"]
            yield from _operation(address + path, operation, schemas, token)
    yield "</main></body></html>"


def _operation(
    url: str, operation: dict[str, Any], schemas: dict[str, Any], token: bool
) -> Iterator[str]:
    parameters = [(each["name"], each["description"]) for each in operation.get("parameters", ())]
    yield from _table(("parameter", "about"), parameters)
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        for name, example in content.get("examples", {}).items():
            yield f"<p>{escape(name)}:</p>"
            yield f"<pre><code>{escape(_command(url, kind, example['value'], token))}</code></pre>"
        yield _details(f"Body: {kind}", content["schema"], schemas)
    for kind, content in operation["responses"]["200"]["content"].items():
        yield _details(f"Answer: {kind}", content["schema"], schemas)
    errors = sorted(operation["responses"].items())[1:]
    yield from _table(
        ("status", "when"), [(status, each["description"]) for status, each in errors]
    )


def _command(url: str, kind: str, body: object, token: bool) -> str:
    """A request for the shell. The address is quoted: it has the host that the client named."""
    lines = [f"curl {shlex.quote(url)} -H 'Content-Type: {kind}'"]
    if token:
        lines.append('-H "Authorization: Bearer $SYNTAGMA_TOKEN"')
    lines.append(f"-d {shlex.quote(json.dumps(body, ensure_ascii=False))}")
    return " \\\n  ".join(lines)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A table, if it has rows."""
    if rows:
        cells = "".join(f'<th scope="col">{escape(each)}</th>' for each in head)
        yield f"<table><thead><tr>{cells}</tr></thead><tbody>"
        for row in rows:
            yield "<tr>" + "".join(f"<td>{_prose(each)}</td>" for each in row) + "</tr>"
        yield "</tbody></table>"


def _details(summary: str, schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    named = schemas.get(schema.get("$ref", "").rpartition("/")[2], schema)
    text = escape(json.dumps(named, indent=2, ensure_ascii=False))
    return f"<details><summary>{escape(summary)}</summary><pre><code>{text}</code></pre></details>"


def _prose(text: str) -> str:
    """Text with `code` between backticks."""
    parts = escape(text).split("`")
    return "".join(
        f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts)
    )
