"""Which method for a graph: what finished runs say at which ε, and buttons that train what would say more."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import streamlit as st

from privgraph.data import catalogue
from privgraph.data.errors import DataError
from privgraph.data.spec import DatasetSpec
from privgraph.options import OptionError, Scalar
from privgraph.registry import METHODS
from privgraph.runs.launch import capacity
from privgraph.runs.records import RunQuery, RunRecord, StoreError
from privgraph.runs.spec import RunSpec
from privgraph_workbench.facts import advising, comparing, datasets
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.runs import tabs
from privgraph_workbench.views.tradeoffs import files
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import duration, kept, percent

PENDING = ("queued", "running", "stopping")
POLL_SECONDS = 2.0
MOST_KNOWN = 2000
UNITS = {"edge": "edges", "node": "people (nodes)"}


def show(spec: DatasetSpec, drawn: RunRecord | None = None, *, told: Collection[str] = ()) -> None:
    """What fits; what finished runs say of it, but for units of which that is `told` above; what is missing,
    how long that takes, and the button. On the graph of the run `drawn` where this data set has options."""
    shown = st.session_state.get("protects")
    options = _options(spec, drawn)
    offered = [unit for unit in UNITS if comparing.fitting(spec, unit)]
    if not offered:
        st.caption("No method protects anything of this graph.")
        return
    unit = str(
        st.segmented_control(
            "What shall be protected",
            offered,
            default=shown if shown in offered else offered[0],
            required=True,
            key=f"compare_unit.{shown}",
            format_func=lambda one: UNITS[one],
        )
    )
    try:
        shared = _shared(spec, unit)
        wanted = comparing.specs(spec.name, unit, data_options=options, shared=shared)
        facts = None if files.absent(spec) else datasets.public_facts(spec, wanted[0].data_options, "random")
    except (OptionError, DataError) as error:
        st.error(markup.sentence(error))
        return
    ids = tuple(one.id for one in wanted)
    held = {row["id"]: row["state"] for row in queue.store().find_rows(RunQuery(ids=ids))}
    missing = [one for one in wanted if held.get(one.id) not in ("done", *PENDING)]
    names = ", ".join(METHODS[name].title for name in comparing.fitting(spec, unit))
    epsilons = ", ".join(f"{epsilon:g}" for epsilon in comparing.EPSILONS[unit])
    st.caption(f"Fits: {names}. Each at ε {epsilons} with {comparing.SEEDS} seeds, and two models without privacy.")
    if others := comparing.apart(spec, unit):
        st.caption(
            f"{', '.join(METHODS[name].title for name in others)} would fit as well, in a setting of their own: some "
            "nodes are public, and private ones teach. Their accuracies are of other nodes, and belong on Teachers."
        )
    going = any(state in PENDING for state in held.values())
    shell.fragment(_result, run_every=POLL_SECONDS if going else None)(spec, options, shared, unit, going, unit in told)
    if missing and files.absent(spec):
        files.needed(spec, "compare")
    elif missing:
        known = queue.store().find(RunQuery(states=("done",), limit=MOST_KNOWN))
        about = comparing.seconds(missing, facts, known, capacity())
        label = "Compare what fits" if len(missing) == len(wanted) else "Train what is missing"
        st.markdown(f"**What it takes.** {len(missing)} runs, about {duration(about)} on this machine.")
        if st.button(f"{label} ({len(missing)} runs)", type="primary", key="compare_go", icon=":material/play_arrow:"):
            _submit(missing, unit)


def headline(spec: DatasetSpec, unit: str, drawn: RunRecord | None) -> bool:
    """What to take on this graph at which ε, as far as finished runs tell; whether there is anything to say:
    not before two methods have some."""
    known = _known(spec, drawn, unit)
    if known is None or known.said.methods < 2:
        return False
    with st.container(border=True):
        _lines(known.said)
        if known.said.notes:
            st.markdown(markup.literal(" ".join(known.said.notes)))
        if known.left:
            st.markdown(known.left)
        _promises(known)
        _settle(spec, known, unit)
        if not known.said.settled:
            _elsewhere(spec, unit)
        st.caption(known.short)
    return True


def _promises(known: Known) -> None:
    """What is promised by the methods that are taken, each in a line, with the way to all of it."""
    for one in known.promises:
        title = markup.literal(METHODS[one.method].title)
        st.caption(f"**{title}** {markup.literal(one.text)}")
        if one.run:
            st.page_link(
                shell.page("train"),
                label=f"The promise of {title} in full, of a run at ε {one.epsilon:g}",
                icon=":material/verified_user:",
                query_params={"run": one.run, tabs.OPENED: tabs.PROMISE},
            )


def _settle(spec: DatasetSpec, known: Known, unit: str) -> None:
    """The button that trains the seeds by which methods would be told apart; nothing where there are none, or
    no files to train on."""
    if not known.more or files.absent(spec):
        return
    held = {row["id"]: row["state"] for row in queue.store().find_rows(RunQuery(ids=tuple(known.more)))}
    missing = [one for run, one in known.more.items() if held.get(run) not in ("done", *PENDING)]
    if not missing:
        return
    try:
        facts = datasets.public_facts(spec, missing[0].data_options, "random")
    except (OptionError, DataError) as error:
        st.error(markup.sentence(error))
        return
    about = duration(comparing.seconds(missing, facts, known.records, capacity()))
    if st.button(
        f"Train {len(missing)} more runs to tell them apart (about {about})",
        key=f"settle.{unit}",
        icon=":material/play_arrow:",
    ):
        _submit(missing, unit)


def _submit(runs: Sequence[RunSpec], unit: str) -> None:
    """Train these, and show their curves."""
    try:
        queue.submit(runs, tags=["compare"])
    except (StoreError, OptionError, OSError) as error:
        st.error(markup.sentence(error))
        return
    st.session_state["sent"] = (tuple({one.method: None for one in runs}), unit, False)
    st.rerun()


def everywhere(drawn: Mapping[DatasetSpec, RunRecord], units: Sequence[str]) -> None:
    """The same of several graphs in a table, each with a run of it that is drawn: what to take, without the
    reasons."""
    rows = [
        f"| {markup.literal(spec.title)} | {UNITS[unit]} | {_in_short(known.said)} | {known.said.score} |"
        for unit in units
        for spec, run in drawn.items()
        if (known := _known(spec, run, unit)) is not None and known.said.methods > 1
    ]
    if rows:
        st.markdown("\n".join(["| Graph | To hide | What to take | Scored by |", "|---|---|---|---|", *rows]))


def _in_short(said: advising.Verdict) -> str:
    if said.thin:
        return "too little has run"
    return "; ".join(f"{one.span}: {markup.literal(one.told)}" for one in said.stretches)


def _lines(said: advising.Verdict) -> None:
    """What is said, a line for each stretch of budgets."""
    lines = [
        f"- **{one.span}: {markup.literal(one.told)}.** {one.worth.capitalize()}. {markup.literal(one.why)}"
        for one in said.stretches
    ]
    st.markdown("\n".join([f"**{markup.literal(said.heading)}**", "", *lines]))


def _elsewhere(spec: DatasetSpec, unit: str) -> None:
    """The way to a graph of which more is known, where there is one: of such the one with most methods."""
    others = {}
    for one in datasets.choices():
        if one.name != spec.name and (run := newest(one.name, unit)) is not None:
            known = _known(one, run, unit)
            if known is not None and known.said.settled:
                others[one] = known.said
    if not others:
        return
    best, said = max(others.items(), key=lambda one: (one[1].methods, len(one[1].stretches)))
    st.page_link(
        shell.page("tradeoffs"),
        label=f"More is known on {markup.literal(best.title)}: {said.methods} methods compared to hide "
        f"{advising.HIDES[unit]}",
        icon=":material/arrow_forward:",
        query_params={"data": best.name, "protects": unit},
    )


def newest(data: str, *units: str) -> RunRecord | None:
    """The newest finished run on this graph that protects one of these units; of any where none is named."""
    found = queue.store().find(RunQuery(datasets=(data,), units=units, states=("done",), limit=1))
    return next((record for record in found if not record.unreadable), None)


def _options(spec: DatasetSpec, drawn: RunRecord | None) -> Mapping[str, Scalar]:
    return drawn.spec.data_options if drawn is not None and spec.load_options() else {}


@dataclass(frozen=True, kw_only=True)
class Known:
    """What finished runs say of a comparison, from how many of them (also in short), what is left out of it,
    what is promised by what is taken, and the runs, by id, that would tell methods apart. records: what it is
    said from."""

    table: list[Row]
    said: advising.Verdict
    words: str
    short: str
    left: str
    promises: list[advising.Promise]
    more: dict[str, RunSpec]
    records: list[RunRecord]


def _known(spec: DatasetSpec, drawn: RunRecord | None, unit: str) -> Known | None:
    """What is known now on the graph of the run `drawn`: from runs of the comparison, and from others of the
    same settings. None where nothing protects the unit of such a graph."""
    if not comparing.fitting(spec, unit):
        return None
    return _of_options(spec, _options(spec, drawn), _shared(spec, unit), unit)


def _shared(spec: DatasetSpec, unit: str) -> dict[str, Scalar]:
    """The options that all methods are compared at, where the data set has no default of them: those of the
    newest run."""
    run = newest(spec.name, unit) if spec.domains else None
    return {} if run is None else comparing.shared_options(spec, run.spec, unit)


def _of_options(spec: DatasetSpec, options: Mapping[str, Scalar], shared: Mapping[str, Scalar], unit: str) -> Known:
    found = queue.store().find_rows(
        RunQuery(datasets=(spec.name,), units=("none", unit), states=("done",), limit=MOST_KNOWN)
    )
    ids = tuple(sorted(row["id"] for row in found))
    return _told(queue.store().url, ids, spec.name, tuple(sorted(options.items())), tuple(sorted(shared.items())), unit)


def _result(
    spec: DatasetSpec,
    options: Mapping[str, Scalar],
    shared: Mapping[str, Scalar],
    unit: str,
    was_going: bool,
    told: bool,
) -> None:
    """What is known so far, but for what is `told` above, and how far the rest is: at once, and again as runs
    end."""
    queue.tick()
    ids = tuple(one.id for one in comparing.specs(spec.name, unit, data_options=options, shared=shared))
    rows = queue.store().find_rows(RunQuery(ids=ids))
    done = sum(row["state"] == "done" for row in rows)
    going = [row["id"] for row in rows if row["state"] in PENDING]
    if was_going and not going:
        st.rerun()
    if going:
        st.progress(done / len(ids), text=f"{done} of {len(ids)} runs are done")
        st.button(
            "Stop the comparison", key="compare_stop", icon=":material/stop:", on_click=_stop, args=(tuple(going),)
        )
    known = _of_options(spec, options, shared, unit)
    if not known.said.methods:
        return
    if not told:
        _lines(known.said)
        st.markdown(markup.literal(" ".join([*known.said.notes, advising.BASIS])))
        if known.left:
            st.markdown(known.left)
    st.caption(known.words)
    st.dataframe(
        [_line(row, known.said) for row in known.table],
        hide_index=True,
        alt="Accuracy of each method at each epsilon, with intervals over seeds",
    )


@lru_cache(maxsize=64)
def _told(
    url: str,
    ids: tuple[str, ...],
    data: str,
    options: tuple[tuple[str, Scalar], ...],
    shared: tuple[tuple[str, Scalar], ...],
    unit: str,
) -> Known:
    """The table and the verdict of these finished runs. They never change, so this is computed once."""
    spec, wanted = catalogue.dataset(data), comparing.specs(data, unit, data_options=dict(options), shared=dict(shared))
    found = queue.store().find(RunQuery(ids=ids)) if ids else []
    records = comparing.alike(wanted, found)
    rows = [row for row in tradeoff.data(records) if not row["variant"]]
    rows.sort(key=lambda row: (row["asked"] is None, row["asked"] or 0.0, -row["mean"]))
    used = {one.id for one in records}
    others = {one.spec.method for one in found if not one.unreadable and one.id not in used}
    words = comparing.known_words(wanted, set(ids), len(records), others)
    said = advising.verdict(records, unit, comparing.fitting(spec, unit), comparing.networks(wanted, found))
    needed = [one for stretch in said.stretches for one in stretch.needed]
    return Known(
        table=rows,
        said=said,
        words=words,
        short=comparing.used_words(len(records), len(ids)),
        left=comparing.left_out(wanted, found, unit),
        promises=advising.promises(records, said),
        more={one.id: one for one in comparing.settling(needed, wanted)},
        records=records,
    )


def _advised(row: Row, said: advising.Verdict) -> str:
    """What is said of the method at that budget."""
    for one in said.stretches:
        if row["asked"] in one.epsilons and row["method"] in one.takes:
            first = row["method"] == one.takes[0]
            return ("take" if one.kind == "one" else "by default") if first else "cannot be told from the default"
    return ""


def _line(row: Row, said: advising.Verdict) -> dict[str, object]:
    band = "one seed" if row["low"] is None else f"{percent(row['low'])} to {percent(row['high'])}"
    return {
        "method": row["title"],
        "protects": "nothing" if row["unit"] == "none" else row["unit"],
        EPSILONS["sound"].title: "∞" if math.isinf(row["epsilon"]) else kept(row["asked"], row["epsilon"]),
        "accuracy (mean)": percent(row["mean"]),
        "95% over seeds": band,
        "seeds": row["seeds"],
        "advice": _advised(row, said),
    }


def _stop(ids: tuple[str, ...]) -> None:
    for run in ids:
        queue.store().request_stop(run)
