"""Outsiders: ask a finished model about nodes, tell who it was trained on, lay attacks over each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from privgraph.attacks.drawing import fewest
from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.options import OptionError, Parameter, UnknownName, build, parameters
from privgraph.registry import ATTACKS, METHODS, AttackSpec
from privgraph.runs import attacking
from privgraph.runs.attacking import Attacking
from privgraph.runs.records import RunQuery, RunRecord, StoreError, Unreadable
from privgraph_workbench.facts import datasets
from privgraph_workbench.facts.attackable import attackable
from privgraph_workbench.forms import widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.attacks import comparing, overview, shown, verdict
from privgraph_workbench.views.parts import choosing, layout, statement, states, under_way
from privgraph_workbench.words import markup, naming

MOST_RUNS = 200
POLL_SECONDS = 1.0
TITLES = {name: one.title for name, one in ATTACKS.items()}
PREFIX = "attack."
FORM_OF = "attack_form_of"
"""The run that the form was last drawn for."""
EVERY = "every_run"
"""Whether runs are offered that nobody has attacked, where others were."""
WORDS = """
- **Models**: some are trained as this run was, on nodes that we choose, and **attacked** in its place;
  **shadow models** show what a model says of people whom it never saw.
- **Nodes trained on, nodes not trained on**: what papers call members and non-members.
- **False alarms**: the share of nodes not trained on that the attack wrongly names (false positive rate,
  FPR). **Found**: the share of nodes trained on that it rightly names (true positive rate, TPR). Where it
  asks for edges, read *edges* and *pairs without an edge*.
- **Area under the curve**: shown one node trained on and one not, how often the attack picks the right one.
  A coin: 50%. What it finds beyond that, the model has given away.
"""
OF_ALL = ("targets", "confidence", "seed")
"""Options that every attack reads; the others are named by its row."""


def body() -> None:
    """Choose a run; start an attack and watch it; read what the attacks have found."""
    st.markdown(
        "Somebody outside asks a trained model about people whom they know. Can they tell **who was trained on** "
        "(membership inference), **who is connected to whom** (link inference), or **which relations were learnt "
        "from**?"
    )
    with st.expander("How it is found out, and the words used here"):
        st.markdown(WORDS)
    record = _choose_run()
    if record is None:
        return
    try:
        subject = attacking.subject(record)
        attacks = queue.store().attacks(record.id)
    except (StoreError, OptionError, UnknownName, Unreadable) as error:
        st.error(markup.sentence(error))
        return
    overview.show(record.id, shown.choose(record, attacks) if attacks else None)
    going = tuple(one.token for one in attacking.states(queue.store(), record.id) if not one.done)
    shell.fragment(_watch, run_every=POLL_SECONDS if going else None)(record.id, going)
    # while an attack is under way, its progress stands where its form stood: one at a time
    if not attacks and not going:
        _new_and_claims(record, subject)
        st.info("Nobody has attacked this run yet. Start an attack; what it finds will stand here.", icon="🕵️")
    elif not going:
        # an address that asks for an attack finds its form open
        with layout.form("A new attack on this run", f"new-attack.{record.id}", icon="🕵️", asked=_asked_for()):
            _new_and_claims(record, subject)
    if attacks:
        st.markdown("### What attacks on this run have found", help=verdict.WORDS)
        shown.show(record, subject, attacks)


def _asked_for() -> bool:
    """Whether the address speaks of an attack that is to be made."""
    return any(name == "attack" or name.startswith(PREFIX) for name in st.query_params)


def _new_and_claims(record: RunRecord, subject: Attacked) -> None:
    left, right = layout.columns("attack-form", 2)
    with left:
        _new(record, subject)
    with right:
        st.markdown("### What the run claims")
        statement.numbers(subject.statement)


def _choose_run() -> RunRecord | None:
    """The run that the address names, or one that is under attack, or the newest of one's own that was
    attacked, or the one of the gallery that gives away most; an invitation where none can be attacked. Those
    that were attacked are offered first."""
    store, asked = queue.store(), st.query_params.get("run")
    query = RunQuery(states=("done",), limit=MOST_RUNS)
    counts = Counter({one.run: 1 for one in store.newest_attacks(MOST_RUNS)})
    named = (*counts, *([asked] if asked else ()))  # however old they are
    found = states.readable([*store.find(query), *(store.find(replace(query, ids=named)) if named else [])])
    records = {one.id: one for one in choosing.shown(found, "run") if attackable(one)}
    asked = st.query_params.get("run")
    if asked is not None and asked not in records:
        st.warning(f"There is no finished run {markup.literal(asked[:80])} that an attack is for.")
    if not records:
        st.info("No run that can be attacked is finished here yet. Train one, and this page attacks it.", icon="🕵️")
        st.page_link(shell.page("train"), label="**Train a run**", icon=":material/model_training:")
        return None
    going = _under_way(records)
    records = {
        run: records[run]
        for run in sorted(records, key=lambda run: (run not in going, not counts[run], records[run].gallery))
    }
    choosing.begin("run", records, next((run for run in [*going, *_clearest(records)] if run in records), ""))
    held = st.query_params.get("run")
    narrowed = {run: one for run, one in records.items() if counts[run] or run in going or run == held}
    every = len(records)
    if counts and not st.session_state.get(EVERY):
        records = narrowed
    marks = {run: " · under attack" if run in going else " · attacked" * counts[run] for run in records}
    titles = {run: f"{title}{marks[run]}" for run, title in choosing.runs(records.values(), short=True).items()}
    chosen = choosing.one(
        "Run",
        titles,
        "run",
        moved=_forget,
        help="Finished runs whose model an attack can ask, those that were attacked first, then the newest",
    )
    st.query_params["run"] = chosen
    for run, one in going.items():
        if run != chosen:
            st.page_link(
                shell.page("attacks"),
                label=f"An attack is under way on {naming.name(records[run])} ({one.progress:.0%})",
                icon=":material/hourglass_top:",
                query_params={"run": run},
            )
    record = records[chosen]
    with st.container(horizontal=True, vertical_alignment="center"):
        states.badge(record)
        st.markdown(f"**{naming.name(record)}**", width="content")
        st.page_link(
            shell.page("train"), label="Open the run", icon=":material/open_in_new:", query_params={"run": record.id}
        )
        if counts and len(narrowed) < every:
            st.toggle(f"Offer runs not attacked yet ({every - len(narrowed):,} more)", key=EVERY)
    return record


def _clearest(records: Mapping[str, RunRecord]) -> list[str]:
    """Runs in the order in which a page without an address opens on them: one's own attacked ones, the newest
    first; those of the gallery, what gives away most first; then all others."""
    own = [one.run for one in queue.store().newest_attacks(MOST_RUNS) if one.run in records]
    found = [one for one in queue.store().all_attacks() if one.run in records]
    found.sort(key=lambda one: (-verdict.severity(one, None), -one.found[1]))
    return [
        *(run for run in own if not records[run].gallery),
        *(one.run for one in found if records[one.run].gallery),
        *records,
    ]


def _under_way(records: Mapping[str, RunRecord]) -> dict[str, Attacking]:
    """The attack that is under way on each run that has one, the newest."""
    store = queue.store()
    folders = [run for run in records if (store.folder(run) / "attacks").is_dir()]
    return {run: one for run in folders for one in attacking.states(store, run) if not one.done}


def _forget() -> None:
    """What the address says of attacks was said of the run before."""
    for gone in ("found", comparing.KEY, "attack"):
        choosing.forget(gone)


# A new attack


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
    going = any(not one.done for one in attacking.states(queue.store(), record.id))
    if st.button(
        "Start the attack",
        type="primary",
        key="start_attack",
        disabled=going or bool(refusal),
        icon=":material/play_arrow:",
        help="An attack on this run is under way" if going else markup.sentence(refusal) if refusal else None,
    ):
        try:
            attacking.start(queue.store(), record.id, spec.name, options)
        except (StoreError, OptionError, OSError) as error:
            st.error(markup.sentence(error))
            return
        st.rerun()


def _needed(record: RunRecord, spec: AttackSpec, online: bool) -> tuple[int, int, int] | None:
    """How many shadow models a split of this graph's size takes, and how many nodes of how many train; None
    where that is not known, or nothing is asked."""
    own_parts = record.spec.method in METHODS and METHODS[record.spec.method].own_parts
    if own_parts or not {"shadows", "online"} <= {*spec.reads, *(["shadows"] if spec.shadows else [])}:
        return None
    try:
        found = datasets.public_facts(dataset(record.spec.dataset), record.spec.data_options, record.spec.split)
    except (OptionError, DataError, UnknownName):
        return None
    if found is None or record.spec.split == "public":
        return None
    members, pool = found.train_nodes, found.train_nodes + round(found.nodes * datasets.TEST)
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


# Under way


def _watch(run: str, were_going: tuple[str, ...]) -> None:
    """The attacks that are under way, each with its button to stop it; the whole page is drawn anew when one
    ends."""
    attacks = attacking.states(queue.store(), run)
    going = [one for one in attacks if not one.done]
    if {one.token for one in going} != set(were_going):
        st.rerun()
    for one in going:
        under_way.show(one, TITLES, "attack", partial(attacking.stop, queue.store(), run, one.token))
    if going:
        st.caption("The attack is a process of its own: it goes on when this page is closed, and is found here again.")
        return
    last = attacks[-1] if attacks else None
    if last is not None and last.error:
        st.error(markup.sentence(f"The last attack failed: {last.error}"))
    elif last is not None and last.stopped:
        st.caption(":material/stop: The last attack was stopped before it had found anything.")
