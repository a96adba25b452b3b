"""What every request passes: whom it is for, where it comes from, who sends it, and how large it is."""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import logging
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from treetalk.server.admission import SECONDS_KNOWN, Admission
from treetalk.server.failures import UNFORESEEN, failure

log = logging.getLogger("treetalk.server")

LARGEST_BODY = 2_000_000
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
STYLE = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem}"
    "h1{font-size:1.3rem}input,button{font:inherit;padding:.4rem .6rem}"
)
NOT_ADMITTED = "This needs the token that treetalk serve printed when it started: open the address that it printed"


class TooLarge(HTTPException):
    """A request has a larger body than is taken."""

    def __init__(self) -> None:
        super().__init__(413, f"A request may have {LARGEST_BODY:,} bytes")


class Guard:
    """Stands before an app.

    Parameters
    ----------
    app : ASGI app
        What is guarded.
    admission : Admission
        Who may come in.
    hosts : set of str
        The names by which the server may be called, without ports. Addresses made of numbers are always good: a page from
        elsewhere cannot pretend to be one of them.
    """

    def __init__(self, app: ASGIApp, admission: Admission, hosts: set[str]) -> None:
        self._app, self._admission = app, admission
        self._hosts = {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or answer it."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1000})
            else:
                await self._app(scope, receive, send)
            return
        is_begun = False

        async def sending(message: Message) -> None:
            nonlocal is_begun
            if message["type"] == "http.response.start":
                is_begun = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            answer = self._answer(scope)
            if answer is not None:
                await answer(scope, receive, sending)
            else:
                await self._app(scope, _limited(receive), sending)
        except Exception:
            log.exception("%s %s", scope["method"], scope["path"])
            if is_begun:
                raise
            await failure(500, UNFORESEEN)(scope, receive, sending)

    def _answer(self, scope: Scope) -> Response | None:
        """Return what to say to a request that does not pass."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_called_by(host):
            return failure(403, f"This server does not answer to the name {host!r}; --allow-host lets it")
        origin = headers.get("origin")
        if origin is not None and _place(origin) != host.lower():
            return failure(403, f"A page from {origin!r} may not use this server")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            return failure(413, TooLarge().detail)
        return self._admitted(Request(scope), headers)

    def _is_called_by(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in self._hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _admitted(self, request: Request, headers: Headers) -> Response | None:
        """Return None for who may come in; a browser that shows the token gets a cookie, and the address without it."""
        # Whoever adds ?user=NAME to an address that has a token already means the same as with an ampersand.
        parameters = parse_qsl(request.url.query.replace("?", "&"), keep_blank_values=True)
        shown = next((value for name, value in parameters if name == "token"), None)
        if self._admission.knows_token(shown):
            if request.method != "GET" or request.url.path.startswith("/api/"):
                return None
            rest = urlencode([(name, value) for name, value in parameters if name != "token"])
            path = "/" + request.url.path.lstrip("/")  # two of them would lead to another host
            answer = RedirectResponse(path + (f"?{rest}" if rest else ""), status_code=303)
            answer.set_cookie(
                self._admission.cookie_name,
                self._admission.new_cookie(),
                max_age=SECONDS_KNOWN,
                httponly=True,
                samesite="lax",
                path="/",
            )
            return answer
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self._admission.knows_token(bearer.strip()):
            return None
        if self._admission.knows_cookie(_cookie(headers.get("cookie", ""), self._admission.cookie_name)):
            return None
        if "text/html" in headers.get("accept", "") and not request.url.path.startswith("/api/"):
            return _way_in()
        return failure(401, NOT_ADMITTED)


def _way_in() -> HTMLResponse:
    """Return a page on which the token can be typed in; it tells nothing of what is behind it."""
    page = (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>treetalk</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head><body><main><h1>treetalk</h1><p>{NOT_ADMITTED}, or paste the token here.</p>"
        '<form method="get" action="/"><label for="token">Token</label> '
        '<input id="token" name="token" autocomplete="off" required> <button>Open</button></form></main></body></html>'
    )
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return HTMLResponse(page, status_code=401, headers={"Content-Security-Policy": policy})


def _place(origin: str) -> str | None:
    """Return the host and port of an origin."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


def _cookie(text: str, name: str) -> str | None:
    try:
        found = SimpleCookie(text).get(name)
    except CookieError:
        return None
    return None if found is None else found.value


def _limited(receive: Receive) -> Receive:
    """Return a way to receive a body that stops where it becomes too large."""
    received = 0

    async def receiving() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > LARGEST_BODY:
            raise TooLarge
        return message

    return receiving
