"""A report: what the archive holds, what is said first, what is withheld, and that it is the same again."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
from dataclasses import dataclass, replace
from typing import Any

import pytest
from tests.workbench.made_reports import asked, opened, two_runs
from tests.workbench.sketches import sketched

from privgraph.options import OptionError
from privgraph.privacy.kinds import Adversary
from privgraph.privacy.serialisation import statement_from_json
from privgraph_workbench import blocks, printing, repeating, reporting
from privgraph_workbench.blocks import Remark
from privgraph_workbench.figures import chart_of, export
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.export import FORMATS
from privgraph_workbench.figures.runs import curves as made_curves
from privgraph_workbench.reporting import Asked, Drawn, Told, archive, chapters, first_page
from privgraph_workbench.reporting.withholding import without_seeds
from privgraph_workbench.words.naming import describe


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
    """Made once for all tests that read it, with all of its pictures and its print: it takes seconds."""
    return _made(tmp_path_factory)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The same for others to read, with sketches for pictures."""
    with sketched():
        return _made(tmp_path_factory, share=True, title="For others")


def _made(places: pytest.TempPathFactory, **changed: object) -> Made:
    steps: list[tuple[float, str]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRIVGRAPH_HOME", str(places.mktemp("reported")))
        given = asked(two_runs(), **changed)
        packed = reporting.build(given, lambda done, what: steps.append((done, what)))
    return Made(asked=given, packed=packed, files=opened(packed), steps=steps)


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
        f"figures/{figure}.{kind}" for figure in figures for kind in (*FORMATS, "tex")
    }
    text = files["statements/setting-01-audited.txt"].decode()
    label, _, text = text.partition("\n")
    settings = f"{describe(runs[0].record)}, random split."
    assert label == f"{settings} {repeating.again(runs[0].record)}", "whose it is, at which settings"
    assert text.startswith(f"Runs: {runs[0].record.id} (seed {runs[0].seed}).\n")
    assert "Epsilon audited: an attack has shown at least" in text, "of the run that was attacked"
    other = files["statements/setting-01-not-audited.txt"].decode()
    assert f"\nRuns: {runs[1].record.id} (seed {runs[1].seed}).\n" in other
    assert "no attack or audit has shown a lower bound" in other
    assert statement_from_json(json.loads(files["statements/setting-01-audited.json"])).unit == "edge"
    assert sum(name.startswith("statements/") for name in files) == 4, "two statements of a setting, in two forms"
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
    assert page.index(first_page.EVALUATOR.title) < page.index("<nav") < page.index("<h2>Figure 1")
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
    assert visible.count("⚠ evaluator only") == 1, "a mark: the first page says it in full"
    assert "accuracies are measured on labels" not in visible
    assert "Evaluator only: some" not in visible
    assert "Behind itprotectssound εε as publishedε auditedδ" in visible, "what it states is a table"


@pytest.mark.long
def test_equal_reports_are_equal_bytes(whole: Made) -> None:
    assert reporting.build(whole.asked) == whole.packed
    assert reporting.page(replace(whole.asked, title="Another")).encode() != whole.files["report.html"]


@pytest.mark.usefixtures("undrawn")
def test_a_shared_report_tells_no_seed(shared: Made) -> None:
    runs, files = shared.asked.runs, shared.files
    assert "reproduce.sh" not in files
    assert {name for name in files if name.startswith("statements/")} == {
        f"statements/setting-01-{which}.{kind}" for kind in ("txt", "json") for which in ("audited", "not-audited")
    }
    assert b"\nRuns: run-01 (seed #1).\n" in files["statements/setting-01-not-audited.txt"]
    assert b"\nRuns: run-02 (seed #2).\n" in files["statements/setting-01-audited.txt"]
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
    assert [one for one in seeds if one] == ["#1", "#2"], "those of run-01 and run-02"
    assert reporting.page(shared.asked).encode() == files["report.html"], "the preview"


@pytest.mark.usefixtures("undrawn")
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
        first = page[page.index("<h2>What is reported") : page.index("<h2>Appendix")]
        assert first.count("<strong>ProGAP</strong> was trained on") == 1, "of one setting"
        (accuracy,) = re.findall(r"names the right class for <strong>([0-9.]+)%</strong>", first)
        assert accuracy == "70.0"
        assert "on average over 2 seeds" in first
        assert first.count(">one connection (edge)</td>") == 1, "a row of the table"
        guaranteed, told = first.index(">one connection (edge)</td>"), first.index("</strong> was trained on")
        assert guaranteed < told, "the guarantee first"
        assert "(70." not in first


@pytest.mark.usefixtures("undrawn")
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
        beside = "".join(f"<th>{name}</th>" for name in ("", *names))
        assert (beside in page) is (made is whole), "others are told of what differs: here seeds, ids and times alone"
        assert "(un " not in page
        first = page[page.index("<h2>What is reported") : page.index("<h2>Appendix")]
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
    ends = (archive.NOT_AUDITED, archive.AUDITED)
    expected = [(f"setting-01-{end}", [name]) for end, name in zip(ends, names, strict=True)]
    assert written == expected, "what was shown of one, not of both"
    tuned = {**(audited.statement_json or {}), "epsilon": 0.5}
    apart = [runs[0], replace(runs[1], record=replace(audited, statement_json=tuned))]
    assert len(chapters.chapters_of(replace(asked(apart), figures=()))) == 2, "another promise"


@pytest.mark.usefixtures("undrawn")
def test_without_an_appendix_it_is_a_summary_and_statements_stay(runs: list[Told]) -> None:
    short = asked(runs, appendix=False)
    files = opened(reporting.build(short))
    page = files["report.html"].decode()
    assert "<h3>" not in page
    assert "Appendix" not in page
    assert re.findall("<h2>([^<:]*)", page) == [
        "In short",
        *("Figure 1", "Figure 2", "Figure 3"),
        "What is reported",
        "References",
    ]
    assert first_page.STATEMENTS in page
    assert {f"statements/setting-01-{end}.txt" for end in (archive.AUDITED, archive.NOT_AUDITED)} <= set(files), (
        "the first was attacked"
    )
    assert {name.partition("-")[0] for name in files if name.startswith("figures/")} == {
        "figures/01", "figures/02", "figures/03"
    }  # fmt: skip
    assert archive.pictures(short) == 3
    assert archive.pictures(asked(runs)) == 6


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


@pytest.mark.usefixtures("undrawn")
def test_who_wrote_it_and_when_stands_first(runs: list[Told]) -> None:
    kept = replace(asked(runs), figures=(), author="A. Person", date="1 May 2026")
    page = reporting.page(kept)
    words = "<strong>Remark: the author&#x27;s own words, not checked against the runs</strong>"
    assert f"<p>A. Person, 1 May 2026</p><p>{words}</p><p>First.</p>" in page.replace("\n", "")
    assert page.index("First.") < page.index("Careful")
    assert "A. Person" not in reporting.page(asked(runs))
    assert b"/Author (A. Person)" in printing.pdf("T", [], author="A. Person")
    assert b"/Author" not in printing.pdf("T", [])


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


@pytest.mark.usefixtures("undrawn")
def test_a_picture_is_drawn_once_for_all_files_that_show_the_same(
    runs: list[Told], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[tuple[str, str, bool, bool]] = []
    once = export.drawn_of

    def counted(
        figure: str, rows: list[Row], statements: dict[str, Any], theme: str, *, titled: bool, **more: Any
    ) -> object:
        drawn.append((figure, theme, titled, more["narrow"]))
        return once(figure, rows, statements, theme, titled=titled, **more)

    monkeypatch.setattr(export, "drawn_of", counted)
    monkeypatch.setattr(archive, "_LATELY", {})
    kept = replace(asked(runs), figures=asked(runs).figures[:1])
    reporting.build(kept)
    of_one = {kind: sorted(how for figure, *how in drawn if figure == kind) for kind in ("tradeoff", "ledger")}
    captioned = ["light", False, False]  # the PDF, whose caption has what the others say themselves
    on_page, with_title = [["dark", False, False], ["light", False, False]], ["light", True, False]
    assert of_one["tradeoff"] == [*on_page, captioned, with_title], "print has it as the page"
    narrow = ["light", False, True]
    assert of_one["ledger"] == [*on_page, captioned, narrow, with_title], "narrow in print"
    drawn.clear()
    reporting.page(kept)
    assert not drawn, "it was looked at lately"
    monkeypatch.setattr(archive, "MOST_LATELY", 1)
    reporting.page(kept)
    assert len(archive._LATELY) == 1


def test_numbered_runs_have_a_key(shared: Made) -> None:
    files = shared.files
    assert "run-01 to run-02 are the runs of this report in its order;" in (files["README.txt"].decode())
    compared = csv.DictReader(io.StringIO(files["figures/02-compare.csv"].decode()))
    assert {row["runs"] for row in compared} == {"run-01", "run-02"}
    alone = replace(shared.asked, runs=shared.asked.runs[:1])
    assert "run-01 is the run of this report;" in archive._numbered(alone)
    assert [one.name for one in chapters.chapters_of(without_seeds(alone))] == ["run-01"]


@pytest.mark.usefixtures("undrawn")
def test_figures_alone_are_a_report(runs: list[Told]) -> None:
    figures = reporting.usual(runs)[:1]
    files = opened(reporting.build(Asked(title="One figure", runs=[], figures=figures, notebook=False)))
    assert "figures/01-tradeoff.svg" in files
    assert b"Figure 1" in files["report.html"]
    assert Drawn(figure="tradeoff", rows=figures[0].rows).statements == {}
