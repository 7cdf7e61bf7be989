"""Addresses that people mistype, or that others make up: one sentence, never a traceback."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec

from privgraph.runs.store import RunStore

LONG = "x" * 10_000


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("train", {"seed": "inf"}),
        ("train", {"seed": "1e400", "seeds": "-inf", "hidden": "nan"}),
        ("train", {"split": "", "unit": "", "data": "", "method": "", "device": ""}),
        ("train", {"seed": "", "epsilon": "", "hidden": "", "delta": ""}),
        ("train", {"delta": "5e-324", "data": "social", "data__nodes": "100"}),
        ("train", {"method": "privgnn", "lam": "1e-308"}),
        ("train", {"method": "privgnn", "lam": "5e-324"}),
        ("train", {"seed": LONG, "delta": LONG, "epsilon": LONG, "method": LONG, "data": LONG, "run": LONG}),
        ("data", {"node": "inf", "data": "karate"}),
        ("data", {"node": "", "data": "karate", "data__nodes": "1e400"}),
        ("audit", {"audit": "", "shown": "", "scale": "", "audit__trials": "inf", "audit__delta": ""}),
        ("audit", {"audit__seed": "1e400", "audit": LONG, "run": LONG}),
        ("teachers", {"show": "", "lab__rate": "inf", "lab__gate_sigma": "", "tab": LONG, "run": LONG}),
        ("relations", {"private": "", "bare": LONG, "domain": "", "neighbours": "inf", "data": LONG}),
        ("relations", {"private": LONG, "domain": LONG, "neighbours": LONG}),
        ("tradeoffs", {"on": "", "protects": "", "curve": ""}),
        ("runs", {"page": "inf", "order": "", "of_state": "", "chosen": ""}),
        ("runs", {"page": "1e400", "find": LONG, "chosen": LONG}),
    ],
)
@pytest.mark.long
def test_no_address_leaves_a_traceback(
    opened: Callable[..., AppTest], store: RunStore, page: str, query: dict[str, str]
) -> None:
    for seed in range(2):
        keep(store, spec(seed=seed))
    app = opened(page, **query)
    for said in [*app.warning, *app.error, *app.info, *app.caption, *app.markdown]:
        assert "x" * 200 not in said.value
