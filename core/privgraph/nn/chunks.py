"""Work done chunk by chunk, one thread a chunk, with no more chunks held than there are threads, plus one."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Event
from typing import TypeVar

import torch

Chunk = TypeVar("Chunk")
Result = TypeVar("Result")


def work_through(
    chunks: Iterator[Chunk], work: Callable[[Chunk, Event], Result], *, workers: int, tell_seconds: float = 0.5
) -> Iterator[Result | None]:
    """Results in the order in which chunks end, and None whenever `tell_seconds` have passed without one.

    `chunks` is asked from the calling thread, ahead by one. No operation has threads inside, those of the
    calling thread included until the end: on small tensors they would wait for each other, and for the
    workers. `work` is told by its event that nobody wants its result any more: when the iterator is closed,
    or when a chunk fails, whose exception is raised here.
    """
    stop, waiting = Event(), set[Future[Result]]()
    threads = torch.get_num_threads()
    pool = ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,))
    torch.set_num_threads(1)
    try:
        chunk = next(chunks, None)
        while chunk is not None or waiting:
            if chunk is not None and len(waiting) < workers:
                waiting.add(pool.submit(work, chunk, stop))
                chunk = next(chunks, None)
                continue
            ended, waiting = wait(waiting, tell_seconds, FIRST_COMPLETED)
            if not ended:
                yield None
            for future in ended:
                yield future.result()
    finally:
        stop.set()
        pool.shutdown()
        torch.set_num_threads(threads)


def in_order(items: Iterable[Chunk], work: Callable[[Chunk], Result], *, workers: int) -> Iterator[Result]:
    """The results of all items in their order, `workers` threads ahead of who asks by at most one result.

    No operation has threads inside, and so no result hangs on how many there are: what a sum over many
    threads is rounded to does. Where other processes keep the cores busy, threads inside small operations
    wait for each other most of the time. An exception of `work` is raised here, and what has not begun then
    does not begin; nor does it where the iterator is closed.
    """
    threads = torch.get_num_threads()
    pool = ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,))
    torch.set_num_threads(1)
    ahead = deque[Future[Result]]()
    try:
        for item in items:
            ahead.append(pool.submit(work, item))
            if len(ahead) > workers:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(threads)
