"""The page Report says beside a field which of its letters the PDF's font lacks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec

from privgraph.runs.store import RunStore
from privgraph_workbench import print_lines
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import collected
from privgraph_workbench.views.report.own_words import BOXES


def test_letters_without_print_are_told(
    opened: Callable[..., AppTest], store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(print_lines, "FALLBACKS", ())  # whatever fonts the computer has
    run = keep(store, spec(epsilon=2.0))
    app = opened("train", run=run)
    app.button(key=f"collect.{run}").click().run()
    app.switch_page(str(shell.folder() / "report.py")).run()
    said = BOXES.format(letters="王伟")
    assert not [one.value for one in app.warning if one.value == said]
    app.text_input(key=collected.AUTHOR).set_value("王伟").run()
    assert [one.value for one in app.warning if one.value == said] == [said]
    app.text_input(key=collected.AUTHOR).set_value("Zoë").run()
    assert not [one.value for one in app.warning if one.value == said]
    assert not app.exception
