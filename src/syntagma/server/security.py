"""Who may ask, by token, host and origin; and what a browser may do with the answers.

A server on a loopback address needs no token, but any web page that the user visits can send
requests to it, open its addresses in frames and windows, and follow links to them. It must not get
answers by pretending that its own host name is that address (DNS rebinding: the check of the host),
nor make the server work (the check of the origin).
"""

from __future__ import annotations

import hmac
import ipaddress
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from syntagma.errors import ArgumentError, shown
from syntagma.files.reading import open_regular
from syntagma.server.faults import Fault

CONTENT_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("script", "style", "img", "font", "connect")),
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS: Final[tuple[tuple[bytes, bytes], ...]] = (
    (b"content-security-policy", CONTENT_POLICY.encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)

# What anyone may ask for: whether the server is up, the page and the documentation. None of it is
# secret, and a browser could not send a token.
OPEN_PATHS: Final = frozenset(
    ("/", "/healthz", "/readyz", "/favicon.ico", "/docs", "/openapi.json")
)
OPEN_FOLDER: Final = "/page/"

MIN_TOKEN: Final = 16  # characters
MAX_TOKEN: Final = 4096  # bytes of the file


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def read_token(path: Path) -> bytes:
    """The token in a file that only its owner can read. Raises `ArgumentError`."""
    try:
        with open_regular(path) as file:
            mode = os.fstat(file.fileno()).st_mode
            token = file.read(MAX_TOKEN + 1).strip()
    except OSError as error:
        raise ArgumentError(f"{path}: cannot read the token: {error.strerror}") from error
    if os.name == "posix" and mode & 0o077:
        raise ArgumentError(f"{path}: others can read the token: chmod 600 {path}")
    if not MIN_TOKEN <= len(token) <= MAX_TOKEN or not all(33 <= each <= 126 for each in token):
        raise ArgumentError(
            f"{path}: a token is one line of {MIN_TOKEN} or more visible ASCII characters, "
            "such as that of: openssl rand -hex 32"
        )
    return token


@dataclass(frozen=True, slots=True)
class Access:
    """Which requests are let in. Without `hosts`, any name of the server will do."""

    token: bytes | None = None
    hosts: frozenset[str] | None = None
    origins: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        host: str,
        token: bytes | None,
        allowed_hosts: Iterable[str] = (),
        allowed_origins: Iterable[str] = (),
    ) -> Access:
        """The rules of a server that listens on this address. Raises `ArgumentError` if it needs a
        token."""
        local = is_loopback(host)
        if not local and token is None:
            raise ArgumentError(
                f"to listen on {shown(host)}, which other machines can reach, give a token: "
                "--token-file FILE"
            )
        for origin in allowed_origins:
            scheme, _, rest = origin.partition("://")
            if scheme not in ("http", "https") or not rest or set(rest) & set("/*?#@ "):
                raise ArgumentError(
                    f"an allowed origin is a scheme and a host, such as https://example.org, "
                    f"not {shown(origin)}"
                )
        named = frozenset(each.lower() for each in allowed_hosts)
        hosts = named | {"localhost", "127.0.0.1", "[::1]", host_in_url(host)}
        return cls(token, hosts if local or named else None, frozenset(allowed_origins))

    def check_host(self, headers: Mapping[str, str]) -> None:
        """Raise `Fault` if the request is for a server of another name."""
        host = headers.get("host")
        if self.hosts is not None and host is not None and _name(host) not in self.hosts:
            message = "this server has another name; its operator can add one: --allow-host"
            raise Fault("wrong_host", message)

    def check(self, path: str, headers: Mapping[str, str]) -> None:
        """Raise `Fault` if the request must not be answered."""
        if path in OPEN_PATHS or path.startswith(OPEN_FOLDER):
            return
        if not self._same_origin(headers):
            message = "requests from pages of other origins are refused"
            advice = "the operator can allow an origin: --allow-origin"
            raise Fault("forbidden", f"{message}; {advice}")
        if self.token is not None:
            scheme, _, token = headers.get("authorization", "").partition(" ")
            given = token.strip().encode("latin-1", "replace")
            if not hmac.compare_digest(given, self.token) or scheme.lower() != "bearer":
                message = "this server needs a token: Authorization: Bearer …"
                wanted = {"WWW-Authenticate": 'Bearer realm="syntagma"'}
                raise Fault("unauthorized", message, headers=wanted)

    def allows(self, origin: str | None) -> bool:
        """Whether pages of this other origin may read answers."""
        return origin in self.origins

    def _same_origin(self, headers: Mapping[str, str]) -> bool:
        """Whether the request comes from the page of this server, from an allowed origin, or not
        from a page at all."""
        origin = headers.get("origin")
        if origin is None:
            # Requests for images, scripts, frames and windows have no origin, but browsers mark
            # them. Links of other pages lead to open paths only.
            return headers.get("sec-fetch-site") not in ("cross-site", "same-site")
        own = origin.partition("://")[2]
        return own == headers.get("host") or self.allows(origin)


def host_in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host.lower()


def _name(host: str) -> str:
    """The name in the header `Host`, without its port."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()
