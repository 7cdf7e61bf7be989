"""What audits have shown, run by run: on the page Attacks and on the page of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_audits import audit as made_audit
from tests.pages.kept_runs import keep, spec
from tests.pages.reading import texts

from privgraph.privacy.statements import GAP_UNDIRECTED_EDGE
from privgraph.registry import AUDITS
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import reach
from privgraph_workbench.views.attacks import audited_runs
from privgraph_workbench.words.numbers import stated

Open = Callable[..., AppTest]
GAPS = (GAP_UNDIRECTED_EDGE,)


@pytest.mark.long
def test_that_an_audit_could_not_have_refuted_the_claim_is_said_on_the_page_of_the_run(
    opened: Open, store: RunStore
) -> None:
    run = keep(store, spec("edge-rand", epsilon=8.0))
    statement = store.get(run).statement
    assert statement is not None
    made = made_audit(run, noise=0.8, claimed=statement.epsilon, published=statement.epsilon, delta=statement.delta)
    record = replace(made, bounds=made.bounds[:1])
    assert reach.too_few(record)
    assert not reach.too_few(made), "a trade-off is not limited by how much is counted"
    store.add_audit(run, record)
    most = f"{reach.most(record):.2f}, ε is {stated('sound', statement.epsilon)}"
    assert f"not refuted, nor could it be: this audit reaches {most}" in texts(opened("train", run=run))
    store.add_audit(run, record)
    assert f"not refuted, nor could it be: these audits reach {most}" in texts(opened("train", run=run))


@pytest.mark.long
@pytest.mark.parametrize("alone", [True, False])
def test_the_premise_of_a_refutation_stands_in_its_mark_with_what_stands_in_the_place_of_the_claim(
    opened: Open, store: RunStore, alone: bool
) -> None:
    run = keep(store, spec("progap", unit="edge", epsilon=8.0), public=True)
    said = store.get(run).statement
    assert said is not None
    published = said.epsilon_as_published
    assert published is not None
    made = made_audit(run, noise=0.8, claimed=said.epsilon, published=published, delta=said.delta)
    bounds = replace(made.bounds[0], epsilon=4.0 if alone else 6.5), replace(made.bounds[1], epsilon=7.5)
    assert 4.0 < published < 6.5
    store.add_audit(run, replace(made, turn=store.begin_audit(run), epsilon=7.5, bounds=bounds))
    text = texts(opened("train", run=run))
    taken = ", if Gaussian" * alone
    assert f"the paper's {stated('published', published)} is refuted{taken}]" in text
    assert f". With secret noise, the sound {stated('sound', said.epsilon)} stands in its place." in text
    assert text.count("Its noise is public: as run, it protects nobody") == 1, "once, where it is told what it hides"


def test_all_audited_runs_stand_in_one_table_that_opens_them(opened: Open, store: RunStore, run: str) -> None:
    other = keep(store, spec("dp-mlp", unit="node", epsilon=2.0, batch_size=8))
    said = store.get(run).statement
    assert said is not None
    store.add_audit(run, made_audit(run, noise=0.8, delta=said.delta))
    label = "Which claims are refuted?"
    assert label not in str([one.label for one in opened("audit", run=run).expander]), "of one there is nothing to rank"
    store.add_audit(other, made_audit(other, noise=0.4, delta=said.delta))
    app = opened("audit", run=run)
    app.session_state["fold.audited"] = True
    app.run()
    assert not app.exception
    table = next(one.value for one in app.dataframe if "refuted" in one.value.columns)
    assert list(table.columns) == [
        "ε audited",
        "taking nothing for granted",
        "ε as published",
        "sound ε",
        "refuted",
        "run",
    ]
    shown = store.audited_by(AUDITS)
    assert shown[other] > shown[run]
    assert list(table["ε audited"]) == [stated("audited", shown[one]) for one in (other, run)], "the most first"
    assert [one.startswith("▸ ") for one in table["run"]] == [False, True], "the one that is open is marked"
    said = replace(said, epsilon=8.0, epsilon_as_published=4.0)
    told = ("nothing", "the paper's formula", "our proof")
    assert tuple(audited_runs.refuted(said, one) for one in (4.0, 5.0, 9.0)) == told
    assert audited_runs.refuted(replace(said, epsilon_as_published=None), 5.0) == "nothing"
    assert audited_runs.refuted(said, 5.0, 4.5) == "the paper's formula", "without any premise, too"
    assert audited_runs.refuted(said, 5.0, 2.0) == f"the paper's formula, {audited_runs.PREMISE}"
