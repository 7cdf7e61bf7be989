"""Training the models of an attack, and asking them: the signals that every membership attack reads.

Models differ in who trains, in their seeds and in their noise, and in nothing else: graph, options,
validation nodes and the number of training nodes are the run's own. A method that trains members together
does so here. Noise is as secret as a run's, since the run's private data are trained on. Needs torch.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import torch

from privgraph.attacks.drawing import TOGETHER, balanced, fewest, independent
from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.attacks.signals import Array, Bools, Shadows, on_one_scale, scaled_confidence
from privgraph.data.digest import graph_digest
from privgraph.data.graph import Graph
from privgraph.data.splits import with_training
from privgraph.home import home
from privgraph.methods.keys import run_keys
from privgraph.methods.outsider import Outsider, Parts
from privgraph.methods.training import Context, Member
from privgraph.options import OptionError
from privgraph.program import program
from privgraph.progress import Progress, Result
from privgraph.registry import method
from privgraph.streams import derived_key, noise_key, stream, stream_seed

FEWEST_NODES = 10
"""A side of fewer nodes is not worth an attack."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Asked:
    """What the models say, M of them: first those that are attacked, then the shadow models.

    nodes: (T,) numbers of the targets, all nodes that may train. signals: (M, T, W) scaled confidences, one
    for each of the `ways` of asking. members: (M, T). strangers: (M, Z, W) signals of the validation nodes,
    on which no model was trained. accuracies: (M,) of each model on its own targets that did not train.
    """

    nodes: np.ndarray
    signals: Array
    members: Bools
    strangers: Array
    accuracies: Array
    ways: tuple[str, ...]
    targets: int

    def chosen(self, ways: Sequence[str]) -> tuple[Array, Array]:
        """Signals (M, T, Q) and strangers' (M, Z, Q) for these ways of asking."""
        places = [self.ways.index(way) for way in ways]
        return self.signals[:, :, places], self.strangers[:, :, places]

    def compared(self, ways: Sequence[str], row: int, *, scaled: bool) -> tuple[Array, Shadows]:
        """The signals (T, Q) of an attacked model, and the shadow models; `scaled` puts all on one scale."""
        signals, _ = self.chosen(ways)
        if scaled:
            signals = on_one_scale(signals)
        return signals[row], Shadows(signals=signals[self.targets :], members=self.members[self.targets :])


def ask(subject: Attacked, options: AttackOptions, *, shadows: bool = True) -> Iterator[Progress | Asked]:
    """Train the models, tell how far it is, and end with what they say; kept answers are read instead.

    Without `shadows`, none but the attacked models are trained, and these are not kept. Raises
    `OptionError` where the graph has too few nodes that train or test, where that many shadow models cannot
    leave out each node often enough, or where the method does not answer.
    """
    yield Progress(step=0, total=1, stage="loading data")
    graph: Graph = subject.graph()
    place = None if subject.folder is None else subject.folder / f"{_digest(subject, options, graph)}.npz"
    if place is not None and (kept := _read(place)) is not None and _is_of(kept, subject, graph):
        yield kept
        return
    if method(subject.method).own_parts:
        events = _taught(subject, options, graph, shadows=shadows)
    else:
        events = _drawn(subject, options, graph, place if shadows else None, shadows=shadows)
    for event in events:
        if isinstance(event, Asked) and place is not None and shadows:
            _write(event, place)
        yield event


def _drawn(
    subject: Attacked, options: AttackOptions, graph: Graph, place: Path | None, *, shadows: bool
) -> Iterator[Progress | Asked]:
    """Where training nodes are those of the graph: they are drawn here, for each model. What each stack says
    is kept beside the `place` until all of them are there, so that an attack that was stopped goes on."""
    pool = (graph.train_mask | graph.test_mask).nonzero().squeeze(1)
    own = graph.train_mask[pool].numpy()
    count = int(own.sum())
    if min(count, len(own) - count) < FEWEST_NODES:
        raise OptionError(
            f"an attack needs at least {FEWEST_NODES} nodes that train and {FEWEST_NODES} that test (the run has "
            f"{count} and {len(own) - count})"
        )
    least = fewest(len(own), count, online=True)
    if shadows and options.shadows < least:
        raise OptionError(
            f"{options.shadows} shadow models are too few: with {count:,} of {len(own):,} nodes training, each node is "
            f"with two of them and left out of two from {least} on"
        )
    others = independent(options.targets - 1, len(own), count, stream(options.seed, "attack/targets"))
    beside = balanced(options.shadows * shadows, len(own), count, stream(options.seed, "attack/shadows"))
    members = np.concatenate([own[None], others, beside])
    found: list[Asked] = []
    kept: list[Path] = []
    for start in range(0, len(members), TOGETHER):
        chunk = range(start, min(start + TOGETHER, len(members)))
        if place is not None:
            kept.append(place.with_suffix(f".from-{start}.npz"))
            there = _read(kept[-1])
            if there is not None and np.array_equal(there.members, members[chunk.start : chunk.stop]):
                found.append(there)
                continue
        graphs = [
            with_training(
                graph, pool[torch.from_numpy(members[row])], pool[torch.from_numpy(~members[row])], subject.split
            )
            for row in chunk
        ]
        made = _members(subject, options, graphs, chunk)
        yield from _train(subject, made, chunk.start, len(members))
        found.append(_answers(subject, graph, pool, members[chunk.start : chunk.stop], made))
        if kept:
            _write(found[-1], kept[-1])
    parts = {name: np.concatenate([getattr(one, name) for one in found]) for name in _STACKED}
    yield Asked(nodes=pool.numpy(), ways=found[0].ways, targets=options.targets, **parts)
    for one in kept:
        one.unlink(missing_ok=True)


def _taught(subject: Attacked, options: AttackOptions, graph: Graph, *, shadows: bool) -> Iterator[Progress | Asked]:
    """Where a method draws itself whom it learns from: by the run's draw first, then by draws of each model's
    own.

    Everything else that is drawn in public, such as the network that all stand on, is the run's own. Targets
    are all who may be drawn; some of them may be among too few shadow models, or left out of too few, and are
    left out of the attack: which these are depends on shadow models alone.
    """
    models = options.targets + options.shadows * shadows
    made: list[Member[Any]] = []
    parts: list[Parts] = []
    while len(made) < models:
        # the run's own draw goes first, by itself: it tells whether there is anybody to compare with
        chunk = range(len(made), min(len(made) + TOGETHER, models) if made else 1)
        together = _members(subject, options, [graph] * len(chunk), chunk, own_draws=True)
        yield from _train(subject, together, chunk.start, models)
        made += together
        parts += [_parts(subject, one) for one in together]
    pool = torch.cat([parts[0].taught, parts[0].spared]).sort().values
    members = np.stack([torch.isin(pool, one.taught).numpy() for one in parts])
    beside = members[options.targets :]
    often = np.minimum(beside.sum(0), (~beside).sum(0)) >= 2 if shadows else np.ones(len(pool), dtype=np.bool_)
    if any(min(row[often].sum(), (~row[often]).sum()) < FEWEST_NODES for row in members[: options.targets]):
        raise OptionError(f"{options.shadows} shadow models are too few: hardly a node is with two and left out of two")
    pool, members = pool[torch.from_numpy(often)], members[:, often]
    found = _answers(subject, graph, pool, members, made, strangers=parts[0].judged)
    yield replace(found, targets=options.targets)


_STACKED = ("signals", "members", "strangers", "accuracies")


def _parts(subject: Attacked, member: Member[Any]) -> Parts:
    """Whom a model has learnt from, and who might have been drawn.

    Raises `OptionError` where it does not say, or where these are too few.
    """
    parts = None if member.context.outsider is None else member.context.outsider.parts
    if parts is None:
        raise OptionError(f"with these options, {subject.method} does not say whom it has learnt from")
    if min(len(parts.taught), len(parts.spared)) < FEWEST_NODES:
        raise OptionError(
            f"an attack needs at least {FEWEST_NODES} nodes that are learnt from and {FEWEST_NODES} that might have "
            f"been (the run has {len(parts.taught):,} and {len(parts.spared):,}): fewer teachers or shots leave "
            "nodes out"
        )
    return parts


def _members(
    subject: Attacked, options: AttackOptions, graphs: Sequence[Graph], chunk: range, *, own_draws: bool = False
) -> list[Member[Any]]:
    """The models of these rows. Row 0 is the run once more, with noise of its own.

    `own_draws`: the method draws whom it learns from, by secret streams that runs share; each row but the
    first has other ones, and all have the run's seed.
    """
    device = torch.device(subject.device)
    texts = [f"attack/{subject.run}/{options}/{chunk}/{row}" for row in chunk]
    made = []
    for row, own, key in zip(chunk, graphs, run_keys(noise_key(home()), texts, graphs, device.type), strict=True):
        seed, shared = subject.seed, key.shared
        if row and own_draws:
            shared = derived_key(key.noise, "attack", "draws")
        elif row:
            seed = stream_seed(options.seed, f"attack/model/{row}") % 2**31
        context = Context(seed=seed, noise_key=key.noise, shared_key=shared, device=device, outsider=Outsider())
        made.append(Member(config=subject.config, plan=subject.config.plan(own.facts), graph=own, context=context))
    return made


def _train(subject: Attacked, made: Sequence[Member[Any]], first: int, models: int) -> Iterator[Progress]:
    """Train these of `models` models together, as far as memory allows; `first` is the first one's number."""
    entry = method(subject.method).load_train()
    room = psutil.virtual_memory().available / 2**20
    size = max(1, min(len(made), int(room // max(1.0, made[0].plan.memory_mb))))
    for start in range(0, len(made), size):
        together = made[start : start + size]
        shares, before = [0.0] * len(together), first + start
        for index, event in entry(together):
            if isinstance(event, Progress):
                shares[index] = event.step / max(1, event.total)
            elif isinstance(event, Result):
                shares[index] = 1.0
            if isinstance(event, Progress):
                last = before + len(together)
                several = f"models {before + 1} to {last} of {models}"
                stage = several if len(together) > 1 else f"model {last} of {models}"
                yield Progress(step=int(1000 * (before + sum(shares))), total=1000 * models, stage=stage)


def _answers(
    subject: Attacked,
    graph: Graph,
    pool: torch.Tensor,
    members: Bools,
    made: Sequence[Member[Any]],
    strangers: torch.Tensor | None = None,
) -> Asked:
    """What these models say of the pool, and of `strangers` (the validation nodes), who train in none.

    A model's accuracy is that on the strangers that are given, else on its own targets that did not train.
    """
    ways = method(subject.method).asked
    apart = graph.val_mask.nonzero().squeeze(1) if strangers is None else strangers
    labels = graph.y.numpy()
    signals, elsewhere, right = [], [], []
    for one, row in zip(made, members, strict=True):
        outsider = one.context.outsider
        assert outsider is not None
        if set(outsider.logits) != set(ways):
            raise OptionError(f"with these options, {subject.method} does not say what its model answers of every node")
        logits = [outsider.logits[way].double().numpy() for way in ways]
        said = np.stack([scaled_confidence(values, labels) for values in logits], axis=-1)
        signals.append(said[pool])
        elsewhere.append(said[apart])
        judged = pool[torch.from_numpy(~row)] if strangers is None else strangers
        right.append(float((logits[0].argmax(1)[judged] == labels[judged]).mean()))
    return Asked(
        nodes=pool.numpy(),
        signals=np.stack(signals),
        members=members,
        strangers=np.stack(elsewhere),
        accuracies=np.array(right),
        ways=ways,
        targets=0,
    )


def _digest(subject: Attacked, options: AttackOptions, graph: Graph) -> str:
    """Of all that the models depend on, under a key of this machine: it names a file beside private data."""
    key = noise_key(home())
    text = (repr(subject.config), subject.split, str(subject.seed), str(options.shadows), str(options.targets),
            str(options.seed), subject.device, program())  # fmt: skip
    named = derived_key(key, "attack", *text, graph_digest(graph, derived_key(key, "data")))
    return hashlib.sha256(named).hexdigest()[:32]


def _is_of(kept: Asked, subject: Attacked, graph: Graph) -> bool:
    """Whether kept answers name the run's own training nodes: from which coins a bound follows is not read
    from a file. (Whom a method has drawn itself only its training tells.)"""
    if method(subject.method).own_parts:
        return True
    pool = (graph.train_mask | graph.test_mask).nonzero().squeeze(1)
    own = graph.train_mask[pool].numpy()
    return np.array_equal(kept.nodes, pool.numpy()) and np.array_equal(kept.members[0], own)


def _write(asked: Asked, place: Path) -> None:
    """All or nothing: a reader never sees half of it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = place.with_suffix(f".{os.getpid()}.npz")
    np.savez_compressed(
        draft, allow_pickle=False, **{one.name: np.asarray(getattr(asked, one.name)) for one in fields(asked)}
    )
    draft.replace(place)


def _read(place: Path) -> Asked | None:
    try:
        with np.load(place, allow_pickle=False) as held:
            arrays = {one.name: held[one.name] for one in fields(Asked)}
    except FileNotFoundError:
        return None
    ways, targets = tuple(map(str, arrays.pop("ways"))), int(arrays.pop("targets"))
    return Asked(ways=ways, targets=targets, **arrays)
