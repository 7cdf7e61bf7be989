"""What runs, graphs and results are called, and in which settings runs differ."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from privgraph.data.catalogue import DATASETS
from privgraph.data.catalogue import dataset as known_dataset
from privgraph.data.spec import DatasetSpec
from privgraph.data.uploads import uploads
from privgraph.options import Scalar, UnknownName, parameters
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import METHODS
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunRecord
from privgraph.runs.spec import RunSpec
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import kept_budget, number, upper
from privgraph_workbench.words.settings import word
from privgraph_workbench.words.statements_apart import merged


def made_by(record: RunRecord) -> str:
    """The program that made a run."""
    return f"privgraph {record.version}" if record.version else "a version before 0.5.0"


NETWORKS = ("network", "conv", "backbone")
"""What methods call the option that chooses their network."""
MOST_APART = 2
"""Options that tell namesakes apart in a list of short names; behind them stands the end of the id."""
UPLOAD = "upload:"
"""What the names of uploads begin with; nobody is to read the rest."""
MOST_MOVED = 4
"""Options that the name of a run tells."""
UNIT_WORDS: Mapping[str, str] = {"edge": "edge-level", "node": "node-level", "none": "not private"}
NO_PERSON = "protects no person"
"""Of a run without protection whose method reads no edge: it hides every one of them."""


def method_title(name: str) -> str:
    """The method's name for people; its own name where the table does not know it."""
    return METHODS[name].title if name in METHODS else name


def reads_no_edge(name: str) -> bool:
    """Whether the method reads features alone, and so hides every edge."""
    return name in METHODS and not METHODS[name].uses_edges


def hides_edges_alone(record: RunRecord) -> bool:
    """Whether the run has no guarantee, and hides every edge nevertheless, because none is read."""
    return unit_of(record) == "none" and reads_no_edge(record.spec.method)


def unit_of(record: RunRecord) -> str:
    """The unit that the run protects: what its statement says, else what was asked for."""
    return record.statement.unit if record.statement else record.spec.unit


def graph_of(record: RunRecord) -> str:
    """The run's graph in words, by its title. Runs on different graphs never share a curve, a panel or a
    mean: uploads of one title are told apart."""
    return _graph(GraphId.of(record.spec))


def people_of(record: RunRecord) -> str:
    """Whose data the run read, in words: its graph, however that was split."""
    return _graph(replace(GraphId.of(record.spec), split="random"))


def _graph(graph: GraphId) -> str:
    name = graph.dataset
    title = data_title(name)
    if name.startswith(UPLOAD) and sum(spec.title == title for spec in (*DATASETS.values(), *uploads())) != 1:
        title = f"{title} ({name[-4:]})"
    return graph.words(title)


def nodes_of(record: RunRecord) -> int | None:
    """How many nodes the run's graph has, where that is known without loading it."""
    return GraphId.of(record.spec).nodes


def network_of(record: RunRecord) -> str:
    """How the run's network reads neighbours, in its method's word; "" where the method leaves no choice."""
    options = record.spec.options
    return next((str(options[name]) for name in NETWORKS if name in options), "")


def asked(record: RunRecord) -> str:
    """By what the run's noise was chosen. An epsilon stands bare only where the run's statement keeps it."""
    noise, epsilon = record.spec.noise, record.spec.asked_epsilon
    if noise is not None and noise.value > 0:
        return f"{noise.symbol} {number(noise.value, 6)}"
    if epsilon is None:
        return UNIT_WORDS["none"]
    if record.statement is not None and record.statement.epsilon <= epsilon:
        return f"ε {epsilon:g}"
    return _wanted(record, epsilon)


def budget(record: RunRecord) -> str:
    """What the run guarantees, as its statement says, with what its noise was chosen by where that is
    something else."""
    said, epsilon = record.statement, record.spec.asked_epsilon
    if unit_of(record) == "none" or said is None:
        return asked(record)
    kept = kept_budget(epsilon, said.epsilon)
    if kept is not None:
        return f"ε {kept:g}"
    sound = "nothing guaranteed" if math.isinf(said.epsilon) else f"ε {upper(said.epsilon)}"
    return f"{sound} ({asked(record) if epsilon is None else _wanted(record, epsilon)})"


def _wanted(record: RunRecord, epsilon: float) -> str:
    return f"ε {epsilon:g} {'as published' if record.spec.options.get('accounting') == 'published' else 'asked for'}"


def privacy(record: RunRecord) -> str:
    """Unit and epsilon of a run in a few words."""
    unit = unit_of(record)
    if unit == "none":
        return NO_PERSON if hides_edges_alone(record) else UNIT_WORDS["none"]
    return f"{unit} {budget(record)}"


def _with_privacy(record: RunRecord) -> tuple[str, ...]:
    """Method and privacy; the method alone where its title says already that it is not private."""
    title, said = method_title(record.spec.method), privacy(record)
    return (title,) if f"({said})" in title else (title, said)


def describe(record: RunRecord) -> str:
    """What was run, in a few words: method, graph and privacy. Without the seed, so that it may be shown to
    anybody."""
    return f"{method_title(record.spec.method)} on {graph_of(record)}, {privacy(record)}"


def statements_of(
    records: Sequence[RunRecord],
    read: Callable[[RunRecord, PrivacyStatement], PrivacyStatement] = lambda _, statement: statement,
) -> dict[str, PrivacyStatement]:
    """The statements of the runs that have one, as `read` has them, by what was run; repetitions that say the
    same stand there once, with what attacks have shown of any of them, and others say what differs."""
    differs = variants(records)
    held: dict[str, list[PrivacyStatement]] = {}
    for record in records:
        if record.statement is not None:
            label = ", ".join(filter(None, (describe(record), differs[setting(record)])))
            held.setdefault(label, []).append(read(record, record.statement))
    return {
        ", ".join(filter(None, (label, apart))): one
        for label, said in held.items()
        for apart, one in merged(said).items()
    }


def options_read(record: RunRecord) -> dict[str, Scalar]:
    """The run's options, without those that nothing reads: a budget where the noise was given, and every
    option of the guarantee where nothing is protected."""
    unread = set() if record.spec.asked_epsilon is not None else {"epsilon"}
    unread |= {"delta", "accounting"} if record.spec.unit == "none" else set()
    return {name: value for name, value in record.spec.options.items() if name not in unread}


def setting(record: RunRecord) -> str:
    """Everything that was asked of the run but the seed and the device; equal for repetitions of one
    setting."""
    graph = GraphId.of(record.spec)
    return _settings.encode([record.spec.method, (graph.dataset, graph.options, graph.split), options_read(record)])


_settings = json.JSONEncoder(sort_keys=True)
"""Made once: a page asks for thousands of settings."""


def settings_of(records: Iterable[RunRecord], apart: Callable[[RunRecord], str] = setting) -> list[list[RunRecord]]:
    """The runs of each setting, in the order of their first; where all are of one, each by itself: there is
    nothing else to set beside it. `apart`: by what else runs of one setting stand apart."""
    groups: dict[str, list[RunRecord]] = {}
    for record in records:
        groups.setdefault(apart(record), []).append(record)
    return [[one] for one in next(iter(groups.values()))] if len(groups) == 1 else list(groups.values())


def variants(records: Sequence[RunRecord], leave_out: Iterable[str] = ()) -> dict[str, str]:
    """For each setting, the options in which it differs from the others of its method, graph and unit.

    The privacy budget or the noise that was given in its place, how it was accounted, and the options of
    `leave_out` are axes of their own and no variant; noise that protects nobody is one.
    """
    left = {"epsilon", "accounting", "unit", *leave_out}
    groups: dict[tuple[str, GraphId, str], list[RunRecord]] = {}
    for record in records:
        groups.setdefault((record.spec.method, GraphId.of(record.spec), unit_of(record)), []).append(record)
    words = {}
    for members in groups.values():
        loose = [_loose(record, left) for record in members]
        keys = {key for one in loose for key in one}
        differing = sorted(key for key in keys if len({str(one.get(key)) for one in loose}) > 1)
        for record, one in zip(members, loose, strict=True):
            said = {key: word(record.spec.method, key, one[key]) for key in differing if key in one}
            words[setting(record)] = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in said.items())
    return words


def _loose(record: RunRecord, left: set[str]) -> dict[str, Scalar]:
    noise = record.spec.noise
    axes = left | ({noise.option} if noise is not None else set())
    return {key: value for key, value in options_read(record).items() if key not in axes}


def graph_names(records: Iterable[RunRecord]) -> dict[str, str]:
    """What the graphs of these runs are called beside each other, by `graph_of`: the title alone of one that
    shares it with no other, for the sizes behind it are said once elsewhere."""
    titles = {graph_of(one): data_title(one.spec.dataset) for one in records}
    count = Counter(titles.values())
    return {graph: title if count[title] == 1 else graph for graph, title in titles.items()}


def run_labels(records: Sequence[RunRecord], *, privacy_too: bool = False, seeds: bool = True) -> list[str]:
    """A short name for each run, distinct: method, and of graph and privacy what differs (or privacy in any
    case); where nothing does the options in which runs differ, and the end of the id.
    Seeds are told of settings of which there are several runs: by whether those of two settings are named
    nobody learns whether they are equal. Without `seeds`, each stands for all runs of its setting."""
    graphs = graph_names(records)
    parts = [(method_title(one.spec.method), graphs[graph_of(one)], "".join(_with_privacy(one)[1:])) for one in records]
    differing = [place for place in (1, 2) if len({part[place] for part in parts}) > 1 or (place == 2 and privacy_too)]
    names = [", ".join(filter(None, [part[0], *(part[place] for place in differing)])) for part in parts]
    differs, keys = variants(records), [setting(one) for one in records]
    first = {key: place for place, key in reversed(list(enumerate(keys)))}
    apart = _told_apart([names[place] for place in first.values()], [differs[key] for key in first])
    ends = dict(zip(first, apart, strict=True))
    several = Counter(keys)
    names = [
        "".join([name, f", seed {one.spec.seed}" * (seeds and several[key] > 1), ends[key].removeprefix(name)])
        for name, one, key in zip(names, records, keys, strict=True)
    ]
    return _told_apart(names, [_end(one.id) for one in records])


def _told_apart(names: Sequence[str], by: Sequence[str]) -> list[str]:
    """Names, and behind those of which there are several what tells them apart."""
    repeated = {name for name, count in Counter(names).items() if count > 1}
    return [f"{name} ({own})" if name in repeated and own else name for name, own in zip(names, by, strict=True)]


def distinct(names: Mapping[str, str]) -> dict[str, str]:
    """Names of runs by id; behind those of which there are several the end of the id."""
    return dict(zip(names, _told_apart(list(names.values()), list(map(_end, names))), strict=True))


def _end(run: str) -> str:
    """The end of a run's id, which tells namesakes apart; all of what it is called where ids are withheld.

    >>> _end("gap-cora-97820a44bb5a"), _end("run 12")
    ('bb5a', 'run 12')
    """
    return run[-4:] if "-" in run else run


def name(record: RunRecord) -> str:
    """A run in a few words of Markdown, for its owner: what was run, and its seed."""
    return markup.literal(plain_name(record))


def plain_name(record: RunRecord) -> str:
    """The same as plain text: method and graph by the titles that people know them by, and the options that
    are not the method's defaults. The graph, which is long, stands last: where there is no room for all,
    epsilon and seed are still read. Nothing of it hangs on what other runs there are."""
    return ", ".join([*_with_privacy(record), f"seed {record.spec.seed}", *moved(record), f"on {graph_title(record)}"])


def short_names(records: Sequence[RunRecord], *, graph: bool = True) -> dict[str, str]:
    """The runs in as few words as tell them apart in a list, by id: method, privacy and seed, the graph's
    title, and of options the first of those in which namesakes differ."""
    groups: dict[tuple[str, ...], list[RunRecord]] = {}
    for one in records:
        data = data_title(one.spec.dataset) if graph else ""
        groups.setdefault((*_with_privacy(one), f"seed {one.spec.seed}", data), []).append(one)
    names = {}
    for (*told, data), members in groups.items():
        loose = [_loose(one, {"epsilon", "accounting", "unit"}) for one in members]
        keys = dict.fromkeys(key for one in loose for key in one)
        differing = [key for key in keys if len({str(one.get(key)) for one in loose}) > 1][:MOST_APART]
        for one, own in zip(members, loose, strict=True):
            apart = [
                f"{key.replace('_', ' ')} {word(one.spec.method, key, own[key])}" for key in differing if key in own
            ]
            names[one.id] = ", ".join([*told, *apart]) + f" · {data}" * bool(data)
    return names


def moved(record: RunRecord) -> list[str]:
    """The run's options that are not the method's defaults, a few words each; of many, the first."""
    own = settable(record)
    return first_words([said(record.spec.method, key, own[key]) for key in moved_options(record)])


def said(method: str, key: str, value: Scalar) -> str:
    """An option and its value in a few words: what is switched on or off is said without True and False."""
    if isinstance(value, bool):
        label = _labels(method).get(key, key.replace("_", " "))
        return f"{'with' if value else 'without'} “{label}”"
    return f"{key.replace('_', ' ')} {word(method, key, value)}"


def settable(record: RunRecord) -> dict[str, Scalar]:
    """The run's options without its budget and what it protects."""
    return _loose(record, {"epsilon", "accounting", "unit"})


def moved_options(record: RunRecord) -> list[str]:
    """The options that are not the method's defaults."""
    defaults = _defaults(record.spec.method)
    own = settable(record).items()
    return [key for key, value in own if key != "delta" and key in defaults and value != defaults[key]]


def first_words(words: Sequence[str], most: int = MOST_MOVED) -> list[str]:
    """All of these words, or the first and how many more there are."""
    return list(words) if len(words) <= most else [*words[: most - 1], f"{len(words) - most + 1} more"]


@lru_cache(maxsize=64)
def _labels(method: str) -> Mapping[str, str]:
    if method not in METHODS:
        return {}
    return {one.name: one.label[:1].lower() + one.label[1:] for one in parameters(METHODS[method].load_config())}


@lru_cache(maxsize=64)
def _defaults(method: str) -> Mapping[str, Scalar]:
    if method not in METHODS:
        return {}
    return {parameter.name: parameter.default for parameter in parameters(METHODS[method].load_config())}


def graph_title(record: RunRecord) -> str:
    """The run's graph with its size and options, by its title."""
    return graph_title_of(record.spec)


def graph_short(record: RunRecord) -> str:
    """The title of the run's graph alone, with its split where that is not the random one."""
    split = "" if record.spec.split == "random" else f" ({record.spec.split} split)"
    return data_title(record.spec.dataset) + split


def graph_title_of(spec: RunSpec) -> str:
    """The same of a run that may not be stored yet."""
    return titled(spec.dataset, GraphId.of(spec).words())


def titled(dataset: str, graph: str) -> str:
    """A graph's words (`GraphId.words`) with its title for its name. Where its size is an option, that is
    always said: graphs of two sizes are told apart in a list though one has the size that it has by
    default."""
    title, rest = data_title(dataset), graph.removeprefix(dataset)
    kind = DATASETS[dataset].load_options() if dataset in DATASETS else None
    if kind is None or not hasattr(kind, "nodes") or "nodes " in rest:
        return title + rest
    return f"{title} (nodes {kind.nodes}{', ' + rest[2:] if rest else ')'}"


def data_title(dataset: str) -> str:
    """What people call a graph; its name where nobody knows it."""
    try:
        return known_dataset(dataset).title
    except UnknownName:
        return "an upload that is gone" if dataset.startswith(UPLOAD) else dataset


def about(spec: DatasetSpec) -> str:
    """A graph in a line of Markdown: its title, and what it is."""
    return f"**{markup.literal(spec.title)}**: {markup.literal(spec.about)}"
