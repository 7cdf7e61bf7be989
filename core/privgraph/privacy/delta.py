"""Which delta a run uses, and why: by public numbers alone."""


def delta_rule(units: int, asked: float = 0.0, *, what: str = "nodes") -> tuple[float, str]:
    """Delta and the sentence that explains it.

    `asked` above 0 is taken as it is; 0 chooses a power of ten below one over `units`: how many there are of
    `what`, a public number.

    >>> delta_rule(2000)
    (0.0001, 'a power of ten below 1 in 2,000 nodes')
    """
    return _chosen(units, asked, len(str(units)), f"a power of ten below 1 in {units:,} {what}")


def edge_delta_rule(nodes: int, asked: float = 0.0, *, what: str = "nodes") -> tuple[float, str]:
    """The same where edges or relations are protected, whose number is private: a power of ten below one over
    `nodes` to the power 1.5.

    >>> edge_delta_rule(2000)
    (1e-05, 'a power of ten below 1 in 2,000^1.5, from the number of nodes')
    >>> edge_delta_rule(100)[0], edge_delta_rule(99)[0]
    (0.0001, 0.001)
    """
    digits = (len(str(nodes**3)) + 1) // 2  # 10^(2 digits) > nodes^3
    return _chosen(nodes, asked, digits, f"a power of ten below 1 in {nodes:,}^1.5, from the number of {what}")


def _chosen(units: int, asked: float, digits: int, rule: str) -> tuple[float, str]:
    if units < 1:
        raise ValueError(f"a rule for delta needs at least one of what it counts (got {units})")
    if not 0 <= asked < 1:
        raise ValueError(f"delta must lie in [0, 1) (got {asked})")
    return (asked, "as asked for") if asked > 0 else (float(f"1e-{digits}"), rule)
