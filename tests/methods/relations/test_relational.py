"""PvGaLM and its baseline: what is refused, what one relation is, what noise and answers come to, and that
relations are learnt."""

import copy
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from tests.watching import watched

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.mechanisms.gradients import PrivateGradients
from privgraph.mechanisms.randomised_response import CountedResponse, symmetric
from privgraph.methods.relations.evaluation import asked_relations, ranking
from privgraph.methods.relations.fine_tuning import TRAINED, FineTuning, Protection
from privgraph.methods.relations.relation_rand import train as randomising
from privgraph.methods.relations.relation_rand.config import Config as RandConfig
from privgraph.methods.relations.relation_rand.train import randomised
from privgraph.methods.relations.relational.config import Config
from privgraph.methods.relations.relational.train import train
from privgraph.methods.relations.tuples import TupleSampler, in_batch
from privgraph.methods.training import Context, train_one
from privgraph.nn.text import tuple_gradients
from privgraph.nn.text.adapters import trainable
from privgraph.options import build
from privgraph.privacy.events import Laplace, PureDP
from privgraph.progress import Event, Metric, Result
from privgraph.streams import Secret, stream
from privgraph.testing.methods import TEXT_FACTS

TINY: dict[str, Any] = {"encoder": "tiny", "rank": 4, "steps": 4, "batch_size": 20, "negatives": 3}


def shop(**given: float) -> Graph:
    return load("products", data_options={"products": 60, "purchases": 3.0, **given})


def told(config: Config, graph: Graph, seed: int = 0, **context: Any) -> list[Event]:
    return list(train_one(train, config, graph, Context(seed=seed, noise_key=bytes(32), **context)))


def test_what_cannot_be_trained_is_refused_in_one_sentence() -> None:
    facts = shop().facts
    social = load("social", data_options={"nodes": 100, "degree": 4}).facts
    for given, where, said in (
        ({}, social, "these data have no two"),
        ({"trained_on": "attic"}, facts, "trained_on must be one of kitchen, garden"),
        ({"tested_on": "attic"}, facts, "tested_on must be one of kitchen, garden"),
        ({"trained_on": "garden", "tested_on": "garden"}, facts, "tested_on must not be garden"),
        ({"negatives": 64}, facts, "negatives must be at most the 60 texts"),
        ({"encoder": "nonsense"}, facts, "encoder: it must be minilm, tiny or the path of a folder"),
        ({"pairing": "in-batch"}, facts, "pairing in-batch is for training without privacy"),
        ({"pairing": "in-batch", "unit": "none", "batch_size": 1}, facts, "must have 2 at least (got 1)"),
        ({"accounting": "published"}, replace(facts, relations=(0, 90)), "the domain has none"),
        ({}, replace(facts, relations=(90, 1)), "the domain garden needs at least 2 relations"),
    ):
        reason = build(Config, TINY | given).refuses(where)
        assert said in reason
        assert "\n" not in reason
    assert build(Config, TINY | {"pairing": "in-batch", "unit": "none"}).refuses(facts) is None
    for kind in (Config, RandConfig):
        assert build(kind, {"encoder": "tiny"}).refuses(replace(facts, relations=(0, 90))) is None


@pytest.mark.long
def test_the_unit_is_an_unordered_pair_however_often_and_whichever_way_it_is_listed() -> None:
    """Delta, rate and epsilon of a list with both directions are those of a list with one."""
    graph = shop()
    source, target = graph.edge_index
    once = replace(graph, edge_index=graph.edge_index[:, source < target], undirected=False, _cache={})
    twice = replace(graph, edge_index=torch.cat([graph.edge_index] * 2, 1), undirected=False, _cache={})
    plans = [Config(**TINY).plan(one.facts) for one in (graph, once, twice)]
    assert len({(plan.scale, plan.statement.epsilon, plan.statement.delta) for plan in plans}) == 1
    assert graph.facts.relations == once.facts.relations == twice.facts.relations == (90, 90)
    assert all(graph.relations(0).equal(one.relations(0)) for one in (once, twice))
    assert plans[0].statement.delta == 1e-3
    published = [Config(**TINY, accounting="published").plan(one.facts) for one in (graph, once, twice)]
    assert {plan.statement.delta for plan in published} == {1 / 90}
    assert {plan.entries[0].sampling_rate for plan in published} == {20 / 90}


@pytest.mark.long
def test_the_domain_that_is_predicted_in_is_never_trained_on() -> None:
    """Its relations may be any: gradients, noise and the adapter are the same."""
    graph = shop()
    inner = (graph.domains[graph.edge_index] == 1).all(0)
    other = torch.tensor([[61, 62, 63, 70], [70, 71, 72, 80]])
    moved = replace(graph, edge_index=torch.cat([graph.edge_index[:, ~inner], other, other.flip(0)], 1), _cache={})
    losses = []
    for one in (graph, moved):
        config = Config(**TINY | {"noise_multiplier": 1.0, "batch_size": 1000})
        losses.append(
            [(e.name, e.value) for e in told(config, one) if isinstance(e, Metric) and e.name == "train_loss"]
        )
    assert losses[0] == losses[1]


@pytest.mark.parametrize(
    "config",
    [Config(encoder="tiny"), RandConfig(encoder="tiny"), RandConfig(encoder="tiny", response="asymmetric")],
    ids=["relational", "symmetric", "asymmetric"],
)
def test_a_plan_reads_the_sizes_of_the_domain_that_is_learnt_from_alone(config: Config | RandConfig) -> None:
    """Rate, delta, noise and chances, wherever that domain stands, and however large the other one is."""
    sizes = {"small": (60, 90), "large": (1000, 2000), "huge": (4000, 9000)}

    def planned(learnt: str, *names: str) -> tuple[object, ...]:
        texts, relations = zip(*(sizes[name] for name in names), strict=True)
        facts = replace(TEXT_FACTS, domains=names, entities=texts, relations=relations)
        plan = replace(config, trained_on=learnt).plan(facts)
        said, work = plan.statement, plan.work
        return plan.scale, plan.entries, work.noise, work.notes, said.epsilon, said.delta, said.delta_rule

    first = planned("small", "small", "large")
    assert first == planned("small", "large", "small") == planned("small", "huge", "small")


@pytest.mark.parametrize("loss", ["info-nce", "hinge"])
def test_one_relation_moves_the_sum_by_no_more_than_the_clip(loss: str) -> None:
    """Each relation of a small set is taken out in turn, with everything drawn alike: neighbouring sets."""
    graph, clip = shop(products=50, purchases=1.0), 0.25
    relations = graph.relations(0)[:, :8]
    config = Config(**TINY | {"clip": clip, "loss": loss, "noise_multiplier": 1.0})

    def total(kept: torch.Tensor) -> torch.Tensor:
        tuned = FineTuning(config, graph, Context(noise_key=bytes(32)), kept, protection)
        tuned.noise = Secret(bytes(32), 0, "noise/gradients")
        for name, weight in tuned.encoder.named_parameters():
            if "lora_B" in name:
                weight.data.normal_(0, 0.3, generator=torch.Generator().manual_seed(1))
        tuples = torch.cat([kept.T, torch.tensor([[1, 2, 3]]).expand(kept.shape[1], 3)], 1)
        weights = [weight for weight in tuned.encoder.parameters() if weight.requires_grad]
        tuned._gradients(tuples, weights)
        return torch.cat([weight.grad.flatten() for weight in weights if weight.grad is not None]).double()

    mechanism = PrivateGradients(clip=clip, noise_multiplier=0.0, rate=1.0, expected_batch=1.0)
    protection = Protection(mechanism=mechanism, counted=lambda _: None)  # type: ignore[arg-type,return-value]
    whole, moves = total(relations), []
    for gone in range(8):
        left = torch.cat([relations[:, :gone], relations[:, gone + 1 :]], 1)
        moves.append(float((whole - total(left)).norm()))
    assert max(moves) <= clip * (1 + 1e-5)
    assert max(moves) > 0.98 * clip, "the clip is reached"


def test_no_private_gradient_is_computed_in_company(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hinge jumps between two roundings of a score, so that the sum of a batch moved by 20 clips."""

    def refuse(*_: object) -> None:
        raise AssertionError("tuples were computed together")

    monkeypatch.setattr(tuple_gradients, "_factored", refuse)
    assert isinstance(told(Config(**TINY, noise_multiplier=1.0), shop())[-1], Result)


def test_pairs_of_a_batch_against_each_other() -> None:
    """What couples tuples: each is held against the partners of all others."""
    made = in_batch(torch.tensor([[0, 10], [1, 11], [2, 12]]))
    assert made.tolist() == [[0, 10, 11, 12], [1, 11, 10, 12], [2, 12, 10, 11]]
    for alone in (0, 1):
        assert in_batch(torch.zeros(alone, 2, dtype=torch.int64)).shape[0] == 0
    graph = shop()
    held = graph.relations(0).shape[1]
    size = next(size for size in range(2, held) if held % size == 1)  # one is left over after each pass
    steps = held // size + 2
    given = {"unit": "none", "pairing": "in-batch", "batch_size": size, "steps": steps, "loss": "hinge"}
    events = told(Config(**TINY | given), graph)
    assert isinstance(events[-1], Result)
    losses = [one.value for one in events if isinstance(one, Metric) and one.name == "train_loss"]
    assert len(losses) == steps
    assert np.isfinite(losses).all(), "one relation alone is held against nothing"


@pytest.mark.long
def test_relations_of_one_domain_teach_those_of_another() -> None:
    """Without privacy the tiny encoder, whose weights are random, learns what goes together."""
    graph = load("products", data_options={"products": 150, "purchases": 5.0, "noise": 0.0})
    config = Config(**TINY | {"unit": "none", "steps": 50, "batch_size": 64, "learning_rate": 0.02, "rank": 16})
    events = told(config, graph)
    result = events[-1]
    assert result.metrics["test_mrr"] > 1.3 * result.metrics["base_mrr"]
    losses = [event.value for event in events if isinstance(event, Metric) and event.name == "train_loss"]
    assert np.mean(losses[-5:]) < 0.8 * np.mean(losses[:5])


def answers_of(seed: int) -> tuple[Secret, Secret]:
    """The streams of a run's answers and of its noisy count."""
    answers, count = (Secret(bytes(32), seed, f"noise/{name}") for name in ("relations", "count"))
    return answers, count


def test_coins_follow_the_noisy_number_of_relations_and_not_the_true_one(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, config = shop(), RandConfig(encoder="tiny", epsilon=0.05, response="asymmetric")
    pairs = 60 * 59 // 2
    for noisy in (1.0, 90.0, 900.0):
        monkeypatch.setattr(CountedResponse, "noisy_count", lambda self, edges, counted, noisy=noisy: noisy)
        reported = [randomised(graph, config, *answers_of(seed)).shape[1] for seed in range(40)]
        response = CountedResponse(epsilon=0.05).response(noisy, pairs)
        expected = 90 * response.one_to_one + (pairs - 90) * response.zero_to_one
        assert np.mean(reported) == pytest.approx(expected, abs=5 * math.sqrt(pairs / 4 / 40))
        assert expected == pytest.approx(noisy, rel=0.1)
    count, answers = config.plan(graph.facts).entries
    assert isinstance(count.event, Laplace)
    assert isinstance(answers.event, PureDP)
    assert count.event.noise_multiplier == pytest.approx(200.0)
    assert answers.event.epsilon == pytest.approx(0.045)


def test_answers_keep_and_invent_relations_at_the_chances_that_are_paid_for() -> None:
    graph = load("products", data_options={"products": 300, "purchases": 8.0})
    config = RandConfig(**{"encoder": "tiny", "epsilon": 3.0})
    true = {tuple(pair) for pair in graph.relations(0).T.tolist()}
    response, pairs = symmetric(3.0), 300 * 299 // 2
    kept = invented = 0
    for seed in range(6):
        found = {tuple(pair) for pair in randomised(graph, config, *answers_of(seed)).T.tolist()}
        assert all(one < other < 300 for one, other in found), "of the domain that is learnt from, each pair once"
        kept, invented = kept + len(found & true), invented + len(found - true)
    for seen, of, chance in (
        (kept, 6 * len(true), response.one_to_one),
        (invented, 6 * (pairs - len(true)), response.zero_to_one),
    ):
        assert abs(seen - of * chance) < 5 * math.sqrt(of * chance * (1 - chance))
    assert math.log(response.one_to_one / response.zero_to_one) == pytest.approx(3.0)


def test_what_is_learnt_from_are_answers_and_nothing_reads_the_true_relations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even to measure what was learnt: answers are all that is paid for."""
    graph = shop()
    config = RandConfig(**TINY | {"epsilon": 4.0, "steps": 1})

    seen = watched(monkeypatch, randomising, "FineTuning")
    context = Context(noise_key=bytes(32))
    (*_, result) = train_one(randomising.train, config, graph, context)
    (one,) = [call.result for call in seen]
    answers = randomised(graph, config, *answers_of(0))
    assert one.relations.equal(answers)
    assert answers.shape != graph.relations(0).shape
    own = asked_relations(answers, TRAINED, 0, "train")
    vectors = one.compared(one.encoder.encode(one.ids))
    assert result.metrics["train_mrr"] == pytest.approx(ranking(vectors, own)["mrr"], abs=1e-6)


def test_answers_of_one_pair_have_no_negatives_in_their_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is learnt from it, and the run ends: it may be all that randomised response leaves."""
    graph, given = shop(), TINY | {"pairing": "in-batch"}
    assert "must have 2 at least (got 1)" in build(RandConfig, given | {"batch_size": 1}).refuses(graph.facts)
    monkeypatch.setattr(randomising, "randomised", lambda *_: graph.relations(0)[:, :1])
    with pytest.raises(RuntimeError, match="no weight has moved in the first step"):
        list(train_one(randomising.train, build(RandConfig, given), graph, Context(seed=0, noise_key=bytes(32))))


def test_without_privacy_it_is_an_ordinary_loop_of_peft_and_torch() -> None:
    """The same batches through autograd, torch's AdamW and a schedule of its own end in the same adapter."""
    graph = shop()
    config = Config(**TINY | {"unit": "none", "steps": 6, "warmup": 0.5, "learning_rate": 0.01, "weight_decay": 0.1})
    tuning = FineTuning(config, graph, Context(seed=3, noise_key=bytes(32)), graph.relations(0), None)
    ours = tuning.encoder
    twin = copy.deepcopy(ours)
    list(tuning.run())

    weights = [weight for weight in twin.parameters() if weight.requires_grad]
    optimiser = torch.optim.AdamW(weights, lr=0.01, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, [1 / 3, 2 / 3, 1.0, 1.0, 2 / 3, 1 / 3].__getitem__)
    sampler = TupleSampler(
        relations=graph.relations(0), entities=tuning.entities(0), rate=1.0, negatives=config.negatives
    )
    batches = sampler.shuffled(stream(3, "batches/tuples"), config.batch_size)
    for step in range(6):
        texts = next(batches)
        vectors = twin(*twin.padded([tuning.ids[text] for text in texts.flatten().tolist()])).view(*texts.shape, -1)
        normal = torch.nn.functional.normalize(vectors, dim=2)
        scores = (normal[:, :1] * normal[:, 1:]).sum(2) / config.temperature
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(scores, torch.zeros(len(texts), dtype=torch.int64)).backward()
        optimiser.step()
        if step < 5:
            schedule.step()
    for (name, weight), other in zip(trainable(ours), weights, strict=True):
        assert torch.allclose(weight, other, atol=2e-4), name
        assert not torch.allclose(weight, torch.zeros_like(weight), atol=1e-3)
