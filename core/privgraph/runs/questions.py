"""What is asked of the encoders of finished runs, and what is answered. No torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from privgraph.options import Scalar, short

LONGEST = 2000
"""Characters of a text that is asked about."""
MOST_NEIGHBOURS = 50
MOST_ENCODERS = 4
MOST_BYTES = 65_536
"""Of a line that the process reads."""
LETTERS = 300
"""Letters of a text that an answer shows."""


class AskingError(ValueError):
    """A question that cannot be answered; the message is one sentence for whoever asked."""


class ProcessEnded(AskingError):
    """The process ended over the question; asking again starts another."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """An encoder that is asked.

    Args:
        name: What the answer calls it.
        encoder: As the option `encoder` of a run.
        max_tokens: As the run's option, in tokens.
        similarity: As the run's option.
        folder: The folder of a finished run, which holds its adapter; "" for the base encoder.
        made: When the run ended, in seconds since the epoch: another adapter in that folder has another.

    Raises:
        AskingError: In one sentence, what is wrong.
    """

    name: str
    encoder: str
    max_tokens: int
    similarity: str
    folder: str = ""
    made: float = 0.0

    def __post_init__(self) -> None:
        texts = (self.name, self.encoder, self.similarity, self.folder)
        if not all(isinstance(text, str) for text in texts) or not isinstance(self.made, int | float):
            raise AskingError("an encoder is asked by texts, and by the time when its run ended")
        if isinstance(self.max_tokens, bool) or not isinstance(self.max_tokens, int) or self.max_tokens < 1:
            raise AskingError(f"max_tokens must be a whole number of at least 1 (got {short(self.max_tokens)})")


@dataclass(frozen=True, kw_only=True)
class Question:
    """Which texts of a domain are nearest to `text`.

    Args:
        text: 1 to `LONGEST` characters that are not all blank.
        data: The name of a data set with texts.
        data_options: Its options, as (name, value).
        domain: The name of the domain that is searched.
        neighbours: k, from 1 to `MOST_NEIGHBOURS`.
        encoders: One to `MOST_ENCODERS`, of different names.

    Raises:
        AskingError: In one sentence, what is wrong.
    """

    text: str
    data: str
    data_options: tuple[tuple[str, Scalar], ...] = ()
    domain: str
    neighbours: int = 10
    encoders: tuple[Asked, ...]

    def __post_init__(self) -> None:
        check_text(self.text)
        if isinstance(self.neighbours, bool) or not isinstance(self.neighbours, int):
            raise AskingError(f"neighbours must be a whole number (got {short(self.neighbours)})")
        if not 1 <= self.neighbours <= MOST_NEIGHBOURS:
            raise AskingError(f"neighbours must lie between 1 and {MOST_NEIGHBOURS} (got {self.neighbours})")
        names = [one.name for one in self.encoders]
        if not 1 <= len(names) <= MOST_ENCODERS or len(set(names)) < len(names):
            raise AskingError(f"one to {MOST_ENCODERS} encoders of different names are asked (got {short(names)})")

    def to_json(self) -> dict[str, Any]:
        """As strict JSON."""
        return asdict(self) | {"data_options": dict(self.data_options)}

    @staticmethod
    def from_json(record: object) -> Question:
        """Read what `to_json` wrote. Raises `AskingError`."""
        try:
            given: dict[str, Any] = dict(record)  # type: ignore[call-overload]
            options, encoders = dict(given.pop("data_options")), list(given.pop("encoders"))
            for name in ("text", "data", "domain"):
                if not isinstance(given[name], str):
                    raise TypeError(f"{name} is no text")
            if not all(isinstance(value, Scalar) for value in options.values()):
                raise TypeError("an option of the data is neither text nor number")
            return Question(
                **given,
                data_options=tuple(sorted(options.items())),
                encoders=tuple(Asked(**one) for one in encoders),
            )
        except AskingError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise AskingError(f"a question must have the fields of Question ({short(error)})") from None


def check_text(text: str) -> None:
    """Refuse a text that nobody can be asked about. Raises `AskingError`."""
    if not text.strip():
        raise AskingError("type a text: there is nothing to compare with")
    if len(text) > LONGEST:
        raise AskingError(f"a text must have at most {LONGEST:,} characters (got {len(text):,})")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise AskingError("the text holds half a character, which no encoder can read: type it anew") from None


@dataclass(frozen=True, kw_only=True)
class Entity:
    """A text of the domain.

    Args:
        number: Its node.
        text: Its first `LETTERS` letters.
        partner: Whether it is related to the text that was asked about, as an evaluator knows.
        places: By encoder, its place among all texts that were searched, 1 for the nearest.
        scores: By encoder, its score.
    """

    number: int
    text: str
    partner: bool
    places: Mapping[str, int]
    scores: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Near:
    """How near the nearest text is, beside what is usual among the texts that were searched.

    Args:
        score: That of the nearest text.
        usual: The median of the scores of these texts with the nearest other one.
        chance: The median of the scores of two of these texts that are taken at random.
        nearer: The share of these texts that have another one nearer than `score`, in [0, 1].
    """

    score: float
    usual: float
    chance: float
    nearer: float


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The nearest texts.

    Args:
        entities: All that are among the k nearest under some encoder, and the true partners that were
            searched, in order of their numbers.
        searched: How many texts were compared with.
        texts: How many texts the domain has.
        text: Where the text that was asked about is one of the data's, whatever its upper and lower case and
            its spaces: that text, as the data have it, which was compared and is no candidate. Else "".
        partners: How many true partners it has among those that were searched.
        near: By encoder, how near the nearest text is beside what is usual; none where no two texts differ.
    """

    entities: tuple[Entity, ...]
    searched: int
    texts: int
    text: str
    partners: int
    near: Mapping[str, Near]

    @property
    def known(self) -> bool:
        """Whether the text is one of the data's."""
        return self.text != ""

    def to_json(self) -> dict[str, Any]:
        """As strict JSON."""
        return asdict(self)

    @staticmethod
    def from_json(record: Mapping[str, Any]) -> Answer:
        """Read what `to_json` wrote."""
        entities = tuple(Entity(**one) for one in record["entities"])
        near = {name: Near(**one) for name, one in record["near"].items()}
        return Answer(**{**record, "entities": entities, "near": near})
