"""Where the files of runs lie: a shared folder, or an address of fsspec's, named by the store's URL."""

import errno
from pathlib import Path
from urllib.parse import quote

import fsspec
import pytest
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem
from fsspec.utils import infer_storage_options

from privgraph.runs import ending, worker
from privgraph.runs.artifacts import DESK, parted
from privgraph.runs.launch import wait
from privgraph.runs.leases import Outcome
from privgraph.runs.records import ArtifactsAway, RunIsFixed, StoreError
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.tables import runs

SPEC = make_spec("pate", "karate", {"epochs": 3, "teachers": 2})


def a_url(folder: Path, place: object) -> str:
    return f"sqlite:///{folder / 'runs.sqlite'}?artifacts={place}"


def at(folder: Path, machine: str) -> RunStore:
    """The store, as a machine opens it that has copies of its own of what lies elsewhere."""
    return RunStore.open(a_url(folder, (folder / "bucket").as_uri()), folder / machine)


@pytest.fixture
def remote_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunStore:
    """A store that workers of this process open, too."""
    return named(at(tmp_path, "runs"), monkeypatch)


def named(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> RunStore:
    monkeypatch.setenv("PRIVGRAPH_STORE", store.url)
    monkeypatch.setenv("PRIVGRAPH_ARTIFACTS", str(store.folders))
    return store


@pytest.fixture
def local_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunStore:
    return named(RunStore.open(f"sqlite:///{tmp_path / 'runs.sqlite'}", tmp_path / "runs"), monkeypatch)


def test_the_place_is_taken_out_of_the_url() -> None:
    url = "postgresql+psycopg://ada:secret@db/runs?sslmode=require"
    assert parted(url) == (url, "")
    assert parted(f"{url}&artifacts=s3://bucket/x") == (url, "s3://bucket/x")
    assert parted("not a url") == ("not a url", "")
    for bad in ("runs", "../runs", "/a&artifacts=/b"):
        with pytest.raises(StoreError, match="must be one absolute folder, or a URL"):
            parted(f"{url}&artifacts={bad}")


def test_a_place_that_cannot_be_used_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"artifacts at nosuch:// need a package .*privgraph\[remote\]"):
        RunStore.open(a_url(tmp_path, "nosuch://x"))
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="the folder of the store's artifacts cannot be used"):
        RunStore.open(a_url(tmp_path, tmp_path / "file" / "below"))


def test_artifacts_elsewhere_are_put_there_by_the_worker_and_fetched_by_whoever_looks(tmp_path: Path) -> None:
    remote = tmp_path / "bucket"
    store = RunStore.open(a_url(tmp_path, remote.as_uri()), tmp_path / "here")
    (record,) = wait(store, [store.submit(SPEC)], timeout=180)
    assert record.state == "done", record.error
    run = record.id
    (left,) = (remote / run).iterdir()
    made = {path.name for path in left.iterdir()}
    assert made == {path.name for path in (tmp_path / "here" / run).glob("*.npz")}
    assert "answers.npz" in made, "what the teachers said"
    assert not list((tmp_path / "here" / run).glob(f"{DESK}*")), "nothing is left on the desk"
    other = RunStore.open(store.url, tmp_path / "there")
    copy = other.folder(run) / "answers.npz"
    assert copy.read_bytes() == (left / "answers.npz").read_bytes()
    copy.unlink()
    other.folder(run)
    assert not copy.exists(), "a whole copy is fetched once"
    other.delete(run)
    assert not (remote / run).exists()


def held(store: RunStore, worker: str, text: str) -> str:
    """A run that this worker has, with a file on its desk."""
    run = store.submit(SPEC)
    assert store.leases.claim([run], worker) == [run]
    desk = store.begin(run, worker)
    (desk / "answers.npz").write_text(text)
    (desk / "model").mkdir()
    (desk / "model" / "weights.npz").write_text(text)
    return run


def ends(store: RunStore, run: str, worker: str) -> None:
    store.keep(run, worker)
    store.leases.finish(run, worker, Outcome(state="done"), publish=lambda: store.publish(run, worker))


@pytest.mark.parametrize("place", ["shared", "elsewhere"])
def test_who_lost_a_run_does_not_replace_the_files_of_who_finished_it(tmp_path: Path, place: str) -> None:
    """Its noise is another: numbers of one attempt with files of another would be two releases."""
    shared = tmp_path / "shared" if place == "shared" else (tmp_path / "bucket").as_uri()
    first = RunStore.open(a_url(tmp_path, shared), tmp_path / "one")
    second = RunStore.open(first.url, tmp_path / "two")
    run = held(first, "first", "of the first")
    lost = first.begin(run, "first") / "answers.npz"
    first.leases.give_back(run, "first")  # as if it was not heard of: it trains on
    held(second, "second", "of the second")
    if place == "elsewhere":  # in one folder, the next worker clears the desk of the one before
        lost.write_text("of the first")
    else:
        assert not lost.exists()
    ends(second, run, "second")
    with pytest.raises(RunIsFixed, match="was taken away from this worker"):
        ends(first, run, "first")
    first.leave(run, "first")
    assert not (first.folder(run) / f"{DESK}first").exists()
    for store in (first, second, RunStore.open(first.url, tmp_path / "three")):
        assert (store.folder(run) / "answers.npz").read_text() == "of the second"
        assert (store.folder(run) / "model" / "weights.npz").read_text() == "of the second"


def test_a_copy_of_an_earlier_attempt_is_fetched_again(tmp_path: Path) -> None:
    store = at(tmp_path, "one")
    other = at(tmp_path, "two")
    run = held(store, "first", "of the first")
    ends(store, run, "first")
    copy = other.folder(run)
    assert (copy / "answers.npz").read_text() == "of the first"
    own = copy / "attacks" / "token" / "diary"
    own.parent.mkdir(parents=True)
    own.write_text("of this machine")
    with store.database.write() as connection:
        connection.execute(runs.update().values(state="queued", worker=""))
    held(store, "second", "of the second")
    (store._artifacts.desk(run, "second") / "model" / "weights.npz").unlink()
    ends(store, run, "second")
    assert (other.folder(run) / "answers.npz").read_text() == "of the second"
    assert not (copy / "model" / "weights.npz").exists(), "the second has no such file"
    assert own.read_text() == "of this machine"
    (copy / "answers.npz").write_text("of a whole copy")
    assert (other.folder(run) / "answers.npz").read_text() == "of a whole copy"


def test_a_copy_that_was_cut_off_is_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = at(tmp_path, "one")
    run = held(store, "first", "of the first")
    ends(store, run, "first")
    other = at(tmp_path, "two")

    def cut_off(_files: object, _from: str, to: str) -> None:
        Path(to).write_text("of")
        raise ConnectionError("reset by peer")

    with monkeypatch.context() as network:
        network.setattr("fsspec.implementations.local.LocalFileSystem.get_file", cut_off)
        with pytest.raises(StoreError, match=r"cannot be reached \(reset by peer\)"):
            other.folder(run)
    assert (other.folder(run) / "answers.npz").read_text() == "of the first"


def test_an_earlier_attempt_leaves_nothing_elsewhere(tmp_path: Path) -> None:
    remote = tmp_path / "bucket"
    store = RunStore.open(a_url(tmp_path, remote.as_uri()), tmp_path / "here")
    run = held(store, "first", "old")
    store.keep(run, "first")
    assert (remote / run / "first" / "answers.npz").exists()
    store.leases.give_back(run, "first")
    assert store.leases.claim([run], "second") == [run]
    desk = store.begin(run, "second")
    assert not (remote / run).exists()
    assert list(desk.parent.glob(f"{DESK}*")) == [desk]
    (desk / "answers.npz").write_text("new")
    store.keep(run, "second")
    store.leave(run, "second")
    assert not desk.exists()
    assert not list((remote / run).iterdir())


def test_files_of_a_run_whose_end_was_stored_without_an_answer_stay(tmp_path: Path) -> None:
    store = at(tmp_path, "one")
    run = held(store, "first", "of the first")
    ends(store, run, "first")
    store.leave(run, "first")
    other = at(tmp_path, "two")
    assert (other.folder(run) / "answers.npz").read_text() == "of the first"


def without_network(monkeypatch: pytest.MonkeyPatch, failures: int, of: str = "put_file") -> None:
    """The driver of `file://` fails so often, as one does whose server does not answer."""
    real, left = getattr(LocalFileSystem, of), [failures]

    def through(*given: object, **named: object) -> object:
        left[0] -= 1
        if left[0] < 0:
            return real(*given, **named)
        raise ConnectionError("reset by peer")

    monkeypatch.setattr(LocalFileSystem, of, through)
    monkeypatch.setattr(ending, "RETRY_SECONDS", 0.01)


@pytest.mark.parametrize("of", ["info", "put_file"])
def test_a_run_waits_for_artifacts_that_do_not_answer(
    remote_store: RunStore, monkeypatch: pytest.MonkeyPatch, of: str
) -> None:
    run = remote_store.submit(SPEC)
    without_network(monkeypatch, 3, of)
    assert worker.main([run]) == 0
    assert remote_store.get(run).state == "done"
    said = [event.payload["message"] for event in remote_store.events(run, kinds=["log"])]
    assert sum(one.startswith("The run waits: the artifacts of the store, at file://") for one in said) == 1


def test_a_run_does_not_wait_for_ever_for_artifacts(remote_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    run = remote_store.submit(SPEC)
    without_network(monkeypatch, 10**6)
    monkeypatch.setattr(ending, "FILES_WAIT", 0.05)
    assert worker.main([run]) == 1
    record = remote_store.get(run)
    assert record.state == "failed"
    assert record.error.endswith("cannot be reached (reset by peer)")


class Hosted(MemoryFileSystem):  # type: ignore[misc]
    """A driver that wants to know its host, as that of FTP does, and says what it was told."""

    protocol = "hosted"
    cachable = False

    def __init__(self, host: str, username: str = "", password: str = "", port: int = 0, **named: object) -> None:
        super().__init__(**named)
        self.told = f"{username} with {password} at {host}, {port}"

    @staticmethod
    def _get_kwargs_from_urls(url: str) -> dict[str, object]:
        found = infer_storage_options(url)
        return {name: found[name] for name in ("host", "username", "password", "port")}

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(infer_storage_options(path)["path"])

    def info(self, path: str, **named: object) -> object:
        raise ConnectionError(f"{self.told}: {path}")


@pytest.mark.parametrize("rest", ["/teams@work", "?token=sesame", "/a?x=1&secret_key=sesame&y=2"])
def test_a_password_is_hidden_whatever_follows_it(tmp_path: Path, rest: str) -> None:
    """Another @ behind it, or a second secret; the rest of the question is shown."""
    fsspec.register_implementation("hosted", Hosted, clobber=True)
    place = quote(f"hosted://ada:sesame@host:2121/runs{rest}", safe="")
    store = RunStore.open(a_url(tmp_path, place), tmp_path / "here")
    with pytest.raises(ArtifactsAway) as refused:
        store.begin(store.submit(SPEC), "w")
    assert "sesame" not in str(refused.value)
    assert ("y=2" in str(refused.value)) == rest.endswith("y=2")


def test_files_that_cannot_be_kept_fail_the_run(local_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is not done without its files, and not left for lost."""

    def refuse(self: RunStore, run: str, worker: str) -> None:
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    monkeypatch.setattr(RunStore, "publish", refuse)
    run = local_store.submit(SPEC)
    assert worker.main([run]) == 1
    record = local_store.get(run)
    assert (record.state, record.error) == ("failed", "its files cannot be kept (Disk quota exceeded)")
    assert record.statement is not None
    assert not list((local_store.folders / run).glob("*.npz"))


def test_a_worker_whose_run_was_taken_away_at_the_last_moment_publishes_nothing(
    local_store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = local_store.submit(SPEC)

    def taken_away(self: RunStore, run: str, worker: str) -> None:
        assert (self.folders / run / f"{DESK}{worker}" / "answers.npz").is_file(), "it is done with them"
        with self.database.write() as connection:
            connection.execute(runs.update().values(worker="another"))

    monkeypatch.setattr(RunStore, "keep", taken_away)
    worker.main([run])
    assert local_store.get(run).state == "running", "of the other"
    assert not list((local_store.folders / run).glob("*.npz"))
