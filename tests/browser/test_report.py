"""The report in a browser: it opens without any network, and axe finds nothing in it."""

from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Page
from tests.browser.driving import faults
from tests.figures.made_attacks import attack as made_attack
from tests.workbench.test_report import HOSTILE, entry, made, opened

from privgraph.runs.store import RunStore
from privgraph_workbench.figures.attacks import attack_roc
from privgraph_workbench.figures.costs import entry_costs
from privgraph_workbench.report import archive
from privgraph_workbench.report.asked import Asked, Entry
from privgraph_workbench.words.naming import statements_of


def test_three_figures_are_equal_twice_and_open_offline(page: Page, store: RunStore, tmp_path: Path) -> None:
    records = made(store)
    attack = Entry.of("attack_roc", attack_roc.data([replace(made_attack(), run=records[0].id)], "log"), {}, [])
    costs = Entry.of("entry_costs", entry_costs.data([(HOSTILE[0], 0.5, 0.7)], 1.0), statements_of(records), [])
    entries = [entry(records), replace(costs, title=HOSTILE[1]), replace(attack, ticked=True)]
    asked = Asked(title="Ours", remark="\n".join(HOSTILE), entries=entries)
    first, second = (archive.pack(asked, store) for _ in range(2))
    assert first == second
    report = tmp_path / "report.html"
    report.write_bytes(opened(first)["report.html"])
    asked_for: list[str] = []
    wrong: list[str] = []
    page.context.set_offline(True)
    page.on("request", lambda request: asked_for.append(request.url))
    page.on("pageerror", lambda error: wrong.append(error.message))
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.goto(report.as_uri())
        assert page.locator("img").evaluate_all("all => all.map(one => one.naturalWidth > 0)") == [True] * 3
        assert faults(page, "the report") == []
    assert not wrong
    assert {one for one in asked_for if not one.startswith("data:")} == {report.as_uri()}
