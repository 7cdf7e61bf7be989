"""Whoever leaves, and whoever stands beside it: a record's clipped gradient is the same to the last bit.

Every proof of a private gradient says that one record moves its own terms of a sum and no other. In floats
that is true only if no other term's rounding hangs on the batch: a record whose pre-activations are rounding
alone turns its whole gradient round with the last bit. So the first step of each trainer is taken with and
without each private record, in several companies and places, and what it multiplies and adds of everybody
else is compared.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import lru_cache

import pytest
import torch
from tests.methods.toy_graphs import toy_graph
from tests.planted.planting import instead, swapped
from tests.secrets_made_here import KEY
from torch import Tensor

from privgraph.data.graph import Graph
from privgraph.data.neighbours import with_node_nulled
from privgraph.mechanisms.gradients import PerExample, PrivateGradients, clip_factors
from privgraph.mechanisms.sampling import poisson_batch
from privgraph.mechanisms.subgraph_gradients import SubgraphGradients
from privgraph.methods.base import MethodConfig
from privgraph.methods.gradients.dp_gnn.network import SubgraphNetwork
from privgraph.methods.gradients.heter_poisson.sampling import HeterPoisson
from privgraph.methods.prompts.few_shot import assigned
from privgraph.methods.prompts.pretrained import prepare
from privgraph.methods.prompts.prompt_dpsgd.config import Config as PromptConfig
from privgraph.methods.prompts.prompt_dpsgd.train import PerExampleGradients
from privgraph.methods.training import Context, train_one
from privgraph.nn.ragged_network import Factors
from privgraph.nn.ragged_subgraphs import Subgraphs
from privgraph.nn.stacked import StackedNet
from privgraph.nn.tables import BLOCK
from privgraph.options import Scalar, build, parameters
from privgraph.privacy.kinds import OF_GRADIENTS
from privgraph.registry import METHODS
from privgraph.streams import Secret
from privgraph.testing.methods import FACTS, RELATIONS, TEXT_FACTS

OPTIONS: dict[str, dict[str, Scalar]] = {
    "dp-mlp": {"hidden": 20, "layers": 3},
    "gap": {"unit": "node", "hidden": 20, "max_degree": 4},
    "progap": {"unit": "node", "hidden": 20, "max_degree": 4},
    "dp-gnn": {"hidden": 20, "max_degree": 24},
    "heter-poisson": {"hidden": 20, "layers": 2},
    "prompt-dpsgd": {"hidden": 8, "pretrain_epochs": 1, "backbone": "gcn", "tokens": 3, "shots": 0},
}
ELSEWHERE = {"relational": "tests/nn/text/test_tuple_gradients.py: one tuple at a time, to the last bit"}
READ_OTHERS = ("dp-gnn", "heter-poisson")
Terms = dict[int, list[Tensor]]


class Stop(Exception):
    """The first step is over."""


@lru_cache
def graph() -> Graph:
    """A node has a list that is fuller than all others, and some train without any neighbour."""
    own = toy_graph(nodes=28, degree=3.0, seed=23)
    return replace(own, x=torch.randn(28, 37, generator=torch.Generator().manual_seed(0)), _cache={})


def config_of(name: str) -> MethodConfig:
    known = {parameter.name for parameter in parameters(METHODS[name].load_config())}
    small = {"epsilon": 8.0, "epochs": 1, "batch_size": 10**6, "hidden": 20} | OPTIONS[name]
    return build(METHODS[name].load_config(), {key: value for key, value in small.items() if key in known})


def test_every_method_of_private_gradients_is_asked() -> None:
    found = set()
    for name, spec in METHODS.items():
        for unit in spec.units:
            facts = TEXT_FACTS if RELATIONS in spec.tasks else FACTS
            entries = build(spec.load_config(), {"unit": unit, "epsilon": 8.0}).plan(facts).entries
            found |= {name} if {entry.kind for entry in entries} & OF_GRADIENTS else set()
    assert found == set(OPTIONS) | set(ELSEWHERE)


def first_step(name: str, own: Graph, company: Sequence[int]) -> Terms:
    """What the first step multiplies and adds, record by record, of a batch of these in this order.

    A record is a node, and a slot in prompt-dpsgd; those that are not there are left out.
    """
    found: Terms = {}
    drawn: list[int] = []

    def batch(examples: int, _rate: float, _secret: Secret, device: torch.device | None = None) -> Tensor:
        """Of the places of the roster, for which coins are tossed: those of the company, gone or not."""
        slots = name == "prompt-dpsgd"
        records = list(range(examples)) if slots else own.training_roster.nonzero().squeeze(1).tolist()
        place = {record: number for number, record in enumerate(records)}
        drawn.extend(record for record in company if slots or own.train_mask[record])
        return torch.tensor([place[record] for record in company], dtype=torch.int64)

    def in_subgraphs(sampler: HeterPoisson, secret: Secret) -> Subgraphs:
        centres = sampler.nodes[batch(0, 1.0, secret)]
        centres = centres[own.train_mask[centres]]
        return sampler.formed(centres, torch.ones(len(sampler.edges.of(centres)[0]), dtype=torch.bool))

    def clip(mechanisms: Sequence[PrivateGradients], net: PerExample, valid: Tensor) -> None:
        clips = torch.tensor([mechanism.clip for mechanism in mechanisms])
        rows = [clip_factors(net.squared_norms(), clips)[0], *examples(net)]
        for place in range(valid.shape[1]):
            if bool(valid[0, place]):
                record = int(net._inputs[1][place, 0]) if isinstance(net, SubgraphNetwork) else drawn[place]
                found[record] = [row[place].clone() for row in rows]
        del drawn[: valid.shape[1]]

    def release(mechanism: SubgraphGradients, parts: Iterator[Factors], *_: object) -> None:
        for part in parts:
            factors = clip_factors(part.squared_norms().unsqueeze(0), torch.tensor([mechanism.clip]))[0]
            starts = part.subgraphs.starts.tolist()
            for place in range(len(part.subgraphs)):
                rows = slice(*starts[place : place + 2])
                found[drawn[place]] = [factors[place].clone()] + [
                    kept[rows if product.by_row else place].clone()
                    for product in part.products
                    for kept in (product.inputs, product.gradients)
                ]
            del drawn[: len(part.subgraphs)]
        raise Stop

    def stop(*_: object) -> None:
        raise Stop

    with ExitStack() as planted:
        planted.enter_context(swapped(poisson_batch, batch))
        planted.enter_context(instead(HeterPoisson, "draw", in_subgraphs))
        planted.enter_context(instead(PrivateGradients, "clip_and_sum", staticmethod(clip)))
        planted.enter_context(instead(PrivateGradients, "perturb", staticmethod(stop)))
        planted.enter_context(instead(SubgraphGradients, "release", release))
        with pytest.raises(Stop):
            list(train_one(METHODS[name].load_train(), config_of(name), own, Context(noise_key=KEY)))
    return found


def examples(net: PerExample) -> Sequence[Tensor]:
    """What is summed up, examples first."""
    if isinstance(net, StackedNet):
        return [kept[0].t() for kept in net.examples()]
    if isinstance(net, SubgraphNetwork):
        return net.examples()
    assert isinstance(net, PerExampleGradients)
    return [net._each, net.losses]


def differing(found: Terms, before: Terms, untouched: set[int]) -> dict[int, float]:
    """By how much the terms of untouched records differ that do."""
    return {
        record: max(float((one - other).abs().max()) for one, other in zip(own, before[record], strict=True))
        for record, own in found.items()
        if record in untouched
        if not all(torch.equal(one, other) for one, other in zip(own, before[record], strict=True))
    }


def companies(records: Sequence[int], once: bool) -> list[list[int]]:
    """Backwards; some; and, where a record may be drawn again, everybody across the border of a block."""
    across = [records[0]] * (BLOCK - len(records) // 2)
    return [list(records)[::-1], list(records)[::3], [*records[::2], *records[1::2]] if once else [*across, *records]]


@pytest.mark.parametrize("name", OPTIONS)
def test_a_record_has_the_same_terms_in_every_company(name: str) -> None:
    own = graph()
    config = config_of(name)
    slots = list(range(config.slots(own.facts))) if isinstance(config, PromptConfig) else []
    records = slots or own.train_mask.nonzero().squeeze(1).tolist()
    before = first_step(name, own, records)
    assert set(before) == set(records)
    for company in (*companies(records, bool(slots)), *([record] for record in records)):
        assert not differing(first_step(name, own, company), before, set(records)), company


@pytest.mark.parametrize("name", OPTIONS)
def test_a_record_has_the_same_terms_whoever_leaves(name: str) -> None:
    own = graph()
    config = config_of(name)
    slots = assigned_slots(config, own) if isinstance(config, PromptConfig) else {}
    nodes = own.train_mask.nonzero().squeeze(1).tolist() if not slots else list(slots)
    record = slots or {node: node for node in nodes}
    records = list(record.values())
    before = first_step(name, own, records)
    for number, node in enumerate(nodes):
        readers = set(own.edge_index[1, own.edge_index[0] == node].tolist()) if name in READ_OTHERS else set()
        untouched = set(records) - {record[node]} - readers
        company = [records, *companies(records, bool(slots))][number % 4]
        found = first_step(name, with_node_nulled(own, node), company)
        assert record[node] not in found
        assert not differing(found, before, untouched), f"{node} leaves"


def assigned_slots(config: PromptConfig, own: Graph) -> dict[int, int]:
    """Which private node has which slot."""
    steps = prepare(own, config, Context(noise_key=KEY), done=0, total=1)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            nodes = assigned(end.value, config.slots(own.facts), 0).nodes.tolist()
            return {node: slot for slot, node in enumerate(nodes) if node >= 0}
