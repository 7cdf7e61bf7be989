"""Parts of a report: its papers, its notebook, its words, and what a shell makes."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack
from tests.workbench.made_reports import asked, opened, two_runs

from privgraph.options import OptionError
from privgraph.runs.store import RunStore
from privgraph_workbench import blocks, page_html, reporting
from privgraph_workbench.cli import main
from privgraph_workbench.figures.attacks import attack_roc
from privgraph_workbench.figures.runs import curves as made_curves
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.reporting import Asked, Drawn, Told
from privgraph_workbench.words.bibliography import BEHIND, bibtex, references
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.papers import PAPERS

WITHOUT_NAMES = {"velickovic2018graph"}
"""Papers whose authors a table spells in plain letters."""


@pytest.fixture
def runs() -> list[Told]:
    return two_runs()


@pytest.mark.usefixtures("undrawn")
def test_advice_that_other_runs_gave_is_left_out(runs: list[Told]) -> None:
    """A page gives advice by all of its runs, and holds their seeds against each other."""
    told = "**To hide edges:**\n\n- **ε 1: take it.** By progap-karate-00000000beef."
    figure = replace(reporting.usual(runs)[0], advice=told, title="Mine")
    for share in (True, False):
        page = reporting.page(asked(runs, share=share, figures=[figure]))
        assert "take it." not in page
        assert "beef" not in page
        section = page[page.index("<h2>Figure 1: Mine</h2>") : page.index("<h2>Appendix")]
        assert "<strong>What to take</strong>" not in section
        assert "<p>Hiding " in section


@pytest.mark.long
def test_the_notebook_was_executed_beside_the_files(runs: list[Told]) -> None:
    pytest.importorskip("nbclient")
    files = opened(reporting.build(asked(runs, notebook=True)))
    cells = json.loads(files["report.ipynb"])["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    figures = [name for name in files if name.endswith(".svg")]
    titles = [line for cell in cells for line in "".join(cell["source"]).split("\n") if line.startswith("## ")]
    assert titles[0] == "## Settings"
    assert titles[1].startswith("## Figure 1: ")
    assert titles[-2:] == ["## Privacy statements", "## References"]
    assert len(titles) == 1 + len(figures) + 2
    (table,) = ("".join(out["data"]["text/markdown"]) for out in code[1]["outputs"])
    assert not re.search(r"\d\.\d{5,}", table), "rounded as elsewhere"
    head, _, row = table.splitlines()
    cells_of = dict(zip(head.split(" | "), row.split(" | "), strict=True))
    assert cells_of["ε sound"] == "0.8142", "up"
    assert all(cells_of.values()), "no column is empty"
    assert len(code) == 2 + len(figures) + 2, "of a setting: that of the attacked run, and the other"
    assert all(cell["execution_count"] for cell in code)
    pictures = [one for cell in code for one in cell["outputs"] if "image/svg+xml" in one.get("data", {})]
    again = [one for cell in code for one in cell["outputs"] if "image/png" in one.get("data", {})]
    assert len(pictures) + len(again) == len(figures) == 3 + 3, "those of the runs, too"
    assert len(again) >= 4, "most are drawn from their CSV"
    assert not [one for cell in code for one in cell["outputs"] if one["output_type"] == "error"]
    assert "Second &lt;b>." in "".join(cells[0]["source"])
    assert files["report.ipynb"] == opened(reporting.build(asked(runs, notebook=True)))["report.ipynb"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"title": " "}, "the title of a report has 1 to 200 letters"),
        ({"title": "x" * 201}, "the title of a report has 1 to 200 letters"),
        ({"remark": "x" * 20_001}, "the remark of a report has at most 20,000 letters"),
        ({"author": "x" * 201}, "the author of a report has at most 200 letters"),
        ({"date": "x" * 41}, "the date of a report has at most 40 letters"),
    ],
)
def test_what_is_too_long_is_one_sentence(runs: list[Told], changed: dict[str, str], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        asked(runs, **changed)


def test_an_empty_report_is_refused() -> None:
    with pytest.raises(OptionError, match="a report needs at least one run or figure"):
        Asked(title="Nothing", runs=[])


@pytest.mark.long
def test_all_papers_behind_figures_and_statements_are_cited(runs: list[Told]) -> None:
    rows = [{**row, "method": "edge-rand"} for row in reporting.usual(runs)[0].rows]
    shown = Drawn(figure="tradeoff", rows=rows)
    cited = opened(reporting.build(replace(asked(runs[1:]), figures=[shown])))["references.bib"].decode()
    for key in ("sajadmanesh2024progap", "sajadmanesh2023gap", "wu2022linkteller"):
        assert key in cited


def test_a_network_cites_the_paper_of_how_it_reads_neighbours_alone() -> None:
    store = RunStore.open()
    bare = made_runs.statement((), unit="none")
    spec = made_runs.spec("gnn", unit="none", conv="sage")
    run = made_runs.finish(store, spec, 0.8, bare)
    figure = Drawn(figure="tradeoff", rows=tradeoff.data([run]), statements=statements_of([run]), runs=[run])
    made = Asked(title="T", runs=[reporting.told_of(store, run)], figures=[figure], notebook=False)
    cited = opened(reporting.build(made))
    assert "Graph network (not private)~\\cite{hamilton2017inductive}" in cited["figures/01-tradeoff.tex"].decode()
    for file in ("references.bib", "figures/01-tradeoff.tex", "tables/runs.tex"):
        assert "hamilton2017inductive" in cited[file].decode()
        assert "kipf2017semi" not in cited[file].decode()
    rows_alone = replace(made, figures=[replace(figure, runs=[])], runs=[])
    assert "kipf2017semi" in opened(reporting.build(rows_alone))["references.bib"].decode(), "nothing tells which"


def test_of_a_model_without_privacy_no_option_of_a_guarantee_is_listed() -> None:
    store = RunStore.open()
    bare = made_runs.finish(store, made_runs.spec("mlp", unit="none"), 0.8, made_runs.statement((), unit="none"))
    private = made_runs.finish(store, made_runs.spec(), 0.8, made_runs.statement(made_runs.edge_entries(9)))
    for run, listed in ((bare, False), (private, True)):
        page = reporting.page(Asked(title="T", runs=[reporting.told_of(store, run)]))
        for option in ("epsilon", "delta", "accounting"):
            assert (f"&quot;{option}&quot;:" in page) is listed, (run.id, option)
        assert "&quot;unit&quot;:" in page


def test_every_method_attack_and_audit_has_its_papers() -> None:
    from privgraph.registry import ATTACKS, AUDITS, METHODS

    assert set(BEHIND) == {*METHODS, *ATTACKS, *AUDITS}
    told = {name: str(table[name].paper) for table in (METHODS, ATTACKS, AUDITS) for name in table}
    for name, paper in told.items():
        for key in BEHIND[name]:  # as the tables name them
            first = PAPERS[key].authors[0].split(",")[0]
            assert key in ("dpgpl", *WITHOUT_NAMES) or first in paper, (name, key)
    assert {key for keys in BEHIND.values() for key in keys} == set(PAPERS)
    assert bibtex(["progap", "progap", "mlp"]).count("@") == 2, "each once, and the program"
    for key, paper in PAPERS.items():
        assert paper.entry.count("{") == paper.entry.count("}"), key
        assert paper.entry.isascii(), key


def test_references_and_entries_are_of_the_same_papers() -> None:
    names = ["heter-poisson", "bavaria", "lira", "nobody"]
    listed = references(names)
    assert len(listed) == bibtex(names).count("@") - 1 == 3
    assert [one.split(" ")[0] for one in listed] == ["Rickard", "Nicholas", "Zihang"], "by their first authors"
    assert listed[1].endswith("2022. For: Likelihood ratio with a prior (BaVarIA), Likelihood ratio (LiRA).")
    assert r"Br{\"a}nnvall" in bibtex(names)


@pytest.mark.usefixtures("undrawn")
def test_what_stands_in_a_figure_alone_is_cited_wherever_papers_are(runs: list[Told]) -> None:
    store = RunStore.open()
    said = made_runs.statement(made_runs.node_entries(4.0), "node")
    other = made_runs.finish(store, made_runs.spec("heter-poisson", unit="node"), 0.6, said)
    found = replace(made_attack(name="rmia"), run=other.id)
    figure = Drawn(figure="attack_roc", rows=attack_roc.data([found]), statements={}, runs=[other])
    kept = replace(asked(runs[1:]), figures=[figure], share=True, appendix=False)
    files = opened(reporting.build(kept))
    for key in ("xiang2024preserving", "zarifzadeh2024low", "sajadmanesh2024progap"):
        assert key in files["references.bib"].decode()
    page = files["report.html"].decode()
    assert "<h2>References</h2>" in page
    assert "Zihang Xiang, Tianhao Wang and Di Wang. Preserving Node-level Privacy" in page
    assert "Low-Cost High-Power Membership Inference Attacks" in page


@pytest.mark.long
def test_from_a_shell(runs: list[Told], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ids = [one.record.id for one in runs]
    out = tmp_path / "r.zip"
    assert main(["report", *ids, "--out", str(out), "--no-notebook", "--title", "T"]) == 0
    assert capsys.readouterr().out.strip() == str(out)
    first = out.read_bytes()
    assert main(["report", *ids, "--out", str(out), "--no-notebook", "--title", "T"]) == 0
    assert out.read_bytes() == first
    told = [reporting.told_of(RunStore.open(), RunStore.open().get(run)) for run in ids]
    short = Asked(title="T", runs=told, figures=reporting.usual(told), notebook=False, appendix=False)
    assert main(["report", *ids, "--out", str(out), "--no-notebook", "--title", "T", "--no-appendix"]) == 0
    assert out.read_bytes() == reporting.build(short), "as the page makes it"
    assert main(["report", "no-such-run", "--out", str(out)]) != 0
    assert main(["report", ids[0], "--out", str(tmp_path / "none" / "r.zip"), "--no-notebook"]) == 1
    assert "nothing can be written to" in capsys.readouterr().err


@pytest.mark.usefixtures("undrawn")
def test_figures_say_what_they_hide_and_where(runs: list[Told]) -> None:
    """Several may have one title of their own."""
    shown = reporting.usual(runs)[0]
    assert shown.name == "Accuracy against privacy, hiding edges, Made-up social network"
    assert replace(shown, title="Mine").name == "Mine"
    alone = [{**row, "graph": "Made-up social network (nodes 600)"} for row in shown.rows]
    assert reporting.title_of("tradeoff", alone) == shown.name, "its panel tells the rest"
    both = [*shown.rows, *({**row, "graph": "Cora", "unit": "node"} for row in shown.rows)]
    assert reporting.title_of("tradeoff", both) == "Accuracy against privacy, hiding edges and people, 2 graphs"
    assert reporting.title_of("curves", made_curves.data(runs[0].events)) == "Learning curves"
    page = reporting.page(replace(asked(runs), figures=[shown], appendix=False))
    assert "<h2>Figure 1: Accuracy against privacy, hiding edges, Made-up social network</h2>" in page


def test_a_table_is_no_wider_than_its_page() -> None:
    """On a narrow one each row is a card, whose cells have the names of their columns; a long word is
    broken."""
    made = blocks.as_html(blocks.Table(("", "run", "by"), (("Made by", "0.5.0+c1cf33f5df74", "ε = 0.9997"),)), {})
    assert made.startswith('<table class="wide"><thead>')
    assert '<td data-head="run"><span class="long">0.5.0+c1cf33f5df74</span></td>' in made
    assert '<td data-head="by"><span class="whole">ε = 0.9997</span></td>' in made
    assert 'class="wide"' not in blocks.as_html(blocks.Table(("", ""), (("a", "b"),)), {})
    narrow = page_html.PAGE.partition("@media (max-width: 40rem)")[2]
    assert "content: attr(data-head)" in narrow
    assert re.search(r"\.figure:focus img \{[^}]*width", narrow), "a figure fits, and is larger where somebody asks"
    assert not re.search(r"\.figure img \{", narrow)
