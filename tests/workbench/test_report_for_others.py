"""A report for others tells no value that follows from split and labels, or from votes before noise."""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import replace

import pytest
from tests.figures import made_runs
from tests.figures.made_answers import answers as made_answers

from privgraph.options import OptionError
from privgraph.privacy.serialisation import statement_to_json
from privgraph.runs.store import RunStore
from privgraph_workbench import report, reporting
from privgraph_workbench.figures.runs import curves as made_curves
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.figures.teachers import answers
from privgraph_workbench.reporting import Asked, Drawn, Told

TITLE = "<img src=x onerror=alert(1)> a|b [c](javascript:d)"
METRICS = {
    "majority_class_accuracy": 0.3198765,
    "epsilon_data_dependent": 6.6831234,
    "ensemble_accuracy": 0.6123456,
    "teacher_accuracy": 0.5234567,
    "label_accuracy_before_noise": 0.8345678,
    "test_nodes": 406.0,
}
WITHHELD = re.compile(
    r"31\.98|32\.0%|0\.3198|6\.683|6\.68\b|61\.2|0\.6123|52\.3|0\.5234|83\.4|83\.5|0\.8345"
    r"|(?i:majority|(?<!the share of the )largest class)"
    r"|(?i:data.dependent epsilon|epsilon.data.dependent|training (?:loss|accuracy))"
)
"""These values, as they are stored and as they are shown, and what they are called."""


@pytest.fixture
def runs() -> list[Told]:
    store = RunStore.open()
    said = made_runs.statement(made_runs.edge_entries(9))
    records = [
        made_runs.finish(store, made_runs.spec(seed=seed), 0.7, said, made_runs.learning(seed), METRICS)
        for seed in (3, 4)
    ]
    return [reporting.told_of(store, one) for one in records]


def _asked(runs: list[Told], share: bool, notebook: bool = False) -> Asked:
    records = [one.record for one in runs]
    figures = [
        *reporting.usual(runs),
        Drawn(figure="answers", rows=answers.data(made_answers(refuse=2), [])),
        Drawn(figure="curves", rows=made_curves.data(runs[0].events)),
        Drawn(
            figure="tradeoff", rows=tradeoff.data(records, "train_accuracy"), runs=records, title="Of training nodes"
        ),
    ]
    return Asked(title="Ours", runs=runs, figures=figures, share=share, notebook=notebook)


def _told(packed: bytes) -> dict[str, str]:
    """The files of an archive that can be read; pictures are left out of the page, their words are files."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        files = {one: archive.read(one) for one in archive.namelist() if not one.endswith((".pdf", ".png"))}
    read = {one: re.sub(r"data:image/[^\"]*", "", content.decode()) for one, content in files.items()}
    # attributes of a picture are lengths and no results: its words stand between them
    return {name: re.sub(r'"[^"<>]*"', '""', one) if name.endswith(".svg") else one for name, one in read.items()}


@pytest.mark.long
def test_no_file_tells_what_was_withheld(runs: list[Told]) -> None:
    private = _told(reporting.build(_asked(runs, share=False)))
    assert any(WITHHELD.search(one) for one in private.values()), "what is for oneself has them"
    shared = _told(reporting.build(_asked(runs, share=True, notebook=True)))
    assert any(name.endswith("report.ipynb") for name in shared)
    assert not [name for name in shared if "answers" in name or "curves" in name]
    assert len({name for name in shared if "-tradeoff.csv" in name}) == 1, "none of another measure"
    found = {name: match[0] for name, one in shared.items() if (match := WITHHELD.search(one))}
    assert found == {}
    page = next(one for name, one in shared.items() if name.endswith("report.html"))
    assert "How it learnt" not in page
    assert "70.0%" in page, "the accuracy that is published"
    assert "(95% interval by test nodes)" in page, "with its interval"


@pytest.mark.usefixtures("undrawn")
def test_the_report_of_one_run_tells_none_of_it(runs: list[Told]) -> None:
    one = runs[0]
    for render in (report.markdown, report.html):
        for share in (False, True):
            told = render(one.record, one.events, stands=one.stands, share=share)
            told = re.sub(r"data:image/[^\"]*", "", told)
            assert bool(WITHHELD.search(told)) is not share


def test_the_page_and_the_first_sentence_do_without_a_guess(runs: list[Told]) -> None:
    assert "naming the largest class" in runs[0].said
    assert runs[0].shared == re.sub(r": \d+ points above naming the largest class", "", runs[0].said)


def test_an_epsilon_that_is_private_itself_is_refused(runs: list[Told]) -> None:
    (first, *others) = runs
    said = first.record.statement
    assert said is not None
    private = statement_to_json(replace(said, data_dependent=True))
    told = [replace(first, record=replace(first.record, statement_json=private)), *others]
    assert Asked(title="Mine", runs=told)
    with pytest.raises(OptionError, match="computed from private data"):
        Asked(title="Mine", runs=told, share=True)


@pytest.mark.long
def test_a_title_is_text_in_the_notebook(runs: list[Told], monkeypatch: pytest.MonkeyPatch) -> None:
    """An upload's title is its owner's word: it stands in a cell whose output is Markdown."""
    from privgraph_workbench import tables

    monkeypatch.setattr(tables, "graph_of", lambda _: TITLE)
    packed = reporting.build(Asked(title="Ours", runs=runs[:1], share=True))
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        book = json.loads(archive.read("ours-for-others/report.ipynb"))
        assert TITLE in archive.read("ours-for-others/tables/runs.csv").decode(), "as it is in the CSV"
    (table,) = [
        "".join(out["data"]["text/markdown"])
        for cell in book["cells"]
        for out in cell.get("outputs", [])
        if "text/markdown" in out.get("data", {})
    ]
    head, _, row = table.splitlines()
    assert not re.search(r"[<>\[\]]", row)
    assert row.count("|") == head.count("|"), "a cell for each column"
    assert "&#60;img src=x onerror=alert(1)&#62; a&#124;b" in row


@pytest.mark.usefixtures("undrawn")
def test_statements_for_others_name_every_run_behind_a_mean_and_no_seed(runs: list[Told]) -> None:
    """One run is reported and another one stands behind its mean: both are named, for others by numbers."""
    found = {}
    for share in (False, True):
        asked = Asked(title="Ours", runs=runs[:1], figures=[], share=share, notebook=False, appendix=False)
        files = _told(reporting.build(asked))
        said = next(one for name, one in files.items() if "/statements/" in name and name.endswith(".txt"))
        found[share] = re.search(r"^Runs: (.*)\.$", said, re.M)[1].split(", ")  # type: ignore[index]
        for one in runs:
            assert any(one.record.id in content for content in files.values()) is not share
            seed = re.compile(rf"\bseed {one.record.spec.seed}\b")
            assert any(seed.search(content) for content in files.values()) is not share
    assert found[False] == [f"{one.record.id} (seed {one.record.spec.seed})" for one in runs]
    assert found[True] == ["run-01 (seed #1)", "run-02 (seed #2)"]
