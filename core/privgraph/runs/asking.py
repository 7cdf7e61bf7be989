"""Questions to the encoders of finished runs: which texts are nearest to this one. No torch.

A process of its own (`python -m privgraph.runs.ask`) loads the encoders, keeps them and the vectors of all
texts in memory, and is spoken to over its standard input and output, one JSON object a line: no port is
opened. It ends when nobody has asked for ten minutes, and when whoever started it is gone. Should it die, the
question that it was at is told so in one sentence, and the next question starts another.
"""

import json
import os
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, final

from privgraph.home import environment, home, umask
from privgraph.options import short
from privgraph.runs.processes import how_it_ended, last_words, note_exit
from privgraph.runs.questions import Answer, AskingError, ProcessEnded, Question

IDLE_SECONDS = 600.0
VECTORS, LOG_NAME = "vectors", "asking.log"
"""In the home: a folder of kept vectors, and what the process said last."""
MOST_KNOWN = 64
"""Answers that are kept, for a page is drawn again and again."""


@final
class Ticket:
    """A question that was asked: how far it is, and what it comes to."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.share, self.stage = 0.0, "waiting for another question"
        self._done = threading.Event()
        self._answer: Answer | None = None
        self._error: AskingError | None = None

    def wait(self, seconds: float) -> bool:
        """Whether it is done, after so many seconds at most."""
        return self._done.wait(seconds)

    @property
    def failed(self) -> bool:
        return self._error is not None

    def answer(self) -> Answer:
        """What it came to. Raises `AskingError` where it cannot be answered, or is not done."""
        if self._error is not None:
            raise self._error
        if self._answer is None:
            raise AskingError("this question is not answered yet")
        return self._answer

    def finish(self, found: Answer | AskingError) -> None:
        """Answer it, once: what comes later is nobody's."""
        if self._done.is_set():
            return
        if isinstance(found, Answer):
            self._answer = found
        else:
            self._error = found
        self._done.set()


@final
class Asker:
    """Asks one process, one question after another, and starts it where there is none.

    It may be used from any number of threads. One thread of its own speaks with the process; it is a daemon,
    so that an app that ends waits for no answer.

    Args:
        idle: Seconds without a question after which the process ends.
        command: What is started instead of `privgraph.runs.ask`.
        look: Seconds between two looks whether the process has ended, so that it is buried.
    """

    def __init__(self, *, idle: float = IDLE_SECONDS, command: Sequence[str] = (), look: float = 5.0) -> None:
        self._look = look
        own = [sys.executable, "-P", "-m", "privgraph.runs.ask", "--idle", str(idle), "--parent", str(os.getpid())]
        self._command = list(command) or own
        self._waiting: SimpleQueue[Ticket | None] = SimpleQueue()
        self._known: OrderedDict[Question, Ticket] = OrderedDict()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._at: Ticket | None = None

    def ask(self, question: Question) -> Ticket:
        """Ask; equal questions share an answer, and one that failed is asked again."""
        with self._lock:
            known = self._known.get(question)
            if known is not None and not known.failed:
                self._known.move_to_end(question)
                return known
            ticket = self._known[question] = Ticket(question)
            self._known.move_to_end(question)
            while len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="asking", daemon=True)
                self._thread.start()
            self._waiting.put(ticket)
            return ticket

    def cancel(self, ticket: Ticket) -> None:
        """Refuse a question that is not answered. The process that is at it ends; what encoders have read
        to the end is kept."""
        with self._lock:
            ticket.finish(AskingError("the question was cancelled"))
            if ticket is self._at and self._child is not None:
                self._child.terminate()

    @property
    def pid(self) -> int | None:
        """The number of the process; None while there is none."""
        child = self._child
        return child.pid if child is not None and child.poll() is None else None

    def close(self) -> None:
        """End the process and the thread; questions that wait are refused."""
        with self._lock:
            thread, self._thread = self._thread, None
            left = []
            while not self._waiting.empty():
                left.append(self._waiting.get())
            if thread is not None:
                self._waiting.put(None)
            if self._child is not None:
                self._child.terminate()
        for ticket in left:
            if ticket is not None:
                ticket.finish(ProcessEnded("the process that reads texts was ended"))
        if thread is not None:
            thread.join()
        self._bury()

    def _serve(self) -> None:
        while (ticket := self._next()) is not None:
            with self._lock:
                if ticket.failed:  # it was cancelled
                    continue
                self._at = ticket
            try:
                found: Answer | AskingError = self._exchange(ticket)
            except AskingError as error:
                found = error
            except OSError as error:
                found = ProcessEnded(f"no process that reads texts could be started ({error})")
            with self._lock:
                self._at = None
                ticket.finish(found)

    def _next(self) -> Ticket | None:
        """The next question; None when this thread is to end: it was closed, or the process has ended and
        nobody waits."""
        while True:
            try:
                return self._waiting.get(timeout=self._look)
            except Empty:
                with self._lock:
                    gone = self._child is None or self._child.poll() is not None
                    if gone and self._waiting.empty():
                        self._bury()
                        self._thread = None
                        return None

    def _exchange(self, ticket: Ticket) -> Answer:
        """Ask the process, and listen until it has answered."""
        line = json.dumps(ticket.question.to_json()).encode() + b"\n"
        for first in (True, False):
            ticket.stage = "starting"
            child = self._running()
            if ticket.failed:  # it was cancelled before there was a process to end
                return ticket.answer()
            assert child.stdin is not None
            assert child.stdout is not None
            try:
                child.stdin.write(line)
                child.stdin.flush()
            except BrokenPipeError:
                pass  # it has ended, which its silence will say
            heard = False
            for said in child.stdout:
                heard = True
                found = _parsed(said)
                if "answer" in found:
                    return Answer.from_json(found["answer"])
                if "error" in found:
                    raise AskingError(str(found["error"]))
                ticket.share, ticket.stage = float(found["share"]), str(found["stage"])
            code = child.wait()
            if code == 0 and first and not heard:
                continue  # it had just ended because nobody had asked for long
            note_exit(child.pid, code)
            raise ProcessEnded(self._how(child))
        raise AssertionError("unreachable")

    def _how(self, child: subprocess.Popen[bytes]) -> str:
        how = how_it_ended(child.pid) or "ended"
        words = [] if "signal" in how else last_words(_log()).splitlines()
        said = f"; its last words were: {short(words[-1].strip())}" if words else ""
        return f"the process that reads texts {how}{said}; ask again, and another one starts"

    def _running(self) -> subprocess.Popen[bytes]:
        """The process that is there, or a new one."""
        if self._child is not None and self._child.poll() is None:
            return self._child
        self._bury()
        with _log().open("wb") as log:
            self._child = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
                env=environment() | {"PYTHONFAULTHANDLER": "1", "TOKENIZERS_PARALLELISM": "false"},
                umask=umask(),
            )
        return self._child

    def _bury(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:  # what was left to be written to it
                    continue
        note_exit(child.pid, child.wait())


def _log() -> Path:
    return home() / LOG_NAME


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(line)
    except ValueError:
        raise AskingError(f"the process that reads texts said what is no answer: {short(line)}") from None
    return found
