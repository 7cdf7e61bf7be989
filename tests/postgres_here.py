"""A PostgreSQL server of our own, which tests start, stop and kill."""

import glob
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from tests.app_here import free_port

PASSWORD = "correct horse"


def binaries() -> Path | None:
    """The folder of the newest PostgreSQL that is installed, None where there is none."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: int(Path(path).parts[-3]))
    return Path(found[-1]).parent if found else None


class Server:
    """A server with an empty database; `start` may follow `stop` or `kill`, and finds what was stored."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self._folder = Path(tempfile.mkdtemp(prefix="privgraph-postgres-"))
        self._data = self._folder / "data"
        self._process: subprocess.Popen[bytes] | None = None
        (self._folder / "password").write_text(PASSWORD)
        if os.getuid() == 0:
            for path in (self._folder, self._folder / "password"):
                shutil.chown(path, "postgres", "postgres")
        make = ["-D", str(self._data), "-U", "team", "-A", "scram-sha-256", "--no-sync"]
        self._run("initdb", *make, f"--pwfile={self._folder / 'password'}")
        self.port = free_port()

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://team:{PASSWORD.replace(' ', '%20')}@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        settings = {"listen_addresses": "127.0.0.1", "port": self.port, "unix_socket_directories": "", "fsync": "off"}
        flags = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                _as_postgres([str(self._programs / "postgres"), "-D", str(self._data), *flags]),
                stdout=log,
                stderr=log,
                cwd="/",
            )
        for _ in range(300):
            try:
                psycopg.connect(
                    host="127.0.0.1", port=self.port, user="team", password=PASSWORD, dbname="postgres"
                ).close()
                return
            except psycopg.OperationalError:
                assert self._process.poll() is None, (self._folder / "log").read_text()
                time.sleep(0.1)
        raise AssertionError("PostgreSQL did not start within 30 seconds")

    def stop(self, mode: str = "immediate") -> None:
        """End it, whoever is connected: `fast` puts its files in order first, `immediate` is a crash."""
        self._run("pg_ctl", "-D", str(self._data), "-m", mode, "stop")
        self._process.wait(timeout=30)
        self._process = None

    def remove(self) -> None:
        if self._process is not None:
            self.stop()
        shutil.rmtree(self._folder)

    def _run(self, program: str, *arguments: str) -> None:
        command = _as_postgres([str(self._programs / program), *arguments])
        subprocess.run(command, check=True, capture_output=True, cwd="/")


@contextmanager
def running() -> Iterator[Server]:
    """A server that answers; without PostgreSQL the test is skipped."""
    programs = binaries()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    server = Server(programs)
    try:
        server.start()
        yield server
    finally:
        server.remove()


def _as_postgres(command: list[str]) -> list[str]:
    """PostgreSQL refuses to run as root."""
    return ["runuser", "-u", "postgres", "--", *command] if os.getuid() == 0 else command
