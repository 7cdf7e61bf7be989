"""What an observer saw, held against the ledger entry by entry, and against what the statement says.

Every complaint names the kind of fault that it is of:

- ledger: what was written is not what was planned; noise: an entry of the ledger without noise of its own,
  noise of another law or scale than its entry's, or noise that no entry pays for; count: a gradient that is
  counted, and of which nothing went out, as of a sample in which nobody was; rate: the same of samples and
  their coins;
- unused: a release that comes out as something else, and what goes out of the run stays as it was;
- reuse: two streams of the same words; key: something random that another key leaves as it is, or that the
  public seed moves;
- quantity: noise on something for which its sensitivity was not proved;
- choice: what is made of releases still tells two datasets apart that differ in nothing but what is private;
  epoch: the weights that go out are not those of the last epoch, and the statement says that they are;
- folder: files that nobody announced or that the statement does not name.
"""

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from tests.observer.cases import SEED, Case, other_dataset, private_nodes
from tests.observer.trace import DEVIATION, EDGES, SPHERICAL, Array, Release, Stream, Trace, observed
from tests.planted.planting import swapped
from tests.torch_threads import threads

from privgraph import streams
from privgraph.data.graph import Graph
from privgraph.mechanisms.randomised_response import pair_codes, pair_count
from privgraph.methods.training import Context, train_one
from privgraph.options import OptionError
from privgraph.privacy.events import Atoms, Nothing, PoissonSampled, PureDP, RandomizedResponse, Repeated, SampledOnce
from privgraph.privacy.kinds import OF_GRADIENTS, Neighbours
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import ASSUME_LAST_EPOCH
from privgraph.progress import Artifact, Metric, Result
from privgraph.registry import METHODS
from privgraph.runs.final_statement import LedgerMismatch, final_statement

KEYS = (b"the key of one installation", b"the key of another, far away")

WIDER = 1.01
"""Noise may be this much larger than its entry says: margins for rounding."""

STRAY = 0.25
"""How far measured deviations may lie from their entries': 2/3 and 3/2 of them are beyond."""

FEW = 60
"""Fewer numbers have no deviation worth measuring; the scale that they were drawn with still counts."""

FEW_AT_ONCE = 3
"""So few releases of a stream come out as something else at once; of more, half of them."""

SURE = 5.0
"""Standard deviations by which a share may differ from its chance."""


@dataclass(frozen=True)
class Complaint:
    """A kind of fault, and what was seen."""

    kind: str
    seen: str


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A run that is over: what was drawn, told, learnt and left in its folder."""

    case: Case
    graph: Graph
    trace: Trace
    statement: PrivacyStatement
    ledger: tuple[LedgerEntry, ...]
    events: list[Any]
    learnt: list[Array]
    files: dict[str, dict[str, Array]]

    @property
    def titles(self) -> dict[str, str]:
        return {event.name: event.title for event in self.events if isinstance(event, Artifact)}

    @property
    def released(self) -> dict[str, dict[str, Array]]:
        """The files that may go out."""
        return {
            name: held
            for name, held in self.files.items()
            if not self.titles.get(name, "").endswith("(not for release)")
        }


def watch(
    case: Case,
    dataset: Graph,
    *,
    key: bytes = KEYS[0],
    forged: bool = False,
    turned: Collection[int] = (),
    salt: str = "",
    seed: int = SEED,
) -> Seen:
    """Train once, under an observer. `salt` changes public streams, but for splits and pre-training."""
    config = case.config()
    statement = config.plan(dataset.facts).statement
    public = streams.stream_seed

    def salted(seed: int, name: str) -> int:
        fixed = name.startswith(("split/", "init/backbone", "init/decomposition"))
        return public(seed, name if fixed else name + salt)

    with (
        TemporaryDirectory() as place,
        threads(1),  # small sums are done sooner by one than by several that wait for each other
        swapped(public, salted),
        observed(forged=forged, turned=turned) as trace,
    ):
        context = Context(seed=seed, noise_key=key, folder=Path(place))
        events = list(train_one(METHODS[case.method].load_train(), config, dataset, context))
        files = {path.name: _arrays(path) for path in sorted(Path(place).rglob("*")) if path.is_file()}
    return Seen(
        case=case,
        graph=dataset,
        trace=trace,
        statement=statement,
        ledger=context.ledger.entries,
        events=events,
        learnt=trace.learnt(),
        files=files,
    )


def _arrays(path: Path) -> dict[str, Array]:
    if path.suffix != ".npz":
        return {"": np.frombuffer(path.read_bytes(), dtype=np.uint8)}
    with np.load(path) as held:
        return {name: held[name] for name in held.files}


def complaints(case: Case, kinds: str = "alone turned keys datasets") -> list[Complaint]:
    """All that is wrong with a run: `alone`, with releases `turned` into others, under other `keys`, in other
    `datasets`."""
    faults = []
    own = case.graph
    seen = watch(case, own)
    if "alone" in kinds:
        faults += alone(seen)
    if "turned" in kinds:
        faults += unused(seen)
    if "keys" in kinds:
        faults += keyed(seen, watch(case, own, key=KEYS[1]))
    if "datasets" in kinds:
        here, there = (
            watch(case, dataset, forged=True, salt="salted") for dataset in (own, other_dataset(own, case.config()))
        )
        faults += [*public_apart(seen, here), *datasets_alike(here, there)]
    return faults


def alone(seen: Seen) -> list[Complaint]:
    """What one run shows by itself."""
    return [
        *_ledger(seen),
        *_noise(seen),
        *_rates(seen),
        *_reuse(seen),
        *_quantities(seen),
        *last_epoch(seen),
        *_folder(seen),
    ]


# Noise and samples, entry by entry


def _ledger(seen: Seen) -> Iterator[Complaint]:
    try:
        final_statement(seen.statement, Ledger(seen.ledger))
    except LedgerMismatch as error:
        yield Complaint("ledger", str(error))


def _noise(seen: Seen) -> Iterator[Complaint]:
    streams_left = _noisy(seen.trace)
    for entry in sorted(seen.statement.ledger, key=lambda one: one.noise_std is None):
        if isinstance(entry.event, Nothing):
            continue
        own = next((number for number, releases in streams_left.items() if _pays(entry, releases)), None)
        if own is None:
            drawn = "; ".join(_told(seen.trace, releases) for releases in streams_left.values())
            yield Complaint(
                "noise", f"{entry.mechanism}, {entry.stage}: no stream has noise of {entry.noise_std} ({drawn})"
            )
            continue
        releases = streams_left.pop(own)
        if entry.kind in OF_GRADIENTS and len(releases) != entry.count:
            yield Complaint("count", f"{entry.stage}: {len(releases)} gradients of {entry.count} that are paid for")
        yield from _scale(entry, releases, seen.graph)
    for releases in streams_left.values():
        yield Complaint("noise", f"no entry of its own pays for {_told(seen.trace, releases)}")


def _noisy(trace: Trace) -> dict[int, list[Release]]:
    found: dict[int, list[Release]] = {}
    for release in trace.releases:
        found.setdefault(release.stream, []).append(release)
    return found


def _told(trace: Trace, releases: list[Release]) -> str:
    scales = sorted({drawn for release in releases for drawn in release.drawn})
    laws = ", ".join(f"{kind} noise of scale {scale:.4g}" for kind, scale in scales) or releases[0].kind
    return f"{trace.streams[releases[0].stream].name}: {laws}"


def _pays(entry: LedgerEntry, releases: list[Release]) -> bool:
    """Whether all noise has the scale that the entry says; sums that are rounded need a little more."""
    if entry.noise_std is None:
        wanted = EDGES if isinstance(entry.event, RandomizedResponse) else None
        return isinstance(entry.event, PureDP) or all(release.kind == wanted for release in releases)
    if len(releases) > entry.count or any(release.before is None for release in releases):
        return False
    for release in releases:
        least = entry.noise_std * (1 + 2.0**-8 if _rounded(release) else 1)
        for kind, scale in release.drawn:
            if not least * (1 - 1e-9) <= scale * DEVIATION.get(kind, math.nan) <= least * WIDER:
                return False
        if release.kind == SPHERICAL or not release.drawn:
            return False
    return True


def _rounded(release: Release) -> bool:
    """Whether numbers are inexact sums in single precision; sums of rows are multiples of 2^-13."""
    grains = release.before * np.float32(2**13)
    return release.before.dtype == np.float32 and bool((grains != np.rint(grains)).any())


def _scale(entry: LedgerEntry, releases: list[Release], dataset: Graph) -> Iterator[Complaint]:
    """What came out less what went in, in units of what is released."""
    if entry.noise_std is None:
        for release in releases:
            if release.kind == EDGES:
                yield from _answers(entry, release, dataset)
        return
    added = np.concatenate([release.added for release in releases])
    ratio = float(added.std()) / entry.noise_std
    if added.size >= FEW and abs(ratio - 1) > STRAY:
        yield Complaint("noise", f"{entry.mechanism}, {entry.stage}: {ratio:.2f} times the noise of the ledger")
    if added.size < FEW and float(np.abs(added).max()) > 12 * entry.noise_std:
        yield Complaint("noise", f"{entry.mechanism}, {entry.stage}: noise of {np.abs(added).max():.3g}")


def _answers(entry: LedgerEntry, release: Release, dataset: Graph) -> Iterator[Complaint]:
    """Shares of true and of invented edges, against the chances that were paid for."""
    assert release.before is not None
    assert release.after is not None
    nodes = dataset.facts.entities[0] if dataset.texts else dataset.num_nodes
    reports = (release.before, release.after)
    if dataset.texts:  # relations are listed once
        reports = tuple(
            np.concatenate([pairs, pairs[::-1]], 1) if (pairs[0] < pairs[1]).all() else pairs for pairs in reports
        )
    joined, reported = (pair_codes(edges, nodes, dataset.undirected) for edges in reports)
    apart = pair_count(nodes, dataset.undirected) - len(joined)
    kept = float(np.isin(joined, reported).mean())
    invented = float(np.isin(reported, joined, invert=True).sum()) / apart
    chances = (kept, invented)
    if isinstance(entry.event, RandomizedResponse):
        chances = entry.event.one_to_one, entry.event.zero_to_one
    spread = [math.sqrt(max(p * (1 - p), 1e-4) / of) for p, of in zip(chances, (len(joined), apart), strict=True)]
    seen = f"{entry.mechanism}, {entry.stage}: {kept:.4f} of the edges kept, {invented:.5f} of the others invented"
    if isinstance(entry.event, RandomizedResponse):
        away = abs(kept - chances[0]) / spread[0], abs(invented - chances[1]) / spread[1]
        if max(away) > SURE:
            yield Complaint("noise", seen)
    elif isinstance(entry.event, PureDP):
        least = math.log(max(kept - SURE * spread[0], 1e-9) / (invented + SURE * spread[1]))
        if least > entry.event.epsilon:
            yield Complaint("noise", f"{seen}: epsilon {least:.2f} at least for {entry.event.epsilon:.2f}")


def _rates(seen: Seen) -> Iterator[Complaint]:
    tossed = [stream for stream in seen.trace.streams if stream.tosses]
    config = seen.case.config()
    private = private_nodes(seen.graph, config)
    crowds = {seen.graph.facts.train_nodes, int(private.sum())}
    crowds |= {int(seen.graph.train_mask.sum()), int((private & seen.graph.present).sum())}
    crowds |= set(seen.graph.facts.relations)
    for entry in seen.statement.ledger:
        if entry.sampling_rate is None:
            continue
        own = next((one for one in tossed if _samples(one, entry.sampling_rate, crowds, entry.count)), None)
        if own is None:
            coins = "; ".join(_coins(stream) for stream in tossed)
            yield Complaint(
                "rate", f"{entry.mechanism}, {entry.stage}: no {entry.count} samples at {entry.sampling_rate} ({coins})"
            )
            continue
        tossed.remove(own)
        yield from _share(own, entry.sampling_rate)
    for stream in tossed:
        if not stream.name.startswith("sampling/dropout"):
            yield Complaint("rate", f"no entry of its own pays for {_coins(stream)}")


def _samples(stream: Stream, rate: float, crowds: set[int], most: int) -> bool:
    """Whether coins of this chance alone were tossed, for a whole crowd, no more often than is counted."""
    tosses = stream.tosses.get(rate, 0)
    return len(stream.tosses) == 1 and any(0 < tosses <= most * crowd and tosses % crowd == 0 for crowd in crowds)


def _coins(stream: Stream) -> str:
    return f"{stream.name}: " + ", ".join(f"{count} coins of {chance:.4g}" for chance, count in stream.tosses.items())


def _share(stream: Stream, rate: float) -> Iterator[Complaint]:
    tosses = stream.tosses[rate]
    share, spread = stream.heads[rate] / tosses, math.sqrt(rate * (1 - rate) / tosses)
    if abs(share - rate) > SURE * spread:
        yield Complaint("rate", f"{stream.name}: {share:.3f} of {tosses} coins came up, for a rate of {rate:.3f}")


# What becomes of releases


def unused(seen: Seen) -> Iterator[Complaint]:
    """Of each stream of noise: what it released comes out as something else, and so must what goes out."""
    steps = {step for one in seen.trace.optimisers for step in one.at}
    for stream, numbers in _numbered(seen.trace).items():
        name = seen.trace.streams[stream].name
        gradients = any(_of_gradients(entry, seen, numbers) for entry in seen.statement.ledger)
        if gradients and steps and not {number + 1 for number in numbers} <= steps:
            yield Complaint("unused", f"{name}: a gradient is released, and nothing learns from it")
        half = len(numbers) // 2 if len(numbers) > FEW_AT_ONCE else 0
        for turned in [numbers[-1:]] if gradients else [numbers[:half], numbers[half:]]:
            if turned and _alike(seen, _turned(seen, turned)):
                yield Complaint("unused", f"{name}: what is released is the same, whatever came out of {len(turned)}")


def _turned(seen: Seen, turned: list[int]) -> Seen | None:
    """The run in which these come out as something else; None where nothing goes out then."""
    try:
        return watch(seen.case, seen.graph, turned=turned)
    except OptionError:  # no query passes a gate
        return None


def _numbered(trace: Trace) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for number, release in enumerate(trace.releases):
        found.setdefault(release.stream, []).append(number)
    return found


def _of_gradients(entry: LedgerEntry, seen: Seen, numbers: list[int]) -> bool:
    return entry.kind in OF_GRADIENTS and _pays(entry, [seen.trace.releases[number] for number in numbers])


def _alike(here: Seen, there: Seen | None) -> bool:
    """Whether nothing that goes out has changed: weights, files and an epsilon that is told."""
    if there is None:
        return False
    told, other = ([(one.name, one.value) for one in _costs(seen)] for seen in (here, there))
    files, others = (
        [array for _, held in sorted(seen.released.items()) for _, array in sorted(held.items())]
        for seen in (here, there)
    )
    return told == other and _equal(here.learnt, there.learnt) and _equal(files, others)


def _costs(seen: Seen) -> Iterator[Metric]:
    for event in seen.events:
        if isinstance(event, Metric) and not event.evaluator and event.name.startswith("epsilon"):
            yield event


# Streams and keys


def _reuse(seen: Seen) -> Iterator[Complaint]:
    """Samples that runs share on purpose may be read again from their start; noise never."""
    known: dict[tuple[int, ...], str] = {}
    for stream in seen.trace.streams:
        if not stream.first:
            continue
        before = known.setdefault(stream.first, stream.name)
        again = stream.name == before and stream.name.startswith("sampling/")
        if not again and seen.trace.streams[_first_with(seen.trace, stream.first)] is not stream:
            yield Complaint("reuse", f"{before} and {stream.name} are the same words")


def _first_with(trace: Trace, words: tuple[int, ...]) -> int:
    return next(number for number, stream in enumerate(trace.streams) if stream.first == words)


def keyed(seen: Seen, other: Seen) -> Iterator[Complaint]:
    """The same run under another key: every word is another, and so is what is learnt from releases."""
    words = {stream.first: stream.name for stream in other.trace.streams if stream.first}
    for stream in seen.trace.streams:
        if stream.first in words:
            yield Complaint("key", f"{stream.name} is the same under another key")
    if _noisy(seen.trace) and seen.learnt and _equal(seen.learnt, other.learnt):
        yield Complaint("key", "what is learnt from releases is the same under another key")


def public_apart(seen: Seen, salted: Seen) -> Iterator[Complaint]:
    """The same key with other public numbers: no word of a secret stream has changed."""
    for here, there in zip(seen.trace.streams, salted.trace.streams, strict=False):
        if here.name == there.name and any(one != other for one, other in zip(here.first, there.first, strict=False)):
            yield Complaint("key", f"{here.name} depends on what everybody knows")


def _equal(here: list[Array], there: list[Array]) -> bool:
    return len(here) == len(there) and all(
        np.array_equal(one, other, equal_nan=one.dtype.kind == "f") for one, other in zip(here, there, strict=True)
    )


# What got noise, and what was made of it


def _quantities(seen: Seen) -> Iterator[Complaint]:
    for entry in seen.statement.ledger:
        for releases in _noisy(seen.trace).values():
            if entry.noise_std is None or not _pays(entry, releases):
                continue
            rows = [np.asarray(release.before, dtype=np.float64) for release in releases]
            if isinstance(_innermost(entry), Atoms) and not all(_chances(row) for row in rows):
                yield Complaint("quantity", f"{entry.mechanism}: noise on what is no probability")
            if seen.statement.neighbours is Neighbours.REPLACED_RECORD and entry.sampling_rate is None:
                longest = max(_longest(row, seen.graph.num_nodes) for row in rows)
                if 2 * longest > (entry.sensitivity or 0):
                    yield Complaint(
                        "quantity",
                        f"{entry.mechanism}, {entry.stage}: a node's own row of length {longest:.2f} may turn round, "
                        f"and the sensitivity is {entry.sensitivity:.2f}",
                    )


def _innermost(entry: LedgerEntry) -> object:
    event: object = entry.event
    while isinstance(event, PoissonSampled | SampledOnce | Repeated):
        event = event.event
    return event


def _chances(rows: Array) -> bool:
    return bool((rows >= 0).all() and np.allclose(rows.sum(axis=-1), 1))


def _longest(table: Array, nodes: int) -> float:
    """The norm of the longest row, where there is one for each node."""
    if table.ndim != 2 or nodes not in table.shape:
        return 0.0
    return float(np.linalg.norm(table, axis=1 - table.shape.index(nodes)).max())


def datasets_alike(here: Seen, there: Seen) -> Iterator[Complaint]:
    """Two datasets that differ in what is private, and in which nothing but noise was released."""
    if not _equal(here.learnt, there.learnt):
        yield Complaint("choice", "weights that go out depend on what is private other than through noise")
    if here.released.keys() != there.released.keys():
        yield Complaint(
            "choice", f"files in one dataset: {sorted(here.released)}, in the other {sorted(there.released)}"
        )
    for name in here.released.keys() & there.released.keys():
        one, other = here.released[name], there.released[name]
        for array in sorted(one.keys() | other.keys()):
            if not (array in one and array in other and _equal([one[array]], [other[array]])):
                yield Complaint("choice", f"{name}: {array} depends on what is private other than through noise")


def another_epoch_was_better(case: Case, seeds: int = 10) -> Seen | None:
    """A run in which an earlier epoch is better by validation accuracy, so that choosing it would show: at a
    rate of learning that overshoots."""
    steep = Case(case.method, case.unit, (*case.changed, ("learning_rate", 0.5)))
    runs = (watch(steep, steep.graph, seed=seed) for seed in range(seeds))
    return next((seen for seen in runs if max(curve(seen)) > curve(seen)[-1]), None)


def last_epoch(seen: Seen) -> Iterator[Complaint]:
    """The accuracy of what goes out is that of the last epoch that was told."""
    if ASSUME_LAST_EPOCH not in seen.statement.assumptions:
        return
    accuracies = curve(seen)
    (result,) = [event for event in seen.events if isinstance(event, Result)]
    if accuracies and not math.isclose(accuracies[-1], result.metrics["val_accuracy"], abs_tol=1e-6):
        yield Complaint(
            "epoch",
            f"accuracy {result.metrics['val_accuracy']:.3f} goes out, and {accuracies[-1]:.3f} was the last epoch's",
        )


def curve(seen: Seen) -> list[float]:
    """The validation accuracies of the last stage, epoch by epoch."""
    told = [event for event in seen.events if isinstance(event, Metric) and event.name == "val_accuracy"]
    return [event.value for event in told if event.stage == told[-1].stage]


def _folder(seen: Seen) -> Iterator[Complaint]:
    if set(seen.files) != set(seen.titles):
        yield Complaint("folder", f"{sorted(seen.files)} lie in the folder, {sorted(seen.titles)} were announced")
    for name in seen.released:
        if Path(name).stem.rstrip("s") not in seen.statement.released:
            yield Complaint("folder", f"{name} is no part of what the statement releases: {seen.statement.released}")
