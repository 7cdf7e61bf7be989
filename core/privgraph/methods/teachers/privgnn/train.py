"""PrivGNN: choose queries, ask private nodes or their teachers, add noise, train the student. See
README.md."""

import math
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from privgraph.methods import predictions
from privgraph.methods.teachers.answers import NAME
from privgraph.methods.teachers.parts import Parts, apart, split_parts
from privgraph.methods.teachers.privgnn.before_noise import SHOWN, Floats, Ints, Raw, record
from privgraph.methods.teachers.privgnn.config import Config, Mechanism
from privgraph.methods.teachers.privgnn.queries import choose
from privgraph.methods.teachers.privgnn.sampling import chunks, coins
from privgraph.methods.teachers.privgnn.table import class_scores, class_sums
from privgraph.methods.teachers.privgnn.teachers import ask_teachers, posterior
from privgraph.methods.teachers.privgnn.votes import PublicEncoder, chances, count_votes, pool, weights
from privgraph.methods.teachers.student import final_metrics, fit_student
from privgraph.methods.training import Context, Member
from privgraph.options import OptionError
from privgraph.privacy.serialisation import entry_to_json
from privgraph.progress import Artifact, Event, Metric, Progress, Result, Spent
from privgraph.streams import Secret, stream


def train(members: Sequence[Member[Config]]) -> Generator[tuple[int, Event], None, None]:
    """Train members one after another; with common samples, those that differ in their noise alone share
    their answers."""
    known: dict[tuple[object, ...], Raw] = {}
    keys = [_answers_key(member) if _may_share(member.config) else None for member in members]
    for index, (member, key) in enumerate(zip(members, keys, strict=True)):
        run = Run(member, known.pop(key, None) if key else None)
        for event in run.events():
            yield index, event
        if key and run.answers is not None and key in keys[index + 1 :]:
            known[key] = run.answers


def _may_share(config: Config) -> bool:
    """What passes a gate depends on its noise, and so do the queries that are answered."""
    return config.common and not config.gate


def _answers_key(member: Member[Config]) -> tuple[object, ...]:
    """What decides a member's answers before noise: its graph (the same tensors), parts, streams and
    options."""
    graph, context = member.graph, member.context
    tensors = (graph.x.data_ptr(), graph.y.data_ptr(), graph.edge_index.data_ptr())
    return (*tensors, graph.split_seed, context.seed, sampling_key(member), *member.config.answers_key())


def sampling_key(member: Member[Config]) -> bytes:
    """The key of samples, groups and teachers' dropout: the run's own, or the one that all runs have in
    common."""
    return (member.context.shared_key or member.context.noise_key) if member.config.common else member.context.noise_key


@dataclass(eq=False)
class Run:
    """One run. `answers` are the answers before noise: given, or made on the way."""

    member: Member[Config]
    answers: Raw | None = None

    def __post_init__(self) -> None:
        self.config = self.member.config
        self.context: Context = self.member.context
        self.facts = self.member.graph.facts
        self.parts: Parts = split_parts(self.member.graph, self.config)
        self.classes = self.parts.public.num_classes
        self.plan = self.member.plan
        self.scale = self.plan.scale
        self.entries = list(self.plan.entries)
        self.metrics: dict[str, float] = {}

    def events(self) -> Iterator[Event]:
        """From queries to the result. Raises `OptionError` where no query passes the gate."""
        config, truth = self.config, self.parts.public.y.numpy()
        chosen = choose(self.parts.public, config.asked(self.facts), config.strategy, self.context.seed)
        done = 0
        if config.gate:
            chosen = yield from self._gate(chosen)
            done = config.asked(self.facts)
        if self.answers is None:
            self.answers = yield from self._ask(chosen, "answers", done)
        raw, done = self.answers, self.config.query_steps(self.facts)
        before = posterior(raw.before) if config.release == "posterior" else raw.before
        mechanism = config.mechanism(self.classes, self.scale)
        after, scores = self._release(raw, before, chosen, mechanism)
        yield self._spend()
        yield Progress(step=done, total=self.plan.steps, stage="answers")
        rows, targets, released = self._labels(chosen, after, scores)
        self.metrics["label_accuracy"] = float(np.mean(released == truth[chosen]))
        self.metrics["label_accuracy_before_noise"] = float(np.mean(before.argmax(1) == truth[chosen]))
        self.metrics["labels_flipped_by_noise"] = float(np.mean(before.argmax(1) != after.argmax(1)))
        for name, value in self.metrics.items():
            yield Metric(name=name, value=value, step=done, stage="answers")
        yield from self._keep(replace(raw, before=before), chosen, after, mechanism.std, released)
        logits = yield from fit_student(
            self.parts.public,
            torch.from_numpy(rows),
            torch.from_numpy(targets),
            options=config,
            context=self.context,
            done=done,
            total=self.plan.steps,
            whole=None if self.context.outsider is None else apart(self.member.graph, self.parts),
        )
        yield from self._finish(logits)

    def _noise(self, stage: str) -> Secret:
        return self.context.secret(f"noise/{stage}")

    def _sampling_context(self) -> Context:
        return replace(self.context, noise_key=sampling_key(self.member))

    def _spend(self) -> Spent:
        """Write the plan's next entry into the ledger."""
        entry = self.entries.pop(0)
        self.context.ledger.add(entry)
        return Spent(entry=entry_to_json(entry))

    def _gate(self, chosen: Ints) -> Generator[Event, None, Ints]:
        """Those of `chosen` that pass, in a random order and as many as may be answered; everybody is
        tested."""
        raw = yield from self._ask(chosen, "gates", 0)
        passed = self.config.gate_mechanism(self.classes, self.scale).passes(raw.before, self._noise("gates"))
        yield self._spend()
        self.metrics["passed_share"] = float(passed.mean())
        if not passed.any():
            raise OptionError(f"no query passed the gate of {self.config.gate:g}: take a smaller one, or more epsilon")
        order = stream(self.context.seed, "split/answers").permutation(chosen[passed])
        return np.sort(order[: self.config.answered(self.facts)])

    def _ask(self, queries: Ints, stage: str, done: int) -> Generator[Event, None, Raw]:
        """Answers before noise, with progress over the number of queries."""
        ask = (
            ask_teachers if self.config.trains_teachers else sum_nodes if self.config.release == "table" else ask_nodes
        )
        asking = ask(self.parts, queries, self.config, self._sampling_context(), stage)
        while True:
            try:
                share = next(asking)
            except StopIteration as end:
                answers: Raw = end.value
                return answers
            step = done + math.floor(share * self.config.asked(self.facts))
            yield Progress(step=step, total=self.plan.steps, stage=stage)

    def _release(self, raw: Raw, before: Floats, chosen: Ints, mechanism: Mechanism) -> tuple[Floats, Floats | None]:
        """The answers after noise, (Q, C), and the scores of all public nodes, (|V-public|, C), where answers
        are pooled."""
        noise, pooling = self._noise("answers"), self.config.pooling
        if raw.public is None:
            return mechanism.noisy(before, noise), None
        if raw.table is not None:
            table = mechanism.noisy(raw.table, noise)
            return raw.public[chosen] @ table, class_scores(table, raw.public) if pooling else None
        after = mechanism.noisy(before, noise)
        return after, pool(after, raw.public[chosen], raw.public, mechanism.std) if pooling else None

    def _labels(
        self, chosen: Ints, after: Floats, scores: Floats | None
    ) -> tuple[Ints, Ints | NDArray[np.float32], Ints]:
        """Whom the student learns from and what (labels, or chances of each class), and the label of each
        query."""
        config, public = self.config, self.parts.public
        if scores is None:
            released = after.argmax(1)
            return chosen, released, released
        labels = scores.argmax(1)
        rows = public.train_mask.nonzero().squeeze(1).numpy() if config.labelled == "all" else chosen
        return rows, (chances(scores) if config.soft else labels)[rows], labels[chosen]

    def _keep(self, raw: Raw, chosen: Ints, after: Floats, std: float, released: Ints) -> Iterator[Event]:
        if self.context.folder is None:
            return
        kind = "counts" if self.config.release == "ensemble" else self.config.release
        answers = record(self.parts, raw, kind=kind, queries=chosen, after=after, noise_std=std, released=released)
        answers.save(self.context.folder)
        yield Artifact(name=NAME, title="Queries and their answers, before and after noise (not for release)")

    def _finish(self, logits: torch.Tensor) -> Iterator[Event]:
        if self.context.folder is not None:
            predictions.write(
                self.context.folder,
                logits.argmax(1).numpy(),
                nodes=self.parts.public_nodes.numpy(),
                probabilities=logits.softmax(1).numpy(),
            )
            yield Artifact(name=predictions.NAME, title="Predicted class of every public node")
        yield Result(metrics={**final_metrics(self.parts.public, logits), **self.metrics})


def ask_nodes(parts: Parts, queries: Ints, config: Config, context: Context, stage: str) -> Generator[float, None, Raw]:
    """Weighted votes of the private nodes in each query's own sample; yields the share of queries that is
    done."""
    encoder = PublicEncoder.of(parts.public, config.encoder)
    public, voters = encoder.public(parts.public), encoder.private(parts.private.x)
    asked = public[queries]
    labels, size, present = parts.private.y.numpy(), parts.private.num_nodes, parts.private.learnable.numpy()
    tossed = context.secret(f"sampling/coins/{stage}")
    sampled = coins(1, size, config.rate, tossed) if config.sampling == "once" else None
    before = np.zeros((len(queries), parts.public.num_classes))
    seconds = np.zeros(len(queries))
    near: list[Ints] = []
    heaviest: list[NDArray[np.float32]] = []
    for part in chunks(len(queries), size):
        start = time.perf_counter()
        weighted = weights(asked[part], voters)
        tossing = coins(len(weighted), size, config.rate, tossed) if sampled is None else sampled
        weighted = np.where(tossing & present, weighted, 0.0)
        before[part] = count_votes(weighted, labels, parts.public.num_classes)
        _keep_heaviest(weighted, near, heaviest)
        seconds[part] = (time.perf_counter() - start) / len(weighted)
        yield part.stop / len(queries)
    return Raw(before, seconds, near, heaviest, public)


def sum_nodes(parts: Parts, queries: Ints, config: Config, context: Context, stage: str) -> Generator[float, None, Raw]:
    """The table of all private nodes, and what it answers without noise; yields the share of queries that is
    done.

    Nobody is sampled, and no randomness is drawn. Who weighs most in an answer is looked up for the record
    alone.
    """
    encoder = PublicEncoder.of(parts.public, config.encoder)
    public, phi = encoder.public(parts.public), encoder.private(parts.private.x)
    phi[~parts.private.learnable.numpy()] = 0
    table = class_sums(phi, parts.private.y.numpy(), parts.public.num_classes)
    asked = public[queries]
    seconds = np.zeros(len(queries))
    near: list[Ints] = []
    heaviest: list[NDArray[np.float32]] = []
    for part in chunks(len(queries), len(phi)):
        start = time.perf_counter()
        _keep_heaviest(weights(asked[part], phi), near, heaviest)
        seconds[part] = (time.perf_counter() - start) / len(asked[part])
        yield part.stop / len(queries)
    return Raw(asked @ table, seconds, near, heaviest, public, table)


def _keep_heaviest(weighted: Floats, near: list[Ints], heaviest: list[NDArray[np.float32]]) -> None:
    """Append, for each row of votes (q, n), the nodes of the largest ones and their weights."""
    for row in weighted:
        most = np.argsort(-np.abs(row), kind="stable")[:SHOWN]
        near.append(most[row[most] != 0])
        heaviest.append(row[near[-1]].astype(np.float32))
