"""What the page Train shows ahead is what the run then states: noise, epsilon and delta, whichever split is
chosen.

Training, validation and test have other sizes in each split, so that sizes of another one show.
"""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.data import uploads_made_here as made
from tests.observer.cases import Case, cases
from tests.pages.reading import Open
from tests.pages.test_accounting import SIZES

from privgraph.data.catalogue import dataset
from privgraph.data.describe import described
from privgraph.data.facts import Query
from privgraph.data.load import load
from privgraph.methods.base import Plan
from privgraph.options import values
from privgraph.runs.records import RunQuery
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import datasets, plans

SEEDS = (0, 3)
CASES = [case for case in cases() if not case.changed]


def own_graph() -> str:
    """A graph of one's own with a split that has other sizes than a random one."""
    arrays = made.arrays(nodes=180)
    order = arrays["y"].argsort(kind="stable")
    for name, part in (("train", order[::2]), ("val", order[1::6]), ("test", order[3::6])):
        arrays[f"{name}_mask"][:] = False
        arrays[f"{name}_mask"][part] = True
    return made.taken({"graph.npz": made.npz(arrays)}).name


def splits(name: str) -> tuple[str, ...]:
    return ("random", "public", "inductive") if dataset(name).public_split else ("random", "inductive")


def counted(name: str) -> None:
    """The graph has been counted in every split, so that no page waits."""
    for split in splits(name):
        described(Query(name=name, split=split))


def told(plan: Plan) -> tuple[Any, ...]:
    """Noise, what the page shows of the statement, and what that is made of."""
    said = plan.statement
    ledger = [(entry.kind, entry.count, entry.noise_std, entry.sampling_rate) for entry in said.ledger]
    return dict(plan.noise), said.unit, said.epsilon, said.epsilon_as_published, said.delta, ledger


@pytest.fixture(scope="module")
def home_of_all(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("counted"))


@pytest.fixture
def name(home_of_all: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PRIVGRAPH_HOME", home_of_all)
    graph = own_graph()
    counted(graph)
    return graph


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_form_shows_ahead_what_the_run_states(case: Case, name: str) -> None:
    if case.task != "node classification":
        name = "products"
        counted(name)
    options = values(case.config())
    for split in splits(name):
        facts = datasets.public_facts(dataset(name), {}, split)
        ahead = told(plans.plan(case.method, {**options, "epsilon": 4.0}, facts))
        for seed in SEEDS:
            spec = make_spec(case.method, name, options, split=split, seed=seed)
            loaded = load(name, split=split, split_seed=spec.seed).facts
            assert told(spec.config().plan(loaded)) == ahead, (split, seed)


def test_the_page_asks_for_the_split_that_is_chosen(opened: Open, store: RunStore) -> None:
    """By what it shows, and by what it sends."""
    graph = own_graph()
    counted(graph)
    noise = {}
    for split in ("random", "public"):
        app = opened("train", method="dp-mlp", data=graph, split=split, batch_size="20", epsilon="4", seed="3")
        noise[split] = next(metric.value for metric in app.metric if metric.label == "Noise")
        app.button(key="go").click().run()
        (sent,) = [run.spec for run in store.find(RunQuery()) if run.spec.split == split]
        assert sent.seed == 3
        plan = sent.config().plan(load(graph, split=split, split_seed=3).facts)
        assert noise[split] == f"{plan.noise['gradient']:.3g}"
    assert noise["random"] != noise["public"]


ADDRESSES = tomllib.loads(Path(__file__).with_name("faults.toml").read_text())["addresses"]


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize(("page", "query", "faults"), ADDRESSES)
def test_a_fault_of_an_address_is_told_as_text(opened: Open, page: str, query: dict[str, str], faults: int) -> None:
    app = opened(page, **(SIZES if page == "accounting" else {}) | query)
    told = [one.value for one in (*app.warning, *app.error)]
    assert len(told) == faults, told
    assert not any("![x](http:" in one for one in told)
    assert app.title
