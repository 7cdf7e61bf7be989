"""The worked example of the guide is a method: as a package outside, in the words of the guide, and nothing
else."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import privgraph

GUIDE = Path(privgraph.__file__).parent / "methods" / "README.md"
FILE = re.compile(r"^```\w+ (class_counts/\S+)\n(.*?)^```$", re.M | re.S)
CONTRACT = re.compile(r"^## 6\..*?^```python\n(.*?)^```$", re.M | re.S)
POINT = re.compile(r"^```toml\n\[project\.entry-points\.\"(.+?)\"\]\n(.*?)^```$", re.M | re.S)


def installed(folder: Path, name: str, points: str) -> None:
    """As far as Python looks for entry points."""
    metadata = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(points)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the guide's package, installed as far as Python looks for entry points."""
    folder, text = tmp_path_factory.mktemp("outside"), GUIDE.read_text()
    files = dict(FILE.findall(text))
    assert set(files) == {f"class_counts/{name}" for name in ("README.md", "config.py", "train.py", "__init__.py")}
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    ((group, points),) = POINT.findall(text)
    installed(folder, "class-counts", f"[{group}]\n{points}".replace('"', ""))
    (contract,) = CONTRACT.findall(text)
    (folder / "test_contract.py").write_text(contract)
    return folder


def ran(package: Path, *command: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(package), *sys.path])
    return subprocess.run(
        [sys.executable, *command], cwd=package, env={**os.environ, "PYTHONPATH": path,
        "PRIVGRAPH_HOME": str(package / "home")},
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip


@pytest.mark.long
def test_it_keeps_the_contract(package: Path) -> None:
    done = ran(package, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_contract.py")
    assert done.returncode == 0, done.stdout
    assert re.search(r"\b1[4-9] passed|\b[2-9]\d passed", done.stdout), done.stdout


@pytest.mark.long
def test_it_is_listed_run_and_audited_like_our_own(package: Path) -> None:
    run = ran(
        package, "-m", "privgraph_workbench.cli", "run", "class-counts", "--data", "karate", "--epsilon", "1", "--json"
    )
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout.splitlines()[-1])
    assert 0.99 <= told["privacy"]["epsilon"] <= 1.0, told
    command = ("audit", told["run"], "--audit", "mechanism", "--trials", "2000", "--json")
    audit = ran(package, "-m", "privgraph_workbench.cli", *command)
    assert audit.returncode == 0, audit.stderr
    shown = json.loads(audit.stdout.splitlines()[-1])
    assert 0.3 < shown["epsilon"] <= 1.0, shown


@pytest.mark.long
def test_its_code_decides_which_program_it_is(package: Path) -> None:
    """Two versions of a method never share their noise: the keys of runs come from the program."""
    ask = ("-c", "from privgraph.program import program; print(program())")
    path, metadata = package / "class_counts" / "train.py", package / "class_counts-1.0.dist-info" / "METADATA"
    before = ran(package, *ask).stdout
    for file in (path, metadata):
        right = file.read_text()
        file.write_text(right.replace("1.0", "1.1") if file == metadata else right + "# another version\n")
        try:
            after = ran(package, *ask).stdout
        finally:
            file.write_text(right)
        assert after.startswith("0.")
        assert after != before
    assert ran(package, *ask).stdout == before


def test_what_cannot_be_loaded_is_left_out_with_a_warning(package: Path) -> None:
    installed(package, "broken", "[privgraph.methods]\nbroken = nowhere:SPEC\n")
    code = "from privgraph.registry import METHODS; print('broken' in METHODS, 'class-counts' in METHODS)"
    done = ran(package, "-c", code)
    assert done.stdout.split() == ["False", "True"]
    assert "the method broken of nowhere:SPEC cannot be loaded" in done.stderr


def test_what_is_no_method_or_takes_a_name_of_ours_is_left_out_with_a_warning(package: Path) -> None:
    (package / "impostor.py").write_text(
        "from dataclasses import replace\nfrom class_counts import SPEC\n"
        "OTHER = replace(SPEC, name='gap')\nNONE = 'gap'\n"
    )
    installed(package, "impostor", "[privgraph.methods]\ngap = impostor:OTHER\nnothing = impostor:NONE\n")
    code = "from privgraph.registry import METHODS; print(METHODS['gap'].config, 'nothing' in METHODS)"
    done = ran(package, "-c", code)
    assert done.stdout.split() == ["privgraph.methods.aggregation.gap.config:Config", "False"], done.stderr
    assert "the entry point gap of impostor:OTHER brings gap once more" in done.stderr
    assert "the entry point nothing of impostor:NONE names no MethodSpec" in done.stderr
