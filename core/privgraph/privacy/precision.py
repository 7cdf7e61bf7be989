"""How precise a classifier of private node embeddings can be: Theorem 3 of HeterPoisson (Xiang et al. 2024),
and where it holds."""

import math

from privgraph.privacy.composition import check_delta


def precision_bound(epsilon: float, delta: float, classes: int, share: float | None = None) -> float:
    """The largest share of right answers among those for one class, if every node's embedding is (epsilon,
    delta)-private.

    With `share` s, the class's share of the nodes (none given: 1/`classes`, for which this is Equation 8 of
    the paper),

        precision <= (s e^epsilon + (1 - s) delta)/(s e^epsilon + 1 - s).

    What it takes: (1) epsilon holds under replacing a node by another with any other label, whose embedding
    is released under its name (an added or removed node has no embedding to compare); (2) the classifier is
    aligned: it gives the class to a share s of the nodes; (3) which label a node has is known from its data
    alone, not from who it is: the bound says nothing of embeddings that hold public names.

    Proof. Let p_l be the chance that a node of label l is given the class z. By (1) and (3) p_z <= e^epsilon
    p_l + delta for all l, and by (2) s = s p_z + sum over l not z of s_l p_l >= s p_z + (1 - s)(p_z - delta)
    e^-epsilon; solve for p_z, which is the precision by (2). The paper sums p_l over labels to 1 instead,
    which is right only where s is at most 1/C: a class of 9 in 10 nodes is guessed blindly with precision 0.9
    at epsilon 0, where Equation 8 says 1/C.

    >>> round(precision_bound(2.0, 1e-5, 10), 2), precision_bound(0.0, 0.0, 10, share=0.9)
    (0.45, 0.9)
    """
    check_delta(delta)
    if classes < 2:
        raise ValueError(f"precision_bound needs at least 2 classes (got {classes})")
    if not epsilon >= 0:
        raise ValueError(f"precision_bound: epsilon must not be negative (got {epsilon})")
    part = 1 / classes if share is None else share
    if not 0 < part < 1:
        raise ValueError(f"precision_bound: share must lie between 0 and 1 (got {share})")
    other = (1 - part) * math.exp(-epsilon)
    return min(1.0, (part + delta * other) / (part + other))
