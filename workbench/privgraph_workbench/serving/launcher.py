"""Starts the browser application, with defaults that are safe on a shared machine.

The server is bound to 127.0.0.1, for whoever has the token that stands in the address. Any other address is
refused unless somebody is asked who they are: by Streamlit's own log-in (an OpenID provider and a list of
people), or by a reverse proxy that proves itself with a shared secret. Then there is no token.
"""

import importlib.util
import ipaddress
import os
import secrets
import signal
import socket
import sys
import threading
import tomllib
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from privgraph.home import home, open_to_others, umask
from privgraph.runs import examples
from privgraph.runs.records import StoreError
from privgraph_workbench.serving import people
from privgraph_workbench.text import fill, texts

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8501
LOOPBACK = ("127.0.0.1", "localhost", "::1")
HOSTS, TOKEN = "PRIVGRAPH_ALLOWED_HOSTS", "PRIVGRAPH_TOKEN"
SECRET, SECRET_HEADER = "PRIVGRAPH_PROXY_SECRET", "X-Privgraph-Proxy"
SHORTEST_SECRET = 32
BASE = "STREAMLIT_SERVER_BASE_URL_PATH"


class LaunchError(RuntimeError):
    """The app cannot be started so; the message is a sentence for its user."""


def main(host: str = DEFAULT_HOST, port: int | None = None, open_browser: bool = False) -> int:
    """Serve the app, print its address, and go on until it ends or is interrupted.

    `port` None means 8501, or a free one where that is taken. Returns an exit code: 0 ended, 1 the server
    failed, 2 refused (address or port).
    """
    bare = host.strip("[]")
    try:
        if reason := refuses(host):
            raise LaunchError(reason)
        below, chosen, token = base(), _port(bare, port), "" if authentication() else _token()
    except LaunchError as error:
        print(error, file=sys.stderr)
        return 2
    shown = "127.0.0.1" if bare in ("0.0.0.0", "::") else f"[{bare}]" if ":" in bare else bare
    opening = f"http://{shown}:{chosen}{below}" + (f"/?token={token}" if token else "/" if below else "")
    unpacking = threading.Thread(target=_unpack)

    @asynccontextmanager
    async def greeting(_app: object) -> AsyncIterator[None]:
        unpacking.join()
        print(f"The workbench is at {opening} (Ctrl+C stops it; runs that were started go on).", flush=True)
        if open_to_others():
            print(f"Others on this machine may enter {home()}, where your runs and uploads are.", file=sys.stderr)
        if open_browser:
            _open(opening)
        yield

    print("Starting the workbench ...", file=sys.stderr, flush=True)
    os.umask(umask())
    for name in ("PRIVGRAPH_HOME", "PRIVGRAPH_DATA"):
        if name in os.environ:
            os.environ[name] = str(Path(os.environ[name]).expanduser().resolve())
    os.chdir(home())  # what .streamlit/config.toml says in any other folder is not ours
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    unpacking.start()
    from privgraph_workbench.serving import server  # Streamlit takes seconds to import

    sys.argv = [str(Path(server.__file__))]  # beside it lies its theme
    try:
        options = settings(bare, chosen)
        server.app(options["server.allowedHosts"], token, greeting).run(config=options)
    except KeyboardInterrupt:
        return 0
    except SystemExit as error:
        return int(bool(error.code))
    return 0


def _unpack() -> None:
    """Unpack the examples, and say why where that fails."""
    try:
        examples.open_store().close()
    except (StoreError, OSError) as error:
        print(f"The examples cannot be opened: {error}", file=sys.stderr)


def _open(address: str) -> None:
    """Show the app in the browser, whose command line everybody can read: it names a file, not the token."""
    path = home() / "open.html"
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(f'<meta http-equiv="refresh" content="0; url={address}"><a href="{address}">Open</a>')
    webbrowser.open(path.resolve().as_uri())


def _token() -> str:
    """The token of the environment, or a new one."""
    token = os.environ.get(TOKEN, "") or secrets.token_urlsafe(SHORTEST_SECRET)
    if len(token) < SHORTEST_SECRET or not all(letter.isalnum() or letter in "-_" for letter in token):
        raise LaunchError(f"{TOKEN} must have at least {SHORTEST_SECRET} letters and digits.")
    return token


def base() -> str:
    """The path below which the app is served, as `/priv`; "" where it is served at the root."""
    path = os.environ.get(BASE, "").strip("/")
    if not all(letter.isalnum() or letter in "-_.~/" for letter in path) or ".." in path:
        raise LaunchError(f"{BASE} must be a path of letters and digits (got {path!a}).")
    return f"/{path}" if path else ""


def settings(host: str, port: int) -> dict[str, Any]:
    """Options of Streamlit: those of .streamlit/config.toml, which no other file overrides so. The app may be
    reached at `host`, by loopback, and at the names that the environment has with commas between them."""
    sections = tomllib.loads((Path(__file__).parent / ".streamlit" / "config.toml").read_text())
    del sections["theme"]
    named = filter(None, (name.strip().lower() for name in os.environ.get(HOSTS, "").split(",")))
    sections["server"] |= {
        "address": host,
        "port": port,
        "baseUrlPath": base(),
        "allowedHosts": [*LOOPBACK, *named, host],
    }
    sections["secrets"] = {"files": [str(path) for path in _secrets()]}
    return {f"{section}.{name}": value for section, held in sections.items() for name, value in held.items()}


def _secrets() -> list[Path]:
    return [folder / ".streamlit" / "secrets.toml" for folder in (home(), Path.home())]


def refuses(host: str) -> str | None:
    """Why the app is not served at `host`, with the way to change that, or None."""
    if _is_loopback(host) or authentication():
        return None
    path, *_ = _secrets()
    return fill(texts("labels")["not_served"], host=host, path=path, header=SECRET_HEADER, secret=SECRET, hosts=HOSTS)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def authentication() -> str | None:
    """How users are authenticated: `"login"`, `"proxy"`, or None.

    Raises `LaunchError` where an authentication is half configured: that must not pass for none.
    """
    if secret := os.environ.get(SECRET, ""):
        if len(secret) < SHORTEST_SECRET:
            raise LaunchError(f"{SECRET} must have at least {SHORTEST_SECRET} characters (it has {len(secret)}).")
        return "proxy"
    for path in _secrets():
        try:
            section = tomllib.loads(path.read_text()).get("auth") if path.is_file() else None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise LaunchError(f"{path} is not valid TOML ({error}).") from None
        if section is None:
            continue
        missing = [key for key in ("redirect_uri", "cookie_secret") if not section.get(key)]
        if missing or not people.listed(section.get("people")):
            needs = " and ".join(missing) or texts("labels")["people"]
            raise LaunchError(f"The [auth] section of {path} needs {needs}.")
        if importlib.util.find_spec("authlib") is None:
            raise LaunchError("Log-in is configured, but needs Authlib: pip install 'streamlit[auth]'.")
        return "login"
    return None


def _port(host: str, port: int | None) -> int:
    """`port` if it is free; for None, the default or else any free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in (DEFAULT_PORT, 0) if port is None else (port,):
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, candidate))
                return int(probe.getsockname()[1])
            except (OSError, OverflowError) as error:
                reason = error
    raise LaunchError(f"The app cannot listen at port {candidate} of {host} ({reason}).")
