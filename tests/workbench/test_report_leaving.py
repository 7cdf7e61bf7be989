"""Whom a report is for is told wherever it is read, runs have one number in all files, and figures their
titles."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import pytest
from tests.figures import made_runs
from tests.workbench.made_reports import asked, opened, two_runs

from privgraph.privacy.old_records import rounded_up
from privgraph.privacy.statement import Gap
from privgraph.runs.store import RunStore
from privgraph_workbench import report, report_plots, reporting
from privgraph_workbench.figures import for_others
from privgraph_workbench.reporting import leaving
from privgraph_workbench.reporting.withholding import decided, numbered
from privgraph_workbench.withheld import Withheld


@pytest.mark.long
@pytest.mark.parametrize("share", [True, False])
def test_whom_it_is_for_is_told_below_the_title_and_in_every_name(share: bool) -> None:
    mine = replace(asked(two_runs(), share=share, title="Ours"), appendix=False)
    name = f"ours-{leaving.NAMES[share].replace(' ', '-')}"
    assert reporting.folder("Ours", share=share) == name
    files = opened(reporting.build(mine))
    assert leaving.UNDER[share] in files["README.txt"].decode()
    page = files["report.html"].decode()
    assert leaving.WHOSE[share] in page[page.index("<h1>") : page.index("<h2>")]
    assert page.index("What is still a risk") < page.index(leaving.UNDER[share]) < page.index("<h2>Figure 1")
    assert page.count(leaving.GUESS) == share, "once"


@pytest.mark.long
def test_a_run_has_one_number_and_a_figure_its_title_in_every_file() -> None:
    runs = two_runs()
    mine = asked(runs[:1], share=True)
    store = RunStore.open()
    figures = [replace(one, title="Our 50% title") for one in reporting.usual(runs)[:1]]
    figures = [
        replace(
            reporting.drawn(store, one.figure, one.rows, one.statements, [run.id for run in one.runs]), title=one.title
        )
        for one in figures
    ]
    files = opened(reporting.build(replace(mine, figures=figures)))
    shown = {
        run
        for row in csv.DictReader(io.StringIO(files["figures/01-tradeoff.csv"].decode()))
        for run in row["runs"].split()
    }
    tabled = {row["run"] for row in csv.DictReader(io.StringIO(files["tables/runs.csv"].decode()))}
    assert shown == {"run-01", "run-02"}
    assert shown <= tabled
    assert files["figures/01-tradeoff.txt"].decode().startswith("Our 50% title\n")
    snippet = files["figures/01-tradeoff.tex"].decode()
    assert r"]{Our 50\% title. " in snippet
    assert r"\includegraphics[width=\linewidth]{figures/01-tradeoff.pdf}" in snippet
    assert "evaluator's, of private labels" in snippet
    assert "Our 50% title" in re.sub(r"<!--|-->", "", files["figures/01-tradeoff.svg"].decode())


def test_numbers_of_runs_follow_what_leaves_and_not_the_seed() -> None:
    """The better of two runs behind a mean has the higher number, whichever has the lower seed."""
    store, said = RunStore.open(), made_runs.statement(made_runs.edge_entries(9))
    records = [
        made_runs.finish(store, made_runs.spec(seed=seed), score, said, more={"majority_class_accuracy": 0.1 * seed})
        for seed, score in ((3, 0.7), (4, 0.9), (5, 0.8))
    ]
    hidden = numbered(asked([reporting.told_of(store, records[0])], figures=[], share=True))
    assert [hidden.text(one.id) for one in records] == ["run-01", "run-03", "run-02"]


def test_two_runs_whose_ids_end_alike_are_two() -> None:
    hidden = Withheld()
    assert hidden.text("gap-cora-00000000beef gap-cora-11111111beef (beef)") == "run-01 run-02 (run-01)"
    assert Withheld().text("on upload:0123456789ab") == "on upload:withheld", "a hash of the graph under no key"
    assert Withheld().text("on upload:0123456789abcdef") == "on upload:0123456789abcdef"


@pytest.mark.usefixtures("undrawn")
def test_time_and_memory_stay() -> None:
    one = two_runs()[0]
    for share in (True, False):
        told = report.html(replace(one.record, peak_memory_mb=321.0), one.events, stands=one.stands, share=share)
        assert ("Most memory" in told) is not share
    (row,) = for_others.rows("compare", [{"seconds": 1.5, "peak_memory_mb": 3.0, "test_accuracy": 0.5}])
    assert (row["seconds"], row["peak_memory_mb"], row["test_accuracy"]) == (None, None, 0.5)


def test_what_is_looked_at_is_what_others_get() -> None:
    runs = two_runs()
    mine = asked(runs, share=True)
    figures = {"a": replace(mine.figures[0], rows=[{**row, "guess": 0.3} for row in mine.figures[0].rows])}
    shown = decided(mine, figures)["a"].given
    assert shown is not None
    assert not any("guess" in row for row in shown.rows)
    assert decided(mine, {"b": replace(mine.figures[0], figure="answers")})["b"].given is None, "it stays"
    assert decided(replace(mine, share=False), figures)["a"].given == figures["a"]


def test_a_verdict_leads_with_the_private_method() -> None:
    row = {"asks": "who was trained on", "area_low": 0.0, "area_high": 1.0}
    rows = [
        {**row, "attack": "Graph network", "area": 0.9, "area_low": 0.8, "epsilon": float("inf"), "curve": "attack"},
        {**row, "attack": "ProGAP, edge ε 1", "area": 0.51, "area_low": 0.45, "epsilon": 1.0, "curve": "attack"},
    ]
    said = reporting.verdict(reporting.Drawn(figure="attack_roc", rows=rows))
    assert said == (
        "ProGAP, edge ε 1: no better than guessing (AUC 0.51). Without privacy: far better than guessing (AUC 0.9)."
    )


def test_an_old_gap_says_its_sound_epsilon_rounded_up() -> None:
    said = replace(made_runs.statement(made_runs.edge_entries(9)), epsilon=1.99912)
    gap = Gap(title="t", claim="c", fails="f", holds="h", size="gives 1.9 and 1.999 for the proved one", source="s",
              evidence="proved")  # fmt: skip
    (mended,) = rounded_up(replace(said, gaps=(gap,))).gaps
    assert mended.size == "gives 1.9 and 2 for the proved one"


def test_a_figure_without_the_columns_of_its_plot_is_shown_as_it_was_drawn() -> None:
    assert "axis.errorbar" in report_plots.cell(
        "tradeoff", "figures/a.csv", "T", b"title,variant,unit,epsilon,mean,low,high\n"
    )
    assert report_plots.cell("tradeoff", "figures/a.csv", "T", b"epsilon\n") == ""
    assert report_plots.cell("answers", "figures/a.csv", "T", b"epsilon\n") == ""
