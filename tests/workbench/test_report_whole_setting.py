"""What attacks and audits have shown is told of the whole setting whose mean a report quotes, by its seed."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

import pytest
from tests.figures import made_runs
from tests.figures.made_attacks import attack
from tests.figures.made_audits import audit as made_audit
from tests.workbench.made_reports import opened

from privgraph.privacy.serialisation import statement_from_json
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting, tables
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.reporting import Asked, chapters, first_page, glance_attacks
from privgraph_workbench.reporting.withholding import without_seeds
from privgraph_workbench.words import strongest
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.statements import audited_bound


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def three(store: RunStore, method: str = "progap") -> list[RunRecord]:
    """Runs of one setting, of seeds 70 to 72."""
    said = made_runs.statement(made_runs.edge_entries(9))
    return [
        made_runs.finish(store, made_runs.spec(method, seed=70 + place), 0.7 + place / 100, said) for place in range(3)
    ]


def examined(store: RunStore, records: list[RunRecord]) -> None:
    """The second run is attacked, the third audited, after the first was told once."""
    reporting.told_of(store, records[0])
    store.add_attack(records[1].id, replace(attack(name="lira"), run=records[1].id))
    store.add_audit(records[2].id, made_audit(records[2].id))


def bound_of(store: RunStore, record: RunRecord) -> float:
    """What its audit has shown."""
    shown = store.get(record.id).epsilon_audited
    assert shown
    return shown


def lines(given: Asked) -> list[tables.Line]:
    given = without_seeds(given) if given.share else given
    return first_page.all_settings(given, chapters.chapters_of(given))


@pytest.mark.parametrize(("share", "attacked", "audited"), [(False, "71", "72"), (True, "#2", "#3")])
def test_another_seed_that_was_examined_is_named_in_the_row_of_its_setting(
    store: RunStore, share: bool, attacked: str, audited: str
) -> None:
    records = three(store)
    examined(store, records)
    given = Asked(title="T", runs=[reporting.told_of(store, records[0])], share=share, notebook=False)
    (line,) = lines(given)
    assert line.record.epsilon_audited is None, "the run that was ticked has no bound"
    ((*_, audit, _, _),) = tables.in_words([line], {}).rows
    bound = bound_of(store, records[2])
    assert audit.partition(" [")[0] == f"{audited_bound(bound)}, of seed {audited}", "but for its footnotes"
    assert strongest.words(line.attacks, line.seed_of).endswith(f", by LiRA, on seed {attacked}")
    (row,) = csv.DictReader(io.StringIO(tables.settings_csv([line]).decode()))
    assert (row["attacked_seed"], row["audited_seed"]) == (attacked, audited)
    assert float(row["epsilon_audited_at_least"]) == pytest.approx(bound)
    page = re.sub("<[^>]*>", " ", reporting.page(given))
    assert glance_attacks.UNATTACKED not in page
    assert strongest.NONE not in page
    assert "none yet" not in page
    assert f"(seed {audited}, which has no chapter)" in page
    assert f"seed {attacked}, which has no chapter: " in page, "in the section of attacks"
    if share:
        assert not re.search(r"seed 7\d", page)


def test_none_made_is_said_where_no_run_of_the_setting_was_attacked(store: RunStore) -> None:
    records = three(store)
    given = Asked(title="T", runs=[reporting.told_of(store, records[0])], notebook=False, appendix=False)
    (line,) = lines(given)
    assert strongest.words(line.attacks, line.seed_of) == strongest.NONE
    assert tables.in_words([line], {}).rows[0][4] == "none yet"
    assert glance_attacks.UNATTACKED in reporting.page(given)


def test_a_setting_of_a_figure_alone_is_told_whole_as_well(store: RunStore) -> None:
    own, gap = three(store), three(store, "gap")
    examined(store, gap)
    figure = reporting.drawn(store, "tradeoff", tradeoff.data(gap[:1]), statements_of(gap[:1]), [gap[0].id])
    given = Asked(title="T", runs=[reporting.told_of(store, own[0])], figures=[figure])
    _, line = lines(given)
    assert strongest.words(line.attacks, line.seed_of).endswith(", on seed 71")
    assert line.bound_seed == "seed 72"


@pytest.mark.parametrize("share", [False, True])
def test_a_bound_stands_in_the_statement_of_its_run_alone(store: RunStore, share: bool) -> None:
    records = three(store)
    examined(store, records)
    given = Asked(title="T", runs=[reporting.told_of(store, records[0])], share=share, notebook=False, appendix=False)
    files = {name: content.decode(errors="replace") for name, content in opened(reporting.build(given)).items()}
    stated = {name: said for name, said in files.items() if name.startswith("statements/") and name.endswith(".txt")}
    runs = {named: name for name, said in stated.items() for named in re.findall(r"^Runs: (.*)\.$", said, re.M)}
    names = [f"run-{place:02d} (seed #{place})" for place in (1, 2, 3)]
    if not share:
        names = [f"{one.id} (seed {one.spec.seed})" for one in records]
    assert list(runs) == names, "one was not examined, one attacked, one audited"
    bounds = [
        statement_from_json(json.loads(files[name.replace(".txt", ".json")])).epsilon_audited for name in runs.values()
    ]
    assert bounds == [None, store.attacks(records[1].id)[0].bound, bound_of(store, records[2])]
    rows = list(csv.DictReader(io.StringIO(files["tables/runs.csv"])))
    assert [bool(row["strongest_attack"]) for row in rows] == [False, True, False]
    assert [bool(row["epsilon_audited_at_least"]) for row in rows] == [False, True, True]
