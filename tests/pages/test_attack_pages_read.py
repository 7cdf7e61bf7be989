"""What the pages on attacks say once, in which order, and what an address of a run opens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_attacks import attack as made_attack
from tests.figures.made_audits import audit as made_audit
from tests.pages.kept_runs import keep, spec

from privgraph.runs.store import RunStore
from privgraph_workbench.facts import without_edges
from privgraph_workbench.views.attacks import verdict
from privgraph_workbench.words import attacks as attack_words
from privgraph_workbench.words import relying, verdicts
from privgraph_workbench.words import statements as statement_words

Open = Callable[..., AppTest]
PREMISE = "if the noise is Gaussian"


@pytest.fixture
def refuted(store: RunStore) -> str:
    """A run whose published epsilon an audit refutes by a premise alone, and the sound one stands."""
    run = keep(store, spec("progap", unit="edge", epsilon=8.0), public=True)
    said = store.get(run).statement
    assert said is not None
    made = made_audit(run, noise=0.8, claimed=said.epsilon, published=said.epsilon_as_published, delta=said.delta)
    bounds = replace(made.bounds[0], epsilon=4.0), replace(made.bounds[1], epsilon=7.5)
    store.add_audit(run, replace(made, turn=store.begin_audit(run), epsilon=7.5, bounds=bounds))
    return run


def test_a_verdict_names_its_premise_once(opened: Open, refuted: str) -> None:
    (box,) = [one.value for one in opened("audit", run=refuted).warning if "**Refuted" in one.value]
    assert box.count(PREMISE) == 1
    assert "On that premise, the attack shows that the ε is at least 7.5." in box
    assert "Without that premise, at least 4 is shown, which does not refute it." in box


def test_where_no_verdict_stands_beside_it_the_answer_names_the_premise(store: RunStore, refuted: str) -> None:
    said = store.get(refuted).statement
    assert said is not None
    assert f"which is refuted, {PREMISE}" in relying.answer(said, [], store.audits(refuted))
    assert PREMISE not in relying.answer(said, [], store.audits(refuted), fallen_told=True)


def test_the_published_number_has_one_mark_and_one_reason_on_both_pages(
    opened: Open, store: RunStore, refuted: str
) -> None:
    said = store.get(refuted).statement
    assert said is not None
    for page in ("audit", "train"):
        app = opened(page, run=refuted)
        marks = [
            one.value for one in app.markdown if one.value.startswith(":red-badge[") and "public noise" not in one.value
        ]
        assert ["refuted, if Gaussian" in one for one in marks] == [True], page
        assert statement_words.why_published(said) in [one.value for one in app.caption], page
        assert not app.error, page


def test_the_next_audit_stands_before_the_numbers_and_the_form_after_them(opened: Open, refuted: str) -> None:
    order = list(opened("audit", run=refuted).main)
    told = [str(getattr(one, "label", "") or getattr(one, "value", "")) for one in order]

    def place(text: str) -> int:
        return next(number for number, one in enumerate(told) if one.startswith(text))

    assert place("**Refuted") < place("Audit again with") < place("#### ") < place("A new audit of this run")


@pytest.mark.parametrize("earlier", [0, 1])
def test_a_form_is_folded_once_its_result_is_there(opened: Open, store: RunStore, earlier: int) -> None:
    run = keep(store, spec("dp-mlp", unit="node", epsilon=8.0, batch_size=8))
    for seed in range(earlier):
        store.add_audit(run, made_audit(run, seed=seed))
    app = opened("audit", run=run, audit="white-box")

    def is_open() -> list[bool]:
        return [one.proto.expanded for one in app.expander if one.label == "A new audit of this run"]

    assert is_open() == [True] * earlier, "the address asks for it; the first stands unfolded"
    store.add_audit(run, made_audit(run, seed=earlier))
    app.run()
    assert is_open() == [False]


def test_that_the_runs_own_nodes_are_not_certain_stands_in_the_open(opened: Open, store: RunStore) -> None:
    run = keep(store, spec("dp-mlp", unit="node", epsilon=8.0, batch_size=8))
    made = made_attack(run, memory=0.4)
    weak = replace(made, bound=None, outcome=replace(made.outcome, area_low=0.49))
    weak = replace(weak, areas=(0.53, 0.531, 0.532))
    assert verdicts.on_average_alone(weak)
    store.add_attack(run, weak)
    app = opened("attacks", run=run)
    boxes = [one.value for kind in (app.warning, app.info, app.error) for one in kind]
    assert sum(verdict.alone(weak) in one for one in boxes) == 1
    told = [one.value for one in opened("train", run=run).markdown if "picks the right one" in one.value]
    assert told[0].endswith("On the run's own training nodes alone that is not certain.")


def test_who_has_found_what_stands_beside_each_verdict_of_a_run(opened: Open, store: RunStore, refuted: str) -> None:
    store.add_attack(refuted, made_attack(refuted))
    app = opened("train", run=refuted)
    told = [one.value for one in app.markdown]
    assert ":gray[by an outsider, so far]" in told
    assert ":gray[by the worst case, so far]" in told
    assert ": in the worst case, next to no protection. **Its noise is public" in told[0]


def test_a_link_attack_says_by_which_distance(store: RunStore) -> None:
    made = replace(made_attack(), attack="link", title="Stolen edges")
    assert attack_words.kind(made) == f"Stolen edges, by {made.options.distance} distance"
    by = replace(made, options=replace(made.options, by="influence"))
    assert "distance" not in attack_words.kind(by)
    assert "distance" not in attack_words.kind(made_attack())
    assert without_edges.severities(store, store.get(keep(store, spec())), []) == []


def test_an_address_of_the_list_that_names_a_run_opens_it(opened: Open, store: RunStore) -> None:
    run = keep(store, spec("progap", epsilon=2.0))
    assert opened("runs", run=run).title[0].value == "ProGAP on Karate club"
    app = opened("runs", run="nobody")
    assert app.title[0].value == "Runs"
    assert app.warning[0].value == "There is no run nobody; it may have been deleted."
