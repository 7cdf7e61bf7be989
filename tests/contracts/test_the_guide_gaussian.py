"""What the guide says of Gaussian noise and of a given sigma, applied to its example word for word."""

from __future__ import annotations

import inspect
import re
import shutil
from pathlib import Path

import pytest
from tests.contracts.test_the_guide import GUIDE, ran
from tests.contracts.test_the_guide import package as package

import privgraph as pg

ROW = re.compile(r"^\| `(\w+\.py)` \| `(.+?)` \| (.+) \|$", re.M)
MEMBERS = re.compile(r"^```python\nclass Config\(MethodConfig\):\n(.*?)^```$", re.M | re.S)


@pytest.fixture(scope="module")
def gaussian(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of the guide, with every row of its table and its members of `Config`."""
    folder = tmp_path_factory.mktemp("gaussian")
    shutil.copytree(package, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.pyc", "home"))
    text = GUIDE.read_text()
    rows = ROW.findall(text)
    assert len(rows) > 10
    for file, right, write in rows:
        path = folder / "class_counts" / file
        assert right in path.read_text(), right
        path.write_text(path.read_text().replace(right, "\n".join(re.findall(r"`(.+?)`", write))))
    (members,) = MEMBERS.findall(text)
    config = folder / "class_counts" / "config.py"
    config.write_text(f"{config.read_text()}\n{members}")
    assert "aplace" not in config.read_text()
    assert "aplace" not in (folder / "class_counts" / "train.py").read_text()
    return folder


@pytest.mark.long
def test_it_keeps_the_contract(gaussian: Path) -> None:
    done = ran(gaussian, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_contract.py")
    assert done.returncode == 0, done.stdout
    assert re.search(r"\b1[4-9] passed|\b[2-9]\d passed", done.stdout), done.stdout


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("return Fixed(self.sigma)", "return Fixed(self.sigma / 10)", "draw the noise of the plan"),
        ("value=self.sigma)", "value=0.0)", "price.given.value must be the option sigma"),
        ("if self.sigma > 0:", "if self.sigma > 1e9:", "calibration must be Fixed where sigma is given"),
    ],
)
@pytest.mark.long
def test_a_given_sigma_that_is_not_drawn_is_named(
    gaussian: Path, tmp_path: Path, right: str, wrong: str, words: str
) -> None:
    """The contract trains with it: before, this branch was never run."""
    shutil.copytree(gaussian, tmp_path / "one", ignore=shutil.ignore_patterns("*.pyc", "home"))
    path = tmp_path / "one" / "class_counts" / "config.py"
    assert path.read_text().count(right) == 1
    path.write_text(path.read_text().replace(right, wrong))
    if "/ 10" in wrong:  # a trainer that follows the wrong plan draws as the ledger says: it must not follow the option
        train = tmp_path / "one" / "class_counts" / "train.py"
        train.write_text(train.read_text().replace("std=plan.scale", "std=plan.scale / 10"))
    done = ran(tmp_path / "one", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "given", "test_contract.py")
    assert done.returncode == 1, done.stdout
    assert words in done.stdout


@pytest.mark.long
def test_a_given_sigma_is_what_is_drawn_and_what_is_paid_for(gaussian: Path) -> None:
    """Of 1,000 runs, two numbers each: two thirds and three halves of sigma are told from it by the standard
    deviation (error 1.6%)."""
    code = """
        import numpy as np
        from class_counts import SPEC
        from privgraph.data.load import load
        from privgraph.mechanisms.gaussian import GaussianNoise
        from privgraph.methods.training import Context, planned
        right, drawn = GaussianNoise.add_, []
        def watched(self, values, secret):
            before = values.clone()
            right(self, values, secret)
            drawn.append((values - before).numpy())
            return values
        GaussianNoise.add_ = watched
        graph, config = load("karate"), SPEC.load_config()(sigma=3.0)
        key = b"a key of this test"
        members = [planned(config, graph, Context(seed=seed, noise_key=key)) for seed in range(1000)]
        list(SPEC.load_train()(members))
        plan, asked = members[0].plan, SPEC.load_config()(epsilon=0.5).plan(graph.facts)
        print(np.std(drawn), plan.scale, plan.statement.epsilon, plan.statement.delta, asked.statement.epsilon)
    """
    done = ran(gaussian, "-c", inspect.cleandoc(code))
    assert done.returncode == 0, done.stderr
    measured, scale, epsilon, delta, asked = map(float, done.stdout.split())
    assert scale == 3.0
    assert epsilon == pytest.approx(pg.epsilon(pg.events.Gaussian(noise_multiplier=3.0), delta), rel=1e-9)
    assert 0 < delta < 0.1
    assert 0.495 < asked <= 0.5
    assert abs(measured / scale - 1) < 0.1
    for wrong in (2 / 3, 3 / 2):
        assert not abs(measured / (scale * wrong) - 1) < 0.1
