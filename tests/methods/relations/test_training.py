"""Fine-tuning: what its noise depends on, and the rate, batch and steps that are paid for."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.methods.drained import returned
from tests.methods.relations.test_relational import TINY, shop, told
from tests.nn.text.encoder_made_here import saved
from tests.watching import watched

from privgraph.attacks.relations import without_relations
from privgraph.data.graph import Graph
from privgraph.data.splits import subgraph
from privgraph.methods.relations import fine_tuning
from privgraph.methods.relations.fine_tuning import FineTuning
from privgraph.methods.relations.relational import train as trained
from privgraph.methods.relations.relational.config import Config
from privgraph.methods.training import Context
from privgraph.nn.text import encoder as encoders
from privgraph.nn.text.adapters import adapt, trainable
from privgraph.nn.text.encoder import load_encoder
from privgraph.progress import Spent

BARE: dict[str, Any] = TINY | {"unit": "none", "learning_rate": 0.02}


def tuning(graph: Graph, **options: Any) -> FineTuning:
    config = Config(**BARE | options)
    return FineTuning(config, graph, Context(seed=3, noise_key=bytes(32)), graph.relations(0), None)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A tiny encoder of random weights with a tokenizer of its own, as a folder."""
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=6, hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        max_position_embeddings=32,
    )  # fmt: skip
    return saved(tmp_path, lambda: BertModel(config), unk_token="<unk>")


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


def test_the_embedded_model_has_no_dropout_beside_its_adapters() -> None:
    """A random mask inside a private gradient would make a tuple's gradient hang on how often one drew."""
    encoder = load_encoder("tiny")
    adapt(encoder, rank=4, alpha=8.0, generator=torch.Generator().manual_seed(0))
    encoder.model.train()
    beside = [one for name, one in encoder.model.named_modules() if "lora_dropout" in name]
    assert beside
    assert not any(isinstance(one, torch.nn.Dropout) and one.p > 0 for one in beside)


def test_private_gradients_are_divided_by_the_batch_that_is_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watched(monkeypatch, trained, "FineTuning")
    graph = shop()
    told(Config(**TINY | {"steps": 1, "noise_multiplier": 1.0}), graph)
    assert [one.result.private.mechanism.expected_batch for one in seen] == [pytest.approx(20.0)]
    assert graph.facts.relations[0] > 20


@pytest.mark.parametrize(
    ("learnt", "accounting", "held"),
    [("kitchen", "sound", 60), ("garden", "sound", 40), ("kitchen", "published", 90), ("garden", "published", 30)],
)
def test_batches_are_drawn_with_the_rate_that_is_paid_for(
    monkeypatch: pytest.MonkeyPatch, learnt: str, accounting: str, held: int
) -> None:
    """Coins and ledger have that of the domain that is learnt from: by its texts; as published, relations."""
    whole = subgraph(shop(), torch.arange(100))
    graph = without_relations(whole, whole.relations(1)[:, 30:])
    seen = watched(monkeypatch, fine_tuning, "poisson_batches")
    options = {"steps": 1, "trained_on": learnt, "accounting": accounting, "noise_multiplier": 1.0}
    events = told(Config(**TINY | options), graph)
    ((sampler, _),) = [call.given for call in seen]
    assert sampler.rate == 20 / held
    assert [one.entry["sampling_rate"] for one in events if isinstance(one, Spent)] == [20 / held]
    own = graph.domain_names.index(learnt)
    assert sampler.relations.equal(graph.relations(own))
    assert sampler.entities.equal((graph.domains == own).nonzero().squeeze(1)), "with and without relations"


def test_steps_that_are_left_over_at_the_end_are_paid_for_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fine_tuning, "TOLD", 2)
    events = told(Config(**TINY | {"steps": 5, "noise_multiplier": 1.0}), shop())
    assert [one.entry["count"] for one in events if isinstance(one, Spent)] == [2, 2, 1]


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
    assert returned(one.ranked("few")) == {"few_mrr": 0.5}
    assert all(weight.equal(old) for weight, old in zip(weights, before, strict=True))
    asked = torch.unique(one.asked)
    assert not torch.allclose(judged[0][asked], one.compared(vectors)[asked], atol=1e-3), "what they taught is judged"
