"""The app as a server: Streamlit behind a gate for expected hosts, origins, and people with the token.

Streamlit checks the host of a WebSocket alone. The gate stands before every request: a web site that rebinds
its name to 127.0.0.1, or a page of another origin, gets 403 before anything of the app runs. So does another
user of this machine where neither a log-in nor a proxy says who comes: the token is printed at the start.
"""

import base64
import hashlib
import hmac
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from privgraph_workbench.serving import launcher, offered_files, shell

TOKEN_KEY = "token"
HEALTH = "/_stcore/health"
NO_TOKEN = "This app belongs to the person who started it: open the address that was printed then, with its token."


def _own_scripts() -> str:
    """The hashes of scripts that may stand in a page itself: those of Streamlit's first page, and ours."""
    page = Path(st.__file__).with_name("static").joinpath("index.html").read_text(encoding="utf-8")
    scripts = [*re.findall(r"<script>(.*?)</script>", page, re.DOTALL), shell.read("navigation.js")]
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


HEADERS = {
    # Streamlit styles its parts in place, and makes scripts of components blobs; all else comes from here.
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


class Gate:
    """Refuses, with 403, a host that is not admitted, another origin, and whoever bypasses the proxy.

    With a `token`, whoever brings it as `?token=` gets a cookie, without which nobody gets anything else.
    """

    def __init__(
        self, app: ASGIApp, hosts: Sequence[str] = launcher.LOOPBACK, secret: str = "", token: str = ""
    ) -> None:
        self.app, self.hosts, self.secret, self.token = app, hosts, secret, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        asked = HTTPConnection(scope)
        reason = self.refuses(asked.headers)
        answer = self._ask_for_token(asked) if reason is None else PlainTextResponse(reason, status_code=403)
        if answer is None:
            await self.app(scope, receive, send_with_headers)
        elif scope["type"] == "http":
            await answer(scope, receive, send_with_headers)
        else:  # closing before accepting is answered with 403
            await send({"type": "websocket.close", "code": 1008, "reason": reason or "no token"})

    def _ask_for_token(self, asked: HTTPConnection) -> Response | None:
        """None for whoever has the cookie; a cookie for whoever brings the token; 403 for everybody else."""
        name, given = cookie_name(asked.headers.get("host", "")), asked.query_params.get(TOKEN_KEY)
        if asked.scope["path"] == launcher.base() + HEALTH:  # says that the server runs, and nothing else
            return None
        if not self.token or (given is None and _equal(asked.cookies.get(name, ""), self.token)):
            return None
        if asked.scope["type"] == "websocket" or not _equal(given or "", self.token):
            return PlainTextResponse(NO_TOKEN, status_code=403)
        rest = urlencode([pair for pair in asked.query_params.multi_items() if pair[0] != TOKEN_KEY])
        place = "/" + asked.scope["path"].lstrip("/\\") + (f"?{rest}" if rest else "")
        found = RedirectResponse(place, status_code=303)
        found.set_cookie(name, self.token, httponly=True, samesite="lax")
        return found

    def refuses(self, headers: Mapping[str, str]) -> str | None:
        """Why a request with these headers (lower-case names) is refused, or None."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if _parts(f"//{host}")[0] not in self.hosts:
            return "This app does not answer to that host name."
        if origin is not None and _parts(origin)[1] != host.lower():
            return "Requests from another origin are refused."
        if self.secret and not _equal(headers.get(launcher.SECRET_HEADER.lower(), ""), self.secret):
            return "This app is reached through its proxy only."
        return None


def cookie_name(host: str) -> str:
    """The cookie of the app at that port: browsers give those of one port to all ports of a host.

    >>> cookie_name("127.0.0.1:8501"), cookie_name("workbench.example")
    ('privgraph-8501', 'privgraph-')
    """
    return f"privgraph-{host.rpartition(':')[2] if host[-1:].isdigit() and ':' in host else ''}"


def _parts(address: str) -> tuple[str, str]:
    """The host of an address without its port and with it; "" each where it is no address."""
    try:
        found = urlsplit(address)
        return (found.hostname or "").rstrip("."), found.netloc.lower()
    except ValueError:
        return "", ""


def _equal(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())


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


def app(hosts: Sequence[str], token: str, lifespan: Callable[[st.App], AbstractAsyncContextManager[None]]) -> st.App:
    """The app behind its gate, for these hosts and whoever has the token."""
    secret = os.environ.get(launcher.SECRET, "")
    return st.App(
        Path(__file__).resolve().parents[1] / "app.py",
        routes=[Route(f"{launcher.base()}/{offered_files.ROOT}/{{token}}/{{place:path}}", send_file)],
        middleware=[Middleware(Gate, hosts=hosts, secret=secret, token=token)],
        lifespan=lifespan,
    )
