"""How files of other people are read: by what is seen at once, what is said, and what is asked."""

import gzip
import io
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.data import uploads_made_here as made

import privgraph as pg
from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.own.description import Unclear
from privgraph.data.uploads import node_ids, uploads
from privgraph_workbench.cli import main

READINGS = Path(__file__).with_name("readings")
NODES = "id,label,f1,f2\n" + "\n".join(f"{at},{['red', 'blue', 'green'][at % 3]},{at / 2},{at % 7}" for at in range(40))
EDGES = "source,target\n" + "\n".join(f"{at},{(at + step) % 40}" for at in range(40) for step in (1, 2))


def files(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((READINGS / folder).iterdir())}


def pair(nodes: str = NODES, edges: str = EDGES) -> dict[str, bytes]:
    return {"nodes.csv": nodes.encode(), "edges.csv": edges.encode()}


def column(graph: Graph, name: str) -> list[float]:
    found: list[float] = graph.x[:, graph.feature_names.index(name)].tolist()
    return found


def edges(graph: Graph) -> int:
    return graph.facts.edges


SAID: dict[str, dict[str, Any]] = {
    "05_thousands": {"decimal": ","},
    "06_adjacency_lines": {"lines": "adjacency"},
    "09_graphml_untyped": {"label": "dept"},
    "20_no_features": {"label": "side", "features": []},
}
"""What has to be said of a folder of readings."""
WAYS = {
    "api": lambda paths, said: pg.upload(*paths, **said),
    "description": lambda paths, said: pg.upload(*paths, describe=said),
    "command": lambda paths, said: main(["data", "add", *map(str, paths), *described_as(said)]),
}


def described_as(said: dict[str, Any]) -> list[str]:
    plain = {key: value if isinstance(value, str) else ",".join(value) for key, value in said.items()}
    return [word for key, value in plain.items() for word in ("--describe", f"{key}={value}")]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("folder", sorted(path.name for path in READINGS.iterdir()))
def test_the_graph_of_each_file(folder: str, way: str, capsys: pytest.CaptureFixture[str]) -> None:
    """All of them are one ring of 40 nodes, written in ways that were read wrongly once."""
    WAYS[way](sorted((READINGS / folder).iterdir()), SAID.get(folder, {}))
    (spec,) = uploads()
    assert (spec.nodes, spec.edges, spec.classes) == (40, 80, 3)
    told = capsys.readouterr()
    assert re.search(r"ndirected edges:? +80", told.err if way == "command" else told.out)


@pytest.mark.parametrize(
    ("folder", "said", "key"),
    [
        ("05_thousands", {}, "decimal"),
        ("06_adjacency_lines", {}, "lines"),
        ("09_graphml_untyped", {"ignore": ["labels"]}, "label"),
        ("20_no_features", {}, "label"),
        ("20_no_features", {"label": "side"}, "features"),
    ],
)
def test_what_is_asked(folder: str, said: dict[str, Any], key: str) -> None:
    with pytest.raises(Unclear) as caught:
        made.taken(files(folder), **said)
    assert caught.value.question.key == key
    assert all(str(value).strip("()',") in str(caught.value) for value, _ in caught.value.question.choices[:3])


def test_each_of_two_readings_is_taken_as_said() -> None:
    thousands = files("05_thousands")
    assert max(column(made.graph(thousands, decimal=","), "income")) == 1943
    assert max(column(made.graph(thousands, decimal="."), "income")) == 981
    lines = files("06_adjacency_lines")
    assert [edges(made.graph(lines, lines=one)) for one in ("adjacency", "edges")] == [80, 40]


@pytest.mark.parametrize(
    ("cells", "said", "value"),
    [
        (("1.018", "0.5"), {}, 1.018),
        (("1.000.000", "3"), {}, 1e6),
        (("1,018", "2,5"), {}, 1.018),
        (("1,018.5", "7"), {}, 1018.5),
        (("1.018,5", "7"), {}, 1018.5),
        (("1 018", "7"), {}, 1018),
        (("1'018", "7"), {}, 1018),
        (("1.018", "500"), None, 0),
        (("1,018", "500"), None, 0),
        (("-0.125", "12.500"), {}, -0.125),
        (("1e3", "2.5"), {}, 1000),
        (("+4", "3"), {}, 4),
        (("True", "false"), {}, 1),
    ],
)
def test_numbers_as_people_write_them(cells: tuple[str, str], said: dict[str, Any] | None, value: float) -> None:
    rows = [f"{at}\t{'ab'[at % 2]}\t{cells[at % 2]}" for at in range(40)]
    given = pair("\n".join(["id\tlabel\tf", *rows]))
    if said is None:
        with pytest.raises(Unclear) as caught:
            made.taken(given)
        assert caught.value.question.key == "decimal"
    else:
        assert column(made.graph(given, **said), "f")[0] == pytest.approx(value)


def test_a_group_of_thousands_far_below_whole_numbers() -> None:
    rows = [f"{at};{'ab'[at % 2]};{at % 900 if at < 3000 else '1.018'}" for at in range(3100)]
    with pytest.raises(Unclear):
        made.taken(pair("\n".join(["id;label;f", *rows])))


@pytest.mark.parametrize("none", ["", "NA", "NaN", "null", "#N/A"])
def test_nodes_without_a_label_are_read_and_not_learnt_from(none: str) -> None:
    graph = made.graph(pair(NODES.replace("red", none)))
    assert graph.class_names == ("blue", "green")
    assert int((graph.y < 0).sum()) == 14
    assert edges(graph) == 80
    roles = torch.stack([graph.train_mask, graph.val_mask, graph.test_mask])
    assert torch.equal(roles.any(0), graph.y >= 0)


@pytest.mark.parametrize("doubtful", ["-1", "None", "?"])
def test_labels_that_may_mean_none_are_asked(doubtful: str) -> None:
    given = pair(NODES.replace("red", doubtful).replace("blue", "1").replace("green", "2"))
    with pytest.raises(Unclear) as caught:
        made.taken(given)
    assert caught.value.question.key == "unlabelled"
    assert made.graph(given, unlabelled=[doubtful]).num_classes == 2
    assert made.graph(given, unlabelled=[]).num_classes == 3


def test_a_split_of_ones_own() -> None:
    rows = NODES.split("\n")
    parts = ["train", "Validation", "TEST", ""]
    by_word = "\n".join([rows[0] + ",split", *(f"{row},{parts[at % 4]}" for at, row in enumerate(rows[1:]))])
    graph = made.graph(pair(by_word))
    assert [int(mask.sum()) for mask in (graph.train_mask, graph.val_mask, graph.test_mask)] == [10, 10, 10]
    assert graph.feature_names == ("f1", "f2")
    masks = made.graph(files("03_masks_in_csv"))
    assert masks.split == "public"
    assert masks.val_mask.tolist() == [
        line.split(",")[4] == "1" for line in (READINGS / "03_masks_in_csv/nodes.csv").read_text().split("\n")[1:41]
    ]


def test_what_is_no_feature_by_its_name() -> None:
    rows = NODES.split("\n")
    given = pair(
        "\n".join(
            [rows[0] + ",train_mask,test_mask,person_id", *(f"{row},1,0,{7 * at}" for at, row in enumerate(rows[1:]))]
        )
    )
    assert made.graph(given).feature_names == ("f1", "f2")
    assert made.graph(given, features=["f1", "person_id"]).feature_names == ("f1", "person_id")


def test_what_gephi_computes_from_edges_and_draws_is_no_feature() -> None:
    extra = ("Degree", "Modularity Class", "Closeness Centrality", "r", "g", "b", "x", "y", "age")
    rows = NODES.split("\n")
    given = pair(
        "\n".join([f"{rows[0]},{','.join(extra)}", *(row + ",2,1,0.5,9,9,9,0.25,-1.5,33" for row in rows[1:])])
    )
    assert made.graph(given).feature_names == ("f1", "f2", "age")
    assert made.graph(given, features=["Degree", "x"]).feature_names == ("Degree", "x")


def test_names_of_nodes_as_pandas_writes_them_beside_empty_cells() -> None:
    assert made.taken(pair(edges=re.sub(r"(\d+)$", r"\1.0", EDGES, flags=re.MULTILINE))).edges == 80


def test_missing_numbers_are_a_constant_of_ones_own_or_not_read() -> None:
    given = pair(NODES.replace(",1.5,", ",,"))
    with pytest.raises(Unclear) as caught:
        made.taken(given)
    assert caught.value.question.key == "missing"
    assert column(made.graph(given, missing=-7), "f1")[3] == -7
    assert made.graph(given, ignore=["f1"]).feature_names == ("f2",)


def test_weights_of_0_are_no_edges_and_others_are_not_used() -> None:
    lines = [f"{at} {(at + 1) % 40} {at % 4}" for at in range(40)]
    named = pair(edges="\n".join(["source target weight", *lines]))
    found = made.taken(named)
    assert (found.edges, dict(found.summary)["edges of weight 0 dropped"]) == (30, "10")
    with pytest.raises(Unclear) as caught:
        made.taken(pair(edges="\n".join(lines * 2)))
    assert caught.value.question.key == "weight"
    assert made.taken(pair(edges="\n".join(lines * 2)), weight="column 3").edges == 30
    assert made.taken(pair(edges="\n".join(lines * 2)), weight="").edges == 40


def test_words_become_features_where_somebody_says_so() -> None:
    rows = NODES.split("\n")
    given = pair(
        "\n".join([rows[0] + ",office", *(f"{row},{('Bonn', 'Rome', '')[at % 3]}" for at, row in enumerate(rows[1:]))])
    )
    assert made.graph(given).feature_names == ("f1", "f2")
    coded = made.taken(given, features=["office", "f2"])
    assert coded.nodes == 40
    graph = made.graph(given, features=["office", "f2"])
    assert graph.feature_names == ("office=(none)", "office=Bonn", "office=Rome", "f2")
    assert graph.x[:2, :3].tolist() == [[0, 1, 0], [0, 0, 1]]


def test_directions_loops_duplicates_and_what_clipping_makes_constant() -> None:
    moments = "\n".join([NODES.split("\n")[0], *(f"{at},{'ab'[at % 2]},{1.6e9 + at},{at}" for at in range(40))])
    found = made.taken(pair(moments, EDGES + "\n3,3\n2,1\n1,2"))
    said = dict(found.summary)
    assert (said["undirected edges"], said["duplicates merged"], said["loops dropped"]) == ("80", "2", "1")
    assert said["constant by that"] == "f1"
    assert made.graph(pair(), directed=True).edge_index.shape == (2, 80)
    assert not made.graph(pair(), directed=True).undirected


@pytest.mark.parametrize("first", ["#cats", "p0"])
def test_names_in_an_edge_list_without_a_header(first: str) -> None:
    names = [first.replace("0", "") + str(at) for at in range(40)]
    nodes = "\n".join(["id,label,f", *(f"{name},{'ab'[at % 2]},{at}" for at, name in enumerate(names))])
    lines = "\n".join(f"{names[at]} {names[(at + 1) % 40]}" for at in range(40))
    assert made.taken(pair(nodes, lines)).edges == 40


def test_a_first_line_of_column_numbers_is_asked() -> None:
    given = pair(edges="0,1\n" + EDGES.split("\n", 1)[1])
    with pytest.raises(Unclear) as caught:
        made.taken(given)
    assert caught.value.question.key == "header"
    assert made.taken(given, header=True).edges == made.taken(given, header=False).edges == 80


def test_tables_without_headers() -> None:
    given = pair(NODES.split("\n", 1)[1], EDGES.split("\n", 1)[1].split("\n", 1)[1])
    with pytest.raises(Unclear) as caught:
        made.taken(given)
    assert caught.value.question.key == "label"
    assert made.taken(given, label="column 2").edges == 79


@pytest.mark.parametrize("name", ["{}", "{:03d}x"])
def test_two_columns_are_a_name_and_a_class_once_the_class_is_said(name: str) -> None:
    """In no order: what is joined is a name, and never the row that it stands in."""
    order = np.random.default_rng(0).permutation(60)
    labels = "\n".join(f"{name.format(at)} {at % 3}" for at in order)
    edges = "\n".join(f"{name.format(at)} {name.format(at + 3)}" for at in range(57))  # within a class
    given = {"net.txt": edges.encode(), "labels.txt": labels.encode()}
    graph = made.graph(given, label="column 2", features=())
    assert (graph.num_nodes, graph.num_classes) == (60, 3)
    source, target = graph.edge_index
    assert bool((graph.y[source] == graph.y[target]).all())


def test_letters_of_every_language_stand_in_the_summary() -> None:
    nodes = NODES.replace("label", "Größe", 1)
    told = dict(made.taken(pair(nodes, EDGES), label="Größe").summary)
    assert "classes by Größe" in told


# Layouts that collections publish


def test_an_ego_network_of_snap() -> None:
    rng = np.random.default_rng(0)
    rows = [f"{at} " + " ".join(map(str, rng.integers(0, 2, 5))) for at in range(1, 31)]
    circles = "circle0\t" + "\t".join(map(str, range(1, 16))) + "\ncircle1\t" + "\t".join(map(str, range(14, 28)))
    given = {
        "0.edges": "\n".join(f"{at} {at % 30 + 1}" for at in range(1, 31)),
        "0.feat": "\n".join(rows),
        "0.egofeat": "1 0 0 1 1",
        "0.featnames": "\n".join(f"{at} birthday;anonymized feature {at}" for at in range(5)),
        "0.circles": circles,
    }
    graph = made.graph({name: content.encode() for name, content in given.items()})
    assert (graph.num_nodes, edges(graph), graph.x.shape[1]) == (31, 60, 5)
    assert graph.class_names == ("circle0", "circle1")
    assert torch.bincount(graph.y + 1).tolist() == [6, 13, 12]


def test_an_ogb_folder(tmp_path: Path) -> None:
    raw = {
        "raw/edge.csv.gz": "\n".join(f"{at},{(at + 1) % 30}" for at in range(30)),
        "raw/node-feat.csv.gz": "\n".join(f"{at / 10},{at % 3}" for at in range(30)),
        "raw/node-label.csv.gz": "\n".join(str(at % 3) for at in range(30)),
        "raw/num-node-list.csv.gz": "30",
        "split/time/train.csv.gz": "\n".join(map(str, range(20))),
        "split/time/valid.csv.gz": "\n".join(map(str, range(20, 25))),
        "split/time/test.csv.gz": "\n".join(map(str, range(25, 30))),
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in raw.items():
            archive.writestr(f"products/{name}", gzip.compress((content + "\n").encode()))
    graph = made.graph({"products.zip": packed.getvalue()})
    assert (graph.num_nodes, edges(graph), graph.x.shape[1], graph.num_classes) == (30, 30, 2, 3)
    assert torch.nonzero(graph.val_mask).flatten().tolist() == [20, 21, 22, 23, 24]
    assert graph.x[7].tolist() == pytest.approx([0.7, 1.0])


def test_a_set_of_musae() -> None:
    given = {
        "musae_x_edges.csv": "id_1,id_2\n" + "\n".join(f"{at},{(at + 1) % 30}" for at in range(30)),
        "musae_x_features.json": "{"
        + ",".join(f'"{at}": [{at % 4}, {4 + at % 3}]' for at in reversed(range(30)))
        + "}",
        "musae_x_target.csv": "id,facebook_id,page_name,page_type\n"
        + "\n".join(f"{at},1{at}0,Page {at},{'ab'[at % 2]}" for at in range(30)),
    }
    name = made.taken({name: content.encode() for name, content in given.items()}).name
    graph, ids = load(name), node_ids(name)
    assert (graph.num_nodes, edges(graph), graph.x.shape[1], graph.class_names) == (30, 30, 7, ("a", "b"))
    for node, called in enumerate(map(int, ids)):
        assert torch.nonzero(graph.x[node]).flatten().tolist() == [called % 4, 4 + called % 3]
        assert graph.class_names[graph.y[node]] == "ab"[called % 2]


def test_gephi_and_igraph() -> None:
    gephi = {
        "nodes.csv": "Id,Label,timeset,modularity_class,age\n"
        + "\n".join(f"n{at},Person {at},,{at % 3},{at}" for at in range(30)),
        "edges.csv": "Source,Target,Type,Id,Label,timeset,Weight\n"
        + "\n".join(f"n{at},n{(at + 1) % 30},Undirected,{at},,,1.0" for at in range(30)),
    }
    graph = made.graph({name: content.encode() for name, content in gephi.items()}, label="modularity_class")
    assert (edges(graph), graph.feature_names, graph.num_classes) == (30, ("age",), 3)
    keys = "".join(
        f'<key id="v_{name}" for="node" attr.name="{name}" attr.type="{kind}"/>'
        for name, kind in (("name", "string"), ("group", "double"), ("old", "boolean"))
    )
    nodes = joined = ""
    for at in range(30):
        cells = {"name": f"P{at}", "group": at % 3, "old": ("true", "false")[at % 2]}
        data = "".join(f'<data key="v_{name}">{value}</data>' for name, value in cells.items())
        nodes += f'<node id="n{at}">{data}</node>'
        joined += f'<edge source="n{at}" target="n{(at + 1) % 30}"></edge>'
    graph = f'<graph id="G" edgedefault="undirected">{nodes}{joined}</graph>'
    igraph = f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{keys}{graph}</graphml>'
    found = made.graph({"g.graphml": igraph.encode()}, label="group")
    assert (edges(found), found.feature_names, found.class_names) == (30, ("old",), ("0", "1", "2"))
