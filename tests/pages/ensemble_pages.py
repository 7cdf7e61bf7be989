"""What tests of weighted teachers on the Teachers page share."""

from __future__ import annotations

import json
from collections.abc import Callable

from streamlit.testing.v1 import AppTest
from tests.figures.made_answers import answers as made_answers
from tests.pages.kept_runs import keep_ensemble

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.runs.store import RunStore

Open = Callable[..., AppTest]
PAYERS, VOTES = "Who pays", "Vote laboratory"
AT = ", weight 1.5"


def keep_run(store: RunStore, found: Ensemble, seed: int = 0, **options: object) -> str:
    return keep_ensemble(store, found, made_answers("counts", noise=3.0), seed, **options)


def numbers_of(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def drawn_of(app: AppTest) -> dict[str, str]:
    """What each figure of the page says to somebody who cannot see it, by the figure's key up to the run."""
    shown = [json.loads(one.proto.json) for one in app.get("bidi_component")]
    return {one["name"].split(".")[0]: one["summary"] for one in shown}
