"""Starts the browser application, with defaults that are safe on a shared machine.

The server is a process of its own: `streamlit run` on `server.py`, bound to 127.0.0.1, for whoever has the
token that stands in the address. Any other address is refused unless somebody is asked who they are: by
Streamlit's own log-in (an OpenID provider and a list of people), or by a reverse proxy that proves itself
with a shared secret. Then there is no token.
"""

from __future__ import annotations

import importlib.util
import ipaddress
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import tomllib
import urllib.error
import urllib.request
import webbrowser
from pathlib import Path
from typing import NamedTuple

from privgraph.home import home, open_to_others, umask
from privgraph.runs import examples
from privgraph.runs.records import StoreError
from privgraph_workbench.serving import people
from privgraph_workbench.text import fill, texts

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8501
START_SECONDS = 60.0
LOOPBACK = ("127.0.0.1", "localhost", "::1")
HOSTS, TOKEN = "PRIVGRAPH_ALLOWED_HOSTS", "PRIVGRAPH_TOKEN"
SECRET, SECRET_HEADER = "PRIVGRAPH_PROXY_SECRET", "X-Privgraph-Proxy"
SHORTEST_SECRET = 32


class LaunchError(RuntimeError):
    """The app cannot be started so; the message is a sentence for its user."""


class Started(NamedTuple):
    """A server that answers; without its token, where it has one, it says nothing."""

    process: subprocess.Popen[bytes]
    address: str
    token: str

    @property
    def opening(self) -> str:
        """The address for the first visit."""
        return f"{self.address}/?token={self.token}" if self.token else self.address

    @property
    def cookie(self) -> str:
        """What a browser sends from then on."""
        return f"privgraph-{self.address.rpartition(':')[2]}={self.token}"


def main(host: str = DEFAULT_HOST, port: int | None = None, open_browser: bool = False) -> int:
    """Start the app, print its address, and wait until it ends or is interrupted.

    `port` None means 8501, or a free one where that is taken. Returns an exit code: 0 ended, 1 the server
    failed, 2 refused (address or port).
    """
    unpacking = threading.Thread(target=_unpack)
    unpacking.start()
    try:
        started = start(host, port)
    except LaunchError as error:
        print(error, file=sys.stderr)
        return 2
    unpacking.join()
    process = started.process
    print(f"The workbench is at {started.opening} (Ctrl+C stops it; runs that were started go on).", flush=True)
    if open_to_others():
        print(f"Others on this machine may enter {home()}, where your runs and uploads are.", file=sys.stderr)
    if open_browser:
        _open(started)
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        code = process.wait()
    except KeyboardInterrupt:
        process.terminate()
        process.wait()
        return 0
    return 0 if code in (0, -signal.SIGTERM, -signal.SIGINT) else 1


def _unpack() -> None:
    """Unpack the examples, and say why where that fails."""
    try:
        examples.open_store().close()
    except (StoreError, OSError) as error:
        print(f"The examples cannot be opened: {error}", file=sys.stderr)


def _open(started: Started) -> None:
    """Show the app in the browser, whose command line everybody can read: it names a file, not the token."""
    path = home() / "open.html"
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(
            f'<meta http-equiv="refresh" content="0; url={started.opening}"><a href="{started.opening}">Open</a>'
        )
    webbrowser.open(path.resolve().as_uri())


def start(host: str = DEFAULT_HOST, port: int | None = None) -> Started:
    """The server, once it answers. Raises `LaunchError`."""
    if reason := refuses(host):
        raise LaunchError(reason)
    bare = host.strip("[]")
    chosen = _port(bare, port)
    token = "" if authentication() else _token()
    environment = {
        **os.environ,
        TOKEN: token,
        HOSTS: ",".join(filter(None, (os.environ.get(HOSTS, ""), bare))),
        "PRIVGRAPH_HOME": str(home().resolve()),
        "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "false",
    }
    if "PRIVGRAPH_DATA" in os.environ:
        environment["PRIVGRAPH_DATA"] = str(Path(os.environ["PRIVGRAPH_DATA"]).expanduser().resolve())
    print("Starting the workbench ...", file=sys.stderr, flush=True)
    process = subprocess.Popen(command(bare, chosen), cwd=home(), env=environment, umask=umask())
    shown = "127.0.0.1" if bare in ("0.0.0.0", "::") else f"[{bare}]" if ":" in bare else bare
    started = Started(process, f"http://{shown}:{chosen}", token)
    _wait(started)
    return started


def _token() -> str:
    """The token of the environment, or a new one."""
    token = os.environ.get(TOKEN, "") or secrets.token_urlsafe(SHORTEST_SECRET)
    if len(token) < SHORTEST_SECRET or not all(letter.isalnum() or letter in "-_" for letter in token):
        raise LaunchError(f"{TOKEN} must have at least {SHORTEST_SECRET} letters and digits.")
    return token


def allowed_hosts() -> tuple[str, ...]:
    """Host names at which the app may be reached: loopback, and those of the environment (with commas)."""
    named = (name.strip().lower() for name in os.environ.get(HOSTS, "").split(","))
    return (*LOOPBACK, *(name for name in named if name))


def command(host: str, port: int) -> list[str]:
    """The command line of the server: .streamlit/config.toml as flags, which no other file overrides."""
    folder = Path(__file__).resolve().parent
    sections = tomllib.loads((folder / ".streamlit" / "config.toml").read_text())
    del sections["theme"]
    sections["server"] |= {"address": host, "port": port, "allowedHosts": dict.fromkeys((*allowed_hosts(), host))}
    flags = [
        f"--{section}.{name}={str(one).lower() if isinstance(one, bool) else one}"
        for section, values in sections.items()
        for name, value in values.items()
        for one in (value if isinstance(value, list | dict) else [value])
    ]
    # -P: a numpy.py in the working folder is not ours
    return [sys.executable, "-P", "-m", "streamlit", "run", str(folder / "server.py"), *flags]


def refuses(host: str) -> str | None:
    """Why the app is not served at `host`, with the way to change that, or None."""
    if _is_loopback(host) or authentication():
        return None
    path = home() / ".streamlit" / "secrets.toml"
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
    for path in (folder / ".streamlit" / "secrets.toml" for folder in (home(), Path.home())):
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


def _wait(started: Started) -> None:
    process, address = started.process, started.address
    request = urllib.request.Request(f"{address}/_stcore/health", headers={"Cookie": started.cookie})
    request.add_header(SECRET_HEADER, os.environ.get(SECRET, ""))
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # loopback never goes through a proxy
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise LaunchError(f"The server ended with code {process.returncode} before it answered.")
        try:
            with direct.open(request, timeout=2):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.05)
    process.terminate()
    raise LaunchError(f"The server did not answer at {address} within {START_SECONDS:.0f} seconds.")
