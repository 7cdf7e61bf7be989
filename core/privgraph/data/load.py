"""Loading a data set by name, with a split."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from zipfile import BadZipFile

import numpy as np
import torch

from privgraph.data import embedded, real, tabular
from privgraph.data.build import Parts, build, parts
from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.data.fetch import OnProgress, fetch_files
from privgraph.data.graph import Graph
from privgraph.data.own.open import mapped
from privgraph.data.products import CATEGORIES, DOMAINS, ProductOptions, products
from privgraph.data.spec import DatasetSpec
from privgraph.data.splits import check_split, with_split
from privgraph.data.texts import read_coauthors, read_table
from privgraph.data.uploads import unpacked_texts, upload_facts, upload_path
from privgraph.options import OptionError
from privgraph.options import build as build_options

Reader = Callable[[DatasetSpec, real.Files], Parts]


def load(
    name: str,
    *,
    split: str = "random",
    split_seed: int = 0,
    data_options: Mapping[str, object] | None = None,
    progress: OnProgress | None = None,
) -> Graph:
    """The data set `name` as a graph, with its split.

    `split` is random (75/10/15 by `split_seed`), public (where the data has one) or inductive (see
    `splits.with_split`). `data_options` are those of an embedded set that has any. Raw files are taken from
    the data folder; what is missing there is fetched, and `progress` is told. Raises `UnknownName`,
    `OptionError`, or `DataError` with one sentence.
    """
    spec = dataset(name)
    check_split(split)
    if split == "public" and not spec.public_split:
        raise DataError(f"{spec.title} has no public split: use random or inductive")
    if spec.kind == "upload" and upload_path(name).is_dir():
        graph = mapped(name, upload_path(name), upload_facts(name))
        return replace(graph, split="public") if split == "public" else with_split(graph, split_seed, split)
    raw = _read(spec, data_options or {}, progress)
    graph = build(name, raw)
    if split != "public":
        return with_split(graph, split_seed, split)
    if raw.public is None:
        raise DataError(f"{spec.title} has no public split: use random or inductive")
    train, validation, test = raw.public
    return replace(graph, train_mask=train, val_mask=validation, test_mask=test, split="public")


def _read(spec: DatasetSpec, options: Mapping[str, object], progress: OnProgress | None) -> Parts:
    if options and not spec.options:
        raise OptionError(f"{spec.title} has no options of its own (got {', '.join(options)})")
    if spec.name == "products":
        return _of_products(build_options(ProductOptions, options))
    if spec.kind == "embedded":
        table = (
            embedded.social(build_options(embedded.SocialOptions, options)) if spec.options else _EMBEDDED[spec.name]()
        )
        return parts(table.x, table.y, table.edges, class_names=table.class_names, feature_names=table.feature_names)
    if spec.kind == "upload":
        return _read_upload(spec)
    files = fetch_files(spec, progress)
    try:
        return _reader(spec)(spec, files)
    except DataError:
        raise
    except (OSError, EOFError, LookupError, ValueError, BadZipFile) as error:
        raise DataError(f"{spec.title} cannot be read: {type(error).__name__} {error}".replace("\n", " ")) from error


def _of_products(options: ProductOptions) -> Parts:
    shop = products(options)
    return parts(
        [[len(title.split())] for title in shop.titles],
        shop.y,
        shop.edges,
        class_names=CATEGORIES,
        feature_names=("words",),
        texts=shop.titles,
        domains=shop.domains,
        domain_names=DOMAINS,
    )


def _read_upload(spec: DatasetSpec) -> Parts:
    with np.load(upload_path(spec.name), allow_pickle=False) as arrays:
        texts = unpacked_texts(arrays["texts"], arrays["text_ends"]) if "texts" in arrays.files else ()
        masks = [torch.from_numpy(arrays[name]) for name in ("train", "val", "test") if name in arrays.files]
        return parts(
            arrays["x"],
            arrays["y"],
            arrays["edges"],
            class_names=tuple(str(name) for name in arrays["class_names"]),
            feature_names=tuple(str(name) for name in arrays["feature_names"]),
            public=(masks[0], masks[1], masks[2]) if masks else None,
            texts=texts,
            domains=arrays["domains"] if texts else (),
            domain_names=spec.domains,
        )


_EMBEDDED: Mapping[str, Callable[[], embedded.Table]] = {
    "digits": embedded.digits,
    "patients": embedded.patients,
    "karate": embedded.karate,
}

_FAMILIES: Mapping[str, Reader] = {
    "Planetoid": real.read_planetoid,
    "FacebookPagePage": real.read_musae,
    "Twitch": real.read_musae,
    "Amazon": real.read_benchmark,
    "Coauthor": real.read_benchmark,
    "CitationFull": real.read_benchmark,
    "WikiCS": real.read_wikics,
    "Reddit": real.read_reddit,
    "OGB": real.read_ogbn,
    "FairTabular": tabular.read_fair,
    "Facebook100": tabular.read_school,
}

_TEXT_FAMILIES: Mapping[str, Reader] = {"TextGraphs": read_table, "Coauthor": read_coauthors}


def _reader(spec: DatasetSpec) -> Reader:
    """The reader of a set is named by the folder that its raw files lie in; texts of it have another one."""
    return (_TEXT_FAMILIES if spec.domains else _FAMILIES)[spec.files[0][0].split("/", 1)[0]]
