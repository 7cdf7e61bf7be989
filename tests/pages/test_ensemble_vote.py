"""The tab Vote laboratory of the Teachers page: one vote of kept teachers, under its own noise and other."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from tests.figures.made_answers import answers as made_answers
from tests.figures.made_ensembles import ensemble
from tests.pages.ensemble_pages import AT, VOTES, Open, drawn_of, keep_run, numbers_of
from tests.pages.kept_runs import keep_ensemble
from tests.pages.reading import texts

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.teachers import answers, one_vote
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words.numbers import chance, upper

pytestmark = pytest.mark.usefixtures("unread")


def _at_first(found: Ensemble) -> int:
    """Of the queries whose leader went out and is right, the one whose lead is most like twice the noise."""
    counts = found.counts()
    right = (found.released == found.truth) & (found.released == counts.argmax(axis=1))
    counts.sort(axis=1)
    away = np.abs(counts[:, -1] - counts[:, -2] - 2 * found.vote_sigma)
    return int(np.where(right, away, np.inf).argmin())


def test_noise_and_threshold_move_chances_and_prices(opened: Open, store: RunStore) -> None:
    teachers = ensemble()
    place = _at_first(teachers)
    app = opened("teachers", data="karate", run=keep_run(store, teachers), tab=VOTES)
    own = one_vote.Noise.of(teachers)

    def shown() -> dict[str, str]:
        assert not app.exception, app.exception
        return numbers_of(app)

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
    assert costs in texts(app), "where the gate is switched"
    app.toggle(key="vote.gate").set_value(False).run()
    assert shown().items() >= said(bare).items()
    assert "What the gate costs" not in texts(app)
    next(button for button in app.button if button.label == "As in the run").click().run()
    assert shown().items() >= said(own).items()


@pytest.mark.long
def test_steps_and_figure_tell_of_one_draw(opened: Open, store: RunStore) -> None:
    """Where the gate refuses, no class is marked as released; else the one that the card names."""
    teachers = ensemble()
    app = opened("teachers", data="karate", run=keep_run(store, teachers), tab=VOTES)

    def marked() -> list[str]:
        drawn = [json.loads(one.proto.json) for one in app.get("bidi_component")]
        found = json.dumps(next(one for one in drawn if one["name"].startswith("one_vote.")))
        return sorted(set(re.findall(r"(class \d+) \(would be released", found)))

    app.slider(key="vote.threshold").set_value(20.0).run()
    came = set()
    for _ in range(12):
        app.button(key="draw_again").click().run()
        assert not app.exception, app.exception
        out = list(numbers_of(app).values())[2]
        assert marked() == ([] if out == "nothing" else [out])
        assert "-badge[:material/casino: not the run]" in texts(app)
        word = "refused" if out == "nothing" else "passed"
        drawn = [json.loads(one.proto.json)["figure"] for one in app.get("bidi_component")]
        assert f"gate: {word} (chance to pass" in json.dumps(drawn).replace("<br>", " "), "it may wrap"
        tested = re.search(r"the largest count was ([\d.−-]+), which is( not)? above 20\.", texts(app))
        assert tested is not None
        assert (tested[2] is not None) == (out == "nothing") == (float(tested[1].replace("−", "-")) <= 20)
        came.add(out)
    assert "nothing" in came
    assert len(came) > 1


def test_another_run_begins_with_its_own_noise(opened: Open, store: RunStore) -> None:
    first, second = ensemble(), ensemble(vote_sigma=7.0, gate_sigma=0.0, seed=1)
    runs = [keep_run(store, found, seed) for seed, found in enumerate((first, second))]
    app = opened("teachers", data="karate", run=runs[0], tab=VOTES)
    app.select_slider(key="vote.sigma").set_value(50.0).run()
    app.selectbox(key="run").set_value(runs[1]).run()
    assert not app.exception, app.exception
    assert app.select_slider(key="vote.sigma").value == 7.0
    assert "This query passes the gate" not in numbers_of(app), "there is none"


def test_an_address_holds_the_noise_and_the_query(opened: Open, store: RunStore) -> None:
    found = ensemble()
    run = keep_run(store, found)
    node = str(found.queries[4])
    app = opened(
        "teachers", data="karate", run=run, tab=VOTES, vote__sigma="12", vote__threshold="25", vote__query=node
    )
    assert app.select_slider(key="vote.sigma").value == 12
    assert app.slider(key="vote.threshold").value == 25
    assert f"Node {node}:" in drawn_of(app)["one_vote"]
    app = opened("teachers", data="karate", run=run, tab=VOTES, vote__sigma="0", vote__threshold="900", vote__query="7")
    said = "\n".join(text.value for text in app.warning)
    assert "sigma must be at least 0.1" in said
    assert "threshold must be at most 40" in said
    assert "query 7 is none of this run" in said


def test_a_query_that_is_refused_has_no_draw(opened: Open, store: RunStore) -> None:
    app = opened("teachers", data="karate", run=keep_run(store, ensemble()), tab=VOTES, vote__threshold="40")
    app.select_slider(key="vote.gate_sigma").set_value(0.1).run()
    assert list(numbers_of(app).values())[2] == "nothing"
    drawn = [json.loads(one.proto.json) for one in app.get("bidi_component")]
    figure = json.dumps(next(one for one in drawn if one["name"].startswith("one_vote.")))
    assert "with the noise that was drawn" not in figure
    assert "had it passed" in figure
    assert "no noise was drawn on the counts" in texts(app)


def test_large_noise_is_written_out(opened: Open, store: RunStore) -> None:
    app = opened("teachers", data="karate", run=keep_run(store, ensemble()), tab=VOTES, vote__sigma="1000")
    assert list(numbers_of(app).values())[1] == "± 1,000"


def test_queries_can_be_narrowed(opened: Open, store: RunStore) -> None:
    teachers = ensemble(queries=20)
    answered = replace(made_answers("counts", noise=3.0), queries=teachers.queries)
    changed = [row["query"] for row in answers.data(answered) if row["flipped"]]
    run = keep_ensemble(store, teachers, answered)
    app = opened("teachers", data="karate", run=run, tab=VOTES, show="changed")
    assert app.selectbox(key="vote.query").options == [str(node) for node in changed]
