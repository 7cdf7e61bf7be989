"""What it costs the server that people watch runs.

Real websocket sessions, as browsers open them, watch runs that get new points all the time, and ask each
second for what is new. Printed are processor seconds of the server a viewer and tick, and how long a viewer
waits for an answer.
"""

import asyncio
import os
import statistics
import tempfile
import time
from urllib.parse import urlsplit

import psutil
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from tests import app_here
from tests.benchmarks.harness import options

EVERY, POINTS = 1.0, 20


def feed(worker: str, run: str, start: int, count: int) -> None:
    """Append the next points of a run, as its worker would."""
    from privgraph.progress import Metric, Progress
    from privgraph_workbench.jobs import queue

    points = [
        Metric(name=name, value=1 / (1 + step), step=step, stage="stage 0")
        for step in range(start, start + count)
        for name in ("train_loss", "train_accuracy", "val_accuracy")
    ]
    queue.store().leases.append(run, [*points, Progress(step=start + count, total=10**6, stage="stage 0")], worker)


def begin(count: int) -> dict[str, str]:
    """Runs that train, as far as the store knows, each with its worker's name."""
    from privgraph.runs.leases import new_worker
    from privgraph.runs.spec import make_spec
    from privgraph_workbench.jobs import queue

    store, workers = queue.store(), {}
    for seed in range(count):
        run, worker = store.submit(make_spec("progap", "karate", {"unit": "edge"}, seed=seed)), new_worker()
        assert store.leases.claim([run], worker) == [run]
        store.leases.adopt(worker, os.getpid())
        feed(worker, run, 0, 1000)
        workers[run] = worker
    return workers


class Viewer:
    """One session: opens the run's page, and from then on asks for the fragment that redraws itself."""

    def __init__(self, address: str, cookie: str, run: str) -> None:
        self.address, self.cookie, self.run = address, cookie, run
        self.waited: list[float] = []

    async def watch(self, ready: asyncio.Event, until: list[float]) -> None:
        url = f"ws://{urlsplit(self.address).netloc}/_stcore/stream"
        headers = {"Cookie": self.cookie, "Origin": self.address}
        async with websockets.connect(
            url, additional_headers=headers, subprotocols=["streamlit"], max_size=None
        ) as socket:
            first = BackMsg()
            first.rerun_script.query_string = f"run={self.run}"
            first.rerun_script.page_name = "train"
            fragment = await self._ask(socket, first)
            assert fragment, "the page does not redraw itself"
            ready.set()
            while not until:
                await asyncio.sleep(0.05)
            while time.monotonic() < until[0]:
                again = BackMsg()
                again.rerun_script.CopyFrom(first.rerun_script)
                again.rerun_script.fragment_id, again.rerun_script.is_auto_rerun = fragment, True
                began = time.monotonic()
                await self._ask(socket, again)
                self.waited.append(time.monotonic() - began)
                await asyncio.sleep(max(0.0, EVERY - self.waited[-1]))

    async def _ask(self, socket: websockets.ClientConnection, question: BackMsg) -> str:
        """Wait for the end of the drawing; gives the fragment that asked to be drawn again, or nothing."""
        await socket.send(question.SerializeToString())
        fragment = ""
        async for data in socket:
            message = ForwardMsg.FromString(data)
            kind = message.WhichOneof("type")
            if kind == "auto_rerun":
                fragment = message.auto_rerun.fragment_id
            if kind == "delta" and message.delta.WhichOneof("type") == "new_element":
                assert message.delta.new_element.WhichOneof("type") != "exception", message
            if kind == "script_finished":
                break
        return fragment


async def measure(viewers: int, runs: int, seconds: int) -> None:
    workers = begin(runs)
    started = app_here.start()
    server = psutil.Process(started.process.pid)
    try:
        watching = [Viewer(started.address, started.cookie, list(workers)[place % runs]) for place in range(viewers)]
        until: list[float] = []
        tasks = []
        for viewer in watching:  # one after the other: here the ticks are measured, not the first drawing
            ready = asyncio.Event()
            tasks.append(asyncio.create_task(viewer.watch(ready, until)))
            await asyncio.wait({asyncio.create_task(ready.wait()), tasks[-1]}, return_when=asyncio.FIRST_COMPLETED)
        before = sum(server.cpu_times()[:2])
        until.append(time.monotonic() + seconds)
        step = 1000
        while time.monotonic() < until[0]:
            for run, worker in workers.items():
                await asyncio.to_thread(feed, worker, run, step, POINTS)
            step += POINTS
            await asyncio.sleep(1.0)
        await asyncio.gather(*tasks)
        spent = sum(server.cpu_times()[:2]) - before
    finally:
        started.process.terminate()
        started.process.wait(20)
    waited = [wait for viewer in watching for wait in viewer.waited]
    print(
        f"{viewers} viewers of {runs} runs: {spent / len(waited):.4f} CPU s a viewer and tick; "
        f"a viewer waits {statistics.median(waited):.2f} s (median)"
    )


def main() -> None:
    given = options(__doc__, viewers=30, runs=4, seconds=20)
    with tempfile.TemporaryDirectory() as home:
        os.environ["PRIVGRAPH_HOME"], os.environ["PRIVGRAPH_WORKERS"] = home, str(given.runs)
        asyncio.run(measure(given.viewers, given.runs, given.seconds))
