"""Questions about texts: answers against a slow twin, the protocol, and wrong input."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.methods.relations.test_nearest import adapted, slowly

from privgraph.data.load import load
from privgraph.methods.relations.nearest import load_reader
from privgraph.runs.ask import Room, read_lines, replies
from privgraph.runs.questions import MOST_BYTES, Asked, Question

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


def encoder(**changed: Any) -> dict[str, Any]:
    return {"encoders": [question().to_json()["encoders"][0] | changed]}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"text": "a" * 2001}, "a text must have at most 2,000 characters (got 2,001)"),
        ({"text": " \n\t"}, "type a text: there is nothing to compare with"),
        ({"text": "half \ud83d"}, "the text holds half a character"),
        ({"neighbours": 0}, "neighbours must lie between 1 and 50 (got 0)"),
        ({"neighbours": 2.5}, "neighbours must be a whole number (got 2.5)"),
        ({"encoders": []}, "one to 4 encoders of different names are asked"),
        ({"data_options": {"products": [1]}}, "an option of the data is neither text nor number"),
        ({"extra": 1}, "a question must have the fields of Question"),
        ({"domain": "attic"}, "the domain must be one of kitchen, garden (got attic)"),
        ({"data": "karate", "data_options": {}}, "karate has no texts in domains (got garden)"),
        ({"data_options": {"products": 1}}, "products must be at least 50"),
        (encoder(encoder="nonsense"), "it must be minilm, tiny or the path of a folder"),
        (encoder(similarity="angle"), "similarity must be one of cosine, dot (got angle)"),
        (encoder(folder="/nowhere/run"), "there is no adapter to be read in run"),
        (encoder(max_tokens=0), "max_tokens must be a whole number of at least 1 (got 0)"),
        (encoder(made="now"), "an encoder is asked by texts"),
    ],
)
def test_wrong_questions_are_one_sentence_and_the_next_is_answered(
    room: Room, given: dict[str, Any], sentence: str
) -> None:
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
