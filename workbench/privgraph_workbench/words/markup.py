"""Text that is not ours, as Markdown that shows it as it is."""

import re
import textwrap

_JOINER = "\u2060"
"""A letter without width: Streamlit looks for addresses, icons and arrows when escapes have been read."""
_MARKUP = re.compile(r"[\\`*\[\]<>&~$|]|(?<![^\W_])_|_(?![^\W_])|^[#+=-](?=[#+=-]*(?:\s|$))")
_SOUGHT = re.compile(r":(?=\S)|www(?=\.)|(?=@)|(?<!\S)\\?[<>~-](?=[=-]|\\>)|^\d+(?=[.)](?:\s|$))", re.IGNORECASE)


def literal(text: object) -> str:
    r"""Text that is not ours (of addresses, uploads, stored runs) as Markdown that shows it as it is, on one
    line: Streamlit's would make pictures, links, formulas and colours of it.

    >>> print(literal("a_b_c and _x_ for $y$"))
    a_b_c and \_x\_ for \$y\$
    >>> print(literal("![i](http://evil.example)").replace("\u2060", "^"))
    !\[i\](http:^//evil.example)
    """
    line = " ".join(str(text).split())
    return _SOUGHT.sub(lambda found: found[0] + _JOINER, _MARKUP.sub(lambda found: "\\" + found[0], line))


def wrapped(text: str, letters: int) -> list[str]:
    """Text in lines of so many letters at most, none of which ends between an option and its number.

    >>> wrapped("Made up (nodes 600, signal 1)", 16)
    ['Made up', '(nodes 600,', 'signal 1)']
    """
    unbroken = re.sub(r"(?<=[a-z]) (?=[\d.]+[,)])", "\u00a0", text)
    return [line.replace("\u00a0", " ") for line in textwrap.wrap(unbroken, letters)]


def sentence(error: Exception | str) -> str:
    """An error's message, or another plain text, as a sentence in Markdown."""
    text = str(error)
    return literal(text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else "."))
