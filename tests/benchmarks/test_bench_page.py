"""The page benchmark as a test: figures are printed, none is asserted."""

import pytest


@pytest.mark.benchmark
def test_page_draw(capsys: pytest.CaptureFixture[str]) -> None:
    from tests.benchmarks.bench_page import measure

    for row in measure(0):
        with capsys.disabled():
            print(row)
