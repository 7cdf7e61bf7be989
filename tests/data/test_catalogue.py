"""The catalogue: schools without a row, missing files, and its README."""

import subprocess
import sys
from pathlib import Path

import pytest

from privgraph.data.catalogue import DATASETS, FOLDER, dataset
from privgraph.data.files import available, missing
from privgraph.options import UnknownName


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


def test_the_catalogue_uploads_and_facts_do_without_torch() -> None:
    modules = ", ".join(f"privgraph.data.{name}" for name in ("own.adding", "facts", "fetch", "files"))
    code = f"import sys, privgraph.registry, {modules}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_readme_has_a_row_for_each() -> None:
    import privgraph.data.catalogue as module

    lines = Path(module.__file__).with_name("README.md").read_text().splitlines()
    rows = {
        line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[3:7]] for line in lines if "|" in line
    }
    for spec in DATASETS.values():
        sizes = (spec.nodes, spec.edges, spec.features, spec.classes)
        assert rows[spec.name] == ["–" if size is None else f"{size:,}" for size in sizes]
