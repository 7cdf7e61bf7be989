"""The process that reads texts: one answers all, its death costs one question, and it ends when nobody is
there."""

import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

import psutil
import pytest
from tests.runs.test_asking import question

from privgraph.runs.asking import Asker, Ticket
from privgraph.runs.questions import Answer, AskingError, ProcessEnded

ANSWER = {"entities": [], "searched": 3, "texts": 3, "text": "", "partners": 0, "near": {}}
SCRIPT = """
import json, os, sys, time
for place, line in enumerate(sys.stdin):
    text = json.loads(line)["text"]
    if text == "vanish" and place or text == "never":
        sys.exit(0)
    if text == "once":
        mark = os.path.join(os.environ["PRIVGRAPH_HOME"], "mark")
        if not os.path.exists(mark):
            open(mark, "w").close()
            sys.exit(3)
    if text == "die":
        os.kill(os.getpid(), 9)
    if text == "stumble":
        sys.exit("ValueError: over this stone")
    if text == "sleep":
        time.sleep(600)
    if text == "babble":
        print("hello", flush=True)
        continue
    if text == "refuse":
        print(json.dumps({"error": "not this one"}), flush=True)
        continue
    print(json.dumps({"share": 0.5, "stage": "half way"}), flush=True)
    print(json.dumps({"answer": dict(%s, texts=os.getpid())}), flush=True)
    if text == "leave":
        sys.exit(0)
"""


@pytest.fixture
def asker() -> Iterator[Asker]:
    made = Asker(command=[sys.executable, "-c", SCRIPT % ANSWER])
    yield made
    made.close()


def answered(asker: Asker, text: str, **given: Any) -> Answer:
    ticket = asker.ask(question(text, **given))
    assert ticket.wait(60)
    return ticket.answer()


def test_one_process_answers_all_and_equal_questions_are_asked_once(asker: Asker) -> None:
    assert asker.pid is None, "none before the first question"
    first = answered(asker, "one")
    assert first.texts == asker.pid == answered(asker, "two").texts
    ticket = asker.ask(question("one"))
    assert ticket is asker.ask(question("one"))
    assert (ticket.share, ticket.stage) == (0.5, "half way")
    with pytest.raises(AskingError, match="not answered yet"):
        Ticket(question()).answer()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("die", "the process that reads texts was killed (signal 9), which the system does when memory runs out"),
        ("stumble", "ended with exit code 1; its last words were: ValueError: over this stone"),
    ],
)
def test_a_death_is_told_and_the_next_question_starts_another(asker: Asker, text: str, sentence: str) -> None:
    first = answered(asker, "one").texts
    with pytest.raises(ProcessEnded) as raised:
        answered(asker, text)
    assert sentence in str(raised.value)
    assert str(raised.value).endswith("; ask again, and another one starts")
    assert "\n" not in str(raised.value)
    assert answered(asker, "two").texts not in (first, None)


def test_a_process_that_left_because_it_was_idle_is_no_fault(asker: Asker) -> None:
    first = answered(asker, "leave").texts
    second = answered(asker, "two").texts
    assert second != first
    assert answered(asker, "vanish").texts != second, "it ended as the question came"
    with pytest.raises(ProcessEnded, match="the process that reads texts ended; ask again"):
        answered(asker, "never")


def test_closing_refuses_who_waits(asker: Asker) -> None:
    answered(asker, "one")
    tickets = [asker.ask(question("sleep")), *(asker.ask(question(f"after {place}")) for place in range(3))]
    asker.close()
    for ticket in tickets:
        assert ticket.wait(60)
        with pytest.raises(ProcessEnded):
            ticket.answer()


def test_a_question_that_is_cancelled_costs_its_process_and_no_other_question(asker: Asker) -> None:
    first = answered(asker, "one").texts
    at, waits, next_one = (asker.ask(question(text)) for text in ("sleep", "die", "two"))
    assert not at.wait(0.2)
    for ticket in (waits, at):
        asker.cancel(ticket)
        assert ticket.wait(0), "nobody waits for the process"
        with pytest.raises(AskingError, match="the question was cancelled"):
            ticket.answer()
    assert next_one.wait(60)
    assert next_one.answer().texts not in (first, None), "what was cancelled before its turn is not asked"
    asker.cancel(next_one)
    assert next_one.answer().searched == 3, "an answer stays one"


def test_what_is_refused_and_what_is_no_answer(asker: Asker) -> None:
    for text, sentence in (("refuse", "not this one"), ("babble", "said what is no answer: b'hello")):
        with pytest.raises(AskingError, match=sentence):
            answered(asker, text)
    assert answered(asker, "one").searched == 3


def own(*words: str, **more: Any) -> subprocess.Popen[bytes]:
    """The real process."""
    command = [sys.executable, "-P", "-m", "privgraph.runs.ask", *words]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


@pytest.mark.parametrize("idle", [True, False])
def test_the_real_process_ends_when_idle_or_alone(idle: bool) -> None:
    with own("--idle", "0.01" if idle else "600") as process:
        if not idle:
            process.stdin.close()
        assert process.wait(60) == 0
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")


def test_the_real_process_ends_with_its_parent_though_somebody_could_still_ask() -> None:
    """Its parent dies by a signal; the pipe that it reads is held open by this test."""
    code = """
        import os, subprocess, sys, time
        flags = ["--idle", "600", "--parent", str(os.getpid())]
        child = subprocess.Popen([sys.executable, "-P", "-m", "privgraph.runs.ask", *flags])
        print(child.pid, flush=True)
        time.sleep(600)
    """
    kept, pipe = os.pipe()
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdin=kept, stdout=subprocess.PIPE) as parent:
        os.close(kept)
        process = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    psutil.wait_procs([process], timeout=60)
    os.close(pipe)
    assert not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


@pytest.mark.long
def test_the_real_process_answers_and_keeps_its_words_apart() -> None:
    made = Asker()
    try:
        assert answered(made, "rustic oak bench").searched == 50
        with pytest.raises(AskingError, match="the domain must be one of kitchen, garden"):
            answered(made, "rustic oak bench", domain="attic")
    finally:
        made.close()
