"""What a person says of the columns of an upload, what its lines lack, and what is told of all that."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.data import uploads_made_here as made

from privgraph.data.errors import UploadError
from privgraph.data.upload import check_upload, save_upload, upload_spec
from privgraph.data.upload_categories import MOST
from privgraph.data.upload_columns import Columns, headers
from privgraph.data.upload_lines import edge_list, no_table, shape
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
