"""Bugs of Label-Hist: each is one edit of its source, and is seen by tests that are run upon it."""

import inspect
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest
from tests.contracts import test_before_noise, test_observer
from tests.mechanisms import test_histograms as mechanism
from tests.methods import test_label_hist as method
from tests.observer.cases import Case
from tests.planted.planting import Bug, Verdict, everywhere

from privgraph.mechanisms import histogram_entries, histograms
from privgraph.methods.aggregation.label_hist import config, reader, train

EDGE = Case("label-hist", "edge")
NODE = Case("label-hist", "node")
TRAINED = Case("label-hist", "node", (("features", "gradients"),))


@contextmanager
def edited(module: ModuleType, old: str, new: str) -> Iterator[None]:
    """The module with other source, wherever the product or a test knows something of it."""
    source = inspect.getsource(module)
    assert source.count(old) == 1, (old, source.count(old))
    fresh = ModuleType(module.__name__)
    fresh.__file__ = module.__file__
    exec(compile(source.replace(old, new), str(module.__file__), "exec"), fresh.__dict__)
    with ExitStack() as stack:
        for name, value in list(vars(module).items()):
            if getattr(value, "__module__", None) == module.__name__ and callable(value):
                stack.enter_context(everywhere(value, vars(fresh)[name]))
                for user in (mechanism, method):
                    if vars(user).get(name) is value:
                        stack.enter_context(patched(user, name, vars(fresh)[name]))
        yield


@contextmanager
def patched(module: ModuleType, name: str, value: object) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, name, value)
        yield


def seen(*tests: Callable[[], object]) -> Verdict:
    """Whether one of the tests fails, and how."""
    for test in tests:
        try:
            test()
        except Exception as error:  # whatever it says, it has seen something
            return Verdict(wrong=True, seen=f"{type(error).__name__}: {str(error).partition(chr(10))[0][:90]}")
    return Verdict(wrong=False, seen=f"{len(tests)} tests passed")


def moves() -> Verdict:
    return seen(
        *(partial(mechanism.test_no_edge_moves_the_histograms_by_more_than_one, one) for one in (True, False)),
        *(
            partial(mechanism.test_no_training_node_moves_the_others_histograms_by_more_than_one, one)
            for one in (True, False)
        ),
    )


def rows() -> Verdict:
    return seen(
        *(partial(mechanism.test_no_row_is_longer_than_one_whatever_is_believed, one) for one in (float("nan"), -5.0)),
        mechanism.test_histograms_count_neighbours,
    )


def exact() -> Verdict:
    with pytest.MonkeyPatch.context() as patch:
        return seen(
            partial(mechanism.test_sums_are_the_same_to_the_bit_in_every_order_and_in_pieces, "edge", patch),
            partial(mechanism.test_sums_are_the_same_to_the_bit_in_every_order_and_in_pieces, "node", patch),
        )


def watched(case: Case) -> Verdict:
    name = "test_what_is_drawn_is_what_is_paid_for_and_what_goes_out_is_made_of_it"
    return seen(partial(getattr(test_observer, name), case))


def alike() -> Verdict:
    alone = Case("label-hist", "node", (("features", "none"),))
    return seen(partial(test_before_noise.test_up_to_the_first_noise_every_neighbour_is_treated_alike, alone))


def released() -> Verdict:
    with pytest.MonkeyPatch.context() as patch:
        return seen(partial(method.test_every_release_moves_by_one_at_most_where_a_training_node_leaves, patch))


def post_processing() -> Verdict:
    with pytest.MonkeyPatch.context() as patch:
        return seen(partial(method.test_what_others_are_told_hangs_on_releases_alone, "none", patch))


def blind() -> Verdict:
    return seen(*(partial(method.test_no_label_of_a_test_node_is_read, unit) for unit in ("edge", "node")))


def priced() -> Verdict:
    return seen(
        partial(method.test_all_of_it_costs_what_one_gaussian_does, "node", "class-table"),
        method.test_private_gradients_and_histograms_are_composed_exactly,
        method.test_no_size_that_is_private_enters_a_plan,
    )


SEES: Mapping[str, Callable[[], Verdict]] = {
    "moves": moves,
    "rows": rows,
    "exact": exact,
    "priced": priced,
    "blind": blind,
    "post-processing": post_processing,
    "alike": alike,
    "released": released,
    "watched edge": partial(watched, EDGE),
    "watched node": partial(watched, NODE),
    "watched gradients": partial(watched, TRAINED),
}
MODULES = {
    module.__name__.rpartition(".")[2]: module for module in (histogram_entries, histograms, config, reader, train)
}
BUGS = tuple(
    Bug(
        name=edit["name"],
        where=MODULES[edit["module"]].__name__.removeprefix("privgraph."),
        plant=partial(edited, MODULES[edit["module"]], edit["old"], edit["new"]),
        check=SEES[edit["sees"]],
    )
    for edit in tomllib.loads(Path(__file__).with_suffix(".toml").read_text())["edits"]
)
