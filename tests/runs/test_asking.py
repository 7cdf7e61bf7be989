"""Questions about texts: answers against a slow twin, wrong input, and the process that reads texts."""

import json
import os
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch
from tests.methods.relations.test_nearest import adapted, slowly

from privgraph.data.load import load
from privgraph.methods.relations.nearest import load_reader
from privgraph.runs.ask import Room, read_lines, replies
from privgraph.runs.asking import Asker, Ticket
from privgraph.runs.questions import MOST_BYTES, Answer, Asked, AskingError, ProcessEnded, Question

SHOP: dict[str, Any] = {"products": 50, "purchases": 3.0}
BASE = Asked(name="base", encoder="tiny", max_tokens=32, similarity="cosine")


def question(text: str = "rustic oak bench", **given: Any) -> Question:
    made: dict[str, Any] = {
        "text": text,
        "data": "products",
        "data_options": tuple(sorted(SHOP.items())),
        "domain": "garden",
        "neighbours": 5,
        "encoders": (BASE,),
    }
    return Question(**made | given)


def said(room: Room, *lines: bytes) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    replies(room, iter(lines), found.append)
    return found


def line(asked: Question, **changed: Any) -> bytes:
    return json.dumps(asked.to_json() | changed).encode()


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path / "vectors")


@pytest.mark.parametrize("known", [False, True])
def test_an_answer_is_that_of_a_slow_twin(room: Room, tmp_path: Path, known: bool) -> None:
    graph = load("products", data_options=SHOP)
    own = [node for node in range(graph.num_nodes) if int(graph.domains[node]) == 1]
    source = int(graph.relations(1)[0, 0])
    text = graph.texts[source] if known else "a nordic swing of brass"
    run = replace(BASE, name="run", folder=str(adapted(tmp_path / "run")))
    found = room.answer(question(text, encoders=(BASE, run)), lambda share, stage: None)
    partners = {int(b if a == source else a) for a, b in graph.relations(1).T.tolist() if source in (a, b)}
    expected = partners if known else set()
    assert {one.number for one in found.entities if one.partner} == expected
    assert (found.known, found.partners) == (known, len(expected))
    assert (found.searched, found.texts) == (50 - known, 50)
    nearest: set[int] = set()
    for name, folder in (("base", None), ("run", Path(run.folder))):
        reader = load_reader("tiny", max_tokens=32, similarity="cosine", adapter=folder)
        asked = torch.tensor(slowly(reader, text))
        scores = {
            node: float(asked @ torch.tensor(slowly(reader, graph.texts[node])))
            for node in own
            if not (known and node == source)
        }
        order = sorted(scores, key=lambda node: -scores[node])
        nearest |= set(order[:5])
        for one in found.entities:
            assert one.text == graph.texts[one.number]
            assert one.scores[name] == pytest.approx(scores[one.number], abs=1e-5)
            assert one.places[name] == order.index(one.number) + 1
    assert {one.number for one in found.entities} == nearest | expected


def test_a_text_in_other_letters_is_the_text_of_the_data(room: Room) -> None:
    graph = load("products", data_options=SHOP)
    own = graph.texts[int(graph.relations(1)[0, 0])]
    typed = f"  {own.upper().replace(' ', '   ')}\t"
    exact = room.answer(question(own), lambda share, stage: None)
    assert exact.text == own
    assert room.answer(question(typed), lambda share, stage: None) == exact
    assert not room.answer(question(f"{own} x"), lambda share, stage: None).known


def test_how_near_the_nearest_is_stands_beside_what_is_usual(room: Room) -> None:
    graph = load("products", data_options=SHOP)
    best = []
    for node in (graph.domains == 1).nonzero().squeeze(1).tolist():
        found = room.answer(question(graph.texts[node]), lambda share, stage: None)
        best.append(found.near["base"].score)
        assert best[-1] == max(one.scores["base"] for one in found.entities)
    near = room.answer(question("qwer asdf"), lambda share, stage: None).near["base"]
    assert near.usual == pytest.approx(sorted(best)[24], abs=1e-5)
    assert near.nearer == pytest.approx(sum(one > near.score for one in best) / 50, abs=1e-9)


def test_another_adapter_in_the_same_folder_is_read_anew(room: Room, tmp_path: Path) -> None:
    run = replace(BASE, name="run", folder=str(adapted(tmp_path / "run", seed=1)), made=1.0)
    first = room.answer(question(encoders=(run,)), lambda share, stage: None)
    adapted(tmp_path / "run", seed=2)
    again = room.answer(question(encoders=(run,)), lambda share, stage: None)
    other = room.answer(question(encoders=(replace(run, made=2.0),)), lambda share, stage: None)
    assert again == first
    assert other != first


TEXTS = [({"text": "a" * 2001}, "at most 2,000 characters (got 2,001)"), ({"text": "\ud83d"}, "half a character")]
REFUSED = tomllib.loads(Path(__file__).with_name("refused.toml").read_text())["questions"]


@pytest.mark.parametrize(("given", "sentence"), [*TEXTS, *REFUSED])
def test_wrong_questions_are_one_sentence_and_the_next_is_answered(
    room: Room, given: dict[str, Any], sentence: str
) -> None:
    encoder = question().to_json()["encoders"][0] | given.get("encoder", {})
    given = {"encoders": [encoder]} | {name: value for name, value in given.items() if name != "encoder"}
    found = [one for one in said(room, line(question(), **given), line(question())) if "stage" not in one]
    assert sentence in found[0]["error"], found[0]
    assert "\n" not in found[0]["error"]
    assert "answer" in found[1]


@pytest.mark.parametrize("wrong", [b"[]", b"{", b"\xff\xfe", b"x" * (MOST_BYTES + 1)])
def test_lines_that_are_no_question(room: Room, wrong: bytes) -> None:
    (found,) = said(room, wrong)
    assert found["error"].startswith("a question must ")


def test_lines_come_whole_and_long_ones_are_cut() -> None:
    source, sink = os.pipe()
    os.write(sink, b'{"a": 1}\n{"b"')
    lines = read_lines(source, 5)
    assert next(lines) == b'{"a": 1}'
    os.write(sink, b": 2}\n")
    assert next(lines) == b'{"b": 2}'
    os.write(sink, b"unfinished")
    os.close(sink)
    assert list(lines) == []
    os.close(source)


def test_a_line_that_never_ends_takes_no_more_memory_than_one_that_is_admitted(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"x" * (4 * MOST_BYTES) + b"\nnext\n")
    source = os.open(path, os.O_RDONLY)
    first, second = read_lines(source, 5)
    os.close(source)
    assert len(first) <= 2 * MOST_BYTES + 1
    assert len(first) > MOST_BYTES
    assert second == b"next"


ANSWER = {"entities": [], "searched": 3, "texts": 3, "text": "", "partners": 0, "near": {}}
SCRIPT = """
import json, os, sys, time
for place, line in enumerate(sys.stdin):
    text = json.loads(line)["text"]
    if text == "vanish" and place or text == "never":
        sys.exit(0)
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
