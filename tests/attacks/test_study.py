"""What the study of attacks has found, as its README tells it: no bound exceeds its run's sound epsilon."""

from __future__ import annotations

import pytest

from privgraph.methods.prompts.prompt.config import Config
from privgraph.registry import METHODS
from privgraph.studies import attacks, prompt_shots
from privgraph.studies.table import BEGIN, END

ROWS = [
    [entry.strip() for entry in line.strip("|").split("|")]
    for line in attacks.README.read_text().split(BEGIN)[1].split(END)[0].splitlines()
    if line.startswith("| ") and not line.startswith("| method")
]


def test_there_are_rows_of_every_privacy_unit() -> None:
    assert {row[1] for row in ROWS} == {"nothing", "nodes", "edges"}
    assert len(ROWS) >= 20


@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(row[:3]))
def test_no_bound_exceeds_the_sound_epsilon(row: list[str]) -> None:
    sound = float("inf") if row[2] == "∞" else float(row[2])
    if row[6] != "none":
        assert float(row[6].removeprefix(">= ")) <= sound
    area, low, high = (float(part) for part in row[4].replace("(", "").replace(")", "").replace(" to ", " ").split())
    assert low <= area <= high


def test_the_study_attacks_each_method_that_answers() -> None:
    assert {cell.method for cell in attacks.cells("cora")} == {name for name, spec in METHODS.items() if spec.asked}


@pytest.mark.parametrize("dataset", ["cora", "citeseer"])
def test_the_study_of_prompts_asks_for_the_figure_and_then_changes_one_option_at_a_time(dataset: str) -> None:
    asked = prompt_shots.settings(dataset)
    assert [one.shots for one in asked if not one.options] == [1, 2, 3, 4, 5]
    changed = [one for one in asked if one.options]
    assert all(len(one.options) == 1 and one.shots == 5 for one in changed)
    assert ("pretrain_on", dataset) not in {one.options[0] for one in changed}
    default = Config()
    assert all(getattr(default, name) != value for one in changed for name, value in one.options)
    assert len({prompt_shots.key(dataset, one, 2, 3) for one in asked}) == len(asked)
    kept = {prompt_shots.key(dataset, asked[0], 2, 3): {name: [0.9, 0.8, 1.0] for name in prompt_shots.SCORES}}
    assert "| 1 | default options | 0.900 (0.800 to 1.000) |" in prompt_shots.text(dataset, kept, 2, 3)
    assert prompt_shots.text(dataset, {}, 2, 3) == ""
