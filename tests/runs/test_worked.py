"""Worked examples that ship with the program: what is kept is what the encoders answer."""

from dataclasses import replace
from pathlib import Path

import pytest

from privgraph.data.load import load
from privgraph.runs import examples, worked
from privgraph.runs.questions import Answer, Entity, Near, Question
from privgraph.studies.examples import askable
from privgraph.studies.worked import of_domain, question


@pytest.fixture
def asked() -> Question:
    """What the examples that ship were asked."""
    return question(examples.open_store(), askable())


@pytest.mark.long
def test_what_ships_is_of_these_data_and_of_the_encoders_that_ship(asked: Question) -> None:
    """Where this fails, the examples or their data are others: python -m privgraph.studies.worked."""
    graph = load(asked.data, data_options=dict(asked.data_options))
    own = graph.domain_names.index(asked.domain)
    assert worked.FILE.stat().st_size < worked.LIMIT
    assert list(worked.content()["answers"]) == of_domain(asked)
    assert worked.texts(asked) == of_domain(asked)
    for text in worked.texts(asked):
        found = worked.find(replace(asked, text=text))
        assert found.text == text
        assert found.texts == int((graph.domains == own).sum())
        source = graph.texts.index(text)
        partners = {int(b if a == source else a) for a, b in graph.relations(own).T.tolist() if source in (a, b)}
        assert {one.number for one in found.entities if one.partner} == partners
        for one in found.entities:
            assert (one.text, int(graph.domains[one.number])) == (graph.texts[one.number], own)
        for encoder in asked.encoders:
            places = sorted(one.places[encoder.name] for one in found.entities)
            assert places[: asked.neighbours] == list(range(1, asked.neighbours + 1))


def made(asked: Question) -> Answer:
    """An answer in which each encoder has another text first; none is a partner but the last."""
    names = [one.name for one in asked.encoders]

    def entity(row: int) -> Entity:
        places = {name: 1 + (row + shift) % 12 for shift, name in enumerate(names)}
        return Entity(
            number=row, text=f"text {row}", partner=row == 11, places=places, scores=dict.fromkeys(names, 0.5)
        )

    near = dict.fromkeys(names, Near(score=0.5, usual=0.6, chance=0.1, nearer=0.8))
    return Answer(
        entities=tuple(map(entity, range(12))), searched=99, texts=100, text="oak bench", partners=1, near=near
    )


@pytest.mark.long
def test_a_kept_answer_is_that_of_the_encoders_that_are_asked(asked: Question, tmp_path: Path) -> None:
    path = tmp_path / "worked.json.xz"
    whole = made(asked)
    assert worked.write(asked, {"oak bench": whole}, path).startswith("worked.json.xz holds 1 answers in ")
    one = replace(asked, text="oak bench")
    assert worked.find(one, path) == whole
    called = replace(
        one,
        neighbours=3,
        encoders=tuple(replace(it, name=name) for it, name in zip(one.encoders[:2], "ab", strict=True)),
    )
    found = worked.find(called, path)
    assert set(found.near) == {"a", "b"}
    assert [entity.number for entity in found.entities] == [0, 1, 2, 11], (
        "the three nearest under either, and the partner"
    )
    assert found.entities[0].places == {"a": 1, "b": 2}


@pytest.mark.long
def test_a_run_that_has_learnt_something_else_is_asked_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(examples.PLACE, str(tmp_path))  # unpacked for this test alone
    asked = question(examples.open_store(), askable())
    adapter = Path(asked.encoders[-1].folder) / examples.ADAPTER[0]
    adapter.write_bytes(adapter.read_bytes() + b"0")
    assert worked.texts(asked) == []
    assert worked.texts(replace(asked, encoders=asked.encoders[:-1])) == of_domain(asked)
