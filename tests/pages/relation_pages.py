"""What tests of the page Relations share: a process that answers, data without a process, and readings."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_relations import made_answer
from tests.pages import offered_files

from privgraph.runs.asking import Ticket
from privgraph.runs.questions import Answer, AskingError, Question
from privgraph.testing.methods import TEXT_FACTS
from privgraph_workbench.facts import describing
from privgraph_workbench.jobs import asking
from privgraph_workbench.parts import encoders
from privgraph_workbench.serving.offered_files import find

Open = Callable[..., AppTest]
EXAMPLES = {"garden": (("oak swing", "oak bench"), ("tin rake", "tin spade")), "kitchen": (("red mug", "blue mug"),)}


class Answering:
    """Stands for the process: it keeps what it was asked, and answers what it was told to."""

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.found: Answer | AskingError | None = made_answer()
        self.cancelled: list[Ticket] = []
        self.pid: int | None = None

    def cancel(self, ticket: Ticket) -> None:
        self.cancelled.append(ticket)
        ticket.finish(AskingError("the question was cancelled"))

    def ask(self, question: Question) -> Ticket:
        self.asked.append(question)
        ticket = Ticket(question)
        if self.found is None:
            ticket.share, ticket.stage = 0.25, "encoding 1,000 texts by the encoder base"
            return ticket
        names = [one.name for one in question.encoders]
        found = self.found
        if isinstance(found, Answer):
            found = replace(
                found,
                entities=tuple(
                    replace(
                        one,
                        places={name: one.places[name] for name in names},
                        scores={name: one.scores[name] for name in names},
                    )
                    for one in found.entities
                ),
            )
        ticket.finish(found)
        return ticket


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Answering:
    made = Answering()
    monkeypatch.setattr(asking, "asker", lambda: made)
    monkeypatch.setattr(encoders, "PATIENCE", 0.0)
    return made


@pytest.fixture
def exemplified(monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples without another process that reads the data."""

    class Described:
        domains = tuple(
            describing.Domain(name=name, texts=60, relations=90, words=2.0, most_words=2, samples=samples)
            for name, samples in EXAMPLES.items()
        )
        facts = TEXT_FACTS

    monkeypatch.setattr(describing, "describe", lambda *_, **__: Described())


def lists(app: AppTest) -> list[str]:
    """The nearest texts under each encoder, in order."""
    return [one.value for one in app.markdown if one.value.startswith("**1** ")]


def ask(app: AppTest, text: str) -> AppTest:
    app.text_input(key=encoders.TEXT).set_value(text)
    app.button(key="ask").click().run()
    assert not app.exception, app.exception
    return app


def files(app: AppTest) -> dict[str, dict[str, Any]]:
    """The page's figures as their JSON files have them, by name."""
    found = {}
    for label, address in offered_files.links(app):
        if label == "JSON":
            _, token, place = address.split("/", 2)
            file = find(token, unquote(place))
            assert file is not None
            read = json.loads(file.make())
            found[read["figure"]] = read
    return found
