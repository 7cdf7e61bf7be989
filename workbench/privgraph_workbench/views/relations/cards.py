"""What the chosen runs promise and were trained with, and the way to their twins."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import streamlit as st

from privgraph.options import OptionError, UnknownName, parameters
from privgraph.registry import METHODS as METHOD_TABLE
from privgraph.runs.records import PENDING, RunQuery, RunRecord
from privgraph.runs.spec import RunSpec
from privgraph_workbench.facts.references import GUARANTEE
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.relations import sent
from privgraph_workbench.views.relations.names import PRIVATE, more_apart, role
from privgraph_workbench.views.relations.runs import (
    METHODS,
    MOST_RUNS,
    UNIT_KEYS,
    encoder_here,
    like,
    show_run,
)
from privgraph_workbench.words import markup, naming, settings
from privgraph_workbench.words import statements as statement_words

TOLD = (
    "encoder",
    "trained_on",
    "tested_on",
    "steps",
    "batch_size",
    "negatives",
    "learning_rate",
    "clip",
    "noise_multiplier",
    "epsilon",
    "delta",
    "shots",
    "loss",
    "adapted",
    "rank",
)
"""Options that the table of settings tells, in its order."""
PRIVATE_TWIN = 4.0
"""The budget of the private run that is offered beside one without privacy."""


def show(private: RunRecord | None, bare: RunRecord | None) -> None:
    """What the chosen runs promise and were trained with, and the way to their twins."""
    st.markdown("### Settings and training")
    left, right = st.columns(2, gap="large")
    with left.container(border=True, height="stretch"):
        _card("Private run", private)
        _twin(bare if private is None else None, "edge")
    with right.container(border=True, height="stretch"):
        _card("Run without privacy", bare)
        _twin(private, "none", bare)
    sent.show("twin")
    st.caption(
        "**Sound** ε: what the noise of the run guarantees while it is secret. **As published**: what the paper's own "
        "formula gives. **Audited**: what an attack has shown it to be at least."
    )
    with st.expander("What they were trained with", key="fold.settings", icon=":material/table_rows:"):
        _settings(private, bare)


def _card(title: str, record: RunRecord | None) -> None:
    """A run with its three epsilons."""
    if record is None:
        st.markdown(f"**{title}**")
        return
    name = naming.short_names([record], graph=False)[record.id]
    st.markdown(f"**{title}: {markup.literal(name)}**")
    said = record.statement
    if said is not None:
        labels = [mark.label for mark in EPSILONS.values()]
        values = [value for _, value in statement_words.three_numbers(said)]
        if said.epsilon_as_published is None:
            values[1] = "no formula"
        numbers = " · ".join(_number(*one) for one in zip(labels, values, strict=True))
        st.markdown(numbers)
    st.page_link(
        shell.page("train"), label="Open the run", icon=":material/open_in_new:", query_params={"run": record.id}
    )


def _number(name: str, value: str) -> str:
    """One epsilon with its label; bold where it says something: an audit that found nothing does not."""
    shown = markup.literal(value)
    nothing = value.startswith(("none", "no formula", "at least 0 ")) or value == "at least 0"
    return f"{name} {shown}" if nothing else f"{name} **{shown}**"


def _settings(private: RunRecord | None, bare: RunRecord | None) -> None:
    """What the runs were trained with, an option a line."""
    chosen = {"private run": private, "run without privacy": bare}
    held = {title: settings.shown(one) for title, one in chosen.items() if one is not None}
    known = parameters(METHOD_TABLE[METHODS[0]].load_config())
    labels = {one.name: one.label for one in known}
    read = {title: naming.options_read(one) for title, one in chosen.items() if one is not None}
    rows = []
    for name in TOLD:
        said = {
            title: "none"
            if name in (*PRIVATE, *GUARANTEE) and title != "private run"
            else str(own[name] or "the first one")
            for title, own in held.items()
            if name in own and (name in read[title] or title != "private run")
        }
        if said:
            rows.append({"setting": labels.get(name, name), **{title: said.get(title, "–") for title in held}})
    rows.append({"setting": "Seed"} | {title: str(one.spec.seed) for title, one in chosen.items() if one is not None})
    st.dataframe(rows, hide_index=True, height="content", alt="What the chosen runs were trained with")
    st.caption(
        "**Shots**: public relations of the other domain, on which the encoder is trained further, to be judged once "
        "more. No number on this page reads them."
    )


def here(record: RunRecord) -> None:
    """An example that has numbers and no encoder: the way to a run of the same settings."""
    found = queue.store().find(RunQuery(methods=(record.spec.method,), limit=MOST_RUNS))
    setting = naming.setting(record)
    alike = [one for one in found if one.stored_spec is not None and naming.setting(one) == setting]
    if any(one.pending for one in alike):
        st.caption("One with its settings is in training, as it says above, and can be asked when it is done.")
        return
    key = UNIT_KEYS["none" if record.spec.unit == "none" else "edge"]
    other = next((one for one in alike if one.state == "done" and encoder_here(one)), None)
    if other is not None:
        st.button(
            f"Take seed {other.spec.seed}, which can be asked",
            key=f"take.{record.id}",
            icon=":material/swap_horiz:",
            on_click=show_run,
            args=(key, other.id),
        )
    seed = next(seed for seed in count() if seed not in {one.spec.seed for one in alike})
    if st.button(
        f"Train {role(record)} here",
        key=f"train_here.{record.id}",
        icon=":material/play_arrow:",
        help=f"Its settings, with seed {seed} and noise of your own. What it learns can be asked about texts",
    ):
        sent.train(record.id, [replace(record.spec, seed=seed)], key)
    sent.show(record.id)


def _twin(record: RunRecord | None, unit: str, beside: RunRecord | None = None) -> None:
    """The way to a run with the same options on the other side, where what stands there is another one."""
    if record is None:
        return
    differs = [] if beside is None else more_apart(record, beside)
    if not differs and beside is not None and record.spec.seed != beside.spec.seed:
        st.caption("The two are of different seeds: what privacy costs is told above by the means over seeds.")
        return
    if differs:
        told = "; ".join(f"{name} {own} there, {other} here" for name, own, other in differs)
        st.warning(
            f"What lies between the two is not the price of privacy alone, for they differ in more: "
            f"{markup.literal(told)}.",
            icon=":material/compare_arrows:",
        )
    elif beside is not None:
        return
    elif _pending(record.spec.dataset, unit):
        st.caption("One is in training, as it says above, and stands here when it is done.")
        return
    else:
        st.caption("None is finished that fits the other run: same data, encoder and domains.")
    try:
        wanted = _other(record, unit)
    except (OptionError, UnknownName):  # a run of an earlier version, with options that are admitted no more
        return
    held = next(iter(queue.store().find(RunQuery(ids=(wanted.id,)))), None)
    if held is not None and held.pending:
        st.caption("Its twin is in training, as it says above, and can be chosen here when it is done.")
    elif held is None or held.state != "done":
        what = "without privacy" if unit == "none" else f"with ε {PRIVATE_TWIN:g}"
        if st.button(f"Train the same {what}", key=f"twin_{unit}", icon=":material/play_arrow:"):
            sent.train("twin", [wanted], UNIT_KEYS[unit])


def _pending(data: str, unit: str) -> bool:
    waiting = queue.store().find(RunQuery(methods=METHODS, states=PENDING, limit=MOST_RUNS))
    return any(one.stored_spec is not None and (one.spec.dataset, one.spec.unit) == (data, unit) for one in waiting)


def _other(record: RunRecord, unit: str) -> RunSpec:
    """The same options without privacy, or with it."""
    asked = record.spec
    known = {one.name for one in parameters(METHOD_TABLE[METHODS[0]].load_config())}
    kept = {name: value for name, value in asked.options.items() if name in known and name not in GUARANTEE}
    given = {"unit": unit} if unit == "none" else {"unit": unit, "epsilon": PRIVATE_TWIN, "noise_multiplier": 0.0}
    return like(asked, {**kept, **given}, method=METHODS[0])
