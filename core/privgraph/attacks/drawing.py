"""Who trains in which model of an attack: drawn by a coin of our own. NumPy only.

The pool are the nodes that may train. The models that are attacked draw their training nodes uniformly and
independently of all others, as a random split does, so that what is found about one of them rests on its own
coins alone. Shadow models are drawn in company: each trains on as many nodes, uniformly drawn, and each node
is left out of equally many of them, give or take one; a node that happens to be in all of them could not be
judged.
"""

import numpy as np

from privgraph.attacks.signals import Bools

TOGETHER = 16
"""Models that are trained as one stack at most. Where an attack is stopped later, what they say is kept."""


def independent(models: int, pool: int, members: int, random: np.random.Generator) -> Bools:
    """(models, pool): in each row, `members` of the pool, uniform and independent of the other rows."""
    drawn = np.zeros((models, pool), dtype=np.bool_)
    for row in drawn:
        row[random.permutation(pool)[:members]] = True
    return drawn


def balanced(models: int, pool: int, members: int, random: np.random.Generator) -> Bools:
    """(models, pool): in each row, `members` of the pool; each column is left out floor or ceil of
    models (1 - members/pool) times.

    Those left out are consecutive stretches of random orders of the pool, laid end to end. Where a stretch
    goes over the end of one order, the next begins with nodes that are not in it yet.
    """
    out = pool - members
    drawn = np.ones((models, pool), dtype=np.bool_)
    order = random.permutation(pool)
    for row in drawn:
        left = order[:out]
        order = order[out:]
        if len(left) < out:
            taken = np.isin(np.arange(pool), left)
            fresh = random.permutation(np.flatnonzero(~taken))
            missing = out - len(left)
            left = np.concatenate([left, fresh[:missing]])
            order = random.permutation(np.concatenate([fresh[missing:], np.flatnonzero(taken)]))
        row[left] = False
    return drawn


def fewest(pool: int, members: int, *, online: bool) -> int:
    """How many shadow models it takes for each node to be left out of two of them and, online, in two others.

    >>> fewest(2437, 2031, online=True), fewest(100, 50, online=True), fewest(100, 10, online=False)
    (13, 4, 3)
    """
    rarest = min(members, pool - members) if online else pool - members
    return -(-2 * pool // rarest)
