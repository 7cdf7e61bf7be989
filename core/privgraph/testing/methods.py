"""What every method keeps: options, plan, training, ledger, statement, seeds, stopping.

A method is checked by a class of its own:

    from privgraph.testing import MethodContract

    class TestMine(MethodContract):
        spec = SPEC
        quick = {"epochs": 3}

Each message names the file to look at, and says what to change.
"""

import math
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, cast

import pytest
import torch

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.spec import PublicFacts
from privgraph.data.splits import with_split
from privgraph.methods.base import Calibrated, Fixed, MethodConfig, Price, filled_in, memory_estimate, refusal
from privgraph.methods.training import Context, planned, train_one
from privgraph.options import OptionError, Scalar, build, parameters, values
from privgraph.privacy.events import Gaussian, Laplace, NonPrivate, Nothing, PoissonSampled
from privgraph.privacy.kinds import MechanismKind
from privgraph.privacy.ledger import Ledger
from privgraph.privacy.serialisation import entry_from_json, statement_from_json, statement_to_json
from privgraph.privacy.statement import UNITS
from privgraph.privacy.statements import ASSUME_ONE_RUN
from privgraph.progress import Event, Metric, Progress, Result, Spent, from_record, to_record
from privgraph.registry import MethodSpec
from privgraph.runs.final_statement import final_statement
from privgraph.streams import Secret
from privgraph.testing.form import fault, fault_of_relation, place
from privgraph.testing.noise import fault_of_noise, recorded

FACTS = PublicFacts(nodes=2708, edges=5278, entries=10556, features=100, classes=7, train_nodes=2031)
"""Those of Cora, for plans."""
TEXT_FACTS = PublicFacts(
    nodes=2000,
    edges=4000,
    entries=8000,
    features=1,
    classes=12,
    train_nodes=1500,
    domains=("kitchen", "garden"),
    entities=(1000, 1000),
    relations=(2000, 2000),
)
"""Those of the made-up products, for plans of methods that learn relations."""
SPLIT_SEED = 7
"""Of the split, and of nothing else: a run has another seed."""
RELATIONS = "relation prediction"
KEY = b"a noise key that is no secret: of tests alone"
SHARED = ("unit", "epsilon", "delta", "accounting")
PLANNING = """
import sys
from privgraph.data.spec import PublicFacts
sizes = dict(nodes=300, edges=900, entries=1800, features=10, classes=3, train_nodes=225)
facts = PublicFacts(**sizes, domains=("one", "two"), entities=(150, 150), relations=(400, 400))
module, name = sys.argv[1].split(":")
kind = getattr(__import__(module, fromlist=[name]), name)
for unit in sys.argv[2:]:
    kind(unit=unit, epsilon=8.0).plan(facts)
print([name for name in ("torch", "torch_geometric", "opacus") if name in sys.modules])
"""


@lru_cache(maxsize=2)
def graph(task: str = "node classification") -> Graph:
    """What contracts train on: the embedded social network with 120 nodes, or 120 made-up products."""
    if task == RELATIONS:
        return load("products", split_seed=SPLIT_SEED, data_options={"products": 60, "purchases": 3.0})
    return load("social", split_seed=SPLIT_SEED, data_options={"nodes": 120, "degree": 6.0, "features": 12})


def timeless(events: list[Event]) -> list[Event]:
    """What a run tells, without how far it is: that follows the clock, since threads end in any order."""
    return [event for event in events if not isinstance(event, Progress)]


class MethodContract:
    """The contract of one method. A subclass says which (`spec`), and small values of its options (`quick`).

    `counted` are options with which the paper's accounting has a formula, where the defaults have none.
    """

    spec: MethodSpec
    quick: Mapping[str, Scalar] = {}
    counted: Mapping[str, Scalar] = {}

    @classmethod
    def pytest_generate_tests(cls, metafunc: pytest.Metafunc) -> None:
        """`unit` is each unit of the method, `protected` each that is not none."""
        if not isinstance(getattr(cls, "spec", None), MethodSpec):
            raise pytest.Collector.CollectError(f"{cls.__name__}.spec must be the method's row: write spec = SPEC")
        if "unit" in metafunc.fixturenames:
            metafunc.parametrize("unit", cls.spec.units)
        if "protected" in metafunc.fixturenames:
            metafunc.parametrize("protected", [unit for unit in cls.spec.units if unit != "none"])

    # What tests are made of

    @property
    def facts(self) -> PublicFacts:
        """Sizes that the method can be planned for."""
        return TEXT_FACTS if RELATIONS in self.spec.tasks else FACTS

    @property
    def graph(self) -> Graph:
        """A graph that the method can be trained on."""
        return graph(self.spec.tasks[0])

    @property
    def in_config(self) -> str:
        return f"see {place(self.spec.config)}"

    @property
    def in_train(self) -> str:
        return f"see {place(self.spec.train)}"

    @pytest.fixture(autouse=True)
    def _has_the_form_of_a_method(self) -> None:
        """What is wrong with its form is said before it is run: the errors that follow would mislead."""
        if wrong := fault(self.spec):
            pytest.fail(wrong, pytrace=False)
        for unit in self.spec.units:
            try:
                self.made(unit).plan(self.facts)
            except TypeError as error:  # a plan that contradicts itself: `base.MethodConfig.plan`
                pytest.fail(f"{error}: {self.in_config}", pytrace=False)
            except OptionError:
                pass  # the tests of options and plans say which

    def made(self, unit: str, **given: object) -> MethodConfig:
        """A quick configuration."""
        kind = self.spec.load_config()
        known = {parameter.name for parameter in parameters(kind)}
        quick = {"epsilon": 4.0, **self.quick}
        assert quick.keys() <= known, f"{type(self).__name__}.quick names options that {self.spec.config} has not"
        return build(kind, {**quick, "unit": unit, **given})

    def trained(self, unit: str, seed: int = 0) -> tuple[list[Event], Context]:
        context = Context(seed=seed, noise_key=KEY)
        return list(train_one(self.spec.load_train(), self.made(unit), self.graph, context)), context

    def keep_backbones(self, unit: str, graphs: Mapping[int, Graph]) -> None:
        """Pre-train for these seeds: a backbone is kept, and a run that finds it tells no curve of its
        making."""
        if "pretrain_on" not in values(self.made(unit)):
            return
        for seed, own in graphs.items():
            for event in train_one(self.spec.load_train(), self.made(unit), own, Context(seed=seed, noise_key=KEY)):
                if isinstance(event, Progress) and event.stage != "pre-training":
                    break

    # Options

    def test_names_and_words(self) -> None:
        spec, row = self.spec, "see the method's row (MethodSpec)"
        assert spec.title, row
        assert spec.about.endswith("."), f"about must be a sentence: {row}"
        assert spec.paper, row
        assert spec.units, row
        assert set(spec.units) <= set(UNITS), row
        kind = spec.load_config()
        assert issubclass(kind, MethodConfig), f"the configuration must derive from MethodConfig: {self.in_config}"
        assert set(SHARED) <= {parameter.name for parameter in parameters(kind)}, self.in_config

    def test_defaults_are_valid_and_survive_text(self) -> None:
        kind = self.spec.load_config()
        default = kind()
        assert build(kind, values(default)) == default, self.in_config
        assert build(kind, {name: str(value) for name, value in values(default).items()}) == default, self.in_config
        assert default.unit in self.spec.units, (
            f"the default unit, {default.unit}, is none of the row's units ({', '.join(self.spec.units)}): see the "
            f"method's row, or {self.in_config.removeprefix('see ')}"
        )

    def test_values_out_of_bounds_are_refused_by_name(self) -> None:
        kind = self.spec.load_config()
        for parameter in parameters(kind):
            option = parameter.option
            wrong: list[object] = ["nonsense"] if parameter.type is not str or option.choices else []
            if option.low is not None:
                wrong.append(option.low if option.low_open else option.low - 1)
            if option.high is not None:
                wrong.append(option.high + 1)
            for value in wrong:
                with pytest.raises(OptionError, match=parameter.name):
                    build(kind, {parameter.name: value})
            if option.low is not None and not option.low_open and parameter.type in (int, float):
                low = parameter.type(option.low - 1)
                said = refusal(partial(cast(Any, kind), **{parameter.name: low}))
                assert said is not None, (
                    f"{parameter.name}={low} is out of bounds, and {kind.__name__} admits it: call check(self) in "
                    f"__post_init__: {self.in_config}"
                )
                assert parameter.name in said, f"{said} does not name {parameter.name}: {self.in_config}"

    def test_units_that_it_does_not_have_are_refused(self) -> None:
        spec = self.spec
        for unit in UNITS:
            refusal = spec.refuses(spec.tasks[0], True, unit)
            if unit in spec.units:
                assert refusal is None
                assert build(spec.load_config(), {"unit": unit}).unit == unit
            else:
                assert refusal is not None
                assert spec.title in refusal
                with pytest.raises(OptionError, match="unit must be one of"):
                    build(spec.load_config(), {"unit": unit})
        assert spec.refuses("link prediction", True, spec.units[0]) is not None

    # Plans

    def test_planning_needs_no_torch(self) -> None:
        command = [sys.executable, "-c", PLANNING, self.spec.config, *self.spec.units]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == "[]", f"planning must not import torch: {self.in_config}"

    def test_plan_is_sound_and_complete(self, unit: str) -> None:
        config = self.made(unit)
        plan = config.plan(self.facts)
        statement = plan.statement
        assert statement.unit == unit, f"statement: {self.in_config}"
        for field in ("relation", "released", "delta_rule", "accountant", "ledger"):
            assert getattr(statement, field), f"statement.{field} is empty: {self.in_config}"
        assert plan.steps > 0, f"work: {self.in_config}"
        assert plan.memory_mb > 0, f"work: {self.in_config}"
        estimated = memory_estimate(config, self.facts)
        assert estimated == plan.memory_mb, f"work: memory_mb hangs on the noise that is calibrated: {self.in_config}"
        assert all(math.isfinite(scale) and scale > 0 for scale in plan.noise.values()), f"work: {self.in_config}"
        assert statement_from_json(statement_to_json(statement)) == statement
        if unit == "none":
            assert math.isinf(statement.epsilon), f"nothing is protected, and epsilon is finite: {self.in_config}"
            assert not plan.noise
            return
        if isinstance(config.calibration(self.facts), Calibrated):
            assert statement.epsilon <= config.epsilon, f"the noise does not keep epsilon: {self.in_config}"
        assert statement.public, f"say what is public: {self.in_config}"
        assert "protected units" not in statement.delta_rule, f"who is counted is named: {self.in_config}"
        reads = any(not isinstance(entry.event, Nothing) for entry in plan.entries)
        assert not reads or ASSUME_ONE_RUN in statement.assumptions, (
            f"ASSUME_ONE_RUN is missing from the assumptions: {self.in_config}"
        )

    @pytest.mark.parametrize("epsilon", [0.5, 4.0])
    def test_a_plan_reads_no_private_count(self, protected: str, epsilon: float) -> None:
        """Noise, ledger, guarantee, work and refusals are those of every neighbouring dataset, at whatever
        number of edges or relations a rule could turn."""
        config, facts = self.made(protected, epsilon=epsilon), self.facts
        learnt = len(facts.relations) > 0 and config.domain_pair(facts)[0]  # type: ignore[attr-defined]
        told = set()
        for edges in (0, 1, 9, 10, 99, 100, 4_999, 5_000, 49_999, 50_000, 3_000_000):
            related = tuple(edges if number == learnt else own for number, own in enumerate(facts.relations))
            other = replace(facts, edges=edges, entries=edges * (1 + facts.undirected), relations=related)
            plan = config.plan(other)
            told.add(repr((plan.scale, plan.entries, statement_to_json(plan.statement), plan.work)))
        assert len(told) == 1, f"a plan follows the private number of edges or relations: {self.in_config}"

    def test_its_price_is_of_its_own_options(self, unit: str) -> None:
        config = self.made(unit)
        assert isinstance(config.price, Price), f"price must be a Price: {self.in_config}"
        known = {parameter.name for parameter in parameters(type(config))}
        unknown = set(config.price.options) - known
        assert not unknown, f"price.options names {', '.join(sorted(unknown))}, which are no options: {self.in_config}"
        assert set(filled_in(config, config.plan(self.facts).statement)) <= known, f"price.filled_in: {self.in_config}"

    def test_entries_say_the_noise_that_they_account_for(self, protected: str) -> None:
        """For Gaussian and Laplace noise: its standard deviation over the sensitivity is the event's own
        number."""
        for entry in self.made(protected).plan(self.facts).entries:
            idle = isinstance(entry.event, Nothing)
            assert (entry.kind is MechanismKind.NOTHING) == idle, (
                f"kind {entry.kind} of {entry.event}: {self.in_config}"
            )
            event = entry.event.event if isinstance(entry.event, PoissonSampled) else entry.event
            if not isinstance(event, Gaussian | Laplace):
                continue
            norms = ("L1",) if isinstance(event, Laplace) else ("L2",)
            assert entry.noise_std, f"{entry.stage}: its entry needs the noise_std that is drawn: {self.in_config}"
            assert entry.sensitivity, (
                f"{entry.stage}: its entry needs the sensitivity of what is released: {self.in_config}"
            )
            assert entry.norm in norms, f"{entry.stage}: its entry needs norm {norms[0]}: {self.in_config}"
            shape = math.sqrt(2) if isinstance(event, Laplace) else 1.0
            said = entry.noise_std / entry.sensitivity / shape
            assert said == pytest.approx(event.noise_multiplier, rel=0.02), (
                f"noise_std / sensitivity of {entry.stage} is {said:.4g} noise multipliers, and its event has "
                f"{event.noise_multiplier:.4g}: {self.in_config}"
            )

    @pytest.mark.parametrize("accounting", ["sound", "published"])
    def test_calibration_is_one_sided_and_wastes_little(self, protected: str, accounting: str) -> None:
        counted = self.counted if accounting == "published" else {}
        config = self.made(protected, accounting=accounting, **{"epsilon": 6.0, **counted})
        refused = refusal(lambda: config.plan(self.facts))
        if refused is not None:
            # no paper, no formula: said in one sentence that begins with the option
            assert accounting == "published", refused
            assert refused.startswith("accounting"), f"{refused}: {self.in_config}"
            return
        statement = config.plan(self.facts).statement
        reached = statement.epsilon if accounting == "sound" else statement.epsilon_as_published
        if reached is None:
            assert accounting == "published"
            raise AssertionError(f"accounting published must be refused where no formula is stated: {self.in_config}")
        if isinstance(config.calibration(self.facts), Fixed):
            return  # nobody asked this noise to keep an epsilon
        assert reached <= 6.0, f"the noise does not keep epsilon: {self.in_config}"
        if statement.epsilon > 0:
            assert reached >= 0.99 * 6.0, f"the noise is larger than epsilon asks for: {self.in_config}"
        smaller = self.made(protected, accounting=accounting, **{"epsilon": 6.0, "delta": 1e-7, **counted})
        asked = smaller.plan(self.facts).statement
        assert asked.delta in (1e-7, 0.0), f"delta is not the one that was asked for: {self.in_config}"
        assert (asked.epsilon if accounting == "sound" else asked.epsilon_as_published or 0.0) <= 6.0

    def test_stack_keys(self, unit: str) -> None:
        key = self.made(unit).stack_key()
        assert hash(key) == hash(self.made(unit).stack_key())
        assert key[0] == self.spec.name, f"stack_key must begin with the method's name: {self.in_config}"
        assert key == self.made(unit, epsilon=2.0).stack_key(), f"runs of another epsilon may stack: {self.in_config}"
        if "epochs" in values(self.made(unit)):
            assert key != self.made(unit, epochs=4).stack_key(), f"epochs belong to the stack key: {self.in_config}"

    # Training

    def test_training_tells_all_that_it_should(self, unit: str) -> None:
        events, context = self.trained(unit)
        plan = self.made(unit).plan(self.graph.facts)
        assert all(from_record(*to_record(event)) == event for event in events)
        steps = [event.step for event in events if isinstance(event, Progress)]
        assert steps == sorted(steps), f"progress runs backwards: {self.in_train}"
        assert steps[-1:] == [plan.steps], f"the last Progress must be at Work.steps: {self.in_train}"
        assert {event.total for event in events if isinstance(event, Progress)} == {plan.steps}, self.in_train
        assert isinstance(events[-1], Result), f"the last event must be a Result: {self.in_train}"
        assert sum(isinstance(event, Result) for event in events) == 1, self.in_train
        judged = {"train_accuracy", "test_accuracy"} | ({"val_accuracy"} if RELATIONS not in self.spec.tasks else set())
        assert judged <= set(events[-1].metrics), self.in_train
        assert all(0 <= value <= 1 for name, value in events[-1].metrics.items() if name.endswith("accuracy"))
        curves = [event for event in events if isinstance(event, Metric)]
        if "epochs" in values(self.made(unit)) and plan.steps > 1:
            assert {"train_loss", "val_accuracy"} <= {event.name for event in curves}, f"no curves: {self.in_train}"
        assert all(math.isfinite(event.value) for event in curves), self.in_train
        assert all(0 <= event.value <= 1 for event in curves if event.name.endswith("accuracy")), self.in_train
        # what was run is what was planned, and what was told
        assert context.ledger.entries == plan.statement.ledger, (
            f"what was spent is not what was planned: {self.in_train}, or entries, {self.in_config}"
        )
        told = Ledger(entry_from_json(event.entry) for event in events if isinstance(event, Spent))
        assert told.entries == context.ledger.entries, f"each entry of the ledger is told as Spent: {self.in_train}"
        assert final_statement(plan.statement, context.ledger) == plan.statement

    def test_the_seed_decides_and_nothing_else_does(self, unit: str) -> None:
        self.keep_backbones(unit, {1: self.graph, 2: self.graph})
        first, _ = self.trained(unit, seed=1)
        torch.rand(3)  # somebody else draws from the global stream
        again, _ = self.trained(unit, seed=1)
        other, _ = self.trained(unit, seed=2)
        assert timeless(first) == timeless(again), f"a run does not repeat: {self.in_train}"
        assert _numbers(first) != _numbers(other), f"the seed has no part in a run: {self.in_train}"

    def test_its_noise_comes_from_the_secret_key(self, protected: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """Whatever comes from the seed alone can be subtracted by everybody who reads the seed; and what two
        runs share, by everybody who subtracts one from the other."""
        names: list[str] = []
        shared: list[str] = []
        for reader in ("secret", "shared_secret"):
            own = getattr(Context, reader)

            def noted(
                context: Context, name: str, own: Callable[[Context, str], Secret] = own, reader: str = reader
            ) -> Secret:
                names.append(name)
                if reader == "shared_secret":
                    shared.append(name)
                return own(context, name)

            monkeypatch.setattr(Context, reader, noted)
        _, context = self.trained(protected)
        common = [name for name in shared if name.startswith("noise/")]
        assert not common, f"runs of one seed would share the noise {', '.join(common)}: {self.in_train}"
        if any(not isinstance(entry.event, Nothing | NonPrivate) for entry in context.ledger.entries):
            assert names, f"no noise was drawn from Context.secret: {self.in_train}"

    def test_its_noise_is_that_of_its_ledger(self, protected: str) -> None:
        """Less noise than is accounted for is no guarantee, whatever the statement says."""
        self.spec.load_train()  # what draws must be there before it is watched
        with recorded() as drawn:
            _, context = self.trained(protected)
        wrong = fault_of_noise(drawn, context.ledger.entries)
        assert not wrong, f"{wrong}: {self.in_train}"

    def test_noise_that_is_given_is_drawn(self, protected: str) -> None:
        """Where an option gives the noise itself: the plan has that scale, and training draws it."""
        config = self.made(protected)
        given = config.price.given
        if given is None:
            return
        scale = config.plan(self.graph.facts).scale * 1.5 or 5.0
        asked = self.made(protected, **{given.option: scale})
        named = asked.price.given
        assert named is not None, f"price.given is gone where {given.option} is given: {self.in_config}"
        assert named.value == scale, f"price.given.value must be the option {given.option}: {self.in_config}"
        assert isinstance(asked.calibration(self.graph.facts), Fixed), (
            f"calibration must be Fixed where {given.option} is given: {self.in_config}"
        )
        self.spec.load_train()
        context = Context(noise_key=KEY)
        with recorded() as drawn:
            for _ in train_one(self.spec.load_train(), asked, self.graph, context):
                pass
        wrong = fault_of_noise(drawn, context.ledger.entries)
        assert not wrong, f"with {given.option} given: {wrong}: {self.in_train}"

    def test_labels_of_test_nodes_steer_nothing(self, unit: str) -> None:
        """They are for the last number alone: curves, choices and other accuracies do not depend on them."""
        if self.spec.own_parts:
            return  # it draws itself who is a test node
        own = self.graph
        order = own.test_mask.nonzero().squeeze(1)
        moved = own.y.clone()
        moved[order] = (own.y[order] + 1) % own.num_classes
        stories, reached = [], []
        for labels in (own.y, moved):
            context = Context(noise_key=KEY)
            events = list(
                train_one(self.spec.load_train(), self.made(unit), replace(own, y=labels, _cache={}), context)
            )
            stories.append([pair for pair in _numbers(events) if not pair[0].startswith(("test_", "majority_"))])
            reached.append(next(event.metrics["test_accuracy"] for event in events if isinstance(event, Result)))
        assert stories[0] == stories[1], f"labels of test nodes are read before the end: {self.in_train}"
        assert reached != [1.0, 1.0], f"predictions of test nodes are their labels: {self.in_train}"

    def test_who_ignores_edges_reads_none(self, unit: str) -> None:
        if self.spec.uses_edges:
            return
        order = torch.randperm(self.graph.num_nodes, generator=torch.Generator().manual_seed(1))
        rewired = replace(self.graph, edge_index=order[self.graph.edge_index], _cache={})
        stories = []
        for own in (self.graph, rewired):
            events = train_one(self.spec.load_train(), self.made(unit), own, Context(noise_key=KEY))
            stories.append(timeless(list(events)))
        assert stories[0] == stories[1], f"the row says uses_edges=False, and edges are read: {self.in_train}"

    def test_a_stack_is_each_alone(self, unit: str) -> None:
        """Other seeds, splits and budgets in one call: each member's story is its own."""
        members = [
            planned(self.made(unit, epsilon=epsilon), with_split(self.graph, seed), Context(seed=seed, noise_key=KEY))
            for seed, epsilon in ((1, 4.0), (2, 4.0), (1, 6.0))
        ]
        self.keep_backbones(unit, {member.context.seed: member.graph for member in members})
        stories: dict[int, list[Event]] = {0: [], 1: [], 2: []}
        for index, event in self.spec.load_train()(members):
            stories[index].append(event)
        for index, member in enumerate(members):
            context = Context(seed=member.context.seed, noise_key=KEY)
            alone = timeless(list(train_one(self.spec.load_train(), member.config, member.graph, context)))
            assert member.context.ledger.entries == context.ledger.entries, self.in_train
            story = timeless(stories[index])
            assert [type(event) for event in story] == [type(event) for event in alone], self.in_train
            for one, two in zip(story, alone, strict=True):
                if isinstance(one, Metric) and isinstance(two, Metric):
                    assert (one.name, one.step) == (two.name, two.step)
                    # one node's rounding may tip one prediction of the smallest split
                    slack = 0.1 if one.name.endswith("accuracy") else 1e-3
                    assert one.value == pytest.approx(two.value, abs=slack), self.in_train

    def test_it_stops_where_it_is_told(self, unit: str) -> None:
        context = Context(noise_key=KEY)
        running = train_one(self.spec.load_train(), self.made(unit), self.graph, context)
        seen = []
        for event in running:
            seen.append(event)
            if isinstance(event, Progress):
                break
        running.close()
        assert list(running) == []
        assert not any(isinstance(event, Result) for event in seen), f"Progress comes before Result: {self.in_train}"
        told = [entry_from_json(event.entry) for event in seen if isinstance(event, Spent)]
        assert Ledger(told).entries == context.ledger.entries, f"spent, and not told: {self.in_train}"
        whole = self.made(unit).plan(self.graph.facts).statement.ledger
        assert sum(entry.count for entry in told) <= sum(entry.count for entry in whole)

    def test_no_events_are_told_before_the_first_is_asked_for(self, unit: str) -> None:
        context = Context(noise_key=KEY)
        train_one(self.spec.load_train(), self.made(unit), self.graph, context)
        assert context.ledger.entries == (), self.in_train

    def test_the_statement_names_the_kind_of_its_relation(self, unit: str) -> None:
        """As the row has it at node level."""
        wrong = fault_of_relation(self.spec, self.made(unit).plan(self.graph.facts).statement)
        assert not wrong, wrong


def _numbers(events: list[Event]) -> list[tuple[str, float]]:
    """What was measured, the result's numbers among it."""
    curves = [(event.name, event.value) for event in events if isinstance(event, Metric)]
    return curves + [pair for event in events if isinstance(event, Result) for pair in sorted(event.metrics.items())]
