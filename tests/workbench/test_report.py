"""The report: equal twice, without seeds and ids, and foreign text stays text in every file."""

import ast
import csv
import io
import json
import re
import subprocess
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack

from privgraph.options import OptionError
from privgraph.runs.final_statement import NOISE_IS_PUBLIC, with_public_noise
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.attacks import attack_roc
from privgraph_workbench.figures.chart import Flag
from privgraph_workbench.figures.costs import entry_costs
from privgraph_workbench.figures.export import export
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.report import archive
from privgraph_workbench.report.asked import LETTERS, Asked, Entry, visible
from privgraph_workbench.report.context import context
from privgraph_workbench.report.notebook import of_figure
from privgraph_workbench.text import texts
from privgraph_workbench.words.naming import statements_of

SEEDS = (90210, 31337, 48151)
HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "![i](https://evil.example/i.png) [c](javascript:d)",
    r"\input{/etc/passwd} $x^2$ 50% a_b #1 & ~ ^ {}",
    '#read("/etc/passwd") = #image("x") $ y $ @cite <label>',
    "=1+1",
    "@SUM(A1)",
    "\"quotes\" and 'more' {{ 7 * 7 }} {% raw %}",
    "a\x00b\x1b[31mc\x7f",
    "right\u202eto\u202cleft zero\u200bwidth\ufeff",
    "w" * 190,
    "line\u2028separator\ud800",
    "''')\nimport os\n#",
)


def made(store: RunStore, public: bool = False) -> list[RunRecord]:
    said = made_runs.statement(made_runs.edge_entries(9))
    said = with_public_noise(said) if public else said
    return [made_runs.finish(store, made_runs.spec(seed=seed), 0.7, said) for seed in SEEDS]


def entry(records: list[RunRecord], **words: str) -> Entry:
    ids = [one.id for one in records]
    return replace(Entry.of("tradeoff", tradeoff.data(records), statements_of(records), ids), **words)  # type: ignore[arg-type]


def opened(packed: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(packed)) as packed_files:
        assert packed_files.testzip() is None
        return {name: packed_files.read(name) for name in packed_files.namelist()}


class Page(HTMLParser):
    """Texts, elements, addresses."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.names: list[str] = []
        self.addresses: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "action")]
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_made_twice_it_is_equal_and_names_no_run_and_no_seed(store: RunStore) -> None:
    records = made(store)
    asked = Asked(title="Ours", entries=[entry(records, title="First"), Entry(runs=(records[0].id,))])
    shares: list[float] = []
    packed = archive.pack(asked, store, shares.append)
    assert packed == archive.pack(Asked.read(json.loads(asked.json())), store)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    files = opened(packed)
    assert {name for name in files if "/" not in name} == {
        *("report.html", "report.pdf", "settings.csv", "settings.tex", "statements.json", "statements.txt"),
        *("references.bib", "commands.sh", "notebook.ipynb"),
    }
    assert {name for name in files if "/" in name} == {
        f"figures/01-tradeoff.{kind}" for kind in ("svg", "pdf", "png", "csv", "txt", "json")
    }
    told = [*(one.id for one in records), *(one.id.rpartition("-")[2] for one in records), *map(str, SEEDS)]
    for name, content in files.items():
        assert not [one for one in told if one.encode() in content], name
    (row,) = csv.DictReader(io.StringIO(files["settings.csv"].decode()))
    assert int(row["seeds"]) == len(SEEDS)
    assert float(row["mean"]) == pytest.approx(0.7)
    assert row["noise"] == "secret"
    assert set(row) <= {*texts("columns")["settings"], *texts("columns")["report"]}
    assert subprocess.run(["sh", "-n"], input=files["commands.sh"], check=False).returncode == 0
    assert b"sweep progap --data social --unit edge --epsilon 1" in files["commands.sh"]
    assert set(re.findall(rb"@\w+\{(\w+),", files["references.bib"])) == {
        *(b"privgraph", b"sajadmanesh2024progap", b"deshpande2018contextual")
    }


def test_a_public_key_stands_in_every_export(store: RunStore) -> None:
    records = made(store, public=True)
    files = opened(archive.pack(Asked(title="T", entries=[entry(records)]), store))
    for name in ("report.html", "statements.txt", "statements.json", "notebook.ipynb", "figures/01-tradeoff.txt"):
        assert NOISE_IS_PUBLIC in files[name].decode(), name
    assert Flag.EXAMPLE.sentence in files["figures/01-tradeoff.svg"].decode()
    assert ",public" in files["settings.csv"].decode()
    assert "public" in files["settings.tex"].decode()


def test_of_a_setting_the_statement_that_promises_least_is_told(store: RunStore) -> None:
    noises = (9, 4, 6)
    records = [
        made_runs.finish(store, made_runs.spec(seed=seed), 0.7, made_runs.statement(made_runs.edge_entries(noise)))
        for seed, noise in zip(SEEDS, noises, strict=True)
    ]
    largest = max(one.statement.epsilon for one in records if one.statement)
    told = context(Asked(title="T", entries=[Entry(runs=tuple(one.id for one in records))]), store)
    assert [one.epsilon for one in told.statements.values()] == list(told.table.epsilon) == [largest]


def test_what_an_attack_has_shown_is_told_of_its_own_run_alone(store: RunStore) -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    ids = [made_runs.finish(store, made_runs.spec(name), 0.7, said).id for name in ("gap", "progap")]
    store.add_attack(ids[0], replace(made_attack(ids[0]), bound=0.4, delta=said.delta))
    told = context(Asked(title="T", entries=[Entry(runs=tuple(ids))]), store)
    assert dict(zip(told.table.method, told.table.epsilon_audited.fillna(0.0), strict=True)) == {
        "gap": 0.4,
        "progap": 0.0,
    }
    assert sorted(one.epsilon_audited or 0.0 for one in told.statements.values()) == [0.0, 0.4]


def test_attacks_come_in_when_they_are_ticked(store: RunStore) -> None:
    records = made(store)
    attack = replace(made_attack(), run=records[0].id)
    shown = Entry.of("attack_roc", attack_roc.data([attack], "log"), {}, [records[0].id])
    assert shown.examines
    assert records[0].id in shown.runs
    asked = Asked(title="T", entries=[entry(records), shown], notebook=False)
    assert [one["figure"] for one in context(asked, store).figures] == ["tradeoff"]
    assert "attack" not in context(asked, store).table
    ticked = replace(asked, entries=[entry(records), replace(shown, ticked=True)])
    told = context(ticked, store)
    assert [one["evaluator"] for one in told.figures] == [False, True]
    assert "attack" in told.table
    assert "lira" in told.papers or told.papers
    files = opened(archive.pack(ticked, store))
    assert b'class="badge"' in files["report.html"]
    assert records[0].id.encode() not in b"".join(files.values())
    with pytest.raises(OptionError):
        Asked(title="T", entries=[shown])


@pytest.mark.long
def test_foreign_text_stays_text(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    records = made(store)
    said = replace(next(one.statement for one in records if one.statement), released="</li><script>x</script> $y$")
    everything = "\n".join(HOSTILE)
    rows = [{"name": one[:40], "alone": 0.1, "without": 0.2, "whole": 1.0} for one in HOSTILE]
    assert entry_costs.data  # these are its rows
    hostile = [
        replace(Entry.of("entry_costs", rows, {one: said}, []), title=one[:200], caption=everything) for one in HOSTILE
    ]
    words = {"title": "".join(HOSTILE)[: LETTERS["title"]], "author": HOSTILE[0], "date": HOSTILE[5]}
    asked = Asked(**words, remark=everything, entries=[entry(records), *hostile[:2]])
    told = context(asked, store)
    count = len(told.columns)
    told = replace(
        told,
        cells=[[visible(one)] * count for one in HOSTILE],
        table=pd.DataFrame({"graph": [one.replace("\ud800", "") for one in HOSTILE], "mean": 0.5}),
    )
    plain = replace(asked, title="T", author="", date="", remark="", entries=[entry(records), *hostile[:2]])
    given: list[Mapping[str, str]] = []
    import typst

    make = typst.compile

    def compiled(path: str, **options: object) -> bytes:
        inputs = options["sys_inputs"]
        assert isinstance(inputs, dict)
        given.append(inputs)
        assert not any(one in Path(path).read_text() for one in HOSTILE)
        return bytes(make(path, **options))

    monkeypatch.setattr(typst, "compile", compiled)
    files = archive._files(asked, told, lambda share: None)

    page = Page(files["report.html"].decode())
    known = {*Page(opened(archive.pack(plain, store))["report.html"].decode()).names, "p"}
    assert set(page.names) <= known
    assert {"script", "b"}.isdisjoint(page.names)
    assert page.names.count("img") == 3
    assert all(one.startswith("data:image/svg+xml;base64,") for one in page.addresses)
    shown = "".join(page.words)
    for one in HOSTILE:
        assert visible(one).strip() in shown, one
    assert not re.search("[\x00-\x08\x0b-\x1f\u200b\u202a-\u202e\u2066-\u2069\ufeff]", shown)

    assert files["report.pdf"].startswith(b"%PDF")
    data = json.loads(given[0]["context"])
    assert data["title"] == visible(words["title"]).strip()
    assert [row[0] for row in data["cells"]] == list(map(visible, HOSTILE))

    cells = [row["graph"] for row in csv.DictReader(io.StringIO(files["settings.csv"].decode()))]
    assert len(cells) == len(HOSTILE)
    costs = [row["name"] for row in csv.DictReader(io.StringIO(files["figures/02-entry_costs.csv"].decode()))]
    assert not [one for one in (*cells, *costs) if one[:1] in ("=", "+", "-", "@", "\t", "\r")]

    tex = files["settings.tex"].decode()
    assert r"\input" not in tex
    assert r"\textbackslash input" in tex
    body = tex.partition(r"\midrule")[2]
    assert not re.findall(r"(?<!\\)[$#%]", body)
    assert body.count(r"\\") >= len(HOSTILE)

    book = json.loads(files["notebook.ipynb"])
    assert {one["cell_type"] for one in book["cells"]} == {"code"}
    for cell in book["cells"]:
        nodes = list(ast.walk(ast.parse(cell["source"])))
        names = {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
        names |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
        assert names <= {"json", "secrets", "pathlib", "privgraph"}
    assert json.loads(files["statements.json"])
    for name in files:
        assert re.fullmatch(r"[a-z0-9_./-]+", name)


def test_limits_are_named() -> None:
    for name in ("title", "author", "date", "remark"):
        with pytest.raises(OptionError, match=name):
            Asked(**{"title": "T", name: "w" * (LETTERS[name] + 1)}, entries=[Entry(runs=("a",))])  # type: ignore[arg-type]
    with pytest.raises(OptionError):
        Asked(title=" ", entries=[Entry(runs=("a",))])
    with pytest.raises(OptionError):
        Asked(title="T")


def test_a_figure_leaves_as_a_notebook_that_draws_it() -> None:
    told, held = export("noise_shapes", figure_of("noise_shapes").data(), {}, "json", "light"), dict[str, Any]()
    for cell in json.loads(of_figure("noise_shapes", told))["cells"]:
        exec(cell["source"], held)
    assert held["told"]["rows"] == json.loads(told)["rows"]
