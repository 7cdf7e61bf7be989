"""A real store with finished runs, made once for the figures' tests."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace

import pytest
from tests.contracts import capabilities_here as here
from tests.contracts.test_capabilities_figures import FIGURES, Examples
from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack

import privgraph as pg
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.attacks import attack_roc
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.noise import precision
from privgraph_workbench.figures.runs import compare


@pytest.fixture(scope="session")
def swept(tmp_path_factory: pytest.TempPathFactory) -> list[RunRecord]:
    """Two methods at four budgets and two references, three seeds each."""
    with closing(RunStore.open(f"sqlite:///{tmp_path_factory.mktemp('swept')}/runs.sqlite")) as store:
        return made_runs.sweep(store)


@pytest.fixture(scope="session")
def every_figure(swept: list[RunRecord], tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[Row]]:
    """Rows of every figure: of the examples, and with all three epsilons where a figure can have them."""
    with closing(here.example_store()) as store, closing(pg.open_store(tmp_path_factory.mktemp("other"))) as other:
        examples = Examples(store, other)
        rows = {name: getattr(pg.figures, name).data(*subject(examples)) for name, subject in FIGURES.items()}
    audited = [replace(one, epsilon_audited=0.05) for one in swept[:4]]
    return {
        **rows,
        "compare": compare.data(audited),
        "precision": precision.data(10, 1e-5, {"sound": 2.0, "published": 1.0}),
        "attack_roc": attack_roc.data([made_attack(), made_attack(memory=0.3, seed=1)], "log"),
    }


@pytest.fixture(scope="session")
def statement() -> PrivacyStatement:
    """What a setting guarantees that was audited, too."""
    said = made_runs.statement(made_runs.edge_entries(9))
    return replace(said, epsilon_audited=0.31, audit_confidence=0.95)
