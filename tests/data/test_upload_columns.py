"""Uploaded CSV files whose columns have other names: somebody says which is which."""

from __future__ import annotations

import io

import pytest

from privgraph.data.errors import UploadError
from privgraph.data.upload import check_upload
from privgraph.data.upload_columns import Columns, are_known, guess, headers, in_words, with_commas

RING = [(f"p{at}", f"p{(at + 1) % 12}") for at in range(12)]
AGES = [(f"p{at}", 20 + at, "red" if at % 2 else "blue") for at in range(12)]
EDGES = "\n".join(["weight,from,to", *(f"0.5,{one},{other}" for one, other in RING)]).encode()
NODES = "\n".join(["name,age,team,remark", *(f"{who},{age},{team},likes" for who, age, team in AGES)]).encode()
PLAIN_EDGES = "\n".join(["source,target", *(f"{one},{other}" for one, other in RING)]).encode()
PLAIN_NODES = "\n".join(["id,label,age", *(f"{who},{team},{age}" for who, age, team in AGES)]).encode()
MEANT = Columns(edges=0, source="from", target="to", id="name", label="team", left_out=("remark",))
TEXTS = "\n".join(["key,title,field", *(f'{who},"{team}, {age}",{"xy"[age > 25]}' for who, age, team in AGES)]).encode()
CITED = "\n".join(["citing,cited", *(f"{one},{other}" for one, other in RING)]).encode()


def test_columns_of_other_names_give_the_graph_that_plain_ones_give() -> None:
    plain = check_upload({"a": PLAIN_EDGES, "b": PLAIN_NODES})
    for edges, files in ((0, {"a": EDGES, "b": NODES}), (1, {"a": NODES, "b": EDGES})):
        meant = Columns(edges=edges, source="from", target="to", id="name", label="team", left_out=("remark",))
        found = check_upload(files, columns=meant)
        assert (found.x == plain.x).all()
        assert (found.y == plain.y).all()
        assert (found.edges == plain.edges).all()
        assert (found.class_names, found.feature_names) == (plain.class_names, plain.feature_names)


def test_what_is_guessed_is_what_is_meant() -> None:
    found = headers([EDGES, NODES])
    assert not are_known(found)
    assert are_known(headers([PLAIN_NODES, PLAIN_EDGES]))
    told = guess(found)
    assert (told.edges, told.source, told.target, told.id) == (0, "from", "to", "name")
    texts = guess(headers([TEXTS, CITED]))
    assert texts == Columns(edges=1, source="citing", target="cited", id="key", text="title", domain="field")
    upload = check_upload({"a": TEXTS, "b": CITED}, columns=texts)
    assert upload.texts[:2] == ("blue, 20", "red, 21")
    assert upload.domain_names == ("x", "y")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"source": "gone"}, "The file of edges has no column gone"),
        ({"target": "from"}, "A column of the edges is chosen twice"),
        ({"label": "name"}, "A column of the nodes is chosen twice"),
        ({"left_out": ()}, "has 'likes' as remark, which is not a number"),
        ({"left_out": ("remark", "age")}, "The nodes have no feature column"),
    ],
)
def test_what_cannot_be_meant_gets_a_sentence(change: dict[str, object], sentence: str) -> None:
    meant = {name: getattr(MEANT, name) for name in MEANT.__dataclass_fields__} | change
    with pytest.raises(UploadError, match=sentence):
        check_upload({"a": EDGES, "b": NODES}, columns=Columns(**meant))  # type: ignore[arg-type]


def test_a_feature_with_a_name_that_is_read_is_left_out_or_refused() -> None:
    nodes = NODES.replace(b"name,age,team,remark", b"name,id,label,age")
    meant = Columns(edges=0, source="from", target="to", id="name", label="label")
    with pytest.raises(UploadError, match="a column id that is no feature: leave it out"):
        check_upload({"a": EDGES, "b": nodes}, columns=meant)


def test_decimal_commas_between_semicolons_are_points_and_that_is_noted() -> None:
    rows = [f"{who};{team};{age},5;{age}" for who, age, team in AGES]
    nodes = "\n".join(["id;label;height;age", *rows]).encode()
    edges = "\n".join(["source;target", *(f"{one};{other}" for one, other in RING)]).encode()
    assert with_commas(io.BytesIO(nodes))[1] == ("height",)
    assert in_words(nodes) == ("id", "label"), "height is a number, and no column to be left out"
    found = check_upload({"a": edges, "b": nodes})
    assert found.x[:2].tolist() == [[20.5, 20.0], [21.5, 21.0]]
    assert "Decimal commas were read as points, in height." in found.notes
    mixed = nodes.replace(b"p3;red;23,5", b"p3;red;tall, 2")
    assert with_commas(io.BytesIO(mixed))[1] == (), "words stay as they are"
    plain = check_upload({"a": PLAIN_EDGES, "b": PLAIN_NODES})
    assert not any("Decimal" in note for note in plain.notes)
