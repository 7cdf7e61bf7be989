"""What a report says of its commands: the same run comes out of them only where its noise key is at hand."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from tests.figures import made_runs

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import repeating, report, reporting
from privgraph_workbench.reporting import Asked, Told, behind
from privgraph_workbench.reporting.counts import Counts

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture
def bare() -> RunRecord:
    said = made_runs.statement((), unit="none")
    return made_runs.finish(RunStore.open(), made_runs.spec("gnn", unit="none", seed=71), 0.8, said)


@pytest.fixture
def own() -> RunRecord:
    said = made_runs.statement(made_runs.edge_entries(9))
    return made_runs.finish(RunStore.open(), made_runs.spec(seed=72), 0.7, said)


@pytest.fixture
def public(own: RunRecord) -> RunRecord:
    return replace(own, gallery=True)


def _chapter(record: RunRecord, share: bool = False) -> str:
    return report.markdown(record, [], share=share).partition("## How to repeat it")[2]


@pytest.mark.parametrize("share", [False, True])
def test_a_chapter_promises_the_same_run_only_where_it_comes_out(
    bare: RunRecord, own: RunRecord, public: RunRecord, share: bool
) -> None:
    assert re.search("the same (run:|one:)", _chapter(bare, share))
    assert repeating.DIFFERS not in _chapter(bare, share)
    for one in (own, public):
        assert repeating.DIFFERS in _chapter(one, share)
        assert "the same one" not in _chapter(one, share)
    assert "the same run" not in _chapter(public, share), "its key is no home's own"
    assert ("the same run only in a home with the noise key" in _chapter(own, share)) is not share


def test_the_script_and_the_statements_say_what_holds(bare: RunRecord, own: RunRecord, public: RunRecord) -> None:
    for records, same, ours, theirs in (
        ([bare], 1, 0, 0),
        ([own], 0, 1, 0),
        ([public], 0, 0, 1),
        ([bare, own], 1, 1, 0),
    ):
        asked = Asked(title="Ours", runs=[Told(record=one) for one in records], notebook=False, appendix=False)
        with zipfile.ZipFile(io.BytesIO(reporting.build(asked))) as archive:
            files = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
        head = files["reproduce.sh"].decode().partition("set -e")[0]
        assert all(line.startswith("#") for line in head.splitlines() if line)
        assert ("Runs without noise come out the same" in head) == same
        assert ("same noise key" in head) == ours
        assert ("public key" in head) == theirs
        assert (repeating.DIFFERS in head) == bool(ours or theirs)
        stated = "".join(content.decode() for name, content in files.items() if re.match("statements/.*txt", name))
        assert (repeating.DIFFERS in stated) == bool(ours or theirs)
        assert ("a run is the same." in stated) == same


def test_the_script_has_the_runs_of_references_how_to_install_and_the_gallerys_own_command(
    bare: RunRecord, own: RunRecord, public: RunRecord
) -> None:
    told = Told(record=public, references={"bare": [bare]})
    asked = Asked(title="Ours", runs=[told], notebook=False, appendix=False)
    script = behind.commands(asked)
    assert f"--seed {bare.spec.seed}" in script.partition("(references)")[2]
    assert len(behind.with_references(asked)) == Counts.of(asked).runs + Counts.of(asked).references == 2
    assert f"# with the gallery's own noise: privgraph gallery {public.id} --again" in script
    assert "gallery" not in behind.commands(replace(asked, runs=[Told(record=own), Told(record=bare)]))
    head = repeating.head([public])
    assert "privgraph gallery ID --again" in head
    assert "privgraph gallery" not in repeating.head([bare, own])
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    for words in ("installs pinned packages", "Python 3.11 or newer and"):
        assert words in readme
        assert words in repeating.INSTALLED


def test_that_leaving_seeds_out_helps_is_said_of_secret_keys_alone(own: RunRecord, public: RunRecord) -> None:
    assert "share the version without the seed" in report.markdown(own, [])
    said = report.markdown(public, [])
    assert "share the version without the seed" not in said
    assert "does not help" in said
    both = repeating.secret([own, public])
    assert repeating.SECRET in both, "the own one"
    assert "whose noise is public" in both
