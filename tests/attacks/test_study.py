"""What the study of attacks has found, as its README tells it: no bound exceeds its run's sound epsilon."""

import pytest

from privgraph.registry import METHODS
from privgraph.studies import attacks
from privgraph.studies.table import BEGIN, END

ROWS = [
    [entry.strip() for entry in line.strip("|").split("|")]
    for line in attacks.README.read_text().split(BEGIN)[1].split(END)[0].splitlines()
    if line.startswith("| ") and not line.startswith("| method")
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(row[:3]))
def test_no_bound_exceeds_the_sound_epsilon(row: list[str]) -> None:
    sound = float("inf") if row[2] == "∞" else float(row[2])
    if row[6] != "none":
        assert float(row[6].removeprefix(">= ")) <= sound
    area, low, high = (float(part) for part in row[4].replace("(", "").replace(")", "").replace(" to ", " ").split())
    assert low <= area <= high


def test_the_study_attacks_each_method_that_answers() -> None:
    assert {cell.method for cell in attacks.cells("cora")} == {name for name, spec in METHODS.items() if spec.asked}
