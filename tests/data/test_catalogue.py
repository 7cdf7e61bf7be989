"""The catalogue: names, sentences, and what is at hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from privgraph.data.catalogue import DATASETS, dataset
from privgraph.data.files import available, find, missing
from privgraph.data.schools import FOLDER
from privgraph.options import UnknownName

NAMES = set(
    """social digits patients karate cora citeseer pubmed facebook-pages twitch-de twitch-en twitch-es twitch-fr
twitch-pt twitch-ru amazon-computers amazon-photo coauthor-cs coauthor-physics wikics reddit ogbn-arxiv ogbn-products
dblp cora-ml german bail credit cora-titles debian-packages m10-titles coauthors
fb100-johnshopkins55 fb100-cornell5 fb100-wisconsin87 fb100-mit8 fb100-amherst41 fb100-reed98""".split()  # noqa: SIM905
)


def test_every_promised_name_is_there() -> None:
    assert not NAMES - set(DATASETS)
    assert sum(name.startswith("fb100-") for name in DATASETS) == 18


@pytest.mark.parametrize("spec", DATASETS.values(), ids=DATASETS)
def test_a_spec_tells_a_stranger_what_it_is(spec) -> None:
    assert spec.kind in ("embedded", "real")
    assert len(spec.about) > 20
    assert spec.about.endswith((".", "?"))
    assert spec.source
    assert spec.licence
    assert bool(spec.files) == (spec.kind == "real")
    addresses, files = ({path for path, _ in table} for table in (spec.urls, spec.files))
    assert addresses <= files
    assert bool(spec.by_hand) == (addresses != files), "what has no address is made by hand, and the row says of what"
    assert bool(spec.domains) == (spec.task == "relation prediction")
    assert all(len(sha256) in (0, 64) for _, sha256 in spec.files)
    assert all(url.startswith("https://") for _, url in spec.urls)


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean citeseer"):
        dataset("citeser")
    with pytest.raises(UnknownName, match="data sets are social, digits"):
        dataset("zzz")


def test_a_school_without_a_row_is_known_by_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path))
    with pytest.raises(UnknownName, match=r"UIllinois20\.mat for fb100-uillinois20, into .*Facebook100/mat"):
        dataset("fb100-uillinois20")
    with pytest.raises(UnknownName, match="did you mean cornell5"):
        dataset("fb100-cornel5")
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / FOLDER / "UIllinois20.mat").write_bytes(b"")
    spec = dataset("fb100-uillinois20")
    assert spec.nodes is None
    assert available(spec)


def test_missing_files_are_named_with_their_places(tmp_path: Path) -> None:
    cora = dataset("cora")
    sentence = missing(cora, tmp_path)
    assert not available(cora, tmp_path)
    assert "ind.cora.allx" in sentence
    assert str(tmp_path / "Planetoid/Cora/raw") in sentence
    assert "https://github.com/kimiyoung/planetoid" in sentence
    assert "\n" not in sentence
    folder = tmp_path / "Planetoid/Cora/raw"
    folder.mkdir(parents=True)
    for path, _ in cora.files[1:]:
        (tmp_path / path).write_bytes(b"")
    assert "ind.cora.x into" in missing(cora, tmp_path)
    (tmp_path / cora.files[0][0]).write_bytes(b"")
    assert missing(cora, tmp_path) == ""
    assert available(cora, tmp_path)
    assert available(dataset("social"), tmp_path)


def test_what_no_address_offers_is_said_to_be_made_by_hand(tmp_path: Path) -> None:
    sentence = missing(dataset("cora-titles"), tmp_path)
    folder = tmp_path / "TextGraphs/Cora12kTitles"
    assert f"put nodes.csv.gz, graph.npz into {folder} (no address offers them as they are: made from " in sentence
    assert "https://github.com/APEX-WSU/CoRA" in sentence
    coauthors = dataset("coauthors")
    sentence = missing(coauthors, tmp_path)
    assert "(from https://github.com/shchur/gnn-benchmark/raw/master/data/npz)" in sentence
    assert "(no address offers all of them as they are: keywords.json.gz lists" in sentence
    assert "\n" not in sentence
    for path, _ in coauthors.files:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        if path.endswith(".gz"):
            (tmp_path / path).write_bytes(b"")
    assert "no address" not in missing(coauthors, tmp_path), "what is missing now can be fetched"


def test_both_places_of_a_school_are_seen(tmp_path: Path) -> None:
    for place in ("Facebook100/cornell5/raw/data.mat", "Facebook100/mat/Cornell5.mat"):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_bytes(b"")
        assert find("Facebook100/mat/Cornell5.mat", tmp_path) == tmp_path / place
    assert find("OGB/arxiv/raw/edge.csv.gz", tmp_path) is None
    (tmp_path / "OGB/ogbn_arxiv/raw").mkdir(parents=True)
    (tmp_path / "OGB/ogbn_arxiv/raw/edge.csv.gz").write_bytes(b"")
    assert find("OGB/arxiv/raw/edge.csv.gz", tmp_path) is not None


def test_the_catalogue_uploads_and_facts_do_without_torch() -> None:
    modules = (
        "privgraph.registry, privgraph.data.upload, privgraph.data.facts, privgraph.data.fetch, privgraph.data.files"
    )
    code = f"import sys, {modules}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_registry_offers_the_same_table() -> None:
    from privgraph import registry

    assert registry.DATASETS is DATASETS
    assert registry.dataset("cora") is DATASETS["cora"]
    assert registry.UnknownName is UnknownName


def test_the_readme_has_a_row_for_each() -> None:
    import privgraph.data.catalogue as module

    lines = Path(module.__file__).with_name("README.md").read_text().splitlines()
    rows = {
        line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[3:7]] for line in lines if "|" in line
    }
    for spec in DATASETS.values():
        sizes = (spec.nodes, spec.edges, spec.features, spec.classes)
        assert rows[spec.name] == ["–" if size is None else f"{size:,}" for size in sizes]
