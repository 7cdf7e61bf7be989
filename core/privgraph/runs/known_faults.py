"""What is known by now to be wrong with runs of earlier versions, and which run carries what. No torch.

A run never changes in the store; what was found out since is said beside it, and where no finite epsilon
holds, none is shown. A fault stands here with the version that mended it, and with the runs that carry it, by
method, unit, options and data.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from privgraph.data.uploads import is_old
from privgraph.runs.spec import RunSpec

CHOSE_BY_LABELS = ("dp-mlp", "dp-gnn", "gap", "progap")
"""Methods that clip, and that could choose their epoch by private validation labels."""
_TORCH_NORMALS = (*CHOSE_BY_LABELS, "heter-poisson", "prompt-dpsgd")
_NUMPY = ("edge-rand", "privgnn", "pate", "dp-gpl")


@dataclass(frozen=True, kw_only=True)
class Fault:
    """`sentence` says it to who reads a run's statement. `mended`: the first version without it, in numbers;
    None where it is the data's name that carries it, whichever version trained. `voids`: no finite epsilon
    holds of any run that carries it, and none is shown."""

    name: str
    sentence: str
    mended: tuple[int, ...] | None
    carries: Callable[[RunSpec], bool]
    voids: bool = False


def _noisy(spec: RunSpec) -> bool:
    return spec.unit != "none" and spec.method in (*_TORCH_NORMALS, *_NUMPY)


def _gaussian_by_torch(spec: RunSpec) -> bool:
    return _noisy(spec) and spec.method in _TORCH_NORMALS and spec.options.get("noise", "gaussian") == "gaussian"


def _counted(spec: RunSpec) -> bool:
    if spec.method in ("gap", "progap"):
        return spec.unit == "edge" and not spec.options.get("delta")
    asymmetric = spec.method == "relation-rand" and spec.options.get("response") == "asymmetric"
    return asymmetric or (spec.method == "relational" and spec.unit == "edge")


FAULTS = (
    Fault(
        name="noise that can be predicted",
        sentence=(
            "noise and samples came from generators that are not cryptographic. Whoever sees enough of the "
            "noisy values and knows the rest of the data can compute the generator's state, and subtract "
            "the noise without the key (done for the cached aggregates of GAP and ProGAP at epsilon 0.01, "
            "which showed one friendship for certain)."
        ),
        mended=(0, 5, 0),
        carries=_noisy,
    ),
    Fault(
        name="tails that end",
        sentence=(
            "Gaussian noise was drawn with 24 bits, and on a processor never exceeds 5.77 standard "
            "deviations. A larger one proves who is there; where epsilon is about 8 or more, its chance "
            "exceeds delta."
        ),
        mended=(0, 5, 0),
        carries=_gaussian_by_torch,
    ),
    Fault(
        name="one record that spoils the run",
        sentence=(
            "one node with enormous features (about 1e19 and more) turned released numbers into NaN or "
            "stopped the run, and so showed that it is there: with such a node no finite epsilon holds."
        ),
        mended=(0, 5, 0),
        carries=lambda spec: spec.unit == "node" and spec.method in CHOSE_BY_LABELS,
    ),
    Fault(
        name="noise used again",
        sentence=(
            "the noise hangs on the run's settings alone. If it was trained more than once, after the data "
            "had changed or by another version, all these releases share their noise, and their difference "
            "shows without noise what changed."
        ),
        mended=(0, 5, 0),
        carries=_noisy,
    ),
    Fault(
        name="a name that tells of the data",
        sentence=(
            "the name of the uploaded graph, which stands in the run's id and in all exports, is a hash of "
            "the graph without a key. Whoever can guess all of it but one friendship can try both. Upload "
            "the graph again: its new name tells nothing."
        ),
        mended=None,
        carries=lambda spec: is_old(spec.dataset),
    ),
    Fault(
        name="an epoch chosen for nothing",
        sentence=(
            "the epoch was chosen by what the model says of private validation nodes, and the sound epsilon "
            "that was stated then does not cover that choice: it is infinite (0.1 was stated where an attack "
            "has 0.69)."
        ),
        voids=True,
        mended=(0, 5, 0),
        carries=lambda spec: (
            spec.unit == "node" and spec.method in CHOSE_BY_LABELS and spec.options.get("selection") == "validation"
        ),
    ),
    Fault(
        name="a sum whose width one node decides",
        sentence=(
            "every node's list was padded to the fullest one, so that one node that leaves could move the rounding of "
            "all sums: 1,116 clips on records made for it, where 17 are proved."
        ),
        mended=(0, 6, 0),
        carries=lambda spec: spec.method == "dp-gnn" and spec.unit == "node",
    ),
    Fault(
        name="roles that follow the number of nodes",
        sentence=(
            "the stated relation adds or removes a node, and then everybody's role in the split or the parts is drawn "
            "anew (0.1 was stated where an attack has 3.26): what holds is for a node that opts out of a roster whose "
            "roles stay."
        ),
        mended=(0, 6, 0),
        carries=lambda spec: spec.method in ("dp-mlp", "privgnn") and spec.unit == "node",
    ),
    Fault(
        name="a rule that reads a private count",
        sentence=(
            "delta, the sampling rate or the chances of an answer followed the exact number of edges or relations, "
            "which one edge can move."
        ),
        mended=(0, 6, 0),
        carries=_counted,
    ),
)
"""Six that were mended with version 0.5.0, and three with 0.6.0."""


def known_faults(spec: RunSpec, version: str) -> tuple[str, ...]:
    """Which faults a run of `spec` carries that the program `version` made, a sentence each.

    `version` is that of `program.program`; "" is a version before 0.5.0, which did not say.

    >>> spec = RunSpec(method="gap", dataset="cora", options={"unit": "edge"})
    >>> [len(known_faults(spec, by)) for by in ("", "0.5.0+ab", "0.6.0.dev0+ab")]
    [4, 1, 0]
    """
    return tuple(fault.sentence for fault in _carried(spec, version))


def voided(spec: RunSpec, version: str) -> bool:
    """Whether no finite epsilon holds of a run of `spec` that the program `version` made."""
    return any(fault.voids for fault in _carried(spec, version))


def _carried(spec: RunSpec, version: str) -> list[Fault]:
    return [fault for fault in _since(version) if fault.carries(spec)]


@lru_cache(maxsize=64)
def _since(version: str) -> tuple[Fault, ...]:
    """The faults that are mended after that version, or not yet."""
    release = _release(version)
    return tuple(fault for fault in FAULTS if fault.mended is None or release < fault.mended)


def _release(version: str) -> tuple[int, ...]:
    """The numbers of a release; what cannot be read is taken for an old one.

    >>> _release("0.12.1+1a2b"), _release("")
    ((0, 12, 1), ())
    """
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()
