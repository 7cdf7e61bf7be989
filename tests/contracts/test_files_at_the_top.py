"""What a forge, a citation manager and an installer read: licence, citation, hooks, metadata, in one
voice."""

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION_1_2_0 = {
    "abstract", "authors", "cff-version", "commit", "contact", "date-released", "doi", "identifiers", "keywords",
    "license", "license-url", "message", "preferred-citation", "references", "repository", "repository-artifact",
    "repository-code", "title", "type", "url", "version",
}  # fmt: skip
"""The keys of the Citation File Format 1.2.0; authors, cff-version, message and title are required."""


def loaded(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text())


def test_the_citation_is_valid_and_of_this_version() -> None:
    citation = loaded("CITATION.cff")
    assert {"authors", "cff-version", "message", "title"} <= set(citation) <= CITATION_1_2_0
    assert citation["cff-version"] == "1.2.0"
    for author in citation["authors"]:
        assert set(author) <= {"name", "alias", "website", "orcid", "email"}  # an entity, as no one person wrote this
        assert author["name"]
    assert all(isinstance(citation[key], str) for key in ("title", "message", "version"))  # 1.0 would be a number
    assert citation["version"] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]
    assert [author["name"] for author in citation["authors"]] == [author["name"] for author in PROJECT["authors"]]


def test_classifiers_and_the_oldest_python_agree() -> None:
    versions = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert PROJECT["requires-python"] == f">={versions[0]}"
    assert not any(line.startswith("License ::") for line in PROJECT["classifiers"])  # not beside a license expression


def test_the_forge_runs_what_main_must_pass_and_nothing_else() -> None:
    workflow = loaded(".github/workflows/ci.yml")
    events = workflow[True]  # YAML 1.1 reads `on` so
    assert set(events) == {"push", "pull_request"}
    assert workflow["permissions"] == {"contents": "read"}
    (job,) = workflow["jobs"].values()
    assert [step["run"] for step in job["steps"] if "run" in step] == [".ci/run"]


def test_the_tests_need_what_builds_the_site() -> None:
    extras = PROJECT["optional-dependencies"]
    assert any(re.match(r"privgraph\[.*\bdocs\b.*\]", each) for each in extras["test"])
    pinned = re.findall(r"^([^=]+)==", (ROOT / ".ci" / "constraints.txt").read_text().lower().replace("_", "-"), re.M)
    asked = {re.split(r"[><=\[]", each)[0].lower() for each in extras["docs"]}
    assert asked - {"privgraph"} <= set(pinned)
