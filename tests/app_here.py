"""The app as its command serves it: a process of its own, once it answers."""

import socket
import subprocess
import sys
from typing import NamedTuple


class Started(NamedTuple):
    """A server that answers; without its token, where it has one, it says nothing."""

    process: subprocess.Popen[str]
    address: str
    token: str

    @property
    def cookie(self) -> str:
        """What a browser sends that has brought the token."""
        return f"privgraph-{self.address.rpartition(':')[2]}={self.token}"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(port: int | None = None) -> Started:
    """Start the app in the home of the environment."""
    command = [sys.executable, "-P", "-m", "privgraph_workbench.cli", "app", "--no-browser"]
    command += [] if port is None else ["--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    with process.stdout as told:
        opening = next(word for word in told.readline().split() if word.startswith("http"))
    address, _, token = opening.partition("/?token=")
    return Started(process, address, token)
