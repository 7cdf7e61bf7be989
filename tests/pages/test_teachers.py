"""The Teachers page: the price before anything runs, and what the teachers of a finished run said."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qsl

import numpy as np
import pytest
from pandas import DataFrame
from streamlit.testing.v1 import AppTest
from tests.figures.made_answers import answers as made_answers
from tests.pages import offered_files
from tests.pages.kept_runs import keep_answers
from tests.pages.reading import summaries, texts
from tests.pages.teacher_pages import names_read

from privgraph.data.class_names import CLASS_NAMES
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import describing
from privgraph_workbench.figures.teachers import answers
from privgraph_workbench.views.teachers import (
    one_query,
)
from privgraph_workbench.views.teachers import page as teachers
from privgraph_workbench.words.numbers import percent


def _queries(app: AppTest) -> DataFrame:
    """The table of all queries, which somebody has to ask for."""
    assert not any("released" in one.value for one in app.dataframe)
    app.session_state["fold.queries"] = True
    app.run()
    assert not app.exception, app.exception
    found: DataFrame = next(one.value for one in app.dataframe if "released" in one.value)
    return found


@pytest.mark.usefixtures("unread")
@pytest.mark.parametrize("kind", ["posterior", "table", "votes"])
def test_a_finished_run_shows_its_answers(opened: Callable[..., AppTest], store: RunStore, kind: str) -> None:
    record = made_answers(kind, refuse=3)
    run = keep_answers(store, record)
    app = opened("teachers", data="karate", run=run, tab="Answers")
    rows = answers.data(record)
    values = {metric.label: metric.value for metric in app.metric}
    answered = rows[:-3]
    flipped = sum(row["before"] != row["after"] for row in answered) / len(answered)
    right = sum(row["before"] == row["truth"] for row in answered) / len(answered)
    assert 0 < flipped < 1
    assert values["Queries"] == "20"
    assert values["Answered"] == "17"
    assert values["Noise changed the label"] == percent(flipped)
    assert values["Right before noise"] == percent(right)
    table = _queries(app)
    assert table["node"].tolist() == record.queries.tolist()
    assert table["released"].tolist().count("refused") == 3
    assert {"truth (evaluator only)", "before noise (private)"} <= set(table)
    said = " ".join(text.value for text in app.markdown)
    assert "-badge[:material/lock: private]" in said
    assert "-badge[:material/visibility: evaluator only]" in said
    labels = offered_files.labels(app)
    assert labels.count("SVG") == len(summaries(app)) == 2


def test_names_of_classes_come_from_the_graph(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep_answers(store, made_answers())
    app = names_read(opened("teachers", data="karate", run=run, tab="Answers"))
    described = describing.describe("karate", {})
    assert described is not None
    table = _queries(app)
    assert set(table["truth (evaluator only)"]) & set(described.class_names)


def test_names_that_the_catalogue_knows_need_no_graph(
    opened: Callable[..., AppTest], store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading it takes another process seconds, in which nothing was drawn."""
    monkeypatch.setattr(describing, "describe", lambda *_, **__: None)
    app = opened("teachers", data="pubmed", run=keep_answers(store, made_answers(), data="pubmed"), tab="Answers")
    assert set(_queries(app)["truth (evaluator only)"]) & set(CLASS_NAMES["pubmed"])


@pytest.mark.long
@pytest.mark.usefixtures("unread")
def test_the_table_can_be_narrowed_and_a_query_chosen(opened: Callable[..., AppTest], store: RunStore) -> None:
    record = made_answers(refuse=2)
    run = keep_answers(store, record)
    app = opened("teachers", data="karate", run=run, show="refused", query=str(record.queries[-1]))
    assert app.selectbox(key="query").options == [str(node) for node in record.queries[-2:]]
    assert app.selectbox(key="query").value == str(record.queries[-1])
    app.selectbox(key="query").set_value(str(record.queries[-2])).run()
    assert not app.exception
    assert any(text.startswith(f"Node {record.queries[-2]}:") for text in summaries(app))


@pytest.mark.usefixtures("unread")
def test_a_run_older_than_the_list_has_its_address(
    opened: Callable[..., AppTest], store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [keep_answers(store, made_answers(seed=seed), seed=seed) for seed in range(3)]
    monkeypatch.setattr(teachers, "MOST_RUNS", 2)
    app = opened("teachers", data="karate", run=runs[0])
    assert not app.warning
    assert app.selectbox(key="run").value == runs[0]
    assert opened("teachers", data="karate").selectbox(key="run").value == runs[2]


def _steps(app: AppTest) -> tuple[list[str], str]:
    """The three large values of a query, and all that is said below them."""
    values = [one.value for one in app.metric if one.label[0] in "①②③"]
    return values, "\n".join(text.value for text in app.caption)


@pytest.mark.long
@pytest.mark.usefixtures("unread")
def test_the_noise_of_a_vote_is_drawn_again(opened: Callable[..., AppTest], store: RunStore) -> None:
    record = made_answers("votes", noise=50.0)
    run = keep_answers(store, record)
    app = opened("teachers", data="karate", run=run, query=str(record.queries[0]))
    own = summaries(app)[0]
    came, noisy = set(), set()
    for count in range(1, 13):
        app.button(key="draw_again").click().run()
        assert not app.exception, app.exception
        values, told = _steps(app)
        assert values[2] in summaries(app)[0]
        assert f"{count} draw{'s' * (count > 1)}: " in texts(app)
        noisy |= set(re.findall(r"leads after noise, with \*\*([\d.−,]+)\*\* against", told))
        assert "An evaluator" not in told, "the run has released another label"
        came.add(values[2])
    assert len(noisy) > 6, "what comes out stands in numbers, new ones for each draw"
    assert len(came) > 1, "noise that drowns a vote gives another label now and then"
    app.button(key="drawn_first").click().run()
    assert summaries(app)[0] == own


def test_what_comes_out_is_told_without_what_is_secret() -> None:
    """The third card holds what is released alone: neither the truth nor who led before noise."""
    names = ("theory", "systems")
    assert one_query.came_out(1, names) == ("systems", "leads after noise. The label alone goes out.")
    assert "the label is wrong: theory is right" in one_query.not_released(1, np.array([3.0, 1.0]), 0, names)


@pytest.mark.usefixtures("unread")
def test_a_refused_query_gives_nothing(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep_answers(store, made_answers("counts", refuse=3), method="pate")
    values, told = _steps(opened("teachers", data="karate", run=run, show="refused"))
    assert values[2] == "nothing"
    assert "refused this query" in told


@pytest.mark.usefixtures("unread")
def test_a_broken_file_is_one_sentence(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep_answers(store, made_answers())
    (store.folder(run) / "answers.npz").write_bytes(b"PK no zip")
    app = opened("teachers", data="karate", run=run)
    assert app.error[0].value.startswith("The teachers' answers of this run cannot be read:")
    (store.folder(run) / "answers.npz").unlink()
    assert "cannot be read" in opened("teachers", data="karate", run=run).error[0].value


@pytest.mark.usefixtures("unread")
def test_the_run_leads_to_its_teachers_and_back(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep_answers(store, made_answers())
    app = opened("train", run=run)
    link = next(one.proto for one in app.get("page_link") if one.proto.label == "**What its teachers said**")
    assert dict(parse_qsl(link.query_string.removeprefix("?"))) == {"run": run}
    app = opened("teachers", data="karate", run=run)
    link = next(one.proto for one in app.get("page_link") if one.proto.label == "Open the run")
    assert dict(parse_qsl(link.query_string.removeprefix("?"))) == {"run": run}
