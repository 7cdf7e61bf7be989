"""The app as a server: Streamlit behind a gate that admits only expected hosts, origins, and people with the
token.

Streamlit checks the host of a WebSocket alone, and a foreign origin makes it ask an outside service for its
own address. The gate stands before both, for every request: a web site that rebinds its name to 127.0.0.1,
or a page of another origin, gets 403 before anything of the app runs. So does another user of this machine:
where neither a log-in nor a proxy says who comes, a token does, which stands in the address that is printed
at the start.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
import secrets
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from privgraph_workbench.serving import launcher, offered_files, shell

LOOPBACK = ("127.0.0.1", "localhost", "::1")
HOSTS_VARIABLE = "PRIVGRAPH_ALLOWED_HOSTS"
SECRET_VARIABLE = "PRIVGRAPH_PROXY_SECRET"
SECRET_HEADER = "x-privgraph-proxy"
TOKEN_VARIABLE = "PRIVGRAPH_TOKEN"
TOKEN_KEY = "token"


def _own_scripts() -> str:
    """The scripts that may stand in a page itself, by their hashes: those of Streamlit's first page, and
    ours."""
    page = Path(st.__file__).with_name("static").joinpath("index.html").read_text(encoding="utf-8")
    scripts = [*re.findall(r"<script>(.*?)</script>", page, re.DOTALL), shell.navigation()]
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


HEADERS = {
    # Streamlit styles its parts in place, and makes the scripts of components blobs; all else comes from here
    # alone.
    "Content-Security-Policy": (
        f"default-src 'self'; script-src 'self' blob: {_own_scripts()}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; object-src 'none'; "
        "base-uri 'self'; form-action 'self'; frame-src 'none'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}
"""Of every answer: nothing is fetched from elsewhere, and nobody puts this app into a page of theirs."""


def allowed_hosts() -> tuple[str, ...]:
    """Host names at which the app may be reached: loopback, and those of `PRIVGRAPH_ALLOWED_HOSTS` (with
    commas)."""
    named = (name.strip().lower() for name in os.environ.get(HOSTS_VARIABLE, "").split(","))
    return (*LOOPBACK, *(name for name in named if name))


class Gate:
    """Refuses, with 403, requests whose host is not admitted, whose origin is another, or that bypass the
    proxy.

    With a `token`, whoever brings it as `?token=` gets a cookie, and nobody without that cookie gets anything
    else.
    """

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...] = LOOPBACK, secret: str = "", token: str = "") -> None:
        self.app = app
        self.hosts = hosts
        self.secret = secret
        self.token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        headers = {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}
        reason = self.refuses(headers)
        answer: Response | None = None if reason is None else PlainTextResponse(reason, status_code=403)
        if reason is None and self.token:
            answer = self._ask_for_token(scope, headers)
        if answer is None:
            await self.app(scope, receive, send_with_headers)
        elif scope["type"] == "http":
            await answer(scope, receive, send_with_headers)
        else:  # closing before accepting is answered with 403
            await send({"type": "websocket.close", "code": 1008, "reason": reason or "no token"})

    def _ask_for_token(self, scope: Scope, headers: dict[str, str]) -> Response | None:
        """None for whoever has the cookie; a cookie for whoever brings the token; 403 for everybody else."""
        name = cookie_name(headers.get("host", ""))
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = dict(query).get(TOKEN_KEY)
        if given is None and _equal(_cookie(headers, name), self.token):
            return None
        if scope["type"] == "websocket" or not _equal(given or "", self.token):
            return PlainTextResponse(
                "This app belongs to the person who started it: open the address that was printed then, "
                "with its token.",
                status_code=403,
            )
        rest = urlencode([pair for pair in query if pair[0] != TOKEN_KEY])
        found = RedirectResponse("/" + scope["path"].lstrip("/\\") + (f"?{rest}" if rest else ""), status_code=303)
        found.set_cookie(name, self.token, httponly=True, samesite="lax")
        return found

    def refuses(self, headers: dict[str, str]) -> str | None:
        """Why a request with these headers (lower-case names) is refused, or None."""
        host = headers.get("host", "")
        if _hostname(host) not in self.hosts:
            return "This app does not answer to that host name."
        origin = headers.get("origin")
        if origin is not None and _netloc(origin) != host.lower():
            return "Requests from another origin are refused."
        if self.secret and not _equal(headers.get(SECRET_HEADER, ""), self.secret):
            return "This app is reached through its proxy only."
        return None


def cookie_name(host: str) -> str:
    """The cookie of the app at that host and port: browsers give the cookies of one port to all ports of a
    host.

    >>> cookie_name("127.0.0.1:8501"), cookie_name("workbench.example")
    ('privgraph-8501', 'privgraph-')
    """
    return f"privgraph-{host.rpartition(':')[2] if host[-1:].isdigit() and ':' in host else ''}"


def _cookie(headers: dict[str, str], name: str) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return "" if found is None else found.value


def _equal(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())


def _netloc(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


def _hostname(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").lower().rstrip(".")
    except ValueError:
        return ""


def send_file(request: Request) -> Response:
    """A file that a page offers, made now; in a thread of its own, whatever the page's script is doing."""
    file = offered_files.find(request.path_params["token"], request.path_params["place"])
    if file is None:
        return PlainTextResponse("The page that offered this file is closed.", status_code=404)
    headers = {
        "Content-Disposition": f"{'inline' if file.shown else 'attachment'}; filename*=UTF-8''{quote(file.name)}",
        "Cache-Control": "no-store",
    }
    return Response(file.make(), media_type=file.mime, headers=headers)


def _gate() -> Middleware:
    """The gate as the launcher asked for it; with no way at all to tell who comes, a token that nobody
    has."""
    secret, token = os.environ.get(SECRET_VARIABLE, ""), os.environ.get(TOKEN_VARIABLE, "")
    if not (secret or token or launcher.authentication()):
        token = secrets.token_urlsafe()
    return Middleware(Gate, hosts=allowed_hosts(), secret=secret, token=token)


app = st.App(
    Path(__file__).resolve().parents[1] / "app.py",
    routes=[Route(f"/{offered_files.ROOT}/{{token}}/{{place:path}}", send_file)],
    middleware=[_gate()],
)
