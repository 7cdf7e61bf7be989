"""What every engine runs on its machines: one worker that pulls. No torch before it begins."""

import os
from collections.abc import Mapping, Sequence


def work(surroundings: Mapping[str, str], words: Sequence[str]) -> int:
    """Pull with these flags and this store until nothing is left; what the machine itself says of its home
    and its data counts."""
    os.environ.update(surroundings)
    from privgraph.runs.pulling import main

    return main(words)
