"""What a person says of the columns of an upload, what its lines lack, and what is told of all that."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from tests.data import uploads_made_here as made

from privgraph.data.errors import UploadError
from privgraph.data.upload import check_upload, save_upload, upload_spec
from privgraph.data.upload_categories import MOST
from privgraph.data.upload_columns import Columns, headers
from privgraph.data.upload_faults import faults, in_words
from privgraph.data.upload_graphml import Attributes
from privgraph.data.upload_lines import edge_list, no_table, nodes_to_fill_in, shape
from privgraph.data.upload_look import graphml_nodes
from privgraph.data.uploads import name_of, node_ids, rename_upload

OFFICES = ("Bonn", "Ulm", "")
NODES = ["id,age,salary,office,department"]
NODES += [f"emp{at},{20 + at},{1000 * at},{OFFICES[at % 3]},{'IT' if at % 2 else 'HR'}" for at in range(12)]
EDGES = ["source,target,weight", *(f"emp{at},emp{(at + 1) % 12},0.5" for at in range(12))]
MEANT = Columns(edges=0, source="source", target="target", id="id", label="department", one_hot=("office",))


def _files(edges: list[str], nodes: list[str]) -> dict[str, bytes]:
    return {"e.csv": "\n".join(edges).encode(), "n.csv": "\n".join(nodes).encode()}


def test_categories_become_features_and_count_as_public() -> None:
    found = check_upload(_files(EDGES, NODES), columns=MEANT)
    assert found.feature_names == ("age", "salary", "office=(none)", "office=Bonn", "office=Ulm")
    assert found.x[:3, 2:].tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    assert found.class_names == ("HR", "IT")
    assert any(
        "office: the list of categories is taken from your data, and counts as public" in one for one in found.notes
    )
    assert "Ignored of the edges: weight." in found.notes
    for wrong in (replace(MEANT, one_hot=("department",)), replace(MEANT, left_out=("office",))):
        with pytest.raises(UploadError, match=f"column {wrong.one_hot[0]} is no feature, so none of its categories"):
            check_upload(_files(EDGES, NODES), columns=wrong)
    many = [NODES[0], *(f"e{at},{at},1,town {at},{'ab'[at % 2]}" for at in range(MOST + 1))]
    with pytest.raises(UploadError, match=f"office has {MOST + 1} different values, and at most {MOST}"):
        check_upload(_files(["source,target", "e0,e1"], many), columns=MEANT)


def _graphml(kind: str = "string", directed: str = "directed") -> str:
    nodes = "".join(
        f'<node id="p{at}"><data key="a">{at}</data><data key="o">{OFFICES[at % 2]}</data>'
        f'<data key="d">{"xy"[at % 2]}</data></node>'
        for at in range(12)
    )
    edges = "".join(f'<edge source="p{at}" target="p{(at + 1) % 12}"><data key="w">2</data></edge>' for at in range(12))
    return (
        '<graphml><key id="a" for="node" attr.name="age" attr.type="int"/>'
        f'<key id="o" for="node" attr.name="office" attr.type="{kind}"/>'
        '<key id="d" for="node" attr.name="department" attr.type="string"/>'
        '<key id="w" for="edge" attr.name="weight" attr.type="int"/>'
        f'<graph edgedefault="{directed}">{nodes}{edges}</graph></graphml>'
    )


def test_graphml_without_a_label_asks_for_the_class_and_takes_what_is_said() -> None:
    text = _graphml()
    with pytest.raises(
        UploadError, match=r"named label: which is the class\? \(the nodes have office, department, age"
    ):
        check_upload({"g": text.encode()})
    found = check_upload({"g": text.encode()}, attributes=Attributes(label="department", one_hot=("office",)))
    assert found.feature_names == ("age", "office=Bonn", "office=Ulm")
    assert found.x[:2].tolist() == [[0, 1, 0], [1, 0, 1]]
    assert "The file says directed: directions were dropped." in found.notes
    assert "Ignored of the edges: weight." in found.notes
    found = check_upload({"g": text.encode()}, attributes=Attributes(label="department", left_out=("office",)))
    assert found.feature_names == ("age",)
    assert "Ignored of the nodes: office." in found.notes


def test_a_file_that_is_cut_off_is_called_so_before_anything_else_is() -> None:
    text = _graphml()
    for share in (0.3, 0.9):
        with pytest.raises(UploadError, match="damaged: it is cut off"):
            check_upload({"g": text[: int(share * len(text))].encode()})
        with pytest.raises(UploadError, match="damaged: it is cut off"):
            graphml_nodes(io.BytesIO(text[: int(share * len(text))].encode()))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (
            b"call the bank about the loan of the new house before noon",
            "is no list of edges: line 1 has 12 words, not 2",
        ),
        (b"a b\nb c d\n", "is no list of edges: line 2 has 3 words, and those above 2"),
        (b"# notes\n", "has comments alone, and no edges"),
        (b"1 \xff", "is no text in UTF-8"),
        ("id;größe\n".encode() * 9000, ""),
        (b"source,target\na,b\n", ""),
        (b"1 2 0.5\n2 3 0.5\n", ""),
    ],
)
def test_a_file_that_is_no_table_is_told_by_its_first_line_at_fault(content: bytes, why: str) -> None:
    assert no_table(content) == why


def test_faults_name_the_file_the_line_and_its_text_and_how_many_there_are() -> None:
    nodes = [*NODES]
    nodes[3], nodes[5], nodes[8], nodes[9] = "emp2", "emp4,old,1,Bonn,IT", "emp0,1,1,Ulm,IT", "emp8,1,1,Ulm,"
    edges = [*EDGES, "emp1,nobody,1"]
    files = [*_files(edges, nodes).values()]
    found = faults(files, MEANT)
    assert found is not None
    assert [(one.place, one.line) for one in found.first] == [(1, 4), (1, 6), (1, 9)]
    said = in_words(found, ["e.csv", "staff.csv"])
    assert said.startswith('staff.csv, line 4, "emp2", has 1 field, and the header has 5; staff.csv, line 6, ')
    assert said.endswith("and 4 more lines are at fault"), "emp7 and nobody are named by edges, emp8 has no class"
    assert faults([*_files(EDGES, NODES).values()], MEANT) is None
    assert faults([b"\xff\xfe", b"1"]) is None


@pytest.mark.parametrize(
    ("text", "headerless", "listed"),
    [
        ("# nodes: 4\n1 2\n2\t3\n3 1\n", True, 3),
        ("ann bob\nbob eve\n", True, 2),
        ("source target\nann bob\n", False, 1),
        ("from,to\n1,2\n2,1\n", False, 2),
    ],
)
def test_edge_lists_of_all_kinds_are_read(text: str, headerless: bool, listed: int) -> None:
    found = edge_list(text.encode())
    assert found is not None
    assert (shape(text.encode()).headerless, found.listed) == (headerless, listed)
    assert headers([text.encode()])[0][0] in ("source", "from")


def test_an_edge_list_without_a_header_goes_with_nodes_and_alone_it_says_what_is_missing() -> None:
    nodes = ["id,label,age", *(f"{at},{'ab'[at % 2]},{at}" for at in range(12))]
    edges = ["# made by hand", *(f"{at} {(at + 1) % 12}" for at in range(12))]
    found = check_upload(_files(edges, nodes))
    assert found.edges.shape == (2, 12)
    assert "The edges have no header: their first line was read as an edge." in found.notes
    with pytest.raises(UploadError, match="These are 12 edges of 12 nodes, and nothing says what is to be learnt"):
        check_upload({"e.txt": "\n".join(edges).encode()})
    assert edge_list("\n".join(nodes).encode()) is None
    assert nodes_to_fill_in(["1", "2"]) == b"id,label,feature\n1,,\n2,,\n"


def test_a_former_title_is_kept_and_so_are_the_names_of_nodes() -> None:
    edges, nodes = made.csv_files()
    upload = check_upload({"e": edges, "n": nodes})
    name = save_upload(upload, title="lab")
    assert (name, node_ids(name)[:2]) == (name_of(upload), ("n0", "n1"))
    rename_upload(name, "directed")
    assert upload_spec(name).title == "directed"
    assert upload_spec(name).about.endswith("Formerly called lab.")
    other = check_upload({"g": made.npz(made.arrays())})
    assert node_ids(save_upload(other)) == ()
    assert save_upload(upload, title="directed") == name
    assert upload_spec(name).about.endswith("Formerly called lab."), "a title is never its own former one"
