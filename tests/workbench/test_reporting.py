"""A report: what the archive holds, what is said first, what is withheld, and that it is the same again."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack

from privgraph.options import OptionError
from privgraph.privacy.kinds import Adversary
from privgraph.privacy.serialisation import statement_from_json
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import blocks, printing, repeating, reporting
from privgraph_workbench.blocks import Remark
from privgraph_workbench.cli import main
from privgraph_workbench.figures import chart_of, export
from privgraph_workbench.figures.attacks import attack_roc
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.export import FORMATS
from privgraph_workbench.figures.runs import curves as made_curves
from privgraph_workbench.reporting import Asked, Drawn, Told, archive, chapters, findings, first_page
from privgraph_workbench.reporting.asked import without_seeds
from privgraph_workbench.words.bibliography import BEHIND, bibtex, references
from privgraph_workbench.words.naming import describe
from privgraph_workbench.words.papers import PAPERS


@pytest.fixture
def runs() -> list[Told]:
    return two_runs()


@dataclass(frozen=True)
class Made:
    """A report of two runs, its archive, its files, and what was told while it was made."""

    asked: Asked
    packed: bytes
    files: dict[str, bytes]
    steps: list[tuple[float, str]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Made once for all tests that read it: it takes seconds."""
    return _made(tmp_path_factory)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The same for others to read."""
    return _made(tmp_path_factory, share=True, title="For others")


def _made(places: pytest.TempPathFactory, **changed: object) -> Made:
    steps: list[tuple[float, str]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRIVGRAPH_HOME", str(places.mktemp("reported")))
        given = asked(two_runs(), **changed)
        packed = reporting.build(given, lambda done, what: steps.append((done, what)))
    return Made(asked=given, packed=packed, files=opened(packed), steps=steps)


def two_runs() -> list[Told]:
    """Two runs, the first attacked."""
    store = RunStore.open()
    said = made_runs.statement(made_runs.edge_entries(9))
    records: list[RunRecord] = [
        made_runs.finish(store, made_runs.spec(seed=seed), 0.7, said, made_runs.learning(seed)) for seed in (3, 4)
    ]
    attacks = [replace(made_attack(), run=records[0].id)]
    return [
        replace(reporting.told_of(store, one), attacks=attacks if place == 0 else [])
        for place, one in enumerate(records)
    ]


def opened(packed: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        (folder,) = {name.partition("/")[0] for name in names}
        return {name.removeprefix(f"{folder}/"): archive.read(name) for name in names}


def asked(runs: list[Told], **changed: object) -> Asked:
    given = {"title": "Ours & theirs", "remark": "First.\n\nSecond <b>.", "notebook": False, "share": False}
    return Asked(runs=runs, **{"figures": reporting.usual(runs), **given, **changed})  # type: ignore[arg-type]


@pytest.mark.long
def test_figures_alone_need_no_runs(runs: list[Told]) -> None:
    kept = replace(asked(runs), runs=(), notebook=True)
    files = opened(reporting.build(kept))
    assert not [name for name in files if name.startswith(("tables/", "statements/"))]
    assert "sajadmanesh2024progap" in files["references.bib"].decode(), "of what the figure shows"
    assert "figures/01-tradeoff.svg" in files
    cells = json.loads(files["report.ipynb"])["cells"]
    assert not [out for cell in cells for out in cell.get("outputs", []) if out["output_type"] == "error"]


def test_the_archive_holds_everything(whole: Made) -> None:
    runs, files = whole.asked.runs, whole.files
    own = [f"setting-01-{figure}" for figure in ("standing", "ledger", "curves")]
    figures = ["01-tradeoff", "02-compare", "03-attack_roc", *own]
    assert {name for name in files if name.startswith("figures/")} == {
        f"figures/{figure}.{kind}" for figure in figures for kind in FORMATS
    }
    text = files["statements/setting-01.txt"].decode()
    label, _, text = text.partition("\n")
    settings = f"{describe(runs[0].record)}, random split."
    assert label == f"{settings} {repeating.again(runs[0].record)}", "whose it is, at which settings"
    assert text.startswith(f"Runs: {', '.join(f'{one.record.id} (seed {one.seed})' for one in runs)}.\n")
    assert "epsilon" in text
    assert statement_from_json(json.loads(files["statements/setting-01.json"])).unit == "edge"
    assert sum(name.startswith("statements/") for name in files) == 2, "one statement of a setting, in two forms"
    assert len(list(csv.DictReader(io.StringIO(files["tables/runs.csv"].decode())))) == 2
    assert r"$\varepsilon$" in files["tables/runs.tex"].decode()
    assert "sajadmanesh2024progap" in files["references.bib"].decode()
    assert "carlini2022membership" in files["references.bib"].decode(), "of the attack as well"
    commands = files["reproduce.sh"].decode().splitlines()
    assert commands[0] == "#!/bin/sh"
    assert sum(line.startswith("  privgraph run progap") for line in commands) == 1
    assert "for seed in 3 4; do" in commands
    assert any(line.startswith("privgraph attack ") for line in commands)
    assert files["report.pdf"].startswith(b"%PDF")
    contents = files["README.txt"].decode()
    held = [name for name in reporting.FILES if name in contents]
    assert held == [name for name in reporting.FILES if name != "report.ipynb"], "what it holds, and no more"


def test_the_page_asks_nobody_and_warns_first(whole: Made) -> None:
    page = whole.files["report.html"].decode()
    assert "default-src 'none'" in page
    assert not re.search(r'(?:src|href)="(?!data:|#part-)', page)
    assert page.index("<nav") < page.index(first_page.EVALUATOR.title) < page.index("What the figures say")
    assert page.index("<h2>Figure 3") < page.index("<h2>Appendix") < page.index("<h2>What the words mean")
    assert "<h3>" not in page[: page.index("<h2>Appendix")], "details come after it"
    for place, title in re.findall('href="#part-([0-9]+)">([^<]*)<', page):
        assert re.search(f'<section id="part-{place}"[^>]*><h2>{re.escape(title)}</h2>', page), (
            "the contents lead to it"
        )
    assert page.count("Versions, where this report was made") == 2, "once, and in the contents"
    assert page.count("<details>") == 1, "long settings are folded, and said once of a setting"
    assert "Ours &amp; theirs" in page
    assert "Second &lt;b&gt;." in page, "words of people are words"
    assert len(re.findall("<h[23]>", page)) > 8


def test_a_remark_has_its_marks_and_is_text_for_the_rest() -> None:
    points = "- first <b>\n- [paper](https://example.org/?a=1&b=2)"
    told = f"Why *this* **one** (`gap`):\n\n{points}\n\n2 * 3 * 4 and\n- a point"
    page = blocks.as_html(Remark(told), {})
    assert page == (
        "<p>Why <em>this</em> <strong>one</strong> (<code>gap</code>):</p>"
        '<ul><li>first &lt;b&gt;</li><li><a rel="noreferrer" href="https://example.org/?a=1&amp;b=2">paper</a></li></ul>'
        "<p>2 * 3 * 4 and</p><ul><li>a point</li></ul>"
    )
    for hostile in ("[x](javascript:alert(1))", '[x](https://a" onload="y)', "<script>", "**<img src=x>**"):
        made = blocks.as_html(Remark(hostile), {})
        assert not re.search(r"<(?!/?(p|a|strong)\b)", made), made
        assert "javascript:" not in made or "href" not in made
        assert ' onload="' not in made
    assert blocks.as_markdown(Remark("**All** of <b> & more")) == "**All** of &lt;b> &amp; more"


def test_a_figure_says_its_title_and_each_warning_once(whole: Made) -> None:
    kept, page = whole.asked, whole.files["report.html"].decode()
    section = page[page.index("<h2>Figure 1") : page.index("<h2>Figure 2")]
    (encoded,) = re.findall(r"src=\"data:image/svg\+xml;base64,([^\"]+)", section)
    drawn = base64.b64decode(encoded).decode()
    about, _, shown = drawn.partition("</metadata>")
    title = chart_of(kept.figures[0].figure, kept.figures[0].rows).title
    assert title in section
    assert title not in shown
    assert "evaluator only" not in shown, "in the letters of the page, which a phone shows as large as any"
    assert "none yet" not in shown
    assert "evaluator only" in about, "whoever takes the picture alone has it with it"
    visible = re.sub(r"<[^>]*>", "", section)
    assert visible.count("evaluator only: accuracies") == 1
    assert "Evaluator only: some" not in visible
    assert "Behind itprotectssound εε as publishedε auditedδ" in visible, "what it states is a table"


@pytest.mark.long
def test_equal_reports_are_equal_bytes(whole: Made) -> None:
    assert reporting.build(whole.asked) == whole.packed
    assert reporting.page(replace(whole.asked, title="Another")).encode() != whole.files["report.html"]


@pytest.mark.long
def test_a_shared_report_tells_no_seed(shared: Made) -> None:
    runs, files = shared.asked.runs, shared.files
    assert "reproduce.sh" not in files
    assert {name for name in files if name.startswith("statements/")} == {
        f"statements/setting-01.{kind}" for kind in ("txt", "json")
    }
    assert b"\nRuns: run-01 (seed #1), run-02 (seed #2).\n" in files["statements/setting-01.txt"]
    assert not [name for name in files if "run-" in name]
    for one in runs:
        end, seed = one.record.id[-12:], one.record.spec.seed
        told = [
            name for name, content in files.items() if end.encode() in content or f"seed {seed}".encode() in content
        ]
        assert told == []
        assert f"--seed {seed}" not in files["report.html"].decode()
    assert "seed #1" in files["figures/02-compare.csv"].decode(), "runs stay apart"
    seeds = [row["seed"] for row in csv.DictReader(io.StringIO(files["figures/setting-01-standing.csv"].decode()))]
    assert [one for one in seeds if one] == ["#1", "#2"], "those of run 1 and run 2"
    assert reporting.page(shared.asked).encode() == files["report.html"], "the preview"


@pytest.mark.long
def test_a_figure_that_was_chosen_is_drawn_once(runs: list[Told]) -> None:
    (alone,) = runs[1:]
    assert not reporting.usual([alone]), "its chapter brings its own"
    curves = Drawn(figure="curves", rows=made_curves.data(alone.events))
    page = reporting.page(replace(asked([alone]), figures=[curves]))
    learnt = page[page.index("<h3>How it learnt") : page.index("<h3>How to repeat it")]
    assert "<p>See Figure 1.</p>" in learnt
    assert "<img" not in learnt
    assert page.count("<img") == 3, "these, where its accuracy stands, and its ledger"


def test_the_first_page_tells_each_run_in_words(whole: Made, shared: Made) -> None:
    for made in (whole, shared):
        page = made.files["report.html"].decode()
        first = page[: page.index("<h2>Figure 1")]
        assert first.count("<strong>ProGAP</strong> was trained on") == 1, "of one setting"
        (accuracy,) = re.findall(r"names the right class for <strong>([0-9.]+)%</strong>", first)
        assert accuracy == "70.0"
        assert "on average over 2 seeds" in first
        assert first.count(">one connection (edge)</td>") == 1, "a row of the table"
        guaranteed, told = first.index(">one connection (edge)</td>"), first.index("</strong> was trained on")
        assert guaranteed < told, "the guarantee first"
        assert "(70." not in first


def test_of_many_settings_each_is_told_in_words_in_its_chapter(
    runs: list[Told], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_page, "MOST_IN_WORDS", 0)
    page = reporting.page(replace(asked(runs), figures=()))
    said = "<strong>ProGAP</strong> was trained on"
    assert page.count(said) == 1
    assert page.index("<h2>Appendix") < page.index(said)


def test_runs_that_differ_in_their_seeds_are_one_chapter(whole: Made, shared: Made) -> None:
    """What is the same of both is said once, what came out side by side, and what both cost together."""
    for made, names in ((whole, ("seed 3", "seed 4")), (shared, ("seed #1", "seed #2"))):
        page = made.files["report.html"].decode()
        assert page.count("<h3>What the guarantee says") == page.count("<h3>How to repeat it") == 1
        assert "".join(f"<th>{name}</th>" for name in ("", *names)) in page
        assert "(un " not in page
        first = page[: page.index("<h2>Figure 1")]
        (composed,) = re.findall(r"2 private runs have shown <span class=\"whole\">ε = ([0-9.]+)", first)
        (alone,) = {one.record.statement.epsilon for one in made.asked.runs if one.record.statement}
        assert alone < float(composed) < 2 * alone
    assert whole.files["report.html"].decode().count("privgraph run progap") == 2, "a command for each"


def test_runs_with_an_audit_are_no_other_setting(runs: list[Told]) -> None:
    audited = replace(runs[1].record, epsilon_audited=0.25, audit_confidence=0.95, adversary=Adversary.CANARIES)
    told = [runs[0], replace(runs[1], record=audited)]
    (chapter,) = chapters.chapters_of(replace(asked(told), figures=()))
    (table,) = [one for section in chapter.sections for one in section.blocks if isinstance(one, blocks.Table)
                and one.head == ("", "Value", "By")]  # fmt: skip
    (row,) = [row for row in table.rows if "audited" in row[0]]
    assert row[1].startswith("at least 0.25 (confidence 95%, ")
    assert row[2].endswith("(seed 4)"), "whose it is"
    written = [(name, told) for name, *_, told in archive._statements(asked(told, figures=()), [chapter])]
    names = [f"{one.record.id} (seed {one.seed})" for one in told]
    assert written == [("setting-01-1", names[:1]), ("setting-01-2", names[1:])], "what was shown of one, not of both"
    tuned = {**(audited.statement_json or {}), "epsilon": 0.5}
    apart = [runs[0], replace(runs[1], record=replace(audited, statement_json=tuned))]
    assert len(chapters.chapters_of(replace(asked(apart), figures=()))) == 2, "another promise"


def test_without_an_appendix_it_is_a_summary_and_statements_stay(runs: list[Told]) -> None:
    short = asked(runs, appendix=False)
    files = opened(reporting.build(short))
    page = files["report.html"].decode()
    assert "<h3>" not in page
    assert "Appendix" not in page
    assert re.findall("<h2>([^<:]*)", page) == [
        "What is reported",
        *("Figure 1", "Figure 2", "Figure 3"),
        "References",
    ]
    assert first_page.STATEMENTS in page
    assert "statements/setting-01.txt" in files
    assert {name.partition("-")[0] for name in files if name.startswith("figures/")} == {
        "figures/01", "figures/02", "figures/03"
    }  # fmt: skip
    assert archive.pictures(short) == 3
    assert archive.pictures(asked(runs)) == 6


def test_advice_travels_with_its_figure(runs: list[Told]) -> None:
    told = "**To hide edges:**\n\n- **ε 1: take it.** By progap-karate-00000000beef."
    figure = replace(reporting.usual(runs)[0], advice=told, title="Mine")
    page = reporting.page(asked(runs, share=True, figures=[figure]))
    first = page[: page.index("<h2>Figure 1")]
    assert "take it." not in first, "of advice that an earlier version kept nothing is short enough"
    assert re.search(rf"<strong>Figure 1, Mine.</strong> Hiding [^<]*<?.*{findings.BELOW}", first)
    assert "beef" not in page
    section = page[page.index("<h2>Figure 1: Mine</h2>") : page.index("<h2>Appendix")]
    assert "<strong>What to take</strong>" in section
    assert '<li><strong><span class="whole">ε 1</span>: take it.</strong>' in section
    assert "<p>Accuracy against epsilon" not in section, "and not who is highest, which may protect nobody"
    assert "Welch" in page[page.index("<h2>Appendix") :], "what is called clear is said there"


@pytest.mark.parametrize("figure", ["attack_map", "attack_exposure", "answers", "curves", "a figure of tomorrow"])
def test_figures_that_tell_who_was_held_out_leave_for_nobody_else(runs: list[Told], figure: str) -> None:
    """By them the seed was found, which the report leaves out."""
    telling = Drawn(figure=figure, rows=[{"node": 3}], statements={}, title="Mine")
    others = reporting.usual(runs)
    assert asked(runs, figures=[telling, *others]).shown == [telling, *others]
    shared = asked(runs, figures=[telling, *others], share=True)
    assert shared.shown == others
    assert not {one.figure for one in without_seeds(shared).figures} & {figure}
    with pytest.raises(OptionError, match="leaves out figures that tell a seed or private values"):
        asked([], figures=[telling], share=True)


def test_who_wrote_it_and_when_stands_first(runs: list[Told]) -> None:
    kept = replace(asked(runs), figures=(), author="A. Person", date="1 May 2026")
    page = reporting.page(kept)
    assert "<p>A. Person, 1 May 2026</p><p><strong>Remark</strong></p><p>First.</p>" in page.replace("\n", "")
    assert page.index("First.") < page.index("Careful")
    assert "A. Person" not in reporting.page(asked(runs))
    assert b"/Author (A. Person)" in printing.pdf("T", [], author="A. Person")
    assert b"/Author" not in printing.pdf("T", [])


@pytest.mark.long
def test_the_notebook_was_executed_beside_the_files(runs: list[Told]) -> None:
    pytest.importorskip("nbclient")
    files = opened(reporting.build(asked(runs, notebook=True)))
    cells = json.loads(files["report.ipynb"])["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    figures = [name for name in files if name.endswith(".svg")]
    titles = [line for cell in cells for line in "".join(cell["source"]).split("\n") if line.startswith("## ")]
    assert titles[0] == "## Runs"
    assert titles[1].startswith("## Figure 1: ")
    assert titles[-2:] == ["## Privacy statements", "## References"]
    assert len(titles) == 1 + len(figures) + 2
    (table,) = ("".join(out["data"]["text/markdown"]) for out in code[1]["outputs"])
    assert not re.search(r"\d\.\d{5,}", table), "rounded as elsewhere"
    assert "| epsilon sound | 0.8142 |" in table, "up"
    assert len(code) == 2 + len(figures) + 1, "the statement of a setting is shown once"
    assert all(cell["execution_count"] for cell in code)
    pictures = [one for cell in code for one in cell["outputs"] if "image/svg+xml" in one.get("data", {})]
    assert len(pictures) == len(figures) == 3 + 3, "those of the runs, too"
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


def test_what_is_made_is_told_step_by_step_and_can_be_ended(whole: Made) -> None:
    told = whole.steps
    shares = [done for done, _ in told]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert shares[-1] == 1
    assert len(told) > 10
    assert told[0][1] == "figure 1 of 6 on the page"

    def end(done: float, what: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reporting.build(whole.asked, end)


@pytest.mark.long
def test_a_picture_is_drawn_once_for_lines_and_once_for_pixels(
    runs: list[Told], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[tuple[str, str, bool]] = []
    once = export.drawn_of

    def counted(figure: str, rows: list[Row], statements: dict[str, Any], theme: str, *, titled: bool) -> object:
        drawn.append((figure, theme, titled))
        return once(figure, rows, statements, theme, titled=titled)

    monkeypatch.setattr(export, "drawn_of", counted)
    monkeypatch.setattr(archive, "_LATELY", {})
    kept = replace(asked(runs), figures=asked(runs).figures[:1])
    reporting.build(kept)
    of_one = [kind for figure, *kind in drawn if figure == "tradeoff"]
    assert sorted(of_one) == [["dark", False], *[["light", False]] * 2, *[["light", True]] * 2]
    drawn.clear()
    reporting.page(kept)
    assert not drawn, "it was looked at lately"
    monkeypatch.setattr(archive, "MOST_LATELY", 1)
    reporting.page(kept)
    assert len(archive._LATELY) == 1


@pytest.mark.long
def test_all_papers_behind_figures_and_statements_are_cited(runs: list[Told]) -> None:
    rows = [{**row, "method": "edge-rand"} for row in reporting.usual(runs)[0].rows]
    shown = Drawn(figure="tradeoff", rows=rows)
    cited = opened(reporting.build(replace(asked(runs[1:]), figures=[shown])))["references.bib"].decode()
    for key in ("sajadmanesh2024progap", "sajadmanesh2023gap", "wu2022linkteller"):
        assert key in cited


def test_numbered_runs_have_a_key(shared: Made) -> None:
    files = shared.files
    assert "Run 1 to run 2 are the runs of this report in its order (run-01 to run-02 in tables/)." in (
        files["README.txt"].decode()
    )
    (first, *_) = csv.DictReader(io.StringIO(files["figures/02-compare.csv"].decode()))
    assert first["runs"] == "run 1"
    alone = replace(shared.asked, runs=shared.asked.runs[:1])
    assert "Run 1 is the run of this report (run-01 in tables/)." in archive._numbered(alone)
    assert [one.name for one in chapters.chapters_of(without_seeds(alone))] == ["run-01"]


@pytest.mark.long
def test_figures_alone_are_a_report(runs: list[Told]) -> None:
    figures = reporting.usual(runs)[:1]
    files = opened(reporting.build(Asked(title="One figure", runs=[], figures=figures, notebook=False)))
    assert "figures/01-tradeoff.svg" in files
    assert b"Figure 1" in files["report.html"]
    assert Drawn(figure="tradeoff", rows=figures[0].rows).statements == {}


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


WITHOUT_NAMES = {"velickovic2018graph"}
"""Papers whose authors a table spells in plain letters."""


def test_references_and_entries_are_of_the_same_papers() -> None:
    names = ["heter-poisson", "bavaria", "lira", "nobody"]
    listed = references(names)
    assert len(listed) == bibtex(names).count("@") - 1 == 3
    assert [one.split(" ")[0] for one in listed] == ["Rickard", "Nicholas", "Zihang"], "by their first authors"
    assert listed[1].endswith("2022. For: Likelihood ratio with a prior (BaVarIA), Likelihood ratio (LiRA).")
    assert r"Br{\"a}nnvall" in bibtex(names)


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
    narrow = blocks.PAGE.partition("@media (max-width: 40rem)")[2]
    assert "content: attr(data-head)" in narrow
    assert re.search(r"\.figure:focus img \{[^}]*width", narrow), "a figure fits, and is larger where somebody asks"
    assert not re.search(r"\.figure img \{", narrow)
