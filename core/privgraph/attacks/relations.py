"""Which relations was an encoder fine-tuned on? (PvGaLM, section 4.1, Privacy Attacks.) Needs torch.

The attacker knows the texts, the base encoder and the released adapter, and scores a pair of texts by the
likeness of its vectors, or by how much that has grown over the base encoder's. `relations_bavaria` compares
with shadow adapters, which the paper leaves out as too dear.

Whom the paper compares are relations of the training graph and of another domain, which differ in more than
training; it does not say what its Wilcoxon test pairs. Here both sides are relations of the domain that is
learnt from. 2n candidates are drawn, put in order of the base encoder's likeness and paired with their
neighbours in it; of each pair a fair coin of our own keeps one and leaves out the other, and the run is
trained again on what is kept. The test is over these pairs.

Bound on epsilon. Neighbouring datasets: one relation more or less, with texts, batch rate and noise as they
are. To turn one coin is a walk of two of them: one relation comes and another goes. Proof sketch:

1. Whatever the coins say, |E| - n relations are learnt from. So nothing that is set from their number
   (rate, noise, delta) hangs on a coin. (A coin for each candidate by itself would be a walk of one, but the
   rate b/|E'| would then tell how many came up.)
2. Candidates, and which are paired, depend on the data, the base encoder and a seed alone. Given them, the
   coins are fair and independent, so that pairs are canaries of one run (`exchange`), for
   (2 epsilon, delta (1 + e^epsilon)) by group privacy.
3. The attacked training has the run's clip, steps and noise multiplier, and as many relations in a batch as
   keep its rate q' at or below the run's q. Its trade-off is no worse: the divergence of (1 - q) P + q Q from
   P, and of P from it, is convex in q and 0 at q = 0. So what bounds its epsilon from below, at the run's
   delta, bounds the run's. Where no batch is small enough (b < |E| / (|E| - n)), no bound is stated.

Randomised response answers for each pair of texts by itself: its epsilon does not read the number of
relations in step 3, and training after it is post-processing.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from privgraph.attacks import scores
from privgraph.attacks.exchange import exchange_bound
from privgraph.attacks.judging import Implied, Play, judged
from privgraph.attacks.matched import balanced_coins, gaps, kept, matched, signed_rank
from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.attacks.planning import RELATION_STEPS
from privgraph.attacks.record import AttackRecord
from privgraph.attacks.signals import Array, Bools, Shadows, on_one_scale
from privgraph.audits.bounds import shared_confidence
from privgraph.data.graph import Graph
from privgraph.home import home
from privgraph.methods.keys import run_keys
from privgraph.methods.relations.relational.config import Config as RelationalConfig
from privgraph.methods.training import Context, train_one
from privgraph.nn.text.adapters import load_adapter
from privgraph.nn.text.encoder import TextEncoder, load_encoder
from privgraph.options import OptionError
from privgraph.progress import Metric, Progress
from privgraph.registry import attack as attack_spec
from privgraph.registry import method
from privgraph.streams import derived_key, noise_key, stream, stream_seed

Score = Callable[[Array, Array, Bools, int], Array]
"""(2n,) scores of the attacked model of a row, from what all models say (M, 2n), the base encoder's likeness
(2n,), and who was kept (M, 2n)."""

FEWEST = 10
"""Fewer pairs of candidates are not worth an attack."""
MATCHED = (
    "members and others are relations of the domain that is learnt from: each stands beside one that the base encoder "
    "finds about as alike, and a coin of ours left one of the two out"
)
NO_LIST = (
    "relations that are found most easily are not listed; groups are those of the end that has fewer relations, and "
    "exposure is that of a relation of such a text"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidates:
    """2n relations that an attack judges: `pairs` (2, 2n) text numbers, those at 2i and 2i + 1 matched, and
    the `base` encoder's likeness (2n,) of each."""

    pairs: Tensor
    base: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class _Tuned:
    """What the adapter of a training says: the likeness (2n,) of each candidate, and its test accuracy."""

    likeness: Array
    accuracy: float


def relations(subject: Attacked, options: AttackOptions) -> Iterator[Progress | AttackRecord]:
    """The attack of the paper, without shadow models: `options.signal` says what the score is."""

    def score(signals: Array, base: Array, members: Bools, row: int) -> Array:
        return np.asarray(signals[row] - base if options.signal == "gain" else signals[row])

    return _attack("relations", subject, options, score, 0)


def relations_bavaria(subject: Attacked, options: AttackOptions) -> Iterator[Progress | AttackRecord]:
    """The same with shadow adapters: LiRA with a prior on each relation's mean and variance."""

    def score(signals: Array, base: Array, members: Bools, row: int) -> Array:
        said = on_one_scale(signals[:, :, None]) if options.scaled else signals[:, :, None]
        beside = Shadows(signals=said[options.targets :], members=members[options.targets :])
        return scores.bavaria(said[row], beside, online=True)

    return _attack("relations-bavaria", subject, options, score, options.shadows)


def _attack(
    name: str, subject: Attacked, options: AttackOptions, score: Score, shadows: int
) -> Iterator[Progress | AttackRecord]:
    started, spec = time.monotonic(), attack_spec(name)
    refusal = spec.refuses(subject) or spec.unanswered(subject, options)
    if refusal:
        raise OptionError(refusal)
    yield Progress(step=0, total=1, stage="loading data")
    graph: Graph = subject.graph()
    candidates = draw_candidates(subject, options, graph)
    first = _coins(subject, options, candidates.base.size // 2, shadows)
    members, models = kept(first), options.targets + shadows
    config = left_out_config(subject, graph, candidates.base.size // 2)
    tuned: list[_Tuned] = []
    for row, own in enumerate(members):
        given = without_relations(graph, candidates.pairs[:, torch.from_numpy(~own)])
        for event in _train(name, subject, options, config, given, candidates.pairs, row):
            if isinstance(event, _Tuned):
                if not np.isfinite(event.likeness).all():
                    raise ValueError(
                        f"model {row + 1} of {models} has vectors that are not finite, so that nothing can be asked "
                        "of it: trained with this run's options, an encoder may fall apart"
                    )
                tuned.append(event)
            else:
                done = row + event.step / max(1, event.total)
                stage = f"model {row + 1} of {models}: {event.stage}"
                yield Progress(step=int(1000 * done), total=1000 * models, stage=stage)
    signals = np.stack([one.likeness for one in tuned])
    ends = fewer_relations(graph, candidates.pairs)
    plays = [
        Play(
            nodes=ends,
            scores=score(signals, candidates.base, members, row),
            members=members[row],
            accuracy=tuned[row].accuracy,
        )
        for row in range(options.targets)
    ]
    found = implied(subject, options, config, graph, plays[0].scores, first[0])
    ranked = signed_rank(plays[0].scores, first[0])
    told = (
        f"Wilcoxon signed-rank test of the {len(first[0]):,} pairs: p = {ranked:.3g} (two-sided; small where relations "
        "that were learnt from and their partners that were not score differently)"
    )
    notes = (told, MATCHED, *found.notes, NO_LIST)
    record = judged(
        name,
        subject,
        options,
        plays,
        replace(found, notes=notes),
        graph,
        models=models,
        seconds=time.monotonic() - started,
    )
    # a list of nodes would name one end of each relation, and no relation
    yield replace(record, signed_rank=ranked, exposed=(), map_nodes=(), map_edges=())


def draw_candidates(subject: Attacked, options: AttackOptions, graph: Graph) -> Candidates:
    """Of the relations that are learnt from: up to twice `options.candidates`, uniform, matched by the base
    encoder's likeness. Raises `OptionError` where there are fewer than twice `FEWEST`."""
    config = subject.config
    held = graph.relations(config.domain_pair(graph.facts)[0])
    count = min(options.candidates, held.shape[1] // 2)
    if count < FEWEST:
        raise OptionError(f"an attack needs at least {2 * FEWEST} relations in the domain (got {held.shape[1]})")
    drawn = stream(options.seed, "attack/relations/candidates").permutation(held.shape[1])[: 2 * count]
    pairs = held[:, torch.from_numpy(np.sort(drawn))]
    base = likeness(config, load_encoder(config.encoder, torch.device(subject.device)), graph, pairs)
    order = matched(base)
    return Candidates(pairs=pairs[:, torch.from_numpy(order)], base=base[order])


def likeness(config: Any, encoder: TextEncoder, graph: Graph, pairs: Tensor) -> Array:
    """(m,) inner products of the vectors of both texts of each pair (2, m), or cosines, as the run trains."""
    ends, places = torch.unique(pairs, return_inverse=True)
    ids = encoder.tokenize([graph.texts[int(end)] for end in ends], config.max_tokens)
    vectors = encoder.encode(ids).double()
    if config.similarity == "cosine":
        vectors = torch.nn.functional.normalize(vectors, dim=1)
    return np.asarray((vectors[places[0]] * vectors[places[1]]).sum(1).numpy(), dtype=np.float64)


def without_relations(graph: Graph, pairs: Tensor) -> Graph:
    """The graph without these unordered pairs (2, m) of nodes, in whatever direction they are listed."""

    def codes(ends: Tensor) -> Tensor:
        low, high = ends.sort(0).values
        found: Tensor = low * graph.num_nodes + high
        return found

    left = ~torch.isin(codes(graph.edge_index), codes(pairs))
    return replace(graph, edge_index=graph.edge_index[:, left].contiguous(), _cache={})


def left_out_config(subject: Attacked, graph: Graph, out: int) -> Any:
    """The run's options for `out` relations fewer: its noise multiplier as it is, and, where the number of
    relations decides the rate, the largest batch that draws one no more often than the run does (at least
    one)."""
    config = subject.config
    if not isinstance(config, RelationalConfig):
        return config
    count = config.trained_relations(graph.facts)
    if config.unit == "none" or config.published:
        config = replace(config, batch_size=max(1, config.batch_size * (count - out) // count))
    if config.unit == "none":
        return config
    return replace(config, noise_multiplier=subject.config.plan(graph.facts).scale)


def fewer_relations(graph: Graph, pairs: Tensor) -> np.ndarray:
    """(m,) of each pair (2, m), the end that has fewer relations."""
    degrees = np.bincount(graph.edge_index[1].numpy(), minlength=graph.num_nodes)
    ends = pairs.numpy()
    return np.asarray(np.take_along_axis(ends, degrees[ends].argmin(0)[None], axis=0)[0])


def _coins(subject: Attacked, options: AttackOptions, pairs: int, shadows: int) -> Bools:
    """(models, pairs): whether the first of a pair is kept. Attacked models are independent of all others.

    Where the attack takes a turn among the run's audits, the coins of the first are of a key of this machine,
    so that nobody tries seeds beforehand and then plays the best.
    """
    random = stream(options.seed, "attack/relations/coins")
    if subject.turn:
        drawn = derived_key(noise_key(home()), "attack/relations", subject.run, str(subject.turn), repr(options))
        random = np.random.default_rng(int.from_bytes(drawn, "big"))
    attacked = random.random((options.targets, pairs)) < 0.5
    beside = balanced_coins(shadows, pairs, stream(options.seed, "attack/relations/shadows"))
    return np.concatenate([attacked, beside])


def _train(
    name: str, subject: Attacked, options: AttackOptions, config: Any, given: Graph, pairs: Tensor, row: int
) -> Iterator[Progress | _Tuned]:
    """Fine-tune on what is kept, with noise of its own, and ask the adapter that a run would release."""
    on = torch.device(subject.device)
    text = f"attack/{name}/{subject.run}/{subject.turn}/{options}/{row}"
    (key,) = run_keys(noise_key(home()), [text], [given], on.type)
    seed = subject.seed if row == 0 else stream_seed(options.seed, f"attack/model/{row}") % 2**31
    with tempfile.TemporaryDirectory(prefix="privgraph-") as place:
        context = Context(
            seed=seed, noise_key=key.noise, shared_key=key.shared, open=key.open, device=on, folder=Path(place)
        )
        accuracy = 0.0
        for event in train_one(method(subject.method).load_train(), config, given, context):
            if isinstance(event, Progress):
                yield event
            elif isinstance(event, Metric) and event.name == "test_accuracy":
                accuracy = event.value
        encoder = load_encoder(config.encoder, on)
        load_adapter(encoder, Path(place))
    yield _Tuned(likeness=likeness(config, encoder, given, pairs), accuracy=accuracy)


def implied(subject: Attacked, options: AttackOptions, config: Any, graph: Graph, told: Array, first: Bools) -> Implied:
    """What follows for the run's epsilon from the scores (2n,) of matched pairs and their coins (n,)."""
    facts, learnt = graph.facts, subject.config.domain_pair(graph.facts)[0]
    left = tuple(held - len(first) * (number == learnt) for number, held in enumerate(facts.relations))
    private = isinstance(config, RelationalConfig) and config.unit == "edge"
    if private and config.rate(replace(facts, relations=left)) > subject.config.rate(facts):
        note = (
            "no bound on epsilon follows: even with one relation in a batch, the attacked training draws each more "
            "often than the run does"
        )
        return Implied(drawn=True, notes=(note,))
    bound = exchange_bound(
        gaps(told),
        first,
        steps=RELATION_STEPS,
        delta=subject.statement.delta,
        confidence=shared_confidence(options.confidence, subject.turn),
    )
    bare = "" if subject.statement.unit == "edge" else " (this run protects nothing: a step is one relation)"
    note = (
        f"the bound on epsilon is from {len(first):,} pairs of a relation that was kept and one that was left out, by "
        f"a fair coin each: it takes {RELATION_STEPS} steps, each to a neighbouring dataset, to swap the two{bare}"
    )
    return Implied(bound=bound, steps=RELATION_STEPS, drawn=True, notes=(note,))
