"""Faults of form in a method of one's own: the contract names the file and says what to change."""

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest
from tests.contracts.test_the_guide import package as package

from privgraph.privacy.events import Gaussian, Laplace, NonPrivate
from privgraph.privacy.kinds import MechanismKind
from privgraph.privacy.ledger import LedgerEntry
from privgraph.registry import METHODS
from privgraph.testing import MethodContract
from privgraph.testing.form import fault, fault_of_relation
from privgraph.testing.methods import FACTS
from privgraph.testing.noise import Drawn, fault_of_noise

Changing = Callable[[str, str, str], AbstractContextManager[None]]
"""One thing in a file of the guide's package is written wrongly meanwhile."""
DECORATOR = "@dataclass(frozen=True, kw_only=True)\n"
CHECKED = "    def __post_init__(self) -> None:\n        check(self)\n"
PRICE = "    @property\n    def price(self)"


@pytest.mark.parametrize("name", METHODS)
def test_our_own_methods_have_the_form(name: str) -> None:
    assert fault(METHODS[name]) == ""


@pytest.mark.parametrize(
    ("file", "right", "wrong", "words"),
    [
        ("config", DECORATOR, "",
         f"Config is no dataclass: write {DECORATOR.strip()} above class Config; without it, its own options (unit) "
         "are not read: see Config in class_counts/config.py"),
        ("config", DECORATOR, "@dataclass(frozen=True)\n",
         f"Config takes options by position: write {DECORATOR.strip()} above class Config"),
        ("config", CHECKED, "    def __post_init__(self) -> None:\n        check()\n",
         "its __post_init__ takes self, and calls check(self): see Config in class_counts/config.py"),
        ("config", CHECKED, "", "Config admits it: call check(self) in __post_init__: see Config in class_counts/c"),
        ("config", "def refuses(self, facts: PublicFacts)", "def refuses(self)",
         "takes (self): it must take (self, facts): see Config in class_counts/config.py"),
        ("config", PRICE, "    def price(self)", "write @property above it: see Config in class_counts/config.py"),
        ("config", "def price(self)", "def prices(self)",
         "Config lacks price, which MethodConfig leaves to each method: see Config in class_counts/config.py"),
        ("config", 'unit: Annotated[str, NODE] = "node"', 'unit: str = "node"',
         "an option of Config is not described: Config.unit has no Option: see Config in class_counts/config.py"),
        ("config", CHECKED, CHECKED + "\n    def plan(self, facts: PublicFacts) -> None:\n        return None\n",
         "is the same for all methods: leave it to MethodConfig: see Config in class_counts/config.py"),
        ("config", 'Annotated[str, NODE] = "node"', 'Annotated[str, NODE] = "edge"',
         "the defaults of Config are refused (unit must be one of node (got edge)): change the default"),
        ("train", "def train(members: Sequence[Member[Config]])", "def train()", "it must take members, and nothing"),
        ("__init__", "class_counts.config:Config", "class_counts.config:Configuration",
         "class_counts.config:Configuration cannot be imported (AttributeError:"),
        ("__init__", "neighbours=Neighbours.FROZEN_ROSTER,", "neighbours=Neighbours.NODE,",
         "and the row (MethodSpec) of class-counts says Neighbours.NODE (a node with all its edges is there or was "
         "never there): change neighbours in statement, or neighbours in the row: see Config in class_counts/config"),
        ("config", "relation=statements.RELATION_ROSTER", "relation=statements.RELATION_NODE_OPT_OUT",
         "relation is in words that of Neighbours.FROZEN_SAMPLE ("),
    ],
)  # fmt: skip
def test_a_fault_of_form_is_named_with_its_file(
    changing: Changing, file: str, right: str, wrong: str, words: str
) -> None:
    with changing(file, right, wrong):
        told = said_by_the_contract()
    assert words in " ".join(told.split()), told


@contextmanager
def changed(
    package: Path, folder: Path, patch: pytest.MonkeyPatch, file: str, right: str, wrong: str
) -> Iterator[None]:
    """The guide's package, to be imported with one thing written wrongly."""
    shutil.copytree(package / "class_counts", folder / "class_counts", ignore=shutil.ignore_patterns("*.pyc"))
    path = folder / "class_counts" / f"{file}.py"
    clean = path.read_text()
    assert clean.count(right) == 1
    path.write_text(clean.replace(right, wrong))
    patch.syspath_prepend(str(folder))
    fault.cache_clear()
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "class_counts"]:
            del sys.modules[name]
        fault.cache_clear()


@pytest.fixture
def changing(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Changing:
    return partial(changed, package, tmp_path, monkeypatch)


def its_contract() -> MethodContract:
    """That of the package that is found under this name now."""
    contract: MethodContract = type(
        "TestClassCounts", (MethodContract,), {"spec": import_module("class_counts").SPEC}
    )()
    return contract


def said_by_the_contract() -> str:
    """What the contract says of it: of its form, else of two tests."""
    contract = its_contract()
    if wrong := fault(contract.spec):
        return wrong
    try:
        contract.test_values_out_of_bounds_are_refused_by_name()
        contract.test_the_statement_names_the_kind_of_its_relation("node")
    except AssertionError as error:
        return str(error)
    return "nothing"


@pytest.mark.parametrize("unit", ["none", "edge"])
def test_a_relation_of_another_unit_is_named(unit: str) -> None:
    """A row says what holds at node level; of edges, and of nothing, there is one relation alone."""
    row = METHODS["progap"]
    other = {"none": "edge", "edge": "none"}[unit]
    config = row.load_config()
    right, strange = (config(unit=one).plan(FACTS).statement for one in (unit, other))
    assert fault_of_relation(row, right) == ""
    told = fault_of_relation(row, replace(right, neighbours=strange.neighbours))
    assert f"and unit {unit} says Neighbours.{right.neighbours.name} (" in told
    assert "change neighbours in statement: see Config in privgraph/methods/aggregation/progap/config.py" in told


NOISE = "LaplaceNoise(scale=plan.scale"
NOISY = 'noisy = mechanism.noisy(counts, context.secret("noise/counts"))'
STD = "noise_std=math.sqrt(2) * scale,"
PREDICTED = "predicted = torch.full_like(graph.y, int(noisy.argmax()))"
COUNTS = "graph.y[graph.train_mask]"
OF_NOISE = "test_its_noise_is_that_of_its_ledger"


@pytest.mark.parametrize(
    ("file", "right", "wrong", "test", "words"),
    [
        ("train", NOISE, NOISE + " * 2 / 3", OF_NOISE,
         "draw the noise of the plan, plan.scale: see train in class_counts/tr"),
        ("train", NOISE, NOISE + " / 100", OF_NOISE, "draw the noise of the plan, plan.scale"),
        ("train", NOISE, NOISE + " * 1.5", OF_NOISE, "draw the noise of the plan, plan.scale"),
        ("train", NOISY, "context.secret('a'); noisy = counts", OF_NOISE, "drawn by privgraph.mechanisms has none"),
        ("train", NOISY, NOISY + "; LaplaceNoise(scale=1e-3, sensitivity=1).noisy(counts, context.secret('b'))",
         OF_NOISE, "was drawn, and no entry of the ledger has it"),
        ("config", "noise_std=math.sqrt(2) * scale", "noise_std=scale", OF_NOISE, "with noise of standard deviation"),
        ("train", "            context.ledger.add(entry)\n", "", "test_training_tells_all_that_it_should",
         "see train in class_counts/train.py"),
        ("train", "in plan.entries:", "in (*plan.entries, *plan.entries):", "test_training_tells_all_that_it_should",
         "what was spent is not what was planned"),
        ("config", STD, "", "test_entries_say_the_noise_that_they_account_for", "needs the noise_std that is drawn"),
        ("config", "sensitivity=SENSITIVITY,", "", "test_entries_say_the_noise_that_they_account_for",
         "needs the sensitivity"),
        ("config", 'norm="L1"', 'norm="L2"', "test_entries_say_the_noise_that_they_account_for", "needs norm L1"),
        ("config", STD, "", OF_NOISE, "without its noise: give the entry the noise_std"),
        ("train", COUNTS, "graph.y[graph.train_mask | graph.test_mask]", "test_labels_of_test_nodes_steer_nothing",
         "labels of test nodes are read before the end"),
        ("train", PREDICTED, PREDICTED + "; predicted = torch.where(graph.test_mask, graph.y, predicted)",
         "test_labels_of_test_nodes_steer_nothing", "predictions of test nodes are their labels"),
    ],
)  # fmt: skip
def test_what_a_newcomer_got_past_the_contract_is_named(
    changing: Changing, file: str, right: str, wrong: str, test: str, words: str
) -> None:
    with changing(file, right, wrong), pytest.raises(AssertionError) as told:
        getattr(its_contract(), test)("node")
    assert words in str(told.value)


def test_a_plan_that_contradicts_itself_is_told_before_anything_runs(changing: Changing) -> None:
    """By the fixture that every test has, in one sentence with its file."""
    with changing("config", '            unit="node"', '            unit="edge"'):
        contract = its_contract()
        with pytest.raises(pytest.fail.Exception, match=r"it says unit edge, .* see Config in class_counts/config\.py"):
            MethodContract._has_the_form_of_a_method.__wrapped__(contract)  # type: ignore[attr-defined]


def test_noise_that_is_drawn_once_and_used_again_is_named() -> None:
    entry = LedgerEntry(
        kind=MechanismKind.ADDITIVE,
        mechanism="noisy sums",
        stage="training",
        event=Gaussian(noise_multiplier=2.0),
        count=10,
        noise_std=2.0,
        sensitivity=1.0,
    )
    assert fault_of_noise([Drawn("gaussian", 2.0, 1)] * 10, [entry]) == ""
    assert fault_of_noise([Drawn("gaussian", 2.0, 10)], [entry]) == "", "all at once"
    assert "10 times, and 9 numbers of its noise were drawn" in fault_of_noise([Drawn("gaussian", 2.0, 9)], [entry])
    laplace = replace(entry, event=Laplace(noise_multiplier=2.0), count=1)
    assert "2 (gaussian)" in fault_of_noise([Drawn("gaussian", 2.0, 1)], [laplace])
    assert fault_of_noise([], [replace(entry, event=NonPrivate(reason="none"))]) == ""
