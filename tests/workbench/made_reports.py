"""Reports of two made runs, and what lies in their archives."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.reporting import Asked, Told


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
