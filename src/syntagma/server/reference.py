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

STYLE_PATH = "docs.css"
STYLE = """\
:root { color-scheme: light dark; font: 1rem/1.55 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 54rem; padding: 1.5rem 1rem 4rem; }
h2 { border-top: 1px solid; margin-top: 2.5rem; padding-top: 1rem; }
h3 { margin: 2rem 0 0.5rem; }
code, pre { font: 0.875rem/1.5 ui-monospace, monospace; }
pre { border: 1px solid; border-radius: 0.375rem; overflow-x: auto; padding: 0.75rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid; padding: 0.375rem 0.75rem 0.375rem 0; text-align: left;
  vertical-align: top; }
summary { cursor: pointer; }
"""


def reference_page(document: dict[str, Any], address: str) -> str:
    """The reference of a server at this address, such as `http://127.0.0.1:8000`."""
    return "\n".join(_page(document, address)) + "\n"


def _page(document: dict[str, Any], address: str) -> Iterator[str]:
    info = document["info"]
    title = f"{escape(info['title'])} {escape(info['version'])}: reference of the service"
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f'<title>{title}</title><link rel="stylesheet" href="{STYLE_PATH}"></head><body><main>'
    yield f"<h1>{title}</h1>"
    for paragraph in info["description"].strip().split("\n\n"):
        yield f"<p>{_prose(paragraph)}</p>"
    yield '<p><a href="./">The page</a> · <a href="openapi.json">OpenAPI document</a></p>'
    schemas = document["components"]["schemas"]
    token = "security" in document
    if token:
        yield "<p>The commands take the token from the variable <code>SYNTAGMA_TOKEN</code>.</p>"
    by_tag: dict[str, list[tuple[str, str, dict[str, Any]]]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            by_tag.setdefault(operation["tags"][0], []).append((method.upper(), path, operation))
    for tag, operations in by_tag.items():
        yield f"<h2>{escape(tag)}</h2>"
        for method, path, operation in operations:
            yield f"<h3><code>{method} {escape(path)}</code> {escape(operation['summary'])}</h3>"
            yield from _operation(address + path, operation, schemas, token=token)
    yield "</main></body></html>"


def _operation(
    url: str, operation: dict[str, Any], schemas: dict[str, Any], *, token: bool
) -> Iterator[str]:
    if parameters := operation.get("parameters"):
        yield _table(
            ("parameter", "about"), [(each["name"], each["description"]) for each in parameters]
        )
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        for name, example in content.get("examples", {}).items():
            yield f"<p>{escape(name)}:</p>"
            yield f"<pre><code>{escape(_command(url, kind, example['value'], token))}</code></pre>"
        yield _details(f"Body: {kind}", _resolved(content["schema"], schemas))
    answer = operation["responses"].get("200", {}).get("content", {})
    for kind, content in answer.items():
        if content.get("schema"):
            yield _details(f"Answer: {kind}", _resolved(content["schema"], schemas))
    statuses = [
        (status, each["description"])
        for status, each in sorted(operation["responses"].items())
        if status != "200"
    ]
    if statuses:
        yield _table(("status", "when"), statuses)


def _command(url: str, kind: str, body: object, token: bool) -> str:
    """A request for the shell. The address is quoted: it has the host that the client named."""
    lines = [f"curl {shlex.quote(url)} -H 'Content-Type: {kind}'"]
    if token:
        lines.append('-H "Authorization: Bearer $SYNTAGMA_TOKEN"')
    lines.append(f"-d {shlex.quote(json.dumps(body, ensure_ascii=False))}")
    return " \\\n  ".join(lines)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = "".join(f'<th scope="col">{escape(each)}</th>' for each in head)
    lines = "".join(
        "<tr>" + "".join(f"<td>{_prose(each)}</td>" for each in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{lines}</tbody></table>"


def _details(summary: str, schema: dict[str, Any]) -> str:
    text = escape(json.dumps(schema, indent=2, ensure_ascii=False))
    return f"<details><summary>{escape(summary)}</summary><pre><code>{text}</code></pre></details>"


def _resolved(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = schemas.get(name, schema)
    return found


def _prose(text: str) -> str:
    """Text with `code` between backticks."""
    parts = escape(text).split("`")
    return "".join(
        f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts)
    )
