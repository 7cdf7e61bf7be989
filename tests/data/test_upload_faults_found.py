"""Uploads that once lost an edge or a value unseen, or were refused with a wrong sentence or none."""

from __future__ import annotations

import io

import pytest

from privgraph.data.errors import UploadError
from privgraph.data.upload import check_upload
from privgraph.data.upload_columns import Columns, guess
from privgraph.data.upload_graphml import Attributes, read_graphml
from privgraph.data.upload_lines import edge_list, no_table

NAMES = ("#1", "b", "c", "d", "e", "g", "h", "i", "j", "k")
NODES = "\n".join(["id,label,f", *(f"{one},{'ab'[at % 2]},{at}" for at, one in enumerate(NAMES))]).encode()
EDGES = b"source,target\nb,c\nc,d\n"


@pytest.mark.parametrize("text", ["#1 b\nb c\nc d\n", "#1,b\nb,c\nc,d\n", "# made by hand\n#1 b\nb c\nc d\n"])
def test_an_edge_of_a_node_whose_name_looks_like_a_comment_is_kept(text: str) -> None:
    found = check_upload({"e.txt": text.encode(), "n.csv": NODES})
    assert found.edges.T.tolist() == [[0, 1], [1, 2], [2, 3]]
    alone = edge_list(text.encode())
    assert alone is not None
    assert alone.pairs == 3


def test_edges_between_such_nodes_are_kept_too() -> None:
    found = edge_list(b"#1 #2\n#2 #3\nb c\nc d\n")
    assert found is not None
    assert (found.listed, found.comments) == (4, "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# made by hand\n% twice\nb c\nc d\n", "2 lines at the top of a file were skipped as comments, the first: "),
        ("#source\ttarget\nb\tc\nc\td\n", "1 line at the top of a file was skipped as a comment: #source?target"),
        ("# a\u2028b\nb c\nc d\n", "1 line at the top of a file was skipped as a comment: # a?b"),
    ],
)
def test_lines_that_are_skipped_as_comments_are_told(text: str, said: str) -> None:
    found = check_upload({"e.txt": text.encode(), "n.csv": NODES})
    assert found.edges.T.tolist() == [[1, 2], [2, 3]]
    assert any(note.startswith(said) for note in found.notes), found.notes
    alone = edge_list(text.encode())
    assert alone is not None
    assert alone.comments.startswith(said)
    assert not any("skipped" in note for note in check_upload({"e": EDGES, "n": NODES}).notes)


def test_a_comment_above_numbers_is_no_edge_though_it_ends_with_one_of_them() -> None:
    found = edge_list(b"#nodes 3\n1 2\n2 3\n")
    assert found is not None
    assert (found.listed, "#nodes 3" in found.comments) == (2, True)


@pytest.mark.parametrize("banner", [b"%%MatrixMarket matrix coordinate pattern symmetric\n", b"%%matrixmarket\n% c\n"])
def test_a_matrix_market_file_is_refused_as_one(banner: bytes) -> None:
    content = banner + b"3 3 2\n1 2 1\n2 3 1\n"
    for files in ({"e.mtx": content}, {"e.mtx": content, "n.csv": NODES}):
        with pytest.raises(UploadError, match=r"^This is a MatrixMarket file, and its line of sizes is no edge: "):
            check_upload(files)
    assert edge_list(content) is None
    assert no_table(content).startswith("is a MatrixMarket file")


KEYS = '<key id="l" for="node" attr.name="label"/><key id="f" for="node" attr.name="f" attr.type="double"/>'


def _graphml(more: str = "", keys: str = "", count: int = 12) -> bytes:
    """Nodes with a class, a feature and `more`, where `AT` is the node's number and `AB` is a or b."""
    nodes = "".join(
        f'<node id="n{at}"><data key="l">{"ab"[at % 2]}</data><data key="f">{at}</data>'
        f"{more.replace('AT', str(at)).replace('AB', 'ab'[at % 2])}</node>"
        for at in range(count)
    )
    return f'<graphml>{KEYS}{keys}<graph>{nodes}<edge source="n0" target="n1"/></graph></graphml>'.encode()


OFFICE = '<key id="o" for="node" attr.name="office" attr.type="string"/>'
CODED = Attributes(one_hot=("office",))
MEANT_CODED = Columns(edges=0, source="source", target="target", id="id", label="label", one_hot=("office",))


def test_names_of_features_that_are_alike_once_they_are_cut_are_refused_in_either_form() -> None:
    town = "x" * 60
    said = "Two features of the nodes would have the same name, office=x+: leave out a column, or shorten its values"
    with pytest.raises(UploadError, match=said):
        check_upload({"g": _graphml(f'<data key="o">{town}AB</data>', OFFICE)}, attributes=CODED)
    rows = "\n".join(["id,label,office", *(f"{one},{'ab'[at % 2]},{town}{at % 2}" for at, one in enumerate(NAMES))])
    with pytest.raises(UploadError, match=said):
        check_upload({"e": EDGES, "n": rows.encode()}, columns=MEANT_CODED)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('<data key="f">99</data>', "Node n0 has the attribute f twice"),
        ('<data key="l">b</data>', "Node n0 has the attribute label twice"),
        ('<data key="g">1<data key="g">2</data></data>', "Node n0 has an element inside its attribute g"),
        ('<data key="g">1<b>2</b></data>', "Node n0 has an element inside its attribute g"),
    ],
)
def test_an_attribute_that_a_node_has_twice_or_nested_is_refused(more: str, said: str) -> None:
    keys = '<key id="g" for="node" attr.name="g" attr.type="int"/>'
    with pytest.raises(UploadError, match=said):
        check_upload({"g": _graphml(more, keys)})


def test_drawings_inside_attributes_that_are_not_read_are_no_fault() -> None:
    from privgraph.data.upload_checks import Limits

    drawn = '<data key="d"><y:ShapeNode><y:Fill color="red"/></y:ShapeNode></data>'
    file = _graphml(drawn, '<key id="d" for="node" yfiles.type="nodegraphics"/>')
    assert read_graphml(io.BytesIO(file), Limits()).x.shape == (12, 1)


def test_ends_are_the_columns_that_belong_together() -> None:
    found = edge_list(b"u,source,target\n9,1,2\n9,2,3\n")
    assert found is not None
    assert ({*found.degrees}, found.ignored) == ({"1", "2", "3"}, ("u",))
    found = edge_list(b"source,to,from\n9,1,2\n9,2,3\n")
    assert found is not None
    assert {*found.degrees} == {"1", "2", "3"}
    told = guess([("source", "to", "from"), ("id", "label", "f", "g")])
    assert (told.source, told.target) == ("from", "to")
