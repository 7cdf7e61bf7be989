"""A new attack on, or audit of, one's own run: its form, how far it is, and how it is stopped."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import streamlit as st

from privgraph.attacks.options import AttackOptions
from privgraph.audits.options import AuditOptions
from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.options import OptionError, Parameter, UnknownName, build, parameters
from privgraph.registry import ATTACKS, AUDITS, METHODS
from privgraph.runs import attacking, auditing
from privgraph.runs.examining import Examination
from privgraph.runs.records import RunQuery, RunRecord, StoreError
from privgraph_workbench.facts import datasets
from privgraph_workbench.forms import widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import choosing, under_way
from privgraph_workbench.serving import shell
from privgraph_workbench.text import texts
from privgraph_workbench.words import markup

POLL_SECONDS = 1.0
MOST_RUNS = 200
MOST_FOLDERS = 20
"""Runs whose folders changed last, in which jobs under way are looked for."""
OF_ALL = ("targets", "confidence", "seed")
"""Options that every attack reads."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """Attacks, or audits."""

    noun: str
    runs: ModuleType
    """Starts and watches them."""
    specs: Mapping[str, Any]
    options: type
    units: tuple[str, ...] = ()
    """What runs must protect; none: anything."""


ATTACK = Kind(noun="attack", runs=attacking, specs=ATTACKS, options=AttackOptions)
AUDIT = Kind(noun="audit", runs=auditing, specs=AUDITS, options=AuditOptions, units=("edge", "node"))


def going(kind: Kind) -> dict[str, list[Examination[Any]]]:
    """The jobs of one's own that are under way, by run."""
    store = queue.own()
    folders = sorted(store.folders.glob(f"*/{kind.noun}s"), key=lambda one: -one.stat().st_mtime)[:MOST_FOLDERS]
    runs = [one.parent.name for one in folders]
    known = store.states(runs) if runs else {}
    found = {run: [one for one in kind.runs.states(store, run) if not one.done] for run in runs if run in known}
    return {run: held for run, held in found.items() if held}


def progress(kind: Kind) -> bool:
    """Show the jobs under way, and draw the page again as one ends; whether there are any."""
    tokens = _tokens(kind)
    shell.fragment(_progress, run_every=POLL_SECONDS if tokens else None)(kind, tokens)
    return bool(tokens)


def _tokens(kind: Kind) -> set[str]:
    return {one.token for held in going(kind).values() for one in held}


def _progress(kind: Kind, before: Collection[str]) -> None:
    found = going(kind)
    if {one.token for held in found.values() for one in held} != set(before):
        st.rerun()
    titles = {name: spec.title for name, spec in kind.specs.items()}
    for run, held in found.items():
        for one in held:
            stop = partial(kind.runs.stop, queue.own(), run, one.token)
            under_way.show(one, titles, kind.noun, stop, of=f"{run}: ")
    if found:
        st.caption(texts("attacks")["goes_on"])


def form(kind: Kind, names: Collection[str]) -> None:
    """Choose a run of one's own, one of these attacks or audits and its options, and start it."""
    record = _choose_run(kind)
    if record is None:
        st.info(texts("attacks")["unrun"], icon=":material/model_training:")
        st.page_link(shell.page("train"), label="Train", icon=":material/model_training:")
        return
    _ended(kind, record.id)
    try:
        subject = kind.runs.subject(record)
        refused = {name: kind.specs[name].refuses(subject) for name in names}
        spec = _choose(kind, refused)
        if spec is None:
            return
        known = [one for one in parameters(kind.options) if _reads(kind, spec, record, one)]
        filled = widgets.options_form(known, prefix=f"{kind.noun}.", heading=False)
        if filled.errors:
            st.info(widgets.pointer(filled.errors), icon=":material/edit:")
            return
        options: Any = build(kind.options, filled.values)
        refusal = spec.unanswered(subject, options) if kind is ATTACK else None
        st.caption(markup.sentence(refusal or spec.cost(subject, options)))
        away = _away(record) if kind is ATTACK or spec.trains else False
        label = f"Start the {kind.noun}"
        if st.button(
            label,
            type="primary",
            key=f"start_{kind.noun}",
            disabled=bool(refusal) or away,
            icon=":material/play_arrow:",
        ):
            kind.runs.start(queue.own(), record.id, spec.name, options)
            st.rerun()
    except (StoreError, OptionError, UnknownName, OSError) as error:
        st.error(markup.sentence(error))


def _choose_run(kind: Kind) -> RunRecord | None:
    store, asked = queue.own(), st.query_params.get("run", "")
    titles = _finished(kind.units, asked, store.url, store.done_mark())
    return store.get(choosing.one("Run", titles, "run")) if titles else None


@st.cache_resource(max_entries=16)
def _finished(units: tuple[str, ...], asked: str, url: str, mark: object) -> dict[str, str]:
    """The titles of the newest finished runs by id, and of the one that the address names."""
    store = queue.own()
    found = store.find(RunQuery(units=units, states=("done",), limit=MOST_RUNS))
    found += store.find(RunQuery(units=units, states=("done",), ids=(asked,))) if asked else []
    return choosing.runs({one.id: one for one in found if not one.unreadable}.values())


def _choose(kind: Kind, refused: Mapping[str, str | None]) -> Any | None:
    """One of those that fit the run; the refusals of the others in its place where none does."""
    offered = {name: kind.specs[name].title for name, refusal in refused.items() if refusal is None}
    if not offered:
        st.info(texts("attacks")["none_offered"])
        for refusal in dict.fromkeys(filter(None, refused.values())):
            st.caption(markup.sentence(refusal))
        return None
    return kind.specs[choosing.one(kind.noun.capitalize(), offered, kind.noun)]


def _reads(kind: Kind, spec: Any, record: RunRecord, parameter: Parameter) -> bool:
    """Whether a form asks for the option: one that is read, and has more than one answer."""
    name = parameter.name
    if kind is AUDIT:
        return name not in {"mechanism": ("canaries",), "white-box": ("trials",)}.get(spec.name, ())
    if name == "query" and (record.spec.method not in METHODS or len(METHODS[record.spec.method].asked) < 2):
        return False
    read: tuple[str, ...] = (*spec.reads, *OF_ALL)
    return name in read or (name == "shadows" and bool(spec.shadows))


def _away(record: RunRecord) -> bool:
    """Whether the run's graph is not on this machine; then the way to it."""
    try:
        spec = dataset(record.spec.dataset)
        if datasets.unavailable(spec) is None:
            return False
    except (UnknownName, DataError):
        pass
    st.info(texts("attacks")["away"], icon=":material/folder_off:")
    st.page_link(shell.page("data"), label="Data", query_params={"data": record.spec.dataset})
    return True


def _ended(kind: Kind, run: str) -> None:
    """The error of the job of this run that ended last."""
    last = kind.runs.state(queue.own(), run)
    if last is not None and last.error:
        st.error(markup.sentence(last.error))
    elif last is not None and last.stopped:
        st.info(texts("attacks")["stopped"], icon=":material/stop:")
