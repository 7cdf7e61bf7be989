"""What is read of the page Attacks, by the tests of its parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
from streamlit.testing.v1 import AppTest

from privgraph.attacks.record import AttackRecord

Open = Callable[..., AppTest]


def box(app: AppTest) -> str:
    """The verdict of the run."""
    (box,) = [one.value for one in (*app.error, *app.warning, *app.info) if "of the time" in one.value]
    return box


def cells(app: AppTest) -> dict[str, list[str]]:
    """The numbers of the attack by the name of their line, in a column for each run."""
    (table,) = [one.value for one in app.markdown if one.value.startswith("|  | this run")]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return {name: cells for name, *cells in lines}


def unfold(app: AppTest) -> None:
    """Open all parts that are made when somebody asks for them, but for the table of all runs."""
    for part in ("scores", "exposed", "attacks", "compared"):
        app.session_state[f"fold.{part}"] = True
    app.run()
    assert not app.exception


def boxes(app: AppTest) -> list[str]:
    """The three numbers of the audit that is shown, in the order of their boxes: the first on the page."""
    return [text.value.removeprefix("#### ") for text in app.markdown if text.value.startswith("#### ")][:3]


def ahead(record: AttackRecord, found: int) -> AttackRecord:
    """As many before all others; the rest of the record as it was."""
    share = found / record.outcome.members
    rates = tuple(
        one if record.outcome.measurable(one) else replace(one, true=share, low=0.0) for one in record.outcome.rates
    )
    return replace(record, outcome=replace(record.outcome, rates=rates))


def table_of(app: AppTest, *, kept_first: bool = True) -> pd.DataFrame:
    """The table of all attacked runs, unfolded."""
    app.session_state["fold.overview"] = True
    if not kept_first:
        app.session_state["overview_kept_first"] = False
    app.run()
    assert not app.exception
    return next(one.value for one in app.dataframe if "verdict" in one.value.columns)
