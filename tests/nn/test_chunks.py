"""Work in threads: the order of results, how far ahead of who asks, and what is left behind."""

import threading
from collections.abc import Iterator

import pytest
import torch
from tests.torch_threads import threads

from privgraph.nn.chunks import in_order


@pytest.fixture
def three_threads() -> Iterator[None]:
    with threads(3):
        yield


def test_results_come_in_order_whichever_ends_first(three_threads: None) -> None:
    second_ended = threading.Event()

    def work(item: int) -> int:
        if item == 0:
            assert second_ended.wait(30), "the second item is worked on while the first is"
        elif item == 1:
            second_ended.set()
        return item

    assert list(in_order(range(6), work, workers=2)) == list(range(6))


def test_operations_have_no_threads_inside_and_get_them_back(three_threads: None) -> None:
    inside = list(in_order(range(4), lambda _: torch.get_num_threads(), workers=2))
    assert inside == [1, 1, 1, 1]
    assert torch.get_num_threads() == 3


def test_no_more_is_taken_than_workers_and_one(three_threads: None) -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for item in range(100):
            taken.append(item)
            yield item

    results = in_order(items(), lambda item: item, workers=2)
    assert next(results) == 0
    assert len(taken) == 3, "gradients of large encoders are large"
    assert next(results) == 1
    assert len(taken) == 4
    results.close()
    assert len(taken) == 4
    assert torch.get_num_threads() == 3


def test_an_exception_reaches_who_asks_and_leaves_nothing_behind(three_threads: None) -> None:
    def work(item: int) -> int:
        if item == 2:
            raise ValueError("the third")
        return item

    with pytest.raises(ValueError, match="the third"):
        list(in_order(range(50), work, workers=2))
    assert torch.get_num_threads() == 3
