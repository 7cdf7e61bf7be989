"""What fine-tuning reads: each of its options, the relations that it may see, and what it is judged by."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.methods.relations.test_relational import TINY, shop, told

from privgraph.attacks.relations import without_relations
from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.splits import subgraph
from privgraph.methods.relations import few_shot, fine_tuning
from privgraph.methods.relations.evaluation import asked_relations, class_places, few_shot_classes, ranking
from privgraph.methods.relations.fine_tuning import TRAINED, FineTuning, Protection
from privgraph.methods.relations.relational import train as trained
from privgraph.methods.relations.relational.config import Config
from privgraph.methods.relations.tuples import TupleSampler
from privgraph.methods.training import Context
from privgraph.nn.text import encoder as encoders
from privgraph.nn.text.adapters import adapt, trainable
from privgraph.nn.text.encoder import load_encoder
from privgraph.nn.text.losses import Contrast
from privgraph.progress import Progress, Result, Spent
from privgraph.streams import Secret
from privgraph.testing.methods import TEXT_FACTS

BARE: dict[str, Any] = TINY | {"unit": "none", "learning_rate": 0.02}


def tuning(graph: Graph, **options: Any) -> FineTuning:
    config = Config(**BARE | options)
    return FineTuning(config, graph, Context(seed=3, noise_key=bytes(32)), graph.relations(0), None)


def found_by(reading: Generator[int, None, Any]) -> Any:
    """What is found once all is read."""
    while True:
        try:
            next(reading)
        except StopIteration as over:
            return over.value


def adapter(options: dict[str, Any]) -> tuple[list[bytes], float]:
    """The weights that a short training ends in, and the loss of texts that it has read."""
    one = tuning(shop(), **options)
    list(one.run())
    vectors = one.encoder.encode(one.ids[:5])
    said = one.loss(vectors[torch.tensor([[0, 1, 2], [2, 3, 4]])])
    return [weight.detach().numpy().tobytes() for _, weight in trainable(one.encoder)], float(said.mean())


# What its noise hangs on


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A tiny encoder of random weights with a tokenizer of its own, as a folder."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    words = {word: number for number, word in enumerate(["<pad>", "<unk>", "red", "mug", "hose", "garden"])}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", pad_token="<pad>").save_pretrained(tmp_path)
    config = BertConfig(
        vocab_size=6, hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        max_position_embeddings=32,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        BertModel(config).save_pretrained(tmp_path)
    return tmp_path


def changed(path: Path, change: Callable[[Any], None]) -> None:
    held = json.loads(path.read_text())
    change(held)
    path.write_text(json.dumps(held))


def test_another_tokenizer_configuration_or_library_is_other_noise(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights are the same each time: with common noise, the difference of two releases shows relations."""
    shared = shop()
    texts = ("red mug", "garden hose") * (len(shared.texts) // 2) + ("mug",) * (len(shared.texts) % 2)
    graph = replace(shared, texts=texts)
    secret, public = Context(noise_key=bytes(32)), Context(noise_key=bytes(32), open=True)

    def keys(context: Context) -> tuple[bytes, bytes]:
        config = Config(**BARE | {"encoder": str(own)})
        found = FineTuning(config, graph, context, graph.relations(0), None).context
        return found.noise_key, found._shared_key

    seen = [keys(secret)]
    assert keys(secret) == seen[0], "what was not changed repeats"
    repeated = keys(public)

    def swap(held: Any) -> None:
        words = held["model"]["vocab"]
        words["red"], words["hose"] = words["hose"], words["red"]

    changed(own / "tokenizer.json", swap)
    seen.append(keys(secret))
    changed(own / "config.json", lambda held: held.update(hidden_act="relu"))
    seen.append(keys(secret))
    monkeypatch.setattr(encoders, "version", lambda name: f"another {name}")
    seen.append(keys(secret))
    assert len({key for pair in seen for key in pair}) == len(seen)  # no shared key was given: it is the noise's
    assert keys(public) == repeated, "noise that is no secret is drawn again by other versions"


# Options


@pytest.mark.parametrize(
    ("around", "moved"),
    [
        ({}, {"max_tokens": 4}),
        ({}, {"alpha": 2.0}),
        ({}, {"rank": 2}),
        ({}, {"adapted": "linear"}),
        ({}, {"loss": "hinge"}),
        ({"loss": "hinge"}, {"margin": 0.05}),
        ({}, {"temperature": 0.5}),
        ({"temperature": 1.0}, {"similarity": "dot"}),
        ({}, {"negatives": 2}),
        ({}, {"batch_size": 10}),
        ({}, {"optimiser": "sgd"}),
        ({}, {"schedule": "constant"}),
        ({}, {"warmup": 0.5}),
        ({}, {"weight_decay": 0.5}),
        ({}, {"pairing": "in-batch"}),
    ],
    ids=lambda given: next(iter(given), "defaults"),
)
@pytest.mark.long
def test_every_option_of_training_moves_the_adapter(around: dict[str, Any], moved: dict[str, Any]) -> None:
    before, after = adapter(around), adapter(around | moved)
    assert before == adapter(around)
    assert before[0] != after[0]


@pytest.mark.parametrize("loss", ["info-nce", "hinge"])
@pytest.mark.parametrize("similarity", ["cosine", "dot"])
def test_tuples_are_judged_by_the_loss_of_the_options(loss: str, similarity: str) -> None:
    one = tuning(shop(), loss=loss, similarity=similarity, temperature=0.7, margin=0.3)
    vectors = torch.tensor([[[1.0, 2.0], [2.0, 0.5], [0.0, 3.0]]])
    a, p, n = (torch.nn.functional.normalize(vectors, dim=2) if similarity == "cosine" else vectors)[0]
    own, other = float(a @ p), float(a @ n)
    if similarity == "cosine":
        own, other = own / 0.7, other / 0.7
    expected = math.log(1 + math.exp(other - own)) if loss == "info-nce" else max(0.0, 0.3 - own + other)
    assert float(one.loss(vectors)) == pytest.approx(expected, rel=1e-5)


def test_the_embedded_model_has_no_dropout_beside_its_adapters() -> None:
    """A random mask inside a private gradient would make a tuple's gradient hang on how often one drew."""
    encoder = load_encoder("tiny")
    adapt(encoder, rank=4, alpha=8.0, generator=torch.Generator().manual_seed(0))
    encoder.model.train()
    beside = [one for name, one in encoder.model.named_modules() if "lora_dropout" in name]
    assert beside
    assert not any(isinstance(one, torch.nn.Dropout) and one.p > 0 for one in beside)


def test_private_gradients_are_divided_by_the_batch_that_is_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Protection] = []

    class Seen(FineTuning):
        def __post_init__(self) -> None:
            super().__post_init__()
            assert self.private is not None
            seen.append(self.private)

    monkeypatch.setattr(trained, "FineTuning", Seen)
    graph = shop()
    told(Config(**TINY | {"steps": 1, "noise_multiplier": 1.0}), graph)
    assert [one.mechanism.expected_batch for one in seen] == [pytest.approx(20.0)]
    assert graph.facts.relations[0] > 20


@pytest.mark.parametrize(
    ("learnt", "accounting", "held"),
    [("kitchen", "sound", 60), ("garden", "sound", 40), ("kitchen", "published", 90), ("garden", "published", 30)],
)
def test_batches_are_drawn_with_the_rate_that_is_paid_for(
    monkeypatch: pytest.MonkeyPatch, learnt: str, accounting: str, held: int
) -> None:
    """Where domains differ in size, coins and ledger have the rate of the one that is learnt from: by its
    texts, and as published by its relations."""
    whole, seen = subgraph(shop(), torch.arange(100)), list[TupleSampler]()
    graph = without_relations(whole, whole.relations(1)[:, 30:])
    real = fine_tuning.poisson_batches

    def spy(sampler: TupleSampler, sampling: Secret) -> Iterator[torch.Tensor]:
        seen.append(sampler)
        return real(sampler, sampling)

    monkeypatch.setattr(fine_tuning, "poisson_batches", spy)
    options = {"steps": 1, "trained_on": learnt, "accounting": accounting, "noise_multiplier": 1.0}
    events = told(Config(**TINY | options), graph)
    (sampler,) = seen
    assert sampler.rate == 20 / held
    assert [one.entry["sampling_rate"] for one in events if isinstance(one, Spent)] == [20 / held]
    own = graph.domain_names.index(learnt)
    assert sampler.relations.equal(graph.relations(own))
    assert sampler.entities.equal((graph.domains == own).nonzero().squeeze(1)), "with and without relations"


def test_steps_that_are_left_over_at_the_end_are_paid_for_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fine_tuning, "TOLD", 2)
    events = told(Config(**TINY | {"steps": 5, "noise_multiplier": 1.0}), shop())
    assert [one.entry["count"] for one in events if isinstance(one, Spent)] == [2, 2, 1]


# Domains


@pytest.mark.parametrize("names", [("a", "b"), ("a", "b", "c")])
def test_any_two_domains_can_be_learnt_from_and_predicted_in(names: tuple[str, ...]) -> None:
    facts = replace(TEXT_FACTS, domains=names, entities=(60,) * len(names), relations=(90,) * len(names))
    for learnt in names:
        first = next(name for name in names if name != learnt)
        assert Config(trained_on=learnt).domain_pair(facts) == (names.index(learnt), names.index(first))
        for predicted in {*names} - {learnt}:
            both = Config(trained_on=learnt, tested_on=predicted)
            assert both.domain_pair(facts) == (names.index(learnt), names.index(predicted))


# What it is judged by


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
def test_an_encoder_is_judged_by_its_vectors_of_all_who_are_asked_and_classed(
    monkeypatch: pytest.MonkeyPatch, similarity: str
) -> None:
    graph = shop(products=200)
    one = tuning(graph, similarity=similarity)
    real = one.encoder.pieces

    def pieces(ids: list[torch.Tensor], *tokens: int) -> Iterator[tuple[list[int], torch.Tensor]]:
        """Vectors of this encoder are of nearly the same length, those of others are not."""
        for rows, vectors in real(ids, *tokens):
            yield rows, vectors * torch.tensor([[1.0 + int(ids[row].sum()) % 5] for row in rows])

    monkeypatch.setattr(one.encoder, "pieces", pieces)
    vectors = one.encoder.encode(one.ids)
    own = one.entities(1)
    assert set(graph.domains[own].tolist()) == {1}
    compared = torch.nn.functional.normalize(vectors, dim=1) if similarity == "cosine" else vectors
    labels = graph.y[own]
    expected = {**ranking(compared, one.asked), **few_shot_classes(compared[own], labels, class_places(labels, 3))}
    found = found_by(one.judged("test"))
    assert {"test_macro_f1", "test_micro_f1", "test_accuracy", "test_mrr"} <= set(found)
    assert found == pytest.approx({f"test_{name}": value for name, value in expected.items()}, abs=1e-6)


def test_a_run_tells_how_far_it_is_before_its_first_step_and_after_its_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stop is obeyed at each of these: none of them may wait for a whole evaluation."""
    monkeypatch.setattr(fine_tuning, "READ_AT_ONCE", 64)
    events = list(tuning(shop(), shots=4, steps=3).run())
    told = [event for event in events if isinstance(event, Progress)]
    stages = list(dict.fromkeys(one.stage for one in told))
    steps = [f"training, step {step} of 3" for step in (1, 2, 3)]
    assert stages == [fine_tuning.BEFORE, *steps, fine_tuning.AFTER]
    for stage in (fine_tuning.BEFORE, fine_tuning.AFTER):
        assert len([one for one in told if one.stage == stage]) > 10
    shares = [one.step / one.total for one in told]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert max(shares) <= 1


def test_what_is_learnt_is_judged_by_relations_that_were_learnt_from() -> None:
    graph = shop()
    one = tuning(graph)
    (*_, result) = one.run()
    assert isinstance(result, Result)
    own = asked_relations(graph.relations(0), TRAINED, 3, "train")
    vectors = torch.nn.functional.normalize(one.encoder.encode(one.ids), dim=1)
    assert result.metrics["train_mrr"] == pytest.approx(ranking(vectors, own)["mrr"], abs=1e-6)


def test_so_many_are_asked_as_the_options_say_and_guessing_is_among_256() -> None:
    graph = load("products", data_options={"products": 300, "purchases": 4.0})
    for evaluated, asked, among in ((7, 7, 7), (0, 512, 256)):  # 600 in whole batches of 256
        (*_, result) = tuning(graph, steps=1, evaluated=evaluated).run()
        assert isinstance(result, Result)
        assert result.metrics["test_relations"] == asked
        assert result.metrics["guessing_accuracy"] == 1 / among


def test_of_few_texts_guessing_is_among_those_that_are_there() -> None:
    """Hundreds of relations have no more different partners than there are texts."""
    graph = load("products", data_options={"products": 50, "purchases": 8.0})
    assert graph.relations(1).shape[1] >= 100
    (*_, result) = tuning(graph, steps=1, evaluated=0).run()
    assert isinstance(result, Result)
    assert result.metrics["guessing_accuracy"] == 1 / torch.unique(graph.relations(1)).numel() >= 1 / 50


def test_a_few_relations_teach_others_choose_and_others_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, seen = shop(), []
    real = fine_tuning.learn_more

    def spy(*given: Any, **named: Any) -> Generator[float, None, None]:
        seen.append(named)
        return real(*given, **named)

    monkeypatch.setattr(fine_tuning, "learn_more", spy)
    one = tuning(graph, shots=16)
    found_by(one.ranked("test_few_shot"))
    ((few, held),) = ((named["few"], named["held"]) for named in seen)
    parts = [{tuple(sorted(pair)) for pair in part.T.tolist()} for part in (few, held, one.asked)]
    assert [len(part) for part in parts] == [16, 16, graph.facts.relations[1] - 32]
    assert len(set.union(*parts)) == graph.facts.relations[1], "no relation has two parts"
    assert seen[0]["entities"].equal(one.entities(1)), "negatives are of the domain that is predicted in"


def test_a_few_relations_move_weights_by_their_mean_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = load_encoder("tiny")
    adapt(encoder, rank=2, alpha=4.0, generator=torch.Generator().manual_seed(0))
    weights = [weight for _, weight in trainable(encoder)]
    before = torch.cat([weight.detach().flatten() for weight in weights])
    sums, losses = [], iter([2.0, 1.0])
    real = few_shot.plain_sum

    def spy(*given: Any) -> Any:
        sums.append(real(*given))
        return sums[-1]

    monkeypatch.setattr(few_shot, "plain_sum", spy)
    monkeypatch.setattr(few_shot, "_held_loss", lambda *_: next(losses))
    monkeypatch.setattr(few_shot, "EPOCHS", 1)
    epochs = few_shot.learn_more(
        encoder,
        encoder.tokenize([f"word{number} thing{number % 5}" for number in range(30)], 16),
        Contrast(),
        torch.optim.SGD(weights, lr=0.5),
        few=torch.arange(16).view(2, 8),
        held=torch.arange(14, 30).view(2, 8),
        entities=torch.arange(30),
        negatives=2,
        random=np.random.default_rng(0),
    )
    assert list(epochs) == [2.0, 1.0]
    after = torch.cat([weight.detach().flatten() for weight in weights])
    assert float(sums[0].total.norm()) > 0
    assert torch.allclose(after - before, (-0.5 * sums[0].total / 8).to(after), atol=1e-6)


def test_after_a_few_relations_the_encoder_is_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the run would begin with them, and release them."""
    one = tuning(shop(), shots=4)
    weights = [weight for _, weight in trainable(one.encoder)]
    before = [weight.detach().clone() for weight in weights]
    vectors = one.encoder.encode(one.ids)

    def moved(*_: object, **__: object) -> Iterator[float]:
        for weight in weights:
            weight.data += 0.3
        yield 0.0

    monkeypatch.setattr(fine_tuning, "learn_more", moved)
    judged = list[torch.Tensor]()
    monkeypatch.setattr(fine_tuning, "ranking", lambda vectors, _: judged.append(vectors) or {"mrr": 0.5})
    assert found_by(one.ranked("few")) == {"few_mrr": 0.5}
    assert all(weight.equal(old) for weight, old in zip(weights, before, strict=True))
    asked = torch.unique(one.asked)
    assert not torch.allclose(judged[0][asked], one.compared(vectors)[asked], atol=1e-3), "what they taught is judged"


def test_relations_that_are_held_out_are_judged_against_each_others_partners() -> None:
    encoder, loss = load_encoder("tiny"), Contrast()
    ids = encoder.tokenize([f"word{number} thing{number % 5}" for number in range(12)], 16)
    held = torch.tensor([[7, 2, 9, 2], [1, 11, 4, 5]])
    vectors = encoder.encode(ids)
    tuples = [[7, 1, 11, 4, 5], [2, 11, 1, 4, 5], [9, 4, 1, 11, 5], [2, 5, 1, 11, 4]]
    expected = float(loss(vectors[torch.tensor(tuples)]).mean())
    assert few_shot._held_loss(encoder, ids, loss, held) == pytest.approx(expected, rel=1e-5)
