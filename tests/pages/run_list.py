"""What tests read of the list of runs."""

from __future__ import annotations

import json
from typing import Any

from streamlit.testing.v1 import AppTest


def rows_of(app: AppTest) -> list[dict[str, Any]]:
    """The rows of the list."""
    found = next(data for one in app.get("bidi_component") if "rows" in (data := json.loads(one.proto.json)))
    rows: list[dict[str, Any]] = found["rows"]
    return rows


def table_of(app: AppTest) -> list[str]:
    """The ids in the list, in order."""
    return [run["id"] for row in rows_of(app) for run in row["runs"]]
