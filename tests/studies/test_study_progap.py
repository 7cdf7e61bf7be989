"""The study: what it tries, how it chooses, and the table that it writes."""

from itertools import product
from pathlib import Path

import pytest
from tests.methods.toy_graphs import toy_graph

from privgraph.methods.aggregation.progap import study
from privgraph.options import build
from privgraph.registry import method
from privgraph.studies import table as study_table


def test_every_setting_that_is_tried_is_valid() -> None:
    for level, names in study.METHODS.items():
        for name in names:
            tried = list(study.settings(name, level, study.DEPTHS, study.RATES))
            if name in ("gap", "progap"):
                assert {(o["depth"], o["learning_rate"]) for o in tried} == set(product(study.DEPTHS, study.RATES))
            for options in tried:
                config = build(method(name).load_config(), options)
                assert config.unit == level
                assert level == "none" or name == "mlp" or config.accounting == "published"


@pytest.mark.long
def test_the_setting_of_highest_mean_validation_accuracy_is_reported() -> None:
    graphs = [toy_graph(split_seed=seed) for seed in range(2)]
    both = study.best("gap", "edge", "toy", graphs, depths=(1, 2), rates=(0.01,))
    each = [study.best("gap", "edge", "toy", graphs, depths=(depth,), rates=(0.01,)) for depth in (1, 2)]
    expected = max(each, key=lambda row: sum(row.val))
    assert both.options == expected.options
    assert both.val == pytest.approx(expected.val)
    assert both.epsilon_as_published is not None
    assert both.epsilon_as_published <= 1 < both.epsilon


def test_the_table_and_its_place_in_the_readme(tmp_path: Path) -> None:
    row = study.Row(
        dataset="toy",
        level="edge",
        method="progap",
        options={"depth": 3},
        test=(0.5, 0.6, 0.7),
        val=(0.5, 0.5, 0.5),
        epsilon=1.341,  # rounded up
        epsilon_as_published=1.0,
        delta=1e-6,
        seconds=1.0,
    )
    text = study.table([row])
    assert "| toy | edge level, epsilon 1 |  |  |  | 60.0 ± 10.0 (K 3) | 1.35 |" in text
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{study_table.BEGIN}\nold\n{study_table.END}\nafter\n")
    study_table.write_into(readme, text)
    assert readme.read_text() == f"before\n{study_table.BEGIN}\n{text}{study_table.END}\nafter\n"
    own = Path(study.__file__).with_name("README.md").read_text()
    assert own.count(study_table.BEGIN) == own.count(study_table.END) == 1
