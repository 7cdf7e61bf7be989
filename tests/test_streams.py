"""Named streams: independent of each other, secret where privacy needs it, and impossible to foretell from
what was seen."""

import math
import stat
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB
from scipy import stats
from tests.secrets_made_here import KEY, secret

from privgraph import streams
from privgraph.methods.training import Context
from privgraph.streams import Secret, derived_key, noise_key, stream, stream_seed

LEVEL = 1e-5
"""Chance of a false alarm of each check."""


def linear_complexity(bits: list[int]) -> int:
    """The length of the shortest linear recurrence over GF(2) that makes the bits (Berlekamp and Massey)."""
    connection, last, length, since = 1, 1, 0, 1
    seen = 0
    for position, bit in enumerate(bits):
        seen = (seen << 1) | bit  # the newest bit is bit 0
        if (connection & seen & ((1 << (length + 1)) - 1)).bit_count() & 1:
            before = connection
            connection ^= last << since
            if 2 * length <= position:
                length, last, since = position + 1 - length, before, 1
                continue
        since += 1
    return length


def test_no_linear_recurrence_foretells_a_secret_stream() -> None:
    """A Mersenne Twister's state, and so its noise, follows from 19,937 of its bits by linear algebra. Here
    no recurrence is shorter than half of what was seen, as of coins; the twister has one of 19,937 bits in
    whatever it says."""
    count = 41_000
    mine = (secret().words(count) & np.uint64(1)).astype(int).tolist()
    assert abs(linear_complexity(mine) - count / 2) < 40
    twister = torch.randint(2, (count,), generator=torch.Generator().manual_seed(0)).tolist()
    assert linear_complexity(twister) == 19_937


def test_words_are_those_of_aes_256_in_counter_mode() -> None:
    key = streams._bytes(7, "noise/a", 32, KEY)
    blocks = b"".join(block.to_bytes(16, "big") for block in range(70_000))
    encryptor = Cipher(AES(key), ECB()).encryptor()
    expected = np.frombuffer(encryptor.update(blocks), dtype="<u8")
    own = Secret(KEY, 7, "noise/a")
    found = np.concatenate([own.words(count) for count in (1, 0, 3, 80_000, 59_996)])
    assert np.array_equal(found, expected)


def test_every_bit_of_the_key_counts() -> None:
    key = bytes(range(32))
    words = {Secret(key, 0, "noise").words(2).tobytes()}
    for bit in range(256):
        other = bytearray(key)
        other[bit // 8] ^= 1 << (bit % 8)
        words.add(Secret(bytes(other), 0, "noise").words(2).tobytes())
    assert len(words) == 257
    with pytest.raises(ValueError, match="at least 16 bytes"):
        Secret(b"short", 0, "noise")


def test_a_stream_repeats_and_no_two_are_equal() -> None:
    def first(seed: int, name: str, key: bytes = KEY) -> bytes:
        return Secret(key, seed, name).words(2).tobytes()

    assert first(1, "noise/a") == first(1, "noise/a")
    draws = [first(seed, name) for seed in range(4) for name in ("noise", "noise/a", "sampling")]
    assert len({*draws, first(1, "noise/a", b"another key of some length")}) == len(draws) + 1


def test_a_key_and_a_name_do_not_run_into_each_other() -> None:
    one, other = Secret(KEY, 0, "xprivgraph/noise"), Secret(KEY + b"privgraph/x", 0, "noise")
    assert one.words(2).tobytes() != other.words(2).tobytes()


def test_names_and_runs_have_nothing_in_common() -> None:
    """Correlation of the words' bits between names, seeds and keys."""
    own = {
        (key, seed, name): np.unpackbits(Secret(key, seed, name).words(2000).view(np.uint8)).astype(float) - 0.5
        for key in (KEY, KEY + b"2")
        for seed in (0, 1)
        for name in ("noise/a", "noise/b")
    }
    names = list(own)
    for position, one in enumerate(names):
        for other in names[:position]:
            assert abs(np.corrcoef(own[one], own[other])[0, 1]) < 5 / math.sqrt(128_000)


def test_secret_names_come_from_no_ordinary_generator() -> None:
    context = Context(seed=1, noise_key=KEY)
    for name in ("noise", "noise/stage 1", "sampling", "sampling/batches"):
        with pytest.raises(ValueError, match="must come from a Secret"):
            context.generator(name)
        with pytest.raises(ValueError, match="must come from a Secret"):
            stream(1, name)
        with pytest.raises(ValueError, match="must come from a Secret"):
            stream_seed(1, name)
    assert torch.equal(*(torch.rand(3, generator=context.generator("init")) for _ in range(2)))


def test_a_context_hands_a_secret_stream_out_once() -> None:
    context = Context(noise_key=KEY)
    context.secret("noise/votes")
    with pytest.raises(ValueError, match="in use"):
        context.secret("noise/votes")
    context.secret("noise/gate")


def test_a_context_without_a_key_makes_one() -> None:
    """A library user who asks for nothing has secrecy: noise is no function of a seed."""
    words = {Context(seed=0).secret("noise").words(2).tobytes() for _ in range(5)}
    assert len(words) == 5
    one, other = (Context(seed=0, noise_key=KEY).secret("noise").words(2).tobytes() for _ in range(2))
    assert one == other


def test_shared_streams_are_those_of_the_shared_key() -> None:
    one, other = (Context(noise_key=key, shared_key=b"an installation's own") for key in (KEY, KEY + b"2"))
    assert one.secret("sampling/a").words(2).tobytes() != other.secret("sampling/a").words(2).tobytes()
    assert one.shared_secret("sampling/a").words(2).tobytes() == other.shared_secret("sampling/a").words(2).tobytes()
    alone = Context(noise_key=KEY)
    assert alone.shared_secret("sampling/b").words(2).tobytes() == alone.secret("sampling/b").words(2).tobytes()


@pytest.mark.parametrize("chance", [0.0, 1e-12, 1e-3, 0.3, 0.5, 1 - 2.0**-53, 1.0])
def test_coins_fall_with_their_chance(chance: float) -> None:
    count = 200_000
    fallen = int(secret(4).coins(chance, count).sum())
    assert stats.binomtest(fallen, count, chance).pvalue > LEVEL
    if 1e-3 <= chance <= 0.9:
        for wrong in (2 / 3, 3 / 2):
            assert stats.binomtest(fallen, count, chance * wrong).pvalue < LEVEL
    each = secret(4).coins(np.full((count // 10, 10), chance))
    assert each.shape == (count // 10, 10)
    assert int(each.sum()) == fallen, "one chance for all, or for each: the same coins"


def test_coins_have_chances_of_their_own() -> None:
    chances = np.tile(np.array([0.1, 0.9, 0.0, 1.0]), 20_000)
    fallen = secret().coins(chances).reshape(-1, 4).mean(0)
    assert np.abs(fallen - [0.1, 0.9, 0, 1]).max() < 5 * math.sqrt(0.09 / 20_000)
    for wrong in (-1e-9, 1 + 1e-9, math.nan):
        with pytest.raises(ValueError, match="a chance must lie"):
            secret().coins(wrong, 3)


def test_a_coin_is_settled_by_as_many_digits_as_it_takes() -> None:
    """Where 64 digits are equal the next ones decide: a chance below 2^-64 is a chance."""
    tiny = Fraction(1, 3 * 2**64)

    class Zeros(Secret):
        """The first word is 0, which settles nothing for a chance below 2^-64."""

        def __init__(self, seed: int) -> None:
            super().__init__(KEY, seed, "zeros")
            self._first = True

        def words(self, count: int) -> np.ndarray:
            out = super().words(count)
            if self._first:
                out[:], self._first = 0, False
            return out

    fallen = sum(Zeros(seed).coin(tiny) for seed in range(3000))
    assert abs(fallen - 1000) < 5 * math.sqrt(3000 * 2 / 9)
    assert abs(sum(Zeros(seed).coins(float(tiny), 1)[0] for seed in range(3000)) - 1000) < 5 * math.sqrt(3000 * 2 / 9)
    assert not any(secret(seed).coin(tiny) for seed in range(100))


@pytest.mark.parametrize("bound", [1, 3, 7, 1000, 2**62])
def test_numbers_below_a_bound_are_uniform(bound: int) -> None:
    numbers = secret(2).below(bound, 40_000)
    assert numbers.min() >= 0
    assert numbers.max() < bound
    if 1 < bound < 10:
        assert stats.chisquare(np.bincount(numbers, minlength=bound)).pvalue > LEVEL
    else:
        assert stats.kstest(numbers / bound, "uniform").pvalue > LEVEL or bound <= 1000
    with pytest.raises(ValueError, match="bound must lie"):
        secret().below(0, 1)


def test_words_that_would_favour_some_numbers_are_passed_over() -> None:
    class Largest(Secret):
        """The first word is the largest there is, which lies beyond the last multiple of the bound."""

        asked = 0

        def words(self, count: int) -> np.ndarray:
            out = super().words(count)
            self.asked += 1
            if self.asked == 1:
                out[0] = 2**64 - 1
            return out

    own = Largest(KEY, 0, "x")
    assert own.below(2**62 - 1, 1)[0] < 2**62 - 1
    assert own.asked == 2


def test_an_order_holds_every_number_once_and_favours_none() -> None:
    orders = np.array([secret(seed).order(4) for seed in range(4000)])
    assert np.array_equal(np.sort(orders, axis=1), np.tile(np.arange(4), (4000, 1)))
    places = np.array([np.bincount(orders[:, place], minlength=4) for place in range(4)])
    assert stats.chisquare(places.ravel()).pvalue > LEVEL


def test_a_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(noise_key, [tmp_path] * 64))
    assert len(keys) == 1
    assert len(keys.pop()) == 32
    assert stat.S_IMODE((tmp_path / "noise.key").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["noise.key"]


def test_a_damaged_key_is_refused(tmp_path: Path) -> None:
    (tmp_path / "noise.key").write_bytes(b"short")
    with pytest.raises(ValueError, match="must hold 32 bytes"):
        noise_key(tmp_path)


def test_what_else_was_read_changes_the_secret_streams_alone() -> None:
    weights = {"w": torch.arange(6.0).reshape(2, 3), "b": torch.ones(3)}
    moved = {**weights, "b": torch.tensor([1.0, 1.0, 1.0000001])}
    for shared in (b"", b"s" * 32):
        before = Context(seed=1, noise_key=b"k" * 32, shared_key=shared)
        read = (weights, dict(reversed(weights.items())), moved)
        one, again, other = (before.having_read(tensors) for tensors in read)
        assert one.noise_key == again.noise_key
        for keys in ([c.noise_key for c in (before, one, other)], [c._shared_key for c in (before, one, other)]):
            assert len(set(keys)) == 3
            assert all(len(key) == 32 for key in keys)
        fresh = Context(seed=1, noise_key=b"j" * 32, shared_key=shared).having_read(weights)
        assert fresh.noise_key != one.noise_key, "the key that was given still counts"
    assert torch.equal(*(torch.rand(3, generator=context.generator("init")) for context in (before, one)))


def test_parts_of_a_key_do_not_run_into_each_other() -> None:
    parts = [("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), (b"ab", b"\0c"), ()]
    assert len({derived_key(b"k", *given) for given in parts} | {derived_key(b"l", *parts[0])}) == len(parts) + 1
    assert derived_key(b"k", "ab") == derived_key(b"k", b"ab")
