"""The downloader, against a server on this machine: complete and right, or one sentence."""

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError, NoConnection
from privgraph.data.fetch import SUMS, download, fetch_files
from privgraph.data.spec import DatasetSpec
from privgraph.progress import Progress

BODY = bytes(range(256)) * 3000


class Server(ThreadingHTTPServer):
    """Answers with `bodies`; a path under /short ends early, under /flaky fails twice, /slow never
    answers."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.released = threading.Event()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{path}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        kind, _, name = self.path.removeprefix("/").partition("/")
        if kind == "slow":
            self.server.released.wait(20)
            return
        if kind == "flaky" and self.server.asked.count(self.path) < 3:
            self.send_error(503)
            return
        if name not in self.server.bodies:
            self.send_error(404)
            return
        body = self.server.bodies[name]
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if kind == "short" else body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: tests stay silent."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.released.set()
        running.shutdown()
        thread.join()


def left_over(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


def test_a_file_comes_whole_with_progress(server: Server, tmp_path: Path) -> None:
    server.bodies["a.bin"] = BODY
    seen: list[Progress] = []
    target = tmp_path / "deep" / "a.bin"
    download(server.url("/ok/a.bin"), target, hashlib.sha256(BODY).hexdigest(), progress=seen.append)
    assert target.read_bytes() == BODY
    assert left_over(target.parent) == ["a.bin"]
    assert [event.step for event in seen] == sorted({event.step for event in seen})
    assert seen[-1] == Progress(step=len(BODY), total=len(BODY), stage="fetching a.bin")


def test_a_wrong_checksum_leaves_what_was_there(server: Server, tmp_path: Path) -> None:
    server.bodies["a.bin"] = BODY
    target = tmp_path / "a.bin"
    target.write_bytes(b"before")
    with pytest.raises(DataError, match=r"a\.bin has another checksum"):
        download(server.url("/ok/a.bin"), target, "0" * 64)
    assert target.read_bytes() == b"before"
    assert left_over(tmp_path) == ["a.bin"]
    assert len(server.asked) == 1, "a wrong checksum is not tried again"


def test_a_body_that_ends_early_is_tried_again_and_refused(server: Server, tmp_path: Path) -> None:
    server.bodies["a.bin"] = BODY
    with pytest.raises(DataError, match=f"{len(BODY) // 2} of {len(BODY)} bytes|IncompleteRead"):
        download(server.url("/short/a.bin"), tmp_path / "a.bin", attempts=2, pause=0.01)
    assert left_over(tmp_path) == []
    assert len(server.asked) == 2


def test_what_cannot_come_is_one_sentence(server: Server, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the server answered 404") as refused:
        download(server.url("/ok/none"), tmp_path / "none", pause=0.01)
    assert refused.type is DataError, "there is a connection"
    assert len(server.asked) == 1
    with pytest.raises(NoConnection, match="timed out"):
        download(server.url("/slow/none"), tmp_path / "none", attempts=1, timeout=0.2)
    with pytest.raises(DataError, match="not a web address"):
        download("file:///etc/hostname", tmp_path / "none")
    server.bodies["big"] = BODY
    with pytest.raises(DataError, match="larger than 1000 bytes"):
        download(server.url("/ok/big"), tmp_path / "big", largest=1000)
    assert left_over(tmp_path) == []


def elsewhere(spec: DatasetSpec, server: Server, kind: str = "ok") -> DatasetSpec:
    """The same set with its files on the test's server."""
    return replace(spec, urls=tuple((path, server.url(f"/{kind}/{path.rsplit('/', 1)[1]}")) for path, _ in spec.files))


def test_a_set_is_fetched_once_and_then_found(server: Server, tmp_path: Path, shared_data: Path) -> None:
    spec = elsewhere(dataset("cora"), server)
    for path, _ in spec.files:
        server.bodies[path.rsplit("/", 1)[1]] = (shared_data / path).read_bytes()
    found = fetch_files(spec, root=tmp_path)
    assert all(place.read_bytes() == (shared_data / path).read_bytes() for path, place in found.items())
    assert len(server.asked) == 8
    assert fetch_files(spec, root=tmp_path) == found
    assert len(server.asked) == 8
    recorded = dict(reversed(line.split("  ")) for line in (tmp_path / SUMS).read_text().splitlines())
    assert recorded == dict(spec.files)


def test_a_pinned_file_that_changed_is_refused(server: Server, tmp_path: Path, shared_data: Path) -> None:
    spec = elsewhere(dataset("fb100-reed98"), server)
    good = (shared_data / "Facebook100/reed98/raw/data.mat").read_bytes()
    server.bodies["Reed98.mat"] = good[:-1] + bytes([good[-1] ^ 1])
    with pytest.raises(DataError, match="another checksum") as caught:
        fetch_files(spec, root=tmp_path)
    assert str(tmp_path / "Facebook100/mat") in str(caught.value)
    server.bodies["Reed98.mat"] = good
    fetch_files(spec, root=tmp_path)


def test_the_first_checksum_of_an_unpinned_file_is_kept(server: Server, tmp_path: Path) -> None:
    spec = elsewhere(dataset("dblp"), server)
    path = spec.files[0][0]
    server.bodies["dblp.npz"] = b"first"
    fetch_files(spec, root=tmp_path)
    (tmp_path / path).unlink()
    server.bodies["dblp.npz"] = b"other"
    with pytest.raises(DataError, match="another checksum"):
        fetch_files(spec, root=tmp_path)
    server.bodies["dblp.npz"] = b"first"
    fetch_files(spec, root=tmp_path)
    assert (tmp_path / path).read_bytes() == b"first"


def archive(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, body in members.items():
            opened.writestr(name, body)
    return buffer.getvalue()


def test_an_archive_gives_only_what_was_asked(server: Server, tmp_path: Path) -> None:
    names = ("reddit_data.npz", "reddit_graph.npz")
    spec = replace(
        dataset("reddit"), urls=tuple((f"Reddit/raw/{name}", server.url(f"/ok/reddit.zip#{name}")) for name in names)
    )
    server.bodies["reddit.zip"] = archive({names[0]: b"data", names[1]: b"graph", "../evil": b"evil"})
    found = fetch_files(spec, root=tmp_path)
    assert [found[f"Reddit/raw/{name}"].read_bytes() for name in names] == [b"data", b"graph"]
    assert server.asked == ["/ok/reddit.zip"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["Reddit", SUMS]
    server.bodies["reddit.zip"] = archive({names[0]: b"data"})
    with pytest.raises(DataError, match=r"the archive does not give reddit_graph\.npz"):
        fetch_files(spec, root=tmp_path / "other")
    server.bodies["reddit.zip"] = b"no archive"
    with pytest.raises(DataError, match="the archive does not give"):
        fetch_files(spec, root=tmp_path / "third")
