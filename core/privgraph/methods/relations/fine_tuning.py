"""Fine-tuning an encoder on relations: draws of tuples, gradients, optimiser and evaluation (Algorithm 3)."""

import math
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import torch
from torch import Tensor

from privgraph.data.graph import Graph
from privgraph.mechanisms.gradients import PrivateGradients, clip_factors
from privgraph.methods.relations.evaluation import asked_relations, class_places, few_shot_classes, ranking
from privgraph.methods.relations.few_shot import EPOCHS, learn_more
from privgraph.methods.relations.options import CANDIDATES, LEARNING_RATE, RelationOptions
from privgraph.methods.relations.tuples import TupleSampler, in_batch
from privgraph.methods.training import Context
from privgraph.nn.text.adapters import SETTINGS, WEIGHTS, WHOLE, adapt, check_step, save_adapter, trainable
from privgraph.nn.text.encoder import TextEncoder, load_encoder
from privgraph.nn.text.losses import Contrast
from privgraph.nn.text.tuple_gradients import clipped_sum, plain_sum
from privgraph.privacy.ledger import LedgerEntry
from privgraph.privacy.serialisation import entry_to_json
from privgraph.progress import Artifact, Event, Metric, Progress, Result, Spent
from privgraph.streams import Secret, stream

TOLD = 100
"""How often a run tells of itself, at most."""
SAVED = {
    WEIGHTS: "The adapter: its weights, as safetensors",
    SETTINGS: "The adapter: its settings, as peft reads them",
    WHOLE: "The encoder's trained weights, as safetensors",
}
"""Titles of what a run leaves."""
TRAINED = 1024
"""Relations that were trained on and are asked again, at most."""
READ_AT_ONCE = 2_048
"""Tokens that are read between two events: a stop waits for no more."""
LEARNING = 4
"""How much longer a text takes with its gradient than without, roughly: for the time that is left."""
BEFORE, AFTER = "measuring the base encoder", "measuring what was learnt"
"""What a run is at before its first step and after its last."""
Found = TypeVar("Found")
Reading = Generator[int, None, Found]
"""Yields how many texts were read since it last did, and returns what was found."""


@dataclass(eq=False)
class _Sum:
    """The sum of clipped gradients as one row (1, P), for `PrivateGradients.perturb`."""

    gradients: Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class Protection:
    """How gradients are made private: the mechanism of every step, and the ledger's entry of `counted` steps.

    Gradients are computed one tuple at a time (route `loop`). Computed together, one of them hangs on the
    others by rounding, and no bound on that holds: the hinge jumps between two roundings of a score, and
    large weights, or texts that cancel, enlarge the last bit (a sum moved by 20 clips).
    """

    mechanism: PrivateGradients
    counted: Callable[[int], LedgerEntry]


def step_size(config: RelationOptions, step: int) -> float:
    """The learning rate of step 1 to T: a linear rise over the share `warmup` of the steps, then the
    schedule, which reaches 0 after the last one."""
    rising = config.warmup * config.steps
    if step <= rising:
        return config.step_size * step / rising
    left = (config.steps - step + 1) / (config.steps - math.floor(rising)) if config.steps > rising else 1.0
    shape = {"constant": 1.0, "linear": left, "cosine": (1 - math.cos(math.pi * left)) / 2}[config.schedule]
    return config.step_size * shape


@dataclass(eq=False)
class FineTuning:
    """One encoder that is fine-tuned on `relations` (2, |E|) of a graph's domain and judged in another.

    `private` makes gradients private; None sums them as they are. Of the other domain's relations, (2, shots)
    `few` are public and learnt from further, (2, shots) `held` judge that, and `asked` are predicted. The run
    takes as long, roughly, as reading `work` texts.
    """

    config: RelationOptions
    graph: Graph
    context: Context
    relations: Tensor
    private: Protection | None
    encoder: TextEncoder = field(init=False)
    noise: Secret = field(init=False)
    few: Tensor = field(init=False)
    held: Tensor = field(init=False)
    asked: Tensor = field(init=False)
    work: int = field(init=False)

    def __post_init__(self) -> None:
        facts = self.graph.facts
        self.learnt, self.predicted = self.config.domain_pair(facts)
        self.encoder = load_encoder(self.config.encoder, self.context.device)
        self.ids = self.encoder.tokenize(self.graph.texts, self.config.max_tokens)
        self.context = self._having_read()
        adapt(
            self.encoder,
            rank=self.config.rank,
            alpha=self.config.alpha,
            adapted=self.config.adapted,
            generator=self.context.generator("init/adapter"),
        )
        self.loss = Contrast(
            kind=self.config.loss,
            similarity=self.config.similarity,
            temperature=self.config.temperature,
            margin=self.config.margin,
        )
        mixed = asked_relations(self.graph.relations(self.predicted), 0, self.context.seed)
        shots, most = self.config.shots, self.config.evaluated or mixed.shape[1]
        self.few, self.held = mixed[:, :shots], mixed[:, shots : 2 * shots]
        self.asked = mixed[:, 2 * shots :][:, :most]
        self.work = 2 * self._measuring + LEARNING * self._tuple * self.config.batch_size * self.config.steps

    def _having_read(self) -> Context:
        """The context whose noise hangs on the encoder as it was loaded: weights, tokens of the texts,
        configuration, libraries.

        Of noise that is no secret weights are enough, so that other versions of these draw it, too.
        """
        weights = dict(self.encoder.named_parameters())
        if self.context.open:
            return self.context.having_read(weights)
        lengths = torch.tensor([len(one) for one in self.ids])
        tokens = {"tokens": torch.cat(self.ids), "lengths": lengths}
        return self.context.having_read({**weights, **dict(self.encoder.named_buffers()), **tokens}, self.encoder.made)

    def entities(self, domain: int) -> Tensor:
        """(N,) int64 numbers of the texts of a domain."""
        return (self.graph.domains == domain).nonzero().squeeze(1)

    def vectors(self, texts: Tensor) -> Reading[Tensor]:
        """(|V|, d): vectors of these texts (numbers, of any shape, each once or more), zeros elsewhere."""
        own = torch.unique(texts)
        found = torch.zeros(len(self.ids), self.encoder.facts.width)
        for rows, vectors in self.encoder.pieces([self.ids[int(number)] for number in own], READ_AT_ONCE):
            found[own[rows]] = vectors
            yield len(rows)
        return found

    def judged(self, prefix: str) -> Reading[dict[str, float]]:
        """PREC@1 and MRR in the other domain, and F1 of its classes, as `<prefix>_...`. Only texts that are
        asked about are encoded."""
        own = self.entities(self.predicted)
        places = class_places(self.graph.y[own], self.context.seed)
        vectors = self.compared((yield from self.vectors(torch.cat([self.asked.flatten(), own[places.all]]))))
        classes = few_shot_classes(vectors[own], self.graph.y[own], places)
        return {f"{prefix}_{name}": value for name, value in {**ranking(vectors, self.asked), **classes}.items()}

    def ranked(self, prefix: str) -> Reading[dict[str, float]]:
        """PREC@1 and MRR in the other domain, as `<prefix>_...`, once the encoder has been fine-tuned
        further on its public relations, where there are any. The encoder is as before afterwards."""
        config = self.config
        if not config.shots:
            return {}
        weights: list[Tensor] = [weight for _, weight in trainable(self.encoder)]
        before = [weight.detach().clone() for weight in weights]
        epochs = learn_more(
            self.encoder,
            self.ids,
            self.loss,
            self.optimiser(weights, config.learning_rate or LEARNING_RATE),
            few=self.few,
            held=self.held,
            entities=self.entities(self.predicted),
            negatives=config.negatives,
            random=stream(self.context.seed, "few-shot/tuples"),
        )
        for _ in epochs:
            yield LEARNING * self._tuple * config.shots
        found = ranking(self.compared((yield from self.vectors(self.asked))), self.asked)
        for weight, old in zip(weights, before, strict=True):
            weight.data.copy_(old)
        return {f"{prefix}_{name}": found[name] for name in ("accuracy", "mrr") if name in found}

    def _measured(self, prefix: str) -> Reading[dict[str, float]]:
        """Without relations of the other domain, and with its few public ones."""
        return {**(yield from self.judged(prefix)), **(yield from self.ranked(f"{prefix}_few_shot"))}

    @property
    def _measuring(self) -> int:
        """Texts that one `_measured` reads, roughly."""
        asked = int(torch.unique(self.asked).numel())
        return asked + bool(self.config.shots) * (asked + LEARNING * self._tuple * self.config.shots * EPOCHS)

    @property
    def _tuple(self) -> int:
        """Texts of a tuple."""
        return 2 if self.config.pairing == "in-batch" else 2 + self.config.negatives

    def _telling(self, part: Reading[Found], start: int, end: int, stage: str) -> Generator[Event, None, Found]:
        """What the part finds; its progress goes from `start` to `end` at most."""
        while True:
            try:
                start = min(end, start + next(part))
            except StopIteration as over:
                found: Found = over.value
                return found
            yield self._progress(start, stage)

    def _progress(self, read: int, stage: str) -> Progress:
        """After the time of reading so many texts, in the plan's steps."""
        return Progress(step=self.config.steps * read // self.work, total=self.config.steps, stage=stage)

    def compared(self, vectors: Tensor) -> Tensor:
        """Vectors whose inner product is the score (up to the temperature)."""
        return torch.nn.functional.normalize(vectors, dim=1) if self.config.similarity == "cosine" else vectors

    def run(self) -> Iterator[Event]:
        """Train, and tell; the last event is the result."""
        config, context = self.config, self.context
        yield self._progress(0, BEFORE)
        base = yield from self._telling(self._measured("base"), 0, self._measuring, BEFORE)
        yield Metric(name="test_accuracy", value=base.get("base_accuracy", 0.0), step=0)
        weights: list[Tensor] = [weight for _, weight in trainable(self.encoder)]
        optimiser = self.optimiser(weights, config.step_size)
        sampler = TupleSampler(
            relations=self.relations,
            entities=self.entities(self.learnt),
            rate=self.private.mechanism.rate if self.private else 1.0,
            negatives=config.negatives,
        )
        if self.private is None:
            batches = sampler.shuffled(stream(context.seed, "batches/tuples"), config.batch_size)
            # One that is left over at the end of a pass has no negatives. Where there is one alone, which
            # randomised response may leave, every batch is empty.
            if config.pairing == "in-batch" and self.relations.shape[1] > 1:
                batches = (batch for batch in batches if len(batch) > 1)
        else:
            batches = poisson_batches(sampler, context.secret("sampling/tuples"))
            self.noise = context.secret("noise/gradients")
        told, losses, every = 0, [], max(1, config.steps // TOLD)
        for step in range(1, config.steps + 1):
            losses.append(self._gradients(next(batches), weights))
            if step == 1:
                before = {name: weight.detach().clone() for name, weight in self.encoder.named_parameters()}
            for group in optimiser.param_groups:
                group["lr"] = step_size(config, step)
            optimiser.step()
            if step == 1:
                check_step(self.encoder, before)
            if step % every and step < config.steps:
                continue
            if self.private is not None:
                entry = self.private.counted(step - told)
                context.ledger.add(entry)
                yield Spent(entry=entry_to_json(entry))
            told = step
            drawn = torch.cat(losses)
            losses = []
            if drawn.numel():
                yield Metric(name="train_loss", value=float(drawn.mean()), step=step)
            done = self._measuring + (self.work - 2 * self._measuring) * step // config.steps
            yield self._progress(done, f"training, step {step:,} of {config.steps:,}")
        yield from self._finished(base)

    def optimiser(self, weights: list[Tensor], rate: float) -> torch.optim.Optimizer:
        """Adam with decoupled weight decay, or gradient descent; whatever it does is post-processing."""
        config = self.config
        if config.optimiser == "adam":
            return torch.optim.AdamW(weights, lr=rate, weight_decay=config.weight_decay)
        return torch.optim.SGD(weights, lr=rate, weight_decay=config.weight_decay)

    def _gradients(self, tuples: Tensor, weights: list[Tensor]) -> Tensor:
        """Set the gradient of every trainable weight, from one batch (B, 2 + k); the losses (B,) of its
        tuples."""
        if self.config.pairing == "in-batch":
            tuples = in_batch(tuples[:, :2])
        if self.private is None:
            found = plain_sum(self.encoder, self.ids, tuples, self.loss)
            total = _Sum(found.total.unsqueeze(0) / max(1, len(tuples)))
        else:
            clip = torch.tensor([self.private.mechanism.clip], dtype=torch.float64)
            found = clipped_sum(
                self.encoder,
                self.ids,
                tuples,
                self.loss,
                lambda squared: clip_factors(squared.unsqueeze(0), clip.to(squared))[0],
                route="loop",
            )
            total = _Sum(found.total.unsqueeze(0))
            PrivateGradients.perturb([self.private.mechanism], total, [self.noise], [self.context.observer])
        sizes = [weight.numel() for weight in weights]
        for weight, part in zip(weights, torch.split(total.gradients[0], sizes), strict=True):
            weight.grad = part.view_as(weight).to(weight.dtype)
        return found.losses

    def _finished(self, base: dict[str, float]) -> Iterator[Event]:
        """The adapter, and what it reaches."""
        start = self.work - self._measuring
        found = yield from self._telling(self._measured("test"), start, self.work, AFTER)
        own = asked_relations(self.relations, TRAINED, self.context.seed, "train")
        read = yield from self._telling(self.vectors(own), self.work, self.work, AFTER)
        known = ranking(self.compared(read), own)
        yield Metric(name="test_accuracy", value=found.get("test_accuracy", 0.0), step=self.config.steps)
        if self.context.folder is not None:
            for name in save_adapter(self.encoder, self.context.folder):
                yield Artifact(name=name, title=SAVED[name])
        metrics = {**base, **{f"train_{name}": value for name, value in known.items()}, **found}
        for prefix in ("base", "train"):
            metrics.pop(f"{prefix}_relations", None)
        if "test_relations" in found:
            # relations share their partners where texts are few: no more than these can be told apart
            partners = torch.unique(self.graph.relations(self.predicted)).numel()
            metrics["guessing_accuracy"] = 1 / min(CANDIDATES, found["test_relations"], partners)
        yield self._progress(self.work, AFTER)
        yield Result(metrics=metrics)


def poisson_batches(sampler: TupleSampler, sampling: Secret) -> Iterator[Tensor]:
    """Poisson samples of tuples, without end."""
    while True:
        yield sampler.draw(sampling)
