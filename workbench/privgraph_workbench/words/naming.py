"""What runs, graphs and settings are called."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress

from privgraph.data.catalogue import DATASETS
from privgraph.data.catalogue import dataset as known_dataset
from privgraph.data.uploads import uploads
from privgraph.options import Scalar, UnknownName
from privgraph.privacy.rounding import upper
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import METHODS
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunRecord
from privgraph.runs.spec import RunSpec
from privgraph_workbench.words.numbers import kept_budget, number
from privgraph_workbench.words.settings import word
from privgraph_workbench.words.statements import merged

NETWORKS = ("network", "conv", "backbone")
"""What methods call the option that chooses their network."""
UPLOAD = "upload:"
"""What the names of uploads begin with; nobody is to read the rest."""
PREC, ACCURACY = "PREC@1", "test accuracy"
"""What the test score of a method is called."""
RELATIONS = "relation prediction"
UNIT_WORDS: Mapping[str, str] = {"edge": "edge-level", "node": "node-level", "none": "not private"}
_encode = json.JSONEncoder(sort_keys=True).encode
"""Made once: a page asks for thousands of settings."""


def method_title(name: str) -> str:
    """The method's name for people; its own name where the table does not know it."""
    return METHODS[name].title if name in METHODS else name


def measure(method: str) -> str:
    """The name of its test score: an accuracy over nodes, or PREC@1 of relations."""
    return PREC if method in METHODS and RELATIONS in METHODS[method].tasks else ACCURACY


def measures(methods: Iterable[str]) -> str:
    """The same of several, each name once; of none an accuracy."""
    return " or ".join(dict.fromkeys(map(measure, methods))) or ACCURACY


def reads_no_edge(name: str) -> bool:
    """Whether the method reads features alone, and so hides every edge."""
    return name in METHODS and not METHODS[name].uses_edges


def data_title(dataset: str) -> str:
    """What people call a graph; its name where nobody knows it."""
    try:
        return known_dataset(dataset).title
    except UnknownName:
        return "an upload that is gone" if dataset.startswith(UPLOAD) else dataset


def titled(dataset: str, graph: str) -> str:
    """A graph's words (`GraphId.words`) with its title for its name."""
    return data_title(dataset) + graph.removeprefix(dataset)


def graph_of(record: RunRecord) -> str:
    """The run's graph in words. Runs on different graphs never share a curve, a panel or a mean: uploads of
    one title are told apart."""
    graph, title = GraphId.of(record.spec), data_title(record.spec.dataset)
    if graph.dataset.startswith(UPLOAD) and sum(one.title == title for one in (*DATASETS.values(), *uploads())) != 1:
        title = f"{title} ({graph.dataset[-4:]})"
    return graph.words(title)


def graph_short(record: RunRecord) -> str:
    """The title of the run's graph alone, with its split where that is not the random one."""
    split = "" if record.spec.split == "random" else f" ({record.spec.split} split)"
    return data_title(record.spec.dataset) + split


def unit_of(record: RunRecord) -> str:
    """The unit that the run protects: what its statement says, else what was asked for."""
    return record.statement.unit if record.statement else record.spec.unit


def budget(record: RunRecord) -> str:
    """What the run guarantees, with what its noise was chosen by where that is something else."""
    noise, epsilon, said = record.spec.noise, record.spec.asked_epsilon, record.statement
    by = f"{noise.symbol} {number(noise.value, 6)}" if noise and noise.value > 0 else UNIT_WORDS["none"]
    if epsilon is not None:
        published = record.spec.options.get("accounting") == "published"
        by = f"ε {epsilon:g} {'as published' if published else 'asked for'}"
    if unit_of(record) == "none" or said is None:
        return by
    if (kept := kept_budget(epsilon, said.epsilon)) is not None:
        return f"ε {kept:g}"
    return f"{'nothing guaranteed' if math.isinf(said.epsilon) else f'ε {upper(said.epsilon)}'} ({by})"


def privacy(record: RunRecord) -> str:
    """Unit and epsilon of a run in a few words; a run without protection that reads no edge hides all."""
    unit = unit_of(record)
    if unit == "none":
        return "protects no person" if reads_no_edge(record.spec.method) else UNIT_WORDS["none"]
    return f"{unit} {budget(record)}"


def options_read(spec: RunSpec) -> dict[str, Scalar]:
    """The run's options, without those that nothing reads: a budget where the noise was given, and every
    option of the guarantee where nothing is protected."""
    unread = set() if spec.asked_epsilon is not None else {"epsilon"}
    unread |= {"delta", "accounting"} if spec.unit == "none" else set()
    return {name: value for name, value in spec.options.items() if name not in unread}


def setting(spec: RunSpec) -> str:
    """All that was asked of the run but seed and device; equal for repetitions of one setting."""
    graph = GraphId.of(spec)
    return _encode([spec.method, (graph.dataset, graph.options, graph.split), options_read(spec)])


def settings_of(records: Iterable[RunRecord]) -> list[list[RunRecord]]:
    """The runs of each setting, in the order of their first; where all are of one, each by itself."""
    groups: dict[str, list[RunRecord]] = {}
    for record in records:
        groups.setdefault(setting(record.spec), []).append(record)
    return [[one] for one in next(iter(groups.values()))] if len(groups) == 1 else list(groups.values())


def variants(records: Sequence[RunRecord], leave_out: Iterable[str] = ()) -> dict[str, str]:
    """For each setting, the options in which it differs from the others of its method, graph and unit. The
    privacy budget or the noise that was given in its place, how it was accounted, and the options of
    `leave_out` are axes of their own and no variant; noise that protects nobody is one."""
    groups: dict[tuple[str, GraphId, str], dict[str, dict[str, Scalar]]] = {}
    for record in records:
        spec = record.spec
        axes = {"epsilon", "accounting", "unit", *leave_out, *([spec.noise.option] if spec.noise else [])}
        loose = {name: word(spec.method, name, one) for name, one in options_read(spec).items() if name not in axes}
        groups.setdefault((spec.method, GraphId.of(spec), unit_of(record)), {})[setting(spec)] = loose
    told = (zip(group, differences(list(group.values())), strict=True) for group in groups.values())
    return {name: said for group in told for name, said in group}


def differences(options: Sequence[Mapping[str, Scalar]]) -> list[str]:
    """The options in which each differs from the others, in words."""
    names = sorted({name for one in options for name in one})
    differing = [name for name in names if len({str(one.get(name)) for one in options}) > 1]
    return [", ".join(f"{name.replace('_', ' ')} {one[name]}" for name in differing if name in one) for one in options]


def describe(record: RunRecord) -> str:
    """What was run: method, graph and privacy. Without the seed, so that it may be shown to anybody."""
    return f"{method_title(record.spec.method)} on {graph_of(record)}, {privacy(record)}"


def labels(records: Sequence[RunRecord], *, whole: bool = False, seeds: bool = True) -> list[str]:
    """A name for each run, distinct: its method; of privacy, seed, variant and graph what differs, or all.
    Without `seeds`, each run stands for all of its setting."""
    differs, several, parts = variants(records), Counter(setting(one.spec) for one in records), []
    for one in records:
        seed = f"seed {one.spec.seed}" * (seeds and (whole or several[setting(one.spec)] > 1))
        parts.append((method_title(one.spec.method), privacy(one), seed, differs[setting(one.spec)], graph_short(one)))
    kept = [place == 0 or whole or len(set(column)) > 1 for place, column in enumerate(zip(*parts, strict=True))]
    names = [", ".join(filter(None, compress(part, kept))) for part in parts]
    times = Counter(names)
    return [f"{name} ({one.id[-4:]})" if times[name] > 1 else name for name, one in zip(names, records, strict=True)]


def statements_of(
    records: Sequence[RunRecord],
    read: Callable[[RunRecord, PrivacyStatement], PrivacyStatement] = lambda _, statement: statement,
) -> dict[str, PrivacyStatement]:
    """The statements of the runs that have one, as `read` has them, by what was run, and a number where the
    repetitions of a setting say different things."""
    differs, held = variants(records), dict[str, list[PrivacyStatement]]()
    for record in records:
        if record.statement is not None:
            label = ", ".join(filter(None, (describe(record), differs[setting(record.spec)])))
            held.setdefault(label, []).append(read(record, record.statement))
    return {
        label + f", statement {place}" * (len(said) > 1): one
        for label, said in ((label, merged(said)) for label, said in held.items())
        for place, one in enumerate(said, start=1)
    }
