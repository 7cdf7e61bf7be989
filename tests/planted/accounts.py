"""Bugs of accounts: ledgers, accountants, keys and the tables that show them."""

import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from tests.pages.test_runs import told_and_true
from tests.planted.planting import Bug, Verdict, everywhere, instead
from tests.privacy import routes
from tests.privacy.test_accountants import LOPSIDED, mismatch
from tests.privacy.test_serial import ENTRY, kept_apart

from privgraph.data.load import load
from privgraph.methods import keys
from privgraph.methods.keys import Keys, run_keys
from privgraph.privacy import accountants, convolution, pld, selection
from privgraph.privacy.calibration import calibrate
from privgraph.privacy.events import Composed, Gaussian, PoissonSampled, PrivacyEvent, Repeated
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.runs import leases
from privgraph.runs.store import RunStore
from privgraph_workbench.parts import run_rows


def merged_by_name() -> AbstractContextManager[None]:
    def add(self: Ledger, entry: LedgerEntry) -> None:
        for place, known in enumerate(self._entries):
            if (known.kind, known.stage) == (entry.kind, entry.stage):
                self._entries[place] = replace(known, count=known.count + entry.count)
                return
        self._entries.append(entry)

    return instead(Ledger, "add", add)


def other_noise_stays_apart() -> Verdict:
    apart = kept_apart(ENTRY, replace(ENTRY, event=Gaussian(noise_multiplier=0.1), noise_std=0.1))
    return Verdict(wrong=not apart, seen="two entries" if apart else "noise of 0.1 counted as noise of 2")


def one_way(keep: int) -> Callable[[], AbstractContextManager[None]]:
    """The curve of one direction stands for both."""

    def plant() -> AbstractContextManager[None]:
        honest = pld._library()
        construct = honest.PrivacyLossDistribution

        def both(*curves: Any) -> Any:
            return construct(*[curves[keep % len(curves)]] * 2)

        library = SimpleNamespace(**{**vars(honest), "PrivacyLossDistribution": both})
        return instead(pld, "_library", lambda: library)

    return plant


def each_direction_is_the_others_mirror() -> Verdict:
    worst = max(mismatch(event) for event in LOPSIDED)
    return Verdict(wrong=worst > 1e-3, seen=f"the curves of two directions miss each other by {worst:.1g}")


@contextmanager
def plain_transforms() -> Iterator[None]:
    """Transforms without tilting, whose rounding nobody counts."""
    with instead(convolution, "_UNIT", 0.0), everywhere(convolution._best_tilt, lambda *_: convolution._LEAST_TILT):
        yield


def many_rare_steps_cost_what_one_shows() -> Verdict:
    """Steps of rate 1e-9 and noise 0.3, against the event that one of them shows itself."""
    lowest = math.inf
    for count, delta in ((10**6, 1e-9), (10**8, 1e-8), (10**8, 3e-9), (10**8, 1e-9)):
        step = PoissonSampled(rate=1e-9, event=Gaussian(noise_multiplier=0.3))
        shown = accountants.tight().epsilon(Repeated(event=step, count=count), delta)
        lowest = min(lowest, shown / routes.rare_steps_epsilon(1e-9, 0.3, count, delta))
    return Verdict(wrong=lowest < 1, seen=f"{lowest:.3f} of a lower bound")


def no_ends() -> AbstractContextManager[None]:
    return everywhere(accountants.tails, lambda event: 0.0)


def loud_noise_has_ends() -> Verdict:
    found = accountants.tight().epsilon(Gaussian(noise_multiplier=1 / 49), 1e-40)
    return Verdict(wrong=math.isfinite(found), seen=f"epsilon {found:g} at delta 1e-40")


def first_half_always() -> AbstractContextManager[None]:
    """The price of the way downwards alone."""

    def path(costs: Sequence[Any]) -> Any:
        middle = len(costs) // 2
        return costs[middle] + path(costs[:middle]) if costs else 0.0

    return everywhere(selection.longest_path, path)


def the_dearest_way_is_paid() -> Verdict:
    epsilons = (0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
    noises = [calibrate(lambda noise: Gaussian(noise_multiplier=noise), epsilon, 1e-6) for epsilon in epsilons]
    events: list[PrivacyEvent] = [Gaussian(noise_multiplier=noise) for noise in noises]
    paid = selection.search_price(events, 1e-6).epsilon
    taken = Composed(tuple(Gaussian(noise_multiplier=noises[place]) for place in (3, 5, 6)))
    true = accountants.tight().epsilon(taken, 1e-6)
    return Verdict(wrong=paid < true, seen=f"{paid:.2f} paid, {true:.2f} for the dearest three")


def same_key(change: Callable[[str], AbstractContextManager[Any]], device: Callable[[str], str]) -> Any:
    """Keys of runs that do not know what `change` makes the same, or that read another `device`."""

    def plant() -> AbstractContextManager[None]:
        def made(installation: bytes, names: Sequence[str], graphs: Any, where: str) -> Iterator[Keys]:
            with change("left out"):
                yield from run_keys(installation, names, graphs, device(where))

        return everywhere(run_keys, made)

    return plant


@contextmanager
def version(name: str) -> Iterator[None]:
    with instead(keys, "program", lambda: name):
        yield


@contextmanager
def nothing(_: str) -> Iterator[None]:
    yield


def another_program_or_device_has_another_key() -> Verdict:
    graph = load("karate")
    derived_keys = set()
    for program, device in (("1.0.0", "cpu"), ("1.0.1", "cpu"), ("1.0.0", "cuda")):
        with version(program):
            (own,) = keys.run_keys(b"secret", ["a run"], [graph], device)
        derived_keys |= {own.noise, own.shared}
    return Verdict(wrong=len(derived_keys) < 6, seen=f"{len(derived_keys)} keys of 6 for 2 programs and 2 devices")


def asked_is_shown() -> AbstractContextManager[None]:
    honest = run_rows.rows

    def rows(groups: Any, records: Any) -> Any:
        return honest([[{**one, "sound_epsilon": one["epsilon"]} for one in group] for group in groups], records)

    return instead(run_rows, "rows", rows)


def asked_is_stored() -> AbstractContextManager[None]:
    honest = leases.outcome_row

    def outcome(outcome: Any, time: float) -> Any:
        return {**honest(outcome, time), "sound_epsilon": 2.0}

    return instead(leases, "outcome_row", outcome)


def tables_tell_the_sound_epsilon() -> Verdict:
    with (
        TemporaryDirectory() as place,
        patch.dict(os.environ, {"PRIVGRAPH_HOME": place}),
        closing(RunStore.open()) as store,
    ):
        told, true, asked = told_and_true(store)
    return Verdict(wrong=told != {true}, seen=f"{asked} asked for, {' and '.join(sorted(told))} shown, {true} true")


BUGS = (
    Bug(
        "entries of one mechanism merged whatever their noise",
        "privacy/ledger.py",
        merged_by_name,
        other_noise_stays_apart,
    ),
    *(
        Bug(
            f"the curve of a unit {name} for both directions",
            "privacy/pld.py",
            one_way(place),
            each_direction_is_the_others_mirror,
        )
        for place, name in enumerate(("removed", "added"))
    ),
    Bug(
        "the rounding of plain transforms not counted",
        "privacy/convolution.py",
        plain_transforms,
        many_rare_steps_cost_what_one_shows,
    ),
    Bug("the ends of Gaussian noise forgotten", "privacy/accountants.py", no_ends, loud_noise_has_ends),
    Bug("a bisection priced by one of its ways", "privacy/selection.py", first_half_always, the_dearest_way_is_paid),
    Bug(
        "the program left out of a run's key",
        "methods/keys.py",
        same_key(version, lambda device: device),
        another_program_or_device_has_another_key,
    ),
    Bug(
        "the device left out of a run's key",
        "methods/keys.py",
        same_key(nothing, lambda _: "anywhere"),
        another_program_or_device_has_another_key,
    ),
    Bug(
        "the epsilon asked for shown as the sound one",
        "parts/run_rows.py",
        asked_is_shown,
        tables_tell_the_sound_epsilon,
    ),
    Bug(
        "the epsilon asked for stored as the sound one",
        "runs/leases.py",
        asked_is_stored,
        tables_tell_the_sound_epsilon,
    ),
)
