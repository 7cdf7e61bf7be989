"""Two tabs of the Teachers page: epsilon of each teacher with the budget, and one vote under other noise."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import parse_qsl

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_answers import answers as made_answers
from tests.figures.made_ensembles import ensemble, moved_by_all
from tests.pages.kept_runs import KARATE, keep_answers, keep_ensemble

from privgraph.data.errors import DataError
from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import describing
from privgraph_workbench.figures.teachers import answers, ensembles, one_vote, stopped
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.teachers import one_query, payers
from privgraph_workbench.words.numbers import chance, number, upper

Open = Callable[..., AppTest]
PAYERS, VOTES = "Who pays", "Vote laboratory"
AT = ", weight 1.5"


@pytest.fixture(autouse=True)
def unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph that cannot be read: classes have numbers, and no test waits for another process."""

    def refuse(*_: object, **__: object) -> None:
        raise DataError("not now")

    monkeypatch.setattr(describing, "describe", refuse)


def _kept(store: RunStore, found: Ensemble, seed: int = 0, **options: object) -> str:
    return keep_ensemble(store, found, made_answers("counts", noise=3.0), seed, **options)


def _texts(app: AppTest) -> str:
    kinds = (app.markdown, app.caption, app.warning, app.error, app.info)
    return "\n".join(element.value for kind in kinds for element in kind)


def _numbers(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def _drawn(app: AppTest) -> dict[str, str]:
    """What each figure of the page says to somebody who cannot see it, by the figure's key up to the run."""
    shown = [json.loads(one.proto.json) for one in app.get("bidi_component")]
    return {one["name"].split(".")[0]: one["summary"] for one in shown}


def _at_first(found: Ensemble) -> int:
    """Of the queries whose leader went out and is right, the one whose lead is most like twice the noise."""
    counts = found.counts()
    right = (found.released == found.truth) & (found.released == counts.argmax(axis=1))
    counts.sort(axis=1)
    away = np.abs(counts[:, -1] - counts[:, -2] - 2 * found.vote_sigma)
    return int(np.where(right, away, np.inf).argmin())


def test_a_method_without_such_teachers_is_one_sentence(opened: Open, store: RunStore) -> None:
    run = keep_answers(store, made_answers())
    said = store.get(run).statement
    assert said is not None
    app = opened("teachers", data="karate", run=run, tab=PAYERS)
    assert f"**all private nodes pay the same**: sound ε {upper(said.epsilon)}" in _texts(app)
    assert not any("Open a run of DP-GPL" in one.proto.label for one in app.get("page_link")), "there is none"
    weighted = _kept(store, ensemble(), weighting="private-centrality", teachers=8)
    app = opened("teachers", data="karate", run=run, tab=PAYERS)
    link = next(one.proto for one in app.get("page_link") if "Open a run of DP-GPL" in one.proto.label)
    assert dict(parse_qsl(link.query_string.removeprefix("?"))) == {"run": weighted, "tab": PAYERS}
    link = next(one.proto for one in app.get("page_link") if "Train DP-GPL" in one.proto.label)
    query = dict(parse_qsl(link.query_string.removeprefix("?")))
    train = opened("train", data="karate", **query)
    assert not train.warning, train.warning
    assert train.radio(key="method").value == "dp-gpl"
    assert "Weight of a vote" not in _numbers(app)


@pytest.mark.long
def test_a_finished_run_shows_its_teachers(opened: Open, store: RunStore) -> None:
    teachers = ensemble(limit=0.8)
    run = _kept(store, teachers)
    app = opened("teachers", data="karate", run=run, tab=PAYERS)
    for part in ("student", "teachers"):
        app.session_state[f"fold.{part}"] = True
    app.run()
    numbers, drawn = _numbers(app), _drawn(app)
    assert (numbers["Student"], numbers["Before tuning"], numbers["All teachers"]) == ("70.0%", "30.0%", "80.0%")
    assert numbers["Best teacher"] == "—"  # this run did not say
    assert f"**{EPSILONS['sound'].title} 0.8**: no node pays more" in _texts(app), "what the heaviest pay"
    gone = int((ensembles.stopped_at(teachers) >= 0).sum())
    assert 0 < gone < 40
    assert f"{gone} of 40 teachers were stopped" in _texts(app)
    table = next(one.value for one in app.dataframe if "because of" in one.value)
    assert len(table) == gone
    assert set(table["because of"]) == {"its own limit"}
    assert "Karate club, seed 0" in _texts(app)
    assert set(drawn) == {"teacher_epsilons-sound-histogram-weight", "budget-sound", "stopped", "teacher_accuracy"}
    assert not any("data-dependent ε" in one.value.to_string() for one in app.table), "no guarantee waits in a fold"
    app.session_state["fold.dependent"] = True
    assert any("no: it was read from private votes" in one.value.to_string() for one in app.run().table)
    assert not app.warning, app.warning
    app = opened("teachers", data="karate", run=run, tab="Answers")
    assert "consensus" not in _drawn(app)
    app.session_state["fold.consensus"] = True
    app.run()
    assert "consensus" in _drawn(app)


def _by_weight(app: AppTest) -> list[tuple[float, ...]]:
    """Weight, teachers, and the sound epsilon of one answer and of all, where there are more."""
    table = next(one.value for one in app.table if "weight" in one.value and "teachers" in one.value)
    columns = ["weight", "teachers", *(name for name in table if name.startswith(EPSILONS["sound"].title))]
    return [tuple(float(cell) for cell in row) for row in table[columns].to_numpy()]


def test_who_pays_how_much_is_a_table(opened: Open, store: RunStore) -> None:
    """One answer and all of them, by weight: epsilon of one is exact, and all are what is guaranteed."""
    found = ensemble(gate_sigma=0.0)
    run = _kept(store, found, weighting="private-centrality", teachers=8)
    app = opened("teachers", data="karate", run=run, tab=PAYERS)
    rows = _by_weight(app)
    assert [row[0] for row in rows] == pytest.approx(np.unique(found.weights), rel=5e-3)
    assert sum(row[1] for row in rows) == 40
    one = [ensembles.price(1, 20.0, 0.0, float(weight), found.delta) for weight in np.unique(found.weights)]
    assert [row[2] for row in rows] == pytest.approx(one, rel=1e-2)
    assert [row[3] for row in rows] == pytest.approx(np.unique(found.sound), rel=1e-2)
    assert all(row[3] < 20 * row[2] for row in rows)
    assert "as much as one answer whose noise is √20 ≈ 4.47 times smaller" in _texts(app)
    said = store.get(run).statement
    assert said is not None
    app.session_state["fold.dependent"] = True
    kinds = next(one.value for one in app.run().table if "may it be published?" in one.value)
    assert kinds["value"].tolist() == [
        f"{upper(found.sound.min())} – {upper(found.sound.max())}",
        number(said.epsilon_as_published, 4),
        f"{upper(found.dependent.min())} – {upper(found.dependent.max())}",
    ]
    assert [one.split(":")[0] for one in kinds["may it be published?"]][::2] == ["yes", "no"]


def test_the_page_begins_with_who_pays_most(opened: Open, store: RunStore) -> None:
    """On every tab, in one line that leads to the tab about it."""
    found = ensemble(gate_sigma=0.0)
    run = _kept(store, found, weighting="private-centrality", teachers=8)
    app = opened("teachers", data="karate", run=run)
    light, heavy = (int((found.weights == one).sum()) for one in (found.weights.min(), found.weights.max()))
    assert (
        f"The nodes of the {heavy} heaviest teachers (of 40) pay most: **sound ε {upper(found.sound.max())}**; "
        f"those of the {light} lightest **{upper(found.sound.min())}**."
    ) in _texts(app)
    link = next(one.proto for one in app.get("page_link") if one.proto.label == PAYERS)
    assert dict(parse_qsl(link.query_string.removeprefix("?"))) == {"run": run, "tab": PAYERS}
    equal = _kept(store, ensemble(weights=(1.0,)), 1)
    said = _texts(opened("teachers", data="karate", run=equal))
    assert "All private nodes pay the same: **sound ε" in said


def test_every_teacher_is_a_row(opened: Open, store: RunStore) -> None:
    """Why one is heavy stands beside what its nodes pay: who pays most comes first."""
    found = ensemble(gate_sigma=0.0)
    app = opened("teachers", data="karate", run=_kept(store, found), tab=PAYERS)
    assert "**More public neighbours → a heavier vote → a larger ε**" in _texts(app)
    assert payers.PUBLIC in _texts(app)
    app.session_state["fold.teachers"] = True
    table = next(one.value for one in app.run().dataframe if "right by itself" in one.value)
    assert sorted(table["teacher"]) == list(range(40))
    assert table[EPSILONS["sound"].title].tolist() == sorted(found.sound, reverse=True)
    first = table.iloc[0]
    assert first["centrality"] == found.centrality[int(first["teacher"])]
    assert "-badge[:material/lock: private]" in _texts(app)


def test_the_price_says_whose_it_is(opened: Open, store: RunStore) -> None:
    """With the noise that the run's plan has, also for one query."""
    run = _kept(store, ensemble(gate_sigma=0.0), weighting="private-centrality", teachers=8)
    spec, app = store.get(run).spec, opened("teachers", run=run, tab="Price")
    assert "**For a node of weight 1.5, who pays most:** Somebody who knows" in _texts(app)
    app.session_state["fold.run_published"] = True
    kinds = next(one.value for one in app.run().table if "may it be published?" in one.value)
    assert kinds["value"].tolist()[-1].endswith(" (in the run)"), "other noise has no votes of its own"
    sigma = spec.config().plan(KARATE).noise["votes"]

    def lightest() -> float:
        found = re.search(r"Nodes of weight 0\.51, the lightest, pay ([\d.]+)\.", _texts(app))
        assert found is not None
        return float(found[1])

    many = lightest()
    app.number_input(key=f"price.asked.{run}").set_value(1).run()
    assert not app.exception, app.exception
    assert not app.error, "one query has a price"
    delta, ends = spec.config().plan(KARATE).statement.delta, ensemble().weights
    light, heavy = (ensembles.price(1, sigma, 0.0, weight, delta) for weight in (float(ends.min()), float(ends.max())))
    assert lightest() == pytest.approx(light, rel=1e-2)
    assert float(_numbers(app)[EPSILONS["sound"].label]) == pytest.approx(heavy, rel=1e-2)
    assert lightest() < many


def test_data_dependent_numbers_are_marked(opened: Open, store: RunStore) -> None:
    found = ensemble()
    app = opened(
        "teachers",
        data="karate",
        run=_kept(store, found),
        tab=PAYERS,
        epsilons__number="data-dependent",
        epsilons__view="strip",
        epsilons__colour="centrality",
    )
    drawn = _drawn(app)
    assert "data-dependent ε from" in drawn["teacher_epsilons-data-dependent-strip-centrality"]
    assert "data-dependent ε" in drawn["budget-data-dependent"]
    assert ensembles.DEPENDENT_BADGE[1:] in _texts(app)
    plots = [json.loads(one.proto.json)["figure"] for one in app.get("bidi_component")]
    marked = [json.dumps(plot, ensure_ascii=False) for plot in plots]
    assert sum(ensembles.DEPENDENT_BADGE in text for text in marked) == 2
    assert stopped.NOBODY[1:] not in _texts(app)
    assert "every teacher voted on every query" in _texts(app)


def test_noise_and_threshold_move_chances_and_prices(opened: Open, store: RunStore) -> None:
    teachers = ensemble()
    place = _at_first(teachers)
    app = opened("teachers", data="karate", run=_kept(store, teachers), tab=VOTES)
    own = one_vote.Noise.of(teachers)

    def shown() -> dict[str, str]:
        assert not app.exception, app.exception
        return _numbers(app)

    def said(noise: one_vote.Noise) -> dict[str, str]:
        rows = one_vote.data(teachers, place, noise)
        passes = rows[0]["passes"]
        return {
            "The largest class stays": chance(max(rows, key=lambda row: row["votes"])["chance"]),
            **({} if passes is None else {"This query passes the gate": chance(passes)}),
            f"This query{AT}: {EPSILONS['sound'].label}": upper(rows[0]["epsilon_query"]),
            f"All 20{AT}: {EPSILONS['sound'].label}": upper(rows[0]["epsilon_run"]),
        }

    assert shown().items() >= said(own).items()
    app.select_slider(key="vote.sigma").set_value(5.0).run()
    quiet = one_vote.Noise(vote_sigma=5.0, gate_sigma=own.gate_sigma, threshold=own.threshold)
    assert shown().items() >= said(quiet).items()
    app.slider(key="vote.threshold").set_value(30.0).run()
    high = one_vote.Noise(vote_sigma=5.0, gate_sigma=own.gate_sigma, threshold=30.0)
    assert said(high)["This query passes the gate"] != said(quiet)["This query passes the gate"]
    assert shown().items() >= said(high).items()
    bare, gated = one_vote.Noise(vote_sigma=5.0), upper(one_vote.cost(teachers, high).run)
    costs = f"all 20 queries cost sound ε {gated} with it, {upper(one_vote.cost(teachers, bare).run)} without"
    assert costs in _texts(app), "where the gate is switched"
    app.toggle(key="vote.gate").set_value(False).run()
    assert shown().items() >= said(bare).items()
    assert "What the gate costs" not in _texts(app)
    next(button for button in app.button if button.label == "As in the run").click().run()
    assert shown().items() >= said(own).items()


@pytest.mark.long
def test_a_vote_is_told_in_three_steps(opened: Open, store: RunStore) -> None:
    teachers = ensemble()
    place = _at_first(teachers)
    app = opened("teachers", data="karate", run=_kept(store, teachers))
    values = list(_numbers(app).values())[:3]
    votes = np.sort(teachers.counts()[place])[::-1]
    assert values[0] == " against ".join(one_query.alike("counts", votes[0], votes[1]))
    assert values[1] == "± 20"
    assert f"of {number(teachers.weights.sum(), 4)} (sum of the weights of 40 teachers)" in _texts(app)
    low, high = (number(float(end), 2) for end in (teachers.weights.min(), teachers.weights.max()))
    assert f"A vote weighs {low} to {high}." in _texts(app)
    assert f"moves one vote, of weight {high} at most," in _texts(app)
    assert "The whole vector after noise is released" in _texts(app)  # labels were pooled
    app.toggle(key="vote.gate").set_value(False).run()
    app.select_slider(key="vote.sigma").set_value(0.1).run()
    values = list(_numbers(app).values())[:3]
    assert values[2] == f"class {int(teachers.counts()[place].argmax())}", "hardly any noise, and the leader wins"
    app.select_slider(key="vote.sigma").set_value(500.0).run()
    came = set()
    for _ in range(8):
        app.button(key="draw_again").click().run()
        assert not app.exception, app.exception
        came.add(list(_numbers(app).values())[2])
    assert len(came) > 1
    assert "8 draws: " in _texts(app)
    moved = opened("teachers", data="karate", run=_kept(store, moved_by_all(ensemble()), seed=1))
    assert "one private person may change every vote" in _texts(moved)


@pytest.mark.long
def test_steps_and_figure_tell_of_one_draw(opened: Open, store: RunStore) -> None:
    """Where the gate refuses, no class is marked as released; else the one that the card names."""
    teachers = ensemble()
    app = opened("teachers", data="karate", run=_kept(store, teachers), tab=VOTES)

    def marked() -> list[str]:
        drawn = [json.loads(one.proto.json) for one in app.get("bidi_component")]
        found = json.dumps(next(one for one in drawn if one["name"].startswith("one_vote.")))
        return sorted(set(re.findall(r"(class \d+) \(would be released", found)))

    app.slider(key="vote.threshold").set_value(20.0).run()
    came = set()
    for _ in range(12):
        app.button(key="draw_again").click().run()
        assert not app.exception, app.exception
        out = list(_numbers(app).values())[2]
        assert marked() == ([] if out == "nothing" else [out])
        assert "-badge[:material/casino: not the run]" in _texts(app)
        word = "refused" if out == "nothing" else "passed"
        drawn = [json.loads(one.proto.json)["figure"] for one in app.get("bidi_component")]
        assert f"gate: {word} (chance to pass" in json.dumps(drawn).replace("<br>", " "), "it may wrap"
        tested = re.search(r"the largest count was ([\d.−-]+), which is( not)? above 20\.", _texts(app))
        assert tested is not None
        assert (tested[2] is not None) == (out == "nothing") == (float(tested[1].replace("−", "-")) <= 20)
        came.add(out)
    assert "nothing" in came
    assert len(came) > 1


def test_another_run_begins_with_its_own_noise(opened: Open, store: RunStore) -> None:
    first, second = ensemble(), ensemble(vote_sigma=7.0, gate_sigma=0.0, seed=1)
    runs = [_kept(store, found, seed) for seed, found in enumerate((first, second))]
    app = opened("teachers", data="karate", run=runs[0], tab=VOTES)
    app.select_slider(key="vote.sigma").set_value(50.0).run()
    app.selectbox(key="run").set_value(runs[1]).run()
    assert not app.exception, app.exception
    assert app.select_slider(key="vote.sigma").value == 7.0
    assert "This query passes the gate" not in _numbers(app), "there is none"


def test_an_address_holds_the_noise_and_the_query(opened: Open, store: RunStore) -> None:
    found = ensemble()
    run = _kept(store, found)
    node = str(found.queries[4])
    app = opened(
        "teachers", data="karate", run=run, tab=VOTES, vote__sigma="12", vote__threshold="25", vote__query=node
    )
    assert app.select_slider(key="vote.sigma").value == 12
    assert app.slider(key="vote.threshold").value == 25
    assert f"Node {node}:" in _drawn(app)["one_vote"]
    app = opened("teachers", data="karate", run=run, tab=VOTES, vote__sigma="0", vote__threshold="900", vote__query="7")
    said = "\n".join(text.value for text in app.warning)
    assert "sigma must be at least 0.1" in said
    assert "threshold must be at most 40" in said
    assert "query 7 is none of this run" in said


def test_a_run_whose_every_vote_may_move_says_so(opened: Open, store: RunStore) -> None:
    app = opened("teachers", data="karate", run=_kept(store, moved_by_all(ensemble())), tab=PAYERS)
    assert any("may move **every** vote" in text.value for text in app.warning)


def test_a_broken_record_is_one_sentence(opened: Open, store: RunStore) -> None:
    run = _kept(store, ensemble())
    (store.folder(run) / "ensemble.npz").write_bytes(b"PK no zip")
    app = opened("teachers", data="karate", run=run, tab=PAYERS)
    assert app.error[0].value.startswith("The record of this run's teachers cannot be read:")


def test_the_reach_of_the_noise_stands_behind_a_switch(opened: Open, store: RunStore) -> None:
    app = opened("teachers", data="karate", run=_kept(store, ensemble()), tab=VOTES)

    def figure() -> str:
        drawn = [json.loads(one.proto.json) for one in app.get("bidi_component")]
        return json.dumps(next(one for one in drawn if one["name"].startswith("one_vote.")))

    assert "one standard deviation" not in figure()
    app.toggle(key="vote.details").set_value(True).run()
    assert not app.exception, app.exception
    assert "one standard deviation" in figure()
    assert "Lines reach one standard deviation" in _texts(app)


def test_a_query_that_is_refused_has_no_draw(opened: Open, store: RunStore) -> None:
    app = opened("teachers", data="karate", run=_kept(store, ensemble()), tab=VOTES, vote__threshold="40")
    app.select_slider(key="vote.gate_sigma").set_value(0.1).run()
    assert list(_numbers(app).values())[2] == "nothing"
    drawn = [json.loads(one.proto.json) for one in app.get("bidi_component")]
    figure = json.dumps(next(one for one in drawn if one["name"].startswith("one_vote.")))
    assert "with the noise that was drawn" not in figure
    assert "had it passed" in figure
    assert "no noise was drawn on the counts" in _texts(app)


def test_large_noise_is_written_out(opened: Open, store: RunStore) -> None:
    app = opened("teachers", data="karate", run=_kept(store, ensemble()), tab=VOTES, vote__sigma="1000")
    assert list(_numbers(app).values())[1] == "± 1,000"


def test_the_cost_of_the_runs_own_noise_is_one_number(opened: Open, store: RunStore) -> None:
    """Sliders hold the run's noise rounded up; what it costs is that of the noise itself."""
    teachers = ensemble(vote_sigma=12.34567, gate_sigma=0.0)
    own = one_vote.cost(teachers, one_vote.Noise.of(teachers))
    app = opened("teachers", data="karate", run=_kept(store, teachers), tab=VOTES)
    assert _numbers(app)[f"All 20{AT}: {EPSILONS['sound'].label}"] == upper(own.run)
    assert f"All 20 queries, answered, cost {upper(own.run)} with it" in _texts(app)
    assert "Labels right, on average" in _numbers(app)
    assert "The run drew once: " in _texts(app)


def test_queries_can_be_narrowed(opened: Open, store: RunStore) -> None:
    teachers = ensemble(queries=20)
    answered = replace(made_answers("counts", noise=3.0), queries=teachers.queries)
    changed = [row["query"] for row in answers.data(answered) if row["flipped"]]
    run = keep_ensemble(store, teachers, answered)
    app = opened("teachers", data="karate", run=run, tab=VOTES, show="changed")
    assert app.selectbox(key="vote.query").options == [str(node) for node in changed]


def test_no_gate_is_told_of_where_there_is_none(opened: Open, store: RunStore) -> None:
    for seed, sigma in enumerate((30.0, 0.0)):
        app = opened("teachers", data="karate", run=_kept(store, ensemble(gate_sigma=sigma), seed), tab="Answers")
        app.session_state["fold.consensus"] = True
        app.run()
        assert ("either side of the threshold" in _texts(app)) == (sigma > 0)


def test_times_that_were_shared_are_not_drawn(opened: Open, store: RunStore) -> None:
    for seed, shared in enumerate((False, True)):
        found = made_answers("counts", noise=3.0)
        found = replace(found, seconds=np.full(20, 0.021)) if shared else found
        app = opened("teachers", data="karate", run=keep_ensemble(store, ensemble(), found, seed), tab="Answers")
        assert any(fold.label == "Time of each teacher" for fold in app.expander) == (not shared)
