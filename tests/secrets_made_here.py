"""Secret streams of tests: keyed by nothing secret, so that they repeat."""

from collections.abc import Callable

from privgraph.streams import Secret

KEY = b"a key that everybody knows"


def secret(seed: int = 0, name: str = "noise") -> Secret:
    """The start of a stream."""
    return Secret(KEY, seed, name)


def draws(seed: int) -> Callable[[str], Secret]:
    """Streams by name, as `Context.shared_secret` gives them."""
    return lambda name: secret(seed, name)
