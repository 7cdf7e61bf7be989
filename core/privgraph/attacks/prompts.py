"""Membership inference on graph prompts: LiRA with shadow prompts (DP-GPL, section 3, Algorithm 1).

Whom it attacks: a prompt of the method `prompt`, tuned on k nodes. The paper counts shots in all: "we
consider the k (i.e., k=1-5) data points used in training the target prompt as members and 50*k other randomly
selected data points from the testing dataset as non-members", and Section 5.1 gives each of 200 teachers
"disjoint 5 shots" of cora's 1,354 private nodes, which 5 a class would exceed. `PromptAttack.each_class` has
k of each class instead, as the method's own option does.

The law of shots. T candidates are drawn from the private nodes, uniformly; a target prompt is tuned on k of
them, drawn uniformly and independently of every other prompt. The T - k others are the non-members: unlike
test nodes, which the paper takes, they differ from members in nothing but the draw, so that scores which know
nothing have area 1/2 whatever the candidates are. Shadow prompts follow the same law: a prompt's shots,
given that x is among them, are x and k - 1 others, uniformly drawn (IN); given that x is not, k of the others
(OUT). Algorithm 1 writes D + x and D - x; here both have k shots, as the target prompt has.

So every shadow prompt serves every candidate: it is an IN prompt of its k shots, and an OUT prompt of all
others. Shots are dealt from shuffled candidates (`drawing.balanced`); the deal treats all candidates alike,
so each prompt by itself, and given who is in it, has that very law. With `pairs` IN prompts for each
candidate there are T pairs/k prompts in all instead of 2 T pairs, and every target prompt is judged by the
same ones.

What the attacker knows: graph, backbone, options, candidates with their classes. It asks the prompt for the
probabilities of a candidate's own class, in the ego-graph that the method reads.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import t as student

from privgraph.attacks.drawing import balanced, independent
from privgraph.attacks.outcome import Outcome, outcome
from privgraph.attacks.prompt_stack import Tuned, signals
from privgraph.attacks.scores import bavaria, lira, rmia, threshold
from privgraph.attacks.signals import Array, Bools, Shadows
from privgraph.audits.roc import area
from privgraph.data.graph import Graph
from privgraph.methods.prompts.few_shot import chosen_by_label, ready
from privgraph.methods.prompts.pretrained import PreparedGraph, pretrain_steps, recipe_of
from privgraph.methods.prompts.prompt.config import Config
from privgraph.methods.training import Context
from privgraph.progress import Progress
from privgraph.streams import stream, stream_seed

SCORES = ("threshold", "lira", "lira-offline", "rmia", "bavaria")
"""`attacks.scores`; lira is Algorithm 1's, with IN and OUT prompts."""


@dataclass(frozen=True, kw_only=True)
class PromptAttack:
    """How an attack on prompts is made.

    shots: k, nodes that a prompt is tuned on in all, or of each class. targets: T, candidates, of which k are
    members of each attacked prompt; the paper has 51 k. pairs: IN prompts for each candidate at least; there
    are as many OUT prompts or more. repetitions: attacked prompts (the paper: 100). Raises `ValueError` where
    these cannot be.
    """

    shots: int = 5
    targets: int = 255
    pairs: int = 64
    repetitions: int = 100
    seed: int = 0
    each_class: bool = False

    def __post_init__(self) -> None:
        if self.shots < 1 or self.repetitions < 1:
            raise ValueError(f"shots and repetitions must be at least 1 (got {self.shots} and {self.repetitions})")
        if self.pairs < 2:
            raise ValueError(f"pairs must be at least 2: a variance is estimated from them (got {self.pairs})")
        if self.targets < 2 * self.shots:
            raise ValueError(
                f"targets must be at least twice the shots, so that each is left out often enough (got {self.targets} "
                f"for {self.shots} shots)"
            )


@dataclass(frozen=True, kw_only=True)
class MeanArea:
    """The average area under the ROC curve over repetitions, and an interval by Student's t over them."""

    repetitions: int
    area: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True, eq=False)
class PromptMembership:
    """What the attack came to, over A attacked prompts and T candidates.

    nodes: (T,) node numbers, and their `labels`. members: (A, T), who was tuned on. target_signals: (A, T)
    and `shadows` of R prompts: scaled confidences in the true class. scores: by the names in `SCORES`, each
    (A, T).
    """

    nodes: NDArray[np.int64]
    labels: NDArray[np.int64]
    members: Bools
    target_signals: Array
    shadows: Shadows
    scores: Mapping[str, Array]

    def areas(self, score: str) -> Array:
        """(A,): the area under each attacked prompt's ROC curve."""
        return np.array([area(row[own], row[~own]) for row, own in zip(self.scores[score], self.members, strict=True)])

    def mean_area(self, score: str, *, confidence: float = 0.95) -> MeanArea:
        """As the paper reports it: averaged over repetitions. Given candidates and shadow prompts these are
        independent, and the interval is for other prompts on the same candidates. Raises `ValueError` for a
        single repetition."""
        areas = self.areas(score)
        if len(areas) < 2:
            raise ValueError("an interval over repetitions needs at least two (got 1)")
        reach = float(student.isf((1 - confidence) / 2, len(areas) - 1) * areas.std(ddof=1) / np.sqrt(len(areas)))
        mean = float(areas.mean())
        return MeanArea(repetitions=len(areas), area=mean, low=max(0.0, mean - reach), high=min(1.0, mean + reach))

    def pooled(self, score: str, *, confidence: float = 0.95) -> Outcome:
        """Curve, area and rates of all pairs of a prompt and a candidate together. A candidate counts once
        for each prompt; the interval takes these as independent. Raises `ValueError` for fewer than two
        members in all."""
        return outcome(self.scores[score].ravel(), self.members.ravel(), confidence=confidence)


def attack_prompts(
    graph: Graph,
    config: Config,
    attack: PromptAttack,
    *,
    run: int | None = None,
    device: torch.device | None = None,
    memory_mb: float = 1024,
) -> Iterator[Progress | PromptMembership]:
    """Tune and ask the prompts, tell how far it is, and end with the result; closing the iterator stops it.

    `config.shots` is not read. With `run`, the seed of a run, the network is that run's, and the first prompt
    that is attacked is tuned on the run's shots, or on as many nodes of each class as `attack.shots` says, in
    the run's order; it starts from the run's values, and is the run's own prompt, up to rounding. About
    `memory_mb` megabytes (10^6 bytes) are used at once by the tuning, beside the graph and the signals.
    Pre-trained weights are kept as by the method. Raises `ValueError` where the graph has too few private
    nodes, or a class too few candidates, and as `prepare` of the method does.
    """
    if run is not None and not attack.each_class:
        raise ValueError("a run's prompt is tuned on so many nodes of each class: say each_class")
    context = Context(seed=attack.seed if run is None else run, device=device or torch.device("cpu"))
    steps = pretrain_steps(config)
    preparing = ready(graph, config, context, total=max(1, steps))
    while True:
        try:
            event = next(preparing)
        except StopIteration as end:
            prepared, table = end.value
            break
        if isinstance(event, Progress):
            yield event
    own = None if run is None else chosen_by_label(prepared, attack.shots, run).nodes
    nodes = candidates(prepared, attack, own)
    members, shadow_members = drawn(prepared.labels[nodes].numpy(), attack)
    if own is not None:
        members[0] = torch.isin(nodes, own).numpy()
    rows = np.concatenate([members, shadow_members])
    shots = torch.from_numpy(nodes.numpy()[rows.nonzero()[1]].reshape(len(rows), -1))
    seeds = [stream_seed(attack.seed, f"attack/prompt/{row}") % 2**31 for row in range(len(rows))]
    seeds[0] = seeds[0] if run is None else run
    asked = torch.cat([nodes, prepared.query_nodes])
    said: Array | None = None
    for told in signals(
        prepared, table, recipe_of(config), Tuned(nodes=shots, seeds=seeds), asked, memory_mb=memory_mb
    ):
        if isinstance(told, np.ndarray):
            said = told
        else:
            yield Progress(step=told.done, total=told.total, stage="prompts")
    assert said is not None
    yield judged(nodes.numpy(), prepared.labels[nodes].numpy(), members, shadow_members, said)


def candidates(prepared: PreparedGraph, attack: PromptAttack, own: torch.Tensor | None = None) -> torch.Tensor:
    """(T,) int64 private nodes, ascending: uniformly drawn, all of `own` (n,) among them.

    If `own` are so many nodes of each class, uniformly drawn, then given all candidates and their classes,
    each choice of so many of each class is as likely to be `own` as any other.
    """
    pool = prepared.private_nodes.numpy()
    first = np.empty(0, dtype=np.int64) if own is None else own.numpy()
    rest = np.setdiff1d(pool, first)
    if len(pool) < attack.targets or len(first) > attack.targets:
        raise ValueError(
            f"{attack.targets} targets must be private nodes, of which there are {len(pool)}, and hold all "
            f"{len(first)} shots"
        )
    chosen = stream(attack.seed, "attack/candidates").choice(rest, attack.targets - len(first), replace=False)
    return torch.from_numpy(np.sort(np.concatenate([first, chosen])))


def drawn(labels: NDArray[np.int64], attack: PromptAttack) -> tuple[Bools, Bools]:
    """Who is in which prompt: of the attacked ones (A, T), and of the shadow prompts (R, T).

    labels: (T,) of the candidates. All rows have as many members. Each candidate is in `pairs` shadow prompts
    at least, and out of as many. Raises `ValueError` where a class has less than twice the shots, with
    `each_class`.
    """
    k = attack.shots
    groups = [np.flatnonzero(labels == own) for own in np.unique(labels)] if attack.each_class else [
        np.arange(len(labels))
    ]  # fmt: skip
    smallest = min(map(len, groups))
    if smallest < 2 * k:
        raise ValueError(f"each class must have twice the {k} shots among the targets (one has {smallest})")
    prompts = max(-(-attack.pairs * len(group) // k) for group in groups)
    coins, dealt = stream(attack.seed, "attack/targets"), stream(attack.seed, "attack/shadows")
    members = np.zeros((attack.repetitions, len(labels)), dtype=np.bool_)
    shadows = np.zeros((prompts, len(labels)), dtype=np.bool_)
    for group in groups:
        members[:, group] = independent(attack.repetitions, len(group), k, coins)
        shadows[:, group] = balanced(prompts, len(group), k, dealt)
    return members, shadows


def judged(
    nodes: NDArray[np.int64], labels: NDArray[np.int64], members: Bools, shadow_members: Bools, said: Array
) -> PromptMembership:
    """Scores from what A attacked and R shadow prompts say, (A + R, T + Z): of the T candidates, then of Z
    nodes on which no prompt was tuned, whom rmia compares with. members: (A, T); shadow_members: (R, T)."""
    attacked, targets = members.shape
    asked, strangers = said[:attacked, :targets], said[:attacked, targets:]
    shadows = Shadows(signals=said[attacked:, :targets], members=shadow_members)
    apart = said[attacked:, targets:]
    scores = {
        "threshold": [threshold(row) for row in asked],
        "lira": [lira(row, shadows) for row in asked],
        "lira-offline": [lira(row, shadows, online=False) for row in asked],
        "rmia": [rmia(row, shadows, others, apart) for row, others in zip(asked, strangers, strict=True)],
        "bavaria": [bavaria(row, shadows) for row in asked],
    }
    return PromptMembership(
        nodes=nodes,
        labels=labels,
        members=members,
        target_signals=asked,
        shadows=shadows,
        scores={name: np.stack(rows) for name, rows in scores.items()},
    )
