"""The form of a new attack: which one, how much of it, what that takes, and the button."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from privgraph.attacks.drawing import fewest
from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.data import sizes
from privgraph.data.catalogue import DATASETS, dataset
from privgraph.data.errors import DataError
from privgraph.options import OptionError, Parameter, UnknownName, build, parameters
from privgraph.registry import ATTACKS, METHODS, AttackSpec
from privgraph.runs import attacking
from privgraph.runs.records import RunQuery, RunRecord, StoreError
from privgraph_workbench.facts import datasets
from privgraph_workbench.facts.attackable import attackable
from privgraph_workbench.forms import widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.attacks import at_hand
from privgraph_workbench.views.parts import choosing, layout, statement, states, under_way
from privgraph_workbench.words import markup, naming

PREFIX = "attack."
MOST_RUNS = 200
"""Runs that are looked through for one whose graph is here."""
FORM_OF = "attack_form_of"
"""The run that the form was last drawn for."""
OF_ALL = ("targets", "confidence", "seed")
"""Options that every attack reads; the others are named by its row."""


def show(record: RunRecord, subject: Attacked, progress: under_way.Drawn) -> None:
    """The form beside what the run claims, below what is missing for an attack; while one is under way, how
    far it is in place of the button."""
    _fetch(record)
    left, right = layout.columns("attack-form", 2)
    with left:
        if progress is None:
            _new(record, subject)
        else:
            progress()
    with right:
        st.markdown("### What the run claims")
        statement.numbers(subject.statement)


def asked_for() -> bool:
    """Whether the address speaks of an attack that is to be made."""
    return any(name == "attack" or name.startswith(PREFIX) for name in st.query_params)


def _fetch(record: RunRecord) -> None:
    """What is missing of the run's graph, and the way to a run whose graph is here."""
    if at_hand.fetch(record) and (other := _elsewhere(record)) is not None:
        st.page_link(
            shell.page("attacks"), icon=":material/arrow_forward:",
            label=f"Or attack a run that needs no download: {markup.literal(naming.name(other))}",
            query_params={"who": "outsider", "run": other.id},
        )  # fmt: skip


def _elsewhere(record: RunRecord) -> RunRecord | None:
    """A run whose graph needs no download and that can be attacked, at best one that protects the same; None
    where there is none."""
    here = tuple(name for name, spec in DATASETS.items() if datasets.unavailable(spec) is None)
    found = states.readable(queue.store().find(RunQuery(datasets=here, states=("done",), limit=MOST_RUNS)))
    runs = [one for one in found if attackable(one)]
    return min(runs, key=lambda one: one.spec.unit != record.spec.unit, default=None)


def button(record: RunRecord, subject: Attacked, label: str, attack: str, options: AttackOptions) -> None:
    """One click to this very attack; what it takes, or why it cannot be made, stands in its help."""
    spec = ATTACKS[attack]
    why_not = spec.unanswered(subject, options)
    if st.button(
        label,
        key=f"further.{attack}.{options.targets}",
        disabled=bool(why_not),
        icon=":material/play_arrow:",
        help=markup.sentence(why_not or f"{spec.title}: {spec.cost(subject, options)}"),
    ):
        try:
            attacking.start(queue.store(), record.id, attack, options)
        except (StoreError, OptionError, OSError) as error:
            st.error(markup.sentence(error))
            return
        st.rerun()


def _new(record: RunRecord, subject: Attacked) -> None:
    """Which attack, how much of it, what that takes, and the button."""
    st.markdown("### A new attack")
    asked = st.query_params.get("attack")
    if asked is not None and asked not in ATTACKS:
        st.warning(
            f"In this page's address, there is no attack {markup.literal(asked[:80])}; attacks are "
            f"{', '.join(f'{name} ({one.title})' for name, one in ATTACKS.items())}."
        )
    offered = [name for name, one in ATTACKS.items() if one.refuses(subject) is None]
    # first what the run promises to hide: of edges, an attack on who trained says nothing
    offered.sort(key=lambda name: (ATTACKS[name].sides.unit == "edge") != (subject.statement.unit == "edge"))
    if asked in ATTACKS and asked not in offered:
        st.warning(f"In this page's address, the attack {asked} is not offered for this run.")
    if st.session_state.get(FORM_OF) not in (None, record.id) and asked is None:
        # the browser still sends what was chosen for another run, which may protect something else
        st.session_state["attack"] = offered[0]
    st.session_state[FORM_OF] = record.id
    spec = ATTACKS[
        choosing.one(
            "Attack",
            {name: ATTACKS[name].title for name in offered},
            "attack",
            help="The first is a good beginning: it asks what this run promises to hide, and finds most in little time",
        )
    ]
    st.caption(f"{spec.about} ({spec.paper})")
    ways = METHODS[record.spec.method].asked if record.spec.method in METHODS else ()
    known = [_with_minimum(one, record, spec) for one in parameters(AttackOptions) if _read(one.name, spec, ways)]
    influence = spec.unanswered(subject, build(AttackOptions, {"by": "influence"})) if "by" in spec.reads else None
    for complaint in widgets.complaints(known, prefix=PREFIX):
        st.warning(complaint)
    filled = widgets.options_form(
        known, prefix=PREFIX, heading=False, disabled={"by": {"influence": influence}} if influence else None
    )
    if filled.errors:
        st.info(widgets.pointer(filled.errors), icon=":material/edit:")
        return
    options = build(AttackOptions, filled.values)
    refusal = spec.unanswered(subject, options) or _too_few(record, spec, options)
    if refusal:
        st.info(markup.sentence(refusal), icon=":material/edit:")
    else:
        st.markdown(f"**What it takes.** {markup.sentence(spec.cost(subject, options))}")
    why_not = refusal or at_hand.away(record)
    if st.button(
        "Start the attack",
        type="primary",
        key="start_attack",
        disabled=bool(why_not),
        icon=":material/play_arrow:",
        help=markup.sentence(why_not) if why_not else None,
    ):
        try:
            attacking.start(queue.store(), record.id, spec.name, options)
        except (StoreError, OptionError, OSError) as error:
            st.error(markup.sentence(error))
            return
        st.rerun()


def draws(record: RunRecord, spec: AttackSpec) -> bool:
    """Whether it trains shadow models on nodes that are drawn here, and not by the method."""
    own_parts = record.spec.method in METHODS and METHODS[record.spec.method].own_parts
    return spec.shadows and "online" in spec.reads and not own_parts


def _needed(record: RunRecord, spec: AttackSpec, online: bool) -> tuple[int, int, int] | None:
    """How many shadow models a split of this graph's size takes, and how many nodes of how many train; None
    where that is not known, or nothing is asked."""
    if not draws(record, spec):
        return None
    try:
        found = datasets.public_facts(dataset(record.spec.dataset), record.spec.data_options, record.spec.split)
    except (OptionError, DataError, UnknownName):
        return None
    if found is None or record.spec.split == "public":
        return None
    members, pool = found.train_nodes, found.train_nodes + round(found.nodes * sizes.TEST)
    return fewest(pool, members, online=online), members, pool


def _too_few(record: RunRecord, spec: AttackSpec, options: AttackOptions) -> str | None:
    """Why so few shadow models do not do for this run, in one sentence, or None."""
    needed = _needed(record, spec, options.online)
    if needed is None or options.shadows >= needed[0]:
        return None
    need, members, pool = needed
    return (
        f"this run needs at least {need} shadow models (got {options.shadows}): with {members:,} of {pool:,} nodes "
        "training, each node must be left out of two of them"
    )


def _with_minimum(parameter: Parameter, record: RunRecord, spec: AttackSpec) -> Parameter:
    """The option, whose help says how many this run needs at least, where it is that of shadow models."""
    needed = [found[0] for online in (True, False) if (found := _needed(record, spec, online)) is not None]
    if parameter.name != "shadows" or not needed:
        return parameter
    least = f"{needed[0]}" if len(set(needed)) == 1 else f"{needed[0]} (offline: {needed[1]})"
    text = f"{parameter.option.help.rstrip('.')}. This run needs at least {least}".strip(". ")
    return replace(parameter, option=replace(parameter.option, help=text))


def _read(option: str, spec: AttackSpec, ways: Sequence[str]) -> bool:
    """Whether a form asks for the option: an attack that reads it, and more than one answer to it."""
    if option == "query" and len(ways) < 2:
        return False
    return option in spec.reads or option in OF_ALL or (option == "shadows" and spec.shadows)
