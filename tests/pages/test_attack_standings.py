"""Attacked runs method by method: what each keeps, which of its runs is named, and with what caveats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_attacks import attack as made_attack
from tests.pages.attack_pages import box, table_of
from tests.pages.kept_runs import keep, spec
from tests.pages.reading import summaries, texts

from privgraph.attacks.record import FEW, AttackRecord
from privgraph.privacy.serialisation import statement_to_json
from privgraph.privacy.statements import WHO_TRAINS
from privgraph.runs.store import RunStore
from privgraph_workbench.views.attacks import ranking, standings, verdict
from privgraph_workbench.words import verdicts
from privgraph_workbench.words.numbers import percent

Open = Callable[..., AppTest]


def test_up_to_which_budget_it_is_kept_is_the_page_s_answer(opened: Open, store: RunStore, run: str) -> None:
    """Kept: no better than a guess, with an interval that leaves no room for more, where without privacy
    something is found."""
    flat, open_to = (0.50, 0.51, 0.49), (0.40, 0.50, 0.60)
    edges = [keep(store, spec("gap", unit="edge", epsilon=one)) for one in (1.0, 2.0)]
    small = keep(store, spec("dp-mlp", unit="node", epsilon=1.0, batch_size=8))
    middle = keep(store, spec("dp-mlp", unit="node", epsilon=2.0, batch_size=8))
    found: dict[str, AttackRecord] = {}
    for one, memory, areas, said in (
        (small, 0.0, open_to, 0.4),
        (middle, 0.0, flat, 0.5),
        (run, 0.0, flat, 0.6),
        (edges[0], 3.0, None, 0.9),
        (edges[1], 0.0, flat, 0.9),
    ):
        made = made_attack(one, memory=memory)
        found[one] = replace(made, said=said, areas=areas or made.areas, bound=None)
        store.add_attack(one, found[one])
    assert not ranking.Place(run=store.get(small), attack=found[small], alike=None, severe=0).kept, "too wide to tell"
    app = opened("attacks", run=edges[0])
    assert "**1 of 1 method that hides people on Karate club keeps secret who was trained on, as far as" in texts(app)
    (best,) = [one for one in app.button if str(one.key).startswith("kept.")]
    most = percent(found[run].found[2])
    assert best.label == f"DP-MLP, node, ε 8: ≤ {most}, accuracy 60.0% ⚠", "too wide to tell is no answer"
    (told,) = [one for one in texts(app).splitlines() if one.startswith("**⚠**")]
    assert told.startswith("**⚠** DP-MLP, node: without privacy the same attack was not made, so it may find nothing")
    assert told.rstrip().endswith("; at ε 1 it cannot be told.")
    assert "**Hides edges alone**" not in texts(app), "that stands in the table"
    assert "Test accuracy: 60.0%." in str(best.help)
    (about,) = [one.proto.help for one in app.markdown if one.value.startswith("**1 of 1 method")]
    assert about.startswith("Counted: DP-MLP; each by its best setting."), "GAP hides edges alone"
    assert "**More is found**" not in texts(app), "at 2 nothing is, by chance"
    table_of(app)
    lines = {line.split(" | ")[0]: line for line in texts(app).splitlines() if line.startswith("| ")}
    assert lines["| DP-MLP, node"].startswith("| DP-MLP, node | ε 2, 8 ✓; ε 1 ? | ε 8: **≤ ")
    assert ", accuracy 60.0% | without privacy" in lines["| DP-MLP, node"]
    assert lines["| DP-MLP, node"].endswith("; at ε 1 it cannot be told; 27 models, 1 attack |")
    assert lines["| GAP, edge"].startswith("| GAP, edge | ε 2 ✓; ε 1 ✗ | – | hides edges alone; "), (
        "less noise leaks less"
    )
    (drawn,) = [one for one in summaries(app) if "private runs keep who was trained on" in one]
    assert drawn.startswith("3 of 5 private runs keep who was trained on")
    (best,) = [one for one in app.button if str(one.key).startswith("kept.")]
    best.click().run()
    assert app.query_params["run"] in (run, [run])
    store.add_attack(middle, replace(made_attack(middle, memory=3.0), said=0.5))
    app = opened("attacks", run=run)
    assert "**The one method that hides people on Karate club does not keep secret who" in texts(app), "8 is no answer"
    bare = keep(store, spec("mlp", unit="none"))
    store.add_attack(bare, replace(made_attack(bare, memory=0.0), areas=flat, bound=None))
    told = texts(opened("attacks", run=run))
    assert "**Nothing is found without privacy either**: DP-MLP, node at ε 1, 2, 8." in told


@pytest.mark.long
def test_a_model_that_has_learnt_nothing_and_one_that_is_no_stand_in_are_told(
    opened: Open, store: RunStore, run: str
) -> None:
    kept = replace(made_attack(run, memory=0.0), areas=(0.50, 0.51, 0.49), bound=None)
    other = keep(store, spec("dp-mlp", unit="node", epsilon=2.0, batch_size=8))
    store.add_attack(other, made_attack(other, memory=3.0))
    floor = store.get(run).metrics["majority_class_accuracy"]
    store.add_attack(run, replace(kept, said=floor + 0.01, accuracy=floor))
    told = texts(opened("attacks", run=run))
    assert "**Kept only because little was learnt (hardly better than the largest class)**: DP-MLP, node." in told
    store.add_attack(other, replace(kept, run=other, said=floor + 0.01, accuracy=floor))
    lone = keep(store, spec("gap", unit="edge"))
    store.add_attack(lone, replace(kept, run=lone, said=floor + 0.01, accuracy=floor))
    told = texts(opened("attacks", run=run))
    assert "**Hides edges alone**: GAP, edge (kept only because little was learnt" in told
    assert "**The one method that hides people on Karate club does not keep" in told, "that is no merit"
    assert "⚠" not in told
    new = keep(store, spec("gap", unit="node", epsilon=2.0))
    apart = replace(kept, run=new, said=0.95, accuracy=0.80)
    store.add_attack(new, apart)
    app = opened("attacks", run=new)
    assert "the attacked models are less accurate than the run (80.0%, not 95.0%)" in texts(app)
    (chip,) = [one for one in app.button if str(one.key).startswith("kept.")]
    assert chip.label == f"GAP, node, ε 2: ≤ {percent(apart.found[2])}, accuracy 95.0% ⚠"
    assert "Models that differ so much" in box(app)


def test_where_a_contract_makes_no_secret_of_who_trains_it_is_said(opened: Open, store: RunStore, run: str) -> None:
    """HeterPoisson's: its epsilon hides nobody's part in training."""
    said = store.get(run).statement
    assert said is not None
    attack = replace(made_attack(run, memory=0.0), areas=(0.50, 0.51, 0.49), bound=None, steps=None)
    assert "who is in the graph at all" in verdicts.apart(attack, "node", said.public)
    public = (*said.public, f"{WHO_TRAINS}, and the out-degrees of all nodes")
    for told in (verdicts.apart(attack, "node", public), verdict.conclusion(attack, "node", public=public)):
        assert "which this run's contract takes to be public" in told
    record = replace(store.get(run), metrics={})
    place = ranking.Place(
        run=replace(record, statement_json=statement_to_json(replace(said, public=public))),
        attack=attack,
        alike=None,
        severe=0,
    )
    assert not place.promised, "it is said to hide something else"
    assert replace(place, run=record).promised
    (name,) = standings.lines([place])
    assert not standings.named(standings.by_line([place]))
    assert standings.promises_not(place) == "takes who trains as public"
    assert standings.named(standings.by_line([replace(place, run=record)]))[0][0] == name


def test_of_equally_accurate_runs_that_keep_it_the_one_of_the_smallest_epsilon_is_named(store: RunStore) -> None:
    flat = replace(made_attack(memory=0.0), areas=(0.50, 0.51, 0.49), bound=None, said=0.6)
    places = [
        ranking.Place(
            run=store.get(keep(store, spec("dp-mlp", unit="node", epsilon=epsilon, batch_size=8))),
            attack=flat,
            alike=None,
            severe=0,
        )
        for epsilon in (2.0, 8.0)
    ]
    small, large = sorted(places, key=lambda one: one.sound)
    assert small.sound < large.sound
    for kept in (places, places[::-1]):
        assert standings.Line(kept=kept).best is small


def test_few_attacked_models_are_a_caveat(store: RunStore, run: str) -> None:
    for count, few in ((FEW - 1, True), (FEW, False)):
        made = made_attack(run, memory=0.0, targets=count)
        place = ranking.Place(run=store.get(run), attack=made, alike=None, severe=0)
        said = [word for word, _ in standings.caveats(standings.Line(kept=[place]), place)]
        assert (f"{count} attacked models are too few for a mean" in said) == few


def _place(store: RunStore, epsilon: float, attack: AttackRecord, severe: int = 0, **more: Any) -> ranking.Place:
    run = store.get(keep(store, spec("dp-mlp", unit="node", epsilon=epsilon, batch_size=8)))
    return ranking.Place(
        run=replace(run, metrics={}), attack=replace(attack, run=run.id), alike=None, severe=severe, **more
    )


def test_what_is_found_of_a_run_is_found_only_where_it_is_certain(store: RunStore) -> None:
    """By the mean over attacked models; of nothing without privacy, nothing is judged."""
    flat = replace(made_attack(memory=0.0), areas=(0.50, 0.51, 0.49), bound=None, said=0.6)
    wide = replace(flat, areas=(0.40, 0.60, 0.56))
    clear = replace(flat, areas=(0.60, 0.61, 0.62))
    kept, unsure, found = (
        _place(store, 1.0, flat),
        _place(store, 2.0, wide, verdicts.SOMETHING + 1),
        _place(store, 4.0, clear, verdicts.SOMETHING + 1),
    )
    idle = _place(store, 8.0, clear, verdicts.SOMETHING + 1, bare=flat)
    ((name, line),) = standings.by_line([kept, unsure, found, idle]).items()
    assert (line.kept, line.unclear, line.found) == ([kept], [unsure], [found])
    assert standings.idle_lines([kept, idle]) == {name: [idle]}
    least = replace(kept, attack=clear, severe=verdicts.SOMETHING + 1)
    assert standings.Line(kept=[kept], found=[least]).best is None, "of equal epsilons one finds more"
    assert standings.Line(kept=[kept], found=[found]).best is kept


def test_a_run_that_gives_away_something_else_has_a_caveat(store: RunStore) -> None:
    flat = replace(made_attack(memory=0.0), areas=(0.50, 0.51, 0.49), bound=None)
    place = _place(store, 1.0, flat, bare=replace(flat, areas=(0.9, 0.91, 0.92)))
    line = standings.Line(kept=[place])
    said = dict(standings.caveats(line, place, {place.run.id}))
    assert "it gives away something else, that another question here asks" in said
    assert "it gives away something else, that another question here asks" not in dict(standings.caveats(line, place))
    assert "without privacy the same attack was not made" not in " ".join(said)
    bare = replace(place, bare=None)
    assert "without privacy the same attack was not made" in " ".join(dict(standings.caveats(line, bare)))


def test_models_that_have_learnt_less_weigh_more_than_models_that_have_learnt_more(store: RunStore) -> None:
    flat = replace(made_attack(memory=0.0), areas=(0.50, 0.51, 0.49), bound=None, said=0.6)
    weights = {
        accuracy: [weight for word, weight in standings.caveats(standings.Line(kept=[one]), one) if "accurate" in word]
        for accuracy in (0.5, 0.6, 0.7)
        for one in [_place(store, 10 * accuracy, replace(flat, accuracy=accuracy))]
    }
    assert weights == {0.5: [2], 0.6: [], 0.7: [1]}
