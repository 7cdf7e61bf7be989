"""Train one more run on the chosen data: its options openly, beginning with those of the chosen run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count, islice

import streamlit as st

from privgraph.options import OptionError, Parameter, Scalar, parameters
from privgraph.registry import METHODS as METHOD_TABLE
from privgraph.runs.records import PENDING, RunQuery, RunRecord
from privgraph.runs.spec import RunSpec
from privgraph_workbench.facts.references import GUARANTEE
from privgraph_workbench.forms import widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.relations import sent
from privgraph_workbench.views.relations.runs import METHODS, UNIT_KEYS, Pair, like
from privgraph_workbench.words import markup, naming

OPEN = ("steps", "batch_size", "negatives", "learning_rate")
"""Options that are offered for every run."""
PRIVATE = ("epsilon", "clip")
"""Options that a private run alone has."""
UNITS = {"edge": "With privacy", "none": "Without privacy"}
MOST_SEEDS = 5
MOST_RUNS = 500


def show(pair: Pair) -> None:
    """The form, and what training takes."""
    chosen = pair.first
    method = naming.method_title(METHODS[0])
    prefix = f"new.{chosen.id[-4:]}."
    with st.expander(f"Train another run of {method}", key="fold.another", icon=":material/play_arrow:"):
        left, right = st.columns([2, 1], vertical_alignment="bottom")
        unit = left.segmented_control(
            "Training",
            list(UNITS),
            default="none" if chosen.spec.unit == "none" else "edge",
            format_func=UNITS.__getitem__,
            required=True,
            key=f"{prefix}unit",
        )
        seeds = int(
            right.number_input(
                "Seeds",
                1,
                MOST_SEEDS,
                1,
                key=f"{prefix}seeds",
                help="So many runs, each with a seed that none here has",
            )
        )
        filled = widgets.options_form(_offered(pair, unit), prefix=prefix, heading=False, flat=True)
        if filled.errors:
            return
        asked = _options(pair, unit, filled.values)
        try:
            wanted = _free(pair, asked, seeds)
        except OptionError as error:
            st.error(markup.sentence(error))
            return
        going = _going(wanted[0])
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button(
                f"Train {seeds} run{'s' * (seeds > 1)}",
                key="train_new",
                type="primary",
                icon=":material/play_arrow:",
                disabled=going,
                help="These settings are in training. Move one of them for another run" if going else None,
            ):
                sent.train("new", wanted, UNIT_KEYS[unit])
            st.page_link(
                shell.page("train"),
                label="All options",
                icon=":material/tune:",
                query_params=_address(pair, asked),
            )
        st.caption(_takes(chosen))
    sent.show("new")


def _going(wanted: RunSpec) -> bool:
    """Whether a run of these settings is under way, with any seed: the next is one more look."""
    held = queue.store().find(RunQuery(methods=METHODS[:1], states=PENDING, limit=MOST_RUNS))
    specs = [one.spec for one in held if one.stored_spec is not None]
    return any(
        (one.dataset, one.data_options, one.options) == (wanted.dataset, wanted.data_options, wanted.options)
        for one in specs
    )


def _free(pair: Pair, options: Mapping[str, Scalar], seeds: int) -> list[RunSpec]:
    """So many specs with these options, with the first seeds from the chosen run's on that are not here."""
    held = queue.store().find(RunQuery(methods=METHODS[:1], limit=MOST_RUNS))
    there = {one.id for one in held if one.pending or one.state == "done"}
    asked = pair.first.spec
    specs = (like(asked, options, method=METHODS[0], seed=seed) for seed in count(asked.seed))
    return list(islice((one for one in specs if one.id not in there), seeds))


def _offered(pair: Pair, unit: str) -> list[Parameter]:
    """The options of the form, at the values of the chosen run."""
    known = {one.name: one for one in parameters(METHOD_TABLE[METHODS[0]].load_config())}
    names = (*PRIVATE, *OPEN) if unit == "edge" else OPEN
    own = pair.first.spec.options
    return [replace(known[name], default=own.get(name, known[name].default)) for name in names]


def _options(pair: Pair, unit: str, values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """All options of the run that is asked for: those that are not in the form are the chosen run's."""
    known = {one.name for one in parameters(METHOD_TABLE[METHODS[0]].load_config())}
    kept = {name: value for name, value in pair.first.spec.options.items() if name in known and name not in GUARANTEE}
    given = {"noise_multiplier": 0.0} if unit == "edge" else {}
    return {**kept, **given, **values, "unit": unit}


def _address(pair: Pair, options: Mapping[str, Scalar]) -> dict[str, str]:
    """What fills the form of the Train page with all of these."""
    spec = pair.first.spec
    known = parameters(METHOD_TABLE[METHODS[0]].load_config())
    return {
        "method": METHODS[0],
        "data": spec.dataset,
        "split": spec.split,
        "seed": str(spec.seed),
        "device": spec.device,
        **widgets.address(options, known=known),
        **widgets.address(spec.data_options, prefix="data."),
    }


def _takes(chosen: RunRecord) -> str:
    """Which options the form leaves out, and what several private ones cost together."""
    if chosen.spec.method != METHODS[0]:
        method, other = naming.method_title(METHODS[0]), naming.method_title(chosen.spec.method)
        kept = f"This form trains {method}; the chosen run is of {other}, and options of both are as in that run."
    else:
        kept = "Options that are not here are those of the chosen run."
    return (
        f"{kept} Each private run reads the same relations again: all of them together reveal more than the ε of one."
    )
