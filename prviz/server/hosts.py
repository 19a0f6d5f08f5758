"""Middleware that answers only requests to hosts of the app, so that pages of other sites can't
reach it.

By DNS rebinding, a page of another site can reach a server on this machine: the site's name is
resolved to this machine's address, and the browser sends the page's requests here, with the site's
name in the header Host.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from prviz.readers.errors import one_line

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

LOCAL = ("localhost", "127.0.0.1", "::1")
# Environment variables, each with values separated by spaces. HOSTS_VARIABLE: further hosts of the
# app. FRAMES_VARIABLE: sites whose pages may show the app in a frame.
HOSTS_VARIABLE = "PRVIZ_ALLOW_HOST"
FRAMES_VARIABLE = "PRVIZ_ALLOW_FRAME"
# Most characters of an unknown host name that a refusal repeats.
_SHOWN = 100
_MISDIRECTED = 421
_PORTS = {"http": 80, "https": 443}  # Used for an origin that names no port.
_POLICY_VIOLATION = 1008  # WebSocket close code for a refusal.


def host_name(text: str) -> str | None:
    """The host in `text`, which may also have a port, normalised for comparison; None if there is
    no host.
    """
    for form in (text, f"[{text}]"):  # A header has an IPv6 address in brackets, a setting without.
        try:
            parts = urlsplit(f"//{form}")
            name = parts.hostname
            _ = parts.port
        except ValueError:
            continue
        if name and parts.netloc == form and "@" not in form:
            try:
                address = ipaddress.ip_address(name)
            except ValueError:
                return name.removesuffix(".")
            mapped = None
            if isinstance(address, ipaddress.IPv6Address):
                mapped = address.ipv4_mapped
            return str(mapped or address)
    return None


def _port(text: str) -> int | None:
    """The port in a text "host" or "host:port"; None if it has none."""
    return urlsplit(
        f"//{text if text.count(':') < 2 or text.startswith('[') else f'[{text}]'}"
    ).port


def named_host(text: str) -> str:
    """Read a host from a setting. Raises ValueError if the text is no host."""
    if "/" not in text and text.isascii() and (name := host_name(text)) is not None:
        return name
    raise ValueError(f"{text!r} is not a host; a name such as example.com or an address is needed")


def named_origin(text: str) -> str:
    """Read an origin from a setting; ``https://*.example.com`` stands for all hosts below
    example.com.

    Raises ValueError if the text is no origin.
    """
    scheme, _, place = text.lower().removesuffix("/").partition("://")
    plain = place.removeprefix("*.")
    if (
        scheme in _PORTS
        and re.fullmatch(r"[\w.:[\]-]+", plain, re.ASCII)
        and host_name(plain) is not None
    ):
        return f"{scheme}://{place}"
    raise ValueError(f"{text!r} is not an origin; one such as https://example.com is needed")


def headers(frames: Iterable[str] = ()) -> tuple[tuple[bytes, bytes], ...]:
    """Headers that are added to every answer: only pages of these origins may show the app in a
    frame, and browsers must not guess the type of a file.
    """
    named = tuple(frames)
    ancestors = " ".join(named) or "'none'"
    no_guess = (b"x-content-type-options", b"nosniff")
    policy = (b"content-security-policy", f"frame-ancestors {ancestors}".encode())
    if named:
        return (policy, no_guess)
    return (policy, (b"x-frame-options", b"DENY"), no_guess)


class HostGuard:
    """ASGI middleware that refuses requests for other hosts, and WebSockets and POST requests from
    pages of other sites.

    Accepted hosts are localhost, `hosts`, and the address to which the connection was made. That
    address is not known in advance if the server is bound to every address. X-Forwarded-Host is not
    read, because anybody can send it.

    Only pages of the app itself, from the same host and port, may open a WebSocket or send a POST
    request: on another port of this machine there may be another program. Behind a proxy whose name
    is in `proxies`, the page may have another host than the request, or the request may have no
    port.

    any_host : True to accept every host, for an app that is for everybody: a page that reaches it
    by DNS rebinding sees no more than anybody does.
    """

    def __init__(
        self,
        app: App,
        hosts: Iterable[str],
        proxies: Iterable[str] = (),
        frames: Iterable[str] = (),
        any_host: bool = False,
    ) -> None:
        self.app, self._headers = app, headers(frames)
        self._any_host = any_host
        self._hosts = frozenset(map(host_name, (*LOCAL, *hosts, *proxies)))
        self._proxies = frozenset(map(host_name, proxies)) - frozenset(LOCAL)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass a request on to the app, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
        elif (reason := self._refusal(scope)) is None:
            await self.app(scope, receive, self._with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
        else:
            from starlette.responses import PlainTextResponse

            refusal = PlainTextResponse(f"{reason}\n", _MISDIRECTED)
            await refusal(scope, receive, self._with_headers(send))

    def _refusal(self, scope: Message) -> str | None:
        """The reason to refuse a request; None if it is accepted."""
        from starlette.datastructures import Headers

        sent = Headers(scope=scope)
        arrived = scope.get("server") or ("localhost",)
        accepted = self._hosts | {host_name(arrived[0])}
        hosts = sent.getlist("host")
        name = None
        if len(hosts) == 1:
            name = host_name(hosts[0])
        if name is None or not (self._any_host or name in accepted):
            target = "that names no host"
            if hosts:
                target = f"for the host {one_line(', '.join(hosts))[:_SHOWN]!r}"
            return (
                f"A request {target} is not answered here. If that is a name of this machine, or of"
                " a proxy before it, start the app with `prviz app --allow-host NAME`, or with"
                f" NAME in {HOSTS_VARIABLE}."
            )
        asks = scope["type"] == "websocket" or scope.get("method") == "POST"
        origins = sent.getlist("origin") if asks else []
        own = all(self._is_own(origin, hosts[0]) for origin in origins)
        if own:
            return None
        return "A page of another site can't use this app."

    def _is_own(self, origin: str, host: str) -> bool:
        """True if a page of this origin belongs to the app. host : the host to which the page sent
        its request.
        """
        scheme, _, place = origin.partition("://")
        name = host_name(place)
        usual = _PORTS.get(scheme.lower())
        if name is None or usual is None:
            return False
        if name == host_name(host):
            port = _port(host)
            left_out = port is None and name in self._proxies
            return left_out or (_port(place) or usual) == (port or usual)
        return name in self._proxies

    def _with_headers(self, send: Send) -> Send:
        ours = {name for name, _ in self._headers}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                others = [
                    each for each in message.get("headers", ()) if each[0].lower() not in ours
                ]
                message = {**message, "headers": [*others, *self._headers]}
            await send(message)

        return send_with_headers
