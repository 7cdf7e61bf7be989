"""What the statements of relational learning say besides their epsilons: what is assumed, what is taken to be
public, and where the paper promises more."""

from __future__ import annotations

from typing import Any

import pytest

from privgraph.methods.relations.relational.config import PUBLIC_COUNT
from privgraph.options import build
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import method
from privgraph.testing.methods import TEXT_FACTS

TEXTS = "texts, and which domain each belongs to, are public"
BASE = "the encoder that is fine-tuned was not trained on these relations"
ALONE = "this run alone is released"


def statement(name: str, **options: Any) -> PrivacyStatement:
    config = build(method(name).load_config(), options)
    found = config.plan(TEXT_FACTS).statement
    assert isinstance(found, PrivacyStatement)
    return found


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("relational", (TEXTS, BASE, "each relation of the training domain independently", "gradient", ALONE)),
        ("relation-rand", (TEXTS, BASE, ALONE)),
    ],
)
def test_every_assumption_of_the_proof_is_stated(name: str, said: tuple[str, ...]) -> None:
    told = statement(name, encoder="tiny").assumptions
    for words in said:
        assert any(words in one for one in told), words


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("relational", {"A relation that stands in both directions", "Choosing the checkpoint", "Tuning is unpaid"}),
        ("relation-rand", {"Tuning is unpaid"}),
    ],
)
def test_what_the_paper_leaves_open_is_stated(name: str, titles: set[str]) -> None:
    assert {gap.title for gap in statement(name, encoder="tiny").gaps} == titles


@pytest.mark.parametrize("name", ["relational", "relation-rand"])
def test_the_number_of_relations_is_public_only_where_rate_and_delta_are_as_published(name: str) -> None:
    for accounting in ("sound", "published"):
        told = statement(name, encoder="tiny", accounting=accounting)
        assert (PUBLIC_COUNT in told.public) == ((name, accounting) == ("relational", "published"))


def test_without_privacy_nothing_is_assumed_and_nothing_left_open() -> None:
    told = statement("relational", unit="none", encoder="tiny")
    assert told.gaps == ()
    assert not any(TEXTS in one for one in told.assumptions)


@pytest.mark.parametrize("name", ["relational", "relation-rand"])
def test_only_of_the_embedded_encoder_is_it_known_which_relations_it_has_read(name: str) -> None:
    for encoder, read in (("minilm", True), ("tiny", False)):
        told = " ".join(statement(name, encoder=encoder).assumptions)
        assert ("minilm has read citations between scientific papers" in told) == read
