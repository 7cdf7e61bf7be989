"""Large CSV files are read by Arrow: the same graph, and where something is wrong the same sentence, as line
by line."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privgraph.data import upload_arrow
from privgraph.data.errors import UploadError
from privgraph.data.upload import Limits, check_upload

SMALL = Limits(nodes=40, edges=60, features=4, cells=120, classes=6)
NODES = "id,label,a,b\n" + "".join(f"n{i},{'xyz'[i % 3]},{i / 7},{-i}e-3\n" for i in range(12))
EDGES = "source,target\n" + "".join(f"n{i},n{(i * 5 + 1) % 12}\n" for i in range(12))


def outcome(nodes: bytes, edges: bytes) -> tuple[Any, ...]:
    """All of the graph, or what is said."""
    try:
        found = check_upload({"edges.csv": edges, "nodes.csv": nodes}, limits=SMALL)
    except UploadError as error:
        return (str(error),)
    arrays = tuple((array.dtype.str, array.shape, array.tobytes()) for array in (found.x, found.y, found.edges))
    return (*arrays, found.class_names, found.feature_names, found.notes)


@pytest.fixture(scope="module")
def both() -> Callable[[bytes, bytes], tuple[Any, Any, bool]]:
    """What comes of two files line by line and by Arrow, and whether Arrow read both of them."""

    def read(nodes: bytes, edges: bytes) -> tuple[Any, Any, bool]:
        quick: list[bool] = []

        def noted(real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*arguments: Any) -> Any:
                given = real(*arguments)
                quick.append(given is not None)
                return given

            return call

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(upload_arrow, "WORTH_IT", math.inf)
            slow = outcome(nodes, edges)
            patch.setattr(upload_arrow, "WORTH_IT", 0)
            patch.setattr(upload_arrow, "edges", noted(upload_arrow.edges))
            patch.setattr(upload_arrow, "nodes", noted(upload_arrow.nodes))
            fast = outcome(nodes, edges)
        return slow, fast, quick == [True, True]

    return read


@pytest.mark.parametrize(
    ("nodes", "edges"),
    [
        (NODES, EDGES),
        (NODES.replace("\n", "\r\n"), EDGES.replace("\n", "\r\n")),
        ("\ufeff" + NODES, "\ufeff" + EDGES),
        (NODES.replace("n3", " n3 "), EDGES.replace("n3", "\tn3\u2003")),
        (NODES.replace("\n", "\n\n"), EDGES + "\n\n"),
        (NODES.replace("n5", "Zoë 東"), EDGES.replace("n5", "Zoë 東")),
        (NODES.replace("x,", "x , ").replace("-0e-3", "1.17549435e-39"), EDGES.rstrip("\n")),
    ],
)
def test_plain_files_are_read_by_arrow_alone(nodes: str, edges: str, both: Callable[..., Any]) -> None:
    slow, fast, quick = both(nodes.encode(), edges.encode())
    assert slow == fast
    assert len(fast) > 1
    assert quick


@pytest.mark.parametrize(
    ("nodes", "edges"),
    [
        (NODES, EDGES + "n1,nobody\n"),
        (NODES, EDGES + "n1\n"),
        (NODES, EDGES + '"n1","n2"\n'),
        (NODES, EDGES + '"n1,n2\n'),
        (NODES, EDGES + "n1,n\x002\n"),
        (NODES, EDGES + "n1,n2\rn2,n3\r"),
        (NODES, EDGES + "n1,n2\n" * 60),
        (NODES, "source,target"),
        (NODES + "n1,x,1,1\n", EDGES),
        (NODES + "m,,1,1\n", EDGES),
        (NODES + "m,x,,1\n", EDGES),
        (NODES + "m,x,nan,1\n", EDGES),
        (NODES + "m,x,1e39,1\n", EDGES),
        (NODES + "m,x,0x10,1\n", EDGES),
        (NODES + "m,x,+1,1_000\n", EDGES),
        (NODES + "m,x,٣,1\n", EDGES),
        (NODES + "m,NA,null,1\n", EDGES),
        (NODES + "".join(f"m{i},x,1,1\n" for i in range(40)), EDGES),
        (NODES.replace("-", "−"), EDGES),
    ],
)
def test_what_is_not_plain_is_answered_as_before(nodes: str, edges: str, both: Callable[..., Any]) -> None:
    slow, fast, _ = both(nodes.encode(), edges.encode())
    assert slow == fast


def test_a_line_without_an_end(both: Callable[..., Any]) -> None:
    slow, fast, _ = both(NODES.encode(), EDGES.encode() + b"n" * 1_000_001)
    assert slow == fast
    assert "1,000,000 letters" in slow[0]


FIELD = st.one_of(
    st.sampled_from(
        ["n0", "n1", "n2", "", " ", "1", "1.5", "-2e3", "inf", "NaN", "\ufeff", "\u2003n1", "\x1cn1", "1e400"]
    ),
    st.floats(width=64).map(repr),
    st.text(alphabet=st.characters(exclude_characters=","), max_size=3),
)


@pytest.mark.long
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    nodes=st.lists(st.lists(FIELD, min_size=3, max_size=5), max_size=4),
    edges=st.lists(st.lists(FIELD, min_size=1, max_size=3), max_size=4),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_strange_files(nodes: list[list[str]], edges: list[list[str]], end: str, both: Callable[..., Any]) -> None:
    written = [
        text.replace("\n", end) + "".join(",".join(row) + end for row in rows)
        for text, rows in ((NODES, nodes), (EDGES, edges))
    ]
    slow, fast, _ = both(*(text.encode("utf-8", "surrogatepass") for text in written))
    assert slow == fast


@settings(max_examples=300, deadline=None)
@given(values=st.lists(st.floats(width=64, min_value=-1e38, max_value=1e38).map(repr), min_size=12, max_size=12))
def test_numbers_are_rounded_as_before(values: list[str]) -> None:
    nodes = "id,label,a\n" + "".join(f"n{i},{'xy'[i % 2]},{value}\n" for i, value in enumerate(values))
    found = upload_arrow.nodes(nodes.encode(), 3, 0, 1, SMALL)
    assert found is not None
    assert found[2][:, 0].tolist() == [float(np.float32(float(value))) for value in values]
