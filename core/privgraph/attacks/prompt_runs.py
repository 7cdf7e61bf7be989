"""The attack `prompts` as one of the table: on a stored run of the method `prompt`. Needs torch."""

import math
import time
from collections.abc import Generator, Iterator
from dataclasses import replace

import numpy as np
import torch

from privgraph.attacks.exchange import differences, exchange_bound
from privgraph.attacks.judging import Implied, Play, judged
from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.attacks.planning import prompt_targets
from privgraph.attacks.prompts import PromptAttack, PromptMembership, attack_prompts
from privgraph.attacks.record import AttackRecord
from privgraph.attacks.scores import lira
from privgraph.methods.training import Context, train_one
from privgraph.options import OptionError
from privgraph.progress import Progress, Result
from privgraph.registry import attack as attack_spec
from privgraph.registry import method
from privgraph.streams import stream

STEPS = 2
"""A shot leaves and another node of its class comes: where nothing is protected, neighbouring datasets differ
by one record."""


def attack(subject: Attacked, options: AttackOptions) -> Iterator[Progress | AttackRecord]:
    """Tune and ask the prompts, and judge those that are attacked, the run's own first.

    Raises `OptionError` for runs and options that it refuses, and where a class has too few private nodes.
    """
    started, spec = time.monotonic(), attack_spec("prompts")
    refusal = spec.refuses(subject) or spec.unanswered(subject, options)
    if refusal:
        raise OptionError(refusal)
    yield Progress(step=0, total=1, stage="loading data")
    graph, shots = subject.graph(), options.shots or subject.config.shots
    config = replace(subject.config, shots=shots)
    how = PromptAttack(
        shots=shots,
        targets=prompt_targets(shots, graph.num_classes, config.sizes(graph.num_nodes).private),
        pairs=options.shadows,
        repetitions=options.targets,
        seed=options.seed,
        each_class=True,
    )
    device = torch.device(subject.device)
    accuracy = yield from _accuracy(subject, train_one(method(subject.method).load_train(), config, graph, Context(
        seed=subject.seed, device=device)))  # fmt: skip
    found: PromptMembership | None = None
    try:
        for event in attack_prompts(graph, config, how, run=subject.seed, device=device):
            if isinstance(event, Progress):
                yield event
            else:
                found = event
    except ValueError as error:
        raise OptionError(f"shots ({shots}) of each class do not do for this run: {error}") from None
    assert found is not None
    plays = [
        Play(
            nodes=found.nodes,
            scores=lira(said, found.shadows, online=options.online, variance=options.variance),
            members=members,
            accuracy=accuracy if row == 0 else math.nan,
        )
        for row, (said, members) in enumerate(zip(found.target_signals, found.members, strict=True))
    ]
    implied = _implied(subject, options, found, plays[0], shots)
    models = len(found.members) + len(found.shadows.members)
    yield judged("prompts", subject, options, plays, implied, graph, models=models, seconds=time.monotonic() - started)


def _accuracy(subject: Attacked, events: Iterator[object]) -> Generator[Progress, None, float]:
    """The test accuracy of the run's prompt, tuned once more by its method."""
    for event in events:
        if isinstance(event, Progress):
            yield replace(event, stage=f"the run's prompt: {event.stage}")
        elif isinstance(event, Result):
            return event.metrics["test_accuracy"]
    raise RuntimeError(f"the training of {subject.run} ended without a result")


def _implied(subject: Attacked, options: AttackOptions, found: PromptMembership, own: Play, shots: int) -> Implied:
    """The bound on epsilon for the exchange of a shot and another candidate of its class.

    Given the candidates and their classes, all choices of so many of each class are equally likely to be the
    shots (`prompts.candidates`), so that in a pair of one class each order is as likely as the other.
    """
    random = stream(options.seed, "attack/pairs")
    pairs = [
        differences(own.scores[found.labels == label], own.members[found.labels == label], random)
        for label in np.unique(found.labels)
    ]
    gaps, first = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    notes = [
        f"the bound on epsilon is from {len(gaps):,} pairs of a shot and another candidate of its class, drawn at "
        f"random: it takes {STEPS} steps, each to a neighbouring dataset, to swap the two (this run protects nothing: "
        "a step here is one record that is a shot or is not)"
    ]
    if shots != subject.config.shots:
        notes.append(
            f"the attacked prompts have {shots:,} shots of each class, and the run's own has {subject.config.shots:,}: "
            "another prompt on the run's network is attacked"
        )
    if len(gaps) < 2:
        return Implied(steps=STEPS, drawn=True, notes=("no bound on epsilon follows from fewer than two shots",))
    bound = exchange_bound(gaps, first, steps=STEPS, delta=subject.statement.delta, confidence=options.confidence)
    return Implied(bound=bound, steps=STEPS, drawn=True, notes=tuple(notes))
