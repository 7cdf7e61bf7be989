"""The launcher: safe defaults, refusals, free ports, and a second start within five seconds."""

import http.client
import json
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from tests import app_here

from privgraph_workbench.serving import launcher

SECRET = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def started() -> Iterator[app_here.Started]:
    found = app_here.start(app_here.free_port())
    yield found
    found.process.terminate()
    found.process.wait(10)


def _get(address: str, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
    parts = urlsplit(address)
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)) as connection:
        connection.putrequest("GET", path, skip_host=True)
        for name, value in ({"Host": parts.netloc} | headers).items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()


def _open_socket(address: str, headers: dict[str, str], below: str = "") -> int:
    """The status that a WebSocket's opening request is answered with."""
    upgrade = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Protocol": "streamlit",
    }
    parts = urlsplit(address)
    lines = [f"GET {below}/_stcore/stream HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in ({"Host": parts.netloc} | upgrade | headers).items()]
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=10) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return int(connection.recv(200).split()[1])


@pytest.mark.long
def test_foreign_hosts_and_origins_are_refused(started: app_here.Started) -> None:
    running, own, cookie = started.address, urlsplit(started.address).netloc, {"Cookie": started.cookie}
    assert _get(running, "/", cookie)[0] == 200
    assert _get(running, "/_stcore/health", {"Host": "evil.example"} | cookie)[0] == 403
    for origin in ("http://evil.example", "http://localhost:1", "null", "http://["):
        assert _get(running, "/train", {"Origin": origin} | cookie)[0] == 403
    assert _open_socket(running, {"Origin": running} | cookie) == 101
    assert _open_socket(running, {"Origin": "http://evil.example"} | cookie) == 403
    # A name that was rebound to this machine: host and origin agree, and neither is ours.
    assert _open_socket(running, {"Host": "evil.example", "Origin": "http://evil.example"} | cookie) == 403
    assert _open_socket(running, {"Host": f"evil@{own}", "Origin": running} | cookie) == 403


@pytest.mark.long
def test_nobody_comes_in_without_the_token(started: app_here.Started) -> None:
    running = started.address
    assert _get(running, "/_stcore/health", {})[::2] == (200, b"ok"), "a probe needs none"
    wrong = started.cookie[:-1] + ("a" if started.cookie[-1] != "a" else "b")
    for headers in ({}, {"Cookie": wrong}, {"Cookie": "privgraph-=; ;="}):
        for path in ("/", "/train", "/_stcore/healthy", "/media/any", "/_stcore/upload_file/any/any"):
            assert _get(running, path, headers)[0] == 403
        assert _open_socket(running, headers) == 403
    assert _open_socket(running, {"Cookie": started.cookie}) == 101
    assert _get(running, "/?token=wrong", {"Cookie": started.cookie})[0] == 403
    status, headers, _ = _get(running, f"//evil.example/train?data=karate&token={started.token}&x=", {})
    assert (status, headers["location"]) == (303, "/evil.example/train?data=karate&x=")
    first, *flags = headers["set-cookie"].split("; ")
    assert first == started.cookie
    assert {"httponly", "samesite=lax"} <= {flag.lower() for flag in flags}
    assert not any(started.token in part for part in psutil.Process(started.process.pid).cmdline())


@pytest.mark.long
def test_every_answer_forbids_frames_and_other_origins(started: app_here.Started) -> None:
    for path in ("/", "/_stcore/host-config", "/nowhere/at/all", "/?token=wrong"):
        headers = _get(started.address, path, {"Cookie": started.cookie})[1]
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "script-src 'self' blob: 'sha256-" in policy
    told = json.loads(_get(started.address, "/_stcore/host-config", {"Cookie": started.cookie})[2])
    assert told["allowedOrigins"] == ["https://none.invalid"]


@pytest.mark.long
def test_what_the_server_writes_is_its_owners_alone(started: app_here.Started) -> None:
    folder = Path(os.environ["PRIVGRAPH_HOME"])
    (status,) = [
        line for line in Path(f"/proc/{started.process.pid}/status").read_text().splitlines() if "Umask" in line
    ]
    assert status.split() == ["Umask:", "0077"]
    folder.chmod(0o755)
    (folder / "noise.key").touch()
    assert launcher.home().stat().st_mode & 0o777 == 0o700


def test_the_browser_is_shown_the_token_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(launcher.webbrowser, "open", shown.append)
    for token in ("one", "two"):
        launcher._open(f"http://127.0.0.1:1/?token={token}")
    path = Path(urlsplit(shown[-1]).path)
    assert "token" not in shown[-1]
    assert path.stat().st_mode & 0o777 == 0o600
    assert "http://127.0.0.1:1/?token=two" in path.read_text()


@pytest.mark.parametrize("host", ["0.0.0.0", "workbench.example"])
def test_other_addresses_are_refused_with_the_way_to_allow_them(
    host: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PRIVGRAPH_PROXY_SECRET", raising=False)
    assert launcher.main(host=host) == 2
    said = capsys.readouterr().err
    assert host in said
    assert "secrets.toml" in said
    assert "PRIVGRAPH_PROXY_SECRET" in said
    monkeypatch.setenv("PRIVGRAPH_PROXY_SECRET", SECRET)
    assert launcher.refuses(host) is None


def test_half_an_authentication_is_no_authentication(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PRIVGRAPH_PROXY_SECRET", "short")
    with pytest.raises(launcher.LaunchError, match="at least 32 characters"):
        launcher.refuses("0.0.0.0")
    monkeypatch.delenv("PRIVGRAPH_PROXY_SECRET")
    monkeypatch.setattr(launcher.importlib.util, "find_spec", lambda name: object())
    secrets = Path(os.environ["PRIVGRAPH_HOME"]) / ".streamlit" / "secrets.toml"
    secrets.parent.mkdir()
    address = "[auth]\nredirect_uri = 'https://workbench.example/oauth2callback'\n"
    everybody = "everybody whom the provider knows"
    for content, said in (
        ("not toml [", "is not valid TOML"),
        (address, "needs cookie_secret"),
        *((f"{address}cookie_secret = 'c'\n{people}", everybody) for people in ("", "people = []", "people = 'all'")),
    ):
        secrets.write_text(content)
        with pytest.raises(launcher.LaunchError, match=said):
            launcher.refuses("0.0.0.0")
    secrets.write_text(f"{address}cookie_secret = 'c'\npeople = ['ada@example.org', '@example.com']")
    assert launcher.refuses("0.0.0.0") is None
    secrets.write_text("[other]\nkey = 1\n")
    assert launcher.refuses("0.0.0.0") is not None


@pytest.mark.long
def test_behind_a_proxy_only_the_proxy_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVGRAPH_PROXY_SECRET", SECRET)
    monkeypatch.setenv("PRIVGRAPH_ALLOWED_HOSTS", "workbench.example")
    process, address, token = app_here.start(app_here.free_port())
    try:
        assert not token
        assert _get(address, "/", {})[0] == 403
        assert _get(address, "/", {"X-Privgraph-Proxy": SECRET[:-1] + "0"})[0] == 403
        public = {"Host": "workbench.example", "Origin": "https://workbench.example", "X-Privgraph-Proxy": SECRET}
        assert _get(address, "/", public)[0] == 200
        assert _open_socket(address, public) == 101
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.long
@pytest.mark.skipif(shutil.which("nginx") is None, reason="there is no nginx here")
def test_the_recipe_for_a_proxy_below_a_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The blocks of docs/operations.md, with free ports."""
    told = (Path(__file__).parents[2] / "docs" / "operations.md").read_text()
    for name, value in re.findall(r"^export ((?:STREAMLIT|PRIVGRAPH_(?:ALLOWED|PROXY))\w+)=(\S+)", told, re.MULTILINE):
        monkeypatch.setenv(name, value)
    port, inner = app_here.free_port(), app_here.free_port()
    (recipe,) = re.findall(r"```nginx\n(.*?)```", told, re.DOTALL)
    temporary = "".join(
        f"{kind}_temp_path {tmp_path};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    server = f"server {{ listen 127.0.0.1:{port}; {recipe.replace('8501', str(inner))} }}"
    (tmp_path / "nginx.conf").write_text(
        f"daemon off; pid {tmp_path}/pid; error_log stderr; events {{}} http {{ access_log off; {temporary} {server} }}"
    )
    process, _, token = app_here.start(port=inner)
    proxy = subprocess.Popen(["nginx", "-c", str(tmp_path / "nginx.conf"), "-p", str(tmp_path)])
    try:
        address, public = f"http://127.0.0.1:{port}", {"Host": "workbench.example"}
        while True:
            with suppress(ConnectionError):
                assert _get(address, "/priv/_stcore/health", public)[2] == b"ok"
                break
        assert not token
        assert b"<title>" in _get(address, "/priv/train", public)[2]
        assert _open_socket(address, public, "/priv") == 101
        assert _get(f"http://127.0.0.1:{inner}", "/priv/", public)[0] == 403, "past the proxy nobody comes in"
    finally:
        for one in (proxy, process):
            one.terminate()
            one.wait(10)
