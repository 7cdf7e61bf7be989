"""The app as a server: Streamlit behind a gate that admits only expected hosts, origins and proxies.

Streamlit checks the host of a WebSocket alone, and a foreign origin makes it ask an outside service for its
own address. The gate stands before both, for every request: a web site that rebinds its name to 127.0.0.1,
or a page of another origin, gets 403 before anything of the app runs.
"""

from __future__ import annotations

import hmac
import os
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost", "::1")
HOSTS_VARIABLE = "PRIVGRAPH_ALLOWED_HOSTS"
SECRET_VARIABLE = "PRIVGRAPH_PROXY_SECRET"
SECRET_HEADER = "x-privgraph-proxy"


def allowed_hosts() -> tuple[str, ...]:
    """Host names at which the app may be reached: loopback, and those of `PRIVGRAPH_ALLOWED_HOSTS` (with commas)."""
    named = (name.strip().lower() for name in os.environ.get(HOSTS_VARIABLE, "").split(","))
    return (*LOOPBACK, *(name for name in named if name))


class Gate:
    """Refuses, with 403, requests whose host is not admitted, whose origin is another, or that bypass the proxy."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...] = LOOPBACK, secret: str = "") -> None:
        self.app = app
        self.hosts = hosts
        self.secret = secret

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            reason = self.refuses({key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]})
            if reason:
                if scope["type"] == "http":
                    await PlainTextResponse(reason, status_code=403)(scope, receive, send)
                else:  # closing before accepting is answered with 403
                    await send({"type": "websocket.close", "code": 1008, "reason": reason})
                return
        await self.app(scope, receive, send)

    def refuses(self, headers: dict[str, str]) -> str | None:
        """Why a request with these headers (lower-case names) is refused, or None."""
        host = headers.get("host", "")
        if _hostname(host) not in self.hosts:
            return "This app does not answer to that host name."
        origin = headers.get("origin")
        if origin is not None and _place(origin) != host.lower():
            return "Requests from another origin are refused."
        if self.secret and not hmac.compare_digest(
            headers.get(SECRET_HEADER, "").encode("latin-1"), self.secret.encode()
        ):
            return "This app is reached through its proxy only."
        return None


def _place(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _hostname(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").lower().rstrip(".")
    except ValueError:
        return ""


app = st.App(
    Path(__file__).with_name("app.py"),
    middleware=[Middleware(Gate, hosts=allowed_hosts(), secret=os.environ.get(SECRET_VARIABLE, ""))],
)
